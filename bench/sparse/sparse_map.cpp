// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/sparse/sparse_map.hpp>
#include <slotwise/sparse/sparse_set.hpp>

namespace {

using namespace bench;

template <class Id>
class Map {
public:
    static Id id(std::uint32_t i) {
        if constexpr (slotwise::AnyHandle<Id>)
            return Id(i, 1);
        else
            return i;
    }
    static Id other(std::uint32_t i) {
        if constexpr (slotwise::AnyHandle<Id>)
            return Id(i, 3);
        else
            return i + 5'000'000;
    }
    SLOTWISE_BENCH_STEP void insert(Id id, int value) { map_.try_emplace(id, value); }
    SLOTWISE_BENCH_STEP void erase(Id id) { map_.erase(id); }
    SLOTWISE_BENCH_STEP bool contains(Id id) const { return map_.contains(id); }
    SLOTWISE_BENCH_STEP int get(Id id) const { return map_[id]; }
    std::size_t size() const { return map_.size(); }
    std::uint32_t sum() const {
        std::uint32_t sum = 0;
        for (const auto& chunk : map_.chunks())
            for (const int value : chunk.values()) sum += static_cast<std::uint32_t>(value);
        return sum;
    }
    void update() {
        for (const auto& chunk : map_.chunks())
            for (int& value : chunk.values()) value ^= 1;
    }

protected:
    slotwise::SparseMap<Id, int> map_;
};
using Wide = slotwise::Handle<struct WideTag>;
using Narrow = slotwise::Handle<struct NarrowTag, slotwise::HandleLayout{20, 12, 0}>;

// As above, and asks whether the id is there.
class Checked : public Map<Narrow> {
public:
    SLOTWISE_BENCH_STEP int get(Narrow id) const {
        const int* const value = map_.get(id);
        return value != nullptr ? *value : 0;
    }
};

const Registered registered([] {
    sparse::add_map<Map<Narrow>>("SparseMap", Role::ours);
    sparse::add_map<Map<Wide>>("SparseMap_64_bits", Role::ours);
    sparse::add_map<Map<std::uint32_t>>("SparseMap_numbers", Role::ours);
    sparse::add_map<Checked>("SparseMap_checked", Role::ours);
});

} // namespace
