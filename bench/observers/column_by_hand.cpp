// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

// What a column costs when the caller keeps it: a second array, written by hand after each insertion. Nothing can make a column
// cheaper than the memory it touches.
#include "workload.hpp"

#include <slotwise/map/slot_map.hpp>

namespace {

using namespace bench;

class WithArray : public slotwise::SlotMap<Element16> {
public:
    handle_type insert(const Element16& value) {
        const handle_type handle = SlotMap::insert(value);
        if (handle.index() >= column.size()) column.resize(capacity());
        column[handle.index()] = 0;
        return handle;
    }
    std::vector<std::uint32_t> column;
};

struct Setup {
    WithArray map;
    [[nodiscard]] bool seen(std::size_t n) const { return map.column.size() >= n; }
};

const Registered registered([] { observers::add_contender<Setup>("column_by_hand", Role::limit); });

} // namespace
