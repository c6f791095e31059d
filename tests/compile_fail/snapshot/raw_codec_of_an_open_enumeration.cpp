// expect: not each number is a value of an enumeration without a fixed underlying type
// covers: slots/codec.hpp static_assert "RawCodec<T>: not each number"
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/slots/codec.hpp>

enum Fixed : int { one };
enum Open { two };
template <>
struct slotwise::CodecFor<Fixed> : slotwise::RawCodec<Fixed> {};
#ifndef SLOTWISE_COMPILE_FAIL_CONTROL
template <>
struct slotwise::CodecFor<Open> : slotwise::RawCodec<Open> {};
#endif

int main() { return static_cast<int>(one) + static_cast<int>(two); }
