# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Schemas and keys: every way to say them, values that come back as they went in, and errors that name the field."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import enum
import gc
import math
import pickle
import typing
import weakref
from collections import OrderedDict, namedtuple
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slotwise import KeyType, Schema


class Quote(typing.NamedTuple):
    bid: float
    size: np.int32
    venue: typing.Optional[str]


@dataclasses.dataclass
class Place:
    x: np.float32
    y: np.float32 = 0.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Car:
    place: Place
    wheels: "int" = 4


class Options(typing.TypedDict):
    depth: int
    name: str


# What says a schema


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        (float, "f8"),
        (int, "i8"),
        (bool, "bool"),
        (str, "str"),
        (bytes, "bytes"),
        (dt.datetime, "datetime64[us]"),
        (dt.timedelta, "timedelta64[us]"),
        (dt.date, "datetime64[D]"),
        ("f4", "f4"),
        ("float32", "f4"),
        (">i2", "i2"),
        ("?", "bool"),
        ("bool?", "bool?"),
        ("uint8?", "u1?"),
        ("datetime64[ns]", "datetime64[ns]"),
        ("M8[s]", "datetime64[s]"),
        ("m8[ms]?", "timedelta64[ms]?"),
        ("U7", "str"),
        ("S7", "bytes"),
        ("string", "str"),
        ("f4[3]?", "f4[3]?"),
        (np.uint16, "u2"),
        (np.bool_, "bool"),
        (np.str_, "str"),
        (np.bytes_, "bytes"),
        (np.dtype("f8"), "f8"),
        (np.dtype((np.float32, (3,))), "f4[3]"),
        (("f4", 3), "f4[3]"),
        ((bool, 2), "bool[2]"),
        (("datetime64[D]", np.int64(2)), "datetime64[D][2]"),
        (typing.Optional[float], "f8?"),
        (float | None, "f8?"),
        (typing.Union[None, str], "str?"),
        (typing.Annotated[int, "said"], "i8"),
        (typing.NewType("Price", float), "f8"),
    ],
)
def test_a_single_type_is_the_column_value(said, fields):
    schema = Schema(said)
    assert schema.fields == {"value": fields}
    assert schema.record is None
    assert Schema(fields) == schema == Schema(schema), "fields say the type as Schema takes it"


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ({"bid": "f8", "at": "datetime64[ns]", "venue": str}, {"bid": "f8", "at": "datetime64[ns]", "venue": "str"}),
        (OrderedDict(b=int, a=bool), {"b": "i8", "a": "bool"}),
        (MappingProxyType({"a": bool}), {"a": "bool"}),
        ([("x", "f4"), ("y", ("f4", 2))], {"x": "f4", "y": "f4[2]"}),
        ([("x", "f4"), ("y", "f4", 2)], {"x": "f4", "y": "f4[2]"}),
        ((("x", "f4"),), {"x": "f4"}),
        (
            np.dtype([("x", "f4"), ("p", [("a", "i1"), ("b", "U3")]), ("v", "i2", (3,))]),
            {"x": "f4", "p.a": "i1", "p.b": "str", "v": "i2[3]"},
        ),
        (Quote, {"bid": "f8", "size": "i4", "venue": "str?"}),
        (Place, {"x": "f4", "y": "f4"}),
        (Car, {"place.x": "f4", "place.y": "f4", "wheels": "i8"}),
        (Options, {"depth": "i8", "name": "str"}),
        ({"a": {"b": {"c": "i1"}}, "d": Quote}, {"a.b.c": "i1", "d.bid": "f8", "d.size": "i4", "d.venue": "str?"}),
        ({"Ü b": int, "class": int}, {"Ü b": "i8", "class": "i8"}),
    ],
)
def test_a_record_has_a_column_for_each_field(said, fields):
    schema = Schema(said)
    assert schema.fields == fields and list(schema.fields) == list(fields)
    assert Schema(schema) == schema and hash(Schema(schema)) == hash(schema)


