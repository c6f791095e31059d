// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaStruct beside std::vector of the struct.
#include <slotwise/rows/pmr.hpp>
#include <slotwise/rows/soa_struct.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <algorithm>
#include <string>

using namespace slotwise;

namespace {

struct Tag0 {
    friend constexpr bool operator==(Tag0, Tag0) = default;
};
struct Particle {
    float x = 1, y = 2;
    std::string name = "unnamed";
    [[no_unique_address]] Tag0 tag{};
    int health = 100;
    double not_kept = 0.5;
    friend bool operator==(const Particle&, const Particle&) = default;
};
using Particles = SoaStruct<&Particle::x, &Particle::y, &Particle::name, &Particle::tag, &Particle::health>;

struct Point {
    int x = 3, y = 4;
};
} // namespace

TEST_CASE("rows go in and come out as the struct, members by their names", "[soa_struct]") {
    Particles particles;
    particles.push_back(Particle{});
    particles.push_back({.x = 5, .name = "five", .not_kept = 9});
    particles.push_back(7.0f, 8.0f, "seven", Tag0(), 3);
    const Particle second = particles[1];
    CHECK((second == Particle{.x = 5, .name = "five"} && Particle(particles[0]) == Particle{})); // not_kept is not
    particles[0] = Particle{.y = 4, .health = 1};
    particles[2].get<&Particle::name>() += "!";
    auto [x, y, name, tag, health] = particles[0];
    health += 1;
    CHECK((particles.column<&Particle::health>()[0] == 2 && y == 4 && particles.column<int>()[0] == 2));
    CHECK(particles[2].get<2>() == "seven!");
    particles.front() = particles.back();
    CHECK((particles[0] == particles[2] && particles.front().get<&Particle::health>() == 3));
    const auto [xs, healths] = particles.columns<&Particle::x, &Particle::health>();
    const float* const before = xs.data();
    CHECK((healths.size() == 3 && particles.size() < particles.capacity()));
    particles.push_back(Particle(particles[1])); // made of the vector itself
    CHECK((before == particles.column<&Particle::x>().data() && Particle(particles[3]).name == "five"));
    particles.sort<&Particle::x>();
    CHECK(particles.erase_if([](const Particle& each) { return each.name == "five"; }) == 2);
    CHECK(particles.erase_if([](const auto& row) { return row.template get<&Particle::x>() == 1; }) == 0);
    particles.resize(5);
    CHECK((particles.back().get<&Particle::health>() == 100 && particles.check_invariants()));
    auto copy = particles;
    swap(copy, particles);
    CHECK(copy == particles);
    copy.restore(particles.snapshot());
    CHECK(copy == particles);
}

TEST_CASE("a struct is added whole or not at all", "[soa_struct]") {
    using test::Throwing, test::ThrowingCopy;
    struct Two {
        ThrowingCopy first = 1;
        Throwing second = 2;
    };
    using Twos = SoaStruct<&Two::first, &Two::second>;
    const test::NothingLeaks objects;
    const auto sweep = [](const char* function, auto&& act) {
        const auto failures = test::fail_at_every_step(test::swept<Twos>(function), [&](auto&& attempt) {
            Twos twos;
            Two two;
            while (twos.size() != 16) twos.push_back(static_cast<int>(twos.size()), 7);
            const bool threw = attempt([&] { act(twos, two); });
            REQUIRE((twos.check_invariants() && twos.column<0>().size() == twos.column<1>().size()));
            if (threw) REQUIRE((twos.size() == 16 && twos[5].get<0>().value() == 5 && twos[15].get<1>().value() == 7));
        });
        REQUIRE(failures > 0);
    };
    sweep("push_back", [](Twos& twos, Two& two) { twos.push_back(two); });
    sweep("push_back", [](Twos& twos, Two& two) { twos.push_back(std::move(two)); });
    sweep("insert", [](Twos& twos, Two& two) { twos.insert(3, two); });
    sweep("insert", [](Twos& twos, Two& two) { twos.insert(3, std::move(two)); });
    sweep("resize", [](Twos& twos, Two& two) { twos.resize(20, two); });
    sweep("resize", [](Twos& twos, Two&) { twos.resize(20); });
    const auto keeps_rows = [](const test::Swept& function, auto&& act) {
        const auto failures = test::fail_at_every_step(function, [&](auto&& attempt) {
            Twos twos, other;
            for (int i = 0; i != 9; ++i) twos.push_back(9 - i, 7);
            const Two two;
            static_cast<void>(attempt([&] { act(twos, two); }));
            REQUIRE((twos.size() == 9 && twos.check_invariants()));
        });
        REQUIRE(failures > 0);
    };
    keeps_rows(test::swept<Twos>("sort"), [](Twos& twos, const Two&) { twos.sort<&Two::first>(); });
    keeps_rows(test::swept<Twos>("erase_if"), [](Twos& twos, const Two&) {
        twos.erase_if([](const auto& row) { return test::Budget::spend(), row.template get<&Two::first>().value() == 50; });
    });
    keeps_rows(test::swept<Twos::reference>("operator=(copy)"), [](Twos& twos, const Two&) { twos[0] = twos[1]; });
    keeps_rows(test::swept<Twos::reference>("operator=(copy)"), [](Twos& twos, const Two& two) { twos[0] = two; });
    keeps_rows(test::swept("RowRef::operator=(copy)"), [](Twos& twos, const Two&) { twos[0] = std::as_const(twos)[1]; });
    using Memory = test::StatefulAllocator<int, test::Propagation{.throws = true}>;
    using Elsewhere = BasicSoaStruct<Fields<&Two::first, &Two::second>, AllocBy<Memory>>;
    REQUIRE(test::fail_at_every_step(test::swept<Elsewhere>("swap"), [](auto&& attempt) {
                Elsewhere one(Memory(1)), other(Memory(2));
                one.push_back(1, 2);
                if (!attempt([&] { swap(one, other); })) CHECK((one.empty() && other[0].get<0>().value() == 1));
                CHECK((one.check_invariants() && other.check_invariants() && one.get_allocator() == Memory(1)));
            }) > 0);
}

TEST_CASE("a struct's columns take memory from a memory resource", "[soa_struct]") {
    std::pmr::monotonic_buffer_resource memory;
    pmr::SoaStruct<&Point::x, &Point::y> points(&memory);
    points.push_back(Point());
    CHECK(points.get_allocator().resource() == &memory);
}
