// expect: is_unsigned
// covers: slots/codec.hpp requires "std::is_unsigned_v<U>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/snapshot.hpp>

using namespace slotwise;

int main() {
    ByteWriter out;
    out.number(1u);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    out.number(-1);
#endif
    return static_cast<int>(out.take().size());
}
