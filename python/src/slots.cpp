// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Containers that make the handle.
#include "slots.hpp"
#include "parts.hpp"

namespace slotwise_python {

void bind_slots(nb::module_& m) {
    bind_slots<SlotFace>(m, "SlotMap",
                         "float64 elements; the map makes the handle, an int that never names another element. Elements never "
                         "move. Threads may use it at once: each call is atomic. At most 2**28 elements.");
    bind_slots<RowsFace>(m, "SoaMap",
                         "Rows of four float64 members x, y, z, w, packed in an array each; the map makes the handle. An erase "
                         "moves the last row into the gap. Threads may use it at once: each call is atomic.");
}

} // namespace slotwise_python
