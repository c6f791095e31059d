// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SetStorage: construction, lookup, capacity. What concerns single elements is in set_storage_elements.cpp, and two sets in
// set_storage_relations.cpp.
#include "keys.hpp"
#include "support/allocators.hpp"
#include "support/catch.hpp"
#include "support/death.hpp"

#include <functional>
#include <list>
#include <memory_resource>
#include <stdexcept>
#include <string>

namespace {

using namespace test;

/// Two numbers are one key when they leave the same remainder. Both functors have state.
struct RemainderHash {
    unsigned divisor = 10;
    std::size_t operator()(unsigned key) const noexcept { return key % divisor; }
};
struct RemainderEqual {
    unsigned divisor = 10;
    bool operator()(unsigned a, unsigned b) const noexcept { return a % divisor == b % divisor; }
};
using RemainderSet = SetStorage<unsigned, HashBy<RemainderHash>, EqualBy<RemainderEqual>>;

/// A string that counts how often one is made of a view.
struct Name {
    static inline int made = 0;
    std::string text;
    explicit Name(std::string_view view) : text(view) { ++made; }
    friend bool operator==(const Name& a, const Name& b) noexcept { return a.text == b.text; }
    friend bool operator==(const Name& a, std::string_view b) noexcept { return a.text == b; }
};
struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view view) const noexcept { return std::hash<std::string_view>{}(view); }
    std::size_t operator()(const Name& name) const noexcept { return (*this)(std::string_view(name.text)); }
};

} // namespace

//=== construction ===//

TEST_CASE("a new key set is empty and has no memory", "[set_storage]") {
    const EveryByteReturned bytes;
    const std::size_t before = Ledger::allocations();
    SetStorage<int, AllocBy<StatefulAllocator<int>>> set;
    REQUIRE(Ledger::allocations() == before);
    REQUIRE(set.empty());
    REQUIRE(set.size() == 0);
    REQUIRE(set.capacity() == 0);
    REQUIRE(set.begin() == set.end());
    REQUIRE(set.cbegin() == set.cend());
    REQUIRE(set.find(1) == set.end());
    REQUIRE_FALSE(set.contains(1));
    REQUIRE(set.slot_of(1) == no_slot);
    REQUIRE(set.slot_of_any(1) == no_slot);
    REQUIRE(set.handle_of(1).is_null());
    REQUIRE(set.handle_at(0).is_null());
    REQUIRE(set.state(0) == SlotState::free);
    REQUIRE(set.slots().empty());
    REQUIRE(set.keys().slot_end() == 0);
    REQUIRE_FALSE(set.erase(1));
    REQUIRE_FALSE(set.extract(1).has_value());
    REQUIRE(set.erase_if([](int) { return true; }) == 0);
    set.clear();
    set.reset();
    set.shrink_to_fit();
    REQUIRE(set.pending() == 0);
    REQUIRE(set.retired() == 0);
    REQUIRE(set.recycle_retired() == 0);
    REQUIRE(set == decltype(set)());
    REQUIRE(set.check_invariants());
    REQUIRE(Ledger::allocations() == before);
}

TEST_CASE("a key set is made of a list or a range, each key once, slots in the order given", "[set_storage]") {
    const SetStorage<int> list{5, 3, 5, 9, 3};
    REQUIRE(numbers(list) == std::vector{5, 3, 9});
    REQUIRE(list.slot_of(5) == 0);
    REQUIRE(list.slot_of(3) == 1);
    REQUIRE(list.slot_of(9) == 2);
    const std::list<int> linked{5, 3, 5, 9, 3};
    const SetStorage<int> range(linked.begin(), linked.end());
    REQUIRE(range == list);
    REQUIRE(range.check_invariants());
    const SetStorage<std::string> names{"ada", "grace"}; // not a pair of iterators
    REQUIRE(names.size() == 2);
    REQUIRE(names.contains("grace"));
    const SetStorage<int> base{1, 2};
    REQUIRE(base.size() == 2);
}

