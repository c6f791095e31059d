// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySetStorage and AnyMapStorage: SetStorage and MapStorage for types that are known only at run time.
#ifndef SLOTWISE_KEYED_ANY_STORAGE_HPP
#define SLOTWISE_KEYED_ANY_STORAGE_HPP

#include "../core/detail/call_form.hpp"
#include "../core/type_descriptor.hpp"
#include "../rows/any_codec.hpp"
#include "../rows/described_value.hpp"
#include "../slots/any_column_view.hpp"
#include "../slots/detail/absence.hpp"
#include "../slots/slot_observer.hpp"
#include "../slots/snapshot.hpp"
#include "detail/keyed_engine.hpp"
#include "detail/keyed_interface.hpp"

#include <optional>
#include <string>

SLOTWISE_BEGIN
namespace detail {

//=== keys and values by slot ===//

/// Throws std::out_of_range, which names the key if its type is one of these.
template <class... Named>
[[noreturn]] SLOTWISE_COLD void throw_no_key_among(const char* message, const TypeDescriptor& type, const void* key) {
    static_cast<void>(
        ((type.id == TypeDescriptor::id_of<Named>() && (throw_no_key<Named>(message, *static_cast<const Named*>(key)), true)) ||
         ...));
    throw_no_key(message);
}
[[noreturn]] SLOTWISE_COLD inline void throw_no_erased_key(const char* message, const TypeDescriptor& type, const void* key) {
    throw_no_key_among<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, double, std::string_view, std::string>(
        message, type, key);
}

/// KeyStore for keys of a type that is known only at run time. Keys are passed by address.
template <class Allocator>
class AnyKeyStore {
public:
    static constexpr std::size_t slot_bytes = 0; // known at run time only
    static constexpr std::size_t max_slots = no_slot;
    static constexpr bool trivial = false;
    static constexpr bool rehashes = false;
    static constexpr bool nothrow_move = true;
    static constexpr bool nothrow_swap = true;

    AnyKeyStore() = default;
    AnyKeyStore(const TypeDescriptor* type, const Allocator& alloc) : keys_(type, alloc), hashes_(alloc) {}
    template <class ExpectThere>
    AnyKeyStore(const AnyKeyStore& other, Occupancy stored, std::size_t slot_count, const Allocator& alloc,
                ExpectThere&& expect_there)
        : AnyKeyStore(other.keys_.type(), alloc) {
        if (slot_count != 0) hashes_.reserve(slot_count);
        keys_.fill(stored, slot_count, [&](slot_t slot) {
            expect_there(slot);
            copy(slot, other.hash_at(slot), other.key_of(slot));
        });
    }
    /// As KeyStore's, but it always copies, because a move may throw.
    void take_from(AnyKeyStore& other, Occupancy stored) {
        keys_.fill(stored, 0, [&](slot_t slot) { copy(slot, other.hash_at(slot), other.key_of(slot)); });
    }
    AnyKeyStore(AnyKeyStore&&) noexcept = default;
    static AnyKeyStore like(const AnyKeyStore& other, const Allocator& alloc) { return AnyKeyStore(other.keys_.type(), alloc); }
    /// Hash and equality belong to the type, which is swapped with the keys.
    static void swap_functors(AnyKeyStore&) noexcept {}
    void swap_keys(AnyKeyStore& other) noexcept {
        keys_.swap(other.keys_);
        hashes_.swap(other.hashes_);
    }

    const TypeDescriptor* type() const noexcept { return keys_.type(); }
    Allocator get_allocator() const noexcept { return keys_.get_allocator(); }
    std::uint64_t hash(const void* key) const {
        return widen_hash(static_cast<std::uint32_t>(mix_bits(type()->hash(key)) >> 32));
    }
    std::uint64_t hash_at(slot_t slot) const noexcept { return widen_hash(*hashes_.ptr(slot)); }
    bool equals(slot_t slot, const void* key) const { return type()->equal(keys_.ptr(slot), key); }
    const void* key_of(slot_t slot) const noexcept { return keys_.ptr(slot); }
    const void* ptr(slot_t slot) const noexcept { return keys_.ptr(slot); }
    /// The same, to be moved from.
    void* address_of(slot_t slot) noexcept { return keys_.ptr(slot); }

    std::size_t capacity() const noexcept { return keys_.capacity(); }
    std::size_t memory_usage() const noexcept { return memory_of(keys_, hashes_); }
    std::size_t grown_capacity() const noexcept { return keys_.grown_capacity(); }
    void reserve(std::size_t slot_count) {
        hashes_.reserve(slot_count);
        keys_.reserve(slot_count);
    }
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept { return keys_.shrunk_capacity(slot_count); }
    void shrink(std::size_t slot_count) noexcept {
        keys_.shrink(slot_count);
        hashes_.shrink(slot_count);
    }
    void copy(slot_t slot, std::uint64_t hash, const void* key) {
        keys_.copy(slot, key);
        keep(slot, hash);
    }
    void move(slot_t slot, std::uint64_t hash, void* key) {
        keys_.move(slot, key);
        keep(slot, hash);
    }
    void destroy(slot_t slot) noexcept { keys_.destroy(slot); }
    AnyPages pages() const noexcept { return keys_.pages(); }

