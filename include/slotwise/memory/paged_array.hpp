// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// PagedArray: raw storage for one T a slot, in pages that never move.
#ifndef SLOTWISE_MEMORY_PAGED_ARRAY_HPP
#define SLOTWISE_MEMORY_PAGED_ARRAY_HPP

#include "../core/detail/bits.hpp"
#include "../core/scope_guard.hpp"
#include "../fwd.hpp"
#include "allocator.hpp"

#include <compare>
#include <cstring>

SLOTWISE_BEGIN

/// A run of consecutive slots whose values lie side by side in memory.
template <class T>
struct SlotRun {
    T* data;                ///< value of the first slot; elements are alive where the directory says so
    slot_t first;           ///< number of the first slot
    std::size_t slot_count; ///< how many
};

namespace detail {

/// Pages of a PagedArray that were allocated together.
struct PageChunk {
    std::uint32_t first_page;
    std::uint32_t pages;
};

/// How many pages the chunk that begins with page `first` has, where the last one is page `want` - 1: see PageTable::reserve.
constexpr std::size_t chunk_pages(std::size_t first, std::size_t want, std::size_t most, std::size_t word) noexcept {
    const std::size_t room = most - first % word;
    return want - first < room ? want - first : room;
}

/// What the pages of an array are like. All element types of one size and alignment share what is made of it.
/// @tparam Bytes an allocator of bytes
template <class Bytes>
struct PageLayout {
    std::size_t page_slots;
    std::size_t page_bytes;
    std::size_t max_chunk_pages; ///< a multiple of word_pages
    std::size_t word_pages;      ///< that come together after the first word
    std::size_t line;            ///< chunks are whole lines of so many bytes, and begin with one
    void* (*obtain)(const Bytes&, std::size_t count, std::size_t size);
    void (*give_back)(const Bytes&, void* data, std::size_t count, std::size_t size) noexcept;
};

/// The steps by which pages come and go, without the type of what lies in them: a program with a hundred element types has them
/// once. The address of the page table has the type of the values, so the owner keeps it and passes it to each step. The list
/// of chunks follows the table. The entries of the table are pointers of any object type, which are copied as bytes. Both lie
/// behind the values of the first chunk while they are as short as there is room: an array of one page is one allocation.
/// Otherwise they have an allocation of their own. In constants bytes cannot become a T: the owner does the work.
/// @tparam Bytes an allocator of bytes
template <class Bytes>
struct PageTable {
    /// Room behind the first chunk, in entries of the table and of the list.
    static constexpr std::uint32_t few = 2;

    constexpr PageTable() noexcept(noexcept(Bytes())) = default;
    constexpr explicit PageTable(const Bytes& alloc) noexcept : allocator(alloc) {}
    constexpr PageTable(PageTable&& other) noexcept
        : allocator(other.allocator), entries(std::exchange(other.entries, 0)),
          more_chunks(std::exchange(other.more_chunks, 0)), pages(std::exchange(other.pages, 0)),
          chunk_count(std::exchange(other.chunk_count, 0)) {}
    PageTable(const PageTable&) = delete;
    PageTable& operator=(const PageTable&) = delete;
    PageTable& operator=(PageTable&&) = delete;
    SLOTWISE_NEVER_INLINE constexpr ~PageTable() {} // NOLINT(modernize-use-equals-default): out of line, one for all types
    SLOTWISE_NEVER_INLINE constexpr void swap(PageTable& other) noexcept {
        exchange_allocators(allocator, other.allocator);
        std::swap(entries, other.entries);
        std::swap(more_chunks, other.more_chunks);
        std::swap(pages, other.pages);
        std::swap(chunk_count, other.chunk_count);
    }

