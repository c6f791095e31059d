// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// KeyedInterface: what all containers with keys offer that does not depend on the key: size, memory, handles, states, columns
// and observers. Before it stand their iterator and their named template arguments.
#ifndef SLOTWISE_KEYED_DETAIL_KEYED_INTERFACE_HPP
#define SLOTWISE_KEYED_DETAIL_KEYED_INTERFACE_HPP

#include "../../core/detail/iterators.hpp"
#include "../../core/handle.hpp"
#include "../../slots/detail/arguments.hpp"
#include "../../slots/slot_range.hpp"
#include "../../slots/value_array.hpp"
#include "keyed_engine.hpp"

SLOTWISE_BEGIN

namespace detail {

/// For owners whose elements are looked up one by one.
struct NoBlock {};
/// Keys and values of 64 slots.
template <class Key, class T>
struct ItemBlock {
    const Key* keys = nullptr;
    T* values = nullptr;
    SLOTWISE_ALWAYS_INLINE constexpr MapItem<Key, T> operator[](unsigned i) const noexcept { return {keys[i], values[i]}; }
    constexpr operator ItemBlock<Key, const T>() const noexcept
        requires(!std::is_const_v<T>)
    {
        return {keys, values};
    }
};

/// The iterator of all containers with keys: a live slot of `Owner`, in slot order. It stays valid when the container grows and
/// when any element is erased: ++ from an erased element goes to the next live one. It visits an element that is inserted
/// meanwhile if its slot lies ahead.
/// @tparam Block the elements of 64 slots, which never move: owner->block_at(slot) is that from `slot` on
template <class Owner, class Reference, class Block = NoBlock>
class KeyedIterator : public IteratorFacade<KeyedIterator<Owner, Reference, Block>, std::remove_cvref_t<Reference>, Reference,
                                            std::bidirectional_iterator_tag> {
public:
    constexpr KeyedIterator() noexcept = default;
    constexpr KeyedIterator(Owner* owner, slot_t slot) noexcept : owner_(owner), at_(slot) {
        if (slot != no_slot) enter_word();
    }
    constexpr KeyedIterator(Owner* owner, LiveCursor at) noexcept : owner_(owner), at_(at) {
        if (!at.at_end()) enter_word();
    }
    /// iterator to const_iterator.
    template <class Other, class R, class B>
        requires(std::is_const_v<Owner> && std::is_same_v<const Other, Owner> && !std::is_const_v<Other>)
    constexpr KeyedIterator(const KeyedIterator<Other, R, B>& other) noexcept
        : owner_(other.owner_), at_(other.at_), block_(other.block_) {}

    /// The slot of the element here; no_slot at the end.
    SLOTWISE_ALWAYS_INLINE constexpr slot_t slot() const noexcept { return at_.slot(); }
    /// Its handle. @pre not at the end
    constexpr auto handle() const noexcept { return owner_->handle_at(slot()); }
    SLOTWISE_ALWAYS_INLINE friend constexpr bool operator==(const KeyedIterator& a, const KeyedIterator& b) noexcept {
        return a.at_ == b.at_;
    }

private:
    template <class, class, class>
    friend class KeyedIterator;
    friend IteratorFacade<KeyedIterator, std::remove_cvref_t<Reference>, Reference, std::bidirectional_iterator_tag>;
    SLOTWISE_ALWAYS_INLINE constexpr Reference dereference() const {
        SLOTWISE_EXPECT_DEBUG(owner_->occupancy().test(slot()),
                              "keyed iterator: the element here was erased, or it is the end");
        if constexpr (std::is_same_v<Block, NoBlock>)
            return owner_->element_at(slot());
        else
            return block_[at_.bit];
    }
    SLOTWISE_ALWAYS_INLINE constexpr void increment() noexcept {
        const auto& directory = owner_->core_.directory;
        if (!at_.step(directory.live_word(at_.word)) && at_.next_word(directory)) enter_word();
    }
    constexpr void decrement() noexcept {
        at_.step_back(owner_->occupancy());
        enter_word();
    }
    SLOTWISE_ALWAYS_INLINE constexpr void enter_word() noexcept {
        if constexpr (!std::is_same_v<Block, NoBlock>) block_ = owner_->block_at(at_.first_slot());
    }

    Owner* owner_ = nullptr;
    LiveCursor at_{};
    SLOTWISE_NO_UNIQUE_ADDRESS Block block_{};
};

/// Access to the columns that a container has of its own, for the series around it: values, times and deltas.
struct ColumnAccess {
    template <class Column, class Container>
    SLOTWISE_INLINE_UNOPTIMISED static constexpr auto& get(Container& container) noexcept {
        return container.core_.hub.template get<Container::template own_index<Column>>();
    }
    template <class Column, class Container>
    static constexpr auto view(Container& container) noexcept {
        return container.view_of(get<Column>(container));
    }
    /// Where the keys of a type-erased container lie.
    template <class Container>
    static auto key_pages(const Container& container) noexcept {
        return container.core_.store.keys.pages();
    }
    /// The column of the values of a map, typed or type-erased.
    template <class Map>
    SLOTWISE_INLINE_UNOPTIMISED static constexpr auto& values(Map& map) noexcept {
        return map.values_column();
    }
    template <class Container>
    static constexpr bool has_dynamic_observers(const Container& container) noexcept {
        return container.core_.hub.dynamic();
    }
    /// Whether searches for a K can be prepared: the index can, and the hash throws nothing.
    template <class Container, class K>
    static constexpr bool can_prefetch = [] {
        if constexpr (requires(const Container& c) { c.core_.store.index.prefetch(std::uint64_t{}); })
            return noexcept(std::declval<const Container&>().hash_function()(std::declval<const K&>()));
        else
            return false;
    }();
    /// Fetches the part of the index that a search for `key` reads first. Returns the hash, for prefetch_element().
    template <class Container, class K>
    SLOTWISE_ALWAYS_INLINE static std::uint64_t prefetch_index(const Container& container, const K& key) noexcept {
        const std::uint64_t hash = container.core_.store.keys.hash(key);
        container.core_.store.index.prefetch(hash);
        return hash;
    }
    /// Fetches key and columns of the element to which the index leads, which in most cases is the one with the key.
    template <class Container>
    SLOTWISE_ALWAYS_INLINE static void prefetch_element(const Container& container, std::uint64_t hash) noexcept {
        container.core_.store.index.find(hash, [&](slot_t slot) {
            prefetch_key(container, slot);
            prefetch_columns(container, slot);
            return true;
        });
    }
    /// Fetches the key in the slot.
    template <class Container>
    SLOTWISE_ALWAYS_INLINE static void prefetch_key([[maybe_unused]] const Container& container,
                                                    [[maybe_unused]] slot_t slot) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        __builtin_prefetch(container.core_.store.keys.ptr(slot));
#endif
    }
    /// Fetches what the container itself keeps of the slot beside the key.
    template <class Container>
    SLOTWISE_ALWAYS_INLINE static void prefetch_columns(const Container& container, slot_t slot) noexcept {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (prefetch_own(container.core_.hub.template get<Nth>(), slot), ...);
        }(std::make_index_sequence<Container::own_columns>{});
    }
    /// Takes the contents of `other`; dynamic observers stay and are notified. Throws as SlotContainer::adopt
    template <class Container>
    static constexpr void adopt(Container& container, Container& other) {
        container.core_.adopt(other.core_);
    }

