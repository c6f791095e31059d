// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMap: values of any schema under handles that it makes. The engine is a HandlePool, the values are its Columns.
#include "batches.hpp"
#include "parts.hpp"
#include "type_slots.hpp"

#include <slotwise/map/handle_pool.hpp>

namespace slotwise_python {
namespace {

struct Element; // what the handles name
using Pool = slotwise::HandlePool<Element, Columns, slotwise::AllocBy<Moving<std::byte>>,
                                  slotwise::Options<slotwise::SlotMapOptions{.max_slots = most_slots}>>;
using Handle = Pool::handle_type;
static_assert(sizeof(Handle::bits_type) == 8);

/// A pool whose Columns follow it from the first slot on.
struct SlotMap : Box<Pool> {
    explicit SlotMap(std::shared_ptr<const Schema> schema_)
        : schema(std::move(schema_)), quick_value(quick_value_of(schema.get())) {
        init(*data.write());
    }
    void init(Pool& pool) const { pool.observer<Columns>().init(schema); }

    std::shared_ptr<const Schema> schema;
    QuickValue quick_value;
};

const Columns& columns_of(const Pool& pool) { return pool.observer<Columns>(); }
Columns& columns_of(Pool& pool) { return pool.observer<Columns>(); }

const char* name_of(slotwise::HandleStatus status) {
    switch (status) {
    case slotwise::HandleStatus::null:
        return "null";
    case slotwise::HandleStatus::live:
        return "live";
    case slotwise::HandleStatus::out_of_range:
        return "unknown";
    case slotwise::HandleStatus::retired:
        return "retired";
    default:
        return "stale";
    }
}
const char* why_missing(std::string_view status) {
    if (status == "null") return "0 is no handle: none is ever made";
    if (status == "unknown") return "no handle like it was made here";
    if (status == "retired") return "its element was erased, and its slot is used up";
    return "it is stale: its element was erased, or there never was one";
}

/// The handle that `object` is, or none when no handle can be equal to it.
std::optional<Handle> find_handle(nb::handle object) {
    if (PyLong_CheckExact(object.ptr())) {
        const unsigned long long number = PyLong_AsUnsignedLongLong(object.ptr());
        if (number != ~0ull || PyErr_Occurred() == nullptr) return Handle::from_bits(number);
        PyErr_Clear();
        return std::nullopt;
    }
    const auto bits = Py<std::uint64_t>::find(object);
    return bits ? std::optional<Handle>(Handle::from_bits(*bits)) : std::nullopt;
}
[[noreturn]] void raise_no_handle(nb::handle object) {
    raise(PyExc_KeyError, "handle: " + repr_of(object) + " names no element; a handle is an int that insert() has returned");
}
/// @throws KeyError when it cannot be one
Handle handle_from(nb::handle object) {
    const auto handle = find_handle(object);
    if (!handle) raise_no_handle(object);
    return *handle;
}
std::string text_of(Handle handle) { return std::to_string(handle.to_bits()) + " (" + handle.to_text().chars + ")"; }
[[noreturn]] void raise_missing(Handle handle, const char* status) {
    raise(PyExc_KeyError, "handle: " + text_of(handle) + " names no element: " + why_missing(status));
}

std::vector<std::uint64_t> handles_of(const Pool& pool) {
    std::vector<std::uint64_t> handles;
    handles.reserve(pool.size());
    pool.for_each([&](Handle handle) { handles.push_back(handle.to_bits()); });
    return handles;
}

/// The slots of handles; no_slot where one names no element. Returns how many do not, and the first of these.
struct Resolved {
    std::vector<slot_t> slots;
    std::size_t missing = 0, first_missing = 0;
};
Resolved resolve(const Pool& pool, std::span<const std::uint64_t> handles) {
    Resolved result;
    result.slots.resize(handles.size());
    for (std::size_t i = 0; i != handles.size(); ++i) {
        const auto handle = Handle::from_bits(handles[i]);
        const bool live = pool.contains(handle);
        result.slots[i] = live ? handle.index() : no_slot;
        if (live) continue;
        if (result.missing++ == 0) result.first_missing = i;
    }
    return result;
}
[[noreturn]] void raise_missing_at(const Resolved& found, std::span<const std::uint64_t> handles, const char* status) {
    raise(PyExc_KeyError, "handles[" + std::to_string(found.first_missing) +
                              "]: " + text_of(Handle::from_bits(handles[found.first_missing])) +
                              " names no element: " + why_missing(status));
}

/// Makes `count` handles and calls fill(slots), which writes their elements. Takes them back when it throws.
template <class Fill>
std::vector<std::uint64_t> make_elements(Pool& pool, std::size_t count, Fill&& fill) {
    std::vector<std::uint64_t> handles;
    std::vector<slot_t> slots;
    handles.reserve(count);
    slots.reserve(count);
    const std::size_t needed = pool.size() + count;
    if (needed > pool.capacity()) // doubled, so that many small batches take no copy each
        pool.reserve(std::max(needed, std::min(2 * pool.capacity(), most_slots)));
    slotwise::ScopeGuard undo([&]() noexcept {
        for (const std::uint64_t bits : handles) pool.erase(Handle::from_bits(bits));
    });
    for (std::size_t i = 0; i != count; ++i) {
        const Handle handle = pool.create();
        handles.push_back(handle.to_bits());
        slots.push_back(handle.index());
    }
    fill(std::span<const slot_t>(slots));
    undo.dismiss();
    return handles;
}

// The bytes of `pool` and those of its columns.
nb::object snapshot_of(const Pool& pool) {
    SnapshotWriter out("SlotMap", columns_of(pool).schema());
    out.last_part(pool.snapshot(part_codec()));
    return out.finish(columns_of(pool), pool.occupancy());
}
void restore(SlotMap& self, std::span<const std::byte> bytes) {
    at_length(self, [&] {
        expect_writable(self);
        slotwise::Exportable<Pool> fresh;
        Pool& pool = *fresh.write();
        SnapshotReader in(bytes, "SlotMap", *self.schema);
        pool.restore(in.part(), part_codec());
        self.init(pool); // until then columns only count slots
        columns_of(pool).load(pool.occupancy(), in.rest());
        self.data = std::move(fresh); // views keep what they show
    });
}

/// All columns, and the handles in front of them if they are asked for. It pins the container.
Frame frame_of(const SlotMap& self, bool handles) {
    struct Kept {
        std::shared_ptr<const Pool> pool;
        std::vector<std::uint64_t> handles;
    };
    const auto kept = std::make_shared<Kept>();
    read_all(self, [&](const Pool& pool) {
        kept->pool = self.data.pin();
        if (handles) kept->handles = handles_of(pool);
    });
    Frame frame;
    if (handles) {
        static const Field& field = *new Field(number_field("handle", Kind::uint64)); // frames may refer to it
        frame.add(field, kept->handles.data(), nullptr, kept->handles.size(), kept);
    }
    frame.add(columns_of(*kept->pool), kept->pool->occupancy(), kept);
    return frame;
}

nb::object column(const SlotMap& self, nb::handle name_argument, nb::handle copy_argument) {
    const Copy copy = copy_of(copy_argument);
    if (PyUnicode_Check(name_argument.ptr()) && text_from(name_argument, "name") == "handle") {
        if (copy == Copy::never) raise_copy_needed("handles are made of slots and versions");
        return to_array(read_all(self, handles_of));
    }
    const Field& field = field_of(*self.schema, name_argument, "and 'handle'");
    if (copy == Copy::never && field.is_text()) raise_copy_needed("texts are made into objects of Python");
    std::shared_ptr<const Pool> owner;
    std::vector<slot_t> slots;
    Run run;
    Frame gathered;
    read_all(self, [&](const Pool& pool) {
        std::size_t count = 0;
        for_each_run(pool.occupancy(), [&](Run next) { run = next, ++count; });
        if (count <= 1) {
            owner = self.data.pin();
            return;
        }
        if (copy == Copy::never) return;
        slots.reserve(pool.size());
        for (const slot_t slot : pool.live_slots()) slots.push_back(slot);
        const Columns& columns = columns_of(pool);
        gathered.gather(field, columns.data(field), columns.validity(field), slots);
    });
    if (owner == nullptr) {
        if (copy == Copy::never) raise_copy_needed("live slots have holes between them");
        return gathered.numpy(field.path);
    }
    const Columns& columns = columns_of(*owner);
    nb::object array = array_of(field, from_row(field, columns, run.first), valid_from_row(field, columns, run.first),
                                run.size(), std::move(owner));
    return copy == Copy::always ? call(array.attr("copy")) : array;
}

nb::list chunks(const SlotMap& self, nb::handle name_argument) {
    const Field& field = field_of(*self.schema, name_argument, "");
    if (field.is_text()) raise_texts(name_argument);
    std::vector<Run> runs;
    std::shared_ptr<const Pool> owner;
    read_all(self, [&](const Pool& pool) {
        runs = runs_of(pool.occupancy());
        owner = self.data.pin();
    });
    const Columns& columns = columns_of(*owner);
    nb::list arrays;
    for (const Run run : runs)
        arrays.append(
            array_of(field, from_row(field, columns, run.first), valid_from_row(field, columns, run.first), run.size(), owner));
    return arrays;
}

bool erase(SlotMap& self, nb::handle object) {
    const auto handle = find_handle(object);
    return write(self, [&](Pool& pool) { return handle && pool.erase(*handle); });
}

/// What `map[handle]` is.
nb::object element(const SlotMap& self, nb::handle object) {
    const Handle handle = handle_from(object);
    const char* status = nullptr;
    if (self.quick_value != QuickValue::none) {
        std::uint64_t bits = 0;
        read(self, [&](const Pool& pool) {
            if (pool.contains(handle))
                bits = quick_bits(columns_of(pool), handle.index());
            else
                status = name_of(pool.explain(handle));
        });
        if (status != nullptr) raise_missing(handle, status);
        return quick_object(self.quick_value, bits);
    }
    Row row(*self.schema);
    read(self, [&](const Pool& pool) {
        if (pool.contains(handle))
            columns_of(pool).read(handle.index(), row);
        else
            status = name_of(pool.explain(handle));
    });
    if (status != nullptr) raise_missing(handle, status);
    return row.object();
}
// Writes the fields that `row` has got. @throws KeyError
void write_element(SlotMap& self, Handle handle, Row& row) {
    const char* status = nullptr;
    briefly(self, [&] {
        if (!self.data.read().contains(handle))
            status = name_of(self.data.read().explain(handle));
        else
            columns_of(writable(self)).write(handle.index(), row);
    });
    if (status != nullptr) raise_missing(handle, status);
}
void set_element(SlotMap& self, nb::handle object, nb::handle value) {
    const Handle handle = handle_from(object);
    Row row(*self.schema);
    row.take(value, "value");
    write_element(self, handle, row);
}
void erase_element(SlotMap& self, nb::handle object) {
    const Handle handle = handle_from(object);
    const char* status = nullptr;
    write(self, [&](Pool& pool) {
        if (!pool.erase(handle)) status = name_of(pool.explain(handle));
    });
    if (status != nullptr) raise_missing(handle, status);
}

PyObject* subscript_slot(PyObject* self, PyObject* handle) {
    return guarded(static_cast<PyObject*>(nullptr), [&] { return element(ready_box<SlotMap>(self), handle).release().ptr(); });
}
int assign_slot(PyObject* self, PyObject* handle, PyObject* value) {
    return guarded(-1, [&] {
        if (value != nullptr)
            set_element(ready_box<SlotMap>(self), handle, value);
        else
            erase_element(ready_box<SlotMap>(self), handle);
        return 0;
    });
}
int contains_slot(PyObject* self, PyObject* object) {
    return guarded(-1, [&] {
        const SlotMap& map = ready_box<SlotMap>(self);
        const auto handle = find_handle(object);
        return handle && read(map, [&](const Pool& pool) { return pool.contains(*handle); }) ? 1 : 0;
    });
}
Py_ssize_t length_slot(PyObject* self) {
    return guarded(Py_ssize_t{-1}, [&] {
        return read(ready_box<SlotMap>(self), [](const Pool& pool) { return static_cast<Py_ssize_t>(pool.size()); });
    });
}

void bind_access(nb::class_<SlotMap>& cls) {
    cls.def(
        "_get",
        [](const SlotMap& self, nb::handle object, nb::handle otherwise) -> nb::object {
            const auto handle = find_handle(object);
            std::optional<Row> row;
            if (handle)
                read(self, [&](const Pool& pool) {
                    if (pool.contains(*handle)) row = row_at(columns_of(pool), handle->index());
                });
            return row ? row->object() : nb::borrow(otherwise);
        },
        argument("handle"), argument("default"), nb::sig("def _get(self, handle: object, default: typing.Any) -> typing.Any"));
    cls.def("_erase", erase, argument("handle"));
    cls.def(
        "_explain",
        [](const SlotMap& self, nb::handle object) {
            const auto handle = find_handle(object);
            return handle ? read(self, [&](const Pool& pool) { return name_of(pool.explain(*handle)); }) : "unknown";
        },
        argument("handle"), nb::sig("def _explain(self, handle: object) -> str"));
    cls.def(
        "_insert",
        [](SlotMap& self, nb::handle value, nb::handle named) {
            Row row(*self.schema);
            if (named.is_none())
                row.take(value, "value");
            else
                row.take(named, "value");
            return write(self, [&](Pool& pool) {
                const Handle handle = pool.create();
                columns_of(pool).write(handle.index(), row);
                return handle.to_bits();
            });
        },
        argument("value"), argument("named"));
    cls.def(
        "_set",
        [](SlotMap& self, nb::handle object, nb::handle named) {
            const Handle handle = handle_from(object);
            Row row(*self.schema);
            row.take_named(named);
            write_element(self, handle, row);
        },
        argument("handle"), argument("named"));
    cls.def(
        "_pop",
        [](SlotMap& self, nb::handle object, bool refuse_missing) -> nb::object {
            const auto handle = find_handle(object);
            if (!handle) {
                if (refuse_missing) raise_no_handle(object);
                return nb::none();
            }
            std::optional<Row> row;
            const char* status = nullptr;
            write(self, [&](Pool& pool) {
                if (!pool.contains(*handle)) {
                    status = name_of(pool.explain(*handle));
                    return;
                }
                row = row_at(columns_of(pool), handle->index());
                pool.erase(*handle);
            });
            if (row) return nb::make_tuple(row->object());
            if (refuse_missing) raise_missing(*handle, status);
            return nb::none();
        },
        argument("handle"), argument("refuse_missing"),
        nb::sig("def _pop(self, handle: object, refuse_missing: bool) -> tuple[typing.Any] | None"));
}

void bind_batches(nb::class_<SlotMap>& cls) {
    static const auto insert_columns = [](SlotMap& self, nb::handle source, const char* argument_name) {
        const Batches batches(source, argument_name, self.schema->fields(), Source::Missing::refused);
        return to_array(write_all(self, [&](Pool& pool) {
            return make_elements(pool, batches.rows(),
                                 [&](std::span<const slot_t> slots) { batches.write(columns_of(pool), slots); });
        }));
    };
    cls.def(
        "_insert_many", [](SlotMap& self, nb::handle source) { return insert_columns(self, source, "columns"); },
        argument("columns"), nb::sig("def _insert_many(self, columns: typing.Any) -> numpy.typing.NDArray[numpy.uint64]"));
    cls.def(
        "_extend",
        [](SlotMap& self, nb::handle source) {
            if (has_columns(source)) return insert_columns(self, source, "values");
            std::vector<Row> rows = rows_of(*self.schema, source, "values");
            return to_array(write_all(self, [&](Pool& pool) {
                return make_elements(pool, rows.size(), [&](std::span<const slot_t> slots) {
                    for (std::size_t i = 0; i != rows.size(); ++i) columns_of(pool).write(slots[i], rows[i]);
                });
            }));
        },
        argument("values"), nb::sig("def _extend(self, values: typing.Any) -> numpy.typing.NDArray[numpy.uint64]"));
    cls.def(
        "_get_many",
        [](const SlotMap& self, nb::handle source, nb::handle missing) {
            const std::string how = text_from(missing, "missing");
            if (how != "raise" && how != "null")
                raise(PyExc_ValueError, "missing: 'raise' or 'null' is needed, not " + repr_of(missing));
            const bool refuse_missing = how == "raise";
            const auto handles = numbers_of<std::uint64_t>(source, "handles", "handle");
            Frame frame;
            Resolved found;
            const char* status = nullptr;
            read_all(self, [&](const Pool& pool) {
                found = resolve(pool, handles);
                if (found.missing != 0 && refuse_missing) {
                    status = name_of(pool.explain(Handle::from_bits(handles[found.first_missing])));
                    return;
                }
                const Columns& columns = columns_of(pool);
                for (Field field : self.schema->fields()) {
                    field.nullable = field.nullable || !refuse_missing; // masked, whatever is found
                    frame.gather(field, columns.data(field), columns.validity(field), found.slots);
                }
            });
            if (status != nullptr) raise_missing_at(found, handles, status);
            return arrays_at(*self.schema, frame);
        },
        argument("handles"), argument("missing"),
        nb::sig("def _get_many(self, handles: typing.Any, missing: str) -> typing.Any"));
    cls.def(
        "_update_many",
        [](SlotMap& self, nb::handle source, nb::handle columns) {
            const auto handles = numbers_of<std::uint64_t>(source, "handles", "handle");
            const Batches batches(columns, "columns", self.schema->fields(), Source::Missing::allowed);
            if (batches.rows() != handles.size())
                raise(PyExc_ValueError, "columns: there are " + std::to_string(batches.rows()) + " rows, and " +
                                            std::to_string(handles.size()) + " handles");
            Resolved found;
            const char* status = nullptr;
            at_length(self, [&] {
                found = resolve(self.data.read(), handles);
                if (found.missing != 0) {
                    status = name_of(self.data.read().explain(Handle::from_bits(handles[found.first_missing])));
                    return;
                }
                batches.write(columns_of(writable(self)), found.slots);
            });
            if (status != nullptr) raise_missing_at(found, handles, status);
        },
        argument("handles"), argument("columns"));
    cls.def(
        "_erase_many",
        [](SlotMap& self, nb::handle source) {
            const auto handles = numbers_of<std::uint64_t>(source, "handles", "handle");
            return write_all(self, [&](Pool& pool) {
                std::size_t erased = 0;
                for (const std::uint64_t bits : handles) erased += pool.erase(Handle::from_bits(bits)) ? 1 : 0;
                return erased;
            });
        },
        argument("handles"));
    cls.def(
        "_contains_many",
        [](const SlotMap& self, nb::handle source) {
            const auto handles = numbers_of<std::uint64_t>(source, "handles", "handle");
            std::vector<std::uint8_t> found(handles.size());
            read_all(self, [&](const Pool& pool) {
                for (std::size_t i = 0; i != handles.size(); ++i)
                    found[i] = pool.contains(Handle::from_bits(handles[i])) ? 1 : 0;
            });
            return to_array(std::move(found)).attr("view")("bool");
        },
        argument("handles"), nb::sig("def _contains_many(self, handles: typing.Any) -> numpy.typing.NDArray[numpy.bool_]"));
    cls.def(
        "_handles", [](const SlotMap& self) { return to_array(read_all(self, handles_of)); },
        nb::sig("def _handles(self) -> numpy.typing.NDArray[numpy.uint64]"));
    cls.def(
        "_rows",
        [](const SlotMap& self) { // handles and elements of one moment
            std::vector<Row> rows;
            std::vector<std::uint64_t> handles;
            read_all(self, [&](const Pool& pool) {
                handles = handles_of(pool);
                rows.reserve(handles.size());
                for (const slot_t slot : pool.live_slots()) rows.push_back(row_at(columns_of(pool), slot));
            });
            return nb::make_tuple(to_list(handles), objects_of(rows));
        },
        nb::sig("def _rows(self) -> tuple[list[int], list[typing.Any]]"));
    cls.def("_column", column, argument("name"), argument("copy"),
            nb::sig("def _column(self, name: str, copy: bool | None) -> numpy.typing.NDArray[typing.Any]"));
    cls.def("_chunks", chunks, argument("name"),
            nb::sig("def _chunks(self, name: str) -> list[numpy.typing.NDArray[typing.Any]]"));
    bind_frames(cls, [](const SlotMap& self) { return frame_of(self, true); });
}

void bind_state(nb::class_<SlotMap>& cls) {
    bind_state_of(cls, snapshot_of, restore);
    cls.def("_clear", [](SlotMap& self) { write_all(self, [](Pool& pool) { pool.clear(); }); });
    cls.def("_memory_usage", [](const SlotMap& self) {
        return read(self, [](const Pool& pool) { return pool.memory_usage() + columns_of(pool).memory_usage(); });
    });
    cls.def(
        "_equals",
        [](const SlotMap& self, nb::handle other_object) {
            const SlotMap& other = box_of<SlotMap>(other_object);
            if (&self == &other) return true;
            if (!(*self.schema == *other.schema)) return false;
            return at_length_both(self, other, [&] {
                const Pool &a = self.data.read(), &b = other.data.read();
                if (!(a == b)) return false;
                for (const slot_t slot : a.live_slots())
                    if (!columns_of(a).equal(slot, columns_of(b), slot)) return false;
                return true;
            });
        },
        argument("other"));
}

} // namespace

void bind_slot_map(nb::module_& m) {
    static const PyType_Slot slots[] = {type_slot(Py_mp_subscript, &subscript_slot),
                                        type_slot(Py_mp_ass_subscript, &assign_slot),
                                        type_slot(Py_mp_length, &length_slot),
                                        type_slot(Py_sq_contains, &contains_slot),
                                        traverse_slot<SlotMap, &SlotMap::schema, 2>(), // its own, and that of its Columns
                                        {0, nullptr}};
    nb::class_<SlotMap> cls(m, "SlotMap", nb::type_slots(slots), nb::is_weak_referenceable(),
                            "The part of slotwise.SlotMap that is C++.");
    cls.def(
        "__init__",
        [](SlotMap* self, nb::handle value, nb::handle on_write) {
            std::shared_ptr<const Schema> schema = schema_from(value, "value");
            const OnWrite chosen = on_write_of(on_write);
            if (schema->find("handle") != nullptr)
                raise(PyExc_ValueError, "value: a field can not be named 'handle', which is the column of the handles");
            new (self) SlotMap(std::move(schema));
            self->on_write = chosen;
        },
        argument("value"), argument("on_write"));
    bind_access(cls);
    bind_batches(cls);
    bind_state(cls);
}

} // namespace slotwise_python
