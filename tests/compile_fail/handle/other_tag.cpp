// expect: no match for || invalid operands
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/core/handle.hpp>

using namespace slotwise;

struct Node;
struct Edge;

int main() {
#ifdef SLOTWISE_COMPILE_FAIL_CONTROL
    return Handle<Node>{} == Handle<Node>{};
#else
    return Handle<Node>{} == Handle<Edge>{};
#endif
}
