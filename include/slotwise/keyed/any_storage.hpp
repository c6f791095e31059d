// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySetStorage and AnyMapStorage: sets and maps whose key and value types are described at run time, over the same core.
#ifndef SLOTWISE_KEYED_ANY_STORAGE_HPP
#define SLOTWISE_KEYED_ANY_STORAGE_HPP

#include "any_array.hpp"
#include "keyed_arguments.hpp"
#include "keyed_iterator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The set interface by address. A map of described types has it as a private base.
template <class Tag, KeySetOptions O, class Allocator, std::size_t Own, class... Observers>
class AnySet : public KeySetCore<AnyKeyStore<Allocator>, Tag, O, Allocator, HashIndex, Own, Observers...> {
    using Core = KeySetCore<AnyKeyStore<Allocator>, Tag, O, Allocator, HashIndex, Own, Observers...>;

public:
    using typename Core::handle_type;
    using typename Core::size_type;
    /// Yields the address of each key, in slot order.
    using iterator = KeyedIterator<const AnySet, const void*>;
    using const_iterator = iterator;

    /// An empty set of keys of `type`, which must outlive it.
    /// @throws std::invalid_argument when the type lacks what a key needs: hash, equal, copy, a size and an alignment
    explicit AnySet(const TypeDescriptor& type, const Allocator& alloc = Allocator())
        : Core(AnyKeyStore<Allocator>(as_key(type), alloc), alloc) {}
    AnySet(const AnySet&) = default;
    AnySet(AnySet&&) = default;
    AnySet(const AnySet& other, const Allocator& alloc) : Core(other, alloc) {}
    AnySet(AnySet&& other, const Allocator& alloc) : Core(std::move(other), alloc) {}
    AnySet& operator=(const AnySet&) = default;
    AnySet& operator=(AnySet&&) = default;
    ~AnySet() = default;
    friend void swap(AnySet& a, AnySet& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    const TypeDescriptor& key_type() const noexcept { return *core_.store.keys.type(); }

    /// Adds a copy of the key at `key` unless it is a member. @pre key points to a value of key_type()
    /// @throws what the type's operations, the allocator and observers throw; strong
    InsertResult<iterator> insert(const void* key) {
        return result(core_.do_insert(key, NewAnyKey<const void>{core_.store.keys, key}));
    }
    /// As insert, but moves the key when it is added (copies it, if the type has no move). Strong if the move is.
    InsertResult<iterator> insert_moved(void* key) {
        return result(core_.do_insert(static_cast<const void*>(key), NewAnyKey<void>{core_.store.keys, key}));
    }
    using Core::contains;
    /// Whether the key at `key` is a member. @throws what the type's hash and equal throw
    bool contains(const void* key) const { return slot_of(key) != no_slot; }
    /// Its slot, or no_slot.
    slot_t slot_of(const void* key) const { return core_.do_find(core_.store.keys.hash(key), key); }
    /// The slot of the key, live or pending (the live one if there are both), or no_slot.
    slot_t slot_of_any(const void* key) const { return core_.template do_find<true>(core_.store.keys.hash(key), key); }
    /// Its handle, or null.
    handle_type handle_of(const void* key) const { return this->handle_at(slot_of(key)); }
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    const void* key(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "described container key(slot): no key is there; ask state(slot)");
        return core_.store.keys.key_of(slot);
    }
    /// The key of the element, or null when it was erased.
    const void* key(handle_type handle) const noexcept {
        return Core::contains(handle) ? core_.store.keys.key_of(handle.index()) : nullptr;
    }
    /// The element with the key at `key`, or end().
    iterator find(const void* key) const { return {this, slot_of(key)}; }
    iterator begin() const noexcept { return {this, this->occupancy().find_next(0)}; }
    iterator end() const noexcept { return {this, no_slot}; }
    using Core::erase;
    /// Erases the key at `key`, which may be the very one in the set; false when it is not a member.
    bool erase(const void* key) {
        const slot_t slot = slot_of(key);
        if (slot == no_slot) return false;
        core_.do_erase(slot);
        return true;
    }
    /// Calls f(key address) for every key in slot order; f may erase the key it is given.
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : this->slots()) f(core_.store.keys.key_of(slot));
    }
    /// Equal when they have the same keys of the same type.
    friend bool operator==(const AnySet& a, const AnySet& b) {
        bool same = &a.key_type() == &b.key_type() && a.size() == b.size();
        a.for_each([&](const void* key) { same = same && b.contains(key); });
        return same;
    }

