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
    std::swap(records_, other.records_);
}

SLOTWISE_INLINE void CommandBuffer::clear() noexcept {
    expect_not_applying();
    if (records_ == nullptr) return;
    detail::CommandRecords& records = *records_;
    if (life_->has_ended()) [[unlikely]] {
        SLOTWISE_EXPECT(empty(), "CommandBuffer: the store has ended before commands that were recorded for it; apply or "
                                 "clear() them before, or let the store live longer");
        records.ids.forget(records.ids.epoch()); // an older epoch than that of the dead store: nothing can be recorded
        return records.reset();
    }
    if (records.ids.epoch() != life_->epoch) end_epoch();
    const auto unused = [&](const detail::CommandGroup& group) {
        if (group.spawned() && !group.is_void()) records.ids.unuse(group.entity);
    };
    records.recorded.for_each_left(unused);
    records.applied.for_each_left(unused);
    records.ids.give_back(core_->reserved);
    records.reset();
}

SLOTWISE_INLINE void CommandBuffer::despawn(Entity entity) {
    detail::CommandRecords& records = this->records();
    detail::CommandGroup& group = records.recorded.group(without_user_bits(entity));
    if (group.despawned())
        ++records.dropped;
    else
        records.recorded.despawn(group);
}

SLOTWISE_INLINE void CommandBuffer::remove(Entity entity, ComponentId id) {
    static_cast<void>(records());
    core_->registry.expect(id, "CommandBuffer::remove");
    record_id(detail::CommandKind::remove, entity, id, nullptr);
}

SLOTWISE_INLINE CommandBuffer::size_type CommandBuffer::apply_to(detail::StoreCore& core, ArchetypeStore& store) {
    if (core.life != life_)
        detail::throw_invalid_argument("ArchetypeStore::apply(buffer): the buffer was made for another store");
    core.expect_idle("apply");
    expect_not_applying();
    detail::CommandRecords& records = this->records();
    core.flush_reserved("apply");
    records.applying = true;
    const ScopeGuard done([&]() noexcept { records.applying = false; });
    detail::CommandApply apply(core, records.scratch, records.dropped);
    for (bool more = true; more;) {
        const bool left = !records.applied.empty(); // since an exception
        if (!left) [[likely]]
            records.applied.swap(records.recorded);
        records.calls_recorded = false;
        ScopeGuard failed([&]() noexcept {
            if (records.applied.empty()) records.applied.reset(); // the last command threw
        });
        records.shapes.resolve(core.registry);
        apply.run(records.applied, [&](const detail::CommandCall& each) { call(each, core, store); });
        failed.dismiss();
        more = left || records.calls_recorded;
    }
    if (records.recorded.empty()) {
        records.recorded.swap(records.applied); // reuses memory that is in the cache
        records.ids.all_used();
    }
    return std::exchange(records.dropped, 0);
}

void CommandBuffer::call(const detail::CommandCall& each, detail::StoreCore& core, ArchetypeStore& store) {
    detail::CommandRecords& records = *records_;
    const ScopeGuard ended([&]() noexcept {
        each.destroy(each.function);
        if (records.ids.epoch() != life_->epoch) end_epoch(); // it has cleared or restored the store
    });
    const std::size_t before = records.recorded.size();
    each.call(each.function, store);
    core.flush_reserved("apply"); // ids that it took are made before others come or go
    records.calls_recorded = records.calls_recorded || records.recorded.size() != before;
}

SLOTWISE_INLINE bool CommandBuffer::is_late_target(ComponentId id) {
    const Entity target = id.target();
    if (!target) return false;
    records_->recorded.add_target(target);
    if (!records_->recorded.despawns(target)) return false;
    ++records_->dropped;
    return true;
}

SLOTWISE_INLINE std::size_t ArchetypeStore::apply(CommandBuffer& buffer) { return buffer.apply_to(*core_, *this); }