    /// The chunk with number i. @pre there is one
    PageChunk chunk(const void* table, std::size_t i) const noexcept {
        PageChunk found;
        std::memcpy(&found, static_cast<const std::byte*>(table) + bytes_of(entries, i), sizeof found);
        return found;
    }
    /// The pages that shrink(slots) keeps.
    SLOTWISE_NEVER_INLINE std::size_t kept_pages(const void* table, std::size_t slot_count,
                                                 std::size_t page_slots) const noexcept {
        std::size_t keep = chunk_count;
        while (keep != 0 && chunk(table, keep - 1).first_page * page_slots >= slot_count) --keep;
        return keep == 0 ? 0 : std::size_t{chunk(table, keep - 1).first_page} + chunk(table, keep - 1).pages;
    }
    /// Bytes that chunks, table and list take of the allocator.
    SLOTWISE_NEVER_INLINE std::size_t memory_usage(const void* table, const PageLayout<Bytes>& layout) const noexcept {
        std::size_t bytes = entries <= few ? 0 : bytes_of(entries, more_chunks), counted = 0;
        for (std::size_t i = 0; i != chunk_count && counted < layout.word_pages; ++i) { // those of the first word
            const PageChunk here = chunk(table, i);
            bytes += bits::round_up(chunk_bytes(here.first_page, here.pages, layout), layout.line);
            counted += here.pages;
        }
        return counted == pages ? bytes : bytes + chunk_bytes(counted, pages - counted, layout); // the others are whole lines
    }

    /// Adds chunks of at most `max_chunk_pages` pages, which end with a whole word of slots, until there are `want`. Returns
    /// the new address of the table, which doubles, as the list does, so that copying them is amortised.
    /// Throws what the allocator throws; nothing has changed then
    SLOTWISE_NEVER_INLINE void* reserve(void* table, std::size_t want, const PageLayout<Bytes>& layout) {
        if (want <= pages) return table;
        static_cast<void>(checked_bytes(want, layout.page_bytes)); // before pages are allocated in vain
        if (want > no_slot) throw_bad_array_new_length("PagedArray::reserve(slots): more pages than there are slots");
        const std::size_t whole = want - pages / layout.word_pages * layout.word_pages; // the first may begin inside of a word
        const std::size_t chunks = chunk_count + (whole + layout.max_chunk_pages - 1) / layout.max_chunk_pages;
        const Room before{entries, more_chunks};
        const std::uint32_t pages_before = pages;
        void* const grown = grown_tables(table, want, chunks);
        void* result = grown;
        ScopeGuard undo([&]() noexcept {
            release(result, pages_before, layout);
            if (grown != table) free_tables(grown);
            entries = before.entries;
            more_chunks = before.chunks;
        });
        while (pages < want) {
            const auto more = static_cast<std::uint32_t>(chunk_pages(pages, want, layout.max_chunk_pages, layout.word_pages));
            const std::size_t bytes = chunk_bytes(pages, more, layout);
            auto* data = static_cast<std::byte*>(layout.obtain(allocator, 1, bytes));
            if (entries == 0) {
                result = data + more * layout.page_bytes + padding(more * layout.page_bytes);
                entries = more_chunks = few;
            }
            auto* const places = static_cast<std::byte*>(result);
            const PageChunk here{pages, more};
            std::memcpy(places + bytes_of(entries, chunk_count++), &here, sizeof here);
            for (std::uint32_t i = 0; i != more; ++i, data += layout.page_bytes)
                std::memcpy(places + pages++ * sizeof data, &data, sizeof data);
        }
        undo.dismiss();
        if (grown != table && before.entries > few) free_tables(table, before);
        return result;
    }
    /// Frees every chunk that lies wholly at or above `slots`. Returns the table's address, null when no page is left.
    SLOTWISE_NEVER_INLINE void* shrink(void* table, std::size_t slot_count, const PageLayout<Bytes>& layout) noexcept {
        if (pages == 0) return table;
        release(table, kept_pages(table, slot_count, layout.page_slots), layout);
        if (pages != 0) return table;
        free_tables(table);
        entries = more_chunks = 0;
        return nullptr;
    }

