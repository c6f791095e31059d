// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps and series of str keys.
#include "parts.hpp"
#include "series.hpp"

namespace slotwise_python {

void bind_str(nb::module_& m) {
    bind_map<std::string, double>(m, "StrFloat64Map");
    bind_map<std::string, std::int64_t>(m, "StrInt64Map");
    bind_series<std::string, double>(m, "StrSeries", "StrDelta");
}

} // namespace slotwise_python
