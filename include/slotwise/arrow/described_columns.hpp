// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The columns of containers whose types are described at run time: those whose id is that of a type that Arrow has.
#ifndef SLOTWISE_ARROW_DESCRIBED_COLUMNS_HPP
#define SLOTWISE_ARROW_DESCRIBED_COLUMNS_HPP

#include "../keyed/any_storage.hpp"
#include "../map/any_slot_map.hpp"
#include "../series/any_tsd_storage.hpp"
#include "../series/any_tss_storage.hpp"
#include "container_columns.hpp"

SLOTWISE_BEGIN
namespace detail {

/// The types that a descriptor may have the id of.
using DescribedColumnTypes = TypeList<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
                                      unsigned long, long long, unsigned long long, float, double, std::string, Entity>;

/// The column of values of a described type.
/// @throws std::invalid_argument that names the column when the type has no id, or is none that is listed here
inline ArrowColumn described_column(const TypeDescriptor& type, std::string name) {
    ArrowColumn column;
    const auto try_each = [&]<class... Ts>(TypeList<Ts...>) {
        return ((type.id == TypeDescriptor::id_of<Ts>() && (column = arrow_column<Ts>(name), true)) || ...);
    };
    if (!type.id || !try_each(DescribedColumnTypes()))
        throw_arrow_error("Arrow export: column \"" + name +
                          "\": its values are of a type that is described without an id, or "
                          "that is no number, bool, std::string or entity");
    return column;
}
inline void add_described(ArrowPlanner& plan, const char* name, const ConstAnyColumnView& view, bool stamped = false) {
    const AnyPages& pages = view.pages();
    ArrowColumn column = described_column(view.type(), name);
    column.stamped = stamped;
    plan.add(std::move(column), arrow_pages(view.slot_end(), pages.shift, view.type().size,
                                            [&](std::size_t p) { return pages.ptr(p << pages.shift); }));
}

template <class... With>
ArrowPlan arrow_plan(const BasicAnySlotMap<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) { add_described(plan, "value", map.values()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnySetStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_described(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyMapStorage<With...>& map, const ExportOptions& options) {
    return plan_by_slot<With...>(map, options, [&](ArrowPlanner& plan) {
        add_described(plan, "key", map.keys());
        add_described(plan, "value", map.values());
    });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSSStorage<With...>& set, const ExportOptions& options) {
    return plan_by_slot<With...>(set, options, [&](ArrowPlanner& plan) { add_described(plan, "key", set.keys()); });
}
template <class... With>
ArrowPlan arrow_plan(const BasicAnyTSDStorage<With...>& dict, const ExportOptions& options) {
    return plan_by_slot<With...>(dict, options, [&](ArrowPlanner& plan) {
        add_described(plan, "key", dict.keys());
        add_described(plan, "value", dict.values(), true);
    });
}

} // namespace detail
SLOTWISE_END

#endif
