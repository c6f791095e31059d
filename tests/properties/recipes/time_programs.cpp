// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of saving, time and programs: each is run as the guide has it, and goes on with random histories against
// a model.
#undef NDEBUG // the recipes assert
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/core/versioned.hpp>
#include <slotwise/ecs/archetype_store.hpp>
#include <slotwise/ecs/command_buffer.hpp>
#include <slotwise/graph/dataflow_graph.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/series/apply_delta.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/slots/snapshot.hpp>
#include <slotwise/sparse/switch_map.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using test::Random;

namespace {

template <class Set>
auto some(Set& set, Random& random) {
    return std::next(set.begin(), random.below(set.size()));
}

} // namespace

TEST_CASE("the recipe of a file: what is loaded goes on as what was saved, and a file that was cut short changes nothing",
          "[recipes]") {
#include "save.inc"
    using Names = decltype(names);
    std::vector<decltype(names.insert(""))> issued{ada};
    Random random(1);
    const auto step = [](Names& map, const std::vector<decltype(names.insert(""))>& known, std::uint64_t dice, int i) {
        if (dice % 100 < 55) return map.insert("a name that is on the heap " + std::to_string(i));
        if (dice % 100 < 95)
            map.erase(known[dice / 100 % known.size()]);
        else if (dice % 100 < 97)
            map.shrink_to_fit();
        return slotwise::HandleOf<Names>();
    };
    for (int i = 0; i != 2000; ++i) {
        if (const auto id = step(names, issued, random.next() >> 8, i)) issued.push_back(id);
        if (i % 40 != 0) continue;
        const std::vector<std::byte> now = names.snapshot();
        loaded.restore(now);
        REQUIRE(loaded == names);
        for (int n = 0; n != 20; ++n) { // the same calls give the same handles
            const auto dice = random.next() >> 8;
            const auto id = step(names, issued, dice, i + n);
            REQUIRE(step(loaded, issued, dice, i + n) == id);
            if (id) issued.push_back(id);
        }
        REQUIRE(loaded == names);
        for (const auto id : issued) REQUIRE(loaded.contains(id) == names.contains(id));
        REQUIRE(loaded.try_restore({now.data(), random.below(now.size())}) != nullptr);
        REQUIRE(loaded == names);
    }
}

TEST_CASE("the recipe of rollback: whatever arrives late, the world is the one that had every input in time", "[recipes]") {
#include "rollback.inc"
    std::vector<int> inputs{0, 0, 1, 0, 0, 0};
    std::size_t rolled_back = 0, alive = 0;
    Random random(2);
    for (int i = 0; i != 2000; ++i) {
        if (random.chance(50)) {
            frames[inputs.size() % 8].input = 0; // the guess
            run(frames[inputs.size() % 8]);
            inputs.push_back(0);
        } else {
            const std::size_t late = inputs.size() - 1 - random.below(std::min<std::size_t>(8, inputs.size()));
            inputs[late] = frames[late % 8].input = static_cast<int>(random.below(2));
            shots.restore(frames[late % 8].before);
            for (std::size_t n = late; n != inputs.size(); ++n) run(frames[n % 8]);
            ++rolled_back;
        }
        alive += shots.size();
        if (i % 20 != 0) continue;
        decltype(truth) in_time;
        for (const int input : inputs) simulate(in_time, input);
        REQUIRE(shots == in_time); // handles too
    }
    REQUIRE((rolled_back > 800 && alive > 500));
}

