// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What makes a program a module of WebAssembly without imports: its functions have their names, and an error is a trap.
#pragma once

#ifdef __wasm__
#define EXPORTED(name) extern "C" __attribute__((export_name(#name)))
[[noreturn]] inline void stop(const char*, const char*, int) noexcept { __builtin_trap(); }
#define SLOTWISE_FAILURE_HANDLER ::stop
#else
#define EXPORTED(name) extern "C"
#endif

// walks.cpp
EXPORTED(prepare) void prepare(unsigned slots, unsigned percent_of_holes);
EXPORTED(walk) double walk(unsigned contender);
