// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// A contender of this question made of a MapStorage over a given index. Its elements never move, and handles name them.
#pragma once

#include "workload.hpp"

#include <slotwise/keyed/map_storage.hpp>

namespace bench::keyed {

template <class Kind, template <class> class Allocator, template <class> class Index, slotwise::KeySetOptions O = {}>
class StorageMap {
public:
    using kind_type = Kind;
    using Key = typename Kind::Key;
    using Map = slotwise::MapStorage<Key, Value, slotwise::HashBy<typename Kind::Hash>, slotwise::AllocBy<Allocator<Key>>,
                                     slotwise::IndexBy<Index>, slotwise::Options<O>>;

    void reserve(std::size_t n) { map_.reserve(n); }
    SLOTWISE_BENCH_STEP void insert(const Key& key, Value value) { map_.try_emplace(key, value); }
    [[nodiscard]] SLOTWISE_BENCH_STEP const Value* find(const Key& key) const { return map_.get(key); }
    SLOTWISE_BENCH_STEP std::size_t erase(const Key& key) { return map_.erase(key); }
    void clear() noexcept { map_.clear(); }
    [[nodiscard]] std::vector<std::byte> snapshot() const { return map_.snapshot(); }
    void restore(const std::vector<std::byte>& bytes) { map_.restore(bytes); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
    [[nodiscard]] Value sum() const {
        Value sum = 0;
        map_.values().for_each([&sum](Value value) { sum += value; });
        return sum;
    }

protected:
    Map map_;
};

} // namespace bench::keyed
