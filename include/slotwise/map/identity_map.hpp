// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// IdentityMap: public ids (UUIDs, paths) and handles of one map, each found by the other. Ids are translated once, at the
// boundary of the program; inside of it there are handles.
#ifndef SLOTWISE_MAP_IDENTITY_MAP_HPP
#define SLOTWISE_MAP_IDENTITY_MAP_HPP

#include "../core/detail/concepts.hpp"
#include "../core/public_id.hpp"
#include "../memory/paged_array.hpp"
#include "../slots/detail/group_index.hpp"
#include "../slots/snapshot.hpp"
#include "secondary_map.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The pairs of an IdentityMap by number, in pages that never move. Nodes are numbered from 0. It does not know which of them
/// are pairs of the map: a node is there while its id is built, while it is a pair, and while its id is destroyed. The one that
/// was freed last is used next.
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
    // An index of hashes that are stored: no user code runs while the parts disagree, so that Hash, Equal, constructors and
    // destructors may change the map.
    // Small ids of known types are hashed as fast as a hash is loaded, by a function that cannot call the map.
    static constexpr bool keeps_hashes = !(std::is_same_v<Hash, DefaultHash<Id>> &&
                                           (std::is_integral_v<Id> || std::is_enum_v<Id> || std::is_same_v<Id, PublicId>));
    using Nodes = detail::IdentityNodes<Id, H, keeps_hashes, Allocator>;
    using Node = typename Nodes::Node;
    using Bytes = detail::rebind_t<Allocator, std::byte>;
    using Index = GroupIndex<Bytes, detail::NativeFingerprints>;
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
    explicit IdentityMap(const Allocator& alloc) : index_(Bytes(alloc)), nodes_(alloc), by_handle_(alloc), hash_(), equal_() {}
    /// Uses these functors.
    explicit IdentityMap(const Hash& hash, const Equal& equal = Equal(), const Allocator& alloc = Allocator())
        : index_(Bytes(alloc)), nodes_(alloc), by_handle_(alloc), hash_(hash), equal_(equal) {}
    /// Copies the pairs; a copy is unattached. @throws what the allocator and the copies throw
    IdentityMap(const IdentityMap& other)
        : IdentityMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    IdentityMap(const IdentityMap& other, const Allocator& alloc) : IdentityMap(other.hash_, other.equal_, alloc) {
        ScopeGuard undo([this]() noexcept { clear(); });
        enter_all(other, [](const Node& node) -> const Id& { return node.id; });
        undo.dismiss();
    }
    /// Takes the pairs and the attachment.
    IdentityMap(IdentityMap&& other) noexcept(nothrow_functors)
        : Follower(), index_(Bytes(other.get_allocator())), nodes_(other.get_allocator()), by_handle_(other.get_allocator()),
          hash_(other.hash_), equal_(other.equal_) {
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
        this->expect_quiescent();
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
    ~IdentityMap() override {
        this->expect_quiescent();
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

    size_type size() const noexcept { return by_handle_.size(); }
    bool empty() const noexcept { return by_handle_.empty(); }
    /// Room for `count` pairs in all. @throws std::length_error when count exceeds the slots of a handle, what the allocator
    /// throws; strong
    void reserve(size_type count) {
        if (count > no_slot)
            detail::throw_length_error(
                "IdentityMap reserve(count): count exceeds the slots that a handle can name; reserve fewer");
        nodes_.reserve(count);
        index_.reserve(count, hashes());
        ++changes_;
    }
    /// Frees memory of the index that the pairs do not need; ids stay where they are. @throws what the allocator throws; strong
    void shrink_to_fit() {
        index_.shrink_to_fit(hashes());
        ++changes_;
        nodes_.free_unused();
    }
    allocator_type get_allocator() const noexcept { return by_handle_.get_allocator(); }

    /// Relates id and handle. False, and no effect, when either is related already, or the handle is null, never live, or older
    /// than the known handle of its slot, or its element is erased while the id is copied. A pair of an older handle of the
    /// slot is dropped.
    /// @throws what the allocator, Hash, Equal and the copy of the id throw; strong
    template <std::convertible_to<H> Named>
    bool insert(const Id& id, const Named& handle) {
        return insert_pair(id, handle);
    }
    template <std::convertible_to<H> Named>
    bool insert(Id&& id, const Named& handle) {
        return insert_pair(std::move(id), handle);
    }

    /// The handle of `id`, null when it has none. It may be stale if the map is not attached.
    template <class Key = Id>
    H handle_of(const Key& id) const {
        const slot_t number = number_of(id);
        return number == no_slot ? H() : nodes_[number].handle;
    }
    /// The id of `handle`, null when it has none. Any bit pattern is allowed.
    template <std::convertible_to<H> Named>
    const Id* id_of(const Named& handle) const noexcept {
        const slot_t* const number = by_handle_.get(handle);
        return number == nullptr ? nullptr : std::addressof(nodes_[*number].id);
    }
    /// Whether there is a pair with this handle, or with this id. What stands in braces is an id, here and in erase().
    template <std::same_as<H> Named>
    bool contains(Named handle) const noexcept {
        return by_handle_.contains(handle);
    }
    /// 1 if there is a pair with this id or handle, else 0.
    template <class Key = Id>
    size_type count(const Key& id_or_handle) const {
        return contains(id_or_handle) ? 1 : 0;
    }
    template <class Key = Id>
        requires(!std::same_as<Key, H>)
    bool contains(const Key& id) const {
        return number_of(id) != no_slot;
    }

    /// Removes a pair by either side; false when there is none.
    template <std::same_as<H> Named>
    bool erase(Named handle) noexcept {
        const bool found = contains(handle);
        if (found) drop_slot(handle.index());
        return found;
    }
    template <class Key = Id>
        requires(!std::same_as<Key, H>)
    bool erase(const Key& id) {
        const Operation running(*this);
        const slot_t number = number_of(id);
        if (number != no_slot) remove(number);
        return number != no_slot;
    }
    /// Removes every pair for which pred(handle, id) holds; returns how many. pred may change the map, but must not erase the
    /// pair that it was called with.
    template <class Pred>
    size_type erase_if(Pred pred) {
        size_type erased = 0;
        for (const auto item : by_handle_) {
            const slot_t number = item.value; // item refers to the entry, which pred may erase
            const H handle = nodes_[number].handle;
            const Operation running(*this);
            if (!pred(handle, std::as_const(nodes_[number].id))) continue;
            if (const slot_t* const there = by_handle_.get(handle); there == nullptr || *there != number) continue;
            remove(number);
            ++erased;
        }
        return erased;
    }
    /// Removes all pairs and frees the memory. A pair that an id's destructor inserts meanwhile survives.
    void clear() noexcept {
        slot_t gone = no_slot;
        for (const auto [handle, number] : by_handle_) gone = nodes_.chain(number, gone);
        index_.reset();
        by_handle_.clear();
        ++changes_;
        destroy_chain(gone);
        nodes_.free_unused();
    }
    /// Calls f(id, handle) for every pair, in handle order. f must not change the map.
    template <class F>
    void for_each(F&& f) const {
        for (const auto [handle, number] : by_handle_) f(std::as_const(nodes_[number].id), nodes_[number].handle);
    }
    /// The ids, the handles as they were inserted, user bits included, and both as pairs {handle, value = id}, in handle order.
    auto ids() const noexcept { return walk<id_in>(); }
    auto handles() const noexcept { return walk<handle_in>(); }
    auto items() const noexcept { return walk<item_in>(); }
    /// The same walk as items(): for (auto [handle, id] : ids).
    auto begin() const noexcept { return items().begin(); }
    auto end() const noexcept { return items().end(); }

    /// Equal when the same handles have equal ids; user bits are compared too.
    friend bool operator==(const IdentityMap& a, const IdentityMap& b)
        requires std::equality_comparable<Id>
    {
        if (a.size() != b.size()) return false;
        for (const auto [handle, id] : a) {
            const slot_t there = b.number_at(handle.index());
            if (there == no_slot || b.nodes_[there].handle != handle || !(b.nodes_[there].id == id)) return false;
        }
        return true;
    }
    /// The pairs as bytes. The same pairs give the same bytes. @pre no id is being built or destroyed
    /// @param codec how ids become bytes; see DefaultCodec for the types that need none
    template <class Codec = DefaultCodec>
    std::vector<std::byte> snapshot(Codec codec = {}) const {
        ByteWriter out;
        out.number(snapshot_kind);
        for (const std::uint8_t byte : header) out.number(byte);
        out.number(detail::size_check_of<Id>());
        out.number(std::uint64_t{size()});
        for (const auto [handle, id] : *this) {
            out.number(handle.to_bits());
            codec.write(id, out);
        }
        return detail::Seal::close<Codec>(out, {{detail::ElementRole::id, detail::type_tag<Codec, Id>()}});
    }
    /// Replaces the pairs by those of a snapshot and keeps the attachment. All bytes are checked before anything changes, and
    /// bytes that snapshot() would not write are refused. Restore the map of the elements first, and attach_to() it afterwards:
    /// that drops the pairs of elements that it does not have.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator, Hash, Equal and the
    /// constructors of ids throw; strong
    template <class Codec = DefaultCodec>
    void restore(std::span<const std::byte> bytes, Codec codec = {}) {
        if (const char* error = try_restore(bytes, codec)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws as restore otherwise
    template <class Codec = DefaultCodec>
    const char* try_restore(std::span<const std::byte> bytes, Codec codec = {}) {
        this->expect_quiescent();
        if (const char* const wrong =
                detail::Seal::open<Codec>(bytes, snapshot_kind, {{detail::ElementRole::id, detail::type_tag<Codec, Id>()}}))
            return wrong;
        ByteReader in(bytes);
        if (in.number<std::uint32_t>() != snapshot_kind) return "snapshot: these bytes are no snapshot of an IdentityMap";
        for (const std::uint8_t byte : header)
            if (in.number<std::uint8_t>() != byte) return "snapshot: it was made with another handle layout or byte order";
        if (in.number<std::uint32_t>() != detail::size_check_of<Id>())
            return "snapshot: it was made by a map of ids of another size";
        IdentityMap fresh(hash_, equal_, get_allocator());
        slot_t least = 0; // each slot once, in ascending order
        for (size_type left = in.length(sizeof(typename H::bits_type)); left != 0 && in.error() == nullptr; --left) {
            const H handle = H::from_bits(in.number<typename H::bits_type>());
            Id id(codec.template read<Id>(in));
            if (detail::never_live(handle) || handle.index() < least || handle.index() == no_slot)
                in.fail("snapshot: a handle was never live, or names the slot of one before");
            if (in.error() != nullptr) break;
            least = handle.index() + 1;
            if (!fresh.insert(std::move(id), handle)) in.fail("snapshot: an id occurs twice");
        }
        if (in.error() == nullptr && in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        if (in.error() == nullptr) swap_pairs(fresh);
        return in.error();
    }
    /// Bytes held on the heap, without what ids hold themselves. @complexity O(1)
    size_type memory_usage() const noexcept { return detail::memory_of(nodes_, by_handle_) + detail::known_memory_of(index_); }
    /// Whether both directions agree; for tests.
    bool check_invariants() const {
        if (!by_handle_.check_invariants() || !nodes_.check_invariants() || nodes_.used() < size()) return false;
        for (const auto [handle, number] : by_handle_) {
            const Node& node = nodes_[number];
            if (node.handle.with_user_bits(0) != handle || hash_at(node) != hash_of(node.id)) return false;
        }
        return index_.is_sound(hashes());
    }

private:
    static constexpr std::uint32_t snapshot_kind = 0x4449'4C53; // "SLID"
    static constexpr std::uint8_t header[] = {std::endian::native == std::endian::little ? 1 : 2, H::layout.index_bits,
                                              detail::HandleTraits<H::layout>::version_stamp, H::layout.user_bits};
    /// What a walk gives for the node of an entry.
    template <auto part>
    struct NodePart {
        const Nodes* nodes = nullptr;
        template <class Iterator>
        decltype(auto) operator()(const Iterator& it) const noexcept {
            return part((*nodes)[(*it).value]);
        }
    };
    static const Id& id_in(const Node& node) noexcept { return node.id; }
    static H handle_in(const Node& node) noexcept { return node.handle; } // the key of the entry has no user bits
    static SlotMapItem<H, const Id&> item_in(const Node& node) noexcept { return {node.handle, node.id}; }
    template <auto part>
    auto walk() const noexcept {
        return detail::part_range(by_handle_.begin(), by_handle_.end(), size(), NodePart<part>{std::addressof(nodes_)});
    }
    template <class Key>
    std::uint64_t hash_of(const Key& key) const {
        const auto hash = hash_(key);
        if constexpr (Avalanching<Hash> && sizeof(hash) == sizeof(std::uint64_t))
            return hash;
        else
            return mix_bits(hash);
    }
    std::uint64_t hash_at(const Node& node) const noexcept {
        if constexpr (keeps_hashes)
            return node.hash;
        else
            return hash_of(node.id);
    }
    /// The entries of the index, see GroupIndex.
    auto hashes() const noexcept {
        return [this](auto&& entry) {
            for (const auto [handle, number] : by_handle_) entry(number, hash_at(nodes_[number]));
        };
    }

    template <class Key>
    slot_t number_of(const Key& key) const {
        if constexpr (std::same_as<Key, Id> || requires(const Hash& hash, const Equal& equal, const Id& id) {
                          typename Hash::is_transparent;
                          typename Equal::is_transparent;
                          static_cast<std::size_t>(hash(key));
                          static_cast<bool>(equal(id, key));
                      }) {
            return number_of(hash_of(key), key);
        } else {
            const Id& id = key;
            return number_of(hash_of(id), id);
        }
    }
    template <class Key>
    slot_t number_of(std::uint64_t hash, const Key& key) const {
        for (;;) {
            const std::size_t seen = changes_;
            // Once Equal has changed the map, the search ends without another look at the index, whose memory may be gone.
            const slot_t found = index_.find(hash, [&](slot_t number) {
                const Node& node = nodes_[number];
                if constexpr (keeps_hashes)
                    if (node.hash != hash) return false;
                return equal_(std::as_const(node.id), key) || seen != changes_;
            });
            if (seen == changes_) return found; // otherwise start again
        }
    }
    slot_t number_at(slot_t slot) const noexcept {
        const slot_t* const number = detail::SlotEntries::find(by_handle_, slot);
        return number == nullptr ? no_slot : *number;
    }
    bool takes(H handle) const noexcept {
        const slot_t there = number_at(handle.index());
        return there == no_slot || nodes_[there].handle.version() < handle.version();
    }

    // NOLINTBEGIN(clang-analyzer-core.StackAddressEscape): the destructor of `running` takes its address out
    template <class Key>
    bool insert_pair(Key&& id, H handle) {
        if (detail::never_live(handle) || !takes(handle)) return false;
        const Insertion running(*this, handle.index());
        const std::size_t before = changes_;
        const std::uint64_t hash = hash_of(std::as_const(id));
        if (number_of(hash, std::as_const(id)) != no_slot) return false;
        const slot_t number = nodes_.make(hash, handle, std::forward<Key>(id));
        ScopeGuard undo([&]() noexcept { destroy(number); });
        // Repeated while Hash, Equal or the constructor of the id changes the map, because the lookup may be outdated.
        for (std::size_t seen = before; seen != changes_;) {
            seen = changes_;
            if (number_of(hash, std::as_const(nodes_[number].id)) != no_slot) return false;
        }
        if (running.element_erased() || (changes_ != before && !takes(handle))) return false;
        const slot_t older = number_at(handle.index());
        enter(number);
        undo.dismiss();
        if (older != no_slot) {
            unlist(older);
            destroy(older);
        }
        return true;
    }
    // NOLINTEND(clang-analyzer-core.StackAddressEscape)
    /// Makes the node a pair of the map, or throws and has changed nothing. A pair of an older handle stays in the index.
    void enter(slot_t number) {
        const Node& node = nodes_[number];
        index_.make_room(hashes());
        ++changes_;
        by_handle_.try_emplace(node.handle, number);
        index_.place(hash_at(node), number);
    }
    template <class IdOf>
    void enter_all(const IdentityMap& other, IdOf id_of_node) {
        reserve(other.size());
        for (const auto [handle, from] : other.by_handle_) {
            Node& node = other.nodes_[from];
            const slot_t number = nodes_.make(hash_at(node), node.handle, id_of_node(node));
            ScopeGuard undo([&]() noexcept { destroy(number); });
            enter(number); // with room, because a copy of an id may have inserted into `other`
            undo.dismiss();
        }
    }
    // @pre the node is no pair
    void destroy(slot_t number) noexcept {
        const Operation running(*this);
        nodes_.destroy(number);
    }
    void destroy_chain(slot_t chain) noexcept {
        while (chain != no_slot) destroy(std::exchange(chain, nodes_.next_of(chain)));
    }
    void unlist(slot_t number) noexcept {
        index_.erase(hash_at(nodes_[number]), number);
        ++changes_;
    }
    void remove(slot_t number) noexcept {
        detail::SlotEntries::drop(by_handle_, nodes_[number].handle.index());
        unlist(number);
        destroy(number);
    }
    void drop_slot(slot_t slot) noexcept {
        if (const slot_t number = number_at(slot); number != no_slot) remove(number);
    }
    /// First removes all these pairs, then destroys their ids.
    void drop_slots(Occupancy cleared) noexcept {
        slot_t gone = no_slot;
        for (const auto [handle, number] : by_handle_)
            if (cleared.test(handle.index())) {
                unlist(number);
                gone = nodes_.chain(number, gone);
            }
        detail::SlotEntries::drop(by_handle_, cleared);
        destroy_chain(gone);
    }
    void swap_pairs(IdentityMap& other) noexcept {
        index_.swap(other.index_);
        nodes_.swap(other.nodes_);
        detail::SlotEntries::swap(by_handle_, other.by_handle_);
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

    Index index_{}; // of numbers of nodes, by the hash of the id
    Nodes nodes_{};
    SecondaryMap<H, slot_t, AllocBy<Allocator>> by_handle_{}; // of numbers of nodes
    std::size_t changes_ = 0; // of index and nodes, so that a search notices that Equal changed them
    SLOTWISE_NO_UNIQUE_ADDRESS Hash hash_;
    SLOTWISE_NO_UNIQUE_ADDRESS Equal equal_;
};

SLOTWISE_END

#endif
