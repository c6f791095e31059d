// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of rows as subjects of support/whole.hpp.
#ifndef SLOTWISE_TESTS_ROWS_SUBJECTS_HPP
#define SLOTWISE_TESTS_ROWS_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/rows/any_rows.hpp>
#include <slotwise/rows/bit_column.hpp>
#include <slotwise/rows/soa_vector.hpp>
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

template <class T = Tracked>
struct SoaVectors : RowSubject {
    static constexpr bool exact_noexcept = true;
    using element = T;
    template <class A>
    using container = BasicSoaVector<Members<T, short>, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = 0; i != count; ++i) c.push_back(first + i, static_cast<short>(i));
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        for (const auto& [element, number] : c) {
            if constexpr (requires { element.value(); })
                all.push_back(element.value());
            else
                all.push_back(element);
            all.push_back(number);
        }
        return all;
    }
};

/// Columns come with the first rows: what was moved from has none.
template <class T = Tracked>
struct ManyRows : RowSubject {
    using element = std::byte;
    template <class A>
    using container = BasicAnyRows<AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        if (c.column_count() == 0) C({&TypeDescriptor::of<T>(), &TypeDescriptor::of<short>()}, c.get_allocator()).swap(c);
        for (int i = first; i != first + count; ++i) {
            const auto number = static_cast<short>(i);
            c.push_back({AnyValue::of(T(i)), AnyValue::of(number)});
        }
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all{static_cast<std::int64_t>(c.size())};
        for (std::size_t row = 0; row != c.size(); ++row) {
            all.push_back(c.column(0).template as<T>()[row].value());
            all.push_back(c.column(1).template as<short>()[row]);
        }
        return all;
    }
};

} // namespace test

#endif
