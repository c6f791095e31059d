# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every public function and method with wrong arguments: errors of the right kind, in words of Python."""

import inspect
import itertools
import re

import numpy as np
import pytest
import slotwise as sw
from conftest import Quote, SUBJECTS

VALUES = [None, -1, 2**63, 2**64, -(2**63), 10**5000, float("nan"), float("inf"), 1.5, object(), b"ab", b"", [], [1], (), {}, {1: 2},
          "a", "\ud800", True, int, 1j, [[1, 2, 3]], ["\ud800"], {"\ud800": 1.0}, {None: None}, np.arange(3), np.array(["a"]),
          np.array(1.0), {"value": []}, {"bid": [1]}, slice(1, "a"), slice(0, 1, 0)]  # fmt: skip
# What no message may have: the binding library's list of signatures, names and advice of C++.
FOREIGN = re.compile(r"incompatible function|nanobind|std::|\w::\w|uint64_t|basic_string|\bat\(handle\)|lenient|write_late"
                     r"|write\(time\)|apply\(delta\)|import_stream|apply_delta|max_size|max_slots|index bits|bad_alloc|HandlePool"
                     r"|AnyRows|\b_[a-z]\w+\(\)")  # fmt: skip
KINDS = (KeyError, TypeError, ValueError, OverflowError, IndexError, BufferError)
# Methods that Python or pickle call in a way of their own.
LEFT_OUT = {"__class__", "__new__", "__init_subclass__", "__subclasshook__", "__getattribute__", "__setattr__", "__delattr__",
            "__dir__", "__sizeof__", "__reduce_ex__", "__getstate__", "__format__", "__hash__", "__doc__", "__module__",
            "__nb_signature__", "__getattr__", "__deepcopy__", "__class_getitem__", "__weakref__", "__dict__", "__parameters__",
            "__orig_bases__", "__annotations__", "__static_attributes__", "__firstlineno__"}  # fmt: skip


def members_of(cls):
    """Public methods, and those that operators call."""
    for name in dir(cls):
        if name in LEFT_OUT or (name.startswith("_") and not name.startswith("__")) or hasattr(object, name) and name not in vars(cls):
            continue
        member = inspect.getattr_static(cls, name)
        if callable(member) or isinstance(member, (staticmethod, classmethod)):
            yield name


def parameters_of(method):
    """The parameters behind self; of what has no signature, as slots of a type, those of an operator."""
    try:
        return list(inspect.signature(method).parameters.values())[1:]
    except ValueError:
        kind = inspect.Parameter.POSITIONAL_ONLY
        count = {"__len__": 0, "__bool__": 0, "__iter__": 0, "__setitem__": 2}.get(method.__name__, 1)
        return [inspect.Parameter(f"argument{i}", kind) for i in range(count)]


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
    for first, second in itertools.product(["a", 1, b"x", None, [0], slice(None)], VALUES):
        if len(positional) > 1:
            yield (first, second), {p.name: 7 for p in named if p.name == "time"}
    yield (), {}


def expect_words(error, what):
    if type(error) is KeyError and error.args and type(error.args[0]) is int:
        return  # the key itself, as of a dict
    text = str(error)
    assert isinstance(error, KINDS), (what, repr(error))
    assert text and not FOREIGN.search(text), (what, text)
    assert len(text) < 600, (what, text)


CLASSES = {subject.cls: subject for subject in reversed(SUBJECTS)}
CASES = [pytest.param(subject, name, id=f"{subject.name}: {name}") for subject in SUBJECTS for name in members_of(subject.cls)]


