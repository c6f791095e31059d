// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The notifications of rows: order, rollback, attachment.
#include "../support/catch.hpp"
#include "../support/tracked.hpp"

#include <slotwise/sparse/row_observer.hpp>

#include <string>
#include <vector>

using namespace slotwise;

namespace {

/// Writes down what it is notified of; throws at an insert when asked to.
struct Log final : RowObserver {
    Log(std::string name, std::vector<std::string>& to, bool swaps = false)
        : RowObserver(swaps), log(to), prefix(std::move(name)) {}
    void on_insert(std::size_t row) override {
        if (refuses) test::Budget::spend();
        log.push_back(prefix + "+" + std::to_string(row));
    }
    void on_erase(std::size_t row) noexcept override { log.push_back(prefix + "-" + std::to_string(row)); }
    void on_swap(std::size_t a, std::size_t b) noexcept override {
        log.push_back(prefix + "x" + std::to_string(a) + std::to_string(b));
    }
    void on_clear() noexcept override { log.push_back(prefix + "0"); }
    void on_move(const void*, void*) noexcept override { log.push_back(prefix + "m"); }
    std::vector<std::string>& log;
    std::string prefix;
    bool refuses = false;
};
using Words = std::vector<std::string>;

} // namespace

TEST_CASE("row observers are notified of inserts in the order of attachment, of erases and clears in reverse") {
    Words log;
    Log a("a", log), b("b", log);
    detail::RowHub hub;
    CHECK_FALSE(hub.attached());
    const RowToken first = hub.attach(a, 2), second = hub.attach(b, 0);
    CHECK(log == Words{"a+0", "a+1"});
    log.clear();
    hub.insert([] { return std::size_t{5}; });
    hub.swapped(1, 2);
    hub.moved(nullptr, nullptr);
    hub.erase([] { return std::size_t{4}; });
    hub.clear();
    CHECK(log == Words{"a+5", "b+5", "ax12", "bx12", "am", "bm", "b-4", "a-4", "b0", "a0"});
}

TEST_CASE("an observer that swaps rows is notified of an insert last and of an erase first") {
    Words log;
    Log owner("o", log, true), a("a", log);
    detail::RowHub hub;
    const RowToken first = hub.attach(owner, 0), second = hub.attach(a, 0);
    CHECK(hub.owned());
    std::size_t row = 7;
    hub.insert([&] { return row++; }); // asked for before each notification
    hub.erase([&] { return row++; });
    hub.clear();
    CHECK(log == Words{"a+7", "o+8", "o-9", "a-10", "o0", "a0"});
}

TEST_CASE("when a row observer throws those notified of the insert get on_erase in reverse") {
    Words log, undone;
    const auto failures = test::fail_at_every_step([&](auto&& attempt) {
        Log a("a", log), b("b", log), owner("o", log, true);
        detail::RowHub hub;
        const RowToken tokens[] = {hub.attach(a, 0), hub.attach(owner, 0), hub.attach(b, 0)};
        b.refuses = owner.refuses = true;
        log.clear();
        if (attempt([&] { hub.insert([] { return std::size_t{3}; }); })) undone.insert(undone.end(), log.begin(), log.end());
        CHECK_FALSE(hub.notifying());
    });
    REQUIRE(failures == 2);
#if SLOTWISE_EXCEPTIONS
    CHECK(undone == Words{"a+3", "a-3", "a+3", "b+3", "b-3", "a-3"});
#endif
}

TEST_CASE("a row observer that throws while rows are replayed is not attached") {
    struct Third final : RowObserver {
        void on_insert(std::size_t) override { test::Budget::spend(), ++known; }
        void on_erase(std::size_t) noexcept override { --known; }
        int known = 0;
    };
    const auto failures = test::fail_at_every_step([&](auto&& attempt) {
        Third third;
        detail::RowHub hub;
        RowToken token;
        const bool threw = attempt([&] { token = hub.attach(third, 5); });
        CHECK((third.known == (threw ? 0 : 5) && hub.attached() != threw));
    });
    REQUIRE(failures == 5);
}

TEST_CASE("a row observer may detach itself inside a notification, and a token outlives the container") {
    struct Once final : RowObserver {
        void on_insert(std::size_t) override { ++heard, token.detach(); }
        int heard = 0;
        RowToken token;
    } once;
    Words log;
    Log after("a", log);
    RowToken outlives;
    {
        detail::RowHub hub;
        once.token = hub.attach(once, 0);
        outlives = hub.attach(after, 0);
        detail::RowHub moved(std::move(hub));
        moved.insert([] { return std::size_t{0}; });
        moved.insert([] { return std::size_t{1}; });
        hub.swap(moved);
        CHECK_FALSE(moved.attached());
    }
    CHECK(once.heard == 1);
    CHECK(log == Words{"a+0", "a+1"});
    CHECK_FALSE(outlives.attached());
}
