// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a snapshot of a slot map has besides the elements: static columns; and what it never has: padding.
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/snapshots.hpp"

#include <slotwise/slots/value_array.hpp>

#include <new>
#include <stdexcept>
#include <string>

namespace {

using namespace test;

struct Padded {
    char letter = 0;
    long number = 0;
};
struct Shy {
    int value = 0;
    Shy() = default;
    explicit Shy(int n) : value(n) {}
    Shy* operator&() const = delete;
    friend bool operator==(const Shy&, const Shy&) = default;
};

/// Counts what it is notified of; no column.
struct Counts {
    int inserts = 0;
    void on_insert(slot_t, InsertKind) noexcept { ++inserts; }
};
/// A column that is no ValueArray.
struct Sum {
    using value_type = int;
    std::vector<int> values;
    void on_capacity(slot_t, slot_t slots) { values.resize(slots); }
    void on_insert(slot_t slot, InsertKind) noexcept { values[slot] = 0; }
    int& operator[](slot_t slot) noexcept { return values[slot]; }
    const int& operator[](slot_t slot) const noexcept { return values[slot]; }
};

std::string refusal(const char* error) { return error == nullptr ? "accepted" : error; }
bool mentions(const std::vector<std::byte>& bytes, std::string_view text) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find(text) != std::string_view::npos;
}

} // namespace

template <>
struct slotwise::CodecFor<Shy> : slotwise::MemberCodec<&Shy::value> {};

TEMPLATE_TEST_CASE("padding is not written, whatever lay in memory before", "[snapshot]", (slotwise::SlotMap<Padded>),
                   (slotwise::DenseSlotMap<Padded>), (slotwise::SlotMap<std::pair<char, long>>),
                   (slotwise::DenseSlotMap<std::optional<Padded>>)) {
    alignas(alignof(TestType)) std::byte memory[4096];
    std::vector<std::byte> both[2];
    for (const int fill : {0, 1}) {
        TestType map;
        for (int i = 0; i != 4; ++i) {
            using T = typename TestType::value_type;
            std::memset(memory, fill == 0 ? 0 : 0x5E, sizeof memory);
            T* const made = ::new (static_cast<void*>(memory)) T{};
            const auto handle = map.insert(*made);
            std::memset(static_cast<void*>(map.get(handle)), fill == 0 ? 0 : 0x5E, sizeof(T)); // as freed memory has it
            ::new (static_cast<void*>(map.get(handle))) T(*made);
        }
        both[fill] = map.snapshot();
        REQUIRE_FALSE(mentions(both[fill], "^^"));
    }
    REQUIRE(both[0] == both[1]);
}

TEMPLATE_TEST_CASE("a bool that is neither 0 nor 1 is refused", "[snapshot]", slotwise::SlotMap<bool>,
                   slotwise::DenseSlotMap<bool>) {
    TestType map, restored;
    map.insert(true);
    const auto two = map.insert(false);
    auto bytes = map.snapshot();
    REQUIRE(restored.try_restore(bytes) == nullptr);
    REQUIRE(restored == map);
    bytes = test::forged(bytes, [](auto& state) { state.back() = std::byte{77}; });
    REQUIRE(refusal(restored.try_restore(bytes)) == "snapshot: a bool or a flag is neither 0 nor 1");
    REQUIRE_FALSE(restored[two]);
}

TEST_CASE("types with an operator & of their own go into snapshots, as elements and as columns", "[snapshot]") {
    SlotMap<Shy, Column<Shy>> map, restored;
    DenseSlotMap<Shy> dense, restored_dense;
    for (int i = 0; i != 3; ++i) {
        map.observer<0>()[map.emplace(i).index()].value = 10 + i;
        dense.emplace(i);
    }
    restored.restore(map.snapshot());
    REQUIRE(restored == map);
    REQUIRE(restored.observer<0>()[2].value == 12);
    restored_dense.restore(dense.snapshot());
    REQUIRE(restored_dense == dense);
}

