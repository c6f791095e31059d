// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series and SeriesSet: windows, deltas, replicas. What reads them by key is in keyed.hpp.
#include "delta.hpp"
#include "parts.hpp"

#include <slotwise/arrow/detail/exported_structs.hpp>
#include <slotwise/arrow/fields.hpp>
#include <slotwise/arrow/py_capsule.hpp>

#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>

namespace slotwise_python {
namespace {

using DeltaPointer = std::shared_ptr<const DeltaData>;

/// What _core.Delta holds.
struct Delta {
    DeltaPointer data;
};

/// A series, the window before the open one, and deltas of closed windows that subscribers have not got yet.
template <class C>
struct SeriesBox : KeyedBox<C> {
    SeriesBox(std::shared_ptr<const KeyType> keys, std::shared_ptr<const Schema> values)
        : KeyedBox<C>(keys, values, C(keys, values)) {}
    std::shared_ptr<DeltaData> new_delta() const {
        auto delta = std::make_shared<DeltaData>();
        delta->key_type = this->key;
        delta->schema = this->value;
        return delta;
    }

    Time previous = never;               ///< the window before the open one
    bool knows_previous = true;          ///< false in the window where a delta replaced everything
    bool closed = false;                 ///< the open window is closed: subscribers have its delta
    bool watched = false;                ///< there are subscribers
    std::atomic<bool> has_ended = false; ///< whether `ended` has some
    std::vector<DeltaPointer> ended;
};

inline Time time_from(nb::handle time) {
    const Time result = Py<Time>::from(time, "time");
    if (result == never) raise(PyExc_ValueError, "time: -2**63 stands for \"never\", at which nothing can be written");
    return result;
}
inline nb::object time_to(Time time) { return time == never ? nb::none() : nb::cast(time); }

//=== windows ===//

/// Captures the open window for the subscribers, unless it is closed. Under the lock.
template <class C>
void end_window(SeriesBox<C>& box) {
    const C& series = box.data.read();
    if (!box.watched || box.closed || series.window() == never) return;
    const auto delta = box.new_delta();
    capture_window(series, *delta);
    delta->since = box.previous;
    box.ended.push_back(delta);
    box.has_ended.store(true, std::memory_order_relaxed);
}
/// @throws std::invalid_argument when nothing can be written at `time` any more. Under the lock
template <class C>
void expect_open(const SeriesBox<C>& box, Time time) {
    const Time window = box.data.read().window();
    if (time < window)
        throw std::invalid_argument("time: " + std::to_string(time) + " is older than the open window " +
                                    std::to_string(window) + "; what is past can not be written");
    if (time == window && box.closed)
        throw std::invalid_argument("time: window " + std::to_string(window) +
                                    " is closed, subscribers have its delta; write at a later time");
}
/// A writer of the window `time`. @pre expect_open(box, time) Under the lock
template <class C>
auto open(SeriesBox<C>& box, C& series, Time time) {
    const Time window = series.window();
    if (window < time) end_window(box);
    auto writer = series.write(time);
    if (window < time) {
        box.previous = window;
        box.knows_previous = true;
        box.closed = false;
    }
    return writer;
}
/// f(container, writer) under the lock. @tparam Brief whether it takes microseconds
template <bool Brief, class C, class F>
auto write_at(SeriesBox<C>& box, Time time, F&& f) {
    const auto work = [&] {
        expect_open(box, time);
        C& series = writable(box);
        auto writer = open(box, series, time);
        return f(series, writer);
    };
    if constexpr (Brief)
        return briefly(box, work);
    else
        return at_length(box, work);
}
/// Has the subscribers called, without the lock.
template <class C>
void publish(nb::handle self, const SeriesBox<C>& box) {
    if (!box.has_ended.load(std::memory_order_relaxed)) [[likely]]
        return;
    nb::object done = nb::steal(PyObject_CallMethod(self.ptr(), "_publish", nullptr));
    if (!done.is_valid()) raise_again();
}

//=== writing rows ===//

/// The fields that a row or chunk must have so that a new member can be made. Names those that are missing.
template <class Has>
std::string missing_fields(const Schema& schema, Has&& has) {
    std::string missing;
    for (const Field& field : schema.fields())
        if (!field.nullable && !has(field)) missing += (missing.empty() ? "'" : ", '") + field.path + "'";
    return missing;
}
[[noreturn]] inline void throw_missing(const KeyType& type, const void* key, const std::string& missing, const char* argument) {
    throw std::invalid_argument(std::string(argument) + ": the key " + spelled_key(type, key) +
                                " has no value yet, so that all fields are needed; there is no " + missing);
}

/// Keys of one call, with the place of each in a series.
template <class C>
class Places {
public:
    /// @param key_at key_at(i) is the address of key i, valid until it is asked for 32 later ones
    template <class KeyAt>
    Places(const C& series, std::size_t count, KeyAt&& key_at) : slots_(count) {
        series.keys().find_each(count, key_at, [this](std::size_t i, slot_t slot) { slots_[i] = slot; });
    }
    std::span<const slot_t> slots() const { return slots_; }
    std::size_t count_new() const { return static_cast<std::size_t>(std::count(slots_.begin(), slots_.end(), no_slot)); }
    /// The first key without a value, or the number of keys.
    std::size_t first_without_value(const C& series) const {
        std::size_t i = 0;
        while (i != slots_.size() && slots_[i] != no_slot &&
               (series.count_valid() == series.size() || series.valid_at(slots_[i])))
            ++i;
        return i;
    }
    /// Makes all of them members that are written now.
    template <class W, class KeyAt>
    void write(C& series, W& writer, KeyAt&& key_at, bool reset_new) {
        auto& state = slotwise::detail::SeriesAccess::state(series);
        using Access = slotwise::detail::ColumnAccess;
        constexpr std::size_t ahead = 16; // what a later row reads is on its way: 10,000 of 1e6 keys miss the cache each time
        for (std::size_t i = 0; i != slots_.size(); ++i) {
            if (const std::size_t later = i + ahead; later < slots_.size()) {
                if (slots_[later] != no_slot)
                    Access::prefetch_columns(series.keys(), slots_[later]);
                else
                    Access::prefetch_index(series.keys(), key_at(later));
            }
            if (slots_[i] != no_slot) {
                state.stamp(slots_[i]);
                continue;
            }
            const auto result = writer.insert(key_at(i), &no_value);
            slots_[i] = result.it.slot();
            if (!result.inserted) state.stamp(slots_[i]); // the key comes twice
            if (result.inserted && reset_new) series.columns().reset(slots_[i]);
        }
    }

private:
    std::vector<slot_t> slots_;
};

/// Calls a function of Python with the number of rows done since, at most every tenth of a second and at the end.
class Progress {
public:
    explicit Progress(nb::handle function) : function_(function.is_none() ? nb::object() : nb::borrow(function)) {
        if (function_.is_valid() && PyCallable_Check(function.ptr()) == 0)
            raise_type("progress", "a function of a number, as the method update of a tqdm,", function);
    }
    bool is_asked() const { return function_.is_valid(); }
    /// Needs the GIL.
    void add(std::size_t rows) {
        pending_ += rows;
        const auto now = clock::now();
        if (!is_asked() || now - last_ < std::chrono::milliseconds(100)) return;
        last_ = now;
        report();
    }
    void finish() {
        if (is_asked() && pending_ != 0) report();
    }

private:
    using clock = std::chrono::steady_clock;
    void report() {
        nb::object count = nb::cast(std::exchange(pending_, 0));
        const nb::object done = nb::steal(PyObject_CallOneArg(function_.ptr(), count.ptr()));
        if (!done.is_valid()) raise_again();
    }
    nb::object function_;
    std::size_t pending_ = 0;
    clock::time_point last_ = clock::now();
};

/// A source, read and checked in full before anything is written.
struct Rows {
    std::deque<Chunk> chunks;
    std::deque<Keys> keys;
};
/// Rows are counted as they are read, those of a single chunk when it is written.
inline Rows rows_of(nb::handle object, const char* argument, const KeyType& type, std::span<const Field> values,
                    Source::Missing missing, Progress& progress) {
    Source source(object, argument, type.fields(), values, missing);
    Rows rows;
    for (Chunk chunk; source.next(chunk); chunk = Chunk()) {
        if (chunk.rows() == 0) continue;
        rows.chunks.push_back(std::move(chunk));
        const std::size_t count = rows.chunks.size();
        if (count == 2) progress.add(rows.chunks[0].rows());
        if (count >= 2) progress.add(rows.chunks[count - 1].rows());
    }
    for (const Chunk& chunk : rows.chunks) rows.keys.emplace_back(type, chunk);
    return rows;
}
/// The addresses of the keys of a chunk, each valid until 64 others were asked for.
class KeyRing {
public:
    explicit KeyRing(const Keys& keys) : keys_(keys), numbers_(keys.numbers()) {}
    const void* operator()(std::size_t i) {
        return numbers_ != nullptr ? numbers_ + i : keys_.at(i, rooms_[i % rooms_.size()]);
    }

private:
    const Keys& keys_;
    const std::uint64_t* numbers_;
    std::array<KeyRoom, 64> rooms_{};
};

/// Members that a call has named.
class Named {
public:
    void add(slot_t slot) {
        if (slot >= bits_.size()) bits_.resize(std::size_t{slot} + 1 + bits_.size() / 2);
        bits_[slot] = true;
    }
    /// Removes all other members.
    template <class C, class W>
    void remove_others(const C& series, W& writer) const {
        std::vector<slot_t> others;
        for (const slot_t slot : series.live_slots())
            if (slot >= bits_.size() || !bits_[slot]) others.push_back(slot);
        for (const slot_t slot : others) writer.erase(series.handle_at(slot));
    }

private:
    std::vector<bool> bits_;
};

/// Writes the rows of a source at one time. @param assign whether all other members are removed
template <class C>
void update_from_source(SeriesBox<C>& box, nb::handle object, const char* argument, Time time, nb::handle progress_argument,
                        bool assign) {
    Progress progress(progress_argument);
    std::span<const Field> fields;
    if constexpr (has_values<C>) fields = box.value->fields();
    const auto how = assign ? Source::Missing::refused : Source::Missing::allowed;
    const Rows rows = rows_of(object, argument, *box.key, fields, how, progress);
    at_length(box, [&] {
        expect_open(box, time);
        std::string missing;
        bool partial = false;
        if constexpr (has_values<C>)
            if (!rows.chunks.empty()) {
                const Chunk& first = rows.chunks[0];
                missing = missing_fields(*box.value, [&](const Field& field) { return first.find(field) != nullptr; });
                for (const Field& field : fields) partial = partial || first.find(field) == nullptr;
            }
        if constexpr (has_values<C>)
            if (!missing.empty()) { // then every key has a value already
                const C& series = box.data.read();
                for (const Keys& of_chunk : rows.keys) {
                    KeyRing keys(of_chunk);
                    const Places<C> places(series, of_chunk.size(), keys);
                    if (const std::size_t i = places.first_without_value(series); i != of_chunk.size())
                        throw_missing(*box.key, keys(i), missing, argument);
                }
            }
        C& series = writable(box);
        auto writer = open(box, series, time);
        Named named;
        for (std::size_t n = 0; n != rows.chunks.size(); ++n) {
            KeyRing keys(rows.keys[n]);
            const std::size_t count = rows.keys[n].size();
            if constexpr (has_values<C>) {
                Places<C> places(series, count, keys);
                reserve_for(series, places.count_new());
                places.write(series, writer, keys, partial);
                series.columns().write(places.slots(), rows.chunks[n]);
                if (assign)
                    for (const slot_t slot : places.slots()) named.add(slot);
            } else
                for (std::size_t i = 0; i != count; ++i) {
                    const slot_t slot = writer.insert(keys(i)).it.slot();
                    if (assign) named.add(slot);
                }
        }
        if (assign) named.remove_others(series, writer);
        if (!series.valid()) writer.touch();
    });
    if (rows.chunks.size() == 1) progress.add(rows.chunks[0].rows());
    progress.finish();
}

/// Writes pairs of Python objects, converted before anything is written.
inline void update_from_pairs(SeriesBox<SeriesStorage>& box, nb::handle source, Time time, bool assign) {
    std::deque<std::pair<Key, Row>> pairs;
    std::vector<nb::object> kept; // a Key borrows from its object
    each_pair(source, "a mapping, an iterable of (key, value), or anything columnar", [&](nb::handle key, nb::handle value) {
        kept.push_back(nb::borrow(key));
        Row row(*box.value);
        row.take(value, "value");
        pairs.emplace_back(Key::from(*box.key, key, "key"), std::move(row));
    });
    at_length(box, [&] {
        expect_open(box, time);
        auto& series = writable(box);
        auto writer = open(box, series, time);
        Named named;
        for (auto& [key, row] : pairs) {
            const slot_t slot = writer.set(key.address(), &no_value).it.slot();
            series.columns().write(slot, row);
            if (assign) named.add(slot);
        }
        if (assign) named.remove_others(series, writer);
        if (!series.valid()) writer.touch();
    });
}
/// Keys of a set.
inline void update_from_keys(SeriesBox<SeriesSetStorage>& box, nb::handle source, Time time, bool assign) {
    std::deque<Key> keys;
    std::vector<nb::object> kept;
    if (PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr())) raise_type("source", "an iterable of keys", source);
    each_item(source, "source", "an iterable of keys, or anything columnar,", [&](nb::handle key) {
        kept.push_back(nb::borrow(key));
        keys.push_back(Key::from(*box.key, key, "key"));
    });
    at_length(box, [&] {
        expect_open(box, time);
        auto& series = writable(box);
        auto writer = open(box, series, time);
        Named named;
        for (const Key& key : keys) {
            const slot_t slot = writer.insert(key.address()).it.slot();
            if (assign) named.add(slot);
        }
        if (assign) named.remove_others(series, writer);
        if (!series.valid()) writer.touch();
    });
}

/// Writes one row: all fields, or those that were given.
inline void write_row(SeriesBox<SeriesStorage>& box, const void* key, Row& row, Time time, const char* argument) {
    const Schema& schema = *box.value;
    const bool complete = row.complete();
    briefly(box, [&] {
        expect_open(box, time);
        const auto& now = box.data.read();
        const slot_t slot = now.slot_of(key);
        if (!complete && (slot == no_slot || !now.valid_at(slot)))
            if (const std::string missing = missing_fields(schema, [&](const Field& field) { return row.has(field.number); });
                !missing.empty())
                throw_missing(*box.key, key, missing, argument);
        auto& series = writable(box);
        auto writer = open(box, series, time);
        const auto result = writer.set(key, &no_value);
        auto& columns = series.columns();
        if (result.inserted && !complete) columns.reset(result.it.slot());
        columns.write(result.it.slot(), row);
    });
}

//=== deltas ===//

inline nb::list keys_of(const DeltaData& delta, Op op) {
    nb::list keys;
    for (std::size_t row = 0; row != delta.rows(); ++row)
        if (delta.ops[row] == op) keys.append(delta.key_type->object(delta.keys.at(row)));
    return keys;
}
inline nb::object record_of(const DeltaData& delta, std::size_t row) {
    const auto slot = static_cast<slot_t>(row);
    return delta.schema->object([&](const Field& field) -> const void* {
        return delta.values.valid(field, slot) ? delta.values.at(field, slot) : nullptr;
    });
}
/// Whether a null in every field may also be a value: then a column "valid" says what has one.
/// Whether null means NaT in a frame: of a time that is not nullable.
inline bool null_is_nat(const Field& field) { return field.is_time() && field.length == 0 && !field.nullable; }
inline bool needs_valid_column(const Schema& schema) {
    return std::all_of(schema.fields().begin(), schema.fields().end(),
                       [](const Field& field) { return field.nullable || null_is_nat(field); });
}
inline std::vector<Field> nullable_fields(const Schema& schema) {
    std::vector<Field> fields(schema.fields().begin(), schema.fields().end());
    for (Field& field : fields) field.nullable = true;
    return fields;
}

/// All rows: "time", "op", keys, "valid" where it is needed, and values, which are null where there is none.
inline Frame frame_of(const DeltaPointer& delta) {
    struct Held {
        DeltaPointer delta;
        std::vector<Time> times;
        std::deque<std::vector<std::uint8_t>> valid;
    };
    const auto held = std::make_shared<Held>();
    const std::size_t rows = delta->rows();
    held->delta = delta;
    held->times.assign(rows, delta->until);
    Frame frame;
    frame.add(field_named("time", Kind::int64), held->times.data(), nullptr, rows, held);
    frame.add(field_named("op", Kind::int8), delta->ops.data(), nullptr, rows, held);
    const auto words = full_words(rows);
    frame.add(*delta->key_type, delta->keys.data(), Occupancy(words.data(), rows), held);
    if (delta->schema == nullptr) return frame;
    if (needs_valid_column(*delta->schema))
        frame.add(field_named("valid", Kind::boolean), delta->has.data(), nullptr, rows, held);
    for (const Field& field : nullable_fields(*delta->schema)) {
        auto& valid = held->valid.emplace_back(delta->has);
        if (const std::uint8_t* const given = delta->values.validity(*delta->schema->find(field.path)))
            for (std::size_t row = 0; row != rows; ++row) valid[row] = valid[row] & given[row];
        frame.add(field, delta->values.data(field), valid.data(), rows, held);
    }
    return frame;
}
/// Keys and values of the rows that have a value, as the columns of the series itself.
inline Frame frame_of_values(const DeltaPointer& delta) {
    std::vector<slotwise::bits::word_t> words(slotwise::bits::word_count(delta->rows()));
    std::vector<slot_t> rows;
    for (std::size_t row = 0; row != delta->rows(); ++row)
        if (delta->has[row] != 0) {
            words[slotwise::bits::word_of(row)] |= slotwise::bits::bit_of(row);
            rows.push_back(static_cast<slot_t>(row));
        }
    Frame frame;
    frame.add(*delta->key_type, delta->keys.data(), Occupancy(words.data(), delta->rows()), delta);
    if (delta->schema != nullptr)
        for (const Field& field : delta->schema->fields())
            frame.gather(field, delta->values.data(field), delta->values.validity(field), rows);
    return frame;
}

inline bool same_changes(const DeltaData& a, const DeltaData& b) {
    if (a.rows() != b.rows() || a.cleared != b.cleared || a.replaced != b.replaced || !a.same_types(b)) return false;
    const auto& type = a.key_type->type();
    std::unordered_map<const void*, slot_t, KeyHash, KeyEqual> theirs(b.rows(), KeyHash{&type}, KeyEqual{&type});
    for (std::size_t row = 0; row != b.rows(); ++row) theirs.emplace(b.keys.at(row), static_cast<slot_t>(row));
    for (std::size_t row = 0; row != a.rows(); ++row) {
        const auto found = theirs.find(a.keys.at(row));
        if (found == theirs.end() || b.ops[found->second] != a.ops[row] || b.has[found->second] != a.has[row]) return false;
        if (a.has[row] != 0 && !a.values.equal(static_cast<slot_t>(row), b.values, found->second)) return false;
    }
    return true;
}

//=== metadata of streams ===//

/// Gives the schema of a stream metadata, and passes on the rest.
class StreamWithMetadata {
public:
    /// The capsule of `inner`, a capsule of a stream, with these metadata.
    static nb::object capsule(nb::handle inner, const slotwise::ArrowPairs& pairs) {
        auto* const stream = slotwise::from_py_capsule<ArrowArrayStream>(inner.ptr(), "stream");
        if (stream == nullptr) raise_again();
        auto self = std::make_unique<StreamWithMetadata>();
        self->inner_ = slotwise::OwnedStream(stream);
        self->metadata_ = slotwise::encode_metadata(pairs);
        ArrowArrayStream outer{};
        outer.get_schema = [](ArrowArrayStream* s, ArrowSchema* out) { return of(s).schema(out); };
        outer.get_next = [](ArrowArrayStream* s, ArrowArray* out) {
            return of(s).inner_.get()->get_next(of(s).inner_.get(), out);
        };
        outer.get_last_error = [](ArrowArrayStream* s) { return of(s).inner_.get()->get_last_error(of(s).inner_.get()); };
        outer.release = [](ArrowArrayStream* s) {
            delete &of(s);
            s->release = nullptr;
        };
        outer.private_data = self.release();
        nb::object result = nb::steal(slotwise::to_py_capsule(slotwise::OwnedStream(&outer)));
        if (!result.is_valid()) raise_again();
        return result;
    }

private:
    struct Wrapped {
        ArrowSchema inner;
        std::string metadata;
    };
    static StreamWithMetadata& of(ArrowArrayStream* stream) { return *static_cast<StreamWithMetadata*>(stream->private_data); }
    int schema(ArrowSchema* out) {
        ArrowSchema inner{};
        if (const int code = inner_.get()->get_schema(inner_.get(), &inner); code != 0) return code;
        auto* const wrapped = new (std::nothrow) Wrapped{inner, {}};
        if (wrapped == nullptr) {
            inner.release(&inner);
            return ENOMEM;
        }
        wrapped->metadata = metadata_;
        *out = inner;
        out->metadata = wrapped->metadata.data();
        out->private_data = wrapped;
        out->release = [](ArrowSchema* schema) {
            auto* const held = static_cast<Wrapped*>(schema->private_data);
            held->inner.release(&held->inner);
            delete held;
            schema->release = nullptr;
        };
        return 0;
    }
    slotwise::OwnedStream inner_;
    std::string metadata_;
};
inline slotwise::ArrowPairs metadata_of(const DeltaData& delta) {
    const auto flag = [](bool value) { return std::string(value ? "1" : "0"); };
    slotwise::ArrowPairs pairs{{"slotwise.delta", "2"},
                               {"slotwise.from", std::to_string(delta.since)},
                               {"slotwise.to", std::to_string(delta.until)},
                               {"slotwise.ticked", flag(delta.ticked)},
                               {"slotwise.keys_ticked", flag(delta.keys_ticked)}};
    if (delta.cleared) pairs.push_back({"slotwise.invalidated", "1"});
    if (delta.replaced) pairs.push_back({"slotwise.replaced", "1"});
    return pairs;
}
/// The metadata of the stream in a capsule, which stays unread.
inline nb::dict metadata_of_stream(nb::handle capsule) {
    auto* const stream = slotwise::from_py_capsule<ArrowArrayStream>(capsule.ptr(), "delta.__arrow_c_stream__()");
    if (stream == nullptr) raise_again();
    if (stream->release == nullptr) raise(PyExc_ValueError, "delta: its stream was read already; make a new one");
    ArrowSchema raw{};
    if (stream->get_schema(stream, &raw) != 0) {
        const char* const text = stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream);
        raise(PyExc_ValueError,
              std::string("delta: its stream has no schema: ") + (text == nullptr ? "it says nothing" : text));
    }
    const slotwise::OwnedSchema schema(&raw);
    slotwise::ArrowPairs pairs;
    if (!slotwise::detail::read_metadata(schema->metadata, pairs))
        raise(PyExc_ValueError, "delta: a length in the metadata of its schema is negative");
    nb::dict result;
    for (const auto& [key, value] : pairs)
        result[nb::steal(PyUnicode_DecodeUTF8(key.data(), static_cast<Py_ssize_t>(key.size()), "replace"))] =
            nb::steal(PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "replace"));
    return result;
}

