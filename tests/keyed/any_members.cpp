// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What described containers have in common with those of known types: reading, removing, columns in runs, snapshots, indexes.
#include "keys.hpp"
#include "support/catch.hpp"
#include "support/maps.hpp"
#include "support/snapshots.hpp"
#include "support/thrown.hpp"

#include <slotwise/keyed/any_storage.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/rows/any_codec.hpp>

#include <map>

using namespace test;

namespace {

constexpr KeySetOptions deferred{.deferred_erase = true};

template <class T>
const TypeDescriptor& described() {
    return TypeDescriptor::of<T, HashOf<T>>();
}
template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}
AnyCodec codec() {
    AnyCodec result;
    result.add<int>().add<std::string>();
    return result;
}
/// Fills a map of known and one of described types alike: elements, holes.
template <class Known, class Any>
void fill_alike(Known& known, Any& any, int count) {
    for (int i = 0; i != count; ++i) {
        const auto key = make_key<std::string>(i);
        known.insert(key, i);
        any.insert(&key, &i);
    }
    for (int i = 0; i < count; i += 3) {
        const auto key = make_key<std::string>(i);
        known.erase(key);
        any.erase(&key);
    }
}

} // namespace

TEST_CASE("a const described map is read by at", "[any_members]") {
    AnyMapStorage map(described<int>(), described<int>());
    const int key = 1, value = 10, other = 2;
    map.insert(&key, &value);
    const AnyMapStorage& reader = map;
    static_assert(std::is_same_v<decltype(reader.at(&key)), const void*>);
    REQUIRE(as<int>(reader.at(&key)) == 10);
    REQUIRE(thrown_text<std::out_of_range>([&] { static_cast<void>(reader.at(&other)); }).find("no element has this key") !=
            std::string::npos);
    REQUIRE(reader.find(reader.handle_of(&key)) == reader.begin());
    REQUIRE(reader.find(reader.handle_of(&other)) == reader.end());
    REQUIRE(map.as_set().find(map.handle_of(&key)).slot() == map.slot_of(&key));
}

TEST_CASE("a described column is read by slot, by handle, as a range and in runs of pointer, stride and mask",
          "[any_members]") {
    MapStorage<std::string, int> known;
    AnyMapStorage map(described<std::string>(), described<int>());
    fill_alike(known, map, 5000);
    const AnyColumnView values = map.values();
    const ConstAnyColumnView keys = std::as_const(map).keys();
    REQUIRE(&values.type() == &described<int>());
    REQUIRE(&keys.type() == &described<std::string>());
    REQUIRE(values.slot_end() == known.values().slot_end());
    std::size_t seen = 0;
    for (const auto chunk : values.chunks()) {
        REQUIRE(chunk.values.stride() == sizeof(int));
        const auto run = chunk.values.as<int>();
        REQUIRE(run.size() == chunk.live.size());
        for (std::size_t i = 0; i != run.size(); ++i) {
            const auto slot = static_cast<slot_t>(chunk.first + i);
            REQUIRE(chunk.live.test(static_cast<slot_t>(i)) == (map.state(slot) == SlotState::live));
            if (!chunk.live.test(static_cast<slot_t>(i))) continue;
            REQUIRE(&run[i] == map.value(slot));
            REQUIRE(chunk.values.data() != nullptr);
            ++seen;
        }
    }
    REQUIRE(seen == map.size());
    std::size_t place = 0;
    auto by_type = known.keys().begin();
    for (const void* key : keys) {
        REQUIRE(as<std::string>(key) == *by_type++);
        ++place;
    }
    REQUIRE(place == map.size());
    const int probe = 4;
    const auto key = make_key<std::string>(probe);
    const auto handle = map.handle_of(&key);
    REQUIRE(as<int>(values[handle.index()]) == probe);
    *static_cast<int*>(values.get(handle)) = 44;
    REQUIRE(as<int>(map.at(&key)) == 44);
    values.for_each([&](slot_t slot, void* value) { *static_cast<int*>(value) = static_cast<int>(slot); });
    REQUIRE(as<int>(map.at(&key)) == static_cast<int>(handle.index()));
    std::size_t visits = 0;
    keys.for_each([&](const void*) { ++visits; });
    REQUIRE(visits == map.size());
    map.erase(handle);
    REQUIRE(values.get(handle) == nullptr); // what is erased, or put into a vacant slot, shows through; growth needs a new view
    const auto again = map.insert(&key, &probe);
    REQUIRE(values[again.it.slot()] == map.value(again.it.slot()));
    REQUIRE(keys[again.it.slot()] == map.key(again.it.slot()));
    map.erase(&key);
    const std::size_t before = map.keys().slot_end();
    for (int i = 10'000; map.keys().slot_end() == before; ++i) {
        const auto more = make_key<std::string>(i);
        map.insert(&more, &i);
    }
    REQUIRE(keys.slot_end() == before);
    REQUIRE_FALSE(values.contains(handle));
    REQUIRE_FALSE(values.contains(no_slot));
    REQUIRE(std::ranges::view<AnyColumnView>);
    REQUIRE(AnySetStorage(described<int>()).values().empty());
}

