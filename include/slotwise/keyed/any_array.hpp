// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyKeyStore and AnyColumn: KeyStore and ValueArray for types known at run time.
#ifndef SLOTWISE_KEYED_ANY_ARRAY_HPP
#define SLOTWISE_KEYED_ANY_ARRAY_HPP

#include "../core/type_descriptor.hpp"
#include "../rows/described_value.hpp"
#include "../slots/absence.hpp"
#include "../slots/any_array.hpp"
#include "../slots/slot_observer.hpp"
#include "described_codec.hpp"
#include "key_store.hpp"

#include <string>

SLOTWISE_BEGIN
namespace detail {

/// Throws std::out_of_range that names the key, if its type is described as one of these.
template <class... Named>
[[noreturn]] SLOTWISE_COLD void throw_no_key_among(const char* message, const TypeDescriptor& type, const void* key) {
    static_cast<void>(
        ((type.id == TypeDescriptor::id_of<Named>() && (throw_no_key<Named>(message, *static_cast<const Named*>(key)), true)) ||
         ...));
    throw_no_key(message);
}
[[noreturn]] SLOTWISE_COLD inline void throw_no_described_key(const char* message, const TypeDescriptor& type,
                                                              const void* key) {
    throw_no_key_among<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, double, std::string_view, std::string>(
        message, type, key);
}

/// KeyStore for keys of a described type. Keys are passed by address.
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
    /// As KeyStore's; always copies, because a described move may throw.
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
    std::uint32_t stamp() const noexcept { return type()->trivial ? static_cast<std::uint32_t>(type()->size) : 0; }

private:
    void keep(slot_t slot, std::uint64_t hash) noexcept { *hashes_.ptr(slot) = static_cast<std::uint32_t>(hash >> 32); }

    AnyArray<Allocator> keys_{};
    PagedArray<std::uint32_t, Allocator> hashes_{};
};

/// A described value that is built before its place may be used: on the stack if it is small.
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

/// ValueArray for values of a described type.
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
                "described column: its type has no default value (TypeDescriptor::construct); insert with a value");
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

} // namespace detail
SLOTWISE_END

#endif
