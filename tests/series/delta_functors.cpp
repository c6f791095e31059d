// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Deltas of series whose hash and equality have state, no default constructor, or keys and values with an operator& of their
// own.
#include "../support/catch.hpp"

#include <slotwise/series/tsd_storage.hpp>

namespace {

using namespace slotwise;

/// Keys are one when they leave the same remainder: 3 and 13 under 10. There is no default.
struct Modulo {
    explicit Modulo(int modulus) : m(modulus) {}
    int m;
};
struct ModHash : Modulo {
    using Modulo::Modulo;
    std::size_t operator()(int key) const { return static_cast<std::size_t>(key % m); }
};
struct ModEqual : Modulo {
    using Modulo::Modulo;
    bool operator()(int a, int b) const { return a % m == b % m; }
};
using Set = TSSStorage<int, HashBy<ModHash>, EqualBy<ModEqual>>;
using Dict = TSDStorage<int, int, HashBy<ModHash>, EqualBy<ModEqual>>;

template <class Series>
Series modulo(int m) {
    return Series(ModHash(m), ModEqual(m));
}

/// Whoever takes its address the simple way does not compile.
template <class T>
struct Shy {
    T value{};
    void operator&() const = delete;
    friend bool operator==(const Shy&, const Shy&) = default;
};
struct ShyHash {
    std::size_t operator()(const Shy<int>& key) const { return DefaultHash<int>()(key.value); }
};

} // namespace

TEST_CASE("apply asks the storage's own equality which keys of a delta are one", "[series][apply]") {
    Set set = modulo<Set>(10);
    set.write(1).add(3);
    SetDelta<int> delta{2, true, {4, 14}, {}}; // one key under 10, two under 100
    CHECK_THROWS_AS(set.write(2).apply(delta), std::invalid_argument);
    REQUIRE(set.size() == 1);
    Set fine = modulo<Set>(100);
    fine.write(1).add(3);
    fine.write(2).apply(delta);
    REQUIRE((fine.size() == 3 && fine.contains(114)));
    delta = {3, true, {4}, {13}};
    set.write(3).apply(delta); // 13 is 3 here
    REQUIRE((set.size() == 1 && set.contains(4)));
    CHECK_THROWS_AS(fine.write(3).apply(delta), std::invalid_argument); // 4 is a member, 13 is none

    Dict dict = modulo<Dict>(10), other = modulo<Dict>(10);
    {
        auto w = dict.write(1);
        w.set(1, 10);
        w.set(2, 20);
    }
    other.write(1).apply(capture(dict, 1));
    REQUIRE((other == dict && other.at(11) == 10));
    other.write(2).apply(DictDelta<int, int>{2, true, true, {3}, {11}, {}, {{13, 30}, {12, 21}}});
    REQUIRE((other.size() == 2 && other.at(3) == 30 && other.at(2) == 21));
    CHECK_THROWS_AS(other.write(3).apply(DictDelta<int, int>{3, true, false, {}, {}, {}, {{2, 1}, {12, 2}}}),
                    std::invalid_argument);
}

TEST_CASE("compose nets out what is one key to the series' own equality", "[series][compose]") {
    Dict dict = modulo<Dict>(10);
    const auto join = [&](const auto& first, const auto& second) {
        return compose(first, second, dict.hash_function(), dict.key_eq());
    };
    const SetDelta<int> came{1, true, {1, 2}, {}}, went{2, true, {}, {11}};
    REQUIRE(join(came, went) == SetDelta<int>{2, true, {2}, {}});
    const DictDelta<int, int> first{1, true, true, {1}, {2}, {3}, {{1, 10}, {3, 30}}};
    const DictDelta<int, int> second{2, true, true, {12}, {}, {}, {{11, 11}, {12, 20}}};
    REQUIRE(join(first, second) == DictDelta<int, int>{2, true, true, {1}, {}, {}, {{3, 30}, {11, 11}, {12, 20}}});
    const DictDelta<int, int> reset{2, true, true, {}, {}, {13}, {}};
    REQUIRE(join(first, reset).reset == std::vector<int>{13});
    REQUIRE(join(first, reset).modified == std::vector<std::pair<int, int>>{{1, 10}});
}

