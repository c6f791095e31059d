// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Foreign batches: columns are found by name, and all rows are checked before a value is read. ColumnReader reads one column,
// ColumnsReader the columns of a type, BatchReader a batch, and read_batches() a stream.
#ifndef SLOTWISE_ARROW_DETAIL_BATCH_READER_HPP
#define SLOTWISE_ARROW_DETAIL_BATCH_READER_HPP

#include "../../core/utf8.hpp"
#include "checksum.hpp"

#include <bit>
#include <limits>

SLOTWISE_BEGIN

namespace detail {

/// Why a stream is refused: the first reason.
class ArrowRefusal {
public:
    /// Says what is wrong with a column. Returns false.
    SLOTWISE_INLINE SLOTWISE_COLD bool column(std::string_view name, const std::string& what);
    /// Says what is wrong with the stream, the schema or a batch. Returns false.
    SLOTWISE_INLINE SLOTWISE_COLD bool whole(std::string what);
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

inline std::string quoted(const char* text) { return text == nullptr ? "null" : '"' + std::string(text) + '"'; }

/// A length or an offset as an index. @pre it was checked: it is not negative, and fits this machine
constexpr std::size_t to_index(std::int64_t number) noexcept { return static_cast<std::size_t>(number); }

/// Reads a number at any address, because other libraries need not align buffers.
template <class S>
S load_unaligned(const unsigned char* from, std::size_t index) noexcept {
    S value;
    std::memcpy(&value, from + index * sizeof(S), sizeof(S));
    return value;
}

/// Converts a number. Returns whether its value is the same then. @tparam D an integer
template <class S, class D>
constexpr bool same_number(S from, D& to) noexcept {
    to = static_cast<D>(from); // NOLINT(bugprone-signed-char-misuse): int8 is a number here
    return static_cast<S>(to) == from && (to < D{}) == (from < S{});
}

/// Bit `at` of a bitmap.
inline bool bit_at(const unsigned char* bytes, std::size_t at) noexcept { return (bytes[at / 8] >> at % 8 & 1) != 0; }

/// Refuses lengths, offsets and counts that are negative or do not fit this machine.
bool expect_extent(std::string_view name, const ArrowArray& array, ArrowRefusal& refusal);
/// Finds the validity bitmap; it is null if no row is null. Refuses a null count other than that of the bitmap.
bool find_validity(std::string_view name, const ArrowArray& array, const unsigned char*& validity, ArrowRefusal& refusal);

/// What columns of all types have: a name, a place in the schema, validity.
class ColumnBase {
public:
    explicit ColumnBase(const char* name) noexcept : name_(name) {}
    std::string_view name() const noexcept { return name_; }
    /// The place among the children, or -1.
    std::int64_t place() const noexcept { return place_; }
    /// Whether rows may be null.
    bool has_nulls() const noexcept { return validity_ != nullptr; }
    /// @pre row < rows
    bool is_null(std::size_t row) const noexcept { return has_nulls() && !bit_at(validity_, at_ + row); }
    /// Limits the bytes of text in all rows that are opened from now on to `*left`, which decreases. Buffers have no sizes in
    /// the C interface: only this keeps a damaged offset from leading beyond the end of a buffer.
    void limit_text(std::uint64_t* left) noexcept { text_left_ = left; }
    /// Refuses a column with a null. @param why the end of the sentence
    bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const;

protected:
    /// Notes the place, and refuses what no supported column has.
    bool take(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal);
    bool refuse_format(const char* format, const std::string& expected, ArrowRefusal& refusal) const {
        return refusal.column(name_, "has the format " + quoted(format) + ", not " + expected);
    }
    /// Checks what does not depend on the type. @param first and rows: the part of the array that is in the batch
    bool open_common(const ArrowArray& array, std::size_t first, std::size_t rows, std::int64_t buffers, bool or_more,
                     ArrowRefusal& refusal);
    const unsigned char* buffer(const ArrowArray& array, std::int64_t index) const noexcept {
        return static_cast<const unsigned char*>(array.buffers[index]);
    }
    bool refuse_buffer(std::int64_t index, ArrowRefusal& refusal) const {
        return refusal.column(name_, "has no buffer " + std::to_string(index));
    }

    /// Counts bytes of text before they are read, and refuses them beyond the limit.
    bool take_text(std::uint64_t size, ArrowRefusal& refusal);

