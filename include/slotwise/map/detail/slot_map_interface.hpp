// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapInterface: the interface that SlotMap, DenseSlotMap, SoaSlotMap and AnySlotMap share, and SlotMapEngine: the steps
// behind it, and behind HandlePool. A store says where values lie.
#ifndef SLOTWISE_MAP_DETAIL_SLOT_MAP_INTERFACE_HPP
#define SLOTWISE_MAP_DETAIL_SLOT_MAP_INTERFACE_HPP

#include "../../core/detail/call_form.hpp"
#include "../../core/detail/concepts.hpp"
#include "../../slots/detail/arguments.hpp"
#include "../../slots/detail/slot_container.hpp"
#include "../../slots/slot_range.hpp"
#include "../../slots/value_array.hpp"
#include "map_iterator.hpp"

#include <initializer_list>
#include <optional>

SLOTWISE_BEGIN
namespace detail {

struct SlotMapSteps;

template <class Store, SlotMapOptions O, class Allocator, class... Observers>
using SlotMapBase = SlotContainer<Store,
                                  SlotContainerOptions{.handle = O.handle,
                                                       .exhaustion = O.exhaustion,
                                                       .reuse = O.reuse,
                                                       .max_slots = O.max_slots,
                                                       .first_slot = O.first_slot,
                                                       .atomic_versions = O.atomic_versions},
                                  Allocator, Observers...>;

/// Why an insert finds no slot.
/// @param limit slots that are allowed now @param most what it can be set to @param names slots that a handle can name
/// @param option SlotMapOptions::max_slots
constexpr const char* text_when_full(std::size_t limit, std::size_t most, std::size_t names, std::size_t option) noexcept {
    if (limit < most)
        return "slot map insert: max_slots() slots are in use or retired; raise it by set_max_slots(n), or use "
               "try_insert()";
    if (most == names)
        return "slot map insert: every slot that the handle can name is in use or retired; use more index bits, "
               "or see recycle_retired()";
    if (option == most)
        return "slot map insert: as many slots as the option max_slots allows are in use or retired; raise it, or use "
               "try_insert()";
    return "slot map insert: the address space of Growth::reserve or of a column is in use; give the option max_slots";
}

/// The engine of slot maps and of HandlePool: a SlotContainer that chooses the slot of a new element, and the steps that insert
/// one. It must not know what a handle is called or what the user sees. Each step leaves the parts consistent or has no effect.
template <class Store, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapEngine : public SlotMapBase<Store, O, Allocator, Observers...> {
public:
    using Base = SlotMapBase<Store, O, Allocator, Observers...>;
    using Base::Base;
    using Base::directory;
    using Base::hub;
    using Base::store;
    using typename Base::Hub;

    /// Whether the same handles name equal values.
    constexpr bool same_elements(const SlotMapEngine& other) const {
        if (directory.size() != other.directory.size()) return false;
        using Ptr = typename Store::const_pointer;
        for (const slot_t slot : SlotRange(directory.occupancy()))
            if (!other.directory.is_live(slot, directory.version(slot)) ||
                !(*Ptr(store.ptr(slot)) == *Ptr(other.store.ptr(slot))))
                return false;
        return true;
    }

    //=== capacity ===//

    /// Whether no slot is left for one more element.
    constexpr bool is_full() const noexcept { return !directory.has_room() && Base::cannot_grow(); }
    /// Room for one more element, or a std::length_error when no slot is left.
    SLOTWISE_ALWAYS_INLINE constexpr void reserve_one() {
        if (!directory.has_room()) [[unlikely]]
            grow_by_one();
    }
    /// Room for `count` live elements in all, or a std::length_error.
    constexpr void reserve_live(std::size_t count) {
        if (O.first_slot != 0 && count == 0) return;
        const std::size_t unusable = Base::unusable(), limit = Base::slot_limit();
        if (count > limit)
            throw_length_error(
                limit < Base::max_slots()
                    ? "slot map reserve(count): count exceeds max_slots(); raise it by set_max_slots(n)"
                    : "slot map reserve(count): count exceeds max_size(); use more index bits, or a larger Options::max_slots");
        if (count > limit - unusable)
            throw_length_error("slot map reserve(count): too many slots are retired or reserved; use more index bits");
        if (count + unusable > directory.capacity()) Base::do_reserve(count + unusable);
    }
    /// Growth stops at `slots` from now on. False when that exceeds max_slots(), or a slot from there on is in use.
    constexpr bool limit_slots(std::size_t slot_count) noexcept {
        if (slot_count > Base::max_slots()) return false;
        if (const std::size_t before = directory.capacity(); slot_count < before) {
            const slot_t cursor = directory.cursor();
            if (directory.lower_cursor(static_cast<slot_t>(slot_count)) > slot_count) {
                directory.restore_cursor(cursor);
                return false;
            }
            hub.capacity(before, slot_count); // fewer: must not throw
            directory.set_capacity(slot_count);
        }
        directory.set_limit(static_cast<slot_t>(slot_count));
        return true;
    }
    /// Whether an element may get this slot and version: see SlotDirectory::can_take.
    constexpr bool can_take(slot_t slot, std::uint32_t version) const noexcept {
        if constexpr (O.first_slot != 0)
            if (slot == 0) return false;
        return directory.can_take(slot, version) && slot < Base::slot_limit();
    }
    /// As SlotDirectory::recycle_retired, except for slot 0 if it is never issued.
    constexpr std::size_t recycle_retired() noexcept {
        const std::size_t count = directory.recycle_retired();
        if (O.first_slot == 0 || count == 0) return count;
        Base::retire_slot_0();
        return count - 1;
    }
    /// Makes room for an untrusted slot number. False, and no effect, when it exceeds the budget.
    constexpr bool reserve_slot_in_budget(slot_t slot) {
        if (slot < directory.capacity()) return true;
        const std::size_t budget = 8 * (directory.size() + 1), most = budget < min_slot_budget ? min_slot_budget : budget;
        if (slot >= most) return false;
        const std::size_t need = std::size_t{slot} + 1, limit = most < Base::slot_limit() ? most : Base::slot_limit(),
                          usual = hub.grown_capacity(store.grown_capacity()); // otherwise ascending slots would grow one by one
        Base::do_reserve(need > usual ? need : usual < limit ? usual : limit);
        return true;
    }
    // What insert_at may claim in a small map. With a budget relative to the capacity, 13 handles, each for the last slot
    // allowed, took a map to 268 million slots.
    static constexpr std::size_t slot_bytes = Store::slot_bytes + Hub::slot_bytes;
    static constexpr std::size_t min_slot_budget = slot_bytes <= 64 ? 65536 : (std::size_t{1} << 22) / slot_bytes;

    //=== insert ===//

    /// Adds an element; returns its handle, an H.
    template <class H, class... Args>
    SLOTWISE_ALWAYS_INLINE constexpr H do_emplace(Args&&... args) {
        hub.expect_not_notifying();
        if constexpr (Base::trivial && Hub::nothrow_insert && Store::template builds_nothrow<Args...>) {
            if (!hub.dynamic()) [[likely]] {
                if (const slot_t slot = directory.acquire_live(); slot != no_slot) [[likely]] {
                    store.construct(slot, static_cast<Args&&>(args)...); // no std::forward: see construct_in_place()
                    hub.insert_nothrow(slot);
                    directory.publish(slot); // a reader that finds it finds the element built
                    return H(slot, directory.version(slot));
                }
            }
        }
        // A copy leaves here, so that the argument itself need not have an address: g++ 12 would build it in memory for the few
        // steps above too.
        if constexpr (copied_out<Args...>)
            return emplace_guarded<H>(copy_of(args)...);
        else
            return emplace_guarded<H>(static_cast<Args&&>(args)...);
    }
    /// Adds the element make(slot). Its version is skipped if anything throws.
    template <class Make>
    constexpr slot_t do_insert_with(Make&& make) {
        const slot_t slot = directory.acquire();
        ScopeGuard undo([&]() noexcept { directory.skip_version(slot); });
        store.construct_with(slot, [&]() -> decltype(auto) { return make(slot); });
        undo.dismiss();
        if constexpr (Base::trivial && Hub::nothrow_insert) {
            if (!hub.dynamic()) [[likely]] { // make() may have attached one
                hub.insert_nothrow(slot);
                directory.commit_inline(slot);
                return slot;
            }
        }
        return commit_notifying(slot);
    }
    /// Builds the element of a reserved slot.
    template <class... Args>
    constexpr void do_fulfill(slot_t slot, Args&&... args) {
        directory.unreserve(slot);
        ScopeGuard undo([&]() noexcept { directory.undo_unreserve(slot); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory.commit(slot);
    }
    /// Adds an element in this slot at this version. @pre directory.can_take(slot, version) and slot < directory.capacity()
    template <class... Args>
    constexpr void do_insert_at(slot_t slot, std::uint32_t version, Args&&... args) {
        const slot_t cursor = directory.cursor();
        const std::uint32_t before = directory.take(slot, version);
        ScopeGuard undo([&]() noexcept { directory.undo_take(slot, before, cursor); });
        build(slot, std::forward<Args>(args)...);
        undo.dismiss();
        directory.commit(slot);
    }

    //=== columns ===//

    /// Static observer number Nth, a column, as a view by slot.
    template <std::size_t Nth>
    constexpr auto column_view() noexcept {
        using T = typename std::remove_reference_t<decltype(hub.template get<Nth>())>::value_type;
        return ColumnView<T>(hub.template get<Nth>().pages(), Base::directory_view());
    }
    template <std::size_t Nth>
    constexpr auto column_view() const noexcept {
        using T = typename std::remove_cvref_t<decltype(hub.template get<Nth>())>::value_type;
        return ColumnView<const T>(ColumnView<T>(hub.template get<Nth>().pages(), Base::directory_view()));
    }
    /// The column of values of type T, as a View. @tparam Self const or not
    template <class T, class View, class Self>
    static constexpr View column_view_of(Self& self) noexcept {
        constexpr std::size_t place = Hub::template index_of_column<T>();
        if constexpr (place < Hub::static_count) return self.template column_view<place>();
        return View(); // reached when index_of_column has reported its error, which then stays the only one
    }

    //=== snapshots ===//

    /// The exact state as bytes.
    template <class Codec>
    std::vector<std::byte> do_snapshot(Codec& codec) const {
        ByteWriter out;
        Base::template write<0, block_bytes<Codec, typename Store::value_type>>(out, codec,
                                                                                [&] { store.write(directory, out, codec); });
        return Seal::close<Codec>(out, tags<Codec>());
    }

    /// Replaces the contents by a snapshot's, or returns the error and has no effect.
    template <class Codec>
    const char* do_restore(std::span<const std::byte> bytes, Codec& codec) {
        if (const char* const error = Seal::open<Codec>(bytes, DirectorySnapshot::magic, tags<Codec>())) return error;
        hub.expect_not_notifying();
        ByteReader in(bytes);
        SlotMapEngine fresh(Base::allocator);
        fresh.directory.set_limit(directory.limit());
        const char* const error = fresh.template read<0>(in, codec, {}, [&](auto& restored) {
            // The store destroys what it has built when a value is wrong or throws.
            if (!fresh.store.read(restored, in, codec)) return false;
            fresh.directory.swap(restored);
            return true;
        });
        if (error == nullptr) Base::adopt(fresh);
        return error;
    }
    /// Whether directory and store agree in full.
    constexpr bool is_sound() const noexcept { return directory.check_invariants() && store.is_sound(directory); }

private:
    template <class Codec>
    static consteval auto tags() noexcept {
        return join_tags(Store::template tags<Codec>(), Base::template column_tags<0, Codec>());
    }
    /// Whether the only argument is a value that is as well copied.
    template <class... Args>
    static constexpr bool copied_out =
        sizeof...(Args) == 1 && (std::is_same_v<std::remove_cvref_t<Args>, typename Store::value_type> && ...) &&
        std::is_trivially_copyable_v<typename Store::value_type> &&
        std::is_trivially_copy_constructible_v<typename Store::value_type> && Store::slot_bytes <= 64;
    template <class T>
    static constexpr T copy_of(const T& value) noexcept {
        return value;
    }
    SLOTWISE_COLD constexpr void grow_by_one() {
        const char* const full = text_when_full(Base::slot_limit(), Base::max_slots(), Base::Directory::max_slots, O.max_slots);
        Base::do_reserve(Base::Steps::grown(directory, hub, store.grown_capacity(), Base::max_slots(), O.first_slot, full));
    }
    /// The steps when anything may throw, allocate or run user code.
    template <class H, class... Args>
    SLOTWISE_NEVER_INLINE constexpr H emplace_guarded(Args&&... args) {
        reserve_one();
        const AcquiredSlot acquired = acquire_slot(directory);
        const slot_t slot = acquired.slot;
        if constexpr (Base::shares_steps && Store::template builds_nothrow<Args...>) {
            store.construct(slot, std::forward<Args>(args)...);
            return H(slot, Base::Steps::notify_insert(directory, hub, slot, acquired.fresh));
        } else {
            ScopeGuard undo([&]() noexcept { directory.undo_acquire(slot, acquired.fresh); });
            build(slot, std::forward<Args>(args)...);
            undo.dismiss();
            directory.commit(slot);
            return H(slot, directory.version(slot));
        }
    }
    /// Builds the element of an acquired slot and notifies observers. If anything throws, no observer knows of it.
    template <class... Args>
    constexpr void build(slot_t slot, Args&&... args) {
        store.construct(slot, std::forward<Args>(args)...);
        notify_insert(slot);
    }
    /// The last step of do_insert_with(). A call of its own, so that what it needs is not kept in registers until there.
    SLOTWISE_NEVER_INLINE constexpr slot_t commit_notifying(slot_t slot) {
        ScopeGuard undo([&]() noexcept { directory.skip_version(slot); });
        notify_insert(slot);
        undo.dismiss();
        directory.commit(slot);
        return slot;
    }
    constexpr void notify_insert(slot_t slot) {
        ScopeGuard undo([&]() noexcept { store.destroy(slot); });
        hub.insert(slot, InsertKind::fresh);
        undo.dismiss();
    }
};

/// What the named template arguments of a slot map or a HandlePool say. @tparam T what the default allocator allocates
template <class T, class... With>
using SlotMapArguments =
    Arguments<with_options | with_tag | with_handle | with_alloc | with_observers, SlotMapOptions, T, NoKey, With...>;

/// Unpacks the observers among the arguments.
template <class Store, class Args, class Observers = typename Args::observers>
struct SlotMapEngineOf;
template <class Store, class Args, class... Observers>
struct SlotMapEngineOf<Store, Args, TypeList<Observers...>> {
    using type = SlotMapEngine<Store, Args::options, typename Args::allocator, Observers...>;
};

} // namespace detail

/// What all slot maps offer: a directory, a store and observers. Not used by itself: see SlotMap, DenseSlotMap, SoaSlotMap,
/// AnySlotMap.
///
/// Guarantees, the same for all of them:
///   strong    an insert that throws has no effect: size, elements, the order of future handles are as before
///   handles   a handle resolves from its insert to its erase, clear or extract, and never again; only insert_at with exactly
///             that handle restores it (an undo)
///   lookups   any bit pattern of a handle is allowed, and never undefined behaviour
///   const     const members may run concurrently
/// @tparam Store PagedStore, DenseStore, AnyStore: values by slot; @tparam Tag names the handles
template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapInterface {
    using Engine = detail::SlotMapEngine<Store, O, Allocator, Observers...>;
    using Hub = typename Engine::Hub;

public:
    using value_type = typename Store::value_type;
    using handle_type = Handle<Tag, O.handle>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    using reference = typename Store::reference;
    using const_reference = typename Store::const_reference;
    using pointer = typename Store::pointer;
    using const_pointer = typename Store::const_pointer;
    using iterator = detail::MapIterator<SlotMapInterface, Store, detail::ValueProjection>;
    using const_iterator = detail::MapIterator<const SlotMapInterface, Store, detail::ValueProjection>;
    static constexpr SlotMapOptions options = O;

    //=== construct, copy, move ===//

    constexpr SlotMapInterface()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr explicit SlotMapInterface(const Allocator& alloc) : core_(alloc) {}
    /// An exact copy: the same elements under the same handles, and the same handles in future. Static observers are copied.
    /// Dynamic observers stay with the original. @throws what the allocator and the copies throw
    constexpr SlotMapInterface(const SlotMapInterface& other) = default;
    constexpr SlotMapInterface(const SlotMapInterface& other, const Allocator& alloc) : core_(other.core_, alloc) {}
    /// With the elements of the range, in slots 0, 1 and so on. @throws as insert
    template <std::input_iterator It, std::sentinel_for<It> End>
    constexpr SlotMapInterface(It first, End last, const Allocator& alloc = Allocator()) : SlotMapInterface(alloc) {
        for (; first != last; ++first) emplace(*first);
    }
    constexpr SlotMapInterface(std::initializer_list<value_type> values, const Allocator& alloc = Allocator())
        : SlotMapInterface(values.begin(), values.end(), alloc) {}
    /// Takes elements and observers. `other` is then empty and usable. Addresses and handles stay valid and refer to this map.
    /// @complexity O(1)
    constexpr SlotMapInterface(SlotMapInterface&& other) noexcept = default;
    /// As above, into memory of `alloc`. Static columns keep their memory. With unequal allocators the elements are moved one
    /// by one: addresses change, handles stay.
    constexpr SlotMapInterface(SlotMapInterface&& other, const Allocator& alloc) : core_(std::move(other.core_), alloc) {}
    /// Strong when no dynamic observer is attached. Dynamic observers of the target stay attached: they are notified of the end
    /// of the old contents and of the new contents. If one throws, the target is empty, and the observers that were not
    /// notified of its capacity are detached. An observer that attaches meanwhile is notified of the new contents only.
    constexpr SlotMapInterface& operator=(const SlotMapInterface& other) = default;
    /// Takes elements and observers. The target's dynamic observers get on_clear and on_reset while the old contents still
    /// exist, and are detached. An observer that attaches meanwhile is not notified, and detached too. With unequal allocators
    /// that do not propagate the elements are moved one by one.
    constexpr SlotMapInterface& operator=(SlotMapInterface&& other) = default;
    ~SlotMapInterface() = default;

    /// Exchanges elements, handles and observers. Allocators are exchanged if they propagate. With unequal allocators that do
    /// not propagate every element is moved.
    constexpr void swap(SlotMapInterface& other) noexcept(noexcept(std::declval<Engine&>().swap(std::declval<Engine&>()))) {
        core_.swap(other.core_);
    }
    constexpr allocator_type get_allocator() const noexcept { return core_.allocator; }

    //=== capacity ===//

    constexpr size_type size() const noexcept { return core_.directory.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots with memory. Live, retired and reserved slots together never exceed it.
    constexpr size_type capacity() const noexcept { return core_.directory.capacity(); }
    /// The highest possible number of slots, by the handle's bits and the options.
    static constexpr size_type max_size() noexcept { return Engine::max_slots(); }
    /// The highest number of slots now: max_size(), or what set_max_slots() has set. Live, retired and reserved slots count.
    constexpr size_type max_slots() const noexcept { return core_.slot_limit(); }
    /// Sets max_slots(). False, and no effect, when count exceeds max_size(), or a slot from `count` on is live, retired or
    /// reserved: nothing is erased. Allocates and frees nothing; see reserve() and shrink_to_fit(). The limit goes where the
    /// elements go by copy, move and swap (a moved-from map has none), it stays at clear and restore, and is in no snapshot.
    /// @complexity linear in free slots from `count` on @invalidates views of columns
    [[nodiscard]] constexpr bool set_max_slots(size_type count) noexcept {
        core_.hub.expect_not_notifying();
        return core_.limit_slots(count);
    }
    /// Whether no slot is left: an insert would throw std::length_error now, and try_insert() would return null.
    constexpr bool full() const noexcept { return core_.is_full(); }
    /// Room for `count` elements in all, so that inserts up to there allocate nothing.
    /// @throws std::length_error when count exceeds max_slots(), std::bad_array_new_length when the bytes exceed half of the
    /// address space, what the allocator or an observer throws; strong
    /// @invalidates dense: addresses and iterators; paged: views
    constexpr void reserve(size_type count) {
        core_.hub.expect_not_notifying();
        core_.reserve_live(count);
    }
    /// Frees memory above the highest slot in use. A version floor remains: old handles stay stale for ever.
    /// @throws what the allocator throws; strong @complexity linear in capacity @invalidates iterators at erased elements
    constexpr void shrink_to_fit() {
        core_.hub.expect_not_notifying();
        core_.do_shrink_to_fit([] {});
    }

    //=== insert ===//

    /// Adds an element; returns its handle.
    /// @throws std::length_error when the map is full(), what the allocator, T and observers throw; strong
    /// @complexity amortised O(1) @invalidates paged: views when it grows; dense: addresses and iterators when it grows
    template <class... Args>
        requires(Store::template builds_from<Args...>)
    SLOTWISE_ALWAYS_INLINE constexpr handle_type emplace(Args&&... args) {
        if constexpr (Store::stable)
            return core_.template do_emplace<handle_type>(static_cast<Args&&>(args)...);
        else
            return emplace_row(std::forward<Args>(args)...);
    }
    /// As emplace; returns the handle and a reference to the element, so that no lookup follows: auto [handle, value] =
    /// map.emplace_ref(...). @throws as emplace; strong
    template <class... Args>
        requires(Store::template builds_from<Args...>)
    constexpr SlotMapItem<handle_type, reference> emplace_ref(Args&&... args) {
        const handle_type handle = emplace(std::forward<Args>(args)...);
        if constexpr (std::is_same_v<pointer, reference>) // AnySlotMap: an address
            return {handle, core_.store.ptr(handle.index())};
        else
            return {handle, *core_.store.ptr(handle.index())};
    }
    /// As emplace(value).
    SLOTWISE_ALWAYS_INLINE constexpr handle_type insert(const value_type& value)
        requires(Store::template builds_from<const value_type&>)
    {
        return emplace(value);
    }
    SLOTWISE_ALWAYS_INLINE constexpr handle_type insert(value_type&& value)
        requires(Store::template builds_from<value_type &&>)
    {
        return emplace(static_cast<value_type&&>(value));
    }
    /// As emplace, but returns null when the map is full(); the arguments are untouched then. So a full pool needs neither
    /// exceptions nor a check before. @throws what the allocator, T and observers throw; strong
    template <class... Args>
        requires(Store::template builds_from<Args...>)
    constexpr handle_type try_emplace(Args&&... args) {
        return full() ? handle_type() : emplace(std::forward<Args>(args)...);
    }
    /// As try_emplace(value).
    constexpr handle_type try_insert(const value_type& value)
        requires(Store::template builds_from<const value_type&>)
    {
        return try_emplace(value);
    }
    constexpr handle_type try_insert(value_type&& value)
        requires(Store::template builds_from<value_type &&>)
    {
        return try_emplace(std::move(value));
    }
    /// Adds the elements of the range. @pre they are not of this map @throws as emplace; the elements added before stay
    template <class Range>
        requires requires(Range&& range) { std::begin(range) != std::end(range); }
    constexpr void insert_range(Range&& range) {
        for (auto&& each : range) emplace(std::forward<decltype(each)>(each));
    }
    constexpr void insert_range(std::initializer_list<value_type> values) { insert(values.begin(), values.end()); }
    template <std::input_iterator It>
    constexpr void insert(It first, It last) {
        for (; first != last; ++first) emplace(*first);
    }

    /// Adds the element f(handle), where handle is the element's own. f may insert and erase in this map. SlotMap builds the
    /// value in place, so T need not be movable. An allocator with its own construct() (std::pmr) moves it. If f throws, the
    /// handle stays stale for ever, because f has seen it.
    /// @throws as emplace, and what f throws; strong except for that version
    template <class F>
        requires std::is_invocable_v<F, handle_type>
    constexpr handle_type insert_with(F&& f) {
        core_.hub.expect_not_notifying();
        core_.reserve_one();
        const slot_t slot = core_.do_insert_with([&](slot_t taken) -> decltype(auto) {
            return std::forward<F>(f)(handle_type(taken, core_.directory.version(taken) + 1u));
        });
        return handle_type(slot, core_.directory.version(slot)); // it is live: handle_at would ask again
    }

    /// A handle whose element comes later. Until fulfill() it is "reserved": no lookup finds it.
    /// @throws as emplace; strong
    constexpr handle_type reserve_handle() {
        core_.hub.expect_not_notifying();
        core_.reserve_one();
        const slot_t slot = core_.directory.reserve_slot();
        return handle_type(slot, core_.directory.version(slot) + 1u);
    }
    /// Builds the element of a reserved handle. Null when the handle is not reserved (any more).
    /// @throws what T and observers throw; the handle is then still reserved
    template <class... Args>
    constexpr pointer fulfill(handle_type handle, Args&&... args) {
        core_.hub.expect_not_notifying();
        const slot_t slot = handle.index();
        if (!core_.directory.is_reserved(slot, handle.version())) return pointer();
        core_.do_fulfill(slot, std::forward<Args>(args)...);
        return core_.store.ptr(slot);
    }
    /// Cancels a reserved handle, which stays stale for ever. False when it is not reserved.
    constexpr bool cancel(handle_type handle) noexcept { return core_.directory.cancel(handle.index(), handle.version()); }

    /// Adds an element under exactly this handle: for undo, replication, loading. Null, and no effect, when that could let
    /// another element's handle resolve (slot in use, version older than the last one issued there) or when the version is
    /// even. Slots are added as needed within a budget, because the handle may be untrusted: 8 for each live element including
    /// the new one, and at least 65,536, or as many as 4 MiB of values and columns (ValueArray) hold, if these are fewer. Slots
    /// beyond the budget are refused unless they are below capacity(): call reserve() before.
    /// @throws as emplace; strong @complexity O(1), or the gap above the highest slot in use
    template <class... Args>
    constexpr pointer insert_at(handle_type handle, Args&&... args) {
        core_.hub.expect_not_notifying();
        const slot_t slot = handle.index();
        if (!core_.can_take(slot, handle.version())) return pointer();
        if constexpr (Store::stable) {
            if (!core_.reserve_slot_in_budget(slot)) return pointer();
            core_.do_insert_at(slot, handle.version(), std::forward<Args>(args)...);
        } else {
            detail::TemporaryRow<typename Store::row_type, Allocator> row(core_.allocator, std::forward<Args>(args)...);
            if (!core_.reserve_slot_in_budget(slot)) return pointer();
            core_.do_insert_at(slot, handle.version(), row.take());
        }
        return core_.store.ptr(slot);
    }

    //=== erase ===//

    /// Removes the element; false when there is none. The slot is reused only after the destruction: T's destructor may insert
    /// and erase.
    /// @throws nothing (dense: if T's moves do not throw) @complexity O(1), never allocates
    /// @invalidates the handle; dense: also addresses of the last element
    SLOTWISE_ALWAYS_INLINE constexpr bool erase(handle_type handle) noexcept(Store::nothrow_destroy) {
        if (!core_.directory.is_live(handle.index(), handle.version())) return false;
        core_.do_erase(handle.index());
        return true;
    }
    /// Removes the element that lives in `slot`; false when none does. For code that knows the element to be live: no version
    /// is checked. It takes exactly a slot_t, so that neither a row nor the bits of a handle come here by a conversion.
    /// @throws as erase(handle) @complexity O(1), never allocates @invalidates as erase(handle)
    template <std::same_as<slot_t> Slot>
    constexpr bool erase_at(Slot slot) noexcept(Store::nothrow_destroy) {
        if (!core_.directory.is_live(slot)) return false;
        core_.do_erase(slot);
        return true;
    }
    /// Removes every element for which pred(value) or pred(handle, value) holds; returns how many. If pred throws, the elements
    /// erased before stay erased.
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        size_type count = 0;
        core_.store.for_each_slot(core_.directory, [&](slot_t slot) {
            // A destructor may call this during clear: slots that are still to be destroyed hold no element any more.
            if (!core_.directory.is_live(slot) || !call(pred, *this, slot)) return;
            core_.do_erase(slot);
            ++count;
        });
        return count;
    }
    /// Removes the element and returns it; empty when there is none. @throws what T's move throws; the element then stays
    constexpr std::optional<value_type> extract(handle_type handle)
        requires std::move_constructible<value_type>
    {
        std::optional<value_type> result; // the returned object itself, which is not moved after the erase
        if (contains(handle)) {
            if constexpr (!Store::nothrow_destroy) core_.store.move_to_last_row(handle.index());
            result.emplace(core_.store.take(handle.index()));
            core_.do_erase(handle.index());
        }
        return result;
    }
    /// As erase, but the handle is "reserved" then, and its slot is not used for others: fulfill() brings it back with an
    /// element, cancel() gives it up. For undo: what else keeps the handle finds the element again.
    /// @throws what the allocator throws, when no handle of this map was reserved before (a bit a slot); strong. Else nothing
    /// (dense: if T's moves do not throw) @complexity O(1) @invalidates as erase
    constexpr bool erase_reserved(handle_type handle) {
        if (!core_.directory.is_live(handle.index(), handle.version())) return false;
        core_.do_erase_reserved(handle.index());
        return true;
    }
    /// The same, and returns the element; empty when there is none. auto old = map.extract_reserved(handle), and to undo it
    /// map.fulfill(handle, std::move(*old)). @throws as erase_reserved, what T's move throws; the element then stays
    constexpr std::optional<value_type> extract_reserved(handle_type handle)
        requires std::move_constructible<value_type>
    {
        std::optional<value_type> result;
        if (contains(handle)) {
            core_.directory.prepare_reserved();
            if constexpr (!Store::nothrow_destroy) core_.store.move_to_last_row(handle.index());
            result.emplace(core_.store.take(handle.index()));
            core_.do_erase_reserved(handle.index());
        }
        return result;
    }
    /// Removes all elements and reservations. Every handle is stale. Capacity stays. An element that a destructor inserts
    /// meanwhile survives. @throws nothing
    /// @complexity linear in slots; trivially destructible values: about 0.25 ns a slot
    constexpr void clear() noexcept {
        core_.hub.expect_not_notifying();
        core_.do_clear();
    }

    //=== lookup ===//

    SLOTWISE_ALWAYS_INLINE constexpr bool contains(handle_type handle) const noexcept {
        return core_.directory.is_live(handle.index(), handle.version());
    }
    /// The element, or null when it was erased. @complexity O(1)
    SLOTWISE_ALWAYS_INLINE constexpr pointer get(handle_type handle) noexcept { return look_up<pointer>(handle); }
    SLOTWISE_ALWAYS_INLINE constexpr const_pointer get(handle_type handle) const noexcept {
        return look_up<const_pointer>(handle);
    }
    /// The element. @throws std::out_of_range that says whether it was erased or the handle never issued
    constexpr reference at(handle_type handle) { return *checked(*this, handle); }
    constexpr const_reference at(handle_type handle) const { return *checked(*this, handle); }
    /// The element. @pre contains(handle) (checked at level fast)
    constexpr reference operator[](handle_type handle) noexcept { return *expected(*this, handle); }
    constexpr const_reference operator[](handle_type handle) const noexcept { return *expected(*this, handle); }
    /// The element, or end() when it was erased. @complexity O(1)
    constexpr iterator find(handle_type handle) noexcept { return {this, place_of(handle)}; }
    constexpr const_iterator find(handle_type handle) const noexcept { return {this, place_of(handle)}; }
    /// 1 if the element is live, otherwise 0.
    constexpr size_type count(handle_type handle) const noexcept { return contains(handle) ? 1 : 0; }
    /// A copy of the element, or value_type(otherwise) when it was erased. @throws what that copy or conversion throws
    template <class U = value_type>
        requires std::is_constructible_v<value_type, U>
    constexpr value_type value_or(handle_type handle, U&& otherwise) const {
        if (const auto found = get(handle)) return value_type(*found);
        return value_type(std::forward<U>(otherwise));
    }
    /// Pointers to several elements, null for those that were erased. Equal handles give equal pointers.
    template <std::same_as<handle_type>... Handles>
    constexpr auto get_many(Handles... handles) noexcept {
        return std::tuple{get(handles)...};
    }
    template <std::same_as<handle_type>... Handles>
    constexpr auto get_many(Handles... handles) const noexcept {
        return std::tuple{get(handles)...};
    }
    /// Exchanges two values. Each handle keeps its slot, each slot its columns, and observers are not notified. False, and no
    /// effect, when one was erased. @throws what moves or swaps of the values throw
    constexpr bool swap_values(handle_type a, handle_type b) {
        if (!contains(a) || !contains(b)) return false;
        core_.store.swap_values(a.index(), b.index());
        return true;
    }
    /// The handle of the element in `slot`, null when none lives there.
    constexpr handle_type handle_at(slot_t slot) const noexcept {
        return core_.directory.is_live(slot) ? handle_type(slot, core_.directory.version(slot)) : handle_type();
    }
    /// The handle of the element at `it`. @pre not at the end
    template <class C, class P>
    constexpr handle_type handle_of(const detail::MapIterator<C, Store, P>& it) const noexcept {
        return handle_at(it.slot());
    }
    constexpr SlotState state(slot_t slot) const noexcept { return core_.state(slot); }
    /// Why a handle does or does not resolve.
    constexpr HandleStatus explain(handle_type handle) const noexcept {
        return handle.is_null() ? HandleStatus::null : core_.explain(handle.index(), handle.version());
    }
    /// Slots whose versions are used up, and slot 0 if it has memory and is never issued (SlotMapOptions::first_slot).
    constexpr size_type retired() const noexcept { return core_.directory.retired(); }
    /// Allows retired slots to be issued again. @pre no handle of their earlier elements is in use. Returns how many.
    constexpr size_type recycle_retired() noexcept { return core_.recycle_retired(); }

    //=== iteration ===//

    constexpr iterator begin() noexcept { return {this, core_.store.first(core_.directory)}; }
    constexpr iterator end() noexcept { return {this, core_.store.last(core_.directory)}; }
    constexpr const_iterator begin() const noexcept { return {this, core_.store.first(core_.directory)}; }
    constexpr const_iterator end() const noexcept { return {this, core_.store.last(core_.directory)}; }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }
    /// Handles of all elements. The same walk as begin() to end().
    constexpr auto handles() const noexcept { return range<detail::HandleProjection>(*this); }
    /// Pairs of handle and reference: for (auto [handle, value] : map.items()).
    constexpr auto items() noexcept { return range<detail::ItemProjection>(*this); }
    constexpr auto items() const noexcept { return range<detail::ItemProjection>(*this); }
    /// Handles and elements that are there at this call and not erased when their turn comes, in slot order; for (auto [handle,
    /// value] : map.items_present()). Meanwhile anything may be inserted, which is not visited, and erased. The walk ends early
    /// when the map moves, is swapped, assigned or restored. @throws what the allocator throws @complexity a bit a slot to
    /// begin; until the range is destroyed inserts and erases notify an observer
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) {
            return SlotMapItem<handle_type, reference>(handle_type(slot, core_.directory.version(slot)),
                                                       *core_.store.at(core_.store.place_of(core_.directory, slot)));
        });
    }
    /// Live slots in ascending order.
    constexpr SlotRange live_slots() const noexcept { return SlotRange(occupancy()); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// Liveness of the slots, one bit each.
    constexpr Occupancy occupancy() const noexcept { return core_.directory.occupancy(); }

    //=== observers and columns ===//

    /// Attaches an observer until the token is destroyed. It is notified of the capacity and of every live slot first. An
    /// observer that attaches while an assignment or a restore notifies others is notified of the new contents only.
    /// @pre the observer lives as long as the token is attached
    /// @throws what the observer throws; it is not attached then
    [[nodiscard]] ObserverToken attach(SlotObserver& observer) { return core_.do_attach(observer); }
    /// Static observer number I.
    template <std::size_t Nth>
    constexpr auto& observer() noexcept {
        return core_.hub.template get<Nth>();
    }
    template <std::size_t Nth>
    constexpr const auto& observer() const noexcept {
        return core_.hub.template get<Nth>();
    }
    /// The static observer of type Observer, which must be one: map.observer<DeltaTracker<>>().
    template <class Observer>
    constexpr Observer& observer() noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    template <class Observer>
    constexpr const Observer& observer() const noexcept {
        return core_.hub.template get<Hub::template index_of<Observer>()>();
    }
    /// Static observer number I, a column, as a view by slot.
    template <std::size_t Nth>
    constexpr auto column() noexcept {
        return core_.template column_view<Nth>();
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        return core_.template column_view<Nth>();
    }
    /// The column of values of type T, which must be one: map.column<Velocity>().
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return Engine::template column_view_of<T, ColumnView<T>>(core_);
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return Engine::template column_view_of<T, ColumnView<const T>>(core_);
    }

    //=== snapshots ===//

    /// The exact state as bytes, static columns included: restored anywhere, the map gives the same handles for the
    /// same calls. The same state gives the same bytes. @pre no element is being built or destroyed
    /// @param codec how values become bytes; see DefaultCodec for types that need none, dropping() for columns to leave out
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return core_.do_snapshot(codec);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused. The codec checks values. Observers that are no columns, and dynamic ones, are notified of the
    /// exchange. Memory: up to the values of all slots in the bytes.
    /// Handles issued after the snapshot are issued again: drop those that do not resolve right after this.
    /// @throws std::invalid_argument, which says why; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        return core_.do_restore(bytes, codec);
    }

    //=== whole ===//

    /// Equal when the same handles name equal values. Capacity, vacant slots and observers do not count.
    friend constexpr bool operator==(const SlotMapInterface& a, const SlotMapInterface& b) {
        return a.core_.same_elements(b.core_);
    }

    /// Bytes on the heap, without what elements hold themselves. @complexity O(1); linear in pages if they are of one value
    constexpr size_type memory_usage() const noexcept { return core_.memory_usage(); }
    /// Whether directory and store agree in every count, bit and link; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const noexcept { return core_.is_sound(); }