protected:
    using Core::core_;
    template <class, class>
    friend class KeyedIterator;
    const void* element_at(slot_t slot) const noexcept { return core_.store.keys.key_of(slot); }
    InsertResult<iterator> result(InsertOutcome of) const noexcept { return {{this, of.slot}, of.inserted, of.kind}; }
    /// As NewKey, of a key by its address.
    template <class Void>
    struct NewAnyKey {
        static constexpr bool trivial = false;
        static constexpr std::size_t filled_columns = 0;
        AnyKeyStore<Allocator>& keys;
        Void* key;
        void construct(slot_t slot, std::uint64_t hash) {
            if constexpr (std::is_const_v<Void>)
                keys.copy(slot, hash, key);
            else
                keys.move(slot, hash, key);
        }
        void destroy(slot_t slot) noexcept { keys.destroy(slot); }
        static void replace_value(slot_t, bool&) noexcept {}
        static void assign_to(slot_t) noexcept {}
        static void assign_built(slot_t, slot_t) noexcept {}
    };
    static const TypeDescriptor* sized(const TypeDescriptor& type) {
        if (type.size == 0 || !std::has_single_bit(type.align) || type.size % type.align != 0)
            throw_invalid_argument("TypeDescriptor: size must be a multiple of align, not 0, and align a power of two");
        return &type;
    }
    static const TypeDescriptor* as_key(const TypeDescriptor& type) {
        if (type.hash == nullptr || type.equal == nullptr || type.copy == nullptr)
            throw_invalid_argument("TypeDescriptor of a key: hash, equal and copy must be given");
        return sized(type);
    }
};

template <class... With>
using AnyArguments = Arguments<with_options | with_tag | with_alloc | with_observers, KeySetOptions, std::byte, NoKey, With...>;
template <class Container, class Args, class Observers, class... Own>
struct AnySetOf;
template <class Container, class Args, class... Observers, class... Own>
struct AnySetOf<Container, Args, TypeList<Observers...>, Own...> {
    using type = AnySet<typename HandleOf<Container>::tag_type, Args::options, typename Args::allocator, sizeof...(Own), Own...,
                        Observers...>;
};
template <class Container, class Args, class... Own>
using any_set = typename AnySetOf<Container, Args, typename Args::observers, Own...>::type;
template <class... With>
using AnySetBase = any_set<BasicAnySetStorage<With...>, AnyArguments<With...>>;
template <class... With>
using AnyMapBase =
    any_set<BasicAnyMapStorage<With...>, AnyArguments<With...>, AnyColumn<typename AnyArguments<With...>::allocator>>;

} // namespace detail

/// A set of keys of a type that is described at run time: the same core as SetStorage, keys passed by address.
/// @tparam With in any order: `Column<U>` and static observers, Options<KeySetOptions{...}>, AllocBy<A>, Tag<X>
template <class... With>
class BasicAnySetStorage : public detail::AnySetBase<With...> {
    using Base = detail::AnySetBase<With...>;

public:
    using Base::Base;
    friend void swap(BasicAnySetStorage& a, BasicAnySetStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
};

/// The addresses of a key and of its value: what iterators of a map of described types yield. Binds as auto [key, value].
template <class Void>
struct AnyMapItem {
    const void* key;
    Void* value;
};

/// A map between types that are described at run time: the same core as MapStorage, keys and values passed by address.
///     AnyMapStorage stock(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
///     stock.insert_or_assign(&name, &count);
/// @tparam With as BasicAnySetStorage's
template <class... With>
class BasicAnyMapStorage : private detail::AnyMapBase<With...> {
    using Allocator = typename detail::AnyArguments<With...>::allocator;
    using Column = detail::AnyColumn<Allocator>;

public:
    /// The result of as_set().
    using set_type = detail::AnyMapBase<With...>;
    /// Yield the addresses of key and value, in slot order.
    using iterator = detail::KeyedIterator<BasicAnyMapStorage, AnyMapItem<void>>;
    using const_iterator = detail::KeyedIterator<const BasicAnyMapStorage, AnyMapItem<const void>>;
    using typename set_type::allocator_type;
    using typename set_type::handle_type;
    using typename set_type::size_type;

