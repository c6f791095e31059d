// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Has slotwise from its module alone, and uses each family of it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>
#include <version>
#ifdef __cpp_lib_format
#include <format>
#endif

import slotwise;

#if defined(SLOTWISE_VERSION_MAJOR) || defined(SLOTWISE_EXPECT)
#error "a macro of slotwise came with the module: a header was included"
#endif

namespace {

int checks = 0, failures = 0;

void check(bool right, const char* what) {
    ++checks;
    if (right) return;
    std::printf("wrong: %s\n", what);
    ++failures;
}

struct Counter final : slotwise::SlotObserver {
    int inserted = 0, erased = 0;
    void on_insert(slotwise::slot_t, slotwise::InsertKind) override { ++inserted; }
    void on_erase(slotwise::slot_t) noexcept override { ++erased; }
};

struct Ticks final : slotwise::SeriesSubscriber<> {
    int told = 0;
    void on_tick(const slotwise::SeriesTick<std::int64_t>&) noexcept override { ++told; }
};

struct StringCodec {
    static void write(const std::string& text, slotwise::ByteWriter& out) {
        out.number(static_cast<std::uint32_t>(text.size()));
        out.raw(text.data(), text.size());
    }
    template <class T>
    static T read(slotwise::ByteReader& in) {
        const auto bytes = in.raw(in.number<std::uint32_t>());
        return T(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
};

// Maps of each kind: handles stay good as long as their element, no longer.
template <class Map>
void run_map(const char* name) {
    Map map;
    const auto one = map.insert(1), two = map.insert(2);
    check(map.erase(one) && map.get(one) == nullptr && map.at(two) == 2, name);
    check(map.insert(3).index() == one.index() && map.explain(one) == slotwise::HandleStatus::stale, name);
    Map copy;
    const auto bytes = map.snapshot();
    copy.restore(bytes);
    check(copy == map && copy.insert(4) == map.insert(4) && copy.check_invariants(), name);
    check(copy.try_restore(std::span(bytes).first(9)) != nullptr && copy == map, name);
    const auto before = map.size();
    for (int i = 0; i != 1000; ++i) map.insert(i);
    std::size_t met = 0;
    for (auto [handle, value] : map.items()) met += map.at(handle) == value;
    check(met == before + 1000 && map.erase_if([](int) { return true; }) == met, name);
}

void run_slot_maps() {
    run_map<slotwise::SlotMap<int>>("SlotMap");
    run_map<slotwise::SlotMap<
        int, slotwise::Options<slotwise::SlotMapOptions{.handle = {20, 12, 0}, .reuse = slotwise::Reuse::fifo}>>>("options");
    run_map<slotwise::DenseSlotMap<int>>("DenseSlotMap");
    run_map<slotwise::pmr::SlotMap<int>>("pmr::SlotMap");

    slotwise::SoaSlotMap<int, float> rows;
    const auto row = rows.insert(7, 0.5F);
    rows.template column<float>()[0] *= 2;
    check(rows[row] == std::tuple(7, 1.0F), "SoaSlotMap");
}

void run_columns_and_observers() {
    using Names = slotwise::SlotMap<std::string, slotwise::Column<int>>;
    Names names;
    Counter counter;
    slotwise::DynamicColumn<slotwise::ValueArray<char>> initials;
    const slotwise::ObserverToken counting = names.attach(counter);
    const auto attached = names.attach(initials);
    slotwise::SecondaryMap<Names::handle_type, int> ages;
    slotwise::SparseSecondaryMap<Names::handle_type, int> guests;
    ages.attach_to(names);
    const auto ada = names.insert("Ada"), bob = names.insert("Bob");
    names.column<0>()[ada.index()] = 7;
    initials.column()[bob.index()] = 'B';
    ages.insert(ada, 36);
    guests.insert(bob, 1);
    int together = 0;
    zip_columns(
        [&](slotwise::slot_t, const std::string& name, int number) { together += static_cast<int>(name.size()) + number; },
        names.values(), names.column<0>());
    check(together == 13 && initials.column()[bob.index()] == 'B' && *guests.get(bob) == 1, "columns");
    names.erase(ada);
    check(!ages.contains(ada) && counter.inserted == 2 && counter.erased == 1, "observers");

    slotwise::SlotMap<std::string> saved, restored;
    const auto eve = saved.insert("Eve");
    restored.restore(saved.snapshot(StringCodec()), StringCodec());
    check(restored == saved && restored[eve] == "Eve", "a snapshot with a codec");

    slotwise::IdentityMap<slotwise::PublicId, Names::handle_type> ids;
    const auto id = slotwise::PublicId::parse("00000000-0000-4000-8000-000000000001");
    check(id.has_value() && ids.insert(*id, bob) && ids.handle_of(*id) == bob, "IdentityMap and PublicId");
}

template <class H>
void run_handles(H handle) {
    static_assert(slotwise::AnyHandle<H> && slotwise::Storable<H> && slotwise::StaticObserver<slotwise::ValueArray<H>>);
    std::unordered_set<H> set{handle};
    check(set.contains(handle) && std::hash<H>()(handle) != std::hash<H>()(H()), "std::hash of a handle");
    std::ostringstream text;
    text << handle << ' ' << H();
    check(text.str() == "5v3 null" && handle < H(6, 1) && H::from_bits(handle.to_bits()) == handle, "a handle as text");
#ifdef __cpp_lib_format
    check(std::format("{}", handle) == "5v3", "std::format of a handle");
#endif
}

int total(slotwise::MapView<std::string, int> stock) {
    int sum = 0;
    for (const auto [name, count] : stock) sum += count;
    return sum;
}

void run_keyed() {
    slotwise::MapStorage<std::string, int, slotwise::Options<slotwise::KeySetOptions{.deferred_erase = true}>> stock;
    stock["nails"] = 100;
    stock.try_emplace("screws", 20);
    const auto handle = stock.handle_of("screws");
    check(*stock.get(handle) == 20 && total(stock) == 120, "MapStorage and MapView");
    check(stock.remove(handle) && stock.pending() == 1 && stock.insert("screws", 4).kind == slotwise::InsertKind::resurrected,
          "deferred erase");
    for (int i = 0; i != 1000; ++i) stock.try_emplace("number " + std::to_string(i), i);
    check(stock.at("number 999") == 999 && stock.check_invariants(), "a map that grows");

    slotwise::SetStorage<int> set{3, 1, 2}, restored;
    slotwise::KeySet<int> keys;
    restored.restore(set.snapshot());
    keys.insert(3);
    check(restored == set && restored.handle_of(2) == set.handle_of(2) && slotwise::SetView<int>(set).contains(3),
          "SetStorage");
    check(keys.contains(3), "KeySet");
    slotwise::SetStorage<int, slotwise::IndexBy<slotwise::PortableHashIndex>> portable{1};
    check(portable.contains(1), "another index");

    slotwise::AnyMapStorage described(slotwise::TypeDescriptor::of<std::string>(), slotwise::TypeDescriptor::of<int>());
    const std::string key = "nails";
    const int value = 5;
    described.insert(&key, &value);
    check(*static_cast<const int*>(described.at(&key)) == 5, "AnyMapStorage");
}

void run_series() {
    slotwise::TSDStorage<std::string, double> price, replica;
    Ticks ticks;
    const slotwise::Subscription<> token = price.subscribe(ticks);
    price.write(1).set("bund", 131.20);
    const slotwise::DictDelta<std::string, double> first = capture(price, 1);
    {
        auto w = price.write(2);
        w.set("oat", 124.70);
        w.remove("bund");
    }
    replica.write(2).apply(compose(first, capture(price, 2)));
    check(replica == price && ticks.told == 2 && price.was_removed("bund", 2), "TSDStorage");
    slotwise::TSDStorage<std::string, slotwise::TSSStorage<int>> nested;
    {
        auto w = nested.write(1);
        w.create("a");
        w.modify("a").add(1);
    }
    check(nested.get("a")->contains(1), "a nested series");
    slotwise::TSSStorage<int> set, restored;
    set.write(3).add(7);
    restored.restore(set.snapshot());
    check(restored == set && slotwise::TSSView<int>(restored).was_added(7, 3), "TSSStorage and TSSView");
}

void run_small_names() {
    check(slotwise::bits::word_count(65) == 2 && slotwise::bits::count(slotwise::bits::full_word) == 64, "bits");
    int undone = 0;
    {
        const slotwise::ScopeGuard guard([&] { ++undone; });
    }
    slotwise::Versioned<int> versioned(1);
    check(undone == 1 && versioned.get() == 1 && slotwise::mix_bits(1) != 1 && slotwise::no_slot == 0xFFFF'FFFFu,
          "small names");
}

} // namespace

int main() {
    run_slot_maps();
    run_columns_and_observers();
    run_handles(slotwise::Handle<struct Tag>(5, 3));
    run_keyed();
    run_series();
    run_small_names();
#ifndef __cpp_lib_format
    std::printf("std::format of a handle was not tried: this standard library has no <format>\n");
#endif
    std::printf("slotwise by import: %d checks, %s\n", checks, failures == 0 ? "works" : "is broken");
    return failures == 0 ? 0 : 1;
}
