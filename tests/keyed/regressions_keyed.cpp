// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The defects of the code in the article that this room answers (a key set whose columns observe its slots), and of a project
// that grew out of it: one named test each.
#include "scene.hpp"

#include <set>
#include <string>

using namespace test;

namespace {

constexpr KeySetOptions narrow{.reuse = Reuse::lifo, .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}};
constexpr KeySetOptions wrapping{
    .exhaustion = Exhaustion::wrap, .reuse = Reuse::lifo, .handle = {.index_bits = 8, .version_bits = 4, .user_bits = 4}};

struct OneHash {
    std::size_t operator()(int) const noexcept { return 42; }
};
struct CountedHash {
    static inline int calls = 0;
    std::size_t operator()(const std::string& key) const { return ++calls, key.size(); }
};

/// What an article's delta tracker wanted to read in time.
struct Witness final : SlotObserver {
    std::function<void(slot_t)> removed{}, erased{};
    std::function<void()> cleared{};
    void on_remove(slot_t slot) noexcept override {
        if (removed) removed(slot);
    }
    void on_erase(slot_t slot) noexcept override {
        if (erased) erased(slot);
    }
};

template <class T, KeySetOptions O = at_once, class... Columns>
using MapOf = MapStorage<int, T, HashBy<NumberHash>, Options<O>, Columns...>;
template <KeySetOptions O = at_once, class... Columns>
using SetOf = SetStorage<int, HashBy<NumberHash>, Options<O>, Columns...>;

} // namespace

//=== the article: key set ===//

TEST_CASE("article bug 1: a stale handle stays stale when its slot is used again", "[regressions]") {
    SetOf<> set;
    std::vector<SetOf<>::handle_type> old;
    for (int n = 0; n != 100; ++n) {
        const auto result = set.insert(n);
        REQUIRE(result.it.slot() == 0);
        for (const auto handle : old) REQUIRE_FALSE(set.contains(handle));
        old.push_back(set.handle_at(result.it.slot()));
        REQUIRE(set.contains(old.back()));
        set.erase(n);
    }
    for (const auto handle : old) {
        REQUIRE_FALSE(set.contains(handle));
        REQUIRE(set.key(handle) == nullptr);
    }
}

TEMPLATE_TEST_CASE("article bug 2: no number of uses turns a live slot dead", "[regressions]",
                   (SetStorage<int, HashBy<NumberHash>, Options<narrow>>),
                   (SetStorage<int, HashBy<NumberHash>, Options<wrapping>>)) {
    TestType set;
    set.insert(-1); // lives through all of it
    const auto kept = set.handle_of(-1);
    for (int n = 0; n != 200; ++n) {
        const auto result = set.insert(n);
        REQUIRE(set.state(result.it.slot()) == SlotState::live);
        REQUIRE(set.contains(set.handle_at(result.it.slot())));
        REQUIRE(set.contains(n));
        REQUIRE(set.erase(n));
        REQUIRE(set.contains(kept));
        REQUIRE(set.check_invariants());
    }
    REQUIRE((set.retired() > 0) == (TestType::options.exhaustion == Exhaustion::retire));
}

TEST_CASE("article bug 3: two keys with one hash are two keys", "[regressions]") {
    SetStorage<int, HashBy<OneHash>> set;
    REQUIRE(set.insert(1).inserted);
    REQUIRE(set.insert(2).inserted);
    REQUIRE(set.size() == 2);
    REQUIRE(set.slot_of(1) != set.slot_of(2));
    REQUIRE_FALSE(set.insert(1).inserted); // still found, so no duplicate
    REQUIRE(set.size() == 2);
    REQUIRE(set.erase(1));
    REQUIRE(set.contains(2)); // the other stays reachable
    REQUIRE_FALSE(set.contains(1));
    REQUIRE(std::vector<int>(set.begin(), set.end()) == std::vector<int>{2});
    REQUIRE(set.check_invariants());
}

