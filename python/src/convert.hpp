// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keys and values from and to Python, with errors that name the argument.
#ifndef SLOTWISE_PYTHON_CONVERT_HPP
#define SLOTWISE_PYTHON_CONVERT_HPP

#include "gil.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slotwise_python {

namespace nb = nanobind;

// Every exception of a user's code that runs here (__index__, __float__, __hash__, __iter__, keys() ...) is passed on as it is,
// KeyboardInterrupt, too: an error is replaced by one of our own only where no such code has run.

[[noreturn]] inline void raise(PyObject* type, const std::string& text) {
    const nb::object message = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    if (message.is_valid()) PyErr_SetObject(type, message.ptr());
    throw nb::python_error();
}
/// Passes on the Python error there is.
[[noreturn]] inline void raise_again() { throw nb::python_error(); }

/// Whether a * b is more than 64 bits hold; otherwise `product` gets it. Visual C++ has no builtin for it. @pre b > 0
inline bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& product) noexcept {
    if (a > std::numeric_limits<std::int64_t>::max() / b || a < std::numeric_limits<std::int64_t>::min() / b) return true;
    product = a * b;
    return false;
}

inline std::string type_of(nb::handle h) { return Py_TYPE(h.ptr())->tp_name; }
inline std::string utf8_of(nb::handle text) {
    const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) raise_again();
    return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}
inline std::string repr_of(nb::handle h) {
    nb::object text = nb::steal(PyObject_Repr(h.ptr()));
    if (!text.is_valid()) {
        if (!PyLong_CheckExact(h.ptr()) || PyErr_ExceptionMatches(PyExc_ValueError) == 0) raise_again();
        PyErr_Clear();
        return "an int of thousands of digits";
    }
    if (PyUnicode_GET_LENGTH(text.ptr()) <= 60) return utf8_of(text);
    text = nb::steal(PyUnicode_Substring(text.ptr(), 0, 57));
    if (!text.is_valid()) raise_again();
    return utf8_of(text) + "...";
}
[[noreturn]] inline void raise_missing(nb::handle key, const char* what) { raise(PyExc_KeyError, repr_of(key) + ": " + what); }
/// `what` names the argument, `needed` says what it must be.
[[noreturn]] inline void raise_type(const char* what, const std::string& needed, nb::handle given) {
    raise(PyExc_TypeError, std::string(what) + ": " + needed + " is needed, not " + type_of(given));
}

/// An argument by name that may be None, as far as the binding library is concerned: our own conversions have better words.
template <class... Default>
auto argument(const char* name, const Default&... value) {
    if constexpr (sizeof...(Default) == 0)
        return nb::arg(name).none();
    else
        return (nb::arg(name).none() = (value, ...));
}

/// The attribute, or nothing where there is none.
inline nb::object attribute_of(nb::handle h, const char* name) {
    nb::object attribute = nb::steal(PyObject_GetAttrString(h.ptr(), name));
    if (!attribute.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) raise_again();
        PyErr_Clear();
    }
    return attribute;
}
/// Calls a method without arguments.
inline nb::object call(nb::handle function) {
    nb::object result = nb::steal(PyObject_CallNoArgs(function.ptr()));
    if (!result.is_valid()) raise_again();
    return result;
}
inline bool is_iterable(nb::handle h) {
    return Py_TYPE(h.ptr())->tp_iter != nullptr || (PySequence_Check(h.ptr()) != 0 && !PyDict_Check(h.ptr()));
}
/// Calls f(item) for each item.
template <class F>
void each_item(nb::handle source, const char* what, const char* needed, F&& f) {
    if (!is_iterable(source)) raise_type(what, needed, source);
    for (nb::handle item : nb::iter(source)) f(nb::borrow(item));
}
/// The members of an item of `source`, a tuple; nothing where it is not iterable or has another number of them.
inline nb::object members_of(nb::handle item, Py_ssize_t count) {
    if (!is_iterable(item)) return {};
    nb::object members = nb::steal(PySequence_Tuple(item.ptr())); // a tuple is not copied
    if (!members.is_valid()) raise_again();
    return PyTuple_GET_SIZE(members.ptr()) == count ? members : nb::object();
}
/// That a key which no container of ours can have could be one of a dict. @throws TypeError when it could not, and what its
/// __hash__ throws
inline void expect_hashable(nb::handle key) {
    if (PyObject_Hash(key.ptr()) == -1) raise_again();
}

/// A key or value type: how Python names it, and the ways there and back. `what` names the argument in an error.
///     from()  the number or text, or an error that names the argument: for what is written
///     find()  the same, or nothing where no key can be equal, as a dict would have it: for what is looked up
template <class T>
struct Py;

template <class T>
    requires(std::is_integral_v<T> && sizeof(T) == 8)
struct Py<T> {
    static constexpr const char* label = std::is_signed_v<T> ? "int64" : "uint64";
    using look = T;

