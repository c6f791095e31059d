# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Columns that come in: every format, what is cast, what is refused and in which words; producers that lie."""

import ctypes
import datetime
import gc

import numpy as np
import pytest
import slotwise
from arrow_producers import CArray, CSchema, ArrayProducer, StreamProducer, array, released, schema, table

pa = pytest.importorskip("pyarrow")


def read(source, of):
    rows = slotwise.Table(of)
    rows.extend(source)
    return rows


def values(source, of):
    return read(source, of).to_arrow().column(0).to_pylist()


def refused(source, of, error, text):
    """The source is refused in these words, and nothing was added."""
    rows = slotwise.Table(of)
    with pytest.raises(error) as caught:
        rows.extend(source)
    assert type(caught.value) is error
    message = str(caught.value)
    assert text in message and "slotwise::" not in message, message
    assert len(rows) == 0 and not rows.pinned


# ------------------------------------------------------------------------------------------------------------ every format

NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


@pytest.mark.parametrize("to", NUMBERS + [bool])
@pytest.mark.parametrize("of", NUMBERS + ["f2", bool])
def test_numbers_convert_where_no_value_changes(of, to):
    given = np.array([0, 1, 1, 0, 1], dtype=of)
    for source in (given, pa.array(given), given[::2], pa.array(given).slice(1, 3)):
        expected = np.asarray(source).astype(to)
        got = read(source, to).column()
        assert got.dtype == np.dtype(to) and got.tolist() == expected.tolist()


@pytest.mark.parametrize("to", NUMBERS)
@pytest.mark.parametrize("of", NUMBERS)
def test_a_number_that_changes_is_refused_by_row_and_value(of, to):
    ints = [2, -1, 127, 128, 255, 256, -129, 2**24 + 1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1]
    for number in [*ints, 0.5, 0.1, 1e300]:
        kind = np.dtype(of).kind
        limits = np.iinfo(of) if kind in "iu" else None
        if limits is not None and (number != int(number) or not limits.min <= number <= limits.max):
            continue
        with np.errstate(over="ignore"):
            value = np.array([0, number], dtype=of)
        exact = value[1].item()
        if exact in (float("inf"), float("-inf")) and np.dtype(to).kind == "f":
            continue
        target = np.dtype(to)
        if target.kind in "iu":
            fits = exact == exact and abs(exact) != float("inf") and int(exact) == exact
            fits = fits and np.iinfo(to).min <= int(exact) <= np.iinfo(to).max
        else:
            with np.errstate(over="ignore"):
                back = target.type(exact).item()
            fits = back == exact
        if fits:
            assert read(value, to).column()[1].item() == exact
        else:
            rows = slotwise.Table(to)
            words = "^rows: column 'value': row 1 is .*, which is no " + target.name
            with pytest.raises((ValueError, OverflowError), match=words):
                rows.extend(value)
            assert len(rows) == 0


def test_nan_and_infinity_are_floats_and_no_ints():
    for of in ("f2", "f4", "f8"):
        given = np.array([np.nan, np.inf, -np.inf], dtype=of)
        for to in ("f4", "f8"):
            assert np.array_equal(read(given, to).column(), given.astype(to), equal_nan=True)
        for i in range(3):
            refused(given[i : i + 1], "i8", ValueError, "row 0 is")
            refused(given[i : i + 1], bool, ValueError, "row 0 is")


TEXTS = ["", "a", "Ünïcödé", "exactly 12 b", "more than twelve bytes", "\0nul\0", "🦆" * 9]
TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]


@pytest.mark.parametrize("of", TEXT_TYPES, ids=str)
def test_texts_of_every_kind(of):
    given = pa.array(TEXTS).cast(of) if not pa.types.is_dictionary(of) else pa.array(TEXTS).dictionary_encode()
    assert values(given, str) == TEXTS
    assert values(given.slice(2, 3), str) == TEXTS[2:5]
    with_null = pa.array(TEXTS + [None, "x"])
    with_null = with_null.dictionary_encode() if pa.types.is_dictionary(of) else with_null.cast(of)
    assert values(with_null, "str?") == TEXTS + [None, "x"]
    refused(with_null, str, ValueError, f"column 'value': row {len(TEXTS)} is null, and this field is not nullable")


