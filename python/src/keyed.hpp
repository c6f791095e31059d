// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What containers with keys have in common, Map and Set as well as series: elements by key, iteration, batches, columns,
// frames.
#ifndef SLOTWISE_PYTHON_KEYED_HPP
#define SLOTWISE_PYTHON_KEYED_HPP

#include "box.hpp"
#include "columns.hpp"
#include "frame.hpp"
#include "growing.hpp"
#include "source.hpp"
#include "type_slots.hpp"
#include "whole.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <array>
#include <deque>

namespace slotwise_python {

// A container C with keys has these members:
//     keys()        a BasicAnySetStorage: the keys by slot
//     columns()     Columns, which follow it
//     has_value(s)  whether the member in slot s has a value; Map: always
//     add_to(frame, owner)  adds its columns to a Frame: those of keys, of the schema, and what it has beside them
//     extra(name)   a column beside those of keys and schema (the times of a series) as an ExtraColumn, or nothing

/// A column that a container has beside keys and schema.
struct ExtraColumn {
    Field field;
    const void* data;
};

/// Keys that are looked up without a function call: the first letters of a type of key.
enum class QuickKey : std::uint8_t { none, int64, uint64, text };
inline QuickKey quick_key_of(const KeyType& type) {
    if (type.is_tuple() || type.parts().size() != 1) return QuickKey::none;
    switch (type.parts()[0]) {
    case KeyType::Part::int64:
        return QuickKey::int64;
    case KeyType::Part::uint64:
        return QuickKey::uint64;
    case KeyType::Part::text:
        return QuickKey::text;
    default:
        return QuickKey::none;
    }
}

/// That no field has the name of a column of keys, and nothing that of one in `more`. @param schema null of a set @throws ValueError
inline void expect_other_names(const KeyType& key, const Schema* schema, std::span<const char* const> more = {}) {
    const auto refuse = [](const std::string& argument, const std::string& name, const std::string& whose) {
        raise(PyExc_ValueError, argument + ": '" + name + "' is the name of " + whose +
                                    " too: all columns of a container lie in one frame, so rename one of them");
    };
    const std::span<const std::string> names = schema == nullptr ? std::span<const std::string>() : schema->names();
    for (const Field& part : key.fields())
        for (const std::string& name : names) { // a nested field is in a column of the first name
            if (part.path != name && !part.path.starts_with(name + ".")) continue;
            refuse("value", name, key.is_tuple() ? "the part '" + part.path + "' of the keys" : "the column of the keys");
        }
    for (const char* const name : more) {
        for (const std::string& each : names)
            if (each == name) refuse("value", name, "a column of a series or of its deltas");
        for (const Field& part : key.fields())
            if (part.path == name) refuse("key", name, "a column of a series or of its deltas");
    }
}

/// What a class with keys holds. Types of keys and values never change, and are read without the lock.
template <class C>
struct KeyedBox : Box<C> {
    KeyedBox(std::shared_ptr<const KeyType> the_key, std::shared_ptr<const Schema> the_value, C&& container)
        : Box<C>{slotwise::Exportable<C>(std::move(container)), OnWrite::detach, {}}, key(std::move(the_key)),
          value(std::move(the_value)), quick_key(quick_key_of(*key)), quick_value(quick_value_of(value.get())) {}

    std::shared_ptr<const KeyType> key;
    std::shared_ptr<const Schema> value; ///< null of a set
    QuickKey quick_key;
    QuickValue quick_value;
};

//=== one key ===//

/// A key for a lookup, as Key::find has it, without a call for a str of ASCII and an int.
class LookupKey {
public:
    struct OnlyQuick {};
    static constexpr OnlyQuick only_quick{};