def test_schemas_of_arrow_polars_and_pandas():
    pa, pl, pd = pytest.importorskip("pyarrow"), pytest.importorskip("polars"), pytest.importorskip("pandas")
    schema = pa.schema(
        [
            pa.field("a", pa.int64(), nullable=False),
            pa.field("b", pa.large_string()),
            pa.field("c", pa.list_(pa.float32(), 3), nullable=False),
            pa.field("d", pa.timestamp("us")),
            pa.field("e", pa.struct([pa.field("x", pa.bool_()), pa.field("y", pa.duration("s"), nullable=False)])),
            pa.field("f", pa.dictionary(pa.int8(), pa.string()), nullable=False),
            pa.field("g", pa.date32(), nullable=False),
            pa.field("h", pa.binary(3), nullable=False),
        ]
    )
    assert Schema(schema).fields == {
        "a": "i8",
        "b": "str?",
        "c": "f4[3]",
        "d": "datetime64[us]?",
        "e.x": "bool?",
        "e.y": "timedelta64[s]",
        "f": "str",
        "g": "datetime64[D]",
        "h": "bytes",
    }
    assert Schema(pa.uint16()).fields == {"value": "u2"}
    of_polars = pl.Schema({"a": pl.Int8, "b": pl.String, "c": pl.Array(pl.Float64, 2), "d": pl.Datetime("ns")})
    assert Schema(of_polars).fields == {
        "a": "i1?",
        "b": "str?",
        "c": "f8[2]?",
        "d": "datetime64[ns]?",
    }
    times = Schema(pl.Struct({"x": pl.Date, "y": pl.Duration("ms")}))
    assert times.fields == {"x": "datetime64[D]?", "y": "timedelta64[ms]?"}
    assert Schema(pd.Int32Dtype()).fields == {"value": "i4?"}
    assert Schema(pd.StringDtype()).fields == {"value": "str?"}
    zoned = (pa.timestamp("us", tz="Europe/Zurich"), pl.Datetime("us", "UTC"))
    for refused in (*zoned, pa.list_(pa.int8()), pa.decimal128(5), pl.List(pl.Int8)):
        with pytest.raises(TypeError, match=r"^value: field 'a': "):
            Schema({"a": refused})


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (complex, TypeError, "value: complex is no type of a field"),
        ("complex64", TypeError, "value: dtype('complex64') is no type"),
        ("f2", TypeError, "dtype('float16') is no type"),
        (np.longdouble, TypeError, "is no type of a field"),
        ("nonsense", TypeError, "value: 'nonsense' is no type"),
        (None, TypeError, "value: None is no type"),
        (3, TypeError, "value: 3 is no type"),
        (object, TypeError, "value: object is no type"),
        (np.dtype("O"), TypeError, "dtype('O') is no type"),
        ({"a": {"b": complex}}, TypeError, "value: field 'a.b': complex is no type"),
        ("datetime64", TypeError, "its unit is none of ns, us, ms, s, D"),
        ("datetime64[ps]", TypeError, "its unit is none of"),
        ("datetime64[10ns]", TypeError, "its unit is none of"),
        (np.datetime64, TypeError, "it needs a unit, as 'datetime64[ns]'"),
        (list[float], TypeError, "a list of fixed length is written ('f8', 3)"),
        (tuple[int, int], TypeError, "a list of fixed length is written"),
        (list, TypeError, "list is no type"),
        ((str, 3), TypeError, "a list of fixed length has numbers, bools or times"),
        ((Place, 3), TypeError, "a list of fixed length has numbers, bools or times"),
        ((("f4", 2), 2), TypeError, "a list of fixed length has"),
        (np.dtype(("f4", (2, 2))), TypeError, "a list of fixed length has one dimension"),
        (("f4?", 2), TypeError, "the items of a list are not null"),
        (("f4", 0), ValueError, "a list has from 1 to"),
        (("f4", -1), ValueError, "a list has from 1 to"),
        (("f4", 2**21), ValueError, "a list has from 1 to"),
        (typing.Optional[Place], TypeError, "a record has no null of its own"),
        (int | str, TypeError, "a union is of one type and None"),
        (typing.Optional[int | str], TypeError, "a union is of one type and None"),
        ({}, ValueError, "value: a record has one field at least"),
        ({"a": {}}, ValueError, "value: field 'a': a record has one field at least"),
        ({1: int}, TypeError, "the name of a field is a str, not int 1"),
        ({"": int}, ValueError, "'' is no name of a field"),
        ({"a.b": int}, ValueError, "'a.b' is no name of a field"),
        ({"\ud800": int}, ValueError, "lone surrogates"),
        ([("a", int), ("a", int)], ValueError, "there are two fields 'a'"),
        (namedtuple("Bare", "x y"), TypeError, "the type of its field 'x' is not known"),
        ([], TypeError, "value: [] is no type"),
        ((1, 2, 3), TypeError, "value: (1, 2, 3) is no type"),
    ],
)
def test_what_is_no_schema_is_refused_by_field(said, error, words):
    with pytest.raises(error) as caught:
        Schema(said)
    assert words in str(caught.value) and str(caught.value).startswith("value: ")
    assert "::" not in str(caught.value)


