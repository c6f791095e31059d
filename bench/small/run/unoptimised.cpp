// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Question: how fast is a debug build? A line each: operation, container, median nanoseconds, for 10,000 elements of 16 bytes.
// Repetitions of the contenders are interleaved.
#include "../../support/element.hpp"
#include "../flat_slot_map.hpp"

#include <slotwise/keyed/map_storage.hpp>
#include <slotwise/map/slot_map.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using Element = bench::Element16;
constexpr std::size_t count = 10'000, repetitions = 15;

struct Row {
    std::string operation, contender;
    std::function<void()> pass;
    std::vector<double> times;
};
std::vector<Row> rows;
volatile std::uint64_t result = 0;

void add(const char* operation, const char* contender, std::function<void()> pass) {
    rows.push_back({operation, contender, std::move(pass), {}});
}

double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

template <class Map>
void add_handles(const char* name, Map& map, const std::vector<std::uint32_t>& order) {
    using Handle = decltype(map.insert(Element{}));
    static std::vector<Handle> handles;
    for (std::size_t i = 0; i != count; ++i) handles.push_back(map.insert(Element{}));
    std::vector<Handle> shuffled;
    for (const std::uint32_t i : order) shuffled.push_back(handles[i]);
    handles = shuffled;
    add("lookup", name, [&map] {
        std::uint64_t sum = 0;
        const Handle* const all = handles.data();
        for (std::size_t i = 0; i != count; ++i)
            if (const Element* found = map.get(all[i])) sum += found->field;
        result = sum;
    });
    add("erase_insert", name, [&map] {
        Handle* const all = handles.data();
        const Element element{};
        for (std::size_t i = 0; i != count; ++i) {
            map.erase(all[i]);
            all[i] = map.insert(element);
        }
    });
}
template <class Map>
void add_walk(const char* name, Map& map) {
    add("range_for", name, [&map] {
        std::uint64_t sum = 0;
        for (const Element& each : map) sum += each.field;
        result = sum;
    });
}
template <class Map>
void add_keyed(const char* name, Map& map, const std::vector<std::uint32_t>& order) {
    for (const std::uint32_t i : order) map.try_emplace(std::uint64_t{i}, Element{});
    add("find", name, [&map, &order] {
        std::uint64_t sum = 0;
        const std::uint32_t* const keys = order.data();
        for (std::size_t i = 0; i != count; ++i)
            if (const auto found = map.find(std::uint64_t{keys[i]}); found != map.end()) sum += (*found).second.field;
        result = sum;
    });
    add("range_for_pairs", name, [&map] {
        std::uint64_t sum = 0;
        for (const auto& [key, each] : map) sum += key + each.field;
        result = sum;
    });
}

} // namespace

int main() {
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i != count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    slotwise::SlotMap<Element> slot_map;
    bench::small::FlatSlotMap<Element> flat_slot_map;
    std::vector<Element> vector(count);
    slotwise::MapStorage<std::uint64_t, Element> map_storage;
    std::unordered_map<std::uint64_t, Element> unordered_map;
    add_handles("SlotMap", slot_map, order);
    add_handles("flat_slot_map", flat_slot_map, order);
    add_walk("SlotMap", slot_map);
    add_walk("vector", vector);
    add_keyed("MapStorage", map_storage, order);
    add_keyed("unordered_map", unordered_map, order);
    for (std::size_t repetition = 0; repetition != repetitions; ++repetition)
        for (Row& row : rows) {
            const double start = now();
            row.pass();
            row.times.push_back((now() - start) / static_cast<double>(count));
        }
    for (Row& row : rows) {
        std::sort(row.times.begin(), row.times.end());
        std::printf("%s %s %.2f\n", row.operation.c_str(), row.contender.c_str(), row.times[repetitions / 2]);
    }
}
