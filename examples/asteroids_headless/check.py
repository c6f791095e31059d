#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks asteroids_headless from the outside: usage: check.py PROGRAM

Other seeds and lengths hold too, a frame is a picture of what its line says, the same call gives the same bytes, and wrong calls are
refused.
"""

import re
import subprocess
import sys

if "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
failures = []


def run(*arguments):
    return subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          check=False)


def expect(holds, promise, result):
    if not holds:
        failures.append(promise)
        print(f"FAILED: {promise}\n  command: {result.args}\n  exit code: {result.returncode}\n{result.stdout[-3000:]}{result.stderr}")


for arguments in (["--seed", "2"], ["--ticks", "1000"], ["--ticks", "1"], ["--ticks", "2", "--seed", "0"],
                  ["--seed", "7", "--ticks", "999"], ["--seed", str(2**64 - 1), "--ticks", "3000"]):
    result = run(*arguments)
    expect(result.returncode == 0 and "check: passed" in result.stdout and "FAILED" not in result.stdout, "every run holds", result)

checksums = set()
for seed in ("1", "2", "3"):
    result = run("--seed", seed, "--ticks", "200")
    checksums.add(re.search(r"^checksum   ([0-9a-f]{16})$", result.stdout, re.M).group(1))
    expect(run("--seed", seed, "--ticks", "200").stdout == result.stdout, "the same call gives the same text", result)
expect(len(checksums) == 3, "another seed is another run", result)

for tick in range(0, 4000, 400):
    result = run("--frame", str(tick))
    lines = result.stdout.splitlines()
    expect(result.returncode == 0 and len(lines) == 27 and all(len(line) == 98 for line in lines[:26]), "a frame has its size", result)
    said = re.fullmatch(r"tick (\d+): (\d+) things, of them (\d+) rocks \(% homing\) and (\d+) turrets; (\d+) particles; "
                        r"ship (flying|lost)", lines[-1])
    expect(said is not None and int(said.group(1)) == tick, "the line below says the tick", result)
    field = "".join(lines[1:25])
    ships = sum(field.count(mark) for mark in "^>v<")
    expect(ships == (said.group(6) == "flying"), "a ship is seen when one flies", result)
    expect(field.count("T") <= int(said.group(4)) and (tick == 0 or "#" in field or "%" in field), "rocks and turrets are seen", result)

result = run("--watch", "--ticks", "3")
expect(result.returncode == 0 and result.stdout.count("\x1b[H") == 3, "watching shows each tick", result)

for arguments in (["--frame"], ["--ticks", "0"], ["--ticks", "-1"], ["--ticks", "1x"], ["--seed", str(2**64)], ["--frame", "1", "--watch"],
                  ["file"], [""]):
    result = run(*arguments)
    expect(result.returncode == 2 and "usage:" in result.stderr and not result.stdout, "a wrong call is refused with the right one", result)

print(f"check: {'FAILED' if failures else 'passed'}")
sys.exit(1 if failures else 0)
