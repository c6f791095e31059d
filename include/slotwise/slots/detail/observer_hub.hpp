// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ObserverHub: all observers of one container, and the order in which they are notified.
#ifndef SLOTWISE_SLOTS_DETAIL_OBSERVER_HUB_HPP
#define SLOTWISE_SLOTS_DETAIL_OBSERVER_HUB_HPP

#include "../slot_observer.hpp"

#include <tuple>

SLOTWISE_BEGIN
namespace detail {

/// Whether a static observer's on_insert can throw; one that has none cannot.
template <class O>
inline constexpr bool insert_hook_throws = [] {
    if constexpr (requires(O& o) { o.on_insert(slot_t{}, InsertKind::fresh); })
        return !noexcept(std::declval<O&>().on_insert(slot_t{}, InsertKind::fresh));
    else
        return false;
}();

/// Whether the hooks of a static observer run no user code. That holds if it is a column (it has a value_type with a trivial
/// destructor), has no hooks for slots, or declares is_trivial_observer. Its hooks then access nothing but the observer and
/// cannot throw. Any other observer may read the container, or destroy values that call it, and must find it consistent.
template <class O>
inline constexpr bool is_trivial_observer = [] {
    if constexpr (requires { typename O::is_trivial_observer; })
        return true;
    else if constexpr (requires { typename O::value_type; })
        return std::is_trivially_destructible_v<typename O::value_type>;
    else
        return !requires(O& o) { o.on_insert(slot_t{}, InsertKind::fresh); } && !requires(O& o) { o.on_remove(slot_t{}); } &&
               !requires(O& o) { o.on_erase(slot_t{}); };
}();

/// Whether a static observer does nothing when an element is erased.
template <class O>
inline constexpr bool erases_silently = requires { requires O::silent_erase; };

/// What a static observer that is a column has values of; void for others.
template <class O>
struct ColumnValue {
    using type = void;
};
template <class O>
    requires requires { typename O::value_type; }
struct ColumnValue<O> {
    using type = typename O::value_type;
};

/// All observers of one container: the static ones as members, the dynamic ones behind one pointer. An absent hook costs
/// nothing; no dynamic observer costs one predictable branch.
template <class... Static>
class ObserverHub {
    static_assert((CheckStaticObserver<Static>::holds && ... && true));
    template <class Observer>
    static consteval std::size_t bytes_a_slot() noexcept {
        if constexpr (requires { std::size_t{Observer::slot_bytes}; })
            return Observer::slot_bytes;
        else
            return 0;
    }

public:
    static constexpr bool nothrow_insert = (!insert_hook_throws<Static> && ... && true);
    static constexpr bool trivial = (is_trivial_observer<Static> && ... && true);
    static constexpr std::size_t slot_bytes = (bytes_a_slot<Static>() + ... + 0); ///< of all columns
    static constexpr std::size_t static_count = sizeof...(Static);
    /// Whether all do nothing when an element is erased: columns of values without a destructor.
    static constexpr bool silent_erase = (erases_silently<Static> && ... && true);

