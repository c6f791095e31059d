// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// Hash maps from numbers to values: what one takes when ids are any numbers.
#pragma once

#include "workload.hpp"

namespace bench::sparse {

template <class Map>
class HashMap {
public:
    static std::uint32_t id(std::uint32_t i) { return i; }
    static std::uint32_t other(std::uint32_t i) { return i + 5'000'000; }
    SLOTWISE_BENCH_STEP void insert(std::uint32_t id, int value) { map_.try_emplace(id, value); }
    SLOTWISE_BENCH_STEP void erase(std::uint32_t id) { map_.erase(id); }
    SLOTWISE_BENCH_STEP bool contains(std::uint32_t id) const { return map_.contains(id); }
    SLOTWISE_BENCH_STEP int get(std::uint32_t id) const { return map_.find(id)->second; }
    std::size_t size() const { return map_.size(); }
    std::uint32_t sum() const {
        std::uint32_t sum = 0;
        for (const auto& [id, value] : map_) sum += static_cast<std::uint32_t>(value);
        return sum;
    }
    void update() {
        for (auto& [id, value] : map_) value ^= 1;
    }

private:
    Map map_;
};

// Two maps; the ids that both have are found by a lookup each.
template <class Map>
class HashMaps {
public:
    void fill(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        for (const std::uint32_t i : a) a_.try_emplace(i, 1.0f);
        for (const std::uint32_t i : b) b_.try_emplace(i, 2.0f);
    }
    void update() {
        for (auto& [id, value] : a_)
            if (const auto other = b_.find(id); other != b_.end()) value += other->second;
    }
    SLOTWISE_BENCH_STEP void churn(std::uint32_t i) {
        b_.erase(i);
        b_.try_emplace(i, 2.0f);
    }
    std::size_t size() const { return a_.size(); }

private:
    Map a_, b_;
};

} // namespace bench::sparse
