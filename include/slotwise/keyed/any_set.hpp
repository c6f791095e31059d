// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySet: the set of keys of described containers, by address.
#ifndef SLOTWISE_KEYED_ANY_SET_HPP
#define SLOTWISE_KEYED_ANY_SET_HPP

#include "../core/call_form.hpp"
#include "any_array.hpp"
#include "keyed_arguments.hpp"
#include "keyed_iterator.hpp"

#include <optional>

SLOTWISE_BEGIN
namespace detail {

/// The set interface by address. A map of described types has it as a private base.
template <class Tag, KeySetOptions O, class Allocator, template <class> class Index, std::size_t Own, class... Observers>
class AnySet : public KeySetCore<AnyKeyStore<Allocator>, Tag, O, Allocator, Index, Own, Observers...> {
    using Core = KeySetCore<AnyKeyStore<Allocator>, Tag, O, Allocator, Index, Own, Observers...>;
    static_assert(O.growth == Growth::pages,
                  "AnySetStorage, AnyMapStorage: Growth::reserve is for types that are known when the "
                  "program is compiled; use SetStorage or MapStorage, or Growth::pages");

public:
    using typename Core::handle_type;
    using typename Core::size_type;
    using hasher = DescribedHash;
    using key_equal = DescribedEqual;
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
    /// Hash and equality of the key type, which take addresses of keys.
    hasher hash_function() const noexcept { return {&key_type()}; }
    key_equal key_eq() const noexcept { return {&key_type()}; }

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
    template <std::same_as<handle_type> H>
    const void* key(H handle) const noexcept {
        return Core::contains(handle) ? core_.store.keys.key_of(handle.index()) : nullptr;
    }
    /// The same. @throws std::out_of_range that says whether it was erased or the handle never issued
    template <std::same_as<handle_type> H>
    const void* at(H handle) const {
        if (!Core::contains(handle))
            core_.throw_no_element("described set at(handle): no element has this handle; ask key(handle) or explain(handle)",
                                   handle);
        return core_.store.keys.key_of(handle.index());
    }
    /// The element with the key at `key`, or end().
    iterator find(const void* key) const { return {this, slot_of(key)}; }
    /// The element of this handle, or end().
    template <std::same_as<handle_type> H>
    iterator find(H handle) const noexcept {
        return {this, Core::contains(handle) ? handle.index() : no_slot};
    }
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
    /// Erases the key at `it`; returns the next one. @pre it refers to a live element (checked at level fast) @throws nothing
    template <std::same_as<iterator> It>
    iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "described container erase(it): the element here was erased, or it is the end");
        core_.do_erase(it.slot());
        return ++it;
    }
    /// Erases every key for which pred(key address) or pred(handle, key address) holds; returns how many. If pred throws, the
    /// keys erased before stay erased.
    template <class Pred>
    size_type erase_if(Pred pred) {
        return core_.erase_each([&](slot_t slot) { return invoke(pred, slot, key(slot)); });
    }
    /// Removes the key and returns it; none when it is not a member. With deferred erase it is copied, because the removed key
    /// stays readable. A copy or move that calls the container finds no such key. @throws std::bad_alloc, what the type's
    /// operations throw; the key then stays (it is erased if something was inserted meanwhile)
    DescribedValue extract(const void* key) {
        DescribedValue result;
        if (const slot_t slot = slot_of(key); slot != no_slot)
            core_.template do_extract<false>(slot, [&] {
                result = DescribedValue(key_type(), O.deferred_erase || !moves_nothrow(key_type())
                                                        ? AnyValue::copied(core_.store.keys.key_of(slot))
                                                        : AnyValue::moved(core_.store.keys.address_of(slot)));
            });
        return result;
    }
    /// As erase_reserved, and returns the key; none when the handle has no element. set.fulfill_moved(handle, key.data())
    /// undoes it. @throws as extract and erase_reserved; the key then stays
    template <std::same_as<handle_type> H>
    DescribedValue extract_reserved(H handle) {
        DescribedValue result;
        if (Core::contains(handle))
            core_.template do_extract<false, true>(handle.index(), [&] {
                result = DescribedValue(key_type(), moves_nothrow(key_type())
                                                        ? AnyValue::moved(core_.store.keys.address_of(handle.index()))
                                                        : AnyValue::copied(core_.store.keys.key_of(handle.index())));
            });
        return result;
    }
    /// Adds a copy of the key under a reserved handle. Its address; null, and no effect, when the handle is not reserved (any
    /// more), or the key is a member. @throws as insert; the handle is then still reserved
    template <std::same_as<handle_type> H>
    const void* fulfill(H handle, const void* key) {
        return do_fulfill(handle, key);
    }
    /// The same, moved from it. Strong if the move is.
    template <std::same_as<handle_type> H>
    const void* fulfill_moved(H handle, void* key) {
        return do_fulfill(handle, key);
    }
    /// Calls f(key address) or f(handle, key address) for every key in slot order; f may erase the key it is given.
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : this->live_slots()) invoke(f, slot, core_.store.keys.key_of(slot));
    }
    /// Addresses of keys by slot: iterable, indexable, in runs of pointer, stride and mask.
    /// @invalidates itself when the container grows, shrinks or moves
    ConstAnyColumnView keys() const noexcept { return {core_.store.keys.pages(), core_.directory_view()}; }
    /// The same: what a set has are keys.
    ConstAnyColumnView values() const noexcept { return keys(); }
    /// Equal when they have the same keys of the same type.
    friend bool operator==(const AnySet& a, const AnySet& b) {
        bool same = same_type(a.key_type(), b.key_type()) && a.size() == b.size();
        a.for_each([&](const void* key) { same = same && b.contains(key); });
        return same;
    }

    /// As SetStorage::snapshot: the bytes of a set of the same keys whose types are known, and those that it restores.
    /// @param codec an AnyCodec to which the key type was added, or a class with its functions; `columns` is that of static
    /// columns @throws std::invalid_argument when the codec lacks the type; what allocator and codecs throw
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        expect_covered(codec, key_type());
        DescribedCodec<Codec, Columns> both{codec, columns};
        const std::array tags{ElementTag{ElementRole::key, both.tag(key_type())}};
        return this->template to_bytes<0, 0>(both, tags, [](slot_t, ByteWriter&) {});
    }
    /// As SetStorage::restore. @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec
    /// lacks the type; what allocator and codecs throw; strong
    template <class Codec, class Columns = DefaultCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        if (const char* error = try_restore(bytes, codec, columns)) throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes instead of throwing it; null on success.
    template <class Codec, class Columns = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        expect_covered(codec, key_type());
        DescribedCodec<Codec, Columns> both{codec, columns};
        const std::array tags{ElementTag{ElementRole::key, both.tag(key_type())}};
        return this->template from_bytes<0, 0>(bytes, both, tags, [](auto&, slot_t, ByteReader&) { return true; });
    }

