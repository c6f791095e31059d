// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Streams with one field made wrong: each is refused by a text that names the column, nothing is written, all is released once.
#include "support/catch.hpp"

#include "arrow/foreign.hpp"
#include "arrow/refused.hpp"

#include <slotwise/arrow/import.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <chrono>
#include <functional>
#include <limits>

using namespace slotwise;
using test::Foreign;

namespace {

struct Pair {
    int a = 0, b = 0;
};
using Map = MapStorage<std::string, std::int32_t>;
using Change = std::function<void(Foreign&)>;
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();

test::Column names() { return test::texts("key", {"a", "b", "a long name of a row"}); }
test::Column amounts() { return test::numbers<std::int32_t>("value", "i", {1, 2, 3}); }

// What `change` makes of a good stream is refused by a text with these words, and nothing is written.
template <class M = Map>
void refused(const std::vector<test::Column>& columns, const Change& change, const std::vector<std::string>& words) {
    M map;
    Foreign foreign(columns);
    change(foreign);
    const ImportResult result = try_import_stream(&foreign.stream, map);
    CAPTURE(result.error);
    REQUIRE(!result);
    REQUIRE(result.rows == 0);
    REQUIRE(map.size() == 0);
    REQUIRE(foreign.all_released_once());
    for (const std::string& word : words) {
        CAPTURE(word);
        REQUIRE(result.error.find(word) != std::string::npos);
    }
}
void refused(const Change& change, const std::vector<std::string>& words) { refused({names(), amounts()}, change, words); }
template <class T>
void refused_value(const test::Column& value, const std::vector<std::string>& words) {
    refused<MapStorage<int, T>>(
        {test::numbers<std::int32_t>("key", "i", {1}), value}, [](Foreign&) {}, words);
}

#if defined(__cpp_exceptions)
struct Full {
    using key_type = std::string;
    using mapped_type = std::int32_t;
    void insert_or_assign(const std::string&, std::int32_t value) {
        if (value == 3) throw std::length_error("full");
        ++rows;
    }
    static std::size_t size() { return 1; }
    int rows = 0;
};
#endif

} // namespace

template <>
struct slotwise::ArrowFields<Pair> {
    static constexpr auto members = std::tuple(slotwise::field("a", &Pair::a), slotwise::field("b", &Pair::b));
};

TEST_CASE("a schema with missing, unexpected, doubled or nameless columns is refused by the column's name", "[import]") {
    const Change none = [](Foreign&) {};
    refused({amounts()}, none, {"column \"key\": is missing"});
    refused({names()}, none, {"column \"value\": is missing"});
    refused({names(), amounts(), test::bools("more", {true, true, true})}, none, {"column \"more\": is unexpected", "\"key\""});
    refused({names(), amounts(), amounts()}, none, {"column \"value\": occurs twice"});
    refused([](Foreign& f) { f.schemas[0].name = nullptr; }, {"column \"\": is unexpected"});
    refused<SetStorage<std::string>>({names(), amounts()}, none, {"column \"value\": is unexpected"});
}

TEST_CASE("a schema that is no table, or has pointers missing, is refused", "[import]") {
    refused([](Foreign& f) { f.schema.format = "+l"; }, {"\"+l\""});
    refused([](Foreign& f) { f.schema.format = nullptr; }, {"format null"});
    refused([](Foreign& f) { f.schema.n_children = -1; }, {"-1 children"});
    refused([](Foreign& f) { f.schema.n_children = lowest; }, {"children"});
    refused([](Foreign& f) { f.schema.children = nullptr; }, {"no list"});
    refused([](Foreign& f) { f.schema_children[1] = nullptr; }, {"no child 1"});
    refused([](Foreign& f) { f.schemas[1].dictionary = &f.schemas[0]; }, {"\"value\"", "dictionary"});
    refused([](Foreign& f) { f.schemas[1].n_children = 1; }, {"\"value\"", "children"});
    refused([](Foreign& f) { f.schemas[1].format = nullptr; }, {"\"value\"", "no format"});
    refused([](Foreign& f) { f.schemas[0].release = nullptr; }, {"child 0", "released"});
    refused([](Foreign& f) { f.stream.get_next = nullptr; }, {"no get_schema or no get_next"});
    Foreign released({names(), amounts()});
    released.stream.release = nullptr;
    Map map;
    REQUIRE(try_import_stream(&released.stream, map).error == "import_stream: the stream was released");
}

