// expect: TSSStorage: a further column's on_insert may throw; then a removed key could be lost before the window rolls
// covers: series/tss_storage.hpp static_assert "on_insert may throw"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

struct Careful {
    void on_insert(slot_t, InsertKind) noexcept {}
};
struct Throws {
    void on_insert(slot_t, InsertKind) {}
};

template <class Column>
using With = TSSStorage<int, std::int64_t, DefaultHash<int>, EqualTo, SeriesOptions{}, std::allocator<int>, HashIndex, Column>;

int main() {
    With<Careful> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    With<Throws> other;
#endif
    return static_cast<int>(set.size());
}