    constexpr ObserverHub() = default;
    template <class Allocator>
    constexpr explicit ObserverHub(const Allocator& alloc) : static_(make<Static>(alloc)...) {}
    /// Empty columns like those of `other`: type-erased columns take the type descriptor.
    template <class Allocator>
    static constexpr ObserverHub like([[maybe_unused]] const ObserverHub& other, const Allocator& alloc) {
        return ObserverHub(other, alloc, std::index_sequence_for<Static...>{});
    }
    /// Copies the static observers. Those with a constructor for it get the live slots. A copy has no dynamic observers.
    constexpr ObserverHub(const ObserverHub& other, Occupancy live)
        : ObserverHub(other, std::index_sequence_for<Static...>{}, live) {}
    /// The same into memory of `alloc`, for observers that take an allocator.
    template <class Allocator>
    constexpr ObserverHub(const ObserverHub& other, Occupancy live, const Allocator& alloc)
        : ObserverHub(other, std::index_sequence_for<Static...>{}, live, alloc) {}
    /// Moves columns into this hub's memory, value by value, in two phases: those that may throw (they copy), then the others.
    /// Other observers are exchanged. @pre this hub was notified of the capacity
    constexpr void take_from(ObserverHub& other, Occupancy live, bool may_throw) {
        [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            (take_one(std::get<Nth>(static_), std::get<Nth>(other.static_), live, may_throw), ...);
        }(std::index_sequence_for<Static...>{});
    }
    ObserverHub(const ObserverHub&) = delete;
    constexpr ObserverHub(ObserverHub&& other) noexcept
        : static_(std::move(other.static_)), cell_(std::exchange(other.cell_, nullptr)) {}
    ObserverHub& operator=(const ObserverHub&) = delete;
    constexpr ~ObserverHub() { ObserverCell::release(cell_); }
    constexpr void swap(ObserverHub& other) noexcept {
        std::swap(static_, other.static_);
        std::swap(cell_, other.cell_);
    }
    constexpr void swap_dynamic(ObserverHub& other) noexcept { std::swap(cell_, other.cell_); }

    /// Bytes of the static observers that know them, and of the list of the attached ones.
    constexpr std::size_t memory_usage() const noexcept {
        const std::size_t lists = cell_ == nullptr ? 0 : cell_->memory_usage();
        return [&]<std::size_t... Nth>(std::index_sequence<Nth...>) {
            return (lists + ... + known_memory_of(std::get<Nth>(static_)));
        }(std::index_sequence_for<Static...>{});
    }

    /// The place of the observer of this type, and of the column of values of this type, among the numbers from `First` to
    /// `Last`.
    template <class O, std::size_t First = 0, std::size_t Last = sizeof...(Static)>
    static consteval std::size_t index_of() noexcept {
        constexpr std::size_t place = index_from<First, Last, O>([]<class S>() { return std::type_identity<S>(); });
        static_assert(place != none, "observer<O>(): O must name exactly one static observer; use observer<I>()");
        return place;
    }
    template <class T, std::size_t First = 0>
    static consteval std::size_t index_of_column() noexcept {
        constexpr std::size_t place =
            index_from<First, none, T>([]<class S>() { return std::type_identity<typename ColumnValue<S>::type>(); });
        static_assert(place != none, "column<T>(): exactly one static column must have values of type T; use column<I>()");
        return place;
    }

    template <std::size_t Nth>
    SLOTWISE_INLINE_UNOPTIMISED constexpr auto& get() noexcept {
        return std::get<Nth>(static_);
    }
    template <std::size_t Nth>
    SLOTWISE_INLINE_UNOPTIMISED constexpr const auto& get() const noexcept {
        return std::get<Nth>(static_);
    }
    SLOTWISE_ALWAYS_INLINE constexpr bool dynamic() const noexcept { return cell_ != nullptr && cell_->count != 0; }
    /// The list of the attached observers, null when there is none.
    constexpr ObserverCell* dynamic_cell() const noexcept { return dynamic() ? cell_ : nullptr; }
    constexpr bool notifying() const noexcept { return cell_ != nullptr && cell_->depth != 0; }
    SLOTWISE_ALWAYS_INLINE constexpr void expect_not_notifying() const noexcept {
        SLOTWISE_EXPECT_DEBUG(!notifying(), "container: an observer changes the container that is notifying it; change it "
                                            "after the notification");
    }

