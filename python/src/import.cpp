// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Rows of Arrow streams into maps and series: the loops that are worth speed. CMakeLists.txt has this source compiled for speed,
// and all others for size.
#include "faces.hpp"

#include <slotwise/arrow/import.hpp>

namespace slotwise_python {

template <class To>
void import_rows(ArrowArrayStream* stream, To& to) {
    slotwise::import_stream(stream, to);
}

template <class K, class T>
using Map = typename MapFace<K, T>::container;
template <class K>
using SeriesWriter = typename SeriesFace<K, double>::writer_type;

template void import_rows(ArrowArrayStream*, Map<std::int64_t, double>&);
template void import_rows(ArrowArrayStream*, Map<std::int64_t, std::int64_t>&);
template void import_rows(ArrowArrayStream*, Map<std::uint64_t, double>&);
template void import_rows(ArrowArrayStream*, Map<std::uint64_t, std::int64_t>&);
template void import_rows(ArrowArrayStream*, Map<std::string, double>&);
template void import_rows(ArrowArrayStream*, Map<std::string, std::int64_t>&);
template void import_rows(ArrowArrayStream*, SeriesWriter<std::int64_t>&);
template void import_rows(ArrowArrayStream*, SeriesWriter<std::uint64_t>&);
template void import_rows(ArrowArrayStream*, SeriesWriter<std::string>&);

} // namespace slotwise_python