@pytest.mark.parametrize("of", [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(3)], ids=str)
def test_bytes_of_every_kind(of):
    given = [b"abc", b"\xff\x00a", b"   "]
    assert values(pa.array(given, of), bytes) == given
    assert values(pa.array([b"abc", "dü".encode()], of), str) == ["abc", "dü"]
    refused(pa.array(given, of), str, ValueError, r"column 'value': row 1 is no UTF-8: '\xff\x00a'")
    refused(pa.array(["text"]), bytes, TypeError, "column 'value' has str, and bytes is needed; encode them first")


def test_texts_of_numpy():
    assert values(np.array(TEXTS[:5]), str) == TEXTS[:5]
    assert values(np.array(["🦆", "b"])[::-1], str) == ["b", "🦆"]
    assert values(np.array([b"ab", b"c"]), str) == ["ab", "c"]
    assert values(np.array([b"ab", b"\xff"]), bytes) == [b"ab", b"\xff"]
    refused(np.array([b"ab", b"\xff"]), str, ValueError, "row 1 is no UTF-8")
    assert values(np.array(["a", None, "c"], dtype=object), "str?") == ["a", None, "c"]
    surrogate = np.array(["ab"]).view(np.uint32)
    surrogate = surrogate.copy()
    surrogate[1] = 0xD800
    refused(surrogate.view("U2"), str, ValueError, "row 0 has a character that is no part of a text")


UNITS = ["s", "ms", "us", "ns"]


@pytest.mark.parametrize("to", UNITS)
@pytest.mark.parametrize("of", UNITS + ["D", "h", "m"])
def test_times_convert_between_units_where_no_value_changes(of, to):
    for kind in ("M", "m"):
        name = {"M": "datetime64", "m": "timedelta64"}[kind]
        day = 86_400_000_000 if of in ("ns", "us", "ms") else 1
        given = np.array([0, day, -day], f"{kind}8[{of}]")
        try:
            expected = given.astype(f"{kind}8[{to}]")
            exact = bool((expected.astype(given.dtype) == given).all())
        except OverflowError:
            exact = False
        if exact and abs(int(given[1].astype("int64"))) < 2**40:
            assert read(given, f"{name}[{to}]").column().tolist() == expected.tolist()


def test_a_time_between_two_values_of_the_unit_is_refused():
    between = "row 1 is 1001 ms (between two values of the field's unit), which is no datetime64[s]"
    refused(np.array([0, 1001], "M8[ms]"), "datetime64[s]", ValueError, between)
    beyond = f"row 0 is {2**62} s, which is no datetime64[ns]"
    refused(np.array([2**62], "M8[s]"), "datetime64[ns]", OverflowError, beyond)
    refused(np.array([1], "M8[s]"), "timedelta64[s]", TypeError, "has datetime64[s], and timedelta64[s] is needed")
    refused(np.array([1]), "datetime64[s]", TypeError, "make times of them first")


def test_times_of_arrow():
    day = datetime.date(2024, 2, 29)
    moment = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)
    assert read(pa.array([day]), "datetime64[ns]").column()[0] == np.datetime64("2024-02-29")
    assert read(pa.array([day], pa.date64()), "datetime64[D]").column()[0] == np.datetime64("2024-02-29")
    zoned = pa.array([moment], pa.timestamp("us", "Europe/Berlin"))
    assert read(zoned, "datetime64[ns]").column()[0] == np.datetime64("2024-02-29T12:30")
    assert values(pa.array([datetime.timedelta(1)], pa.duration("ms")), "timedelta64[D]") == [datetime.timedelta(1)]


