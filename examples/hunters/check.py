#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs hunters and looks at its picture: usage: check.py PROGRAM

It is docs/hunters.svg, byte for byte. Every animation has a value for each frame, and nothing leaves the picture.
"""
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "hunters.svg"
    subprocess.run([*sys.argv[1:], file], check=True, stdout=subprocess.DEVNULL)
    drawn = file.read_bytes()
kept = pathlib.Path(__file__).resolve().parents[2] / "docs" / "hunters.svg"
assert drawn == kept.read_bytes(), f"the picture has changed: look at it, then copy it to {kept}"
name = "{http://www.w3.org/2000/svg}"
moves = [(one.get("attributeName"), one.get("values").split(";")) for one in xml.etree.ElementTree.fromstring(drawn).iter(name + "animate")
         if one.get("calcMode") is None]
assert moves and all(len(values) == 120 for _, values in moves), "a value for each of 120 frames"
assert all(0 <= int(value) <= (720 if "x" in part else 300) for part, values in moves for value in values), "nothing leaves the picture"
print(f"{len(moves)} animations of 120 frames")
