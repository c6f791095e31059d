// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapInterface: the interface that SlotMap, DenseSlotMap and SoaSlotMap share, over a store that says where values lie.
#ifndef SLOTWISE_MAP_DETAIL_SLOT_MAP_INTERFACE_HPP
#define SLOTWISE_MAP_DETAIL_SLOT_MAP_INTERFACE_HPP

#include "../../core/detail/call_form.hpp"
#include "../../core/detail/concepts.hpp"
#include "../../slots/detail/arguments.hpp"
#include "../../slots/value_array.hpp"
#include "map_iterator.hpp"
#include "slot_map_engine.hpp"

#include <initializer_list>
#include <optional>

SLOTWISE_BEGIN
namespace detail {
struct ReservedBits;
}

/// A directory, a store and observers. Not used by itself: see SlotMap, DenseSlotMap, SoaSlotMap.
///
/// Guarantees, the same for all three:
///   strong    an insert that throws has no effect: size, elements, the order of future handles are as before
///   handles   a handle resolves from its insert to its erase, clear or extract, and never again; only insert_at with exactly
///             that handle restores it (an undo)
///   lookups   any bit pattern of a handle is allowed, and never undefined behaviour
///   const     const members may run concurrently
/// @tparam Store PagedStore, DenseStore: values by slot; @tparam Tag names the handles
template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
class SlotMapInterface : public SlotMapObservers<detail::SlotMapEngine<Store, O, Allocator, Observers...>> {
    using Container = detail::SlotMapEngine<Store, O, Allocator, Observers...>;
    using Base = SlotMapObservers<Container>;

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
    constexpr explicit SlotMapInterface(const Allocator& alloc) : Base(alloc) {}
    /// An exact copy: the same elements under the same handles, and the same handles in future. Static observers are copied.
    /// Dynamic observers stay with the original. @throws what the allocator and the copies throw
    constexpr SlotMapInterface(const SlotMapInterface& other) = default;
    constexpr SlotMapInterface(const SlotMapInterface& other, const Allocator& alloc) : Base(other, alloc) {}
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
    constexpr SlotMapInterface(SlotMapInterface&& other, const Allocator& alloc) : Base(std::move(other), alloc) {}
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
    constexpr void swap(SlotMapInterface& other) noexcept(
        noexcept(std::declval<Container&>().swap(std::declval<Container&>()))) {
        core_.swap(other.core_);
    }
    // A template, so that overload resolution prefers it to std::swap for derived maps.
    template <std::derived_from<SlotMapInterface> Map>
    friend constexpr void swap(Map& a, Map& b) noexcept(noexcept(a.swap(b))) {
        a.swap(b);
    }
    constexpr allocator_type get_allocator() const noexcept { return core_.allocator; }

    //=== capacity ===//

