// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// compose(first, second) is what one window would have captured in which both had happened.
#include "compose.hpp"

namespace {

using namespace test;

using Dict = DictDelta<int, double>;
using Set = SetDelta<int>;

} // namespace

TEST_CASE("composed sets: what the first did and the second undid is in neither list", "[series][compose]") {
    REQUIRE(compose(Set{1, true, {1}, {}}, Set{2, true, {}, {1}}) == Set{2, true, {}, {}});
    REQUIRE(compose(Set{1, true, {}, {1}}, Set{2, true, {1}, {}}) == Set{2, true, {}, {}});
    REQUIRE(compose(Set{1, true, {1, 2}, {3}}, Set{2, true, {4}, {5, 2}}) == Set{2, true, {1, 4}, {3, 5}});
    REQUIRE(compose(Set{1, false, {}, {}}, Set{2, false, {}, {}}) == Set{2, false, {}, {}});
    REQUIRE(compose(Set{1, true, {}, {}}, Set{2, false, {}, {}}) == Set{2, true, {}, {}});
    REQUIRE(compose(Set{1, false, {}, {}}, Set{2, true, {}, {}}) == Set{2, true, {}, {}});
}

TEST_CASE("composed dictionaries: the last value wins, and what is gone has none", "[series][compose]") {
    const Dict added{1, true, true, {1}, {}, {}, {{1, 10.0}}};
    const Dict written{2, true, false, {}, {}, {}, {{1, 11.0}}};
    const Dict removed{3, true, true, {}, {1}, {}, {}};
    const Dict reset{4, true, true, {}, {}, {1}, {}};
    REQUIRE(compose(added, written) == Dict{2, true, true, {1}, {}, {}, {{1, 11.0}}});
    REQUIRE(compose(written, removed) == Dict{3, true, true, {}, {1}, {}, {}});
    REQUIRE(compose(added, removed) == Dict{3, true, true, {}, {}, {}, {}});
    REQUIRE(compose(removed, added) == Dict{1, true, true, {}, {}, {}, {{1, 10.0}}});
    REQUIRE(compose(added, reset) == Dict{4, true, true, {1}, {}, {}, {}});
    REQUIRE(compose(written, reset) == Dict{4, true, true, {}, {}, {1}, {}});
    REQUIRE(compose(reset, written) == Dict{2, true, true, {}, {}, {}, {{1, 11.0}}});
    REQUIRE(compose(reset, reset) == reset);
    REQUIRE(compose(reset, removed) == removed);
    const Dict rewritten{1, true, true, {}, {}, {1}, {{1, 10.0}}}, nothing{2, false, false, {}, {}, {}, {}};
    REQUIRE(compose(rewritten, nothing) == Dict{2, true, true, {}, {}, {}, {{1, 10.0}}}); // its value says it all
    const Dict created{5, true, true, {1}, {}, {}, {}};                                   // without a value
    REQUIRE(compose(removed, created) == Dict{5, true, true, {}, {}, {1}, {}});
    REQUIRE(compose(created, written) == Dict{2, true, true, {1}, {}, {}, {{1, 11.0}}});
    REQUIRE(compose(compose(removed, created), removed) == removed);
}

TEST_CASE("composed nested deltas: a replaced element forgets what was done to the one before", "[series][compose]") {
    using Nested = DictDelta<std::string, TSSStorage<int>>;
    const Nested first{1, true, false, {}, {}, {}, {{"a", Set{1, true, {1}, {2}}}, {"b", Set{1, true, {3}, {}}}}};
    const Nested second{2, true, true, {}, {}, {"a"}, {{"a", Set{2, true, {9}, {}}}}};
    const auto both = compose(first, second);
    // What only the first window did counts as done in the second.
    REQUIRE(both == Nested{2, true, true, {}, {}, {"a"}, {{"a", Set{2, true, {9}, {}}}, {"b", Set{2, true, {3}, {}}}}});
    const Nested added{2, true, true, {"a"}, {}, {}, {{"a", Set{2, true, {9}, {}}}}}; // so the one before is no more
    REQUIRE(compose(first, added).modified ==
            Nested{2, true, true, {}, {}, {}, {{"b", Set{2, true, {3}, {}}}, added.modified[0]}}.modified);
    const Nested third{3, true, false, {}, {}, {}, {{"a", Set{3, true, {}, {9}}}, {"b", Set{3, true, {4}, {3}}}}};
    REQUIRE(compose(both, third) ==
            Nested{3, true, true, {}, {}, {"a"}, {{"a", Set{3, true, {}, {}}}, {"b", Set{3, true, {4}, {}}}}});
}

