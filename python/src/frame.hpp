// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Frame: columns on their way out, as NumPy arrays or as an Arrow stream.
#ifndef SLOTWISE_PYTHON_FRAME_HPP
#define SLOTWISE_PYTHON_FRAME_HPP

#include "columns.hpp"

namespace slotwise_python {

/// Columns of one length. They are views of memory that an owner keeps alive, or were gathered into memory of the frame's own.
/// Its columns need no lock: an owner's memory does not change as long as it lives (see Box).
class Frame {
public:
    Frame() = default;
    /// A view: `values` has field.size() bytes a row (a Text of texts); `valid` a byte a row, or null.
    void add(const Field& field, const void* values, const std::uint8_t* valid, std::size_t rows,
             std::shared_ptr<const void> owner);
    /// Rows at these slots, copied. A slot that is no_slot is null, or refused by the caller before.
    void gather(const Field& field, const void* values, const std::uint8_t* valid, std::span<const slot_t> slots);
    /// The columns of `columns` at live slots: views where live slots are one run, else gathered. Without an owner they are gathered.
    void add(const Columns& columns, Occupancy live, std::shared_ptr<const void> owner);
    /// The rows of all fields at these slots.
    void gather(const Columns& columns, std::span<const slot_t> slots);
    /// Keys by slot, unpacked to a column for each part.
    void add(const KeyType& type, const void* keys, Occupancy live, std::shared_ptr<const void> owner);
    void gather(const KeyType& type, const void* keys, std::span<const slot_t> slots);
    std::size_t rows() const noexcept { return rows_; }

    /// {path: array}. Numbers, booleans and times are read-only views of what the frame has; a list of fixed length has two
    /// dimensions; texts are arrays of objects; a nullable column is a numpy.ma.MaskedArray. No GIL is released.
    nb::dict numpy() const;
    nb::object numpy(std::string_view path) const; ///< @throws KeyError that names the columns
    /// An object with __arrow_c_stream__ and __arrow_c_schema__: nested structs by path, booleans and validity as bits, texts as
    /// large_utf8, times with their unit. Numbers are shared; the rest is made when a stream is read. It may be read more than once.
    /// @param metadata of the schema
    nb::object arrow(std::vector<std::pair<std::string, std::string>> metadata = {}) const;
    /// The first rows: a list of (path, type as Field::spelled(), list of Python values) by column.
    nb::list head(std::size_t count) const;

private:
    friend class Batches;
    struct Column {
        Field field;
        const void* values = nullptr;        // field.size() bytes a row; Texts
        const std::uint8_t* valid = nullptr; // null: no row is null
        std::shared_ptr<const void> owner;
        std::shared_ptr<const std::vector<std::int64_t>> offsets; // of texts that were gathered
        std::shared_ptr<const std::string> bytes;
        std::string_view text(std::size_t row) const noexcept {
            if (offsets == nullptr) return static_cast<const Text*>(values)[row].view();
            return {bytes->data() + (*offsets)[row], static_cast<std::size_t>((*offsets)[row + 1] - (*offsets)[row])};
        }
    };
    template <class Slots>
    void gather_rows(const Field& field, const void* values, const std::uint8_t* valid, std::size_t rows,
                     const Slots& each_slot);
    template <class Slots>
    void gather_parts(const KeyType& type, const void* keys, std::size_t rows, const Slots& each_slot);
    void push(Column column, std::size_t rows);
    nb::object array_of(const Column& column) const;

    std::size_t rows_ = 0;
    std::vector<Column> columns_;
};

} // namespace slotwise_python

#endif