    /// An empty map. The descriptors must outlive it.
    /// @throws std::invalid_argument when the key type lacks hash, equal or copy, the value type copy, or a size is wrong
    BasicAnyMapStorage(const TypeDescriptor& key, const TypeDescriptor& value, const Allocator& alloc = Allocator())
        : set_type(key, alloc) {
        if (value.copy == nullptr) detail::throw_invalid_argument("TypeDescriptor of a value: copy must be given");
        values() = Column(set_type::sized(value), alloc);
    }
    BasicAnyMapStorage(const BasicAnyMapStorage&) = default;
    BasicAnyMapStorage(BasicAnyMapStorage&&) = default;
    BasicAnyMapStorage(const BasicAnyMapStorage& other, const Allocator& alloc) : set_type(other, alloc) {}
    BasicAnyMapStorage(BasicAnyMapStorage&& other, const Allocator& alloc) : set_type(static_cast<set_type&&>(other), alloc) {}
    BasicAnyMapStorage& operator=(const BasicAnyMapStorage&) = default;
    BasicAnyMapStorage& operator=(BasicAnyMapStorage&&) = default;
    ~BasicAnyMapStorage() = default;
    void swap(BasicAnyMapStorage& other) noexcept(noexcept(std::declval<set_type&>().swap(std::declval<set_type&>()))) {
        set_type::swap(other);
    }
    friend void swap(BasicAnyMapStorage& a, BasicAnyMapStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    using set_type::attach;
    using set_type::capacity;
    using set_type::check_invariants;
    using set_type::clear;
    using set_type::column;
    using set_type::contains;
    using set_type::empty;
    using set_type::erase;
    using set_type::explain;
    using set_type::flush_removed;
    using set_type::for_each_pending;
    using set_type::get_allocator;
    using set_type::handle_at;
    using set_type::handle_of;
    using set_type::key_type;
    using set_type::max_size;
    using set_type::observer;
    using set_type::occupancy;
    using set_type::options;
    using set_type::pending;
    using set_type::recycle_retired;
    using set_type::remove;
    using set_type::reserve;
    using set_type::reset;
    using set_type::retired;
    using set_type::shrink_to_fit;
    using set_type::size;
    using set_type::slot_of;
    using set_type::slot_of_any;
    using set_type::slots;
    using set_type::state;

    /// The map as a set of its keys: the same object.
    const set_type& as_set() const noexcept { return *this; }
    const TypeDescriptor& value_type() const noexcept { return *values().type(); }
    // No using-declaration: g++ 12 would warn about every parameter named key.
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    const void* key(slot_t slot) const noexcept { return set_type::key(slot); }
    const void* key(handle_type handle) const noexcept { return set_type::key(handle); }

    /// Adds copies of key and value unless the key is a member; a null `value` means the default value.
    /// @throws what the types' operations, the allocator and observers throw, std::invalid_argument when there is no default;
    /// strong (a pending element is erased when its resurrection throws in the copy of the value, because a described value is
    /// built in its place)
    InsertResult<iterator> insert(const void* key, const void* value) { return do_emplace(key, value); }
    /// As insert, but moves key and value when they are added (copies, if a type has no move). @pre value is not null. Strong
    /// if the moves are.
    InsertResult<iterator> insert_moved(void* key, void* value) { return do_emplace(key, value); }
    /// As insert; where the key is a member, *value is assigned. @pre value is not null
    /// @throws as insert, what assign throws, std::invalid_argument when the value type has none
    InsertResult<iterator> insert_or_assign(const void* key, const void* value) {
        const auto inserted = insert(key, value);
        if (!inserted.inserted) assign(values().ptr(inserted.it.slot()), value);
        return inserted;
    }
    /// The element with the key at `key`, or end().
    iterator find(const void* key) { return {this, slot_of(key)}; }
    const_iterator find(const void* key) const { return {this, slot_of(key)}; }
    iterator begin() noexcept { return {this, this->occupancy().find_next(0)}; }
    iterator end() noexcept { return {this, no_slot}; }
    const_iterator begin() const noexcept { return {this, this->occupancy().find_next(0)}; }
    const_iterator end() const noexcept { return {this, no_slot}; }
    /// The value of the key at `key`, or null.
    void* get(const void* key) { return found(slot_of(key)); }
    const void* get(const void* key) const { return found(slot_of(key)); }
    void* get(handle_type handle) noexcept { return contains(handle) ? values().ptr(handle.index()) : nullptr; }
    const void* get(handle_type handle) const noexcept { return contains(handle) ? values().ptr(handle.index()) : nullptr; }
    /// The value of the key at `key`. @throws std::out_of_range when there is none
    void* at(const void* key) {
        void* const value = get(key);
        if (value == nullptr) detail::throw_out_of_range("described map at(key): no element has this key; ask get(key)");
        return value;
    }
    /// The value in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    void* value(slot_t slot) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "described map value(slot): no value is there; ask state(slot)");
        return values().ptr(slot);
    }
    const void* value(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "described map value(slot): no value is there; ask state(slot)");
        return values().ptr(slot);
    }
    /// Calls f(key address, value address) for every element in slot order; f may erase the element it is given.
    template <class F>
    void for_each(F&& f) {
        for (const slot_t slot : slots()) f(key(slot), values().ptr(slot));
    }
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : slots()) f(key(slot), static_cast<const void*>(values().ptr(slot)));
    }
    /// Equal when they have the same keys with equal values, of the same types. @pre the value type has equal
    friend bool operator==(const BasicAnyMapStorage& a, const BasicAnyMapStorage& b) {
        bool same = &a.key_type() == &b.key_type() && &a.value_type() == &b.value_type() && a.size() == b.size();
        a.for_each([&](const void* key, const void* value) {
            const void* const other = same ? b.get(key) : nullptr;
            same = other != nullptr && a.value_type().equal(value, other);
        });
        return same;
    }

