# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every public function and method with wrong arguments: errors of the right kind, in words of Python."""

import inspect
import itertools
import re

import pytest
import slotwise

VALUES = [None, -1, 2**63, 2**64, -(2**63), 10**5000, float("nan"), float("inf"), 1.5, object(), b"ab", b"", [], [1], (), {}, {1: 2},
          "a", "\ud800", True, int, 1j, [[1, 2, 3]], ["\ud800"], {"\ud800": 1.0}, {None: None}]  # fmt: skip
# What no message may have: the binding library's list of signatures, names and advice of C++.
FOREIGN = re.compile(r"incompatible function|nanobind|std::|\w::\w|uint64_t|basic_string|\bat\(handle\)|explain\(|lenient|write_late"
                     r"|write\(time\)|apply\(delta\)|import_stream|apply_delta|max_size|max_slots|index bits|bad_alloc")  # fmt: skip
KINDS = (KeyError, TypeError, ValueError, OverflowError, IndexError, BufferError)
# Methods that Python or pickle call in a way of their own.
LEFT_OUT = {"__class__", "__new__", "__init_subclass__", "__subclasshook__", "__getattribute__", "__setattr__", "__delattr__",
            "__dir__", "__sizeof__", "__reduce_ex__", "__getstate__", "__format__", "__hash__", "__doc__", "__module__",
            "__nb_signature__"}  # fmt: skip


def is_public_class(thing):
    return isinstance(thing, type) and thing is not slotwise.Applied


CLASSES = [thing for name, thing in vars(slotwise).items() if name in slotwise.__all__ and is_public_class(thing)]
FUNCTIONS = [thing for name, thing in vars(slotwise).items() if name in slotwise.__all__ and not isinstance(thing, type)]


def make(cls):
    """An object of each class, with an element."""
    name = cls.__name__
    if name == "ArrowStream":
        return slotwise.SlotMap().arrow()
    if name.endswith("Delta"):
        return make(getattr(slotwise, name.replace("Delta", "Series"))).capture()
    table = cls()
    if name == "SlotMap":
        table.insert(1.5)
    elif name == "SoaMap":
        table.insert((1.0, 2.0, 3.0, 4.0))
    else:
        when = {"time": 5} if name.endswith("Series") else {}
        table.set("a" if name.startswith("Str") else 1, 1, **when)
    return table


def parameters_of(function):
    """Names of the parameters behind self, from the signature that the stub has."""
    signature = function.__nb_signature__[0][0]
    scope = {}
    exec(f"from __future__ import annotations\n{signature}: pass", scope)
    return list(inspect.signature(scope[function.__name__]).parameters.values())


def calls_of(parameters):
    """Arguments that are wrong in one place or more: each wrong value, too few, too many, of unknown names."""
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.VAR_POSITIONAL)]
    named = [p for p in parameters if p.kind == kinds.KEYWORD_ONLY]
    for value in VALUES:
        yield (value,) * len(positional), {p.name: value for p in named}
        yield (value,) * len(positional), {p.name: False if p.name != "time" else 7 for p in named}
        yield (value,) * (len(positional) + 1), {}
        yield (value,) * max(0, len(positional) - 1), {}
        yield (value,) * len(positional), {"no_such_argument": value}
    for first, second in itertools.product(["a", 1, b"x", None], VALUES):
        if len(positional) > 1:
            yield (first, second), {p.name: 7 for p in named if p.name == "time"}
    yield (), {}


def members_of(cls):
    for name, member in vars(cls).items():
        if name not in LEFT_OUT and hasattr(member, "__nb_signature__") and callable(member):
            yield name, member


def expect_words(error, what):
    text = str(error)
    assert isinstance(error, KINDS), (what, repr(error))
    assert text and not FOREIGN.search(text), (what, text)
    assert len(text) < 600, (what, text)


CASES = [pytest.param(cls, name, member, id=f"{cls.__name__}.{name}") for cls in CLASSES for name, member in members_of(cls)]


