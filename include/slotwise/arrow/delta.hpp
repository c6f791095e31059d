// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Deltas of series as Arrow streams: export_delta, import_delta, export_change_feed.
#ifndef SLOTWISE_ARROW_DELTA_HPP
#define SLOTWISE_ARROW_DELTA_HPP

#include "../series/capture.hpp"
#include "../series/tsd_storage.hpp"
#include "detail/batch_builder.hpp"
#include "detail/batch_reader.hpp"

#include <charconv>
#include <cstdint>

SLOTWISE_BEGIN

/// What a row of a delta does: the number in its column "op".
enum class DeltaOp : std::int8_t {
    insert = 1, ///< the key becomes a member with this value, or without a value if that is null
    update = 2, ///< the member's value is replaced
    remove = 3, ///< the key is removed
    reset = 4   ///< the member's element is replaced by a new one with this value, or without a value if that is null
};

/// A delta that was read from a stream, and what its schema says about it.
template <class Delta>
struct ImportedDelta {
    using time_type = decltype(Delta::time);
    Delta delta{};         ///< the changes up to window delta.time
    time_type from{};      ///< the window after which they begin
    ArrowPairs metadata{}; ///< all metadata of the schema, in their order
    std::string error{};   ///< why the stream was refused; empty if it was not

    /// Whether the stream was read.
    explicit operator bool() const noexcept { return error.empty(); }
};

namespace detail {

/// The types of key, value and time of a delta. The value of a set's delta is void.
template <class Delta>
struct DeltaTypes;
template <class Key, class Time>
struct DeltaTypes<SetDelta<Key, Time>> {
    using key = Key;
    using value = void;
    using time = Time;
};
template <class Key, class T, class Time>
struct DeltaTypes<DictDelta<Key, T, Time>> {
    static_assert(!is_series<T>, "Arrow deltas: values are columns, and a nested series is none; send a stream for each");
    using key = Key;
    using value = T;
    using time = Time;
};

//=== times as text ===//

/// A time as the decimal number that its column would have.
template <class Time>
std::string delta_time_text(const Time& time) {
    using Stored = typename ArrowType<Time>::stored;
    static_assert(std::is_integral_v<Stored>,
                  "Arrow deltas: the time of the series is an integer, a duration or a time point, so that its text is exact");
    return std::to_string(ArrowType<Time>::encode(time));
}
/// Reads a result of delta_time_text(). Returns false for anything else.
template <class Time>
bool read_delta_time(const std::string* text, Time& time) {
    typename ArrowType<Time>::stored stored{};
    if (text == nullptr) return false;
    const char* const end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, stored);
    if (error != std::errc() || at != end) return false;
    time = ArrowType<Time>::decode(stored);
    return ArrowType<Time>::encode(time) == stored;
}

//=== rows of a delta ===//

/// The builder of values of T, which is void for a set.
template <class T>
using ValueBuilder =
    typename std::conditional_t<std::is_void_v<T>, std::type_identity<NoColumns>, std::type_identity<ColumnsBuilder<T>>>::type;

