// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotMapEngine: a SlotContainer that chooses the slot of a new element, and the steps that insert one.
#ifndef SLOTWISE_MAP_DETAIL_SLOT_MAP_ENGINE_HPP
#define SLOTWISE_MAP_DETAIL_SLOT_MAP_ENGINE_HPP

#include "../../slots/detail/slot_container.hpp"
#include "../../slots/slot_range.hpp"

SLOTWISE_BEGIN
namespace detail {

template <class Store, SlotMapOptions O, class Allocator, class... Observers>
using SlotMapBase = SlotContainer<
    Store, SlotContainerOptions{O.handle, O.exhaustion, O.reuse, O.max_slots, false, false, O.first_slot, O.atomic_versions},
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

/// State and steps without an interface. Each step leaves the parts consistent or has no effect.
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

    //=== whole ===//

    /// Replaces the contents by a snapshot's, or returns the error and has no effect.
    template <class Codec>
    const char* do_restore(std::span<const std::byte> bytes, Codec& codec) {
        Base::expect_not_notifying();
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

} // namespace detail

// SlotMapObservers: observers, further columns and snapshots of slot maps.

/// The part of SlotMapInterface and HandlePool that concerns observers, columns and snapshots, and no handle. Not used by itself.
/// `extern template` of these two leaves out what they inherit: what is no template and emits much code stays with them.
template <class Container>
class SlotMapObservers {
    using Hub = typename Container::Hub;
    using allocator = decltype(Container::allocator);

public:
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
        using T = typename std::remove_reference_t<decltype(observer<Nth>())>::value_type;
        return ColumnView<T>(observer<Nth>().pages(), core_.directory_view());
    }
    template <std::size_t Nth>
    constexpr auto column() const noexcept {
        using T = typename std::remove_cvref_t<decltype(observer<Nth>())>::value_type;
        return ColumnView<const T>(ColumnView<T>(observer<Nth>().pages(), core_.directory_view()));
    }
    /// The column of values of type T, which must be one: map.column<Velocity>().
    template <class T>
    constexpr ColumnView<T> column() noexcept {
        return column_of<T, ColumnView<T>>(*this);
    }
    template <class T>
    constexpr ColumnView<const T> column() const noexcept {
        return column_of<T, ColumnView<const T>>(*this);
    }

    //=== snapshots ===//

    /// The exact state as bytes, static columns included: restored anywhere, the map or pool gives the same handles for the
    /// same calls. The same state gives the same bytes. @pre no element is being built or destroyed
    /// @param codec how values become bytes; see DefaultCodec for types that need none, dropping() for columns to leave out
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        core_.template write<0, detail::block_bytes<Codec, typename Container::Store::value_type>>(
            out, codec, [&] { core_.store.write(core_.directory, out, codec); });
        return detail::Seal::close<Codec>(out, tags<Codec>());
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes, and bytes that snapshot() would
    /// not write are refused. The codec checks values. Observers that are no columns, and dynamic ones, are notified of the
    /// exchange. Memory: up to the values of all slots in the bytes. @throws std::invalid_argument, which says why; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        const char* const error = detail::Seal::open<Codec>(bytes, detail::DirectorySnapshot::magic, tags<Codec>());
        return error != nullptr ? error : core_.do_restore(bytes, codec);
    }

protected:
    constexpr SlotMapObservers() = default;
    constexpr explicit SlotMapObservers(const allocator& alloc) : core_(alloc) {}
    constexpr SlotMapObservers(const SlotMapObservers& other, const allocator& alloc) : core_(other.core_, alloc) {}
    constexpr SlotMapObservers(SlotMapObservers&& other, const allocator& alloc) : core_(std::move(other.core_), alloc) {}
    SlotMapObservers(typename Container::Store&& empty, const allocator& alloc) : core_(std::move(empty), alloc) {}
    Container core_{};

private:
    template <class Codec>
    static consteval auto tags() noexcept {
        return detail::join_tags(Container::Store::template tags<Codec>(), Container::template column_tags<0, Codec>());
    }
    template <class T, class View, class Self>
    static constexpr View column_of(Self& self) noexcept {
        constexpr std::size_t place = Hub::template index_of_column<T>();
        if constexpr (place < Hub::static_count) return self.template column<place>();
        return View(); // reached when index_of_column has reported its error, which then stays the only one
    }
};

SLOTWISE_END

#endif
