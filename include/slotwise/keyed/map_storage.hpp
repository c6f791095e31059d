// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// MapStorage: a hash map whose keys and values are in slots: a SetStorage with a column of values.
#ifndef SLOTWISE_KEYED_MAP_STORAGE_HPP
#define SLOTWISE_KEYED_MAP_STORAGE_HPP

#include "../slots/value_array.hpp"
#include "set_storage.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The arguments of the set of keys of a map: the values are a column of its own, before all others.
template <class Key, class T, class... With>
struct PartArguments<MapStorage<Key, T, With...>> : KeyedArguments<Key, With...> {
    using Base = KeyedArguments<Key, With...>;
    using own_columns =
        typename Prepend<typename Base::own_columns, typename Base::grown::template column<T, typename Base::allocator>>::type;
};

/// A new key of a map and the arguments of its value, with the steps that KeyedEngine takes to insert them.
/// @tparam Assign the value of a member is assigned from the arguments, which are one then; otherwise it stays as it is
template <bool Assign, class Keys, class Values, class Made, class... Args>
struct NewItem {
    using T = typename Values::value_type;
    using allocator = typename Values::allocator_type;
    static constexpr bool trivial =
        NewKey<Keys, Made>::trivial && std::is_trivially_copyable_v<T> && std::is_trivially_constructible_v<T, Args...>;
    static constexpr std::size_t filled_columns = 1;
    Keys& keys;
    Made&& made; // what the key is made of
    Values& values;
    std::tuple<Args&&...> args; // what the value is made of

    constexpr void construct(slot_t slot, std::uint64_t hash) {
        keys.construct(slot, hash, std::forward<Made>(made));
        if constexpr (makes_nothrow<allocator, T, Args...>)
            construct_value(slot);
        else {
            ScopeGuard undo([&]() noexcept { keys.destroy(slot); });
            construct_value(slot);
            undo.dismiss();
        }
    }
    constexpr void destroy(slot_t slot) noexcept {
        values.destroy(slot);
        keys.destroy(slot);
    }
    SLOTWISE_CONVERSIONS_BEGIN
    constexpr void assign_to([[maybe_unused]] slot_t member) {
        if constexpr (Assign) assign_whole(values[member], std::get<0>(std::move(args))); // forwards: a tuple of references
    }
    SLOTWISE_CONVERSIONS_END
    constexpr void replace_value(slot_t slot, bool& old_destroyed) {
        if constexpr (std::is_move_constructible_v<T>) {
            // Built apart first, because the arguments may refer to the old value.
            auto fresh = [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
                return TemporaryElement<T, allocator>(values.get_allocator(), std::forward<Args>(std::get<Nth>(args))...);
            }(std::index_sequence_for<Args...>{});
            old_destroyed = true;
            values.destroy(slot);
            values.construct(slot, fresh.take());
        } else {
            old_destroyed = true;
            values.destroy(slot);
            construct_value(slot);
        }
    }
    constexpr void assign_built([[maybe_unused]] slot_t member, [[maybe_unused]] slot_t slot) {
        if constexpr (Assign) values[member] = std::move(values[slot]);
    }

private:
    constexpr void construct_value(slot_t slot) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            values.construct(slot, std::forward<Args>(std::get<Nth>(args))...);
        }(std::index_sequence_for<Args...>{});
    }
};

} // namespace detail

/// A hash map that stores its keys and values in slots: their addresses are stable, each element has a handle, and columns
/// beside the map hold further data by slot.
///     MapStorage<std::string, int> stock;
///     stock["nails"] += 100;
///     for (auto [name, count] : stock) ...
/// The values are in a column of their own: values() iterates over arrays. Erase, pending elements, iterators and guarantees
/// are as in SetStorage. A value's constructor may insert into the same map. Cost: about 13 bytes an element beside key and
/// value, and on average 1.6 more for unused capacity.
/// @tparam T any object type, also one that can neither be copied nor moved: a map of sets, a map of maps
/// @tparam With as SetStorage's. column<T>() is a further column; the values are values()
template <class Key, class T, class... With>
class MapStorage : private SetStorage<Key, detail::EmbeddedIn<MapStorage<Key, T, With...>>> {
    using Args = detail::KeyedArguments<Key, With...>;
    using Keys = detail::KeyedStore<Key, Args>;
    using Hash = typename Args::hash;
    using Equal = typename Args::equal;
    using Allocator = typename Args::allocator;
    using Values = typename Args::grown::template column<T, Allocator>;
    static constexpr KeySetOptions O = Args::options;
    template <class V>
    using Block =
        std::conditional_t<detail::scattered<Key> || detail::scattered<T>, detail::NoBlock, detail::ItemBlock<Key, V>>;

public:
    //=== types ===//

