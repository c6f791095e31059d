// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: the slotwise authors
//
// A part of the program with a slotwise of its own: another namespace, other checks, another end of errors.
#pragma once

bool vendored_works();
void vendored_breaks(); // by a stale handle; its failure handler ends the program with code 0
