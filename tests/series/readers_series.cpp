// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Every const member of series, their views and parts, read by eight threads at once in the middle of a window.
#include "support/readers.hpp"

#include <slotwise/rows/any_codec.hpp>
#include <slotwise/series/any_tsd_storage.hpp>
#include <slotwise/series/capture.hpp>
#include <slotwise/series/series_ops.hpp>
#include <slotwise/series/tsd_storage.hpp>
#include <slotwise/series/tss_storage.hpp>

namespace {

using namespace slotwise;
using test::eight_readers;
using test::Sum;
using Set = TSSStorage<int>;
using Dict = TSDStorage<int, int>;

template <class Series>
void read_keyed(const Series& s, Sum& sum) {
    sum += s.size();
    sum += s.empty();
    sum += s.valid();
    sum += s.last_modified();
    sum += s.window();
    sum += s.modified(2);
    for (int n = 0; n != 300; ++n) {
        sum += s.contains(n);
        sum += s.slot_of(n);
        sum += s.was_added(n, 2);
        sum += s.was_removed(n, 2);
    }
    sum += s.as_set().size();
}
template <class Series>
void read_storage(const Series& s, Sum& sum) {
    read_keyed(s, sum);
    sum += s.capacity();
    sum += s.check_invariants();
    sum += s.occupancy().count();
    for (const slot_t slot : s.slots()) {
        sum += s.key(slot);
        sum += s.state(slot);
        sum += s.handle_at(slot);
        sum += s.contains(s.handle_at(slot));
        sum += s.explain(s.handle_at(slot));
    }
    for (int n = 0; n != 300; ++n) sum += s.handle_of(n);
    sum += s.snapshot().size();
    s.for_each([&](const auto&... all) { ((sum += all), ...); });
    const Series copy(s);
    sum += copy == s;
}
template <class View>
void read_set(const View& s, Sum& sum) {
    for (auto it = s.begin(); it != s.end(); ++it) sum += *it;
    const auto added = s.added(2), removed = s.removed(2);
    sum += added.size() + removed.size();
    sum += added.empty();
    for (auto it = added.begin(); it != added.end(); ++it) sum += *it;
    for (const int key : removed) sum += key;
}
template <class View>
void read_dict(const View& d, Sum& sum) {
    sum += d.count_valid();
    for (const int key : d.added_keys(2)) sum += key;
    for (const int key : d.removed_keys(2)) sum += key;
    for (const int key : d.modified_keys(2)) sum += key;
    for (const int key : d.reset_keys(2)) sum += key;
    for (const auto [key, value] : d.modified_items(2)) sum += key + value;
    for (const auto [key, value] : d.removed_items(2)) sum += key + value;
    for (int n = 0; n != 300; ++n) {
        sum += d.get(n);
        sum += d.valid(n);
        sum += d.modified(n, 2);
        sum += d.last_modified(n);
        if (d.contains(n) && d.valid(n)) sum += d.at(n);
    }
    sum += d.as_map().size();
    read_set(d.keys(), sum);
}

} // namespace

TEST_CASE("eight readers: TSSStorage and TSSView", "[readers]") {
    Set set;
    for (int n = 0; n != 300; ++n) set.write(1).add(n);
    {
        auto w = set.write(2);
        for (int n = 0; n < 300; n += 3) w.remove(n);
        for (int n = 300; n != 400; ++n) w.add(n);
    }
    eight_readers(set, [](const Set& s, Sum& sum) {
        read_storage(s, sum);
        read_set(s, sum);
        const TSSView<int> view = s.view();
        read_keyed(view, sum);
        read_set(view, sum);
        sum += capture(view, 2).added.size();
    });
}

TEST_CASE("eight readers: a described dictionary over time", "[readers]") {
    AnyTSDStorage dict(TypeDescriptor::of<int>(), TypeDescriptor::of<int>());
    for (int n = 0; n != 300; ++n) dict.write(1).set(&n, &n);
    {
        auto w = dict.write(2);
        for (int n = 0; n < 300; n += 3) w.remove(&n);
        for (int n = 1; n < 300; n += 3) w.set(&n, &n);
    }
    AnyCodec codec;
    codec.add<int>();
    eight_readers(dict, [&](const AnyTSDStorage& d, Sum& sum) {
        for (int n = 0; n != 300; ++n) {
            sum += d.contains(&n);
            sum += d.valid(&n);
            sum += d.was_removed(&n, 2);
            if (const void* value = d.get(&n)) sum += *static_cast<const int*>(value);
        }
        sum += d.size() + d.pending() + d.count_valid();
        sum += d.check_invariants();
        for (const auto [key, value] : d.modified_items(2))
            sum += *static_cast<const int*>(key) + *static_cast<const int*>(value);
        for (const void* key : d.removed_keys(2)) sum += *static_cast<const int*>(key);
        for (const auto chunk : d.values().chunks()) sum += chunk.live.count();
        sum += capture(d, 2).removed.size();
        sum += d.snapshot(codec).size();
        const TSDOps& ops = TSDOps::of<AnyTSDStorage>();
        sum += ops.size(&d) + ops.modified_keys(&d, 2).size();
        const AnyTSDStorage copy(d);
        sum += copy == d;
    });
}

TEST_CASE("eight readers: TSDStorage and TSDView", "[readers]") {
    Dict dict;
    for (int n = 0; n != 300; ++n) dict.write(1).set(n, n);
    {
        auto w = dict.write(2);
        for (int n = 0; n < 300; n += 3) w.remove(n);
        for (int n = 1; n < 300; n += 3) w.set(n, -n);
        for (int n = 300; n != 400; ++n) w.create(n);
    }
    eight_readers(dict, [](const Dict& d, Sum& sum) {
        read_storage(d, sum);
        read_dict(d, sum);
        for (const slot_t slot : d.slots()) sum += d.value(slot);
        for (const int value : d.values()) sum += value;
        const TSDView<int, int> view = d.view();
        read_keyed(view, sum);
        read_dict(view, sum);
        sum += capture(view, 2).modified.size();
    });
}
