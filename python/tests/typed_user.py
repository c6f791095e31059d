# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""A program that uses each class with types. mypy --strict and pyright read it (tools/dev python); test_typed_user.py runs it."""

# pyright: strict
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, MutableMapping, MutableSet
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import slotwise as sw

if TYPE_CHECKING:
    from typing_extensions import assert_type


@dataclasses.dataclass
class Quote:
    bid: float
    size: int


def read(market: sw.Series[str, Quote], quotes: sw.Map[str, Quote]) -> None:
    """Types that are not Any, in reading and where the arguments alone say them."""
    if TYPE_CHECKING:
        assert_type(market["bund"], Quote)
        assert_type(market.get("bund"), Quote | None)
        assert_type([key for key in market], list[str])
        assert_type(quotes["bund"], Quote)
        assert_type(quotes.get("bund"), Quote | None)
        assert_type(quotes.pop("bund"), Quote)
        assert_type(sw.Series(key=str, value=float), sw.Series[str, float])
        assert_type(sw.Series(key=bytes, value=Quote), sw.Series[bytes, Quote])
        assert_type(sw.Map(key=int, value=bool), sw.Map[int, bool])


def mean(prices: Mapping[str, float]) -> float:
    return sum(prices.values()) / len(prices)


def raise_all(prices: MutableMapping[str, float], by: float) -> None:
    for key in list(prices):
        prices[key] += by


def add(members: MutableSet[int], member: int) -> None:
    members.add(member)


def maps() -> float:
    prices: sw.Map[str, float] = sw.Map({"bund": 131.0, "bobl": 117.0})
    raise_all(prices, 1.0)
    quotes: sw.Map[str, Quote] = sw.Map(key=str, value=Quote)
    quotes["bund"] = Quote(131.2, 5)
    first: Quote = quotes["bund"]
    maybe: Quote | None = quotes.get("bobl")
    values: npt.NDArray[Any] = quotes.column("bid")
    assert maybe is None and first.size == 5 and values[0] == 131.2 and "bund" in quotes
    copied: sw.Map[str, Quote] = quotes.copy()
    erased: int = copied.erase_many(["bund", "bobl"])
    return mean(prices) + erased


def sets() -> list[int]:
    members: sw.Set[int] = sw.Set([3, 1])
    add(members, 2)
    return sorted(members)


def series() -> sw.Applied:
    market: sw.Series[str, float] = sw.Series(key=str, value=float)
    replica = sw.Series(key=str, value=float)
    market.update({"bund": 131.2}, time=1)
    delta = market.capture()
    return replica.apply(delta)


def slots() -> Iterator[float]:
    bodies: sw.SlotMap[Quote] = sw.SlotMap(value=Quote)
    handle: int = bodies.insert(Quote(1.0, 2))
    handles: npt.NDArray[np.uint64] = bodies.insert_many({"bid": [2.0, 3.0], "size": [1, 1]})
    yield bodies[handle].bid + len(handles)
    table: sw.Table[Quote] = sw.Table(Quote)
    table.append(Quote(4.0, 1))
    yield table[0].bid


def world() -> float:
    made = sw.World()
    position = made.component("position", {"x": "f4", "y": "f4"})
    made.spawn_many(2, {position: {"x": [1.0, 2.0], "y": [0.0, 0.0]}})
    total = 0.0
    for chunk in made.query(position):
        chunk[position].x += 1.0
        total += float(chunk[position].x.sum())
    query, copied = made.query(position.const), made.copy()
    assert query.to_polars().height == len(query.to_pandas()) == len(copied)  # pyarrow has no types
    assert query.to_numpy()["entity"].tolist() == copied.entities().tolist()
    return total


def main() -> None:
    assert maps() == 126.0 and sets() == [1, 2, 3] and series() is sw.Applied.done and list(slots()) == [3.0, 4.0] and world() == 5.0
