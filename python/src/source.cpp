// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "source.hpp"

#include <slotwise/arrow/py_capsule.hpp>

#include "raw.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <optional>

namespace slotwise_python {

namespace {

constexpr std::size_t most_rows = std::size_t{1} << 40; // of an array; more is a count that lies, or overflows below
constexpr int most_levels = 32;

/// Keeps an object of Python, which dies with the GIL held wherever its last owner is.
std::shared_ptr<const void> keep(nb::object object) {
    struct Kept {
        PyObject* object;
        ~Kept() {
            if (Py_IsInitialized() == 0) return;
            const GilHeld held;
            Py_XDECREF(object);
        }
    };
    auto kept = std::make_shared<Kept>();
    kept->object = object.release().ptr();
    return kept;
}
template <class T>
std::shared_ptr<const void> keep_moved(T value) {
    return std::make_shared<T>(std::move(value));
}

/// What is wrong with a producer's structs.
[[noreturn]] void refuse(const char* argument, const std::string& what) {
    raise(PyExc_ValueError, std::string(argument) + ": " + what);
}

// ---------------------------------------------------------------------------------------------------------------- types

bool type_of_format(std::string_view format, Type& type) {
    const auto number = [&](Kind kind, const char* name) {
        type.shape = Shape::numbers;
        type.kind = kind;
        type.spelled = name;
        return true;
    };
    const auto text = [&](Shape shape, Kind kind, const char* name) {
        type.shape = shape;
        type.kind = kind;
        type.spelled = name;
        return true;
    };
    const auto width = [&](std::string_view digits) {
        std::uint32_t count = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
        type.width = count;
        return error == std::errc() && end == digits.data() + digits.size() && count <= 1u << 30;
    };
    const auto time = [&](Kind kind, Shape shape, std::string unit) {
        type.shape = shape;
        type.kind = kind;
        type.spelled = (kind == Kind::datetime ? "datetime64[" : "timedelta64[") + unit + "]";
        type.unit = std::move(unit);
        return true;
    };
    const auto unit_of = [](char c) -> std::string {
        return c == 's' ? "s" : c == 'm' ? "ms" : c == 'u' ? "us" : c == 'n' ? "ns" : "";
    };
    if (format.size() == 1) switch (format[0]) {
        case 'n':
            type.spelled = "nulls";
            type.shape = Shape::nulls;
            return true;
        case 'b':
            number(Kind::boolean, "bool");
            type.shape = Shape::bits;
            return true;
        case 'c':
            return number(Kind::int8, "int8");
        case 'C':
            return number(Kind::uint8, "uint8");
        case 's':
            return number(Kind::int16, "int16");
        case 'S':
            return number(Kind::uint16, "uint16");
        case 'i':
            return number(Kind::int32, "int32");
        case 'I':
            return number(Kind::uint32, "uint32");
        case 'l':
            return number(Kind::int64, "int64");
        case 'L':
            return number(Kind::uint64, "uint64");
        case 'f':
            return number(Kind::float32, "float32");
        case 'g':
            return number(Kind::float64, "float64");
        case 'e':
            number(Kind::float64, "float16");
            type.shape = Shape::halves;
            return true;
        case 'u':
            return text(Shape::offsets32, Kind::text, "str");
        case 'U':
            return text(Shape::offsets64, Kind::text, "str");
        case 'z':
            return text(Shape::offsets32, Kind::bytes, "bytes");
        case 'Z':
            return text(Shape::offsets64, Kind::bytes, "bytes");
        default:
            return false;
        }
    if (format == "vu") return text(Shape::views, Kind::text, "str");
    if (format == "vz") return text(Shape::views, Kind::bytes, "bytes");
    if (format.starts_with("w:")) return width(format.substr(2)) && text(Shape::fixed, Kind::bytes, "bytes");
    if (format == "tdD") return time(Kind::datetime, Shape::days32, "D");
    if (format == "tdm") return time(Kind::datetime, Shape::numbers, "ms");
    if (format.size() >= 4 && format.starts_with("ts") && format[3] == ':' && !unit_of(format[2]).empty())
        return time(Kind::datetime, Shape::numbers, unit_of(format[2]));
    if (format.size() == 3 && format.starts_with("tD") && !unit_of(format[2]).empty())
        return time(Kind::timedelta, Shape::numbers, unit_of(format[2]));
    if (format == "+s") {
        type.shape = Shape::record;
        type.spelled = "structs";
        return true;
    }
    if (format == "+l" || format == "+L" || format.starts_with("+w:")) {
        type.shape = format == "+l" ? Shape::list32 : format == "+L" ? Shape::list64 : Shape::list_fixed;
        type.spelled = "lists";
        return type.shape != Shape::list_fixed || width(format.substr(3));
    }
    return false;
}

/// What the values are that no field takes, for messages.
std::string name_of_format(std::string_view format) {
    static constexpr std::pair<std::string_view, const char*> names[] = {
        {"d:", "decimals"}, {"tt", "times of day"}, {"ti", "intervals"},  {"+m", "maps"},
        {"+u", "unions"},   {"+r", "runs"},         {"+v", "list views"}, {"ts", "timestamps"},
    };
    const std::string known = "values of Arrow's format '" + std::string(format.substr(0, 30)) + "'";
    for (const auto& [begin, name] : names)
        if (format.starts_with(begin)) return known + " (" + name + ")";
    return known;
}

/// The type that a producer says. Every pointer is looked at before it is followed.
Type type_of_schema(const ArrowSchema* schema, const char* argument, const std::string& column, int level = 0) {
    const auto bad = [&](const std::string& what) {
        refuse(argument, (column.empty() ? "the schema" : "column '" + column + "': its schema") + " " + what);
    };
    if (schema == nullptr) bad("is missing");
    if (schema->release == nullptr) bad("was released, or moved out of where it was");
    if (schema->format == nullptr) bad("has no format");
    if (level > most_levels) bad("is nested more than " + std::to_string(most_levels) + " levels deep");
    if (schema->n_children < 0 || schema->n_children > 1'000'000 || (schema->n_children != 0 && schema->children == nullptr))
        bad("has " + std::to_string(schema->n_children) + " children, or no list of them");
    Type type;
    const bool known = type_of_format(schema->format, type);
    if (!known) {
        type.shape = Shape::unknown;
        type.spelled = name_of_format(schema->format);
        return type;
    }
    const auto child = [&](std::int64_t i) {
        const char* const name =
            schema->children[i] != nullptr && schema->children[i]->release != nullptr ? schema->children[i]->name : nullptr;
        const std::string path = (column.empty() ? "" : column + ".") + (name == nullptr ? "" : name);
        type.children.push_back(type_of_schema(schema->children[i], argument, path, level + 1));
        type.names.emplace_back(name == nullptr ? "" : name);
    };
    if (schema->dictionary != nullptr) {
        if (type.shape != Shape::numbers || type.kind > Kind::uint64 || type.kind == Kind::boolean)
            bad("has a dictionary whose numbers are no ints");
        type.shape = Shape::dictionary;
        type.children.push_back(type_of_schema(schema->dictionary, argument, column, level + 1));
        type.spelled = "categories of " + type.children[0].spelled;
        return type;
    }
    if (type.shape == Shape::record) {
        for (std::int64_t i = 0; i < schema->n_children; ++i) child(i);
    } else if (type.shape == Shape::list_fixed || type.shape == Shape::list32 || type.shape == Shape::list64) {
        if (schema->n_children != 1) bad("is that of lists without items");
        child(0);
        type.names.clear();
        type.spelled =
            "lists of " + (type.shape == Shape::list_fixed ? std::to_string(type.width) + " " : "") + type.children[0].spelled;
    }
    return type;
}

/// `count` rows of an array from row `first` of it on, of which `array` says nothing that is not checked.
Raw raw_of_array(const ArrowArray* array, const Type& type, std::size_t first, std::size_t count,
                 const std::shared_ptr<const void>& owner, const char* argument, const std::string& column) {
    const auto bad = [&](const std::string& what) {
        refuse(argument, (column.empty() ? "a batch" : "column '" + column + "': its array") + " " + what);
    };
    if (array == nullptr || array->release == nullptr) bad("is missing, or was released");
    if (array->length < 0 || static_cast<std::uint64_t>(array->length) > most_rows || array->offset < 0 ||
        static_cast<std::uint64_t>(array->offset) > most_rows)
        bad("has the length " + std::to_string(array->length) + " and the offset " + std::to_string(array->offset));
    if (static_cast<std::size_t>(array->length) < first + count)
        bad("has " + std::to_string(array->length) + " rows, and " + std::to_string(first + count) + " are needed");
    Raw raw;
    raw.type = &type;
    raw.size = count;
    raw.offset = first + static_cast<std::size_t>(array->offset);
    raw.owner = owner;
    const auto expect_buffers = [&](std::int64_t buffers) {
        if (array->n_buffers != buffers || (buffers != 0 && array->buffers == nullptr))
            bad("has " + std::to_string(array->n_buffers) + " buffers, and " + std::to_string(buffers) + " are needed");
    };
    const auto expect_children = [&](std::size_t children) {
        if (array->n_children != static_cast<std::int64_t>(children) || (children != 0 && array->children == nullptr))
            bad("has " + std::to_string(array->n_children) + " children, and " + std::to_string(children) + " are needed");
    };
    const auto buffer = [&](std::int64_t i) {
        if (array->buffers[i] == nullptr && count != 0) bad("has no memory for its values");
        return array->buffers[i];
    };
    switch (type.shape) {
    case Shape::nulls:
        return raw;
    case Shape::bits:
    case Shape::numbers:
    case Shape::halves:
    case Shape::days32:
    case Shape::fixed:
    case Shape::dictionary:
        expect_buffers(2);
        raw.values = buffer(1);
        break;
    case Shape::offsets32:
    case Shape::offsets64:
        expect_buffers(3);
        raw.values = buffer(1);
        raw.data = array->buffers[2];
        break;
    case Shape::views:
        if (array->n_buffers < 3 || array->n_buffers > 1'000'000 || array->buffers == nullptr)
            bad("has " + std::to_string(array->n_buffers) + " buffers, and those of string views are needed");
        raw.values = buffer(1);
        raw.data = array->buffers + 2;
        raw.buffers = static_cast<std::size_t>(array->n_buffers - 3);
        if (raw.buffers != 0 && array->buffers[array->n_buffers - 1] == nullptr) bad("has no sizes of its buffers");
        break;
    case Shape::list32:
    case Shape::list64:
        expect_buffers(2);
        raw.values = buffer(1);
        break;
    case Shape::list_fixed:
    case Shape::record:
        expect_buffers(1);
        break;
    default:
        bad("has values that no field takes");
    }
    raw.bitmap = static_cast<const std::uint8_t*>(array->buffers[0]);
    if (array->null_count == 0) raw.bitmap = nullptr;
    if (raw.bitmap == nullptr && array->null_count > 0) bad("says that rows are null, and not which");
    if (type.shape == Shape::dictionary) {
        const ArrowArray* const words = array->dictionary;
        if (words == nullptr) bad("has no dictionary");
        raw.children.push_back(raw_of_array(words, type.children[0], 0,
                                            words->length < 0 ? 0 : static_cast<std::size_t>(words->length), nullptr, argument,
                                            column));
    } else if (type.shape == Shape::list_fixed || type.shape == Shape::list32 || type.shape == Shape::list64) {
        expect_children(1);
        const ArrowArray* const items = array->children[0];
        if (items == nullptr || items->length < 0) bad("has no items");
        const std::size_t needed =
            type.shape == Shape::list_fixed ? (raw.offset + count) * type.width : static_cast<std::size_t>(items->length);
        raw.children.push_back(raw_of_array(items, type.children[0], 0, needed, nullptr, argument, column));
    } else if (type.shape == Shape::record)
        expect_children(type.children.size());
    return raw;
}

/// Where in a tree of records a field is: the number of the child at each level.
using Way = std::vector<std::size_t>;
/// The way to a path: a child of that whole name, or one of the first name and the rest below.
/// @throws ValueError when a name comes twice
std::optional<Way> find_way(const Type& type, std::string_view path, const char* argument) {
    if (type.shape != Shape::record) return std::nullopt;
    const auto child_of = [&](std::string_view name) -> std::optional<std::size_t> {
        const auto at = std::find(type.names.begin(), type.names.end(), name);
        if (at == type.names.end()) return std::nullopt;
        if (std::find(at + 1, type.names.end(), name) != type.names.end())
            refuse(argument, "there are two columns '" + std::string(name) + "'");
        return static_cast<std::size_t>(at - type.names.begin());
    };
    if (const auto whole = child_of(path)) return Way{*whole};
    for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
        const auto first = child_of(path.substr(0, dot));
        if (!first) continue;
        auto rest = find_way(type.children[*first], path.substr(dot + 1), argument);
        if (!rest) continue;
        rest->insert(rest->begin(), *first);
        return rest;
    }
    return std::nullopt;
}
const Type& type_at(const Type& type, const Way& way) {
    const Type* at = &type;
    for (const std::size_t child : way) at = &at->children[child];
    return *at;
}
Raw raw_at(const ArrowArray* array, const Type& type, const Way& way, std::size_t rows,
           const std::shared_ptr<const void>& owner, const char* argument, const std::string& column) {
    const Type* at = &type;
    std::size_t first = 0;
    std::vector<std::pair<const std::uint8_t*, std::size_t>> parents;
    for (const std::size_t child : way) {
        const Raw record = raw_of_array(array, *at, first, rows, owner, argument, column);
        if (record.bitmap != nullptr) parents.emplace_back(record.bitmap, record.offset);
        first = record.offset;
        array = array->children[child];
        at = &at->children[child];
    }
    Raw raw = raw_of_array(array, *at, first, rows, owner, argument, column);
    raw.parents = std::move(parents);
    return raw;
}

// -------------------------------------------------------------------------------------------------------------- streams

using Raised = std::shared_ptr<std::exception_ptr>;

/// The batches of a RecordBatchReader of pyarrow as a stream. pyarrow knows how long each buffer is, which the C interface does
/// not say: here is the last place where buffers that are too short can be found. What a Python generator raises in between is
/// kept: the C interface has only a text for it.
class ReaderStream {
public:
    static slotwise::OwnedStream make(nb::object reader, Raised raised) {
        ArrowArrayStream stream{};
        stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
            return of(self)->guarded([&](ReaderStream& own) {
                own.schema_ = own.reader_.attr("schema");
                move_out<ArrowSchema>(call(own.schema_.attr("__arrow_c_schema__")), out);
            });
        };
        stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
            return of(self)->guarded([&](ReaderStream& own) { own.next(out); });
        };
        stream.get_last_error = [](ArrowArrayStream*) { return "an exception of Python"; };
        stream.release = [](ArrowArrayStream* self) {
            const GilHeld held;
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
        const GilHeld held;
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
        batch.attr("validate")();
        const nb::object arrays = call(batch.attr("__arrow_c_array__"));
        move_out<ArrowArray>(nb::handle(PyTuple_GetItem(arrays.ptr(), 1)), out);
    }

