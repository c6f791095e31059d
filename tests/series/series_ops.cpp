// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// TSSOps and TSDOps: one caller, which knows no type, over series of known and of described types.
#include "keyed/keys.hpp"
#include "support/catch.hpp"
#include "support/thrown.hpp"

#include <slotwise/series/series_ops.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace test;

namespace {

template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}
struct Ticks final : SeriesSubscriber<> {
    std::vector<std::string>* log = nullptr;
    void on_tick(const SeriesTick<>& tick) noexcept override {
        log->push_back("tick " + std::to_string(static_cast<int>(tick.level)) + " at " + std::to_string(tick.time));
    }
};
using Log = std::vector<std::string>;

/// What sets and dictionaries have in common; the keys 1 to 3 are members since window 1.
void drive_common(void* series, const BasicSeriesOps<>& ops, Log& log) {
    const auto say = [&](bool answer) { log.push_back(answer ? "yes" : "no"); };
    const auto one = make_key<std::string>(1), two = make_key<std::string>(2), nine = make_key<std::string>(9);
    say(ops.contains(series, &one));
    say(ops.contains(series, &nine));
    ops.open(series, 2);
    say(ops.remove(series, 2, &one));
    say(ops.remove(series, 2, &one));
    say(ops.was_removed(series, &one, 2));
    say(ops.was_added(series, &one, 2));
    for (const slot_t slot : ops.removed_keys(series, 2)) log.push_back(as<std::string>(ops.key(series, slot)));
    log.push_back("closing");
    ops.close(series); // now the subscribers hear of it
    say(ops.window(series) == 2);
    say(ops.last_modified(series) == 2);
    say(ops.state(series, ops.slot_of(series, &two)) == SlotState::live);
    log.push_back(std::to_string(ops.size(series)));
    log.push_back(thrown_text<std::invalid_argument>([&] { ops.touch(series, 1); }).empty() ? "no" : "too late");
    ops.touch(series, 3);
    say(ops.last_modified(series) == 3);
    say(ops.removed_keys(series, 2).empty());
    say(ops.key_type(series).size == sizeof(std::string));
    ops.clear(series, 4);
    log.push_back(std::to_string(ops.removed_keys(series, 4).size()) + " removed, " + std::to_string(ops.size(series)) +
                  " left");
}
Log drive_set(void* set, const TSSOps& ops) {
    Log log;
    Ticks whole, key;
    whole.log = key.log = &log;
    const auto token = ops.subscribe(set, whole);
    const auto one = make_key<std::string>(1);
    const auto key_token = ops.subscribe_key(set, &one, key);
    ops.reserve(set, 50);
    ops.open(set, 1);
    for (const int n : {1, 2, 3, 2}) {
        const auto each = make_key<std::string>(n);
        log.push_back(ops.add(set, 1, &each) ? "new" : "old");
    }
    ops.close(set);
    for (const slot_t slot : ops.added_keys(set, 1)) log.push_back(as<std::string>(ops.key(set, slot)));
    const void* const now = ops.as_set(set);
    for (const void* each : ops.set->values(now)) log.push_back(as<std::string>(each));
    drive_common(set, ops, log);
    return log;
}
Log drive_dict(void* dict, const TSDOps& ops) {
    Log log;
    Ticks whole, keys, key;
    whole.log = keys.log = key.log = &log;
    const auto token = ops.subscribe(dict, whole);
    const auto keys_token = ops.subscribe_keys(dict, keys);
    const auto one = make_key<std::string>(1), two = make_key<std::string>(2), three = make_key<std::string>(3);
    const auto key_token = ops.subscribe_key(dict, &one, key);
    const auto say = [&](bool answer) { log.push_back(answer ? "yes" : "no"); };
    const int ten = 10, eleven = 11;
    ops.open(dict, 1);
    say(ops.set_item(dict, 1, &one, &ten));
    say(ops.set_item(dict, 1, &one, &eleven));
    say(ops.create(dict, 1, &two));
    say(ops.create(dict, 1, &two));
    say(ops.set_item(dict, 1, &three, &ten));
    ops.close(dict);
    *static_cast<int*>(ops.modify(dict, 1, &three)) += 5;
    log.push_back(std::to_string(as<int>(ops.get(dict, &three))));
    log.push_back(thrown_text<std::out_of_range>([&] {
                      const auto nine = make_key<std::string>(9);
                      ops.modify(dict, 1, &nine);
                  }).empty()
                      ? "no"
                      : "thrown");
    say(ops.element_modified(dict, &one) == 1);
    say(ops.element_modified(dict, &two) == TimeTraits<std::int64_t>::never());
    say(ops.keys_modified(dict) == 1);
    for (const slot_t slot : ops.modified_keys(dict, 1))
        log.push_back(as<std::string>(ops.key(dict, slot)) + " = " + std::to_string(as<int>(ops.value(dict, slot))));
    log.push_back(std::to_string(ops.added_keys(dict, 1).size()));
    log.push_back(std::to_string(ops.updated_keys(dict, 1).size()));
    const void* const now = ops.as_map(dict);
    for (const auto chunk : ops.map->values(now).chunks())
        for (const slot_t i : SlotRange(chunk.live)) log.push_back(std::to_string(chunk.values.as<int>()[i]));
    say(ops.map->keys->contains(ops.map->as_set(now), &two));
    say(ops.value_type(dict).size == sizeof(int));
    drive_common(dict, ops, log);
    say(ops.create(dict, 4, &two)); // removed by the clear, and back without a value
    log.push_back(std::to_string(ops.reset_keys(dict, 4).size()));
    return log;
}

} // namespace

