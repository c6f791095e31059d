// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RelationMap: which sources are related to which targets, by relation, read from both sides.
#ifndef SLOTWISE_ECS_RELATION_MAP_HPP
#define SLOTWISE_ECS_RELATION_MAP_HPP

#include "../core/codec.hpp"
#include "../core/detail/seal.hpp"
#include "../core/id_traits.hpp"
#include "../keyed/map_storage.hpp"
#include "../memory/allocator.hpp"
#include "../memory/value_table.hpp"
#include "../rows/detail/row_container.hpp"
#include "../slots/detail/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

SLOTWISE_BEGIN

namespace detail {

/// What a RelationMap accepts as a source, a relation or a target.
template <class Id>
concept RelatedId = std::is_trivially_copyable_v<Id> && std::is_default_constructible_v<Id> && std::equality_comparable<Id> &&
                    std::has_unique_object_representations_v<Id> && !std::is_same_v<Id, bool> && requires(const Id& id) {
                        { DefaultHash<Id>()(id) } noexcept;
                    };

/// An order of ids by their bytes, because they need not have an order of their own.
template <class Id>
bool bytes_less(const Id& a, const Id& b) noexcept {
    return std::memcmp(std::addressof(a), std::addressof(b), sizeof(Id)) < 0;
}

template <class Source, class Target, class Allocator>
class RelationPairs;

} // namespace detail

/// Pairs of a source and a target, in each of several relations: child of, likes, owns. The targets of a source are one array,
/// and so are the sources of a target. Both sides change together. A target does not own its sources: erase_target() removes
/// the pairs, and reports which sources lost them.
///
/// Handles are stored with their versions and without their user bits. So a pair with an element that died never becomes one
/// with the element that has its slot now. A handle that was never live is refused.
/// @tparam Source a handle, a number, an enumeration, or another small trivially copyable type with a hash
/// @tparam Relation the same
/// @tparam Target the same
/// @tparam With in any order: `Options<RelationMapOptions{...}>`, `AllocBy<A>`
template <class Source, class Relation, class Target, class... With>
class RelationMap {
    static_assert(
        detail::RelatedId<Source> && detail::RelatedId<Relation> && detail::RelatedId<Target>,
        "RelationMap<Source, Relation, Target>: these are handles, numbers, enumerations, or other trivially copyable "
        "types without padding, with == and a DefaultHash that does not throw; for names take numbers of an interner");
    using Args =
        detail::Arguments<detail::with_options | detail::with_alloc, RelationMapOptions, std::byte, detail::NoKey, With...>;
    using Allocator = typename Args::allocator;
    using Pairs = detail::RelationPairs<Source, Target, Allocator>; // below
    /// A relation, its pairs and its policy.
    struct Layer {
        Relation relation;
        Pairs pairs;
        bool exclusive = Args::options.exclusive;
        Layer(const Relation& of, const Allocator& alloc) : relation(of), pairs(alloc) {}
        /// Whether it is equal to a relation without a layer.
        bool unused() const noexcept { return pairs.size() == 0 && exclusive == Args::options.exclusive; }
    };
    using Layers = detail::FlatArray<Layer*, Allocator>;

public:
    /// What pairs lead from.
    using source_type = Source;
    /// What names the kind of a pair.
    using relation_type = Relation;
    /// What pairs lead to.
    using target_type = Target;
    using size_type = std::size_t;
    using allocator_type = Allocator;

    //=== construction ===//

