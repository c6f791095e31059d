// expect: TSDStorage: T's move constructor may throw
// covers: series/tsd_storage.hpp static_assert "move constructor may throw"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

template <bool Nothrow>
struct Fixed {
    Fixed() noexcept(Nothrow) {}
    Fixed(Fixed&&) = delete;
};

int main() {
    TSDStorage<int, Fixed<true>> dict;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSDStorage<int, Fixed<false>> other;
#endif
    return static_cast<int>(dict.size());
}
