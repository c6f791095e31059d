// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Columns: the values of a container by slot, one array for each field of its schema.
#ifndef SLOTWISE_PYTHON_COLUMNS_HPP
#define SLOTWISE_PYTHON_COLUMNS_HPP

#include "runs.hpp"
#include "schema.hpp"

#include <slotwise/slots/slot_observer.hpp>

namespace slotwise_python {

class Chunk;

/// A static observer of the containers of the package: BasicAnySetStorage<Columns>, BasicAnyTSDStorage<Columns>, HandlePool<.., Columns>.
/// Each slot below capacity has a value of each column: those of vacant slots are zero bytes, empty texts, and null. Copies, as the
/// container's, have the same values. Each column is one run of memory, which grows by realloc(): a Text may be moved as its bytes.
/// A default-made one follows the capacity only, until init().
class Columns {
public:
    Columns() = default;
    Columns(const Columns& other);
    Columns(Columns&& other) noexcept { swap(other); }
    Columns& operator=(Columns other) noexcept {
        swap(other);
        return *this;
    }
    ~Columns() { on_reset(); }
    void swap(Columns& other) noexcept;
    friend void swap(Columns& a, Columns& b) noexcept { a.swap(b); }
    /// For containers: empty columns of the same schema.
    template <class Allocator>
    static Columns like(const Columns& other, const Allocator&) {
        Columns columns;
        if (other.schema_ != nullptr) columns.init(other.schema_);
        return columns;
    }
    /// Once, on an empty container. @param slot_count its capacity
    void init(std::shared_ptr<const Schema> schema, std::size_t slot_count = 0);
    const Schema& schema() const noexcept { return *schema_; }
    const std::shared_ptr<const Schema>& shared_schema() const noexcept { return schema_; }
    std::size_t capacity() const noexcept { return slots_; }

    // hooks of SlotObserver
    void on_capacity(slot_t old_slots, slot_t new_slots);
    void on_erase(slot_t slot) noexcept { reset(slot); }
    void on_clear(Occupancy cleared) noexcept;
    void on_reset() noexcept;

    // one row. All of them need slot < capacity
    /// Moves the given fields of `row` into the slot; those that were not given keep what is there. @pre the same schema, or an equal one
    void write(slot_t slot, Row& row) noexcept {
        for (std::size_t i = 0; i != places_.size(); ++i)
            if (row.has(i)) write_one(places_[i], slot, row, i);
    }
    /// The whole row as a copy, to be made an object when no lock is held: Row::object(). @throws std::bad_alloc
    void read(slot_t slot, Row& row) const {
        for (std::size_t i = 0; i != places_.size(); ++i) read_one(places_[i], slot, row, i);
    }
    /// Default values in all columns.
    void reset(slot_t slot) noexcept;
    /// Calls Python: no lock is held, and nothing may change meanwhile. For containers that others use, see read().
    nb::object object(slot_t slot) const;
    void* at(const Field& field, slot_t slot) noexcept {
        const Place& place = places_[field.number];
        return place.data + slot * place.size;
    }
    const void* at(const Field& field, slot_t slot) const noexcept { return const_cast<Columns*>(this)->at(field, slot); }
    bool valid(const Field& field, slot_t slot) const noexcept { ///< true of a field that is not nullable
        const std::uint8_t* const valid = places_[field.number].valid;
        return valid == nullptr || valid[slot] != 0;
    }
    /// Whether both slots have equal values: NaN equals NaN, null equals null, 0.0 equals -0.0. @pre equal schemas
    bool equal(slot_t slot, const Columns& other, slot_t other_slot) const noexcept;

    // many rows
    /// Row i of the chunk goes to slots[i]; a slot that comes twice has the last. Fields that the chunk lacks keep what is there.
    /// Everything of the chunk is cast already. No Python is called. @throws std::bad_alloc; basic: some rows are written
    void write(std::span<const slot_t> slots, const Chunk& chunk);

    /// The arrays: field.size() bytes a slot, one after the other.
    const std::byte* data(const Field& field) const noexcept { return places_[field.number].data; }
    std::byte* data(const Field& field) noexcept { return places_[field.number].data; }
    /// A byte a slot, 1 where it is not null. Null of a field that is not nullable.
    const std::uint8_t* validity(const Field& field) const noexcept { return places_[field.number].valid; }
    std::uint8_t* validity(const Field& field) noexcept { return places_[field.number].valid; }

    /// The values of live slots as raw bytes behind those of the container's own snapshot, and back. A run of slots is copied whole.
    void save(Occupancy live, std::vector<std::byte>& out) const;
    /// The bytes that save() appends, and the same into memory that has room for them; returns its end.
    std::size_t saved_size(Occupancy live) const;
    std::byte* save(Occupancy live, std::byte* to) const;
    /// @throws ValueError (std::invalid_argument) that says what is wrong with the bytes; texts are checked for UTF-8. Some rows may have
    /// been written then
    void load(Occupancy live, std::span<const std::byte> bytes);

    /// Bytes on the heap, those of texts too. @complexity linear in slots where there are texts
    std::size_t memory_usage() const noexcept;

private:
    struct Place { // of a field
        std::byte* data = nullptr;
        std::uint8_t* valid = nullptr;        // a byte a slot; null: not nullable
        std::size_t size = 0;                 // bytes of a row
        std::size_t room = 0, valid_room = 0; // slots that there is memory for
        bool text = false, nullable = false;
        Text* texts() const noexcept { return reinterpret_cast<Text*>(data); }
    };
    static void write_one(const Place& place, slot_t slot, Row& row, std::size_t i) noexcept {
        const void* const value = row.get(i);
        if (place.nullable) place.valid[slot] = value != nullptr;
        std::byte* const to = place.data + slot * place.size;
        if (place.text) {
            if (value != nullptr)
                *reinterpret_cast<Text*>(to) = std::move(*static_cast<Text*>(row.address(i)));
            else
                *reinterpret_cast<Text*>(to) = Text();
        } else if (value != nullptr)
            slotwise::detail::copy_bytes(to, value, place.size);
        else
            std::memset(to, 0, place.size);
    }
    static void read_one(const Place& place, slot_t slot, Row& row, std::size_t i) {
        if (place.nullable && place.valid[slot] == 0) return row.set_null(i);
        const std::byte* const from = place.data + slot * place.size;
        if (place.text)
            *static_cast<Text*>(row.address(i)) = *reinterpret_cast<const Text*>(from);
        else
            slotwise::detail::copy_bytes(row.address(i), from, place.size);
        row.set_given(i);
    }
    void grow(std::size_t slots);
    void free_all() noexcept;

    std::shared_ptr<const Schema> schema_;
    std::vector<Place> places_;
    std::size_t slots_ = 0;
};

} // namespace slotwise_python

#endif
