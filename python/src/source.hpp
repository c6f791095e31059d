// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Source: columns that come from outside: Arrow streams and arrays, NumPy arrays, mappings of arrays. Cells: one of their columns,
// cast to a field.
#ifndef SLOTWISE_PYTHON_SOURCE_HPP
#define SLOTWISE_PYTHON_SOURCE_HPP

#include "schema.hpp"

namespace slotwise_python {

/// A column of a chunk whose values are cast to those of a field. It refers to the chunk's memory or owns what had to be converted.
/// What it has where a value is null is zero bytes or any value of the source, and an empty text or any of the source's.
class Cells {
public:
    std::size_t size() const noexcept { return size_; }
    /// field.size() bytes a row; not of texts. Aligned for them.
    const std::byte* values() const noexcept { return values_; }
    std::string_view text(std::size_t row) const noexcept { ///< of texts
        switch (form_) {
        case Form::refs:
            return static_cast<const std::string_view*>(offsets_)[row];
        case Form::offsets32:
            return between(static_cast<const std::int32_t*>(offsets_) + row);
        default:
            return between(static_cast<const std::int64_t*>(offsets_) + row);
        }
    }
    /// A byte a row, 1 where it is not null; null when no value is null.
    const std::uint8_t* valid() const noexcept { return valid_; }

private:
    friend class Caster;
    enum class Form : std::uint8_t { numbers, refs, offsets32, offsets64 };
    template <class Offset>
    std::string_view between(const Offset* at) const noexcept {
        return {data_ + at[0], static_cast<std::size_t>(at[1] - at[0])};
    }

    std::size_t size_ = 0;
    Form form_ = Form::numbers;
    const std::byte* values_ = nullptr;
    const void* offsets_ = nullptr; // of texts, or std::string_views
    const char* data_ = nullptr;
    const std::uint8_t* valid_ = nullptr;
    std::vector<std::shared_ptr<const void>> owners_;
};

/// Some rows, with those columns that were asked for. Everything is checked and cast: to use it calls no Python and needs no GIL.
/// Neither does its destruction: what belongs to Python takes the GIL by itself.
class Chunk {
public:
    std::size_t rows() const noexcept { return rows_; }
    /// Null when the source has no such column. @param field one of those that the source was made with, or a copy
    const Cells* find(const Field& field) const noexcept {
        for (const auto& [of, cells] : columns_)
            if (of == &field) return &cells;
        for (const auto& [of, cells] : columns_)
            if (of->path == field.path && of->kind == field.kind) return &cells;
        return nullptr;
    }

private:
    friend class Source;
    std::size_t rows_ = 0;
    std::vector<std::pair<const Field*, Cells>> columns_;
};

/// Memory for the key that Keys::at() returns.
struct KeyRoom {
    std::optional<BorrowedText> text;
};

/// Keys of a chunk, as containers take them. It refers to the chunk.
class Keys {
public:
    /// Tuples are packed here. @throws std::bad_alloc, std::length_error for a key of 4 GiB
    Keys(const KeyType& type, const Chunk& chunk);
    std::size_t size() const noexcept { return size_; }
    /// The address of key i, which a Text borrows. `room` has the key until the next call with it.
    const void* at(std::size_t i, KeyRoom& room) const noexcept {
        if (numbers_ != nullptr) return numbers_ + i;
        room.text.emplace(text(i));
        return &room.text->text();
    }
    /// Of keys that are no ints: the bytes of key i, which is a tuple when they are packed.
    std::string_view text(std::size_t i) const noexcept {
        if (offsets_.empty()) return cells_->text(i);
        return {packed_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]};
    }
    const std::uint64_t* numbers() const noexcept { return numbers_; } ///< of int keys: all, contiguous; else null

private:
    std::size_t size_ = 0;
    const std::uint64_t* numbers_ = nullptr;
    const Cells* cells_ = nullptr;
    std::string packed_;
    std::vector<std::size_t> offsets_; // of tuples
};

/// Reads a source chunk by chunk.
///     Source source(object, "source", key.fields(), schema.fields(), Missing::refused);
///     Chunk chunk;
///     while (source.next(chunk)) ...
/// Sources: anything with __arrow_c_stream__ or __arrow_c_array__ (tables, frames, series, arrays), a mapping of names to
/// columns (NumPy arrays, Arrow arrays, Polars and pandas series, lists of Python values, and mappings for nested structs), a NumPy
/// array (structured: columns by name; else the only column that is asked for), pandas and Polars frames, and lists of Python values
/// as the only column. Of a pandas frame the levels of the index that have a name are columns, too, and of a pandas Series the
/// index is the key; the levels of a MultiIndex alone are the parts of keys. A nested field "a.b" is the field b of a column a, which
/// may be a mapping, a column of structs, or objects of a pandas frame, or it is a column of that whole name.
/// Dictionary-encoded columns are read. Integers, floats, booleans and times convert where no value changes. NaN of pandas is null
/// only for a nullable field; NaT is null for such a one whatever it comes from. Texts may be utf8, large_utf8, utf8_view, binary
/// ones alike, NumPy's U and S. Times with a zone are their instants in UTC.
/// Columns that nobody asked for are left, unless one of `values` is missing: that is a misspelled name more often than not.
class Source {
public:
    enum class Missing { refused, allowed }; ///< whether a column of `values` may be absent
    /// @param keys columns that must be there (may be empty). Both spans must outlive the source and its chunks
    /// @throws TypeError, ValueError that name argument and column
    Source(nb::handle object, const char* argument, std::span<const Field> keys, std::span<const Field> values,
           Missing missing);
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source();
    /// Needs the GIL; a producer may call Python. False at the end. @throws ValueError "argument: column 'bid': row 7 is ..."
    bool next(Chunk& chunk);
    /// All chunks that are left: for calls that change nothing when one of them is refused.
    std::vector<Chunk> all();
    /// The number of all rows, when it is known before they are read: for reserve().
    std::optional<std::size_t> rows() const noexcept;
    /// Whether it has this column, one of those that it was made with.
    bool has(const Field& field) const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Whether `object` is a Source rather than a mapping of keys to values or an iterable of pairs: it has an Arrow interface, or is a NumPy
/// array, or a pandas or Polars frame.
bool is_columnar(nb::handle object);

} // namespace slotwise_python

#endif
