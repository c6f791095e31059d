// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage: a hash set whose keys are in slots, so that they never move and have handles, columns and observers.
#ifndef SLOTWISE_KEYED_SET_STORAGE_HPP
#define SLOTWISE_KEYED_SET_STORAGE_HPP

#include "../config/abi.hpp"
#include "../core/detail/call_form.hpp"
#include "../core/detail/concepts.hpp"
#include "../fwd.hpp"
#include "../slots/value_array.hpp"
#include "detail/keyed_interface.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

//=== arguments that are keys, are compared with keys, or convert to one ===//

template <class K>
inline constexpr bool is_keyed_iterator = false;
template <class Container, class Reference, class Block>
inline constexpr bool is_keyed_iterator<KeyedIterator<Container, Reference, Block>> = true;

/// Whether an argument of type K is a key, or is compared with keys. Handles and iterators have overloads of their own, which
/// are templates: a list in braces is deduced for none of them, so that it is a key.
template <class K, class Key, class Handle>
concept KeyArgument = !std::same_as<K, Handle> && (!is_keyed_iterator<K> || std::same_as<K, Key>);

/// Whether a K is looked up directly: it is a Key, or hash and equality are transparent and take it. Other types must convert
/// to Key.
template <class K, class Key, class Hash, class Equal>
inline constexpr bool is_lookup_key =
    std::is_same_v<K, Key> || requires(const K& k, const Key& key, const Hash& h, const Equal& e) {
        typename Hash::is_transparent;
        typename Equal::is_transparent;
        static_cast<std::size_t>(h(k));
        static_cast<bool>(e(key, k));
    };

/// Whether numbers of type K are converted to Key where the value fits, and are absent otherwise.
template <class K, class Key>
inline constexpr bool number_of_other_type =
    !std::is_same_v<K, Key> && std::conjunction_v<std::is_integral<K>, std::is_integral<Key>>;

/// Whether a K converts to Key implicitly and keeps its value. Integers of another type are allowed, because every literal is
/// an int; has_key() checks their values.
template <class K, class Key, class Plain = std::remove_cvref_t<K>>
consteval bool becomes_key() noexcept {
    if constexpr (!std::is_convertible_v<K, Key>)
        return false;
    else if constexpr (std::is_integral_v<Plain> && std::is_floating_point_v<Key>)
        return std::numeric_limits<Plain>::digits <= std::numeric_limits<Key>::digits;
    else if constexpr (std::is_scalar_v<Key> || std::is_floating_point_v<Plain>)
        return number_of_other_type<Plain, Key> || requires(K&& key) { Key{std::forward<K>(key)}; }; // braces refuse to narrow
    else
        return true;
}
/// Whether a Key equals this number. True for types that are no number of another type.
template <class Key, class K>
constexpr bool has_key(const K& key) noexcept {
    if constexpr (number_of_other_type<K, Key>)
        return static_cast<K>(static_cast<Key>(key)) == key && (static_cast<Key>(key) < Key()) == (key < K());
    else
        return true;
}

/// A new key of a set, with the steps that KeyedEngine takes to insert it. A member stays as it is.
template <class Keys, class Made>
struct NewKey {
    static constexpr bool trivial = std::is_trivially_constructible_v<typename Keys::key_type, Made>;
    static constexpr std::size_t filled_columns = 0;
    Keys& keys;
    Made&& made; // what the key is made of

    constexpr void construct(slot_t slot, std::uint64_t hash) { keys.construct(slot, hash, std::forward<Made>(made)); }
    constexpr void destroy(slot_t slot) noexcept { keys.destroy(slot); }
    static constexpr void assign_to(slot_t) noexcept {}
    static constexpr void replace_value(slot_t, bool&) noexcept {}
    static constexpr void assign_built(slot_t, slot_t) noexcept {}
};

} // namespace detail

