// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// EntityLocation: where the components of an entity are.
#ifndef SLOTWISE_ECS_ENTITY_LOCATION_HPP
#define SLOTWISE_ECS_ENTITY_LOCATION_HPP

#include "../fwd.hpp"

SLOTWISE_BEGIN

/// A table, a row in it, and what else must be looked at when the entity changes. 8 bytes. A value-initialised one has no row:
/// that of an id that a command buffer has taken and that is not spawned yet.
class EntityLocation {
public:
    /// Rows a table can have.
    static constexpr std::uint32_t max_rows = 1u << 30;

    /// No row.
    constexpr EntityLocation() noexcept = default;
    /// @pre row < max_rows
    constexpr EntityLocation(slot_t table, std::uint32_t row) noexcept : table_(table), row_and_flags_(row) {}

    /// Whether the entity is in a table.
    constexpr bool has_row() const noexcept { return table_ != no_slot; }
    /// The number of the table; no_slot if it has no row.
    constexpr slot_t table() const noexcept { return table_; }
    /// The row in the table.
    constexpr slot_t row() const noexcept { return row_and_flags_ & row_bits; }
    /// Another row of another table; flags stay. @pre row < max_rows
    constexpr void set(slot_t table, std::uint32_t row) noexcept {
        table_ = table;
        set_row(row);
    }
    /// Another row of the same table; flags stay. @pre row < max_rows
    constexpr void set_row(std::uint32_t row) noexcept { row_and_flags_ = (row_and_flags_ & ~row_bits) | row; }

    /// Whether the entity may have sparse components, or a target of a switched relation.
    constexpr bool has_sparse() const noexcept { return (row_and_flags_ & sparse_bit) != 0; }
    /// Whether the entity may be the target of a pair.
    constexpr bool is_target() const noexcept { return (row_and_flags_ & target_bit) != 0; }
    /// Whether one of the two holds.
    constexpr bool has_flags() const noexcept { return row_and_flags_ >= max_rows; }
    /// Says whether the entity may have sparse components, or a target of a switched relation.
    constexpr void set_sparse(bool on) noexcept { set_flag(sparse_bit, on); }
    /// Says whether the entity may be the target of a pair.
    constexpr void set_target(bool on) noexcept { set_flag(target_bit, on); }

    friend constexpr bool operator==(EntityLocation, EntityLocation) noexcept = default;

private:
    static constexpr std::uint32_t target_bit = max_rows, sparse_bit = max_rows << 1, row_bits = max_rows - 1;

    constexpr void set_flag(std::uint32_t bit, bool on) noexcept {
        row_and_flags_ = on ? row_and_flags_ | bit : row_and_flags_ & ~bit;
    }

    slot_t table_ = no_slot;
    std::uint32_t row_and_flags_ = 0;
};

SLOTWISE_END

#endif
