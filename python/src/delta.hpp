// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// DeltaData: what one or more windows of a series have changed, as columns. It is captured from a series, joined with another,
// applied to a replica, and written as bytes.
#ifndef SLOTWISE_PYTHON_DELTA_HPP
#define SLOTWISE_PYTHON_DELTA_HPP

#include "columns.hpp"
#include "engines.hpp"

#include <slotwise/core/detail/xxh3.hpp>
#include <slotwise/series/apply_delta.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace slotwise_python {

using slotwise::Applied;

/// What a row of a delta does. Numbers are those of slotwise::DeltaOp.
enum class Op : std::int8_t { insert = 1, update = 2, remove = 3, reset = 4 };

/// Keys that a delta owns, one a row.
class KeyList {
public:
    KeyList() = default;
    explicit KeyList(const KeyType& type) : type_(&type) {}
    void reserve(std::size_t count) { type_->is_int() ? numbers_.reserve(count) : texts_.reserve(count); }
    void push(const void* key) {
        if (type_->is_int())
            numbers_.push_back(*static_cast<const std::uint64_t*>(key));
        else
            texts_.push_back(*static_cast<const Text*>(key));
    }
    void push(std::uint64_t number) { numbers_.push_back(number); }
    void push(Text&& text) { texts_.push_back(std::move(text)); }
    std::size_t size() const noexcept { return numbers_.size() + texts_.size(); }
    const void* at(std::size_t row) const noexcept {
        return numbers_.empty() ? static_cast<const void*>(&texts_[row]) : &numbers_[row];
    }
    const void* data() const noexcept { return numbers_.empty() ? static_cast<const void*>(texts_.data()) : numbers_.data(); }

private:
    const KeyType* type_ = nullptr;
    std::vector<std::uint64_t> numbers_;
    std::vector<Text> texts_;
};

/// Hash and equality of keys by address.
struct KeyHash {
    const slotwise::TypeDescriptor* type;
    std::size_t operator()(const void* key) const { return type->hash(key); }
};
struct KeyEqual {
    const slotwise::TypeDescriptor* type;
    bool operator()(const void* a, const void* b) const { return type->equal(a, b); }
};

/// The changes between two windows. Immutable once it is made.
struct DeltaData {
    std::shared_ptr<const KeyType> key_type;
    std::shared_ptr<const Schema> schema; ///< null: of a set
    Time since = never, until = never;
    bool ticked = false, keys_ticked = false; ///< as DictDelta has them
    bool cleared = false;                     ///< the changes are relative to an empty series
    bool replaced = false; ///< the series was restored or assigned: this is its whole state, whatever was before
    KeyList keys;
    std::vector<Op> ops;
    std::vector<std::uint8_t> has; ///< 1 where a row has a value; those of `remove` and `reset` have none
    /// 1 where a member of `since` had no value then, of `update` and `remove`. A frame does not say it: 0.
    std::vector<std::uint8_t> blank;
    Columns values; ///< by row; default values where there is none

    std::size_t rows() const noexcept { return ops.size(); }
    bool empty() const noexcept { return rows() == 0 && !cleared && !replaced; }
    std::size_t count(Op op) const { return static_cast<std::size_t>(std::count(ops.begin(), ops.end(), op)); }
    std::size_t count_values() const { return static_cast<std::size_t>(std::count(has.begin(), has.end(), 1)); }
    bool same_types(const DeltaData& other) const {
        return *key_type == *other.key_type && (schema == nullptr) == (other.schema == nullptr) &&
               (schema == nullptr || *schema == *other.schema);
    }
};

//=== rows of columns ===//

