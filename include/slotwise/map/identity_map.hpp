// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdentityMap: two-layer identity. Public ids (UUIDs, paths) outside, handles inside; translated once at the boundary.
#ifndef SLOTWISE_MAP_IDENTITY_MAP_HPP
#define SLOTWISE_MAP_IDENTITY_MAP_HPP

#include "../core/hash.hpp"
#include "../core/public_id.hpp"
#include "secondary_map.hpp"

#include <unordered_map>

SLOTWISE_BEGIN

/// A one-to-one relation between ids and handles of one map. Attached to that map (attach_to) a pair goes when its element goes.
/// @tparam Id any hashable type, e.g. PublicId or std::string @tparam H the handle type
/// @tparam Hash, Equal on ids; lookups by other types when both are transparent. For an id of the map they must not throw where a pair
/// goes because its element does: that ends the program
template <class Id, class H, class Hash, class Equal, class Allocator>
class IdentityMap final : public detail::SlotFollower<IdentityMap<Id, H, Hash, Equal, Allocator>> {
    static_assert(AnyHandle<H>, "IdentityMap<Id, Handle>: the second argument is a slot map's handle_type");
    using Follower = detail::SlotFollower<IdentityMap>;
    friend Follower;
    using Handles = std::unordered_map<Id, H, Hash, Equal, detail::rebind_t<Allocator, std::pair<const Id, H>>>;

public:
    using id_type = Id;
    using handle_type = H;
    using size_type = std::size_t;
    using allocator_type = Allocator;

