// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NewKey and NewItem: the arguments of an insert, and how they become an element of a keyed container.
#ifndef SLOTWISE_KEYED_NEW_ELEMENT_HPP
#define SLOTWISE_KEYED_NEW_ELEMENT_HPP

#include "../fwd.hpp"
#include "../slots/value_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// A new key of a set. KeyedContainer::do_insert() calls one of
///   construct(slot, hash)              the key is absent: builds the element; destroy(slot) undoes it
///   replace_value(slot, old_destroyed)  the key is pending: builds another value in its slot, and sets old_destroyed before it
///                                      destroys the old value
///   assign_to(existing)                the key is a member
/// and, when a constructor has inserted the same key meanwhile, assign_built(existing, slot) before destroy(slot).
/// trivial: construction runs no user code. filled_columns: how many static columns construct() fills, whose on_insert is
/// therefore not called.
template <class Keys, class Made>
struct NewKey {
    static constexpr bool trivial = std::is_trivially_constructible_v<typename Keys::key_type, Made>;
    static constexpr std::size_t filled_columns = 0;
    Keys& keys;
    Made&& made;

    constexpr void construct(slot_t slot,
                             std::uint64_t hash) noexcept(noexcept(keys.construct(slot, hash, std::declval<Made>()))) {
        keys.construct(slot, hash, std::forward<Made>(made));
    }
    constexpr void destroy(slot_t slot) noexcept { keys.destroy(slot); }
    static constexpr void replace_value(slot_t, bool&) noexcept {}
    static constexpr void assign_to(slot_t) noexcept {}
    static constexpr void assign_built(slot_t, slot_t) noexcept {}
};

/// A new key of a map with the arguments of its value, which lies in the first column.
/// @tparam Assign the (only) argument is assigned to the value of an existing key
template <bool Assign, class Keys, class Column, class Made, class... Args>
struct NewItem {
    using T = typename Column::value_type;
    using allocator = typename Column::allocator_type;
    static constexpr bool trivial =
        NewKey<Keys, Made>::trivial && std::is_trivially_copyable_v<T> && std::is_trivially_constructible_v<T, Args...>;
    static constexpr std::size_t filled_columns = 1;
    NewKey<Keys, Made> key;
    Column& column;
    std::tuple<Args&&...> args;

    constexpr void construct(slot_t slot, std::uint64_t hash) {
        key.construct(slot, hash);
        if constexpr (makes_nothrow<allocator, T, Args...>)
            construct_value(slot);
        else {
            ScopeGuard undo([&]() noexcept { key.destroy(slot); });
            construct_value(slot);
            undo.dismiss();
        }
    }
    constexpr void destroy(slot_t slot) noexcept {
        column.destroy(slot);
        key.destroy(slot);
    }
    constexpr void replace_value(slot_t slot, bool& old_destroyed) {
        std::apply(
            [&](auto&&... each) {
                if constexpr (std::is_move_constructible_v<T>) {
                    // Built apart first, because the arguments may refer to the old value.
                    TemporaryElement<T, allocator> fresh(column.get_allocator(), std::forward<Args>(each)...);
                    old_destroyed = true;
                    column.destroy(slot);
                    column.construct(slot, fresh.take());
                } else {
                    old_destroyed = true;
                    column.replace(slot, std::forward<Args>(each)...);
                }
            },
            args);
    }
    constexpr void assign_to([[maybe_unused]] slot_t existing) {
        if constexpr (Assign) *column.ptr(existing) = std::get<0>(std::move(args)); // a reference, forwarded
    }
    constexpr void assign_built([[maybe_unused]] slot_t existing, [[maybe_unused]] slot_t slot) {
        if constexpr (Assign) *column.ptr(existing) = std::move(*column.ptr(slot));
    }

private:
    constexpr void construct_value(slot_t slot) {
        std::apply([&](auto&&... each) { column.construct(slot, std::forward<Args>(each)...); }, args);
    }
};

} // namespace detail
SLOTWISE_END

#endif
