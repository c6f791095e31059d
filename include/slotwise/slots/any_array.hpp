// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyArray: PagedArray for a type known at run time.
#ifndef SLOTWISE_SLOTS_ANY_ARRAY_HPP
#define SLOTWISE_SLOTS_ANY_ARRAY_HPP

#include "../core/bytes.hpp"
#include "../core/type_descriptor.hpp"
#include "any_column_view.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Makes room for `count` entries of a page table (a FlatArray). It doubles, and only when it is full, so that copying the
/// entries is amortised. @throws what the allocator throws; nothing has changed then
template <class Array>
SLOTWISE_NEVER_INLINE void reserve_entries(Array& array, std::size_t count) {
    if (count <= array.size()) return;
    auto grown = array.resized(count < 2 * array.size() ? 2 * array.size() : count, {});
    array.swap(grown);
}

/// The type, if values of it can lie in slots. Throws std::invalid_argument
inline const TypeDescriptor* sized_type(const TypeDescriptor& type) {
    if (type.size == 0 || !std::has_single_bit(type.align) || type.size % type.align != 0)
        throw_invalid_argument("TypeDescriptor: size must be a multiple of align, not 0, and align a power of two");
    return &type;
}
/// Whether values of the type are moved without a throw.
inline bool moves_nothrow(const TypeDescriptor& type) noexcept { return type.nothrow_move || type.trivial; }

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
    /// Each chunk has room for its alignment.
    std::size_t memory_usage() const noexcept {
        if (chunk_count_ == 0) return table_.memory_usage() + chunks_.memory_usage();
        return (pages_ << shift_) * type_->size + chunk_count_ * (type_->align - 1) + table_.memory_usage() +
               chunks_.memory_usage();
    }
    void* ptr(slot_t slot) const noexcept {
        return table_[slot >> shift_] + (slot & ((slot_t{1} << shift_) - 1)) * type_->size;
    }

    /// @throws what the allocator throws; nothing has changed then
    void reserve(std::size_t slot_count) {
        const std::size_t want = pages_for(slot_count);
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
    std::size_t capacity_for(std::size_t slot_count) const noexcept {
        const std::size_t want = pages_for(slot_count);
        return (want < pages_ ? pages_ : want) << shift_;
    }
    /// Grows like PagedArray.
    std::size_t grown_capacity() const noexcept { return (pages_ + more_pages(pages_, type_->size << shift_)) << shift_; }
    std::size_t shrunk_capacity(std::size_t slot_count) const noexcept {
        std::size_t keep = chunk_count_, pages = pages_;
        while (keep != 0 && chunks_[keep - 1].first_page << shift_ >= slot_count) pages = chunks_[--keep].first_page;
        return pages << shift_;
    }
    void shrink(std::size_t slot_count) noexcept {
        pages_ = shrunk_capacity(slot_count) >> shift_;
        while (chunk_count_ != 0 && chunks_[chunk_count_ - 1].first_page >= pages_) {
            const Chunk& chunk = chunks_[--chunk_count_];
            deallocate_raw(allocator_, chunk.data, chunk.bytes);
        }
        if (pages_ == 0) {
            table_.free();
            chunks_.free();
        }
    }

    AnyPages pages() const noexcept { return {type_, &page_calls<&described_ptr>, table_.data(), shift_}; }

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
    /// Builds the value of `slot` from bytes. Returns false and builds none when they are wrong.
    template <class Codec>
    bool read(slot_t slot, ByteReader& in, Codec& codec) {
        codec.read(*type_, ptr(slot), in);
        if (in.error() != nullptr) destroy(slot);
        return in.error() == nullptr;
    }
    /// build(slot) for every slot of `stored`; when one throws, those built before are destroyed.
    template <class Build>
    void fill(Occupancy stored, std::size_t slot_count, Build&& build) {
        if (slot_count != 0) reserve(slot_count);
        build_each(stored, build, [this](slot_t slot) { destroy(slot); });
    }

private:
    std::size_t pages_for(std::size_t slot_count) const noexcept {
        const std::size_t page = std::size_t{1} << shift_;
        return detail::pages_for(slot_count, page, type_ == nullptr ? 1 : word_pages(page, type_->size));
    }

    const TypeDescriptor* type_ = nullptr;
    unsigned shift_ = 6;
    SLOTWISE_NO_UNIQUE_ADDRESS bytes allocator_{};
    FlatArray<std::byte*, Allocator> table_{};
    FlatArray<Chunk, Allocator> chunks_{};
    std::size_t pages_ = 0;
    std::size_t chunk_count_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
