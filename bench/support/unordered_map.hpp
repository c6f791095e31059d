// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// std::unordered_map with a 64-bit counter as key: what many programs use for want of a slot map.
#pragma once

#include "element.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace bench {

template <class T>
class UnorderedMap {
public:
    using value_type = T;
    static constexpr bool sees_stale = true;

    void reserve(std::size_t n) { map_.reserve(n); }
    std::uint64_t insert(const T& value) {
        map_.emplace(next_, value);
        return next_++;
    }
    [[nodiscard]] const T* get(std::uint64_t key) const {
        const auto position = map_.find(key);
        return position == map_.end() ? nullptr : &position->second;
    }
    void erase(std::uint64_t key) { map_.erase(key); }
    void clear() noexcept { map_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const auto& [key, value] : map_) sum += value.field;
        return sum;
    }

private:
    std::unordered_map<std::uint64_t, T> map_;
    std::uint64_t next_ = 0;
};

} // namespace bench
