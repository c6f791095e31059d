// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps and series by key: one core over the two faces of faces.hpp.
#ifndef SLOTWISE_PYTHON_KEYED_HPP
#define SLOTWISE_PYTHON_KEYED_HPP

#include "arrow.hpp"
#include "faces.hpp"
#include "whole.hpp"

#include <optional>
#include <tuple>

namespace slotwise_python {

inline nb::object time_to(Time time) { return time == never ? nb::none() : nb::cast(time); }

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
        const std::optional<Look> look = Py<K>::find(key);
        if (!look) return Found::no;
        return read(self, [&](const C& c) {
            const slot_t slot = c.slot_of(*look);
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
        argument("key"), nb::sig("def __contains__(self, key: object, /) -> bool"),
        "Whether the key is a member. Of what can be no key here it is False, as of a dict.");
    cls.def(
        "__getitem__",
        [](const B& self, nb::handle key) -> nb::object {
            T value{};
            const Found found = look_up(self, key, value);
            if (found == Found::no) raise_missing(key, "no element has this key; get(key) returns None or a default instead");
            return found == Found::yes ? Py<T>::to(value) : nb::none();
        },
        argument("key"), words.sig("def __getitem__(self, key: {K}) -> {V}"), "The value. Raises KeyError when there is none.");
    cls.def(
        "get",
        [](const B& self, nb::handle key, nb::handle otherwise) -> nb::object {
            T value{};
            const Found found = look_up(self, key, value);
            if (found == Found::no) return nb::borrow(otherwise);
            return found == Found::yes ? Py<T>::to(value) : nb::none();
        },
        argument("key"), argument("default", nb::none()),
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
            if (!nb::isinstance<B>(b)) return equals_as_dict(a, b);
            const B& x = box_of<B>(a);
            const B& y = box_of<B>(b);
            const bool same = [&] {
                const nb::gil_scoped_release released;
                const std::scoped_lock held(x.lock, y.lock);
                return x.data.read() == y.data.read();
            }();
            return nb::cast(same);
        },
        nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
        "Whether both have the same keys with equal values; other is one of this class, or any mapping.");
    bind_no_array(cls);
    unhashable(cls);
    cls.def(
        "column",
        [](const B& self, nb::handle name_argument, nb::handle copy) -> nb::object {
            const std::string name = text_from(name_argument, "name");
            if (name == "key") {
                if constexpr (std::is_same_v<K, std::string>)
                    raise(PyExc_TypeError, "name: str keys have no array; take keys() or an Arrow stream");
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
            if constexpr (requires(const C& c) { c.time_span(); }) {
                if (name == "time")
                    return column_of_span(
                        self, [](const C& c) { return c.time_span(); }, copy);
                raise(PyExc_KeyError, "name: there are 'key', 'value' and 'time', no " + repr_of(name_argument));
            }
            raise(PyExc_KeyError, "name: there are 'key' and 'value', no " + repr_of(name_argument));
        },
        argument("name", "value"), argument("copy", nb::none()),
        nb::sig("def column(self, name: str = 'value', copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"),
        words(
            "A read-only array of shape (len(self),) in the order of keys(): 'value' ({v}){T}, or 'key' ({k}; not of str).\n\n"
            "It is a view of the container's memory when live slots have no holes (no erase since they were filled), and then "
            "pins the container, see on_write; otherwise a copy. copy=False raises ValueError instead of copying, copy=True "
            "always copies."));
    cls.def(
        "chunks",
        [](const B& self, nb::handle name_argument) -> nb::list {
            const std::string name = text_from(name_argument, "name");
            if constexpr (!std::is_same_v<K, std::string>)
                if (name == "key") return chunks_of_span(self, [](const C& c) { return Face::table(c).key_span(); });
            if (name == "value") return chunks_of_span(self, [](const C& c) { return Face::table(c).slot_span(); });
            if constexpr (requires(const C& c) { c.time_span(); })
                if (name == "time") return chunks_of_span(self, [](const C& c) { return c.time_span(); });
            raise(PyExc_KeyError,
                  "name: chunks() has the names of column() that can be views; " + repr_of(name_argument) + " is none");
        },
        argument("name", "value"), nb::sig("def chunks(self, name: str = 'value') -> list[numpy.typing.NDArray[typing.Any]]"),
        "Read-only views, one for each run of live slots; none is a copy. They pin the container.");
}

inline constexpr const char* update_text =
    "Writes every pair of `source`: a mapping, an iterable of pairs (key, value), or anything with __arrow_c_stream__ (tables "
    "and readers of pyarrow, frames of Polars and pandas, relations of DuckDB) with the columns 'key' and 'value'.\n\n"
    "A mapping is converted before anything is written. A stream is written batch by batch: a batch that is refused "
    "(ValueError with the name of the column) is not written, those before it are.";

inline Time time_of(nb::handle time) { return Py<Time>::from(time, "time"); }
/// @param time a tuple: empty, or of the time at which is written
template <class Face, class When>
decltype(auto) writer_of(typename Face::box& box, typename Face::container& container, const When& time) {
    return std::apply([&](auto... when) -> decltype(auto) { return Face::writer(box, container, when...); }, time);
}

template <class Face>
void bind_mutable_mapping(nb::class_<typename Face::box>& cls, const Words& words);

/// What writes, at `When...`, objects that are times.
template <class Face, class... When, class... Arguments>
void bind_writes(nb::class_<typename Face::box>& cls, const Words& words, Arguments... when_arguments) {
    using B = typename Face::box;
    using C = typename Face::container;
    using K = typename Face::key_type;
    using V = typename Face::value_type;
    static const auto erase = [](B& self, nb::handle key, When... when) {
        const auto look = Py<K>::find(key);
        const auto time = std::make_tuple(time_of(when)...);
        return write(self, [&](C& c) {
            auto&& w = writer_of<Face>(self, c, time);
            return look && w.erase(*look) ? true : false;
        });
    };
    static const auto set = [](B& self, nb::handle key, nb::handle value, When... when) {
        const K k(Py<K>::from(key, "key"));
        const V v = Py<V>::from(value, "value");
        const auto time = std::make_tuple(time_of(when)...);
        write(self, [&](C& c) {
            auto&& w = writer_of<Face>(self, c, time);
            Face::set(w, k, v);
        });
    };
    cls.def("set", set, argument("key"), argument("value"), when_arguments...,
            words.sig("def set(self, key: {K}, value: {V}{W}) -> None"),
            "Writes the value; a key that is no member becomes one.");
    cls.def("erase", erase, argument("key"), when_arguments..., words.sig("def erase(self, key: {K}{W}) -> bool"),
            "Removes the key. False when it was no member.");
    if constexpr (sizeof...(When) == 0) {
        cls.def("__setitem__", set, argument("key"), argument("value"),
                words.sig("def __setitem__(self, key: {K}, value: {V}) -> None"),
                "Writes the value; a key that is no member becomes one.");
        cls.def(
            "__delitem__",
            [](B& self, nb::handle key) {
                if (!erase(self, key)) raise_missing(key, "no element has this key; erase(key) returns False instead");
            },
            argument("key"), words.sig("def __delitem__(self, key: {K}) -> None"),
            "Removes the key. Raises KeyError when it is no member.");
    }
    cls.def(
        "clear",
        [](B& self, When... when) {
            const auto time = std::make_tuple(time_of(when)...);
            write_all(self, [&](C& c) {
                auto&& w = writer_of<Face>(self, c, time);
                w.clear();
            });
        },
        when_arguments..., words.sig("def clear(self{W0}) -> None"), "Removes every key.");
    static const auto write_pairs = [](B& self, const std::vector<std::pair<K, V>>& pairs, const auto& time) {
        write_all(self, [&](C& c) {
            auto&& w = writer_of<Face>(self, c, time);
            for (const auto& [key, value] : pairs) Face::set(w, key, value);
        });
    };
    static const auto update = [](B& self, nb::handle source, When... when) {
        const auto time = std::make_tuple(time_of(when)...);
        // Its own elements are pairs like others: its stream would pin what is written.
        const B* other = nullptr;
        const bool own = nb::try_cast(source, other, false) && other == &self;
        if (const nb::object stream = own ? nb::object() : stream_method_of(source); stream.is_valid()) {
            Source rows(source, stream, "source");
            // A Series of pandas is a stream of values without their keys, and has the pairs, too.
            if (rows.is_table() || !attribute_of(source, "items").is_valid()) {
                rows.read([&] {
                    write_all(self, [&](C& c) {
                        auto&& w = writer_of<Face>(self, c, time);
                        import_rows(&*rows, w);
                    });
                });
                return;
            }
        }
        write_pairs(self, pairs_of<K, V>(source), time);
    };
    if constexpr (sizeof...(When) == 0) {
        cls.def(
            "update",
            [](B& self, nb::args source, nb::kwargs more) {
                if (source.size() > 1)
                    raise(PyExc_TypeError, "update(): source: at most one is needed, not " + std::to_string(source.size()));
                std::vector<std::pair<K, V>> pairs; // before anything is written
                if (more.size() != 0) pairs = pairs_of<K, V>(more);
                if (source.size() != 0) update(self, source[0]);
                if (!pairs.empty()) write_pairs(self, pairs, std::tuple<>());
            },
            words.sig("def update(self, source: typing.Any = ..., /, **more: {V}) -> None"), words(update_text));
        bind_mutable_mapping<Face>(cls, words);
    } else
        cls.def("update", update, argument("source"), when_arguments...,
                words.sig("def update(self, source: typing.Any{W}) -> None"), words(update_text));
}

/// What a MutableMapping has beside what all have.
template <class Face>
void bind_mutable_mapping(nb::class_<typename Face::box>& cls, const Words& words) {
    using B = typename Face::box;
    using C = typename Face::container;
    using K = typename Face::key_type;
    using T = typename Face::mapped_type;
    cls.def(
        "pop",
        [](B& self, nb::handle key, nb::args otherwise) -> nb::object {
            if (otherwise.size() > 1)
                raise(PyExc_TypeError,
                      "pop(): a key and a default are needed, not " + std::to_string(1 + otherwise.size()) + " arguments");
            std::optional<T> value;
            if (const auto look = Py<K>::find(key))
                value = write(self, [&](C& c) {
                    const slot_t slot = c.slot_of(*look);
                    std::optional<T> found;
                    if (slot != no_slot) {
                        found = c.value(slot);
                        c.erase(*look);
                    }
                    return found;
                });
            if (value) return Py<T>::to(*value);
            if (otherwise.size() == 0)
                raise_missing(key, "no element has this key; pop(key, default) returns a default instead");
            return otherwise[0];
        },
        argument("key"), nb::arg("otherwise"), words.sig("def pop(self, key: {K}, default: typing.Any = ..., /) -> typing.Any"),
        "Removes the key and returns its value; without the key returns `default`, or raises KeyError.");
    cls.def(
        "popitem",
        [](B& self) {
            std::optional<std::pair<K, T>> item = write(self, [](C& c) {
                std::optional<std::pair<K, T>> last;
                const auto live = c.occupancy();
                if (const slot_t slot = live.find_previous(live.size()); slot != no_slot) {
                    last.emplace(c.key(slot), c.value(slot));
                    c.erase(typename Py<K>::look(last->first));
                }
                return last;
            });
            if (!item) raise(PyExc_KeyError, "popitem(): there is no element");
            return nb::make_tuple(Py<K>::to(item->first), Py<T>::to(item->second));
        },
        words.sig("def popitem(self) -> tuple[{K}, {V}]"),
        "Removes the last element in the order of slots and returns it as a pair. Raises KeyError when there is none.");
    cls.def(
        "setdefault",
        [](B& self, nb::handle key, nb::handle otherwise) {
            const K k(Py<K>::from(key, "key"));
            const auto found = [&](const C& c) {
                const slot_t slot = c.slot_of(typename Py<K>::look(k));
                return slot != no_slot ? std::optional<T>(c.value(slot)) : std::nullopt;
            };
            if (const std::optional<T> value = read(self, found)) return Py<T>::to(*value);
            const T value = Py<T>::from(otherwise, "default");
            return Py<T>::to(write(self, [&](C& c) {
                const std::optional<T> meanwhile = found(c);
                if (!meanwhile) c.insert_or_assign(k, value);
                return meanwhile.value_or(value);
            }));
        },
        argument("key"), argument("default", nb::none()), words.sig("def setdefault(self, key: {K}, default: {V}) -> {V}"),
        "The value; a key that is no member becomes one, with the value `default`.");
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
    bind_snapshots<Face>(cls, words);
    bind_reads<Face>(cls, words);
    bind_writes<Face>(cls, words);
    bind_streams<B>(cls, words, {}, false);
}

} // namespace slotwise_python

#endif
