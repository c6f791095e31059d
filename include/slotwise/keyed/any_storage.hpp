// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySetStorage and AnyMapStorage: sets and maps whose key and value types are described at run time, over the same core.
#ifndef SLOTWISE_KEYED_ANY_STORAGE_HPP
#define SLOTWISE_KEYED_ANY_STORAGE_HPP

#include "any_set.hpp"

SLOTWISE_BEGIN

/// A set of keys of a type that is described at run time: the same core as SetStorage, keys passed by address.
/// @tparam With in any order: `Column<U>` and static observers, Options<KeySetOptions{...}>, `IndexBy<I>`, AllocBy<A>, Tag<X>
template <class... With>
class BasicAnySetStorage : public detail::AnySetBase<With...> {
    using Base = detail::AnySetBase<With...>;

public:
    using Base::Base;
    /// An empty one of the same type with the same allocator.
    BasicAnySetStorage like() const { return BasicAnySetStorage(this->key_type(), this->get_allocator()); }
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
    using typename set_type::hasher;
    using typename set_type::key_equal;
    using typename set_type::size_type;

    /// An empty map. The descriptors must outlive it.
    /// @throws std::invalid_argument when the key type lacks hash, equal or copy, the value type copy, or a size is wrong
    BasicAnyMapStorage(const TypeDescriptor& key, const TypeDescriptor& value, const Allocator& alloc = Allocator())
        : set_type(key, alloc) {
        if (value.copy == nullptr) detail::throw_invalid_argument("TypeDescriptor of a value: copy must be given");
        column_of_values() = Column(set_type::sized(value), alloc);
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
    using set_type::cancel;
    using set_type::capacity;
    using set_type::check_invariants;
    using set_type::clear;
    using set_type::column;
    using set_type::contains;
    using set_type::empty;
    using set_type::erase;
    using set_type::erase_reserved;
    using set_type::explain;
    using set_type::flush_removed;
    using set_type::for_each_pending;
    using set_type::get_allocator;
    using set_type::handle_at;
    using set_type::handle_of;
    using set_type::hash_function;
    using set_type::key_eq;
    using set_type::key_type;
    using set_type::live_slots;
#pragma push_macro("slots") // as in KeySetCore
#undef slots
    using set_type::slots;
#pragma pop_macro("slots")
    using set_type::max_size;
    using set_type::memory_usage;
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
    using set_type::state;

    /// An empty one of the same types with the same allocator.
    BasicAnyMapStorage like() const { return {key_type(), value_type(), get_allocator()}; }
    /// The map as a set of its keys: the same object.
    const set_type& as_set() const noexcept { return *this; }
    const TypeDescriptor& value_type() const noexcept { return *column_of_values().type(); }
    // No using-declaration: g++ 12 would warn about every parameter named key.
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    const void* key(slot_t slot) const noexcept { return set_type::key(slot); }
    template <std::same_as<handle_type> H>
    const void* key(H handle) const noexcept {
        return set_type::key(handle);
    }

    /// Adds copies of key and value unless the key is a member; a null `value` means the default value.
    /// @throws what the types' operations, the allocator and observers throw, std::invalid_argument when there is no default;
    /// strong (if a move of the value type may throw, and its copy throws, a pending element is not resurrected but erased)
    InsertResult<iterator> insert(const void* key, const void* value) { return do_emplace(key, value); }
    /// As insert, but moves key and value when they are added (copies, if a type has no move, or the key is const). @pre value
    /// is not null. Strong if the moves are.
    InsertResult<iterator> insert_moved(void* key, void* value) { return do_emplace(key, value); }
    InsertResult<iterator> insert_moved(const void* key, void* value) { return do_emplace(key, value); }
    /// As insert; where the key is a member, *value is assigned. @pre value is not null
    /// @throws as insert, what assign throws, std::invalid_argument when the value type has none
    InsertResult<iterator> insert_or_assign(const void* key, const void* value) {
        const auto inserted = insert(key, value);
        if (!inserted.inserted) assign(column_of_values().ptr(inserted.it.slot()), value);
        return inserted;
    }
    /// The element with the key at `key`, or end().
    iterator find(const void* key) { return {this, slot_of(key)}; }
    const_iterator find(const void* key) const { return {this, slot_of(key)}; }
    /// The element of this handle, or end().
    template <std::same_as<handle_type> H>
    iterator find(H handle) noexcept {
        return {this, contains(handle) ? handle.index() : no_slot};
    }
    template <std::same_as<handle_type> H>
    const_iterator find(H handle) const noexcept {
        return {this, contains(handle) ? handle.index() : no_slot};
    }
    iterator begin() noexcept { return {this, this->occupancy().find_next(0)}; }
    iterator end() noexcept { return {this, no_slot}; }
    const_iterator begin() const noexcept { return {this, this->occupancy().find_next(0)}; }
    const_iterator end() const noexcept { return {this, no_slot}; }
    /// The value of the key at `key`, or null.
    void* get(const void* key) { return found(slot_of(key)); }
    const void* get(const void* key) const { return found(slot_of(key)); }
    template <std::same_as<handle_type> H>
    void* get(H handle) noexcept {
        return contains(handle) ? column_of_values().ptr(handle.index()) : nullptr;
    }
    template <std::same_as<handle_type> H>
    const void* get(H handle) const noexcept {
        return contains(handle) ? column_of_values().ptr(handle.index()) : nullptr;
    }
    /// The value of the key at `key`. @throws std::out_of_range when there is none
    void* at(const void* key) { return checked(get(key), key); }
    const void* at(const void* key) const { return checked(get(key), key); }
    /// The value of this handle. @throws std::out_of_range that says whether it was erased or the handle never issued
    template <std::same_as<handle_type> H>
    void* at(H handle) {
        return column_of_values().ptr(checked_slot(handle));
    }
    template <std::same_as<handle_type> H>
    const void* at(H handle) const {
        return column_of_values().ptr(checked_slot(handle));
    }
    /// The value in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    void* value(slot_t slot) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "described map value(slot): no value is there; ask state(slot)");
        return column_of_values().ptr(slot);
    }
    const void* value(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "described map value(slot): no value is there; ask state(slot)");
        return column_of_values().ptr(slot);
    }
    /// Addresses of keys by slot: iterable, indexable, in runs of pointer, stride and mask.
    /// @invalidates itself when the map grows, shrinks or moves
    ConstAnyColumnView keys() const noexcept { return set_type::keys(); }
    /// The same of the values.
    AnyColumnView values() noexcept { return {column_of_values().pages(), core_.directory_view()}; }
    ConstAnyColumnView values() const noexcept { return {column_of_values().pages(), core_.directory_view()}; }

    /// Erases the element at `it`; returns the next one. @pre it refers to a live element (checked at level fast)
    /// @throws nothing
    template <class It>
        requires(std::same_as<It, iterator> || std::same_as<It, const_iterator>)
    iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "described container erase(it): the element here was erased, or it is the end");
        core_.do_erase(it.slot());
        return {this, this->occupancy().find_next(std::size_t{it.slot()} + 1)};
    }
    /// Erases every element for which pred(key address, value address) or pred(handle, key address, value address) holds;
    /// returns how many. If pred throws, the elements erased before stay erased.
    template <class Pred>
    size_type erase_if(Pred pred) {
        return this->core_.erase_each([&](slot_t slot) { return this->invoke(pred, slot, key(slot), value_at(slot)); });
    }
    /// Removes the element and returns key and value; empty when the key is not a member. The key is copied; the value is moved
    /// if that does not throw, and copied with deferred erase, because the removed element stays readable. A copy or move that
    /// calls the map finds no such element. @throws std::bad_alloc, what the types' operations throw; the element then stays
    /// (it is erased if something was inserted meanwhile)
    std::optional<std::pair<DescribedValue, DescribedValue>> extract(const void* key) {
        std::optional<std::pair<DescribedValue, DescribedValue>> result;
        if (const slot_t slot = slot_of(key); slot != no_slot)
            core_.template do_extract<false>(slot, [&] {
                const bool moves = !set_type::options.deferred_erase && detail::moves_nothrow(value_type());
                DescribedValue taken_key(key_type(), core_.store.keys.key_of(slot));
                DescribedValue taken_value(value_type(),
                                           moves ? AnyValue::moved(value_at(slot)) : AnyValue::copied(value_at(slot)));
                result.emplace(std::move(taken_key), std::move(taken_value));
            });
        return result;
    }
    /// As erase_reserved, and returns key and value; empty when the handle has no element. map.fulfill_moved(handle,
    /// old->first.data(), old->second.data()) undoes it. @throws as extract and erase_reserved; the element then stays
    template <std::same_as<handle_type> H>
    std::optional<std::pair<DescribedValue, DescribedValue>> extract_reserved(H handle) {
        std::optional<std::pair<DescribedValue, DescribedValue>> result;
        const slot_t slot = handle.index();
        if (contains(handle))
            core_.template do_extract<false, true>(slot, [&] {
                DescribedValue taken_key(key_type(), core_.store.keys.key_of(slot));
                DescribedValue taken_value(value_type(), detail::moves_nothrow(value_type())
                                                             ? AnyValue::moved(value_at(slot))
                                                             : AnyValue::copied(value_at(slot)));
                result.emplace(std::move(taken_key), std::move(taken_value));
            });
        return result;
    }
    /// Adds copies of key and value under a reserved handle; a null `value` means the default value. The address of the value;
    /// null, and no effect, when the handle is not reserved (any more), or the key is a member.
    /// @throws as insert; the handle is then still reserved
    template <std::same_as<handle_type> H>
    void* fulfill(H handle, const void* key, const void* value) {
        return do_fulfill(handle, key, value);
    }
    /// The same, but moves key and value (copies, if a type has no move). @pre value is not null. Strong if the moves are.
    template <std::same_as<handle_type> H>
    void* fulfill_moved(H handle, void* key, void* value) {
        return do_fulfill(handle, key, value);
    }

    /// Calls f(key address, value address) or f(handle, key address, value address) for every element in slot order; f may
    /// erase the element it is given.
    template <class F>
    void for_each(F&& f) {
        for (const slot_t slot : live_slots()) this->invoke(f, slot, key(slot), value_at(slot));
    }
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : live_slots()) this->invoke(f, slot, key(slot), static_cast<const void*>(value_at(slot)));
    }

    /// As AnySetStorage's, values included: the bytes of a MapStorage of the same types.
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        expect_covered(codec);
        detail::DescribedCodec<Codec, Columns> both{codec, columns};
        return this->template to_bytes<1, 0>(
            both, tags(both), [&](slot_t slot, ByteWriter& out) { both.write(value_type(), value_at(slot), out); });
    }
    /// As AnySetStorage's.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec lacks a type; what
    /// allocator and codecs throw; strong
    template <class Codec, class Columns = DefaultCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        if (const char* error = try_restore(bytes, codec, columns)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes instead of throwing it; null on success.
    template <class Codec, class Columns = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        expect_covered(codec);
        detail::DescribedCodec<Codec, Columns> both{codec, columns};
        return this->template from_bytes<1, 0>(bytes, both, tags(both), [&](auto& fresh, slot_t slot, ByteReader& in) {
            return fresh.hub.template get<0>().read(slot, in, both);
        });
    }
    /// Equal when they have the same keys with equal values, of the same types. @pre the value type has equal
    friend bool operator==(const BasicAnyMapStorage& a, const BasicAnyMapStorage& b) {
        bool same = same_type(a.key_type(), b.key_type()) && same_type(a.value_type(), b.value_type()) && a.size() == b.size();
        a.for_each([&](const void* key, const void* value) {
            const void* const other = same ? b.get(key) : nullptr;
            same = other != nullptr && a.value_type().equal(value, other);
        });
        return same;
    }

