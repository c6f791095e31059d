// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The library calls the handler from functions that are noexcept: it cannot throw. It stops the program, or jumps. The jump
// back is longjmp, which on POSIX systems crosses noexcept functions and undoes nothing.

#include "frame.hpp"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>

namespace engine {
namespace {

std::jmp_buf frame_start;
bool in_frame = false;
std::vector<std::string> log;

/// Apart, so that its strings are gone before the jump, which would not destroy them.
void write_down(const char* what, const char* file, int line) {
    const std::string path = file;
    log.push_back(path.substr(path.find_last_of('/') + 1) + ':' + std::to_string(line) + ": " + what);
    std::fprintf(stderr, "engine: %s\n", log.back().c_str());
}

} // namespace

void broken_rule(const char* what, const char* file, int line) noexcept {
    write_down(what, file, line);
    if (!in_frame) std::abort();
    in_frame = false;
    std::longjmp(frame_start, 1);
}

bool run_frame(void (*work)(void*), void* context) {
    if (setjmp(frame_start) != 0) return false;
    in_frame = true;
    work(context);
    in_frame = false;
    return true;
}

const std::vector<std::string>& failures() { return log; }

} // namespace engine
