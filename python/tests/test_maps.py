# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Maps, and what series share with them."""

import copy
import pickle

import numpy as np
import pytest
import slotwise


def test_reads_what_was_written(keyed):
    table = keyed.filled()
    assert len(table) == 3 and table
    for key, value in zip(keyed.keys, keyed.values):
        assert key in table and table[key] == value and table.get(key) == value


def test_an_empty_one_is_false_and_has_nothing(keyed):
    table = keyed.cls()
    assert not table and len(table) == 0 and table.items() == [] and keyed.keys[0] not in table
    assert table.column().shape == (0,)


def test_items_keys_and_values_are_in_one_order(keyed):
    table = keyed.filled()
    assert table.keys() == keyed.keys and list(table) == keyed.keys
    assert table.values() == keyed.values
    assert table.items() == list(zip(keyed.keys, keyed.values))
    assert dict(table.items()) == dict(zip(keyed.keys, keyed.values))


def test_a_missing_key_raises_key_error_that_names_it(keyed):
    table = keyed.cls()
    with pytest.raises(KeyError, match="no element has this key; get"):
        table[keyed.keys[0]]
    assert table.get(keyed.keys[0]) is None and table.get(keyed.keys[0], 7) == 7


def test_erase_says_whether_the_key_was_a_member(keyed):
    table = keyed.filled()
    assert table.erase(keyed.keys[1], **keyed.when) is True
    assert table.erase(keyed.keys[1], **keyed.when) is False
    assert keyed.keys[1] not in table and len(table) == 2


def test_set_and_clear(keyed):
    table = keyed.cls()
    table.set(keyed.keys[0], keyed.values[0], **keyed.when)
    table.set(keyed.keys[0], keyed.values[1], **keyed.when)
    assert table.items() == [(keyed.keys[0], keyed.values[1])]
    table.clear(**keyed.when)
    assert len(table) == 0


def test_a_map_is_written_by_brackets(map_subject):
    table = map_subject.cls()
    table[map_subject.keys[0]] = map_subject.values[0]
    assert table[map_subject.keys[0]] == map_subject.values[0]
    del table[map_subject.keys[0]]
    with pytest.raises(KeyError, match="erase"):
        del table[map_subject.keys[0]]


def test_update_takes_pairs_and_other_tables(keyed):
    table = keyed.cls()
    table.update(zip(keyed.keys, keyed.values), **keyed.when)
    other = keyed.cls()
    other.update(table.items(), **keyed.when)
    assert other == table


def test_update_converts_everything_before_it_writes(keyed):
    table = keyed.cls()
    with pytest.raises(TypeError, match="value: "):
        table.update({keyed.keys[0]: keyed.values[0], keyed.keys[1]: "no number"}, **keyed.when)
    assert len(table) == 0


def test_update_refuses_what_is_no_mapping(keyed):
    with pytest.raises(TypeError, match="source: a mapping"):
        keyed.cls().update(5, **keyed.when)
    with pytest.raises(TypeError, match="source: each item is a pair"):
        keyed.cls().update([(1, 2, 3)], **keyed.when)


@pytest.mark.parametrize("cls", [slotwise.UInt64Float64Map, slotwise.UInt64Int64Map])
def test_int64_numbers_are_uint64_keys_if_they_fit(cls):
    table = cls()
    table[np.int64(5)] = 1
    assert table[5] == 1 and np.uint64(5) in table
    with pytest.raises(OverflowError, match="key: -1 is no uint64"):
        table[-1] = 1
    with pytest.raises(OverflowError, match="is no uint64"):
        table[2**64] = 1


def test_keys_and_values_beyond_int64_are_refused():
    table = slotwise.Int64Int64Map()
    for key, value in ((2**63, 1), (1, -(2**63) - 1)):
        with pytest.raises(OverflowError, match="is no int64"):
            table[key] = value
    table[-(2**63)] = 2**63 - 1
    assert table.items() == [(-(2**63), 2**63 - 1)]


def test_a_key_of_another_type_is_no_member_and_can_not_be_written(keyed):
    wrong = 1 if isinstance(keyed.keys[0], str) else "a"
    table = keyed.filled()
    assert wrong not in table and table.get(wrong) is None and table.get(wrong, 7) == 7
    with pytest.raises(KeyError, match="no element has this key"):
        table[wrong]
    with pytest.raises(TypeError, match="key: "):
        table.set(wrong, keyed.values[0], **keyed.when)


def test_a_lone_surrogate_is_no_key():
    with pytest.raises(UnicodeEncodeError):
        slotwise.StrInt64Map()["\ud800"] = 1


def test_text_with_zeros_is_a_key():
    table = slotwise.StrInt64Map()
    table["a\0b"] = 1
    assert table.keys() == ["a\0b"] and "a" not in table


