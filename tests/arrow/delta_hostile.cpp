// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Streams of deltas by hand: what they look like, and those that are refused before anything has changed.
#include "support/catch.hpp"

#include "arrow/foreign.hpp"
#include "arrow/refused.hpp"
#include "support/thrown.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/import.hpp>

#include <map>
#include <string>

using namespace slotwise;
using test::Foreign;

namespace {

using Dict = TSDStorage<std::string, std::int32_t, TimeBy<std::int64_t>>;
using Set = TSSStorage<std::string, TimeBy<std::int64_t>>;

struct Rows {
    std::vector<std::int64_t> times;
    std::vector<std::int8_t> ops;
    std::vector<std::string> keys;
    std::vector<std::int32_t> values;
    std::vector<bool> nulls;

    std::vector<test::Column> columns() const {
        auto value = test::numbers<std::int32_t>("value", "i", values);
        return {test::numbers<std::int64_t>("time", "l", times), test::numbers<std::int8_t>("op", "c", ops),
                test::texts("key", keys), value.nulls(nulls)};
    }
};
// From window 1 to 2: b is new, a is written, c is removed.
Rows good() { return {{2, 2, 2}, {1, 2, 3}, {"b", "a", "c"}, {20, 11, 0}, {false, false, true}}; }
ArrowPairs said() {
    return {{"slotwise.delta", "1"},
            {"slotwise.from", "1"},
            {"slotwise.to", "2"},
            {"slotwise.ticked", "1"},
            {"slotwise.keys_ticked", "1"}};
}
Dict before() {
    Dict dict;
    auto writer = dict.write(1);
    writer.set("a", 1);
    writer.set("c", 3);
    return dict;
}
struct Stream : Foreign {
    explicit Stream(const Rows& rows = good(), const ArrowPairs& pairs = said())
        : Foreign(rows.columns()), metadata(encode_metadata(pairs)) {
        schema.metadata = metadata.empty() ? nullptr : metadata.data();
    }
    std::string metadata;
};

void refused(Stream&& stream, const std::vector<std::string>& words, Strictness mode = Strictness::strict) {
    Dict dict = before();
    const auto bytes = dict.snapshot();
    const AppliedDelta result = try_apply_delta(dict, &stream.stream, mode);
    CAPTURE(result.error);
    REQUIRE(!result);
    for (const std::string& word : words) {
        CAPTURE(word);
        REQUIRE(result.error.find(word) != std::string::npos);
    }
    REQUIRE(dict.snapshot() == bytes);
    REQUIRE(stream.all_released_once());
}
void refused_rows(Rows rows, const std::vector<std::string>& words) { refused(Stream(rows), words); }
void refused_pairs(const std::string& key, const char* value) {
    ArrowPairs pairs = said();
    for (auto at = pairs.begin(); at != pairs.end(); ++at)
        if (at->first == key) {
            if (value != nullptr)
                at->second = value;
            else
                pairs.erase(at);
            break;
        }
    refused(Stream(good(), pairs), {"the metadata " + key, value == nullptr ? "missing" : value});
}

} // namespace

TEST_CASE("a delta of another program is applied, in one batch or in several", "[delta]") {
    Dict dict = before();
    Stream stream;
    REQUIRE(apply_delta(dict, &stream.stream) == Applied::done);
    REQUIRE(stream.all_released_once());
    REQUIRE(dict.window() == 2);
    REQUIRE(dict.size() == 2);
    REQUIRE(dict.at("a") == 11);
    REQUIRE(dict.at("b") == 20);
    const auto delta = capture(dict, 2);
    REQUIRE(delta.added == std::vector<std::string>{"b"});
    REQUIRE(delta.removed == std::vector<std::string>{"c"});
    Dict second = before();
    Stream parts(Rows{{2}, {3}, {"c"}, {0}, {true}});
    parts.add(Rows{{}, {}, {}, {}, {}}.columns());
    parts.add(Rows{{2, 2}, {1, 2}, {"b", "a"}, {20, 11}, {false, false}}.columns());
    REQUIRE(apply_delta(second, &parts.stream) == Applied::done);
    REQUIRE(capture(second, 2) == delta);
    REQUIRE(parts.all_released_once());
}

