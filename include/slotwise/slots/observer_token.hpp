// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// BasicObserverToken: keeps an observer attached. And the list of those who are attached to one container or series.
#ifndef SLOTWISE_SLOTS_OBSERVER_TOKEN_HPP
#define SLOTWISE_SLOTS_OBSERVER_TOKEN_HPP

#include "../fwd.hpp"
#include "../memory/allocator.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Base of what is attached. At level debug it counts its attachments, so that one that dies attached ends the program there,
/// and not at the next event. (At the other levels it is empty; the level is part of the ABI namespace.)
/// @tparam Observer the class derived from it, so that one may be an observer of two kinds
template <class Observer>
class Attachable {
#if SLOTWISE_CHECK_LEVEL >= 2
protected:
    constexpr Attachable() noexcept = default;
    constexpr Attachable(const Attachable&) noexcept {} // attached is the original
    constexpr Attachable& operator=(const Attachable&) noexcept { return *this; }
    constexpr ~Attachable() {
        SLOTWISE_EXPECT_DEBUG(attachments_ == 0,
                              "observer: it dies while it is attached; its token must die or detach() before");
    }

private:
    template <class, class>
    friend struct BasicObserverCell;
    std::size_t attachments_ = 0;
#endif
};

/// Those who hear of one container, on the heap so that moving the container moves a pointer, and shared with the tokens so
/// that either may die first. A token knows its place in the list and the list knows the token, so that attaching, detaching
/// and moving one is O(1), amortised: what is detached leaves a null behind, and the list is compacted when the nulls outnumber
/// the rest.
/// @tparam Observer SlotObserver, or what else is told of something
/// @tparam Entry a pointer to one, or a struct that converts to it and is made of it
template <class Observer, class Entry = Observer*>
struct BasicObserverCell {
    using Token = BasicObserverToken<Observer, Entry>;

    FlatArray<Entry, std::allocator<std::byte>> list{};
    FlatArray<Token*, std::allocator<std::byte>> tokens{}; // apart, because a notification reads the list alone
    std::size_t count = 0;                                 // entries in use, nulls included
    std::size_t nulls = 0;
    std::size_t owners = 1;  // the container and the tokens
    std::size_t depth = 0;   // notifications running
    bool exchanging = false; // an observer that attaches now is told of the new contents later, with all others

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
    /// Another observer takes the place of the one there.
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
    /// As if its token were gone.
    void detach_at(std::size_t place) noexcept {
        tokens[place]->place_ = static_cast<std::size_t>(-1);
        remove(place);
    }
    constexpr void sweep() noexcept {
        if (depth != 0 || exchanging) return;
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
    /// The container is gone, or takes other contents: the tokens that are left keep nobody.
    constexpr void detach_all() noexcept {
#if SLOTWISE_CHECK_LEVEL >= 2
        for (std::size_t i = 0; i != count; ++i) count_attachment(list[i], false);
#endif
        count = nulls = 0;
    }
    static constexpr void release(BasicObserverCell* cell) noexcept {
        if (cell != nullptr && --cell->owners == 0) delete cell;
    }

    /// While one lives, positions in the list stay as they are: an observer that detaches leaves a null behind.
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

private:
    static constexpr void count_attachment([[maybe_unused]] const Entry& entry, [[maybe_unused]] bool more) noexcept {
#if SLOTWISE_CHECK_LEVEL >= 2
        if constexpr (std::is_base_of_v<Attachable<Observer>, Observer>)
            if (Observer* const observer = entry; observer != nullptr)
                static_cast<Attachable<Observer>*>(observer)->attachments_ += more ? 1u : std::size_t{0} - 1u;
#endif
    }
};

} // namespace detail

/// Keeps an observer attached; detaches it when it dies. Move-only. Valid when the container moves, and harmless when the
/// container is gone. ObserverToken is the one of slot observers, Subscription that of series.
template <class Observer, class Entry>
class BasicObserverToken {
    using Cell = detail::BasicObserverCell<Observer, Entry>;

public:
    BasicObserverToken() noexcept = default;
    /// For containers: enters `observer` in the list of `cell`. @throws std::bad_alloc; nothing has changed then
    BasicObserverToken(Cell& cell, Observer& observer) : place_(cell.add(observer, *this)), cell_(&cell), observer_(&observer) {
        ++cell.owners;
    }
    BasicObserverToken(BasicObserverToken&& other) noexcept { swap(other); }
    BasicObserverToken& operator=(BasicObserverToken&& other) noexcept {
        BasicObserverToken(std::move(other)).swap(*this);
        return *this;
    }
    ~BasicObserverToken() { detach(); }

    /// Whether the observer still hears of a container.
    bool attached() const noexcept { return cell_ != nullptr && place_ < cell_->count; }
    /// The observer hears nothing more. It is not told. Allowed inside a notification. @complexity amortised O(1)
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
    void replace_observer(Observer& observer) noexcept {
        // The first is for the analyser of clang, which asks it again.
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
