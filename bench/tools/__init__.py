# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The parts of bench/run.py."""