TEST_CASE("what a stream leaves along with an error is not released", "[import]") {
    refused([](Foreign& f) { f.schema_error = 5; }, {"error 5", "as the test wants it"});
    refused([](Foreign& f) { f.next_error = 22; }, {"error 22"});
#if defined(__cpp_exceptions)
    Foreign foreign({names(), amounts()});
    {
        OwnedStream stream(&foreign.stream);
        foreign.schema_error = foreign.next_error = 7;
        REQUIRE_THROWS(stream.schema());
        REQUIRE_THROWS(stream.next());
    }
    REQUIRE(foreign.all_released_once());
#endif
}

TEST_CASE("a column of another type is refused by its name, its format and the one that is wanted", "[import]") {
    for (const char* format : {"", "g", "b", "u", "n", "tss:", "w:4", "d:10,2", "+s", "ii", "e", "z", "?"})
        refused([=](Foreign& f) { f.schemas[1].format = format; }, {"\"value\"", format, "an integer"});
    for (const char* format : {"", "i", "z", "Z", "vz", "uu", "v", "+l"})
        refused([=](Foreign& f) { f.schemas[0].format = format; }, {"\"key\"", format, "utf8"});
    refused_value<double>(test::numbers<std::int64_t>("value", "l", {1}), {"\"value\"", "\"l\"", "float64"});
    refused_value<float>(test::numbers<double>("value", "g", {1}), {"\"value\"", "\"g\""});
    refused_value<bool>(test::numbers<std::uint8_t>("value", "C", {1}), {"\"value\"", "\"C\"", "\"b\""});
    refused_value<std::chrono::seconds>(test::numbers<std::int64_t>("value", "tDm", {1}), {"\"tDm\"", "\"tDs\""});
    using Time = std::chrono::sys_time<std::chrono::seconds>;
    refused_value<Time>(test::numbers<std::int64_t>("value", "tss:", {1}), {"\"tss:\"", "\"tss:UTC\""});
    refused_value<Time>(test::numbers<std::int64_t>("value", "tsm:UTC", {1}), {"\"tsm:UTC\""});
}

TEST_CASE("a number that does not fit is refused by its column, value and row, before a row is written", "[import]") {
    const auto too_large = [](const auto& column, const char* value) {
        refused<MapStorage<int, std::int8_t>>({test::numbers<std::int32_t>("key", "i", {1, 2}), column}, [](Foreign&) {},
                                              {"\"value\"", value, "row 1", "does not fit"});
    };
    too_large(test::numbers<std::int16_t>("value", "s", {127, 128}), " 128 ");
    too_large(test::numbers<std::int64_t>("value", "l", {1, -129}), " -129 ");
    too_large(test::numbers<std::uint64_t>("value", "L", {1, ~std::uint64_t{0}}), " 18446744073709551615 ");
    too_large(test::numbers<std::uint8_t>("value", "C", {1, 255}), " 255 ");
    refused_value<std::uint64_t>(test::numbers<std::int8_t>("value", "c", {-1}), {" -1 ", "row 0"});
    refused_value<std::int64_t>(test::numbers<std::uint64_t>("value", "L", {std::uint64_t{1} << 63}), {"9223372036854775808"});
    using Minutes = std::chrono::duration<std::int32_t, std::ratio<60>>;
    refused_value<Minutes>(test::numbers<std::int64_t>("value", "tDs", {90}), {"\"value\"", " 90 ", "row 0"});
    refused_value<Minutes>(test::numbers<std::int64_t>("value", "tDs", {highest / 60 * 60}), {"\"value\"", "no value"});
}

