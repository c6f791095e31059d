// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// erase_if(container, pred): the free function that the standard's containers have.
#ifndef SLOTWISE_CORE_ERASE_IF_HPP
#define SLOTWISE_CORE_ERASE_IF_HPP

#include "../config/abi.hpp"

SLOTWISE_BEGIN

/// container.erase_if(pred): removes every element for which `pred` holds; returns how many. @throws what pred throws; the
/// elements erased before stay erased
template <class Container, class Pred>
    requires requires(Container& container, Pred& pred) { container.erase_if(pred); }
constexpr auto erase_if(Container& container, Pred pred) {
    return container.erase_if(pred);
}

SLOTWISE_END

#endif
