# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Every class, made in the same way."""

import pytest
import slotwise

MAPS = {
    slotwise.Int64Float64Map: ([1, -2, 3], [1.5, 2.5, 3.5]),
    slotwise.Int64Int64Map: ([1, -2, 3], [10, -20, 30]),
    slotwise.UInt64Float64Map: ([1, 2**64 - 1, 3], [1.5, 2.5, 3.5]),
    slotwise.UInt64Int64Map: ([1, 2**64 - 1, 3], [10, -20, 30]),
    slotwise.StrFloat64Map: (["a", "Ünïcödé", ""], [1.5, 2.5, 3.5]),
    slotwise.StrInt64Map: (["a", "Ünïcödé", ""], [10, -20, 30]),
}
SERIES = {
    slotwise.Int64Series: ([1, -2, 3], [1.5, 2.5, 3.5]),
    slotwise.UInt64Series: ([1, 2**64 - 1, 3], [1.5, 2.5, 3.5]),
    slotwise.StrSeries: (["a", "Ünïcödé", ""], [1.5, 2.5, 3.5]),
}


class Subject:
    """A class, three keys, three values, and how to write to it."""

    def __init__(self, cls, keys, values):
        self.cls, self.keys, self.values = cls, keys, values
        self.when = {"time": 1} if cls in SERIES else {}

    def filled(self, **arguments):
        table = self.cls(**arguments)
        table.update(dict(zip(self.keys, self.values)), **self.when)
        return table


def subjects(table):
    return [pytest.param(Subject(cls, *sample), id=cls.__name__) for cls, sample in table.items()]


@pytest.fixture(params=subjects(MAPS))
def map_subject(request):
    return request.param


@pytest.fixture(params=subjects(SERIES))
def series_subject(request):
    return request.param


@pytest.fixture(params=subjects(MAPS | SERIES))
def keyed(request):
    return request.param


def make_slots():
    table = slotwise.SlotMap()
    return table, [table.insert(value) for value in (1.5, 2.5, 3.5)]


def make_rows():
    table = slotwise.SoaMap()
    return table, [table.insert((value, 0.0, -value, 1.0)) for value in (1.5, 2.5, 3.5)]


@pytest.fixture(params=[make_slots, make_rows], ids=["SlotMap", "SoaMap"])
def slots(request):
    return request.param()