TEST_CASE("a key set keeps the allocator it was made with", "[set_storage]") {
    const EveryByteReturned bytes;
    using Alloc = StatefulAllocator<std::string>;
    using Set = SetStorage<std::string, AllocBy<Alloc>>;
    Set set(Alloc(7));
    REQUIRE(set.get_allocator().id() == 7);
    for (int i = 0; i != 100; ++i) set.insert(make_key<std::string>(i));
    REQUIRE(Ledger::live_bytes(7) == bytes.live_bytes());
    REQUIRE(Ledger::live_bytes(7) != 0);
    const std::vector<std::string> some{"a", "b"};
    REQUIRE(Set(some.begin(), some.end(), Alloc(8)).get_allocator().id() == 8);
    REQUIRE(Set({"a", "b"}, Alloc(9)).get_allocator().id() == 9);
    REQUIRE(Set({}, {}, Alloc(10)).get_allocator().id() == 10);
    REQUIRE(Set(set).get_allocator().id() == 7 + Alloc::copied_by);
    REQUIRE(Set(set, Alloc(11)).get_allocator().id() == 11);
    const Set moved(std::move(set), Alloc(12));
    REQUIRE(moved.get_allocator().id() == 12);
    REQUIRE(moved.size() == 100);
    REQUIRE(moved.check_invariants());
    REQUIRE(set.empty()); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    REQUIRE(set.insert("again").inserted);
    REQUIRE(set.check_invariants());
}

TEST_CASE("hash and equality with state decide what one key is, and go along with copy, move and swap", "[set_storage]") {
    RemainderSet tens(RemainderHash{10}, RemainderEqual{10}), sevens(RemainderHash{7}, RemainderEqual{7});
    REQUIRE(tens.hash_function().divisor == 10);
    REQUIRE(sevens.key_eq().divisor == 7);
    for (unsigned i = 0; i != 100; ++i) {
        tens.insert(i);
        sevens.insert(i);
    }
    REQUIRE(tens.size() == 10);
    REQUIRE(sevens.size() == 7);
    REQUIRE(tens.contains(123u));
    REQUIRE(*tens.find(123u) == 3);
    const RemainderSet copy(sevens);
    REQUIRE(copy.hash_function().divisor == 7);
    REQUIRE_FALSE(RemainderSet(copy).insert(70u).inserted);
    swap(tens, sevens);
    REQUIRE(tens.size() == 7);
    REQUIRE(tens.key_eq().divisor == 7);
    REQUIRE(sevens.slot_of(17u) == 7);
    tens = sevens;
    REQUIRE(tens.hash_function().divisor == 10);
    REQUIRE(tens.size() == 10);
    RemainderSet moved(std::move(sevens));
    REQUIRE(moved.hash_function().divisor == 10);
    REQUIRE(moved.contains(44u));
    tens.clear();
    tens = std::move(moved);
    REQUIRE(tens.size() == 10);
    for (const RemainderSet& set : {std::cref(tens), std::cref(copy), std::cref(sevens)}) REQUIRE(set.check_invariants());
}

//=== insert and lookup ===//

TEST_CASE("insert says where the key is and whether it is new", "[set_storage]") {
    KeySet<int> set;
    const int lvalue = 8;
    const auto first = set.insert(lvalue);
    REQUIRE(first.inserted);
    REQUIRE(first.kind == InsertKind::fresh);
    REQUIRE(set.key(first.it.slot()) == 8);
    const auto again = set.insert(8);
    REQUIRE_FALSE(again.inserted);
    REQUIRE(again.it.slot() == first.it.slot());
    const auto [it, inserted] = set.emplace(9);
    REQUIRE((inserted && *it == 9 && it.handle() == set.handle_of(9)));
    REQUIRE(it.slot() != first.it.slot());
    REQUIRE_FALSE(set.emplace(9).inserted);
    REQUIRE(set.emplace().inserted); // int()
    REQUIRE(set.contains(0));
    REQUIRE(set.size() == 3);
    REQUIRE(set.check_invariants());
}

TEST_CASE("every way to ask for a key agrees, for members and for others", "[set_storage]") {
    SetOf<Tracked, small_pages> set;
    for (int i = 0; i < 1000; i += 2) set.insert(Tracked(i));
    for (int i = 0; i != 1000; ++i) {
        const Tracked key(i);
        const bool member = i % 2 == 0;
        REQUIRE(set.contains(key) == member);
        REQUIRE(set.contains(i) == member); // transparent
        REQUIRE((set.find(key) != set.end()) == member);
        REQUIRE((set.slot_of(key) != no_slot) == member);
        REQUIRE(set.slot_of_any(key) == set.slot_of(key));
        REQUIRE(set.handle_of(key).is_null() == !member);
        if (!member) continue;
        const auto it = set.find(key);
        const slot_t slot = set.slot_of(key);
        REQUIRE(it->value() == i);
        REQUIRE(it.slot() == slot);
        REQUIRE(it.handle() == set.handle_of(key));
        REQUIRE(set.handle_at(slot) == it.handle());
        REQUIRE(it.handle().index() == slot);
        REQUIRE(&*it == &set.key(slot));
        REQUIRE(set.key(it.handle()) == &set.key(slot));
        REQUIRE((&set[it.handle()] == &set.key(slot) && &set.at(it.handle()) == &set.key(slot)));
        REQUIRE(set.contains(it.handle()));
        REQUIRE(set.state(slot) == SlotState::live);
        REQUIRE(set.explain(it.handle()) == HandleStatus::live);
    }
    REQUIRE_THROWS_AS(set.at(decltype(set)::handle_type()), std::out_of_range);
}

