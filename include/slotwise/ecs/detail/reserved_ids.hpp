// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What a store and its command buffers share: ids that are taken before the index may change, and whether the store lives.
#ifndef SLOTWISE_ECS_DETAIL_RESERVED_IDS_HPP
#define SLOTWISE_ECS_DETAIL_RESERVED_IDS_HPP

#include "../../core/handle.hpp"
#include "../../core/scope_guard.hpp"
#include "../../memory/plain_vector.hpp"

#include <atomic>
#include <span>
#include <utility>

SLOTWISE_BEGIN
namespace detail {

/// Ids that were taken and will not be used. A node of a list, so that giving them back allocates nothing.
struct IdsToReturn {
    IdsToReturn* next = nullptr;
    std::uint32_t epoch = 0; // ReservedIds::epoch() when they were taken
    PlainVector<Entity> ids{};
    std::size_t memory_usage() const noexcept { return sizeof *this + ids.memory_usage(); }
};

/// Counts the ids that were taken from an EntityIndex and are not made there yet. They are the ones that it will create next,
/// so whatever creates or destroys ids calls make() first, and nobody takes any until that is done: see StoreCore::take_ids.
/// Taking and giving back are safe from several threads, as long as the index does not change.
class ReservedIds {
public:
    ReservedIds() = default;
    ReservedIds(const ReservedIds&) = delete;
    ReservedIds& operator=(const ReservedIds&) = delete;
    ~ReservedIds() { free(returned_.load(std::memory_order_relaxed)); }

    /// Whether there is something to make, or to end.
    SLOTWISE_ALWAYS_INLINE bool any() const noexcept {
        return taken_.load(std::memory_order_relaxed) != 0 || returned_.load(std::memory_order_relaxed) != nullptr;
    }
    /// Ids that no one else has. @throws std::length_error when the index has no more ids; nothing was taken then
    template <class Index>
    void take(const Index& index, std::span<Entity> ids) const {
        std::size_t before = taken_.load(std::memory_order_relaxed);
        do index.next_n(before, ids); // in the loop, because another thread may have taken these meanwhile
        while (!taken_.compare_exchange_weak(before, before + ids.size(), std::memory_order_relaxed));
    }
    /// The ids will not be used; end_returned() ends them. Takes the node.
    void give_back(IdsToReturn* node) const noexcept {
        node->next = returned_.load(std::memory_order_relaxed);
        while (!returned_.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {}
    }
    /// Makes in the index what was taken; they are living ids then. Returns how many there are.
    /// @throws what the allocator throws; strong
    template <class Index>
    std::size_t make(Index& index) {
        const std::size_t count = taken_.load(std::memory_order_relaxed);
        if (count != 0) static_cast<void>(index.create_n(count));
        taken_.store(0, std::memory_order_relaxed);
        return count;
    }
    /// Calls end(id) for each id that was given back. @pre make() was called @throws what `end` throws; the rest stays given
    /// back then
    template <class End>
    void end_returned(End&& end) {
        IdsToReturn* node = returned_.exchange(nullptr, std::memory_order_acquire); // `end` may come here again
        const ScopeGuard rest([&]() noexcept {
            while (node != nullptr) give_back(std::exchange(node, node->next));
        });
        while (node != nullptr) {
            while (node->epoch == epoch_ && !node->ids.empty()) {
                const Entity id = node->ids.back();
                node->ids.pop_back();
                end(id);
            }
            delete std::exchange(node, node->next);
        }
    }
    /// What was taken and is not used yet is void from now on: the ids of the index were replaced, or all have ended.
    void invalidate() noexcept {
        taken_.store(0, std::memory_order_relaxed);
        free(returned_.exchange(nullptr, std::memory_order_relaxed));
        ++epoch_;
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = 0;
        for (const IdsToReturn* node = returned_.load(std::memory_order_acquire); node != nullptr; node = node->next)
            bytes += node->memory_usage();
        return bytes;
    }
    /// Changes whenever ids that were taken become void.
    std::uint32_t epoch() const noexcept { return epoch_; }

private:
    static void free(IdsToReturn* node) noexcept {
        while (node != nullptr) delete std::exchange(node, node->next);
    }

    mutable std::atomic<std::size_t> taken_{0};
    mutable std::atomic<IdsToReturn*> returned_{nullptr};
    std::uint32_t epoch_ = 0;
};

/// The ids of one command buffer: those that it has taken and not used yet, and room to give all of them back.
class CommandIds {
public:
    CommandIds() = default;
    CommandIds(const CommandIds&) = delete;
    CommandIds& operator=(const CommandIds&) = delete;
    ~CommandIds() { delete back_; }

