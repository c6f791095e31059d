// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors

#include "../support/main.hpp"