    nb::object reader_, schema_;
    Raised raised_;
};

/// A module, if somebody has imported it: nothing is of it as long as nobody has.
nb::object imported(const char* name) { return nb::borrow(PyDict_GetItemString(PyImport_GetModuleDict(), name)); }
bool is_of(nb::handle object, nb::handle module, const char* name) {
    const nb::object type = attribute_of(module, name);
    const int is = type.is_valid() ? PyObject_IsInstance(object.ptr(), type.ptr()) : 0;
    if (is < 0) raise_again();
    return is == 1;
}
/// The method of an object of the Arrow interface; none of a class, which has them for its objects.
nb::object arrow_method(nb::handle object, const char* name) {
    if (PyType_Check(object.ptr())) return {};
    return attribute_of(object, name);
}

/// A stream of columns or, of arrays, of one.
class ArrowReader {
public:
    ArrowReader(const ArrowReader&) = delete;
    ArrowReader& operator=(const ArrowReader&) = delete;
    /// Nothing when the object has no Arrow interface. @throws what its methods throw
    static std::unique_ptr<ArrowReader> open(nb::handle object, const char* argument) {
        std::unique_ptr<ArrowReader> reader(new ArrowReader(argument));
        if (const nb::object method = arrow_method(object, "__arrow_c_stream__"); method.is_valid()) {
            reader->open_stream(object, method);
        } else if (const nb::object array = arrow_method(object, "__arrow_c_array__"); array.is_valid()) {
            reader->validate(object);
            const nb::object pair = call(array);
            if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2)
                raise(PyExc_TypeError,
                      std::string(argument) + ".__arrow_c_array__(): a tuple of two capsules is needed, not " + type_of(pair));
            auto* const schema = slotwise::from_py_capsule<ArrowSchema>(
                PyTuple_GET_ITEM(pair.ptr(), 0), (std::string(argument) + ".__arrow_c_array__()").c_str());
            if (schema == nullptr) raise_again();
            auto* const values = slotwise::from_py_capsule<ArrowArray>(
                PyTuple_GET_ITEM(pair.ptr(), 1), (std::string(argument) + ".__arrow_c_array__()").c_str());
            if (values == nullptr) raise_again();
            reader->type_ = type_of_schema(schema, argument, "");
            if (values->release == nullptr) refuse(argument, "its array was read already; make a new one");
            reader->single_ = slotwise::OwnedArray(values);
            if (reader->single_->length >= 0) reader->rows_ = static_cast<std::size_t>(reader->single_->length);
        } else
            return nullptr;
        return reader;
    }
    const Type& type() const noexcept { return type_; }
    std::optional<std::size_t> rows() const noexcept { return rows_; }
    /// The next batch, or null at the end.
    std::shared_ptr<const slotwise::OwnedArray> next() {
        auto batch = std::make_shared<slotwise::OwnedArray>();
        if (single_) {
            *batch = std::move(single_);
            return batch;
        }
        if (!stream_) return nullptr;
        if (PyErr_CheckSignals() != 0) raise_again();
        if (const int code = stream_->get_next(&*stream_, batch->out()); code != 0) {
            batch->forget();
            fail(code);
        }
        if (PyErr_Occurred() != nullptr) raise_again(); // a producer in Python that left one
        if (!*batch) {
            stream_.reset();
            return nullptr;
        }
        if ((*batch)->length < 0 || static_cast<std::uint64_t>((*batch)->length) > most_rows)
            refuse(argument_, "a batch has the length " + std::to_string((*batch)->length));
        return batch;
    }

