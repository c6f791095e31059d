// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/scope_guard.hpp>

#include "support/catch.hpp"

#include <type_traits>

using namespace slotwise;

namespace {

constexpr int undone(bool dismissed) {
    int count = 0;
    {
        ScopeGuard guard([&]() noexcept { ++count; });
        if (dismissed) guard.dismiss();
    }
    return count;
}
static_assert(undone(false) == 1 && undone(true) == 0);

struct Nothing {
    void operator()() noexcept {}
};
static_assert(!std::is_copy_constructible_v<ScopeGuard<Nothing>> && !std::is_copy_assignable_v<ScopeGuard<Nothing>>);

} // namespace

#if defined(__cpp_exceptions) // nothing leaves a scope otherwise than by its end without them
TEST_CASE("a scope guard undoes when the scope is left by an exception") {
    int undone_count = 0;
    bool caught = false;
    try {
        ScopeGuard guard([&]() noexcept { ++undone_count; });
        throw 1;
    } catch (int) {
        caught = true;
    }
    CHECK(caught);
    CHECK(undone_count == 1);
}
#endif

TEST_CASE("guards undo in reverse order, and a dismissed one does nothing") {
    int order = 0;
    {
        ScopeGuard first([&]() noexcept { order = order * 10 + 1; });
        ScopeGuard second([&]() noexcept { order = order * 10 + 2; });
        ScopeGuard third([&]() noexcept { order = order * 10 + 3; });
        second.dismiss();
    }
    CHECK(order == 31);
}
