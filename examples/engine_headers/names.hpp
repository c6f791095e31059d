// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What most of an engine needs to know of a container: its name. Includes no container: fwd.hpp declares all of them in two
// hundredths of a second, and core/with.hpp says what their handles are.

#pragma once

#include <slotwise/core/with.hpp>

namespace engine {

struct Light;
using Lights = slotwise::SlotMap<Light>;        // incomplete here, like Light: enough for pointers, references and declarations
using LightHandle = slotwise::HandleOf<Lights>; // what Lights::handle_type will turn out to be

/// A door to the container for those who do not want to see it.
LightHandle add_light(Lights& lights, int lumen);
bool remove_light(Lights& lights, LightHandle light);
/// 0 when the light is gone.
int lumen_of(const Lights& lights, LightHandle light);

} // namespace engine
