// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of sparse_components.hpp.
#ifndef SLOTWISE_ECS_DETAIL_SPARSE_COMPONENTS_INL_HPP
#define SLOTWISE_ECS_DETAIL_SPARSE_COMPONENTS_INL_HPP

#include "sparse_components.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE SparseColumn::SparseColumn(const TypeDescriptor* type) noexcept
    : type_(type), size_of_value_(type == nullptr ? 0 : type->size), shift_(shift_of(size_of_value_)),
      destroys_(type != nullptr && !type->trivial && type->destroy != nullptr) {}

SLOTWISE_INLINE void SparseColumn::clear() noexcept {
    pages_.for_each([this](std::uint32_t, Page& page) {
        while (page.live != 0) destroy_place(page, bits::lowest(page.live));
    });
    pages_.clear_if([](const Page& page) { return page.idle(); });
}

SLOTWISE_INLINE Entity SparseColumn::next(slot_t index) const noexcept {
    std::uint64_t number = index >> shift_;
    for (std::uint64_t wanted = number; const Page* const page = pages_.next(number); wanted = ++number) {
        const unsigned from = number == index >> shift_ && number == wanted ? index & mask() : 0;
        if (const bits::word_t rest = page->live & (bits::full_word << from); rest != 0)
            return entity_at(*page, number, bits::lowest(rest));
    }
    return Entity();
}

SLOTWISE_INLINE std::size_t SparseColumn::memory_usage() const noexcept {
    std::size_t bytes = pages_.memory_usage();
    pages_.for_each([&](std::uint32_t, const Page& page) { bytes += page.memory.memory_usage(); });
    pages_.for_each_spare([&](const Page& page) { bytes += page.memory.memory_usage(); });
    return bytes;
}

SLOTWISE_INLINE bool SparseColumn::check_invariants() const {
    std::size_t live = 0, idle = 0;
    bool sound = true;
    pages_.for_each([&](std::uint32_t number, const Page& page) {
        live += bits::count(page.live);
        idle += page.idle();
        sound = sound && (page.live & page.busy) == 0 && (page.live >> mask() >> 1) == 0 &&
                (type_ == nullptr || page.live == 0 || page.values != nullptr);
        bits::for_each(page.live, [&](unsigned place) {
            sound = sound && (page.versions[place] & 1u) != 0 && contains(entity_at(page, number, place));
        });
    });
    pages_.for_each_spare([&](const Page& page) { sound = sound && page.idle(); });
    return sound && live == size_ && idle <= Pages::kept;
}

SLOTWISE_INLINE Entity SparseColumn::entity_at(const Page& page, std::uint64_t number, unsigned place) const noexcept {
    return Entity(static_cast<slot_t>(number << shift_ | place), page.versions[place]);
}

//=== SparsePairs ===//

SLOTWISE_INLINE SparsePairs::SparsePairs(const TypeDescriptor* type) noexcept
    : of_heads_{.size = sizeof(Head), .align = alignof(Head), .trivial = true},
      heads_{SparseColumn(&of_heads_), SparseColumn(&of_heads_)}, values_(type) {}

slot_t SparsePairs::find(Entity source, Entity target) const noexcept {
    const Head* const from = find(by_source, source);
    const Head* const to = find(by_target, target);
    if (from == nullptr || to == nullptr) return no_slot;
    const bool forward = from->count <= to->count;
    const Side side = forward ? by_source : by_target, other = forward ? by_target : by_source;
    const Entity wanted = forward ? target : without_user_bits(source);
    slot_t number = forward ? from->first : to->first;
    while (number != no_slot && pairs_[number].ends[other] != wanted) number = pairs_[number].next[side];
    return number;
}

SLOTWISE_INLINE std::span<const Entity> SparsePairs::gather_sources(slot_t& number, std::span<Entity> room) const noexcept {
    std::size_t count = 0;
    for (; number != no_slot && count != room.size(); number = next(by_target, number))
        room[count++] = entity(by_source, number);
    return room.first(count);
}

