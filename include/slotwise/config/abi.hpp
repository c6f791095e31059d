// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The inline namespace: version, check level and exception mode. Mixing two of them in one program gives two sets of names,
// a link error where they meet, and never two definitions under one name (nlohmann/json#3590, llvm/llvm-project#69669).
#ifndef SLOTWISE_CONFIG_ABI_HPP
#define SLOTWISE_CONFIG_ABI_HPP

#include "config.hpp"
#include "version.hpp"

#define SLOTWISE_ABI_JOIN2(x, y, z, level, exceptions) v##x##_##y##_##z##_c##level##_e##exceptions
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

#define SLOTWISE_BEGIN                                                                                                         \
    SLOTWISE_BUFFERS_BEGIN                                                                                                     \
    namespace slotwise {                                                                                                       \
    inline namespace SLOTWISE_ABI {
#define SLOTWISE_END                                                                                                           \
    }                                                                                                                          \
    }                                                                                                                          \
    SLOTWISE_BUFFERS_END

#endif
