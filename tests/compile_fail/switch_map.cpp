// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/sparse/switch_map.hpp>

using namespace slotwise;

//=== of_signed_ids ===//
// expect: the first argument is an id
SwitchMap<unsigned, int> map;
SwitchMap<int, int> other; // faulty

//=== values_whose_move_throws ===//
// expect: whose move constructor does not throw
struct Copied {
    int number = 0;
    Copied() = default;
    Copied(const Copied& other) : number(other.number) {}
    friend bool operator==(const Copied&, const Copied&) = default;
};
struct Hash {
    std::size_t operator()(const Copied& value) const noexcept { return static_cast<std::size_t>(value.number); }
};

SwitchMap<unsigned, int> map;
SwitchMap<unsigned, Copied, HashBy<Hash>> other; // faulty

//=== hash_whose_copy_throws ===//
// expect: the copy constructors of HashBy<H> and EqualBy<E> must not throw
struct Hash {
    Hash() = default;
    Hash(const Hash&) {}
    std::size_t operator()(int value) const noexcept { return static_cast<std::size_t>(value); }
};

SwitchMap<unsigned, int> map;
SwitchMap<unsigned, int, HashBy<Hash>> other; // faulty

//=== made_without_its_hash ===//
// expect: is_default_constructible
struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int value) const noexcept { return static_cast<std::size_t>(value); }
};

SwitchMap<unsigned, int, HashBy<Hash>> map(Hash(1));
SwitchMap<unsigned, int, HashBy<Hash>> other; // faulty

//=== made_of_an_allocator_without_its_hash ===//
// expect: is_default_constructible
struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int value) const noexcept { return static_cast<std::size_t>(value); }
};

SwitchMap<unsigned, int> map((std::allocator<std::byte>()));
SwitchMap<unsigned, int, HashBy<Hash>> other((std::allocator<std::byte>())); // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SwitchMap<unsigned, int> map;
SwitchMap<unsigned, const int> constants; // faulty
constants.set(1u, 2);                     // faulty
static_cast<void>(map);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
SwitchMap<unsigned, int> map;
SwitchMap<unsigned&, int> references;  // faulty
static_cast<void>(references.get(1u)); // faulty
static_cast<void>(map);