    LookupKey(const KeyType& type, QuickKey quick, nb::handle object) {
        if (take_quick(quick, object)) return;
        if (auto found = Key::find(type, object)) address_ = key_.emplace(std::move(*found)).address();
    }
    /// Null where that would take a call.
    LookupKey(const KeyType&, QuickKey quick, nb::handle object, OnlyQuick) { take_quick(quick, object); }
    LookupKey(const LookupKey&) = delete;
    LookupKey& operator=(const LookupKey&) = delete;
    /// Null when no member can have this key.
    const void* address() const noexcept { return address_; }

private:
    bool take_quick(QuickKey quick, nb::handle object) {
        if (quick == QuickKey::text && PyUnicode_CheckExact(object.ptr()) && PyUnicode_IS_COMPACT_ASCII(object.ptr())) {
            text_ = BorrowedText({static_cast<const char*>(PyUnicode_DATA(object.ptr())),
                                  static_cast<std::size_t>(PyUnicode_GET_LENGTH(object.ptr()))});
            address_ = &text_->text();
            return true;
        }
        if (quick == QuickKey::int64 && PyLong_CheckExact(object.ptr())) {
            int beyond = 0;
            number_ = PyLong_AsLongLongAndOverflow(object.ptr(), &beyond);
            if (beyond == 0) address_ = &number_;
            return true;
        }
        return false;
    }

    const void* address_ = nullptr;
    long long number_ = 0;
    std::optional<BorrowedText> text_;
    std::optional<Key> key_;
};

/// The slot of a key, or no_slot. @param key null where no member can have it
template <class C>
slot_t slot_of(const C& c, const void* key) {
    return key == nullptr ? no_slot : c.keys().slot_of(key);
}

/// The keys by slot: 8 bytes or a Text a slot, one after the other. Null when there is no slot.
template <class C>
const void* key_data(const C& c) {
    return c.keys().capacity() == 0 ? nullptr : c.keys().keys().ptr(0);
}
//=== one row on its way out ===//

/// Copies the values of a slot into a row under the lock; its Python object is made afterwards, because making one may run any code
/// (the garbage collector does). @throws std::bad_alloc
inline void copy_row(Row& row, const Columns& columns, slot_t slot) {
    const std::span<const Field> fields = columns.schema().fields();
    for (std::size_t i = 0; i != fields.size(); ++i) {
        if (!columns.valid(fields[i], slot)) {
            row.set_null(i);
            continue;
        }
        const void* const from = columns.at(fields[i], slot);
        if (fields[i].is_text())
            *static_cast<Text*>(row.address(i)) = *static_cast<const Text*>(from);
        else
            std::memcpy(row.address(i), from, fields[i].size());
        row.set_given(i);
    }
}

/// The value of the member with this key, None where it has none, or a null object where there is no member.
template <class B>
nb::object value_or_null(const B& box, nb::handle key) {
    const LookupKey look(*box.key, box.quick_key, key);
    if (box.quick_value != QuickValue::none) {
        std::uint64_t bits = 0;
        enum { absent, empty, there } found = absent;
        read(box, [&](const auto& c) {
            const slot_t slot = slot_of(c, look.address());
            if (slot == no_slot) return;
            found = c.has_value(slot) ? there : empty;
            std::memcpy(&bits, c.columns().at(box.value->fields()[0], slot), 8);
        });
        if (found == absent) return {};
        if (found == empty) return nb::none();
        if (box.quick_value == QuickValue::float64) return nb::steal(PyFloat_FromDouble(std::bit_cast<double>(bits)));
        return nb::steal(PyLong_FromLongLong(static_cast<long long>(bits)));
    }
    Row row(*box.value);
    const int found = read(box, [&](const auto& c) {
        const slot_t slot = slot_of(c, look.address());
        if (slot == no_slot) return 0;
        if (!c.has_value(slot)) return 1;
        copy_row(row, c.columns(), slot);
        return 2;
    });
    if (found == 0) return {};
    return found == 1 ? nb::none() : row.object();
}

template <class B>
bool contains(const B& box, nb::handle key) {
    const LookupKey look(*box.key, box.quick_key, key);
    return look.address() != nullptr && read(box, [&](const auto& c) { return c.keys().contains(look.address()); });
}

/// KeyError with the key itself, as a dict raises it.
[[noreturn]] inline void raise_absent(nb::handle key) {
    const nb::object error = nb::steal(PyObject_CallOneArg(PyExc_KeyError, key.ptr())); // a tuple alone would be its arguments
    if (error.is_valid()) PyErr_SetObject(PyExc_KeyError, error.ptr());
    raise_again();
}

//=== slots of the type ===//

template <class B>
int contains_slot(PyObject* self, PyObject* key) {
    return guarded(-1, [&] { return contains(ready_box<B>(self), key) ? 1 : 0; });
}
template <class B>
Py_ssize_t length_slot(PyObject* self) {
    return guarded(Py_ssize_t{-1}, [&] {
        return read(ready_box<B>(self), [](const auto& c) { return static_cast<Py_ssize_t>(c.keys().size()); });
    });
}
template <class B>
PyObject* subscript_slot(PyObject* self, PyObject* key) {
    return guarded(static_cast<PyObject*>(nullptr), [&] {
        nb::object value = value_or_null(ready_box<B>(self), key);
        if (!value.is_valid()) {
            if (PyErr_Occurred() != nullptr) raise_again();
            raise_absent(key);
        }
        return value.release().ptr();
    });
}

//=== iteration ===//

/// A walk over keys, values or both in the order of slots. It is safe while the container changes: it passes each slot once, and ends
/// at the slot that was the last when it began. Each element is one that is there when it is asked for, with its value then. Up to
/// some hundred are taken ahead, and taken again when the container was written since; then fewer are, so that a loop that writes
/// each element does not take each of them some hundred times.
template <class B>
class Walk {
public:
    enum class What { keys, values, items };
    Walk(nb::object self, What what) : self_(std::move(self)), what_(what) {
        end_ = read(box(), [](const auto& c) { return c.keys().occupancy().size(); });
    }
    /// The next object, or a null one at the end.
    nb::object next() {
        if (!self_.is_valid()) return {};
        if (at_ == taken_.size())
            take_some(ahead_ < most ? 2 * ahead_ : most);
        else if (box().writes.load(std::memory_order_relaxed) != writes_) {
            next_ = slots_[at_];
            take_some(1);
        }
        if (at_ == taken_.size()) return {};
        return std::move(taken_[at_++]);
    }

