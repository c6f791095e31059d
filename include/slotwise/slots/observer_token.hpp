// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BasicObserverToken: keeps an observer attached. BasicObserverCell: the observers attached to one container or series.
#ifndef SLOTWISE_SLOTS_OBSERVER_TOKEN_HPP
#define SLOTWISE_SLOTS_OBSERVER_TOKEN_HPP

#include "../fwd.hpp"
#include "../memory/allocator.hpp"

SLOTWISE_BEGIN
namespace detail {
template <class... Static>
class ObserverHub;

/// A base of observers. At level debug it counts the attachments, so that destroying an attached observer ends the program at
/// once, and not at the next event. (It is empty at the other levels. The level is part of the ABI namespace. As a member it
/// would have bytes in Microsoft's ABI, whatever its attribute.)
class AttachmentCount {
#if SLOTWISE_CHECK_LEVEL >= 2
public:
    constexpr AttachmentCount() noexcept = default;
    constexpr AttachmentCount(const AttachmentCount&) noexcept {} // the original stays attached
    constexpr AttachmentCount& operator=(const AttachmentCount&) noexcept { return *this; }
    constexpr ~AttachmentCount() {
        SLOTWISE_EXPECT_DEBUG(count_ == 0,
                              "observer: it is destroyed while it is attached; destroy or detach() its token before");
    }
    constexpr void change(bool more) noexcept { count_ += more ? 1u : std::size_t{0} - 1u; }

private:
    std::size_t count_ = 0;
#endif
};

/// The observers of one container. It lies on the heap, so that moving the container moves a pointer. The tokens share it, so
/// that either may be destroyed first. A token knows its place in the list, and the list knows the token, so that attaching,
/// detaching and moving are amortised O(1). A detached observer leaves a null. The list is compacted when the nulls outnumber
/// the rest.
/// @tparam Observer SlotObserver, SeriesSubscriber
/// @tparam Entry a pointer to an observer, or a struct that is made of one and converts to it
template <class Observer, class Entry = Observer*>
struct BasicObserverCell {
    using Token = BasicObserverToken<Observer, Entry>;

    FlatArray<Entry, std::allocator<std::byte>> list{};
    FlatArray<Token*, std::allocator<std::byte>> tokens{}; // a separate array, because a notification reads only the list
    std::size_t count = 0;                                 // entries in use, nulls included
    std::size_t nulls = 0;
    std::size_t owners = 1;  // the container and the tokens
    std::size_t depth = 0;   // notifications running
    bool exchanging = false; // an observer that attaches now is notified of the new contents later, with the others

    /// Bytes of the cell itself too, which lies on the heap.
    std::size_t memory_usage() const noexcept { return sizeof *this + list.memory_usage() + tokens.memory_usage(); }

    /// Returns the place in the list. @throws std::bad_alloc; nothing has changed then
    std::size_t add(Observer& observer, Token& token) {
        if (count == list.size()) {
            const std::size_t room = count == 0 ? 4 : 2 * count;
            auto more = list.resized(room, Entry{nullptr});
            auto more_tokens = tokens.resized(room, nullptr);
            list.swap(more);
            tokens.swap(more_tokens);
        }
        list[count] = Entry{&observer};
        tokens[count] = &token;
        count_attachment(list[count], true);
        return count++;
    }
    /// Replaces the observer at this place.
    constexpr void replace(std::size_t place, Observer& observer) noexcept {
        count_attachment(list[place], false);
        list[place] = Entry{&observer};
        count_attachment(list[place], true);
    }
    /// @pre an observer is there
    constexpr void remove(std::size_t place) noexcept {
        count_attachment(list[place], false);
        list[place] = Entry{nullptr};
        ++nulls;
        sweep();
    }
    /// Detaches the observer. Its token is detached too.
    void detach_at(std::size_t place) noexcept {
        tokens[place]->place_ = static_cast<std::size_t>(-1);
        remove(place);
    }
    constexpr void sweep() noexcept {
        if (nulls != 0 && depth == 0 && !exchanging) compact();
    }
    /// Out of line, because every notification ends with it.
    SLOTWISE_NEVER_INLINE constexpr void compact() noexcept {
        for (; count != 0 && list[count - 1] == nullptr; --nulls) --count;
        if (2 * nulls <= count) return;
        std::size_t kept = 0;
        for (std::size_t i = 0; i != count; ++i) {
            if (list[i] == nullptr) continue;
            list[kept] = list[i];
            tokens[kept] = tokens[i];
            tokens[kept]->place_ = kept;
            ++kept;
        }
        count = kept;
        nulls = 0;
    }
    /// Detaches all observers: the container is destroyed or takes other contents.
    constexpr void detach_all() noexcept {
#if SLOTWISE_CHECK_LEVEL >= 2
        for (std::size_t i = 0; i != count; ++i) count_attachment(list[i], false);
#endif
        count = nulls = 0;
    }
    static constexpr void release(BasicObserverCell* cell) noexcept {
        if (cell != nullptr) release_one(*cell);
    }
    SLOTWISE_NEVER_INLINE static constexpr void release_one(BasicObserverCell& cell) noexcept {
        if (--cell.owners == 0) delete &cell;
    }

