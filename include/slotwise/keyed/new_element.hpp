// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NewKey and NewItem: what an insert brings, and how it becomes an element of a keyed container.
#ifndef SLOTWISE_KEYED_NEW_ELEMENT_HPP
#define SLOTWISE_KEYED_NEW_ELEMENT_HPP

#include "../fwd.hpp"
#include "../slots/value_array.hpp"

SLOTWISE_BEGIN
namespace detail {

// What an insert brings is a functor of these steps. KeyedContainer::do_insert() looks the key up and calls one of them:
//
//   construct(slot, hash)               the key is absent. destroy(slot) undoes it when a later step throws.
//   assign_to(member)                   the key is a member.
//   replace_value(slot, old_destroyed)  the key is pending, and gets another value. The flag is set before the old value is
//                                       destroyed: until then a throw leaves the pending element as it was.
//   assign_built(member, slot)          a constructor that runs in one of the others has inserted the same key. The arguments
//                                       are used up; their value lies in `slot`, which is destroyed next.
//
// `trivial`: construct() runs no user code. `filled_columns`: so many static columns have their value from construct() and get
// no on_insert.

/// A new key of a set. A member stays as it is.
template <class Keys, class Made>
struct NewKey {
    static constexpr bool trivial = std::is_trivially_constructible_v<typename Keys::key_type, Made>;
    static constexpr std::size_t filled_columns = 0;
    Keys& keys;
    Made&& made; // what the key is made of

    constexpr void construct(slot_t slot, std::uint64_t hash) { keys.construct(slot, hash, std::forward<Made>(made)); }
    constexpr void destroy(slot_t slot) noexcept { keys.destroy(slot); }
    static constexpr void assign_to(slot_t) noexcept {}
    static constexpr void replace_value(slot_t, bool&) noexcept {}
    static constexpr void assign_built(slot_t, slot_t) noexcept {}
};

/// A new key of a map and the arguments of its value.
/// @tparam Assign the value of a member is assigned from the arguments, which are one then; otherwise it stays as it is
template <bool Assign, class Keys, class Values, class Made, class... Args>
struct NewItem {
    using T = typename Values::value_type;
    using allocator = typename Values::allocator_type;
    static constexpr bool trivial =
        NewKey<Keys, Made>::trivial && std::is_trivially_copyable_v<T> && std::is_trivially_constructible_v<T, Args...>;
    static constexpr std::size_t filled_columns = 1;
    Keys& keys;
    Made&& made; // what the key is made of
    Values& values;
    std::tuple<Args&&...> args; // what the value is made of

    constexpr void construct(slot_t slot, std::uint64_t hash) {
        keys.construct(slot, hash, std::forward<Made>(made));
        if constexpr (makes_nothrow<allocator, T, Args...>)
            construct_value(slot);
        else {
            ScopeGuard undo([&]() noexcept { keys.destroy(slot); });
            construct_value(slot);
            undo.dismiss();
        }
    }
    constexpr void destroy(slot_t slot) noexcept {
        values.destroy(slot);
        keys.destroy(slot);
    }
    SLOTWISE_CONVERSIONS_BEGIN
    constexpr void assign_to([[maybe_unused]] slot_t member) {
        if constexpr (Assign) assign_whole(values[member], std::get<0>(std::move(args))); // forwards: a tuple of references
    }
    SLOTWISE_CONVERSIONS_END
    constexpr void replace_value(slot_t slot, bool& old_destroyed) {
        if constexpr (std::is_move_constructible_v<T>) {
            // Built apart first, because the arguments may refer to the old value.
            auto fresh = std::apply(
                [&](auto&&... each) {
                    return TemporaryElement<T, allocator>(values.get_allocator(), std::forward<Args>(each)...);
                },
                std::move(args));
            old_destroyed = true;
            values.destroy(slot);
            values.construct(slot, fresh.take());
        } else {
            old_destroyed = true;
            values.destroy(slot);
            construct_value(slot);
        }
    }
    constexpr void assign_built([[maybe_unused]] slot_t member, [[maybe_unused]] slot_t slot) {
        if constexpr (Assign) values[member] = std::move(values[slot]);
    }

private:
    constexpr void construct_value(slot_t slot) {
        std::apply([&](auto&&... each) { values.construct(slot, std::forward<Args>(each)...); }, args);
    }
};

} // namespace detail
SLOTWISE_END

#endif
