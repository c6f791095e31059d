# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Memory and reference counts do not grow when classes are used again and again, and cycles through containers are collected."""

import copy
import dataclasses
import gc
import pathlib
import pickle
import sys
import weakref

import numpy as np
import pytest
import slotwise as sw

RECORD = {"x": "f8", "n": "i4?", "name": str}
ROWS, ROUNDS = 2000, 12
COLUMNS = {"x": np.arange(ROWS, dtype="f8"), "n": np.arange(ROWS, dtype="i4"), "name": [f"a name of some length {n}" for n in range(ROWS)]}
KEYS = {int: np.arange(ROWS), str: [f"key of some length {n}" for n in range(ROWS)], (str, int): [(f"part {n}", n) for n in range(ROWS)]}


def each(source):
    """What every container offers, used once."""
    copy.copy(source)
    copy.deepcopy(source)
    pickle.loads(pickle.dumps(source))
    other = source.copy()
    other.restore(source.snapshot())
    assert other == source
    repr(source), source._repr_html_(), len(source), source.memory_usage(), source.pinned, source.on_write
    source.to_numpy()
    for capsule in (source.__arrow_c_schema__(), source.__arrow_c_stream__()):  # nobody takes it
        del capsule
    for write in (lambda: source.reserve(-1), lambda: source.restore(b"nothing"), lambda: setattr(source, "on_write", "never")):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            write()
    return source


def use_map(key):
    keys = list(KEYS[key])
    table = sw.Map(key=key, value=RECORD)
    table.update(keys, COLUMNS)
    table[keys[0]] = (1.0, None, "short")
    table[keys[1]] = {"x": 1.0, "n": 2, "name": "another name of some length"}
    assert table[keys[1]].name and keys[2] in table and table.get(None) is None
    view = table.column("x")
    del table[keys[5]]  # under a view: a copy
    table.get_many(keys[6:100]), table.contains_many(keys), table.erase_many(keys[6:100])
    for wrong in (object(), (1, 2, 3), {"x": "no number"}):
        with pytest.raises((TypeError, ValueError)):
            table[keys[0]] = wrong
    with pytest.raises(KeyError):
        table[keys[5]]
    list(table.items()), list(table.values()), table | {keys[5]: (1.0, 2, "x")}
    del view
    each(table)


def use_set(key):
    keys = list(KEYS[key])
    table = sw.Set(keys, key=key)
    assert keys[0] in table and not (table & {None})
    table.discard(keys[1]), table.add(keys[1]), table.pop()
    table.contains_many(keys), table.erase_many(keys[6:100]), list(table), table | {keys[7]}
    each(table)


def use_series(key):
    keys = list(KEYS[key])
    series, replica, seen = sw.Series(key=key, value=RECORD), sw.Series(key=key, value=RECORD), []
    subscription = series.subscribe(seen.append)
    series.update(keys, COLUMNS, time=1)
    replica.apply(series.capture())
    series.set(keys[0], x=2.0, time=2)
    series.erase(keys[1], time=2)
    series.close_window()
    delta = pickle.loads(pickle.dumps(series.capture()))
    assert replica.apply(delta) == sw.Applied.done and replica == series and len(seen) >= 2
    dict(delta.modified), list(delta.removed), list(delta.added), repr(delta)
    subscription.close()
    with pytest.raises(ValueError):
        series.set(keys[0], x=2.0, time=1)
    each(series)


def use_series_set(key):
    keys = list(KEYS[key])
    series, replica = sw.SeriesSet(key=key), sw.SeriesSet(key=key)
    series.update(keys, time=1)
    series.erase(keys[0], time=1)
    replica.apply(series.capture())
    assert replica == series
    each(series)


def use_slot_map():
    table = sw.SlotMap(value=RECORD)
    handles = table.insert_many(COLUMNS)
    one = table.insert((1.0, None, "name"))
    view = table.column("x")
    del table[one]
    with pytest.raises(KeyError):
        table[one]
    table.get_many(handles), table.erase_many(handles[:10]), table.contains_many(handles), list(table.items())
    del view
    each(table)


def use_table():
    table = sw.Table(RECORD)
    table.extend(COLUMNS)
    table.append((1.0, None, "name"))
    view = table.column("x")
    table[0] = (2.0, 3, "x")
    del table[5], view
    list(table), table[3:9]
    each(table)


