// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "hash_map.hpp"

#include <unordered_map>

namespace {

using namespace bench;

const Registered registered([] {
    using Map = std::unordered_map<std::uint32_t, int>;
    using Column = std::unordered_map<std::uint32_t, float>;
    sparse::add_map<sparse::HashMap<Map>>("unordered_map", Role::rival);
    sparse::add_group<sparse::HashMaps<Column>>("unordered_map", Role::rival);
});

} // namespace
