// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Exportable: a container that shares its memory with exports, and can be written only while none uses it.
#ifndef SLOTWISE_ARROW_EXPORTABLE_HPP
#define SLOTWISE_ARROW_EXPORTABLE_HPP

#include "options.hpp"

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

SLOTWISE_BEGIN

/// Owns a container of type C and counts its pins. An export that shares the container's memory pins it. As long as there is a
/// pin, write() does not give access to the container, because a reader of the export could not notice a change.
///     Exportable<SlotMap<double>> prices;
///     export_stream(prices.pin(), &stream);                     // shares pages; stream and batches hold the pin
///     if (SlotMap<double>* const map = prices.write()) ...      // null as long as they live
/// Several threads may use const functions at once; anything else needs one thread at a time. Any thread may destroy a pin.
template <class C>
class Exportable {
    struct State {
        C container{};
        std::atomic<std::size_t> pins{0};
        State() = default;
        explicit State(C&& from) : container(std::move(from)) {}
        explicit State(const C& from) : container(from) {}
    };

public:
    /// What it owns.
    using container_type = C;

    /// An empty container. @throws what its constructor and allocation throw
    Exportable()
        requires std::default_initializable<C>
        : state_(std::make_shared<State>()) {}
    /// Takes over a container. @throws what its move and allocation throw
    explicit Exportable(C&& container) : state_(std::make_shared<State>(std::move(container))) {}
    /// Moves the container and keeps its pins. `other` can only be assigned or destroyed then.
    Exportable(Exportable&& other) noexcept = default;
    Exportable& operator=(Exportable&& other) noexcept = default;
    Exportable(const Exportable&) = delete;
    Exportable& operator=(const Exportable&) = delete;
    ~Exportable() = default;

    /// The container for reading.
    const C& read() const noexcept { return state_->container; }
    /// The container for writing, until the next pin(); null while it is pinned. With OnWrite::detach a pinned container is
    /// replaced by a copy, and the pins keep the old one. The copy has the same slots and handles, but other addresses, and no
    /// observers or subscribers.
    /// @throws with OnWrite::detach: what copying throws; strong; it takes O(1), or as long as a copy
    /// @invalidates addresses, when it detaches
    C* write(OnWrite policy = OnWrite::refuse) {
        if (pinned()) {
            if (policy == OnWrite::refuse) return nullptr;
            state_ = std::make_shared<State>(std::as_const(state_->container));
        }
        return &state_->container;
    }
    /// Shares the container. As long as the result or a copy of it lives, the container is pinned and stays alive, even after
    /// this object has died. @throws std::bad_alloc; strong
    std::shared_ptr<const C> pin() const {
        // Relaxed, because callers synchronise pin() with write(). If there is no memory for the shared_ptr, it calls the
        // deleter.
        state_->pins.fetch_add(1, std::memory_order_relaxed);
        return {&state_->container,
                [state = state_](const C*) noexcept { state->pins.fetch_sub(1, std::memory_order_release); }};
    }
    /// Whether there is a pin. After `false`, all reads through former pins happen before later writes.
    bool pinned() const noexcept { return state_->pins.load(std::memory_order_acquire) != 0; }

private:
    std::shared_ptr<State> state_;
};

SLOTWISE_END

#endif
