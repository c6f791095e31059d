# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""code_size: bytes of instructions of the same few functions for every container of bench/code_size, and seconds to compile them."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from tools.compiling import Absent, call, find_compiler
from tools.programs import progress
from tools.results import ROOT, Failure
from tools.tables import Listing, short

FOLDER = ROOT / "bench" / "code_size"
LEVELS = ("-O2", "-Os")
ROLE = re.compile(r"^// (limit|rival|ours)$", re.MULTILINE)


def code_bytes(told):
    """The sections of instructions in what `size -A` has told: .text, .text.unlikely, .text._Z... of each template."""
    return sum(int(size) for name, size in re.findall(r"^(\S+)\s+(\d+)\s+\d+$", told, re.MULTILINE)
               if name == ".text" or name.startswith(".text."))


def role_of(source):
    role = ROLE.search(source.read_text())
    if role is None:
        raise Failure(f"{source} does not say its role in a comment of its own", 1)
    return role[1]


def measured(compiler, source, level):
    """Bytes of code and seconds."""
    if shutil.which("size") is None:
        raise Failure("there is no `size` to read object files with (package binutils)", 2)
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "one.o"
        seconds = call(compiler, level, "-DNDEBUG", "-c", source, "-o", made)[1]
        told = subprocess.run(["size", "-A", made], stdout=subprocess.PIPE, text=True, check=True).stdout
    size = code_bytes(told)
    if size == 0:
        raise Failure(f"{source} makes no code at {level}", 1)
    return size, seconds


def code_size_table():
    compiler = find_compiler()
    lines, absent = [], []
    sources = sorted(FOLDER.glob("*.cpp"), key=lambda source: (role_of(source) != "ours", source.stem))
    for number, source in enumerate(sources, 1):
        progress(f"[{number}/{len(sources)}] code_size: {source.stem}")
        try:
            sizes = [measured(compiler, source, level) for level in LEVELS]
        except Absent as missing:
            absent.append(f"{short(source.stem)} is left out: {missing} was not found.")
            continue
        keyed = "KeyedFunctions" in source.read_text()
        lines.append([f"{role_of(source)}: {short(source.stem)}", "a key" if keyed else "a handle",
                      *(str(size) for size, _ in sizes), *(f"{seconds:.2f}" for _, seconds in sizes)])
    progress("")
    return Listing("code_size", "bytes of instructions of insert, get, erase and iterate, names being handles or 64-bit keys, and seconds "
                   f"of CPU time to compile them; {compiler} -std=c++20 -DNDEBUG",
                   ["container", "named by", *(f"bytes {level}" for level in LEVELS), *(f"seconds {level}" for level in LEVELS)], lines,
                   absent)
