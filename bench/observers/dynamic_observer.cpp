// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

class Counter final : public slotwise::SlotObserver {
public:
    void on_insert(slotwise::slot_t, slotwise::InsertKind) override { ++count; }
    void on_erase(slotwise::slot_t) noexcept override { --count; }
    std::size_t count = 0;
};

struct Setup {
    Counter counter;
    slotwise::SlotMap<Element16> map;
    slotwise::ObserverToken token = map.attach(counter);
    [[nodiscard]] bool seen(std::size_t n) const { return counter.count == n; }
};

const Registered registered([] { observers::add_contender<Setup>("dynamic_observer", Role::ours); });

} // namespace
