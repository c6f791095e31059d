// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// An element that can neither be copied nor moved, and one whose move may throw and that can be neither assigned nor swapped.
#ifndef SLOTWISE_TESTS_COMPILE_FAIL_FIXED_HPP
#define SLOTWISE_TESTS_COMPILE_FAIL_FIXED_HPP

namespace test {

struct Fixed {
    int id = 0;
    explicit Fixed(int name) : id(name) {}
    Fixed(const Fixed&) = delete;
    Fixed& operator=(const Fixed&) = delete;
    bool operator==(const Fixed&) const = default;
};

struct Stiff {
    int id = 0;
    explicit Stiff(int name) : id(name) {}
    Stiff(Stiff&& other) noexcept(false) : id(other.id) {}
    Stiff& operator=(Stiff&&) = delete;
};

} // namespace test

#endif
