// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// StoreAccess: the inside of a store, for the headers of ecs/ that work on one.
#ifndef SLOTWISE_ECS_STORE_ACCESS_HPP
#define SLOTWISE_ECS_STORE_ACCESS_HPP

#include "../config/abi.hpp"

#include <type_traits>

SLOTWISE_BEGIN
namespace detail {

class StoreCore;

/// Reaches the parts of a store; const ones if it is const. They stay where they are when the store is moved.
struct StoreAccess {
    template <class Store>
    static auto& core(Store& store) noexcept {
        using Core = std::conditional_t<std::is_const_v<Store>, const StoreCore, StoreCore>;
        return static_cast<Core&>(*store.core_);
    }
    template <class Store>
    static auto& tables(Store& store) noexcept {
        return core(store).tables;
    }
    template <class Store>
    static auto& entities(Store& store) noexcept {
        return core(store).entities;
    }
    template <class Store>
    static void begin_walk(const Store& store) noexcept {
        core(store).begin_walk();
    }
    template <class Store>
    static void end_walk(const Store& store) noexcept {
        core(store).end_walk();
    }
};

} // namespace detail
SLOTWISE_END

#endif
