// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AtomicWord: an integer that one thread writes while others read it.
#ifndef SLOTWISE_MEMORY_ATOMIC_WORD_HPP
#define SLOTWISE_MEMORY_ATOMIC_WORD_HPP

#include "../config/abi.hpp"

#include <cstddef>
#include <type_traits>
#if !defined(__GNUC__) && !defined(__clang__)
#include <atomic> // elsewhere it would cost each user of a map compile time
#endif

SLOTWISE_BEGIN
namespace detail {

/// Reads acquire and writes release: what the writer did before a write is visible to a thread that has read what was written.
/// Unlike std::atomic it is copied as a plain value, for arrays that are copied while no other thread reads.
template <class T>
class AtomicWord {
    static_assert(std::is_unsigned_v<T>);

public:
    constexpr AtomicWord(T value = 0) noexcept : value_(value) {}

    SLOTWISE_ALWAYS_INLINE constexpr operator T() const noexcept {
        if (SLOTWISE_IN_CONSTANT) return value_;
#if defined(__GNUC__) || defined(__clang__)
        return __atomic_load_n(&value_, __ATOMIC_ACQUIRE);
#else
        return std::atomic_ref<T>(const_cast<T&>(value_)).load(std::memory_order_acquire);
#endif
    }
    SLOTWISE_ALWAYS_INLINE constexpr AtomicWord& operator=(T value) noexcept {
        if (SLOTWISE_IN_CONSTANT)
            value_ = value;
        else
#if defined(__GNUC__) || defined(__clang__)
            __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
#else
            std::atomic_ref<T>(value_).store(value, std::memory_order_release);
#endif
        return *this;
    }
    /// Only one thread writes, so what it reads is no atomic operation.
    SLOTWISE_ALWAYS_INLINE constexpr AtomicWord& operator++() noexcept { return *this = static_cast<T>(value_ + 1u); }

    /// The values of an array of words as integers. @pre no other thread writes them
    template <class Word>
    static auto* plain(Word* words) noexcept {
        return words == nullptr ? nullptr : &words->value_;
    }

private:
    T value_;
};

/// The values of an array of integers, or of atomic ones.
template <class T>
constexpr T* plain_values(T* values) noexcept {
    return values;
}
template <class T>
T* plain_values(AtomicWord<T>* values) noexcept {
    return AtomicWord<T>::plain(values);
}
template <class T>
const T* plain_values(const AtomicWord<T>* values) noexcept {
    return AtomicWord<T>::plain(values);
}

} // namespace detail
SLOTWISE_END

#endif
