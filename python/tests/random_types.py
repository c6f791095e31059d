# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Random types of keys and values for hypothesis, with values that fit them."""

import math
import typing

import numpy
from hypothesis import strategies as st

texts = st.text(st.characters(codec="utf-8"), max_size=20)
NEVER = -(2**63)


def integers(kind):
    info = numpy.iinfo(kind)
    return st.integers(int(info.min), int(info.max))


def times(kind, unit):
    return st.integers(NEVER + 1, 2**63 - 1).map(lambda count: getattr(numpy, kind)(count, unit))


SINGLE = {
    "bool": (bool, st.booleans()),
    **{kind: (kind, integers(kind)) for kind in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()},
    "float32": ("f4", st.floats(width=32)),
    "float64": (float, st.floats()),
    "datetime64[ns]": ("datetime64[ns]", times("datetime64", "ns")),
    "datetime64[D]": ("datetime64[D]", integers("int32").map(lambda day: numpy.datetime64(day, "D"))),  # as Arrow's
    "timedelta64[s]": ("timedelta64[s]", times("timedelta64", "s")),
    "str": (str, texts),
    "bytes": (bytes, st.binary(max_size=20)),
    "list": (("f4", 3), st.lists(st.floats(width=32), min_size=3, max_size=3)),
    "long list": (("i8", 40), st.lists(integers("int64"), min_size=40, max_size=40)),
}


@st.composite
def leaves(draw):
    """(type, strategy of its values)"""
    name = draw(st.sampled_from(sorted(SINGLE)))
    kind, values = SINGLE[name]
    if draw(st.booleans()):
        return kind, values
    if isinstance(kind, tuple):
        return f"{kind[0]}[{kind[1]}]?", st.none() | values
    return (f"{kind}?" if isinstance(kind, str) else typing.Optional[kind]), st.none() | values


@st.composite
def schemas(draw, depth=2):
    """(what slotwise.Schema() takes, strategy of values): a single type, or a dict of names whose values are tuples."""
    if draw(st.booleans()) and depth == 2:
        return draw(leaves())
    known = st.sampled_from(["a", "b", "name", "größe", "x1", "at"])
    names = draw(st.lists(known, min_size=1, max_size=4, unique=True))
    types, values = {}, []
    for name in names:
        if depth > 1 and draw(st.integers(0, 5)) == 0:
            kind, strategy = draw(schemas(depth=1))
        else:
            kind, strategy = draw(leaves())
        types[name] = kind
        values.append(strategy)
    return types, st.tuples(*values)


KEYS = {
    "int": (int, st.integers(-5, 5) | integers("int64")),
    "u8": ("u8", st.integers(0, 5) | integers("uint64")),
    "str": (str, st.text("abü", max_size=2) | texts),
    "bytes": (bytes, st.binary(max_size=2) | st.binary(max_size=20)),
}


@st.composite
def key_types(draw):
    """(what slotwise.KeyType() takes, strategy of keys)"""
    names = sorted(KEYS)
    if draw(st.integers(0, 2)) != 0:
        return KEYS[draw(st.sampled_from(names))]
    parts = [KEYS[name] for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))]
    return tuple(kind for kind, _ in parts), st.tuples(*(keys for _, keys in parts))


def same(a, b):
    """Whether two values of a schema are equal, where NaN equals NaN, and zeros of both signs differ."""
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, (list, tuple, numpy.ndarray)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, (float, numpy.floating)):
        a, b = float(a), float(b)
        return math.isnan(a) and math.isnan(b) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return type(a) is type(b) and bool(a == b)


def same_items(mapping, model):
    """Whether a mapping of ours has the keys of a dict with equal values."""
    items = dict(mapping.items())
    return items.keys() == model.keys() and all(same(items[key], value) for key, value in model.items())


def columns_of_rows(schema, rows):
    """Rows as columns by name: lists of Python values."""
    if not isinstance(schema, dict):
        return list(rows)
    return {name: columns_of_rows(kind, [row[i] for row in rows]) for i, (name, kind) in enumerate(schema.items())}
