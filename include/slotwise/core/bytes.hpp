// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ByteWriter and ByteReader: what codecs write to, and read from untrusted bytes.
#ifndef SLOTWISE_CORE_BYTES_HPP
#define SLOTWISE_CORE_BYTES_HPP

#include "../config/abi.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

SLOTWISE_BEGIN

/// Appends little-endian integers and raw bytes to a buffer. Codecs write with it.
class ByteWriter {
public:
    /// Appends an integer, lowest byte first.
    template <class U>
        requires std::is_unsigned_v<U>
    void number(U value) {
        for (unsigned i = 0; i != sizeof(U); ++i) bytes_.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
    }
    /// Appends bytes as they are.
    void raw(const void* data, std::size_t size) {
        const auto* first = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), first, first + size);
    }
    /// Returns the bytes and leaves the writer empty.
    std::vector<std::byte> take() noexcept { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

/// Reads what ByteWriter wrote. It remembers the first error. Everything after an error reads as zero.
class ByteReader {
public:
    /// Reads these bytes, which must stay where they are.
    explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    /// The next integer; 0 after the end.
    template <class U>
        requires std::is_unsigned_v<U>
    U number() noexcept {
        if (!need(sizeof(U))) return 0;
        std::uint64_t value = 0;
        for (unsigned i = 0; i != sizeof(U); ++i) value |= std::to_integer<std::uint64_t>(bytes_[i]) << (8 * i);
        bytes_ = bytes_.subspan(sizeof(U));
        return static_cast<U>(value);
    }
    /// The next integer, which must be 0 or 1.
    bool flag() noexcept {
        const auto value = number<std::uint8_t>();
        return value == 1 || (value != 0 && fail("snapshot: a bool or a flag is neither 0 nor 1"));
    }
    /// The next integer as the length of a sequence whose parts take at least `part_bytes` each. Returns 0 when the bytes left
    /// are too few. To be called before memory is allocated. @pre part_bytes != 0
    std::size_t length(std::size_t part_bytes) noexcept {
        const auto value = number<std::uint64_t>();
        if (value <= left() / part_bytes) return static_cast<std::size_t>(value);
        fail("snapshot: a length exceeds the bytes that are left");
        return 0;
    }
    /// The next `size` bytes; empty when fewer are left.
    std::span<const std::byte> raw(std::size_t size) noexcept {
        if (!need(size)) return {};
        const auto result = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return result;
    }
    /// Bytes not read yet.
    std::size_t left() const noexcept { return bytes_.size(); }
    /// Records an error; `what` is a literal that describes it. The first error is kept. Returns false.
    bool fail(const char* what) noexcept {
        if (error_ == nullptr) error_ = what;
        bytes_ = {};
        return false;
    }
    /// The first error, or null.
    const char* error() const noexcept { return error_; }

private:
    bool need(std::size_t size) noexcept { return size <= bytes_.size() || fail("snapshot: the bytes end too early"); }

    std::span<const std::byte> bytes_;
    const char* error_ = nullptr;
};

SLOTWISE_END

#endif
