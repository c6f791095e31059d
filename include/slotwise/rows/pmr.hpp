// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Rows with polymorphic allocators. A separate header because <memory_resource> is slow to include.
#ifndef SLOTWISE_ROWS_PMR_HPP
#define SLOTWISE_ROWS_PMR_HPP

#include "any_rows.hpp"
#include "bit_column.hpp"
#include "soa_struct.hpp"
#include "tick_column.hpp"

#include <memory_resource>

SLOTWISE_BEGIN

namespace pmr {

/// SoaVector with memory from a std::pmr::memory_resource.
template <class... Ts>
using SoaVector = BasicSoaVector<Members<Ts...>, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
/// SoaStruct with memory from a std::pmr::memory_resource.
template <auto... Ms>
using SoaStruct = BasicSoaStruct<Fields<Ms...>, AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
/// BitColumn with memory from a std::pmr::memory_resource.
using BitColumn = BasicBitColumn<AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
/// TickColumn with memory from a std::pmr::memory_resource.
using TickColumn = BasicTickColumn<AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;
/// AnyRows with memory from a std::pmr::memory_resource for its columns.
using AnyRows = BasicAnyRows<AllocBy<std::pmr::polymorphic_allocator<std::byte>>>;

} // namespace pmr
SLOTWISE_END

#endif
