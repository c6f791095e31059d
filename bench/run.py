#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Runs the bench programs, checks that all contenders agree on the result, and prints one table a question.

  bench/run.py iteration --quick      one question, one size, under a minute
  bench/run.py bars [QUESTION]        the promised ratios, each with its measured value: pass or miss
  bench/run.py report FILE            tables, with --compare what changed, of a file that --json wrote
  bench/run.py publish [FILE]         what documents print: bench/results.json, docs/charts, tables and sentences; FILE: not measured again
  bench/run.py all --json FILE        everything; bench/README.md has more examples

The contenders of a group of rows (one operation, element size and n) measure in turns: a turn is a process in which each measures
once; a number is the median over the turns. With --rust the programs of the two languages run one after the other in a turn. --compare also compares checksums: the older file may be of another processor.
Exit status 1 when checksums differ, 2 when something is missing.
"""

import argparse
import json
import pathlib
import sys

from tools import charts, figures
from tools.compiling import code_size_table, includes_table, small_tables
from tools.programs import Runner, default_core, rust_programs
from tools.results import QUESTIONS, ROOT, Failure, Results, by_question, read_raw
from tools.tables import compare, machine, table

sys.path += [str(ROOT / "bench" / "compile"), str(ROOT / "tools")]
import programs  # noqa: E402
from headers import write  # noqa: E402


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


def usual(options):
    """Of a question: whether a row of a benchmark passes --quick, --bytes and --n."""
    def wanted(name):
        passes = (lambda row: True) if options.bytes or options.n else QUESTIONS[name].quick if options.quick else QUESTIONS[name].usual
        return lambda row, contender: passes(row) and options.bytes in (None, row.bytes) and (options.n is None or row.n in options.n)
    return wanted


def measured(names, runner, no_rust, wanted):
    """{question: Results} of these questions, a table for each as soon as it is there; whether contenders agreed. wanted(question): its rows."""
    found, good = {}, True
    for name in names:
        found[name] = Results()
        if name == "compile":
            found[name].add(programs.report(runner))
        else:
            runner.run(name, wanted(name), found[name])
        good = shown(name, found[name], no_rust) and good
    return found, good


def shown(name, results, no_rust):
    table(name, results, no_rust)
    good = agree(results)
    print(machine(results))
    return good


def publish(options):
    if options.what is not None:
        found = read_raw(options.what)
    else:
        runner = Runner(options.build, options.repetitions or 9, options.core, entt=options.entt)
        found, good = measured(figures.ASKED, runner, "no part of this", lambda name: figures.wanted(ROOT, name))
        if not good:
            return 1
    write(ROOT / figures.RESULTS, figures.condensed(found))
    found = read_raw(ROOT / figures.RESULTS)  # as the documents are checked: rounded
    for file, text in (item for chart in charts.CHARTS for item in chart.pictures(found).items()):
        write(ROOT / file, text)
    wrong = figures.checked(ROOT, update=True)
    print("\n".join(wrong) or "Documents say what was measured.")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=[*QUESTIONS, "compile_time", "code_size", "small", "bars", "all", "report", "publish"])
    parser.add_argument("what", nargs="?", help="bars: those of this question, without the include cost; report, publish: a file of --json")
    parser.add_argument("--quick", action="store_true", help="the rows and repetitions of a demonstration")
    parser.add_argument("--rust", action="store_true", help="build bench/rust with cargo and run it too")
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="build folder (default: build/release)")
    parser.add_argument("--json", metavar="FILE", help="keep what the programs reported")
    parser.add_argument("--compare", metavar="FILE", help="a file of --json: say what became faster or slower since, beyond noise")
    parser.add_argument("--entt", metavar="FOLDER", help="compile, publish: where entt/entt.hpp is")
    parser.add_argument("--repetitions", type=int, help="default: 9, with --quick 5")
    parser.add_argument("--bytes", type=int, choices=[4, 8, 16, 64], help="only this element size")
    parser.add_argument("--n", type=lambda text: [int(float(n)) for n in text.split(",")],
                        help="only these numbers of elements, e.g. 1e5 or 6e5,8e5")
    parser.add_argument("--core", type=int, default=default_core(), help="core to run on (default: the last one allowed)")
    options = parser.parse_args()
    reads = options.question in ("report", "publish")
    if options.question == "report" and options.what is None:
        parser.error("report needs a file that --json wrote")
    if not reads and options.what not in (None, *(QUESTIONS if options.question == "bars" else [])):
        parser.error(f"'{options.what}' after {options.question}: a second word goes with bars (a question), report and publish (a file)")
    names = list(QUESTIONS) if options.question == "all" else [options.question]
    tables = {"compile_time": lambda: includes_table(options.repetitions or (1 if options.quick else 3)), "code_size": code_size_table, "small": small_tables}
    if options.question in tables:
        tables[options.question]()
        return 0
    old = None if options.compare is None else read_raw(options.compare)  # a wrong name should not cost an hour of measuring
    if options.question == "publish":
        return publish(options)
    good = True
    if options.question == "report":
        found = read_raw(options.what)
        good = all([shown(name, results, "they were not measured") for name, results in found.items()])
    else:
        rust, no_rust = rust_programs() if options.rust else (None, "run with --rust (needs cargo)")
        runner = Runner(options.build, options.repetitions or (5 if options.quick else 9), options.core, rust, options.entt)
        if options.question == "bars":
            results = Results()
            figures.run_bars(runner, results, options.what, options.rust, no_rust)
            good = agree(results)
            print(machine(results))
            found = {"bars": results}
        else:
            found, good = measured(names, runner, no_rust, usual(options))
            for each in tables.values() if options.question == "all" else ():
                each()
    if options.json:
        write(pathlib.Path(options.json), json.dumps({name: results.raw for name, results in found.items()}, indent=1))
    if old is not None:
        good = compare(old, by_question({"bars": found["bars"].raw}) if options.question == "bars" else found) and good
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"bench/run.py: {failure.args[0]}", file=sys.stderr)
        sys.exit(failure.args[1])