    /// The result of as_set().
    using set_type = SetStorage<Key, detail::EmbeddedIn<MapStorage>>;
    using key_type = Key;
    using mapped_type = T;
    using value_type = MapItem<Key, T>;
    using reference = MapItem<Key, T>;
    using const_reference = MapItem<Key, const T>;
    using iterator = detail::KeyedIterator<MapStorage, reference, Block<T>>;
    using const_iterator = detail::KeyedIterator<const MapStorage, const_reference, Block<const T>>;
    using set_type::options;
    using typename set_type::allocator_type;
    using typename set_type::difference_type;
    using typename set_type::handle_type;
    using typename set_type::hasher;
    using typename set_type::key_equal;
    using typename set_type::size_type;

    //=== construct, copy, move ===//

    constexpr MapStorage() = default;
    constexpr explicit MapStorage(const Allocator& alloc) : set_type(alloc) {}
    /// Makes an empty one with this hash and equality.
    constexpr explicit MapStorage(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : set_type(hash, equal, alloc) {}
    /// The pairs of the range. The first pair of a key counts. @throws as insert
    template <std::input_iterator It, std::sentinel_for<It> End>
    constexpr MapStorage(It first, End last, const Allocator& alloc = Allocator()) : MapStorage(alloc) {
        insert_each(first, last);
    }
    constexpr MapStorage(std::initializer_list<std::pair<Key, T>> items, const Allocator& alloc = Allocator())
        : MapStorage(items.begin(), items.end(), alloc) {}
    constexpr MapStorage(const MapStorage&) = default;
    constexpr MapStorage(MapStorage&&) = default;
    constexpr MapStorage(const MapStorage& other, const Allocator& alloc) : set_type(other, alloc) {}
    constexpr MapStorage(MapStorage&& other, const Allocator& alloc) : set_type(static_cast<set_type&&>(other), alloc) {}
    constexpr MapStorage& operator=(const MapStorage&) = default;
    constexpr MapStorage& operator=(MapStorage&&) = default;
    ~MapStorage() = default;
    constexpr void swap(MapStorage& other) noexcept(noexcept(std::declval<set_type&>().swap(std::declval<set_type&>()))) {
        set_type::swap(other);
    }
    friend constexpr void swap(MapStorage& a, MapStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    //=== the same as of the set of keys ===//

    using set_type::attach;
    using set_type::cancel;
    using set_type::capacity;
    using set_type::check_invariants;
    using set_type::clear;
    using set_type::column;
    using set_type::contains;
    using set_type::count;
    using set_type::empty;
    using set_type::erase;
    using set_type::erase_reserved;
    using set_type::explain;
    using set_type::flush_removed;
    using set_type::for_each_pending;
    using set_type::get_allocator;
    using set_type::handle_at;
    using set_type::handle_of;
    /// The handle of the element at `it`. @pre not at the end
    template <class It>
        requires(std::same_as<It, iterator> || std::same_as<It, const_iterator>)
    constexpr handle_type handle_of(It it) const noexcept {
        return it.handle();
    }
    using set_type::hash_function;
    using set_type::key_eq;
    using set_type::live_slots;
#pragma push_macro("slots") // as in KeyedInterface
#undef slots
    using set_type::slots;
#pragma pop_macro("slots")
    using set_type::max_size;
    using set_type::memory_usage;
    using set_type::observer;
    using set_type::occupancy;
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

    // No using-declarations for these two: g++ 12 would warn about every parameter named key.
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    constexpr const Key& key(slot_t slot) const noexcept { return set_type::key(slot); }
    /// The key of the element, or null when it was erased.
    template <std::same_as<handle_type> H>
    constexpr const Key* key(H handle) const noexcept {
        return set_type::key(handle);
    }
    /// Keys by slot: iterable, indexable, in contiguous chunks. @invalidates itself when the map grows, shrinks or moves
    constexpr ColumnView<const Key> keys() const noexcept { return set_type::keys(); }

    /// The map as a set of its keys: the same object, not a copy.
    constexpr const set_type& as_set() const noexcept { return *this; }

    //=== insert ===//

    /// Adds `key` with T(args...) unless it is a member; then the arguments are unused. Arguments may refer to keys and values
    /// of this map. Another key type must convert as for SetStorage::contains. @pre a number of another type has a Key that
    /// equals it
    /// @throws as SetStorage::insert, and what T's constructor throws; strong
    template <class K = Key, class... Args>
        requires(std::is_constructible_v<T, Args...>)
    constexpr InsertResult<iterator> try_emplace(K&& key, Args&&... args) {
        return result(do_emplace<false>(std::forward<K>(key), std::forward<Args>(args)...));
    }
    /// As try_emplace.
    template <class K = Key, class... Args>
        requires(std::is_constructible_v<T, Args...>)
    constexpr InsertResult<iterator> emplace(K&& key, Args&&... args) {
        return try_emplace(std::forward<K>(key), std::forward<Args>(args)...);
    }
    /// Adds the pair unless the key is a member. @throws as try_emplace; strong
    template <class K = Key, class V = T>
        requires(std::is_constructible_v<T, V>)
    constexpr InsertResult<iterator> insert(K&& key, V&& value) {
        return result(do_emplace<false>(std::forward<K>(key), std::forward<V>(value)));
    }
    constexpr InsertResult<iterator> insert(std::pair<Key, T> item)
        requires(std::move_constructible<Key> && std::move_constructible<T>)
    {
        return try_emplace(std::move(item.first), std::move(item.second));
    }
    /// Adds each pair whose key is no member. @throws as try_emplace; what was added before stays
    constexpr void insert(std::initializer_list<std::pair<Key, T>> items) { insert_range(items); }
    template <std::input_iterator It, std::sentinel_for<It> End, std::size_t = std::tuple_size<std::iter_value_t<It>>::value>
    constexpr void insert(It first, End last) {
        insert_each(first, last);
    }
    template <class Range>
        requires requires(Range&& range) { std::begin(range) != std::end(range); }
    constexpr void insert_range(Range&& range) {
        insert_each(std::begin(range), std::end(range));
    }
    /// Adds the pair, or assigns the value where the key is a member. @throws as try_emplace; strong if the assignment is
    template <class K = Key, class V = T>
        requires(std::is_constructible_v<T, V> && std::is_assignable_v<T&, V>)
    constexpr InsertResult<iterator> insert_or_assign(K&& key, V&& value) {
        return result(do_emplace<true>(std::forward<K>(key), std::forward<V>(value)));
    }
    /// The value of `key`; T() is added when it is not a member. @throws as try_emplace
    template <class K = Key>
        requires(std::is_default_constructible_v<T> && !std::same_as<std::remove_cvref_t<K>, handle_type>)
    constexpr T& operator[](K&& key) {
        return value_at(do_emplace<false>(std::forward<K>(key)).slot);
    }

    //=== lookup ===//

    /// The element with this key, or end(). @throws what hash and equality throw @complexity O(1) expected
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr iterator find(const K& key) {
        return {this, slot_of(key)};
    }
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const_iterator find(const K& key) const {
        return {this, slot_of(key)};
    }
    /// The value, or null when there is none.
    template <detail::KeyArgument<Key, handle_type> K = Key>
    SLOTWISE_ALWAYS_INLINE constexpr T* get(const K& key) {
        return found<T>(slot_of(key));
    }
    template <detail::KeyArgument<Key, handle_type> K = Key>
    SLOTWISE_ALWAYS_INLINE constexpr const T* get(const K& key) const {
        return found<const T>(slot_of(key));
    }
    template <std::same_as<handle_type> H>
    constexpr T* get(H handle) noexcept {
        return found<T>(live_slot(handle));
    }
    template <std::same_as<handle_type> H>
    constexpr const T* get(H handle) const noexcept {
        return found<const T>(live_slot(handle));
    }
    /// The element of this handle, or end().
    template <std::same_as<handle_type> H>
    constexpr iterator find(H handle) noexcept {
        return {this, live_slot(handle)};
    }
    template <std::same_as<handle_type> H>
    constexpr const_iterator find(H handle) const noexcept {
        return {this, live_slot(handle)};
    }
    /// A copy of the value, or T(otherwise) when there is none. @throws what hash, equality and that copy throw
    template <class K = Key, class U = T>
        requires std::is_constructible_v<T, U>
    constexpr T value_or(const K& key, U&& otherwise) const {
        const T* const value = get(key);
        return value != nullptr ? *value : static_cast<T>(std::forward<U>(otherwise));
    }
    /// The value of the element. @pre contains(handle) (checked at level fast)
    template <std::same_as<handle_type> H>
    constexpr T& operator[](H handle) noexcept {
        SLOTWISE_EXPECT(contains(handle), "map [handle]: no element has this handle; ask get(handle) or explain(handle)");
        return value_at(handle.index());
    }
    template <std::same_as<handle_type> H>
    constexpr const T& operator[](H handle) const noexcept {
        SLOTWISE_EXPECT(contains(handle), "map [handle]: no element has this handle; ask get(handle) or explain(handle)");
        return value_at(handle.index());
    }
    /// The value. @throws std::out_of_range when there is none; of a handle it says whether it was erased or never issued
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr T& at(const K& key) {
        return *checked(get(key), key);
    }
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr const T& at(const K& key) const {
        return *checked(get(key), key);
    }
    template <std::same_as<handle_type> H>
    constexpr T& at(H handle) {
        return *issued(get(handle), handle);
    }
    template <std::same_as<handle_type> H>
    constexpr const T& at(H handle) const {
        return *issued(get(handle), handle);
    }
    /// The value in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    constexpr T& value(slot_t slot) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "map value(slot): no value is there; ask state(slot)");
        return value_at(slot);
    }
    constexpr const T& value(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "map value(slot): no value is there; ask state(slot)");
        return value_at(slot);
    }

