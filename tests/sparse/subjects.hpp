// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers as subjects of support/whole.hpp. T is Tracked, or what may throw.
#ifndef SLOTWISE_TESTS_SPARSE_SUBJECTS_HPP
#define SLOTWISE_TESTS_SPARSE_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/sparse/entity_index.hpp>

namespace test {

using namespace slotwise;

struct SparseSubject {
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
};

using AnEntity = Handle<struct OfSubjects>;

/// Living and dead ids, near and far, also of a range.
struct EntityIndices : SparseSubject {
    static constexpr bool swaps_equal_only = true; // EntityIndex::swap says so
    using element = std::byte;
    template <class A>
    using container = EntityIndex<AnEntity, int, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        std::vector<AnEntity> ids;
        for (int i = 0; i != count; ++i) {
            ids.push_back(c.create());
            *c.location(ids.back()) = first + i;
        }
        for (std::size_t i = 4; i < ids.size(); i += 5) c.destroy(ids[i]);
        c.make_alive(AnEntity(static_cast<slot_t>(first) * 1000, 3));
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (const AnEntity id : c.alive()) {
            all.push_back(static_cast<std::int64_t>(id.to_bits()));
            all.push_back(*c.location(id));
        }
        for (const AnEntity id : c.dead()) all.push_back(static_cast<std::int64_t>(id.to_bits()));
        return all;
    }
    template <class C>
    static auto future(C& c) {
        const auto ids = c.create_n(40);
        return std::vector<AnEntity>(ids.begin(), ids.end());
    }
};

} // namespace test

#endif