protected:
    template <class, class, class>
    friend class detail::MapIterator;
    friend struct detail::SlotMapSteps;
    SlotMapInterface(Store&& empty, const Allocator& alloc) : core_(std::move(empty), alloc) {}
    Engine core_{};

private:
    template <class... Args>
    constexpr handle_type emplace_row(Args&&... args) {
        core_.hub.expect_not_notifying(); // before the row is built
        // Built before anything moves, because an argument may refer to an element of this map.
        detail::TemporaryRow<typename Store::row_type, Allocator> row(core_.allocator, std::forward<Args>(args)...);
        return core_.template do_emplace<handle_type>(row.take());
    }
    constexpr auto place_of(handle_type handle) const noexcept {
        return contains(handle) ? core_.store.place_of(core_.directory, handle.index()) : core_.store.last(core_.directory);
    }
    template <class Ptr>
    SLOTWISE_ALWAYS_INLINE constexpr Ptr look_up(handle_type handle) const noexcept {
        const auto element = core_.store.places(); // before the check: a loop of lookups then keeps it
        const slot_t slot = handle.index();
        return core_.directory.is_live(slot, handle.version()) ? Ptr(element(slot)) : Ptr();
    }
    template <class Self>
    static constexpr auto checked(Self& self, handle_type handle) {
        if (const auto found = self.get(handle)) return found;
        self.core_.throw_no_element("slot map at(handle): no element has this handle; ask get(handle) or explain(handle)",
                                    handle);
    }
    template <class Self>
    static constexpr auto expected(Self& self, handle_type handle) noexcept {
        SLOTWISE_EXPECT(self.contains(handle),
                        "slot map [handle]: no element has this handle; ask get(handle) or explain(handle)");
        using result = std::conditional_t<std::is_const_v<Self>, const_pointer, pointer>;
        return result(self.core_.store.ptr(handle.index()));
    }
    template <class F, class Self>
    static constexpr decltype(auto) call(F& f, Self& self, slot_t slot) {
        using Ptr = std::conditional_t<std::is_const_v<Self>, const_pointer, pointer>;
        const Ptr at(self.core_.store.ptr(slot));
        if constexpr (detail::takes_name<F, handle_type, decltype(*at)>())
            return f(handle_type(slot, self.core_.directory.version(slot)), *at);
        else
            return f(*at);
    }
    template <class Projection, class Self>
    static constexpr auto range(Self& self) noexcept {
        using It = detail::MapIterator<Self, Store, Projection>;
        return detail::IteratorRange<It>(It(&self, self.core_.store.first(self.core_.directory)),
                                         It(&self, self.core_.store.last(self.core_.directory)), self.size());
    }
};