    /// Attaches and replays: capacity, then every slot of `live` for which is_live(slot) (a running clear still lists the slots
    /// to be destroyed), then on_remove for the slots that each_removed(f) passes to f. While the contents are exchanged
    /// nothing is replayed.
    /// @throws what the observer throws; it is not attached then
    template <class IsLive, class EachRemoved>
    ObserverToken attach(SlotObserver& observer, std::size_t capacity, Occupancy live, IsLive&& is_live,
                         EachRemoved&& each_removed) {
        ObserverToken token = watch(observer);
        if (cell_->exchanging) return token;
        if (capacity != 0) observer.on_capacity(0, static_cast<slot_t>(capacity));
        build_each(
            live,
            [&](slot_t slot) {
                if (is_live(slot)) observer.on_insert(slot, InsertKind::fresh);
            },
            [&](slot_t slot) {
                if (is_live(slot)) observer.on_erase(slot);
            });
        each_removed([&](slot_t slot) { observer.on_remove(slot); });
        return token;
    }

    /// Attaches without a replay, for what only follows removals.
    ObserverToken watch(SlotObserver& observer) {
        if (cell_ == nullptr) cell_ = new ObserverCell;
        return ObserverToken(*cell_, observer);
    }
    /// Whether the token's list is the one of this hub: the contents were not moved to another container.
    bool watches(const ObserverToken& token) const noexcept { return token.cell_ == cell_; }

    /// The least of `slots` and the columns' grown_capacity().
    constexpr std::size_t grown_capacity(std::size_t slot_count) const noexcept {
        return least(slot_count, [](const auto& o) { return o.grown_capacity(); });
    }
    /// The most slots that every static column can have.
    static consteval std::size_t max_slots() noexcept {
        std::size_t most = no_slot;
        [[maybe_unused]] const auto consider = [&]<class O>(std::type_identity<O>) {
            if constexpr (requires { O::max_column_slots; }) most = O::max_column_slots < most ? O::max_column_slots : most;
        };
        (consider(std::type_identity<Static>()), ...);
        return most;
    }
    /// The least of `room` and the columns' capacity_for(slots).
    constexpr std::size_t capacity_for(std::size_t slot_count, std::size_t room) const noexcept {
        return least(room, [slot_count](const auto& o) { return o.capacity_for(slot_count); });
    }
    /// The least of `slots` and the columns' shrunk_capacity(end). Columns without pages do not count.
    constexpr std::size_t shrunk_capacity(std::size_t end, std::size_t slot_count) const noexcept {
        return least(slot_count, [end](const auto& o) { return o.shrunk_capacity(end); });
    }

    constexpr void capacity(std::size_t old_slots, std::size_t new_slots) {
        const auto before = static_cast<slot_t>(old_slots), after = static_cast<slot_t>(new_slots);
        each([&](auto& o) {
            if constexpr (requires { o.on_capacity(before, after); }) o.on_capacity(before, after);
        });
        if (dynamic()) [[unlikely]]
            NotifyDynamic::capacity(*cell_, before, after);
    }

    /// Notifies all observers of an insert. If one throws, those notified get on_erase in reverse order. @tparam First skips
    /// the static observers before it: a map builds the value in its first column itself
    template <std::size_t First = 0>
    constexpr void insert(slot_t slot, InsertKind kind) {
        insert_from<First>(slot, kind);
    }
    /// Notifies all observers that a removed element is resurrected. If one throws, no observer is notified any more: the
    /// caller erases the element for all.
    template <std::size_t First>
    constexpr void resurrect(slot_t slot) {
        each<First>([&](auto& o) {
            if constexpr (requires { o.on_insert(slot, InsertKind::resurrected); }) o.on_insert(slot, InsertKind::resurrected);
        });
        if (dynamic()) [[unlikely]]
            cell_->forward([&](SlotObserver& o, std::size_t) { o.on_insert(slot, InsertKind::resurrected); });
    }

    /// Notifies the static observers, none of which can throw. @pre nothrow_insert and !dynamic()
    template <std::size_t First = 0>
    SLOTWISE_ALWAYS_INLINE constexpr void insert_nothrow([[maybe_unused]] slot_t slot) noexcept {
        if constexpr (sizeof...(Static) != First)
            each<First>([&](auto& o) {
                if constexpr (requires { o.on_insert(slot, InsertKind::fresh); }) o.on_insert(slot, InsertKind::fresh);
            });
    }

