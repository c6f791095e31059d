// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

#include <memory>

using namespace slotwise;

//=== assigning_a_writer_by_copy ===//
// expect: use of deleted function || overload resolution selected deleted || implicitly deleted
TSDStorage<int, int> dict;
auto writer = dict.write(1), other = dict.write(1);
writer = std::move(other);
other = writer; // faulty
return writer.is_open();

//=== copying_a_writer ===//
// expect: use of deleted function || call to deleted || implicitly-deleted
TSSStorage<int> set;
auto writer = set.write(1);
auto moved = std::move(writer);
auto copy = moved; // faulty
return moved.is_open();

//=== subscribing_to_a_key_that_only_moves ===//
// expect: copy_constructible
struct Listener final : SeriesSubscriber<> {
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override {}
};
using Key = std::unique_ptr<int>;

Listener listener;
TSSStorage<Key> set;
auto whole = set.subscribe(listener);
auto one = set.subscribe(Key(), listener); // faulty
return whole.attached();

//=== writer_from_nothing ===//
// expect: is protected || is private || private constructor || no matching constructor
TSSStorage<int> set;
TSSStorage<int>::writer writer = set.write(1);
TSSStorage<int>::writer other(set); // faulty
return writer.is_open();

//=== attaching_an_observer_that_may_throw ===//
// expect: on_insert_is_noexcept
struct Watcher final : SlotObserver {
    void on_insert(slot_t, InsertKind) override {}          // faulty
    void on_insert(slot_t, InsertKind) noexcept override {} // control
};

Watcher watcher;
TSSStorage<int> set;
auto token = set.attach(watcher);
return token.attached();

//=== attaching_what_is_no_observer ===//
// expect: derived_from
struct Watcher final : SlotObserver {};

int number = 0;
Watcher watcher;
TSSStorage<int> set;
auto token = set.attach(watcher);
auto other = set.attach(number); // faulty
return token.attached();
