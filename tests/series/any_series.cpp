// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnyTSSStorage and AnyTSDStorage: series of described types do what those of known types do, call by call and byte by byte.
#include "keyed/keys.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/thrown.hpp"
#include "support/tracked.hpp"

#include <slotwise/rows/any_codec.hpp>
#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/any_tss_storage.hpp>
#include <slotwise/series/tsd_storage.hpp>

#include <string>
#include <vector>

using namespace test;
using namespace slotwise;

namespace {

constexpr SeriesOptions by_bits{.delta = DeltaRepresentation::bitmap, .reuse = Reuse::lifo};
constexpr SeriesOptions worn{.handle = {13, 3, 0}}; // slots are used up soon

template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}
std::string key_text(int number) { return "a key that lives on the heap, number " + std::to_string(number); }
std::string value_text(int number) { return "a value that lives on the heap, number " + std::to_string(number); }
AnyCodec codec() {
    AnyCodec result;
    result.add<std::string>().add<int>();
    return result;
}
const TypeDescriptor& text_type = TypeDescriptor::of<std::string>();
const std::string some_text = "a text";

struct Ticks final : SeriesSubscriber<> {
    std::vector<std::tuple<SeriesLevel, slot_t, std::int64_t>> all{};
    void on_tick(const SeriesTick<>& tick) noexcept override { all.emplace_back(tick.level, tick.slot, tick.time); }
};

/// The texts of a range of addresses, or of references.
template <class Range>
std::vector<std::string> texts(const Range& range) {
    std::vector<std::string> result;
    for (auto&& each : range) {
        if constexpr (requires { each.value; }) {
            if constexpr (requires { each.value.size(); })
                result.push_back(each.key + " = " + each.value);
            else
                result.push_back(as<std::string>(each.key) + " = " + as<std::string>(each.value));
        } else if constexpr (requires { each.size(); })
            result.push_back(each);
        else
            result.push_back(as<std::string>(each));
    }
    return result;
}

/// A dictionary of known types and one of described types, with subscribers; each step is done to both.
template <SeriesOptions O>
struct Pair {
    TSDStorage<std::string, std::string, Options<O>> known{};
    BasicAnyTSDStorage<Options<O>> any{text_type, text_type};
    Ticks known_ticks{}, any_ticks{};
    std::vector<Subscription<>> tokens{};

