#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The C++20 module: writes the list of names it exports. `tools/dev module` without arguments builds a program with it.

  module.py            writes include/slotwise/slotwise.cppm, which exports each public name that the front door, slotwise.hpp, brings:
                       all at namespace scope but what is in a namespace detail, with the namespaces below slotwise (bits, pmr)
  module.py --check    compares that file with the headers and writes nothing; both need libclang

Exit code 0: done, or nothing was found; 1: the file says something else than the headers.
"""
import difflib
import sys

import parsed
from check_headers import FRONT_DOOR, SPDX
from headers import arguments

UNIT = "slotwise.cppm"


def public_names(declarations):
    """{namespace: names} of what is declared."""
    names = {}
    for each in declarations:
        if each.public and each.name:
            names.setdefault("::".join(each.spaces), set()).add(each.name)
    return names


def unit(names):
    """The text of the module interface."""
    lines = [f"// {line}" for line in SPDX] + ["//"]
    lines += ["// The front door as a module: `import slotwise;`. Written by tools/module.py, which also tells when it is out of date.",
              "// Macros stay behind: what SLOTWISE_CHECK_LEVEL and the others are, is settled where this file is compiled.",
              "// clang-format off", "module;", f'#include "{FRONT_DOOR}"', "", "export module slotwise;"]
    for space in sorted(names):
        lines += ["", f"export namespace {space} {{"]
        lines += [f"using {space}::{name};" for name in sorted(names[space])]
        lines += [f"}} // namespace {space}"]
    return "\n".join(lines) + "\n"


def main():
    options = arguments(__doc__, "--check").parse_args()
    wanted, path = unit(public_names(parsed.declarations(paths=[parsed.ROOM / FRONT_DOOR]))), parsed.ROOM / UNIT
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    found = [line for line in difflib.unified_diff(there.splitlines(), wanted.splitlines(), lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    if found and not options.check:
        path.write_text(wanted, encoding="utf-8")
    print("\n".join(found) or f"{path}: {wanted.count('using ')} names, as the headers say")
    if found and options.check:
        print(f"{path} is not what the headers say; tools/module.py writes it anew")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
