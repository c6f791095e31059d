# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""SlotMap: elements under handles that it makes."""

from __future__ import annotations

import types
import typing
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView

from . import _attributes, _core, _frames

if typing.TYPE_CHECKING:
    import numpy
    import numpy.typing

    from ._core import Schema

V = typing.TypeVar("V")
_Status = typing.Literal["live", "stale", "null", "unknown", "retired"]
_NOTHING: typing.Any = object()


class _Keys(KeysView[int]):
    """Handles as a set, which follows its map."""

    _mapping: SlotMap[typing.Any]

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping)

    def __repr__(self) -> str:
        return f"SlotMap.keys({list(self)!r})"


class _Values(ValuesView[V]):
    """Elements, which follow their map. Each iteration is over those of one moment."""

    _mapping: SlotMap[V]

    def __iter__(self) -> Iterator[V]:
        return iter(self._mapping._rows()[1])

    def __repr__(self) -> str:
        return f"SlotMap.values({list(self)!r})"


class _Items(ItemsView[int, V]):
    """Pairs, which follow their map. Each iteration is over those of one moment."""

    _mapping: SlotMap[V]

    def __iter__(self) -> Iterator[tuple[int, V]]:
        return zip(*self._mapping._rows())

    def __repr__(self) -> str:
        return f"SlotMap.items({list(self)!r})"


if typing.TYPE_CHECKING:

    class _Base(_core.SlotMap, Mapping[int, V]):
        """What type checkers see."""
else:
    _Base = types.GenericAlias(_core.SlotMap, (V,))  # the binding library allows one base


