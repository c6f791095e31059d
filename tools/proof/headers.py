# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the commands of tools/proof read from the text of the headers: code without comments, balanced brackets, words of messages."""
import ast
import re

import proof

ROOM = proof.INCLUDE / "slotwise"
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


def paths():
    """All headers, in order, as (name below include/slotwise, path)."""
    return [(path.relative_to(ROOM).as_posix(), path) for path in sorted(ROOM.rglob("*.hpp"))]


def code(text):
    """The text with each comment blanked; every character and line stays where it is."""
    blank = re.compile(r"[^\n]")
    return _TOKEN.sub(lambda token: token[0] if token[0][0] in "\"'" else blank.sub(" ", token[0]), text)


def closing(text, start):
    """The position after the bracket that closes the one at `start`; strings are no brackets."""
    pairs, depth, at = {"(": ")", "{": "}", "[": "]"}, [], start
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token and text[at] in "\"'":
            at = token.end()
            continue
        if text[at] in pairs:
            depth.append(pairs[text[at]])
        elif depth and text[at] == depth[-1]:
            depth.pop()
            if not depth:
                return at + 1
        at += 1
    raise ValueError("a bracket is not closed")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def words(text):
    """What the string literals in `text` say together."""
    return "".join(ast.literal_eval(literal) for literal in _STRING.findall(text))


def squeeze(text):
    """One space between tokens, so that a line break or an indentation makes no other text."""
    return re.sub(r"\s+", " ", text).strip()


def calls(text, name):
    """All `name(...)` in code: (its begin, its end, what is between the brackets)."""
    for found in re.finditer(rf"\b{name}\s*(?=\()", text):
        end = closing(text, found.end())
        yield found.start(), end, text[found.end() + 1:end - 1]


def public_types(text):
    """Names of the classes, structures and type aliases that a header declares in namespace slotwise itself, not in one below it."""
    found, depth, internal, at = set(), 0, None, 0
    named = re.compile(r"(?:class|struct) (\w+)(?= final\b|[ \n]*[:{;])|using (\w+) =")
    text = re.sub(r"^#.*(?:\\\n.*)*", "", text, flags=re.MULTILINE)
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token and text[at] in "\"'":
            at = token.end()
            continue
        space = re.match(r"namespace (\w+) ?\{", text[at:])
        if space and depth == 0 and internal is None:
            internal, at = 1, at + space.end()
            continue
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            if depth == 0:
                internal = None
            depth = max(0, depth - 1)
        elif depth == 0 and internal is None and (at == 0 or text[at - 1] in " \n"):
            name = named.match(text, at)
            if name and name[1] != "std" and not text.endswith("enum ", 0, at):
                found.add(name[1] or name[2])
        at += 1
    return found