    std::size_t at_ = 0; // the place of the first row in the buffers

private:
    std::uint64_t* text_left_ = nullptr; // bytes of text that the stream may still have; null if they are not limited
    const char* name_;
    std::int64_t place_ = -1;
    const unsigned char* validity_ = nullptr;
};

/// The column of a number, a bool, a text or a time: bind() once, open() for each batch, then [row].
template <class T>
class ColumnReader : public ColumnBase {
    using Type = ArrowType<T>;
    using Stored = typename Type::stored;
    static constexpr ArrowLayout layout = Type::layout;
    static constexpr bool is_plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;
    static constexpr bool is_integer = layout == ArrowLayout::fixed && is_plain && std::is_integral_v<Stored>;
    // Whether the buffer may hold a value that T lacks: 90 seconds for a T that counts minutes.
    static constexpr bool is_partial = layout == ArrowLayout::fixed && !is_plain && !is_arrow_memory<T>();
    static_assert(!std::is_same_v<T, std::string_view>,
                  "Arrow import: a std::string_view would refer to the batch, which is released; use std::string");

public:
    using ColumnBase::ColumnBase;

    /// Refuses a column of another type. Integers of any width fit integers if their values do; float32 fits a double.
    bool bind(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal) {
        if (!take(schema, place, refusal)) return false;
        const std::string_view format = schema.format;
        kind_ = format.empty() ? '\0' : format.back();
        if constexpr (layout == ArrowLayout::text) {
            // "u", "U" and "vu", or of bytes "z", "Z" and "vz".
            constexpr char letter = format_of<T>[0], large = letter == 'u' ? 'U' : 'Z';
            if (format.size() == 2 && format[0] == 'v' && format[1] == letter)
                kind_ = 'v';
            else if (format.size() == 1 && (kind_ == letter || kind_ == large))
                kind_ = kind_ == large ? 'U' : 'u';
            else
                return refuse_format(schema.format, letter == 'u' ? "utf8" : "binary", refusal);
        } else if constexpr (is_integer) {
            if (format.size() != 1 || std::string_view("cCsSiIlL").find(kind_) == std::string_view::npos)
                return refuse_format(schema.format, "an integer", refusal);
        } else if constexpr (std::is_same_v<T, double>) {
            if (format != "g" && format != "f") return refuse_format(schema.format, "float64 or float32", refusal);
        } else if constexpr (layout == ArrowLayout::fixed) {
            constexpr std::string_view expected = format_of<T>;
            // Any zone is accepted: it only says how times are displayed. The values are in UTC.
            const bool zoned = expected.size() > 4 && format.size() > 4 && format.substr(0, 4) == expected.substr(0, 4);
            if (format != expected && !zoned) return refuse_format(schema.format, quoted(format_of<T>), refusal);
        } else if (format != format_of<T>)
            return refuse_format(schema.format, quoted(format_of<T>), refusal);
        return true;
    }
    /// Checks all rows, so that reading needs no check. @param first and rows: the part of the array that is in the batch
    bool open(const ArrowArray& array, std::size_t first, std::size_t rows, ArrowRefusal& refusal) {
        if constexpr (layout == ArrowLayout::text) {
            if (!open_common(array, first, rows, 3, kind_ == 'v', refusal)) return false;
            if (kind_ == 'v') return open_views(array, rows, refusal) && expect_utf8(rows, refusal);
            return kind_ == 'U' ? open_text<std::int64_t>(array, rows, refusal) : open_text<std::int32_t>(array, rows, refusal);
        } else {
            if (!open_common(array, first, rows, 2, false, refusal)) return false;
            data_ = buffer(array, 1);
            if (rows == 0) return true;
            if (data_ == nullptr) return refuse_buffer(1, refusal);
            if constexpr (layout == ArrowLayout::fixed) {
                if (!convert(rows, refusal)) return false;
                data_ += from_ * sizeof(Stored);
                if constexpr (is_partial) return expect_values(rows, refusal);
            }
            return true;
        }
    }
    /// The value of a row, or the text as a std::string_view into the batch. @pre row < rows, and it is not null
    auto operator[](std::size_t row) const noexcept {
        if constexpr (layout == ArrowLayout::fixed)
            return Type::decode(load_unaligned<Stored>(data_, row));
        else if constexpr (layout == ArrowLayout::bits)
            return bit_at(data_, at_ + row);
        else
            return text(row);
    }

