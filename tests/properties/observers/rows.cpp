// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Row observers of every container that has them, in lockstep with it: what they are notified of gives the ids row by row, after each random
// step; one that refuses leaves no trace.
#include "properties/containers.hpp"

#include "support/catch.hpp"
#include "support/sweep.hpp"
#include "support/thrown.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace {
using namespace test::every;

template <class C>
auto ids_of(const C& c) {
    if constexpr (requires { c.alive(); })
        return c.alive();
    else
        return c.ids();
}

/// Keeps the ids of each row as it is notified of them, and refuses once if asked to.
template <class C>
struct Follower final : RowObserver {
    explicit Follower(const C& of) : c(&of) {}
    void on_insert(std::size_t row) override {
        if (std::exchange(refuses, false)) TEST_THROW(1);
        right = right && row == rows.size();
        rows.push_back(ids_of(*c)[row]);
    }
    void on_erase(std::size_t row) noexcept override {
        right = right && row < rows.size() && ids_of(*c)[row] == rows[row]; // intact
        rows[row] = rows.back();
        rows.pop_back();
    }
    void on_swap(std::size_t a, std::size_t b) noexcept override { std::swap(rows[a], rows[b]); }
    void on_clear() noexcept override { rows.clear(); }
    void on_move(const void*, void*) noexcept override { moved = true; }
    bool agrees() const {
        const auto ids = ids_of(*c);
        return right && std::equal(ids.begin(), ids.end(), rows.begin(), rows.end());
    }
    const C* c;
    std::vector<typename C::id_type> rows{};
    bool right = true, refuses = false, moved = false;
};

struct Lockstep {
    template <class Entry, class C>
    static void run() {
        if constexpr (requires(C& c, RowObserver& observer) { c.attach(observer); }) {
            ++observed;
            INFO(test::class_name<C>());
            std::mt19937 random(static_cast<unsigned>(observed));
            C c = made<C>();
            Follower<C> follower(c), late(c);
            const auto token = c.attach(follower);
            RowToken of_late;
            std::vector<decltype(Entry::insert(c, 0))> names;
            bool right = true;
            for (int step = 0; step != 600 && right; ++step) {
                const unsigned dice = random() % 100;
                if (dice < 50 || names.empty()) {
#if defined(__cpp_exceptions)
                    if (dice < 10) refuses<Entry>(c, dice < 5 || !of_late.attached() ? follower : late, step);
#endif
                    names.push_back(Entry::insert(c, step));
                } else if (dice < 85)
                    Entry::erase(c, names[random() % names.size()]);
                else if (dice < 88)
                    of_late = {}, late.rows.clear(), of_late = c.attach(late);
                else if (dice < 92)
                    shuffle(c, random);
                else if (dice < 95)
                    exchange(c, follower);
                else if (dice < 97)
                    c.shrink_to_fit();
                else if (dice < 98)
                    Entry::clear(c);
                if (!of_late.attached()) late.rows.assign(ids_of(c).begin(), ids_of(c).end());
                right = follower.agrees() && late.agrees() && c.check_invariants();
            }
            CHECK(right);
            CHECK(names.size() > 200);
        }
    }
    /// Rows change places where they may.
    template <class C, class Random>
    static void shuffle(C& c, Random& random) {
        if constexpr (requires { c.swap_rows(0, 0); })
            if (c.size() > 1) c.swap_rows(random() % c.size(), random() % c.size());
        if constexpr (requires { c.sort(); })
            if (random() % 2 == 0) c.sort();
    }
    /// Through another object and back, with whom it tells.
    template <class C>
    static void exchange(C& c, Follower<C>& follower) {
        C there(std::move(c));
        c = std::move(there);
        CHECK(std::exchange(follower.moved, false));
    }
#if defined(__cpp_exceptions)
    template <class Entry, class C>
    static void refuses(C& c, Follower<C>& by, int step) {
        by.refuses = true;
        const std::size_t before = c.size();
        CHECK_THROWS_AS(Entry::insert(c, step), int);
        CHECK(c.size() == before);
    }
#endif
    static inline std::size_t observed = 0;
};

} // namespace

TEST_CASE("row observers of every container know its ids row by row, and one that refuses leaves no trace", "[properties]") {
    for_each_container<Lockstep>();
    CHECK(Lockstep::observed >= 7);
}