TEST_CASE("the recipe of a window: added, updated and removed are what two copies of the dictionary differ by", "[recipes]") {
#include "window.inc"
    std::map<std::string, double> before, now{{"bund", 131.3}, {"oat", 124.7}};
    std::size_t all = 0;
    Random random(3);
    for (std::int64_t time = 3; time != 1500; ++time) {
        before = now;
        std::set<std::string> written;
        {
            auto w = price.write(time);
            for (auto n = 1 + random.below(8); n != 0; --n) {
                const std::string key = "key " + std::to_string(random.below(20));
                if (random.chance(60)) {
                    const double value = random.below(5);
                    w.set(key, value);
                    now[key] = value;
                    written.insert(key);
                } else {
                    w.remove(key);
                    now.erase(key);
                    written.erase(key);
                }
            }
        }
        std::map<std::string, double> added, updated, removed, expected_added, expected_updated, expected_removed;
        for (auto [key, value] : price.added_items(time)) added.emplace(key, value);
        for (auto [key, value] : price.updated_items(time)) updated.emplace(key, value);
        for (auto [key, value] : price.removed_items(time)) removed.emplace(key, value);
        for (const auto& [key, value] : now)
            if (!before.contains(key))
                expected_added.emplace(key, value);
            else if (written.contains(key))
                expected_updated.emplace(key, value);
        for (const auto& [key, value] : before)
            if (!now.contains(key)) expected_removed.emplace(key, 0);
        REQUIRE(added == expected_added);
        REQUIRE(updated == expected_updated);
        REQUIRE(removed.size() == expected_removed.size());
        for (const auto& [key, value] : removed)
            REQUIRE(expected_removed.contains(key)); // its value may have been written before it went
        for (const auto& [key, value] : now)
            if (written.contains(key)) REQUIRE(price.last_modified(key) == time);
        all += added.size() + updated.size() + removed.size();
    }
    REQUIRE(all > 2000);
}

TEST_CASE("the recipe of one key: after each window the alarm knows what is left, whatever else changed", "[recipes]") {
#include "one_key.inc"
    std::optional<int> nails;
    std::size_t gone = 0;
    Random random(4);
    for (std::int64_t time = 4; time != 3000; ++time) {
        {
            auto w = stock.write(time);
            for (auto n = random.below(4); n != 0; --n) {
                const bool ours = random.chance(40);
                const std::string key = ours ? "nails" : "thing " + std::to_string(random.below(30));
                const int value = static_cast<int>(random.below(100)) + 1;
                if (random.chance(65)) {
                    w.set(key, value);
                    if (ours) nails = value;
                } else {
                    w.remove(key);
                    if (ours) gone += nails.has_value(), nails.reset();
                }
            }
        }
        REQUIRE(alarm.left == nails.value_or(0));
    }
    REQUIRE(gone > 100);
}

TEST_CASE("the recipe of a replica: over a link that loses, repeats and joins deltas it never differs at the same window",
          "[recipes]") {
#include "replica.inc"
    std::map<std::int64_t, std::map<std::string, double>> history{{3, {{"bund", 134.0}}}};
    std::map<std::int64_t, Prices::delta_type> kept; // by the window they begin at
    std::size_t gaps = 0, already = 0, joined = 0;
    Random random(5);
    const auto contents = [](const Prices& prices) {
        std::map<std::string, double> all;
        for (auto [key, value] : prices.items()) all.emplace(key, value);
        return all;
    };
    std::int64_t window = 3;
    for (int i = 0; i != 1500; ++i) {
        const auto from = window;
        window += 1 + random.below(3);
        {
            auto w = here.write(window);
            w.set("clock", static_cast<double>(i)); // no window is empty
            for (auto n = random.below(6); n != 0; --n) {
                const std::string key = "key " + std::to_string(random.below(30));
                if (random.chance(60))
                    w.set(key, static_cast<double>(random.below(1000)));
                else
                    w.remove(key);
            }
        }
        history[window] = contents(here);
        kept.emplace(from, capture(here, window));
        if (random.chance(20)) continue; // lost
        if (there.window() == from) {
            REQUIRE(receive(kept.at(from), from) == slotwise::Applied::done);
        } else {
            REQUIRE(receive(kept.at(from), from) == slotwise::Applied::gap);
            REQUIRE(contents(there) == history.at(there.window()));
            ++gaps;
            if (random.chance(40)) continue;
            auto all = kept.at(there.window()); // it asks for what it missed, and gets it as one
            for (auto next = std::next(kept.find(there.window())); next != kept.end(); ++next) all = compose(all, next->second);
            REQUIRE(receive(all, there.window()) == slotwise::Applied::done);
            ++joined;
        }
        REQUIRE(there.window() == window);
        REQUIRE(contents(there) == history.at(window));
        REQUIRE(there == here);
        if (random.chance(50)) {
            REQUIRE(receive(kept.at(from), from) == slotwise::Applied::already);
            REQUIRE(there == here);
            ++already;
        }
        while (kept.size() > 20 && kept.begin()->first < there.window()) kept.erase(kept.begin());
    }
    REQUIRE((gaps > 100 && already > 300 && joined > 50));
}

