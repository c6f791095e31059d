// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// CommandShape: what all commands of one kind with the same components have in common. Command: one record.
#ifndef SLOTWISE_ECS_COMMAND_SHAPE_HPP
#define SLOTWISE_ECS_COMMAND_SHAPE_HPP

#include "component_registry.hpp"

SLOTWISE_BEGIN
namespace detail {

enum class CommandKind : std::uint8_t { add, set, remove };

/// A component of a command.
struct CommandItem {
    static constexpr std::uint32_t no_value = ~std::uint32_t{0};

    ComponentId id{};                     ///< of a pair its relation: the pair itself is at the begin of the payload
    const TypeDescriptor* type = nullptr; ///< of the value; null: none
    std::uint32_t offset = no_value;      ///< of the value in the payload; no_value: it is built by default
    ComponentId (*find)(ComponentRegistry&) = nullptr; ///< registers the type; set as long as `id` is null
};

struct CommandShape {
    CommandKind kind = CommandKind::add;
    bool pair = false;       ///< its only item is a pair
    bool list = false;       ///< no items; ids are in the payload, behind their number
    bool destroys = false;   ///< a value must be destroyed
    bool throws = false;     ///< the move of a value may throw
    std::uint32_t bytes = 0; ///< of the payload
    std::uint32_t align = 1;
    std::uint32_t number = 0; ///< of the shape in its buffer
    std::vector<CommandItem> items{};

    /// The number of ids of a command with this payload.
    std::size_t count(const void* payload) const noexcept {
        return list ? bits::to_size(*static_cast<const std::uint64_t*>(payload)) : items.size();
    }
    /// The id at place `i` of a command with this payload.
    ComponentId id(std::size_t i, const void* payload) const noexcept {
        if (list) return static_cast<const ComponentId*>(payload)[i + 1];
        return pair ? *static_cast<const ComponentId*>(payload) : items[i].id;
    }
    /// Destroys the first `count` values.
    void destroy_values(void* payload, std::size_t count) const noexcept {
        for (std::size_t i = 0; i != count; ++i)
            if (const CommandItem& item = items[i]; item.offset != CommandItem::no_value && item.type->destroy != nullptr)
                item.type->destroy(static_cast<std::byte*>(payload) + item.offset);
    }
    /// Room for a value behind those that are there. @throws std::length_error when they are more than 4 GiB
    std::uint32_t place(std::size_t size, std::size_t alignment) {
        const std::size_t at = checked_bytes(1, bytes, alignment - 1) / alignment * alignment;
        const std::size_t end = checked_bytes(1, at, size);
        if (end >= CommandItem::no_value || alignment >= CommandItem::no_value / 2)
            throw_length_error("CommandBuffer: the values of a command have more than 4 GiB");
        bytes = static_cast<std::uint32_t>(end);
        if (alignment > align) align = static_cast<std::uint32_t>(alignment);
        return static_cast<std::uint32_t>(at);
    }
};

/// A record: this, and the payload behind it.
struct Command {
    Command* next = nullptr; ///< of the same entity
    const CommandShape* shape = nullptr;

    /// Bytes from a record with this shape to its payload.
    static constexpr std::size_t header_bytes(std::size_t payload_align) noexcept {
        return payload_align <= sizeof(Command) ? sizeof(Command) : payload_align;
    }
    void* payload() noexcept { return static_cast<std::byte*>(static_cast<void*>(this)) + header_bytes(shape->align); }
    const void* payload() const noexcept {
        return static_cast<const std::byte*>(static_cast<const void*>(this)) + header_bytes(shape->align);
    }
    /// The number of ids, and each of them.
    std::size_t count() const noexcept { return shape->count(payload()); }
    ComponentId id(std::size_t i) const noexcept { return shape->id(i, payload()); }
    void* value(const CommandItem& item) noexcept { return static_cast<std::byte*>(payload()) + item.offset; }
    void destroy() noexcept {
        if (shape->destroys) shape->destroy_values(payload(), shape->items.size());
    }
};

/// A kind of command and the types of its values, to find its shape by.
template <CommandKind Kind, bool Values, class... Ts>
struct CommandPack;

/// The shapes of a buffer. They stay as long as it does, and there are as many as different calls in the program.
class CommandShapes {
public:
    CommandShapes() = default;
    CommandShapes(const CommandShapes&) = delete;
    CommandShapes& operator=(const CommandShapes&) = delete;
    void swap(CommandShapes& other) noexcept {
        by_types_.swap(other.by_types_);
        by_id_.swap(other.by_id_);
        all_.swap(other.all_);
        std::swap(unresolved_, other.unresolved_);
        std::swap(recent_, other.recent_);
        std::swap(add_list_, other.add_list_);
        std::swap(remove_list_, other.remove_list_);
    }
    std::size_t memory_usage() const noexcept {
        std::size_t bytes = memory_of(by_types_, by_id_) + memory_of_vector(all_);
        for (const CommandShape* const shape : all_) bytes += sizeof *shape + memory_of_vector(shape->items);
        return bytes;
    }
    ~CommandShapes() {
        for (const CommandShape* const shape : all_) delete shape;
    }

