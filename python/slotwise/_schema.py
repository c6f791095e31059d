# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Schemas and keys as a program says them, turned into what slotwise._core takes.

A tree is (kind, unit, length, nullable) for a single type, and (record class or None, ((name, tree), ...)) for
a record.
"""

from __future__ import annotations

import collections
import datetime
import functools
import importlib
import types
import typing
from typing import Any, Union

import numpy
from numpy import datetime64, timedelta64

__all__ = ["tree_of", "key_of", "record_class", "class_of_tree", "time_count", "datetime64", "timedelta64"]

_ALLOWED = (
    "bool, int and numpy.int8 to int64, uint8 to uint64, float and float32, str, bytes, 'datetime64[ns]' and "
    "'timedelta64[ns]' (also us, ms, s, D), ('f4', 3) for a list of fixed length, Optional[...] or 'f8?' of these, and "
    "records of them: a dict, a dataclass, a NamedTuple, a structured dtype, a pyarrow schema"
)
_ALLOWED_KEYS = "int, numpy.uint64 or 'u8', str, bytes, or a tuple of these such as (str, int)"
_UNITS = ("ns", "us", "ms", "s", "D")
_PYTHON = {
    bool: ("bool", "", 0, False),
    int: ("int64", "", 0, False),
    float: ("float64", "", 0, False),
    str: ("str", "", 0, False),
    bytes: ("bytes", "", 0, False),
    datetime.datetime: ("datetime64", "us", 0, False),
    datetime.date: ("datetime64", "D", 0, False),
    datetime.timedelta: ("timedelta64", "us", 0, False),
}
_NAMES = {"str": "str", "string": "str", "utf8": "str", "bytes": "bytes", "binary": "bytes"}
_NUMBERS = {"bool", "float32", "float64"} | {f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


class _Place:
    """Where a type stands, for errors."""

    def __init__(self, argument: str, path: str = "") -> None:
        self.argument = argument
        self.path = path

    def at(self, name: str) -> _Place:
        return _Place(self.argument, f"{self.path}.{name}" if self.path else name)

    def text(self) -> str:
        return f"{self.argument}: field '{self.path}'" if self.path else self.argument

    def refused(self, thing: Any, why: str = "") -> TypeError:
        name = thing.__name__ if isinstance(thing, type) else repr(thing)
        if len(name) > 80:
            name = name[:77] + "..."
        return TypeError(f"{self.text()}: {name} is no type of a field{why}; there are {_ALLOWED}")


def tree_of(thing: Any, argument: str = "value") -> Any:
    """The tree of what a program gave as a schema."""
    return _tree(thing, _Place(argument))


def _tree(thing: Any, place: _Place) -> Any:
    from . import _core

    if isinstance(thing, _core.Schema):
        return thing.__reduce__()[1][0]
    if thing is None or thing is type(None):
        raise place.refused(None)
    if isinstance(thing, str):
        return _named(thing, place)
    if isinstance(thing, numpy.dtype):
        return _dtype(thing, place)
    if isinstance(thing, (dict, types.MappingProxyType)):
        return _struct(None, list(thing.items()), place)
    if isinstance(thing, (tuple, list)):
        return _sequence(thing, place)
    if isinstance(thing, type):
        known = _class(thing, place)
        if known is not None:
            return known
    origin = typing.get_origin(thing)
    if origin is not None:
        return _generic(thing, origin, place)
    if hasattr(thing, "__supertype__"):  # NewType
        return _tree(thing.__supertype__, place)
    module = type(thing).__module__
    if module.startswith("pyarrow"):
        return _arrow(thing, place)
    if module.startswith("pandas"):
        return _pandas(thing, place)
    if module.startswith("polars") or (isinstance(thing, type) and thing.__module__.startswith("polars")):
        return _polars(thing, place)
    raise place.refused(thing)


def _nullable(tree: Any, thing: Any, place: _Place) -> Any:
    if not isinstance(tree[0], str):
        raise place.refused(thing, ": a record has no null of its own, make its fields Optional instead")
    return (*tree[:3], True)


def _named(name: str, place: _Place) -> Any:
    if name.endswith("?") and name != "?":
        return _nullable(_named(name[:-1], place), name, place)
    if name in _NAMES:
        return (_NAMES[name], "", 0, False)
    if name.endswith("]") and "[" in name:  # 'f4[3]', as Schema.fields says it
        base, _, length = name[:-1].rpartition("[")
        if length.isdecimal():
            return _list(base, int(length), place)
    try:
        dtype = numpy.dtype(name)
    except (TypeError, ValueError, SyntaxError):
        raise place.refused(name) from None
    return _dtype(dtype, place)


def _dtype(dtype: numpy.dtype[Any], place: _Place) -> Any:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        if len(shape) != 1:
            raise place.refused(dtype, ": a list of fixed length has one dimension")
        return _list(base, shape[0], place)
    if dtype.names is not None:
        fields = dtype.fields
        assert fields is not None
        return _struct(None, [(name, fields[name][0]) for name in dtype.names], place)
    if dtype.kind in "Mm":
        unit, count = numpy.datetime_data(dtype)
        if unit not in _UNITS or count != 1:
            raise place.refused(dtype, f": its unit is none of {', '.join(_UNITS)}")
        return ("datetime64" if dtype.kind == "M" else "timedelta64", unit, 0, False)
    if dtype.kind == "U":
        return ("str", "", 0, False)
    if dtype.kind == "S":
        return ("bytes", "", 0, False)
    if dtype.kind == "T":  # StringDType
        return ("str", "", 0, hasattr(dtype, "na_object"))
    if dtype.name in _NUMBERS:
        return (dtype.name, "", 0, False)
    raise place.refused(dtype)


def _list(item: Any, length: Any, place: _Place) -> Any:
    tree = _tree(item, place)
    if not isinstance(tree[0], str) or tree[0] in ("str", "bytes") or tree[2] != 0:
        raise place.refused((item, length), ": a list of fixed length has numbers, bools or times")
    if tree[3]:
        raise place.refused((item, length), ": the items of a list are not null, the list may be: Optional around it")
    if isinstance(length, bool):
        raise place.refused((item, length))
    length = int(length)
    if not 1 <= length <= 1 << 20:
        raise ValueError(f"{place.text()}: a list has from 1 to {1 << 20} items, not {length}")
    return (*tree[:2], length, False)


def _sequence(thing: Any, place: _Place) -> Any:
    if isinstance(thing, tuple) and len(thing) == 2 and isinstance(thing[1], (int, numpy.integer)):
        return _list(thing[0], thing[1], place)
    if thing and all(isinstance(each, tuple) and len(each) in (2, 3) and isinstance(each[0], str) for each in thing):
        return _struct(None, [(each[0], each[1] if len(each) == 2 else (each[1], each[2])) for each in thing], place)
    raise place.refused(thing)


def _struct(record: Any, members: list[tuple[Any, Any]], place: _Place) -> Any:
    if not members:
        raise ValueError(f"{place.text()}: a record has one field at least")
    result = []
    names = set()
    for name, member in members:
        if not isinstance(name, str):
            raise TypeError(f"{place.text()}: the name of a field is a str, not {type(name).__name__} {name!r}")
        if not name or "." in name:
            raise ValueError(f"{place.text()}: {name!r} is no name of a field; it is not empty and has no dot")
        if name in names:
            raise ValueError(f"{place.text()}: there are two fields {name!r}")
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{place.text()}: {name!r} is no name of a field; it has lone surrogates") from None
        names.add(name)
        result.append((str(name), _tree(member, place.at(name))))
    return (record, tuple(result))


def _hints(cls: type, place: _Place) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        raise TypeError(f"{place.text()}: a type of {cls.__name__} cannot be looked up: {error}") from None


def _class(cls: type, place: _Place) -> Any:
    known = _PYTHON.get(cls)
    if known is not None:
        return known
    if issubclass(cls, numpy.generic):
        if cls in (numpy.datetime64, numpy.timedelta64):
            raise place.refused(cls, f": it needs a unit, as '{cls.__name__}[ns]'")
        if issubclass(cls, numpy.void):
            raise place.refused(cls)
        try:
            return _dtype(numpy.dtype(cls), place)
        except TypeError as error:
            if str(error).startswith(place.argument):
                raise
            raise place.refused(cls) from None
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        hints = _hints(cls, place)
        missing = [name for name in cls._fields if name not in hints]
        if missing:
            why = f": the type of its field {missing[0]!r} is not known, derive it from typing.NamedTuple"
            raise place.refused(cls, why)
        return _struct(cls, [(name, hints[name]) for name in cls._fields], place)
    if "__dataclass_fields__" in vars(cls) or hasattr(cls, "__dataclass_fields__"):
        import dataclasses

        hints = _hints(cls, place)
        fields = dataclasses.fields(typing.cast(Any, cls))
        every: dict[str, Any] = getattr(cls, "__dataclass_fields__")
        for name, field in every.items():
            if "INITVAR" in repr(getattr(field, "_field_type", "")):
                raise place.refused(cls, f": its {name!r} is given to its constructor, and kept in no field")
        for field in fields:
            if not field.init:
                raise place.refused(cls, f": its field {field.name!r} is not given to its constructor")
        return _struct(cls, [(field.name, hints.get(field.name, field.type)) for field in fields], place)
    if typing.is_typeddict(cls):
        return _struct(None, list(_hints(cls, place).items()), place)
    if cls is object or cls is tuple or cls is list or cls is dict:
        raise place.refused(cls)
    return None


def _generic(thing: Any, origin: Any, place: _Place) -> Any:
    arguments = typing.get_args(thing)
    if origin is Union or origin is types.UnionType:
        left = [each for each in arguments if each is not type(None)]
        if len(left) == 1 and len(left) != len(arguments):
            return _nullable(_tree(left[0], place), thing, place)
        raise place.refused(thing, ": a union is of one type and None")
    if origin is typing.Annotated:
        return _tree(arguments[0], place)
    if origin is numpy.dtype:
        return _tree(arguments[0], place)
    if origin in (tuple, list):
        raise place.refused(thing, ": a list of fixed length is written ('f8', 3)")
    raise place.refused(thing)


def _arrow(thing: Any, place: _Place) -> Any:
    pa: Any = importlib.import_module("pyarrow")
    kinds = pa.types
    if isinstance(thing, pa.Schema):
        return _struct(None, [(field.name, field) for field in thing], place)
    if isinstance(thing, pa.Field):
        tree = _tree(thing.type, place)
        if not thing.nullable:
            return tree
        if isinstance(tree[0], str):
            return (*tree[:3], True)
        return tree  # a struct of a schema is nullable unless it says otherwise; its fields are what may be null
    if not isinstance(thing, pa.DataType):
        raise place.refused(thing)
    if kinds.is_dictionary(thing):
        return _tree(thing.value_type, place)
    if kinds.is_struct(thing):
        return _struct(None, [(field.name, field) for field in thing], place)
    if kinds.is_fixed_size_list(thing):
        return _list(thing.value_type, thing.list_size, place)
    if kinds.is_timestamp(thing):
        if thing.tz is not None:
            raise place.refused(thing, ": cast it to a timestamp without a time zone")
        return ("datetime64", thing.unit, 0, False)
    if kinds.is_duration(thing):
        return ("timedelta64", thing.unit, 0, False)
    if kinds.is_date32(thing):
        return ("datetime64", "D", 0, False)
    if kinds.is_date64(thing):
        return ("datetime64", "ms", 0, False)
    name = str(thing)
    if name in ("string", "large_string", "string_view"):
        return ("str", "", 0, False)
    if name in ("binary", "large_binary", "binary_view") or kinds.is_fixed_size_binary(thing):
        return ("bytes", "", 0, False)
    name = {"float": "float32", "double": "float64"}.get(name, name)
    if name in _NUMBERS:
        return (name, "", 0, False)
    raise place.refused(thing)


def _pandas(thing: Any, place: _Place) -> Any:
    """An extension type of pandas: Int64, Float64, boolean, string, category."""
    if hasattr(thing, "pyarrow_dtype"):  # ArrowDtype
        tree = _tree(thing.pyarrow_dtype, place)
        return (*tree[:3], True) if isinstance(tree[0], str) else tree
    if getattr(thing, "tz", None) is not None:
        raise place.refused(thing, ": make it one without a zone, by .dt.tz_convert(None)")
    name = str(getattr(thing, "name", thing))
    if name == "category":
        return _tree(thing.categories.dtype, place)
    if name.startswith("str"):  # "str" of pandas 3, "string" before
        return ("str", "", 0, True)
    name = "bool" if name == "boolean" else name.lower()
    if name in _NUMBERS:
        return (name, "", 0, True)
    raise place.refused(thing)


def _polars(thing: Any, place: _Place) -> Any:
    """A type of Polars, which are all nullable."""
    pl: Any = importlib.import_module("polars")
    kind = thing if isinstance(thing, type) else type(thing)
    if kind is pl.Struct and not isinstance(thing, type):
        return _struct(None, [(field.name, field.dtype) for field in thing.fields], place)
    name = kind.__name__.lower()
    if name in ("string", "categorical", "enum"):
        return ("str", "", 0, True)
    if name == "binary":
        return ("bytes", "", 0, True)
    if name == "date":
        return ("datetime64", "D", 0, True)
    if name in ("datetime", "duration"):
        if getattr(thing, "time_zone", None) is not None:
            raise place.refused(thing, ": cast it to a time without a time zone")
        unit = getattr(thing, "time_unit", None) or "us"
        return ("datetime64" if name == "datetime" else "timedelta64", unit, 0, True)
    if name == "array" and not isinstance(thing, type) and len(thing.shape) == 1:
        tree = _tree(thing.inner, place)
        return _nullable(_list_of(tree, thing, int(thing.shape[0]), place), thing, place)
    name = "bool" if name == "boolean" else name
    if name in _NUMBERS:
        return (name, "", 0, True)
    raise place.refused(thing)


def _list_of(tree: Any, thing: Any, length: int, place: _Place) -> Any:
    if not isinstance(tree[0], str) or tree[0] in ("str", "bytes") or tree[2] != 0:
        raise place.refused(thing, ": a list of fixed length has numbers, bools or times")
    return (*tree[:2], length, False)


def schema_from_tree(tree: Any) -> Any:
    """For pickles."""
    from . import _core

    return _core.Schema._from_tree(tree)


def key_type_from_parts(described: Any) -> Any:
    """For pickles."""
    from . import _core

    return _core.KeyType._from_described(described)


# Keys


def key_of(thing: Any, argument: str = "key") -> Any:
    """What KeyType takes: 'i8', 'u8', 'str', 'bytes', or a tuple of pairs (name, one of these)."""
    from . import _core

    if isinstance(thing, _core.KeyType):
        return thing.__reduce__()[1][0]
    parts = _key_parts(thing, argument)
    if parts is None:
        return _key_part(thing, argument, thing)
    if not parts:
        raise TypeError(f"{argument}: a tuple of keys has a part at least; {_ALLOWED_KEYS} may be keys")
    described = tuple((name or f"key_{i}", _key_part(part, argument, thing)) for i, (name, part) in enumerate(parts))
    names = [name for name, _ in described]
    for name in names:
        if names.count(name) != 1:
            raise ValueError(f"{argument}: there are two parts {name!r}")
    return described


def _key_parts(thing: Any, argument: str) -> list[tuple[str, Any]] | None:
    """The parts of a tuple with their names, which may be empty; None of a single key."""
    if isinstance(thing, (dict, types.MappingProxyType)):
        return [(str(name), part) for name, part in thing.items()]
    if isinstance(thing, (tuple, list)):
        pairs = all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) for each in thing)
        return [(each[0], each[1]) if pairs else ("", each) for each in thing]
    if isinstance(thing, numpy.dtype) and thing.names is not None:
        return [(name, thing[name]) for name in thing.names]
    if isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields"):
        return [(name, _hints(thing, _Place(argument)).get(name, None)) for name in thing._fields]
    if typing.get_origin(thing) is tuple:
        arguments = typing.get_args(thing)
        if Ellipsis in arguments:
            raise TypeError(f"{argument}: a tuple of keys has a fixed number of parts, as tuple[str, int]")
        return [("", each) for each in arguments]
    module = type(thing).__module__
    if module.startswith("pyarrow") and type(thing).__name__ in ("Schema", "StructType"):
        return [(field.name, field.type) for field in thing]
    return None


def _key_part(thing: Any, argument: str, whole: Any) -> str:
    try:
        tree = _tree(thing, _Place(argument))
    except (TypeError, ValueError):
        tree = None
    kinds = {"int64": "i8", "uint64": "u8", "str": "str", "bytes": "bytes"}
    # The types of a column of Arrow, Polars or pandas are nullable by default; a key is never null.
    plain = tree is not None and isinstance(tree[0], str) and tree[2] == 0
    if plain and tree is not None:
        kind = kinds.get(tree[0])
        optional = typing.get_origin(thing) in (Union, types.UnionType) or str(thing).endswith("?")
        if kind is not None and not optional:
            return kind
    name = thing.__name__ if isinstance(thing, type) else repr(thing)
    part = "" if thing is whole else f" (of {whole!r})"
    raise TypeError(f"{argument}: {name[:80]}{part[:120]} is no type of a key; {_ALLOWED_KEYS} may be keys")


# Records


@functools.lru_cache(maxsize=None)
def record_class(names: tuple[str, ...]) -> type[Any]:
    """The class of records with these fields, one for the same names: a named tuple.

    Names that Python has no attribute for are _0, _1 by their place; every field is found by its position, too.
    """
    base = collections.namedtuple("Record", names, rename=True)  # type: ignore[misc]

    def reduce(self: Any) -> Any:
        return _record, (names, tuple(self))

    def asdict(self: Any) -> dict[str, Any]:
        return dict(zip(names, self))

    return type(
        "Record",
        (base,),
        {
            "__slots__": (),
            "__module__": "slotwise",
            "__doc__": f"A record of {', '.join(names)}.",
            "__reduce__": reduce,
            "_asdict": asdict,
        },
    )


def _record(names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return record_class(names)._make(values)


def class_of_tree(tree: Any) -> type[Any] | None:
    """The class of the records of a tree; None of a single type."""
    if isinstance(tree[0], str):
        return None
    if tree[0] is None:
        return record_class(tuple(name for name, _ in tree[1]))
    return tree[0]  # type: ignore[no-any-return]


# Times

_NEVER = -(2**63)
# Nanoseconds of a unit; picoseconds and finer are refused where they are no whole nanoseconds.
_NANOSECONDS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
_FINER = {"ps": 1_000, "fs": 1_000_000, "as": 1_000_000_000}
_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def time_count(value: Any, unit: str, is_datetime: bool, begin: str) -> int:
    """How many units `value` is, since 1970 where is_datetime. An aware datetime is taken as UTC. Nothing is rounded.

    Raises TypeError, ValueError and OverflowError that begin with `begin`.
    """
    if isinstance(value, timedelta64) or isinstance(value, datetime64):
        if isinstance(value, datetime64) is not is_datetime:
            raise _no_time(value, is_datetime, begin)
        return _count(value, unit, begin)
    if value is None or isinstance(value, (bool, str, float)):
        raise _no_time(value, is_datetime, begin)
    if type(value).__name__ == "NaTType":  # of pandas, for both
        return _NEVER
    if hasattr(value, "to_datetime64" if is_datetime else "to_timedelta64"):  # of pandas; an aware one is in UTC
        return _count(value.to_datetime64() if is_datetime else value.to_timedelta64(), unit, begin)
    if is_datetime and isinstance(value, datetime.datetime):
        since = value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)
        return _scaled(_microseconds(since), 1_000, unit, value, begin)
    if is_datetime and isinstance(value, datetime.date):
        return _scaled(value.toordinal() - _EPOCH.toordinal(), _NANOSECONDS["D"], unit, value, begin)
    if not is_datetime and isinstance(value, datetime.timedelta):
        return _scaled(_microseconds(value), 1_000, unit, value, begin)
    if hasattr(value, "__index__"):
        return value.__index__()  # type: ignore[no-any-return]
    raise _no_time(value, is_datetime, begin)


def _no_time(value: Any, is_datetime: bool, begin: str) -> TypeError:
    needed = "datetime64, a datetime" if is_datetime else "timedelta64, a timedelta"
    since = " since 1970" if is_datetime else ""
    given = type(value).__name__
    return TypeError(f"{begin}a numpy.{needed}, or an int that counts units{since} is needed, not {given}")


def _microseconds(delta: datetime.timedelta) -> int:
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def _count(value: Any, unit: str, begin: str) -> int:
    given, step = numpy.datetime_data(value.dtype)
    count = int(value.astype("i8"))
    if count == _NEVER or numpy.isnat(value):
        return _NEVER
    if given == unit and step == 1:
        return count
    if given in _NANOSECONDS:
        return _scaled(count * step, _NANOSECONDS[given], unit, value, begin)
    if given in _FINER:
        whole, rest = divmod(count * step, _FINER[given])
        if rest == 0:
            return _scaled(whole, 1, unit, value, begin)
        raise ValueError(f"{begin}{value!r} is no whole number of {unit}")
    if given in ("Y", "M") and isinstance(value, datetime64):
        return _scaled(int(value.astype("M8[D]").astype("i8")), _NANOSECONDS["D"], unit, value, begin)
    raise ValueError(f"{begin}{value!r} has no fixed number of {unit}")


def _scaled(count: int, nanoseconds: int, unit: str, value: Any, begin: str) -> int:
    whole, rest = divmod(count * nanoseconds, _NANOSECONDS[unit])
    if rest != 0:
        raise ValueError(f"{begin}{value!r} is no whole number of {unit}")
    if not _NEVER < whole < 2**63:
        raise OverflowError(f"{begin}{value!r} is out of range for the unit {unit}")
    return whole