    template <class Codec>
    void write(slot_t slot, ByteWriter& out, Codec& codec) const {
        codec.write(*type(), key_of(slot), out);
    }
    /// As KeyStore's.
    template <class Codec>
    bool read(slot_t slot, ByteReader& in, Codec& codec) {
        if (!keys_.read(slot, in, codec)) return false;
        ScopeGuard undo([&]() noexcept { destroy(slot); });
        keep(slot, hash(key_of(slot)));
        undo.dismiss();
        return true;
    }
    /// As a KeyStore of the type's has it.
    template <class Codec>
    std::uint32_t size_check(const Codec& codec) const noexcept {
        return codec.size_check(*type());
    }

private:
    void keep(slot_t slot, std::uint64_t hash) noexcept { *hashes_.ptr(slot) = static_cast<std::uint32_t>(hash >> 32); }

    AnyArray<Allocator> keys_{};
    PagedArray<std::uint32_t, Allocator> hashes_{};
};

/// A value that is built before its place may be used: on the stack if it is small.
class AnyTemporary {
public:
    /// Building it may throw, and so may the memory of a large one.
    AnyTemporary(const TypeDescriptor& type, const AnyValue& from) : type_(type) {
        if (type.size > sizeof(here_) || type.align > alignof(std::max_align_t)) {
            apart_ = DescribedValue(type, from);
            at_ = apart_.data();
        } else {
            from.build(type, here_);
            at_ = here_;
        }
    }
    AnyTemporary(const AnyTemporary&) = delete;
    AnyTemporary& operator=(const AnyTemporary&) = delete;
    ~AnyTemporary() {
        if (at_ == here_ && type_.destroy != nullptr) type_.destroy(at_);
    }
    /// Builds a value at `to` by moving this one. @pre moves_nothrow(type)
    void move_to(void* to) noexcept { AnyValue::moved(at_).build(type_, to); }

private:
    const TypeDescriptor& type_;
    void* at_ = nullptr;
    DescribedValue apart_{};
    alignas(std::max_align_t) std::byte here_[128];
};

/// ValueArray for values of a type that is known only at run time. A bit a slot says whether a value is there.
template <class Allocator>
class AnyColumn {
public:
    AnyColumn() = default;
    explicit AnyColumn(const Allocator& alloc) : AnyColumn(nullptr, alloc) {}
    AnyColumn(const TypeDescriptor* type, const Allocator& alloc) : values_(type, alloc), alive_(alloc) {}
    AnyColumn(const AnyColumn& other, Occupancy stored) : AnyColumn(other, stored, other.values_.get_allocator()) {}
    AnyColumn(const AnyColumn& other, Occupancy stored, const Allocator& alloc) : AnyColumn(other.type(), alloc) {
        const std::size_t slot_count = other.values_.capacity();
        if (slot_count == 0) return;
        auto alive = alive_.resized(bits::word_count(slot_count), 0);
        alive_.swap(alive);
        values_.reserve(slot_count);
        take_from(other, stored);
    }
    /// As ValueArray's; always copies. @pre there is room
    void take_from(const AnyColumn& other, Occupancy stored) {
        values_.fill(stored, 0, [&](slot_t slot) { values_.copy(slot, other.values_.ptr(slot)); });
        stored.for_each([this](slot_t slot) { mark(slot); });
    }
    AnyColumn(const AnyColumn&) = delete;
    AnyColumn(AnyColumn&& other) noexcept : values_(std::move(other.values_)), alive_(std::move(other.alive_)) {}
    AnyColumn& operator=(const AnyColumn&) = delete;
    AnyColumn& operator=(AnyColumn&& other) noexcept {
        AnyColumn taken(std::move(other));
        values_.swap(taken.values_);
        alive_.swap(taken.alive_);
        return *this;
    }
    ~AnyColumn() { destroy_all(); }
    static AnyColumn like(const AnyColumn& other, const Allocator& alloc) { return AnyColumn(other.type(), alloc); }

    const TypeDescriptor* type() const noexcept { return values_.type(); }
    void* ptr(slot_t slot) const noexcept { return values_.ptr(slot); }
    AnyPages pages() const noexcept { return values_.pages(); }

    std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    std::size_t capacity_for(std::size_t slot_count) const noexcept { return values_.capacity_for(slot_count); }
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept { return values_.shrunk_capacity(slot_count); }

    void on_capacity(slot_t old_slots, slot_t new_slots) {
        if (new_slots < old_slots) {
            values_.shrink(new_slots);
            if (values_.capacity() == 0) alive_.free();
            return;
        }
        auto alive =
            alive_.resized(alive_.size() < bits::word_count(new_slots) ? bits::word_count(new_slots) : alive_.size(), 0);
        values_.reserve(new_slots);
        alive_.swap(alive);
    }
    void on_erase(slot_t slot) noexcept { destroy(slot); }
    void on_clear(Occupancy cleared) noexcept {
        cleared.for_each([this](slot_t slot) { destroy(slot); });
    }
    void on_reset() noexcept {
        destroy_all();
        values_.shrink(0);
        alive_.free();
    }

