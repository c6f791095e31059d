// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Programs without exceptions and RTTI: what works is checked in this process; what stops is a case, a child process: this
// program, called with the name of the case. Errors end in the failure hook, unless SLOTWISE_TESTS_BARE_NO_HOOK is defined.
// WASI has no processes: there the program prints its cases, and tests/support/wasi.mjs runs it again for each.
#ifndef SLOTWISE_TESTS_BARE_BARE_HPP
#define SLOTWISE_TESTS_BARE_BARE_HPP

#include <cstdio>
#include <cstdlib>

#ifndef SLOTWISE_TESTS_BARE_NO_HOOK
namespace bare {
[[noreturn]] inline void stop(const char* what, const char*, int) noexcept {
    std::printf("stopped: %s\n", what);
    std::fflush(stdout);
    std::_Exit(1);
}
inline constexpr const char* begin = "stopped: ";
} // namespace bare
#define SLOTWISE_FAILURE_HANDLER ::bare::stop
#else
namespace bare {
inline constexpr const char* begin = "";
}
#endif
#include <slotwise/slotwise.hpp>

#include <cstring>
#include <string>

namespace bare {

inline int failures = 0;

inline void check(bool right, const char* what) {
    if (right) return;
    std::printf("wrong: %s\n", what);
    ++failures;
}

struct Case {
    const char* name;
    const char* words; // of the message; null when the program must live
    void (*run)();
};

#ifdef __wasi__
inline bool behaves(const std::string&, const Case& expected) {
    std::printf("case %s|%s|%s\n", expected.name, begin, expected.words == nullptr ? "" : expected.words);
    return true;
}
#else
#if defined(_MSC_VER)
inline std::FILE* open_pipe(const char* command) { return ::_popen(command, "r"); }
inline int close_pipe(std::FILE* pipe) { return ::_pclose(pipe); }
#else
inline std::FILE* open_pipe(const char* command) { return ::popen(command, "r"); }
inline int close_pipe(std::FILE* pipe) { return ::pclose(pipe); }
#endif

inline bool behaves(const std::string& program, const Case& expected) {
    const std::string command = "\"" + program + "\" " + expected.name + " 2>&1";
    std::FILE* const pipe = open_pipe(command.c_str());
    if (pipe == nullptr) return false;
    std::string text;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
    const bool lived = close_pipe(pipe) == 0;
    if (expected.words == nullptr) return lived;
    if (!lived && text.find(begin) == 0 && text.find(expected.words) != std::string::npos) return true;
    std::printf("%s: expected \"%s\", got: %s\n", expected.name, expected.words, text.empty() ? "(nothing)" : text.c_str());
    return false;
}
#endif

/// main(): one case in a child; else what works, and then every case.
template <std::size_t N, class Works>
int run(int count, char** arguments, const Case (&cases)[N], Works works) {
    if (count > 1) {
        for (const Case& each : cases)
            if (std::strcmp(each.name, arguments[1]) == 0) {
                each.run();
                return 0;
            }
        std::printf("no case has the name %s\n", arguments[1]);
        return 2;
    }
    works();
    for (const Case& each : cases) check(behaves(arguments[0], each), each.name);
    return failures == 0 ? 0 : 1;
}

} // namespace bare

#endif
