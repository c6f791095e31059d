// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotContainer: the one core of slot maps and keyed containers: directory, store, observers and allocator, and the steps that
// change them together.
#ifndef SLOTWISE_SLOTS_SLOT_CONTAINER_HPP
#define SLOTWISE_SLOTS_SLOT_CONTAINER_HPP

#include "absence.hpp"
#include "column_view.hpp"
#include "container_options.hpp"
#include "directory_check.hpp"
#include "directory_clear.hpp"
#include "observer_hub.hpp"
#include "pending_slots.hpp"
#include "plain_steps.hpp"
#include "slot_store.hpp"
#include "snapshot.hpp"

SLOTWISE_BEGIN
namespace detail {

/// State and steps without an interface: faces are built over it and access its parts. Each step leaves the parts consistent or
/// has no effect. It is independent of values, keys, hashing and handle types.
/// Directory, pending slots and snapshots do not depend on the element: they are templates over options and an allocator of
/// bytes, so that containers of many types share one instantiation.
template <class StoreType, SlotContainerOptions O, class Allocator, class... Observers>
class SlotContainer {
public:
    using Store = StoreType;
    using Bytes = rebind_t<Allocator, std::byte>;
    /// Slots of the directory's reserved address space, which the store determines.
    static constexpr std::size_t steady = [] {
        if constexpr (requires { Store::steady; })
            return Store::steady;
        else
            return std::size_t{0};
    }();
    using Directory = SlotDirectory<O.handle, O.exhaustion, O.reuse, Bytes, steady, O.atomic_versions>;
    using Pending = std::conditional_t<O.deferred_erase, PendingSlots<Bytes>, NoPendingSlots>;
    using Hub = ObserverHub<Observers...>;
    static_assert(O.first_slot <= 1, "Options: first_slot must be 0 or 1");
    static_assert(O.first_slot == 0 || O.exhaustion == Exhaustion::retire, "Options: first_slot = 1 needs Exhaustion::retire");

    static constexpr bool deferred = O.deferred_erase;
    /// Whether neither construction nor destruction of an element, nor destruction of a column's value, runs user code.
    static constexpr bool trivial = Store::trivial && Hub::trivial;
    /// Whether an erase does nothing to an element, so that containers of many types share steps.
    static constexpr bool plain = trivial && !deferred && requires { requires Store::trivial_destroy; };
    using Plain = PlainSteps<Directory, Pending, Hub>;
    /// Whether a move and a swap call no function of hash, equality and index that may throw.
    static constexpr bool nothrow_move = std::is_nothrow_move_constructible_v<Store>;
    static constexpr bool nothrow_element_swap = noexcept(std::declval<Store&>().swap(std::declval<Store&>()));
    static constexpr bool nothrow_swap = [] {
        if constexpr (Store::indexed)
            return nothrow_element_swap&& noexcept(std::declval<Store&>().swap_functors(std::declval<Store&>()));
        else
            return nothrow_element_swap;
    }();

    //=== construct, copy, move ===//

