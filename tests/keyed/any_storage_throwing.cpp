// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Described maps under failures: keys, values, hash, equality and allocator throw at every step of every operation.
#include "scene.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <functional>

using namespace test;

namespace {

int number_at(const void* at) { return static_cast<const Throwing*>(at)->value(); }

constexpr KeySetOptions waiting{.deferred_erase = true};

/// Of Throwing objects; hash and equality throw too.
const TypeDescriptor& throwing_key() {
    static const TypeDescriptor type = [] {
        TypeDescriptor made = TypeDescriptor::of<Throwing, ThrowingHash>();
        made.equal = [](const void* a, const void* b) {
            return ThrowingEqual()(*static_cast<const Throwing*>(a), *static_cast<const Throwing*>(b));
        };
        return made;
    }();
    return type;
}
template <KeySetOptions O>
struct FailingDescribedMap : BasicAnyMapStorage<Options<O>, AllocBy<ThrowingAllocator<std::byte>>> {
    using Base = BasicAnyMapStorage<Options<O>, AllocBy<ThrowingAllocator<std::byte>>>;
    FailingDescribedMap() : Base(throwing_key(), throwing_key()) {}
    auto enter(int n, bool assign = false) {
        const Throwing key(n), value(10 * n + assign);
        return assign ? this->insert_or_assign(&key, &value) : this->insert(&key, &value);
    }
    bool leave(int n) {
        const Throwing key(n);
        return this->erase(&key);
    }
};

/// As KeyScene: elements, holes, pending ones.
template <KeySetOptions O>
struct Scene {
    FailingDescribedMap<O> c{};
    explicit Scene(int count) {
        for (int i = 0; i != count; ++i) c.enter(i);
        for (const int i : {count / 2, 1, count - 2, 3}) c.leave(i);
        if (count > 8) {
            c.flush_removed();
            c.enter(1);
            c.leave(5);
            c.leave(2);
        }
    }
    auto state() const {
        std::vector<std::tuple<slot_t, std::uint64_t, SlotState, int, int, const void*>> all;
        for (slot_t slot = 0; slot != c.capacity(); ++slot) {
            if (c.state(slot) != SlotState::live && c.state(slot) != SlotState::pending) continue;
            all.emplace_back(slot, std::uint64_t{c.handle_at(slot).to_bits()}, c.state(slot), number_at(c.key(slot)),
                             number_at(c.value(slot)), c.key(slot));
        }
        return all;
    }
    std::vector<std::uint64_t> future() {
        std::vector<std::uint64_t> given;
        for (int i = 0; i != 30; ++i) {
            given.push_back(std::uint64_t{c.handle_at(c.enter(1000 + i).it.slot()).to_bits()});
            if (i % 3 == 2) c.leave(1000 + i - 1);
        }
        return given;
    }
};

template <KeySetOptions O>
void strong_described(const char* function, const std::function<void(FailingDescribedMap<O>&)>& act,
                      std::size_t least_failures) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    std::size_t failures = 0;
    for (const int count : {0, 5, 20, 64, 67})
        failures += fail_at_every_step(swept<AnyMapStorage>(function), [&](auto&& attempt) {
            Scene<O> scene(count), twin(count);
            const auto before = scene.state();
            INFO("elements " << count);
            const bool threw = attempt([&] { act(scene.c); });
            REQUIRE(scene.c.check_invariants());
            if (!threw) return;
            REQUIRE(scene.state() == before);
            REQUIRE(pending_of(scene.c) == pending_of(twin.c));
            REQUIRE(scene.future() == twin.future());
            REQUIRE(scene.c.check_invariants());
        });
    REQUIRE(failures >= least_failures);
}

} // namespace

TEMPLATE_TEST_CASE("a throw at any step of a described map's operation leaves the map as it was", "[any_storage][throws]",
                   (std::bool_constant<false>), (std::bool_constant<true>)) {
    constexpr KeySetOptions O{.deferred_erase = TestType::value, .reuse = TestType::value ? Reuse::lifo : Reuse::lowest};
    using Map = FailingDescribedMap<O>;
    SECTION("insert of a new key") {
        strong_described<O>(
            "insert", [](Map& map) { map.enter(500); }, 20);
    }
    SECTION("insert of a key that is there") {
        strong_described<O>(
            "insert", [](Map& map) { map.enter(0); }, 10);
    }
    SECTION("insert of a default value") {
        strong_described<O>(
            "insert",
            [](Map& map) {
                const Throwing key(500);
                map.insert(&key, nullptr);
            },
            20);
    }
    SECTION("insert_or_assign") {
        strong_described<O>(
            "insert_or_assign", [](Map& map) { map.enter(500, true); }, 20);
        strong_described<O>(
            "insert_or_assign", [](Map& map) { map.enter(4, true); }, 10);
    }
    SECTION("erase") {
        strong_described<O>(
            "erase", [](Map& map) { map.leave(4); }, 5);
    }
    SECTION("questions") {
        strong_described<O>(
            "get",
            [](Map& map) {
                const Throwing key(4);
                static_cast<void>(map.get(&key));
                static_cast<void>(map.slot_of_any(&key));
            },
            5);
    }
    SECTION("reserve and shrink_to_fit") {
        strong_described<O>(
            "reserve", [](Map& map) { map.reserve(500); }, 10);
        strong_described<O>(
            "shrink_to_fit", [](Map& map) { map.shrink_to_fit(); }, 1);
    }
    SECTION("copy") {
        strong_described<O>(
            "(copy)", [](Map& map) { Map copy(map); }, 50);
        strong_described<O>(
            "operator=(copy)",
            [](Map& map) {
                Map other;
                other.enter(1);
                other = map;
            },
            50);
    }
}

TEST_CASE("a described map keeps its old contents when assigning others throws", "[any_storage][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<AnyMapStorage>("operator=(copy)"), [](auto&& attempt) {
        Scene<waiting> scene(20), twin(20), source(30);
        if (attempt([&] { scene.c = source.c; })) {
            REQUIRE(pending_of(scene.c) == pending_of(twin.c));
            REQUIRE(scene.c.size() == twin.c.size());
            REQUIRE(scene.future() == twin.future());
        } else
            REQUIRE(scene.c == source.c);
        REQUIRE(scene.c.check_invariants());
        REQUIRE(source.c.check_invariants());
    });
    REQUIRE(failures > 50);
}

TEST_CASE("a resurrection of a described element that throws leaves everybody else, and leaks nothing",
          "[any_storage][throws]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<AnyMapStorage>("insert"), [](auto&& attempt) {
        Scene<waiting> scene(20);
        const auto before = scene.state();
        const std::size_t size = scene.c.size();
        const bool threw = attempt([&] { scene.c.enter(5); });
        REQUIRE(scene.c.check_invariants());
        if (!threw) {
            REQUIRE(scene.c.size() == size + 1);
            return;
        }
        // The removed element itself may be erased, as KeyedInterface says; it must not be back.
        REQUIRE(scene.c.size() == size);
        auto after = scene.state();
        const auto others = [](auto state) {
            std::erase_if(state, [](const auto& each) { return std::get<3>(each) == 5; });
            return state;
        };
        REQUIRE(others(after) == others(before));
        scene.c.flush_removed();
        REQUIRE(scene.c.check_invariants());
        scene.c.enter(5);
        REQUIRE(scene.c.size() == size + 1);
        REQUIRE(scene.c.check_invariants());
    });
    REQUIRE(failures >= 3);
}