def test_nat_is_null_where_null_is_allowed():
    given = np.array(["NaT", "2024-01-01"], "M8[ns]")
    assert read(given, "datetime64[ns]?").column().mask.tolist() == [True, False]
    assert np.isnat(read(given, "datetime64[ns]").column()).tolist() == [True, False]
    assert np.isnat(read(given.astype("M8[s]"), "datetime64[ns]").column()).tolist() == [True, False]


def test_lists_of_fixed_length():
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    for of in (pa.list_(pa.float64(), 3), pa.list_(pa.int16()), pa.large_list(pa.float32())):
        given = pa.array(rows, pa.list_(pa.float64())).cast(of)
        assert values(given, ("f4", 3)) == rows and values(given.slice(1), ("f8", 3)) == rows[1:]
    assert values(np.array(rows), ("f4", 3)) == rows and values(rows, ("f4", 3)) == rows
    refused(pa.array([[1.0, 2.0], [1.0]]), ("f8", 2), ValueError, "row 1 has 1 items, and 2 are needed")
    refused(pa.array([[1.0, None]]), ("f8", 2), ValueError, "is null")
    pairs = pa.array([[1.5, 2.0]], pa.list_(pa.float64(), 2))
    refused(pairs, ("f8", 3), TypeError, "has lists of 2 float64, and list of 3 float64 is needed")
    refused(np.zeros(3), ("f8", 3), ValueError, "an array of two dimensions, (rows, 3), is needed")


def test_structs_go_to_nested_fields():
    of = {"place": {"x": "f4", "y": "f4?"}, "name": str}
    rows = [{"place": {"x": 1.0, "y": None}, "name": "a"}, {"place": {"x": 2.0, "y": 3.0}, "name": "b"}]
    given = pa.Table.from_pylist(rows)
    assert read(given, of).to_arrow().to_pylist() == rows
    assert read(given.slice(1), of).to_arrow().to_pylist() == rows[1:]
    flat = given.flatten()
    assert flat.column_names == ["place.x", "place.y", "name"] and read(flat, of).to_arrow().to_pylist() == rows
    assert read({"place": {"x": [1, 2], "y": [None, 3]}, "name": ["a", "b"]}, of).to_arrow().to_pylist() == rows
    missing = pa.table({"place": pa.array([None, {"x": 1.0, "y": 1.0}]), "name": ["a", "b"]})
    refused(missing, of, ValueError, "column 'place.x': row 0 is null")
    nested = np.array([((1.0, 2.0), b"a")], dtype=[("place", [("x", "f8"), ("y", "f8")]), ("name", "S1")])
    assert read(nested, of).to_arrow().to_pylist() == [{"place": {"x": 1.0, "y": 2.0}, "name": "a"}]


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 63, 64, 65, 1000])
def test_validity_and_booleans_at_every_offset(count):
    flags = [None if i % 3 == 1 else i % 5 < 2 for i in range(count + 12)]
    given = pa.array(flags, pa.bool_())
    for first in range(12):
        part = given.slice(first, count)
        assert values(part, "bool?") == flags[first : first + count]
        numbers = pa.array([None if flag is None else i for i, flag in enumerate(flags)], pa.int32()).slice(first, count)
        assert values(numbers, "i8?") == numbers.to_pylist()


def test_a_column_of_nulls_has_no_type():
    for of in ("i4?", "f8?", "bool?", "str?", "bytes?", "datetime64[ns]?"):
        assert values(pa.nulls(3), of) == [None] * 3
    refused(pa.nulls(3), "i4", ValueError, "row 0 is null")


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.int64(), pa.uint64()], ids=str)
def test_dictionaries_of_every_index(kind):
    of = pa.dictionary(kind, pa.string())
    given = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1], kind), pa.array(["b", "a"]))
    assert given.type == of and values(given, "str?") == ["a", "b", None, "a"]
    assert values(pa.DictionaryArray.from_arrays(pa.array([1, 0], kind), pa.array([5, None])), "i8?") == [None, 5]
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, 1], kind), pa.array([2**40, 7]))
    assert values(numbers, "i8") == [7, 7]


