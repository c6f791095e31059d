# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""NaT: null in a nullable field, whatever way it comes; in any other it stays NaT, and is null in Arrow."""

import datetime

import numpy as np
import pytest
import slotwise

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

UNITS = ["datetime64[ns]", "datetime64[s]", "datetime64[D]", "timedelta64[us]", "timedelta64[D]"]


def nats(kind):
    numpy_type = np.datetime64 if kind.startswith("datetime") else np.timedelta64
    return [numpy_type("NaT"), numpy_type("NaT", "s"), pd.NaT, -(2**63)]


@pytest.mark.parametrize("kind", UNITS)
def test_nat_is_null_in_a_nullable_field(kind):
    for nat in nats(kind):
        ways = [slotwise.Table({"t": kind + "?"}) for _ in range(6)]
        ways[0].append(t=nat)
        ways[1].extend([{"t": nat}])
        ways[2].extend([(nat,)])
        ways[3].extend({"t": [nat]})
        ways[4].extend({"t": [0]})
        ways[4].set(0, t=nat)
        ways[5].extend({"t": [0]})
        ways[5].set_column("t", [nat])
        for table in ways:
            assert table[0].t is None
            assert table.column("t").mask.tolist() == [True]
            assert table.to_arrow()["t"].null_count == 1 and table.to_polars()["t"].null_count() == 1
    by_key = slotwise.Map({1: pd.NaT, 2: None}, key=int, value=kind + "?")
    assert by_key[1] is None and by_key.to_arrow()["value"].null_count == 2


@pytest.mark.parametrize("kind", UNITS)
def test_nat_stays_in_any_other_field_and_is_null_in_arrow(kind):
    m = slotwise.Map(key=int, value=kind)
    for key, nat in enumerate(nats(kind)):
        m[key] = nat
    m[9] = 5
    assert np.isnat(m.column()).tolist() == [True] * 4 + [False]
    assert np.isnat(m[0]) and np.isnat(m.get_many([0])).all()
    table = m.to_arrow()
    assert table.schema.field("value").nullable
    assert table["value"].is_null().to_pylist() == [True] * 4 + [False]
    assert m.to_polars()["value"].is_null().to_list() == [True] * 4 + [False]
    assert m.to_pandas()["value"].isna().tolist() == [True] * 4 + [False]
    table.validate(full=True)
    # A null of Arrow is not taken for a NaT: such a field takes none.
    with pytest.raises(ValueError, match="column 'value': row 0 is null"):
        m.update(table)
    m.update(m.to_pandas())  # pandas has NaT alone
    assert np.isnat(m.column()).tolist() == [True] * 4 + [False]


def test_nat_of_pandas_objects_is_as_that_of_an_array():
    for values in (pd.Series([pd.NaT, pd.Timestamp(5)], dtype=object), pd.Series([pd.NaT, pd.Timestamp(5)])):
        m = slotwise.Map(key=int, value="datetime64[ns]")
        m.update([1, 2], values)
        assert np.isnat(m.column()).tolist() == [True, False]


def test_nat_in_lists():
    m = slotwise.Map({1: [np.datetime64("NaT"), 5]}, key=int, value=("datetime64[s]", 2))
    table = m.to_arrow()
    assert table["value"].to_pylist() == [[None, datetime.datetime(1970, 1, 1, 0, 0, 5)]]
    again = slotwise.Map(table, key=int, value=("datetime64[s]", 2))
    assert np.isnat(again.column()).tolist() == [[True, False]]
    days = slotwise.Map({1: [np.datetime64("NaT"), 5]}, key=int, value=("datetime64[D]", 2))
    assert slotwise.Map(days.to_arrow(), key=int, value=("datetime64[D]", 2)).column().astype("i8").tolist() == [
        [-(2**63), 5]
    ]


@pytest.mark.parametrize(
    "schema", ["datetime64[s]", {"a": "datetime64[s]", "b": "f8?"}, {"a": "datetime64[D]", "b": "i4"}]
)
def test_a_delta_with_nat_comes_through_a_frame(schema):
    series, replica = (slotwise.Series(key=int, value=schema) for _ in range(2))
    nat = np.datetime64("NaT")
    series.update({1: nat, 2: 7} if isinstance(schema, str) else {1: (nat, 1), 2: (7, 2)}, time=1)
    series.create(3, time=1)
    assert replica.apply(series.capture().to_arrow()) == slotwise.Applied.done
    assert replica[3] is None and replica[1] is not None
    time = replica[1] if isinstance(schema, str) else replica[1].a
    assert np.isnat(time)


def test_a_guess_of_a_column_with_nat_is_nullable():
    frame = pd.DataFrame({"key": [1, 2], "at": pd.to_datetime(["2024-01-01", None]), "b": [1.0, 2.0]})
    m = slotwise.Map(frame)
    assert m.schema == slotwise.Schema({"at": str(frame["at"].dtype) + "?", "b": float})
    assert m[2].at is None and m.to_arrow()["at"].null_count == 1
    assert not slotwise.Map(frame[:1]).schema == m.schema
    assert slotwise.Map([1, 2], np.array([1, "NaT"], "m8[s]")).schema == slotwise.Schema("m8[s]?")


@pytest.mark.parametrize("kind", UNITS)
def test_containers_take_nat_of_containers(kind):
    nat = nats(kind)[0]
    m = slotwise.Map({1: nat, 2: 5}, key=int, value=kind)
    for other in (slotwise.Map(m), m | m.copy(), slotwise.Map(m, key=int, value=kind)):
        assert np.isnat(other.column()).tolist() == [True, False]
    series = slotwise.Series(m, key=int, value=kind, time=1)
    again = slotwise.Series(series, key=int, value=kind, time=1)
    assert np.isnat(again.column()).tolist() == [True, False]
    table = slotwise.Table({"t": kind})
    table.extend({"t": [nat, 5]})
    table.extend(table)
    assert np.isnat(table.column("t")).tolist() == [True, False] * 2
    slots = slotwise.SlotMap(value={"t": kind})
    assert np.isnat(slots.get_many(slots.insert_many(table))["t"]).tolist() == [True, False] * 2