    constexpr SlotContainer() = default;
    constexpr explicit SlotContainer(const Allocator& alloc) : SlotContainer(Store(alloc), alloc) {}
    constexpr SlotContainer(Store&& empty, const Allocator& alloc)
        : directory(Bytes(alloc)), pending(Bytes(alloc)), store(std::move(empty)), hub(alloc), allocator(alloc) {}
    struct Like {};
    /// An empty container that hashes, compares and describes like `other`.
    constexpr SlotContainer(Like, const SlotContainer& other, const Allocator& alloc)
        : directory(Bytes(alloc)), pending(Bytes(alloc)), store(empty_like(other.store, alloc)),
          hub(Hub::like(other.hub, alloc)), allocator(alloc) {}
    constexpr SlotContainer(const SlotContainer& other)
        : SlotContainer(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.allocator)) {}
    /// The elements come last: if a column's copy throws, there are none to destroy. A store does not know which of its
    /// elements are live.
    constexpr SlotContainer(const SlotContainer& other, const Allocator& alloc)
        : directory(settled(other).directory, Bytes(alloc)), pending(other.pending, other.pending.room(), Bytes(alloc)),
          store(empty_like(other.store, alloc)), hub(copy_columns(other.hub, StoredBits(directory, pending).view(), alloc)),
          allocator(alloc) {
        const StoredBits stored(directory, pending);
        Store elements(other.store, stored.view(), directory.capacity(), alloc, [&](slot_t slot) {
            SLOTWISE_EXPECT(other.is_stored(slot), "container copy: the copy of an element changes the source; it must not");
        });
        if constexpr (!Store::trivial || sizeof...(Observers) != 0)
            SLOTWISE_EXPECT(directory.same_handles(other.directory) && pending.size() == other.pending.size(),
                            "container copy: the copy of an element changes the source; it must not");
        store.swap(elements);
    }
    /// `other` is then empty and usable. The store comes first: if a copy of hash or equality throws, nothing has changed.
    constexpr SlotContainer(SlotContainer&& other) noexcept(nothrow_move)
        : directory(Bytes(other.allocator)), pending(Bytes(other.allocator)), store(std::move(other.store)),
          hub(std::move(other.hub)), allocator(other.allocator) {
        directory.swap(other.directory);
        pending.swap(other.pending);
    }
    /// With unequal allocators the elements are moved one by one; the store may copy elements whose move may throw.
    constexpr SlotContainer(SlotContainer&& other, const Allocator& alloc) : SlotContainer(Like(), other, alloc) {
        if (alloc == other.allocator) {
            swap_elements(other);
            return;
        }
        SlotContainer replacement(Like(), other, other.allocator);
        const StoredBits stored(other.directory, other.pending);
        Directory same_slots(other.directory, Bytes(alloc));
        auto same_pending = other.pending.resized(other.pending.room(), Bytes(alloc));
        if (const std::size_t slot_count = other.directory.capacity(); slot_count != 0) {
            store.reserve(slot_count);
            if (O.columns_share_allocator) hub.capacity(0, slot_count);
        }
        // First the steps that may throw. They copy and leave the source unchanged.
        if constexpr (O.columns_share_allocator) hub.take_from(other.hub, stored.view(), true);
        store.take_from(other.store, stored.view());
        if constexpr (O.columns_share_allocator) {
            hub.take_from(other.hub, stored.view(), false);
            hub.swap_dynamic(other.hub);
        } else
            hub.swap(other.hub);
        directory.swap(same_slots);
        pending.swap(same_pending);
        other.swap_elements(replacement);                                 // which destroys the moved-from elements
        if (!O.columns_share_allocator) replacement.destroy_unobserved(); // its observers were not notified of these
    }
    constexpr SlotContainer& operator=(const SlotContainer& other) {
        if (this == &other) return *this;
        SlotContainer copy(other, propagates_on_copy<Allocator> ? other.allocator : allocator);
        adopt(copy);
        return *this;
    }
    constexpr SlotContainer& operator=(SlotContainer&& other) noexcept(nothrow_move&& nothrow_swap &&
                                                                       (propagates_on_move<Allocator> ||
                                                                        always_equal<Allocator>)) {
        if (this == &other) return *this;
        if (propagates_on_move<Allocator> || allocator == other.allocator) {
            SlotContainer old(Like(), other, other.allocator);
            exchange_old(old);
            swap_elements(other);
        } else {
            SlotContainer taken(std::move(other), allocator);
            exchange_old(taken);
        }
        return *this;
    }
    constexpr ~SlotContainer() {
        static_assert(SlotStore<Store>); // here, because an element may have a container of its own type as a member
        if constexpr (plain && !Store::indexed)
            Plain::end(directory, hub, clearing);
        else {
            if (directory.size() != 0) expect_not_notifying();
            do { // again, because a destructor may insert
                do_clear();
                do_flush_removed();
            } while (directory.size() != 0);
            hub.detach_all();
        }
    }
    constexpr void swap(SlotContainer& other) noexcept(nothrow_swap &&
                                                       (propagates_on_swap<Allocator> || always_equal<Allocator>)) {
        if (propagates_on_swap<Allocator> || always_equal<Allocator> || allocator == other.allocator)
            return swap_contents(other);
        SlotContainer mine(std::move(*this), other.allocator), theirs(std::move(other), allocator);
        swap_contents(theirs);
        other.swap_contents(mine); // NOLINT(bugprone-use-after-move): moved-from is empty and usable
    }
    /// Exchanges everything, including the allocators.
    constexpr void swap_contents(SlotContainer& other) noexcept(nothrow_swap) {
        if constexpr (Store::indexed) store.swap_functors(other.store);
        swap_elements(other);
    }
    /// The same without hash and equality.
    constexpr void swap_elements(SlotContainer& other) noexcept(nothrow_element_swap) {
        store.swap(other.store); // first, because an index may throw
        directory.swap(other.directory);
        pending.swap(other.pending);
        hub.swap(other.hub);
        exchange_allocators(allocator, other.allocator);
    }
    /// Takes the contents of `other`. Our dynamic observers stay and are notified. `other` then destroys our old elements.
    constexpr void adopt(SlotContainer& other) {
        const StoredBits bits(other.directory, other.pending);          // first, because it may throw
        if constexpr (Store::indexed) store.swap_functors(other.store); // may throw too
        typename Hub::Exchange exchange(hub, directory.occupancy());
        swap_elements(other);
        hub.swap_dynamic(other.hub);
        if (!exchange.needed()) return;
        const Occupancy stored = deferred ? bits.view() : directory.occupancy();
        ScopeGuard undo([&]() noexcept {
            hub.clear_static(stored);
            destroy_unobserved();
        });
        exchange.replay(directory.capacity(), stored, [&](auto&& removed) { pending.for_each(removed); });
        undo.dismiss();
    }
    /// Destroys the elements without notifying observers, which went with the contents or were notified.
    constexpr void destroy_unobserved() noexcept {
        if constexpr (Store::indexed) store.unlist_all();
        while (!pending.empty()) {
            const slot_t slot = pending.pop();
            store.destroy(slot);
            directory.release(slot);
        }
        const slot_t end = directory.begin_clear();
        store.destroy_all(directory, end);
        directory.end_clear(end);
    }

