// expect: the codec has no way to write a static column of this container
// expect: Texture
// covers: slots/snapshot.hpp static_assert "the codec has no way to write a static column"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>
#include <slotwise/slots/value_array.hpp>

using namespace slotwise;

struct Texture;

int main() {
    using Textures = ValueArray<Texture*>;
    SlotMap<int, SlotMapOptions{}, std::allocator<int>, Textures> map;
    map.insert(1);
    auto size = map.snapshot(dropping<Textures>()).size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += map.snapshot().size();
#endif
    return static_cast<int>(size);
}
