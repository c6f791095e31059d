// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdentityMap: two-layer identity. Public ids (UUIDs, paths) outside, handles inside, translated once at the boundary.
#ifndef SLOTWISE_MAP_IDENTITY_MAP_HPP
#define SLOTWISE_MAP_IDENTITY_MAP_HPP

#include "../core/entropy.hpp"
#include "../core/hash.hpp"
#include "../core/public_id.hpp"
#include "secondary_map.hpp"

SLOTWISE_BEGIN

/// A one-to-one relation between ids and handles of one map. When it is attached to that map (attach_to), it drops a pair when
/// the element is erased.
///
/// Constructors and destructors of ids, Hash and Equal may insert, erase, clear and look up in the map that calls them. A pair
/// is not found before it is complete, nor once its id's destructor runs. Equal must not erase an id that it is comparing, and
/// the map as a whole must not be moved, swapped, assigned or destroyed from there (checked at level fast).
/// @tparam Id any hashable type, e.g. PublicId or std::string; its address is stable @tparam H the handle type
/// @tparam With in any order: HashBy<H> and EqualBy<E> on ids (lookups by other types when both are transparent; they are not
/// called when a pair is dropped with its element), AllocBy<A>
template <class Id, class H, class... With>
class IdentityMap final : public detail::SlotFollower<IdentityMap<Id, H, With...>> {
    static_assert(AnyHandle<H>, "IdentityMap<Id, Handle>: the second argument is a slot map's handle_type");
    using Follower = detail::SlotFollower<IdentityMap>;
    friend Follower;
    friend detail::SlotEntries;
    using Args = detail::Arguments<detail::with_hash | detail::with_equal | detail::with_alloc, detail::NoOptions, std::byte,
                                   Id, With...>;
    using Hash = typename Args::template get<detail::with_hash, DefaultHash<Id>>;
    using Equal = typename Args::template get<detail::with_equal, EqualTo>;
    using Allocator = typename Args::allocator;
    using Operation = typename Follower::Operation;
    using Insertion = typename Follower::Insertion;
    // Not a std::unordered_map, which calls Hash while links are cut: a Hash or a destructor that changes the map then corrupts
    // it. Here hashes are stored, and no user code runs while the table is inconsistent.
    struct Node {
        Node* next;
        std::uint64_t hash;
        H handle;
        union {
            Id id;
        };
        Node(Node* after, std::uint64_t hash_of_id, H of) noexcept : next(after), hash(hash_of_id), handle(of) {}
        ~Node() {}
    };
    using node_allocator = detail::rebind_t<Allocator, Node>;
    using id_allocator = detail::rebind_t<Allocator, Id>;
    using Buckets = detail::FlatArray<Node*, Allocator>;
    static constexpr unsigned most_chained = 32;
    static constexpr bool nothrow_functors =
        std::is_nothrow_copy_constructible_v<Hash> && std::is_nothrow_copy_constructible_v<Equal>;
    template <class F>
    static constexpr bool nothrow_exchange =
        std::is_swappable_v<F> ? std::is_nothrow_swappable_v<F> : std::is_nothrow_move_constructible_v<F>;
    static constexpr bool nothrow_swap = nothrow_exchange<Hash> && nothrow_exchange<Equal>;
    static constexpr bool nothrow_move =
        nothrow_functors && nothrow_swap && (detail::propagates_on_move<Allocator> || detail::always_equal<Allocator>);

public:
    using id_type = Id;
    using handle_type = H;
    using size_type = std::size_t;
    using allocator_type = Allocator;