TEST_CASE("equal_deltas compares keys as their series does, at every level", "[series][compose]") {
    const ModHash hash(10);
    const ModEqual equal(10);
    const SetDelta<int> a{1, true, {1, 2}, {3}}, b{1, true, {12, 11}, {3}};
    REQUIRE_FALSE(a == b);
    REQUIRE(equal_deltas(a, b, hash, equal));
    REQUIRE_FALSE(equal_deltas(a, SetDelta<int>{1, true, {12, 13}, {3}}, hash, equal));
    REQUIRE_FALSE(equal_deltas(a, SetDelta<int>{1, true, {12, 11}, {4}}, hash, equal));
    REQUIRE_FALSE(equal_deltas(a, SetDelta<int>{1, false, {12, 11}, {3}}, hash, equal));
    const DictDelta<int, int> c{1, true, true, {1}, {}, {2}, {{1, 5}}}, d{1, true, true, {11}, {}, {12}, {{21, 5}}};
    REQUIRE_FALSE(c == d);
    REQUIRE(equal_deltas(c, d, hash, equal));
    auto e = d;
    e.modified = {{21, 6}};
    REQUIRE_FALSE(equal_deltas(c, e, hash, equal));
    e.modified = {{22, 5}};
    REQUIRE_FALSE(equal_deltas(c, e, hash, equal));
    e.modified = {{22, 5}, {32, 5}};
    REQUIRE_FALSE(equal_deltas(c, e, hash, equal));
    auto f = c;
    f.modified = {{1, 5}, {11, 5}}; // a key twice, as no series captures
    REQUIRE_FALSE(equal_deltas(f, e, hash, equal));

    struct Ten : ModHash {
        Ten() : ModHash(10) {}
    };
    struct TenEqual : ModEqual {
        TenEqual() : ModEqual(10) {}
    };
    using Nested = TSDStorage<int, TSSStorage<int, HashBy<Ten>, EqualBy<TenEqual>>>;
    const Nested::delta_type x{1, true, false, {}, {}, {}, {{7, SetDelta<int>{1, true, {1}, {}}}}};
    Nested::delta_type y = x;
    y.modified[0].second.added = {11};
    REQUIRE(x == y);
    REQUIRE(compose(x, Nested::delta_type{1, true, false, {}, {}, {}, {{7, SetDelta<int>{1, true, {}, {11}}}}})
                .modified[0]
                .second.empty());
    y.modified[0].second.added = {2};
    REQUIRE_FALSE(x == y);
}

TEST_CASE("deltas take keys and values whose operator& is their own", "[series][apply][compose]") {
    using Names = TSDStorage<Shy<int>, Shy<double>, HashBy<ShyHash>>;
    Names names, replica;
    const auto captured = [&](std::int64_t time, int key, double value) {
        names.write(time).set(Shy<int>{key}, Shy<double>{value});
        return capture(names, time);
    };
    const auto first = captured(1, 1, 1.5);
    const auto both = compose(first, captured(2, 2, 2.5), names.hash_function(), names.key_eq());
    REQUIRE(both.added.size() == 2);
    replica.write(2).apply(both);
    REQUIRE(replica == names);
    REQUIRE_FALSE(equal_deltas(first, both, ShyHash(), EqualTo()));
    REQUIRE(equal_deltas(both, both, ShyHash(), EqualTo()));

    TSSStorage<Shy<int>, HashBy<ShyHash>> set, copy;
    set.write(1).add(Shy<int>{5});
    copy.write(1).apply(capture(set, 1));
    REQUIRE(copy == set);
    set.write(2).remove(Shy<int>{5});
    REQUIRE(compose(capture(copy, 1), capture(set, 2), ShyHash(), EqualTo()).empty());
}
