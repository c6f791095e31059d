// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The parts do the same work, have no type and no function in common, and each checks what its level says, in its own words.
// What breaks a check runs in a child process: this program, called with the part's number and the name of the check.
#include "part.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/// Standard output and error of this program with these arguments.
std::string said(const std::string& program, int part, const char* check) {
    const std::string command = "\"" + program + "\" " + std::to_string(part) + " " + check + " 2>&1";
    std::string text;
    if (std::FILE* const pipe = ::popen(command.c_str(), "r")) {
        char buffer[256];
        while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
        ::pclose(pipe);
    }
    return text;
}

} // namespace

int main(int count, char** arguments) {
    const Part parts[] = {none(), fast(), debug(), other_version()};
    constexpr int number_of_parts = 4;
    if (count == 3) {
        const Part& part = parts[std::atoi(arguments[1])];
        (std::strcmp(arguments[2], "fast") == 0 ? part.break_fast_check : part.break_debug_check)();
        return 0;
    }
    int wrong = 0;
    const auto expect = [&](bool holds, int part, const char* what) {
        if (!holds) std::printf("part %d: %s\n", part, what), ++wrong;
    };
    for (int i = 0; i != number_of_parts; ++i) {
        const Part& part = parts[i];
        expect(part.level == (i == 3 ? 1 : i), i, "has another check level than it was compiled with");
        expect((part.patch == 99) == (i == 3), i, "has another version than it was compiled with");
        expect(part.work() == parts[0].work(), i, "comes to another result");
        for (int j = 0; j != i; ++j) {
            expect(std::strcmp(part.type, parts[j].type) != 0, i, "shares a type with another part");
            expect(part.function != parts[j].function, i, "shares a function with another part");
        }
        const std::string fast = said(arguments[0], i, "fast"), debug = said(arguments[0], i, "debug");
        const char* const words = i == 3 ? "slotwise: slot map [handle]: another version says so"
                                         : "slotwise: slot map [handle]: no element has this handle";
        expect((fast.find(words) == 0) == (part.level >= 1), i, "does not check a handle as its level says");
        expect((fast.find("slotwise: ") == 0) == (part.level >= 1), i, "checks a handle in the words of another");
        expect((debug.find("slotwise: slot map iterator: the element here was erased") == 0) == (part.level >= 2), i,
               "does not check an iterator as its level says");
    }
    std::printf("%d parts, %d faults\n", number_of_parts, wrong);
    return wrong == 0 ? 0 : 1;
}