/// Calls copy(to(i), from(i)) for cells of one size.
template <class T>
void copy_cells(T* to, std::span<const slot_t> to_rows, const T* from, std::span<const slot_t> from_rows) {
    for (std::size_t i = 0; i != from_rows.size(); ++i) to[to_rows[i]] = from[from_rows[i]];
}
inline void copy_cells(std::byte* to, std::span<const slot_t> to_rows, const std::byte* from, std::span<const slot_t> from_rows,
                       std::size_t size) {
    const auto as = [&]<class T>(T) {
        copy_cells(reinterpret_cast<T*>(to), to_rows, reinterpret_cast<const T*>(from), from_rows);
    };
    switch (size) {
    case 1:
        return as(std::uint8_t{});
    case 2:
        return as(std::uint16_t{});
    case 4:
        return as(std::uint32_t{});
    case 8:
        return as(std::uint64_t{});
    default:
        for (std::size_t i = 0; i != from_rows.size(); ++i)
            std::memcpy(to + to_rows[i] * size, from + from_rows[i] * size, size);
    }
}
/// Row from_rows[i] of `from` goes to row to_rows[i] of `to`. Both have equal schemas. @throws std::bad_alloc of texts; some rows
/// are written then
inline void copy_rows(Columns& to, std::span<const slot_t> to_rows, const Columns& from, std::span<const slot_t> from_rows) {
    if (from_rows.empty()) return;
    const auto theirs = from.schema().fields();
    const auto ours = to.schema().fields();
    for (std::size_t i = 0; i != ours.size(); ++i) {
        if (ours[i].is_text())
            copy_cells(static_cast<Text*>(to.at(ours[i], 0)), to_rows, reinterpret_cast<const Text*>(from.data(theirs[i])),
                       from_rows);
        else
            copy_cells(static_cast<std::byte*>(to.at(ours[i], 0)), to_rows, from.data(theirs[i]), from_rows, ours[i].size());
        if (const std::uint8_t* const valid = from.validity(theirs[i]))
            copy_cells(const_cast<std::uint8_t*>(to.validity(ours[i])), to_rows, valid, from_rows);
    }
}

//=== from a series ===//

template <class C>
class DeltaCapture {
public:
    DeltaCapture(const C& series, DeltaData& delta) : series_(series), delta_(delta) {}

    void window() {
        const Time now = series_.window();
        delta_.ticked = series_.modified(now);
        delta_.cleared = series_.invalidated(now);
        if constexpr (has_values<C>) {
            // Whether a member had no value when the window opened.
            const auto& tracker = slotwise::detail::SeriesAccess::state(series_).tracker();
            const auto was_blank = [&](slot_t slot) { return (tracker.opening_flags(slot) & 2) != 0; };
            const auto removed = series_.removed_keys(now), reset = series_.reset_keys(now);
            for (const slot_t slot : removed.slot_range()) add(slot, Op::remove, false, was_blank(slot));
            delta_.keys_ticked = series_.keys_modified(now);
            const auto added = series_.added_keys(now), updated = series_.updated_keys(now);
            for (const slot_t slot : added.slot_range()) add(slot, Op::insert, series_.modified_at(slot, now));
            for (const slot_t slot : updated.slot_range()) add(slot, Op::update, true, was_blank(slot));
            for (const slot_t slot : reset.slot_range()) // also of those that had no value before
                if (!was_blank(slot)) add(slot, Op::reset, false);
        } else {
            add(series_.removed_keys(now).slot_range(), Op::remove);
            add(series_.added_keys(now).slot_range(), Op::insert);
        }
        finish();
    }
    void state() {
        delta_.ticked = series_.valid();
        if constexpr (has_values<C>) {
            delta_.keys_ticked = series_.keys_last_modified() != never;
            for (const slot_t slot : series_.live_slots()) add(slot, Op::insert, series_.valid_at(slot));
        } else
            add(series_.live_slots(), Op::insert);
        finish();
    }

private:
    template <class Slots>
    void add(const Slots& slots, Op op) {
        for (const slot_t slot : slots) add(slot, op, false);
    }
    void add(slot_t slot, Op op, bool value, bool blank = false) {
        if (value) {
            from_.push_back(slot);
            to_.push_back(static_cast<slot_t>(slots_.size()));
        }
        slots_.push_back(slot);
        delta_.ops.push_back(op);
        delta_.has.push_back(value);
        delta_.blank.push_back(blank);
    }
    void finish() {
        delta_.until = series_.window();
        delta_.keys = KeyList(*delta_.key_type);
        delta_.keys.reserve(slots_.size());
        for (const slot_t slot : slots_) delta_.keys.push(series_.key(slot));
        if constexpr (has_values<C>) {
            delta_.values.init(delta_.schema, slots_.size());
            copy_rows(delta_.values, to_, series_.columns(), from_);
        }
    }

    const C& series_;
    DeltaData& delta_;
    std::vector<slot_t> slots_, from_, to_;
};

/// The changes of the open window. `since` is to be set. Needs no GIL.
template <class C>
void capture_window(const C& series, DeltaData& delta) {
    DeltaCapture<C>(series, delta).window();
}
/// All members, as the delta that leads there from an empty series.
template <class C>
void capture_state(const C& series, DeltaData& delta) {
    DeltaCapture<C>(series, delta).state();
}

//=== two deltas as one ===//

