// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The parts of the module, a source each: they are compiled beside each other.
#ifndef SLOTWISE_PYTHON_PARTS_HPP
#define SLOTWISE_PYTHON_PARTS_HPP

#include <nanobind/nanobind.h>

namespace slotwise_python {

void bind_int64(nanobind::module_& m);
void bind_uint64(nanobind::module_& m);
void bind_str(nanobind::module_& m);
void bind_slots(nanobind::module_& m);

} // namespace slotwise_python

#endif
