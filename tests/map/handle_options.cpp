// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Options of slot maps that engines ask for: a null handle of ones, slot 0 that is never issued.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/slots/snapshot.hpp>
#include <slotwise/sparse/entity_index.hpp>
#include <slotwise/sparse/sparse_map.hpp>

#include <set>
#include <stdexcept>

using namespace test;

namespace {

constexpr HandleLayout zeros{.index_bits = 7, .version_bits = 7, .user_bits = 2};
constexpr HandleLayout ones{.index_bits = 7, .version_bits = 7, .user_bits = 2, .null_is_ones = true};
constexpr HandleLayout dense_ones{
    .index_bits = 7, .version_bits = 7, .user_bits = 2, .dense_versions = true, .null_is_ones = true};

template <HandleLayout L, Reuse R = Reuse::lowest>
constexpr SlotMapOptions with_layout{.handle = L, .reuse = R};
template <Reuse R>
constexpr SlotMapOptions from_1{.handle = zeros, .reuse = R, .first_slot = 1};

/// Every bit pattern but those of `live` finds nothing.
template <class Map, class Live>
bool finds_only(const Map& map, const Live& live) {
    using H = typename Map::handle_type;
    for (unsigned bits = 0; bits != 0x10000; ++bits) {
        const auto handle = H::from_bits(static_cast<typename H::bits_type>(bits));
        const bool expected = live.contains(handle.with_user_bits(0));
        if (map.contains(handle) != expected || (map.explain(handle) == HandleStatus::null) != (handle == nullptr))
            return false;
    }
    return true;
}

} // namespace

TEMPLATE_TEST_CASE("where null is all ones the last index is never issued, and nothing else changes", "[null_is_ones]",
                   ALL_STORAGES) {
    const auto run = []<SlotMapOptions O>() {
        using Map = typename TestType::template map<int, O>;
        using H = typename Map::handle_type;
        STATIC_REQUIRE(Map::max_size() == 127);
        Map map;
        std::set<H> live;
        REQUIRE((map.explain(H()) == HandleStatus::null && map.handle_at(slot_t{0}) == nullptr));
        for (unsigned round = 0; round != 3; ++round) {
            for (int i = 0; i != 127; ++i) REQUIRE(live.insert(put(map, i)).second);
            REQUIRE(try_put(map, 1) == nullptr);
            REQUIRE_THROWS_AS(put(map, 1), std::length_error);
            REQUIRE_FALSE((live.contains(H()) || map.contains(H()) || map.erase(H())));
            REQUIRE(finds_only(map, live));
            REQUIRE(map.check_invariants());
            const auto copy = map;
            Map restored;
            restored.restore(map.snapshot());
            REQUIRE((finds_only(copy, live) && finds_only(restored, live)));
            if (round == 0)
                for (const H handle : live) REQUIRE(map.erase(handle));
            else
                map.clear();
            live.clear();
            REQUIRE(finds_only(map, live));
        }
    };
    run.template operator()<with_layout<ones>>();
    run.template operator()<with_layout<ones, Reuse::fifo>>();
    run.template operator()<with_layout<dense_ones, Reuse::lifo>>();
}

TEST_CASE("a null handle of ones is refused where a handle is given", "[null_is_ones]") {
    using Map = SlotMap<int, Options<with_layout<ones>>>;
    using H = Map::handle_type;
    constexpr H null, last(127, 1), good(3, 5);
    Map map;
    for (const H handle : {null, last}) {
        REQUIRE((map.insert_at(handle, 1) == nullptr && !map.cancel(handle) && map.get(handle) == nullptr));
        REQUIRE_THROWS_AS(map.at(handle), std::out_of_range);
    }
    REQUIRE(map.insert_at(good, 1) != nullptr);

    HandlePool<int, Options<with_layout<ones>>> pool;
    REQUIRE((!pool.insert_at(decltype(pool)::handle_type()) && pool.handle_at(0) == nullptr));
    SecondaryMap<H, int> secondary;
    SparseSecondaryMap<H, int> sparse_secondary;
    IdentityMap<int, H> identity;
    SparseMap<H, int> sparse;
    EntityIndex<H, int> index;
    for (const H handle : {null, last}) {
        REQUIRE_FALSE((secondary.insert(handle, 1).inserted || secondary.contains(handle)));
        REQUIRE_FALSE((sparse_secondary.insert(handle, 1).inserted || sparse_secondary.contains(handle)));
        REQUIRE_FALSE((identity.insert(1, handle) || identity.id_of(handle) != nullptr));
        REQUIRE_FALSE((sparse.insert(handle, 1).inserted || sparse.contains(handle)));
        REQUIRE_FALSE((index.make_alive(handle) || index.is_alive(handle)));
    }
    REQUIRE(index.max_size() == 127);
    REQUIRE(
        (secondary.insert(good, 1).inserted && sparse_secondary.insert(good, 1).inserted && sparse.insert(good, 1).inserted));
    REQUIRE((identity.insert(1, good) && identity.erase(1) && identity.insert(2, good)));
    REQUIRE((identity.handle_of(1) == nullptr && identity.handle_of(2) == good && identity.check_invariants()));
    REQUIRE((secondary.check_invariants() && sparse_secondary.check_invariants() && sparse.check_invariants()));

    SetStorage<int, Options<KeySetOptions{.handle = ones}>> set;
    for (int i = 0; i != 127; ++i) REQUIRE(set.insert(i).it.handle() != nullptr);
    REQUIRE_THROWS_AS(set.insert(127), std::length_error);
    REQUIRE((set.handle_of(127) == nullptr && set.explain(decltype(set)::handle_type()) == HandleStatus::null &&
             !set.contains(decltype(set)::handle_type())));
}