TEST_CASE("the recipe of reads as of a time: each answers what a dictionary said that was kept of every window", "[recipes]") {
#include "as_of.inc"
    std::map<std::string, std::map<std::int64_t, std::optional<double>>> there{{"bund", {{10, 131.2}, {20, 131.3}, {30, {}}}}};
    std::size_t found = 0;
    Random random(11);
    for (std::int64_t time = 31; time != 3000; time += 1 + random.below(2)) {
        std::map<std::string, std::optional<double>> changed;
        {
            auto w = price.write(time);
            for (auto n = random.below(5); n != 0; --n) {
                const std::string key = "key " + std::to_string(random.below(20));
                const double value = random.below(100);
                const bool was = changed.contains(key) ? changed[key].has_value() : price.contains(key);
                if (random.chance(70))
                    w.set(key, value), changed[key] = value;
                else if (was)
                    w.remove(key), changed[key] = {};
            }
        }
        record(time);
        for (const auto& [key, value] : changed) there[key][time] = value;
        for (int i = 0; i != 10; ++i) {
            const std::string key = "key " + std::to_string(random.below(21));
            const auto when = static_cast<std::int64_t>(random.below(3000));
            const auto& points = there[key];
            const auto later = points.upper_bound(when);
            const auto expected = later == points.begin() ? std::nullopt : std::prev(later)->second;
            REQUIRE(as_of(key, when) == expected);
            found += expected.has_value();
        }
    }
    REQUIRE(found > 1000);
}

TEST_CASE("the recipe of a ring of windows: each window of the last eight is taken back, newest first", "[recipes]") {
#include "undo_ticks.inc"
    using State = std::map<std::string, std::optional<double>>;
    const auto state = [](const Prices& prices) {
        State all;
        for (auto [key, value] : prices.items()) all.emplace(key, prices.valid(key) ? std::optional(value) : std::nullopt);
        return all;
    };
    std::vector<State> states{state(price)}; // of before each window that can be taken back
    std::size_t taken = 0, refused = 0;
    Random random(12);
    for (std::int64_t time = 5; time != 3000; ++time) {
        if (random.chance(45)) {
            const bool can = states.size() > 1;
            REQUIRE(take_back(time) == can);
            if (can) states.pop_back();
            taken += can, refused += !can;
        } else {
            {
                auto w = price.write(time);
                for (auto n = random.below(8); n != 0; --n) {
                    const std::string key = "key " + std::to_string(random.below(15));
                    const auto dice = random.below(100);
                    if (dice < 50)
                        w.set(key, random.below(100));
                    else if (dice < 60)
                        w.create(key);
                    else if (dice < 70)
                        w.invalidate(key);
                    else
                        w.remove(key);
                }
            }
            record(time);
            states.push_back(state(price));
            if (states.size() > undos.size() + 1) states.erase(states.begin());
        }
        REQUIRE(state(price) == states.back());
        REQUIRE(price == before);
    }
    REQUIRE((taken > 500 && refused > 20));
}

