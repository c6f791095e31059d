// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Preconditions at three levels, with one failure hook. A check works in constant expressions, where a failed check is not a
// constant. It still type-checks when it is switched off.
#ifndef SLOTWISE_CONFIG_ASSERT_HPP
#define SLOTWISE_CONFIG_ASSERT_HPP

#include "abi.hpp"

#ifndef SLOTWISE_FAILURE_HANDLER
#include <cstdio>
#include <cstdlib>
#endif

SLOTWISE_BEGIN
namespace detail {

/// The one place where a broken precondition, or an error without exceptions, ends. Never returns.
/// Define SLOTWISE_FAILURE_HANDLER as the name of a [[noreturn]] function (const char* what, const char* file, int line) to
/// take it over; the same definition must be given to every translation unit. There is no run-time setter: the library has
/// no global state.
[[noreturn]] SLOTWISE_COLD inline void fail(const char* what, const char* file, int line) noexcept {
#ifdef SLOTWISE_FAILURE_HANDLER
    SLOTWISE_FAILURE_HANDLER(what, file, line);
#else
    std::fprintf(stderr, "slotwise: %s (%s:%d)\n", what, file, line);
    std::abort();
#endif
}

} // namespace detail
SLOTWISE_END

#define SLOTWISE_CHECK_ON(condition, message)                                                                                  \
    ((condition) ? static_cast<void>(0) : ::slotwise::detail::fail(message, __FILE__, __LINE__))
#define SLOTWISE_CHECK_OFF(condition, message) static_cast<void>(sizeof((condition) ? 1 : 0))

/// A precondition that costs a compare and a branch. `message` says which argument, what was wrong and what to do.
#if SLOTWISE_CHECK_LEVEL >= 1
#define SLOTWISE_EXPECT(condition, message) SLOTWISE_CHECK_ON(condition, message)
#else
#define SLOTWISE_EXPECT(condition, message) SLOTWISE_CHECK_OFF(condition, message)
#endif

/// A precondition or invariant that costs more than the operation it guards.
#if SLOTWISE_CHECK_LEVEL >= 2
#define SLOTWISE_EXPECT_DEBUG(condition, message) SLOTWISE_CHECK_ON(condition, message)
#else
#define SLOTWISE_EXPECT_DEBUG(condition, message) SLOTWISE_CHECK_OFF(condition, message)
#endif

#endif
