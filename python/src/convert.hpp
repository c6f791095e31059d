// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keys and values from and to Python, with errors that name the argument.
#ifndef SLOTWISE_PYTHON_CONVERT_HPP
#define SLOTWISE_PYTHON_CONVERT_HPP

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slotwise_python {

namespace nb = nanobind;

[[noreturn]] inline void raise(PyObject* type, const std::string& text) {
    PyErr_SetString(type, text.c_str());
    throw nb::python_error();
}
inline std::string type_of(nb::handle h) { return Py_TYPE(h.ptr())->tp_name; }
inline std::string repr_of(nb::handle h) {
    std::string text = nb::repr(h).c_str();
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
}
[[noreturn]] inline void raise_missing(nb::handle key, const char* what) { raise(PyExc_KeyError, repr_of(key) + ": " + what); }

/// A key or value type: how Python names it, and the ways there and back. `what` names the argument in an error.
template <class T>
struct Py;

template <class T>
    requires(std::is_integral_v<T> && sizeof(T) == 8)
struct Py<T> {
    static constexpr const char* annotation = "int";
    static constexpr const char* label = std::is_signed_v<T> ? "int64" : "uint64";
    using look = T;

    /// Takes whatever has __index__. @throws OverflowError when it does not fit
    static T from(nb::handle h, const char* what) {
        nb::object number = nb::steal(PyLong_Check(h.ptr()) ? h.inc_ref().ptr() : PyNumber_Index(h.ptr()));
        if (!number.is_valid()) {
            PyErr_Clear();
            raise(PyExc_TypeError, std::string(what) + ": an int is needed (" + label + "), not " + type_of(h));
        }
        T result;
        if constexpr (std::is_signed_v<T>)
            result = PyLong_AsLongLong(number.ptr());
        else
            result = PyLong_AsUnsignedLongLong(number.ptr());
        if (result == static_cast<T>(-1) && PyErr_Occurred()) {
            PyErr_Clear();
            raise(PyExc_OverflowError, std::string(what) + ": " + repr_of(number) + " is no " + label + ", which is from " +
                                           std::to_string(std::numeric_limits<T>::min()) + " to " +
                                           std::to_string(std::numeric_limits<T>::max()));
        }
        return result;
    }
    static nb::object to(T value) { return nb::cast(value); }
};
template <>
struct Py<double> {
    static constexpr const char* annotation = "float";
    static constexpr const char* label = "float64";

    static double from(nb::handle h, const char* what) {
        const double result = PyFloat_AsDouble(h.ptr());
        if (result == -1.0 && PyErr_Occurred()) {
            if (PyErr_ExceptionMatches(PyExc_TypeError)) {
                PyErr_Clear();
                raise(PyExc_TypeError, std::string(what) + ": a float is needed (float64), not " + type_of(h));
            }
            throw nb::python_error();
        }
        return result;
    }
    static nb::object to(double value) { return nb::cast(value); }
};
template <>
struct Py<std::string> {
    static constexpr const char* annotation = "str";
    static constexpr const char* label = "str";
    using look = std::string_view;

    /// The text lives as long as `h`. @throws UnicodeEncodeError when it has lone surrogates
    static std::string_view from(nb::handle h, const char* what) {
        if (!PyUnicode_Check(h.ptr())) raise(PyExc_TypeError, std::string(what) + ": a str is needed, not " + type_of(h));
        Py_ssize_t size = 0;
        const char* const text = PyUnicode_AsUTF8AndSize(h.ptr(), &size);
        if (text == nullptr) throw nb::python_error();
        return {text, static_cast<std::size_t>(size)};
    }
    static nb::object to(std::string_view text) { return nb::str(text.data(), text.size()); }
};

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
template <class T>
std::vector<T> from_iterable(nb::handle source, const char* what) {
    std::vector<T> values;
    for (nb::handle item : nb::iter(source)) values.emplace_back(Py<T>::from(item, what));
    return values;
}

/// The pairs of a mapping (what has items()) or of an iterable of pairs.
template <class K, class T>
std::vector<std::pair<K, T>> pairs_of(nb::handle source) {
    std::vector<std::pair<K, T>> pairs;
    const auto add = [&](PyObject* key, PyObject* value) {
        pairs.emplace_back(K(Py<K>::from(key, "key")), Py<T>::from(value, "value"));
    };
    if (PyDict_CheckExact(source.ptr())) { // 3 times as fast as a list of pairs
        const Py_ssize_t size = PyDict_GET_SIZE(source.ptr());
        pairs.reserve(static_cast<std::size_t>(size));
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(source.ptr(), &at, &key, &value) != 0;) {
            const nb::object kept[] = {nb::borrow(key), nb::borrow(value)}; // __index__ may run code that changes the dict
            add(key, value);
            if (PyDict_GET_SIZE(source.ptr()) != size)
                raise(PyExc_RuntimeError, "source: the dict changed its size while it was read");
        }
        return pairs;
    }
    nb::object items = nb::borrow(source);
    if (nb::hasattr(source, "items"))
        items = source.attr("items")();
    else if (!nb::hasattr(source, "__iter__"))
        raise(PyExc_TypeError,
              "source: a mapping, an iterable of (key, value), or an object with __arrow_c_stream__ is needed, not " +
                  type_of(source));
    for (nb::handle item : nb::iter(items)) {
        const nb::object pair = nb::steal(PySequence_Tuple(item.ptr())); // a tuple is not copied
        if (!pair.is_valid() || PyTuple_GET_SIZE(pair.ptr()) != 2) {
            PyErr_Clear();
            raise(PyExc_TypeError, "source: each item is a pair (key, value); one of them is " + repr_of(item));
        }
        add(PyTuple_GET_ITEM(pair.ptr(), 0), PyTuple_GET_ITEM(pair.ptr(), 1));
    }
    return pairs;
}

/// Bytes of any object with the buffer protocol, held until the end of the scope.
class Bytes {
public:
    explicit Bytes(nb::handle source) {
        if (PyObject_GetBuffer(source.ptr(), &view_, PyBUF_SIMPLE) != 0) {
            PyErr_Clear();
            raise(PyExc_TypeError, "data: bytes, or an object with their buffer protocol, are needed, not " + type_of(source));
        }
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

/// Texts in which {C} is the name of a class, {K} and {V} what Python calls its keys and values, {k} and {v} their exact types, and
/// {W} the argument that says when a write happens.
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
