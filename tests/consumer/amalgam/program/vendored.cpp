// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Compiled without exceptions and RTTI. SLOTWISE_CHECK_LEVEL is 0 in this program, and means nothing to this copy.
#include "vendored.hpp"

#include <cstdio>
#include <cstdlib>

[[noreturn]] inline void vendored_failure(const char* what, const char*, int) noexcept {
    std::puts(what);
    std::fflush(stdout);
    std::_Exit(0);
}

#define VENDORED_SLOTS_CHECK_LEVEL 2
#define VENDORED_SLOTS_FAILURE_HANDLER ::vendored_failure
#include <vendored_slots.hpp>

#ifdef SLOTWISE_VERSION_MAJOR
#error "the renamed copy defines a macro of slotwise"
#endif
static_assert(VENDORED_SLOTS_CHECK_LEVEL == 2 && VENDORED_SLOTS_EXCEPTIONS == 0 && VENDORED_SLOTS_VERSION_MAJOR >= 0);

bool vendored_works() {
    vendored::slots::TSDStorage<int, double> price;
    price.write(1).set(7, 1.5);
    price.write(2).set(8, 2.5);
    return price.size() == 2 && price.added_keys(2).size() == 1;
}

void vendored_breaks() {
    vendored::slots::SlotMap<int> numbers;
    const auto stale = numbers.insert(7);
    numbers.erase(stale);
    numbers[stale] = 8;
}
