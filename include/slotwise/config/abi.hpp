// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The inline namespace: version, check level and exception mode. Mixing two of them in one program gives two sets of names,
// a link error where they meet, and never two definitions under one name (nlohmann/json#3590, llvm/llvm-project#69669).
#ifndef SLOTWISE_CONFIG_ABI_HPP
#define SLOTWISE_CONFIG_ABI_HPP

#include "config.hpp"
#include "version.hpp"

#define SLOTWISE_ABI_JOIN2(major, minor, patch, level, exceptions) v##major##_##minor##_##patch##_c##level##_e##exceptions
#define SLOTWISE_ABI_JOIN(major, minor, patch, level, exceptions) SLOTWISE_ABI_JOIN2(major, minor, patch, level, exceptions)
#define SLOTWISE_ABI                                                                                                           \
    SLOTWISE_ABI_JOIN(SLOTWISE_VERSION_MAJOR, SLOTWISE_VERSION_MINOR, SLOTWISE_VERSION_PATCH, SLOTWISE_CHECK_LEVEL,            \
                      SLOTWISE_EXCEPTIONS)

#define SLOTWISE_BEGIN                                                                                                         \
    namespace slotwise {                                                                                                       \
    inline namespace SLOTWISE_ABI {
#define SLOTWISE_END                                                                                                           \
    }                                                                                                                          \
    }

#endif
