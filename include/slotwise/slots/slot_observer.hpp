// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// SlotObserver: how columns follow a directory. Static observers are named as template arguments and called inline; dynamic
// ones derive from SlotObserver and are attached at run time. Both see the same events in the same order.
#ifndef SLOTWISE_SLOTS_SLOT_OBSERVER_HPP
#define SLOTWISE_SLOTS_SLOT_OBSERVER_HPP

#include "../core/concepts.hpp"
#include "../core/scope_guard.hpp"
#include "../memory/occupancy.hpp"

#include <tuple>

SLOTWISE_BEGIN

/// What a dynamic observer derives from. A static observer has any of these functions with these names, and no base.
///
/// Construct-type events (on_capacity, on_insert) run in attach order, destroy-type events in reverse; static observers count as
/// attached first, in the order of the template arguments. An observer must not change the container that is notifying;
/// it may attach and detach observers, itself too.
class SlotObserver {
public:
    /// Slots from now on; told before any new slot is used. May throw when it grows: then nothing has changed. Must not throw when
    /// new_slots < old_slots (shrink_to_fit).
    virtual void on_capacity([[maybe_unused]] slot_t old_slots, [[maybe_unused]] slot_t new_slots) {}
    /// The value of `slot` was built; the handle is issued after every observer has agreed. May throw: those already told
    /// get on_erase in reverse order and the insert is rolled back.
    virtual void on_insert([[maybe_unused]] slot_t slot, [[maybe_unused]] InsertKind kind) {}
    /// No longer live; value and every column still intact.
    virtual void on_remove([[maybe_unused]] slot_t slot) noexcept {}
    /// Last look before destruction; the slot may be reused after it.
    virtual void on_erase([[maybe_unused]] slot_t slot) noexcept {}
    /// All of exactly these slots are removed and erased.
    virtual void on_clear(Occupancy slots) noexcept {
        slots.for_each([this](slot_t slot) { on_remove(slot), on_erase(slot); });
    }
    /// Everything is physically gone, capacity too.
    virtual void on_reset() noexcept {}

protected:
    SlotObserver() = default;
    SlotObserver(const SlotObserver&) = default;
    SlotObserver& operator=(const SlotObserver&) = default;
    ~SlotObserver() = default; // never deleted through the base
};

namespace detail {

/// Those who hear of one container, on the heap so that moving the container moves a pointer, and shared with the tokens
/// so that either may die first. A detached entry becomes null while a notification runs and is swept after it.
/// @tparam Observer SlotObserver, or what else is told of something
/// @tparam Entry a pointer to one, or a struct that converts to it and is made of it
template <class Observer, class Entry = Observer*>
struct BasicObserverCell {
    FlatArray<Entry, std::allocator<std::byte>> list{};
    std::size_t count = 0;  // entries in use, nulls included
    std::size_t owners = 1; // the container and the tokens
    std::size_t depth = 0;  // notifications running
    bool swept = true;

    void add(Observer& observer) {
        if (count == list.size()) {
            auto more = list.resized(count == 0 ? 4 : 2 * count, Entry{nullptr});
            list.swap(more);
        }
        list[count++] = Entry{&observer};
    }
    void remove(const Observer* observer) noexcept {
        for (std::size_t i = 0; i != count; ++i)
            if (list[i] == observer) {
                list[i] = Entry{nullptr};
                swept = false;
                break;
            }
        sweep();
    }
    constexpr void sweep() noexcept {
        if (depth != 0 || swept) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i != count; ++i)
            if (list[i] != nullptr) list[kept++] = list[i];
        count = kept;
        swept = true;
    }
    static constexpr void release(BasicObserverCell* cell) noexcept {
        if (cell != nullptr && --cell->owners == 0) delete cell;
    }

    /// While one lives, positions in the list stay as they are: who detaches leaves a null behind.
    class Notification {
    public:
        constexpr explicit Notification(BasicObserverCell& cell) noexcept : cell_(cell) { ++cell.depth; }
        Notification(const Notification&) = delete;
        Notification& operator=(const Notification&) = delete;
        constexpr ~Notification() {
            --cell_.depth;
            cell_.sweep();
        }

    private:
        BasicObserverCell& cell_;
    };

    template <class F>
    void forward(F&& f) {
        const Notification running(*this);
        for (std::size_t i = 0; i < count; ++i) // count is read each time: one attached during the event hears of it
            if (list[i] != nullptr) f(*list[i], i);
    }
    template <class F>
    void backward(std::size_t from, F&& f) noexcept {
        const Notification running(*this);
        for (std::size_t i = from; i-- != 0;)
            if (list[i] != nullptr) f(*list[i]);
    }
};

