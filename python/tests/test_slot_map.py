# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""SlotMap: handles, elements of any schema, batches, the interface of a mapping."""

import collections.abc
import copy
import dataclasses
import gc
import pickle
import typing
import weakref

import numpy as np
import pytest
import slotwise as sw
from conftest import Quote, quote, quote_columns
from hypothesis import given, settings
from hypothesis import strategies as st


@dataclasses.dataclass
class Body:
    x: float
    y: float


class Point(typing.NamedTuple):
    x: int
    y: int


@pytest.fixture
def bodies():
    m = sw.SlotMap(value=Body)
    return m, [m.insert(Body(float(i), -float(i))) for i in range(3)]


def test_a_handle_finds_its_element(bodies):
    m, handles = bodies
    assert len(m) == 3 and list(m) == list(m.keys()) == handles == m.handles().tolist()
    assert [m[handle] for handle in handles] == list(m.values()) == [Body(0.0, -0.0), Body(1.0, -1.0), Body(2.0, -2.0)]
    assert list(m.items()) == list(zip(handles, m.values()))
    assert all(type(handle) is int and handle in m and np.uint64(handle) in m for handle in handles)
    assert m.handles().dtype == np.uint64


def test_every_way_to_give_an_element():
    m = sw.SlotMap(value=Body)
    for handle in (m.insert(Body(1.0, 2.0)), m.insert((1.0, 2.0)), m.insert({"x": 1, "y": 2}), m.insert(x=1.0, y=2), m.insert([1, 2])):
        assert m[handle] == Body(1.0, 2.0) and type(m[handle]) is Body
    m = sw.SlotMap(value={"x": "f4", "place": {"name": str, "at": ("i2", 2)}})
    handle = m.insert(x=0.5, place={"name": "a", "at": (1, 2)})
    assert m[handle].place.name == "a" and list(m[handle].place.at) == [1, 2]
    assert m.column("place.at").tolist() == [[1, 2]] and m.column("place.name").tolist() == ["a"]
    m = sw.SlotMap(value=Point)
    assert m[m.insert(Point(1, 2))] == Point(1, 2) and type(next(iter(m.values()))) is Point
    m = sw.SlotMap([1.5, 2.5], value=float)
    assert list(m.values()) == [1.5, 2.5] and m.column().tolist() == [1.5, 2.5]


def test_a_stale_handle_never_finds_another_element(bodies):
    m, handles = bodies
    del m[handles[0]]
    again = m.insert(Body(9.0, 9.0))
    assert again != handles[0] and handles[0] not in m and m.get(handles[0]) is None and m.get(handles[0], "no") == "no"
    for call in (lambda: m[handles[0]], lambda: m.__delitem__(handles[0]), lambda: m.__setitem__(handles[0], Body(0, 0)),
                 lambda: m.set(handles[0], x=1.0), lambda: m.pop(handles[0])):  # fmt: skip
        with pytest.raises(KeyError, match="stale"):
            call()
    assert m.erase(handles[0]) is False and m.pop(handles[0], "no") == "no" and m[again] == Body(9.0, 9.0)
    assert m.explain(handles[0]) == "stale" and m.explain(again) == "live" and m.explain(0) == "null" and m.explain(2**31) == "unknown"
    assert m.explain("a") == m.explain(-1) == "unknown"


def test_a_thousand_lives_of_one_place_have_a_thousand_handles():
    m, seen = sw.SlotMap(value=int), []
    for i in range(1000):
        handle = m.insert(i)
        assert m[handle] == i and not any(old in m for old in seen[-50:])
        seen.append(handle)
        assert m.erase(handle) is True
    assert len(set(seen)) == 1000 and m.contains_many(seen).tolist() == [False] * 1000


def test_any_number_may_be_asked(bodies):
    m, _ = bodies
    for number in (0, 1, 2**32 - 1, 2**63, 2**64 - 1, -1, 2**64, "a", None, 1.5):
        assert number not in m and m.get(number, "no") == "no" and m.erase(number) is False
        with pytest.raises(KeyError, match="handle"):
            m[number]


