// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "states.hpp"

#include <slotwise/sparse/switch_map.hpp>

namespace {

using namespace bench;

template <class Id>
class States {
    static Id id(std::uint32_t index) {
        if constexpr (slotwise::AnyHandle<Id>)
            return Id(index, 1);
        else
            return index;
    }
    static std::uint32_t index(Id id) { return slotwise::IdTraits<Id>::index(id); }

public:
    SLOTWISE_BENCH_STEP void set(std::uint32_t index, std::uint16_t state) { map_.set(id(index), state); }
    SLOTWISE_BENCH_STEP std::uint64_t sum_of(std::uint16_t state) const {
        std::uint64_t sum = 0;
        for (const Id id : map_.of(state)) sum += index(id);
        return sum;
    }
    std::size_t count(std::uint16_t state) const { return map_.count(state); }

private:
    slotwise::SwitchMap<Id, std::uint16_t> map_;
};

const Registered registered([] {
    sparse::add_states<States<slotwise::Handle<struct BenchUnit, slotwise::HandleLayout{20, 12, 0}>>>("SwitchMap", Role::ours);
    sparse::add_states<States<slotwise::Handle<struct BenchUnit>>>("SwitchMap_handles_of_64_bits", Role::ours);
    sparse::add_states<States<std::uint32_t>>("SwitchMap_numbers", Role::ours);
});

} // namespace