    RelationMap()
        requires std::is_default_constructible_v<Allocator>
        : RelationMap(Allocator()) {}
    explicit RelationMap(const Allocator& alloc) noexcept : layers_(alloc), table_(alloc) {}
    /// Copies pairs, orders and policies. @throws what the allocator throws
    RelationMap(const RelationMap& other)
        : RelationMap(other, std::allocator_traits<Allocator>::select_on_container_copy_construction(other.get_allocator())) {}
    RelationMap(const RelationMap& other, const Allocator& alloc) : RelationMap(alloc) { enter(other); }
    /// `other` is empty then.
    RelationMap(RelationMap&& other) noexcept : RelationMap(other.get_allocator()) { swap_contents(other); }
    /// The same; pairs are copied if the allocators differ. @throws what the allocator throws; strong
    RelationMap(RelationMap&& other, const Allocator& alloc) : RelationMap(alloc) {
        if (alloc == other.get_allocator()) {
            swap_contents(other);
            return;
        }
        enter(other);
        other.reset();
    }
    /// @throws what the allocator throws; strong
    RelationMap& operator=(const RelationMap& other) {
        detail::RowRules::assign_copy(*this, other);
        return *this;
    }
    /// `other` is empty then. @throws what the allocator throws when the allocators differ and do not
    /// propagate
    RelationMap& operator=(RelationMap&& other) noexcept(detail::RowRules::nothrow_move<RelationMap>) {
        detail::RowRules::assign_move(*this, other);
        return *this;
    }
    ~RelationMap() { reset(); }
    /// Exchanges the contents. Pairs are copied if the allocators differ and do not propagate.
    void swap(RelationMap& other) noexcept(detail::RowRules::nothrow_swap<RelationMap>) {
        detail::RowRules::swap(*this, other);
    }
    friend void swap(RelationMap& a, RelationMap& b) noexcept(noexcept(a.swap(b))) { a.swap(b); }
    allocator_type get_allocator() const noexcept { return Allocator(layers_.get_allocator()); }

    //=== capacity ===//

    /// The number of pairs of all relations.
    size_type size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    /// The number of pairs of one relation.
    size_type count(const Relation& relation) const noexcept {
        const Layer* const layer = find(relation);
        return layer == nullptr ? 0 : layer->pairs.size();
    }
    /// Makes room for `sources` different sources of a relation. @throws what the allocator throws; strong
    void reserve(const Relation& relation, size_type sources) { layer_of(relation).pairs.reserve(sources); }
    /// Frees memory that no pair needs. @throws what the allocator throws; the pairs are as before
    void shrink_to_fit() {
        for (Layer* const layer : layers()) layer->pairs.shrink_to_fit();
    }

    //=== policy ===//

    /// Whether a source has at most one target of this relation, so that insert() replaces it.
    bool is_exclusive(const Relation& relation) const noexcept {
        const Layer* const layer = find(relation);
        return layer == nullptr ? Args::options.exclusive : layer->exclusive;
    }
    /// Gives one relation another policy than the map's.
    /// @throws std::invalid_argument when a source has several targets of a relation that is to be exclusive; what the
    /// allocator throws; strong @complexity amortised O(1)
    void set_exclusive(const Relation& relation, bool exclusive = true) {
        Layer& layer = layer_of(relation);
        if (exclusive && !layer.pairs.single())
            detail::throw_invalid_argument("RelationMap set_exclusive(relation): a source has several targets of it; erase all "
                                           "but one, or set the policy before pairs are inserted");
        layer.exclusive = exclusive;
    }

    //=== lookup ===//

    /// Whether they are related. Handles of any bits are allowed.
    /// @complexity O(1), and the shorter of targets(source, relation) and sources(relation, target) is searched
    bool contains(const Source& source, const Relation& relation, const Target& target) const noexcept {
        const Layer* const layer = find(relation);
        return layer != nullptr && layer->pairs.contains(own(source), own(target));
    }
    /// The targets of a source, in the order of their insertion, except that erase() moves the last one into the gap.
    /// @complexity O(1) @invalidates the next change of a pair of this source and relation
    std::span<const Target> targets(const Source& source, const Relation& relation) const noexcept {
        const Layer* const layer = find(relation);
        return layer == nullptr ? std::span<const Target>() : layer->pairs.forward().span(own(source));
    }
    /// The first target, or null; the only one if the relation is exclusive. As targets()
    const Target* target(const Source& source, const Relation& relation) const noexcept {
        const auto all = targets(source, relation);
        return all.empty() ? nullptr : all.data();
    }
    /// The sources of a target, as targets().
    std::span<const Source> sources(const Relation& relation, const Target& target) const noexcept {
        const Layer* const layer = find(relation);
        return layer == nullptr ? std::span<const Source>() : layer->pairs.inverse().span(own(target));
    }
    /// Calls f(source, relation, target) for each pair, relation by relation. f must not change the map.
    template <class F>
    void for_each(F&& f) const {
        for (const Layer* const layer : layers())
            layer->pairs.forward().for_each([&](const Source& source, const auto& list) {
                for (const Target& target : list.span()) f(source, layer->relation, target);
            });
    }

