// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyArray: PagedArray for a type known at run time; AnyKeyStore and AnyColumn: KeyStore and ValueArray over it.
#ifndef SLOTWISE_KEYED_ANY_ARRAY_HPP
#define SLOTWISE_KEYED_ANY_ARRAY_HPP

#include "../core/type_descriptor.hpp"
#include "../slots/slot_observer.hpp"
#include "key_store.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Raw memory for a value of `type` a slot, in pages that never move, and the operations of the type by slot.
template <class Allocator>
class AnyArray {
    using bytes = rebind_t<Allocator, std::byte>;
    struct Chunk {
        std::byte* data; // as allocated, not yet aligned
        std::size_t bytes, first_page;
    };

public:
    constexpr AnyArray() = default;
    AnyArray(const TypeDescriptor* type, const Allocator& alloc) noexcept
        : type_(type), allocator_(alloc), table_(alloc), chunks_(alloc) {
        if (type != nullptr) shift_ = static_cast<unsigned>(std::countr_zero(default_page_slots(type->size)));
    }
    AnyArray(AnyArray&& other) noexcept
        : type_(other.type_), shift_(other.shift_), allocator_(other.allocator_), table_(std::move(other.table_)),
          chunks_(std::move(other.chunks_)), pages_(std::exchange(other.pages_, 0)),
          chunk_count_(std::exchange(other.chunk_count_, 0)) {}
    AnyArray(const AnyArray&) = delete;
    AnyArray& operator=(const AnyArray&) = delete;
    AnyArray& operator=(AnyArray&&) = delete;
    ~AnyArray() { shrink(0); }
    void swap(AnyArray& other) noexcept {
        std::swap(type_, other.type_);
        std::swap(shift_, other.shift_);
        exchange_allocators(allocator_, other.allocator_);
        table_.swap(other.table_);
        chunks_.swap(other.chunks_);
        std::swap(pages_, other.pages_);
        std::swap(chunk_count_, other.chunk_count_);
    }

    const TypeDescriptor* type() const noexcept { return type_; }
    Allocator get_allocator() const noexcept { return Allocator(allocator_); }
    std::size_t capacity() const noexcept { return pages_ << shift_; }
    void* ptr(slot_t slot) const noexcept {
        return table_[slot >> shift_] + (slot & ((slot_t{1} << shift_) - 1)) * type_->size;
    }

    /// @throws what the allocator throws; nothing has changed then
    void reserve(std::size_t slots) {
        const std::size_t want = (slots >> shift_) + ((slots & ((std::size_t{1} << shift_) - 1)) != 0);
        if (want <= pages_) return;
        const std::size_t page = checked_bytes(std::size_t{1} << shift_, type_->size);
        const std::size_t size = checked_bytes(want - pages_, page, type_->align - 1);
        reserve_entries(table_, want);
        reserve_entries(chunks_, chunk_count_ + 1);
        std::byte* const data = allocate_raw(allocator_, size);
        chunks_[chunk_count_++] = {data, size, pages_};
        const std::size_t off = reinterpret_cast<std::uintptr_t>(data) & (type_->align - 1);
        std::byte* at = data + (off == 0 ? 0 : type_->align - off);
        for (; pages_ != want; at += page) table_[pages_++] = at;
    }
    std::size_t capacity_for(std::size_t slots) const noexcept {
        const std::size_t want = (slots >> shift_) + ((slots & ((std::size_t{1} << shift_) - 1)) != 0);
        return (want < pages_ ? pages_ : want) << shift_;
    }
    /// Grows like PagedArray.
    std::size_t grown_capacity() const noexcept { return (pages_ + more_pages(pages_, type_->size << shift_)) << shift_; }
    std::size_t shrunk_capacity(std::size_t slots) const noexcept {
        std::size_t keep = chunk_count_, pages = pages_;
        while (keep != 0 && chunks_[keep - 1].first_page << shift_ >= slots) pages = chunks_[--keep].first_page;
        return pages << shift_;
    }
    void shrink(std::size_t slots) noexcept {
        pages_ = shrunk_capacity(slots) >> shift_;
        while (chunk_count_ != 0 && chunks_[chunk_count_ - 1].first_page >= pages_) {
            const Chunk& chunk = chunks_[--chunk_count_];
            deallocate_raw(allocator_, chunk.data, chunk.bytes);
        }
        if (pages_ == 0) {
            table_.free();
            chunks_.free();
        }
    }