/// Calls row(op, key, value) for each row of a delta. `value` is null where there is none.
template <class Key, class Time, class Row>
void each_delta_row(const SetDelta<Key, Time>& delta, Row&& row) {
    constexpr const Key* none = nullptr;
    for (const Key& key : delta.removed) row(DeltaOp::remove, key, none);
    for (const Key& key : delta.added) row(DeltaOp::insert, key, none);
}
template <class Key, class T, class Time, class Row>
void each_delta_row(const DictDelta<Key, T, Time>& delta, Row&& row) {
    constexpr const T* none = nullptr;
    for (const Key& key : delta.removed) row(DeltaOp::remove, key, none);
    // A key that was written and is new, or was reset, is in two lists of the delta and gets one row.
    using Places = KeyPointers<Key, DefaultHash<Key>, EqualTo>;
    const DefaultHash<Key> hash;
    const EqualTo equal;
    const auto without_value = [&](const std::vector<Key>& list, Places& left) {
        for (const Key& key : list) left.insert(std::addressof(key));
    };
    Places added(PointeeHash<DefaultHash<Key>>{&hash}, PointeeEqual<EqualTo>{&equal});
    Places reset(PointeeHash<DefaultHash<Key>>{&hash}, PointeeEqual<EqualTo>{&equal});
    without_value(delta.added, added);
    without_value(delta.reset, reset);
    for (const auto& [key, value] : delta.modified) {
        const Key* const at = std::addressof(key);
        row(added.erase(at) != 0   ? DeltaOp::insert
            : reset.erase(at) != 0 ? DeltaOp::reset
                                   : DeltaOp::update,
            key, std::addressof(value));
    }
    for (const Key& key : delta.added)
        if (added.contains(std::addressof(key))) row(DeltaOp::insert, key, none);
    for (const Key& key : delta.reset)
        if (reset.contains(std::addressof(key))) row(DeltaOp::reset, key, none);
}
/// The same for the open window of a series, without a delta in between.
template <class Series, class Row>
void each_window_row(const Series& series, Row&& row) {
    const auto now = series.window();
    if constexpr (requires { series.updated_items(now); }) {
        constexpr const typename Series::mapped_type* none = nullptr;
        for (const auto& key : series.removed_keys(now)) row(DeltaOp::remove, key, none);
        const auto added = series.added_keys(now);
        for (auto it = added.begin(); it != added.end(); ++it)
            row(DeltaOp::insert, *it, series.modified_at(it.slot(), now) ? std::addressof(series.value(it.slot())) : none);
        for (const auto [key, value] : series.updated_items(now)) row(DeltaOp::update, key, std::addressof(value));
        for (const auto& key : series.reset_keys(now)) row(DeltaOp::reset, key, none);
    } else {
        constexpr const typename Series::key_type* none = nullptr;
        for (const auto& key : series.removed(now)) row(DeltaOp::remove, key, none);
        for (const auto& key : series.added(now)) row(DeltaOp::insert, key, none);
    }
}

/// What the schema of a delta says besides its columns.
template <class Time>
struct DeltaHeader {
    Time from{}, to{};
    bool ticked = false, keys_ticked = false, invalidated = false;
};
/// The checksum of the metadata, with the checksum of the rows among them. So a reader can trust the metadata before it reads
/// the rows, and need not read them if it does not want the delta.
template <class Time>
std::uint64_t header_checksum(const DeltaHeader<Time>& header, const RowsChecksum& rows) {
    ColumnChecksum all;
    all.value(rows.checksum);
    all.value(rows.text);
    all.value(ArrowType<Time>::encode(header.from));
    all.value(ArrowType<Time>::encode(header.to));
    for (const bool flag : {header.ticked, header.keys_ticked, header.invalidated}) all.value(flag);
    return all.finish();
}
/// The value of slotwise.checksum: three numbers of 16 hexadecimal digits each.
template <class Time>
std::string checksum_of(const DeltaHeader<Time>& header, const RowsChecksum& rows) {
    return "xxh3:" + checksum_text(header_checksum(header, rows)) + ":" + checksum_text(rows.checksum) + ":" +
           checksum_text(rows.text);
}
/// The metadata of a delta's schema.
template <class Time>
ArrowPairs metadata_of(const DeltaHeader<Time>& header, const RowsChecksum& rows, ArrowPairs extra) {
    const auto flag = [](bool on) { return std::string(on ? "1" : "0"); };
    ArrowPairs pairs{{"slotwise.delta", "2"},
                     {"slotwise.from", delta_time_text(header.from)},
                     {"slotwise.to", delta_time_text(header.to)},
                     {"slotwise.ticked", flag(header.ticked)},
                     {"slotwise.keys_ticked", flag(header.keys_ticked)}};
    if (header.invalidated) pairs.emplace_back("slotwise.invalidated", "1");
    pairs.emplace_back(checksum_key, checksum_of(header, rows));
    for (auto& pair : extra) pairs.push_back(std::move(pair));
    return pairs;
}
/// The header of a delta. @param from the window after which it begins
template <class Delta>
auto header_of(const Delta& delta, const typename DeltaTypes<Delta>::time& from) {
    DeltaHeader<typename DeltaTypes<Delta>::time> header{from, delta.time, delta.ticked, false, delta.invalidated};
    if constexpr (requires { delta.keys_ticked; }) header.keys_ticked = delta.keys_ticked;
    return header;
}

