// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The Arrow PyCapsule interface: containers as streams, and streams into containers.
#ifndef SLOTWISE_PYTHON_ARROW_HPP
#define SLOTWISE_PYTHON_ARROW_HPP

#include <slotwise/arrow/py_capsule.hpp>

#include "box.hpp"
#include "convert.hpp"

#include <slotwise/arrow/export.hpp>

namespace slotwise_python {

/// A capsule that owns a struct of the interface.
template <class Struct>
nb::object to_capsule(slotwise::detail::ArrowOwner<Struct> owner) {
    PyObject* const capsule = slotwise::to_py_capsule(std::move(owner));
    if (capsule == nullptr) throw nb::python_error();
    return nb::steal(capsule);
}
/// The schema that a consumer asks for: it is the consumer's, so every pointer that is read later is checked here.
/// A count that lies about a list cannot be told in general; one beyond what any object here has is refused before the list is
/// read. @throws ValueError when it was released or has no format, no list of children, too many, or a child like that
inline const ArrowSchema& requested_schema_of(nb::handle capsule) {
    const auto* const schema = slotwise::from_py_capsule<ArrowSchema>(capsule.ptr(), "requested_schema");
    if (schema == nullptr) throw nb::python_error();
    const auto refuse = [](const std::string& what) { raise(PyExc_ValueError, "requested_schema: " + what); };
    if (schema->release == nullptr) refuse("it was released, or moved out of its capsule; make a new one");
    if (schema->format == nullptr) refuse("it has no format");
    if (schema->n_children < 0 || (schema->n_children != 0 && schema->children == nullptr))
        refuse("it has " + std::to_string(schema->n_children) + " children, or no list of them");
    if (schema->n_children > 16)
        refuse("it has " + std::to_string(schema->n_children) + " children, more than any object here has columns");
    for (std::int64_t i = 0; i < schema->n_children; ++i) {
        const ArrowSchema* const child = schema->children[i];
        if (child == nullptr) refuse("it has no child " + std::to_string(i));
        if (child->release == nullptr) refuse("its child " + std::to_string(i) + " was released, or moved out of it");
        if (child->format == nullptr) refuse("its child " + std::to_string(i) + " has no format");
    }
    return *schema;
}

/// Whether an object is read as an Arrow stream.
inline bool is_stream(nb::handle source) { return nb::hasattr(source, "__arrow_c_stream__"); }
/// The stream of an object with __arrow_c_stream__.
inline slotwise::OwnedStream stream_of(nb::handle source) {
    slotwise::OwnedStream stream = slotwise::take_py_stream(source.ptr());
    if (!stream) throw nb::python_error();
    return stream;
}

inline const char* text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// The options that give the columns which a consumer has asked for. @throws ValueError when no options do
inline void expect_schema(const ArrowSchema& ours, const ArrowSchema& wanted) {
    const auto names = [](const ArrowSchema& schema) {
        std::string text;
        for (std::int64_t i = 0; i < schema.n_children; ++i)
            text +=
                (i == 0 ? "" : ", ") + std::string(text_or_empty(schema.children[i]->name)) + ": " + schema.children[i]->format;
        return "(" + text + ")";
    };
    bool same = wanted.n_children == ours.n_children && std::string_view(text_or_empty(wanted.format)) == "+s";
    for (std::int64_t i = 0; same && i < ours.n_children; ++i)
        same = std::string_view(text_or_empty(wanted.children[i]->name)) == text_or_empty(ours.children[i]->name) &&
               std::string_view(wanted.children[i]->format) == ours.children[i]->format;
    if (!same)
        raise(PyExc_ValueError, "requested_schema: this object has the columns " + names(ours) +
                                    " as Arrow formats, and no others; " + "asked for were " + names(wanted) +
                                    ". Ask for these, or cast the result");
}

/// A stream that is read once, with other options than __arrow_c_stream__ has.
struct Stream {
    slotwise::OwnedStream stream;
};
inline void bind_stream(nb::module_& m) {
    nb::class_<Stream>(m, "ArrowStream", "An Arrow stream, to be read once by anything that takes __arrow_c_stream__.")
        .def(
            "__arrow_c_stream__",
            [](Stream& self, nb::handle) {
                if (!self.stream) raise(PyExc_ValueError, "this stream was read already; call arrow() again");
                return to_capsule<ArrowArrayStream>(std::move(self.stream));
            },
            nb::arg("requested_schema") = nb::none(),
            nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
            "Moves the stream into a capsule. The schema is that of arrow(); a requested one is not looked at.");
}

/// Streams of the container behind a box, which pin it. @param own the options of __arrow_c_stream__
template <class B>
void bind_streams(nb::class_<B>& cls, const Words& words, slotwise::ExportOptions own, bool has_time) {
    using C = typename B::container;
    static const auto pinned_stream = [](const B& self, slotwise::ExportOptions options) {
        const std::shared_ptr<const C> pin = at_length(self, [&] { return self.data.pin(); });
        ArrowArrayStream stream{};
        slotwise::export_stream(pin, &stream, options);
        return slotwise::OwnedStream(&stream);
    };
    static const auto schema_of = [](const B& self, slotwise::ExportOptions options) {
        ArrowSchema schema{};
        read(self, [&](const C& c) { slotwise::export_schema(c, &schema, options); });
        return slotwise::OwnedSchema(&schema);
    };
    cls.def(
        "__arrow_c_schema__", [own](const B& self) { return to_capsule<ArrowSchema>(schema_of(self, own)); },
        nb::sig("def __arrow_c_schema__(self) -> object"), words("The columns of __arrow_c_stream__: {A}."));
    cls.def(
        "__arrow_c_stream__",
        [own, has_time](const B& self, nb::handle requested) {
            slotwise::ExportOptions options = own;
            if (!requested.is_none()) {
                const auto& wanted = requested_schema_of(requested);
                for (std::int64_t i = 0; i < wanted.n_children; ++i) {
                    const std::string_view name = text_or_empty(wanted.children[i]->name);
                    options.handles |= name == "handle";
                    options.time |= has_time && name == "time";
                }
                expect_schema(*schema_of(self, options), wanted);
            }
            return to_capsule<ArrowArrayStream>(pinned_stream(self, options));
        },
        nb::arg("requested_schema") = nb::none(),
        nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
        words("The elements as an Arrow stream with the columns {A}, for pyarrow.table(), polars.from_arrow(), duckdb and "
              "others. "
              "Long runs of live slots are shared, not copied, and pin the container as long as a batch of them is alive, see "
              "on_write.\n\nrequested_schema: these columns{A2}; anything else raises ValueError."));
    cls.def(
        "arrow",
        [own, has_time](const B& self, bool slots, bool handles, bool time) {
            slotwise::ExportOptions options = own;
            options.rows = slots ? slotwise::Rows::all_slots : slotwise::Rows::live;
            options.handles = handles;
            if (time && !has_time) raise(PyExc_ValueError, "time: only a series has times");
            options.time = time;
            return Stream{pinned_stream(self, options)};
        },
        nb::kw_only(), nb::arg("slots") = false, nb::arg("handles") = false, nb::arg("time") = false,
        "The same with options. slots: a row for each slot, null where no element is, so that nothing is copied in spite of "
        "holes. "
        "handles: a further column 'handle' (uint64). time: of a series, a further column 'time' (int64), null where there is "
        "no "
        "value.");
}

} // namespace slotwise_python

#endif
