// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "schema.hpp"

#include "parts.hpp"

#include <datetime.h> // of Python

#include <slotwise/core/utf8.hpp>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace slotwise_python {

namespace {

using slotwise::TypeDescriptor;

//=== kinds ===//

struct KindFacts {
    const char* name;       // in the tree
    const char* short_name; // in spelled()
    const char* dtype;      // of NumPy, without the unit
    std::uint8_t size;
};
constexpr KindFacts facts[] = {
    {"bool", "bool", "|b1", 1},
    {"int8", "i1", "|i1", 1},
    {"int16", "i2", "<i2", 2},
    {"int32", "i4", "<i4", 4},
    {"int64", "i8", "<i8", 8},
    {"uint8", "u1", "|u1", 1},
    {"uint16", "u2", "<u2", 2},
    {"uint32", "u4", "<u4", 4},
    {"uint64", "u8", "<u8", 8},
    {"float32", "f4", "<f4", 4},
    {"float64", "f8", "<f8", 8},
    {"datetime64", "datetime64", "<M8", 8},
    {"timedelta64", "timedelta64", "<m8", 8},
    {"str", "str", "O", 16},
    {"bytes", "bytes", "O", 16},
};
const KindFacts& facts_of(Kind kind) noexcept { return facts[static_cast<std::size_t>(kind)]; }
static_assert(sizeof(Text) == 16);

/// What makes zeros of so many bytes, up to some number of them: TypeDescriptor::construct knows its size at compile time only.
template <std::size_t... I>
constexpr auto zero_makers(std::index_sequence<I...>) noexcept {
    return std::array<void (*)(void*), sizeof...(I)>{+[](void* to) { std::memset(to, 0, I); }...};
}
constexpr auto makers = zero_makers(std::make_index_sequence<129>());

/// A list of fixed length, as the bytes of its items.
const TypeDescriptor& list_type(std::size_t size, std::size_t align) {
    static std::mutex guard;
    static auto& kept = *new std::map<std::pair<std::size_t, std::size_t>, TypeDescriptor>(); // never destroyed
    const std::lock_guard held(guard);
    const auto [at, is_new] = kept.try_emplace({size, align});
    TypeDescriptor& type = at->second;
    if (!is_new) return type;
    type.size = size;
    type.align = align;
    type.construct = size < makers.size() ? makers[size] : nullptr;
    type.nothrow_move = type.trivial = true;
    return type;
}

//=== errors ===//

/// What an error begins with; its text is made when there is one.
struct Where {
    const char* argument;
    const Field* field;
    std::string text() const {
        if (field == nullptr || field->path == argument || (field->path == "value" && field->number == 0))
            return std::string(argument) + ": ";
        return std::string(argument) + ": field '" + field->path + "': ";
    }
};
[[noreturn]] void raise_at(const Where& where, PyObject* type, const std::string& text) { raise(type, where.text() + text); }
[[noreturn]] void raise_needed(const Where& where, const std::string& needed, nb::handle given) {
    const bool optional = given.is_none() && where.field != nullptr && !where.field->nullable;
    raise_at(where, PyExc_TypeError,
             needed + " is needed, not " + type_of(given) + (optional ? "; a field of Optional[...] may be None" : ""));
}

//=== helpers in Python ===//

/// A function of slotwise._schema, found once. The module _core keeps it: what is kept by a static variable outlives the interpreter.
template <class Name>
nb::handle helper(Name name) {
    static PyObject* function = nullptr;
    if (function == nullptr) [[unlikely]] {
        const nb::object found = nb::module_::import_("slotwise._schema").attr(name());
        nb::setattr(nb::module_::import_("slotwise._core"), (std::string("_kept_") + name()).c_str(), found);
        function = found.ptr();
    }
    return function;
}
#define SLOTWISE_PYTHON_HELPER(name) helper([] { return name; })

nb::object call_with(nb::handle function, std::initializer_list<nb::handle> arguments) {
    PyObject* given[5] = {};
    std::size_t count = 0;
    for (const nb::handle each : arguments) given[count++] = each.ptr();
    nb::object result = nb::steal(PyObject_Vectorcall(function.ptr(), given, count, nullptr));
    if (!result.is_valid()) raise_again();
    return result;
}

//=== one value ===//

nb::object int_of(const Where& where, nb::handle h, const char* label) {
    if (PyLong_Check(h.ptr())) return nb::borrow(h);
    if (PyIndex_Check(h.ptr()) == 0) raise_needed(where, std::string("an int (") + label + ")", h);
    nb::object number = nb::steal(PyNumber_Index(h.ptr()));
    if (!number.is_valid()) raise_again();
    return number;
}
template <class T>
T integer_from(const Where& where, nb::handle h, const char* label) {
    const nb::object number = int_of(where, h, label);
    const auto beyond = [&]() {
        raise_at(where, PyExc_OverflowError,
                 repr_of(number) + " is no " + label + ", which is from " + std::to_string(std::numeric_limits<T>::min()) +
                     " to " + std::to_string(std::numeric_limits<T>::max()));
    };
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        const unsigned long long value = PyLong_AsUnsignedLongLong(number.ptr());
        if (value == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
            if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) raise_again();
            PyErr_Clear();
            beyond();
        }
        return value;
    } else {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
        if (value == -1 && overflow == 0 && PyErr_Occurred() != nullptr) raise_again();
        if (overflow != 0 || value < static_cast<long long>(std::numeric_limits<T>::min()) ||
            value > static_cast<long long>(std::numeric_limits<T>::max()))
            beyond();
        return static_cast<T>(value);
    }
}
double float_from(const Where& where, nb::handle h, const char* label) {
    if (PyFloat_CheckExact(h.ptr())) return PyFloat_AS_DOUBLE(h.ptr());
    const PyNumberMethods* const number = Py_TYPE(h.ptr())->tp_as_number;
    if (number == nullptr || is_masked(h) || (number->nb_float == nullptr && number->nb_index == nullptr))
        raise_needed(where, std::string("a float (") + label + ")", h);
    const double result = PyFloat_AsDouble(h.ptr());
    if (result == -1.0 && PyErr_Occurred() != nullptr) {
        if (!PyLong_CheckExact(h.ptr()) || PyErr_ExceptionMatches(PyExc_OverflowError) == 0) raise_again();
        PyErr_Clear();
        raise_at(where, PyExc_OverflowError, repr_of(h) + " is too large for a " + label);
    }
    return result;
}
bool bool_from(const Where& where, nb::handle h) {
    if (PyBool_Check(h.ptr())) return h.ptr() == Py_True;
    if (!type_of(h).starts_with("numpy.bool")) raise_needed(where, "True or False", h);
    const int value = PyObject_IsTrue(h.ptr());
    if (value < 0) raise_again();
    return value == 1;
}
/// The text lives as long as `h`.
std::string_view utf8_from(const Where& where, nb::handle h) {
    if (!PyUnicode_Check(h.ptr())) raise_needed(where, "a str", h);
    Py_ssize_t size = 0;
    if (const char* const text = PyUnicode_AsUTF8AndSize(h.ptr(), &size)) return {text, static_cast<std::size_t>(size)};
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) == 0) raise_again();
    nb::python_error error; // takes the UnicodeEncodeError
    const std::string reason = where.text() + "surrogates not allowed";
    PyUnicodeEncodeError_SetReason(error.value().ptr(), reason.c_str());
    throw error;
}
/// Calls f(view) with the bytes of an object of bytes, or with their buffer protocol.
template <class F>
void bytes_from(const Where& where, nb::handle h, F&& f) {
    if (PyBytes_Check(h.ptr())) {
        f(std::string_view(PyBytes_AS_STRING(h.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(h.ptr()))));
        return;
    }
    if (!PyByteArray_Check(h.ptr()) && !PyMemoryView_Check(h.ptr())) raise_needed(where, "bytes", h);
    const Bytes bytes(h);
    f(std::string_view(reinterpret_cast<const char*>(bytes.span().data()), bytes.span().size()));
}

