// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Loads a plugin that works on a store of the host, unloads it, and goes on. Usage: host PLUGIN
#include "components.hpp"

#include <dlfcn.h>

using namespace slotwise;
using namespace game;

#define EXPECT(condition) test::expect((condition), "host", #condition)

int main(int, char** arguments) {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    registry.add<Local>("local");
    registry.add<Box<Name>>("boxed");
    registry.id<Nameless>();
    registry.id<Hidden>(); // what lives longer than a plugin is registered by the host
    const std::string described = "described";
    DescribedValue text(TypeDescriptor::of<std::string>(), &described);
    AnyCodec codec;
    codec.add<Position>().add<Name>();
    CommandBuffer buffer(store);
    test::Shared shared{&store, &buffer, &codec, &text,
                        store.spawn(Position{5, 0}, Name{"a name that no string keeps inside"}, Local{3})};

    for (int round = 1; round != 3; ++round) { // it is loaded again
        void* const plugin = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        if (plugin == nullptr) return std::puts(::dlerror()), 1;
        const auto run = reinterpret_cast<test::Run>(::dlsym(plugin, "run"));
        if (round == 1) test::failures += run(&shared);
        EXPECT((store.query<const Position>().size() == 3));
        EXPECT((registry.id<Nameless>().number() != shared.nameless));
        ::dlclose(plugin);

        // names, rows, tables that the plugin made, and its lists of types
        for (std::uint32_t number = 1; number <= registry.size(); ++number)
            EXPECT((!registry.name(registry.id(number)).empty()));
        EXPECT((store.get<Position>(shared.first)->y == 7 && store.get<Local>(shared.first)->value == 4));
        EXPECT((store.get<Name>(shared.first)->text == "set by the plugin, applied by the plugin"));
        EXPECT((store.get<Name>(shared.spawned)->text == "that the plugin made, and the host destroys"));
        EXPECT((store.get<Position>(shared.moved)->y == 5 && store.has<Hidden>(shared.moved)));
        EXPECT((store.query<const Local>().size() == 2 && store.query<const Position>().with<Hidden>().size() == 2));
        store.spawn_n(100, Position{}, Name{"in a table that the plugin made"}, Hidden{});
        store.spawn(Position{1, 2}, Name{"by a list of types that the plugin used too"}, Local{9});
        EXPECT((store.check_invariants() && store.memory_usage() != 0));
        store.query<const Name>().for_each([&](Entity entity, const Name&) { buffer.remove<Name>(entity); });
        store.query<const Local>().for_each([&](Entity entity, const Local&) {
            if (entity != shared.first && entity != shared.spawned) buffer.despawn(entity);
        });
        store.apply(buffer);
        EXPECT((store.query<const Name>().empty()));
        store.query<const Position>().for_each([&](Entity entity, const Position&) {
            if (entity != shared.first && entity != shared.spawned && entity != shared.moved) buffer.despawn(entity);
        });
        store.add(shared.first, Name{"set by the plugin, applied by the plugin"});
        store.add(shared.spawned, Name{"that the plugin made, and the host destroys"});
        store.apply(buffer);
        EXPECT((store.check_invariants()));
    }
    store.shrink_to_fit();
    EXPECT((!store.snapshot(codec).empty()));
    store.clear();
    EXPECT((store.empty()));
    return test::failures == 0 ? 0 : 1;
}
