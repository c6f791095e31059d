// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// compose(first, second) of dictionaries of series is what one window would have captured.
#include "compose.hpp"

TEMPLATE_TEST_CASE("composed deltas of dictionaries of sets equal the capture of their windows as one", "[series][compose]",
                   ALL_REPRESENTATIONS) {
    test::compose_like_one_window<typename TestType::template dict<int, typename TestType::template set<int>>>(4, 4, 2'000);
}

TEST_CASE("composed deltas of dictionaries of dictionaries equal the capture of their windows as one", "[series][compose]") {
    test::compose_like_one_window<test::Adaptive::dict<int, test::Bitmap::dict<int, double>>>(5, 4, 2'000);
}

TEST_CASE("composed deltas of dictionaries of dictionaries of sets equal the capture of their windows as one",
          "[series][compose]") {
    using Middle = test::Adaptive::dict<int, test::DirtyList::set<int>>;
    test::compose_like_one_window<test::Bitmap::dict<int, Middle>>(6, 3, 2'000);
}
