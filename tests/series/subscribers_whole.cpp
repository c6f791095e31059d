// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Subscribers when their series dies, is copied, moved, assigned, swapped or restored, is full, or runs out of memory.
#include "subscribers.hpp"

#include "support/allocators.hpp"

#include <memory>
#include <new>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;

/// Four subscribers of a dictionary: whole, keys, key 1, and the slot of key 1.
struct Four {
    explicit Four(const std::string& name) : w(name + "w"), k(name + "k"), x(name + "x"), s(name + "s") {}
    template <class Series>
    void subscribe(const Series& series) {
        tokens.push_back(series.subscribe(w));
        tokens.push_back(series.subscribe_keys(k));
        tokens.push_back(series.subscribe(1, x));
        tokens.push_back(series.subscribe_slot(series.slot_of(1), s));
    }
    std::vector<bool> attached() const {
        std::vector<bool> result;
        for (const auto& token : tokens) result.push_back(token.attached());
        return result;
    }
    Listener w, k, x, s;
    std::vector<Subscription<>> tokens{};
};
const std::vector<bool> all{true, true, true, true}, none{false, false, false, false}, but_slot{true, true, true, false};

} // namespace

TEST_CASE("tokens outlive their series", "[subscribers]") {
    TickLog::take();
    Four four("a");
    {
        Dict dict;
        dict.write(1).set(1, 10);
        four.subscribe(dict);
        CHECK(four.attached() == all);
    }
    CHECK(four.attached() == none);
    four.tokens[0].detach();
    Subscription<> moved = std::move(four.tokens[2]);
    CHECK_FALSE(moved.attached());
    four.tokens.clear();
    CHECK(TickLog::take().empty());
}

TEST_CASE("tokens of a nested series outlive its element", "[subscribers]") {
    TickLog::take();
    TSDStorage<int, Dict> dict;
    dict.write(1).create(7);
    {
        auto w = dict.write(1);
        w.modify(7).set(1, 10);
    }
    Four four("a");
    four.subscribe(*dict.get(7));
    dict.write(2).remove(7);
    CHECK(four.attached() == all); // readable until the window rolls
    CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 4294967295 2", "ak keys 2", "aw whole 2"});
    dict.write(3).create(8);
    CHECK(four.attached() == none);
    CHECK(TickLog::take().empty());
}

TEST_CASE("a copy has no subscribers", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Four four("a");
    four.subscribe(dict);
    Dict copy(dict);
    copy.write(2).set(1, 11);
    CHECK(TickLog::take().empty());
    dict.write(2).set(1, 11);
    CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 0 2", "aw whole 2"});
    Four second("b");
    second.subscribe(copy);
    copy.write(2).set(1, 12); // they are new: nobody has told them of this window
    CHECK(TickLog::take() == Ticks{"bs element 0 2", "bx element 0 2", "bw whole 2"});
}

TEST_CASE("a copy assigned to keeps its subscribers; those of slots end with the elements", "[subscribers]") {
    TickLog::take();
    Dict dict, source;
    dict.write(1).set(1, 10);
    {
        auto w = source.write(5);
        for (int i = 2; i != 300; ++i) w.set(i, i);
        w.set(1, 0);
    }
    Four four("a");
    four.subscribe(dict);
    dict = source;
    CHECK(four.attached() == but_slot);
    CHECK(TickLog::take() == Ticks{"ax element 4294967295 5", "ak keys 5", "aw whole 5"});
    dict.write(6).set(2, 20);
    CHECK(TickLog::take() == Ticks{"aw whole 6"});
    dict.write(7).set(1, 20);
    CHECK(TickLog::take() == Ticks{"ax element 298 7", "aw whole 7"});
    const Dict empty;
    dict = empty;
    TickLog::take();
    dict.write(1).set(1, 5);
    CHECK(TickLog::take() == Ticks{"ax element 0 1", "ak keys 1", "aw whole 1"});
    source.write(6).set(1, 1);
    CHECK(TickLog::take().empty());
}

