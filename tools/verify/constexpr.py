#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""How many of the functions that are marked constexpr are used in a constant expression by a test; names those that are not.

  constexpr.py

The tests tests/<folder>/constexpr_*.cpp hold functions that are evaluated twice: by a static_assert while they are compiled, and when the
program runs (tests/support/constant.hpp). Here they are compiled with the source coverage of clang and run: a function of a header
that ran did so as part of what the static_assert evaluated. A function is counted by file and line, however many instances it
has, and when its head says constexpr. Those that cannot be evaluated, whatever the test, are of the kinds of CANNOT.
"""
import json
import pathlib
import re
import sys

import proof
import headers
import parsed

LEVEL = "-DSLOTWISE_CHECK_LEVEL=2"  # functions of other levels are not compiled here
# Of "Class::name": what no constant expression of C++20 can use, or clang's coverage does not see. A view, and what of a column or a series goes
# through one, holds its container as const void*, which a constant expression casts back from C++26 on (P2738); tests/support/constant.hpp asks it.
CANNOT = re.compile(r"(Set|Map|TSS|TSD)View\b|(Column|Directory)View::(version|operator\[\]|at|contains)$|TS[SD]Storage::(\w+_(keys|items)|added|removed|self)$"
                    r"|_in_constant$"  # evaluated by the compiler only: when the program runs, the branch for pages of bytes is taken
                    r"|::recount$"  # undoes a step after an exception, and none is thrown in a constant expression
                    r"|\b(once|walk|visit)$")  # called by static_asserts and consteval functions of headers


def measured():
    """{(header, line): ran} of all functions of the headers that the programs hold."""
    programs = proof.Programs("constexpr", proof.clang(), ("-std=c++20", "-O0", LEVEL, "-fconstexpr-steps=100000000", "-fprofile-instr-generate",
                                                           "-fcoverage-mapping"))
    sources = sorted(proof.TESTS.glob("*/constexpr_*.cpp"))

    def run_one(source):
        program = programs.folder / f"{source.parent.name}_{source.stem}"  # stems occur twice
        profile = program.with_suffix(".profraw")
        built = programs.compile([source], program)
        if not built.ok:
            proof.die(f"{source} does not compile with {programs.compiler}:", built.output[:6000], code=1)
        proof.must([program], f"{source} fails:", env={"LLVM_PROFILE_FILE": str(profile)})
        proof.must([proof.clang("llvm-profdata"), "merge", "-sparse", profile, "-o", program.with_suffix(".profdata")])
        report = proof.must([proof.clang("llvm-cov"), "export", program, f"-instr-profile={program.with_suffix('.profdata')}"])
        return json.loads(report[report.index("{"):])

    functions = {}
    for _, report in proof.parallel(run_one, sources):
        for function in report["data"][0]["functions"]:
            file = pathlib.Path(function["filenames"][0])
            if headers.ROOM not in file.resolve().parents:
                continue
            place = (file.resolve().relative_to(headers.ROOM).as_posix(), function["regions"][0][0])
            functions[place] = functions.get(place, False) or function["count"] > 0
    return functions, len(sources)


def heads(room=headers.ROOM):
    """{(header, line of the body's brace): Class::name} of every function that is marked constexpr."""
    texts, found = {}, {}
    for each in parsed.declarations(room, bodies=True, flags=[LEVEL]):
        bodies = [child for child in each.cursor.get_children() if child.kind == parsed.cindex.CursorKind.COMPOUND_STMT]
        if each.parameters is None or not bodies:
            continue
        if each.header not in texts:  # libclang counts bytes
            texts[each.header] = headers.code((room / each.header).read_bytes().decode("latin-1"))
        begin, end = each.cursor.extent.start.offset, bodies[-1].extent.start.offset
        head = texts[each.header][begin:end]
        if re.search(r"\bconstexpr\b", head) and texts[each.header][end] == "{":  # not: = default
            found[each.header, bodies[-1].extent.start.line] = parsed.qualified(each.cursor)
    return found


def main():
    proof.arguments(__doc__).parse_args()
    ran, programs = measured()
    marked = heads()
    used = {place for place in marked if ran.get(place)}
    cannot = {place for place, name in marked.items() if CANNOT.search(name)} - used
    for header, line in sorted(set(marked) - used - cannot):
        print(f"{header}:{line} {marked[header, line]}")
    can = len(marked) - len(cannot)
    print(f"constexpr: {len(used)} of {can} functions used in a constant expression, {len(cannot)} cannot be, {programs} programs")
    return 1 if len(used) != can or not used else 0


if __name__ == "__main__":
    sys.exit(main())
