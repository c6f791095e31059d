// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// HandlePool: handles without elements, for data that lies in arrays of the program: C structs, buffers of a GPU.
#ifndef SLOTWISE_MAP_HANDLE_POOL_HPP
#define SLOTWISE_MAP_HANDLE_POOL_HPP

#include "../core/detail/concepts.hpp"
#include "../slots/slot_range.hpp"
#include "../slots/snapshot.hpp"
#include "detail/map_iterator.hpp"
#include "detail/slot_map_interface.hpp"

#include <tuple>

SLOTWISE_BEGIN
namespace detail {

/// The store behind HandlePool: knows how many slots there may be, and holds nothing for them. The directory is all there is.
class EmptyStore {
public:
    using value_type = std::tuple<>;
    using Cursor = LiveCursor;
    static constexpr bool stable = true;
    static constexpr bool indexed = false;
    static constexpr bool nothrow_destroy = true;
    static constexpr bool trivial = true;
    static constexpr std::size_t slot_bytes = 0;
    static constexpr std::size_t max_slots = no_slot;
    template <class... Args>
    static constexpr bool builds_nothrow = sizeof...(Args) == 0;

    constexpr EmptyStore() = default;
    template <class Allocator>
    constexpr explicit EmptyStore(const Allocator&) noexcept {}
    template <class Allocator, class ExpectThere>
    constexpr EmptyStore(const EmptyStore&, Occupancy, std::size_t slot_count, const Allocator&, ExpectThere&&) noexcept {
        reserve(slot_count);
    }
    constexpr void take_from(EmptyStore&, Occupancy) noexcept {}
    constexpr EmptyStore(EmptyStore&& other) noexcept : slots_(std::exchange(other.slots_, 0)) {}
    EmptyStore(const EmptyStore&) = delete;
    EmptyStore& operator=(const EmptyStore&) = delete;
    EmptyStore& operator=(EmptyStore&&) = delete;
    ~EmptyStore() = default;
    constexpr void swap(EmptyStore& other) noexcept { std::swap(slots_, other.slots_); }

    constexpr std::size_t capacity() const noexcept { return slots_; }
    static constexpr std::size_t memory_usage() noexcept { return 0; }
    /// Doubled. Half as many again, as the directory grows by itself, took 8-20 % longer for n creates without reserve().
    constexpr std::size_t grown_capacity() const noexcept { return whole_words(slots_ == 0 ? 1 : slots_ * 2); }
    constexpr void reserve(std::size_t slot_count) noexcept { slots_ = slot_count < slots_ ? slots_ : whole_words(slot_count); }
    constexpr std::size_t shrunk_capacity(std::size_t end) const noexcept { return whole_words(end); }
    constexpr void shrink(std::size_t end) noexcept { slots_ = whole_words(end); }

    static constexpr void construct(slot_t) noexcept {}
    static constexpr void destroy(slot_t) noexcept {}
    template <class Directory>
    static constexpr void destroy_all(Directory&, slot_t) noexcept {}

    template <class Directory>
    static constexpr Cursor first(const Directory& directory) noexcept {
        return Cursor::first(directory);
    }
    template <class Directory>
    static constexpr Cursor last(const Directory&) noexcept {
        return {};
    }
    template <class Directory>
    SLOTWISE_ALWAYS_INLINE static constexpr void advance(const Directory& directory, Cursor& c) noexcept {
        if (!c.step(directory.live_word(c.word))) c.next_word(directory);
    }
    template <class Directory>
    static constexpr void step_back(const Directory& directory, Cursor& c) noexcept {
        c.step_back(directory.occupancy());
    }
    static constexpr slot_t slot(const Cursor& c) noexcept { return c.slot(); }

    /// There are no values.
    template <class Codec>
    static consteval std::array<ElementTag, 0> tags() noexcept {
        return {};
    }
    /// A snapshot has no bytes of values.
    template <class Directory, class Codec>
    static void write(const Directory&, ByteWriter&, Codec&) noexcept {}
    template <class Directory, class Codec>
    static bool read(Directory&, ByteReader&, Codec&) noexcept {
        return true;
    }

    template <class Directory>
    constexpr bool is_sound(const Directory& directory) const noexcept {
        return directory.capacity() <= slots_;
    }

private:
    static constexpr std::size_t whole_words(std::size_t slot_count) noexcept {
        return bits::round_up(slot_count, bits::word_bits);
    }

    std::size_t slots_ = 0;
};

} // namespace detail

