# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The headers as clang reads them, by libclang (Debian: python3-clang-16; PyPI: libclang): what they declare, and where."""
import functools
import pathlib
import sys
import typing

from check_headers import ADAPTERS
from headers import ROOM


@functools.cache
def _loaded():
    sys.path.append("/usr/lib/python3/dist-packages")  # of the system's Python, if this is another: searched last
    try:
        import clang.cindex as found
    except ImportError:
        sys.exit("libclang for Python is not here: apt-get install python3-clang-16, or pip install libclang")
    libraries = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libclang.so.1"), reverse=True)
    if libraries and not found.Config.loaded and found.Config.library_file is None:
        found.Config.set_library_file(str(libraries[0]))
    # Kinds of C++20 that libclang has and its Python module of the same version does not name.
    for number, name in ((153, "CONCEPT_SPECIALIZATION_EXPR"), (154, "REQUIRES_EXPR"), (155, "CXX_PAREN_LIST_INIT_EXPR"),
                         (604, "CONCEPT_DECL")):
        try:
            found.CursorKind.from_id(number)
        except ValueError:
            setattr(found.CursorKind, name, found.CursorKind(number))
    return found


class Late:
    """libclang's module, or a class of it: looked for when it is first used, so that --help needs none."""

    def __init__(self, *part):
        self._part = part

    def __getattr__(self, name):
        return getattr(functools.reduce(getattr, self._part, _loaded()), name)


cindex = Late()
CLASSES = {"CLASS_DECL", "STRUCT_DECL", "UNION_DECL", "CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"}
ALIASES = {"TYPE_ALIAS_DECL", "TYPE_ALIAS_TEMPLATE_DECL", "TYPEDEF_DECL"}
FUNCTIONS = {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION"}
NAMED = {*CLASSES, *ALIASES, *FUNCTIONS, "ENUM_DECL", "CONCEPT_DECL", "VAR_DECL", "FIELD_DECL", "FRIEND_DECL", "UNEXPOSED_DECL"}


def parse(paths, include, flags=(), options=0):
    """(the translation unit of a source that includes these headers, its errors)"""
    # Headers of libraries that need not be installed, for the adapters: empty, where they are missing.
    stubs = [(f"{include}/../not-installed/{name}", "#pragma once\n") for name in ADAPTERS.values()]
    text = "".join(f'#include "{path}"\n' for path in paths)
    arguments = ["-std=c++20", f"-I{include}", *flags, "-idirafter", f"{include}/../not-installed", "-ferror-limit=0"]
    unit = cindex.Index.create().parse("all_headers.cpp", arguments, unsaved_files=[("all_headers.cpp", text), *stubs], options=options)
    return unit, [str(each) for each in unit.diagnostics if each.severity >= cindex.Diagnostic.Error]


class Declaration(typing.NamedTuple):
    header: str  # below include/slotwise
    line: int  # where it begins
    spaces: tuple  # the namespaces it stands in, without the inline one
    classes: tuple  # the classes it stands in
    name: str  # "" of a member that is defined outside of its class, and of what has none
    kind: str
    parameters: object  # names of the parameters of a function; None of everything else
    cursor: object  # libclang's

    @property
    def public(self):
        """Whether it stands in namespace slotwise, or in one below that is not detail."""
        return not self.classes and self.spaces[:1] == ("slotwise",) and "detail" not in self.spaces


def _name(cursor):
    parent = cursor.semantic_parent
    if not cursor.spelling or cursor.spelling.startswith(("<deduction guide", "(")) or parent != cursor.lexical_parent:
        return ""
    return cursor.spelling if cursor.spelling.startswith("operator") else cursor.spelling.split("<")[0]


def qualified(cursor):
    """Class::name, wherever it is defined; without namespaces and template arguments."""
    names = []
    while cursor.kind.name not in ("TRANSLATION_UNIT", "NAMESPACE"):
        names, cursor = [cursor.spelling.split("<")[0] if "operator" not in cursor.spelling else cursor.spelling, *names], cursor.semantic_parent
    return "::".join(names)


def walk(cursor, room, spaces=(), classes=()):
    """Each Declaration below a cursor that stands in a header of the folder."""
    for each in cursor.get_children():
        file, kind = each.location.file, each.kind.name
        path = pathlib.Path(file.name).resolve() if file else None
        if path is None or room not in path.parents or kind not in NAMED | {"NAMESPACE"}:
            continue
        if kind == "NAMESPACE":
            inline = each.spelling.startswith("v") and each.spelling[1:2].isdigit()
            yield from walk(each, room, spaces if inline else (*spaces, each.spelling), classes)
            continue
        target = next((child for child in each.get_children() if child.kind.name in FUNCTIONS), each) if kind == "FRIEND_DECL" else each
        parameters = [child.spelling for child in target.get_children() if child.kind.name == "PARM_DECL"]
        name = target.spelling if target is not each else _name(each)
        yield Declaration(path.relative_to(room).as_posix(), each.extent.start.line, spaces, classes, name, kind,
                          parameters if target.kind.name in FUNCTIONS else None, target)
        if kind in CLASSES:
            yield from walk(each, room, spaces, (*classes, _name(each)))


def declarations(room=ROOM, paths=None, bodies=False, flags=()):
    """Each declaration of all headers in a folder, or of those that `paths` (and what they include) reach; cursors have no bodies
    unless asked for."""
    options = 0 if bodies else cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
    unit, _ = parse(paths or sorted(room.rglob("*.hpp")), room.parent, flags, options)
    return list(walk(unit.cursor, room.resolve()))
