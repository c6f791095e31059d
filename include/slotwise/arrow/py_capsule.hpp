// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The Arrow PyCapsule interface: structs of the C interface as Python objects, for extension modules. It needs Python.h, so
// slotwise.hpp does not include it: include it by name.
#ifndef SLOTWISE_ARROW_PY_CAPSULE_HPP
#define SLOTWISE_ARROW_PY_CAPSULE_HPP

#include <Python.h> // before the standard headers, as Python asks

#include "c_data.hpp"

#include <memory>
#include <new>

SLOTWISE_BEGIN

// Names and rules: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html. On failure these functions set
// a Python error as those of Python do, and throw nothing, so that any binding library can use them. The caller holds the GIL.

namespace detail {

template <class Struct>
struct PyCapsuleName; // not defined for other structs, which have no capsules
template <>
struct PyCapsuleName<ArrowSchema> {
    static constexpr const char* value = "arrow_schema";
};
template <>
struct PyCapsuleName<ArrowArray> {
    static constexpr const char* value = "arrow_array";
};
template <>
struct PyCapsuleName<ArrowArrayStream> {
    static constexpr const char* value = "arrow_array_stream";
};

} // namespace detail

/// The name of a capsule that holds a Struct: ArrowSchema, ArrowArray or ArrowArrayStream.
template <class Struct>
inline constexpr const char* py_capsule_name = detail::PyCapsuleName<Struct>::value;

/// Moves a struct into a capsule, which releases it unless a consumer moves it out before. Returns a new reference. If there is
/// no memory, it releases the struct, sets MemoryError and returns null.
///     return to_py_capsule(OwnedStream(&raw)); // from __arrow_c_stream__
template <class Struct>
[[nodiscard]] PyObject* to_py_capsule(detail::ArrowOwner<Struct>&& owned) noexcept {
    detail::ArrowOwner<Struct> mine(std::move(owned));
    std::unique_ptr<Struct> kept(new (std::nothrow) Struct{});
    if (kept == nullptr) return PyErr_NoMemory();
    PyObject* const capsule = PyCapsule_New(kept.get(), py_capsule_name<Struct>, [](PyObject* self) {
        const std::unique_ptr<Struct> held(static_cast<Struct*>(PyCapsule_GetPointer(self, py_capsule_name<Struct>)));
        if (held->release != nullptr) held->release(held.get());
    });
    if (capsule == nullptr) return nullptr;
    mine.move_to(kept.release());
    return capsule;
}

/// The struct in a capsule, which still owns it. Sets TypeError and returns null if `capsule` is no capsule of that name.
/// @param what names the argument in the error
template <class Struct>
[[nodiscard]] Struct* from_py_capsule(PyObject* capsule, const char* what) noexcept {
    if (PyCapsule_IsValid(capsule, py_capsule_name<Struct>) == 0) {
        PyErr_Format(PyExc_TypeError, "%s: a capsule named '%s' is needed, not %s", what, py_capsule_name<Struct>,
                     Py_TYPE(capsule)->tp_name);
        return nullptr;
    }
    return static_cast<Struct*>(PyCapsule_GetPointer(capsule, py_capsule_name<Struct>));
}

/// Takes the stream of an object with __arrow_c_stream__: tables and readers of pyarrow, frames of Polars and pandas, relations
/// of DuckDB. If there is no stream, it sets a Python error and returns an empty one: TypeError if the object has no such
/// method or the method returns something else, ValueError if the stream was taken already, and what the method raises.
/// @param requested_schema a capsule "arrow_schema" with the columns that are wanted, or null
[[nodiscard]] inline OwnedStream take_py_stream(PyObject* source, PyObject* requested_schema = nullptr) noexcept {
    struct Dropped {
        PyObject* object;
        ~Dropped() { Py_XDECREF(object); }
    };
    const Dropped method{PyObject_GetAttrString(source, "__arrow_c_stream__")};
    if (method.object == nullptr) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError) != 0)
            PyErr_Format(PyExc_TypeError, "source: an object with __arrow_c_stream__ is needed, not %s",
                         Py_TYPE(source)->tp_name);
        return {};
    }
    const Dropped capsule{PyObject_CallFunctionObjArgs(method.object, requested_schema, nullptr)};
    if (capsule.object == nullptr) return {};
    auto* const stream = from_py_capsule<ArrowArrayStream>(capsule.object, "source.__arrow_c_stream__()");
    if (stream == nullptr) return {};
    if (stream->release == nullptr) {
        PyErr_SetString(PyExc_ValueError, "source: its stream was read already; make a new one");
        return {};
    }
    return OwnedStream(stream);
}

SLOTWISE_END

#endif
