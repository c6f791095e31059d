#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks engine_headers from the outside: usage: check.py PROGRAM

Asks the program's object files where the code of its container is: in lights.cpp's, and nowhere else.
"""

import re
import subprocess
import sys
from pathlib import Path

# A member that is no template: nm shows it without a return type. Constructors, destructors and assignments are left out: where
# they are defaulted a compiler makes them wherever they are used.
MEMBER = re.compile(r"slotwise::\w+::SlotMap(?:Interface)?::(?!~|SlotMap|operator=\()([\w\[\]=]+)\(")


def without_template_arguments(name):
    name = name.replace("operator<=>", "operator").replace("operator<<", "operator").replace("operator->", "operator")
    result, depth = [], 0
    for letter in name:
        depth += letter == "<"
        if depth == 0:
            result.append(letter)
        depth -= letter == ">"
    return "".join(result)


def nm_of(program):
    """The one the program was built with: it knows the target's format."""
    for folder in program.parents:
        cache = folder / "CMakeCache.txt"
        if cache.is_file():
            found = re.search(r"^CMAKE_NM:FILEPATH=(.+)$", cache.read_text(), re.M)
            if found and not found.group(1).endswith("-NOTFOUND"):
                return found.group(1)
    return "nm"


def members_in(nm, objects):
    """Members of the container that an object file defines."""
    text = subprocess.run([nm, "-C", "--defined-only", objects], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    names = (without_template_arguments(line.split(" ", 2)[2]) for line in text.splitlines() if line.count(" ") >= 2)
    return {found.group(1) for found in map(MEMBER.match, names) if found}


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return
    program = Path(sys.argv[1]).resolve()
    folder = program.parent / "CMakeFiles" / f"slotwise_example_{program.stem}.dir"
    failures = []
    nm = nm_of(program)
    members = {}
    for source in ("lights", "lamp", "main"):
        found = list(folder.rglob(f"{source}.cpp.o*"))
        if len(found) != 1:
            failures.append(f"{folder} is to have one object file of {source}.cpp and has {len(found)}")
        else:
            members[source] = members_in(nm, found[0])
    wanted = {"insert", "erase", "get", "contains", "size", "clear", "reserve", "shrink_to_fit", "handle_at"}
    if not wanted <= members.get("lights", wanted):
        failures.append(f"lights.cpp is to have the container's code and lacks {sorted(wanted - members['lights'])}")
    for source in ("lamp", "main"):
        if members.get(source):
            failures.append(f"{source}.cpp has made code of the container again: {sorted(members[source])}")
    print("\n".join(failures) if failures else f"{len(members['lights'])} members in lights.cpp, none in the others\ncheck: passed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
