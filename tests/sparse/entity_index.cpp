// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/snapshots.hpp"
#include "support/sweep.hpp"
#include "support/thrown.hpp"

#include <slotwise/sparse/pmr.hpp>

#include <algorithm>
#include <map>
#include <memory_resource>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

struct Unit;
struct Place {
    std::uint32_t table = 0, row = 0;
    friend bool operator==(const Place&, const Place&) = default;
};
using E = Handle<Unit>;
using Index = EntityIndex<E, Place>;
using Ids = std::vector<E>;

template <class H>
std::vector<H> list(std::span<const H> ids) {
    return {ids.begin(), ids.end()};
}
template <class H>
std::vector<H> list(std::vector<H> ids) {
    return ids;
}
template <unsigned IndexBits, unsigned VersionBits>
using Small = Handle<Unit, HandleLayout{IndexBits, VersionBits, 16 - IndexBits - VersionBits}>;
template <class A>
using IndexOver = EntityIndex<E, Place, AllocBy<A>>;

/// The ids of a row each, as the notifications say.
template <class I>
struct Mirror final : RowObserver {
    Mirror(const I& of, typename I::Range in) : index(&of), range(in) {}
    void on_insert(std::size_t row) override {
        if (row == refuses) TEST_THROW(row);
        REQUIRE(row == rows.size());
        rows.push_back(index->alive(range)[row]);
        CHECK(index->is_alive(rows.back()));
    }
    void on_erase(std::size_t row) noexcept override {
        intact = intact && index->is_alive(rows[row]) && index->row_of(rows[row]) == row;
        rows[row] = rows.back();
        rows.pop_back();
    }
    void on_clear() noexcept override { rows.clear(); }
    void on_move(const void*, void* to) noexcept override { index = static_cast<const I*>(to); }
    const I* index;
    typename I::Range range;
    std::vector<typename I::id_type> rows{};
    std::size_t refuses = static_cast<std::size_t>(-1);
    bool intact = true;
};

} // namespace

TEST_CASE("EntityIndex: ids live from create to destroy and have a location", "[sparse]") {
    Index index;
    CHECK(index.empty());
    const E a = index.create(), b = index.create();
    CHECK(a == E(0, 1));
    CHECK(b == E(1, 1));
    CHECK(index.at(a) == Place{});
    *index.location(b) = {3, 4};
    CHECK(std::as_const(index).at(b) == Place{3, 4});
    CHECK(index.size() == 2);
    CHECK(index.row_of(b) == 1);
    REQUIRE(index.destroy(a));
    CHECK_FALSE(index.destroy(a));
    CHECK(index.location(a) == nullptr);
    CHECK(index.row_of(a) == no_slot);
    CHECK(index.at(b) == Place{3, 4});
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(index.at(a)); }).find("EntityIndex at(id)") == 0);
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: the entry at the position of an id names that index", "[sparse]") {
    Index index;
    const Ids ids = list(index.create_n(700)); // several pages
    for (std::size_t i = 0; i < ids.size(); i += 3) index.destroy(ids[i]);
    for (const E id : index.alive()) CHECK(index.alive()[index.row_of(id)] == id);
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: the next version of a dead id is not alive before it is issued", "[sparse]") {
    Index index;
    const E first = index.create();
    index.destroy(first);
    const E next = index.dead()[0];
    CHECK(next == E(0, 3));
    CHECK_FALSE(index.is_alive(next));
    CHECK_FALSE(index.is_alive(first));
    CHECK_FALSE(index.is_alive(E(0, 2)));
    CHECK_FALSE(index.is_alive(E()));
    CHECK_FALSE(index.is_alive(E::from_bits(~E::bits_type{0})));
    CHECK_FALSE(index.is_alive(E(1u << 31, 1)));
    CHECK(index.create() == next);
    CHECK(index.is_alive(next));
}