    int visit(visitproc visit, void* arg) const {
        Py_VISIT(self_.ptr());
        for (const nb::object& each : taken_) Py_VISIT(each.ptr());
        return 0;
    }
    /// There is no next one then.
    void end() {
        const nb::object self = std::exchange(self_, nb::object());
        const std::vector<nb::object> taken = std::exchange(taken_, {}); // what dies may call anything
        at_ = 0;
    }

private:
    static constexpr std::size_t most = 256;
    const B& box() const { return *nb::inst_ptr<B>(self_); }

    void take_some(std::size_t ahead) {
        const std::vector<nb::object> old = std::exchange(taken_, {}); // what dies may call anything
        at_ = 0;
        if (next_ >= end_) return;
        ahead_ = ahead;
        const B& from = box();
        const bool with_keys = what_ != What::values, with_values = what_ != What::keys;
        const bool quick = from.quick_value != QuickValue::none, ints = from.key->is_int();
        const std::size_t room = end_ - next_ < ahead ? end_ - next_ : ahead;
        std::array<std::uint64_t, most> numbers, bits;
        std::array<bool, most> there;
        std::vector<Text> texts;
        std::vector<Row> rows;
        if (with_keys && !ints) texts.reserve(room);
        if (with_values && !quick) rows.reserve(room);
        std::array<slot_t, most> slots;
        std::size_t count = 0;
        std::uint64_t writes = 0;
        read(from, [&](const auto& c) {
            writes = from.writes.load(std::memory_order_relaxed);
            const Occupancy live = c.keys().occupancy();
            for (; count != ahead; ++count) {
                const slot_t slot = next_ < end_ ? live.find_next(static_cast<slot_t>(next_)) : no_slot;
                if (slot == no_slot || slot >= end_) {
                    next_ = end_;
                    break;
                }
                next_ = std::size_t{slot} + 1;
                slots[count] = slot;
                if (with_keys && ints)
                    numbers[count] = *static_cast<const std::uint64_t*>(c.keys().key(slot));
                else if (with_keys)
                    texts.push_back(*static_cast<const Text*>(c.keys().key(slot)));
                if (!with_values) continue;
                there[count] = c.has_value(slot);
                if (quick)
                    std::memcpy(&bits[count], c.columns().at(from.value->fields()[0], slot), 8);
                else if (Row& row = rows.emplace_back(*from.value); there[count])
                    copy_row(row, c.columns(), slot);
            }
        });
        std::vector<nb::object> made;
        made.reserve(count);
        for (std::size_t i = 0; i != count; ++i) {
            nb::object key, value;
            if (with_keys) key = from.key->object(ints ? static_cast<const void*>(&numbers[i]) : &texts[i]);
            if (with_values) {
                if (!there[i])
                    value = nb::none();
                else if (!quick)
                    value = rows[i].object();
                else if (from.quick_value == QuickValue::float64)
                    value = nb::steal(PyFloat_FromDouble(std::bit_cast<double>(bits[i])));
                else
                    value = nb::steal(PyLong_FromLongLong(static_cast<long long>(bits[i])));
                if (!value.is_valid()) raise_again();
            }
            if (what_ == What::items) {
                nb::object pair = nb::steal(PyTuple_Pack(2, key.ptr(), value.ptr()));
                if (!pair.is_valid()) raise_again();
                made.push_back(std::move(pair));
            } else
                made.push_back(with_keys ? std::move(key) : std::move(value));
        }
        taken_ = std::move(made);
        slots_ = slots;
        writes_ = writes;
        at_ = 0;
    }

