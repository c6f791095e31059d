// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/archetype_graph.hpp>

using namespace slotwise;

//=== ids_whose_copies_throw ===//
// expect: Id is trivially copyable
struct Name {
    int number = 0;
    Name() = default;
    Name(const Name& other) : number(other.number) {}
    friend auto operator<=>(const Name&, const Name&) = default;
};
struct Hash {
    std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.number); }
};

ArchetypeGraph<int, int> graph;
ArchetypeGraph<int, Name, NoEdgeData, NoRules, HashBy<Hash>> other; // faulty

//=== rules_whose_copies_throw ===//
// expect: of the rules must not throw
struct Rules : NoRules {
    Rules() = default;
    Rules(const Rules&) {}
};

ArchetypeGraph<int, int> graph;
ArchetypeGraph<int, int, NoEdgeData, Rules> other; // faulty
