# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the compiler makes and how long it takes. compile_time: what a header costs to include, and those of USES to use, for every header of
ours that needs no other library and for those of the rivals. code_size: bytes of instructions of the same few functions for every container of
bench/code_size. small: what programs with many small containers pay: a hundred element types in one file (seconds, bytes of
instructions), a debug build (nanoseconds, medians), a container of one element (bytes, allocations)."""

import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile

from tools.results import ROOT, Failure
from tools.tables import short, show

MISSING = re.compile(r"fatal error: (\S+?):? (?:No such file or directory|file not found)")
INCLUDES = {"slotwise/fwd.hpp": 0.06, "slotwise/core/handle.hpp": 0.06, "slotwise/map/slot_map.hpp": 0.45, "slotwise/slotwise.hpp": 0.9, "slotwise/ecs/archetype_store.hpp": 0.9}  # bars
# What a program does with a header, for a type V of its own. The row prints what the first V costs, and each further one.
SLOTS = "void use(slotwise::{0}& c) {{ auto h = c.insert(V{{}}); c.erase(h); for (auto&& v : c) (void)v; (void)c.get(h); }}"
KEYED = "void use({0}<int, V>& c) {{ c.insert_or_assign(1, V{{}}); c.try_emplace(2); c.erase(3); (void)c.contains(3); for (auto&& v : c) (void)v; }}"
USES = {"slotwise/map/slot_map.hpp": SLOTS.format("SlotMap<V>"), "slotwise/map/dense_slot_map.hpp": SLOTS.format("DenseSlotMap<V>"),
        "slotwise/keyed/map_storage.hpp": KEYED.format("slotwise::MapStorage"), "unordered_map": KEYED.format("std::unordered_map"),
        "boost/unordered/unordered_flat_map.hpp": KEYED.format("boost::unordered_flat_map"),
        "slotwise/sparse/sparse_map.hpp":
            "using Id = slotwise::Handle<V>; void use(slotwise::SparseMap<Id, V>& c) { c.try_emplace(Id()); c.erase(Id()); (void)c.get(Id()); }",
        "slotwise/series/tsd_storage.hpp":
            "void use(slotwise::TSDStorage<int, V>& c) { auto w = c.write(1); w.set(1, V{}); w.remove(3); (void)c.get(3); "
            "for (auto&& v : c.items()) (void)v; for (auto&& k : c.added_keys(1)) (void)k; for (auto&& v : c.modified_items(1)) (void)v; }",
        "slotwise/ecs/archetype_store.hpp":
            "void use(slotwise::ArchetypeStore& c) { auto e = c.spawn(V{}); c.set(e, V{}); (void)c.get<V>(e); c.remove<V>(e); "
            "c.query<V>().for_each([](V&) {}); }"}
OTHER_INCLUDES = ["vector", "memory", "unordered_map", "plf_colony.h", "boost/unordered/unordered_flat_map.hpp", "tsl/robin_map.h",
                  "tsl/hopscotch_map.h", "absl/container/flat_hash_map.h", "absl/container/node_hash_map.h"]
LEVELS = ("-O2", "-Os")
SMALL = ROOT / "bench" / "small"
BASE = "unordered_map"  # of small: the bars are ratios to it
ROLE = re.compile(r"^// (limit|rival|ours)$", re.MULTILINE)


class Absent(Exception):
    """A header of somebody else that is not installed: its name."""


def find_compiler():
    if found := next(filter(shutil.which, ("g++-12", "g++")), None):
        return found
    raise Failure("no g++ to measure with", 2)


def call(compiler, *arguments):
    """Standard output and CPU seconds. The locale is C: the message about a missing header is read."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["env", "LC_ALL=C", compiler, "-std=c++20", "-I", str(ROOT / "include"), *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        missing = MISSING.search(done.stderr)
        if missing is not None and not (ROOT / "include" / missing[1]).exists() and not missing[1].startswith("slotwise/"):
            raise Absent(missing[1])
        raise Failure(f"does not compile: {' '.join(map(str, arguments))}\n{done.stderr[:2000]}", 1)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def program_of(header, types=0):
    """A program that includes this header and does nothing, or what USES says with this number of types."""
    value = "struct V {{ int a[{}]; friend bool operator==(const V&, const V&) = default; }};"
    uses = (f"namespace use{n} {{ {value.format(n + 1)} {USES[header]} }}\n" for n in range(types))
    return (f"#include <{header}>\n" if header else "") + "".join(uses) + "int main() {}\n"