    //=== modifiers ===//

    /// Relates them, and returns whether something changed: false if they are related already, or a handle was never live. If
    /// the relation is exclusive, the target replaces the one that the source has, in one step. Arguments may refer to a pair
    /// of this map.
    /// @throws what the allocator throws; strong
    /// @complexity amortised O(1), and as contains()
    bool insert(const Source& source, const Relation& relation, const Target& target) {
        if (!can_live(source) || !can_live(target)) return false;
        Layer& layer = layer_of(relation);
        const size_type before = layer.pairs.size();
        const Source from = own(source);
        const Target to = own(target);
        const bool changed = layer.exclusive ? layer.pairs.assign(from, to) : layer.pairs.insert(from, to);
        size_ += layer.pairs.size() - before;
        return changed;
    }
    /// Removes the pair, and returns whether there was one. The last target of the source and the last source of the target
    /// fill the gaps. @complexity as contains()
    bool erase(const Source& source, const Relation& relation, const Target& target) noexcept {
        Layer* const layer = find(relation);
        const bool erased = layer != nullptr && layer->pairs.erase(own(source), own(target));
        size_ -= erased;
        return erased;
    }
    /// Removes all pairs of the source, for example because it dies; returns how many. @complexity O(relations + pairs)
    size_type erase_source(const Source& source) noexcept {
        return erase_each([id = own(source)](Pairs& pairs) { return pairs.erase_source(id); });
    }
    /// Removes the pairs of the source in one relation; returns how many.
    size_type erase_source(const Source& source, const Relation& relation) noexcept {
        Layer* const layer = find(relation);
        const size_type erased = layer == nullptr ? 0 : layer->pairs.erase_source(own(source));
        size_ -= erased;
        return erased;
    }
    /// Removes all pairs with this target, for example because it dies; returns how many. @complexity O(relations + pairs)
    size_type erase_target(const Target& target) noexcept {
        return erase_each([id = own(target)](Pairs& pairs) { return pairs.erase_target(id); });
    }
    /// The same, then calls on_orphan(source, relation) for each removed pair. All pairs are removed before the first call, so
    /// on_orphan may change the map in any way: give the source another target, or erase the source as a target too.
    /// @throws what the allocator throws; strong; what on_orphan throws: the pairs are removed, and
    /// further calls are not made
    template <class F>
    size_type erase_target(const Target& target, F&& on_orphan) {
        struct Orphan {
            Source source;
            Relation relation;
        };
        const Target id = own(target);
        std::vector<Orphan, detail::rebind_t<Allocator, Orphan>> orphans(
            (detail::rebind_t<Allocator, Orphan>(get_allocator())));
        for (const Layer* const layer : layers())
            for (const Source& source : layer->pairs.inverse().span(id)) orphans.push_back({source, layer->relation});
        const size_type erased = erase_target(id);
        for (const Orphan& orphan : orphans) on_orphan(orphan.source, orphan.relation);
        return erased;
    }
    /// Removes all pairs. Policies of relations stay. @complexity O(relations + pairs)
    void clear() noexcept {
        for (Layer* const layer : layers()) {
            std::destroy_at(std::addressof(layer->pairs));
            std::construct_at(std::addressof(layer->pairs), get_allocator());
        }
        size_ = 0;
    }

    //=== comparison and snapshots ===//