TEMPLATE_TEST_CASE("a snapshot carries every static column that has a codec", "[snapshot]",
                   (slotwise::SlotMap<int, slotwise::Column<int>, Counts, slotwise::Column<std::string>, Sum>),
                   (slotwise::DenseSlotMap<int, slotwise::Column<int>, Counts, slotwise::Column<std::string>, Sum>)) {
    TestType map, restored;
    const auto column = [](auto& of, auto handle) -> decltype(auto) { return of.template observer<0>()[handle.index()]; };
    const auto first = map.insert(1), gone = map.insert(2), last = map.insert(3);
    column(map, first) = 14;
    column(map, last) = 15;
    map.template observer<2>()[last.index()] = "last";
    map.template observer<3>()[first.index()] = 7;
    map.erase(gone);
    restored.insert(99);
    const auto bytes = map.snapshot();
    restored.restore(bytes);
    REQUIRE(column(restored, first) == 14);
    REQUIRE(column(restored, last) == 15);
    REQUIRE(restored.template observer<2>()[last.index()] == "last");
    REQUIRE(restored.template observer<3>()[first.index()] == 7);
    REQUIRE(restored.template observer<1>().inserts == 2); // is notified of the elements as of inserts
    REQUIRE(restored.snapshot() == bytes);
    for (std::size_t length = 0; length != bytes.size(); ++length)
        REQUIRE(restored.try_restore(std::span(bytes).first(length)) != nullptr);
    REQUIRE(column(restored, first) == 14);
}

TEST_CASE("a column that is left out is named in both places, and is value-initialised", "[snapshot]") {
    using Addresses = ValueArray<const void*>; // has no codec
    using Names = ValueArray<std::string>;
    SlotMap<int, Names, Addresses> map, restored;
    const auto one = map.insert(1);
    map.observer<0>()[one.index()] = "one";
    map.observer<1>()[one.index()] = &map;
    const auto bytes = map.snapshot(dropping<Addresses>()), neither = map.snapshot(dropping<Names, Addresses>());
    REQUIRE(mentions(bytes, "one"));
    REQUIRE_FALSE(mentions(neither, "one"));
    restored.restore(bytes, dropping<Addresses>());
    REQUIRE(restored.observer<0>()[one.index()] == "one");
    REQUIRE(restored.observer<1>()[one.index()] == nullptr);
    REQUIRE(refusal(restored.try_restore(neither, dropping<Addresses>())) ==
            "snapshot: a column was dropped when it was made; restore it with the same dropping<Column>()");
    REQUIRE(refusal(restored.try_restore(bytes, dropping<Names, Addresses>())) ==
            "snapshot: it has a column that this restore drops; restore it without dropping<Column>()");
    REQUIRE(restored.observer<0>()[one.index()] == "one");
    restored.restore(neither, dropping<Names, Addresses>());
    REQUIRE(restored.observer<0>()[one.index()].empty());
    REQUIRE(restored.contains(one));
}

TEST_CASE("a snapshot of a container with other columns is refused", "[snapshot]") {
    SlotMap<int> none;
    SlotMap<int, Column<int>> one;
    SlotMap<int, Column<int>, Column<int>> two;
    SlotMap<int, Column<double>> wide;
    none.insert(1);
    one.insert(1);
    REQUIRE(refusal(one.try_restore(none.snapshot())) == "snapshot: it was made by a container with other columns");
    REQUIRE(refusal(none.try_restore(one.snapshot())) == "snapshot: it was made by a container with other columns");
    REQUIRE(refusal(two.try_restore(one.snapshot())) == "snapshot: it was made by a container with other columns");
    REQUIRE(refusal(wide.try_restore(one.snapshot())) ==
            "snapshot: its column values are int32, and those of this container are of another type");
}

TEST_CASE("the version of a slot that was never in use is refused, and so are reserved slots that are none", "[snapshot]") {
    SlotMap<int> map, restored;
    map.insert(1);
    const auto bytes = map.snapshot();
    const auto longer = test::forged(bytes, [](auto& state) { // one version more, which says what it would be without a word
        state[14] = std::byte{2};
        state.insert(state.begin() + 34, 4, std::byte{0});
    });
    REQUIRE(refusal(restored.try_restore(longer)) == "snapshot: a slot that was never in use has a version");
    REQUIRE(bytes[34] == std::byte{0});
    const auto promised = test::forged(bytes, [](auto& state) {
        state[34] = std::byte{1};
        state.insert(state.begin() + 35 + 16, 8, std::byte{0});
    });
    REQUIRE(refusal(restored.try_restore(promised)) == "snapshot: it announces reserved slots and has none");
    REQUIRE(restored.empty());
}
