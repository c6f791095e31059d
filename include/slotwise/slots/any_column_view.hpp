// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BasicAnyColumnView: a view of a type-erased column, indexed by slot, and its runs in memory. AnyArray: the pages of one.
#ifndef SLOTWISE_SLOTS_ANY_COLUMN_VIEW_HPP
#define SLOTWISE_SLOTS_ANY_COLUMN_VIEW_HPP

#include "../core/codec.hpp"
#include "../core/detail/call_form.hpp"
#include "../core/type_descriptor.hpp"
#include "column_view.hpp"

SLOTWISE_BEGIN

/// A run of consecutive slots whose values are contiguous: pointer (values.data()), stride (values.stride()) and mask (live).
/// values[i] belongs to slot first + i and is alive where live.test(i).
template <class Void>
struct AnyColumnChunk {
    slot_t first;              ///< a multiple of 64, or any slot where values lie apart: see ColumnChunk
    BasicAnySpan<Void> values; ///< touch only live ones
    Occupancy live;            ///< one bit a value; live.words() is the mask, lowest bit = values[0]
};

namespace detail {

/// How the pages of a column are read, which are arrays of T or of bytes.
struct AnyPageCalls {
    void* (*ptr)(const void* pages, unsigned shift, const TypeDescriptor& type, std::size_t slot) noexcept;
};
/// Pages of type-erased values: a table of std::byte*.
inline void* erased_ptr(const void* pages, unsigned shift, const TypeDescriptor& type, std::size_t slot) noexcept {
    return static_cast<std::byte* const*>(pages)[slot >> shift] + (slot & ((std::size_t{1} << shift) - 1)) * type.size;
}
/// Pages of Ts: a table of T*.
template <class T>
void* typed_ptr(const void* pages, unsigned shift, const TypeDescriptor&, std::size_t slot) noexcept {
    return const_cast<std::remove_const_t<T>*>(PageView<T>{static_cast<T* const*>(pages), shift}.ptr(slot)); // views restore it
}
template <auto Ptr>
inline constexpr AnyPageCalls page_calls = {Ptr};

/// Where the values of a column lie.
struct AnyPages {
    const TypeDescriptor* type = nullptr;
    const AnyPageCalls* calls = nullptr;
    const void* pages = nullptr;
    unsigned shift = 0;

    void* ptr(std::size_t slot) const noexcept { return calls->ptr(pages, shift, *type, slot); }
    /// As those of PageView. @pre of run: first is the start of a page, or a slot where values may lie apart
    std::size_t apart() const noexcept { return shift < 6 ? slots_apart(std::size_t{1} << shift, type->size) : 0; }
    std::size_t run(std::size_t first, std::size_t end) const noexcept {
        if (first < apart()) return 1;
        const std::size_t grain = std::size_t{1} << shift;
        const auto* const begin = static_cast<const std::byte*>(ptr(first));
        std::size_t next = first + grain;
        while (next < end && ptr(next) == begin + (next - first) * type->size) next += grain;
        return (next < end ? next : end) - first;
    }
};

} // namespace detail

/// One column of a container: a type-erased value for every live slot. A few words wide; passed by value. Also made of the
/// ColumnView of any container, so that one function serves types that are known and types that are not.
/// @tparam Void void or const void @invalidates itself when the container grows, shrinks, moves or dies
template <class Void>
class BasicAnyColumnView {
    template <class T>
    using like = std::conditional_t<std::is_const_v<Void>, const T, T>;

public:
    class iterator;
    class chunk_iterator;

    /// For containers: a view of these pages under this directory.
    BasicAnyColumnView(const detail::AnyPages& pages, detail::DirectoryView directory) noexcept
        : pages_(pages), directory_(directory) {}
    /// The view of a column of Ts.
    template <class T>
        requires(std::is_const_v<Void> || !std::is_const_v<T>)
    BasicAnyColumnView(const ColumnView<T>& view) noexcept
        : pages_{&TypeDescriptor::of<std::remove_const_t<T>>(), &detail::page_calls<&detail::typed_ptr<T>>, view.pages().pages,
                 view.pages().shift},
          directory_(view.directory()) {}
    /// From one whose values may be changed.
    operator BasicAnyColumnView<const void>() const noexcept { return {pages_, directory_}; }

