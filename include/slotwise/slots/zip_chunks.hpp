// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// zip_chunks: several columns of one container as chunks in which each of them is contiguous.
#ifndef SLOTWISE_SLOTS_ZIP_CHUNKS_HPP
#define SLOTWISE_SLOTS_ZIP_CHUNKS_HPP

#include "column_view.hpp"

SLOTWISE_BEGIN

/// A run of consecutive slots in which the values of several columns are contiguous: those of column k in get<k>(values).
/// Element i of each span belongs to slot first + i and is alive where live.test(i).
template <class... T>
struct ZippedChunk {
    slot_t first;                       ///< a multiple of 64, or any slot where values lie apart: see ColumnChunk
    std::tuple<std::span<T>...> values; ///< all of the same size; touch only live ones
    Occupancy live;                     ///< one bit a slot; live.words() is the mask, lowest bit = the first slot
};

namespace detail {

template <class... T>
class ZippedChunkIterator : public IteratorFacade<ZippedChunkIterator<T...>, ZippedChunk<T...>, ZippedChunk<T...>> {
public:
    constexpr ZippedChunkIterator() noexcept = default;
    /// For zip_chunks: at the first chunk from slot `first` on.
    constexpr ZippedChunkIterator(Occupancy live, std::size_t first, PageView<T>... columns) noexcept
        : live_(live), apart_(apart_in(columns...)), columns_(columns...) {
        first_ = chunk_from(first, apart_, live_);
    }
    friend constexpr bool operator==(const ZippedChunkIterator& a, const ZippedChunkIterator& b) noexcept {
        return a.first_ == b.first_;
    }

private:
    friend IteratorFacade<ZippedChunkIterator, ZippedChunk<T...>, ZippedChunk<T...>>;
    /// Slots until the first of the columns has a gap.
    constexpr std::size_t length() const noexcept {
        std::size_t slot_count = live_.size() - first_;
        std::apply([&](const auto&... column) { ((slot_count = column.run(first_, first_ + slot_count)), ...); }, columns_);
        return slot_count;
    }
    constexpr ZippedChunk<T...> dereference() const noexcept {
        const std::size_t slot_count = length();
        const auto spans = [&](const auto&... column) {
            return std::tuple<std::span<T>...>(std::span<T>(column.ptr(first_), slot_count)...);
        };
        return {static_cast<slot_t>(first_), std::apply(spans, columns_), chunk_live(first_, slot_count, apart_, live_)};
    }
    constexpr void increment() noexcept { first_ = chunk_from(first_ + length(), apart_, live_); }

    Occupancy live_{};
    std::size_t apart_ = 0;
    std::size_t first_ = 0;
    std::tuple<PageView<T>...> columns_{};
};

} // namespace detail

/// Several columns of one directory as chunks, in slot order. A chunk ends where the first of the columns has a gap, so that
/// each is one span in it. The unit for jobs and SIMD loops over more than one column.
///
///     for (auto [first, values, live] : zip_chunks(map.values(), map.column<0>())) {
///         const auto& [xs, ys] = values;
///         for (std::size_t i = 0; i != live.size(); ++i)
///             if (live.test(i)) xs[i] += ys[i];
///     }
///
/// @pre all views are of one container (checked at level fast)
/// @complexity linear in pages; where values lie apart in live elements
/// @invalidates itself as its views do
template <class First, class... Rest>
constexpr auto zip_chunks(ColumnView<First> first, ColumnView<Rest>... rest) {
    SLOTWISE_EXPECT(((first.occupancy().words().data() == rest.occupancy().words().data()) && ... && true),
                    "zip_chunks: the views belong to different containers");
    using Iterator = detail::ZippedChunkIterator<First, Rest...>;
    const Occupancy live = first.occupancy();
    const Iterator begin(live, 0, first.pages(), rest.pages()...);
    const Iterator end(live, live.size(), first.pages(), rest.pages()...);
    std::size_t count = 0;
    for (Iterator at = begin; at != end; ++at) ++count;
    return detail::IteratorRange<Iterator>(begin, end, count);
}

SLOTWISE_END

#endif
