#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs particles_soa and looks at its picture: usage: check.py PROGRAM

A fountain starts in the middle below, spreads, and stays in the frame.
"""
import pathlib
import subprocess
import sys
import tempfile

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "fountain.ppm"
    said = subprocess.run([*sys.argv[1:], file], check=True, capture_output=True, text=True).stdout
    kind, size, most, pixels = file.read_bytes().split(b"\n", 3)
assert "as a plain vector has them" in said, said
assert (kind, size, most, len(pixels)) == (b"P6", b"320 240", b"255", 3 * 320 * 240)
rows = [[x for x in range(320) if pixels[3 * (320 * y + x)]] for y in range(240)]  # where there is red
assert sum(155 <= x <= 165 for x in rows[226]) >= 4, "it starts in the middle"
assert max(row[-1] - row[0] for row in rows if row) > 200, "the fountain spreads"
assert not rows[0], "and does not reach the top"
print(f"{sum(map(len, rows))} pixels of light")
