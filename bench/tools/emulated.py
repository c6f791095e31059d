# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""--arch: the programs cross built by clang for another processor and run by QEMU, their checksums compared with those of the programs of
this processor. The time of an emulator is no processor's, so none is shown, nor a ratio."""

import collections
import os
import shutil
import subprocess

from tools.programs import Runner, progress
from tools.results import ROOT, Failure, Results, Row
from tools.tables import row_name

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


def agree(name, arch, here, there, left_out=()):
    """Prints whether all contenders of a question compute the same on both processors; returns it. A rival may lack its library on one."""
    both, alone = Results(), set()
    for report in (*here.raw, *there.raw):
        both.add(report)
    wrong = [f"{row_name(key)}: {sums}" for key, sums in both.mismatches]
    for key, cells in both.rows.items():
        for contender, (_, role) in cells.items():
            if None in (here.get(key, contender), there.get(key, contender)):
                alone.add(contender)
                wrong += [f"{row_name(key)}: only one of the processors has {contender}"] if role != "rival" else []
    contenders = {contender for cells in both.rows.values() for contender in cells} - alone
    print(*(f"WRONG on {arch}: {each}" for each in wrong), sep="\n")
    print(f"{name} on {arch}, under QEMU, whose times say nothing: checksums of {len(contenders)} contenders in {len(both.rows)} rows "
          f"{'DIFFER from' if wrong else 'agree with'} those on this processor")
    if alone:
        left_out = [*left_out, f"what one of them has no library for, {', '.join(sorted(alone))}"]
    print(*(f"Left out: {each}." for each in left_out), sep="\n")
    return not wrong and bool(contenders)


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
        good = agree(name, arch, *results, sorted(left_out)) and good
    return good
