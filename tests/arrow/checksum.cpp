// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Checksums of deltas and restore points: damage is refused before anything has changed, other encodings are not.
#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/restore_point.hpp>

#include "foreign.hpp"
#include "support/catch.hpp"

#include <cstring>
#include <string>

namespace {
using namespace slotwise;
using test::Foreign;
using Dict = TSDStorage<std::string, std::int32_t>;
using Set = TSSStorage<std::string>;

Dict before() {
    Dict dict;
    auto writer = dict.write(1);
    for (int i = 0; i != 12; ++i) writer.set("key " + std::to_string(i), i);
    return dict;
}
Dict after() {
    Dict dict = before();
    auto writer = dict.write(2);
    writer.set("a key of more than twelve letters", -1);
    writer.set("key 3", 33);
    writer.remove("key 7");
    writer.create("empty");
    return dict;
}

/// The metadata and the rows of a delta as another library would hand them out.
struct Sent {
    std::vector<test::Column> columns{};
    ArrowPairs metadata{};
};
test::Buffer copy_of(const void* bytes, std::size_t size) {
    test::Buffer result(size);
    if (size != 0) std::memcpy(result.data(), bytes, size);
    return result;
}
template <class Series>
Sent sent(const Series& series) {
    ArrowArrayStream stream;
    export_delta(series, 1, &stream, {{"slotwise.shard", "3"}});
    OwnedStream owned(&stream);
    const OwnedSchema schema = owned.schema();
    OwnedArray batch = owned.next();
    Sent result{{}, decode_metadata(schema->metadata)};
    const auto rows = static_cast<std::size_t>(batch->length);
    for (std::int64_t i = 0; i != schema->n_children; ++i) {
        const ArrowSchema& type = *schema->children[i];
        const ArrowArray& array = *batch->children[i];
        test::Column column{type.name, type.format, {}, array.length, array.null_count, 0};
        column.buffers.emplace_back();
        if (array.buffers[0] != nullptr) column.buffers[0] = copy_of(array.buffers[0], (rows + 7) / 8);
        if (std::string_view(type.format) == "u") {
            column.buffers.emplace_back(copy_of(array.buffers[1], 4 * (rows + 1)));
            const auto end = static_cast<const std::int32_t*>(array.buffers[1])[rows];
            column.buffers.emplace_back(copy_of(array.buffers[2], static_cast<std::size_t>(end)));
        } else {
            const char letter = type.format[0];
            column.buffers.emplace_back(copy_of(array.buffers[1], rows * (letter == 'l' ? 8u : letter == 'i' ? 4u : 1u)));
        }
        result.columns.push_back(std::move(column));
    }
    return result;
}
struct Stream : Foreign {
    explicit Stream(const Sent& of) : Foreign(of.columns), metadata(encode_metadata(of.metadata)) {
        schema.metadata = metadata.data();
    }
    std::string metadata;
};
std::string applied(const Sent& of, Dict& replica) {
    Stream stream(of);
    const AppliedDelta result = try_apply_delta(replica, &stream.stream);
    return result ? result.applied == Applied::done ? "done" : "not done" : result.error;
}

} // namespace

TEST_CASE("each bit of each buffer and of the metadata of a delta: flipped, it is refused, and nothing has changed",
          "[delta][checksum]") {
    const Dict original = after();
    const Sent good = sent(original);
    Dict replica = before();
    const auto state = replica.snapshot();
    std::size_t flips = 0;
    const auto refused = [&](const Sent& damaged) {
        ++flips;
        const std::string text = applied(damaged, replica);
        if (text == "done" || text == "not done" || replica.snapshot() != state) FAIL("taken: " << text);
        ImportedDelta<Dict::delta_type> imported;
        Stream again(damaged);
        imported = try_import_delta<Dict::delta_type>(&again.stream);
        if (imported) FAIL("imported");
    };
    for (std::size_t c = 0; c != good.columns.size(); ++c)
        for (std::size_t b = 0; b != good.columns[c].buffers.size(); ++b)
            for (std::size_t at = 0; good.columns[c].buffers[b] && at != good.columns[c].buffers[b]->size(); ++at)
                for (unsigned bit = 0; bit != 8; ++bit) {
                    if (b == 0 && at * 8 + bit >= static_cast<std::size_t>(good.columns[c].length)) continue; // no row's
                    if (c == 3 && b == 1 && ((*good.columns[c].buffers[0])[at / 4 / 8] >> at / 4 % 8 & 1) == 0)
                        continue; // null
                    CAPTURE(c, b, at, bit);
                    Sent damaged = good;
                    (*damaged.columns[c].buffers[b])[at] ^= static_cast<unsigned char>(1u << bit);
                    damaged.columns[c].null_count = -1; // as files have none
                    refused(damaged);
                }
    for (std::size_t pair = 0; good.metadata[pair].first != "slotwise.shard"; ++pair)
        for (std::size_t at = 0; at != good.metadata[pair].second.size(); ++at)
            for (unsigned bit = 0; bit != 8; ++bit) {
                CAPTURE(pair, at, bit);
                Sent damaged = good;
                char& letter = damaged.metadata[pair].second[at];
                letter = static_cast<char>(letter ^ static_cast<char>(1u << bit));
                refused(damaged);
            }
    CHECK(flips > 1000);
    CHECK(applied(good, replica) == "done");
    CHECK(replica == original);
}

