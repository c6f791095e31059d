// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The inline namespace, which names the version, the check level and the exception mode. Translation units that differ in one
// of them have different names, and a link error where they meet, but never two definitions of one name (nlohmann/json#3590,
// llvm/llvm-project#69669).
#ifndef SLOTWISE_CONFIG_ABI_HPP
#define SLOTWISE_CONFIG_ABI_HPP

#include "config.hpp"
#include "version.hpp"

#ifndef SLOTWISE_COMPILED
#define SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions) v##x##_##y##_##z##_c##level##_e##exceptions
#elif defined(_GLIBCXX_DEBUG) // who calls the compiled library needs one with the same std::vector, and the same handler
#define SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions) v##x##_##y##_##z##_c##level##_e##exceptions##_compiled_glibcxx_debug
#elif defined(SLOTWISE_FAILURE_HANDLER)
#define SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions) v##x##_##y##_##z##_c##level##_e##exceptions##_compiled_handler
#else
#define SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions) v##x##_##y##_##z##_c##level##_e##exceptions##_compiled
#endif
#define SLOTWISE_ABI_JOIN(x, y, z, level, exceptions) SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions)
#define SLOTWISE_ABI                                                                                                           \
    SLOTWISE_ABI_JOIN(SLOTWISE_VERSION_MAJOR, SLOTWISE_VERSION_MINOR, SLOTWISE_VERSION_PATCH, SLOTWISE_CHECK_LEVEL,            \
                      SLOTWISE_EXCEPTIONS)

// Containers index memory that they own, which -Wunsafe-buffer-usage would report in user code. Clang 16 has the warning but
// not the pragma that switches it off.
#if defined(__clang__) && __clang_major__ >= 17
#define SLOTWISE_BUFFERS_BEGIN _Pragma("clang unsafe_buffer_usage begin")
#define SLOTWISE_BUFFERS_END _Pragma("clang unsafe_buffer_usage end")
#else
#define SLOTWISE_BUFFERS_BEGIN
#define SLOTWISE_BUFFERS_END
#endif

// Warnings that are false for these headers wherever they are instantiated. They are switched off in these headers only.
// -Wweak-vtables wants a source file for the virtual table of an abstract class: a header-only library has none.
// -Wdocumentation-unknown-command does not know the commands complexity and invalidates, which docs/Doxyfile defines.
// -Wfloat-equal warns of floats that are compared by ==: here the type of values and keys, which is the user's, decides that.
// -Wc++20-extensions of clang takes T(args...) of an aggregate for an extension, also where C++20 is asked for.
// -Wnull-dereference of g++ assumes that lookups may return null where an invariant excludes it (the table of a living entity,
// the page of a slot with an entry). It reports other places for each caller and each optimisation level.
#if defined(__clang__)
#define SLOTWISE_WARNINGS_BEGIN                                                                                                \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wweak-vtables\"")                                    \
        _Pragma("clang diagnostic ignored \"-Wdocumentation-unknown-command\"")                                                \
            _Pragma("clang diagnostic ignored \"-Wfloat-equal\"") _Pragma("clang diagnostic ignored \"-Wc++20-extensions\"")
#define SLOTWISE_WARNINGS_END _Pragma("clang diagnostic pop")
#elif defined(__GNUC__)
#define SLOTWISE_WARNINGS_BEGIN                                                                                                \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wnull-dereference\"")                                    \
        _Pragma("GCC diagnostic ignored \"-Wfloat-equal\"")
#define SLOTWISE_WARNINGS_END _Pragma("GCC diagnostic pop")
#elif defined(_MSC_VER)
#define SLOTWISE_WARNINGS_BEGIN __pragma(warning(push)) __pragma(warning(disable : 4127 4324 4702))
#define SLOTWISE_WARNINGS_END __pragma(warning(pop))
#else
#define SLOTWISE_WARNINGS_BEGIN
#define SLOTWISE_WARNINGS_END
#endif

// For functions that convert an argument of the user to a type of the user, as emplace does. Those of the standard library do
// not warn, because its headers are system headers.
#if defined(__GNUC__) || defined(__clang__)
#define SLOTWISE_CONVERSIONS_BEGIN                                                                                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wconversion\"")                                          \
        _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") _Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"")
#define SLOTWISE_CONVERSIONS_END _Pragma("GCC diagnostic pop")
#elif defined(_MSC_VER)
#define SLOTWISE_CONVERSIONS_BEGIN __pragma(warning(push)) __pragma(warning(disable : 4242 4244 4245 4267 4365))
#define SLOTWISE_CONVERSIONS_END __pragma(warning(pop))
#else
#define SLOTWISE_CONVERSIONS_BEGIN
#define SLOTWISE_CONVERSIONS_END
#endif

#define SLOTWISE_BEGIN                                                                                                         \
    SLOTWISE_BUFFERS_BEGIN                                                                                                     \
    SLOTWISE_WARNINGS_BEGIN                                                                                                    \
    namespace slotwise {                                                                                                       \
    inline namespace SLOTWISE_ABI {
#define SLOTWISE_END                                                                                                           \
    }                                                                                                                          \
    }                                                                                                                          \
    SLOTWISE_WARNINGS_END                                                                                                      \
    SLOTWISE_BUFFERS_END

#endif
