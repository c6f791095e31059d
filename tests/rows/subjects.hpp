// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of rows as subjects of support/whole.hpp.
#ifndef SLOTWISE_TESTS_ROWS_SUBJECTS_HPP
#define SLOTWISE_TESTS_ROWS_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/rows/bit_column.hpp>
#include <slotwise/rows/tick_column.hpp>

namespace test {

using namespace slotwise;

struct RowSubject {
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
};

struct BitColumns : RowSubject {
    using element = bits::word_t;
    template <class A>
    using container = BasicBitColumn<AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = 0; i != count; ++i) c.push_back((first + i) % 3 == 0);
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all{static_cast<std::int64_t>(c.size())};
        c.for_each_run([&](std::size_t begin, std::size_t end) {
            all.push_back(static_cast<std::int64_t>(begin));
            all.push_back(static_cast<std::int64_t>(end));
        });
        return all;
    }
};

struct TickColumns : RowSubject {
    using element = tick_t;
    template <class A>
    using container = BasicTickColumn<AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = 0; i != count; ++i) c.push_back(static_cast<tick_t>(first), static_cast<tick_t>(first + i));
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (std::size_t row = 0; row != c.size(); ++row) {
            all.push_back(c.added(row));
            all.push_back(c.changed(row));
        }
        return all;
    }
};

} // namespace test

#endif
