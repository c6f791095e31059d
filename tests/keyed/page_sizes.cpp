// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The memory of keyed containers: page tables that doubled, values that took the pages of their keys.
#include <slotwise/slotwise.hpp>

#include "support/allocators.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

using namespace slotwise;

namespace {

struct Wide { // 64 of them in a page
    int number = 0;
    char rest[60] = {};
    friend bool operator==(const Wide& a, const Wide& b) noexcept { return a.number == b.number; }
};
struct WideHash {
    std::size_t operator()(const Wide& wide) const noexcept { return static_cast<std::size_t>(wide.number); }
};

template <std::size_t Bytes>
struct Sized {
    Sized() = default;
    Sized(int n) : number(n) {} // NOLINT(google-explicit-constructor)
    int number = 0;
    std::array<char, Bytes - sizeof(int)> rest{};
    friend bool operator==(const Sized& a, const Sized& b) noexcept { return a.number == b.number; }
};
using Huge = Sized<20 << 10>;     // a page holds one
using Broad = Sized<1 << 10>;     // a page holds four
using Broadest = Sized<16 << 10>; // a page holds one, a chunk those of a word
struct HugeHash {
    template <std::size_t Bytes>
    std::size_t operator()(const Sized<Bytes>& huge) const noexcept {
        return static_cast<std::size_t>(huge.number);
    }
};
template <class T>
using Counted = test::StatefulAllocator<T>;
template <class Key, class T, class... Columns>
using MapIn = MapStorage<Key, T, AllocBy<Counted<Key>>, Columns...>;
template <std::size_t N>
using Bytes = std::array<char, N>;

using Numbers = std::vector<int>;
/// 0 to 149 without every third and without 64 to 127: a word without any, a full run, holes.
template <class C, class Insert>
Numbers fill_with_holes(C& c, Insert&& insert) {
    std::vector<typename C::handle_type> handles;
    for (int i = 0; i != 150; ++i) handles.push_back(insert(i));
    Numbers left;
    for (int i = 0; i != 150; ++i)
        if (i % 3 == 0 || (i >= 64 && i < 128))
            c.erase(handles[static_cast<std::size_t>(i)]);
        else
            left.push_back(i);
    return left;
}
/// The numbers that walk(visit) visits.
template <class Walk>
Numbers met(Walk&& walk) {
    Numbers numbers;
    walk([&](int number) { numbers.push_back(number); });
    return numbers;
}

} // namespace

TEST_CASE("the page tables of described storages grow with their elements, and not by themselves", "[sizes]") {
    test::EveryByteReturned scope;
    using A = test::StatefulAllocator<std::byte>;
    const TypeDescriptor& wide = TypeDescriptor::of<Wide, WideHash>();
    BasicAnySetStorage<AllocBy<A>> set(wide);
    BasicAnyMapStorage<AllocBy<A>> map(wide, wide);
    constexpr int many = 20'000;
    for (int i = 0; i != many; ++i) {
        const Wide key{.number = i};
        set.insert(&key);
        map.insert(&key, &key);
    }
    CHECK(scope.live_bytes() < many * (3 * sizeof(Wide) * 5 / 4 + 64)); // and twice hash, index, version, bits
}

TEST_CASE("one element takes one page of the keys and one of each column, each by its own size", "[sizes]") {
    test::EveryByteReturned scope;
    const auto bytes_of = [&]<class C>(std::type_identity<C>, auto&& insert) {
        const std::size_t before = scope.live_bytes();
        C c;
        insert(c);
        CHECK(c.check_invariants());
        return scope.live_bytes() - before;
    };
    constexpr std::size_t KiB = 1024, MiB = KiB * KiB, rest = 64 * KiB;
    const auto map_insert = [](auto& c) { c.try_emplace(1); };
    const auto slot_insert = [](auto& c) { c.emplace(); };
    CHECK(bytes_of(std::type_identity<SlotMap<Bytes<64 * KiB>, AllocBy<Counted<char>>>>(), slot_insert) < 128 * KiB);
    CHECK(bytes_of(std::type_identity<SlotMap<Bytes<16 * KiB>, AllocBy<Counted<char>>>>(), slot_insert) < 17 * KiB);
    CHECK(bytes_of(std::type_identity<SlotMap<Bytes<KiB>, AllocBy<Counted<char>>>>(), slot_insert) < 5 * KiB);
    CHECK(bytes_of(std::type_identity<SlotMap<Bytes<16>, AllocBy<Counted<char>>>>(), slot_insert) < 3 * KiB / 2);
    CHECK(bytes_of(std::type_identity<MapIn<char, Bytes<MiB>>>(), map_insert) < MiB + rest);
    CHECK(bytes_of(std::type_identity<MapIn<int, Bytes<64 * KiB>>>(), map_insert) < 128 * KiB);
    CHECK(bytes_of(std::type_identity<MapIn<int, Bytes<4 * KiB>>>(), map_insert) < 6 * KiB);
    CHECK(bytes_of(std::type_identity<MapIn<int, char, ValueArray<Bytes<MiB>, Counted<char>>>>(), map_insert) < MiB + rest);
    CHECK(bytes_of(std::type_identity<SlotMap<char, AllocBy<Counted<char>>, ValueArray<Bytes<MiB>, Counted<char>>>>(),
                   slot_insert) < MiB + rest);
    CHECK(bytes_of(std::type_identity<DenseSlotMap<char, AllocBy<Counted<char>>, ValueArray<Bytes<MiB>, Counted<char>>>>(),
                   slot_insert) < MiB + rest);
    using Dict = TSDStorage<int, Bytes<4 * KiB>, AllocBy<Counted<int>>>;
    CHECK(bytes_of(std::type_identity<Dict>(), [](auto& c) { c.write(1).create(1); }) < 8 * KiB);
    const auto described = scope.live_bytes();
    BasicAnyMapStorage<AllocBy<Counted<std::byte>>> erased(TypeDescriptor::of<char>(), TypeDescriptor::of<Huge, HugeHash>());
    const char key = 'a';
    erased.insert(&key, std::make_unique<Huge>(1).get());
    CHECK(scope.live_bytes() - described < rest);
}

