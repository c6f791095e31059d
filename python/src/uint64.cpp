// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Maps and series of uint64 keys.
#include "parts.hpp"
#include "series.hpp"

namespace slotwise_python {

void bind_uint64(nb::module_& m) {
    bind_map<std::uint64_t, double>(m, "UInt64Float64Map");
    bind_map<std::uint64_t, std::int64_t>(m, "UInt64Int64Map");
    bind_series<std::uint64_t, double>(m, "UInt64Series", "UInt64Delta");
}

} // namespace slotwise_python
