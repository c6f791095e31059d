// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Schema: what a container's values are, as the leaves of a tree of fields, each of which is a column. Row: one value of a schema,
// converted from a Python object. KeyType: what a container's keys are.
#ifndef SLOTWISE_PYTHON_SCHEMA_HPP
#define SLOTWISE_PYTHON_SCHEMA_HPP

#include "convert.hpp"
#include "text.hpp"

#include <slotwise/core/type_descriptor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slotwise_python {

/// How one value of a leaf lies in memory. A time is an int64 that counts units of Field::unit; NaT is its lowest value.
enum class Kind : std::uint8_t {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    datetime,
    timedelta,
    text,
    bytes
};

/// A leaf of a schema: one column, and a second one of a byte a row when its values may be null.
struct Field {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    std::string path; ///< "bid"; "place.x" in a nested struct; "value" when the schema is one type and no record
    Kind kind = Kind::float64;
    std::string unit;         ///< of datetime and timedelta, as NumPy spells it: "ns", "us", "ms", "s", "D"
    std::uint32_t length = 0; ///< of a list of fixed length; 0: no list. Texts are in no list
    bool nullable = false;
    bool counts = false;         ///< of keys, handles and row numbers: a boolean is none, because arrays of them are masks
    std::size_t column = 0;      ///< the number of its column among those of the schema
    std::size_t validity = none; ///< that of the bytes which say where it is not null
    std::size_t number = 0;      ///< its place among the fields of the schema
    std::size_t offset = 0;      ///< of its value in a Row

    std::size_t item_size() const noexcept; ///< bytes of one value of `kind`
    /// Bytes of a row: item_size(), times length of a list.
    std::size_t size() const noexcept { return length == 0 ? item_size() : item_size() * length; }
    bool is_text() const noexcept { return kind == Kind::text || kind == Kind::bytes; }
    bool is_time() const noexcept { return kind == Kind::datetime || kind == Kind::timedelta; }
    /// Of the column; it lives for ever. Lists of more than 128 bytes have no default value (construct is null).
    const slotwise::TypeDescriptor& type() const;
    std::string dtype() const;   ///< as NumPy spells it: "<f8", "<M8[ns]", "|b1"; of texts "O"
    std::string spelled() const; ///< "f8", "f8[3]", "datetime64[ns]?", "str"
    friend bool operator==(const Field&, const Field&) = default;
};

/// NaT of NumPy, for datetime and timedelta.
inline constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

/// What the values of a container are. Immutable. It is made from the tree that slotwise._schema builds of a type, a dtype, an Arrow
/// schema, a dataclass or a dict. A value of the schema is one object if it is a single leaf, else a record.
class Schema {
public:
    /// @param tree (kind, unit, length, nullable) of a leaf, the kind as in Kind but "bool", "str"; (record class, ((name, tree), ...))
    /// of a struct, whose record class is None where slotwise makes it of the names
    explicit Schema(nb::handle tree);
    Schema(const Schema&) = delete;
    Schema& operator=(const Schema&) = delete;

    std::span<const Field> fields() const noexcept { return fields_; }
    const Field* find(std::string_view path) const noexcept;
    /// Types of all columns, validity included, by Field::column and Field::validity.
    std::span<const slotwise::TypeDescriptor* const> columns() const noexcept { return columns_; }
    bool is_record() const noexcept { return !nodes_[0].children.empty(); }
    /// The names of the first level, in order: what a dict or keywords name; "value" when it is no record.
    std::span<const std::string> names() const noexcept { return nodes_[0].names; }
    /// The fields that a name of the first level has below it.
    std::span<const Field> fields_of(std::size_t name) const noexcept;
    /// Equal in paths, kinds, units, lengths and nulls; record classes may differ.
    friend bool operator==(const Schema& a, const Schema& b) noexcept { return a.fields_ == b.fields_; }
    /// A text with one spelling for equal schemas, for snapshots and messages: "bid f8, venue str?"; of a single type "f8".
    std::string spelled() const;
    /// What the constructor takes; that of a class which slotwise has made is None.
    nb::object tree() const { return tree_; }