# ---------------------------------------------------------------------------------------------------------- kinds of source


def test_every_kind_of_source_gives_the_same_rows():
    of = {"a": "i4", "b": str, "c": "f8?"}
    plain = {"a": [1, 2], "b": ["x", "y"], "c": [None, 0.5]}
    whole = pa.table(plain)
    structured = np.array([(1, "x", 0.5), (2, "y", 0.5)], dtype=[("a", "i8"), ("b", "U3"), ("c", "f4")])
    sources = [whole, whole.to_batches()[0], whole.to_reader(), plain, dict(zip("abc", whole.columns)), read(whole, of)]
    sources.append({"c": np.ma.MaskedArray([9.0, 0.5], [1, 0]), "b": np.array(["x", "y"]), "a": np.array([1, 2], ">i2")})
    for source in sources:
        assert read(source, of).to_arrow().to_pydict() == plain
    assert read(structured, of).to_arrow().to_pydict() == plain | {"c": [0.5, 0.5]}


def test_columns_that_are_cut_in_pieces_meet():
    a = pa.chunked_array([[1, 2], [], [3], [4, 5]])
    b = pa.chunked_array([["v"], ["w", "x", "y"], ["z"]])
    got = read({"a": a, "b": b}, {"a": "i4", "b": str}).to_arrow().to_pydict()
    assert got == {"a": [1, 2, 3, 4, 5], "b": list("vwxyz")}
    refused({"a": a, "b": b.slice(1)}, {"a": "i4", "b": str}, ValueError, "column 'b' has 4 rows, and column 'a' 5")
    late = pa.chunked_array([[1, 2], [3, 300]])
    refused({"a": late}, {"a": "i1"}, OverflowError, "column 'a': row 3 is 300")
    refused(pa.table({"a": late}), {"a": "i1"}, OverflowError, "column 'a': row 3 is 300")


def test_no_rows_are_rows():
    empty = pa.schema({"a": pa.int8()}).empty_table()
    for source in (empty, empty.to_reader(), {"a": []}, {"a": np.array([])}):
        assert len(read(source, {"a": "i4"})) == 0
    refused(pa.table({"b": pa.array([], pa.int8())}), {"a": "i4"}, ValueError, "there is no column 'a'; it has 'b'")


def test_names_are_looked_at():
    of = {"a": "i4", "b": "i4"}
    refused({"a": [1]}, of, ValueError, "there is no column 'b'; it has 'a'")
    refused(pa.table([[1], [2], [3]], names=["a", "b", "a"]), of, ValueError, "there are two columns 'a'")
    assert read(pa.table({"b": [1], "c": ["left"], "a": [2]}), of).to_arrow().to_pydict() == {"a": [2], "b": [1]}
    refused(pa.array([1]), of, ValueError, "it is one column, and several are needed")
    refused(np.array([1]), of, ValueError, "it is an array without names of columns")
    refused({"a": 1, "b": [1]}, of, TypeError, "column 'a': a NumPy array, an Arrow array")
    refused({"a": "x", "b": [1]}, of, TypeError, "column 'a': a NumPy array, an Arrow array")
    refused({"a": np.zeros((1, 1)), "b": [1]}, of, ValueError, "an array of one dimension is needed")
    for dtype in ("c16", "V4"):
        refused({"a": np.zeros(1, dtype), "b": [1]}, of, TypeError, "column 'a' has ")


def test_types_that_no_field_takes_are_named():
    refused(pa.array(["a"]), "f8", TypeError, "column 'value' has str, and float64 is needed")
    refused(pa.array([1]), str, TypeError, "column 'value' has int64, and str is needed")
    refused(pa.array([[1]]), "i8", TypeError, "column 'value' has lists of int64, and int64 is needed")
    import decimal

    refused(pa.array([decimal.Decimal(1)]), "f8", TypeError, "column 'value' has values of Arrow's format 'd:")
    refused(pa.table({"value": pa.array([{"x": 1}])}), "f8", TypeError, "column 'value' has structs, and float64 is needed")


