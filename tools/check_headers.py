#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that the house keeps to its floor plan (DESIGN: a header includes its own floor and lower floors only).

  check_headers.py layout                      floors, cycles, front door, length, folder READMEs, macro names, allocations, SPDX lines,
                                               code that mutate_equivalent.txt names
  check_headers.py alone [-j N] -- COMPILER FLAGS...
                                               each header compiles as the only one, twice in a row (add -Werror to refuse warnings)

Each takes --root FOLDER (default: the repository this script is in). Exit code 0: all kept; 1: findings, one a line.
"""
import concurrent.futures
import graphlib
import os
import pathlib
import re
import statistics
import subprocess
import sys
import sysconfig

from headers import EQUIVALENT, ROOT, arguments, code, read_equivalents, squeeze, texts

LINES_MOST = 560  # of one header
COLUMNS_MOST = 128  # clang-format keeps code within them, and leaves comments alone
LINES_MEDIAN = 200  # of all headers
README_LINES_MOST = 20

# Folders of one floor never include each other. debug is on no floor: it may include everything, and a header that includes a debug
# header is at least as high as the highest header that this one includes.
FLOORS = {"config": 0, "core": 1, "memory": 2, "slots": 3, "rows": 3, "map": 4, "keyed": 4, "sparse": 4, "series": 5, "ecs": 5, "graph": 5,
          "arrow": 6}
ANY_FLOOR = "debug"
FWD = "fwd.hpp"  # lives on the floor of core
FRONT_DOOR = "slotwise.hpp"  # above everything
FRONT_DOOR_FLOOR = max(FLOORS.values()) + 1
# Headers that need a library the user must have: not behind the front door, and compiled only where that library's header is found.
ADAPTERS = {"arrow/py_capsule.hpp": "Python.h", "keyed/ankerl_index.hpp": "ankerl/unordered_dense.h", "keyed/boost_index.hpp": "boost/unordered/unordered_flat_set.hpp",
            "keyed/robin_index.hpp": "tsl/robin_set.h"}
# Python.h is never where compilers search: its folder is that of the python that runs this.
ADAPTER_FLAGS = {"arrow/py_capsule.hpp": ("-isystem", sysconfig.get_path("include"))}

# Macros of an interface that is written out here: their names are those of its specification.
FOREIGN_MACROS = {"arrow/c_data.hpp": re.compile(r"ARROW_(C_\w+_INTERFACE|FLAG_\w+)")}

ALLOCATES = "memory/allocator.hpp"  # the one place where a count becomes bytes
ASKS_FOR_MEMORY = re.compile(r"(?:::|\.|->)\s*allocate(?:_at_least)?\s*\(|\bmalloc\s*\(|\boperator\s+new\s*\(")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<(slotwise/[^>]+)>|"([^"]+)")', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)", re.M)
SPDX = ("SPDX-License-Identifier: MIT", "SPDX-FileCopyrightText: the slotwise authors")
SOURCES = ("include", "tests", "bench", "examples", "python", "tools", ".ci", "CMakeLists.txt")
SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".py", ".cmake", ".sh"}


class House:
    """The headers under include/slotwise, by name relative to it ("map/slot_map.hpp"), and what each includes of ours."""

    def __init__(self, root):
        self.root = root
        self.folder = root / "include" / "slotwise"
        self.text = texts(root)
        if not self.text:
            sys.exit(f"check_headers: no header found under {self.folder}; is --root the repository?")
        self.missing = []  # (header, what it includes)
        self.includes = {name: self._includes(name) for name in self.text}

    def _includes(self, name):
        found = []
        for ours, quoted in INCLUDE.findall(code(self.text[name])):
            relative = os.path.normpath(os.path.join("slotwise", os.path.dirname(name), quoted))
            target = next((path[len("slotwise/"):] for path in (ours, relative, quoted)
                           if path.startswith("slotwise/") and path[len("slotwise/"):] in self.text), None)
            if target:
                found.append(target)
            else:
                self.missing.append((name, ours or quoted))
        return found

    def reachable(self, start):
        seen, todo = set(), [start]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += self.includes[name]
        return seen

    @staticmethod
    def room(name):
        return "core" if name == FWD else name.split("/")[0]

    def floor(self, name):
        """The floor a header stands on; None when its folder has none."""
        if name == FRONT_DOOR:
            return FRONT_DOOR_FLOOR
        room = self.room(name)
        if room == ANY_FLOOR:
            return max((self.floor(other) or 0 for other in self.reachable(name) if self.room(other) != ANY_FLOOR), default=0)
        return FLOORS.get(room)


def check_floors(house):
    for name, target in house.missing:
        yield f"{name} includes \"{target}\", which is not a header of this library: write <...> for others, correct the path for ours"
    for name, targets in house.includes.items():
        floor = house.floor(name)
        if floor is None:
            yield f"{name}: the folder has no floor; add it to FLOORS in tools/check_headers.py and to the design, or move the file"
            continue
        if house.room(name) == ANY_FLOOR:
            continue
        for target in targets:
            below = house.floor(target)
            if below is None:
                continue  # said once, at the target itself
            if below > floor:
                yield (f"{name} (floor {floor}) includes {target} (floor {below}): a header includes its own floor and lower ones; "
                       f"move what both need down to floor {floor} or lower, or move {name} up to floor {below} or higher")
            elif below == floor and house.room(target) not in (house.room(name), ANY_FLOOR):
                yield (f"{name} includes {target}: {house.room(name)} and {house.room(target)} are both on floor {floor} and may not "
                       f"include each other; move what both need down to floor {floor - 1} or lower")


def check_cycles(house):
    try:
        graphlib.TopologicalSorter(house.includes).prepare()
    except graphlib.CycleError as error:
        yield "include cycle: " + " -> ".join(reversed(error.args[1])) + ": move what both sides need into a header of its own"


def check_front_door(house):
    inside = house.reachable(FRONT_DOOR) if FRONT_DOOR in house.text else set()
    yield from (f"{FRONT_DOOR} reaches {name}, which needs a library that not everybody has" for name in ADAPTERS if name in inside)
    inside = inside.union(*(house.reachable(name) for name in ADAPTERS if name in house.text))
    for name in house.text:
        if name not in inside and house.room(name) != ANY_FLOOR:
            yield f"{FRONT_DOOR} does not reach {name}: include it there (the front door includes every public header)"


def check_lengths(house):
    lines = {name: text.count("\n") for name, text in house.text.items()}
    for name, count in lines.items():
        if count > LINES_MOST:
            yield f"{name} has {count} lines, more than {LINES_MOST}: give a part of it a header of its own"
        for number, line in enumerate(house.text[name].splitlines(), 1):
            if len(line) > COLUMNS_MOST:
                yield f"{name}:{number} has {len(line)} columns, more than {COLUMNS_MOST}: break the line"
    median = statistics.median(lines.values())
    longest = max(lines, key=lines.get)
    print(f"{len(lines)} headers, {sum(lines.values())} lines, median {median:g} (at most {LINES_MEDIAN}), longest {longest} {lines[longest]} (at most {LINES_MOST})")
    if median > LINES_MEDIAN:
        yield f"the median header has {median:g} lines, more than {LINES_MEDIAN}: split the longer ones by topic"


def check_folder_readmes(house):
    for folder in sorted({name.rsplit("/", 1)[0] for name in house.text if "/" in name}):
        readme = house.folder / folder / "README.md"
        count = len(readme.read_text(encoding="utf-8").splitlines()) if readme.is_file() else 0
        if not 0 < count <= README_LINES_MOST:
            yield (f"{folder}/README.md has {count} lines: it says what lives here, what it may use and the reading order, in at most "
                   f"{README_LINES_MOST}")


def check_text(house):
    guards = {}
    for name, text in house.text.items():
        for kind, macro in DEFINE.findall(code(text)):
            if not macro.startswith("SLOTWISE_") and not (name in FOREIGN_MACROS and FOREIGN_MACROS[name].fullmatch(macro)):
                yield f"{name}: #{kind} {macro}: a macro of ours starts with SLOTWISE_, and others' macros are left alone"
        if name != ALLOCATES and ASKS_FOR_MEMORY.search(code(text)):
            yield f"{name} asks an allocator for memory by itself: detail::allocate_raw() of {ALLOCATES} checks that the bytes of so many values fit"
        guard = re.search(r"^#ifndef (SLOTWISE_\w+)\n#define \1$", text, re.M)
        if not guard and "#pragma once" not in text:
            yield f"{name} has neither #ifndef SLOTWISE_..._HPP nor #pragma once"
        if guard and guards.setdefault(guard[1], name) != name:
            yield f"{name} has the include guard of {guards[guard[1]]} ({guard[1]}): the second one included would vanish"


def check_spdx(house):
    for start in SOURCES:
        top = house.root / start
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            built = any(part.startswith(("build", "__pycache__")) for part in path.relative_to(house.root).parts[:-1])
            source = path.suffix in SOURCE_SUFFIXES or path.name == "CMakeLists.txt"
            if built or not path.is_file() or not (source or (path.suffix == "" and path.read_bytes()[:2] == b"#!")):
                continue
            head = "\n".join(path.read_text(encoding="utf-8").splitlines()[:6])
            for line in SPDX:
                if line not in head:
                    yield f"{path.relative_to(house.root)}: the line '{line}' is missing among the first six"


def check_equivalents(house):
    """What tools/verify/mutate.py finds after minutes, and only in headers of its sample."""
    for name, line, change in read_equivalents(house.root / EQUIVALENT):
        if squeeze(line) not in map(squeeze, house.text.get(name, "").splitlines()):
            yield f"{EQUIVALENT}: {name} has no line '{line}' ({change}): name the line as it is now, or remove the entry"


LAYOUT_CHECKS = (check_floors, check_cycles, check_front_door, check_lengths, check_folder_readmes, check_text, check_spdx,
                 check_equivalents)


def layout(house, _):
    return [finding for check in LAYOUT_CHECKS for finding in check(house)]


def compile_text(command, house, text, *flags):
    return subprocess.run([*command, f"-I{house.root / 'include'}", "-x", "c++", *flags, "-"], input=text, text=True,
                          capture_output=True, env={**os.environ, "LC_ALL": "C"})


def alone(house, options):
    def check(name):
        adapted, flags = ADAPTERS.get(name), ADAPTER_FLAGS.get(name, ())
        if adapted and compile_text(options.command, house, f"#if !__has_include(<{adapted}>)\n#error absent\n#endif\n", *flags, "-fsyntax-only").returncode:
            print(f"{name} was left out: there is no <{adapted}>")
            return []
        result = compile_text(options.command, house, f"#include <slotwise/{name}>\n" * 2 + "int main() {}\n", *flags, "-fsyntax-only")
        if result.returncode == 0 and result.stderr:  # a warning without -Werror
            print(f"{name} compiles alone, but not in silence:\n{result.stderr}")
        return [f"{name} does not compile alone:\n{result.stderr}"] if result.returncode else []

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(house.text, pool.map(check, house.text)))
    print(f"{len(house.text)} headers, each alone, with {' '.join(options.command)}")
    # Named are those that include no other one that fails, unless the two include each other, which layout refuses.
    bad = {name for name in found if found[name]}
    return [finding for name in sorted(bad) for finding in found[name]
            if not any(name not in house.reachable(cause) for cause in bad & house.reachable(name) - {name})]


def main():
    parser = arguments(__doc__)
    parser.add_argument("what", choices=["layout", "alone"])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    options.command = sys.argv[split + 1:]
    if options.what == "alone" and not options.command:
        parser.error("alone needs a compiler: alone -- g++ -std=c++20 -Wall")

    findings = dict.fromkeys({"layout": layout, "alone": alone}[options.what](House(options.root.resolve()), options))
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
