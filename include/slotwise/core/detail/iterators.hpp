// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What iterators yield (SlotMapItem, MapItem, IdItem) and inserts return (InsertResult), and IteratorFacade: the operators of a
// forward or bidirectional iterator, written once for const, non-const and proxy references.
#ifndef SLOTWISE_CORE_DETAIL_ITERATORS_HPP
#define SLOTWISE_CORE_DETAIL_ITERATORS_HPP

#include "../../config/abi.hpp"
#include "../../fwd.hpp"
#include "std_memory.hpp"

#include <cstddef>
#include <span> // declares enable_view and enable_borrowed_range; <ranges> costs a quarter second more
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

/// Where the element is, and whether it was inserted. Binds as auto [it, inserted] and converts to a std::pair of the two.
template <class Iterator>
struct InsertResult {
    Iterator it;           ///< at the element with this key: it.slot(), it.handle(); end() when the insert was refused
    bool inserted = false; ///< false: the key is a member already, or the insert was refused
    InsertKind kind = InsertKind::fresh; ///< of the insert; fresh when nothing was inserted

    /// As std::pair has them.
    constexpr operator std::pair<Iterator, bool>() const { return {it, inserted}; }
    template <class Other>
        requires(!std::is_same_v<Other, Iterator> && std::is_convertible_v<const Iterator&, Other>)
    constexpr operator InsertResult<Other>() const {
        return {it, inserted, kind};
    }
    /// For structured bindings.
    template <std::size_t Nth>
    constexpr const auto& get() const& noexcept {
        if constexpr (Nth == 0)
            return it;
        else
            return inserted;
    }
    template <std::size_t Nth>
    constexpr auto& get() & noexcept {
        if constexpr (Nth == 0)
            return it;
        else
            return inserted;
    }
    template <std::size_t Nth>
    constexpr auto&& get() && noexcept {
        if constexpr (Nth == 0)
            return std::move(it);
        else
            return static_cast<bool&&>(inserted);
    }
};

namespace detail {

/// An InsertResult of internal steps, without an iterator.
struct InsertOutcome {
    slot_t slot;
    bool inserted;
    InsertKind kind;
};

/// Whether `to = from` may leave half a value where it throws, and a T that is built first can be moved there without throwing.
/// Strings assign as a whole, and into memory that they have.
template <class T, class U>
inline constexpr bool assigns_by_parts = !std::is_nothrow_assignable_v<T&, U> && std::is_nothrow_move_assignable_v<T> &&
                                         std::is_constructible_v<T, U> && !requires { typename T::traits_type; };
/// to = from. If that throws, `to` is as it was wherever T's move assignment does not throw.
SLOTWISE_CONVERSIONS_BEGIN
template <class T, class U>
constexpr void assign_whole(T& to, U&& from) {
    if constexpr (assigns_by_parts<T, U>)
        to = T(std::forward<U>(from));
    else
        to = std::forward<U>(from);
}
SLOTWISE_CONVERSIONS_END

/// What operator-> of a proxy reference returns.
template <class Reference>
struct ArrowProxy {
    Reference reference;
    constexpr Reference* operator->() noexcept { return std::addressof(reference); }
};

/// CRTP base of an iterator `Derived` that has `Reference dereference() const`, `void increment()` and operator==; a
/// bidirectional one has `void decrement()` too.
template <class Derived, class Value, class Reference, class Concept = std::forward_iterator_tag>
class IteratorFacade {
public:
    using value_type = Value;
    using reference = Reference;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<std::is_reference_v<Reference>, std::add_pointer_t<Reference>, ArrowProxy<Reference>>;
    // An iterator over proxies is no Cpp17ForwardIterator. Its category claims so nevertheless, as in std::vector<bool>,
    // because std::prev of an input iterator never ends.
    using iterator_category = Concept;
    using iterator_concept = Concept;

    SLOTWISE_ALWAYS_INLINE constexpr Reference operator*() const { return self().dereference(); }
    constexpr pointer operator->() const {
        if constexpr (std::is_reference_v<Reference>)
            return std::addressof(self().dereference());
        else
            return {self().dereference()};
    }
    SLOTWISE_ALWAYS_INLINE constexpr Derived& operator++() {
        static_cast<Derived&>(*this).increment();
        return static_cast<Derived&>(*this);
    }
    constexpr Derived operator++(int) {
        Derived before = self();
        static_cast<Derived&>(*this).increment();
        return before;
    }

