// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// apply_delta: a replica follows its original by streams of deltas. Each delta is applied once, however often it arrives.
#ifndef SLOTWISE_ARROW_APPLY_DELTA_HPP
#define SLOTWISE_ARROW_APPLY_DELTA_HPP

#include "../series/apply_delta.hpp"
#include "delta.hpp"
#include "import.hpp"

SLOTWISE_BEGIN

namespace detail {

/// Applies one batch of rows. All of them are checked against the series before the first is applied.
template <class Series>
class DeltaApplier {
    using Delta = typename Series::delta_type;
    using Types = DeltaTypes<Delta>;
    using Key = typename Types::key;
    using T = typename Types::value;
    static constexpr bool has_values = !std::is_void_v<T>;

public:
    DeltaApplier(Series& series, const DeltaReader<Delta>& reader, std::size_t rows, Strictness mode)
        : series_(series), reader_(reader), rows_(rows), strict_(mode == Strictness::strict), slots_(rows, no_slot) {}

    /// Finds the member of each row. Refuses keys that occur twice, and in strict mode those that do not fit the series.
    bool validate(ArrowRefusal& refusal) {
        const bool from_empty = reader_.header.invalidated;
        std::vector<bits::word_t> seen(bits::word_count(series_.capacity()));
        auto keys_ahead = look_ahead(series_, reader_.keys, rows_);
        for (std::size_t row = 0; row != rows_; ++row) {
            keys_ahead.at(row);
            const slot_t slot = series_.slot_of(key_of(row));
            const bool is_member = slot != no_slot && !from_empty;
            slots_[row] = slot;
            if (slot != no_slot) {
                bits::word_t& word = seen[bits::word_of(slot)];
                if ((word & bits::bit_of(slot)) != 0) return refuse(row, "occurs twice", refusal);
                word |= bits::bit_of(slot);
            } else
                ++new_keys_;
            const DeltaOp op = reader_.op(row);
            without_reset_ = without_reset_ && op != DeltaOp::reset;
            if (strict_ && op == DeltaOp::insert && is_member) return refuse(row, "is a member already", refusal);
            if (strict_ && op != DeltaOp::insert && !is_member) return refuse(row, "is not a member", refusal);
        }
        return new_keys_ < 2 || check_new_keys(refusal);
    }
    /// Applies the rows. @pre validate() has returned true
    void apply() {
        auto writer = open();
        Delta flags;
        reader_.start(flags);
        if (!without_reset_ || flags.invalidated) {
            reader_.append(rows_, flags);
            writer.apply(flags, Strictness::lenient);
            return;
        }
        for (std::size_t row = 0; row != rows_; ++row) {
            if (const std::size_t later = row + rows_to_element; later < rows_ && slots_[later] != no_slot)
                ColumnAccess::prefetch_columns(indexed_container(series_), slots_[later]);
            apply_row(writer, row);
        }
        writer.apply(flags, Strictness::lenient); // ticks what ticked in the original
    }

private:
    // Opens the window. Memory is reserved before, because an open window counts as applied.
    auto open() {
        const std::size_t used = series_.size() + series_.pending();
        if (series_.capacity() - used < new_keys_)
            series_.reserve(series_.size() + (new_keys_ < used / 2 ? used / 2 : new_keys_));
        return series_.write(reader_.header.to);
    }
    decltype(auto) key_of(std::size_t row) const {
        if constexpr (requires { series_.slot_of(reader_.keys[row]); })
            return reader_.keys[row];
        else
            return Key(reader_.keys[row]);
    }
    bool refuse(std::size_t row, const char* what, ArrowRefusal& refusal) const {
        return DeltaReader<Delta>::refuse_row("key", what, row, refusal);
    }
    // Refuses new keys that occur twice. They are put into a table whose entries are the upper half of the hash and the row
    // plus one. (With a SetStorage this took as long as the inserts that follow.)
    bool check_new_keys(ArrowRefusal& refusal) const {
        const auto& hash = series_.hash_function();
        const auto& equal = series_.key_eq();
        using K = std::remove_cvref_t<decltype(reader_.keys[0])>;
        using Hash = std::remove_cvref_t<decltype(hash)>;
        using Equal = std::remove_cvref_t<decltype(equal)>;
        using Looked = std::conditional_t<
            std::is_invocable_v<const Hash&, const K&> && std::is_invocable_v<const Equal&, const K&, const K&>, K, Key>;
        constexpr std::uint64_t row_bits = 0xFFFF'FFFFu;
        if (rows_ >= row_bits) return refuse(0, "is one of more rows than a series has slots", refusal);
        const std::size_t mask = std::bit_ceil(2 * new_keys_) - 1;
        std::vector<std::uint64_t> table(mask + 1);
        for (std::size_t row = 0; row != rows_; ++row) {
            if (slots_[row] != no_slot) continue;
            const Looked key(reader_.keys[row]);
            const std::uint64_t hashed = mix_bits(static_cast<std::uint64_t>(hash(key)));
            std::size_t at = bits::to_size(hashed) & mask;
            for (; table[at] != 0; at = (at + 1) & mask)
                if ((table[at] ^ hashed) <= row_bits &&
                    equal(Looked(reader_.keys[bits::to_size((table[at] & row_bits) - 1)]), key))
                    return refuse(row, "occurs twice", refusal);
            table[at] = (hashed & ~row_bits) | (row + 1);
        }
        return true;
    }
    template <class Writer>
    void apply_row(Writer& writer, std::size_t row) {
        const slot_t slot = slots_[row];
        if (reader_.op(row) == DeltaOp::remove) {
            if (slot != no_slot) writer.remove(series_.handle_at(slot));
            return;
        }
        if constexpr (!has_values)
            writer.insert(Key(reader_.keys[row]));
        else if (!reader_.has_value(row)) {
            writer.create(Key(reader_.keys[row]));
        } else if (slot == no_slot)
            writer.set(Key(reader_.keys[row]), reader_.values[row]);
        else if constexpr (std::is_assignable_v<T&, decltype(reader_.values[row])>)
            written(writer, slot) = reader_.values[row];
        else
            written(writer, slot) = T(reader_.values[row]);
    }
    // The value of a member, which counts as written. It is found by slot, because to check the version of a handle is one more
    // cache miss. If an assignment or a hash function has removed the member since validate(), the handle is used to report
    // that.
    template <class Writer>
    auto& written(Writer& writer, slot_t slot) {
        if (!series_.occupancy().test(slot)) [[unlikely]]
            return writer.modify(series_.handle_at(slot));
        auto& state = SeriesAccess::state(series_);
        state.stamp(slot);
        return state.value(slot);
    }