namespace detail {

/// The map of U that transform() returns for a Map<T, With...>: all else is the same, and so are the handles, H.
template <template <class, class...> class Map, class U, class H, class Kept, class... With>
struct TransformedMap;
template <template <class, class...> class Map, class U, class H, class... Kept>
struct TransformedMap<Map, U, H, TypeList<Kept...>> {
    using type = Map<U, Kept..., HandleBy<H>>;
};
template <template <class, class...> class Map, class U, class H, class... Kept, class W, class... With>
struct TransformedMap<Map, U, H, TypeList<Kept...>, W, With...>
    : TransformedMap<Map, U, H,
                     std::conditional_t<Argument<W>::name == with_tag || Argument<W>::name == with_handle, TypeList<Kept...>,
                                        TypeList<Kept..., W>>,
                     With...> {};

/// For containers around a slot map, whose own steps come between those of the map, and for what makes one map of another.
struct SlotMapSteps {
    /// What transform() returns: f(value) or f(handle, value) of each element, under the same handles.
    /// @tparam Map SlotMap, DenseSlotMap @tparam H its handles @tparam V how f gets a value @tparam With the other arguments
    template <template <class, class...> class Map, class H, class V, class... With, class From, class F>
    static constexpr auto transform(const From& from, F& f) {
        const auto make = [&](slot_t slot) -> decltype(auto) {
            V value = static_cast<V>(*from.store.ptr(slot));
            if constexpr (takes_name<F, H, V>())
                return f(H(slot, from.directory.version(slot)), static_cast<V>(value));
            else
                return f(static_cast<V>(value));
        };
        using U = std::remove_cvref_t<decltype(make(slot_t{}))>;
        static_assert(std::is_object_v<U>, "slot map transform(f): f returns the new element; this one returns nothing");
        typename TransformedMap<Map, U, H, TypeList<>, With...>::type result{
            typename TransformedMap<Map, U, H, TypeList<>, With...>::type::allocator_type(from.allocator)};
        assign_transformed(result, from, make);
        return result;
    }
    /// erase_reserved() allocates nothing from now on. Throws what the allocator throws; strong
    template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
    static void prepare(SlotMapInterface<Store, Tag, O, Allocator, Observers...>& map) {
        map.core_.directory.prepare_reserved();
    }
    template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers, class From, class Make>
    static constexpr void assign_transformed(SlotMapInterface<Store, Tag, O, Allocator, Observers...>& result, const From& from,
                                             const Make& make) {
        using Core = std::remove_cvref_t<decltype(result.core_)>;
        static_assert(std::is_same_v<typename Core::Directory, typename From::Directory>,
                      "slot map transform(f): with Growth::reserve the new map would have room for another number of elements; "
                      "name Options::max_slots");
        Core fresh(typename Core::TransformTag(), from, result.core_.allocator, make);
        result.core_.swap_elements(fresh);
    }
    /// Takes the contents of `other`; observers attached to `map` stay. also() exchanges what belongs to the elements, and does
    /// not throw. Throws what an observer throws; `map` is empty then
    template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers, class Also>
    static void adopt(SlotMapInterface<Store, Tag, O, Allocator, Observers...>& map,
                      SlotMapInterface<Store, Tag, O, Allocator, Observers...>& other, Also&& also) {
        map.core_.adopt(other.core_, also);
    }
};

/// The interface of Map over this store, with the arguments Args of Map.
template <class Map, class Store, class Args, class Observers = typename Args::observers>
struct SlotMapInterfaceOf;
template <class Map, class Store, class Args, class... Observers>
struct SlotMapInterfaceOf<Map, Store, Args, TypeList<Observers...>> {
    using type =
        SlotMapInterface<Store, typename HandleOf<Map>::tag_type, Args::options, typename Args::allocator, Observers...>;
};

} // namespace detail

SLOTWISE_END

#endif
