# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""GDB pretty printers of slotwise.

  (gdb) source <include>/slotwise/debug/slotwise_gdb.py       or put that line into ~/.gdbinit

Containers show their live elements by handle ("[12v5]" is slot 12 at version 5) or key. Two functions look at a handle beside its
container:

  (gdb) print $slotwise_stale(map, handle)       1 when no element has this handle
  (gdb) print $slotwise_handle(map, handle)      "12v5", "12v5 (stale)", "12v5 (reserved)", "null", ...
"""
import os
import re
import sys

import gdb
import gdb.printing
import gdb.types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slotwise_shapes as shapes  # noqa: E402


def plain(kind):
    """A type without typedef, reference, const."""
    kind = kind.strip_typedefs()
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        kind = kind.target().strip_typedefs()
    return kind.unqualified()


class GdbNode:
    """A gdb.Value as slotwise_shapes wants it."""

    def __init__(self, value):
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        self.value, self.type = value, plain(value.type)
        self.name = self.type.name or ""

    def layout(self):
        return shapes.layout_of(self.name)

    def has(self, member):
        return gdb.types.has_field(self.type, member)

    def __getitem__(self, member):
        return GdbNode(self.value[member])

    def integer(self):
        return int(self.value) & ((1 << 8 * self.type.sizeof) - 1)

    def at(self, i):
        return GdbNode(self.value[i])

    def pointee(self):
        return self.type.target()

    def pointee_size(self):
        return self.type.target().sizeof

    def address(self):
        return int(self.value.address)

    def size(self):
        return self.type.sizeof

    def parts(self):
        return [(field.name, GdbNode(self.value[field])) for field in self.type.fields() if hasattr(field, "bitpos")]

    def argument(self, i):
        return self.type.template_argument(i)

    @staticmethod
    def size_of(kind):
        return kind.sizeof

    @staticmethod
    def value_at(address, kind):
        return GdbNode(gdb.Value(address).cast(kind.pointer()).dereference())

    def bytes_at(self, address, size):
        return self.value_at(address, gdb.lookup_type("unsigned char").array(size - 1))

    @staticmethod
    def read(address, size):
        return bytes(gdb.selected_inferior().read_memory(address, size)) if size else b""

    @staticmethod
    def number(n):
        return GdbNode(gdb.Value(n))

    def text(self):
        return self.value.format_string()

    @staticmethod
    def symbol(address):
        return gdb.execute(f"info symbol {address}", to_string=True).split(" in section ")[0].strip()

    @staticmethod
    def linker_type(name):
        for form in (str, as_gcc, as_gcc_with_int, as_clang):
            try:
                return gdb.lookup_type(form(name))
            except gdb.error:
                pass
        return None


#=== the linker's name of a type as the debug information of a compiler has it ===#

def as_gcc(text):
    """No suffixes of numbers, and the zeros at the end of a structure, which the linker's names leave out."""
    text = re.sub(r"\b(\d+)(?:ul|u|l)\b", r"\1", text)
    at = 0
    while True:
        found = re.compile(r"([\w:]+)\{").search(text, at)
        if not found:
            return text
        at, end = found.end(), shapes.closing(text, found.end() - 1)
        given = shapes.arguments(text[at:end]) if end > at else []
        for field in gdb.lookup_type(found[1]).fields()[len(given):]:
            kind = field.type.strip_typedefs()
            zero = {gdb.TYPE_CODE_STRUCT: f"{kind}{{}}", gdb.TYPE_CODE_ENUM: f"({kind})0", gdb.TYPE_CODE_BOOL: "false"}
            given.append(zero.get(kind.code, "0"))
        text = text[:at] + ", ".join(given) + text[end:]


def as_gcc_with_int(text):
    """As gcc, and numbers by their full names."""
    text = re.sub(r"\bunsigned (long|short)\b", r"\1 unsigned", as_gcc(text))
    return re.sub(r"\b((?:long|short)(?: unsigned)?)\b", r"\1 int", text)


def as_clang(text):
    """As gcc, but enumerators are plain numbers and structures inside structures have no name."""
    text = re.sub(r"\([\w:]+\)(?=\d)", "", as_gcc(text))
    return re.sub(r"(?<=[,{] )[\w:]+\{(?=\d+, \d+, \d+\}[,}])|(?<=\{)[\w:]+\{(?=\d+, \d+, \d+\}[,}])", "{", text)


class Printer:
    """A shape as GDB wants it."""

    def __init__(self, value):
        self.shape = shapes.shape_of(GdbNode(value))

    def to_string(self):
        return self.shape.text

    def display_hint(self):
        return self.shape.hint


class WithChildren(Printer):
    def children(self):
        try:
            for item in self.shape.items():
                if self.shape.hint == "map":
                    yield item.name + " key", item.key.value
                yield item.name, item.value.value
        except Exception as error:  # the walk ends where the damage begins
            yield "<damaged>", shapes.reason_of(error)
            if self.shape.hint == "map":
                yield "<damaged> value", ""


def look_up(value):
    """The printer of a value, None when it is none of ours."""
    name = plain(value.type).name
    if not name or not shapes.knows(name):
        return None
    # One that has no children prints without braces.
    leaf = shapes.SHAPES[shapes.class_of(name)[0]].items is shapes.Shape.items
    return Printer(value) if leaf else WithChildren(value)


look_up.name, look_up.enabled = "slotwise", True


class Asked(gdb.Function):
    """A function of a container and a handle."""

    def __init__(self, name, answer):
        super().__init__(name)
        self.answer = answer

    def invoke(self, container, handle):
        try:
            return self.answer(GdbNode(container), GdbNode(handle))
        except Exception as error:
            raise gdb.GdbError(shapes.reason_of(error)) from error


Asked("slotwise_handle", shapes.marked)
Asked("slotwise_stale", lambda container, handle: int(shapes.status(container, handle) != "live"))
gdb.printing.register_pretty_printer(None, look_up, replace=True)
