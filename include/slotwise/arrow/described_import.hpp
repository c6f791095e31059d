// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// import_stream into type-erased maps and sets.
#ifndef SLOTWISE_ARROW_DESCRIBED_IMPORT_HPP
#define SLOTWISE_ARROW_DESCRIBED_IMPORT_HPP

#include "../keyed/any_storage.hpp"
#include "import.hpp"

#include <memory>

SLOTWISE_BEGIN
namespace detail {

/// A ColumnReader of a type that is known at run time, with memory for the value of one row.
class AnyColumnReader {
public:
    AnyColumnReader() = default;
    AnyColumnReader(const AnyColumnReader&) = delete;
    AnyColumnReader& operator=(const AnyColumnReader&) = delete;
    virtual ~AnyColumnReader() = default;
    virtual std::string_view name() const noexcept = 0;
    virtual std::int64_t place() const noexcept = 0;
    virtual bool bind(const ArrowSchema& schema, std::int64_t place, ArrowRefusal& refusal) = 0;
    virtual bool open(const ArrowArray& array, std::size_t first, std::size_t rows, ArrowRefusal& refusal) = 0;
    virtual bool expect_no_null(std::size_t rows, const char* why, ArrowRefusal& refusal) const = 0;
    /// The address of the value in the row, until the next call. Throws what an assignment of the type throws.
    virtual const void* load(std::size_t row) = 0;
};
template <class T>
class AnyColumnReaderOf final : public AnyColumnReader {
public:
    explicit AnyColumnReaderOf(const char* name) noexcept : column_(name) {}
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

/// The column of a type-erased value, in the form that BatchReader reads.
class AnyColumnsReader {
public:
    /// A template, so that the readers of all types are compiled only where one is made.
    template <class Type>
    AnyColumnsReader(const char* name, const Type& type) : name_(name) {
        with_column_type(type, [&]<class T>(std::type_identity<T>) { reader_ = std::make_unique<AnyColumnReaderOf<T>>(name); });
    }
    /// Refuses a type without a column.
    bool expect_known(ArrowRefusal& refusal) const {
        return reader_ != nullptr || refusal.column(name_, "its values are of a type whose descriptor has no id, or that is "
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
    std::unique_ptr<AnyColumnReader> reader_{};
};

/// Reads a stream into a container. @param write write(row) writes a row of the readers
template <class M, class Values, class Write>
ImportResult import_any(ArrowArrayStream* stream, M& to, AnyColumnsReader& keys, Values& values, Write&& write) {
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

/// As try_import_stream into a MapStorage. A key or value type without an Arrow column is refused by the column's name.
/// @throws what the map and the types' operations throw; rows before stay
template <class... With>
ImportResult try_import_stream(ArrowArrayStream* stream, BasicAnyMapStorage<With...>& to) {
    OwnedStream owned(stream); // so that it is released if the readers throw
    detail::AnyColumnsReader keys("key", to.key_type()), values("value", to.value_type());
    ArrowArrayStream given;
    owned.move_to(&given);
    return detail::import_any(&given, to, keys, values,
                              [&](std::size_t row) { to.insert_or_assign(keys.load(row), values.load(row)); });
}
/// The same into a set, from a stream of the column "key".
template <class... With>
ImportResult try_import_stream(ArrowArrayStream* stream, BasicAnySetStorage<With...>& to) {
    OwnedStream owned(stream);
    detail::AnyColumnsReader keys("key", to.key_type());
    detail::NoColumns values("value");
    ArrowArrayStream given;
    owned.move_to(&given);
    return detail::import_any(&given, to, keys, values, [&](std::size_t row) { to.insert(keys.load(row)); });
}

SLOTWISE_END

#endif
