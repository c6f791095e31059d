// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of command_batch.hpp.
#ifndef SLOTWISE_ECS_DETAIL_COMMAND_BATCH_INL_HPP
#define SLOTWISE_ECS_DETAIL_COMMAND_BATCH_INL_HPP

#include "command_batch.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE void CommandArena::swap(CommandArena& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(chunk_, other.chunk_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
}

SLOTWISE_INLINE void CommandArena::free() noexcept {
    std::allocator<std::byte> alloc;
    for (const Chunk& chunk : chunks_) deallocate_on_line(alloc, chunk.data, chunk.bytes);
    chunks_.clear();
    reset();
}

SLOTWISE_INLINE std::size_t CommandArena::memory_usage() const noexcept {
    std::size_t sum = memory_of_vector(chunks_);
    for (const Chunk& chunk : chunks_) sum += line_bytes<std::byte>(chunk.bytes);
    return sum;
}

SLOTWISE_INLINE std::size_t CommandArena::gap(std::size_t align) const noexcept {
    return (align - 1) & (std::size_t{0} - reinterpret_cast<std::uintptr_t>(next_));
}

SLOTWISE_INLINE void CommandArena::begin_chunk() noexcept {
    const bool any = chunk_ < chunks_.size();
    next_ = any ? chunks_[chunk_].data : nullptr;
    left_ = any ? chunks_[chunk_].bytes : 0;
}

SLOTWISE_INLINE std::size_t CommandShape::count(const void* payload) const noexcept {
    return list ? bits::to_size(*static_cast<const std::uint64_t*>(payload)) : items.size();
}

SLOTWISE_INLINE ComponentId CommandShape::id(std::size_t i, const void* payload) const noexcept {
    if (list) return static_cast<const ComponentId*>(payload)[i + 1];
    return pair ? *static_cast<const ComponentId*>(payload) : items[i].id;
}

SLOTWISE_INLINE void CommandShape::destroy_values(void* payload, std::size_t count) const noexcept {
    for (std::size_t i = 0; i != count; ++i)
        if (const CommandItem& item = items[i]; item.offset != CommandItem::no_value && item.type->destroy != nullptr)
            item.type->destroy(static_cast<std::byte*>(payload) + item.offset);
}

SLOTWISE_INLINE std::uint32_t CommandShape::place(std::size_t size, std::size_t alignment) {
    const std::size_t at = checked_bytes(1, bytes, alignment - 1) / alignment * alignment;
    const std::size_t end = checked_bytes(1, at, size);
    if (end >= CommandItem::no_value || alignment >= CommandItem::no_value / 2)
        throw_length_error("CommandBuffer: the values of a command have more than 4 GiB");
    bytes = static_cast<std::uint32_t>(end);
    if (alignment > align) align = static_cast<std::uint32_t>(alignment);
    return static_cast<std::uint32_t>(at);
}

SLOTWISE_INLINE std::size_t CommandShapes::memory_usage() const noexcept {
    std::size_t bytes = memory_of(by_types_, by_id_) + memory_of_vector(all_);
    for (const CommandShape* const shape : all_) bytes += sizeof *shape + memory_of_vector(shape->items);
    return bytes;
}

SLOTWISE_INLINE const CommandShape& CommandShapes::of_id(const ComponentRegistry& registry, CommandKind kind, ComponentId id,
                                                         bool with_value) {
    if (kind == CommandKind::remove && id.has_any_target() && !id.has_any_relation())
        registry.expect_term(id, "CommandBuffer");
    else
        registry.expect(id, "CommandBuffer");
    const TypeDescriptor* const type = kind == CommandKind::remove ? nullptr : registry.type(id);
    if (with_value && type == nullptr) [[unlikely]]
        throw_invalid_argument(
            ("CommandBuffer: a value is given to the tag " + registry.name(id) + ", which has none; leave it out").c_str());
    const ComponentId named = id.is_pair() ? registry.id(id.relation_number()) : id;
    const std::uint64_t key = named.bits() * 8 + std::uint64_t{id.is_pair()} * 4 + static_cast<std::uint64_t>(kind);
    const auto same = [&](std::uint64_t found) {
        const CommandShape& shape = *shape_of(found);
        const CommandItem& item = shape.items[0];
        return item.id == named && shape.pair == id.is_pair() && shape.kind == kind && item.type == type &&
               (item.offset != CommandItem::no_value) == with_value;
    };
    if (const std::uint64_t found = by_id_.find(key, same)) return *shape_of(found);
    CommandShape shape;
    shape.kind = kind;
    shape.pair = id.is_pair();
    if (shape.pair) static_cast<void>(shape.place(sizeof(ComponentId), alignof(ComponentId)));
    CommandItem item;
    item.id = named;
    item.type = type;
    if (with_value) give_value(shape, item);
    shape.items.push_back(item);
    by_id_.reserve_one();
    const CommandShape& kept = keep(std::move(shape));
    by_id_.insert(key, number_of(&kept));
    return kept;
}