    SLOTWISE_NO_UNIQUE_ADDRESS Bytes allocator{};
    std::uint32_t entries = 0;     ///< room in the table
    std::uint32_t more_chunks = 0; ///< room in the list
    std::uint32_t pages = 0, chunk_count = 0;

private:
    struct Room {
        std::uint32_t entries, chunks;
    };
    static constexpr std::size_t bytes_of(std::size_t entries, std::size_t chunks) noexcept {
        return entries * sizeof(void*) + chunks * sizeof(PageChunk);
    }
    static std::size_t padding(std::size_t bytes) noexcept {
        return (alignof(void*) - bytes % alignof(void*)) % alignof(void*);
    }
    /// After the first word chunks are whole lines: their pages are those of whole words, or else take a line more each than
    /// they may need. So memory_usage() need not look at each.
    static std::size_t chunk_bytes(std::size_t first_page, std::size_t pages, const PageLayout<Bytes>& layout) noexcept {
        const std::size_t bytes = pages * layout.page_bytes;
        if (first_page == 0) return bytes + padding(bytes) + bytes_of(few, few);
        return layout.word_pages > 1 ? bytes : pages * bits::round_up(layout.page_bytes, layout.line);
    }
    static std::uint32_t room_for(std::size_t want, std::size_t now) noexcept {
        const std::size_t twice = 2 * (now > few ? now : few);
        return static_cast<std::uint32_t>(want > twice || want > no_slot / 2 ? want : twice);
    }
    /// A table and a list with room for so many pages and chunks: these where they have it, else copies, or null when they will
    /// lie behind the first chunk.
    void* grown_tables(void* table, std::size_t want, std::size_t chunks) {
        if (entries == 0 && want <= few && chunks <= few) return table;
        if (want <= entries && chunks <= more_chunks) return table;
        const Room room{room_for(want, entries), room_for(chunks, more_chunks)};
        rebind_t<Bytes, void*> pointers(allocator);
        auto* const fresh =
            reinterpret_cast<std::byte*>(allocate_raw(pointers, bytes_of(room.entries, room.chunks) / sizeof(void*)));
        if (entries != 0) {
            const auto* const old = static_cast<const std::byte*>(table);
            std::memcpy(fresh, old, pages * sizeof(void*));
            std::memcpy(fresh + bytes_of(room.entries, 0), old + bytes_of(entries, 0), chunk_count * sizeof(PageChunk));
        }
        entries = room.entries;
        more_chunks = room.chunks;
        return fresh;
    }
    void free_tables(void* table) noexcept { free_tables(table, {entries, more_chunks}); }
    void free_tables(void* table, Room room) noexcept {
        if (room.entries <= few) return;
        rebind_t<Bytes, void*> pointers(allocator);
        deallocate_raw(pointers, static_cast<void**>(table), bytes_of(room.entries, room.chunks) / sizeof(void*));
    }
    /// Frees the chunks from page `keep` on, and what lies behind them. @pre a chunk begins there
    SLOTWISE_NEVER_INLINE void release(void* table, std::size_t keep, const PageLayout<Bytes>& layout) noexcept {
        while (chunk_count != 0) {
            const PageChunk last = chunk(table, chunk_count - 1);
            if (last.first_page < keep) break;
            --chunk_count;
            std::byte* data = nullptr;
            std::memcpy(&data, static_cast<std::byte*>(table) + last.first_page * sizeof data, sizeof data);
            layout.give_back(allocator, data, 1, chunk_bytes(last.first_page, last.pages, layout));
        }
        pages = static_cast<std::uint32_t>(keep);
    }
};

/// Slots in a page: those of one occupancy word, so that a map of one element stays small; about 4 KiB of values where these
/// have 256 bytes or more, see `scattered`. Pages are only the granularity of the page table. Memory comes in chunks that grow
/// with the array, up to 1 MiB, contiguous inside, because at a million elements short runs cost iteration with holes 2-4x
/// (pages of 1,024 slots against a flat array).
constexpr std::size_t default_page_slots(std::size_t value_bytes) noexcept {
    return value_bytes < 256 ? bits::word_bits : value_bytes < 4096 ? std::bit_floor(4096 / value_bytes) : 1;
}
/// Whether a page has fewer slots than a word. Walks then look up each value, at a negligible cost.
template <class T>
inline constexpr bool scattered = default_page_slots(sizeof(T)) < bits::word_bits;
/// The slots below which values may lie apart, where pages have so many slots: those of the first word, or all where 64 values
/// are more than 1 MiB. From there on a word's values lie side by side.
constexpr std::size_t slots_apart(std::size_t page_slots, std::size_t value_bytes) noexcept {
    if (page_slots >= bits::word_bits) return 0;
    return value_bytes > (std::size_t{1} << 20) / bits::word_bits ? ~std::size_t{0} : bits::word_bits;
}
/// The pages that come together after the first word: those of a word, or one.
constexpr std::size_t word_pages(std::size_t page_slots, std::size_t value_bytes) noexcept {
    return slots_apart(page_slots, value_bytes) == bits::word_bits ? bits::word_bits / page_slots : 1;
}
/// The pages for `slots` slots.
constexpr std::size_t pages_for(std::size_t slot_count, std::size_t page_slots, std::size_t word) noexcept {
    const std::size_t pages = slot_count / page_slots + (slot_count % page_slots != 0);
    return pages <= word || pages > no_slot * std::size_t{2} ? pages : bits::round_up(pages, word); // no sum overflows
}

/// How many pages growth adds to `pages`: one, then up to 4 KiB in all, twice as many up to 64 KiB, then an eighth.
SLOTWISE_NEVER_INLINE constexpr std::size_t more_pages(std::size_t pages, std::size_t page_bytes) noexcept {
    constexpr std::size_t again_bytes = std::size_t{1} << 16, most_bytes = std::size_t{1} << 20;
    if (pages == 0) return 1;
    if (pages * page_bytes < 4096 / 2) return 4096 / page_bytes - pages;
    const std::size_t again = pages * page_bytes < again_bytes ? pages : again_bytes / page_bytes;
    const std::size_t more = again > pages / 8 ? again : pages / 8, most = most_bytes / page_bytes + 1;
    return more == 0 ? 1 : more < most ? more : most;
}

/// Whether `address` lies in the array; <compare> orders unrelated pointers, which the built-in < need not.
template <class T>
constexpr bool lies_in(const T* address, const T* data, std::size_t count) noexcept {
    if (SLOTWISE_IN_CONSTANT) { // there even <compare> refuses pointers into different arrays
        for (std::size_t i = 0; i != count; ++i)
            if (address == data + i) return true;
        return false;
    }
    constexpr std::compare_three_way order;
    const bool reached = !std::is_lt(order(address, data)), before_end = std::is_lt(order(address, data + count));
    return reached & before_end; // one branch a run: where it lies is not predictable; of is_gteq g++ makes another
}

} // namespace detail

