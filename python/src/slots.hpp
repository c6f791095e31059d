// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers that make the handle: a slot map of float64, and rows of four float64 members in an array each.
#ifndef SLOTWISE_PYTHON_SLOTS_HPP
#define SLOTWISE_PYTHON_SLOTS_HPP

#include "keyed.hpp"

#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <array>

namespace slotwise_python {

/// One float64 an element.
struct SlotFace : WholeSnapshot {
    using container = slotwise::SlotMap<
        double, slotwise::AllocBy<Moving<double>>,
        slotwise::Options<slotwise::SlotMapOptions{.growth = slotwise::Growth::reserve, .max_slots = most_slots}>>;
    static void expect_sound(const container&) {}
    using row = double;
    static constexpr const char* row_type = "float";
    static constexpr const char* columns = "'value' (float64)";
    static constexpr slotwise::ExportOptions options{};

    static row from(nb::handle value) { return Py<double>::from(value, "value"); }
    static nb::object to(row value) { return Py<double>::to(value); }
    static row at(const container& c, container::handle_type handle) { return c.at(handle); }
    static void assign(container& c, container::handle_type handle, row value) { c.at(handle) = value; }
    static container::handle_type insert(container& c, row value) { return c.insert(value); }
};

/// Four float64 members an element.
struct RowsFace : WholeSnapshot {
    using container = slotwise::SoaSlotMap<double, double, double, double>;
    static void expect_sound(const container&) {}
    using row = std::array<double, 4>;
    static constexpr const char* row_type = "tuple[float, float, float, float]";
    static constexpr const char* columns = "'x', 'y', 'z', 'w' (float64)";
    static constexpr const char* names = "xyzw";
    static constexpr slotwise::ExportOptions options{.names = "x,y,z,w"};