TEST_CASE("article bug 3, second half: a key is hashed once an insert, and not again when the set grows or erases",
          "[regressions]") {
    SetStorage<std::string, HashBy<CountedHash>> set;
    CountedHash::calls = 0;
    for (int n = 0; n != 1000; ++n) set.insert("key " + std::to_string(n));
    REQUIRE(CountedHash::calls == 1000);
    set.reserve(10'000);
    for (auto it = set.begin(); it != set.end();) it = set.erase(it);
    REQUIRE(CountedHash::calls == 1000);
}

TEST_CASE("article bug 4: the first insert and every later one are within the capacity, from slot 0 on", "[regressions]") {
    SetOf<> set;
    REQUIRE(set.capacity() == 0);
    for (int n = 0; n != 5000; ++n) {
        const auto result = set.insert(n);
        REQUIRE(result.it.slot() == static_cast<slot_t>(n)); // none is left out
        REQUIRE(result.it.slot() < set.capacity());
        REQUIRE(set.key(result.it.slot()) == n);
    }
    REQUIRE(set.check_invariants());
}

TEST_CASE("article bug 5: an empty key type works", "[regressions]") {
    struct NoHash {
        std::size_t operator()(Empty) const noexcept { return 0; }
    };
    SetStorage<Empty, HashBy<NoHash>> set;
    REQUIRE(set.insert(Empty()).inserted);
    REQUIRE_FALSE(set.insert(Empty()).inserted);
    REQUIRE(set.size() == 1);
    REQUIRE(set.erase(Empty()));
    REQUIRE(set.check_invariants());
    MapStorage<int, Empty> map;
    for (int n = 0; n != 200; ++n) map.try_emplace(n);
    REQUIRE(map.size() == 200);
    REQUIRE(map.check_invariants());
}

TEST_CASE("article bug 6: keys and values never move, whatever their type, and are aligned", "[regressions]") {
    NothingLeaks objects; // notices bytewise relocation
    MapStorage<OverAligned<128>, OverAligned<64>, HashBy<NumberHash>> map;
    std::vector<std::pair<const void*, const void*>> addresses;
    for (int n = 0; n != 3000; ++n) {
        const auto slot = map.try_emplace(OverAligned<128>(n), n).it.slot();
        addresses.emplace_back(&map.key(slot), &map.value(slot));
        REQUIRE(reinterpret_cast<std::uintptr_t>(&map.key(slot)) % 128 == 0);
    }
    map.reserve(20'000);
    const auto moved = std::move(map);
    for (slot_t slot = 0; slot != 3000; ++slot) {
        REQUIRE(addresses[slot] == std::pair<const void*, const void*>(&moved.key(slot), &moved.value(slot)));
        REQUIRE(moved.key(slot).value() == static_cast<int>(slot));
    }
}

TEMPLATE_TEST_CASE("article bug 7: keys are constructed before they are used and destroyed when they go", "[regressions]",
                   (SetStorage<Tracked, HashBy<NumberHash>, Options<at_once>>),
                   (SetStorage<Tracked, HashBy<NumberHash>, Options<deferred>>)) {
    NothingLeaks objects;
    {
        TestType set;
        for (int n = 0; n != 100; ++n) set.insert(Tracked(n));
        REQUIRE(objects.alive() == 100);
        for (int n = 0; n != 50; ++n) leave(set, n);
        set.flush_removed();
        REQUIRE(objects.alive() == 50);
        set.clear();
        set.flush_removed();
        REQUIRE(objects.alive() == 0);
        for (int n = 0; n != 10; ++n) set.insert(Tracked(n));
        leave(set, 3);
    }
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("article bug 8: a key whose copy throws leaves no live slot without a key, and loses none", "[regressions]") {
    SetStorage<Throwing, HashBy<NumberHash>, Options<at_once>> set;
    set.emplace(1);
    const Throwing key(2);
    Budget::arm(0);
    REQUIRE_THROWS_AS(set.insert(key), InjectedFailure);
    Budget::disarm();
    REQUIRE(set.size() == 1);
    REQUIRE(set.state(1) == SlotState::free);
    REQUIRE(set.check_invariants());
    REQUIRE(set.insert(key).it.slot() == 1);
}

TEMPLATE_TEST_CASE("article bug 9: observers see one size, before an insert and after a remove, and clear() exists",
                   "[regressions]", SetOf<at_once>, SetOf<deferred>) {
    LoggingObserver observer("d");
    std::vector<std::size_t> sizes;
    TestType set;
    observer.during_insert = [&](slot_t) { sizes.push_back(set.size()); };
    observer.during_remove = observer.during_erase = observer.during_insert;
    const auto token = set.attach(observer);
    set.insert(1);
    set.insert(2);
    set.erase(1);
    set.flush_removed();
    REQUIRE(sizes == std::vector<std::size_t>{0, 1, 1, 1});
    set.clear();
    REQUIRE(set.empty());
    EventLog::take();
}

TEST_CASE("article bug 10: erase by slot, lookup of removed keys, and reserve exist", "[regressions]") {
    SetOf<deferred> set;
    set.reserve(500);
    const auto capacity = set.capacity();
    REQUIRE(capacity >= 500);
    for (int n = 0; n != 500; ++n) set.insert(n);
    REQUIRE(set.capacity() == capacity);
    REQUIRE(set.erase(set.handle_at(7)));
    REQUIRE_FALSE(set.contains(7));
    REQUIRE(set.slot_of(7) == no_slot);
    REQUIRE(set.slot_of_any(7) == 7);
    REQUIRE(set.key(slot_t{7}) == 7);
    REQUIRE(set.state(7) == SlotState::pending);
}

//=== the article: observers ===//

TEMPLATE_TEST_CASE(
    "article bug 11: who is notified of a remove can still read the value, in whatever order observers were attached",
    "[regressions]", (MapOf<Tracked, deferred, ValueArray<Tracked>>)) {
    NothingLeaks objects;
    Witness before, after;
    std::vector<int> seen;
    TestType map;
    const auto token = map.attach(before);
    before.removed = [&](slot_t slot) {
        seen.push_back(map.value(slot).value());
        seen.push_back(map.template observer<0>()[slot].value());
        seen.push_back(map.key(slot));
    };
    after.removed = before.removed;
    const auto second = map.attach(after);
    map.try_emplace(7, 70);
    map.template observer<0>()[0] = Tracked(700);
    map.erase(7);
    REQUIRE(seen == std::vector<int>{70, 700, 7, 70, 700, 7});
    before.removed = after.removed = nullptr;
}

TEST_CASE("article bug 12: removal and destruction are two events, and value and key live in between", "[regressions]") {
    NothingLeaks objects;
    Witness witness;
    std::vector<std::string> log;
    MapOf<Tracked, deferred> map;
    const auto token = map.attach(witness);
    witness.removed = [&](slot_t) { log.emplace_back("remove"); };
    witness.erased = [&](slot_t) { log.emplace_back("erase"); };
    map.try_emplace(7, 70);
    map.erase(7);
    REQUIRE(log == std::vector<std::string>{"remove"});
    REQUIRE(map.value(0).value() == 70);
    REQUIRE(objects.alive() == 1);
    map.flush_removed();
    REQUIRE(log == std::vector<std::string>{"remove", "erase"});
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("article bug 13: observers detach, and moving or copying the container leaves no pointer to the old one",
          "[regressions]") {
    LoggingObserver observer("d");
    auto old = std::make_unique<MapOf<Tracked, at_once, ValueArray<int>>>();
    ObserverToken token = old->attach(observer);
    old->try_emplace(1, 1);
    auto copy = std::make_unique<MapOf<Tracked, at_once, ValueArray<int>>>(*old);
    auto moved = std::make_unique<MapOf<Tracked, at_once, ValueArray<int>>>(std::move(*old));
    old.reset();
    EventLog::take();
    copy->try_emplace(2, 2); // not followed
    REQUIRE(EventLog::take().empty());
    moved->try_emplace(2, 2); // followed
    REQUIRE(EventLog::take() == Events{"d insert 1"});
    moved->observer<0>()[1] = 5;
    REQUIRE(copy->observer<0>()[1] == 0);
    copy.reset();
    token.detach();
    moved->erase(2);
    REQUIRE(EventLog::take().empty());
}

TEST_CASE("article bug 14: attaching late replays capacity, live and removed slots", "[regressions]") {
    SetOf<deferred> set;
    for (const int n : {1, 2, 3}) set.insert(n);
    set.erase(2);
    LoggingObserver observer("d");
    EventLog::take();
    const auto token = set.attach(observer);
    REQUIRE(EventLog::take() == Events{describe_capacity("d", 0, static_cast<slot_t>(set.capacity())), "d insert 0",
                                       "d insert 1", "d insert 2", "d remove 1"});
}

#if defined(__cpp_exceptions) // it looks at what a throw leaves behind
TEST_CASE("article bug 15: an observer that throws has no effect, and may detach while it is notified", "[regressions]") {
    LoggingObserver first("a"), second("b", true);
    SetOf<> set;
    ObserverToken one = set.attach(first);
    const ObserverToken two = set.attach(second);
    set.insert(1);
    EventLog::take();
    Budget::arm(0);
    REQUIRE_THROWS_AS(set.insert(2), InjectedFailure);
    Budget::disarm();
    REQUIRE(EventLog::take() == Events{"a insert 1", "a erase 1"});
    REQUIRE_FALSE(set.contains(2));
    REQUIRE(set.check_invariants());
    first.during_insert = [&](slot_t) { one.detach(); };
    set.insert(3);
    REQUIRE(EventLog::take() == Events{"a insert 1", "b insert 1"});
    set.insert(4);
    REQUIRE(EventLog::take() == Events{"b insert 2"});
}
#endif

TEST_CASE("article bug 16: columns outlive nothing they need, whichever dies first", "[regressions]") {
    NothingLeaks objects;
    {
        DynamicColumn<ValueArray<Tracked>> column; // dies last
        MapOf<Tracked, at_once, ValueArray<Tracked>> map;
        const auto token = map.attach(column);
        for (int n = 0; n != 100; ++n) map.try_emplace(n, n);
        REQUIRE(objects.alive() == 300);
    }
    REQUIRE(objects.alive() == 0);
    {
        MapOf<Tracked, at_once, ValueArray<Tracked>> map; // dies last
        DynamicColumn<ValueArray<Tracked>> column;
        const auto token = map.attach(column);
        for (int n = 0; n != 100; ++n) map.try_emplace(n, n);
    }
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("article bug 17: a new key's columns start fresh, and what belongs to another slot is not touched", "[regressions]") {
    SetOf<at_once, ValueArray<std::vector<int>>> set;
    set.insert(1);
    set.insert(2);
    set.observer<0>()[0] = {1, 2, 3};
    set.observer<0>()[1] = {4};
    set.erase(1);
    REQUIRE(set.insert(3).it.slot() == 0);
    REQUIRE(set.observer<0>()[0].empty());
    REQUIRE(set.observer<0>()[1] == std::vector<int>{4});
}

//=== the article: columns ===//

TEMPLATE_TEST_CASE("article bug 18: a column destroys exactly the values that live: on clear, on reset and at its end",
                   "[regressions]", (SetOf<at_once, ValueArray<Tracked>>), (SetOf<deferred, ValueArray<Tracked>>),
                   MapOf<Tracked>) {
    NothingLeaks objects;
    {
        TestType c;
        for (int n = 0; n != 100; ++n) enter(c, n);
        for (int n = 0; n < 100; n += 2) leave(c, n);
        c.flush_removed();
        REQUIRE(objects.alive() == 50);
        c.clear();
        c.flush_removed();
        REQUIRE(objects.alive() == 0);
        for (int n = 0; n != 10; ++n) enter(c, n);
        leave(c, 4);
        c.reset();
        REQUIRE(objects.alive() == 0);
        for (int n = 0; n != 10; ++n) enter(c, n);
        leave(c, 4);
    }
    REQUIRE(objects.alive() == 0);
}

TEST_CASE("article bug 19: references to values stay good while the map grows, nested containers too", "[regressions]") {
    MapOf<SetStorage<int>> map;
    SetStorage<int>& first = map[0];
    first.insert(42);
    std::vector<const SetStorage<int>*> all;
    for (int n = 0; n != 2000; ++n) {
        map[n].insert(n);
        all.push_back(&map[n]);
    }
    REQUIRE(&first == &map[0]);
    REQUIRE(first.contains(42));
    for (int n = 0; n != 2000; ++n) {
        REQUIRE(all[static_cast<std::size_t>(n)] == &map.at(n));
        REQUIRE(map.at(n).contains(n));
        REQUIRE(map.at(n).check_invariants());
    }
}

//=== what a project that grew out of the article hit later ===//

TEST_CASE("later bug: a map moved with its own columns and observers goes on being followed", "[regressions]") {
    NothingLeaks objects;
    using Map = MapOf<Tracked, deferred, ValueArray<Tracked>>;
    KeyFollower follower;
    Map map;
    const auto token = map.attach(follower);
    for (int n = 0; n != 20; ++n) map.try_emplace(n, n);
    map.erase(3);
    Map moved(std::move(map)), assigned;
    assigned = std::move(moved);
    for (int n = 20; n != 200; ++n) assigned.try_emplace(n, n);
    assigned.erase(5);
    assigned.try_emplace(3, 3);
    assigned.flush_removed();
    REQUIRE(follower.follows(assigned));
}

TEST_CASE("later bug: shrinking runs the destructors of what it gives up, and keeps what lives", "[regressions]") {
    NothingLeaks objects;
    MapOf<Tracked, deferred, ValueArray<Tracked>> map;
    for (int n = 0; n != 3000; ++n) map.try_emplace(n, n);
    for (int n = 10; n != 3000; ++n) map.erase(n);
    map.shrink_to_fit(); // pending ones are still readable
    REQUIRE(objects.alive() == 6000);
    for (slot_t slot = 0; slot != 3000; ++slot) REQUIRE(map.value(slot).value() == static_cast<int>(slot));
    map.flush_removed();
    REQUIRE(objects.alive() == 20);
    const auto before = map.capacity();
    map.shrink_to_fit();
    REQUIRE(map.capacity() < before);
    REQUIRE(objects.alive() == 20);
    REQUIRE(map.check_invariants());
}

TEST_CASE("later bug: liveness is kept once, so columns and keys never disagree about a failed insert",
          "[regressions][throws]") {
    NothingLeaks objects;
    using Map = FailingMap<Tracked, Throwing, at_once, ValueArray<Throwing, ThrowingAllocator<Throwing>>>;
    const auto failures = fail_at_every_step(swept<Map>("try_emplace"), [&](auto&& attempt) {
        Map map;
        map.try_emplace(Tracked(1), 1);
        if (!attempt([&] { map.try_emplace(Tracked(2), 2); })) return;
        REQUIRE(map.size() == 1); // no live key without a value
        REQUIRE_FALSE(map.contains(Tracked(2)));
        REQUIRE(map.try_emplace(Tracked(2), 2).inserted);
        REQUIRE(map.at(Tracked(2)).value() == 2);
        REQUIRE(map.template observer<0>()[map.slot_of(Tracked(2))].value() == 0);
    });
    REQUIRE(failures >= 3); // hash, value, column
}

TEST_CASE("later bug: a slot removed is not used again before the flush, so that slots name what was removed",
          "[regressions]") {
    SetOf<deferred> set;
    for (int n = 0; n != 10; ++n) set.insert(n);
    set.erase(3);
    for (int n = 100; n != 200; ++n) REQUIRE(set.insert(n).it.slot() != 3);
    REQUIRE(set.key(slot_t{3}) == 3);
    REQUIRE(set.state(3) == SlotState::pending);
    set.flush_removed();
    REQUIRE(set.insert(999).it.slot() == 3);
}

TEST_CASE("later bug: the store never flushes by itself; only the owner decides when removed elements go", "[regressions]") {
    SetOf<deferred> set;
    for (int n = 0; n != 60; ++n) set.insert(n);
    for (int n = 0; n != 60; ++n) set.erase(n);
    for (int n = 100; n != 1000; ++n) set.insert(n); // grows
    set.reserve(5000);
    set.shrink_to_fit();
    REQUIRE(set.pending() == 60);
    for (slot_t slot = 0; slot != 60; ++slot) REQUIRE(set.key(slot) == static_cast<int>(slot));
    set.clear();
    REQUIRE(set.pending() == 960);
    set.flush_removed();
    REQUIRE(set.pending() == 0);
}

TEST_CASE("later bug: a resurrected key gets a fresh value and a new version at the old address", "[regressions]") {
    NothingLeaks objects;
    MapOf<Tracked, deferred, ValueArray<Tracked>> map;
    map.try_emplace(7, 70);
    map.observer<0>()[0] = Tracked(700);
    const auto old = map.handle_of(7);
    const auto* const key = &map.key(slot_t{0});
    const auto* const value = &map.value(0);
    map.erase(7);
    const auto result = map.try_emplace(7, 71);
    REQUIRE((result.kind == InsertKind::resurrected && result.it.slot() == 0 && result.inserted));
    REQUIRE(&map.key(slot_t{0}) == key);
    REQUIRE(&map.value(0) == value);
    REQUIRE(map.value(0).value() == 71);
    REQUIRE(map.observer<0>()[0].value() == 0);
    REQUIRE_FALSE(map.contains(old));
    REQUIRE(map.handle_of(7).version() > old.version());
    map.flush_removed();
    REQUIRE(map.at(7).value() == 71);
}

TEST_CASE("later bug: identity hashes of integers make no long probes", "[regressions]") {
    struct Identity {
        std::size_t operator()(std::uint64_t key) const noexcept { return static_cast<std::size_t>(key); }
    };
    struct Counting {
        std::size_t* calls;
        bool operator()(std::uint64_t a, std::uint64_t b) const noexcept { return ++*calls, a == b; }
    };
    std::size_t calls = 0;
    SetStorage<std::uint64_t, HashBy<Identity>, EqualBy<Counting>> set(Identity(), Counting{&calls});
    for (std::uint64_t n = 0; n != 10'000; ++n) set.insert(n << 18); // within 32 bits, which may be all that a hash has
    for (std::uint64_t n = 0; n != 10'000; ++n) REQUIRE(set.contains(n << 18));
    REQUIRE(calls < 20'000);
}

TEST_CASE("later bug: a read-only view of a map as a set has nothing that mutates", "[regressions]") {
    MapStorage<int, int> map;
    map.try_emplace(1, 10);
    const auto& set = map.as_set();
    const auto mutates = []<class C>(C& c) {
        return requires { c.insert(2); } || requires { c.erase(1); } || requires { c.clear(); } || requires { c.reset(); } ||
               requires { c.reserve(5); } || requires { c.extract(1); } || requires { c.flush_removed(); } ||
               requires { c.shrink_to_fit(); } || requires { c.merge(c); } || requires { c.try_emplace(1, 1); } ||
               requires { c.swap(c); } || requires { c = c; };
    };
    REQUIRE_FALSE(mutates(set));
    REQUIRE_FALSE(mutates(std::as_const(map)));
    REQUIRE(mutates(map));
    REQUIRE(set.contains(1));
    map.try_emplace(2, 20);
    REQUIRE(set.contains(2)); // the same object
    REQUIRE(set.size() == 2);
}

namespace {

/// Reads the key and the value of every slot that it is notified of.
struct Reader final : SlotObserver {
    const MapStorage<int, int>* map = nullptr;
    std::vector<int> keys{}, values{};
    void on_erase(slot_t slot) noexcept override {
        keys.push_back(map->key(slot));
        values.push_back(map->value(slot));
    }
};

} // namespace

TEST_CASE("later bug: key(slot) and value(slot) answer an observer that is notified of a clear of 64 slots or more",
          "[regressions]") {
    for (const int count : {1, 63, 64, 65, 200}) {
        MapStorage<int, int> map;
        Reader reader;
        reader.map = &map;
        const auto token = map.attach(reader);
        for (int i = 0; i != count; ++i) map.insert(i, i * 10);
        map.clear();
        std::sort(reader.keys.begin(), reader.keys.end());
        std::sort(reader.values.begin(), reader.values.end());
        REQUIRE(reader.keys.size() == static_cast<std::size_t>(count));
        for (int i = 0; i != count; ++i) REQUIRE(reader.keys[static_cast<std::size_t>(i)] == i);
        for (int i = 0; i != count; ++i) REQUIRE(reader.values[static_cast<std::size_t>(i)] == i * 10);
    }
}

TEST_CASE("later bug: observers of the target of a move assignment are notified while the old contents are there",
          "[regressions]") {
    MapStorage<int, int> target, source;
    Reader reader;
    reader.map = &target;
    const auto token = target.attach(reader);
    for (int i = 0; i != 100; ++i) target.insert(i, -i);
    source.insert(1000, 1);
    target = std::move(source);
    REQUIRE(reader.keys.size() == 100);
    for (std::size_t i = 0; i != 100; ++i) REQUIRE(reader.values[i] == -reader.keys[i]);
    REQUIRE_FALSE(token.attached());
    REQUIRE(target.size() == 1);
}
