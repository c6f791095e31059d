// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Table: rows of any schema, by index. Its memory is that of Columns, an AnyRows.
#include "batches.hpp"
#include "parts.hpp"
#include "type_slots.hpp"

#include <numeric>

namespace slotwise_python {
namespace {

/// Columns whose first size() slots are rows.
class Rows {
public:
    void init(std::shared_ptr<const Schema> schema) { columns_.init(std::move(schema)); }
    const Columns& columns() const noexcept { return columns_; }
    Columns& columns() noexcept { return columns_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t memory_usage() const noexcept { return columns_.memory_usage(); }

    /// @throws std::length_error, std::bad_alloc; strong
    void reserve(std::size_t rows) {
        if (rows <= capacity_) return;
        if (rows > most_slots) throw std::length_error("more rows than fit; at most 2**28 do");
        columns_.on_capacity(static_cast<slot_t>(capacity_), static_cast<slot_t>(rows));
        capacity_ = rows;
    }
    /// Rows of default values, which the caller writes. Returns the first. @throws as reserve; strong
    std::size_t append(std::size_t rows) {
        if (rows > most_slots - size_) throw std::length_error("more rows than fit; at most 2**28 do");
        if (size_ + rows > capacity_) {
            const std::size_t doubled = capacity_ < 8 ? 16 : std::min(2 * capacity_, most_slots);
            reserve(std::max(size_ + rows, doubled));
        }
        return std::exchange(size_, size_ + rows);
    }
    /// Removes rows; those behind them keep their order. @param gone rising
    void erase(std::span<const slot_t> gone) noexcept {
        if (gone.empty()) return;
        std::size_t to = gone[0];
        for (std::size_t i = 0; i != gone.size(); ++i) {
            const std::size_t first = gone[i] + std::size_t{1}, last = i + 1 == gone.size() ? size_ : gone[i + 1];
            move_down(to, first, last - first);
            to += last - first;
        }
        shorten(to);
    }
    /// Removes a row; the last one comes in its place.
    void swap_erase(std::size_t row) noexcept {
        if (row != size_ - 1) move_down(row, size_ - 1, 1);
        shorten(size_ - 1);
    }
    void shorten(std::size_t rows) noexcept {
        for (std::size_t row = rows; row != size_; ++row) columns_.reset(static_cast<slot_t>(row));
        size_ = rows;
    }
    /// Adds copies of rows of a table of an equal schema. @throws std::bad_alloc; strong
    void append_copies(const Rows& other, std::span<const slot_t> rows) {
        const std::size_t first = append(rows.size());
        slotwise::ScopeGuard undo([&]() noexcept { shorten(first); });
        for (std::size_t f = 0; f != fields().size(); ++f) {
            const Field &to = fields()[f], &from = other.fields()[f];
            for (std::size_t i = 0; i != rows.size(); ++i) {
                if (to.is_text())
                    std::copy_n(static_cast<const Text*>(other.columns_.at(from, rows[i])), to.size() / sizeof(Text),
                                static_cast<Text*>(columns_.at(to, static_cast<slot_t>(first + i))));
                else
                    std::memcpy(columns_.at(to, static_cast<slot_t>(first + i)), other.columns_.at(from, rows[i]), to.size());
            }
            if (std::uint8_t* const valid = columns_.validity(to))
                for (std::size_t i = 0; i != rows.size(); ++i) valid[first + i] = other.columns_.validity(from)[rows[i]];
        }
        undo.dismiss();
    }
    friend bool operator==(const Rows& a, const Rows& b) noexcept {
        if (a.size_ != b.size_) return false;
        for (std::size_t row = 0; row != a.size_; ++row)
            if (!a.columns_.equal(static_cast<slot_t>(row), b.columns_, static_cast<slot_t>(row))) return false;
        return true;
    }

    /// All rows as live slots.
    class Live {
    public:
        explicit Live(std::size_t rows) : words_(slotwise::bits::word_count(rows), ~slotwise::bits::word_t{}), rows_(rows) {
            if (rows % slotwise::bits::word_bits != 0)
                words_.back() = (slotwise::bits::word_t{1} << (rows % slotwise::bits::word_bits)) - 1;
        }
        Occupancy view() const noexcept { return {words_.data(), rows_}; }

    private:
        std::vector<slotwise::bits::word_t> words_;
        std::size_t rows_;
    };

private:
    std::span<const Field> fields() const noexcept { return columns_.schema().fields(); }
    /// @pre to < from, or there is nothing to move
    void move_down(std::size_t to, std::size_t from, std::size_t count) noexcept {
        if (count == 0) return;
        for (const Field& field : fields()) {
            void* const target = columns_.at(field, static_cast<slot_t>(to));
            void* const source = columns_.at(field, static_cast<slot_t>(from));
            if (field.is_text())
                std::move(static_cast<Text*>(source), static_cast<Text*>(source) + count * field.size() / sizeof(Text),
                          static_cast<Text*>(target));
            else
                std::memmove(target, source, count * field.size());
            if (std::uint8_t* const valid = columns_.validity(field)) std::memmove(valid + to, valid + from, count);
        }
    }

    Columns columns_;
    std::size_t size_ = 0, capacity_ = 0;
};

struct Table : Box<Rows> {
    explicit Table(std::shared_ptr<const Schema> schema_)
        : schema(std::move(schema_)), quick_value(quick_value_of(schema.get())) {
        data.write()->init(schema);
    }

