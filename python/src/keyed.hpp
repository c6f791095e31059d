// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps and series by key: one core over the two faces of faces.hpp.
#ifndef SLOTWISE_PYTHON_KEYED_HPP
#define SLOTWISE_PYTHON_KEYED_HPP

#include "arrow.hpp"
#include "faces.hpp"
#include "whole.hpp"

namespace slotwise_python {

inline nb::object time_to(Time time) { return time == never ? nb::none() : nb::cast(time); }
inline Time time_from(nb::handle time, const char* what) { return time.is_none() ? never : Py<Time>::from(time, what); }

/// What reads. A member without a value, which only a series has, is None.
template <class Face>
void bind_reads(nb::class_<typename Face::box>& cls, const Words& words) {
    using B = typename Face::box;
    using C = typename Face::container;
    using K = typename Face::key_type;
    using T = typename Face::mapped_type;
    using Look = typename Py<K>::look;
    enum class Found { no, empty, yes };
    static const auto look_up = [](const B& self, nb::handle key, T& value) {
        const Look look = Py<K>::from(key, "key");
        return read(self, [&](const C& c) {
            const slot_t slot = c.slot_of(look);
            if (slot == no_slot) return Found::no;
            value = c.value(slot);
            return Face::has_value(c, slot) ? Found::yes : Found::empty;
        });
    };
    // Keys, values or both are copied under the lock, and made Python objects of afterwards.
    static const auto collect = [](const B& self, std::vector<K>* keys, std::vector<T>* values, std::vector<bool>* valid) {
        read_all(self, [&](const C& c) {
            if (keys != nullptr) keys->reserve(c.size());
            if (values != nullptr) values->reserve(c.size());
            const auto& table = Face::table(c);
            const bool all = Face::all_have_values(c);
            for (const slot_t slot : table.live_slots()) {
                if (keys != nullptr) keys->push_back(table.key(slot));
                if (values != nullptr) values->push_back(table.value(slot));
                if (!all && valid != nullptr) valid->push_back(Face::has_value(c, slot));
            }
        });
    };
    static const auto value_object = [](const std::vector<T>& values, const std::vector<bool>& valid, std::size_t i) {
        return valid.empty() || valid[i] ? Py<T>::to(values[i]) : nb::none();
    };
    static const auto keys_of = [](const B& self) {
        std::vector<K> keys;
        collect(self, &keys, nullptr, nullptr);
        return to_list(keys);
    };

    cls.def(
        "__contains__",
        [](const B& self, nb::handle key) {
            T value{};
            return look_up(self, key, value) != Found::no;
        },
        nb::arg("key"), words.sig("def __contains__(self, key: {K}) -> bool"), "Whether the key is a member.");
    cls.def(
        "__getitem__",
        [](const B& self, nb::handle key) -> nb::object {
            T value{};
            const Found found = look_up(self, key, value);
            if (found == Found::no) raise_missing(key, "no element has this key; get(key) returns None or a default instead");
            return found == Found::yes ? Py<T>::to(value) : nb::none();
        },
        nb::arg("key"), words.sig("def __getitem__(self, key: {K}) -> {V}"), "The value. Raises KeyError when there is none.");
    cls.def(
        "get",
        [](const B& self, nb::handle key, nb::handle otherwise) -> nb::object {
            T value{};
            const Found found = look_up(self, key, value);
            if (found == Found::no) return nb::borrow(otherwise);
            return found == Found::yes ? Py<T>::to(value) : nb::none();
        },
        nb::arg("key"), nb::arg("default") = nb::none(),
        words.sig("def get(self, key: {K}, default: typing.Any = None) -> typing.Any"),
        "The value, or `default` when there is none.");
    cls.def("keys", keys_of, words.sig("def keys(self) -> list[{K}]"), "A list of the keys, in the order of slots.");
    cls.def(
        "__iter__", [](const B& self) { return nb::iter(keys_of(self)); },
        words.sig("def __iter__(self) -> collections.abc.Iterator[{K}]"), "Iterates over a copy of the keys.");
    cls.def(
        "values",
        [](const B& self) {
            std::vector<T> values;
            std::vector<bool> valid;
            collect(self, nullptr, &values, &valid);
            nb::list list;
            if (valid.empty()) return to_list(values);
            for (std::size_t i = 0; i != values.size(); ++i) list.append(value_object(values, valid, i));
            return list;
        },
        words.sig("def values(self) -> list[{V}]"), "A list of the values, in the order of keys(). column() copies nothing.");
    cls.def(
        "items",
        [](const B& self) {
            std::vector<K> keys;
            std::vector<T> values;
            std::vector<bool> valid;
            collect(self, &keys, &values, &valid);
            nb::list list;
            for (std::size_t i = 0; i != keys.size(); ++i)
                list.append(nb::make_tuple(Py<K>::to(keys[i]), value_object(values, valid, i)));
            return list;
        },
        words.sig("def items(self) -> list[tuple[{K}, {V}]]"), "A list of pairs (key, value), in the order of slots.");
    cls.def(
        "__eq__",
        [](nb::handle a, nb::handle b) -> nb::object {
            if (a.is(b)) return nb::cast(true);
            if (!nb::isinstance<B>(b)) return nb::borrow(Py_NotImplemented);
            const B& x = nb::cast<const B&>(a);
            const B& y = nb::cast<const B&>(b);
            const bool same = [&] {
                const nb::gil_scoped_release released;
                const std::scoped_lock held(x.lock, y.lock);
                return x.data.read() == y.data.read();
            }();
            return nb::cast(same);
        },
        nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
        "Whether both have the same keys with equal values.");
    unhashable(cls);
    cls.def(
        "column",
        [](const B& self, const std::string& name, nb::handle copy) -> nb::object {
            if (name == "key") {
                if constexpr (std::is_same_v<K, std::string>)
                    raise(PyExc_TypeError, "column('key'): str keys have no array; take keys() or an Arrow stream");
                else
                    return column_of_span(
                        self, [](const C& c) { return Face::table(c).key_span(); }, copy);
            }
            if (name == "value") {
                if (read(self, [](const C& c) { return Face::all_have_values(c); }))
                    return column_of_span(
                        self, [](const C& c) { return Face::table(c).slot_span(); }, copy);
                if (copy_of(copy) == Copy::never) raise_copy_needed("a member has no value, which is NaN in the array");
                std::vector<T> values;
                std::vector<bool> valid;
                collect(self, nullptr, &values, &valid);
                for (std::size_t i = 0; i != valid.size(); ++i)
                    if (!valid[i]) values[i] = std::numeric_limits<T>::quiet_NaN();
                return to_array(std::move(values));
            }
            if constexpr (requires(const C& c) { c.last_modified_at(slot_t{}); }) {
                if (name == "time") {
                    if (copy_of(copy) == Copy::never) raise_copy_needed("times are in several pages");
                    std::vector<Time> times;
                    read_all(self, [&](const C& c) {
                        for (const slot_t slot : Face::table(c).live_slots()) times.push_back(c.last_modified_at(slot));
                    });
                    return to_array(std::move(times));
                }
                raise(PyExc_KeyError, "column: there are 'key', 'value' and 'time', no '" + name + "'");
            }
            raise(PyExc_KeyError, "column: there are 'key' and 'value', no '" + name + "'");
        },
        nb::arg("name") = "value", nb::arg("copy") = nb::none(),
        nb::sig("def column(self, name: str = 'value', copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"),
        words(
            "A read-only array of shape (len(self),) in the order of keys(): 'value' ({v}){T}, or 'key' ({k}; not of str).\n\n"
            "It is a view of the container's memory when live slots have no holes (no erase since they were filled), and then "
            "pins the container, see on_write; otherwise a copy. copy=False raises ValueError instead of copying, copy=True "
            "always copies."));
    cls.def(
        "chunks",
        [](const B& self, const std::string& name) -> nb::list {
            if constexpr (!std::is_same_v<K, std::string>)
                if (name == "key") return chunks_of_span(self, [](const C& c) { return Face::table(c).key_span(); });
            if (name == "value") return chunks_of_span(self, [](const C& c) { return Face::table(c).slot_span(); });
            raise(PyExc_KeyError, "chunks: the names are those of column() that can be views; '" + name + "' is none");
        },
        nb::arg("name") = "value", nb::sig("def chunks(self, name: str = 'value') -> list[numpy.typing.NDArray[typing.Any]]"),
        "Read-only views, one for each run of live slots; none is a copy. They pin the container.");
}

/// What writes, at `When...`.
template <class Face, class... When, class... Arguments>
void bind_writes(nb::class_<typename Face::box>& cls, const Words& words, Arguments... when_arguments) {
    using B = typename Face::box;
    using C = typename Face::container;
    using K = typename Face::key_type;
    using T = typename Face::mapped_type;
    static const auto erase = [](B& self, nb::handle key, When... when) {
        const typename Py<K>::look look = Py<K>::from(key, "key");
        return write(self, [&](C& c) {
            auto&& w = Face::writer(self, c, when...);
            return w.erase(look) ? true : false;
        });
    };
    static const auto set = [](B& self, nb::handle key, nb::handle value, When... when) {
        const K k(Py<K>::from(key, "key"));
        const T v = Py<T>::from(value, "value");
        write(self, [&](C& c) {
            auto&& w = Face::writer(self, c, when...);
            Face::set(w, k, v);
        });
    };
    cls.def("set", set, nb::arg("key"), nb::arg("value"), when_arguments...,
            words.sig("def set(self, key: {K}, value: {V}{W}) -> None"),
            "Writes the value; a key that is no member becomes one.");
    cls.def("erase", erase, nb::arg("key"), when_arguments..., words.sig("def erase(self, key: {K}{W}) -> bool"),
            "Removes the key. False when it was no member.");
    if constexpr (sizeof...(When) == 0) {
        cls.def("__setitem__", set, words.sig("def __setitem__(self, key: {K}, value: {V}) -> None"),
                "Writes the value; a key that is no member becomes one.");
        cls.def(
            "__delitem__",
            [](B& self, nb::handle key) {
                if (!erase(self, key)) raise_missing(key, "no element has this key; erase(key) returns False instead");
            },
            words.sig("def __delitem__(self, key: {K}) -> None"), "Removes the key. Raises KeyError when it is no member.");
    }
    cls.def(
        "clear",
        [](B& self, When... when) {
            write_all(self, [&](C& c) {
                auto&& w = Face::writer(self, c, when...);
                w.clear();
            });
        },
        when_arguments..., words.sig("def clear(self{W0}) -> None"), "Removes every key.");
    cls.def(
        "update",
        [](B& self, nb::handle source, When... when) {
            if (is_stream(source)) {
                slotwise::OwnedStream stream = stream_of(source);
                write_all(self, [&](C& c) {
                    auto&& w = Face::writer(self, c, when...);
                    import_rows(&*stream, w);
                });
                return;
            }
            const auto pairs = pairs_of<K, T>(source);
            write_all(self, [&](C& c) {
                auto&& w = Face::writer(self, c, when...);
                for (const auto& [key, value] : pairs) Face::set(w, key, value);
            });
        },
        nb::arg("source"), when_arguments..., words.sig("def update(self, source: typing.Any{W}) -> None"),
        "Writes every pair of `source`: a mapping, an iterable of pairs (key, value), or anything with __arrow_c_stream__ "
        "(tables "
        "and readers of pyarrow, frames of Polars and pandas, relations of DuckDB) with the columns 'key' and 'value'.\n\n"
        "A mapping is converted before anything is written. A stream is written batch by batch: a batch that is refused "
        "(ValueError with the name of the column) is not written, those before it are.");
}

/// A map as the class `name`.
template <class K, class T>
void bind_map(nb::module_& m, const char* name) {
    using Face = MapFace<K, T>;
    using B = typename Face::box;
    const Words words({{"{C}", name},
                       {"{K}", Py<K>::annotation},
                       {"{V}", Py<T>::annotation},
                       {"{k}", Py<K>::label},
                       {"{v}", Py<T>::label},
                       {"{W}", ""},
                       {"{W0}", ""},
                       {"{T}", ""},
                       {"{A}", "'key' and 'value'"},
                       {"{A2}", ", and 'handle' after them"}});
    nb::class_<B> cls(
        m, name,
        words("A map from {k} to {v}, with a dict's face. Elements never move, so that columns are shared "
              "with NumPy without a copy. Threads may use it at once: each call is atomic. At most 2**28 elements."));
    bind_whole<B>(cls, words);
    bind_snapshots<B>(
        cls, words, [](const B&) { return nb::none(); }, [](B&, nb::handle) {});
    bind_reads<Face>(cls, words);
    bind_writes<Face>(cls, words);
    bind_streams<B>(cls, words, {}, false);
}

} // namespace slotwise_python

#endif
