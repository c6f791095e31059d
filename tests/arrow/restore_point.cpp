// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Restore points: the snapshot of a shard as a row of a stream.
#include "support/catch.hpp"

#include "arrow/foreign.hpp"
#include "arrow/refused.hpp"
#include "support/thrown.hpp"

#include <slotwise/arrow/restore_point.hpp>

#include <string>

using namespace slotwise;
using test::Foreign;

namespace {

using Dict = TSDStorage<std::string, std::int32_t>;

Dict before() {
    Dict dict;
    auto writer = dict.write(7);
    writer.set("a", 1);
    writer.set("b", 2);
    writer.remove("a");
    return dict;
}
test::Column state_of(const Dict& dict) {
    const auto bytes = dict.snapshot();
    auto column = test::texts("state", {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
    column.format = "z";
    return column;
}
std::vector<test::Column> columns() {
    return {test::numbers<std::uint32_t>("shard", "I", {3}), test::numbers<std::int64_t>("window", "l", {7}),
            test::texts("format", {"slotwise.snapshot"}), state_of(before())};
}
std::string refusal_of(const std::vector<test::Column>& with, int batches = 1) {
    Dict dict;
    dict.write(1).set("x", 5);
    const auto bytes = dict.snapshot();
    Foreign foreign(with, true);
    for (int i = 0; i != batches; ++i) foreign.add(with);
    const RestorePoint point = try_restore_point(&foreign.stream, dict);
    REQUIRE(foreign.all_released_once());
    REQUIRE((dict.snapshot() == bytes) == !point);
    return point.error;
}

} // namespace

TEST_CASE("a series that is restored from its row has its state, its window and its handles", "[restore_point]") {
    const Dict dict = before();
    const auto handle = dict.handle_of("b");
    ArrowArrayStream stream;
    export_restore_point(dict, 3, &stream, {{"by", "test"}});
    Dict again;
    REQUIRE(restore_point(&stream, again) == 3);
    REQUIRE(stream.release == nullptr);
    REQUIRE(again == dict);
    REQUIRE(again.window() == 7);
    REQUIRE(again.handle_of("b") == handle);
    REQUIRE(again.snapshot() == dict.snapshot());
    REQUIRE(refusal_of(columns()).empty());
}

TEST_CASE("a restore point that is damaged is refused by the column, and nothing has changed", "[restore_point]") {
    auto wrong = columns();
    wrong[3] = test::texts("state", {"no snapshot"});
    REQUIRE(refusal_of(wrong).find("column \"state\": has the format \"u\", not binary") != std::string::npos);
    wrong[3].format = "z";
    REQUIRE(refusal_of(wrong).find("restore_point: column \"state\": ") == 0);
    wrong = columns();
    wrong[2] = test::texts("format", {"parquet"});
    REQUIRE(refusal_of(wrong) == "restore_point: column \"format\": is \"parquet\"");
    wrong = columns();
    for (const std::int64_t window : {std::int64_t{6}, std::int64_t{8}, std::int64_t{0}, before().window() << 8}) {
        wrong[1] = test::numbers<std::int64_t>("window", "l", {window});
        REQUIRE(refusal_of(wrong).find("restore_point: column \"window\": is not the window of the state") == 0);
    }
    wrong[3].buffers[2]->resize(20); // too short to have a window
    wrong[3].buffers[1] = test::bytes_of<std::int32_t>({0, 20});
    REQUIRE(refusal_of(wrong).find("restore_point: column \"state\": ") == 0);
    wrong = columns();
    wrong[0].nulls({true});
    REQUIRE(refusal_of(wrong).find("column \"shard\": is null") != std::string::npos);
    wrong.pop_back();
    REQUIRE(refusal_of(wrong) == "restore_point: column \"state\": is missing");
    REQUIRE(refusal_of(columns(), 0) == "restore_point: a restore point is one row");
    REQUIRE(refusal_of(columns(), 2) == "restore_point: a restore point is one row");
}

TEST_CASE("restore_point throws the text of the refusal", "[restore_point]") {
    REQUIRE(arrow_test::refused("restore_point: a restore point is one row", [] {
        Dict dict;
        Foreign foreign(columns(), true);
        restore_point(&foreign.stream, dict);
    }));
}

TEST_CASE("restore points that run out of memory leave no stream and change nothing", "[restore_point]") {
    const Dict dict = before();
    REQUIRE(test::run_out_of_memory([&](auto&& attempt) {
                ArrowArrayStream stream{};
                if (!attempt([&] { export_restore_point(dict, 3, &stream); })) stream.release(&stream);
                CHECK(stream.release == nullptr);
            }) > 5);
    REQUIRE(test::run_out_of_memory([&](auto&& attempt) {
                Dict again;
                Foreign foreign(columns());
                const bool failed = attempt([&] { static_cast<void>(try_restore_point(&foreign.stream, again)); });
                CHECK(foreign.all_released_once());
                CHECK(again.empty() == failed);
                again.check_invariants();
            }) > 5);
}