/// The delta whose rows a source has. `flags` are (since, until, ticked, keys_ticked, cleared, replaced), until None: of the rows.
template <class C>
DeltaPointer delta_from_source(const SeriesBox<C>& box, nb::handle object, nb::handle flags) {
    const auto delta = box.new_delta();
    std::vector<Field> fields{field_named("time", Kind::int64), field_named("op", Kind::int8)};
    bool with_valid = false;
    if constexpr (has_values<C>) {
        with_valid = needs_valid_column(*box.value);
        if (with_valid) fields.push_back(field_named("valid", Kind::boolean));
        for (const Field& field : nullable_fields(*box.value)) fields.push_back(field);
    }
    for (std::size_t i = 0; i != fields.size(); ++i) fields[i].number = i;
    Source source(object, "delta", box.key->fields(), fields, Source::Missing::refused);
    std::deque<Chunk> chunks;
    std::size_t rows = 0;
    for (Chunk chunk; source.next(chunk); chunk = Chunk()) {
        rows += chunk.rows();
        chunks.push_back(std::move(chunk));
    }
    delta->keys = KeyList(*box.key);
    delta->keys.reserve(rows);
    if constexpr (has_values<C>) delta->values.init(box.value, rows);
    const nb::tuple said = nb::cast<nb::tuple>(flags);
    const bool knows_until = !said[1].is_none();
    delta->since = Py<Time>::from(said[0], "since");
    delta->until = knows_until ? Py<Time>::from(said[1], "delta") : never;
    const auto refuse = [](std::size_t row, const std::string& why) {
        raise(PyExc_ValueError, "delta: row " + std::to_string(row) + ": " + why);
    };
    for (const Chunk& chunk : chunks) {
        const std::size_t first = delta->rows();
        const auto* const times = reinterpret_cast<const Time*>(chunk.find(fields[0])->values());
        const auto* const ops = reinterpret_cast<const std::int8_t*>(chunk.find(fields[1])->values());
        const auto* const valid = with_valid ? reinterpret_cast<const std::uint8_t*>(chunk.find(fields[2])->values()) : nullptr;
        const Keys keys(*box.key, chunk);
        KeyRoom room;
        for (std::size_t i = 0; i != chunk.rows(); ++i) {
            const std::size_t row = first + i;
            if (!knows_until && row == 0) delta->until = times[0];
            if (times[i] != delta->until)
                refuse(row, "'time' is " + std::to_string(times[i]) + ", not " + std::to_string(delta->until));
            const bool known = ops[i] >= 1 && ops[i] <= 4 && (has_values<C> || ops[i] == 1 || ops[i] == 3);
            if (!known)
                refuse(row, "'op' is " + std::to_string(ops[i]) + "; it is 1 (insert), 2 (update), 3 (remove) or 4 (reset)");
            Op op = static_cast<Op>(ops[i]);
            bool has = false;
            if constexpr (has_values<C>) {
                const Field* null = nullptr;
                const Field* given = nullptr;
                for (std::size_t n = 2 + with_valid; n != fields.size(); ++n) {
                    const Cells& cells = *chunk.find(fields[n]);
                    const bool is_null = cells.valid() != nullptr && cells.valid()[i] == 0;
                    if (!is_null) given = &fields[n];
                    const Field& ours = box.value->fields()[n - 2 - with_valid];
                    if (is_null && !ours.nullable && !null_is_nat(ours)) null = &fields[n];
                }
                has = with_valid ? valid[i] != 0 : null == nullptr;
                if (!has && given != nullptr && op != Op::remove)
                    refuse(row, null != nullptr ? "'" + null->path + "' is null, and '" + given->path + "' is not"
                                                : "it has values, and 'valid' is false");
                if (op == Op::update && !has) refuse(row, "an update has no value");
                if (op == Op::remove && has && given != nullptr) refuse(row, "a remove has a value");
                if (op == Op::remove) has = false;
                if (op == Op::reset && has) op = Op::update;
            }
            delta->keys.push(keys.at(i, room));
            delta->ops.push_back(op);
            delta->has.push_back(has);
            delta->blank.push_back(0);
        }
        if constexpr (has_values<C>) {
            std::vector<slot_t> places(chunk.rows());
            std::iota(places.begin(), places.end(), static_cast<slot_t>(first));
            delta->values.write(places, chunk);
            for (const Field& field : box.value->fields()) {
                const Cells* const cells = null_is_nat(field) ? chunk.find(field) : nullptr;
                if (cells == nullptr || cells->valid() == nullptr) continue;
                auto* const nat = static_cast<std::int64_t*>(delta->values.at(field, 0)) + first;
                for (std::size_t i = 0; i != chunk.rows(); ++i)
                    if (cells->valid()[i] == 0) nat[i] = not_a_time;
            }
        }
    }
    if (!knows_until && rows == 0)
        raise(PyExc_ValueError,
              "delta: it has no rows and no metadata that say to which window it leads; pass until=delta.until");
    delta->ticked = flag_from(said[2], "ticked");
    delta->keys_ticked =
        said[3].is_none() ? delta->count(Op::insert) + delta->count(Op::remove) != 0 : flag_from(said[3], "keys_ticked");
    delta->cleared = flag_from(said[4], "cleared");
    delta->replaced = flag_from(said[5], "replaced");
    if (delta->until < delta->since && !delta->replaced) raise(PyExc_ValueError, "delta: it begins after it ends");
    return delta;
}

