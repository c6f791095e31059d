// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// Behind the headers of the standard library, which were read as those of MinGW: what our headers see of MSVC from here on.
#undef __GNUC__
#undef __MINGW32__
#undef __MINGW64__
#define _MSC_VER 1938
