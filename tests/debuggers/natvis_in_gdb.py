# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Evaluates slotwise.natvis in GDB, on the variables of the selected frame, and compares what it shows with the pretty printers.

Visual Studio is not at hand where this runs; its expressions are C++ and GDB evaluates them. Sourced into GDB after slotwise_gdb.py; says
a line for each fault and, at the end, how much was evaluated. Stands in for Visual Studio in two ways: a name without an object is a
member of the object shown, and `._Myfirst._Val`, the first element of a std::tuple there, is that of the std::tuple here.
"""
import os
import re
import xml.etree.ElementTree

import gdb
import gdb.types
import slotwise_shapes as shapes
from slotwise_gdb import GdbNode, plain

SPACE = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
NAME = re.compile(r"(?<![\w.>:$])([A-Za-z_]\w*)(?!\w)")
WORDS = {"unsigned", "int", "char", "short", "long", "void", "const", "sizeof", "true", "false"}
EXPRESSIONS = {SPACE + tag for tag in ("DisplayString", "Item", "ExpandedItem", "Exec")}
ITEMS_MOST = 1000


class Fault(Exception):
    pass


class Natvis:
    def __init__(self, path):
        self.types, self.used, self.all = {}, set(), set()
        for entry in xml.etree.ElementTree.parse(path).getroot():
            for named in (entry, *entry.findall(f"{SPACE}AlternativeType")):
                self.types[named.get("Name").split("<")[0]] = entry
        for entry in set(self.types.values()):
            self.all.update(each.text for each in entry.iter() if each.tag in EXPRESSIONS)

    def entry_of(self, kind):
        return self.types.get((kind.name or "").split("<")[0]) if shapes.class_of(kind.name)[0] else None

    def unused(self):
        return (f"nothing has evaluated {text}" for text in sorted(self.all - self.used))


class Shown:
    """An object under its entry."""

    def __init__(self, natvis, value):
        self.natvis, self.value = natvis, value
        self.kind, self.variables = plain(value.type), {}
        self.entry = natvis.entry_of(self.kind)

    def is_member(self, name):
        return gdb.types.has_field(self.kind, name)

    def evaluate(self, text):
        """The value of an expression."""
        gdb.set_convenience_variable("natvis_this", self.value)

        def qualified(found):
            name = found[1]
            if name in self.variables:
                gdb.set_convenience_variable("natvis_" + name, self.variables[name])
                return "$natvis_" + name
            return f"$natvis_this.{name}" if self.is_member(name) else name
        names = set(NAME.findall(re.sub(r"0x[0-9A-F]+u|\d+ull", "", text))) - WORDS - set(self.variables)
        if any(not self.is_member(name) for name in names):
            raise Fault(f"{sorted(names)} are not all members")
        text = NAME.sub(qualified, text)
        for number, wildcard in enumerate(shapes.class_of(self.kind.name)[1], 1):  # now: words in them are no members
            # GDB parses no name of a class within a class template; Visual Studio does. What an address points to is not shown here.
            text = text.replace(f"$T{number}", "void *" if re.search(r">::\w+ \*$", wildcard) else wildcard)
        for number in range(9):
            first = re.search(r"([$\w.]+)\._Myfirst\._Val", text)
            if not first:
                break
            head = next(shapes.tuple_elements(GdbNode(gdb.parse_and_eval(first[1]))))
            gdb.set_convenience_variable(f"natvis_tuple{number}", head.value)
            text = text[:first.start()] + f"$natvis_tuple{number}" + text[first.end():]
        value = gdb.parse_and_eval(text)
        value.fetch_lazy()
        return value

    def holds(self, element):
        condition = element.get("Condition")
        return condition is None or bool(self.evaluate(condition))

    def formatted(self, text):
        """A string with {expressions}."""
        def shown(found):
            return found[0][0] if found[0] in ("{{", "}}") else self.simple(self.evaluate(found[1]), found[2])
        return re.sub(r"\{\{|\}\}|\{([^}]*?)(?:,(d|xb))?\}", shown, text)

    def simple(self, value, style):
        if style == "xb":
            return f"{int(value):0{2 * value.type.sizeof}x}"
        if self.natvis.entry_of(plain(value.type)) is not None:
            return Shown(self.natvis, value).string()
        return str(int(value)) if style == "d" else value.format_string()

    def tried(self, element, action):
        """Runs the action; an element that is optional may fail."""
        try:
            result = action()
            self.natvis.used.update(each.text for each in element.iter())
            return result
        except (gdb.error, Fault, shapes.Damaged) as error:
            if element.get("Optional") == "true":
                return None
            raise Fault(f"{self.entry.get('Name')}: {element.text.strip() or element.tag}: {error}") from error

    def string(self):
        """The string shown for the object."""
        for element in self.entry.findall(f"{SPACE}DisplayString"):
            if self.holds(element):
                text = self.tried(element, lambda: self.formatted(element.text))
                if text is not None:
                    return text
        return ""

    def items(self):
        """(name, value) of the elements, None when there is no list of them; other children are evaluated too."""
        found = None
        for element in self.entry.findall(f"{SPACE}Expand/*"):
            tag = element.tag[len(SPACE):]
            if tag == "Item" and self.holds(element):
                self.tried(element, lambda: self.evaluate(element.text))
            elif tag == "ExpandedItem":
                inner = self.tried(element, lambda: self.evaluate(element.text))
                if self.natvis.entry_of(plain(inner.type)) is not None:
                    found = Shown(self.natvis, inner).items()
            elif tag == "CustomListItems":
                found = (found or []) + (self.tried(element, lambda: self.listed(element)) or [])
        return found

    def listed(self, element):
        found = []
        self.variables = {}
        for each in element:
            self.run(each, found)
        self.variables = {}
        return found

    def run(self, element, found):
        tag = element.tag[len(SPACE):]
        if tag == "Variable":
            self.variables[element.get("Name")] = self.evaluate(element.get("InitialValue"))
        elif tag == "Loop":
            steps = 0
            while self.holds(element):
                for each in element:
                    self.run(each, found)
                steps += 1
                if steps > 64 * ITEMS_MOST:
                    raise Fault("the loop does not end")
        elif tag == "If":
            if self.holds(element):
                for each in element:
                    self.run(each, found)
        elif tag == "Exec":
            name, expression = element.text.split(" = ")
            self.variables[name] = self.evaluate(expression)
        elif tag == "Item":
            found.append((self.formatted(element.get("Name")), self.evaluate(element.text)))
        else:
            raise Fault(f"<{tag}> is not known here")


def texts(value):
    return value.format_string(max_elements=20)


def compare(natvis, name, value):
    """Faults of what natvis shows of a variable."""
    shown, shape = Shown(natvis, value), shapes.shape_of(GdbNode(value))
    if isinstance(shape, (shapes.WriterShape, shapes.DynamicColumnShape)):  # natvis shows what is inside without a level between
        shape = shapes.shape_of(next(shape.items()).value)
    string, items = shown.string(), shown.items()
    if isinstance(shape, (shapes.HandleShape, shapes.PublicIdShape)) and string != shape.text:
        yield f"{name} is {string}, not {shape.text}"
    if isinstance(shape, shapes.ViewShape):
        return  # natvis cannot learn what the view sees
    expected = [item for item in shape.items() if not item.name.endswith("<1>")]  # it shows the first of several columns
    size = re.search(r"size=(\d+)", string)
    if size and int(size[1]) != len(expected):
        yield f"{name} is {string}, and has {len(expected)} elements"
    if isinstance(shape, shapes.PagesShape):  # it shows far pages as the std::map that they are in
        expected = [item for item in expected if int(re.match(r"\[(\d+)", item.name)[1]) < shape.near.size * shapes.WORD]
    if items is None:
        return
    if len(expected) != len(items):
        yield f"{name}: natvis shows {len(items)} elements, the printer {len(expected)}"
    for (label, mine), item in zip(items, expected):
        if mine.type.strip_typedefs().code == gdb.TYPE_CODE_PTR and item.value.type.code != gdb.TYPE_CODE_PTR:
            if int(mine) != item.value.address():
                yield f"{name}{label} lies at {mine}, not at {item.value.address():#x}"
        elif texts(mine) != texts(item.value.value):
            yield f"{name}{label} is {texts(mine)}, not {texts(item.value.value)}"
        if re.match(r"\[\d+v\d", label) and item.key is None and label != item.name:
            yield f"{name}: {label} is called {item.name} by the printer"


def main():
    natvis = Natvis(os.environ["SLOTWISE_NATVIS"])
    frame, count = gdb.selected_frame(), 0
    for symbol in frame.block():
        if not symbol.is_variable or symbol.name.endswith(("wreck", "torn")):
            continue
        value = GdbNode(frame.read_var(symbol)).value
        if natvis.entry_of(plain(value.type)) is None:
            continue
        count += 1
        try:
            for fault in compare(natvis, symbol.name, value):
                print("fault:", fault)
        except (gdb.error, Fault, shapes.Damaged) as error:
            print("fault:", symbol.name, error)
    for fault in natvis.unused():
        print("fault:", fault)
    print(f"natvis: {count} variables, {len(natvis.used & natvis.all)} of {len(natvis.all)} expressions")


main()