    Pair() {
        tokens.push_back(known.subscribe(known_ticks));
        tokens.push_back(known.subscribe_keys(known_ticks));
        tokens.push_back(known.subscribe(key_text(1), known_ticks));
        tokens.push_back(any.subscribe(any_ticks));
        tokens.push_back(any.subscribe_keys(any_ticks));
        const std::string one = key_text(1);
        tokens.push_back(any.subscribe(&one, any_ticks));
    }
    /// @param which of ten changes
    template <class Known, class Any>
    void change(Known& w, Any& a, int which, int n) {
        const std::string key = key_text(n), value = value_text(which + n);
        std::string moved_key = key, moved_value = value, other_key = key, other_value = value;
        switch (which) {
        case 0:
            REQUIRE(w.set(key, value).inserted == a.set(&key, &value).inserted);
            break;
        case 1:
            REQUIRE(w.remove(key) == a.remove(&key));
            break;
        case 2:
            REQUIRE(w.create(key).inserted == a.create(&key).inserted);
            break;
        case 3:
            REQUIRE(w.insert(std::move(moved_key), std::move(moved_value)).kind ==
                    a.insert_moved(&other_key, &other_value).kind);
            break;
        case 4:
            REQUIRE(w.update(key, [](std::string& text) { text += "!"; }) ==
                    a.update(&key, [](void* text) { *static_cast<std::string*>(text) += "!"; }));
            break;
        case 5:
            w.clear();
            a.clear();
            break;
        case 6:
            w.touch();
            a.touch();
            break;
        case 7: {
            const auto taken = w.extract(key);
            const auto other = a.extract(&key);
            REQUIRE(taken.has_value() == other.has_value());
            if (taken)
                REQUIRE((taken->first == other->first.template as<std::string>() &&
                         taken->second == other->second.template as<std::string>()));
            break;
        }
        case 10:
            REQUIRE(w.invalidate(key) == a.invalidate(&key));
            break;
        case 11:
            w.invalidate();
            a.invalidate();
            break;
        case 12: {
            const auto taken = w.pop(key);
            const DescribedValue other = a.pop(&key);
            REQUIRE(taken.has_value() == other.has_value());
            if (taken) REQUIRE(*taken == other.template as<std::string>());
            break;
        }
        case 13: {
            const std::vector<std::pair<std::string, std::string>> items{{key, value}, {key_text(0), value}};
            const std::vector<std::pair<const void*, const void*>> places{{&items[0].first, &items[0].second},
                                                                          {&items[1].first, &items[1].second}};
            w.assign(items);
            a.assign(places);
            break;
        }
        case 8:
            REQUIRE(w.erase_if([](const std::string& each, const std::string&) { return each.back() % 2 == 0; }) ==
                    a.erase_if([](const void* each, const void*) { return as<std::string>(each).back() % 2 == 0; }));
            break;
        default:
            REQUIRE(w.insert_or_assign(key, std::move(moved_value)).it.slot() ==
                    a.set_moved(&other_key, &other_value).it.slot());
        }
    }
    void require_same() const {
        REQUIRE(any.check_invariants());
        REQUIRE(any.snapshot(codec()) == known.snapshot());
        REQUIRE(any.size() == known.size());
        REQUIRE(any.count_valid() == known.count_valid());
        REQUIRE(any.pending() == known.pending());
        const auto time = known.window();
        REQUIRE(any.window() == time);
        REQUIRE(any.modified(time) == known.modified(time));
        REQUIRE(any.keys_modified(time) == known.keys().modified(time));
        REQUIRE(texts(any.added_keys()) == texts(known.added_keys()));
        REQUIRE(texts(any.removed_keys()) == texts(known.removed_keys()));
        REQUIRE(texts(any.modified_keys()) == texts(known.modified_keys()));
        REQUIRE(texts(any.updated_keys()) == texts(known.updated_keys()));
        REQUIRE(texts(any.reset_keys()) == texts(known.reset_keys()));
        REQUIRE(texts(any.added_items()) == texts(known.added_items()));
        REQUIRE(texts(any.removed_items()) == texts(known.removed_items()));
        REQUIRE(texts(any.modified_items()) == texts(known.modified_items()));
        REQUIRE(texts(any.updated_items()) == texts(known.updated_items()));
        REQUIRE(any.added_keys().size() == known.added_keys().size());
        REQUIRE(any.added_keys(time - 1).empty());
        for (int n = 0; n != 4; ++n) {
            const std::string key = key_text(n);
            REQUIRE(any.valid(&key) == known.valid(key));
            REQUIRE(any.modified(&key, time) == known.modified(key, time));
            REQUIRE(any.was_added(&key, time) == known.was_added(key, time));
            REQUIRE(any.was_removed(&key, time) == known.was_removed(key, time));
            REQUIRE((any.get(&key) == nullptr) == (known.get(key) == nullptr));
        }
        REQUIRE(any_ticks.all == known_ticks.all);
    }
};

/// All three are as if they had never been written, the last by a delta.
void invalidate_all(TSSStorage<std::string>& known, AnyTSSStorage& any, AnyTSSStorage& replica, std::int64_t time) {
    known.write(time).invalidate();
    any.write(time).invalidate();
    REQUIRE_FALSE(any.valid());
    const auto delta = capture(any, time);
    REQUIRE(delta.invalidated);
    replica.write(time).apply(delta, [](const DescribedValue&) { return Strictness::lenient; });
    REQUIRE(replica == any);
    REQUIRE_FALSE(replica.valid());
}

} // namespace

