// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
#define TESTED_STORAGE ::test::Soa
#define TESTED_STORAGE_HAS_NO_OBSERVERS
#include "throwing_maps.hpp"
