// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Map and Set: one engine for all types of keys and values.
#include "keyed.hpp"
#include "parts.hpp"

#include <slotwise/core/detail/xxh3.hpp>

namespace slotwise_python {
namespace {

/// Keys with columns by slot: what a Map holds, and a Set, whose columns follow nothing.
class Keyed {
public:
    using Table = slotwise::BasicAnySetStorage<Columns, slotwise::AllocBy<Moving<std::byte>>>;

    /// @param value null of a set
    Keyed(std::shared_ptr<const KeyType> key, std::shared_ptr<const Schema> value)
        : key_(std::move(key)), table_(key_->type()), has_columns_(value != nullptr) {
        if (has_columns_) columns().init(std::move(value));
    }
    const Table& keys() const noexcept { return table_; }
    Table& keys() noexcept { return table_; }
    const Columns& columns() const noexcept { return table_.observer<Columns>(); }
    Columns& columns() noexcept { return table_.observer<Columns>(); }
    static constexpr bool has_value(slot_t) noexcept { return true; }
    static std::optional<ExtraColumn> extra(const std::string&) noexcept { return std::nullopt; }
    void add_to(Frame& frame, std::shared_ptr<const void> owner) const {
        const Occupancy live = table_.occupancy();
        frame.add(*key_, key_data(*this), live, owner);
        if (has_columns_) frame.add(columns(), live, std::move(owner));
    }
    std::size_t memory_usage() const noexcept { return table_.memory_usage() + (has_columns_ ? columns().memory_usage() : 0); }
    bool has_columns() const noexcept { return has_columns_; }

    /// Whether both have the same keys with equal values. @pre equal types
    bool equal(const Keyed& other) const {
        if (table_.size() != other.table_.size()) return false;
        for (const slot_t slot : table_.live_slots()) {
            const slot_t there = other.table_.slot_of(table_.key(slot));
            if (there == no_slot || (has_columns_ && !columns().equal(slot, other.columns(), there))) return false;
        }
        return true;
    }

    //=== bytes ===//

