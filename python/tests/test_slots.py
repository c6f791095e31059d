# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""SlotMap and SoaMap: handles as ints."""

import pickle

import numpy as np
import pytest
import slotwise


def test_a_handle_finds_its_element(slots):
    table, handles = slots
    assert len(table) == 3 and table.keys() == handles == list(table)
    assert [table[handle] for handle in handles] == table.values()
    assert table.items() == list(zip(handles, table.values()))
    assert all(isinstance(handle, int) and handle in table for handle in handles)


def test_a_stale_handle_never_finds_another_element(slots):
    table, handles = slots
    value = table[handles[0]]
    del table[handles[0]]
    again = table.insert(value)
    assert again != handles[0] and handles[0] not in table and table.get(handles[0]) is None
    with pytest.raises(KeyError, match="0v1 is stale: slot 0 is at version 3"):
        table[handles[0]]
    with pytest.raises(KeyError, match="stale|erased|no element has this handle"):
        del table[handles[0]]
    assert table.erase(handles[0]) is False
    with pytest.raises(KeyError):
        table[handles[0]] = value


def test_any_number_may_be_asked(slots):
    table, _ = slots
    for number in (0, 1, 2**32 - 1, 2**63, 2**64 - 1):
        assert number not in table and table.get(number, "no") == "no"
    for foreign in (-1, 2**64, "a", None):
        assert foreign not in table and table.get(foreign, "no") == "no"
        with pytest.raises(KeyError, match="handle"):
            table[foreign]


def test_an_element_is_replaced(slots):
    table, handles = slots
    table[handles[0]] = table[handles[1]]
    assert table[handles[0]] == table[handles[1]]
    table.update({handles[1]: table[handles[2]]})
    assert table[handles[1]] == table[handles[2]]


def test_update_with_a_stale_handle_changes_nothing(slots):
    table, handles = slots
    table.erase(handles[2])
    before = table.snapshot()
    value = table[handles[0]]
    with pytest.raises(KeyError):
        table.update({handles[1]: value, handles[2]: value})
    assert table.snapshot() == before


def test_extend_returns_the_handles(slots):
    table, _ = slots
    values = table.values()
    handles = table.extend(values)
    assert handles.dtype == np.uint64 and handles.shape == (3,)
    assert [table[int(handle)] for handle in handles] == values and len(table) == 6
    assert table.column("handle").tolist() == table.keys()


def test_columns_are_views(slots):
    table, _ = slots
    column = table.column(copy=False)
    assert column.tolist() == [1.5, 2.5, 3.5] and not column.flags.writeable
    with pytest.raises(KeyError, match="name: there are"):
        table.column("nothing")


def test_every_member_of_rows_is_a_column():
    table = slotwise.SoaMap()
    rows = [(float(i), i + 0.25, i + 0.5, i + 0.75) for i in range(100)]
    handles = table.extend(rows)
    table.erase(int(handles[10]))
    assert table[int(handles[99])] == rows[99]
    for i, name in enumerate("xyzw"):
        assert table.column(name, copy=False).tolist() == [row[i] for row in table.values()]
    with pytest.raises(TypeError, match="value: a row of four floats"):
        table.insert((1.0, 2.0))


def test_a_slot_map_with_holes_gives_chunks():
    table = slotwise.SlotMap()
    handles = table.extend(range(10))
    table.erase(int(handles[4]))
    with pytest.raises(ValueError, match="holes"):
        table.column(copy=False)
    assert [chunk.tolist() for chunk in table.chunks()] == [[0, 1, 2, 3], [5, 6, 7, 8, 9]]


def test_handles_survive_snapshots_pickles_and_copies(slots):
    table, handles = slots
    table.erase(handles[1])
    other = type(table)()
    other.restore(table.snapshot())
    for again in (other, pickle.loads(pickle.dumps(table)), table.copy()):
        assert again.items() == table.items() and handles[1] not in again
        value = table[handles[0]]
        assert again.insert(value) == table.copy().insert(value)


def test_restore_refuses_other_bytes(slots):
    table, _ = slots
    with pytest.raises(ValueError, match="snapshot"):
        table.restore(b"1234")
    assert len(table) == 3
