// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IteratorFacade: the operators of a forward iterator, written once for const, non-const and proxy references.
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

/// Base of an iterator `Derived` that has `Reference dereference() const`, `void increment()` and operator==.
template <class Derived, class Value, class Reference>
class IteratorFacade {
public:
    using value_type = Value;
    using reference = Reference;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<std::is_reference_v<Reference>, std::add_pointer_t<Reference>, ArrowProxy<Reference>>;
    // A proxy is no Cpp17ForwardIterator; C++20 algorithms look at iterator_concept.
    using iterator_category =
        std::conditional_t<std::is_reference_v<Reference>, std::forward_iterator_tag, std::input_iterator_tag>;
    using iterator_concept = std::forward_iterator_tag;

    constexpr Reference operator*() const { return self().dereference(); }
    constexpr pointer operator->() const {
        if constexpr (std::is_reference_v<Reference>)
            return std::addressof(self().dereference());
        else
            return {self().dereference()};
    }
    constexpr Derived& operator++() {
        static_cast<Derived&>(*this).increment();
        return static_cast<Derived&>(*this);
    }
    constexpr Derived operator++(int) {
        Derived before = self();
        static_cast<Derived&>(*this).increment();
        return before;
    }

private:
    constexpr const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }
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

} // namespace detail
SLOTWISE_END

/// It owns nothing: iterators live longer than it.
template <class Iterator>
inline constexpr bool std::ranges::enable_view<slotwise::detail::IteratorRange<Iterator>> = true;
template <class Iterator>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::detail::IteratorRange<Iterator>> = true;

#endif