    /// Whether both have the same pairs, in whatever order.
    friend bool operator==(const RelationMap& a, const RelationMap& b) {
        if (a.size_ != b.size_) return false;
        bool same = true;
        a.for_each([&](const Source& source, const Relation& relation, const Target& target) {
            same = same && b.contains(source, relation, target);
        });
        return same;
    }
    /// Pairs, with the order of targets() and sources(), and policies, as bytes. These do not depend on earlier erasures:
    /// relations and sources are sorted by their bytes.
    std::vector<std::byte> snapshot() const {
        ByteWriter out;
        for (const std::uint8_t byte : header) out.number(byte);
        using Used = detail::rebind_t<Allocator, const Layer*>;
        std::vector<const Layer*, Used> used{Used(get_allocator())};
        for (const Layer* const layer : layers())
            if (!layer->unused()) used.push_back(layer);
        std::sort(used.begin(), used.end(),
                  [](const Layer* a, const Layer* b) { return detail::bytes_less(a->relation, b->relation); });
        out.number(static_cast<slot_t>(used.size()));
        for (const Layer* const layer : used) {
            out.raw(std::addressof(layer->relation), sizeof(Relation));
            out.number(static_cast<std::uint8_t>(layer->exclusive));
            out.number(std::uint64_t{layer->pairs.forward().size()});
            layer->pairs.forward().for_each_in_order([&](const Source& source, const auto& list) {
                out.raw(std::addressof(source), sizeof source);
                out.number(std::uint64_t{list.count()});
                for (slot_t place = 0; place != list.count(); ++place) {
                    out.raw(std::addressof(list.id(place)), sizeof(Target));
                    out.number(list.row(place));
                }
            });
        }
        return detail::Seal::close(out, tags);
    }
    /// Replaces the contents by a snapshot's. All bytes are checked before anything changes.
    /// @throws std::invalid_argument whose what() says what is wrong with the bytes, what the allocator throws; strong
    void restore(std::span<const std::byte> bytes) {
        if (const char* const error = try_restore(bytes)) detail::throw_invalid_argument(error);
    }
    /// As restore, but returns the error instead of throwing it; null on success. @throws what the allocator throws; strong
    const char* try_restore(std::span<const std::byte> bytes) {
        if (const char* const wrong = detail::Seal::open(bytes, kind(), tags)) return wrong;
        RelationMap restored(get_allocator());
        ByteReader in(bytes);
        if (restored.read(in)) swap_contents(restored);
        return in.error();
    }
    /// Bytes held on the heap. @complexity linear in relations and the ids that have pairs
    size_type memory_usage() const noexcept {
        size_type bytes = detail::memory_of(layers_, table_);
        for (const Layer* const layer : layers()) bytes += sizeof *layer + layer->pairs.memory_usage();
        return bytes;
    }
    /// Whether both sides agree; for tests.
    bool check_invariants() const {
        size_type pairs = 0;
        bool sound = table_.is_sound(count_, [this](slot_t number) { return tag(layers_[number]->relation); });
        for (const Layer* const layer : layers()) {
            pairs += layer->pairs.size();
            sound = sound && find(layer->relation) == layer && layer->pairs.check_invariants() &&
                    (!layer->exclusive || layer->pairs.single());
        }
        return sound && pairs == size_;
    }

private:
    friend struct detail::RowRules;
    static constexpr std::array tags = {detail::ElementTag{detail::ElementRole::id, detail::type_tag<DefaultCodec, Source>()},
                                        detail::ElementTag{detail::ElementRole::id, detail::type_tag<DefaultCodec, Relation>()},
                                        detail::ElementTag{detail::ElementRole::id, detail::type_tag<DefaultCodec, Target>()}};
    /// The first four bytes of `header`.
    static std::uint32_t kind() noexcept { return detail::number_of(header); }
    static constexpr std::uint8_t header[] = {
        'S',           'L', 'R', '1', std::endian::native == std::endian::little ? 1 : 2, sizeof(Source), sizeof(Relation),
        sizeof(Target)};

