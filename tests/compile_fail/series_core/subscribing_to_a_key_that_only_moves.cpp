// expect: copy_constructible
// covers: series/series_core.hpp requires "std::copy_constructible<Key>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tss_storage.hpp>

#include <memory>

using namespace slotwise;

struct Listener final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
};
using Key = std::unique_ptr<int>;

int main() {
    Listener listener;
    TSSStorage<Key> set;
    auto whole = set.subscribe(listener);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    auto one = set.subscribe(Key(), listener);
#endif
    return whole.attached();
}
