// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a series has beyond a map: windows, deltas and replicas.
#ifndef SLOTWISE_PYTHON_SERIES_HPP
#define SLOTWISE_PYTHON_SERIES_HPP

#include "keyed.hpp"

#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/delta.hpp>
#include <slotwise/series/capture.hpp>
#include <slotwise/series/delta.hpp>

namespace slotwise_python {

/// The changes of a window, and the window before, to which they apply. Immutable.
template <class K, class T>
struct Delta {
    slotwise::DictDelta<K, T, Time> changes;
    Time since = never;
};

using slotwise::Applied;

template <class K, class T>
void bind_delta(nb::module_& m, const char* name) {
    using D = Delta<K, T>;
    const Words words({{"{C}", name}, {"{K}", Py<K>::annotation}, {"{V}", Py<T>::annotation}});
    nb::class_<D> cls(m, name,
                      "The changes of one window of a series, as capture() takes them. It is immutable, can be pickled, and is "
                      "applied to a replica by apply().");
    cls.def_prop_ro(
        "since", [](const D& d) { return time_to(d.since); }, nb::sig("def since(self) -> int | None"),
        "The window to which the changes apply; None for a series that was never written.");
    cls.def_prop_ro(
        "until", [](const D& d) { return time_to(d.changes.time); }, nb::sig("def until(self) -> int | None"),
        "The window to which they lead.");
    cls.def_prop_ro(
        "added", [](const D& d) { return to_list(d.changes.added); }, words.sig("def added(self) -> list[{K}]"),
        "Members now, and not before, also those without a value.");
    cls.def_prop_ro(
        "removed", [](const D& d) { return to_list(d.changes.removed); }, words.sig("def removed(self) -> list[{K}]"),
        "Members before, and not now.");
    cls.def_prop_ro(
        "reset", [](const D& d) { return to_list(d.changes.reset); }, words.sig("def reset(self) -> list[{K}]"),
        "Members before and now that have lost their value.");
    cls.def_prop_ro(
        "modified",
        [](const D& d) {
            nb::dict result;
            for (const auto& [key, value] : d.changes.modified) result[Py<K>::to(key)] = Py<T>::to(value);
            return result;
        },
        words.sig("def modified(self) -> dict[{K}, {V}]"), "The last value of each key that was written.");
    cls.def(
        "__bool__", [](const D& d) { return !d.changes.empty(); }, "Whether it changes anything.");
    cls.def(
        "__eq__",
        [](const D& d, nb::handle other) -> nb::object {
            const D* o = nullptr;
            if (!nb::try_cast(other, o) || o == nullptr) return nb::borrow(Py_NotImplemented);
            return nb::cast(d.since == o->since && d.changes == o->changes);
        },
        nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"), "The same changes, in any order.");
    cls.def("__repr__", [start = words("<slotwise.{C} ")](const D& d) {
        const auto time = [](Time t) { return t == never ? std::string("never") : std::to_string(t); };
        return start + time(d.since) + " -> " + time(d.changes.time) + ": " + std::to_string(d.changes.added.size()) +
               " added, " + std::to_string(d.changes.removed.size()) + " removed, " +
               std::to_string(d.changes.modified.size()) + " written>";
    });
    cls.def(
        "__getstate__",
        [](const D& d) {
            nb::list written;
            for (const auto& [key, value] : d.changes.modified)
                written.append(nb::make_tuple(Py<K>::to(key), Py<T>::to(value)));
            const auto flags = nb::make_tuple(d.changes.ticked, d.changes.keys_ticked, d.changes.invalidated);
            return nb::make_tuple(d.since, d.changes.time, flags, to_list(d.changes.added), to_list(d.changes.removed),
                                  to_list(d.changes.reset), written);
        },
        nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"), "Pickles its lists.");
    cls.def(
        "__setstate__",
        [](D& self, nb::handle state) {
            const auto members = [](nb::handle of, Py_ssize_t count) {
                if (!PyTuple_Check(of.ptr()) || PyTuple_GET_SIZE(of.ptr()) != count)
                    raise(PyExc_TypeError, "state: it is not that of a delta; a tuple of " + std::to_string(count) +
                                               " members is needed, not " + repr_of(of));
                return nb::borrow<nb::tuple>(of);
            };
            const nb::tuple all = members(state, 7), flags = members(all[2], 3);
            D d;
            d.since = Py<Time>::from(all[0], "state");
            d.changes.time = Py<Time>::from(all[1], "state");
            d.changes.ticked = flag_from(flags[0], "state");
            d.changes.keys_ticked = flag_from(flags[1], "state");
            d.changes.invalidated = flag_from(flags[2], "state");
            d.changes.added = from_iterable<K>(all[3], "state: added");
            d.changes.removed = from_iterable<K>(all[4], "state: removed");
            d.changes.reset = from_iterable<K>(all[5], "state: reset");
            d.changes.modified = pairs_of<K, T>(all[6]);
            new (&self) D(std::move(d));
        },
        argument("state"), nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"), "Unpickles.");
    unhashable(cls);
    static const auto stream_of_delta = [](const D& d) {
        ArrowArrayStream stream{};
        slotwise::export_delta(d.changes, d.since, &stream);
        return slotwise::OwnedStream(&stream);
    };
    cls.def(
        "__arrow_c_schema__", [](const D& d) { return to_capsule<ArrowSchema>(stream_of_delta(d).schema()); },
        nb::sig("def __arrow_c_schema__(self) -> object"), "The columns of __arrow_c_stream__.");
    cls.def(
        "__arrow_c_stream__",
        [](const D& d, nb::handle requested) {
            slotwise::OwnedStream stream = stream_of_delta(d);
            if (!requested.is_none()) expect_schema(*stream.schema(), requested_schema_of(requested));
            return to_capsule<ArrowArrayStream>(std::move(stream));
        },
        argument("requested_schema", nb::none()),
        nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
        "The changes as an Arrow stream, a row for each key: 'time' (int64: until), 'op' (int8: 1 insert, 2 update, 3 remove, "
        "4 "
        "reset), 'key', 'value' (null where there is none). The schema's metadata has slotwise.from, slotwise.to and more: "
        "keep "
        "it where the stream is written to a file.");
}

/// A series as the class `name`, and its deltas as `delta_name`.
template <class K, class T>
void bind_series(nb::module_& m, const char* name, const char* delta_name) {
    using Face = SeriesFace<K, T>;
    using B = typename Face::box;
    using C = typename Face::container;
    using D = Delta<K, T>;
    bind_delta<K, T>(m, delta_name);
    const std::string value = std::string(Py<T>::annotation) + " | None";
    const Words words({{"{C}", name},
                       {"{K}", Py<K>::annotation},
                       {"{V}", value},
                       {"{k}", Py<K>::label},
                       {"{v}", Py<T>::label},
                       {"{W}", Face::when},
                       {"{W0}", Face::when},
                       {"{T}", ", 'time' (int64, the lowest one for \"never\")"},
                       {"{D}", delta_name},
                       {"{A}", "'key' and 'value'"},
                       {"{A2}", ", and 'handle' and 'time' after them"}});
    nb::class_<B> cls(
        m, name,
        words("A map from {k} to {v} over time. Each write names its time, a count of any unit that never goes back; "
              "all writes of one time are a window, and capture() returns exactly what it has changed. A member may "
              "have no value, which is None. At most 2**28 elements, those removed in the open window included."));
    bind_whole<B>(cls, words);
    bind_snapshots<Face>(cls, words);
    bind_reads<Face>(cls, words);
    bind_writes<Face, nb::handle>(cls, words, nb::kw_only(), argument("time"));
    bind_streams<B>(cls, words, {}, true);
    cls.def_prop_ro(
        "window", [](const B& self) { return time_to(read(self, [](const C& c) { return c.window(); })); },
        nb::sig("def window(self) -> int | None"), "The time of the open window; None before the first write.");
    cls.def(
        "create",
        [](B& self, nb::handle key, nb::handle when) {
            const K k(Py<K>::from(key, "key"));
            const Time time = time_of(when);
            write(self, [&](C& c) { Face::writer(self, c, time).create(k); });
        },
        argument("key"), nb::kw_only(), argument("time"), words.sig("def create(self, key: {K}, *, time: int) -> None"),
        "Makes the key a member without a value. No effect when it is a member.");
    cls.def(
        "invalidate",
        [](B& self, nb::handle key, nb::handle when) {
            const auto look = Py<K>::find(key);
            const Time time = time_of(when);
            return write(self, [&](C& c) {
                auto w = Face::writer(self, c, time);
                return look && w.invalidate(*look);
            });
        },
        argument("key"), nb::kw_only(), argument("time"), words.sig("def invalidate(self, key: {K}, *, time: int) -> bool"),
        "Takes the value of a member, which stays a member: its value is None until it is written. False when it is no member "
        "or has no value.");
    cls.def(
        "time_of",
        [](const B& self, nb::handle key) {
            const auto look = Py<K>::find(key);
            return time_to(look ? read(self, [&](const C& c) { return c.last_modified(*look); }) : never);
        },
        argument("key"), words.sig("def time_of(self, key: {K}) -> int | None"),
        "When the key was last written; None when it is no member or has no value.");
    cls.def(
        "capture",
        [](const B& self, nb::handle since) {
            D delta;
            const auto chosen = Py<std::optional<Time>>::from(since, "since");
            const bool known = read_all(self, [&](const C& c) {
                delta.changes = slotwise::capture(c, c.window());
                delta.since = self.previous;
                return self.knows_previous;
            });
            if (chosen)
                delta.since = *chosen;
            else if (!known)
                raise(PyExc_ValueError, "since: restore() does not say which window was before the restored one; pass since=");
            return delta;
        },
        nb::kw_only(), argument("since", nb::none()), words.sig("def capture(self, *, since: int | None = None) -> {D}"),
        "The changes of the open window. since: the window before, known unless this was restored in the window.");
    cls.def(
        "apply",
        [](B& self, nb::handle delta) {
            if (D* known = nullptr; nb::try_cast(delta, known, false) && known != nullptr)
                return write_all(self, [&, &changes = known->changes, since = known->since](C& c) {
                    if (changes.time <= c.window()) return Applied::already;
                    if (since != c.window()) return Applied::gap;
                    // Before the window opens: a delta that is refused must leave the series as it was.
                    slotwise::detail::check_delta(&c, c.hash_function(), c.key_eq(), changes, slotwise::Strictness::strict)
                        .raise();
                    Face::writer(self, c, changes.time).apply(changes);
                    return Applied::done;
                });
            const nb::object method = stream_method_of(delta);
            if (!method.is_valid()) raise_type("delta", "a delta or an object with __arrow_c_stream__", delta);
            Source rows(delta, method, "delta");
            return rows.read([&] {
                return write_all(self, [&](C& c) {
                    const Time before = c.window();
                    const Applied applied = slotwise::apply_delta(c, &*rows);
                    if (applied == Applied::done) {
                        self.previous = before;
                        self.knows_previous = true;
                    }
                    return applied;
                });
            });
        },
        argument("delta"), words.sig("def apply(self, delta: {D} | typing.Any) -> Applied"),
        "Leads a replica to delta.until, if it is at delta.since. delta: as capture() returns it, or its Arrow stream, read "
        "from a "
        "file or a socket; what comes from pyarrow is validated in full first.\n\nReturns Applied.done; Applied.already, "
        "without effect, if the series is there or later, so that "
        "a "
        "delta may come twice; Applied.gap, without effect, if one is missing. Raises ValueError that names the place in the "
        "delta "
        "when it does not fit the members; nothing has changed then.");
}

} // namespace slotwise_python

#endif
