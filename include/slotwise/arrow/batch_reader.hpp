// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Foreign batches: their columns found by name, their rows checked before a value is read.
#ifndef SLOTWISE_ARROW_BATCH_READER_HPP
#define SLOTWISE_ARROW_BATCH_READER_HPP

#include "column_reader.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The columns of a T: one that has the given name, or those of ArrowFields<T>.
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
    ColumnReader<std::conditional_t<ArrowColumnOf<T>::by_itself, T, int>> column_; // or an error says what to write
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
    /// Refuses a row that has some members and not others.
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

/// Stands for the columns of values where there are none: in sets.
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
/// What reads values of T.
template <class T>
using ValueReader =
    typename std::conditional_t<std::is_void_v<T>, std::type_identity<NoColumns>, std::type_identity<ColumnsReader<T>>>::type;

/// The columns of batches: all that the readers ask for and no other.
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
    /// Checks a batch. @param rows its rows then
    bool open(const ArrowArray& batch, std::size_t& rows, ArrowRefusal& refusal) {
        if (!ColumnBase::expect_extent("", batch, refusal)) return false;
        if (batch.n_children != columns_ || (columns_ != 0 && batch.children == nullptr))
            return refusal.whole("the batch has " + std::to_string(batch.n_children) + " columns, not " +
                                 std::to_string(columns_) + ", or no list of them");
        if (batch.n_buffers != 1 || batch.buffers == nullptr || batch.dictionary != nullptr)
            return refusal.whole("the batch has " + std::to_string(batch.n_buffers) + " buffers, where a struct has 1");
        const unsigned char* validity = nullptr;
        if (!ColumnBase::find_validity("", batch, validity, refusal)) return false;
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

#endif
