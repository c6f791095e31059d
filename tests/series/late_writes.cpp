// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Windows that come late, and keys whose removed nested series is still being written.
#include "../support/catch.hpp"
#include "../support/thrown.hpp"

#include <slotwise/series/tsd_storage.hpp>

#include <chrono>
#include <vector>

namespace {

using namespace slotwise;
using test::thrown_text;

/// Days without a text, and some that have one.
struct Day {
    int day;
    auto operator<=>(const Day&) const = default;
};
struct Named : Day {
    auto operator<=>(const Named&) const = default;
};

/// What write(early) says after write(late).
template <class Time>
std::string refusal(Time early, Time late) {
    TSDStorage<int, int, TimeBy<Time>> dict;
    dict.write(late).set(1, 1);
    const auto said = thrown_text<std::invalid_argument>([&] { static_cast<void>(dict.write(early)); });
    CHECK((dict.window() == late && dict.last_modified(1) == late));
    dict.write_late(early).set(2, 2);
    CHECK((dict.last_modified(2) == late && dict.count_valid() == 2 && dict.check_invariants()));
    return said;
}
std::string of_times(const std::string& early, const std::string& late) {
    return "series write(time): time " + early + " is older than the open window " + late +
           "; write_late(time) joins that window";
}

} // namespace

template <>
struct slotwise::TimeTraits<Day> {
    static constexpr Day never() noexcept { return {-1}; }
};
template <>
struct slotwise::TimeTraits<Named> {
    static constexpr Named never() noexcept { return {{-1}}; }
    static std::string to_string(const Named& time) { return "day " + std::to_string(time.day); }
};

TEST_CASE("write refuses a time older than the open window and names both times, write_late joins the window",
          "[series][windows]") {
    using namespace std::chrono;
    CHECK(refusal<std::int64_t>(-3, 5) == of_times("-3", "5"));
    CHECK(refusal<std::uint8_t>(200, 201) == of_times("200", "201"));
    CHECK(refusal(0.25, 0.5) == of_times("0.25", "0.5"));
    CHECK(refusal(1ms, 2ms) == of_times("1", "2"));
    CHECK(refusal(sys_days(days(10)), sys_days(days(11))) == of_times("10", "11"));
    CHECK(refusal(Named{{1}}, Named{{2}}) == of_times("day 1", "day 2"));
    CHECK(refusal(Day{1}, Day{2}) == of_times("(a time)", "(a time)"));

    TSSStorage<int> set;
    set.write(1).add(1);
    {
        auto open = set.write(3);
        CHECK_THROWS_AS(set.write(2), std::invalid_argument); // also beside an open writer
        auto late = set.write_late(2);
        CHECK(late.time() == 3);
        late.remove(1);
        open.add(2);
    }
    CHECK((set.was_removed(1, 3) && set.was_added(2, 3)));
    set.write_late(4).add(4); // not late at all: a new window
    CHECK((set.window() == 4 && set.was_added(4, 4)));
    CHECK_THROWS_AS(set.write_late(TimeTraits<std::int64_t>::never()), std::invalid_argument);
}

TEST_CASE("a key whose removed nested series has an open writer is created again only after that is closed",
          "[series][writers]") {
    static constexpr SeriesOptions once{.handle = {.index_bits = 15, .version_bits = 1}}; // another slot each time
    const auto creates = []<class Dict>(Dict dict) {
        auto w = dict.write(1);
        w.create(7);
        auto nested = w.modify(7);
        nested.add(1);
        CHECK(w.remove(7));
        const auto said = thrown_text<std::invalid_argument>([&] { w.create(7); });
        CHECK(said.find("series create(key): the nested series that was removed under this key") == 0);
        CHECK((!dict.contains(7) && dict.pending() == 1));
        nested.add(2); // it is still there
        nested.close();
        CHECK(w.create(7).inserted);
        CHECK((dict.get(7)->empty() && dict.check_invariants()));
        w.modify(7).add(3);
        CHECK(dict.get(7)->size() == 1);
    };
    creates(TSDStorage<int, TSSStorage<int>>());
    creates(TSDStorage<int, TSSStorage<int>, Options<once>>());
}

TEST_CASE("a late write keeps what was removed in the window it joins", "[series]") {
    TSSStorage<int> set;
    set.write(4).assign({1, 2});
    set.write(5).remove(1);
    const slot_t slot = set.tracker().removed(5).begin().slot();
    {
        auto writer = set.write_late(3);
        CHECK(writer.time() == 5);
        writer.add(7);
    }
    CHECK(set.window() == 5);
    CHECK(set.pending() == 1);
    CHECK(set.was_removed(1, 5));
    CHECK(set.slot_of(7) != slot);
    std::vector<int> removed;
    for (const int key : set.removed(5)) removed.push_back(key);
    CHECK(removed == std::vector<int>{1});
    CHECK(set.check_invariants());
}
