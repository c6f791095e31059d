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

#include <exception>
#include <memory>
#include <new>

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

/// The method by which an object is read as an Arrow stream, or nothing.
inline nb::object stream_method_of(nb::handle source) { return attribute_of(source, "__arrow_c_stream__"); }

/// The batches of a RecordBatchReader of pyarrow as a stream. pyarrow knows how long each buffer is, which the C interface does
/// not say: here is the last place where offsets that lead out of a buffer can be found, so each batch is validated in full
/// before it is handed on. What a Python generator raises in between is kept: the C interface has only a text for it.
class ReaderStream {
public:
    using Raised = std::shared_ptr<std::exception_ptr>;
    /// @param raised gets the exception of Python code
    static slotwise::OwnedStream make(nb::object reader, Raised raised) {
        ArrowArrayStream stream{};
        stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
            return of(self)->guarded([&](ReaderStream& own) {
                own.schema_ = own.reader_.attr("schema");
                move_out<ArrowSchema>(own.schema_.attr("__arrow_c_schema__")(), out);
            });
        };
        stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
            return of(self)->guarded([&](ReaderStream& own) { own.next(out); });
        };
        stream.get_last_error = [](ArrowArrayStream*) { return "an exception of Python"; };
        stream.release = [](ArrowArrayStream* self) {
            const nb::gil_scoped_acquire held;
            delete of(self);
            self->release = nullptr;
        };
        stream.private_data = new ReaderStream(std::move(reader), std::move(raised));
        return slotwise::OwnedStream(&stream);
    }

private:
    ReaderStream(nb::object reader, Raised raised) : reader_(std::move(reader)), raised_(std::move(raised)) {}
    static ReaderStream* of(ArrowArrayStream* self) { return static_cast<ReaderStream*>(self->private_data); }
    template <class F>
    int guarded(F&& f) noexcept {
        const nb::gil_scoped_acquire held;
        try {
            f(*this);
            return 0;
        } catch (...) {
            *raised_ = std::current_exception();
            return 22; // EINVAL
        }
    }
    template <class Struct>
    static void move_out(nb::handle capsule, Struct* out) {
        auto* const owned = slotwise::from_py_capsule<Struct>(capsule.ptr(), "source");
        if (owned == nullptr) raise_again();
        *out = *owned;
        owned->release = nullptr;
    }
    void next(ArrowArray* out) {
        out->release = nullptr;
        const nb::object batch = nb::steal(PyObject_CallMethod(reader_.ptr(), "read_next_batch", nullptr));
        if (!batch.is_valid()) {
            if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) raise_again();
            PyErr_Clear();
            return;
        }
        if (!nb::cast<bool>(batch.attr("schema").attr("equals")(schema_)))
            raise(PyExc_ValueError, "source: a batch has another schema than its reader");
        batch.attr("validate")(nb::arg("full") = true);
        const nb::object arrays = batch.attr("__arrow_c_array__")();
        move_out<ArrowArray>(nb::handle(PyTuple_GetItem(arrays.ptr(), 1)), out);
    }

    nb::object reader_, schema_;
    Raised raised_;
};

/// A stream to be read, by an object with __arrow_c_stream__: of pyarrow validated in full, of others as far as the C interface
/// allows, which is what import and apply do by themselves.
class Source {
public:
    /// @param method stream_method_of(source) @param what names the argument in an error
    Source(nb::handle source, nb::handle method, const char* what) {
        // Nothing is of pyarrow as long as nobody has imported it.
        if (const nb::object pyarrow = nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), "pyarrow"));
            pyarrow.is_valid()) {
            if (is_of(source, pyarrow, "RecordBatchReader")) {
                stream_ = ReaderStream::make(nb::borrow(source), raised_);
                return;
            }
            for (const char* const whole : {"Table", "RecordBatch", "ChunkedArray"})
                if (is_of(source, pyarrow, whole)) source.attr("validate")(nb::arg("full") = true);
        }
        const nb::object capsule = call(method);
        auto* const stream =
            slotwise::from_py_capsule<ArrowArrayStream>(capsule.ptr(), (std::string(what) + ".__arrow_c_stream__()").c_str());
        if (stream == nullptr) raise_again();
        if (stream->release == nullptr)
            raise(PyExc_ValueError, std::string(what) + ": its stream was read already; make a new one");
        stream_ = slotwise::OwnedStream(stream);
    }
    ArrowArrayStream& operator*() { return *stream_; }
    /// Whether it has rows of several columns; also when it does not say what it has, which the reader then refuses.
    bool is_table() {
        slotwise::OwnedSchema schema;
        if (stream_->get_schema == nullptr || stream_->get_schema(&*stream_, schema.out()) != 0) {
            schema.forget();
            return true;
        }
        return !schema || schema->format == nullptr || std::string_view(schema->format) == "+s";
    }
    /// Calls f(), which reads the stream, and passes on what Python code raised meanwhile.
    template <class F>
    auto read(F&& f) {
        try {
            return f();
        } catch (...) {
            if (*raised_ == nullptr) throw;
        }
        std::rethrow_exception(std::exchange(*raised_, nullptr));
    }