    // A snapshot: mark; texts of the types of keys and values, each after its size; number of keys; keys of 8 bytes, or the sizes
    // of all texts and then their bytes; the columns of Columns::save(); the checksum of all that. Elements are in the order of slots, and those of the
    // restored container have slots without holes. Numbers lie as the machine has them, which is little-endian.
    std::size_t snapshot_size() const {
        std::size_t bytes = sizeof mark + 3 * 8 + key_->spelled().size() + values_spelled().size();
        if (key_->is_int())
            bytes += 8 * table_.size();
        else
            each_text([&](const Text& key) { bytes += 4 + key.view().size(); });
        return bytes + (has_columns_ ? columns().saved_size(table_.occupancy()) : 0) + sizeof(std::uint64_t);
    }
    /// Writes snapshot_size() bytes, up to `end`.
    void snapshot(std::byte* to, const std::byte* end) const {
        const std::byte* const begin = to;
        const auto append = [&to](const void* data, std::size_t bytes) {
            if (bytes != 0) std::memcpy(to, data, bytes);
            to += bytes;
        };
        const auto append_text = [&](const std::string& text) {
            const std::uint64_t size = text.size();
            append(&size, 8);
            append(text.data(), text.size());
        };
        const std::uint64_t count = table_.size();
        append(mark, sizeof mark);
        append_text(key_->spelled());
        append_text(values_spelled());
        append(&count, 8);
        if (key_->is_int()) {
            const auto* const data = static_cast<const std::byte*>(key_data(*this));
            for_each_run(table_.occupancy(), [&](Run run) { append(data + 8 * run.first, 8 * run.size()); });
        } else {
            std::byte* size_to = to;
            to += 4 * count;
            each_text([&](const Text& key) {
                const std::string_view text = key.view();
                const auto length = static_cast<std::uint32_t>(text.size());
                std::memcpy(size_to, &length, 4);
                size_to += 4;
                if (length <= Text::most_inside &&
                    end - to >= 16) { // a copy of fixed size is no call; the rest is written over
                    std::memcpy(to, text.data(), Text::most_inside);
                    to += length;
                } else
                    append(text.data(), length);
            });
        }
        if (has_columns_) to = columns().save(table_.occupancy(), to);
        const std::uint64_t sum = slotwise::detail::Xxh3::of(begin, static_cast<std::size_t>(to - begin));
        append(&sum, sizeof sum);
    }
    /// Fills this container, which is new. @throws std::invalid_argument that says what is wrong with the bytes
    void load(std::span<const std::byte> bytes) {
        const auto take = [&bytes](std::size_t count) {
            if (bytes.size() < count) throw std::invalid_argument("data: the snapshot ends too early");
            const std::byte* const data = bytes.data();
            bytes = bytes.subspan(count);
            return data;
        };
        const auto take_number = [&] {
            std::uint64_t number;
            std::memcpy(&number, take(8), 8);
            return number;
        };
        const auto expect_text = [&](const std::string& expected, const char* what) {
            const std::uint64_t size = take_number();
            if (size > bytes.size()) throw std::invalid_argument("data: the snapshot ends too early");
            const std::string found(reinterpret_cast<const char*>(take(size)), size);
            if (found != expected)
                throw std::invalid_argument(std::string("data: the snapshot has ") + what + " of another type: '" +
                                            found.substr(0, 200) + "', not '" + expected.substr(0, 200) + "'");
        };
        if (std::memcmp(take(sizeof mark), mark, sizeof mark) != 0)
            throw std::invalid_argument("data: these bytes are no snapshot of a Map or a Set");
        if (bytes.size() < sizeof(std::uint64_t)) throw std::invalid_argument("data: the snapshot ends too early");
        const std::span<const std::byte> sealed(bytes.data() - sizeof mark, bytes.size() + sizeof mark - sizeof(std::uint64_t));
        std::uint64_t sum = 0;
        std::memcpy(&sum, sealed.data() + sealed.size(), sizeof sum);
        if (sum != slotwise::detail::Xxh3::of(sealed))
            throw std::invalid_argument("data: the checksum of the snapshot is another: bytes are damaged, or missing");
        bytes = bytes.first(bytes.size() - sizeof sum);
        expect_text(key_->spelled(), "keys");
        expect_text(values_spelled(), "values");
        const std::uint64_t count = take_number();
        if (count > bytes.size() / 4) throw std::invalid_argument("data: the snapshot ends too early");
        if (count > most_slots) throw std::invalid_argument("data: the snapshot has more elements than fit");
        table_.reserve(count);
        bool twice = false;
        const auto done = [&](std::size_t, slot_t, bool inserted) { twice = twice || !inserted; };
        if (key_->is_int()) {
            const std::byte* const keys = take(8 * count);
            std::array<std::uint64_t, Table::lookahead> room; // the bytes need not be aligned
            table_.insert_each(
                count,
                [&](std::size_t i) -> const void* {
                    std::uint64_t& to = room[i % Table::lookahead];
                    std::memcpy(&to, keys + 8 * i, 8);
                    return &to;
                },
                done);
        } else {
            const std::byte* const sizes = take(4 * count);
            const auto size_of = [sizes](std::size_t i) {
                std::uint32_t size;
                std::memcpy(&size, sizes + 4 * i, 4);
                return size;
            };
            std::uint64_t all = 0;
            for (std::size_t i = 0; i != count; ++i) all += size_of(i);
            if (all > bytes.size()) throw std::invalid_argument("data: the snapshot ends too early");
            const auto* at = reinterpret_cast<const char*>(take(all));
            std::array<BorrowedText, Table::lookahead> room{};
            bool sound = true;
            table_.insert_each(
                count,
                [&](std::size_t i) -> const void* {
                    BorrowedText& to = room[i % Table::lookahead];
                    const std::uint32_t size = size_of(i);
                    to = BorrowedText({at, size});
                    at += size;
                    sound = sound && key_->is_sound(&to.text());
                    return &to.text();
                },
                done);
            if (!sound) throw std::invalid_argument("data: a key of the snapshot is no text in UTF-8, or no tuple of its type");
        }
        if (twice) throw std::invalid_argument("data: a key of the snapshot occurs twice");
        if (has_columns_)
            columns().load(table_.occupancy(), bytes);
        else if (!bytes.empty())
            throw std::invalid_argument("data: there are bytes after the end of the snapshot");
    }

private:
    static constexpr char mark[8] = {'S', 'W', 'k', 'e', 'y', 'e', 'd', '1'};
    std::string values_spelled() const { return has_columns_ ? columns().schema().spelled() : std::string(); }
    /// f(key) for each key, in the order of slots. @pre keys are no ints
    template <class F>
    void each_text(F&& f) const {
        const auto* const texts = static_cast<const Text*>(key_data(*this));
        for_each_run(table_.occupancy(), [&](Run run) {
            for (std::size_t slot = run.first; slot != run.last; ++slot) f(texts[slot]);
        });
    }