    /// While a Notification exists, positions in the list do not change: a detached observer leaves a null.
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
        for (std::size_t i = 0; i < count;
             ++i) // count is read each time: an observer attached during the event is notified too
            if (list[i] != nullptr) f(*list[i], i);
    }
    template <class F>
    void backward(std::size_t from, F&& f) noexcept {
        const Notification running(*this);
        for (std::size_t i = from; i-- != 0;)
            if (list[i] != nullptr) f(*list[i]);
    }

private:
    static constexpr void count_attachment([[maybe_unused]] const Entry& entry, [[maybe_unused]] bool more) noexcept {
#if SLOTWISE_CHECK_LEVEL >= 2
        if constexpr (requires(Observer& observer) { observer.attachments(); })
            if (Observer* const observer = entry; observer != nullptr) observer->attachments().change(more);
#endif
    }
};

} // namespace detail

/// Keeps an observer attached until the token is destroyed. Move-only. Stays valid when the container moves or is destroyed.
/// ObserverToken is the token of slot observers, Subscription that of series.
template <class Observer, class Entry>
class BasicObserverToken {
    using Cell = detail::BasicObserverCell<Observer, Entry>;

public:
    BasicObserverToken() noexcept = default;
    /// For containers: adds `observer` to the list of `cell`. @throws std::bad_alloc; nothing has changed then
    BasicObserverToken(Cell& cell, Observer& observer) : place_(cell.add(observer, *this)), cell_(&cell), observer_(&observer) {
        ++cell.owners;
    }
    BasicObserverToken(BasicObserverToken&& other) noexcept { swap(other); }
    BasicObserverToken& operator=(BasicObserverToken&& other) noexcept {
        BasicObserverToken(std::move(other)).swap(*this);
        return *this;
    }
    ~BasicObserverToken() { detach(); }

    /// Whether the observer is attached to a container.
    bool attached() const noexcept { return cell_ != nullptr && place_ < cell_->count; }
    /// Detaches the observer without notifying it. Allowed inside a notification. @complexity amortised O(1)
    void detach() noexcept {
        if (cell_ == nullptr) return;
        if (attached()) cell_->remove(place_);
        Cell::release(std::exchange(cell_, nullptr));
    }
    /// The two observers exchange what they are attached to: for swapping and moving observers. @complexity O(1)
    static void exchange(BasicObserverToken& a, Observer& observer_a, BasicObserverToken& b, Observer& observer_b) noexcept {
        a.replace_observer(observer_b);
        b.replace_observer(observer_a);
        a.swap(b);
    }
    void swap(BasicObserverToken& other) noexcept {
        std::swap(place_, other.place_);
        std::swap(cell_, other.cell_);
        std::swap(observer_, other.observer_);
        update_place();
        other.update_place();
    }

private:
    friend Cell;
    template <class... Static>
    friend class detail::ObserverHub;
    void replace_observer(Observer& observer) noexcept {
        // The first test is for clang's analyser.
        if (cell_ != nullptr && attached()) cell_->replace(place_, observer);
        observer_ = &observer;
    }
    void update_place() noexcept {
        if (attached()) cell_->tokens[place_] = this;
    }

    std::size_t place_ = 0; // in the list
    Cell* cell_ = nullptr;
    Observer* observer_ = nullptr; // what debuggers show
};

SLOTWISE_END

#endif
