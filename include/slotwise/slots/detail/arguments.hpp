// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Arguments: the result of the named template arguments of a container, and the errors for arguments that do not fit.
#ifndef SLOTWISE_SLOTS_DETAIL_ARGUMENTS_HPP
#define SLOTWISE_SLOTS_DETAIL_ARGUMENTS_HPP

#include "../../core/detail/iterators.hpp"
#include "../../core/with.hpp"
#include "../../memory/reserved_array.hpp"
#include "../slot_observer.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The options type of a container that has no options.
struct NoOptions {};
/// The key type of a container that has no keys.
struct NoKey {};

/// What an unnamed type without a hook seems to be.
template <class W, class Key>
struct Guess {
    static constexpr bool allocates = requires(W& a, typename W::value_type* p) { a.deallocate(p, std::size_t{1}); };
    static constexpr bool options = std::is_same_v<W, SlotMapOptions> || std::is_same_v<W, KeySetOptions> ||
                                    std::is_same_v<W, SeriesOptions> || std::is_same_v<W, RelationMapOptions>;
    static constexpr bool compares =
        !std::is_same_v<Key, NoKey> && requires(const W& w, const Key& key) { static_cast<bool>(w(key, key)); };
    static constexpr bool hashes =
        !std::is_same_v<Key, NoKey> && requires(const W& w, const Key& key) { static_cast<std::size_t>(w(key)); };
    static constexpr bool none = !allocates && !options && !compares && !hashes;
};

/// Whether W is a named argument, and so no column and no static observer.
template <class W>
inline constexpr bool is_named = Argument<W>::name != no_name;
template <class U>
inline constexpr bool is_named<Column<U>> = true;

/// Whether the unnamed W resembles a static observer. The hub reports its errors.
template <class W>
inline constexpr bool observes = Hooks<W>::any || !Hooks<W>::sound || Hooks<W>::misnamed;

/// Its errors name the argument W that does not fit. @tparam Uses the names that the container supports
template <class W, std::uint64_t Uses, class OptionsType, class Key>
struct CheckArgument {
    static constexpr std::uint64_t name = Argument<W>::name;
    static constexpr bool used = (Uses & name) == name;
    static_assert(used || name != with_options, "template argument Options<O>: this container has no options; leave it out");
    static_assert(used || name != with_tag,
                  "template argument Tag<X>: this container makes no handles of its own; leave it out");
    static_assert(used || name != with_handle,
                  "template argument HandleBy<H>: the handles of this container have a type of its own; leave it out, or write "
                  "Tag<X>");
    static_assert(used || name != with_hash, "template argument HashBy<H>: this container does not hash; leave it out");
    static_assert(used || name != with_equal, "template argument EqualBy<E>: this container compares no keys; leave it out");
    static_assert(used || name != with_index,
                  "template argument IndexBy<I>: this container has no index of keys; leave it out");
    static_assert(used || name != with_time, "template argument TimeBy<T>: this container has no time; leave it out");
    static_assert(used || name != with_id,
                  "template argument IdBy<Id>: only a DataflowGraph finds its elements by ids too; keep an IdentityMap beside");
    static_assert(used || name != with_rule, "template argument LinkIf<P>: this container has no links; leave it out");
};
template <class W, std::uint64_t Uses, class OptionsType, class Key>
    requires(!is_named<W>)
struct CheckArgument<W, Uses, OptionsType, Key> {
    static constexpr bool unknown = !observes<W>;
    using Is = Guess<W, Key>;
    static_assert(!(unknown && Is::allocates), "template argument: this type is an allocator; write AllocBy<A>");
    static_assert(!(unknown && Is::options), "template argument: options are a value; write Options<SlotMapOptions{...}>");
    static_assert(!(unknown && Is::compares), "template argument: this type compares keys; write EqualBy<E>");
    static_assert(!(unknown && Is::hashes), "template argument: this type hashes keys; write HashBy<H>");
    static_assert(
        !(unknown && Is::none),
        "template argument: this type has no hook (on_insert, on_erase ...), so it is no static observer; for a column "
        "of values write Column<T>, else say what it is: Tag<X>, HashBy<H>, EqualBy<E>, TimeBy<T>, AllocBy<A>");
    static_assert(
        unknown || (Uses & with_observers) != 0,
        "template argument: this container notifies no static observers; name the column or observer on the container "
        "that makes the handles");
};
template <class H, std::uint64_t Uses, class OptionsType, class Key>
    requires((Uses & with_handle) != 0)
struct CheckArgument<HandleBy<H>, Uses, OptionsType, Key> {
    static_assert(GivenHandle<H>::valid, "template argument HandleBy<H>: H is no handle type; write Handle<struct Name>");
};
template <class U, std::uint64_t Uses, class OptionsType, class Key>
struct CheckArgument<Column<U>, Uses, OptionsType, Key> {
    static_assert(
        (Uses & with_observers) != 0,
        "template argument Column<U>: this container has no columns; name it on the container that makes the handles");
};
template <auto O, std::uint64_t Uses, class OptionsType, class Key>
    requires((Uses & with_options) != 0)
