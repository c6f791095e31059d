// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// RelationLayer: the pairs of one relation, from both sides.
#ifndef SLOTWISE_ECS_RELATION_LAYER_HPP
#define SLOTWISE_ECS_RELATION_LAYER_HPP

#include "../core/codec.hpp"
#include "../core/id_traits.hpp"
#include "../keyed/map_storage.hpp"
#include "../memory/allocator.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

SLOTWISE_BEGIN
namespace detail {

/// What a relation map takes as a source, a relation or a target.
template <class Id>
concept RelatedId = std::is_trivially_copyable_v<Id> && std::is_default_constructible_v<Id> && std::equality_comparable<Id> &&
                    std::has_unique_object_representations_v<Id> && !std::is_same_v<Id, bool> && requires(const Id& id) {
                        { DefaultHash<Id>()(id) } noexcept;
                    };

/// An order of ids that need not have one of their own.
template <class Id>
bool bytes_less(const Id& a, const Id& b) noexcept {
    return std::memcmp(std::addressof(a), std::addressof(b), sizeof(Id)) < 0;
}

/// The partners of one id. Beside each partner is the row that this id has among the partners of that one. A list of one
/// allocates nothing, because most lists are that: a child has one parent.
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
    slot_t row(slot_t row) const noexcept { return rows()[row]; }
    void set_row(slot_t row, slot_t to) noexcept { rows()[row] = to; }
    void set(slot_t row, Other id, slot_t of) noexcept {
        ids()[row] = id;
        rows()[row] = of;
    }
    /// Room for one more. @throws what the allocator throws; nothing has changed then
    void make_room() {
        if (count_ == 0 || count_ < ids_.size()) return;
        if (count_ == no_slot) throw_length_error("RelationMap: more than 2^32 - 1 pairs of one id and one relation");
        resize(count_ < 4 ? 4 : count_ < no_slot / 2 ? 2 * std::size_t{count_} : std::size_t{no_slot});
    }
    /// @pre there is room
    void push(Other id, slot_t of) noexcept { set(count_++, id, of); }
    /// The last entry takes the row. @return whether one did
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

    FlatArray<Other, Allocator> ids_; // empty: the one partner is below
    FlatArray<slot_t, Allocator> rows_;
    slot_t count_ = 0;
    slot_t one_row_ = 0;
    Other one_{};
};

/// One side of a relation: ids that have partners.
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
    /// The list of the id, with room for one more. An empty one must not stay. @throws what the allocator throws; strong
    List& make(const Id& id) {
        if (List* const list = get(id)) {
            list->make_room();
            return *list;
        }
        return lists_.try_emplace(id, Allocator(lists_.get_allocator())).it->value;
    }
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
    /// As for_each, in an order that does not depend on what was erased before. @throws what the allocator throws
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

/// The pairs of one relation: sources with their targets, and targets with their sources. It does not know what the relation
/// is.
template <class Source, class Target, class Allocator>
class RelationLayer {
    using Forward = RelationSide<Source, Target, Allocator>;
    using Inverse = RelationSide<Target, Source, Allocator>;

public:
    explicit RelationLayer(const Allocator& alloc) : forward_(alloc), inverse_(alloc) {}

    std::size_t size() const noexcept { return size_; }
    const Forward& forward() const noexcept { return forward_; }
    const Inverse& inverse() const noexcept { return inverse_; }

    bool contains(const Source& source, const Target& target) const noexcept {
        return row_of(forward_.get(source), inverse_.get(target), source, target) != no_slot;
    }
    /// Whether each source has one target.
    bool single() const noexcept { return forward_.size() == size_; }
    /// @throws what the allocator throws; strong @return whether it is new
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
    /// The target takes the place of the one that the source has, if it has one. @pre it has at most one
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
    void copy(const RelationLayer& from) {
        forward_.copy(from.forward_);
        inverse_.copy(from.inverse_);
        size_ = from.size_;
    }
    /// Gives each pair, in the order of a walk over forward(), this row among the sources of its target. False when two pairs
    /// get one row, or a row is too high; the layer must then be dropped.
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
    // The row of the target among the targets of the source. The shorter list is searched; null is an empty one.
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
    // Removes one entry of the list of `id`; the partner of the entry that takes its row gets the new row.
    template <class Side, class OtherSide>
    static void unlink(Side& side, const typename Side::id_type& id, slot_t row, OtherSide& others) noexcept {
        auto& list = *side.get(id);
        if (list.take_out(row)) others.get(list.id(row))->set_row(list.row(row), row);
        if (list.count() == 0) side.erase(id);
    }
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
