// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "pools.hpp"

bool use(Lights& lights, Names& names);

int main() {
    Lights lights;
    Names names;
    const auto light = lights.create();
    return use(lights, names) && !lights.contains(light) ? 0 : 1;
}