TEST_CASE("EntityIndex: location_or_default of an id that does not live is null or points to a value-initialised one",
          "[sparse]") {
    using Id = Small<8, 2>;
    using Few = EntityIndex<Id, Place>;
    Few index;
    const Id a = index.create(), b = index.create();
    *index.location_or_default(a) = {1, 2};
    *index.location_or_default(b) = {3, 4};
    CHECK(std::as_const(index).location_or_default(a) == index.location(a));
    const auto is_without = [&](Id id) {
        const Place* const at = std::as_const(index).location_or_default(id);
        return at == nullptr || *at == Place{};
    };
    CHECK(is_without(Id()));
    CHECK(is_without(Id(2, 1)));
    CHECK(is_without(Id(2, 0)));
    CHECK(is_without(Id(255, 0)));
    REQUIRE(index.destroy(a));
    CHECK(index.location_or_default(a) == nullptr);
    REQUIRE(index.dead().size() == 1);
    CHECK(is_without(index.dead()[0])); // this id was not issued yet
    const Id again = index.create();
    *index.location(again) = {5, 6};
    CHECK(*index.location_or_default(again) == Place{5, 6});
    REQUIRE(index.destroy(again)); // its index retires
    CHECK(index.explain(again) == HandleStatus::retired);
    CHECK(is_without(again));
    index.create_n({}, 1, [](slot_t) { return Place{7, 8}; });
    index.take_back(1);
    for (unsigned bits = 0; bits != 0x400; ++bits)
        if (const Id id = Id::from_bits(static_cast<Id::bits_type>(bits)); !index.is_alive(id)) CHECK(is_without(id));
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: destroy puts the last living id into the row, steps the version and clears the location", "[sparse]") {
    using Checked = IndexOver<StatefulAllocator<std::byte>>;
    Checked index;
    const Ids ids = list(index.create_n(3));
    *index.location(ids[0]) = {7, 7};
    const std::size_t allocations = Ledger::allocations();
    REQUIRE(index.destroy(ids[0]));
    CHECK(list(index.alive()) == Ids{ids[2], ids[1]});
    CHECK(list(index.dead()) == Ids{E(0, 3)});
    REQUIRE(index.destroy(ids[1])); // the last row: nothing takes its place
    CHECK(list(index.alive()) == Ids{ids[2]});
    CHECK(list(index.dead()) == Ids{E(1, 3), E(0, 3)});
    CHECK(Ledger::allocations() == allocations);
    index.create();
    CHECK(index.at(index.create()) == Place{});
    STATIC_REQUIRE(noexcept(index.destroy(E())));
}

TEST_CASE("EntityIndex: the id that died last is created first", "[sparse]") {
    Index index;
    const Ids ids = list(index.create_n(5));
    for (const E id : ids) index.destroy(id);
    for (slot_t i = 5; i-- != 0;) CHECK(index.create() == E(i, 3));
    CHECK(index.create() == E(5, 1));
}