    /// @throws std::invalid_argument when the type has no default value
    void expect_default() const {
        if (type()->construct == nullptr)
            throw_invalid_argument(
                "type-erased column: its type has no default value (TypeDescriptor::construct); insert with a value");
    }
    /// Builds the value of `slot` as a copy of *from, or by default when that is null.
    void construct(slot_t slot, const void* from) {
        if (from == nullptr) {
            expect_default();
            type()->construct(ptr(slot));
        } else
            values_.copy(slot, from);
        mark(slot);
    }
    /// Builds the value of `slot` by moving *from.
    void construct_moved(slot_t slot, void* from) {
        values_.move(slot, from);
        mark(slot);
    }
    /// Replaces the value of `slot` by what `fresh` has built. @pre the type's move does not throw
    void replace(slot_t slot, AnyTemporary& fresh) noexcept {
        values_.destroy(slot);
        fresh.move_to(ptr(slot));
    }
    std::size_t memory_usage() const noexcept { return memory_of(values_, alive_); }
    /// Builds the value of `slot` from bytes. Returns false and builds none when they are wrong.
    template <class Codec>
    bool read(slot_t slot, ByteReader& in, Codec& codec) {
        if (!values_.read(slot, in, codec)) return false;
        mark(slot);
        return true;
    }
    void destroy(slot_t slot) noexcept {
        bits::word_t& word = alive_[bits::word_of(slot)];
        if ((word & bits::bit_of(slot)) == 0) return;
        word &= ~bits::bit_of(slot);
        values_.destroy(slot);
    }

private:
    void mark(slot_t slot) noexcept { alive_[bits::word_of(slot)] |= bits::bit_of(slot); }
    void destroy_all() noexcept { on_clear({alive_.data(), alive_.size() * bits::word_bits}); }

    AnyArray<Allocator> values_{};
    FlatArray<bits::word_t, Allocator> alive_{};
};

//=== hash, equality, bytes ===//

/// The two codecs of a type-erased container: an AnyCodec for keys and values, and a codec for static columns and times.
template <class Erased, class Typed>
struct AnyElementCodec {
    static constexpr bool is_type_erased = true;
    const Erased& erased;
    Typed& typed;