using ObserverCell = BasicObserverCell<SlotObserver>;

} // namespace detail

/// Keeps an observer attached; detaches it when it dies. Move-only. Valid when the container moves, and harmless when the container is
/// gone. ObserverToken is the one of slot observers, Subscription that of series.
template <class Observer, class Entry>
class BasicObserverToken {
    using Cell = detail::BasicObserverCell<Observer, Entry>;

public:
    BasicObserverToken() noexcept = default;
    /// For containers: keeps `observer` in the list of `cell`.
    BasicObserverToken(Cell* cell, Observer* observer) noexcept : cell_(cell), observer_(observer) { ++cell->owners; }
    BasicObserverToken(BasicObserverToken&& other) noexcept
        : cell_(std::exchange(other.cell_, nullptr)), observer_(std::exchange(other.observer_, nullptr)) {}
    BasicObserverToken& operator=(BasicObserverToken&& other) noexcept {
        BasicObserverToken(std::move(other)).swap(*this);
        return *this;
    }
    ~BasicObserverToken() { detach(); }

    /// Whether the observer still hears of a container.
    bool attached() const noexcept { return entry() != nullptr; }
    /// The observer hears nothing more. It is not told. Allowed inside a notification.
    void detach() noexcept {
        if (cell_ == nullptr) return;
        cell_->remove(observer_);
        Cell::release(std::exchange(cell_, nullptr));
    }
    /// The two observers exchange what they are attached to: for swapping and moving observers.
    static void exchange(BasicObserverToken& a, Observer& observer_a, BasicObserverToken& b, Observer& observer_b) noexcept {
        Entry* const in_a = a.entry();
        Entry* const in_b = b.entry();
        if (in_a != nullptr) *in_a = Entry{&observer_b};
        if (in_b != nullptr) *in_b = Entry{&observer_a};
        a.observer_ = &observer_b;
        b.observer_ = &observer_a;
        a.swap(b);
    }
    void swap(BasicObserverToken& other) noexcept {
        std::swap(cell_, other.cell_);
        std::swap(observer_, other.observer_);
    }

private:
    Entry* entry() const noexcept {
        for (std::size_t i = 0; cell_ != nullptr && i != cell_->count; ++i)
            if (cell_->list[i] == observer_) return &cell_->list[i];
        return nullptr;
    }

    Cell* cell_ = nullptr;
    Observer* observer_ = nullptr;
};

namespace detail {

/// Whether a static observer's on_insert can throw; one that has none cannot.
template <class O>
inline constexpr bool insert_hook_throws = [] {
    if constexpr (requires(O& o) { o.on_insert(slot_t{}, InsertKind::fresh); })
        return !noexcept(std::declval<O&>().on_insert(slot_t{}, InsertKind::fresh));
    else
        return false;
}();

/// Whether a static observer is a plain column (it has a value_type, whose destructor does nothing) or has no hooks at all. Any other
/// may look at the container, or destroy values that enter it again, and must find it as a dynamic one would; unless it declares
/// is_quiet: that its hooks look at nothing but itself, run no code of users, and cannot throw.
template <class O>
inline constexpr bool is_quiet = [] {
    if constexpr (requires { typename O::is_quiet; })
        return true;
    else if constexpr (requires { typename O::value_type; })
        return std::is_trivially_destructible_v<typename O::value_type>;
    else
        return !requires(O& o) { o.on_insert(slot_t{}, InsertKind::fresh); } && !requires(O& o) { o.on_remove(slot_t{}); } &&
               !requires(O& o) { o.on_erase(slot_t{}); };
}();

/// All observers of one container: the static ones as members, the dynamic ones behind one pointer. An absent hook costs
/// nothing; no dynamic observer costs one predictable branch.
template <class... Static>
class ObserverHub {
public:
    static constexpr bool nothrow_insert = (!insert_hook_throws<Static> && ... && true);
    static constexpr bool quiet = (is_quiet<Static> && ... && true);

    constexpr ObserverHub() = default;
    template <class Allocator>
    constexpr explicit ObserverHub(const Allocator& alloc) : static_(make<Static>(alloc)...) {}
    /// Empty columns of the kind that `other` has: those of run-time described types take the description over.
    template <class Allocator>
    static constexpr ObserverHub like([[maybe_unused]] const ObserverHub& other, const Allocator& alloc) {
        return ObserverHub(other, alloc, std::index_sequence_for<Static...>{});
    }
    /// Copies the static observers, which learn the live slots if they ask for them; a copy has no dynamic ones.
    constexpr ObserverHub(const ObserverHub& other, Occupancy live)
        : static_(std::apply([&](const auto&... o) { return std::tuple<Static...>(copy(o, live)...); }, other.static_)) {}
    /// The same into memory of `alloc`, for those that take one.
    template <class Allocator>
    constexpr ObserverHub(const ObserverHub& other, Occupancy live, const Allocator& alloc)
        : static_(std::apply([&](const auto&... o) { return std::tuple<Static...>(copy(o, live, alloc)...); }, other.static_)) {
    }
    /// Columns into this hub's memory, value by value, in two phases: those that may throw (they copy), then the others. Observers
    /// that are no such columns are exchanged. @pre this hub was told the capacity
    constexpr void take_from(ObserverHub& other, Occupancy live, bool may_throw) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (take_one(std::get<I>(static_), std::get<I>(other.static_), live, may_throw), ...);
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

