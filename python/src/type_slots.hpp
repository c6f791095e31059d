// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Slots of types: what the interpreter calls without a dispatch of arguments. Values that go in and out of them without a Row.
#ifndef SLOTWISE_PYTHON_TYPE_SLOTS_HPP
#define SLOTWISE_PYTHON_TYPE_SLOTS_HPP

#include "columns.hpp"
#include "whole.hpp"

#include <bit>
#include <cstring>

namespace slotwise_python {

template <class F>
PyType_Slot type_slot(int id, F* function) {
    return {id, reinterpret_cast<void*>(function)};
}
/// f() for a C function of Python: an exception becomes the Python error, and the result `failed`.
template <class R, class F>
R guarded(R failed, F&& f) noexcept {
    try {
        return f();
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const nb::builtin_exception& error) {
        PyErr_SetString(error.type() == nb::exception_type::buffer_error ? PyExc_BufferError : PyExc_RuntimeError,
                        error.what());
    } catch (const std::bad_alloc&) {
        PyErr_SetString(PyExc_MemoryError, "the system gives no memory for what this call needs");
    } catch (const std::length_error& error) {
        PyErr_SetString(PyExc_OverflowError, error.what());
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return failed;
}
/// The box of an object whose class has it. @throws TypeError when __init__ has not run
template <class B>
B& ready_box(PyObject* self) {
    if (!nb::inst_ready(self)) [[unlikely]]
        raise(PyExc_TypeError, type_of(self) + ": __init__() was not called");
    return *nb::inst_ptr<B>(self);
}

//=== values of 8 bytes ===//

/// The leaf of a schema that is one number of 8 bytes, never null: values that go in and out without a Row.
enum class QuickValue : std::uint8_t { none, int64, float64 };
inline QuickValue quick_value_of(const Schema* schema) {
    if (schema == nullptr || schema->is_record() || schema->fields().size() != 1) return QuickValue::none;
    const Field& field = schema->fields()[0];
    if (field.length != 0 || field.nullable) return QuickValue::none;
    if (field.kind == Kind::float64) return QuickValue::float64;
    return field.kind == Kind::int64 ? QuickValue::int64 : QuickValue::none;
}

/// The object of such a value, which was copied under the lock. @throws MemoryError
inline nb::object quick_object(QuickValue quick, std::uint64_t bits) {
    nb::object value = nb::steal(quick == QuickValue::float64 ? PyFloat_FromDouble(std::bit_cast<double>(bits))
                                                              : PyLong_FromLongLong(static_cast<long long>(bits)));
    if (!value.is_valid()) raise_again();
    return value;
}
inline std::uint64_t quick_bits(const Columns& columns, std::size_t slot) noexcept {
    std::uint64_t bits;
    std::memcpy(&bits, columns.data(columns.schema().fields()[0]) + slot * sizeof bits, sizeof bits);
    return bits;
}

} // namespace slotwise_python

#endif
