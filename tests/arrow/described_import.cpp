// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Streams into maps and sets of described types: the same rows, checks and texts as with types that are known.
#include "support/catch.hpp"

#include "arrow/foreign.hpp"
#include "arrow/refused.hpp"

#include <slotwise/arrow/described_import.hpp>
#include <slotwise/arrow/export.hpp>

#include <functional>
#include <memory>
#include <string>

using namespace slotwise;
using test::Foreign;

namespace {

using Change = std::function<void(Foreign&)>;

template <class C>
ArrowArrayStream stream_of(const C& container) {
    ArrowArrayStream raw;
    export_stream(container, &raw);
    return raw;
}
// A map of known types, its copy of described ones, and both after rows under keys of which every second is there.
template <class T, class Make>
void there_and_back(Make&& make) {
    MapStorage<std::uint64_t, T> first, second;
    for (std::uint64_t i = 0; i != 300; ++i) first.insert(i, make(i));
    for (std::uint64_t i = 150; i != 450; ++i) second.insert(i, make(i + 1));
    AnyMapStorage described(TypeDescriptor::of<std::uint64_t>(), TypeDescriptor::of<T>());
    for (const auto* const from : {&first, &second}) {
        ArrowArrayStream raw = stream_of(*from);
        REQUIRE(import_stream(&raw, described) == 300);
    }
    REQUIRE(described.check_invariants());
    REQUIRE(described.size() == 450);
    for (std::uint64_t i = 0; i != 450; ++i) {
        const auto* const value = static_cast<const T*>(described.get(&i));
        REQUIRE(value != nullptr);
        REQUIRE(*value == make(i < 150 ? i : i + 1));
    }
}
AnyMapStorage texts_to_numbers() { return {TypeDescriptor::of<std::string>(), TypeDescriptor::of<std::int32_t>()}; }
test::Column names() { return test::texts("key", {"a", "b", "a long name of a row"}); }
test::Column amounts() { return test::numbers<std::int32_t>("value", "i", {1, 2, 3}); }

// What `change` makes of a good stream is refused by this text, nothing is written, and all is released once.
template <class C>
void refused(C into, const std::vector<test::Column>& columns, const Change& change, const std::string& text) {
    Foreign foreign(columns);
    change(foreign);
    const ImportResult result = try_import_stream(&foreign.stream, into);
    CAPTURE(result.error);
    REQUIRE(!result);
    REQUIRE(result.rows == 0);
    REQUIRE(into.size() == 0);
    REQUIRE(foreign.all_released_once());
    REQUIRE(result.error.find(text) != std::string::npos);
}
const Change nothing = [](Foreign&) {};

struct Hidden {
    int number = 0;
    bool operator==(const Hidden&) const = default;
};

} // namespace

TEST_CASE("A map of described types takes the stream of a map of those types", "[arrow][import]") {
    there_and_back<std::string>([](std::uint64_t i) { return "a text that is not short " + std::to_string(i); });
    there_and_back<bool>([](std::uint64_t i) { return i % 3 == 0; });
    there_and_back<double>([](std::uint64_t i) { return static_cast<double>(i) / 4; });
    there_and_back<float>([](std::uint64_t i) { return static_cast<float>(i); });
    there_and_back<std::int8_t>([](std::uint64_t i) { return static_cast<std::int8_t>(i % 100); });
    there_and_back<char>([](std::uint64_t i) { return static_cast<char>('a' + i % 26); });
    there_and_back<long long>([](std::uint64_t i) { return -static_cast<long long>(i); });
    there_and_back<Entity>([](std::uint64_t i) { return Entity::from_bits(i * 3 + 1); });
}

TEST_CASE("A set of described keys takes the stream of a set", "[arrow][import]") {
    KeySet<std::string> set;
    for (int i = 0; i != 100; ++i) set.insert(std::to_string(i));
    AnySetStorage described(TypeDescriptor::of<std::string>());
    for (int twice = 0; twice != 2; ++twice) {
        ArrowArrayStream raw = stream_of(set);
        REQUIRE(import_stream(&raw, described) == 100);
        REQUIRE(described.size() == 100);
    }
    for (const std::string& key : set) REQUIRE(described.contains(&key));
    REQUIRE(described.check_invariants());
}

