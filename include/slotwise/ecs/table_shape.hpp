// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TableShape: the ids of a table, and which of them have columns.
#ifndef SLOTWISE_ECS_TABLE_SHAPE_HPP
#define SLOTWISE_ECS_TABLE_SHAPE_HPP

#include "component_registry.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Sorted ids and their columns. The place of an id is its number among the ids; its column is its number among those that have
/// values in the table. The two differ as soon as there is a tag.
class TableShape {
public:
    static constexpr std::int32_t none = -1;
    static constexpr std::uint32_t low_numbers = 256;

    TableShape() = default;
    /// @throws std::invalid_argument when the ids are not ascending and each once, or the registry does not know one; what the
    /// allocator throws
    TableShape(const ComponentRegistry& registry, std::span<const ComponentId> ids) : ids_(ids) {
        columns_.reserve(ids.size());
        for (std::size_t place = 0; place != ids.size(); ++place) {
            const ComponentId id = ids[place];
            if (!registry.is_switched_alone(id)) registry.expect(id, "Table");
            if (place != 0 && id <= ids[place - 1])
                throw_invalid_argument(
                    "Table: the ids are not ascending, or one is there twice; sort them and remove duplicates");
            const bool has_column = registry.has_column(id);
            columns_.push_back(has_column ? static_cast<std::int32_t>(places_.size()) : none);
            if (has_column) places_.push_back(static_cast<std::uint32_t>(place));
            const std::uint32_t number = id.number();
            if (number == 0 || number >= low_numbers) continue;
            low_.resize(number + std::size_t{1}, {none, none});
            low_[number] = {static_cast<std::int32_t>(place), columns_.back()};
        }
    }

    std::span<const ComponentId> ids() const noexcept { return ids_.span(); }
    std::size_t column_count() const noexcept { return places_.size(); }
    ComponentId column_id(std::size_t column) const noexcept { return ids_[places_[column]]; }
    /// The place of the id of a column.
    std::span<const std::uint32_t> places() const noexcept { return places_.span(); }
    /// The column of the id at this place.
    std::int32_t column_at(std::size_t place) const noexcept { return columns_[place]; }
    SLOTWISE_ALWAYS_INLINE std::int32_t place_of(ComponentId id) const noexcept {
        const std::uint32_t number = id.number();
        if (number - 1 >= low_numbers - 1) return search(id); // a pair, whose number is 0, or a late component
        if (number >= low_.size()) return none;
        const std::int32_t place = low_[number].place;
        return place >= 0 && ids_[static_cast<std::size_t>(place)] == id ? place : none; // or it is of another registry
    }
    SLOTWISE_ALWAYS_INLINE std::int32_t column_of(ComponentId id) const noexcept {
        const std::int32_t place = place_of(id);
        return place < 0 ? none : columns_[static_cast<std::size_t>(place)];
    }

    /// The same, without a look at the id. @pre the id is one of the registry's, or null
    SLOTWISE_ALWAYS_INLINE std::int32_t column_of_own(ComponentId id) const noexcept {
        const std::uint32_t number = id.number();
        if (number - 1 >= low_numbers - 1) return column_of(id);
        return number < low_.size() ? low_[number].column : none;
    }

    std::size_t memory_usage() const noexcept { return memory_of(ids_, columns_, places_, low_); }

private:
    SLOTWISE_NEVER_INLINE std::int32_t search(ComponentId id) const noexcept {
        std::size_t first = 0, count = ids_.size();
        while (count != 0) {
            const std::size_t half = count / 2;
            const bool right = ids_[first + half] < id;
            first = right ? first + half + 1 : first;
            count = right ? count - half - 1 : half;
        }
        return first != ids_.size() && ids_[first] == id ? static_cast<std::int32_t>(first) : none;
    }

    struct Low {
        std::int32_t place, column;
    };
    PlainVector<ComponentId> ids_{};
    PlainVector<std::int32_t> columns_{}; // by place
    PlainVector<std::uint32_t> places_{}; // by column
    PlainVector<Low> low_{};              // by the number of a component, for those that are no pairs
};

} // namespace detail
SLOTWISE_END

#endif