    template <class Column>
    static constexpr bool drops = drops_column<Typed, Column>;
    template <bool Reads, class T>
    static consteval bool covers() noexcept {
        return detail::covers<Reads, Typed, T>();
    }
    static constexpr bool writes_a_part = detail::writes_a_part<Typed>;
    template <class T>
    static consteval std::uint64_t type_tag() noexcept {
        return detail::type_tag<Typed, T>();
    }
    std::uint64_t tag(const TypeDescriptor& type) const noexcept { return described_tag(erased, type); }
    std::uint32_t size_check(const TypeDescriptor& type) const noexcept { return described_size_check(erased, type); }
    void write(const TypeDescriptor& type, const void* value, ByteWriter& out) { erased.write(type, value, out); }
    void read(const TypeDescriptor& type, void* to, ByteReader& in) { erased.read(type, to, in); }
    template <class T>
    void write(const T& value, ByteWriter& out) {
        typed.write(value, out);
    }
    template <class T>
    T read(ByteReader& in) {
        return typed.template read<T>(in);
    }
};

/// The room that static columns take.
template <class Erased, class Typed, class... Ts>
inline constexpr std::size_t block_bytes<AnyElementCodec<Erased, Typed>, Ts...> = block_bytes<Typed, Ts...>;

/// The hash of keys by address.
struct AnyKeyHash {
    using is_transparent = void;
    const TypeDescriptor* type = nullptr; ///< of the keys
    std::size_t operator()(const void* key) const { return type->hash(key); }
};

/// The equality of keys by address.
struct AnyKeyEqual {
    using is_transparent = void;
    const TypeDescriptor* type = nullptr; ///< of the keys
    bool operator()(const void* a, const void* b) const { return type->equal(a, b); }
};

/// @throws std::invalid_argument when the codec cannot write and read values of the type
template <class Erased>
void expect_covered(const Erased& codec, const TypeDescriptor& type) {
    if (!codec.covers(type))
        throw_invalid_argument("type-erased container snapshot: the codec lacks the type of its keys, or of its values; "
                               "codec.add<T>(), and describe it with its id");
}
/// @throws std::invalid_argument when values that are passed to a container are not of its type
inline void expect_type_of(const ConstAnySpan& values, const TypeDescriptor& type) {
    if (!same_type(values.type(), type))
        throw_invalid_argument("type-erased container: these keys or values are not of its type; ask key_type(), value_type()");
}

//=== what an insert brings ===//

/// A new key by its address, with the steps that KeyedEngine takes to insert it. @tparam Void the key is copied if const, else
/// moved
template <class Keys, class Void>
struct NewAnyKey {
    static constexpr bool trivial = false;
    static constexpr std::size_t filled_columns = 0;
    Keys& keys;
    Void* key;
    /// Whether construct() runs no code of the type.
    bool copies_bytes() const noexcept { return keys.type()->trivial; }
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

/// A new key and a value by their addresses, with the steps that KeyedEngine takes to insert them.
template <class Keys, class KeyVoid, class Column, class Void>
struct NewAnyItem {
    static constexpr bool trivial = false;
    static constexpr std::size_t filled_columns = 1;
    NewAnyKey<Keys, KeyVoid> key;
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
        if (value == column.ptr(slot)) return; // the new value is to be a copy of the old one
        if (value == nullptr) column.expect_default();
        if (moves_nothrow(*column.type())) {
            AnyTemporary fresh(*column.type(), source());
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

//=== named template arguments ===//

/// What the named template arguments of a type-erased set or map come to.
template <class... With>
struct AnyArguments
    : Arguments<with_options | with_tag | with_index | with_alloc | with_observers, KeySetOptions, std::byte, NoKey, With...> {
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
    using own_columns = TypeList<>;
};
template <class Whole>
struct AnyArguments<EmbeddedIn<Whole>> : PartArguments<Whole> {};
/// Whether own columns are those of the set of keys of a map.
template <class Columns>
inline constexpr bool begins_with_values = false;
template <class Allocator, class... Us>
inline constexpr bool begins_with_values<TypeList<AnyColumn<Allocator>, Us...>> = true;
/// The arguments of the set of keys of a map: the values are a column of its own, before all others.
template <class... With>
struct PartArguments<BasicAnyMapStorage<With...>> : AnyArguments<With...> {
    using Base = AnyArguments<With...>;
    using own_columns = typename Prepend<typename Base::own_columns, AnyColumn<typename Base::allocator>>::type;
};

} // namespace detail

/// A SetStorage of keys of a type that is known only at run time: a TypeDescriptor describes it. Keys are passed by address, or
/// many at once as an AnySpan.
///     AnySetStorage names(TypeDescriptor::of<std::string>());
///     names.insert(&name);
/// @tparam With in any order: `Column<U>` and static observers, `Options<KeySetOptions{...}>`,
/// `IndexBy<I>`, `AllocBy<A>`, `Tag<X>`
template <class... With>
class BasicAnySetStorage
    : public KeyedInterface<detail::AnyKeyStore<typename detail::AnyArguments<With...>::allocator>,
                            typename HandleOf<BasicAnySetStorage<With...>>::tag_type, detail::AnyArguments<With...>> {
    using Core = typename BasicAnySetStorage::KeyedInterface;
    using Args = detail::AnyArguments<With...>;
    using Allocator = typename Args::allocator;
    using Keys = detail::AnyKeyStore<Allocator>;
    static constexpr KeySetOptions O = Args::options;
    static_assert(O.growth == Growth::pages,
                  "AnySetStorage, AnyMapStorage: Growth::reserve is for types that are known when the "
                  "program is compiled; use SetStorage or MapStorage, or Growth::pages");

public:
    using typename Core::handle_type;
    using typename Core::size_type;
    using hasher = detail::AnyKeyHash;
    using key_equal = detail::AnyKeyEqual;
    /// Yields the address of each key, in slot order.
    using iterator = detail::KeyedIterator<const BasicAnySetStorage, const void*>;
    using const_iterator = iterator;

    /// An empty set of keys of `type`, which must outlive it.
    /// @throws std::invalid_argument when the type lacks what a key needs: hash, equal, copy, a size and an alignment
    explicit BasicAnySetStorage(const TypeDescriptor& type, const Allocator& alloc = Allocator())
        : Core(Keys(as_key(type), alloc), alloc) {}
    BasicAnySetStorage(const BasicAnySetStorage&) = default;
    BasicAnySetStorage(BasicAnySetStorage&&) = default;
    BasicAnySetStorage(const BasicAnySetStorage& other, const Allocator& alloc) : Core(other, alloc) {}
    BasicAnySetStorage(BasicAnySetStorage&& other, const Allocator& alloc) : Core(std::move(other), alloc) {}
    BasicAnySetStorage& operator=(const BasicAnySetStorage&) = default;
    BasicAnySetStorage& operator=(BasicAnySetStorage&&) = default;
    ~BasicAnySetStorage() = default;
    friend void swap(BasicAnySetStorage& a, BasicAnySetStorage& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }

    /// An empty set of the same type with the same allocator.
    BasicAnySetStorage like() const
        requires(!detail::begins_with_values<typename Args::own_columns>) // keys of a map do not know the type of its values
    {
        return BasicAnySetStorage(key_type(), this->get_allocator());
    }
    const TypeDescriptor& key_type() const noexcept { return *core_.store.keys.type(); }
    /// Hash and equality of the key type, which take addresses of keys.
    hasher hash_function() const noexcept { return {&key_type()}; }
    key_equal key_eq() const noexcept { return {&key_type()}; }

    //=== insert ===//

    /// Adds a copy of the key at `key` unless it is a member. @pre key points to a value of key_type()
    /// @throws what the type's operations, the allocator and observers throw; strong
    InsertResult<iterator> insert(const void* key) {
        return result(core_.do_insert(key, detail::NewAnyKey<Keys, const void>{core_.store.keys, key}));
    }
    /// As insert, but moves the key when it is added (copies it, if the type has no move). Strong if the move is.
    InsertResult<iterator> insert_moved(void* key) {
        return result(core_.do_insert(static_cast<const void*>(key), detail::NewAnyKey<Keys, void>{core_.store.keys, key}));
    }
    /// Adds copies of these keys in their order, unless they are members. Returns how many were added.
    /// @throws std::invalid_argument when they are of another type; as insert: what was added before stays
    size_type insert_range(const ConstAnySpan& keys) {
        detail::expect_type_of(keys, key_type());
        size_type added = 0;
        insert_each(
            keys.size(), [&](size_type i) { return keys[i]; }, [&](size_type, slot_t, bool inserted) { added += inserted; });
        return added;
    }
    /// The same for keys that lie anywhere: the address of key i is key_at(i). Calls done(i, slot, inserted) for each in order.
    /// The memory of `lookahead` keys is fetched before the first of them is inserted: what key_at(i) returns must be valid
    /// until key_at(i + lookahead) is called. done() may write columns of the slot; it must not insert or erase.
    /// @throws as insert, what key_at and done throw: what was added before stays
    template <class KeyAt, class Done>
    void insert_each(size_type count, KeyAt&& key_at, Done&& done) {
        core_.expect_not_notifying();
        in_blocks(count, key_at, [&](size_type first, size_type size, const std::uint64_t* hashes, const void* const* keys) {
            for (size_type i = 0; i != size; ++i) {
                const detail::InsertOutcome of =
                    core_.do_insert(hashes[i], keys[i], detail::NewAnyKey<Keys, const void>{core_.store.keys, keys[i]});
                done(first + i, of.slot, of.inserted);
            }
        });
    }

    //=== lookup ===//

    /// How many keys insert_each() and find_each() look at before they use the first.
    static constexpr size_type lookahead = 32;

    using Core::contains;
    /// Whether the key at `key` is a member. @throws what the type's hash and equal throw
    bool contains(const void* key) const { return slot_of(key) != no_slot; }
    /// 1 if the key at `key` is a member, else 0.
    size_type count(const void* key) const { return contains(key) ? 1 : 0; }
    /// Its slot, or no_slot.
    slot_t slot_of(const void* key) const { return core_.do_find(key); }
    /// The slot of the key, live or pending (the live one if there are both), or no_slot.
    slot_t slot_of_any(const void* key) const { return core_.template do_find<true>(key); }
    /// The slots of these keys in their order, no_slot for a key that is no member. @pre there are as many `slot_numbers` as
    /// keys (checked at level fast) @throws std::invalid_argument when they are of another type; what hash and equal throw
    void slots_of(const ConstAnySpan& keys, std::span<slot_t> slot_numbers) const {
        detail::expect_type_of(keys, key_type());
        SLOTWISE_EXPECT(slot_numbers.size() == keys.size(),
                        "type-erased container slots_of(keys, slot_numbers): give as many places as keys");
        find_each(
            keys.size(), [&](size_type i) { return keys[i]; }, [&](size_type i, slot_t slot) { slot_numbers[i] = slot; });
    }
    /// The same for keys that lie anywhere: the address of key i is key_at(i), see insert_each(). Calls found(i, slot) for each
    /// in order; found() must not change the container. 1e6 random keys of 8 bytes take 20 ms, and 27 by slot_of() of each.
    /// @throws what hash, equal, key_at and found throw
    template <class KeyAt, class Found>
    void find_each(size_type count, KeyAt&& key_at, Found&& found) const {
        in_blocks(count, key_at, [&](size_type first, size_type size, const std::uint64_t* hashes, const void* const* keys) {
            for (size_type i = 0; i != size; ++i) // the key of the entry that the search meets first
                core_.store.index.find(hashes[i], [&](slot_t slot) {
                    detail::ColumnAccess::prefetch_key(*this, slot);
                    return true;
                });
            for (size_type i = 0; i != size; ++i) found(first + i, core_.do_find(hashes[i], keys[i]));
        });
    }
    /// Its handle, or null.
    handle_type handle_of(const void* key) const { return this->handle_at(slot_of(key)); }
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    const void* key(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "type-erased container key(slot): no key is there; ask state(slot)");
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
            core_.throw_no_element("type-erased set at(handle): no element has this handle; ask key(handle) or explain(handle)",
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

    //=== erase ===//

    using Core::erase;
    /// Erases the key at `key`, which may be the very one in the set; false when it is not a member.
    bool erase(const void* key) {
        const slot_t slot = slot_of(key);
        if (slot == no_slot) return false;
        core_.do_erase(slot);
        return true;
    }
    /// Erases these keys; returns how many were members. @pre none of them lies in the set itself
    /// @throws std::invalid_argument when they are of another type; what hash and equal throw: what was erased before stays
    /// erased
    size_type erase_range(const ConstAnySpan& keys) {
        detail::expect_type_of(keys, key_type());
        size_type erased = 0;
        for (size_type i = 0; i != keys.size(); ++i) erased += erase(keys[i]);
        return erased;
    }
    /// Erases the key at `it`; returns the next one. @pre it refers to a live element (checked at level fast) @throws nothing
    template <std::same_as<iterator> It>
    iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "type-erased container erase(it): the element here was erased, or it is the end");
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
    DescribedValue extract(const void* key) { return extract_slot(slot_of(key)); }
    /// The same by handle; none when it has no element.
    template <std::same_as<handle_type> H>
    DescribedValue extract(H handle) {
        return extract_slot(Core::contains(handle) ? handle.index() : no_slot);
    }
    /// As erase_reserved, and returns the key; none when the handle has no element. set.fulfill_moved(handle, key.data())
    /// undoes it. @throws as extract and erase_reserved; the key then stays
    template <std::same_as<handle_type> H>
    DescribedValue extract_reserved(H handle) {
        DescribedValue result;
        if (Core::contains(handle))
            core_.template do_extract<false, true>(handle.index(), [&] {
                result = DescribedValue(key_type(), detail::moves_nothrow(key_type())
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

    //=== iteration ===//

    /// The address of each key, in slot order.
    iterator begin() const noexcept { return {this, this->occupancy().find_next(0)}; }
    iterator end() const noexcept { return {this, no_slot}; }
    /// The handles of the same walk.
    auto handles() const noexcept { return detail::part_range<detail::HandlePart>(begin(), end(), this->size()); }
    /// Handles and addresses of the keys that are there at this call and are not erased before the walk reaches them; see
    /// SetStorage::items_present.
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) {
            return SlotMapItem<handle_type, const void*>(this->handle_at(slot), element_at(slot));
        });
    }
    /// Calls f(key address) or f(handle, key address) for every key in slot order; f may erase the key it is given.
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : this->live_slots()) invoke(f, slot, core_.store.keys.key_of(slot));
    }
    /// Addresses of keys by slot: iterable, indexable, in runs of pointer, stride and mask.
    /// @invalidates itself when the container grows, shrinks or moves
    ConstAnyColumnView keys() const noexcept { return {core_.store.keys.pages(), core_.directory_view()}; }
    /// The same as keys().
    ConstAnyColumnView values() const noexcept { return keys(); }

