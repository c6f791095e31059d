#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Writes all of slotwise, or a part of it, as one header that can be copied into a project.

  amalgamate.py [OUTPUT] [--namespace NAME] [--only PARTS] [--forwarding FOLDER]

  OUTPUT             where it goes (default: build/slotwise_single.hpp of the repository); never committed
  --namespace NAME   renames namespace slotwise to NAME (mine, or mine::slots) and each macro SLOTWISE_... to NAME_... in capitals, so
                     that two copies, each configured on its own, live in one program
  --only PARTS       folders or headers, separated by commas (map,keyed/hash_index.hpp), and whatever they include; without it: what
                     slotwise.hpp includes. Headers that need another library come in only when they are named themselves.
  --forwarding FOLDER
                     writes the header as FOLDER/slotwise_single.hpp (unless OUTPUT is given), and for each <slotwise/...> a file of that
                     name in FOLDER which includes it: programs written for the many headers compile against the one. A header that is
                     not in it is given its own text behind it. CMake projects of this repository take the folder by
                     -DCMAKE_PROJECT_slotwise_INCLUDE=FOLDER/forwarding.cmake

Each header is there once, behind those it includes, and keeps its include guard: the result can be mixed with the many headers and
with other parts. --root FOLDER is another repository than the one this script is in. Exit code 1: refused.
"""
import os
import pathlib
import re
import sys

from check_headers import ADAPTERS, FRONT_DOOR, SPDX, House, bodies_of
from headers import ROOT, arguments, code, version_of, write

SINGLE = "slotwise_single.hpp"
FORWARDING = "forwarding.cmake"
NAMESPACE = re.compile(r"[A-Za-z]\w*(::[A-Za-z]\w*)*")
INCLUDE = re.compile(r"[ \t]*#[ \t]*include[ \t]*(<[^>]+>|\"[^\"]+\")")
CONDITION = re.compile(r"[ \t]*#[ \t]*(if|endif)")
# The word slotwise in code, and what else may hold it: strings, which stay as they are, and comments.
WORD = re.compile(r"""\bslotwise\b|'\\?"'|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?P<comment>//[^\n]*|/\*.*?\*/)""", re.S)


def names_of(house, parts):
    """The headers that --only names."""
    folders = sorted({name.split("/")[0] for name in house.text if "/" in name})
    for part in parts:
        wanted = part[len("slotwise/"):] if part.startswith("slotwise/") else part
        if wanted.rstrip("/") in folders:
            yield from (name for name in house.text if name.startswith(wanted.rstrip("/") + "/") and name not in ADAPTERS)
        elif wanted in house.text:
            yield wanted
        else:
            sys.exit(f"amalgamate: --only: there is no folder or header '{part}'; the folders are: {' '.join(folders)}")


def in_order(house, roots, done=()):
    """The headers that the roots need, each behind those it includes; without those already done."""
    done, ordered = set(done), []

    def visit(name):
        if name not in done:
            done.add(name)
            for target in house.includes[name]:
                visit(target)
            ordered.append(name)

    for name in roots:
        visit(name)
    for name in ordered:  # grows while it is walked
        if bodies_of(name) in house.text:
            visit(bodies_of(name))
    return ordered


def header_only(text):
    """The header without what makes the compiled library of it."""
    for pattern, kept in ((r"//=== compiled library ===//.*?(?=//===)", ""), (r"#if SLOTWISE_BODIES\n#include \S+\n#endif\n", ""),
                          (r"#ifdef SLOTWISE_COMPILED\n.*?#endif\n", ""), (r"#ifndef SLOTWISE_COMPILED\n(.*?)#el[^\n]*\n.*?#endif\n", r"\1")):
        text = re.sub(pattern, kept, text, flags=re.S)
    return re.sub(r"\bSLOTWISE_INLINE\b", "inline", text)