def test_lists_of_python_values():
    assert values([1, True, np.int8(3)], "i4") == [1, 1, 3]
    assert values([1.5, None], "f8?") == [1.5, None]
    for source, of in (([1, "x"], "i8"), (["a", 1], str), ([b"a", "a"], bytes), ([0.5], "i8")):
        rows = slotwise.Table(of)
        with pytest.raises((TypeError, ValueError)):
            rows.extend({"value": source})
        assert len(rows) == 0


class Raises:
    def __init__(self, error):
        self.error = error

    def __index__(self):
        raise self.error

    def __arrow_c_stream__(self, requested_schema=None):
        raise self.error


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError, KeyError])
def test_what_a_producer_raises_is_passed_on(kind):
    error = kind("mine")

    def batches():
        yield pa.record_batch({"value": [1]})
        raise error

    reader = pa.RecordBatchReader.from_batches(pa.schema({"value": pa.int64()}), batches())
    for source in (Raises(error), {"value": Raises(error)}, {"value": [1, Raises(error)]}, reader):
        rows = slotwise.Table("i8")
        with pytest.raises(kind) as caught:
            rows.extend(source)
        assert caught.value is error
        assert len(rows) == 0


def test_values_that_change_their_list_do_no_harm():
    class Clears:
        def __index__(self):
            items.clear()
            return 5

    items = [Clears(), 2, 3]
    assert values({"value": items}, "i8") == [5, 2, 3]


# -------------------------------------------------------------------------------------------------------- producers that lie

INTS = np.arange(8, dtype=np.int64)


def ints(length=3, **changes):
    return table({"value": (schema("l"), array(length, [None, INTS], **changes))}, length)


def test_a_plain_producer_is_read_and_released():
    gc.collect()
    before = dict(released)
    rows = read(ints(), "i8")
    assert rows.column().tolist() == [0, 1, 2] and released["array"] == before["array"] + 1
    batches = [array(2, [None], array(2, [None, INTS])), array(1, [None], array(1, [None, INTS], offset=4))]
    stream = StreamProducer(schema("+s", schema("l", name="value")), batches)
    assert read(stream, "i8").column().tolist() == [0, 1, 4]
    assert released["stream"] == before["stream"] + 1


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"length": -1}, "has the length -1"),
        ({"length": 2}, "has 2 rows, and 3 are needed"),
        ({"offset": -1}, "the offset -1"),
        ({"offset": 2**62}, f"the offset {2**62}"),
        ({"n_buffers": 1}, "has 1 buffers, and 2 are needed"),
        ({"n_buffers": 3}, "has 3 buffers, and 2 are needed"),
        ({"n_buffers": -5}, "has -5 buffers"),
        ({"buffers": ctypes.POINTER(ctypes.c_void_p)()}, "has 2 buffers, and 2 are needed"),
        ({"null_count": 2}, "says that rows are null, and not which"),
    ],
)
def test_a_column_that_lies_about_itself(changes, text):
    changes = dict(changes)
    null_count = changes.pop("null_count", 0)
    made = array(3, [None, INTS], null_count=null_count, **changes)
    refused(table({"value": (schema("l"), made)}, 3), "i8", ValueError, text)


