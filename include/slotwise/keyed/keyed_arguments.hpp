// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeyedArguments: what the named template arguments of a set or map come to, and the core that follows from them.
#ifndef SLOTWISE_KEYED_KEYED_ARGUMENTS_HPP
#define SLOTWISE_KEYED_KEYED_ARGUMENTS_HPP

#include "../slots/arguments.hpp"
#include "../slots/value_array.hpp"
#include "key_set_core.hpp"

SLOTWISE_BEGIN
namespace detail {

/// What the arguments of a set or map with keys come to.
template <class Key, class... With>
struct KeyedArguments : Arguments<with_options | with_tag | with_hash | with_equal | with_index | with_alloc | with_observers,
                                  KeySetOptions, Key, Key, With...> {
    using hash = pick<with_hash, DefaultHash<Key>, With...>;
    using equal = pick<with_equal, EqualTo, With...>;
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
    using own_columns = TypeList<>;
};
/// What the arguments of a part of Whole come to.
template <class Whole>
struct PartArguments;
template <class Key, class Whole>
struct KeyedArguments<Key, PartOf<Whole>> : PartArguments<Whole> {};

template <class Key, class Args>
using KeyedStore = KeyStore<Key, typename Args::hash, typename Args::equal, Args::options, typename Args::allocator>;

template <class Set, class Key, class Args, class Index = typename Args::index, class Own = typename Args::own_columns,
          class Observers = typename Args::observers>
struct KeySetCoreOf;
template <class Set, class Key, class Args, template <class> class Index, class... Own, class... Observers>
struct KeySetCoreOf<Set, Key, Args, IndexBy<Index>, TypeList<Own...>, TypeList<Observers...>> {
    using type = KeySetCore<KeyedStore<Key, Args>, typename HandleOf<Set>::tag_type, Args::options, typename Args::allocator,
                            Index, sizeof...(Own), Own..., Observers...>;
};
/// The core of a set with these arguments.
template <class Key, class... With>
using keyed_core = typename KeySetCoreOf<SetStorage<Key, With...>, Key, KeyedArguments<Key, With...>>::type;

} // namespace detail
SLOTWISE_END

#endif