def test_fields_are_replaced(bodies):
    m, handles = bodies
    m[handles[0]] = Body(5.0, 6.0)
    m.set(handles[1], y=7.0)
    m.set(handles[2], Body(8.0, 8.0))
    assert list(m.values()) == [Body(5.0, 6.0), Body(1.0, 7.0), Body(8.0, 8.0)]
    assert m.pop(handles[1]) == Body(1.0, 7.0) and len(m) == 2


def test_batches():
    m = sw.SlotMap(value=Quote)
    handles = m.insert_many(quote_columns(1000))
    assert handles.dtype == np.uint64 and handles.shape == (1000,) and len(m) == 1000
    assert [m[int(handle)] for handle in handles[:10]] == [quote(i) for i in range(10)]
    some = handles[[7, 3, 7]]
    got = m.get_many(some)
    assert got["bid"].tolist() == [7.0, 3.0, 7.0] and got["size"].tolist() == [7, 3, 7] and got["open"].tolist() == [False, False, False]
    assert got["venue"].tolist() == ["venue 7", None, "venue 7"]
    m.update_many(some, {"bid": [1.0, 2.0, 3.0]})
    assert m[int(handles[7])] == Quote(3.0, 7, False, "venue 7") and m[int(handles[3])].bid == 2.0
    assert m.erase_many(handles[::2]) == 500 and m.erase_many(handles[:4]) == 2 and len(m) == 498
    assert m.contains_many(handles[:8]).tolist() == [False, False, False, False, False, True, False, True]
    assert m.contains_many(handles).dtype == np.bool_
    masked = m.get_many(handles[4:8], missing="null")
    assert masked["bid"].mask.tolist() == [True, False, True, False] and masked["bid"].compressed().tolist() == [5.0, 3.0]
    with pytest.raises(KeyError, match=r"handles\[2\]: .*stale"):
        m.get_many(handles[[5, 7, 0]])
    before = m.snapshot()
    with pytest.raises(KeyError, match=r"handles\[1\]: .*stale"):
        m.update_many(handles[[5, 0]], {"bid": [9.0, 9.0]})
    with pytest.raises((ValueError, TypeError), match="bid"):
        m.update_many(handles[[5, 7]], {"bid": ["a", "b"]})
    assert m.snapshot() == before
    assert m.insert_many({"bid": [], "size": [], "open": [], "venue": []}).shape == (0,)


def test_sources_of_every_kind():
    pa, pl, pd = pytest.importorskip("pyarrow"), pytest.importorskip("polars"), pytest.importorskip("pandas")
    columns = {"x": np.arange(5.0), "y": np.arange(5.0) * 2}
    structured = np.zeros(5, [("x", "f8"), ("y", "f8")])
    structured["x"], structured["y"] = columns["x"], columns["y"]
    for source in (columns, structured, pa.table(columns), pl.DataFrame(columns), pd.DataFrame(columns), pa.table(columns).to_reader(),
                   [Body(i, 2 * i) for i in range(5)], ((i, 2 * i) for i in range(5)), [{"x": i, "y": 2 * i} for i in range(5)]):  # fmt: skip
        m = sw.SlotMap(value=Body)
        handles = m.extend(source)
        assert list(m.values()) == [Body(float(i), 2.0 * i) for i in range(5)] and m.handles().tolist() == handles.tolist()
    m = sw.SlotMap(value=float)
    for source in (np.arange(3.0), pa.array([0.0, 1.0, 2.0]), pl.Series([0.0, 1.0, 2.0]), pd.Series([0.0, 1.0, 2.0]), [0, 1, 2], range(3)):
        handles = m.extend(source)
        for ask in (handles, handles.tolist(), pa.array(handles), pl.Series(handles), pd.Series(handles), handles.astype(np.int64)):
            assert m.get_many(ask).tolist() == [0.0, 1.0, 2.0]
    other = sw.SlotMap(m, value=float)
    assert list(other.values()) == list(m.values())


