// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a call that fails says: errors of the binding library and of C++ in the words of Python.
#ifndef SLOTWISE_PYTHON_CALLS_HPP
#define SLOTWISE_PYTHON_CALLS_HPP

#include "convert.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace slotwise_python {

/// The text of an exception of C++ without names of functions and arguments of C++.
inline std::string python_words(std::string text) {
    static constexpr std::pair<const char*, const char*> words[] = {
        {"series write(time): time is \"never\", the lowest value of its type, at which nothing can be written; give a later "
         "one",
         "time: -2**63 stands for \"never\", at which nothing can be written; give a later one"},
        {"series write(time): time ", "time: "},
        {"; write_late(time) joins that window", "; write at that time or later"},
        {"; apply it lenient to leave it", ""},
        {"; apply it lenient to go on", ""},
        {"; apply it lenient to create it", ""},
        {"apply(delta): ", "delta: "},
        {"apply_delta: ", "delta: "},
        {"import_stream: ", "source: "},
        {"slot map at(handle): no element has this handle; ask get(handle) or explain(handle)",
         "handle: no element has this handle; get(handle) returns None or a default instead"},
    };
    for (const auto& [theirs, ours] : words)
        if (const std::size_t at = text.find(theirs); at != std::string::npos) text.replace(at, std::strlen(theirs), ours);
    if (text.starts_with("snapshot: ")) return "data: this is no snapshot of this class: " + text.substr(10);
    // What begins with a function of C++ and its arguments.
    const std::size_t opened = text.find('('), closed = text.find("): ");
    if (closed != std::string::npos && opened < closed && text.find(':') > closed) text.erase(0, closed + 3);
    if (const std::size_t colon = text.find(": "), scope = text.find("::"); scope < colon) text.erase(0, colon + 2);
    return text;
}

/// Exceptions of C++ as those of Python.
inline void translate(const std::exception_ptr& error, void*) {
    const auto set = [](PyObject* type, const std::string& text) {
        const nb::object message =
            nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
        if (message.is_valid()) PyErr_SetObject(type, message.ptr());
    };
    try {
        std::rethrow_exception(error);
    } catch (const std::length_error& e) { // a container can not hold that many
        set(PyExc_OverflowError, python_words(e.what()));
    } catch (const std::out_of_range& e) {
        set(PyExc_KeyError, python_words(e.what()));
    } catch (const std::invalid_argument& e) {
        set(PyExc_ValueError, python_words(e.what()));
    } catch (const std::bad_alloc&) {
        set(PyExc_MemoryError, "the system gives no memory for what this call needs");
    }
}

/// Where the arguments of a call do not fit its signature, the binding library lists types of C++. Python's own words are
/// better: the signature that the stub has is compiled to a function that does nothing, and called with the same arguments.
class Calls {
public:
    /// Has the functions of the module, and the methods and properties of its classes, call through here.
    static void improve(nb::module_& m) {
        for (nb::handle thing : m.attr("__dict__").attr("values")()) {
            improve_one(thing);
            if (PyType_Check(thing.ptr()))
                for (nb::handle member : thing.attr("__dict__").attr("values")()) improve_one(member);
        }
    }

private:
    static constexpr std::size_t most = 8; // the binding library has six
    static inline vectorcallfunc theirs_[most] = {};

