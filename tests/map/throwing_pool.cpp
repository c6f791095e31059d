// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HandlePool with a throw at every step of every function: as before, future handles included, and no byte lost.
#include "subjects.hpp"

using namespace test;

namespace {

using Subject = Pools<ThrowingCopy>;
using C = Subject::container<StatefulAllocator<std::byte, Propagation{.throws = true}>>;

/// Refuses each handle in turn.
struct Refuses final : SlotObserver {
    void on_insert(slot_t, InsertKind) override { Budget::spend(); }
};
/// The next insert has to grow.
void fill_up(C& c) {
    while (c.size() != c.capacity()) c.create();
}

} // namespace

TEST_CASE("HandlePool: a copy or an assignment that throws has no effect", "[pool][throws]") { sweep_whole<Subject, C>(); }

TEST_CASE("HandlePool: a handle that cannot be reserved or fulfilled stays what it was", "[pool][throws]") {
    sweep_function<Subject, C>("reserve_handle", fill_up, [](C& c) { c.reserve_handle(); });
    sweep_function<Subject, C>(
        "erase_reserved", [](C&) {}, [](C& c) { c.erase_reserved(*c.begin()); });
    C::handle_type kept;
    sweep_function<Subject, C>(
        "fulfill",
        [&](C& c) {
            kept = *c.begin();
            c.erase_reserved(kept);
        },
        [&](C& c) {
            Refuses observer;
            const auto token = c.attach(observer);
            c.fulfill(kept);
        });
}

TEST_CASE("HandlePool: what throws leaves it as it was", "[pool][throws]") {
    sweep_function<Subject, C>("create", fill_up, [](C& c) { c.create(); });
    sweep_function<Subject, C>("try_create", fill_up, [](C& c) { c.try_create(); });
    for (const bool fresh : {true, false}) {
        const auto refused = [fresh](auto act) {
            sweep_function<Subject, C>(
                "create", [fresh](C& c) { fresh ? fill_up(c) : void(); },
                [&](C& c) {
                    Refuses observer;
                    const auto token = c.attach(observer);
                    act(c);
                });
        };
        refused([](C& c) { c.create(); });
        refused([](C& c) { c.insert_at({4, 77}); });
    }
    sweep_function<Subject, C>("insert_at", [](C& c) { c.insert_at({3000, 7}); });
    sweep_function<Subject, C>("reserve", [](C& c) { c.reserve(5000); });
    sweep_function<Subject, C>(
        "shrink_to_fit", [](C& c) { c.reserve(5000); }, [](C& c) { c.shrink_to_fit(); });
    sweep_function<Subject, C>("attach", [](C& c) {
        Refuses observer;
        const auto token = c.attach(observer);
    });
    sweep_function<Subject, C>("erase_if", [](C& c) {
        c.erase_if([](C::handle_type) {
            Budget::spend();
            return false;
        });
    });
    sweep_function<Subject, C>("items_present", [](C& c) {
        for (const auto handle : c.items_present()) demand(c.contains(handle), "a handle that is not live is visited");
    });
    never_throws<noexcept(std::declval<C&>().erase({}))>(swept<C>("erase"));
    never_throws<noexcept(std::declval<C&>().clear())>(swept<C>("clear"));
}

TEST_CASE("HandlePool: a restore that throws leaves it as it was", "[pool][throws]") {
    const C other = sample<Subject, C>(1, 500, 700);
    const auto bytes = other.snapshot(NumberCodec());
    sweep_function<Subject, C>("restore", [&](C& c) { c.restore(bytes, NumberCodec()); });
    sweep_function<Subject, C>(
        "try_restore", [&](C& c) { demand(c.try_restore(bytes, NumberCodec()) == nullptr, "a sound snapshot is refused"); });
}

#if defined(__cpp_exceptions)
TEST_CASE("HandlePool: a reserve that was refused does not make the next growth larger", "[pool][throws]") {
    using Few = HandlePool<struct Refused, AllocBy<ThrowingAllocator<std::byte>>>;
    const auto failures = fail_at_every_step(swept<Few>("reserve"), [](auto&& attempt) {
        Few pool;
        while (pool.size() == 0 || pool.size() != pool.capacity()) pool.create();
        const std::size_t capacity = pool.capacity();
        if (!attempt([&] { pool.reserve(1'000'000); })) return;
        pool.create();
        REQUIRE(pool.capacity() == 2 * capacity);
    });
    REQUIRE(failures > 0);
}

TEST_CASE("HandlePool: create, try_create and reserve of a full pool say so", "[pool][throws]") {
    HandlePool<struct Eight, Options<SlotMapOptions{.max_slots = 8}>> pool;
    REQUIRE_THROWS_AS(pool.reserve(9), std::length_error);
    pool.reserve(8);
    REQUIRE(pool.capacity() == 8);
    for (int i = 0; i != 8; ++i) REQUIRE(pool.contains(pool.try_create()));
    REQUIRE_THROWS_AS(pool.create(), std::length_error);
    REQUIRE(pool.try_create().is_null());
    REQUIRE_FALSE(pool.insert_at({8, 1}));
    REQUIRE((pool.size() == 8 && pool.check_invariants()));
}
#endif
