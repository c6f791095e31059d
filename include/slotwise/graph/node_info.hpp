// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// NodeInfo: what all nodes of one kind of a DataflowGraph share. NodeFlags: what a node is marked with.
#ifndef SLOTWISE_GRAPH_NODE_INFO_HPP
#define SLOTWISE_GRAPH_NODE_INFO_HPP

#include "../config/assert.hpp"
#include "../fwd.hpp"

#include <span>
#include <string_view>

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

SLOTWISE_END

#endif