TEST_CASE("a window without a change is a batch of no rows, and opens the window of the replica", "[delta]") {
    Dict dict = before(), replica = before();
    static_cast<void>(dict.write(2));
    ArrowArrayStream stream;
    export_delta(dict, 1, &stream);
    OwnedStream owned(&stream);
    OwnedArray batch = owned.next();
    REQUIRE(batch);
    REQUIRE(batch->length == 0);
    REQUIRE(!owned.next());
    export_delta(dict, 1, &stream);
    REQUIRE(apply_delta(replica, &stream) == Applied::done);
    REQUIRE(replica.window() == 2);
    REQUIRE(replica.last_modified() == 1);
    // A stream without any batch says the same.
    Foreign none({Rows().columns()}, true);
    const std::string metadata = encode_metadata({{"slotwise.delta", "1"},
                                                  {"slotwise.from", "2"},
                                                  {"slotwise.to", "5"},
                                                  {"slotwise.ticked", "1"},
                                                  {"slotwise.keys_ticked", "0"}});
    none.schema.metadata = metadata.data();
    REQUIRE(apply_delta(replica, &none.stream) == Applied::done);
    REQUIRE(replica.last_modified() == 5);
    REQUIRE(replica.keys().last_modified() == 1);
}

TEST_CASE("the schema of a delta has these columns, in this order, and the windows between which it leads", "[delta]") {
    Dict dict = before();
    ArrowArrayStream stream;
    export_delta(dict, Dict::never, &stream, {{"slotwise.shard", "3"}});
    OwnedStream owned(&stream);
    const OwnedSchema schema = owned.schema();
    const char* const expected[][2] = {{"time", "l"}, {"op", "c"}, {"key", "u"}, {"value", "i"}};
    REQUIRE(schema->n_children == 4);
    for (std::size_t i = 0; i != 4; ++i) {
        REQUIRE(std::string(schema->children[i]->name) == expected[i][0]);
        REQUIRE(std::string(schema->children[i]->format) == expected[i][1]);
        REQUIRE(schema->children[i]->flags == (i == 3 ? ARROW_FLAG_NULLABLE : 0));
    }
    ArrowPairs pairs = decode_metadata(schema->metadata);
    REQUIRE(pairs.size() == 7);
    REQUIRE((pairs[5].first == "slotwise.checksum" && pairs[5].second.size() == 55 && pairs[5].second.starts_with("xxh3:")));
    pairs.erase(pairs.begin() + 5);
    REQUIRE(pairs == ArrowPairs{{"slotwise.delta", "2"},
                                {"slotwise.from", "-9223372036854775808"},
                                {"slotwise.to", "1"},
                                {"slotwise.ticked", "1"},
                                {"slotwise.keys_ticked", "1"},
                                {"slotwise.shard", "3"}});
}

TEST_CASE("a column of a delta that is moved out outlives batch and stream", "[delta]") {
    OwnedArray column;
    {
        ArrowArrayStream stream;
        export_delta(before(), Dict::never, &stream);
        OwnedStream owned(&stream);
        OwnedArray batch = owned.next();
        column = OwnedArray(batch->children[2]);
    }
    REQUIRE(column->length == 2);
    const auto* const offsets = static_cast<const std::int32_t*>(column->buffers[1]);
    REQUIRE(std::string(static_cast<const char*>(column->buffers[2]), 2) == "ac");
    REQUIRE(offsets[2] == 2);
}

TEST_CASE("the change feed has the change types and the version of Delta Lake", "[delta]") {
    Dict dict = before();
    {
        auto writer = dict.write(2);
        writer.set("b", 20);
        writer.set("a", 11);
        writer.remove("c");
    }
    ArrowArrayStream stream;
    export_change_feed(capture(dict, 2), &stream);
    struct Change {
        std::string type;
        std::int64_t version = 0;
        std::int32_t value = 0;
    };
    std::map<std::string, std::string> types;
    OwnedStream owned(&stream);
    const OwnedSchema schema = owned.schema();
    REQUIRE(std::string(schema->children[0]->name) == "_change_type");
    REQUIRE(std::string(schema->children[1]->name) == "_commit_version");
    OwnedArray batch = owned.next();
    const auto text = [&](std::size_t column, std::size_t row) {
        const ArrowArray& array = *batch->children[column];
        const auto* const offsets = static_cast<const std::int32_t*>(array.buffers[1]);
        const auto* const chars = static_cast<const char*>(array.buffers[2]);
        return std::string(chars + offsets[row], chars + offsets[row + 1]);
    };
    for (std::size_t row = 0; row != 3; ++row) {
        types[text(2, row)] = text(0, row);
        REQUIRE(static_cast<const std::int64_t*>(batch->children[1]->buffers[1])[row] == 2);
    }
    REQUIRE(types == std::map<std::string, std::string>{{"a", "update_postimage"}, {"b", "insert"}, {"c", "delete"}});
}

