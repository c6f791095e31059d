// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What of graphs works in constant expressions.
#include "support/catch.hpp"
#include "support/constant.hpp"

#include <slotwise/graph/dataflow_graph.hpp>

namespace {

using namespace slotwise;

constexpr std::string_view spring_in[] = {"target", "stiffness"}, spring_out[] = {"position"};

constexpr int flags_and_names() {
    // Not const, nor the others: clang would fold what is asked of them, and coverage would see no call.
    NodeInfo spring{"spring", spring_in, spring_out, NodeFlags::always | user_flag(3)};
    HOLDS(spring.input("stiffness") == 1 && spring.output("position") == 0 && spring.input("position") == no_slot);
    NodeFlags third = user_flag(3);
    HOLDS(has_any(spring.flags, NodeFlags::always) && !has_any(spring.flags & ~third, third));
    return 0;
}

constexpr int changed_inputs() {
    const bits::word_t words[] = {0, 0b101, 0, bits::word_t{1} << 63};
    const ChangedInputs some(words, 4), none(words, 1);
    HOLDS(some.size() == 3 && !some.empty() && none.empty());
    auto it = some.begin();
    HOLDS(*it++ == 64 && *it == 66 && *++it == 255 && ++it == some.end());
    return 0;
}

} // namespace

IN_CONSTANTS("nodes have flags and names of pins in constant expressions", flags_and_names())
IN_CONSTANTS("changed inputs are walked in constant expressions", changed_inputs())
