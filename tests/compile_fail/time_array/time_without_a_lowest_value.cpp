// expect: TimeTraits<Time>: this type has no lowest value; specialise TimeTraits with never()
// covers: series/time_array.hpp static_assert "this type has no lowest value"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

struct Day {
    int number = 0;
    friend constexpr auto operator<=>(const Day&, const Day&) = default;
};
struct Week {
    int number = 0;
    friend constexpr auto operator<=>(const Week&, const Week&) = default;
};
template <>
struct slotwise::TimeTraits<Week> {
    static constexpr Week never() noexcept { return {-1}; }
};

int main() {
    TSSStorage<int, Week> set;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    TSSStorage<int, Day> other;
#endif
    return static_cast<int>(set.size());
}
