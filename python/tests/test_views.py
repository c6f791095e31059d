# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Views, the containers behind them, and writes: the same at every size, of every class."""

import copy
import pickle

import numpy as np
import pytest
from conftest import NUMERIC, SUBJECTS, swept

# What is shared and what is copied depends on the size; what a program sees must not.
SIZES = [1, 3, 10, 4095, 4096, 20_000]
VIEWS = {
    "column": lambda subject, c: c.column(subject.column),
    "chunks": lambda subject, c: c.chunks(subject.column),
    "to_numpy": lambda subject, c: c.to_numpy(),
    "pyarrow": lambda subject, c: pytest.importorskip("pyarrow").table(c),
    "to_arrow": lambda subject, c: c.to_arrow(),
    "stream": lambda subject, c: c.__arrow_c_stream__(),
}
WRITES = [pytest.param(subject, name, id=f"{subject.name}: {name}") for subject in NUMERIC for name in subject.writes]


def shown(view):
    """What a view has, as Python objects."""
    if isinstance(view, dict):
        return {name: part.tolist() for name, part in view.items()}
    if isinstance(view, list):
        return [part.tolist() for part in view]
    if hasattr(view, "to_pydict"):
        return view.to_pydict()
    return view.tolist() if isinstance(view, np.ndarray) else None


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("subject, name", WRITES)
def test_by_default_a_write_leaves_the_view_as_it_was(subject, name, view):
    for size in SIZES[1:5]:
        c = subject.filled(size)
        seen = VIEWS[view](subject, c)
        before = shown(seen)
        subject.writes[name](c)
        assert shown(seen) == before


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("subject, name", WRITES)
def test_with_refuse_a_write_under_a_view_raises_and_changes_nothing(subject, name, view):
    for size in SIZES[1:5]:
        c = subject.filled(size)
        c.on_write = "refuse"
        before, contents = c.snapshot(), subject.shown(c)
        seen = VIEWS[view](subject, c)
        assert c.pinned
        with pytest.raises(BufferError, match="delete the view.*copy.*detach"):
            subject.writes[name](c)
        assert c.snapshot() == before and subject.shown(c) == contents
        del seen
        assert not c.pinned
        subject.writes[name](c)


@swept(NUMERIC)
@pytest.mark.parametrize("view", VIEWS)
def test_a_write_under_a_view_does_the_same_at_every_size(subject, view):
    for size in SIZES:
        c = subject.filled(size)
        seen = VIEWS[view](subject, c)
        before = shown(seen)
        subject.writes["clear"](c)
        assert len(c) == 0 and shown(seen) == before
        c = subject.filled(size)
        c.on_write = "refuse"
        seen = VIEWS[view](subject, c)
        assert c.pinned
        with pytest.raises(BufferError):
            subject.writes["clear"](c)
        assert len(c) == size
        del seen
        assert not c.pinned


@swept(NUMERIC)
def test_every_part_of_a_view_pins_as_the_whole(subject):
    for size in SIZES[1:]:
        c = subject.filled(size)
        c.on_write = "refuse"
        column = c.column(subject.column)
        part = column[1:]
        del column
        assert c.pinned, "a slice keeps the view alive"
        with pytest.raises(BufferError):
            subject.writes["clear"](c)
        del part
        assert not c.pinned
        part = c.to_arrow()[subject.column].chunk(0)[-1:]
        assert c.pinned
        with pytest.raises(BufferError):
            subject.writes["clear"](c)
        del part
        subject.writes["clear"](c)


@swept()
def test_what_is_a_copy_pins_nothing(subject):
    c = subject.filled(100)
    c.on_write = "refuse"
    column = c.column(subject.column, copy=True)
    before = column.tolist()
    assert not c.pinned
    subject.writes["clear"](c)
    assert column.tolist() == before


@swept(NUMERIC)
def test_a_view_outlives_its_container(subject):
    c = subject.filled(5000)
    column, chunks, table = c.column(subject.column), c.chunks(subject.column), c.to_arrow()
    before = c.column(subject.column, copy=True).tolist()
    del c
    assert column.tolist() == before and chunks[0].tolist() == before and table[subject.column].to_pylist() == before


@swept(NUMERIC)
def test_a_view_is_read_only(subject):
    c = subject.filled(5)
    for array in (c.column(subject.column), c.chunks(subject.column)[0], c.to_numpy()[subject.column]):
        assert not array.flags.writeable
        with pytest.raises(ValueError):
            array[0] = 1
        with pytest.raises(ValueError):
            array.flags.writeable = True


@swept(NUMERIC)
def test_a_column_is_shared_and_its_copies_are_not(subject):
    c = subject.filled(5000)
    a, b = c.column(subject.column, copy=False), c.column(subject.column)
    assert np.shares_memory(a, b) and not np.shares_memory(a, c.column(subject.column, copy=True))
    with pytest.raises(TypeError, match="copy: None, True or False"):
        c.column(subject.column, copy=1)
    with pytest.raises(KeyError, match="name: there"):
        c.column("nothing")


@swept()
def test_reads_are_possible_under_a_view(subject):
    c = subject.filled(5)
    c.on_write = "refuse"
    contents = subject.shown(c)
    view = c.to_arrow()
    assert subject.shown(c) == contents and c.copy() == c and len(c) == 5 and c == c
    assert c.snapshot() and repr(c) and view.num_rows == 5


@swept()
def test_a_copy_of_a_pinned_one_is_not_pinned(subject):
    c = subject.filled(5)
    c.on_write = "refuse"
    view = c.to_arrow()
    for other in (c.copy(), copy.copy(c), copy.deepcopy(c), pickle.loads(pickle.dumps(c))):
        assert not other.pinned and other.on_write == "refuse" and other == c and type(other) is type(c)
        subject.writes["clear"](other)
        assert len(other) == 0 and len(c) == 5 == view.num_rows


@swept()
def test_on_write_is_refuse_or_detach(subject):
    c = subject.make()
    assert c.on_write == "detach"
    c.on_write = "refuse"
    assert c.on_write == "refuse" and subject.make(on_write="refuse").on_write == "refuse"
    with pytest.raises(ValueError, match="on_write: 'refuse' or 'detach' is needed, not 'maybe'"):
        c.on_write = "maybe"
    for wrong, error in ((1, TypeError), (None, TypeError), ("Detach", ValueError)):
        with pytest.raises(error, match="on_write"):
            subject.make(on_write=wrong)
    assert c.on_write == "refuse"


@swept()
def test_an_empty_one_has_views_too(subject):
    c = subject.make()
    assert len(c.column(subject.column)) == 0 and c.to_arrow().num_rows == 0
    assert {len(part) for part in c.to_numpy().values()} == {0}
    subject.fill(c, 3)
    assert len(c) == 3


@swept(NUMERIC)
def test_detach_keeps_keys_and_places(subject):
    c = subject.filled(1000)
    before, contents = c.snapshot(), subject.shown(c)
    column = c.column(subject.column)
    subject.writes["reserve"](c)
    assert c.snapshot() == before and subject.shown(c) == contents and len(column) == 1000


def test_every_class_with_columns_is_swept():
    import slotwise

    containers = {thing for name in slotwise.__all__ if hasattr(thing := getattr(slotwise, name), "on_write")}
    assert containers <= {subject.cls for subject in SUBJECTS} | {getattr(slotwise, "World", None)}