void CommandBuffer::prepare() {
    SLOTWISE_EXPECT(!life_->has_ended(), "CommandBuffer: the store that it was made for has ended");
    if (records_ == nullptr) {
        records_ = static_cast<detail::CommandRecords*>(core_->spare_records.take());
        if (records_ == nullptr) records_ = new detail::CommandRecords();
    }
    if (records_->ids.epoch() != life_->epoch) end_epoch();
}

SLOTWISE_INLINE void CommandBuffer::end_epoch() noexcept {
    records_->recorded.set_spawned_void();
    records_->applied.set_spawned_void();
    records_->ids.forget(life_->epoch);
}

void CommandBuffer::record_id(detail::CommandKind kind, Entity entity, ComponentId id, const AnyValue* value) {
    detail::CommandRecords& records = this->records();
    const detail::CommandShape& shape = records.shapes.of_id(core_->registry, kind, id, value != nullptr);
    if (kind != detail::CommandKind::remove && is_late_target(id)) return;
    detail::Command* const command = records.recorded.make(shape);
    if (shape.pair) ::new (command->payload()) ComponentId(id);
    if (value != nullptr) value->build(*shape.items[0].type, command->value(shape.items[0]));
    link(this->records(), without_user_bits(entity), command);
}

void CommandBuffer::record_ids(detail::CommandKind kind, Entity entity, std::span<const ComponentId> ids) {
    detail::CommandRecords& records = this->records();
    for (const ComponentId id : ids) core_->registry.expect(id, "CommandBuffer");
    if (ids.size() == 1) return record_id(kind, entity, ids[0], nullptr);
    detail::PlainVector<ComponentId> sorted;
    detail::IdSets::assign(sorted, ids);
    if (kind != detail::CommandKind::remove)
        for (const ComponentId id : sorted)
            if (is_late_target(id)) return;
    detail::Command* const command =
        records.recorded.make(records.shapes.of_list(kind), detail::checked_bytes(sorted.size(), sizeof(ComponentId)));
    ::new (command->payload()) std::uint64_t(sorted.size());
    auto* const to = static_cast<std::byte*>(command->payload()) + sizeof(std::uint64_t);
    if (!sorted.empty()) std::memcpy(to, sorted.data(), sorted.size() * sizeof(ComponentId));
    link(this->records(), without_user_bits(entity), command);
}

SLOTWISE_INLINE CommandBuffer::CommandBuffer(const ArchetypeStore& store) noexcept : core_(store.core_), life_(core_->life) {}

SLOTWISE_INLINE CommandBuffer::CommandBuffer(CommandBuffer&& other) noexcept : core_(other.core_), life_(other.life_) {
    swap(other);
}

SLOTWISE_INLINE CommandBuffer::~CommandBuffer() {
    if (records_ == nullptr) return;
    clear();
    if (life_->has_ended() || core_->library != &detail::own_library || !records_->serves_others())
        delete records_;
    else
        records_->give_to(*core_);
}

SLOTWISE_INLINE CommandBuffer::size_type CommandBuffer::memory_usage() const noexcept {
    return records_ == nullptr ? 0 : records_->memory_usage();
}

SLOTWISE_INLINE void CommandBuffer::reserve(size_type spawns) { records().ids.reserve(*core_, spawns); }

SLOTWISE_INLINE void CommandBuffer::shrink_to_fit() noexcept {
    expect_not_applying();
    if (records_ == nullptr) return;
    if (records_->recorded.empty()) records_->recorded.free();
    if (records_->applied.empty()) records_->applied.free();
}

namespace detail {

SLOTWISE_INLINE Deferral::Deferral(ArchetypeStore& store)
    : store_(store), core_(*store.core_), outermost_(core_.deferring == nullptr), own_(store) {
    if (!outermost_) return;
    core_.expect_idle("defer");
    core_.deferring = &own_;
}

SLOTWISE_INLINE Deferral::~Deferral() {
    if (outermost_) core_.deferring = nullptr;
}

SLOTWISE_INLINE std::size_t Deferral::end() {
    std::size_t dropped = 0;
    while (outermost_ && !own_.empty()) dropped += own_.apply_to(core_, store_); // more than once if hooks record
    return dropped;
}

} // namespace detail

SLOTWISE_END

#endif