    void copy(slot_t slot, const void* from) { type_->copy(ptr(slot), from); }
    void move(slot_t slot, void* from) {
        if (type_->move != nullptr)
            type_->move(ptr(slot), from);
        else
            type_->copy(ptr(slot), from);
    }
    void destroy(slot_t slot) noexcept {
        if (type_->destroy != nullptr) type_->destroy(ptr(slot));
    }
    /// build(slot) for every slot of `stored`; when one throws, those built before are destroyed.
    template <class Build>
    void fill(Occupancy stored, std::size_t slots, Build&& build) {
        if (slots != 0) reserve(slots);
        build_each(stored, build, [this](slot_t slot) { destroy(slot); });
    }

private:
    const TypeDescriptor* type_ = nullptr;
    unsigned shift_ = 6;
    SLOTWISE_NO_UNIQUE_ADDRESS bytes allocator_{};
    FlatArray<std::byte*, Allocator> table_{};
    FlatArray<Chunk, Allocator> chunks_{};
    std::size_t pages_ = 0;
    std::size_t chunk_count_ = 0;
};

/// KeyStore for keys of a described type. Keys are passed by address.
template <class Allocator>
class AnyKeyStore {
public:
    static constexpr std::size_t slot_bytes = 0; // known at run time only
    static constexpr bool trivial = false;
    static constexpr bool nothrow_move = true;
    static constexpr bool nothrow_swap = true;

    AnyKeyStore() = default;
    AnyKeyStore(const TypeDescriptor* type, const Allocator& alloc) : keys_(type, alloc), hashes_(alloc) {}
    template <class ExpectThere>
    AnyKeyStore(const AnyKeyStore& other, Occupancy stored, std::size_t slots, const Allocator& alloc,
                ExpectThere&& expect_there)
        : AnyKeyStore(other.keys_.type(), alloc) {
        if (slots != 0) hashes_.reserve(slots);
        keys_.fill(stored, slots, [&](slot_t slot) {
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

    std::size_t capacity() const noexcept { return keys_.capacity(); }
    std::size_t grown_capacity() const noexcept { return keys_.grown_capacity(); }
    void reserve(std::size_t slots) {
        hashes_.reserve(slots);
        keys_.reserve(slots);
    }
    std::size_t shrunk_capacity(std::size_t slots) const noexcept { return keys_.shrunk_capacity(slots); }
    void shrink(std::size_t slots) noexcept {
        keys_.shrink(slots);
        hashes_.shrink(slots);
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

private:
    void keep(slot_t slot, std::uint64_t hash) noexcept { *hashes_.ptr(slot) = static_cast<std::uint32_t>(hash >> 32); }

    AnyArray<Allocator> keys_{};
    PagedArray<std::uint32_t, Allocator> hashes_{};
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
        const std::size_t slots = other.values_.capacity();
        if (slots == 0) return;
        auto alive = alive_.resized(bits::word_count(slots), 0);
        alive_.swap(alive);
        values_.reserve(slots);
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

    std::size_t grown_capacity() const noexcept { return values_.grown_capacity(); }
    std::size_t capacity_for(std::size_t slots) const noexcept { return values_.capacity_for(slots); }
    std::size_t shrunk_capacity(std::size_t slots) const noexcept { return values_.shrunk_capacity(slots); }

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
    void on_clear(Occupancy slots) noexcept {
        slots.for_each([this](slot_t slot) { destroy(slot); });
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
