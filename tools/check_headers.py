#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Checks that the house keeps to its floor plan (docs/design.md: a header includes its own floor and lower floors only).

  check_headers.py layout                      floors, cycles, front door, folder READMEs, macro names, names that others define as
                                               macros, allocations, members that share an address, SPDX lines
  check_headers.py alone [-j N] -- COMPILER FLAGS...
                                               each header compiles as the only one, twice in a row (add -Werror to refuse warnings)
  check_headers.py macros [-j N] -- COMPILER FLAGS...
                                               every header compiles behind the macros of tests/macros/others.hpp, and so do the single header
                                               and the snippets of the guide
  check_headers.py worlds [-j N] -- COMPILER FLAGS...
                                               the front door compiles behind and before the real headers of REAL, as far as they are installed, and
                                               for the ABI of Microsoft; objects have the sizes of tests/config/sizes.hpp
  check_headers.py warnings [--quick]          users who make warnings errors see none of our headers, also when they take them by -I: g++ and
                                               clang compile the snippets of docs/guide, in which every public name is used, and
                                               tests/warnings/*.cpp, with the flags of WARN. A warning whose place is in the headers, or in the
                                               standard's on their behalf, is a finding; in tests/warnings any is. --quick is one level of each

Each takes --root FOLDER (default: the repository this script is in). Exit code 0: all kept; 1: findings, one a line.
"""
import concurrent.futures
import graphlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import guide
from headers import ROOT, arguments, closing, code, line_of, masked, squeeze, texts

COLUMNS_MOST = 128  # clang-format keeps code within them, and leaves comments alone
README_LINES_MOST = 20

# Folders of one floor never include each other. debug is on no floor: it may include everything, and a header that includes a debug
# header is at least as high as the highest header that this one includes.
FLOORS = {"config": 0, "core": 1, "memory": 2, "slots": 3, "rows": 3, "map": 4, "keyed": 4, "sparse": 4, "series": 5, "ecs": 5, "graph": 5,
          "arrow": 6}
# Rooms on whose parts other rooms are built. The parts of every other room are included from that room alone.
SHARED_PARTS = {"core", "slots", "rows"}
# Parts that one header includes, and that are read by themselves: each is a class with invariants of its own.
ENGINES = {"arrow/detail/batch.hpp", "ecs/detail/archetype_tables.hpp", "ecs/detail/command_apply.hpp", "ecs/detail/command_batch.hpp",
           "ecs/detail/query_walk.hpp", "ecs/detail/sparse_components.hpp", "ecs/detail/store_snapshot.hpp", "graph/detail/dataflow_snapshot.hpp", "graph/detail/topological_order.hpp",
           "rows/detail/row_plan.hpp", "series/detail/series_state.hpp", "slots/detail/observer_hub.hpp"}
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
FOREIGN_MACROS = re.compile(r"ARROW_(C_\w+_INTERFACE|FLAG_\w+)")

# Names that others define as macros. Those of capitals are macros by custom, listed or not; what is here is of the system itself.
OTHERS = ROOT / "tests" / "macros" / "others.hpp"
OTHERS_DEFINE = re.compile(r"^#define (\w+)(\(?)", re.M)
SYSTEM_MACROS = re.compile(r"PROT_\w+|MAP_\w+|MADV_\w+|ENOMEM|EINVAL")
KEPT_NAME = re.compile(r'#pragma push_macro\("(\w+)"\).*?\n#undef \1\n(.*?)#pragma pop_macro\("\1"\)', re.S)
IDENTIFIER = re.compile(r"(?<![\w'])[A-Za-z_]\w*(\s*\()?")

ALLOCATES = "allocator.hpp"  # the one place where a count becomes bytes
ASKS_FOR_MEMORY = re.compile(r"(?:::|\.|->)\s*allocate(?:_at_least)?\s*\(|\bmalloc\s*\(|\boperator\s+new\s*\(")

# clang 16 for Windows initialises an empty member that shares an address from what a function returns by a store of its own, over the member
# beside it: a copied SlotMap found nothing (LLVM #64253, #64077). A constructor of the member's type stores nothing.
OVERLAPPING = re.compile(r"SLOTWISE_NO_UNIQUE_ADDRESS\s[^;{=]*?(\w+)\s*(?:=\s*([^;]*)|(\{[^;]*\}))?;")
RETURNED = re.compile(r"[\w:.<>, \[\]*]*?(?:->|\.|::|\b)(?!(?:move|forward|as_const|static_cast|addressof)\b)([a-z]\w*)(?:<[^()]*>)?\(.*\)", re.S)
CONSTRUCTS = re.compile(r"(?:allocator|\w+_allocator|rebind_t|bytes)")  # types with names as of functions

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<(slotwise/[^>]+)>|"([^"]+)")', re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)", re.M)
SPDX = ("SPDX-License-Identifier: MIT", "SPDX-FileCopyrightText: the slotwise authors")
SOURCES = ("include", "tests", "bench", "examples", "python", "tools", ".ci", "CMakeLists.txt")
SOURCE_SUFFIXES = {".hpp", ".cpp", ".h", ".py", ".cmake", ".sh"}


def bodies_of(name):
    """Where the bodies of a header's functions stand if they can be compiled by themselves: see "compiled library" in config.hpp."""
    return name.removesuffix(".hpp") + ".inl.hpp"


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
            if not target:
                self.missing.append((name, ours or quoted))
            elif target != bodies_of(name) and name != bodies_of(target):  # a header and its bodies are one
                found.append(target)
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
        for target in targets if house.room(name) != ANY_FLOOR else ():
            below = house.floor(target)  # None is said once, at the target itself
            if below is not None and below > floor:
                yield (f"{name} (floor {floor}) includes {target} (floor {below}): a header includes its own floor and lower ones; "
                       f"move what both need down to floor {floor} or lower, or move {name} up to floor {below} or higher")
            elif below == floor and house.room(target) not in (house.room(name), ANY_FLOOR):
                yield (f"{name} includes {target}: {house.room(name)} and {house.room(target)} are both on floor {floor} and may not "
                       f"include each other; move what both need down to floor {floor - 1} or lower")


def check_parts(house):
    """Parts stay in their room, and a part has a header of its own only if two others use it."""
    for name in house.text:
        if "/detail/" not in name:
            continue
        users = [user for user in house.text if name in house.includes[user]]
        strangers = [user for user in users if house.room(user) != house.room(name)]
        if strangers and house.room(name) not in SHARED_PARTS:
            yield f"{strangers[0]} includes {name}, a part of another room: include a header on top of {house.room(name)}"
        if FRONT_DOOR in users:
            yield f"{FRONT_DOOR} includes {name}: a part is behind the headers that people include"
        if len(users) == 1 and name not in ENGINES:
            yield f"{name} is included by {users[0]} alone: move it into that header"
    yield from (f"ENGINES names {name}, which is not there or has two users" for name in ENGINES
                if house.root == ROOT and sum(name in included for included in house.includes.values()) != 1)


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
        if name not in inside and not name.endswith(".inl.hpp") and house.room(name) != ANY_FLOOR:
            yield f"{FRONT_DOOR} does not reach {name}: include it there (the front door includes every public header)"


def check_columns(house):
    print(f"{len(house.text)} headers, {sum(text.count(chr(10)) for text in house.text.values())} lines")
    for name, text in house.text.items():
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COLUMNS_MOST:
                yield f"{name}:{number} has {len(line)} columns, more than {COLUMNS_MOST}: break the line"


def check_folder_readmes(house):
    for folder in sorted({name.split("/")[0] for name in house.text if "/" in name}):
        readme = house.folder / folder / "README.md"
        count = len(readme.read_text(encoding="utf-8").splitlines()) if readme.is_file() else 0
        if not 0 < count <= README_LINES_MOST:
            yield (f"{folder}/README.md has {count} lines: it says what lives here, what it may use and the reading order, in at most "
                   f"{README_LINES_MOST}")
        named = re.findall(r"`([\w/]+\.hpp)`", readme.read_text(encoding="utf-8")) if readme.is_file() else []
        yield from (f"{folder}/README.md names {name}, which is not there" for name in named
                    if not {f"{folder}/{name}", f"{folder}/detail/{name}", name} & house.text.keys())


def check_others_macros(house):
    """No identifier is one that other people's headers define as a macro; between push_macro and pop_macro one name is itself."""
    others = {name: bool(called) for name, called in OTHERS_DEFINE.findall(code(OTHERS.read_text(encoding="utf-8")))}
    for name, text in house.text.items():
        kept = [(found.start(), found.end(), found[1]) for found in KEPT_NAME.finditer(text)]
        lines = re.sub(r"^[ \t]*#[ \t]*(?:include|pragma)\b[^\n]*", lambda line: " " * len(line[0]), masked(text), flags=re.M)
        said = set()
        for found in IDENTIFIER.finditer(lines):
            word = re.match(r"\w+", found[0])[0]
            met = word in others and (found[1] or not others[word])
            capitals = re.fullmatch(r"[A-Z][A-Z0-9_]+", word) and not word.startswith(("SLOTWISE_", "ARROW_")) and not SYSTEM_MACROS.fullmatch(word)
            if (met or capitals) and word not in said and not any(begin < found.start() < end and word == own for begin, end, own in kept):
                said.add(word)
                what = "is a macro of others (tests/macros/others.hpp)" if met else "is of capitals, as macros of others are"
                yield f"{name}:{line_of(text, found.start())}: {word} {what}: choose another name, or write (std::{word})(...)"


def check_text(house):
    guards = {}
    for name, text in house.text.items():
        for kind, macro in DEFINE.findall(KEPT_NAME.sub("", code(text))):
            if not macro.startswith("SLOTWISE_") and not FOREIGN_MACROS.fullmatch(macro):
                yield f"{name}: #{kind} {macro}: a macro of ours starts with SLOTWISE_, and others' macros are left alone"
        if not name.endswith(f"/{ALLOCATES}") and ASKS_FOR_MEMORY.search(code(text)):
            yield f"{name} asks an allocator for memory by itself: detail::allocate_raw() of {ALLOCATES} checks that the bytes of so many values fit"
        guard = re.search(r"^#ifndef (SLOTWISE_\w+)\n#define \1$", text, re.M)
        if not guard and "#pragma once" not in text:
            yield f"{name} has neither #ifndef SLOTWISE_..._HPP nor #pragma once"
        if guard and guards.setdefault(guard[1], name) != name:
            yield f"{name} has the include guard of {guards[guard[1]]} ({guard[1]}): the second one included would vanish"


def is_returned(value):
    """Whether this is a call of a function, as a whole, and not several arguments."""
    depth = 0
    for at, each in enumerate(value):
        depth += (each in "({[" or (each == "<" and value[at - 1:at].isalnum())) - (each in ")}]" or (each == ">" and value[at - 1:at] != "-"))
        if each == "," and depth == 0:
            return False
    call = RETURNED.fullmatch(value.strip())
    return bool(call) and not CONSTRUCTS.fullmatch(call[1])


def check_overlapping(house):
    for name, text in house.text.items():
        text = code(text)
        for member, assigned, braced in OVERLAPPING.findall(text):
            # In a constructor's list of initialisers it comes behind a colon or a comma.
            values = [text[found.end():closing(text, found.end() - 1) - 1] for found in re.finditer(rf"[:,]\s*{member}\s*[({{]", text)]
            for value in filter(is_returned, [assigned, braced[1:-1], *values]):
                yield (f"{name}: {member} shares an address and is initialised by what a function returns, {squeeze(value)}: clang 16 for "
                       "Windows writes over its neighbour (LLVM #64253); give its type a constructor for that")


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


LAYOUT_CHECKS = (check_floors, check_parts, check_cycles, check_front_door, check_columns, check_folder_readmes, check_text, check_others_macros,
                 check_overlapping, check_spdx)


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


def included(texts):
    """The headers of others that these texts include."""
    return sorted({found for text in texts for found in re.findall(r"^[ \t]*#[ \t]*include[ \t]*<((?!slotwise/)[^>]+)>", text, re.M)})


def macros(house, options):
    """The standard's headers and those of adapted libraries, then the macros, then ours. That each header includes what it needs is checked
    elsewhere, so two programs are enough: every header, and the single header with the guide's snippets, in which all that is public is used."""
    flags = tuple(dict.fromkeys(flag for more in ADAPTER_FLAGS.values() for flag in more))

    def works(include):
        return compile_text(options.command, house, f"#include <{include}>\n", *flags, "-fsyntax-only").returncode == 0

    snippets = guide.as_program(guide.pages())
    foreign = [each for each in included([*house.text.values(), snippets]) if "." not in each or works(each)]  # with a dot: of one processor
    head = "".join(f"#if __has_include(<{each}>)\n#include <{each}>\n#endif\n" for each in foreign) + f'#include "{OTHERS}"\n'
    names = [name for name in house.text if name not in ADAPTERS or ADAPTERS[name] in foreign]
    with tempfile.TemporaryDirectory() as scratch:
        single = pathlib.Path(scratch) / "slotwise_single.hpp"
        subprocess.run([sys.executable, str(ROOT / "tools" / "amalgamate.py"), "--root", str(house.root), str(single)], check=True, stdout=subprocess.DEVNULL)
        programs = {"every header": "".join(f"#include <slotwise/{name}>\n" for name in names),
                    "the single header": f'#include "{single}"\n' + snippets}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda text: compile_text(options.command, house, head + text, *flags, "-fsyntax-only"), programs.values()))
    print(f"{len(names)} headers and the guide's snippets behind the macros of others, with {' '.join(options.command)}")
    return [f"{name}: does not compile behind the macros of others:\n{result.stderr}" for name, result in zip(programs, results) if result.returncode]


# Headers of others, in the order of their users, the flags that they need, and whether they come before ours or behind. {v1} is clang's libc++,
# which serves every target, with the C headers of MinGW also that of Microsoft if it takes it for MinGW: then ours get the macros of MSVC.
MINGW = ["-nostdinc++", "-isystem", "{v1}", "-isystem", "/usr/x86_64-w64-mingw32/include"]
WINDOWS = ["winsock2.h", "windows.h", "mmsystem.h", "ole2.h"]
QT = "/usr/include/x86_64-linux-gnu/qt"
REAL = {"X11, C and glibc": (["X11/Xlib.h", "X11/Xutil.h", "complex.h", "sys/sysmacros.h", "sys/param.h", "termios.h"], ["-std=gnu++20"],
                             "before"),
        "Windows": (WINDOWS, ["--target=x86_64-w64-windows-gnu", *MINGW], "before behind"),
        "Windows of 32 bits": (WINDOWS, ["--target=i686-w64-windows-gnu", *MINGW], "before"),
        "Microsoft's ABI": (["{std}", "{tests}/macros/msvc.hpp"], ["--target=x86_64-pc-windows-msvc", "-fms-compatibility-version=19.38", *MINGW,
                            "-U_MSC_VER", "-D__GNUC__=4", "-D__MINGW32__", "-D__MINGW64__", "-D__declspec=__declspec"], "before"),
        "musl": (["stdio.h", "string"], "-nostdlibinc -nostdinc++ -D_LIBCPP_HAS_MUSL_LIBC -isystem {v1} -isystem /usr/include/x86_64-linux-musl".split(), "before"),
        "curses": (["curses.h"], [], "before"),  # of ncurses, which has no macros for C++
        "Qt 5": (["QtCore/qobjectdefs.h"], ["-fPIC", "-isystem", f"{QT}5"], "before"),
        "Qt 6": (["QtCore/qobjectdefs.h"], ["-fPIC", "-isystem", f"{QT}6"], "before")}


def worlds(house, options):
    resources = subprocess.run([options.command[0], "-print-resource-dir"], capture_output=True, text=True).stdout.strip()
    v1 = str(pathlib.Path(resources or "/").resolve().parents[2] / "include" / "c++" / "v1") if resources.count("/") > 3 else "/nowhere"
    standard = ">\n#include <".join(each for each in included(house.text.values()) if "." not in each)
    ours = f'#include <slotwise/slotwise.hpp>\n#include "{ROOT}/tests/config/sizes.hpp"\n'

    def beside(name):
        includes, flags, places = REAL[name]
        flags = [flag.format(v1=v1) for flag in flags]
        theirs = "".join(f"#include <{each}>\n" for each in includes).format(std=standard, tests=ROOT / "tests")
        if compile_text(options.command, house, theirs, *flags, "-fsyntax-only").returncode:
            return None
        texts = {"before": theirs + ours, "behind": ours + theirs}
        results = {place: compile_text(options.command, house, texts[place], *flags, "-fsyntax-only") for place in places.split()}
        return [f"with the headers of {name} {place} ours:\n{result.stderr}" for place, result in results.items() if result.returncode]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip(REAL, pool.map(beside, REAL)))
    there = [name for name in found if found[name] is not None]
    print(f"beside the headers of {', '.join(there) or 'nobody'}; not here, or not for this compiler: {', '.join(set(found) - set(there)) or 'none'}")
    return [finding for name in there for finding in found[name]]


# g++ at several levels, because what it warns of depends on what it inlines; where it follows pointers furthest, one page only. clang with all but what is
# of C++ before 20, of the layout that every class has, of indexed pointers (clang 16 cannot switch it off by place), of programs of one file.
GNU = """-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Wuseless-cast -Wnull-dereference -Wnon-virtual-dtor
    -Wcast-align -Wduplicated-branches -Wfloat-equal -Wzero-as-null-pointer-constant -Woverloaded-virtual -S -o /dev/null""".split()
CLANG = """-Weverything -Wno-c++98-compat -Wno-c++98-compat-pedantic -Wno-c++20-compat -Wno-padded -Wno-unsafe-buffer-usage -Wno-weak-vtables
    -fsyntax-only""".split()
FEW = ("ecs",)  # a minute at -O2
WARNING = re.compile(r"^(?P<file>[^\s:][^:\n]*):\d+:(?:\d+:)? (?P<what>(?:fatal )?error|warning): .*$", re.M)


def warnings(house, options):
    gnu, clang = os.environ.get("CXX") or "g++", next((name for name in (f"clang++-{version}" for version in range(16, 22)) if shutil.which(name)), None)
    levels = [("-O2", FEW)] if options.quick else [("-O0", ()), ("-Og", FEW), ("-O2", ()), ("-O3", FEW)]
    runs = [([*gnu.split(), *GNU, level], few) for level, few in levels if shutil.which(gnu.split()[0])] + ([([clang, *CLANG], ())] if clang else [])
    pages, found = guide.pages(), []
    for command, few in runs:
        chosen = [name for name in pages if name in (few or pages)]
        together = 3 if "-S" in command else len(chosen)  # an optimiser needs a gigabyte for more
        texts = [guide.as_program({name: pages[name] for name in chosen[first:first + together]}) for first in range(0, len(chosen), together)]
        texts += [f'#include "{source}"\n' for source in sorted((house.root / "tests" / "warnings").glob("*.cpp"))]
        for text in texts:
            result = compile_text([*command, "-std=c++20"], house, text)
            said = [match[0] for match in WARNING.finditer(result.stderr) if match["what"] != "warning" or not match["file"].startswith("docs/guide/")]
            found += [f"{command[0]} {command[-1]}: {each}" for each in said or ([result.stderr[-2000:]] if result.returncode else [])]
    print(f"{len(runs)} ways to compile {len(pages)} pages of the guide{'' if clang and len(runs) > 1 else '; a compiler is not here'}")
    return found if runs else ["neither g++ nor clang++ is here"]


def main():
    parser = arguments(__doc__, "--quick")
    parser.add_argument("what", choices=["layout", "alone", "macros", "worlds", "warnings"])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("-j", "--jobs", type=int, default=min(2, os.cpu_count() or 1))
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    options.command = sys.argv[split + 1:]
    if options.what not in ("layout", "warnings") and not options.command:
        parser.error(f"{options.what} needs a compiler: {options.what} -- g++ -std=c++20 -Wall")

    findings = dict.fromkeys({"layout": layout, "alone": alone, "macros": macros, "worlds": worlds, "warnings": warnings}[options.what](House(options.root.resolve()), options))
    if findings:
        print(*findings, f"{len(findings)} findings", sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
