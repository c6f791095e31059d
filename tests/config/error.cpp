// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/config/error.hpp>

#include "support/catch.hpp"

#include <string>
#include <type_traits>
#include <typeinfo>

namespace {

template <class Exception, class F>
std::string text_of(F&& f) {
    try {
        f();
    } catch (const Exception& exception) {
        STATIC_REQUIRE(std::is_base_of_v<std::exception, Exception>);
        CHECK(typeid(exception) == typeid(Exception)); // exactly this one
        return exception.what();
    }
    FAIL("nothing was thrown");
    return {};
}

} // namespace

TEST_CASE("each error is the standard exception of its name and carries the text") {
    CHECK(text_of<std::out_of_range>([] { slotwise::detail::throw_out_of_range("gone"); }) == "gone");
    CHECK(text_of<std::length_error>([] { slotwise::detail::throw_length_error("too many"); }) == "too many");
    CHECK(text_of<std::invalid_argument>([] { slotwise::detail::throw_invalid_argument("odd"); }) == "odd");
}

TEST_CASE("running out of memory is std::bad_alloc, which carries no text") {
    CHECK(!text_of<std::bad_alloc>([] { slotwise::detail::throw_bad_alloc("no memory"); }).empty());
}

TEST_CASE("no macro of error.hpp is left behind") {
#ifdef SLOTWISE_THROW_OR_FAIL
    FAIL("SLOTWISE_THROW_OR_FAIL is still defined");
#endif
    SUCCEED();
}
