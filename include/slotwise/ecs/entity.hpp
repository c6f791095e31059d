// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Entity, complete and alone: for headers that keep entities and need no store.
#ifndef SLOTWISE_ECS_ENTITY_HPP
#define SLOTWISE_ECS_ENTITY_HPP

#include "../core/handle.hpp"

SLOTWISE_BEGIN

static_assert(sizeof(Entity) == 8 && Entity::max_version <= 0xFFFF); // the target of a pair has 48 bits, see ComponentId

SLOTWISE_END

#endif
