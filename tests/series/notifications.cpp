// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a tick says: changed, removed, invalidated, replaced; and on_end. Each close that changed something is told.
#include "subscribers.hpp"
#include "support/allocators.hpp"
#include "support/bounds.hpp"
#include "support/maps.hpp"

#include <map>
#include <memory>
#include <optional>

using namespace test;

namespace {

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;
using Nested = TSDStorage<int, Dict>;
using Kinds = std::vector<TickKind>;
constexpr TickKind changed = TickKind::changed, removed = TickKind::removed, no_value = TickKind::invalidated,
                   replaced = TickKind::replaced;

} // namespace

TEST_CASE("a tick says that the element was removed, and of one that was added again that it has changed", "[subscribers]") {
    Dict dict;
    Set set;
    dict.write(1).set(1, 10);
    set.write(1).add(1);
    Listener key("key"), slot("slot"), member("member");
    const auto of_key = dict.subscribe(1, key), of_slot = dict.subscribe_slot(0, slot), of_member = set.subscribe(1, member);
    dict.write(2).set(1, 11);
    dict.write(2).remove(1);
    CHECK(key.take_kinds() == Kinds{changed, removed});
    CHECK(slot.take_kinds() == Kinds{changed, removed});
    dict.write(2).set(1, 12);
    CHECK(key.take_kinds() == Kinds{changed});
    {
        auto w = dict.write(3);
        w.remove(1);
        w.set(1, 13);
    }
    CHECK(key.take_kinds() == Kinds{changed});
    dict.write(4).clear();
    CHECK(key.take_kinds() == Kinds{removed});
    dict.write(5).create(1); // a member without a value
    dict.write(6).set(1, 14);
    CHECK(key.take_kinds() == Kinds{no_value, changed});
    set.write(2).remove(1);
    set.write(3).add(1);
    CHECK(member.take_kinds() == Kinds{removed, changed});
    TickLog::take();
}

TEST_CASE("a key that was removed and inserted again in another slot is told once, as changed", "[subscribers]") {
    using Worn = TSSStorage<int, Options<SeriesOptions{.page_slots = 64, .handle = {12, 4, 0}}>>;
    Worn set;
    Listener key("key");
    const auto token = set.subscribe(1, key);
    for (int round = 0; round != 40; ++round) {
        {
            auto w = set.write(5);
            for (int i = 0; i <= round; ++i) {
                w.add(1);
                w.remove(1);
            }
            w.add(1);
        }
        REQUIRE(key.take_kinds() == Kinds{changed});
        set.write(5).remove(1);
        REQUIRE(key.take_kinds() == Kinds{removed});
        set.write(5).close();
        REQUIRE(key.take_kinds().empty());
    }
    TickLog::take();
}

TEST_CASE("a series that is restored or assigned tells its subscribers, once each", "[subscribers][snapshot]") {
    Dict dict, source;
    dict.write(1).set(1, 10);
    source.write(3).set(2, 20);
    Listener whole("whole"), keys("keys"), key("key"), slot("slot");
    const auto of_whole = dict.subscribe(whole), of_keys = dict.subscribe_keys(keys), of_key = dict.subscribe(1, key);
    auto of_slot = dict.subscribe_slot(0, slot);
    int seen = 0;
    whole.during = [&](const SeriesTick<std::int64_t>& tick) {
        ++seen;
        CHECK(tick.time == 3);
        CHECK(dict == source); // the contents are there
    };
    SECTION("restored") { dict.restore(source.snapshot()); }
    SECTION("assigned") { dict = source; }
    CHECK(seen == 1);
    for (Listener* const each : {&whole, &keys, &key}) {
        CHECK(each->take_kinds() == Kinds{replaced});
        CHECK(each->ended == 0);
    }
    CHECK(slot.ended == 1);
    CHECK(slot.last.slot == 0);
    CHECK(slot.take_kinds().empty());
    whole.during = {};
    dict.write(3).set(1, 11);
    CHECK(key.take_kinds() == Kinds{changed});
    TickLog::take();
}