TEST_CASE("lengths, offsets and counts that are negative, overflow or disagree are refused by the column's name", "[import]") {
    for (const std::size_t column : {0u, 1u}) {
        const std::string name = column == 0 ? "\"key\"" : "\"value\"";
        const auto one = [&](auto&& change, const std::vector<std::string>& words) {
            auto all = words;
            all.push_back(name);
            refused([&](Foreign& f) { change(f.batches[0].columns[column]); }, all);
        };
        for (const std::int64_t length : {std::int64_t{-1}, lowest})
            one([=](ArrowArray& a) { a.length = length; }, {"negative length"});
        for (const std::int64_t length : {0, 2}) one([=](ArrowArray& a) { a.length = length; }, {"rows"});
        one([](ArrowArray& a) { a.length = highest; }, {"overflows"});
        for (const std::int64_t offset : {std::int64_t{-1}, lowest})
            one([=](ArrowArray& a) { a.offset = offset; }, {"negative offset"});
        one([](ArrowArray& a) { a.offset = highest; }, {"overflows"});
        one([](ArrowArray& a) { a.offset = highest / 16; }, {"overflows"});
        for (const std::int64_t count : {std::int64_t{-2}, lowest, std::int64_t{4}, highest})
            one([=](ArrowArray& a) { a.null_count = count; }, {"null count"});
        one([](ArrowArray& a) { a.null_count = 1; }, {"1 nulls", "no validity bitmap"});
        one([](ArrowArray& a) { a.n_buffers = 1; }, {"1 buffers"});
        one([](ArrowArray& a) { a.n_buffers = 0; }, {"0 buffers"});
        one([](ArrowArray& a) { a.n_buffers = -1; }, {"-1 buffers"});
        one([](ArrowArray& a) { a.n_buffers = 9; }, {"9 buffers"});
        one([](ArrowArray& a) { a.buffers = nullptr; }, {"no list of buffers"});
        one([](ArrowArray& a) { a.buffers[1] = nullptr; }, {"no buffer 1"});
        one([](ArrowArray& a) { a.n_children = 1; }, {"children"});
        one([](ArrowArray& a) { a.dictionary = &a; }, {"dictionary"});
        one([](ArrowArray& a) { a.release = nullptr; }, {"released"});
        refused([&](Foreign& f) { f.batches[0].children[column] = nullptr; }, {name, "no array"});
        refused([&](Foreign& f) { f.batches[0].root.offset = 1; }, {"rows, where the batch needs 1 + 3"});
        refused([&](Foreign& f) { f.batches[0].root.length = 4; }, {"rows, where the batch needs 0 + 4"});
        const auto nullable = column == 0 ? names().nulls({false, true, false}) : amounts().nulls({false, true, false});
        refused({column == 0 ? nullable : names(), column == 1 ? nullable : amounts()}, [](Foreign&) {},
                {name, "null in row 1"});
        refused({column == 0 ? nullable : names(), column == 1 ? nullable : amounts()},
                [&](Foreign& f) { f.batches[0].columns[column].null_count = -1; }, {name, "null in row 1"});
        for (const std::int64_t count : {0, 2})
            refused({column == 0 ? nullable : names(), column == 1 ? nullable : amounts()},
                    [&](Foreign& f) { f.batches[0].columns[column].null_count = count; },
                    {name, "1 nulls, and the null count " + std::to_string(count)});
    }
}

