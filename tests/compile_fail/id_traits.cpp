// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/id_traits.hpp>

using namespace slotwise;

// Ids of another library whose IdTraits are wrong in one thing.
template <bool Variable, std::uint32_t MaxIndex>
struct Foreign {
    std::uint32_t bits;
    friend constexpr bool operator==(Foreign, Foreign) = default;
};
template <bool Variable, std::uint32_t MaxIndex>
struct slotwise::IdTraits<Foreign<Variable, MaxIndex>> {
    static inline std::conditional_t<Variable, bool, const bool> versioned = false;
    static constexpr std::uint32_t max_index = MaxIndex, max_version = 0;
    static constexpr slot_t index(Foreign<Variable, MaxIndex> id) noexcept { return id.bits; }
    static constexpr std::uint32_t version(Foreign<Variable, MaxIndex>) noexcept { return 0; }
    static constexpr bool can_live(Foreign<Variable, MaxIndex>) noexcept { return true; }
};
template <AnyId Id>
int take(Id id) {
    return static_cast<int>(IdTraits<Id>::index(id));
}

//=== signed_number ===//
// expect: is not a member of || no member named
return static_cast<int>(IdTraits<unsigned>::index(3)); // control
return static_cast<int>(IdTraits<int>::index(3));      // faulty

//=== versioned_is_a_variable ===//
// expect: std::same_as<decltype(IdTraits<Id>::versioned), const bool> || because 'std::same_as<bool, const bool>' || constraints not satisfied
return take(Foreign<false, 7>{3}); // control
return take(Foreign<true, 7>{3});  // faulty

//=== no_index_fits ===//
// expect: IdTraits<Id>::max_index != 0 || constraints not satisfied
return take(Foreign<false, 7>{3}); // control
return take(Foreign<false, 0>{3}); // faulty
