# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a user's code raises while it is called from here arrives as it is; such code may use the very object; sources may be it."""

import dataclasses
import gc

import numpy as np
import pytest
import slotwise as sw
from conftest import Keyed, Members, Quote, Rows, Slots, SUBJECTS, Timed, TimedMembers, swept


class Stop(BaseException):
    """No Exception: nothing may catch it by accident."""


ERRORS = [KeyboardInterrupt("stop"), Stop("stop"), RuntimeError("r"), TypeError("t"), ValueError("v"), OverflowError("o"), KeyError("k"),
          IndexError("i"), BufferError("b"), MemoryError("m"), StopAsyncIteration("s"), SystemExit(3), RecursionError("d")]  # fmt: skip


def doing(act, *names):
    """An object whose methods of these names call act(), and then give a wrong result."""

    def method(self, *arguments, **named):
        return act()

    return type("Doing", (), dict.fromkeys(names, method))()


def doing_property(act, name):
    return type("Doing", (), {name: property(lambda self: act())})()


def items_of(subject, act):
    keys = subject.keys(2)
    yield keys[0], subject.values(0)
    yield act(), subject.values(1)


def rows_of(subject, act):
    yield subject.values(0)
    yield act()


def calls_of(subject):
    """Calls of each class into which code of a user can come: name -> call(container, act)."""
    every = {
        "reserve": lambda c, act: c.reserve(doing(act, "__index__")),
    }
    number = subject.value in (int, float)
    value = "__index__" if subject.value is int else "__float__"
    if isinstance(subject, Slots):
        every |= {
            "in": lambda c, act: doing(act, "__index__") in c,
            "in by hash": lambda c, act: doing(act, "__hash__") in c,
            "[handle]": lambda c, act: c[doing(act, "__index__")],
            "get": lambda c, act: c.get(doing(act, "__index__")),
            "pop": lambda c, act: c.pop(doing(act, "__index__")),
            "del": lambda c, act: c.__delitem__(doing(act, "__index__")),
            "erase": lambda c, act: c.erase(doing(act, "__index__")),
            "explain": lambda c, act: c.explain(doing(act, "__index__")),
            "extend iter": lambda c, act: c.extend(doing(act, "__iter__")),
            "extend generator": lambda c, act: c.extend(rows_of(subject, act)),
            "extend stream": lambda c, act: c.extend(doing(act, "__arrow_c_stream__")),
            "insert_many stream": lambda c, act: c.insert_many(doing(act, "__arrow_c_stream__")),
            "insert_many property": lambda c, act: c.insert_many(doing_property(act, "__arrow_c_stream__")),
            "get_many stream": lambda c, act: c.get_many(doing(act, "__arrow_c_stream__")),
            "get_many handle": lambda c, act: c.get_many([doing(act, "__index__")]),
            "erase_many stream": lambda c, act: c.erase_many(doing(act, "__arrow_c_stream__")),
            "contains_many stream": lambda c, act: c.contains_many(doing(act, "__arrow_c_stream__")),
            "update_many": lambda c, act: c.update_many(c.handles(), doing(act, "__arrow_c_stream__")),
            "==": lambda c, act: c == type("M", (dict,), {"items": lambda self: act()})(),
        }
    if isinstance(subject, Rows):
        every |= {
            "[index]": lambda c, act: c[doing(act, "__index__")],
            "[slice]": lambda c, act: c[doing(act, "__index__") :],
            "del": lambda c, act: c.__delitem__(doing(act, "__index__")),
            "del slice": lambda c, act: c.__delitem__(slice(None, None, doing(act, "__index__"))),
            "pop": lambda c, act: c.pop(doing(act, "__index__")),
            "swap_erase": lambda c, act: c.swap_erase(doing(act, "__index__")),
            "[index] = value": lambda c, act: c.__setitem__(doing(act, "__index__"), subject.values(1)),
            "extend iter": lambda c, act: c.extend(doing(act, "__iter__")),
            "extend generator": lambda c, act: c.extend(rows_of(subject, act)),
            "extend stream": lambda c, act: c.extend(doing(act, "__arrow_c_stream__")),
            "get_many": lambda c, act: c.get_many([doing(act, "__index__")]),
            "set_column": lambda c, act: c.set_column(subject.column, doing(act, "__arrow_c_stream__")),
            "in": lambda c, act: doing(act, "__eq__") in c,
        }
    if isinstance(subject, (Slots, Rows)):
        add = (lambda c: c.insert) if isinstance(subject, Slots) else (lambda c: c.append)
        if number:
            every["value"] = lambda c, act: add(c)(doing(act, value))
            every["value of an iterable"] = lambda c, act: c.extend([subject.values(0), doing(act, value)])
        if subject.is_record:
            every |= {
                "field": lambda c, act: add(c)(bid=doing(act, "__float__")),
                "field of a tuple": lambda c, act: add(c)((1.0, doing(act, "__index__"), False, None)),
                "field of a dict": lambda c, act: add(c)({"bid": 1.0, "size": doing(act, "__index__"), "open": True, "venue": None}),
                "attribute": lambda c, act: add(c)(doing_property(act, "bid")),
            }
    if isinstance(subject, Keyed):
        when = {"time": 2} if isinstance(subject, (Timed, TimedMembers)) else {}
        if subject.key is int:
            every |= {
                "in": lambda c, act: doing(act, "__index__") in c,
                "in by hash": lambda c, act: doing(act, "__hash__") in c,
                "contains_many": lambda c, act: c.contains_many([doing(act, "__index__")]),
            }
        else:
            every["in by hash"] = lambda c, act: doing(act, "__hash__") in c
        every |= {
            "update iter": lambda c, act: c.update(doing(act, "__iter__"), **when),
            "update stream": lambda c, act: c.update(doing(act, "__arrow_c_stream__"), **when),
            "contains_many stream": lambda c, act: c.contains_many(doing(act, "__arrow_c_stream__")),
        }
        if not isinstance(subject, Members):
            every |= {
                "update generator": lambda c, act: c.update(items_of(subject, act), **when),
                "update items": lambda c, act: c.update(doing(act, "items"), **when),
                "update keys": lambda c, act: c.update(doing(act, "keys"), **when),
                "get": lambda c, act: c.get(doing(act, "__hash__", "__index__")),
            }
            if number and not when:
                every["value"] = lambda c, act: c.__setitem__(subject.keys(1)[0], doing(act, value))
    return every


