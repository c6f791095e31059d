// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Keyed storage without exceptions and RTTI: sets, maps, views, columns, observers, deferred erase, snapshots and described
// types work; and every error ends in the failure hook with its text.
#include "bare.hpp"

#include <memory>
#include <string>

using namespace slotwise;
using bare::check;

namespace {

//=== what works ===//

struct Counter final : SlotObserver {
    int inserted = 0, removed = 0, erased = 0;
    void on_insert(slot_t, InsertKind) override { ++inserted; }
    void on_remove(slot_t) noexcept override { ++removed; }
    void on_erase(slot_t) noexcept override { ++erased; }
};
int total(MapView<std::string, int> stock) {
    int sum = 0;
    for (const auto [name, count] : stock) sum += count;
    return sum;
}

template <template <class> class Index>
void run_maps(const char* name) {
    MapStorage<std::string, int, Options<KeySetOptions{.deferred_erase = true}>, IndexBy<Index>, Column<char>> stock;
    Counter counter;
    const auto token = stock.attach(counter);
    stock["nails"] = 100;
    stock.try_emplace("screws", 20);
    stock.insert_or_assign("glue", 3);
    const auto handle = stock.handle_of("glue");
    stock.template observer<0>()[handle.index()] = 'g';
    check(stock.contains("nails") && !stock.contains("tape") && *stock.get(handle) == 3, name);
    check(stock.remove(handle) && stock.get(handle) == nullptr && stock.pending() == 1, name);
    check(stock.insert("glue", 4).kind == InsertKind::resurrected && total(stock) == 124, name);
    check(stock.erase("glue") && total(stock) == 120, name);
    stock.flush_removed();
    check(counter.inserted == 4 && counter.removed == 2 && counter.erased == 1, name);
    for (int i = 0; i != 1000; ++i) stock.try_emplace("number " + std::to_string(i), i);
    check(stock.at("number 999") == 999 && stock.check_invariants(), name);
    auto moved = std::move(stock);
    auto copy = moved;
    check(copy == moved && copy.extract("nails").has_value() && !(copy == moved), name);
}

void run_others() {
    SetStorage<int> set{3, 1, 2}, other{3, 4};
    set.merge(other);
    check(set.size() == 4 && other.size() == 1 && set.includes(other), "sets");
    const auto bytes = set.snapshot();
    SetStorage<int> restored;
    restored.restore(bytes);
    check(restored == set && restored.handle_of(4) == set.handle_of(4), "snapshot");
    check(restored.try_restore(std::span(bytes).first(5)) != nullptr && restored == set, "bad bytes");

    MapStorage<int, std::unique_ptr<int>> owners;
    owners.try_emplace(1, std::make_unique<int>(9));
    auto taken = owners.extract(1);
    check(taken && *taken->second == 9 && owners.empty(), "a move-only value");

    AnyMapStorage described(TypeDescriptor::of<std::string>(), TypeDescriptor::of<int>());
    const std::string key = "nails";
    const int value = 5;
    described.insert(&key, &value);
    check(*static_cast<const int*>(described.at(&key)) == 5 && described.erase(&key) && described.empty(), "described types");
}

//=== what stops ===//

using Map = MapStorage<int, int>;
using Small = KeySet<int, Options<KeySetOptions{.max_slots = 2}>>;

const bare::Case cases[] = {
    {"at_key", "map at(key): no element has this key",
     [] {
         const Map map;
         std::printf("%d\n", map.at(7));
     }},
    {"at_handle", "map at(handle): no element has this handle",
     [] {
         Map map;
         std::printf("%d\n", map.at(Map::handle_type()));
     }},
    {"view_at", "map view at(key): no element has this key",
     [] {
         const Map map;
         std::printf("%d\n", MapView<int, int>(map).at(7));
     }},
    {"key", "no key is there",
     [] {
         const KeySet<int> set;
         std::printf("%d\n", set.key(slot_t{0}));
     }},
    {"value", "no value is there",
     [] {
         const Map map;
         std::printf("%d\n", map.value(0));
     }},
    {"erase_end", "or it is the end",
     [] {
         KeySet<int> set;
         set.erase(set.end());
     }},
    {"full", "use more index bits",
     [] {
         Small set;
         for (int i = 0; i != 3; ++i) set.insert(i);
     }},
    {"reserve", "count exceeds max_size()",
     [] {
         Small set;
         set.reserve(3);
     }},
    {"restore", "these bytes are not a snapshot of a keyed container",
     [] {
         Map map;
         map.restore(SlotMap<int>().snapshot());
     }},
    {"descriptor", "TypeDescriptor of a key: hash, equal and copy must be given", [] { AnySetStorage set{TypeDescriptor{}}; }},
    {"described_at", "type-erased map at(key): no element has this key",
     [] {
         const int key = 1;
         AnyMapStorage map(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
         std::printf("%d\n", *static_cast<const int*>(map.at(&key)));
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] {
        run_maps<HashIndex>("a map over HashIndex");
        run_maps<PortableHashIndex>("a map over PortableHashIndex");
        run_others();
    });
}