struct CheckArgument<Options<O>, Uses, OptionsType, Key> {
    static constexpr bool holds = std::is_same_v<std::remove_const_t<decltype(O)>, OptionsType>;
    static_assert(holds || !std::is_same_v<OptionsType, SlotMapOptions>,
                  "template argument Options<O>: the options of a slot map are Options<SlotMapOptions{...}>");
    static_assert(holds || !std::is_same_v<OptionsType, KeySetOptions>,
                  "template argument Options<O>: the options of a set or map with keys are Options<KeySetOptions{...}>");
    static_assert(holds || !std::is_same_v<OptionsType, SeriesOptions>,
                  "template argument Options<O>: the options of a series are Options<SeriesOptions{...}>");
    static_assert(holds || !std::is_same_v<OptionsType, RelationMapOptions>,
                  "template argument Options<O>: the options of a relation map are Options<RelationMapOptions{...}>");
};

/// How the columns of a container grow, as its options say.
/// @tparam MaxSlots the option @tparam Indexed the slots of its handles
template <Growth G = Growth::pages, std::size_t MaxSlots = 0, std::size_t Indexed = no_slot>
struct ColumnGrowth {
    static constexpr Growth growth = G;
    /// For how many values of type U a column has address space.
    template <class U>
    static constexpr std::size_t slot_count = reserved_slots<G, U>(MaxSlots, Indexed);
    template <class U, class Allocator>
    using column = ValueArray<U, rebind_t<Allocator, U>, G, slot_count<U>>;
};
template <class O>
consteval auto column_growth_of() noexcept {
    if constexpr (requires { O::options.growth; })
        return ColumnGrowth<O::options.growth, O::options.max_slots,
                            std::size_t{O::options.handle.index_bits < 32 ? slot_t{1} << O::options.handle.index_bits
                                                                          : no_slot}>();
    else
        return ColumnGrowth<>();
}

/// Appends the columns and static observers among With....
template <class Allocator, class Grown, class Found, class... With>
struct ObserversOf {
    using type = Found;
};
template <class Allocator, class Grown, class... Found, class W, class... With>
    requires(!is_named<W>)
struct ObserversOf<Allocator, Grown, TypeList<Found...>, W, With...>
    : ObserversOf<Allocator, Grown, std::conditional_t<observes<W>, TypeList<Found..., W>, TypeList<Found...>>, With...> {};
template <class Allocator, class Grown, class... Found, class U, class... With>
struct ObserversOf<Allocator, Grown, TypeList<Found...>, Column<U>, With...>
    : ObserversOf<Allocator, Grown, TypeList<Found..., typename Grown::template column<U, Allocator>>, With...> {};
template <class Allocator, class Grown, class... Found, class W, class... With>
    requires(Argument<W>::name != no_name)
struct ObserversOf<Allocator, Grown, TypeList<Found...>, W, With...>
    : ObserversOf<Allocator, Grown, TypeList<Found...>, With...> {};

template <class List, class... Ts>
struct Prepend;
template <class... Us, class... Ts>
struct Prepend<TypeList<Us...>, Ts...> {
    using type = TypeList<Ts..., Us...>;
};

/// The result of the arguments With... of a container. A container without arguments costs one instantiation. @tparam Uses the
/// names that it supports @tparam OptionsType the type of its options
/// @tparam T what its default allocator allocates @tparam Key what it hashes and compares
template <std::uint64_t Uses, class OptionsType, class T, class Key, class... With>
struct Arguments {
    static constexpr std::uint64_t count = (std::uint64_t{0} + ... + Argument<With>::name);
    static constexpr bool once(ArgumentName name) noexcept { return count / name % 16 <= 1; }
    static_assert(once(with_options), "template arguments: Options<O> occurs twice; write all options into one");
    static_assert(once(with_tag), "template arguments: Tag<X> occurs twice; name one");
    static_assert(once(with_handle), "template arguments: HandleBy<H> occurs twice; name one");
    static_assert(count / with_handle % 16 + count / with_tag % 16 <= 1,
                  "template arguments: HandleBy<H> names the type of the handles, so that Tag<X> has no meaning; leave it out");
    static_assert(once(with_hash), "template arguments: HashBy<H> occurs twice; name one");
    static_assert(once(with_equal), "template arguments: EqualBy<E> occurs twice; name one");
    static_assert(once(with_index), "template arguments: IndexBy<I> occurs twice; name one");
    static_assert(once(with_time), "template arguments: TimeBy<T> occurs twice; name one");
    static_assert(once(with_alloc), "template arguments: AllocBy<A> occurs twice; name one");
    static_assert(once(with_id), "template arguments: IdBy<Id> occurs twice; name one");
    static_assert(once(with_rule), "template arguments: LinkIf<P> occurs twice; name one");
    static_assert((sizeof(CheckArgument<With, Uses, OptionsType, Key>) + ... + 1) != 0); // each states its own error

