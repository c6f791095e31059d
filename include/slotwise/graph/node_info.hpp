// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NodeInfo: what all nodes of one kind of a DataflowGraph share. SharedNodeInfo: the same, counted. NodeFlags: what a node is
// marked with. NodePin: what a rule of links is asked of.
#ifndef SLOTWISE_GRAPH_NODE_INFO_HPP
#define SLOTWISE_GRAPH_NODE_INFO_HPP

#include "../config/assert.hpp"
#include "../fwd.hpp"
#include "../memory/plain_vector.hpp"

#include <atomic>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

SLOTWISE_BEGIN

/// The flags in both.
constexpr NodeFlags operator&(NodeFlags a, NodeFlags b) noexcept {
    return static_cast<NodeFlags>(static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b));
}
/// The flags in either.
constexpr NodeFlags operator|(NodeFlags a, NodeFlags b) noexcept {
    return static_cast<NodeFlags>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
/// All other flags.
constexpr NodeFlags operator~(NodeFlags flags) noexcept { return static_cast<NodeFlags>(~static_cast<std::uint32_t>(flags)); }
/// Whether any of `which` is set.
constexpr bool has_any(NodeFlags flags, NodeFlags which) noexcept { return (flags & which) != NodeFlags::none; }
/// Flag number n of the program, from 0: `constexpr NodeFlags spread_native = user_flag(0);`.
/// @pre n < 24 (checked at level fast)
constexpr NodeFlags user_flag(unsigned n) noexcept {
    SLOTWISE_EXPECT(n < 24, "user_flag(n): there are 24 of them, from 0");
    return static_cast<NodeFlags>(std::uint32_t{1} << (8 + n));
}

/// What all nodes of one kind share: static data, which nodes point to.
///     constexpr std::string_view spring_in[] = {"target", "stiffness"}, spring_out[] = {"position"};
///     constexpr NodeInfo spring{"spring", spring_in, spring_out, NodeFlags::always};
struct NodeInfo {
    /// The name of the kind.
    std::string_view name{};
    /// The names of the inputs, by number.
    std::span<const std::string_view> inputs{};
    /// The names of the outputs, by number.
    std::span<const std::string_view> outputs{};
    /// The flags of a new node.
    NodeFlags flags = NodeFlags::none;

    /// The number of the input with this name, or no_slot.
    constexpr slot_t input(std::string_view pin) const noexcept { return find(inputs, pin); }
    /// The number of the output with this name, or no_slot.
    constexpr slot_t output(std::string_view pin) const noexcept { return find(outputs, pin); }

private:
    static constexpr slot_t find(std::span<const std::string_view> names, std::string_view name) noexcept {
        for (std::size_t i = 0; i != names.size(); ++i)
            if (names[i] == name) return static_cast<slot_t>(i);
        return no_slot;
    }
};

/// A NodeInfo that lives as long as it is used: a copy with all its texts, in one block of memory with a count. For kinds that
/// are made while the program runs. Nodes share it, and it goes with the last of them. It has the size of a pointer.
///     const SharedNodeInfo kind(NodeInfo{name, in, out});      // name, in and out may go then
///     const auto node = graph.add(Operation(), kind);
/// It may be copied and destroyed by several threads at the same time, as a std::shared_ptr may.
class SharedNodeInfo {
public:
    /// None.
    constexpr SharedNodeInfo() noexcept = default;
    /// A copy of `info`, of its name and of the names of its pins. @throws std::bad_alloc
    explicit SharedNodeInfo(const NodeInfo& info) : tagged_(tag(Block::make(info))) {}
    /// Refers to `info`, and counts nothing; null gives none. @pre *info lives as long as anything that got it: it is static
    static SharedNodeInfo refer_to(const NodeInfo* info) noexcept {
        SharedNodeInfo result;
        result.tagged_ = info;
        return result;
    }
    SharedNodeInfo(const SharedNodeInfo& other) noexcept : tagged_(other.tagged_) {
        if (counted()) block()->owners.fetch_add(1, std::memory_order_relaxed);
    }
    SharedNodeInfo(SharedNodeInfo&& other) noexcept : tagged_(std::exchange(other.tagged_, nullptr)) {}
    SharedNodeInfo& operator=(SharedNodeInfo other) noexcept {
        std::swap(tagged_, other.tagged_);
        return *this;
    }
    ~SharedNodeInfo() {
        if (counted()) Block::release(block());
    }

    /// The info, or null.
    const NodeInfo* get() const noexcept { return counted() ? block() : tagged_; }
    /// Of the info. @pre there is one
    const NodeInfo& operator*() const noexcept { return *get(); }
    const NodeInfo* operator->() const noexcept { return get(); }
    /// Whether there is one.
    explicit operator bool() const noexcept { return tagged_ != nullptr; }
    /// Whether it keeps the info, and does not only refer to it.
    bool counted() const noexcept { return (reinterpret_cast<std::uintptr_t>(tagged_) & 1) != 0; }
    /// Whether both are the same object.
    friend bool operator==(const SharedNodeInfo& a, const SharedNodeInfo& b) noexcept { return a.tagged_ == b.tagged_; }

private:
    // The names of pins, and behind them all characters, lie behind the block.
    struct Block : NodeInfo {
        using Unit = detail::PlainUnit;
        using Memory = std::allocator<Unit>; // the heap, because an info may outlive its graph
        Block(const NodeInfo& info, std::size_t of) noexcept : NodeInfo(info), units(of) {}
        std::atomic<std::size_t> owners{1};
        std::size_t units; // of memory

        static Block* make(const NodeInfo& from) {
            const std::size_t pins = from.inputs.size() + from.outputs.size();
            std::size_t size = sizeof(Block) + pins * sizeof(std::string_view) + from.name.size();
            for (const auto& names : {from.inputs, from.outputs})
                for (const std::string_view name : names) size += name.size();
            Memory heap;
            const std::size_t units = (size + sizeof(Unit) - 1) / sizeof(Unit);
            void* const memory = detail::allocate_raw(heap, units);
            Block* const block = ::new (memory) Block(from, units);
            auto* const names = static_cast<std::string_view*>(static_cast<void*>(static_cast<char*>(memory) + sizeof(Block)));
            char* text = static_cast<char*>(static_cast<void*>(names + pins));
            const auto copied = [&text](std::string_view name) noexcept {
                if (!name.empty()) std::memcpy(text, name.data(), name.size());
                const std::string_view copy(text, name.size());
                text += name.size();
                return copy;
            };
            block->name = copied(from.name);
            std::size_t n = 0;
            for (std::span<const std::string_view> NodeInfo::*const list : {&NodeInfo::inputs, &NodeInfo::outputs}) {
                const std::size_t first = n;
                for (const std::string_view name : from.*list)
                    ::new (static_cast<void*>(names + n++)) std::string_view(copied(name));
                block->*list = {names + first, n - first};
            }
            return block;
        }
        static void release(Block* block) noexcept {
            if (block->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
            Memory heap;
            detail::deallocate_raw(heap, static_cast<Unit*>(static_cast<void*>(block)), block->units);
        }
    };
    static_assert(std::is_trivially_destructible_v<Block> && sizeof(Block) % alignof(std::string_view) == 0);

    static const NodeInfo* tag(Block* block) noexcept {
        const NodeInfo* const info = block;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the lowest bit of an address is the tag
        return reinterpret_cast<const NodeInfo*>(reinterpret_cast<std::uintptr_t>(info) | 1);
    }
    /// @pre counted()
    Block* block() const noexcept {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address without its tag
        auto* const info = reinterpret_cast<NodeInfo*>(reinterpret_cast<std::uintptr_t>(tagged_) & ~std::uintptr_t{1});
        return static_cast<Block*>(info);
    }

    const NodeInfo* tagged_ = nullptr; // its lowest bit: the info is that of a block
};

/// A pin of a node, for the rule LinkIf<P> of a DataflowGraph.
template <class Node>
struct NodePin {
    const Node& node;     ///< the node
    const NodeInfo* info; ///< what it was added with, or null
    slot_t number;        ///< of the output, or the input
};

SLOTWISE_END

#endif
