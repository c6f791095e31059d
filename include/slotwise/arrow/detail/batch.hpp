// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// From the columns of a container to batches: ArrowColumn and ArrowSource say where values are and how they are gathered into a
// buffer, and ArrowBatcher decides which rows are shared in place and which are gathered. ArrowGather is the last class that
// knows the type of a column.
#ifndef SLOTWISE_ARROW_DETAIL_BATCH_HPP
#define SLOTWISE_ARROW_DETAIL_BATCH_HPP

#include "../../memory/aligned_array.hpp"
#include "../../memory/occupancy.hpp"
#include "../fields.hpp"
#include "../options.hpp"
#include "exported_structs.hpp"

#include <algorithm>
#include <bit>
#include <memory>

SLOTWISE_BEGIN

namespace detail {

//=== buffers ===//

/// Whole cache lines of bytes.
using ArrowBuffer = AlignedArray<std::byte>;

/// Makes room for `bytes`. A buffer of no bytes gets an address too.
inline void allocate_arrow(ArrowBuffer& buffer, std::size_t bytes) {
    ArrowBuffer fresh = buffer.sized(bytes == 0 ? 1 : bytes);
    buffer.swap(fresh);
}
/// Makes room for `bytes`, all zero.
inline void allocate_arrow_zeros(ArrowBuffer& buffer, std::size_t bytes) {
    allocate_arrow(buffer, bytes);
    std::memset(buffer.data(), 0, bytes == 0 ? 1 : bytes);
}
/// Bytes of a bitmap, in whole words.
inline std::size_t bitmap_bytes(std::size_t rows) noexcept { return bits::word_count(rows) * sizeof(bits::word_t); }
inline void set_arrow_bit(std::byte* bitmap, std::size_t row) noexcept {
    bitmap[row / 8] |= static_cast<std::byte>(1u << (row % 8));
}
/// Writes word number `w` of a bitmap, whose lowest byte comes first on every machine.
inline void put_bitmap_word(std::byte* bitmap, std::size_t w, bits::word_t word) noexcept {
    if constexpr (std::endian::native == std::endian::little)
        std::memcpy(bitmap + w * sizeof word, &word, sizeof word);
    else
        for (unsigned i = 0; i != sizeof word; ++i) bitmap[w * sizeof word + i] = static_cast<std::byte>(word >> (8 * i));
}

/// The number of bits in `n` words. Bits are summed up by bytes, for many words at once. Where the baseline has no popcount
/// instruction, this takes a third of the time of one word after the other.
std::size_t count_bits(const bits::word_t* words, std::size_t n) noexcept;

//=== columns ===//

/// The rows of a segment that are in a batch: those in [first, end) that are live, or all of them.
struct ArrowRows {
    std::size_t first = 0, end = 0;
    const bits::word_t* live = nullptr; ///< a bit for each row of the segment; null if all are live
    bool every_slot = false;            ///< whether rows that are not live are in the batch too, as nulls
    std::size_t count = 0;              ///< the number of rows in the batch

    /// The bits of word `w` that are in the range.
    bits::word_t word(std::size_t w) const noexcept {
        bits::word_t result = live[w];
        if (w == bits::word_of(first)) result &= bits::full_word << (first % bits::word_bits);
        if (w == bits::word_of(end)) result &= bits::low_mask(static_cast<unsigned>(end % bits::word_bits));
        return result;
    }
    /// The number of live rows in the range.
    std::size_t count_live() const noexcept;
    /// Calls run(row, place, n) for long runs of adjacent live rows, and one(row, place) for other live rows. `place` is the
    /// place of the row in the batch.
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

/// Where the values of a column are: page p of 2^shift rows begins at address number p of a table.
struct ArrowSource {
    /// The addresses. They belong to the container, and as its bits of liveness they are stable while it is exported.
    const void* table = nullptr;
    unsigned shift = 0;
    std::size_t stride = 0;
    /// The slot of each row, if rows are packed and this column is by slot; otherwise null.
    std::shared_ptr<const std::vector<slot_t>> slot_list{};
    std::shared_ptr<const std::vector<const void*>> own_table{}; ///< the table, if the container has none
    const void* container = nullptr;                             ///< of a column that is computed
    bool absent = false;                                         ///< whether all rows are null