//=== replicas ===//

/// Gives the subscribers the whole state, after it was replaced, and closes its window: what was written in that later would be no news to
/// replicas that are there. Under the lock.
template <class C>
void announce_replaced(SeriesBox<C>& box, Time before) {
    if (!box.watched) return;
    const auto delta = box.new_delta();
    capture_state(box.data.read(), *delta);
    delta->since = before;
    delta->replaced = true;
    box.closed = delta->until != never;
    box.ended.push_back(delta);
    box.has_ended.store(true, std::memory_order_relaxed);
}

template <class C>
Applied apply(SeriesBox<C>& box, const DeltaData& delta, bool strict) {
    if (!(*delta.key_type == *box.key) || (delta.schema == nullptr) != (box.value == nullptr) ||
        (box.value != nullptr && !(*delta.schema == *box.value)))
        throw std::invalid_argument("delta: its keys or values are of other types than those of this series");
    return at_length(box, [&] {
        const C& now = box.data.read();
        if (delta.replaced) {
            expect_fits(now, delta, false);
            expect_writable(box);
            end_window(box);
            const Time before = now.window();
            C fresh(box.key, box.value);
            reserve_for(fresh, delta.rows());
            if (delta.until != never) {
                auto writer = fresh.write(delta.until);
                apply_rows(fresh, writer, delta);
            }
            box.data = slotwise::Exportable<C>(std::move(fresh));
            box.previous = delta.since;
            box.knows_previous = false;
            box.closed = false;
            announce_replaced(box, before);
            return Applied::done;
        }
        if (delta.until <= now.window()) return Applied::already;
        if (delta.since != now.window()) return Applied::gap;
        const auto slots = expect_fits(now, delta, strict);
        C& series = writable(box);
        reserve_for(series, static_cast<std::size_t>(std::count(slots.begin(), slots.end(), no_slot)));
        auto writer = open(box, series, delta.until);
        apply_rows(series, writer, delta);
        return Applied::done;
    });
}