/// A datetime64 or timedelta64 of NumPy: the PyDatetimeScalarObject of its C interface, which has been the same since NumPy 1.7.
/// By calls of Python a value takes 3.3 us on its way in and 0.4 us on its way out.
struct TimeScalar {
    PyObject_HEAD std::int64_t count;
    int unit, step;
};
/// Their types, once it is known that scalars of this NumPy are TimeScalars; null when they are not.
struct TimeTypes {
    PyTypeObject *datetime = nullptr, *timedelta = nullptr;
    PyTypeObject* of(Kind kind) const noexcept { return kind == Kind::datetime ? datetime : timedelta; }

    // No static variable with an initializer: a thread that waits for another one's would keep the GIL that this one needs.
    static const TimeTypes& get() {
        static TimeTypes types;
        static bool known = false;
        if (!known) [[unlikely]] {
            types = look();
            known = true;
        }
        return types;
    }

private:
    static TimeTypes look() {
        const nb::handle types[] = {SLOTWISE_PYTHON_HELPER("datetime64"), SLOTWISE_PYTHON_HELPER("timedelta64")};
        for (const nb::handle type : types) {
            constexpr std::int64_t count = 0x0123'4567'89AB;
            const nb::object probe = type(count, "us");
            auto* const scalar = reinterpret_cast<const TimeScalar*>(probe.ptr());
            if (!PyType_Check(type.ptr()) || Py_TYPE(probe.ptr())->tp_basicsize != sizeof(TimeScalar)) return {};
            if (scalar->count != count || scalar->unit != 9 || scalar->step != 1) return {};
        }
        return {reinterpret_cast<PyTypeObject*>(types[0].ptr()), reinterpret_cast<PyTypeObject*>(types[1].ptr())};
    }
};
/// NumPy's number of a unit; -1 of another.
int unit_number(const std::string& unit) noexcept {
    constexpr std::pair<std::string_view, int> numbers[] = {{"D", 4}, {"s", 7}, {"ms", 8}, {"us", 9}, {"ns", 10}};
    for (const auto& [name, number] : numbers)
        if (unit == name) return number;
    return -1;
}

/// Days since 1970 of a date of the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days_since_1970(int year, int month, int day) noexcept {
    const int y = month <= 2 ? year - 1 : year, era = y / 400, of_era = y - era * 400; // years of Python are from 1 on
    const int of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return std::int64_t{era} * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}
/// The units of a time of Python: a datetime without a zone, a date, or a timedelta. Nothing of another object, and of a time that is no
/// whole number of units or is out of range: the code in Python says so.
std::optional<std::int64_t> units_of(const Field& field, nb::handle h) noexcept {
    PyObject* const o = h.ptr();
    constexpr std::int64_t day = 86'400'000'000;
    std::int64_t microseconds = 0;
    if (field.kind == Kind::timedelta) {
        constexpr int most_days = 106'000'000; // in microseconds more do not fit
        if (!PyDelta_CheckExact(o) || std::abs(PyDateTime_DELTA_GET_DAYS(o)) > most_days) return std::nullopt;
        microseconds = PyDateTime_DELTA_GET_DAYS(o) * day + PyDateTime_DELTA_GET_SECONDS(o) * std::int64_t{1'000'000} +
                       PyDateTime_DELTA_GET_MICROSECONDS(o);
    } else {
        const bool with_time = PyDateTime_CheckExact(o);
        if (!with_time && !PyDate_CheckExact(o)) return std::nullopt;
        microseconds = day * days_since_1970(PyDateTime_GET_YEAR(o), PyDateTime_GET_MONTH(o), PyDateTime_GET_DAY(o));
        if (with_time) {
            if (PyDateTime_DATE_GET_TZINFO(o) != Py_None) return std::nullopt;
            const std::int64_t minutes = PyDateTime_DATE_GET_HOUR(o) * 60 + PyDateTime_DATE_GET_MINUTE(o);
            microseconds += (minutes * 60 + PyDateTime_DATE_GET_SECOND(o)) * 1'000'000 + PyDateTime_DATE_GET_MICROSECOND(o);
        }
    }
    if (field.unit == "us") return microseconds;
    if (field.unit == "ns") {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1000;
        if (microseconds > most || microseconds < -most) return std::nullopt;
        return microseconds * 1000;
    }
    const std::int64_t unit = field.unit == "ms" ? 1000 : field.unit == "s" ? 1'000'000 : day;
    if (microseconds % unit != 0) return std::nullopt;
    return microseconds / unit;
}

