// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// align_prefix: the ids that several sparse containers share, in the first rows of each, in one order.
#ifndef SLOTWISE_SPARSE_ALIGN_PREFIX_HPP
#define SLOTWISE_SPARSE_ALIGN_PREFIX_HPP

#include "sparse_core.hpp"

SLOTWISE_BEGIN

/// Brings the ids that all of these sparse containers share to their first rows, in the same order in each, and returns how
/// many there are: rows 0 to result - 1 stand beside each other then, until one of them changes. SparseGroup keeps it so.
/// @param first a SparseSet or SparseMap @param others such containers of the same id type, no object twice
/// @throws what moves of values throw @complexity linear in the rows of the smallest
/// @pre no group owns one of them (checked at level fast)
template <class First, class... Others>
std::size_t align_prefix(First& first, Others&... others) {
    static_assert((std::is_same_v<typename First::id_type, typename Others::id_type> && ...),
                  "align_prefix(a, b, ...): the containers have different types of ids");
    SLOTWISE_EXPECT(!(first.owned() || ... || others.owned()),
                    "align_prefix(a, b, ...): a group owns one of them and keeps its rows in order");
    using Id = typename First::id_type;
    std::span<const Id> fewest = first.ids();
    ((fewest = others.ids().size() < fewest.size() ? others.ids() : fewest), ...);
    std::size_t shared = 0;
    const auto bring = [&](auto& container, Id id) { detail::OwnedRows::swap(container, container.row_of(id), shared); };
    for (std::size_t row = 0; row != fewest.size(); ++row) {
        const Id id = fewest[row]; // the span shows the rows as they are swapped: those before `row` only
        if (!(first.contains(id) && ... && others.contains(id))) continue;
        bring(first, id);
        (bring(others, id), ...);
        ++shared;
    }
    return shared;
}

SLOTWISE_END

#endif