TEST_CASE("the subscribers of a series that is destroyed, or that another one is moved into, hear that it ends",
          "[subscribers]") {
    auto dict = std::make_unique<Dict>();
    dict->write(1).set(1, 10);
    Listener whole("whole"), keys("keys"), key("key"), slot("slot");
    std::vector<Subscription<>> tokens;
    tokens.push_back(dict->subscribe_slot(0, slot));
    tokens.push_back(dict->subscribe(1, key));
    tokens.push_back(dict->subscribe_keys(keys));
    tokens.push_back(dict->subscribe(whole));
    std::vector<SeriesLevel> order;
    for (Listener* const each : {&whole, &keys, &key, &slot})
        each->at_end = [&](const SeriesTick<std::int64_t>& tick) {
            order.push_back(tick.level);
            CHECK_FALSE(tokens[order.size() - 1].attached());
            if (order.size() == 2) tokens.clear(), tokens.resize(4); // those told later are not told then
        };
    SECTION("destroyed") { dict.reset(); }
    SECTION("moved into") {
        Dict other;
        other.write(9).set(1, 1);
        *dict = std::move(other);
    }
    CHECK(order == std::vector{SeriesLevel::element, SeriesLevel::element});
    CHECK(whole.ended + keys.ended + key.ended + slot.ended == 2);
    TickLog::take();
}

TEST_CASE("subscribers of a moved or swapped series hear nothing of it", "[subscribers]") {
    Dict a, b;
    a.write(1).set(1, 10);
    Listener x("x");
    const auto token = a.subscribe(x);
    Dict moved(std::move(a));
    moved.swap(b);
    b = Dict(std::move(b));
    CHECK(x.told + x.ended == 0);
    CHECK(token.attached());
}

TEST_CASE("every subscriber of a nested series, at any depth, hears that the element around it was removed",
          "[subscribers][nested]") {
    TSDStorage<int, Nested> root;
    const auto fill = [&](std::int64_t time) {
        auto w = root.write(time);
        w.create(1);
        auto middle = w.modify(1);
        middle.create(2);
        middle.modify(2).set(3, 30);
    };
    fill(1);
    const Dict& leaf = *root.get(1)->get(2);
    Listener whole("whole"), keys("keys"), key("key"), absent("absent"), slot("slot"), middle("middle");
    const auto tokens =
        std::make_tuple(leaf.subscribe(whole), leaf.subscribe_keys(keys), leaf.subscribe(3, key), leaf.subscribe(99, absent),
                        leaf.subscribe_slot(0, slot), root.get(1)->subscribe(middle));
    Listener* const all[] = {&whole, &keys, &key, &absent, &slot, &middle};
    const int how = GENERATE(0, 1, 2);
    const bool again = GENERATE(false, true);
    if (how == 0)
        root.write(2).remove(1);
    else if (how == 1)
        root.write(2).clear();
    else { // after a write to it
        auto w = root.write(2);
        w.modify(1).modify(2).set(3, 31);
        w.erase_if([](int, const Nested&) { return true; });
    }
    for (Listener* const each : all) {
        CHECK(each->take_kinds() == Kinds{removed});
        CHECK(each->last.time == 2);
        CHECK(each->ended == 0);
    }
    CHECK(leaf.at(3) >= 30); // readable until the window rolls
    if (again)
        fill(2); // the key is created again
    else
        root.write(3).touch(); // the window rolls
    for (Listener* const each : all) {
        CHECK(each->take_kinds().empty());
        CHECK(each->ended == 1);
    }
    TickLog::take();
}

TEST_CASE("a removal that has no memory for the subscribers of the nested series changes nothing", "[subscribers][throws]") {
    EveryByteReturned bytes;
    using Failing = TSDStorage<int, Dict, AllocBy<ThrowingAllocator<int>>>;
    const int how = GENERATE(0, 1, 2);
    const char* const names[] = {"remove", "clear", "invalidate"};
    const auto failures = fail_at_every_step(swept<Failing::writer>(names[how]), [&](auto&& attempt) {
        Failing dict;
        dict.write(1).create(1);
        Listener inner("inner");
        const auto token = dict.get(1)->subscribe(inner);
        {
            auto w = dict.write(2);
            const bool threw = attempt([&] {
                if (how == 0)
                    w.remove(1);
                else if (how == 1)
                    w.clear();
                else
                    w.invalidate();
            });
            REQUIRE(dict.size() == (threw ? 1 : 0));
            REQUIRE(dict.removed_keys(2).size() == (threw || how == 2 ? 0 : 1));
            if (threw) w.remove(1);
        }
        REQUIRE(inner.take_kinds() == Kinds{removed});
        REQUIRE(dict.check_invariants());
    });
    CHECK(failures > 0);
    TickLog::take();
}

