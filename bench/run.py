#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the bench programs, checks that all contenders agree on the result, and prints one table a question.

  bench/run.py iteration --quick --build build/release   one size, under a minute
  bench/run.py slot_map                                  every row
  bench/run.py slot_map --rust                           with the slot maps of the Rust crate registry (needs cargo)
  bench/run.py keyed --n 6e5,8e5,1e6                     geometric means over these sizes
  bench/run.py bars                                      the promised ratios, each with its measured value: pass or miss
  bench/run.py bars keyed                                those of one question
  bench/run.py compile_time                              seconds and lines of a file that includes one header
  bench/run.py code_size                                 bytes of the operations of a container

Every group of rows that is compared (one operation, element size and n) runs in one process, its contenders interleaved at
random; a number is the median of the repetitions. With --rust the programs of the two languages run one repetition each, by
turns. Exit status 1 when checksums differ, 2 when something is missing.
"""

import argparse
import json
import pathlib
import sys

from tools.bars import run_bars
from tools.code_size import code_size_table
from tools.includes import includes_table
from tools.programs import Runner, default_core, rust_programs
from tools.questions import QUESTIONS
from tools.results import ROOT, Failure, Results
from tools.tables import machine, table


def agree(results):
    """Prints whether all contenders computed the same; returns False when not."""
    for key, sums in results.mismatches:
        print(f"CHECKSUM MISMATCH in {key}: {sums}", file=sys.stderr)
    if results.mismatches:
        return False
    compared = sum(1 for cells in results.rows.values() if len(cells) > 1)
    contenders = {c for cells in results.rows.values() for c in cells}
    if compared == 0:
        raise Failure("no row had two contenders: nothing was compared", 1)
    print(f"\nChecksums of {len(contenders)} contenders agree in all {compared} rows.")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=[*QUESTIONS, "compile_time", "code_size", "bars", "all"])
    parser.add_argument("only", nargs="?", choices=QUESTIONS, help="bars: those of this question, without the include cost")
    parser.add_argument("--quick", action="store_true", help="the rows and repetitions of a demonstration")
    parser.add_argument("--rust", action="store_true", help="build bench/rust with cargo and run it too")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="build folder (default: build/release)")
    parser.add_argument("--json", metavar="FILE", help="keep what the programs reported")
    parser.add_argument("--repetitions", type=int, help="default: 9, with --quick 5")
    parser.add_argument("--bytes", type=int, choices=[4, 8, 16, 64], help="only this element size")
    parser.add_argument("--n", type=lambda text: [int(float(n)) for n in text.split(",")],
                        help="only these numbers of elements, e.g. 1e5 or 6e5,8e5")
    parser.add_argument("--core", type=int, default=default_core(), help="core to run on (default: the last one allowed)")
    options = parser.parse_args()
    if options.only is not None and options.question != "bars":
        parser.error("a second question goes with bars only")
    tables = {"compile_time": lambda: includes_table(options.repetitions or (1 if options.quick else 3)), "code_size": code_size_table}
    if options.question in tables:
        tables[options.question]()
        return 0
    rust, no_rust = rust_programs() if options.rust else (None, "run with --rust (needs cargo)")
    runner = Runner(options.build, options.repetitions or (5 if options.quick else 9), options.core, rust)
    raw, good = {}, True
    if options.question == "bars":
        results = Results()
        run_bars(runner, results, options.only, options.rust, no_rust)
        good = agree(results)
        print(machine(results))
        raw["bars"] = results.raw
    else:
        for name in QUESTIONS if options.question == "all" else [options.question]:
            results = Results()
            def wanted(row, contender, question=QUESTIONS[name]):
                chosen = options.bytes is not None or options.n is not None
                return ((chosen or (question.quick if options.quick else question.usual)(row))
                        and options.bytes in (None, row.bytes) and (options.n is None or row.n in options.n))
            runner.run(name, wanted, results)
            table(name, results, options.quick, no_rust)
            good = agree(results) and good
            print(machine(results))
            raw[name] = results.raw
        for print_table in tables.values() if options.question == "all" else ():
            print_table()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(raw, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"bench/run.py: {failure.args[0]}", file=sys.stderr)
        sys.exit(failure.args[1])