TEST_CASE("a batch whose own fields are wrong is refused", "[import]") {
    const auto one = [](auto&& change, const std::string& word) {
        refused([&](Foreign& f) { change(f.batches[0].root); }, {"batch 1: ", word});
    };
    one([](ArrowArray& a) { a.length = -1; }, "negative length");
    one([](ArrowArray& a) { a.length = highest; }, "overflows");
    one([](ArrowArray& a) { a.offset = lowest; }, "negative offset");
    one([](ArrowArray& a) { a.null_count = -3; }, "null count");
    one([](ArrowArray& a) { a.null_count = 3; }, "3 nulls");
    one([](ArrowArray& a) { a.n_buffers = 0; }, "0 buffers");
    one([](ArrowArray& a) { a.n_buffers = 2; }, "2 buffers");
    one([](ArrowArray& a) { a.buffers = nullptr; }, "buffers");
    one([](ArrowArray& a) { a.n_children = 1; }, "1 columns");
    one([](ArrowArray& a) { a.n_children = -1; }, "-1 columns");
    one([](ArrowArray& a) { a.n_children = 3; }, "3 columns");
    one([](ArrowArray& a) { a.children = nullptr; }, "no list");
    one([](ArrowArray& a) { a.dictionary = &a; }, "buffers");
    const unsigned char bitmap = 0x05;
    refused(
        [&](Foreign& f) {
            f.batches[0].no_bitmap[0] = &bitmap;
            f.batches[0].root.null_count = -1;
        },
        {"null as a whole"});
}

TEST_CASE("offsets of text that go down, are negative or have no text are refused by the column's name", "[import]") {
    const auto with_offset = [](std::size_t at, auto offset) {
        return [=](Foreign& f) {
            auto* const bytes = const_cast<unsigned char*>(static_cast<const unsigned char*>(f.batches[0].buffers[0][1]));
            std::memcpy(bytes + at * sizeof offset, &offset, sizeof offset);
        };
    };
    for (const std::size_t at : {0u, 1u, 2u, 3u}) {
        refused(with_offset(at, std::int32_t{-1}), {"\"key\"", "offset -1 at row " + std::to_string(at)});
        refused({test::texts<std::int64_t>("key", {"a", "b", "c"}), amounts()}, with_offset(at, lowest),
                {"\"key\"", "offset -"});
    }
    refused(with_offset(1, std::int32_t{100}), {"\"key\"", "offset 2 at row 2"});
    refused([](Foreign& f) { f.batches[0].buffers[0][2] = nullptr; }, {"\"key\"", "no buffer 2"});
}

TEST_CASE("a text that is not UTF-8 is refused by its column and row, and one that is comes in", "[import]") {
    const std::string good = "\xc3\xbc, \xe2\x82\xac and \xf0\x9f\x8c\x8d", bad = "a long name cut off: \xe2\x82";
    const auto columns_of = [&](const std::string& text, bool null = false) {
        const std::vector<std::string> all{"not of the batch \xff", "a", good, text};
        auto column = test::texts("key", all, 1), large = test::texts<std::int64_t>("key", all, 1),
             view = test::views("key", {"a", good, text});
        if (null)
            for (test::Column* each : {&column, &large, &view}) each->nulls({false, false, true});
        return std::vector<test::Column>{column, large, view};
    };
    for (const std::string& wrong : {bad, std::string("\xff"), std::string("\xc0\x80"), std::string("\xed\xa0\x80")})
        for (const test::Column& column : columns_of(wrong))
            refused({column, amounts()}, [](Foreign&) {}, {"column \"key\": has a text in row 2 that is not UTF-8"});
    for (const test::Column& column : columns_of("b")) {
        SetStorage<std::string> set;
        Foreign foreign({column});
        REQUIRE((import_stream(&foreign.stream, set) == 3 && set.contains(good)));
    }
    for (test::Column column : columns_of(bad, true)) { // what lies under a null is nobody's
        column.name = "value";
        TSDStorage<int, std::string> series;
        Foreign foreign({test::numbers<std::int32_t>("key", "i", {1, 2, 3}), column});
        auto writer = series.write(1);
        REQUIRE((import_stream(&foreign.stream, writer) == 3 && !series.valid(3) && series.at(2) == good));
    }
    // A character that one text begins and the next one ends.
    refused({test::texts("key", {"a", "\xc3", "\xbc"}), amounts()}, [](Foreign&) {}, {"row 1 that is not UTF-8"});
}

