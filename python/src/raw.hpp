// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Raw: a column as it came, checked for what its format promises; and the cast of it to a field.
#ifndef SLOTWISE_PYTHON_RAW_HPP
#define SLOTWISE_PYTHON_RAW_HPP

#include "source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace slotwise_python {

/// How the values of a column lie in memory.
enum class Shape : std::uint8_t {
    nulls,   ///< no values at all
    bits,    ///< booleans of Arrow
    numbers, ///< as Type::kind says; booleans a byte each, of NumPy
    halves,  ///< float16
    days32,  ///< times in 32 bits
    offsets32,
    offsets64,
    views, ///< texts of Arrow
    fixed, ///< texts of Type::width bytes; padded with zero bytes when they are NumPy's
    utf32, ///< texts of Type::width code points, padded with zeros
    refs,  ///< std::string_views
    list_fixed,
    list32,
    list64,
    record,
    dictionary,
    unknown ///< what no field takes
};

/// The type of a column.
struct Type {
    Shape shape = Shape::unknown;
    Kind kind = Kind::float64;      ///< of numbers, halves and times; text or bytes of texts; of a dictionary its indices
    std::string unit;               ///< of times, as Field has it, and "h", "m"
    std::size_t width = 0;          ///< of fixed texts and lists
    bool padded = false;            ///< of NumPy's texts
    bool checked = false;           ///< whether texts are known to be UTF-8
    std::string spelled;            ///< for messages
    std::vector<std::string> names; ///< of the fields of a record
    std::vector<Type> children;     ///< of a record; the items of a list; the values of a dictionary
};

/// Rows of a column. It owns nothing but for what `owner` keeps.
struct Raw {
    const Type* type = nullptr;
    std::size_t offset = 0, size = 0;
    const std::uint8_t* bitmap = nullptr; ///< of Arrow, a bit for each row from `offset` on; null: no row is null
    const std::uint8_t* mask = nullptr;   ///< of NumPy, a byte a row from `offset` on, not 0 where it is null
    const void* values = nullptr;         ///< from row -offset on; offsets and views of texts
    const void* data = nullptr;           ///< of texts; of views the addresses of the buffers and at last of their sizes
    std::size_t buffers = 0;              ///< of views
    bool nan_is_null = false;             ///< of pandas
    bool null_is_nat = false;             ///< of containers, whose streams have null for a NaT of a field that is not nullable
    std::shared_ptr<const void> owner;
    std::vector<Raw> children; ///< of lists and dictionaries, from their own first row on
    std::vector<std::pair<const std::uint8_t*, std::size_t>> parents; ///< bitmaps of the structs around it, and their offsets

    Raw slice(std::size_t from, std::size_t count) const {
        Raw part = *this;
        part.offset += from;
        part.size = count;
        for (auto& [bits, first] : part.parents) first += from;
        return part;
    }
};

/// Whose column it is, for messages.
struct Place {
    const char* argument;
    std::size_t first_row; ///< of the source, that the column begins with
    bool is_key;
};

/// @throws TypeError when no value of this type is one of the field; ValueError for a value; OverflowError for one out of range
Cells cast(const Raw& raw, const Field& field, const Place& place);
/// @throws TypeError as cast, before there are values
void expect_castable(const Type& type, const Field& field, const char* argument);
/// What Python and NumPy call the values of a field.
std::string spelled(const Field& field);

/// A byte for each of `count` bits from bit `first` on, 0 or 1. @return whether all are 1
bool bits_to_bytes(const std::uint8_t* bits, std::size_t first, std::size_t count, std::uint8_t* bytes) noexcept;

} // namespace slotwise_python

#endif
