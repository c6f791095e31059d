# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--arch: the programs cross built by clang for another processor and run by QEMU, their checksums compared with those of the programs of
this processor. The time of an emulator is no processor's, so none is shown, nor a ratio."""

import collections
import os
import pathlib
import re
import shutil
import subprocess

from tools.programs import Runner, progress
from tools.results import ROOT, Failure, Results, Row
from tools.tables import markdown, order, row_name

ARCHITECTURES = ["aarch64"]
# What an emulator cannot bear: (whether a row and contender are of that kind, in words).
TOO_MUCH = ((lambda row, contender: row.op.endswith("_poor_hash"), "rows with a poor hash, which take minutes on any processor"),
            (lambda row, contender: row.op == "clear" and contender == "SlotMap_reserve",
             "SlotMap_reserve in clear: QEMU needs gigabytes for tables of the address space that its many containers reserve"))


def found(*names):
    """The first of these commands that is here."""
    name = next(filter(shutil.which, names), None)
    if name is None:
        raise Failure(f"{names[0]} is not here; tools/dev setup bench-aarch64 installs it", 2)
    return name


def run_or_fail(*command):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"failed: {' '.join(map(str, command))}\n{done.stdout[-2000:]}", 1)


def cross_built(arch, questions):
    """Builds the programs of these questions; their folder, which holds the libraries they need."""
    build = ROOT / "build" / f"bench-{arch}"
    libraries = build / "libraries"
    if not libraries.is_dir():
        raise Failure(f"{libraries} is not here; tools/dev setup bench-{arch} gets it", 2)
    triple = f"{arch}-linux-gnu"
    found(f"{triple}-g++")  # for its headers, libraries and linker
    clang = found(*(f"clang++-{version}" for version in range(16, 22)), "clang++")
    progress(f"building {build}")
    run_or_fail("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
                f"-DCMAKE_CXX_COMPILER={clang}", f"-DCMAKE_CXX_FLAGS=--target={triple}", 
                "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={arch}", f"-DCMAKE_LIBRARY_ARCHITECTURE={triple}",
                f"-DCMAKE_FIND_ROOT_PATH={libraries}", "-DCMAKE_PREFIX_PATH=/usr",
                *(f"-DCMAKE_FIND_ROOT_PATH_MODE_{what}=ONLY" for what in ("PACKAGE", "INCLUDE")),
                "-DSLOTWISE_BUILD_TESTS=OFF", "-DSLOTWISE_BUILD_EXAMPLES=OFF", "-DSLOTWISE_WERROR=OFF")
    run_or_fail("cmake", "--build", build, "-j", os.environ.get("SLOTWISE_JOBS", os.cpu_count() or 2), "--target",
                *(f"slotwise_bench_{question}" for question in questions))
    progress("")
    return build


def without_library(question, build):
    """{contender: library} of those that this build leaves out, as bench/CMakeLists.txt does: by what is not defined."""
    ninja = pathlib.Path(build) / "build.ninja"
    if not ninja.is_file():
        return {}  # of another generator: a build that is to lack nothing
    here = set(re.findall(r"SLOTWISE_BENCH_HAS_(\w+)=1", ninja.read_text()))
    absent = {}
    for source in (ROOT / "bench" / question).glob("*.cpp"):
        text = source.read_text()
        for library in set(re.findall(r"SLOTWISE_BENCH_HAS_(\w+)", text)) - here:
            absent.update((contender, library) for contender in re.findall(r'>\("([\w.]+)"', text))
    return absent


def compare_question(name, arch, here, there, absent, left_out=()):
    """Prints the rows of a question; whether all is as it should be. absent: contenders that need not be on both processors."""
    lines, wrong, agreeing = [], [], set()
    for key in sorted({**here.samples, **there.samples}, key=order):
        sides = [{c: sorted(checksums) for c, (_, checksums) in results.samples.get(key, {}).items()} for results in (here, there)]
        usual = collections.Counter(each for side in sides for checksums in side.values() for each in checksums).most_common(1)[0][0]
        both = sorted(c for c in sides[0] if sides[0][c] == sides[1].get(c) == [usual])
        lines.append([row_name(key), f"{usual:.0f}", ", ".join(both) or "-"])
        agreeing.update(both)
        for contender in sorted({*sides[0], *sides[1]} - set(both)):
            told = [side.get(contender, []) for side in sides]
            if contender not in absent or [usual] not in told or [] not in told:
                told = [", ".join(f"{each:.0f}" for each in each) or "nothing" for each in told]
                wrong.append(f"WRONG on {arch}: {row_name(key)}: {contender} computes {told[0]} here and {told[1]} there, others {usual:.0f}")
    print(f"\n{name} on {arch}, under QEMU: an emulator has no times worth showing, so there are none and no ratios; what counts is that\n"
          f"all contenders compute the same, there ({', '.join(there.compilers)}) and on this processor ({', '.join(here.compilers)}).\n")
    print(markdown(["row", "checksum", "contenders that agree"], lines))
    reasons = [f"for want of {library} on one of the processors: {', '.join(c for c in absent if absent[c] == library)}"
               for library in sorted(set(absent.values()))]
    print("".join(f"\nLeft out, {reason}." for reason in [*reasons, *left_out]), *wrong, sep="\n")
    if not wrong:
        print(f"\nChecksums of {len(agreeing)} contenders agree in all {len(lines)} rows, on both processors.")
    return not wrong and bool(agreeing)


def smallest(groups, least=10_000):
    """The least n at which every contender has a row, not below `least` if there is a choice: there a batch builds a hundred containers,
    and the emulator keeps a table of every page of address space that one reserves."""
    at = collections.defaultdict(set)
    for group, names in groups.items():
        at[group[2]].update(Row.parse(name)[1] for each in names.values() for name in each)
    everybody = set().union(*at.values())
    return min(at, key=lambda n: (at[n] != everybody, n < least, n))


def run_emulated(arch, names, build, core, wanted):
    """One repetition of the rows of these questions, at one n of those wanted; whether all agreed."""
    cross = cross_built(arch, names)
    emulator = (found(f"qemu-{arch}-static", f"qemu-{arch}"), "-L", str(cross / "libraries"))
    runners = Runner(build, 1, core), Runner(cross, 1, core, emulator=emulator)
    good = True
    for name in names:
        left_out = set()
        def bearable(row, contender):
            reasons = [reason for applies, reason in TOO_MUCH if wanted(row, contender) and applies(row, contender)]
            left_out.update(reasons)
            return wanted(row, contender) and not reasons
        n = smallest(runners[0].groups(name, bearable))
        results = Results(), Results()
        for runner, into in zip(runners, results):
            runner.run(name, lambda row, contender: row.n == n and bearable(row, contender), into)
        good = compare_question(name, arch, *results, {**without_library(name, cross), **without_library(name, build)},
                                sorted(left_out)) and good
    return good
