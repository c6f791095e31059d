// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include "../support/slot_map.hpp"

namespace {

using namespace bench;

template <class T>
class Structs : public SlotMap<T> {
public:
    void update() {
        this->for_each([](T& element) { element.field += columns::second(element); });
    }
};

const Registered registered([] { columns::add_contender<Structs>("SlotMap", Role::ours); });

} // namespace