    /// The Python object of a row whose leaf lies at at(field): a scalar, or record classes called with their fields in order.
    /// at(field) is null where the leaf is null. Calls Python, so no lock is held and nothing that at() reads may change.
    template <class At>
    nb::object object(const At& at) const {
        return object_of(0, at);
    }

    /// Visits the classes of its records, as tp_traverse does. See traverse_schema().
    int visit_records(visitproc visit, void* arg) const;

private:
    friend class Row;
    struct Node {                          // of the tree, in the order of a walk
        std::size_t first = 0, last = 0;   // its fields
        std::string path;                  // as Field::path; empty of the root
        std::vector<std::string> names;    // of a struct, and of the root
        std::vector<nb::object> keys;      // the names as interned strs
        std::vector<std::size_t> children; // of a struct
        nb::object record;                 // the class of its records
        enum class Make : std::uint8_t { tuple, positions, keywords } make = Make::tuple;
        nb::object keywords; // the names as a tuple
    };
    std::size_t add(nb::handle tree, const std::string& path);
    void add_leaf(nb::handle tree, const std::string& path);
    void lay_out();
    nb::object make_record(const Node& node, PyObject** values) const;

    template <class At>
    nb::object object_of(std::size_t number, const At& at) const {
        const Node& node = nodes_[number];
        if (node.children.empty()) {
            const Field& field = fields_[node.first];
            const void* const value = at(field);
            return value == nullptr ? nb::none() : leaf_object_of(field, value);
        }
        const std::size_t count = node.children.size();
        if (node.make == Node::Make::tuple) { // as _make of a NamedTuple does, without a tuple between
            nb::object record = new_record(node);
            for (std::size_t i = 0; i != count; ++i)
                PyTuple_SET_ITEM(record.ptr(), static_cast<Py_ssize_t>(i), object_of(node.children[i], at).release().ptr());
            return record;
        }
        std::vector<nb::object> values;
        values.reserve(count);
        for (const std::size_t child : node.children) values.push_back(object_of(child, at));
        std::vector<PyObject*> given(count);
        for (std::size_t i = 0; i != count; ++i) given[i] = values[i].ptr();
        return make_record(node, given.data());
    }
    static nb::object new_record(const Node& node);
    static nb::object leaf_object_of(const Field& field, const void* at);

    std::vector<Field> fields_;
    std::vector<const slotwise::TypeDescriptor*> columns_;
    std::vector<Node> nodes_;
    nb::object tree_;
    std::size_t row_size_ = 0, states_ = 0; // of a Row: bytes, and where the states begin
    bool has_texts_ = false;
};

/// The schema that `thing` is or says: a slotwise.Schema, or whatever slotwise.Schema() takes. @throws TypeError, ValueError that
/// begin with "argument: "
std::shared_ptr<const Schema> schema_from(nb::handle thing, const char* argument);
/// The slotwise.Schema of it.
nb::object schema_object(std::shared_ptr<const Schema> schema);

/// The tp_traverse of a class whose objects have a schema in `own` places, one of them `member`: the collector then finds cycles through the
/// classes of its records. What is held by a schema that others hold, too, is not visited: it is no property of this object, and two that
/// visited it would count it twice. There is no tp_clear: each such cycle has a class in it, which the collector clears.
template <class T, auto member, long own>
int traverse_schema(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    const auto& schema = nb::inst_ptr<T>(self)->*member;
    return schema.use_count() == own ? schema->visit_records(visit, arg) : 0;
}
template <class T, auto member, long own>
PyType_Slot traverse_slot() {
    return {Py_tp_traverse, reinterpret_cast<void*>(&traverse_schema<T, member, own>)};
}

