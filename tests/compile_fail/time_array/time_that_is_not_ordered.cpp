// expect: TimeArray<Time>: Time must be trivially copyable and ordered
// covers: series/time_array.hpp static_assert "trivially copyable and ordered"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/time_array.hpp>

using namespace slotwise;

struct Label {
    int number = 0;
    static constexpr Label min() noexcept { return {}; }
    friend constexpr bool operator==(const Label&, const Label&) = default;
};

int main() {
    TimeArray<int> times;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TimeArray<Label> other;
#endif
    return times.pages().pages != nullptr;
}
