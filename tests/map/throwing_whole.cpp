// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A throw at every step of copies, moves, assignments and swaps of slot maps between unequal allocators.
#include "subjects.hpp"

#include "support/thrown.hpp" // with promises_throws.cpp, whose global operator new can fail

#include <algorithm>
#include <string>
#include <vector>

using namespace test;

namespace {

template <class T>
using Failing = StatefulAllocator<T, Propagation{.throws = true}>;
template <class Subject>
using failing = typename Subject::template container<Failing<typename Subject::element>>;

} // namespace

TEMPLATE_TEST_CASE("a copy, move, assignment or swap of a slot map that throws leaves both sound", "[throwing][throws]",
                   test::Paged, test::Dense, test::Soa) {
    sweep_whole<SlotMaps<TestType, Throwing>, failing<SlotMaps<TestType, Throwing>>>();
    sweep_whole<SlotMaps<TestType, ThrowingCopy>, failing<SlotMaps<TestType, ThrowingCopy>>>();
}

TEMPLATE_TEST_CASE("swap_values, sort, erase_if and erase that throw lose no element", "[throwing][throws]", test::Paged,
                   test::Dense, test::Soa) {
    using Map = failing<SlotMaps<TestType, Throwing>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto numbers = [](const Map& map) {
        std::vector<std::pair<typename Map::handle_type, int>> all;
        for (const auto& entry : contents(map)) all.push_back(entry);
        return all;
    };
    const auto sweep = [&](const char* function, bool handles_keep_values, auto&& act) {
        const auto failures = fail_at_every_step(swept<Map>(function), [&](auto&& attempt) {
            Map map = sample<SlotMaps<TestType, Throwing>, Map>(1, 0, 12);
            const auto before = numbers(map);
            const auto size = map.size();
            const bool threw = attempt([&] { act(map); });
            REQUIRE(map.check_invariants());
            if (!threw) return;
            REQUIRE(map.size() <= size);
            if (handles_keep_values)
                for (const auto& [handle, number] : numbers(map))
                    REQUIRE(std::find(before.begin(), before.end(), std::pair(handle, number)) != before.end());
            else
                Census::forget_errors(); // a swap of values that stops half way is the values' own business
        });
        REQUIRE(failures > 0);
    };
    sweep("swap_values", false, [](Map& map) {
        const auto first = *map.handles().begin();
        auto second = map.handles().begin();
        map.swap_values(first, *++second);
    });
    sweep("erase_if", is_paged<Map>, [](Map& map) {
        map.erase_if([](const auto& element) {
            Budget::spend();
            return test::number(element) % 3 == 0;
        });
    });
    if constexpr (!is_paged<Map>) {
        sweep("erase", false, [](Map& map) { map.erase(*map.handles().begin()); });
        sweep("erase_at", false, [](Map& map) { map.erase_at((*map.handles().begin()).index()); });
        if constexpr (is_soa<Map>)
            sweep("sort", false,
                  [](Map& map) { map.template sort<0>([](const Throwing& a, const Throwing& b) { return b < a; }); });
        else
            sweep("sort", false, [](Map& map) { map.sort([](const Throwing& a, const Throwing& b) { return b < a; }); });
    } else {
        never_throws<noexcept(std::declval<Map&>().erase(typename Map::handle_type()))>(swept<Map>("erase"));
        never_throws<noexcept(std::declval<Map&>().erase_at(slot_t{}))>(swept<Map>("erase_at"));
    }
}

TEST_CASE("assigning through a row that throws leaves the other rows", "[throwing][throws]") {
    using Map = failing<SlotMaps<Soa, Throwing>>;
    NothingLeaks objects;
    EveryByteReturned bytes;
    const auto failures = fail_at_every_step(swept<SoaRow<int&>>("operator=(copy)"), [](auto&& attempt) {
        Map map{Failing<Throwing>(1)};
        const auto a = put(map, 1), b = put(map, 2), c = put(map, 3);
        attempt([&] { map[a] = map[b]; });
        REQUIRE(number_of(map, b) == 2);
        REQUIRE(number_of(map, c) == 3);
        REQUIRE(map.check_invariants());
    });
    REQUIRE(failures == 2);
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("bytes that find no memory are not written, those before are", "[throwing][throws]") {
    const auto run = [](const char* function, std::size_t size, auto&& act) {
        const auto failures = run_out_of_memory([&](auto&& attempt) {
            ByteWriter out;
            out.number(std::uint32_t{7});
            const bool threw = attempt([&] { act(out); });
            const auto bytes = out.take();
            REQUIRE((threw ? bytes.size() < 4 + std::max<std::size_t>(size, 1) : bytes.size() == 4 + size));
            ByteReader in(bytes);
            REQUIRE(in.number<std::uint32_t>() == 7);
        });
        REQUIRE(failures > 0);
        report_sweep(swept<ByteWriter>(function), failures);
    };
    run("number", 800, [](ByteWriter& out) {
        for (std::uint64_t i = 0; i != 100; ++i) out.number(i);
    });
    run("raw", 200, [](ByteWriter& out) {
        const char text[200] = {};
        out.raw(text, sizeof text);
    });
    run("numbers", 800, [](ByteWriter& out) {
        const std::uint64_t numbers[100] = {};
        out.numbers(numbers, 100);
    });
    run("reserve", 0, [](ByteWriter& out) { out.reserve(5000); });
    run("(copy)", 0, [](ByteWriter& out) { const ByteWriter copy(out); });
}
#endif

TEST_CASE("when the growth of a second column throws, the first has its values back", "[throwing]") {
    const auto failures = fail_at_every_step([](auto&& attempt) {
        SoaSlotMap<std::string, Throwing> map;
        std::vector<decltype(map)::handle_type> handles;
        for (int i = 0; i != 5; ++i) handles.push_back(map.insert(std::string(40, static_cast<char>('a' + i)), Throwing(i)));
        attempt([&] { map.reserve(4 * map.capacity()); });
        REQUIRE(map.check_invariants());
        for (std::size_t i = 0; i != handles.size(); ++i) {
            const auto [text, value] = map.at(handles[i]);
            CHECK(text == std::string(40, static_cast<char>('a' + i)));
            CHECK(value.value() == static_cast<int>(i));
        }
    });
    CHECK(failures >= 5);
}