    /// Adds the rows to the checksum of the column.
    void add_to(ColumnChecksum& all, std::size_t rows) const noexcept {
        for (std::size_t row = 0; row != rows; ++row) {
            if (is_null(row))
                all.null();
            else if constexpr (layout == ArrowLayout::fixed)
                all.value(load_unaligned<Stored>(data_, row));
            else
                all.value((*this)[row]);
        }
    }

private:
    //=== numbers ===//

    // Converts the rows if the buffer has another width than T.
    bool convert([[maybe_unused]] std::size_t rows, [[maybe_unused]] ArrowRefusal& refusal) {
        from_ = at_;
        if constexpr (std::is_same_v<T, double>)
            return kind_ != 'f' || convert_each<float>(rows, refusal);
        else if constexpr (is_integer) {
            if (kind_ == format_of_number<Stored>()[0]) return true;
            switch (kind_) {
            case 'c':
                return convert_each<std::int8_t>(rows, refusal);
            case 'C':
                return convert_each<std::uint8_t>(rows, refusal);
            case 's':
                return convert_each<std::int16_t>(rows, refusal);
            case 'S':
                return convert_each<std::uint16_t>(rows, refusal);
            case 'i':
                return convert_each<std::int32_t>(rows, refusal);
            case 'I':
                return convert_each<std::uint32_t>(rows, refusal);
            case 'l':
                return convert_each<std::int64_t>(rows, refusal);
            default:
                return convert_each<std::uint64_t>(rows, refusal);
            }
        } else
            return true;
    }
    template <class S>
    bool convert_each(std::size_t rows, ArrowRefusal& refusal) {
        converted_.resize(rows);
        for (std::size_t row = 0; row != rows; ++row) {
            if (is_null(row)) continue;
            const S value = load_unaligned<S>(data_, at_ + row);
            if constexpr (std::is_floating_point_v<S>)
                converted_[row] = static_cast<T>(value);
            else if (!same_number(value, converted_[row]))
                return refusal.column(name(), "has " + std::to_string(value) + " in row " + std::to_string(row) +
                                                  ", which does not fit the format " + quoted(format_of<T>));
        }
        data_ = reinterpret_cast<const unsigned char*>(converted_.data());
        from_ = 0;
        return true;
    }
    // Refuses values that T lacks.
    bool expect_values(std::size_t rows, ArrowRefusal& refusal) const {
        for (std::size_t row = 0; row != rows; ++row)
            if (const auto stored = load_unaligned<Stored>(data_, row);
                !is_null(row) && Type::encode(Type::decode(stored)) != stored)
                return refusal.column(name(), "has " + std::to_string(stored) + " in row " + std::to_string(row) +
                                                  ", which is no value of the type here");
        return true;
    }

    //=== text ===//

    // A text in a column of views: up to 12 bytes lie in place of prefix, buffer and offset.
    struct View {
        std::int32_t size;
        char prefix[4];
        std::int32_t buffer, offset;
    };

