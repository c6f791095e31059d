// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Sparse containers as subjects of support/whole.hpp. T is Tracked, or what may throw.
#ifndef SLOTWISE_TESTS_SPARSE_SUBJECTS_HPP
#define SLOTWISE_TESTS_SPARSE_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/sparse/entity_index.hpp>
#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>
#include <slotwise/sparse/switch_map.hpp>

namespace test {

using namespace slotwise;

struct SparseSubject {
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
    /// Many come and go, so that there are pages and rows to give back.
    template <class C>
    static void leave_room(C& c);
};

using AnEntity = Handle<struct OfSubjects>;

/// Living and dead ids, near and far, also of a range.
struct EntityIndices : SparseSubject {
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

/// The id of a number: some are far from all others.
inline AnEntity some_id(int n) { return AnEntity(static_cast<slot_t>(n % 7 == 0 ? n * 1000 : n), 1); }
template <class C>
void erase_some(C& c, int first, int count) {
    for (int i = first + 4; i < first + count; i += 5) c.erase(some_id(i));
}

template <class C>
void SparseSubject::leave_room(C& c) {
    for (int i = 200'000; i != 203'000; ++i) {
        if constexpr (requires { c.create(); })
            c.create();
        else if constexpr (requires { c.set(some_id(i), i / 3); })
            c.set(some_id(i), i / 3);
        else if constexpr (requires { c.try_emplace(some_id(i), i); })
            c.try_emplace(some_id(i), i);
        else
            c.insert(some_id(i));
    }
    if constexpr (requires { c.erase(some_id(0)); })
        for (int i = 200'000; i != 203'000; ++i) c.erase(some_id(i));
    else
        c.clear();
}

struct SparseSets : SparseSubject {
    using element = AnEntity;
    template <class A>
    using container = SparseSet<AnEntity, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = first; i != first + count; ++i) c.insert(some_id(i));
        erase_some(c, first, count);
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (const AnEntity id : c.ids()) all.push_back(static_cast<std::int64_t>(id.to_bits()));
        return all;
    }
};

/// The number of a value.
template <class T>
std::int64_t number_in(const T& value) {
    if constexpr (requires { value.value(); })
        return value.value();
    else
        return value;
}

template <class T = Tracked>
struct SparseMaps : SparseSubject {
    using element = T;
    template <class A>
    using container = SparseMap<AnEntity, T, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = first; i != first + count; ++i) c.try_emplace(some_id(i), i);
        erase_some(c, first, count);
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all = SparseSets::contents(c);
        for (const auto& value : c.values()) all.push_back(number_in(value));
        return all;
    }
};

struct SpendingNumber {
    template <class T>
    std::size_t operator()(const T& value) const {
        if constexpr (!std::is_same_v<T, Tracked>) Budget::spend();
        return static_cast<std::size_t>(number_in(value));
    }
};
/// Each value has several ids.
template <class T = Tracked>
struct Switches : SparseSubject {
    using element = std::byte;
    template <class A>
    using container = SwitchMap<AnEntity, T, HashBy<SpendingNumber>, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = first; i != first + count; ++i) c.set(some_id(i), i / 3);
        erase_some(c, first, count);
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (const auto& [value, ids] : c) {
            all.push_back(number_in(value));
            for (const AnEntity id : ids) all.push_back(static_cast<std::int64_t>(id.to_bits()));
        }
        return all;
    }
};

} // namespace test

#endif