    //=== whole ===//

    /// Equal when they have the same keys of the same type.
    friend bool operator==(const BasicAnySetStorage& a, const BasicAnySetStorage& b) {
        bool same = same_type(a.key_type(), b.key_type()) && a.size() == b.size();
        a.for_each([&](const void* key) { same = same && b.contains(key); });
        return same;
    }

    /// As SetStorage::snapshot: the bytes of a set of the same keys whose types are known, and those that it restores.
    /// @param codec an AnyCodec to which the key type was added, or a class with its functions; `columns` is that of static
    /// columns @throws std::invalid_argument when the codec lacks the type; what allocator and codecs throw
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        ByteWriter out;
        append_snapshot(out, 0, codec, columns);
        return out.take();
    }
    /// The same behind what `out` has. @param behind how many bytes the caller writes afterwards: room for them is made, too
    template <class Codec, class Columns = DefaultCodec>
    void append_snapshot(ByteWriter& out, std::size_t behind, const Codec& codec, Columns columns = {}) const {
        detail::expect_covered(codec, key_type());
        detail::AnyElementCodec<Codec, Columns> both{codec, columns};
        const std::array tags{detail::ElementTag{detail::ElementRole::key, both.tag(key_type())}};
        this->template append_bytes<0, 0>(out, both, tags, key_type().size, behind, [](slot_t, ByteWriter&) {});
    }
    /// As SetStorage::restore. @throws std::invalid_argument whose what() says what is wrong with the bytes, or when the codec
    /// lacks the type; what allocator and codecs throw; strong
    template <class Codec, class Columns = DefaultCodec>
    void restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        if (const char* error = try_restore(bytes, codec, columns)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns what is wrong with the bytes instead of throwing it; null on success.
    template <class Codec, class Columns = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, const Codec& codec, Columns columns = {}) {
        detail::expect_covered(codec, key_type());
        detail::AnyElementCodec<Codec, Columns> both{codec, columns};
        const std::array tags{detail::ElementTag{detail::ElementRole::key, both.tag(key_type())}};
        return this->template from_bytes<0, 0>(bytes, both, tags, [](auto&, slot_t, ByteReader&) { return true; });
    }

protected:
    friend struct detail::ColumnAccess;
    using Core::core_;
    template <class, class, class>
    friend class detail::KeyedIterator;
    const void* element_at(slot_t slot) const noexcept { return core_.store.keys.key_of(slot); }
    template <class F, class... Elements>
    decltype(auto) invoke(F& f, slot_t slot, Elements... elements) const {
        if constexpr (detail::takes_name<F, handle_type, Elements...>())
            return f(handle_type(slot, core_.directory.version(slot)), elements...);
        else
            return f(elements...);
    }
    /// Calls f(first, size, hashes, keys) for each block of keys, whose groups of the index are on their way then.
    template <class KeyAt, class F>
    void in_blocks(size_type count, KeyAt& key_at, F&& f) const {
        std::uint64_t hashes[lookahead];
        const void* keys[lookahead];
        for (size_type first = 0; first < count; first += lookahead) {
            const size_type size = count - first < lookahead ? count - first : lookahead;
            for (size_type i = 0; i != size; ++i) {
                keys[i] = key_at(first + i);
                hashes[i] = core_.store.keys.hash(keys[i]);
                if constexpr (requires { core_.store.index.prefetch(hashes[i]); }) core_.store.index.prefetch(hashes[i]);
            }
            f(first, size, static_cast<const std::uint64_t*>(hashes), static_cast<const void* const*>(keys));
        }
    }
    InsertResult<iterator> result(detail::InsertOutcome of) const noexcept { return {{this, of.slot}, of.inserted, of.kind}; }
    DescribedValue extract_slot(slot_t slot) {
        DescribedValue result;
        if (slot == no_slot) return result;
        core_.template do_extract<false>(slot, [&] {
            result = DescribedValue(key_type(), O.deferred_erase || !detail::moves_nothrow(key_type())
                                                    ? AnyValue::copied(core_.store.keys.key_of(slot))
                                                    : AnyValue::moved(core_.store.keys.address_of(slot)));
        });
        return result;
    }
    template <class Void>
    const void* do_fulfill(handle_type handle, Void* key) {
        const bool done = core_.do_fulfill(handle.index(), handle.version(), static_cast<const void*>(key),
                                           detail::NewAnyKey<Keys, Void>{core_.store.keys, key});
        return done ? core_.store.keys.key_of(handle.index()) : nullptr;
    }
    static const TypeDescriptor* as_key(const TypeDescriptor& type) {
        if (type.hash == nullptr || type.equal == nullptr || type.copy == nullptr)
            detail::throw_invalid_argument("TypeDescriptor of a key: hash, equal and copy must be given");
        return detail::sized_type(type);
    }
};

/// The addresses of a key and of its value: what iterators of an AnyMapStorage yield. Binds as auto [key, value].
template <class Void>
struct AnyMapItem {
    const void* key;
    Void* value;
};

/// A MapStorage between types that are known only at run time: TypeDescriptors describe them. Keys and values are passed by
/// address, or many at once as AnySpans.
///     AnyMapStorage stock(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
///     stock.insert_or_assign(&name, &count);
/// @tparam With as BasicAnySetStorage's
template <class... With>
class BasicAnyMapStorage : private BasicAnySetStorage<detail::EmbeddedIn<BasicAnyMapStorage<With...>>> {
    using Allocator = typename detail::AnyArguments<With...>::allocator;
    using Keys = detail::AnyKeyStore<Allocator>;
    using Column = detail::AnyColumn<Allocator>;

public:
    /// The result of as_set().
    using set_type = BasicAnySetStorage<detail::EmbeddedIn<BasicAnyMapStorage>>;
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
        values_column() = Column(detail::sized_type(value), alloc);
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
    using set_type::erase_range;
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
#pragma push_macro("slots") // as in KeyedInterface
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
    using set_type::slots_of;
    using set_type::state;