    nb::object self_;
    What what_;
    std::size_t next_ = 0, end_ = 0, at_ = 0, ahead_ = most / 2;
    std::uint64_t writes_ = 0; // of the container when they were taken
    std::array<slot_t, most> slots_;
    std::vector<nb::object> taken_;
};

template <class B>
PyObject* walk_next_slot(PyObject* self) {
    return guarded(static_cast<PyObject*>(nullptr), [&] { return nb::inst_ptr<Walk<B>>(self)->next().release().ptr(); });
}
/// For the collector of cycles, such as an object that has a walk over itself.
template <class B>
int walk_traverse_slot(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    return nb::inst_ready(self) ? nb::inst_ptr<Walk<B>>(self)->visit(visit, arg) : 0;
}
template <class B>
int walk_clear_slot(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<Walk<B>>(self)->end();
    return 0;
}
template <class B>
PyObject* iterate_slot(PyObject* self) {
    return guarded(static_cast<PyObject*>(nullptr), [&] {
        ready_box<B>(self);
        return nb::cast(Walk<B>(nb::borrow(self), Walk<B>::What::keys)).release().ptr();
    });
}

//=== many keys ===//

/// Keys for lookups: the key columns of a Source, or an iterable of Python objects. All are there before the first is looked up.
class ManyKeys {
public:
    /// @throws TypeError, ValueError that begin with `argument`
    ManyKeys(const KeyType& type, nb::handle source, const char* argument) : type_(&type) {
        if (is_columnar(source) || (type.is_tuple() && PyDict_Check(source.ptr()))) {
            Source in(source, argument, type.fields(), {}, Source::Missing::refused);
            for (;;) {
                Chunk& chunk = chunks_.emplace_back();
                if (!in.next(chunk)) break;
                keys_.emplace_back(type, chunk);
                size_ += keys_.back().size();
            }
            chunks_.pop_back();
            return;
        }
        if (!is_iterable(source) || PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr()))
            raise_type(argument, "an array, an Arrow source or an iterable of keys", source);
        objects_ = nb::steal(PySequence_Tuple(source.ptr()));
        if (!objects_.is_valid()) raise_again();
        size_ = static_cast<std::size_t>(PyTuple_GET_SIZE(objects_.ptr()));
        found_.reserve(size_);
        for (std::size_t i = 0; i != size_; ++i) found_.push_back(Key::find(type, object(i)));
    }
    ManyKeys(const ManyKeys&) = delete;
    ManyKeys& operator=(const ManyKeys&) = delete;

    std::size_t size() const noexcept { return size_; }
    /// The slot of each, no_slot where it is no member. No Python is called.
    template <class Set>
    void slots_in(const Set& set, std::vector<slot_t>& slots) const {
        slots.resize(size_);
        if (objects_.is_valid()) {
            for (std::size_t i = 0; i != size_; ++i) slots[i] = found_[i] ? set.slot_of(found_[i]->address()) : no_slot;
            return;
        }
        slot_t* to = slots.data();
        for (const Keys& keys : keys_) {
            find_each(set, keys, [to](std::size_t i, slot_t slot) { to[i] = slot; });
            to += keys.size();
        }
    }
    /// A key as a Python object, for messages.
    nb::object key(std::size_t i) const {
        if (objects_.is_valid()) return nb::borrow(object(i));
        for (const Keys& keys : keys_) {
            if (i < keys.size()) {
                KeyRoom room;
                return type_->object(keys.at(i, room));
            }
            i -= keys.size();
        }
        return nb::none();
    }