    //=== erase ===//

    /// Erases the element at `it`; returns the next one. @pre it refers to a live element @throws nothing
    template <class It>
        requires(std::same_as<It, iterator> || std::same_as<It, const_iterator>)
    constexpr iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()), "map erase(it): the element here was erased, or it is the end");
        core_.do_erase(it.slot());
        return {this, this->occupancy().find_next(std::size_t{it.slot()} + 1)};
    }
    /// The same as erase. With deferred erase the slot becomes pending.
    template <class It>
        requires(O.deferred_erase && detail::is_keyed_iterator<It> && !std::same_as<It, Key>)
    constexpr iterator remove(It it) noexcept {
        return erase(it);
    }
    /// Erases every element for which pred(item) holds, where item.key and item.value are the element's; also pred(key, value)
    /// and pred(handle, key, value). Returns how many. If pred throws, the elements erased before stay erased.
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        return core_.erase_each([&](slot_t slot) { return invoke(pred, slot, element_key(slot), value_at(slot)); });
    }
    /// Removes the element and returns key and value; empty when the key is not a member. With deferred erase they are copied,
    /// because the removed element stays readable. A copy or move that calls the map finds no such element. @throws what hash
    /// and equality, the moves or copies throw; the element then stays (it is erased if something was inserted meanwhile)
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr std::optional<std::pair<Key, T>> extract(const K& key) {
        return extract_slot(slot_of(key));
    }
    /// The same by handle; empty when it has no element.
    template <std::same_as<handle_type> H>
    constexpr std::optional<std::pair<Key, T>> extract(H handle) {
        return extract_slot(live_slot(handle));
    }
    /// As erase_reserved, and returns key and value; empty when the handle has no element. map.fulfill(handle,
    /// std::move(old->first), std::move(old->second)) undoes it.
    /// @throws as extract and erase_reserved; the element then stays (it is erased if something was inserted meanwhile)
    template <std::same_as<handle_type> H>
    constexpr std::optional<std::pair<Key, T>> extract_reserved(H handle) {
        std::optional<std::pair<Key, T>> result;
        const slot_t slot = handle.index();
        if (!contains(handle)) return result;
        core_.template do_extract<std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<T>, true>(slot, [&] {
            if constexpr (!std::is_nothrow_move_constructible_v<T> && std::is_copy_constructible_v<Key>)
                result.emplace(this->element_key(slot), std::move(value_at(slot))); // as in extract
            else
                result.emplace(std::move(*core_.store.keys.ptr(slot)), std::move(value_at(slot)));
        });
        return result;
    }
    /// Adds the key, with T(args...), under a reserved handle. The address of the value; null, and no effect, when the handle
    /// is not reserved (any more), or the key is a member. @throws as try_emplace; the handle is then still reserved
    template <std::same_as<handle_type> H, class... Args>
        requires(std::copy_constructible<Key> && std::is_constructible_v<T, Args...>)
    constexpr T* fulfill(H handle, const Key& key, Args&&... args) {
        return do_fulfill(handle, key, key, std::forward<Args>(args)...);
    }
    template <std::same_as<handle_type> H, class... Args>
        requires(std::move_constructible<Key> && std::is_constructible_v<T, Args...>)
    constexpr T* fulfill(H handle, Key&& key, Args&&... args) {
        return do_fulfill(handle, key, std::move(key), std::forward<Args>(args)...);
    }

    //=== iteration ===//

    constexpr iterator begin() noexcept { return {this, detail::LiveCursor::first(core_.directory)}; }
    constexpr iterator end() noexcept { return {this, no_slot}; }
    constexpr const_iterator begin() const noexcept { return {this, detail::LiveCursor::first(core_.directory)}; }
    constexpr const_iterator end() const noexcept { return {this, no_slot}; }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }
    /// The same walk as a range: for (auto [key, value] : map.items()).
    constexpr auto items() noexcept { return detail::IteratorRange<iterator>(begin(), end(), size()); }
    constexpr auto items() const noexcept { return detail::IteratorRange<const_iterator>(begin(), end(), size()); }
    /// Keys and values of the elements that are there at this call and are not erased before the walk reaches them; see
    /// SetStorage::items_present.
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) { return element_at(slot); });
    }
    /// The handles of the same walk.
    constexpr auto handles() const noexcept { return detail::part_range<detail::HandlePart>(begin(), end(), size()); }
    /// Values by slot: iterable, indexable, in contiguous chunks. @invalidates itself when the map grows, shrinks or moves
    constexpr ColumnView<T> values() noexcept { return {values_column().pages(), core_.directory_view()}; }
    constexpr ColumnView<const T> values() const noexcept {
        return ColumnView<T>(values_column().pages(), core_.directory_view());
    }
    /// The values as one span over every slot below the highest one in use, live or not: only with Growth::reserve. Access live
    /// ones only. slot_span<U>() is that of a column, key_span() that of the keys.
    std::span<T> slot_span() noexcept
        requires(O.growth == Growth::reserve)
    {
        return {values_column().data(), core_.directory.cursor()};
    }
    std::span<const T> slot_span() const noexcept
        requires(O.growth == Growth::reserve)
    {
        return {values_column().data(), core_.directory.cursor()};
    }
    using set_type::key_span;
    using set_type::slot_span;
    /// Calls f(key, value), f(handle, key, value) or f(item) for every element in slot order; the fastest walk over both. f may
    /// erase the element it is given.
    template <class F>
    constexpr void for_each(F&& f) {
        walk_items<T>(f);
    }
    template <class F>
    constexpr void for_each(F&& f) const {
        walk_items<const T>(f);
    }

    //=== whole ===//

    /// Moves the elements of `other` whose keys are not members to this map. The others stay. Further columns are
    /// value-initialised here. If an observer of this map may throw, elements are copied, so that each is always in one of the
    /// two maps. With deferred erase they must be copyable, because the removed elements stay readable in `other`.
    /// @throws as insert
    constexpr void merge(MapStorage& other)
        requires(!O.deferred_erase || (std::copy_constructible<Key> && std::copy_constructible<T>))
    {
        if (this == &other) return;
        for (slot_t slot = other.occupancy().find_next(0); slot != no_slot; slot = other.occupancy().find_next(slot + 1)) {
            if (contains(other.element_key(slot))) continue;
            this->template hand_over<std::is_nothrow_move_constructible_v<T>>(other, slot, [&]<class K>(K&& key) {
                if constexpr (std::is_copy_constructible_v<T>) {
                    if (std::is_const_v<std::remove_reference_t<K>> || !std::is_nothrow_move_constructible_v<T>) {
                        insert(std::forward<K>(key), std::as_const(other.value_at(slot)));
                        return;
                    }
                }
                insert(std::forward<K>(key), std::move(other.value_at(slot)));
            });
        }
    }
    constexpr void merge(MapStorage&& other)
        requires(!O.deferred_erase || (std::copy_constructible<Key> && std::copy_constructible<T>))
    {
        merge(other);
    }

    /// Equal when they have the same keys with equal values. Slots, handles and further columns are ignored.
    friend constexpr bool operator==(const MapStorage& a, const MapStorage& b) {
        if (a.size() != b.size()) return false;
        for (const auto [key, value] : a) {
            const T* const other = b.get(key);
            if (other == nullptr || !(value == *other)) return false;
        }
        return true;
    }

    /// As SetStorage::snapshot, values included.
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return this->template to_bytes<1, detail::block_bytes<Codec, Key, T>>(
            codec, both_tags<Codec>, [&](slot_t slot, ByteWriter& out) { codec.write(value_at(slot), out); });
    }
    /// As SetStorage::restore. @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        return this->template from_bytes<1, detail::block_bytes<Codec, Key, T>>(
            bytes, codec, both_tags<Codec>, [&](auto& fresh, slot_t slot, ByteReader& in) {
                T value(codec.template read<T>(in));
                if (in.error() != nullptr) return false;
                fresh.hub.template get<0>().construct(slot, std::move(value));
                return true;
            });
    }