    template <std::size_t I>
    constexpr auto& get() noexcept {
        return std::get<I>(static_);
    }
    template <std::size_t I>
    constexpr const auto& get() const noexcept {
        return std::get<I>(static_);
    }
    constexpr bool dynamic() const noexcept { return cell_ != nullptr && cell_->count != 0; }
    constexpr bool notifying() const noexcept { return cell_ != nullptr && cell_->depth != 0; }

    /// Attaches and replays: capacity, then every slot of `live` for which is_live(slot) (a clear that runs still lists the slots
    /// it will destroy). @throws what the observer throws; it is not attached then
    template <class IsLive>
    ObserverToken attach(SlotObserver& observer, std::size_t capacity, Occupancy live, IsLive&& is_live) {
        if (cell_ == nullptr) cell_ = new ObserverCell;
        cell_->add(observer);
        ObserverToken token(cell_, &observer);
        if (capacity != 0) observer.on_capacity(0, static_cast<slot_t>(capacity));
        build_each(
            live,
            [&](slot_t slot) {
                if (is_live(slot)) observer.on_insert(slot, InsertKind::fresh);
            },
            [&](slot_t slot) {
                if (is_live(slot)) observer.on_erase(slot);
            });
        return token;
    }

    constexpr void capacity(std::size_t old_slots, std::size_t new_slots) {
        const auto before = static_cast<slot_t>(old_slots), after = static_cast<slot_t>(new_slots);
        each([&](auto& o) {
            if constexpr (requires { o.on_capacity(before, after); }) o.on_capacity(before, after);
        });
        if (dynamic()) [[unlikely]]
            cell_->forward([&](SlotObserver& o, std::size_t) { o.on_capacity(before, after); });
    }

    /// Tells everyone of an insert; if one throws, those told get on_erase in reverse order.
    /// @tparam First the static observers before it know already: a map builds the value in its first column itself
    template <std::size_t First = 0>
    constexpr void insert(slot_t slot, InsertKind kind) {
        insert_from<First>(slot, kind);
    }
    /// Tells everyone that a removed element's slot lives again. If one throws, nobody is told anything more: the caller ends the
    /// element for all of them.
    template <std::size_t First>
    constexpr void resurrect(slot_t slot) {
        each<First>([&](auto& o) {
            if constexpr (requires { o.on_insert(slot, InsertKind::resurrected); }) o.on_insert(slot, InsertKind::resurrected);
        });
        if (dynamic()) [[unlikely]]
            cell_->forward([&](SlotObserver& o, std::size_t) { o.on_insert(slot, InsertKind::resurrected); });
    }

    /// Tells the static observers, none of which can throw. @pre nothrow_insert and !dynamic()
    template <std::size_t First = 0>
    constexpr void insert_nothrow(slot_t slot) noexcept {
        each<First>([&](auto& o) {
            if constexpr (requires { o.on_insert(slot, InsertKind::fresh); }) o.on_insert(slot, InsertKind::fresh);
        });
    }