SLOTWISE_INLINE SparsePairs::Head& SparsePairs::make(Side side, Entity entity) {
    if (Head* const head = find(side, entity)) return *head;
    heads_[side].emplace<sizeof(Head)>(entity, [](void* to) { ::new (to) Head(); });
    return *find(side, entity);
}

SLOTWISE_INLINE void SparsePairs::link(Side side, Head& head, slot_t number, slot_t before) noexcept {
    Pair& pair = pairs_[number];
    const slot_t previous = before == no_slot ? head.last : pairs_[before].previous[side];
    pair.next[side] = before;
    pair.previous[side] = previous;
    (before == no_slot ? head.last : pairs_[before].previous[side]) = number;
    (previous == no_slot ? head.first : pairs_[previous].next[side]) = number;
    ++head.count;
}

SLOTWISE_INLINE void SparsePairs::unlink(Side side, Head& head, slot_t number) noexcept {
    const Pair& pair = pairs_[number];
    const slot_t next = pair.next[side], previous = pair.previous[side];
    (next == no_slot ? head.last : pairs_[next].previous[side]) = previous;
    (previous == no_slot ? head.first : pairs_[previous].next[side]) = next;
    --head.count;
}

SLOTWISE_INLINE void SparsePairs::leave(Side side, slot_t number) noexcept {
    Head& head = *find(side, entity(side, number));
    unlink(side, head, number);
    if (head.count == 0) heads_[side].erase(entity(side, number));
}

SLOTWISE_INLINE void SparsePairs::end(slot_t number) noexcept {
    pairs_[number].ends[by_source] = pairs_[number].ends[by_target] = Entity();
    --size_;
    if (type() != nullptr) values_.erase(Entity(number, 1));
    pairs_[number].next[by_source] = vacant_;
    vacant_ = number;
}

SLOTWISE_INLINE slot_t SparsePairs::insert(Entity source, Entity target, const AnyValue& value, slot_t before) {
    if (vacant_ == no_slot) {
        if (pairs_.size() == no_slot) throw_length_error("ArchetypeStore: more than 2^32 - 1 pairs of one relation");
        pairs_.push_back({{}, {no_slot, no_slot}, {no_slot, no_slot}});
        vacant_ = static_cast<slot_t>(pairs_.size() - 1);
    }
    ScopeGuard undo([&]() noexcept {
        if (const Head* const head = find(by_source, source); head != nullptr && head->count == 0)
            heads_[by_source].erase(source);
        if (const Head* const head = find(by_target, target); head != nullptr && head->count == 0)
            heads_[by_target].erase(target);
    });
    Head& from = make(by_source, source);
    Head& to = make(by_target, target);
    const slot_t number = vacant_;
    vacant_ = pairs_[number].next[by_source];
    if (type() != nullptr) {
        ScopeGuard taken([&]() noexcept {
            pairs_[number].next[by_source] = vacant_;
            vacant_ = number;
        });
        values_.emplace(Entity(number, 1), [&](void* at) { value.build(*type(), at); });
        taken.dismiss();
    }
    undo.dismiss();
    pairs_[number].ends[by_source] = without_user_bits(source);
    pairs_[number].ends[by_target] = target;
    link(by_source, from, number, no_slot);
    link(by_target, to, number, before);
    ++size_;
    return number;
}

SLOTWISE_INLINE void SparsePairs::erase(slot_t number) noexcept {
    leave(by_source, number);
    leave(by_target, number);
    end(number);
}

SLOTWISE_INLINE bool SparsePairs::erase(Side side, Entity entity) noexcept {
    slot_t number = first(side, entity);
    if (number == no_slot) return false;
    heads_[side].erase(entity);
    while (number != no_slot) {
        const slot_t each = std::exchange(number, next(side, number));
        leave(side == by_source ? by_target : by_source, each);
        end(each);
    }
    return true;
}