    /// found(i, slot) for each key of a chunk.
    template <class Set, class Found>
    static void find_each(const Set& set, const Keys& keys, Found&& found) {
        if (const std::uint64_t* const numbers = keys.numbers()) {
            set.find_each(
                keys.size(), [numbers](std::size_t i) -> const void* { return numbers + i; }, found);
            return;
        }
        std::array<KeyRoom, Set::lookahead> rooms;
        set.find_each(
            keys.size(), [&](std::size_t i) { return keys.at(i, rooms[i % Set::lookahead]); }, found);
    }

private:
    nb::handle object(std::size_t i) const { return PyTuple_GET_ITEM(objects_.ptr(), static_cast<Py_ssize_t>(i)); }

    const KeyType* type_;
    std::size_t size_ = 0;
    std::deque<Chunk> chunks_;
    std::deque<Keys> keys_;
    nb::object objects_;
    std::vector<std::optional<Key>> found_;
};

/// The values of many keys: an array of a schema that is no record, else a dict of arrays. @param missing "raise" or "null"
template <class B>
nb::object get_many(const B& box, nb::handle source, nb::handle missing) {
    const std::string how = text_from(missing, "missing");
    if (how != "raise" && how != "null") raise(PyExc_ValueError, "missing: 'raise' or 'null' is needed, not '" + how + "'");
    const ManyKeys keys(*box.key, source, "keys");
    Frame frame;
    std::vector<slot_t> slots;
    std::size_t absent = static_cast<std::size_t>(-1);
    read_all(box, [&](const auto& c) {
        keys.slots_in(c.keys(), slots);
        if (how == "raise")
            for (std::size_t i = 0; i != slots.size(); ++i)
                if (slots[i] == no_slot) {
                    absent = i;
                    return;
                }
        bool any_without = false;
        for (slot_t& slot : slots)
            if (slot != no_slot && !c.has_value(slot)) {
                slot = no_slot;
                any_without = true;
            }
        for (Field field : box.value->fields()) {
            // With "null" it does not change what comes that all are there.
            field.nullable = field.nullable || how == "null" || any_without;
            frame.gather(field, c.columns().data(field), c.columns().validity(field), slots);
        }
    });
    if (absent != static_cast<std::size_t>(-1))
        raise(PyExc_KeyError, "keys: " + repr_of(keys.key(absent)) + " at position " + std::to_string(absent) +
                                  " is no member; missing='null' masks it");
    if (box.value->is_record()) return frame.numpy();
    return frame.numpy(box.value->fields()[0].path);
}

/// Whether each key is a member: an array of bool.
template <class B>
nb::object contains_many(const B& box, nb::handle source) {
    const ManyKeys keys(*box.key, source, "keys");
    auto flags = std::make_unique<std::vector<std::uint8_t>>(keys.size());
    read_all(box, [&](const auto& c) {
        std::vector<slot_t> slots;
        keys.slots_in(c.keys(), slots);
        for (std::size_t i = 0; i != slots.size(); ++i) (*flags)[i] = slots[i] != no_slot;
    });
    const auto* const data = reinterpret_cast<const bool*>(flags->data());
    const std::size_t size = flags->size();
    return to_array(data, size, std::move(flags));
}

//=== columns and frames ===//

