// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ByteWriter and ByteReader: what codecs write to, and read from untrusted bytes.
#ifndef SLOTWISE_CORE_BYTES_HPP
#define SLOTWISE_CORE_BYTES_HPP

#include "../config/abi.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

SLOTWISE_BEGIN

/// Appends little-endian integers and raw bytes to a buffer. Codecs write with it.
class ByteWriter {
public:
    ByteWriter() = default;
    ByteWriter(const ByteWriter&) = default;
    /// `other` is empty then.
    ByteWriter(ByteWriter&& other) noexcept : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
    ByteWriter& operator=(ByteWriter other) noexcept {
        bytes_.swap(other.bytes_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~ByteWriter() = default;

    /// Appends an integer, lowest byte first.
    template <class U>
        requires std::is_unsigned_v<U>
    void number(U value) {
        numbers(&value, 1);
    }
    /// Appends `count` integers.
    template <class U>
        requires std::is_unsigned_v<U>
    void numbers(const U* values, std::size_t count) {
        if constexpr (std::endian::native == std::endian::little)
            raw(values, count * sizeof(U));
        else
            for (std::size_t n = 0; n != count; ++n)
                for (unsigned i = 0; i != sizeof(U); ++i) {
                    const auto byte = static_cast<std::byte>(std::uint64_t{values[n]} >> (8 * i));
                    raw(&byte, 1);
                }
    }
    /// Appends bytes as they are.
    void raw(const void* data, std::size_t size) {
        if (size > bytes_.size() - size_) [[unlikely]]
            grow(size);
        if (size != 0) std::memcpy(bytes_.data() + size_, data, size);
        size_ += size;
    }
    /// Makes room for `size` bytes more, so that the next ones move nothing. @throws what std::vector throws; nothing is lost
    void reserve(std::size_t size) {
        if (size > bytes_.size() - size_) grow(size);
    }
    /// What was written until now. @invalidates itself with the next call
    std::span<const std::byte> written() const noexcept { return {bytes_.data(), size_}; }
    /// Returns the bytes and leaves the writer empty.
    std::vector<std::byte> take() noexcept {
        bytes_.resize(size_); // to no more than there are: allocates nothing
        size_ = 0;
        return std::exchange(bytes_, {});
    }

private:
    void grow(std::size_t size) {
        const std::size_t twice = 2 * bytes_.size();
        const std::size_t need = size < bytes_.max_size() - size_ ? size_ + size : bytes_.max_size() + 1; // which throws
        bytes_.resize(need < twice ? twice : need);
    }

    std::vector<std::byte> bytes_; // those from size_ on are room: a push_back for each byte took ten times as long
    std::size_t size_ = 0;
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
        U value = 0;
        static_cast<void>(numbers(&value, 1));
        return value;
    }
    /// The next `count` integers. False, and nothing is read, when fewer are left.
    template <class U>
        requires std::is_unsigned_v<U>
    bool numbers(U* values, std::size_t count) noexcept {
        if (count > left() / sizeof(U)) return need(left() + 1);
        const auto bytes = raw(count * sizeof(U));
        if constexpr (std::endian::native == std::endian::little) {
            if (count != 0) std::memcpy(values, bytes.data(), bytes.size());
        } else
            for (std::size_t n = 0; n != count; ++n) {
                std::uint64_t value = 0;
                for (unsigned i = 0; i != sizeof(U); ++i)
                    value |= std::to_integer<std::uint64_t>(bytes[n * sizeof(U) + i]) << (8 * i);
                values[n] = static_cast<U>(value);
            }
        return true;
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
    /// `size` bytes that come `offset` bytes after the next one, which stays the next one; empty when they are not all there.
    std::span<const std::byte> peek(std::size_t offset, std::size_t size) const noexcept {
        return offset <= left() && size <= left() - offset ? bytes_.subspan(offset, size) : std::span<const std::byte>();
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
