# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The public functions that change something and may throw, read from the headers by libclang (Debian: python3-clang-16), for sweeps.py throws.

They are public member functions that are not const and not static, constructors and assignments, of every class outside namespace detail,
and free functions. What a class inherits from a class that fwd.hpp does not name (SlotMapInterface, those of detail) counts as its own. An overload
beside a const one with the same parameters (at, begin) gives access and changes nothing.
"""
import collections
import os
import pathlib
import re

import parsed
from check_headers import ADAPTERS

SPECIAL = ("()", "(copy)", "(move)", "operator=(copy)", "operator=(move)")
# Functions of which no sweep is asked although they are not noexcept.
EXCUSED = re.compile(
    r"iterator::operator(\+\+|--)|to_dot|to_string|for_each|walk|zip_\w+"  # change nothing; tests/graph makes the allocations of to_dot fail
    r"|(Slot|Row)Observer::on_\w+"  # do nothing; what observers make of them throws in the sweeps of containers that notify
    r"|SoaRow::\(copy\)|BasicObserverToken::\(\.\.\.\)"  # copies references; attach and subscribe are swept
    r"|DynamicColumn::.*\(copy\)|DroppingCodec::.*|dropping"  # what is below them is: the column's own copy, another Codec
    r"|(ArchetypeGraph|ComponentIndex)::\(\.\.\.\)"  # copy rules and a hash, whose copies must not throw
    r"|ReservedArray::reserve"  # the system's refusal to commit memory cannot be asked for; tests of the class have the limits
    r"|IdentityMap::swap")  # noexcept unless swapping the functors is not, which a test of its own makes throw
NOEXCEPT = ("BASIC_NOEXCEPT", "DYNAMIC_NONE", "NOTHROW")
MEMBERS = ("CXX_METHOD", "CONSTRUCTOR", "FUNCTION_TEMPLATE", "CONVERSION_FUNCTION")


def parameters(function):
    return tuple(each.type.spelling for each in function.get_children() if each.kind.name == "PARM_DECL")


def member_name(cls, function):
    """Its name, "(copy)" of constructors, "operator=(copy)" of assignments."""
    name = function.spelling.split("<")[0] if function.spelling.split("<")[0] == cls.spelling else function.spelling
    if name not in (cls.spelling, "operator="):
        return name
    types, kind = parameters(function), "..."
    if not types:
        kind = ""
    elif types[0].split("<")[0].split("::")[-1].replace("const ", "").strip(" &") == cls.spelling:
        kind = ("move" if types[0].endswith("&&") else "copy") + (", allocator" if len(types) > 1 else "")
    return f"{'operator=' if name == 'operator=' else ''}({kind})"


def members(cls):
    """(name, cursor) of the functions that a class declares."""
    for each in cls.get_children():
        if each.kind.name in MEMBERS:
            yield member_name(cls, each), each
        elif each.kind.name == "FRIEND_DECL":
            yield from (("swap", friend) for friend in each.get_children() if friend.kind.name in parsed.FUNCTIONS and friend.spelling == "swap"
                        and friend.availability.name != "NOT_AVAILABLE")


class Headers:
    """The public functions of all headers below a folder: functions[name] = (whether an overload changes something, whether it may throw, where),
    copies, moves and other constructors and assignments apart; aliases[name of a derived class's] = name of the base's."""

    def __init__(self, include):
        self.include = pathlib.Path(include).resolve()
        self.functions, self.aliases = {}, {}
        headers = [path for path in sorted(self.include.rglob("*.hpp"))
                   if path.name not in map(os.path.basename, ADAPTERS) or not parsed.parse([path], self.include)[1]]
        unit, errors = parsed.parse(headers, self.include)
        if errors:
            raise SystemExit("\n".join(["libclang cannot read the headers:", *errors[:5]]))
        declared = list(parsed.walk(unit.cursor, self.include))
        classes = [each for each in declared if each.kind in parsed.CLASSES and each.spaces[:1] == ("slotwise",)]
        named = {each.name for each in classes if each.header.endswith("fwd.hpp")}
        self.types = {each.classes[-1]: each.cursor for each in declared if each.name == "type" and any(each.classes) and each.kind in parsed.ALIASES}
        self.classes = {each.cursor.get_usr(): each for each in classes if each.cursor.is_definition()}
        parts = {base.get_usr() for each in self.classes.values() for base, _ in self.bases(each.cursor)}  # only derived classes use them
        self.public = {usr for usr, each in self.classes.items() if "detail" not in each.spaces and not self.hidden(each.cursor)
                       and (each.cursor.spelling in named or usr not in parts)}
        for each in declared:
            if each.kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE") and each.public and each.name:
                self.note(each.cursor.spelling, each.cursor, not each.cursor.spelling.startswith("operator"))
        for usr in self.classes:
            if usr in self.public:
                self.list(self.classes[usr].cursor)

    def hidden(self, cls):
        """Whether it is a private member, or a part of one."""
        while cls is not None and cls.kind.name in parsed.CLASSES:
            if cls.canonical.access_specifier.name in ("PRIVATE", "PROTECTED"):
                return True
            cls = cls.semantic_parent
        return False

    def bases(self, cls):
        """(class, access) of the bases that these headers define."""
        for each in cls.get_children():
            found = self.named_class(each) if each.kind.name == "CXX_BASE_SPECIFIER" else None
            if found is not None:
                yield found, each.access_specifier.name

    def named_class(self, cursor, depth=0):
        for part in cursor.get_children():
            target = part.referenced if part.kind.name in ("TEMPLATE_REF", "TYPE_REF") else part if part.kind.name in parsed.ALIASES else None
            if target is not None and target.kind.name in parsed.ALIASES and depth < 8:
                target = self.named_class(target, depth + 1)
            if target is not None and target.spelling in self.types and depth < 8:  # `typename HandleTag<...>::type`
                target = self.named_class(self.types[target.spelling], depth + 1)
            if target is not None and target.kind.name in parsed.CLASSES:
                definition = target.get_definition() or target
                if definition.get_usr() in self.classes:
                    return definition
        return None

    def shown(self, cls, everything=False, depth=0):
        """(name, cursor, class whose it is) of the functions that the class shows its users."""
        result, own = [], set()
        for name, function in members(cls):
            own.add(name)
            protected = everything or (name in SPECIAL and depth > 0)  # an implicit copy of the derived class calls a protected one
            access = function.access_specifier.name
            if not function.is_deleted_method() and (name == "swap" or access == "PUBLIC" or (protected and access == "PROTECTED")):
                result.append((name, function, cls))
        again = {each.spelling if each.spelling.startswith("typename ") else re.sub(r"<.*>", "", each.spelling).split("::")[-1] for each in cls.get_children()
                 if each.kind.name == "USING_DECLARATION" and (everything or each.access_specifier.name == "PUBLIC")}
        again |= {base.spelling for name in again if (of := re.match(r"typename (\w+)", name)) and of[1] in self.types
                  for base in [self.named_class(self.types[of[1]])] if base is not None}  # `using Core::Core`
        for base, access in self.bases(cls):
            for name, function, home in self.shown(base, everything or access != "PUBLIC", depth + 1):
                special, constructor = name in SPECIAL, name.startswith("(")
                if constructor and not special and base.spelling not in again:
                    continue
                if special and (name in own or (name == "()" and any(each.startswith("(") for each in own))):
                    continue
                if not constructor and name in again:
                    result.append((name, function, cls))
                elif access == "PUBLIC" and (everything or name not in own):
                    result.append((name, function, home if home.get_usr() in self.public and not special else cls))
                elif constructor and base.spelling in again:
                    result.append((name, function, cls))
        return result

    def list(self, cls):
        shown = self.shown(cls)
        read = {(name, parameters(function)) for name, function, _ in shown if function.is_const_method()}
        for name, function, home in shown:
            full = f"{parsed.qualified(cls)}::{name}"
            if home != cls and parsed.qualified(home) != parsed.qualified(cls):
                self.aliases[full] = f"{parsed.qualified(home)}::{name}"
            changes = not function.is_const_method() and not function.is_static_method() and (name, parameters(function)) not in read
            self.note(full, function, changes and full not in self.aliases)

    def note(self, name, function, changes):
        where = f"{pathlib.Path(function.location.file.name).name}:{function.location.line}"
        specification, (changed, threw, first) = function.exception_specification_kind, self.functions.get(name, (False, False, where))
        self.functions[name] = (changed or changes, threw or changes and (specification is None or specification.name not in NOEXCEPT), first)

    def resolve(self, name):
        while name in self.aliases:
            name = self.aliases[name]
        return name

    def required(self):
        return sorted(name for name, (_, throws, _) in self.functions.items() if throws and name not in self.aliases)


def judge(headers, lines):
    """(the summary, what is wrong) of the lines that sweeps reported."""
    wrong, points, tests = [], collections.Counter(), collections.Counter()
    for _, name, count, test in (line for line in lines if line[0] in ("throws", "noexcept")):
        real = headers.resolve(name)
        if real in headers.functions:
            points[real] += int(count)
        elif not name.startswith("detail::"):
            wrong.append(f"{name}: the test `{test}` sweeps it, but no header has it")
    for _, name, count, test in (line for line in lines if line[0] == "throws"):
        tests[name, test] += int(count)
    wrong += [f"{name}: nothing threw in the sweep of the test `{test}`" for (name, test), count in sorted(tests.items()) if count == 0]
    required = headers.required()
    excused = {name for name in required if name not in points and EXCUSED.fullmatch(re.sub(r"^.*(?=iterator::)", "", name))}
    wrong += [f"{name} ({headers.functions[name][2]}): not noexcept, and no sweep makes it throw"
              for name in required if name not in points and name not in excused]
    changing = [name for name, (changes, *_) in headers.functions.items() if changes and name not in headers.aliases]
    return (f"throws: {sum(points.values())} pairs over {len(changing)} functions ({len(changing) - len(required)} of them noexcept, "
            f"{len(excused)} excused), {len(wrong)} failures"), wrong