    /// The shape of a command with components of these types, and values of them. The last few are found without a search.
    /// @throws what the allocator throws; strong
    /// @param registry returns the registry of the store
    template <CommandKind Kind, bool Values, class... Ts, class Registry>
    SLOTWISE_ALWAYS_INLINE const CommandShape& of_types(Registry&& registry) {
        constexpr const TypeIdentity& types = type_identity<CommandPack<Kind, Values, Ts...>>;
        const std::uint64_t key = number_of(&types) ^ types.hash; // an address may come again, when a library was unloaded
        Recent& recent = recent_[number_of(types.mark) % recent_count];
        if (recent.key != key) [[unlikely]]
            recent = {key, &find_or_make<Kind, Values, Ts...>(registry(), key)};
        return *recent.shape;
    }

    /// The shape of a command with one component, or one pair, and its value if it has one. What is removed may be all pairs of
    /// a relation.
    /// @throws std::invalid_argument when the id names nothing in the registry, what the allocator throws; strong
    const CommandShape& of_id(const ComponentRegistry& registry, CommandKind kind, ComponentId id, bool with_value) {
        if (kind == CommandKind::remove && id.has_any_target() && !id.has_any_relation())
            registry.expect_term(id, "CommandBuffer");
        else
            registry.expect(id, "CommandBuffer");
        const TypeDescriptor* const type = kind == CommandKind::remove ? nullptr : registry.type(id);
        if (with_value && type == nullptr) [[unlikely]]
            throw_invalid_argument("CommandBuffer: a value is given to a tag, which has none; leave it out");
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
    /// The shape of a command with a list of ids. Throws what the allocator throws; strong
    const CommandShape& of_list(CommandKind kind) {
        const CommandShape*& known = kind == CommandKind::remove ? remove_list_ : add_list_;
        if (known != nullptr) return *known;
        CommandShape shape;
        shape.kind = kind;
        shape.list = true;
        static_cast<void>(shape.place(sizeof(std::uint64_t), alignof(ComponentId)));
        known = &keep(std::move(shape));
        return *known;
    }
    /// Registers the types that were not when they were recorded. @throws what the registry throws
    void resolve(ComponentRegistry& registry) {
        if (!unresolved_) [[likely]]
            return;
        for (CommandShape* const shape : all_)
            for (CommandItem& item : shape->items)
                if (item.find != nullptr) {
                    item.id = item.find(registry);
                    item.find = nullptr;
                }
        unresolved_ = false;
    }

private:
    static constexpr std::size_t recent_count = 8;
    struct Recent {
        std::uint64_t key = 0;
        const CommandShape* shape = nullptr;
    };

    template <CommandKind Kind, bool Values, class... Ts>
    const CommandShape& find_or_make(const ComponentRegistry& registry, std::uint64_t key) {
        if (const std::uint64_t found = by_types_.find(key, [](std::uint64_t) { return true; })) return *shape_of(found);
        CommandShape shape;
        shape.kind = Kind;
        shape.items.reserve(sizeof...(Ts) + 1);
        (add_type<Ts>(shape, registry, Values), ...);
        by_types_.reserve_one();
        const CommandShape& kept = keep(std::move(shape));
        by_types_.insert(key, number_of(&kept));
        return kept;
    }
    static std::uint64_t number_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }
    static const CommandShape* shape_of(std::uint64_t number) noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the index keeps numbers, so an address is one
        return reinterpret_cast<const CommandShape*>(bits::to_size(number));
    }
    static void give_value(CommandShape& shape, CommandItem& item) {
        item.offset = shape.place(item.type->size, item.type->align);
        shape.destroys = shape.destroys || item.type->destroy != nullptr;
        shape.throws = shape.throws || !(item.type->trivial || item.type->nothrow_move);
    }
    template <class T>
    static void add_type(CommandShape& shape, const ComponentRegistry& registry, bool with_value) {
        CommandItem item;
        item.id = registry.find<T>();
        if (registry.is_switched_alone(item.id)) registry.expect(item.id, "CommandBuffer");
        if (!item.id) item.find = [](ComponentRegistry& of) { return of.id<T>(); };
        if constexpr (!(std::is_empty_v<T> && std::is_trivially_copyable_v<T>)) {
            item.type = item.id ? registry.type(item.id) : &TypeDescriptor::of<T>(); // of the library that registered it
            if (with_value) give_value(shape, item);
        }
        shape.items.push_back(item);
    }
    const CommandShape& keep(CommandShape&& shape) {
        if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 8);
        for (const CommandItem& item : shape.items) unresolved_ = unresolved_ || item.find != nullptr;
        shape.number = static_cast<std::uint32_t>(all_.size() + 1);
        all_.push_back(new CommandShape(std::move(shape))); // there is room
        return *all_.back();
    }

    Recent recent_[recent_count]{}; // by the low bits of keys: a probe of the table takes 3 ns
    NumberTable by_types_{}, by_id_{};
    std::vector<CommandShape*> all_{};
    const CommandShape *add_list_ = nullptr, *remove_list_ = nullptr;
    bool unresolved_ = false; // a type was not registered when it was recorded
};

} // namespace detail
SLOTWISE_END

#endif