def test_a_dataclass_that_cannot_be_made_of_its_fields_is_refused():
    @dataclasses.dataclass
    class Computed:
        x: float
        y: float = dataclasses.field(init=False)

    with pytest.raises(TypeError, match="its field 'y' is not given to its constructor"):
        Schema(Computed)

    @dataclasses.dataclass
    class Scaled:
        x: float
        scale: dataclasses.InitVar[float]

    with pytest.raises(TypeError, match="its 'scale' is given to its constructor, and kept in no field"):
        Schema(Scaled)

    class Later(typing.NamedTuple):
        x: "Unknown"  # noqa: F821

    with pytest.raises(TypeError, match="a type of Later cannot be looked up"):
        Schema(Later)


def test_a_schema_is_a_value():
    schema = Schema({"bid": "f8", "place": Place})
    assert repr(schema) == "slotwise.Schema(bid f8, place.x f4, place.y f4)"
    assert repr(Schema("f8?")) == "slotwise.Schema(f8?)"
    assert schema != Schema({"bid": "f8"}) and schema != "bid f8"
    assert schema == Schema({"bid": float, "place": {"x": "f4", "y": "f4"}})
    for same in (pickle.loads(pickle.dumps(schema)), copy.copy(schema), copy.deepcopy(schema)):
        assert same == schema and hash(same) == hash(schema) and same.fields == schema.fields
        assert same._row((1, (2, 3))) == schema._row((1, (2, 3)))
    assert weakref.ref(schema)() is schema
    assert {schema: 1}[Schema(schema)] == 1
    with pytest.raises(TypeError):
        Schema()
    with pytest.raises(AttributeError):
        schema.fields = {}


# Records


def test_records_are_of_the_class_that_said_the_schema():
    quote = Schema(Quote)._row({"bid": 1, "size": 2, "venue": None})
    assert type(quote) is Quote and quote == Quote(1.0, 2, None)
    car = Schema(Car)._row(Car(place=Place(1, 2), wheels=3))
    assert type(car) is Car and type(car.place) is Place and car == Car(place=Place(1.0, 2.0), wheels=3)
    record = Schema({"bid": "f8", "place": Place})._row([1, Place(2, 3)])
    assert record.bid == 1.0 and record == (1.0, Place(2.0, 3.0))
    assert repr(record) == "Record(bid=1.0, place=Place(x=2.0, y=3.0))"
    assert type(record) is Schema({"bid": "f8", "place": Place}).record
    assert record._asdict() == {"bid": 1.0, "place": Place(2.0, 3.0)}


def test_records_pickle_and_copy():
    record = Schema({"bid": "f8", "in": {"x": int}, "b c": int})._row((1, (2,), 3))
    for same in (pickle.loads(pickle.dumps(record)), copy.copy(record), copy.deepcopy(record)):
        assert same == record and type(same) is type(record) and same[1].x == 2
    assert record[2] == 3 and record._asdict() == {"bid": 1.0, "in": (2,), "b c": 3}