TEST_CASE("strings are looked up and erased by views and literals; a string is made only of a new key", "[set_storage]") {
    SetStorage<Name, HashBy<NameHash>> set;
    using namespace std::string_view_literals;
    Name::made = 0;
    REQUIRE(set.insert("kestrel"sv).inserted);
    REQUIRE(Name::made == 1);
    REQUIRE_FALSE(set.insert("kestrel"sv).inserted);
    REQUIRE_FALSE(set.insert("kestrel").inserted); // an array of char
    REQUIRE(set.contains("kestrel"sv));
    REQUIRE(set.contains("kestrel"));
    REQUIRE(set.find("kestrel")->text == "kestrel");
    REQUIRE(set.slot_of("kestrel"sv) == 0);
    REQUIRE(set.slot_of_any("kestrel"sv) == 0);
    REQUIRE(set.handle_of(static_cast<const char*>("kestrel")) == set.handle_at(0));
    REQUIRE_FALSE(set.erase("falcon"));
    REQUIRE_FALSE(set.extract("falcon").has_value());
    REQUIRE(Name::made == 1);
    REQUIRE(set.insert("falcon").inserted);
    REQUIRE(set.extract("falcon"sv)->text == "falcon");
    REQUIRE(set.erase("kestrel"));
    REQUIRE(Name::made == 2);
    REQUIRE(set.empty());
    REQUIRE(set.check_invariants());

    SetStorage<std::string> plain{"one", "two"};
    const char* const one = "one";
    REQUIRE(plain.contains(one));
    REQUIRE(plain.contains("two"sv));
    REQUIRE(plain.contains(std::string("two")));
    REQUIRE_FALSE(plain.insert("one"sv).inserted);
    REQUIRE(plain.insert("three"sv).inserted);
    REQUIRE(plain.erase(one));
    REQUIRE(plain.size() == 2);
}

TEST_CASE("without transparent functors what converts to a key may be asked", "[set_storage]") {
    KeySet<long> set;
    set.insert(5);
    REQUIRE(set.contains(5));
    REQUIRE(set.contains(short{5}));
    REQUIRE(set.find(6) == set.end());
    REQUIRE(set.erase(5));
    REQUIRE(set.empty());
}

//=== capacity ===//

TEST_CASE("shrink_to_fit keeps what is below the highest live slot", "[set_storage]") {
    SetOf<int, small_pages> set;
    for (int i = 0; i != 10'000; ++i) set.insert(i);
    const auto most = set.capacity();
    const auto kept = set.handle_of(100);
    for (int i = 0; i != 10'000; ++i)
        if (i != 100) set.erase(i);
    set.shrink_to_fit();
    REQUIRE(set.capacity() < most / 10);
    REQUIRE(set.capacity() > 100);
    REQUIRE(*set.key(kept) == 100);
    REQUIRE(set.check_invariants());
    for (int i = 0; i != 10'000; ++i) set.insert(i);
    REQUIRE(set.size() == 10'000);
    REQUIRE(set.check_invariants());
}

//=== preconditions ===//

TEST_CASE("asking for the key of a slot without one, and erasing the end, stop the program", "[set_storage]") {
    SetOf<int> set{1, 2};
    set.erase(1);
    REQUIRE(dies_saying("no key is there", [&] { static_cast<void>(set.key(slot_t{0})); }));
    REQUIRE(dies_saying("no key is there", [&] { static_cast<void>(set.key(slot_t{1000})); }));
    REQUIRE(dies_saying("was erased, or it is the end", [&] { set.erase(set.end()); }));
}

TEST_CASE("sets of strings find what converts to their view, and strings with another allocator", "[keyed]") {
    struct Name {
        std::string text;
        operator std::string_view() const { return text; }
    };
    SetStorage<std::string> names{"Ada"};
    CHECK((names.contains(Name{"Ada"}) && !names.contains(Name{"Bob"})));
    CHECK((names.contains(std::pmr::string("Ada")) && !names.contains(std::pmr::string("Bob"))));
    SetStorage<std::pmr::string> others;
    const std::string ada = "Ada";
    CHECK((others.insert(ada).inserted && !others.insert(ada).inserted && others.contains(ada) && others.erase(ada) == 1));
}
