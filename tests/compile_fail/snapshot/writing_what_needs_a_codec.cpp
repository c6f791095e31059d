// expect: pass a codec with write(value, ByteWriter&) and read(ByteReader&) -> T
// covers: slots/snapshot.hpp static_assert "snapshot(): the element type is not trivially copyable"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

#include <string>

using namespace slotwise;

int main() {
    SlotMap<int> ints;
    SlotMap<std::string> strings;
    auto size = ints.snapshot().size();
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    size += strings.snapshot().size();
#endif
    return static_cast<int>(size + strings.size());
}
