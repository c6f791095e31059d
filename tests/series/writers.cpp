// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Writers: which windows they open, join and are refused; how they end: closed, moved, abandoned.
#include "subscribers.hpp"
#include "support/thrown.hpp"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Sets = TSDStorage<int, Set>;
constexpr std::int64_t never = INT64_MIN;

static_assert(!std::is_copy_constructible_v<Set::writer> && !std::is_copy_assignable_v<Dict::writer>);
static_assert(std::is_nothrow_move_constructible_v<Set::writer> && std::is_nothrow_move_assignable_v<Dict::writer>);
static_assert(!std::is_default_constructible_v<Set::writer>);

/// What f's std::invalid_argument says.
template <class F>
std::string refusal(F&& f) {
    return test::thrown_text<std::invalid_argument>(f);
}

template <class Range>
std::vector<int> keys_in(const Range& range) {
    std::vector<int> keys;
    for (const int key : range) keys.push_back(key);
    return keys;
}

struct Abandon {};

} // namespace

//=== windows ===//

TEMPLATE_TEST_CASE("a write at never is refused, by the argument's name, and nothing has happened", "[writers]", Set, Dict,
                   Sets) {
    TestType series;
    const auto check = [&](std::int64_t window) {
        const std::string message = refusal([&] { static_cast<void>(series.write(never)); });
        CHECK(message.find("write(time): time is \"never\"") != std::string::npos);
        CHECK(message.find("give a later one") != std::string::npos);
        CHECK(series.window() == window);
    };
    check(never);
    CHECK_FALSE(series.valid());
    series.write(3).touch();
    check(3);
    auto w = series.write(3);
    check(3);
    w.close();
    series.write(4).touch(); // no writer was left open by the refusals
}

TEST_CASE("a write at a NaN is refused", "[writers]") {
    TSSStorage<int, TimeBy<double>> set;
    const std::string message = refusal([&] { static_cast<void>(set.write(std::numeric_limits<double>::quiet_NaN())); });
    CHECK(message.find("write(time)") != std::string::npos);
    CHECK_THROWS_AS(set.write(-std::numeric_limits<double>::infinity()), std::invalid_argument);
    set.write(-1e300).add(1);
    CHECK(set.window() == -1e300);
}

TEST_CASE("time may be a time_point", "[writers]") {
    using namespace std::chrono;
    TSDStorage<int, int, TimeBy<sys_days>> dict;
    const sys_days monday = 2024y / 1 / 1;
    CHECK_THROWS_AS(dict.write(sys_days::min()), std::invalid_argument);
    dict.write(monday).set(1, 10);
    dict.write(monday + days(1)).set(1, 11);
    CHECK(dict.last_modified(1) == monday + days(1));
    CHECK(keys_in(dict.modified_keys(monday + days(1))) == std::vector<int>{1});
    CHECK(dict.modified_keys(monday).empty());
}

TEMPLATE_TEST_CASE("a newer window is refused while a writer is open, and opens when it is closed", "[writers]", Set, Dict,
                   Sets) {
    TestType series;
    auto w = series.write(1);
    w.touch();
    const std::string message = refusal([&] { static_cast<void>(series.write(2)); });
    CHECK(message.find("write(time): time is newer than the open window, but a writer of that window is still open") !=
          std::string::npos);
    CHECK(message.find("close it first") != std::string::npos);
    CHECK(series.window() == 1);
    CHECK(w.is_open());
    w.touch();
    auto joined = series.write(1);
    w.close();
    CHECK_THROWS_AS(series.write(2), std::invalid_argument); // the other is open
    joined.close();
    CHECK(series.write(2).time() == 2);
}

TEMPLATE_TEST_CASE("a late or equal time joins the open window, and time() returns it", "[writers]", Set, Dict, Sets) {
    TestType series;
    series.write(10).touch();
    for (const std::int64_t time : {std::int64_t{10}, std::int64_t{9}, std::int64_t{0}, never + 1}) {
        auto w = series.write_late(time);
        CHECK(w.time() == 10);
        w.touch();
        CHECK(series.last_modified() == 10);
    }
    CHECK(series.window() == 10);
    CHECK(&series.write(10).storage() == &series);
}

TEST_CASE("opening a writer rolls the window, even if nothing is written then", "[writers]") {
    Set set;
    set.write(1).add(1);
    set.write(2).remove(1);
    CHECK(set.pending() == 1);
    static_cast<void>(set.write(3));
    CHECK(set.window() == 3);
    CHECK(set.pending() == 0);
    CHECK(set.last_modified() == 2);
    CHECK_FALSE(set.modified(3));
    CHECK(set.removed(2).empty());
}

//=== ends ===//