TEST_CASE("one caller over void* drives sets over time of known and of described keys", "[series_ops]") {
    static_assert(std::is_trivially_copyable_v<TSSOps> && std::is_trivially_copyable_v<TSDOps>); // plain function pointers
    TSSStorage<std::string> known;
    AnyTSSStorage any(TypeDescriptor::of<std::string>());
    const Log log = drive_set(&known, TSSOps::of<TSSStorage<std::string>>());
    REQUIRE(log.size() > 25);
    REQUIRE(drive_set(&any, TSSOps::of<AnyTSSStorage>()) == log);
    REQUIRE(std::count(log.begin(), log.end(), "tick 0 at 2") == 1);
    REQUIRE((known.check_invariants() && any.check_invariants()));
}

TEST_CASE("one caller over void* drives dictionaries over time of known and of described types", "[series_ops]") {
    TSDStorage<std::string, int> known;
    AnyTSDStorage any(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
    const Log log = drive_dict(&known, TSDOps::of<TSDStorage<std::string, int>>());
    REQUIRE(log.size() > 40);
    REQUIRE(drive_dict(&any, TSDOps::of<AnyTSDStorage>()) == log);
    REQUIRE((known.check_invariants() && any.check_invariants()));
}

TEST_CASE("a table of a dictionary of series, or of what cannot be copied, has null where there is no such operation",
          "[series_ops]") {
    using Nested = TSDStorage<int, TSSStorage<int>>;
    const TSDOps& ops = TSDOps::of<Nested>();
    REQUIRE((ops.set_item == nullptr && ops.modify == nullptr));
    Nested nested;
    const int key = 5;
    REQUIRE(ops.create(&nested, 1, &key));
    nested.write(1).modify(5).add(7);
    REQUIRE(ops.element_modified(&nested, &key) == 1);
    REQUIRE(as<TSSStorage<int>>(ops.get(&nested, &key)).size() == 1);
    REQUIRE(TSDOps::of<TSDStorage<int, std::unique_ptr<int>>>().set_item == nullptr);
    REQUIRE(TSSOps::of<TSSStorage<std::unique_ptr<int>>>().add == nullptr);
    REQUIRE(TSSOps::of<TSSStorage<std::unique_ptr<int>>>().subscribe_key == nullptr);
    using Seconds = TSSStorage<int, TimeBy<double>>;
    Seconds set;
    BasicTSSOps<double>::of<Seconds>().add(&set, 0.5, &key);
    REQUIRE(set.was_added(5, 0.5));
}
