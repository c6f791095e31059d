// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/observer_array.hpp>

#include <memory>

using namespace slotwise;

//=== subscribing_to_a_key_that_only_moves ===//
// expect: copy_constructible
struct Listener final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
};
using Key = std::unique_ptr<int>;

Listener listener;
ObserverArray<int> array;
auto one = array.subscribe(1, no_slot, listener);
ObserverArray<Key> owners;
auto other = owners.subscribe(Key(), no_slot, listener); // faulty
return one.attached() + owners.unused();
