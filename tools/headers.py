# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the scripts of tools and of tools/verify share: their arguments, and what they read from the text of the headers: code
without comments, brackets, calls. What the headers declare, parsed.py asks of libclang."""
import argparse
import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOM = ROOT / "include" / "slotwise"

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_PAIRS = {"(": ")", "{": "}", "[": "]"}
_BRACKET = re.compile(_TOKEN.pattern + r"|[(){}\[\]]", re.DOTALL)


def arguments(description, *flags):
    """A parser that knows these flags; its --help is the description."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    return parser


def write(path, text, encoding="utf-8"):
    """Leaves a file alone that says so already: whatever was built from it stays up to date."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode(encoding)
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)


def texts(root=ROOT):
    """All headers, in order, as {name below include/slotwise: text}."""
    room = root / "include" / "slotwise"
    return {path.relative_to(room).as_posix(): path.read_text(encoding="utf-8") for path in sorted(room.rglob("*.hpp"))}


def version_of(root):
    text = (root / "include" / "slotwise" / "config" / "version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define SLOTWISE_VERSION_\w+ (\d+)", text))


#=== pieces of text ===#

def code(text):
    """The text with each comment blanked; every character and line stays where it is."""
    return _TOKEN.sub(lambda token: token[0] if token[0][0] in "\"'" else _blank(token), text)


def masked(text):
    """The text with each comment, string and character blanked: brackets and names in it are code."""
    return _TOKEN.sub(_blank, text)


def _blank(token):
    return re.sub(r"[^\n]", " ", token[0])


def closing(text, start):
    """The position after the bracket that closes the one at `start`; strings are no brackets."""
    expected = []
    for sign in _BRACKET.finditer(text, start):
        if sign[0] in _PAIRS:
            expected.append(_PAIRS[sign[0]])
        elif expected and sign[0] == expected[-1]:
            expected.pop()
            if not expected:
                return sign.end()
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