def test_a_value_of_a_record_may_be_said_in_many_ways():
    schema = Schema(Quote)
    Other = namedtuple("Other", "venue size bid")  # another order

    class Attributes:
        bid, size, venue = 1, 2, "x"

    row = np.array([(1, 2, "x")], dtype=[("bid", "f8"), ("size", "i4"), ("venue", "U3")])[0]
    for value in (
        {"venue": "x", "bid": 1, "size": 2},
        MappingProxyType({"venue": "x", "bid": 1, "size": 2}),
        (1, 2, "x"),
        [1, 2, "x"],
        Quote(1, 2, "x"),
        Other("x", 2, 1),
        Attributes(),
        row,
    ):
        assert schema._row(value) == Quote(1.0, 2, "x")


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (None, TypeError, "value: a record (bid, size, venue) as a dict, a tuple or an object is needed, not NoneType"),
        (1.5, TypeError, "not float"),
        ("abc", TypeError, "not str"),
        (b"abc", TypeError, "not bytes"),
        (object(), TypeError, "not object"),
        ((1, 2), ValueError, "value: 3 values are needed (bid, size, venue), not 2"),
        ([1, 2, "x", 4], ValueError, "not 4"),
        ({"bid": 1, "size": 2}, ValueError, "value: field 'venue' is missing"),
        ({"bid": 1, "size": 2, "venue": "x", "z": 1}, ValueError, "'z' is no field; a record has bid, size, venue"),
        ({"bid": 1, "size": 2, "venue": "x", 1: 1}, ValueError, "value: 1 is no field"),
        (Place(1, 2), TypeError, "not Place"),
        ({"bid": "1", "size": 2, "venue": "x"}, TypeError, "value: field 'bid': a float (float64) is needed, not str"),
        ({"bid": None, "size": 2, "venue": "x"}, TypeError, "a field of Optional[...] may be None"),
        ({"bid": 1, "size": 2**31, "venue": "x"}, OverflowError, "value: field 'size': 2147483648 is no int32"),
        ({"bid": 1, "size": 2.0, "venue": "x"}, TypeError, "value: field 'size': an int (int32) is needed, not float"),
        ({"bid": 1, "size": 2, "venue": b"x"}, TypeError, "value: field 'venue': a str is needed, not bytes"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_field(value, error, words):
    with pytest.raises(error) as caught:
        Schema(Quote)._row(value)
    assert words in str(caught.value) and str(caught.value).startswith("value: ")


def test_errors_in_nested_records_have_the_path():
    schema = Schema({"car": Car, "lamp": {"on": bool}})
    car = {"place": (1, 2), "wheels": 4}
    for value, words in (
        ({"car": {"place": {"x": 1}, "wheels": 4}, "lamp": (True,)}, "value: field 'car.place': field 'y' is missing"),
        ({"car": {"place": 1, "wheels": 4}, "lamp": (True,)}, "value: field 'car.place': a record (x, y)"),
        ({"car": {"place": (1, "a"), "wheels": 4}, "lamp": (True,)}, "value: field 'car.place.y': a float (float32)"),
        ({"car": car, "lamp": (1, 2)}, "value: field 'lamp': 1 values are needed (on), not 2"),
        ({"car": car, "lamp": (1,)}, "value: field 'lamp.on': True or False is needed, not int"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            schema._row(value)
        assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("said", "value", "error", "words"),
    [
        ("i1", 128, OverflowError, "value: 128 is no int8, which is from -128 to 127"),
        ("i1", -129, OverflowError, "-129"),
        ("u1", -1, OverflowError, "-1 is no uint8, which is from 0 to 255"),
        ("u8", -1, OverflowError, "-1 is no uint64"),
        ("u8", 2**64, OverflowError, "18446744073709551616 is no uint64"),
        ("i8", 2**63, OverflowError, "9223372036854775808 is no int64"),
        ("i8", "1", TypeError, "value: an int (int64) is needed, not str"),
        pytest.param("i8", 10**5000, OverflowError, "an int of thousands of digits", id="digits"),
        pytest.param("f8", 10**5000, OverflowError, "is too large for a float64", id="digits of a float"),
        ("f4", 1e300, OverflowError, "is too large for a float32"),
        ("f8", "1", TypeError, "value: a float (float64) is needed, not str"),
        ("f8", None, TypeError, "not NoneType; a field of Optional[...] may be None"),
        ("bool", 1, TypeError, "value: True or False is needed, not int"),
        ("str", 1, TypeError, "value: a str is needed, not int"),
        ("bytes", "a", TypeError, "value: bytes is needed, not str"),
        (("f4", 3), [1, 2], ValueError, "value: a sequence of 3 values is needed, not of 2"),
        (("f4", 3), 1.0, TypeError, "value: a sequence of 3 values is needed, not float"),
        (("f4", 3), "abc", TypeError, "value: a sequence of 3 values is needed, not str"),
        (("f4", 3), [1, 2, None], TypeError, "value: a float (float32) is needed, not NoneType"),
        ("datetime64[s]", "2024-01-01", TypeError, "value: a numpy.datetime64, a datetime, or an int"),
        ("datetime64[s]", np.timedelta64(1, "s"), TypeError, "value: a numpy.datetime64, a datetime, or an int"),
        ("datetime64[s]", 1.5, TypeError, "not float"),
        ("datetime64[s]", True, TypeError, "not bool"),
        ("datetime64[s]", 2**63, OverflowError, "9223372036854775808 is no int64"),
        ("datetime64[s]", dt.datetime(2024, 1, 1, 0, 0, 0, 1), ValueError, "is no whole number of s"),
        ("datetime64[D]", np.datetime64("2024-01-01T01"), ValueError, "is no whole number of D"),
        ("datetime64[ns]", np.datetime64("2500-01-01"), OverflowError, "is out of range for the unit ns"),
        ("timedelta64[ns]", np.timedelta64(1, "M"), ValueError, "has no fixed number of ns"),
        ("timedelta64[ns]", np.timedelta64(1, "ps"), ValueError, "is no whole number of ns"),
        ("timedelta64[s]", dt.datetime(2024, 1, 1), TypeError, "value: a numpy.timedelta64, a timedelta"),
    ],
)
def test_a_single_value_that_does_not_fit_is_refused(said, value, error, words):
    with pytest.raises(error) as caught:
        Schema(said)._row(value)
    assert words in str(caught.value) and str(caught.value).startswith("value: ")


def test_lone_surrogates_are_refused_by_field():
    with pytest.raises(UnicodeEncodeError, match="value: field 'a': surrogates not allowed"):
        Schema({"a": str})._row({"a": "x\ud800"})


# Times


def test_times_of_python_numpy_and_pandas():
    moment = np.datetime64("2024-02-29T12:34:56.789012", "us")
    schema = Schema("datetime64[us]")
    zone = dt.timezone(dt.timedelta(hours=2))
    for value in (
        moment,
        moment.astype("M8[ns]"),
        dt.datetime(2024, 2, 29, 12, 34, 56, 789012),
        dt.datetime(2024, 2, 29, 14, 34, 56, 789012, tzinfo=zone),
        int(moment.astype("i8")),
        np.int64(moment.astype("i8")),
    ):
        result = schema._row(value)
        assert result == moment and result.dtype == np.dtype("M8[us]")
    assert Schema("datetime64[D]")._row(dt.date(1969, 12, 31)) == np.datetime64("1969-12-31")
    assert Schema("datetime64[ns]")._row(np.datetime64("2024-03", "M")) == np.datetime64("2024-03-01")
    assert Schema("timedelta64[ms]")._row(dt.timedelta(days=-1, milliseconds=1)) == np.timedelta64(1 - 86_400_000, "ms")
    for unit in ("ns", "us", "ms", "s", "D"):
        assert np.isnat(Schema(f"M8[{unit}]")._row(np.datetime64("NaT")))
        assert np.isnat(Schema(f"m8[{unit}]")._row(np.timedelta64("NaT", "s")))
    pd = pytest.importorskip("pandas")
    count = 1_700_000_000_123_456_789
    assert Schema("datetime64[ns]")._row(pd.Timestamp(count)) == np.datetime64(count, "ns")
    assert Schema("datetime64[s]")._row(pd.Timestamp("2024-01-01 02:00", tz=zone)) == np.datetime64("2024-01-01T00:00")
    assert Schema("timedelta64[ns]")._row(pd.Timedelta(5, "ns")) == np.timedelta64(5, "ns")
    assert np.isnat(Schema("datetime64[ns]")._row(pd.NaT)) and np.isnat(Schema("timedelta64[ns]")._row(pd.NaT))


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "D": 86_400 * 10**9}


@given(st.sampled_from("Mm"), st.sampled_from(list(UNITS)), st.sampled_from(list(UNITS)), st.integers(-(2**62), 2**62))
def test_a_time_of_another_unit_is_the_same_time_or_refused(kind, given_unit, unit, count):
    value = (np.datetime64 if kind == "M" else np.timedelta64)(count, given_unit)
    whole, rest = divmod(count * UNITS[given_unit], UNITS[unit])
    schema = Schema(f"{kind}8[{unit}]")
    if rest != 0:
        with pytest.raises(ValueError, match="is no whole number of"):
            schema._row(value)
    elif not -(2**63) < whole < 2**63:
        with pytest.raises(OverflowError, match="is out of range for the unit"):
            schema._row(value)
    else:
        assert int(schema._row(value).astype("i8")) == whole


TIMES = st.one_of(
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.timezone(dt.timedelta(hours=-3)))),
    st.dates(),
    st.datetimes().map(lambda time: time.replace(microsecond=0)),
    st.datetimes().map(lambda time: dt.datetime(time.year, time.month, time.day)),
    st.timedeltas(),
    st.timedeltas().map(lambda time: dt.timedelta(days=time.days)),
)


