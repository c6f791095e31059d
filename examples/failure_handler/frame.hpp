// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A frame that may end early: a broken rule in it is logged and ends the frame; outside of a frame it ends the program.

#pragma once

#include "engine_config.hpp"

#include <string>
#include <vector>

namespace engine {

/// Calls work(context). False if it broke a rule: then it was left where it stood. Its objects with destructors are not
/// destroyed, so work keeps none; a rule is looked at before anything changes, so no container is left half changed.
bool run_frame(void (*work)(void*), void* context);

/// What was broken so far, in order.
const std::vector<std::string>& failures();

} // namespace engine
