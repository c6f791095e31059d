// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A function for each exception that the library throws. They are not inlined, so that hot code stays small, and only they
// depend on whether exceptions are on.
#ifndef SLOTWISE_CONFIG_ERROR_HPP
#define SLOTWISE_CONFIG_ERROR_HPP

#include "assert.hpp"

#if SLOTWISE_EXCEPTIONS
#include <new>
#include <stdexcept>
#endif

SLOTWISE_BEGIN
namespace detail {

#if SLOTWISE_EXCEPTIONS
#define SLOTWISE_THROW_OR_FAIL(exception, what) throw exception
#else
#define SLOTWISE_THROW_OR_FAIL(exception, what) fail(what, __FILE__, __LINE__)
#endif

/// @throws std::out_of_range: the element does not exist.
[[noreturn]] SLOTWISE_COLD inline void throw_out_of_range(const char* what) {
    SLOTWISE_THROW_OR_FAIL(std::out_of_range(what), what);
}

/// @throws std::length_error: a container cannot hold that many elements.
[[noreturn]] SLOTWISE_COLD inline void throw_length_error(const char* what) {
    SLOTWISE_THROW_OR_FAIL(std::length_error(what), what);
}

/// @throws std::invalid_argument: an argument is refused; the text says which and why.
[[noreturn]] SLOTWISE_COLD inline void throw_invalid_argument(const char* what) {
    SLOTWISE_THROW_OR_FAIL(std::invalid_argument(what), what);
}

/// @throws std::bad_alloc: the system refuses memory. `what` is reported when exceptions are off.
[[noreturn]] SLOTWISE_COLD inline void throw_bad_alloc([[maybe_unused]] const char* what) {
    SLOTWISE_THROW_OR_FAIL(std::bad_alloc(), what);
}

/// @throws std::bad_array_new_length: the array would have more bytes than any object can have.
[[noreturn]] SLOTWISE_COLD inline void throw_bad_array_new_length([[maybe_unused]] const char* what) {
    SLOTWISE_THROW_OR_FAIL(std::bad_array_new_length(), what);
}

#undef SLOTWISE_THROW_OR_FAIL

} // namespace detail
SLOTWISE_END

#endif
