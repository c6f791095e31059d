// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "pools.hpp"

template class slotwise::HandlePool<Light>;
template class slotwise::IdentityMap<slotwise::PublicId, Lights::handle_type>;
