// expect: is_default_constructible
// covers: series/tsd_storage.hpp requires "std::is_default_constructible_v<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

using namespace slotwise;

struct Weight {
    explicit Weight(int) noexcept {}
};

int main() {
    TSDStorage<int, Weight> dict;
    auto writer = dict.write(1);
    writer.set(1, Weight(2));
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    writer.create(2);
#endif
    return static_cast<int>(dict.size());
}
