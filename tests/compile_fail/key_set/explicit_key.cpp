// expect: Explicit constructors and narrowing do not count
// covers: keyed/key_set.hpp static_assert "this is no Key"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/keyed/map_storage.hpp>

#include <memory>

using namespace slotwise;

int main() {
    MapStorage<std::unique_ptr<int>, int> owners;
    int* const raw = nullptr;
    owners[std::unique_ptr<int>(raw)] = 1;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    owners[raw] = 1;
#endif
}