private:
    explicit ArrowReader(const char* argument) : argument_(argument) {}
    void validate(nb::handle object) {
        const nb::object pyarrow = imported("pyarrow");
        if (!pyarrow.is_valid()) return;
        for (const char* const each : {"Table", "RecordBatch", "ChunkedArray", "Array"})
            if (is_of(object, pyarrow, each)) {
                call(object.attr("validate")); // that buffers are long enough; the values are looked at here
                return;
            }
    }
    /// Whether len() of the object is the number of its rows: of the libraries that are known to have it so. Memory is reserved by it.
    static bool has_known_length(nb::handle object) {
        const auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
        const nb::object module = attribute_of(nb::handle(type), "__module__");
        if (!module.is_valid() || !PyUnicode_Check(module.ptr())) return false;
        const std::string name = utf8_of(module);
        for (const char* const known : {"pyarrow.", "polars.", "slotwise."})
            if (name.starts_with(known)) return PyObject_HasAttrString(const_cast<PyObject*>(type), "__len__") == 1;
        return false;
    }
    void open_stream(nb::handle object, nb::handle method) {
        const nb::object pyarrow = imported("pyarrow");
        const bool is_reader = pyarrow.is_valid() && is_of(object, pyarrow, "RecordBatchReader");
        if (is_reader) {
            stream_ = ReaderStream::make(nb::borrow(object), raised_);
        } else {
            validate(object);
            const nb::object capsule = call(method);
            auto* const stream = slotwise::from_py_capsule<ArrowArrayStream>(
                capsule.ptr(), (std::string(argument_) + ".__arrow_c_stream__()").c_str());
            if (stream == nullptr) raise_again();
            if (stream->release == nullptr) refuse(argument_, "its stream was read already; make a new one");
            stream_ = slotwise::OwnedStream(stream);
            if (has_known_length(object)) {
                const Py_ssize_t length = PyObject_Size(object.ptr());
                if (length >= 0)
                    rows_ = static_cast<std::size_t>(length);
                else if (PyErr_ExceptionMatches(PyExc_Exception) == 0)
                    raise_again();
                else
                    PyErr_Clear();
            }
        }
        if (stream_->get_schema == nullptr || stream_->get_next == nullptr)
            refuse(argument_, "its stream has no functions to read it by");
        slotwise::OwnedSchema schema;
        if (const int code = stream_->get_schema(&*stream_, schema.out()); code != 0) {
            schema.forget();
            fail(code);
        }
        if (PyErr_Occurred() != nullptr) raise_again();
        type_ = type_of_schema(&*schema, argument_, "");
    }
    [[noreturn]] void fail(int code) {
        if (*raised_ != nullptr) std::rethrow_exception(std::exchange(*raised_, nullptr));
        if (PyErr_Occurred() != nullptr) raise_again();
        if (code == ENOMEM) throw std::bad_alloc();
        const char* const text = stream_->get_last_error != nullptr ? stream_->get_last_error(&*stream_) : nullptr;
        refuse(argument_, "its stream fails with error " + std::to_string(code) + ": " +
                              (text != nullptr ? text : "it says nothing more"));
    }

    const char* argument_;
    Raised raised_ = std::make_shared<std::exception_ptr>();
    slotwise::OwnedStream stream_;
    slotwise::OwnedArray single_;
    Type type_;
    std::optional<std::size_t> rows_;
};