    IdentityMap() = default;
    explicit IdentityMap(const Allocator& alloc) : handles_(typename Handles::allocator_type(alloc)), ids_(alloc) {}
    /// Copies the pairs; a copy is unattached. @throws what the allocator and the copies throw
    IdentityMap(const IdentityMap& other)
        : IdentityMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    IdentityMap(const IdentityMap& other, const Allocator& alloc)
        : handles_(other.handles_, typename Handles::allocator_type(alloc)), ids_(alloc) {
        index_ids();
    }
    /// Takes the pairs and the attachment.
    IdentityMap(IdentityMap&& other) noexcept
        : Follower(std::move(other)), handles_(std::move(other.handles_)), ids_(std::move(other.ids_)) {
        other.handles_.clear();
    }
    /// As above, into memory of `alloc`: moves the ids one by one if the allocators differ.
    IdentityMap(IdentityMap&& other, const Allocator& alloc)
        : Follower(std::move(other)), handles_(take_table(other, alloc)), ids_(alloc) {
        const ScopeGuard emptied([&]() noexcept { other.clear(); }); // also when an allocator throws: its ids have gone
        if (alloc == other.get_allocator())
            ids_.swap(other.ids_); // they point to the ids, which stayed where they are
        else
            index_ids();
    }
    /// Replaces the pairs; the attachment stays.
    IdentityMap& operator=(const IdentityMap& other) {
        if (this == &other) return *this;
        IdentityMap copy(other, detail::propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        take_pairs(copy);
        return *this;
    }
    /// Takes pairs and attachment; the ones here go.
    IdentityMap& operator=(IdentityMap&& other) noexcept(detail::propagates_on_move<Allocator> ||
                                                         detail::always_equal<Allocator>) {
        if (this == &other) return *this;
        IdentityMap taken(std::move(other), detail::propagates_on_move<Allocator> ? other.get_allocator() : get_allocator());
        this->swap_token(taken);
        take_pairs(taken);
        return *this;
    }
    ~IdentityMap() = default;
    /// Exchanges pairs and attachments. @pre the allocators are equal, or travel with a swap
    void swap(IdentityMap& other) noexcept {
        this->swap_token(other);
        swap_pairs(other);
    }
    friend void swap(IdentityMap& a, IdentityMap& b) noexcept { a.swap(b); }

    size_type size() const noexcept { return handles_.size(); }
    bool empty() const noexcept { return handles_.empty(); }
    /// Room for `count` pairs in all. @throws what the allocator throws; strong
    void reserve(size_type count) { handles_.reserve(count); }
    allocator_type get_allocator() const noexcept { return ids_.get_allocator(); }

    /// Relates id and handle. False, and no effect, when either is related already, or the handle is null, never live, or older than
    /// the one known in its slot. A pair of an older handle of the slot goes.
    /// @throws what the allocator, Hash, Equal and the copy of the id throw; strong
    bool insert(const Id& id, H handle) { return insert_pair(id, handle); }
    bool insert(Id&& id, H handle) { return insert_pair(std::move(id), handle); }

    /// The handle of `id`, null when it has none. It may be stale if the map is not attached.
    template <class Key>
    H handle_of(const Key& id) const {
        const auto it = handles_.find(id);
        return it == handles_.end() ? H() : it->second;
    }
    /// The id of `handle`, null when it has none. Any bit pattern may be asked.
    const Id* id_of(H handle) const noexcept {
        const Id* const* id = ids_.get(handle);
        return id == nullptr ? nullptr : *id;
    }
    bool contains(H handle) const noexcept { return ids_.contains(handle); }
    template <class Key>
        requires(!std::same_as<Key, H>)
    bool contains(const Key& id) const {
        return handles_.find(id) != handles_.end();
    }

    /// Removes a pair by either side; false when there is none.
    bool erase(H handle) noexcept {
        const bool found = contains(handle);
        if (found) drop_slot(handle.index());
        return found;
    }
    template <class Key>
        requires(!std::same_as<Key, H>)
    bool erase(const Key& id) {
        const auto it = handles_.find(id);
        if (it == handles_.end()) return false;
        ids_.erase(it->second);
        handles_.erase(it);
        return true;
    }
    /// Removes every pair for which pred(handle, id) holds; returns how many.
    template <class Pred>
    size_type erase_if(Pred pred) {
        const size_type before = size();
        for (auto it = handles_.begin(); it != handles_.end();) {
            if (pred(it->second, it->first)) {
                ids_.erase(it->second);
                it = handles_.erase(it);
            } else
                ++it;
        }
        return before - size();
    }
    void clear() noexcept {
        ids_.clear();
        handles_.clear();
    }
    /// Calls f(id, handle) for every pair, in handle order. f must not change the map.
    template <class F>
    void for_each(F&& f) const {
        for (const auto [handle, id] : ids_) f(*id, handle);
    }
    /// Whether both directions agree; for tests.
    bool check_invariants() const {
        if (handles_.size() != ids_.size() || !ids_.check_invariants()) return false;
        for (const auto& [id, handle] : handles_)
            if (id_of(handle) != &id) return false;
        return true;
    }

private:
    template <class Key>
    bool insert_pair(Key&& id, H handle) {
        if (handles_.find(id) != handles_.end() || contains(handle)) return false;
        const auto [it, fresh] = handles_.emplace(std::forward<Key>(id), handle);
        ScopeGuard undo([&, where = it]() noexcept { handles_.erase(where); });
        const Id* const* const older = ids_.find_slot(handle.index());
        const auto gone = older == nullptr ? handles_.end() : handles_.find(**older); // here it may throw
        if (!ids_.try_emplace(handle, &it->first).second) return false;
        undo.dismiss();
        if (gone != handles_.end()) handles_.erase(gone);
        return true;
    }
    void drop_slot(slot_t slot) noexcept {
        const Id* const* const found = ids_.find_slot(slot);
        if (found == nullptr) return;
        const Id* const id = *found;
        ids_.drop_slot(slot);
        erase_id(id);
    }
    // Hash and Equal have accepted this id before; if one throws now, noexcept ends the program.
    void erase_id(const Id* id) noexcept { handles_.erase(handles_.find(*id)); }
    void swap_pairs(IdentityMap& other) noexcept {
        handles_.swap(other.handles_); // nodes keep their addresses, so ids_ stays true
        ids_.swap(other.ids_);
    }
    // A standard container that cannot move its nodes may have lost them when an allocator throws.
    static Handles take_table(IdentityMap& other, const Allocator& alloc) {
        ScopeGuard lost([&]() noexcept { other.clear(); });
        Handles table(std::move(other.handles_), typename Handles::allocator_type(alloc));
        lost.dismiss();
        return table;
    }
    // Rebuilt in place rather than swapped: a swap of standard containers is undefined for unequal allocators that stay.
    void take_pairs(IdentityMap& other) noexcept {
        detail::renew(handles_, std::move(other.handles_));
        detail::renew(ids_, std::move(other.ids_));
        other.handles_.clear();
    }
    void index_ids() {
        for (const auto& [id, handle] : handles_) ids_.try_emplace(handle, &id);
    }

    Handles handles_{};
    SecondaryMap<H, const Id*, Allocator> ids_{};
};

SLOTWISE_END

#endif
