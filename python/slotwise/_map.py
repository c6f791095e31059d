# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Map: a dict whose values are columns."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, MutableMapping, ValuesView
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _attributes, _core, _frames
from ._keyed import (
    Key,
    MapItems,
    MapKeys,
    MapValues,
    Plain,
    Record,
    columns_of,
    combined,
    counted,
    expect_no_columns,
    expect_progress,
    expect_rows,
    infer_from_columns,
    infer_key,
    infer_value,
    is_pandas_series,
    key_names,
    levels_of,
)

K = TypeVar("K")
V = TypeVar("V")

if TYPE_CHECKING:

    class _Base(MutableMapping[K, V], _core.Map):  # type: ignore[misc]
        """What type checkers see."""

        def __getitem__(self, key: K, /) -> V: ...
        def __iter__(self) -> Iterator[K]: ...
        def __len__(self) -> int: ...
        def __setitem__(self, key: K, value: V, /) -> None: ...
        def __delitem__(self, key: K, /) -> None: ...
else:
    _Base = _core.Map

__all__ = ["Map"]

_NOTHING: Any = object()


class Map(_Base[K, V]):
    """A map with the interface of a dict, whose values are columns that NumPy and Arrow read without a copy.

        prices = slotwise.Map({"bund": 131.2})  # types are found from the source
        quotes = slotwise.Map(key=str, value={"bid": "f8", "ask": "f8", "venue": str})
        quotes["bund"] = (131.2, 131.3, "eurex")  # or a dict, or an instance of a dataclass
        quotes.set("bund", bid=131.25)
        quotes.update(frame)  # a frame or an Arrow source with the columns key, bid, ask, venue
        quotes.get_many(keys)["bid"]  # an array
        quotes.column("ask")

    source
        A mapping, an iterable of pairs (key, value), a frame or anything with __arrow_c_stream__ that has the columns
        of keys ("key", or those of a tuple) and values ("value", or those of a record). None: an empty map.
    columns
        If it is given, `source` is the keys, and this the columns of the values by name (or the only one).
    key, value
        The types, as slotwise.KeyType() and slotwise.Schema() take them. Found from the source when they are not given.
    on_write
        What a write does while a view of this map is alive: "detach" copies the map first, "refuse" raises BufferError.
    progress
        Called with a number of rows after each batch of a source, once for objects, as tqdm(total=...).update is.

    Iteration is in the order of slots: of inserts, where nothing was erased; an erased element's place is used again.
    It is safe while the map changes. Threads may use a map at once: each call is atomic. At most 2**28 elements.

    Raises TypeError, ValueError or OverflowError that name the argument, and the column, when something does not fit
    the types; nothing of a refused call is written, but for the batches of a stream before the one that was refused.
    """

    @overload
    def __init__(self: Map[Key, Plain], *, key: type[Key], value: type[Plain], on_write: str = "detach") -> None: ...
    @overload
    def __init__(self: Map[Key, Record], *, key: type[Key], value: type[Record], on_write: str = "detach") -> None: ...
    @overload
    def __init__(
        self,
        source: Any = None,
        columns: Any = None,
        /,
        *,
        key: Any = None,
        value: Any = None,
        on_write: str = "detach",
        progress: Callable[[int], object] | None = None,
    ) -> None: ...
    def __init__(  # type: ignore[misc]
        self,
        source: Any = None,
        columns: Any = None,
        /,
        *,
        key: Any = None,
        value: Any = None,
        on_write: str = "detach",
        progress: Callable[[int], object] | None = None,
    ) -> None:
        expect_progress(progress)
        if source is None and columns is not None:
            raise TypeError("source: the keys are needed with columns")
        if isinstance(source, Map) and columns is None:
            key = source.key_type if key is None else key
            value = source.schema if value is None else value
        elif source is not None and (key is None or value is None):
            source, columns, key, value = _with_types(source, columns, key, value)
        if key is None or value is None:
            missing = "key" if key is None else "value"
            raise TypeError(
                f"{missing}: a type is needed when there is no source to find it from, for instance {missing}=str"
            )
        super().__init__(key, value, on_write)
        if source is not None:
            self.update(source, columns, progress=progress)

    @classmethod
    def fromkeys(cls, keys: Iterable[K], value: V, /) -> Map[K, V]:
        """A map with these keys, each with this value."""
        keys = list(keys)
        return cls([(key, value) for key in keys])

    # views

    def keys(self) -> KeysView[K]:
        """The keys, as dict.keys(): a view with the operations of a set."""
        return MapKeys(self)

    def values(self) -> ValuesView[V]:
        """The values, as dict.values(). column() makes no Python object a value."""
        return MapValues(self)

    def items(self) -> ItemsView[K, V]:
        """The pairs (key, value), as dict.items()."""
        return MapItems(self)

    def __reversed__(self) -> Iterator[K]:
        return reversed(list(self))

    # frames

    to_arrow = _frames.to_arrow
    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas
    to_numpy = _frames.to_numpy
    __repr__ = _frames.__repr__
    _repr_html_ = _frames._repr_html_
    __array__ = _frames.no_array

    # writes

    def set(self, key: K, value: V = _NOTHING, /, **fields: Any) -> None:
        """Writes the value of a key, or some fields of its record: quotes.set("bund", bid=131.2).

        Fields that are not given keep their values. A key that is no member becomes one, and needs all fields that are
        not nullable. Raises ValueError when one is missing, TypeError when a name is unknown.
        """
        if value is _NOTHING:
            if not fields:
                raise TypeError("set(): a value, or fields by name, are needed")
            self._set_fields(key, fields)
        elif fields:
            raise TypeError("set(): a value or fields by name are needed, not both")
        else:
            self[key] = value

    def update(
        self, source: Any = (), columns: Any = None, /, *, progress: Callable[[int], object] | None = None, **more: V
    ) -> None:
        """Writes every pair of `source`, which is as that of the class, and then those of `more`.

        With `columns`, `source` is the keys: m.update(keys, {"bid": array, "ask": array}); no Python object is made a
        row. Columns of the schema that are not there keep their values; a key that is no member needs all that are not
        nullable.

        A mapping and an iterable are converted before anything is written. A stream is written batch by batch: one that
        is refused (ValueError with the name of the column) is not written, those before it are.
        """
        expect_progress(progress)
        if more:
            _attributes.made(type(self), *_made_of(self))._update_pairs(more)  # raises before anything is written
        if columns is not None:
            self._update_source(combined(self.key_type, self.schema, source, columns), progress)
        elif source is self:
            pass
        elif is_pandas_series(source):
            self._update_source(combined(self.key_type, self.schema, source.index, source), progress)
        elif _core._is_columnar(source):
            self._update_source(source, progress)
        else:
            expect_rows(source)
            pairs, count = counted(source, progress)
            try:
                self._update_pairs(pairs)
            except (TypeError, ValueError):
                expect_no_columns(source, key_names(self.key_type))
                raise
            if progress is not None:
                progress(count)
        if more:
            self._update_pairs(more)

    # whole

    def __eq__(self, other: object) -> bool:
        same = self._equals(other)
        if same is not NotImplemented:
            return bool(same)
        if not isinstance(other, Mapping):
            return NotImplemented
        return len(self) == len(other) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any) -> Map[K, V]:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = self._plain_copy()
        result.update(other)
        return result

    def __ror__(self, other: Any) -> Map[K, V]:
        if not isinstance(other, Mapping):
            return NotImplemented
        result = _attributes.made(type(self), *_made_of(self))
        result.update(other)
        result.update(self)
        return result

    def __ior__(self, other: Any) -> Map[K, V]:
        self.update(other)
        return self

    def _plain_copy(self) -> Map[K, V]:
        result = _attributes.made(type(self), *_made_of(self))
        result._assign(self)
        return result

    def copy(self) -> Map[K, V]:
        """A copy with its elements in the same order and the attributes of a derived class. Nothing pins it."""
        return _attributes.copied(self)  # type: ignore[no-any-return]

    def __copy__(self) -> Map[K, V]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Map[K, V]:
        return _attributes.deep(self, memo)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[Any, ...]:
        return _attributes.restored, (type(self), _made_of(self), self.snapshot()), _attributes.state_of(self)