// -------------------------------------------------------------------------------------------------------------- columns

/// A column that is there as a whole. Its type lives as long as the pieces.
struct Column {
    std::vector<std::shared_ptr<const Type>> types;
    std::vector<Raw> pieces;
    std::size_t rows = 0;
    void add(std::shared_ptr<const Type> type, Raw raw) {
        raw.type = type.get();
        rows += raw.size;
        types.push_back(std::move(type));
        pieces.push_back(std::move(raw));
    }
};

nb::object numpy() { return nb::module_::import_("numpy"); }
PyTypeObject* array_type() { // NumPy is imported by the package
    static PyObject* const type = nb::object(numpy().attr("ndarray")).release().ptr();
    return reinterpret_cast<PyTypeObject*>(type);
}
bool is_array(nb::handle object) { return PyObject_TypeCheck(object.ptr(), array_type()) != 0; }
nb::object call_method(nb::handle object, const char* name, nb::handle argument) {
    nb::object result = nb::steal(PyObject_CallMethod(object.ptr(), name, "O", argument.ptr()));
    if (!result.is_valid()) raise_again();
    return result;
}
std::string text_attribute(nb::handle object, const char* name) { return utf8_of(nb::str(object.attr(name))); }

/// Reads columns that are objects of their own, and sources that consist of such.
class ColumnReader {
public:
    ColumnReader(const char* argument) : argument_(argument) {}

    /// A column for a field. @param of_pandas whether NaN may mean null
    Column column(nb::handle object, const Field& field, bool of_pandas = false) {
        if (is_array(object)) return from_numpy(object, field, of_pandas);
        if (is_pandas(object)) return column(call_method(sources(), "column", object), field, true);
        if (const nb::object codes = coded(object); codes.is_valid()) return from_codes(object, field);
        if (auto reader = ArrowReader::open(object, argument_)) return from_reader(*reader, field);
        if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return from_values(object, field, of_pandas);
        if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) refuse_column(object, field);
        if (PyObject_CheckBuffer(object.ptr()) != 0 || attribute_of(object, "__array__").is_valid())
            return from_numpy(call_method(numpy(), "asarray", object), field, of_pandas);
        if (PySequence_Check(object.ptr()) != 0 && attribute_of(object, "keys").is_valid() == false)
            return from_values(object, field, of_pandas);
        refuse_column(object, field);
    }
    /// A member of a column of structs of Arrow; nothing where it is none, or has no such member.
    std::optional<Column> member(nb::handle object, std::string_view path, const Field& field) {
        if (is_array(object) || PyDict_Check(object.ptr())) return std::nullopt;
        const nb::object given = is_pandas(object) ? call_method(sources(), "column", object) : nb::borrow(object);
        auto reader = ArrowReader::open(given, argument_);
        if (reader == nullptr) return std::nullopt;
        const auto type = std::make_shared<Type>(reader->type());
        const auto way = find_way(*type, path, argument_);
        if (!way) return std::nullopt;
        expect_castable(type_at(*type, *way), field, argument_);
        Column result;
        while (const auto batch = reader->next()) {
            const auto rows = static_cast<std::size_t>((*batch)->length < 0 ? 0 : (*batch)->length);
            Raw raw = raw_at(batch->get(), *type, *way, rows, batch, argument_, field.path);
            // The struct itself is an array of rows: raw_at takes the nulls of all that is around the member.
            result.rows += raw.size;
            result.types.push_back(type);
            result.pieces.push_back(std::move(raw));
        }
        if (result.types.empty()) result.types.push_back(type);
        return result;
    }
    [[noreturn]] void refuse_column(nb::handle object, const Field& field) {
        raise(PyExc_TypeError, std::string(argument_) + ": column '" + field.path +
                                   "': a NumPy array, an Arrow array, a series of Polars or pandas, or a list is needed, not " +
                                   type_of(object));
    }
    static bool is_pandas(nb::handle object) {
        const nb::object pandas = imported("pandas");
        if (!pandas.is_valid()) return false;
        for (const char* const each : {"Series", "Index"})
            if (is_of(object, pandas, each)) return true;
        const nb::object api = attribute_of(pandas, "api");
        const nb::object extensions = api.is_valid() ? attribute_of(api, "extensions") : nb::object();
        return extensions.is_valid() && is_of(object, extensions, "ExtensionArray");
    }
    static bool is_pandas_frame(nb::handle object) {
        const nb::object pandas = imported("pandas");
        return pandas.is_valid() && is_of(object, pandas, "DataFrame");
    }
    static bool is_pandas_series(nb::handle object) {
        const nb::object pandas = imported("pandas");
        return pandas.is_valid() && is_of(object, pandas, "Series");
    }
    /// slotwise._sources, which knows pandas.
    static nb::object sources() { return nb::module_::import_("slotwise._sources"); }