/// Raw memory for slots 0 to capacity() - 1, a T each, whose addresses never change. Constructs and destroys nothing: the
/// owner knows which slots are alive.
/// @tparam PageSlots slots in a page, a power of two of at least 64; 0 chooses by sizeof(T)
template <class T, class Allocator = std::allocator<T>, std::size_t PageSlots = 0>
class PagedArray {
    using allocator = detail::rebind_t<Allocator, T>;
    using Bytes = detail::rebind_t<Allocator, std::byte>;

public:
    /// Slots in a page.
    static constexpr std::size_t page_slots = PageSlots != 0 ? PageSlots : detail::default_page_slots(sizeof(T));
    static_assert(PageSlots == 0 || (std::has_single_bit(PageSlots) && PageSlots >= bits::word_bits),
                  "page_slots must be 0 or a power of two of at least 64: one occupancy word covers 64 slots");
    /// Whether all slots are one run.
    static constexpr bool contiguous = false;
    /// The slots below which values may lie apart. From there on 64 slots from a multiple of 64 on lie side by side.
    static constexpr std::size_t apart = detail::slots_apart(page_slots, sizeof(T));

    constexpr PagedArray() noexcept(noexcept(Allocator()))
        requires std::is_default_constructible_v<Allocator> // std::tuple asks
    = default;
    constexpr explicit PagedArray(const Allocator& alloc) noexcept : known_(Bytes(alloc)) {}
    constexpr PagedArray(PagedArray&& other) noexcept
        : known_(std::move(other.known_)), table_(std::exchange(other.table_, Table())) {}
    PagedArray(const PagedArray&) = delete;
    PagedArray& operator=(const PagedArray&) = delete;
    PagedArray& operator=(PagedArray&&) = delete;
    constexpr ~PagedArray() { shrink(0); }