/// A hash set that stores its keys in slots: their addresses are stable, each has a handle, and columns beside the set hold
/// further data by slot. KeySet is another name for it.
///     SetStorage<std::string> names{"ada", "grace"};
///     auto [it, inserted] = names.insert("alan");
///
/// Iterators stay valid when the set grows and when any element is erased; erase(it) returns the next one.
/// With KeySetOptions::deferred_erase an erased key becomes *pending*: it is no member any more, but key and columns stay
/// readable and the slot is not used again until flush_removed(). Inserting a pending key *resurrects* it: same slot, same
/// address, new version. Cost: about 13 bytes an element beside the key (index 8.5 on average, version and liveness 4.3).
/// @tparam Key any object type; a key that can neither be copied nor moved is built from what a transparent hash takes
/// @tparam With in any order: HashBy<H> and EqualBy<E>, which compare keys (results of a hash not declared is_avalanching
/// are mixed); `IndexBy<I>`, HashIndex or an adapter: BoostIndex ...; `Column<U>` and static observers, called inline,
/// reached by `column<U>()` and `observer<O>()`, by number where a type occurs twice; `Options<KeySetOptions{...}>`,
/// `AllocBy<A>`, `Tag<X>`
template <class Key, class... With>
class SetStorage
    : public KeyedInterface<detail::KeyedStore<Key, detail::KeyedArguments<Key, With...>>,
                            typename HandleOf<SetStorage<Key, With...>>::tag_type, detail::KeyedArguments<Key, With...>> {
    using Core = typename SetStorage::KeyedInterface;
    using Args = detail::KeyedArguments<Key, With...>;
    using Keys = detail::KeyedStore<Key, Args>;
    using Hash = typename Args::hash;
    using Equal = typename Args::equal;
    using Allocator = typename Args::allocator;
    static constexpr KeySetOptions O = Args::options;
    using KeyBlock = std::conditional_t<detail::scattered<Key>, detail::NoBlock, const Key*>;

public:
    //=== types ===//

    using key_type = Key;
    using value_type = Key;
    using hasher = Hash;
    using key_equal = Equal;
    using typename Core::allocator_type;
    using typename Core::handle_type;
    using typename Core::size_type;
    using reference = const Key&;
    using const_reference = const Key&;
    using iterator = detail::KeyedIterator<const SetStorage, const Key&, KeyBlock>;
    using const_iterator = iterator;

    //=== construct, copy, move ===//

    constexpr SetStorage()
        requires(std::is_default_constructible_v<Allocator> && std::is_default_constructible_v<Hash> &&
                 std::is_default_constructible_v<Equal>)
    = default;
    constexpr explicit SetStorage(const Allocator& alloc) : SetStorage(Hash(), Equal(), alloc) {}
    /// Makes an empty one with this hash and equality.
    constexpr explicit SetStorage(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : Core(Keys(hash, equal, alloc), alloc) {}
    /// The keys of the range, each once. @throws as insert
    template <std::input_iterator It, std::sentinel_for<It> End>
    constexpr SetStorage(It first, End last, const Allocator& alloc = Allocator()) : SetStorage(alloc) {
        for (; first != last; ++first) insert(*first);
    }
    constexpr SetStorage(std::initializer_list<Key> keys, const Allocator& alloc = Allocator())
        : SetStorage(keys.begin(), keys.end(), alloc) {}
    constexpr SetStorage(const SetStorage&) = default;
    constexpr SetStorage(SetStorage&&) = default;
    constexpr SetStorage(const SetStorage& other, const Allocator& alloc) : Core(other, alloc) {}
    constexpr SetStorage(SetStorage&& other, const Allocator& alloc) : Core(std::move(other), alloc) {}
    constexpr SetStorage& operator=(const SetStorage&) = default;
    constexpr SetStorage& operator=(SetStorage&&) = default;
    ~SetStorage() = default;
    friend constexpr void swap(SetStorage& a, SetStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    constexpr const Hash& hash_function() const noexcept { return core_.store.keys.hasher(); }
    constexpr const Equal& key_eq() const noexcept { return core_.store.keys.equality(); }

    //=== insert ===//

    /// Adds `key` unless it is a member. Returns its slot, whether it was added, and whether it was resurrected.
    /// @throws std::length_error when no slot is left, what hash, equality, copy, allocator and observers throw; strong
    /// @complexity amortised O(1) expected @invalidates views when it grows
    constexpr InsertResult<iterator> insert(const Key& key)
        requires std::copy_constructible<Key>
    {
        return result(do_emplace(key, key));
    }
    constexpr InsertResult<iterator> insert(Key&& key)
        requires std::move_constructible<Key>
    {
        return result(do_emplace(key, std::move(key)));
    }
    /// As above, for types that a transparent hash takes: a Key is built only when it is not a member.
    template <class K>
        requires(!std::is_same_v<std::remove_cvref_t<K>, Key> &&
                 detail::is_lookup_key<std::remove_cvref_t<K>, Key, Hash, Equal> && std::is_constructible_v<Key, K>)
    constexpr InsertResult<iterator> insert(K&& key) {
        return result(do_emplace(key, std::forward<K>(key)));
    }
    /// As above, for types that convert to Key implicitly and without narrowing. @pre a number of another type has a Key that
    /// equals it
    template <class K>
        requires(!std::is_same_v<std::remove_cvref_t<K>, Key> &&
                 !detail::is_lookup_key<std::remove_cvref_t<K>, Key, Hash, Equal> && std::is_convertible_v<K, Key> &&
                 std::is_move_constructible_v<Key>)
    constexpr InsertResult<iterator> insert(K&& key) {
        Key made = as_key(std::forward<K>(key));
        return result(do_emplace(made, std::move(made)));
    }
    /// Adds each key of the range that is no member. @throws as above; what was added before stays
    template <std::input_iterator It, std::sentinel_for<It> End>
    constexpr void insert(It first, End last) {
        for (; first != last; ++first) insert(*first);
    }
    constexpr void insert(std::initializer_list<Key> keys) { insert(keys.begin(), keys.end()); }
    template <class Range>
        requires requires(Range&& range) { std::begin(range) != std::end(range); }
    constexpr void insert_range(Range&& range) {
        for (auto&& each : range) insert(std::forward<decltype(each)>(each));
    }
    SLOTWISE_CONVERSIONS_BEGIN
    /// Adds Key(args...). The key is built first, for the lookup. @throws as insert
    template <class... Args>
        requires(std::is_constructible_v<Key, Args...> && std::is_move_constructible_v<Key>)
    constexpr InsertResult<iterator> emplace(Args&&... args) {
        Key key(std::forward<Args>(args)...);
        return result(do_emplace(key, std::move(key)));
    }
    SLOTWISE_CONVERSIONS_END

    //=== lookup ===//

    using Core::contains;
    /// Whether `key` is a member: live. Another type must convert to Key implicitly and without narrowing, or hash and equality
    /// must be transparent and take it. A number that no Key equals is no member. @throws what hash and equality throw
    /// @complexity O(1) expected
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr bool contains(const K& key) const {
        return slot_of(key) != no_slot;
    }
    /// The element with this key, or end().
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr iterator find(const K& key) const {
        return {this, slot_of(key)};
    }
    template <std::same_as<handle_type> H>
    constexpr iterator find(H handle) const noexcept {
        return {this, contains(handle) ? handle.index() : no_slot};
    }
    /// 1 if `key` is a member, else 0.
    template <class K = Key>
    constexpr size_type count(const K& key) const {
        return contains(key) ? 1 : 0;
    }
    /// Its slot, or no_slot.
    template <class K = Key>
    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot_of(const K& key) const {
        if (!can_match(key)) return no_slot;
        return core_.do_find(as_lookup_key(key));
    }
    /// The slot of the key, live or pending (the live one if there are both), or no_slot.
    template <class K = Key>
    constexpr slot_t slot_of_any(const K& key) const {
        if (!can_match(key)) return no_slot;
        return core_.template do_find<true>(as_lookup_key(key));
    }
    /// Its handle, or null.
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr handle_type handle_of(const K& key) const {
        return this->handle_at(slot_of(key));
    }
    /// The handle of the element at `it`. @pre not at the end
    template <std::same_as<iterator> It>
    constexpr handle_type handle_of(It it) const noexcept {
        return it.handle();
    }
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    constexpr const Key& key(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "keyed container key(slot): no key is there; ask state(slot)");
        return *core_.store.keys.ptr(slot);
    }
    /// The key of the element, or null when it was erased.
    template <std::same_as<handle_type> H>
    constexpr const Key* key(H handle) const noexcept {
        return Core::contains(handle) ? core_.store.keys.ptr(handle.index()) : nullptr;
    }

    /// The key of the element. @pre contains(handle) (checked at level fast)
    template <std::same_as<handle_type> H>
    constexpr const Key& operator[](H handle) const noexcept {
        SLOTWISE_EXPECT(contains(handle), "set [handle]: no element has this handle; ask key(handle) or explain(handle)");
        return element_at(handle.index());
    }
    /// The key of the element. @throws std::out_of_range that says whether it was erased or the handle never issued
    template <std::same_as<handle_type> H>
    constexpr const Key& at(H handle) const {
        if (!contains(handle))
            core_.throw_no_element("set at(handle): no element has this handle; ask key(handle) or explain(handle)", handle);
        return element_at(handle.index());
    }

    //=== erase ===//

    using Core::erase;
    using Core::remove;
    /// Erases the key; false when it is not a member. `key` may refer to the key that is erased.
    /// @throws what hash and equality throw; nothing is erased then @complexity O(1) expected, never allocates
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr bool erase(const K& key) {
        if (!can_match(key)) return false;
        return core_.do_erase_key(as_lookup_key(key));
    }
    /// Erases the element at `it`; returns the next one. @pre it refers to a live element @throws nothing
    template <std::same_as<iterator> It>
    constexpr iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "keyed container erase(it): the element here was erased, or it is the end");
        core_.do_erase(it.slot());
        return ++it;
    }
    /// The same as erase. With deferred erase the slot becomes pending.
    template <detail::KeyArgument<Key, handle_type> K = Key>
        requires(O.deferred_erase)
    constexpr auto remove(const K& key) {
        return erase(key);
    }
    template <std::same_as<iterator> It>
        requires(O.deferred_erase)
    constexpr iterator remove(It it) noexcept {
        return erase(it);
    }
    /// Erases every key for which pred(key) or pred(handle, key) holds; returns how many. If pred throws, the keys erased
    /// before stay erased.
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        return core_.erase_each(
            [&](slot_t slot) { return this->invoke(pred, slot, std::as_const(*core_.store.keys.ptr(slot))); });
    }
    /// Removes the key and returns it; empty when it is not a member. With deferred erase it is copied, because the removed key
    /// stays readable. A copy or move that calls the container finds no such key. @throws what hash and equality, the move or
    /// copy throw; the key then stays (it is erased if something was inserted meanwhile)
    template <detail::KeyArgument<Key, handle_type> K = Key>
    constexpr std::optional<Key> extract(const K& key) {
        return extract_slot(slot_of(key));
    }
    /// The same by handle; empty when it has no element.
    template <std::same_as<handle_type> H>
    constexpr std::optional<Key> extract(H handle) {
        return extract_slot(contains(handle) ? handle.index() : no_slot);
    }
    /// As erase_reserved, and returns the key; empty when the handle has no element. set.fulfill(handle, std::move(*key))
    /// undoes it. @throws as extract and erase_reserved; the key then stays (it is erased if something was inserted meanwhile)
    template <std::same_as<handle_type> H>
    constexpr std::optional<Key> extract_reserved(H handle) {
        std::optional<Key> result;
        if (contains(handle))
            core_.template do_extract<Keys::trivial, true>(
                handle.index(), [&] { result.emplace(std::move(*core_.store.keys.ptr(handle.index()))); });
        return result;
    }
    /// Adds the key under a reserved handle. Its address; null, and no effect, when the handle is not reserved (any more), or
    /// the key is a member. @throws as insert; the handle is then still reserved
    template <std::same_as<handle_type> H>
    constexpr const Key* fulfill(H handle, const Key& key)
        requires std::copy_constructible<Key>
    {
        return do_fulfill(handle, key, key);
    }
    template <std::same_as<handle_type> H>
    constexpr const Key* fulfill(H handle, Key&& key)
        requires std::move_constructible<Key>
    {
        return do_fulfill(handle, key, std::move(key));
    }

    //=== iteration ===//

    constexpr iterator begin() const noexcept { return {this, detail::LiveCursor::first(core_.directory)}; }
    constexpr iterator end() const noexcept { return {this, no_slot}; }
    constexpr iterator cbegin() const noexcept { return begin(); }
    constexpr iterator cend() const noexcept { return end(); }
    /// Keys by slot: iterable, indexable, in contiguous chunks. @invalidates itself when the set grows, shrinks or moves
    constexpr ColumnView<const Key> keys() const noexcept {
        return ColumnView<Key>(detail::page_view(core_.store.keys.array()), core_.directory_view());
    }
    /// The keys as one span over every slot below the highest one in use, live or not: only with Growth::reserve. Access live
    /// ones only.
    std::span<const Key> key_span() const noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.store.keys.array().data(), core_.directory.cursor()};
    }
    /// The same as keys().
    constexpr ColumnView<const Key> values() const noexcept { return keys(); }
    /// The handles of the same walk, and pairs of handle and key.
    constexpr auto handles() const noexcept { return detail::part_range<detail::HandlePart>(begin(), end(), this->size()); }
    constexpr auto items() const noexcept {
        return detail::part_range<detail::HandleAndElementPart>(begin(), end(), this->size());
    }
    /// Handles and keys, in slot order, of the elements that are there at this call and are not erased before the walk reaches
    /// them. Elements may be inserted and erased meanwhile. The walk does not visit new ones, also not one whose key was erased
    /// before. It ends early when the container is moved, swapped, assigned, restored or reset. @throws what the allocator
    /// throws @complexity a bit a slot to begin; until the range is destroyed inserts and erases notify an observer
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) {
            return SlotMapItem<handle_type, const Key&>(this->handle_at(slot), element_at(slot));
        });
    }
    /// Calls f(key) or f(handle, key) for every key in slot order; the fastest walk. f may erase the key it is given, and none
    /// ahead of it (checked at level debug).
    template <class F>
    constexpr void for_each(F&& f) const {
        this->walk([&](slot_t first, unsigned bit, const auto& keys) { this->invoke(f, first + bit, keys[bit]); },
                   [this](slot_t first) { return detail::block_of<const Key>(core_.store.keys, first); });
    }

    //=== two sets ===//

    /// Whether every key of `other` is a member. @throws what hash and equality throw
    template <class... OtherWith>
    constexpr bool includes(const SetStorage<Key, OtherWith...>& other) const {
        if (other.size() > this->size()) return false;
        for (const Key& key : other)
            if (!this->contains(key)) return false;
        return true;
    }
    /// Moves the keys of `other` that are not members to this set. The others stay. Columns are value-initialised here. If an
    /// observer of this set may throw, keys are copied, so that each key is always in one of the two sets. With deferred erase
    /// keys must be copyable, because the removed keys stay readable in `other`. @throws as insert
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

    //=== whole ===//

    /// Equal when they have the same keys. Slots, handles and columns are ignored.
    friend constexpr bool operator==(const SetStorage& a, const SetStorage& b) { return a.size() == b.size() && b.includes(a); }

    /// The exact state as bytes: a restored set has the same slots, handles and pending keys, and gives the same handles for
    /// the same calls. Static columns are written too. The same state gives the same bytes. @pre no element is being built or
    /// destroyed
    /// @param codec how keys become bytes; see DefaultCodec for the types that need none, dropping() for columns to leave out
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return this->template to_bytes<0, detail::block_bytes<Codec, Key>>(codec, tags<Codec>, [](slot_t, ByteWriter&) {});
    }
    /// Replaces the contents by a snapshot's. Every byte is checked before anything changes, keys by the codec, and no key may
    /// occur twice. Bytes that snapshot() would not write are refused. Observers that are no columns, and dynamic ones, are
    /// notified of the exchange.
    /// Handles issued after the snapshot are issued again: drop those that do not resolve right after this.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        return this->template from_bytes<0, detail::block_bytes<Codec, Key>>(bytes, codec, tags<Codec>,
                                                                             [](auto&, slot_t, ByteReader&) { return true; });
    }

