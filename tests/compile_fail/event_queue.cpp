// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include "arena.hpp"
#include "fixed.hpp"

#include <slotwise/ecs/event_queue.hpp>

using namespace slotwise;
using test::Arena;
using test::Fixed;

//=== const_events ===//
// expect: E is an object type without const and volatile
EventQueue<int> queue;
EventQueue<const int> other; // faulty

//=== made_without_its_allocator ===//
// expect: is_default_constructible
EventQueue<int, AllocBy<Arena<int>>> queue(Arena<int>(nullptr));
EventQueue<int, AllocBy<Arena<int>>> other; // faulty

//=== copies_of_what_cannot_be_copied ===//
// expect: cannot bind || deleted || no matching || constraints not satisfied
EventQueue<Fixed> queue;

queue.emplace(1);
EventQueue<Fixed> other(queue); // faulty

//=== memory_of_another_allocator_for_what_cannot_move ===//
// expect: can_change_memory || constraints not satisfied
template <class T>
struct Pool {
    using value_type = T;
    int number = 0;
    Pool() = default;
    template <class U>
    Pool(const Pool<U>& other) : number(other.number) {}
    T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
    friend bool operator==(const Pool&, const Pool&) = default;
};

EventQueue<Fixed, AllocBy<Pool<Fixed>>> a, b;
a.emplace(1);
a.swap(b); // faulty

//=== pushes_what_cannot_move ===//
// expect: no matching || constraints not satisfied
EventQueue<Fixed> queue;

queue.emplace(1);
queue.push(Fixed(2)); // faulty

//=== built_of_what_it_is_not_built_of ===//
// expect: is_constructible || no matching
EventQueue<Fixed> queue;

queue.emplace(1);
queue.emplace("one"); // faulty