    constexpr void swap(PagedArray& other) noexcept {
        known_.swap(other.known_);
        std::swap(table_.data_, other.table_.data_);
    }

    constexpr std::size_t capacity() const noexcept { return std::size_t{known_.pages} * page_slots; }
    /// The capacity after reserve(slots).
    constexpr std::size_t capacity_for(std::size_t slot_count) const noexcept {
        const std::size_t want = detail::pages_for(slot_count, page_slots, word_pages);
        return (want < known_.pages ? known_.pages : want) * page_slots;
    }
    /// Bytes held from the allocator: pages, and the tables of them.
    constexpr std::size_t memory_usage() const noexcept {
        if (SLOTWISE_IN_CONSTANT) return known_.pages * (page_slots * sizeof(T) + sizeof(T*));
        return known_.memory_usage(static_cast<const void*>(table_.data_), layout);
    }
    constexpr allocator get_allocator() const noexcept { return allocator(known_.allocator); }

    /// Where the values lie until the next reserve, shrink or swap. A loop that takes it before it checks a slot loads the page
    /// table's address once; for g++ 12 a load after a check stays in the loop.
    struct Places {
        T* const* pages; ///< the page table
        /// Where the value of `slot` lies. @pre slot < capacity()
        SLOTWISE_ALWAYS_INLINE constexpr T* operator()(slot_t slot) const noexcept {
            constexpr auto size = static_cast<slot_t>(page_slots); // of 32 bits, so that the division is one shift
            T* const value = pages[slot / size] + slot % size;
            SLOTWISE_ASSUME(value != nullptr);
            return value;
        }
    };
    /// All of them, found by slot.
    SLOTWISE_ALWAYS_INLINE constexpr Places places() const noexcept { return {table_.data_}; }
    /// Where the value of `slot` lies. @pre slot < capacity() @complexity O(1), one load
    SLOTWISE_ALWAYS_INLINE constexpr T* ptr(slot_t slot) const noexcept { return places()(slot); }

    /// The page table, for views: page p holds slots from p * page_slots on.
    constexpr T* const* pages() const noexcept { return table_.data_; }

    /// Makes room for slots below `slots`. @throws what the allocator throws; nothing has changed then
    constexpr void reserve(std::size_t slot_count) {
        if (SLOTWISE_IN_CONSTANT)
            reserve_in_constant(slot_count);
        else
            table_.data_ = static_cast<T**>(known_.reserve(static_cast<void*>(table_.data_),
                                                           detail::pages_for(slot_count, page_slots, word_pages), layout));
    }

    /// The capacity that growth asks for next: a page, 4 KiB, double up to 64 KiB, then an eighth more, at most 1 MiB more.
    /// Nothing is copied, so growing often is cheap. Doubling up to 1 MiB took a map of 8 + 8 bytes 4.4 bytes more an element
    /// on average.
    constexpr std::size_t grown_capacity() const noexcept {
        return (known_.pages + detail::more_pages(known_.pages, sizeof(T) * page_slots)) * page_slots;
    }

    /// The capacity after shrink(slots).
    constexpr std::size_t shrunk_capacity(std::size_t slot_count) const noexcept {
        if (SLOTWISE_IN_CONSTANT) return kept_in_constant(slot_count) * page_slots;
        return known_.kept_pages(static_cast<const void*>(table_.data_), slot_count, page_slots) * page_slots;
    }
    /// Frees every chunk that lies wholly at or above `slots`. @pre no value lives there
    constexpr void shrink(std::size_t slot_count) noexcept {
        if (SLOTWISE_IN_CONSTANT)
            shrink_in_constant(slot_count);
        else
            table_.data_ = static_cast<T**>(known_.shrink(static_cast<void*>(table_.data_), slot_count, layout));
    }