SLOTWISE_INLINE const CommandShape& CommandShapes::of_list(CommandKind kind) {
    const CommandShape*& known = kind == CommandKind::remove ? remove_list_ : add_list_;
    if (known != nullptr) return *known;
    CommandShape shape;
    shape.kind = kind;
    shape.list = true;
    static_cast<void>(shape.place(sizeof(std::uint64_t), alignof(ComponentId)));
    known = &keep(std::move(shape));
    return *known;
}

SLOTWISE_INLINE void CommandShapes::resolve(ComponentRegistry& registry) {
    if (!unresolved_) [[likely]]
        return;
    for (CommandShape* const shape : all_)
        for (CommandItem& item : shape->items)
            if (item.find != nullptr) {
                item.id = item.find(registry);
                if (item.type != nullptr) item.type = registry.type(item.id); // of the library that registered it
                item.find = nullptr;
            }
    unresolved_ = false;
}

SLOTWISE_INLINE void CommandShapes::give_value(CommandShape& shape, CommandItem& item) {
    item.offset = shape.place(item.type->size, item.type->align);
    shape.destroys = shape.destroys || item.type->destroy != nullptr;
    shape.throws = shape.throws || !(item.type->trivial || item.type->nothrow_move);
}

SLOTWISE_INLINE const CommandShape& CommandShapes::keep(CommandShape&& shape) {
    if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 8);
    for (const CommandItem& item : shape.items) unresolved_ = unresolved_ || item.find != nullptr;
    shape.number = static_cast<std::uint32_t>(all_.size() + 1);
    all_.push_back(new CommandShape(std::move(shape))); // there is room
    return *all_.back();
}

SLOTWISE_INLINE void CommandBatch::swap(CommandBatch& other) noexcept {
    arena_.swap(other.arena_);
    groups_.swap(other.groups_);
    despawns_.swap(other.despawns_);
    targets_.swap(other.targets_);
    pages_.swap(other.pages_);
    versions_.swap(other.versions_);
    std::swap(commands_, other.commands_);
    std::swap(latest_, other.latest_);
    std::swap(section_, other.section_);
    std::swap(next_, other.next_);
    std::swap(limit_, other.limit_);
    std::swap(next_despawn_, other.next_despawn_);
    calls_.swap(other.calls_);
    std::swap(next_call_, other.next_call_);
}

SLOTWISE_INLINE bool CommandBatch::despawns(Entity entity) const noexcept {
    const std::uint32_t first = despawns_.empty() ? 0 : find(entity);
    return first != 0 && groups_[groups_[first - 1].newest - 1].despawned();
}

SLOTWISE_INLINE void CommandBatch::set_spawned_void() noexcept {
    for (std::size_t i = 0; i != groups_.size(); ++i)
        if (groups_[i].newest != 0 && groups_[i].spawned()) set_void(static_cast<std::uint32_t>(i + 1));
}

SLOTWISE_INLINE bool CommandBatch::next_phase() noexcept {
    limit_ = next_call_limit();
    const bool any = next_ != limit_ || ends_any();
    for (std::size_t i = next_despawn_; is_before_call(i); ++i)
        if (groups_[despawns_[i].group - 1].is_barrier()) {
            limit_ = despawns_[i].until;
            break;
        }
    return any;
}

SLOTWISE_INLINE CommandGroup* CommandBatch::next() noexcept {
    while (next_ < limit_ && (groups_[next_].despawned() || groups_[next_].is_done())) ++next_;
    return next_ >= limit_ ? nullptr : &groups_[next_];
}

