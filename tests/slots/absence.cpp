// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// at() says which handle, id or key it was, whether its element was erased or the handle was never issued, and what is in the
// slot now.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include "support/maps.hpp"
#include "support/thrown.hpp"

#include <slotwise/slotwise.hpp>

#include <limits>
#include <stdexcept>
#include <string>

using namespace test;

namespace {

/// What is said of the handle, after what is said of the call and before what is said of the slot.
template <class Container, class H>
std::string said(Container&& container, H handle) {
    const std::string text = thrown_text<std::out_of_range>([&] { static_cast<void>(container.at(handle)); });
    const auto at = text.find(" (");
    const auto slot = text.find(": slot ", at);
    return at == std::string::npos     ? text
           : slot == std::string::npos ? text.substr(at + 1)
                                       : text.substr(at + 1, slot - at - 1) + ")";
}
/// All that is said after the call.
template <class Container, class Id>
std::string all_said(Container&& container, Id id) {
    const std::string text = thrown_text<std::out_of_range>([&] { static_cast<void>(container.at(id)); });
    return text.substr(text.find(" (") + 1);
}
std::string of(auto handle, const char* words) { return "(" + to_string(handle) + " " + words + ")"; }
constexpr const char* erased = "is stale";
constexpr const char* null = "(the handle is null)";
constexpr const char* never = "was never issued here";

/// Whether each slot that a handle of 16 bits can name, at each version, is said to be what a model says.
template <Exhaustion E>
void every_handle() {
    constexpr SlotMapOptions options{.handle = {.index_bits = 4, .version_bits = 12}, .exhaustion = E};
    SlotMap<int, Options<options>> map;
    using H = typename decltype(map)::handle_type;
    std::vector<bool> issued(1u << 16);
    std::vector<H> live;
    const auto insert = [&] { issued[live.emplace_back(map.insert(1)).to_bits()] = true; };
    for (int round = 0; round != 40; ++round) {
        while (live.size() != 5) insert();
        for (const H handle : live) map.erase(handle);
        live.clear();
        if (round == 20) map.shrink_to_fit();
    }
    insert();
    for (unsigned bits = 0; bits != issued.size(); ++bits) {
        const H handle = H::from_bits(static_cast<std::uint16_t>(bits));
        if (map.contains(handle) || handle.is_null()) continue;
        const bool odd_of_used = handle.version() % 2 == 1 && handle.index() < 5;
        const std::string words = said(map, handle);
        if (E == Exhaustion::retire ? issued[bits] : odd_of_used)
            REQUIRE(words == of(handle, erased));
        else
            REQUIRE(words == of(handle, never));
    }
}

struct Point {
    int x;
    friend bool operator==(const Point&, const Point&) = default;
};
struct PointHash {
    std::size_t operator()(const Point& point) const noexcept { return static_cast<std::size_t>(point.x); }
};

} // namespace

TEMPLATE_TEST_CASE("at(handle) of a slot map says whether the element was erased or the handle never issued", "[absence]",
                   ALL_STORAGES) {
    typename TestType::template map<int> map;
    using H = typename decltype(map)::handle_type;
    const H gone = put(map, 1), kept = put(map, 2);
    map.erase(gone);
    const std::string text = thrown_text<std::out_of_range>([&] { map.at(gone); });
    CHECK(text == "slot map at(handle): no element has this handle; ask get(handle) or explain(handle) "
                  "(0v1 is stale: slot 0 is at version 2 and free)");
    CHECK(said(std::as_const(map), gone) == of(gone, erased));
    CHECK(said(map, H()) == null);
    CHECK(said(map, H(0, 3)) == of(H(0, 3), never)); // the next handle of the slot
    CHECK(said(map, H(1, 2)) == of(H(1, 2), never));
    CHECK(said(map, H(9, 1)) == of(H(9, 1), never));
    CHECK(said(map, H(no_slot, 1)) == of(H(no_slot, 1), never));
    const H later = map.reserve_handle();
    CHECK(said(map, later) == of(later, "is reserved, and its element comes later"));
    map.cancel(later);
    CHECK(said(map, later) == of(later, erased));
    map.clear();
    map.shrink_to_fit(); // the slots are gone, and what was issued for them is not forgotten
    CHECK(said(map, kept) == of(kept, erased));
    CHECK(said(map, H(1, 7)) == of(H(1, 7), never));
}