TEST_CASE("after an assignment in a window they were notified of, subscribers are notified of the next write",
          "[subscribers]") {
    TickLog::take();
    Dict dict, source;
    dict.write(1).set(1, 10);
    source.write(1).set(1, 11);
    Listener w("w"), x("x");
    const auto whole = dict.subscribe(w), key = dict.subscribe(1, x);
    dict.write(1).set(1, 12);
    TickLog::take();
    dict = source;
    CHECK(TickLog::take() == Ticks{"x element 4294967295 1", "w whole 1"});
    dict.write(1).set(1, 13);
    CHECK(TickLog::take() == Ticks{"x element 0 1", "w whole 1"});
}

TEST_CASE("assigned to itself a series changes nothing", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Four four("a");
    four.subscribe(dict);
    auto& same = dict;
    dict = same;
    dict = std::move(same);
    CHECK(four.attached() == all);
    CHECK(dict.size() == 1);
    dict.write(2).remove(1);
    CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 0 2", "ak keys 2", "aw whole 2"});
}

TEST_CASE("moves take subscribers along", "[subscribers]") {
    TickLog::take();
    Dict dict;
    dict.write(1).set(1, 10);
    Four four("a");
    four.subscribe(dict);
    Dict moved(std::move(dict));
    CHECK(four.attached() == all);
    dict.write(1).set(1, 5); // the source is as new
    CHECK(TickLog::take().empty());
    moved.write(2).set(1, 11);
    CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 0 2", "aw whole 2"});
    Dict target;
    target = std::move(moved);
    CHECK(four.attached() == all);
    moved.write(1).set(1, 5);
    CHECK(TickLog::take().empty());
    target.write(3).remove(1);
    CHECK(TickLog::take() == Ticks{"as element 0 3", "ax element 0 3", "ak keys 3", "aw whole 3"});
}

TEST_CASE("the subscribers of the target of a move are detached", "[subscribers]") {
    TickLog::take();
    Dict target, source;
    target.write(1).set(1, 10);
    source.write(1).set(1, 11);
    Four old("old"), fresh("new");
    old.subscribe(target);
    fresh.subscribe(source);
    target = std::move(source);
    CHECK(old.attached() == none);
    CHECK(fresh.attached() == all);
    source.write(1).set(1, 12);
    CHECK(TickLog::take().empty());
    target.write(2).set(1, 12);
    CHECK(TickLog::take() == Ticks{"news element 0 2", "newx element 0 2", "neww whole 2"});
}

TEST_CASE("swapped series exchange their subscribers", "[subscribers]") {
    TickLog::take();
    Dict a, b;
    a.write(1).set(1, 10);
    {
        auto w = b.write(7);
        w.set(2, 20);
        w.set(1, 10);
    }
    Four of_a("a"), of_b("b");
    of_a.subscribe(a);
    of_b.subscribe(b);
    a.swap(b);
    a.write(8).set(1, 11);
    CHECK(TickLog::take() == Ticks{"bs element 1 8", "bx element 1 8", "bw whole 8"});
    b.write(2).set(1, 11);
    CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 0 2", "aw whole 2"});
    CHECK(of_a.attached() == all);
    CHECK(of_b.attached() == all);
}

TEST_CASE("a restored series keeps its subscribers; those of slots end, those of keys find their slots", "[subscribers]") {
    TickLog::take();
    Dict dict, source;
    dict.write(1).set(1, 10);
    {
        auto w = source.write(5);
        for (int i = 2; i != 300; ++i) w.set(i, i);
        w.set(1, 0);
    }
    Four four("a");
    four.subscribe(dict);
    const auto bytes = source.snapshot();
    SECTION("from good bytes") {
        dict.restore(bytes);
        CHECK(four.attached() == but_slot);
        CHECK(TickLog::take() == Ticks{"ax element 4294967295 5", "ak keys 5", "aw whole 5"});
        dict.write(5).set(1, 3);
        CHECK(TickLog::take() == Ticks{"ax element 298 5", "aw whole 5"});
        dict.write(6).set(5, 50);
        CHECK(TickLog::take() == Ticks{"aw whole 6"});
    }
    SECTION("from bad ones nothing has happened") {
        CHECK_THROWS_AS(dict.restore(std::span(bytes).first(bytes.size() - 3)), std::invalid_argument);
        CHECK(four.attached() == all);
        dict.write(2).set(1, 3);
        CHECK(TickLog::take() == Ticks{"as element 0 2", "ax element 0 2", "aw whole 2"});
    }
}