/// Makes the state that of `state`, and changes only what differs.
template <class C>
void reconcile(SeriesBox<C>& box, const DeltaData& state, Time time) {
    at_length(box, [&] {
        expect_open(box, time);
        const auto slots = expect_fits(box.data.read(), state, false);
        C& series = writable(box);
        reserve_for(series, static_cast<std::size_t>(std::count(slots.begin(), slots.end(), no_slot)));
        auto writer = open(box, series, time);
        Named named;
        std::vector<slot_t> to, from;
        for (std::size_t row = 0; row != state.rows(); ++row) {
            const void* const key = state.keys.at(row);
            if constexpr (has_values<C>) {
                const slot_t member = series.slot_of(key);
                const bool valid = member != no_slot && series.valid_at(member);
                if (state.has[row] == 0) {
                    if (valid) {
                        writer.invalidate(key);
                        series.columns().reset(member);
                    }
                    const auto created = writer.create(key);
                    if (created.inserted) series.columns().reset(created.it.slot());
                } else if (!valid || !series.columns().equal(member, state.values, static_cast<slot_t>(row))) {
                    to.push_back(writer.set(key, &no_value).it.slot());
                    from.push_back(static_cast<slot_t>(row));
                }
            } else
                writer.insert(key);
            named.add(series.slot_of(key));
        }
        if constexpr (has_values<C>) copy_rows(series.columns(), to, state.values, from);
        named.remove_others(series, writer);
        if (!series.valid()) writer.touch();
    });
}

