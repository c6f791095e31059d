// expect: TSDStorage: T's move constructor may throw; then a removed key could be lost before the window rolls. Put T into a std::unique_ptr, or make its move constructor noexcept
// covers: series/tsd_storage.hpp static_assert "move constructor may throw"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>

#include <memory>

using namespace slotwise;

struct Loose {
    Loose() {}
    Loose(Loose&&) {}
    Loose& operator=(Loose&&) { return *this; }
};

int main() {
    TSDStorage<int, std::unique_ptr<Loose>> dict;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSDStorage<int, Loose> other;
#endif
    return static_cast<int>(dict.size());
}