/// What `first` and `second` do one after the other. @throws std::invalid_argument when they do not follow each other
inline DeltaData compose(const DeltaData& first, const DeltaData& second) {
    if (!first.same_types(second)) throw std::invalid_argument("other: its keys or values are of other types");
    if (second.since != first.until && !second.replaced)
        throw std::invalid_argument("other: it does not begin where this delta ends");
    DeltaData joined;
    joined.key_type = first.key_type;
    joined.schema = first.schema;
    joined.since = first.since;
    joined.until = second.until;
    joined.replaced = first.replaced || second.replaced;
    joined.cleared = first.cleared || second.cleared;
    joined.ticked = second.ticked || (first.ticked && !second.cleared);
    joined.keys_ticked = second.keys_ticked || (first.keys_ticked && !second.cleared);
    joined.keys = KeyList(*joined.key_type);
    std::vector<slot_t> to[2], from[2];
    const auto add = [&](const DeltaData& of, std::size_t row, Op op, bool value, bool blank) {
        const std::size_t which = &of == &second;
        if (value) {
            to[which].push_back(static_cast<slot_t>(joined.ops.size()));
            from[which].push_back(static_cast<slot_t>(row));
        }
        joined.keys.push(of.keys.at(row));
        joined.ops.push_back(op);
        joined.has.push_back(value);
        joined.blank.push_back(blank);
    };
    const bool afresh = second.cleared || second.replaced;
    const auto& type = joined.key_type->type();
    std::unordered_map<const void*, slot_t, KeyHash, KeyEqual> later(afresh ? 0 : second.rows(), KeyHash{&type},
                                                                     KeyEqual{&type});
    if (!afresh && first.rows() != 0) // a row of `first` that has none in `second` stays
        for (std::size_t row = 0; row != second.rows(); ++row) later.emplace(second.keys.at(row), static_cast<slot_t>(row));
    std::vector<bool> joined_already(second.rows());
    if (!afresh)
        for (std::size_t row = 0; row != first.rows(); ++row) {
            const Op before = first.ops[row];
            const auto found = later.find(first.keys.at(row));
            if (found == later.end()) {
                add(first, row, before, first.has[row] != 0, first.blank[row] != 0);
                continue;
            }
            const std::size_t then_row = found->second;
            const Op then = second.ops[then_row];
            joined_already[then_row] = true;
            const bool was_there = before != Op::insert, is_there = before != Op::remove;
            if (is_there == (then == Op::insert))
                throw std::invalid_argument("other: it does not follow this delta: a key that it " +
                                            std::string(is_there ? "adds is a member already" : "changes is no member"));
            if (then == Op::remove) {
                if (was_there) add(second, then_row, Op::remove, false, first.blank[row] != 0);
                continue;
            }
            if (joined.schema == nullptr && was_there) continue; // of a set: removed and added again
            const bool value = second.has[then_row] != 0;
            if (was_there && !value && first.blank[row] != 0) continue; // it had none, and has none
            const Op op = !was_there ? Op::insert : value ? Op::update : Op::reset;
            add(second, then_row, op, value, op == Op::update && first.blank[row] != 0);
        }
    for (std::size_t row = 0; row != second.rows(); ++row)
        if (!joined_already[row]) add(second, row, second.ops[row], second.has[row] != 0, second.blank[row] != 0);
    if (joined.schema != nullptr) {
        joined.values.init(joined.schema, joined.rows());
        copy_rows(joined.values, to[0], first.values, from[0]);
        copy_rows(joined.values, to[1], second.values, from[1]);
    }
    return joined;
}

//=== to a replica ===//

/// The member of each row. @throws std::invalid_argument that names the key and why the delta does not fit; nothing has changed
template <class C>
std::vector<slot_t> expect_fits(const C& series, const DeltaData& delta, bool strict) {
    const bool from_empty = delta.cleared || delta.replaced;
    std::vector<slot_t> slots(delta.rows());
    std::vector<bool> seen(series.capacity());
    std::size_t fresh = 0;
    const auto refuse = [&](std::size_t row, const char* why) {
        static constexpr const char* names[] = {"", "insert", "update", "remove", "reset"};
        throw std::invalid_argument("delta: row " + std::to_string(row) + ", " + names[static_cast<int>(delta.ops[row])] +
                                    " of the key " + spelled_key(*delta.key_type, delta.keys.at(row)) + ": it " + why);
    };
    for (std::size_t row = 0; row != slots.size(); ++row) {
        const slot_t slot = slots[row] = series.slot_of(delta.keys.at(row));
        const bool member = slot != no_slot && !from_empty;
        if (slot == no_slot)
            ++fresh;
        else {
            if (seen[slot]) refuse(row, "comes twice");
            seen[slot] = true;
        }
        if (strict && delta.ops[row] == Op::insert && member) refuse(row, "is a member already");
        if (strict && delta.ops[row] != Op::insert && !member) refuse(row, "is no member");
    }
    if (fresh < 2) return slots;
    const auto& type = delta.key_type->type();
    std::unordered_set<const void*, KeyHash, KeyEqual> keys(fresh, KeyHash{&type}, KeyEqual{&type});
    for (std::size_t row = 0; row != slots.size(); ++row)
        if (slots[row] == no_slot && !keys.insert(delta.keys.at(row)).second) refuse(row, "comes twice");
    return slots;
}