namespace {

struct FailingHash {
    std::size_t operator()(int key) const {
        Budget::spend();
        return static_cast<std::size_t>(key);
    }
};

} // namespace

TEST_CASE("an assignment or restore that fails at any step leaves subscribers and contents as they were",
          "[subscribers][throwing][throws]") {
    EveryByteReturned bytes;
    using Failing = TSDStorage<int, int, HashBy<FailingHash>, AllocBy<ThrowingAllocator<int>>>;
    const bool restoring = GENERATE(false, true);
    Failing source;
    {
        auto w = source.write(5);
        for (int i = 2; i != 200; ++i) w.set(i, i);
        w.set(1, 0);
    }
    const auto snapshot = source.snapshot();
    const auto failures = fail_at_every_step(swept<Failing>(restoring ? "restore" : "operator=(copy)"), [&](auto&& attempt) {
        TickLog::take();
        Failing dict;
        dict.write(1).set(1, 10);
        dict.write(2).set(2, 20);
        Four four("a");
        four.subscribe(dict);
        const bool threw = attempt([&] {
            if (restoring)
                dict.restore(snapshot);
            else
                dict = source;
        });
        REQUIRE(dict.check_invariants());
        REQUIRE(dict.size() == (threw ? 2 : 199));
        REQUIRE(dict.window() == (threw ? 2 : 5));
        REQUIRE(dict.added_keys(2).size() == (threw ? 1 : 0));
        REQUIRE(four.attached() == (threw ? all : but_slot));
        REQUIRE(TickLog::take().size() == (threw ? 0 : 3));
        dict.write(6).set(1, 11);
        REQUIRE(TickLog::take() ==
                (threw ? Ticks{"as element 0 6", "ax element 0 6", "aw whole 6"} : Ticks{"ax element 198 6", "aw whole 6"}));
    });
    CHECK(failures > 5);
}

namespace {

/// A hash of which copies and swaps throw too.
struct LoudHash {
    LoudHash() = default;
    LoudHash(const LoudHash&) { Budget::spend(); }
    LoudHash& operator=(const LoudHash&) {
        Budget::spend();
        return *this;
    }
    std::size_t operator()(int key) const {
        Budget::spend();
        return static_cast<std::size_t>(key);
    }
};
struct LoudObserver final : SlotObserver {
    void on_capacity(slot_t, slot_t) override { Budget::spend(); }
    void on_insert(slot_t, InsertKind) noexcept override {}
};

} // namespace

