// expect: static assertion failed || static_assert failed
// covers: memory/allocator.hpp static_assert "std::is_trivially_copyable_v<T>"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/allocator.hpp>

using namespace slotwise;

struct Owner {
    ~Owner() {}
};

int main() {
    detail::FlatArray<int, std::allocator<int>> numbers;
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    detail::FlatArray<Owner, std::allocator<Owner>> owners;
#endif
    return static_cast<int>(numbers.size());
}
