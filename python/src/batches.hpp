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
    /// All of it, the values of live slots behind it, and the checksum. See bytes_of().
    nb::object finish(const Columns& columns, Occupancy live) const {
        const std::size_t head = bytes_.size() + last_.size(), size = head + columns.saved_size(live);
        return summed_bytes_of(size, [&](std::byte* to) {
            std::memcpy(to, bytes_.data(), bytes_.size());
            if (!last_.empty()) std::memcpy(to + bytes_.size(), last_.data(), last_.size());
            columns.save(live, to + head);
        });
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

/// What SlotMap and Table have alike. @param snapshot_of the bytes of a container @param restore puts bytes into a box
template <class B, class Snapshot, class Restore>
void bind_state_of(nb::class_<B>& cls, Snapshot snapshot_of, Restore restore) {
    using C = typename B::container;
    bind_pins(cls);
    cls.def(
        "_reserve",
        [](B& self, nb::handle count) {
            const std::size_t room = count_from(count, "count", most_slots);
            write_all(self, [&](C& c) { c.reserve(room); });
        },
        argument("count"));
    cls.def(
        "_snapshot", [snapshot_of](const B& self) { return checked_bytes(read_all(self, snapshot_of)); },
        nb::sig("def _snapshot(self) -> bytes"));
    cls.def(
        "_restore",
        [restore](B& self, nb::handle data) {
            const Bytes bytes(data);
            restore(self, bytes.span());
        },
        argument("data"));
    cls.def(
        "_take_copy",
        [](B& self, nb::handle from) {
            const B& other = box_of<B>(from);
            slotwise::Exportable<C> fresh;
            read_all(other, [&](const C& c) { *fresh.write() = c; });
            briefly(self, [&] { self.data = std::move(fresh); });
        },
        argument("from_"));
    cls.def_prop_ro(
        "schema", [](const B& self) { return schema_object(self.schema); }, nb::sig("def schema(self) -> slotwise.Schema"),
        "What the values are.");
    unhashable(cls);
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
