#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks twenty_lines from the outside: usage: check.py PROGRAM"""
import subprocess
import sys

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
EXPECTED = "bob's handle finds nobody\nada has not moved\n0 ages, 80003 letters\n"
printed = subprocess.run(sys.argv[1], capture_output=True, text=True, check=True).stdout
if printed != EXPECTED:
    sys.exit(f"twenty_lines prints {printed!r}, not {EXPECTED!r}")