    const TypeDescriptor& type() const noexcept { return *pages_.type; }
    /// The address of the value of `slot`: one indirect call. @pre slot is live (checked at level fast)
    Void* operator[](slot_t slot) const noexcept {
        SLOTWISE_EXPECT(contains(slot), "AnyColumnView[slot]: the slot is not live; ask contains(slot) first");
        return pages_.ptr(slot);
    }
    /// The address of the value of the element that `handle` names, or null when it was erased. Any bit pattern is allowed.
    template <AnyHandle H>
    Void* get(H handle) const noexcept {
        return contains(handle) ? pages_.ptr(handle.index()) : nullptr;
    }
    bool contains(slot_t slot) const noexcept { return directory_.live.test(slot); }
    template <AnyHandle H>
    bool contains(H handle) const noexcept {
        return contains(slot_t{handle.index()}) && directory_.version(handle.index()) == handle.version();
    }
    /// Whether no slot is live.
    bool empty() const noexcept { return directory_.live.none(); }
    /// One past the highest slot in use.
    std::size_t slot_end() const noexcept { return directory_.live.size(); }
    Occupancy occupancy() const noexcept { return directory_.live; }
    SlotRange live_slots() const noexcept { return SlotRange(directory_.live); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// The address of the value in `slot`, live or removed and still readable. @pre its slot is one of the container
    Void* ptr(slot_t slot) const noexcept { return pages_.ptr(slot); }

    /// Where the values lie, including those of removed elements.
    const detail::AnyPages& pages() const noexcept { return pages_; }

    /// Addresses of live values, in slot order.
    iterator begin() const noexcept { return {*this, directory_.live.find_next(0)}; }
    iterator end() const noexcept { return {*this, no_slot}; }
    /// Runs of consecutive slots whose values are contiguous; adjacent pages are one run.
    detail::IteratorRange<chunk_iterator> chunks() const noexcept;
    /// Calls f(address) or f(slot, address) for every live value in slot order. f may erase the element it is given.
    template <class F>
    void for_each(F&& f) const {
        for (const slot_t slot : live_slots()) {
            if constexpr (detail::takes_name<F, slot_t, Void*>())
                f(slot, static_cast<Void*>(pages_.ptr(slot)));
            else
                f(static_cast<Void*>(pages_.ptr(slot)));
        }
    }

private:
    detail::AnyPages pages_;
    detail::DirectoryView directory_;
};

template <class Void>
class BasicAnyColumnView<Void>::iterator
    : public detail::IteratorFacade<iterator, Void*, Void*, std::bidirectional_iterator_tag> {
public:
    iterator() noexcept = default;
    /// For views: at `slot`, which is live, or at the end (no_slot).
    iterator(const BasicAnyColumnView& view, slot_t slot) noexcept
        : pages_(view.pages_), live_(view.directory_.live), at_(slot) {}
    slot_t slot() const noexcept { return at_.slot(); }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

private:
    friend detail::IteratorFacade<iterator, Void*, Void*, std::bidirectional_iterator_tag>;
    Void* dereference() const noexcept { return pages_.ptr(at_.slot()); }
    void increment() noexcept { at_.advance(live_); }
    void decrement() noexcept { at_.step_back(live_); }

    detail::AnyPages pages_{};
    Occupancy live_{};
    detail::LiveCursor at_{};
};

template <class Void>
class BasicAnyColumnView<Void>::chunk_iterator
    : public detail::IteratorFacade<chunk_iterator, AnyColumnChunk<Void>, AnyColumnChunk<Void>> {
public:
    chunk_iterator() noexcept = default;
    /// For views: at the chunk that begins with slot `first`.
    chunk_iterator(const BasicAnyColumnView& view, std::size_t first) noexcept
        : pages_(view.pages_), live_(view.directory_.live), first_(first) {}
    friend bool operator==(const chunk_iterator& a, const chunk_iterator& b) noexcept { return a.first_ == b.first_; }

private:
    friend detail::IteratorFacade<chunk_iterator, AnyColumnChunk<Void>, AnyColumnChunk<Void>>;
    AnyColumnChunk<Void> dereference() const noexcept {
        const auto first = static_cast<slot_t>(first_);
        const std::size_t slot_count = pages_.run(first_, live_.size());
        return {first,
                {*pages_.type, pages_.ptr(first_), slot_count},
                detail::chunk_live(first_, slot_count, pages_.apart(), live_)};
    }
    void increment() noexcept { first_ = detail::chunk_from(first_ + pages_.run(first_, live_.size()), pages_.apart(), live_); }

    detail::AnyPages pages_{};
    Occupancy live_{};
    std::size_t first_ = 0;
};

template <class Void>
detail::IteratorRange<typename BasicAnyColumnView<Void>::chunk_iterator> BasicAnyColumnView<Void>::chunks() const noexcept {
    const chunk_iterator first(*this, detail::chunk_from(0, pages_.apart(), directory_.live)), last(*this, slot_end());
    std::size_t count = 0;
    for (chunk_iterator it = first; it != last; ++it) ++count;
    return {first, last, count};
}

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

/// PagedArray for a type that is known at run time: raw memory for a value of `type` a slot, in pages that never move, and the
/// operations of the type by slot.
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

    AnyPages pages() const noexcept { return {type_, &page_calls<&erased_ptr>, table_.data(), shift_}; }

    void copy(slot_t slot, const void* from) {
        if (type_->trivial) return copy_bytes(ptr(slot), from, type_->size);
        type_->copy(ptr(slot), from);
    }
    void move(slot_t slot, void* from) {
        if (type_->trivial)
            copy_bytes(ptr(slot), from, type_->size);
        else if (type_->move != nullptr)
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

/// It owns nothing. Iterators outlive it.
template <class Void>
inline constexpr bool std::ranges::enable_view<slotwise::BasicAnyColumnView<Void>> = true;
template <class Void>
inline constexpr bool std::ranges::enable_borrowed_range<slotwise::BasicAnyColumnView<Void>> = true;

#endif
