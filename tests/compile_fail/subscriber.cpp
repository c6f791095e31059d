// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/subscriber.hpp>

using namespace slotwise;

//=== copying_a_subscription ===//
// expect: use of deleted function || call to implicitly-deleted copy constructor
Subscription<> token;
Subscription<> moved(static_cast<Subscription<>&&>(token));
Subscription<> copy(moved); // faulty
return moved.attached();

//=== subscriber_that_may_throw ===//
// expect: looser exception specification || looser throw specifier || more lax
struct Listener final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<std::int64_t>&) override {}          // faulty
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {} // control
};

Listener listener;
return &listener == nullptr;