    template <class Offset>
    bool open_text(const ArrowArray& array, std::size_t rows, ArrowRefusal& refusal) {
        offsets_ = buffer(array, 1);
        data_ = buffer(array, 2);
        if (rows == 0) return true;
        if (offsets_ == nullptr) return refuse_buffer(1, refusal);
        auto begin = load_unaligned<Offset>(offsets_, at_);
        if (begin < 0) return refuse_offset(0, begin, refusal);
        const auto first = begin;
        std::uint64_t size = 0; // without the text of null rows
        for (std::size_t row = 0; row != rows; ++row) {
            const auto end = load_unaligned<Offset>(offsets_, at_ + row + 1);
            if (end < begin) return refuse_offset(row + 1, end, refusal);
            if (!is_null(row)) size += static_cast<std::uint64_t>(end - begin);
            begin = end;
        }
        if (!take_text(size, refusal)) return false;
        if (sizeof(Offset) > sizeof(std::ptrdiff_t) && std::int64_t{begin} > (std::numeric_limits<std::ptrdiff_t>::max)())
            return refuse_offset(rows, begin, refusal);
        if (begin == first) return true;
        if (data_ == nullptr) return refuse_buffer(2, refusal);
        // The texts of all rows are adjacent and mostly ASCII: to check them at once is faster than one by one.
        const auto* const chars = reinterpret_cast<const char*>(data_);
        const bool all_counted = static_cast<std::uint64_t>(begin - first) == size;
        return (all_counted && is_ascii({chars + to_index(first), to_index(begin - first)})) || expect_utf8(rows, refusal);
    }
    /// Refuses a text that is not UTF-8. Bytes of null rows may be anything.
    bool expect_utf8(std::size_t rows, ArrowRefusal& refusal) const {
        if constexpr (format_of<T>[0] == 'u')
            for (std::size_t row = 0; row != rows; ++row)
                if (!is_null(row) && !is_utf8(text(row)))
                    return refusal.column(name(), "has a text in row " + std::to_string(row) + " that is not UTF-8");
        return true;
    }
    bool refuse_offset(std::size_t row, std::int64_t offset, ArrowRefusal& refusal) const {
        return refusal.column(name(), "has the offset " + std::to_string(offset) + " at row " + std::to_string(row) +
                                          ", which is negative, below the one before or beyond this machine's memory");
    }
    bool open_views(const ArrowArray& array, std::size_t rows, ArrowRefusal& refusal) {
        data_ = buffer(array, 1);
        buffers_ = array.buffers + 2;
        const std::int64_t count = array.n_buffers - 3; // before the buffer of their sizes
        const unsigned char* const sizes = buffer(array, array.n_buffers - 1);
        if (rows == 0) return true;
        if (data_ == nullptr) return refuse_buffer(1, refusal);
        if (count != 0 && sizes == nullptr) return refuse_buffer(array.n_buffers - 1, refusal);
        for (std::size_t row = 0; row != rows; ++row) {
            if (is_null(row)) continue;
            const View view = load_unaligned<View>(data_, at_ + row);
            if (view.size >= 0 && !take_text(static_cast<std::uint64_t>(view.size), refusal)) return false;
            if (view.size >= 0 && view.size <= 12) continue;
            if (view.size < 0 || view.buffer < 0 || view.buffer >= count || view.offset < 0) return refuse_view(row, refusal);
            const std::int64_t size = load_unaligned<std::int64_t>(sizes, to_index(view.buffer));
            if (buffers_[view.buffer] == nullptr) return refuse_buffer(2 + view.buffer, refusal);
            if (std::int64_t{view.offset} + view.size > size) return refuse_view(row, refusal);
        }
        return true;
    }
    bool refuse_view(std::size_t row, ArrowRefusal& refusal) const {
        return refusal.column(name(), "has a text in row " + std::to_string(row) + " that leads beyond its buffer");
    }
    std::string_view text(std::size_t row) const noexcept {
        const auto* const chars = reinterpret_cast<const char*>(data_);
        if (kind_ == 'v') {
            const std::size_t place = (at_ + row) * sizeof(View);
            const View view = load_unaligned<View>(data_, at_ + row);
            const std::size_t size = to_index(view.size);
            if (view.size <= 12) return {chars + place + 4, size};
            return {static_cast<const char*>(buffers_[view.buffer]) + view.offset, size};
        }
        const auto part = [&](auto begin, auto end) -> std::string_view {
            if (begin == end) return {};
            return {chars + to_index(begin), to_index(end - begin)};
        };
        if (kind_ == 'U')
            return part(load_unaligned<std::int64_t>(offsets_, at_ + row),
                        load_unaligned<std::int64_t>(offsets_, at_ + row + 1));
        return part(load_unaligned<std::int32_t>(offsets_, at_ + row), load_unaligned<std::int32_t>(offsets_, at_ + row + 1));
    }