    constexpr size_type size() const noexcept { return core_.directory.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots with memory. Live, retired and reserved slots together never exceed it.
    constexpr size_type capacity() const noexcept { return core_.directory.capacity(); }
    /// The highest possible number of slots, by the handle's bits and the options.
    static constexpr size_type max_size() noexcept { return Container::max_slots(); }
    /// The highest number of slots now: max_size(), or what set_max_slots() has set. Live, retired and reserved slots count.
    constexpr size_type max_slots() const noexcept { return core_.slot_limit(); }
    /// Sets max_slots(). False, and no effect, when count exceeds max_size(), or a slot from `count` on is live, retired or
    /// reserved: nothing is erased. Allocates and frees nothing; see reserve() and shrink_to_fit(). The limit goes where the
    /// elements go by copy, move and swap (a moved-from map has none), it stays at clear and restore, and is in no snapshot.
    /// @complexity linear in free slots from `count` on @invalidates views of columns
    [[nodiscard]] constexpr bool set_max_slots(size_type count) noexcept {
        expect_not_notifying();
        return core_.limit_slots(count);
    }
    /// Whether no slot is left: an insert would throw std::length_error now, and try_insert() would return null.
    constexpr bool full() const noexcept { return core_.is_full(); }
    /// Room for `count` elements in all, so that inserts up to there allocate nothing.
    /// @throws std::length_error when count exceeds max_slots(), std::bad_array_new_length when the bytes exceed half of the
    /// address space, what the allocator or an observer throws; strong
    /// @invalidates dense: addresses and iterators; paged: views
    constexpr void reserve(size_type count) {
        expect_not_notifying();
        core_.reserve_live(count);
    }
    /// Frees memory above the highest slot in use. A version floor remains: old handles stay stale for ever.
    /// @throws what the allocator throws; strong @complexity linear in capacity
    constexpr void shrink_to_fit() {
        expect_not_notifying();
        core_.do_shrink_to_fit([] {});
    }

    //=== insert ===//

    /// Adds an element; returns its handle.
    /// @throws std::length_error when the map is full(), what the allocator, T and observers throw; strong
    /// @complexity amortised O(1) @invalidates paged: views when it grows; dense: addresses and iterators when it grows
    template <class... Args>
        requires(Store::template builds_from<Args...>)
    SLOTWISE_ALWAYS_INLINE constexpr handle_type emplace(Args&&... args) {
        expect_not_notifying();
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
        expect_not_notifying();
        core_.reserve_one();
        const slot_t slot = core_.do_insert_with([&](slot_t taken) -> decltype(auto) {
            return std::forward<F>(f)(handle_type(taken, core_.directory.version(taken) + 1u));
        });
        return handle_type(slot, core_.directory.version(slot)); // it is live: handle_at would ask again
    }

    /// A handle whose element comes later. Until fulfill() it is "reserved": no lookup finds it.
    /// @throws as emplace; strong
    constexpr handle_type reserve_handle() {
        expect_not_notifying();
        core_.reserve_one();
        const slot_t slot = core_.directory.reserve_slot();
        return handle_type(slot, core_.directory.version(slot) + 1u);
    }
    /// Builds the element of a reserved handle. Null when the handle is not reserved (any more).
    /// @throws what T and observers throw; the handle is then still reserved
    template <class... Args>
    constexpr pointer fulfill(handle_type handle, Args&&... args) {
        expect_not_notifying();
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
        expect_not_notifying();
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
        expect_not_notifying();
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
    /// Exchanges two values; each handle keeps its slot. False, and no effect, when one was erased.
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
    friend struct detail::ReservedBits;
    using Base::core_;
    SlotMapInterface(Store&& empty, const Allocator& alloc) : Base(std::move(empty), alloc) {}

private:
    template <class... Args>
    constexpr handle_type emplace_row(Args&&... args) {
        // Built before anything moves, because an argument may refer to an element of this map.
        detail::TemporaryRow<typename Store::row_type, Allocator> row(core_.allocator, std::forward<Args>(args)...);
        return core_.template do_emplace<handle_type>(row.take());
    }
    constexpr auto place_of(handle_type handle) const noexcept {
        return contains(handle) ? core_.store.place_of(core_.directory, handle.index()) : core_.store.last(core_.directory);
    }
    SLOTWISE_ALWAYS_INLINE constexpr void expect_not_notifying() const noexcept { core_.expect_not_notifying(); }
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

/// For containers around a slot map that must allocate before their own steps of an erase_reserved().
struct ReservedBits {
    /// erase_reserved() allocates nothing from now on. Throws what the allocator throws; strong
    template <class Store, class Tag, SlotMapOptions O, class Allocator, class... Observers>
    static void prepare(SlotMapInterface<Store, Tag, O, Allocator, Observers...>& map) {
        map.core_.directory.prepare_reserved();
    }
};

// SlotMapArguments: the result of the named template arguments of a slot map, and its core.

template <class T, class... With>
using SlotMapArguments = Arguments<with_options | with_tag | with_alloc | with_observers, SlotMapOptions, T, NoKey, With...>;

template <class Map, class Args, class Store, class Observers = typename Args::observers>
struct SlotMapCoreOf;
template <class Map, class Args, class Store, class... Observers>
struct SlotMapCoreOf<Map, Args, Store, TypeList<Observers...>> {
    using type =
        SlotMapInterface<Store, typename HandleTag<Map>::element, Args::options, typename Args::allocator, Observers...>;
};
/// The core of Map with the arguments Args.
template <class Map, class Args, class Store>
using slot_map_interface = typename SlotMapCoreOf<Map, Args, Store>::type;

} // namespace detail

SLOTWISE_END

#endif