TEST_CASE("the recipe of bars: each minute has the open, high, low and close of its ticks", "[recipes]") {
#include "bars.inc"
    struct Model {
        std::int64_t minute;
        double open, high, low, close;
    };
    std::map<std::string, Model> there{{"bund", {60, 131.1, 131.1, 131.1, 131.1}}};
    std::size_t begun = 0, joined = 0;
    Random random(13);
    for (std::int64_t time = 62; time < 60000; time += 1 + random.below(40)) {
        std::map<std::string, double> ticks;
        {
            auto w = prices.write(time);
            for (auto n = random.below(4); n != 0; --n) {
                const std::string key = "key " + std::to_string(random.below(5));
                ticks[key] = random.below(1000);
                w.set(key, ticks[key]); // what it was before in this window, nobody was told
            }
        }
        for (const auto& [key, price] : ticks) {
            Model& bar = there[key];
            const bool begins = bar.minute != time / 60 * 60;
            ++(begins ? begun : joined);
            if (begins) bar = {time / 60 * 60, price, price, price, price};
            bar = {bar.minute, bar.open, std::max(bar.high, price), std::min(bar.low, price), price};
        }
        for (const auto& [key, bar] : there) {
            const Bar& ours = bars.of_minute.at(key);
            REQUIRE((ours.open == bar.open && ours.high == bar.high && ours.low == bar.low && ours.close == bar.close));
            REQUIRE(bars.of_minute.last_modified(key) == bar.minute);
        }
    }
    REQUIRE((begun > 300 && joined > 300));
}

TEST_CASE("the recipe of a last look: each of many viewers redraws what has changed since, and nothing else", "[recipes]") {
#include "since_last_look.inc"
    using Id = decltype(labels)::handle_type;
    struct View {
        std::map<Id, slotwise::change_t> drawn{};
        std::map<Id, std::string> shown{};
        std::map<Id, int> changes{};
    };
    std::map<Id, std::string> there{{id, "stop"}};
    std::map<Id, int> changes{{id, 0}};
    std::array<View, 3> views;
    std::size_t redrawn = 0, same = 0;
    Random random(6);
    for (int i = 0; i != 10000; ++i) {
        const auto dice = random.below(100);
        if (dice < 3) {
            const auto made = labels.emplace("label");
            there.emplace(made, "label"), changes.emplace(made, 0);
        } else if (dice < 5) {
            const auto gone = some(there, random);
            if (there.size() < 5) continue;
            labels.erase(gone->first);
            there.erase(gone);
        } else if (dice < 60) {
            const auto one = some(there, random);
            const std::string text = "text " + std::to_string(random.below(3));
            labels[one->first].set(text);
            if (one->second != text) one->second = text, ++changes[one->first];
        } else {
            View& view = views[random.below(3)];
            for (const auto& [label, text] : there) {
                const bool known = view.drawn.contains(label);
                slotwise::change_t& last = view.drawn[label]; // 0: never looked
                const bool changed = labels[label].changed_since(last);
                REQUIRE(changed == (!known || view.changes[label] != changes[label]));
                view.changes[label] = changes[label];
                same += !changed, redrawn += changed;
                if (changed) {
                    last = labels[label].mark();
                    view.shown[label] = *labels[label];
                }
                REQUIRE(view.shown[label] == text);
            }
        }
    }
    REQUIRE((redrawn > 1000 && same > 1000));
}

