// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if SLOTWISE_BENCH_HAS_COLONY

#include "workload.hpp"

#include "../support/hive.hpp"

namespace {

using namespace bench;

template <class T>
class Structs : public Colony<T> {
public:
    void update() {
        for (T& element : this->elements_) element.field += columns::second(element);
    }
};

const Registered registered([] {
    columns::add_contender<Structs>("plf_colony", Role::rival, columns::sweep_rows);
    columns::add_contender<Structs>("plf_colony_unchecked", Role::limit, columns::random_row);
});

} // namespace

#endif