TEST_CASE("a delta composed with one that says nothing is itself", "[series][compose]") {
    TSDStorage<int, double> dict;
    Random random(5);
    for (Time time = 1; time != 200; ++time) {
        random_tick(dict, time, random, 12);
        const auto delta = capture(dict, time);
        DictDelta<int, double> nothing;
        nothing.time = time;
        REQUIRE(compose(delta, nothing) == delta);
        REQUIRE(compose(nothing, delta) == delta);
    }
}

TEST_CASE("equality of deltas ignores the order of keys and nothing else", "[series][compose]") {
    const Set set{1, true, {1, 2, 3}, {4, 5}};
    REQUIRE(set == Set{1, true, {3, 1, 2}, {5, 4}});
    REQUIRE_FALSE(set == Set{2, true, {1, 2, 3}, {4, 5}});
    REQUIRE_FALSE(set == Set{1, false, {1, 2, 3}, {4, 5}});
    REQUIRE_FALSE(set == Set{1, true, {1, 2}, {4, 5}});
    REQUIRE_FALSE(set == Set{1, true, {1, 2, 4}, {4, 5}});
    REQUIRE_FALSE(set == Set{1, true, {1, 2, 3}, {4, 6}});
    REQUIRE_FALSE(set == Set{1, true, {4, 5}, {1, 2, 3}});

    const Dict dict{1, true, true, {1, 2}, {3, 4}, {5, 6}, {{1, 1.0}, {7, 7.0}}};
    REQUIRE(dict == Dict{1, true, true, {2, 1}, {4, 3}, {6, 5}, {{7, 7.0}, {1, 1.0}}});
    REQUIRE_FALSE(dict == Dict{1, true, false, {1, 2}, {3, 4}, {5, 6}, {{1, 1.0}, {7, 7.0}}});
    REQUIRE_FALSE(dict == Dict{1, true, true, {1, 2}, {3, 4}, {5}, {{1, 1.0}, {7, 7.0}}});
    REQUIRE_FALSE(dict == Dict{1, true, true, {1, 2}, {3, 4}, {5, 6}, {{1, 1.0}, {7, 7.5}}});
    REQUIRE_FALSE(dict == Dict{1, true, true, {1, 2}, {3, 4}, {5, 6}, {{1, 1.0}, {8, 7.0}}});
    REQUIRE_FALSE(dict == Dict{1, true, true, {1, 2}, {3, 4}, {5, 6}, {{1, 1.0}}});

    using Nested = DictDelta<int, TSSStorage<int>>;
    REQUIRE(Nested{1, true, false, {}, {}, {}, {{1, Set{1, true, {1, 2}, {}}}}} ==
            Nested{1, true, false, {}, {}, {}, {{1, Set{1, true, {2, 1}, {}}}}});
    REQUIRE_FALSE(Nested{1, true, false, {}, {}, {}, {{1, Set{1, true, {1, 2}, {}}}}} ==
                  Nested{1, true, false, {}, {}, {}, {{1, Set{1, true, {1}, {2}}}}});
}

TEST_CASE("equality of deltas is symmetric, also of ones that name a key twice", "[series][compose]") {
    const Set twice{1, true, {1, 1}, {}}, once{1, true, {1, 2}, {}};
    REQUIRE_FALSE(twice == once);
    REQUIRE_FALSE(once == twice);
    const Dict two{1, true, true, {}, {}, {}, {{1, 1.0}, {1, 1.0}}}, one{1, true, true, {}, {}, {}, {{1, 1.0}, {2, 1.0}}};
    REQUIRE_FALSE(two == one);
    REQUIRE_FALSE(one == two);
}

TEMPLATE_TEST_CASE("composed deltas of sets equal the capture of their windows as one", "[series][compose][bounds]",
                   ALL_REPRESENTATIONS) {
    compose_like_one_window<typename TestType::template set<int>>(1, 10, 3'000);
}

TEMPLATE_TEST_CASE("composed deltas of dictionaries equal the capture of their windows as one", "[series][compose][bounds]",
                   ALL_REPRESENTATIONS) {
    compose_like_one_window<typename TestType::template dict<int, double>>(2, 8, 3'000);
}

TEST_CASE("composed deltas of strings equal the capture of their windows as one", "[series][compose][bounds]") {
    compose_like_one_window<Adaptive::dict<std::string, std::string>>(3, 5, 2'000);
}