SLOTWISE_INLINE CommandGroup* CommandBatch::next_despawn() noexcept {
    const bool any = next_despawn_ != despawns_.size() && despawns_[next_despawn_].until <= limit_;
    return any ? &groups_[despawns_[next_despawn_].group - 1] : nullptr;
}

SLOTWISE_INLINE void CommandBatch::despawn_next() noexcept {
    despawns_.push_back({static_cast<std::uint32_t>(next_ + 1), static_cast<std::uint32_t>(groups_.size())});
    groups_[next_].set_despawned();
}

SLOTWISE_INLINE void CommandBatch::finish(std::size_t count, bool destroys) noexcept {
    if (groups_[next_].later != 0) [[unlikely]]
        for (CommandGroup* each = later(groups_[next_]); each != nullptr && !each->despawned(); each = later(*each)) {
            finish(*each, destroys);
            each->set_done();
        }
    for (; count != 0; --count, ++next_) finish(groups_[next_], destroys);
}

SLOTWISE_INLINE void CommandBatch::reset() noexcept {
    for (const CommandGroup& group : groups_) {
        destroy_commands(group);
        pages_.find(group.entity.index() / page_slots)->heads[group.entity.index() % page_slots] = 0;
    }
    for (; next_call_ != calls_.size(); ++next_call_) calls_[next_call_].destroy(calls_[next_call_].function);
    calls_.clear();
    groups_.clear();
    despawns_.clear();
    targets_.clear();
    if (versions_.size() != 0) NumberTable().swap(versions_);
    arena_.reset();
    commands_ = latest_ = section_ = next_ = limit_ = next_despawn_ = next_call_ = 0;
}

SLOTWISE_INLINE std::uint32_t CommandBatch::find(Entity entity) const noexcept {
    const Page* const page = pages_.find(entity.index() / page_slots);
    return page == nullptr ? 0 : find(page->heads[entity.index() % page_slots], entity);
}

SLOTWISE_INLINE CommandGroup& CommandBatch::group_in_section(std::uint32_t first) {
    const std::uint32_t newest = groups_[first - 1].newest;
    if (newest > section_ || groups_[newest - 1].despawned()) {
        latest_ = newest - 1;
        return groups_[latest_];
    }
    CommandGroup& group = append(groups_[first - 1].entity);
    groups_[newest - 1].later = groups_[first - 1].newest = static_cast<std::uint32_t>(groups_.size());
    return group;
}

SLOTWISE_INLINE void CommandBatch::set_void(std::uint32_t number) noexcept {
    for (; number != 0; number = groups_[number - 1].later) groups_[number - 1].set_void();
}

SLOTWISE_INLINE void CommandBatch::finish(CommandGroup& group, bool destroys) noexcept {
    if (destroys) destroy_commands(group);
    group.last = nullptr;
    commands_ -= group.count();
    group.count_none();
}

void* CommandArena::take_from_next(std::size_t bytes, std::size_t align) {
    const std::size_t needed = checked_bytes(1, bytes, align);
    std::size_t next = chunks_.empty() ? 0 : chunk_ + 1;
    while (next < chunks_.size() && chunks_[next].bytes < needed) ++next; // skipped chunks are used again after reset()
    if (next >= chunks_.size()) {
        std::size_t size = chunks_.empty() ? first_bytes : chunks_.back().bytes;
        size = chunks_.empty() ? size : size < most_bytes / 2 ? 2 * size : most_bytes;
        if (size < needed) size = needed;
        if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
        std::allocator<std::byte> alloc;
        chunks_.push_back({allocate_on_line(alloc, size), size});
        next = chunks_.size() - 1;
    }
    chunk_ = next;
    begin_chunk();
    return cut(gap(align), bytes);
}

CommandGroup& CommandBatch::find_or_add(Entity entity, std::uint32_t& head) {
    const std::uint32_t first = find(head, entity);
    return first != 0 ? group_in_section(first) : add(entity, head);
}

SLOTWISE_INLINE CommandArena::~CommandArena() { free(); }

SLOTWISE_INLINE CommandShapes::~CommandShapes() {
    for (const CommandShape* const shape : all_) delete shape;
}

SLOTWISE_INLINE CommandBatch::~CommandBatch() { reset(); }

} // namespace detail

SLOTWISE_END

#endif