/// Adds a row to a batch. `value` is null where there is none.
template <class Keys, class Values, class Key, class T>
void add_row(BuiltBatch& batch, Keys& keys, Values& values, const Key& key, const T* value) {
    keys.add(key);
    if (value != nullptr)
        values.add(*value);
    else
        values.add_null();
    ++batch.rows;
}

/// Makes the stream of a delta. @param each each(row) calls row(op, key, value) for each row
template <class Delta, class Each>
void export_rows(const DeltaHeader<typename DeltaTypes<Delta>::time>& header, std::size_t rows, ArrowPairs extra,
                 ArrowArrayStream* out, Each&& each) {
    using Types = DeltaTypes<Delta>;
    ColumnBuilder<typename Types::time> times("time", false);
    ColumnBuilder<std::int8_t> ops("op", false);
    ColumnsBuilder<typename Types::key> keys("key", false);
    ValueBuilder<typename Types::value> values("value", true);
    ops.reserve(rows);
    keys.reserve(rows);
    values.reserve(rows);
    BuiltBatch batch;
    each([&](DeltaOp op, const typename Types::key& key, const auto* value) {
        ops.add(static_cast<std::int8_t>(op));
        add_row(batch, keys, values, key, value);
    });
    times.add_each(batch.rows, header.to);
    batch.columns.push_back(times.finish());
    batch.columns.push_back(ops.finish());
    keys.finish(batch.columns);
    values.finish(batch.columns);
    batch.metadata = metadata_of(header, batch.rows_checksum(), std::move(extra));
    ArrowStream<BuiltBatch>::give(std::move(batch), out);
}
/// An upper bound of the number of rows of a delta.
template <class Delta>
std::size_t delta_rows(const Delta& delta) noexcept {
    std::size_t rows = delta.added.size() + delta.removed.size();
    if constexpr (requires { delta.modified; }) rows += delta.modified.size() + delta.reset.size();
    return rows;
}

//=== reading ===//