private:
    template <class Codec>
    static constexpr std::array both_tags = {detail::ElementTag{detail::ElementRole::key, detail::type_tag<Codec, Key>()},
                                             detail::ElementTag{detail::ElementRole::value, detail::type_tag<Codec, T>()}};
    template <class, class, class>
    friend class detail::KeyedIterator;
    friend struct detail::ColumnAccess;
    using set_type::core_;

    template <class It, class End>
    constexpr void insert_each(It first, End last) {
        for (; first != last; ++first) {
            auto&& [key, value] = *first;
            insert(key, value);
        }
    }
    SLOTWISE_ALWAYS_INLINE constexpr Values& values_column() noexcept { return core_.hub.template get<0>(); }
    SLOTWISE_ALWAYS_INLINE constexpr const Values& values_column() const noexcept { return core_.hub.template get<0>(); }
    SLOTWISE_ALWAYS_INLINE constexpr T& value_at(slot_t slot) noexcept { return *values_column().ptr(slot); }
    SLOTWISE_ALWAYS_INLINE constexpr const T& value_at(slot_t slot) const noexcept { return *values_column().ptr(slot); }
    SLOTWISE_ALWAYS_INLINE constexpr const Key& element_key(slot_t slot) const noexcept { return set_type::element_at(slot); }
    SLOTWISE_ALWAYS_INLINE reference element_at(slot_t slot) noexcept { return {element_key(slot), value_at(slot)}; }
    SLOTWISE_ALWAYS_INLINE const_reference element_at(slot_t slot) const noexcept {
        return {element_key(slot), value_at(slot)};
    }
    SLOTWISE_ALWAYS_INLINE constexpr Block<T> block_at(slot_t first) noexcept {
        return {set_type::block_at(first), values_column().block(first)};
    }
    SLOTWISE_ALWAYS_INLINE constexpr Block<const T> block_at(slot_t first) const noexcept {
        return {set_type::block_at(first), values_column().block(first)};
    }
    constexpr InsertResult<iterator> result(detail::InsertOutcome of) noexcept {
        return {{this, of.slot}, of.inserted, of.kind};
    }
    /// As try_emplace. @tparam Assign the argument is assigned to the value of a member
    template <bool Assign, class K, class... Args>
    constexpr detail::InsertOutcome do_emplace(K&& key, Args&&... args) {
        if constexpr (std::is_same_v<std::remove_cvref_t<K>, Key> ||
                      (detail::is_lookup_key<std::remove_cvref_t<K>, Key, Hash, Equal> && std::is_constructible_v<Key, K>))
            return do_insert<Assign>(key, std::forward<K>(key), std::forward<Args>(args)...);
        else {
            Key made = this->as_key(std::forward<K>(key));
            return do_insert<Assign>(made, std::move(made), std::forward<Args>(args)...);
        }
    }
    /// Adds a key made of `made` and a value of `args` unless `key` is a member.
    template <bool Assign, class K, class Made, class... Args>
    constexpr detail::InsertOutcome do_insert(const K& key, Made&& made, Args&&... args) {
        return core_.do_insert(key,
                               detail::NewItem<Assign, Keys, Values, Made, Args...>{
                                   core_.store.keys, std::forward<Made>(made), values_column(), {std::forward<Args>(args)...}});
    }
    template <class Made, class... Args>
    constexpr T* do_fulfill(handle_type handle, const Key& key, Made&& made, Args&&... args) {
        detail::NewItem<false, Keys, Values, Made, Args...> element{
            core_.store.keys, std::forward<Made>(made), values_column(), {std::forward<Args>(args)...}};
        return core_.do_fulfill(handle.index(), handle.version(), key, element) ? &value_at(handle.index()) : nullptr;
    }
    template <class V>
    constexpr V* found(slot_t slot) const noexcept {
        if (slot == no_slot) return nullptr;
        V* const value = values_column().ptr(slot);
        SLOTWISE_ASSUME(value != nullptr);
        return value;
    }
    constexpr std::optional<std::pair<Key, T>> extract_slot(slot_t slot) {
        std::optional<std::pair<Key, T>> result;
        if (slot == no_slot) return result;
        core_.template do_extract<std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<T>>(slot, [&] {
            if constexpr (O.deferred_erase)
                result.emplace(this->element_key(slot), std::as_const(value_at(slot)));
            else if constexpr (!std::is_nothrow_move_constructible_v<T> && std::is_copy_constructible_v<Key>)
                result.emplace(this->element_key(slot),
                               std::move(value_at(slot))); // otherwise a throw would leave a moved-from key
            else
                result.emplace(this->take_key(slot), std::move(value_at(slot)));
        });
        return result;
    }
    constexpr slot_t live_slot(handle_type handle) const noexcept { return contains(handle) ? handle.index() : no_slot; }
    template <class V, class K>
    static constexpr V* checked(V* value, const K& key) {
        if (value == nullptr)
            detail::throw_no_key<Key>("map at(key): no element has this key; ask get(key) or contains(key)", key);
        return value;
    }
    template <class V>
    constexpr V* issued(V* value, handle_type handle) const {
        if (value == nullptr)
            core_.throw_no_element("map at(handle): no element has this handle; ask get(handle) or explain(handle)", handle);
        return value;
    }
    template <class F, class V>
    constexpr decltype(auto) invoke(F& f, slot_t slot, const Key& key, V& value) const {
        using Item = MapItem<Key, V>;
        if constexpr (std::disjunction_v<std::is_invocable<F&, handle_type, const Key&, V&>,
                                         std::is_invocable<F&, const Key&, V&>>)
            return set_type::invoke(f, slot, key, value);
        else {
            static_assert(detail::takes_item<F, Item&, Key, handle_type>,
                          "MapStorage: the function is called as f(key, value), f(handle, key, value) or f(item)");
            Item item(key, value); // named, because f may take it as auto&
            return f(item);
        }
    }
    template <class V, class F>
    constexpr void walk_items(F& f) const {
        this->walk([&](slot_t first, unsigned bit, const auto& keys,
                       const auto& values) { invoke(f, first + bit, keys[bit], values[bit]); },
                   [this](slot_t first) { return detail::block_of<const Key>(core_.store.keys, first); },
                   [this](slot_t first) { return detail::block_of<V>(values_column(), first); });
    }
};

SLOTWISE_END

#endif