TEST_CASE("a container of one element takes few allocations: keys, values, directory, index", "[sizes]") {
    test::EveryByteReturned scope;
    const auto allocations_of = []<class C>(std::type_identity<C>, auto&& insert) {
        const std::size_t before = test::Ledger::allocations();
        C c;
        insert(c);
        return test::Ledger::allocations() - before;
    };
    using A = Counted<int>;
    CHECK(allocations_of(std::type_identity<SlotMap<int, AllocBy<A>>>(), [](auto& c) { c.emplace(); }) == 2);
    CHECK(allocations_of(std::type_identity<SlotMap<Broad, AllocBy<A>>>(), [](auto& c) { c.emplace(); }) == 2);
    CHECK(allocations_of(std::type_identity<SetStorage<int, AllocBy<A>>>(), [](auto& c) { c.insert(1); }) == 3);
    CHECK(allocations_of(std::type_identity<MapIn<int, int>>(), [](auto& c) { c.try_emplace(1); }) == 4);
}

TEST_CASE("shrink_to_fit gives back the pages of large values though the keys need theirs", "[sizes]") {
    test::EveryByteReturned scope;
    MapIn<char, Huge> map;
    for (char c = 0; c != 100; ++c) map.try_emplace(c, c);
    CHECK(scope.live_bytes() > 100 * sizeof(Huge));
    for (char c = 1; c != 100; ++c) map.erase(c);
    map.shrink_to_fit();
    CHECK(map.capacity() < 10);
    CHECK(scope.live_bytes() < 4 * sizeof(Huge));
    CHECK(map.at(0).number == 0);
    for (char c = 1; c != 100; ++c) map.try_emplace(c, c);
    CHECK(map.at(99).number == 99);
    map.reserve(120);
    CHECK(map.capacity() >= 120);
    CHECK(map.capacity() < 130); // and not the 4,096 keys of a page
    CHECK(map.check_invariants());
}

