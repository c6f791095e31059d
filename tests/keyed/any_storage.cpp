// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// AnySetStorage and AnyMapStorage, call by call: descriptors from types and by hand, what a type may lack, removal and
// resurrection, whole containers, observers, and addresses that refer into the container itself.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/event_log.hpp"
#include "support/thrown.hpp"

#include <slotwise/keyed/any_storage.hpp>

#include <cstring>

using namespace test;

namespace {

constexpr KeySetOptions deferred{.deferred_erase = true};
using DeferredMap = BasicAnyMapStorage<Options<deferred>>;
using Memory = StatefulAllocator<std::byte>;

template <class T>
const TypeDescriptor& described() {
    return TypeDescriptor::of<T, HashOf<T>>();
}
const TypeDescriptor& string_type = described<std::string>();
const TypeDescriptor& int_type = described<int>();

int as_int(const void* value) { return *static_cast<const int*>(value); }
const std::string& as_string(const void* key) { return *static_cast<const std::string*>(key); }

/// The text of the std::invalid_argument that `act` throws, or "" when it throws none.
template <class Act>
std::string complaint(Act&& act) {
    return thrown_text<std::invalid_argument>(act);
}
bool says(const std::string& text, const char* words) {
    UNSCOPED_INFO("it says: " << text);
    return text.find(words) != std::string::npos;
}

/// A record as an engine's script would have it: twelve bytes, operations over raw memory, every life counted.
struct Records {
    static inline int alive = 0;
    struct Layout {
        std::int32_t id;
        char name[8];
    };
    static TypeDescriptor type() {
        TypeDescriptor record;
        record.size = 12;
        record.align = 4;
        record.construct = [](void* to) { std::memset(to, 0, 12), ++alive; };
        record.copy = [](void* to, const void* from) { std::memcpy(to, from, 12), ++alive; };
        record.assign = [](void* to, const void* from) { std::memcpy(to, from, 12); };
        record.destroy = [](void* value) noexcept { std::memset(value, 0xEE, 12), --alive; };
        record.hash = [](const void* value) { return static_cast<std::size_t>(static_cast<const Layout*>(value)->id); };
        record.equal = [](const void* a, const void* b) {
            return static_cast<const Layout*>(a)->id == static_cast<const Layout*>(b)->id;
        };
        return record;
    }
};

} // namespace

TEST_CASE("a described set holds keys by address", "[any_storage]") {
    AnySetStorage set(string_type);
    REQUIRE(&set.key_type() == &string_type);
    const std::string nails = make_key<std::string>(1), screws = make_key<std::string>(2);
    const auto first = set.insert(&nails);
    REQUIRE(first.inserted);
    REQUIRE(first.kind == InsertKind::fresh);
    REQUIRE_FALSE(set.insert(&nails).inserted);
    REQUIRE(set.insert(&nails).it.slot() == first.it.slot());
    REQUIRE(set.insert(&screws).inserted);
    REQUIRE(set.size() == 2);
    REQUIRE(set.contains(&nails));
    REQUIRE(set.slot_of(&nails) == first.it.slot());
    REQUIRE(set.state(first.it.slot()) == SlotState::live);
    const auto handle = set.handle_of(&nails);
    REQUIRE(set.contains(handle));
    REQUIRE(handle == set.handle_at(first.it.slot()));
    REQUIRE(as_string(set.key(handle)) == nails);
    REQUIRE(as_string(set.key(first.it.slot())) == nails);
    REQUIRE(set.key(first.it.slot()) != &nails); // a copy
    REQUIRE(set.erase(&nails));
    REQUIRE_FALSE(set.erase(&nails));
    REQUIRE(set.key(handle) == nullptr);
    REQUIRE(set.explain(handle) == HandleStatus::stale);
    REQUIRE(set.handle_of(&nails).is_null());
    REQUIRE(set.slot_of(&nails) == no_slot);
    REQUIRE(set.slot_of_any(&nails) == no_slot);
    REQUIRE(set.erase(set.handle_of(&screws)));
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());
}

