// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What objects take. Hash, equality, allocator, codec and the marks of walks have no bytes if they are empty: the same classes
// are equally large in the ABI of Linux and in Microsoft's, for which tools/check_headers.py worlds compiles this; sizes.cpp
// does at the check level of a release.
#ifndef SLOTWISE_TESTS_CONFIG_SIZES_HPP
#define SLOTWISE_TESTS_CONFIG_SIZES_HPP

#include <slotwise/slotwise.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace test::sizes {

using namespace slotwise;
struct Some;

template <std::size_t Words, class... Ts>
constexpr bool words_large = ((sizeof(Ts) == Words * sizeof(void*)) && ...);

// By every compiler: what is passed by value and stored in great numbers.
static_assert(sizeof(Handle<Some>) == 8 && sizeof(Handle<Some, HandleLayout{16, 16, 0}>) == 4 &&
              sizeof(Handle<Some, HandleLayout{8, 4, 4}>) == 2 && sizeof(PublicId) == 16);
static_assert(sizeof(ComponentId) == 8 && sizeof(EntityLocation) == 8 && sizeof(HookId) == 8);
static_assert(words_large<2, SetView<int>, MapView<int, int>, TSSView<int>, TSDView<int, int>>);
static_assert(words_large<2, SetView<std::string>, MapView<std::string, double>, TSSView<std::string>,
                          TSDView<std::string, TSSStorage<int>>>);
static_assert(words_large<1, ArchetypeStore>);

#if defined(_MSC_VER) && defined(__clang__) && __clang_major__ < 18
// Empty members have bytes there, see SLOTWISE_NO_UNIQUE_ADDRESS.
static_assert(sizeof(Versioned<std::uint64_t>) == 24);
#else
static_assert(sizeof(Versioned<std::uint64_t>) == 16, "value and counter");
static_assert(words_large < SLOTWISE_CHECK_LEVEL >= 2 ? 5 : 3, Occupancy > || sizeof(void*) != 8,
              "three words; at level debug two more, which find a stale one");
static_assert(words_large<1, ObserverArray<int>>, "one pointer while nobody subscribes");
#if SLOTWISE_CHECK_LEVEL < 2 && SIZE_MAX > 0xFFFF'FFFF
static_assert(words_large<1, SlotObserver, SeriesSubscriber<>> && words_large<2, RowObserver>);
static_assert(words_large<32, SlotMap<int>> && words_large<37, SlotMap<int, Column<ValueArray<int>>>, AnySlotMap> &&
              words_large<36, DenseSlotMap<int>> && words_large<38, SoaSlotMap<int, float>> &&
              words_large<30, HandlePool<Some>>);
static_assert(words_large<48, KeySet<int>> && words_large<53, MapStorage<int, int>, AnySetStorage> &&
              words_large<63, AnyMapStorage> && words_large<11, HashIndex<std::allocator<std::byte>>> &&
              words_large<94, TSSStorage<int>> && words_large<102, TSDStorage<int, int>>);
static_assert(words_large<5, SoaVector<int, int>, ValueArray<int>> && words_large<8, AnyRows>);
static_assert(words_large<6, SlotMap<int>::iterator, KeySet<int>::iterator> && words_large<2, DenseSlotMap<int>::iterator>);
#endif
#endif

} // namespace test::sizes

#endif
