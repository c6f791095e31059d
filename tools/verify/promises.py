#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every documented promise has a test that names it.

    tools/verify/promises.py           the check: texts, then the costs, counted by tests/proof/complexity.cpp
    tools/verify/promises.py --text    without the costs: compiles nothing

A promise is a @throws, @complexity or @invalidates of a doc comment in include/, named after what the comment stands above:
"SlotMapInterface::emplace throws", "SlotRange invalidates"; where overloads promise different things their parameters are part of the
name: "SetStorage::erase(it) throws". The other promises are the cells of the table in docs/verification.md: "table SlotMap insert /
handles". A test says what it proves in comments directly above it:

    // proves: SlotMapInterface::reserve throws, table SlotMap reserve / handles
    TEST_CASE(...)

A promise of complexity is proved by a row of tests/proof/complexity.cpp alone, which names it and counts executed basic blocks. It is an
error when nothing names a promise, and when a name is no promise (any more).
"""
import collections
import dataclasses
import re
import sys

import proof
import parsed

KINDS = {"throws": "throws", "complexity": "complexities", "invalidates": "invalidations"}
MARKERS = ("<!-- promises -->", "<!-- /promises -->")
DOCUMENT = "docs/verification.md"


@dataclasses.dataclass
class Promise:
    name: str
    kind: str  # throws, complexity, invalidates or table
    text: str
    where: str


# === doc comments ===#

def comments(declarations, sources):
    """(Declaration, line, text) of all doc comments that stand above a declaration."""
    lines = {header: source.split("\n") for header, source in sources.items()}
    for each in declarations:
        first = each.line - 1
        while first > 0 and lines[each.header][first - 1].lstrip().startswith("///"):
            first -= 1
        if first != each.line - 1:
            yield each, first + 1, "\n".join(line.lstrip()[3:] for line in lines[each.header][first:each.line - 1])


def tags(first, comment):
    """(kind, text, line) of the promises in a comment."""
    return [(found[1], " ".join(found[2].split()), first + comment.count("\n", 0, found.start()))
            for found in re.finditer(r"@(\w+)((?:(?!@\w).)*)", comment, re.DOTALL) if found[1] in KINDS]


def promises_of(room):
    """({name: Promise}, errors) of all promises of the headers in a folder."""
    sources = {path.relative_to(room).as_posix(): path.read_text(encoding="utf-8") for path in sorted(room.rglob("*.hpp"))}
    overloads, errors, found = collections.defaultdict(list), [], collections.Counter()
    for each, first, comment in comments(parsed.declarations(room), sources):
        kinds, header = {}, each.header
        for kind, text, line in tags(first, comment):
            found[header] += 1
            kinds.setdefault(kind, (line, []))[1].append(text)
            if not text or not each.name:
                errors.append(f"{header}:{line}: @{kind} promises nothing, or nobody knows of what")
        names = None if each.parameters is None else [name for name in each.parameters if name]
        for kind, (line, texts) in kinds.items():
            overloads["::".join([*each.classes, each.name]), kind].append((" ".join(texts), names, f"{header}:{line}"))
    for header, source in sources.items():
        written = len(re.findall(r"@(?:%s)\b" % "|".join(KINDS), source))
        if found[header] != written:
            errors.append(f"{header}: {written} promises are written, {found[header]} of them in a comment above a declaration")
    result = {}
    for (name, kind), many in overloads.items():
        differ = len({text for text, _, _ in many}) > 1
        for text, names, where in many:
            full = f"{name}({', '.join(names)}) {kind}" if differ and names is not None else f"{name} {kind}"
            number = 2
            while full in result and result[full].text != text:
                full = f"{full.split(' #')[0]} #{number}"
                number += 1
            result.setdefault(full, Promise(full, kind, text, where))
    return result, errors


# === the table ===#

def table_of(text):
    """A promise for each cell that is not empty of the table in DOCUMENT, whose first column names operations."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.partition(MARKERS[0])[2].partition(MARKERS[1])[0].splitlines()]
    lines = [line for line in lines if line and set(line) != {"---"}]
    wrong = [line[0] for line in lines if len(line) != len(lines[0]) or "," in line[0]]
    if len(lines) < 2 or wrong:
        raise ValueError(f"{DOCUMENT}: no table between {MARKERS[0]} and {MARKERS[1]}, or rows of another length or with a comma: {wrong}")
    names = {f"table {line[0].replace('`', '')} / {column}": cell for line in lines[1:] for column, cell in zip(lines[0][1:], line[1:]) if cell}
    return {name: Promise(name, "table", cell, DOCUMENT) for name, cell in names.items()}


# === tests ===#

PROVES = re.compile(r"((?:^[ \t]*// proves:.*\n)+)([ \t]*(?:TEMPLATE_)?TEST_CASE(?:_\w+)?\()?", re.MULTILINE)
ROW = re.compile(r'^[ \t]*row\(\s*"([^"]+)"', re.MULTILINE)