TEST_CASE("a delta in another encoding, and in several batches, has the same checksum", "[delta][checksum]") {
    const Dict original = after();
    const Sent good = sent(original);
    std::vector<std::string> keys;
    std::vector<std::int64_t> values;
    const auto& offsets = *good.columns[2].buffers[1];
    const auto& chars = *good.columns[2].buffers[2];
    for (std::size_t row = 0; row != static_cast<std::size_t>(good.columns[2].length); ++row) {
        std::int32_t bounds[2], value = 0;
        std::memcpy(bounds, offsets.data() + 4 * row, sizeof bounds);
        std::memcpy(&value, good.columns[3].buffers[1]->data() + 4 * row, sizeof value);
        keys.emplace_back(chars.begin() + bounds[0], chars.begin() + bounds[1]);
        values.push_back(value);
    }
    const auto wide = [&](test::Column column) {
        Sent other = good;
        column.name = "key";
        other.columns[2] = std::move(column);
        const auto validity = good.columns[3].buffers[0];
        other.columns[3] = test::numbers<std::int64_t>("value", "l", values);
        other.columns[3].buffers[0] = validity;
        other.columns[3].null_count = -1;
        return other;
    };
    for (const Sent& other : {wide(test::texts<std::int64_t>("key", keys)), wide(test::views("key", keys))}) {
        Dict replica = before();
        CHECK(applied(other, replica) == "done");
        CHECK(replica == original);
    }
}

TEST_CASE("a delta of version 0.2 has no checksum and is applied; one of this version without it is refused",
          "[delta][checksum]") {
    Sent old = sent(after());
    std::erase_if(old.metadata, [](const auto& pair) { return pair.first == "slotwise.checksum"; });
    Dict replica = before();
    CHECK(applied(old, replica).find("slotwise.checksum of the schema is missing") != std::string::npos);
    CHECK(replica == before());
    old.metadata[0].second = "1";
    CHECK(applied(old, replica) == "done");
    CHECK(replica == after());
}

TEST_CASE("an offset that leads beyond the texts is refused before a byte there is read", "[delta][checksum]") {
    Sent damaged = sent(after());
    auto& offsets = *damaged.columns[2].buffers[1];
    offsets[offsets.size() - 2] ^= 0x40; // four megabytes more, of a buffer that is exactly as large as its texts
    Dict replica = before();
    CHECK(applied(damaged, replica).find("column \"key\": has more text than the metadata slotwise.checksum say") !=
          std::string::npos);
    CHECK(replica == before());
}

TEST_CASE("a delta of a set, and one without rows, have checksums too", "[delta][checksum]") {
    Set set, replica;
    set.write(1).add("x");
    replica = set;
    set.write(2).close();
    for (int i = 0; i != 2; ++i) {
        ArrowArrayStream stream;
        export_delta(set, set.window() - 1, &stream);
        CHECK(apply_delta(replica, &stream) == Applied::done);
        CHECK(replica == set);
        set.write(set.window() + 1).add("y");
    }
}

TEST_CASE("a restore point whose shard is another one is refused", "[restore_point][checksum]") {
    const Dict dict = after();
    ArrowArrayStream stream;
    export_restore_point(dict, 3, &stream);
    OwnedStream owned(&stream);
    const OwnedSchema schema = owned.schema();
    OwnedArray row = owned.next();
    auto* const shard = const_cast<std::uint32_t*>(static_cast<const std::uint32_t*>(row->children[0]->buffers[1]));
    const auto restored = [&] {
        const std::string metadata(encode_metadata(decode_metadata(schema->metadata)));
        const auto bytes = dict.snapshot();
        auto state = test::texts("state", {std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
        state.format = "z";
        Foreign foreign({test::numbers<std::uint32_t>("shard", "I", {*shard}), test::numbers<std::int64_t>("window", "l", {2}),
                         test::texts("format", {"slotwise.snapshot"}), state});
        foreign.schema.metadata = metadata.data();
        Dict again;
        return try_restore_point(&foreign.stream, again).error;
    };
    CHECK(restored().empty());
    *shard ^= 1;
    CHECK(restored().find("the row is damaged") != std::string::npos);
}