TEST_CASE("a slot map knows of every handle whether it was issued, also of released and wrapped slots", "[absence]") {
    every_handle<Exhaustion::retire>();
    every_handle<Exhaustion::wrap>();
}

TEST_CASE("a slot that has retired says that its elements were erased", "[absence]") {
    SlotMap<int, Options<SlotMapOptions{.handle = {.index_bits = 14, .version_bits = 2}}>> map;
    const auto first = map.insert(1);
    map.erase(first);
    const auto last = map.insert(2);
    map.erase(last);
    REQUIRE(map.explain(last) == HandleStatus::retired);
    CHECK(said(map, first) == of(first, erased));
    CHECK(said(map, last) == of(last, erased));
}

TEMPLATE_TEST_CASE("at(handle) of keyed containers and series says whether the element was erased or never there", "[absence]",
                   (KeySet<int>), (KeySet<int, Options<KeySetOptions{.deferred_erase = true}>>), (TSSStorage<int>),
                   (MapStorage<int, int>), (MapStorage<int, int, Options<KeySetOptions{.deferred_erase = true}>>),
                   (TSDStorage<int, int>)) {
    TestType container;
    using H = typename TestType::handle_type;
    H gone;
    if constexpr (requires { container.write(1); }) {
        auto writer = container.write(1);
        if constexpr (requires { writer.add(1); })
            writer.add(1);
        else
            writer.set(1, 10);
        gone = container.handle_of(1);
        static_cast<void>(writer.remove(1));
        CHECK(said(std::as_const(container), gone) == of(gone, "was erased, and its element is pending"));
    }
    if constexpr (requires { container.write(1); }) {
        static_cast<void>(container.write(2)); // its window rolls, and the removed elements go
    } else {
        if constexpr (requires { container.try_emplace(1, 10); })
            container.try_emplace(1, 10);
        else
            container.insert(1);
        gone = container.handle_of(1);
        container.erase(1);
        if (container.state(gone.index()) == SlotState::pending) {
            CHECK(said(std::as_const(container), gone) == of(gone, "was erased, and its element is pending"));
            container.flush_removed();
        }
    }
    CHECK(said(std::as_const(container), gone) == of(gone, erased));
    CHECK(said(container, H()) == null);
    CHECK(said(container, H(0, 9)) == of(H(0, 9), never));
    CHECK(said(container, H(70, 1)) == of(H(70, 1), never));
}

TEST_CASE("at(handle) of a column says the same, as far as the view reaches", "[absence]") {
    SlotMap<int, Column<int>> map;
    using H = decltype(map)::handle_type;
    const H gone = map.insert(1), kept = map.insert(2);
    const auto column = map.column<int>();
    map.erase(gone);
    CHECK(said(column, gone) == of(gone, erased));
    CHECK(said(column, H(0, 3)) == of(H(0, 3), never));
    CHECK(said(column, H()) == null);
    CHECK(said(column, H(99, 1)) == of(H(99, 1), "was erased or never issued"));
    CHECK(column.at(kept) == 0);
}

TEST_CASE("at(id) of an EntityIndex says whether the id was destroyed or never issued", "[absence]") {
    using E = Handle<struct Narrow, HandleLayout{.index_bits = 14, .version_bits = 2}>;
    EntityIndex<E, int> index;
    const E gone = index.create(), kept = index.create();
    index.destroy(gone);
    CHECK(said(index, gone) == of(gone, erased));
    CHECK(said(std::as_const(index), E(0, 3)) == of(E(0, 3), never)); // create() would return it
    CHECK(said(index, E(1, 2)) == of(E(1, 2), never));
    CHECK(said(index, E(2, 1)) == of(E(2, 1), never));
    CHECK(said(index, E()) == null);
    CHECK(said(index, E(9000, 1)) == of(E(9000, 1), never));
    const E again = index.create();
    REQUIRE(again == E(0, 3));
    CHECK(said(index, gone) == of(gone, erased));
    index.destroy(again);
    REQUIRE(index.explain(again) == HandleStatus::retired);
    CHECK(said(index, again) == of(again, erased));
    CHECK(index.at(kept) == 0);
}

