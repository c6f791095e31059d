// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapView: a read-only view of any MapStorage from Key to T: options, index, allocator and columns do not matter.
#ifndef SLOTWISE_KEYED_MAP_VIEW_HPP
#define SLOTWISE_KEYED_MAP_VIEW_HPP

#include "map_storage.hpp"
#include "set_view.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class Key, class T>
struct MapCalls {
    SetView<Key> (*as_set)(const void*);
    const T* (*get)(const void*, const Key&);
    const T& (*value)(const void*, slot_t);
    ColumnView<const T> (*values)(const void*);
};

template <class Map>
inline constexpr MapCalls<typename Map::key_type, typename Map::mapped_type> map_calls = {
    [](const void* map) { return SetView<typename Map::key_type>(static_cast<const Map*>(map)->as_set()); },
    [](const void* map, const typename Map::key_type& key) { return static_cast<const Map*>(map)->get(key); },
    [](const void* map, slot_t slot) -> const typename Map::mapped_type& { return static_cast<const Map*>(map)->value(slot); },
    [](const void* map) { return static_cast<const Map*>(map)->values(); }};

} // namespace detail

/// A read-only view of a map, for the parameters of functions that are no templates. It is two words wide and passed by value.
///     int total(MapView<std::string, int> stock);
/// A lookup is one indirect call; a walk has none. @pre the map outlives the view and does not move
template <class Key, class T>
class MapView {
public:
    class iterator;
    using key_type = Key;
    using mapped_type = T;
    using value_type = MapItem<Key, const T>;

    /// A view of this map.
    template <class... With>
    constexpr MapView(const MapStorage<Key, T, With...>& map) noexcept
        : map_(&map), calls_(&detail::map_calls<MapStorage<Key, T, With...>>) {}

    /// The keys alone.
    constexpr SetView<Key> as_set() const { return calls_->as_set(map_); }
    constexpr std::size_t size() const { return as_set().size(); }
    constexpr bool empty() const { return size() == 0; }
    /// Whether `key` is a member. @throws what the map's hash and equality throw
    constexpr bool contains(const Key& key) const { return slot_of(key) != no_slot; }
    /// 1 if `key` is a member, else 0.
    constexpr std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }
    /// A copy of the value, or T(otherwise) when there is none. @throws what hash, equality and that copy throw
    template <class U = T>
    constexpr T value_or(const Key& key, U&& otherwise) const {
        const T* const value = get(key);
        return value != nullptr ? *value : static_cast<T>(std::forward<U>(otherwise));
    }
    /// The slot of the key, or no_slot.
    constexpr slot_t slot_of(const Key& key) const { return as_set().slot_of(key); }
    /// The value, or null when there is none.
    constexpr const T* get(const Key& key) const { return calls_->get(map_, key); }
    /// The value. @throws std::out_of_range when there is none
    constexpr const T& at(const Key& key) const {
        const T* const value = get(key);
        if (value == nullptr)
            detail::throw_no_key<Key>("map view at(key): no element has this key; ask get(key) or contains(key)", key);
        return *value;
    }
    /// Key and value in `slot`. @pre live or pending
    constexpr const Key& key(slot_t slot) const { return as_set().key(slot); }
    constexpr const T& value(slot_t slot) const { return calls_->value(map_, slot); }
    constexpr SlotState state(slot_t slot) const { return as_set().state(slot); }
    /// Keys and values by slot. @invalidates themselves when the map grows, shrinks or moves
    constexpr ColumnView<const Key> keys() const { return as_set().keys(); }
    constexpr ColumnView<const T> values() const { return calls_->values(map_); }
    constexpr Occupancy occupancy() const { return values().occupancy(); }
    /// Live slots in ascending order.
    constexpr SlotRange live_slots() const { return SlotRange(occupancy()); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const { return live_slots(); }
#pragma pop_macro("slots")
    /// The element with this key, or end().
    constexpr iterator find(const Key& key) const { return {keys(), values(), slot_of(key)}; }
    constexpr iterator begin() const { return {keys(), values(), occupancy().find_next(0)}; }
    constexpr iterator end() const { return {keys(), values(), no_slot}; }
    /// The same walk as a range.
    constexpr auto items() const { return detail::IteratorRange<iterator>(begin(), end(), size()); }
    /// Calls f(key, value) for every element in slot order.
    template <class F>
    constexpr void for_each(F&& f) const {
        zip_columns([&](slot_t, const Key& key, const T& value) { f(key, value); }, keys(), values());
    }

private:
    const void* map_;
    const detail::MapCalls<Key, T>* calls_;
};

template <class Key, class T>
class MapView<Key, T>::iterator
    : public detail::IteratorFacade<iterator, MapItem<Key, const T>, MapItem<Key, const T>, std::bidirectional_iterator_tag> {
public:
    constexpr iterator() noexcept = default;
    /// For views: at `slot`, which is live, or at the end (no_slot).
    constexpr iterator(ColumnView<const Key> keys, ColumnView<const T> values, slot_t slot) noexcept
        : keys_(keys), values_(values), at_(slot) {}
    constexpr slot_t slot() const noexcept { return at_.slot(); }
    friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<iterator, MapItem<Key, const T>, MapItem<Key, const T>, std::bidirectional_iterator_tag>;
    constexpr MapItem<Key, const T> dereference() const noexcept { return {keys_[slot()], values_[slot()]}; }
    constexpr void increment() noexcept { at_.advance(values_.occupancy()); }
    constexpr void decrement() noexcept { at_.step_back(values_.occupancy()); }

    ColumnView<const Key> keys_{};
    ColumnView<const T> values_{};
    detail::LiveCursor at_{};
};

SLOTWISE_END

/// It owns nothing. Iterators outlive it.
template <class Key, class T>
inline constexpr bool std::ranges::enable_view<slotwise::MapView<Key, T>> = true;
template <class Key, class T>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::MapView<Key, T>> = true;

#endif