    /// The slots below the capacity as runs of contiguous memory, in slot order.
    constexpr std::size_t run_count() const noexcept { return known_.chunk_count; }
    /// Run number i of them.
    constexpr SlotRun<T> run(std::size_t i) const noexcept {
        const auto here = SLOTWISE_IN_CONSTANT ? chunk_in_constant(i) : known_.chunk(static_cast<const void*>(table_.data_), i);
        return {table_.data_[here.first_page], static_cast<slot_t>(std::size_t{here.first_page} * page_slots),
                here.pages * page_slots};
    }

    /// The slot whose value lies at `address`, or no_slot. @complexity linear in runs (1 MiB of values a run)
    constexpr slot_t slot_at(const T* address) const noexcept {
        for (std::size_t i = 0; i != run_count(); ++i) {
            const auto here = run(i);
            if (detail::lies_in(address, here.data, here.slot_count))
                return static_cast<slot_t>(here.first + static_cast<std::size_t>(address - here.data));
        }
        return no_slot;
    }

private:
    static constexpr std::size_t word_pages = detail::word_pages(page_slots, sizeof(T));
    static constexpr std::size_t max_chunk_pages =
        bits::round_up((std::size_t{1} << 20) / (sizeof(T) * page_slots) + 1, word_pages);

    // LineOf stands in the initializer, which is instantiated late: an element may have a map of its own type as a member.
    static constexpr detail::PageLayout<Bytes> layout{page_slots,
                                                      page_slots * sizeof(T),
                                                      max_chunk_pages,
                                                      word_pages,
                                                      sizeof(detail::LineOf<T>),
                                                      &detail::allocate_lines<detail::LineOf<T>, Bytes>,
                                                      &detail::deallocate_lines<detail::LineOf<T>, Bytes>};

    // In a constant bytes cannot become a T. There each page of the first word is a chunk, and then each word, without a list.
    static constexpr detail::PageChunk chunk_in_constant(std::size_t i) noexcept {
        const std::size_t first = i < word_pages ? i : (i - word_pages + 1) * word_pages;
        return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(i < word_pages ? 1 : word_pages)};
    }
    constexpr std::size_t kept_in_constant(std::size_t slot_count) const noexcept {
        const std::size_t keep = detail::pages_for(slot_count, page_slots, word_pages);
        return keep < known_.pages ? keep : known_.pages;
    }
    constexpr void reserve_in_constant(std::size_t slot_count) {
        const std::size_t want = capacity_for(slot_count) / page_slots;
        if (want == known_.pages) return;
        allocator values(known_.allocator);
        detail::rebind_t<Allocator, T*> pointers(known_.allocator);
        T** const grown = detail::allocate_raw(pointers, want);
        for (std::size_t page = 0; page != known_.pages; ++page) std::construct_at(grown + page, table_.data_[page]);
        while (known_.pages != want) {
            const auto chunk = chunk_in_constant(known_.chunk_count++);
            T* const data = detail::allocate_on_line(values, chunk.pages * page_slots);
            for (std::size_t i = 0; i != chunk.pages; ++i) std::construct_at(grown + known_.pages++, data + i * page_slots);
        }
        if (known_.entries != 0) detail::deallocate_raw(pointers, table_.data_, known_.entries);
        table_.data_ = grown;
        known_.entries = known_.pages;
    }
    constexpr void shrink_in_constant(std::size_t slot_count) noexcept {
        const std::size_t keep = kept_in_constant(slot_count);
        for (allocator values(known_.allocator); known_.pages != keep;) {
            const auto chunk = chunk_in_constant(--known_.chunk_count);
            detail::deallocate_on_line(values, table_.data_[chunk.first_page], chunk.pages * page_slots);
            known_.pages = chunk.first_page;
        }
        if (keep != 0 || known_.entries == 0) return;
        detail::rebind_t<Allocator, T*> pointers(known_.allocator);
        detail::deallocate_raw(pointers, std::exchange(table_.data_, nullptr), std::exchange(known_.entries, 0));
    }

    detail::PageTable<Bytes> known_{};
    struct Table {
        T** data_ = nullptr;
    };
    Table table_{}; // named as in AnyArray, for debuggers
};

SLOTWISE_END

#endif