    std::shared_ptr<const Schema> schema;
    QuickValue quick_value;
};

//=== indexes ===//

long long index_from(nb::handle object, const char* what) {
    if (PyLong_CheckExact(object.ptr())) {
        int beyond = 0;
        const long long index = PyLong_AsLongLongAndOverflow(object.ptr(), &beyond);
        if (beyond == 0) return index;
    }
    if (PyIndex_Check(object.ptr()) == 0) raise_type(what, "an int", object);
    const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
    if (!number.is_valid()) raise_again();
    int beyond = 0;
    const long long index = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
    if (beyond != 0) raise(PyExc_IndexError, std::string(what) + ": " + repr_of(number) + " is out of range");
    if (index == -1 && PyErr_Occurred() != nullptr) raise_again();
    return index;
}
/// The row of an index that may count from the end; none where there is no such row.
std::optional<std::size_t> row_of(long long index, std::size_t rows) noexcept {
    if (index < 0) index += static_cast<long long>(rows);
    if (index < 0 || static_cast<unsigned long long>(index) >= rows) return std::nullopt;
    return static_cast<std::size_t>(index);
}
[[noreturn]] void raise_range(const std::string& what, long long index, std::size_t rows) {
    raise(PyExc_IndexError,
          what + ": " + std::to_string(index) + " is out of range, there are " + std::to_string(rows) + " rows");
}
/// f(row) under the lock, with an index that is in range. @throws IndexError
template <class B, class F>
void at_row(B& self, nb::handle object, F&& f) {
    const long long index = index_from(object, "index");
    std::size_t rows = 0;
    bool found = false;
    briefly(self, [&] {
        rows = self.data.read().size();
        if (const auto row = row_of(index, rows)) {
            f(*row);
            found = true;
        }
    });
    if (!found) raise_range("index", index, rows);
}

struct Indexes {
    std::vector<slot_t> slots;
    std::optional<std::size_t> wrong; ///< the first that is out of range
    std::size_t rows = 0;
};
Indexes indexes_in(std::span<const std::int64_t> indexes, std::size_t rows) {
    Indexes result;
    result.rows = rows;
    result.slots.resize(indexes.size());
    for (std::size_t i = 0; i != indexes.size(); ++i) {
        const auto row = row_of(indexes[i], rows);
        if (!row) {
            result.wrong = i;
            break;
        }
        result.slots[i] = static_cast<slot_t>(*row);
    }
    return result;
}
void expect_in_range(const Indexes& found, std::span<const std::int64_t> indexes) {
    if (found.wrong) raise_range("indexes[" + std::to_string(*found.wrong) + "]", indexes[*found.wrong], found.rows);
}

/// A slice, whose members were ints or had __index__.
struct Slice {
    Py_ssize_t start = 0, stop = 0, step = 1;
    explicit Slice(nb::handle object) {
        if (!PySlice_Check(object.ptr())) raise_type("index", "an int or a slice", object);
        if (PySlice_Unpack(object.ptr(), &start, &stop, &step) < 0) raise_again();
    }
    std::vector<slot_t> rows(std::size_t size) const {
        Py_ssize_t first = start, last = stop; // arithmetic only: it needs no GIL
        const Py_ssize_t count = PySlice_AdjustIndices(static_cast<Py_ssize_t>(size), &first, &last, step);
        std::vector<slot_t> rows(static_cast<std::size_t>(count));
        for (Py_ssize_t i = 0; i != count; ++i) rows[static_cast<std::size_t>(i)] = static_cast<slot_t>(first + i * step);
        return rows;
    }
};

void append_batches(Rows& rows, const Batches& batches) {
    const std::size_t first = rows.append(batches.rows());
    slotwise::ScopeGuard undo([&]() noexcept { rows.shorten(first); });
    std::vector<slot_t> slots(batches.rows());
    std::iota(slots.begin(), slots.end(), static_cast<slot_t>(first));
    batches.write(rows.columns(), slots);
    undo.dismiss();
}

nb::object snapshot_of(const Rows& rows) {
    SnapshotWriter out("Table", rows.columns().schema());
    out.number(rows.size());
    const Rows::Live live(rows.size());
    return out.finish(rows.columns(), live.view());
}
void restore(Table& self, std::span<const std::byte> bytes) {
    at_length(self, [&] {
        expect_writable(self);
        slotwise::Exportable<Rows> fresh;
        Rows& rows = *fresh.write();
        rows.init(self.schema);
        SnapshotReader in(bytes, "Table", *self.schema);
        const std::uint64_t count = in.number();
        if (count > in.rest().size()) SnapshotReader::fail("it is too short"); // each row has a byte at least
        rows.append(static_cast<std::size_t>(count));
        rows.columns().load(Rows::Live(rows.size()).view(), in.rest());
        self.data = std::move(fresh); // views keep what they show
    });
}

Frame frame_of(const Table& self) {
    const std::shared_ptr<const Rows> owner = briefly(self, [&] { return self.data.pin(); });
    const Columns& columns = owner->columns();
    Frame frame;
    for (const Field& field : self.schema->fields())
        frame.add(field, from_row(field, columns, 0), columns.validity(field), owner->size(), owner);
    return frame;
}
nb::object column(const Table& self, nb::handle name_argument, nb::handle copy_argument) {
    const Copy copy = copy_of(copy_argument);
    const Field& field = field_of(*self.schema, name_argument, "");
    if (copy == Copy::never && field.is_text()) raise_copy_needed("texts are made into objects of Python");
    const std::shared_ptr<const Rows> owner = briefly(self, [&] { return self.data.pin(); });
    const Columns& columns = owner->columns();
    nb::object array = array_of(field, from_row(field, columns, 0), columns.validity(field), owner->size(), owner);
    return copy == Copy::always ? call(array.attr("copy")) : array;
}

nb::object row_object(Table& self, nb::handle index) {
    if (self.quick_value != QuickValue::none) {
        std::uint64_t bits = 0;
        at_row(self, index, [&](std::size_t row) { bits = quick_bits(self.data.read().columns(), row); });
        return quick_object(self.quick_value, bits);
    }
    Row copied(*self.schema);
    at_row(self, index, [&](std::size_t row) { self.data.read().columns().read(static_cast<slot_t>(row), copied); });
    return copied.object();
}
void set_row(Table& self, nb::handle index, nb::handle value) {
    if (PySlice_Check(index.ptr()))
        raise(PyExc_TypeError, "index: an int is needed to write a row; update_many() writes several");
    Row taken(*self.schema);
    taken.take(value, "value");
    at_row(self, index, [&](std::size_t row) { writable(self).columns().write(static_cast<slot_t>(row), taken); });
}
void erase_rows(Table& self, nb::handle index) {
    if (PySlice_Check(index.ptr())) {
        const Slice slice(index);
        write_all(self, [&](Rows& rows) {
            std::vector<slot_t> gone = slice.rows(rows.size());
            if (slice.step < 0) std::reverse(gone.begin(), gone.end());
            rows.erase(gone);
        });
        return;
    }
    at_row(self, index, [&](std::size_t row) {
        const slot_t gone[] = {static_cast<slot_t>(row)};
        writable(self).erase(gone);
    });
}

PyObject* subscript_slot(PyObject* self, PyObject* index) {
    return guarded(static_cast<PyObject*>(nullptr), [&] {
        Table& table = ready_box<Table>(self);
        if (PySlice_Check(index)) {
            PyObject* const slice = PyObject_CallMethod(self, "_slice", "O", index);
            if (slice == nullptr) raise_again();
            return slice;
        }
        return row_object(table, index).release().ptr();
    });
}
int assign_slot(PyObject* self, PyObject* index, PyObject* value) {
    return guarded(-1, [&] {
        if (value != nullptr)
            set_row(ready_box<Table>(self), index, value);
        else
            erase_rows(ready_box<Table>(self), index);
        return 0;
    });
}
Py_ssize_t length_slot(PyObject* self) {
    return guarded(Py_ssize_t{-1}, [&] {
        return read(ready_box<Table>(self), [](const Rows& rows) { return static_cast<Py_ssize_t>(rows.size()); });
    });
}

void bind_rows(nb::class_<Table>& cls) {
    cls.def(
        "_swap_erase",
        [](Table& self, nb::handle index) {
            std::optional<std::size_t> moved;
            at_row(self, index, [&](std::size_t row) {
                Rows& rows = writable(self);
                if (row != rows.size() - 1) moved = rows.size() - 1;
                rows.swap_erase(row);
            });
            return moved ? nb::cast(*moved) : nb::none();
        },
        argument("index"), nb::sig("def _swap_erase(self, index: int) -> int | None"));
    cls.def(
        "_pop",
        [](Table& self, nb::handle index) {
            std::optional<Row> copied;
            at_row(self, index, [&](std::size_t row) {
                Rows& rows = writable(self);
                copied = row_at(rows.columns(), row);
                const slot_t gone[] = {static_cast<slot_t>(row)};
                rows.erase(gone);
            });
            return copied->object();
        },
        argument("index"), nb::sig("def _pop(self, index: int) -> typing.Any"));
    cls.def(
        "_append",
        [](Table& self, nb::handle value) {
            Row row(*self.schema);
            row.take(value, "value");
            write(self, [&](Rows& rows) {
                const std::size_t at = rows.append(1);
                rows.columns().write(static_cast<slot_t>(at), row);
            });
        },
        argument("value"));
    cls.def(
        "_set",
        [](Table& self, nb::handle index, nb::handle named) {
            Row taken(*self.schema);
            taken.take_named(named);
            at_row(self, index, [&](std::size_t row) { writable(self).columns().write(static_cast<slot_t>(row), taken); });
        },
        argument("index"), argument("named"));
    cls.def(
        "_rows",
        [](const Table& self) {
            std::vector<Row> copies;
            read_all(self, [&](const Rows& rows) {
                copies.reserve(rows.size());
                for (std::size_t row = 0; row != rows.size(); ++row) copies.push_back(row_at(rows.columns(), row));
            });
            return objects_of(copies);
        },
        nb::sig("def _rows(self) -> list[typing.Any]"));
}

void bind_batches(nb::class_<Table>& cls) {
    cls.def(
        "_extend",
        [](Table& self, nb::handle source) {
            if (has_columns(source)) {
                const Batches batches(source, "rows", self.schema->fields(), Source::Missing::refused);
                write_all(self, [&](Rows& rows) { append_batches(rows, batches); });
                return;
            }
            std::vector<Row> taken = rows_of(*self.schema, source, "rows");
            write_all(self, [&](Rows& rows) {
                const std::size_t first = rows.append(taken.size());
                for (std::size_t i = 0; i != taken.size(); ++i) rows.columns().write(static_cast<slot_t>(first + i), taken[i]);
            });
        },
        argument("rows"));
    cls.def(
        "_take_slice",
        [](Table& self, nb::handle from, nb::handle slice_object) {
            const Table& other = box_of<Table>(from);
            const Slice slice(slice_object);
            slotwise::Exportable<Rows> fresh;
            fresh.write()->init(self.schema);
            read_all(other, [&](const Rows& rows) { fresh.write()->append_copies(rows, slice.rows(rows.size())); });
            briefly(self, [&] { self.data = std::move(fresh); });
        },
        argument("from_"), argument("slice"));
    cls.def(
        "_get_many",
        [](const Table& self, nb::handle source) {
            const auto indexes = numbers_of<std::int64_t>(source, "indexes", "index");
            Frame frame;
            Indexes found;
            read_all(self, [&](const Rows& rows) {
                found = indexes_in(indexes, rows.size());
                if (found.wrong) return;
                for (const Field& field : self.schema->fields())
                    frame.gather(field, rows.columns().data(field), rows.columns().validity(field), found.slots);
            });
            expect_in_range(found, indexes);
            return arrays_at(*self.schema, frame);
        },
        argument("indexes"), nb::sig("def _get_many(self, indexes: typing.Any) -> typing.Any"));
    cls.def(
        "_update_many",
        [](Table& self, nb::handle source, nb::handle columns) {
            const auto indexes = numbers_of<std::int64_t>(source, "indexes", "index");
            const Batches batches(columns, "columns", self.schema->fields(), Source::Missing::allowed);
            if (batches.rows() != indexes.size())
                raise(PyExc_ValueError, "columns: there are " + std::to_string(batches.rows()) + " rows, and " +
                                            std::to_string(indexes.size()) + " indexes");
            Indexes found;
            at_length(self, [&] {
                found = indexes_in(indexes, self.data.read().size());
                if (!found.wrong) batches.write(writable(self).columns(), found.slots);
            });
            expect_in_range(found, indexes);
        },
        argument("indexes"), argument("columns"));
    cls.def(
        "_set_column",
        [](Table& self, nb::handle name, nb::handle values) {
            const Field& field = field_of(*self.schema, name, "");
            const Batches batches(values, "values", {&field, 1}, Source::Missing::refused);
            std::size_t size = 0;
            const bool fits = at_length(self, [&] {
                size = self.data.read().size();
                if (batches.rows() != size) return false;
                std::vector<slot_t> slots(size);
                std::iota(slots.begin(), slots.end(), slot_t{0});
                batches.write(writable(self).columns(), slots);
                return true;
            });
            if (!fits)
                raise(PyExc_ValueError, "values: there are " + std::to_string(batches.rows()) + " of them, and " +
                                            std::to_string(size) + " rows");
        },
        argument("name"), argument("values"));
    cls.def("_column", column, argument("name"), argument("copy"),
            nb::sig("def _column(self, name: str, copy: bool | None) -> numpy.typing.NDArray[typing.Any]"));
    cls.def(
        "_chunks",
        [](const Table& self, nb::handle name) {
            const Field& field = field_of(*self.schema, name, "");
            if (field.is_text()) raise_texts(name);
            const std::shared_ptr<const Rows> owner = briefly(self, [&] { return self.data.pin(); });
            const Columns& columns = owner->columns();
            nb::list arrays;
            if (owner->size() != 0)
                arrays.append(array_of(field, from_row(field, columns, 0), columns.validity(field), owner->size(), owner));
            return arrays;
        },
        argument("name"), nb::sig("def _chunks(self, name: str) -> list[numpy.typing.NDArray[typing.Any]]"));
    bind_frames(cls, [](const Table& self) { return frame_of(self); });
}

void bind_state(nb::class_<Table>& cls) {
    bind_state_of(cls, snapshot_of, restore);
    cls.def("_clear", [](Table& self) { write_all(self, [](Rows& rows) { rows.shorten(0); }); });
    cls.def("_memory_usage",
            [](const Table& self) { return read(self, [](const Rows& rows) { return rows.memory_usage(); }); });
    cls.def(
        "_equals",
        [](const Table& self, nb::handle other_object) {
            const Table& other = box_of<Table>(other_object);
            if (&self == &other) return true;
            if (!(*self.schema == *other.schema)) return false;
            return at_length_both(self, other, [&] { return self.data.read() == other.data.read(); });
        },
        argument("other"));
}

} // namespace

void bind_table(nb::module_& m) {
    static const PyType_Slot slots[] = {type_slot(Py_mp_subscript, &subscript_slot),
                                        type_slot(Py_mp_ass_subscript, &assign_slot),
                                        type_slot(Py_mp_length, &length_slot),
                                        type_slot(Py_sq_length, &length_slot),
                                        traverse_slot<Table, &Table::schema, 2>(), // its own, and that of its Columns
                                        {0, nullptr}};
    nb::class_<Table> cls(m, "Table", nb::type_slots(slots), nb::is_weak_referenceable(),
                          "The part of slotwise.Table that is C++.");
    cls.def(
        "__init__",
        [](Table* self, nb::handle schema_object, nb::handle on_write) {
            std::shared_ptr<const Schema> schema = schema_from(schema_object, "schema");
            const OnWrite chosen = on_write_of(on_write);
            new (self) Table(std::move(schema));
            self->on_write = chosen;
        },
        argument("schema"), argument("on_write"));
    bind_rows(cls);
    bind_batches(cls);
    bind_state(cls);
}

} // namespace slotwise_python
