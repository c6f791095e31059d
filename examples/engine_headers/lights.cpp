// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "lights.hpp"

template class slotwise::SlotMap<engine::Light>;
template class slotwise::SlotMapInterface<engine::LightStore, engine::LightHandle::tag_type, engine::Lights::options,
                                          engine::LightAllocator>;

namespace engine {

LightHandle add_light(Lights& lights, int lumen) { return lights.insert(Light{lumen}); }
bool remove_light(Lights& lights, LightHandle light) { return lights.erase(light); }
int lumen_of(const Lights& lights, LightHandle light) {
    const Light* const found = lights.get(light);
    return found != nullptr ? found->lumen : 0;
}

} // namespace engine
