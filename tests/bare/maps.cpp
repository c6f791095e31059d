// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The slot maps without exceptions and RTTI: insert, stale handle, observer, snapshot, secondary and identity map all work.
#include <slotwise/slotwise.hpp>

#include <cstdio>
#include <memory>
#include <type_traits>

using namespace slotwise;

namespace {

int failures = 0;

void check(bool right, const char* what) {
    if (!right) {
        std::printf("wrong: %s\n", what);
        ++failures;
    }
}

struct Counter final : SlotObserver {
    int inserted = 0;
    int erased = 0;
    void on_insert(slot_t, InsertKind) override { ++inserted; }
    void on_erase(slot_t) noexcept override { ++erased; }
};

template <class Map>
void run_values(const char* name) {
    Map map;
    Counter counter;
    const auto token = map.attach(counter);
    const auto one = map.insert(1);
    const auto two = map.insert(2);
    check(map.erase(one), name);
    const auto three = map.insert(3);
    check(map.get(one) == nullptr, name);
    check(map[two] == 2 && map.at(three) == 3, name);

    int sum = 0;
    map.for_each([&](int& value) { sum += value; });
    check(sum == 5 && map.size() == 2, name);
    check(counter.inserted == 3 && counter.erased == 1, name);

    const auto bytes = map.snapshot();
    Map other;
    other.restore(bytes);
    check(other == map && other.insert(4) == map.insert(4), name);
    map.clear();
    check(map.empty() && !map.contains(two), name);
}

void run_others() {
    SoaSlotMap<int, double> rows;
    const auto row = rows.insert(1, 0.5);
    check(rows.contains(row) && rows.column<0>()[0] == 1 && rows.column<1>().size() == 1, "SoaSlotMap");

    SlotMap<int> map;
    const auto handle = map.insert(1);
    SecondaryMap<SlotMap<int>::handle_type, float> weights;
    SparseSecondaryMap<SlotMap<int>::handle_type, float> rare;
    IdentityMap<int, SlotMap<int>::handle_type> names;
    weights.attach_to(map);
    rare.attach_to(map);
    names.attach_to(map);
    check(weights.insert(handle, 1.5F).second && rare.insert(handle, 2.5F).second && names.insert(7, handle), "insert");
    check(names.handle_of(7) == handle, "IdentityMap");
    map.erase(handle);
    check(!weights.contains(handle) && !rare.contains(handle) && !names.contains(7), "what is attached follows an erase");

    SlotMap<std::unique_ptr<int>> owners;
    const auto owner = owners.insert(std::make_unique<int>(9));
    const auto taken = owners.extract(owner);
    check(taken && **taken == 9 && owners.empty(), "a move-only element");
}

} // namespace

int main() {
    run_values<SlotMap<int>>("SlotMap");
    run_values<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>>>("SlotMap, lifo");
#if SLOTWISE_VIRTUAL_MEMORY
    run_values<SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>>>("SlotMap, reserved");
#endif
    run_values<DenseSlotMap<int>>("DenseSlotMap");
    run_others();
    return failures == 0 ? 0 : 1;
}
