// expect: SLOTWISE_CHECK_LEVEL is 0 (none), 1 (fast) or 2 (debug)
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
#define SLOTWISE_CHECK_LEVEL 3
#endif
#include <slotwise/config/config.hpp>

int main() { return SLOTWISE_CHECK_LEVEL > 2; }
