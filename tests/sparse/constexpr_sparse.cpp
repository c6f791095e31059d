// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What sparse containers answer in constant expressions: limits.
#include "support/constant.hpp"

#include <slotwise/sparse/entity_index.hpp>

using namespace slotwise;

namespace {

constexpr int limits() {
    std::size_t most = EntityIndex<Handle<int, HandleLayout{20, 12, 0}>, int>::max_size();
    HOLDS(most == std::size_t{1} << 20);
    return 0;
}

} // namespace

IN_CONSTANTS("the number of ids that an EntityIndex can have is a constant", limits())
