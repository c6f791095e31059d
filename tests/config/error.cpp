// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/config/error.hpp>

#include "support/thrown.hpp"

TEST_CASE("each error is the standard exception of its name and carries the text") {
    CHECK(test::thrown_text<std::out_of_range>([] { slotwise::detail::throw_out_of_range("gone"); }) == "gone");
    CHECK(test::thrown_text<std::length_error>([] { slotwise::detail::throw_length_error("too many"); }) == "too many");
    CHECK(test::thrown_text<std::invalid_argument>([] { slotwise::detail::throw_invalid_argument("odd"); }) == "odd");
}

TEST_CASE("running out of memory is std::bad_alloc, which carries no text") {
    CHECK(!test::thrown_text<std::bad_alloc>([] { slotwise::detail::throw_bad_alloc("no memory"); }).empty());
}

TEST_CASE("no macro of error.hpp is left behind") {
#ifdef SLOTWISE_THROW_OR_FAIL
    FAIL("SLOTWISE_THROW_OR_FAIL is still defined");
#endif
    SUCCEED();
}
