// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A store as JSON that people can read and edit: entities with their components by name, and members by name. What a program
// adds to slotwise for that is a list of members for each type. Nothing here knows the types of a particular program.
#ifndef SLOTWISE_EXAMPLES_ECS_JSON_STORE_JSON_HPP
#define SLOTWISE_EXAMPLES_ECS_JSON_STORE_JSON_HPP

#include <slotwise/ecs/archetype_store.hpp>

#include <nlohmann/json.hpp>

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// An entity is a text: "12v1".
template <>
struct nlohmann::adl_serializer<slotwise::Entity> {
    template <class Json>
    static void to_json(Json& json, slotwise::Entity entity) {
        json = to_string(entity);
    }
    template <class Json>
    static void from_json(const Json& json, slotwise::Entity& entity) {
        std::istringstream text(json.template get<std::string>());
        if (!(text >> entity) || text.peek() != std::istringstream::traits_type::eof())
            throw std::invalid_argument("\"" + text.str() + "\" is no entity");
    }
};

namespace ecs_json {

using Json = nlohmann::ordered_json; // members stay in the order in which they were written
using slotwise::ArchetypeStore, slotwise::ComponentId, slotwise::Entity, slotwise::TypeDescriptor, slotwise::TypeId;

/// The names of the members of types:
///     Members members;
///     members.add<Position>("x", &Position::x, "y", &Position::y);
class Members {
public:
    template <class T, class... NamesAndMembers>
    Members& add(NamesAndMembers... names_and_members) {
        Type type{TypeId::of<T>(), {}};
        add_members<T>(type, names_and_members...);
        types_.push_back(std::move(type));
        return *this;
    }
    Json write(const TypeDescriptor& type, const void* value) const {
        Json json = Json::object();
        for (const Member& each : find(type).members) json[each.name] = each.write(value);
        return json;
    }
    /// Assigns the members that the JSON has to a value.
    void read(const TypeDescriptor& type, const Json& json, void* value) const {
        const Type& of = find(type);
        if (!json.is_object()) throw std::invalid_argument("the value is no object with members");
        for (const auto& [name, member] : json.items()) {
            const Member* found = nullptr;
            for (const Member& each : of.members)
                if (each.name == name) found = &each;
            if (found == nullptr) throw std::invalid_argument("there is no member \"" + name + "\"");
            found->read(member, value);
        }
    }

private:
    struct Member {
        std::string name;
        std::function<Json(const void* value)> write;
        std::function<void(const Json& json, void* value)> read;
    };
    struct Type {
        TypeId id;
        std::vector<Member> members;
    };
    template <class T>
    static void add_members(Type&) {}
    template <class T, class M, class... Rest>
    static void add_members(Type& type, const char* name, M T::*member, Rest... rest) {
        type.members.push_back({name, [member](const void* value) { return Json(static_cast<const T*>(value)->*member); },
                                [member](const Json& json, void* value) { json.get_to(static_cast<T*>(value)->*member); }});
        add_members<T>(type, rest...);
    }
    const Type& find(const TypeDescriptor& type) const {
        for (const Type& each : types_)
            if (each.id == type.id) return each;
        throw std::invalid_argument("the members of its type have no names");
    }

    std::vector<Type> types_{};
};

/// Calls act(), and says of which entity and component an error is.
template <class Act>
void in_words(const std::string& entity, const std::string& component, Act&& act) {
    try {
        act();
    } catch (const std::exception& error) {
        throw std::invalid_argument("entity " + entity + ", \"" + component + "\": " + error.what());
    }
}

/// All entities in the order of walks, so that a store that is read walks in the same one.
inline Json write(const ArchetypeStore& store, const Members& members) {
    Json entities = Json::array();
    const auto& registry = store.registry();
    store.query<>().for_each([&](Entity entity) {
        Json components = Json::object(), pairs = Json::array(), disabled = Json::array();
        store.for_each_component(entity, [&](ComponentId id, const void* value) {
            in_words(to_string(entity), registry.name(id), [&] {
                const Json written = value == nullptr ? Json() : members.write(*registry.type(id), value);
                if (!id.is_pair()) {
                    components[registry.name(id)] = written;
                    if (!store.is_enabled(entity, id)) disabled.push_back(registry.name(id));
                    return;
                }
                Json pair = {{"relation", registry.name(registry.id(id.relation_number()))}};
                if (id.target())
                    pair["target"] = id.target();
                else
                    pair["component"] = registry.name(registry.id(id.target_number()));
                if (value != nullptr) pair["value"] = written;
                pairs.push_back(pair);
            });
        });
        Json one = {{"entity", entity}, {"components", components}};
        if (!pairs.empty()) one["pairs"] = pairs;
        if (!disabled.empty()) one["disabled"] = disabled;
        entities.push_back(one);
    });
    return {{"entities", entities}};
}

/// Reads what write() wrote into a store without entities, which has components of these names. Entities are the same.
/// @throws std::exception that says in words what is wrong; the store is empty then
inline void read(const Json& json, ArchetypeStore& store, const Members& members) {
    const auto& registry = store.registry();
    const auto component = [&](const Json& name) {
        const ComponentId id = registry.find(name.get<std::string>());
        if (!id) throw std::invalid_argument("no component is called so");
        return id;
    };
    static const Json nothing = Json::array();
    const auto list = [](const Json& of, const char* name) -> const Json& { return of.contains(name) ? of.at(name) : nothing; };
    slotwise::ScopeGuard undo([&]() noexcept { store.clear(); });
    for (const Json& one : json.at("entities"))
        if (const auto entity = one.at("entity").get<Entity>(); !store.spawn_at(entity))
            throw std::invalid_argument("entity " + to_string(entity) + " is there twice, or cannot be");
    for (const Json& one : json.at("entities")) {
        const auto entity = one.at("entity").get<Entity>();
        std::vector<ComponentId> ids; // all at once: the entity moves to its table in one step
        std::vector<std::pair<ComponentId, const Json*>> values;
        const auto add = [&](ComponentId id, const Json* value) {
            ids.push_back(id);
            if (value != nullptr && !value->is_null()) values.emplace_back(id, value);
        };
        for (const auto& item : one.at("components").items())
            in_words(to_string(entity), item.key(), [&] { add(component(item.key()), &item.value()); });
        for (const Json& each : list(one, "pairs"))
            in_words(to_string(entity), each.dump(), [&] {
                const ComponentId relation = component(each.at("relation"));
                add(each.contains("target") ? pair(relation, each["target"].get<Entity>())
                                            : pair(relation, component(each.at("component"))),
                    each.contains("value") ? &each["value"] : nullptr);
            });
        in_words(to_string(entity), "all", [&] { store.add(entity, ids); });
        for (const auto& value : values)
            in_words(to_string(entity), registry.name(value.first), [&] {
                const TypeDescriptor* const type = registry.type(value.first);
                if (type == nullptr) throw std::invalid_argument("it is a tag, which has no value");
                members.read(*type, *value.second, store.get(entity, value.first));
            });
        for (const Json& name : list(one, "disabled")) store.enable(entity, component(name), false);
    }
    undo.dismiss();
}

} // namespace ecs_json

#endif
