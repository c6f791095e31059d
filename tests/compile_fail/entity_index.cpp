// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/sparse/entity_index.hpp>

#include <string>

using namespace slotwise;

//=== of_numbers ===//
// expect: Entity is a Handle<Tag, layout>
EntityIndex<Handle<int>, int> index;
EntityIndex<unsigned, int> other; // faulty

//=== location_with_a_destructor ===//
// expect: Location is trivially copyable
EntityIndex<Handle<int>, int> index;
EntityIndex<Handle<int>, std::string> other; // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
template <class T>
struct Arena : std::allocator<T> {
    explicit Arena(int) {}
    template <class U>
    Arena(const Arena<U>&) {}
    template <class U>
    struct rebind {
        using other = Arena<U>;
    };
};

EntityIndex<Handle<int>, int, AllocBy<Arena<int>>> index(Arena<int>(1));
EntityIndex<Handle<int>, int, AllocBy<Arena<int>>> other; // faulty

//=== locations_that_do_not_compare ===//
// expect: ==
struct Place {
    int row = 0;
};

EntityIndex<Handle<int>, Place> a, b;
const bool empty = a.empty() && b.empty();
const bool equal = a == b; // faulty

//=== elements_that_are_const ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
EntityIndex<Handle<int>, int> index;
EntityIndex<Handle<int>, const int> constants; // faulty
static_cast<void>(constants.create());         // faulty
static_cast<void>(index);

//=== elements_that_are_references ===//
// expect: container: keys and elements are plain objects, not const, volatile or references
// lines: 20
EntityIndex<Handle<int>, int> index;
EntityIndex<Handle<int>, int&> references; // faulty
static_cast<void>(references.size());      // faulty
static_cast<void>(index);