std::int64_t time_from(const Where& where, nb::handle h) {
    const Field& field = *where.field;
    if (PyLong_CheckExact(h.ptr())) return integer_from<std::int64_t>(where, h, "int64");
    if (Py_TYPE(h.ptr()) == TimeTypes::get().of(field.kind)) {
        const auto* const scalar = reinterpret_cast<const TimeScalar*>(h.ptr());
        if (scalar->step == 1 && scalar->unit == unit_number(field.unit)) return scalar->count;
    } else if (const auto count = units_of(field, h))
        return *count;
    const std::string begin = where.text();
    const nb::object count =
        call_with(SLOTWISE_PYTHON_HELPER("time_count"),
                  {h, nb::str(field.unit.c_str()), field.kind == Kind::datetime ? nb::handle(Py_True) : nb::handle(Py_False),
                   nb::str(begin.c_str(), begin.size())});
    return integer_from<std::int64_t>(where, count, "int64");
}
template <class T>
void store(void* to, T value) noexcept {
    std::memcpy(to, &value, sizeof value);
}
template <class T>
T load(const void* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

void assign_item(const Where& where, void* to, nb::handle h) {
    switch (where.field->kind) {
    case Kind::boolean:
        return store(to, static_cast<std::uint8_t>(bool_from(where, h)));
    case Kind::int8:
        return store(to, integer_from<std::int8_t>(where, h, "int8"));
    case Kind::int16:
        return store(to, integer_from<std::int16_t>(where, h, "int16"));
    case Kind::int32:
        return store(to, integer_from<std::int32_t>(where, h, "int32"));
    case Kind::int64:
        return store(to, integer_from<std::int64_t>(where, h, "int64"));
    case Kind::uint8:
        return store(to, integer_from<std::uint8_t>(where, h, "uint8"));
    case Kind::uint16:
        return store(to, integer_from<std::uint16_t>(where, h, "uint16"));
    case Kind::uint32:
        return store(to, integer_from<std::uint32_t>(where, h, "uint32"));
    case Kind::uint64:
        return store(to, integer_from<std::uint64_t>(where, h, "uint64"));
    case Kind::float32: {
        const double value = float_from(where, h, "float32");
        const auto narrow = static_cast<float>(value);
        if (std::isinf(narrow) && !std::isinf(value))
            raise_at(where, PyExc_OverflowError, repr_of(h) + " is too large for a float32");
        return store(to, narrow);
    }
    case Kind::float64:
        return store(to, float_from(where, h, "float64"));
    case Kind::datetime:
    case Kind::timedelta:
        return store(to, time_from(where, h));
    case Kind::text:
        *static_cast<Text*>(to) = Text(utf8_from(where, h));
        return;
    case Kind::bytes:
        bytes_from(where, h, [&](std::string_view bytes) { *static_cast<Text*>(to) = Text(bytes); });
        return;
    }
}
nb::object checked(PyObject* object) {
    if (object == nullptr) raise_again();
    return nb::steal(object);
}
nb::object item_object(const Field& field, const void* at) {
    switch (field.kind) {
    case Kind::boolean:
        return nb::borrow(load<std::uint8_t>(at) != 0 ? Py_True : Py_False);
    case Kind::int8:
        return checked(PyLong_FromLong(load<std::int8_t>(at)));
    case Kind::int16:
        return checked(PyLong_FromLong(load<std::int16_t>(at)));
    case Kind::int32:
        return checked(PyLong_FromLong(load<std::int32_t>(at)));
    case Kind::int64:
        return checked(PyLong_FromLongLong(load<std::int64_t>(at)));
    case Kind::uint8:
        return checked(PyLong_FromLong(load<std::uint8_t>(at)));
    case Kind::uint16:
        return checked(PyLong_FromLong(load<std::uint16_t>(at)));
    case Kind::uint32:
        return checked(PyLong_FromUnsignedLongLong(load<std::uint32_t>(at)));
    case Kind::uint64:
        return checked(PyLong_FromUnsignedLongLong(load<std::uint64_t>(at)));
    case Kind::float32:
        return checked(PyFloat_FromDouble(static_cast<double>(load<float>(at))));
    case Kind::float64:
        return checked(PyFloat_FromDouble(load<double>(at)));
    case Kind::datetime:
    case Kind::timedelta: {
        if (PyTypeObject* const type = TimeTypes::get().of(field.kind)) {
            nb::object time = checked(type->tp_alloc(type, 0));
            auto* const scalar = reinterpret_cast<TimeScalar*>(time.ptr());
            scalar->count = load<std::int64_t>(at);
            scalar->unit = unit_number(field.unit);
            scalar->step = 1;
            return time;
        }
        const nb::handle make =
            field.kind == Kind::datetime ? SLOTWISE_PYTHON_HELPER("datetime64") : SLOTWISE_PYTHON_HELPER("timedelta64");
        const nb::object count = checked(PyLong_FromLongLong(load<std::int64_t>(at)));
        return call_with(make, {count, nb::str(field.unit.c_str(), field.unit.size())});
    }
    case Kind::text: {
        const std::string_view text = static_cast<const Text*>(at)->view();
        return checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
    }
    case Kind::bytes: {
        const std::string_view text = static_cast<const Text*>(at)->view();
        return checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    }
    }
    return {};
}

std::string text_of(nb::handle h) { return utf8_of(nb::str(h)); }
Kind kind_of(const std::string& name) {
    for (std::size_t i = 0; i != std::size(facts); ++i)
        if (name == facts[i].name) return static_cast<Kind>(i);
    raise(PyExc_ValueError, "tree: '" + name + "' is no kind of a field");
}
/// A tuple of this size. @throws TypeError
nb::handle tuple_of(nb::handle h, Py_ssize_t size) {
    if (!PyTuple_Check(h.ptr()) || PyTuple_GET_SIZE(h.ptr()) != size)
        raise(PyExc_TypeError, "tree: a tuple of " + std::to_string(size) + " is needed, not " + repr_of(h));
    return h;
}
nb::handle item(nb::handle tuple, Py_ssize_t i) { return PyTuple_GET_ITEM(tuple.ptr(), i); }

} // namespace

//=== Field ===//

std::size_t Field::item_size() const noexcept { return facts_of(kind).size; }
const TypeDescriptor& Field::type() const {
    if (is_text()) return Text::type();
    if (length != 0) return list_type(size(), item_size());
    switch (kind) {
    case Kind::int8:
        return TypeDescriptor::of<std::int8_t>();
    case Kind::int16:
        return TypeDescriptor::of<std::int16_t>();
    case Kind::int32:
        return TypeDescriptor::of<std::int32_t>();
    case Kind::uint16:
        return TypeDescriptor::of<std::uint16_t>();
    case Kind::uint32:
        return TypeDescriptor::of<std::uint32_t>();
    case Kind::uint64:
        return TypeDescriptor::of<std::uint64_t>();
    case Kind::float32:
        return TypeDescriptor::of<float>();
    case Kind::float64:
        return TypeDescriptor::of<double>();
    case Kind::int64:
    case Kind::datetime:
    case Kind::timedelta:
        return TypeDescriptor::of<std::int64_t>();
    default:
        return TypeDescriptor::of<std::uint8_t>();
    }
}
std::string Field::dtype() const { return is_time() ? facts_of(kind).dtype + ("[" + unit + "]") : facts_of(kind).dtype; }
std::string Field::spelled() const {
    std::string text = facts_of(kind).short_name;
    if (is_time()) text += "[" + unit + "]";
    if (length != 0) text += "[" + std::to_string(length) + "]";
    return nullable ? text + "?" : text;
}