    constexpr Derived& operator--()
        requires std::is_same_v<Concept, std::bidirectional_iterator_tag>
    {
        static_cast<Derived&>(*this).decrement();
        return static_cast<Derived&>(*this);
    }
    constexpr Derived operator--(int)
        requires std::is_same_v<Concept, std::bidirectional_iterator_tag>
    {
        Derived before = self();
        static_cast<Derived&>(*this).decrement();
        return before;
    }

private:
    SLOTWISE_ALWAYS_INLINE constexpr const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }
};

template <class>
inline constexpr bool never = false;

/// A bidirectional iterator over a part of each element of `Iterator`: part(it).
template <class Iterator, class Part>
class PartIterator : public IteratorFacade<PartIterator<Iterator, Part>,
                                           std::remove_cvref_t<decltype(Part()(std::declval<const Iterator&>()))>,
                                           decltype(Part()(std::declval<const Iterator&>())), std::bidirectional_iterator_tag> {
    using Reference = decltype(Part()(std::declval<const Iterator&>()));

public:
    constexpr PartIterator() noexcept = default;
    constexpr explicit PartIterator(Iterator it, Part part = Part()) noexcept : it_(it), part_(part) {}
    /// The iterator over whole elements.
    constexpr const Iterator& base() const noexcept { return it_; }
    friend constexpr bool operator==(const PartIterator& a, const PartIterator& b) noexcept { return a.it_ == b.it_; }

private:
    friend IteratorFacade<PartIterator, std::remove_cvref_t<Reference>, Reference, std::bidirectional_iterator_tag>;
    constexpr Reference dereference() const { return part_(it_); }
    constexpr void increment() noexcept { ++it_; }
    constexpr void decrement() noexcept { --it_; }

    Iterator it_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Part part_{};
};

/// A handle and the element itself, for PartIterator.
struct HandleAndElementPart {
    template <class Iterator>
    constexpr auto operator()(const Iterator& it) const {
        return SlotMapItem<decltype(it.handle()), decltype(*it)>(it.handle(), *it);
    }
};

/// The parts of an item, for PartIterator.
struct HandlePart {
    template <class Iterator>
    constexpr auto operator()(const Iterator& it) const noexcept {
        return it.handle();
    }
};
struct ValuePart {
    template <class Iterator>
    constexpr auto& operator()(const Iterator& it) const {
        return (*it).value;
    }
};

/// A pair of iterators as a range: a view, and borrowed, because it owns nothing.
template <class Iterator>
class IteratorRange {
public:
    using iterator = Iterator;
    constexpr IteratorRange(Iterator first, Iterator last, std::size_t size) : first_(first), last_(last), size_(size) {}
    constexpr Iterator begin() const { return first_; }
    constexpr Iterator end() const { return last_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }

private:
    Iterator first_, last_;
    std::size_t size_;
};
template <class Iterator>
IteratorRange(Iterator, Iterator, std::size_t) -> IteratorRange<Iterator>;

/// Part of each element from `first` to `last`.
template <class Part, class Iterator>
constexpr auto part_range(Iterator first, Iterator last, std::size_t size, Part part = Part()) {
    using It = PartIterator<Iterator, Part>;
    return IteratorRange<It>(It(first, part), It(last, part), size);
}

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

/// InsertResult binds to two names.
template <class Iterator>
struct std::tuple_size<slotwise::InsertResult<Iterator>> : std::integral_constant<std::size_t, 2> {};
template <class Iterator>
struct std::tuple_element<0, slotwise::InsertResult<Iterator>> {
    using type = Iterator;
};
template <class Iterator>
struct std::tuple_element<1, slotwise::InsertResult<Iterator>> {
    using type = bool;
};

/// It owns nothing. Iterators outlive it.
template <class Iterator>
inline constexpr bool std::ranges::enable_view<slotwise::detail::IteratorRange<Iterator>> = true;
template <class Iterator>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::IteratorRange<Iterator>> = true;

#endif