private:
    static bool is_of(nb::handle source, nb::handle pyarrow, const char* name) {
        const nb::object type = attribute_of(pyarrow, name);
        const int is = type.is_valid() ? PyObject_IsInstance(source.ptr(), type.ptr()) : 0;
        if (is < 0) raise_again();
        return is == 1;
    }

    ReaderStream::Raised raised_ = std::make_shared<std::exception_ptr>();
    slotwise::OwnedStream stream_;
};

/// A stream whose batches hold a pin each, also those that were copied: so a container that refuses writes under a view does so
/// whatever its size.
class PinningStream {
public:
    static slotwise::OwnedStream make(slotwise::OwnedStream inner, std::shared_ptr<const void> pin) {
        ArrowArrayStream stream{};
        stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
            return of(self).inner_->get_schema(&*of(self).inner_, out);
        };
        stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
            PinningStream& own = of(self);
            const int code = own.inner_->get_next(&*own.inner_, out);
            if (code == 0 && out->release != nullptr) hold(*out, own.pin_);
            return code;
        };
        stream.get_last_error = [](ArrowArrayStream* self) { return of(self).inner_->get_last_error(&*of(self).inner_); };
        stream.release = [](ArrowArrayStream* self) {
            delete &of(self);
            self->release = nullptr;
        };
        stream.private_data = new PinningStream(std::move(inner), std::move(pin));
        return slotwise::OwnedStream(&stream);
    }

private:
    struct Held {
        void (*release)(ArrowArray*);
        void* private_data;
        std::shared_ptr<const void> pin;
    };
    PinningStream(slotwise::OwnedStream inner, std::shared_ptr<const void> pin)
        : inner_(std::move(inner)), pin_(std::move(pin)) {}
    static PinningStream& of(ArrowArrayStream* self) { return *static_cast<PinningStream*>(self->private_data); }
    /// Children, too: a consumer may move them out. Where there is no memory for a pin the array is handed on without.
    static void hold(ArrowArray& array, const std::shared_ptr<const void>& by) noexcept {
        for (std::int64_t i = 0; i < array.n_children; ++i) hold(*array.children[i], by);
        auto* const held = new (std::nothrow) Held{array.release, array.private_data, by};
        if (held == nullptr) return;
        array.private_data = held;
        array.release = [](ArrowArray* self) {
            const std::unique_ptr<Held> owned(static_cast<Held*>(self->private_data));
            self->private_data = owned->private_data;
            owned->release(self); // marks it as released
        };
    }

    slotwise::OwnedStream inner_;
    std::shared_ptr<const void> pin_;
};

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
            argument("requested_schema", nb::none()),
            nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
            "Moves the stream into a capsule. The schema is that of arrow(); a requested one is not looked at.");
}

/// Streams of the container behind a box, which pin it. @param own the options of __arrow_c_stream__
template <class B>
void bind_streams(nb::class_<B>& cls, const Words& words, slotwise::ExportOptions own, bool has_time) {
    using C = typename B::container;
    static const auto pinned_stream = [](const B& self, slotwise::ExportOptions options) {
        bool refuses = false;
        const std::shared_ptr<const C> pin = at_length(self, [&] {
            refuses = self.on_write == OnWrite::refuse;
            return self.data.pin();
        });
        ArrowArrayStream stream{};
        slotwise::export_stream(pin, &stream, options);
        return refuses ? PinningStream::make(slotwise::OwnedStream(&stream), pin) : slotwise::OwnedStream(&stream);
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
        argument("requested_schema", nb::none()),
        nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
        words("The elements as an Arrow stream with the columns {A}, for pyarrow.table(), pandas.DataFrame.from_arrow(), "
              "duckdb and "
              "others. "
              "Long runs of live slots are shared, not copied. What a write does as long as a batch is alive: see "
              "on_write.\n\nrequested_schema: these columns{A2}; anything else raises ValueError."));
    cls.def(
        "arrow",
        [own, has_time](const B& self, nb::handle every_slot, nb::handle handles, nb::handle with_time) {
            slotwise::ExportOptions options = own;
            options.rows = flag_from(every_slot, "slots") ? slotwise::Rows::all_slots : slotwise::Rows::live;
            options.handles = flag_from(handles, "handles");
            const bool time = flag_from(with_time, "time");
            if (time && !has_time) raise(PyExc_ValueError, "time: only a series has times");
            options.time = time;
            return Stream{pinned_stream(self, options)};
        },
        nb::kw_only(), argument("slots", false), argument("handles", false), argument("time", false),
        nb::sig("def arrow(self, *, slots: bool = False, handles: bool = False, time: bool = False) -> ArrowStream"),
        "The same with options. slots: a row for each slot, null where no element is, so that nothing is copied in spite of "
        "holes. "
        "handles: a further column 'handle' (uint64). time: of a series, a further column 'time' (int64), null where there is "
        "no "
        "value.");
}

} // namespace slotwise_python

#endif