@settings(max_examples=500)
@given(st.sampled_from(list(UNITS)), TIMES)
def test_times_of_python_are_counted_in_the_unit(unit, time):
    kind = "m" if isinstance(time, dt.timedelta) else "M"
    if kind == "m":
        since = time
    elif isinstance(time, dt.datetime):
        since = time - dt.datetime(1970, 1, 1, tzinfo=time.tzinfo and dt.timezone.utc)
    else:
        since = dt.timedelta(time.toordinal() - dt.date(1970, 1, 1).toordinal())
    count = since // dt.timedelta(microseconds=1) * 1000
    schema = Schema(f"{kind}8[{unit}]")
    whole, rest = divmod(count, UNITS[unit])
    if rest != 0 or not -(2**63) < whole < 2**63:
        with pytest.raises((ValueError, OverflowError)):
            schema._row(time)
    else:
        assert int(schema._row(time).astype("i8")) == whole


# Values of random schemas


def is_float32(value):
    return math.isnan(value) or float(np.float32(value)) == value


INTS = {f"{kind}{size}": (kind, size) for kind in "iu" for size in (1, 2, 4, 8)}


def numbers_of(kind, size):
    bits = 8 * size
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if kind == "i" else st.integers(0, 2**bits - 1)


ITEMS = {
    **{name: numbers_of(*of) for name, of in INTS.items()},
    "f8": st.floats(),
    "f4": st.floats(width=32),
    "bool": st.booleans(),
    "datetime64[ns]": st.integers(-(2**63), 2**63 - 1).map(lambda n: np.datetime64(n, "ns")),
    "datetime64[D]": st.integers(-(2**40), 2**40).map(lambda n: np.datetime64(n, "D")),
    "timedelta64[us]": st.integers(-(2**63), 2**63 - 1).map(lambda n: np.timedelta64(n, "us")),
}
TEXTS = {"str": st.text(st.characters(exclude_categories=["Cs"]), max_size=40), "bytes": st.binary(max_size=40)}