private:
    template <class Column>
    SLOTWISE_ALWAYS_INLINE static void prefetch_own([[maybe_unused]] const Column& column,
                                                    [[maybe_unused]] slot_t slot) noexcept {
#if defined(__GNUC__) || defined(__clang__)
        if constexpr (requires { column.ptr(slot); }) __builtin_prefetch(column.ptr(slot), 1);
#endif
    }
};

/// The hash, index, options and columns that the named template arguments of a set or map with keys choose. The container's own
/// columns, which its user neither names nor counts, come before those that With... names.
template <class Key, class... With>
struct KeyedArguments : Arguments<with_options | with_tag | with_hash | with_equal | with_index | with_alloc | with_observers,
                                  KeySetOptions, Key, Key, With...> {
    using hash = pick<with_hash, DefaultHash<Key>, With...>;
    using equal = pick<with_equal, EqualTo, With...>;
    using index = pick<with_index, IndexBy<HashIndex>, With...>;
    using own_columns = TypeList<>;
};
/// The arguments of a set or map that is a part of `Whole`: the keys of a map, a series without its time. It is specialised in
/// keyed/map_storage.hpp, keyed/any_storage.hpp and series/detail/series_state.hpp.
template <class Whole>
struct PartArguments;
template <class Key, class Whole>
struct KeyedArguments<Key, EmbeddedIn<Whole>> : PartArguments<Whole> {};

