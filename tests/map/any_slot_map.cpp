// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySlotMap: what a SlotMap does, of a type that is described at run time.
#include "subjects.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/map/any_slot_map.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <stdexcept>
#include <string>

using namespace test;

namespace {

template <class T>
T& as(void* at) {
    return *static_cast<T*>(at);
}
template <class T>
const T& as(const void* at) {
    return *static_cast<const T*>(at);
}

} // namespace

TEST_CASE("a described slot map has elements of its type under handles, at addresses that stay", "[any_slot_map]") {
    NothingLeaks objects;
    AnySlotMap map(TypeDescriptor::of<Tracked>());
    CHECK(&map.type() == &TypeDescriptor::of<Tracked>());
    const Tracked one(1);
    Tracked two(2);
    const auto a = map.insert(&one), b = map.insert_moved(&two), c = map.emplace(AnyValue::of(Tracked(3)));
    const void* const address = map.get(a);
    for (int i = 4; i != 500; ++i) {
        const Tracked value(i);
        map.insert(&value);
    }
    CHECK(map.get(a) == address);
    CHECK((as<Tracked>(map.at(a)).value() == 1 && as<Tracked>(map[b]).value() == 2 && as<Tracked>(map.get(c)).value() == 3));
    CHECK(as<Tracked>(std::as_const(map).at(b)).value() == 2);
    CHECK(as<Tracked>(std::as_const(map)[b]).value() == 2);
    CHECK((map.size() == 499 && map.check_invariants()));
    CHECK(map.erase(b));
    CHECK((map.get(b) == nullptr && std::as_const(map).get(b) == nullptr && map.explain(b) == HandleStatus::stale));
    CHECK(map.erase_if([](const void* at) { return as<Tracked>(at).value() % 2 == 0; }) == 248);
    CHECK(map.erase_if([&](auto handle, const void*) { return handle == c; }) == 1);
    DescribedValue taken = map.extract(a);
    CHECK((taken.as<Tracked>().value() == 1 && !map.contains(a)));
    CHECK(map.extract(a) == nullptr);
    map.clear();
    CHECK((map.empty() && map.check_invariants()));
}

TEST_CASE("a described slot map walks its elements as addresses, pairs, runs and columns", "[any_slot_map]") {
    BasicAnySlotMap<Column<int>> map(TypeDescriptor::of<int>());
    using H = decltype(map)::handle_type;
    std::vector<H> handles;
    for (int i = 0; i != 200; ++i) handles.push_back(map.insert(&i));
    for (std::size_t i = 0; i < 200; i += 3) map.erase(handles[i]);
    int sum = 0, expected = 0;
    for (int i = 0; i != 200; ++i) expected += i % 3 == 0 ? 0 : i;
    for (void* const at : map) sum += as<int>(at);
    CHECK(sum == expected);
    for (const auto [handle, at] : std::as_const(map).items()) sum -= as<int>(at) + static_cast<int>(handle.version()) - 1;
    CHECK(sum == 0);
    map.for_each([&](H handle, void* at) { sum += handle == map.handle_at(handle.index()) ? as<int>(at) : 0; });
    std::as_const(map).for_each([&](const void* at) { sum -= as<int>(at); });
    CHECK(sum == 0);
    for (const auto& [first, values, live] : map.values().chunks())
        live.for_each([&, &run = values](slot_t i) { sum += run.as<int>()[i]; });
    CHECK(sum == expected);
    CHECK(std::as_const(map).values().get(handles[1]) == map.get(handles[1]));
    map.column<int>()[handles[1]] = 7;
    CHECK(map.swap_values(handles[1], handles[2]));
    CHECK((as<int>(map[handles[1]]) == 2 && as<int>(map[handles[2]]) == 1 && map.column<int>()[handles[1]] == 7));
    auto last = map.end();
    CHECK(as<int>(*--last) == 199);
}

TEST_CASE("a described slot map adds a range of values that say how each is built", "[any_slot_map]") {
    AnySlotMap map(TypeDescriptor::of<std::string>());
    const std::string one = "one";
    std::string two = "two";
    AnyValue values[] = {AnyValue::copied(&one), AnyValue::moved(&two), AnyValue()};
    const auto expected = [&] {
        CHECK((as<std::string>(map[map.handle_at(0)]) == "one" && as<std::string>(map[map.handle_at(1)]) == "two"));
        CHECK((as<std::string>(map[map.handle_at(2)]).empty() && map.size() == 3));
    };
    map.insert(values, values + 3); // pointers to AnyValue are a range, other pointers are refused
    expected();
    map.clear();
    two = "two";
    map.insert_range(values);
    expected();
}

TEST_CASE("an insert into a described slot map moves nothing, and an erase ends one element", "[any_slot_map]") {
    AnySlotMap map(TypeDescriptor::of<std::string>());
    std::vector<AnySlotMap::handle_type> handles;
    std::vector<const void*> addresses;
    const auto add = [&](int i) {
        const std::string text = std::to_string(i);
        handles.push_back(map.insert(&text));
        addresses.push_back(map.get(handles.back()));
    };
    for (int i = 0; i != 10; ++i) add(i);
    const auto all_but = [&](std::size_t gone) {
        for (std::size_t i = 0; i != handles.size(); ++i) {
            REQUIRE(map.get(handles[i]) == (i == gone ? nullptr : addresses[i]));
            if (i != gone) REQUIRE(as<std::string>(map[handles[i]]) == std::to_string(i));
        }
    };
    auto third = std::next(map.begin(), 3), fifth = std::next(map.begin(), 5);
    for (int i = 10; i != 5000; ++i) add(i);
    all_but(handles.size());
    CHECK((*third == addresses[3] && *++third == addresses[4]));
    static_assert(noexcept(map.erase(handles[4])));
    CHECK(map.erase(handles[4]));
    all_but(4);
    CHECK((*fifth == addresses[5] && *++third == addresses[5])); // third was at the one that is gone
    CHECK((map.explain(handles[4]) == HandleStatus::stale && !map.erase(handles[4])));
    add(5000);
    CHECK(handles.back().index() == 4);
    CHECK((handles.back() != handles[4] && !map.contains(handles[4])));
}