    struct Nothing {};
    char kind_ = '\0';                       // the last letter of the format, or 'v' for views
    const unsigned char* data_ = nullptr;    // of fixed width: from the first row on
    std::size_t from_ = 0;                   // the first row in data_
    const unsigned char* offsets_ = nullptr; // of text
    const void* const* buffers_ = nullptr;   // of text in views
    std::vector<std::conditional_t<layout == ArrowLayout::fixed, Stored, char>> converted_;
};

/// The columns of a T: one with this name, or those of ArrowFields<T>.
template <class T>
class ColumnsReader {
public:
    explicit ColumnsReader(const char* name) noexcept : column_(name) {}
    /// Calls f(reader) for each column until it returns false.
    template <class F>
    bool each(F&& f) {
        return f(column_);
    }
    bool has_nulls() const noexcept { return column_.has_nulls(); }
    bool is_null(std::size_t row) const noexcept { return column_.is_null(row); }
    bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const {
        return column_.expect_no_null(rows, why, refusal);
    }
    bool expect_one_validity(std::size_t, ArrowRefusal&) const noexcept { return true; }
    auto operator[](std::size_t row) const noexcept { return column_[row]; }

private:
    // If T has no column, ArrowColumnOf says what to write, and int prevents further errors.
    ColumnReader<std::conditional_t<ArrowColumnOf<T>::by_itself, T, int>> column_;
};
template <class T>
    requires(!ArrowValue<T> && HasArrowFields<T>)
class ColumnsReader<T> {
    template <class Field>
    using ReaderOf = ColumnReader<std::remove_cvref_t<decltype(std::declval<const Field&>()(std::declval<const T&>()))>>;
    template <class... Fields>
    static std::tuple<ReaderOf<Fields>...> readers_of(const std::tuple<Fields...>&);
    static_assert(std::is_default_constructible_v<T>,
                  "Arrow import: a T is made by T() first, and then its members are written");

public:
    explicit ColumnsReader(const char*)
        : columns_(std::apply([](const auto&... field) { return Columns(field.name...); }, ArrowFields<T>::members)) {}
    template <class F>
    bool each(F&& f) {
        return std::apply([&](auto&... column) { return (f(column) && ...); }, columns_);
    }
    bool has_nulls() const noexcept { return std::get<0>(columns_).has_nulls(); }
    bool is_null(std::size_t row) const noexcept { return std::get<0>(columns_).is_null(row); }
    bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const {
        return std::apply([&](const auto&... column) { return (column.expect_no_null(rows, why, refusal) && ...); }, columns_);
    }
    /// Refuses a row in which some members are null and others are not.
    bool expect_one_validity(std::size_t rows, ArrowRefusal& refusal) const {
        return std::apply(
            [&](const auto&... column) {
                if (!(column.has_nulls() || ...)) return true;
                for (std::size_t row = 0; row != rows; ++row)
                    if (const bool null = is_null(row); ((column.is_null(row) != null) || ...))
                        return refusal.column(std::get<0>(columns_).name(),
                                              "and the other members of its struct are not null in the same rows, see row " +
                                                  std::to_string(row));
                return true;
            },
            columns_);
    }
    T operator[](std::size_t row) const {
        T value{};
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (static_cast<void>(std::get<Nth>(ArrowFields<T>::members)(value) = std::get<Nth>(columns_)[row]), ...);
        }(std::make_index_sequence<std::tuple_size_v<Columns>>{});
        return value;
    }

private:
    using Columns = decltype(readers_of(ArrowFields<T>::members));
    Columns columns_;
};

/// The columns of values of a set, which has none, for reading and for building.
struct NoColumns {
    explicit NoColumns(const char*, bool = false) noexcept {}
    template <class F>
    bool each(F&&) const noexcept {
        return true;
    }
    bool expect_one_validity(std::size_t, ArrowRefusal&) const noexcept { return true; }
    bool expect_no_null(std::size_t, const char*, ArrowRefusal&) const noexcept { return true; }
    void reserve(std::size_t) const noexcept {}
    template <class V>
    void add(const V&) const noexcept {}
    void add_null() const noexcept {}
    template <class Columns>
    void finish(Columns&) const noexcept {}
};
/// The reader of values of T, which is void for a set.
template <class T>
using ValueReader =
    typename std::conditional_t<std::is_void_v<T>, std::type_identity<NoColumns>, std::type_identity<ColumnsReader<T>>>::type;

/// Reads batches that have the columns of these readers and no others.
template <class... Readers>
class BatchReader {
public:
    explicit BatchReader(Readers&... readers) noexcept : readers_(readers...) {}