/// Room for what the delta adds, before the window opens: an open window counts as applied.
template <class C>
void reserve_for(C& series, std::size_t more) {
    const std::size_t used = series.size() + series.pending();
    if (series.capacity() - used < more) series.reserve(used + std::max(more, std::min(used / 2, most_slots - used)));
}

/// Writes the rows. @pre expect_fits()
template <class C, class W>
void apply_rows(C& series, W& writer, const DeltaData& delta) {
    if (delta.cleared) writer.invalidate();
    for (std::size_t row = 0; row != delta.rows(); ++row)
        if (delta.ops[row] == Op::remove) writer.erase(delta.keys.at(row));
    if constexpr (has_values<C>) {
        Columns& columns = series.columns();
        std::vector<slot_t> to, from;
        for (std::size_t row = 0; row != delta.rows(); ++row) {
            const void* const key = delta.keys.at(row);
            if (delta.has[row] != 0) {
                to.push_back(writer.set(key, &no_value).it.slot());
                from.push_back(static_cast<slot_t>(row));
            } else if (delta.ops[row] != Op::remove) {
                const auto created = writer.create(key);
                // Also of a member that had no value: so the replica's own delta is this one.
                if (!created.inserted) slotwise::detail::SeriesAccess::state(series).unstamp(created.it.slot());
                columns.reset(created.it.slot());
            }
        }
        copy_rows(columns, to, delta.values, from);
        if (delta.keys_ticked) slotwise::detail::SeriesAccess::state(series).notification().keys.tick(series.window());
        if (delta.ticked || delta.keys_ticked) writer.touch();
    } else {
        for (std::size_t row = 0; row != delta.rows(); ++row)
            if (delta.ops[row] == Op::insert) writer.insert(delta.keys.at(row));
        if (delta.ticked) writer.touch();
    }
}

//=== as bytes ===//

/// The words of a bit a row that are all set.
inline std::vector<slotwise::bits::word_t> full_words(std::size_t rows) {
    std::vector<slotwise::bits::word_t> words(slotwise::bits::word_count(rows), slotwise::bits::full_word);
    if (rows % slotwise::bits::word_bits != 0) words.back() = slotwise::bits::low_mask(rows % slotwise::bits::word_bits);
    return words;
}

