// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PairTraits: which ids are pairs, and the wildcards that a pair matches.
#ifndef SLOTWISE_ECS_PAIR_TRAITS_HPP
#define SLOTWISE_ECS_PAIR_TRAITS_HPP

#include "component_id.hpp"

SLOTWISE_BEGIN

/// Ids that are no pairs. A type of which some are specialises it with the members that the one for ComponentId has.
template <class Id>
struct PairTraits {
    static constexpr bool has_pairs = false; ///< whether some ids are pairs
};

/// Pairs of a relation and a target.
template <>
struct PairTraits<ComponentId> {
    static constexpr bool has_pairs = true; ///< whether some ids are pairs
    /// Whether it is a pair, or a wildcard.
    static constexpr bool is_pair(ComponentId id) noexcept { return id.is_pair(); }
    /// (R, any) of the pair (R, T). @pre is_pair(id)
    static constexpr ComponentId any_target(ComponentId id) noexcept {
        return ComponentId::from_bits(id.bits() | pair(ComponentId(), any).bits());
    }
    /// (any, T) of the pair (R, T). @pre is_pair(id)
    static constexpr ComponentId any_relation(ComponentId id) noexcept {
        return ComponentId::from_bits(id.bits() | pair(any, ComponentId()).bits());
    }
    /// (any, any).
    static constexpr ComponentId any_pair() noexcept { return pair(any, any); }
};

namespace detail {

/// Whether `id` is `asked`, or a pair that the wildcard `asked` stands for.
template <class Id>
constexpr bool matches_id(const Id& asked, const Id& id) noexcept {
    if (id == asked) return true;
    using Traits = PairTraits<Id>;
    if constexpr (Traits::has_pairs)
        return Traits::is_pair(asked) && Traits::is_pair(id) &&
               (Traits::any_target(id) == asked || Traits::any_relation(id) == asked || Traits::any_pair() == asked);
    else
        return false;
}

} // namespace detail
SLOTWISE_END

#endif