/// One leaf as a Python object: bool, int, float, str, bytes, numpy.datetime64, numpy.timedelta64, or a list of them.
nb::object leaf_object(const Field& field, const void* at);
/// Writes what `value` converts to at `to`, where a value of field.type() lives (texts are assigned).
/// @throws TypeError, OverflowError, ValueError that begin with "argument: " and name the field; nothing is written then, but for
/// the first values of a list
void assign_leaf(const Field& field, void* to, nb::handle value, const char* argument);

/// One row of a schema, converted and owned, so that writing it into columns cannot throw. It refers to the schema. A row of up to
/// some 200 bytes is no allocation.
class Row {
public:
    explicit Row(const Schema& schema) : schema_(&schema) {
        block_ = schema.row_size_ <= sizeof inside_ ? inside_ : allocate(schema.row_size_);
        if (schema.has_texts_)
            std::memset(block_, 0, schema.row_size_);
        else
            std::memset(block_ + schema.states_, 0, schema.row_size_ - schema.states_);
    }
    Row(Row&& other) noexcept;
    Row& operator=(Row&& other) noexcept;
    ~Row() {
        if (schema_->has_texts_ || block_ != inside_) release();
    }
    /// Takes a whole value: a scalar of a single leaf; of a record a dict or mapping, a tuple or list by position, an instance of its
    /// class, or any object with these attributes. @throws ValueError when a field is missing or unknown, TypeError
    void take(nb::handle value, const char* argument);
    /// Takes some fields of the first level from a dict: arguments by keyword, or those of a value that errors name.
    /// @throws as take, TypeError when an argument is unknown
    void take_named(nb::handle dict, const char* argument = nullptr);
    /// Whether field i was given.
    bool has(std::size_t i) const noexcept { return states()[i] != State::absent; }
    bool complete() const noexcept;
    /// Its value; null when it was not given, or is None.
    const void* get(std::size_t i) const noexcept {
        return states()[i] == State::given ? block_ + schema_->fields_[i].offset : nullptr;
    }
    void* address(std::size_t i) noexcept {
        return block_ + schema_->fields_[i].offset;
    } ///< where its value lies, given or not; texts may be moved from it
    /// Says that address(i) was written, or that field i is null.
    void set_given(std::size_t i) noexcept { states()[i] = State::given; }
    void set_null(std::size_t i) noexcept { states()[i] = State::null; }
    const Schema& schema() const noexcept { return *schema_; }
    /// The Python object of a row that is complete; a field that was not given is None.
    nb::object object() const {
        return schema_->object([this](const Field& field) { return get(field.number); });
    }

private:
    enum class State : std::uint8_t { absent, given, null };
    State* states() const noexcept { return reinterpret_cast<State*>(block_ + schema_->states_); }
    static std::byte* allocate(std::size_t bytes);
    void release() noexcept;
    void steal(Row& other) noexcept;
    void take_leaf(const Field& field, nb::handle value, const char* argument);
    void take_node(std::size_t number, nb::handle value, const char* argument);
    void take_dict(std::size_t number, nb::handle dict, const char* argument);

    const Schema* schema_;
    std::byte* block_;
    alignas(8) std::byte inside_[208];
};

/// What the keys of a container are: int64, uint64, str, bytes, or a tuple of these. Ints are 8 bytes, all others a Text: a tuple is
/// packed into one, so that two types of key (two TypeDescriptors) serve all. A packed int is its 8 bytes, a packed text its size in 4
/// bytes and its bytes.
class KeyType {
public:
    enum class Part : std::uint8_t { int64, uint64, text, bytes };
    /// @param parts one, or those of a tuple. @param names of the columns of a tuple in frames; empty: "key_0", "key_1", ...
    KeyType(std::vector<Part> parts, bool tuple, std::vector<std::string> names);
    /// From what slotwise._schema makes of a key type: "i8", "u8", "str" or "bytes"; or a tuple of pairs (name, one of these).
    explicit KeyType(nb::handle described);