def compiled(compiler, header, *options, types=0):
    """call() for such a program."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        source.write_text(program_of(header, types))
        return call(compiler, *options, source, *([] if "-E" in options else ["-o", source.with_suffix(".o")]))


def compile_seconds(compiler, header, repetitions, level="-O0", types=0):
    """Median CPU time."""
    return statistics.median(compiled(compiler, header, level, "-c", types=types)[1] for _ in range(repetitions))


def use_seconds(compiler, header, repetitions):
    """[seconds of the first type and of each further one, at -O0 and -O2]"""
    if header not in USES:
        return [""] * 4
    cells = []
    for level in ("-O0", "-O2"):
        none, one, five = (compile_seconds(compiler, header, repetitions, level, types) for types in (0, 1, 5))
        cells += [f"{one - none:.2f}", f"{(five - one) / 4:.2f}"]
    return cells


def listing(items, line_of):
    """(lines, those that are left out for want of a library) of line_of(item)."""
    lines, absent = [], []
    for item in items:
        try:
            lines.append(line_of(item))
        except Absent as missing:
            absent.append(f"{item} is left out: {missing} was not found.")
    return lines, absent


def includes_table(repetitions):
    compiler = find_compiler()
    unit = compile_seconds(compiler, "vector", repetitions)
    def line_of(header):
        bar = INCLUDES.get(header)
        times = repetitions if bar or header in USES else min(repetitions, 3)  # a hundred headers: only a promise is worth more of them
        left = sum(1 for line in compiled(compiler, header, "-E", "-P")[0].splitlines() if line.strip())
        plain, optimised = (compile_seconds(compiler, header, times, level) for level in ("-O0", "-O2"))
        return [header or "(an empty file)", str(left), f"{plain:.2f}", f"{optimised:.2f}", f"{plain / unit:.1f}",
                *use_seconds(compiler, header, times), f"{bar:.2f}" if bar else ""]
    ours = sorted(str(path.relative_to(ROOT / "include")) for path in (ROOT / "include").rglob("*.hpp") if "detail" not in path.parts and not path.match("*.inl.hpp"))
    show("compile_time", "lines that the preprocessor leaves of a file with one #include, and seconds of CPU time to compile it, also as a "
                   "multiple of <vector>; what the first type costs that the header is used with, and each further one; "
                   f"{compiler} -std=c++20, the bar is for -O0",
         ["header", "lines", "-O0", "-O2", "vectors", "first -O0", "further", "first -O2", "further", "bar"],
         *listing([None, *ours, *OTHER_INCLUDES], line_of))


def role_of(source):
    role = ROLE.search(source.read_text())
    if role is None:
        raise Failure(f"{source} does not say its role in a comment of its own", 1)
    return role[1]


def code_size(compiler, source, level):
    """Bytes of code, in all sections of instructions (.text, .text.unlikely, .text._Z... of each template), and seconds."""
    if shutil.which("size") is None:
        raise Failure("there is no `size` to read object files with (package binutils)", 2)
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "one.o"
        seconds = call(compiler, level, "-DNDEBUG", "-c", source, "-o", made)[1]
        told = subprocess.run(["size", "-A", made], stdout=subprocess.PIPE, text=True, check=True).stdout
    size = sum(int(bytes) for bytes in re.findall(r"^\.text(?:\.\S*)?\s+(\d+)\s+\d+$", told, re.MULTILINE))
    if size == 0:
        raise Failure(f"{source} makes no code at {level}", 1)
    return size, seconds


def code_size_table():
    compiler = find_compiler()
    def line_of(source):
        sizes = [code_size(compiler, source, level) for level in LEVELS]
        return [f"{role_of(source)}: {short(source.stem)}", "a key" if "KeyedFunctions" in source.read_text() else "a handle",
                *(str(size) for size, _ in sizes), *(f"{seconds:.2f}" for _, seconds in sizes)]
    sources = sorted((ROOT / "bench" / "code_size").glob("*.cpp"), key=lambda source: (role_of(source) != "ours", source.stem))
    show("code_size", "bytes of instructions of insert, get, erase and iterate, names being handles or 64-bit keys, and seconds "
                   f"of CPU time to compile them; {compiler} -std=c++20 -DNDEBUG",
                   ["container", "named by", *(f"bytes {level}" for level in LEVELS), *(f"seconds {level}" for level in LEVELS)],
                   *listing(sources, line_of))


def many_types_table(compiler):
    sources = sorted(SMALL.glob("*.cpp"), key=lambda source: (source.stem != BASE, source.stem))
    base = {}
    def line_of(source):
        cells = [f"{role_of(source)}: {short(source.stem)}"]
        for level in ("-O0", "-O2"):
            size, seconds = code_size(compiler, source, level)
            first = base.setdefault(level, (size, seconds))
            cells += [f"{seconds:.1f} ({seconds / first[1]:.2f}x)", f"{size} ({size / first[0]:.2f}x)"]
        return cells
    show("many_types", f"a hundred element types in one file: seconds of CPU time, bytes of instructions; {compiler} -std=c++20 "
                   "-DNDEBUG, bars 1.0x and 1.2x", ["container", "seconds -O0", "bytes -O0", "seconds -O2", "bytes -O2"],
                   *listing(sources, line_of))


def program_lines(compiler, name, level):
    """The words of each line that bench/small/run/NAME.cpp prints."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / name
        call(compiler, level, SMALL / "run" / f"{name}.cpp", "-o", made)
        return [line.split() for line in subprocess.run([made], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()]


def small_tables():
    compiler = find_compiler()
    many_types_table(compiler)
    for level in ("-O0", "-O2"):
        show(f"debug_build {level}", f"ns an element, 10,000 elements of 16 bytes; {compiler} -std=c++20 {level}",
             ["operation", "container", "ns"], program_lines(compiler, "unoptimised", level))
    show("one_element", "a container of one element, names with bytes of key and value",
         ["container", "sizeof", "bytes allocated", "allocations"], program_lines(compiler, "one_element", "-O2"))
