// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// ExtractedEntity: the components of an entity that was taken out of its store and can be put back, for undo.
#ifndef SLOTWISE_ECS_EXTRACTED_ENTITY_HPP
#define SLOTWISE_ECS_EXTRACTED_ENTITY_HPP

#include "store_relations.hpp"

#include <optional>
#include <vector>

SLOTWISE_BEGIN
namespace detail {
struct StoreExtraction;
}

/// What ArchetypeStore::extract_reserved() returns: all components of an entity with their values, in tables and sparse, its
/// pairs, and which components were disabled. It owns the values. ArchetypeStore::fulfill() puts them back; they are of the
/// store that they came from, which must live as long as they do.
class ExtractedEntity {
public:
    ExtractedEntity(const ExtractedEntity&) = delete;
    ExtractedEntity& operator=(const ExtractedEntity&) = delete;
    /// Takes the values; `other` has no components then.
    ExtractedEntity(ExtractedEntity&& other) noexcept : parts_(std::move(other.parts_)) { other.parts_.clear(); }
    ExtractedEntity& operator=(ExtractedEntity&& other) noexcept {
        ExtractedEntity taken(std::move(other));
        parts_.swap(taken.parts_);
        return *this;
    }
    ~ExtractedEntity() {
        for (const Part& each : parts_) each.end();
    }

    /// Components, tags and pairs.
    std::size_t size() const noexcept { return parts_.size(); }
    bool empty() const noexcept { return parts_.empty(); }
    /// Whether the entity had exactly this component or pair.
    bool has(ComponentId id) const noexcept { return part(id) != nullptr; }
    /// The address of a value; null if the entity had no such component, or it is a tag.
    void* get(ComponentId id) noexcept { return value(id); }
    const void* get(ComponentId id) const noexcept { return value(id); }
    /// Calls f(ComponentId, const void* value) for all of them, as ArchetypeStore::for_each_component. @throws what f throws
    template <class F>
    void for_each_component(F&& f) const {
        for (const Part& each : parts_) f(each.id, static_cast<const void*>(each.built ? each.at() : nullptr));
    }

private:
    friend detail::StoreExtraction;
    struct Part {
        ComponentId id;
        const TypeDescriptor* type; ///< null: it has no values
        detail::LineBlock<std::allocator<std::byte>> memory;
        bool outside = false; ///< of the tables
        bool disabled = false;
        bool built = false;
        bool left_out = false; ///< by the fulfill() that is running
        void* at() const noexcept { return memory.begin(type->align); }
        void end() const noexcept {
            if (built && type->destroy != nullptr) type->destroy(at());
        }
    };
    ExtractedEntity() = default;
    const Part* part(ComponentId id) const noexcept {
        for (const Part& each : parts_)
            if (each.id == id) return &each;
        return nullptr;
    }
    void* value(ComponentId id) const noexcept {
        const Part* const found = part(id);
        return found != nullptr && found->built ? found->at() : nullptr;
    }

    std::vector<Part> parts_{}; // those in the table first, by id
};