SLOTWISE_INLINE PlainVector<slot_t> SparsePairs::ranks() const {
    PlainVector<slot_t> ranks;
    ranks.assign(pairs_.size(), no_slot);
    for_each(by_target, [&](Entity target) {
        slot_t rank = 0;
        for_each(by_target, target, [&](slot_t each) { ranks[each] = rank++; });
    });
    return ranks;
}

SLOTWISE_INLINE bool SparsePairs::order(std::span<const slot_t> ranks) {
    PlainVector<slot_t> ordered;
    bool sound = true;
    for_each(by_target, [&](Entity target) {
        ordered.assign(count(by_target, target), no_slot);
        for_each(by_target, target, [&](slot_t each) {
            sound = sound && ranks[each] < ordered.size() && ordered[ranks[each]] == no_slot;
            if (sound) ordered[ranks[each]] = each;
        });
        if (!sound) return;
        for (const slot_t each : ordered) move(each, no_slot); // behind those that were moved before
    });
    return sound;
}

SLOTWISE_INLINE void SparsePairs::clear() noexcept {
    for (SparseColumn& each : heads_) each.clear();
    values_.clear();
    pairs_ = {};
    vacant_ = no_slot;
    size_ = 0;
}

SLOTWISE_INLINE void SparsePairs::shrink_to_fit() {
    for (SparseColumn& each : heads_) each.shrink_to_fit();
    values_.shrink_to_fit();
    std::size_t used = pairs_.size();
    while (used != 0 && !pairs_[used - 1].ends[by_source]) --used;
    PlainVector<Pair> fewer;
    fewer.assign(pairs_.span().first(used));
    pairs_.swap(fewer);
    vacant_ = no_slot;
    for (std::size_t number = used; number-- != 0;)
        if (Pair& pair = pairs_[number]; !pair.ends[by_source])
            pair.next[by_source] = std::exchange(vacant_, static_cast<slot_t>(number));
}

SLOTWISE_INLINE std::size_t SparsePairs::memory_usage() const noexcept {
    return memory_of(heads_[by_source], heads_[by_target], values_, pairs_);
}

SLOTWISE_INLINE bool SparsePairs::check_invariants() const {
    bool sound = values_.check_invariants() && (type() == nullptr || values_.size() == size_);
    for (const Side side : {by_source, by_target}) {
        std::size_t listed = 0;
        sound = sound && heads_[side].check_invariants();
        for_each(side, [&](Entity entity) {
            slot_t previous = no_slot;
            std::size_t count = 0;
            for_each(side, entity, [&](slot_t each) {
                sound = sound && pairs_[each].ends[side] == entity && pairs_[each].previous[side] == previous &&
                        (type() == nullptr || value(each) != nullptr);
                previous = each;
                ++count;
            });
            sound = sound && count != 0 && count == this->count(side, entity) && find(side, entity)->last == previous;
            listed += count;
        });
        sound = sound && listed == size_;
    }
    std::size_t vacant = 0;
    for (slot_t each = vacant_; each != no_slot && vacant <= pairs_.size(); each = pairs_[each].next[by_source], ++vacant)
        sound = sound && !pairs_[each].ends[by_source] && !pairs_[each].ends[by_target];
    return sound && size_ + vacant == pairs_.size();
}

//=== SparseComponents ===//

SLOTWISE_INLINE SparsePairs& SparseComponents::make_pairs(std::uint32_t number) {
    if (SparsePairs* const found = pairs(number)) [[likely]]
        return *found;
    Place& place = make_place(number);
    place.pairs = new SparsePairs(registry_->type(id_of(number)));
    used_.push_back(number);
    return *place.pairs;
}

