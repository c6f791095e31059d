// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Snapshots of keyed containers: exact continuation. Untrusted bytes are in snapshot_hostile.cpp.
#include "text_codec.hpp"

#include <slotwise/keyed/map_storage.hpp>

namespace {

using namespace test;

template <bool Deferred, Reuse R, Exhaustion E>
constexpr KeySetOptions tiny{.deferred_erase = Deferred,
                             .exhaustion = E,
                             .reuse = R,
                             .page_slots = 64,
                             .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}};

template <KeySetOptions O>
using TextMap = MapStorage<std::string, Tracked, Options<O>>;

/// A history with holes, pending elements, a version floor, and retired slots where slots retire.
template <class Map>
Map lived(std::uint64_t seed, int steps) {
    Map map;
    Random random(seed);
    for (int i = 0; i != steps && map.size() + map.pending() + map.retired() + 2 < Map::max_size(); ++i) {
        const auto key = make_key<std::string>(static_cast<int>(random.below(60)));
        if (random.chance(55))
            map.try_emplace(key, i);
        else
            map.erase(key);
        if (random.chance(5)) map.flush_removed();
        if (random.chance(3)) map.shrink_to_fit();
        if (random.chance(1)) map.clear();
    }
    if (Map::options.exhaustion == Exhaustion::retire)
        for (int i = 0; i != 80 && map.retired() == 0; ++i) {
            map.try_emplace("worn out", 0);
            map.erase("worn out");
            map.flush_removed();
        }
    for (int i = 0; i != 20; ++i) map.erase(make_key<std::string>(i));
    return map;
}

/// The handles that the next calls give.
template <class Map>
auto futures_of(Map& map, int first) {
    std::vector<typename Map::handle_type> given;
    for (int i = 0; i != 40 && map.size() + map.pending() + map.retired() < Map::max_size(); ++i) {
        given.push_back(map.handle_at(map.try_emplace(make_key<std::string>(first + i), i).it.slot()));
        if (i % 3 == 2) map.erase(make_key<std::string>(first + i - 1));
        if (i == 25) map.flush_removed();
    }
    return given;
}

template <class Map>
void same_state(const Map& a, const Map& b) {
    REQUIRE(a == b);
    REQUIRE(a.retired() == b.retired());
    REQUIRE(a.pending() == b.pending());
    std::vector<slot_t> order_a, order_b;
    a.for_each_pending([&](slot_t slot) { order_a.push_back(slot); });
    b.for_each_pending([&](slot_t slot) { order_b.push_back(slot); });
    REQUIRE(order_a == order_b);
    for (slot_t slot = 0; slot != Map::max_size() + 4; ++slot) {
        REQUIRE(a.state(slot) == b.state(slot));
        REQUIRE(a.handle_at(slot) == b.handle_at(slot));
        if (a.state(slot) != SlotState::live && a.state(slot) != SlotState::pending) continue;
        REQUIRE(a.key(slot) == b.key(slot));
        REQUIRE(a.value(slot) == b.value(slot));
    }
}

template <KeySetOptions O>
void continues() {
    NothingLeaks objects;
    using Map = TextMap<O>;
    std::size_t retired = 0, pending = 0;
    for (std::uint64_t seed = 1; seed != 16; ++seed) {
        CAPTURE(seed);
        Map map = lived<Map>(seed, static_cast<int>(seed) * 20);
        const auto bytes = map.snapshot(TextCodec());
        Map restored;
        restored.try_emplace("goes", 1);
        restored.restore(bytes, TextCodec());
        REQUIRE(restored.check_invariants());
        REQUIRE(restored.snapshot(TextCodec()) == bytes);
        same_state(restored, map);
        retired += map.retired();
        pending += map.pending();
        for (int round = 0; round != 3; ++round) {
            REQUIRE(futures_of(restored, 100 * round) == futures_of(map, 100 * round));
            if (round == 0) map.shrink_to_fit(), restored.shrink_to_fit();
            if (round == 1) map.clear(), restored.clear();
            REQUIRE(restored.check_invariants());
            same_state(restored, map);
            REQUIRE(restored.snapshot(TextCodec()) == map.snapshot(TextCodec()));
        }
    }
    if (O.exhaustion == Exhaustion::retire) REQUIRE(retired > 0);
    REQUIRE((pending > 0) == O.deferred_erase);
}

} // namespace

TEMPLATE_TEST_CASE_SIG("a restored map has the same slots, handles and pending elements, and the same future", "[snapshot]",
                       ((slotwise::Reuse R), R), slotwise::Reuse::lifo, slotwise::Reuse::fifo, slotwise::Reuse::lowest) {
    continues<tiny<false, R, Exhaustion::retire>>();
    continues<tiny<true, R, Exhaustion::retire>>();
}

TEST_CASE("a restored map whose versions wrap has the same future", "[snapshot]") {
    continues<tiny<true, Reuse::fifo, Exhaustion::wrap>>();
}

