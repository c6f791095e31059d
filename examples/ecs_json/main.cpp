// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A store becomes JSON and is read back: entities, components and members by their names, relations by theirs. Names that
// nobody knows are said in words. Needs nlohmann_json 3; without it, this program ends with code 77.
#ifdef SLOTWISE_HAS_NLOHMANN_JSON

#include "store_json.hpp"

#include <iostream>

namespace {

using slotwise::ArchetypeStore, slotwise::Entity, slotwise::OnTargetDespawn;

struct Position {
    float x = 0, y = 0;
};
struct Name {
    std::string text;
};
struct Weapon {
    Entity target;
    std::vector<int> shots;
};
struct Owes {
    int coins = 0;
};
struct Hidden {};

void register_components(slotwise::ComponentRegistry& registry) {
    registry.add<Position>("position");
    registry.add<Name>("name", {.sparse = true});
    registry.add<Weapon>("weapon", {.toggle = true});
    registry.add<Hidden>("hidden");
    registry.add_relation("child of", {.exclusive = true, .on_target_despawn = OnTargetDespawn::despawn});
    registry.add_relation("mood", {.switched = true});
    registry.relation<Owes>("owes");
}
ecs_json::Members members() {
    return ecs_json::Members()
        .add<Position>("x", &Position::x, "y", &Position::y)
        .add<Name>("text", &Name::text)
        .add<Weapon>("target", &Weapon::target, "shots", &Weapon::shots)
        .add<Owes>("coins", &Owes::coins);
}
void fill(ArchetypeStore& store) {
    const auto& registry = store.registry();
    const Entity fort = store.spawn(Position{1, 2}, Name{"fort"}), ship = store.spawn(Position{3, 4.5}, Name{"ship"});
    const Entity gun = store.spawn(Position{0, 1}, Weapon{ship, {3, 1, 4}}), spy = store.spawn(Hidden{});
    store.relate(gun, registry.find("child of"), fort);
    store.relate(spy, registry.find("mood"), ship);
    store.add(spy, pair(registry.find("mood"), registry.find("hidden"))); // the mood is another one now
    store.relate(spy, gun, Owes{12});
    store.disable<Weapon>(gun);
}
/// What reading a text in which `old` is `fresh` says.
std::string said(std::string text, const std::string& old, const std::string& fresh) {
    text.replace(text.find(old), old.size(), fresh);
    ArchetypeStore store;
    register_components(store.registry());
    try {
        ecs_json::read(ecs_json::Json::parse(text), store, members());
    } catch (const std::exception& error) {
        std::cout << error.what() << '\n';
        return store.empty() ? error.what() : "some of it was read";
    }
    return "nothing";
}

} // namespace

int main() {
    ArchetypeStore store, again;
    for (ArchetypeStore* each : {&store, &again}) register_components(each->registry());
    fill(store);
    const std::string text = ecs_json::write(store, members()).dump(2);
    std::cout << text << '\n';
    ecs_json::read(ecs_json::Json::parse(text), again, members());

    slotwise::AnyCodec codec;
    codec.add<Position>().add<Name>().add<Weapon>().add<Owes>();
    const auto bytes = [&](const ArchetypeStore& of) { return of.snapshot_of(of.query<>(), codec); };
    bool right = bytes(store) == bytes(again) && ecs_json::write(again, members()).dump(2) == text;
    const auto says = [](const std::string& all, const char* words) { return all.find(words) != std::string::npos; };
    right = right && says(said(text, "\"position\"", "\"poistion\""), "no component is called so");
    right = right && says(said(text, "\"shots\"", "\"shoots\""), "there is no member \"shoots\"");
    right = right && says(said(text, "\"child of\"", "\"child_of\""), "no component is called so");
    right = right && says(said(text, "\"x\": 1.0", "\"x\": \"one\""), "position");
    right = right && says(said(text, "\"3v1\"", "\"three\""), "is no entity");
    std::cout << (right ? "written and read\n" : "wrong\n");
    return right ? 0 : 1;
}

#else

#include <cstdio>

int main() {
    std::puts("skipped: nlohmann_json is not here; Debian and Ubuntu have it as nlohmann-json3-dev");
    return 77;
}

#endif