def test_equality_is_that_of_keys_and_values(keyed):
    a, b = keyed.filled(), keyed.filled()
    assert a == b and not a != b and a == a and a != 5
    b.erase(keyed.keys[0], **keyed.when)
    assert a != b
    with pytest.raises(TypeError):
        hash(a)


def test_a_snapshot_restores_slots_too(keyed):
    table = keyed.filled()
    table.erase(keyed.keys[1], **keyed.when)
    other = keyed.cls()
    other.restore(table.snapshot())
    assert other == table and other.snapshot() == table.snapshot()
    other.restore(bytearray(table.snapshot()))
    other.restore(memoryview(table.snapshot()))
    assert other == table


def test_restore_refuses_other_bytes_and_changes_nothing(keyed):
    table = keyed.filled()
    bytes_of = table.snapshot()
    for wrong in (b"", b"no snapshot", bytes_of[:-1], bytes_of + b"x"):
        with pytest.raises(ValueError, match="snapshot"):
            table.restore(wrong)
        assert table.snapshot() == bytes_of
    with pytest.raises(TypeError, match="data: bytes"):
        table.restore("text")


def test_a_snapshot_of_other_keys_is_refused():
    text, numbers = slotwise.StrInt64Map(), slotwise.Int64Int64Map()
    numbers[1] = 1
    with pytest.raises(ValueError, match="its keys are int64"):
        text.restore(numbers.snapshot())


def test_pickles(keyed):
    table = keyed.filled(on_write="refuse")
    again = pickle.loads(pickle.dumps(table))
    assert type(again) is keyed.cls and again == table and again.on_write == "refuse"
    assert again.snapshot() == table.snapshot()


def test_copies_are_apart(keyed):
    table = keyed.filled()
    for other in (table.copy(), copy.copy(table), copy.deepcopy(table)):
        assert other == table and other.snapshot() == table.snapshot()
        other.erase(keyed.keys[0], **keyed.when)
        assert len(table) == 3


def test_a_column_is_a_view_of_the_elements(keyed):
    table = keyed.filled()
    column = table.column()
    assert column.tolist() == keyed.values and column.dtype == np.array(keyed.values).dtype
    assert not column.flags.writeable and not column.flags.owndata
    assert np.shares_memory(column, table.column()) and np.shares_memory(column, table.column(copy=False))
    with pytest.raises(ValueError):
        column[0] = 1


def test_integer_keys_are_a_column_and_texts_are_none(keyed):
    table = keyed.filled()
    if isinstance(keyed.keys[0], str):
        with pytest.raises(TypeError, match="str keys have no array"):
            table.column("key")
    else:
        assert table.column("key", copy=False).tolist() == keyed.keys
        assert np.shares_memory(table.column("key"), table.column("key"))


def test_with_holes_a_column_is_a_copy_and_chunks_are_views(map_subject):
    table = map_subject.filled()
    table.erase(map_subject.keys[1])
    assert table.column().tolist() == table.values() == [map_subject.values[0], map_subject.values[2]]
    assert not table.pinned
    with pytest.raises(ValueError, match="copy=False: live slots have holes"):
        table.column(copy=False)
    chunks = table.chunks()
    assert [chunk.tolist() for chunk in chunks] == [[map_subject.values[0]], [map_subject.values[2]]]
    assert table.pinned and not chunks[0].flags.writeable
    with pytest.raises(KeyError, match="chunks"):
        table.chunks("nothing")


def test_chunks_are_the_runs_of_live_slots():
    table = slotwise.Int64Int64Map()
    table.update((i, i) for i in range(1000))
    gone = {0, 63, 64, 65, 200, 511, 512, 999}
    for key in gone:
        table.erase(key)
    chunks = table.chunks()
    assert [int(v) for chunk in chunks for v in chunk] == [i for i in range(1000) if i not in gone]
    assert [len(chunk) for chunk in chunks] == [62, 134, 310, 486]


def test_copy_true_pins_nothing(keyed):
    table = keyed.filled()
    column = table.column(copy=True)
    assert not table.pinned
    table.clear(**keyed.when)
    assert column.tolist() == keyed.values


def test_an_unknown_column_or_copy_is_an_error(keyed):
    table = keyed.filled()
    with pytest.raises(KeyError, match="there are 'key'"):
        table.column("nothing")
    with pytest.raises(TypeError, match="copy: None, True or False"):
        table.column(copy=1)


def test_reserve_makes_room_and_refuses_too_much(keyed):
    table = keyed.cls()
    table.reserve(1000)
    with pytest.raises((OverflowError, MemoryError)):
        table.reserve(2**40)
    assert len(table) == 0


def test_repr_says_what_it_is(keyed):
    assert repr(keyed.filled()) == f"<slotwise.{keyed.cls.__name__}: 3 elements>"
    assert repr(keyed.cls()) == f"<slotwise.{keyed.cls.__name__}: 0 elements>"
