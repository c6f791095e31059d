# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Table: rows by position, in columns, against a list."""

import collections.abc
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import slotwise as sw
from conftest import Quote, quote, quote_columns
from hypothesis import given, settings
from hypothesis import strategies as st
from test_slot_map import LEAVES


def filled(n):
    return sw.Table(Quote, quote_columns(n))


def test_rows_by_position():
    t = sw.Table({"x": "f8", "name": str})
    t.append(x=1.0, name="a")
    t.append((2, "b"))
    t.append({"x": 3.0, "name": "c"})
    t.extend({"x": [4.0, 5.0], "name": ["d", "e"]})
    assert len(t) == 5 and t[0].name == "a" and t[-1] == (5.0, "e") and [row.name for row in t] == list("abcde")
    assert t[1:3] == sw.Table({"x": "f8", "name": str}, [(2.0, "b"), (3.0, "c")]) and [r.name for r in t[::-2]] == ["e", "c", "a"]
    t[1] = (9.0, "z")
    t.set(-1, x=7.0)
    assert t[1] == (9.0, "z") and t[4] == (7.0, "e")
    assert t.column("x").tolist() == [1.0, 9.0, 3.0, 4.0, 7.0]
    for wrong in (5, -6, 2**40):
        with pytest.raises(IndexError):
            t[wrong]


def test_erase_keeps_the_order_and_swap_erase_does_not():
    t = filled(6)
    assert t.swap_erase(1) == 5 and [row.size for row in t] == [0, 5, 2, 3, 4]
    assert t.swap_erase(-1) is None and [row.size for row in t] == [0, 5, 2, 3]
    t.erase(0)
    assert list(t) == [quote(5), quote(2), quote(3)]
    assert t.pop() == quote(3) and t.pop(0) == quote(5) and len(t) == 1
    t = filled(20)
    model = [quote(i) for i in range(20)]
    for part in (slice(3, 7), slice(None, None, 3), slice(-1, 4, -2), slice(5, 5), slice(100, None)):
        del t[part]
        del model[part]
        assert list(t) == model


def test_batches():
    t = filled(1000)
    got = t.get_many([5, -1, 5])
    assert got["bid"].tolist() == [5.0, 999.0, 5.0] and got["venue"].tolist() == ["venue 5", None, "venue 5"]
    t.update_many(np.array([0, -1, 0]), {"size": [1, 2, 3], "venue": ["x", None, "y"]})
    assert t[0] == Quote(0.0, 3, True, "y") and t[999] == Quote(999.0, 2, False, None)
    t.set_column("bid", np.arange(1000) * 2)
    t.set_column("venue", [None] * 1000)
    assert t.column("bid").tolist() == [2.0 * i for i in range(1000)] and t.column("venue").tolist() == [None] * 1000
    before = t.snapshot()
    for call, kind in (
        (lambda: t.update_many([0, 1000], {"size": [1, 2]}), IndexError),
        (lambda: t.update_many([0, 1], {"size": [1]}), ValueError),
        (lambda: t.set_column("bid", [1.0]), ValueError),
        (lambda: t.set_column("size", ["a"] * 1000), (ValueError, TypeError)),
        (lambda: t.extend({"bid": [1.0]}), ValueError),
        (lambda: t.extend([quote(1), (1, 2)]), (ValueError, TypeError)),
        (lambda: t.get_many([-1001]), IndexError),
    ):
        with pytest.raises(kind):
            call()
        assert t.snapshot() == before


def test_it_is_a_sequence():
    t = filled(4)
    assert isinstance(t, collections.abc.Sequence) and quote(2) in t and quote(9) not in t and t.index(quote(2)) == 2 and t.count(quote(1)) == 1
    assert list(reversed(t)) == list(t)[::-1] and t == t.copy() and t != filled(3) and t != list(t)
    with pytest.raises(TypeError, match="unhashable"):
        hash(t)
    with pytest.raises(ValueError):
        t.index(quote(2), 3)
    rows = iter(t)
    t.clear()
    assert list(rows) == [quote(i) for i in range(4)] and not t
    assert sw.Table[Quote].__origin__ is sw.Table


