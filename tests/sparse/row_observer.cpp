// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The notifications of rows, asked of a SparseSet: order, rollback, attachment.
#include "../support/catch.hpp"
#include "../support/tracked.hpp"

#include <slotwise/sparse/sparse_group.hpp>
#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>

#include <cstdint>
#include <string>
#include <utility>
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
using Set = SparseSet<std::uint32_t>;

} // namespace

TEST_CASE("row observers are notified of inserts in the order of attachment, of erases and clears in reverse") {
    Words log;
    Log a("a", log), b("b", log);
    Set set{10, 11}, empty;
    const RowToken first = set.attach(a), second = empty.attach(b);
    CHECK(log == Words{"a+0", "a+1"});
    const RowToken third = set.attach(b);
    CHECK(log == Words{"a+0", "a+1", "b+0", "b+1"});
    log.clear();
    set.insert(12);
    set.swap_rows(1, 2);
    Set moved(std::move(set));
    moved.erase(12); // of row 1
    moved.clear();
    CHECK(log == Words{"a+2", "b+2", "ax12", "bx12", "am", "bm", "b-1", "a-1", "b0", "a0"});
}

TEST_CASE("an observer that swaps rows is notified of an insert last and of an erase first") {
    Words log;
    Log owner("o", log, true), a("a", log);
    Set set;
    const RowToken first = set.attach(owner), second = set.attach(a);
    set.insert(7);
    set.erase(7);
    set.clear();
    CHECK(log == Words{"a+0", "o+0", "o-0", "a-0", "o0", "a0"});
}

// A group brings an id that leaves it behind the others, before anyone else is notified.
TEST_CASE("the row of an entry is asked for before each notification, because an observer may have swapped rows") {
    Words log;
    Log a("a", log);
    Set set{1, 2, 3, 4};
    SparseMap<std::uint32_t, int> map;
    for (const std::uint32_t id : {1u, 2u, 3u}) map.try_emplace(id, 0);
    const SparseGroup group(set, map);
    const RowToken token = set.attach(a);
    REQUIRE((group.size() == 3 && set.row_of(4) == 3));
    log.clear();
    const std::uint32_t first = set.id_at(0);
    set.erase(first);
    CHECK(log == Words{"ax02", "a-2"});
    log.clear();
    set.insert(first); // behind the others, and then up to the group's
    CHECK(log == Words{"a+3", "ax32"});
    CHECK((group.size() == 3 && group.check_invariants() && set.check_invariants()));
}

TEST_CASE("when a row observer throws those notified of the insert get on_erase in reverse") {
    Words log, undone;
    const auto failures = test::fail_at_every_step([&](auto&& attempt) {
        Log a("a", log), b("b", log), owner("o", log, true);
        Set set{1, 2, 3};
        const RowToken tokens[] = {set.attach(a), set.attach(owner), set.attach(b)};
        b.refuses = owner.refuses = true;
        log.clear();
        if (attempt([&] { set.insert(4); })) {
            undone.insert(undone.end(), log.begin(), log.end());
            CHECK_FALSE(set.contains(4));
        }
        b.refuses = owner.refuses = false;
        const RowToken late = set.attach(a); // nothing is being notified any more
        CHECK((late.attached() && set.check_invariants()));
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
        Set set{1, 2, 3, 4, 5};
        RowToken token;
        const bool threw = attempt([&] { token = set.attach(third); });
        CHECK((third.known == (threw ? 0 : 5) && token.attached() != threw));
        set.erase(5);
        CHECK(third.known == (threw ? 0 : 4));
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
        Set set;
        once.token = set.attach(once);
        outlives = set.attach(after);
        Set moved(std::move(set));
        moved.insert(1);
        moved.insert(2);
        set.swap(moved); // NOLINT(bugprone-use-after-move)
        moved.insert(3); // of nobody's
    }
    CHECK(once.heard == 1);
    CHECK(log == Words{"am", "a+0", "a+1", "am", "a0", "am"});
    CHECK_FALSE(outlives.attached());
}
