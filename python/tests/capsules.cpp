// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// slotwise_capsules, an extension module without a binding library: what arrow/py_capsule.hpp offers is all that it needs.
// test_capsules.py drives it.
#include <slotwise/arrow/py_capsule.hpp>

#include <slotwise/arrow/export.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/keyed/map_storage.hpp>

namespace {

using Prices = slotwise::MapStorage<std::int64_t, double>;

int alive = 0; // streams, schemas and arrays that were made and not released

// Counts the release of a struct that is released by `original`.
template <class Struct>
struct Counted {
    Struct original;
    static slotwise::detail::ArrowOwner<Struct> wrap(Struct made) {
        Struct outer = made;
        outer.private_data = new Counted{made};
        outer.release = [](Struct* self) {
            auto* const counted = static_cast<Counted*>(self->private_data);
            counted->original.release(&counted->original);
            delete counted;
            self->release = nullptr;
            --alive;
        };
        ++alive;
        return slotwise::detail::ArrowOwner<Struct>(&outer);
    }
};
// A stream passes itself to its functions, so these look for their own data.
slotwise::OwnedStream counted(ArrowArrayStream made) {
    slotwise::detail::ArrowOwner<ArrowArrayStream> wrapped = Counted<ArrowArrayStream>::wrap(made);
    static constexpr auto inner = [](ArrowArrayStream* self) {
        return &static_cast<Counted<ArrowArrayStream>*>(self->private_data)->original;
    };
    wrapped->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) { return inner(self)->get_schema(inner(self), out); };
    wrapped->get_next = [](ArrowArrayStream* self, ArrowArray* out) { return inner(self)->get_next(inner(self), out); };
    wrapped->get_last_error = [](ArrowArrayStream* self) { return inner(self)->get_last_error(inner(self)); };
    return slotwise::OwnedStream(wrapped.get());
}

Prices prices_of(long count) {
    Prices prices;
    for (long key = 0; key != count; ++key) prices.insert(key, static_cast<double>(key) / 2);
    return prices;
}

PyObject* stream(PyObject*, PyObject* count) {
    const Prices prices = prices_of(PyLong_AsLong(count));
    ArrowArrayStream raw;
    slotwise::export_stream(prices, &raw);
    return slotwise::to_py_capsule(counted(raw));
}
PyObject* array(PyObject*, PyObject* count) { // the pair that __arrow_c_array__ returns
    const Prices prices = prices_of(PyLong_AsLong(count));
    ArrowArrayStream raw;
    slotwise::export_stream(prices, &raw);
    slotwise::OwnedStream batches(&raw);
    ArrowSchema schema;
    batches.schema().move_to(&schema);
    ArrowArray batch;
    batches.next().move_to(&batch);
    return Py_BuildValue("NN", slotwise::to_py_capsule(Counted<ArrowSchema>::wrap(schema)),
                         slotwise::to_py_capsule(Counted<ArrowArray>::wrap(batch)));
}
PyObject* total(PyObject*, PyObject* arguments) {
    PyObject *source = nullptr, *requested = nullptr;
    if (PyArg_ParseTuple(arguments, "O|O", &source, &requested) == 0) return nullptr;
    slotwise::OwnedStream taken = slotwise::take_py_stream(source, requested);
    if (!taken) return nullptr;
    Prices prices;
    if (const auto result = slotwise::try_import_stream(taken.get(), prices); !result) {
        PyErr_SetString(PyExc_ValueError, result.error.c_str());
        return nullptr;
    }
    double sum = 0;
    for (const double price : prices.values()) sum += price;
    return PyFloat_FromDouble(sum);
}
PyObject* columns(PyObject*, PyObject* capsule) {
    const auto* const schema = slotwise::from_py_capsule<ArrowSchema>(capsule, "capsule");
    return schema == nullptr ? nullptr : PyLong_FromLongLong(schema->n_children);
}
PyObject* count_alive(PyObject*, PyObject*) { return PyLong_FromLong(alive); }

PyMethodDef methods[] = {{"stream", stream, METH_O, nullptr},          {"array", array, METH_O, nullptr},
                         {"total", total, METH_VARARGS, nullptr},      {"columns", columns, METH_O, nullptr},
                         {"alive", count_alive, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "slotwise_capsules", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_slotwise_capsules() { return PyModule_Create(&module); }