TEST_CASE("a described map holds keys and values by address", "[any_storage]") {
    AnyMapStorage map(string_type, int_type);
    REQUIRE(&map.key_type() == &string_type);
    REQUIRE(&map.value_type() == &int_type);
    const std::string name = make_key<std::string>(1), other = make_key<std::string>(2);
    int count = 5;
    REQUIRE(map.insert(&name, &count).inserted);
    count = 6;
    REQUIRE_FALSE(map.insert(&name, &count).inserted);
    REQUIRE(as_int(map.at(&name)) == 5);
    REQUIRE_FALSE(map.insert_or_assign(&name, &count).inserted);
    REQUIRE(as_int(map.get(&name)) == 6);
    REQUIRE(map.insert_or_assign(&other, &count).inserted);
    REQUIRE(map.get(&other) == map.value(map.slot_of(&other)));
    *static_cast<int*>(map.get(&other)) = 9;
    REQUIRE(as_int(std::as_const(map).get(&other)) == 9);
    REQUIRE(as_int(std::as_const(map).value(map.slot_of(&other))) == 9);
    const auto handle = map.handle_of(&other);
    REQUIRE(map.get(handle) == map.get(&other));
    REQUIRE(std::as_const(map).get(handle) == map.get(&other));
    REQUIRE(as_string(map.key(handle)) == other);
    REQUIRE(map.erase(handle));
    REQUIRE(map.get(handle) == nullptr);
    REQUIRE(std::as_const(map).get(handle) == nullptr);
    REQUIRE(map.get(&other) == nullptr);
    REQUIRE(map.key(handle) == nullptr);
    REQUIRE_THROWS_AS(map.at(&other), std::out_of_range);
    REQUIRE(&map.as_set() == static_cast<const void*>(&map));
    REQUIRE(map.as_set().slot_of(&name) == map.slot_of(&name));
    REQUIRE(as_string(map.as_set().key(map.slot_of(&name))) == name);
    REQUIRE(map.check_invariants());
}

TEST_CASE("a null value means the default value", "[any_storage]") {
    AnyMapStorage map(int_type, string_type);
    const int key = 1;
    REQUIRE(map.insert(&key, nullptr).inserted);
    REQUIRE(as_string(map.at(&key)).empty());
    REQUIRE_FALSE(map.insert(&key, nullptr).inserted);
}

TEST_CASE("for_each of a described container visits in slot order and may erase what it is given", "[any_storage]") {
    AnyMapStorage map(int_type, int_type);
    for (int i = 0; i != 200; ++i) {
        const int value = 10 * i;
        map.insert(&i, &value);
    }
    int expected = 0;
    std::as_const(map).for_each([&](const void* key, const void* value) {
        REQUIRE(as_int(key) == expected);
        REQUIRE(as_int(value) == 10 * expected++);
    });
    REQUIRE(expected == 200);
    map.for_each([&](const void* key, void* value) {
        if (as_int(key) % 2 == 0)
            map.erase(key);
        else
            *static_cast<int*>(value) += 1;
    });
    REQUIRE(map.size() == 100);
    const int odd = 7, even = 8;
    REQUIRE(as_int(map.at(&odd)) == 71);
    REQUIRE_FALSE(map.contains(&even));
    int sum = 0;
    map.as_set().for_each([&](const void* key) { sum += as_int(key); });
    REQUIRE(sum == 100 * 100);
    REQUIRE(map.check_invariants());
}

TEST_CASE("a type described by hand is stored with its own operations", "[any_storage]") {
    Records::alive = 0;
    const TypeDescriptor record = Records::type();
    {
        AnyMapStorage map(record, record);
        for (std::int32_t i = 0; i != 500; ++i) {
            const Records::Layout key{i, "key"}, value{2 * i, "value"};
            REQUIRE(map.insert(&key, &value).inserted);
        }
        REQUIRE(Records::alive == 1000);
        const Records::Layout asked{123, "asked"}; // equal by id
        REQUIRE(static_cast<const Records::Layout*>(map.at(&asked))->id == 246);
        REQUIRE(std::strcmp(static_cast<const Records::Layout*>(map.key(map.slot_of(&asked)))->name, "key") == 0);
        REQUIRE(map.erase(&asked));
        REQUIRE(Records::alive == 998);
        const Records::Layout fresh{1000, "fresh"};
        map.insert(&fresh, nullptr);
        REQUIRE(static_cast<const Records::Layout*>(map.at(&fresh))->id == 0);
        AnyMapStorage copy(map);
        REQUIRE(copy == map);
        REQUIRE(Records::alive == 2000);
        map.clear();
        REQUIRE(Records::alive == 1000);
        REQUIRE(copy.check_invariants());
    }
    REQUIRE(Records::alive == 0);
}

