// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"

#include <slotwise/map/handle_pool.hpp>

using namespace slotwise;

//=== pages_of_a_pool ===//
// expect: page_slots is for SlotMap
struct Body;
constexpr SlotMapOptions plain{}, paged{.page_slots = 64};
HandlePool<Body, Options<plain>> pool;
HandlePool<Body, Options<paged>> other; // faulty

//=== zero_vacant_without_values ===//
// expect: zero_vacant is for SlotMap
struct Body;
constexpr SlotMapOptions plain{}, zeroing{.zero_vacant = true};
HandlePool<Body, Options<plain>> pool;
HandlePool<Body, Options<zeroing>> other; // faulty

//=== handle_of_another_pool ===//
// expect: no matching || cannot convert || no viable || could not convert || no known conversion
struct Body;
struct Joint;
HandlePool<Body> bodies;
HandlePool<Joint> joints;
const auto body = bodies.create();
bodies.erase(body);
joints.erase(body); // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
int memory = 0;
HandlePool<int, AllocBy<test::Arena<std::byte>>> pool(test::Arena<std::byte>{&memory});
HandlePool<int, AllocBy<test::Arena<std::byte>>> other; // faulty