    /// What late attaching does: tells all observers of every live slot; the dynamic ones of the capacity too (unless it is 0).
    /// @throws what an observer throws; those told of inserts are told of their erase then
    template <std::size_t First = 0>
    constexpr void replay(Occupancy live) {
        build_each(
            live, [this](slot_t slot) { insert<First>(slot, InsertKind::fresh); },
            [this](slot_t slot) { erased<First>(slot); });
    }
    void replay_dynamic(std::size_t slots, Occupancy live) {
        if (slots != 0) cell_->forward([&](SlotObserver& o, std::size_t) { o.on_capacity(0, static_cast<slot_t>(slots)); });
        build_each(
            live, [this](slot_t slot) { insert_dynamic(slot, InsertKind::fresh); },
            [this](slot_t slot) { cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_erase(slot); }); });
    }

    constexpr void removed_dynamic(slot_t slot) noexcept {
        if (dynamic()) cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_remove(slot); });
    }

    /// on_remove to all, then on_erase to all, in reverse order.
    constexpr void erase(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]] {
            // One notification with two halves: who attaches in the first is not told of the slot, so not of its erase either.
            const ObserverCell::Notification both(*cell_);
            const std::size_t told = cell_->count;
            cell_->backward(told, [&](SlotObserver& o) { o.on_remove(slot); });
            removed_static(slot);
            cell_->backward(told, [&](SlotObserver& o) { o.on_erase(slot); });
            erased_static(slot);
        } else
            erase_static(slot);
    }
    /// The halves of erase, for containers that keep removed elements readable for a while.
    constexpr void removed(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]]
            cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_remove(slot); });
        removed_static(slot);
    }
    template <std::size_t First = 0>
    constexpr void erased(slot_t slot) noexcept {
        if (dynamic()) [[unlikely]]
            cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_erase(slot); });
        erased_static<First>(slot);
    }
    /// The same for static observers alone. @pre !dynamic()
    constexpr void erase_static(slot_t slot) noexcept {
        removed_static(slot);
        erased_static(slot);
    }
    constexpr void clear(Occupancy live) noexcept {
        clear_dynamic(live);
        clear_static(live);
    }
    constexpr void clear_dynamic(Occupancy live) noexcept {
        if (dynamic()) cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_clear(live); });
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
    constexpr void reset_dynamic() noexcept {
        if (dynamic()) cell_->backward(cell_->count, [&](SlotObserver& o) { o.on_reset(); });
    }
    constexpr void reset() noexcept {
        reset_dynamic();
        each_reversed([&](auto& o) {
            if constexpr (requires { o.on_reset(); }) o.on_reset();
        });
    }
    /// The container is about to die or to take other contents: everyone is told, dynamic observers are let go.
    constexpr void let_go() noexcept {
        reset();
        forget_dynamic();
    }
    /// Dynamic observers hear of the end of `live`, of which there are `count`, while it can still be looked at, and are let go.
    constexpr void let_dynamic_go(Occupancy live, std::size_t count) noexcept {
        if (count != 0) clear_dynamic(live);
        reset_dynamic();
        forget_dynamic();
    }

private:
    constexpr void forget_dynamic() noexcept {
        if (cell_ == nullptr) return;
        cell_->count = 0;
        ObserverCell::release(std::exchange(cell_, nullptr));
    }
    template <class O>
    static constexpr void take_one(O& mine, O& theirs, Occupancy live, bool may_throw) {
        if constexpr (requires { mine.take_from(theirs, live); }) {
            if (may_throw != noexcept(mine.take_from(theirs, live))) mine.take_from(theirs, live);
        } else if (!may_throw)
            std::swap(mine, theirs);
    }
    template <class Allocator, std::size_t... I>
    constexpr ObserverHub(const ObserverHub& other, [[maybe_unused]] const Allocator& alloc, std::index_sequence<I...>)
        : static_(make_like(std::get<I>(other.static_), alloc)...) {}
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
    template <std::size_t First = 0, class F>
    constexpr void each([[maybe_unused]] F&& f) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (f(std::get<First + I>(static_)), ...);
        }(std::make_index_sequence<sizeof...(Static) - First>{});
    }
    template <std::size_t First = 0, class F>
    constexpr void each_reversed([[maybe_unused]] F&& f) noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (f(std::get<sizeof...(Static) - 1 - I>(static_)), ...);
        }(std::make_index_sequence<sizeof...(Static) - First>{});
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

    // Recursion holds one rollback guard for each static observer already told.
    template <std::size_t I>
    constexpr void insert_from(slot_t slot, InsertKind kind) {
        if constexpr (I == sizeof...(Static)) {
            if (dynamic()) [[unlikely]]
                insert_dynamic(slot, kind);
        } else {
            auto& o = std::get<I>(static_);
            if constexpr (requires { o.on_insert(slot, kind); }) o.on_insert(slot, kind);
            ScopeGuard undo([&]() noexcept { erase_one(o, slot); });
            insert_from<I + 1>(slot, kind);
            undo.dismiss();
        }
    }
    SLOTWISE_NEVER_INLINE void insert_dynamic(slot_t slot, InsertKind kind) {
        std::size_t told = 0;
        const ObserverCell::Notification until_undone(*cell_); // told counts positions: they must outlive the walk
        ScopeGuard undo([&]() noexcept { cell_->backward(told, [&](SlotObserver& o) { o.on_erase(slot); }); });
        cell_->forward([&](SlotObserver& o, std::size_t i) {
            told = i;
            o.on_insert(slot, kind);
        });
        undo.dismiss();
    }

    SLOTWISE_NO_UNIQUE_ADDRESS std::tuple<Static...> static_{};
    ObserverCell* cell_ = nullptr;
};

} // namespace detail
SLOTWISE_END

#endif
