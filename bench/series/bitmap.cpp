// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "slotwise_dict.hpp"

namespace {

using namespace bench;

const Registered registered([] { series::add_slotwise<slotwise::DeltaRepresentation::bitmap>("bitmap"); });

} // namespace
