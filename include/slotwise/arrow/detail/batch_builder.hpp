// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A batch that is built row by row.
#ifndef SLOTWISE_ARROW_DETAIL_BATCH_BUILDER_HPP
#define SLOTWISE_ARROW_DETAIL_BATCH_BUILDER_HPP

#include "checksum.hpp"
#include "exported_structs.hpp"

#include <cstdint>

SLOTWISE_BEGIN
namespace detail {

/// The buffers of a finished column, and who owns them: a column may outlive its batch.
struct BuiltColumn {
    std::string name;
    const char* format = "";
    std::shared_ptr<const void> owner{};
    std::array<const void*, 3> buffers{};
    std::int64_t n_buffers = 2;
    std::size_t null_count = 0;
    bool nullable = false;
    std::uint64_t checksum = 0; ///< of the rows
    std::uint64_t text = 0;     ///< bytes of text in all rows
};

/// Collects the values of a column. @tparam T a type with an ArrowType
template <class T>
class ColumnBuilder {
    using Type = ArrowType<T>;
    using Stored = typename Type::stored;
    static constexpr ArrowLayout layout = Type::layout;

public:
    explicit ColumnBuilder(std::string name, bool nullable) : name_(std::move(name)), nullable_(nullable) {}
    void reserve(std::size_t rows) {
        if constexpr (layout == ArrowLayout::text)
            data_.offsets.reserve(rows + 1);
        else if constexpr (layout == ArrowLayout::fixed)
            data_.values.reserve(rows);
    }
    void add(const T& value) {
        if (nulls_ != 0) mark(true);
        put(value);
    }
    void add_null() {
        if (nulls_ == 0) data_.validity.assign((rows_ + 7) / 8, 0xFF); // made with the first null: most columns have none
        mark(false);
        ++nulls_;
        put(T());
    }
    /// Makes a column of `count` times this value.
    void add_each(std::size_t count, const T& value) {
        data_.values.assign(count, Type::encode(value));
        rows_ = count;
    }
    /// The checksum of the rows so far.
    std::uint64_t checksum() const {
        ColumnChecksum all;
        for (std::size_t row = 0; row != rows_; ++row) {
            if (nulls_ != 0 && (data_.validity[row / 8] >> row % 8 & 1) == 0) {
                all.null();
                continue;
            }
            if constexpr (layout == ArrowLayout::text) {
                const auto first = static_cast<std::size_t>(data_.offsets[row]);
                const auto size = static_cast<std::size_t>(data_.offsets[row + 1]) - first;
                all.value(std::string_view(data_.values.data() + first, size));
            } else if constexpr (layout == ArrowLayout::bits)
                all.value((data_.values[row / 8] >> row % 8 & 1) != 0);
            else
                all.value(data_.values[row]);
        }
        return all.finish();
    }
    /// The finished column. @pre it is called once
    BuiltColumn finish() {
        BuiltColumn column{name_, format_of<T>};
        column.nullable = nullable_;
        column.null_count = nulls_;
        column.checksum = checksum();
        if constexpr (layout == ArrowLayout::text) column.text = data_.values.size();
        const auto data = std::make_shared<const Data>(std::move(data_));
        if (nulls_ != 0) column.buffers[0] = data->validity.data();
        if constexpr (layout == ArrowLayout::text) {
            column.n_buffers = 3;
            column.buffers[1] = data->offsets.data();
        }
        column.buffers[layout == ArrowLayout::text ? 2 : 1] = data->values.data();
        column.owner = data;
        return column;
    }

private:
    struct Data {
        std::vector<unsigned char> validity{};
        std::vector<std::int32_t> offsets{0};
        // Characters of text, bytes of bits, or numbers.
        std::vector<std::conditional_t<layout == ArrowLayout::bits, unsigned char, Stored>> values{};
    };

