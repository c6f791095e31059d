// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The guide's recipes of data beside elements and of keys: each is run as the guide has it, and goes on with random histories
// against a model.
#undef NDEBUG // the recipes assert
#include "support/catch.hpp"
#include "support/maps.hpp"

#include <slotwise/core/public_id.hpp>
#include <slotwise/ecs/relation_map.hpp>
#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/identity_map.hpp>
#include <slotwise/map/slot_map.hpp>
#include <slotwise/map/sparse_secondary_map.hpp>
#include <slotwise/slots/value_array.hpp>

#include <algorithm>
#include <cassert>
#include <deque>
#include <iterator>
#include <map>
#include <random>
#include <set>
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

TEST_CASE("the recipe of a column: a score is its player's, from 0 on, in any history", "[recipes]") {
#include "column.inc"
    std::map<decltype(players)::handle_type, int> there{{eve, 0}};
    Random random(1);
    for (int i = 0; i != 5000; ++i) {
        const auto dice = random.below(100);
        if (dice < 35) {
            const auto id = players.insert("player " + std::to_string(i));
            REQUIRE(players.column<int>().at(id) == 0);
            there.emplace(id, 0);
        } else if (dice < 65 && !there.empty()) {
            const auto gone = some(there, random);
            players.erase(gone->first);
            REQUIRE(players.column<int>().get(gone->first) == nullptr);
            there.erase(gone);
        } else if (!there.empty()) {
            const auto scorer = some(there, random);
            players.column<int>()[scorer->first] += i;
            scorer->second += i;
        }
        if (i % 20 == 0)
            for (const auto& [id, score] : there) REQUIRE(players.column<int>().at(id) == score);
    }
}

TEST_CASE("the recipe of data of a few: a title goes with its unit, and no later unit has it", "[recipes]") {
#include "data_of_few.inc"
    using Unit = decltype(units)::handle_type;
    std::set<Unit> there;
    for (auto [unit, n] : units.items()) there.insert(unit);
    std::map<Unit, std::string> titled;
    Random random(2);
    for (int i = 0; i != 5000; ++i) {
        const auto dice = random.below(100);
        if (dice < 40)
            there.insert(units.insert(i));
        else if (dice < 75 && !there.empty()) {
            const Unit gone = *some(there, random);
            units.erase(gone);
            there.erase(gone), titled.erase(gone);
        } else if (!there.empty()) {
            const Unit unit = *some(there, random);
            const std::string title = "Lord of the hill number " + std::to_string(i);
            if (dice < 92)
                titles.insert(unit, title), titled.emplace(unit, title);
            else
                REQUIRE(titles.erase(unit) == (titled.erase(unit) != 0));
        }
        REQUIRE(titles.size() == titled.size());
        if (i % 20 == 0) {
            std::map<Unit, std::string> now;
            for (auto [unit, title] : titles) now.emplace(unit, title);
            REQUIRE(now == titled);
        }
    }
}

TEST_CASE("the recipe of parents and children: a subtree goes as a whole, and nothing else does", "[recipes]") {
#include "parents.inc"
    std::map<Node, Node> there; // each with its parent, or null
    std::size_t in_trees = 0;
    Random random(3);
    const auto is_below = [&](Node node, Node root) {
        for (; node; node = there.at(node))
            if (node == root) return true;
        return false;
    };
    for (int i = 0; i != 4000; ++i) {
        const auto dice = random.below(100);
        if (dice < 60 || there.empty()) {
            const Node node = nodes.insert("node " + std::to_string(i)),
                       parent = there.empty() ? Node() : some(there, random)->first;
            there.emplace(node, Node());
            if (!parent || dice < 10) continue;
            links.insert(node, Link::child_of, parent);
            there[node] = parent;
        } else if (dice < 85) { // to another parent
            const Node node = some(there, random)->first, parent = some(there, random)->first;
            if (is_below(parent, node)) continue;
            links.insert(node, Link::child_of, parent);
            there[node] = parent;
        } else {
            const Node root = some(there, random)->first;
            std::vector<Node> gone;
            for (const auto& [node, parent] : there)
                if (is_below(node, root)) gone.push_back(node);
            if (gone.size() > 50) continue;
            erase_tree(erase_tree, root);
            for (const Node node : gone) there.erase(node);
            in_trees += gone.size() - 1;
        }
        REQUIRE(nodes.size() == there.size());
        if (i % 20 != 0) continue;
        std::size_t linked = 0;
        for (const auto& [node, parent] : there) {
            REQUIRE(nodes.contains(node));
            const Node* const target = links.target(node, Link::child_of);
            REQUIRE((target ? *target : Node()) == parent);
            linked += static_cast<bool>(parent);
            std::set<Node> children, expected;
            for (const Node child : links.sources(Link::child_of, node)) children.insert(child);
            for (const auto& [child, of] : there)
                if (of == node) expected.insert(child);
            if (i % 400 == 0) REQUIRE(children == expected);
        }
        REQUIRE(links.size() == linked);
    }
    REQUIRE(in_trees > 200);
}

