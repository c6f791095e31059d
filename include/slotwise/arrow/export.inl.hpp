// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The bodies of export.hpp.
#ifndef SLOTWISE_ARROW_EXPORT_INL_HPP
#define SLOTWISE_ARROW_EXPORT_INL_HPP

#include "export.hpp"

SLOTWISE_BEGIN

namespace detail {

SLOTWISE_INLINE void ArrowPlanner::rows_of(Occupancy live, std::size_t count) {
    segment().rows = live.size();
    if (count != live.size()) segment().live = live.words().data(); // otherwise no bit is read
}

SLOTWISE_INLINE void ArrowPlanner::rename(std::string_view names) {
    std::size_t named = 0;
    const std::size_t last = plan_.columns.size() - (options().handles ? 1 : 0) - (options().time ? 1 : 0);
    for (bool more = true; more; ++named) {
        const std::size_t comma = names.find(',');
        more = comma != std::string_view::npos;
        if (named < last) plan_.columns[named].name = std::string(names.substr(0, comma));
        if (more) names.remove_prefix(comma + 1);
    }
    if (named != last)
        throw_arrow_error("Arrow export: ExportOptions::names has " + std::to_string(named) + " names, and there are " +
                          std::to_string(last) + " columns");
}

SLOTWISE_INLINE ArrowColumn any_column(const TypeDescriptor& type, std::string name) {
    ArrowColumn column;
    const bool known = with_column_type(type, [&]<class T>(std::type_identity<T>) { column = arrow_column<T>(name); });
    if (!known)
        throw_arrow_error("Arrow export: column \"" + name +
                          "\": its values are of a type whose descriptor has no id, or "
                          "that is no number, bool, std::string or entity");
    return column;
}

SLOTWISE_INLINE void add_any(ArrowPlanner& plan, const char* name, const ConstAnyColumnView& view, bool stamped) {
    const AnyPages& pages = view.pages();
    ArrowColumn column = any_column(view.type(), name);
    column.stamped = stamped;
    plan.add(std::move(column), arrow_pages(view.slot_end(), pages.shift, view.type().size,
                                            [&](std::size_t p) { return pages.ptr(p << pages.shift); }));
}

SLOTWISE_INLINE CopiedBatches::CopiedBatches(ArrowPlan plan) : batcher_(std::move(plan), nullptr) {
    for (OwnedArray batch = batcher_.next(); batch; batch = batcher_.next()) batches_.push_back(std::move(batch));
}

SLOTWISE_INLINE void export_plan(ArrowPlan plan, std::shared_ptr<const void> owner, ArrowArrayStream* out) {
    if (owner == nullptr)
        ArrowStream<CopiedBatches>::give(CopiedBatches(std::move(plan)), out);
    else
        ArrowStream<ArrowBatcher>::give(ArrowBatcher(std::move(plan), std::move(owner)), out);
}

} // namespace detail

SLOTWISE_END

#endif
