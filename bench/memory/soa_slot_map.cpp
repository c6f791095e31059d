// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/soa_columns.hpp"

namespace {

using namespace bench;

template <class T>
class Soa {
public:
    using value_type = T;

    void reserve(std::size_t n) { map_.reserve(n); }
    auto insert(const T& value) { return Split<T>::insert(map_, value); }
    [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }

private:
    typename Split<T>::Map map_;
};

const Registered registered([] { memory::add_contender<Soa>("SoaSlotMap", Role::ours); });

} // namespace