TEST_CASE("EntityIndex: locations keep their addresses, and ids live, while others come and go", "[sparse]") {
    Index index;
    std::map<typename E::bits_type, const Place*> places;
    for (const E id : list(index.create_n(300))) places[id.to_bits()] = index.location(id);
    for (slot_t i = 0; i != 2000; ++i) {
        index.create();
        index.make_alive(E(i * 100'000, 5));
        if (i % 10 == 0 && i < 3000) index.destroy(E(i / 10, 1)), places.erase(E(i / 10, 1).to_bits());
    }
    for (const auto& [bits, place] : places) CHECK(index.location(E::from_bits(bits)) == place);
    CHECK(places.size() == 100);
    CHECK(list(index.alive()).size() == index.size()); // read anew: what alive() was has ended
}

TEST_CASE("EntityIndex: create_n recycles as many as asked, exactly as many as there are, or all and fresh ones", "[sparse]") {
    for (const std::size_t count : {0u, 1u, 3u, 4u, 7u}) {
        Index bulk;
        const Ids ids = list(bulk.create_n(6));
        for (std::size_t i = 0; i != 4; ++i) bulk.destroy(ids[i]);
        Index single = bulk;
        const auto span = bulk.create_n(count);
        CHECK(span.size() == count);
        CHECK(span.data() == bulk.alive().data() + 2);
        Ids one_by_one;
        for (std::size_t i = 0; i != count; ++i) one_by_one.push_back(single.create());
        CHECK(list(span) == one_by_one);
        CHECK(bulk == single);
        CHECK(bulk.check_invariants());
    }
}

TEST_CASE("EntityIndex: create_n gives recycled and fresh ids the locations that it is asked to, or none", "[sparse]") {
    Index index;
    const auto range = index.add_range(1000, 1003);
    index.create_n(4);
    index.make_alive(E(700, 1)); // among the fresh ones
    index.destroy(E(1, 1));
    index.destroy(E(2, 1));
    const auto located = [](slot_t i) { return Place{7, i}; };
    const Ids ids = list(index.create_n({}, 1500, located));
    CHECK(ids.size() == 1500);
    for (std::uint32_t i = 0; i != 1500; ++i) CHECK(index.at(ids[i]) == Place{7, i});
    CHECK(index.at(E(700, 1)) == Place{});
    CHECK(index.range_of(ids.back()) == typename Index::Range());
    CHECK(list(index.create_n(range, 2, located)) == Ids{E(1000, 1), E(1001, 1)});
    CHECK(index.at(E(1001, 1)) == Place{7, 1});
    CHECK(index.check_invariants());

    Mirror<Index> refusing(index, {});
    const RowToken token = index.attach(refusing);
    index.destroy(ids[3]);
    refusing.refuses = 1502; // the second one
    const Index before = index;
    CHECK_THROWS_AS(index.create_n({}, 3, located), std::size_t);
    CHECK(index == before);
    refusing.refuses = static_cast<std::size_t>(-1);
    for (const E id : list(index.create_n(3))) CHECK(index.at(id) == Place{});
}

TEST_CASE("EntityIndex: create_n of dead ids writes nothing but the border", "[sparse]") {
    Index index;
    index.create_n(1000);
    index.clear();
    const Ids dead = list(index.dead());
    CHECK(list(index.create_n(1000)) == dead);
    for (const E id : dead) CHECK(index.is_alive(id));
}

namespace {

/// Whether next() and next_n() say what a copy creates, and throw when it throws.
template <class I>
bool foresees(const I& index, typename I::Range range = {}, std::size_t most = 700) {
    I copy = index;
    std::vector<typename I::id_type> all;
    for (bool left = true; left && all.size() != most;) {
        typename I::id_type told, created;
        left = thrown_text<std::length_error>([&] { created = copy.create(range); }).empty();
        if (left != thrown_text<std::length_error>([&] { told = index.next(all.size(), range); }).empty()) return false;
        if (left && told != created) return false;
        if (left) all.push_back(created);
    }
    for (std::size_t skip = 0; skip <= all.size(); skip += 1 + all.size() / 3) {
        std::vector<typename I::id_type> rest(all.size() - skip);
        index.next_n(skip, rest, range);
        if (!std::equal(rest.begin(), rest.end(), all.begin() + static_cast<std::ptrdiff_t>(skip))) return false;
    }
    return true;
}

/// Every state that a tiny index can reach. The states are told apart by their snapshots.
template <class H>
std::size_t walk_every_state() {
    using Tiny = EntityIndex<H, Place>;
    std::set<std::vector<std::byte>> seen;
    std::vector<Tiny> open(1);
    seen.insert(open[0].snapshot());
    const auto issued = [](const Tiny& index, H id) { // whether a handle of this state's past
        if (index.explain(id) == HandleStatus::retired || index.is_alive(id)) return true;
        for (const H each : index.alive())
            if (each.index() == id.index()) return id.version() <= each.version();
        for (const H each : index.dead())
            if (each.index() == id.index()) return id.version() < each.version();
        return false;
    };
    bool sound = true;
    std::size_t stale = 0;
    while (!open.empty()) {
        const Tiny state = std::move(open.back());
        open.pop_back();
        const auto try_step = [&](auto&& step) {
            Tiny next = state;
            step(next);
            sound = sound && next.check_invariants() && foresees(next);
            const std::vector<H> living = list(next.alive());
            for (const H id : living) sound = sound && (state.is_alive(id) || !issued(state, id));
            for (slot_t i = 0; i <= H::max_index; ++i)
                for (std::uint32_t v = 0; v <= H::max_version; ++v) {
                    const bool lives = std::find(living.begin(), living.end(), H(i, v)) != living.end();
                    sound = sound && next.is_alive(H(i, v)) == lives;
                    stale += !lives;
                }
            if (seen.insert(next.snapshot()).second) open.push_back(std::move(next));
        };
        const std::size_t room = state.max_size() - state.retired() - state.size();
        for (std::size_t n = 1; n <= room && n <= 3; ++n) try_step([&](Tiny& index) { index.create_n(n); });
        for (const H id : list(state.alive())) try_step([&](Tiny& index) { index.destroy(id); });
        try_step([](Tiny& index) { index.clear(); });
    }
    CHECK(sound);
    report("versions", "EntityIndex " + std::to_string(H::layout.version_bits) + " bits", std::to_string(seen.size()),
           std::to_string(stale));
    return seen.size();
}

} // namespace

TEST_CASE("EntityIndex: an id with 1 to 4 version bits is issued once and is alive once, in every reachable state",
          "[sparse][versions]") {
    CHECK(walk_every_state<Small<1, 1>>() > 4);
    CHECK(walk_every_state<Small<1, 2>>() > 10);
    CHECK(walk_every_state<Small<1, 3>>() > 30);
    CHECK(walk_every_state<Small<1, 4>>() > 100);
    CHECK(walk_every_state<Small<2, 1>>() > 10);
}

TEST_CASE("EntityIndex: next says which ids will be created, around ranges and ids that were made alive", "[sparse]") {
    Index index;
    CHECK(index.next() == E(0, 1));
    CHECK(index.next(1'000'000) == E(1'000'000, 1));
    const auto low = index.add_range(2, 5), wide = index.add_range(100, 800), near = index.add_range(5, 6);
    const auto all = [&] { return foresees(index) && foresees(index, low) && foresees(index, wide) && foresees(index, near); };
    CHECK(all());
    CHECK(index.next(2) == E(6, 1));
    CHECK(index.next(96) == E(800, 1)); // 96 of the others are below 100
    for (const slot_t at : {0u, 1u, 7u, 300u, 301u, 350u, 5000u, 4u, 1u << 30}) {
        REQUIRE(index.make_alive(E(at, 3)));
        CHECK(all());
    }
    index.create_n(300);
    index.create_n(wide, 100);
    CHECK(all());
    for (const E id : list(index.alive()))
        if (id.index() % 3 == 0) index.destroy(id);
    for (const E id : list(index.alive(wide)))
        if (id.index() % 5 == 0) index.destroy(id);
    index.destroy(E(4, 3));
    CHECK(all());
    Index restored;
    restored.restore(index.snapshot());
    CHECK(foresees(restored));
    index.clear();
    CHECK(all());
    const Index before = index;
    CHECK(thrown_text<std::length_error>([&] { static_cast<void>(index.next(3, low)); }).find("EntityIndex create") == 0);
    Ids two(2);
    CHECK(thrown_text<std::length_error>([&] { index.next_n(2, two, low); }).find("EntityIndex create") == 0);
    CHECK(thrown_text<std::length_error>([&] { index.next_n(static_cast<std::size_t>(-1), two); }) != "");
    index.next_n(1, two, low);
    CHECK(two == Ids{index.next(1, low), index.next(2, low)});
    CHECK(index == before);
}

TEST_CASE("EntityIndex: an exhausted id leaves the recyclable part when it dies", "[sparse]") {
    EntityIndex<Small<4, 2>, Place> index; // versions 1 and 3
    auto ids = list(index.create_n(3));
    for (const auto id : ids) index.destroy(id);
    ids = list(index.create_n(3)); // of index 2, 1, 0
    index.destroy(ids[0]);
    CHECK(index.retired() == 1);
    CHECK(index.dead().empty());
    CHECK(index.explain(ids[0]) == HandleStatus::retired);
    CHECK_FALSE(index.make_alive(ids[0]));
    CHECK(index.create() == Small<4, 2>(3, 1));
    index.clear();
    CHECK(index.retired() == 3);
    CHECK(index.dead().size() == 1);
    CHECK(index.check_invariants());
    CHECK(index.create_n(13).size() == 13); // 16 - 3
    const auto before = index;
    CHECK(thrown_text<std::length_error>([&] { index.create(); }).find("EntityIndex create") == 0);
    CHECK(thrown_text<std::length_error>([&] { index.create_n(static_cast<std::size_t>(-1)); }).find("EntityIndex create") ==
          0);
    CHECK(thrown_text<std::length_error>([&] { index.reserve(14); }).find("EntityIndex reserve") == 0);
    CHECK(index == before);
}

TEST_CASE("EntityIndex: the order of alive and dead decides future ids and is part of the snapshot", "[sparse]") {
    Index index;
    const Ids ids = list(index.create_n(6));
    for (const std::size_t i : {4u, 0u, 2u}) index.destroy(ids[i]);
    Index restored;
    restored.restore(index.snapshot());
    CHECK(restored == index);
    CHECK(restored.snapshot() == index.snapshot());
    for (int i = 0; i != 5; ++i) CHECK(restored.create() == index.create());
    CHECK(restored.check_invariants());
    Index other; // the same ids, which died in another order
    const Ids same = list(other.create_n(6));
    for (const std::size_t i : {0u, 4u, 2u}) other.destroy(same[i]);
    restored.restore(Index().snapshot());
    const Index none;
    CHECK(restored == none);
    CHECK_FALSE(other == index);
}

TEST_CASE("EntityIndex: shrinking and clearing keep versions", "[sparse]") {
    Index index;
    index.reserve(100);
    const Ids ids = list(index.create_n(10));
    index.clear();
    index.shrink_to_fit();
    CHECK(index.check_invariants());
    for (const E id : ids) CHECK_FALSE(index.is_alive(id));
    for (int i = 0; i != 10; ++i) CHECK(index.create().version() == 3);
}

TEST_CASE("EntityIndex: after reserve create allocates nothing", "[sparse]") {
    IndexOver<StatefulAllocator<std::byte>> index;
    const auto range = index.add_range(100, 5000);
    index.make_alive(E(3, 5));
    index.reserve(1000);
    index.reserve(1000, range);
    const std::size_t allocations = Ledger::allocations();
    while (index.alive().size() != 1000) index.create();
    index.create_n(range, 1000);
    CHECK(Ledger::allocations() == allocations);
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: ranges have ids of their own and recycle only these", "[sparse]") {
    Index index;
    const auto low = index.add_range(2, 5), far = index.add_range(1u << 31, (1u << 31) + 1000), near = index.add_range(5, 6);
    CHECK(list(index.create_n(4)) == Ids{E(0, 1), E(1, 1), E(6, 1), E(7, 1)}); // around the ranges
    CHECK(list(index.create_n(low, 3)) == Ids{E(2, 1), E(3, 1), E(4, 1)});
    CHECK(index.create(near) == E(5, 1));
    CHECK(index.create(far) == E(1u << 31, 1));
    CHECK(index.size() == 9);
    CHECK(index.range_of(E(4, 9)) == low);
    CHECK(index.range_of(E(6, 9)) == Index::Range());
    CHECK(index.check_invariants());
    CHECK(thrown_text<std::length_error>([&] { index.create(low); }).find("EntityIndex create") == 0);
    index.destroy(E(3, 1));
    index.destroy(E(6, 1));
    CHECK(index.dead(far).empty());
    CHECK(index.create(low) == E(3, 3));
    CHECK(index.create() == E(6, 3));
    CHECK(index.alive(low).size() == 3);
    *index.location(E(3, 3)) = {1, 2};
    Index restored;
    restored.restore(index.snapshot());
    CHECK(restored == index);
    CHECK(restored.check_invariants());
    CHECK(restored.create(far) == E((1u << 31) + 1, 1));
    index.clear();
    CHECK(index.empty());
    CHECK(index.dead(low).size() == 3);
}

TEST_CASE("EntityIndex: a range that is empty, too high, overlaps another or is in use is refused", "[sparse]") {
    Index index;
    index.create_n(10);
    index.add_range(100, 200);
    const Index before = index;
    const std::pair<slot_t, slot_t> refused[] = {{50, 50}, {60, 50}, {150, 160}, {90, 101}, {199, 300}, {9, 20}};
    for (const auto& range : refused)
        CHECK(thrown_text<std::invalid_argument>([&] {
                  index.add_range(range.first, range.second);
              }).find("EntityIndex add_range") == 0);
    EntityIndex<Small<4, 4>, Place> small;
    CHECK(thrown_text<std::invalid_argument>([&] { small.add_range(8, 17); }).find("EntityIndex add_range") == 0);
    CHECK(small.max_size() == 16);
    CHECK(index == before);
    index.add_range(10, 100);
    index.add_range(200, no_slot);
    CHECK(index.check_invariants());
    CHECK(thrown_text<std::length_error>([&] { index.create(); }).find("EntityIndex create") == 0);
}

TEST_CASE("EntityIndex: an isolated id costs at most 8 KiB, wherever it is", "[sparse]") {
    const EveryByteReturned scope;
    IndexOver<StatefulAllocator<std::byte>> index;
    const auto range = index.add_range(0x7FFF'0000u, 0x8000'0000u);
    index.create(range);
    CHECK(scope.live_bytes() <= 8192);
    for (slot_t i = 0; i != 100; ++i) REQUIRE(index.make_alive(E(i << 24, 1)));
    CHECK(scope.live_bytes() <= std::size_t{101} * 8192);
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: make_alive brings exactly this id to life", "[sparse]") {
    Index index;
    REQUIRE(index.make_alive(E(2, 7)));
    CHECK(index.is_alive(E(2, 7)));
    CHECK(index.make_alive(E(2, 7))); // it lives
    CHECK(index.size() == 1);
    CHECK_FALSE(index.make_alive(E(2, 9))); // another one lives
    CHECK_FALSE(index.make_alive(E(2, 5)));
    CHECK_FALSE(index.make_alive(E(3, 2)));
    CHECK_FALSE(index.make_alive(E()));
    CHECK_FALSE(index.make_alive(E::from_bits(~E::bits_type{0})));
    CHECK(list(index.create_n(3)) == Ids{E(0, 1), E(1, 1), E(3, 1)});
    index.destroy(E(2, 7));
    index.destroy(E(0, 1));
    CHECK_FALSE(index.make_alive(E(2, 7))); // it died
    CHECK(index.make_alive(E(2, 11)));
    CHECK(index.check_invariants());
    CHECK(list(index.dead()) == Ids{E(0, 3)});
    index.destroy(E(2, 11));
    CHECK(index.create() == E(2, 13));
    const auto range = index.add_range(50, 60);
    CHECK(index.make_alive(E(55, 3)));
    CHECK(list(index.alive(range)) == Ids{E(55, 3)});
    CHECK(index.create(range) == E(50, 1));
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: user bits are ignored", "[sparse]") {
    using U = Handle<Unit, HandleLayout{8, 4, 4}>;
    EntityIndex<U, Place> index;
    const U id = index.create();
    CHECK(index.is_alive(id.with_user_bits(5)));
    CHECK(index.make_alive(U(1, 1, 7)));
    CHECK(index.alive()[1] == U(1, 1));
    CHECK(index.destroy(id.with_user_bits(3)));
    CHECK(index.create() == U(0, 3));
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex: explain says why an id does or does not live", "[sparse]") {
    EntityIndex<Small<4, 2>, Place> index;
    using S = Small<4, 2>;
    const S id = index.create();
    CHECK(index.explain(S()) == HandleStatus::null);
    CHECK(index.explain(S(9, 1)) == HandleStatus::out_of_range);
    CHECK(index.explain(id) == HandleStatus::live);
    index.destroy(id);
    CHECK(index.explain(id) == HandleStatus::stale);
    CHECK(index.explain(S(0, 3)) == HandleStatus::stale); // not issued yet
    index.destroy(index.create());
    CHECK(index.explain(id) == HandleStatus::retired);
}

TEST_CASE("EntityIndex: row observers follow the living ids, also when many are created at once", "[sparse]") {
    Index index;
    const auto range = index.add_range(1000, 2000);
    const E early = index.create();
    Mirror<Index> main(index, {}), other(index, range);
    RowToken token = index.attach(main), other_token = index.attach(other, range);
    CHECK(main.rows == Ids{early});
    index.create_n(4);
    index.create_n(range, 2);
    index.destroy(early);
    index.make_alive(E(77, 3));
    index.create();
    CHECK(main.rows == list(index.alive()));
    CHECK(other.rows == list(index.alive(range)));
    index.destroy(index.alive(range)[0]);
    Index moved = std::move(index);
    moved.destroy(E(77, 3));
    CHECK(main.index == &moved);
    CHECK(main.rows == list(moved.alive()));
    CHECK(other.rows == list(moved.alive(range)));
    CHECK((main.intact && other.intact));
    moved.clear();
    CHECK((main.rows.empty() && other.rows.empty()));
    moved.create();
    index = moved; // a copy is not observed
    CHECK(main.rows.size() == 1);
    Index source;
    source.create_n(3);
    moved = source; // it has no such range
    CHECK(main.rows == list(source.alive()));
    CHECK_FALSE(other_token.attached());
    moved.restore(index.snapshot());
    CHECK(main.rows == list(index.alive()));
    CHECK(moved == index);
    moved = Index(); // the end of what was observed
    CHECK(main.rows.empty());
    CHECK_FALSE(token.attached());
}

TEST_CASE("EntityIndex: an observer that throws rolls the insert back for all", "[sparse]") {
    Index index;
    index.create_n(6);
    index.destroy(E(1, 1));
    index.destroy(E(3, 1));
    Mirror<Index> first(index, {}), second(index, {});
    const RowToken tokens[] = {index.attach(first), index.attach(second)};
    const Index before = index;
    for (const std::size_t refused : {4u, 5u, 7u}) {
        second.refuses = refused;
        CHECK_THROWS_AS(index.create_n(5), std::size_t);
        CHECK(index == before);
        CHECK(index.snapshot() == before.snapshot());
        CHECK(first.rows == list(before.alive()));
        CHECK(second.rows == first.rows);
        CHECK(index.check_invariants());
    }
    second.refuses = 4;
    CHECK_THROWS_AS(index.create(), std::size_t);
    CHECK_THROWS_AS(index.make_alive(E(1, 9)), std::size_t);
    CHECK_THROWS_AS(index.make_alive(E(99, 1)), std::size_t);
    CHECK(index == before);
    CHECK(first.rows == second.rows);
    CHECK(index.check_invariants());
    second.refuses = 2;
    CHECK_THROWS_AS(index.restore(before.snapshot()), std::size_t);
#if SLOTWISE_EXCEPTIONS
    const Index none;
    CHECK(index == none);
    CHECK((first.rows.empty() && second.rows.empty()));
    index = Index(before);
#endif
    Mirror<Index> late(index, {});
    late.refuses = 2;
    CHECK_THROWS_AS(index.attach(late), std::size_t);
    CHECK(late.rows.empty());
}

TEST_CASE("EntityIndex: an allocation that fails changes nothing", "[sparse]") {
    using A = StatefulAllocator<std::byte, Propagation{.throws = true}>;
    using Failing = IndexOver<A>;
    const EveryByteReturned scope;
    const auto sweep = [](const char* name, auto&& act) {
        const std::size_t failures = fail_at_every_step(swept<Failing>(name), [&](auto&& attempt) {
            Failing index;
            index.add_range(300, 400);
            index.create_n(8);
            index.create(); // half of the room is free
            index.destroy(index.alive()[3]);
            const Failing before = index;
            if (!attempt([&] { act(index); })) return;
            CHECK(index == before);
            CHECK(index.snapshot() == before.snapshot());
            CHECK(index.check_invariants());
        });
        CHECK(failures != 0);
    };
    sweep("create_n", [](Failing& index) { index.create_n(5000); });
    sweep("make_alive", [](Failing& index) { index.make_alive(E(1u << 30, 1)); });
    sweep("reserve", [](Failing& index) { index.reserve(3000); });
    sweep("add_range", [](Failing& index) { index.add_range(3000, 4000); });
    sweep("operator=(copy)", [](Failing& index) {
        Failing other;
        other.create_n(300);
        index = other;
    });
    sweep("(copy)", [](Failing& index) { static_cast<void>(Failing(index).size()); });
    Failing source;
    source.create_n(9);
    const auto bytes = source.snapshot();
    sweep("try_restore", [&](Failing& index) { static_cast<void>(index.try_restore(bytes)); });
    sweep("shrink_to_fit", [&](Failing& index) { index.shrink_to_fit(); });
    sweep("(move, allocator)", [](Failing& index) { Failing elsewhere(std::move(index), A(2)); }); // copies
    sweep("operator=(move)", [](Failing& index) {
        Failing elsewhere(A(2));
        elsewhere = std::move(index);
    });
    sweep("swap", [](Failing& index) {
        Failing elsewhere(A(2));
        elsewhere.create();
        index.swap(elsewhere);
    });
}

TEST_CASE("EntityIndex: random operations agree with a model after each step", "[sparse]") {
    using S = Handle<Unit, HandleLayout{10, 6, 0}>;
    using Model = std::map<slot_t, std::pair<S, Place>>; // the living by index
    EntityIndex<S, Place> index;
    const auto range = index.add_range(40, 70);
    Mirror<EntityIndex<S, Place>> mirror(index, range);
    const RowToken token = index.attach(mirror, range);
    Model model;
    std::set<typename S::bits_type> issued;
    std::mt19937 generator(7);
    const auto random = [&] { return static_cast<slot_t>(generator()); };
    const auto born = [&](S id) {
        CHECK(issued.insert(id.to_bits()).second);
        CHECK(model.emplace(id.index(), std::pair(id, Place{})).second);
    };
    for (int step = 0; step != 3000; ++step) {
        const auto dice = random() % 16;
        const auto where = random() % 2 == 0 ? range : decltype(range)();
        if (dice < 4 && index.alive(where).size() < 20)
            born(index.create(where));
        else if (dice == 4 && index.alive(where).size() < 10) {
            for (const S id : list(index.create_n(where, random() % 8))) born(id);
        } else if (dice < 11) {
            const auto living = index.alive(where);
            const S id = dice < 9 && !living.empty() ? living[random() % living.size()] : S(random() % 80, random() % 8);
            const bool lives = model.contains(id.index()) && model.at(id.index()).first == id;
            CHECK(index.destroy(id) == lives);
            if (lives) model.erase(id.index());
        } else if (dice == 11) {
            const S id(random() % 80, random() % 8);
            const bool lived = index.is_alive(id);
            if (index.make_alive(id) && !lived) born(id);
        } else if (dice == 12) {
            for (auto& [at, entry] : model) {
                entry.second = {at, static_cast<std::uint32_t>(step)};
                index.at(entry.first) = entry.second;
            }
        } else if (dice == 13) {
            EntityIndex<S, Place> restored;
            restored.restore(index.snapshot());
            CHECK(restored == index);
        } else if (step % 100 == 0) {
            index.clear();
            model.clear();
        } else if (step % 100 == 1)
            index.shrink_to_fit();
        bool agree = index.size() == model.size() && mirror.rows == list(index.alive(range)) && mirror.intact;
        for (const auto& [at, entry] : model)
            agree = agree && index.is_alive(entry.first) && index.at(entry.first) == entry.second;
        for (const S id : index.dead()) agree = agree && !model.contains(id.index());
        agree = agree && foresees(index, range, 40) && (step % 8 != 0 || foresees(index));
        REQUIRE(agree);
        REQUIRE(index.check_invariants());
        if (index.retired() > 8) break; // soon there would be no ids left
    }
    CHECK(issued.size() > 500);
}

TEST_CASE("EntityIndex: copies, moves and swaps keep ids, order and locations; what was moved from is as new", "[sparse]") {
    const EveryByteReturned scope;
    using A = StatefulAllocator<std::byte>;
    using Checked = IndexOver<A>;
    Checked index(A(1));
    const auto range = index.add_range(10, 20);
    index.create_n(3);
    index.create_n(range, 2);
    index.destroy(E(1, 1));
    *index.location(E(2, 1)) = {5, 6};
    const Checked copy(index);
    CHECK(copy.get_allocator().id() == 101);
    CHECK(copy == index);
    const auto is_new = [](Checked& from) {
        CHECK(from.empty());
        CHECK(from.check_invariants()); // NOLINT(clang-analyzer-cplusplus.Move)
        const Checked none;
        CHECK(from == none);
        CHECK(from.create() == E(0, 1));
        from = Checked(from.get_allocator());
    };
    Checked moved(std::move(index));
    CHECK(moved == copy);
    is_new(index);
    Checked elsewhere(std::move(moved), A(7));
    CHECK(elsewhere == copy);
    is_new(moved);
    Checked assigned(A(3));
    assigned.create_n(9);
    assigned = std::move(elsewhere); // another allocator, which stays
    CHECK(assigned == copy);
    CHECK(assigned.get_allocator().id() == 3);
    is_new(elsewhere);
    Checked other(A(3));
    other.create();
    swap(assigned, other);
    CHECK(other == copy);
    CHECK(assigned.size() == 1);
    Checked unequal(A(4));
    swap(other, unequal);
    CHECK(unequal == copy);
    CHECK(unequal.get_allocator().id() == 4);
    CHECK(other.empty());
    swap(other, unequal);
    assigned = other;
    CHECK(assigned == copy);
    auto& self = assigned;
    assigned = self;
    CHECK(assigned == copy);
    CHECK(assigned.check_invariants());
}

TEST_CASE("EntityIndex: bytes that are no snapshot are refused in words and change nothing", "[sparse]") {
    using S = Small<4, 3>;
    EntityIndex<S, Place> index;
    index.add_range(8, 12);
    index.create_n(4);
    index.destroy(S(2, 1));
    for (int i = 0; i != 4; ++i) index.destroy(S(1, static_cast<std::uint32_t>(1 + 2 * i))), index.create();
    const auto bytes = index.snapshot();
    const auto before = index;
    EntityIndex<S, Place> target = index;
    CHECK(thrown_text<std::invalid_argument>([&] {
              target.restore(std::vector<std::byte>(30));
          }).find("snapshot: these bytes") == 0);
    for (std::size_t length = 0; length != bytes.size(); ++length) CHECK(target.try_restore({bytes.data(), length}) != nullptr);
    for (std::size_t i = 0; i != bytes.size(); ++i)
        for (const unsigned flip : {1u, 2u, 128u}) {
            auto damaged = bytes;
            damaged[i] ^= static_cast<std::byte>(flip);
            CHECK(target.try_restore(damaged) != nullptr);
            damaged = test::reseal(damaged);
            EntityIndex<S, Place> read;
            if (read.try_restore(damaged) != nullptr) continue;
            CHECK(read.check_invariants()); // another state, and no other bytes for it
            CHECK(read.snapshot() == damaged);
        }
    for (std::size_t length = 0; length != test::OpenSnapshot(bytes).state.size(); ++length)
        CHECK(target.try_restore(test::forged(bytes, [&](auto& state) { state.resize(length); })) != nullptr);
    const auto longer = test::forged(bytes, [](auto& state) { state.push_back(std::byte{0}); });
    CHECK(target.try_restore(longer) != nullptr);
    CHECK(target == before);
    EntityIndex<E, Place> wide;
    CHECK(wide.try_restore(bytes) != nullptr);
    EntityIndex<S, int> other_location;
    CHECK(other_location.try_restore(bytes) != nullptr);
}

TEST_CASE("EntityIndex: ids that are taken back are as never created", "[sparse]") {
    EntityIndex<E, Place> index;
    std::vector<E> ids;
    for (int i = 0; i != 6; ++i) ids.push_back(index.create());
    index.destroy(ids[1]);
    index.destroy(ids[4]);
    const auto before = index;
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) { // dead ones, and fresh ones behind them
        const auto made = index.create_n(count);
        const std::vector<E> same(made.begin(), made.end());
        *index.location(same.back()) = Place{7, 7};
        index[same.front()] = Place{8, 8};
        index.take_back(count);
        CHECK(index == before);
        CHECK(index.check_invariants());
        CHECK_FALSE(index.is_alive(same.back()));
        for (const E id : same) CHECK(index.create() == id);
        CHECK(*index.location(same.back()) == Place{});
        index.take_back(count);
    }
    const E far(1000, 5);
    CHECK(index.make_alive(far));
    index.take_back(1);
    CHECK_FALSE(index.is_alive(far));
    CHECK(index.make_alive(far));
    CHECK(index.check_invariants());
}

TEST_CASE("EntityIndex, SwitchMap, SparseSet, SparseMap: the pmr aliases draw all memory from their resource", "[sparse]") {
    std::pmr::monotonic_buffer_resource arena(1 << 16);
    slotwise::pmr::EntityIndex<E, Place> index(&arena);
    slotwise::pmr::SwitchMap<E, std::pmr::string> map(&arena);
    slotwise::pmr::SparseSet<E> set(&arena);
    slotwise::pmr::SparseMap<E, std::pmr::string> names(&arena);
    const E id = index.create();
    map.set(id, "a text that does not fit into the string itself");
    CHECK(map.get(id)->get_allocator().resource() == &arena);
    CHECK(set.insert(id).inserted);
    CHECK(names.try_emplace(id, "another text that does not fit in there").inserted);
    CHECK(names.get(id)->get_allocator().resource() == &arena);
    CHECK(index.get_allocator().resource() == &arena);
}

TEST_CASE(
    "EntityIndex: a reserved id is nobody's until it is fulfilled or cancelled; an observer that refuses it changes nothing",
    "[sparse][throws]") {
    Index index;
    const auto range = index.add_range(100, 110);
    const E ada = index.create(), bob = index.create(), far = index.create(range);
    Mirror<Index> mirror(index, {});
    const auto token = index.attach(mirror);
    REQUIRE((index.erase_reserved(ada) && !index.erase_reserved(ada) && index.erase_reserved(far)));
    REQUIRE((mirror.intact && list<E>(mirror.rows) == list(index.alive()) && index.reserved() == 2));
    REQUIRE((index.explain(ada) == HandleStatus::reserved && !index.make_alive(ada) && index.create().index() == 2));
    REQUIRE_FALSE(index.make_alive(E(ada.index(), ada.version() + 2)));
    for (int i = 0; i != 9; ++i) REQUIRE(index.create(range).index() != far.index());
    REQUIRE_THROWS_AS(index.create(range), std::length_error);
#if defined(__cpp_exceptions)
    const auto before = index.snapshot();
    mirror.refuses = index.alive().size(); // the row that the id would get
    REQUIRE_THROWS(index.fulfill(ada));
    REQUIRE((index.snapshot() == before && index.check_invariants()));
    mirror.refuses = static_cast<std::size_t>(-1);
#endif
    REQUIRE((index.fulfill(ada) && !index.fulfill(ada) && index.is_alive(ada) && mirror.rows.back() == ada));
    REQUIRE((index.cancel(far) && !index.cancel(far) && index.create(range) == E(far.index(), far.version() + 2)));
    REQUIRE((index.erase_reserved(bob) && index.check_invariants()));
    index.clear();
    REQUIRE((index.reserved() == 0 && index.explain(bob) == HandleStatus::stale && index.check_invariants()));
}
