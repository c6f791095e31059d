// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of archetype_store.hpp.
#ifndef SLOTWISE_ECS_ARCHETYPE_STORE_INL_HPP
#define SLOTWISE_ECS_ARCHETYPE_STORE_INL_HPP

#include "archetype_store.hpp"

SLOTWISE_BEGIN

SLOTWISE_INLINE void ExtractedEntity::list(const detail::StoreCore& core, Entity entity, EntityLocation at) {
    const Table& table = core.table(at);
    const auto add = [&](ComponentId id, const TypeDescriptor* type, bool sparse) -> Part& {
        if (type != nullptr && !type->trivial && type->move == nullptr && type->copy == nullptr) [[unlikely]]
            refuse_immovable(core, id);
        return parts_.emplace_back(Part{id, type, {type == nullptr ? 0 : type->size + type->align, {}}, sparse});
    };
    for (std::size_t place = 0; place != table.ids().size(); ++place) {
        const std::int32_t column = table.column_at(place);
        const TypeDescriptor* const type = column < 0 ? nullptr : &table.type(static_cast<std::size_t>(column));
        add(table.ids()[place], type, false).disabled = !table.is_enabled(at.row(), place);
    }
    if (at.has_sparse()) core.sparse.for_each(entity, [&](ComponentId id, void*) { add(id, core.registry.type(id), true); });
}

void ExtractedEntity::refuse_immovable(const detail::StoreCore& core, ComponentId id) {
    const std::string text = "ArchetypeStore::extract_reserved: values of " + core.registry.name(id) +
                             " can be neither copied nor moved; remove it before, or write erase_reserved(entity)";
    detail::throw_invalid_argument(text.c_str());
}

SLOTWISE_INLINE void ExtractedEntity::take(detail::StoreCore& core, Entity entity, EntityLocation at) {
    for (Part& each : parts_) {
        if (each.type == nullptr) continue;
        AnyValue::moved(core.value_at(at, entity, each.id)).build(*each.type, each.at());
        each.built = true;
    }
}

SLOTWISE_INLINE bool ExtractedEntity::put_back(detail::StoreCore& core, Entity given) {
    const Entity entity = detail::without_user_bits(given);
    if (core.entities.explain(entity) != HandleStatus::reserved) return false;
    core.expect_idle("fulfill", entity);
    core.flush_reserved("fulfill");
    detail::PlainVector<ComponentId> ids; // of the table: exactly these, because companions may have been removed
    for (Part& each : parts_) {
        core.expect_no_cycle(entity, each.id); // it may be another id than before
        each.left_out = lost_its_target(core, entity, each.id);
        if (!each.sparse && !each.left_out) ids.push_back(each.id);
    }
    const detail::StoreCore::Changing changing(core, "fulfill", entity);
    const slot_t number = core.tables.find_or_make(ids.span());
    Table& table = core.tables[number];
    static_cast<void>(core.entities.fulfill(entity));
    EntityLocation& at = *core.entities.location(entity);
    std::size_t moved = 0; // parts whose values have left
    ScopeGuard undo([&]() noexcept {
        while (moved != 0) move_back(core, entity, at, parts_[--moved]);
        if (at.has_row()) core.erase_row(at); // the last one: nothing moves
        if (at.has_sparse()) core.sparse.erase(entity);
        core.entities.erase_reserved(entity);
    });
    std::size_t next = 0; // the parts of the table come first, in the order of its columns
    core.add_row(entity, number, table, [&](std::size_t, void* to) {
        while (!parts_[next].built || parts_[next].left_out) ++next;
        AnyValue::moved(parts_[next].at()).build(*parts_[next].type, to);
        ++next;
    });
    for (; moved != parts_.size() && !parts_[moved].sparse; ++moved) {}
    for (const Part& each : parts_) {
        if (each.left_out) continue;
        if (each.id.target() == entity) at.set_target(true);
        if (each.disabled) table.enable(at.row(), static_cast<std::size_t>(table.place_of(each.id)), false);
    }
    for (; moved != parts_.size(); ++moved) {
        const Part& each = parts_[moved];
        if (each.left_out) continue;
        at.set_sparse(true);
        core.sparse.emplace(entity, each.id, each.built ? AnyValue::moved(each.at()) : AnyValue());
    }
    undo.dismiss();
    *this = ExtractedEntity();
    core.run_all_hooks(HookKind::add, entity);
    return true;
}

SLOTWISE_INLINE bool ExtractedEntity::lost_its_target(detail::StoreCore& core, Entity entity, ComponentId id) const {
    if (!id.is_pair() && core.registry.traits(id).switched) { // which the table lists without its target
        for (const Part& each : parts_)
            if (each.sparse && each.id.is_pair() && each.id.relation_number() == id.number())
                return lost_its_target(core, entity, each.id);
        return false;
    }
    const Entity target = id.target();
    if (!target || target == entity) return false; // it may be related to itself
    const HandleStatus status = core.entities.explain(target);
    if (status != HandleStatus::live && status != HandleStatus::reserved &&
        core.registry.traits(id).on_target_despawn == OnTargetDespawn::remove)
        return true;
    core.expect_ids({&id, 1});
    return false;
}

SLOTWISE_INLINE void ExtractedEntity::move_back(detail::StoreCore& core, Entity entity, EntityLocation at,
                                                const Part& part) noexcept {
    if (!part.built || part.left_out || part.type->trivial || part.type->move == nullptr) return;
    void* const value = at.has_row() || part.sparse ? core.value_at(at, entity, part.id) : nullptr;
    if (value == nullptr) return;
    part.end();
    part.type->move(part.at(), value);
}

SLOTWISE_INLINE EntityBuilder::EntityBuilder(EntityBuilder&& other) noexcept
    : core_(other.core_), ids_(std::move(other.ids_)), values_(std::move(other.values_)) {
    other.clear_taken();
}

SLOTWISE_INLINE EntityBuilder& EntityBuilder::with(ComponentId id, const AnyValue& value) {
    core_->registry.expect(id, "EntityBuilder::with");
    const TypeDescriptor* const type = core_->registry.type(id);
    if (type == nullptr) [[unlikely]]
        detail::throw_invalid_argument(
            ("EntityBuilder::with(id, value): the component " + core_->registry.name(id) + " is a tag; write with(id)")
                .c_str());
    keep(id, *type, [&](void* to) { value.build(*type, to); });
    return *this;
}

SLOTWISE_INLINE Entity EntityBuilder::spawn() {
    given_.clear();
    given_.reserve(values_.size());
    detail::IdSets::sort_set(ids_);
    for (const Given& each : values_) given_.push_back({each.id, AnyValue::moved(each.at())});
    const Entity entity = core_->spawn({ids_.span(), {}, given_.span()});
    clear();
    return entity;
}

SLOTWISE_INLINE bool ArchetypeStore::erase_reserved(Entity entity) {
    const auto nothing = [](EntityLocation) {};
    return core_->erase_reserved(entity, nothing, nothing);
}

SLOTWISE_INLINE std::optional<ExtractedEntity> ArchetypeStore::extract_reserved(Entity entity) {
    std::optional<ExtractedEntity> result;
    ExtractedEntity taken;
    const auto list = [&](EntityLocation at) { taken.list(*core_, entity, at); };
    const auto take = [&](EntityLocation at) { taken.take(*core_, entity, at); };
    if (core_->erase_reserved(entity, list, take)) result.emplace(std::move(taken));
    return result;
}

SLOTWISE_END

#endif
