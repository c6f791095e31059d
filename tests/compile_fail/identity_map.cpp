// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/map/identity_map.hpp>

using namespace slotwise;

//=== made_without_its_hash ===//
// expect: is_default_constructible
// covers: map/identity_map.hpp requires "std::is_default_constructible_v<Hash>"
struct Hash {
    explicit Hash(int) {}
    std::size_t operator()(int key) const noexcept { return static_cast<std::size_t>(key); }
};

IdentityMap<int, Handle<int>, HashBy<Hash>> map(Hash(1));
IdentityMap<int, Handle<int>, HashBy<Hash>> other; // faulty

//=== of_no_handles ===//
// expect: the second argument is a slot map's handle_type
// covers: map/identity_map.hpp static_assert "the second argument is"
IdentityMap<int, Handle<int>> map;
IdentityMap<int, int> other; // faulty