    /// Notifies the static observers from First on, and the attached ones, of every live slot. @throws what an observer throws;
    /// the observers notified of inserts get on_erase then
    template <std::size_t First = 0>
    constexpr void replay(Occupancy live) {
        build_each(
            live, [this](slot_t slot) { insert<First>(slot, InsertKind::fresh); },
            [this](slot_t slot) { erased<First>(slot); });
    }

    /// Exchanges the contents under the dynamic observers, which stay attached. The constructor notifies them of the end of the
    /// old contents, replay() of the new contents. An observer that attaches meanwhile is notified of the new contents only.
    class Exchange {
    public:
        constexpr Exchange(ObserverHub& hub, Occupancy live) noexcept : cell_(hub.dynamic() ? hub.cell_ : nullptr) {
            if (cell_ == nullptr) return;
            cell_->exchanging = true;
            const std::size_t present = cell_->count;
            cell_->backward(present, [&](SlotObserver& o) { o.on_clear(live); });
            cell_->backward(present, [&](SlotObserver& o) { o.on_reset(); });
        }
        Exchange(const Exchange&) = delete;
        Exchange& operator=(const Exchange&) = delete;
        /// Detaches the observers that were not notified of the capacity because another one threw: they could not follow an
        /// insert.
        constexpr ~Exchange() {
            if (cell_ == nullptr) return;
            for (std::size_t i = capacity_known_; i < cell_->count; ++i)
                if (cell_->list[i] != nullptr) cell_->detach_at(i);
            cell_->exchanging = false;
            cell_->sweep();
        }
        constexpr bool needed() const noexcept { return cell_ != nullptr; }
        /// Replays as attach() for each observer. @throws what an observer throws; all get on_erase for the inserts they were
        /// notified of
        template <class EachRemoved>
        void replay(std::size_t slot_count, Occupancy live, EachRemoved&& each_removed) {
            const ObserverCell::Notification running(*cell_);
            notify_capacity(slot_count);
            std::size_t notified = 0;
            ScopeGuard undo([&]() noexcept {
                while (notified-- != 0) erase_each(notified, live);
            });
            for (; notified < cell_->count; ++notified) {
                notify_capacity(slot_count); // observers that attached meanwhile
                build_each(
                    live, [&](slot_t slot) { call(notified, [&](SlotObserver& o) { o.on_insert(slot, InsertKind::fresh); }); },
                    [&](slot_t slot) { call(notified, [&](SlotObserver& o) { o.on_erase(slot); }); });
                each_removed([&](slot_t slot) { call(notified, [&](SlotObserver& o) { o.on_remove(slot); }); });
            }
            undo.dismiss();
        }

    private:
        template <class F>
        void call(std::size_t i, F&& f) {
            if (cell_->list[i] != nullptr) f(*cell_->list[i]); // an observer may detach at any time
        }
        void notify_capacity(std::size_t slot_count) {
            for (; capacity_known_ < cell_->count; ++capacity_known_)
                if (slot_count != 0)
                    call(capacity_known_, [&](SlotObserver& o) { o.on_capacity(0, static_cast<slot_t>(slot_count)); });
        }
        void erase_each(std::size_t i, Occupancy live) noexcept {
            for (auto slot = static_cast<slot_t>(live.size()); slot-- != 0;)
                if (live.test(slot)) call(i, [&](SlotObserver& o) { o.on_erase(slot); });
        }

        ObserverCell* cell_;
        std::size_t capacity_known_ = 0; // the observers before it were notified of the capacity
    };

