// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ComponentTraits: how a component is kept, and what comes and goes with it.
#ifndef SLOTWISE_ECS_COMPONENT_TRAITS_HPP
#define SLOTWISE_ECS_COMPONENT_TRAITS_HPP

#include "../memory/plain_vector.hpp"
#include "component_id.hpp"

#include <vector>

SLOTWISE_BEGIN

/// How a component is kept, and what comes and goes with it.
///     registry.add<Name>({.sparse = true});
///     registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
struct ComponentTraits {
    bool sparse = false;    ///< outside the tables: it comes and goes without a move of the row, and its address stays
    bool toggle = false;    ///< it can be disabled in a row, by a bit, and keeps its value
    bool exclusive = false; ///< of a relation: an entity has one target at most
    bool switched = false;  ///< of a relation without values: exclusive, and its targets are outside the tables
    bool tracked = false;   ///< when a row was added and changed is kept, for queries of what changed
    OnTargetDespawn on_target_despawn = OnTargetDespawn::remove; ///< of a relation
    std::vector<ComponentId> with{}; ///< components and pairs that are added whenever it is; they stay when it is removed

    /// Equal when all are equal; `with` in the same order.
    friend bool operator==(const ComponentTraits&, const ComponentTraits&) = default;
};

namespace detail {

/// A type without state, which has no column.
template <class T>
inline constexpr bool is_tag_type = std::is_empty_v<T> && std::is_trivially_copyable_v<T>;

/// Adds `id` where it belongs, if it is not there. @throws what the allocator throws; strong
inline void insert_sorted(PlainVector<ComponentId>& ids, ComponentId id) {
    std::size_t at = ids.size();
    while (at != 0 && id <= ids[at - 1]) --at;
    if (at == ids.size() || ids[at] != id) ids.insert(at, id);
}

/// The traits as they are kept: what one implies is said.
inline ComponentTraits normalised(ComponentTraits traits) {
    traits.exclusive = traits.exclusive || traits.switched;
    return traits;
}

/// What is wrong with these traits; null if nothing is.
inline const char* contradiction(const ComponentTraits& traits, bool has_values, bool relation) noexcept {
    if (!relation) {
        if (traits.switched) return "switched is a trait of relations; register it as one";
        if (traits.exclusive) return "exclusive is a trait of relations; register it as one";
        if (traits.on_target_despawn != OnTargetDespawn::remove)
            return "on_target_despawn is a trait of relations; register it as one";
    }
    if (traits.sparse && relation) return "a sparse relation is not supported; use switched to keep targets outside the tables";
    if (traits.switched && has_values) return "a switched relation has no values; leave out the type, or switched";
    const bool outside = traits.sparse || traits.switched;
    if (outside && traits.toggle) return "what is outside the tables has no bit in a row; leave out toggle, sparse or switched";
    if (outside && traits.tracked) return "what is outside the tables is not tracked; leave out tracked, sparse or switched";
    return nullptr;
}

} // namespace detail
SLOTWISE_END

#endif
