// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdentityNodes: the pairs of an IdentityMap by number, in pages that never move.
#ifndef SLOTWISE_MAP_IDENTITY_NODES_HPP
#define SLOTWISE_MAP_IDENTITY_NODES_HPP

#include "../core/concepts.hpp"
#include "../memory/paged_array.hpp"

SLOTWISE_BEGIN
namespace detail {

/// Nodes are numbered from 0. It does not know which of them are pairs of the map: a node is there while its id is built, while
/// it is a pair, and while its id is destroyed. The one that was freed last is used next.
/// @tparam Hashed whether nodes keep the hash of their id
template <class Id, class H, bool Hashed, class Allocator>
class IdentityNodes {
    static_assert(Storable<Id>, "IdentityMap<Id, Handle>: Id must be a non-const object type whose destructor does not throw");
    // A handle with an even version is none of a pair: its index is free for the number of the next node in a chain.
    static constexpr bool links_by_handle = H::layout.index_bits == 32;
    struct NoHash {
        explicit NoHash(std::uint64_t) noexcept {}
    };
    struct NoLink {};

public:
    /// Hash, handle and id lie side by side, so that a find reads one place. A node without a hash is a third smaller, which
    /// decides what a find costs: at 1e5 integers 1.6x MapStorage with the hash, 1.1x without.
    struct Node {
        SLOTWISE_NO_UNIQUE_ADDRESS std::conditional_t<Hashed, std::uint64_t, NoHash> hash;
        H handle; // of an even version: the node is free, or about to be
        SLOTWISE_NO_UNIQUE_ADDRESS std::conditional_t<links_by_handle, NoLink, slot_t> link{};
        union {
            Id id;
        };
        Node(std::uint64_t hash_of_id, H of) noexcept : hash(hash_of_id), handle(of) {}
        ~Node() {}
    };

    IdentityNodes() = default;
    explicit IdentityNodes(const Allocator& alloc) noexcept : array_(alloc) {}
    IdentityNodes(const IdentityNodes&) = delete;
    IdentityNodes& operator=(const IdentityNodes&) = delete;
    ~IdentityNodes() = default;
    void swap(IdentityNodes& other) noexcept {
        array_.swap(other.array_);
        std::swap(free_, other.free_);
        std::swap(end_, other.end_);
        std::swap(used_, other.used_);
    }
    std::size_t memory_usage() const noexcept { return array_.memory_usage(); }
    Allocator get_allocator() const noexcept { return Allocator(array_.get_allocator()); }

    SLOTWISE_ALWAYS_INLINE Node& operator[](slot_t number) const noexcept { return *array_.ptr(number); }
    /// Makes room for `count` nodes in all, or throws and has changed nothing.
    void reserve(std::size_t count) { array_.reserve(count); }
    /// A node with this handle and an id made of `id`. Its id's constructor may make and destroy others.
    /// Throws std::length_error when each number is in use, what the allocator and the constructor throw; strong.
    template <class Key>
    slot_t make(std::uint64_t hash, H handle, Key&& id) {
        slot_t number = free_;
        if (number != no_slot)
            free_ = next_of(number);
        else {
            if (end_ == array_.capacity()) grow();
            number = end_++;
        }
        Node& node = *std::construct_at(array_.ptr(number), hash, handle);
        ++used_;
        ScopeGuard undo([&]() noexcept { release(number); });
        id_allocator ids(array_.get_allocator());
        std::allocator_traits<id_allocator>::construct(ids, std::addressof(node.id), std::forward<Key>(id));
        undo.dismiss();
        return number;
    }
    /// Destroys the id, whose destructor may make and destroy others, then frees the node.
    void destroy(slot_t number) noexcept {
        id_allocator ids(array_.get_allocator());
        std::allocator_traits<id_allocator>::destroy(ids, std::addressof((*this)[number].id));
        release(number);
    }
    /// Puts a node that is no pair any more before `rest`, a chain of such nodes; returns the chain. Its handle is lost.
    slot_t chain(slot_t number, slot_t rest) noexcept {
        Node& node = (*this)[number];
        if constexpr (links_by_handle) {
            node.handle = H(rest, 0);
        } else {
            node.handle = H(0, 0); // a null handle may be all ones
            node.link = rest;
        }
        return number;
    }
    slot_t next_of(slot_t number) const noexcept {
        if constexpr (links_by_handle)
            return (*this)[number].handle.index();
        else
            return (*this)[number].link;
    }
    /// Frees the memory if no node is in use.
    void free_unused() noexcept {
        if (used_ != 0) return;
        array_.shrink(0);
        free_ = no_slot;
        end_ = 0;
    }
    /// How many nodes are in use.
    std::size_t used() const noexcept { return used_; }
    /// Whether the free nodes are those that are not in use; for tests.
    bool check_invariants() const noexcept {
        std::size_t free = 0;
        for (slot_t number = free_; number != no_slot; number = next_of(number))
            if (number >= end_ || ++free > end_ || ((*this)[number].handle.version() & 1u) != 0) return false;
        return end_ <= array_.capacity() && used_ + free == end_;
    }

private:
    using id_allocator = rebind_t<Allocator, Id>;

    SLOTWISE_NEVER_INLINE void grow() {
        if (end_ == no_slot)
            throw_length_error("IdentityMap insert: every slot that a handle can name has an id; erase some first");
        array_.reserve(array_.grown_capacity());
    }
    void release(slot_t number) noexcept {
        free_ = chain(number, free_);
        --used_;
    }

    PagedArray<Node, Allocator> array_{};
    slot_t free_ = no_slot;
    slot_t end_ = 0; // numbers from here on were never used
    std::size_t used_ = 0;
};

} // namespace detail
SLOTWISE_END

#endif