    std::shared_ptr<const KeyType> key_;
    Table table_;
    bool has_columns_;
};

using Any = KeyedBox<Keyed>;
struct MapBox : Any {
    using Any::Any;
};
struct SetBox : Any {
    using Any::Any;
};

Keyed fresh(const Any& box) { return {box.key, box.value}; }
/// Replaces the whole contents; views keep the old ones, which need not be copied for that.
void replace(Any& box, Keyed&& by) {
    at_length(box, [&] {
        expect_writable(box);
        box.data = slotwise::Exportable<Keyed>(std::move(by));
    });
}

//=== one element ===//

/// A value on its way in: 8 bytes, or a Row.
class ValueIn {
public:
    ValueIn(const Any& box, nb::handle value, const char* argument) {
        if (box.quick_value != QuickValue::none)
            assign_leaf(box.value->fields()[0], &bits_, value, argument);
        else
            row_.emplace(*box.value).take(value, argument);
    }
    void write(Columns& columns, slot_t slot) noexcept {
        if (row_)
            columns.write(slot, *row_);
        else
            std::memcpy(columns.at(columns.schema().fields()[0], slot), &bits_, 8);
    }

private:
    std::uint64_t bits_ = 0;
    std::optional<Row> row_;
};

void set_item(Any& box, nb::handle key_object, nb::handle value_object) {
    ValueIn value(box, value_object, "value");
    const auto store = [&](const void* key) {
        write(box, [&](Keyed& c) { value.write(c.columns(), c.keys().insert(key).it.slot()); });
    };
    if (box.quick_key != QuickKey::none) { // Key::from would make the same of these, and more slowly
        const LookupKey quick(*box.key, box.quick_key, key_object, LookupKey::only_quick);
        if (quick.address() != nullptr) return store(quick.address());
    }
    store(Key::from(*box.key, key_object, "key").address());
}
/// @return false when it was no member
bool erase_item(Any& box, nb::handle key) {
    const LookupKey look(*box.key, box.quick_key, key);
    return write(box, [&](Keyed& c) { return look.address() != nullptr && c.keys().erase(look.address()); });
}
int assign_slot(PyObject* self, PyObject* key, PyObject* value) {
    return guarded(-1, [&] {
        Any& box = ready_box<Any>(self);
        if (value != nullptr) {
            set_item(box, key, value);
        } else if (!erase_item(box, key)) {
            raise_absent(key);
        }
        return 0;
    });
}

/// Fields of the first level that `fields` gives; a new key needs all of them.
void set_fields(Any& box, nb::handle key_object, nb::handle fields) {
    Row row(*box.value);
    row.take_named(fields);
    const Key key = Key::from(*box.key, key_object, "key");
    std::string missing;
    std::size_t lacking = 0;
    for (const Field& field : box.value->fields())
        if (!row.has(field.number) && !field.nullable) missing += (lacking++ == 0 ? "'" : ", '") + field.path + "'";
    const bool complete = lacking == 0;
    const bool done = write(box, [&](Keyed& c) {
        slot_t slot = c.keys().slot_of(key.address());
        if (slot == no_slot) {
            if (!complete) return false;
            slot = c.keys().insert(key.address()).it.slot();
        }
        c.columns().write(slot, row);
        return true;
    });
    if (done) return;
    raise(PyExc_ValueError, "key: " + repr_of(key_object) + " is no member yet, and a new one needs all fields; " + missing +
                                (lacking == 1 ? " is missing" : " are missing"));
}

/// Erases the key and returns its value, or a null object when it was no member.
nb::object pop_item(Any& box, nb::handle key) {
    const LookupKey look(*box.key, box.quick_key, key);
    Row row(*box.value);
    const bool found = write(box, [&](Keyed& c) {
        const slot_t slot = slot_of(c, look.address());
        if (slot == no_slot) return false;
        copy_row(row, c.columns(), slot);
        return c.keys().erase(c.keys().key(slot));
    });
    return found ? row.object() : nb::object();
}
/// Erases the last element in the order of slots. Key and value; of a set null in place of the value.
std::pair<nb::object, nb::object> pop_last(Any& box) {
    std::optional<Row> row;
    if (box.value != nullptr) row.emplace(*box.value);
    std::uint64_t number = 0;
    Text text;
    const bool found = write(box, [&](Keyed& c) {
        const Occupancy live = c.keys().occupancy();
        const slot_t slot = live.find_previous(live.size());
        if (slot == no_slot) return false;
        const void* const key = c.keys().key(slot);
        if (box.key->is_int())
            std::memcpy(&number, key, 8);
        else
            text = *static_cast<const Text*>(key);
        if (row) copy_row(*row, c.columns(), slot);
        return c.keys().erase(key);
    });
    if (!found) return {};
    return {box.key->object(box.key->is_int() ? static_cast<const void*>(&number) : &text), row ? row->object() : nb::object()};
}
nb::object set_default(Any& box, nb::handle key_object, nb::handle otherwise) {
    if (nb::object value = value_or_null(box, key_object); value.is_valid()) return value;
    if (PyErr_Occurred() != nullptr) raise_again();
    const Key key = Key::from(*box.key, key_object, "key");
    ValueIn value(box, otherwise, "default");
    write(box, [&](Keyed& c) {
        const auto put = c.keys().insert(key.address()); // another thread may have been faster
        if (put.inserted) value.write(c.columns(), put.it.slot());
    });
    return value_or_null(box, key_object);
}

//=== many elements ===//

/// Pairs of a mapping or an iterable: all are converted before the first is written.
void update_pairs(Any& box, nb::handle source) {
    std::vector<nb::object> kept; // what keys borrow from
    std::vector<Key> keys;
    std::vector<std::uint64_t> bits; // of quick values
    std::deque<Row> rows;            // of all others
    const bool quick = box.quick_value != QuickValue::none;
    each_pair(source, "a mapping, an iterable of (key, value), or an Arrow source", [&](nb::handle key, nb::handle value) {
        keys.push_back(Key::from(*box.key, key, "key"));
        kept.push_back(nb::borrow(key));
        if (quick)
            assign_leaf(box.value->fields()[0], &bits.emplace_back(), value, "value");
        else
            rows.emplace_back(*box.value).take(value, "value");
    });
    if (keys.empty()) return expect_writable(box);
    write_all(box, [&](Keyed& c) {
        const auto key_at = [&keys](std::size_t i) { return keys[i].address(); };
        auto row = rows.begin();
        if (quick)
            c.keys().insert_each(keys.size(), key_at, [&](std::size_t i, slot_t slot, bool) {
                std::memcpy(c.columns().at(box.value->fields()[0], slot), &bits[i], 8);
            });
        else
            c.keys().insert_each(keys.size(), key_at, [&](std::size_t, slot_t slot, bool) { c.columns().write(slot, *row++); });
    });
}
void update_keys(Any& box, nb::handle source) {
    std::vector<nb::object> kept;
    std::vector<Key> keys;
    each_item(source, "keys", "an array, an Arrow source or an iterable of keys", [&](nb::handle key) {
        keys.push_back(Key::from(*box.key, key, "keys"));
        kept.push_back(nb::borrow(key));
    });
    if (keys.empty()) return expect_writable(box);
    write_all(box, [&](Keyed& c) {
        c.keys().insert_each(
            keys.size(), [&](std::size_t i) { return keys[i].address(); }, [](std::size_t, slot_t, bool) {});
    });
}
/// Slots of the chunk's keys, which become members. Calls insert_each in the way that fits the keys.
void insert_keys(Keyed& c, const Keys& keys, std::vector<slot_t>& slots) {
    slots.resize(keys.size());
    const auto done = [&slots](std::size_t i, slot_t slot, bool) { slots[i] = slot; };
    if (const std::uint64_t* const numbers = keys.numbers()) {
        c.keys().insert_each(
            keys.size(), [numbers](std::size_t i) -> const void* { return numbers + i; }, done);
        return;
    }
    std::array<KeyRoom, Keyed::Table::lookahead> rooms{};
    c.keys().insert_each(
        keys.size(), [&](std::size_t i) { return keys.at(i, rooms[i % Keyed::Table::lookahead]); }, done);
}
/// Chunk by chunk. @param progress called with the number of rows after each chunk, or None
void update_source(Any& box, nb::handle object, const char* argument, nb::handle progress) {
    if (!progress.is_none() && PyCallable_Check(progress.ptr()) == 0)
        raise_type("progress", "a function of a number, as the method update of a tqdm,", progress);
    const std::span<const Field> fields = box.value == nullptr ? std::span<const Field>() : box.value->fields();
    Source source(object, argument, box.key->fields(), fields, Source::Missing::allowed);
    Chunk chunk;
    std::vector<slot_t> slots;
    bool first = true;
    while (source.next(chunk)) {
        const Keys keys(*box.key, chunk);
        const Field* lacking = nullptr;
        for (const Field& field : fields)
            if (!field.nullable && chunk.find(field) == nullptr) lacking = &field;
        std::size_t unknown = static_cast<std::size_t>(-1);
        write_all(box, [&](Keyed& c) {
            if (lacking != nullptr) {
                ManyKeys::find_each(c.keys(), keys, [&](std::size_t i, slot_t slot) {
                    if (slot == no_slot && i < unknown) unknown = i;
                });
                if (unknown != static_cast<std::size_t>(-1)) return;
            }
            if (first && c.keys().empty()) c.keys().reserve(source.rows().value_or(keys.size()));
            insert_keys(c, keys, slots);
            if (c.has_columns()) c.columns().write(slots, chunk);
        });
        if (unknown != static_cast<std::size_t>(-1)) {
            KeyRoom room;
            raise(PyExc_ValueError, std::string(argument) + ": there is no column '" + lacking->path + "', and the key " +
                                        repr_of(box.key->object(keys.at(unknown, room))) +
                                        " is no member yet: a new one needs all columns");
        }
        first = false;
        if (!progress.is_none()) nb::object(nb::borrow(progress))(keys.size());
    }
    if (first) expect_writable(box);
}
std::size_t erase_many(Any& box, nb::handle source) {
    const ManyKeys keys(*box.key, source, "keys");
    return write_all(box, [&](Keyed& c) {
        std::vector<slot_t> slots;
        keys.slots_in(c.keys(), slots);
        std::size_t erased = 0;
        for (const slot_t slot : slots) // a key that comes twice has a slot that is free by then
            if (slot != no_slot && c.keys().occupancy().test(slot)) erased += c.keys().erase(c.keys().key(slot));
        return erased;
    });
}
/// Erases all but these.
void retain_many(Any& box, nb::handle source) {
    const ManyKeys keys(*box.key, source, "keys");
    write_all(box, [&](Keyed& c) {
        std::vector<slot_t> slots;
        keys.slots_in(c.keys(), slots);
        std::vector<bool> stays(c.keys().occupancy().size());
        for (const slot_t slot : slots)
            if (slot != no_slot) stays[slot] = true;
        for (const slot_t slot : c.keys().live_slots())
            if (!stays[slot]) c.keys().erase(c.keys().key(slot));
    });
}

//=== whole ===//

bool same_types(const Any& a, const Any& b) {
    return *a.key == *b.key && (a.value == nullptr) == (b.value == nullptr) && (a.value == nullptr || *a.value == *b.value);
}
/// True or False, or NotImplemented where the types differ.
template <class B>
nb::object equals(nb::handle a, nb::handle b) {
    const B& x = box_of<B>(a);
    const B* other = nullptr;
    if (!nb::try_cast(b, other, false) || other == nullptr || !same_types(x, *other)) return nb::borrow(Py_NotImplemented);
    if (&x == other) return nb::cast(true);
    return nb::cast(at_length_both(x, *other, [&] { return x.data.read().equal(other->data.read()); }));
}

template <class B>
void bind_common(nb::module_& m, nb::class_<B>& cls, const Words& words) {
    bind_keyed_reads(m, cls, words);
    cls.def(
        "_equals", [](nb::handle self, nb::handle other) { return equals<B>(self, other); }, argument("other"),
        nb::sig("def _equals(self, other: object) -> typing.Any"));
    cls.def(
        "_assign",
        [](B& self, const B& other) {
            if (!same_types(self, other)) raise(PyExc_TypeError, "other: an object of the same types is needed");
            std::optional<Keyed> copy;
            at_length(other, [&] { copy.emplace(other.data.read()); });
            replace(self, std::move(*copy));
        },
        argument("other"), words.sig("def _assign(self, other: {C}) -> None"));
    cls.def(
        "_update_source",
        [](B& self, nb::handle source, nb::handle progress) { update_source(self, source, "source", progress); },
        argument("source"), argument("progress", nb::none()),
        nb::sig("def _update_source(self, source: typing.Any, progress: typing.Any = None) -> None"));
    cls.def(
        "erase", [](B& self, nb::handle key) { return erase_item(self, key); }, argument("key"),
        nb::sig("def erase(self, key: typing.Any) -> bool"), "Removes the key. False when it was no member.");
    cls.def(
        "erase_many", [](B& self, nb::handle keys) { return erase_many(self, keys); }, argument("keys"),
        nb::sig("def erase_many(self, keys: typing.Any) -> int"),
        "Removes each of `keys`, which are as of contains_many(), and returns how many were members.");
    cls.def(
        "clear", [](B& self) { replace(self, fresh(self)); }, nb::sig("def clear(self) -> None"),
        "Removes every element and frees the memory.");
    cls.def(
        "reserve",
        [](B& self, nb::handle count) {
            const std::size_t room = count_from(count, "count", most_slots);
            write_all(self, [&](Keyed& c) { c.keys().reserve(room); });
        },
        argument("count"), nb::sig("def reserve(self, count: int) -> None"),
        "Makes room for `count` elements in all, so that inserts up to there allocate nothing but long texts. Raises "
        "OverflowError when more than 2**28 are asked for.");
    cls.def(
        "snapshot",
        [](const B& self) {
            return checked_bytes(read_all(self, [](const Keyed& c) {
                const std::size_t size = c.snapshot_size();
                return bytes_of(size, [&](std::byte* to) { c.snapshot(to, to + size); });
            }));
        },
        nb::sig("def snapshot(self) -> bytes"), "The contents as bytes, for restore() of an object of the same types.");
    cls.def(
        "restore",
        [](B& self, nb::handle data) {
            const Bytes bytes(data);
            Keyed loaded = fresh(self);
            {
                const GilReleased released;
                loaded.load(bytes.span());
            }
            replace(self, std::move(loaded));
        },
        argument("data"), nb::sig("def restore(self, data: bytes | bytearray | memoryview) -> None"),
        "Replaces the contents by those of a snapshot(). Every byte is checked before anything changes, that texts are UTF-8, "
        "too. Raises ValueError when they are no snapshot, or one of other types of keys and values.");
    cls.def_prop_ro(
        "key_type", [](const B& self) { return key_type_object(self.key); }, nb::sig("def key_type(self) -> typing.Any"),
        "What the keys are.");
    unhashable(cls);
    generic(cls);
}

} // namespace

void bind_keyed(nb::module_& m) {
    static const PyType_Slot map_slots[] = {type_slot(Py_mp_subscript, &subscript_slot<MapBox>),
                                            type_slot(Py_mp_ass_subscript, &assign_slot),
                                            type_slot(Py_mp_length, &length_slot<MapBox>),
                                            type_slot(Py_sq_contains, &contains_slot<MapBox>),
                                            type_slot(Py_tp_iter, &iterate_slot<MapBox>),
                                            traverse_slot<MapBox, &MapBox::value, 2>(), // and its Columns
                                            {0, nullptr}};
    nb::class_<MapBox> map(m, "Map", nb::type_slots(map_slots), nb::is_weak_referenceable(),
                           "What slotwise.Map is made of: use that.");
    map.def(
        "__init__",
        [](MapBox* self, nb::handle key, nb::handle value, nb::handle on_write) {
            auto key_type = key_type_from(key, "key");
            auto schema = schema_from(value, "value");
            const OnWrite chosen = on_write_of(on_write);
            expect_other_names(*key_type, schema.get());
            Keyed container(key_type, schema);
            new (self) MapBox(std::move(key_type), std::move(schema), std::move(container));
            self->on_write = chosen;
        },
        argument("key"), argument("value"), argument("on_write", "detach"),
        nb::sig("def __init__(self, key: typing.Any, value: typing.Any, on_write: str = 'detach') -> None"));
    const Words words({{"{C}", "Map"}, {"{D}", "value"}});
    bind_common(m, map, words);
    bind_get_many(map);
    map.def(
        "get",
        [](const MapBox& self, nb::handle key, nb::handle otherwise) {
            nb::object value = value_or_null(self, key);
            if (value.is_valid()) return value;
            if (PyErr_Occurred() != nullptr) raise_again();
            return nb::borrow(otherwise);
        },
        argument("key"), argument("default", nb::none()),
        nb::sig("def get(self, key: typing.Any, default: typing.Any = None, /) -> typing.Any"),
        "The value, or `default` when the key is no member.");
    map.def(
        "_set_fields", [](MapBox& self, nb::handle key, nb::handle fields) { set_fields(self, key, fields); }, argument("key"),
        argument("fields"), nb::sig("def _set_fields(self, key: typing.Any, fields: dict[str, typing.Any]) -> None"));
    map.def(
        "_update_pairs", [](MapBox& self, nb::handle source) { update_pairs(self, source); }, argument("source"),
        nb::sig("def _update_pairs(self, source: typing.Any) -> None"));
    map.def(
        "pop",
        [](MapBox& self, nb::handle key, nb::args otherwise) -> nb::object {
            if (otherwise.size() > 1)
                raise(PyExc_TypeError,
                      "pop(): a key and a default are needed, not " + std::to_string(1 + otherwise.size()) + " arguments");
            nb::object value = pop_item(self, key);
            if (value.is_valid()) return value;
            if (otherwise.size() != 0) return otherwise[0];
            raise_absent(key);
        },
        argument("key"), nb::arg("otherwise"),
        nb::sig("def pop(self, key: typing.Any, default: typing.Any = ..., /) -> typing.Any"),
        "Removes the key and returns its value; without the key returns `default`, or raises KeyError.");
    map.def(
        "popitem",
        [](MapBox& self) {
            auto [key, value] = pop_last(self);
            if (!key.is_valid()) raise(PyExc_KeyError, "popitem(): the map is empty");
            return nb::make_tuple(key, value);
        },
        nb::sig("def popitem(self) -> tuple[typing.Any, typing.Any]"),
        "Removes the last element in the order of iteration and returns it as a pair. Raises KeyError when there is none.");
    map.def(
        "setdefault", [](MapBox& self, nb::handle key, nb::handle otherwise) { return set_default(self, key, otherwise); },
        argument("key"), argument("default", nb::none()),
        nb::sig("def setdefault(self, key: typing.Any, default: typing.Any = None, /) -> typing.Any"),
        "The value; a key that is no member becomes one, with the value `default`.");
    map.def_prop_ro(
        "schema", [](const MapBox& self) { return schema_object(self.value); }, nb::sig("def schema(self) -> typing.Any"),
        "What the values are.");

    m.def(
        "_is_columnar", [](nb::handle source) { return is_columnar(source); }, argument("source"),
        nb::sig("def _is_columnar(source: object) -> bool"));

    static const PyType_Slot set_slots[] = {type_slot(Py_sq_length, &length_slot<SetBox>),
                                            type_slot(Py_sq_contains, &contains_slot<SetBox>),
                                            type_slot(Py_tp_iter, &iterate_slot<SetBox>),
                                            {0, nullptr}};
    nb::class_<SetBox> set(m, "Set", nb::type_slots(set_slots), nb::is_weak_referenceable(),
                           "What slotwise.Set is made of: use that.");
    set.def(
        "__init__",
        [](SetBox* self, nb::handle key, nb::handle on_write) {
            auto key_type = key_type_from(key, "key");
            const OnWrite chosen = on_write_of(on_write);
            Keyed container(key_type, nullptr);
            new (self) SetBox(std::move(key_type), nullptr, std::move(container));
            self->on_write = chosen;
        },
        argument("key"), argument("on_write", "detach"),
        nb::sig("def __init__(self, key: typing.Any, on_write: str = 'detach') -> None"));
    const Words set_words({{"{C}", "Set"}, {"{D}", "key"}});
    bind_common(m, set, set_words);
    set.def(
        "add",
        [](SetBox& self, nb::handle object) {
            const Key key = Key::from(*self.key, object, "key");
            write(self, [&](Keyed& c) { c.keys().insert(key.address()); });
        },
        argument("key"), nb::sig("def add(self, key: typing.Any) -> None"), "Makes the key a member.");
    set.def(
        "discard", [](SetBox& self, nb::handle key) { erase_item(self, key); }, argument("key"),
        nb::sig("def discard(self, key: typing.Any) -> None"), "Removes the key if it is a member.");
    set.def(
        "remove",
        [](SetBox& self, nb::handle key) {
            if (erase_item(self, key)) return;
            raise_absent(key);
        },
        argument("key"), nb::sig("def remove(self, key: typing.Any) -> None"),
        "Removes the key. Raises KeyError when it is no member.");
    set.def(
        "pop",
        [](SetBox& self) {
            nb::object key = pop_last(self).first;
            if (!key.is_valid()) raise(PyExc_KeyError, "pop(): the set is empty");
            return key;
        },
        nb::sig("def pop(self) -> typing.Any"),
        "Removes the last key in the order of iteration and returns it. Raises KeyError when there is none.");
    set.def(
        "_update_keys", [](SetBox& self, nb::handle keys) { update_keys(self, keys); }, argument("keys"),
        nb::sig("def _update_keys(self, keys: typing.Any) -> None"));
    set.def(
        "_retain_many", [](SetBox& self, nb::handle keys) { retain_many(self, keys); }, argument("keys"),
        nb::sig("def _retain_many(self, keys: typing.Any) -> None"));
}

} // namespace slotwise_python
