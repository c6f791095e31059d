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
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <process.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace test {

/// How a child process ended.
struct Ended {
    bool by_abort;    // not by a crash, not by a sanitiser's report
    int code;         // of its exit; -1 when there was none
    std::string text; // what it wrote to stderr
};

#if defined(_WIN32)

// A process cannot be copied here. The child is this program with the running case alone, which goes the way of its parent
// again, through sections and generators too, until it comes to the same call of child(). Earlier calls answer what was hoped.

/// In a child: the call of child() that it is for; else null.
inline const char* child_for() { return std::getenv("SLOTWISE_TEST_CHILD"); }

/// Which call of child() in the running case this is.
inline std::string child_call() {
    static std::string running;
    static unsigned calls = 0;
    if (std::string now = Catch::getResultCapture().getCurrentTestName(); now != running) running = std::move(now), calls = 0;
    return std::to_string(++calls);
}

/// The exit code of a child that aborted.
inline constexpr int abort_code = 134;

/// Becomes what a child is at the call that it is for. What was written before ends at the mark.
inline void begin_child() {
    for (const int signal : {SIGABRT, SIGSEGV}) // no debugger, no words of the system
        std::signal(signal, [](int which) { ::_exit(which == SIGABRT ? abort_code : 1); });
    ::_setmode(2, _O_BINARY);
    std::fputc('\1', stderr);
    std::fflush(stderr); // it has a buffer
}

/// Starts the child for this call of child() and waits for its end.
inline Ended run_child(const std::string& call) {
    std::string name = "\"";
    for (const char each : Catch::getResultCapture().getCurrentTestName()) {
        if (each == ',' || each == '[') name += '\\'; // else it begins another name or a tag
        name += each;
    }
    name += '"';
    int ends[2];
    REQUIRE(::_pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT) == 0);
    const int out = ::_dup(1), err = ::_dup(2), nowhere = ::_open("NUL", _O_WRONLY);
    ::_dup2(nowhere, 1);
    ::_dup2(ends[1], 2);
    ::_putenv(("SLOTWISE_TEST_CHILD=" + call).c_str());
    std::intptr_t child = -1;
    for (int tries = 0; child == -1 && tries != 5; ++tries) // Wine refused one of thousands, on a busy machine
        child = ::_spawnl(_P_NOWAIT, _pgmptr, "child", name.c_str(), nullptr);
    ::_putenv("SLOTWISE_TEST_CHILD=");
    ::_dup2(out, 1);
    ::_dup2(err, 2);
    for (const int each : {out, err, nowhere, ends[1]}) ::_close(each);
    REQUIRE(child != -1);
    std::string text;
    char buffer[256];
    for (int got; (got = ::_read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    ::_close(ends[0]);
    int code = 0;
    REQUIRE(::_cwait(&code, child, 0) == child);
    const auto mark = text.find('\1');
    REQUIRE(mark != text.npos); // else the child never came to the call
    return {code == abort_code, code, text.substr(mark + 1)};
}

/// Runs f in a child process.
template <class F>
Ended child(F&& f) {
    const std::string call = child_call();
    if (child_for() == nullptr) return run_child(call);
    if (child_for() != call) return {true, abort_code, ""};
    begin_child();
    f();
    ::_exit(0);
}

#else

/// Runs f in a child process.
template <class F>
Ended child(F&& f) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const ::pid_t child = ::fork();
    REQUIRE(child != -1);
    if (child == 0) {
        ::dup2(ends[1], 2);
        ::close(ends[0]);
        for (const int signal : {SIGABRT, SIGSEGV}) std::signal(signal, SIG_DFL); // the runner's own would report a failed test
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
    return {WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}
inline constexpr const char* child_for() { return nullptr; } // nothing runs again

#endif

/// What the child process of `f` wrote to stderr before it died, or "" when it did not die by a failed check.
template <class F>
std::string death_of(F&& f) {
    const Ended ended = child(f);
    return ended.by_abort ? ended.text : std::string();
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
    if (child_for() != nullptr) return true; // a call before the one that the child is for
    UNSCOPED_INFO("the child wrote: " << (text.empty() ? "(nothing, or it survived)" : text));
    return text.find("slotwise: ") != std::string::npos && text.find(words) != std::string::npos;
}

} // namespace test

#endif
