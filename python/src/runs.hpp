// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Runs of live slots.
#ifndef SLOTWISE_PYTHON_RUNS_HPP
#define SLOTWISE_PYTHON_RUNS_HPP

#include <slotwise/memory/occupancy.hpp>

#include <vector>

namespace slotwise_python {

using slotwise::no_slot;
using slotwise::Occupancy;
using slotwise::slot_t;

/// Slots from `first` to `last` - 1.
struct Run {
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
};
/// Calls f(run) for each run of live slots, in slot order.
template <class F>
void for_each_run(const Occupancy& live, F&& f) {
    using slotwise::bits::word_bits;
    for (slot_t slot = live.find_next(0); slot != no_slot;) {
        Run run{slot, slot};
        while (run.last < live.size() && live.test(run.last)) {
            if (run.last % word_bits == 0 && live.word(run.last / word_bits) == ~slotwise::bits::word_t{})
                run.last += word_bits;
            else
                ++run.last;
        }
        f(run);
        slot = live.find_next(run.last);
    }
}
inline std::vector<Run> runs_of(const Occupancy& live) {
    std::vector<Run> runs;
    for_each_run(live, [&](Run run) { runs.push_back(run); });
    return runs;
}

} // namespace slotwise_python

#endif
