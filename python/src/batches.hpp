// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Rows and columns on their way into SlotMap and Table, and leaves on their way out: what is converted before the lock is taken.
#ifndef SLOTWISE_PYTHON_BATCHES_HPP
#define SLOTWISE_PYTHON_BATCHES_HPP

#include "columns.hpp"
#include "frame.hpp"
#include "source.hpp"
#include "whole.hpp"

#include <slotwise/core/detail/seal.hpp>

#include <algorithm>
#include <cstring>

namespace slotwise_python {

/// What code of the caller makes of each item of an iterable, converted to rows of a schema.
inline std::vector<Row> rows_of(const Schema& schema, nb::handle source, const char* argument) {
    std::vector<Row> rows;
    if (attribute_of(source, "collect_schema").is_valid())
        raise(PyExc_TypeError,
              std::string(argument) + ": a " + type_of(source) + " has no rows yet; give what its collect() returns");
    each_item(source, argument, "columns, or an iterable of rows", [&](nb::handle item) {
        Row row(schema);
        row.take(item, argument);
        rows.push_back(std::move(row));
    });
    return rows;
}

/// All chunks of a source. Nothing is written before the last of them is sound.
class Batches {
public:
    Batches(nb::handle source, const char* argument, std::span<const Field> values, Source::Missing missing) {
        chunks_ = Source(source, argument, {}, values, missing).all();
        for (const Chunk& chunk : chunks_) rows_ += chunk.rows();
    }
    std::size_t rows() const noexcept { return rows_; }
    /// Writes them to `slots`, one for each row. @pre slots.size() == rows()
    void write(Columns& columns, std::span<const slot_t> slots) const {
        std::size_t at = 0;
        for (const Chunk& chunk : chunks_) {
            columns.write(slots.subspan(at, chunk.rows()), chunk);
            at += chunk.rows();
        }
    }

private:
    std::vector<Chunk> chunks_;
    std::size_t rows_ = 0;
};

/// A field of one column of numbers, which is no part of a schema: handles, indexes.
inline Field number_field(const char* path, Kind kind) {
    Field field;
    field.path = path;
    field.kind = kind;
    field.counts = true;
    return field;
}
/// Numbers of an array, an Arrow column, a series or a list. @tparam T uint64 or int64
template <class T>
std::vector<T> numbers_of(nb::handle source, const char* argument, const char* name) {
    const Field field = number_field(name, std::is_signed_v<T> ? Kind::int64 : Kind::uint64);
    std::vector<T> numbers;
    Source from(source, argument, {}, {&field, 1}, Source::Missing::refused);
    for (Chunk chunk; from.next(chunk);) {
        const Cells* const cells = chunk.find(field);
        if (chunk.rows() == 0) continue;
        const std::size_t before = numbers.size();
        numbers.resize(before + chunk.rows());
        std::memcpy(&numbers[before], cells->values(), chunk.rows() * sizeof(T));
    }
    return numbers;
}

/// The bytes of a snapshot: what it is of, the schema, parts, and a checksum over all of it.
class SnapshotWriter {
public:
    SnapshotWriter(std::string_view kind, const Schema& schema) {
        text(kind);
        text(schema.spelled());
    }
    void number(std::uint64_t value) {
        for (unsigned i = 0; i != 8; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
    void part(std::span<const std::byte> bytes) {
        number(bytes.size());
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    /// The same of the last part in front of the columns, which is copied once.
    void last_part(std::vector<std::byte>&& bytes) {
        number(bytes.size());
        last_ = std::move(bytes);
    }
    /// All of it, the values of live slots behind it, and the checksum, in memory that Python gives. Called without the GIL,
    /// which is taken for that: who waits for the lock of the box has released it.
    nb::object finish(const Columns& columns, Occupancy live) const {
        const std::size_t head = bytes_.size() + last_.size(), size = head + columns.saved_size(live);
        nb::object result;
        {
            const GilHeld acquired;
            result = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size + 8)));
        }
        if (!result.is_valid()) return result;
        auto* const to = reinterpret_cast<std::byte*>(PyBytes_AS_STRING(result.ptr()));
        std::memcpy(to, bytes_.data(), bytes_.size());
        if (!last_.empty()) std::memcpy(to + bytes_.size(), last_.data(), last_.size());
        try {
            columns.save(live, to + head);
        } catch (...) { // an object of Python ends with the GIL
            const GilHeld acquired;
            result.reset();
            throw;
        }
        const std::uint64_t sum = slotwise::detail::Xxh3::of(to, size);
        for (unsigned i = 0; i != 8; ++i) to[size + i] = static_cast<std::byte>(sum >> (8 * i));
        return result;
    }

private:
    void text(std::string_view text) { part({reinterpret_cast<const std::byte*>(text.data()), text.size()}); }

