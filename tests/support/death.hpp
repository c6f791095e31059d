// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Tests of what ends the program: a failed check. The code runs in a child process; its message comes back.
//     CHECK_THAT(test::death_of([] { map[stale]; }), Catch::Matchers::Contains(...))
//     CHECK(test::dies_saying("words", [] { ... }));
#ifndef SLOTWISE_TESTS_SUPPORT_DEATH_HPP
#define SLOTWISE_TESTS_SUPPORT_DEATH_HPP

#include "catch.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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

/// Ends the program as a failed check does.
[[noreturn]] inline void end_saying(const char* words) {
    std::fprintf(stderr, "slotwise: %s\n", words);
    std::abort();
}

/// What the failure hook said when f ended in it, without file and line; "" when f came back.
template <class F>
std::string failure_text(F&& f) {
    std::string text = death_of(f);
    const auto words = text.find("slotwise: ");
    if (words == text.npos) return "";
    text.erase(0, words + 10);
    text.erase(std::min(text.rfind(" ("), text.find_last_not_of('\n') + 1));
    return text;
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