TEST_CASE("the recipe of reactions: what an observer was told is what happened, in that order", "[recipes]") {
#include "reactions.inc"
    std::set<slotwise::slot_t> live{0};
    std::vector<decltype(map)::handle_type> there;
    for (auto [id, n] : map.items()) there.push_back(id);
    Random random(4);
    std::string expected = log.text;
    for (int i = 0; i != 3000; ++i) {
        if (random.chance(50)) {
            there.push_back(map.insert(i));
            expected += "+" + std::to_string(there.back().index());
            REQUIRE(live.insert(there.back().index()).second);
        } else if (!there.empty()) {
            std::swap(there[random.below(there.size())], there.back());
            map.erase(there.back());
            expected += "-" + std::to_string(there.back().index());
            live.erase(there.back().index());
            there.pop_back();
        }
        REQUIRE(log.text == expected);
    }
    for (int i = 0; i != 100; ++i) { // attached late: what is there comes first, each once
        Log late;
        std::set<std::string> told;
        const auto other = map.attach(late);
        for (const auto slot : live) told.insert("+" + std::to_string(slot));
        std::size_t length = 0;
        for (const auto& each : told) {
            REQUIRE(late.text.find(each) != std::string::npos);
            length += each.size();
        }
        REQUIRE(late.text.size() == length);
        if (random.chance(70) || there.empty()) {
            there.push_back(map.insert(i));
            live.insert(there.back().index());
        } else {
            map.erase(there.back());
            live.erase(there.back().index());
            there.pop_back();
        }
    }
}

TEST_CASE("the recipe of lasting ids: in each run a file's ids lead to its elements, under whatever handles these have now",
          "[recipes]") {
#include "lasting_ids.inc"
    using Id = decltype(bonds)::handle_type;
    std::map<std::string, double> file; // what outlives the program
    std::size_t other_handles = 0;
    for (int run = 0; run != 20; ++run) {
        std::map<std::string, Id> before;
        for (const auto& [text, price] : file) before.emplace(text, ids.handle_of(*slotwise::PublicId::parse(text)));
        bonds.clear(); // the program ends
        REQUIRE(ids.empty());
        std::vector<std::string> order;
        for (const auto& [text, price] : file) order.push_back(text);
        for (std::size_t i = 0; i + 1 < order.size(); ++i) // elements come in any order
            std::swap(order[i], order[i + std::uniform_int_distribution<std::size_t>(0, order.size() - i - 1)(random)]);
        for (const std::string& text : order) {
            const Id handle = bonds.insert(file.at(text));
            REQUIRE(ids.insert(*slotwise::PublicId::parse(text), handle));
            other_handles += handle != before.at(text);
        }
        Random steps(static_cast<std::uint64_t>(run));
        for (int i = 0; i != 300; ++i) {
            if (steps.chance(55)) {
                const Id handle = bonds.insert(i);
                const auto id = slotwise::PublicId::random(random);
                REQUIRE(ids.insert(id, handle));
                file.emplace(std::string(id.to_text()), i);
            } else if (!file.empty()) {
                const auto gone = some(file, steps);
                const auto id = *slotwise::PublicId::parse(gone->first);
                REQUIRE(bonds.erase(ids.handle_of(id)));
                REQUIRE(ids.handle_of(id).is_null());
                file.erase(gone);
            }
            REQUIRE(ids.size() == file.size());
        }
        for (const auto& [text, price] : file) {
            const Id handle = ids.handle_of(*slotwise::PublicId::parse(text));
            REQUIRE((bonds[handle] == price && std::string(ids.id_of(handle)->to_text()) == text));
        }
    }
    REQUIRE(other_handles > 1000);
}

