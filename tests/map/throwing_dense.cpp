// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#define TESTED_STORAGE ::test::Dense
#include "throwing_maps.hpp"