TEST_CASE("A map of described types converts numbers that fit, and names the column of one that does not", "[arrow][import]") {
    AnyMapStorage map(TypeDescriptor::of<std::int64_t>(), TypeDescriptor::of<std::uint8_t>());
    Foreign fits({test::numbers<std::int16_t>("key", "s", {-1, 2}), test::numbers<std::int64_t>("value", "l", {0, 255})});
    REQUIRE(import_stream(&fits.stream, map) == 2);
    const std::int64_t key = 2;
    REQUIRE(*static_cast<const std::uint8_t*>(map.at(&key)) == 255);
    refused(map.like(), {test::numbers<std::int16_t>("key", "s", {-1}), test::numbers<std::int64_t>("value", "l", {256})},
            nothing, "batch 1: column \"value\": ");
}

TEST_CASE("A stream that does not fit a container of described types is refused by its column's name", "[arrow][import]") {
    refused(texts_to_numbers(), {test::numbers<std::int32_t>("key", "i", {1}), amounts()}, nothing,
            "import_stream: column \"key\": has the format \"i\", not utf8");
    refused(texts_to_numbers(), {names(), test::texts("value", {"a", "b", "c"})}, nothing,
            "column \"value\": has the format \"u\", not an integer");
    refused(texts_to_numbers(), {names()}, nothing, "column \"value\": is missing");
    refused(AnySetStorage(TypeDescriptor::of<std::string>()), {names(), amounts()}, nothing,
            "column \"value\": is unexpected; select the columns \"key\"");
    refused(texts_to_numbers(), {names().nulls({false, true, false}), amounts()}, nothing,
            "column \"key\": is null in row 1, and a key has a value");
    refused(texts_to_numbers(), {names(), amounts().nulls({false, false, true})}, nothing,
            "column \"value\": is null in row 2, and a map has a value for each key");
}

TEST_CASE("Lengths, offsets and buffers that are wrong are refused by containers of described types too", "[arrow][import]") {
    const auto column = [](std::size_t place, std::int64_t length, std::int64_t offset) {
        return std::vector<test::Column>{[&] {
                                             test::Column key = names();
                                             if (place == 0) key.length = length, key.offset = offset;
                                             return key;
                                         }(),
                                         [&] {
                                             test::Column value = amounts();
                                             if (place == 1) value.length = length, value.offset = offset;
                                             return value;
                                         }()};
    };
    refused(texts_to_numbers(), column(1, -3, 0), nothing, "column \"value\": has the negative length -3");
    refused(texts_to_numbers(), column(0, 3, -1), nothing, "column \"key\": has the negative offset -1");
    refused(texts_to_numbers(), column(1, 2, 0), nothing, "column \"value\": has 2 rows, where the batch needs 0 + 3");
    auto without = std::vector<test::Column>{names(), amounts()};
    without[1].buffers[1] = std::nullopt;
    refused(texts_to_numbers(), without, nothing, "column \"value\": has no buffer 1");
}

TEST_CASE("A described type without a column is refused by the column's name, and the stream is released", "[arrow][import]") {
    const std::string text = "its values are of a type whose descriptor has no id, or that is no number";
    refused(AnyMapStorage(TypeDescriptor::of<std::string>(), TypeDescriptor::of<Hidden>()), {names(), amounts()}, nothing,
            "import_stream: column \"value\": " + text);
    TypeDescriptor nameless = TypeDescriptor::of<std::string>();
    nameless.id = nullptr;
    refused(AnySetStorage(nameless), {names()}, nothing, "import_stream: column \"key\": " + text);
    AnyMapStorage map(TypeDescriptor::of<std::string>(), TypeDescriptor::of<Hidden>());
    Foreign foreign({names(), amounts()});
    REQUIRE(arrow_test::refused("import_stream: column \"value\": " + text, [&] { import_stream(&foreign.stream, map); }));
}