/// Reads and checks the metadata. @param rows is set to what they say about the rows @param has_checksum is set if they do
template <class Time>
bool read_header(const ArrowSchema& schema, ArrowPairs& pairs, DeltaHeader<Time>& header, RowsChecksum& rows,
                 bool& has_checksum, ArrowRefusal& refusal) {
    if (!read_metadata(schema.metadata, pairs)) return refusal.whole("a length in the metadata of the schema is negative");
    const auto wrong = [&](const char* key) {
        const std::string* const text = find_metadata(pairs, key);
        return refusal.whole("the metadata " + std::string(key) + " of the schema is " +
                             (text == nullptr ? "missing" : quoted(text->c_str())));
    };
    const auto flag = [&](const char* key, bool& to, bool required) {
        const std::string* const text = find_metadata(pairs, key);
        if (text == nullptr) return !required || wrong(key);
        to = *text == "1";
        return to || *text == "0" || wrong(key);
    };
    const std::string* const version = find_metadata(pairs, "slotwise.delta");
    if (version == nullptr || (*version != "1" && *version != "2")) return wrong("slotwise.delta");
    if (!read_delta_time(find_metadata(pairs, "slotwise.from"), header.from)) return wrong("slotwise.from");
    if (!read_delta_time(find_metadata(pairs, "slotwise.to"), header.to)) return wrong("slotwise.to");
    if (!(header.from <= header.to))
        return refusal.whole("the metadata slotwise.from is later than slotwise.to: " + delta_time_text(header.from) + ", " +
                             delta_time_text(header.to));
    if (!flag("slotwise.ticked", header.ticked, true) || !flag("slotwise.keys_ticked", header.keys_ticked, true) ||
        !flag("slotwise.invalidated", header.invalidated, false))
        return false;
    const std::string* const checksum = find_metadata(pairs, checksum_key);
    if (checksum == nullptr) return *version == "1" || wrong(checksum_key); // slotwise 0.2 wrote no checksum
    const std::string_view text = *checksum;
    constexpr std::size_t part = 17, first = 5; // sixteen digits and a colon; "xxh3:"
    if (text.size() != first + 3 * part - 1 || !read_checksum(text.substr(first + part, part - 1), rows.checksum) ||
        !read_checksum(text.substr(first + 2 * part, part - 1), rows.text))
        return wrong(checksum_key);
    if (text != checksum_of(header, rows))
        return refusal.whole("the metadata of the schema are damaged: their checksum is another one");
    has_checksum = true;
    return true;
}

/// Reads the columns of a delta and checks them batch by batch.
template <class Delta>
class DeltaReader {
    using Types = DeltaTypes<Delta>;
    using Key = typename Types::key;
    using T = typename Types::value;
    using Time = typename Types::time;
    static constexpr bool has_values = !std::is_void_v<T>;
    using Values = ValueReader<T>;

public:
    DeltaHeader<Time> header{};
    ArrowPairs metadata{};
    ColumnsReader<Key> keys{"key"};
    Values values{"value"};

    DeltaReader() = default;
    DeltaReader(const DeltaReader&) = delete;
    DeltaReader& operator=(const DeltaReader&) = delete;

    /// Reads the schema.
    bool bind(const ArrowSchema& schema, ArrowRefusal& refusal) {
        if (!read_header(schema, metadata, header, said_, has_checksum_, refusal) || !batches_.bind(schema, refusal))
            return false;
        text_left_ = said_.text;
        if (has_checksum_)
            batches_.each_column([&](auto& column) {
                column.limit_text(&text_left_);
                return true;
            });
        return true;
    }
    /// Checks all that can be checked without the series.
    bool open(const ArrowArray& batch, std::size_t& rows, ArrowRefusal& refusal) {
        if (!batches_.open(batch, rows, refusal) || !ops_.expect_no_null(rows, "", refusal) ||
            !times_.expect_no_null(rows, "", refusal) || !keys.expect_no_null(rows, ", and a key has a value", refusal))
            return false;
        for (std::size_t row = 0; row != rows; ++row)
            if (!expect_row(row, refusal)) return false;
        if (has_checksum_) checksum_.add(batches_, rows);
        return true;
    }
    /// Whether the rows of all batches have the checksum of the metadata. @pre all batches were opened
    bool is_intact(ArrowRefusal& refusal) {
        if (!has_checksum_ || checksum_.finish(to_index(batches_.columns())) == said_.checksum) return true;
        return refusal.whole("the rows are damaged: their checksum is not that of the metadata slotwise.checksum");
    }
    DeltaOp op(std::size_t row) const noexcept { return static_cast<DeltaOp>(ops_[row]); }
    bool has_value(std::size_t row) const noexcept {
        if constexpr (has_values)
            return !values.is_null(row);
        else
            return false;
    }
    /// Appends the rows to a delta.
    void append(std::size_t rows, Delta& delta) const {
        for (std::size_t row = 0; row != rows; ++row) {
            switch (op(row)) {
            case DeltaOp::insert:
                delta.added.emplace_back(keys[row]);
                break;
            case DeltaOp::remove:
                delta.removed.emplace_back(keys[row]);
                break;
            case DeltaOp::update:
                break;
            case DeltaOp::reset:
                if constexpr (has_values) delta.reset.emplace_back(keys[row]);
                break;
            }
            if constexpr (has_values)
                if (has_value(row)) delta.modified.emplace_back(keys[row], values[row]);
        }
    }
    /// Sets what a delta says besides its rows.
    void start(Delta& delta) const {
        delta.time = header.to;
        delta.ticked = header.ticked;
        delta.invalidated = header.invalidated;
        if constexpr (has_values) delta.keys_ticked = header.keys_ticked;
    }
    static bool refuse_row(const char* column, const std::string& what, std::size_t row, ArrowRefusal& refusal) {
        return refusal.column(column, what + " in row " + std::to_string(row));
    }

private:
    bool expect_row(std::size_t row, ArrowRefusal& refusal) const {
        const auto number = ops_[row];
        if (number < 1 || number > 4 || (!has_values && number != 1 && number != 3))
            return refuse_row("op", "is " + std::to_string(number), row, refusal);
        if (times_[row] != header.to)
            return refuse_row("time", "is " + delta_time_text(times_[row]) + ", not slotwise.to", row, refusal);
        if (has_values && op(row) == DeltaOp::update && !has_value(row))
            return refuse_row("value", "is null for an update", row, refusal);
        if (has_values && op(row) == DeltaOp::remove && has_value(row))
            return refuse_row("value", "is not null for a remove", row, refusal);
        return true;
    }

