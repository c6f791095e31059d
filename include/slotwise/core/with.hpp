// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Named template arguments (Options<O>, HashBy<H> ...) of containers, and HandleOf.
#ifndef SLOTWISE_CORE_WITH_HPP
#define SLOTWISE_CORE_WITH_HPP

#include "../fwd.hpp"

#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

/// Types in an order.
template <class... Ts>
struct TypeList {};

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
/// The place of T among Us..., where it must be once. `nowhere`, if not.
template <class T, class... Us>
consteval std::size_t position_of() noexcept {
    std::size_t found = nowhere, times = 0, place = 0;
    ((found = std::is_same_v<T, Us> ? place : found, times += std::is_same_v<T, Us> ? 1 : 0, ++place), ...);
    return times == 1 ? found : nowhere;
}

template <class Row>
inline constexpr bool is_members = false;
template <class... Ts>
inline constexpr bool is_members<Members<Ts...>> = true;

/// The names of arguments. Each is one of a sum in which it has four bits: the sum counts all of them in one expression.
enum ArgumentName : std::uint64_t {
    no_name = 0, ///< a column, a static observer, or an unknown type
    with_options = 1u << 0,
    with_tag = 1u << 4,
    with_hash = 1u << 8,
    with_equal = 1u << 12,
    with_index = 1u << 16,
    with_time = 1u << 20,
    with_alloc = 1u << 24,
    with_observers = 1u << 28, ///< never counted; marks containers that take columns and static observers
    with_id = std::uint64_t{1} << 32,
    with_rule = std::uint64_t{1} << 36,
    with_handle = std::uint64_t{1} << 40
};

/// A type as an argument names it.
template <class T>
struct Named {
    using type = T;
};

/// One argument: its name, and the type or value that it names.
template <class W>
struct Argument {
    static constexpr std::uint64_t name = no_name;
};
template <auto O>
struct Argument<Options<O>> {
    static constexpr std::uint64_t name = with_options;
    static constexpr auto value = O;
};
template <class X>
struct Argument<Tag<X>> : Named<X> {
    static constexpr std::uint64_t name = with_tag;
};
template <class H>
struct Argument<HandleBy<H>> : Named<H> {
    static constexpr std::uint64_t name = with_handle;
};
template <class H>
struct Argument<HashBy<H>> : Named<H> {
    static constexpr std::uint64_t name = with_hash;
};
template <class E>
struct Argument<EqualBy<E>> : Named<E> {
    static constexpr std::uint64_t name = with_equal;
};
template <template <class> class Nth>
struct Argument<IndexBy<Nth>> : Named<IndexBy<Nth>> {
    static constexpr std::uint64_t name = with_index;
};
template <class T>
struct Argument<TimeBy<T>> : Named<T> {
    static constexpr std::uint64_t name = with_time;
};
template <class A>
struct Argument<AllocBy<A>> : Named<A> {
    static constexpr std::uint64_t name = with_alloc;
};
template <class Id>
struct Argument<IdBy<Id>> : Named<Id> {
    static constexpr std::uint64_t name = with_id;
};
template <class P>
struct Argument<LinkIf<P>> : Named<P> {
    static constexpr std::uint64_t name = with_rule;
};

/// The first argument of this name, or Default.
template <std::uint64_t Name, class Default, class... With>
struct Pick : Default {};
template <std::uint64_t Name, class Default, class W, class... With>
struct Pick<Name, Default, W, With...>
    : std::conditional_t<Argument<W>::name == Name, Argument<W>, Pick<Name, Default, With...>> {};
template <std::uint64_t Name, class Default, class... With>
using pick = typename Pick<Name, Named<Default>, With...>::type;

template <class O>
struct DefaultOptions {
    static constexpr O value{};
};

/// The tag of a container's handles. It is a class nested in a template, because argument-dependent lookup also searches the
/// template arguments of the handle's type: with the container itself as an argument, a == b would instantiate the container,
/// and require a complete element type.
template <class Container>
struct HandleTag {
    struct element;
};

/// What HandleBy<H> says.
template <class H>
struct GivenHandle {
    using type = Handle<Named<H>>; // H is none: the container refuses it
    static constexpr bool valid = false;
};
template <class X, HandleLayout L>
struct GivenHandle<Handle<X, L>> {
    using type = Handle<X, L>;
    static constexpr bool valid = true;
};

