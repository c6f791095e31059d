# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What the classes with keys share: views as those of a dict, columns by name, types found from values."""

from __future__ import annotations

import datetime
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy

K = TypeVar("K")
V = TypeVar("V")
if TYPE_CHECKING:
    from _typeshed import DataclassInstance
# Types of keys and values that are what a container returns. A numpy.float32 comes back as a float, so it is none of them.
Key = TypeVar("Key", int, str, bytes)
Plain = TypeVar("Plain", bool, int, float, str, bytes)
Record = TypeVar("Record", bound="DataclassInstance")


class MapKeys(KeysView[K]):
    """The keys of a container, as dict.keys() has them: a view with the operations of a set.

    Its length is that of the container. Iteration is in the order of slots, and safe while the container changes: it
    has each key that is there all the time.
    """

    __slots__ = ()
    _mapping: Any

    @property
    def mapping(self) -> Mapping[K, Any]:
        """The container."""
        container: Mapping[K, Any] = self._mapping
        return container

    def __reversed__(self) -> Iterator[K]:
        return reversed(list(self))

    def __repr__(self) -> str:
        return _view_repr("keys", self)


class MapValues(ValuesView[V]):
    """The values of a container, as dict.values() has them. column() and to_numpy() make no Python object a value."""

    __slots__ = ()
    _mapping: Any

    @property
    def mapping(self) -> Mapping[Any, V]:
        """The container."""
        container: Mapping[Any, V] = self._mapping
        return container

    def __iter__(self) -> Iterator[V]:
        walk: Iterator[V] = self._mapping._walk_values()
        return walk

    def __contains__(self, value: object) -> bool:
        return any(each is value or each == value for each in self)

    def __reversed__(self) -> Iterator[V]:
        return reversed(list(self))

    def __repr__(self) -> str:
        return _view_repr("values", self)


class MapItems(ItemsView[K, V]):
    """The pairs (key, value) of a container, as dict.items() has them: a view with the operations of a set.

    Operations that make a set need values that are hashable."""

    __slots__ = ()
    _mapping: Any

    @property
    def mapping(self) -> Mapping[K, V]:
        """The container."""
        container: Mapping[K, V] = self._mapping
        return container

    def __iter__(self) -> Iterator[tuple[K, V]]:
        walk: Iterator[tuple[K, V]] = self._mapping._walk_items()
        return walk

    def __contains__(self, item: object) -> bool:
        return isinstance(item, tuple) and len(item) == 2 and super().__contains__(item)

    def __reversed__(self) -> Iterator[tuple[K, V]]:
        return reversed(list(self))

    def __repr__(self) -> str:
        return _view_repr("items", self)


def _view_repr(name: str, view: Any) -> str:
    some = [repr(each) for each in islice(view, 11)]
    if len(some) > 10:
        some[10] = "..."
    return f"{type(view.mapping).__name__}.{name}([{', '.join(some)}])"


def expect_progress(progress: Any) -> None:
    """Raises TypeError of what cannot be called, before anything is done."""
    if progress is not None and not callable(progress):
        needed = "a function of a number, as the method update of a tqdm,"
        raise TypeError(f"progress: {needed} is needed, not {type(progress).__name__}")


def counted(source: Any, progress: Any) -> tuple[Any, int]:
    """Objects that are to be written, and how many they are; read only where progress is asked for."""
    if progress is None or isinstance(source, (str, bytes)):
        return source, 0
    if isinstance(source, Mapping):
        source = list(source.items())
    elif hasattr(source, "keys"):
        source = [(key, source[key]) for key in source.keys()]
    elif isinstance(source, Iterable):
        source = list(source)
    return source, len(source) if isinstance(source, list) else 0


def expect_rows(source: Any, argument: str = "source") -> None:
    """Raises TypeError of a frame that is only planned."""
    if hasattr(source, "collect_schema") and hasattr(source, "collect") and not hasattr(source, "get_columns"):
        raise TypeError(f"{argument}: a {type(source).__name__} has no rows yet; give what its collect() returns")