    //=== states ===//

    static constexpr std::size_t max_slots() noexcept {
        std::size_t limit = O.max_slots != 0 && O.max_slots < Directory::max_slots ? O.max_slots : Directory::max_slots;
        if (limit > Store::max_slots) limit = Store::max_slots;
        return limit < Hub::max_slots() ? limit : Hub::max_slots();
    }
    /// The same now: less when the directory has a limit.
    constexpr std::size_t slot_limit() const noexcept {
        return directory.limit() < max_slots() ? directory.limit() : max_slots();
    }
    constexpr DirectoryView directory_view() const noexcept {
        return {directory.occupancy(), directory.versions(), sizeof(typename Directory::version_type)};
    }
    /// Whether the element was removed and is still readable.
    constexpr bool is_pending(slot_t slot) const noexcept { return deferred && pending.contains(slot); }
    constexpr bool is_stored(slot_t slot) const noexcept { return directory.is_live(slot) || is_pending(slot); }
    constexpr SlotState state(slot_t slot) const noexcept {
        return is_pending(slot) ? SlotState::pending : directory.state(slot);
    }
    /// Why {slot, version} does or does not name an element.
    constexpr HandleStatus explain(slot_t slot, std::uint32_t version) const noexcept {
        if (!is_pending(slot)) return directory.explain(slot, version);
        const bool last = directory.version(slot) == HandleTraits<O.handle>::wrapped(version + 1u);
        return last && (version & 1u) != 0 ? HandleStatus::pending : HandleStatus::stale;
    }
    /// Throws std::out_of_range with `message`, and why the handle has no element.
    template <class H>
    [[noreturn]] SLOTWISE_COLD void throw_no_element(const char* message, H handle) const {
        const slot_t at = handle.index();
        const std::uint32_t now = at < directory.capacity() ? directory.version(at) : 0; // above the cursor after a clear, too
        const bool waits = at < directory.cursor() && explain(at, handle.version()) == HandleStatus::pending;
        throw_absent(message, handle.to_text(), waits ? detail::is_pending : directory.absence(at, handle.version()),
                     {at, now, state(at), at < directory.cursor() || now != 0});
    }
    /// The stored slots of word `w`.
    constexpr bits::word_t stored_word(std::size_t w) const noexcept {
        return directory.occupancy().word(w) | (deferred ? pending.word(w) : 0);
    }
    /// Calls f(slot) for every slot whose element is there, live or pending, in slot order.
    template <class F>
    constexpr void for_each_stored(F&& f) const {
        const Occupancy live = directory.occupancy();
        for (std::size_t w = 0, end = live.words().size(); w != end; ++w)
            bits::for_each(stored_word(w), [&](unsigned bit) { f(static_cast<slot_t>(w * bits::word_bits + bit)); });
    }
    using StoredBits = StoredSlots<Directory, Pending>;