TEST_CASE("at() says at which version the slot is now, and whether an element is in it", "[absence]") {
    SlotMap<int> map;
    using H = decltype(map)::handle_type;
    const H gone = map.insert(1);
    map.erase(gone);
    const H now = map.insert(2);
    CHECK(all_said(map, gone) == "(0v1 is stale: slot 0 is at version 3)");
    CHECK(all_said(map, H(0, 9)) == "(0v9 was never issued here: slot 0 is at version 3)");
    CHECK(all_said(map, H(70, 1)) == "(70v1 was never issued here)");
    const auto later = map.reserve_handle();
    CHECK(all_said(map, H(later.index(), 7)) == "(1v7 was never issued here: slot 1 is at version 0 and reserved)");
    SlotMap<int, Options<SlotMapOptions{.handle = {.index_bits = 15, .version_bits = 1}}>> once;
    const auto last = once.insert(1);
    once.erase(last);
    CHECK(all_said(once, last) == "(0v1 is stale: slot 0 is retired)");

    KeySet<int> set;
    set.insert(7);
    const auto of_seven = set.handle_of(7);
    set.erase(7);
    set.insert(8);
    CHECK(all_said(set, of_seven) == "(0v1 is stale: slot 0 is at version 3)");

    SlotMap<int, Column<int>> with_column;
    const auto old = with_column.insert(1);
    with_column.erase(old);
    with_column.insert(2);
    CHECK(all_said(with_column.column<int>(), old) == "(0v1 is stale: slot 0 is at version 3)");

    SecondaryMap<H, int> beside;
    SparseSecondaryMap<H, int> packed;
    const std::string nothing = "(0v1 has none: it was never inserted, or its element was erased)";
    CHECK(all_said(beside, gone) == nothing);
    CHECK(all_said(packed, gone) == nothing);
    beside.insert(now, 1);
    packed.insert(now, 1);
    CHECK(all_said(beside, gone) == "(0v1 has none: slot 0 is at version 3)");
    CHECK(all_said(packed, gone) == "(0v1 has none: slot 0 is at version 3)");

    EntityIndex<Entity, int> index;
    const Entity first = index.create();
    index.destroy(first);
    CHECK(all_said(index, first) == "(0v1 is stale: slot 0 is at version 3 and free)");
    static_cast<void>(index.create());
    CHECK(all_said(index, first) == "(0v1 is stale: slot 0 is at version 3)");
}