/// The keys of a container with these arguments.
template <class Key, class Args>
using KeyedStore = KeyStore<Key, typename Args::hash, typename Args::equal, Args::options, typename Args::allocator>;

/// The engine of a container with these arguments.
template <class Store, class Args, class Index = typename Args::index, class Own = typename Args::own_columns,
          class Observers = typename Args::observers>
struct EngineBy;
template <class Store, class Args, template <class> class Index, class... Own, class... Observers>
struct EngineBy<Store, Args, IndexBy<Index>, TypeList<Own...>, TypeList<Observers...>> {
    using type = KeyedEngine<Store, Args::options, typename Args::allocator, Index, Own..., Observers...>;
    static constexpr std::size_t own_columns = sizeof...(Own);
};

} // namespace detail

/// The common part of SetStorage, MapStorage, AnySetStorage and AnyMapStorage. It is not used by itself.
///
/// Guarantees, the same for all:
///   strong    an insert that throws has no effect on elements, handles and future handles. (One exception: when a column or an
///             observer throws while a *pending* element is resurrected, that removed element is erased for good.)
///   handles   a handle resolves from its insert to its erase, and never again
///   stable    keys, values and columns never move
///   const     const members may run concurrently, if hash and equality may
/// @tparam Store the keys @tparam Tag names the handles @tparam Args the result of the named arguments: KeyedArguments
template <class Store, class Tag, class Args>
class KeyedInterface {
    using Engine = typename detail::EngineBy<Store, Args>::type;
    using Hub = typename Engine::Hub;
    using Allocator = typename Args::allocator;
    static constexpr KeySetOptions O = Args::options;
    static constexpr std::size_t Own = detail::EngineBy<Store, Args>::own_columns;

public:
    using handle_type = Handle<Tag, O.handle>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    static constexpr KeySetOptions options = O;

    //=== construct, copy, move ===//

    constexpr KeyedInterface() = default;
    /// An empty container with these keys, of which there are none.
    constexpr KeyedInterface(Store&& keys, const Allocator& alloc) : core_(std::move(keys), alloc) {}
    /// An exact copy: the same elements in the same slots under the same handles, including pending ones, and the same handles
    /// in future. Static columns are copied. Dynamic observers stay with the original. @throws what the allocator and the
    /// copies throw
    constexpr KeyedInterface(const KeyedInterface& other) = default;
    constexpr KeyedInterface(const KeyedInterface& other, const Allocator& alloc) : core_(other.core_, alloc) {}
    /// Takes elements and observers. `other` is then empty and usable. Addresses and handles stay valid and refer to this
    /// container. @complexity O(1)
    /// @throws what copying Hash and Equal throws (`other` hashes and compares as before); nothing has changed then
    constexpr KeyedInterface(KeyedInterface&& other) = default;
    /// As above, into memory of `alloc`. With unequal allocators keys and values are moved one by one: their addresses change,
    /// handles stay. Those whose move may throw are copied if possible, so that `other` is unchanged if anything throws.
    constexpr KeyedInterface(KeyedInterface&& other, const Allocator& alloc) : core_(std::move(other.core_), alloc) {}
    /// Strong when no dynamic observer is attached. Dynamic observers of the target stay attached: they are notified of the end
    /// of the old contents and of the new contents. If one throws, the target is empty, and the observers that were not
    /// notified of its capacity are detached. An observer that attaches meanwhile is notified of the new contents only.
    constexpr KeyedInterface& operator=(const KeyedInterface& other) = default;
    /// Takes elements and observers. The target's dynamic observers get on_clear and on_reset while the old contents still
    /// exist, and are detached. An observer that attaches meanwhile is not notified, and detached too. With unequal allocators
    /// that do not propagate the keys are moved one by one. @throws also what copies and swaps of Hash and Equal throw; both
    /// containers then keep their elements (with unequal allocators `other` loses its own)
    constexpr KeyedInterface& operator=(KeyedInterface&& other) = default;
    ~KeyedInterface() = default;
    /// Exchanges elements, handles and observers. Allocators are exchanged if they propagate. With unequal allocators that do
    /// not propagate every key is moved. @throws also what the swaps of Hash and Equal throw; the elements stay where they were
    /// then
    constexpr void swap(KeyedInterface& other) noexcept(noexcept(std::declval<Engine&>().swap(std::declval<Engine&>()))) {
        core_.swap(other.core_);
    }
    constexpr allocator_type get_allocator() const noexcept { return core_.allocator; }

