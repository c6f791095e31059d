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
def test_a_write_under_a_view_raises_buffer_error_and_changes_nothing(keyed, name):
    table = keyed.filled()
    before = table.snapshot()
    column = table.column()
    assert table.pinned
    with pytest.raises(BufferError, match="delete the view.*copy.*detach"):
        WRITES[name](table, keyed)
    assert table.snapshot() == before and column.tolist() == keyed.values


@pytest.mark.parametrize("name", WRITES)
def test_without_the_view_the_write_is_possible(keyed, name):
    table = keyed.filled()
    column = table.column()
    part = column[1:]
    del column
    assert table.pinned, "a slice keeps the view alive"
    del part
    assert not table.pinned
    WRITES[name](table, keyed)


@pytest.mark.parametrize("name", WRITES)
def test_detach_leaves_the_view_as_it_was(keyed, name):
    table = keyed.filled(on_write="detach")
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
    assert table.on_write == "refuse"
    table.on_write = "detach"
    assert table.on_write == "detach"
    with pytest.raises(ValueError, match="on_write: 'refuse' or 'detach' is needed, not 'maybe'"):
        table.on_write = "maybe"
    with pytest.raises(ValueError, match="on_write"):
        keyed.cls(on_write=1)


def test_slot_views_pin_too(slots):
    table, handles = slots
    column = table.column()
    for write in (lambda: table.erase(handles[0]), table.clear, lambda: table.reserve(5)):
        with pytest.raises(BufferError):
            write()
    assert column.tolist() == [1.5, 2.5, 3.5]
    table.on_write = "detach"
    table.erase(handles[0])
    assert column.tolist() == [1.5, 2.5, 3.5] and len(table) == 2 and handles[1] in table


def test_a_view_of_an_empty_one_pins_it_too():
    table = slotwise.Int64Int64Map()
    column = table.column()
    assert table.pinned and len(column) == 0
    del column
    table[1] = 1
