// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Versioned: a value with a change counter that moves only when the value really changes. This is what a dirty gate compares:
// one integer compare instead of a deep one.
#ifndef SLOTWISE_CORE_VERSIONED_HPP
#define SLOTWISE_CORE_VERSIONED_HPP

#include "hash.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN

/// A count of changes, taken from a Versioned at some moment. 64 bits do not wrap in practice.
using change_t = std::uint64_t;

/// A value and how often it has changed. A fresh one has changed once, so that mark 0 means "never seen".
/// Assignment of a Versioned copies the value through set(): the counter of the target moves only if the value differs.
/// @tparam Equal decides whether a new value is a change; cheap equality (a pointer compare) makes the gate cheap
template <class T, class Equal>
class Versioned {
public:
    using value_type = T;

    constexpr Versioned()
        requires std::default_initializable<T>
    = default;
    /// A value that has changed once.
    template <class U = T>
        requires(std::constructible_from<T, U &&> && !std::same_as<std::remove_cvref_t<U>, Versioned>)
    constexpr explicit Versioned(U&& value, Equal equal = Equal()) : value_(std::forward<U>(value)), equal_(std::move(equal)) {}
    constexpr Versioned(const Versioned&) = default;
    constexpr Versioned(Versioned&&) = default;
    constexpr Versioned& operator=(const Versioned& other) {
        if (this != &other) set(other.value_);
        return *this;
    }
    constexpr Versioned& operator=(Versioned&& other) {
        if (this != &other) set(std::move(other.value_));
        return *this;
    }
    ~Versioned() = default;

    constexpr const T& get() const noexcept { return value_; }
    constexpr const T& operator*() const noexcept { return value_; }
    constexpr const T* operator->() const noexcept { return &value_; }

    /// Replaces the value when it differs; returns whether it did.
    /// @throws what Equal and the assignment throw; the counter has not moved then
    template <class U>
        requires std::assignable_from<T&, U&&>
    constexpr bool set(U&& value) {
        if (equal_(value_, value)) return false;
        value_ = std::forward<U>(value);
        ++changes_;
        return true;
    }

    /// Lets f change a copy of the value, then set()s it; returns whether the value differs now.
    /// @throws what the copy, f, Equal and the assignment throw; nothing has changed then
    template <class F>
    constexpr bool modify(F&& f) {
        T copy = value_;
        std::forward<F>(f)(copy);
        return set(std::move(copy));
    }

    /// Counts a change although the value is the same: for a value that refers to something which changed.
    constexpr void touch() noexcept { ++changes_; }

    /// The moment, to be compared later.
    constexpr change_t mark() const noexcept { return changes_; }
    /// Whether the value has changed since `mark` was taken here. Mark 0: always.
    constexpr bool changed_since(change_t mark) const noexcept { return changes_ != mark; }

private:
    T value_{};
    change_t changes_ = 1;
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal_{};
};

/// Writes to `out` the positions of those `values` that changed since the mark at the same position.
/// `out` is cleared, not shrunk: kept across calls it allocates nothing (the articles' collect_changed_pins_into).
/// @param values a range of Versioned; @param marks a range of change_t, missing ones count as "never seen"
/// @complexity linear, one integer compare a value
template <class Values, class Marks, class Out>
constexpr void collect_changed_into(const Values& values, const Marks& marks, Out& out) {
    out.clear();
    auto mark = marks.begin();
    typename Out::value_type position{};
    for (const auto& value : values) {
        const bool seen = mark != marks.end();
        if (value.changed_since(seen ? static_cast<change_t>(*mark) : change_t{0})) out.push_back(position);
        if (seen) ++mark;
        ++position;
    }
}

SLOTWISE_END

#endif