    bool is_int() const noexcept { return is_int_; } ///< keys are 8 bytes; else Text
    bool is_tuple() const noexcept { return tuple_; }
    std::span<const Part> parts() const noexcept { return parts_; }
    const slotwise::TypeDescriptor& type() const noexcept { return *type_; }
    /// The columns that the keys have in frames: "key", or one for each part of a tuple.
    std::span<const Field> fields() const noexcept { return fields_; }
    std::string spelled() const; ///< "str"; "(sym str, n i8)"
    nb::object described() const;
    friend bool operator==(const KeyType& a, const KeyType& b) noexcept {
        return a.tuple_ == b.tuple_ && a.fields_ == b.fields_;
    }

    nb::object object(const void* key) const;

    /// Of a packed key: calls f(part number, address of its 8 bytes) for ints, and f(part number, view) for texts.
    /// @return whether the bytes are those of a key of this type
    template <class F>
    bool unpack(std::string_view packed, F&& f) const {
        for (std::size_t i = 0; i != parts_.size(); ++i) {
            if (parts_[i] <= Part::uint64) {
                if (packed.size() < 8) return false;
                f(i, static_cast<const void*>(packed.data()));
                packed.remove_prefix(8);
            } else {
                std::uint32_t size;
                if (packed.size() < sizeof size) return false;
                std::memcpy(&size, packed.data(), sizeof size);
                if (packed.size() - sizeof size < size) return false;
                f(i, packed.substr(sizeof size, size));
                packed.remove_prefix(sizeof size + size);
            }
        }
        return packed.empty();
    }
    /// Whether a key that was read from bytes is one: parts complete, every str UTF-8.
    bool is_sound(const void* key) const noexcept;

private:
    void look(std::vector<std::string> names);

    std::vector<Part> parts_;
    std::vector<Field> fields_;
    const slotwise::TypeDescriptor* type_ = nullptr;
    bool tuple_ = false, is_int_ = false;
};

/// For those who pack keys of tuples.
inline void pack(std::string& packed, std::uint64_t number) {
    packed.append(reinterpret_cast<const char*>(&number), sizeof number);
}
/// @throws std::length_error from 2**32 bytes on
void pack(std::string& packed, std::string_view text);

std::shared_ptr<const KeyType> key_type_from(nb::handle thing, const char* argument);
nb::object key_type_object(std::shared_ptr<const KeyType> type);

/// A key on its way in: 8 bytes, or a Text that borrows from the Python object, which must stay, or from its own buffer.
class Key {
public:
    /// The key that `object` is. @throws TypeError, OverflowError, UnicodeEncodeError that begin with "argument: "
    static Key from(const KeyType& type, nb::handle object, const char* argument);
    /// The same, or none when no key of this type equals it (another type, out of range): it is no member then, as for a dict.
    /// True and 1.0 equal 1. @throws TypeError when it is unhashable, and what code of the object throws
    static std::optional<Key> find(const KeyType& type, nb::handle object);
    Key(Key&& other) noexcept
        : number_(other.number_), text_(other.text_), packed_(std::move(other.packed_)), form_(other.form_) {
        if (form_ == Form::packed) text_ = BorrowedText(packed_);
    }
    const void* address() const noexcept { return form_ == Form::number ? static_cast<const void*>(&number_) : &text_.text(); }

private:
    enum class Form : std::uint8_t { number, text, packed };
    explicit Key(std::uint64_t number) : number_(number), form_(Form::number) {}
    explicit Key(std::string_view text) : text_(text), form_(Form::text) {}
    explicit Key(std::string&& packed) : packed_(std::move(packed)), form_(Form::packed) { text_ = BorrowedText(packed_); }

    std::uint64_t number_ = 0;
    BorrowedText text_;
    std::string packed_; // of a tuple
    Form form_;
};

} // namespace slotwise_python

#endif