def test_what_is_refused_adds_nothing():
    m = sw.SlotMap([Quote(1.0)], value=Quote)
    before = m.snapshot()
    good = quote_columns(3)
    for wrong in (
        good | {"bid": ["a", 1.0, 2.0]},
        good | {"size": [0, 2**40 * 2**40, 1]},
        good | {"size": [0, None, 1]},
        good | {"size": [0, 1]},
        {name: good[name] for name in ("bid", "size")},
        [quote(1), Quote("a")],
        [quote(1), None],
        [quote(1), (1.0,)],
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            m.extend(wrong)
        assert m.snapshot() == before and len(m) == 1


def test_it_is_a_mapping(bodies):
    m, handles = bodies
    assert isinstance(m, collections.abc.Mapping) and isinstance(m.keys(), collections.abc.KeysView)
    assert m.keys() & {handles[0], 5} == {handles[0]} and len(m.values()) == 3 and (handles[1], Body(1.0, -1.0)) in m.items()
    assert dict(m) == m and m == dict(m) and m == m.copy() and m != {} and m != 5 and not m == {handles[0]: Body(0.0, -0.0)}
    assert m.keys() == set(handles) and repr(m.keys()) == f"SlotMap.keys({handles})"
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)
    for handle in m:
        m.erase(handle)  # a walk is over the handles of its beginning
    assert not m and len(m.items()) == 0
    match {"a": m.copy()}:
        case {"a": {}}:
            pass
        case _:
            pytest.fail("no mapping to a match statement")


def test_columns_are_views_and_have_holes():
    m = sw.SlotMap(value=float)
    handles = m.extend(np.arange(10.0))
    column = m.column(copy=False)
    assert column.tolist() == list(range(10)) and not column.flags.writeable
    del column
    m.erase(int(handles[4]))
    with pytest.raises(ValueError, match="holes"):
        m.column(copy=False)
    assert [chunk.tolist() for chunk in m.chunks()] == [[0, 1, 2, 3], [5, 6, 7, 8, 9]] and len(m.column()) == 9
    assert m.column("handle").tolist() == list(m) and not m.pinned
    m = sw.SlotMap(value={"at": "datetime64[ns]", "n": "f8?", "s": str, "b": bool, "v": ("f4", 3)})
    m.insert(at=np.datetime64(5, "ns"), n=None, s="a", b=True, v=(1, 2, 3))
    m.insert(at=np.datetime64("NaT", "ns"), n=1.5, s="ü" * 50, b=False, v=[4, 5, 6])
    assert m.column("at").dtype == "M8[ns]" and m.column("n").tolist() == [None, 1.5] and m.column("s").tolist() == ["a", "ü" * 50]
    assert m.column("b").dtype == bool and m.column("v").shape == (2, 3)
    assert list(m.to_numpy()) == ["handle", "at", "n", "s", "b", "v"]


def test_frames(bodies):
    m, handles = bodies
    pa, pl, pd = pytest.importorskip("pyarrow"), pytest.importorskip("polars"), pytest.importorskip("pandas")
    table = m.to_arrow()
    assert table.column_names == ["handle", "x", "y"] and table["handle"].to_pylist() == handles and table == pa.table(m)
    assert m.to_polars()["x"].to_list() == [0.0, 1.0, 2.0] and m.to_pandas()["y"].tolist() == [0.0, -1.0, -2.0]
    del m[handles[1]]
    assert m.to_arrow()["handle"].to_pylist() == [handles[0], handles[2]] and m.to_arrow()["x"].to_pylist() == [0.0, 2.0]
    assert pl.DataFrame(m.to_arrow()).shape == (2, 3) and len(pd.DataFrame.from_arrow(m) if hasattr(pd.DataFrame, "from_arrow") else [1, 2]) == 2
    assert "SlotMap" in repr(m) and "handle" in m._repr_html_()


def test_handles_survive_snapshots_pickles_and_copies(bodies):
    m, handles = bodies
    m.erase(handles[1])
    other = sw.SlotMap(value=Body)
    other.restore(m.snapshot())
    for again in (other, pickle.loads(pickle.dumps(m)), m.copy(), copy.copy(m), copy.deepcopy(m)):
        assert list(again.items()) == list(m.items()) and handles[1] not in again and again.explain(handles[1]) == "stale"
        assert again.snapshot() == m.snapshot()
        assert again.insert(Body(1.0, 1.0)) == m.copy().insert(Body(1.0, 1.0))


class Named(sw.SlotMap):
    """A class that derives, with another constructor."""

    def __init__(self, name):
        super().__init__(value=float)
        self.name = name