template <class Container, class... With>
struct MakesHandles {
    static constexpr HandleLayout layout = [] {
        using Given = Pick<with_options, DefaultOptions<SlotMapOptions>, With...>;
        if constexpr (requires { Given::value.handle; })
            return Given::value.handle;
        else
            return HandleLayout{}; // the container refuses these options
    }();
    using Own = Handle<typename HandleTag<Container>::element, layout>;
    using type = typename GivenHandle<pick<with_handle, Own, With...>>::type;
};

/// The handle type of a container, without its definition. The primary template is for types without handles.
template <class Container>
struct HandlesOf {};
template <class T, class... With>
struct HandlesOf<SlotMap<T, With...>> : MakesHandles<SlotMap<T, With...>, With...> {};
template <class T, class... With>
struct HandlesOf<DenseSlotMap<T, With...>> : MakesHandles<DenseSlotMap<T, With...>, With...> {};
template <class... With>
struct HandlesOf<BasicAnySlotMap<With...>> : MakesHandles<BasicAnySlotMap<With...>, With...> {};
template <class Row, class... With>
struct HandlesOf<BasicSoaSlotMap<Row, With...>> : MakesHandles<BasicSoaSlotMap<Row, With...>, With...> {};
template <class T, class... With>
struct HandlesOf<HandlePool<T, With...>> : MakesHandles<HandlePool<T, With...>, With...> {};
template <class Key, class... With>
struct HandlesOf<SetStorage<Key, With...>> : MakesHandles<SetStorage<Key, With...>, With...> {};
template <class Key, class T, class... With>
struct HandlesOf<MapStorage<Key, T, With...>> : MakesHandles<MapStorage<Key, T, With...>, With...> {};
template <class... With>
struct HandlesOf<BasicAnySetStorage<With...>> : MakesHandles<BasicAnySetStorage<With...>, With...> {};
template <class... With>
struct HandlesOf<BasicAnyMapStorage<With...>> : MakesHandles<BasicAnyMapStorage<With...>, With...> {};
template <class... With>
struct HandlesOf<BasicAnyTSSStorage<With...>> : MakesHandles<BasicAnyTSSStorage<With...>, With...> {};
template <class... With>
struct HandlesOf<BasicAnyTSDStorage<With...>> : MakesHandles<BasicAnyTSDStorage<With...>, With...> {};
template <class Key, class... With>
struct HandlesOf<TSSStorage<Key, With...>> : MakesHandles<TSSStorage<Key, With...>, With...> {};
template <class Key, class T, class... With>
struct HandlesOf<TSDStorage<Key, T, With...>> : MakesHandles<TSDStorage<Key, T, With...>, With...> {};

template <class Node, class Value, class Equal, class... With>
struct HandlesOf<DataflowGraph<Node, Value, Equal, With...>> : MakesHandles<DataflowGraph<Node, Value, Equal, With...>> {};

/// The only argument of a set or map on which another container, Whole, is built: the set of keys of a map, the set or map of a
/// series. Its arguments follow from those of Whole, and its handles are Whole's.
template <class Whole>
struct EmbeddedIn {};
template <class Key, class Whole>
struct HandlesOf<SetStorage<Key, EmbeddedIn<Whole>>> : HandlesOf<Whole> {};
template <class Key, class T, class Whole>
struct HandlesOf<MapStorage<Key, T, EmbeddedIn<Whole>>> : HandlesOf<Whole> {};
template <class Whole>
struct HandlesOf<BasicAnySetStorage<EmbeddedIn<Whole>>> : HandlesOf<Whole> {};
template <class Whole>
struct HandlesOf<BasicAnyMapStorage<EmbeddedIn<Whole>>> : HandlesOf<Whole> {};

} // namespace detail

/// The handle_type of a container, which may be incomplete, as may its elements: for elements that refer to each other.
///     struct Node {
///         HandleOf<SlotMap<Node>> parent;
///     };
/// Handles of two containers are different types where the types of the containers are; Tag<X> makes them different.
template <class Container>
using HandleOf = typename detail::HandlesOf<Container>::type;

SLOTWISE_END

#endif
