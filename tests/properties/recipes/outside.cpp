// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of what leaves a container or comes from outside: handles as text and in other headers, views, private
// members, arenas, Arrow. Each is run as the guide has it, and goes on with random histories against a model.
#undef NDEBUG // the recipes assert
#include "any_map.inc"
#include "old_save.inc"
#include "private_members.inc"
#include "to_arrow.inc"

#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/map/pmr.hpp>

#include <array>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define RECIPE_BODY

using test::Random;

struct FormOne { // a unit as an earlier version of its codec wrote it
    OldUnit unit;
    std::uint8_t form = 1;
};
template <>
struct slotwise::CodecFor<FormOne> {
    static constexpr std::uint64_t type_tag = CodecFor<Unit>::type_tag;
    static void write(const FormOne& value, ByteWriter& out) {
        out.number(value.form);
        DefaultCodec::write(value.unit, out);
    }
    static FormOne read(ByteReader& in) {
        const auto form = in.number<std::uint8_t>();
        return {DefaultCodec::read<OldUnit>(in), form};
    }
};

namespace {

template <class Set>
auto some(Set& set, Random& random) {
    return std::next(set.begin(), random.below(set.size()));
}

} // namespace

TEST_CASE("the recipe of JSON: what a text names is found as long as it lives, and any other text names nothing", "[recipes]") {
#include "json.inc"
    std::map<std::string, std::optional<double>> file{{to_string(id), 131.2}}; // empty when it was erased
    std::size_t gone = 0, refused = 0;
    Random random(1);
    for (int i = 0; i != 4000; ++i) {
        if (random.chance(55)) {
            REQUIRE(file.emplace(to_string(orders.insert(i)), i).second); // no text comes twice
        } else {
            const auto one = some(file, random);
            const auto named = OrderId::from_string(one->first);
            REQUIRE(named.has_value());
            REQUIRE(orders.erase(*named) == one->second.has_value());
            gone += !one->second;
            one->second.reset();
        }
        std::string damaged = some(file, random)->first;
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(128));
        const auto other = OrderId::from_string(damaged);
        refused += !other;
        if (other)
            REQUIRE(orders.contains(*other) == (file.contains(to_string(*other)) && file.at(to_string(*other)).has_value()));
        if (i % 100 != 0) continue;
        for (const auto& [name, price] : file) {
            const double* const found = orders.get(OrderId::from_string(name).value());
            REQUIRE((found != nullptr) == price.has_value());
            if (found) REQUIRE(*found == *price);
        }
    }
    REQUIRE((gone > 300 && refused > 1000));
}

TEST_CASE("the recipe of a declared type: each leader and each target is the unit that was named, or gone", "[recipes]") {
#include "declared.inc"
    using Id = slotwise::HandleOf<Units>;
    struct Model {
        int health;
        Id target;
    };
    std::map<Id, Model> there;
    for (const Id unit : units.handles()) there.emplace(unit, Model{units[unit].health, units[unit].target});
    std::vector<Id> known(1);
    std::vector<std::pair<Squad, Id>> squads{{squad, squad.leader}};
    std::size_t lost = 0;
    Random random(2);
    for (int i = 0; i != 3000; ++i) {
        if (random.chance(55) || there.empty()) {
            const Id target = known[random.below(known.size())], unit = units.insert({i, target});
            there.emplace(unit, Model{i, target});
            known.push_back(unit);
            if (random.chance(10)) squads.push_back({Squad{&units, unit}, unit});
        } else {
            const auto dead = some(there, random);
            units.erase(dead->first);
            there.erase(dead);
        }
        if (i % 50 != 0) continue;
        for (const auto& [unit, model] : there) {
            REQUIRE((units[unit].health == model.health && units[unit].target == model.target));
            const Unit* const target = units.get(model.target);
            REQUIRE((target != nullptr) == there.contains(model.target));
            if (target) REQUIRE(target->health == there.at(model.target).health);
        }
        for (const auto& [each, leader] : squads) {
            const Unit* const found = each.units->get(each.leader);
            REQUIRE((found != nullptr) == there.contains(leader));
            lost += found == nullptr;
        }
    }
    REQUIRE(lost > 500);
}

TEST_CASE("the recipe of a function for any map: it sees what maps of both kinds have, after any history", "[recipes]") {
#include "any_map.inc"
    std::map<std::string, int> here{{"nails", 100}, {"bolts", 20}}, there{{"screws", 7}};
    Random random(3);
    const auto step = [&](auto& stock, std::map<std::string, int>& model, int i) {
        const std::string name = "part number " + std::to_string(random.below(500));
        if (random.chance(60)) {
            stock.insert_or_assign(name, i);
            model[name] = i;
        } else {
            REQUIRE(stock.erase(name) == (model.erase(name) != 0));
        }
        int sum = 0;
        for (const auto& [part, count] : model) sum += count;
        REQUIRE(total(stock) == sum);
        const slotwise::MapView<std::string, int> view = stock;
        REQUIRE(view.size() == model.size());
        REQUIRE((view.get(name) != nullptr) == model.contains(name));
    };
    for (int i = 0; i != 2000; ++i) {
        step(ours, here, i);
        step(theirs, there, i);
    }
    REQUIRE((ours.size() > 100 && theirs.size() > 100));
}