protected:
    friend struct OwnColumns;
    using Core::core_;
    template <class, class>
    friend class KeyedIterator;
    const void* element_at(slot_t slot) const noexcept { return core_.store.keys.key_of(slot); }
    template <class F, class... Elements>
    decltype(auto) invoke(F& f, slot_t slot, Elements... elements) const {
        if constexpr (takes_name<F, handle_type, Elements...>())
            return f(handle_type(slot, core_.directory.version(slot)), elements...);
        else
            return f(elements...);
    }
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
    template <class Void>
    const void* do_fulfill(handle_type handle, Void* key) {
        const bool done = core_.do_fulfill(handle.index(), handle.version(), static_cast<const void*>(key),
                                           NewAnyKey<Void>{core_.store.keys, key});
        return done ? core_.store.keys.key_of(handle.index()) : nullptr;
    }
    static const TypeDescriptor* sized(const TypeDescriptor& type) { return sized_type(type); }
    static const TypeDescriptor* as_key(const TypeDescriptor& type) {
        if (type.hash == nullptr || type.equal == nullptr || type.copy == nullptr)
            throw_invalid_argument("TypeDescriptor of a key: hash, equal and copy must be given");
        return sized(type);
    }
};

/// What the arguments of a described container come to.
template <class... With>
struct AnyArguments
    : Arguments<with_options | with_tag | with_index | with_alloc | with_observers, KeySetOptions, std::byte, NoKey, With...> {
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
    using own_columns = TypeList<>;
};
template <class Whole>
struct AnyArguments<PartOf<Whole>> : PartArguments<Whole> {};

template <class Container, class Args, class Index, class Own, class Observers>
struct AnySetOf;
template <class Container, class Args, template <class> class Index, class... Own, class... Observers>
struct AnySetOf<Container, Args, IndexBy<Index>, TypeList<Own...>, TypeList<Observers...>> {
    using type = AnySet<typename HandleOf<Container>::tag_type, Args::options, typename Args::allocator, Index, sizeof...(Own),
                        Own..., Observers...>;
};
/// The base of a described set: its own columns are those of Args.
template <class... With>
using AnySetBase =
    typename AnySetOf<BasicAnySetStorage<With...>, AnyArguments<With...>, typename AnyArguments<With...>::index,
                      typename AnyArguments<With...>::own_columns, typename AnyArguments<With...>::observers>::type;
/// That of a described map: the values are a column of its own, before all others.
template <class... With>
using AnyMapBase = typename AnySetOf<
    BasicAnyMapStorage<With...>, AnyArguments<With...>, typename AnyArguments<With...>::index,
    typename Prepend<typename AnyArguments<With...>::own_columns, AnyColumn<typename AnyArguments<With...>::allocator>>::type,
    typename AnyArguments<With...>::observers>::type;

} // namespace detail
SLOTWISE_END

#endif