namespace detail {

/// Takes entities out of a store under reserved ids, and puts them back.
struct StoreExtraction {
    /// Ends the entity as despawn() does, but keeps its id reserved. False if it does not live.
    static bool erase(StoreCore& core, Entity entity) {
        return end_and_keep(
            core, entity, [](EntityLocation) {}, [](EntityLocation) {});
    }
    /// The same, and returns the components.
    static std::optional<ExtractedEntity> extract(StoreCore& core, Entity entity) {
        std::optional<ExtractedEntity> result;
        ExtractedEntity taken;
        const auto list = [&](EntityLocation at) { taken = listed(core, entity, at); };
        const auto take = [&](EntityLocation at) { take_values(core, entity, at, taken); };
        if (end_and_keep(core, entity, list, take)) result.emplace(std::move(taken));
        return result;
    }
    /// Puts the components back under a reserved id. False if it is not reserved.
    static bool fulfill(StoreCore& core, Entity given, ExtractedEntity& from) {
        const Entity entity = without_user_bits(given);
        if (core.entities.explain(entity) != HandleStatus::reserved) return false;
        core.expect_idle();
        core.flush_reserved();
        PlainVector<ComponentId> ids; // of the table: exactly these, because companions may have been removed
        for (ExtractedEntity::Part& each : from.parts_) {
            each.left_out = lost_its_target(core, entity, from, each.id);
            if (!each.outside && !each.left_out) ids.push_back(each.id);
        }
        const StoreChanging changing(core);
        const slot_t number = core.tables.find_or_make(ids.span());
        Table& table = core.tables[number];
        static_cast<void>(core.entities.fulfill(entity));
        EntityLocation& at = *core.entities.location(entity);
        std::size_t moved = 0; // parts whose values have left
        ScopeGuard undo([&]() noexcept {
            while (moved != 0) move_back(core, entity, at, from.parts_[--moved]);
            if (at.has_row()) erase_row(core, at); // the last one: nothing moves
            if (at.has_outside()) core.outside.erase(entity);
            core.entities.erase_reserved(entity);
        });
        std::size_t next = 0; // the parts of the table come first, in the order of its columns
        add_row(core, entity, number, table, [&](std::size_t, void* to) {
            while (!from.parts_[next].built || from.parts_[next].left_out) ++next;
            AnyValue::moved(from.parts_[next].at()).build(*from.parts_[next].type, to);
            ++next;
        });
        for (; moved != from.parts_.size() && !from.parts_[moved].outside; ++moved) {}
        for (const ExtractedEntity::Part& each : from.parts_) {
            if (each.left_out) continue;
            if (each.id.target() == entity) at.set_target(true);
            if (each.disabled) table.enable(at.row(), static_cast<std::size_t>(table.place_of(each.id)), false);
        }
        for (; moved != from.parts_.size(); ++moved) {
            const ExtractedEntity::Part& each = from.parts_[moved];
            if (each.left_out) continue;
            at.set_outside(true);
            add_outside(core, entity, each.id, each.built ? AnyValue::moved(each.at()) : AnyValue());
        }
        undo.dismiss();
        from = ExtractedEntity();
        run_all_hooks(core, HookKind::add, entity);
        return true;
    }
    /// The same with other components.
    static bool fulfill(StoreCore& core, Entity given, const Change& what) {
        const Entity entity = without_user_bits(given);
        if (core.entities.explain(entity) != HandleStatus::reserved) return false;
        expect_ids(core, what.add);
        core.flush_reserved();
        const StoreChanging changing(core);
        static_cast<void>(core.entities.fulfill(entity));
        ScopeGuard undo([&]() noexcept { core.entities.erase_reserved(entity); });
        EntityChange change(core, entity, *core.entities.location(entity), what);
        change.make();
        undo.dismiss();
        change.run_hooks_afterwards();
        return true;
    }
    /// Gives a reserved id up. False if it is not reserved.
    static bool cancel(StoreCore& core, Entity given) {
        const Entity entity = without_user_bits(given);
        if (core.entities.explain(entity) != HandleStatus::reserved) return false;
        core.expect_idle();
        core.flush_reserved(); // ids that buffers have taken come after it otherwise
        return core.entities.cancel(entity);
    }

private:
    // before(at) is called when nothing has changed, take(at) when hooks have seen the values.
    template <class Before, class Take>
    static bool end_and_keep(StoreCore& core, Entity given, Before&& before, Take&& take) {
        const Entity entity = without_user_bits(given);
        EntityLocation* const at = core.location(entity);
        if (at == nullptr) return false;
        core.expect_idle();
        core.flush_reserved();
        before(*at);
        const auto end = [&](Entity, EntityLocation& place) {
            const StoreChanging changing(core);
            const auto all = [&](auto&& f) { for_each_id(core, entity, f); };
            const auto remove = [&] {
                take(place);
                erase_row(core, place);
            };
            if (core.hooks.any(HookKind::remove)) [[unlikely]]
                remove_with_hooks(core, all, remove);
            else
                remove();
            if (place.has_outside()) core.outside.erase(entity);
            core.entities.erase_reserved(entity);
        };
        if (at->is_target())
            TargetDeath(core, entity).apply(end);
        else
            end(entity, *at);
        return true;
    }
    // Ids, and memory for the values, so that nothing is allocated when hooks were called.
    static ExtractedEntity listed(const StoreCore& core, Entity entity, EntityLocation at) {
        ExtractedEntity result;
        const Table& table = core.table(at);
        const auto add = [&](ComponentId id, bool outside) -> ExtractedEntity::Part& {
            const TypeDescriptor* const type = id.is_pair() && outside ? nullptr : type_of(core, table, id, outside);
            return result.parts_.emplace_back(
                ExtractedEntity::Part{id, type, {type == nullptr ? 0 : type->size + type->align, {}}, outside});
        };
        for (std::size_t place = 0; place != table.ids().size(); ++place)
            add(table.ids()[place], false).disabled = !table.is_enabled(at.row(), place);
        if (at.has_outside()) core.outside.for_each(entity, [&](ComponentId id, void*) { add(id, true); });
        return result;
    }
    // Null of what has no values there.
    static const TypeDescriptor* type_of(const StoreCore& core, const Table& table, ComponentId id, bool outside) {
        if (outside) return core.registry.type(id);
        const std::int32_t column = table.column_of(id);
        return column < 0 ? nullptr : &table.type(static_cast<std::size_t>(column));
    }
    // Whether the id is a pair whose target has died for good, in a relation that lets go of dead targets, or such a relation
    // that is switched. Throws std::invalid_argument when a target is dead in another relation, or only reserved; it may come
    // back.
    static bool lost_its_target(StoreCore& core, Entity entity, const ExtractedEntity& from, ComponentId id) {
        if (!id.is_pair() && core.registry.traits(id).switched) { // which the table lists without its target
            for (const ExtractedEntity::Part& each : from.parts_)
                if (each.outside && each.id.is_pair() && each.id.relation_number() == id.number())
                    return lost_its_target(core, entity, from, each.id);
            return false;
        }
        const Entity target = id.target();
        if (!target || target == entity) return false; // it may be related to itself
        const HandleStatus status = core.entities.explain(target);
        if (status != HandleStatus::live && status != HandleStatus::reserved &&
            core.registry.traits(id).on_target_despawn == OnTargetDespawn::remove)
            return true;
        expect_ids(core, {&id, 1});
        return false;
    }
    // Throws what moves that may throw do; what was moved stays here and is destroyed.
    static void take_values(StoreCore& core, Entity entity, EntityLocation at, ExtractedEntity& to) {
        for (ExtractedEntity::Part& each : to.parts_) {
            if (each.type == nullptr) continue;
            AnyValue::moved(value_at(core, at, entity, each.id)).build(*each.type, each.at());
            each.built = true;
        }
    }
    // A value that was moved into the store comes back. What only was copied is here still.
    static void move_back(StoreCore& core, Entity entity, EntityLocation at, const ExtractedEntity::Part& part) noexcept {
        if (!part.built || part.left_out || part.type->trivial || part.type->move == nullptr) return;
        void* const value = at.has_row() || part.outside ? value_at(core, at, entity, part.id) : nullptr;
        if (value == nullptr) return;
        part.end();
        part.type->move(part.at(), value);
    }
};

} // namespace detail
SLOTWISE_END

#endif
