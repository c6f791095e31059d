// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// export_restore_point, restore_point: the snapshot of a shard as a stream of one row, so that it can be kept with its deltas.
#ifndef SLOTWISE_ARROW_RESTORE_POINT_HPP
#define SLOTWISE_ARROW_RESTORE_POINT_HPP

#include "../series/tsd_storage.hpp"
#include "detail/batch_builder.hpp"
#include "detail/batch_reader.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Bytes as a value of Arrow's type binary.
struct ArrowBytes {
    std::string_view bytes{};
};
template <>
struct ArrowType<ArrowBytes> {
    using stored = char;
    static constexpr ArrowLayout layout = ArrowLayout::text;
    static constexpr const char* format = "z";
    static std::string_view encode(const ArrowBytes& value) noexcept { return value.bytes; }
};
inline constexpr const char* restore_point_format = "slotwise.snapshot";

} // namespace detail

/// The shard of a restore point, or why it was refused.
struct RestorePoint {
    std::uint32_t shard = 0; ///< the number that was passed to export_restore_point()
    std::string error{};     ///< why the restore point was refused; empty if it was not

    /// Whether the series was restored.
    explicit operator bool() const noexcept { return error.empty(); }
};

/// A series as a stream of one row: "shard" (uint32), "window" (its time), "format" (utf8) and "state" (binary), the bytes of
/// snapshot(). Rows of keys and values would not do: they have no versions, so handles of erased elements could resolve again.
/// @throws as snapshot(), std::length_error for 2 GiB or more; no stream is made then @complexity linear in slots
template <class Series>
    requires detail::is_series<Series>
void export_restore_point(const Series& series, std::uint32_t shard, ArrowArrayStream* out, ArrowPairs extra = {}) {
    const std::vector<std::byte> state = series.snapshot();
    detail::ColumnBuilder<std::uint32_t> shards("shard", false);
    detail::ColumnBuilder<typename Series::time_type> windows("window", false);
    detail::ColumnBuilder<std::string> formats("format", false);
    detail::ColumnBuilder<detail::ArrowBytes> states("state", false);
    shards.add(shard);
    windows.add(series.window());
    formats.add(detail::restore_point_format);
    states.add({{reinterpret_cast<const char*>(state.data()), state.size()}});
    detail::BuiltBatch batch{{shards.finish(), windows.finish(), formats.finish(), states.finish()}, 1, {}};
    batch.metadata.emplace_back(detail::checksum_key, "xxh3:" + detail::checksum_text(batch.checksum()));
    for (auto& pair : extra) batch.metadata.push_back(std::move(pair));
    detail::ArrowStream<detail::BuiltBatch>::give(std::move(batch), out);
}

/// As restore_point, but returns the error instead of throwing it. @throws what allocation and the functions of keys and values
/// throw; strong
template <class Series, class Codec = DefaultCodec>
    requires detail::is_series<Series>
RestorePoint try_restore_point(ArrowArrayStream* stream, Series& series, Codec codec = {}) {
    OwnedStream owned(stream);
    detail::ArrowRefusal refusal;
    detail::ColumnsReader<std::uint32_t> shards("shard");
    detail::ColumnsReader<typename Series::time_type> windows("window");
    detail::ColumnsReader<std::string> formats("format");
    detail::ColumnsReader<detail::ArrowBytes> states("state");
    detail::BatchReader batches(shards, windows, formats, states);
    RestorePoint point;
    ArrowPairs metadata;
    OwnedArray row;
    std::size_t rows = 0;
    const auto restore = [&] {
        if (rows != 1) return refusal.whole("a restore point is one row");
        if (!shards.expect_no_null(1, "", refusal) || !windows.expect_no_null(1, "", refusal) ||
            !formats.expect_no_null(1, "", refusal) || !states.expect_no_null(1, "", refusal))
            return false;
        if (formats[0] != detail::restore_point_format)
            return refusal.column("format", "is \"" + std::string(formats[0]) + "\"");
        if (const std::string* const checksum = find_metadata(metadata, detail::checksum_key)) {
            detail::StreamChecksum all;
            all.add(batches, 1);
            if (*checksum != "xxh3:" + detail::checksum_text(all.finish(4)))
                return refusal.whole("the row is damaged: its checksum is not that of the metadata slotwise.checksum");
        }
        const std::string_view text = states[0];
        const std::span<const std::byte> state(reinterpret_cast<const std::byte*>(text.data()), text.size());
        if (!detail::may_have_window<typename Series::time_type>(state, windows[0], codec))
            return refusal.column("window", "is not the window of the state; the row was put together from two");
        const char* const error = series.try_restore(state, codec);
        if (error != nullptr) return refusal.column("state", error);
        point.shard = shards[0];
        return true;
    };
    const bool read = detail::read_batches(
        owned, refusal,
        [&](const ArrowSchema& schema) {
            if (!detail::read_metadata(schema.metadata, metadata))
                return refusal.whole("a length in the metadata of the schema is negative");
            return batches.bind(schema, refusal);
        },
        [&](OwnedArray& batch) {
            if (batch->length == 0) return true;
            if (row) return refusal.whole("a restore point is one row");
            row = std::move(batch);
            return batches.open(*row, rows, refusal);
        });
    if (read) static_cast<void>(restore());
    if (!refusal.text().empty()) point.error = "restore_point: " + refusal.text();
    return point;
}

/// Restores a series with its window and handles from a stream of export_restore_point, and returns the shard. The column
/// "window" must agree with the state.
/// @throws std::invalid_argument that names the column and what is wrong with it; what allocation and the functions of keys and
/// values throw; strong @complexity linear in slots
template <class Series, class Codec = DefaultCodec>
    requires detail::is_series<Series>
std::uint32_t restore_point(ArrowArrayStream* stream, Series& series, Codec codec = {}) {
    const RestorePoint point = try_restore_point(stream, series, codec);
    if (!point) detail::throw_arrow_error(point.error);
    return point.shard;
}

SLOTWISE_END

#endif