TEST_CASE("views of text that lead beyond their buffers are refused by the column's name", "[import]") {
    const std::vector<test::Column> columns{test::views("key", {"short", "a long name of a row", "another long name"}),
                                            amounts()};
    const auto field = [&](std::size_t at, std::int32_t value, const std::string& word) {
        refused(columns,
                [&](Foreign& f) {
                    auto* const bytes =
                        const_cast<unsigned char*>(static_cast<const unsigned char*>(f.batches[0].buffers[0][1]));
                    std::memcpy(bytes + 4 * at, &value, sizeof value);
                },
                {"\"key\"", word});
    };
    const std::string beyond = "beyond its buffer";
    field(0, -1, "row 0");
    field(4, 22, beyond);                                        // longer by two
    field(4, std::numeric_limits<std::int32_t>::max(), "row 1"); // size
    field(6, 2, "row 1");                                        // which buffer
    field(6, -1, "row 1");
    field(7, 4, beyond); // the offset in it
    field(7, -1, beyond);
    field(11, std::numeric_limits<std::int32_t>::max(), "row 2");
    refused(columns, [](Foreign& f) { f.batches[0].buffers[0][2] = nullptr; }, {"\"key\"", "no buffer 2"});
    refused(columns, [](Foreign& f) { f.batches[0].buffers[0][4] = nullptr; }, {"\"key\"", "no buffer 4"});
    refused(columns, [](Foreign& f) { f.batches[0].columns[0].n_buffers = 2; }, {"\"key\"", "2 buffers"});
    refused(columns, [](Foreign& f) { f.batches[0].columns[0].n_buffers = 3; }, {"\"key\"", "row 1"});
}

TEST_CASE("a struct of which only some members are null is refused", "[import]") {
    const auto member = [](const char* name) { return test::numbers<std::int32_t>(name, "i", {1, 2}); };
    auto a = member("a"), b = member("b");
    TSDStorage<int, Pair> series;
    auto writer = series.write(1);
    Foreign some({member("key"), a.nulls({false, true}), b});
    const ImportResult result = try_import_stream(&some.stream, writer);
    REQUIRE(result.error == "import_stream: batch 1: column \"a\": and the other members of its struct are not null in the "
                            "same rows, see row 1");
    Foreign all({member("key"), a, b.nulls({false, true})});
    REQUIRE(import_stream(&all.stream, writer) == 2);
    REQUIRE(series.valid(1));
    REQUIRE(!series.valid(2));
}

TEST_CASE("of a batch that is refused nothing is written, and the batches before it stay", "[import]") {
    Map map;
    Foreign foreign({names(), amounts()});
    foreign.add({test::texts("key", {"c", "d"}), test::numbers<std::int32_t>("value", "i", {4, 5})});
    foreign.add({names(), amounts()});
    foreign.batches[1].columns[1].length = 1;
    const ImportResult result = try_import_stream(&foreign.stream, map);
    REQUIRE(result.error.find("import_stream: batch 2: column \"value\": has 1 rows") != std::string::npos);
    REQUIRE(result.rows == 3);
    REQUIRE(map == Map{{"a", 1}, {"b", 2}, {"a long name of a row", 3}});
    REQUIRE(foreign.batches_taken == 2);
    REQUIRE(foreign.all_released_once());
}

TEST_CASE("import_stream throws the text of the refusal, and releases everything", "[import]") {
    Map map;
    Foreign foreign({names(), test::bools("value", {true, false, true})});
    REQUIRE(arrow_test::refused("import_stream: column \"value\": has the format \"b\", not an integer",
                                [&] { import_stream(&foreign.stream, map); }));
#if defined(__cpp_exceptions)
    REQUIRE(foreign.all_released_once());
#endif
}

#if defined(__cpp_exceptions)
TEST_CASE("rows before a throw of the container stay, and everything is released", "[import]") {
    Full full;
    Foreign foreign({names(), amounts()});
    REQUIRE_THROWS_WITH(try_import_stream(&foreign.stream, full), "full");
    REQUIRE(full.rows == 2);
    REQUIRE(foreign.all_released_once());
}
#endif