class SlotMap(_Base[V]):
    """Elements of any schema, under handles that the map makes: ints of 64 bits, and arrays of uint64.

    A handle names its element from the insert to the erase, and never another one: a handle that is kept too long
    raises KeyError instead of finding what has come in its place.

        bodies = slotwise.SlotMap(value={"x": "f8", "y": "f8"})
        body = bodies.insert(x=1.0, y=2.0)
        many = bodies.insert_many({"x": xs, "y": ys})
        bodies[body].x, bodies.get_many(many)["y"], bodies.column("x")

    It is a collections.abc.Mapping of handles to elements, in an order of its own, which stays while nothing is
    inserted or erased. Each call is atomic, so that threads may use it at once. At most 2**28 elements.
    """

    def __init__(self, values: typing.Any = None, /, *, value: typing.Any, on_write: str = "detach") -> None:
        """Makes one of `values`, which extend() takes; without them an empty one.

        value: the schema: a Python type, a NumPy dtype, a pyarrow schema, a dataclass, a NamedTuple or a dict of
            these; no field is named "handle".
        on_write: "detach" or "refuse", see the attribute.

        Raises TypeError for what is no schema, and what extend() raises.
        """
        super().__init__(value, on_write)
        if values is not None:
            self.extend(values)

    if not typing.TYPE_CHECKING:
        __hash__ = None
        __class_getitem__ = classmethod(types.GenericAlias)

    # one element

    def insert(self, value: typing.Any = _NOTHING, /, **fields: typing.Any) -> int:
        """Adds an element and returns its handle, an int from 1 to 2**64 - 1 that never names another element.

        value: the element: of a record an instance of its class, a dict, or a tuple by position. Or its fields by name:
            insert(x=1.0, y=2.0).

        Raises TypeError, OverflowError and ValueError that name the field that does not fit, OverflowError for more
        than 2**28 elements.
        """
        return self._insert(*_one_of(value, fields, "insert"))

    def set(self, handle: int, value: typing.Any = _NOTHING, /, **fields: typing.Any) -> None:
        """Replaces the element, or those of its fields that are named: set(handle, x=1.0).

        Raises KeyError when the handle names no element, and as insert() for a value that does not fit.
        """
        value, named = _one_of(value, fields, "set")
        if named is None:
            self[handle] = value
        else:
            self._set(handle, named)

    def get(self, handle: object, default: typing.Any = None, /) -> typing.Any:
        """The element, or `default` when the handle names none."""
        return self._get(handle, default)

    def erase(self, handle: object, /) -> bool:
        """Removes the element. False when the handle names none."""
        return self._erase(handle)

    def pop(self, handle: int, default: typing.Any = _NOTHING, /) -> typing.Any:
        """Removes the element and returns it. Without it returns `default`, or raises KeyError."""
        found = self._pop(handle, default is _NOTHING)
        return default if found is None else found[0]

    def explain(self, handle: object, /) -> _Status:
        """Why a handle names an element or does not: "live", "stale" (its element was erased, or there never was one),
        "null" (0), "unknown" (its place was never used), "retired" (erased, and its place has used up its 2**31
        lives)."""
        return typing.cast("_Status", self._explain(handle))

    # many elements

    def insert_many(self, columns: typing.Any, /) -> numpy.typing.NDArray[numpy.uint64]:
        """Adds an element for each row of `columns` and returns the handles as an array of shape (rows,).

        columns: a dict of names to arrays, a structured NumPy array, a table or frame of pyarrow, Polars or pandas,
            anything with __arrow_c_stream__; of a schema of one type also its only array. Columns go to fields by
            name; all must be there.

        Raises ValueError that names column and row of what does not fit. Nothing is added then.
        """
        return self._insert_many(columns)

    def extend(self, values: typing.Any, /) -> numpy.typing.NDArray[numpy.uint64]:
        """Adds each element of an iterable, which is taken as by insert(), or each row of columns as insert_many();
        returns the handles as an array of shape (elements,). Nothing is added when one of them does not fit."""
        if values is self:
            values = self._plain_copy()  # its own stream would pin what is written
        return self._extend(values)

    def get_many(self, handles: typing.Any, /, *, missing: typing.Literal["raise", "null"] = "raise") -> typing.Any:
        """The elements of many handles as arrays of shape (handles,): a dict of arrays by field, or of a schema of
        one type its array. They are copies.

        handles: an array of integers, an Arrow or Polars column, a pandas Series, or a list.
        missing: "raise" raises KeyError that names the first handle without an element and its position. "null" masks
            them: the arrays are numpy.ma.MaskedArrays then.
        """
        return self._get_many(handles, missing)

    def update_many(self, handles: typing.Any, columns: typing.Any, /) -> None:
        """Replaces the fields that `columns` has of the elements of many handles, row by row; other fields stay.

        Raises KeyError that names a handle without an element, ValueError where lengths differ or a value does not
        fit. Nothing has changed then. A handle that comes twice has the last of its rows.
        """
        self._update_many(handles, columns)

    def erase_many(self, handles: typing.Any, /) -> int:
        """Removes the elements of many handles; returns how many there were. Handles that name none are left out."""
        return self._erase_many(handles)

    def contains_many(self, handles: typing.Any, /) -> numpy.typing.NDArray[numpy.bool_]:
        """Whether each handle names an element, as an array of bools of shape (handles,)."""
        return self._contains_many(handles)

    def handles(self) -> numpy.typing.NDArray[numpy.uint64]:
        """All handles in the order of the columns, as an array of shape (len(self),). It is a copy."""
        return self._handles()

    # as a mapping

    def __iter__(self) -> Iterator[int]:
        """Iterates over the handles of this moment."""
        return iter(self._handles().tolist())

    def keys(self) -> KeysView[int]:
        """The handles, as dict.keys()."""
        return _Keys(self)

    def values(self) -> ValuesView[V]:
        """The elements in the order of keys(), as dict.values()."""
        return _Values(self)

    def items(self) -> ItemsView[int, V]:
        """Pairs (handle, element), as dict.items()."""
        return _Items(self)

    def __eq__(self, other: object, /) -> bool:
        """Whether both have the same handles with equal elements; other is a SlotMap or any mapping."""
        if isinstance(other, SlotMap) and self.schema == other.schema:
            return self._equals(other)
        if isinstance(other, Mapping):
            return dict(self.items()) == dict(other.items())
        return NotImplemented

    def clear(self) -> None:
        """Removes every element; all handles become stale."""
        self._clear()

    def reserve(self, count: int, /) -> None:
        """Makes room for `count` elements in all."""
        self._reserve(count)

    def memory_usage(self) -> int:
        """Bytes on the heap."""
        return self._memory_usage()

    # columns

    def column(self, name: str = "value", /, copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]:
        """A read-only array of shape (len(self),) in the order of keys(): the column of a field ("place.x" of a
        nested one), "value" of a schema of one type, or "handle" (uint64, always a copy).

        A list of fixed length has two dimensions, a nullable column is a numpy.ma.MaskedArray, texts are an array of
        objects. It is a view of the map's memory while live slots are one run, as after inserts without an erase, and
        then pins the map, see on_write; otherwise, and of texts, it is a copy. copy=False raises ValueError instead
        of copying, copy=True always copies. Raises KeyError for another name.
        """
        return self._column(name, copy)

    def chunks(self, name: str = "value", /) -> list[numpy.typing.NDArray[typing.Any]]:
        """The column as read-only views, one for each run of live slots. They pin the map, see on_write. Raises
        TypeError of texts, which have no views."""
        return self._chunks(name)

    to_arrow = _frames.to_arrow
    to_numpy = _frames.to_numpy
    to_pandas = _frames.to_pandas
    to_polars = _frames.to_polars
    __repr__ = _frames.__repr__
    _repr_html_ = _frames._repr_html_
    __array__ = _frames.no_array

    # state

    def snapshot(self) -> bytes:
        """The exact state as bytes: schema, elements, handles, and which handle comes next."""
        return self._snapshot()

    def restore(self, data: bytes | bytearray | memoryview, /) -> None:
        """Replaces the contents by those of a snapshot() of a SlotMap of the same schema. Every byte is checked
        before anything changes: raises ValueError that says what is wrong."""
        self._restore(data)

    def _plain_copy(self) -> SlotMap[V]:
        result = _attributes.made(type(self), self.schema, self.on_write)
        result._take_copy(self)
        return result

    def copy(self) -> SlotMap[V]:
        """A copy with the same handles, now and in future, and the attributes of a derived class. Nothing pins it."""
        return _attributes.copied(self)  # type: ignore[no-any-return]

    def __copy__(self) -> SlotMap[V]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, typing.Any], /) -> SlotMap[V]:
        return _attributes.deep(self, memo)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Pickles by snapshot()."""
        made_of = (self.schema, self.on_write)
        return _attributes.restored, (type(self), made_of, self.snapshot()), _attributes.state_of(self)


def _one_of(
    value: typing.Any, fields: dict[str, typing.Any], verb: str
) -> tuple[typing.Any, dict[str, typing.Any] | None]:
    """A value and no fields, or fields and no value."""
    if value is _NOTHING:
        if not fields:
            raise TypeError(f"{verb}(): value: an element, or its fields by name, are needed")
        return None, fields
    if fields:
        raise TypeError(f"{verb}(): value: an element, or its fields by name, are needed, not both")
    return value, None


Mapping.register(SlotMap)