    RowsChecksum said_{}; // by the metadata
    bool has_checksum_ = false;
    std::uint64_t text_left_ = 0;
    StreamChecksum checksum_{};
    ColumnsReader<Time> times_{"time"};
    ColumnsReader<std::int8_t> ops_{"op"};
    BatchReader<ColumnsReader<Time>, ColumnsReader<std::int8_t>, ColumnsReader<Key>, Values> batches_{times_, ops_, keys,
                                                                                                      values};
};

} // namespace detail

/// A delta as a stream: one window, or several that compose() joined. `out` is overwritten and owned by the caller.
///
/// A row is a change of one key. Columns: "time" (the last window), "op" (DeltaOp), "key" and, of dictionaries, "value", which
/// is null where there is none; structs have the columns of their ArrowFields. The schema's metadata are slotwise.delta=2,
/// slotwise.from, slotwise.to, slotwise.ticked, slotwise.keys_ticked, slotwise.invalidated=1 if the series was invalidated,
/// slotwise.checksum, and then `extra`, for instance {"slotwise.shard", "3"}. The checksum covers the values in their order and
/// the other metadata but `extra`. It stays the same when batches are divided or encoded in another way. A window without a
/// change is a batch of no rows. A reader that upserts by key, and deletes where op is 3, has the whole table, unless the
/// series was invalidated: then it must start from an empty one.
/// @param from the window that was open before those of the delta
/// @throws std::bad_alloc, std::length_error for 2 GiB of text in a column; no stream is made then
/// @complexity linear in changes
template <class Key, class T, class Time>
void export_delta(const DictDelta<Key, T, Time>& delta, std::type_identity_t<Time> from, ArrowArrayStream* out,
                  ArrowPairs extra = {}) {
    detail::export_rows<DictDelta<Key, T, Time>>(detail::header_of(delta, from), detail::delta_rows(delta), std::move(extra),
                                                 out, [&](auto&& row) { detail::each_delta_row(delta, row); });
}
/// The same for a set, without the column "value".
template <class Key, class Time>
void export_delta(const SetDelta<Key, Time>& delta, std::type_identity_t<Time> from, ArrowArrayStream* out,
                  ArrowPairs extra = {}) {
    detail::export_rows<SetDelta<Key, Time>>(detail::header_of(delta, from), detail::delta_rows(delta), std::move(extra), out,
                                             [&](auto&& row) { detail::each_delta_row(delta, row); });
}
/// The same as export_delta(capture(series, series.window()), from, out, extra) without the delta in between: exports the open
/// window of a series. @throws as above
template <class Series>
    requires detail::is_series<Series>