TEST_CASE("at(id) of containers by the user's ids names the id, and the version that has a value", "[absence]") {
    enum class Room : std::uint16_t { cellar = 3 };
    SparseMap<Room, int> rooms;
    CHECK(all_said(rooms, Room::cellar) == "(3 has none)");
    SparseMap<Entity, int> health;
    health.insert(Entity(5, 3), 1);
    CHECK(all_said(health, Entity(5, 1)) == "(5v1 has none: slot 5 is at version 3)");
    CHECK(all_said(std::as_const(health), Entity(6, 1)) == "(6v1 has none)");
    SwitchMap<unsigned, int> states;
    CHECK(all_said(states, 12u) == "(12 has none)");
    IndexMap<int> by_number;
    CHECK(all_said(by_number, 4'000'000'000u) == "(4000000000 has none)");
}

TEST_CASE("at(key) names the key where it is a number, an enumerator, a handle or a text", "[absence]") {
    const MapStorage<int, int> numbers;
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(numbers.at(-42)); }) ==
          "map at(key): no element has this key; ask get(key) or contains(key) (the key is -42)");
    CHECK(all_said(numbers, std::numeric_limits<int>::min()) == "(the key is -2147483648)");
    CHECK(all_said(MapView<int, int>(numbers), 7) == "(the key is 7)");
    CHECK(all_said(MapStorage<std::uint64_t, int>(), ~std::uint64_t{0}) == "(the key is 18446744073709551615)");
    CHECK(all_said(MapStorage<InsertKind, int>(), InsertKind::resurrected) == "(the key is 1)");
    CHECK(all_said(MapStorage<Entity, int>(), Entity(4, 3)) == "(the key is 4v3)");
    CHECK(all_said(MapStorage<PublicId, int>(), PublicId{1, 2}) == "(the key is \"00000000-0000-0001-0000-000000000002\")");
    CHECK(all_said(TSDStorage<int, int>(), 5) == "(the key is 5)");
    TSDStorage<int, int> series;
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(series.write(1).modify(6)); }).ends_with("(the key is 6)"));

    using Texts = MapStorage<std::string, int>;
    CHECK(all_said(Texts(), "Ada") == "(the key is \"Ada\")");
    CHECK(all_said(Texts(), std::string("tab\t\"q\" \\ \x7F")) == "(the key is \"tab\\x09\\\"q\\\" \\\\ \\x7f\")");
    CHECK(all_said(Texts(), std::string_view()) == "(the key is \"\")");
    CHECK(all_said(Texts(), std::string(48, 'x')) == "(the key is \"" + std::string(48, 'x') + "\")");
    CHECK(all_said(Texts(), std::string(49, 'x')) == "(the key is \"" + std::string(48, 'x') + "...\")");
    CHECK(all_said(Texts(), std::string(47, 'x') + "\xC3\xA4") == "(the key is \"" + std::string(47, 'x') + "...\")");

    CHECK(thrown_text<std::out_of_range>([&] {
              static_cast<void>(MapStorage<Point, int, HashBy<PointHash>>().at(Point{1}));
          }).ends_with("ask get(key) or contains(key)"));
}

TEST_CASE("a key that is a floating-point number is named by up to nine digits", "[absence]") {
    const MapStorage<double, int> map;
    const auto named = [&](double key) {
        const std::string text = all_said(map, key);
        return text.substr(12, text.size() - 13);
    };
    CHECK(named(0.0) == "0");
    CHECK(named(1.0) == "1");
    CHECK(named(-2.5) == "-2.5");
    CHECK(named(0.1) == "0.1");
    CHECK(named(3.14159265358979) == "3.14159265");
    CHECK(named(1e9) == "1e9");
    CHECK(named(123456789.0) == "123456789");
    CHECK(named(1234567890123.0) == "1.23456789e12");
    CHECK(named(1.5e300) == "1.5e300");
    CHECK(named(1e-9) == "1e-9");
    CHECK(named(0.00125) == "0.00125");
    CHECK(named(999999999.9) == "1e9");
    CHECK(named(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(named(-std::numeric_limits<double>::infinity()) == "-inf");
    CHECK(named(std::numeric_limits<double>::denorm_min()) == "4.94065646e-324");
    CHECK(all_said(map, std::numeric_limits<double>::quiet_NaN()) == "(the key is nan)");
}

TEST_CASE("at(key) of a described map names the key where its type is known", "[absence]") {
    AnyMapStorage numbers(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    const int key = -3;
    CHECK(all_said(numbers, &key) == "(the key is -3)");
    AnyMapStorage texts(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
    const std::string ada = "Ada";
    CHECK(all_said(texts, &ada) == "(the key is \"Ada\")");
    AnyTSDStorage series(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    CHECK(
        thrown_text<std::out_of_range>([&] { static_cast<void>(series.write(1).modify(&key)); }).ends_with("(the key is -3)"));
    AnyMapStorage others(TypeDescriptor::of<char>(), TypeDescriptor::of<int>());
    const char letter = 'a';
    CHECK(thrown_text<std::out_of_range>([&] { static_cast<void>(others.at(&letter)); }).ends_with("ask get(key)"));
}

#endif