    // The id as the map stores it.
    template <class Id>
    static Id own(const Id& id) noexcept {
        return detail::without_user_bits(id);
    }
    template <class Id>
    static bool can_live(const Id& id) noexcept {
        if constexpr (AnyId<Id>)
            return IdTraits<Id>::can_live(id);
        else
            return true;
    }
    std::span<Layer* const> layers() const noexcept { return {layers_.data(), count_}; }
    static std::uint32_t tag(const Relation& relation) noexcept {
        return static_cast<std::uint32_t>(DefaultHash<Relation>()(relation));
    }
    Layer* find(const Relation& relation) const noexcept {
        const slot_t number =
            table_.find(tag(relation), [&](slot_t each) { return static_cast<bool>(layers_[each]->relation == relation); });
        return number == no_slot ? nullptr : layers_[number];
    }
    // The layer of a relation, made if there is none. Throws what the allocator throws; strong
    Layer& layer_of(const Relation& relation) {
        if (Layer* const layer = find(relation)) return *layer;
        if (count_ == layers_.size()) layers_.resized(count_ < 4 ? 4 : 2 * std::size_t{count_}, nullptr).swap(layers_);
        table_.make_room(tag(relation), count_);
        detail::rebind_t<Allocator, Layer> alloc(get_allocator());
        Layer* const layer = detail::allocate_raw(alloc, 1);
        ScopeGuard undo([&]() noexcept { detail::deallocate_raw(alloc, layer, 1); });
        std::construct_at(layer, relation, get_allocator());
        undo.dismiss();
        layers_[count_] = layer;
        table_.insert(tag(relation), count_++);
        return *layer;
    }
    // Calls erase(pairs) for the pairs of each relation. Returns how many it removed.
    template <class F>
    size_type erase_each(F&& erase) noexcept {
        size_type erased = 0;
        for (Layer* const layer : layers()) erased += erase(layer->pairs);
        size_ -= erased;
        return erased;
    }
    void reset() noexcept {
        detail::rebind_t<Allocator, Layer> alloc(get_allocator());
        for (Layer* const layer : layers()) {
            std::destroy_at(layer);
            detail::deallocate_raw(alloc, layer, 1);
        }
        layers_.free();
        table_.free();
        count_ = 0;
        size_ = 0;
    }
    void swap_contents(RelationMap& other) noexcept {
        layers_.swap(other.layers_);
        table_.swap(other.table_);
        std::swap(count_, other.count_);
        std::swap(size_, other.size_);
    }
    // Copies all of `other`. @pre this is empty
    void enter(const RelationMap& other) {
        ScopeGuard undo([this]() noexcept { reset(); }); // a constructor that throws has no destructor
        for (const Layer* const layer : other.layers()) {
            Layer& copy = layer_of(layer->relation);
            copy.exclusive = layer->exclusive;
            copy.pairs.copy(layer->pairs);
        }
        size_ = other.size_;
        undo.dismiss();
    }
    bool read(ByteReader& in) {
        for (const std::uint8_t byte : header)
            if (in.number<std::uint8_t>() != byte)
                return in.fail("snapshot: these bytes are no snapshot of a RelationMap with ids of these sizes");
        for (auto left = in.number<slot_t>(); left != 0; --left) {
            const Relation relation = detail::read_block<Relation>(in);
            const bool exclusive = in.flag();
            if (in.error() != nullptr) return false;
            if (count_ != 0 && !detail::bytes_less(layers_[count_ - 1]->relation, relation))
                return in.fail("snapshot: a relation occurs twice, or behind a higher one");
            Layer& layer = layer_of(relation);
            if (!read_pairs(in, layer.pairs)) return false;
            if (exclusive && !layer.pairs.single())
                return in.fail("snapshot: an exclusive relation has two targets of a source");
            layer.exclusive = exclusive;
            if (layer.unused()) return in.fail("snapshot: a relation has neither pairs nor a policy of its own");
            size_ += layer.pairs.size();
        }
        if (in.left() != 0) in.fail("snapshot: there are more bytes than the state needs");
        return in.error() == nullptr;
    }
    bool read_pairs(ByteReader& in, Pairs& pairs) {
        using RowAllocator = detail::rebind_t<Allocator, slot_t>;
        std::vector<slot_t, RowAllocator> rows{RowAllocator(get_allocator())};
        Source before{};
        for (auto left = in.number<std::uint64_t>(); left != 0; --left) {
            const Source source = detail::read_block<Source>(in);
            const std::size_t targets = in.length(sizeof(Target) + sizeof(slot_t));
            if (in.error() != nullptr) return false;
            if (targets == 0 || !is_own(source) || (pairs.size() != 0 && !detail::bytes_less(before, source)))
                return in.fail("snapshot: a source has no targets, is out of order, or none that a container has");
            before = source;
            for (std::size_t i = 0; i != targets; ++i) {
                const Target target = detail::read_block<Target>(in);
                if (!is_own(target) || !pairs.insert(source, target))
                    return in.fail("snapshot: a target is none that a container has, or a pair occurs twice");
                rows.push_back(in.number<slot_t>());
            }
        }
        if (!pairs.order_sources(rows)) in.fail("snapshot: the sources of a target do not agree with their targets");
        return in.error() == nullptr;
    }
    template <class Id>
    static bool is_own(const Id& id) noexcept {
        return can_live(id) && own(id) == id;
    }