    /// An empty one of the same types with the same allocator.
    BasicAnyMapStorage like() const { return {key_type(), value_type(), get_allocator()}; }
    /// The map as a set of its keys: the same object.
    const set_type& as_set() const noexcept { return *this; }
    const TypeDescriptor& value_type() const noexcept { return *values_column().type(); }
    // No using-declaration: g++ 12 would warn about every parameter named key.
    /// The key in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    const void* key(slot_t slot) const noexcept { return set_type::key(slot); }
    template <std::same_as<handle_type> H>
    const void* key(H handle) const noexcept {
        return set_type::key(handle);
    }

    //=== insert ===//

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
        if (!inserted.inserted) assign(values_column().ptr(inserted.it.slot()), value);
        return inserted;
    }
    /// Adds copies of these pairs in their order, unless their keys are members. Returns how many were added.
    /// @throws std::invalid_argument when they are of other types, or not as many keys as values; as insert: what was added
    /// before stays
    size_type insert_range(const ConstAnySpan& keys, const ConstAnySpan& values) {
        return insert_each(keys, values, [this](const void* key, const void* value) { return insert(key, value); });
    }
    /// The same, but where a key is a member, its value is assigned. @throws as insert_range, and as insert_or_assign
    size_type insert_or_assign_range(const ConstAnySpan& keys, const ConstAnySpan& values) {
        return insert_each(keys, values, [this](const void* key, const void* value) { return insert_or_assign(key, value); });
    }

