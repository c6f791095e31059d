// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tests of what ends the program: a failed check. The code runs in a child process; its message comes back.
//     CHECK_THAT(test::death_of([] { map[stale]; }), Catch::Matchers::Contains(...))   or   CHECK(test::dies_saying("words", [] { ... }));
#ifndef SLOTWISE_TESTS_SUPPORT_DEATH_HPP
#define SLOTWISE_TESTS_SUPPORT_DEATH_HPP

#include "catch.hpp"

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace test {

/// What the child process of `f` wrote to stderr before it died, or "" when it did not die by a failed check.
template <class F>
std::string death_of(F&& f) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const ::pid_t child = ::fork();
    REQUIRE(child != -1);
    if (child == 0) {
        ::dup2(ends[1], 2);
        ::close(ends[0]);
        std::signal(SIGABRT, SIG_DFL); // the test runner's own handler would report a failed test
        f();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[256];
    for (::ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    const bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; // not a crash, not a sanitiser's report
    return died ? text : std::string();
}

/// Whether f ends in a failed check whose message contains `words`.
template <class F>
bool dies_saying(const std::string& words, F&& f) {
    const std::string text = death_of(f);
    UNSCOPED_INFO("the child wrote: " << (text.empty() ? "(nothing, or it survived)" : text));
    return text.find("slotwise: ") != std::string::npos && text.find(words) != std::string::npos;
}

} // namespace test

#endif