TEST_CASE("a nested series removed and created again in one close ends, and its subscribers hear nothing else",
          "[subscribers][nested]") {
    Nested dict;
    dict.write(1).create(1);
    Listener inner("inner");
    const auto token = dict.get(1)->subscribe(inner);
    {
        auto w = dict.write(2);
        w.remove(1);
        w.create(1);
    }
    CHECK(inner.take_kinds().empty());
    CHECK(inner.ended == 1);
    CHECK_FALSE(token.attached());
}

TEST_CASE("what a subscriber writes reaches those notified before at the next close of the window", "[subscribers]") {
    TickLog::take();
    Dict dict;
    Listener first("first"), second("second"), whole("whole"), key("key");
    const auto a = dict.subscribe(first), b = dict.subscribe(second), x = dict.subscribe(1, key);
    second.during = [&](const SeriesTick<std::int64_t>& tick) {
        second.during = {};
        dict.write(tick.time).set(1, 100);
    };
    dict.write(1).set(1, 1);
    CHECK(TickLog::take() == Ticks{"key element 0 1", "first whole 1", "second whole 1"});
    CHECK(*dict.get(1) == 100);
    dict.write(1).close(); // nothing more has changed, but two have not heard of the 100
    CHECK(TickLog::take() == Ticks{"key element 0 1", "first whole 1", "second whole 1"});
    dict.write(1).close();
    CHECK(TickLog::take().empty());
}

TEST_CASE("of a history of closes every subscriber hears exactly those that changed its part", "[subscribers][model]") {
    Random random(11);
    for (int run = 0; run != bound(20, 200); ++run) {
        Dict dict;
        constexpr int keys = 6;
        Listener whole("whole"), members("keys");
        std::vector<std::unique_ptr<Listener>> each;
        std::vector<Subscription<>> tokens;
        for (int key = 0; key != keys; ++key) {
            each.push_back(std::make_unique<Listener>(std::to_string(key)));
            tokens.push_back(dict.subscribe(key, *each.back()));
        }
        const auto of_whole = dict.subscribe(whole), of_keys = dict.subscribe_keys(members);
        std::map<int, std::optional<int>> model;
        std::int64_t time = 1;
        for (int close = 0; close != 60; ++close) {
            time += random.chance(30);
            std::map<int, bool> touched;
            bool keys_changed = false, any = false;
            {
                auto w = dict.write(time);
                for (auto n = random.below(4); n != 0; --n) {
                    const int key = static_cast<int>(random.below(keys));
                    const auto kind = random.below(3);
                    if (kind == 0) {
                        const bool was = model.erase(key) != 0;
                        REQUIRE(w.remove(key) == was);
                        if (was) touched[key] = keys_changed = any = true;
                    } else if (kind == 1) {
                        const bool fresh = model.try_emplace(key).second;
                        w.create(key);
                        if (fresh) touched[key] = keys_changed = any = true;
                    } else {
                        keys_changed = keys_changed || !model.contains(key);
                        model[key] = close;
                        w.set(key, close);
                        touched[key] = any = true;
                    }
                }
            }
            REQUIRE(whole.take_kinds() == (any ? Kinds{changed} : Kinds{}));
            REQUIRE(members.take_kinds() == (keys_changed ? Kinds{changed} : Kinds{}));
            for (int key = 0; key != keys; ++key) {
                const auto found = model.find(key);
                const TickKind kind = found == model.end() ? removed : found->second ? changed : no_value;
                REQUIRE(each[static_cast<std::size_t>(key)]->take_kinds() == (touched[key] ? Kinds{kind} : Kinds{}));
            }
        }
    }
    TickLog::take();
}