    /// Takes ids until the next `count` calls of next() and use() take none. @param core of the store @throws what the
    /// allocator throws, and StoreCore::take_ids; strong
    template <class Core>
    void reserve(const Core& core, std::size_t count) {
        const std::size_t left = taken_.size() - next_;
        if (count <= left) return;
        if (back_ == nullptr) back_ = new IdsToReturn{nullptr, epoch_, {}};
        const std::size_t room = used_ + checked_bytes(count, 1);
        if (room > back_->ids.capacity())
            back_->ids.reserve(room < 2 * back_->ids.capacity() ? 2 * back_->ids.capacity() : room);
        taken_.erase(0, std::exchange(next_, 0));
        taken_.resize(count);
        ScopeGuard undo([&]() noexcept { taken_.resize(left); });
        core.take_ids(std::span<Entity>(taken_.data() + left, count - left));
        undo.dismiss();
    }
    /// An id, the same until use(). A buffer takes more at once the more it spawns, because that may go through all ids.
    /// @throws as reserve
    template <class Core>
    SLOTWISE_ALWAYS_INLINE Entity next(const Core& core) {
        if (next_ == taken_.size()) [[unlikely]]
            reserve(core, used_ < 1 ? 1 : used_ < most_at_once ? used_ : most_at_once);
        return taken_[next_];
    }
    void use() noexcept {
        ++next_;
        ++used_;
    }
    /// All that were used have become entities, or have ended.
    void all_used() noexcept { used_ = 0; }
    /// One that was used will not become an entity: give_back() gives it back.
    void unuse(Entity id) noexcept { back_->ids.push_back(id); } // there is room for each that was taken
    /// Gives back what is left, and what will not become an entity.
    void give_back(const ReservedIds& to) noexcept {
        if (back_ == nullptr) return;
        for (; next_ != taken_.size(); ++next_) unuse(taken_[next_]);
        if (!back_->ids.empty()) to.give_back(std::exchange(back_, nullptr));
        taken_.clear();
        next_ = used_ = 0;
    }
    std::size_t memory_usage() const noexcept { return taken_.memory_usage() + (back_ == nullptr ? 0 : back_->memory_usage()); }
    std::uint32_t epoch() const noexcept { return epoch_; }
    /// What was taken is void.
    void forget(std::uint32_t epoch) noexcept {
        delete std::exchange(back_, nullptr);
        taken_.clear();
        next_ = used_ = 0;
        epoch_ = epoch;
    }

private:
    static constexpr std::size_t most_at_once = 64;

    IdsToReturn* back_ = nullptr; // has room for all that is taken and used
    PlainVector<Entity> taken_{}; // used up to next_
    std::size_t next_ = 0;
    std::size_t used_ = 0; // since all_used()
    std::uint32_t epoch_ = 0;
};

/// What command buffers ask whether their store is still there. It ends with the last one that refers to it.
class StoreLife {
public:
    /// Changes whenever ids that were taken become void, and when the store ends.
    std::uint32_t epoch = 0;

    bool has_ended() const noexcept { return ended_; }
    void end() noexcept {
        ended_ = true;
        ++epoch;
    }
    void acquire() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }

private:
    std::atomic<std::uint32_t> references_{1};
    bool ended_ = false;
};

/// A reference to it.
class StoreLifeRef {
public:
    StoreLifeRef() : life_(new StoreLife()) {}
    StoreLifeRef(const StoreLifeRef& other) noexcept : life_(other.life_) { life_->acquire(); }
    StoreLifeRef& operator=(const StoreLifeRef&) = delete;
    ~StoreLifeRef() { life_->release(); }
    void swap(StoreLifeRef& other) noexcept { std::swap(life_, other.life_); }
    StoreLife* operator->() const noexcept { return life_; }
    /// It, with one more reference, which the caller releases.
    StoreLife* share() const noexcept {
        life_->acquire();
        return life_;
    }
    friend bool operator==(const StoreLifeRef& a, const StoreLifeRef& b) noexcept { return a.life_ == b.life_; }

private:
    StoreLife* life_;
};

} // namespace detail
SLOTWISE_END

#endif
