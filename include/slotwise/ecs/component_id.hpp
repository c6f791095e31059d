// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ComponentId: the name of a component, or of a pair of a relation and its target.
#ifndef SLOTWISE_ECS_COMPONENT_ID_HPP
#define SLOTWISE_ECS_COMPONENT_ID_HPP

#include "../core/hash.hpp"
#include "entity.hpp"

SLOTWISE_BEGIN

/// Any relation, or any target: see pair().
struct Any {};
/// Any relation, or any target: pair(likes, any).
inline constexpr Any any{};

namespace detail {
struct ComponentIdParts;
} // namespace detail

/// Names a component, a tag or a relation of one ComponentRegistry, or the pair of a relation and a target. 64 bits. A
/// value-initialised one is null and names nothing. Components come before pairs, and the pairs of a relation are neighbours.
/// Any bit pattern is a ComponentId; a registry refuses those that name nothing.
///     [63] = 0: [62:32] a number of the registry, [31:0] the component's number in it, from 1
///     [63] = 1: [62:48] the relation's number, [47:0] the target: version << 32 | index of an entity. All ones are any. No
///               entity has version 0: the index then is the number of a component
class ComponentId {
public:
    /// The highest number that a relation may have.
    static constexpr std::uint32_t max_relation = 0x7FFE;

    /// Null.
    constexpr ComponentId() noexcept = default;
    /// The id whose bits are `bits`; every pattern is accepted. from_bits(id.bits()) == id.
    static constexpr ComponentId from_bits(std::uint64_t bits) noexcept {
        ComponentId id;
        id.bits_ = bits;
        return id;
    }
    /// All bits.
    constexpr std::uint64_t bits() const noexcept { return bits_; }

    /// Whether it is not null.
    constexpr explicit operator bool() const noexcept { return bits_ != 0; }
    /// Whether it is a relation and a target.
    constexpr bool is_pair() const noexcept { return bits_ >> 63 != 0; }
    /// Whether it is a pair of any relation, of any target, or of both.
    constexpr bool is_wildcard() const noexcept { return has_any_relation() || has_any_target(); }
    /// Whether it is a pair of any relation.
    constexpr bool has_any_relation() const noexcept { return is_pair() && relation_number() == any_relation; }
    /// Whether it is a pair of any target.
    constexpr bool has_any_target() const noexcept { return is_pair() && target_bits() == any_target; }

    /// The number of a component in its registry, from 1; 0 for a pair.
    constexpr std::uint32_t number() const noexcept { return is_pair() ? 0 : static_cast<std::uint32_t>(bits_); }
    /// The number of a pair's relation, max_relation + 1 for any; 0 if it is no pair.
    constexpr std::uint32_t relation_number() const noexcept {
        return is_pair() ? static_cast<std::uint32_t>(bits_ >> 48) & any_relation : 0;
    }
    /// The entity that is a pair's target, without user bits. Null for any, for a component, and if it is no pair.
    constexpr Entity target() const noexcept {
        if (!is_pair() || target_bits() == any_target || target_bits() >> 32 == 0) return Entity();
        return Entity::from_bits(target_bits());
    }
    /// The number of the component that is a pair's target; 0 for an entity, for any, and if it is no pair.
    constexpr std::uint32_t target_number() const noexcept {
        return is_pair() && target_bits() >> 32 == 0 ? static_cast<std::uint32_t>(target_bits()) : 0;
    }

    /// Equal when all bits are equal, and ordered by them.
    friend constexpr bool operator==(ComponentId, ComponentId) noexcept = default;
    friend constexpr auto operator<=>(ComponentId, ComponentId) noexcept = default;

    friend constexpr ComponentId pair(ComponentId relation, Entity target) noexcept {
        return make_pair(number_of(relation), target.to_bits() & any_target);
    }
    friend constexpr ComponentId pair(ComponentId relation, ComponentId target) noexcept {
        return make_pair(number_of(relation), target.number());
    }
    friend constexpr ComponentId pair(ComponentId relation, Any) noexcept { return make_pair(number_of(relation), any_target); }
    friend constexpr ComponentId pair(Any, Entity target) noexcept {
        return make_pair(any_relation, target.to_bits() & any_target);
    }
    friend constexpr ComponentId pair(Any, ComponentId target) noexcept { return make_pair(any_relation, target.number()); }

private:
    friend detail::ComponentIdParts;
    static constexpr std::uint32_t any_relation = max_relation + 1;
    static constexpr std::uint64_t any_target = 0xFFFF'FFFF'FFFFu;

    constexpr std::uint64_t target_bits() const noexcept { return bits_ & any_target; }
    /// 0 of what is no relation: pairs with it are refused by the registry.
    static constexpr std::uint32_t number_of(ComponentId relation) noexcept {
        return relation.number() <= max_relation ? relation.number() : 0;
    }
    static constexpr ComponentId make_pair(std::uint32_t relation, std::uint64_t target) noexcept {
        return from_bits(std::uint64_t{1} << 63 | std::uint64_t{relation} << 48 | target);
    }

    std::uint64_t bits_ = 0;
};

/// The pair of a relation and a target: an entity, whose user bits are dropped, another component, or any. Never fails: a
/// registry and a store refuse pairs of what is no relation, and of a null target.
///     store.add(alice, pair(likes, bob));
///     store.query<const Name>().with(pair(likes, any))
constexpr ComponentId pair(ComponentId relation, Entity target) noexcept;
constexpr ComponentId pair(ComponentId relation, ComponentId target) noexcept;
constexpr ComponentId pair(ComponentId relation, Any target) noexcept;
/// The pairs of any relation with this target, for queries.
constexpr ComponentId pair(Any relation, Entity target) noexcept;
constexpr ComponentId pair(Any relation, ComponentId target) noexcept;
/// Every pair, for queries.
constexpr ComponentId pair(Any, Any) noexcept { return ComponentId::from_bits(~std::uint64_t{0}); }

namespace detail {

/// Makes and reads the registry's number in a component's id.
struct ComponentIdParts {
    static constexpr std::uint32_t max_registry = 0x7FFF'FFFF;
    static constexpr ComponentId make(std::uint32_t registry, std::uint32_t number) noexcept {
        return ComponentId::from_bits(std::uint64_t{registry} << 32 | number);
    }
    static constexpr std::uint32_t registry(ComponentId id) noexcept {
        return id.is_pair() ? 0 : static_cast<std::uint32_t>(id.bits() >> 32);
    }
    static constexpr ComponentId make_pair(std::uint32_t relation, std::uint64_t target) noexcept {
        return ComponentId::make_pair(relation, target);
    }
    /// The target of a pair as one number, in the form of an entity: a component's number is an entity of version 0, which none
    /// has. pair(relation, what this returns) is the pair again. @pre id.is_pair(), and the target is not any
    static constexpr Entity target_of(ComponentId id) noexcept { return Entity::from_bits(id.target_bits()); }
    /// The entity that it stands for; null if it stands for a component.
    static constexpr Entity entity_of(Entity target) noexcept { return target.to_bits() >> 32 == 0 ? Entity() : target; }
};

} // namespace detail
SLOTWISE_END

/// Mixes all bits.
template <>
struct std::hash<slotwise::ComponentId> {
    constexpr std::size_t operator()(slotwise::ComponentId id) const noexcept {
        return slotwise::bits::to_size(slotwise::mix_bits(id.bits()));
    }
};

#endif