    static row from(nb::handle value) {
        const nb::object members = members_of(value, 4);
        if (!members.is_valid())
            raise(PyExc_TypeError, "value: a row of four floats (x, y, z, w) is needed, not " + repr_of(value));
        row result;
        for (std::size_t i = 0; i != 4; ++i)
            result[i] = Py<double>::from(PyTuple_GET_ITEM(members.ptr(), static_cast<Py_ssize_t>(i)), "value");
        return result;
    }
    static nb::object to(const row& r) { return nb::make_tuple(r[0], r[1], r[2], r[3]); }
    static row at(const container& c, container::handle_type handle) {
        const auto [x, y, z, w] = c.at(handle);
        return {x, y, z, w};
    }
    static void assign(container& c, container::handle_type handle, const row& r) {
        auto [x, y, z, w] = c.at(handle);
        x = r[0], y = r[1], z = r[2], w = r[3];
    }
    static container::handle_type insert(container& c, const row& r) { return c.insert(r[0], r[1], r[2], r[3]); }
};

/// The handles of a container in the order of its rows, and its rows.
template <class Face>
void collect_rows(const typename Face::container& c, std::vector<std::uint64_t>* handles,
                  std::vector<typename Face::row>* rows) {
    if (handles != nullptr) handles->reserve(c.size());
    if (rows != nullptr) rows->reserve(c.size());
    for (const auto handle : c.handles()) {
        if (handles != nullptr) handles->push_back(handle.to_bits());
        if (rows != nullptr) rows->push_back(Face::at(c, handle));
    }
}

template <class Face>
void bind_slots(nb::module_& m, const char* name, const char* what) {
    using C = typename Face::container;
    using B = Box<C>;
    using Row = typename Face::row;
    using Handle = typename C::handle_type;
    const Words words({{"{C}", name},
                       {"{V}", Face::row_type},
                       {"{columns}", Face::columns},
                       {"{A}", Face::columns},
                       {"{A2}", ", and 'handle' after them"}});
    nb::class_<B> cls(m, name, what);
    bind_whole<B>(cls, words);
    bind_snapshots<Face>(cls, words);
    bind_no_array(cls);
    cls.def(
        "__eq__", [](nb::handle a, nb::handle b) -> nb::object { return a.is(b) ? nb::cast(true) : equals_as_dict(a, b); },
        nb::is_operator(), argument("other"), nb::sig("def __eq__(self, other: object, /) -> bool"),
        "Whether both have the same handles with equal elements; other is one of this class, or any mapping.");
    unhashable(cls);

    bind_streams<B>(cls, words, Face::options, false);

    static const auto find_handle = [](nb::handle handle) -> std::optional<Handle> {
        const auto bits = Py<std::uint64_t>::find(handle);
        if (!bits) return std::nullopt;
        return Handle::from_bits(static_cast<typename Handle::bits_type>(*bits));
    };
    // Of a stale handle the text of C++ says whether it was erased or never issued.
    static const auto handle_or_missing = [](nb::handle handle) {
        const auto h = find_handle(handle);
        if (!h) raise_missing(handle, "no element has this handle; get(handle) returns None or a default instead");
        return *h;
    };
    cls.def(
        "insert",
        [](B& self, nb::handle value) {
            const Row row = Face::from(value);
            return write(self, [&](C& c) { return Face::insert(c, row).to_bits(); });
        },
        argument("value"), words.sig("def insert(self, value: {V}) -> int"),
        "Adds an element and returns its handle, an int below 2**64 that never names another element.");
    cls.def(
        "extend",
        [](B& self, nb::handle values) {
            std::vector<Row> rows;
            each_item(values, "values", "an iterable", [&](nb::handle value) { rows.push_back(Face::from(value)); });
            std::vector<std::uint64_t> handles;
            handles.reserve(rows.size());
            write_all(self, [&](C& c) {
                c.reserve(c.size() + rows.size());
                for (const Row& row : rows) handles.push_back(Face::insert(c, row).to_bits());
            });
            return to_array(std::move(handles));
        },
        argument("values"),
        words.sig("def extend(self, values: collections.abc.Iterable[{V}]) -> numpy.typing.NDArray[numpy.uint64]"),
        "Adds each element; returns the handles as an array of shape (number of elements,).");
    cls.def(
        "__contains__",
        [](const B& self, nb::handle handle) {
            const auto h = find_handle(handle);
            return h && read(self, [&](const C& c) { return c.contains(*h); });
        },
        argument("handle"), nb::sig("def __contains__(self, handle: object, /) -> bool"),
        "Whether the handle's element is here. Of what can be no handle it is False, as of a dict.");
    cls.def(
        "__getitem__",
        [](const B& self, nb::handle handle) {
            const Handle h = handle_or_missing(handle);
            return Face::to(read(self, [&](const C& c) { return Face::at(c, h); }));
        },
        argument("handle"), words.sig("def __getitem__(self, handle: int) -> {V}"),
        "The element. Raises KeyError that says whether it was erased or the handle never issued.");
    cls.def(
        "get",
        [](const B& self, nb::handle handle, nb::handle otherwise) -> nb::object {
            const auto h = find_handle(handle);
            Row row{};
            const bool found = h && read(self, [&](const C& c) {
                                   if (!c.contains(*h)) return false;
                                   row = Face::at(c, *h);
                                   return true;
                               });
            return found ? Face::to(row) : nb::borrow(otherwise);
        },
        argument("handle"), argument("default", nb::none()),
        nb::sig("def get(self, handle: int, default: typing.Any = None) -> typing.Any"),
        "The element, or `default` when it is not here.");
    cls.def(
        "__setitem__",
        [](B& self, nb::handle handle, nb::handle value) {
            const Handle h = handle_or_missing(handle);
            const Row row = Face::from(value);
            write(self, [&](C& c) { Face::assign(c, h, row); });
        },
        argument("handle"), argument("value"), words.sig("def __setitem__(self, handle: int, value: {V}) -> None"),
        "Replaces the element. Raises KeyError as [handle]; insert() adds one.");
    static const auto erase = [](B& self, nb::handle handle) {
        const auto h = find_handle(handle);
        return write(self, [&](C& c) { return h && c.erase(*h) ? true : false; });
    };
    cls.def("erase", erase, argument("handle"), nb::sig("def erase(self, handle: int) -> bool"),
            "Removes the element. False when it is not here.");
    cls.def(
        "__delitem__",
        [](B& self, nb::handle handle) {
            if (!erase(self, handle)) raise_missing(handle, "no element has this handle; erase(handle) returns False instead");
        },
        argument("handle"), nb::sig("def __delitem__(self, handle: int) -> None"),
        "Removes the element. Raises KeyError when it is not here.");
    cls.def(
        "clear", [](B& self) { write_all(self, [](C& c) { c.clear(); }); }, "Removes every element; handles become stale.");

    static const auto keys_of = [](const B& self) {
        std::vector<std::uint64_t> handles;
        read_all(self, [&](const C& c) { collect_rows<Face>(c, &handles, nullptr); });
        return handles;
    };
    cls.def(
        "keys", [](const B& self) { return to_list(keys_of(self)); }, nb::sig("def keys(self) -> list[int]"),
        "A list of the handles, in the order of the columns.");
    cls.def(
        "__iter__", [](const B& self) { return nb::iter(to_list(keys_of(self))); },
        nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"), "Iterates over a copy of the handles.");
    cls.def(
        "values",
        [](const B& self) {
            std::vector<Row> rows;
            read_all(self, [&](const C& c) { collect_rows<Face>(c, nullptr, &rows); });
            nb::list list;
            for (const Row& row : rows) list.append(Face::to(row));
            return list;
        },
        words.sig("def values(self) -> list[{V}]"), "A list of the elements, in the order of keys().");
    cls.def(
        "items",
        [](const B& self) {
            std::vector<std::uint64_t> handles;
            std::vector<Row> rows;
            read_all(self, [&](const C& c) { collect_rows<Face>(c, &handles, &rows); });
            nb::list list;
            for (std::size_t i = 0; i != rows.size(); ++i) list.append(nb::make_tuple(handles[i], Face::to(rows[i])));
            return list;
        },
        words.sig("def items(self) -> list[tuple[int, {V}]]"), "A list of pairs (handle, element).");
    cls.def(
        "update",
        [](B& self, nb::handle source) {
            std::vector<std::pair<Handle, Row>> pairs;
            each_pair(source, "a mapping or an iterable of (handle, value)", [&](nb::handle handle, nb::handle value) {
                pairs.emplace_back(handle_or_missing(handle), Face::from(value));
            });
            write_all(self, [&](C& c) {
                for (const auto& [handle, row] : pairs) static_cast<void>(Face::at(c, handle));
                for (const auto& [handle, row] : pairs) Face::assign(c, handle, row);
            });
        },
        argument("source"),
        words.sig(
            "def update(self, source: collections.abc.Mapping[int, {V}] | collections.abc.Iterable[tuple[int, {V}]]) -> None"),
        "Replaces the element of each handle. Raises KeyError, and changes nothing, if one of them is not here.");
    cls.def(
        "column",
        [](const B& self, nb::handle name_argument, nb::handle copy) -> nb::object {
            const std::string name = text_from(name_argument, "name");
            if (name == "handle") {
                if (copy_of(copy) == Copy::never) raise_copy_needed("handles are made of slots and versions");
                return to_array(keys_of(self));
            }
            if constexpr (std::is_same_v<Face, SlotFace>) {
                if (name == "value")
                    return column_of_span(
                        self, [](const C& c) { return c.slot_span(); }, copy);
            } else if (name.size() == 1) {
                if (const char* const member = std::strchr(Face::names, name[0]); member != nullptr) {
                    const auto span_of = [i = member - Face::names](const C& c) -> std::span<const double> {
                        if (i == 0) return c.template column<0>();
                        if (i == 1) return c.template column<1>();
                        if (i == 2) return c.template column<2>();
                        return c.template column<3>();
                    };
                    const Copy how = copy_of(copy);
                    std::shared_ptr<const C> owner;
                    std::vector<double> copied;
                    read_all(self, [&](const C& c) {
                        const auto span = span_of(c);
                        if (how == Copy::always)
                            copied.assign(span.begin(), span.end());
                        else
                            owner = self.data.pin();
                    });
                    if (owner == nullptr) return to_array(std::move(copied));
                    const auto span = span_of(*owner);
                    return to_array(span.data(), span.size(), std::move(owner));
                }
            }
            raise(PyExc_KeyError,
                  std::string("name: there are ") + Face::columns + " and 'handle', no " + repr_of(name_argument));
        },
        argument("name", std::is_same_v<Face, SlotFace> ? "value" : "x"), argument("copy", nb::none()),
        nb::sig(std::is_same_v<Face, SlotFace>
                    ? "def column(self, name: str = 'value', copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"
                    : "def column(self, name: str = 'x', copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"),
        words("A read-only array of shape (len(self),) in the order of keys(): {columns}, or 'handle' (uint64, always a "
              "copy).\n\n"
              "It is a view of the container's memory, which pins the container (see on_write), unless there are holes: of a "
              "SlotMap after an erase, never of a SoaMap. copy=False raises ValueError instead of copying, copy=True always "
              "copies."));
    if constexpr (std::is_same_v<Face, SlotFace>)
        cls.def(
            "chunks", [](const B& self) { return chunks_of_span(self, [](const C& c) { return c.slot_span(); }); },
            nb::sig("def chunks(self) -> list[numpy.typing.NDArray[numpy.float64]]"),
            "Read-only views, one for each run of live slots; none is a copy. They pin the container.");
}

} // namespace slotwise_python

#endif
