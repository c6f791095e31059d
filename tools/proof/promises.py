#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every documented promise has a test that names it.

    tools/proof/promises.py           the check: texts, then the costs, counted by tests/proof/complexity.cpp
    tools/proof/promises.py --text    without the costs: compiles nothing
    tools/proof/promises.py --list    the promises, each with where it is made and the tests that name it
    tools/proof/promises.py --table   the table of promises as it has to stand in README.md

A promise is a @throws, @complexity or @invalidates of a doc comment in include/, named after what the comment stands above:
"SlotMapCore::emplace throws", "SlotRange invalidates"; where overloads promise different things their parameters are part of the
name: "KeySet::erase(it) throws". The other promises are the cells of the table in tools/proof/promises.txt: "table SlotMap insert /
handles". A test says what it proves in comments directly above it:

    // proves: SlotMapCore::reserve throws, table SlotMap reserve / handles
    TEST_CASE(...)

A promise of complexity is proved by a row of tests/proof/complexity.cpp alone, which names it and counts executed basic blocks. It is an
error when nothing names a promise, when a name is no promise (any more), and when README.md has another table.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import proof  # noqa: E402

KINDS = {"throws": "throws", "complexity": "complexities", "invalidates": "invalidations"}
MARKERS = ("<!-- promises -->", "<!-- /promises -->")


@dataclasses.dataclass
class Promise:
    name: str
    kind: str  # throws, complexity, invalidates or table
    text: str
    where: str


# === doc comments ===#

TAG = re.compile(r"@(\w+)")
TOKEN = re.compile(r"""\s*(?:
    (?P<doc>///[^\n]*)
  | (?P<skip>//[^\n]*|/\*.*?\*/)
  | (?P<macro>\#(?:\\\n|[^\n])*)
  | (?P<raw>R"(?P<d>[^(]*)\(.*?\)(?P=d)")
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>[0-9](?:'?[\w.])*)
  | (?P<sign>::|&&|\|\||->|\[\[|\]\]|<=>|[<>=!]=|\S))""", re.VERBOSE | re.DOTALL)


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    line: int


def tokens_of(source):
    line, at, tokens = 1, 0, []
    while match := TOKEN.match(source, at):
        kind = match.lastgroup if match.lastgroup != "d" else "raw"
        line += source.count("\n", at, match.start(kind))
        if kind not in ("skip", "macro"):
            tokens.append(Token(kind, match.group(kind), line))
        line += source.count("\n", match.start(kind), match.end())
        at = match.end()
    return tokens


