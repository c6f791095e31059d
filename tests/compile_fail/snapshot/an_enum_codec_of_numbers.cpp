// expect: EnumCodec<First, Last>: give the lowest and the highest enumerator
// covers: slots/codec.hpp static_assert "EnumCodec<First, Last>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/codec.hpp>

enum class Kind { rock, ship };
using Right = slotwise::EnumCodec<Kind::rock, Kind::ship>;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
using Wrong = slotwise::EnumCodec<Kind::ship, Kind::rock>;
#else
using Wrong = Right;
#endif

int main() {
    slotwise::ByteWriter out;
    Right::write(Kind::rock, out);
    Wrong::write(Kind::rock, out);
    return static_cast<int>(out.take().size());
}