TEST_CASE("empty, cleared and reset containers remember their versions in a snapshot", "[snapshot]") {
    KeySet<int> set, restored;
    restored.insert(5);
    restored.restore(set.snapshot());
    REQUIRE(restored.empty());
    const auto first = set.handle_at(set.insert(1).it.slot());
    set.clear();
    restored.restore(set.snapshot());
    const auto second = restored.handle_at(restored.insert(1).it.slot());
    REQUIRE(second.index() == first.index());
    REQUIRE(second.version() > first.version());
    REQUIRE_FALSE(restored.contains(first));
    set.insert(1);
    set.reset();
    restored.restore(set.snapshot());
    REQUIRE(restored.capacity() == 0);
    REQUIRE(restored.handle_at(restored.insert(1).it.slot()) == set.handle_at(set.insert(1).it.slot()));
    REQUIRE_FALSE(restored.contains(first));
    REQUIRE_FALSE(restored.contains(second));
    REQUIRE(restored.check_invariants());
}

TEST_CASE("a pending element that cannot live again is restored beside the live one with its key", "[snapshot]") {
    constexpr KeySetOptions two_lives{
        .deferred_erase = true, .page_slots = 64, .handle = {.index_bits = 8, .version_bits = 2, .user_bits = 6}};
    MapStorage<int, int, Options<two_lives>> map, restored;
    map[7] = 1;
    map.erase(7);
    map[7] = 2;
    map.erase(7); // spent
    map[7] = 3;
    restored.restore(map.snapshot());
    REQUIRE(restored.at(7) == 3);
    REQUIRE(restored.pending() == 1);
    REQUIRE(restored.value(0) == 2);
    REQUIRE(restored.check_invariants());
    map.erase(7); // both pending
    restored.restore(map.snapshot());
    REQUIRE(restored.pending() == 2);
    REQUIRE(restored.try_emplace(7, 4).it.slot() == 1);
    REQUIRE(restored.check_invariants());
    restored.flush_removed();
    REQUIRE(restored.retired() == 1);
    REQUIRE(restored.at(7) == 4);
}

TEST_CASE("colliding keys of a snapshot do not bring back the entry of an element whose key lives in another slot",
          "[snapshot]") {
    constexpr KeySetOptions two_lives{
        .deferred_erase = true, .page_slots = 64, .handle = {.index_bits = 8, .version_bits = 2, .user_bits = 6}};
    struct SameHash {
        std::size_t operator()(int) const noexcept { return 5; }
    };
    MapStorage<int, int, HashBy<SameHash>, Options<two_lives>> map, restored;
    for (int life = 0; life != 2; ++life) {
        map[7] = life;
        map.erase(7);
    }
    map[7] = 3;                                            // in another slot; the first one is spent and waits for the flush
    for (int key = 100; key != 160; ++key) map[key] = key; // more than a group and its count hold: the index takes a seed
    restored.restore(map.snapshot());
    REQUIRE(restored.check_invariants());
    REQUIRE(restored.at(7) == 3);
    REQUIRE(restored.pending() == 1);
    REQUIRE(restored == map);
}

TEST_CASE("hash and equality with state stay those of the target", "[snapshot]") {
    struct Remainder {
        unsigned divisor = 10;
        std::size_t operator()(unsigned key) const noexcept { return key % divisor; }
    };
    struct Same {
        unsigned divisor = 10;
        bool operator()(unsigned a, unsigned b) const noexcept { return a % divisor == b % divisor; }
    };
    using Set = KeySet<unsigned, HashBy<Remainder>, EqualBy<Same>>;
    Set tens(Remainder{10}, Same{10}), hundreds(Remainder{100}, Same{100});
    tens.insert(3);
    tens.insert(14);
    hundreds.restore(tens.snapshot());
    REQUIRE(hundreds.hash_function().divisor == 100);
    REQUIRE(hundreds.contains(103u));
    REQUIRE_FALSE(hundreds.contains(13u));
    hundreds.insert(13);
    REQUIRE(hundreds.size() == 3);
    // Two keys of these bytes are one key there: refused, and the target stays.
    const char* const error = tens.try_restore(hundreds.snapshot());
    REQUIRE(error != nullptr);
    REQUIRE(std::string(error).find("twice") != std::string::npos);
    REQUIRE(tens.size() == 2);
    REQUIRE(tens.check_invariants());
}

TEST_CASE("static columns are restored with their elements, pending ones too", "[snapshot]") {
    using Names = ValueArray<std::string>;
    MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>, Names> map, restored;
    map[1] = 10;
    map[2] = 20;
    map.observer<0>()[0] = "written";
    map.observer<0>()[1] = "too";
    map.erase(2);
    restored.restore(map.snapshot());
    REQUIRE(restored.at(1) == 10);
    REQUIRE(restored.value(1) == 20);
    REQUIRE(restored.observer<0>()[0] == "written");
    REQUIRE(restored.observer<0>()[1] == "too");
    REQUIRE(restored.snapshot() == map.snapshot());
    REQUIRE(restored.check_invariants());
    // Left out in both places, and refused where only one of them says so.
    const auto without = map.snapshot(dropping<Names>());
    REQUIRE(std::string(restored.try_restore(without)).find("a column was dropped") != std::string::npos);
    REQUIRE(std::string(restored.try_restore(map.snapshot(), dropping<Names>())).find("this restore drops") !=
            std::string::npos);
    REQUIRE(restored.observer<0>()[0] == "written");
    restored.restore(without, dropping<Names>());
    REQUIRE(restored.observer<0>()[0].empty());
    REQUIRE(restored.observer<0>()[1].empty());
    REQUIRE(restored.check_invariants());
}
