// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The three representations of a delta, as what a test case is instantiated with.
#ifndef SLOTWISE_TESTS_SERIES_REPRESENTATIONS_HPP
#define SLOTWISE_TESTS_SERIES_REPRESENTATIONS_HPP

#include <slotwise/fwd.hpp>

namespace test {

struct DirtyList {
    static constexpr auto representation = slotwise::DeltaRepresentation::dirty_list;
};
struct Bitmap {
    static constexpr auto representation = slotwise::DeltaRepresentation::bitmap;
};
struct Adaptive {
    static constexpr auto representation = slotwise::DeltaRepresentation::adaptive;
};
#define ALL_REPRESENTATIONS ::test::DirtyList, ::test::Bitmap, ::test::Adaptive

} // namespace test

#endif