//=== Schema ===//

Schema::Schema(nb::handle tree) : tree_(nb::borrow(tree)) {
    add(tree, "");
    Node& root = nodes_[0];
    if (root.children.empty()) root.names = {"value"};
    lay_out();
}
void Schema::add_leaf(nb::handle tree, const std::string& path) {
    tuple_of(tree, 4);
    Field field;
    field.path = path.empty() ? "value" : path;
    field.kind = kind_of(text_of(item(tree, 0)));
    field.unit = text_of(item(tree, 1));
    const std::size_t length = count_from(item(tree, 2), "tree", 1u << 20);
    field.length = static_cast<std::uint32_t>(length);
    field.nullable = flag_from(item(tree, 3), "tree");
    constexpr std::string_view units[] = {"ns", "us", "ms", "s", "D"};
    bool known = !field.is_time() && field.unit.empty();
    for (const std::string_view unit : units) known = known || (field.is_time() && field.unit == unit);
    if (!known) raise(PyExc_ValueError, "tree: '" + field.unit + "' is no unit of a " + facts_of(field.kind).name);
    if (field.is_text() && field.length != 0) raise(PyExc_ValueError, "tree: a list of texts is no field");
    field.number = fields_.size();
    fields_.push_back(std::move(field));
}
std::size_t Schema::add(nb::handle tree, const std::string& path) {
    const std::size_t number = nodes_.size();
    nodes_.emplace_back();
    nodes_[number].first = fields_.size();
    nodes_[number].path = path;
    if (!PyTuple_Check(tree.ptr()) || PyTuple_GET_SIZE(tree.ptr()) == 0)
        raise(PyExc_TypeError, "tree: a tuple is needed, not " + repr_of(tree));
    if (PyUnicode_Check(item(tree, 0).ptr())) {
        add_leaf(tree, path);
        nodes_[number].last = fields_.size();
        return number;
    }
    tuple_of(tree, 2);
    const nb::handle members = item(tree, 1);
    if (!PyTuple_Check(members.ptr()) || PyTuple_GET_SIZE(members.ptr()) == 0)
        raise(PyExc_TypeError, "tree: a tuple of fields is needed, not " + repr_of(members));
    std::vector<nb::object> keys;
    std::vector<std::string> names;
    std::vector<std::size_t> children;
    for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(members.ptr()); ++i) {
        const nb::handle member = tuple_of(item(members, i), 2);
        const std::string name = text_from(item(member, 0), "tree");
        PyObject* key = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
        if (key == nullptr) raise_again();
        PyUnicode_InternInPlace(&key);
        keys.push_back(nb::steal(key));
        names.push_back(name);
        children.push_back(add(item(member, 1), path.empty() ? name : path + "." + name));
    }
    Node& node = nodes_[number];
    node.last = fields_.size();
    nb::list list;
    for (const nb::object& key : keys) list.append(key);
    node.keywords = nb::tuple(list);
    node.keys = std::move(keys);
    node.names = std::move(names);
    node.children = std::move(children);
    node.record = nb::borrow(item(tree, 0));
    if (node.record.is_none()) node.record = call_with(SLOTWISE_PYTHON_HELPER("record_class"), {node.keywords});
    if (!PyType_Check(node.record.ptr())) raise(PyExc_TypeError, "tree: a class is needed, not " + repr_of(node.record));
    const auto* const type = reinterpret_cast<PyTypeObject*>(node.record.ptr());
    if (PyType_IsSubtype(const_cast<PyTypeObject*>(type), &PyTuple_Type) == 0)
        node.make = Node::Make::keywords;
    else if (type->tp_itemsize != PyTuple_Type.tp_itemsize || type->tp_basicsize != PyTuple_Type.tp_basicsize)
        node.make = Node::Make::positions; // a tuple with a __dict__
    return number;
}
void Schema::lay_out() {
    for (Field& field : fields_) {
        field.column = columns_.size();
        columns_.push_back(&field.type());
        if (field.nullable) {
            field.validity = columns_.size();
            columns_.push_back(&TypeDescriptor::of<std::uint8_t>());
        }
        row_size_ = (row_size_ + 7) & ~std::size_t{7};
        field.offset = row_size_;
        row_size_ += field.size();
        has_texts_ = has_texts_ || field.is_text();
    }
    states_ = row_size_;
    row_size_ += fields_.size();
}
const Field* Schema::find(std::string_view path) const noexcept {
    for (const Field& field : fields_)
        if (field.path == path) return &field;
    return nullptr;
}
std::span<const Field> Schema::fields_of(std::size_t name) const noexcept {
    const Node& node = is_record() ? nodes_[nodes_[0].children[name]] : nodes_[0];
    return std::span(fields_).subspan(node.first, node.last - node.first);
}
std::string Schema::spelled() const {
    if (!is_record()) return fields_[0].spelled();
    std::string text;
    for (const Field& field : fields_) text += (text.empty() ? "" : ", ") + field.path + " " + field.spelled();
    return text;
}
nb::object Schema::leaf_object_of(const Field& field, const void* at) { return leaf_object(field, at); }
nb::object Schema::new_record(const Node& node) {
    auto* const type = reinterpret_cast<PyTypeObject*>(node.record.ptr());
    return checked(type->tp_alloc(type, static_cast<Py_ssize_t>(node.children.size())));
}
nb::object Schema::make_record(const Node& node, PyObject** values) const {
    const std::size_t count = node.children.size();
    const bool by_name = node.make == Node::Make::keywords;
    return checked(
        PyObject_Vectorcall(node.record.ptr(), values, by_name ? 0 : count, by_name ? node.keywords.ptr() : nullptr));
}