TEST_CASE("a delta whose metadata is missing or wrong is refused by the key", "[delta]") {
    for (const char* key : {"slotwise.delta", "slotwise.from", "slotwise.to", "slotwise.ticked", "slotwise.keys_ticked"}) {
        refused_pairs(key, nullptr);
        for (const char* value : {"", "x", "2x", " 2", "99999999999999999999"}) refused_pairs(key, value);
    }
    refused_pairs("slotwise.delta", "3");
    refused_pairs("slotwise.ticked", "yes");
    ArrowPairs pairs = said();
    pairs[1].second = "3";
    refused(Stream(good(), pairs), {"slotwise.from is later than slotwise.to: 3, 2"});
    refused(Stream(good(), {}), {"slotwise.delta", "missing"});
    for (const std::int32_t count : {-1, 1}) {
        Stream stream;
        const std::int32_t lengths[] = {count, -5};
        stream.metadata.assign(reinterpret_cast<const char*>(lengths), sizeof lengths);
        stream.schema.metadata = stream.metadata.data();
        refused(std::move(stream), {"negative"});
    }
}

TEST_CASE("a delta whose rows contradict themselves is refused by the column and the row", "[delta]") {
    for (const std::int8_t op : {std::int8_t{0}, std::int8_t{5}, std::int8_t{-1}, std::int8_t{127}}) {
        Rows rows = good();
        rows.ops[1] = op;
        refused_rows(rows, {"column \"op\": is " + std::to_string(op) + " in row 1"});
    }
    Rows rows = good();
    rows.times[2] = 1;
    refused_rows(rows, {"column \"time\": is 1", "row 2"});
    rows = good();
    rows.nulls[1] = true;
    refused_rows(rows, {"column \"value\": is null for an update in row 1"});
    rows = good();
    rows.nulls[2] = false;
    refused_rows(rows, {"column \"value\": is not null for a remove in row 2"});
    for (const std::size_t column : {0u, 1u, 2u}) {
        Stream stream;
        auto columns = good().columns();
        columns[column].nulls({false, true, false});
        stream.batches.clear();
        stream.add(columns);
        refused(std::move(stream), {"column \"" + columns[column].name + "\": is null in row 1"});
    }
}

TEST_CASE("a delta that does not fit the series is refused, and nothing has changed", "[delta]") {
    Rows rows = good();
    rows.keys[0] = "a";
    rows.keys[1] = "c";
    rows.keys[2] = "d";
    refused_rows(rows, {"column \"key\": is a member already in row 0"});
    rows = good();
    rows.keys[1] = "z";
    refused_rows(rows, {"column \"key\": is not a member in row 1"});
    rows = good();
    rows.keys[2] = "z";
    refused_rows(rows, {"column \"key\": is not a member in row 2"});
    rows = good();
    rows.keys[2] = "a";
    refused_rows(rows, {"column \"key\": occurs twice in row 2"});
    rows = good();
    rows.ops = {1, 1, 3};
    rows.keys[1] = "b";
    refused_rows(rows, {"column \"key\": occurs twice in row 1"});
    refused(Stream(rows), {"occurs twice"}, Strictness::lenient);
    rows.ops = {4, 2, 3};
    rows.keys = {"b", "a", "c"};
    refused_rows(rows, {"is not a member in row 0"});
    Stream several;
    several.add(Rows{{2}, {2}, {"a"}, {5}, {false}}.columns());
    refused(std::move(several), {"occurs twice"});
}

TEST_CASE("a key in two batches of a delta is refused, also where both rows together are one change", "[delta]") {
    const auto two = [](std::int8_t first, std::int8_t second, Strictness mode) {
        Stream stream(Rows{{2}, {first}, {"b"}, {0}, {true}});
        stream.add(Rows{{2}, {second}, {"b"}, {5}, {false}}.columns());
        refused(std::move(stream), {"column \"key\": occurs twice"}, mode);
    };
    two(1, 2, Strictness::strict); // inserted without a value, and then written
    two(1, 2, Strictness::lenient);
    two(1, 1, Strictness::strict);
    two(4, 2, Strictness::lenient);
}

TEST_CASE("a lenient delta skips what is there already, and creates what is written", "[delta]") {
    Dict dict = before();
    Stream stream(Rows{{2, 2, 2, 2}, {1, 2, 3, 1}, {"a", "z", "y", "c"}, {5, 6, 0, 0}, {false, false, true, true}});
    REQUIRE(apply_delta(dict, &stream.stream, Strictness::lenient) == Applied::done);
    REQUIRE(dict.size() == 3);
    REQUIRE(dict.at("a") == 5);
    REQUIRE(dict.at("z") == 6);
    REQUIRE(dict.at("c") == 3);
}

