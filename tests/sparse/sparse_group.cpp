// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// align_prefix and SparseGroup: shared ids in the first rows, whatever happens to the containers.
#include "../support/catch.hpp"
#include "../support/thrown.hpp"
#include "../support/tracked.hpp"

#include <slotwise/sparse/sparse_group.hpp>
#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>

#include <algorithm>
#include <optional>
#include <random>

using namespace slotwise;

namespace {

using H = Handle<struct GroupTag>;
using Id = std::uint32_t;
struct Flag {};

} // namespace

TEST_CASE("align_prefix brings the ids that sparse containers share to the front of each", "[sparse]") {
    SparseSet<Id> set{9, 1, 8, 2, 7, 3};
    SparseMap<Id, test::Tracked> map;
    SparseMap<Id, Flag> flags;
    for (const Id id : {4u, 3u, 2u, 1u, 0u}) map.try_emplace(id, static_cast<int>(id)), flags.try_emplace(id + 1);
    CHECK(align_prefix(set, map, flags) == 3);
    for (std::size_t row = 0; row != 3; ++row)
        CHECK((set.id_at(row) == map.id_at(row) && set.id_at(row) == flags.id_at(row) && map.value_at(row).value() > 0));
    CHECK((set.check_invariants() && map.check_invariants() && flags.check_invariants() && set.size() == 6));
    CHECK(align_prefix(set, map, flags) == 3);
    set.clear();
    CHECK(align_prefix(set, map) == 0);
}

TEST_CASE("a SparseGroup agrees with its containers after each operation", "[sparse]") {
    test::NothingLeaks objects;
    std::mt19937 random(1);
    SparseMap<H, test::Tracked> a;
    SparseMap<H, test::MoveOnly> b;
    SparseSet<H> c;
    const auto some = [&] {
        return H(static_cast<slot_t>(random() % 30 * 5000), static_cast<std::uint32_t>(2 * (random() % 3) + 1));
    };
    for (int i = 0; i != 20; ++i) a.try_emplace(some(), 1), b.try_emplace(some(), 2), c.insert(some());
    SparseGroup group(a, b, c);
    REQUIRE(group.check_invariants());
    std::size_t most = 0;
    for (int step = 0; step != 4000; ++step) {
        const H id = some();
        switch (random() % 10) {
        case 0:
            a.erase(id);
            break;
        case 1:
            b.erase(id);
            break;
        case 2:
            c.erase(id);
            break;
        case 3:
            a.extract(id);
            break;
        case 4:
            step % 8 == 0 ? c.clear() : group.sort();
            break;
        case 5: {
            SparseMap<H, test::Tracked> copy = a;
            if (step % 2 == 0)
                a = copy;
            else
                copy = std::move(a), a = std::move(copy);
            break;
        }
        case 6:
            for (auto it = group.begin(); it != group.end(); ++it)
                if (random() % 4 == 0) b.erase(std::get<0>(*it)); // the current one
            break;
        default:
            a.try_emplace(id, step), b.try_emplace(id, step), c.insert(id);
        }
        REQUIRE(group.check_invariants());
        REQUIRE((a.check_invariants() && b.check_invariants() && c.check_invariants()));
        std::size_t rows = 0;
        group.for_each([&](H each, test::Tracked& x, test::MoveOnly& y) {
            REQUIRE((group.contains(each) && group.id_at(rows) == each && &x == a.get(each) && &y == b.get(each)));
            ++rows;
        });
        for (const auto& [each, x, y] : group) rows += group.row_of(each) < group.size() && x.value() >= 0 && y.value() >= 0;
        REQUIRE(rows == 2 * group.size());
        most = std::max(most, group.size());
    }
    CHECK(most > 4);
}

TEST_CASE("a SparseGroup walks runs that are contiguous in every container", "[sparse]") {
    SparseMap<Id, float> a;
    SparseMap<Id, double> b;
    SparseMap<Id, Flag> flags;
    for (Id id = 0; id != 30'000; ++id) {
        a.insert(id, 1), flags.try_emplace(29'999 - id);
        if (id % 3 != 0) b.insert(id, 2);
    }
    const SparseGroup group(a, b, flags);
    std::size_t rows = 0;
    group.for_each_chunk([&](std::span<const Id> ids, std::span<float> x, std::span<double> y) {
        REQUIRE((ids.size() == x.size() && ids.size() == y.size()));
        for (std::size_t i = 0; i != ids.size(); ++i) x[i] += static_cast<float>(y[i]);
        if (!std::equal(ids.begin(), ids.end(), group.ids().begin() + static_cast<std::ptrdiff_t>(rows))) FAIL("ids");
        rows += ids.size();
    });
    CHECK((rows == 20'000 && group.size() == rows && !group.empty()));
    float sum = 0;
    group.for_each([&](const float& x, double, Flag&) { sum += x; });
    CHECK(sum == 60'000);
    CHECK((*a.get(0) == 1 && *a.get(1) == 3));
}

TEST_CASE("a container has one SparseGroup at most, and the next one when that is gone", "[sparse]") {
    SparseSet<Id> a{1, 2, 3}, b{2, 3, 4}, c{3};
    using Group = SparseGroup<SparseSet<Id>, SparseSet<Id>>;
    {
        const Group group(a, b);
        CHECK((group.size() == 2 && a.owned()));
        CHECK(test::thrown_text<std::invalid_argument>([&] { Group(b, c); }).find("a group owns") != std::string::npos);
        CHECK(test::thrown_text<std::invalid_argument>([&] { Group(c, c); }).find("a group owns") != std::string::npos);
        CHECK_FALSE(c.owned());
    }
    const Group other(b, c);
    CHECK((other.size() == 1 && other.check_invariants() && !a.owned()));
}

TEST_CASE("a SparseGroup follows containers that move, and is empty when one is destroyed", "[sparse]") {
    SparseSet<Id> a{1, 2, 3};
    auto b = std::make_unique<SparseSet<Id>>(SparseSet<Id>{2, 3, 4});
    const SparseGroup group(a, *b);
    SparseSet<Id> other{7};
    swap(a, other); // the group follows its rows
    other.insert(4);
    CHECK((group.size() == 3 && group.check_invariants() && group.ids()[2] == 4));
    SparseSet<Id> moved = std::move(other);
    moved.erase(2);
    CHECK((group.size() == 2 && group.check_invariants()));
    moved.restore(SparseSet<Id>{4, 9}.snapshot());
    CHECK((group.size() == 1 && group.contains(4) && !group.contains(9) && group.check_invariants()));
    b.reset();
    moved.insert(77);
    CHECK((group.empty() && group.check_invariants() && !group.contains(4) && group.begin() == group.end()));
}