def balanced(tokens, at, opening, closing):
    """The place behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        text = tokens[at].text
        if text in opening:
            depth += 1
        elif text in closing:
            depth -= 1
        elif opening == "<" and text == "(":
            at = balanced(tokens, at, "(", ")")
            continue
        at += 1
        if depth == 0:
            return at
    return at


def skip_requirement(tokens, at):
    """Behind a requires clause that starts at `at`, the word itself is gone: primaries joined by && and ||."""
    while at < len(tokens):
        if tokens[at].text == "requires":
            at += 1
            if tokens[at].text == "(":
                at = balanced(tokens, at, "(", ")")
            at = balanced(tokens, at, "{", "}")
        elif tokens[at].text == "(":
            at = balanced(tokens, at, "(", ")")
        else:
            while at < len(tokens) and (tokens[at].kind == "word" or tokens[at].text in ("::", "<")):
                if tokens[at].text == "<":
                    at = balanced(tokens, at, "<", ">")
                    if at == len(tokens) or tokens[at].text != "::":
                        break
                else:
                    after_word = tokens[at].kind == "word"
                    at += 1
                    if after_word and (at == len(tokens) or tokens[at].text not in ("::", "<")):
                        break
        if at == len(tokens) or tokens[at].text not in ("&&", "||"):
            return at
        at += 1
    return at


def plain(tokens):
    """A declaration without template heads, requires clauses, attributes, strings."""
    result, at = [], 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "template" and tokens[at + 1].text == "<":
            at = balanced(tokens, at + 1, "<", ">")
        elif text == "requires":
            at = skip_requirement(tokens, at + 1)
        elif text == "[[":
            while tokens[at].text != "]]":
                at += 1
            at += 1
        elif text in ("explicit", "alignas", "noexcept", "decltype") and at + 1 < len(tokens) and tokens[at + 1].text == "(":
            at = balanced(tokens, at + 1, "(", ")")
        else:
            result.append(tokens[at])
            at += 1
    return result


def declared(tokens):
    """(name, parameters) of a declaration; parameters is None for what is no function."""
    tokens = plain(tokens)
    words = [token.text for token in tokens]
    for at, word in enumerate(words):
        if word in ("class", "struct") and (at == 0 or words[at - 1] not in ("<", ",", "friend", "enum")):
            return next((token.text for token in tokens[at + 1:] if token.kind == "word"), ""), None
        if word == "operator":
            end = at + 1 if words[at + 1] != "(" else at + 3
            while end < len(words) and words[end] != "(":
                end += 1
            return "operator" + "".join(words[at + 1:end]), parameters(tokens[end:])
        if word == "(" and at > 0:
            if tokens[at - 1].kind == "word":
                destructor = at > 1 and words[at - 2] == "~"
                return "~" * destructor + words[at - 1], parameters(tokens[at:])
        if word == "=":
            return words[at - 1], None
    named = [token.text for token in tokens if token.kind == "word"]
    return (named[-1] if named else ""), None


def parameters(tokens):
    """The names of the parameters of the list that `tokens` begins with."""
    names, at, end = [], 1, balanced(tokens, 0, "(", ")") - 1
    last, default = "", False
    while at < end:
        text = tokens[at].text
        if text in "(<{[" and len(text) == 1:
            at = balanced(tokens, at, text, {"(": ")", "<": ">", "{": "}", "[": "]"}[text])
            continue
        if text == ",":
            names.append(last)
            last, default = "", False
        elif text == "=":
            default = True
        elif tokens[at].kind == "word" and not default:
            last = text
        at += 1
    return names + [last] if end > 1 else []


def documented(source):
    """(line, comment, scope, name, parameters) of all doc comments that stand above a declaration."""
    tokens = tokens_of(source)
    scopes = []  # names of classes, "" for a namespace
    found, comment = [], []
    at = begin = 0  # of the declaration
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "doc":
            comment.append((token.line, token.text[3:].strip()))
            at += 1
            if begin == at - 1:
                begin = at
            continue
        if token.text == "(":
            at = balanced(tokens, at, "(", ")")
            continue
        if token.text == "template" and tokens[at + 1].text == "<":
            at = balanced(tokens, at + 1, "<", ">")
            continue
        if token.text == "requires":
            at = skip_requirement(tokens, at + 1)
            continue
        if token.text == "{":
            head = [t for t in tokens[begin:at] if t.kind != "doc"]
            if head and head[-1].text in ("=", ",", "return"):
                at = balanced(tokens, at, "{", "}")  # a value
                continue
            words = [t.text for t in plain(head)]
            name, names = declared(head)
            end = balanced(tokens, at, "{", "}")
            if names is not None and end < len(tokens) and tokens[end].text in (",", "{"):
                at = end  # a constructor's initialiser; its body comes
                continue
            if comment:
                found.append((comment, list(scopes), name, names))
            if "namespace" in words or words[:1] == ["extern"]:
                scopes.append("")
            elif names is None and ("class" in words or "struct" in words or "union" in words):
                scopes.append(name)
            else:
                at = end  # the body of a function, or an initialiser of a variable
                comment, begin = [], at
                continue
            comment, begin = [], at + 1
        elif token.text == "}":
            if scopes:
                scopes.pop()
            comment, begin = [], at + 1
        elif token.text == ";":
            head = [t for t in tokens[begin:at] if t.kind != "doc"]
            if comment and head:
                found.append((comment, list(scopes), *declared(head)))
            comment, begin = [], at + 1
        elif token.text == ":" and tokens[at - 1].text in ("public", "protected", "private"):
            begin = at + 1
        elif token.text in ("SLOTWISE_BEGIN", "SLOTWISE_END"):
            begin = at + 1
        at += 1
    return [(comment[0][0], comment, [s for s in scopes if s], name, names) for comment, scopes, name, names in found]


def tags(comment):
    """(kind, text, line) of the promises in a comment."""
    result, kind = [], None
    for line, text in comment:
        at = 0
        for match in TAG.finditer(text):
            if kind:
                result[-1][1].append(text[at:match.start()])
            kind = match.group(1) if match.group(1) in KINDS else None
            if kind:
                result.append((kind, [], line))
            at = match.end()
        if kind:
            result[-1][1].append(text[at:])
    return [(kind, " ".join(" ".join(parts).split()), line) for kind, parts, line in result]


def promises_of(headers):
    """({name: Promise}, errors) of all promises of {path: text}."""
    overloads = collections.defaultdict(list)
    errors = []
    for path, source in headers.items():
        found = 0
        for _, comment, scopes, name, names in documented(source):
            kinds = collections.OrderedDict()
            for kind, text, line in tags(comment):
                found += 1
                kinds.setdefault(kind, (line, []))[1].append(text)
                if not text or not name:
                    errors.append(f"{path}:{line}: @{kind} promises nothing, or nobody knows of what")
            for kind, (line, texts) in kinds.items():
                overloads["::".join([*scopes, name]), kind].append((" ".join(texts), names, f"{path}:{line}"))
        written = len(re.findall(r"@(?:%s)\b" % "|".join(KINDS), source))
        if found != written:
            errors.append(f"{path}: {written} promises are written, {found} of them in a comment above a declaration")
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

@dataclasses.dataclass
class Table:
    columns: list
    rows: list  # (name, cells)

    def promises(self, path):
        """A promise for each cell that is not empty."""
        return {name: Promise(name, "table", cell, path)
                for row, cells in self.rows for column, cell in zip(self.columns, cells) if cell
                for name in [f"table {row.replace('`', '')} / {column}"]}

    def markdown(self):
        lines = [["operation", *self.columns], *([row, *cells] for row, cells in self.rows)]
        text = ["|" + "|".join(f" {cell} " if cell else " " for cell in line) + "|" for line in lines]
        return "\n".join([text[0], "|" + "---|" * len(lines[0]), *text[1:]]) + "\n"


def table_of(text):
    """From lines `row | cell | cell`, the first one names the columns; # begins a comment."""
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.strip() and not line.startswith("#")]
    wrong = [line[0] for line in lines if len(line) != len(lines[0])]
    if not lines or wrong:
        raise ValueError(f"promises.txt: not {len(lines[0]) if lines else 'any'} cells: {', '.join(wrong)}")
    return Table(lines[0][1:], [(line[0], line[1:]) for line in lines[1:]])