def is_no_time(value):
    return isinstance(value, (np.datetime64, np.timedelta64)) and np.isnat(value)


@st.composite
def leaves(draw):
    """(a type, a strategy of its values)"""
    name = draw(st.sampled_from([*ITEMS, *TEXTS]))
    said, values = name, ITEMS.get(name, TEXTS.get(name))
    if name in ITEMS and draw(st.booleans()):
        length = draw(st.integers(1, 20))
        said, values = (name, length), st.lists(values, min_size=length, max_size=length)
    if draw(st.booleans()):
        said = f"{name}[{said[1]}]?" if isinstance(said, tuple) else f"{name}?"
        values = st.none() | values.map(lambda value: None if is_no_time(value) else value)  # NaT is null there
    return said, values


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="."), min_size=1, max_size=6)


def records(members):
    def make(fields):
        said = {name: of for name, (of, _) in fields.items()}
        values = st.fixed_dictionaries({name: values for name, (_, values) in fields.items()})
        return said, values.map(lambda value: {name: value[name] for name in said})

    return st.dictionaries(NAMES, members, min_size=1, max_size=6).map(make)


SCHEMAS = st.recursive(leaves(), records, max_leaves=12)


def same(got, value):
    """Whether what came back is what went in: of a record field by field, NaN and NaT as themselves."""
    if isinstance(value, dict):
        return len(got) == len(value) and all(same(x, y) for x, y in zip(got, value.values()))
    if isinstance(value, list):
        return isinstance(got, list) and len(got) == len(value) and all(same(x, y) for x, y in zip(got, value))
    if type(got) is not type(value):
        return False
    if isinstance(value, float):
        return np.float64(got).tobytes() == np.float64(value).tobytes() or (math.isnan(got) and math.isnan(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return got.dtype == value.dtype and got.astype("i8") == value.astype("i8")
    return got == value


def positions(value):
    return tuple(positions(each) for each in value.values()) if isinstance(value, dict) else value


@settings(max_examples=300)
@given(SCHEMAS.flatmap(lambda pair: st.tuples(st.just(pair[0]), pair[1])))
def test_values_of_random_schemas_come_back(pair):
    said, value = pair
    schema = Schema(said)
    record = schema._row(value)
    assert same(record, value)
    assert same(schema._row(record), value), "a record is a value"
    assert same(schema._row(positions(value)), value), "by position"
    again = pickle.loads(pickle.dumps(schema))
    assert again == schema and again.fields == schema.fields and same(again._row(value), value)
    if isinstance(value, dict):
        assert same(pickle.loads(pickle.dumps(record)), value)
        lacking = dict(list(value.items())[:-1])
        with pytest.raises(ValueError, match="is missing"):
            schema._row(lacking)
        with pytest.raises(ValueError, match="is no field"):
            schema._row({**value, "no such name": 1})


# Code of the user


def test_errors_of_user_code_pass_as_they_are():
    class Interrupted:
        def __index__(self):
            raise KeyboardInterrupt

        __float__ = __index__

        def __iter__(self):
            raise KeyboardInterrupt

    for said in ("i8", "f8", ("f8", 3), {"a": "i2"}, {"a": "datetime64[s]"}):
        value = {"a": Interrupted()} if isinstance(said, dict) else Interrupted()
        with pytest.raises(KeyboardInterrupt):
            Schema(said)._row(value)

    class Own(Exception):
        pass

    class Broken:
        @property
        def bid(self):
            raise Own

    with pytest.raises(Own):
        Schema({"bid": float})._row(Broken())


def test_a_value_that_changes_while_it_is_read_is_read_as_it_was_or_refused():
    class Clearing:
        def __init__(self, of):
            self.of = of

        def __float__(self):
            self.of.clear()
            return 1.0

    values = [None, 2.0, 3.0]
    values[0] = Clearing(values)
    assert Schema(("f8", 3))._row(values) == [1.0, 2.0, 3.0]
    values = [None, 2.0]
    values[0] = Clearing(values)
    assert Schema({"a": "f8", "b": "f8"})._row(values) == (1.0, 2.0)
    value = {"a": None, "b": 2.0}
    value["a"] = Clearing(value)
    with pytest.raises(ValueError, match="field 'b' is missing"):
        Schema({"a": "f8", "b": "f8"})._row(value)
    value = {"a": 2.0, "b": None}
    value["b"] = Clearing(value)
    with pytest.raises(RuntimeError, match="the dict changed while it was read"):
        Schema({"a": "f8", "b": "f8"})._row(value)


def test_conversions_keep_no_reference():
    class Number(float):
        pass

    schema = Schema({"a": "f8", "b": ("f8", 2), "c": str, "d": "datetime64[us]"})
    number = Number(1.5)
    gone = weakref.ref(number)
    schema._row((number, [number, number], "x" * 50, dt.datetime(2024, 1, 1)))
    with pytest.raises(TypeError):
        schema._row((number, [number, "x"], "x" * 50, dt.datetime(2024, 1, 1)))
    del number
    gc.collect()
    assert gone() is None
    assert Schema("f8")._row(np.float32(0.5)) == 0.5 and Schema("bool")._row(np.True_) is True
    assert Schema("bytes")._row(bytearray(b"ab")) == b"ab" == Schema("bytes")._row(memoryview(b"ab"))

    class Color(enum.IntEnum):
        red = 3

    assert type(Schema("u1")._row(Color.red)) is int


# Keys


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        (int, {"key": "i8"}),
        ("i8", {"key": "i8"}),
        (np.int64, {"key": "i8"}),
        ("u8", {"key": "u8"}),
        (np.uint64, {"key": "u8"}),
        (np.dtype("uint64"), {"key": "u8"}),
        (str, {"key": "str"}),
        ("str", {"key": "str"}),
        (bytes, {"key": "bytes"}),
        ((str, int), {"key_0": "str", "key_1": "i8"}),
        ((str,), {"key_0": "str"}),
        (tuple[str, bytes], {"key_0": "str", "key_1": "bytes"}),
        ([str, "u8"], {"key_0": "str", "key_1": "u8"}),
        ({"symbol": str, "n": "u8"}, {"symbol": "str", "n": "u8"}),
        ([("symbol", str), ("n", int)], {"symbol": "str", "n": "i8"}),
        (typing.NamedTuple("Pair", [("a", int), ("b", str)]), {"a": "i8", "b": "str"}),
        (np.dtype([("a", "i8"), ("b", "U4")]), {"a": "i8", "b": "str"}),
    ],
)
def test_every_way_to_say_a_key(said, fields):
    key = KeyType(said)
    assert key.fields == fields and KeyType(key) == key
    assert pickle.loads(pickle.dumps(key)) == key == copy.deepcopy(key) and hash(copy.copy(key)) == hash(key)
    assert repr(key).startswith("slotwise.KeyType(") and weakref.ref(key)() is key


