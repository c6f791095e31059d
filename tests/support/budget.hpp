// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Calls that succeed until one fails, and the loop that fails every one of them in turn: see fail_at_every_step() in
// tracked.hpp (elements, allocators and observers that throw) and run_out_of_memory() in thrown.hpp (the global operator new).
#ifndef SLOTWISE_TESTS_SUPPORT_BUDGET_HPP
#define SLOTWISE_TESTS_SUPPORT_BUDGET_HPP

#include "catch.hpp"

#include <cstddef>

namespace test {

/// Calls that still succeed before one throws a Failure. Disarmed (the default), nothing throws.
template <class Failure>
class BasicBudget {
public:
    /// `calls` calls succeed, the next one throws and disarms.
    static void arm(std::size_t calls) noexcept {
        left_ = calls;
        armed_ = true;
    }
    static void disarm() noexcept { armed_ = false; }
    static bool armed() noexcept { return armed_; }
    static void spend() {
        ++calls_;
        if (!armed_) return;
        if (left_-- != 0) return;
        armed_ = false;
        TEST_THROW(Failure{});
    }
    /// Calls since the start of the program, whether armed or not.
    static std::size_t calls() noexcept { return calls_; }

    /// Runs scenario(attempt) again and again; attempt(act) runs act with a budget of 0, 1, 2, ... calls and answers whether it
    /// threw, until it does not. Returns how many runs threw: require that it is not 0.
    template <class Scenario>
    static std::size_t fail_at_every_step(Scenario&& scenario) {
        for (std::size_t step = 0;; ++step) {
            bool attempted = false, threw = false;
            INFO("failure injected at step " << step);
            scenario([&](auto&& act) {
                attempted = true;
                const bool now = fails(step, act);
                threw = threw || now; // a scenario may make several attempts
                return now;
            });
            REQUIRE(attempted);
            if (!threw) return step;
            REQUIRE(step < 100'000);
        }
    }

private:
    template <class Act>
    static bool fails(std::size_t step, Act& act) {
#if defined(__cpp_exceptions)
        bool threw = false;
        arm(step);
        try {
            act();
        } catch (const Failure&) {
            threw = true;
        }
        // A failure that somebody swallowed would look like success.
        const bool swallowed = !threw && !armed();
        disarm();
        CHECK_FALSE(swallowed);
        return threw;
#else
        // In a child process, and armed only there: it ends where it fails, and here nothing happened.
        const bool died = dies_saying("Failure", [&] {
            arm(step);
            act();
            disarm();
        });
        if (!died) act();
        return died;
#endif
    }

    static inline std::size_t left_ = 0;
    static inline std::size_t calls_ = 0;
    static inline bool armed_ = false;
};

} // namespace test

#endif
