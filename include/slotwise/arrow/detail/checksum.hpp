// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The checksum of a stream. It depends on the values of its columns and not on how buffers encode them.
#ifndef SLOTWISE_ARROW_DETAIL_CHECKSUM_HPP
#define SLOTWISE_ARROW_DETAIL_CHECKSUM_HPP

#include "../../core/detail/xxh3.hpp"
#include "../fields.hpp"

#include <string>

SLOTWISE_BEGIN
namespace detail {

inline constexpr const char* checksum_key = "slotwise.checksum";

/// XXH3-64 of the rows of a column, in their order: for each row a byte that says whether it has a value, and the value.
/// Integers and times are hashed as 64 bits, floating-point numbers as doubles, texts with their length in front. So the same
/// values have the same checksum, however they are divided into batches and whatever width or kind of text a tool has changed
/// them to.
class ColumnChecksum {
public:
    void null() noexcept { put(std::uint8_t{0}); }
    template <class Value>
    void value(const Value& value) noexcept {
        put(std::uint8_t{1});
        if constexpr (std::is_floating_point_v<Value>)
            put(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
        else if constexpr (std::is_integral_v<Value>)
            put(static_cast<std::uint64_t>(value)); // -1 is all ones, whatever its width was
        else {
            put(std::uint64_t{value.size()});
            if (value.size() > chunk_.size() - used_) flush();
            const auto* const bytes = reinterpret_cast<const std::byte*>(value.data());
            if (value.size() > chunk_.size())
                all_.add(bytes, value.size());
            else if (!value.empty()) {
                std::memcpy(chunk_.data() + used_, bytes, value.size());
                used_ += value.size();
            }
        }
    }
    std::uint64_t finish() noexcept {
        flush();
        return all_.finish();
    }

private:
    template <class Number>
    void put(Number number) noexcept {
        if (sizeof number > chunk_.size() - used_) flush();
        for (unsigned i = 0; i != sizeof number; ++i) chunk_[used_ + i] = static_cast<std::byte>(number >> (8 * i));
        used_ += sizeof number;
    }
    void flush() noexcept {
        all_.add(chunk_.data(), used_);
        used_ = 0;
    }

    Xxh3 all_{};
    std::array<std::byte, 2048> chunk_{}; // so that one step hashes many values
    std::size_t used_ = 0;
};

/// The checksum of a stream: of the checksums of its columns, in their order.
inline std::uint64_t stream_checksum(std::size_t rows, const std::vector<std::uint64_t>& columns) noexcept {
    Xxh3 all;
    all.number(rows);
    for (const std::uint64_t each : columns) all.number(each);
    return all.finish();
}

/// What metadata say about the rows of a stream: their checksum, and how many bytes of text they have. The latter is checked
/// before the offset of a text is followed.
struct RowsChecksum {
    std::uint64_t checksum = 0, text = 0;
};

/// The checksum as 16 hexadecimal digits.
inline std::string checksum_text(std::uint64_t checksum) {
    std::string text(16, '0');
    for (std::size_t i = 16; i-- != 0; checksum >>= 4) text[i] = "0123456789abcdef"[checksum & 15];
    return text;
}

/// Reads a result of checksum_text(). Returns false for anything else.
inline bool read_checksum(std::string_view text, std::uint64_t& checksum) noexcept {
    checksum = 0;
    for (const char c : text) {
        const std::size_t digit = std::string_view("0123456789abcdef").find(c);
        if (digit == std::string_view::npos) return false;
        checksum = checksum << 4 | digit;
    }
    return text.size() == 16;
}

/// The checksums of the columns of a stream that is read batch by batch.
class StreamChecksum {
public:
    /// Adds the rows of a batch that was opened.
    template <class Batches>
    void add(Batches& batches, std::size_t rows) {
        std::size_t at = 0;
        batches.each_column([&](const auto& column) {
            if (at == columns_.size()) columns_.emplace_back();
            column.add_to(columns_[at++], rows);
            return true;
        });
        rows_ += rows;
    }
    /// The checksum of all rows. @param columns how many the stream has, which is not known here if it had no batch
    std::uint64_t finish(std::size_t columns) {
        columns_.resize(columns);
        std::vector<std::uint64_t> each;
        each.reserve(columns_.size());
        for (ColumnChecksum& column : columns_) each.push_back(column.finish());
        return stream_checksum(rows_, each);
    }

private:
    std::vector<ColumnChecksum> columns_{};
    std::size_t rows_ = 0;
};

} // namespace detail

SLOTWISE_END

#endif