private:
    nb::object coded(nb::handle object) {
        const nb::object module = imported("slotwise._sources");
        if (!module.is_valid() || !is_of(object, module, "Coded")) return {};
        return nb::borrow(object);
    }
    Column from_codes(nb::handle coded, const Field& field) {
        Field numbers;
        numbers.path = field.path;
        numbers.kind = Kind::int64;
        Column codes = from_numpy(coded.attr("codes"), numbers, false, false);
        Field words = field;
        words.nullable = true;
        Column known = column(coded.attr("values"), words, true);
        Column result;
        if (codes.pieces.size() != 1 || known.pieces.size() > 1)
            refuse(argument_, "column '" + field.path + "' has categories in pieces");
        auto type = std::make_shared<Type>(*codes.types[0]);
        type->shape = Shape::dictionary;
        type->spelled = "categories";
        Raw raw = codes.pieces[0];
        if (known.pieces.empty()) { // no categories: all rows are null
            type->children.push_back(Type{});
            type->children[0].shape = Shape::nulls;
            Raw none;
            raw.children.push_back(none);
        } else {
            type->children.push_back(*known.types[0]);
            raw.children.push_back(known.pieces[0]);
        }
        raw.children[0].type = &type->children[0];
        raw.owner = keep_moved(std::pair(raw.owner, raw.children[0].owner));
        const nb::object mask = call_method(coded.attr("codes"), "__lt__", nb::int_(0));
        add_mask(raw, mask);
        result.add(std::move(type), std::move(raw));
        return result;
    }

    Column from_reader(ArrowReader& reader, const Field& field) {
        auto type = std::make_shared<Type>(reader.type());
        if (type->shape == Shape::record)
            raise(PyExc_TypeError, std::string(argument_) + ": column '" + field.path +
                                       "' has several columns of its own, and " + spelled(field) + " is needed");
        expect_castable(*type, field, argument_);
        Column result;
        while (const auto batch = reader.next()) {
            const auto rows = static_cast<std::size_t>((*batch)->length < 0 ? 0 : (*batch)->length);
            result.add(type, raw_of_array(batch->get(), *type, 0, rows, batch, argument_, field.path));
        }
        if (result.types.empty()) result.types.push_back(std::move(type));
        return result;
    }

    static void add_mask(Raw& raw, nb::handle mask_object) {
        const nb::object mask = contiguous(mask_object, nb::none());
        raw.mask = static_cast<const std::uint8_t*>(address_of(mask));
        raw.owner = keep_moved(std::pair(raw.owner, keep(mask)));
    }
    /// An array of one piece in the machine's order of bytes.
    static nb::object contiguous(nb::handle array, nb::handle dtype) {
        nb::object result = nb::steal(
            PyObject_CallFunction(nb::object(numpy().attr("ascontiguousarray")).ptr(), "OO", array.ptr(), dtype.ptr()));
        if (!result.is_valid()) raise_again();
        return result;
    }
    static const void* address_of(nb::handle array) {
        const nb::object interface = array.attr("__array_interface__");
        const nb::object address = nb::object(interface["data"])[nb::int_(0)];
        return reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(address));
    }

    /// The memory of an exporter, which stays where it is as long as this lives.
    struct Exported {
        Py_buffer view{};
        Exported() = default;
        Exported(const Exported&) = delete;
        Exported& operator=(const Exported&) = delete;
        ~Exported() {
            if (view.obj == nullptr || Py_IsInitialized() == 0) return;
            const GilHeld held;
            PyBuffer_Release(&view);
        }
    };
    /// A contiguous array of numbers by the buffer protocol, which takes a tenth of the time that attributes take.
    std::optional<Column> from_buffer(nb::handle array, const Field& field, bool of_pandas, const char* unit = nullptr) {
        auto exported = std::make_shared<Exported>();
        Py_buffer& view = exported->view;
        if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
            view.obj = nullptr;
            if (PyErr_ExceptionMatches(PyExc_Exception) == 0) raise_again();
            PyErr_Clear(); // the other way says what is wrong
            return std::nullopt;
        }
        if (view.ndim != 1 || view.format == nullptr || view.format[0] == 0 || view.format[1] != 0) return std::nullopt;
        auto type = std::make_shared<Type>();
        type->shape = Shape::numbers;
        const auto size = static_cast<std::size_t>(view.itemsize);
        switch (view.format[0]) {
        case '?':
            type->kind = Kind::boolean;
            type->spelled = "bool";
            break;
        case 'f':
        case 'd':
            type->kind = size == 4 ? Kind::float32 : Kind::float64;
            type->spelled = size == 4 ? "float32" : "float64";
            break;
        case 'b':
        case 'h':
        case 'i':
        case 'l':
        case 'q':
        case 'B':
        case 'H':
        case 'I':
        case 'L':
        case 'Q': {
            const bool is_signed = view.format[0] >= 'a';
            const int step = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
            type->kind = static_cast<Kind>(static_cast<int>(is_signed ? Kind::int8 : Kind::uint8) + step);
            type->spelled = (is_signed ? "int" : "uint") + std::to_string(8 * size);
            break;
        }
        default:
            return std::nullopt;
        }
        if (unit != nullptr) {
            type->kind = unit[0] == 'M' ? Kind::datetime : Kind::timedelta;
            type->unit = unit + 1;
            type->spelled = (unit[0] == 'M' ? "datetime64[" : "timedelta64[") + type->unit + "]";
        }
        expect_castable(*type, field, argument_);
        Raw raw;
        raw.size = static_cast<std::size_t>(view.shape[0]);
        raw.values = view.buf;
        raw.nan_is_null = of_pandas;
        raw.owner = std::move(exported);
        Column result;
        result.add(std::move(type), std::move(raw));
        return result;
    }
    /// The same for times, which have no buffers: an array of their counts has.
    std::optional<Column> from_times(nb::handle array, const Field& field, bool of_pandas) {
        const std::string dtype = text_attribute(array.attr("dtype"), "str"); // "<M8[ns]"
        for (const char* const unit : {"ns", "us", "ms", "s", "D"})
            if (dtype.ends_with("8[" + std::string(unit) + "]") &&
                dtype[0] == (std::endian::native == std::endian::little ? '<' : '>'))
                return from_buffer(call_method(array, "view", nb::str("i8")), field, of_pandas,
                                   (dtype[1] + std::string(unit)).c_str());
        return std::nullopt;
    }

    Column from_numpy(nb::handle given, const Field& field, bool of_pandas, bool masked = true) {
        if (field.length == 0 && Py_TYPE(given.ptr()) == array_type()) {
            if (auto quick = field.is_time() ? from_times(given, field, of_pandas) : from_buffer(given, field, of_pandas))
                return std::move(*quick);
        }
        nb::object array = nb::borrow(given), mask;
        if (masked)
            if (const nb::object ma = imported("numpy.ma"); ma.is_valid() && is_of(array, ma, "MaskedArray")) {
                mask = call_method(ma, "getmaskarray", array);
                array = nb::object(array.attr("data"));
            }
        const auto dimensions = nb::cast<std::size_t>(array.attr("ndim"));
        if (dimensions != (field.length == 0 ? 1u : 2u)) {
            if (dimensions == 1 && text_attribute(array.attr("dtype"), "kind") == "O")
                return from_values(call(array.attr("tolist")), field, of_pandas, mask);
            raise(PyExc_ValueError,
                  std::string(argument_) + ": column '" + field.path + "': an array of " +
                      (field.length == 0 ? "one dimension" : "two dimensions, (rows, " + std::to_string(field.length) + "),") +
                      " is needed, not of the shape " + repr_of(array.attr("shape")));
        }
        nb::object dtype = array.attr("dtype");
        std::string kind = text_attribute(dtype, "kind");
        auto size = nb::cast<std::size_t>(dtype.attr("itemsize"));
        if (kind == "O" || kind == "T") return from_values(call(array.attr("tolist")), field, of_pandas, mask);
        auto type = std::make_shared<Type>();
        type->spelled = text_attribute(dtype, "name");
        type->shape = Shape::numbers;
        nb::object wanted = call_method(dtype, "newbyteorder", nb::str("="));
        const auto int_kind = [&](Kind first) {
            type->kind = static_cast<Kind>(static_cast<int>(first) + (size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3));
        };
        switch (kind[0]) {
        case 'b':
            type->kind = Kind::boolean;
            break;
        case 'i':
            int_kind(Kind::int8);
            break;
        case 'u':
            int_kind(Kind::uint8);
            break;
        case 'f':
            if (size == 2)
                type->shape = Shape::halves;
            else if (size == 4)
                type->kind = Kind::float32;
            else if (size != 8)
                type->shape = Shape::unknown;
            break;
        case 'M':
        case 'm': {
            type->kind = kind[0] == 'M' ? Kind::datetime : Kind::timedelta;
            nb::object data = nb::object(numpy().attr("datetime_data"))(dtype);
            type->unit = utf8_of(nb::str(nb::object(data[nb::int_(0)])));
            const auto count = nb::cast<std::int64_t>(nb::object(data[nb::int_(1)]));
            const bool days = type->unit == "W" || (kind[0] == 'M' && (type->unit == "Y" || type->unit == "M"));
            if (days || count != 1) {
                type->unit = days ? "D" : type->unit;
                wanted = nb::object(numpy().attr("dtype"))(nb::str((kind + "8[" + type->unit + "]").c_str()));
            }
            if (type->unit == "generic") type->shape = Shape::unknown;
            break;
        }
        case 'S':
            type->shape = Shape::fixed;
            type->kind = Kind::bytes;
            type->width = size;
            type->padded = true;
            break;
        case 'U':
            type->shape = Shape::utf32;
            type->kind = Kind::text;
            type->width = size / 4;
            type->checked = true;
            break;
        default:
            type->shape = Shape::unknown;
        }
        std::shared_ptr<const Type> final_type = type;
        const auto shape = nb::object(array.attr("shape"));
        const auto rows = nb::cast<std::size_t>(nb::object(shape[nb::int_(0)]));
        std::size_t items = 1;
        if (field.length != 0) {
            items = nb::cast<std::size_t>(nb::object(shape[nb::int_(1)]));
            auto lists = std::make_shared<Type>();
            lists->shape = Shape::list_fixed;
            lists->width = items;
            lists->spelled = "lists of " + std::to_string(items) + " " + type->spelled;
            lists->children.push_back(*type);
            final_type = lists;
        }
        expect_castable(*final_type, field, argument_);
        array = contiguous(array, wanted);
        Raw raw;
        raw.type = final_type.get();
        raw.size = rows;
        raw.nan_is_null = of_pandas;
        raw.values = address_of(array);
        raw.owner = keep(array);
        if (field.length != 0) {
            Raw inner = raw;
            inner.type = &final_type->children[0];
            inner.size = rows * items;
            raw.values = nullptr;
            raw.children.push_back(std::move(inner));
            if (mask.is_valid()) mask = call_method(mask, "any", nb::int_(1));
        }
        if (mask.is_valid()) add_mask(raw, mask);
        Column result;
        result.add(std::move(final_type), std::move(raw));
        return result;
    }

    static bool is_missing(nb::handle value, bool of_pandas) {
        if (value.is_none() || is_masked(value)) return true;
        if (!of_pandas) return false;
        if (PyFloat_Check(value.ptr())) return PyFloat_AS_DOUBLE(value.ptr()) != PyFloat_AS_DOUBLE(value.ptr());
        const std::string type = type_of(value);
        return type.ends_with("NAType") || type.ends_with("NaTType");
    }
    /// Python values, which are converted here: the only place where their code runs.
    Column from_values(nb::handle values, const Field& field, bool of_pandas, nb::handle mask = {}) {
        const nb::object items = nb::steal(PySequence_Tuple(values.ptr())); // a list may be changed by code of its items
        if (!items.is_valid()) raise_again();
        const auto rows = static_cast<std::size_t>(PyTuple_GET_SIZE(items.ptr()));
        auto nulls = std::make_shared<std::vector<std::uint8_t>>();
        const auto is_null = [&](std::size_t row, nb::handle item) {
            if (!is_missing(item, of_pandas && (field.nullable || !PyFloat_Check(item.ptr()) || field.is_text()))) return false;
            if (field.is_time() && !field.nullable && type_of(item).ends_with("NaTType")) return false; // as in an array
            nulls->resize(rows);
            (*nulls)[row] = 1;
            return true;
        };
        const auto row_of = [&](std::size_t row) {
            return std::string(argument_) + ": column '" + field.path + "': row " + std::to_string(row);
        };
        auto type = std::make_shared<Type>();
        Raw raw;
        raw.size = rows;
        type->kind = field.kind;
        if (field.is_text() && field.length == 0) {
            type->shape = Shape::refs;
            type->checked = true;
            auto refs = std::make_shared<std::vector<std::string_view>>(rows);
            nb::list copies; // of what may change its bytes
            for (std::size_t row = 0; row != rows; ++row) {
                const nb::handle item = PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(row));
                if (is_null(row, item)) continue;
                if (field.kind == Kind::text) {
                    Py_ssize_t size = 0;
                    const char* const text = PyUnicode_Check(item.ptr()) ? PyUnicode_AsUTF8AndSize(item.ptr(), &size) : nullptr;
                    if (text != nullptr) {
                        (*refs)[row] = {text, static_cast<std::size_t>(size)};
                        continue;
                    }
                    if (PyErr_Occurred() == nullptr) raise_type(row_of(row).c_str(), "a str", item);
                    PyErr_Clear();
                    Py<std::string>::from(item, row_of(row).c_str()); // throws
                }
                nb::object bytes = nb::borrow(item);
                if (PyByteArray_Check(item.ptr()) || PyMemoryView_Check(item.ptr())) {
                    bytes = nb::steal(PyBytes_FromObject(item.ptr()));
                    if (!bytes.is_valid()) raise_again();
                    copies.append(bytes);
                }
                if (!PyBytes_Check(bytes.ptr())) raise_type(row_of(row).c_str(), "a bytes", item);
                (*refs)[row] = {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
            }
            raw.values = refs->data();
            raw.owner = keep_moved(std::tuple(std::shared_ptr<const void>(refs), keep(items), keep(copies)));
        } else {
            const std::size_t bytes = field.size();
            type->shape = Shape::numbers;
            type->unit = field.unit;
            auto memory = std::make_shared<std::vector<std::uint64_t>>(rows * bytes / 8 + 1);
            auto* const to = reinterpret_cast<std::byte*>(memory->data());
            for (std::size_t row = 0; row != rows; ++row) {
                const nb::handle item = PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(row));
                std::byte* const at = to + row * bytes;
                if (field.kind == Kind::float64 && field.length == 0 && PyFloat_CheckExact(item.ptr()) && !of_pandas) {
                    const double value = PyFloat_AS_DOUBLE(item.ptr());
                    std::memcpy(at, &value, sizeof value);
                    continue;
                }
                if (field.kind == Kind::int64 && field.length == 0 && PyLong_CheckExact(item.ptr())) {
                    const std::int64_t value = PyLong_AsLongLong(item.ptr());
                    if (value != -1 || PyErr_Occurred() == nullptr) {
                        std::memcpy(at, &value, sizeof value);
                        continue;
                    }
                    PyErr_Clear();
                }
                if (is_null(row, item)) continue;
                if (field.counts && PyBool_Check(item.ptr()))
                    raise(PyExc_TypeError, row_of(row) + ": it is " + (item.ptr() == Py_True ? "True" : "False") +
                                               ", and a number is needed; numpy.flatnonzero(mask) makes numbers of a mask");
                assign_leaf(field, at, item, row_of(row).c_str());
            }
            raw.values = to;
            raw.owner = memory;
            if (field.length != 0) {
                auto lists = std::make_shared<Type>();
                lists->shape = Shape::list_fixed;
                lists->width = field.length;
                lists->children.push_back(*type);
                Raw inner = raw;
                inner.type = &lists->children[0];
                inner.size = rows * field.length;
                raw.values = nullptr;
                raw.children.push_back(std::move(inner));
                type = lists;
            }
        }
        if (!nulls->empty()) {
            raw.mask = nulls->data();
            raw.owner = keep_moved(std::pair(raw.owner, nulls));
        }
        if (mask.is_valid()) add_mask(raw, mask);
        Column result;
        result.add(std::move(type), std::move(raw));
        return result;
    }

    const char* argument_;
};

