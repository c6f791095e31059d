# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""The questions: their rows, what "ours" and "limit" stand for, and which rows a run without further options takes."""


class Question:
    def __init__(self, unit, ours, limit, ratios, quick, usual=lambda row: True, means_over=None):
        self.unit = unit
        self.ours = ours  # the contender that "ours" stands for in the ratio columns
        self.limit = limit
        self.ratios = ratios  # further (title, ours, other)
        self.quick = quick  # the rows of --quick
        self.usual = usual  # the rows run without --bytes and --n
        self.means_over = means_over  # means over the sizes, each with its ratio to this contender; None: a line a row


# A table that doubles is between half and completely full: no single size is fair to all, six of them are.
KEYED_SIZES = (55_000, 65_000, 80_000, 100_000, 120_000, 160_000)
# With a poor hash a table may take thousands of times as long: one size shows that, six would take half an hour.
def keyed_usual(row):
    return row.n == 65_000 if row.op.endswith("_poor_hash") else row.n in KEYED_SIZES


KEYED_QUICK = ("insert", "find_hit", "find_miss", "erase_insert", "iterate", "memory", "insert_string", "find_hit_string")

SERIES_QUICK = ("write_1000", "write_18_percent", "set", "churn_1000", "capture_1000", "apply_1000", "fan_out_100")

# Each row in both languages is two processes a repetition.
GRAPH_QUICK = [(operation, 8, n, None) for operation, n in (
    ("linear", 1000), ("fanout", 1000), ("unchanged_900", 1000), ("changed_10_work", 1000), ("changed_100", 100_000), ("random", 1000),
    ("clean", 100_000), ("link_and_run", 100_000), ("allocations", 1000))]

QUESTIONS = {
    "iteration": Question(
        "ns per live element", "SlotMap.for_each", "vector",
        [("iterator / plf::colony", "SlotMap.iterator", "plf_colony"), ("Dense / vector", "DenseSlotMap", "vector"),
         ("Soa / vector of field", "SoaSlotMap.column", "vector_of_field")],
        lambda row: row.n == 100_000 and (row.bytes == 16 or (row.bytes == 4 and row.live == 100))),
    "slot_map": Question(
        "ns per operation", "SlotMap", "plain_arrays",
        [("reserve / limit", "SlotMap_reserve", "plain_arrays"), ("Dense / limit", "DenseSlotMap", "plain_arrays")],
        lambda row: row.n == 100_000 and row.bytes == 16),
    "ageing": Question(
        "ns per operation (age) or live element; memory: bytes per live element", "SlotMap", "plain_arrays",
        [("ours / vector", "SlotMap", "vector"), ("Dense / vector", "DenseSlotMap", "vector"),
         ("lifo / limit", "SlotMap_lifo", "plain_arrays")],
        lambda row: row.n == 100_000 and row.bytes == 16, lambda row: row.bytes == 16),
    "columns": Question(
        "ns per live element", "columns", "vector_per_field",
        [("columns / structs", "columns", "SlotMap"), ("Soa / limit", "SoaSlotMap", "vector_per_field")],
        lambda row: row.n == 100_000 and row.live == 50),
    "memory": Question("bytes per element, payload included; allocations: calls of operator new in all", "SlotMap", "vector", [],
                       lambda row: row.bytes == 16),
    "observers": Question(
        "ns per erase+insert pair", "none_attached", "no_observers", [], lambda row: row.bytes == 16),
    "keyed": Question(
        "ns per operation (memory: bytes per element)", "slotwise_map", "vector", [],
        lambda row: row.n in (65_000, 100_000) and row.op in KEYED_QUICK, keyed_usual, "boost_flat_map"),
    "rows": Question("ns per row", "SoaVector", "plain_arrays", [("ours / vectors", "SoaVector", "vectors")], lambda row: row.n == 100_000),
    "arrow": Question("ns per row (delta: per change)", "slotwise", "memcpy", [("ours / loop", "slotwise", "loop")], lambda row: row.n == 100_000),
    "sparse": Question("ns per id", "SparseMap", "vector", [("ours / Boost", "SparseMap", "boost_flat_map")], lambda row: row.n == 100_000),
    "ecs": Question("ns per entity", "ArchetypeStore", "arrays", [("ours / flecs", "ArchetypeStore", "flecs")],
                    lambda row: row.n in (1023, 16_384, 100_000) and row.live in (None, 50) or row.op in ("walk_started", "update_2") and row.n < 10_000),
    "graph": Question("ns per node that runs (clean, unchanged_900, link_and_run: per frame; link: per step; allocations: a frame)", "DataflowGraph", "in_order",
                      [("ours / full compare", "DataflowGraph", "full_compare"), ("ours / gate over records", "DataflowGraph", "gate_over_records")],
                      lambda row: row in GRAPH_QUICK),
    "series": Question(
        "ns per write, change or slot, the window's share included", "adaptive", "writes_only",
        [("adaptive / dirty list", "adaptive", "dirty_list"), ("adaptive / bitmap", "adaptive", "bitmap"),
         ("adaptive / writes and stamps", "adaptive", "writes_and_stamps")],
        lambda row: row.n == 100_000 and row.op in SERIES_QUICK),
}
