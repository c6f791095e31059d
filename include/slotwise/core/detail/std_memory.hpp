// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The part of <memory> and <iterator> that the library uses: allocators, construct_at, to_address, iterator tags.
#ifndef SLOTWISE_CORE_DETAIL_STD_MEMORY_HPP
#define SLOTWISE_CORE_DETAIL_STD_MEMORY_HPP

#include <version>

// In libstdc++ <memory> brings shared_ptr, atomics and streams, <iterator> stream iterators: together 0.1 s of the 0.45 s that
// including a slot map costs. Its <vector> declares the few names used here, and snapshots need it anyway. Other standard
// libraries, and programs that define SLOTWISE_PLAIN_INCLUDES, get the headers that the standard names.
#if defined(__GLIBCXX__) && !defined(SLOTWISE_PLAIN_INCLUDES)
#include <vector>
#else
#include <iterator>
#include <memory>
#endif

#endif
