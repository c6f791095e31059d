// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every feature macro of the library, with its reason. None depends on which libraries are installed. Users set them on the
// command line, or in a header that SLOTWISE_USER_CONFIG names and that is included first.
#ifndef SLOTWISE_CONFIG_CONFIG_HPP
#define SLOTWISE_CONFIG_CONFIG_HPP

#ifdef SLOTWISE_USER_CONFIG
#include SLOTWISE_USER_CONFIG
#endif

// After #error a compiler continues, with 3,000 lines of errors here. Only a file that cannot be included stops every compiler.
#if !defined(__cpp_concepts) || __cplusplus < 202002L
#if !defined(_MSVC_LANG) || _MSVC_LANG < 202002L
#error "slotwise needs C++20: compile with -std=c++20 (g++ 12 or newer, clang 16 or newer) or /std:c++20"
#define SLOTWISE_NO_FURTHER <slotwise stops here, as it needs C++20>
#include SLOTWISE_NO_FURTHER
#endif
#endif

#include <version>

//=== exceptions ===//
// Without exceptions every error calls the failure hook of assert.hpp, which does not return.
#ifndef SLOTWISE_EXCEPTIONS
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define SLOTWISE_EXCEPTIONS 1
#else
#define SLOTWISE_EXCEPTIONS 0
#endif
#endif

//=== checks ===//
// 0 none: no precondition is checked. 1 fast (default): checks that cost a compare and a branch. 2 debug: also checks that cost
// more than the operation they guard. The level is part of the inline namespace, so one program may contain two levels.
#ifndef SLOTWISE_CHECK_LEVEL
#define SLOTWISE_CHECK_LEVEL 1
#endif
#if SLOTWISE_CHECK_LEVEL < 0 || SLOTWISE_CHECK_LEVEL > 2
#error "SLOTWISE_CHECK_LEVEL is 0 (none), 1 (fast) or 2 (debug)"
#endif

//=== compiled library ===//
// Header-only is the default. Who links slotwise::compiled has SLOTWISE_COMPILED defined: the bodies of functions that are no
// templates, in *.inl.hpp, are compiled once then, in src/slotwise.cpp. The choice is part of the inline namespace: objects of
// both kinds have different names, and a link error where they meet.
#if defined(SLOTWISE_COMPILED) && 1 - SLOTWISE_COMPILED - 1 == 0 // SLOTWISE_COMPILED=0
#undef SLOTWISE_COMPILED
#endif
#ifndef SLOTWISE_COMPILED
#define SLOTWISE_BODIES 1
#define SLOTWISE_INLINE inline
#else
#ifndef SLOTWISE_BODIES // src/slotwise.cpp defines it
#define SLOTWISE_BODIES 0
#endif
#define SLOTWISE_INLINE
#endif

//=== virtual memory ===//
// Growth::reserve asks the system for address space without memory. It works on POSIX systems with mmap and on Windows. Without
// it Growth::reserve does not compile. WebAssembly has none: Emscripten, where clang defines __unix__, has an mmap that takes
// memory, 256 MiB of it for the first element of each container.
#ifndef SLOTWISE_VIRTUAL_MEMORY
#if defined(__wasm__) || defined(__EMSCRIPTEN__)
#define SLOTWISE_VIRTUAL_MEMORY 0
#elif defined(_WIN32) || defined(__unix__) || defined(__APPLE__)
#define SLOTWISE_VIRTUAL_MEMORY 1
#else
#define SLOTWISE_VIRTUAL_MEMORY 0
#endif
#endif

//=== attributes ===//
// SLOTWISE_ALWAYS_INLINE stands where a measurement showed a gain: hot paths are small, but the optimiser counts their cold
// tails. SLOTWISE_IN_CONSTANT is the builtin behind std::is_constant_evaluated(): g++ -O0 drops the other branch of an if on
// it. SLOTWISE_ASSUME states what always holds, so that the compiler drops inlined tests for the opposite.
// SLOTWISE_HIDDEN gives each shared library an object of its own, which it has on Windows anyway.
#define SLOTWISE_IN_CONSTANT __builtin_is_constant_evaluated()
#if defined(_MSC_VER) && !defined(__clang__)
#define SLOTWISE_ALWAYS_INLINE __forceinline
#define SLOTWISE_NEVER_INLINE __declspec(noinline)
#define SLOTWISE_COLD
#define SLOTWISE_PURE
#define SLOTWISE_ASSUME(holds) __assume(holds)
#else
#define SLOTWISE_ALWAYS_INLINE inline __attribute__((always_inline))
#define SLOTWISE_NEVER_INLINE __attribute__((noinline))
#define SLOTWISE_COLD __attribute__((cold, noinline))
#define SLOTWISE_PURE __attribute__((pure)) // clang 16 cannot see it: a loop that calls it keeps what it has read
#if defined(__OPTIMIZE__) || defined(__clang_analyzer__)
#define SLOTWISE_ASSUME(holds) ((holds) ? void() : __builtin_unreachable())
#else // there it would be a comparison
#define SLOTWISE_ASSUME(holds) static_cast<void>(sizeof(!(holds)))
#endif
#endif
// In Microsoft's ABI the standard's spelling has no effect. MSVC and clang-cl 18 know another one. Older clang-cl knows
// neither: empty members have bytes there, and the linker refuses objects of both kinds, which have two layouts of one class.
#if !defined(_MSC_VER)
#define SLOTWISE_NO_UNIQUE_ADDRESS [[no_unique_address]]
#elif __has_cpp_attribute(msvc::no_unique_address)
#define SLOTWISE_NO_UNIQUE_ADDRESS [[msvc::no_unique_address]]
#pragma detect_mismatch("slotwise: empty members", "without bytes")
#else
#define SLOTWISE_NO_UNIQUE_ADDRESS
#pragma detect_mismatch("slotwise: empty members", "with bytes, by clang-cl 17 or older")
#endif
#if defined(_WIN32)
#define SLOTWISE_HIDDEN
#else
#define SLOTWISE_HIDDEN __attribute__((visibility("hidden")))
#endif
// Forces inlining in unoptimised builds only, where a call costs more than the step that it makes. With optimisation it is
// worse: g++ -O2 then did not inline SlotMap::emplace itself, and an insert took a quarter more instructions.
#if defined(__OPTIMIZE__) || (defined(_MSC_VER) && !defined(__clang__))
#define SLOTWISE_INLINE_UNOPTIMISED
#else
#define SLOTWISE_INLINE_UNOPTIMISED SLOTWISE_ALWAYS_INLINE
#endif
// The opposite, for what every find and insert of every type would repeat: a call in an unoptimised build, where 1,400 bytes of
// instructions each time are a third of what a further map costs to compile.
#if defined(__OPTIMIZE__) || (defined(_MSC_VER) && !defined(__clang__))
#define SLOTWISE_INLINE_OPTIMISED SLOTWISE_ALWAYS_INLINE
#else
#define SLOTWISE_INLINE_OPTIMISED inline
#endif

#endif