    //=== lookup ===//

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
    /// The value of the key at `key`, or null.
    void* get(const void* key) { return found(slot_of(key)); }
    const void* get(const void* key) const { return found(slot_of(key)); }
    template <std::same_as<handle_type> H>
    void* get(H handle) noexcept {
        return contains(handle) ? values_column().ptr(handle.index()) : nullptr;
    }
    template <std::same_as<handle_type> H>
    const void* get(H handle) const noexcept {
        return contains(handle) ? values_column().ptr(handle.index()) : nullptr;
    }
    /// The value of the key at `key`. @throws std::out_of_range when there is none
    void* at(const void* key) { return checked(get(key), key); }
    const void* at(const void* key) const { return checked(get(key), key); }
    /// The value of this handle. @throws std::out_of_range that says whether it was erased or the handle never issued
    template <std::same_as<handle_type> H>
    void* at(H handle) {
        return values_column().ptr(checked_slot(handle));
    }
    template <std::same_as<handle_type> H>
    const void* at(H handle) const {
        return values_column().ptr(checked_slot(handle));
    }
    /// The value in `slot`. @pre the slot is live or pending, or an observer is being notified of it (checked at level fast)
    void* value(slot_t slot) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "type-erased map value(slot): no value is there; ask state(slot)");
        return values_column().ptr(slot);
    }
    const void* value(slot_t slot) const noexcept {
        SLOTWISE_EXPECT(core_.directory.is_held(slot), "type-erased map value(slot): no value is there; ask state(slot)");
        return values_column().ptr(slot);
    }

    //=== erase ===//

    /// Erases the element at `it`; returns the next one. @pre it refers to a live element (checked at level fast)
    /// @throws nothing
    template <class It>
        requires(std::same_as<It, iterator> || std::same_as<It, const_iterator>)
    iterator erase(It it) noexcept {
        SLOTWISE_EXPECT(core_.directory.is_live(it.slot()),
                        "type-erased container erase(it): the element here was erased, or it is the end");
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
    std::optional<std::pair<DescribedValue, DescribedValue>> extract(const void* key) { return extract_slot(slot_of(key)); }
    /// The same by handle; empty when it has no element.
    template <std::same_as<handle_type> H>
    std::optional<std::pair<DescribedValue, DescribedValue>> extract(H handle) {
        return extract_slot(contains(handle) ? handle.index() : no_slot);
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

    //=== iteration ===//

    /// The addresses of key and value of each element, in slot order.
    iterator begin() noexcept { return {this, this->occupancy().find_next(0)}; }
    iterator end() noexcept { return {this, no_slot}; }
    const_iterator begin() const noexcept { return {this, this->occupancy().find_next(0)}; }
    const_iterator end() const noexcept { return {this, no_slot}; }
    /// The handles of the same walk.
    auto handles() const noexcept { return detail::part_range<detail::HandlePart>(begin(), end(), size()); }
    /// The addresses of key and value of the elements that are there at this call and are not erased before the walk reaches
    /// them; see SetStorage::items_present.
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) { return element_at(slot); });
    }
    /// Addresses of keys by slot: iterable, indexable, in runs of pointer, stride and mask.
    /// @invalidates itself when the map grows, shrinks or moves
    ConstAnyColumnView keys() const noexcept { return set_type::keys(); }
    /// The same of the values.
    AnyColumnView values() noexcept { return {values_column().pages(), core_.directory_view()}; }
    ConstAnyColumnView values() const noexcept { return {values_column().pages(), core_.directory_view()}; }
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

    //=== whole ===//

    /// As AnySetStorage's, values included: the bytes of a MapStorage of the same types.
    template <class Codec, class Columns = DefaultCodec>
    std::vector<std::byte> snapshot(const Codec& codec, Columns columns = {}) const {
        ByteWriter out;
        append_snapshot(out, 0, codec, columns);
        return out.take();
    }
    /// The same behind what `out` has. @param behind how many bytes the caller writes afterwards: room for them is made, too
    template <class Codec, class Columns = DefaultCodec>
    void append_snapshot(ByteWriter& out, std::size_t behind, const Codec& codec, Columns columns = {}) const {
        expect_covered(codec);
        detail::AnyElementCodec<Codec, Columns> both{codec, columns};
        this->template append_bytes<1, 0>(out, both, tags(both), key_type().size + value_type().size, behind,
                                          [&](slot_t slot, ByteWriter& to) { both.write(value_type(), value_at(slot), to); });
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
        detail::AnyElementCodec<Codec, Columns> both{codec, columns};
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
    friend struct detail::ColumnAccess;
    template <class, class, class>
    friend class detail::KeyedIterator;
    AnyMapItem<void> element_at(slot_t slot) noexcept { return {core_.store.keys.key_of(slot), values_column().ptr(slot)}; }
    AnyMapItem<const void> element_at(slot_t slot) const noexcept {
        return {core_.store.keys.key_of(slot), values_column().ptr(slot)};
    }
    template <class Insert>
    size_type insert_each(const ConstAnySpan& keys, const ConstAnySpan& values, Insert&& insert_one) {
        detail::expect_type_of(keys, key_type());
        detail::expect_type_of(values, value_type());
        if (keys.size() != values.size()) detail::throw_invalid_argument("type-erased map: give as many values as keys");
        size_type added = 0;
        for (size_type i = 0; i != keys.size(); ++i) added += insert_one(keys[i], values[i]).inserted;
        return added;
    }
    std::optional<std::pair<DescribedValue, DescribedValue>> extract_slot(slot_t slot) {
        std::optional<std::pair<DescribedValue, DescribedValue>> result;
        if (slot == no_slot) return result;
        core_.template do_extract<false>(slot, [&] {
            const bool moves = !set_type::options.deferred_erase && detail::moves_nothrow(value_type());
            DescribedValue taken_key(key_type(), core_.store.keys.key_of(slot));
            DescribedValue taken_value(value_type(),
                                       moves ? AnyValue::moved(value_at(slot)) : AnyValue::copied(value_at(slot)));
            result.emplace(std::move(taken_key), std::move(taken_value));
        });
        return result;
    }
    template <class KeyVoid, class Void>
    InsertResult<iterator> do_emplace(KeyVoid* key, Void* value) {
        const detail::InsertOutcome of =
            core_.do_insert(static_cast<const void*>(key),
                            detail::NewAnyItem<Keys, KeyVoid, Column, Void>{{core_.store.keys, key}, values_column(), value});
        return {{this, of.slot}, of.inserted, of.kind};
    }
    template <class KeyVoid, class Void>
    void* do_fulfill(handle_type handle, KeyVoid* key, Void* value) {
        const bool done =
            core_.do_fulfill(handle.index(), handle.version(), static_cast<const void*>(key),
                             detail::NewAnyItem<Keys, KeyVoid, Column, Void>{{core_.store.keys, key}, values_column(), value});
        return done ? value_at(handle.index()) : nullptr;
    }
    Column& values_column() noexcept { return core_.hub.template get<0>(); }
    const Column& values_column() const noexcept { return core_.hub.template get<0>(); }
    void* value_at(slot_t slot) const noexcept { return values_column().ptr(slot); }
    template <class Void>
    Void* checked(Void* value, const void* key) const {
        if (value == nullptr)
            detail::throw_no_erased_key("type-erased map at(key): no element has this key; ask get(key)", key_type(), key);
        return value;
    }
    slot_t checked_slot(handle_type handle) const {
        if (!contains(handle))
            core_.throw_no_element("type-erased map at(handle): no element has this handle; ask get(handle) or explain(handle)",
                                   handle);
        return handle.index();
    }
    template <class Codec>
    void expect_covered(const Codec& codec) const {
        detail::expect_covered(codec, key_type());
        detail::expect_covered(codec, value_type());
    }
    void* found(slot_t slot) const noexcept { return slot == no_slot ? nullptr : values_column().ptr(slot); }
    void assign(void* to, const void* from) {
        const TypeDescriptor& type = value_type();
        if (to == from) return;
        if (type.assign == nullptr)
            detail::throw_invalid_argument(
                "type-erased map insert_or_assign: the value type has no TypeDescriptor::assign; erase the key first");
        type.assign(to, from);
    }
};

SLOTWISE_END

#endif
