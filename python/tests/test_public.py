# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a user sees of the package: names, docstrings, signatures, annotations."""

import copy
import inspect
import pathlib
import pickle
import subprocess
import sys
import weakref

import pytest
import slotwise as sw

CLASSES = [name for name in sw.__all__ if isinstance(getattr(sw, name), type)]
CONTAINERS = ["Map", "Set", "Series", "SeriesSet", "SlotMap", "Table", "World"]
WRAPPER = type(dict.__len__)
OPERATORS = {"__getitem__", "__setitem__", "__delitem__", "__contains__", "__arrow_c_stream__", "__arrow_c_schema__"}


def members(cls):
    """(name, what it is) of the public members of a class, of its own and those of its bases in the package."""
    for base in cls.__mro__:
        if base.__module__.startswith("slotwise"):
            for name, member in vars(base).items():
                if not name.startswith("_") or name in OPERATORS:
                    yield f"{cls.__name__}.{name}", getattr(member, "fget", None) or getattr(member, "__func__", None) or member


MEMBERS = dict(pair for name in CLASSES for pair in members(getattr(sw, name)))
MADE = [*CONTAINERS, "Schema", "KeyType", "shard_ids", "stable_hash"]  # by a program; the other classes are what containers give
CALLS = {name: getattr(sw, name) for name in MADE} | {
    name: member for name, member in MEMBERS.items() if callable(member) and not isinstance(member, type)}


def test_there_are_seven_containers_and_none_of_the_old_names():
    assert set(CONTAINERS) <= set(CLASSES)
    assert not [name for name in dir(sw) if name.startswith(("Int64", "UInt64", "Str")) or name == "SoaMap"]
    assert len(CALLS) > 100


def test_all_is_sorted_and_true():
    assert list(sw.__all__) == sorted(set(sw.__all__)) and all(hasattr(sw, name) for name in sw.__all__)
    shown = [name for name in dir(sw) if not name.startswith("_") and name not in sw.__all__ and not inspect.ismodule(getattr(sw, name))]
    assert shown == []


@pytest.mark.parametrize("name", CLASSES)
def test_classes_say_where_they_are(name):
    cls = getattr(sw, name)
    assert cls.__module__ == "slotwise" and cls.__qualname__ == name and pickle.loads(pickle.dumps(cls)) is cls


@pytest.mark.parametrize("name", [*sw.__all__, *MEMBERS])
def test_a_docstring(name):
    thing = MEMBERS.get(name) if name in MEMBERS else getattr(sw, name)
    if isinstance(thing, (str, int)):
        return
    text = inspect.getdoc(thing) or ""
    if hasattr(thing, "__nb_signature__"):  # it begins with the signature
        text = text.partition("\n\n")[2]
    assert len(text) > 10 and not text.startswith("def "), f"{name}: {text!r}"
    assert "::" not in text and "std::" not in text and "nanobind" not in text


@pytest.mark.parametrize("name", CALLS)
def test_a_signature_with_annotations(name):
    call = CALLS[name]
    if isinstance(call, WRAPPER):  # of an operator
        return
    signature = inspect.signature(call)
    parameters = [parameter for parameter in signature.parameters.values() if parameter.name not in ("self", "cls")]
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parameters), f"{name}{signature}"
    assert isinstance(call, type) or signature.return_annotation is not inspect.Signature.empty, f"{name}{signature}"


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_are_generic_and_weakly_referenced(name):
    make = {"Map": lambda: sw.Map(key=int, value=float), "Set": lambda: sw.Set(key=int), "Series": lambda: sw.Series(key=int, value=float),
            "SeriesSet": lambda: sw.SeriesSet(key=int), "SlotMap": lambda: sw.SlotMap(value=float), "Table": lambda: sw.Table(float),
            "World": lambda: sw.World()}[name]
    table = make()
    assert weakref.ref(table)() is table
    if name != "World":
        assert str(getattr(sw, name)[int]).startswith("slotwise.") and copy.deepcopy(table) == table
        with pytest.raises(TypeError):
            hash(table)


def test_the_import_takes_no_library_but_numpy():
    code = "import sys, slotwise; print(*sorted({'pandas', 'polars', 'pyarrow', 'asyncio'} & set(sys.modules)))"
    path = str(pathlib.Path(sw.__file__).parents[1])
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r}); {code}"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