TEST_CASE("the recipe of an order book: trades are those of a book that looks at every order, cancelled or not", "[recipes]") {
#include "order_book.inc"
    struct Order {
        slotwise::HandleOf<decltype(orders)> id;
        int price, left;
    };
    std::vector<Order> book{{third, 101, 3}}; // in order of time
    std::size_t cancelled = 0, late = 0;
    int bought = 0;
    Random random(5);
    for (int i = 0; i != 8000; ++i) {
        const auto dice = random.below(100);
        const int quantity = 1 + static_cast<int>(random.below(9));
        if (dice < 50) {
            const int price = 95 + static_cast<int>(random.below(10));
            book.push_back({ask(price, quantity), price, quantity});
        } else if (dice < 70 && !book.empty()) {
            const auto gone = book.begin() + static_cast<std::ptrdiff_t>(random.below(book.size()));
            REQUIRE(orders.erase(gone->id));
            REQUIRE(!orders.erase(gone->id)); // a second time it is too late
            book.erase(gone);
            ++cancelled;
        } else if (dice < 72 && !book.empty()) {
            const auto id = book.front().id;
            book.front().left += quantity;
            orders[id] += quantity;
            ++late;
        } else {
            int wanted = quantity * 2, paid = 0;
            while (wanted != 0 && !book.empty()) {
                const auto best = std::ranges::min_element(book, {}, &Order::price); // the first of them
                const int traded = std::min(wanted, best->left);
                wanted -= traded, paid += traded * best->price, bought += traded;
                if ((best->left -= traded) == 0) book.erase(best);
            }
            REQUIRE(buy(quantity * 2) == paid);
        }
        REQUIRE(orders.size() == book.size());
        if (i % 20 == 0)
            for (const Order& order : book) REQUIRE(orders[order.id] == order.left);
    }
    REQUIRE((cancelled > 1000 && late > 100 && bought > 10000));
}

TEST_CASE("the recipe of keys without case: a map that folds them first is the model", "[recipes]") {
    using Headers = slotwise::MapStorage<std::string, int>; // used below for its name alone
    static_assert(sizeof(Headers) != 0);
#include "no_case.inc"
    std::map<std::string, int> folded{{"content-length", 42}};
    Random random(6);
    for (int i = 0; i != 8000; ++i) {
        std::string key, low;
        for (auto n = 1 + random.below(3); n != 0; --n) {
            const char c = "abcd-"[random.below(5)];
            low += c;
            key += c != '-' && random.chance(50) ? static_cast<char>(c - 'a' + 'A') : c;
        }
        const auto dice = random.below(100);
        if (dice < 50)
            REQUIRE(headers.insert(key, i).inserted == folded.emplace(low, i).second);
        else if (dice < 80)
            REQUIRE(headers.erase(std::string_view(key)) == folded.erase(low));
        else {
            const int* const value = headers.get(std::string_view(key));
            REQUIRE((value != nullptr) == folded.contains(low));
            if (value) REQUIRE(*value == folded.at(low));
        }
        REQUIRE(headers.size() == folded.size());
    }
}

TEST_CASE("the recipe of what is removed and still readable: until the flush each has its key and value, and then none",
          "[recipes]") {
#include "removed_readable.inc"
    std::map<std::string, int> there;
    std::map<slotwise::slot_t, std::pair<std::string, int>> gone; // in this frame
    std::size_t read = 0, back = 0;
    Random random(7);
    for (int i = 0; i != 8000; ++i) {
        const auto dice = random.below(100);
        const std::string key = "a player whose name is long " + std::to_string(random.below(60));
        if (dice < 45) {
            const auto [it, inserted] = scores.insert(key, i);
            REQUIRE(inserted == there.emplace(key, i).second);
            back += gone.erase(it.slot()); // resurrected in its slot, if it is there
        } else if (dice < 90) {
            const auto it = scores.find(key);
            REQUIRE((it == scores.end()) == !there.contains(key));
            if (it == scores.end()) continue;
            gone.emplace(it.slot(), std::pair(key, there.at(key)));
            scores.remove(key);
            there.erase(key);
        } else if (dice < 94) {
            scores.flush_removed();
            gone.clear();
        }
        REQUIRE((scores.size() == there.size() && scores.pending() == gone.size()));
        for (const auto& [slot, was] : gone) {
            REQUIRE((scores.key(slot) == was.first && scores.value(slot) == was.second && !scores.contains(was.first)));
            ++read;
        }
        for (const auto& [name, score] : there) REQUIRE(*scores.get(name) == score);
    }
    REQUIRE((read > 5000 && back > 100));
}