nb::object leaf_object(const Field& field, const void* at) {
    if (field.length == 0) return item_object(field, at);
    nb::object list = checked(PyList_New(field.length));
    const std::size_t size = field.item_size();
    for (std::uint32_t i = 0; i != field.length; ++i)
        PyList_SET_ITEM(list.ptr(), i, item_object(field, static_cast<const std::byte*>(at) + i * size).release().ptr());
    return list;
}
void assign_leaf(const Field& field, void* to, nb::handle value, const char* argument) {
    const Where where{argument, &field};
    if (field.length == 0) return assign_item(where, to, value);
    const std::string needed = "a sequence of " + std::to_string(field.length) + " values";
    if (!is_iterable(value) || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) raise_needed(where, needed, value);
    const nb::object items = checked(PySequence_Tuple(value.ptr())); // what converts an item may change a list
    if (PyTuple_GET_SIZE(items.ptr()) != static_cast<Py_ssize_t>(field.length))
        raise_at(where, PyExc_ValueError, needed + " is needed, not of " + std::to_string(PyTuple_GET_SIZE(items.ptr())));
    for (std::uint32_t i = 0; i != field.length; ++i)
        assign_item(where, static_cast<std::byte*>(to) + i * field.item_size(), item(items, i));
}

//=== Row ===//

std::byte* Row::allocate(std::size_t bytes) {
    auto* const block = static_cast<std::byte*>(std::malloc(bytes));
    if (block == nullptr) throw std::bad_alloc();
    return block;
}
void Row::release() noexcept {
    if (block_ == nullptr) return; // moved from
    if (schema_->has_texts_)
        for (const Field& field : schema_->fields_)
            if (field.is_text()) reinterpret_cast<Text*>(block_ + field.offset)->~Text();
    if (block_ != inside_) std::free(block_);
}
void Row::steal(Row& other) noexcept {
    schema_ = other.schema_;
    if (other.block_ == other.inside_) { // a Text is moved as its bytes
        std::memcpy(inside_, other.inside_, schema_->row_size_);
        block_ = inside_;
    } else
        block_ = other.block_;
    other.block_ = nullptr;
}
Row::Row(Row&& other) noexcept { steal(other); }
Row& Row::operator=(Row&& other) noexcept {
    if (this == &other) return *this;
    release();
    steal(other);
    return *this;
}
bool Row::complete() const noexcept {
    for (std::size_t i = 0; i != schema_->fields_.size(); ++i)
        if (!has(i)) return false;
    return true;
}
void Row::take_leaf(const Field& field, nb::handle value, const char* argument) {
    if (field.nullable && (value.is_none() || is_masked(value))) return set_null(field.number);
    assign_leaf(field, address(field.number), value, argument);
    if (field.nullable && field.is_time() && field.length == 0 && load<std::int64_t>(address(field.number)) == not_a_time)
        return set_null(field.number); // NaT says what None says
    set_given(field.number);
}
void Row::take(nb::handle value, const char* argument) { take_node(0, value, argument); }

namespace {

/// What an error at a struct begins with.
std::string at_node(const char* argument, const std::string& path) {
    return path.empty() || path == argument ? std::string(argument) + ": " : std::string(argument) + ": field '" + path + "': ";
}
std::string names_of(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

void Row::take_node(std::size_t number, nb::handle value, const char* argument) {
    const Schema::Node& node = schema_->nodes_[number];
    if (node.children.empty()) return take_leaf(schema_->fields_[node.first], value, argument);
    const auto begin = [&] { return at_node(argument, node.path); };
    const auto by_position = [&](nb::handle tuple) {
        const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple.ptr()));
        if (count != node.children.size())
            raise(PyExc_ValueError, begin() + std::to_string(node.children.size()) + " values are needed (" +
                                        names_of(node.names) + "), not " + std::to_string(count));
        for (std::size_t i = 0; i != count; ++i) take_node(node.children[i], item(tuple, static_cast<Py_ssize_t>(i)), argument);
    };
    const auto type = nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
    if (type.is(node.record) && PyTuple_Check(value.ptr())) return by_position(value);
    if (PyDict_Check(value.ptr())) return take_dict(number, value, argument);
    const bool tuple = PyTuple_Check(value.ptr());
    if (tuple || PyList_Check(value.ptr())) {
        // A NamedTuple of another class has its own order.
        if (!tuple || PyTuple_CheckExact(value.ptr()) || !attribute_of(type, "_fields").is_valid())
            return by_position(checked(PySequence_Tuple(value.ptr())));
    } else if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr()) || PyLong_Check(value.ptr()) ||
               PyFloat_Check(value.ptr()) || value.is_none()) {
        raise(PyExc_TypeError, begin() + "a record (" + names_of(node.names) +
                                   ") as a dict, a tuple or an object is needed, not " + type_of(value));
    } else if (type_of(value) == "numpy.void") { // a row of a structured array
        const nb::object row = call(value.attr("item"));
        const nb::object names = value.attr("dtype").attr("names");
        if (PyTuple_Check(row.ptr()) && PyTuple_Check(names.ptr())) {
            nb::dict dict;
            for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(names.ptr()); ++i) dict[item(names, i)] = item(row, i);
            return take_dict(number, dict, argument);
        }
    } else if (PyMapping_Check(value.ptr()) != 0 && attribute_of(value, "keys").is_valid()) {
        const nb::object dict = call_with(reinterpret_cast<PyObject*>(&PyDict_Type), {value});
        return take_dict(number, dict, argument);
    }
    for (std::size_t i = 0; i != node.children.size(); ++i) {
        nb::object member = nb::steal(PyObject_GetAttr(value.ptr(), node.keys[i].ptr()));
        if (!member.is_valid()) {
            if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) raise_again();
            PyErr_Clear();
            if (i == 0)
                raise(PyExc_TypeError, begin() + "a record (" + names_of(node.names) +
                                           ") as a dict, a tuple or an object is needed, not " + type_of(value));
            raise(PyExc_ValueError, begin() + "this " + type_of(value) + " has no attribute '" + node.names[i] + "'");
        }
        take_node(node.children[i], member, argument);
    }
}
void Row::take_dict(std::size_t number, nb::handle dict, const char* argument) {
    const Schema::Node& node = schema_->nodes_[number];
    const auto begin = [&] { return at_node(argument, node.path); };
    const auto expect_known = [&] {
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &key, &value) != 0;) {
            bool known = false;
            if (PyUnicode_Check(key))
                for (const nb::object& name : node.keys) known = known || PyUnicode_Compare(key, name.ptr()) == 0;
            if (!known) raise(PyExc_ValueError, begin() + repr_of(key) + " is no field; a record has " + names_of(node.names));
        }
    };
    for (std::size_t i = 0; i != node.children.size(); ++i) {
        const nb::object member = nb::borrow(PyDict_GetItemWithError(dict.ptr(), node.keys[i].ptr()));
        if (!member.is_valid()) {
            if (PyErr_Occurred() != nullptr) raise_again();
            expect_known(); // a misspelled field is said to be one, and not to be missing
            raise(PyExc_ValueError, begin() + "field '" + node.names[i] + "' is missing; a record has " + names_of(node.names));
        }
        take_node(node.children[i], member, argument);
    }
    if (PyDict_GET_SIZE(dict.ptr()) == static_cast<Py_ssize_t>(node.children.size())) return;
    expect_known();
    raise(PyExc_RuntimeError, begin() + "the dict changed while it was read");
}
void Row::take_named(nb::handle dict, const char* argument) {
    const Schema::Node& root = schema_->nodes_[0];
    PyObject *key = nullptr, *value = nullptr;
    const nb::object copy = checked(PyDict_Copy(dict.ptr())); // what converts a value may change the dict
    for (Py_ssize_t at = 0; PyDict_Next(copy.ptr(), &at, &key, &value) != 0;) {
        const std::string name = PyUnicode_Check(key) ? utf8_of(key) : repr_of(key);
        std::size_t i = 0;
        while (i != root.names.size() && root.names[i] != name) ++i;
        if (i == root.names.size())
            argument == nullptr ? raise(PyExc_TypeError, "'" + name + "' is no field; the fields are " + names_of(root.names))
                                : raise(PyExc_ValueError, at_node(argument, root.path) + repr_of(key) +
                                                              " is no field; a record has " + names_of(root.names));
        take_node(root.children.empty() ? 0 : root.children[i], value, argument == nullptr ? name.c_str() : argument);
    }
}