def _made_of(self: Map[K, V]) -> tuple[Any, ...]:
    return self.key_type, self.schema, self.on_write


def _with_types(source: Any, columns: Any, key: Any, value: Any) -> tuple[Any, Any, Any, Any]:
    """Source and columns, which may be read once, and the types that are found in them."""
    expect_rows(source)
    if columns is not None:
        expect_rows(columns, "columns")
        if key is None and levels_of(source) is not None:
            key = infer_key(list(source))
        if key is None:
            found = None if isinstance(source, (list, tuple)) else columns_of(source)
            if found is None and hasattr(source, "dtype"):
                key, _ = infer_from_columns({"key": source}, None, None, False)
            elif found is not None:
                kinds = {name: _kind_of_key(each) for name, each in found.items()}
                key, _ = infer_from_columns(found, kinds, None, False)
            else:
                source = list(source)
                key = infer_key(source)
        if value is None:
            named = columns_of(columns)
            _, value = infer_from_columns({"value": columns} if named is None else named, key, None)
        return source, columns, key, value
    if is_pandas_series(source):
        if key is None and levels_of(source.index) is not None:
            key = infer_key(list(source.index))
        by_name = {"value": source} if key is not None else {"key": source.index.to_series(), "value": source}
        key, value = infer_from_columns(by_name, key, value)
        return source, None, key, value
    if _core._is_columnar(source):
        if hasattr(source, "read_all"):  # a reader is read once
            source = source.read_all()
        by_name = columns_of(source) or {}
        if not by_name and hasattr(source, "__arrow_c_stream__"):
            source = _frames._module("pyarrow", "Map").table(source)
            by_name = columns_of(source) or {}
        key, value = infer_from_columns(by_name, key, value)
        return source, None, key, value
    expect_no_columns(source, ["key"])
    if not isinstance(source, Mapping):
        if not hasattr(source, "keys"):
            source = list(source)
            pairs = [tuple(each) for each in source]
            for pair in pairs:
                if len(pair) != 2:
                    raise TypeError(f"source: each item is a pair (key, value); one of them is {pair!r}")
        else:
            pairs = [(each, source[each]) for each in source.keys()]
            source = dict(pairs)
    else:
        pairs = list(source.items())
    if key is None:
        key = infer_key(pair[0] for pair in pairs)
    if value is None:
        value = infer_value(pair[1] for pair in pairs)
    return source, None, key, value


def _kind_of_key(column: Any) -> Any:
    return infer_key([column[0].item() if hasattr(column[0], "item") else column[0]])


MutableMapping.register(Map)
