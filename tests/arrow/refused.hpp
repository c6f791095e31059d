// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// What an error says, thrown or, without exceptions, told by the failure hook.
#ifndef SLOTWISE_TESTS_ARROW_REFUSED_HPP
#define SLOTWISE_TESTS_ARROW_REFUSED_HPP

#include "support/catch.hpp"

#include <stdexcept>
#include <string>

namespace arrow_test {

/// Whether f is refused with a message that contains `words`.
template <class F>
bool refused(const std::string& words, F&& f) {
#if defined(__cpp_exceptions)
    try {
        f();
    } catch (const std::exception& error) {
        UNSCOPED_INFO("it said: " << error.what());
        return std::string(error.what()).find(words) != std::string::npos;
    }
    return false;
#else
    return test::dies_saying(words, f);
#endif
}

} // namespace arrow_test

#endif