/// Where a column lies, of keys (then `field` is null and the frame unpacks them), of the schema, or beside them.
struct ColumnPlace {
    const Field* field = nullptr;
    const void* data = nullptr;
    const std::uint8_t* valid = nullptr;
};
inline std::string joined(std::span<const Field> fields) {
    std::string names;
    for (const Field& field : fields) names += (names.empty() ? "'" : ", '") + field.path + "'";
    return names;
}
template <class B>
[[noreturn]] void raise_no_column(const B& box, nb::handle name) {
    raise(PyExc_KeyError, "name: there is no column " + repr_of(name) + "; there are " + joined(box.key->fields()) +
                              (box.value == nullptr ? std::string() : ", " + joined(box.value->fields())));
}
/// Calls f(place) under the lock for the column `name`. @throws KeyError
template <class B, class F>
void with_column(const B& box, nb::handle name_argument, F&& f) {
    const std::string name = text_from(name_argument, "name");
    const Field* field = nullptr;
    bool is_key = false;
    for (const Field& each : box.key->fields()) is_key = is_key || each.path == name;
    if (!is_key && box.value != nullptr) field = box.value->find(name);
    bool known = true;
    read_all(box, [&](const auto& c) {
        if (is_key) return f(c, name, ColumnPlace{});
        if (field != nullptr) return f(c, name, ColumnPlace{field, c.columns().data(*field), c.columns().validity(*field)});
        if (const auto extra = c.extra(name)) return f(c, name, ColumnPlace{&extra->field, extra->data, nullptr});
        known = false;
    });
    if (!known) raise_no_column(box, name_argument);
}
inline const void* moved_by(const void* data, std::size_t bytes) {
    return data == nullptr ? nullptr : static_cast<const std::byte*>(data) + bytes;
}

/// column(name, copy): a view where live slots are one run, else copied.
template <class B>
nb::object column_of(const B& box, nb::handle name, nb::handle copy_argument) {
    const Copy copy = copy_of(copy_argument);
    Frame frame;
    std::string path;
    const char* refused = nullptr;
    with_column(box, name, [&](const auto& c, const std::string& named, const ColumnPlace& place) {
        path = named;
        const Occupancy live = c.keys().occupancy();
        const bool is_key = place.field == nullptr;
        std::size_t runs = 0;
        Run run;
        for_each_run(live, [&](Run next) { run = next, ++runs; });
        if (copy == Copy::never) {
            if (is_key ? !box.key->is_int() : place.field->is_text())
                refused = "texts are no array that NumPy has a view of";
            else if (runs > 1)
                refused = "live slots have holes between them";
            if (refused != nullptr) return;
        }
        if (is_key) {
            frame.add(*box.key, key_data(c), live, box.data.pin());
            return;
        }
        if constexpr (requires { c.all_have_values(); })
            if (box.value->find(named) == place.field && !c.all_have_values()) {
                if (copy == Copy::never) {
                    refused = "a member has no value, which is masked in the array";
                    return;
                }
                Field field = *place.field;
                field.nullable = true;
                frame.gather(field, place.data, place.valid, c.slots_with_values());
                return;
            }
        if (runs <= 1 && copy != Copy::always) {
            frame.add(*place.field, moved_by(place.data, run.first * place.field->size()),
                      static_cast<const std::uint8_t*>(moved_by(place.valid, run.first)), run.size(), box.data.pin());
            return;
        }
        std::vector<slot_t> slots;
        slots.reserve(c.keys().size());
        for (const slot_t slot : c.keys().live_slots()) slots.push_back(slot);
        frame.gather(*place.field, place.data, place.valid, slots);
    });
    if (refused != nullptr) raise_copy_needed(refused);
    nb::object array = frame.numpy(path);
    if (copy == Copy::always && !array.attr("flags")["OWNDATA"].is(nb::cast(true))) return call(array.attr("copy"));
    return array;
}
/// chunks(name): a view for each run of live slots.
template <class B>
nb::list chunks_of(const B& box, nb::handle name) {
    std::vector<Frame> frames;
    std::string path;
    bool texts = false;
    with_column(box, name, [&](const auto& c, const std::string& named, const ColumnPlace& place) {
        path = named;
        const bool is_key = place.field == nullptr;
        texts = is_key ? !box.key->is_int() : place.field->is_text();
        if (texts) return;
        const Field& field = is_key ? box.key->fields()[0] : *place.field;
        const void* const data = is_key ? key_data(c) : place.data;
        std::shared_ptr<const void> owner;
        for_each_run(c.keys().occupancy(), [&](Run run) {
            if (owner == nullptr) owner = box.data.pin();
            frames.emplace_back().add(field, moved_by(data, run.first * field.size()),
                                      static_cast<const std::uint8_t*>(moved_by(place.valid, run.first)), run.size(), owner);
        });
    });
    if (texts) raise(PyExc_TypeError, "name: texts are no arrays that NumPy has views of; take column(" + repr_of(name) + ")");
    nb::list arrays;
    for (const Frame& frame : frames) arrays.append(frame.numpy(path));
    return arrays;
}
template <class B>
Frame frame_of(const B& box) {
    Frame frame;
    read_all(box, [&](const auto& c) { c.add_to(frame, box.data.pin()); });
    return frame;
}

