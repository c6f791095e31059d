// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Handles of any bit pattern: all 65536 of a 16-bit layout, asked of maps with live, vacant, reserved, retired and shrunk
// slots.
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <map>
#include <set>

namespace {

using namespace test;

template <Reuse R, Exhaustion E>
inline constexpr SlotMapOptions small{
    .handle = {.index_bits = 8, .version_bits = 5, .user_bits = 3}, .reuse = R, .exhaustion = E, .max_slots = 200};

template <class Map>
struct Victim {
    using handle_type = typename Map::handle_type;
    Map map{};
    std::map<handle_type, int> live{};
    std::set<handle_type> reserved{};

    explicit Victim(std::uint64_t seed) {
        Random random(seed);
        for (int step = 0; step != 1500; ++step) {
            const bool room = map.size() + map.retired() + reserved.size() < Map::max_size();
            if (room && random.chance(live.size() < 90 ? 60 : 40)) {
                if (random.chance(10))
                    reserved.insert(map.reserve_handle());
                else
                    live.emplace(put(map, step), step);
            } else if (!live.empty()) {
                const auto at = std::next(live.begin(), random.below(live.size()));
                REQUIRE(map.erase(at->first));
                live.erase(at);
            }
            if (!reserved.empty() && random.chance(5)) {
                REQUIRE(map.cancel(*reserved.begin()));
                reserved.erase(reserved.begin());
            }
        }
        // One slot to its last version, so that a retired one is there.
        for (int i = 0; i != 400 && Map::options.exhaustion == Exhaustion::retire && map.retired() == 0; ++i)
            map.erase(put(map, 0));
        if (seed % 2 == 0) {
            for (auto at = live.begin(); at != live.end();) {
                if (at->first.index() < 60)
                    ++at;
                else {
                    map.erase(at->first);
                    at = live.erase(at);
                }
            }
            map.shrink_to_fit();
        }
        REQUIRE(map.check_invariants());
        REQUIRE(live.size() > 20);
    }

    static handle_type pattern(unsigned bits) {
        return handle_type::from_bits(static_cast<typename handle_type::bits_type>(bits));
    }
    static handle_type plain(handle_type handle) { return handle.with_user_bits(0); }
    bool is_live(handle_type handle) const { return live.contains(plain(handle)); }
    bool is_reserved(handle_type handle) const { return reserved.contains(plain(handle)); }
};

template <class Map>
void look_up_all(std::uint64_t seed) {
    const Victim<Map> victim(seed);
    const Map& map = victim.map;
    std::size_t found = 0, statuses[7] = {};
    for (unsigned bits = 0; bits != 65536; ++bits) {
        const auto handle = victim.pattern(bits);
        const bool live = victim.is_live(handle);
        found += live;
        const auto status = map.explain(handle);
        ++statuses[static_cast<std::size_t>(status)];
        bool right = map.contains(handle) == live && (map.get(handle) != nullptr) == live &&
                     (status == HandleStatus::live) == live &&
                     (status == HandleStatus::reserved) == victim.is_reserved(handle) &&
                     (status == HandleStatus::null) == handle.is_null() &&
                     (!(status == HandleStatus::out_of_range) || handle.index() >= map.capacity());
        if (live) right = right && number_of(map, handle) == victim.live.at(victim.plain(handle));
        if constexpr (is_paged<Map>) right = right && (map.values().get(handle) != nullptr) == live;
        const auto state = map.state(handle.index());
        right = right && (map.handle_at(handle.index()).is_null() == (state != SlotState::live));
        if (!right) {
            CAPTURE(seed, handle, bits, static_cast<int>(status));
            REQUIRE(right);
        }
    }
    REQUIRE(found == victim.live.size() * 8); // with each of the eight user bit patterns
    REQUIRE(statuses[static_cast<std::size_t>(HandleStatus::null)] == 1);
    REQUIRE(statuses[static_cast<std::size_t>(HandleStatus::stale)] > 0);
    REQUIRE(statuses[static_cast<std::size_t>(HandleStatus::reserved)] == victim.reserved.size() * 8);
    REQUIRE((statuses[static_cast<std::size_t>(HandleStatus::retired)] > 0) == (map.retired() != 0));
    for (const unsigned bits : {0u, 1u, 0x7FFFu, 0xFFFFu, 0x8000u})
        if (!victim.is_live(victim.pattern(bits))) {
            REQUIRE_THROWS_AS(map.at(victim.pattern(bits)), std::out_of_range);
            const auto [null, same] = map.get_many(victim.pattern(bits), victim.pattern(bits));
            REQUIRE((null == nullptr && same == nullptr));
        }
}

template <class Map>
void write_through_all(std::uint64_t seed) {
    Victim<Map> victim(seed);
    Map& map = victim.map;
    const auto before = contents(map);
    const auto some_live = victim.live.begin()->first;
    std::size_t refused = 0;
    for (unsigned bits = 0; bits != 65536; ++bits) {
        const auto handle = victim.pattern(bits);
        bool touched = false;
        if (!victim.is_live(handle))
            touched =
                map.erase(handle) || map.extract(handle).has_value() || map.swap_values(handle, some_live) || ++refused == 0;
        if (!victim.is_reserved(handle)) touched = touched || map.cancel(handle) || fulfill(map, handle, -1) || ++refused == 0;
        if (touched) {
            CAPTURE(seed, handle);
            REQUIRE_FALSE(touched);
        }
    }
    REQUIRE(refused > 65536);
    REQUIRE(contents(map) == before);
    REQUIRE(map.check_invariants());
    for (const auto handle : victim.reserved) REQUIRE(fulfill(map, handle, 1));
}

// insert_at takes what it is given or refuses it; either way no other element's handle resolves afterwards.
template <class Map>
void insert_at_all(std::uint64_t seed) {
    Victim<Map> victim(seed);
    Map& map = victim.map;
    const auto before = contents(map);
    std::size_t taken = 0, refused = 0;
    for (unsigned bits = 0; bits != 65536; ++bits) {
        const auto handle = victim.pattern(bits);
        const auto size = map.size();
        const auto state = map.state(handle.index());
        const bool may = handle.version() % 2 == 1 && handle.index() < Map::max_size() && state == SlotState::free;
        bool right = true;
        if (put_at(map, handle, 12345)) {
            ++taken;
            right = may && map.contains(handle) && number_of(map, handle) == 12345 && map.size() == size + 1 &&
                    map.handle_at(handle.index()) == victim.plain(handle) && map.erase(handle) && !map.contains(handle);
        } else {
            ++refused;
            right = map.size() == size && map.state(handle.index()) == state;
            if (Map::options.exhaustion == Exhaustion::wrap) right = right && !may;
        }
        right = right && (bits % 1024 != 0 || map.check_invariants());
        if (!right) {
            CAPTURE(seed, handle, bits);
            REQUIRE(right);
        }
    }
    REQUIRE(taken > 100);
    REQUIRE(refused > 100);
    REQUIRE(contents(map) == before);
    REQUIRE(map.check_invariants());
    for (const auto handle : victim.reserved) REQUIRE(map.cancel(handle));
    while (map.size() + map.retired() < Map::max_size()) put(map, 1);
    REQUIRE(map.check_invariants());
}

template <class Storage, class Test>
void on_all_policies(Test test) {
    test.template operator()<typename Storage::template map<int, small<Reuse::lifo, Exhaustion::retire>>>();
    test.template operator()<typename Storage::template map<int, small<Reuse::fifo, Exhaustion::wrap>>>();
    test.template operator()<typename Storage::template map<int, small<Reuse::lowest, Exhaustion::retire>>>();
}

} // namespace

