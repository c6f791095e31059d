// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers that live for a frame, in an arena that is emptied after it: with an allocator of one's own, and with the pmr
// aliases. Counts every call of the global operator new: the frames make none.

#include "arena.hpp"
#include "heap.hpp"

#include <slotwise/map/pmr.hpp>
#include <slotwise/map/secondary_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/soa_slot_map.hpp>

#include <array>
#include <iostream>
#include <memory_resource>
#include <string_view>

namespace {

using engine::ArenaAllocator;
using engine::FrameArena;
using engine::heap_calls;

struct Contact {
    int a = 0, b = 0, depth = 0;
};
struct Position {
    int x = 0, y = 0;
};
struct Weight {
    int grams = 0;
};
using Contacts = slotwise::SlotMap<Contact, slotwise::AllocBy<ArenaAllocator<Contact>>>;
// Not attached to the contacts: it asks each handle's version itself. (attach_to() takes two small blocks from the global
// heap.)
using Impulses = slotwise::SecondaryMap<Contacts::handle_type, int, slotwise::AllocBy<ArenaAllocator<int>>>;
// The columns' types come last, so options and allocator are never left out here.
using Debris = slotwise::BasicSoaSlotMap<slotwise::Members<Position, Weight>, slotwise::AllocBy<ArenaAllocator<std::byte>>>;

constexpr int frames = 100, contacts_in_a_frame = 500;

int failed = 0;
void check(bool holds, std::string_view promise) {
    std::cout << (holds ? "  holds   " : "  FAILED  ") << promise << '\n';
    failed += !holds;
}

/// What a physics step keeps for itself: who touches whom, what that does to them, what flies off.
template <class ContactMap, class ImpulseMap, class DebrisMap>
long work(int frame, ContactMap& contacts, ImpulseMap& impulses, DebrisMap& debris) {
    contacts.reserve(contacts_in_a_frame); // an arena takes no memory back: growing step by step would use twice as much of it
    debris.reserve(contacts_in_a_frame);
    for (int i = 0; i != contacts_in_a_frame; ++i) {
        const auto contact = contacts.insert({i, i + 1, (i * 7 + frame) % 10});
        if (i % 3 == 0) impulses.insert(contact, i);
        debris.insert(Position{i, frame}, Weight{i});
    }
    contacts.erase_if([](const Contact& contact) { return contact.depth < 5; });
    long sum = 0;
    for (const auto [contact, impulse] : impulses) sum += contacts.contains(contact) ? impulse : 0;
    for (const Weight& weight : debris.template column<Weight>()) sum += weight.grams;
    return sum;
}

} // namespace

int main() {
    FrameArena arena(std::size_t{256} * 1024);
    long by_arena = 0, by_pmr = 0, by_heap = 0;

    std::size_t before = heap_calls();
    bool emptied = true;
    for (int frame = 0; frame != frames; ++frame) {
        {
            Contacts contacts(arena);
            Impulses impulses(arena);
            Debris debris(arena);
            by_arena += work(frame, contacts, impulses, debris);
        }
        emptied = emptied && arena.reset();
    }
    const std::size_t arena_calls = heap_calls() - before;

    std::array<std::byte, std::size_t{256} * 1024> buffer;
    before = heap_calls();
    for (int frame = 0; frame != frames; ++frame) {
        std::pmr::monotonic_buffer_resource resource(buffer.data(), buffer.size(), std::pmr::null_memory_resource());
        slotwise::pmr::SlotMap<Contact> contacts(&resource);
        slotwise::pmr::SecondaryMap<decltype(contacts)::handle_type, int> impulses(&resource);
        slotwise::pmr::SoaSlotMap<Position, Weight> debris(&resource);
        by_pmr += work(frame, contacts, impulses, debris);
    }
    const std::size_t pmr_calls = heap_calls() - before;

    before = heap_calls();
    for (int frame = 0; frame != frames; ++frame) {
        slotwise::SlotMap<Contact> contacts;
        slotwise::SecondaryMap<decltype(contacts)::handle_type, int> impulses;
        slotwise::SoaSlotMap<Position, Weight> debris;
        by_heap += work(frame, contacts, impulses, debris);
    }
    const std::size_t plain_calls = heap_calls() - before;

    std::cout << frames << " frames of " << contacts_in_a_frame << " contacts and debris\n  arena: " << arena_calls
              << " calls of operator new, " << arena.peak() << " bytes at most\n  pmr:   " << pmr_calls
              << " calls\n  heap:  " << plain_calls << " calls\n";
    check(by_arena == by_heap && by_pmr == by_heap, "the same work with each");
    check(plain_calls > frames && arena_calls == 0 && pmr_calls == 0, "only std::allocator goes to the heap");
    check(emptied, "after each frame nothing is left in the arena");

    // A frame that wants too much gets an error, and the container is unchanged.
    FrameArena small(std::size_t{16} * 1024);
    {
        Contacts contacts(small);
        const auto first = contacts.insert({1, 2, 3});
        bool refused = false;
        std::size_t size = 0;
        try {
            for (int i = 0; i != 10'000; ++i) contacts.insert({}), size = contacts.size();
        } catch (const std::bad_alloc&) {
            refused = true;
        }
        check(refused && contacts.size() == size && contacts.at(first).depth == 3 && contacts.check_invariants(),
              "out of memory: std::bad_alloc, and nothing has changed");
        check(!small.reset(), "an arena in use is not reset");
    }
    check(small.reset() && small.used() == 0, "and is when its containers have gone");

    std::cout << "check: " << (failed == 0 ? "passed" : "FAILED") << std::endl;
    return failed == 0 ? 0 : 1;
}
