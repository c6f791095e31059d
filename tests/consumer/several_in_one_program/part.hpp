// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What one part of the program says of the slotwise that it was compiled with.
#pragma once

struct Part {
    int level;
    int patch;
    const char* type;            // the linker's name of SlotMap<int>
    const void* function;        // the address of a function of the library
    long (*work)();              // the same containers in all parts, and the same result
    void (*break_fast_check)();  // a stale handle
    void (*break_debug_check)(); // an iterator whose element was erased
};

Part none();
Part fast();
Part debug();
Part other_version();
