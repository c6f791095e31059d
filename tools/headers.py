# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the scripts of tools and of tools/verify read from the text of the headers: code without comments, brackets, declarations, names."""
import ast
import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOM = ROOT / "include" / "slotwise"
SUFFIXES = {".hpp", ".h", ".ipp", ".inl"}

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z_])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_PAIRS = {"(": ")", "{": "}", "[": "]"}
_BRACKET = re.compile(_TOKEN.pattern + r"|[(){}\[\]]", re.DOTALL)
_STOP = re.compile(_TOKEN.pattern + r"|[;({\[]", re.DOTALL)
_BETWEEN = re.compile(r"(?:\s|;|#(?:.*\\\n)*.*|(?:public|protected|private)\s*:(?!:))*")  # declarations; directives too
_VALUE = re.compile(r"\s*[^\s\w~:\[#}]")  # behind braces that end no declaration: those of an initialiser, of a requires-expression
_REQUIREMENT = re.compile(r"(?:[=(!,|]|&&|\brequires)\s*requires\s*(?:\([^()]*\)\s*)?$")  # an expression, no clause
_SPACE = re.compile(r"(?:inline )?namespace ([\w:]+)\s*\{|SLOTWISE_BEGIN\b")
_NAMED = re.compile(r"(class|struct|union|enum class|enum|concept|using)\s+(\w+)\b(\s*(?:<[^{;]*>)?\s*::\s*\w+)?")
_OPERATOR = re.compile(r'(::\s*)?\boperator\s*(""\s*\w+|\(\s*\)|\[\s*\]|[^\s\w("]+|\w[^(]*?)\s*\(')
_NO_NAME = re.compile(r"(?:static_assert\b|extern template\b|template\b(?!\s*<))")  # a check, an explicit instantiation


class Unreadable(Exception):
    """A declaration of which nobody knows what it declares."""


def paths(root=ROOT):
    """All headers, in order, as (name below include/slotwise, path)."""
    room = root / "include" / "slotwise"
    return [(path.relative_to(room).as_posix(), path) for path in sorted(room.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]


def texts(root=ROOT):
    """All headers, in order, as {name below include/slotwise: text}."""
    return {name: path.read_text(encoding="utf-8") for name, path in paths(root)}


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


def parts(text, at):
    """(begin, end) of what commas separate in the brackets (...) or <...> that open at `at`."""
    last = ">" if text[at] == "<" else ")"
    begin = at = at + 1
    while text[at] != last:
        if text[at] == ",":
            yield begin, at
            begin = at + 1
        at = behind_angles(text, at) if text[at] == "<" else closing(text, at) if text[at] in _PAIRS else at + 1
    yield begin, at


def behind_angles(text, at):
    """The position behind the `>` that closes the `<` at `at`."""
    return [end for _, end in parts(text, at)][-1] + 1


def behind_requirement(text, at):
    """The position behind the requires-clause whose expression begins at `at`: operands joined by && and ||."""
    while True:
        operand = re.compile(r"\s*(requires\b)?").match(text, at)
        at = closing(text, text.index("{", operand.end())) if operand[1] else operand.end()
        while part := re.compile(r"[\w:]+|[(<]").match(text, at):
            at = behind_angles(text, at) if part[0] == "<" else closing(text, at) if part[0] == "(" else part.end()
        more = re.compile(r"\s*(?:&&|\|\|)").match(text, at)
        if not more:
            return at
        at = more.end()


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


#=== declarations ===#

class Declaration(typing.NamedTuple):
    space: str  # the namespace it stands in
    behind: int  # where what stands before it ends: comments on it are from here to `begin`
    begin: int
    end: int  # with its semicolon
    text: str

    @property
    def detail(self):
        return "detail" in self.space.split("::")


def _end_of(text, begin, end):
    """The position behind the declaration that begins at `begin`."""
    at = begin
    while stop := _STOP.search(text, at, end):
        at = stop.end()
        if stop[0] == ";":
            return at
        if stop[0] in _PAIRS:
            at = closing(text, stop.start())
            if stop[0] == "{" and not _VALUE.match(text, at, end) and not _REQUIREMENT.search(text, begin, stop.start()):
                return at
    return end


def declarations(text, at=0, end=None, space=""):
    """Each declaration of a header, or of the inside of a namespace or class; given without comments. Namespaces are walked through."""
    end = len(text) if end is None else end
    while True:
        begin = _BETWEEN.match(text, at, end).end()
        if begin >= end:
            return
        inner = _SPACE.match(text, begin, end)
        if inner:
            stop = closing(text, inner.end() - 1) - 1 if inner[1] else text.index("SLOTWISE_END", begin)
            yield from declarations(text, inner.end(), stop, "::".join(filter(None, (space, inner[1] or "slotwise"))))
            at = stop + (1 if inner[1] else len("SLOTWISE_END"))
        else:
            stop = _end_of(text, begin, end)
            yield Declaration(space, at, begin, stop, text[begin:stop])
            at = stop


def without_template(declaration):
    """A declaration without `template <...>` and `requires ...` in front of it."""
    while head := re.match(r"template\s*(?=<)|requires\b", declaration):
        behind = behind_requirement if head[0] == "requires" else behind_angles
        declaration = declaration[behind(declaration, head.end()):].lstrip()
    return declaration


def named(declaration):
    """(kind, name, what is behind the name) of what a declaration declares where it stands. Its kind is class, struct, union, enum class,
    enum, concept, using, or "" of a function or variable; its name None where it is of a member, or where there is none."""
    if _NO_NAME.match(declaration):
        return "", None, ""
    try:
        declaration = without_template(declaration)
        head = re.sub(r"\[\[.*?\]\]", lambda attribute: " " * len(attribute[0]), declaration)
        for begin, end, _ in calls(head, "(?:alignas|decltype|explicit|noexcept|__attribute__)"):
            head = head[:begin] + " " * (end - begin) + head[end:]
    except (IndexError, ValueError):  # brackets that do not match
        raise Unreadable(declaration) from None
    found = _NAMED.match(head)
    if found:
        return found[1], None if found[3] else found[2], declaration[found.end():]
    operator = _OPERATOR.search(head.split("{")[0])
    if operator:
        return "", None if operator[1] else "operator" + operator[2], declaration[operator.end() - 1:]
    head = re.split(r"[({=;\[]", head, maxsplit=1)[0]
    rest = declaration[len(head):]
    pointer = re.match(r"\([*&]+(\w+)\)", rest)  # to a function
    if pointer:
        return "", pointer[1], ""
    found = re.search(r"(::\s*)?(~?\b\w+)$", re.sub(r"\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>$", "", head.rstrip()))  # of a specialisation: <...>
    if not found or re.match(r"(?:using|namespace|return|if|for)\b", head):
        raise Unreadable(declaration)
    return "", None if found[1] else found[2], rest


def public(text):
    """(kind, name) of all that a header declares in namespace slotwise itself, not in one below it."""
    return [named(each.text)[:2] for each in declarations(text) if each.space == "slotwise"]


def public_types(text):
    """Names of the classes, structures and type aliases among them."""
    return {name for kind, name in public(text) if name and kind in ("class", "struct", "using")}