//=== keys ===//

namespace {

constexpr std::pair<const char*, Kind> key_parts[] = {
    {"i8", Kind::int64}, {"u8", Kind::uint64}, {"str", Kind::text}, {"bytes", Kind::bytes}};
KeyType::Part part_from(nb::handle described) {
    const std::string name = text_from(described, "described");
    for (std::size_t i = 0; i != std::size(key_parts); ++i)
        if (name == key_parts[i].first) return static_cast<KeyType::Part>(i);
    raise(PyExc_ValueError, "described: '" + name + "' is no key; 'i8', 'u8', 'str' and 'bytes' are");
}

} // namespace

void pack(std::string& packed, std::string_view text) {
    if (text.size() > 0xFFFF'FFFFu) slotwise::detail::throw_length_error("a text of 2**32 bytes or more does not fit");
    const auto size = static_cast<std::uint32_t>(text.size());
    packed.append(reinterpret_cast<const char*>(&size), sizeof size);
    packed.append(text);
}
KeyType::KeyType(std::vector<Part> parts, bool tuple, std::vector<std::string> names)
    : parts_(std::move(parts)), tuple_(tuple) {
    look(std::move(names));
}
KeyType::KeyType(nb::handle described) {
    std::vector<std::string> names;
    if (PyTuple_Check(described.ptr())) {
        tuple_ = true;
        for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(described.ptr()); ++i) {
            const nb::handle pair = tuple_of(item(described, i), 2);
            names.push_back(text_from(item(pair, 0), "described"));
            parts_.push_back(part_from(item(pair, 1)));
        }
    } else
        parts_.push_back(part_from(described));
    look(std::move(names));
}
void KeyType::look(std::vector<std::string> names) {
    if (parts_.empty() || (!tuple_ && parts_.size() != 1))
        raise(PyExc_ValueError, "described: a tuple of keys has a part at least");
    is_int_ = !tuple_ && parts_[0] <= Part::uint64;
    type_ = !is_int_                   ? &Text::type()
            : parts_[0] == Part::int64 ? &TypeDescriptor::of<std::int64_t>()
                                       : &TypeDescriptor::of<std::uint64_t>();
    for (std::size_t i = 0; i != parts_.size(); ++i) {
        Field field;
        field.path = !tuple_ ? "key" : i < names.size() && !names[i].empty() ? names[i] : "key_" + std::to_string(i);
        field.kind = key_parts[static_cast<std::size_t>(parts_[i])].second;
        field.column = field.number = i;
        field.counts = !field.is_text();
        fields_.push_back(std::move(field));
    }
}
std::string KeyType::spelled() const {
    if (!tuple_) return key_parts[static_cast<std::size_t>(parts_[0])].first;
    std::string text;
    for (std::size_t i = 0; i != parts_.size(); ++i)
        text += (i == 0 ? "(" : ", ") + fields_[i].path + " " + key_parts[static_cast<std::size_t>(parts_[i])].first;
    return text + ")";
}
nb::object KeyType::described() const {
    const auto name = [this](std::size_t i) { return nb::str(key_parts[static_cast<std::size_t>(parts_[i])].first); };
    if (!tuple_) return name(0);
    nb::list list;
    for (std::size_t i = 0; i != parts_.size(); ++i)
        list.append(nb::make_tuple(nb::str(fields_[i].path.data(), fields_[i].path.size()), name(i)));
    return nb::tuple(list);
}
namespace {

nb::object number_object(KeyType::Part part, const void* at) {
    return checked(part == KeyType::Part::int64 ? PyLong_FromLongLong(load<std::int64_t>(at))
                                                : PyLong_FromUnsignedLongLong(load<std::uint64_t>(at)));
}
nb::object text_object(KeyType::Part part, std::string_view text) {
    const auto size = static_cast<Py_ssize_t>(text.size());
    return checked(part == KeyType::Part::text ? PyUnicode_DecodeUTF8(text.data(), size, nullptr)
                                               : PyBytes_FromStringAndSize(text.data(), size));
}

} // namespace

nb::object KeyType::object(const void* key) const {
    if (is_int_) return number_object(parts_[0], key);
    const std::string_view text = static_cast<const Text*>(key)->view();
    if (!tuple_) return text_object(parts_[0], text);
    nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(parts_.size())));
    struct {
        const KeyType& type;
        nb::handle tuple;
        void put(std::size_t i, nb::object part) {
            PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), part.release().ptr());
        }
        void operator()(std::size_t i, const void* number) { put(i, number_object(type.parts_[i], number)); }
        void operator()(std::size_t i, std::string_view text) { put(i, text_object(type.parts_[i], text)); }
    } fill{*this, tuple};
    unpack(text, fill);
    return tuple;
}
bool KeyType::is_sound(const void* key) const noexcept {
    if (is_int_) return true;
    const std::string_view text = static_cast<const Text*>(key)->view();
    if (!tuple_) return parts_[0] != Part::text || slotwise::detail::is_utf8(text);
    struct {
        const KeyType& type;
        bool sound = true;
        void operator()(std::size_t, const void*) {}
        void operator()(std::size_t i, std::string_view text) {
            sound = sound && (type.parts_[i] != Part::text || slotwise::detail::is_utf8(text));
        }
    } check{*this};
    return unpack(text, check) && check.sound;
}

