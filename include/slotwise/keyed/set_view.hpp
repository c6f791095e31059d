// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetView: a read-only view of any SetStorage of one key type: options, index, allocator and columns do not matter.
#ifndef SLOTWISE_KEYED_SET_VIEW_HPP
#define SLOTWISE_KEYED_SET_VIEW_HPP

#include "set_storage.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The calls of a view into a set of any type.
template <class Key>
struct SetCalls {
    std::size_t (*size)(const void*);
    slot_t (*slot_of)(const void*, const Key&);
    const Key& (*key)(const void*, slot_t);
    SlotState (*state)(const void*, slot_t);
    ColumnView<const Key> (*keys)(const void*);
};

template <class Set>
inline constexpr SetCalls<typename Set::key_type> set_calls = {
    [](const void* set) { return static_cast<const Set*>(set)->size(); },
    [](const void* set, const typename Set::key_type& key) { return static_cast<const Set*>(set)->slot_of(key); },
    [](const void* set, slot_t slot) -> const typename Set::key_type& { return static_cast<const Set*>(set)->key(slot); },
    [](const void* set, slot_t slot) { return static_cast<const Set*>(set)->state(slot); },
    [](const void* set) { return static_cast<const Set*>(set)->keys(); }};

} // namespace detail

/// A read-only view of a set, for the parameters of functions that are no templates. It is two words wide and passed by value.
///     std::size_t count_long(SetView<std::string> names);
/// It is made of a SetStorage, a MapStorage or a MapView. A lookup is one indirect call; a walk has none.
/// @pre the set outlives the view and does not move
template <class Key>
class SetView {
public:
    using key_type = Key;
    using value_type = Key;
    using iterator = typename ColumnView<const Key>::iterator;

    /// A view of this set.
    template <class... With>
    constexpr SetView(const SetStorage<Key, With...>& set) noexcept
        : set_(&set), calls_(&detail::set_calls<SetStorage<Key, With...>>) {}
    /// A view of the keys of this map.
    template <class Map>
        requires requires(const Map& map) { SetView(map.as_set()); }
    constexpr SetView(const Map& map) noexcept : SetView(map.as_set()) {}

    constexpr std::size_t size() const { return calls_->size(set_); }
    constexpr bool empty() const { return size() == 0; }
    /// Whether `key` is a member. @throws what the set's hash and equality throw
    constexpr bool contains(const Key& key) const { return slot_of(key) != no_slot; }
    /// 1 if `key` is a member, else 0.
    constexpr std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }
    /// The slot of the key, or no_slot.
    constexpr slot_t slot_of(const Key& key) const { return calls_->slot_of(set_, key); }
    /// The key in `slot`. @pre live or pending
    constexpr const Key& key(slot_t slot) const { return calls_->key(set_, slot); }
    constexpr SlotState state(slot_t slot) const { return calls_->state(set_, slot); }
    /// The element with this key, or end().
    constexpr iterator find(const Key& key) const { return {keys(), slot_of(key)}; }
    /// Keys by slot. @invalidates itself when the set grows, shrinks or moves
    constexpr ColumnView<const Key> keys() const { return calls_->keys(set_); }
    /// The same as keys().
    constexpr ColumnView<const Key> values() const { return keys(); }
    constexpr Occupancy occupancy() const { return keys().occupancy(); }
    /// Live slots in ascending order.
    constexpr SlotRange live_slots() const { return SlotRange(occupancy()); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const { return live_slots(); }
#pragma pop_macro("slots")
    constexpr iterator begin() const { return keys().begin(); }
    constexpr iterator end() const { return keys().end(); }
    /// Calls f(key) for every key in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        keys().for_each(f);
    }

private:
    const void* set_;
    const detail::SetCalls<Key>* calls_;
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Key>
inline constexpr bool std::ranges::enable_view<slotwise::SetView<Key>> = true;
template <class Key>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::SetView<Key>> = true;

#endif
