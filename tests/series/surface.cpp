// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What sets and dictionaries over time have in common with every container: find, braces, columns, swap.

#include "support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

using namespace slotwise;

TEST_CASE("a set over time is assigned keys in braces") {
    TSSStorage<std::string> set;
    {
        auto w = set.write(1);
        w.assign({"a", "b", "b"});
    }
    REQUIRE(set.size() == 2);
    {
        auto w = set.write(2);
        w.assign({"b", "c"});
    }
    REQUIRE((set.was_added("c", 2) && set.was_removed("a", 2) && set.contains("b")));
    {
        auto w = set.write(3);
        w.assign({});
    }
    REQUIRE(set.empty());
    REQUIRE(set.removed(3).size() == 2);
    REQUIRE(set.modified(3));
    REQUIRE(set.check_invariants());
}

TEST_CASE("find gives the element with its slot, or the end") {
    TSSStorage<std::string> set;
    TSDStorage<std::string, int> dict;
    set.write(1).add("a");
    dict.write(1).set("a", 7);
    REQUIRE(*set.find("a") == "a");
    REQUIRE(set.find(std::string_view("b")) == set.end());
    const auto it = dict.find("a");
    REQUIRE((it->key == "a" && it->value == 7 && it.slot() == dict.slot_of("a") && it.handle() == dict.handle_of("a")));
    REQUIRE(dict.find("b") == dict.end());
    dict.write(2).remove("a");
    REQUIRE(dict.find("a") == dict.end());
    static_assert(std::is_const_v<std::remove_reference_t<decltype(it->value)>>); // written through writers only
}

TEST_CASE("time stamps are a column: contiguous, live ones only, the lowest value for never") {
    TSDStorage<int, double> dict;
    {
        auto w = dict.write(3);
        for (int key = 0; key != 100; ++key) w.set(key, 0.5);
        w.create(100);
        w.remove(7);
    }
    const auto stamps = dict.stamps();
    std::size_t live = 0, written = 0;
    for (const auto& chunk : stamps.chunks()) {
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(chunk.values[0])>, std::int64_t>);
        live += chunk.live.count();
    }
    stamps.for_each([&](std::int64_t time) { written += time == 3 ? 1u : 0u; });
    REQUIRE(live == 100);
    REQUIRE(written == 99);
    REQUIRE(stamps[dict.slot_of(100)] == std::numeric_limits<std::int64_t>::min());
    REQUIRE(dict.times().at(dict.as_set().slot_of_any(7)) == 3); // removed, readable
    REQUIRE(dict.count_valid() == 99);
}

TEST_CASE("the container inside a series has the options of the series, and its erase is deferred") {
    constexpr SeriesOptions options{.exhaustion = Exhaustion::wrap,
                                    .reuse = Reuse::fifo,
                                    .page_slots = 128,
                                    .handle = {.index_bits = 16, .version_bits = 16, .user_bits = 0},
                                    .max_slots = 1000};
    const KeySetOptions inside = options.key_set();
    CHECK(inside.deferred_erase);
    CHECK(inside.exhaustion == Exhaustion::wrap);
    CHECK(inside.reuse == Reuse::fifo);
    CHECK(inside.page_slots == 128);
    CHECK(inside.handle.index_bits == 16);
    CHECK(inside.max_slots == 1000);
}