    static vectorcallfunc& pointer_of(PyObject* function) {
        return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) + Py_TYPE(function)->tp_vectorcall_offset);
    }
    static void improve_one(nb::handle thing) {
        if (PyObject_TypeCheck(thing.ptr(), &PyProperty_Type)) {
            for (const char* const part : {"fget", "fset"}) improve_one(thing.attr(part));
            return;
        }
        if (!type_of(thing).starts_with("nanobind.nb_") || Py_TYPE(thing.ptr())->tp_vectorcall_offset <= 0) return;
        vectorcallfunc& pointer = pointer_of(thing.ptr());
        const bool makes = utf8_of(nb::str(nb::object(attribute_of(thing, "__name__")))) == "__init__";
        replace(pointer, makes, std::make_index_sequence<most>());
    }
    template <std::size_t... N>
    static void replace(vectorcallfunc& pointer, bool makes, std::index_sequence<N...>) {
        static constexpr vectorcallfunc calls[] = {&call<N>...}, inits[] = {&call_init<N>...};
        const vectorcallfunc* const ours = makes ? inits : calls;
        for (std::size_t n = 0; n != most; ++n) {
            if (pointer == calls[n] || pointer == inits[n]) return;
            if (theirs_[n] != nullptr && theirs_[n] != pointer) continue;
            theirs_[n] = pointer;
            pointer = ours[n];
            return;
        }
    }
    template <std::size_t N>
    static PyObject* call(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
        PyObject* const result = theirs_[N](function, arguments, count, names);
        if (result == nullptr) [[unlikely]]
            explain(function, arguments, count, names);
        return result;
    }
    /// __init__ of an object that is made already: the binding library warns, and calls no code of this module.
    template <std::size_t N>
    static PyObject* call_init(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) {
        const bool bound = (static_cast<std::size_t>(PyVectorcall_NARGS(count)) & 0xFFFF'FFFFu) != 0;
        if (bound && nb::inst_check(arguments[0]) && nb::inst_ready(arguments[0])) {
            PyErr_SetString(PyExc_TypeError, ("__init__(): this " + type_of(arguments[0]) +
                                              " is made already, and can not be made again: make another object")
                                                 .c_str());
            return nullptr;
        }
        return call<N>(function, arguments, count, names);
    }
    /// @pre an error is set, which stays unless it is the binding library's
    static void explain(PyObject* function, PyObject* const* arguments, std::size_t count, PyObject* names) noexcept {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
        try {
            nb::python_error error;
            if (std::strstr(utf8_of(nb::str(error.value())).c_str(), "(): incompatible function arguments") == nullptr) {
                error.restore();
                return;
            }
            // The binding library marks calls of __init__ by a bit beside the count.
            const std::size_t positional = static_cast<std::size_t>(PyVectorcall_NARGS(count)) & 0xFFFF'FFFFu;
            const nb::handle self = positional != 0 ? arguments[0] : nullptr;
            const auto name = nb::str(nb::handle(function).attr("__name__"));
            const std::string signature = utf8_of(nb::str(nb::object(nb::handle(function).attr("__nb_signature__")[0][0])));
            const std::string code = "from __future__ import annotations\n" + signature + ": pass\n";
            nb::dict scope;
            scope["__builtins__"] = nb::borrow(PyEval_GetBuiltins());
            if (!nb::steal(PyRun_String(code.c_str(), Py_file_input, scope.ptr(), scope.ptr())).is_valid()) raise_again();
            if (!scope.contains(name)) // the getter of a property, which has no name
                raise(PyExc_TypeError, "self: " + (self.is_valid() ? type_of(self) : "nothing") +
                                           " is not of the class of this property, or __init__() was not called");
            const nb::object twin = scope[name];
            twin.attr("__qualname__") = nb::handle(function).attr("__qualname__");
            if (!nb::steal(PyObject_Vectorcall(twin.ptr(), arguments, positional, names)).is_valid()) raise_again();
            std::string called = utf8_of(name); // a part of a method of Python has its name behind an underscore
            if (called.starts_with('_') && !called.starts_with("__")) called.erase(0, 1);
            raise(PyExc_TypeError, called + "(): self: " + (self.is_valid() ? type_of(self) : "nothing") +
                                       " is not of the class of this method, or not in the state that this method needs");
        } catch (nb::python_error& error) {
            error.restore();
        } catch (const std::exception& error) {
            PyErr_SetString(PyExc_TypeError, error.what());
        }
    }
};

} // namespace slotwise_python

#endif
