// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A contender of this question made of a map with the interface of std::unordered_map.
#pragma once

#include "workload.hpp"

namespace bench::keyed {

template <class Kind, class Map>
class StandardMap {
public:
    using kind_type = Kind;
    using Key = typename Kind::Key;

    void reserve(std::size_t n) { map_.reserve(n); }
    SLOTWISE_BENCH_STEP void insert(const Key& key, Value value) { map_.try_emplace(key, value); }
    [[nodiscard]] SLOTWISE_BENCH_STEP const Value* find(const Key& key) const {
        const auto position = map_.find(key);
        return position == map_.end() ? nullptr : &position->second;
    }
    SLOTWISE_BENCH_STEP std::size_t erase(const Key& key) { return map_.erase(key); }
    void clear() noexcept { map_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
    [[nodiscard]] Value sum() const {
        Value sum = 0;
        for (const auto& [key, value] : map_) sum += value;
        return sum;
    }

private:
    Map map_;
};

} // namespace bench::keyed