TEMPLATE_TEST_CASE_SIG("every short sequence of changes has the result of a dictionary of known types", "[any_series]",
                       ((SeriesOptions O), O), SeriesOptions{}, by_bits) {
    constexpr int length = 4, kinds = 8; // over one key that is there and one that is not
    for (int code = 0; code != kinds * kinds * kinds * kinds; ++code) {
        Pair<O> pair;
        {
            auto known = pair.known.write(1);
            auto any = pair.any.write(1);
            pair.change(known, any, 0, 1);
            pair.change(known, any, 2, 3);
        }
        int rest = code;
        auto known = pair.known.write(2);
        auto any = pair.any.write(2);
        for (int i = 0; i != length; ++i, rest /= kinds) {
            static constexpr std::pair<int, int> changes[kinds] = {{0, 1}, {1, 1}, {2, 1}, {0, 2},
                                                                   {1, 2}, {4, 1}, {5, 0}, {7, 3}};
            const auto [which, n] = changes[rest % kinds];
            pair.change(known, any, which, n);
        }
        known.close();
        any.close();
        if (code % 16 == 0) pair.require_same();
        REQUIRE(pair.any.snapshot(codec()) == pair.known.snapshot());
        REQUIRE(texts(pair.any.modified_items()) == texts(pair.known.modified_items()));
        REQUIRE(texts(pair.any.removed_items()) == texts(pair.known.removed_items()));
        REQUIRE(pair.any_ticks.all == pair.known_ticks.all);
    }
}

TEMPLATE_TEST_CASE_SIG("a long life of a described dictionary is that of one of known types", "[any_series]",
                       ((SeriesOptions O), O), SeriesOptions{}, by_bits, worn) {
    Random random(7);
    Pair<O> pair;
    BasicAnyTSDStorage<Options<O>> replica(text_type, text_type);
    for (std::int64_t time = 1; time != 200; ++time) {
        {
            auto known = pair.known.write(time);
            auto any = pair.any.write(time);
            for (std::uint64_t i = random.below(12); i != 0; --i) {
                const auto which = static_cast<int>(random.below(40));
                pair.change(known, any, which < 14 ? which : which % 4 == 1 ? 1 : 0, static_cast<int>(random.below(30)));
            }
            if (random.chance(10)) {
                known.invalidate();
                any.invalidate();
                if (random.chance(50)) pair.change(known, any, 0, 5);
            }
        }
        REQUIRE(pair.any.invalidated(time) == pair.known.invalidated(time));
        pair.require_same();
        const auto delta = capture(pair.any, time);
        replica.write(time).apply(delta);
        REQUIRE(replica == pair.any);
        REQUIRE(capture(replica, time) == delta);
        REQUIRE(delta.modified.size() == capture(pair.known, time).modified.size());
        if (time % 7 == 0) { // from the state as a whole, too
            BasicAnyTSDStorage<Options<O>> other(text_type, text_type);
            other.write(1).set(&some_text, &some_text);
            other.write(time).reconcile(capture_state(pair.any));
            REQUIRE(other == pair.any);
            REQUIRE(capture_state(pair.any).modified.size() == pair.any.count_valid());
        }
        if (time % 20 == 0) {
            replica.restore(pair.known.snapshot(), codec()); // from known types to type-erased ones
            REQUIRE(replica == pair.any);
            const auto bytes = pair.any.snapshot(codec());
            pair.any.restore(pair.known.snapshot(), codec()); // both notify their subscribers
            pair.known.restore(bytes);
        }
    }
    const BasicAnyTSDStorage<Options<O>> copy(pair.any);
    REQUIRE(copy == pair.any);
    REQUIRE(copy.snapshot(codec()) == pair.any.snapshot(codec()));
}

