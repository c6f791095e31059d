// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Whoever includes this leaves the code of the pool to pools.cpp.
#pragma once

#include <slotwise/map/handle_pool.hpp>
#include <slotwise/map/identity_map.hpp>

struct Light;
using Lights = slotwise::HandlePool<Light>;
using Names = slotwise::IdentityMap<slotwise::PublicId, Lights::handle_type>;

#ifndef WITHOUT_EXTERN_TEMPLATE
// [readme]
extern template class slotwise::HandlePool<Light>;
extern template class slotwise::IdentityMap<slotwise::PublicId, Lights::handle_type>;
// [/readme]
#endif