    void mark(bool valid) { put_bit(data_.validity, valid); }
    // Appends the bit of the next row.
    template <class Bytes>
    void put_bit(Bytes& bytes, bool bit) {
        if (rows_ % 8 == 0) bytes.push_back(0);
        const unsigned mask = 1u << rows_ % 8;
        bytes.back() = static_cast<unsigned char>(bit ? bytes.back() | mask : bytes.back() & ~mask);
    }
    void put(const T& value) {
        if constexpr (layout == ArrowLayout::text) {
            const std::string_view text = Type::encode(value);
            if (text.size() > 0x7FFF'FFFFu - data_.values.size())
                throw_length_error("Arrow export: a column of a delta has 2 GiB of text or more; split the window");
            data_.values.insert(data_.values.end(), text.begin(), text.end());
            data_.offsets.push_back(static_cast<std::int32_t>(data_.values.size()));
        } else if constexpr (layout == ArrowLayout::bits)
            put_bit(data_.values, value);
        else
            data_.values.push_back(Type::encode(value));
        ++rows_;
    }

    std::string name_;
    bool nullable_;
    std::size_t nulls_ = 0;
    std::size_t rows_ = 0;
    Data data_{};
};

/// Collects the columns of a T: one with this name, or those of ArrowFields<T>. ColumnsReader reads them.
template <class T>
class ColumnsBuilder {
    static auto builders(const char* name, bool nullable) {
        if constexpr (ArrowColumnOf<T>::by_itself)
            return std::tuple(ColumnBuilder<T>(name, nullable));
        else
            return std::apply(
                [&]<class... Fields>(const Fields&... fields) {
                    return std::tuple(ColumnBuilder<std::remove_cvref_t<decltype(fields(std::declval<const T&>()))>>(
                        fields.name, nullable)...);
                },
                ArrowFields<T>::members);
    }

public:
    explicit ColumnsBuilder(const char* name, bool nullable) : columns_(builders(name, nullable)) {}
    void reserve(std::size_t rows) {
        std::apply([&](auto&... column) { (column.reserve(rows), ...); }, columns_);
    }
    void add(const T& value) {
        if constexpr (ArrowColumnOf<T>::by_itself)
            std::get<0>(columns_).add(value);
        else
            [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
                (std::get<Nth>(columns_).add(std::get<Nth>(ArrowFields<T>::members)(value)), ...);
            }(std::make_index_sequence<std::tuple_size_v<Columns>>{});
    }
    void add_null() {
        std::apply([](auto&... column) { (column.add_null(), ...); }, columns_);
    }
    void finish(std::vector<BuiltColumn>& columns) {
        std::apply([&](auto&... column) { (columns.push_back(column.finish()), ...); }, columns_);
    }

private:
    using Columns = decltype(builders("", false));
    Columns columns_;
};

/// The single batch of a stream.
struct BuiltBatch {
    std::vector<BuiltColumn> columns{};
    std::size_t rows = 0;
    ArrowPairs metadata{};
    bool given = false; ///< whether next() has returned it

    /// What the metadata slotwise.checksum say about it.
    RowsChecksum rows_checksum() const {
        RowsChecksum result{checksum(), 0};
        for (const BuiltColumn& column : columns) result.text += column.text;
        return result;
    }
    std::uint64_t checksum() const {
        std::vector<std::uint64_t> each;
        each.reserve(columns.size());
        for (const BuiltColumn& column : columns) each.push_back(column.checksum);
        return stream_checksum(rows, each);
    }

    void make_schema(ArrowSchema* out) const {
        ArrowSchema made = detail::make_schema("+s", "", 0, metadata, columns.size());
        OwnedSchema schema(&made);
        for (std::size_t i = 0; i != columns.size(); ++i)
            *schema->children[i] =
                detail::make_schema(columns[i].format, columns[i].name, columns[i].nullable ? ARROW_FLAG_NULLABLE : 0, {}, 0);
        schema.move_to(out);
    }
    /// The batch, and then nothing. @throws std::bad_alloc; the next call tries again
    OwnedArray next() {
        if (given) return {};
        ArrowArray made = make_batch(rows, columns.size());
        OwnedArray batch(&made);
        for (std::size_t i = 0; i != columns.size(); ++i)
            *batch->children[i] = arrow_column_of(std::make_unique<Node>(Node{columns[i].owner, columns[i].buffers}), rows,
                                                  columns[i].null_count, columns[i].n_buffers);
        given = true;
        return batch;
    }

private:
    /// What a column of the batch owns.
    struct Node {
        std::shared_ptr<const void> owner;
        std::array<const void*, 3> buffers;
    };
};

} // namespace detail

SLOTWISE_END

#endif
