// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The parts of the module, a source each: they are compiled beside each other.
#ifndef SLOTWISE_PYTHON_PARTS_HPP
#define SLOTWISE_PYTHON_PARTS_HPP

#include <nanobind/nanobind.h>

namespace slotwise_python {

void bind_schema(nanobind::module_& m);   // schema.cpp: Schema, KeyType
void bind_frame(nanobind::module_& m);    // frame.cpp: ArrowStream
void bind_keyed(nanobind::module_& m);    // keyed.cpp: Map, Set
void bind_series(nanobind::module_& m);   // series.cpp: Series, SeriesSet, Delta
void bind_slot_map(nanobind::module_& m); // slot_map.cpp: SlotMap
void bind_table(nanobind::module_& m);    // table.cpp: Table
void bind_world(nanobind::module_& m);    // world.cpp: World

} // namespace slotwise_python

#endif