private:
    using set_type::core_;
    /// As NewItem, of a key and a value by their addresses.
    template <class Void>
    struct NewAnyItem {
        static constexpr bool trivial = false;
        static constexpr std::size_t filled_columns = 1;
        typename set_type::template NewAnyKey<Void> key;
        Column& column;
        Void* value;
        void construct(slot_t slot, std::uint64_t hash) {
            key.construct(slot, hash);
            ScopeGuard undo([&]() noexcept { key.destroy(slot); });
            construct_value(slot);
            undo.dismiss();
        }
        void destroy(slot_t slot) noexcept {
            column.destroy(slot);
            key.destroy(slot);
        }
        void replace_value(slot_t slot, bool& old_destroyed) {
            // The new value may be a copy of the old one.
            if (value == column.ptr(slot)) return;
            if (value == nullptr) column.expect_default();
            old_destroyed = true;
            column.destroy(slot);
            construct_value(slot);
        }
        static void assign_to(slot_t) noexcept {}
        static void assign_built(slot_t, slot_t) noexcept {}
        void construct_value(slot_t slot) {
            if constexpr (std::is_const_v<Void>)
                column.construct(slot, value);
            else
                column.construct_moved(slot, value);
        }
    };
    template <class, class>
    friend class detail::KeyedIterator;
    AnyMapItem<void> element_at(slot_t slot) noexcept { return {core_.store.keys.key_of(slot), values().ptr(slot)}; }
    AnyMapItem<const void> element_at(slot_t slot) const noexcept {
        return {core_.store.keys.key_of(slot), values().ptr(slot)};
    }
    template <class Void>
    InsertResult<iterator> do_emplace(Void* key, Void* value) {
        const detail::InsertOutcome of =
            core_.do_insert(static_cast<const void*>(key), NewAnyItem<Void>{{core_.store.keys, key}, values(), value});
        return {{this, of.slot}, of.inserted, of.kind};
    }
    Column& values() noexcept { return core_.hub.template get<0>(); }
    const Column& values() const noexcept { return core_.hub.template get<0>(); }
    void* found(slot_t slot) const noexcept { return slot == no_slot ? nullptr : values().ptr(slot); }
    void assign(void* to, const void* from) {
        const TypeDescriptor& type = value_type();
        if (to == from) return;
        if (type.assign == nullptr)
            detail::throw_invalid_argument(
                "described map insert_or_assign: the value type has no TypeDescriptor::assign; erase the key first");
        type.assign(to, from);
    }
};

SLOTWISE_END

#endif