TEST_CASE("a described set over time has the deltas, times and bytes of one of known keys", "[any_series]") {
    Random random(3);
    TSSStorage<std::string> known;
    AnyTSSStorage any(text_type), replica(text_type);
    for (std::int64_t time = 1; time != 100; ++time) {
        {
            auto k = known.write(time);
            auto a = any.write(time);
            for (std::uint64_t i = random.below(8); i != 0; --i) {
                std::string key = key_text(static_cast<int>(random.below(20)));
                if (random.chance(50))
                    REQUIRE(k.add(key) == a.add(&key));
                else if (random.chance(50))
                    REQUIRE(k.remove(key) == a.remove(&key));
                else {
                    const slot_t slot = k.insert(key).it.slot(); // first: the other one moves from the key
                    REQUIRE(a.insert_moved(&key).it.slot() == slot);
                    REQUIRE(k.extract(key_text(3)).has_value() == [&] {
                        const std::string three = key_text(3);
                        return a.extract(&three).has_value();
                    }());
                }
            }
            if (random.chance(10)) {
                k.invalidate();
                a.invalidate();
            }
            if (time % 30 == 0) {
                const std::vector<std::string> few{key_text(1), key_text(2), key_text(77)};
                k.assign(few);
                a.assign(std::vector<const void*>{&few[0], &few[1], &few[2]});
                a.assign(any.keys()); // its own
            }
        }
        REQUIRE(any.snapshot(codec()) == known.snapshot());
        REQUIRE(texts(any.added(time)) == texts(known.added(time)));
        REQUIRE(texts(any.removed(time)) == texts(known.removed(time)));
        const auto added = any.added(time);
        {
            const std::string more = key_text(55); // a range reads during the walk, as DeltaRange
            const bool was = any.contains(&more);
            const std::size_t before = added.size();
            const bool removed = any.was_removed(&more, time);
            if (!was) {
                any.write(time).add(&more);
                known.write(time).add(more);
                REQUIRE(added.size() == before + !removed);
            }
        }
        REQUIRE(texts(any.values()) == texts(known.values()));
        const auto delta = capture(any, time);
        replica.write(time).apply(delta);
        REQUIRE(replica == any);
        REQUIRE(any.check_invariants());
        if (time % 11 == 0) {
            AnyTSSStorage other(text_type);
            other.write(1).add(&some_text);
            other.write(time).reconcile(capture_state(any));
            REQUIRE(other == any);
            invalidate_all(known, any, replica, time);
        }
    }
    REQUIRE(any.added(1).empty());
    REQUIRE(&any.key_type() == &text_type);
    REQUIRE(&any.as_set() == static_cast<const void*>(&any.as_set()));
}

TEST_CASE("removed keys and values of a described dictionary are readable until the window rolls", "[any_series]") {
    NothingLeaks objects;
    const TypeDescriptor& type = TypeDescriptor::of<Tracked, ValueHash>();
    AnyTSDStorage dict(type, type);
    const Tracked key(1), value(10), other(20);
    dict.write(1).set(&key, &value);
    const slot_t slot = dict.slot_of(&key);
    const void* const place = dict.value(slot);
    dict.write(2).remove(&key);
    REQUIRE(dict.get(&key) == nullptr);
    REQUIRE(dict.state(slot) == SlotState::pending);
    for (const auto [k, v] : dict.removed_items(2)) REQUIRE((as<Tracked>(k).value() == 1 && as<Tracked>(v).value() == 10));
    REQUIRE(dict.removed_items(2).size() == 1);
    dict.write(2).set(&key, &other); // in its old place
    REQUIRE(dict.value(slot) == place);
    REQUIRE(as<Tracked>(dict.at(&key)).value() == 20);
    REQUIRE(dict.removed_keys(2).empty());
    dict.write(3).clear();
    REQUIRE(dict.pending() == 1);
    static_cast<void>(dict.write(4));
    REQUIRE(dict.pending() == 0);
    REQUIRE(dict.removed_keys(3).empty());
}