    template <ArgumentName Name, class Default>
    using get = pick<Name, Default, With...>;
    using allocator = pick<with_alloc, std::allocator<T>, With...>;
    static constexpr auto options = [] {
        using Given = Pick<with_options, DefaultOptions<OptionsType>, With...>;
        if constexpr (!std::is_same_v<std::remove_const_t<decltype(Given::value)>, OptionsType>)
            return OptionsType{}; // the error was reported already
        else if constexpr ((Uses & with_handle) != 0 && count / with_handle % 16 != 0) {
            OptionsType all = Given::value;
            constexpr HandleLayout layout = pick<with_handle, void, With...>::layout;
            static_assert(Given::value.handle == HandleLayout{} || Given::value.handle == layout,
                          "template arguments: HandleBy<H> and Options<O> say different layouts of handles; name it in one");
            all.handle = layout;
            return all;
        } else
            return Given::value;
    }();
    struct Known {
        static constexpr auto options = Arguments::options;
    };
    using grown = decltype(column_growth_of<Known>());
    using observers = typename ObserversOf<allocator, grown, TypeList<>, With...>::type;
};

/// Whether a type is const, volatile or a reference.
template <class T>
inline constexpr bool is_qualified = std::is_reference_v<T> || !std::is_same_v<T, std::remove_cv_t<T>>;

/// The container of the plain type, so that the assertion is the only error (a const element gave 100 to 400 lines).
template <class Container>
struct OfPlain : Container {
    static_assert(never<Container>, "container: keys and elements are plain objects, not const, volatile or references; write "
                                    "T, a const member of it, T* or std::reference_wrapper<T>");
};

/// What OfPlain has of a container that is final.
template <class...>
struct NoContainer {};

} // namespace detail

//=== containers of const, volatile or reference types: an error each ===//

/// The error for const, volatile and reference types.
template <class T, class... With>
    requires(detail::is_qualified<T>)
class SlotMap<T, With...> : public detail::OfPlain<SlotMap<std::remove_cvref_t<T>, With...>> {};
/// The error for const, volatile and reference types.
template <class T, class... With>
    requires(detail::is_qualified<T>)
class DenseSlotMap<T, With...> : public detail::OfPlain<DenseSlotMap<std::remove_cvref_t<T>, With...>> {};
/// The error for const, volatile and reference types.
template <class... Ts, class... With>
    requires(detail::is_qualified<Ts> || ...)
class BasicSoaSlotMap<Members<Ts...>, With...>
    : public detail::OfPlain<BasicSoaSlotMap<Members<std::remove_cvref_t<Ts>...>, With...>> {};
/// The error for const, volatile and reference types.
template <class Id, class... With>
    requires(detail::is_qualified<Id>)
class SparseSet<Id, With...> : public detail::OfPlain<SparseSet<std::remove_cvref_t<Id>, With...>> {};
/// The error for const, volatile and reference types.
template <class Id, class T, class... With>
    requires(detail::is_qualified<Id> || detail::is_qualified<T>)
class SparseMap<Id, T, With...> : public detail::OfPlain<SparseMap<std::remove_cvref_t<Id>, std::remove_cvref_t<T>, With...>> {
};
/// The error for const, volatile and reference types.
template <class Id, class T, class... With>
    requires(detail::is_qualified<Id> || detail::is_qualified<T>)
class SwitchMap<Id, T, With...> : public detail::OfPlain<SwitchMap<std::remove_cvref_t<Id>, std::remove_cvref_t<T>, With...>> {
};
/// The error for const, volatile and reference types.
template <class Id, class T, class... With>
    requires(detail::is_qualified<Id> || detail::is_qualified<T>)
class EntityIndex<Id, T, With...>
    : public detail::OfPlain<EntityIndex<std::remove_cvref_t<Id>, std::remove_cvref_t<T>, With...>> {};
/// The error for const, volatile and reference types.
template <class Id, class H, class... With>
    requires(detail::is_qualified<Id> || detail::is_qualified<H>)
class IdentityMap<Id, H, With...> : public detail::OfPlain<detail::NoContainer<Id, H>> {};
/// The error for const, volatile and reference types.
template <class Key, class... With>
    requires(detail::is_qualified<Key>)
class SetStorage<Key, With...> : public detail::OfPlain<SetStorage<std::remove_cvref_t<Key>, With...>> {};
/// The error for const, volatile and reference types.
template <class Key, class T, class... With>
    requires(detail::is_qualified<Key> || detail::is_qualified<T>)
class MapStorage<Key, T, With...>
    : public detail::OfPlain<MapStorage<std::remove_cvref_t<Key>, std::remove_cvref_t<T>, With...>> {};
/// The error for const, volatile and reference types.
template <class Key, class T, class... With>
    requires(detail::is_qualified<Key> || detail::is_qualified<T>)
class TSDStorage<Key, T, With...>
    : public detail::OfPlain<TSDStorage<std::remove_cvref_t<Key>, std::remove_cvref_t<T>, With...>> {};
/// The error for const, volatile and reference types.
template <class Key, class... With>
    requires(detail::is_qualified<Key>)
class TSSStorage<Key, With...> : public detail::OfPlain<TSSStorage<std::remove_cvref_t<Key>, With...>> {};

SLOTWISE_END

#endif
