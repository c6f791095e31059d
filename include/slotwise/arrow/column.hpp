// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A column of an export: where the values lie, whether they can be shared there, and how they are gathered into a buffer. Types
// end here: what makes batches out of columns knows bytes only.
#ifndef SLOTWISE_ARROW_COLUMN_HPP
#define SLOTWISE_ARROW_COLUMN_HPP

#include "../memory/aligned_array.hpp"
#include "../memory/occupancy.hpp"
#include "fields.hpp"

#include <bit>
#include <memory>

SLOTWISE_BEGIN
namespace detail {

/// Whole cache lines of bytes.
using ArrowBuffer = AlignedArray<std::byte>;

/// Room for `bytes`, also for none: buffers of no bytes have an address too.
inline void allocate_arrow(ArrowBuffer& buffer, std::size_t bytes) {
    ArrowBuffer fresh = buffer.sized(bytes == 0 ? 1 : bytes);
    buffer.swap(fresh);
}
/// The same, all zero.
inline void allocate_arrow_zeros(ArrowBuffer& buffer, std::size_t bytes) {
    allocate_arrow(buffer, bytes);
    std::memset(buffer.data(), 0, bytes == 0 ? 1 : bytes);
}
/// Bytes of a bitmap, in whole words.
inline std::size_t bitmap_bytes(std::size_t rows) noexcept { return bits::word_count(rows) * sizeof(bits::word_t); }
inline void set_arrow_bit(std::byte* bitmap, std::size_t row) noexcept {
    bitmap[row / 8] |= static_cast<std::byte>(1u << (row % 8));
}
/// Word number `w` of a bitmap, whose bits go by bytes whatever the order of bytes in a word is.
inline void put_bitmap_word(std::byte* bitmap, std::size_t w, bits::word_t word) noexcept {
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(bitmap + w * sizeof word, &word, sizeof word);
    else
        for (unsigned i = 0; i != sizeof word; ++i) bitmap[w * sizeof word + i] = static_cast<std::byte>(word >> (8 * i));
}

/// The number of bits in `n` words. Bits are added up by bytes, for many words at once: a third of the time that one word after
/// the other takes where the processor's own instruction is not in the baseline.
inline std::size_t count_bits(const bits::word_t* words, std::size_t n) noexcept {
    constexpr bits::word_t ones = 0x0101'0101'0101'0101u;
    std::size_t total = 0;
    while (n != 0) {
        const std::size_t some = n < 31 ? n : 31; // a byte holds 31 times 8
        bits::word_t sum = 0;
        for (std::size_t i = 0; i != some; ++i) {
            bits::word_t x = words[i];
            x -= (x >> 1) & (ones * 0x55u);
            x = (x & (ones * 0x33u)) + ((x >> 2) & (ones * 0x33u));
            sum += (x + (x >> 4)) & (ones * 0x0Fu);
        }
        sum = (sum & 0x00FF'00FF'00FF'00FFu) + ((sum >> 8) & 0x00FF'00FF'00FF'00FFu);
        total += bits::to_size((sum * 0x0001'0001'0001'0001u) >> 48);
        words += some;
        n -= some;
    }
    return total;
}

/// Which rows of a segment are in a batch: those from `first` up to `end` that are live, or each of them.
struct ArrowRows {
    std::size_t first = 0, end = 0;
    const bits::word_t* live = nullptr; ///< a bit a row of the segment; null: all are live
    bool every_slot = false;            ///< rows that are not live are in the batch too, as nulls
    std::size_t count = 0;              ///< rows in the batch

    /// The bits of word `w` that are in the range.
    bits::word_t word(std::size_t w) const noexcept {
        bits::word_t result = live[w];
        if (w == bits::word_of(first)) result &= bits::full_word << (first % bits::word_bits);
        if (w == bits::word_of(end)) result &= bits::low_mask(static_cast<unsigned>(end % bits::word_bits));
        return result;
    }
    std::size_t count_live() const noexcept {
        if (live == nullptr || first == end) return end - first;
        const std::size_t begin = bits::word_of(first), last = bits::word_of(end - 1);
        if (begin == last) return bits::count(word(begin));
        return bits::count(word(begin)) + count_bits(live + begin + 1, last - begin - 1) + bits::count(word(last));
    }
    /// Calls run(row, place, n) for live rows side by side, the longer ones at once, and one(row, place) for others. `place` is
    /// where the row is in the batch.
    template <class Run, class One>
    void walk(Run&& run, One&& one) const {
        if (live == nullptr) return run(first, std::size_t{0}, end - first);
        std::size_t place = 0, begin = first, full = 0; // full words from row `begin` on
        const auto place_of = [&](std::size_t row, std::size_t n) {
            if (every_slot) return row - first;
            place += n;
            return place - n;
        };
        const auto flush = [&] {
            if (full != 0) run(begin, place_of(begin, full), full);
            full = 0;
        };
        for (std::size_t w = bits::word_of(first); w * bits::word_bits < end; ++w) {
            const bits::word_t here = word(w);
            if (here == bits::full_word) {
                if (full == 0) begin = w * bits::word_bits;
                full += bits::word_bits;
                continue;
            }
            flush();
            bits::for_each(here, [&](unsigned bit) {
                const std::size_t row = w * bits::word_bits + bit;
                one(row, place_of(row, 1));
            });
        }
        flush();
    }
};

/// Where the values of a column lie: page p of 2^shift rows begins at address p of a table.
struct ArrowSource {
    /// Addresses of objects of any type, of the container: as its liveness bits they stay while it is exported.
    const void* table = nullptr;
    unsigned shift = 0;
    std::size_t stride = 0;
    /// The slot of each row, for columns by slot of packed containers; null: pages are those of rows.
    std::shared_ptr<const std::vector<slot_t>> slot_list{};
    std::shared_ptr<const std::vector<const void*>> own_table{}; ///< where the container has none
    const void* container = nullptr;                             ///< of columns that are computed
    bool absent = false;                                         ///< all rows are null

    const std::byte* page(std::size_t p) const noexcept { return page_in(table, p); }
    /// Copied as bytes, because an object pointer is not read by another type's name.
    static const std::byte* page_in(const void* table, std::size_t p) noexcept {
        const std::byte* begin = nullptr;
        std::memcpy(&begin, static_cast<const std::byte*>(table) + p * sizeof begin, sizeof begin);
        return begin;
    }
    const std::byte* at(std::size_t row) const noexcept {
        return page(row >> shift) + (row & ((std::size_t{1} << shift) - 1)) * stride;
    }
    /// Rows from `first` on that are contiguous in memory, below `end`.
    std::size_t run(std::size_t first, std::size_t end) const noexcept {
        std::size_t p = first >> shift;
        const std::size_t last = (end - 1) >> shift, page_bytes = stride << shift;
        if (p == last) return end - first;
        const auto address = [this](std::size_t page_number) { return reinterpret_cast<std::uintptr_t>(page(page_number)); };
        std::uintptr_t next = address(p);
        for (std::uintptr_t gaps = 0; last - p >= 16; p += 16) { // one branch for many: half of the time
            for (std::size_t i = 1; i <= 16; ++i) gaps |= (next += page_bytes) ^ address(p + i);
            if (gaps != 0) break;
        }
        for (next = address(p) + page_bytes; p != last && address(p + 1) == next; next += page_bytes) ++p;
        return p == last ? end - first : ((p + 1) << shift) - first;
    }
};
/// One page for all rows: every count of rows is below half of the address space.
inline constexpr unsigned one_arrow_page = sizeof(std::size_t) * 8 - 1;

/// Values in pages that a container has in no table. @param page the address of the first value of a page
template <class Page>
ArrowSource arrow_pages(std::size_t slot_count, unsigned shift, std::size_t stride, Page&& page) {
    ArrowSource source;
    source.shift = shift;
    source.stride = stride;
    const std::size_t count = slot_count == 0 ? 0 : ((slot_count - 1) >> shift) + 1;
    auto table = std::make_shared<std::vector<const void*>>();
    table->reserve(count);
    for (std::size_t p = 0; p != count; ++p) table->push_back(page(p));
    source.table = table->data();
    source.own_table = std::move(table);
    return source;
}
/// Contiguous values.
template <class T>
ArrowSource arrow_span(const T* data) {
    return arrow_pages(1, one_arrow_page, sizeof(T), [data](std::size_t) { return data; });
}
/// Values in the pages of a table of pointers.
template <class T>
ArrowSource arrow_pages(unsigned shift, T* const* pages) {
    ArrowSource source;
    source.table = pages;
    source.shift = shift;
    source.stride = sizeof(T);
    return source;
}

/// The buffers of a column that was gathered.
struct ArrowData {
    ArrowBuffer values{}, offsets{};
    std::size_t most_text = 0x7FFF'FFFF; ///< bytes of text that the offsets reach
};

/// One column of an export.
struct ArrowColumn {
    std::string name{};
    const char* format = "";
    bool text = false;     ///< three buffers instead of two
    bool shares = false;   ///< the memory of the values is that of an Arrow buffer
    bool stamped = false;  ///< null where the element was never written
    bool optional = false; ///< null in segments that do not have it
    /// Fills the buffers. False if the rows have more text than the offsets reach.
    bool (*gather)(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) = nullptr;
};

/// The value itself, as a column.
template <class T>
struct WholeValue {
    using type = T;
    static constexpr const T& of(const T& value) noexcept { return value; }
};
/// Field I of ArrowFields<T>.
template <class T, std::size_t Nth>
struct FieldValue {
    static constexpr const auto& of(const T& value) noexcept { return std::get<Nth>(ArrowFields<T>::members)(value); }
    using type = std::remove_cvref_t<decltype(of(std::declval<const T&>()))>;
};

/// Short texts are most texts: a call of memcpy takes longer than they do.
inline void copy_text(char* to, const char* from, std::size_t size) noexcept {
    const auto both_ends = [&](auto word) {
        auto end = word;
        std::memcpy(&word, from, sizeof word);
        std::memcpy(&end, from + size - sizeof end, sizeof end);
        std::memcpy(to, &word, sizeof word);
        std::memcpy(to + size - sizeof end, &end, sizeof end);
    };
    if (size > 16)
        std::memcpy(to, from, size);
    else if (size >= 8)
        both_ends(std::uint64_t{});
    else if (size >= 4)
        both_ends(std::uint32_t{});
    else
        for (std::size_t i = 0; i != size; ++i) to[i] = from[i];
}

/// Gathers a column of values of T, projected by Part.
template <class T, class Part>
struct ArrowGather {
    using Value = typename Part::type;
    using Type = ArrowType<Value>;
    using Stored = typename Type::stored;
    static constexpr bool copies_memory = std::is_same_v<T, Value> && is_arrow_memory<Value>();

    /// Calls one(value, place) for each live row of a batch, in order. `one` holds its pointers by value: it writes to bytes,
    /// which a compiler must take for writes to anything.
    template <class One>
    static void read(const ArrowSource& from, const ArrowRows& rows, One one) {
        const std::size_t low = (std::size_t{1} << from.shift) - 1;
        const void* const table = from.table;
        const slot_t* const slot_list = from.slot_list ? from.slot_list->data() : nullptr;
        const unsigned shift = from.shift;
        const auto at = [=](std::size_t row) -> const T& {
            return *reinterpret_cast<const T*>(ArrowSource::page_in(table, row >> shift) + (row & low) * sizeof(T));
        };
        if (slot_list != nullptr) { // all rows of packed containers are live
            for (std::size_t row = rows.first; row != rows.end; ++row) one(Part::of(at(slot_list[row])), row - rows.first);
            return;
        }
        rows.walk(
            [&](std::size_t row, std::size_t place, std::size_t n) {
                for (std::size_t piece = 0; n != 0; row += piece, place += piece, n -= piece) {
                    piece = from.run(row, row + n);
                    const T* const values = &at(row);
                    for (std::size_t i = 0; i != piece; ++i) one(Part::of(values[i]), place + i);
                }
            },
            [&](std::size_t row, std::size_t place) { one(Part::of(at(row)), place); });
    }

    static bool gather(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) {
        if (from.absent) return gather_absent(rows, to);
        if constexpr (Type::layout == ArrowLayout::fixed)
            return gather_fixed(from, rows, to);
        else if constexpr (Type::layout == ArrowLayout::bits)
            return gather_bits(from, rows, to);
        else
            return gather_text(from, rows, to);
    }

private:
    static bool gather_absent(const ArrowRows& rows, ArrowData& to) {
        allocate_arrow_zeros(to.values, bitmap_bytes(rows.count) + rows.count * sizeof(Stored));
        if constexpr (Type::layout == ArrowLayout::text)
            allocate_arrow_zeros(to.offsets, (rows.count + 1) * sizeof(std::int32_t));
        return true;
    }
    static bool gather_fixed(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) {
        const std::size_t bytes = rows.count * sizeof(Stored);
        if (rows.every_slot && rows.live != nullptr)
            allocate_arrow_zeros(to.values, bytes); // rows that are not live stay so
        else
            allocate_arrow(to.values, bytes);
        auto* const out = reinterpret_cast<Stored*>(to.values.data());
        if constexpr (copies_memory) {
            if (!from.slot_list) {
                rows.walk(
                    [&](std::size_t row, std::size_t place, std::size_t n) {
                        for (std::size_t piece = 0; n != 0; row += piece, place += piece, n -= piece) {
                            piece = from.run(row, row + n);
                            std::memcpy(out + place, from.at(row), piece * sizeof(Stored));
                        }
                    },
                    [out, table = from.table, shift = from.shift, low = (std::size_t{1} << from.shift) - 1](std::size_t row,
                                                                                                            std::size_t place) {
                        std::memcpy(out + place, ArrowSource::page_in(table, row >> shift) + (row & low) * sizeof(T),
                                    sizeof(Stored));
                    });
                return true;
            }
        }
        read(from, rows, [out](const Value& value, std::size_t place) { out[place] = Type::encode(value); });
        return true;
    }
    static bool gather_bits(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) {
        allocate_arrow_zeros(to.values, bitmap_bytes(rows.count));
        std::byte* const out = to.values.data();
        bits::word_t word = 0;
        std::size_t w = 0;
        read(from, rows, [&word, &w, out](bool value, std::size_t place) {
            if (bits::word_of(place) != w) {
                put_bitmap_word(out, w, word);
                w = bits::word_of(place);
                word = 0;
            }
            word |= static_cast<bits::word_t>(value) << (place % bits::word_bits);
        });
        if (rows.count != 0) put_bitmap_word(out, w, word);
        return true;
    }
    static bool gather_text(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) {
        allocate_arrow(to.offsets, (rows.count + 1) * sizeof(std::int32_t));
        auto* const offsets = reinterpret_cast<std::int32_t*>(to.offsets.data());
        std::uint64_t total = 0;
        std::size_t done = 0;
        // What does not fit is found at the end: the offsets are not used then. Rows that are not live have no text.
        read(from, rows, [&total, &done, offsets](const Value& value, std::size_t place) {
            while (done <= place) offsets[done++] = static_cast<std::int32_t>(static_cast<std::uint32_t>(total));
            total += Type::encode(value).size();
        });
        if (total > to.most_text) return false;
        while (done <= rows.count) offsets[done++] = static_cast<std::int32_t>(total);
        allocate_arrow(to.values, bits::to_size(total));
        read(from, rows, [out = reinterpret_cast<char*>(to.values.data())](const Value& value, std::size_t) mutable {
            const std::string_view text = Type::encode(value);
            copy_text(out, text.data(), text.size());
            out += text.size();
        });
        return true;
    }
};

/// Gathers a column of the handles of a container that makes them of slots.
template <class C>
struct ArrowHandles {
    static bool gather(const ArrowSource& from, const ArrowRows& rows, ArrowData& to) {
        allocate_arrow_zeros(to.values, rows.count * sizeof(std::uint64_t));
        auto* const out = reinterpret_cast<std::uint64_t*>(to.values.data());
        const auto& container = *static_cast<const C*>(from.container);
        const auto one = [&](std::size_t row, std::size_t place) {
            out[place] = container.handle_at(from.slot_list ? (*from.slot_list)[row] : static_cast<slot_t>(row)).to_bits();
        };
        rows.walk(
            [&](std::size_t row, std::size_t place, std::size_t n) {
                for (std::size_t i = 0; i != n; ++i) one(row + i, place + i);
            },
            one);
        return true;
    }
};

/// The column of values of T, or of a part of them.
template <class T, class Part = WholeValue<T>>
ArrowColumn arrow_column(std::string name) {
    static_assert(ArrowColumnOf<typename Part::type>::by_itself, "Arrow: a field is a struct; name its members one by one, as "
                                                                 "field(\"x\", &T::position, &Position::x)");
    ArrowColumn column;
    column.name = std::move(name);
    column.format = format_of<typename Part::type>;
    column.text = ArrowType<typename Part::type>::layout == ArrowLayout::text;
    column.shares = ArrowGather<T, Part>::copies_memory;
    column.gather = &ArrowGather<T, Part>::gather;
    return column;
}

/// Calls f(column) for each column that values of T make: one, or one a field.
template <class T, class F>
void for_each_arrow_column(const char* name, F&& f) {
    if constexpr (ArrowColumnOf<T>::by_itself)
        f(arrow_column<T>(name));
    else
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (f(arrow_column<T, FieldValue<T, Nth>>(std::get<Nth>(ArrowFields<T>::members).name)), ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(ArrowFields<T>::members)>>>());
}

} // namespace detail
SLOTWISE_END

#endif