TEST_CASE("the recipe of private members: an account is loaded as it was saved, under its handle", "[recipes]") {
#include "private_members.inc"
    using Id = decltype(accounts)::handle_type;
    std::map<Id, int> there{{ada, 1250}};
    Random random(4);
    for (int i = 0; i != 2000; ++i) {
        if (random.chance(55) || there.empty()) {
            there.emplace(accounts.emplace("an owner whose name is on the heap " + std::to_string(i), i), i);
        } else {
            const auto closed = some(there, random);
            accounts.erase(closed->first);
            there.erase(closed);
        }
        if (i % 40 != 0) continue;
        const auto bytes = accounts.snapshot();
        loaded.restore(bytes);
        REQUIRE(loaded.size() == there.size());
        for (const auto& [account, cents] : there) REQUIRE(loaded.at(account).cents() == cents);
        REQUIRE(loaded.snapshot() == bytes);
    }
}

TEST_CASE("the recipe of older saves: each unit is there under its handle, from a save of any form, and others are refused",
          "[recipes]") {
#include "old_save.inc"
    std::map<decltype(tank), int> there{{tank, 3}};
    slotwise::SlotMap<FormOne> one;
    Random random(7);
    for (int i = 0; i != 2000; ++i) {
        if (random.chance(55) || there.empty()) {
            there.emplace(released.insert({"a unit whose name is on the heap " + std::to_string(i), i}), i);
        } else {
            const auto dead = some(there, random);
            released.erase(dead->first);
            there.erase(dead);
        }
        if (i % 40 != 0) continue;
        REQUIRE(load(units, released.snapshot()) == nullptr);
        REQUIRE(units.size() == there.size());
        for (const auto& [unit, hp] : there) REQUIRE((units.at(today(unit)).hp == hp && units.at(today(unit)).morale == 5));
        const auto first_form = released.transform([](const OldUnit& unit) { return FormOne{unit}; }).snapshot();
        units.clear();
        REQUIRE(load(units, first_form) == nullptr);
        for (const auto& [unit, hp] : there) REQUIRE((units.at(today(unit)).hp == hp && units.at(today(unit)).morale == 5));
        REQUIRE(units.insert({}).to_bits() == slotwise::SlotMap<OldUnit>(released).insert({}).to_bits());
    }
    REQUIRE(std::string_view(load(units, slotwise::SlotMap<int>{1}.snapshot())) ==
            "snapshot: its values are int32, and those of this container are of another type");
    const auto newer = slotwise::SlotMap<FormOne>{FormOne{{"from tomorrow", 1}, 3}}.snapshot();
    REQUIRE(std::string_view(load(units, newer)) == "this save is of a newer game");
}

TEST_CASE("the recipe of older saves: components of a store are read in both forms, and by the struct of their time",
          "[recipes]") {
    using slotwise::AnyCodec, slotwise::ArchetypeStore, slotwise::Entity;
    ArchetypeStore early, old, now;
    early.registry().add<FormOne>("unit");
    const Entity first = early.spawn(FormOne{{"first", 7}});
    now.registry().add<Unit>("unit");
    now.restore(early.snapshot(AnyCodec().add<FormOne>()), AnyCodec().add<Unit>());
    REQUIRE((now.at<Unit>(first).hp == 7 && now.at<Unit>(first).morale == 5));

    ArchetypeStore released;
    for (ArchetypeStore* each : {&released, &old}) each->registry().add<OldUnit>("unit");
    const Entity tank = released.spawn(OldUnit{"tank", 3});
    const auto bytes = released.snapshot(AnyCodec().add<OldUnit>());
    REQUIRE(std::string_view(now.try_restore(bytes, AnyCodec().add<Unit>())).starts_with("snapshot: its component values"));
    old.restore(bytes, AnyCodec().add<OldUnit>());
    old.defer([&](auto& commands) {
        for (auto [entity, unit] : old.query<const OldUnit>()) commands.add(entity, Unit{unit.name, unit.hp});
    });
    REQUIRE(old.at<Unit>(tank).hp == 3);
}

TEST_CASE("the recipe of an arena: up to the reserved number nothing more is taken from it, in any history", "[recipes]") {
#include "arena.inc"
    std::map<decltype(hits)::handle_type, int> there;
    for (auto [hit, value] : hits.items()) there.emplace(hit, value);
    Random random(5);
    for (int i = 0; i != 20'000; ++i) { // what the arena has not got would be a std::bad_alloc
        if (hits.size() < 1000 && random.chance(52)) {
            REQUIRE(there.emplace(hits.insert(i), i).second);
        } else {
            const auto gone = some(there, random);
            REQUIRE(hits.erase(gone->first));
            there.erase(gone);
        }
        REQUIRE(hits.memory_usage() == held);
        if (i % 500 != 0) continue;
        REQUIRE(hits.size() == there.size());
        for (const auto& [hit, value] : there) REQUIRE(hits[hit] == value);
    }
}

