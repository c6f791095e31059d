# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""typed_user.py, whose types are checked elsewhere, does what it says."""

import typed_user


def test_the_typed_program_runs():
    typed_user.main()
