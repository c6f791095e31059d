// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_COLONY

#include "workload.hpp"

#include <plf_colony.h>

namespace {

using namespace bench;

template <class T>
using Colony = plf::colony<T>;

const Registered registered([] { memory::add_contender<Colony>("plf_colony", Role::rival); });

} // namespace

#endif
