// expect: T is an enumeration, and its range of values is not known
// expect: Kind
// covers: slots/codec.hpp static_assert "snapshot: T is an enumeration"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/slot_map.hpp>

using namespace slotwise;

enum class Kind { rock, ship };
#ifdef SLOTWISE_COMPILE_FAIL_CONTROL
template <>
struct slotwise::CodecFor<Kind> : slotwise::EnumCodec<Kind::rock, Kind::ship> {};
#endif

int main() {
    SlotMap<Kind> kinds;
    kinds.insert(Kind::ship);
    return static_cast<int>(kinds.snapshot().size());
}