TEST_CASE("the recipe of a spreadsheet: each cell is what all of it computed again would be, and only changed ones run",
          "[recipes]") {
#include "spreadsheet.inc"
    using Id = decltype(sheet.add({"", ' '}, 1, 1));
    struct Model {
        char operation;
        std::array<double, 2> constants{};
        std::array<Id, 2> sources{};
        std::optional<std::array<double, 2>> read{}; // when it last ran
    };
    const auto inputs_of = [](const Model& cell) { return cell.operation == '*' ? 2u : 1u; };
    std::map<Id, Model> cells;
    cells[price] = {'=', {2.5}, {}, {{2.5, 0}}};
    cells[count] = {'=', {6}, {}, {{6, 0}}};
    cells[sum] = {'*', {}, {price, count}, {{2.5, 6}}};
    const auto leads = [&](const auto& self, Id from, Id to) -> bool {
        return from == to || std::ranges::any_of(cells.at(to).sources, [&](Id each) { return each && self(self, from, each); });
    };
    std::size_t ran = 0, refused = 0, spared = 0;
    Random random(7);
    for (int i = 0; i != 3000; ++i) {
        const auto dice = random.below(100);
        const Id cell = some(cells, random)->first, other = some(cells, random)->first;
        const auto input = random.below(inputs_of(cells.at(cell)));
        if (dice < 15 && cells.size() < 25) {
            const char operation = random.chance(60) ? '*' : '=';
            const Model made{operation, {}, {}, {}};
            cells.emplace(sheet.add({"cell", operation}, inputs_of(made), 1), made);
        } else if (dice < 18 && cells.size() > 5) {
            sheet.erase(cell);
            cells.erase(cell);
            for (auto& [id, each] : cells)
                for (Id& source : each.sources)
                    if (source == cell) source = {};
        } else if (dice < 45) {
            const bool cycle = leads(leads, cell, other);
            REQUIRE(static_cast<bool>(sheet.connect(other, 0, cell, input)) == !cycle);
            if (!cycle) cells.at(cell).sources[input] = other;
            refused += cycle;
        } else if (dice < 50) {
            REQUIRE(sheet.disconnect(cell, input) == static_cast<bool>(cells.at(cell).sources[input]));
            cells.at(cell).sources[input] = {};
        } else if (dice < 80) {
            const double value = random.chance(50) ? 1 : -1; // products of them stay numbers
            sheet.set_input(cell, input, value);
            cells.at(cell).constants[input] = value;
        } else {
            std::set<Id> now;
            const auto value = [&](const auto& self, Id id) -> double {
                const Model& model = cells.at(id);
                const auto read = [&](std::size_t n) {
                    return model.sources[n] ? self(self, model.sources[n]) : model.constants[n];
                };
                return model.operation == '*' ? read(0) * read(1) : read(0);
            };
            const auto result = sheet.evaluate([&](Cell& each, Sheet::context_type& in) {
                compute(each, in);
                now.insert(in.handle());
            });
            REQUIRE(result.ran == now.size());
            for (auto& [id, model] : cells) {
                std::array<double, 2> read{};
                for (std::size_t n = 0; n != inputs_of(model); ++n)
                    read[n] = model.sources[n] ? value(value, model.sources[n]) : model.constants[n];
                REQUIRE(sheet.output(id, 0) == value(value, id));
                if (model.read != read) REQUIRE(now.contains(id));
                spared += !now.contains(id);
                model.read = read;
            }
            ran += now.size();
            REQUIRE(sheet.evaluate(compute).ran == 0);
        }
    }
    REQUIRE((ran > 500 && refused > 50 && spared > ran));
}