@pytest.mark.filterwarnings("ignore:nanobind")  # of a second __init__
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of subscribers that take no delta
@pytest.mark.parametrize("subject, name", CASES)
def test_a_wrong_argument_is_an_error_of_python_and_changes_nothing(subject, name):
    method = getattr(subject.cls, name)
    compared = 0
    for positional, named in calls_of(parameters_of(method)):
        c = subject.filled(2)
        before = c.snapshot() if name != "__init__" else None
        what = (subject, name, positional, named)
        try:
            method(c, *positional, **named)
        except MemoryError:
            pytest.fail(f"{what}: MemoryError")
        except Exception as error:
            if name != "deltas" or str(error) != "no running event loop":
                expect_words(error, what)
            if before is not None:
                assert c.snapshot() == before, what
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("cls, name", [pytest.param(cls, name, id=f"{cls.__name__}.{name}") for cls in CLASSES for name in members_of(cls)])
def test_a_method_of_another_object_is_refused_in_words(cls, name):
    if name in ("__eq__", "__ne__", "__init__", "__array__"):
        return  # Python asks the other object first; __array__ is refused in any case
    method = getattr(cls, name)
    arguments = [0] * sum(p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD for p in parameters_of(method))
    for other in (None, 5, object()):
        with pytest.raises((TypeError, AttributeError, *([RuntimeError] if name == "deltas" else []))) as error:  # no event loop
            result = method(other, *arguments)
            if hasattr(result, "__next__"):
                next(result)
            repr(result)
            raise TypeError("no view has a container to show")  # what makes views looks at it when it is used
        assert not FOREIGN.search(str(error.value)), (cls, name, str(error.value))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_refuses_wrong_arguments_in_words(cls):
    subject = CLASSES[cls]
    for value in VALUES:
        for call in (
            lambda: subject.make(on_write=value),
            lambda: subject.make(nothing=value),
            lambda: cls(1, 2, 3),
            lambda: cls(value=object(), on_write="detach"),
        ):
            with pytest.raises(KINDS) as error:
                call()
            expect_words(error.value, (cls, value))


@pytest.mark.filterwarnings("ignore:nanobind")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_an_object_without_init_is_refused(cls):
    c = cls.__new__(cls)
    for name in members_of(cls):
        if name in ("__init__", "__array__", "__ne__"):
            continue
        method = getattr(cls, name)
        arguments = [0] * sum(p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD for p in parameters_of(method))
        try:
            result = method(c, *arguments)
            if result is not NotImplemented and not isinstance(result, bool):
                repr(result)
        except (TypeError, AttributeError, RuntimeError, KeyError) as error:
            assert not FOREIGN.search(str(error)), (name, str(error))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_property_refuses_what_it_can_not_be(cls):
    c = CLASSES[cls].filled(2)
    for name in dir(cls):
        if not isinstance(inspect.getattr_static(cls, name), property) or name.startswith("_"):
            continue
        for value in VALUES:
            with pytest.raises((*KINDS, AttributeError)) as error:
                setattr(c, name, value)
            assert not FOREIGN.search(str(error.value)), (cls, name, value)


@pytest.mark.parametrize("subject", [s for s in SUBJECTS if hasattr(s.cls, "keys")], ids=str)
def test_what_can_be_no_key_is_in_no_map_as_in_no_dict(subject):
    c = subject.filled(2)
    items = dict(c.items())
    for value in VALUES:
        try:
            hash(value)
        except TypeError:
            with pytest.raises(TypeError):
                value in c
            continue
        assert (value in c) is (value in items)
        assert c.get(value, "none") == items.get(value, "none")


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_method_has_a_signature_and_a_docstring(cls):
    assert inspect.signature(cls) and inspect.getdoc(cls)
    for name in members_of(cls):
        if not name.startswith("_"):
            assert inspect.getdoc(getattr(cls, name)), name
            assert inspect.signature(getattr(cls, name)), name
    for name, member in inspect.getmembers_static(cls) if hasattr(inspect, "getmembers_static") else []:
        if isinstance(member, property) and not name.startswith("_"):
            assert member.__doc__, name