    //=== capacity ===//

    /// Slots that no element can use now.
    constexpr std::size_t unusable() const noexcept {
        const bool first = O.first_slot != 0 && directory.cursor() == 0; // slot 0 is not retired yet
        return pending.size() + directory.retired() + directory.reserved() + (first ? 1 : 0);
    }
    /// Whether growth would add no slot for an element.
    constexpr bool cannot_grow() const noexcept { return Plain::cannot_grow(directory, slot_limit(), O.first_slot); }
    /// Room for more elements, or a std::length_error with the text `full` when no slot is left.
    SLOTWISE_COLD constexpr void grow(const char* full) {
        do_reserve(Plain::grown(directory, hub, store.grown_capacity(), max_slots(), O.first_slot, full));
    }
    SLOTWISE_COLD constexpr void do_reserve(std::size_t slot_count) {
        Plain::expect_not_resetting(resetting);
        store.reserve(slot_count);
        Plain::reserve(directory, pending, hub, Bytes(allocator), slot_count, store.capacity(), max_slots());
        if constexpr (O.first_slot != 0)
            if (directory.cursor() == 0 && directory.capacity() != 0) retire_slot_0();
    }
    /// Slot 0 is never issued: as if its versions were used up. @pre it is free and has memory
    constexpr void retire_slot_0() noexcept {
        directory.take(0, 1); // its version is 0 then
        directory.release(0);
    }
    /// Frees memory above the highest slot in use. @param also a further step that frees memory and may throw
    template <class Also>
    constexpr void do_shrink_to_fit(Also&& also) {
        const Bytes bytes(allocator);
        const slot_t cursor = directory.cursor();
        const slot_t end = directory.lower_cursor();
        ScopeGuard undo([&]() noexcept { directory.restore_cursor(cursor); });
        const std::size_t slot_count = hub.shrunk_capacity(end, store.shrunk_capacity(end));
        const std::size_t before = directory.capacity(), from = directory.first_forgotten(end);
        auto less = directory.prepare_shrink(slot_count, from, bytes);
        auto less_pending = pending.resized(deferred ? slot_count : 0, bytes);
        also();
        store.shrink(end); // dense: may throw without an effect
        undo.dismiss();
        const std::size_t after = slot_count < before ? slot_count : before;
        if (before != after)
            hub.capacity(before,
                         after); // first: an observer that attaches meanwhile is notified of the old capacity and of this
        directory.commit_shrink(less, from);
        directory.set_capacity(after);
        pending.swap(less_pending);
    }

    //=== erasing ===//