def proofs_of(tests):
    """([(name of a promise, place)], errors) of all `// proves:` in {path: text}, each a list of names, at commas outside of parentheses."""
    proofs, errors = [], []
    for path, text in tests.items():
        for block in PROVES.finditer(text + "\n"):
            for number, line in enumerate(block[1].splitlines(), text.count("\n", 0, block.start()) + 1):
                names = [name.strip() for name in re.split(r",(?![^(]*\))", line.partition("proves:")[2]) if name.strip()]
                proofs += [(name, f"{path}:{number}") for name in names if block[2]]
                if not names or not block[2]:
                    errors.append(f"{path}:{number}: `proves:` names nothing, or does not stand above a test case")
    return proofs, errors


def rows_of(text, path):
    """[(name of a promise, place)] of the rows of complexity.cpp."""
    return [(match.group(1), f"{path}:{text.count(chr(10), 0, match.start()) + 1}") for match in ROW.finditer(text)]


def compare(promises, proofs, rows):
    """Errors: promises that nothing names, and names of no promise."""
    named = {name for name, _ in proofs}
    measured = {name for name, _ in rows}
    errors = [f"{promise.where}: no {'row of complexity.cpp' if promise.kind == 'complexity' else 'test'} names \"{name}\": {promise.text}"
              for name, promise in promises.items() if name not in (measured if promise.kind == "complexity" else named)]
    errors += [f"{where}: there is no promise \"{name}\"" for name, where in proofs + rows if name not in promises]
    errors += [f"{where}: \"{name}\" is proved by a row of complexity.cpp only"
               for name, where in proofs if name in promises and promises[name].kind == "complexity"]
    errors += [f"{where}: \"{name}\" is no promise of complexity"
               for name, where in rows if name in promises and promises[name].kind != "complexity"]
    return errors


# === costs ===#

def build_costs(source, folder, compiler=None, include=proof.INCLUDE):
    """(the program that counts, "" or what went wrong)"""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / source.stem
    fwd = include / "slotwise" / "fwd.hpp" # as tests/CMakeLists.txt does it; include may be a tree of a test
    classes = re.findall(r"^class (\w+);", fwd.read_text(encoding="utf-8"), re.MULTILINE) if fwd.is_file() else []
    (folder / "slotwise_public_classes.inc").write_text("".join(f"SLOTWISE_PUBLIC_CLASS({name})\n" for name in sorted(set(classes))))
    result = proof.run([compiler or proof.gcc(), "-std=c++20", "-O1", "-fsanitize-coverage=trace-pc", "-DSLOTWISE_CHECK_LEVEL=1",
                        f"-I{include}", f"-I{proof.TESTS}", f"-I{folder}", source, "-o", program], timeout=900)
    return program, "" if result.ok else f"{source} does not compile:\n{result.output[-3000:]}"


def run_costs(program, rows):
    """(what the program prints, errors): it has to succeed, and to measure each of these rows."""
    result = proof.run([program], timeout=900)
    measured = re.findall(r"^(?:ok|FAIL)\s+(.+?)\s+\|", result.output, re.MULTILINE)
    errors = [line for line in result.output.splitlines() if line.startswith("FAIL")]
    errors += [f"the row \"{name}\" was not measured" for name, _ in rows if name not in measured]
    if not result.ok and not errors or not result.output:
        errors.append(f"ended with {result.code}: {result.output[-500:]}")
    return result.output, [f"{program.name}: {error}" for error in errors]


# === the check ===#

def main():
    arguments = proof.arguments(__doc__, "--text").parse_args()
    promises, errors = promises_of(parsed.ROOM)
    promises.update(table_of((proof.ROOT / DOCUMENT).read_text(encoding="utf-8")))
    tests = sorted([*proof.TESTS.rglob("*.cpp"), *proof.TESTS.rglob("*.hpp")])
    proofs, wrong = proofs_of({proof.relative(path): path.read_text(encoding="utf-8") for path in tests})
    source = proof.TESTS / "proof" / "complexity.cpp"
    rows = rows_of(source.read_text(encoding="utf-8"), proof.relative(source))
    errors += wrong + compare(promises, proofs, rows)
    if not arguments.text:
        # complexity.cpp counts single operations, growth.cpp what users do in a row, in every container
        for each, needed in ((source, rows), (source.with_name("growth.cpp"), [])):
            program, error = build_costs(each, proof.BUILD / "promises")
            output, wrong = ("", [error]) if error else run_costs(program, needed)
            print(output, end="")
            errors += wrong
    for error in errors:
        print(error)
    count = collections.Counter(promise.kind for promise in promises.values())
    if not all(count[kind] for kind in ("table", *KINDS)):
        errors.append("nothing was looked at")
    figures = f"{count['table']} cells, " + ", ".join(f"{count[kind]} {word}" for kind, word in KINDS.items())
    print(f"promises: {figures}, " + (f"{len(errors)} errors" if errors else "all named by a test"))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
