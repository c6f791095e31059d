// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/ecs/archetype_store.hpp>

using namespace slotwise;
struct Place {
    float x = 0;
};
struct Hidden {};

//=== written_through_a_const_store ===//
// expect: of a const store only reads
ArchetypeStore written;
const ArchetypeStore& store = written;
static_cast<void>(store.query<const Place>().size());
static_cast<void>(store.query<Place>().size()); // faulty

//=== named_by_reference ===//
// expect: a component is named as T
// lines: 25
ArchetypeStore store;
static_cast<void>(store.query<Place>().size());
static_cast<void>(store.query<Place&>().size()); // faulty

//=== several_optional_components ===//
// expect: name one component in each call, as in optional<A>().optional<B>()
ArchetypeStore store;
static_cast<void>(store.query<>().optional<Place>().size());
store.query<>().optional<Place, const int>(); // faulty

//=== an_optional_tag ===//
// expect: X is a tag and has no value
ArchetypeStore store;
static_cast<void>(store.query<Place>().size());
static_cast<void>(store.query<Place>().optional<Hidden>().size()); // faulty

//=== a_functor_of_other_arguments ===//
// expect: f takes a T& for each component of the query
ArchetypeStore store;
store.query<Place>().for_each([](Place&) {});
store.query<Place>().for_each([](Place&, int&) {}); // faulty

//=== a_component_for_the_entity ===//
// expect: f takes a T& for each component of the query
struct Boss {
    int value = 0;
    operator Entity() const { return {}; }
};
ArchetypeStore store;
store.query<Boss>().for_each([](Entity, Boss&) {});
store.query<Boss>().for_each([](Entity) {}); // faulty

//=== an_entity_as_a_component ===//
// expect: an Entity is no component
ArchetypeStore store;
store.query<Place>().for_each([](Entity, Place&) {});
store.query<Entity, Place>().for_each([](Entity, Place&) {}); // faulty

//=== a_term_of_an_entity ===//
// expect: an Entity is no component
ArchetypeStore store;
static_cast<void>(store.query<Place>().with<Hidden>().size());
static_cast<void>(store.query<Place>().with<const Entity>().size()); // faulty

//=== an_id_as_a_component ===//
// expect: a ComponentId or AnyValue is no component
ArchetypeStore store;
static_cast<void>(store.query<Place>().with(store.registry().id<Hidden>()).size());
static_cast<void>(store.query<Place>().with<ComponentId>().size()); // faulty

//=== a_term_that_is_optional ===//
// expect: Optional<X> is no component
ArchetypeStore store;
static_cast<void>(store.query<Optional<Place>>().size());
static_cast<void>(store.query<>().with<Optional<Place>>().size()); // faulty

//=== an_ancestor_that_is_written ===//
// expect: many entities share the X of an ancestor
ArchetypeStore store;
const ComponentId child_of = store.registry().add_relation("child of");
static_cast<void>(store.query<Place>().up<const Place>(child_of).size());
static_cast<void>(store.query<Place>().up<Place>(child_of).size()); // faulty

//=== a_tag_of_ancestors ===//
// expect: X is a tag and has no value
ArchetypeStore store;
const ComponentId child_of = store.registry().add_relation("child of");
static_cast<void>(store.query<Place>().up<const Place>(child_of).size());
static_cast<void>(store.query<Place>().up<const Hidden>(child_of).size()); // faulty

//=== an_ancestor_without_a_relation ===//
// expect: Up<X> comes from a relation
ArchetypeStore store;
static_cast<void>(store.query<Place>().size());
static_cast<void>(store.query<Place, Up<const Place>>().size()); // faulty

//=== a_term_of_ancestors ===//
// expect: Up<X> is no component
ArchetypeStore store;
static_cast<void>(store.query<>().with<Place>().size());
static_cast<void>(store.query<>().with<Up<const Place>>().size()); // faulty

//=== a_walk_over_chunks_with_ancestors ===//
// expect: the value of an ancestor is in no array
ArchetypeStore store;
const ComponentId child_of = store.registry().add_relation("child of");
store.query<Place>().cascade(child_of).for_each_chunk([](std::span<Place>) {});
store.query<Place>().up<const Place>(child_of).for_each_chunk([](std::span<Place>, auto) {}); // faulty

//=== chunks_with_ancestors ===//
// expect: the value of an ancestor is in no array
ArchetypeStore store;
const ComponentId child_of = store.registry().add_relation("child of");
static_cast<void>(store.query<Place>().cascade(child_of).chunks());
static_cast<void>(store.query<Place>().up<const Place>(child_of).chunks()); // faulty

//=== a_functor_of_other_spans ===//
// expect: f takes a std::span<T> for each component of the query
ArchetypeStore store;
store.query<const Place>().for_each_chunk([](std::span<const Place>) {});
store.query<const Place>().for_each_chunk([](std::span<Place>) {}); // faulty

//=== a_chunk_of_another_component ===//
// expect: T is no component of the query
ArchetypeStore store;
for (const auto& chunk : store.query<Place>().chunks()) {
    static_cast<void>(chunk.get<Place>());
    static_cast<void>(chunk.get<int>()); // faulty
}

//=== a_chunk_that_is_written ===//
// expect: the query names T const
ArchetypeStore store;
for (const auto& chunk : store.query<const Place>().chunks()) {
    static_cast<void>(chunk.get<const Place>());
    static_cast<void>(chunk.get<Place>()); // faulty
}

//=== warms_a_const_store ===//
// expect: no matching || constraints not satisfied || invalid reference to function 'warm'
ArchetypeStore store;
store.query<const int>().warm();
static_cast<const ArchetypeStore&>(store).query<const int>().warm(); // faulty

//=== a_key_of_other_arguments ===//
// expect: by takes a const T& for each component of the query
ArchetypeStore store;
store.query<Place>().for_each_sorted([](const Place& place) { return place.x; }, [](Place&) {});
store.query<Place>().for_each_sorted([](int& number) { return number; }, [](Place&) {}); // faulty

//=== sorted_by_another_component ===//
// expect: T is no component of the query, or a tag
const auto lower = [](const Place& a, const Place& b) { return a.x < b.x; };
ArchetypeStore store;
static_cast<void>(store.query<Place>().sorted_by<Place>(lower));
static_cast<void>(store.query<>().sorted_by<Place>(lower)); // faulty

//=== sorted_by_what_may_be_missing ===//
// expect: T is optional; sort by for_each_sorted()
const auto lower = [](const Place& a, const Place& b) { return a.x < b.x; };
ArchetypeStore store;
static_cast<void>(store.query<Place>().sorted_by<Place>(lower));
static_cast<void>(store.query<>().optional<Place>().sorted_by<Place>(lower)); // faulty
