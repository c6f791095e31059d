// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions an error ends in the failure hook, with its text, and does not return.
#include <cstdio>
#include <cstdlib>

namespace {

bool expected = false;

[[noreturn]] void stop(const char* what, const char*, int) noexcept {
    std::printf("stopped: %s\n", what);
    std::fflush(stdout);
    std::_Exit(expected ? 0 : 1); // nobody is there to catch it
}

} // namespace

#define SLOTWISE_FAILURE_HANDLER ::stop
#include <slotwise/slotwise.hpp>

int main() {
    slotwise::SlotMap<int> map;
    const auto stale = map.insert(1);
    map.erase(stale);
    expected = true;
    std::printf("came back with %d\n", map.at(stale));
    return 1;
}