TEST_CASE("sets have no value, and no updates", "[delta]") {
    const auto stream_of = [](std::int8_t op) {
        auto columns = Rows{{2}, {op}, {"a"}, {0}, {true}}.columns();
        columns.pop_back();
        return columns;
    };
    const std::string metadata = encode_metadata(said());
    const auto apply = [&](const std::vector<test::Column>& columns) {
        Set set;
        static_cast<void>(set.write(1));
        Foreign foreign(columns);
        foreign.schema.metadata = metadata.data();
        const AppliedDelta result = try_apply_delta(set, &foreign.stream);
        REQUIRE(foreign.all_released_once());
        return result.error.empty() && set.contains("a") ? "done" : result.error;
    };
    REQUIRE(apply(stream_of(1)) == "done");
    REQUIRE(apply(stream_of(2)) == "apply_delta: column \"op\": is 2 in row 0");
    REQUIRE(apply(stream_of(4)) == "apply_delta: column \"op\": is 4 in row 0");
    REQUIRE(apply(Rows{{2}, {1}, {"a"}, {0}, {true}}.columns()) ==
            "apply_delta: column \"value\": is unexpected; select the columns \"time\", \"op\", \"key\"");
}

TEST_CASE("what was applied is answered without reading a batch", "[delta]") {
    Dict dict = before();
    {
        auto writer = dict.write(2);
        writer.set("a", 7);
    }
    Stream stream;
    REQUIRE(apply_delta(dict, &stream.stream) == Applied::already);
    REQUIRE(stream.batches_taken == 0);
    REQUIRE(stream.all_released_once());
    Dict empty;
    Stream early;
    REQUIRE(apply_delta(empty, &early.stream) == Applied::gap);
    REQUIRE(early.all_released_once());
    REQUIRE(empty.window() == Dict::never);
}

TEST_CASE("apply_delta and import_delta throw the text of the refusal", "[delta]") {
    Rows rows = good();
    rows.ops[0] = 9;
    REQUIRE(arrow_test::refused("apply_delta: column \"op\": is 9 in row 0", [&] {
        Dict dict = before();
        Stream stream(rows);
        apply_delta(dict, &stream.stream);
    }));
    REQUIRE(arrow_test::refused("import_delta: column \"op\": is 9 in row 0", [&] {
        Stream stream(rows);
        import_delta<Dict::delta_type>(&stream.stream);
    }));
    Stream stream(rows);
    const auto result = try_import_delta<Dict::delta_type>(&stream.stream);
    REQUIRE(!result);
    REQUIRE(result.delta.added.empty());
    REQUIRE(stream.all_released_once());
}

TEST_CASE("an export of a delta that runs out of memory leaves no stream behind", "[delta]") {
    const Dict dict = before();
    const auto delta = capture(dict, 1);
    const auto swept = [](auto&& call) {
        return test::run_out_of_memory([&](auto&& attempt) {
            ArrowArrayStream stream{};
            if (!attempt([&] { call(stream); })) stream.release(&stream);
            CHECK(stream.release == nullptr);
        });
    };
    REQUIRE(swept([&](ArrowArrayStream& stream) { export_delta(delta, Dict::never, &stream); }) > 10);
    REQUIRE(swept([&](ArrowArrayStream& stream) { export_delta(dict, Dict::never, &stream); }) > 10);
    REQUIRE(swept([&](ArrowArrayStream& stream) { export_change_feed(delta, &stream); }) > 10);
    // A stream reports it by the number ENOMEM, and gives the same schema and batch later.
    ArrowArrayStream stream{};
    export_delta(dict, Dict::never, &stream);
    OwnedStream owned(&stream);
    const auto failures = test::run_out_of_memory([&](auto&& attempt) {
        OwnedSchema schema;
        attempt([&] {
            if (owned->get_schema(owned.get(), schema.out()) == 12) TEST_THROW(std::bad_alloc());
        });
    });
    REQUIRE(failures > 3);
}

TEST_CASE("a delta whose check runs out of memory changes nothing, and everything is released", "[delta]") {
    std::size_t untouched = 0;
    const auto failures = test::run_out_of_memory([&](auto&& attempt) {
        Dict dict = before();
        const auto bytes = dict.snapshot();
        Stream stream;
        AppliedDelta result;
        const bool failed = attempt([&] { result = try_apply_delta(dict, &stream.stream); });
        CHECK(stream.stream_releases == 1);
        CHECK(stream.all_released_once());
        if (failed && dict.window() == 1) {
            CHECK(dict.snapshot() == bytes);
            ++untouched;
        }
        if (!failed) CHECK(dict.at("a") == 11);
        dict.check_invariants();
    });
    CHECK(untouched != 0);
    REQUIRE(failures > 4);
}