TEMPLATE_TEST_CASE("every walk of a slot map meets values of which a page holds few, once each and in slot order", "[sizes]",
                   Sized<256>, Broad, Broadest, Sized<20 << 10>) {
    using Value = TestType;
    using Map = SlotMap<Value, Column<int>>;
    Map map;
    const Numbers left = fill_with_holes(map, [&](int n) {
        const auto handle = map.emplace(n);
        map.template observer<0>()[handle.index()] = n;
        return handle;
    });
    const Map& view = map;
    CHECK(met([&](auto f) {
              for (const Value& huge : map) f(huge.number);
          }) == left);
    CHECK(met([&](auto f) {
              for (auto [handle, huge] : view.items()) f(huge.number + (view[handle] == huge ? 0 : 1'000));
          }) == left);
    CHECK(met([&](auto f) { map.for_each([&](Value& huge) { f(huge.number); }); }) == left);
    CHECK(met([&](auto f) {
              view.for_each(
                  [&](typename Map::handle_type h, const Value& huge) { f(view.get(h) == &huge ? huge.number : -1); });
          }) == left);
    CHECK(met([&](auto f) { map.values().for_each([&](Value& huge) { f(huge.number); }); }) == left);
    CHECK(met([&](auto f) {
              for (const Value& huge : view.values()) f(huge.number);
          }) == left);
    CHECK(met([&](auto f) {
              for (const auto& chunk : view.chunks()) {
                  CHECK((chunk.values.size() == 1 ? chunk.live.test(0) : chunk.first >= 64 && chunk.first % 64 == 0));
                  const auto visit = [&](slot_t slot, const Value& huge) {
                      f(view.contains(view.handle_at(slot)) ? huge.number : -1);
                  };
                  ColumnView<const Value>::for_each_in_chunk(chunk, visit);
              }
          }) == left);
    constexpr bool alone = sizeof(Value) > (16 << 10);
    const auto first_word = static_cast<std::size_t>(std::count_if(left.begin(), left.end(), [](int n) { return n < 64; }));
    CHECK((alone ? view.chunks().size() == left.size() : view.chunks().size() <= first_word + 2));
    CHECK(met([&](auto f) {
              zip_columns([&](slot_t, const Value& huge, int n) { f(huge.number == n ? n : -1); }, view.values(),
                          view.template column<0>());
          }) == left);
    CHECK(met([&](auto f) {
              for (const auto& [first, values, live] : zip_chunks(view.template column<0>(), view.values()))
                  for (std::size_t i = 0; i != live.size(); ++i)
                      if (live.test(i))
                          f(std::get<1>(values)[i].number == std::get<0>(values)[i] ? std::get<0>(values)[i] : -1);
          }) == left);
    CHECK(met([&](auto f) {
              for (const auto& chunk : AnyColumnView(map.values()).chunks())
                  for (std::size_t i = 0; i != chunk.live.size(); ++i)
                      if (chunk.live.test(i)) f(static_cast<const Value*>(chunk.values[i])->number);
          }) == left);
    CHECK(met([&](auto f) {
              zip_columns([&](slot_t, int n, const Value& huge) { f(huge.number == n ? n : -1); }, view.template column<0>(),
                          view.values());
          }) == left);
    Map copy(map);
    CHECK(copy == map);
    CHECK(met([&](auto f) {
              for (const Value& huge : copy) f(huge.number);
          }) == left);
    CHECK(copy.handle_of(&*copy.begin()) == copy.handle_of(copy.begin()));
    // Growth from inside moves the page table, not the values.
    int added = 0;
    copy.for_each([&](Value&) { added += added < 300 && !copy.emplace(1'000).is_null(); });
    CHECK(added > 70);
    for (auto it = copy.begin(); it != copy.end();) it = it->number == 1'000 ? copy.erase(it) : ++it;
    CHECK(met([&](auto f) {
              for (const Value& huge : copy) f(huge.number);
          }) == left);
    CHECK(copy.check_invariants());
#if SLOTWISE_VIRTUAL_MEMORY
    SlotMap<Value, Options<SlotMapOptions{.growth = Growth::reserve, .max_slots = 4096}>> reserved;
    CHECK(fill_with_holes(reserved, [&](int n) { return reserved.emplace(n); }) == left);
    CHECK(met([&](auto f) { reserved.for_each([&](const Value& huge) { f(huge.number); }); }) == left);
    CHECK(met([&](auto f) {
              for (const Value& huge : reserved) f(huge.number);
          }) == left);
#endif
}

TEMPLATE_TEST_CASE("every walk of keyed storage meets keys and values of which a page holds few, once each and in slot order",
                   "[sizes]", Sized<256>, Broad, Sized<20 << 10>) {
    using Value = TestType;
    MapStorage<int, Value> map;
    const Numbers left = fill_with_holes(map, [&](int n) { return map.handle_at(map.try_emplace(n, n).it.slot()); });
    CHECK(met([&](auto f) {
              for (auto [key, huge] : map) f(huge.number == key ? key : -1);
          }) == left);
    CHECK(met([&](auto f) { map.for_each([&](int key, Value& huge) { f(huge.number == key ? key : -1); }); }) == left);
    CHECK(met([&](auto f) { map.values().for_each([&](Value& huge) { f(huge.number); }); }) == left);
    CHECK(met([&](auto f) {
              for (const Value& huge : map.values()) f(huge.number);
          }) == left);
    KeySet<Value, HashBy<HugeHash>> set;
    CHECK(fill_with_holes(set, [&](int n) { return set.handle_at(set.insert(n).it.slot()); }) == left);
    CHECK(met([&](auto f) {
              for (const Value& huge : set) f(huge.number);
          }) == left);
    CHECK(met([&](auto f) { set.for_each([&](const Value& huge) { f(huge.number); }); }) == left);
    CHECK(met([&](auto f) {
              for (const Value& huge : set.keys()) f(huge.number);
          }) == left);
    MapStorage<Value, Value, HashBy<HugeHash>> both;
    CHECK(fill_with_holes(both, [&](int n) { return both.handle_at(both.try_emplace(n, n).it.slot()); }) == left);
    CHECK(met([&](auto f) { both.for_each([&](const Value& key, Value& huge) { f(huge == key ? huge.number : -1); }); }) ==
          left);
    CHECK(both.check_invariants());
    TSDStorage<int, Value> series;
    auto w = series.write(1);
    for (int i = 0; i != 150; ++i) w.set(i, i);
    CHECK(met([&](auto f) {
              for (auto [key, huge] : series.modified_items(1)) f(huge.number == key ? key : -1);
          }).size() == 150);
}