def test_a_batch_that_lies_about_itself():
    refused(table({"value": (schema("l"), array(3, [None, INTS]))}, -1), "i8", ValueError, "the length -1")
    childless = table({"value": (schema("l"), array(3, [None, INTS]))}, 3, n_children=0)
    refused(childless, "i8", ValueError, "has 0 children, and 1 are needed")
    refused(table({"value": (schema("l"), array(3, [None, None]))}, 3), "i8", ValueError, "has no memory for its values")
    without = table({"value": (schema("l"), array(3, [None, INTS]))}, 3)
    without.array.children[0] = ctypes.POINTER(CArray)()
    refused(without, "i8", ValueError, "is missing, or was released")
    dead = table({"value": (schema("l"), array(3, [None, INTS]))}, 3)
    ctypes.memset(ctypes.addressof(dead.array.children[0].contents) + CArray.release.offset, 0, 8)
    refused(dead, "i8", ValueError, "is missing, or was released")


@pytest.mark.parametrize(
    "made, text",
    [
        (lambda: schema(None), "has no format"),
        (lambda: schema("l", n_children=-1), "has -1 children"),
        (lambda: schema("+s", n_children=3, children=ctypes.POINTER(ctypes.POINTER(CSchema))()), "has 3 children, or no list"),
        (lambda: schema("+s", n_children=2**40), f"has {2**40} children"),
        (lambda: schema("+s", None), "is missing"),
        (lambda: schema("+l"), "lists without items"),
        (lambda: schema("u", dictionary=schema("u")), "a dictionary whose numbers are no ints"),
    ],
)
def test_a_schema_that_lies(made, text):
    refused(ArrayProducer(made(), array(3, [None, INTS])), "i8", ValueError, text)


def test_a_schema_without_end():
    deep = schema("l")
    for _ in range(100):
        deep = schema("+s", deep, name="a")
    refused(ArrayProducer(deep, array(3, [None])), "i8", ValueError, "nested more than")


FORMATS = ["", "x", "+", "w:", "w:x", "w:-3", "w:99999999999", "+w:", "+w:a", "ts", "tsx:", "tD", "tDq", "d:10,2", "+ud:0"]


@pytest.mark.parametrize("format", [*FORMATS, "+r", "é", "l" * 1000])
def test_a_format_that_nobody_knows(format):
    for of in ("i8", str):
        refused(ArrayProducer(schema(format), array(3, [None, INTS])), of, TypeError, "has values of Arrow's format")


def texts(offsets, data, format="u", **changes):
    kind = np.int64 if format in "UZ" else np.int32
    return ArrayProducer(schema(format), array(len(offsets) - 1, [None, np.array(offsets, kind), data], **changes))


@pytest.mark.parametrize("format", ["u", "U"])
def test_texts_that_lie(format):
    assert values(texts([0, 1, 3], b"abc", format), str) == ["a", "bc"]
    refused(texts([0, 3, 1], b"abc", format), str, ValueError, "row 1 ends before it begins: its offsets fall")
    refused(texts([-1, 0, 1], b"abc", format), str, ValueError, "row 0 begins at a negative offset")
    refused(texts([0, 1], None, format), str, ValueError, "the buffer of the texts is missing")
    refused(texts([0, 1, 2], "ä".encode(), format), str, ValueError, "row 0 is no UTF-8")
    refused(texts([0, 2, 3], b"ab\xff", format), str, ValueError, "row 1 is no UTF-8: '\\xff'")
    refused(texts([0, 3], b"\xed\xa0\x80", format), str, ValueError, "row 0 is no UTF-8")
    assert values(texts([], b"", format, length=0), str) == []
    assert values(texts([0, 0], None, format), str) == [""]


def test_what_is_behind_a_null_need_not_be_a_text():
    made = array(3, [b"\x05", np.array([0, 1, 2, 3], np.int32), b"a\xffb"], null_count=1)
    assert values(ArrayProducer(schema("u"), made), "str?") == ["a", None, "b"]


def view(size, prefix=b"abcd", buffer=0, offset=0):
    size, buffer, offset = (each.to_bytes(4, "little", signed=True) for each in (size, buffer, offset))
    return size + prefix + buffer + offset


