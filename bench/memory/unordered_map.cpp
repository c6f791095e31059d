// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <unordered_map>

namespace {

using namespace bench;

template <class T>
class UnorderedMap {
public:
    using value_type = T;

    void reserve(std::size_t n) { map_.reserve(n); }
    std::uint64_t insert(const T& value) {
        map_.emplace(next_, value);
        return next_++;
    }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }

private:
    std::unordered_map<std::uint64_t, T> map_;
    std::uint64_t next_ = 0;
};

const Registered registered([] { memory::add_contender<UnorderedMap>("unordered_map", Role::rival); });

} // namespace
