// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Exportable: a container that shares its memory with exports, and is written only while it does not.
#ifndef SLOTWISE_ARROW_EXPORTABLE_HPP
#define SLOTWISE_ARROW_EXPORTABLE_HPP

#include "options.hpp"

#include <atomic>
#include <concepts>
#include <memory>
#include <utility>

SLOTWISE_BEGIN

/// Owns a container of type C, and counts who refers to it. What shares the container's memory cannot see that it is written,
/// so the container is handed out for that only while nobody does.
///     Exportable<SlotMap<double>> prices;
///     export_stream(prices.pin(), &stream);                     // shares pages; stream and batches hold the pin
///     if (SlotMap<double>* const map = prices.write()) ...      // null as long as they live
/// One thread may use it at a time, and readers beside each other. Pins are given back by any thread.
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
    /// Leaves `other` to be assigned or destroyed. Pins stay valid.
    Exportable(Exportable&& other) noexcept = default;
    Exportable& operator=(Exportable&& other) noexcept = default;
    Exportable(const Exportable&) = delete;
    Exportable& operator=(const Exportable&) = delete;
    ~Exportable() = default;

    /// The container, to be read.
    const C& read() const noexcept { return state_->container; }
    /// The container, to be written until the next pin(); null while it is pinned. With OnWrite::detach it is then copied, and
    /// the pins keep what was there: slots and handles are the same in the copy, addresses, observers and subscribers are not.
    /// @throws with OnWrite::detach: what copying throws; strong; it takes O(1), or as long as a copy
    /// @invalidates addresses, when it detaches
    C* write(OnWrite policy = OnWrite::refuse) {
        if (pinned()) {
            if (policy == OnWrite::refuse) return nullptr;
            state_ = std::make_shared<State>(std::as_const(state_->container));
        }
        return &state_->container;
    }
    /// Shares the container: as long as the result or a copy of it lives, write() does not hand it out. It keeps the container
    /// alive, also longer than this. @throws std::bad_alloc; strong
    std::shared_ptr<const C> pin() const {
        // Relaxed: who pins is who writes, or is in step with it. If there is no memory, the deleter is called.
        state_->pins.fetch_add(1, std::memory_order_relaxed);
        return {&state_->container,
                [state = state_](const C*) noexcept { state->pins.fetch_sub(1, std::memory_order_release); }};
    }
    /// Whether someone shares the container. What they have read comes before what is written after a `false`.
    bool pinned() const noexcept { return state_->pins.load(std::memory_order_acquire) != 0; }

private:
    std::shared_ptr<State> state_;
};

SLOTWISE_END

#endif