def readme_error(readme, table):
    """What is wrong with the table in README.md, or "" ."""
    if readme.count(MARKERS[0]) != 1 or readme.count(MARKERS[1]) != 1:
        return f"README.md: the table of promises belongs between {MARKERS[0]} and {MARKERS[1]}; promises.py --table prints it"
    inside = readme.split(MARKERS[0])[1].split(MARKERS[1])[0].strip()
    return "" if inside == table.markdown().strip() else "README.md: the table of promises is not what promises.py --table prints"


# === tests ===#

PROVES = re.compile(r"^\s*// proves:(.*)$")
TEST = re.compile(r"^\s*(?:TEMPLATE_)?TEST_CASE(?:_\w+)?\(")
ROW = re.compile(r'^[ \t]*row\(\s*"([^"]+)"', re.MULTILINE)


def proofs_of(tests):
    """([(name of a promise, place)], errors) of all `// proves:` in {path: text}."""
    proofs, errors = [], []
    for path, text in tests.items():
        waiting = []
        for number, line in enumerate(text.splitlines(), 1):
            match = PROVES.match(line)
            if match:
                waiting += [(name.strip(), f"{path}:{number}") for name in split_names(match.group(1))]
                if not match.group(1).strip():
                    errors.append(f"{path}:{number}: proves nothing")
                continue
            if waiting and not TEST.match(line):
                errors.append(f"{waiting[0][1]}: `proves:` does not stand above a test case")
                waiting = []
            proofs += waiting
            waiting = []
        if waiting:
            errors.append(f"{waiting[0][1]}: `proves:` does not stand above a test case")
    return proofs, errors


def split_names(text):
    """At commas outside of parentheses."""
    return [name for name in re.split(r",(?![^(]*\))", text) if name.strip()]


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
    program = folder / "complexity"
    result = proof.run([compiler or proof.gcc(), "-std=c++20", "-O1", "-fsanitize-coverage=trace-pc", "-DSLOTWISE_CHECK_LEVEL=1",
                        f"-I{include}", f"-I{proof.TESTS}", source, "-o", program], timeout=600)
    return program, "" if result.ok else f"{source} does not compile:\n{result.output[-3000:]}"


def run_costs(program, rows):
    """(table, errors): every row of the source has to have been measured, and to hold."""
    result = proof.run([program], timeout=600)
    measured = re.findall(r"^(?:ok|FAIL)\s+(.+?)\s+\|", result.output, re.MULTILINE)
    errors = [f"complexity: {line}" for line in result.output.splitlines() if line.startswith("FAIL")]
    errors += [f"complexity: the row \"{name}\" was not measured" for name, _ in rows if name not in measured]
    if not result.ok and not errors or not measured:
        errors.append(f"complexity: ended with {result.code} and {len(measured)} rows: {result.output[-500:]}")
    return result.output, errors


# === the check ===#

def read(paths):
    return {proof.relative(path): path.read_text(encoding="utf-8") for path in sorted(paths)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", action="store_true", help="compile nothing")
    parser.add_argument("--list", action="store_true", help="print the promises and who names them")
    parser.add_argument("--table", action="store_true", help="print the table for README.md")
    arguments = parser.parse_args()
    table = table_of((pathlib.Path(__file__).parent / "promises.txt").read_text(encoding="utf-8"))
    if arguments.table:
        print(f"{MARKERS[0]}\n{table.markdown()}{MARKERS[1]}")
        return 0
    promises, errors = promises_of(read((proof.INCLUDE / "slotwise").rglob("*.hpp")))
    promises.update(table.promises("tools/proof/promises.txt"))
    proofs, wrong = proofs_of(read([*proof.TESTS.rglob("*.cpp"), *proof.TESTS.rglob("*.hpp")]))
    source = proof.TESTS / "proof" / "complexity.cpp"
    rows = rows_of(source.read_text(encoding="utf-8"), proof.relative(source))
    errors += wrong + compare(promises, proofs, rows)
    if arguments.list:
        for name, promise in sorted(promises.items()):
            print(f"{promise.where}: {name}: {promise.text}")
            print("".join(f"    {where}\n" for other, where in proofs + rows if other == name), end="")
        return 0
    error = readme_error((proof.ROOT / "README.md").read_text(encoding="utf-8"), table)
    errors += [error] if error else []
    if not arguments.text:
        program, error = build_costs(source, proof.BUILD / "promises")
        output, wrong = ("", [error]) if error else run_costs(program, rows)
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