    const std::byte* page(std::size_t p) const noexcept { return page_in(table, p); }
    /// The address is copied as bytes, because aliasing rules forbid to read a T* as another type.
    static const std::byte* page_in(const void* table, std::size_t p) noexcept {
        const std::byte* begin = nullptr;
        std::memcpy(&begin, static_cast<const std::byte*>(table) + p * sizeof begin, sizeof begin);
        return begin;
    }
    const std::byte* at(std::size_t row) const noexcept {
        return page(row >> shift) + (row & ((std::size_t{1} << shift) - 1)) * stride;
    }
    /// How many rows from `first` on are contiguous in memory, up to `end`.
    std::size_t run(std::size_t first, std::size_t end) const noexcept {
        std::size_t p = first >> shift;
        const std::size_t last = (end - 1) >> shift, page_bytes = stride << shift;
        if (p == last) return end - first;
        const auto address = [this](std::size_t page_number) { return reinterpret_cast<std::uintptr_t>(page(page_number)); };
        std::uintptr_t next = address(p);
        for (std::uintptr_t gaps = 0; last - p >= 16; p += 16) { // one branch for 16 pages takes half the time
            for (std::size_t i = 1; i <= 16; ++i) gaps |= (next += page_bytes) ^ address(p + i);
            if (gaps != 0) break;
        }
        for (next = address(p) + page_bytes; p != last && address(p + 1) == next; next += page_bytes) ++p;
        return p == last ? end - first : ((p + 1) << shift) - first;
    }
};
/// The shift of a single page for all rows: no count of rows reaches half of the address space.
inline constexpr unsigned one_arrow_page = sizeof(std::size_t) * 8 - 1;

/// Values in pages of which the container has no table. @param page returns the address of the first value of a page
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

/// The buffers of a gathered column.
struct ArrowData {
    ArrowBuffer values{}, offsets{};
    std::size_t most_text = 0x7FFF'FFFF; ///< bytes of text that the offsets can reach
};

/// One column of an export.
struct ArrowColumn {
    std::string name{};
    const char* format = "";
    bool text = false;     ///< whether it has three buffers instead of two
    bool shares = false;   ///< whether the memory of the values is that of an Arrow buffer
    bool stamped = false;  ///< whether it is null where the element was never written
    bool optional = false; ///< whether it is null in segments that lack it
    /// Fills the buffers. Returns false if the rows have more text than the offsets can reach.
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

/// Copies a text. Most texts are short, and a call of memcpy takes longer than to copy one.
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

    /// Calls one(value, place) for each live row of a batch, in order. `one` is passed by value, with the pointers that it
    /// holds: it writes bytes, which might alias them otherwise.
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
        // Too much text is found at the end, and the offsets are dropped then. Rows that are not live have an empty text.
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

/// Gathers a column of handles, which the container computes from slots.
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

/// The column of values of T, or of a member of them.
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

/// Calls f(column) for each column of a T: one, or one for each field.
template <class T, class F>
void for_each_arrow_column(const char* name, F&& f) {
    if constexpr (ArrowColumnOf<T>::by_itself)
        f(arrow_column<T>(name));
    else
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (f(arrow_column<T, FieldValue<T, Nth>>(std::get<Nth>(ArrowFields<T>::members).name)), ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(ArrowFields<T>::members)>>>());
}

//=== plans ===//

/// Rows whose columns have the same sources: all rows of a container, or those of one table of a store.
struct ArrowSegment {
    std::size_t rows = 0;
    const bits::word_t* live = nullptr; ///< a bit for each row; null if all are live
    std::vector<ArrowSource> sources{}; ///< one for each column
    /// Sets the bit of each row of a batch that was ever written, and returns their number. Null if all rows were written.
    std::size_t (*written)(const ArrowSource& stamps, const ArrowRows& rows, std::byte* bitmap) = nullptr;
    ArrowSource stamps{};
};

/// All that an export needs to know about a container.
struct ArrowPlan {
    std::vector<ArrowColumn> columns{};
    std::vector<ArrowSegment> segments{};
    ExportOptions options{};
    std::size_t most_text = ArrowData().most_text; ///< bytes of text in a column of a batch

