// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#if defined(SLOTWISE_BENCH_HAS_BOOST)

#include "states.hpp"

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/ordered_index.hpp>
#include <boost/multi_index_container.hpp>

namespace {

using namespace bench;

// One element an id, found by its index and by its state. States are in a tree: hashed_non_unique changes a state in time linear in
// the elements of that state (680 ns at 64 states of 10,000).
class States {
    struct Unit {
        std::uint32_t index;
        std::uint16_t state;
    };
    template <class T, T Unit::*member>
    using by = boost::multi_index::member<Unit, T, member>;
    using Indices = boost::multi_index::indexed_by<boost::multi_index::hashed_unique<by<std::uint32_t, &Unit::index>>,
                                                   boost::multi_index::ordered_non_unique<by<std::uint16_t, &Unit::state>>>;

public:
    SLOTWISE_BENCH_STEP void set(std::uint32_t index, std::uint16_t state) {
        const auto [it, inserted] = units_.insert({index, state});
        if (!inserted) units_.modify(it, [state](Unit& unit) { unit.state = state; });
    }
    SLOTWISE_BENCH_STEP std::uint64_t sum_of(std::uint16_t state) const {
        std::uint64_t sum = 0;
        const auto [first, last] = units_.get<1>().equal_range(state);
        for (auto it = first; it != last; ++it) sum += it->index;
        return sum;
    }
    std::size_t count(std::uint16_t state) const { return units_.get<1>().count(state); }

private:
    boost::multi_index::multi_index_container<Unit, Indices> units_;
};

const Registered registered([] { sparse::add_states<States>("boost_multi_index", Role::rival); });

} // namespace

#endif