    std::vector<std::byte> bytes_, last_;
};
/// A codec for a container whose bytes are a part of such a snapshot: the checksum of all is its own, too.
inline slotwise::detail::PartCodec<slotwise::DefaultCodec> part_codec() noexcept {
    static slotwise::DefaultCodec codec;
    return {codec};
}
/// The same back. @throws std::invalid_argument that says what is wrong with the bytes
class SnapshotReader {
public:
    SnapshotReader(std::span<const std::byte> bytes, std::string_view kind, const Schema& schema) : left_(bytes) {
        if (bytes.size() < 8) fail("it is too short");
        left_ = bytes.first(bytes.size() - 8);
        std::uint64_t sum = 0;
        for (unsigned i = 0; i != 8; ++i) sum |= std::to_integer<std::uint64_t>(bytes[bytes.size() - 8 + i]) << (8 * i);
        if (sum != slotwise::detail::Xxh3::of(left_)) fail("its checksum is another: bytes are damaged, or of something else");
        if (text() != kind) fail("it is one of another class");
        if (const std::string theirs(text()); theirs != schema.spelled())
            fail("it has the fields " + theirs + ", and this object has " + schema.spelled());
    }
    std::uint64_t number() {
        if (left_.size() < 8) fail("it is too short");
        std::uint64_t value = 0;
        for (unsigned i = 0; i != 8; ++i) value |= std::to_integer<std::uint64_t>(left_[i]) << (8 * i);
        left_ = left_.subspan(8);
        return value;
    }
    std::span<const std::byte> part() {
        const std::uint64_t size = number();
        if (size > left_.size()) fail("it is too short");
        const auto result = left_.first(static_cast<std::size_t>(size));
        left_ = left_.subspan(static_cast<std::size_t>(size));
        return result;
    }
    std::span<const std::byte> rest() const noexcept { return left_; }
    [[noreturn]] static void fail(const std::string& why) { throw std::invalid_argument("snapshot: " + why); }

private:
    std::string_view text() {
        const auto bytes = part();
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::span<const std::byte> left_;
};

/// A row that is copied under the lock. Its Python object is made without: a record class is code of the caller.
/// @throws std::bad_alloc
inline Row row_at(const Columns& columns, std::size_t slot) {
    Row row(columns.schema());
    columns.read(static_cast<slot_t>(slot), row);
    return row;
}
inline nb::list objects_of(const std::vector<Row>& rows) {
    nb::list list;
    for (const Row& row : rows) list.append(row.object());
    return list;
}

/// f() under the locks of both, as at_length(). Which of them comes first does not matter. @pre they are two objects
template <class B, class F>
decltype(auto) at_length_both(const B& a, const B& b, F&& f) {
    const GilReleased released;
    const std::scoped_lock held(a.lock, b.lock);
    return f();
}

/// on_write and pinned.
template <class B>
void bind_pins(nb::class_<B>& cls) {
    cls.def_prop_rw(
        "on_write", [](const B& self) { return self.on_write == OnWrite::refuse ? "refuse" : "detach"; },
        [](B& self, nb::handle value) {
            const OnWrite chosen = on_write_of(value);
            briefly(self, [&] { self.on_write = chosen; });
        },
        nb::for_setter(argument("value")), nb::for_getter(nb::sig("def on_write(self) -> str")),
        nb::for_setter(nb::sig("def on_write(self, value: str, /) -> None")),
        "What a write does while a view (an array of column(), an Arrow stream or batch) is alive. 'detach' copies the "
        "container first where the view shares its memory, so that views keep what they show, whatever their size. 'refuse' "
        "raises BufferError, also for views that have copied.");
    cls.def_prop_ro(
        "pinned", [](const B& self) { return briefly(self, [&] { return self.data.pinned(); }); },
        nb::sig("def pinned(self) -> bool"), "Whether a view is alive.");
}

/// What _frames.py and readers of Arrow take. @param frame_of the frame of all columns
template <class B, class F>
void bind_frames(nb::class_<B>& cls, F frame_of) {
    cls.def(
        "__arrow_c_stream__",
        [frame_of](const B& self, nb::handle requested_schema) {
            return frame_of(self).arrow().attr("__arrow_c_stream__")(nb::borrow(requested_schema));
        },
        argument("requested_schema", nb::none()),
        nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
        "The Arrow stream of all columns: pyarrow.table(x), polars.DataFrame(x), DuckDB and others read it.");
    cls.def(
        "__arrow_c_schema__", [frame_of](const B& self) { return frame_of(self).arrow().attr("__arrow_c_schema__")(); },
        nb::sig("def __arrow_c_schema__(self) -> object"), "The Arrow schema of that stream.");
    cls.def(
        "_frame", [frame_of](const B& self) { return frame_of(self).arrow(); }, nb::sig("def _frame(self) -> ArrowStream"));
}

/// Whether a source of many rows has columns, and not one row after the other.
inline bool has_columns(nb::handle source) { return is_columnar(source) || attribute_of(source, "keys").is_valid(); }

/// One array of a frame of one column.
inline nb::object array_of(const Field& field, const void* values, const std::uint8_t* valid, std::size_t rows,
                           std::shared_ptr<const void> owner) {
    Frame frame;
    frame.add(field, values, valid, rows, std::move(owner));
    return frame.numpy(field.path);
}
inline const void* from_row(const Field& field, const Columns& columns, std::size_t slot) {
    const std::byte* const data = columns.data(field);
    return data == nullptr ? nullptr : data + slot * field.size();
}
inline const std::uint8_t* valid_from_row(const Field& field, const Columns& columns, std::size_t slot) {
    const std::uint8_t* const valid = columns.validity(field);
    return valid == nullptr ? nullptr : valid + slot;
}
/// The field of a column's name. @throws KeyError that lists the names
inline const Field& field_of(const Schema& schema, nb::handle name_argument, const char* more) {
    const std::string name = text_from(name_argument, "name");
    if (const Field* const field = schema.find(name)) return *field;
    std::string names;
    for (const Field& field : schema.fields()) names += "'" + field.path + "', ";
    if (*more == '\0') names.resize(names.size() - 2);
    raise(PyExc_KeyError, "name: there are the columns " + names + more + ", no " + repr_of(name_argument));
}
/// Of chunks(), which are views.
[[noreturn]] inline void raise_texts(nb::handle name) {
    raise(PyExc_TypeError, "name: texts are no arrays that NumPy has views of; take column(" + repr_of(name) + ")");
}
/// The fields of these slots as arrays: the array of a schema of one type, else a dict of arrays by path.
inline nb::object arrays_at(const Schema& schema, const Frame& frame) {
    if (!schema.is_record()) return frame.numpy(schema.fields()[0].path);
    return frame.numpy();
}

} // namespace slotwise_python

#endif
