# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every container class as a subject of the sweeps: a new one enters all of them by a line in SUBJECTS."""

import dataclasses
import typing

import pytest
import slotwise as sw


@dataclasses.dataclass
class Quote:
    """A record of every kind of column."""

    bid: float
    size: int = 0
    open: bool = False
    venue: typing.Optional[str] = None


def quote(i):
    return Quote(float(i), i, i % 2 == 0, None if i % 3 == 0 else f"venue {i}")


def quote_columns(n):
    quotes = [quote(i) for i in range(n)]
    return {field.name: [getattr(q, field.name) for q in quotes] for field in dataclasses.fields(Quote)}


class Subject:
    """A container class with a schema.

    make(**arguments)  an empty one
    values             element i is values(i)
    fill(c, n)         adds elements 0 to n - 1, and returns their keys, handles or indexes
    column             the name of a column of numbers
    writes             what changes one that has an element or more, by name; each works on a full one, too
    at                 whether c[key] is an element
    """

    column = "value"
    at = True

    def __init__(self, name, cls, value=None, key=None):
        self.name, self.cls, self.value, self.key = name, cls, value, key
        self.is_record = value is Quote
        if self.is_record:
            self.column = "bid"

    def __repr__(self):
        return self.name

    def values(self, i):
        return quote(i) if self.is_record else self.value(i)

    def columns(self, n):
        return quote_columns(n) if self.is_record else {"value": [self.value(i) for i in range(n)]}

    def shown(self, c):
        """Contents that can be compared."""
        return list(c.items())

    def filled(self, n, **arguments):
        c = self.make(**arguments)
        self.fill(c, n)
        return c