    /// Finds the columns by name. Refuses missing, unexpected and wrong ones.
    bool bind(const ArrowSchema& schema, ArrowRefusal& refusal) {
        if (schema.format == nullptr || std::string_view(schema.format) != "+s")
            return refusal.whole("the stream has the format " + quoted(schema.format) + ", not batches of rows, \"+s\"");
        if (schema.n_children < 0 || (schema.n_children != 0 && schema.children == nullptr))
            return refusal.whole("the schema has " + std::to_string(schema.n_children) + " children, or no list of them");
        for (std::int64_t place = 0; place != schema.n_children; ++place) {
            const ArrowSchema* const child = schema.children[place];
            if (child == nullptr) return refusal.whole("the schema has no child " + std::to_string(place));
            if (child->release == nullptr) // its texts are gone
                return refusal.whole("child " + std::to_string(place) + " of the schema was released, or moved out of it");
            const std::string_view name = child->name == nullptr ? "" : child->name;
            bool known = false;
            if (!each([&](auto& reader) {
                    if (reader.name() != name) return true;
                    known = true;
                    return reader.bind(*child, place, refusal);
                }))
                return false;
            if (!known) return refusal.column(name, "is unexpected; select the columns " + names());
        }
        columns_ = schema.n_children;
        return each([&](auto& reader) { return reader.place() != -1 || refusal.column(reader.name(), "is missing"); });
    }
    /// Checks a batch. @param rows is set to the number of its rows
    bool open(const ArrowArray& batch, std::size_t& rows, ArrowRefusal& refusal) {
        if (!expect_extent("", batch, refusal)) return false;
        if (batch.n_children != columns_ || (columns_ != 0 && batch.children == nullptr))
            return refusal.whole("the batch has " + std::to_string(batch.n_children) + " columns, not " +
                                 std::to_string(columns_) + ", or no list of them");
        if (batch.n_buffers != 1 || batch.buffers == nullptr || batch.dictionary != nullptr)
            return refusal.whole("the batch has " + std::to_string(batch.n_buffers) + " buffers, where a struct has 1");
        const unsigned char* validity = nullptr;
        if (!find_validity("", batch, validity, refusal)) return false;
        if (validity != nullptr) return refusal.whole("the batch has rows that are null as a whole");
        rows = to_index(batch.length);
        const std::size_t first = to_index(batch.offset);
        return each([&](auto& reader) {
                   const ArrowArray* const child = batch.children[reader.place()];
                   if (child == nullptr) return refusal.column(reader.name(), "has no array");
                   return reader.open(*child, first, rows, refusal);
               }) &&
               std::apply([&](auto&... reader) { return (reader.expect_one_validity(rows, refusal) && ...); }, readers_);
    }

    /// Calls f(column) for each column, in the order of the readers, until it returns false.
    template <class F>
    bool each_column(F&& f) {
        return each(f);
    }
    std::int64_t columns() const noexcept { return columns_; }

private:
    template <class F>
    bool each(F&& f) {
        return std::apply([&](auto&... reader) { return (reader.each(f) && ...); }, readers_);
    }
    std::string names() {
        std::string all;
        each([&](auto& reader) {
            all += (all.empty() ? "\"" : ", \"") + std::string(reader.name()) + '"';
            return true;
        });
        return all;
    }

    std::tuple<Readers&...> readers_;
    std::int64_t columns_ = 0;
};
template <class... Readers>
BatchReader(Readers&...) -> BatchReader<Readers...>;

/// Reads a stream to its end. Calls on_schema(ArrowSchema), then on_batch(OwnedArray&) for each batch, until one of them
/// returns false.
template <class OnSchema, class OnBatch>
bool read_batches(OwnedStream& stream, ArrowRefusal& refusal, OnSchema&& on_schema, OnBatch&& on_batch) {
    const auto failed = [&](int code, const char* what) {
        const char* const text = stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream.get());
        return refusal.whole("the stream reports error " + std::to_string(code) + " for its " + what +
                             (text == nullptr ? "" : ": " + std::string(text)));
    };
    if (!stream) return refusal.whole("the stream was released");
    if (stream->get_schema == nullptr || stream->get_next == nullptr)
        return refusal.whole("the stream has no get_schema or no get_next");
    OwnedSchema schema;
    if (const int code = stream->get_schema(stream.get(), schema.out()); code != 0) {
        schema.forget();
        return failed(code, "schema");
    }
    if (!schema) return refusal.whole("the schema was released");
    if (!on_schema(*schema)) return false;
    for (;;) {
        OwnedArray batch;
        if (const int code = stream->get_next(stream.get(), batch.out()); code != 0) {
            batch.forget();
            return failed(code, "next batch");
        }
        if (!batch) return true;
        if (!on_batch(batch)) return false;
    }
}

} // namespace detail

SLOTWISE_END

#if SLOTWISE_BODIES
#include "batch_reader.inl.hpp"
#endif

#endif