TEST_CASE("the members of a described dictionary that were ever written are those of one of known types", "[any_series]") {
    AnyTSDStorage dict(text_type, text_type);
    TSDStorage<std::string, std::string> known;
    CHECK((dict.valid_keys().empty() && dict.valid_items().empty()));
    {
        auto w = dict.write(1);
        auto k = known.write(1);
        for (int i = 0; i != 100; ++i) {
            const std::string key = key_text(i), value = value_text(i);
            if (i % 3 == 0)
                w.create(&key), k.create(key);
            else
                w.set(&key, &value), k.set(key, value);
        }
        for (int i = 0; i < 100; i += 7) {
            const std::string key = key_text(i);
            w.remove(&key), k.remove(key);
            if (i % 2 == 0) continue;
            const std::string next = key_text(i + 1);
            w.invalidate(&next), k.invalidate(next);
        }
    }
    CHECK(texts(dict.valid_keys()) == texts(known.valid_keys()));
    CHECK(texts(dict.valid_items()) == texts(known.valid_items()));
    CHECK(texts(dict.valid_keys()).size() == dict.count_valid());
    for (auto it = dict.valid_items().begin(); it != dict.valid_items().end(); ++it) CHECK(dict.valid_at(it.slot()));
    STATIC_REQUIRE(std::ranges::view<decltype(dict.valid_items())>);
    STATIC_REQUIRE(std::ranges::borrowed_range<decltype(dict.valid_keys())>);
    STATIC_REQUIRE(std::forward_iterator<decltype(dict.valid_keys().begin())>);
}

TEST_CASE("a handle of no element of a described series is said to be erased or never issued", "[any_series]") {
    AnyTSDStorage dict(text_type, text_type);
    AnyTSSStorage set(text_type);
    const std::string key = key_text(1), value = value_text(1);
    dict.write(1).set(&key, &value);
    set.write(1).add(&key);
    const auto of_dict = dict.handle_of(&key);
    const auto of_set = set.handle_of(&key);
    CHECK((as<std::string>(dict.at(of_dict)) == value && as<std::string>(set.at(of_set)) == key));
    AnyMapStorage map(text_type, text_type);
    const auto of_map = map.handle_at(map.insert(&key, &value).it.slot());
    *static_cast<std::string*>(map.at(of_map)) = "other";
    CHECK(as<std::string>(std::as_const(map).at(of_map)) == "other");
    dict.write(2).clear();
    set.write(2).clear();
    map.clear();
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::out_of_range>(act).find(words) != std::string::npos;
    };
    CHECK(says([&] { dict.at(of_dict); }, "0v1 was erased"));
    CHECK(says([&] { set.at(of_set); }, "0v1 was erased"));
    CHECK(says([&] { map.at(of_map); }, "0v1 is stale: slot 0 is at version 2 and free"));
    CHECK(says([&] { std::as_const(map).at(of_map); }, "ask get(handle)"));
    CHECK(says([&] { dict.at(decltype(of_dict)(7, 1)); }, "never issued"));
    CHECK(says([&] { set.at(decltype(of_set)(7, 1)); }, "never issued"));
    CHECK(says([&] { map.at(decltype(of_map)(7, 1)); }, "never issued"));
}