private:
    template <class Both>
    std::array<detail::ElementTag, 2> tags(const Both& both) const noexcept {
        return {{{detail::ElementRole::key, both.tag(key_type())}, {detail::ElementRole::value, both.tag(value_type())}}};
    }
    using set_type::core_;
    friend struct detail::OwnColumns;
    /// As NewItem, of a key and a value by their addresses.
    template <class KeyVoid, class Void>
    struct NewAnyItem {
        static constexpr bool trivial = false;
        static constexpr std::size_t filled_columns = 1;
        typename set_type::template NewAnyKey<KeyVoid> key;
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
            if (detail::moves_nothrow(*column.type())) {
                detail::AnyTemporary fresh(*column.type(), source());
                old_destroyed = true;
                column.replace(slot, fresh);
                return;
            }
            old_destroyed = true;
            column.destroy(slot);
            construct_value(slot);
        }
        static void assign_to(slot_t) noexcept {}
        static void assign_built(slot_t, slot_t) noexcept {}
        AnyValue source() const {
            if (value == nullptr) return {};
            if constexpr (std::is_const_v<Void>)
                return AnyValue::copied(value);
            else
                return AnyValue::moved(value);
        }
        void construct_value(slot_t slot) {
            if constexpr (std::is_const_v<Void>)
                column.construct(slot, value);
            else
                column.construct_moved(slot, value);
        }
    };
    template <class, class>
    friend class detail::KeyedIterator;
    AnyMapItem<void> element_at(slot_t slot) noexcept { return {core_.store.keys.key_of(slot), column_of_values().ptr(slot)}; }
    AnyMapItem<const void> element_at(slot_t slot) const noexcept {
        return {core_.store.keys.key_of(slot), column_of_values().ptr(slot)};
    }
    template <class KeyVoid, class Void>
    InsertResult<iterator> do_emplace(KeyVoid* key, Void* value) {
        const detail::InsertOutcome of = core_.do_insert(
            static_cast<const void*>(key), NewAnyItem<KeyVoid, Void>{{core_.store.keys, key}, column_of_values(), value});
        return {{this, of.slot}, of.inserted, of.kind};
    }
    template <class KeyVoid, class Void>
    void* do_fulfill(handle_type handle, KeyVoid* key, Void* value) {
        const bool done = core_.do_fulfill(handle.index(), handle.version(), static_cast<const void*>(key),
                                           NewAnyItem<KeyVoid, Void>{{core_.store.keys, key}, column_of_values(), value});
        return done ? value_at(handle.index()) : nullptr;
    }
    Column& column_of_values() noexcept { return core_.hub.template get<0>(); }
    const Column& column_of_values() const noexcept { return core_.hub.template get<0>(); }
    void* value_at(slot_t slot) const noexcept { return column_of_values().ptr(slot); }
    template <class Void>
    Void* checked(Void* value, const void* key) const {
        if (value == nullptr)
            detail::throw_no_described_key("described map at(key): no element has this key; ask get(key)", key_type(), key);
        return value;
    }
    slot_t checked_slot(handle_type handle) const {
        if (!contains(handle))
            core_.throw_no_element("described map at(handle): no element has this handle; ask get(handle) or explain(handle)",
                                   handle);
        return handle.index();
    }
    template <class Codec>
    void expect_covered(const Codec& codec) const {
        detail::expect_covered(codec, key_type());
        detail::expect_covered(codec, value_type());
    }
    void* found(slot_t slot) const noexcept { return slot == no_slot ? nullptr : column_of_values().ptr(slot); }
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