SLOTWISE_INLINE SparseComponents::Targets& SparseComponents::make_targets(std::uint32_t number) {
    if (Targets* const found = targets(number)) [[likely]]
        return *found;
    Place& place = make_place(number);
    place.targets = new Targets();
    used_.push_back(number);
    return *place.targets;
}

SLOTWISE_INLINE bool SparseComponents::has(Entity entity, ComponentId id) const noexcept {
    if (!id.is_pair()) {
        const SparseColumn* const of = column(id.number());
        return of != nullptr && of->contains(entity);
    }
    if (!id.has_any_relation())
        return id.relation_number() < places_.size() && matches(places_[id.relation_number()], entity, id);
    for (const std::uint32_t number : used_)
        if (matches(places_[number], entity, id)) return true;
    return false;
}

SLOTWISE_INLINE Entity SparseComponents::target(Entity entity, std::uint32_t relation) const noexcept {
    const Targets* const of = targets(relation);
    const Entity* const found = of == nullptr ? nullptr : of->get(entity);
    return found == nullptr ? Entity() : *found;
}

SLOTWISE_INLINE bool SparseComponents::emplace(Entity entity, ComponentId id, const AnyValue& value, Entity before) {
    if (id.is_pair()) {
        const std::uint32_t relation = id.relation_number();
        if (!registry_->traits(id).sparse) return make_targets(relation).set(entity, ComponentIdParts::target_of(id));
        SparsePairs& of = make_pairs(relation);
        if (of.find(entity, id.target()) != no_slot) return false;
        of.insert(entity, id.target(), value, before ? of.find(before, id.target()) : no_slot);
        return true;
    }
    SparseColumn& of = make_column(id);
    return of.emplace(entity, [&](void* to) { value.build(*of.type(), to); });
}

SLOTWISE_INLINE bool SparseComponents::erase(Entity entity, ComponentId id) noexcept {
    if (id.is_pair()) {
        if (id.has_any_target() || !has(entity, id)) return false;
        SparsePairs* const of = pairs(id.relation_number());
        if (of == nullptr) return targets(id.relation_number())->erase(entity);
        of->erase(of->find(entity, id.target()));
        return true;
    }
    SparseColumn* const of = column(id.number());
    return of != nullptr && of->erase(entity);
}

SLOTWISE_INLINE bool SparseComponents::erase(Entity entity) noexcept {
    bool erased = false;
    for (const std::uint32_t number : used_) {
        const Place& place = places_[number];
        if (place.column != nullptr && place.column->erase(entity)) erased = true;
        if (place.targets != nullptr && place.targets->erase(entity)) erased = true;
        if (place.pairs != nullptr && place.pairs->erase(SparsePairs::by_source, entity)) erased = true;
    }
    return erased;
}

SLOTWISE_INLINE void SparseComponents::clear() noexcept {
    for (const std::uint32_t number : used_) {
        if (places_[number].column != nullptr) places_[number].column->clear();
        if (places_[number].targets != nullptr) places_[number].targets->clear();
        if (places_[number].pairs != nullptr) places_[number].pairs->clear();
    }
}

SLOTWISE_INLINE void SparseComponents::describe() {
    for (const std::uint32_t number : used_) {
        const Place& place = places_[number];
        if (place.column != nullptr) place.column->describe(registry_->type(id_of(number)));
        if (place.pairs != nullptr) place.pairs->describe(registry_->type(id_of(number)));
    }
}

SLOTWISE_INLINE void SparseComponents::shrink_to_fit() {
    for (const std::uint32_t number : used_) {
        if (places_[number].column != nullptr) places_[number].column->shrink_to_fit();
        if (places_[number].targets != nullptr) places_[number].targets->shrink_to_fit();
        if (places_[number].pairs != nullptr) places_[number].pairs->shrink_to_fit();
    }
}