    /// Whether the schema declares that the column may have nulls.
    bool is_nullable(const ArrowColumn& column) const noexcept {
        return column.stamped || column.optional || options.rows == Rows::all_slots;
    }
};

/// The schema of all batches of a plan: a struct of the columns.
void make_schema(const ArrowPlan& plan, ArrowSchema* out, const ArrowPairs& metadata = {});

//=== batches ===//

/// What a column of a batch owns.
struct ArrowNode {
    std::array<const void*, 3> buffers{};
    ArrowData data{};                    ///< of a gathered column
    std::shared_ptr<const void> owner{}; ///< of the memory of a shared column
    std::shared_ptr<const ArrowBuffer> nulls{};
};
/// A column of a batch, which takes the node. @param shared the values, if they are not gathered in the node's data
ArrowArray make_column(std::unique_ptr<ArrowNode> node, std::size_t rows, std::size_t nulls, bool text,
                       const void* shared = nullptr);

/// Writes the bits of liveness of the rows as a bitmap, whose first bit is that of row `first`.
void copy_live_bits(const ArrowRows& rows, std::byte* bitmap) noexcept;

/// Makes the batches of a plan, one after the other.
class ArrowBatcher {
public:
    /// @param owner of the memory that is shared; null: everything is gathered
    ArrowBatcher(ArrowPlan plan, std::shared_ptr<const void> owner);

    void make_schema(ArrowSchema* out) const { detail::make_schema(plan_, out); }

    /// The next batch, or a released one at the end, where the owner is given up too.
    /// @throws std::length_error if one text has 2 GiB or more; std::bad_alloc; the next call tries the same rows again
    OwnedArray next();

private:
    /// Rows [begin, end), which are shared.
    struct Piece {
        std::size_t begin, end;
    };

    /// Finds the pieces of a segment in one pass over its bits.
    void enter(const ArrowSegment& segment);
    /// Chooses the rows of the next batch, from row_ on; none at the end. Returns whether they are shared.
    bool choose(const ArrowSegment& segment, ArrowRows& rows) noexcept;

    /// The first live row from `row` on.
    static std::size_t first_live(const ArrowSegment& segment, std::size_t row) noexcept;
    /// The first row that is not live, behind the live row `row`.
    static std::size_t live_end(const ArrowSegment& segment, std::size_t row) noexcept;
    /// Where the next run begins that may have `least` live rows. @pre `row` is not inside of a run
    static std::size_t run_begin(const ArrowSegment& segment, std::size_t row, std::size_t least) noexcept;
    /// The end of the longest range of rows from `first` up to `limit` with at most `most` live rows.
    static std::size_t end_of(const ArrowSegment& segment, std::size_t first, std::size_t limit, std::size_t most) noexcept;
    /// How many rows from `row` on, below `end`, are contiguous in each column that shares.
    std::size_t shared_run(const ArrowSegment& segment, std::size_t row, std::size_t end) const noexcept;
    bool is_shared(const ArrowSegment& segment, std::size_t column) const noexcept;
    bool shares_here(const ArrowSegment& segment) const noexcept;

    /// Makes a batch; nothing if it would have too much text.
    OwnedArray make(const ArrowSegment& segment, const ArrowRows& rows, bool share) const;
    struct Nulls {
        std::size_t count = 0;
        std::shared_ptr<const ArrowBuffer> bitmap{};
    };
    /// A bitmap that write(bytes) fills. @tparam Zeros whether it is zeroed before, for a `write` that only sets bits
    template <bool Zeros = true, class Write>
    static std::shared_ptr<const ArrowBuffer> bitmap(const ArrowRows& rows, Write&& write) {
        auto buffer = std::make_shared<ArrowBuffer>();
        if constexpr (Zeros)
            allocate_arrow_zeros(*buffer, bitmap_bytes(rows.count));
        else
            allocate_arrow(*buffer, bitmap_bytes(rows.count));
        write(buffer->data());
        return buffer;
    }

    ArrowPlan plan_;
    std::shared_ptr<const void> owner_;
    bool shares_ = false, entered_ = false;
    std::size_t segment_ = 0, row_ = 0, piece_ = 0;
    std::vector<Piece> pieces_{}; ///< of the segment
};

} // namespace detail

SLOTWISE_END

#if SLOTWISE_BODIES
#include "batch.inl.hpp"
#endif

#endif
