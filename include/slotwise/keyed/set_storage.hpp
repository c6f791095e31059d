// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage: a KeySet with set operations.
#ifndef SLOTWISE_KEYED_SET_STORAGE_HPP
#define SLOTWISE_KEYED_SET_STORAGE_HPP

#include "key_set.hpp"

SLOTWISE_BEGIN

/// A set with stable addresses, handles and any number of columns. See KeySet for everything but the relations between sets.
///     SetStorage<std::string> names{"ada", "grace"};
///     auto [it, inserted] = names.insert("alan");
template <class Key, class... With>
class SetStorage : public KeySet<Key, With...> {
    using Base = KeySet<Key, With...>;
    using Allocator = typename Base::allocator_type;
    static constexpr KeySetOptions O = Base::options;

public:
    using Base::Base;
    using Base::operator=;
    constexpr SetStorage() = default;
    constexpr SetStorage(const SetStorage&) = default;
    constexpr SetStorage(SetStorage&&) = default;
    constexpr SetStorage(const SetStorage& other, const Allocator& alloc) : Base(other, alloc) {}
    constexpr SetStorage(SetStorage&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
    constexpr SetStorage& operator=(const SetStorage&) = default;
    constexpr SetStorage& operator=(SetStorage&&) = default;
    ~SetStorage() = default;
    friend constexpr void swap(SetStorage& a, SetStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// The membership part.
    constexpr const Base& key_set() const noexcept { return *this; }

    /// Whether every key of `other` is a member. @throws what hash and equality throw
    template <class... OtherWith>
    constexpr bool includes(const KeySet<Key, OtherWith...>& other) const {
        if (other.size() > this->size()) return false;
        for (const Key& key : other)
            if (!this->contains(key)) return false;
        return true;
    }
    /// Moves the keys of `other` that are not members to this set. The others stay. Columns are value-initialised here. Keys
    /// are copied where an observer of this set may throw, so that each key is always in one of the two sets. @throws as insert
    /// (With deferred erase keys must be copyable, because the removed keys stay readable in `other`.)
    constexpr void merge(SetStorage& other)
        requires(!O.deferred_erase || std::copy_constructible<Key>)
    {
        if (this == &other) return;
        for (auto it = other.begin(); it != other.end();) {
            const slot_t slot = it.slot();
            ++it;
            if (this->contains(other.key(slot))) continue;
            this->hand_over(other, slot, [this](auto&& key) { this->insert(std::forward<decltype(key)>(key)); });
        }
    }
    constexpr void merge(SetStorage&& other)
        requires(!O.deferred_erase || std::copy_constructible<Key>)
    {
        merge(other);
    }
};

SLOTWISE_END

#endif
