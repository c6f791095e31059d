# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Finds the places of headers where a mutant can be, and writes headers in which a number chooses one of them at run time.

find(folder, files) reads the headers with libclang: template bodies are in its tree, dependent expressions as well. render(text, points)
is the header with all mutants in it (mutant schemata: R. Untch, J. Offutt, M. Harrold 1993): an expression E becomes
`(::slotwise_mutant::on(17) ? (E') : (E))`, a statement S `if (!::slotwise_mutant::on(17)) { S }`, one inside the other.

What the compiler evaluates is left alone: template arguments, static_assert, requires, noexcept, if constexpr, enumerators, constexpr
variables, array bounds, case labels. So are macros and their arguments.
"""
import bisect
import dataclasses
import pathlib
import re
import subprocess

import proof
import parsed
from check_headers import ADAPTERS
from headers import closing, masked
from parsed import Late, cindex

Kind = Late("CursorKind")

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
         "+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "&",
         "&=": "|=", "|=": "&=", "+=": "-=", "-=": "+=", "^=": "&=", "<<=": ">>=", ">>=": "<<="}
CHECKS = ("SLOTWISE_EXPECT", "SLOTWISE_EXPECT_DEBUG")


@dataclasses.dataclass
class Point:
    """One mutant: what stands in [begin, end) of the file, and what it becomes."""
    file: str  # below the folder of the headers: map/slot_map.hpp
    begin: int
    end: int
    kind: str  # swap: another expression; negate; negate declared: the condition is a declaration; never: a loop; delete: a statement
    change: str
    other: str = ""  # swap: the other expression; negate declared: the name
    line: int = 0
    code: str = ""  # the line of the source, for people and for lists that must not rot
    id: int = -1

    ORDER = ("swap", "never", "negate", "negate declared", "delete")

    @property
    def where(self):
        return f"{self.file}:{self.line}"

    @property
    def key(self):
        return f"{self.begin}-{self.end} {self.kind} {self.change}"

    def wrap(self, inner):
        on = f"::slotwise_mutant::on({self.id})"
        return {
            "swap": f"({on} ? ({self.other}) : ({inner}))",
            "never": f"(!{on} && static_cast<bool>({inner}))",
            "negate": f"({on} != static_cast<bool>({inner}))",
            "negate declared": f"{inner}; {on} != static_cast<bool>({self.other})",
            "delete": f"{{ if (!{on}) {{ {inner} }} }}",
        }[self.kind]


def read(path):
    """The bytes of a file, one character each: libclang counts bytes."""
    return pathlib.Path(path).read_bytes().decode("latin-1")


class Header:
    """The mutation points of one header: a walk over its part of the tree."""

    def __init__(self, path, name, macros):
        self.path, self.name = str(path), name
        self.text = read(path)
        self.blank = masked(self.text)
        self.lines = [match.end() for match in re.finditer("\n", self.text)]
        self.macros = macros  # (begin, end, name), sorted
        self.points = []
        self.negated = set()
        self.returns_bool = False

    # --- ranges ---

    def span(self, cursor):
        begin, end = cursor.extent.start, cursor.extent.end
        if begin.file is None or begin.file.name != self.path or end.file is None or end.file.name != self.path:
            return None
        return (begin.offset, end.offset) if begin.offset < end.offset else None

    def free_of_macros(self, begin, end):
        """No macro cut in two, no part of one, not one itself."""
        for mbegin, mend, _ in self.macros:
            if mend <= begin or mbegin >= end:
                continue
            if not (begin <= mbegin and mend <= end) or (begin, end) == (mbegin, mend):
                return False
        return True

    def add(self, begin, end, kind, change, other="", macro_end=None):
        if not self.free_of_macros(begin, macro_end or end):
            return
        line = bisect.bisect_right(self.lines, begin) + 1
        first = self.lines[line - 2] if line > 1 else 0
        code = self.text[first:self.lines[line - 1] if line - 1 < len(self.lines) else len(self.text)].strip()
        self.points.append(Point(self.name, begin, end, kind, change, other, line, code))

    def short(self, begin, end):
        text = " ".join(self.text[begin:end].split())
        return text if len(text) <= 60 else text[:57] + "..."

    def negate(self, cursor):
        span = self.span(cursor)
        if span and span not in self.negated:
            self.negated.add(span)
            self.add(*span, "negate", f"negate: {self.short(*span)}")

    # --- declarations ---

    SCOPES = {*parsed.CLASSES, "NAMESPACE", "LINKAGE_SPEC", "FRIEND_DECL", "UNEXPOSED_DECL"}

    def declaration(self, cursor):
        kind = cursor.kind.name
        if kind in parsed.FUNCTIONS:
            self.function(cursor)
        elif kind in self.SCOPES:
            for child in cursor.get_children():
                if child.kind.is_declaration():
                    self.declaration(child)
        elif kind in ("VAR_DECL", "FIELD_DECL"):
            self.variable(cursor)

    def before_name(self, cursor):
        return self.blank[cursor.extent.start.offset:cursor.location.offset]

    def variable(self, cursor):
        span = self.span(cursor)
        if not span or re.search(r"\bconst(expr|init)\b", self.before_name(cursor)):
            return
        for child in cursor.get_children():
            if child.kind.is_expression():
                start = child.extent.start.offset
                # What stands before the name are template arguments, what follows [ an array bound, what follows : a bit-field's width.
                if start > cursor.location.offset and self.blank[:start].rstrip()[-1:] in ("=", "(", "{") or \
                        start > cursor.location.offset and self.blank[start:start + 1] in ("{", "("):
                    self.expression(child)

    def function(self, cursor):
        children = list(cursor.get_children())
        body = [child for child in children if child.kind in (Kind.COMPOUND_STMT, Kind.CXX_TRY_STMT)]
        if not body or not self.span(body[-1]) or re.search(r"\bconsteval\b", self.before_name(cursor)):
            return
        before = self.returns_bool
        self.returns_bool = bool(re.search(r"\bbool\s*$", self.before_name(cursor))) or cursor.spelling == "operator bool"
        for previous, child in zip(children, children[1:]):  # members are initialised by: their name, an expression
            if previous.kind == Kind.MEMBER_REF and child.kind.is_expression():
                self.expression(child)
        self.statement(body[-1])
        self.returns_bool = before

    # --- statements ---

    def statement(self, cursor):
        kind = cursor.kind
        if kind.is_expression():
            self.expression_statement(cursor)
        elif kind == Kind.IF_STMT:
            self.if_statement(cursor)
        elif kind in (Kind.FOR_STMT, Kind.WHILE_STMT):
            self.loop(cursor)
        elif kind == Kind.DO_STMT:
            *body, condition = cursor.get_children()
            self.condition(condition)
            for child in body:
                self.statement(child)
        elif kind == Kind.CXX_FOR_RANGE_STMT:
            self.range_loop(cursor)
        elif kind == Kind.RETURN_STMT:
            for child in cursor.get_children():
                if self.returns_bool or child.type.kind == cindex.TypeKind.BOOL:
                    self.negate(child)
                self.expression(child)
        elif kind == Kind.CASE_STMT:
            for child in list(cursor.get_children())[1:]:
                self.statement(child)
        elif kind == Kind.SWITCH_STMT:
            *condition, body = cursor.get_children()
            for child in condition:
                self.part(child)
            self.statement(body)
        else:  # blocks, labels, declarations
            for child in cursor.get_children():
                self.part(child, statements=kind != Kind.DECL_STMT)

    def part(self, cursor, statements=False):
        if cursor.kind.is_declaration():
            self.variable(cursor) if cursor.kind == Kind.UNEXPOSED_DECL else self.declaration(cursor)
        elif statements or cursor.kind.is_statement():
            self.statement(cursor)
        elif cursor.kind.is_expression():
            self.expression(cursor)

    def expression_statement(self, cursor):
        span = self.span(cursor)
        if not span:
            return
        end = self.blank.find(";", span[1])
        if end != -1 and not self.blank[span[1]:end].strip() and not self.text.startswith("static_cast<void>", span[0]):
            self.add(span[0], end + 1, "delete", f"delete: {self.short(*span)}", macro_end=span[1])
        self.expression(cursor)

    def condition(self, cursor):
        self.negate(cursor)
        self.expression(cursor)

    def if_statement(self, cursor):
        span = self.span(cursor)
        if not span:
            return
        constant = re.compile(r"if\s+(constexpr|consteval|!)").match(self.blank, span[0])
        opened = self.blank.find("(", span[0])
        closed = closing(self.blank, opened) - 1
        children = list(cursor.get_children())
        inside = [child for child in children if opened < child.extent.start.offset < closed]
        for child in children:
            if child not in inside:
                self.statement(child)
        if constant or not inside:
            return
        declared = next((child for child in inside if child.kind == Kind.VAR_DECL), None)
        if declared:
            if self.span(declared):
                self.add(*self.span(declared), "negate declared", f"negate: {self.short(*self.span(declared))}", other=declared.spelling)
            self.variable(declared)
            return
        for child in inside[:-1]:
            self.part(child)
        self.condition(inside[-1])

    def loop(self, cursor):
        span = self.span(cursor)
        if not span:
            return
        opened = self.blank.find("(", span[0])
        closed = closing(self.blank, opened) - 1
        first, end = opened, closed
        if cursor.kind == Kind.FOR_STMT:
            ends, depth = [], 0
            for i in range(opened, closed):
                depth += (self.blank[i] in "([{") - (self.blank[i] in ")]}")
                if self.blank[i] == ";" and depth == 1:
                    ends.append(i)
            first, end = ends[:2]
        children = list(cursor.get_children())
        # A condition that declares something has no place for a mutant: it cannot be negated where it stands.
        declares = any(child.kind == Kind.VAR_DECL and first < child.extent.start.offset < end for child in children)
        for child in children:
            start = child.extent.start.offset
            if start > closed:
                self.statement(child)
            elif declares and first < start < end:
                if child.kind == Kind.VAR_DECL:
                    self.variable(child)
            elif child.kind.is_expression() and first < start < end:
                self.condition(child)
                if self.span(child):
                    self.add(*self.span(child), "never", "the loop is never entered")
            else:
                self.part(child)

    def range_loop(self, cursor):
        *head, body = cursor.get_children()
        for child in head:
            if child.kind.is_expression():
                self.expression(child)
        span = self.span(body)
        if span:
            end = span[1] if body.kind == Kind.COMPOUND_STMT else self.end_of_statement(body)
            if end:
                self.add(span[0], end, "delete", "the loop's body is skipped")
        self.statement(body)

    def end_of_statement(self, cursor):
        """Behind the ; of a statement that is the body of a loop."""
        span = self.span(cursor)
        if self.blank[span[1] - 1] in ";}":
            return span[1]
        end = self.blank.find(";", span[1])
        return end + 1 if end != -1 and not self.blank[span[1]:end].strip() else None

    # --- expressions ---

    NO_RUN_TIME = {"CXX_UNARY_EXPR", "SIZE_OF_PACK_EXPR", "REQUIRES_EXPR", "DECL_REF_EXPR", "OVERLOADED_DECL_REF", "TYPE_REF",
                   "TEMPLATE_REF", "CONCEPT_SPECIALIZATION_EXPR"}

    def expression(self, cursor):
        kind = cursor.kind.name
        if kind in self.NO_RUN_TIME or kind == "CALL_EXPR" and cursor.spelling.startswith("__builtin_"):  # these want constants
            return
        if kind == "LAMBDA_EXPR":
            before, self.returns_bool = self.returns_bool, False
            for child in cursor.get_children():
                if child.kind == Kind.COMPOUND_STMT:
                    self.statement(child)
            self.returns_bool = before
            return
        children = list(cursor.get_children())
        span = self.span(cursor)
        if span and kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR"):
            self.operator(children, span)
        elif span and kind == "INTEGER_LITERAL":
            self.literal(span)
        elif kind == "CONDITIONAL_OPERATOR" and children:
            self.negate(children[0])
        for child in self.operands(cursor, kind, children, span):
            self.part(child)

    def operands(self, cursor, kind, children, span):
        """The children that are evaluated: no template arguments."""
        if kind == "MEMBER_REF_EXPR":
            return [child for child in children if span and child.extent.start.offset == span[0]][:1]
        if kind.endswith("_CAST_EXPR") or kind in ("CXX_STATIC_CAST_EXPR", "CXX_FUNCTIONAL_CAST_EXPR"):
            return children[-1:]
        if kind in ("CALL_EXPR", "UNEXPOSED_EXPR") and span and self.blank[span[1] - 1] in ")}":
            opened = self.opening(span)
            return [child for child in children
                    if child.extent.start.offset >= opened or child.extent.start.offset == span[0] or child.extent.end.offset < opened
                    and child.kind == Kind.MEMBER_REF_EXPR]
        return children

    def opening(self, span):
        depth = 0
        for i in range(span[1] - 1, span[0] - 1, -1):
            depth += (self.blank[i] in ")]}") - (self.blank[i] in "([{")
            if depth == 0:
                return i
        return span[0]

    def operator(self, children, span):
        """Binary operators, also those that are functions; which one it is stands between the operands."""
        spans = [self.span(child) for child in children]
        if len(spans) < 2 or not spans[0] or not spans[-1] or spans[0][0] != span[0] or spans[-1][1] != span[1]:
            return
        begin, end = spans[0][1], spans[-1][0]
        between = self.blank[begin:end]
        sign = between.strip()
        at = begin + (len(between) - len(between.lstrip()))
        if sign in ("&&", "||"):
            self.negate(children[0])
            self.negate(children[-1])
        elif sign in SWAPS and not (sign in ("==", "!=") and span in self.negated):
            other = self.text[span[0]:at] + SWAPS[sign] + self.text[at + len(sign):span[1]]
            self.add(*span, "swap", f"{sign} to {SWAPS[sign]} in: {self.short(*span)}", other)

    def literal(self, span):
        match = re.fullmatch(r"([01])([uUlLzZ]*)", self.text[span[0]:span[1]])
        if match:
            other = ("1" if match.group(1) == "0" else "0") + match.group(2)
            self.add(*span, "swap", f"{match.group()} to {other}", other)


@dataclasses.dataclass
class Found:
    points: list
    checks: int  # preconditions, which are macros
    without: dict  # headers that cannot be read here -> what is missing


def find(include, names):
    """The points of the headers `names` (below `include`/slotwise), in order, numbered from 1."""
    root = pathlib.Path(include).resolve() / "slotwise"
    resource = subprocess.run([proof.clang("clang"), "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    flags = ["-DSLOTWISE_CHECK_LEVEL=2", "-resource-dir", resource]
    without = {name: errors[0] for name in names if name in ADAPTERS and (errors := parsed.parse([root / name], include, flags)[1])}
    headers = [str(root / name) for name in names if name not in without]
    unit, errors = parsed.parse(headers, include, flags, cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    if errors:
        proof.die("libclang cannot read the headers:", *errors[:5])
    macros, points = {path: [] for path in headers}, []
    for cursor in unit.cursor.get_children():
        if cursor.kind == Kind.MACRO_INSTANTIATION and cursor.location.file and cursor.location.file.name in macros:
            macros[cursor.location.file.name].append((cursor.extent.start.offset, cursor.extent.end.offset, cursor.spelling))
    seen = {path: Header(path, str(pathlib.Path(path).relative_to(root)), sorted(macros[path])) for path in headers}
    for child in unit.cursor.get_children():
        if child.location.file and child.location.file.name in seen:
            seen[child.location.file.name].declaration(child)
    for path in headers:
        unique = {point.key: point for point in seen[path].points}
        points += sorted(unique.values(), key=lambda point: (point.begin, point.end, Point.ORDER.index(point.kind)))
    for number, point in enumerate(points, 1):
        point.id = number
    return Found(points, sum(name in CHECKS for path in headers for _, _, name in macros[path]), without)


# A header with marks in it: \x01 id \x02 ... \x03 around what stands for a point.
def _marked(text, points, begin, end):
    out, at = [], begin
    while points:
        outer = points.pop(0)
        inner = []
        while points and points[0].begin < outer.end:
            inner.append(points.pop(0))
        out.append(text[at:outer.begin])
        out.append(f"\x01{outer.id}\x02" + outer.wrap(_marked(text, inner, outer.begin, outer.end)) + "\x03")
        at = outer.end
    out.append(text[at:end])
    return "".join(out)


def render(text, points):
    """The header with the mutants in it, and where each of them is: [(begin, end, id)]."""
    points = sorted(points, key=lambda point: (point.begin, -point.end, -Point.ORDER.index(point.kind)))
    marked = _marked(text, list(points), 0, len(text))
    out, spans, opened, length = [], [], [], 0
    for piece in re.split("(\x01\\d+\x02|\x03)", marked):
        if piece.startswith("\x01"):
            opened.append((length, int(piece[1:-1])))
        elif piece == "\x03":
            begin, number = opened.pop()
            spans.append((begin, length, number))
        else:
            out.append(piece)
            length += len(piece)
    return "".join(out), spans