TEST_CASE("the recipe of Arrow: each row has the values of the element that its handle finds, after any history", "[recipes]") {
#include "to_arrow.inc"
    using Id = decltype(ships)::handle_type;
    std::map<Id, Ship> there{{argo, {3, 4}}};
    std::size_t rows = 0;
    Random random(6);
    for (int i = 0; i != 3000; ++i) {
        if (random.chance(55) || there.empty()) {
            const Ship ship{i / 2.0, -i / 4.0};
            there.emplace(ships.insert(ship), ship);
        } else {
            const auto sunk = some(there, random);
            ships.erase(sunk->first);
            there.erase(sunk);
        }
        if (i % 100 != 0) continue;
        ArrowArrayStream now;
        slotwise::export_stream(ships, &now, {.handles = true});
        slotwise::OwnedStream tick(&now);
        auto left = there;
        for (slotwise::OwnedArray part = tick.next(); part; part = tick.next()) {
            const auto column = [&](int number) { return part->children[number]->buffers[1]; };
            for (std::int64_t row = 0; row != part->length; ++row, ++rows) {
                const auto at = [&](int number) { return part->offset + row + part->children[number]->offset; };
                const Id ship = Id::from_bits(static_cast<const std::uint64_t*>(column(2))[at(2)]);
                REQUIRE(left.contains(ship));
                REQUIRE(static_cast<const double*>(column(0))[at(0)] == left.at(ship).x);
                REQUIRE(static_cast<const double*>(column(1))[at(1)] == left.at(ship).y);
                left.erase(ship);
            }
        }
        REQUIRE(left.empty());
    }
    REQUIRE(rows > 3000);
}

TEST_CASE("the recipe of copy and paste: a copy of a part has its nodes, constants, flags and inner links, and runs as it does",
          "[recipes]") {
#include "paste.inc"
    const auto run = [](const std::string& name, Graph::context_type& context) {
        double sum = static_cast<double>(name.size());
        for (slotwise::slot_t i = 0; i != context.inputs(); ++i) sum += context.input(i) / 2;
        for (slotwise::slot_t o = 0; o != context.outputs(); ++o) context.set_output(o, sum + o);
    };
    Random random(9);
    std::size_t inner = 0, outer = 0;
    for (int round = 0; round != 100; ++round) {
        Graph world, elsewhere;
        std::vector<Node> all, part;
        for (int i = 0; i != 20; ++i) {
            all.push_back(world.add(std::string(random.below(9), 'x'), random.below(4), random.below(3)));
            if (random.chance(20))
                world.set_flags(all.back(), slotwise::user_flag(random.below(24)) | slotwise::NodeFlags::always);
        }
        for (int i = 0; i != 80; ++i) {
            const Node a = all[random.below(20)], b = all[random.below(20)];
            if (world.outputs(a) != 0 && world.inputs(b) != 0)
                static_cast<void>(world.connect(a, random.below(static_cast<std::uint32_t>(world.outputs(a))), b,
                                                random.below(static_cast<std::uint32_t>(world.inputs(b)))));
            for (std::size_t n = 0; n != world.inputs(b); ++n) world.set_input(b, n, static_cast<double>(random.below(100)));
            if (i % 8 == 0) world.erase(all[random.below(20)]);
        }
        for (const Node node : all)
            if (world.contains(node) && random.chance(50)) part.push_back(node);
        Graph& to = random.chance(50) ? world : elsewhere;
        const std::size_t before = to.size(), links = world.links();
        const auto pasted = paste(world, part, to);
        REQUIRE((pasted.size() == part.size() && to.size() == before + part.size() && to.check_invariants()));
        std::size_t made = 0;
        for (const auto& [node, copy] : pasted) {
            REQUIRE((to[copy] == world[node] && to.flags(copy) == world.flags(node)));
            REQUIRE((to.inputs(copy) == world.inputs(node) && to.outputs(copy) == world.outputs(node)));
            for (std::size_t i = 0; i != to.inputs(copy); ++i) {
                REQUIRE(to.constant(copy, i) == world.constant(node, i));
                const auto is = to.source(copy, i), was = world.source(node, i);
                const bool within = was && pasted.contains(was.node);
                REQUIRE(bool(is) == within);
                if (within) REQUIRE((is.node == pasted.at(was.node) && is.output == was.output));
                inner += within;
                made += within;
                outer += was && !within;
            }
        }
        REQUIRE(to.links() == made + (&to == &world ? links : 0));
        world.evaluate(run);
        to.evaluate(run);
        for (const auto& [node, copy] : pasted) {
            bool alone = true; // then the copy reads the same values
            for (std::size_t i = 0; i != world.inputs(node); ++i) alone = alone && !world.source(node, i);
            if (!alone) continue;
            for (std::size_t o = 0; o != to.outputs(copy); ++o) REQUIRE(to.output(copy, o) == world.output(node, o));
        }
    }
    CAPTURE(inner, outer);
    REQUIRE((inner > 50 && outer > 50));
}
