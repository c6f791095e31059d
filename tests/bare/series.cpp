// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Series without exceptions and RTTI: windows, deltas, replicas, subscribers, nested series and snapshots work; and every error
// ends in the failure hook with its text.
#include "bare.hpp"

#include <string>

using namespace slotwise;
using bare::check;

namespace {

//=== what works ===//

struct Counter final : SeriesSubscriber<> {
    int told = 0;
    void on_tick(const SeriesTick<std::int64_t>&) noexcept override { ++told; }
};

template <DeltaRepresentation R>
void run_set(const char* name) {
    using Set = TSSStorage<std::string, Options<SeriesOptions{.delta = R}>>;
    Set set, replica;
    Counter counter;
    const auto token = set.subscribe(counter);
    for (std::int64_t time = 1; time != 100; ++time) {
        {
            auto w = set.write(time);
            w.add("number " + std::to_string(time));
            if (time % 3 == 0) w.remove("number " + std::to_string(time - 1));
            if (time % 50 == 0) w.clear();
        }
        replica.write(time).apply(capture(set, time));
        check(replica == set && capture(replica, time) == capture(set, time), name);
    }
    check(counter.told == 99 && set.size() == 33 && set.check_invariants(), name);
    check(set.removed(99).size() == 1 && set.was_removed("number 98", 99) && !set.was_removed("number 98", 98), name);
    const auto bytes_window = set.window();
    const auto copy = set;
    const auto moved = std::move(set);
    check(copy == moved && copy.window() == bytes_window && moved.window() == bytes_window, name);
}

void run_dict() {
    TSDStorage<int, double> price, replica;
    price.write(1).set(1, 10.0);
    replica.write(1).apply(capture(price, 1));
    const auto first = capture(price, 1);
    {
        auto w = price.write(2);
        w.set(2, 20.0);
        w.create(3);
        w.modify(1) = 11.0;
    }
    const auto second = capture(price, 2);
    check(second.added.size() == 2 && second.modified.size() == 2 && !price.valid(3), "the delta of a dictionary");
    replica.write(2).apply(second);
    replica.write(2).apply(second, Strictness::lenient);
    check(replica == price, "a replica");
    TSDStorage<int, double> late;
    late.write(2).apply(compose(first, second));
    check(late == price && late.count_valid() == 2, "a composed delta");

    TSDStorage<int, double> follower;
    const auto message = second.to_bytes(1);
    check(try_apply_delta(follower, message).applied == Applied::gap, "a delta that is too early");
    check(try_apply_delta(follower, first.to_bytes(TSDStorage<int, double>::never)).applied == Applied::done,
          "bytes of a delta");
    auto damaged = message;
    damaged[20] ^= std::byte{1};
    check(!try_apply_delta(follower, damaged) && !try_apply_delta(follower, std::span(message).first(9)), "damaged bytes");
    auto other = second;
    other.added.front() = 1;
    check(try_apply_delta(follower, other.to_bytes(1)).error.find("is a member already") != std::string::npos, "another delta");
    check(try_apply_delta(follower, message).applied == Applied::done && follower == price, "a replica by bytes");
    check(try_apply_delta(follower, message).applied == Applied::already, "a delta that comes twice");

    const auto bytes = price.snapshot();
    TSDStorage<int, double> restored;
    restored.restore(bytes);
    check(restored == price && capture(restored, 2) == second, "snapshot");
    check(restored.try_restore(std::span(bytes).first(9)) != nullptr && restored == price, "bad bytes");
}

void run_described() {
    const TypeDescriptor& text = TypeDescriptor::of<std::string>();
    AnyTSDStorage dict(text, text), replica(text, text);
    Counter counter;
    const auto token = dict.subscribe(counter);
    const std::string key = "bund", value = "131.2";
    dict.write(1).set(&key, &value);
    check(counter.told == 1 && dict.modified(&key, 1), "a described series");
    replica.write(1).apply(capture(dict, 1));
    dict.write(2).remove(&key);
    check(dict.removed_items(2).size() == 1, "a removed described element is readable");
    replica.write(2).apply(capture(dict, 2));
    AnyCodec codec;
    codec.add<std::string>();
    const auto bytes = dict.snapshot(codec);
    check(replica == dict && replica.try_restore(bytes, codec) == nullptr, "a described replica");
    check(replica.try_restore(std::span(bytes).first(9), codec) != nullptr && replica == dict, "bad bytes");
    const TSDOps& ops = TSDOps::of<AnyTSDStorage>();
    check(ops.set_item(&dict, 3, &key, &value) && ops.size(&dict) == 1, "operations over void*");
    AnyTSSStorage set(text);
    set.write(1).add(&key);
    check(set.was_added(&key, 1) && set.write(1).extract(&key).as<std::string>() == key, "a described set");
}

void run_nested() {
    TSDStorage<std::string, TSSStorage<int>> dict, replica;
    Counter counter;
    dict.write(1).create("a");
    const auto token = dict.get("a")->subscribe(counter);
    replica.write(1).apply(capture(dict, 1));
    {
        auto w = dict.write(2);
        auto a = w.modify("a");
        a.add(1);
        a.add(2);
        a.close();
        check(counter.told == 0, "told before the outermost writer closes");
    }
    replica.write(2).apply(capture(dict, 2));
    check(counter.told == 1 && replica == dict && replica.get("a")->contains(2), "nested series");
}

//=== what stops ===//

using Set = TSSStorage<int>;
using Dict = TSDStorage<int, double>;

const bare::Case cases[] = {
    {"never", "series write(time): time is \"never\"", [] { (void)Set().write(Set::never); }},
    {"newer", "a writer of that window is still open",
     [] {
         Set set;
         const auto w = set.write(1);
         (void)set.write(2);
     }},
    {"closed", "series writer: it was closed or moved from",
     [] {
         Set set;
         auto w = set.write(1);
         w.close();
         w.add(1);
     }},
    {"at", "no element has this key",
     [] {
         const Dict dict;
         std::printf("%g\n", dict.at(1));
     }},
    {"modify", "series modify(key): no element has this key",
     [] {
         Dict dict;
         dict.write(1).modify(7) = 1.0;
     }},
    {"apply", "apply(delta): added[1] is a member already",
     [] {
         Set set;
         set.write(1).add(7);
         set.write(2).apply({2, true, {6, 7}, {}});
     }},
    {"subscribe_slot", "series subscribe_slot(slot): the slot is not live",
     [] {
         Set set;
         Counter counter;
         (void)set.subscribe_slot(3, counter);
     }},
    {"tracker", "open(time): time is \"never\"", [] { DeltaTracker<>().open(TimeTraits<std::int64_t>::never()); }},
    {"restore", "these bytes are not a snapshot of such a series", [] { Dict().restore(SlotMap<int>().snapshot()); }},
    {"open", "while a writer of it is open",
     [] {
         Set set;
         const auto w = set.write(1);
         const Set copy = set;
     }},
};

} // namespace

int main(int count, char** arguments) {
    return bare::run(count, arguments, cases, [] {
        run_set<DeltaRepresentation::dirty_list>("a set with a dirty list");
        run_set<DeltaRepresentation::bitmap>("a set with a bitmap");
        run_set<DeltaRepresentation::adaptive>("a set");
        run_dict();
        run_described();
        run_nested();
    });
}
