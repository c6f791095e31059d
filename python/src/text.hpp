// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Text: bytes of any length in 16 bytes, the str and bytes of columns and keys. Up to 12 bytes lie inside, and more in memory of
// their own: the layout of Umbra's strings (Neumann and Freitag 2020), which Arrow's string views have, too.
#ifndef SLOTWISE_PYTHON_TEXT_HPP
#define SLOTWISE_PYTHON_TEXT_HPP

#include <slotwise/core/codec.hpp>
#include <slotwise/core/type_descriptor.hpp>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace slotwise_python {

/// Owns its bytes, which never change: copies share them, and count themselves. All zero bits are the empty text. A Text may be moved as
/// its 16 bytes: it has no pointer into itself.
class alignas(8) Text {
public:
    static constexpr std::size_t most_inside = 12;

    Text() noexcept = default;
    /// @throws std::bad_alloc, std::length_error from 2**32 bytes on
    explicit Text(std::string_view bytes) {
        set(bytes);
        if (bytes.size() > most_inside) keep(own(bytes));
    }
    /// Takes constant time, but for the Text of a BorrowedText. @throws std::bad_alloc of that one
    Text(const Text& other) {
        std::memcpy(static_cast<void*>(this), &other, sizeof *this);
        if (size_ > most_inside) share();
    }
    Text(Text&& other) noexcept { take(other); }
    Text& operator=(const Text& other) {
        if (this != &other) *this = Text(other);
        return *this;
    }
    Text& operator=(Text&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    ~Text() { release(); }

    std::size_t size() const noexcept { return size_; }
    std::string_view view() const noexcept { return {size_ <= most_inside ? inside_ : data(), size_}; }
    /// Bytes on the heap.
    std::size_t memory_usage() const noexcept { return size_ <= most_inside ? 0 : size_; }
    friend bool operator==(const Text& a, const Text& b) noexcept {
        if (std::memcmp(&a, &b, 8) != 0) return false; // size and the first four bytes
        if (a.size_ <= most_inside) return std::memcmp(a.inside_ + 4, b.inside_ + 4, 8) == 0;
        return std::memcmp(a.data() + 4, b.data() + 4, a.size_ - 4) == 0;
    }

    /// The description for containers: hash, equality and copies are those of view().
    static const slotwise::TypeDescriptor& type() noexcept;

private:
    friend class BorrowedText;

    static constexpr std::uint32_t most_size = 0xFFFF'FFFFu;
    static constexpr std::uint64_t foreign = std::uint64_t{1} << 63; // marks a pointer: the bytes are another one's

    std::uint64_t pointer() const noexcept {
        std::uint64_t bits;
        std::memcpy(&bits, inside_ + 4, sizeof bits);
        return bits;
    }
    const char* data() const noexcept {
        return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(pointer() & ~foreign));
    }
    /// The size, and the bytes or the first four of them.
    void set(std::string_view text) noexcept {
        size_ = text.size() <= most_size ? static_cast<std::uint32_t>(text.size()) : most_size;
        if (!text.empty()) std::memcpy(inside_, text.data(), text.size() <= most_inside ? text.size() : 4);
    }
    void keep(const char* bytes, std::uint64_t mark = 0) noexcept {
        const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(bytes) | mark;
        std::memcpy(inside_ + 4, &bits, sizeof bits);
    }
    void take(Text& other) noexcept {
        size_ = std::exchange(other.size_, 0);
        std::memcpy(inside_, other.inside_, sizeof inside_);
        std::memset(other.inside_, 0, sizeof inside_);
    }
    void release() noexcept {
        if (size_ > most_inside) free_bytes();
    }
    static const char* own(std::string_view bytes);
    void share();
    void free_bytes() noexcept;

    std::uint32_t size_ = 0;
    char inside_[most_inside] = {}; // the text, zeros behind it; or its first 4 bytes and a pointer to all
};

/// A Text for lookups that owns nothing: its bytes must outlive it. Of a text of 2**32 bytes or more it has the first 2**32 - 1.
class BorrowedText {
public:
    BorrowedText() noexcept : text_() {}
    explicit BorrowedText(std::string_view bytes) noexcept : text_() {
        text_.set(bytes);
        if (text_.size_ > Text::most_inside) text_.keep(bytes.data(), Text::foreign);
    }
    BorrowedText(const BorrowedText& other) noexcept : text_() { *this = other; }
    BorrowedText& operator=(const BorrowedText& other) noexcept {
        std::memcpy(static_cast<void*>(&text_), &other.text_, sizeof text_);
        return *this;
    }
    ~BorrowedText() {} // NOLINT(modernize-use-equals-default): the text owns nothing
    const Text& text() const noexcept { return text_; }

private:
    union {
        Text text_;
    };
};

} // namespace slotwise_python

/// In snapshots a Text is its size and its bytes, as std::string is. Who reads texts of Python checks that they are UTF-8.
template <>
struct slotwise::CodecFor<slotwise_python::Text> {
    static constexpr std::uint64_t type_tag = 0x7478'6574; // "text"
    static void write(const slotwise_python::Text& value, ByteWriter& out) {
        out.number(std::uint64_t{value.size()});
        out.raw(value.view().data(), value.size());
    }
    static slotwise_python::Text read(ByteReader& in) {
        const std::size_t size = in.length(1);
        const auto bytes = in.raw(size);
        return slotwise_python::Text({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
};

#endif
