// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A shared library that works on a host's store.
#include "components.hpp"

using namespace slotwise;
using namespace game;

#define EXPECT(condition) test::expect((condition), "plugin", #condition)

namespace own {
struct Own { // which no host knows
    std::string text{};
};
struct Few {
    std::string text{};
};
struct OwnTag {};
struct Dropped { // recorded, and never registered
    std::string text{};
};
} // namespace own
using namespace own;

/// The plugin is loaded again from another file, and the library that registered its components is gone.
SLOTWISE_TEST_EXPORT int again(test::Shared* shared) {
    ArchetypeStore& store = *shared->store;
    const std::size_t before = store.registry().size();
    store.rebind<Own>();
    store.rebind<Few>();
    store.rebind<OwnTag>();
    EXPECT((store.registry().size() == before && store.rebind<Own>() == store.registry().find<Own>()));
    store.rebind_resource<Own>();
    EXPECT((store.find_resource<Own>() == nullptr));
    store.emplace_resource<Own>("of the library that was loaded again");
    EXPECT((std::as_const(store).resource<Own>().text == "of the library that was loaded again"));
    EXPECT((store.erase_resource<Own>() && store.resource<Name>().text == "a resource that the plugin made"));
    store.add(shared->first, Own{"a value of the library that was loaded again"});
    store.add(shared->first, Few{"a sparse value of the library that was loaded again"});
    store.add<OwnTag>(shared->first);
    store.add(shared->first, Unused{3}); // the row moves
    EXPECT((store.get<Own>(shared->first)->text == "a value of the library that was loaded again"));
    EXPECT((store.query<const Own, const Few>().with<OwnTag>().size() == 1 && store.check_invariants()));
    store.remove<Own>(shared->first);
    store.remove<Few>(shared->first);
    store.remove<OwnTag>(shared->first);
    store.remove<Unused>(shared->first);
    EXPECT((store.query<const Own>().empty() && store.check_invariants()));
    return test::failures;
}

SLOTWISE_TEST_EXPORT int run(test::Shared* shared) {
    ArchetypeStore& store = *shared->store;
    const ArchetypeStore& reading = store;
    ComponentRegistry& registry = store.registry();
    const std::size_t before = registry.size();

    // a store that is only read knows the types too
    EXPECT((std::as_const(registry).find<Position>() == registry.find("game::Position")));
    EXPECT((reading.query<const Position, const Name>().size() == 1));
    EXPECT((reading.has<Position>(shared->first) && reading.get<Position>(shared->first)->x == 5));
    EXPECT((!reading.has<Unused>(shared->first)));
    // and one that is written finds the same components, by one type, by lists of types, and by descriptions
    EXPECT((registry.id<Position>() == registry.find("game::Position")));
    EXPECT((registry.id<Box<Name>>() == registry.find("boxed")));
    EXPECT((store.query<Position>().size() == 1));
    EXPECT((store.get<Name>(shared->first)->text == "a name that no string keeps inside"));
    EXPECT((TypeDescriptor::id_of<Position>() == registry.type(registry.find("game::Position"))->id));
    EXPECT((same_type(TypeDescriptor::of<Position>(), *registry.type(registry.find("game::Position")))));
    EXPECT((shared->codec->covers(TypeDescriptor::of<Name>())));
    const std::string described = "described";
    EXPECT((shared->text->as<std::string>() == described));
    EXPECT((*shared->text == DescribedValue(TypeDescriptor::of<std::string>(), &described)));
    store.for_each_component(shared->first, [&](ComponentId id, const void* value) {
        if (id == registry.id<Position>()) EXPECT((static_cast<const Position*>(value)->x == 5));
    });
    store.query<Position>().for_each([](Position& p) { p.y = 7; });

    // a type of an unnamed namespace is bound by its name, and is another one without
    EXPECT((registry.add<Local>("local") == registry.find("local")));
    EXPECT((store.get<Local>(shared->first) != nullptr && store.get<Local>(shared->first)->value == 3));
    EXPECT((store.set(shared->first, Local{4}) && store.get<Local>(shared->first)->value == 4));
    shared->nameless = registry.id<Nameless>().number();
    EXPECT((registry.size() == before + 1)); // Nameless alone

    { // the store keeps no memory of a buffer that needs this library
        CommandBuffer dropped(store);
        dropped.add(shared->first, Dropped{"a value that nobody applies"});
        dropped.clear();
    }
    store.defer([&](auto& commands) { commands.set(shared->first, Position{5, 7}); });
    shared->spawned = store.spawn(Position{1, 2}, Name{"that the plugin made, and the host destroys"}, Local{9});
    shared->moved = store.builder().with(Position{3, 4}).with(Name{"built by the plugin, step by step"}).with<Hidden>().spawn();
    store.add(shared->moved, registry.id<Position>(), AnyValue::of(Position{}));
    store.set(shared->moved, registry.id<Position>(), AnyValue::of(Position{3, 5}));
    store.spawn_at(store.spawn(Hidden{}), Position{}); // it lives: no effect, but the types are looked up
    shared->buffer->add(shared->first, Hidden{});
    shared->buffer->set(shared->first, Name{"set by the plugin, applied by the plugin"});
    store.apply(*shared->buffer);
    EXPECT((store.has<Hidden>(shared->first)));

    // a sparse component, and a relation without columns, that the plugin is the first to use
    store.add(shared->first, Note{"a first sparse value, which the plugin made"});
    store.relate(shared->first, registry.find("mood"), shared->spawned);
    store.relate(shared->spawned, registry.find("mood"), shared->first);
    EXPECT((store.check_invariants()));

    // a component of its own, of which no value is left: its tables stay
    store.add(shared->first, Own{"a value of the plugin alone, which it takes away again"});
    store.remove<Own>(shared->first);
    registry.add<Few>("few", {.sparse = true});
    store.despawn(store.spawn(Own{}, Few{"a sparse value of the plugin alone"}, OwnTag{}, Position{}));

    // a resource of the host's type, which it destroys, and one of its own
    EXPECT((reading.resource<Position>().x == 8 && store.find_resource<Name>() == nullptr));
    store.emplace_resource<Name>("a resource that the plugin made");
    store.emplace_resource<Own>("a resource of the plugin alone, which it takes away again");
    EXPECT((store.erase_resource<Own>()));

    // containers grow here and are emptied there
    for (int i = 0; i != 1000; ++i) {
        shared->lines->insert("a line of the plugin, number " + std::to_string(i));
        shared->words->insert(i, "a word of the plugin, number " + std::to_string(i));
    }
    shared->words->erase(-1); // the only one of the host
    return test::failures;
}