def use_world():
    world = sw.World()
    position, name = world.component("position", {"x": "f4", "y": "f4"}), world.component("name", {"name": str})
    entities = world.spawn_many(ROWS, {position: {"x": COLUMNS["x"], "y": COLUMNS["x"]}, name: {"name": COLUMNS["name"]}})
    for chunk in world.query(position):
        chunk[position].x += chunk[position].y
    world.get(int(entities[0]), name)
    world.despawn_many(entities[:100])
    world.restore(world.snapshot())
    world.memory_usage(), repr(world)


USES = {f"{use.__name__[4:]} {getattr(key, '__name__', key)}": (use, key) for use in (use_map, use_set, use_series, use_series_set) for key in KEYS}
USES |= {use.__name__[4:]: (use,) for use in (use_slot_map, use_table, use_world)}


def resident():
    """Bytes of memory of this process, where the system says it in a file."""
    statm = pathlib.Path("/proc/self/statm")
    return int(statm.read_text().split()[1]) * 4096 if statm.exists() else 0


@pytest.mark.parametrize("use", USES)
def test_memory_does_not_grow(use):
    """What leaks grows in each of some periods: an object a round, or a column of 8 bytes a row. Caches grow in the first ones."""
    run, *arguments = USES[use]
    objects, memory = [], []
    for _ in range(5):
        gc.collect()
        sys._clear_type_cache()  # it keeps names of attributes that were looked up, up to some thousands
        objects.append(sys.getallocatedblocks())
        memory.append(resident())
        for _ in range(ROUNDS):
            run(*arguments)
    assert min(after - before for before, after in zip(objects, objects[1:])) < ROUNDS / 2
    assert min(after - before for before, after in zip(memory, memory[1:])) < ROUNDS * ROWS * 8 / 2


def test_values_and_keys_are_not_kept():
    """Each is converted: no object of a caller lives on."""
    key, text, number = "a key" * 10, "a text" * 10, float("12345.678")
    table = sw.Map(key=str, value={"text": str, "number": float})
    before = [sys.getrefcount(each) for each in (key, text, number)]
    for _ in range(100):
        table[key] = (text, number)
        table[key] = {"text": text, "number": number}
        table.update({key: (text, number)})
        assert key in table and table.get(key).number == number
    assert [sys.getrefcount(each) for each in (key, text, number)] == before


def test_a_column_keeps_what_it_shows_and_no_more():
    table = sw.Map({n: float(n) for n in range(10_000)})
    seen = weakref.ref(table)
    values = table.column("value")
    del table
    gc.collect()
    assert seen() is None and values[17] == 17.0


def record_class():
    @dataclasses.dataclass
    class Record:
        x: float = 0.0

    return Record


MAKERS = {
    "Map": lambda record: sw.Map(key=int, value=record),
    "Series": lambda record: sw.Series(key=int, value=record),
    "SlotMap": lambda record: sw.SlotMap(value=record),
    "Table": lambda record: sw.Table(record),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_cycle_through_a_record_class_is_collected(maker):
    record = record_class()
    record.table = MAKERS[maker](record)
    seen, table = weakref.ref(record), weakref.ref(record.table)
    del record
    gc.collect()
    assert seen() is None and table() is None


@pytest.mark.parametrize("maker", MAKERS)
def test_a_record_class_that_is_used_elsewhere_survives(maker):
    record = record_class()
    table, other = MAKERS[maker](record), MAKERS[maker](record)
    again = table.copy()
    del other, again
    for _ in range(3):
        gc.collect()
    assert record().x == 0.0 and type(table.schema) and len(table) == 0


@pytest.mark.parametrize("maker", MAKERS)
def test_a_cycle_through_an_attribute_is_collected(maker):
    plain = type(MAKERS[maker](float))
    mine = type("Mine", (plain,), {})
    table = mine(float) if maker == "Table" else mine(value=float) if maker == "SlotMap" else mine(key=int, value=float)
    table.itself = table
    seen = weakref.ref(table)
    del table
    gc.collect()
    assert seen() is None


def test_a_cycle_through_a_subscriber_is_collected():
    series = sw.Series(key=int, value=float)
    series.subscribe(lambda delta, series=series: None)
    seen = weakref.ref(series)
    del series
    gc.collect()
    assert seen() is None
