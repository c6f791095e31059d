// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IteratorFacade: the operators of a forward or bidirectional iterator, written once for const, non-const and proxy references.
#ifndef SLOTWISE_CORE_ITERATOR_FACADE_HPP
#define SLOTWISE_CORE_ITERATOR_FACADE_HPP

#include "../config/abi.hpp"
#include "std_memory.hpp"

#include <cstddef>
#include <span> // declares enable_view and enable_borrowed_range; <ranges> costs a quarter second more
#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

/// What operator-> of a proxy reference returns.
template <class Reference>
struct ArrowProxy {
    Reference reference;
    constexpr Reference* operator->() noexcept { return std::addressof(reference); }
};

/// Base of an iterator `Derived` that has `Reference dereference() const`, `void increment()` and operator==; a bidirectional
/// one has `void decrement()` too.
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

/// It owns nothing. Iterators outlive it.
template <class Iterator>
inline constexpr bool std::ranges::enable_view<slotwise::detail::IteratorRange<Iterator>> = true;
template <class Iterator>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::IteratorRange<Iterator>> = true;

#endif
