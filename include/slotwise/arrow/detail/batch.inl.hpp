// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of batch.hpp.
#ifndef SLOTWISE_ARROW_DETAIL_BATCH_INL_HPP
#define SLOTWISE_ARROW_DETAIL_BATCH_INL_HPP

#include "batch.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE std::size_t count_bits(const bits::word_t* words, std::size_t n) noexcept {
    constexpr bits::word_t ones = 0x0101'0101'0101'0101u;
    std::size_t total = 0;
    while (n != 0) {
        const std::size_t some = n < 31 ? n : 31; // a byte holds 31 times 8
        bits::word_t sum = 0;
        for (std::size_t i = 0; i != some; ++i) {
            bits::word_t x = words[i];
            x -= (x >> 1) & (ones * 0x55u);
            x = (x & (ones * 0x33u)) + ((x >> 2) & (ones * 0x33u));
            sum += (x + (x >> 4)) & (ones * 0x0Fu);
        }
        sum = (sum & 0x00FF'00FF'00FF'00FFu) + ((sum >> 8) & 0x00FF'00FF'00FF'00FFu);
        total += bits::to_size((sum * 0x0001'0001'0001'0001u) >> 48);
        words += some;
        n -= some;
    }
    return total;
}

SLOTWISE_INLINE std::size_t ArrowRows::count_live() const noexcept {
    if (live == nullptr || first == end) return end - first;
    const std::size_t begin = bits::word_of(first), last = bits::word_of(end - 1);
    if (begin == last) return bits::count(word(begin));
    return bits::count(word(begin)) + count_bits(live + begin + 1, last - begin - 1) + bits::count(word(last));
}

SLOTWISE_INLINE void make_schema(const ArrowPlan& plan, ArrowSchema* out, const ArrowPairs& metadata) {
    ArrowSchema whole = make_schema("+s", "", 0, metadata, plan.columns.size());
    OwnedSchema schema(&whole);
    for (std::size_t i = 0; i != plan.columns.size(); ++i) {
        const ArrowColumn& column = plan.columns[i];
        *schema->children[i] =
            make_schema(column.format, column.name, plan.is_nullable(column) ? ARROW_FLAG_NULLABLE : 0, {}, 0);
    }
    schema.move_to(out);
}

SLOTWISE_INLINE ArrowArray make_column(std::unique_ptr<ArrowNode> node, std::size_t rows, std::size_t nulls, bool text,
                                       const void* shared) {
    node->buffers[0] = nulls == 0 ? nullptr : node->nulls->data();
    node->buffers[1] = shared != nullptr ? shared : text ? node->data.offsets.data() : node->data.values.data();
    node->buffers[2] = text ? node->data.values.data() : nullptr;
    return arrow_column_of(std::move(node), rows, nulls, text ? 3 : 2);
}

SLOTWISE_INLINE void copy_live_bits(const ArrowRows& rows, std::byte* bitmap) noexcept {
    const std::size_t first = bits::word_of(rows.first), last = bits::word_of(rows.end - 1);
    const auto shift = static_cast<unsigned>(rows.first % bits::word_bits);
    if (std::endian::native == std::endian::little && shift == 0) { // pages begin at whole words
        std::memcpy(bitmap, rows.live + first, (last - first) * sizeof(bits::word_t));
        return put_bitmap_word(bitmap, last - first, rows.word(last));
    }
    for (std::size_t w = first, i = 0; i != bits::word_count(rows.end - rows.first); ++w, ++i) {
        const bits::word_t low = rows.word(w);
        const bits::word_t high = shift == 0 || w == last ? 0 : rows.word(w + 1) << (bits::word_bits - shift);
        put_bitmap_word(bitmap, i, (low >> shift) | high);
    }
}

SLOTWISE_INLINE ArrowBatcher::ArrowBatcher(ArrowPlan plan, std::shared_ptr<const void> owner)
    : plan_(std::move(plan)), owner_(std::move(owner)) {
    const bool any = std::any_of(plan_.columns.begin(), plan_.columns.end(), [](const auto& c) { return c.shares; });
    shares_ = owner_ != nullptr && any;
    if (plan_.options.most_gathered < bits::word_bits) plan_.options.most_gathered = bits::word_bits;
    if (plan_.options.least_shared == 0) plan_.options.least_shared = 1;
}

SLOTWISE_INLINE OwnedArray ArrowBatcher::next() {
    for (; segment_ != plan_.segments.size(); ++segment_, entered_ = false) {
        const ArrowSegment& segment = plan_.segments[segment_];
        if (!entered_) enter(segment);
        ArrowRows rows;
        rows.live = segment.live;
        rows.every_slot = plan_.options.rows == Rows::all_slots;
        const bool share = choose(segment, rows);
        if (rows.first == segment.rows) continue;
        while (true) {
            rows.count = rows.every_slot || share ? rows.end - rows.first : rows.count_live();
            if (OwnedArray batch = make(segment, rows, share)) {
                row_ = rows.end;
                if (share) {
                    pieces_[piece_].begin = row_; // short of its end if there was too much text
                    if (row_ == pieces_[piece_].end) ++piece_;
                }
                return batch;
            }
            // Too much text for the offsets of one batch: half of its rows.
            if (rows.count == 1) throw_length_error("Arrow export: one text has 2 GiB or more");
            const std::size_t half = rows.count / 2;
            rows.end =
                rows.every_slot || rows.live == nullptr ? rows.first + half : end_of(segment, rows.first, rows.end, half);
        }
    }
    owner_.reset();
    return {};
}

SLOTWISE_INLINE void ArrowBatcher::enter(const ArrowSegment& segment) {
    pieces_.clear();
    piece_ = 0;
    row_ = 0;
    entered_ = true;
    const bool every_slot = plan_.options.rows == Rows::all_slots;
    const std::size_t least = every_slot ? 1 : plan_.options.least_shared;
    if (!shares_ || !shares_here(segment)) return;
    for (std::size_t row = 0; row < segment.rows;) {
        const std::size_t begin = every_slot || segment.live == nullptr ? row : run_begin(segment, row, least);
        if (begin >= segment.rows) break;
        const std::size_t end = every_slot || segment.live == nullptr ? segment.rows : live_end(segment, begin);
        for (row = begin; row != end;) {
            const std::size_t run = shared_run(segment, row, end);
            if (run >= least) pieces_.push_back({row, row + run});
            row += run;
        }
    }
}

SLOTWISE_INLINE bool ArrowBatcher::choose(const ArrowSegment& segment, ArrowRows& rows) noexcept {
    const bool each = rows.every_slot || segment.live == nullptr;
    const bool left = piece_ != pieces_.size();
    const std::size_t first = each ? row_ : first_live(segment, row_);
    rows.first = first;
    if (left && pieces_[piece_].begin == first) {
        rows.end = pieces_[piece_].end;
        return true;
    }
    const std::size_t limit = left ? pieces_[piece_].begin : segment.rows;
    const std::size_t most = plan_.options.most_gathered;
    rows.end = !each ? end_of(segment, first, limit, most) : limit - first > most ? first + most : limit;
    return false;
}

SLOTWISE_INLINE std::size_t ArrowBatcher::first_live(const ArrowSegment& segment, std::size_t row) noexcept {
    const slot_t found = Occupancy(segment.live, segment.rows).find_next(row);
    return found == no_slot ? segment.rows : found;
}

SLOTWISE_INLINE std::size_t ArrowBatcher::live_end(const ArrowSegment& segment, std::size_t row) noexcept {
    for (; row < segment.rows; row = (bits::word_of(row) + 1) * bits::word_bits) {
        const bits::word_t dead = ~segment.live[bits::word_of(row)] & (bits::full_word << (row % bits::word_bits));
        if (dead == 0) continue;
        row = bits::word_of(row) * bits::word_bits + bits::lowest(dead);
        break;
    }
    return row < segment.rows ? row : segment.rows;
}

SLOTWISE_INLINE std::size_t ArrowBatcher::run_begin(const ArrowSegment& segment, std::size_t row, std::size_t least) noexcept {
    if (least < std::size_t{2} * bits::word_bits) return first_live(segment, row);
    // Such a run contains a full word, and where there are many holes few words are full.
    for (std::size_t w = bits::word_of(row); (w + 1) * bits::word_bits <= segment.rows; ++w) {
        if (segment.live[w] != bits::full_word) continue;
        const std::size_t before = w == 0 ? 0 : static_cast<std::size_t>(std::countl_one(segment.live[w - 1]));
        return (std::max)(row, w * bits::word_bits - before);
    }
    return segment.rows;
}

SLOTWISE_INLINE std::size_t ArrowBatcher::end_of(const ArrowSegment& segment, std::size_t first, std::size_t limit,
                                                 std::size_t most) noexcept {
    ArrowRows rows;
    rows.live = segment.live;
    std::size_t count = 0;
    for (rows.first = first; rows.first < limit && count < most; rows.first = rows.end) {
        rows.end = (std::min)(limit, (bits::word_of(rows.first) + 1) * bits::word_bits);
        const std::size_t more = rows.count_live();
        if (count + more > most) { // part of a word
            bits::word_t word = rows.word(bits::word_of(rows.first));
            for (; count != most; ++count) word &= word - 1;
            return bits::word_of(rows.first) * bits::word_bits + bits::lowest(word);
        }
        count += more;
    }
    return rows.first;
}

SLOTWISE_INLINE std::size_t ArrowBatcher::shared_run(const ArrowSegment& segment, std::size_t row,
                                                     std::size_t end) const noexcept {
    for (std::size_t i = 0; i != plan_.columns.size(); ++i)
        if (is_shared(segment, i)) end = row + segment.sources[i].run(row, end);
    return end - row;
}

SLOTWISE_INLINE bool ArrowBatcher::is_shared(const ArrowSegment& segment, std::size_t column) const noexcept {
    return plan_.columns[column].shares && !segment.sources[column].slot_list && !segment.sources[column].absent;
}

SLOTWISE_INLINE bool ArrowBatcher::shares_here(const ArrowSegment& segment) const noexcept {
    bool any = false;
    for (std::size_t i = 0; i != plan_.columns.size(); ++i) any = any || is_shared(segment, i);
    return any;
}

SLOTWISE_INLINE OwnedArray ArrowBatcher::make(const ArrowSegment& segment, const ArrowRows& rows, bool share) const {
    ArrowArray whole = make_batch(rows.count, plan_.columns.size());
    OwnedArray batch(&whole);
    Nulls live, written;
    if (rows.every_slot && rows.live != nullptr) {
        live.count = rows.count - rows.count_live();
        if (live.count != 0) live.bitmap = bitmap<false>(rows, [&](std::byte* to) { copy_live_bits(rows, to); });
    }
    if (segment.written != nullptr) {
        std::size_t set = 0;
        written.bitmap = bitmap(rows, [&](std::byte* to) { set = segment.written(segment.stamps, rows, to); });
        written.count = rows.count - set;
    } else
        written = live;
    for (std::size_t i = 0; i != plan_.columns.size(); ++i) {
        const ArrowColumn& column = plan_.columns[i];
        const ArrowSource& source = segment.sources[i];
        auto node = std::make_unique<ArrowNode>();
        Nulls nulls = column.stamped ? written : live;
        if (source.absent) nulls = {rows.count, bitmap(rows, [](std::byte*) {})};
        node->nulls = nulls.bitmap;
        const void* shared = nullptr;
        if (share && is_shared(segment, i)) {
            shared = source.at(rows.first);
            node->owner = owner_;
        } else {
            node->data.most_text = plan_.most_text;
            if (!column.gather(source, rows, node->data)) return {};
        }
        *batch->children[i] = make_column(std::move(node), rows.count, nulls.count, column.text, shared);
    }
    return batch;
}

} // namespace detail

SLOTWISE_END

#endif
