#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Fuzzes the families of containers (tests/fuzz/<family>.cpp) beside their models and adds up what was done.

    fuzz.py [FAMILY...] [--minutes N]      half of the time libFuzzer with sanitizers at check level 2, half random inputs as users build
    fuzz.py [FAMILY...] --quick            what CI does: replays the corpus and 3,000 random inputs built by gcc at check level 2,
                                           then 10 s of libFuzzer with sanitizers

It proves nothing beyond its count: so many operations, each compared with a model, of which none went wrong. Runs begin with the
committed corpus and with what earlier runs have found (build/proof/fuzz/<family>/found); inputs that were still being found in the
last quarter of a run say that it was too short.
A failing input stays in build/proof/fuzz/<family>/failed; fix the defect, then put it into tests/fuzz/corpus/<family> by a name
that says what it was. A small corpus is made of what was found by libFuzzer: build/proof/fuzz/<family>/sanitized -set_cover_merge=1 FOLDER
tests/fuzz/corpus/<family> build/proof/fuzz/<family>/found; sixty of the smallest inputs are enough. SLOTWISE_JOBS families run at once.
"""
import pathlib
import random
import re
import sys
import time

import proof

SOURCES = proof.TESTS / "fuzz"
CORPUS = SOURCES / "corpus"
BUILD = proof.BUILD / "fuzz"
LONGEST = 2048
RANDOM_INPUTS, QUICK_SECONDS = 3000, 10

COUNT = re.compile(r"^fuzz: (\d+) inputs, (\d+) operations$", re.MULTILINE)
FEATURES = re.compile(r"\bcov: (\d+) ft: (\d+)")


def families():
    return sorted(path.stem for path in SOURCES.glob("*.cpp"))


def counted(output):
    """(inputs, operations) that a program says it did; None when it did not come to its end."""
    found = COUNT.findall(output)
    return (int(found[-1][0]), int(found[-1][1])) if found else None


SANITIZED = ["-O2", "-g1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined", "-DSLOTWISE_LIBFUZZER",
             "-DSLOTWISE_CHECK_LEVEL=2"]
# Not libFuzzer: it visits the counters of every basic block after each input, and the templates of a family have a hundred thousand
# of them; the same program without it does a hundred times the operations.
PLAIN = ["-O2", "-g1"]
BATCH = 2000
REPLAY = ["-O1", "-g1", "-DSLOTWISE_CHECK_LEVEL=2"]


def build(family, kind, flags, compiler):
    """The path of the program; compiled again only when something it could include has changed."""
    folder = BUILD / family
    folder.mkdir(parents=True, exist_ok=True)
    program, source = folder / kind, SOURCES / f"{family}.cpp"
    files = [pathlib.Path(__file__), source, *proof.INCLUDE.rglob("*.hpp"), *SOURCES.glob("*.hpp"), *(proof.TESTS / "support").glob("*.hpp")]
    if not program.exists() or program.stat().st_mtime < max(path.stat().st_mtime for path in files):
        proof.must([compiler, "-std=c++20", *flags, f"-I{proof.INCLUDE}", f"-I{proof.TESTS}", source, "-o", program],
                   f"{family} ({kind}) does not compile:")
    return program


#=== runs: each returns (inputs, operations, a note for the reader, failures) ===#

def did(name, output, begin, more=""):
    inputs, operations = counted(output) or (0, 0)
    return inputs, operations, f"{name}: {operations:,} operations in {time.time() - begin:.0f} s{more}"


def fuzz(family, seconds):
    """libFuzzer with sanitizers for so many seconds, from both corpora."""
    program = build(family, "sanitized", SANITIZED, proof.clang())
    found, committed, failed = BUILD / family / "found", CORPUS / family, BUILD / family / "failed"
    for folder in (found, failed):
        folder.mkdir(parents=True, exist_ok=True)
    before, begin = (set(failed.iterdir()), set(found.iterdir())), time.time()
    result = proof.run([program, f"-max_total_time={seconds}", "-rss_limit_mb=4096", "-len_control=0", f"-max_len={LONGEST}", "-timeout=20",
                        f"-artifact_prefix={failed}/", found, *([committed] if committed.is_dir() else [])], timeout=seconds * 3 + 600)
    failures = [f"{program} {path}\n    hex: {path.read_bytes()[:256].hex()}\n{result.output[-2000:]}" for path in sorted(set(failed.iterdir()) - before[0])]
    if not failures and (not result.ok or not counted(result.output)):
        failures.append(f"{program} ended with code {result.code} and left no input\n{result.output[-2000:]}")
    features = FEATURES.findall(result.output)
    return *did("sanitized", result.output, begin, f", {features[-1][1] if features else '?'} features, "
                f"{len(set(found.iterdir()) - before[1])} new inputs"), failures


def random_inputs(family, seconds):
    """Inputs by chance in batches, as users build, each of a seed that no run before had, as far as chance goes."""
    program = build(family, "plain", PLAIN, proof.gcc())
    first = seed = random.SystemRandom().randrange(1 << 48)
    begin, operations, failures = time.time(), 0, []
    while time.time() < begin + seconds and not failures:
        result = proof.run([program, "--random", BATCH, seed], timeout=1800)
        operations += (counted(result.output) or (0, 0))[1]
        if not result.ok:
            failures.append(f"{program} --random {BATCH} {seed} ended with code {result.code}\n{result.output[-2000:]}")
        seed += BATCH
    return *did("plain", f"fuzz: {seed - first} inputs, {operations} operations", begin, f", random inputs of seeds {first} to {seed - 1}"), failures


def replay(family):
    """The corpus and random inputs, by a program without libFuzzer, as it runs on targets that have none."""
    program, committed = build(family, "replay", REPLAY, proof.gcc()), CORPUS / family
    if not committed.is_dir() or not any(committed.iterdir()):
        return 0, 0, "", [f"no corpus in tests/fuzz/corpus/{family}; fuzz it first"]
    begin, result = time.time(), proof.run([program, committed, "--random", RANDOM_INPUTS, 1], timeout=1800)
    return *did("replay", result.output, begin), [] if result.ok else [
        f"{program} {committed} --random {RANDOM_INPUTS} 1 ended with code {result.code}\n{result.output[-2000:]}"]


#=== all of it ===#

def main():
    parser = proof.arguments(__doc__, "--quick")
    parser.add_argument("family", nargs="*", help=", ".join(families()))
    parser.add_argument("--minutes", type=float, default=10, help="a family (default 10)")
    given = parser.parse_args()
    chosen, half = given.family or families(), max(1, round(given.minutes * 30))
    unknown = sorted(set(chosen) - set(families()))
    if unknown or not chosen:
        proof.die(f"no such family: {', '.join(unknown)}; there are {', '.join(families())}", code=2)

    def one_family(family):
        return [replay(family), fuzz(family, QUICK_SECONDS)] if given.quick else [fuzz(family, half), random_inputs(family, half)]

    inputs = operations = crashes = 0
    for family, runs in proof.parallel(one_family, chosen):
        for done, steps, note, failures in runs:
            inputs, operations, crashes = inputs + done, operations + steps, crashes + len(failures)
            print(f"  {family}: {note}", *failures, sep="\n", flush=True)
    print(f"fuzz: {len(chosen)} families, {inputs:,} inputs, {operations:,} operations, {crashes} crashes")
    return 1 if crashes or operations == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
