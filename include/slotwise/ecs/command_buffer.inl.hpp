// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of command_buffer.hpp.
#ifndef SLOTWISE_ECS_COMMAND_BUFFER_INL_HPP
#define SLOTWISE_ECS_COMMAND_BUFFER_INL_HPP

#include "command_buffer.hpp"

SLOTWISE_BEGIN

SLOTWISE_INLINE void CommandBuffer::swap(CommandBuffer& other) noexcept {
    expect_not_applying();
    other.expect_not_applying();
    std::swap(core_, other.core_);
    life_.swap(other.life_);
    shapes_.swap(other.shapes_);
    recorded_.swap(other.recorded_);
    applied_.swap(other.applied_);
    ids_.swap(other.ids_);
    scratch_.swap(other.scratch_);
    std::swap(dropped_, other.dropped_);
}

SLOTWISE_INLINE void CommandBuffer::clear() noexcept {
    expect_not_applying();
    if (life_->has_ended()) [[unlikely]] {
        SLOTWISE_EXPECT(empty(), "CommandBuffer: the store has ended before commands that were recorded for it; apply or "
                                 "clear() them before, or let the store live longer");
        ids_.forget(ids_.epoch()); // an older epoch than that of the dead store: nothing can be recorded
        return reset();
    }
    check_epoch();
    const auto unused = [&](const detail::CommandGroup& group) {
        if (group.spawned() && !group.is_void()) ids_.unuse(group.entity);
    };
    recorded_.for_each_left(unused);
    applied_.for_each_left(unused);
    ids_.give_back(core_->reserved);
    reset();
}

SLOTWISE_INLINE void CommandBuffer::despawn(Entity entity) {
    check_epoch();
    detail::CommandGroup& group = recorded_.group(without_user_bits(entity));
    if (group.despawned())
        ++dropped_;
    else
        recorded_.despawn(group);
}

SLOTWISE_INLINE void CommandBuffer::remove(Entity entity, ComponentId id) {
    check_epoch();
    core_->registry.expect(id, "CommandBuffer::remove");
    record_id(detail::CommandKind::remove, entity, id, nullptr);
}

SLOTWISE_INLINE CommandBuffer::size_type CommandBuffer::apply_to(detail::StoreCore& core) {
    if (core.life != life_)
        detail::throw_invalid_argument("ArchetypeStore::apply(buffer): the buffer was made for another store");
    core.expect_idle();
    expect_not_applying();
    check_epoch();
    core.flush_reserved();
    applying_ = true;
    const ScopeGuard done([&]() noexcept { applying_ = false; });
    detail::CommandApply apply(core, scratch_, dropped_);
    const auto run = [&] {
        shapes_.resolve(core.registry);
        apply.run(applied_);
    };
    if (!applied_.empty()) run(); // left since an exception
    applied_.swap(recorded_);
    run();
    if (recorded_.empty()) {
        recorded_.swap(applied_); // reuses memory that is in the cache
        ids_.all_used();
    }
    return std::exchange(dropped_, 0);
}

SLOTWISE_INLINE bool CommandBuffer::is_late_target(ComponentId id) {
    const Entity target = id.target();
    if (!target) return false;
    recorded_.add_target(target);
    if (!recorded_.despawns(target)) return false;
    ++dropped_;
    return true;
}

SLOTWISE_INLINE std::size_t ArchetypeStore::apply(CommandBuffer& buffer) { return buffer.apply_to(*core_); }

void CommandBuffer::end_epoch() noexcept {
    SLOTWISE_EXPECT(!life_->has_ended(), "CommandBuffer: the store that it was made for has ended");
    recorded_.set_spawned_void();
    applied_.set_spawned_void();
    ids_.forget(life_->epoch);
}

void CommandBuffer::record_id(detail::CommandKind kind, Entity entity, ComponentId id, const AnyValue* value) {
    check_epoch();
    const detail::CommandShape& shape = shapes_.of_id(core_->registry, kind, id, value != nullptr);
    if (kind != detail::CommandKind::remove && is_late_target(id)) return;
    detail::Command* const command = recorded_.make(shape);
    if (shape.pair) ::new (command->payload()) ComponentId(id);
    if (value != nullptr) value->build(*shape.items[0].type, command->value(shape.items[0]));
    link(without_user_bits(entity), command);
}

void CommandBuffer::record_ids(detail::CommandKind kind, Entity entity, std::span<const ComponentId> ids) {
    check_epoch();
    for (const ComponentId id : ids) core_->registry.expect(id, "CommandBuffer");
    if (ids.size() == 1) return record_id(kind, entity, ids[0], nullptr);
    detail::PlainVector<ComponentId> sorted;
    detail::IdSets::assign(sorted, ids);
    if (kind != detail::CommandKind::remove)
        for (const ComponentId id : sorted)
            if (is_late_target(id)) return;
    detail::Command* const command =
        recorded_.make(shapes_.of_list(kind), detail::checked_bytes(sorted.size(), sizeof(ComponentId)));
    ::new (command->payload()) std::uint64_t(sorted.size());
    auto* const to = static_cast<std::byte*>(command->payload()) + sizeof(std::uint64_t);
    if (!sorted.empty()) std::memcpy(to, sorted.data(), sorted.size() * sizeof(ComponentId));
    link(without_user_bits(entity), command);
}

SLOTWISE_INLINE CommandBuffer::CommandBuffer(const ArchetypeStore& store) noexcept : core_(store.core_), life_(core_->life) {}

SLOTWISE_INLINE CommandBuffer::CommandBuffer(CommandBuffer&& other) noexcept : core_(other.core_), life_(other.life_) {
    swap(other);
}

SLOTWISE_INLINE CommandBuffer::~CommandBuffer() { clear(); }

SLOTWISE_INLINE CommandBuffer::size_type CommandBuffer::memory_usage() const noexcept {
    return detail::memory_of(shapes_, recorded_, applied_, ids_, scratch_);
}

SLOTWISE_INLINE void CommandBuffer::reserve(size_type spawns) {
    check_epoch();
    ids_.reserve(core_->reserved, core_->entities, spawns);
}

SLOTWISE_INLINE void CommandBuffer::shrink_to_fit() noexcept {
    expect_not_applying();
    if (recorded_.empty()) recorded_.free();
    if (applied_.empty()) applied_.free();
}

SLOTWISE_END

#endif