    //=== capacity ===//

    /// Live elements.
    constexpr size_type size() const noexcept { return core_.directory.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots with memory. size() + pending() + retired() never exceeds it.
    constexpr size_type capacity() const noexcept { return core_.directory.capacity(); }
    /// The highest possible number of slots.
    static constexpr size_type max_size() noexcept { return Engine::max_slots(); }
    /// Room for `count` live elements in all, in slots and index, so that inserts up to there allocate nothing.
    /// @throws std::length_error when count exceeds max_size(), what the allocator or an observer throws; strong
    constexpr void reserve(size_type count) {
        core_.expect_not_notifying();
        if (count > max_size())
            detail::throw_length_error("keyed container reserve(count): count exceeds max_size(); use more index bits");
        const std::size_t unusable = core_.unusable();
        if (count > max_size() - unusable)
            detail::throw_length_error(
                "keyed container reserve(count): too many slots are pending or retired; flush_removed() first");
        core_.store.index.reserve(count + unusable, core_.rebuild_source());
        if (count + unusable > capacity()) core_.do_reserve(count + unusable);
    }
    /// Frees memory above the highest slot in use, and of the index. A version floor remains: old handles stay stale for ever.
    /// @throws what the allocator throws; strong @complexity linear in capacity @invalidates iterators at erased elements
    constexpr void shrink_to_fit() {
        core_.expect_not_notifying();
        core_.do_shrink_to_fit();
    }
    /// Erases all elements; every handle is stale. Memory stays. With deferred erase they become pending, and are erased by the
    /// next flush_removed(). An element that a destructor inserts meanwhile survives. Lookups do not find elements that are
    /// still to be destroyed, but a walk inside a destructor may visit them. @throws nothing @complexity linear in slots
    constexpr void clear() noexcept {
        core_.expect_not_notifying();
        core_.do_clear();
    }
    /// Erases all elements, including pending ones, and frees the memory. Handles stay stale for ever: slots start again at the
    /// highest version that one of them has had, or at the floors that an earlier shrink_to_fit() kept. A destructor must not
    /// insert meanwhile (checked at level fast). While slots are retired their bookkeeping stays, and reset() is clear() and
    /// flush_removed().
    /// @throws nothing
    constexpr void reset() noexcept { core_.do_reset(); }

    //=== handles and slots ===//

    /// Whether the element of this handle lives. This overload takes exactly a handle; a list in braces is a key. The same
    /// holds for every function that takes a key or a handle.
    template <std::same_as<handle_type> H>
    constexpr bool contains(H handle) const noexcept {
        return core_.directory.is_live(handle.index(), handle.version());
    }
    /// The handle of the element in `slot`, null when the slot is not live.
    constexpr handle_type handle_at(slot_t slot) const noexcept {
        return core_.directory.is_live(slot) ? handle_type(slot, core_.directory.version(slot)) : handle_type();
    }
    constexpr SlotState state(slot_t slot) const noexcept { return core_.state(slot); }
    /// Why a handle does or does not resolve.
    template <std::convertible_to<handle_type> H>
    constexpr HandleStatus explain(const H& of) const noexcept {
        const handle_type handle = of;
        return handle.is_null() ? HandleStatus::null : core_.explain(handle.index(), handle.version());
    }
    /// Erases the element; false when there is none. @throws nothing @complexity O(1), never allocates
    template <std::same_as<handle_type> H>
    constexpr bool erase(H handle) noexcept {
        if (!contains(handle)) return false;
        core_.do_erase(handle.index());
        return true;
    }
    /// As erase, but the handle is "reserved" then, and its slot is not used for others: fulfill() brings it back with a key,
    /// cancel() gives it up. For undo. The key can be inserted again at once, and the element is not readable any more, also
    /// with deferred erase. It takes exactly a handle, so that braces do not make one.
    /// @throws what the allocator throws, when no handle of this container was reserved before (a bit a slot); with deferred
    /// erase also what equality throws; strong
    /// @complexity O(1); with deferred erase linear in pending elements, one of which may have the key
    template <std::same_as<handle_type> H>
    constexpr bool erase_reserved(H handle) {
        if (!contains(handle)) return false;
        core_.do_erase_reserved(handle.index());
        return true;
    }
    /// Cancels a reserved handle, which stays stale for ever. False when it is not reserved.
    template <std::same_as<handle_type> H>
    constexpr bool cancel(H handle) noexcept {
        return core_.directory.cancel(handle.index(), handle.version());
    }
    /// Slots whose versions are used up.
    constexpr size_type retired() const noexcept { return core_.directory.retired(); }
    /// Allows retired slots to be issued again. @pre no handle of their earlier elements is in use. Returns how many.
    constexpr size_type recycle_retired() noexcept { return core_.directory.recycle_retired(); }
    /// Live slots in ascending order.
    constexpr SlotRange live_slots() const noexcept { return SlotRange(occupancy()); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// Liveness of the slots, one bit each.
    constexpr Occupancy occupancy() const noexcept { return core_.directory.occupancy(); }

    //=== deferred erase ===//

    /// The same as erase. With deferred erase the slot becomes pending.
    template <std::same_as<handle_type> H>
        requires(O.deferred_erase)
    constexpr bool remove(H handle) noexcept {
        return erase(handle);
    }
    /// Removed elements that are still readable.
    constexpr size_type pending() const noexcept { return core_.pending.size(); }
    /// Calls f(slot) for every pending slot in the order of removal. f must not insert, erase or flush.
    template <class F>
    constexpr void for_each_pending(F&& f) const {
        core_.pending.for_each(f);
    }
    /// Erases the pending elements in the order of removal. Elements that an observer or a destructor removes meanwhile wait
    /// for the next flush. @throws nothing
    constexpr void flush_removed() noexcept {
        core_.expect_not_notifying();
        core_.do_flush_removed();
    }

    //=== observers ===//

    /// Attaches an observer until the token is destroyed. It is notified of the capacity, of every live slot, and of every
    /// pending slot as inserted and removed.
    /// @pre the observer lives as long as the token is attached @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) { return core_.do_attach(observer); }
    /// The static observer of type Observer, which must be one: set.observer<DeltaTracker<>>().
    template <class Observer>
    constexpr Observer& observer() noexcept {
        return core_.hub.template get<Hub::template index_of<Observer, Own>()>();
    }
    template <class Observer>
    constexpr const Observer& observer() const noexcept {
        return core_.hub.template get<Hub::template index_of<Observer, Own>()>();
    }
    /// The same by its number among those that were named: for types that occur twice.
    template <std::size_t Nth>
    constexpr auto& observer() noexcept {
        return core_.hub.template get<Own + Nth>();
    }
    template <std::size_t Nth>
    constexpr const auto& observer() const noexcept {
        return core_.hub.template get<Own + Nth>();
    }
    /// The column of values of type T, which must be one, as a view: set.column<float>()[handle].
    /// @invalidates itself when the container grows, shrinks or moves
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return view_of(core_.hub.template get<Hub::template index_of_column<T, Own>()>());
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return view_of(core_.hub.template get<Hub::template index_of_column<T, Own>()>());
    }
    /// The same by its number among the static observers that were named.
    template <std::size_t Nth>
    constexpr auto column() noexcept {
        return view_of(observer<Nth>());
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        return view_of(observer<Nth>());
    }

    /// The column of values of type T as one span over every slot below the highest one in use, live or not: only with
    /// Growth::reserve. Access live ones only.
    template <class T>
    std::span<T> slot_span() noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.hub.template get<Hub::template index_of_column<T, Own>()>().data(), core_.directory.cursor()};
    }
    template <class T>
    std::span<const T> slot_span() const noexcept
        requires(O.growth == Growth::reserve)
    {
        return {core_.hub.template get<Hub::template index_of_column<T, Own>()>().data(), core_.directory.cursor()};
    }

    /// Bytes held on the heap: keys and their hashes, directory, index, columns (also of values). Without what elements hold
    /// themselves. @complexity O(1); linear in pages if they are of one value
    constexpr size_type memory_usage() const noexcept { return core_.memory_usage(); }
    /// Whether directory, keys, index and pending slots agree in full; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const { return core_.is_sound(); }