class DeltaBytes {
    static constexpr std::uint64_t magic = 0x3141'544C'4544'5753u; // "SWDELTA1"

public:
    static std::vector<std::byte> write(const DeltaData& delta) {
        std::vector<std::byte> out;
        number(out, magic);
        text(out, delta.key_type->spelled());
        text(out, delta.schema == nullptr ? std::string() : delta.schema->spelled());
        number(out, static_cast<std::uint64_t>(delta.since));
        number(out, static_cast<std::uint64_t>(delta.until));
        number(out,
               static_cast<std::uint64_t>(delta.ticked | delta.keys_ticked << 1 | delta.cleared << 2 | delta.replaced << 3));
        number(out, delta.rows());
        raw(out, delta.ops.data(), delta.rows());
        for (std::size_t row = 0; row != delta.rows(); ++row)
            out.push_back(static_cast<std::byte>(delta.has[row] | delta.blank[row] << 1));
        for (std::size_t row = 0; row != delta.rows(); ++row) {
            const void* const key = delta.keys.at(row);
            if (delta.key_type->is_int())
                raw(out, key, 8);
            else
                text(out, static_cast<const Text*>(key)->view());
        }
        if (delta.schema != nullptr) {
            const auto words = full_words(delta.rows());
            delta.values.save(Occupancy(words.data(), delta.rows()), out);
        }
        number(out, slotwise::detail::Xxh3::of(out));
        return out;
    }
    /// @throws std::invalid_argument that says what is wrong with the bytes
    static DeltaData read(std::span<const std::byte> bytes, std::shared_ptr<const KeyType> key_type,
                          std::shared_ptr<const Schema> schema) {
        DeltaBytes in(bytes);
        if (bytes.size() < 16 || in.number() != magic) refuse("they are no delta");
        in.left_ = in.left_.first(in.left_.size() - 8);
        DeltaBytes end(bytes.subspan(bytes.size() - 8));
        if (end.number() != slotwise::detail::Xxh3::of(bytes.first(bytes.size() - 8))) refuse("they are damaged");
        const std::string keys(in.text()), values(in.text());
        if (keys != key_type->spelled()) refuse("their keys are " + keys + ", and here " + key_type->spelled());
        const std::string here = schema == nullptr ? std::string() : schema->spelled();
        if (values != here) refuse("their values are " + said(values) + ", and here " + said(here));
        DeltaData delta;
        delta.key_type = std::move(key_type);
        delta.schema = std::move(schema);
        delta.since = static_cast<Time>(in.number());
        delta.until = static_cast<Time>(in.number());
        const std::uint64_t flags = in.number(), rows = in.number();
        if (flags > 15) refuse("they are damaged");
        delta.ticked = (flags & 1) != 0;
        delta.keys_ticked = (flags & 2) != 0;
        delta.cleared = (flags & 4) != 0;
        delta.replaced = (flags & 8) != 0;
        if (delta.until < delta.since && !delta.replaced) refuse("they are damaged"); // restore() may lead back
        if (rows > in.left_.size() / 2) refuse("they end too early");
        const auto ops = in.raw(rows), has = in.raw(rows);
        for (std::size_t row = 0; row != rows; ++row) {
            const auto op = std::to_integer<int>(ops[row]), flags = std::to_integer<int>(has[row]);
            const int value = flags & 1, blank = flags >> 1;
            const bool may = delta.schema != nullptr && (op == 1 || op == 2);
            const bool may_be_blank = delta.schema != nullptr && (op == 2 || op == 3);
            if (op < 1 || op > 4 || value > may || blank > may_be_blank || (op == 2 && value == 0)) refuse("they are damaged");
            delta.blank.push_back(static_cast<std::uint8_t>(blank));
            delta.ops.push_back(static_cast<Op>(op));
            delta.has.push_back(static_cast<std::uint8_t>(value));
        }
        delta.keys = KeyList(*delta.key_type);
        if (rows <= in.left_.size() / 4) delta.keys.reserve(rows);
        for (std::size_t row = 0; row != rows; ++row) {
            if (delta.key_type->is_int())
                delta.keys.push(in.number());
            else {
                Text key(in.text());
                if (!delta.key_type->is_sound(&key)) refuse("a key is damaged, or no UTF-8");
                delta.keys.push(std::move(key));
            }
        }
        if (delta.schema != nullptr) {
            delta.values.init(delta.schema, rows);
            const auto words = full_words(rows);
            delta.values.load(Occupancy(words.data(), rows), in.left_);
        } else if (!in.left_.empty())
            refuse("there are more of them than a delta needs");
        return delta;
    }

private:
    explicit DeltaBytes(std::span<const std::byte> bytes) : left_(bytes) {}
    [[noreturn]] static void refuse(const std::string& why) {
        throw std::invalid_argument("data: these bytes are no delta of this series: " + why);
    }
    static std::string said(const std::string& values) { return values.empty() ? "none" : values; }
    static void raw(std::vector<std::byte>& out, const void* data, std::size_t size) {
        const auto* const first = static_cast<const std::byte*>(data);
        out.insert(out.end(), first, first + size);
    }
    static void number(std::vector<std::byte>& out, std::uint64_t value) {
        std::byte bytes[8];
        for (unsigned i = 0; i != 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
        raw(out, bytes, 8);
    }
    static void text(std::vector<std::byte>& out, std::string_view value) {
        number(out, value.size());
        raw(out, value.data(), value.size());
    }
    std::span<const std::byte> raw(std::uint64_t size) {
        if (size > left_.size()) refuse("they end too early");
        const auto result = left_.first(static_cast<std::size_t>(size));
        left_ = left_.subspan(static_cast<std::size_t>(size));
        return result;
    }
    std::uint64_t number() {
        const auto bytes = raw(8);
        std::uint64_t value = 0;
        for (unsigned i = 0; i != 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
        return value;
    }
    std::string_view text() {
        const auto bytes = raw(number());
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }

    std::span<const std::byte> left_;
};

} // namespace slotwise_python

#endif