template <class C>
bool equal(const C& a, const C& b) {
    if (a.size() != b.size()) return false;
    for (const slot_t slot : a.live_slots()) {
        const slot_t other = b.slot_of(a.key(slot));
        if (other == no_slot) return false;
        if constexpr (has_values<C>) {
            if (a.valid_at(slot) != b.valid_at(other)) return false;
            if (a.valid_at(slot) && !a.columns().equal(slot, b.columns(), other)) return false;
        }
    }
    return true;
}

//=== snapshots ===//

/// "SWSERIE1", the window before, flags, the snapshot of the container, the columns of members.
class SeriesBytes {
    static constexpr std::uint64_t magic = 0x3145'4952'4553'5753u;

public:
    /// As an object of Python: null when there is no memory. Under the lock, without the GIL
    template <class C>
    static nb::object write(const SeriesBox<C>& box) {
        const C& series = box.data.read();
        ByteWriter out;
        out.number(magic);
        text(out, box.key->spelled());
        text(out, box.value == nullptr ? std::string() : box.value->spelled());
        out.number(static_cast<std::uint64_t>(box.previous));
        out.number(static_cast<std::uint8_t>(box.knows_previous | box.closed << 1));
        const auto inner = series.snapshot(KeyCodec(), as_part());
        out.number(std::uint64_t{inner.size()});
        const auto head = out.written();
        std::size_t size = head.size() + inner.size();
        if constexpr (has_values<C>) size += series.columns().saved_size(series.occupancy());
        return summed_bytes_of(size, [&](std::byte* to) {
            std::memcpy(to, head.data(), head.size());
            std::memcpy(to + head.size(), inner.data(), inner.size());
            if constexpr (has_values<C>) series.columns().save(series.occupancy(), to + head.size() + inner.size());
        });
    }
    /// @throws std::invalid_argument; nothing has changed then. Under the lock
    template <class C>
    static void read(SeriesBox<C>& box, std::span<const std::byte> bytes) {
        if (bytes.size() < 16) refuse("these bytes are no snapshot of a series");
        slotwise::ByteReader in(bytes.first(bytes.size() - 8));
        if (in.number<std::uint64_t>() != magic) refuse("these bytes are no snapshot of a series");
        slotwise::ByteReader end(bytes.last(8));
        if (end.number<std::uint64_t>() != slotwise::detail::Xxh3::of(bytes.first(bytes.size() - 8)))
            refuse("the bytes are damaged");
        const std::string keys(text(in)), values(text(in));
        if (keys != box.key->spelled()) refuse("its keys are " + keys + ", and here " + box.key->spelled());
        const std::string here = box.value == nullptr ? std::string() : box.value->spelled();
        if (values != here) refuse("its values are '" + values + "', and here '" + here + "'");
        const Time previous = static_cast<Time>(in.number<std::uint64_t>());
        const unsigned flags = in.number<std::uint8_t>();
        const std::size_t size = in.length(1);
        const auto inner = in.raw(size);
        if (in.error() != nullptr || flags > 3) refuse("the bytes end too early");
        C fresh(box.key, box.value);
        fresh.restore(inner, KeyCodec(), as_part());
        expect_sound_keys(fresh, *box.key);
        if constexpr (has_values<C>) {
            fresh.columns() = Columns();
            fresh.columns().init(box.value, fresh.capacity());
            fresh.columns().load(fresh.occupancy(), in.raw(in.left()));
        } else if (in.left() != 0)
            refuse("there are more bytes than the state needs");
        expect_writable(box);
        end_window(box);
        const Time before = box.data.read().window();
        box.data = slotwise::Exportable<C>(std::move(fresh)); // views keep what they show
        box.previous = previous;
        box.knows_previous = (flags & 1) != 0;
        box.closed = (flags & 2) != 0;
        announce_replaced(box, before);
    }

private:
    using ByteWriter = slotwise::ByteWriter;
    [[noreturn]] static void refuse(const std::string& why) { throw std::invalid_argument("snapshot: " + why); }
    /// The checksum of all is that of the container, too.
    static slotwise::detail::PartCodec<slotwise::DefaultCodec> as_part() noexcept {
        static slotwise::DefaultCodec codec;
        return {codec};
    }
    static void text(ByteWriter& out, const std::string& value) {
        out.number(std::uint64_t{value.size()});
        out.raw(value.data(), value.size());
    }
    static std::string_view text(slotwise::ByteReader& in) {
        const auto bytes = in.raw(in.length(1));
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

//=== binding ===//

nb::object deltas_to_list(const std::vector<DeltaPointer>& deltas) {
    nb::list result;
    for (const DeltaPointer& delta : deltas) result.append(nb::cast(Delta{delta}));
    return result;
}

void bind_delta(nb::module_& m) {
    nb::class_<Delta> cls(m, "Delta", nb::is_weak_referenceable(), "What slotwise.Delta is made of: use that.");
    cls.def(
        "__init__", [](Delta* self, const Delta& other) { new (self) Delta(other); }, nb::arg("other"),
        nb::sig("def __init__(self, other: Delta) -> None"));
    cls.def_prop_ro(
        "since", [](const Delta& d) { return time_to(d.data->since); }, nb::sig("def since(self) -> int | None"),
        "The window to which the changes apply; None of a series that was never written.");
    cls.def_prop_ro(
        "until", [](const Delta& d) { return time_to(d.data->until); }, nb::sig("def until(self) -> int | None"),
        "The window to which they lead.");
    cls.def_prop_ro(
        "added", [](const Delta& d) { return keys_of(*d.data, Op::insert); }, nb::sig("def added(self) -> list[typing.Any]"),
        "Keys that are members now and were not before, those without a value included.");
    cls.def_prop_ro(
        "removed", [](const Delta& d) { return keys_of(*d.data, Op::remove); },
        nb::sig("def removed(self) -> list[typing.Any]"), "Keys that were members before and are not now.");
    cls.def_prop_ro(
        "invalidated", [](const Delta& d) { return keys_of(*d.data, Op::reset); },
        nb::sig("def invalidated(self) -> list[typing.Any]"), "Members before and now that have lost their value.");
    cls.def_prop_ro(
        "cleared", [](const Delta& d) { return d.data->cleared; }, nb::sig("def cleared(self) -> bool"),
        "Whether the series was made as if it had never been written: the changes are relative to an empty one.");
    cls.def_prop_ro(
        "replaced", [](const Delta& d) { return d.data->replaced; }, nb::sig("def replaced(self) -> bool"),
        "Whether the series was restored: this is its whole state, whatever was there before.");
    cls.def(
        "__len__", [](const Delta& d) { return d.data->rows(); }, "The number of keys that changed.");
    cls.def(
        "__bool__", [](const Delta& d) { return !d.data->empty(); }, "Whether it changes anything.");
    cls.def(
        "__eq__",
        [](const Delta& d, nb::handle other) -> nb::object {
            const Delta* o = nullptr;
            if (!nb::try_cast(other, o) || o == nullptr) return nb::borrow(Py_NotImplemented);
            const bool same = [&, a = d.data, b = o->data] {
                const GilReleased released;
                return a->since == b->since && a->until == b->until && same_changes(*a, *b);
            }();
            return nb::cast(same);
        },
        nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
        "The same changes between the same windows, in any order.");
    unhashable(cls);
    cls.def("_counts", [](const Delta& d) {
        return nb::make_tuple(d.data->count(Op::insert), d.data->count(Op::remove), d.data->count_values(),
                              d.data->count(Op::reset));
    });
    cls.def("_value_rows", [](const Delta& d) {
        nb::list rows;
        for (std::size_t row = 0; row != d.data->rows(); ++row)
            if (d.data->has[row] != 0) rows.append(nb::cast(row));
        return rows;
    });
    cls.def("_key", [](const Delta& d, std::size_t row) {
        if (row >= d.data->rows()) raise(PyExc_IndexError, "row: there are fewer");
        return d.data->key_type->object(d.data->keys.at(row));
    });
    cls.def("_record", [](const Delta& d, std::size_t row) {
        if (row >= d.data->rows() || d.data->schema == nullptr) raise(PyExc_IndexError, "row: there are fewer");
        return record_of(*d.data, row);
    });
    cls.def("_is_of_set", [](const Delta& d) { return d.data->schema == nullptr; });
    cls.def(
        "to_numpy", [](const Delta& d) { return frame_of(d.data).numpy(); },
        nb::sig("def to_numpy(self) -> dict[str, numpy.typing.NDArray[typing.Any]]"),
        "The changes as columns of shape (len(self),): 'time', 'op' (int8: 1 insert, 2 update, 3 remove, 4 invalidate), those "
        "of "
        "the key, and those of the value, masked where there is none.");
    cls.def("_values_frame", [](const Delta& d) { return frame_of_values(d.data).arrow(); });
    cls.def("_frame", [](const Delta& d) { return frame_of(d.data).arrow(); });
    static const auto stream = [](const Delta& d, nb::handle requested) {
        const nb::object inner = frame_of(d.data).arrow().attr("__arrow_c_stream__")(nb::borrow(requested));
        return StreamWithMetadata::capsule(inner, metadata_of(*d.data));
    };
    cls.def(
        "__arrow_c_stream__", [](const Delta& d, nb::handle requested) { return stream(d, requested); },
        argument("requested_schema", nb::none()),
        nb::sig("def __arrow_c_stream__(self, requested_schema: object | None = None) -> object"),
        "The changes as an Arrow stream with the columns of to_numpy(), a row for each key. The schema's metadata has "
        "slotwise.from, slotwise.to and more: keep it where the stream is written to a file. A reader that writes rows by key, "
        "and deletes where 'op' is 3, has the whole table.");
    cls.def(
        "__arrow_c_schema__",
        [](const Delta& d) {
            const nb::object capsule = stream(d, nb::none());
            auto* const raw = slotwise::from_py_capsule<ArrowArrayStream>(capsule.ptr(), "stream");
            if (raw == nullptr) raise_again();
            ArrowSchema schema{};
            if (raw->get_schema(raw, &schema) != 0) raise(PyExc_MemoryError, "the system gives no memory for the schema");
            nb::object result = nb::steal(slotwise::to_py_capsule(slotwise::OwnedSchema(&schema)));
            if (!result.is_valid()) raise_again();
            return result;
        },
        nb::sig("def __arrow_c_schema__(self) -> object"), "The Arrow schema of that stream.");
    cls.def(
        "to_bytes",
        [](const Delta& d) {
            const auto bytes = [data = d.data] {
                const GilReleased released;
                return DeltaBytes::write(*data);
            }();
            return to_bytes(bytes);
        },
        nb::sig("def to_bytes(self) -> bytes"),
        "The delta as bytes with a checksum, which apply() of a series of the same types takes.");
    cls.def(
        "_then",
        [](const Delta& d, const Delta& other) {
            const GilReleased released;
            return Delta{std::make_shared<const DeltaData>(compose(*d.data, *other.data))};
        },
        nb::arg("other"));
    cls.def("_types", [](const Delta& d) {
        return nb::make_tuple(key_type_object(d.data->key_type),
                              d.data->schema == nullptr ? nb::none() : schema_object(d.data->schema));
    });
    m.def(
        "_delta_from_bytes",
        [](nb::handle data, nb::handle key, nb::handle value) {
            const Bytes bytes(data);
            auto key_type = key_type_from(key, "key");
            auto schema = value.is_none() ? nullptr : schema_from(value, "value");
            return Delta{
                std::make_shared<const DeltaData>(DeltaBytes::read(bytes.span(), std::move(key_type), std::move(schema)))};
        },
        argument("data"), argument("key"), argument("value"));
    m.def("_stream_metadata", &metadata_of_stream, argument("capsule"));
    m.def(
        "_call_subscriber",
        [](nb::handle callback, nb::handle delta) {
            if (const nb::object done = nb::steal(PyObject_CallOneArg(callback.ptr(), delta.ptr())); done.is_valid()) return;
            if (PyErr_ExceptionMatches(PyExc_Exception) == 0) raise_again(); // KeyboardInterrupt and the like
            PyErr_WriteUnraisable(callback.ptr());
        },
        argument("callback"), argument("delta"));
}

/// What both classes have.
template <class C>
void bind_both(nb::module_& m, nb::class_<SeriesBox<C>>& cls, const Words& words) {
    using B = SeriesBox<C>;
    bind_keyed_reads(m, cls, words);
    unhashable(cls);
    generic(cls);
    cls.def_prop_ro(
        "key_type", [](const B& self) { return key_type_object(self.key); }, nb::sig("def key_type(self) -> typing.Any"),
        "What the keys are.");
    cls.def_prop_ro(
        "window", [](const B& self) { return time_to(read(self, [](const C& c) { return c.window(); })); },
        nb::sig("def window(self) -> int | None"),
        "The time of the open window, which is that of the last write; None before the first.");
    cls.def_prop_ro(
        "last_modified", [](const B& self) { return time_to(read(self, [](const C& c) { return c.last_modified(); })); },
        nb::sig("def last_modified(self) -> int | None"), "When it was last changed; None when it was never written.");
    cls.def_prop_ro(
        "closed", [](const B& self) { return briefly(self, [&] { return self.closed; }); }, nb::sig("def closed(self) -> bool"),
        "Whether the open window is closed, so that the next write needs a later time.");
    cls.def(
        "time_of",
        [](const B& self, nb::handle key) {
            const LookupKey look(*self.key, self.quick_key, key);
            return time_to(look.address() == nullptr ? never
                                                     : read(self, [&](const C& c) { return c.last_modified(look.address()); }));
        },
        argument("key"), nb::sig("def time_of(self, key: typing.Any) -> int | None"),
        "When the member was last written, of a set added; None when it is no member or has no value.");
    cls.def(
        "reserve",
        [](B& self, nb::handle count) {
            const std::size_t room = count_from(count, "count", most_slots);
            write_all(self, [&](C& c) { c.reserve(room); });
        },
        argument("count"), nb::sig("def reserve(self, count: int) -> None"),
        "Makes room for `count` elements. Raises OverflowError when more than 2**28 are asked for.");
    cls.def(
        "erase",
        [](nb::handle self, nb::handle key, nb::handle time) {
            B& box = box_of<B>(self);
            const LookupKey look(*box.key, box.quick_key, key);
            const bool erased = write_at<true>(box, time_from(time), [&](C&, auto& writer) {
                return look.address() != nullptr && writer.erase(look.address());
            });
            publish(self, box);
            return erased;
        },
        argument("key"), nb::kw_only(), argument("time"), nb::sig("def erase(self, key: typing.Any, *, time: int) -> bool"),
        "Removes the key. False when it was no member.");
    cls.def(
        "erase_many",
        [](nb::handle self, nb::handle keys, nb::handle time) {
            B& box = box_of<B>(self);
            const ManyKeys many(*box.key, keys, "keys");
            const std::size_t erased = write_at<false>(box, time_from(time), [&](C& c, auto& writer) {
                std::vector<slot_t> slots;
                many.slots_in(c.keys(), slots);
                std::size_t count = 0;
                for (const slot_t slot : slots)
                    if (slot != no_slot && c.state(slot) == slotwise::SlotState::live) {
                        writer.erase(c.handle_at(slot));
                        ++count;
                    }
                return count;
            });
            publish(self, box);
            return erased;
        },
        argument("keys"), nb::kw_only(), argument("time"),
        nb::sig("def erase_many(self, keys: typing.Any, *, time: int) -> int"),
        "Removes each of `keys`, which are as of contains_many(), and returns how many were members.");
    const auto whole = [&](const char* name, const char* sig, const char* text, auto change) {
        static const auto kept = change;
        cls.def(
            name,
            [](nb::handle self, nb::handle time) {
                B& box = box_of<B>(self);
                write_at<false>(box, time_from(time), [&](C&, auto& writer) { kept(writer); });
                publish(self, box);
            },
            nb::kw_only(), argument("time"), nb::sig(sig), text);
    };
    whole("clear", "def clear(self, *, time: int) -> None", "Removes every member.", [](auto& writer) { writer.clear(); });
    whole("touch", "def touch(self, *, time: int) -> None", "Opens the window and changes no member.",
          [](auto& writer) { writer.touch(); });
    whole("invalidate_all", "def invalidate_all(self, *, time: int) -> None",
          "Makes it as if it had never been written: the delta of this window is relative to an empty series.",
          [](auto& writer) { writer.invalidate(); });
    cls.def(
        "_update_source",
        [](nb::handle self, nb::handle source, nb::handle argument_name, nb::handle time, nb::handle progress, bool assign) {
            B& box = box_of<B>(self);
            const std::string name = text_from(argument_name, "argument");
            update_from_source(box, source, name.c_str(), time_from(time), progress, assign);
            publish(self, box);
        },
        argument("source"), argument("argument"), argument("time"), argument("progress"), nb::arg("assign"));
    cls.def(
        "_update_objects",
        [](nb::handle self, nb::handle source, nb::handle time, bool assign) {
            B& box = box_of<B>(self);
            if constexpr (has_values<C>)
                update_from_pairs(box, source, time_from(time), assign);
            else
                update_from_keys(box, source, time_from(time), assign);
            publish(self, box);
        },
        argument("source"), argument("time"), nb::arg("assign"));

    //--- deltas ---//
    cls.def(
        "_capture",
        [](const B& self, nb::handle since) {
            const auto chosen = Py<std::optional<Time>>::from(since, "since");
            const auto delta = self.new_delta();
            const bool known = at_length(self, [&] {
                capture_window(self.data.read(), *delta);
                delta->since = self.previous;
                return self.knows_previous;
            });
            if (chosen)
                delta->since = *chosen;
            else if (!known)
                raise(PyExc_ValueError, "since: it is not known which window was before the open one; pass since=");
            return Delta{delta};
        },
        argument("since"));
    cls.def("_state", [](const B& self) {
        const auto delta = self.new_delta();
        at_length(self, [&] { capture_state(self.data.read(), *delta); });
        return Delta{delta};
    });
    cls.def(
        "_delta_from_source",
        [](const B& self, nb::handle source, nb::handle flags) { return Delta{delta_from_source(self, source, flags)}; },
        argument("source"), argument("flags"));
    cls.def(
        "_delta_from_bytes",
        [](const B& self, nb::handle data) {
            const Bytes bytes(data);
            const GilReleased released;
            return Delta{std::make_shared<const DeltaData>(DeltaBytes::read(bytes.span(), self.key, self.value))};
        },
        argument("data"));
    cls.def(
        "_apply",
        [](nb::handle self, const Delta& delta, bool strict) {
            B& box = box_of<B>(self);
            const DeltaPointer data = delta.data;
            const Applied applied = apply(box, *data, strict);
            publish(self, box);
            return applied;
        },
        nb::arg("delta"), nb::arg("strict"));
    cls.def(
        "_reconcile",
        [](nb::handle self, const Delta& state, nb::handle time) {
            B& box = box_of<B>(self);
            const DeltaPointer data = state.data;
            const auto same = box.new_delta();
            if (!data->same_types(*same))
                throw std::invalid_argument("state: its keys or values are of other types than those of this series");
            reconcile(box, *data, time_from(time));
            publish(self, box);
        },
        nb::arg("state"), argument("time"));
    cls.def(
        "close_window",
        [](nb::handle self) {
            B& box = box_of<B>(self);
            briefly(box, [&] {
                if (box.closed || box.data.read().window() == never) return;
                end_window(box);
                box.closed = true;
            });
            publish(self, box);
        },
        nb::sig("def close_window(self) -> None"),
        "Closes the open window: subscribers get its delta now, and not when a later one opens. The next write needs a later "
        "time. No effect when there is none or it is closed.");
    cls.def("_watch", [](B& self, bool watched) { briefly(self, [&] { self.watched = watched; }); });
    cls.def("_take_ended", [](B& self) {
        std::vector<DeltaPointer> ended;
        briefly(self, [&] {
            ended.swap(self.ended);
            self.has_ended.store(false, std::memory_order_relaxed);
        });
        return deltas_to_list(ended);
    });

    //--- whole ---//
    cls.def(
        "_equals",
        [](const B& self, nb::handle other) -> nb::object {
            const B* o = nullptr;
            if (!nb::try_cast(other, o, false) || o == nullptr) return nb::borrow(Py_NotImplemented);
            if (o == &self) return nb::cast(true);
            if (!self.new_delta()->same_types(*o->new_delta())) return nb::borrow(Py_NotImplemented);
            return nb::cast(at_length_both(self, *o, [&] { return equal(self.data.read(), o->data.read()); }));
        },
        argument("other"));
    cls.def(
        "snapshot", [](const B& self) { return checked_bytes(at_length(self, [&] { return SeriesBytes::write(self); })); },
        nb::sig("def snapshot(self) -> bytes"),
        "The exact state as bytes, also in the middle of a window: times and the open window's delta are in it, subscribers "
        "are not.");
    cls.def(
        "_restore",
        [](nb::handle self, nb::handle data) {
            B& box = box_of<B>(self);
            const Bytes bytes(data);
            at_length(box, [&] { SeriesBytes::read(box, bytes.span()); });
            publish(self, box);
        },
        argument("data"));
    cls.def("_take", [](B& self, const B& other) { // a new object becomes a copy of another
        std::optional<C> copy;
        Time previous = never;
        bool knows_previous = true, closed = false;
        OnWrite on_write = OnWrite::detach;
        at_length(other, [&] {
            copy.emplace(other.data.read());
            previous = other.previous;
            knows_previous = other.knows_previous;
            closed = other.closed;
            on_write = other.on_write;
        });
        briefly(self, [&] {
            self.data = slotwise::Exportable<C>(std::move(*copy));
            self.previous = previous;
            self.knows_previous = knows_previous;
            self.closed = closed;
            self.on_write = on_write;
        });
    });
}

} // namespace

std::string spelled_key(const KeyType& type, const void* key) {
    if (type.is_int())
        return type.parts()[0] == KeyType::Part::int64 ? std::to_string(*static_cast<const std::int64_t*>(key))
                                                       : std::to_string(*static_cast<const std::uint64_t*>(key));
    const auto quoted = [](std::string_view text) {
        std::string result = "'";
        for (const char each : text.substr(0, 60)) result += static_cast<unsigned char>(each) < 32 ? '?' : each;
        return result + (text.size() > 60 ? "...'" : "'");
    };
    const std::string_view text = static_cast<const Text*>(key)->view();
    if (!type.is_tuple()) return quoted(text);
    std::string result;
    type.unpack(text, [&](std::size_t part, const auto& value) {
        result += part == 0 ? "" : ", ";
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string_view>)
            result += quoted(value);
        else {
            std::uint64_t bits;
            std::memcpy(&bits, value, sizeof bits);
            result += type.parts()[part] == KeyType::Part::int64 ? std::to_string(static_cast<std::int64_t>(bits))
                                                                 : std::to_string(bits);
        }
    });
    return "[" + result + "]";
}

