# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Columns of pandas as NumPy arrays, without a copy where pandas has such: the extension module asks here.

pyarrow is needed for those columns only that are pyarrow's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy


class Coded:
    """A dictionary-encoded column: a number for each row, negative where it is null, and the numbered values."""

    __slots__ = ("codes", "values")

    def __init__(self, codes: Any, values: Any) -> None:
        self.codes = codes
        self.values = values


def column(data: Any) -> Any:
    """The column that a pandas Series, Index or extension array is: a NumPy array, masked where pandas has a mask, a
    Coded, or an object with __arrow_c_stream__."""
    import pandas

    if not isinstance(data, (pandas.Series, pandas.Index)):
        data = pandas.Series(data, copy=False)
    dtype = data.dtype
    if isinstance(dtype, numpy.dtype):
        return data.to_numpy()
    if isinstance(dtype, pandas.CategoricalDtype):
        array: Any = data.array
        return Coded(numpy.asarray(array.codes), column(array.categories))
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return data.to_numpy(dtype=f"datetime64[{dtype.unit}]")
    if isinstance(dtype, pandas.SparseDtype):
        return numpy.asarray(data)
    if isinstance(dtype, pandas.StringDtype):
        if dtype.storage == "pyarrow":
            return _arrow(data)
        values = data.to_numpy(dtype=object, na_value=None)
        return values
    if isinstance(dtype, pandas.ArrowDtype):
        return _arrow(data)
    plain = getattr(dtype, "numpy_dtype", None)
    if isinstance(plain, numpy.dtype):  # Int64, Float64, boolean: values and a mask
        missing = data.isna()
        mask = missing if isinstance(missing, numpy.ndarray) else missing.to_numpy()
        if not mask.any():
            return data.to_numpy(dtype=plain)
        return numpy.ma.MaskedArray(data.to_numpy(dtype=plain, na_value=plain.type(0)), mask)
    return data.to_numpy(dtype=object)


def _arrow(data: Any) -> Any:
    import pyarrow

    values = data.array.__arrow_array__()
    return values if isinstance(values, pyarrow.ChunkedArray) else pyarrow.chunked_array([values])


def frame(data: Any, names: list[str], argument: str) -> dict[str, Any]:
    """The columns of a pandas frame, and the levels of its index that have a name, which `names` or the first part of
    them name. Columns that nobody asked for are None. Raises ValueError that begins with `argument` when a name is there
    twice."""
    wanted = set(names)
    for name in names:
        parts = name.split(".")
        wanted.update(".".join(parts[:count]) for count in range(1, len(parts)))
    found: dict[str, Any] = {}
    unique = data.columns.is_unique  # by name a column is found five times as fast as by number
    for number, label in enumerate(data.columns):
        if not isinstance(label, str):
            found.setdefault(f"{label!r} (no str)", None)
        elif label in wanted:
            if label in found:
                raise ValueError(f"{argument}: there are two columns {label!r}")
            series = data[label] if unique else data.iloc[:, number]
            members = [name[len(label) + 1 :] for name in names if name.startswith(f"{label}.")]
            if members and series.dtype == object:
                found[label] = _members(list(series), members)
            else:
                found[label] = column(series)
        else:
            found.setdefault(label, None)
    for level, label in enumerate(data.index.names):
        if isinstance(label, str) and label in wanted and label not in found:
            found[label] = column(data.index.get_level_values(level))
    return found


def _members(rows: list[Any], paths: list[str]) -> dict[str, Any]:
    """Columns of records that are Python objects, dicts or what has attributes, nested where a path is."""
    columns: dict[str, Any] = {}
    for first in dict.fromkeys(path.split(".")[0] for path in paths):
        if not any(first in row if isinstance(row, Mapping) else hasattr(row, first) for row in rows):
            continue  # no such column
        values = [_member(row, first) for row in rows]
        inner = [path[len(first) + 1 :] for path in paths if path.startswith(f"{first}.")]
        columns[first] = _members(values, inner) if inner else values
    return columns


def _member(row: Any, name: str) -> Any:
    """None of a row that is missing itself: None, or NaN."""
    if row is None or (isinstance(row, float) and row != row) or type(row).__name__ == "NAType":
        return None
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)