def test_a_class_that_derives():
    m = Named("a")
    handle = m.insert(1.5)
    for other in (m.copy(), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert type(other) is Named and other.name == "a" and other[handle] == 1.5
    reference = weakref.ref(m)
    del m
    gc.collect()
    assert reference() is None
    assert sw.SlotMap[Body].__origin__ is sw.SlotMap


def test_it_leaks_nothing():
    import tracemalloc

    def work():
        m = sw.SlotMap(value=Quote)
        for _ in range(3):
            handles = m.insert_many(quote_columns(50))
            m.get_many(handles), m.to_numpy(), m.copy(), m.snapshot(), list(m.items())
            m.erase_many(handles[::2])
            for wrong in ("a", 5):
                with pytest.raises(KeyError):
                    m[wrong]

    tracemalloc.start()
    sizes = []
    for rounds in (100, 100):  # free lists are full after the first
        for _ in range(rounds):
            work()
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[1] - sizes[0] < 20_000, "200 bytes a round"


LEAVES = {
    "i8": st.integers(-(2**63), 2**63 - 1),
    "u2": st.integers(0, 2**16 - 1),
    "f8": st.floats(allow_nan=False),
    "?": st.booleans(),
    "str": st.text(max_size=30),
    "bytes": st.binary(max_size=30),
    "i4?": st.none() | st.integers(-(2**31), 2**31 - 1),
    "str?": st.none() | st.text(max_size=30),
}


@st.composite
def histories(draw):
    names = draw(st.lists(st.sampled_from(["a", "b", "c", "long name"]), min_size=1, max_size=4, unique=True))
    schema = {name: draw(st.sampled_from(list(LEAVES))) for name in names}
    row = st.tuples(*(LEAVES[kind] for kind in schema.values()))
    step = st.tuples(st.sampled_from(["insert", "extend", "many", "erase", "erase_many", "set", "update_many", "restore", "copy", "clear", "view"]),
                     st.lists(row, min_size=1, max_size=6), st.integers(0, 2**32))  # fmt: skip
    return schema, draw(st.lists(step, max_size=15))


@settings(max_examples=150, deadline=None)
@given(histories())
def test_a_history_is_that_of_a_dict(history):
    schema, steps = history
    m, model, stale = sw.SlotMap(value=schema), {}, set()
    views = []

    def columns_of(rows):
        return {name: [row[i] for row in rows] for i, name in enumerate(schema)}

    def some(number):
        handles = list(model)
        return [handles[(number + i) % len(handles)] for i in range(min(len(handles), 1 + number % 4))]

    for verb, rows, number in steps:
        if verb == "insert":
            model[m.insert(rows[0])] = rows[0]
        elif verb == "extend":
            model.update(zip(m.extend(rows).tolist(), rows))
        elif verb == "many":
            model.update(zip(m.insert_many(columns_of(rows)).tolist(), rows))
        elif verb == "clear":
            m.clear()
            stale |= set(model)
            model.clear()
        elif verb == "restore":
            other = sw.SlotMap(value=schema)
            other.restore(m.snapshot())
            assert other == m
            m = other
        elif verb == "copy":
            m = m.copy()
        elif verb == "view":
            views.append((m.to_numpy(), {name: array.tolist() for name, array in m.to_numpy().items()}))
        elif model:
            chosen = some(number)
            if verb == "erase":
                assert m.pop(chosen[0]) == model.pop(chosen[0])
                stale.add(chosen[0])
            elif verb == "erase_many":
                assert m.erase_many(chosen + chosen) == len(chosen)
                stale |= set(chosen)
                for handle in chosen:
                    del model[handle]
            elif verb == "set":
                m[chosen[0]] = rows[0]
                model[chosen[0]] = rows[0]
            else:
                rows = (rows * 4)[: len(chosen)]
                m.update_many(chosen, columns_of(rows))
                model.update(zip(chosen, rows))
        assert len(m) == len(model) and {handle: tuple(row) for handle, row in m.items()} == model
        assert not any(handle in m for handle in stale)
        for arrays, before in views:
            assert {name: array.tolist() for name, array in arrays.items()} == before
    got = m.get_many(list(model)) if model else {}
    for i, name in enumerate(schema if model else ()):
        assert got[name].tolist() == [row[i] for row in model.values()]