SLOTWISE_INLINE std::size_t SparseComponents::memory_usage() const noexcept {
    std::size_t bytes = memory_of(places_, used_);
    for (const Place& place : places_) {
        if (place.column != nullptr) bytes += sizeof *place.column + place.column->memory_usage();
        if (place.targets != nullptr) bytes += sizeof *place.targets + place.targets->memory_usage();
        if (place.pairs != nullptr) bytes += sizeof *place.pairs + place.pairs->memory_usage();
    }
    return bytes;
}

SLOTWISE_INLINE bool SparseComponents::check_invariants() const {
    bool sound = true;
    for (const std::uint32_t number : used_) {
        const Place& place = places_[number];
        sound = sound && (place.column != nullptr) + (place.targets != nullptr) + (place.pairs != nullptr) == 1 &&
                (place.column == nullptr || place.column->check_invariants()) &&
                (place.targets == nullptr || place.targets->check_invariants()) &&
                (place.pairs == nullptr || place.pairs->check_invariants());
    }
    return sound;
}

SLOTWISE_INLINE SparseComponents::Place& SparseComponents::make_place(std::uint32_t number) {
    if (used_.size() == used_.capacity()) used_.reserve(2 * used_.size() + 8);
    if (number >= places_.size()) places_.resize(std::size_t{number} + 1);
    return places_[number];
}

SLOTWISE_INLINE bool SparseComponents::matches(const Place& place, Entity entity, ComponentId id) noexcept {
    if (const SparsePairs* const of = place.pairs; of != nullptr)
        return id.has_any_target() ? of->count(SparsePairs::by_source, entity) != 0 : of->find(entity, id.target()) != no_slot;
    const Entity* const target = place.targets == nullptr ? nullptr : place.targets->get(entity);
    return target != nullptr && (id.has_any_target() || *target == ComponentIdParts::target_of(id));
}

void* SparseComponents::value_of_pair(Entity entity, ComponentId id) const noexcept {
    const SparsePairs* const of = pairs(id.relation_number());
    const slot_t number = of == nullptr || of->type() == nullptr ? no_slot : of->find(entity, id.target());
    return number == no_slot ? nullptr : of->value(number);
}

SparseColumn::Page* SparseColumn::vacate(Entity entity) {
    const std::uint32_t number = entity.index() >> shift_;
    const unsigned place = place_of(entity);
    if (Page* const page = pages_.find(number)) {
        if ((page->live >> place & 1u) != 0) {
            if (page->versions[place] >= entity.version()) return nullptr;
            destroy_place(*page, place); // the destructor may build another one
        }
        if (((page->live | page->busy) >> place & 1u) != 0) return nullptr;
    }
    Page& page = pages_.make(number);
    if (type_ == nullptr || page.values != nullptr) return &page;
    ScopeGuard undo([&]() noexcept { // or emplace() would find the page, and build where no memory is
        pages_.clear_if([](const Page& each) { return each.values == nullptr; });
    });
    const std::size_t room = type_->align > 64 ? type_->align : 0;
    LineBlock<std::allocator<std::byte>> memory((size_of_value_ << shift_) + room, std::allocator<std::byte>());
    page.memory.swap(memory);
    page.values = page.memory.begin(type_->align);
    undo.dismiss();
    return &page;
}

void SparseColumn::end_work(Page& page, Entity entity) noexcept {
    page.busy &= ~bits::bit_of(place_of(entity));
    if (page.idle()) pages_.emptied(entity.index() >> shift_, page, [](const Page& each) { return each.idle(); });
}

SparseColumn& SparseComponents::made_column(ComponentId id) {
    Place& place = make_place(id.number());
    place.column = new SparseColumn(registry_->type(id));
    used_.push_back(id.number()); // there is room
    return *place.column;
}

SLOTWISE_INLINE SparseColumn::~SparseColumn() { clear(); }

SLOTWISE_INLINE SparseComponents::~SparseComponents() {
    for (const Place& place : places_) {
        delete place.column;
        delete place.targets;
        delete place.pairs;
    }
}

} // namespace detail

SLOTWISE_END

#endif
