# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Generational containers for records of any schema, whose columns are shared without a copy.

Map and Set are by key, Series and SeriesSet by key over time with exact deltas, SlotMap by handles that it makes, Table by position, and
World has entities with components.
"""

from . import _signatures
from ._core import (
    Applied,
    ArrowStream,
    Chunk,
    Component,
    KeyType,
    Pair,
    Relation,
    Schema,
    Tag,
    Term,
    View,
    shard_ids,
    stable_hash,
)
from ._map import Map
from ._series import Delta, DeltaStream, Series, SeriesSet, Subscription, Window
from ._set import Set
from ._slot_map import SlotMap
from ._table import Table
from ._world import Commands, Query, World

__version__ = "0.3.0"
__all__ = [
    "Applied",
    "ArrowStream",
    "Chunk",
    "Commands",
    "Component",
    "Delta",
    "DeltaStream",
    "KeyType",
    "Map",
    "Pair",
    "Query",
    "Relation",
    "Schema",
    "Series",
    "SeriesSet",
    "Set",
    "SlotMap",
    "Subscription",
    "Table",
    "Tag",
    "Term",
    "View",
    "Window",
    "World",
    "shard_ids",
    "stable_hash",
]

_signatures.show(globals(), __all__)
