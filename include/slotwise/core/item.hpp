// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapItem, MapItem and IdItem: what iterators yield that give a name and its value.
#ifndef SLOTWISE_CORE_ITEM_HPP
#define SLOTWISE_CORE_ITEM_HPP

#include "../config/abi.hpp"

#include <type_traits>
#include <utility>

SLOTWISE_BEGIN

/// A handle and a reference to its element. Binds as auto [handle, value]. It is a std::pair too: std::get and
/// std::views::keys, values and elements take it apart, and it converts to a pair of copies.
template <class H, class Reference>
struct SlotMapItem : std::pair<H, Reference> {
    H handle;        ///< names the element
    Reference value; ///< refers to it
    /// Of these two.
    constexpr SlotMapItem(H of, Reference to) noexcept : std::pair<H, Reference>(of, to), handle(of), value(to) {}
    friend void swap(SlotMapItem&, SlotMapItem&) = delete; // that of std::pair would exchange the elements' values
};

/// A key and a reference to its value: the result of dereferencing a map's iterator. Binds as auto [key, value], and is a
/// std::pair too, as SlotMapItem is.
template <class Key, class T>
struct MapItem : std::pair<const Key&, T&> {
    const Key& key; ///< of the element
    T& value;       ///< its value
    /// Of these two.
    constexpr MapItem(const Key& of, T& to) noexcept : std::pair<const Key&, T&>(of, to), key(of), value(to) {}
    friend void swap(MapItem&, MapItem&) = delete; // that of std::pair would exchange the elements' values
};

/// An id that the user brought and a reference to its value: what iterators of sparse containers yield. Binds as
/// auto [id, value], and is a std::pair too, as SlotMapItem is.
template <class Id, class Reference>
struct IdItem : std::pair<Id, Reference> {
    Id id;           ///< names the entry
    Reference value; ///< refers to its value
    /// Of these two.
    constexpr IdItem(Id of, Reference to) noexcept : std::pair<Id, Reference>(of, to), id(of), value(to) {}
    friend void swap(IdItem&, IdItem&) = delete; // that of std::pair would exchange the values
};

namespace detail {

/// A handle and the element itself, for PartIterator.
struct HandleAndElementPart {
    template <class Iterator>
    constexpr auto operator()(const Iterator& it) const {
        return SlotMapItem<decltype(it.handle()), decltype(*it)>(it.handle(), *it);
    }
};

} // namespace detail
SLOTWISE_END

/// Items bind as their pairs do.
template <class H, class Reference>
struct std::tuple_size<slotwise::SlotMapItem<H, Reference>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Nth, class H, class Reference>
struct std::tuple_element<Nth, slotwise::SlotMapItem<H, Reference>> : std::tuple_element<Nth, std::pair<H, Reference>> {};
template <class Key, class T>
struct std::tuple_size<slotwise::MapItem<Key, T>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Nth, class Key, class T>
struct std::tuple_element<Nth, slotwise::MapItem<Key, T>> : std::tuple_element<Nth, std::pair<const Key&, T&>> {};
template <class Id, class Reference>
struct std::tuple_size<slotwise::IdItem<Id, Reference>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t Nth, class Id, class Reference>
struct std::tuple_element<Nth, slotwise::IdItem<Id, Reference>> : std::tuple_element<Nth, std::pair<Id, Reference>> {};

#endif