TEST_CASE("types of one byte, of many, and over-aligned ones lie where they should", "[any_storage]") {
    NothingLeaks objects;
    struct Huge {
        int number;
        char rest[10'000];
    };
    TypeDescriptor huge;
    huge.size = sizeof(Huge);
    huge.align = alignof(Huge);
    huge.copy = [](void* to, const void* from) { std::memcpy(to, from, sizeof(Huge)); };
    const TypeDescriptor& aligned = described<OverAligned<256>>();
    const TypeDescriptor& tiny = described<signed char>();
    AnyMapStorage huges(aligned, huge);
    AnyMapStorage tinies(tiny, aligned);
    for (int i = 0; i != 100; ++i) {
        const OverAligned<256> key(i);
        auto value = std::make_unique<Huge>();
        value->number = i;
        huges.insert(&key, value.get());
        const auto small = static_cast<signed char>(i);
        tinies.insert(&small, &key);
    }
    for (int i = 0; i != 100; ++i) {
        const OverAligned<256> key(i);
        REQUIRE(static_cast<const Huge*>(huges.at(&key))->number == i);
        REQUIRE(reinterpret_cast<std::uintptr_t>(huges.key(huges.slot_of(&key))) % 256 == 0);
        const auto small = static_cast<signed char>(i);
        REQUIRE(reinterpret_cast<std::uintptr_t>(tinies.at(&small)) % 256 == 0);
    }
    REQUIRE(huges.check_invariants());
    REQUIRE(tinies.check_invariants());
}

TEST_CASE("addresses of described keys and values hold while the container grows", "[any_storage]") {
    AnyMapStorage map(string_type, string_type);
    std::vector<std::pair<const void*, const void*>> places;
    for (int i = 0; i != 3000; ++i) {
        const auto text = make_key<std::string>(i);
        const slot_t slot = map.insert(&text, &text).it.slot();
        places.emplace_back(map.key(slot), map.value(slot));
    }
    for (int i = 0; i != 3000; ++i) {
        const auto text = make_key<std::string>(i);
        const slot_t slot = map.slot_of(&text);
        REQUIRE(map.key(slot) == places[static_cast<std::size_t>(i)].first);
        REQUIRE(map.value(slot) == places[static_cast<std::size_t>(i)].second);
    }
}

//=== what a type may lack ===//

TEST_CASE("a key type without hash, equal or copy is refused with a text that names them", "[any_storage]") {
    for (const int missing : {0, 1, 2}) {
        TypeDescriptor type = string_type;
        if (missing == 0) type.hash = nullptr;
        if (missing == 1) type.equal = nullptr;
        if (missing == 2) type.copy = nullptr;
        REQUIRE(says(complaint([&] { AnySetStorage set(type); }), "key: hash, equal and copy must be given"));
        REQUIRE(says(complaint([&] { AnyMapStorage map(type, int_type); }), "key: hash, equal and copy must be given"));
    }
}

TEST_CASE("sizes and alignments that cannot be are refused", "[any_storage]") {
    const std::pair<std::size_t, std::size_t> wrong[] = {{0, 1}, {4, 0}, {12, 3}, {6, 4}, {4, 8}};
    for (const auto& [size, align] : wrong) {
        CAPTURE(size, align);
        TypeDescriptor type = int_type;
        type.size = size;
        type.align = align;
        REQUIRE(says(complaint([&] { AnySetStorage set(type); }), "size must be a multiple of align"));
        REQUIRE(says(complaint([&] { AnyMapStorage map(type, int_type); }), "size must be a multiple of align"));
        REQUIRE(says(complaint([&] { AnyMapStorage map(int_type, type); }), "size must be a multiple of align"));
    }
}

TEST_CASE("a value type without copy is refused", "[any_storage]") {
    TypeDescriptor type = int_type;
    type.copy = nullptr;
    REQUIRE(says(complaint([&] { AnyMapStorage map(int_type, type); }), "value: copy must be given"));
    AnyMapStorage fine(int_type, TypeDescriptor{.size = 4, .align = 4, .copy = int_type.copy});
    REQUIRE(fine.empty());
}

TEST_CASE("a value type without default value is inserted with values only, and the failed insert has no effect",
          "[any_storage]") {
    NothingLeaks objects;
    TypeDescriptor type = described<Tracked>();
    type.construct = nullptr;
    DeferredMap map(described<Tracked>(), type);
    const Tracked one(1), two(2);
    REQUIRE(map.insert(&one, &one).inserted);
    REQUIRE(says(complaint([&] { map.insert(&two, nullptr); }), "no default value"));
    REQUIRE(map.size() == 1);
    REQUIRE_FALSE(map.contains(&two));
    REQUIRE(map.check_invariants());
    REQUIRE_FALSE(map.insert(&one, nullptr).inserted); // nothing is made of it
    REQUIRE(map.insert(&two, &two).inserted);
    map.erase(&two);
    REQUIRE(says(complaint([&] { map.insert(&two, nullptr); }), "no default value"));
    REQUIRE_FALSE(map.contains(&two));
    REQUIRE(map.size() == 1);
    REQUIRE(map.check_invariants());
    REQUIRE(map.insert(&two, &one).inserted);
    REQUIRE(map.check_invariants());
}

TEST_CASE("insert_or_assign needs assign only where there is something to assign to", "[any_storage]") {
    TypeDescriptor type = int_type;
    type.assign = nullptr;
    AnyMapStorage map(int_type, type);
    const int key = 1, value = 2, other = 3;
    REQUIRE(map.insert_or_assign(&key, &value).inserted);
    REQUIRE(says(complaint([&] { map.insert_or_assign(&key, &other); }), "TypeDescriptor::assign"));
    REQUIRE(as_int(map.at(&key)) == 2);
    REQUIRE(map.erase(&key));
    REQUIRE(map.insert_or_assign(&key, &other).inserted);
    REQUIRE(as_int(map.at(&key)) == 3);
}

TEST_CASE("keys and values without move are copied when they are given as ones to move from", "[any_storage]") {
    Records::alive = 0;
    const TypeDescriptor record = Records::type();
    {
        AnyMapStorage map(record, record);
        Records::Layout key{1, "key"}, value{2, "value"};
        REQUIRE(map.insert_moved(&key, &value).inserted);
        REQUIRE(key.id == 1);
        REQUIRE(static_cast<const Records::Layout*>(map.at(&key))->id == 2);
        REQUIRE(Records::alive == 2);
    }
    REQUIRE(Records::alive == 0);
}

TEST_CASE("keys without move are copied where elements must go to other memory", "[any_storage]") {
    EveryByteReturned bytes;
    Records::alive = 0;
    const TypeDescriptor record = Records::type();
    {
        BasicAnySetStorage<AllocBy<Memory>> set(record, Memory(1));
        for (std::int32_t i = 0; i != 100; ++i) {
            const Records::Layout key{i, "key"};
            set.insert(&key);
        }
        BasicAnySetStorage<AllocBy<Memory>> moved(std::move(set), Memory(2));
        REQUIRE(moved.size() == 100);
        REQUIRE(moved.check_invariants());
        REQUIRE(set.empty()); // NOLINT(bugprone-use-after-move)
        REQUIRE(Records::alive == 100);
    }
    REQUIRE(Records::alive == 0);
}

//=== addresses into the container itself ===//

TEST_CASE("a described container takes addresses of its own keys and values", "[any_storage]") {
    AnyMapStorage map(int_type, string_type);
    for (int i = 0; i != 1000; ++i) {
        const auto text = make_key<std::string>(i);
        if (i == 0)
            map.insert(&i, &text);
        else {
            const int before = i - 1;
            map.insert(&i, map.at(&before)); // growing among it
        }
    }
    const int last = 999;
    REQUIRE(as_string(map.at(&last)) == make_key<std::string>(0));
    const int key = 5;
    REQUIRE_FALSE(map.insert_or_assign(&key, map.at(&key)).inserted); // to itself
    REQUIRE(as_string(map.at(&key)) == make_key<std::string>(0));
    const void* const own = map.key(map.slot_of(&key));
    REQUIRE_FALSE(map.insert(own, nullptr).inserted);
    REQUIRE(map.erase(own)); // the very key that goes
    REQUIRE_FALSE(map.contains(&key));
    REQUIRE(map.check_invariants());
}

TEST_CASE("a described value is never assigned to itself", "[any_storage]") {
    // Operations by hand are often memcpy, which may not overlap.
    static int same = 0;
    TypeDescriptor type = int_type;
    type.assign = [](void* to, const void* from) {
        same += to == from;
        *static_cast<int*>(to) = as_int(from);
    };
    AnyMapStorage map(int_type, type);
    const int key = 1, value = 2;
    map.insert(&key, &value);
    REQUIRE_FALSE(map.insert_or_assign(&key, map.at(&key)).inserted);
    REQUIRE_FALSE(map.insert_or_assign(&key, &key).inserted);
    REQUIRE(same == 0);
    REQUIRE(as_int(map.at(&key)) == 1);
}

TEST_CASE("the old value of a removed described element may be its new one", "[any_storage]") {
    NothingLeaks objects;
    DeferredMap map(described<Tracked>(), described<Tracked>());
    const Tracked key(1), value(10);
    const slot_t slot = map.insert(&key, &value).it.slot();
    map.erase(&key);
    const auto again = map.insert(map.key(slot), map.value(slot));
    REQUIRE(again.kind == InsertKind::resurrected);
    REQUIRE(again.it.slot() == slot);
    REQUIRE(static_cast<const Tracked*>(map.at(&key))->value() == 10);
    REQUIRE(map.check_invariants());
}

//=== deferred erase ===//

TEST_CASE("removed described elements stay readable until the flush and live again in their slot", "[any_storage]") {
    NothingLeaks objects;
    DeferredMap map(described<Tracked>(), described<Tracked>());
    for (int i = 0; i != 10; ++i) {
        const Tracked key(i), value(10 * i);
        map.insert(&key, &value);
    }
    const Tracked three(3), four(4), fresh(33);
    const auto handle = map.handle_of(&three);
    const slot_t slot = map.slot_of(&three);
    const void* const place = map.value(slot);
    REQUIRE(map.remove(handle));
    REQUIRE(map.erase(&four));
    REQUIRE(map.pending() == 2);
    REQUIRE(map.size() == 8);
    REQUIRE_FALSE(map.contains(&three));
    REQUIRE(map.state(slot) == SlotState::pending);
    REQUIRE(map.explain(handle) == HandleStatus::pending);
    REQUIRE(map.slot_of_any(&three) == slot);
    REQUIRE(static_cast<const Tracked*>(map.key(slot))->value() == 3);
    REQUIRE(static_cast<const Tracked*>(map.value(slot))->value() == 30);
    REQUIRE(map.check_invariants());

    const auto again = map.insert(&three, &fresh);
    REQUIRE(again.inserted);
    REQUIRE(again.kind == InsertKind::resurrected);
    REQUIRE(again.it.slot() == slot);
    REQUIRE(map.value(slot) == place);
    REQUIRE(static_cast<const Tracked*>(place)->value() == 33);
    REQUIRE_FALSE(map.contains(handle));
    REQUIRE(map.pending() == 1);
    REQUIRE(objects.alive() == 23);

    std::vector<slot_t> order;
    map.erase(&three);
    map.for_each_pending([&](slot_t each) { order.push_back(each); });
    REQUIRE(order == std::vector<slot_t>{4, 3}); // by when they were removed
    map.flush_removed();
    REQUIRE(map.pending() == 0);
    REQUIRE(map.state(slot) == SlotState::free);
    REQUIRE(objects.alive() == 3 + 2 * 8);
    map.clear();
    REQUIRE(map.pending() == 8);
    REQUIRE(map.insert(&fresh, &fresh).it.slot() >= 3); // no slot is taken before the flush but free ones
    map.reset();
    REQUIRE(map.pending() == 0);
    REQUIRE(map.capacity() == 0);
    REQUIRE(objects.alive() == 3);
    REQUIRE(map.check_invariants());
}

//=== whole containers ===//

TEST_CASE("assignment brings the types of its source along", "[any_storage]") {
    AnyMapStorage numbers(int_type, int_type), names(string_type, string_type);
    const int one = 1;
    const std::string text = make_key<std::string>(1);
    numbers.insert(&one, &one);
    names.insert(&text, &text);
    numbers = names;
    REQUIRE(&numbers.key_type() == &string_type);
    REQUIRE(&numbers.value_type() == &string_type);
    REQUIRE(numbers == names);
    AnyMapStorage other(int_type, int_type);
    other.insert(&one, &one);
    swap(other, names);
    REQUIRE(as_int(names.at(&one)) == 1);
    REQUIRE(as_string(other.at(&text)) == text);
    names = std::move(other);
    REQUIRE(as_string(names.at(&text)) == text);
    REQUIRE((numbers.check_invariants() && names.check_invariants()));
}

TEST_CASE("described containers are equal when they have the same keys, values and types", "[any_storage]") {
    AnyMapStorage a(int_type, int_type), b(int_type, int_type);
    for (int i = 0; i != 10; ++i) {
        const int j = 9 - i;
        a.insert(&i, &i);
        b.insert(&j, &j);
    }
    REQUIRE(a == b);
    const int three = 3, four = 4;
    b.insert_or_assign(&three, &four);
    REQUIRE_FALSE(a == b);
    b.erase(&three);
    REQUIRE_FALSE(a == b);
    const TypeDescriptor again = int_type; // of the same C++ type, as another shared library describes it
    TypeDescriptor other_type = int_type;
    other_type.id = TypeDescriptor::id_of<unsigned>();
    AnySetStorage set(int_type), same(int_type), other(other_type);
    set.insert(&three), same.insert(&three), other.insert(&three);
    REQUIRE(set == same);
    REQUIRE_FALSE(set == other); // of another type
    AnySetStorage elsewhere(again);
    elsewhere.insert(&three);
    REQUIRE(set == elsewhere);
    REQUIRE_FALSE(set == AnySetStorage(int_type));
    AnyMapStorage other_keys(other_type, int_type), other_values(int_type, other_type);
    for (int i = 0; i != 10; ++i) {
        other_keys.insert(&i, &i);
        other_values.insert(&i, &i);
    }
    REQUIRE_FALSE(a == other_keys);
    REQUIRE_FALSE(a == other_values);
    REQUIRE(AnySetStorage(int_type) == AnySetStorage(int_type));
    AnySetStorage fours(int_type);
    fours.insert(&four);
    REQUIRE_FALSE(set == fours); // as many others
    swap(set, fours);
    REQUIRE((set.contains(&four) && fours == same));
}

TEST_CASE("reserve, shrink_to_fit and reset of described containers", "[any_storage]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    using Map = BasicAnyMapStorage<AllocBy<Memory>>;
    Map map(described<Tracked>(), described<OverAligned<64>>(), Memory(3));
    map.reserve(1000);
    REQUIRE(map.capacity() >= 1000);
    const auto allocations = Ledger::allocations();
    for (int i = 0; i != 1000; ++i) {
        const Tracked key(i);
        const OverAligned<64> value(i);
        map.insert(&key, &value);
    }
    REQUIRE(Ledger::allocations() == allocations);
    if constexpr (Map::max_size() != static_cast<std::size_t>(-1))
        REQUIRE_THROWS_AS(map.reserve(Map::max_size() + 1), std::length_error);
    const Tracked five(5), gone(900);
    const auto kept = map.handle_of(&five), stale = map.handle_of(&gone);
    for (int i = 6; i != 1000; ++i) {
        const Tracked key(i);
        map.erase(&key);
    }
    const auto before = bytes.live_bytes();
    const auto room = map.capacity();
    map.shrink_to_fit();
    REQUIRE(map.capacity() <= room);
    REQUIRE(bytes.live_bytes() <= before);
    REQUIRE(map.contains(kept));
    REQUIRE_FALSE(map.contains(stale));
    REQUIRE(map.check_invariants());
    for (int i = 6; i != 2000; ++i) {
        const Tracked key(i);
        map.insert(&key, nullptr);
    }
    REQUIRE_FALSE(map.contains(stale));
    REQUIRE(map.check_invariants());
    map.reset();
    REQUIRE(objects.alive() == 2);
    REQUIRE(map.capacity() == 0);
    REQUIRE_FALSE(map.contains(kept));
    REQUIRE(map.insert(&five, nullptr).inserted);
    REQUIRE_FALSE(map.contains(kept));
    REQUIRE(map.check_invariants());
}

TEST_CASE("a described map uses fancy pointers only to allocate", "[any_storage]") {
    NothingLeaks objects;
    EveryByteReturned bytes;
    BasicAnyMapStorage<AllocBy<FancyAllocator<std::byte>>> map(described<Tracked>(), described<OverAligned<64>>());
    for (int i = 0; i != 300; ++i) {
        const Tracked key(i);
        map.insert(&key, nullptr);
    }
    auto copy = map;
    REQUIRE(copy == map);
    map.clear();
    map.shrink_to_fit();
    REQUIRE(copy.size() == 300);
    REQUIRE(map.check_invariants());
}

//=== observers ===//