void bind_series(nb::module_& m) {
    bind_delta(m);
    using B = SeriesBox<SeriesStorage>;
    static const PyType_Slot slots[] = {type_slot(Py_mp_subscript, &subscript_slot<B>),
                                        type_slot(Py_mp_length, &length_slot<B>),
                                        type_slot(Py_sq_contains, &contains_slot<B>),
                                        type_slot(Py_tp_iter, &iterate_slot<B>),
                                        traverse_slot<B, &B::value, 2>(),
                                        {0, nullptr}}; // its own, and that of its Columns
    nb::class_<B> cls(m, "Series", nb::type_slots(slots), nb::is_weak_referenceable(),
                      "What slotwise.Series is made of: use that.");
    cls.def(
        "__init__",
        [](B* self, nb::handle key, nb::handle value, nb::handle on_write) {
            auto key_type = key_type_from(key, "key");
            auto schema = schema_from(value, "value");
            const OnWrite chosen = on_write_of(on_write);
            static constexpr const char* beside[] = {"time", "op", "valid"};
            expect_other_names(*key_type, schema.get(), beside);
            new (self) B(std::move(key_type), std::move(schema));
            self->on_write = chosen;
        },
        argument("key"), argument("value"), argument("on_write", "detach"),
        nb::sig("def __init__(self, key: typing.Any, value: typing.Any, on_write: str = 'detach') -> None"));
    const Words words({{"{C}", "Series"}, {"{D}", "value"}});
    bind_both(m, cls, words);
    bind_get_many(cls);
    cls.def_prop_ro(
        "schema", [](const B& self) { return schema_object(self.value); }, nb::sig("def schema(self) -> typing.Any"),
        "What the values are.");
    cls.def_prop_ro(
        "count_valid", [](const B& self) { return read(self, [](const auto& c) { return c.count_valid(); }); },
        nb::sig("def count_valid(self) -> int"), "How many members have a value.");
    cls.def(
        "get",
        [](const B& self, nb::handle key, nb::handle otherwise) {
            nb::object value = value_or_null(self, key);
            if (value.is_valid()) return value;
            if (PyErr_Occurred() != nullptr) raise_again();
            return nb::borrow(otherwise);
        },
        argument("key"), argument("default", nb::none()),
        nb::sig("def get(self, key: typing.Any, default: typing.Any = None, /) -> typing.Any"),
        "The value, None where a member has none, or `default` when the key is no member.");
    cls.def(
        "_set",
        [](nb::handle self, nb::handle key_object, nb::handle value, nb::handle time) {
            B& box = box_of<B>(self);
            Row row(*box.value);
            row.take(value, "value");
            const Time when = time_from(time);
            const LookupKey quick(*box.key, box.quick_key, key_object, LookupKey::only_quick);
            if (quick.address() != nullptr)
                write_row(box, quick.address(), row, when, "value");
            else
                write_row(box, Key::from(*box.key, key_object, "key").address(), row, when, "value");
            publish(self, box);
        },
        argument("key"), argument("value"), argument("time"));
    cls.def(
        "_set_fields",
        [](nb::handle self, nb::handle key_object, nb::handle fields, nb::handle time) {
            B& box = box_of<B>(self);
            Row row(*box.value);
            row.take_named(fields);
            const Time when = time_from(time);
            write_row(box, Key::from(*box.key, key_object, "key").address(), row, when, "fields");
            publish(self, box);
        },
        argument("key"), argument("fields"), argument("time"));
    cls.def(
        "create",
        [](nb::handle self, nb::handle key_object, nb::handle time) {
            B& box = box_of<B>(self);
            const Key key = Key::from(*box.key, key_object, "key");
            const bool created = write_at<true>(box, time_from(time), [&](SeriesStorage& c, auto& writer) {
                const auto result = writer.create(key.address());
                if (result.inserted) c.columns().reset(result.it.slot());
                return result.inserted;
            });
            publish(self, box);
            return created;
        },
        argument("key"), nb::kw_only(), argument("time"), nb::sig("def create(self, key: typing.Any, *, time: int) -> bool"),
        "Makes the key a member without a value. False, and no effect, when it is a member.");
    cls.def(
        "invalidate",
        [](nb::handle self, nb::handle key, nb::handle time) {
            B& box = box_of<B>(self);
            const LookupKey look(*box.key, box.quick_key, key);
            const bool done = write_at<true>(box, time_from(time), [&](SeriesStorage& c, auto& writer) {
                if (look.address() == nullptr || !writer.invalidate(look.address())) return false;
                c.columns().reset(c.slot_of(look.address()));
                return true;
            });
            publish(self, box);
            return done;
        },
        argument("key"), nb::kw_only(), argument("time"),
        nb::sig("def invalidate(self, key: typing.Any, *, time: int) -> bool"),
        "Takes the value of a member, which stays a member: its value is None until it is written. False when it is no member "
        "or has no value.");
    cls.def(
        "_pop",
        [](nb::handle self, nb::handle key, nb::handle time) -> nb::object {
            B& box = box_of<B>(self);
            const LookupKey look(*box.key, box.quick_key, key);
            Row row(*box.value);
            const int found = write_at<true>(box, time_from(time), [&](SeriesStorage& c, auto& writer) {
                const slot_t slot = slot_of(c, look.address());
                if (slot == no_slot) return 0;
                const bool valid = c.valid_at(slot);
                if (valid) copy_row(row, c.columns(), slot);
                writer.erase(c.handle_at(slot));
                return valid ? 2 : 1;
            });
            publish(self, box);
            if (found == 0) return nb::make_tuple();
            return nb::make_tuple(found == 1 ? nb::none() : row.object());
        },
        argument("key"), argument("time"));

    using S = SeriesBox<SeriesSetStorage>;
    static const PyType_Slot set_slots[] = {type_slot(Py_sq_length, &length_slot<S>),
                                            type_slot(Py_sq_contains, &contains_slot<S>),
                                            type_slot(Py_tp_iter, &iterate_slot<S>),
                                            {0, nullptr}};
    nb::class_<S> set(m, "SeriesSet", nb::type_slots(set_slots), nb::is_weak_referenceable(),
                      "What slotwise.SeriesSet is made of: use that.");
    set.def(
        "__init__",
        [](S* self, nb::handle key, nb::handle on_write) {
            auto key_type = key_type_from(key, "key");
            static constexpr const char* beside[] = {"time", "op"};
            expect_other_names(*key_type, nullptr, beside);
            const OnWrite chosen = on_write_of(on_write);
            new (self) S(std::move(key_type), nullptr);
            self->on_write = chosen;
        },
        argument("key"), argument("on_write", "detach"),
        nb::sig("def __init__(self, key: typing.Any, on_write: str = 'detach') -> None"));
    bind_both(m, set, Words({{"{C}", "SeriesSet"}, {"{D}", "key"}}));
    set.def(
        "add",
        [](nb::handle self, nb::handle key_object, nb::handle time) {
            S& box = box_of<S>(self);
            const Key key = Key::from(*box.key, key_object, "key");
            const bool added = write_at<true>(box, time_from(time),
                                              [&](SeriesSetStorage&, auto& writer) { return writer.add(key.address()); });
            publish(self, box);
            return added;
        },
        argument("key"), nb::kw_only(), argument("time"), nb::sig("def add(self, key: typing.Any, *, time: int) -> bool"),
        "Makes the key a member. False when it was one.");
}

} // namespace slotwise_python