TEMPLATE_TEST_CASE("any bit pattern may be looked up and is found exactly when it names a live element", "[hostile]",
                   ALL_STORAGES) {
    on_all_policies<TestType>([]<class Map> {
        for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) look_up_all<Map>(seed);
    });
}

TEMPLATE_TEST_CASE("erase, extract, swap_values, cancel and fulfill of a hostile handle have no effect", "[hostile]",
                   ALL_STORAGES) {
    on_all_policies<TestType>([]<class Map> {
        for (const std::uint64_t seed : {5u, 6u}) write_through_all<Map>(seed);
    });
}

TEMPLATE_TEST_CASE("insert_at takes exactly this handle or refuses it without effect, whatever the bits", "[hostile]",
                   ALL_STORAGES) {
    on_all_policies<TestType>([]<class Map> {
        for (const std::uint64_t seed : {7u, 8u}) insert_at_all<Map>(seed);
    });
}

TEMPLATE_TEST_CASE("a handle to a slot far beyond is refused by insert_at and claims no memory", "[hostile]", ALL_STORAGES) {
    typename TestType::template map<int> map;
    using handle_type = typename decltype(map)::handle_type;
    const auto one = put(map, 1);
    const auto capacity = map.capacity();
    for (const slot_t far : {slot_t{65536 * 4}, slot_t{1} << 30, no_slot - 1, no_slot}) {
        REQUIRE_FALSE(put_at(map, handle_type(far, 1), 7));
        REQUIRE_FALSE(map.contains(handle_type(far, 1)));
        REQUIRE(map.explain(handle_type(far, 1)) == HandleStatus::out_of_range);
        REQUIRE(map.state(far) == SlotState::free);
        REQUIRE(map.handle_at(far).is_null());
    }
    REQUIRE(map.capacity() == capacity);
    REQUIRE(put_at(map, handle_type(4000, 9), 7));
    REQUIRE(number_of(map, handle_type(4000, 9)) == 7);
    REQUIRE(map.contains(one));
    REQUIRE(map.check_invariants());
    // What was reserved for may be used to its end.
    map.reserve(200'000);
    REQUIRE(put_at(map, handle_type(199'999, 1), 8));
    REQUIRE(map.check_invariants());
}
