// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed containers are made, used and destroyed within constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/keyed/map_view.hpp>
#include <slotwise/keyed/set_storage.hpp>
#include <slotwise/keyed/set_view.hpp>

#include <string_view>
#include <utility>

namespace {

using namespace slotwise;

constexpr KeySetOptions deferring{.deferred_erase = true};
template <class Key>
using DeferringSet = SetStorage<Key, Options<deferring>>;
template <class Key, class T>
using DeferringMap = MapStorage<Key, T, Options<deferring>>;

/// What a set and a map with the keys 1, 2, 3 answer.
template <class C>
constexpr int questions(C& c) {
    const C& reader = c;
    HOLDS(c.size() == 3 && !c.empty() && c.capacity() >= 3 && C::max_size() > 3);
    HOLDS(reader.memory_usage() > 64 + c.capacity() * sizeof(int)); // 64 bytes are the least index
    HOLDS(reader.contains(1) && !reader.contains(4) && reader.slot_of(4) == no_slot);
    const slot_t slot = reader.slot_of(2);
    const auto handle = reader.handle_of(2);
    HOLDS(reader.contains(handle) && reader.handle_at(slot) == handle && reader.key(slot) == 2);
    HOLDS(reader.state(slot) == SlotState::live && reader.explain(handle) == HandleStatus::live);
    HOLDS(reader.find(2) != reader.end() && reader.find(4) == reader.end() && c.find(2).slot() == slot);
    HOLDS(reader.keys()[slot] == 2 && reader.find(2).handle() == handle);
    std::size_t slots = 0;
    for (const slot_t live : reader.slots()) slots += reader.occupancy().test(live);
    HOLDS(slots == 3 && reader.retired() == 0 && c.recycle_retired() == 0 && reader.check_invariants());
    HOLDS(reader.get_allocator() == c.get_allocator() && reader.count(2) == 1 && c.find(handle).slot() == slot);
    auto last = c.find(2);
    HOLDS(last-- == c.find(2) && last == c.begin() && ++last == c.find(2) && --last == c.begin());
    HOLDS(c.handle_of(c.find(2)) == handle && reader.handle_of(reader.find(2)) == handle);
    auto named = reader.handles().begin();
    HOLDS(*++named == handle && named.base() == reader.find(2) && --named == reader.handles().begin());
    return 0;
}
/// How they end. `other` is an empty one.
template <class C>
constexpr int ends(C& c, C other) {
    const auto handle = c.handle_of(1);
    HOLDS(c.erase(1) && !c.erase(1) && !c.contains(handle));
    const auto kept = c.handle_of(2);
    const auto back = [&c, kept] {
        if constexpr (requires { typename C::mapped_type; })
            return c.fulfill(kept, 2, 2) != nullptr;
        else
            return c.fulfill(kept, 2) != nullptr;
    };
    HOLDS(c.erase_reserved(kept) && !c.contains(2) && c.explain(kept) == HandleStatus::reserved && back() && !back());
    HOLDS(c.extract_reserved(kept).has_value() && back() && c.handle_of(2) == kept);
    C given_up(c);
    HOLDS(given_up.erase_reserved(kept) && given_up.cancel(kept) && !given_up.cancel(kept) && !given_up.contains(2));
    HOLDS(given_up.explain(kept) == HandleStatus::stale && given_up.check_invariants());
    HOLDS(c.erase(c.handle_of(2)) && c.erase(c.begin()) == c.end() && c.empty());
    c.reserve(100);
    c.shrink_to_fit();
    C copy(c), moved(std::move(c));
    c = copy;
    copy = std::move(moved);
    HOLDS(copy == c);
    copy.swap(c);
    swap(copy, other);
    other.clear();
    other.reset();
    HOLDS(other.capacity() == 0 && other.check_invariants());
    return 0;
}

template <class Set>
constexpr int sets() {
    Set set;
    const int two = 2;
    HOLDS(set.insert(1).inserted && set.insert(two).inserted && set.emplace(3).inserted && !set.insert(1).inserted);
    if (const int line = questions(set)) return line;
    int sum = 0;
    for (const int key : set) sum += key;
    set.for_each([&](const int& key) { sum += key; });
    HOLDS(sum == 12 && set.hash_function()(1) == DefaultHash<int>()(1) && set.key_eq()(1, 1));
    auto result = set.insert(1);
    const std::pair<typename Set::iterator, bool> pair = result;
    auto& [at, inserted] = result;
    const auto& [same, was_inserted] = std::as_const(result);
    auto [again, anew] = set.insert(1);
    HOLDS(at == pair.first && same == at && again == at && !inserted && !was_inserted && !anew);
    const auto two_handle = set.handle_of(2);
    HOLDS(set[two_handle] == 2 && set.at(two_handle) == 2 && set.values()[two_handle.index()] == 2);
    HOLDS((*set.items().begin()).handle == set.handle_of(1));
    const int more[] = {10, 11};
    set.insert(more, more + 2);
    set.insert({11, 12});
    set.insert_range(more);
    HOLDS(set.size() == 6 && erase_if(set, [](int key) { return key >= 10; }) == 3);
    for (int i = 10; i != 300; ++i) set.insert(i);
    HOLDS(set.erase_if([](int key) { return key >= 10; }) == 290);
    Set extra(set);
    HOLDS(extra == set && extra.extract(extra.handle_of(3)) == 3 && !extra.extract(3) && !(extra == set));
    if constexpr (requires { set.is_subset_of(extra); }) HOLDS(extra.is_subset_of(set) && !set.is_subset_of(extra));
    if constexpr (requires { extra.merge(set); }) {
        Set from(set);
        extra.merge(from);
        HOLDS(extra.contains(3));
    }
    Set worn(set); // the versions of its slots differ
    for (int round = 0; round != 2; ++round) {
        worn.insert(1);
        const auto last = worn.handle_of(1);
        worn.reset();
        HOLDS(worn.capacity() == 0 && !worn.contains(last) && worn.check_invariants() && worn.insert(1).inserted);
        HOLDS(worn.handle_of(1) != last);
    }
    for (int round = 0; round != 2; ++round) { // the versions of the second hundred differ, and only their floors stay
        for (int i = 0; i != 200; ++i) worn.insert(i);
        for (int i = 0; i < 200; i += 2) worn.erase(i);
        for (int i = 0; i < 200; i += 4) worn.insert(i);
        worn.clear();
        worn.shrink_to_fit();
        HOLDS(worn.empty() && worn.check_invariants());
    }
    return ends(set, Set{7, 8});
}

template <class Map>
constexpr int maps() {
    Map map;
    HOLDS(map.try_emplace(1, 10).inserted && map.insert(2, 20).inserted && map.insert_or_assign(3, 31).inserted);
    HOLDS(!map.insert_or_assign(3, 30).inserted && !map.emplace(3, 0).inserted && !map.insert(std::pair(1, 1)).inserted);
    if (const int line = questions(map)) return line;
    const Map& reader = map;
    HOLDS(map[1] == 10 && map.at(2) == 20 && reader.at(3) == 30 && *map.get(1) == 10 && reader.get(4) == nullptr);
    const auto handle = map.handle_of(2);
    HOLDS(*map.get(handle) == 20 && *reader.get(handle) == 20 && map.at(handle) == 20 && reader.at(handle) == 20);
    HOLDS(map.value(map.slot_of(2)) == 20 && reader.value(map.slot_of(2)) == 20 && *reader.key(handle) == 2);
    int sum = 0;
    for (auto [key, value] : map) sum += key + value;
    for (auto [key, value] : reader.items()) sum += key + value;
    map.for_each([&](const int& key, int& value) { sum += key + value; });
    HOLDS(sum == 3 * 66 && map.values()[map.slot_of(2)] == 20 && map.find(2)->value == 20 && reader.find(2)->key == 2);
    HOLDS(map.as_set().contains(1) && map[handle] == 20 && reader[handle] == 20);
    const InsertResult<typename Map::const_iterator> result = map.insert(2, 0);
    const std::pair<int, int> more[] = {{10, 1}, {11, 2}};
    map.insert({{11, 3}, {12, 4}});
    map.insert_range(more);
    map.insert(std::begin(more), std::end(more));
    HOLDS(result.it == reader.find(handle) && map.size() == 6 && map[11] == 3);
    map[4] = 40;
    const auto four = map.handle_of(4);
    HOLDS(map.extract(four)->second == 40 && !map.extract(4) && !map.extract(four));
    map[4] = 40;
    HOLDS(map.extract(4)->second == 40 && !map.extract(4));
    for (int i = 10; i != 200; ++i) map[i] = i;
    HOLDS(map.erase_if([](int key, int) { return key >= 10; }) == 190);
    return ends(map, Map{});
}

template <class C>
constexpr int defers(C c) {
    const slot_t slot = c.slot_of(1);
    HOLDS(c.memory_usage() > 64 + c.capacity() * sizeof(int));
    HOLDS(c.remove(1) && c.pending() == 1 && c.key(slot) == 1 && c.state(slot) == SlotState::pending);
    if constexpr (requires { c[1]; })
        c[1] = 11;
    else
        HOLDS(c.insert(1).kind == InsertKind::resurrected);
    HOLDS(c.slot_of(1) == slot && c.pending() == 0);
    c.remove(c.handle_of(1));
    c.flush_removed();
    HOLDS(c.pending() == 0 && !c.contains(1) && c.check_invariants());
    return 0;
}
/// A key that was removed twice, once while its entry was away under a reserved handle.
template <class C, class... Value>
constexpr int defers_and_keeps(C c, Value... value) {
    const int key = 1;
    const auto kept = c.handle_of(key);
    HOLDS(c.erase_reserved(kept) && c.insert(key, value...).inserted);
    c.remove(c.find(key));
    HOLDS(c.pending() == 1 && c.fulfill(kept, key, value...) != nullptr && c.handle_of(key) == kept);
    HOLDS(c.erase_reserved(kept) && c.insert(key, value...).kind == InsertKind::resurrected && c.check_invariants());
    return 0;
}
/// Texts as keys, which are hashed by their characters. Views, because clang refuses the strings of libstdc++ 12 in constants.
constexpr int texts() {
    MapStorage<std::string_view, int> map;
    const std::string_view names[] = {"", "a", "ada", "grace", "alan turing", "a name of more than thirty-two characters"};
    for (int i = 0; i != 6; ++i) HOLDS(map.insert(names[i], i).inserted);
    for (int i = 0; i != 6; ++i) HOLDS(*map.get(names[i]) == i && !map.insert(names[i], 7).inserted);
    HOLDS(*map.get("ada") == 2 && !map.contains("adb") && map.erase("grace") && !map.contains(names[3]));
    HOLDS(map.size() == 5 && map.check_invariants());
    SetStorage<std::u16string_view> set{u"ada", u"grace"};
    HOLDS(set.contains(u"ada") && !set.contains(u"alan") && set.check_invariants());
    return 0;
}
struct OneGroup {
    using is_avalanching = void;
    constexpr std::size_t operator()(int) const noexcept { return 7; }
};
constexpr int crowded() {
    SetStorage<int, HashBy<OneGroup>> set;
    for (int i = 0; i != 40; ++i) HOLDS(set.insert(i).inserted); // more than a group of the index holds
    HOLDS(set.contains(39) && !set.contains(40) && set.erase(20) == 1 && !set.contains(20) && set.check_invariants());
    return 0;
}
constexpr int wide_products() {
    std::uint64_t factor = 3; // not const: the function is to be called when the program runs, too
    const detail::WideProduct product = detail::product_by_halves(~std::uint64_t{0}, factor);
    HOLDS(product.high == 2 && product.low == ~std::uint64_t{2});
    return 0;
}
constexpr DeferringMap<int, int> one_pair() {
    DeferringMap<int, int> map;
    map[1] = 10;
    return map;
}

} // namespace

IN_CONSTANTS("a SetStorage lives in a constant expression", sets<SetStorage<int>>())
IN_CONSTANTS("a SetStorage over the portable index lives in a constant expression",
             sets<SetStorage<int, IndexBy<PortableHashIndex>>>())
IN_CONSTANTS("a MapStorage lives in a constant expression", maps<MapStorage<int, int>>())
IN_CONSTANTS("a map of texts lives in a constant expression", texts())
IN_CONSTANTS("a set of keys with one hash lives in a constant expression", crowded())
IN_CONSTANTS("a product of halves is a constant", wide_products())
IN_CONSTANTS("a set defers erasure in a constant expression", defers(DeferringSet<int>{1}))
IN_CONSTANTS("a map defers erasure in a constant expression", defers(one_pair()))
IN_CONSTANTS("a set defers erasure and keeps a handle in a constant expression", defers_and_keeps(DeferringSet<int>{1}))
IN_CONSTANTS("a map defers erasure and keeps a handle in a constant expression", defers_and_keeps(one_pair(), 7))
