// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions and RTTI: every slot map under every policy against a plain table of what must be there; observers,
// snapshots, secondary and identity maps.
#include "bare.hpp"

#include <memory>
#include <vector>

using namespace slotwise;
using bare::check;

namespace {

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

    check(map.set_max_slots(2) && map.full() && map.try_insert(5).is_null() && map.try_emplace(5).is_null(), name);
    check(map.size() == 2 && map.set_max_slots(map.max_size()), name);
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
    check(weights.insert(handle, 1.5F).inserted && rare.insert(handle, 2.5F).inserted && names.insert(7, handle), "insert");
    check(names.handle_of(7) == handle, "IdentityMap");
    IndexMap<int> numbers;
    check(numbers.insert(9, 90).inserted && numbers.insert(4, 40).inserted && !numbers.insert(4, 41).inserted, "IndexMap");
    check(numbers.begin()->id == 4 && numbers.lower_bound(5)->value == 90 && numbers.erase(4) && numbers.size() == 1,
          "in order");
    map.erase(handle);
    check(!weights.contains(handle) && !rare.contains(handle) && !names.contains(7), "what is attached follows an erase");

    HandlePool<int, Options<SlotMapOptions{.max_slots = 2}>> pool;
    const auto first = pool.create();
    check(pool.contains(pool.try_create()) && pool.try_create().is_null(), "a full HandlePool answers null");
    check(pool.erase(first) && !pool.contains(first) && pool.size() == 1 && pool.check_invariants(), "HandlePool erases");

    AnySlotMap described(TypeDescriptor::of<int>());
    const int five = 5;
    const auto of_type = described.insert(&five);
    check(*static_cast<const int*>(described.at(of_type)) == 5 && described.extract(of_type).as<int>() == 5, "AnySlotMap");
    check(described.empty() && described.check_invariants(), "AnySlotMap after extract");

    SlotMap<std::unique_ptr<int>> owners;
    const auto owner = owners.insert(std::make_unique<int>(9));
    const auto taken = owners.extract(owner);
    check(taken && **taken == 9 && owners.empty(), "a move-only element");
}

template <class Map>
int value_of(const Map& map, typename Map::handle_type handle) {
    if constexpr (requires { map[handle].template get<0>(); })
        return map[handle].template get<0>();
    else
        return map[handle];
}
template <class Map>
auto put(Map& map, int value) {
    if constexpr (requires { map.insert(value, 'x'); })
        return map.insert(value, 'x');
    else
        return map.insert(value);
}

template <class Map>
void churn() {
    using handle_type = typename Map::handle_type;
    struct Entry {
        handle_type handle;
        int value;
        bool live;
    };
    Map map;
    std::vector<Entry> all;
    unsigned seed = 12345;
    for (int step = 0; step != 2000; ++step) {
        seed = seed * 1664525u + 1013904223u;
        const auto pick = all.empty() ? 0 : (seed >> 8) % all.size();
        if (all.empty() || (seed >> 28) < 9)
            all.push_back({put(map, step), step, true});
        else if (all[pick].live) {
            check(map.erase(all[pick].handle), __func__);
            all[pick].live = false;
        } else
            check(!map.erase(all[pick].handle), __func__);
        if (step % 500 == 499) {
            std::size_t live = 0;
            bool right = map.check_invariants();
            for (const auto& entry : all) {
                right = right && map.contains(entry.handle) == entry.live;
                if (entry.live) right = right && value_of(map, entry.handle) == entry.value;
                live += entry.live;
            }
            check(right && live == map.size(), __func__);
            Map restored;
            check(restored.try_restore(map.snapshot()) == nullptr, __func__);
            check(restored == map, __func__);
            map = restored;
            map.shrink_to_fit();
        }
    }
    const auto reserved = map.reserve_handle();
    check(map.explain(reserved) == HandleStatus::reserved, __func__);
    check(map.cancel(reserved), __func__);
    check(!map.contains(handle_type::from_bits(static_cast<typename handle_type::bits_type>(~0ull))), __func__);
    map.clear();
    check(map.empty() && map.check_invariants(), __func__);
}

template <Reuse R>
constexpr SlotMapOptions with{.reuse = R};

void elements() {
    SlotMap<std::unique_ptr<int>> owners;
    const auto handle = owners.insert(std::make_unique<int>(4));
    auto taken = owners.extract(handle);
    check(taken && **taken == 4 && !owners.get(handle), __func__);
    struct Fixed {
        explicit Fixed(int v) : value(v) {}
        Fixed(const Fixed&) = delete;
        Fixed& operator=(const Fixed&) = delete;
        int value;
    };
    SlotMap<Fixed> fixed;
    const Fixed* const address = fixed.get(fixed.emplace(3));
    for (int i = 0; i != 10'000; ++i) fixed.emplace(i);
    check(address->value == 3, __func__);
}

} // namespace

int main() {
    run_values<SlotMap<int>>("SlotMap");
    run_values<SlotMap<int, Options<SlotMapOptions{.reuse = Reuse::lifo}>>>("SlotMap, lifo");
#if SLOTWISE_VIRTUAL_MEMORY
    run_values<SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>>>("SlotMap, reserved");
#endif
    run_values<SlotMap<int, Options<SlotMapOptions{.zero_vacant = true, .atomic_versions = true}>>>(
        "SlotMap, with options for C");
    run_values<DenseSlotMap<int>>("DenseSlotMap");
    run_others();
    churn<SlotMap<int, Options<with<Reuse::lifo>>>>();
    churn<SlotMap<int, Options<with<Reuse::fifo>>>>();
    churn<SlotMap<int>>();
#if SLOTWISE_VIRTUAL_MEMORY
    churn<SlotMap<int, Options<SlotMapOptions{.growth = Growth::reserve}>>>();
#endif
    churn<DenseSlotMap<int, Options<with<Reuse::fifo>>>>();
    churn<DenseSlotMap<int>>();
    churn<SoaSlotMap<int, char>>();
    churn<SlotMap<int, Options<SlotMapOptions{.handle = {.index_bits = 12, .version_bits = 4, .user_bits = 0}}>>>();
    elements();
    return bare::failures == 0 ? 0 : 1;
}