    Series& series_;
    const DeltaReader<Delta>& reader_;
    std::size_t rows_, new_keys_ = 0;
    bool strict_, without_reset_ = true;
    std::vector<slot_t> slots_; // of the member of each row; no_slot if the key is new
};

} // namespace detail

/// As apply_delta, but returns the error instead of throwing it. @throws what the series throws
template <class Series>
    requires detail::is_series<Series>
AppliedDelta try_apply_delta(Series& series, ArrowArrayStream* stream, Strictness mode = Strictness::strict) {
    using Delta = typename Series::delta_type;
    OwnedStream owned(stream);
    detail::ArrowRefusal refusal;
    detail::DeltaReader<Delta> reader;
    AppliedDelta result;
    Delta several; // the rows of all batches but the last one
    OwnedArray last;
    std::size_t last_rows = 0, batches = 0, all_rows = 0;
    bool wanted = true;
    const bool read = detail::read_batches(
        owned, refusal,
        [&](const ArrowSchema& schema) {
            if (!reader.bind(schema, refusal)) return false;
            result.applied = detail::applies(series.window(), reader.header.from, reader.header.to);
            return wanted = result.applied == Applied::done;
        },
        [&](OwnedArray& batch) {
            if (++batches > 1) reader.append(last_rows, several);
            last = std::move(batch);
            if (!reader.open(*last, last_rows, refusal)) return false;
            all_rows += last_rows;
            return true;
        });
    if (!wanted) return result;
    if (!read || !reader.is_intact(refusal)) {
        result.error = "apply_delta: " + refusal.text();
        return result;
    }
    if (batches > 1) {
        // Several batches are rare. They are joined to one, because only one batch is checked as a whole.
        reader.append(last_rows, several);
        reader.start(several);
        std::size_t rows = 0; // fewer than all_rows if a key occurs twice, because a delta joins its changes
        detail::each_delta_row(several, [&](auto&&...) { ++rows; });
        if (rows != all_rows) {
            result.error = "apply_delta: column \"key\": occurs twice, in rows of different batches";
            return result;
        }
        ArrowArrayStream joined;
        export_delta(several, reader.header.from, &joined);
        return try_apply_delta(series, &joined, mode);
    }
    detail::DeltaApplier<Series> applier(series, reader, last_rows, mode);
    if (!applier.validate(refusal))
        result.error = "apply_delta: " + refusal.text();
    else
        applier.apply();
    return result;
}

/// Applies a stream of export_delta to a series in the state of slotwise.from. It then has the state of slotwise.to, and
/// capturing it gives the same delta as capturing the original. A stream that arrives twice is applied once, and one that
/// arrives too early is not applied. So delivery "at least once" is enough. The stream is released in each case.
///
/// All rows are checked before the first change: their checksum, the columns as by import_stream(), and the keys against the
/// series. Each key may be in one row only.
/// @param mode strict: inserted keys must not be members, and all others must be; lenient: changes that the series already has
/// are skipped
/// @throws std::invalid_argument that names the column and what is wrong with it, and nothing has changed; after that as the
/// functions of the writer: the changes made until then stay, and the window counts as applied
/// @complexity linear in rows and in slots / 64
template <class Series>
    requires detail::is_series<Series>
Applied apply_delta(Series& series, ArrowArrayStream* stream, Strictness mode = Strictness::strict) {
    const AppliedDelta result = try_apply_delta(series, stream, mode);
    if (!result) detail::throw_arrow_error(result.error);
    return result.applied;
}

SLOTWISE_END

#endif
