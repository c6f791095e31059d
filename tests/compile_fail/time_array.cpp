// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/time_array.hpp>
#include <slotwise/series/tss_storage.hpp>

using namespace slotwise;

//=== time_that_is_not_ordered ===//
// expect: TimeArray<Time>: Time must be trivially copyable and ordered
struct Label {
    int number = 0;
    static constexpr Label min() noexcept { return {}; }
    friend constexpr bool operator==(const Label&, const Label&) = default;
};

TimeArray<int> times;
TimeArray<Label> other; // faulty
return times.pages().pages != nullptr;

//=== time_without_a_lowest_value ===//
// expect: TimeTraits<Time>: this type has no lowest value; specialise TimeTraits with never()
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

TSSStorage<int, TimeBy<Week>> set;
TSSStorage<int, TimeBy<Day>> other; // faulty
