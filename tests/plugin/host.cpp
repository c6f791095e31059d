// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Loads a plugin that works on a store of the host, unloads it, and goes on. Usage: host PLUGIN
#if defined(_WIN32)
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "components.hpp"

#include <filesystem>
#include <optional>

using namespace slotwise;
using namespace game;

namespace {

/// A shared library while it is loaded.
class Plugin {
public:
#if defined(_WIN32)
    explicit Plugin(const char* path) : library_(::LoadLibraryA(path)) {
        if (library_ == nullptr) std::printf("%s is not loaded: error %lu\n", path, ::GetLastError());
    }
    ~Plugin() { ::FreeLibrary(library_); }
    test::Run find(const char* name) const {
        return reinterpret_cast<test::Run>(reinterpret_cast<void*>(::GetProcAddress(library_, name)));
    }
    static bool is_loaded(const char* path) { return ::GetModuleHandleA(path) != nullptr; }

private:
    HMODULE library_;
#else
    explicit Plugin(const char* path) : library_(::dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (library_ == nullptr) std::puts(::dlerror());
    }
    ~Plugin() { ::dlclose(library_); }
    test::Run find(const char* name) const { return reinterpret_cast<test::Run>(::dlsym(library_, name)); }
    static bool is_loaded(const char*) { return false; } // g++ may keep it, see docs/guide/engine.md

private:
    void* library_;
#endif
public:
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    explicit operator bool() const { return library_ != nullptr; }
};

} // namespace

#define EXPECT(condition) test::expect((condition), "host", #condition)

int main(int, char** arguments) {
    ArchetypeStore store;
    ComponentRegistry& registry = store.registry();
    registry.add<Local>("local");
    registry.add<Box<Name>>("boxed");
    registry.id<Nameless>();
    registry.add<Note>({.sparse = true});
    const ComponentId mood = registry.add_relation("mood", {.switched = true});
    registry.id<Hidden>(); // what lives longer than a plugin is registered by the host
    store.register_resource<Name>("name");
    store.emplace_resource<Position>(8.0F, 9.0F);
    const std::string described = "described";
    DescribedValue text(TypeDescriptor::of<std::string>(), &described);
    AnyCodec codec;
    codec.add<Position>().add<Name>().add<Note>();
    CommandBuffer buffer(store);
    SlotMap<std::string> lines;
    MapStorage<int, std::string> words;
    const auto line = lines.insert("a line of the host, which is longer than a string keeps inside");
    words.insert(-1, "a word of the host, which is longer than a string keeps inside");
    test::Shared shared{&store,
                        &buffer,
                        &codec,
                        &text,
                        &lines,
                        &words,
                        store.spawn(Position{5, 0}, Name{"a name that no string keeps inside"}, Local{3})};

    for (int round = 1; round != 3; ++round) { // it is loaded again
        {
            const Plugin plugin(arguments[1]);
            if (!plugin) return 1;
            if (round == 1) test::failures += plugin.find("run")(&shared);
            EXPECT((store.query<const Position>().size() == 3));
            EXPECT((registry.id<Nameless>().number() != shared.nameless));
        }
        EXPECT((!Plugin::is_loaded(arguments[1])));

        // names, rows, tables that the plugin made, and its lists of types
        for (std::uint32_t number = 1; number <= registry.size(); ++number)
            EXPECT((!registry.name(registry.id(number)).empty()));
        EXPECT((store.get<Position>(shared.first)->y == 7 && store.get<Local>(shared.first)->value == 4));
        EXPECT((store.get<Name>(shared.first)->text == "set by the plugin, applied by the plugin"));
        EXPECT((store.get<Name>(shared.spawned)->text == "that the plugin made, and the host destroys"));
        EXPECT((store.get<Position>(shared.moved)->y == 5 && store.has<Hidden>(shared.moved)));
        EXPECT((store.query<const Local>().size() == 2 && store.query<const Position>().with<Hidden>().size() == 2));
        EXPECT((store.get<Note>(shared.first)->text == "a first sparse value, which the plugin made"));
        EXPECT((store.query<const Note>().size() == 1 && store.target(shared.first, mood) == shared.spawned));
        EXPECT((lines.size() == 1001 && lines.contains(line) && words.size() == 1000 && words.contains(999)));
        store.spawn_n(100, Position{}, Name{"in a table that the plugin made"}, Hidden{});
        store.spawn(Position{1, 2}, Name{"by a list of types that the plugin used too"}, Local{9});
        EXPECT((store.check_invariants() && store.memory_usage() != 0));
        EXPECT((store.resource<Name>().text == "a resource that the plugin made" && store.resource<Position>().y == 9));
        for (int i = 0; i != 3; ++i) // in memory of buffers that the plugin had
            EXPECT((store.defer([&](auto& commands) { commands.set(shared.spawned, Position{1, 2}); }) == 0));
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
    // loaded again from another file while the old one is there, which is then unloaded: what both have is at two places
    const std::string copy = std::string(arguments[1]) + ".again";
    std::filesystem::remove(copy); // libstdc++ of MinGW does not overwrite
    std::filesystem::copy_file(arguments[1], copy);
    {
        std::optional<Plugin> old(std::in_place, arguments[1]);
        const Plugin fresh(copy.c_str());
        if (!*old || !fresh) return 1;
        old.reset();
        test::failures += fresh.find("again")(&shared);
    }
    EXPECT((store.check_invariants()));
    store.add(shared.spawned, Note{"a second one, of the host"});
    store.relate(shared.first, mood, shared.moved);
    EXPECT((store.remove<Note>(shared.first) && lines.check_invariants() && words.check_invariants()));
    lines.clear();
    words.clear();
    words.shrink_to_fit();
    EXPECT((!words.contains(999)));
    store.shrink_to_fit();
    EXPECT((!store.snapshot(codec).empty()));
    store.clear();
    EXPECT((store.empty()));
    return test::failures == 0 ? 0 : 1;
}
