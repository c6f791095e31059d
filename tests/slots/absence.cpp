// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// at(handle) of every container that issues handles says which handle it was, and whether its element was erased or the handle
// was never issued.
#include "support/catch.hpp"

#if defined(__cpp_exceptions)
#include "support/maps.hpp"
#include "support/thrown.hpp"

#include <slotwise/slotwise.hpp>

#include <stdexcept>

using namespace test;

namespace {

/// What is said of the handle, after what is said of the call.
template <class Container, class H>
std::string said(Container&& container, H handle) {
    const std::string text = thrown_text<std::out_of_range>([&] { static_cast<void>(container.at(handle)); });
    const auto at = text.find(" (");
    return at == std::string::npos ? text : text.substr(at + 1);
}
std::string of(auto handle, const char* words) { return "(" + to_string(handle) + " " + words + ")"; }
constexpr const char* erased = "was erased";
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
        if (map.contains(handle)) continue;
        const bool odd_of_used = handle.version() % 2 == 1 && handle.index() < 5;
        const std::string words = said(map, handle);
        if (E == Exhaustion::retire ? issued[bits] : odd_of_used)
            REQUIRE(words == of(handle, erased));
        else
            REQUIRE(words == of(handle, never));
    }
}

} // namespace

// proves: SlotMapCore::at throws
TEMPLATE_TEST_CASE("at(handle) of a slot map says whether the element was erased or the handle never issued", "[absence]",
                   ALL_STORAGES) {
    typename TestType::template map<int> map;
    using H = typename decltype(map)::handle_type;
    const H gone = put(map, 1), kept = put(map, 2);
    map.erase(gone);
    const std::string text = thrown_text<std::out_of_range>([&] { map.at(gone); });
    CHECK(text == "slot map at(handle): no element has this handle; ask get(handle) or explain(handle) (0v1 was erased)");
    CHECK(said(std::as_const(map), gone) == of(gone, erased));
    CHECK(said(map, H()) == "(null was never issued here)");
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

// proves: SetStorage::at throws, MapStorage::at throws, TSSStorage::at throws, TSDStorage::at throws
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
    } else {
        if constexpr (requires { container.try_emplace(1, 10); })
            container.try_emplace(1, 10);
        else
            container.insert(1);
        gone = container.handle_of(1);
        container.erase(1);
    }
    CHECK(said(std::as_const(container), gone) == of(gone, erased));
    CHECK(said(container, H()) == of(H(), never));
    CHECK(said(container, H(0, 9)) == of(H(0, 9), never));
    CHECK(said(container, H(70, 1)) == of(H(70, 1), never));
}

// proves: ColumnView::at throws
TEST_CASE("at(handle) of a column says the same, as far as the view reaches", "[absence]") {
    SlotMap<int, Column<int>> map;
    using H = decltype(map)::handle_type;
    const H gone = map.insert(1), kept = map.insert(2);
    const auto column = map.column<int>();
    map.erase(gone);
    CHECK(said(column, gone) == of(gone, erased));
    CHECK(said(column, H(0, 3)) == of(H(0, 3), never));
    CHECK(said(column, H()) == of(H(), never));
    CHECK(said(column, H(99, 1)) == of(H(99, 1), "was erased or never issued"));
    CHECK(column.at(kept) == 0);
}

// proves: EntityIndex::at throws
TEST_CASE("at(id) of an EntityIndex says whether the id was destroyed or never issued", "[absence]") {
    using E = Handle<struct Narrow, HandleLayout{.index_bits = 14, .version_bits = 2}>;
    EntityIndex<E, int> index;
    const E gone = index.create(), kept = index.create();
    index.destroy(gone);
    CHECK(said(index, gone) == of(gone, "was destroyed"));
    CHECK(said(std::as_const(index), E(0, 3)) == of(E(0, 3), never)); // create() would return it
    CHECK(said(index, E(1, 2)) == of(E(1, 2), never));
    CHECK(said(index, E(2, 1)) == of(E(2, 1), never));
    CHECK(said(index, E()) == of(E(), never));
    CHECK(said(index, E(9000, 1)) == of(E(9000, 1), never));
    const E again = index.create();
    REQUIRE(again == E(0, 3));
    CHECK(said(index, gone) == of(gone, "was destroyed"));
    index.destroy(again);
    REQUIRE(index.explain(again) == HandleStatus::retired);
    CHECK(said(index, again) == of(again, "was destroyed"));
    CHECK(index.at(kept) == 0);
}

#endif
