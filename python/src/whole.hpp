// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What classes of the package share: their boxes, pins, bytes, frames, and what happens to a write under a view.
#ifndef SLOTWISE_PYTHON_WHOLE_HPP
#define SLOTWISE_PYTHON_WHOLE_HPP

#include "box.hpp"
#include "convert.hpp"
#include "growing.hpp"
#include "runs.hpp"

#include <slotwise/core/detail/seal.hpp>

#include <nanobind/stl/string.h>

#include <cstring>

namespace slotwise_python {

/// The box of a method that needs its object, too. @throws TypeError
template <class B>
B& box_of(nb::handle self) {
    B* box = nullptr;
    if (!nb::try_cast(self, box, false) || box == nullptr) raise_type("self", "an object of the class of this method", self);
    return *box;
}

inline OnWrite on_write_of(nb::handle value) {
    if (PyUnicode_Check(value.ptr()) == 0) raise_type("on_write", "'refuse' or 'detach'", value);
    const std::string text = utf8_of(value);
    if (text == "refuse") return OnWrite::refuse;
    if (text == "detach") return OnWrite::detach;
    raise(PyExc_ValueError, "on_write: 'refuse' or 'detach' is needed, not '" + text + "'");
}

enum class Copy { if_needed, always, never };
/// As the array API has it: None copies only if that is needed, False never, True always.
inline Copy copy_of(nb::handle copy) {
    if (copy.is_none()) return Copy::if_needed;
    if (!PyBool_Check(copy.ptr())) raise(PyExc_TypeError, "copy: None, True or False is needed, not " + type_of(copy));
    return copy.ptr() == Py_True ? Copy::always : Copy::never;
}
[[noreturn]] inline void raise_copy_needed(const char* why) {
    raise(PyExc_ValueError,
          std::string("copy=False: ") + why + "; pass copy=None to copy where it is needed, or take chunks()");
}

/// A bytes object of `size` bytes that fill(address) writes; null, with the error set, when Python has no memory for it. Called without the
/// GIL, which is taken for that alone: who waits for the lock of the box has released it. @throws what fill throws
template <class F>
nb::object bytes_of(std::size_t size, F&& fill) {
    nb::object result;
    {
        const GilHeld acquired;
        result = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    }
    if (!result.is_valid()) return result;
    try {
        fill(reinterpret_cast<std::byte*>(PyBytes_AS_STRING(result.ptr())));
    } catch (...) { // an object of Python ends with the GIL
        const GilHeld acquired;
        result.reset();
        throw;
    }
    return result;
}
/// The same with the checksum of the `size` bytes in 8 bytes behind them.
template <class F>
nb::object summed_bytes_of(std::size_t size, F&& fill) {
    return bytes_of(size + 8, [&](std::byte* to) {
        fill(to);
        const std::uint64_t sum = slotwise::detail::Xxh3::of(to, size);
        for (unsigned i = 0; i != 8; ++i) to[size + i] = static_cast<std::byte>(sum >> (8 * i));
    });
}
/// What bytes_of() has made under the lock, or Python's error.
inline nb::object checked_bytes(nb::object bytes) {
    if (!bytes.is_valid()) raise_again();
    return bytes;
}

/// on_write and pinned.
template <class B>
void bind_pins(nb::class_<B>& cls) {
    cls.def_prop_rw(
        "on_write",
        [](const B& self) { return briefly(self, [&] { return self.on_write; }) == OnWrite::refuse ? "refuse" : "detach"; },
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
        "The Arrow stream of all columns: pyarrow.table(x), x.to_polars(), DuckDB and others read it.");
    cls.def(
        "__arrow_c_schema__", [frame_of](const B& self) { return frame_of(self).arrow().attr("__arrow_c_schema__")(); },
        nb::sig("def __arrow_c_schema__(self) -> object"), "The Arrow schema of that stream.");
    cls.def(
        "_frame", [frame_of](const B& self) { return frame_of(self).arrow(); }, nb::sig("def _frame(self) -> ArrowStream"));
}

/// For annotations such as Map[str, float].
inline void generic(nb::handle cls) {
    const nb::object alias = nb::module_::import_("types").attr("GenericAlias");
    nb::setattr(cls, "__class_getitem__",
                nb::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyClassMethod_Type), alias.ptr())));
}

} // namespace slotwise_python

#endif