TEST_CASE("what is given away to a described series is moved, and what is only named is copied", "[any_series]") {
    AnyTSDStorage dict(text_type, text_type);
    AnyTSSStorage set(text_type);
    const std::string key = key_text(1), value = value_text(1);
    using Pairs = std::vector<std::pair<DescribedValue, DescribedValue>>;
    const auto where = [](const void* text) { return as<std::string>(text).data(); };
    Pairs pairs;
    pairs.emplace_back(DescribedValue::of(key), DescribedValue::of(value));
    dict.write(1).assign(pairs); // stays
    CHECK((pairs[0].first.as<std::string>() == key && pairs[0].second.as<std::string>() == value));
    const char* const value_data = where(pairs[0].second);
    dict.write(2).assign(std::move(pairs));
    CHECK(where(dict.at(&key)) == value_data);
    Pairs others;
    others.emplace_back(DescribedValue::of(key_text(2)), DescribedValue::of(value));
    const char* const key_data = where(others[0].first);
    dict.write(3).assign(std::move(others));
    CHECK((dict.size() == 1 && where(*dict.keys().begin()) == key_data));

    AnyMapStorage map(text_type, text_type);
    map.insert(&key, &value);
    const char* const mapped = where(map.at(&key));
    dict.write(4).assign(map);
    CHECK((as<std::string>(map.at(&key)) == value && where(dict.at(&key)) != mapped));
    dict.write(5).assign(std::move(map));                                                    // its keys stay: they are const
    CHECK((where(dict.at(&key)) == mapped && dict.modified(&key, 5) && map.contains(&key))); // NOLINT(bugprone-use-after-move)

    std::vector<DescribedValue> keys;
    keys.push_back(DescribedValue::of(key));
    set.write(1).assign(keys);
    CHECK((keys[0].as<std::string>() == key && set.contains(&key)));
    keys[0].as<std::string>() = key_text(3);
    const char* const moved = where(keys[0]);
    set.write(2).assign(std::move(keys));
    CHECK((set.size() == 1 && where(*set.keys().begin()) == moved));
    // Addresses that are given away are not what lies there.
    std::string mine = value_text(2);
    set.write(3).assign(std::vector<void*>{&mine});
    dict.write(6).assign(std::vector<std::pair<void*, void*>>{{&mine, &mine}});
    CHECK((mine == value_text(2) && set.contains(&mine) && dict.contains(&mine)));
}

TEST_CASE("a described series refuses what one of known types refuses, and says what", "[any_series]") {
    AnyTSDStorage dict(text_type, text_type);
    AnyTSSStorage set(text_type);
    const std::string key = key_text(1);
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
    };
    dict.write(5).set(&key, &key);
    static_cast<void>(set.write(5));
    REQUIRE(says([&] { static_cast<void>(dict.write(4)); }, "write_late"));
    REQUIRE(says([&] { static_cast<void>(set.write(4)); }, "write_late"));
    dict.write_late(4).set(&key, &key);
    set.write_late(4).add(&key);
    REQUIRE(dict.modified(5));
    REQUIRE(set.was_added(&key, 5));
    const std::string none = key_text(2);
    REQUIRE_THROWS_AS(dict.at(&none), std::out_of_range);
    auto writer = dict.write(5);
    REQUIRE_THROWS_AS(writer.at(&none), std::out_of_range);
    REQUIRE_THROWS_AS(writer.modify(&none), std::out_of_range);
    REQUIRE_FALSE(writer.update(&none, [](void*) { FAIL("there is no value"); }));
    REQUIRE(as<std::string>(writer.at(&key)) == key);
    REQUIRE(writer.get(&none) == nullptr);
    *static_cast<std::string*>(writer.modify(dict.handle_of(&key))) = "by handle";
    REQUIRE(as<std::string>(dict.get(dict.handle_of(&key))) == "by handle");
    writer.close();
    REQUIRE(says([&] { writer.set(&key, &key); }, "closed or moved from"));
}

