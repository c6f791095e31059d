// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What every class of the package has: size, snapshots, pickling, copies, what happens to a write under a view, runs of live slots.
#ifndef SLOTWISE_PYTHON_WHOLE_HPP
#define SLOTWISE_PYTHON_WHOLE_HPP

#include "box.hpp"
#include "convert.hpp"

#include <slotwise/memory/occupancy.hpp>

#include <nanobind/stl/string.h>

#include <cstring>

namespace slotwise_python {

using slotwise::no_slot;
using slotwise::Occupancy;
using slotwise::slot_t;

/// Slots from `first` to `last` - 1.
struct Run {
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
};
/// Calls f(run) for each run of live slots, in slot order.
template <class F>
void for_each_run(const Occupancy& live, F&& f) {
    using slotwise::bits::word_bits;
    for (slot_t slot = live.find_next(0); slot != no_slot;) {
        Run run{slot, slot};
        while (run.last < live.size() && live.test(run.last)) {
            if (run.last % word_bits == 0 && live.word(run.last / word_bits) == ~slotwise::bits::word_t{})
                run.last += word_bits;
            else
                ++run.last;
        }
        f(run);
        slot = live.find_next(run.last);
    }
}
inline std::vector<Run> runs_of(const Occupancy& live) {
    std::vector<Run> runs;
    for_each_run(live, [&](Run run) { runs.push_back(run); });
    return runs;
}

inline OnWrite on_write_of(nb::handle value) {
    const std::string text = PyUnicode_Check(value.ptr()) ? nb::cast<std::string>(value) : type_of(value);
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
        nb::kw_only(), nb::arg("on_write") = "refuse", words.sig("def __init__(self, *, on_write: str = 'refuse') -> None"),
        "Makes an empty one. on_write: see the attribute.");
    cls.def_prop_rw(
        "on_write", [](const B& self) { return self.on_write == OnWrite::refuse ? "refuse" : "detach"; },
        [](B& self, nb::handle value) {
            const OnWrite chosen = on_write_of(value);
            briefly(self, [&] { self.on_write = chosen; });
        },
        nb::for_getter(nb::sig("def on_write(self) -> str")),
        nb::for_setter(nb::sig("def on_write(self, value: str, /) -> None")),
        "What a write does while a view (an array of column(), an Arrow stream or batch) is alive: 'refuse' raises "
        "BufferError, "
        "'detach' copies the container first, so that views keep what they show.");
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
        "reserve", [](B& self, std::size_t count) { write_all(self, [&](C& c) { c.reserve(count); }); }, nb::arg("count"),
        "Makes room for `count` elements.");
    cls.def(
        "snapshot", [](const B& self) { return to_bytes(read_all(self, [](const C& c) { return c.snapshot(); })); },
        "The exact state as bytes: slots and handles too. C++ reads and writes the same bytes.");
}

/// restore(), copies and pickles. What a snapshot leaves out is returned by extra(box) and taken back by set_extra(box, object).
template <class B, class Extra, class SetExtra>
void bind_snapshots(nb::class_<B>& cls, const Words& words, Extra extra, SetExtra set_extra) {
    using C = typename B::container;
    static const auto restore = [](B& self, nb::handle data) {
        const Bytes bytes(data);
        write_all(self, [&](C& c) { c.restore(bytes.span()); });
    };
    cls.def(
        "restore",
        [set_extra](B& self, nb::handle data) {
            restore(self, data);
            set_extra(self, nb::none());
        },
        nb::arg("data"), nb::sig("def restore(self, data: bytes | bytearray | memoryview) -> None"),
        words("Replaces the contents by those of a snapshot() of this class. Every byte is checked before anything changes. "
              "Raises ValueError when they are no snapshot of a {C}."));
    cls.def(
        "__reduce__",
        [extra](nb::handle self) {
            const B& box = nb::cast<const B&>(self);
            nb::object more = extra(box);
            const auto bytes = to_bytes(read_all(box, [](const C& c) { return c.snapshot(); }));
            return nb::make_tuple(self.type(), nb::tuple(), nb::make_tuple(bytes, self.attr("on_write"), more));
        },
        nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickles by snapshot().");
    cls.def(
        "__setstate__",
        [set_extra](nb::handle self, nb::tuple state) {
            B& box = nb::cast<B&>(self);
            restore(box, state[0]);
            self.attr("on_write") = state[1];
            set_extra(box, state[2]);
        },
        nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"), "Unpickles.");
    cls.def(
        "copy",
        [extra, set_extra](nb::handle self) {
            const B& box = nb::cast<const B&>(self);
            nb::object result = self.type()();
            B& other = nb::cast<B&>(result);
            nb::object more = extra(box);
            at_length(box, [&] { *other.data.write() = box.data.read(); });
            result.attr("on_write") = self.attr("on_write");
            set_extra(other, more);
            return result;
        },
        words.sig("def copy(self) -> {C}"), "A copy with the same slots and handles, which nothing pins.");
}

} // namespace slotwise_python

#endif