CASES = [pytest.param(subject, name, call, id=f"{subject.name}: {name}") for subject in SUBJECTS for name, call in calls_of(subject).items()]


@pytest.mark.parametrize("subject, name, call", CASES)
def test_an_exception_of_a_users_code_arrives_as_it_is(subject, name, call):
    c = subject.filled(3)
    before = c.snapshot()
    for error in ERRORS:

        def act():
            raise error  # noqa: B023

        with pytest.raises(type(error)) as raised:
            call(c, act)
        assert raised.value is error, name
        assert c.snapshot() == before
    c.copy()  # the lock is free
    subject.writes["clear"](c)
    assert len(c) == 0


@pytest.mark.parametrize("subject, name, call", CASES)
def test_a_users_code_may_use_the_object_that_calls_it(subject, name, call):
    for use in ("clear", "reserve", "restore", "read", "view"):
        c = subject.filled(3)
        seen = []

        def act():
            if use == "read":  # noqa: B023
                seen.append(subject.shown(c))  # noqa: B023
            elif use == "view":  # noqa: B023
                seen.append(c.to_arrow())  # noqa: B023
            else:
                subject.writes[use](c)  # noqa: B023
            return 0

        try:
            call(c, act)
        except (TypeError, ValueError, KeyError, IndexError):
            pass  # what it has returned fits nowhere
        other = c.copy()
        assert other == c and subject.shown(other) == subject.shown(c)
        subject.writes["clear"](c)


@swept([s for s in SUBJECTS if isinstance(s, (Slots, Rows))])
def test_a_generator_that_changes_what_it_goes_into(subject):
    c = subject.filled(3)

    def values():
        yield subject.values(1)
        subject.writes["clear"](c)
        yield subject.values(2)
        subject.fill(c, 1)

    c.extend(values())
    assert len(c) == 3 and c.column(subject.column).tolist()[0] == subject.filled(1).column(subject.column).tolist()[0]


@swept([s for s in SUBJECTS if isinstance(s, (Slots, Rows))])
def test_an_exception_in_a_stream_of_pyarrow_arrives_as_it_is_and_changes_nothing(subject):
    pa = pytest.importorskip("pyarrow")
    whole = subject.filled(3).to_arrow()
    if "handle" in whole.column_names:
        whole = whole.drop_columns(["handle"])
    for error in ERRORS:

        def batches():
            yield from whole.to_batches()
            raise error  # noqa: B023

        c = subject.filled(2)
        before = c.snapshot()
        with pytest.raises(type(error)) as raised:
            c.extend(pa.RecordBatchReader.from_batches(whole.schema, batches()))
        assert str(raised.value) == str(error)
        assert c.snapshot() == before


@swept([s for s in SUBJECTS if isinstance(s, (Slots, Rows))])
def test_an_object_is_its_own_source(subject):
    for size in (0, 3, 5000):
        for on_write in ("detach", "refuse"):
            c = subject.make(on_write=on_write)
            subject.fill(c, size)
            for source in (lambda: c.copy(), lambda: c, lambda: list(c) if isinstance(subject, Rows) else list(c.values())):
                before = len(c)
                c.extend(source())
                assert len(c) == 2 * before and not c.pinned
            column = c.column(subject.column, copy=True)
            assert column[: len(column) // 2].tolist() == column[len(column) // 2 :].tolist()


def test_a_record_class_whose_constructor_uses_the_container():
    held = []

    @dataclasses.dataclass
    class Nosy:
        x: float

        def __post_init__(self):
            if held:
                held[0].clear()
                len(held[0])

    for make, read in (
        (lambda: sw.SlotMap(value=Nosy), lambda c: list(c.values())),
        (lambda: sw.Table(Nosy), list),
    ):
        held.clear()
        c = make()
        c.extend([Nosy(1.0), Nosy(2.0)])
        held.append(c)
        first = next(iter(c)) if isinstance(c, sw.SlotMap) else 0
        if isinstance(c, sw.SlotMap):
            assert c[first].x == 1.0 and len(c) == 0
        held.clear()
        c.clear()
        c.extend([Nosy(1.0), Nosy(2.0)])
        held.append(c)
        assert [row.x for row in read(c)] == [1.0, 2.0] and len(c) == 0


def test_a_collection_of_garbage_that_uses_the_container():
    c = sw.SlotMap(value=Quote)
    handles = c.insert_many({"bid": np.arange(100.0), "size": np.arange(100), "open": np.zeros(100, bool), "venue": ["a"] * 100})

    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            c.get(int(handles[0]))
            c[int(handles[1])] = Quote(7.0)

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for handle in handles.tolist():
            Cycle()
            assert c[handle].bid >= 0.0
            c.values(), c.to_numpy(), c.copy()
    finally:
        gc.set_threshold(*threshold)