def test_keys_of_arrow_and_polars():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    assert KeyType(pa.string()) == KeyType(pl.String) == KeyType(str)
    assert KeyType(pa.schema([("a", pa.int64()), ("b", pa.binary())])).fields == {"a": "i8", "b": "bytes"}
    assert KeyType(pa.dictionary(pa.int8(), pa.string())) == KeyType(str)


@pytest.mark.parametrize(
    "said",
    [float, bool, "i4", "f8", None, (), {}, typing.Optional[int], "str?", (int, float), (int, (int, int))]
    + [tuple[int, ...], ("i8", 3), dt.datetime, 3],
)
def test_what_is_no_key_is_refused(said):
    with pytest.raises((TypeError, ValueError)) as caught:
        KeyType(said)
    assert str(caught.value).startswith("key: ")


def test_two_parts_of_a_key_have_two_names():
    with pytest.raises(ValueError, match="there are two parts 'a'"):
        KeyType([("a", int), ("a", str)])


PARTS = {
    "i8": st.integers(-(2**63), 2**63 - 1),
    "u8": st.integers(0, 2**64 - 1),
    "str": st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    "bytes": st.binary(max_size=30),
}
ANY_KEYS = st.one_of(
    *PARTS.values(),
    st.floats(),
    st.booleans(),
    st.none(),
    st.integers(-3, 3).map(float),
    st.integers(-5, 5).map(np.int16),
    st.text(max_size=3),
    st.tuples(st.integers(), st.text()),
    st.just(()),
)


