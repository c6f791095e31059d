// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SparseMap: values beside a model, every kind of element, throws, aliases, re-entrance, chunks, allocators, snapshots.
#include "../support/allocators.hpp"
#include "../support/catch.hpp"
#include "../support/thrown.hpp"
#include "../support/tracked.hpp"

#include <slotwise/sparse/sparse_map.hpp>

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using namespace slotwise;
using namespace test;

namespace {

using H = Handle<struct MapTag>;
using Plain = std::uint32_t;

/// Text that a model compares; a codec exists for it.
int value_of(const int& value) { return value; }
template <class T>
int value_of(const T& value) {
    return value.value();
}

} // namespace

TEMPLATE_TEST_CASE("a SparseMap agrees with a model after each operation, whatever the values", "[sparse]", int, Tracked,
                   MoveOnly, Throwing, ThrowingMoveOnly, OverAligned<4096>, Big) {
    NothingLeaks objects;
    SparseMap<H, TestType> map;
    std::map<slot_t, std::pair<std::uint32_t, int>> model;
    std::mt19937 random(1);
    for (int step = 0; step != (sizeof(TestType) > 100 ? 300 : 3000); ++step) {
        const H id(static_cast<slot_t>(random() % 40 * 100'000), static_cast<slot_t>(random() % 6));
        const auto there = model.find(id.index());
        const bool member = there != model.end() && there->second.first == id.version();
        REQUIRE((map.get(id) != nullptr) == member);
        if (member) REQUIRE((value_of(*map.get(id)) == there->second.second && &map.at(id) == &map[id]));
        switch (random() % 6) {
        case 0:
            REQUIRE(map.erase(id) == member);
            if (member) model.erase(there);
            break;
        case 1: {
            const auto taken = map.extract(id);
            REQUIRE(taken.has_value() == member);
            if (member) model.erase(there);
            break;
        }
        case 2:
            if (!map.empty()) map.swap_rows(random() % map.size(), random() % map.size());
            if (step % 50 == 0) map.sort();
            if (step % 500 == 0) map.clear(), model.clear();
            break;
        default: {
            const bool fits = id.version() % 2 == 1 && (there == model.end() || there->second.first < id.version());
            const auto [it, inserted] = step % 2 == 0 ? map.try_emplace(id, step) : map.insert(id, TestType(step));
            REQUIRE(inserted == fits);
            if (fits) model[id.index()] = {id.version(), step};
            if (it != map.end()) REQUIRE((it->id == id && &it->value == map.get(id) && map.find(id) == it));
        }
        }
        REQUIRE(map.check_invariants());
        REQUIRE(map.size() == model.size());
    }
    std::size_t row = 0;
    for (const TestType& value : std::as_const(map).values()) {
        CHECK(&value == &map.value_at(row));
        CHECK(model.at(map.id_at(row++).index()).second == value_of(value));
    }
    CHECK(row == model.size());
}

TEST_CASE("inserting into a SparseMap moves no value, erasing moves the last one", "[sparse]") {
    SparseMap<Plain, int> map{{1, 10}, {2, 20}, {3, 30}};
    const int *one = map.get(1), *two = map.get(2);
    const auto it = map.find(2);
    for (Plain id = 10; id != 20'000; ++id) map.insert(id, 0);
    map.reserve(100'000);
    CHECK((one == map.get(1) && two == map.get(2) && it->id == 2 && &it->value == two));
    map[19'999] = 7;
    map.erase(2);
    CHECK((map.get(1) == one && map.get(19'999) == two && *two == 7));
}

TEST_CASE("values of a SparseMap that cannot be moved are inserted, read and cleared", "[sparse]") {
    NothingLeaks objects;
    SparseMap<Plain, NonMovable> map;
    for (Plain id = 0; id != 100; ++id) map.try_emplace(id * 999, static_cast<int>(id));
    CHECK_FALSE(map.try_emplace(999, 0).inserted);
    CHECK((map[999].value() == 1 && map.check_invariants()));
    SparseMap<Plain, NonMovable> moved = std::move(map);
    moved.clear();
    CHECK((moved.empty() && objects.alive() == 0));
}

TEST_CASE("values of an empty type take no memory in a SparseMap", "[sparse]") {
    EveryByteReturned bytes;
    using Alloc = StatefulAllocator<Empty>;
    SparseMap<Plain, Empty, AllocBy<Alloc>> tags(Alloc(1));
    for (Plain id = 0; id != 1000; ++id) tags.try_emplace(id);
    CHECK(bytes.live_bytes() < 1024 * sizeof(Plain) + 4096 + 1024); // ids, a page, tables
    std::size_t count = 0;
    tags.for_each([&](Plain, Empty&) { ++count; });
    for (const auto [id, tag] : tags) count += tag == Empty{};
    for (const auto& chunk : tags.chunks()) CHECK(chunk.size() == 1000);
    CHECK((count == 2000 && tags.erase(5) && tags.check_invariants()));
}

TEST_CASE("an isolated id of a SparseMap costs less than 8 KiB, and empty pages are used again or freed", "[sparse]") {
    EveryByteReturned bytes;
    SparseMap<Plain, int, AllocBy<StatefulAllocator<int>>> map;
    for (Plain i = 0; i != 200; ++i) map.insert(0x7FFF'FFFF - i * 1'000'000, 1);
    const std::size_t most = bytes.live_bytes();
    CHECK(most < 200 * 8192);
    for (Plain i = 0; i != 200; ++i) map.erase(0x7FFF'FFFF - i * 1'000'000);
    for (Plain i = 0; i != 200; ++i) map.insert(i * 1'000'000, 1);
    for (Plain i = 0; i != 200; ++i) map.erase(i * 1'000'000);
    CHECK(bytes.live_bytes() < most + 8 * 4200);
    map.shrink_to_fit();
    CHECK(bytes.live_bytes() < 1024);
}

TEST_CASE("chunks of a SparseMap are contiguous rows with their ids", "[sparse]") {
    SparseMap<Plain, int> map;
    for (Plain id = 0; id != 50'000; ++id) map.insert(id * 3, static_cast<int>(id));
    std::size_t rows = 0;
    long sum = 0;
    for (const auto chunk : map.chunks()) {
        REQUIRE((chunk.first == rows && chunk.values().size() == chunk.ids.size() && !chunk.ids.empty()));
        for (std::size_t i = 0; i != chunk.size(); ++i) {
            if (chunk.ids[i] != 3u * static_cast<Plain>(chunk.values()[i])) FAIL("row " << rows + i);
            sum += chunk.values()[i];
        }
        rows += chunk.size();
    }
    CHECK((rows == 50'000 && sum == 49'999L * 25'000));
    for (int& value : map.values()) value = 1;
    sum = 0;
    std::as_const(map).for_each([&](Plain, const int& value) { sum += value; });
    CHECK((sum == 50'000 && map.values()[49'999] == 1 && map.chunks().size() < 20));
    const int* const last = &map.values()[49'999];
    map.erase(0); // the last value is in row 0 now, and the rows behind it are not in the range any more
    CHECK((&map.values()[0] != last && map.value_at(0) == 1 && map.values().size() == 49'999));
    map.clear();
    CHECK((map.chunks().empty() && map.chunks().begin() == map.chunks().end() && map.values().empty()));
}

TEMPLATE_TEST_CASE("an insert into a SparseMap that throws changes nothing", "[sparse][throws]", Throwing, ThrowingCopy,
                   ThrowingMoveOnly) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    using Map = SparseMap<H, TestType, AllocBy<ThrowingAllocator<TestType>>>;
    const auto failures = fail_at_every_step(swept<Map>("try_emplace"), [](auto&& attempt) {
        Map map;
        slot_t count = 0;
        attempt([&] {
            for (; count != 70; ++count) map.try_emplace(H(count * 1000, 1), static_cast<int>(count));
        });
        REQUIRE((map.size() == count && map.check_invariants()));
        for (slot_t i = 0; i != 70; ++i) REQUIRE(map.contains(H(i * 1000, 1)) == (i < count));
        for (; count != 70; ++count) map.try_emplace(H(count * 1000, 1), static_cast<int>(count));
        REQUIRE((map.check_invariants() && map[H(69'000, 1)].value() == 69));
    });
    CHECK(failures > 100);
    fail_at_every_step([](auto&& attempt) {
        Map map;
        for (slot_t i = 0; i != 5; ++i) map.try_emplace(H(i, 1), static_cast<int>(i));
        const bool threw = attempt([&] { map.erase(H(1, 1)); });
        REQUIRE((map.check_invariants() && map.contains(H(1, 1)) == threw && map.size() == (threw ? 5u : 4u)));
    });
    if constexpr (std::is_copy_constructible_v<TestType>) {
        const auto copies = fail_at_every_step(swept<Map>("operator=(copy)"), [](auto&& attempt) {
            Map from, to;
            for (slot_t i = 0; i != 5; ++i) from.try_emplace(H(i, 1), static_cast<int>(i));
            to.try_emplace(H(9, 1), 9);
            const bool threw = attempt([&] { to = from; });
            REQUIRE((to.check_invariants() && (threw ? to.contains(H(9, 1)) && to.size() == 1 : to == from)));
        });
        CHECK(copies > 5);
    }
}

TEST_CASE("a SparseMap keeps its entry when the value that replaces it cannot be built", "[sparse][throws]") {
    NothingLeaks objects;
    const auto failures = fail_at_every_step([](auto&& attempt) {
        SparseMap<H, ThrowingCopy> map;
        map.try_emplace(H(1, 1), 1), map.try_emplace(H(2, 1), 2);
        const bool threw = attempt([&] { map.insert(H(1, 3), map[H(2, 1)]); });
        REQUIRE((map.check_invariants() && map.contains(H(1, threw ? 1 : 3)) && map.size() == 2));
        REQUIRE(map[H(1, threw ? 1 : 3)].value() == (threw ? 1 : 2));
    });
    CHECK(failures >= 1);
}

TEST_CASE("an observer that throws rolls the insert into a SparseMap back", "[sparse][throws]") {
    struct Refusing final : RowObserver {
        void on_insert(std::size_t) override { Budget::spend(), ++rows; }
        void on_erase(std::size_t) noexcept override { --rows; }
        void on_clear() noexcept override { rows = 0; }
        std::size_t rows = 0;
    };
    NothingLeaks objects;
    fail_at_every_step(swept<SparseMap<H, Tracked>>("attach"), [](auto&& attempt) {
        SparseMap<H, Tracked> map;
        Refusing a, b;
        map.try_emplace(H(1, 1), 1), map.try_emplace(H(2, 1), 2);
        RowToken first, second;
        const bool refused = attempt([&] { first = map.attach(a), second = map.attach(b); });
        REQUIRE(a.rows == (first.attached() ? 2u : 0u));
        REQUIRE((b.rows == (second.attached() ? 2u : 0u) && second.attached() != refused));
        const bool threw = attempt([&] { map.try_emplace(H(3, 1), 3), map.try_emplace(H(1, 3), 4); });
        REQUIRE((map.check_invariants() && (refused || a.rows == map.size())));
        REQUIRE(map.contains(H(1, 3)) != threw);
        const bool lost = attempt([&] { map = SparseMap<H, Tracked>(map); });
        REQUIRE((map.empty() == lost || refused || threw));
    });
}

TEST_CASE("arguments of a SparseMap's inserts may refer to its own values", "[sparse]") {
    SparseMap<H, std::string> map;
    map.insert(H(0, 1), std::string(100, 'x'));
    for (slot_t i = 1; i != 500; ++i) map.insert(H(i, 1), map[H(0, 1)]);
    map.insert(H(0, 3), map[H(0, 1)]); // replaces the one it copies
    map.insert(H(7, 3), std::move(map[H(7, 1)]));
    CHECK((map[H(0, 3)] == std::string(100, 'x') && map[H(7, 3)] == map[H(499, 1)] && map.size() == 500));
    map.insert_or_assign(H(499, 1), map[H(499, 1)]);
    CHECK((map.value_or(H(499, 1), "") == std::string(100, 'x') && map.value_or(H(499, 3), "none") == "none"));
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(map.at(H(0, 1))); }).find("get(id)") != std::string::npos);
}

TEST_CASE("constructors and destructors of values may change the SparseMap that calls them", "[sparse]") {
    NothingLeaks objects;
    using Map = SparseMap<H, CallsOnDestroy>;
    Map map;
    const auto inserts = [&map](slot_t index) {
        return [&map, index] { map.try_emplace(H(index, 1), static_cast<int>(index)); };
    };
    map.try_emplace(H(1, 1), 1, inserts(11));
    map.try_emplace(H(2, 1), 2, inserts(12));
    map.try_emplace(H(3, 1), 3, inserts(3));
    map.erase(H(1, 1));
    CHECK((map.contains(H(11, 1)) && map.size() == 3 && map.check_invariants()));
    map.try_emplace(H(3, 3), 33); // the older value inserts itself again when it dies: it is refused
    CHECK((map[H(3, 3)].value() == 33 && map.size() == 3));
    map.try_emplace(H(4, 1), 4, [&] { map.clear(); });
    map.erase(H(4, 1));
    CHECK((map.size() == 1 && map.contains(H(12, 1)))); // what the value of 2 inserted
    map.try_emplace(H(5, 1), 5, inserts(15));
    map.clear();
    CHECK((map.size() == 1 && map.contains(H(15, 1)) && map.check_invariants()));
    struct Nested {
        Nested(SparseMap<H, Nested>& in, slot_t depth) {
            if (depth != 0) in.try_emplace(H(depth, 1), in, depth - 1);
        }
    };
    SparseMap<H, Nested> nested;
    nested.try_emplace(H(50, 1), nested, slot_t{40});
    CHECK((nested.size() == 41 && nested.check_invariants()));
    nested.try_emplace(H(3, 3), nested, slot_t{2});
    CHECK((nested.size() == 41 && nested.contains(H(3, 3))));
}

TEMPLATE_TEST_CASE("copies, moves and swaps of a SparseMap are exact under every allocator", "[sparse][allocators]",
                   (StatefulAllocator<Tracked>), (StatefulAllocator<Tracked, Propagation{true, true, true}>),
                   (StatefulAllocator<Tracked, Propagation{false, false, false, true}>)) {
    NothingLeaks objects;
    EveryByteReturned bytes;
    using Map = SparseMap<Plain, Tracked, AllocBy<TestType>>;
    for (const int second : {1, 2}) {
        Map a(TestType(1)), b(TestType{second});
        for (Plain id = 0; id != 100; ++id) a.insert(id * 50, static_cast<int>(id));
        b.insert(7, 7);
        const Map kept(a, TestType(3)), other = b;
        swap(a, b);
        CHECK((a == other && b == kept && a.check_invariants() && b.check_invariants()));
        a = b;
        CHECK(a == kept);
        b = Map(TestType(5));
        b = std::move(a);
        CHECK((b == kept && a.empty() && b.check_invariants()));
        a.insert(1, 1); // usable
        const Map moved(std::move(b), TestType(4));
        CHECK((moved == kept && b.empty() && moved.get_allocator() == TestType(4)));
    }
}

TEST_CASE("a snapshot of a SparseMap restores values by a codec, and wrong bytes are refused", "[sparse]") {
    SparseMap<H, std::string> map, other;
    map.insert(H(5, 1), "five"), map.insert(H(3, 7), "three");
    const auto bytes = map.snapshot();
    other.restore(bytes);
    CHECK((other == map && other.id_at(0) == H(5, 1) && other.snapshot() == bytes));
    for (std::size_t i = 0; i != bytes.size(); ++i) {
        auto wrong = bytes;
        wrong[i] ^= std::byte{0x80};
        if (other.try_restore(wrong) == nullptr) CHECK(other.snapshot() == wrong);
        CHECK(other.try_restore(std::span(bytes).first(i)) != nullptr);
        REQUIRE(other.check_invariants());
    }
    CHECK(SparseMap<H, int>().try_restore(bytes) != nullptr);
}

TEST_CASE("a SparseMap sorts rows by values or by ids, and erases by a predicate", "[sparse]") {
    SparseMap<Plain, std::unique_ptr<int>> map;
    for (int i = 0; i != 100; ++i) map.insert(static_cast<Plain>(i * 37 % 101), std::make_unique<int>(i));
    map.sort_by_id();
    CHECK(std::is_sorted(map.ids().begin(), map.ids().end()));
    map.sort([](const auto& a, const auto& b) { return *a < *b; });
    int row = 0;
    for (const auto& value : map.values()) CHECK(*value == row++);
    CHECK(map.erase_if([](Plain, const auto& value) { return *value % 2 == 0; }) == 50);
    CHECK(map.erase_if([](const auto& item) { return *item.value < 50; }) == 25);
    CHECK(map.check_invariants());
    for (auto it = map.begin(); it != map.end();) it = map.erase(it);
    CHECK(map.empty());
}
