// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/apply_delta.hpp>
#include <slotwise/arrow/import.hpp>
#include <slotwise/arrow/restore_point.hpp>
#include <slotwise/keyed/map_storage.hpp>

using namespace slotwise;

struct Socket {
    int number = 0;
};
struct Fixed {
    explicit Fixed(int n) : number(n) {}
    int number;
};
template <>
struct slotwise::ArrowFields<Fixed> {
    static constexpr auto members = std::tuple(slotwise::field("number", &Fixed::number));
};

//=== value_without_a_column ===//
// expect: the type T has no column
MapStorage<int, int> map;
import_stream(nullptr, map);
MapStorage<int, Socket> other;
import_stream(nullptr, other); // faulty

//=== view_of_a_batch ===//
// expect: a std::string_view would refer to the batch
// covers: arrow/column_reader.hpp static_assert "a std::string_view would refer to the batch"
MapStorage<std::string, int> map;
import_stream(nullptr, map);
MapStorage<std::string_view, int> other;
import_stream(nullptr, other); // faulty

//=== struct_without_a_default ===//
// expect: a T is made by T() first
// covers: arrow/batch_reader.hpp static_assert "a T is made by T() first"
MapStorage<int, int> map;
import_stream(nullptr, map);
MapStorage<int, Fixed> other;
import_stream(nullptr, other); // faulty

//=== nested_delta ===//
// expect: a nested series is none
// covers: arrow/delta.hpp static_assert "a nested series is none"
import_delta<DictDelta<int, int, std::int64_t>>(nullptr);
import_delta<DictDelta<int, TSSStorage<int>, std::int64_t>>(nullptr); // faulty

//=== time_of_floating_point ===//
// expect: an integer, a duration or a time point
// covers: arrow/delta.hpp static_assert "an integer, a duration or a time point"
import_delta<SetDelta<int, std::int64_t>>(nullptr);
import_delta<SetDelta<int, double>>(nullptr); // faulty

//=== delta_for_a_map ===//
// expect: constraints not satisfied || no matching function
// covers: arrow/apply_delta.hpp requires "detail::is_series<Series>"
TSSStorage<int> series;
apply_delta(series, nullptr);
SetStorage<int> set;
apply_delta(set, nullptr); // faulty

//=== window_of_a_map ===//
// expect: constraints not satisfied || no matching function
// covers: arrow/delta.hpp requires "detail::is_series<Series>"
TSSStorage<int> series;
export_delta(series, 0, nullptr);
SetStorage<int> set;
export_delta(set, 0, nullptr); // faulty

//=== restore_point_of_a_map ===//
// expect: constraints not satisfied || no matching function
// covers: arrow/restore_point.hpp requires "detail::is_series<Series>"
TSSStorage<int> series;
restore_point(nullptr, series);
SetStorage<int> set;
restore_point(nullptr, set); // faulty
