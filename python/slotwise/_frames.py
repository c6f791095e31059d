# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What containers have as frames, and how they are shown: functions that classes take by assignment in their bodies.

A class has _frame(), which returns an ArrowStream of all its columns. Frames are made of that and not of the object
itself, because some of the classes are mappings, which libraries of frames read as such.
"""

from __future__ import annotations

import html
import typing

if typing.TYPE_CHECKING:
    import numpy.typing
    import pandas
    import polars
    import pyarrow

    from . import _core

    class _Framed(typing.Protocol):
        def _frame(self) -> _core.ArrowStream: ...


_ROWS = 10
_COLUMNS = 12
_WIDTH = 32


def _module(name: str, function: str) -> typing.Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        text = f"{function}() needs {name}, which is not installed: pip install {name}"
        raise ModuleNotFoundError(text, name=name) from None


def to_arrow(self: _Framed) -> pyarrow.Table:
    """All rows as a pyarrow.Table. Numbers are shared with this object where its rows have no holes, see on_write;
    booleans, texts and what says which values are null are copied. Texts are large_string. Raises ModuleNotFoundError
    without pyarrow."""
    return _module("pyarrow", "to_arrow").table(self._frame())


def to_polars(self: _Framed) -> polars.DataFrame:
    """All rows as a polars.DataFrame, whose numbers are shared as those of to_arrow(). pyarrow is not needed. Raises
    ModuleNotFoundError without Polars."""
    # Polars takes a Mapping for columns by name, whatever else it is.
    return typing.cast("polars.DataFrame", _module("polars", "to_polars").DataFrame(self._frame()))


def to_pandas(self: _Framed) -> pandas.DataFrame:
    """All rows as a pandas.DataFrame. pyarrow is not needed.

    Columns are those of to_numpy(); columns that may be null are of the types Int64, Float64 and boolean with
    pandas.NA, times have NaT; texts are of pandas' str, and those that may be null have its missing value. A list of
    fixed length is a column of objects. Arrays are read-only, because they may be those of this object: to write single
    cells (frame.loc[0, "a"] = 1), which raises ValueError, take frame.copy(); a whole column can be replaced. Raises
    ModuleNotFoundError without pandas."""
    pd = _module("pandas", "to_pandas")
    frame = self._frame()
    kinds = [(path, kind) for path, kind, _ in frame._head(0)]
    texts = _pandas_texts(pd, frame, [path for path, kind in kinds if kind in ("str", "str?")])
    columns = {}
    for path, kind in kinds:
        columns[path] = texts[path] if path in texts else _pandas_column(pd, frame._column(path), kind)
    return typing.cast("pandas.DataFrame", pd.DataFrame(columns, copy=False))


def _pandas_texts(pd: typing.Any, frame: _core.ArrowStream, paths: list[str]) -> dict[str, typing.Any]:
    """Columns of texts. pandas has those of pyarrow, when that is there: no Python object is made then."""
    import numpy

    try:
        dtype = pd.StringDtype(na_value=numpy.nan)
    except TypeError:  # of pandas 2
        return {}
    if not paths or dtype.storage != "pyarrow":
        return {}
    import pyarrow

    table = pyarrow.table(frame)
    columns = {}
    for path in paths:
        first, *rest = path.split(".")
        column = table.column(first)
        for name in rest:
            column = column.combine_chunks().field(name) if column.num_chunks != 1 else column.chunk(0).field(name)
            column = pyarrow.chunked_array([column])
        columns[path] = pd.Series(dtype.__from_arrow__(column), copy=False)
    return columns


def _pandas_column(pd: typing.Any, values: typing.Any, of: str) -> typing.Any:
    import numpy

    mask: typing.Any = values.mask if isinstance(values, numpy.ma.MaskedArray) else None
    plain: typing.Any = numpy.asarray(values)
    if plain.ndim == 2:
        rows = list(plain)
        if mask is not None:
            rows = [None if missing else row for row, missing in zip(rows, mask[:, 0].tolist())]
        return pd.Series(rows, dtype=object)
    kind = plain.dtype.kind
    if kind == "O":
        return pd.Series(plain.tolist(), dtype="str" if of.startswith("str") else object)
    if kind in "mM":
        if plain.dtype == "M8[D]" or plain.dtype == "m8[D]":  # pandas counts no days
            plain = plain.astype(f"{kind}8[s]")
        if mask is not None and mask.any():
            plain = plain.copy()
            plain[mask] = "NaT"
        return pd.Series(plain, copy=False)
    if mask is None:
        return pd.Series(plain, copy=False)
    array = {"f": pd.arrays.FloatingArray, "b": pd.arrays.BooleanArray}.get(kind, pd.arrays.IntegerArray)
    return pd.Series(array(plain, numpy.array(mask)))


def to_numpy(self: _Framed) -> dict[str, numpy.typing.NDArray[typing.Any]]:
    """All columns as read-only arrays of shape (len(self),) by path. Numbers, booleans and times are shared where rows
    have no holes, see on_write. A list of fixed length has the shape (len(self), length), texts are an array of objects,
    and a column that may be null is a numpy.ma.MaskedArray."""
    return self._frame().to_numpy()


def one_column(self: typing.Any, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any:
    """The only column as an array: column()."""
    array = self.column(copy=copy)
    return array if dtype is None else array.astype(dtype, copy=False)


def no_array(self: typing.Any, dtype: typing.Any = None, copy: bool | None = None) -> typing.NoReturn:
    """Raises TypeError that names what makes arrays and frames: there are several columns."""
    raise TypeError(
        f"a {type(self).__name__} is no array, it has several columns: take column(name), to_numpy(), to_pandas(), "
        "to_polars() or to_arrow()"
    )


def _cell(value: typing.Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        text = value if value.isprintable() else repr(value)[1:-1]
    elif isinstance(value, float):
        text = repr(value)
        text = text if len(text) <= 12 else f"{value:.8g}"
    else:
        text = str(value) if not isinstance(value, bytes) else repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."


def _title(self: typing.Any) -> str:
    size = len(self)
    return f"{type(self).__name__}: {size:,} {'element' if size == 1 else 'elements'}"


def _table(self: typing.Any) -> tuple[list[tuple[str, str, list[str], bool]], int]:
    """The first columns as (path, type, cells, whether they are numbers), and how many columns are left out."""
    head = self._frame()._head(_ROWS)
    shown = head if len(head) <= _COLUMNS else head[: _COLUMNS - 1]
    columns = []
    for path, kind, values in shown:
        is_number = bool(kind) and kind[0] in "iuf" and "[" not in kind
        columns.append((path, kind, [_cell(value) for value in values], is_number))
    return columns, len(head) - len(shown)


def __repr__(self: typing.Any) -> str:
    """A small table of the first rows."""
    columns, left_out = _table(self)
    lines = [f"<{type(self).__module__}.{_title(self)}>"]
    texts: list[list[str]] = []
    for path, kind, cells, is_number in columns:
        column = [path, kind, *cells]
        width = max(map(len, column))
        texts.append([cell.rjust(width) if is_number else cell.ljust(width) for cell in column])
    if left_out:
        texts.append([f"({left_out} more)", ""] + [""] * min(len(self), _ROWS))
    lines += ["  ".join(row).rstrip() for row in zip(*texts)]
    if len(self) > _ROWS:
        lines.append("...")
    return "\n".join(lines)


def _repr_html_(self: typing.Any) -> str:
    """The small table for notebooks."""
    columns, left_out = _table(self)

    def row(tag: str, cells: typing.Iterable[tuple[str, bool]]) -> str:
        parts = []
        for cell, is_number in cells:
            style = ' style="text-align:right"' if is_number else ' style="text-align:left"'
            parts.append(f"<{tag}{style}>{html.escape(cell)}</{tag}>")
        return f"<tr>{''.join(parts)}</tr>"

    more = [(f"({left_out} more)", False)] if left_out else []
    head = row("th", [(path, number) for path, _, _, number in columns] + more)
    kinds = row("td", [(kind, number) for _, kind, _, number in columns] + [("", False)] * len(more))
    count = min(len(self), _ROWS, *(len(cells) for _, _, cells, _ in columns)) if columns else 0
    blank = [("", False)] * len(more)
    body = "".join(row("td", [(cells[i], number) for _, _, cells, number in columns] + blank) for i in range(count))
    rest = "" if len(self) <= _ROWS else "<div>...</div>"
    shown = f"<table><thead>{head}{kinds}</thead><tbody>{body}</tbody></table>"
    return f"<div><div>{html.escape(_title(self))}</div>{shown}{rest}</div>"
