// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What an engine defines for the library: its own handler of broken preconditions. Every file must see the same definition
// before the first slotwise header; -DSLOTWISE_USER_CONFIG='"engine_config.hpp"' on the command line does it for a whole build.

#pragma once

namespace engine {

[[noreturn]] void broken_rule(const char* what, const char* file, int line) noexcept;

} // namespace engine

#define SLOTWISE_FAILURE_HANDLER ::engine::broken_rule
