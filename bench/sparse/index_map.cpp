// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Values of 16 bytes by small numbers. live:<p> of the numbers below n have one; with far in the name n / 100 have one, anywhere
// in 32 bits. They are put in in ascending order, so that the nodes of the std::map lie in order too.
//
// number_find, number_far_find   the value of every id, in random order
// number_walk, number_far_walk   all ids and values; ascending, but in the unordered_map

#include "../support/element.hpp"
#include "workload.hpp"

#include <slotwise/map/index_map.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace {

using namespace bench;
using Value = Element16;

class ForEach {
public:
    void put(std::uint32_t id, const Value& value) { map_.try_emplace(id, value); }
    SLOTWISE_BENCH_STEP const Value* get(std::uint32_t id) const { return map_.get(id); }
    SLOTWISE_BENCH_STEP std::uint64_t sum() const {
        std::uint64_t sum = 0;
        map_.for_each([&](std::uint32_t id, const Value& value) { sum += id + value.field; });
        return sum;
    }

protected:
    slotwise::IndexMap<Value> map_;
};

class Iterators : public ForEach {
public:
    SLOTWISE_BENCH_STEP std::uint64_t sum() const {
        std::uint64_t sum = 0;
        for (const auto [id, value] : map_) sum += id + value.field;
        return sum;
    }
};

template <class Map>
class Standard {
public:
    void put(std::uint32_t id, const Value& value) { map_.emplace(id, value); }
    SLOTWISE_BENCH_STEP const Value* get(std::uint32_t id) const {
        const auto it = map_.find(id);
        return it != map_.end() ? &it->second : nullptr;
    }
    SLOTWISE_BENCH_STEP std::uint64_t sum() const {
        std::uint64_t sum = 0;
        for (const auto& [id, value] : map_) sum += id + value.field;
        return sum;
    }

private:
    Map map_;
};

// The limit: no far ids, and each growth moves all values.
class Optionals {
public:
    void put(std::uint32_t id, const Value& value) {
        if (id >= values_.size()) values_.resize(id + 1);
        values_[id] = value;
    }
    SLOTWISE_BENCH_STEP const Value* get(std::uint32_t id) const {
        return id < values_.size() && values_[id] ? &*values_[id] : nullptr;
    }
    SLOTWISE_BENCH_STEP std::uint64_t sum() const {
        std::uint64_t sum = 0;
        for (std::size_t id = 0; id != values_.size(); ++id)
            if (values_[id]) sum += id + values_[id]->field;
        return sum;
    }

private:
    std::vector<std::optional<Value>> values_;
};

[[nodiscard]] std::vector<std::uint32_t> ids_of(std::size_t n, int live, bool far) {
    std::vector<std::uint32_t> ids;
    const std::vector<std::uint32_t> order = shuffled(n, 1);
    const std::size_t count = far ? n / 100 : n * static_cast<std::size_t>(live) / 100;
    for (std::size_t i = 0; i != count; ++i) ids.push_back(far ? order[i] * 2'654'435'761u % 0xFFFF'FFFEu : order[i]);
    return ids;
}

[[nodiscard]] std::vector<std::uint32_t> ascending(std::vector<std::uint32_t> ids) {
    std::sort(ids.begin(), ids.end());
    return ids;
}

template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t find_all(const C& contender, const std::vector<std::uint32_t>& ids) {
    std::uint64_t sum = 0;
    for (const std::uint32_t id : ids)
        if (const Value* const value = contender.get(id)) sum += value->field;
    return sum;
}
template <class C>
SLOTWISE_BENCH_LOOP std::uint64_t walk(const C& contender) {
    return contender.sum();
}

template <class C>
void add_map(const std::string& name, Role role, bool far_too = true) {
    for (const std::size_t n : {std::size_t{100'000}, std::size_t{1'000'000}})
        for (const auto& [live, far] : {std::pair(100, false), std::pair(10, false), std::pair(0, true)}) {
            if (far && !far_too) continue;
            const auto add_row = [&, live = live, far = far](const char* operation, auto body) {
                const Row row{std::string(far ? "number_far_" : "number_") + operation, 16, n, far ? -1 : live};
                add(row, name, role, sparse::batches_for(n), [=](benchmark::State& state) {
                    C contender;
                    const std::vector<std::uint32_t> ids = ids_of(n, live, far);
                    for (const std::uint32_t id : ascending(ids)) contender.put(id, values<Value>()[id % 1000]);
                    const std::size_t passes = sparse::passes_for(ids.size(), 1'000'000);
                    return Measured{ids.size() * passes,
                                    timed_passes(state, passes, contender, [&] { return body(contender, ids); })};
                });
            };
            add_row("find", [](const C& contender, const auto& ids) { return find_all(contender, ids); });
            add_row("walk", [](const C& contender, const auto&) { return walk(contender); });
        }
}

const Registered registered([] {
    add_map<ForEach>("IndexMap", Role::ours);
    add_map<Iterators>("IndexMap_iterators", Role::ours);
    add_map<Standard<std::map<std::uint32_t, Value>>>("std_map", Role::rival);
    add_map<Standard<std::unordered_map<std::uint32_t, Value>>>("unordered_map", Role::rival);
    add_map<Optionals>("vector_of_optional", Role::limit, false);
});

} // namespace
