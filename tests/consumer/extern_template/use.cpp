// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "pools.hpp"

bool use(Lights& lights, Names& names) {
    lights.clear();
    lights.shrink_to_fit();
    names.clear();
    names.shrink_to_fit();
    return lights.check_invariants() && names.check_invariants();
}