protected:
    template <class Codec>
    static constexpr std::array tags = {detail::ElementTag{detail::ElementRole::key, detail::type_tag<Codec, Key>()}};
    template <class, class, class>
    friend class detail::KeyedIterator;
    friend struct detail::ColumnAccess;
    using Core::core_;

    constexpr std::optional<Key> extract_slot(slot_t slot) {
        std::optional<Key> result;
        if (slot != no_slot) core_.template do_extract<Keys::trivial>(slot, [&] { result.emplace(this->take_key(slot)); });
        return result;
    }
    constexpr const Key& element_at(slot_t slot) const noexcept { return *core_.store.keys.ptr(slot); }
    SLOTWISE_ALWAYS_INLINE constexpr const Key* block_at(slot_t first) const noexcept { return core_.store.keys.ptr(first); }

    /// False for a number that no Key equals.
    template <class K>
    static constexpr bool can_match(const K& key) noexcept {
        return detail::is_lookup_key<K, Key, Hash, Equal> || detail::has_key<Key>(key);
    }
    /// The key as it can be looked up. @pre can_match(key)
    template <class K>
    static constexpr decltype(auto) as_lookup_key(const K& key) {
        if constexpr (detail::is_lookup_key<K, Key, Hash, Equal>)
            return (key);
        else
            return as_key(key);
    }
    /// Converts to Key.
    template <class K>
    static constexpr Key as_key(K&& key) {
        static_assert(detail::becomes_key<K, Key>(),
                      "keyed container: this is no Key and does not convert to one; for other types hash and equality must be "
                      "transparent "
                      "(declare is_transparent and take them). Explicit constructors and narrowing do not count: write Key(x)");
        SLOTWISE_EXPECT(detail::has_key<Key>(key),
                        "keyed container insert(key): the number does not fit the key type; convert it before");
        return static_cast<Key>(std::forward<K>(key));
    }
    constexpr InsertResult<iterator> result(detail::InsertOutcome of) const noexcept {
        return {{this, of.slot}, of.inserted, of.kind};
    }
    /// Adds a key made of `made` unless `key` is a member.
    template <class K, class Made>
    constexpr detail::InsertOutcome do_emplace(const K& key, Made&& made) {
        return core_.do_insert(key, detail::NewKey<Keys, Made>{core_.store.keys, std::forward<Made>(made)});
    }
    template <class Made>
    constexpr const Key* do_fulfill(handle_type handle, const Key& key, Made&& made) {
        detail::NewKey<Keys, Made> element{core_.store.keys, std::forward<Made>(made)};
        return core_.do_fulfill(handle.index(), handle.version(), key, element) ? core_.store.keys.ptr(handle.index())
                                                                                : nullptr;
    }
    constexpr decltype(auto) take_key(slot_t slot) const noexcept {
        if constexpr (O.deferred_erase)
            return std::as_const(*core_.store.keys.ptr(slot));
        else
            return std::move(*core_.store.keys.ptr(slot));
    }
    /// f(key) inserts the key that `other` has in `slot`: moved if nothing can fail after the move, otherwise copied if
    /// possible. @tparam Safe nothing else in f can throw
    template <bool Safe = true, class F>
    constexpr void hand_over(SetStorage& other, slot_t slot, F&& f) {
        core_.reserve_one();
        if constexpr (std::is_copy_constructible_v<Key>) {
            if (!Safe || O.deferred_erase || !core_.nothrow_insert() || !std::is_nothrow_move_constructible_v<Key>)
                f(std::as_const(*other.core_.store.keys.ptr(slot)));
            else
                f(std::move(*other.core_.store.keys.ptr(slot)));
        } else
            f(std::move(*other.core_.store.keys.ptr(slot)));
        other.core_.do_erase(slot);
    }
    template <class F, class... Elements>
    constexpr decltype(auto) invoke(F& f, slot_t slot, Elements&... elements) const {
        if constexpr (detail::takes_name<F, handle_type, Elements&...>())
            return f(handle_type(slot, core_.directory.version(slot)), elements...);
        else
            return f(elements...);
    }
    /// visit(first, bit, blocks...) for every live slot, word by word; at(first)... are the addresses of a word's 64 elements.
    /// Full words run as a loop that vectorises.
    template <class Visit, class... At>
    constexpr void walk(Visit&& visit, At&&... at) const {
        for (std::size_t w = 0; w < this->occupancy().words().size(); ++w) { // read again each time: visit may insert
            const bits::word_t word = this->occupancy().word(w);
            if (word == 0) continue;
            const auto first = static_cast<slot_t>(w * bits::word_bits);
            const auto checked = [&](unsigned i, auto... blocks) {
                SLOTWISE_EXPECT_DEBUG(
                    this->occupancy().test(first + i),
                    "keyed container for_each: f erased an element ahead of the one it was given; walk with iterators");
                visit(first, i, blocks...);
            };
            walk_word(word, checked, at(first)...);
        }
    }

private:
    template <class Visit, class... Blocks>
    static constexpr void walk_word(bits::word_t word, const Visit& visit, Blocks... blocks) {
        bits::walk(word, [&](unsigned i) { visit(i, blocks...); });
    }
};

SLOTWISE_END

#endif
