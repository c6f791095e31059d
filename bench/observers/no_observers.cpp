// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// SlotMap built without dynamic observers: the same headers under another namespace, with a hub that has no observers.
#define slotwise slotwise_without_observers // NOLINT: a copy of the library of our own, so that no type is defined twice
#include <slotwise/slots/detail/observer_hub.hpp>

SLOTWISE_BEGIN
namespace detail {

struct NoHooks {
    void on_reset() noexcept {}
};

template <>
class ObserverHub<> : public ObserverHub<NoHooks> {
public:
    using ObserverHub<NoHooks>::ObserverHub;
    static constexpr bool dynamic() noexcept { return false; }
};

} // namespace detail
SLOTWISE_END

#include <slotwise/map/slot_map.hpp>

#include "workload.hpp"

namespace {

using namespace bench;

struct Setup {
    slotwise::SlotMap<Element16> map;
    [[nodiscard]] bool seen(std::size_t) const { return true; }
};

const Registered registered([] { observers::add_contender<Setup>("no_observers", Role::limit); });

} // namespace
