// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Versioned: a value with a change counter that moves only when the value really changes. This is what a dirty gate compares:
// one integer compare instead of a deep one.
#ifndef SLOTWISE_CORE_VERSIONED_HPP
#define SLOTWISE_CORE_VERSIONED_HPP

#include "detail/std_memory.hpp"
#include "hash.hpp"

#include <concepts>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN

/// A count of changes, taken from a Versioned at some moment. 64 bits do not wrap in practice.
using change_t = std::uint64_t;

/// A value and how often it has changed. A fresh one has changed once, so that mark 0 means "never seen".
///
/// Assignments and swaps, those inside std::vector::erase and std::sort too, never hide a change: if the value then differs
/// from what a reader of the target, or of the source, has seen, changed_since() reports it.
///   construction  copies and moves take value and counter, so a container that relocates by construction carries both exactly
///   copy          assigns as set() does: nothing is stored when Equal finds the values equal
///   move          takes the value whatever a custom Equal says, or std::sort would lose values that are only nearly equal. It
///                 counts unless Equal is EqualTo, the values are equal, and == is noexcept: a move throws only if T's does
/// The counter becomes the source's where that is higher, else it moves by one. A custom Equal stays where it is.
/// @tparam Equal decides whether a new value is a change; cheap equality (a pointer compare) makes the gate cheap
template <class T, class Equal>
class Versioned {
    static constexpr bool nothrow_equal = [] {
        if constexpr (std::same_as<Equal, EqualTo>)
            return requires(const T& value) {
                { value == value } noexcept;
            };
        else
            return std::is_nothrow_invocable_v<Equal&, const T&, const T&>;
    }();
    // EqualTo says that equal values are interchangeable. A custom Equal may mean "near enough".
    static constexpr bool move_compares = std::same_as<Equal, EqualTo> && nothrow_equal;
    static constexpr bool nothrow_construct =
        std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_constructible_v<Equal>;
    static constexpr bool nothrow_copy = std::is_nothrow_copy_assignable_v<T> && nothrow_equal;

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
    constexpr Versioned(Versioned&&)
        requires std::is_trivially_move_constructible_v<T>
    = default;
    /// Takes value and counter. The value that stays behind may be another one: that counts as a change of `other`.
    constexpr Versioned(Versioned&& other) noexcept(nothrow_construct)
        : value_(std::move(other.value_)), changes_(other.changes_++), equal_(std::move(other.equal_)) {}
    constexpr Versioned& operator=(const Versioned& other) noexcept(nothrow_copy) {
        if (this == &other || equal_(value_, other.value_)) return *this;
        value_ = other.value_;
        changes_ = changed_from(other.changes_);
        return *this;
    }
    constexpr Versioned& operator=(Versioned&& other) noexcept(std::is_nothrow_move_assignable_v<T>) {
        if (this == &other) return *this;
        if constexpr (move_compares)
            if (equal_(value_, other.value_)) {
                // Readers of `other` that missed its last changes may look for it here: after an erase from a vector.
                if (changes_ < other.changes_) changes_ = other.changes_;
                return *this;
            }
        value_ = std::move(other.value_);
        changes_ = changed_from(other.changes_);
        if constexpr (!std::is_trivially_move_assignable_v<T>) ++other.changes_; // what stayed behind may be another value
        return *this;
    }
    ~Versioned() = default;

    constexpr const T& get() const noexcept { return value_; }
    constexpr const T& operator*() const noexcept { return value_; }
    constexpr const T* operator->() const noexcept { return std::addressof(value_); }

    SLOTWISE_CONVERSIONS_BEGIN
    /// Replaces the value when it differs; returns whether it did. Numbers of another type are converted before they are
    /// compared: 0.1 is no change of the float 0.1f.
    /// @throws what Equal and the assignment throw; the counter has not moved then
    template <class U>
        requires std::assignable_from<T&, U&&>
    constexpr bool set(U&& value) {
        using Given = std::remove_cvref_t<U>;
        constexpr bool is_number = std::is_arithmetic_v<Given> || std::is_enum_v<Given>;
        if constexpr (is_number && !std::same_as<Given, T> && std::convertible_to<U, T>)
            return set(static_cast<T>(value));
        else {
            if (equal_(value_, value)) return false;
            value_ = std::forward<U>(value);
            ++changes_;
            return true;
        }
    }
    SLOTWISE_CONVERSIONS_END

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
    /// Above the counter here, so that no reader of this one misses the change, and not below that of the source.
    constexpr change_t changed_from(change_t source) const noexcept { return changes_ < source ? source : changes_ + 1; }

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
