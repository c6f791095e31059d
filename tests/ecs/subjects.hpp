// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers of ecs/ that take an allocator, as subjects of support/whole.hpp.
#ifndef SLOTWISE_TESTS_ECS_SUBJECTS_HPP
#define SLOTWISE_TESTS_ECS_SUBJECTS_HPP

#include "support/whole.hpp"

#include <slotwise/ecs/event_queue.hpp>
#include <slotwise/ecs/relation_map.hpp>

namespace test {

using namespace slotwise;

/// Events in both buffers.
struct EventQueues {
    using element = Tracked;
    template <class A>
    using container = EventQueue<Tracked, AllocBy<A>>;
    template <class C>
    static void fill(C& c, int first, int count) {
        for (int i = 0; i != count; ++i) {
            c.emplace(first + i);
            if (i == count / 2) c.update();
        }
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all{static_cast<std::int64_t>(c.size())};
        auto reader = c.reader();
        for (const Tracked& event : reader.read(c)) all.push_back(event.value());
        return all;
    }
    template <class C>
    static bool sound(const C& c) {
        return c.reader().unread(c) == c.size();
    }
};

/// Two relations, one of them exclusive; sources with several targets, and targets with several sources.
struct RelationMaps {
    using element = std::byte;
    using Id = Handle<struct OfRelations>;
    template <class A>
    using container = RelationMap<Id, int, Id, AllocBy<A>>;
    static Id id(int n) { return Id(static_cast<slot_t>(n), 1); }
    template <class C>
    static void fill(C& c, int first, int count) {
        c.set_exclusive(2);
        for (int i = first; i != first + count; ++i) {
            c.insert(id(i), 1, id(i / 3));
            c.insert(id(i / 2), 1, id(i));
            c.insert(id(i / 2), 2, id(i));
        }
        for (int i = first + 4; i < first + count; i += 5) c.erase_source(id(i));
    }
    template <class C>
    static Contents contents(const C& c) {
        Contents all;
        c.for_each([&](Id source, int relation, Id target) {
            for (const std::int64_t each : {std::int64_t{source.index()}, std::int64_t{relation}, std::int64_t{target.index()}})
                all.push_back(each);
        });
        for (const int relation : {1, 2}) all.push_back(c.is_exclusive(relation) && !c.empty());
        return all;
    }
    template <class C>
    static bool sound(const C& c) {
        return c.check_invariants();
    }
};

} // namespace test

#endif
