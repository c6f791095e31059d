# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a user's code raises while it is called from here arrives as it is; sources may be the object itself."""

import pytest
import slotwise


class Stop(BaseException):
    """No Exception: nothing may catch it by accident."""


def raising(*names):
    """An object whose methods of these names raise what it is given."""

    def make(error):
        def method(self, *arguments):
            raise error

        return type("Raising", (), {name: method for name in names})()

    return make


def raising_property(name):
    def make(error):
        def getter(self):
            raise error

        return type("Raising", (), {name: property(getter)})()

    return make


def items_of(error):
    yield 1, 1.0
    raise error


INDEX, FLOAT, HASH = raising("__index__"), raising("__float__"), raising("__hash__")
ITER, STREAM = raising("__iter__"), raising("__arrow_c_stream__")
SERIES = {"time": 9}
CALLS = {
    "set a key": lambda m, s, e: m.set(INDEX(e), 1.0),
    "[key] = value": lambda m, s, e: m.__setitem__(INDEX(e), 1.0),
    "value": lambda m, s, e: m.set(1, FLOAT(e)),
    "value of __index__": lambda m, s, e: m.set(1, INDEX(e)),
    "in": lambda m, s, e: INDEX(e) in m,
    "in by hash": lambda m, s, e: HASH(e) in m,
    "text in by hash": lambda m, s, e: HASH(e) in s,
    "get": lambda m, s, e: m.get(INDEX(e)),
    "[key]": lambda m, s, e: m[HASH(e)],
    "del": lambda m, s, e: m.__delitem__(INDEX(e)),
    "erase": lambda m, s, e: m.erase(HASH(e)),
    "pop": lambda m, s, e: m.pop(INDEX(e)),
    "setdefault": lambda m, s, e: m.setdefault(INDEX(e), 1.0),
    "setdefault value": lambda m, s, e: m.setdefault(77, FLOAT(e)),
    "update iter": lambda m, s, e: m.update(ITER(e)),
    "update generator": lambda m, s, e: m.update(items_of(e)),
    "update items": lambda m, s, e: m.update(raising("items")(e)),
    "update items property": lambda m, s, e: m.update(raising_property("items")(e)),
    "update keys": lambda m, s, e: m.update(raising("keys")(e)),
    "update pair": lambda m, s, e: m.update([ITER(e)]),
    "update key": lambda m, s, e: m.update({1: 1.0, INDEX(e): 1.0}),
    "update value": lambda m, s, e: m.update({1: FLOAT(e)}),
    "update stream": lambda m, s, e: m.update(STREAM(e)),
    "update stream property": lambda m, s, e: m.update(raising_property("__arrow_c_stream__")(e)),
    "series set": lambda m, s, e: s.set("a", FLOAT(e), **SERIES),
    "series time": lambda m, s, e: s.set("a", 1.0, time=INDEX(e)),
    "series create": lambda m, s, e: s.create("a", time=INDEX(e)),
    "series clear": lambda m, s, e: s.clear(time=INDEX(e)),
    "series update": lambda m, s, e: s.update(ITER(e), **SERIES),
    "series apply": lambda m, s, e: s.apply(STREAM(e)),
    "series since": lambda m, s, e: s.capture(since=INDEX(e)),
    "reserve": lambda m, s, e: m.reserve(INDEX(e)),
    "==": lambda m, s, e: m == type("M", (dict,), {"items": raising("items")(e).items})(),
    "handle": lambda m, s, e: INDEX(e) in slotwise.SlotMap(),
    "insert": lambda m, s, e: slotwise.SlotMap().insert(FLOAT(e)),
    "extend": lambda m, s, e: slotwise.SlotMap().extend(ITER(e)),
    "rows": lambda m, s, e: slotwise.SoaMap().insert(ITER(e)),
    "row": lambda m, s, e: slotwise.SoaMap().insert((1.0, 1.0, 1.0, FLOAT(e))),
    "slots update": lambda m, s, e: slotwise.SlotMap().update(ITER(e)),
    "stable_hash": lambda m, s, e: slotwise.stable_hash(INDEX(e)),
    "shard_ids": lambda m, s, e: slotwise.shard_ids(ITER(e), 4),
    "shard_ids of an array": lambda m, s, e: slotwise.shard_ids(raising("__dlpack__")(e), 4),
    "shard_ids of a key": lambda m, s, e: slotwise.shard_ids([INDEX(e)], 4),
    "n": lambda m, s, e: slotwise.shard_ids([1], INDEX(e)),
    "setstate": lambda m, s, e: slotwise.StrDelta.__new__(slotwise.StrDelta).__setstate__((INDEX(e), 1, (True, True, False), [], [], [], [])),
}
ERRORS = [KeyboardInterrupt("stop"), Stop("stop"), RuntimeError("r"), TypeError("t"), ValueError("v"), OverflowError("o"), KeyError("k"),
          BufferError("b"), MemoryError("m"), StopAsyncIteration("s"), SystemExit(3), RecursionError("d")]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_of_a_users_code_arrives_as_it_is(name, error):
    table, series = slotwise.Int64Float64Map(), slotwise.StrSeries()
    table[5] = 5.0
    series.set("b", 1.0, time=1)
    before = table.snapshot(), series.snapshot()
    with pytest.raises(type(error)) as raised:
        CALLS[name](table, series, error)
    assert raised.value is error
    assert (table.snapshot(), series.snapshot()) == before


