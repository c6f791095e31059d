// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaStruct beside std::vector of the struct.
#include <slotwise/rows/pmr.hpp>
#include <slotwise/rows/soa_struct.hpp>

#include "support/constant.hpp"
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
    friend constexpr bool operator==(const Point&, const Point&) = default;
};
using Points = SoaStruct<&Point::x, &Point::y>;

constexpr int constant_use() {
    Points a;
    const Point kept{5, 6};
    a.push_back(kept);
    a.push_back(Point());
    a.insert(0, kept);
    a.insert(1, Point{1, 2});
    a.resize(5);
    a.resize(6, kept);
    const Points& reader = a;
    HOLDS(a.front().get<&Point::x>() == 5 && reader.front().get<&Point::y>() == 6 && Point(a[1]) == Point{1, 2});
    HOLDS(a.back() == reader.back() && Point(reader[4]) == Point() && reader[4].get<0>() == 3);
    a[0] = Point{9, 9};
    a[1] = a[0];
    a[2] = reader[0];
    a.sort<&Point::y>();
    a.sort<&Point::x>([](int x, int y) { return x > y; });
    a.sort([](const auto& p, const auto& q) { return p.template get<&Point::y>() < q.template get<&Point::y>(); });
    HOLDS(a.erase_if([](const Point& point) { return point.x == 9; }) == 3);
    HOLDS(a.erase_if([](int x, int) { return x == 3; }) == 2);
    a.push_back(Point());
    int sum = 0;
    for (auto [y] : a.rows<&Point::y>()) sum += y;
    for (auto [y] : reader.rows<&Point::y>()) sum += y;
    a.for_each_block<1, &Point::y>([&](auto ys) { sum += ys[0]; });
    reader.for_each_block<1, &Point::y>([&](auto ys) { sum += ys[0]; });
    for (const int y : a.column<&Point::y>()) sum += y;
    for (const int y : reader.column<&Point::y>()) sum += y;
    HOLDS(sum == 6 * 10);
    HOLDS(std::get<0>(a.columns<&Point::y>())[0] == 6 && std::get<0>(reader.columns<&Point::y>())[0] == 6);
    Points b(a), c;
    swap(b, c);
    return c == a && b.empty() ? 0 : __LINE__;
}
IN_CONSTANTS("points are split, changed, sorted and put together again", constant_use())

} // namespace

// proves: BasicSoaStruct::column invalidates
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

// proves: BasicSoaStruct::push_back throws, BasicSoaStruct::insert throws, BasicSoaStruct::resize throws
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
}

TEST_CASE("a struct's columns take memory from a memory resource", "[soa_struct]") {
    std::pmr::monotonic_buffer_resource memory;
    pmr::SoaStruct<&Point::x, &Point::y> points(&memory);
    points.push_back(Point());
    CHECK(points.get_allocator().resource() == &memory);
}
