# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Generational containers: maps, series and slot maps whose columns are shared without a copy."""

from collections.abc import Mapping, MutableMapping

from ._core import (
    Applied,
    ArrowStream,
    Int64Delta,
    Int64Float64Map,
    Int64Int64Map,
    Int64Series,
    SlotMap,
    SoaMap,
    StrDelta,
    StrFloat64Map,
    StrInt64Map,
    StrSeries,
    UInt64Delta,
    UInt64Float64Map,
    UInt64Int64Map,
    UInt64Series,
    shard_ids,
    stable_hash,
)

MutableMapping.register(Int64Float64Map)
MutableMapping.register(Int64Int64Map)
MutableMapping.register(StrFloat64Map)
MutableMapping.register(StrInt64Map)
MutableMapping.register(UInt64Float64Map)
MutableMapping.register(UInt64Int64Map)
# A write of a series needs its time, and a slot map makes the handle: neither is written as a dict is.
Mapping.register(Int64Series)
Mapping.register(StrSeries)
Mapping.register(UInt64Series)
Mapping.register(SlotMap)
Mapping.register(SoaMap)
del Mapping, MutableMapping

__version__ = "0.2.0"
__all__ = [
    "Applied",
    "ArrowStream",
    "Int64Delta",
    "Int64Float64Map",
    "Int64Int64Map",
    "Int64Series",
    "SlotMap",
    "SoaMap",
    "StrDelta",
    "StrFloat64Map",
    "StrInt64Map",
    "StrSeries",
    "UInt64Delta",
    "UInt64Float64Map",
    "UInt64Int64Map",
    "UInt64Series",
    "shard_ids",
    "stable_hash",
]
