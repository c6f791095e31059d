// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapOptions::zero_vacant: a slot without an element reads as zero bytes also when its element, a column, an observer or
// the allocator has thrown, whatever was written there before.
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/slot_map.hpp>

#include <memory>
#include <utility>

#if defined(__cpp_exceptions) // without them nothing is undone: each step would end a process of its own
using namespace slotwise;
using namespace test;

namespace {

/// An element that has written bytes before it throws.
template <bool TrivialEnd>
struct Rows {
    Rows(int to = 0x5A5A5A5A) : number(to) {
        Budget::spend();
        more = to;
        Budget::spend();
    }
    Rows(const Rows& other) : Rows(other.number) {}
    Rows& operator=(const Rows&) = default;
    ~Rows()
        requires TrivialEnd
    = default;
    ~Rows() { number = -1; }
    int number = 0;
    char between = 'b';
    long long more = 0;
};
struct LoudObserver final : SlotObserver {
    void on_capacity(slot_t before, slot_t now) override {
        if (now > before) Budget::spend();
    }
    void on_insert(slot_t, InsertKind) override { Budget::spend(); }
};

template <class Map>
bool vacant_is_zero(Map& map) {
    // The last slot is taken for the time, so that views reach there.
    using H = typename Map::handle_type;
    const auto end = static_cast<slot_t>(map.capacity());
    H last;
    if (end != 0 && map.state(end - 1) != SlotState::live) {
        last = H(end - 1, 1);
        if (map.insert_at(last, 3) == nullptr) return false;
    }
    bool all = map.check_invariants();
    for (const auto& chunk : std::as_const(map).chunks())
        for (std::size_t i = 0; i != chunk.values.size(); ++i) {
            if (map.state(chunk.first + static_cast<slot_t>(i)) == SlotState::live) continue;
            const auto* const bytes = reinterpret_cast<const unsigned char*>(std::addressof(chunk.values[i]));
            for (std::size_t b = 0; b != sizeof(chunk.values[i]); ++b) all = all && bytes[b] == 0;
        }
    if (!last.is_null()) map.erase(last);
    return all;
}

std::size_t failures = 0;

template <class Map, class Act>
void sweep(const char* function, bool observed, Act&& act) {
    INFO(function << (observed ? ", observed" : ""));
    failures += fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
        Map map;
        LoudObserver observer;
        ObserverToken token;
        for (int i = 0; i != 150; ++i) map.emplace(i + 1);
        for (slot_t slot = 0; slot < 150; slot += 3) map.erase(map.handle_at(slot));
        if (observed) token = map.attach(observer);
        attempt([&] { act(map); });
        REQUIRE(vacant_is_zero(map));
        token.detach();
    });
}
template <class Map>
void sweep_all() {
    using T = typename Map::value_type;
    for (const bool observed : {false, true}) {
        sweep<Map>("emplace", observed, [](Map& map) { map.emplace(7); });
        sweep<Map>("insert", observed, [](Map& map) { map.insert(T(7)); });
        sweep<Map>("insert_with", observed, [](Map& map) { map.insert_with([](auto) { return T(7); }); });
        sweep<Map>("insert_at", observed, [](Map& map) { map.insert_at(typename Map::handle_type(170, 1), 7); });
        sweep<Map>("fulfill", observed, [](Map& map) {
            const auto handle = map.reserve_handle();
            map.fulfill(handle, 7);
        });
        sweep<Map>("reserve", observed, [](Map& map) { map.reserve(1000); });
        sweep<Map>("operator=(other)", observed, [](Map& map) {
            Map other;
            for (int i = 0; i != 5; ++i) other.emplace(i);
            map = other;
        });
        sweep<Map>("extract", observed, [](Map& map) { static_cast<void>(map.extract(map.handle_at(4))); });
        sweep<Map>("erase_if", observed, [](Map& map) {
            map.erase_if([](const T&) {
                Budget::spend();
                return true;
            });
        });
    }
}
constexpr SlotMapOptions small_pages{.page_slots = 64, .zero_vacant = true};

} // namespace

TEST_CASE("SlotMap with zero_vacant: vacant slots are zero bytes, whichever step of whichever function throws",
          "[map][throws]") {
    failures = 0;
    sweep_all<SlotMap<Rows<true>, Options<small_pages>>>();
    sweep_all<SlotMap<Rows<false>, Options<small_pages>, Column<Rows<false>>>>();
    sweep_all<SlotMap<Rows<false>, Options<small_pages>, AllocBy<ThrowingAllocator<Rows<false>>>>>();
    CHECK(failures > 300);
}
#endif