/// Handles and nothing else: the engine of SlotMap over a store without values. The program has the data, in arrays by slot.
///     HandlePool<Body> bodies;
///     Body body[1000];
///     const auto handle = bodies.create();
///     body[handle.index()] = ...
///     if (bodies.contains(handle)) ... body[handle.index()]
/// It begins and ends lives, and resolves no stale handle. Columns and observers follow along as in SlotMap: 4.25 bytes a slot,
/// and what the columns take.
///
/// Erasing while iterating: iterators survive growth and the erase of any handle; ++ from an erased one goes to the next live
/// one. A handle created meanwhile may be visited, if its slot lies ahead.
/// @tparam T what the handles name: any type, also an incomplete one; it keeps the handles of several pools apart
/// @tparam With as SlotMap's, without page_slots; Growth::reserve is of columns
template <class T, class... With>
class HandlePool {
    using Args = detail::SlotMapArguments<std::byte, With...>;
    using Engine = typename detail::SlotMapEngineOf<detail::EmptyStore, Args>::type;
    using Hub = typename Engine::Hub;
    using Allocator = typename Args::allocator;
    static constexpr SlotMapOptions O = Args::options;
    static_assert(O.page_slots == 0, "HandlePool: page_slots is for SlotMap, which has values in pages");
    static_assert(!O.zero_vacant, "HandlePool: zero_vacant is for SlotMap; a pool has no values to zero, the program has them");

public:
    //=== types ===//

    using handle_type = HandleOf<HandlePool>;
    using value_type = handle_type;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using allocator_type = Allocator;
    using const_iterator = detail::MapIterator<const HandlePool, detail::EmptyStore, detail::HandleProjection>;
    using iterator = const_iterator;
    static constexpr SlotMapOptions options = O;

    //=== construct, copy, move ===//

    constexpr HandlePool()
        requires std::is_default_constructible_v<Allocator>
    = default;
    constexpr explicit HandlePool(const Allocator& alloc) : core_(alloc) {}
    /// An exact copy: the same handles now and in future. Static observers are copied, dynamic ones stay with the original.
    /// @throws what the allocator and the columns throw; strong
    constexpr HandlePool(const HandlePool& other) = default;
    constexpr HandlePool(const HandlePool& other, const Allocator& alloc) : core_(other.core_, alloc) {}
    /// Takes handles and observers. `other` is then empty and usable. @complexity O(1)
    constexpr HandlePool(HandlePool&& other) noexcept = default;
    /// As above, into memory of `alloc`. @throws what an unequal allocator throws; strong
    constexpr HandlePool(HandlePool&& other, const Allocator& alloc) : core_(std::move(other.core_), alloc) {}
    /// As SlotMap's: strong when no dynamic observer is attached. @throws as the copy
    constexpr HandlePool& operator=(const HandlePool& other) = default;
    /// As SlotMap's: the target's dynamic observers are notified of the end and detached.
    constexpr HandlePool& operator=(HandlePool&& other) = default;
    ~HandlePool() = default;