def expect_no_columns(source: Any, names: list[str], argument: str = "source") -> None:
    """Raises TypeError of a dict of names to columns, where a mapping of keys to values is meant."""
    if isinstance(source, Mapping) and set(names) & set(source) and all(map(_is_column, source.values())):
        raise TypeError(
            f"{argument}: a dict maps keys to values here, and this one maps names to columns; "
            "give update(keys, {name: column}), or a table of it, such as pyarrow.table(...)"
        )


def _is_column(thing: Any) -> bool:
    return isinstance(thing, (list, numpy.ndarray)) or hasattr(thing, "__arrow_c_stream__") or hasattr(thing, "dtype")


def levels_of(source: Any) -> dict[str, Any] | None:
    """The levels of a pandas MultiIndex by name, key_0 and so on where they have none."""
    if not (hasattr(source, "get_level_values") and hasattr(source, "levels")):
        return None
    names = [name if isinstance(name, str) else f"key_{i}" for i, name in enumerate(source.names)]
    return {name: source.get_level_values(i) for i, name in enumerate(names)}


def _expect_names(names: Iterable[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns: the name of a column is a str, not {type(name).__name__} {name!r}; rename it")


def columns_of(source: Any) -> dict[str, Any] | None:
    """The columns of a mapping, a frame or a structured array by name; None of a single column."""
    if isinstance(source, Mapping):
        _expect_names(source)
        return dict(source)
    if isinstance(source, numpy.ndarray):
        if source.ndim == 0:
            raise ValueError("source: an array of one dimension is needed, not one of the shape ()")
        return None if source.dtype.names is None else {name: source[name] for name in source.dtype.names}
    if hasattr(source, "get_columns"):  # polars.DataFrame
        return {column.name: column for column in source.get_columns()}
    if hasattr(source, "collect_schema"):  # polars.LazyFrame
        return columns_of(source.collect())
    if hasattr(source, "column_names") and hasattr(source, "column"):  # pyarrow.Table, RecordBatch
        return {name: source.column(i) for i, name in enumerate(source.column_names)}
    if hasattr(source, "iloc") and hasattr(source, "columns"):  # pandas.DataFrame
        _expect_names(source.columns)
        found = {name: source.iloc[:, i] for i, name in enumerate(source.columns)}
        for level, name in enumerate(source.index.names):  # other levels are no columns, as in a frame of pandas
            if isinstance(name, str) and (name == "key" or name.startswith("key_")) and name not in found:
                found[name] = source.index.get_level_values(level).to_series()
        return found
    if hasattr(source, "read_all"):  # pyarrow.RecordBatchReader
        return columns_of(source.read_all())
    return None


def combined(key: Any, schema: Any, keys: Any, columns: Any) -> dict[str, Any]:
    """Keys and columns as one mapping of columns by name."""
    names, is_tuple, value_names = key_names(key), is_tuple_key(key), schema_names(schema)
    found = columns_of(columns)
    if found is None:
        if len(value_names) != 1:
            needed = "a mapping of names to columns or a frame"
            raise TypeError(f"columns: {needed} is needed, not {type(columns).__name__}")
        found = {value_names[0]: columns}
    by_name = columns_of(keys) if is_tuple else None
    if by_name is None and is_tuple:
        rows = list(keys)
        if any(not isinstance(row, tuple) or len(row) != len(names) for row in rows):
            raise TypeError(f"keys: tuples of {len(names)} are needed, or a mapping of {names} to columns")
        by_name = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    elif by_name is None:
        named = None if isinstance(keys, numpy.ndarray) else columns_of(keys)
        if named is not None and names[0] in named:
            by_name = {names[0]: named[names[0]]}
        else:
            is_column = isinstance(keys, (list, numpy.ndarray)) or any(
                hasattr(keys, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "dtype")
            )
            by_name = {names[0]: keys if is_column else list(keys)}
    return {**found, **by_name}


def _joined(kinds: set[Any]) -> Any:
    """The one type that holds values of all these."""
    nullable = None in kinds
    kinds.discard(None)
    if not kinds:
        raise TypeError("value: the type of None alone is not known; say value=...")
    kinds = _one_unit(kinds)
    if kinds == {int, float} or kinds == {"u8", float} or kinds == {int, "u8", float}:
        kinds = {float}
    elif kinds == {int, "u8"}:
        kinds = {"u8"}
    if len(kinds) > 1:
        names = ", ".join(sorted(getattr(kind, "__name__", str(kind)) for kind in kinds))
        raise TypeError(f"value: values are of several types ({names}); say value=...")
    (kind,) = kinds
    if nullable:
        from typing import Optional

        return Optional[kind] if isinstance(kind, type) else f"{kind}?"
    return kind


def _one_unit(kinds: set[Any]) -> set[Any]:
    """The kinds, with times of several units as those of the finest one."""
    for letter in "Mm":
        times = {kind for kind in kinds if isinstance(kind, str) and kind.startswith(f"{letter}8[")}
        units = [unit for unit in ("ns", "us", "ms", "s", "D") if f"{letter}8[{unit}]" in times]
        if len(times) > 1 and len(units) == len(times):
            kinds = (kinds - times) | {f"{letter}8[{units[0]}]"}
    return kinds


def _kinds(values: Iterable[Any], argument: str) -> set[Any]:
    """The kinds of all; None among them where one is missing: None, NaT, NA of pandas."""
    kinds: set[Any] = set()
    for value in values:
        if isinstance(value, (numpy.datetime64, numpy.timedelta64)) and numpy.isnat(value):
            kinds.add(None)
            if numpy.datetime_data(value.dtype)[0] == "generic":
                continue
        elif type(value).__name__ in ("NaTType", "NAType"):
            value = None
        kinds.add(_kind(value, argument))
    return kinds


def _kind(value: Any, argument: str) -> Any:
    if value is None:
        return None
    if isinstance(value, numpy.generic):
        return value.dtype.str[1:] if value.dtype.kind in "mM" else value.dtype.name
    if isinstance(value, bool):
        return bool
    if isinstance(value, int):
        return int if -(2**63) <= value < 2**63 else "u8"
    for kind in (float, str, bytes):
        if isinstance(value, kind):
            return kind
    if hasattr(value, "to_datetime64") or hasattr(value, "to_timedelta64"):  # of pandas, which have a unit
        is_datetime = hasattr(value, "to_datetime64")
        time = value.to_datetime64() if is_datetime else value.to_timedelta64()
        return time.dtype.str[1:]
    if isinstance(value, datetime.datetime):
        return "M8[us]"
    if isinstance(value, datetime.date):
        return "M8[D]"
    if isinstance(value, datetime.timedelta):
        return "m8[us]"
    if hasattr(type(value), "__dataclass_fields__") or hasattr(type(value), "_fields"):
        return type(value)
    raise TypeError(f"{argument}: the type {type(value).__name__} is not known; say {argument}=...")


def infer_value(values: Iterable[Any]) -> Any:
    """What slotwise.Schema() takes for these values: a type, Optional of one, or a dict of names to types for dicts."""
    values = list(values)
    if not values:
        raise TypeError("value: there is no value whose type could be found; say value=...")
    dicts = [each for each in values if isinstance(each, Mapping)]
    if dicts:
        if len(dicts) != len(values):
            raise TypeError("value: some values are mappings and some are not; say value=...")
        return {str(name): infer_value([each.get(name) for each in dicts]) for name in dicts[0]}
    lists = [each for each in values if isinstance(each, (list, numpy.ndarray))]
    if lists and len(lists) == len(values):
        lengths = {len(each) for each in lists}
        if len(lengths) != 1:
            raise TypeError("value: lists of several lengths are no column; say value=...")
        inner = _joined(_kinds((item for each in lists for item in each), "value"))
        return ({float: "f8", int: "i8", bool: "?"}.get(inner, inner), lengths.pop())
    return _joined(_kinds(values, "value"))


def infer_key(keys: Iterable[Any]) -> Any:
    """What slotwise.KeyType() takes for these keys: int, "u8", str, bytes, or a tuple of these."""
    keys = list(keys)
    if not keys:
        raise TypeError("key: there is no key whose type could be found; say key=...")
    if isinstance(keys[0], tuple):
        if any(not isinstance(each, tuple) or len(each) != len(keys[0]) for each in keys):
            raise TypeError("key: tuples of one length are needed; say key=...")
        return tuple(infer_key([each[i] for each in keys]) for i in range(len(keys[0])))
    kinds: set[Any] = set()
    for each in keys:
        if isinstance(each, (bool, int, numpy.integer)):
            kinds.add(int if -(2**63) <= int(each) < 2**63 else "u8")
        elif isinstance(each, (str, bytes)):
            kinds.add(str if isinstance(each, str) else bytes)
        else:
            raise TypeError(f"key: ints, strs, bytes and tuples of these can be keys, not {type(each).__name__}")
    if kinds == {int, "u8"}:
        kinds = {"u8"}
    if len(kinds) > 1:
        raise TypeError("key: keys are of several types; a container has keys of one type")
    return kinds.pop()


def _column_tree(column: Any, argument: str = "value") -> tuple[Any, ...]:
    """The tree of the schema for a column: nullable where a value is null."""
    from ._schema import tree_of

    tree: Any
    dtype = getattr(column, "dtype", None)
    if hasattr(column, "null_count"):  # an array of pyarrow, or a series of Polars
        count = column.null_count() if callable(column.null_count) else column.null_count
        tree = tree_of(column.type if hasattr(column, "type") else dtype, argument)
        return _with_nulls(tree, count != 0)
    if dtype is not None and not isinstance(dtype, numpy.dtype):  # an extension type of pandas
        tree = tree_of(dtype, argument)
        return _with_nulls(tree, bool(column.isna().any()))
    if dtype is None or dtype.kind == "O":
        values = list(column)
        if dtype is not None:  # pandas has NaN for a text that is not there
            values = [None if isinstance(value, float) and value != value else value for value in values]
        tree = tree_of(infer_value(values), argument)
    else:
        shape: tuple[int, ...] = getattr(column, "shape", (0,))
        tree = tree_of(dtype if len(shape) == 1 else (dtype, shape[1]), argument)
        if dtype.kind in "mM" and len(shape) == 1:
            tree = _with_nulls(tree, bool(numpy.isnat(numpy.asarray(column)).any()))
    return tuple(tree)


def _with_nulls(tree: Any, nullable: bool) -> tuple[Any, ...]:
    """The tree of a column that has nulls or has none; those of a struct are its fields'."""
    return (*tree[:3], nullable) if isinstance(tree[0], str) else tuple(tree)


def infer_from_columns(columns: dict[str, Any], key: Any, value: Any, with_values: bool = True) -> tuple[Any, Any]:
    """Types of keys and values from columns by name; what is given is kept."""
    from . import _core

    if key is None:
        names = [name for name in columns if name == "key"] or [name for name in columns if name.startswith("key_")]
        if not names:
            among = list(columns)
            hint = "say key=..., and rename the column"
            if any(is_pandas_series(column) for column in columns.values()):
                hint += "; an index called 'key' is taken, too: frame.rename_axis('key'), or frame.reset_index()"
            raise ValueError(f"source: there is no column 'key' among {among}; {hint}")
        parts = []
        for name in names:
            kind = _column_tree(columns[name], "key")[0]
            is_int = str(kind).startswith(("int", "uint")) and kind != "uint64"
            parts.append(int if is_int else {"str": str, "bytes": bytes, "uint64": "u8"}.get(kind, kind))
        key = parts[0] if names == ["key"] else dict(zip(names, parts))
    key = key if isinstance(key, _core.KeyType) else _core.KeyType(key)
    if value is None and with_values:
        left = {name: column for name, column in columns.items() if name not in key_names(key)}
        if list(left) == ["value"]:
            tree = _column_tree(left["value"])
        else:
            tree = (None, tuple((name, _column_tree(column)) for name, column in left.items()))
        value = _core.Schema._from_tree(tree)
    return key, value


def key_names(key: Any) -> list[str]:
    """The names of the columns of keys."""
    described = key.__reduce__()[1][0]
    return ["key"] if isinstance(described, str) else [name for name, _ in described]


def is_tuple_key(key: Any) -> bool:
    """Whether keys are tuples, also of one part."""
    return not isinstance(key.__reduce__()[1][0], str)


def schema_names(schema: Any) -> list[str]:
    """The names of the first level of a schema: "value" of a single type."""
    tree = schema.__reduce__()[1][0]
    return ["value"] if isinstance(tree[0], str) else [name for name, _ in tree[1]]


def is_pandas_series(source: Any) -> bool:
    """Whether it has values and, as keys, an index."""
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "index") and hasattr(source, "array")
