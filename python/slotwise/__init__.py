# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Generational containers: maps, series and slot maps whose columns are shared without a copy."""

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