def body_of(house, name, take_out):
    """A header without SPDX lines and our own headers, and what it includes without condition, which is taken out when asked for."""
    text = header_only(house.text[name])
    lines = code(text).split("\n")
    first = next((line for line in lines if line.strip()), "")
    depth = -1 if first.startswith("#ifndef") else 0  # the include guard is no condition
    kept, taken = [], set()
    for line, bare in zip(text.split("\n"), lines):
        condition, include = CONDITION.match(bare), INCLUDE.match(bare)
        if condition:
            depth += 1 if condition[1] == "if" else -1
        if include and (include[1].startswith('"') or include[1].startswith("<slotwise/")):
            continue
        if include and depth == 0:
            taken.add(include[1])
            if take_out:
                continue
        if line.startswith("//") and (line[2:].strip() in SPDX or (line == "//" and not kept)):
            continue
        if line.strip() or (kept and kept[-1].strip()):  # what was taken out leaves no pile of empty lines
            kept.append(line)
    return f"//=== {name} ===//\n" + "\n".join(kept).rstrip("\n") + "\n", taken


def joined(house, names):
    """The text of these headers in this order. What they include stands in a block behind the first header that includes anything:
    that one keeps its own, since it is config.hpp, where SLOTWISE_USER_CONFIG comes before any standard header."""
    texts, includes, place = [], set(), None
    for name in names:
        text, taken = body_of(house, name, place is not None)
        texts.append(text)
        if place is None and taken:
            place = len(texts)
        elif place is not None:
            includes |= taken
    if includes:
        texts.insert(place, "".join(f"#include {header}\n" for header in sorted(includes)))
    return "\n".join(texts)


def renamed(text, namespace):
    """The text with another namespace; words in strings (the beginning of messages, mostly) stay, macros in them do not."""
    def mend(word):
        if word["comment"]:
            return word[0].replace("slotwise::", namespace + "::")
        return namespace if word[0] == "slotwise" else word[0]

    return re.sub(r"\bSLOTWISE_", prefix_of(namespace), WORD.sub(mend, text))


def prefix_of(namespace):
    return namespace.upper().replace("::", "_") + "_"


def header_of(house, names, head, namespace):
    """The text of one header that holds these."""
    text = joined(house, names)
    return head + (text if namespace == "slotwise" else renamed(text, namespace))


def write_forwarding(house, folder, single, held, namespace):
    front = folder / "slotwise"
    if front.exists() and not (folder / FORWARDING).exists():
        sys.exit(f"amalgamate: {front} is there already and was not written by --forwarding: name another folder")
    for name in house.text:
        path = front / name
        target = pathlib.Path(os.path.relpath(single, path.parent)).as_posix()
        own = header_of(house, in_order(house, [name], held), "", namespace) if name not in held else ""
        write(path, f"#pragma once\n#include \"{target}\"\n{own}")
    for path in front.rglob("*.hpp"):
        if path.relative_to(front).as_posix() not in house.text:
            path.unlink()
    write(folder / FORWARDING, "include_directories(BEFORE \"${CMAKE_CURRENT_LIST_DIR}\") # in front of the folder of the many headers\n")


def amalgamate(house, options):
    if not NAMESPACE.fullmatch(options.namespace) or "__" in options.namespace:
        sys.exit(f"amalgamate: --namespace: '{options.namespace}' is no name of a namespace; write for example mine or mine::slots")
    if options.namespace != "slotwise" and prefix_of(options.namespace) == prefix_of("slotwise"):
        sys.exit(f"amalgamate: --namespace: the macros of '{options.namespace}' would be those of slotwise: take a name that differs by a letter")
    if house.missing:
        sys.exit(f"amalgamate: {house.missing[0][0]} includes {house.missing[0][1]}, which is not here: tools/check_headers.py layout says more")
    names = in_order(house, names_of(house, options.only.split(",")) if options.only else [FRONT_DOOR])
    head = "".join(f"// {line}\n" for line in SPDX) + (
        f"//\n// slotwise {version_of(options.root)}{' ' + options.only if options.only else ''}, written by tools/amalgamate.py.\n#pragma once\n\n")
    text = header_of(house, names, head, options.namespace)
    output = options.output or (options.forwarding / SINGLE if options.forwarding else options.root / "build" / SINGLE)
    write(output, text)
    if options.forwarding:
        write_forwarding(house, options.forwarding, output, names, options.namespace)
    print(f"{output}: {len(names)} headers, {text.count(chr(10))} lines, {len(text.encode())} bytes")


def main():
    parser = arguments(__doc__)
    parser.add_argument("output", nargs="?", type=pathlib.Path)
    parser.add_argument("--namespace", default="slotwise")
    parser.add_argument("--only", default="")
    parser.add_argument("--forwarding", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args()
    amalgamate(House(options.root.resolve()), options)


if __name__ == "__main__":
    sys.exit(main())