    /// @pre directory.is_live(slot)
    SLOTWISE_ALWAYS_INLINE constexpr void do_erase(slot_t slot) noexcept(Store::nothrow_destroy) {
        expect_not_notifying();
        if constexpr (deferred) {
            directory.remove(slot);
            pending.push(slot);
            hub.removed(slot);
        } else {
            if constexpr (Store::indexed) store.unlist(slot);
            erase_unindexed(slot);
        }
    }
    /// Erases the live slots for which pred(slot) holds; returns how many. pred may insert and erase.
    template <class Pred>
    constexpr std::size_t erase_each(Pred&& pred) {
        std::size_t count = 0;
        for (std::size_t at = 0; (at = directory.occupancy().find_next(at)) != no_slot; ++at) {
            // A destructor may call this during clear: slots that are still to be destroyed hold no element any more.
            const auto slot = static_cast<slot_t>(at);
            if (directory.is_live(slot) && pred(slot)) do_erase(slot), ++count;
        }
        return count;
    }
    /// @pre the index, if there is one, has no entry for the slot
    SLOTWISE_ALWAYS_INLINE constexpr void erase_unindexed(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (trivial) {
            if (hub.dynamic() || !directory.erase_at_once(slot)) [[unlikely]]
                return erase_rarely(slot);
            hub.erase_static(slot);
            store.destroy(slot);
        } else
            erase_guarded(slot);
    }
    SLOTWISE_NEVER_INLINE constexpr void erase_rarely(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (plain)
            Plain::erase_rarely(directory, hub, slot);
        else
            erase_guarded(slot);
    }
    // The slot is blocked until its element is destroyed: a destructor may insert.
    constexpr void erase_guarded(slot_t slot) noexcept(Store::nothrow_destroy) {
        if constexpr (!Store::nothrow_destroy) store.move_to_last_row(slot);
        directory.remove(slot);
        hub.erase(slot);
        store.destroy(slot);
        directory.release(slot);
    }
    /// Erases the element at once, also where erase is deferred, and keeps its handle reserved. @pre directory.is_live(slot)
    /// Throws what the allocator throws, at the first reservation; dense: what moves throw; strong
    constexpr void do_erase_reserved(slot_t slot) {
        expect_not_notifying();
        directory.prepare_reserved();
        if constexpr (!Store::nothrow_destroy) store.move_to_last_row(slot);
        if constexpr (Store::indexed) store.unlist(slot);
        const std::uint32_t version = directory.version(slot);
        directory.remove(slot);
        hub.erase(slot);
        store.destroy(slot); // whose destructor may insert: it finds the handle neither live nor reserved
        directory.keep_reserved(slot, version);
    }
    /// Erases a pending element, which may have no entry in the index.
    constexpr void erase_pending(slot_t slot) noexcept {
        store.unlist(slot);
        hub.erased(slot);
        store.destroy(slot);
        directory.release(slot);
    }
    constexpr void do_flush_removed() noexcept {
        // Counted before: elements that a destructor removes meanwhile wait for the next flush.
        if constexpr (deferred)
            for (std::size_t n = pending.size(); n != 0 && !pending.empty(); --n) erase_pending(pending.pop());
    }
    constexpr void do_clear() noexcept {
        if constexpr (plain && !Store::indexed)
            Plain::clear(directory, hub, clearing);
        else {
            if (deferred || clearing) return erase_live(); // clearing: a destructor calls; the outer clear destroys the rest
            if (directory.cursor() == 0) return;
            clearing = true;
            if constexpr (Store::indexed) store.unlist_all();
            const slot_t end = directory.begin_clear();
            hub.clear(directory.occupancy());
            store.destroy_all(directory, end);
            directory.end_clear(end);
            clearing = false;
        }
    }
    SLOTWISE_COLD constexpr void erase_live() noexcept {
        for (slot_t slot = 0; slot < directory.cursor(); ++slot)
            if (directory.is_live(slot))
                do_erase(slot);
            else if (deferred && !clearing)
                directory.cancel(slot, directory.version(slot) + 1u);
    }

    //=== observers ===//

    /// @param between a slot that is neither live nor pending, and counts as one of them; @param is_removed as a pending one
    ObserverToken do_attach(SlotObserver& observer, slot_t between = no_slot, bool is_removed = false) {
        const StoredBits stored(directory, pending, between);
        return hub.attach(
            observer, directory.capacity(), stored.view(),
            [this, between](slot_t slot) { return is_stored(slot) || slot == between; },
            [&](auto&& removed) {
                if (is_removed) removed(between);
                pending.for_each(removed);
            });
    }
    SLOTWISE_ALWAYS_INLINE constexpr void expect_not_notifying() const noexcept { hub.expect_not_notifying(); }

    //=== snapshots ===//