    Layers layers_; // in the order of their first use
    detail::ValueTable<false, Allocator> table_;
    slot_t count_ = 0;
    size_type size_ = 0;
};

namespace detail {

/// The partners of one id. Each row has a partner, and the row that this id has in the list of that partner. A list of one
/// partner allocates nothing, because most lists are that short: a child has one parent.
template <class Other, class Allocator>
class RelationList {
public:
    explicit RelationList(const Allocator& alloc) noexcept : ids_(alloc), rows_(alloc) {}
    RelationList(const RelationList&) = delete;
    RelationList& operator=(const RelationList&) = delete;
    ~RelationList() = default;

    slot_t count() const noexcept { return count_; }
    std::span<const Other> span() const noexcept { return {ids(), count_}; }
    const Other& id(slot_t row) const noexcept { return ids()[row]; }
    /// The row that this id has in the list of partner number `row`.
    slot_t row(slot_t row) const noexcept { return rows()[row]; }
    void set_row(slot_t row, slot_t to) noexcept { rows()[row] = to; }
    void set(slot_t row, Other id, slot_t of) noexcept {
        ids()[row] = id;
        rows()[row] = of;
    }
    /// Makes room for one more. @throws what the allocator throws; nothing has changed then
    void make_room() {
        if (count_ == 0 || count_ < ids_.size()) return;
        if (count_ == no_slot) throw_length_error("RelationMap: more than 2^32 - 1 pairs of one id and one relation");
        resize(count_ < 4 ? 4 : count_ < no_slot / 2 ? 2 * std::size_t{count_} : std::size_t{no_slot});
    }
    /// @pre there is room
    void push(Other id, slot_t of) noexcept { set(count_++, id, of); }
    /// Removes a row, which the last row fills. Returns false if it was the last one itself.
    bool take_out(slot_t row) noexcept {
        const slot_t last = --count_;
        if (row == last) return false;
        set(row, ids()[last], rows()[last]);
        return true;
    }
    /// @pre this is empty
    void copy(const RelationList& from) {
        if (from.count_ > 1) resize(from.count_);
        for (; count_ != from.count_; ++count_) set(count_, from.id(count_), from.row(count_));
    }
    std::size_t memory_usage() const noexcept { return memory_of(ids_, rows_); }
    void shrink_to_fit() {
        if (ids_.empty() || count_ == ids_.size()) return;
        if (count_ > 1) return resize(count_);
        const Other kept = ids_[0];
        const slot_t of = rows_[0];
        ids_.free();
        rows_.free();
        set(0, kept, of);
    }

private:
    const Other* ids() const noexcept { return ids_.empty() ? std::addressof(one_) : ids_.data(); }
    Other* ids() noexcept { return ids_.empty() ? std::addressof(one_) : ids_.data(); }
    const slot_t* rows() const noexcept { return ids_.empty() ? &one_row_ : rows_.data(); }
    slot_t* rows() noexcept { return ids_.empty() ? &one_row_ : rows_.data(); }
    void resize(std::size_t room) {
        auto more_ids = ids_.resized(room, Other{});
        auto more_rows = rows_.resized(room, 0);
        if (ids_.empty()) {
            more_ids[0] = one_;
            more_rows[0] = one_row_;
        }
        ids_.swap(more_ids);
        rows_.swap(more_rows);
    }

