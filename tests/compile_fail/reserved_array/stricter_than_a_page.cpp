// expect: aligned more strictly than a page of virtual memory
// covers: memory/reserved_array.hpp static_assert "aligned more strictly"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/memory/reserved_array.hpp>

using namespace slotwise;

struct alignas(4096) Page {};
struct alignas(8192) TwoPages {};

int main() {
    ReservedArray<Page> pages;
    pages.reserve(1);
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
    ReservedArray<TwoPages> refused;
    refused.reserve(1);
#endif
    return 0;
}