    /// The types of the columns from number `First` on.
    template <std::size_t First, class Codec>
    static consteval auto column_tags() noexcept {
        return ColumnSnapshot<First, Observers...>::template tags<Codec>();
    }
    /// Writes the directory, the elements by write_elements(), and the columns from number `First` on.
    /// @tparam Row bytes of an element where they are known
    template <std::size_t First, std::size_t Row, class Codec, class WriteElements>
    void write(ByteWriter& out, Codec& codec, WriteElements&& write_elements) const {
        using Columns = ColumnSnapshot<First, Observers...>;
        out.reserve(Seal::room + (directory.size() + pending.size()) * (Row + Columns::template row_bytes<Codec>()) +
                    directory.cursor() * (sizeof(typename Directory::version_type) + 1)); // nearly all: growth would copy it
        DirectorySnapshot::write(directory, out);
        write_elements();
        Columns::write(hub, each_stored(), out, codec);
    }
    /// Reads the same into this container, which is new and empty. Returns the error, after which the container is unusable, or
    /// null. @param order the pending slots @param read_elements gets the directory that was read; it takes over directory and
    /// elements, or returns false
    template <std::size_t First, class Codec, class ReadElements>
    const char* read(ByteReader& in, Codec& codec, std::span<const slot_t> order, ReadElements&& read_elements) {
        const Bytes bytes(allocator);
        Directory restored(bytes);
        if (!DirectorySnapshot::read(restored, in, bytes, order)) return in.error();
        if (restored.cursor() > slot_limit()) return "snapshot: it has more slots than this container's max_slots";
        if (O.first_slot != 0 && restored.cursor() != 0 && restored.state(0) != SlotState::retired)
            return "snapshot: slot 0 was in use, and this container never issues it (first_slot)";
        restored.set_limit(directory.limit());
        if (restored.cursor() != 0) do_reserve(restored.cursor());
        if (!restored.covers(directory.capacity())) {
            auto more = restored.prepare(directory.capacity(), bytes);
            restored.adopt(more);
        }
        restored.set_capacity(directory.capacity());
        if (!read_elements(restored)) return in.error();
        ScopeGuard undo([&]() noexcept { destroy_unobserved(); });
        hub.template replay<First>(StoredBits(directory, pending).view());
        pending.for_each([&](slot_t slot) { hub.removed(slot); });
        undo.dismiss();
        if (ColumnSnapshot<First, Observers...>::read(hub, each_stored(), in, codec) && in.left() != 0)
            in.fail("snapshot: there are more bytes than the state needs");
        return in.error();
    }

    /// Bytes held on the heap, without what elements hold themselves; without reserved address space that is not committed.
    constexpr std::size_t memory_usage() const noexcept { return memory_of(directory, pending, store, hub); }

    //=== parts ===//

    Directory directory{};
    SLOTWISE_NO_UNIQUE_ADDRESS Pending pending{};
    Store store{};
    Hub hub{};
    SLOTWISE_NO_UNIQUE_ADDRESS Allocator allocator{};
    bool clearing = false;
    bool resetting = false;

private:
    static constexpr const SlotContainer& settled(const SlotContainer& other) noexcept {
        SLOTWISE_EXPECT(other.directory.is_settled(other.pending.size()),
                        "container copy: the source is inside an operation; its elements and observers must not copy it");
        return other;
    }
    static constexpr Store empty_like([[maybe_unused]] const Store& other, const Allocator& alloc) {
        if constexpr (requires { Store::like(other, alloc); })
            return Store::like(other, alloc);
        else
            return Store(alloc);
    }
    static constexpr Hub copy_columns(const Hub& other, Occupancy stored, [[maybe_unused]] const Allocator& alloc) {
        if constexpr (O.columns_share_allocator)
            return Hub(other, stored, alloc);
        else
            return Hub(other, stored);
    }
    // Exchanges the contents with `old`. Dynamic observers are notified of the end and detached.
    constexpr void exchange_old(SlotContainer& old) noexcept(nothrow_swap) {
        if constexpr (Store::indexed) store.swap_functors(old.store);
        hub.detach_dynamic(directory.occupancy(), directory.size());
        swap_elements(old);
    }
    auto each_stored() const noexcept {
        return [this](auto&& f) { this->for_each_stored(f); };
    }
};

} // namespace detail
SLOTWISE_END

#endif
