// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The module slotwise._core.
#include "calls.hpp"
#include "lock.hpp"
#include "parts.hpp"
#include "shards.hpp"

#include <slotwise/arrow/apply_delta.hpp>

NB_MODULE(_core, m) {
    using namespace slotwise_python;
    using slotwise::Applied;
    count_forks();
    nb::register_exception_translator(translate);
    nb::enum_<Applied>(m, "Applied", "What apply() has done with a delta.")
        .value("done", Applied::done, "It is applied.")
        .value("already", Applied::already, "The series was there already, or later; no effect.")
        .value("gap", Applied::gap, "A delta before it is missing; no effect.");

    bind_schema(m);
    bind_frame(m);
    bind_keyed(m);
    bind_series(m);
    bind_slot_map(m);
    bind_table(m);
    bind_world(m);
    bind_shards(m);
    m.def(
        "_show_signature",
        [](nb::handle function, nb::handle getter) {
            PyTypeObject* const type =
                Py_TYPE(function.ptr()); // one of the binding library's, which setattr() takes for immutable
            if (PyDict_SetItemString(type->tp_dict, "__signature__", getter.ptr()) != 0) raise_again();
            PyType_Modified(type);
        },
        nb::arg("function"), nb::arg("getter"), nb::sig("def _show_signature(function: object, getter: property) -> None"),
        "Gives all functions of this kind the attribute __signature__, which inspect.signature() reads.");
    Calls::improve(m);
}