TEST_CASE("the recipe of components and systems: what moves is what has both, and is not frozen, in any history", "[recipes]") {
#include "systems.inc"
    struct Model {
        float x;
        bool moves, frozen;
        float speed;
    };
    std::map<slotwise::Entity, Model> there;
    for (const slotwise::Entity entity : world.entities()) there[entity] = {world.at<Position>(entity).x, false, false, 0};
    there.at(ship).moves = there.at(ice).moves = true;
    there.at(ship).speed = 2, there.at(ice).speed = 1;
    Random random(8);
    for (int i = 0; i != 3000; ++i) {
        const auto dice = random.below(100);
        if (dice < 25 || there.empty()) {
            const Model made{static_cast<float>(random.below(9)), random.chance(60), false,
                             static_cast<float>(random.below(4))};
            const auto entity =
                made.moves ? world.spawn(Position{made.x, 0}, Velocity{made.speed, 0}) : world.spawn(Position{made.x, 0});
            REQUIRE(there.emplace(entity, made).second);
        } else if (dice < 45) {
            const auto gone = some(there, random);
            REQUIRE(world.despawn(gone->first));
            there.erase(gone);
        } else if (dice < 80) {
            auto& [entity, model] = *some(there, random);
            if (dice < 60 && !model.frozen)
                world.add(entity, Frozen{}), model.frozen = true;
            else if (dice < 60)
                world.remove<Frozen>(entity), model.frozen = false;
            else if (!model.moves)
                world.add(entity, Velocity{1, 0}), model.moves = true, model.speed = 1;
            else
                world.remove<Velocity>(entity), model.moves = false;
        } else {
            move(world, 0.5f);
            for (auto& [entity, model] : there)
                if (model.moves && !model.frozen) model.x += model.speed * 0.5f;
        }
        REQUIRE(world.entities().size() == there.size());
        if (i % 20 == 0)
            for (const auto& [entity, model] : there) REQUIRE(world.at<Position>(entity).x == model.x);
    }
}

TEST_CASE("the recipe of commands: whoever has no health left is buried once, and leaves one loot", "[recipes]") {
#include "commands.inc"
    std::map<slotwise::Entity, int> there{{knight, 9}};
    std::size_t loot = 1;
    Random random(9);
    for (int i = 0; i != 1500; ++i) {
        for (auto n = random.below(5); n != 0; --n) {
            const int health = static_cast<int>(random.below(4));
            REQUIRE(there.emplace(world.spawn(Health{health}), health).second);
        }
        for (auto& [entity, health] : there)
            if (health != 0 && random.chance(30)) world.set(entity, Health{--health});
        bury();
        const auto doomed = std::erase_if(there, [](const auto& each) { return each.second == 0; });
        REQUIRE(world.query<const Health>().size() == there.size() + doomed); // nothing has happened yet
        for (auto [entity, health] : world.query<Health>())
            if (health.left == 0 && random.chance(10)) health.left = 3; // too late
        world.apply(commands);
        std::map<slotwise::Entity, int> now;
        for (auto [entity, health] : world.query<const Health>()) now.emplace(entity, health.left);
        REQUIRE(now == there);
        loot += doomed;
        REQUIRE(world.query<const Loot>().size() == loot);
    }
    REQUIRE(loot > 500);
}

TEST_CASE("the recipe of states: the ids of a state are those whose state it is, also after a loop that moves them",
          "[recipes]") {
#include "states.inc"
    using Id = decltype(guards)::handle_type;
    std::map<Id, State> there;
    for (auto [guard, post] : guards.items()) there.emplace(guard, State::walking);
    const std::array all{State::idle, State::walking, State::dead};
    Random random(10);
    for (int i = 0; i != 5000; ++i) {
        const auto dice = random.below(100);
        if (dice < 25) {
            const Id guard = guards.insert(i);
            const State state = all[random.below(3)];
            states.set(guard, state);
            there.emplace(guard, state);
        } else if (dice < 45 && !there.empty()) {
            const auto gone = some(there, random);
            guards.erase(gone->first);
            REQUIRE(states.erase(gone->first));
            there.erase(gone);
        } else if (dice < 90 && !there.empty()) {
            const auto one = some(there, random);
            states.set(one->first, one->second = all[random.below(3)]);
        } else {
            const State from = all[random.below(3)], to = all[random.below(3)];
            if (from == to) continue;
            become(from, to);
            for (auto& [guard, state] : there)
                if (state == from) state = to;
        }
        if (i % 10 != 0) continue;
        for (const State state : all) {
            std::set<Id> expected;
            for (const auto& [guard, is] : there)
                if (is == state) expected.insert(guard);
            const auto ids = states.of(state);
            REQUIRE(std::set<Id>(ids.begin(), ids.end()) == expected);
            REQUIRE((ids.size() == expected.size() && states.count(state) == expected.size()));
        }
    }
}