TEST_CASE("bytes of a map with another null handle are refused", "[null_is_ones]") {
    SlotMap<int, Options<with_layout<ones>>> map;
    SlotMap<int, Options<with_layout<zeros>>> other;
    map.insert(1);
    other.insert(1);
    REQUIRE_THROWS(other.restore(map.snapshot()));
    REQUIRE_THROWS(map.restore(other.snapshot()));
    REQUIRE((map.size() == 1 && other.size() == 1));
}

TEMPLATE_TEST_CASE("with first_slot = 1 no element gets slot 0, whatever was done before", "[first_slot]", ALL_STORAGES) {
    const auto run = []<SlotMapOptions O>() {
        using Map = typename TestType::template map<int, O>;
        using H = typename Map::handle_type;
        Map map;
        REQUIRE((map.retired() == 0 && map.capacity() == 0 && map.empty() && !map.full()));
        REQUIRE((!put_at(map, H(0, 1), 1) && map.capacity() == 0)); // before there is memory
        for (unsigned round = 0; round != 4; ++round) {
            std::set<H> live;
            for (slot_t i = 1; i != 128; ++i) {
                const H handle = i % 5 == 3 ? map.reserve_handle() : put(map, static_cast<int>(i));
                if (i % 5 == 3) REQUIRE(fulfill(map, handle, 7));
                REQUIRE((live.insert(handle).second && handle.index() != 0));
            }
            REQUIRE((map.full() && try_put(map, 1) == nullptr && map.size() == 127 && map.retired() == 1));
            REQUIRE_THROWS_AS(put(map, 1), std::length_error);
            REQUIRE_THROWS_AS(map.reserve(128), std::length_error);
            REQUIRE((map.handle_at(slot_t{0}) == nullptr && map.state(0) == SlotState::retired && finds_only(map, live)));
            REQUIRE((map.recycle_retired() == 0 && map.retired() == 1 && map.check_invariants()));
            for (std::uint32_t version = 1; version < 128; version += 2) {
                REQUIRE_FALSE(put_at(map, H(0, version), 1));
                REQUIRE(map.explain(H(0, version)) == HandleStatus::retired);
            }
            Map copy = map, restored;
            Map moved = std::move(copy);
            restored.restore(map.snapshot());
            REQUIRE((finds_only(moved, live) && finds_only(restored, live) && put(copy, 1).index() == 1));
            moved.clear();
            restored.clear();
            REQUIRE((put(moved, 1) == put(restored, 1) && moved.check_invariants() && restored.check_invariants()));
            if (round % 2 == 0)
                for (const H handle : live) REQUIRE(map.erase(handle));
            else
                map.clear();
            if (round == 1) map.shrink_to_fit();
            REQUIRE((map.empty() && map.retired() == 1 && map.check_invariants()));
        }
        Map chosen;
        REQUIRE((put_at(chosen, H(3, 1), 3) && chosen.size() == 1 && chosen.retired() == 1));
        const slot_t next = put(chosen, 1).index();
        REQUIRE((next == 1 || next == 2 || next == 4));
        chosen.restore(Map().snapshot());
        REQUIRE((chosen.empty() && put(chosen, 1).index() == 1));
    };
    run.template operator()<from_1<Reuse::lowest>>();
    run.template operator()<from_1<Reuse::fifo>>();
    run.template operator()<from_1<Reuse::lifo>>();
}

TEMPLATE_TEST_CASE("slot 0 counts for limits and room, before and after there is memory", "[first_slot]", ALL_STORAGES) {
    using Map = typename TestType::template map<int, from_1<Reuse::lowest>>;
    Map map;
    for (const std::size_t limit : {0u, 1u}) {
        REQUIRE(map.set_max_slots(limit));
        REQUIRE((map.full() && try_put(map, 1) == nullptr));
        REQUIRE_THROWS_AS(put(map, 1), std::length_error);
        REQUIRE_THROWS_AS(map.reserve(1), std::length_error);
        map.reserve(0);
        REQUIRE(map.capacity() == 0);
    }
    REQUIRE(map.set_max_slots(2));
    REQUIRE((!map.full() && put(map, 1).index() == 1 && map.full()));
    REQUIRE(map.set_max_slots(100));
    map.reserve(99);
    const std::size_t room = map.capacity();
    for (int i = 1; i != 99; ++i) put(map, i);
    REQUIRE((map.capacity() == room && map.full() && map.size() == 99));
    map.clear();
    REQUIRE((!map.set_max_slots(0) && map.set_max_slots(1) && map.full()));
}

TEST_CASE("a retired slot becomes usable again, slot 0 does not; bytes with an element there are refused", "[first_slot]") {
    constexpr HandleLayout brief{.index_bits = 7, .version_bits = 1, .user_bits = 8};
    HandlePool<int, Options<SlotMapOptions{.handle = brief, .first_slot = 1}>> pool;
    HandlePool<int, Options<SlotMapOptions{.handle = brief}>> from_0;
    REQUIRE((pool.erase(pool.create()) && pool.erase(pool.create()) && pool.retired() == 3));
    REQUIRE((pool.recycle_retired() == 2 && pool.retired() == 1 && pool.create().index() == 1 && pool.check_invariants()));
    from_0.create();
    REQUIRE(pool.try_restore(from_0.snapshot()) != nullptr);
    REQUIRE((pool.size() == 1 && from_0.try_restore(pool.snapshot()) == nullptr && from_0.create().index() == 2));
    REQUIRE((pool.try_restore(from_0.snapshot()) == nullptr && pool.size() == 2 && pool.check_invariants()));
}