@pytest.mark.parametrize("cls, name, member", CASES)
def test_a_wrong_argument_is_an_error_of_python(cls, name, member):
    parameters = parameters_of(member)[1:]
    compared = 0
    for positional, named in calls_of(parameters):
        thing = make(cls)
        what = (cls.__name__, name, positional, named)
        try:
            member(thing, *positional, **named)
        except MemoryError:
            pytest.fail(f"{what}: MemoryError")
        except Exception as error:
            expect_words(error, what)
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("cls, name, member", CASES)
def test_a_method_of_another_object_is_refused_in_words(cls, name, member):
    if name == "__eq__":
        return  # Python asks the other object first
    for other in (None, 5, object()):
        with pytest.raises(TypeError) as error:
            member(other)
        expect_words(error.value, (cls.__name__, name, other))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_with_wrong_arguments_raises_an_error_of_python(function):
    for positional, named in calls_of(parameters_of(function)):
        try:
            function(*positional, **named)
        except Exception as error:
            expect_words(error, (function.__name__, positional, named))


@pytest.mark.parametrize("cls", CLASSES)
def test_a_class_refuses_wrong_arguments_in_words(cls):
    for value in VALUES:
        for call in (lambda: cls(value), lambda: cls(on_write=value), lambda: cls(1, 2, 3), lambda: cls(nothing=value)):
            with pytest.raises(KINDS) as error:
                call()
            expect_words(error.value, (cls.__name__, value))


@pytest.mark.parametrize("cls", CLASSES)
def test_a_property_refuses_what_it_can_not_be(cls):
    thing = make(cls)
    for name, member in vars(cls).items():
        if not isinstance(member, property):
            continue
        for value in VALUES:
            with pytest.raises((*KINDS, AttributeError)) as error:
                setattr(thing, name, value)
            assert not FOREIGN.search(str(error.value)), (cls.__name__, name, value)


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if hasattr(cls, "keys")])
def test_what_can_be_no_key_is_in_no_map_as_in_no_dict(cls):
    table = make(cls)
    for value in VALUES:
        try:
            hash(value)
        except TypeError:
            with pytest.raises(TypeError, match="unhashable"):
                value in table
            continue
        assert (value in table) is (value in dict(table.items()))
        assert table.get(value, "none") == dict(table.items()).get(value, "none")


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda m, s: m.reserve(-1), ValueError, "count: at least 0"),
        (lambda m, s: m.reserve(2**64), OverflowError, "count: "),
        (lambda m, s: m.reserve(None), TypeError, "count: an int"),
        (lambda m, s: s.set("a", 1.0, time=2**63), OverflowError, "time: "),
        (lambda m, s: s.set("a", 1.0, time=None), TypeError, "time: an int"),
        (lambda m, s: s.set("a", 1.0, time=-(2**63)), ValueError, "time: "),
        (lambda m, s: s.set("a", 1.0, time=4), ValueError, "time: 4 is older than the open window 5"),
        (lambda m, s: s.set("a", 1.0), TypeError, "missing 1 required keyword-only argument: 'time'"),
        (lambda m, s: m.set(1), TypeError, "missing 1 required positional argument: 'value'"),
        (lambda m, s: m.get(), TypeError, "missing 1 required positional argument: 'key'"),
        (lambda m, s: m.set(None, 1.0), TypeError, "key: an int"),
        (lambda m, s: m.set(1, None), TypeError, "value: a float"),
        (lambda m, s: m.set(1, 10**400), OverflowError, "value: "),
        (lambda m, s: s.set("\ud800", 1.0, time=6), UnicodeEncodeError, "key: surrogates"),
        (lambda m, s: m.column(5), TypeError, "name: a str"),
        (lambda m, s: m.arrow(slots=1), TypeError, "slots: True or False"),
        (lambda m, s: m.restore("x"), TypeError, "data: bytes"),
        (lambda m, s: s.apply(None), TypeError, "delta: "),
        (lambda m, s: m.nothing(), AttributeError, "nothing"),
        (lambda m, s: m["Ü" * 100], KeyError, "no element has this key"),
    ],
)
def test_the_error_names_the_argument(call, kind, text):
    with pytest.raises(kind, match=text):
        call(make(slotwise.Int64Float64Map), make(slotwise.StrSeries))
