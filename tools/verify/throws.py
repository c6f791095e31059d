# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every public function that changes something is made to throw at every step, or is noexcept.

    tools/verify/throws.py [--programs DIR] [--list]

The functions are read from the headers by libclang (Debian: python3-clang-16): public member functions that are not const and not
static, constructors and assignments, of every class outside namespace detail, and free functions that are not noexcept. What a class
inherits from a class that fwd.hpp does not name (SlotMapCore, those of detail) counts as its own. An overload beside a const one with
the same parameters (at, begin) gives access and changes nothing.

The test programs say which functions they swept, and how many steps threw (tests/support/sweep.hpp). It fails when a function has no
sweep and an overload of it is not noexcept, when in some sweep nothing threw, when a sweep names a function that there is not, and when
a test case fails. Sweeps of a derived class count for what it inherits publicly. throws.txt lists exceptions, each with its reason;
one that is not needed is an error too.
"""
import collections
import pathlib
import re
import sys

import proof
import sweeps
import parsed

PAIRS = 2000  # what the issue asks for
SPECIAL = ("()", "(copy)", "(move)", "operator=(copy)", "operator=(move)")
NOEXCEPT = ("BASIC_NOEXCEPT", "DYNAMIC_NONE", "NOTHROW")


def without_arguments(name):
    """Box::part of Box<int>::part."""
    while "<" in name and not name.startswith("operator"):
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    return name


class Function:
    """All overloads of one name in one class; copies, moves and others of constructors and assignments apart."""

    def __init__(self, name):
        self.name, self.changes, self.throws, self.where = name, False, False, ""

    @property
    def required(self):
        return self.changes and self.throws


class Headers:
    """The public functions of all headers below a folder: functions[name], and below[base] = names of classes that derive from it."""

    def __init__(self, include, namespace="slotwise", optional=()):
        self.kinds = parsed.cindex.CursorKind
        self.include = pathlib.Path(include).resolve()
        self.namespace = namespace
        self.functions, self.aliases = {}, {}
        self.named, self.classes, self.bases_of_something = set(), [], set()
        headers = [path for path in sorted(self.include.rglob("*.hpp"))
                   if path.name not in optional or not parsed.parse([path], self.include)[1]]
        unit, errors = parsed.parse(headers, self.include)
        if errors:
            raise sweeps.Failed("libclang cannot read the headers:", *errors[:5])
        for each in parsed.walk(unit.cursor, self.include):
            if each.kind in parsed.CLASSES - {"UNION_DECL"} and each.spaces[:1] == (namespace,):
                if each.header.endswith("fwd.hpp"):
                    self.named.add(each.name)
                if each.cursor.is_definition():
                    self.classes.append(each.cursor)
            elif each.kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE") and each.public and each.name:
                self._free(each.cursor)
        for cls in self.classes:
            for base, _ in self._bases(cls):
                self.bases_of_something.add(base.get_usr())
        for cls in self.classes:
            if self._public(cls):
                self._list(cls)

    # --- what is where ---

    def _path(self, cursor):
        path, outer = [cursor.spelling], cursor.semantic_parent
        while outer is not None and outer.kind != self.kinds.TRANSLATION_UNIT:
            path.append(outer.spelling)
            outer = outer.semantic_parent
        return path[::-1]

    def _public(self, cls):
        """Whether a user names it: not in detail, no private member, no part that only its derived classes use."""
        k = self.kinds
        if "detail" in self._path(cls):
            return False
        outer = cls
        while outer is not None and outer.kind not in (k.NAMESPACE, k.TRANSLATION_UNIT):
            parent = outer.semantic_parent
            if parent is not None and parent.kind not in (k.NAMESPACE, k.TRANSLATION_UNIT):
                if outer.canonical.access_specifier.name in ("PRIVATE", "PROTECTED"):
                    return False
            outer = parent
        return cls.spelling in self.named or cls.get_usr() not in self.bases_of_something

    def _name(self, cls):
        path = self._path(cls)
        classes = [part for part in path if part not in ("", self.namespace)]
        return "::".join(classes[1:] if len(classes) > 1 and classes[0].startswith("v") and classes[0][1:2].isdigit() else classes)

    def _bases(self, cls):
        """(class, access) of the bases that these headers define."""
        for each in cls.get_children():
            if each.kind != self.kinds.CXX_BASE_SPECIFIER:
                continue
            found = self._named_class(each, 0)
            if found is not None:
                yield found, each.access_specifier.name

    def _named_class(self, cursor, depth):
        k = self.kinds
        for part in cursor.get_children():
            if part.kind not in (k.TEMPLATE_REF, k.TYPE_REF):
                continue
            target = part.referenced
            if target is None:
                continue
            if target.kind in (k.TYPE_ALIAS_DECL, k.TYPEDEF_DECL) and depth < 4:
                target = self._named_class(target, depth + 1)
            if target is None or target.kind not in (k.CLASS_DECL, k.STRUCT_DECL, k.CLASS_TEMPLATE):
                continue
            definition = target.get_definition() or target
            if definition.location.file is not None and self.include in pathlib.Path(definition.location.file.name).resolve().parents:
                return definition
        return None

    # --- functions ---

    def _members(self, cls):
        """(name, cursor) of functions that a class declares, with their access."""
        k = self.kinds
        for each in cls.get_children():
            kind = each.kind
            if kind in (k.CXX_METHOD, k.CONSTRUCTOR, k.FUNCTION_TEMPLATE, k.CONVERSION_FUNCTION):
                yield self._member_name(cls, each), each
            elif kind == k.FRIEND_DECL:
                for function in each.get_children():
                    if function.kind in (k.FUNCTION_DECL, k.FUNCTION_TEMPLATE) and function.spelling == "swap":
                        yield "swap", function

    def _member_name(self, cls, function):
        name = function.spelling.split("<")[0] if function.spelling.split("<")[0] == cls.spelling else function.spelling
        own = cls.spelling
        if name != own and name != "operator=":
            return name
        types = [each.type.spelling for each in function.get_children() if each.kind == self.kinds.PARM_DECL]
        kind = "..."
        if not types:
            kind = ""
        else:
            first = types[0].split("<")[0].split("::")[-1].replace("const ", "").strip(" &")
            if first == own:
                kind = "move" if types[0].endswith("&&") else "copy"
                if len(types) > 1:
                    kind += ", allocator"
        return f"{'operator=' if name == 'operator=' else ''}({kind})"

    def _shown(self, cls, everything=False, depth=0):
        """(name, cursor, class whose it is) of the functions that the class shows its users."""
        result = []
        own = collections.defaultdict(list)
        for name, function in self._members(cls):
            access = function.access_specifier.name
            if function.is_deleted_method():
                own[name].append(function)
                continue
            special = name in SPECIAL and depth > 0  # an implicit copy of the derived class calls a protected one
            if name == "swap" or access == "PUBLIC" or ((everything or special) and access == "PROTECTED"):
                own[name].append(function)
                result.append((name, function, cls))
            else:
                own[name].append(function)
        again = set()
        for each in cls.get_children():
            if each.kind == self.kinds.USING_DECLARATION and (everything or each.access_specifier.name == "PUBLIC"):
                again.add(without_arguments(each.spelling).split("::")[-1])
        for base, access in self._bases(cls):
            inherited = self._shown(base, everything or access != "PUBLIC", depth + 1)
            constructors = base.spelling in again
            for name, function, home in inherited:
                special = name in SPECIAL
                constructor = name.startswith("(")
                if constructor and not special and not constructors:
                    continue
                if special and (name in own or (name == "()" and any(each.startswith("(") for each in own))):
                    continue
                if not constructor and name in again:
                    result.append((name, function, cls))
                elif access == "PUBLIC" and name not in own and not everything:
                    result.append((name, function, home if self._public(home) and not special else cls))
                elif access == "PUBLIC" and everything:
                    result.append((name, function, home if self._public(home) and not special else cls))
                elif constructor and constructors:
                    result.append((name, function, cls))
        return result

    def _list(self, cls):
        shown = self._shown(cls)
        read = {(name, self._parameters(function)) for name, function, _ in shown if function.is_const_method()}
        own_name = self._name(cls)
        for name, function, home in shown:
            entry = self._entry(f"{own_name}::{name}", function)
            if home != cls and self._name(home) != own_name:
                self.aliases[entry.name] = f"{self._name(home)}::{name}"
                continue
            changes = not function.is_const_method() and not function.is_static_method() and (name, self._parameters(function)) not in read
            self._note(entry, changes, function)

    def _free(self, function):
        entry = self._entry(function.spelling, function)
        self._note(entry, not function.spelling.startswith("operator"), function)

    def _entry(self, name, function):
        if name not in self.functions:
            self.functions[name] = Function(name)
            self.functions[name].where = f"{pathlib.Path(function.location.file.name).name}:{function.location.line}"
        return self.functions[name]

    def _note(self, entry, changes, function):
        specification = function.exception_specification_kind
        entry.changes = entry.changes or changes
        entry.throws = entry.throws or (changes and (specification is None or specification.name not in NOEXCEPT))

    def _parameters(self, function):
        return tuple(each.type.spelling for each in function.get_children() if each.kind == self.kinds.PARM_DECL)

    def resolve(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        return name

    def required(self):
        return sorted(name for name, entry in self.functions.items() if entry.required and name not in self.aliases)


def judge(headers, lines, excused):
    """(pairs, functions that change something, how many of them are noexcept); raises Failed with all that is wrong."""
    wrong, points, never = [], collections.Counter(), set()
    tests = collections.Counter()
    for kind, name, count, test in (line for line in lines if line[0] in ("throws", "noexcept")):
        real = headers.resolve(name)
        if real not in headers.functions:
            if not name.startswith("detail::"):
                wrong.append(f"{name}: the test `{test}` sweeps it, but no header has it")
            continue
        if kind == "noexcept":
            never.add(real)
        else:
            points[real] += int(count)
            tests[(real, test)] += int(count)
    wrong += [f"{name}: nothing threw in the sweep of the test `{test}`" for (name, test), count in sorted(tests.items()) if count == 0]
    required = headers.required()
    for name in required:
        covered = points[name] > 0 or name in never
        if name in excused and covered:
            wrong.append(f"{name}: is swept, so throws.txt need not excuse it")
        if name not in excused and not covered:
            wrong.append(f"{name} ({headers.functions[name].where}): not noexcept, and no sweep makes it throw")
    wrong += [f"{name}: throws.txt excuses it, but no sweep is asked of it" for name in sorted(excused) if name not in required]
    if wrong:
        raise sweeps.Failed(*wrong)
    changing = [name for name, entry in headers.functions.items() if entry.changes and name not in headers.aliases]
    return sum(points.values()), len(changing), len(changing) - len(required)


def main():
    optional = ("ankerl_index.hpp", "boost_index.hpp", "robin_index.hpp")  # their tables need not be installed, here as in the tests
    arguments = sweeps.parser(__doc__)
    arguments.add_argument("--list", action="store_true", help="print the functions of which a sweep is asked")
    given = arguments.parse_args()
    headers = Headers(proof.INCLUDE, optional=optional)
    if given.list:
        print("\n".join(headers.required()))
        return 0

    def check():
        lines = sweeps.run(given.programs, "[throws]", proof.BUILD / "throws" / "report.txt")
        excused = sweeps.exceptions(pathlib.Path(__file__).with_name("throws.txt"))
        pairs, functions, silent = judge(headers, lines, excused)
        if pairs < PAIRS:
            raise sweeps.Failed(f"only {pairs} pairs of operation and throw point, {PAIRS} are asked for")
        return (f"throws: {pairs} pairs over {functions} functions (of {functions}, {silent} of them noexcept, {len(excused)} excused), "
                "0 failures")

    return sweeps.ended("throws", check)


if __name__ == "__main__":
    sys.exit(main())