void export_delta(const Series& series, typename Series::time_type from, ArrowArrayStream* out, ArrowPairs extra = {}) {
    const auto now = series.window();
    detail::DeltaHeader<typename Series::time_type> header{from, now, series.modified(now), false, series.invalidated(now)};
    if constexpr (requires { series.keys().modified(now); }) header.keys_ticked = series.keys().modified(now);
    detail::export_rows<typename Series::delta_type>(header, series.tracker().touched(now).size(), std::move(extra), out,
                                                     [&](auto&& row) { detail::each_window_row(series, row); });
}

/// The same changes in the form of Delta Lake's change feed, for its readers; import_delta does not read it. Columns:
/// "_change_type" ("insert", "update_postimage" or "delete"), "_commit_version" (int64: the window), "key", "value".
/// @throws as export_delta @complexity linear in changes
template <class Delta>
void export_change_feed(const Delta& delta, ArrowArrayStream* out, ArrowPairs extra = {}) {
    using Types = detail::DeltaTypes<Delta>;
    detail::ColumnBuilder<std::string> types("_change_type", false);
    detail::ColumnBuilder<std::int64_t> versions("_commit_version", false);
    detail::ColumnsBuilder<typename Types::key> keys("key", false);
    detail::ValueBuilder<typename Types::value> values("value", true);
    const auto version = static_cast<std::int64_t>(detail::ArrowType<typename Types::time>::encode(delta.time));
    detail::BuiltBatch batch;
    detail::each_delta_row(delta, [&](DeltaOp op, const typename Types::key& key, const auto* value) {
        types.add(op == DeltaOp::insert ? "insert" : op == DeltaOp::remove ? "delete" : "update_postimage");
        versions.add(version);
        detail::add_row(batch, keys, values, key, value);
    });
    batch.columns.push_back(types.finish());
    batch.columns.push_back(versions.finish());
    keys.finish(batch.columns);
    values.finish(batch.columns);
    batch.metadata = std::move(extra);
    detail::ArrowStream<detail::BuiltBatch>::give(std::move(batch), out);
}

/// As import_delta, but returns the error instead of throwing it.
template <class Delta>
ImportedDelta<Delta> try_import_delta(ArrowArrayStream* stream) {
    OwnedStream owned(stream);
    detail::ArrowRefusal refusal;
    detail::DeltaReader<Delta> reader;
    ImportedDelta<Delta> result;
    const bool read = detail::read_batches(
        owned, refusal, [&](const ArrowSchema& schema) { return reader.bind(schema, refusal); },
        [&](const OwnedArray& batch) {
            std::size_t rows = 0;
            if (!reader.open(*batch, rows, refusal)) return false;
            reader.append(rows, result.delta);
            return true;
        });
    if (!read || !reader.is_intact(refusal)) {
        result.error = "import_delta: " + refusal.text();
        result.delta = Delta();
        return result;
    }
    reader.start(result.delta);
    result.from = reader.header.from;
    result.metadata = std::move(reader.metadata);
    return result;
}
/// Reads a stream of export_delta. The result equals the exported delta up to the order of changes. The stream is released in
/// each case.
/// @tparam Delta SetDelta<...>, DictDelta<...> or a series' delta_type
/// @throws std::invalid_argument that names the column and what is wrong with it; std::bad_alloc, what copies throw
/// @complexity linear in rows
template <class Delta>
ImportedDelta<Delta> import_delta(ArrowArrayStream* stream) {
    ImportedDelta<Delta> result = try_import_delta<Delta>(stream);
    if (!result) detail::throw_arrow_error(result.error);
    return result;
}

SLOTWISE_END

#endif
