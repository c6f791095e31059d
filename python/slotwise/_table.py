# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Table: rows by position."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Sequence

from . import _attributes, _core, _frames
from ._keyed import schema_names
from ._slot_map import _NOTHING, _one_of

if typing.TYPE_CHECKING:
    import numpy.typing

    from ._core import Schema

V = typing.TypeVar("V")


if typing.TYPE_CHECKING:

    class _Base(_core.Table, Sequence[V]):
        """What type checkers see."""
else:
    _Base = types.GenericAlias(_core.Table, (V,))  # the binding library allows one base


class Table(_Base[V]):
    """Rows of any schema by position, in columns.

        table = slotwise.Table({"x": "f8", "name": str})
        table.append(x=1.0, name="a")
        table.extend(frame)
        table[0].name, table[-1], table[2:5], table.column("x")

    It is a collections.abc.Sequence. Each call is atomic, so that threads may use it at once. At most 2**28 rows.
    """

    def __init__(self, schema: typing.Any, rows: typing.Any = None, /, *, on_write: str = "detach") -> None:
        """Makes one of `rows`, which extend() takes; without them an empty one.

        schema: what a row is: a Python type, a NumPy dtype, a pyarrow schema, a dataclass, a NamedTuple or a dict of
            these.
        on_write: "detach" or "refuse", see the attribute.

        Raises TypeError for what is no schema, and what extend() raises.
        """
        super().__init__(schema, on_write)
        if rows is not None:
            self.extend(rows)

    if not typing.TYPE_CHECKING:
        __hash__ = None
        __class_getitem__ = classmethod(types.GenericAlias)

    # one row

    def append(self, value: typing.Any = _NOTHING, /, **fields: typing.Any) -> None:
        """Adds a row at the end: an instance of the record class, a dict, a tuple by position, or fields by name:
        append(x=1.0, name="a"). Raises TypeError, OverflowError and ValueError that name the field that does not
        fit."""
        value, named = _one_of(value, fields, "append")
        self._append(value if named is None else named)

    def set(self, index: int, value: typing.Any = _NOTHING, /, **fields: typing.Any) -> None:
        """Replaces the row, or those of its fields that are named: set(0, x=1.0). Raises IndexError, and as
        append()."""
        value, named = _one_of(value, fields, "set")
        if named is None:
            self[index] = value
        else:
            self._set(index, named)

    def erase(self, index: int, /) -> None:
        """Removes a row; those behind it keep their order, which takes time linear in their number. Raises
        IndexError."""
        del self[index]

    def swap_erase(self, index: int, /) -> int | None:
        """Removes a row in constant time: the last row comes in its place. Returns which index that row had, or None
        when it was the last itself. Raises IndexError."""
        return self._swap_erase(index)

    def pop(self, index: int = -1, /) -> V:
        """Removes a row and returns it. Raises IndexError."""
        return typing.cast(V, self._pop(index))

    # many rows

    def extend(self, rows: typing.Any, /) -> None:
        """Adds many rows: columns (a dict of names to arrays, a structured NumPy array, a table or frame of pyarrow,
        Polars or pandas, anything with __arrow_c_stream__; of a schema of one type also its only array), or an
        iterable of rows as append() takes them. Columns go to fields by name; all must be there.

        Raises ValueError that names column and row of what does not fit, TypeError. Nothing is added then.
        """
        if rows is self:
            rows = self._plain_copy()  # its own stream would pin what is written
        self._extend(rows)

    def get_many(self, indexes: typing.Any, /) -> typing.Any:
        """Many rows as arrays of shape (indexes,): a dict of arrays by field, or of a schema of one type its array.
        They are copies. Negative indexes count from the end. Raises IndexError that names the first index out of
        range."""
        return self._get_many(indexes)

    def update_many(self, indexes: typing.Any, columns: typing.Any, /) -> None:
        """Replaces the fields that `columns` has of many rows; other fields stay. Raises IndexError that names the
        first index out of range, ValueError where lengths differ or a value does not fit. Nothing has changed then.
        An index that comes twice has the last of its rows."""
        self._update_many(indexes, columns)

    def set_column(self, name: str, values: typing.Any, /) -> None:
        """Replaces the values of a column, one for each row: an array, an Arrow or Polars column, a pandas Series, or
        a list. Raises KeyError for another name, ValueError for another length or a value that does not fit. Nothing
        has changed then."""
        self._set_column(name, values)

    # as a sequence

    def _slice(self, part: slice) -> Table[V]:
        result = _attributes.made(type(self), self.schema, self.on_write)
        result._take_slice(self, part)
        return result

    def __iter__(self) -> Iterator[V]:
        """Iterates over the rows of this moment."""
        return iter(self._rows())

    def __reversed__(self) -> Iterator[V]:
        """Iterates over the rows of this moment, the last first."""
        rows: list[V] = self._rows()
        return reversed(rows)

    def __contains__(self, value: object, /) -> bool:
        """Whether a row is equal to `value`."""
        return value in self._rows()

    def index(self, value: object, start: int = 0, stop: int = 2**63 - 1, /) -> int:
        """The first index of a row that is equal to `value`. Raises ValueError when there is none."""
        try:
            return self._rows().index(value, start, stop)
        except ValueError:
            raise ValueError("value: no row is equal to it") from None

    def count(self, value: object, /) -> int:
        """How many rows are equal to `value`."""
        return self._rows().count(value)

    def __eq__(self, other: object, /) -> bool:
        """Whether the other is a Table of the same fields with equal rows."""
        return self._equals(other) if isinstance(other, Table) else NotImplemented

    def clear(self) -> None:
        """Removes every row."""
        self._clear()

    def reserve(self, count: int, /) -> None:
        """Makes room for `count` rows in all."""
        self._reserve(count)

    def memory_usage(self) -> int:
        """Bytes on the heap."""
        return self._memory_usage()

    # columns

    def column(self, name: str = "value", /, copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]:
        """A read-only array of shape (len(self),): the column of a field ("place.x" of a nested one), "value" of a
        schema of one type.

        A list of fixed length has two dimensions, a nullable column is a numpy.ma.MaskedArray, texts are an array of
        objects. It is a view of the table's memory, which pins the table, see on_write; of texts it is a copy.
        copy=False raises ValueError instead of copying, copy=True always copies. set_column() writes. Raises KeyError
        for another name.
        """
        return self._column(name, copy)

    def chunks(self, name: str = "value", /) -> list[numpy.typing.NDArray[typing.Any]]:
        """The column as a list of views: one array, or none of an empty table. They pin the table, see on_write.
        Raises TypeError of texts, which have no views."""
        return self._chunks(name)

    to_arrow = _frames.to_arrow
    to_numpy = _frames.to_numpy
    to_pandas = _frames.to_pandas
    to_polars = _frames.to_polars
    __repr__ = _frames.__repr__
    _repr_html_ = _frames._repr_html_

    def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any:
        """The only column, of a schema of one type; of a record TypeError that names what makes arrays and frames."""
        single = schema_names(self.schema) == ["value"]
        return (_frames.one_column if single else _frames.no_array)(self, dtype, copy)

    # state

    def snapshot(self) -> bytes:
        """The exact state as bytes: schema and rows."""
        return self._snapshot()

    def restore(self, data: bytes | bytearray | memoryview, /) -> None:
        """Replaces the rows by those of a snapshot() of a Table of the same schema. Every byte is checked before
        anything changes: raises ValueError that says what is wrong."""
        self._restore(data)

    def _plain_copy(self) -> Table[V]:
        result = _attributes.made(type(self), self.schema, self.on_write)
        result._take_copy(self)
        return result

    def copy(self) -> Table[V]:
        """A copy, with the attributes of a derived class. Nothing pins it."""
        return _attributes.copied(self)  # type: ignore[no-any-return]

    def __copy__(self) -> Table[V]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, typing.Any], /) -> Table[V]:
        return _attributes.deep(self, memo)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Pickles by snapshot()."""
        made_of = (self.schema, self.on_write)
        return _attributes.restored, (type(self), made_of, self.snapshot()), _attributes.state_of(self)


Sequence.register(Table)
