// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// std::unordered_map with a counter as key; small sizes only, larger ones just take longer to lose.
#include "workload.hpp"

#include <unordered_map>

namespace {

using namespace bench;

template <class T>
class UnorderedMap {
public:
    using value_type = T;

    std::uint64_t insert(const T& value) {
        map_.emplace(next_, value);
        return next_++;
    }
    void erase(std::uint64_t key) { map_.erase(key); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const auto& [key, value] : map_) sum += value.field;
        return sum;
    }

private:
    std::unordered_map<std::uint64_t, T> map_;
    std::uint64_t next_ = 0;
};

const Registered registered([] { iteration::add_contender<UnorderedMap>("unordered_map", Role::rival, 10'000); });

} // namespace
