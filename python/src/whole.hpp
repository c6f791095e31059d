// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every class of the package has: size, snapshots, pickling, copies, what happens to a write under a view, runs of live slots.
#ifndef SLOTWISE_PYTHON_WHOLE_HPP
#define SLOTWISE_PYTHON_WHOLE_HPP

#include "box.hpp"
#include "convert.hpp"
#include "growing.hpp"
#include "runs.hpp"

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

/// The values of a column whose slots are one span: shared with the container where live slots are one run, otherwise gathered.
template <class B, class Span>
nb::object column_of_span(const B& box, Span span_of, nb::handle copy_argument) {
    using T = std::remove_const_t<typename decltype(span_of(box.data.read()))::element_type>;
    const Copy copy = copy_of(copy_argument);
    std::shared_ptr<const typename B::container> owner;
    Run run;
    std::vector<T> gathered;
    read_all(box, [&](const auto& c) {
        const auto live = c.occupancy();
        std::size_t count = 0;
        for_each_run(live, [&](Run next) { run = next, ++count; });
        if (copy != Copy::always && count <= 1) {
            owner = box.data.pin();
            return;
        }
        if (copy == Copy::never) return;
        gathered.reserve(c.size());
        const auto span = span_of(c);
        for_each_run(live,
                     [&](Run next) { gathered.insert(gathered.end(), &span[next.first], &span[next.first] + next.size()); });
    });
    if (owner != nullptr) {
        const T* const data = run.size() == 0 ? nullptr : &span_of(*owner)[run.first];
        return to_array(data, run.size(), std::move(owner));
    }
    if (copy == Copy::never) raise_copy_needed("live slots have holes between them");
    return to_array(std::move(gathered));
}
/// An array for each run of live slots; none is a copy.
template <class B, class Span>
nb::list chunks_of_span(const B& box, Span span_of) {
    std::vector<Run> runs;
    std::shared_ptr<const typename B::container> owner;
    read_all(box, [&](const auto& c) {
        runs = runs_of(c.occupancy());
        owner = box.data.pin();
    });
    nb::list arrays;
    for (const Run run : runs) arrays.append(to_array(&span_of(*owner)[run.first], run.size(), owner));
    return arrays;
}