Key Key::from(const KeyType& type, nb::handle object, const char* argument) {
    using Part = KeyType::Part;
    const Where where{argument, nullptr};
    const auto parts = type.parts();
    if (!type.is_tuple()) {
        switch (parts[0]) {
        case Part::int64:
            return Key(static_cast<std::uint64_t>(integer_from<std::int64_t>(where, object, "int64")));
        case Part::uint64:
            return Key(integer_from<std::uint64_t>(where, object, "uint64"));
        case Part::text:
            return Key(utf8_from(where, object));
        case Part::bytes:
            if (!PyBytes_Check(object.ptr())) raise_needed(where, "bytes", object);
            return Key(
                std::string_view(PyBytes_AS_STRING(object.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr()))));
        }
    }
    if (!PyTuple_Check(object.ptr())) raise_needed(where, "a tuple " + type.spelled(), object);
    if (PyTuple_GET_SIZE(object.ptr()) != static_cast<Py_ssize_t>(parts.size()))
        raise_at(where, PyExc_TypeError,
                 "a tuple " + type.spelled() + " is needed, not one of " + std::to_string(PyTuple_GET_SIZE(object.ptr())));
    std::string packed;
    for (std::size_t i = 0; i != parts.size(); ++i) {
        const nb::handle part = item(object, static_cast<Py_ssize_t>(i));
        const Where here{argument, &type.fields()[i]};
        switch (parts[i]) {
        case Part::int64:
            pack(packed, static_cast<std::uint64_t>(integer_from<std::int64_t>(here, part, "int64")));
            break;
        case Part::uint64:
            pack(packed, integer_from<std::uint64_t>(here, part, "uint64"));
            break;
        case Part::text:
            pack(packed, utf8_from(here, part));
            break;
        case Part::bytes:
            if (!PyBytes_Check(part.ptr())) raise_needed(here, "bytes", part);
            pack(packed,
                 std::string_view(PyBytes_AS_STRING(part.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(part.ptr()))));
            break;
        }
    }
    return Key(std::move(packed));
}

namespace {

/// As Key::find of one part: calls f(number) or f(text) where there is one.
template <class F>
bool find_part(KeyType::Part part, nb::handle object, F&& f) {
    switch (part) {
    case KeyType::Part::int64:
        if (const auto number = Py<std::int64_t>::find(object)) return f(static_cast<std::uint64_t>(*number)), true;
        return false;
    case KeyType::Part::uint64:
        if (const auto number = Py<std::uint64_t>::find(object)) return f(*number), true;
        return false;
    case KeyType::Part::text:
        if (const auto text = Py<std::string>::find(object)) return f(*text), true;
        return false;
    case KeyType::Part::bytes:
        if (PyBytes_Check(object.ptr()))
            return f(std::string_view(PyBytes_AS_STRING(object.ptr()),
                                      static_cast<std::size_t>(PyBytes_GET_SIZE(object.ptr())))),
                   true;
        expect_hashable(object);
        return false;
    }
    return false;
}

} // namespace

std::optional<Key> Key::find(const KeyType& type, nb::handle object) {
    std::optional<Key> key;
    if (!type.is_tuple()) {
        struct {
            std::optional<Key>& key;
            void operator()(std::uint64_t number) { key.emplace(Key(number)); }
            void operator()(std::string_view text) { key.emplace(Key(text)); }
        } take{key};
        find_part(type.parts()[0], object, take);
        return key;
    }
    if (!PyTuple_Check(object.ptr()) || PyTuple_GET_SIZE(object.ptr()) != static_cast<Py_ssize_t>(type.parts().size())) {
        expect_hashable(object);
        return key;
    }
    std::string packed;
    for (std::size_t i = 0; i != type.parts().size(); ++i) {
        const auto add = [&](const auto& part) { pack(packed, part); };
        if (!find_part(type.parts()[i], item(object, static_cast<Py_ssize_t>(i)), add)) {
            expect_hashable(object);
            return key;
        }
    }
    key.emplace(Key(std::move(packed)));
    return key;
}

//=== the module ===//

namespace {

/// A schema that may end in a thread of a consumer of Arrow, with the container that it read, and then takes the GIL: it has objects of
/// Python. One that outlives the interpreter stays.
std::shared_ptr<const Schema> shared(std::unique_ptr<const Schema> schema) {
    return {schema.release(), [](const Schema* ended) {
                if (Py_IsInitialized() == 0) return;
                const GilHeld held;
                delete ended;
            }};
}

struct SchemaObject {
    std::shared_ptr<const Schema> schema;
};
struct KeyTypeObject {
    std::shared_ptr<const KeyType> type;
};

std::size_t hash_of(const std::string& text) { return slotwise::DefaultHash<std::string_view>()(text); }
template <class T>
const T* object_of(nb::handle h) {
    T* found = nullptr;
    return nb::try_cast(h, found, false) ? found : nullptr;
}
nb::str to_str(const std::string& text) { return nb::str(text.data(), text.size()); }

} // namespace

int Schema::visit_records(visitproc visit, void* arg) const {
    Py_VISIT(tree_.ptr());
    for (const Node& node : nodes_) Py_VISIT(node.record.ptr());
    return 0;
}

std::shared_ptr<const Schema> schema_from(nb::handle thing, const char* argument) {
    if (const auto* const known = object_of<SchemaObject>(thing)) return known->schema;
    const nb::object tree = call_with(SLOTWISE_PYTHON_HELPER("tree_of"), {thing, nb::str(argument)});
    return shared(std::make_unique<const Schema>(tree));
}
nb::object schema_object(std::shared_ptr<const Schema> schema) { return nb::cast(SchemaObject{std::move(schema)}); }
std::shared_ptr<const KeyType> key_type_from(nb::handle thing, const char* argument) {
    if (const auto* const known = object_of<KeyTypeObject>(thing)) return known->type;
    const nb::object described = call_with(SLOTWISE_PYTHON_HELPER("key_of"), {thing, nb::str(argument)});
    return std::make_shared<const KeyType>(described);
}
nb::object key_type_object(std::shared_ptr<const KeyType> type) { return nb::cast(KeyTypeObject{std::move(type)}); }

