// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What an exception says, and a program whose memory runs out.
//     REQUIRE(test::thrown_text<std::length_error>([&] { map.reserve(n); }).find("reserve(count)") == 0);
#ifndef SLOTWISE_TESTS_SUPPORT_THROWN_HPP
#define SLOTWISE_TESTS_SUPPORT_THROWN_HPP

#include "catch.hpp"

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <typeinfo>

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

/// The calls of the global operator new that still succeed; one source of a program includes failing_new.hpp, where they are counted.
class HeapBudget {
public:
    static void arm(std::size_t calls) noexcept {
        left_ = calls;
        armed_ = true;
    }
    static void disarm() noexcept { armed_ = false; }
    static void spend() {
        if (!armed_ || left_-- != 0) return;
        armed_ = false;
        TEST_THROW(std::bad_alloc());
    }

private:
    static inline std::size_t left_ = 0;
    static inline bool armed_ = false;
};

/// Runs scenario(attempt) again and again; attempt(act) runs act with memory for 0, 1, 2, ... allocations and answers whether it threw
/// std::bad_alloc. Returns how many runs threw: require that it is not 0. act must not use Catch2, which allocates too.
template <class Scenario>
std::size_t run_out_of_memory(Scenario&& scenario) {
    for (std::size_t step = 0;; ++step) {
        bool threw = false;
        INFO("memory for allocations: " << step);
        scenario([&](auto&& act) {
            HeapBudget::arm(step);
#if defined(__cpp_exceptions)
            try {
                act();
            } catch (const std::bad_alloc&) {
                threw = true;
            }
#else
            threw = dies_saying("bad_alloc", act); // in a child process: here nothing happened
            if (!threw) act();
#endif
            HeapBudget::disarm();
            return threw;
        });
        if (!threw) return step;
        REQUIRE(step < 10'000);
    }
}

} // namespace test

#endif