SLOTS = [
    (lambda m: m.reserve(-1), ValueError, "count: at least 0"),
    (lambda m: m.reserve(2**64), OverflowError, "count: "),
    (lambda m: m.reserve(None), TypeError, "count: an int"),
    (lambda m: m.insert(None), TypeError, "value: "),
    (lambda m: m.insert(bid="a", size=1, open=True, venue=None), TypeError, "bid"),
    (lambda m: m.insert(bid=1.0, size=2**63, open=True, venue=None), OverflowError, "size"),
    (lambda m: m.insert(bid=1.0, size=1, open=True, venue=5), TypeError, "venue"),
    (lambda m: m.insert(bid=1.0, size=1, open=True, venue="\ud800"), UnicodeEncodeError, "venue"),
    (lambda m: m.insert(bid=1.0, size=1, open=True, venue=None, nothing=1), (TypeError, ValueError), "nothing"),
    (lambda m: m.insert({"bid": 1.0, "nothing": 2}), (TypeError, ValueError), "nothing|missing|size"),
    (lambda m: m.insert(), TypeError, "value: "),
    (lambda m: m.insert(1, bid=2.0), TypeError, "value: .* not both"),
    (lambda m: m[5], KeyError, "handle: 5 .*names no element"),
    (lambda m: m["a"], KeyError, "handle: 'a' names no element"),
    (lambda m: m[0], KeyError, "0 is no handle"),
    (lambda m: m.get_many([5]), KeyError, r"handles\[0\]: 5 .*names no element"),
    (lambda m: m.get_many(m.handles(), missing="no"), ValueError, "missing: 'raise' or 'null'"),
    (lambda m: m.get_many(["a"]), (TypeError, ValueError), "handles: "),
    (lambda m: m.get_many([-1]), OverflowError, "handles: "),
    (lambda m: m.update_many(m.handles(), {"bid": [1.0]}), ValueError, "columns: there are 1 rows, and 2 handles"),
    (lambda m: m.insert_many({"bid": [1.0]}), ValueError, "columns: .*size"),
    (lambda m: m.insert_many({"bid": ["a"], "size": [1], "open": [True], "venue": ["x"]}), (TypeError, ValueError), "columns: .*bid"),
    (lambda m: m.column("nothing"), KeyError, "name: .*'bid'.*no 'nothing'"),
    (lambda m: m.column(5), TypeError, "name: a str"),
    (lambda m: m.chunks("venue"), TypeError, "name: texts"),
    (lambda m: m.restore("x"), TypeError, "data: bytes"),
    (lambda m: m.restore(b"x"), ValueError, "data: this is no snapshot of this class"),
    (lambda m: m.nothing(), AttributeError, "nothing"),
    (lambda m: sw.SlotMap(value={"handle": "f8"}), ValueError, "value: .*'handle'"),
    (lambda m: sw.SlotMap(), TypeError, "'value'"),
    (lambda m: sw.SlotMap(value="nonsense"), (TypeError, ValueError), "value: "),
]
TABLE = [
    (lambda t: t[2], IndexError, "index: 2 is out of range, there are 2 rows"),
    (lambda t: t[-3], IndexError, "index: -3 is out of range"),
    (lambda t: t["a"], TypeError, "index: an int"),
    (lambda t: t[2**70], IndexError, "index: "),
    (lambda t: t.pop(5), IndexError, "index: 5"),
    (lambda t: t.swap_erase(5), IndexError, "index: 5"),
    (lambda t: t.__setitem__(slice(0, 1), []), TypeError, "index: an int"),
    (lambda t: t.append(), TypeError, "append.*value: "),
    (lambda t: t.get_many([0, 7]), IndexError, r"indexes\[1\]: 7 is out of range"),
    (lambda t: t.set_column("bid", [1.0]), ValueError, "values: there are 1 of them, and 2 rows"),
    (lambda t: t.set_column("nothing", [1.0]), KeyError, "name: "),
    (lambda t: t.set_column("size", [1.5, 2.0]), TypeError, "values: "),
    (lambda t: t.set_column("size", np.array([1.5, 2.0])), ValueError, "values: "),
    (lambda t: t.index(5), ValueError, "value: no row"),
    (lambda t: t.extend(5), TypeError, "rows: "),
    (lambda t: t.extend([5]), (TypeError, ValueError), "rows: "),
    (lambda t: sw.Table("nonsense"), (TypeError, ValueError), "schema: "),
    (lambda t: sw.Table(), TypeError, "'schema'"),
]


@pytest.mark.parametrize("call, kind, text", SLOTS)
def test_the_error_of_a_slot_map_names_the_argument(call, kind, text):
    m = sw.SlotMap([Quote(1.0), Quote(2.0)], value=Quote)
    before = m.snapshot()
    with pytest.raises(kind, match=text):
        call(m)
    assert m.snapshot() == before


@pytest.mark.parametrize("call, kind, text", TABLE)
def test_the_error_of_a_table_names_the_argument(call, kind, text):
    t = sw.Table(Quote, [Quote(1.0), Quote(2.0)])
    before = t.snapshot()
    with pytest.raises(kind, match=text):
        call(t)
    assert t.snapshot() == before
