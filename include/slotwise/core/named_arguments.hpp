// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The names of template arguments: Column, Options, HashBy ... fwd.hpp includes them.
#ifndef SLOTWISE_CORE_NAMED_ARGUMENTS_HPP
#define SLOTWISE_CORE_NAMED_ARGUMENTS_HPP

#include "../config/abi.hpp"

SLOTWISE_BEGIN

// What a container has that differs from the default is named, in any order:
//     MapStorage<std::string, int, HashBy<MyHash>, Column<float>, Options<KeySetOptions{.deferred_erase = true}>>
// Any static observer is named as it is. `Members` and what follows a container's own types (T, Key ...) are the only places.

/// A column: a value of type U for each element. It is a `ValueArray<U>` over the container's allocator. Any number of them.
template <class U>
struct Column {};
/// The options of the container: Options<SlotMapOptions{.reuse = Reuse::lifo}>.
template <auto O>
struct Options {};
/// Makes two containers with otherwise equal arguments different types, so that their handles are different types too.
template <class X>
struct Tag {};
/// Hashes keys with H.
template <class H>
struct HashBy {};
/// Compares keys with E.
template <class E>
struct EqualBy {};
/// Finds keys by the index I: HashIndex, BoostIndex ...
template <template <class> class Nth>
struct IndexBy {
    template <class Allocator>
    using type = Nth<Allocator>;
};
/// The type of a time.
template <class T>
struct TimeBy {};
/// Takes memory from A, an allocator of any type of value.
template <class A>
struct AllocBy {};
/// The members of the rows of a BasicSoaSlotMap or a BasicSoaVector.
template <class... Ts>
struct Members {};
/// The members of a struct that a BasicSoaStruct keeps: Fields<&P::x, &P::y>.
template <auto... Ms>
struct Fields {};

SLOTWISE_END

#endif