def test_frames_and_columns():
    pa = pytest.importorskip("pyarrow")
    t = filled(5)
    assert t.to_arrow() == pa.table(t) and t.to_arrow().column_names == ["bid", "size", "open", "venue"]
    assert list(sw.Table(Quote, t.to_arrow())) == list(sw.Table(Quote, t.to_polars())) == list(t)
    assert t.to_pandas()["size"].tolist() == [0, 1, 2, 3, 4] and t.to_polars().shape == (5, 4)
    assert list(t.to_numpy()) == ["bid", "size", "open", "venue"]
    assert len(t.chunks("bid")) == 1 and filled(0).chunks("bid") == []
    assert "Table" in repr(t) and "bid" in t._repr_html_()


def test_copies_pickles_and_weak_references():
    t = filled(100)
    for other in (t.copy(), copy.copy(t), copy.deepcopy(t), pickle.loads(pickle.dumps(t)), t[:]):
        assert other == t and other.snapshot() == t.snapshot()
        other.append(quote(1))
        assert len(t) == 100
    reference = weakref.ref(t)
    del t
    gc.collect()
    assert reference() is None


@st.composite
def histories(draw):
    names = draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True))
    schema = {name: draw(st.sampled_from(list(LEAVES))) for name in names}
    row = st.tuples(*(LEAVES[kind] for kind in schema.values()))
    index = st.none() | st.integers(-12, 12)
    step = st.tuples(
        st.sampled_from(["append", "extend", "columns", "set", "del", "del slice", "swap", "pop", "slice", "update", "restore", "own", "view"]),
        st.lists(row, min_size=1, max_size=6),
        st.builds(slice, index, index, st.none() | st.sampled_from([1, 2, 3, -1, -2])),
        st.integers(0, 2**32),
    )
    return schema, draw(st.lists(step, max_size=15))


@settings(max_examples=150, deadline=None)
@given(histories())
def test_a_history_is_that_of_a_list(history):
    schema, steps = history
    t, model, views = sw.Table(schema), [], []

    def columns_of(rows):
        return {name: [row[i] for row in rows] for i, name in enumerate(schema)}

    for verb, rows, part, number in steps:
        if verb == "append":
            t.append(rows[0])
            model.append(rows[0])
        elif verb in ("extend", "columns"):
            t.extend(rows if verb == "extend" else columns_of(rows))
            model.extend(rows)
        elif verb == "del slice":
            del t[part]
            del model[part]
        elif verb == "slice":
            assert [tuple(row) for row in t[part]] == model[part]
        elif verb == "restore":
            other = sw.Table(schema)
            other.restore(t.snapshot())
            assert other == t
            t = other
        elif verb == "own" and len(model) < 50:
            t.extend(t)
            model.extend(model)
        elif verb == "view":
            views.append((t.to_numpy(), {name: array.tolist() for name, array in t.to_numpy().items()}))
        elif model:
            at = number % len(model)
            if verb == "set":
                t[at - len(model)] = rows[0]
                model[at] = rows[0]
            elif verb == "del":
                del t[at]
                del model[at]
            elif verb == "pop":
                assert tuple(t.pop(at)) == model.pop(at)
            elif verb == "swap":
                assert t.swap_erase(at) == (len(model) - 1 if at != len(model) - 1 else None)
                model[at] = model[-1]
                model.pop()
            elif verb == "update":
                chosen = [(number + i) % len(model) for i in range(len(rows))]
                t.update_many(chosen, columns_of(rows))
                for i, row in zip(chosen, rows):
                    model[i] = row
        assert len(t) == len(model) and [tuple(row) for row in t] == model
        for arrays, before in views:
            assert {name: array.tolist() for name, array in arrays.items()} == before
