// expect: index_bits + version_bits + user_bits must be 16, 32 or 64
// covers: core/handle.hpp static_assert "must be 16, 32 or 64"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

int main() {
#ifdef SLOTWISE_COMPILE_FAIL_CONTROL
    return static_cast<int>(Handle<int, HandleLayout{24, 8, 0}>{}.index());
#else
    return static_cast<int>(Handle<int, HandleLayout{24, 9, 0}>{}.index());
#endif
}
