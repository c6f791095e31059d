// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers with a throw at every step of every function: as before, and no byte lost.
#include "subjects.hpp"
#include "support/failing_new.hpp"

#include <slotwise/sparse/sparse_group.hpp>

using namespace test;

namespace {

template <class Subject>
using Container =
    typename Subject::template container<StatefulAllocator<typename Subject::element, Propagation{.throws = true}>>;

/// Refuses each row in turn.
struct Refuses final : RowObserver {
    void on_insert(std::size_t) override { Budget::spend(); }
};

/// Of every sparse container.
template <class Subject>
void sweep_all() {
    using C = Container<Subject>;
    sweep_whole<Subject, C>();
    sweep_function<Subject, C>("reserve", [](C& c) { c.reserve(5000); });
    const auto sparse = [](C& c) {
        Subject::fill(c, 200'000, 3000);
        if constexpr (requires { c.erase(some_id(0)); })
            for (int i = 200'000; i != 203'000; ++i) c.erase(some_id(i));
        else
            c.clear();
    };
    sweep_function<Subject, C>("shrink_to_fit", sparse, [](C& c) { c.shrink_to_fit(); });
    if constexpr (requires(C& c) { c.attach(std::declval<Refuses&>()); })
        sweep_function<Subject, C>("attach", [&](C& c) {
            Refuses observer;
            const auto token = c.attach(observer);
        });
}
/// Of one whose values have a codec.
template <class Subject>
void sweep_snapshots() {
    using C = Container<Subject>;
    const C other = sample<Subject, C>(1, 500, 700);
    const auto bytes = other.snapshot();
    sweep_function<Subject, C>("restore", [&](C& c) { c.restore(bytes); });
    sweep_function<Subject, C>("try_restore",
                               [&](C& c) { demand(c.try_restore(bytes) == nullptr, "a sound snapshot is refused"); });
}
template <class T>
bool spent(T answer) {
    Budget::spend();
    return answer;
}

} // namespace

#if defined(__cpp_exceptions)
TEST_CASE("EntityIndex: what throws leaves it as it was", "[sparse][throws]") {
    using C = Container<EntityIndices>;
    sweep_all<EntityIndices>();
    sweep_snapshots<EntityIndices>();
    const auto full = [](C& c) { c.create_n(c.dead().size() + 5000); };
    sweep_function<EntityIndices, C>("create", full, [](C& c) { c.create(); });
    sweep_function<EntityIndices, C>("create_n", [](C& c) { c.create_n(5000); });
    sweep_function<EntityIndices, C>("make_alive", [](C& c) { c.make_alive(AnEntity(1u << 31, 7)); });
    sweep_function<EntityIndices, C>("make_alive", [](C& c) { // a dead id, which observers refuse
        Refuses observer;
        const auto token = c.attach(observer);
        c.make_alive(c.dead()[0]);
    });
    sweep_function<EntityIndices, C>("add_range", [](C& c) { c.add_range(70'000'000, 80'000'000); });
}

TEST_CASE("SparseSet: what throws leaves it as it was", "[sparse][throws]") {
    using C = Container<SparseSets>;
    sweep_all<SparseSets>();
    sweep_snapshots<SparseSets>();
    const AnEntity fresh(3'000'000, 1);
    sweep_function<SparseSets, C>("insert", [&](C& c) { c.insert(fresh); });
    sweep_function<SparseSets, C>("emplace", [&](C& c) { c.emplace(fresh); });
    sweep_function<SparseSets, C>("insert_range", [&](C& c) { c.insert_range(std::vector{fresh}); });
    sweep_function<SparseSets, C>("sort", [](C& c) { c.sort([](AnEntity a, AnEntity b) { return spent(b < a); }); });
    sweep_function<SparseSets, C>("erase_if", [](C& c) { c.erase_if([](AnEntity) { return spent(false); }); });
    never_throws<noexcept(std::declval<C&>().erase(fresh))>(swept<C>("erase"));
    never_throws<noexcept(std::declval<C&>().swap_rows(0, 1))>(swept<C>("swap_rows"));
    never_throws<noexcept(std::declval<C&>().sort_like(std::declval<C&>()))>(swept<C>("sort_like"));
}

TEST_CASE("SparseMap: what throws leaves it as it was", "[sparse][throws]") {
    using Subject = SparseMaps<ThrowingCopy>;
    using C = Container<Subject>;
    sweep_all<Subject>();
    sweep_snapshots<SparseMaps<int>>();
    const AnEntity fresh(3'000'000, 1);
    const ThrowingCopy value(5);
    sweep_function<Subject, C>("insert", [&](C& c) { c.insert(fresh, value); });
    sweep_function<Subject, C>("emplace", [&](C& c) { c.emplace(fresh, 5); });
    sweep_function<Subject, C>("try_emplace", [&](C& c) { c.try_emplace(fresh, 5); });
    sweep_function<Subject, C>("insert_or_assign", [&](C& c) { c.insert_or_assign(fresh, value); });
    sweep_function<Subject, C>("insert_range", [&](C& c) { c.insert_range(std::vector{std::pair<AnEntity, int>(fresh, 5)}); });
    const auto backwards = [](const auto& a, const auto& b) { return spent(a.value() > b.value()); };
    sweep_function<Subject, C>("sort", [&](C& c) { c.sort(backwards); });
    sweep_function<Subject, C>("sort_by_id", [](C& c) { c.sort_by_id([](AnEntity a, AnEntity b) { return spent(b < a); }); });
    sweep_function<Subject, C>("erase_if",
                               [](C& c) { c.erase_if([](AnEntity, const ThrowingCopy&) { return spent(false); }); });
}

/// Of values whose moves throw: each entry is whole, and none is lost.
template <class Act>
void keeps_entries(const char* function, Act act) {
    using C = SparseMap<AnEntity, Throwing>;
    NothingLeaks objects;
    const auto failures = fail_at_every_step(swept<C>(function), [&](auto&& attempt) {
        C c, other;
        for (int i = 0; i != 9; ++i) c.try_emplace(some_id(i), i), other.try_emplace(some_id(8 - i), i);
        if (!attempt([&] { act(c, other); })) return;
        demand(c.size() == 9 && c.check_invariants(), "an entry is lost");
        for (int i = 0; i != 9; ++i) demand(c.contains(some_id(i)), "an id is lost");
    });
    demand(failures != 0, "nothing threw");
}
TEST_CASE("SparseMap: moves that throw lose no entry", "[sparse][throws]") {
    keeps_entries("erase", [](auto& c, auto&) { c.erase(some_id(2)); });
    keeps_entries("extract", [](auto& c, auto&) { static_cast<void>(c.extract(some_id(2))); });
    keeps_entries("swap_rows", [](auto& c, auto&) { c.swap_rows(2, 5); });
    keeps_entries("sort_like", [](auto& c, auto& other) { c.sort_like(other); });
    using C = SparseMap<AnEntity, Throwing>;
    const auto failures = fail_at_every_step(swept("align_prefix"), [&](auto&& attempt) {
        C a, b;
        for (int i = 0; i != 9; ++i) a.try_emplace(some_id(i), i), b.try_emplace(some_id(8 - i), i);
        attempt([&] { align_prefix(a, b); });
        demand(a.size() == 9 && a.check_invariants() && b.size() == 9 && b.check_invariants(), "an entry is lost");
    });
    demand(failures != 0, "nothing threw");
}

TEST_CASE("SparseGroup: a group that is not made for want of memory leaves its containers whole", "[sparse][throws]") {
    using Set = SparseSet<AnEntity>;
    using Group = SparseGroup<Set, Set>;
    const auto failures = run_out_of_memory([](auto&& attempt) {
        Set a, b;
        SparseSets::fill(a, 100, 30), SparseSets::fill(b, 110, 30);
        const Set same_a(a), same_b(b);
        attempt([&] { const Group group(a, b); });
        demand(!a.owned() && !b.owned() && a.check_invariants() && b.check_invariants(), "they are not sound");
        demand(a == same_a && b == same_b, "an id is lost");
    });
    demand(failures != 0, "nothing threw");
    report_sweep(swept<Group>("(...)"), failures);
}

TEST_CASE("SparseGroup: a sort that throws leaves its containers as they were", "[sparse][throws]") {
    using Set = Container<SparseSets>;
    using Group = SparseGroup<Set, Set>;
    const auto failures = fail_at_every_step(swept<Group>("sort"), [](auto&& attempt) {
        Set a = sample<SparseSets, Set>(1, 100, 30), b = sample<SparseSets, Set>(1, 110, 30);
        Group group(a, b);
        const Contents before = SparseSets::contents(a), other = SparseSets::contents(b);
        if (attempt([&] { group.sort([](AnEntity x, AnEntity y) { return spent(y < x); }); }))
            demand(SparseSets::contents(a) == before && SparseSets::contents(b) == other, "rows have changed places");
    });
    demand(failures != 0, "nothing threw");
}

TEST_CASE("SwitchMap: what throws leaves it as it was", "[sparse][throws]") {
    using Subject = Switches<ThrowingCopy>;
    using C = Container<Subject>;
    sweep_all<Subject>();
    sweep_snapshots<Switches<int>>();
    const AnEntity fresh(3'000'000, 1);
    const ThrowingCopy known(35), unknown(5);
    sweep_function<Subject, C>("set", [&](C& c) { c.set(fresh, known); });
    sweep_function<Subject, C>("set", [&](C& c) { c.set(fresh, unknown); });
    sweep_function<Subject, C>("set", [&](C& c) { c.set(some_id(101), unknown); });
    sweep_function<Subject, C>("erase_value", [&](C& c) { c.erase_value(known); });
}
#endif
