# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""LLDB formatters of slotwise.

  (lldb) command script import <include>/slotwise/debug/slotwise_lldb.py       or put that line into ~/.lldbinit

Containers show their live elements by handle ("[12v5]" is slot 12 at version 5) or key. A command looks at a handle beside its container:

  (lldb) slotwise_handle map handle       12v5, 12v5 (stale), 12v5 (reserved), null, ...
"""
import itertools
import os
import re
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slotwise_shapes as shapes  # noqa: E402

CHILDREN_MOST = 1 << 16  # asked for all children, LLDB lists so many


class LldbNode:
    """An SBValue as slotwise_shapes wants it."""

    def __init__(self, value):
        value = value.GetNonSyntheticValue()
        if value.GetType().IsReferenceType():
            value = value.Dereference().GetNonSyntheticValue()
        if not value.IsValid():
            raise shapes.Damaged("there is no such value")
        self.value, self.type = value, value.GetType().GetCanonicalType().GetUnqualifiedType()
        self.name = self.type.GetName() or ""

    def layout(self):
        """LLDB drops values of class type from the names of types. The linker's names of member functions have them: of those of
        this type if the compiler has written them down (clang), else of all Handles with this tag and size (gcc)."""
        names = (self.type.GetMemberFunctionAtIndex(i).GetDemangledName() or ""
                 for i in range(self.type.GetNumberOfMemberFunctions()))
        layouts = layouts_in(names, self.size())
        if not layouts:
            head, tag = self.name.split("<")[0], self.name[:-1].rsplit(", ", 1)[0].replace(" ", "") + ","
            layouts = layouts_in((name for name in symbols(self.value.GetTarget()) if name.startswith(head)
                                  and name.replace(" ", "").startswith(tag)), self.size())  # gcc writes "> >", the linker ">>"
        return layouts.pop() if len(layouts) == 1 else None

    def _child(self, member):
        return self.value.GetChildMemberWithName(member)

    def has(self, member):
        return self._child(member).IsValid()

    def __getitem__(self, member):
        return LldbNode(self._child(member))

    def integer(self):
        error = lldb.SBError()
        number = self.value.GetValueAsUnsigned(error)
        if error.Fail():
            raise shapes.Damaged(error.GetCString())
        return number & ((1 << 8 * self.size()) - 1)

    def at(self, i):
        if self.type.IsArrayType():
            return LldbNode(self.value.GetChildAtIndex(i))
        kind = self.pointee()
        return self.value_at(self.integer() + i * kind.GetByteSize(), kind)

    def pointee(self):
        return self.type.GetPointeeType()

    def pointee_size(self):
        return self.pointee().GetByteSize()

    def address(self):
        return self.value.GetLoadAddress()

    def size(self):
        return self.type.GetByteSize()

    def parts(self):
        children = (self.value.GetChildAtIndex(i) for i in range(self.value.GetNumChildren()))
        return [(child.GetName(), LldbNode(child)) for child in children]

    def argument(self, i):
        return self.type.GetTemplateArgumentType(i)

    @staticmethod
    def size_of(kind):
        return kind.GetByteSize()

    def value_at(self, address, kind):
        return LldbNode(self.value.CreateValueFromAddress("value", address, kind))

    def bytes_at(self, address, size):
        byte = self.value.GetTarget().GetBasicType(lldb.eBasicTypeUnsignedChar)
        return self.value_at(address, byte.GetArrayType(size))

    def read(self, address, size):
        if size == 0:
            return b""
        error = lldb.SBError()
        data = self.value.GetProcess().ReadMemory(address, size, error)
        if error.Fail() or len(data) != size:
            raise shapes.Damaged(f"cannot read memory at {address:#x}")
        return bytes(data)

    def number(self, n):
        target = self.value.GetTarget()
        data = lldb.SBData.CreateDataFromUInt64Array(target.GetByteOrder(), target.GetAddressByteSize(), [n])
        return LldbNode(self.value.CreateValueFromData("value", data, target.GetBasicType(lldb.eBasicTypeUnsignedLong)))

    def text(self):
        return self.value.GetSummary() or self.value.GetValue() or "..."

    def symbol(self, address):
        return self.value.GetTarget().ResolveLoadAddress(address).GetSymbol().GetName() or ""

    def linker_type(self, name):
        target = self.value.GetTarget()
        for form in (name, re.sub(r"(?<=>)(?=>)", " ", name)):
            found = target.FindFirstType(form)
            if found.IsValid():
                return found
        for function, symbol in symbols(target).items():
            if function.startswith(name + "::"):
                block = symbol.GetStartAddress().GetFunction().GetBlock()
                for variable in block.GetVariables(target, True, False, False):
                    if variable.GetName() == "this":
                        return variable.GetType().GetPointeeType()
        return None


_SYMBOLS = {}


def symbols(target):
    """Symbols of slotwise by name; they are looked for once for each set of modules."""
    modules = tuple(module.GetUUIDString() or str(module.GetFileSpec()) for module in target.modules)
    if modules not in _SYMBOLS:
        _SYMBOLS.clear()
        _SYMBOLS[modules] = {symbol.GetName(): symbol for module in target.modules for symbol in module.symbols
                             if shapes.OURS.match(symbol.GetName() or "")}
    return _SYMBOLS[modules]


def layouts_in(names, size):
    """The layouts of Handles of that many bytes that the names of functions show."""
    found = set()
    for name in names:
        start = name.find("Handle<")
        end = shapes.closing(name, start + 6) if start >= 0 else -1
        layout = shapes.layout_of(name[:end + 1])
        if layout and sum(layout[:3]) == 8 * size:
            found.add(layout)
    return found


def summary(value, _):
    node = LldbNode(value)
    return shapes.shape_of(node).text if shapes.knows(node.name) else ""


class Children:
    """A shape as LLDB wants it."""

    def __init__(self, value, _):
        self.value, self.found, self.rest = value, [], iter(())

    def update(self):
        node = LldbNode(self.value)
        self.found, self.rest = [], iter(())
        if shapes.knows(node.name):
            self.rest = self.named(shapes.shape_of(node))
        return False

    @staticmethod
    def named(shape):
        try:
            for item in shape.items():
                name = item.name if item.key is None else f"[{item.key.text()}]"
                yield item.value.value.Clone(name)
        except Exception:  # the walk ends where the damage begins
            return

    def reach(self, count):
        self.found.extend(itertools.islice(self.rest, max(0, count - len(self.found))))
        return len(self.found)

    def num_children(self, most=CHILDREN_MOST):
        return self.reach(min(most, CHILDREN_MOST))

    def get_child_at_index(self, i):
        return self.found[i] if 0 <= i < self.reach(i + 1) else None

    def get_child_index(self, name):
        self.num_children()
        return next((i for i, child in enumerate(self.found) if child.GetName() == name), -1)

    def has_children(self):
        return self.reach(1) != 0


def slotwise_handle(debugger, command, result, _):
    """slotwise_handle CONTAINER HANDLE: the handle as text, and how it stands there unless it is live."""
    frame = debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetSelectedFrame()
    names = command.split()
    if len(names) != 2:
        result.SetError("slotwise_handle CONTAINER HANDLE: two expressions without blanks")
        return
    try:
        container, handle = (LldbNode(frame.GetValueForVariablePath(name)) for name in names)
        result.AppendMessage(shapes.marked(container, handle))
    except Exception as error:
        result.SetError(shapes.reason_of(error))


def __lldb_init_module(debugger, _):
    for name, shape in shapes.SHAPES.items():
        kind = f"^{shapes.SPACE}{name}(<.*>)?$"
        leaf = shape.items is shapes.Shape.items
        expand = "" if leaf else "--expand"
        debugger.HandleCommand(f'type summary add --skip-pointers {expand} -x "{kind}" -F {__name__}.summary -w slotwise')
        if not leaf:
            debugger.HandleCommand(f'type synthetic add --skip-pointers -x "{kind}" -l {__name__}.Children -w slotwise')
    debugger.HandleCommand("type category enable slotwise")
    debugger.HandleCommand(f"command script add -o -f {__name__}.slotwise_handle slotwise_handle")
