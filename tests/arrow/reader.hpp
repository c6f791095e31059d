// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Reads streams of the Arrow C interface as a consumer would that trusts nothing: every rule of the columnar format that our
// exports touch is checked, bits behind the end and padding left out, and cells come back as texts.
#ifndef SLOTWISE_TESTS_ARROW_READER_HPP
#define SLOTWISE_TESTS_ARROW_READER_HPP

#include "refused.hpp"

#include <slotwise/arrow/c_data.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace arrow_test {

using Cells = std::vector<std::string>;

/// A column as texts; what is null is "null".
struct SheetColumn {
    std::string name, format;
    bool nullable = false;
    Cells cells{};
    friend bool operator==(const SheetColumn&, const SheetColumn&) = default;
};
/// A whole stream.
struct Sheet {
    std::vector<SheetColumn> columns{};
    std::vector<std::int64_t> batches{}; ///< rows of each
    const Cells& operator[](std::string_view name) const {
        for (const SheetColumn& column : columns)
            if (column.name == name) return column.cells;
        FAIL("there is no column " << name);
        return columns.front().cells;
    }
    std::size_t rows() const { return columns.empty() ? 0 : columns.front().cells.size(); }
};

inline bool bit(const void* bitmap, std::int64_t i) {
    return ((static_cast<const std::uint8_t*>(bitmap)[i / 8] >> (i % 8)) & 1) != 0;
}
template <class T>
T value_at(const void* buffer, std::int64_t i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + static_cast<std::size_t>(i) * sizeof(T), sizeof value);
    return value;
}
inline bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i != text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        std::size_t more = lead < 0x80                   ? 0
                           : lead >= 0xC2 && lead < 0xE0 ? 1
                           : lead >= 0xE0 && lead < 0xF0 ? 2
                           : lead < 0xF5                 ? 3
                                                         : 9;
        if (lead >= 0x80 && lead < 0xC2) return false;
        for (; more != 0; --more, ++i)
            if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
    }
    return true;
}
inline std::size_t width_of(const std::string& format) {
    if (format == "c" || format == "C") return 1;
    if (format == "s" || format == "S") return 2;
    if (format == "i" || format == "I" || format == "f" || format == "tdD") return 4;
    return 8;
}
inline std::string cell(const std::string& format, const ArrowArray& array, std::int64_t i) {
    const void* const data = array.buffers[1];
    if (format == "b") return bit(data, i) ? "true" : "false";
    if (format == "u") {
        const auto begin = value_at<std::int32_t>(data, i), end = value_at<std::int32_t>(data, i + 1);
        return std::string(static_cast<const char*>(array.buffers[2]) + begin, static_cast<std::size_t>(end - begin));
    }
    if (format == "f") return std::to_string(value_at<float>(data, i));
    if (format == "g") return std::to_string(value_at<double>(data, i));
    if (format == "c") return std::to_string(value_at<std::int8_t>(data, i));
    if (format == "C") return std::to_string(value_at<std::uint8_t>(data, i));
    if (format == "s") return std::to_string(value_at<std::int16_t>(data, i));
    if (format == "S") return std::to_string(value_at<std::uint16_t>(data, i));
    if (format == "i" || format == "tdD") return std::to_string(value_at<std::int32_t>(data, i));
    if (format == "I") return std::to_string(value_at<std::uint32_t>(data, i));
    if (format == "L") return std::to_string(value_at<std::uint64_t>(data, i));
    return std::to_string(value_at<std::int64_t>(data, i)); // l, durations, times
}

/// Checks a column against its schema and appends its cells; "" or what is wrong.
inline std::string read_column(const ArrowSchema& schema, const ArrowArray& array, std::int64_t length, Cells& cells) {
    const std::string format = schema.format;
    const bool text = format == "u";
    if (array.release == nullptr) return "the column is released";
    if (array.length != length) return "the length is not that of the batch";
    if (array.offset != 0) return "an offset";
    if (array.n_children != 0 || array.dictionary != nullptr) return "children";
    if (array.n_buffers != (text ? 3 : 2)) return "number of buffers";
    if (array.null_count < 0 || array.null_count > length) return "the null count is no count";
    if (array.buffers[0] == nullptr && array.null_count != 0) return "nulls without a bitmap";
    if (array.null_count != 0 && (schema.flags & ARROW_FLAG_NULLABLE) == 0) return "nulls in a column that has none";
    if (array.buffers[1] == nullptr || (text && array.buffers[2] == nullptr)) return "a missing buffer";
    if (!text && format != "b" && reinterpret_cast<std::uintptr_t>(array.buffers[1]) % width_of(format) != 0)
        return "alignment";
    if (text && value_at<std::int32_t>(array.buffers[1], 0) != 0) return "the first offset is not 0";
    std::int64_t nulls = 0;
    for (std::int64_t i = 0; i != length; ++i) {
        if (text && value_at<std::int32_t>(array.buffers[1], i + 1) < value_at<std::int32_t>(array.buffers[1], i))
            return "offsets go back";
        if (array.buffers[0] != nullptr && !bit(array.buffers[0], i)) {
            ++nulls;
            cells.emplace_back("null");
            continue;
        }
        cells.push_back(cell(format, array, i));
        if (text && !is_utf8(cells.back())) return "text that is no utf8";
    }
    return nulls == array.null_count ? "" : "the null count is wrong";
}

/// The batch of a schema as columns of texts; fails the test when a rule is broken.
inline void read_batch(const ArrowSchema& schema, const ArrowArray& batch, Sheet& sheet) {
    REQUIRE(batch.release != nullptr);
    REQUIRE((batch.offset == 0 && batch.null_count == 0 && batch.n_buffers == 1 && batch.buffers[0] == nullptr));
    REQUIRE((batch.dictionary == nullptr && batch.n_children == schema.n_children && batch.length > 0));
    for (std::int64_t c = 0; c != batch.n_children; ++c) {
        INFO("column " << schema.children[c]->name);
        REQUIRE(read_column(*schema.children[c], *batch.children[c], batch.length,
                            sheet.columns[static_cast<std::size_t>(c)].cells) == "");
    }
    sheet.batches.push_back(batch.length);
}
inline Sheet begin_sheet(const ArrowSchema& schema) {
    REQUIRE((std::string(schema.format) == "+s" && schema.release != nullptr && schema.dictionary == nullptr));
    Sheet sheet;
    for (std::int64_t c = 0; c != schema.n_children; ++c) {
        const ArrowSchema& child = *schema.children[c];
        REQUIRE((child.release != nullptr && child.n_children == 0 && child.name != nullptr));
        sheet.columns.push_back({child.name, child.format, (child.flags & ARROW_FLAG_NULLABLE) != 0});
    }
    return sheet;
}
inline Sheet read_all(slotwise::OwnedStream& stream) {
    const slotwise::OwnedSchema schema = stream.schema();
    Sheet sheet = begin_sheet(*schema);
    for (slotwise::OwnedArray batch = stream.next(); batch; batch = stream.next()) read_batch(*schema, *batch, sheet);
    CHECK_FALSE(stream.next()); // the end stays the end
    return sheet;
}

} // namespace arrow_test

#endif