    FlatArray<Other, Allocator> ids_; // empty while there is one partner or none: it is in one_ and one_row_
    FlatArray<slot_t, Allocator> rows_;
    slot_t count_ = 0;
    slot_t one_row_ = 0;
    Other one_{};
};

/// One side of a relation: a list of partners for each id that has any.
template <class Id, class Other, class Allocator>
class RelationSide {
    using List = RelationList<Other, Allocator>;
    using Lists = MapStorage<Id, List, AllocBy<rebind_t<Allocator, std::byte>>>;

public:
    using id_type = Id;
    explicit RelationSide(const Allocator& alloc) : lists_(rebind_t<Allocator, std::byte>(alloc)) {}
    std::size_t size() const noexcept { return lists_.size(); }
    List* get(const Id& id) noexcept { return lists_.get(id); }
    const List* get(const Id& id) const noexcept { return lists_.get(id); }
    std::span<const Other> span(const Id& id) const noexcept {
        const List* const list = get(id);
        return list == nullptr ? std::span<const Other>() : list->span();
    }
    /// The list of the id, with room for one more. The caller must not leave it empty. @throws what the allocator throws;
    /// strong
    List& make(const Id& id) {
        if (List* const list = get(id)) {
            list->make_room();
            return *list;
        }
        return lists_.try_emplace(id, Allocator(lists_.get_allocator())).it->value;
    }
    /// Erases the list of the id if it is empty.
    void erase_empty(const Id& id) noexcept {
        if (const List* const list = get(id); list != nullptr && list->count() == 0) lists_.erase(id);
    }
    void erase(const Id& id) noexcept { lists_.erase(id); }
    /// Copies all lists. @pre this is empty
    void copy(const RelationSide& from) {
        lists_.reserve(from.size());
        for (const auto& [id, list] : from.lists_) make(id).copy(list);
    }
    void reserve(std::size_t ids) { lists_.reserve(ids); }
    void shrink_to_fit() {
        for (auto [id, list] : lists_) list.shrink_to_fit();
        lists_.shrink_to_fit();
    }
    template <class F>
    void for_each(F&& f) {
        for (auto [id, list] : lists_) f(id, list);
    }
    template <class F>
    void for_each(F&& f) const {
        for (const auto& [id, list] : lists_) f(id, list);
    }
    /// As for_each, in an order that does not depend on earlier erasures. @throws what the allocator throws
    template <class F>
    void for_each_in_order(F&& f) const {
        std::vector<const Id*, rebind_t<Allocator, const Id*>> ids((rebind_t<Allocator, const Id*>(lists_.get_allocator())));
        ids.reserve(size());
        for (const auto& [id, list] : lists_) ids.push_back(std::addressof(id));
        std::sort(ids.begin(), ids.end(), [](const Id* a, const Id* b) { return bytes_less(*a, *b); });
        for (const Id* const id : ids) f(*id, *get(*id));
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = lists_.memory_usage();
        for (const auto& [id, list] : lists_) bytes += list.memory_usage();
        return bytes;
    }
    bool check_invariants() const { return lists_.check_invariants(); }

private:
    Lists lists_;
};

/// The pairs of one relation: sources with their targets, and targets with their sources.
template <class Source, class Target, class Allocator>
class RelationPairs {
    using Forward = RelationSide<Source, Target, Allocator>;
    using Inverse = RelationSide<Target, Source, Allocator>;

public:
    explicit RelationPairs(const Allocator& alloc) : forward_(alloc), inverse_(alloc) {}

    std::size_t size() const noexcept { return size_; }
    const Forward& forward() const noexcept { return forward_; }
    const Inverse& inverse() const noexcept { return inverse_; }