    IdentityMap() noexcept(std::is_nothrow_default_constructible_v<Hash>&& std::is_nothrow_default_constructible_v<Equal>&&
                               std::is_nothrow_default_constructible_v<Allocator>)
        requires(std::is_default_constructible_v<Hash> && std::is_default_constructible_v<Equal> &&
                 std::is_default_constructible_v<Allocator>)
        : hash_(), equal_() {}
    explicit IdentityMap(const Allocator& alloc) : buckets_(alloc), nodes_(alloc), hash_(), equal_() {}
    /// Uses these functors.
    explicit IdentityMap(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : buckets_(alloc), nodes_(alloc), hash_(hash), equal_(equal) {}
    /// Copies the pairs; a copy is unattached. @throws what the allocator and the copies throw
    IdentityMap(const IdentityMap& other)
        : IdentityMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    IdentityMap(const IdentityMap& other, const Allocator& alloc) : IdentityMap(other.hash_, other.equal_, alloc) {
        ScopeGuard undo([this]() noexcept { clear(); });
        enter_all(other, [](Node& node) -> const Id& { return node.id; });
        undo.dismiss();
    }
    /// Takes the pairs and the attachment.
    IdentityMap(IdentityMap&& other) noexcept(nothrow_functors)
        : Follower(), buckets_(other.get_allocator()), nodes_(other.get_allocator()), hash_(other.hash_), equal_(other.equal_) {
        this->swap_token(other);
        swap_pairs(other);
    }
    /// As above, into memory of `alloc`: moves the ids one by one if the allocators differ.
    /// @throws what the allocator, the functors and Id's move throw; `other` is empty then
    IdentityMap(IdentityMap&& other, const Allocator& alloc) : IdentityMap(other.hash_, other.equal_, alloc) {
        this->swap_token(other);
        if (alloc == other.get_allocator()) {
            swap_pairs(other);
            return;
        }
        const ScopeGuard emptied([&]() noexcept { other.clear(); }); // also when something throws: its ids were moved
        ScopeGuard undo([this]() noexcept { clear(); });
        enter_all(other, [](Node& node) -> Id&& { return std::move(node.id); });
        undo.dismiss();
    }
    /// Replaces the pairs and keeps the attachment.
    IdentityMap& operator=(const IdentityMap& other) {
        if (this == std::addressof(other)) return *this;
        IdentityMap copy(other, detail::propagates_on_copy<Allocator> ? other.get_allocator() : get_allocator());
        this->expect_at_rest();
        swap_functors(copy);
        swap_pairs(copy);
        return *this;
    }
    /// Takes pairs and attachment, in place of the ones here.
    IdentityMap& operator=(IdentityMap&& other) noexcept(nothrow_move) {
        if (this == std::addressof(other)) return *this;
        IdentityMap taken(std::move(other), detail::propagates_on_move<Allocator> ? other.get_allocator() : get_allocator());
        this->swap_token(taken);
        swap_functors(taken);
        swap_pairs(taken);
        return *this;
    }
    ~IdentityMap() {
        this->expect_at_rest();
        while (!empty()) clear(); // a destructor may insert
    }
    /// Exchanges pairs, functors and attachments. @pre the allocators are equal, or propagate on swap
    /// @throws what exchanging the functors throws; both are empty then
    void swap(IdentityMap& other) noexcept(nothrow_swap) {
        this->swap_token(other);
        swap_functors(other);
        swap_pairs(other);
    }
    friend void swap(IdentityMap& a, IdentityMap& b) noexcept(nothrow_swap) { a.swap(b); }

    size_type size() const noexcept { return nodes_.size(); }
    bool empty() const noexcept { return nodes_.empty(); }
    /// Room for `count` pairs in all. @throws std::length_error when count exceeds the slots of a handle, what the allocator
    /// throws; strong
    void reserve(size_type count) {
        if (count > no_slot || count > static_cast<size_type>(-1) / (2 * sizeof(Node*)))
            detail::throw_length_error(
                "IdentityMap reserve(count): count exceeds the slots that a handle can name; reserve fewer");
        if (count > buckets_.size()) rehash(std::bit_ceil(count));
    }
    allocator_type get_allocator() const noexcept { return nodes_.get_allocator(); }

    /// Relates id and handle. False, and no effect, when either is related already, or the handle is null, never live, or older
    /// than the known handle of its slot, or its element is erased while the id is copied. A pair of an older handle of the
    /// slot is dropped.
    /// @throws what the allocator, Hash, Equal and the copy of the id throw; strong
    bool insert(const Id& id, H handle) { return insert_pair(id, handle); }
    bool insert(Id&& id, H handle) { return insert_pair(std::move(id), handle); }

    /// The handle of `id`, null when it has none. It may be stale if the map is not attached.
    template <class Key>
    H handle_of(const Key& id) const {
        const Node* const node = find(id);
        return node == nullptr ? H() : node->handle;
    }
    /// The id of `handle`, null when it has none. Any bit pattern is allowed.
    const Id* id_of(H handle) const noexcept {
        Node* const* const node = nodes_.get(handle);
        return node == nullptr ? nullptr : std::addressof((*node)->id);
    }
    bool contains(H handle) const noexcept { return nodes_.contains(handle); }
    /// 1 if there is a pair with this id or handle, else 0.
    template <class Key>
    size_type count(const Key& id_or_handle) const {
        return contains(id_or_handle) ? 1 : 0;
    }
    template <class Key>
        requires(!std::same_as<Key, H>)
    bool contains(const Key& id) const {
        return find(id) != nullptr;
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
        const Operation running(*this);
        Node* const node = find(id);
        if (node != nullptr) remove(node);
        return node != nullptr;
    }
    /// Removes every pair for which pred(handle, id) holds; returns how many. pred may change the map, but must not erase the
    /// pair that it was called with.
    template <class Pred>
    size_type erase_if(Pred pred) {
        size_type erased = 0;
        for (const auto item : nodes_) {
            Node* const node = item.value; // item refers to the entry, which pred may erase
            const H handle = node->handle;
            const Operation running(*this);
            if (!pred(handle, std::as_const(node->id))) continue;
            if (Node* const* const there = nodes_.get(handle); there == nullptr || *there != node) continue;
            remove(node);
            ++erased;
        }
        return erased;
    }
    /// Removes all pairs and frees the memory. A pair that an id's destructor inserts meanwhile survives.
    void clear() noexcept {
        Node* gone = nullptr;
        for (const auto [handle, node] : nodes_) gone = chained(node, gone);
        buckets_.free();
        nodes_.clear();
        seed_ = {};
        ++changes_;
        destroy_chain(gone);
    }
    /// Calls f(id, handle) for every pair, in handle order. f must not change the map.
    template <class F>
    void for_each(F&& f) const {
        for (const auto [handle, node] : nodes_) f(std::as_const(node->id), node->handle);
    }
    /// The ids, the handles, and both as pairs {handle, value = id}, in handle order.
    auto ids() const noexcept { return detail::part_range<IdPart>(nodes_.begin(), nodes_.end(), size()); }
    auto handles() const noexcept { return detail::part_range<detail::HandlePart>(nodes_.begin(), nodes_.end(), size()); }
    auto items() const noexcept { return detail::part_range<ItemPart>(nodes_.begin(), nodes_.end(), size()); }
    /// The same walk as items(): for (auto [handle, id] : ids).
    auto begin() const noexcept { return items().begin(); }
    auto end() const noexcept { return items().end(); }
    /// Whether both directions agree; for tests.
    bool check_invariants() const {
        size_type listed = 0;
        for (size_type b = 0; b != buckets_.size(); ++b)
            for (const Node* node = buckets_[b]; node != nullptr; node = node->next, ++listed) {
                Node* const* const by_handle = nodes_.get(node->handle);
                if (by_handle == nullptr || *by_handle != node || node->hash != hash_of(node->id) || bucket_of(node->hash) != b)
                    return false;
            }
        return listed == nodes_.size() && nodes_.check_invariants();
    }

private:
    struct IdPart {
        template <class Iterator>
        const Id& operator()(const Iterator& it) const noexcept {
            return (*it).value->id;
        }
    };
    struct ItemPart {
        template <class Iterator>
        SlotMapItem<H, const Id&> operator()(const Iterator& it) const noexcept {
            return {(*it).value->handle, (*it).value->id};
        }
    };
    template <class Key>
    std::uint64_t hash_of(const Key& key) const {
        if constexpr (Avalanching<Hash>)
            return hash_(key);
        else
            return mix_bits(hash_(key));
    }
    size_type bucket_of(std::uint64_t hash) const noexcept {
        return bits::to_size(seed_ ? seed_(hash) : hash) & (buckets_.size() - 1);
    }

    template <class Key>
    Node* find(const Key& key) const {
        if constexpr (std::same_as<Key, Id> || requires(const Hash& hash, const Equal& equal, const Id& id) {
                          typename Hash::is_transparent;
                          typename Equal::is_transparent;
                          static_cast<std::size_t>(hash(key));
                          static_cast<bool>(equal(id, key));
                      }) {
            return find(hash_of(key), key);
        } else {
            const Id& id = key;
            return find(hash_of(id), id);
        }
    }
    template <class Key>
    Node* find(std::uint64_t hash, const Key& key) const {
        for (;;) {
            const std::size_t seen = changes_;
            Node* node = buckets_.empty() ? nullptr : buckets_[bucket_of(hash)];
            for (; node != nullptr; node = node->next)
                if (node->hash == hash) {
                    const bool found = equal_(std::as_const(node->id), key);
                    if (seen != changes_ || found) break;
                }
            if (seen == changes_) return node; // otherwise Equal has changed the map: start again
        }
    }
    const Node* at_slot(slot_t slot) const noexcept {
        Node* const* const node = detail::SlotEntries::find(nodes_, slot);
        return node == nullptr ? nullptr : *node;
    }
    bool takes(H handle) const noexcept {
        const Node* const there = at_slot(handle.index());
        return there == nullptr || there->handle.version() < handle.version();
    }

    // NOLINTBEGIN(clang-analyzer-core.StackAddressEscape): the destructor of `running` takes its address out
    template <class Key>
    bool insert_pair(Key&& id, H handle) {
        if ((handle.version() & 1u) == 0 || !takes(handle)) return false;
        const Insertion running(*this, handle.index());
        std::size_t seen = changes_;
        const std::uint64_t hash = hash_of(std::as_const(id));
        if (find(hash, std::as_const(id)) != nullptr) return false;
        Node* const node = make_node(std::forward<Key>(id), handle, hash);
        ScopeGuard undo([&]() noexcept { destroy_node(node); });
        // Repeated while Hash, Equal or the constructor of the id changes the map, because the lookup may be outdated.
        while (seen != changes_) {
            seen = changes_;
            if (find(hash, std::as_const(node->id)) != nullptr) return false;
        }
        if (running.element_erased() || !takes(handle)) return false;
        make_room();
        Node* const* const there = detail::SlotEntries::find(nodes_, handle.index());
        Node* const older = there == nullptr ? nullptr : *there;
        nodes_.try_emplace(handle, node);
        if (!seed_ && crowded(bucket_of(hash))) scatter();
        link(node);
        undo.dismiss();
        if (older != nullptr) {
            unlink(older);
            destroy_node(older);
        }
        return true;
    }
    // NOLINTEND(clang-analyzer-core.StackAddressEscape)
    template <class IdOf>
    void enter_all(const IdentityMap& other, IdOf id_of_node) {
        reserve(other.size());
        seed_ = other.seed_;
        for (const auto [handle, from] : other.nodes_) {
            Node* const node = make_node(id_of_node(*from), from->handle, from->hash);
            ScopeGuard undo([&]() noexcept { destroy_node(node); });
            nodes_.try_emplace(node->handle, node);
            undo.dismiss();
            make_room(); // a copy of an id may have inserted into `other`
            link(node);
        }
    }
    template <class Key>
    Node* make_node(Key&& id, H handle, std::uint64_t hash) {
        node_allocator nodes(get_allocator());
        Node* const node = detail::allocate_raw(nodes, 1);
        ScopeGuard undo([&]() noexcept { detail::deallocate_raw(nodes, node, 1); });
        std::construct_at(node, nullptr, hash, handle);
        id_allocator ids(get_allocator());
        std::allocator_traits<id_allocator>::construct(ids, std::addressof(node->id), std::forward<Key>(id));
        undo.dismiss();
        return node;
    }
    // @pre nothing refers to the node
    void destroy_node(Node* node) noexcept {
        const Operation running(*this);
        id_allocator ids(get_allocator());
        std::allocator_traits<id_allocator>::destroy(ids, std::addressof(node->id));
        node_allocator nodes(get_allocator());
        detail::deallocate_raw(nodes, node, 1);
    }
    static Node* chained(Node* node, Node* rest) noexcept {
        node->next = rest;
        return node;
    }
    void destroy_chain(Node* chain) noexcept {
        while (chain != nullptr) destroy_node(std::exchange(chain, chain->next));
    }
    void make_room() {
        if (size() >= buckets_.size()) rehash(buckets_.empty() ? 8 : 2 * buckets_.size());
    }
    void rehash(size_type count) {
        auto before = Buckets(get_allocator()).resized(count, nullptr);
        buckets_.swap(before);
        for (size_type b = 0; b != before.size(); ++b)
            for (Node* node = before[b]; node != nullptr;) link(std::exchange(node, node->next));
    }
    /// Whether the bucket has more pairs than chance allows: one bucket in 1e36 is as full.
    bool crowded(size_type bucket) const noexcept {
        unsigned length = 0;
        for (const Node* node = buckets_[bucket]; node != nullptr && length != most_chained; node = node->next) ++length;
        return length == most_chained;
    }
    /// Rehashes all pairs under a secret seed, because their hashes were computed to collide.
    void scatter() noexcept {
        Node* all = nullptr;
        for (size_type b = 0; b != buckets_.size(); ++b)
            for (Node* node = std::exchange(buckets_[b], nullptr); node != nullptr;) {
                Node* const next = node->next;
                all = chained(node, all);
                node = next;
            }
        seed_ = detail::IndexSeed::random();
        while (all != nullptr) link(std::exchange(all, all->next));
    }
    void link(Node* node) noexcept {
        Node*& bucket = buckets_[bucket_of(node->hash)];
        bucket = chained(node, bucket);
        ++changes_;
    }
    void unlink(Node* node) noexcept {
        Node** at = &buckets_[bucket_of(node->hash)];
        while (*at != node) at = &(*at)->next;
        *at = node->next;
        ++changes_;
    }
    void remove(Node* node) noexcept {
        detail::SlotEntries::drop(nodes_, node->handle.index());
        unlink(node);
        destroy_node(node);
    }
    void drop_slot(slot_t slot) noexcept {
        if (Node* const* const node = detail::SlotEntries::find(nodes_, slot)) remove(*node);
    }
    /// First removes all these pairs, then destroys their ids.
    void drop_slots(Occupancy slots) noexcept {
        Node* gone = nullptr;
        for (const auto [handle, node] : nodes_)
            if (slots.test(handle.index())) {
                unlink(node);
                gone = chained(node, gone);
            }
        detail::SlotEntries::drop(nodes_, slots);
        destroy_chain(gone);
    }
    void swap_pairs(IdentityMap& other) noexcept {
        buckets_.swap(other.buckets_);
        detail::SlotEntries::swap(nodes_, other.nodes_);
        std::swap(seed_, other.seed_);
        std::swap(changes_, other.changes_);
    }
    void swap_functors(IdentityMap& other) noexcept(nothrow_swap) {
        ScopeGuard undo([&]() noexcept {
            clear();
            other.clear();
        });
        exchange(hash_, other.hash_);
        exchange(equal_, other.equal_);
        undo.dismiss();
    }

    template <class F>
    static void exchange(F& a, F& b) noexcept(nothrow_exchange<F>) {
        if constexpr (std::is_swappable_v<F>) {
            using std::swap;
            swap(a, b);
        } else // a lambda with captures
            detail::exchange_by_moving(a, b);
    }

    Buckets buckets_{}; // as many as pairs fit, a power of two
    SecondaryMap<H, Node*, AllocBy<Allocator>> nodes_{};
    detail::IndexSeed seed_{}; // unset until a bucket is crowded
    std::size_t changes_ = 0;  // of the chains
    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_;
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal_;
};

SLOTWISE_END

#endif
