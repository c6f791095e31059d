// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// plf::colony: stable addresses and a jump-counting skipfield; no handles, a stale iterator is undefined behaviour.
#if SLOTWISE_BENCH_HAS_COLONY

#include "workload.hpp"

#include <plf_colony.h>

namespace {

using namespace bench;

template <class T>
class Colony {
public:
    using value_type = T;

    auto insert(const T& value) { return colony_.insert(value); }
    void erase(typename plf::colony<T>::iterator position) { colony_.erase(position); }
    [[nodiscard]] field_t<T> sum() const {
        field_t<T> sum{};
        for (const T& value : colony_) sum += value.field;
        return sum;
    }

private:
    plf::colony<T> colony_;
};

const Registered registered([] { iteration::add_contender<Colony>("plf_colony", Role::rival); });

} // namespace

#endif