// What is done to the subscribers is done when nothing can throw any more: until then they belong to the old contents.
TEST_CASE("an assignment or restore that fails when hash or observer throw loses no subscription",
          "[subscribers][throwing][throws]") {
    EveryByteReturned bytes;
    using Failing = TSDStorage<int, int, HashBy<LoudHash>, AllocBy<ThrowingAllocator<int>>>;
    const bool restoring = GENERATE(false, true), observed = GENERATE(false, true);
    CAPTURE(restoring, observed);
    Failing source;
    {
        auto w = source.write(5);
        for (int i = 2; i != 200; ++i) w.set(i, i);
        w.set(1, 0);
    }
    const auto snapshot = source.snapshot();
    std::size_t kept = 0, emptied = 0;
    const auto failures = fail_at_every_step(swept<Failing>(restoring ? "restore" : "operator=(copy)"), [&](auto&& attempt) {
        TickLog::take();
        LoudObserver observer;
        Failing dict;
        dict.write(1).set(1, 10);
        dict.write(2).set(2, 20);
        ObserverToken token;
        if (observed) token = dict.attach(observer);
        Four four("a");
        four.subscribe(dict);
        const bool threw = attempt([&] {
            if (restoring)
                dict.restore(snapshot);
            else
                dict = source;
        });
        REQUIRE(dict.check_invariants());
        const bool empty = threw && dict.size() == 0; // the observer has thrown: the series is as new
        REQUIRE((observed || !empty));
        REQUIRE(dict.size() == (empty ? 0 : threw ? 2 : 199));
        REQUIRE(four.attached() == (threw && !empty ? all : but_slot));
        REQUIRE(TickLog::take().size() == (threw ? 0 : 3));
        kept += threw && !empty;
        emptied += empty;
        dict.write(6).set(1, 11);
        REQUIRE(TickLog::take() == (empty   ? Ticks{"ax element 0 6", "ak keys 6", "aw whole 6"}
                                    : threw ? Ticks{"as element 0 6", "ax element 0 6", "aw whole 6"}
                                            : Ticks{"ax element 198 6", "aw whole 6"}));
        token.detach();
    });
    CHECK(failures > 10);
    CHECK(kept > 10);
    CHECK((emptied != 0) == observed);
}

TEST_CASE("subscribing that fails at any step changes nothing", "[subscribers][throwing][throws]") {
    EveryByteReturned bytes;
    using Failing = TSDStorage<int, int, HashBy<FailingHash>, AllocBy<ThrowingAllocator<int>>>;
    const auto failures = fail_at_every_step(swept<Failing>("subscribe"), [&](auto&& attempt) {
        TickLog::take();
        Failing dict;
        for (int i = 0; i != 100; ++i) dict.write(1).set(i, i);
        Listener a("a");
        std::vector<Subscription<>> tokens;
        tokens.reserve(3);
        const bool threw = attempt([&] {
            tokens.push_back(dict.subscribe(70, a));
            tokens.push_back(dict.subscribe(700, a));
            tokens.push_back(dict.subscribe_slot(70, a));
        });
        {
            auto w = dict.write(2);
            w.set(70, 1);
            w.set(700, 1);
        }
        REQUIRE((threw || tokens.size() == 3));
        REQUIRE(TickLog::take().size() == tokens.size());
        for (const auto& token : tokens) REQUIRE(token.attached());
        REQUIRE(dict.check_invariants());
    });
    CHECK(failures > 3);
}

TEST_CASE("in a full series what needs no new slot can be done, whether somebody has subscribed or not", "[subscribers]") {
    TickLog::take();
    constexpr SeriesOptions full{.page_slots = 64, .max_slots = 64};
    TSDStorage<int, int, Options<full>> dict;
    TSSStorage<int, Options<full>> set;
    for (int i = 0; i != 64; ++i) {
        dict.write(1).set(i, i);
        set.write(1).add(i);
    }
    Listener a("a"), b("b");
    Subscription<> key, member;
    if (GENERATE(false, true)) {
        key = dict.subscribe(3, a);
        member = set.subscribe(3, b);
    }
    CHECK_THROWS_AS(dict.write(2).set(64, 0), std::length_error);
    CHECK_THROWS_AS(dict.write(2).create(64), std::length_error);
    CHECK_THROWS_AS(set.write(2).add(64), std::length_error);
    CHECK_FALSE(dict.write(2).set(3, 4).inserted);
    CHECK_FALSE(dict.write(2).create(3).inserted);
    CHECK_FALSE(set.write(2).add(3));
    dict.write(3).remove(3);
    set.write(3).remove(3);
    CHECK(dict.write(3).set(3, 5).inserted); // lives again where it was
    CHECK(set.write(3).add(3));
    dict.write(3).remove(3);
    CHECK(dict.write(3).create(3).inserted);
    CHECK(dict.slot_of(3) == 3);
    CHECK(dict.size() == 64);
    CHECK(set.size() == 64);
    CHECK((dict.check_invariants() && set.check_invariants()));
}