    /// Exchanges handles and observers. Allocators are exchanged if they propagate.
    constexpr void swap(HandlePool& other) noexcept(noexcept(std::declval<Engine&>().swap(std::declval<Engine&>()))) {
        core_.swap(other.core_);
    }
    friend constexpr void swap(HandlePool& a, HandlePool& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
    constexpr Allocator get_allocator() const noexcept { return core_.allocator; }

    //=== capacity ===//

    /// Live handles.
    constexpr size_type size() const noexcept { return core_.directory.size(); }
    constexpr bool empty() const noexcept { return size() == 0; }
    /// Slots that handles name without growth: the length that an array of the program needs.
    constexpr size_type capacity() const noexcept { return core_.directory.capacity(); }
    /// The highest possible number of slots, by the handle's bits and the options.
    static constexpr size_type max_size() noexcept { return Engine::max_slots(); }
    /// The highest number of slots now: max_size(), or what set_max_slots() has set.
    constexpr size_type max_slots() const noexcept { return core_.slot_limit(); }
    /// Sets max_slots(), for arrays whose length is known at run time. As SlotMap::set_max_slots: false, and no effect, when
    /// count exceeds max_size(), or a slot from `count` on is in use.
    [[nodiscard]] constexpr bool set_max_slots(size_type count) noexcept {
        core_.hub.expect_not_notifying();
        return core_.limit_slots(count);
    }
    /// Whether no slot is left: create() would throw now, and try_create() would return null.
    constexpr bool full() const noexcept { return core_.is_full(); }
    /// Room for `count` live handles in all, so that creating up to there allocates nothing.
    /// @throws std::length_error when count exceeds max_slots(), what the allocator or an observer throws; strong
    constexpr void reserve(size_type count) {
        core_.hub.expect_not_notifying();
        forget_failed_growth();
        core_.reserve_live(count);
    }
    /// Frees memory above the highest slot in use. A version floor remains: old handles stay stale for ever.
    /// @throws what the allocator throws; strong @complexity linear in capacity
    constexpr void shrink_to_fit() {
        core_.hub.expect_not_notifying();
        core_.do_shrink_to_fit([] {});
    }

    //=== create and erase ===//

    /// A new handle. Its slot is one that no live handle names.
    /// @throws std::length_error when every slot is in use, what the allocator and observers throw; strong
    /// @complexity amortised O(1) @invalidates nothing
    constexpr handle_type create() {
        core_.hub.expect_not_notifying();
        if (!core_.directory.has_room()) [[unlikely]] {
            forget_failed_growth();
            core_.reserve_one();
        }
        return core_.template do_emplace<handle_type>();
    }
    /// As create, but null when the pool is full(): for arrays of a fixed length.
    /// @throws what the allocator and observers throw; strong
    constexpr handle_type try_create() { return full() ? handle_type() : create(); }
    /// Makes exactly this handle live: for undo, replication, loading. False, and no effect, when that could let another handle
    /// resolve, or when the slot is beyond the budget of SlotMap::insert_at. @throws as create; strong
    constexpr bool insert_at(handle_type handle) {
        core_.hub.expect_not_notifying();
        const slot_t slot = handle.index();
        if (!core_.can_take(slot, handle.version())) return false;
        forget_failed_growth();
        if (!core_.reserve_slot_in_budget(slot)) return false;
        core_.do_insert_at(slot, handle.version());
        return true;
    }
    /// Ends the life of the handle: it is stale for ever. False when it is not live.
    /// @throws nothing @complexity O(1), never allocates @invalidates the handle
    constexpr bool erase(handle_type handle) noexcept {
        if (!contains(handle)) return false;
        core_.do_erase(handle.index());
        return true;
    }
    /// A handle that is live later. Until fulfill() it is "reserved". @throws as create; strong
    constexpr handle_type reserve_handle() {
        core_.hub.expect_not_notifying();
        if (!core_.directory.has_room()) [[unlikely]] {
            forget_failed_growth();
            core_.reserve_one();
        }
        const slot_t slot = core_.directory.reserve_slot();
        return handle_type(slot, core_.directory.version(slot) + 1u);
    }
    /// As erase, but the handle is "reserved" then, and its slot is not used for others: fulfill() makes it live again,
    /// cancel() gives it up. @throws what the allocator throws, when no handle of this pool was reserved before (a bit a slot);
    /// strong @complexity O(1)
    constexpr bool erase_reserved(handle_type handle) {
        if (!contains(handle)) return false;
        core_.do_erase_reserved(handle.index());
        return true;
    }
    /// Makes a reserved handle live. False when it is not reserved (any more).
    /// @throws what observers throw; the handle is then still reserved
    constexpr bool fulfill(handle_type handle) {
        core_.hub.expect_not_notifying();
        if (!core_.directory.is_reserved(handle.index(), handle.version())) return false;
        core_.do_fulfill(handle.index());
        return true;
    }
    /// Cancels a reserved handle, which stays stale for ever. False when it is not reserved.
    constexpr bool cancel(handle_type handle) noexcept { return core_.directory.cancel(handle.index(), handle.version()); }
    /// Erases every handle for which pred(handle) holds; returns how many. If pred throws, those erased before stay erased.
    template <class Pred>
    constexpr size_type erase_if(Pred pred) {
        return core_.erase_each([&](slot_t slot) { return static_cast<bool>(pred(live_at(slot))); });
    }
    /// Every handle is stale. Capacity stays. @throws nothing @complexity linear in slots: about 0.25 ns a slot
    constexpr void clear() noexcept {
        core_.hub.expect_not_notifying();
        core_.do_clear();
    }

    //=== lookup ===//

    /// Whether the handle is live. Any bit pattern is allowed. @complexity O(1)
    constexpr bool contains(handle_type handle) const noexcept {
        return core_.directory.is_live(handle.index(), handle.version());
    }
    /// The live handle of `slot`, null when there is none.
    constexpr handle_type handle_at(slot_t slot) const noexcept {
        return core_.directory.is_live(slot) ? live_at(slot) : handle_type();
    }
    constexpr SlotState state(slot_t slot) const noexcept { return core_.state(slot); }
    /// Why a handle is or is not live.
    constexpr HandleStatus explain(handle_type handle) const noexcept {
        return handle.is_null() ? HandleStatus::null : core_.explain(handle.index(), handle.version());
    }
    /// Slots whose versions are used up, and slot 0 if it has memory and is never issued (SlotMapOptions::first_slot).
    constexpr size_type retired() const noexcept { return core_.directory.retired(); }
    /// Allows retired slots to be issued again. @pre no handle of their earlier lives is in use. Returns how many.
    constexpr size_type recycle_retired() noexcept { return core_.recycle_retired(); }

    //=== iteration ===//

    /// The live handles, in slot order.
    constexpr const_iterator begin() const noexcept { return {this, core_.store.first(core_.directory)}; }
    constexpr const_iterator end() const noexcept { return {this, core_.store.last(core_.directory)}; }
    constexpr const_iterator cbegin() const noexcept { return begin(); }
    constexpr const_iterator cend() const noexcept { return end(); }
    /// Handles that are live at this call and not erased when their turn comes, in slot order: for (auto handle :
    /// pool.items_present()). Meanwhile anything may be created, which is not visited, and erased. The walk ends early as
    /// SlotMapInterface::items_present does. @throws what the allocator throws @complexity a bit a slot to begin
    auto items_present() {
        return detail::PresentRange(core_, [this](slot_t slot) { return live_at(slot); });
    }
    /// Live slots in ascending order: the indexes of the program's arrays.
    constexpr SlotRange live_slots() const noexcept { return SlotRange(occupancy()); }
#pragma push_macro("slots") // the name of Qt's keyword: declared all the same, for programs that do not define it
#undef slots
    /// The same; live_slots() also compiles where Qt defines `slots`.
    constexpr SlotRange slots() const noexcept { return live_slots(); }
#pragma pop_macro("slots")
    /// Liveness of the slots, one bit each.
    constexpr Occupancy occupancy() const noexcept { return core_.directory.occupancy(); }
    /// Calls f(handle) for every live handle in slot order. f may erase the handle it is given, and create.
    template <class F>
    constexpr void for_each(F&& f) const {
        for (std::size_t first = 0; first < core_.directory.cursor(); first += bits::word_bits)
            bits::for_each(core_.directory.occupancy().word(bits::word_of(first)), [&](unsigned bit) {
                const auto slot = static_cast<slot_t>(first + bit);
                SLOTWISE_EXPECT_DEBUG(
                    core_.directory.is_live(slot),
                    "HandlePool::for_each: f erased a handle ahead of the one it was given; walk with iterators");
                f(live_at(slot));
            });
    }

    //=== observers and columns ===//

    /// As SlotMap::attach: attaches an observer until the token is destroyed. It is notified of the capacity and of every live
    /// slot first. @pre the observer lives as long as the token is attached
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
    /// The static observer of type Observer, which must be one.
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
    /// The column of values of type U, which must be one: pool.column<Velocity>().
    template <class U>
    constexpr ColumnView<U> column() noexcept {
        return Engine::template column_view_of<U, ColumnView<U>>(core_);
    }
    template <class U>
    constexpr ColumnView<const U> column() const noexcept {
        return Engine::template column_view_of<U, ColumnView<const U>>(core_);
    }

    //=== snapshots ===//

    /// As SlotMap::snapshot: the exact state as bytes, static columns included. @pre no column builds or destroys a value
    /// meanwhile
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        return core_.do_snapshot(codec);
    }
    /// As SlotMap::restore: replaces the contents by a snapshot's.
    /// @throws std::invalid_argument, which says why; what the allocator throws; strong
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

    /// Equal when the same handles are live. Capacity, vacant slots and observers do not count.
    friend constexpr bool operator==(const HandlePool& a, const HandlePool& b) noexcept {
        if (a.size() != b.size()) return false;
        for (const handle_type handle : a)
            if (!b.contains(handle)) return false;
        return true;
    }

    /// Bytes on the heap. @complexity O(1)
    constexpr size_type memory_usage() const noexcept { return core_.memory_usage(); }
    /// Whether every count, bit and link agrees; for tests. @complexity linear in capacity
    constexpr bool check_invariants() const noexcept { return core_.is_sound(); }

private:
    template <class, class, class>
    friend class detail::MapIterator;
    /// The store grows before the directory, whose memory may be refused. Without values it has nothing to keep then.
    constexpr void forget_failed_growth() noexcept { core_.store.shrink(capacity()); }
    constexpr handle_type live_at(slot_t slot) const noexcept { return handle_type(slot, core_.directory.version(slot)); }

    Engine core_{};
};

SLOTWISE_END

#endif
