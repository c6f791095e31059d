// expect: RawCodec<T>: T has padding, floating-point members or more than bytes
// covers: slots/codec.hpp static_assert "RawCodec<T>: T has padding"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/codec.hpp>

struct Tight {
    long a, b;
};
struct Padded {
    char a;
    long b;
};
template <>
struct slotwise::CodecFor<Tight> : slotwise::RawCodec<Tight> {};
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
template <>
struct slotwise::CodecFor<Padded> : slotwise::RawCodec<Padded> {};
#endif

int main() { return static_cast<int>(sizeof(Padded) - sizeof(Tight)); }
