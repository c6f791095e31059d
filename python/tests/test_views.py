# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Views, the containers behind them, and writes."""

import pytest
import slotwise

WRITES = {
    "set": lambda table, subject: table.set(subject.keys[0], subject.values[1], **subject.when),
    "erase": lambda table, subject: table.erase(subject.keys[0], **subject.when),
    "clear": lambda table, subject: table.clear(**subject.when),
    "update": lambda table, subject: table.update({subject.keys[0]: subject.values[1]}, **subject.when),
    "restore": lambda table, subject: table.restore(table.snapshot()),
    "reserve": lambda table, subject: table.reserve(10),
}


@pytest.mark.parametrize("name", WRITES)
def test_with_refuse_a_write_under_a_view_raises_buffer_error_and_changes_nothing(keyed, name):
    table = keyed.filled(on_write="refuse")
    before = table.snapshot()
    column = table.column()
    assert table.pinned
    with pytest.raises(BufferError, match="delete the view.*copy.*detach"):
        WRITES[name](table, keyed)
    assert table.snapshot() == before and column.tolist() == keyed.values


@pytest.mark.parametrize("name", WRITES)
def test_without_the_view_the_write_is_possible(keyed, name):
    table = keyed.filled(on_write="refuse")
    column = table.column()
    part = column[1:]
    del column
    assert table.pinned, "a slice keeps the view alive"
    del part
    assert not table.pinned
    WRITES[name](table, keyed)


@pytest.mark.parametrize("name", WRITES)
def test_by_default_a_write_leaves_the_view_as_it_was(keyed, name):
    table = keyed.filled()
    column = table.column()
    WRITES[name](table, keyed)
    assert column.tolist() == keyed.values and not table.pinned


def test_detach_keeps_slots(keyed):
    table = keyed.filled(on_write="detach")
    before = table.snapshot()
    column = table.column()
    table.reserve(1)
    assert table.snapshot() == before and column.tolist() == keyed.values


def test_a_view_outlives_its_container(keyed):
    table = keyed.filled()
    column, chunks = table.column(), table.chunks()
    del table
    assert column.tolist() == keyed.values and chunks[0].tolist() == keyed.values


def test_reads_are_possible_under_a_view(keyed):
    table = keyed.filled()
    column = table.column()
    assert table[keyed.keys[0]] == keyed.values[0] and table.copy() == table and len(column) == 3


def test_a_copy_of_a_pinned_one_is_not_pinned(keyed):
    table = keyed.filled()
    column = table.column()
    other = table.copy()
    assert not other.pinned and len(column) == 3
    other.clear(**keyed.when)


def test_on_write_is_refuse_or_detach(keyed):
    table = keyed.cls()
    assert table.on_write == "detach"
    table.on_write = "refuse"
    assert table.on_write == "refuse"
    with pytest.raises(ValueError, match="on_write: 'refuse' or 'detach' is needed, not 'maybe'"):
        table.on_write = "maybe"
    with pytest.raises(ValueError, match="on_write"):
        keyed.cls(on_write=1)


def test_slot_views_pin_too(slots):
    table, handles = slots
    table.on_write = "refuse"
    column = table.column()
    for write in (lambda: table.erase(handles[0]), table.clear, lambda: table.reserve(5)):
        with pytest.raises(BufferError):
            write()
    assert column.tolist() == [1.5, 2.5, 3.5]
    table.on_write = "detach"
    table.erase(handles[0])
    assert column.tolist() == [1.5, 2.5, 3.5] and len(table) == 2 and handles[1] in table


def test_a_view_of_an_empty_one_pins_it_too():
    table = slotwise.Int64Int64Map(on_write="refuse")
    column = table.column()
    assert table.pinned and len(column) == 0
    del column
    table[1] = 1


# What is shared and what is copied depends on the size; what a program sees must not.
SIZES = [0, 1, 10, 4095, 4096, 100_000]
VIEWS = {
    "column": lambda table: table.column(),
    "chunks": lambda table: table.chunks(),
    "pyarrow": lambda table: pytest.importorskip("pyarrow").table(table),
    "pyarrow with holes": lambda table: pytest.importorskip("pyarrow").table(table.arrow(slots=True)),
    "polars": lambda table: pytest.importorskip("polars").DataFrame(table.arrow()),
}


def shown(view):
    return [list(part) for part in view] if isinstance(view, list) else getattr(view, "to_pydict", getattr(view, "to_dicts", view.__repr__))()


def filled(cls, size, on_write):
    table = cls(on_write=on_write)
    when = {"time": 1} if cls.__name__.endswith("Series") else {}
    if cls is slotwise.SlotMap:
        table.extend(range(size))
    elif cls is slotwise.SoaMap:
        table.extend((i, i, i, i) for i in range(size))
    else:
        table.update({str(i) if cls.__name__.startswith("Str") else i: i for i in range(size)}, **when)
    return table, when


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("cls", [slotwise.Int64Float64Map, slotwise.StrInt64Map, slotwise.UInt64Series, slotwise.SlotMap, slotwise.SoaMap])
def test_a_write_under_a_view_does_the_same_at_every_size(cls, view):
    for size in SIZES:
        if cls is slotwise.SoaMap and view == "chunks":
            return
        table, when = filled(cls, size, "detach")
        seen = VIEWS[view](table)
        before = shown(seen)
        table.clear(**when)
        assert len(table) == 0 and shown(seen) == before
        del seen

        if size == 0:
            continue  # nothing is shared of nothing, and a table of no batches keeps none
        table, when = filled(cls, size, "refuse")
        seen = VIEWS[view](table)
        if view == "polars" and not table.pinned:
            continue  # Polars has copied the batches that it was given, and given them back
        assert table.pinned
        with pytest.raises(BufferError):
            table.clear(**when)
        assert len(table) == size
        del seen
        assert not table.pinned
        table.clear(**when)


def test_parts_of_a_pyarrow_table_pin_as_the_whole_at_every_size():
    pa = pytest.importorskip("pyarrow")
    for size in SIZES[1:]:
        table, _ = filled(slotwise.Int64Float64Map, size, "refuse")
        part = pa.table(table)["value"].chunk(0)[-1:]
        assert table.pinned
        with pytest.raises(BufferError):
            table[1] = 2.0
        del part
        table[1] = 2.0
