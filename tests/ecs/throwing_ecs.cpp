// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What throws in the containers of ecs/, when memory runs out and when values fail.
#include "support/catch.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/ecs/detail/sparse_components.hpp>

using namespace slotwise;
using namespace test;
using detail::SparseColumn;

namespace {

Entity e(slot_t index, std::uint32_t version = 1) { return Entity(index, version); }

} // namespace

TEST_CASE("SparseColumn: a value or an allocation that fails changes nothing", "[ecs]") {
    using Value = BasicTracked<TrackedOptions{.copy_throws = true}>;
    const NothingLeaks leaks;
    const Value value(1);
    const std::size_t failures = fail_at_every_step(swept("SparseColumn::emplace"), [&](auto&& attempt) {
        SparseColumn column(&TypeDescriptor::of<Value>());
        column.emplace(e(1), [&](void* to) { ::new (to) Value(2); });
        if (!attempt([&] { column.emplace(e(2), [&](void* to) { ::new (to) Value(value); }); })) return;
        CHECK(column.size() == 1);
        CHECK_FALSE(column.contains(e(2)));
        CHECK(column.check_invariants());
    });
    CHECK(failures == 1);
    const std::size_t exhausted = run_out_of_memory([&](auto&& attempt) {
        SparseColumn column(&TypeDescriptor::of<int>());
        const bool failed = attempt([&] { column.emplace(e(5000), [](void* to) { ::new (to) int(1); }); });
        CHECK(column.check_invariants());
        CHECK(column.contains(e(5000)) != failed);
        CHECK(column.emplace(e(5000), [](void* to) { ::new (to) int(2); }) == failed);
        CHECK(*static_cast<int*>(column.get(e(5000))) == (failed ? 2 : 1));
    });
    CHECK(exhausted >= 2);
}
