// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps and series of int64 keys.
#include "parts.hpp"
#include "series.hpp"

namespace slotwise_python {

void bind_int64(nb::module_& m) {
    bind_map<std::int64_t, double>(m, "Int64Float64Map");
    bind_map<std::int64_t, std::int64_t>(m, "Int64Int64Map");
    bind_series<std::int64_t, double>(m, "Int64Series", "Int64Delta");
}

} // namespace slotwise_python
