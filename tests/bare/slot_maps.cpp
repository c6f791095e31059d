// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Without exceptions and RTTI: every slot map under every policy against a plain table of what must be there.
#include <slotwise/slotwise.hpp>

#include <cstdio>
#include <memory>
#include <vector>

using namespace slotwise;

namespace {

int passed = 0;
int failures = 0;

void check(bool right, const char* what, int line) {
    if (right) {
        ++passed;
        return;
    }
    ++failures;
    std::printf("line %d: wrong: %s\n", line, what);
}
#define SLOTWISE_TEST_CHECK(condition) check((condition), #condition, __LINE__)

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
            SLOTWISE_TEST_CHECK(map.erase(all[pick].handle));
            all[pick].live = false;
        } else
            SLOTWISE_TEST_CHECK(!map.erase(all[pick].handle));
        if (step % 500 == 499) {
            std::size_t live = 0;
            bool right = map.check_invariants();
            for (const auto& entry : all) {
                right = right && map.contains(entry.handle) == entry.live;
                if (entry.live) right = right && value_of(map, entry.handle) == entry.value;
                live += entry.live;
            }
            SLOTWISE_TEST_CHECK(right && live == map.size());
            Map restored;
            SLOTWISE_TEST_CHECK(restored.try_restore(map.snapshot()) == nullptr);
            SLOTWISE_TEST_CHECK(restored == map);
            map = restored;
            map.shrink_to_fit();
        }
    }
    const auto reserved = map.reserve_handle();
    SLOTWISE_TEST_CHECK(map.explain(reserved) == HandleStatus::reserved);
    SLOTWISE_TEST_CHECK(map.cancel(reserved));
    SLOTWISE_TEST_CHECK(!map.contains(handle_type::from_bits(static_cast<typename handle_type::bits_type>(~0ull))));
    map.clear();
    SLOTWISE_TEST_CHECK(map.empty() && map.check_invariants());
}

template <Reuse R>
constexpr SlotMapOptions with{.reuse = R};

void elements() {
    SlotMap<std::unique_ptr<int>> owners;
    const auto handle = owners.insert(std::make_unique<int>(4));
    auto taken = owners.extract(handle);
    SLOTWISE_TEST_CHECK(taken && **taken == 4 && !owners.get(handle));
    struct Fixed {
        explicit Fixed(int v) : value(v) {}
        Fixed(const Fixed&) = delete;
        Fixed& operator=(const Fixed&) = delete;
        int value;
    };
    SlotMap<Fixed> fixed;
    const Fixed* const address = fixed.get(fixed.emplace(3));
    for (int i = 0; i != 10'000; ++i) fixed.emplace(i);
    SLOTWISE_TEST_CHECK(address->value == 3);
}

} // namespace

int main() {
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
    std::printf("%d passed, %d failed\n", passed, failures);
    return failures;
}
