// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What an exception says, and a program whose memory runs out.
//     REQUIRE(test::thrown_text<std::length_error>([&] { map.reserve(n); }).find("reserve(count)") == 0);
#ifndef SLOTWISE_TESTS_SUPPORT_THROWN_HPP
#define SLOTWISE_TESTS_SUPPORT_THROWN_HPP

#include "budget.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <typeinfo>
#include <utility>

namespace test {

/// The text of the E that f throws: an E itself, not what derives from it. "" when it throws nothing or something else.
template <class E, class F>
std::string thrown_text(F&& f) {
#if defined(__cpp_exceptions)
    try {
        f();
    } catch (const std::exception& error) {
        UNSCOPED_INFO("thrown: " << typeid(error).name() << ": " << error.what());
        if (typeid(error) == typeid(E)) return error.what();
    }
    return "";
#else
    return failure_text(f);
#endif
}

/// The calls of the global operator new that still succeed; one source of a program includes failing_new.hpp, where they are
/// counted.
using HeapBudget = BasicBudget<std::bad_alloc>;

/// Defined by failing_new.hpp: a program without it does not link, instead of never running out.
extern const bool operator_new_can_fail;

/// Fails every allocation of a scenario in turn, see BasicBudget. act must not use Catch2, which allocates too.
template <class Scenario>
std::size_t run_out_of_memory(Scenario&& scenario) {
    REQUIRE(operator_new_can_fail);
    return HeapBudget::fail_at_every_step(std::forward<Scenario>(scenario));
}

} // namespace test

#endif