TEST_CASE("runs of a described column join adjacent pages, and values larger than a page come one by one", "[any_members]") {
    AnySetStorage numbers(described<int>());
    numbers.reserve(100'000);
    for (int i = 0; i != 100'000; ++i) numbers.insert(&i);
    std::size_t runs = 0;
    for (const auto chunk : numbers.keys().chunks()) runs += chunk.live.size() != 0;
    REQUIRE(runs == 1); // one allocation
    REQUIRE(numbers.keys().chunks().size() == 1);
    struct Huge {
        char bytes[40'000];
    };
    TypeDescriptor huge;
    huge.size = sizeof(Huge);
    huge.copy = [](void* to, const void* from) { *static_cast<Huge*>(to) = as<Huge>(from); };
    AnyMapStorage map(described<int>(), huge);
    const auto value = std::make_unique<Huge>();
    for (int i = 0; i != 70; ++i) {
        value->bytes[7] = static_cast<char>(i);
        map.insert(&i, value.get());
    }
    const int gone = 3;
    map.erase(&gone);
    std::size_t seen = 0;
    for (const auto chunk : map.values().chunks()) {
        REQUIRE(chunk.values.size() == 1);
        REQUIRE(chunk.live.count() == 1);
        REQUIRE(chunk.values[0] == map.value(chunk.first));
        ++seen;
    }
    REQUIRE(seen == 69);
    REQUIRE(map.values().chunks().size() == 69);
}

TEST_CASE("the column view of a known type is one of a described type", "[any_members]") {
    MapStorage<int, std::string> map;
    for (int i = 0; i != 300; ++i) map.insert(i, make_key<std::string>(i));
    map.erase(7);
    const AnyColumnView values = map.values();
    const ConstAnyColumnView keys = map.keys();
    REQUIRE(values.type().id == TypeDescriptor::id_of<std::string>());
    REQUIRE(as<std::string>(values[9]) == make_key<std::string>(9));
    REQUIRE(as<int>(keys.get(map.handle_of(12))) == 12);
    std::size_t total = 0;
    for (const auto chunk : keys.chunks()) total += chunk.live.count();
    REQUIRE(total == 299);
}

/// A span of values whose type has a description.
template <class T>
ConstAnySpan span_of(const std::vector<T>& values) {
    return {described<T>(), values.data(), values.size()};
}

TEST_CASE("a type-erased set takes, finds and erases many keys at once", "[any_members]") {
    AnySetStorage set(described<std::string>());
    std::vector<std::string> keys, others;
    for (int i = 0; i != 100; ++i) keys.push_back(make_key<std::string>(i));
    for (int i = 50; i != 150; ++i) others.push_back(make_key<std::string>(i));
    REQUIRE(set.insert_range(span_of(keys)) == 100);
    REQUIRE(set.insert_range(span_of(others)) == 50);
    REQUIRE(set.insert_range(span_of(others)) == 0);
    REQUIRE(set.size() == 150);
    const auto handle = set.handle_of(&keys[3]);
    REQUIRE(set.erase_range(span_of(keys)) == 100);
    REQUIRE(set.erase_range(span_of(keys)) == 0);
    REQUIRE_FALSE(set.contains(handle));
    std::vector<slot_t> found(others.size());
    set.slots_of(span_of(others), found);
    for (std::size_t i = 0; i != others.size(); ++i) {
        REQUIRE(found[i] == set.slot_of(&others[i]));
        REQUIRE((found[i] == no_slot) == (i < 50));
        REQUIRE(set.count(&others[i]) == (i < 50 ? 0u : 1u));
    }
    const std::vector<int> numbers{1, 2};
    REQUIRE_THROWS_AS(set.insert_range(span_of(numbers)), std::invalid_argument);
    REQUIRE_THROWS_AS(set.erase_range(span_of(numbers)), std::invalid_argument);
    REQUIRE_THROWS_AS(set.slots_of(span_of(numbers), std::span(found).first(2)), std::invalid_argument);
    REQUIRE(set.size() == 50);
    REQUIRE(set.insert_range({described<std::string>(), nullptr, 0}) == 0);
    REQUIRE(set.check_invariants());
}

TEST_CASE("a type-erased set takes and finds keys that lie anywhere, in their order", "[any_members]") {
    AnySetStorage set(described<std::string>());
    constexpr std::size_t ahead = AnySetStorage::lookahead;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, ahead - 1, ahead, ahead + 1, 10 * ahead + 7}) {
        set.clear();
        std::vector<std::string> room(ahead); // a key is replaced as soon as it may be
        const auto key_at = [&](std::size_t i) -> const void* {
            std::string& key = room[i % ahead];
            key = make_key<std::string>(static_cast<int>(i / 2)); // each comes twice
            return &key;
        };
        std::size_t next = 0;
        std::vector<slot_t> placed;
        set.insert_each(count, key_at, [&](std::size_t i, slot_t slot, bool inserted) {
            REQUIRE(i == next++);
            REQUIRE(inserted == (i % 2 == 0));
            REQUIRE(as<std::string>(set.key(slot)) == make_key<std::string>(static_cast<int>(i / 2)));
            placed.push_back(slot);
        });
        REQUIRE(next == count);
        REQUIRE(set.size() == (count + 1) / 2);
        REQUIRE(set.check_invariants());
        next = 0;
        set.find_each(count + 2, key_at, [&](std::size_t i, slot_t slot) {
            REQUIRE(i == next++);
            REQUIRE((slot == no_slot) == (i / 2 >= set.size()));
            if (i < count) REQUIRE(slot == placed[i]);
        });
        REQUIRE(next == count + 2);
    }
}

TEST_CASE("a type-erased set keeps what was added before a callback of insert_each threw", "[any_members]") {
    AnySetStorage set(described<std::string>());
    std::vector<std::string> keys;
    for (int i = 0; i != 100; ++i) keys.push_back(make_key<std::string>(i));
    const auto key_at = [&](std::size_t i) -> const void* { return &keys[i]; };
    const auto stop = [](std::size_t i, auto...) {
        if (i == 40) throw std::runtime_error("stop");
    };
    REQUIRE_THROWS_AS(set.insert_each(100, key_at, stop), std::runtime_error);
    REQUIRE(set.size() == 41);
    REQUIRE((set.contains(&keys[40]) && !set.contains(&keys[41]) && set.check_invariants()));
    REQUIRE_THROWS_AS(set.find_each(100, key_at, stop), std::runtime_error);
    REQUIRE(set.size() == 41);
}

TEST_CASE("a type-erased map takes, assigns, finds and erases many elements at once", "[any_members]") {
    AnyMapStorage map(described<std::string>(), described<int>());
    std::vector<std::string> keys;
    std::vector<int> values, doubled;
    for (int i = 0; i != 100; ++i) {
        keys.push_back(make_key<std::string>(i));
        values.push_back(i);
        doubled.push_back(2 * i);
    }
    REQUIRE(map.insert_range(span_of(keys), span_of(values)) == 100);
    REQUIRE(map.insert_range(span_of(keys), span_of(doubled)) == 0);
    REQUIRE(as<int>(map.at(&keys[7])) == 7);
    map.erase(&keys[3]);
    REQUIRE(map.insert_or_assign_range(span_of(keys), span_of(doubled)) == 1);
    std::vector<slot_t> found(keys.size());
    map.slots_of(span_of(keys), found);
    for (std::size_t i = 0; i != keys.size(); ++i) REQUIRE(as<int>(map.value(found[i])) == doubled[i]);
    REQUIRE_THROWS_AS(map.insert_range(span_of(keys), span_of(keys)), std::invalid_argument);
    REQUIRE_THROWS_AS(map.insert_range(span_of(values), span_of(values)), std::invalid_argument);
    values.pop_back();
    REQUIRE_THROWS_AS(map.insert_or_assign_range(span_of(keys), span_of(values)), std::invalid_argument);
    REQUIRE(as<int>(map.at(&keys[7])) == 14);
    REQUIRE(map.erase_range(span_of(keys)) == 100);
    REQUIRE((map.empty() && map.check_invariants()));
}

TEST_CASE("type-erased containers are walked by handle, and while elements come and go", "[any_members]") {
    AnySetStorage set(described<int>());
    AnyMapStorage map(described<int>(), described<int>());
    for (int i = 0; i != 100; ++i) {
        set.insert(&i);
        map.insert(&i, &i);
    }
    std::size_t count = 0;
    for (const auto handle : set.handles()) count += set.contains(handle) && as<int>(set.at(handle)) < 100;
    for (const auto handle : map.handles()) count += map.contains(handle) && as<int>(map.at(handle)) < 100;
    REQUIRE(count == 200);
    REQUIRE((set.handles().size() == 100 && map.handles().size() == 100));
    std::vector<int> seen;
    for (const auto [handle, key] : set.items_present()) {
        const int number = as<int>(key), next = number + 1, more = number + 1000;
        REQUIRE(set.handle_of(&number) == handle);
        seen.push_back(number);
        set.erase(&next);
        set.insert(&more);
    }
    REQUIRE(seen.size() == 50);
    seen.clear();
    for (const auto [key, value] : map.items_present()) {
        const int number = as<int>(key), next = number + 1, more = number + 1000;
        REQUIRE(as<int>(value) == number);
        *static_cast<int*>(value) = -1;
        seen.push_back(number);
        map.erase(&next);
        map.insert(&more, &more);
    }
    REQUIRE(seen.size() == 50);
    REQUIRE((set.size() == 100 && map.size() == 100));
}

TEST_CASE("erase_if of described containers takes keys, items, and handles", "[any_members]") {
    AnySetStorage set(described<int>());
    AnyMapStorage map(described<int>(), described<int>());
    for (int i = 0; i != 100; ++i) {
        const int square = i * i;
        set.insert(&i);
        map.insert(&i, &square);
    }
    REQUIRE(set.erase_if([](const void* key) { return as<int>(key) % 2 == 0; }) == 50);
    REQUIRE(set.erase_if([&](AnySetStorage::handle_type handle, const void* key) {
        return set.contains(handle) && as<int>(key) < 10;
    }) == 5);
    REQUIRE(map.erase_if([](const void*, const void* value) { return as<int>(value) >= 100; }) == 90);
    REQUIRE(map.erase_if([&](AnyMapStorage::handle_type handle, const void* key, void* value) {
        *static_cast<int*>(value) += 1;
        return map.key(handle) == key && as<int>(key) == 3;
    }) == 1);
    const int two = 2;
    REQUIRE(as<int>(map.at(&two)) == 5);
    REQUIRE(set.size() == 45);
    REQUIRE(map.size() == 9);
    REQUIRE((set.check_invariants() && map.check_invariants()));
    for (auto it = map.begin(); it != map.end();) it = map.erase(it);
    for (auto it = set.begin(); it != set.end();) it = set.erase(it);
    REQUIRE((map.empty() && set.empty()));
}

TEST_CASE("extract takes a described element out, and copies one that stays readable", "[any_members]") {
    NothingLeaks objects;
    {
        AnyMapStorage map(described<Tracked>(), described<Tracked>());
        BasicAnyMapStorage<Options<deferred>> waiting(described<Tracked>(), described<Tracked>());
        for (int i = 0; i != 10; ++i) {
            const Tracked key(i), value(10 * i);
            map.insert(&key, &value);
            waiting.insert(&key, &value);
        }
        const Tracked three(3), none(33);
        auto taken = map.extract(&three);
        REQUIRE(taken.has_value());
        REQUIRE(taken->first.as<Tracked>().value() == 3);
        REQUIRE(taken->second.as<Tracked>().value() == 30);
        REQUIRE_FALSE(map.contains(&three));
        REQUIRE_FALSE(map.extract(&three).has_value());
        REQUIRE_FALSE(map.extract(decltype(map)::handle_type()).has_value());
        REQUIRE_FALSE(map.extract(&none).has_value());
        REQUIRE(map.insert(taken->first, taken->second).inserted); // by address
        REQUIRE(map.extract(map.handle_of(&three))->second.as<Tracked>().value() == 30);
        const slot_t slot = waiting.slot_of(&three);
        REQUIRE(waiting.extract(&three)->second.as<Tracked>().value() == 30);
        REQUIRE(waiting.state(slot) == SlotState::pending);
        REQUIRE(as<Tracked>(waiting.value(slot)).value() == 30);
        AnySetStorage set(described<Tracked>());
        set.insert(&three);
        DescribedValue key = set.extract(&three);
        REQUIRE(key.as<Tracked>().value() == 3);
        REQUIRE(set.empty());
        REQUIRE(set.extract(&three) == nullptr);
        const auto handle = set.insert(&three).it.handle();
        REQUIRE(set.extract(handle).as<Tracked>().value() == 3);
        REQUIRE(set.extract(handle) == nullptr);
        REQUIRE((map.check_invariants() && waiting.check_invariants() && set.check_invariants()));
    }
}

TEST_CASE("described containers write the bytes of those whose types are known, and read them", "[any_members]") {
    using Known = MapStorage<std::string, int, Options<deferred>, Column<float>>;
    using Any = BasicAnyMapStorage<Options<deferred>, Column<float>>;
    Known known;
    Any any(described<std::string>(), described<int>());
    fill_alike(known, any, 400);
    known.flush_removed();
    any.flush_removed();
    for (const int i : {7, 4, 100}) { // pending ones
        const auto key = make_key<std::string>(i);
        known.erase(key);
        any.erase(&key);
    }
    for (const slot_t slot : known.slots()) known.column<float>()[slot] = any.column<float>()[slot] = static_cast<float>(slot);
    const auto bytes = known.snapshot();
    REQUIRE(any.snapshot(codec()) == bytes);

    Any restored(described<std::string>(), described<int>());
    restored.restore(bytes, codec());
    REQUIRE(restored == any);
    REQUIRE(restored.pending() == 3);
    REQUIRE(restored.column<float>()[any.slots().begin().operator*()] == 1.0F);
    REQUIRE(restored.snapshot(codec()) == bytes);
    REQUIRE(restored.check_invariants());
    Known back;
    back.restore(any.snapshot(codec()));
    REQUIRE(back == known);
    for (int i = 1000; i != 1100; ++i) { // the same handles in future
        const auto key = make_key<std::string>(i);
        REQUIRE(restored.insert(&key, &i).it.handle().to_bits() == any.insert(&key, &i).it.handle().to_bits());
    }
    const auto without = any.snapshot(codec(), dropping<ValueArray<float>>());
    restored.restore(without, codec(), dropping<ValueArray<float>>());
    REQUIRE(restored == any);
    BasicAnySetStorage<Options<deferred>> set(described<int>());
    SetStorage<int, Options<deferred>> typed;
    for (int i = 0; i != 100; ++i) set.insert(&i), typed.insert(i);
    REQUIRE(set.snapshot(codec()) == typed.snapshot());
}

TEST_CASE("a snapshot behind other bytes is the same, and leaves room for what comes behind it", "[any_members]") {
    AnyMapStorage map(described<std::string>(), described<int>());
    AnySetStorage set(described<int>());
    for (int i = 0; i != 300; ++i) {
        const auto key = make_key<std::string>(i);
        map.insert(&key, &i);
        set.insert(&i);
    }
    const auto behind = [](const auto& container) {
        ByteWriter out;
        out.number(std::uint64_t{0});
        container.append_snapshot(out, 1000, codec());
        const std::size_t size = out.written().size() - 8;
        out.overwrite(0, std::uint64_t{size});
        const std::byte* const before = out.written().data();
        for (int i = 0; i != 125; ++i) out.number(std::uint64_t{7});
        REQUIRE(out.written().data() == before);
        ByteReader in(out.written());
        REQUIRE(in.number<std::uint64_t>() == size);
        const auto bytes = in.raw(size);
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    REQUIRE(behind(set) == set.snapshot(codec()));
    REQUIRE(behind(map) == map.snapshot(codec()));
}

TEST_CASE("a codec that lacks a described type is refused, and wrong bytes change nothing", "[any_members]") {
    NothingLeaks objects;
    AnyMapStorage map(described<std::string>(), described<int>());
    AnySetStorage set(described<Tracked>());
    const auto key = make_key<std::string>(1);
    const int value = 5;
    map.insert(&key, &value);
    AnyCodec strings;
    strings.add<std::string>();
    const auto complains = [](auto&& act) {
        return thrown_text<std::invalid_argument>(act).find("the codec lacks the type") != std::string::npos;
    };
    REQUIRE(complains([&] { static_cast<void>(map.snapshot(strings)); }));
    REQUIRE(complains([&] { map.restore({}, strings); }));
    REQUIRE(complains([&] { static_cast<void>(map.try_restore({}, strings)); }));
    REQUIRE(complains([&] { static_cast<void>(set.snapshot(strings)); }));
    REQUIRE(complains([&] { set.restore({}, strings); }));
    REQUIRE(complains([&] { static_cast<void>(set.try_restore({}, strings)); }));
    const auto bytes = map.snapshot(codec());
    const auto same = [&] { return map.size() == 1 && as<int>(map.at(&key)) == 5 && map.check_invariants(); };
    for (std::size_t length = 0; length != bytes.size(); ++length) {
        REQUIRE(map.try_restore(std::span(bytes).first(length), codec()) != nullptr);
        REQUIRE(same());
    }
    for (std::size_t i = 0; i != bytes.size(); ++i)
        for (const auto flip : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
            auto wrong = bytes;
            wrong[i] ^= flip;
            wrong = test::reseal(wrong);
            AnyMapStorage target(map);
            if (target.try_restore(wrong, codec()) == nullptr) {
                REQUIRE(target.snapshot(codec()) == wrong);
            } else {
                REQUIRE(target == map);
            }
            REQUIRE(target.check_invariants());
        }
    REQUIRE_THROWS_AS(map.restore(std::span(bytes).first(8), codec()), std::invalid_argument);
    AnyMapStorage other(described<int>(), described<int>());
    REQUIRE(other.try_restore(bytes, codec()) != nullptr); // keys of another size
}

TEST_CASE("a described container may have another index", "[any_members]") {
    BasicAnyMapStorage<IndexBy<PortableHashIndex>, Options<deferred>> map(described<std::string>(), described<int>());
    BasicAnySetStorage<IndexBy<PortableHashIndex>> set(described<std::string>());
    std::map<std::string, int> model;
    Random random(1);
    for (int step = 0; step != 4000; ++step) {
        const auto n = static_cast<int>(random.below(500));
        const auto key = make_key<std::string>(n);
        if (random.chance(60)) {
            REQUIRE(map.insert(&key, &step).inserted == model.emplace(key, step).second);
            set.insert(&key);
        } else {
            REQUIRE(map.erase(&key) == (model.erase(key) != 0));
            set.erase(&key);
        }
    }
    REQUIRE(map.size() == model.size());
    REQUIRE(set.size() == model.size());
    for (const auto& [key, value] : model) {
        REQUIRE(as<int>(map.at(&key)) == value);
        REQUIRE(set.contains(&key));
    }
    REQUIRE((map.check_invariants() && set.check_invariants()));
}

TEST_CASE("a described value that moves without a throw is built before a removed one is destroyed", "[any_members]") {
    NothingLeaks objects;
    static bool fails = false;
    TypeDescriptor type = described<Tracked>();
    type.copy = [](void* to, const void* from) {
        if (fails) throw std::runtime_error("copy");
        ::new (to) Tracked(as<Tracked>(from));
    };
    type.nothrow_move = true;
    BasicAnyMapStorage<Options<deferred>> map(described<Tracked>(), type);
    const Tracked key(1), value(10), fresh(20);
    const slot_t slot = map.insert(&key, &value).it.slot();
    map.erase(&key);
    fails = true;
    REQUIRE_THROWS_AS(map.insert(&key, &fresh), std::runtime_error);
    fails = false;
    REQUIRE(map.state(slot) == SlotState::pending); // not lost
    REQUIRE(as<Tracked>(map.value(slot)).value() == 10);
    REQUIRE(map.insert(&key, &fresh).kind == InsertKind::resurrected);
    REQUIRE(as<Tracked>(map.value(slot)).value() == 20);
    REQUIRE(map.check_invariants());
}
