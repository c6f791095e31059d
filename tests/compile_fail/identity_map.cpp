// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/identity_map.hpp>

using namespace slotwise;

//=== made_without_its_hash ===//
// expect: is_default_constructible
struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

IdentityMap<int, Handle<int>, HashBy<Hash>> map(Hash(1));
IdentityMap<int, Handle<int>, HashBy<Hash>> other; // faulty

//=== of_no_handles ===//
// expect: the second argument is a slot map's handle_type
IdentityMap<int, Handle<int>> map;
IdentityMap<int, int> other; // faulty

//=== equal_ids_that_have_no_equality ===//
// expect: equality_comparable
struct Id {
    int number = 0;
};
struct Hash {
    std::size_t operator()(const Id& id) const noexcept { return static_cast<std::size_t>(id.number); }
};
struct Same {
    bool operator()(const Id& a, const Id& b) const noexcept { return a.number == b.number; }
};

IdentityMap<Id, Handle<int>, HashBy<Hash>, EqualBy<Same>> a, b;
static_cast<void>(a.size());
static_cast<void>(a == b); // faulty

//=== ids_that_cannot_be_stored ===//
// expect: Id must be a non-const object type whose destructor does not throw
struct ThrowingEnd {
    int id = 0;
    ~ThrowingEnd() noexcept(false) {}
    friend bool operator==(const ThrowingEnd&, const ThrowingEnd&) = default;
};
struct Hash {
    std::size_t operator()(const ThrowingEnd& key) const noexcept { return static_cast<std::size_t>(key.id); }
};

IdentityMap<int, Handle<int>> map;
IdentityMap<ThrowingEnd, Handle<int>, HashBy<Hash>> other; // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
IdentityMap<int, Handle<int>> map;
IdentityMap<const int, Handle<int>> constants; // faulty
static_cast<void>(constants);                  // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
IdentityMap<int, Handle<int>> map;
IdentityMap<int&, Handle<int>> references; // faulty
static_cast<void>(references);             // faulty
static_cast<void>(map);
