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
    if (!id.has_any_relation()) return matches(targets(id.relation_number()), entity, id);
    for (const std::uint32_t number : used_)
        if (matches(places_[number].targets, entity, id)) return true;
    return false;
}

SLOTWISE_INLINE Entity SparseComponents::target(Entity entity, std::uint32_t relation) const noexcept {
    const Targets* const of = targets(relation);
    const Entity* const found = of == nullptr ? nullptr : of->get(entity);
    return found == nullptr ? Entity() : *found;
}

SLOTWISE_INLINE bool SparseComponents::emplace(Entity entity, ComponentId id, const AnyValue& value) {
    if (id.is_pair()) return make_targets(id.relation_number()).set(entity, ComponentIdParts::target_of(id));
    SparseColumn& of = make_column(id);
    return of.emplace(entity, [&](void* to) { value.build(*of.type(), to); });
}

SLOTWISE_INLINE bool SparseComponents::erase(Entity entity, ComponentId id) noexcept {
    if (id.is_pair()) return has(entity, id) && !id.has_any_target() && targets(id.relation_number())->erase(entity);
    SparseColumn* const of = column(id.number());
    return of != nullptr && of->erase(entity);
}

SLOTWISE_INLINE bool SparseComponents::erase(Entity entity) noexcept {
    bool erased = false;
    for (const std::uint32_t number : used_) {
        const Place& place = places_[number];
        if (place.column != nullptr && place.column->erase(entity)) erased = true;
        if (place.targets != nullptr && place.targets->erase(entity)) erased = true;
    }
    return erased;
}

SLOTWISE_INLINE void SparseComponents::clear() noexcept {
    for (const std::uint32_t number : used_) {
        if (places_[number].column != nullptr) places_[number].column->clear();
        if (places_[number].targets != nullptr) places_[number].targets->clear();
    }
}

SLOTWISE_INLINE void SparseComponents::describe() {
    for (const std::uint32_t number : used_)
        if (places_[number].column != nullptr) places_[number].column->describe(registry_->type(id_of(number)));
}

SLOTWISE_INLINE void SparseComponents::shrink_to_fit() {
    for (const std::uint32_t number : used_) {
        if (places_[number].column != nullptr) places_[number].column->shrink_to_fit();
        if (places_[number].targets != nullptr) places_[number].targets->shrink_to_fit();
    }
}

SLOTWISE_INLINE std::size_t SparseComponents::memory_usage() const noexcept {
    std::size_t bytes = memory_of(places_, used_);
    for (const Place& place : places_) {
        if (place.column != nullptr) bytes += sizeof *place.column + place.column->memory_usage();
        if (place.targets != nullptr) bytes += sizeof *place.targets + place.targets->memory_usage();
    }
    return bytes;
}

SLOTWISE_INLINE bool SparseComponents::check_invariants() const {
    bool sound = true;
    for (const std::uint32_t number : used_) {
        const Place& place = places_[number];
        sound = sound && (place.column == nullptr) != (place.targets == nullptr) &&
                (place.column == nullptr || place.column->check_invariants()) &&
                (place.targets == nullptr || place.targets->check_invariants());
    }
    return sound;
}

SLOTWISE_INLINE SparseComponents::Place& SparseComponents::make_place(std::uint32_t number) {
    if (used_.size() == used_.capacity()) used_.reserve(2 * used_.size() + 8);
    if (number >= places_.size()) places_.resize(std::size_t{number} + 1);
    return places_[number];
}

SLOTWISE_INLINE bool SparseComponents::matches(const Targets* targets, Entity entity, ComponentId id) noexcept {
    const Entity* const target = targets == nullptr ? nullptr : targets->get(entity);
    return target != nullptr && (id.has_any_target() || *target == ComponentIdParts::target_of(id));
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
    }
}

} // namespace detail

SLOTWISE_END

#endif
