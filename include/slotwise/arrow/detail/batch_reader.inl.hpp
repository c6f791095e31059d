// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of batch_reader.hpp.
#ifndef SLOTWISE_ARROW_DETAIL_BATCH_READER_INL_HPP
#define SLOTWISE_ARROW_DETAIL_BATCH_READER_INL_HPP

#include "batch_reader.hpp"

SLOTWISE_BEGIN

namespace detail {

bool ArrowRefusal::column(std::string_view name, const std::string& what) {
    return whole("column \"" + std::string(name) + "\": " + what);
}

bool ArrowRefusal::whole(std::string what) {
    if (text_.empty()) text_ = std::move(what);
    return false;
}

SLOTWISE_INLINE bool expect_extent(std::string_view name, const ArrowArray& array, ArrowRefusal& refusal) {
    constexpr std::int64_t most = (std::numeric_limits<std::ptrdiff_t>::max)() / 32;
    if (array.length < 0) return refusal.column(name, "has the negative length " + std::to_string(array.length));
    if (array.offset < 0) return refusal.column(name, "has the negative offset " + std::to_string(array.offset));
    if (array.length > most || array.offset > most - array.length)
        return refusal.column(name,
                              "overflows: length " + std::to_string(array.length) + ", offset " + std::to_string(array.offset));
    if (array.null_count < -1 || array.null_count > array.length)
        return refusal.column(name, "has the null count " + std::to_string(array.null_count));
    return true;
}

SLOTWISE_INLINE bool find_validity(std::string_view name, const ArrowArray& array, const unsigned char*& validity,
                                   ArrowRefusal& refusal) {
    const auto* const bitmap = static_cast<const unsigned char*>(array.buffers[0]);
    if (bitmap == nullptr) {
        if (array.null_count > 0)
            return refusal.column(name, "has " + std::to_string(array.null_count) + " nulls and no validity bitmap");
        return true;
    }
    const std::size_t begin = to_index(array.offset), end = begin + to_index(array.length);
    std::int64_t valid = 0;
    for (std::size_t at = begin; at != end;) {
        if (at % 8 == 0 && end - at >= 8) {
            valid += std::popcount(bitmap[at / 8]);
            at += 8;
        } else
            valid += bit_at(bitmap, at++) ? 1 : 0;
    }
    if (array.null_count != -1 && array.length - valid != array.null_count)
        return refusal.column(name, "has " + std::to_string(array.length - valid) + " nulls, and the null count " +
                                        std::to_string(array.null_count));
    if (valid != array.length) validity = bitmap;
    return true;
}

SLOTWISE_INLINE bool ColumnBase::expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const {
    for (std::size_t row = 0; has_nulls() && row != rows; ++row)
        if (is_null(row)) return refusal.column(name_, "is null in row " + std::to_string(row) + why);
    return true;
}

SLOTWISE_INLINE bool ColumnBase::take(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal) {
    if (place_ != -1) return refusal.column(name_, "occurs twice");
    if (schema.format == nullptr) return refusal.column(name_, "has no format");
    if (schema.dictionary != nullptr) return refusal.column(name_, "is dictionary-encoded; cast it to its values");
    if (schema.n_children != 0) return refusal.column(name_, "has children, format " + quoted(schema.format));
    place_ = place;
    return true;
}

SLOTWISE_INLINE bool ColumnBase::open_common(const ArrowArray& array, std::size_t first, std::size_t rows, std::int64_t buffers,
                                             bool or_more, ArrowRefusal& refusal) {
    validity_ = nullptr;
    if (array.release == nullptr) return refusal.column(name_, "was released, or moved out of its batch");
    if (!expect_extent(name_, array, refusal)) return false;
    const std::size_t length = to_index(array.length);
    if (first > length || rows > length - first)
        return refusal.column(name_, "has " + std::to_string(length) + " rows, where the batch needs " + std::to_string(first) +
                                         " + " + std::to_string(rows));
    if (array.dictionary != nullptr || array.n_children != 0)
        return refusal.column(name_, "has a dictionary or children, which its format has not");
    if (array.n_buffers < buffers || (!or_more && array.n_buffers > buffers))
        return refusal.column(name_, "has " + std::to_string(array.n_buffers) + " buffers, not " + std::to_string(buffers));
    if (array.buffers == nullptr) return refusal.column(name_, "has no list of buffers");
    at_ = to_index(array.offset) + first;
    return find_validity(name_, array, validity_, refusal);
}

SLOTWISE_INLINE bool ColumnBase::take_text(std::uint64_t size, ArrowRefusal& refusal) {
    if (text_left_ == nullptr) return true;
    if (size > *text_left_)
        return refusal.column(name_, "has more text than the metadata slotwise.checksum say: an offset is damaged");
    *text_left_ -= size;
    return true;
}

} // namespace detail

SLOTWISE_END

#endif