@pytest.mark.parametrize(
    "each, text",
    [
        (view(-1), "has a negative length"),
        (view(13, buffer=1), "outside of the buffers"),
        (view(13, buffer=-1), "outside of the buffers"),
        (view(13, offset=8), "outside of the buffers"),
        (view(13, offset=-1), "outside of the buffers"),
        (view(2**31 - 1, offset=2**31 - 1), "outside of the buffers"),
    ],
)
def test_views_that_lie(each, text):
    data = b"abcdefghijklmnopqrst"
    sizes = np.array([len(data)], np.int64)
    good = view(13) + (3).to_bytes(4, "little") + b"xyz" + bytes(9)
    assert values(ArrayProducer(schema("vu"), array(2, [None, good, data, sizes])), str) == ["abcdefghijklm", "xyz"]
    refused(ArrayProducer(schema("vu"), array(2, [None, view(13) + each, data, sizes])), str, ValueError, "row 1 ")
    refused(ArrayProducer(schema("vu"), array(2, [None, view(13) + each, data, sizes])), str, ValueError, text)
    refused(ArrayProducer(schema("vu"), array(2, [None, good, data, None])), str, ValueError, "has no sizes of its buffers")


@pytest.mark.parametrize("index", [-1, 2, 127])
def test_numbers_of_no_word(index):
    words = array(2, [None, np.array([0, 1, 2], np.int32), b"ab"])
    made = array(2, [None, np.array([1, index], np.int8)], dictionary=words)
    coded = ArrayProducer(schema("c", dictionary=schema("u")), made)
    refused(coded, str, ValueError, f"row 1 has the number {index} in a dictionary of 2 values")
    gone = array(2, [None, np.array([1, 0], np.int8)])
    refused(ArrayProducer(schema("c", dictionary=schema("u")), gone), str, ValueError, "has no dictionary")


@pytest.mark.parametrize("offsets", [[0, 2, 5], [-2, 0, 2], [0, 2, 2**30], [2, 0, 2]])
def test_lists_outside_of_their_items(offsets):
    made = array(2, [None, np.array(offsets, np.int32)], array(4, [None, INTS]))
    refused(ArrayProducer(schema("+l", schema("l", name="item")), made), ("i8", 2), ValueError, "row ")
    short = array(3, [None], array(4, [None, INTS]))
    pairs = ArrayProducer(schema("+w:2", schema("l", name="item")), short)
    refused(pairs, ("i8", 2), ValueError, "has 4 rows, and 6 are needed")


def test_streams_that_fail():
    of = schema("+s", schema("l", name="value"))
    good = array(1, [None], array(1, [None, INTS]))
    refused(StreamProducer(of, [good, 5]), "i8", ValueError, "its stream fails with error 5: the line is dead")
    refused(StreamProducer(of, [5], text=None), "i8", ValueError, "its stream fails with error 5: it says nothing more")
    refused(StreamProducer(of, [], schema_error=22), "i8", ValueError, "its stream fails with error 22")
    refused(StreamProducer(of, [12]), "i8", MemoryError, "")
    taken = StreamProducer(of, [array(1, [None], array(1, [None, INTS]))])
    assert len(read(taken, "i8")) == 1
    refused(taken, "i8", ValueError, "its stream was read already; make a new one")


@pytest.mark.parametrize("result", [None, 5, "x", (1,), (1, 2)])
def test_what_is_no_capsule(result):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return result

    class Array:
        def __arrow_c_array__(self, requested_schema=None):
            return result

    refused(Stream(), "i8", TypeError, "a capsule named 'arrow_array_stream' is needed")
    refused(Array(), "i8", TypeError, "is needed, not ")


def test_a_length_that_lies_reserves_nothing():
    class Long(StreamProducer):
        def __len__(self):
            return 2**62

    made = Long(schema("+s", schema("l", name="value")), [array(2, [None], array(2, [None, INTS]))])
    assert read(made, "i8").column().tolist() == [0, 1]


def test_a_class_is_no_source():
    rows = slotwise.Table("i8")
    with pytest.raises(TypeError):
        rows.extend(Raises)