void bind_schema(nb::module_& m) {
    PyDateTime_IMPORT;
    if (PyDateTimeAPI == nullptr) raise_again();
    static const PyType_Slot slots[] = {traverse_slot<SchemaObject, &SchemaObject::schema, 1>(), {0, nullptr}};
    nb::class_<SchemaObject>(
        m, "Schema", nb::type_slots(slots), nb::is_weak_referenceable(),
        "What the values of a container are: one type, or a record of fields, each of which is a column.\n\n"
        "It is made from a Python type (float, str, Optional[int]), a NumPy dtype or its name ('f4', "
        "'datetime64[ns]', structured ones), a list of fixed length ('f4', 3), a pyarrow schema or type, a "
        "dataclass, a NamedTuple, a TypedDict, or a dict of names to any of these.\n\n"
        "Immutable; equal to another one with the same fields. Raises TypeError or ValueError that name the "
        "field which is none.")
        .def(
            "__init__", [](SchemaObject* self, nb::handle value) { new (self) SchemaObject{schema_from(value, "value")}; },
            argument("value"), nb::sig("def __init__(self, value: typing.Any) -> None"), "Makes it of a type, see the class.")
        .def_static(
            "_from_tree", [](nb::handle tree) { return SchemaObject{shared(std::make_unique<const Schema>(tree))}; },
            argument("tree"), nb::sig("def _from_tree(tree: tuple[typing.Any, ...]) -> Schema"), "For pickles.")
        .def(
            "__reduce__",
            [](nb::handle self) {
                const auto& schema = nb::cast<const SchemaObject&>(self).schema;
                return nb::make_tuple(SLOTWISE_PYTHON_HELPER("schema_from_tree"), nb::make_tuple(schema->tree()));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"),
            "Pickles by its fields, and the names of its record classes.")
        .def(
            "__repr__", [](const SchemaObject& self) { return to_str("slotwise.Schema(" + self.schema->spelled() + ")"); },
            nb::sig("def __repr__(self) -> str"))
        .def(
            "__eq__",
            [](const SchemaObject& self, nb::handle other) -> nb::object {
                const auto* const known = object_of<SchemaObject>(other);
                if (known == nullptr) return nb::borrow(Py_NotImplemented);
                return nb::cast(*self.schema == *known->schema);
            },
            argument("other"), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def(
            "__hash__", [](const SchemaObject& self) { return static_cast<Py_hash_t>(hash_of(self.schema->spelled()) >> 1); },
            nb::sig("def __hash__(self) -> int"))
        .def_prop_ro(
            "fields",
            [](const SchemaObject& self) {
                nb::dict fields;
                for (const Field& field : self.schema->fields()) fields[to_str(field.path)] = to_str(field.spelled());
                return fields;
            },
            nb::for_getter(nb::sig("def fields(self) -> dict[str, str]")),
            "The columns by name, with their types as Schema takes them: {'bid': 'f8', 'venue': 'str?'}; '?' may be None. A "
            "single "
            "type is the column 'value', and a field of a nested record 'place.x'.")
        .def_prop_ro(
            "record",
            [](const SchemaObject& self) -> nb::object {
                return call_with(SLOTWISE_PYTHON_HELPER("class_of_tree"), {self.schema->tree()});
            },
            nb::for_getter(nb::sig("def record(self) -> type[typing.Any] | None")),
            "The class of the records that a container returns; None of a single type.")
        .def(
            "_row",
            [](const SchemaObject& self, nb::handle value) {
                Row row(*self.schema);
                row.take(value, "value");
                return row.object();
            },
            argument("value"), nb::sig("def _row(self, value: typing.Any) -> typing.Any"),
            "What a container returns that was given this value.");

    nb::class_<KeyTypeObject>(
        m, "KeyType", nb::is_weak_referenceable(),
        "What the keys of a container are: int (int64), numpy.uint64 or 'u8', str, bytes, or a tuple of these: "
        "(str, int), tuple[str, int], a NamedTuple, or a dict of names to them.\n\n"
        "Immutable. Raises TypeError for what is no key.")
        .def(
            "__init__", [](KeyTypeObject* self, nb::handle key) { new (self) KeyTypeObject{key_type_from(key, "key")}; },
            argument("key"), nb::sig("def __init__(self, key: typing.Any) -> None"), "Makes it of a type, see the class.")
        .def_static(
            "_from_described", [](nb::handle described) { return KeyTypeObject{std::make_shared<const KeyType>(described)}; },
            argument("described"), nb::sig("def _from_described(described: typing.Any) -> KeyType"), "For pickles.")
        .def(
            "__reduce__",
            [](nb::handle self) {
                const auto& type = nb::cast<const KeyTypeObject&>(self).type;
                return nb::make_tuple(SLOTWISE_PYTHON_HELPER("key_type_from_parts"), nb::make_tuple(type->described()));
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"), "Pickles by its parts.")
        .def(
            "__repr__", [](const KeyTypeObject& self) { return to_str("slotwise.KeyType(" + self.type->spelled() + ")"); },
            nb::sig("def __repr__(self) -> str"))
        .def(
            "__eq__",
            [](const KeyTypeObject& self, nb::handle other) -> nb::object {
                const auto* const known = object_of<KeyTypeObject>(other);
                if (known == nullptr) return nb::borrow(Py_NotImplemented);
                return nb::cast(*self.type == *known->type);
            },
            argument("other"), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def(
            "__hash__", [](const KeyTypeObject& self) { return static_cast<Py_hash_t>(hash_of(self.type->spelled()) >> 1); },
            nb::sig("def __hash__(self) -> int"))
        .def_prop_ro(
            "fields",
            [](const KeyTypeObject& self) {
                nb::dict fields;
                for (const Field& field : self.type->fields()) fields[to_str(field.path)] = to_str(field.spelled());
                return fields;
            },
            nb::for_getter(nb::sig("def fields(self) -> dict[str, str]")),
            "The columns of the keys by name: {'key': 'str'}, or those of a tuple.")
        .def(
            "_key",
            [](const KeyTypeObject& self, nb::handle key) -> nb::object {
                return self.type->object(Key::from(*self.type, key, "key").address());
            },
            argument("key"), nb::sig("def _key(self, key: typing.Any) -> typing.Any"),
            "What a container returns that has this key.")
        .def(
            "_find",
            [](const KeyTypeObject& self, nb::handle key) -> nb::object {
                const std::optional<Key> found = Key::find(*self.type, key);
                return found ? self.type->object(found->address()) : nb::none();
            },
            argument("key"), nb::sig("def _find(self, key: typing.Any) -> typing.Any"),
            "The key that a container looks up; None when no key of this type can equal it.");
}

} // namespace slotwise_python