TEST_CASE("a view of a described slot map shows erases, and is taken again after growth", "[any_slot_map]") {
    AnySlotMap map(TypeDescriptor::of<int>());
    map.reserve(100);
    for (int i = 0; i != 100; ++i) map.insert(&i);
    const auto view = map.values();
    const auto fifth = map.handle_at(5);
    CHECK(as<int>(view[5]) == 5);
    map.erase(fifth);
    CHECK((view.get(fifth) == nullptr && !view.contains(slot_t{5})));
    for (int i = 100; i != 10'000; ++i) map.insert(&i); // it may end here
    CHECK((map.values().slot_end() == map.size() && as<int>(map.values()[9'000]) >= 9'000));
}

TEST_CASE("a described slot map makes handles before elements, and elements under handles of others", "[any_slot_map]") {
    AnySlotMap map(TypeDescriptor::of<std::string>());
    const auto later = map.reserve_handle();
    CHECK(map.get(later) == nullptr);
    const void* const fulfilled = map.fulfill(later, AnyValue::of(std::string("later")));
    CHECK((fulfilled != nullptr && fulfilled == map.get(later)));
    const auto self = map.insert_with([text = std::string("self")](auto) { return AnyValue::of(text); });
    CHECK(as<std::string>(map[self]) == "self");
    const auto empty = map.emplace();
    CHECK(as<std::string>(map[empty]).empty());
    AnySlotMap replica(map.type());
    for (const auto [handle, at] : map.items()) CHECK(replica.insert_at(handle, AnyValue::copied(at)) != nullptr);
    CHECK(replica == map);
    as<std::string>(replica[self]) = "other";
    CHECK_FALSE(replica == map);
}

TEST_CASE("a snapshot of a described slot map is that of a slot map of the type, and restores both", "[any_slot_map]") {
    AnyCodec codec;
    codec.add<std::string>().add<int>();
    SlotMap<std::string, Column<int>> known;
    BasicAnySlotMap<Column<int>> described(TypeDescriptor::of<std::string>());
    std::vector<decltype(described)::handle_type> handles;
    for (int i = 0; i != 100; ++i) {
        const std::string text = std::to_string(i * i);
        const auto same = known.insert(text);
        known.column<int>()[same] = i;
        handles.push_back(described.insert(&text));
        described.column<int>()[handles.back()] = i;
    }
    for (std::size_t i = 0; i < 100; i += 7) described.erase(handles[i]), known.erase(known.handle_at(handles[i].index()));
    const auto bytes = described.snapshot(codec);
    CHECK(bytes == known.snapshot());
    BasicAnySlotMap<Column<int>> restored(TypeDescriptor::of<std::string>());
    restored.emplace();
    restored.restore(bytes, codec);
    CHECK((restored == described && restored.check_invariants() && restored.column<int>()[handles[1]] == 1));
    CHECK(restored.snapshot(codec) == bytes);
    for (std::size_t size = 0; size < bytes.size(); size += 5) // of a part nothing is restored, and nothing leaks
        CHECK(restored.try_restore(std::span(bytes).first(size), codec) != nullptr);
    CHECK(restored == described);
    AnySlotMap numbers(TypeDescriptor::of<int>());
    CHECK(std::string(numbers.try_restore(bytes, codec)).find("its values are ") != std::string::npos);
}

TEST_CASE("a described slot map says what its type lacks", "[any_slot_map]") {
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
    };
    CHECK(says([] { const AnySlotMap map{TypeDescriptor{}}; }, "size must be a multiple of align"));
    TypeDescriptor bare = TypeDescriptor::of<std::string>();
    bare.construct = nullptr;
    bare.copy = nullptr;
    bare.equal = nullptr;
    AnySlotMap map(bare);
    std::string text("text");
    CHECK(says([&] { map.insert(&text); }, "cannot be copied"));
    CHECK(says([&] { map.emplace(); }, "no default value"));
    CHECK(says([&] { map.emplace(AnyValue::of(5)); }, "another type"));
    CHECK((map.empty() && map.insert_moved(&text).index() == 0));
    CHECK(says([&] { static_cast<void>(map == map); }, "no equality"));
    CHECK(says([&] { const AnySlotMap copy(map); }, "cannot be copied"));
    CHECK(says([&] { static_cast<void>(map.snapshot(AnyCodec())); }, "codec lacks the type"));
    CHECK(says([&] { map.restore({}, AnyCodec()); }, "codec lacks the type"));
    AnyCodec codec;
    codec.add<std::string>();
    CHECK(says([&] { map.restore({}, codec); }, "end too early"));
    const auto gone = map.handle_at(0);
    map.erase(gone);
    CHECK(thrown_text<std::out_of_range>([&] { map.at(gone); }).find("0v1 is stale: slot 0 is at version 2") !=
          std::string::npos);
}
