// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// import_stream into maps and sets whose types are described at run time.
#ifndef SLOTWISE_ARROW_DESCRIBED_IMPORT_HPP
#define SLOTWISE_ARROW_DESCRIBED_IMPORT_HPP

#include "detail/container_columns.hpp"
#include "import.hpp"

#include <memory>

SLOTWISE_BEGIN
namespace detail {

/// A column of a type that is known at run time: what ColumnReader has, and a place for the value of a row.
class DescribedReader {
public:
    DescribedReader() = default;
    DescribedReader(const DescribedReader&) = delete;
    DescribedReader& operator=(const DescribedReader&) = delete;
    virtual ~DescribedReader() = default;
    virtual std::string_view name() const noexcept = 0;
    virtual std::int64_t place() const noexcept = 0;
    virtual bool bind(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal) = 0;
    virtual bool open(const ArrowArray& array, std::size_t first, std::size_t rows, ArrowRefusal& refusal) = 0;
    virtual bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const = 0;
    /// The address of the value in the row, until the next call. Throws what an assignment of the type throws.
    virtual const void* load(std::size_t row) = 0;
};
template <class T>
class DescribedReaderOf final : public DescribedReader {
public:
    explicit DescribedReaderOf(const char* name) noexcept : column_(name) {}
    std::string_view name() const noexcept override { return column_.name(); }
    std::int64_t place() const noexcept override { return column_.place(); }
    bool bind(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal) override {
        return column_.bind(schema, place, refusal);
    }
    bool open(const ArrowArray& array, std::size_t first, std::size_t rows, ArrowRefusal& refusal) override {
        return column_.open(array, first, rows, refusal);
    }
    bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const override {
        return column_.expect_no_null(rows, why, refusal);
    }
    const void* load(std::size_t row) override {
        value_ = column_[row];
        return std::addressof(value_);
    }

private:
    ColumnReader<T> column_;
    T value_{};
};

/// The column of a described type, as BatchReader takes it.
class DescribedColumnsReader {
public:
    DescribedColumnsReader(const char* name, const TypeDescriptor& type) : name_(name) {
        const auto try_each = [&]<class... Ts>(TypeList<Ts...>) {
            static_cast<void>(
                ((type.id == TypeDescriptor::id_of<Ts>() && (reader_ = std::make_unique<DescribedReaderOf<Ts>>(name), true)) ||
                 ...));
        };
        if (type.id) try_each(DescribedColumnTypes());
    }
    /// Refuses a type that has no column.
    bool expect_known(ArrowRefusal& refusal) const {
        return reader_ != nullptr ||
               refusal.column(name_, "its values are of a type that is described without an id, or that is "
                                     "no number, bool, std::string or entity");
    }
    template <class F>
    bool each(F&& f) {
        return f(*reader_);
    }
    bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const {
        return reader_->expect_no_null(rows, why, refusal);
    }
    bool expect_one_validity(std::size_t, ArrowRefusal&) const noexcept { return true; }
    const void* load(std::size_t row) { return reader_->load(row); }

private:
    const char* name_;
    std::unique_ptr<DescribedReader> reader_{};
};

/// @param write write(row)
template <class M, class Values, class Write>
ImportResult import_described(ArrowArrayStream* stream, M& to, DescribedColumnsReader& keys, Values& values, Write&& write) {
    ArrowRefusal refusal;
    bool known = keys.expect_known(refusal);
    if constexpr (requires { values.expect_known(refusal); }) known = known && values.expect_known(refusal);
    if (!known) {
        const OwnedStream released(stream);
        return {0, "import_stream: " + refusal.text()};
    }
    return import_batches(stream, keys, values, false, [&](std::size_t rows) {
        if (to.size() == 0) to.reserve(rows);
        for (std::size_t row = 0; row != rows; ++row) write(row);
    });
}

} // namespace detail

/// As try_import_stream into a map of known types. A key or value type without an Arrow column is refused by the column's name.
/// @throws what the map and the types' operations throw; rows before stay
template <class... With>
ImportResult try_import_stream(ArrowArrayStream* stream, BasicAnyMapStorage<With...>& to) {
    OwnedStream owned(stream); // until the readers are made
    detail::DescribedColumnsReader keys("key", to.key_type()), values("value", to.value_type());
    ArrowArrayStream given;
    owned.move_to(&given);
    return detail::import_described(&given, to, keys, values,
                                    [&](std::size_t row) { to.insert_or_assign(keys.load(row), values.load(row)); });
}
/// The same into a set: a stream of the column "key".
template <class... With>
ImportResult try_import_stream(ArrowArrayStream* stream, BasicAnySetStorage<With...>& to) {
    OwnedStream owned(stream);
    detail::DescribedColumnsReader keys("key", to.key_type());
    detail::NoColumns values("value");
    ArrowArrayStream given;
    owned.move_to(&given);
    return detail::import_described(&given, to, keys, values, [&](std::size_t row) { to.insert(keys.load(row)); });
}

SLOTWISE_END

#endif
