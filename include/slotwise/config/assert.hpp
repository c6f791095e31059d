// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Checks of preconditions at three levels, and the failure hook. In a constant expression a failed check is a compile error.
// The condition must compile even where checks are off.
#ifndef SLOTWISE_CONFIG_ASSERT_HPP
#define SLOTWISE_CONFIG_ASSERT_HPP

#include "abi.hpp"

#ifndef SLOTWISE_FAILURE_HANDLER
#include <cstdio>
#include <cstdlib>
#endif

SLOTWISE_BEGIN
namespace detail {

/// Ends the program after a violated precondition, or after an error if exceptions are off. Never returns.
/// Define SLOTWISE_FAILURE_HANDLER as the name of a [[noreturn]] function (const char* what, const char* file, int line) to
/// replace it, with the same name in every translation unit. It cannot be set at run time, because the library has no global
/// state.
[[noreturn]] SLOTWISE_COLD inline void fail(const char* what, const char* file, int line) noexcept {
#ifdef SLOTWISE_FAILURE_HANDLER
    SLOTWISE_FAILURE_HANDLER(what, file, line);
#else
#ifdef __wasm__
    // printf is a fifth of a small program. Elsewhere it writes the line at once, beside what other threads write.
    char digits[12] = ":";
    char* end = digits + 1;
    for (int unit = 1'000'000'000; unit != 0; unit /= 10)
        if (line >= unit) *end++ = static_cast<char>('0' + line / unit % 10);
    const char* const words[] = {"slotwise: ", what, " (", file, digits, ")\n"};
    for (const char* const each : words) std::fputs(each, stderr);
#else
    std::fprintf(stderr, "slotwise: %s (%s:%d)\n", what, file, line);
#endif
    std::abort();
#endif
}

} // namespace detail
SLOTWISE_END

#define SLOTWISE_CHECK_ON(condition, message)                                                                                  \
    ((condition) ? static_cast<void>(0) : ::slotwise::detail::fail(message, __FILE__, __LINE__))
#define SLOTWISE_CHECK_OFF(condition, message) static_cast<void>(sizeof((condition) ? 1 : 0))

/// A precondition whose check costs a compare and a branch. `message` says which argument is wrong, why, and what to do.
#if SLOTWISE_CHECK_LEVEL >= 1
#define SLOTWISE_EXPECT(condition, message) SLOTWISE_CHECK_ON(condition, message)
#else
#define SLOTWISE_EXPECT(condition, message) SLOTWISE_CHECK_OFF(condition, message)
#endif

/// A precondition or invariant whose check costs more than the operation that it guards.
#if SLOTWISE_CHECK_LEVEL >= 2
#define SLOTWISE_EXPECT_DEBUG(condition, message) SLOTWISE_CHECK_ON(condition, message)
#else
#define SLOTWISE_EXPECT_DEBUG(condition, message) SLOTWISE_CHECK_OFF(condition, message)
#endif

#endif
