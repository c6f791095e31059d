// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// The operator new of the programs of this folder, which can fail.
#include "support/failing_new.hpp"
