// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// std::unordered_map. With its own hash of strings libstdc++ would keep the hash beside the string; with any other that is
// noexcept it does not.
#include "standard_map.hpp"

#include <functional>
#include <unordered_map>

namespace {

using namespace bench;

template <class Kind, template <class> class Allocator>
using UnorderedMap = keyed::StandardMap<
    Kind, std::unordered_map<typename Kind::Key, keyed::Value, typename Kind::Hash, std::equal_to<typename Kind::Key>,
                             Allocator<std::pair<const typename Kind::Key, keyed::Value>>>>;

const Registered registered([] { keyed::add_contender<UnorderedMap>("unordered_map", Role::rival); });

} // namespace
