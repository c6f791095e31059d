// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SoaVector and SoaStruct in constant expressions.
#include <slotwise/rows/soa_struct.hpp>
#include <slotwise/rows/soa_vector.hpp>

#include "support/constant.hpp"
#include "support/constant_allocator.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

using namespace slotwise;

namespace {

struct Tag0 {
    friend constexpr auto operator<=>(Tag0, Tag0) = default;
};
struct Owner {
    constexpr Owner() = default;
    constexpr Owner(std::nullptr_t) {}
    constexpr Owner(Owner&& other) noexcept : owned(std::exchange(other.owned, nullptr)) {}
    constexpr Owner& operator=(Owner&& other) noexcept {
        std::swap(owned, other.owned);
        return *this;
    }
    constexpr ~Owner() { delete owned; }
    constexpr bool operator==(const Owner&) const = default;
    int* owned = new int(1);
};

template <class Vector>
constexpr int rows_in_constants() {
    Vector a;
    a.reserve(3);
    for (int i = 0; i != 20; ++i) a.push_back(20 - i, Owner(), Tag0());
    a.emplace_back([] { return 50; }, nullptr, Tag0());
    a.template sort<int>();
    a.template sort<0>();
    a.template sort<int>([](int x, int y) { return x > y; });
    HOLDS(a.front().template get<0>() == 50 && a.back().template get<0>() == 1 && a.check_invariants());
    a.sort([](const auto& x, const auto& y) { return x.template get<0>() < y.template get<0>(); });
    a.insert(1, 7, nullptr, Tag0());
    a.insert(a.size(), 8, nullptr, Tag0());
    for (int i = 0; i != 30; ++i) a.insert(2, 100, nullptr, Tag0());
    HOLDS(a.erase_if([](int number, const auto&, Tag0) { return number == 100; }) == 30);
    a.erase(1);
    a.swap_erase(0);
    a.swap_rows(0, 1);
    a.swap_rows(1, 1);
    a.pop_back();
    HOLDS(a.size() == 20 && a.front().template get<0>() == 2 && a[1].template get<0>() == 8);
    a.resize(25);
    a.resize(4);
    const Vector& reader = a;
    HOLDS(reader.front() == reader[0] && reader.back() == a.back() && reader.size() == 4 && !reader.empty());
    HOLDS(reader.template padded_size<0>() >= 4 && reader.template padded_data<0>()[0] == 2);
    int sum = 0;
    for (auto [number, owner, tag] : a) sum += number;
    for (auto [number, owner, tag] : reader.rows()) sum += number;
    for (auto [number] : a.template rows<int>()) sum += number;
    for (auto [number] : reader.template rows<0>()) sum += number;
    for (auto [tag, number] : a.template rows<2, 0>()) sum += number;
    for (auto [tag, number] : reader.template rows<Tag0, int>()) sum += number;
    a.rows();
    a.template for_each_block<3>([&](auto numbers, auto owners) { sum += numbers[0] + static_cast<int>(owners.size()); });
    reader.template for_each_block<3, 0>([&](auto numbers) { sum += numbers[0]; });
    a.template for_each_block<3, int>([&](auto numbers) { sum += numbers[0]; });
    reader.template for_each_block<3, int>([&](auto numbers) { sum += numbers[0]; });
    HOLDS(sum == 6 * (8 + 2 + 3 + 4) + 4 * (2 + 4) + 4);
    HOLDS(std::get<0>(a.template columns<int>()).size() == 4 && std::get<0>(reader.template columns<0>())[0] == 2);
    HOLDS(std::get<0>(reader.template columns<int>()).size() == 4 && std::get<0>(a.template columns<0>())[0] == 2);
    HOLDS(a.template column<int>()[0] == 2 && reader.template column<int>()[0] == 2);
    HOLDS(a.template column<0>()[1] == 8 && reader.template column<0>()[1] == 8);
    Vector b(std::move(a)), c(b.get_allocator()), d(std::move(b), typename Vector::allocator_type());
    swap(c, d);
    d = std::move(c);
    HOLDS(d.size() == 4 && c.empty() && c == b); // NOLINT(bugprone-use-after-move)
    d.shrink_to_fit();
    HOLDS(d.capacity() == 4 && d.memory_usage() != 0);
    d.clear();
    return d.cbegin() == d.cend() ? 0 : __LINE__;
}
IN_CONSTANTS("rows are made, changed, sorted and destroyed", rows_in_constants<SoaVector<int, Owner, Tag0>>())

template <class Vector>
constexpr int iterators_in_constants() {
    using It = typename Vector::iterator;
    using Row = std::tuple<int, short, Tag0>;
    Vector a;
    for (int i = 0; i != 9; ++i) a.push_back(9 - i, static_cast<short>(i), Tag0());
    It it = a.begin();
    HOLDS(it++ == a.begin() && it-- == a.begin() + 1 && (1 + it).row() == 1 && (it + 3 - 2) - it == 1 && it < it + 1);
    it += 4;
    it -= 4;
    HOLDS(it == a.cbegin() && (++it).row() == 1 && (--it).row() == 0 && it[2].template get<0>() == 7);
    iter_swap(it, it + 1);
    HOLDS((*it).template get<0>() == 8 && Row(iter_move(it)) == Row(8, 1, Tag0()));
    swap(a[0], a[1]);
    Row row(1, 2, Tag0());
    const Row kept(3, 4, Tag0());
    const typename Vector::reference refers(row);
    const typename Vector::const_reference reads(row), of_kept(kept), of_temporary(Row(5, 6, Tag0())),
        of_const(std::move(kept)); // NOLINT(performance-move-const-arg)
    HOLDS(refers.template get<0>() == 1 && reads == refers && of_kept == of_const);
    static_cast<void>(of_temporary);
    a[0] = row;
    a[1] = kept; // NOLINT(bugprone-use-after-move)
    a[2] = Row(7, 8, Tag0());
    a[3] = a[2];
    HOLDS(a[0] == row && a[1] == kept && a[3].template get<1>() == 8);
    std::ranges::sort(a);
    HOLDS(a.front() == row && a.back().template get<0>() == 7);
    return a.back().template get<2>() == Tag0() ? 0 : __LINE__;
}
IN_CONSTANTS("rows are walked, referred to and assigned through", iterators_in_constants<SoaVector<int, short, Tag0>>())

/// Allocators differ, and stay where they are.
constexpr int allocators_in_constants() {
    using Memory = test::NumberedAllocator<int>;
    using Vector = BasicSoaVector<Members<Tag0, int>, AllocBy<Memory>>;
    Vector a(Memory(1)), b(Memory(2));
    a.push_back(Tag0(), 1);
    swap(a, b);
    HOLDS(a.empty() && b.size() == 1 && b.get_allocator() == Memory(2));
    a = b;
    b = std::move(a);
    const Vector c(std::move(b), Memory(1)), d(c, Memory(3));
    return c == d && b.empty() && a.empty() ? 0 : __LINE__; // NOLINT(bugprone-use-after-move)
}
IN_CONSTANTS("rows move between allocators that differ", allocators_in_constants())

struct Point {
    int x = 3, y = 4;
    friend constexpr bool operator==(const Point&, const Point&) = default;
};
using Points = SoaStruct<&Point::x, &Point::y>;

constexpr int structs_in_constants() {
    Points a;
    const Point kept{5, 6};
    a.push_back(kept);
    a.push_back(Point());
    a.insert(0, kept);
    a.insert(1, Point{1, 2});
    a.resize(5);
    a.resize(6, kept);
    const Points& reader = a;
    HOLDS(a.front().get<&Point::x>() == 5 && reader.front().get<&Point::y>() == 6 && Point(a[1]) == Point{1, 2});
    HOLDS(a.back() == reader.back() && Point(reader[4]) == Point() && reader[4].get<0>() == 3);
    a[0] = Point{9, 9};
    a[1] = a[0];
    a[2] = reader[0];
    a.sort<&Point::y>();
    a.sort<&Point::x>([](int x, int y) { return x > y; });
    a.sort([](const auto& p, const auto& q) { return p.template get<&Point::y>() < q.template get<&Point::y>(); });
    HOLDS(a.erase_if([](const Point& point) { return point.x == 9; }) == 3);
    HOLDS(a.erase_if([](int x, int) { return x == 3; }) == 2);
    a.push_back(Point());
    int sum = 0;
    for (auto [y] : a.rows<&Point::y>()) sum += y;
    for (auto [y] : reader.rows<&Point::y>()) sum += y;
    a.for_each_block<1, &Point::y>([&](auto ys) { sum += ys[0]; });
    reader.for_each_block<1, &Point::y>([&](auto ys) { sum += ys[0]; });
    for (const int y : a.column<&Point::y>()) sum += y;
    for (const int y : reader.column<&Point::y>()) sum += y;
    HOLDS(sum == 6 * 10);
    HOLDS(std::get<0>(a.columns<&Point::y>())[0] == 6 && std::get<0>(reader.columns<&Point::y>())[0] == 6);
    Points b(a), c;
    swap(b, c);
    return c == a && b.empty() ? 0 : __LINE__;
}
IN_CONSTANTS("points are split, changed, sorted and put together again", structs_in_constants())

} // namespace