    /// Takes whatever has __index__. @throws OverflowError when it does not fit
    static T from(nb::handle h, const char* what) {
        if (PyIndex_Check(h.ptr()) == 0) raise_type(what, std::string("an int (") + label + ")", h);
        const nb::object number = int_of(h);
        T result;
        if (!fits(number, result))
            raise(PyExc_OverflowError, std::string(what) + ": " + repr_of(number) + " is no " + label + ", which is from " +
                                           std::to_string(std::numeric_limits<T>::min()) + " to " +
                                           std::to_string(std::numeric_limits<T>::max()));
        return result;
    }
    static std::optional<T> find(nb::handle h) {
        nb::object number;
        if (PyFloat_Check(h.ptr()) != 0) { // 1.0 is 1 as a key of a dict
            const double value = PyFloat_AS_DOUBLE(h.ptr());
            if (!(value >= -0x1p63 && value < 0x1p64) || value != std::floor(value)) return std::nullopt;
            number = nb::steal(PyLong_FromDouble(value));
            if (!number.is_valid()) raise_again();
        } else if (PyIndex_Check(h.ptr()) != 0) {
            number = int_of(h);
        } else {
            expect_hashable(h);
            return std::nullopt;
        }
        T result;
        return fits(number, result) ? std::optional<T>(result) : std::nullopt;
    }
    static nb::object to(T value) { return nb::cast(value); }

private:
    static nb::object int_of(nb::handle h) {
        nb::object number = nb::steal(PyLong_Check(h.ptr()) ? h.inc_ref().ptr() : PyNumber_Index(h.ptr()));
        if (!number.is_valid()) raise_again();
        return number;
    }
    static bool fits(nb::handle number, T& result) {
        if constexpr (std::is_signed_v<T>)
            result = PyLong_AsLongLong(number.ptr());
        else
            result = PyLong_AsUnsignedLongLong(number.ptr());
        if (result != static_cast<T>(-1) || PyErr_Occurred() == nullptr) return true;
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) raise_again();
        PyErr_Clear();
        return false;
    }
};
template <>
struct Py<std::string> {
    static constexpr const char* label = "str";
    using look = std::string_view;

    /// The text lives as long as `h`. @throws UnicodeEncodeError that names the argument when it has lone surrogates
    static std::string_view from(nb::handle h, const char* what) {
        if (!PyUnicode_Check(h.ptr())) raise_type(what, "a str", h);
        if (const auto text = utf8(h)) return *text;
        nb::python_error error; // takes the UnicodeEncodeError
        const std::string reason = std::string(what) + ": surrogates not allowed";
        PyUnicodeEncodeError_SetReason(error.value().ptr(), reason.c_str());
        throw error;
    }
    static std::optional<std::string_view> find(nb::handle h) {
        if (!PyUnicode_Check(h.ptr())) {
            expect_hashable(h);
            return std::nullopt;
        }
        const auto text = utf8(h);
        if (!text) PyErr_Clear();
        return text;
    }
    static nb::object to(std::string_view text) { return nb::str(text.data(), text.size()); }

private:
    /// Nothing, with the error set, when it has lone surrogates.
    static std::optional<std::string_view> utf8(nb::handle h) {
        Py_ssize_t size = 0;
        if (const char* const text = PyUnicode_AsUTF8AndSize(h.ptr(), &size))
            return std::string_view(text, static_cast<std::size_t>(size));
        if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) raise_again();
        return std::nullopt;
    }
};
/// A value that may be none, which is None.
template <class T>
struct Py<std::optional<T>> {
    static std::optional<T> from(nb::handle h, const char* what) {
        return h.is_none() ? std::nullopt : std::optional<T>(Py<T>::from(h, what));
    }
    static nb::object to(const std::optional<T>& value) { return value ? Py<T>::to(*value) : nb::none(); }
};

/// Arguments that are no keys or values.
inline bool flag_from(nb::handle h, const char* what) {
    if (!PyBool_Check(h.ptr())) raise_type(what, "True or False", h);
    return h.ptr() == Py_True;
}
inline std::string text_from(nb::handle h, const char* what) { return std::string(Py<std::string>::from(h, what)); }
/// A number of elements. @param most as many fit
inline std::size_t count_from(nb::handle h, const char* what, std::size_t most) {
    if (PyIndex_Check(h.ptr()) == 0) raise_type(what, "an int", h);
    const nb::object number = nb::steal(PyNumber_Index(h.ptr()));
    if (!number.is_valid()) raise_again();
    int beyond = 0;
    const long long count = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
    if (count == -1 && PyErr_Occurred() != nullptr) raise_again();
    if (beyond < 0 || (beyond == 0 && count < 0))
        raise(PyExc_ValueError, std::string(what) + ": at least 0 is needed, not " + repr_of(number));
    if (beyond > 0 || static_cast<unsigned long long>(count) > most)
        raise(PyExc_OverflowError,
              std::string(what) + ": " + repr_of(number) + " is more than the " + std::to_string(most) + " elements that fit");
    return static_cast<std::size_t>(count);
}

