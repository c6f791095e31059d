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

SLOTWISE_END

#endif