class Keyed(Subject):
    """Map."""

    def keys(self, n):
        return {int: list(range(n)), str: [f"key {i}" for i in range(n)], (str, int): [(f"key {i}", i) for i in range(n)]}[self.key]

    def fresh(self):
        """A key that fill() does not make."""
        return {int: 10**9, str: "fresh", (str, int): ("fresh", 1)}[self.key]

    def make(self, **arguments):
        return self.cls(key=self.key, value=self.value, **arguments)

    def fill(self, c, n):
        keys = self.keys(n)
        c.update({key: self.values(i) for i, key in enumerate(keys)})
        return keys

    @property
    def writes(self):
        def first(c):
            return next(iter(c))

        return {
            "[key] = value": lambda c: c.__setitem__(first(c), self.values(7)),
            "del [key]": lambda c: c.__delitem__(first(c)),
            "pop": lambda c: c.pop(first(c)),
            "popitem": lambda c: c.popitem(),
            "setdefault": lambda c: c.setdefault(self.fresh(), self.values(1)),
            "update": lambda c: c.update({first(c): self.values(7)}),
            "erase_many": lambda c: c.erase_many([first(c)]),
            "clear": lambda c: c.clear(),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


class Members(Keyed):
    """Set."""

    column = "key"
    at = False

    def __init__(self, name, cls, key):
        super().__init__(name, cls, None, key)
        self.column = "key"

    def values(self, i):
        return self.keys(i + 1)[-1]

    def shown(self, c):
        return list(c)

    def make(self, **arguments):
        return self.cls(key=self.key, **arguments)

    def fill(self, c, n):
        keys = self.keys(n)
        c.update(keys)
        return keys

    @property
    def writes(self):
        return {
            "add": lambda c: c.add(self.fresh()),
            "discard": lambda c: c.discard(next(iter(c))),
            "remove": lambda c: c.remove(next(iter(c))),
            "pop": lambda c: c.pop(),
            "update": lambda c: c.update(self.keys(3)),
            "erase_many": lambda c: c.erase_many([next(iter(c))]),
            "clear": lambda c: c.clear(),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


class Timed(Keyed):
    """Series."""

    def fill(self, c, n):
        keys = self.keys(n)
        c.update({key: self.values(i) for i, key in enumerate(keys)}, time=1)
        return keys

    @property
    def writes(self):
        return {
            "set": lambda c: c.set(next(iter(c)), self.values(7), time=2),
            "erase": lambda c: c.erase(next(iter(c)), time=2),
            "update": lambda c: c.update({next(iter(c)): self.values(7)}, time=2),
            "clear": lambda c: c.clear(time=2),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


class TimedMembers(Members):
    """SeriesSet."""

    def fill(self, c, n):
        keys = self.keys(n)
        c.update(keys, time=1)
        return keys

    @property
    def writes(self):
        return {
            "add": lambda c: c.add(self.fresh(), time=2),
            "discard": lambda c: c.discard(next(iter(c)), time=2),
            "update": lambda c: c.update(self.keys(3), time=2),
            "clear": lambda c: c.clear(time=2),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


class Slots(Subject):
    """SlotMap."""

    def make(self, **arguments):
        return self.cls(value=self.value, **arguments)

    def fill(self, c, n):
        return c.insert_many(self.columns(n)).tolist()

    @property
    def writes(self):
        def first(c):
            return next(iter(c))

        return {
            "insert": lambda c: c.insert(self.values(7)),
            "insert_many": lambda c: c.insert_many(self.columns(2)),
            "extend": lambda c: c.extend([self.values(7)]),
            "[handle] = value": lambda c: c.__setitem__(first(c), self.values(7)),
            "set": lambda c: c.set(first(c), self.values(7)),
            "update_many": lambda c: c.update_many([first(c)], self.columns(1)),
            "del [handle]": lambda c: c.__delitem__(first(c)),
            "pop": lambda c: c.pop(first(c)),
            "erase": lambda c: c.erase(first(c)),
            "erase_many": lambda c: c.erase_many([first(c)]),
            "clear": lambda c: c.clear(),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


class Rows(Subject):
    """Table."""

    def make(self, **arguments):
        return self.cls(self.value, **arguments)

    def shown(self, c):
        return list(c)

    def fill(self, c, n):
        first = len(c)
        c.extend(self.columns(n))
        return list(range(first, first + n))

    @property
    def writes(self):
        return {
            "append": lambda c: c.append(self.values(7)),
            "extend": lambda c: c.extend([self.values(7)]),
            "extend by columns": lambda c: c.extend(self.columns(2)),
            "[index] = value": lambda c: c.__setitem__(-1, self.values(7)),
            "set": lambda c: c.set(0, self.values(7)),
            "update_many": lambda c: c.update_many([0], self.columns(1)),
            "set_column": lambda c: c.set_column(self.column, self.columns(len(c))[self.column][::-1]),
            "del [index]": lambda c: c.__delitem__(0),
            "del [slice]": lambda c: c.__delitem__(slice(0, 2)),
            "pop": lambda c: c.pop(),
            "erase": lambda c: c.erase(0),
            "swap_erase": lambda c: c.swap_erase(0),
            "clear": lambda c: c.clear(),
            "restore": lambda c: c.restore(c.snapshot()),
            "reserve": lambda c: c.reserve(10),
        }


SUBJECTS = [
    Keyed("Map of int to float", sw.Map, float, int),
    Keyed("Map of str to record", sw.Map, Quote, str),
    Keyed("Map of tuple to int", sw.Map, int, (str, int)),
    Members("Set of int", sw.Set, int),
    Members("Set of str", sw.Set, str),
    Timed("Series of str to float", sw.Series, float, str),
    Timed("Series of int to record", sw.Series, Quote, int),
    TimedMembers("SeriesSet of int", sw.SeriesSet, int),
    Slots("SlotMap of floats", sw.SlotMap, float),
    Slots("SlotMap of records", sw.SlotMap, Quote),
    Slots("SlotMap of texts", sw.SlotMap, str),
    Rows("Table of floats", sw.Table, float),
    Rows("Table of records", sw.Table, Quote),
    Rows("Table of texts", sw.Table, str),
]


def has_numbers(subject):
    """Whether its column is one that NumPy has a view of."""
    return subject.value is not str and not (isinstance(subject, Members) and subject.key is not int)


def swept(subjects=SUBJECTS, **only):
    """A parametrisation by subject."""
    return pytest.mark.parametrize("subject", subjects, ids=lambda subject: subject.name)


NUMERIC = [subject for subject in SUBJECTS if has_numbers(subject)]


@pytest.fixture(params=SUBJECTS, ids=lambda subject: subject.name)
def subject(request):
    return request.param
