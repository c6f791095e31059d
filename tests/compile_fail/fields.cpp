// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#include <slotwise/arrow/fields.hpp>

using namespace slotwise;

struct Socket {
    int number = 0;
};
enum class Switch : bool { off, on };

//=== no_format ===//
// expect: constraints not satisfied || no matching
return format_of<int>[0];    // control
return format_of<Socket>[0]; // faulty

//=== no_column ===//
// expect: the type T has no column
return detail::ArrowColumnOf<int>::by_itself;    // control
return detail::ArrowColumnOf<Socket>::by_itself; // faulty

//=== enum_over_bool ===//
// expect: an enumeration over bool has no column
return format_of<bool>[0];   // control
return format_of<Switch>[0]; // faulty
