// expect: looser exception specification || looser throw specifier || more lax
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/subscriber.hpp>

using namespace slotwise;

#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
#define MAY_THROW
#else
#define MAY_THROW noexcept
#endif

struct Listener final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<std::int64_t>&) MAY_THROW override {}
};

int main() {
    Listener listener;
    return &listener == nullptr;
}