/// What binds alike for every container.
template <class B>
void bind_whole(nb::class_<B>& cls, const Words& words) {
    using C = typename B::container;
    cls.def(
        "__init__",
        [](B* self, nb::handle on_write) {
            const OnWrite chosen = on_write_of(on_write);
            new (self) B;
            self->on_write = chosen;
        },
        nb::kw_only(), argument("on_write", "detach"), words.sig("def __init__(self, *, on_write: str = 'detach') -> None"),
        "Makes an empty one. on_write: see the attribute.");
    cls.def_prop_rw(
        "on_write", [](const B& self) { return self.on_write == OnWrite::refuse ? "refuse" : "detach"; },
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
    cls.def(
        "__len__", [](const B& self) { return read(self, [](const C& c) { return c.size(); }); }, "Elements now.");
    cls.def(
        "__bool__", [](const B& self) { return read(self, [](const C& c) { return c.size() != 0; }); },
        "Whether there are elements.");
    cls.def("__repr__", [start = words("<slotwise.{C}: ")](const B& self) {
        const std::size_t size = read(self, [](const C& c) { return c.size(); });
        return start + std::to_string(size) + (size == 1 ? " element>" : " elements>");
    });
    cls.def(
        "reserve",
        [](B& self, nb::handle count) {
            const std::size_t room = count_from(count, "count", most_slots);
            write_all(self, [&](C& c) { c.reserve(room); });
        },
        argument("count"), nb::sig("def reserve(self, count: int) -> None"), "Makes room for `count` elements.");
    cls.def(
        "snapshot", [](const B& self) { return to_bytes(read_all(self, [](const C& c) { return c.snapshot(); })); },
        "The exact state as bytes: slots and handles too. C++ reads and writes the same bytes.");
}

/// Replaces the container by one that f(container) fills, an empty one at first. Nothing has changed when f throws.
template <class B, class F>
void replace_all(B& box, F&& f) {
    at_length(box, [&] {
        expect_writable(box);
        typename B::container fresh;
        f(fresh);
        box.data = slotwise::Exportable<typename B::container>(std::move(fresh)); // views keep what they show
    });
}

/// restore(), copies and pickles. Of Face:
///     expect_sound(container)  throws where bytes that are a snapshot have what a container of Python cannot
///     state(box)               what a snapshot leaves out, as an object
///     state_from(object)       the same from an object that may be anything
///     set_state(box, state)    takes it back; of bytes without a state it is that of None
template <class Face, class B>
void bind_snapshots(nb::class_<B>& cls, const Words& words) {
    using C = typename B::container;
    static const auto restore = [](B& self, nb::handle data) {
        const Bytes bytes(data);
        replace_all(self, [&](C& c) {
            c.restore(bytes.span());
            Face::expect_sound(c);
        });
    };
    cls.def(
        "restore",
        [](B& self, nb::handle data) {
            restore(self, data);
            Face::set_state(self, Face::state_from(nb::none()));
        },
        argument("data"), nb::sig("def restore(self, data: bytes | bytearray | memoryview) -> None"),
        words(
            "Replaces the contents by those of a snapshot() of this class. Every byte is checked before anything changes, that "
            "texts are UTF-8, too. Raises ValueError when they are no snapshot of a {C}."));
    cls.def(
        "__reduce__",
        [](nb::handle self) {
            const B& box = box_of<B>(self);
            nb::object more = Face::state(box);
            const auto bytes = to_bytes(read_all(box, [](const C& c) { return c.snapshot(); }));
            return nb::make_tuple(self.type(), nb::tuple(), nb::make_tuple(bytes, self.attr("on_write"), more));
        },
        nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickles by snapshot().");
    cls.def(
        "__setstate__",
        [](nb::handle object, nb::handle state) { // of an object that __init__ has made: B& would mean one that it has not
            B& self = box_of<B>(object);
            if (!PyTuple_Check(state.ptr()) || PyTuple_GET_SIZE(state.ptr()) != 3)
                raise(PyExc_TypeError, "state: a tuple (snapshot, on_write, state) is needed, not " + repr_of(state));
            const OnWrite on_write = on_write_of(PyTuple_GET_ITEM(state.ptr(), 1));
            const auto more = Face::state_from(PyTuple_GET_ITEM(state.ptr(), 2));
            restore(self, PyTuple_GET_ITEM(state.ptr(), 0));
            briefly(self, [&] { self.on_write = on_write; });
            Face::set_state(self, more);
        },
        argument("state"), nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"), "Unpickles.");
    cls.def(
        "copy",
        [](nb::handle self) {
            const B& box = box_of<B>(self);
            nb::object result = call(self.type());
            B* const other = &box_of<B>(result);
            const auto more = Face::state_from(Face::state(box));
            at_length(box, [&] { *other->data.write() = box.data.read(); });
            briefly(*other, [&] { other->on_write = box.on_write; });
            Face::set_state(*other, more);
            return result;
        },
        words.sig("def copy(self) -> {C}"), "A copy with the same slots and handles, which nothing pins.");
}

/// Whether a's mapping and b's are equal, as dicts are. Not implemented where b is no mapping.
inline nb::object equals_as_dict(nb::handle a, nb::handle b) {
    const nb::object mapping = nb::module_::import_("collections.abc").attr("Mapping");
    const int known = PyObject_IsInstance(b.ptr(), mapping.ptr());
    if (known < 0) raise_again();
    if (known == 0) return nb::borrow(Py_NotImplemented);
    const auto dict_of = [](nb::handle h) {
        nb::object items = call(h.attr("items"));
        nb::object dict = nb::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyDict_Type), items.ptr()));
        if (!dict.is_valid()) raise_again();
        return dict;
    };
    const nb::object x = dict_of(a), y = dict_of(b);
    const int same = PyObject_RichCompareBool(x.ptr(), y.ptr(), Py_EQ);
    if (same < 0) raise_again();
    return nb::cast(same == 1);
}

/// NumPy, and pandas.DataFrame() with it, would read a mapping as a list of its keys.
template <class B>
void bind_no_array(nb::class_<B>& cls) {
    cls.def(
        "__array__",
        [](const B&, nb::args, nb::kwargs) -> nb::object {
            raise(PyExc_TypeError,
                  "this object is no array, it has several columns: take column('value') or another name, or "
                  "pandas.DataFrame.from_arrow(), pyarrow.table() of it, or polars.DataFrame() of its arrow()");
        },
        nb::sig("def __array__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.NoReturn"),
        "Raises TypeError that names what makes arrays and frames.");
}

} // namespace slotwise_python

#endif