protected:
    friend struct detail::ColumnAccess;
    static constexpr std::size_t own_columns = Own;
    /// The number of the column of this type among those of the container itself.
    template <class Column>
    static constexpr std::size_t own_index = Hub::template index_of<Column, 0, Own>();
    template <class Column>
    constexpr auto view_of(Column& column) const noexcept {
        using T = typename Column::value_type;
        const ColumnView<T> view(column.pages(), core_.directory_view());
        if constexpr (std::is_const_v<Column>)
            return ColumnView<const T>(view);
        else
            return view;
    }

    static constexpr std::uint32_t magic = 0x314B'4C53; // "SLK1"

    /// Writes everything as bytes. After each key write_first(slot, out) writes the columns before number `First`.
    /// @tparam Row bytes of a key and those columns, where they are a block; otherwise 0
    /// @param tags the types of key and those columns
    template <std::size_t First, std::size_t Row, class Codec, std::size_t Tags, class WriteFirst>
    std::vector<std::byte> to_bytes(Codec& codec, const std::array<detail::ElementTag, Tags>& tags,
                                    WriteFirst&& write_first) const {
        ByteWriter out;
        append_bytes<First, Row>(out, codec, tags, Row, 0, write_first);
        return out.take();
    }
    /// The same behind what `out` has. @param row about how many bytes an element takes, without columns from `First` on
    /// @param behind how many bytes the caller writes afterwards: room for them is made, too
    template <std::size_t First, std::size_t Row, class Codec, std::size_t Tags, class WriteFirst>
    void append_bytes(ByteWriter& out, Codec& codec, const std::array<detail::ElementTag, Tags>& tags, std::size_t row,
                      std::size_t behind, WriteFirst&& write_first) const {
        const std::size_t first = out.written().size();
        out.reserve(core_.template bytes_needed<First, Codec>(row) + behind);
        out.number(magic);
        out.number(core_.store.keys.size_check(codec));
        out.number(static_cast<std::uint32_t>(pending()));
        for_each_pending([&](slot_t slot) { out.number(slot); });
        core_.template write<First, Row>(out, codec, [&] {
            core_.for_each_stored([&](slot_t slot) {
                core_.store.keys.write(slot, out, codec);
                write_first(slot, out);
            });
        });
        detail::Seal::append<Codec>(out, detail::join_tags(tags, Engine::template column_tags<First, Codec>()), first);
    }
    /// Replaces the contents by those of the bytes. Returns the error and has no effect then; null on success. @param
    /// read_first builds the first column's value of a slot: (container, slot, in) -> bool
    template <std::size_t First, std::size_t Row, class Codec, std::size_t Tags, class ReadFirst>
    const char* from_bytes(std::span<const std::byte> bytes, Codec& codec, const std::array<detail::ElementTag, Tags>& tags,
                           ReadFirst&& read_first) {
        core_.expect_not_notifying();
        const auto all = detail::join_tags(tags, Engine::template column_tags<First, Codec>());
        if (const char* const wrong = detail::Seal::open<Codec>(bytes, magic, all)) return wrong;
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != magic) return "snapshot: these bytes are not a snapshot of a keyed container";
        if (in.number<std::uint32_t>() != core_.store.keys.size_check(codec))
            return "snapshot: it was made by a container of keys of another size";
        const std::size_t waiting = in.number<std::uint32_t>();
        if (!O.deferred_erase && waiting != 0)
            return "snapshot: it has pending elements, but this container has no deferred erase";
        if (waiting > in.left() / sizeof(slot_t)) return "snapshot: the bytes end too early";
        std::vector<slot_t> order(waiting);
        for (auto& slot : order) slot = in.number<slot_t>();
        Engine fresh(typename Engine::EmptyCopyTag(), core_, core_.allocator);
        const char* const error = fresh.template read<First>(in, codec, order, [&](auto& directory) {
            fresh.directory.swap(directory);
            return fresh.template read_elements<First, Row>(in, codec, order,
                                                            [&](slot_t slot) { return read_first(fresh, slot, in); });
        });
        if (error == nullptr) core_.adopt(fresh);
        return error;
    }

    Engine core_{};
};

SLOTWISE_END

#endif