std::string names_text(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i != names.size() && i != 20; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
    return names.empty() ? "no columns" : text + (names.size() > 20 ? ", ..." : "");
}

} // namespace

// --------------------------------------------------------------------------------------------------------------- Source

struct Source::Impl {
    struct Wanted {
        const Field* field;
        bool is_key;
        std::optional<Way> way; // in a stream
        bool found = false;
        Column column; // else
        std::size_t piece = 0, within = 0;
    };
    std::string argument_text;
    const char* argument = nullptr;
    std::vector<Wanted> wanted;
    std::unique_ptr<ArrowReader> reader;
    std::optional<std::size_t> rows;
    std::size_t done = 0;
    Missing missing;
    bool is_container = false; // of this package

    bool is_single() const noexcept { return wanted.size() == 1; }

    /// That all is found that must be. @param names the columns of the source
    void expect_found(const std::vector<std::string>& names, bool of_pandas = false) {
        std::string absent;
        for (const Wanted& each : wanted) {
            if (each.found) continue;
            if (each.is_key || missing == Missing::refused)
                refuse(argument, "there is no column '" + each.field->path + "'; it has " + names_text(names) +
                                     (of_pandas && each.is_key ? "; an index of that name is taken, too: rename_axis('" +
                                                                     each.field->path + "'), or reset_index()"
                                                               : ""));
            absent = each.field->path;
        }
        if (absent.empty()) return;
        for (const std::string& name : names) {
            const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& each) {
                return each.field->path == name || each.field->path.starts_with(name + ".");
            });
            if (!known)
                refuse(argument, "column '" + name + "' is none of this object's, and column '" + absent +
                                     "' is missing: is that a misspelling? Leave out columns that are not meant");
        }
    }

    void open_reader(std::unique_ptr<ArrowReader> opened) {
        const Type& type = opened->type();
        std::vector<std::string> names = type.names;
        if (type.shape != Shape::record) {
            if (!is_single())
                refuse(argument,
                       "it is one column, and several are needed: a table, a frame, or a mapping of names to columns");
            wanted[0].way = Way();
            wanted[0].found = true;
        } else {
            for (Wanted& each : wanted) {
                each.way = find_way(type, each.field->path, argument);
                each.found = each.way.has_value();
            }
            expect_found(names);
        }
        for (const Wanted& each : wanted)
            if (each.found) expect_castable(type_at(type, *each.way), *each.field, argument);
        rows = opened->rows();
        reader = std::move(opened);
    }

    /// The column of a path in nested mappings. get(object, name) returns nothing when it has none.
    template <class Get>
    static nb::object find_in(nb::handle object, std::string_view path, Get& get) {
        if (nb::object whole = get(object, std::string(path)); whole.is_valid()) return whole;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
            const nb::object inner = get(object, std::string(path.substr(0, dot)));
            if (!inner.is_valid()) continue;
            if (nb::object found = find_in(inner, path.substr(dot + 1), get); found.is_valid()) return found;
        }
        return {};
    }
    static bool is_mapping(nb::handle object) {
        if (PyDict_Check(object.ptr())) return true;
        if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || is_array(object)) return false;
        return attribute_of(object, "keys").is_valid() && PyObject_HasAttrString(object.ptr(), "__getitem__") == 1;
    }
    static std::vector<std::string> names_of(nb::handle keys) {
        std::vector<std::string> names;
        for (nb::handle each : nb::iter(keys))
            names.push_back(PyUnicode_Check(each.ptr()) ? utf8_of(each) : repr_of(each) + " (no str)");
        return names;
    }
    static nb::object text(const std::string& name) { return nb::str(name.data(), name.size()); }

    void open_mapping(nb::handle object, bool of_pandas = false) {
        ColumnReader columns(argument);
        auto get = [](nb::handle in, const std::string& name) -> nb::object {
            if (is_array(in)) {
                const nb::object fields = in.attr("dtype").attr("fields");
                if (fields.is_none() || PyMapping_HasKeyString(fields.ptr(), name.c_str()) == 0) return {};
            } else if (!is_mapping(in))
                return {};
            nb::object value = nb::steal(PyObject_GetItem(in.ptr(), text(name).ptr()));
            if (value.is_valid()) return value;
            if (PyErr_ExceptionMatches(PyExc_KeyError) == 0) raise_again();
            PyErr_Clear();
            return {};
        };
        for (Wanted& each : wanted) {
            const nb::object found = find_in(object, each.field->path, get);
            each.found = found.is_valid();
            if (each.found)
                each.column = columns.column(found, *each.field, of_pandas);
            else
                find_in_struct(each, object, get, columns);
        }
        expect_found(is_array(object) ? names_of(object.attr("dtype").attr("names")) : names_of(call(object.attr("keys"))),
                     of_pandas);
        expect_one_length();
    }
    /// A field in a column of structs of Arrow.
    template <class Get>
    static void find_in_struct(Wanted& wanted, nb::handle object, Get& get, ColumnReader& columns) {
        const std::string_view path = wanted.field->path;
        for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
            const nb::object outer = get(object, std::string(path.substr(0, dot)));
            if (!outer.is_valid()) continue;
            auto column = columns.member(outer, path.substr(dot + 1), *wanted.field);
            if (!column) continue;
            wanted.column = std::move(*column);
            wanted.found = true;
            return;
        }
    }
    void expect_one_length() {
        const Wanted* first = nullptr;
        for (const Wanted& each : wanted) {
            if (!each.found) continue;
            if (first == nullptr) first = &each;
            if (each.column.rows != first->column.rows)
                refuse(argument, "column '" + each.field->path + "' has " + std::to_string(each.column.rows) +
                                     " rows, and column '" + first->field->path + "' " + std::to_string(first->column.rows));
        }
        rows = first == nullptr ? 0 : first->column.rows;
    }
    void open_single(nb::handle object) {
        ColumnReader columns(argument);
        wanted[0].column = columns.column(object, *wanted[0].field);
        wanted[0].found = true;
        rows = wanted[0].column.rows;
    }

    /// The levels of a MultiIndex of pandas are the parts of keys, in order, whatever their names are.
    void open_levels(nb::handle index) {
        const auto levels = nb::cast<std::size_t>(index.attr("nlevels"));
        if (levels != wanted.size() || !wanted.back().is_key)
            refuse(argument, "it is a MultiIndex of " + std::to_string(levels) + " levels, and " +
                                 std::to_string(wanted.size()) + " columns are needed");
        ColumnReader columns(argument);
        for (std::size_t i = 0; i != levels; ++i) {
            wanted[i].column = columns.column(call_method(index, "get_level_values", nb::cast(i)), *wanted[i].field);
            wanted[i].found = true;
        }
        expect_one_length();
    }
    void open(nb::handle object) {
        if (ColumnReader::is_pandas_frame(object)) {
            const nb::object names = nb::list();
            for (const Wanted& each : wanted) names.attr("append")(text(each.field->path));
            return open_mapping(nb::object(ColumnReader::sources().attr("frame"))(object, names, text(argument_text)), true);
        }
        if (ColumnReader::is_pandas_series(object) && wanted.size() == 2 && wanted[0].is_key && !wanted[1].is_key) {
            ColumnReader columns(argument);
            wanted[0].column = columns.column(object.attr("index"), *wanted[0].field);
            wanted[1].column = columns.column(object, *wanted[1].field);
            wanted[0].found = wanted[1].found = true;
            return expect_one_length();
        }
        if (ColumnReader::is_pandas(object)) {
            if (wanted[0].is_key && attribute_of(object, "levels").is_valid()) return open_levels(object);
            if (is_single()) return open_single(object);
            refuse(argument, "it is one column, and several are needed: a table, a frame, or a mapping of names to columns");
        }
        if (is_array(object)) {
            if (!nb::object(object.attr("dtype").attr("names")).is_none()) return open_mapping(object);
            if (is_single()) return open_single(object);
            refuse(argument, "it is an array without names of columns, and several columns are needed: a structured array, a "
                             "frame, or a mapping of names to columns");
        }
        is_container = attribute_of(object, "_frame").is_valid();
        if (auto opened = ArrowReader::open(object, argument)) return open_reader(std::move(opened));
        if (is_mapping(object)) return open_mapping(object);
        if (attribute_of(object, "collect_schema").is_valid())
            raise(PyExc_TypeError,
                  argument_text + ": a " + type_of(object) + " has no rows yet; give what its collect() returns");
        if (is_single() && !PyUnicode_Check(object.ptr()) && !PyBytes_Check(object.ptr()) &&
            (PySequence_Check(object.ptr()) != 0 || PyObject_CheckBuffer(object.ptr()) != 0 ||
             attribute_of(object, "__array__").is_valid()))
            return open_single(object);
        raise(PyExc_TypeError,
              argument_text +
                  ": a frame, an object with __arrow_c_stream__, a mapping of names to columns, or an array is needed, not " +
                  type_of(object));
    }
    bool next(std::size_t& count, std::vector<std::pair<const Field*, Cells>>& out) {
        if (reader != nullptr) {
            const auto batch = reader->next();
            if (batch == nullptr) return false;
            count = static_cast<std::size_t>(std::max<std::int64_t>((*batch)->length, 0));
            // A batch without any of the columns has a length, too.
            for (const Wanted& each : wanted) {
                if (!each.found) continue;
                Raw raw = raw_at(batch->get(), reader->type(), *each.way, count, batch, argument, each.field->path);
                raw.null_is_nat = is_container;
                out.emplace_back(each.field, cast(raw, *each.field, Place{argument, done, each.is_key}));
            }
            done += count;
            return true;
        }
        if (done == *rows) return false;
        count = *rows - done;
        for (Wanted& each : wanted) {
            if (!each.found) continue;
            while (each.column.pieces[each.piece].size == each.within) ++each.piece, each.within = 0;
            count = std::min(count, each.column.pieces[each.piece].size - each.within);
        }
        for (Wanted& each : wanted) {
            if (!each.found) continue;
            const Raw raw = each.column.pieces[each.piece].slice(each.within, count);
            out.emplace_back(each.field, cast(raw, *each.field, Place{argument, done, each.is_key}));
            each.within += count;
        }
        done += count;
        return true;
    }
};