    bool contains(const Source& source, const Target& target) const noexcept {
        return row_of(forward_.get(source), inverse_.get(target), source, target) != no_slot;
    }
    /// Whether each source has one target.
    bool single() const noexcept { return forward_.size() == size_; }
    /// Adds a pair. @throws what the allocator throws; strong @return whether it is new
    bool insert(const Source& source, const Target& target) {
        if (contains(source, target)) return false;
        auto& out = forward_.make(source);
        ScopeGuard undo([&]() noexcept { forward_.erase_empty(source); });
        auto& in = inverse_.make(target);
        undo.dismiss();
        const slot_t row = out.count();
        out.push(target, in.count());
        in.push(source, row);
        ++size_;
        return true;
    }
    /// Gives the source this target instead of the one that it has. @pre it has at most one
    bool assign(const Source& source, const Target& target) {
        auto* const out = forward_.get(source);
        if (out == nullptr) return insert(source, target);
        const Target before = out->id(0);
        if (before == target) return false;
        auto& in = inverse_.make(target);
        unlink(inverse_, before, out->row(0), forward_);
        out->set(0, target, in.count());
        in.push(source, 0);
        return true;
    }
    bool erase(const Source& source, const Target& target) noexcept {
        auto* const out = forward_.get(source);
        const slot_t row = row_of(out, inverse_.get(target), source, target);
        if (row == no_slot) return false;
        const slot_t of = out->row(row);
        unlink(forward_, source, row, inverse_);
        unlink(inverse_, target, of, forward_);
        --size_;
        return true;
    }
    /// Removes all pairs of the source; returns how many.
    std::size_t erase_source(const Source& source) noexcept { return detach(forward_, source, inverse_); }
    std::size_t erase_target(const Target& target) noexcept { return detach(inverse_, target, forward_); }
    void reserve(std::size_t sources) { forward_.reserve(sources); }
    void shrink_to_fit() {
        forward_.shrink_to_fit();
        inverse_.shrink_to_fit();
    }
    /// Copies all pairs and their order. @pre this is empty
    void copy(const RelationPairs& from) {
        forward_.copy(from.forward_);
        inverse_.copy(from.inverse_);
        size_ = from.size_;
    }
    /// Sets the row of each pair among the sources of its target. `rows` is in the order of a walk over forward(). Returns
    /// false when two pairs get the same row, or a row is too high: this object must then be dropped.
    bool order_sources(std::span<const slot_t> rows) noexcept {
        inverse_.for_each([](const Target&, auto& list) {
            for (slot_t row = 0; row != list.count(); ++row) list.set_row(row, no_slot);
        });
        std::size_t pair = 0;
        bool sound = rows.size() == size_;
        forward_.for_each([&](const Source& source, auto& out) {
            for (slot_t place = 0; place != out.count() && sound; ++place) {
                auto& in = *inverse_.get(out.id(place));
                const slot_t row = rows[pair++];
                sound = row < in.count() && in.row(row) == no_slot;
                if (!sound) return;
                in.set(row, source, place);
                out.set_row(place, row);
            }
        });
        return sound;
    }
    std::size_t memory_usage() const noexcept { return memory_of(forward_, inverse_); }
    /// Whether both sides agree; for tests.
    bool check_invariants() const {
        std::size_t out = 0, in = 0;
        return forward_.check_invariants() && inverse_.check_invariants() && agree(forward_, inverse_, out) &&
               agree(inverse_, forward_, in) && out == size_ && in == size_;
    }

private:
    // The row of the target among the targets of the source. The shorter list is searched; null stands for an empty one.
    template <class Out, class In>
    static slot_t row_of(const Out* out, const In* in, const Source& source, const Target& target) noexcept {
        if (out == nullptr || in == nullptr) return no_slot;
        if (in->count() < out->count()) {
            const slot_t of = find(*in, source);
            return of == no_slot ? no_slot : in->row(of);
        }
        return find(*out, target);
    }
    template <class List, class Id>
    static slot_t find(const List& list, const Id& id) noexcept {
        const auto ids = list.span();
        for (std::size_t row = 0; row != ids.size(); ++row)
            if (ids[row] == id) return static_cast<slot_t>(row);
        return no_slot;
    }
    // Removes a row of the list of `id`, and tells the partner that fills the row about its new place.
    template <class Side, class OtherSide>
    static void unlink(Side& side, const typename Side::id_type& id, slot_t row, OtherSide& others) noexcept {
        auto& list = *side.get(id);
        if (list.take_out(row)) others.get(list.id(row))->set_row(list.row(row), row);
        if (list.count() == 0) side.erase(id);
    }
    // Removes all pairs of `id`. Returns how many.
    template <class Side, class OtherSide>
    std::size_t detach(Side& side, const typename Side::id_type& id, OtherSide& others) noexcept {
        const auto* const list = side.get(id);
        if (list == nullptr) return 0;
        const slot_t count = list->count();
        for (slot_t row = 0; row != count; ++row) unlink(others, list->id(row), list->row(row), side);
        side.erase(id);
        size_ -= count;
        return count;
    }
    // Whether each entry of one side is in the list of its partner. Adds the number of pairs to `pairs`.
    template <class Side, class OtherSide>
    static bool agree(const Side& side, const OtherSide& others, std::size_t& pairs) {
        bool sound = true;
        side.for_each([&](const auto& id, const auto& list) {
            sound = sound && list.count() != 0;
            pairs += list.count();
            for (slot_t row = 0; row != list.count() && sound; ++row) {
                const auto* const other = others.get(list.id(row));
                sound = other != nullptr && list.row(row) < other->count() && other->id(list.row(row)) == id &&
                        other->row(list.row(row)) == row;
            }
        });
        return sound;
    }

    Forward forward_;
    Inverse inverse_;
    std::size_t size_ = 0;
};

} // namespace detail

SLOTWISE_END

#endif