def values_of(parts):
    return st.tuples(st.just(parts), *[PARTS[each] for each in parts])


@given(st.lists(st.sampled_from(list(PARTS)), min_size=1, max_size=4).flatmap(values_of))
def test_keys_come_back(drawn):
    parts, *values = drawn
    single = KeyType(parts[0])
    assert single._key(values[0]) == values[0] == single._find(values[0])
    assert type(single._key(values[0])) is type(values[0])
    whole = KeyType(tuple(parts))
    assert whole._key(tuple(values)) == tuple(values) == whole._find(tuple(values))
    assert list(map(type, whole._key(tuple(values)))) == list(map(type, values))


@given(st.sampled_from(list(PARTS)), ANY_KEYS)
def test_a_lookup_finds_what_a_dict_would(part, key):
    found = KeyType(part)._find(key)
    of = {"i8": int, "u8": int, "str": str, "bytes": bytes}[part]
    low, high = (0, 2**64) if part == "u8" else (-(2**63), 2**63)
    if of is int:
        possible = isinstance(key, (int, float, np.integer)) and key == key and low <= key < high and key == int(key)
        assert found == (int(key) if possible else None)
    else:
        assert found == (key if isinstance(key, of) and not _has_surrogates(key) else None)


def _has_surrogates(key):
    return isinstance(key, str) and any("\ud800" <= each <= "\udfff" for each in key)


def test_a_key_that_does_not_fit_is_refused_by_part():
    for said, key, error, words in (
        (int, "a", TypeError, "key: an int (int64) is needed, not str"),
        (int, 1.0, TypeError, "key: an int (int64) is needed, not float"),
        (int, None, TypeError, "key: an int (int64) is needed, not NoneType"),
        (int, 2**63, OverflowError, "key: 9223372036854775808 is no int64"),
        ("u8", -1, OverflowError, "key: -1 is no uint64"),
        (str, b"a", TypeError, "key: a str is needed, not bytes"),
        (bytes, "a", TypeError, "key: bytes is needed, not str"),
        (bytes, bytearray(b"a"), TypeError, "key: bytes is needed, not bytearray"),
        ((str, int), "a", TypeError, "key: a tuple (key_0 str, key_1 i8) is needed, not str"),
        ((str, int), ["a", 1], TypeError, "key: a tuple (key_0 str, key_1 i8) is needed, not list"),
        ((str, int), ("a",), TypeError, "key: a tuple (key_0 str, key_1 i8) is needed, not one of 1"),
        ({"symbol": str, "n": int}, ("a", "b"), TypeError, "key: field 'n': an int (int64) is needed, not str"),
        ({"symbol": str, "n": int}, (None, 1), TypeError, "key: field 'symbol': a str is needed, not NoneType"),
    ):
        with pytest.raises(error) as caught:
            KeyType(said)._key(key)
        assert str(caught.value).startswith(words)
    for said in (int, str, (int, str)):
        with pytest.raises(TypeError, match="unhashable"):
            KeyType(said)._find([])
    with pytest.raises(TypeError, match="unhashable"):
        KeyType((int, str))._find((1, []))


def test_values_in_and_out_leave_no_memory_behind():
    import tracemalloc

    schema = Schema({"a": "f8", "b": "str?", "c": ("i4", 3), "d": "datetime64[ns]", "e": Place, "f": Quote})
    value = {"a": 1000.5, "b": "x" * 40, "c": [1000, 2000, 3000], "d": np.datetime64(5, "ns")}
    value |= {"e": (0.5, 1.5), "f": (1, 2, "y")}
    wrong = {**value, "f": (1, 2, 3)}
    keys = KeyType((str, int))

    def all_of_it():
        for _ in range(200):
            schema._row(value), pickle.loads(pickle.dumps(schema))
            keys._key(("abc" * 9, 10**9)), keys._find(("abc" * 9, 10**9))
            with pytest.raises(TypeError):
                schema._row(wrong)

    all_of_it()
    gc.collect()
    tracemalloc.start()
    try:
        all_of_it()
        grown = []
        for _ in range(5):  # what is kept grows each time; caches of the interpreter and of pytest do not
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            all_of_it()
            gc.collect()
            grown.append(tracemalloc.get_traced_memory()[0] - before)
        assert min(grown) < 4000, "200 objects that were kept would be more"
    finally:
        tracemalloc.stop()


def test_annotations_of_schemas_are_looked_up_once():
    assert Schema(Car).record is Car and Schema(Quote).record is Quote
    assert Schema({"a": int}).record is Schema({"a": str}).record, "one class for the same names"