Source::Source(nb::handle object, const char* argument, std::span<const Field> keys, std::span<const Field> values,
               Missing missing)
    : impl_(std::make_unique<Impl>()) {
    impl_->argument_text = argument;
    impl_->argument = impl_->argument_text.c_str();
    impl_->missing = missing;
    for (const Field& field : keys) impl_->wanted.push_back({&field, true, {}, false, {}});
    for (const Field& field : values) impl_->wanted.push_back({&field, false, {}, false, {}});
    impl_->open(object);
}
Source::~Source() = default;

bool Source::next(Chunk& chunk) {
    Chunk fresh;
    if (!impl_->next(fresh.rows_, fresh.columns_)) return false;
    chunk = std::move(fresh);
    return true;
}
std::vector<Chunk> Source::all() {
    std::vector<Chunk> chunks;
    for (Chunk chunk; next(chunk);) chunks.push_back(std::move(chunk));
    return chunks;
}
std::optional<std::size_t> Source::rows() const noexcept { return impl_->rows; }
bool Source::has(const Field& field) const noexcept {
    for (const Impl::Wanted& each : impl_->wanted)
        if (each.field == &field || (each.field->path == field.path && each.field->kind == field.kind)) return each.found;
    return false;
}

bool is_columnar(nb::handle object) {
    return is_array(object) || ColumnReader::is_pandas_frame(object) || ColumnReader::is_pandas(object) ||
           arrow_method(object, "__arrow_c_stream__").is_valid() || arrow_method(object, "__arrow_c_array__").is_valid();
}

Keys::Keys(const KeyType& type, const Chunk& chunk) : size_(chunk.rows()) {
    if (!type.is_tuple()) {
        cells_ = chunk.find(type.fields()[0]);
        if (type.is_int()) numbers_ = reinterpret_cast<const std::uint64_t*>(cells_->values());
        return;
    }
    std::vector<const Cells*> parts;
    std::size_t bytes = 0;
    for (const Field& field : type.fields()) {
        parts.push_back(chunk.find(field));
        if (!field.is_text())
            bytes += 8 * size_;
        else
            for (std::size_t row = 0; row != size_; ++row) bytes += 4 + parts.back()->text(row).size();
    }
    packed_.reserve(bytes);
    offsets_.reserve(size_ + 1);
    offsets_.push_back(0);
    for (std::size_t row = 0; row != size_; ++row) {
        for (std::size_t i = 0; i != parts.size(); ++i) {
            if (type.fields()[i].is_text()) {
                pack(packed_, parts[i]->text(row));
                continue;
            }
            std::uint64_t number;
            std::memcpy(&number, parts[i]->values() + row * 8, sizeof number);
            pack(packed_, number);
        }
        offsets_.push_back(packed_.size());
    }
}

} // namespace slotwise_python