TEST_CASE("types that a described series cannot hold are refused", "[any_series]") {
    const auto says = [](auto&& act, const char* words) {
        return thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
    };
    TypeDescriptor hashless = text_type;
    hashless.hash = nullptr;
    REQUIRE(says([&] { AnyTSSStorage set(hashless); }, "key: hash, equal and copy must be given"));
    REQUIRE(says([&] { AnyTSDStorage dict(hashless, text_type); }, "key: hash, equal and copy must be given"));
    TypeDescriptor moves = text_type;
    moves.nothrow_move = false;
    REQUIRE(says([&] { AnyTSDStorage dict(text_type, moves); }, "moving it must not throw"));
    TypeDescriptor fixed = text_type;
    fixed.copy = nullptr;
    REQUIRE(says([&] { AnyTSDStorage dict(text_type, fixed); }, "value: copy must be given"));
    TypeDescriptor bare = text_type;
    bare.construct = nullptr;
    AnyTSDStorage dict(text_type, bare);
    const std::string key = key_text(1);
    auto writer = dict.write(1);
    REQUIRE(says([&] { writer.create(&key); }, "no default value"));
    REQUIRE(dict.empty());
    REQUIRE(writer.set(&key, &key).inserted);
}

TEST_CASE("a delta that does not fit a described series is refused by the place, and nothing has changed", "[any_series]") {
    AnyTSDStorage dict(text_type, text_type);
    AnyTSSStorage set(text_type);
    const std::string key = key_text(1), other = key_text(2);
    dict.write(1).set(&key, &key);
    set.write(1).add(&key);
    const auto says = [&](auto&& act, const char* words) {
        const bool right = thrown_text<std::invalid_argument>(act).find(words) != std::string::npos;
        return right && dict.size() == 1 && set.size() == 1 && dict.check_invariants() && set.check_invariants();
    };
    auto writer = dict.write(2);
    auto set_writer = set.write(2);
    const auto text = [](const std::string& from) { return DescribedValue(text_type, &from); };
    AnyTSDStorage::delta_type delta;
    delta.added = {text(other), text(key)};
    REQUIRE(says([&] { writer.apply(delta); }, "added[1] is a member already"));
    delta.added = {DescribedValue::of(5)};
    REQUIRE(says([&] { writer.apply(delta, Strictness::lenient); }, "added[0] is of another type"));
    delta.added.clear();
    delta.removed = {DescribedValue()};
    REQUIRE(says([&] { writer.apply(delta); }, "removed[0] is of another type"));
    delta.removed.clear();
    delta.modified.emplace_back(text(key), DescribedValue::of(5));
    REQUIRE(says([&] { writer.apply(delta); }, "modified[0] is of another type"));
    AnyTSSStorage::delta_type members;
    members.removed = {text(other)};
    REQUIRE(says([&] { set_writer.apply(members); }, "removed[0] is not a member"));
    members.removed = {DescribedValue::of(5)};
    REQUIRE(says([&] { set_writer.apply(members); }, "removed[0] is of another type"));
    members = {};
    members.added = {text(key), text(other)};
    set_writer.apply(members, Strictness::lenient);
    REQUIRE(set.size() == 2);
    set_writer.remove(&other);
    TypeDescriptor bare = text_type; // values without a default
    bare.construct = nullptr;
    AnyTSDStorage plain(text_type, bare);
    delta = {};
    delta.added = {text(other)};
    REQUIRE(says([&] { plain.write(1).apply(delta); }, "added[0] has no value in `modified`"));
    delta.added.clear();
    delta.reset = {text(other)};
    REQUIRE(says([&] { plain.write(1).apply(delta, Strictness::lenient); }, "reset[0] needs a value type with a default"));
    delta.reset.clear();
    delta.added = {text(other)};
    delta.modified.emplace_back(text(other), text(key));
    plain.write(1).apply(delta);
    REQUIRE(as<std::string>(plain.at(&other)) == key);
}