    /// on_remove to all, then on_erase to all, in reverse order.
    constexpr void erase(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]] {
            NotifyDynamic::erase(*cell_, slot, [&] { removed_static(slot); });
            erased_static(slot);
        } else
            erase_static(slot);
    }
    /// The halves of erase, for containers that keep removed elements readable for a while.
    constexpr void removed(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]]
            NotifyDynamic::removed(*cell_, cell_->count, slot);
        removed_static(slot);
    }
    template <std::size_t First = 0>
    constexpr void erased(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]]
            NotifyDynamic::erased(*cell_, cell_->count, slot);
        erased_static<First>(slot);
    }
    /// The same for static observers only. @pre !dynamic()
    SLOTWISE_ALWAYS_INLINE constexpr void erase_static([[maybe_unused]] slot_t slot) noexcept {
        if constexpr (sizeof...(Static) != 0) {
            removed_static(slot);
            erased_static(slot);
        }
    }
    constexpr void clear(Occupancy live) noexcept {
        if (dynamic()) NotifyDynamic::clear(*cell_, live);
        clear_static(live);
    }
    constexpr void clear_static(Occupancy live) noexcept {
        each_reversed([&](auto& o) {
            if constexpr (requires { o.on_clear(live); })
                o.on_clear(live);
            else
                live.for_each([&](slot_t slot) {
                    if constexpr (requires { o.on_remove(slot); }) o.on_remove(slot);
                    erase_one(o, slot);
                });
        });
    }
    constexpr void reset() noexcept {
        if (dynamic()) NotifyDynamic::reset(*cell_, cell_->count);
        each_reversed([&](auto& o) {
            if constexpr (requires { o.on_reset(); }) o.on_reset();
        });
    }
    /// The container is about to be destroyed: notifies all observers and detaches the dynamic ones. An observer that attaches
    /// meanwhile is not notified, and detached too.
    constexpr void detach_all() noexcept {
        if (cell_ != nullptr) cell_->exchanging = true;
        reset();
        release_dynamic();
    }
    /// Notifies the dynamic observers of the end of `live`, which are `count` elements that are still readable, and detaches
    /// them. An observer that attaches meanwhile is not notified, and detached too.
    constexpr void detach_dynamic(Occupancy live, std::size_t count) noexcept {
        if (dynamic()) {
            cell_->exchanging = true;
            const std::size_t present = cell_->count;
            if (count != 0) cell_->backward(present, [&](SlotObserver& o) { o.on_clear(live); });
            NotifyDynamic::reset(*cell_, present);
        }
        release_dynamic();
    }

