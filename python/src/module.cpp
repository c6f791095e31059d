// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The module slotwise._core.
#include "arrow.hpp"
#include "calls.hpp"
#include "parts.hpp"
#include "shards.hpp"

#include <slotwise/arrow/apply_delta.hpp>

NB_MODULE(_core, m) {
    using namespace slotwise_python;
    using slotwise::Applied;
    nb::register_exception_translator(translate);
    nb::enum_<Applied>(m, "Applied", "What apply() has done with a delta.")
        .value("done", Applied::done, "It is applied.")
        .value("already", Applied::already, "The series was there already, or later; no effect.")
        .value("gap", Applied::gap, "A delta before it is missing; no effect.");

    bind_stream(m);
    bind_int64(m);
    bind_uint64(m);
    bind_str(m);
    bind_slots(m);
    bind_shards(m);
    Calls::improve(m);
}
