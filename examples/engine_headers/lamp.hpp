// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A class that keeps a handle needs the handle type, and no container.

#pragma once

#include "names.hpp"

#include <slotwise/core/handle.hpp>

namespace engine {

/// Switches one light on and off, and copes with lights that others remove.
class Lamp {
public:
    explicit Lamp(Lights& lights) : lights_(&lights) {}
    void on(int lumen);
    void off();
    int lumen() const;

private:
    Lights* lights_;
    LightHandle light_;
};

} // namespace engine
