// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A newer version of an id, or another value of the same one, replaces what is there. Whatever throws meanwhile, an observer at
// any place, a constructor, a move or an allocation: what is there stays as it is, and observers end with what they began with.
#include "../containers.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <map>
#include <vector>

namespace test::replacing {

using namespace slotwise;

template <class T>
using FailingAllocator = StatefulAllocator<T, Propagation{.throws = true}>;

struct HashOfTracked {
    template <class T>
    std::size_t operator()(const T& value) const noexcept {
        return static_cast<std::size_t>(value.value());
    }
};

//=== the containers of tests/properties/containers.hpp whose ids have versions, with another value and an allocator ===//

template <class C, class Value>
struct Revalued {
    static constexpr bool has = false;
};
template <template <class...> class C, AnyHandle Id, class Value>
    requires(requires(C<Id, int>& c, Id id) { c.try_emplace(id, 1); })
struct Revalued<C<Id, int>, Value> {
    static constexpr bool has = true;
    using type = C<Id, Value, AllocBy<FailingAllocator<Value>>>;
};
template <AnyHandle Id, class Value>
struct Revalued<SparseSet<Id>, Value> {
    static constexpr bool has = true;
    using type = SparseSet<Id, AllocBy<FailingAllocator<Id>>>;
};
template <AnyHandle Id, class Value>
struct Revalued<SwitchMap<Id, int>, Value> {
    static constexpr bool has = std::is_nothrow_move_constructible_v<Value>;
    using type = SwitchMap<Id, Value, HashBy<HashOfTracked>, AllocBy<FailingAllocator<Value>>>;
};
template <AnyHandle H, class Value>
struct Revalued<IdentityMap<int, H>, Value> {
    static constexpr bool has = std::is_nothrow_move_constructible_v<Value>;
    using type = IdentityMap<Value, H, HashBy<HashOfTracked>, AllocBy<FailingAllocator<Value>>>;
};

template <class C>
auto id_type() { // no lambda in the alias, which g++ 12 for Windows does not take for a type
    if constexpr (requires { requires AnyHandle<typename C::handle_type>; })
        return std::type_identity<typename C::handle_type>();
    else
        return std::type_identity<typename C::id_type>();
}
template <class C>
using IdOf = typename decltype(id_type<C>())::type;

/// Inserts or replaces; how differs by container.
template <class C, class Value>
void put(C& c, IdOf<C> id, Value&& value) {
    if constexpr (requires { c.id_of(id); })
        c.insert(std::forward<Value>(value), id);
    else if constexpr (requires { c.set(id, std::forward<Value>(value)); })
        c.set(id, std::forward<Value>(value));
    else if constexpr (requires { c.try_emplace(id, std::forward<Value>(value)); })
        c.try_emplace(id, std::forward<Value>(value));
    else
        c.insert(id);
}
/// The number of the id's value; -1 without one.
template <class C>
int number(const C& c, IdOf<C> id) {
    if (!c.contains(id)) return -1;
    if constexpr (requires { c.id_of(id)->value(); })
        return c.id_of(id)->value();
    else if constexpr (requires { c.get(id)->value(); })
        return c.get(id)->value();
    else
        return 0;
}

template <class C>
inline constexpr bool has_values = !requires { C().sort(); } || requires(C& c) { c.values(); };

/// Knows the ids of the rows by what it is notified of. It throws where the budget ends.
template <class C>
struct Mirror final : RowObserver {
    explicit Mirror(const C& c) : of(&c) {}
    void on_insert(std::size_t row) override {
        Budget::spend();
        if (row != ids.size()) wrong = true;
        ids.push_back(of->id_at(row));
    }
    void on_erase(std::size_t row) noexcept override {
        if (row >= ids.size() || ids[row] != of->id_at(row)) wrong = true;
        ids[row] = ids.back();
        ids.pop_back();
    }
    void on_swap(std::size_t a, std::size_t b) noexcept override { std::swap(ids[a], ids[b]); }
    bool agrees() const { return !wrong && std::equal(ids.begin(), ids.end(), of->ids().begin(), of->ids().end()); }
    const C* of;
    std::vector<IdOf<C>> ids{};
    bool wrong = false;
};

constexpr slot_t ids = 6;

/// @param observers of rows, where the container has them @param group whether a group owns it, too
template <class C, class Value>
std::size_t newer_version(std::size_t observers, bool group) {
    using Id = IdOf<C>;
    constexpr bool moves_throw = !std::is_nothrow_move_constructible_v<Value>;
    const NothingLeaks scope;
    return fail_at_every_step([&](auto&& attempt) {
        const auto run = [&](C& c, auto&& check) {
            Value fresh(77);
            const Id older(3, 3), newer(3, 7);
            const auto before = c.size();
            const bool threw = attempt([&] { put(c, newer, std::as_const(fresh)); });
            CHECK(c.size() == before);
            CHECK(c.contains(older) == threw);
            CHECK(c.contains(newer) == !threw);
            for (slot_t i = 0; i != ids; ++i)
                if (i != 3) CHECK(number(c, Id(i, 3)) == (has_values<C> ? 10 + static_cast<int>(i) : 0));
            if (!threw) CHECK(number(c, newer) == (has_values<C> ? 77 : 0));
            if (threw && !moves_throw) CHECK(number(c, older) == (has_values<C> ? 13 : 0)); // else as the move left it
            CHECK(c.check_invariants());
            check();
        };
        C c;
        for (slot_t i = 0; i != ids; ++i) put(c, Id(i, 3), Value(10 + static_cast<int>(i)));
        if constexpr (requires(RowObserver& observer) { c.attach(observer); }) {
            std::vector<std::unique_ptr<Mirror<C>>> mirrors;
            std::vector<RowToken> tokens;
            SparseSet<Id> others;
            for (slot_t i = 2; i != ids; ++i) others.insert(Id(i, i == 3 ? 7 : 3)); // the newer one is shared, the older is not
            using Group =
                std::conditional_t<moves_throw, SparseGroup<SparseSet<Id>, SparseSet<Id>>, SparseGroup<C, SparseSet<Id>>>;
            std::optional<Group> owner; // a group moves values, which must not throw
            if constexpr (!moves_throw)
                if (group) owner.emplace(c, others);
            for (std::size_t i = 0; i != observers; ++i) {
                mirrors.push_back(std::make_unique<Mirror<C>>(c));
                tokens.push_back(c.attach(*mirrors.back()));
            }
            run(c, [&] {
                for (const auto& mirror : mirrors) CHECK(mirror->ids.size() == c.size());
                if (!group)
                    for (const auto& mirror : mirrors) CHECK(mirror->agrees());
                if (owner) CHECK((owner->check_invariants() && owner->size() == (c.contains(Id(3, 7)) ? 4u : 3u)));
            });
        } else
            run(c, [] {});
    });
}

/// Another value of the same id.
template <class C, class Value>
std::size_t another_value() {
    using Id = IdOf<C>;
    const NothingLeaks scope;
    return fail_at_every_step([&](auto&& attempt) {
        C c;
        for (slot_t i = 0; i != ids; ++i) put(c, Id(i, 3), Value(10 + static_cast<int>(i)));
        const Value fresh(77);
        const bool threw = attempt([&] {
            if constexpr (requires { c.insert_or_assign(Id(3, 3), fresh); })
                c.insert_or_assign(Id(3, 3), fresh);
            else
                c.set(Id(3, 3), fresh);
        });
        CHECK(c.size() == ids);
        for (slot_t i = 0; i != ids; ++i) CHECK(number(c, Id(i, 3)) == (i == 3 && !threw ? 77 : 10 + static_cast<int>(i)));
        CHECK(c.check_invariants());
    });
}

struct EachContainer {
    template <class Entry, class C>
    static void run() {
        with<C, ThrowingCopy>();
        if constexpr (!std::is_same_v<Entry, every::entry::SparseSecondaryMap>) with<C, Throwing>(); // its values move nothrow
    }
    template <class C, class Value>
    static void with() {
        if constexpr (Revalued<C, Value>::has) {
            using Subject = typename Revalued<C, Value>::type;
            INFO(class_name<Subject>());
            ++containers;
            std::size_t failures = newer_version<Subject, Value>(0, false);
            if constexpr (requires(Subject& c, RowObserver& observer) { c.attach(observer); }) {
                CHECK(newer_version<Subject, Value>(1, false) >= failures + 1);
                CHECK(newer_version<Subject, Value>(3, false) >= failures + 3);
                if constexpr (std::is_nothrow_move_constructible_v<Value>)
                    CHECK(newer_version<Subject, Value>(3, true) >= failures + 3);
                failures += 3;
            }
            CHECK(failures > 0);
            if constexpr (
                requires(Subject& c, IdOf<Subject> id, const Value& value) { c.insert_or_assign(id, value); } ||
                requires(Subject& c, IdOf<Subject> id, const Value& value) { c.set(id, value); })
                CHECK(another_value<Subject, Value>() > 0);
        }
    }
    static inline std::size_t containers = 0;
};

TEST_CASE("what replaces an entry and throws leaves the older one, and tells observers of nothing", "[properties][throws]") {
    EachContainer::containers = 0;
    every::for_each_container_here<EachContainer>();
    CHECK(EachContainer::containers >= 4);
}

/// Refuses each insert, and counts what it is told.
struct Refuses final : RowObserver {
    void on_insert(std::size_t) override {
        if (on) TEST_THROW(std::runtime_error("refused"));
        ++rows;
    }
    void on_erase(std::size_t) noexcept override { --rows; }
    bool on = false;
    int rows = 0;
};
TEST_CASE("an observer that refuses again and again finds the older entry each time", "[properties][throws]") {
    using Id = every::entry::SomeHandle;
    SparseMap<Id, int> map{{Id(1, 1), 10}, {Id(2, 1), 20}};
    Refuses first, refuses, last;
    const RowToken tokens[] = {map.attach(first), map.attach(refuses), map.attach(last)};
    refuses.on = true;
    for (std::uint32_t version = 3; version != 9; version += 2) {
        CHECK_THROWS_AS(map.try_emplace(Id(1, version), 11), std::runtime_error);
        CHECK((map.size() == 2 && map.at(Id(1, 1)) == 10 && map.at(Id(2, 1)) == 20 && map.check_invariants()));
        CHECK((first.rows == 2 && refuses.rows == 2 && last.rows == 2));
    }
    refuses.on = false;
    CHECK(map.try_emplace(Id(1, 9), 11).inserted);
    CHECK((map.size() == 2 && map.at(Id(1, 9)) == 11 && first.rows == 2 && last.rows == 2 && map.check_invariants()));
}

/// Makes dead ids of one index live again, with observers that throw.
TEST_CASE("EntityIndex: a newer version that an observer refuses leaves the index as it was", "[properties][throws]") {
    using Id = every::entry::SomeHandle;
    EntityIndex<Id, int> index;
    const Id made[] = {index.create(), index.create(), index.create()};
    index.destroy(made[1]);
    Refuses first, refuses, last;
    const RowToken tokens[] = {index.attach(first), index.attach(refuses), index.attach(last)};
    const auto before = index.snapshot();
    refuses.on = true;
    CHECK_THROWS_AS(index.make_alive(Id(made[1].index(), 7)), std::runtime_error);
    CHECK_THROWS_AS(index.create(), std::runtime_error);
    CHECK((index.snapshot() == before && first.rows == 2 && last.rows == 2));
    refuses.on = false;
    CHECK(index.make_alive(Id(made[1].index(), 7)));
    CHECK((index.size() == 3 && first.rows == 3 && last.rows == 3));
}

} // namespace test::replacing
