// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Exports whose plan a test changes before it runs: limits that no test has memory for, and columns that fail.
#ifndef SLOTWISE_TESTS_ARROW_INSIDE_HPP
#define SLOTWISE_TESTS_ARROW_INSIDE_HPP

#include <slotwise/arrow/export.hpp>

#include <memory>
#include <string>
#include <utility>

namespace arrow_test {

/// export_stream(container, options), but change(plan) sees the plan first: plan.most_text are the bytes of text that the
/// offsets of a batch reach, plan.columns[i].gather is the function that gathers a column.
/// @param owner keeps what is shared; null: everything is copied now
template <class C, class Change>
slotwise::OwnedStream changed_export(const C& container, slotwise::ExportOptions options, std::shared_ptr<const void> owner,
                                     Change&& change) {
    auto plan = slotwise::detail::arrow_plan(container, options);
    change(plan);
    ArrowArrayStream raw;
    slotwise::detail::export_plan(std::move(plan), std::move(owner), &raw);
    return slotwise::OwnedStream(&raw);
}
/// Writes a length in front of a text of metadata.
inline void append_length(std::string& metadata, std::size_t length) { slotwise::detail::append_size(metadata, length); }

} // namespace arrow_test

#endif
