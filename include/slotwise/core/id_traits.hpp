// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdTraits: what sparse containers need to know of the ids that a user brings.
#ifndef SLOTWISE_CORE_ID_TRAITS_HPP
#define SLOTWISE_CORE_ID_TRAITS_HPP

#include "detail/concepts.hpp"

#include <concepts>
#include <type_traits>

SLOTWISE_BEGIN

/// The index and version of an id: a handle, an unsigned integer of at most 32 bits, or an enumeration over one. A number has
/// no version: its entry is the same for ever. Specialise it for an id of another library:
///     template <> struct slotwise::IdTraits<entt::entity> {
///         static constexpr bool versioned = true;
///         static constexpr std::uint32_t max_index = 0xF'FFFF, max_version = 0xFFF;
///         static constexpr slot_t index(entt::entity id) noexcept { return entt::to_entity(id); }
///         static constexpr std::uint32_t version(entt::entity id) noexcept { return entt::to_version(id); }
///         static constexpr bool can_live(entt::entity id) noexcept { return id != entt::null; }
///     };
template <class Id>
struct IdTraits {};

/// A handle: an odd version means live.
template <AnyHandle H>
struct IdTraits<H> {
    /// Whether ids of one index differ by a version.
    static constexpr bool versioned = true;
    /// The highest index that fits.
    static constexpr std::uint32_t max_index = H::max_index;
    /// The highest version that fits.
    static constexpr std::uint32_t max_version = H::max_version;
    /// The place of the id in a sparse array.
    static constexpr slot_t index(H id) noexcept { return id.index(); }
    /// Its version. Of two ids with one index the newer one has the higher version.
    static constexpr std::uint32_t version(H id) noexcept { return id.version(); }
    /// Whether a container may have an entry for it: null, and a version that was never live, have none.
    static constexpr bool can_live(H id) noexcept { return !detail::never_live(id); }
};

namespace detail {

template <class Id>
struct UnderlyingOf {
    using type = Id;
};
template <class Id>
    requires std::is_enum_v<Id>
struct UnderlyingOf<Id> : std::underlying_type<Id> {};

} // namespace detail

/// A number, which has no version.
template <class Id>
    requires std::unsigned_integral<typename detail::UnderlyingOf<Id>::type> && (!std::same_as<Id, bool>) &&
             (sizeof(Id) <= sizeof(slot_t))
struct IdTraits<Id> {
    static constexpr bool versioned = false;
    static constexpr std::uint32_t max_index = static_cast<std::uint32_t>(~std::uint64_t{0} >> (64 - 8 * sizeof(Id)));
    static constexpr std::uint32_t max_version = 0;
    static constexpr slot_t index(Id id) noexcept { return static_cast<slot_t>(id) & max_index; }
    static constexpr std::uint32_t version(Id) noexcept { return 0; }
    static constexpr bool can_live(Id) noexcept { return true; }
};

/// A type that sparse containers take as an id: it has IdTraits, is small and is compared by ==.
template <class Id>
concept AnyId = std::is_trivially_copyable_v<Id> && std::equality_comparable<Id> && requires(Id id) {
    { IdTraits<Id>::index(id) } -> std::same_as<slot_t>;
    { IdTraits<Id>::version(id) } -> std::same_as<std::uint32_t>;
    { IdTraits<Id>::can_live(id) } -> std::same_as<bool>;
    requires std::same_as<decltype(IdTraits<Id>::versioned), const bool>;
    requires IdTraits<Id>::max_index != 0;
};

namespace detail {

/// The id, or a number where Id is none: a container of it can be read up to the assertion that says so.
template <class Id>
using id_or_number = std::conditional_t<AnyId<Id>, Id, std::uint32_t>;
template <class Id>
inline constexpr bool is_id = AnyId<Id>; // an assertion of the concept lists what it lacks, which is longer than the error

/// The id as containers keep it: the user bits of a handle are no part of its identity.
template <class Id>
Id without_user_bits(Id id) noexcept {
    if constexpr (requires { requires Id::layout.user_bits != 0; })
        return id.with_user_bits(0);
    else
        return id;
}

} // namespace detail

SLOTWISE_END

#endif