TEST_CASE("a closed writer throws on every member of a set, and says why", "[writers]") {
    Set set;
    set.write(1).add(1);
    auto w = set.write(1);
    const SetDelta<int> delta = capture(set, 1);
    SECTION("closed") { w.close(); }
    SECTION("moved from") {
        auto other = std::move(w);
        CHECK(other.is_open());
    }
    SECTION("moved from by assignment") {
        auto other = set.write(1);
        other = std::move(w);
    }
    CHECK_FALSE(w.is_open());
    const std::string message = refusal([&] { w.add(2); });
    CHECK(message.find("series writer: it was closed or moved from") != std::string::npos);
    CHECK(message.find("write(time)") != std::string::npos);
    CHECK_THROWS_AS(w.add(1), std::invalid_argument);
    CHECK_THROWS_AS(w.remove(1), std::invalid_argument);
    CHECK_THROWS_AS(w.remove(set.handle_of(1)), std::invalid_argument);
    CHECK_THROWS_AS(w.clear(), std::invalid_argument);
    CHECK_THROWS_AS(w.touch(), std::invalid_argument);
    CHECK_THROWS_AS(w.assign(std::vector<int>{1}), std::invalid_argument);
    CHECK_THROWS_AS(w.assign(std::vector<int>{}), std::invalid_argument);
    CHECK_THROWS_AS(w.apply(delta), std::invalid_argument);
    CHECK_THROWS_AS(w.apply({}, Strictness::lenient), std::invalid_argument);
    CHECK_THROWS_AS(w.time(), std::invalid_argument);
    CHECK_THROWS_AS(w.storage(), std::invalid_argument);
    w.close(); // again: nothing
    CHECK(set.size() == 1);
    set.write(2).add(2); // and no writer is open
}

TEST_CASE("a closed writer throws on every member of a dictionary", "[writers]") {
    Dict dict;
    dict.write(1).set(1, 10);
    auto w = dict.write(1);
    const auto delta = capture(dict, 1);
    const auto handle = dict.handle_of(1);
    SECTION("closed") { w.close(); }
    SECTION("moved from") { const auto other = std::move(w); }
    CHECK_FALSE(w.is_open());
    CHECK_THROWS_AS(w.set(1, 11), std::invalid_argument);
    CHECK_THROWS_AS(w.create(2), std::invalid_argument);
    CHECK_THROWS_AS(w.modify(1), std::invalid_argument);
    CHECK_THROWS_AS(w.modify(7), std::invalid_argument); // not out_of_range
    CHECK_THROWS_AS(w.modify(handle), std::invalid_argument);
    CHECK_THROWS_AS(w.remove(1), std::invalid_argument);
    CHECK_THROWS_AS(w.remove(handle), std::invalid_argument);
    CHECK_THROWS_AS(w.clear(), std::invalid_argument);
    CHECK_THROWS_AS(w.touch(), std::invalid_argument);
    CHECK_THROWS_AS(w.apply(delta), std::invalid_argument);
    CHECK_THROWS_AS(w.time(), std::invalid_argument);
    CHECK_THROWS_AS(w.storage(), std::invalid_argument);
    CHECK(*dict.get(1) == 10);
    CHECK(dict.size() == 1);
    dict.write(2).set(1, 11);
}

TEST_CASE("a moved writer goes on where the other was", "[writers]") {
    TickLog::take();
    Dict dict;
    Listener a("a");
    const auto token = dict.subscribe(a);
    auto first = dict.write(1);
    first.set(1, 10);
    auto second = std::move(first);
    first.close();
    CHECK(TickLog::take().empty()); // the other is still open
    second.set(2, 20);
    CHECK_THROWS_AS(dict.write(2), std::invalid_argument);
    std::vector<Dict::writer> kept;
    kept.push_back(std::move(second));
    kept.push_back(dict.write_late(0));
    kept.front().set(3, 30);
    kept.erase(kept.begin()); // moves the second onto the first
    CHECK(TickLog::take().empty());
    kept.clear();
    CHECK(TickLog::take() == Ticks{"a whole 1"});
    CHECK(dict.size() == 3);
}

TEST_CASE("assigning to a writer closes what it wrote before", "[writers]") {
    TickLog::take();
    Dict one, two;
    Listener a("a"), b("b");
    const auto of_one = one.subscribe(a), of_two = two.subscribe(b);
    auto w = one.write(1);
    w.set(1, 10);
    w = two.write(5);
    CHECK(TickLog::take() == Ticks{"a whole 1"});
    one.write(2).touch();
    CHECK(TickLog::take() == Ticks{"a whole 2"});
    w.set(1, 11);
    CHECK(w.time() == 5);
    auto& same = w;
    w = std::move(same);
    CHECK(w.is_open());
    CHECK(TickLog::take().empty());
    w.close();
    CHECK(TickLog::take() == Ticks{"b whole 5"});
}

#if defined(__cpp_exceptions) // nothing leaves a scope otherwise than by its end without them
TEST_CASE("a writer closed by an exception keeps its changes and notifies subscribers", "[writers]") {
    TickLog::take();
    Dict dict;
    for (int i = 0; i != 3; ++i) dict.write(1).set(i, i);
    Listener a("a"), k("k"), x("x");
    const auto whole = dict.subscribe(a), keys = dict.subscribe_keys(k), key = dict.subscribe(7, x);
    try {
        auto w = dict.write(2);
        w.set(7, 70);
        w.remove(1);
        throw Abandon();
    } catch (const Abandon&) {}
    CHECK(TickLog::take() == Ticks{"x element 3 2", "k keys 2", "a whole 2"});
    CHECK(keys_in(dict.added_keys(2)) == std::vector<int>{7});
    CHECK(keys_in(dict.removed_keys(2)) == std::vector<int>{1});
    CHECK(keys_in(dict.modified_keys(2)) == std::vector<int>{7});
    CHECK(dict.check_invariants());
    dict.write(2).set(1, 11); // joins
    CHECK(dict.removed_keys(2).empty());
    dict.write(3).touch();
}
#endif