TEST_CASE("deltas of described series compose, and are equal in any order", "[any_series]") {
    AnyTSDStorage source(text_type, text_type), replica(text_type, text_type);
    const std::string a = key_text(1), b = key_text(2), c = key_text(3);
    source.write(1).set(&a, &a);
    replica.write(1).apply(capture(source, 1));
    {
        auto writer = source.write(2);
        writer.set(&b, &a);
        writer.set(&a, &b);
    }
    const auto second = capture(source, 2);
    {
        auto writer = source.write(3);
        writer.remove(&b);
        writer.set(&c, &c);
    }
    const auto both = compose(second, capture(source, 3), source.hash_function(), source.key_eq());
    REQUIRE(both.modified.size() == 2);
    REQUIRE(both.removed.empty());
    replica.write(3).apply(both);
    REQUIRE(replica == source);
    auto other = both;
    std::swap(other.modified[0], other.modified[1]);
    REQUIRE(other == both);
    REQUIRE(equal_deltas(other, both, source.hash_function(), source.key_eq()));
    other.modified[0].second = DescribedValue::of(std::string("another"));
    REQUIRE_FALSE(other == both);
}

TEST_CASE("a described series has columns, an index, a tag and a type of time of its own", "[any_series]") {
    struct Prices;
    using Series = BasicAnyTSDStorage<TimeBy<double>, IndexBy<PortableHashIndex>, Column<int>, Tag<Prices>>;
    static_assert(!std::is_same_v<Series::handle_type, AnyTSDStorage::handle_type>);
    static_assert(std::is_same_v<HandleOf<Series>, Series::handle_type>);
    static_assert(std::is_same_v<Series::time_type, double>);
    Series series(text_type, TypeDescriptor::of<int>());
    for (int i = 0; i != 100; ++i) {
        const std::string key = key_text(i);
        series.write(0.5).set(&key, &i);
    }
    series.column<int>()[series.slots().begin().operator*()] = 7;
    std::size_t seen = 0;
    for (const auto chunk : series.values().chunks()) seen += chunk.live.count();
    REQUIRE(seen == 100);
    const auto keys = series.keys();
    REQUIRE(keys.slot_end() == 100);
    for (int i = 100; series.capacity() != 0 && series.keys().slot_end() == keys.slot_end(); ++i) {
        const std::string key = key_text(i);
        series.write(0.5).set(&key, &i); // a view made before it grew ends where it did
        series.write(0.5).remove(&key);
        REQUIRE((keys.slot_end() == 100 && series.values().slot_end() > 100));
    }
    Series restored(text_type, TypeDescriptor::of<int>());
    restored.restore(series.snapshot(codec()), codec());
    REQUIRE(restored == series);
    REQUIRE(restored.column<int>()[0] == 7);
    REQUIRE(restored.stamps()[0] == 0.5);
    REQUIRE(restored.modified_keys(0.5).size() == 100);
}

TEST_CASE("a described series refuses bytes that are not its own, and a codec that lacks a type", "[any_series]") {
    AnyTSDStorage series(text_type, text_type);
    const std::string key = key_text(1), other = key_text(2);
    series.write(1).set(&key, &key);
    {
        auto writer = series.write(2);
        writer.set(&other, &key);
        writer.remove(&key);
    }
    const auto bytes = series.snapshot(codec());
    for (std::size_t i = 0; i != bytes.size(); ++i) {
        REQUIRE(series.try_restore(std::span(bytes).first(i), codec()) != nullptr);
        for (const auto flip : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
            auto wrong = bytes;
            wrong[i] ^= flip;
            AnyTSDStorage target(series);
            if (target.try_restore(wrong, codec()) == nullptr)
                REQUIRE(target.snapshot(codec()) == wrong);
            else
                REQUIRE(target.snapshot(codec()) == bytes);
            REQUIRE(target.check_invariants());
        }
    }
    REQUIRE(series.snapshot(codec()) == bytes);
    AnyCodec numbers;
    numbers.add<int>();
    REQUIRE_THROWS_AS(series.snapshot(numbers), std::invalid_argument);
    REQUIRE_THROWS_AS(series.restore(bytes, numbers), std::invalid_argument);
    REQUIRE_THROWS_AS(series.restore({}, codec()), std::invalid_argument);
    AnyTSSStorage set(text_type);
    REQUIRE(set.try_restore(bytes, codec()) != nullptr);
}