private:
    static constexpr std::size_t none = sizeof...(Static);
    template <std::size_t First, std::size_t Last, class T, class Key>
    static consteval std::size_t index_from(Key) noexcept {
        constexpr bool same[] = {std::is_same_v<decltype(Key{}.template operator()<Static>()), std::type_identity<T>>...,
                                 false};
        std::size_t found = none, times = 0;
        for (std::size_t i = First; i < Last; ++i)
            if (same[i]) {
                found = i;
                ++times;
            }
        return times == 1 ? found : none;
    }
    template <class F>
    constexpr std::size_t least(std::size_t slot_count, F&& f) const noexcept {
        each_of<0, false>(*this, [&](const auto& o) {
            if constexpr (requires { o.capacity_for(slot_count); }) slot_count = f(o) < slot_count ? f(o) : slot_count;
        });
        return slot_count;
    }

    constexpr void release_dynamic() noexcept {
        if (cell_ != nullptr) NotifyDynamic::detach(*std::exchange(cell_, nullptr));
    }
    template <class O>
    static constexpr void take_one(O& mine, O& theirs, Occupancy live, bool may_throw) {
        if constexpr (requires { mine.take_from(theirs, live); }) {
            if (may_throw != noexcept(mine.take_from(theirs, live))) mine.take_from(theirs, live);
        } else if (!may_throw)
            std::swap(mine, theirs);
    }
    template <class Allocator, std::size_t... Nth>
    constexpr ObserverHub(const ObserverHub& other, [[maybe_unused]] const Allocator& alloc, std::index_sequence<Nth...>)
        : static_(make_like(std::get<Nth>(other.static_), alloc)...) {}
    template <std::size_t... Nth, class... With>
    constexpr ObserverHub(const ObserverHub& other, std::index_sequence<Nth...>, [[maybe_unused]] Occupancy live,
                          const With&... alloc)
        : static_(copy(std::get<Nth>(other.static_), live, alloc...)...) {}
    template <class O, class Allocator>
    static constexpr O make_like([[maybe_unused]] const O& other, const Allocator& alloc) {
        if constexpr (requires { O::like(other, alloc); })
            return O::like(other, alloc);
        else
            return make<O>(alloc);
    }
    template <class O, class Allocator>
    static constexpr O copy(const O& other, Occupancy live, const Allocator& alloc) {
        if constexpr (std::is_constructible_v<O, const O&, Occupancy, const Allocator&>)
            return O(other, live, alloc);
        else
            return copy(other, live);
    }
    template <class O>
    static constexpr O copy(const O& other, Occupancy live) {
        if constexpr (std::is_constructible_v<O, const O&, Occupancy>)
            return O(other, live);
        else
            return O(other);
    }
    template <class O, class Allocator>
    static constexpr O make(const Allocator& alloc) {
        if constexpr (std::is_constructible_v<O, const Allocator&>)
            return O(alloc);
        else
            return O();
    }
    // f(observer) for those from First on. By recursion: a pack in a lambda is two functions more for each call.
    template <std::size_t First, bool Reversed, class Hub, class F>
    SLOTWISE_INLINE_UNOPTIMISED static constexpr void each_of([[maybe_unused]] Hub& hub, [[maybe_unused]] F&& f) {
        if constexpr (First != sizeof...(Static)) {
            if constexpr (!Reversed) f(std::get<First>(hub.static_));
            each_of<First + 1, Reversed>(hub, f);
            if constexpr (Reversed) f(std::get<First>(hub.static_));
        }
    }
    template <std::size_t First = 0, class F>
    constexpr void each([[maybe_unused]] F&& f) {
        each_of<First, false>(*this, f);
    }
    template <std::size_t First = 0, class F>
    constexpr void each_reversed([[maybe_unused]] F&& f) noexcept {
        each_of<First, true>(*this, f);
    }
    template <class O>
    static constexpr void erase_one(O& o, slot_t slot) noexcept {
        if constexpr (requires { o.on_erase(slot); }) o.on_erase(slot);
    }

    constexpr void removed_static([[maybe_unused]] slot_t slot) noexcept {
        each_reversed([&](auto& o) {
            if constexpr (requires { o.on_remove(slot); }) o.on_remove(slot);
        });
    }
    template <std::size_t First = 0>
    constexpr void erased_static([[maybe_unused]] slot_t slot) noexcept {
        each_reversed<First>([&](auto& o) { erase_one(o, slot); });
    }

    // The recursion holds one rollback guard for each static observer already notified.
    template <std::size_t Nth>
    constexpr void insert_from(slot_t slot, InsertKind kind) {
        if constexpr (Nth == sizeof...(Static)) {
            if (dynamic()) [[unlikely]]
                NotifyDynamic::insert(*cell_, slot, kind);
        } else {
            auto& o = std::get<Nth>(static_);
            if constexpr (requires { o.on_insert(slot, kind); }) o.on_insert(slot, kind);
            ScopeGuard undo([&]() noexcept { erase_one(o, slot); });
            insert_from<Nth + 1>(slot, kind);
            undo.dismiss();
        }
    }

    SLOTWISE_NO_UNIQUE_ADDRESS std::tuple<Static...> static_{};
    ObserverCell* cell_ = nullptr;
};

} // namespace detail

SLOTWISE_END

#endif