//=== binding ===//

/// What all classes with keys have. {C} of `words` is the name of the class. Type slots are those of keyed_slots().
template <class B>
void bind_keyed_reads(nb::module_& m, nb::class_<B>& cls, const Words& words) {
    using W = Walk<B>;
    static const PyType_Slot walk_slots[] = {{Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                                             {Py_tp_iternext, reinterpret_cast<void*>(&walk_next_slot<B>)},
                                             {Py_tp_traverse, reinterpret_cast<void*>(&walk_traverse_slot<B>)},
                                             {Py_tp_clear, reinterpret_cast<void*>(&walk_clear_slot<B>)},
                                             {0, nullptr}};
    nb::class_<W>(m, words("_{C}Walk"), nb::type_slots(walk_slots));
    cls.def(
        "_walk_values", [](nb::handle self) { return box_of<B>(self), W(nb::borrow(self), W::What::values); },
        nb::sig("def _walk_values(self) -> collections.abc.Iterator[typing.Any]"));
    cls.def(
        "_walk_items", [](nb::handle self) { return box_of<B>(self), W(nb::borrow(self), W::What::items); },
        nb::sig("def _walk_items(self) -> collections.abc.Iterator[tuple[typing.Any, typing.Any]]"));
    cls.def(
        "contains_many", [](const B& self, nb::handle keys) { return contains_many(self, keys); }, argument("keys"),
        nb::sig("def contains_many(self, keys: typing.Any) -> numpy.typing.NDArray[numpy.bool_]"),
        "Whether each of `keys` is a member: an array of bool of shape (len(keys),). Keys are a NumPy array, anything with "
        "__arrow_c_stream__ or __arrow_c_array__, or an iterable of Python objects; of tuples a frame or a dict of columns.");
    cls.def(
        "column", [](const B& self, nb::handle name, nb::handle copy) { return column_of(self, name, copy); },
        argument("name", words("{D}")), argument("copy", nb::none()),
        words.sig("def column(self, name: str = '{D}', copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"),
        "A read-only array of shape (len(self),), or (len(self), n) of lists, in the order of iteration. Texts are an array of "
        "objects; a nullable column is a numpy.ma.MaskedArray.\n\n"
        "It is a view of the container's memory when live slots have no holes (no erase since they were filled) and values are "
        "numbers, booleans or times, and then pins the container, see on_write; otherwise a copy. copy=False raises ValueError "
        "instead of copying, copy=True always copies. Raises KeyError when there is no such column.");
    cls.def(
        "chunks", [](const B& self, nb::handle name) { return chunks_of(self, name); }, argument("name", words("{D}")),
        words.sig("def chunks(self, name: str = '{D}') -> list[numpy.typing.NDArray[typing.Any]]"),
        "Read-only views, one for each run of live slots; none is a copy. They pin the container. Raises TypeError for texts.");
    bind_frames(cls, [](const B& self) { return frame_of(self); });
    cls.def(
        "memory_usage", [](const B& self) { return read(self, [](const auto& c) { return c.memory_usage(); }); },
        nb::sig("def memory_usage(self) -> int"), "Bytes that keys, values and the index take, without long texts.");
    bind_pins(cls);
}
/// get_many() of what has values.
template <class B>
void bind_get_many(nb::class_<B>& cls) {
    cls.def(
        "get_many", [](const B& self, nb::handle keys, nb::handle missing) { return get_many(self, keys, missing); },
        argument("keys"), argument("missing", "raise"),
        nb::sig("def get_many(self, keys: typing.Any, missing: typing.Literal['raise', 'null'] = 'raise') -> typing.Any"),
        "The values of many keys: an array of shape (len(keys),) in their order, of a record a dict of arrays by column. Keys "
        "are "
        "as of contains_many(). Raises KeyError that names the first key that is no member, and its position; missing='null' "
        "masks it instead (numpy.ma.MaskedArray).");
}

} // namespace slotwise_python

#endif
