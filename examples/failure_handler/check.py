#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks failure_handler from the outside: usage: check.py PROGRAM

Inside a frame a broken rule is logged and the program ends well; outside it is logged and the program aborts.
"""

import signal
import subprocess
import sys

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
LOGGED = "no element has this handle"


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          check=False)


inside, outside = run(), run("outside")
failures = []
if inside.returncode != 0 or inside.stderr.count(LOGGED) != 3 or "check: passed" not in inside.stdout:
    failures.append(f"three frames are to be ended and logged: exit code {inside.returncode}\n{inside.stdout}{inside.stderr}")
# 3: what abort() is on Windows
if outside.returncode not in (-signal.SIGABRT, 128 + signal.SIGABRT, 3) or outside.stderr.count(LOGGED) != 1:
    failures.append(f"outside of a frame the program is to abort with one line of log: exit code {outside.returncode}\n{outside.stderr}")
print("\n".join(failures) if failures else "check: passed")
sys.exit(1 if failures else 0)
