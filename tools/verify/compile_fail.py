#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every static_assert and every constraint of the headers has a case in tests/compile_fail that meets it.

  compile_fail.py [--quick] [--only WORDS]

A case names what it meets, below its "// expect:" lines:
  // covers: map/slot_map.hpp static_assert "some words of its message"
  // covers: keyed/map_storage.hpp requires "some words of the constraint"
The words must fit exactly one static_assert or constraint of that header; declarations of one header with the same text are one.
A constraint is a requires-clause or a constrained template parameter ("AnyHandle H"). Constraints that choose between two
declarations that are both right, so that no user ever meets them, are in compile_fail_exempt.txt, each with its reason.

  --quick   reads the headers and the cases only
  --only    compiles only cases whose source and name contain WORDS
Without --quick every case is compiled with g++ and clang++: it must be refused with the words it expects, its control must
compile, and what one of the compilers says must point at the lines of each static_assert or constraint that the case names (g++
does not mention a default constructor whose constraint fails).
"""
import dataclasses
import pathlib
import re
import sys

import proof
import headers

sys.path.insert(0, str(proof.ROOT / "tools"))
import compile_fail as one_case  # noqa: E402  tools/compile_fail.py checks one case

CASES = proof.TESTS / "compile_fail"
EXEMPT = pathlib.Path(__file__).with_name("compile_fail_exempt.txt")
CLAIM = re.compile(r'([\w/.]+\.hpp) (static_assert|requires) "(.+)"$')
# A requires-clause has lines of its own, further ones indented more; a requires-expression has a brace behind its parameters.
CLAUSE = re.compile(r"^([ \t]*)requires\b(?! *(?:\([^()]*\) *)?\{)(.*(?:\n\1[ \t]+\S.*)*)", re.M)
HEAD = re.compile(r"\btemplate <(.*)>$", re.M)
OWN = re.compile(r"\bconcept (\w+) =")


@dataclasses.dataclass
class Promise:
    """A static_assert or a constraint: what it says and on which lines of the header it stands."""
    header: str
    kind: str
    text: str
    lines: set = dataclasses.field(default_factory=set)
    declaration: set = dataclasses.field(default_factory=set)  # the lines of what it constrains, too
    cases: list = dataclasses.field(default_factory=list)

    def __str__(self):
        return f'{self.header} {self.kind} "{self.text}"'


def constraints(text, concepts):
    """(begin, end, words) of each requires-clause and of each constrained parameter of a template head: AnyHandle H."""
    for found in CLAUSE.finditer(text):
        yield found.start(2) - 1, found.end(2), headers.squeeze(found[2])
    parameter = re.compile(rf"(?:^|, )((?:std::(?!size_t\b|uint)\w+|{'|'.join(concepts)})(?:<[^<>]*>)?(?: ?\.\.\.)? \w+)")
    for head in HEAD.finditer(text):
        for found in parameter.finditer(head[1]):
            yield head.start(1) + found.start(1), head.start(1) + found.start(1) + 1, found[1]


def lines(text, begin, end):
    return range(headers.line_of(text, begin), headers.line_of(text, end - 1) + 1)


def declaration(text, begin, end):
    """From the end of what stands before the constraint to the body of what it constrains."""
    before = max(text.rfind(mark, 0, begin) for mark in (";", "{", "}", "public:"))
    after = re.compile(r"[;{]").search(text, end)
    return before + 1, after.end() if after else end


def promises():
    """All of the headers, by (header, kind, text)."""
    sources = [(name, headers.code(text)) for name, text in headers.texts().items()]
    concepts, found = sorted({name for _, text in sources for name in OWN.findall(text)}), {}

    def add(header, kind, what, source, begin, end):
        entry = found.setdefault((header, kind, what), Promise(header, kind, what))
        entry.lines.update(lines(source, begin, end))
        entry.declaration.update(lines(source, *declaration(source, begin, end)))

    for header, text in sources:
        for begin, end, inside in headers.calls(text, "static_assert"):
            add(header, "static_assert", headers.words(inside) or headers.squeeze(inside), text, begin, end)
        for begin, end, what in constraints(text, concepts):
            add(header, "requires", what, text, begin, end)
    return found


def named(claim, found, wrong):
    """The one promise that a line of a case or of the list of exemptions names."""
    where, text = claim
    match = CLAIM.match(text)
    if not match:
        wrong.append(f'{where}: write: header.hpp static_assert "words" or header.hpp requires "words"; got: {text}')
        return None
    header, kind, some = match[1], match[2], headers.squeeze(match[3])
    fits = [one for one in found.values() if one.header == header and one.kind == kind and some in one.text]
    exact = [one for one in fits if one.text == some]
    if len(exact or fits) != 1:
        wrong.append(f'{where}: {len(fits)} of {header} {kind} have the words "{some}"; must be one')
        return None
    return (exact or fits)[0]


def exemptions(found, wrong):
    exempt = {}
    for number, _, line in headers.listed(EXEMPT):
        text, _, reason = line.partition(" : ")
        if not reason.strip():
            wrong.append(f"{EXEMPT.name}:{number}: the reason is missing (after ' : ')")
        promise = named((f"{EXEMPT.name}:{number}", text.strip()), found, wrong)
        if promise:
            exempt[id(promise)] = promise
    return exempt


def title(case):
    return f"{proof.relative(case[0])} {case[1]}"


def compile_case(case, compiler):
    """(What is wrong with one case under one compiler, or None; the lines of headers that the compiler points at)."""
    command = [compiler, "-std=c++20", f"-I{proof.INCLUDE}", "-ftemplate-backtrace-limit=0"]
    if "clang" in compiler:
        command += ["-fno-caret-diagnostics"]
    refusal, said = one_case.check(str(case[0]), case[1], command)
    if refusal:
        return f"{title(case)} ({compiler}): {refusal}", set()
    said = re.sub(r"\w+/\.\./", "", said)
    places = re.findall(r"slotwise/(\S+\.hpp):(\d+):\d+:(?: note:\s+(constraints not satisfied))?", said)
    return None, {(header, int(line), bool(unsatisfied)) for header, line, unsatisfied in places}


def met(promise, places):
    """Whether a compiler points at it. g++ points at the whole declaration where the constraint is a concept of the standard library."""
    return any(header == promise.header and (line in promise.lines or (unsatisfied and line in promise.declaration))
               for header, line, unsatisfied in places)


def compile_all(cases, wrong):
    """Compiles each case with both compilers; returns what was done, in words."""
    compilers = [proof.gcc(), proof.clang()]
    jobs = [(case, compiler) for case in cases for compiler in compilers]
    places = {}
    for (case, _), (refusal, pointed) in proof.parallel(lambda job: compile_case(*job), jobs):
        places.setdefault(case, set()).update(pointed)
        if refusal:
            wrong.append(refusal)
    wrong += [f"{title(case)}: no compiler points at {promise}"
              for case, claims in cases.items() for promise in claims if not met(promise, places[case])]
    return f"; {len(jobs)} compilations with {' and '.join(compilers)}"


def main():
    parser = proof.arguments(__doc__, "--quick")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    found, wrong = promises(), []
    cases = {}
    for source in sorted(CASES.glob("*.cpp")):
        for name, claims in one_case.covers(source).items():
            case = (source, name)
            cases[case] = [one for one in (named((title(case), claim), found, wrong) for claim in claims) if one]
            for one in cases[case]:
                one.cases.append(case)
    exempt = exemptions(found, wrong)
    for promise in found.values():
        if promise.cases and id(promise) in exempt:
            wrong.append(f"{EXEMPT.name}: exempt, but there is a case: {promise}")
    missing = [promise for promise in found.values() if not promise.cases and id(promise) not in exempt]
    wrong += [f"no case: {promise}" for promise in missing]
    compiled = ""
    if not options.quick:
        compiled = compile_all({case: claims for case, claims in cases.items() if options.only in title(case)}, wrong)
    for line in wrong:
        print(f"compile_fail: {line}", file=sys.stderr)
    counts = [sum(1 for one in found.values() if one.kind == kind and one.cases) for kind in ("requires", "static_assert")]
    print(f"compile_fail: {len(cases)} cases cover {counts[0]} constraints and {counts[1]} static_asserts, {len(missing)} missing, "
          f"{len(exempt)} exempt{compiled}")
    return 1 if wrong or not cases or not found else 0


if __name__ == "__main__":
    sys.exit(main())