template <class Range>
nb::list to_list(const Range& values) {
    const auto size = static_cast<Py_ssize_t>(values.size());
    nb::list list = nb::steal<nb::list>(PyList_New(size));
    if (!list.is_valid()) throw nb::python_error();
    Py_ssize_t i = 0;
    for (const auto& value : values)
        PyList_SET_ITEM(list.ptr(), i++, Py<typename Range::value_type>::to(value).release().ptr());
    return list;
}

/// Calls add(key, value) for each pair of a mapping (what has items(), or keys() and [key]) or of an iterable of pairs.
template <class Add>
void each_pair(nb::handle source, const char* needed, Add&& add) {
    if (PyDict_CheckExact(source.ptr())) { // 3 times as fast as a list of pairs
        const Py_ssize_t size = PyDict_GET_SIZE(source.ptr());
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(source.ptr(), &at, &key, &value) != 0;) {
            const nb::object kept[] = {nb::borrow(key), nb::borrow(value)}; // __index__ may run code that changes the dict
            add(kept[0], kept[1]);
            if (PyDict_GET_SIZE(source.ptr()) != size)
                raise(PyExc_RuntimeError, "source: the dict changed its size while it was read");
        }
        return;
    }
    nb::object pairs = nb::borrow(source);
    if (const nb::object items = attribute_of(source, "items"); items.is_valid()) {
        pairs = call(items);
    } else if (const nb::object keys = attribute_of(source, "keys"); keys.is_valid()) {
        each_item(call(keys), "source.keys()", "an iterable", [&](nb::handle key) {
            const nb::object value = nb::steal(PyObject_GetItem(source.ptr(), key.ptr()));
            if (!value.is_valid()) raise_again();
            add(key, value);
        });
        return;
    }
    each_item(pairs, "source", needed, [&](nb::handle item) {
        const nb::object pair = members_of(item, 2);
        if (!pair.is_valid())
            raise(PyExc_TypeError, "source: each item is a pair (key, value); one of them is " + repr_of(item));
        add(PyTuple_GET_ITEM(pair.ptr(), 0), PyTuple_GET_ITEM(pair.ptr(), 1));
    });
}

/// Whether it is numpy.ma.masked, which float() makes NaN of: it stands for no value, as None does.
inline bool is_masked(nb::handle h) {
    if (std::strcmp(Py_TYPE(h.ptr())->tp_name, "MaskedConstant") != 0) return false;
    const nb::object module = attribute_of(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(h.ptr()))), "__module__");
    return module.is_valid() && PyUnicode_Check(module.ptr()) && utf8_of(module).starts_with("numpy.ma");
}

/// Bytes of any object with the buffer protocol, held until the end of the scope.
class Bytes {
public:
    explicit Bytes(nb::handle source) {
        if (PyObject_CheckBuffer(source.ptr()) == 0)
            raise(PyExc_TypeError, "data: bytes, or an object with their buffer protocol, are needed, not " + type_of(source));
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) == 0) return;
        if (PyErr_ExceptionMatches(PyExc_BufferError) == 0) raise_again();
        PyErr_Clear(); // it has strides: what bytes() makes of it
        const nb::object copy = nb::steal(PyBytes_FromObject(source.ptr()));
        if (!copy.is_valid() || PyObject_GetBuffer(copy.ptr(), &view_, PyBUF_SIMPLE) != 0) raise_again();
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes() { PyBuffer_Release(&view_); }
    std::span<const std::byte> span() const {
        return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
    }

private:
    Py_buffer view_{};
};

inline nb::bytes to_bytes(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/// A read-only array of one dimension over memory that `owner` keeps.
template <class T, class Owner>
nb::object to_array(const T* data, std::size_t size, Owner owner) {
    auto kept = std::make_unique<Owner>(std::move(owner));
    nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<Owner*>(p); });
    kept.release();
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {size}, capsule));
}
template <class T>
nb::object to_array(std::vector<T> values) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    const T* const data = owner->data();
    const std::size_t size = owner->size();
    return to_array(data, size, std::move(owner));
}

/// What has == by value and can change is no key of a dict.
inline void unhashable(nb::handle cls) { nb::setattr(cls, "__hash__", nb::none()); }

/// Texts in which {C} is the name of a class, and {D} that of the column which it shows by default.
class Words {
public:
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    explicit Words(Pairs words) : words_(std::move(words)) {}
    /// The text lives as long as the process: nanobind keeps pointers to signatures.
    const char* operator()(std::string text) const {
        for (const auto& [word, meaning] : words_)
            for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += meaning.size())
                text.replace(at, word.size(), meaning);
        static auto& kept = *new std::vector<std::unique_ptr<std::string>>(); // never destroyed
        return kept.emplace_back(std::make_unique<std::string>(std::move(text)))->c_str();
    }
    nb::sig sig(const char* text) const { return nb::sig((*this)(text)); }

private:
    Pairs words_;
};

} // namespace slotwise_python

#endif