def test_an_exception_in_a_stream_of_pyarrow_arrives_as_it_is():
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"key": pa.int64(), "value": pa.float64()})
    for error in ERRORS:

        def batches():
            yield pa.record_batch({"key": pa.array([1]), "value": pa.array([1.0])})
            raise error  # noqa: B023

        table = slotwise.Int64Float64Map()
        with pytest.raises(type(error)) as raised:
            table.update(pa.RecordBatchReader.from_batches(schema, batches()))
        assert str(raised.value) == str(error)
        assert table.items() == [(1, 1.0)]
        table[2] = 2.0  # the lock is free


def test_a_map_is_its_own_source(map_subject):
    for size in (0, 3, 5000):
        for on_write in ("detach", "refuse"):
            table = map_subject.filled(on_write=on_write) if size else map_subject.cls(on_write=on_write)
            text = isinstance(map_subject.keys[0], str)
            table.update({f"key {i}" if text else i + 10: i for i in range(size)})
            before = table.snapshot()
            for source in (lambda: table, lambda: table.items(), lambda: dict(table), lambda: iter(table.items())):
                table.update(source())
                assert table.snapshot() == before and not table.pinned
    table = map_subject.filled()
    for source in (lambda: table.arrow(), lambda: table.copy()):
        table.update(source())
        assert table == map_subject.filled()
    with pytest.raises(BufferError):
        table.on_write = "refuse"
        table.update(table.arrow())


def test_a_series_is_its_own_source(series_subject):
    a, b, c = series_subject.keys
    series = series_subject.filled()
    series.set(b, None, time=1)
    for time, source in enumerate((lambda: series, lambda: series.items(), lambda: series.arrow()), 2):
        before = series.items()
        series.update(source(), time=time)
        assert series.items() == before and series.time_of(a) == time and series.time_of(b) is None
        assert series.capture().modified == {a: 1.5, c: 3.5}


def test_a_source_that_changes_the_map_while_it_is_read(map_subject):
    table = map_subject.filled()
    keys, values = map_subject.keys, map_subject.values

    def pairs():
        yield keys[0], values[2]
        table.clear()
        yield keys[1], values[2]
        table[keys[2]] = values[0]

    table.update(pairs())
    assert table == {keys[0]: values[2], keys[1]: values[2], keys[2]: values[0]}


def test_a_series_has_members_without_a_value_from_none(series_subject):
    a, b, c = series_subject.keys
    series = series_subject.cls()
    series.set(a, None, time=1)
    series.set(b, 1.5, time=1)
    series.update({b: None, c: None}, time=2)
    assert series.items() == [(a, None), (b, None), (c, None)] and series.capture().reset == [b]
    series.update([(b, 2.5), (a, 1.0)], time=3)
    assert series.invalidate(b, time=4) is True and series.invalidate(b, time=4) is False
    assert series.invalidate(c, time=4) is False and series[b] is None and series[a] == 1.0
    assert series.capture().reset == [b]
    replica = series_subject.cls()
    replica.restore(series.snapshot())
    assert replica == series
