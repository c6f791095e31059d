#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Writes include/slotwise/debug/slotwise.natvis: what Visual Studio shows of each class.

  natvis.py           writes the file
  natvis.py --check   exit code 1 when the file is not what would be written

The file is made and not written by hand because natvis knows no wildcard for a namespace: each class is named once for each inline
namespace (config/abi.hpp) of this version, and because the same walk over live slots occurs in a dozen of them. It uses nothing that
Visual Studio 2017 lacks. tests/tools/debuggers_test.py evaluates every expression of it.
"""
import pathlib
import re
import sys
from xml.sax.saxutils import escape, quoteattr

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "include" / "slotwise" / "debug" / "slotwise.natvis"
HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- SPDX-FileCopyrightText: the slotwise authors -->
<!-- Made by tools/debuggers/natvis.py -->
<AutoVisualizer xmlns="http://schemas.microsoft.com/vstudio/debugger/natvis/2010">
"""
FIRST = "._Myfirst._Val"  # of a std::tuple


def namespaces():
    """The inline namespaces that config/abi.hpp can make of this version."""
    text = (ROOT / "include/slotwise/config/version.hpp").read_text(encoding="utf-8")
    version = "_".join(re.search(rf"VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    return [f"slotwise::v{version}_c{level}_e{exceptions}" for level in (1, 2, 0) for exceptions in (1, 0)]


#=== elements ===#

def element(tag, text, **attributes):
    said = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<{tag}{said}>{escape(text)}</{tag}>"


def shown(text, **attributes):
    return element("DisplayString", text, **attributes)


def item(name, expression, **attributes):
    return element("Item", expression, Name=name, **attributes)


def expanded(expression):
    return element("ExpandedItem", expression)


def walk(variable, end, condition, name, value):
    """Items name = value for every number below `end` that meets the condition. Optional: if one fails, the others are still shown."""
    return "\n".join([
        '<CustomListItems Optional="true">', f'  <Variable Name="{variable}" InitialValue="0ull" />',
        f"  <Loop Condition={quoteattr(f'{variable} < {end}')}>", f"    <If Condition={quoteattr(condition)}>",
        "      " + item(name, value), "    </If>", f"    <Exec>{variable} = {variable} + 1</Exec>", "  </Loop>", "</CustomListItems>"])


#=== expressions ===#

def bit(words, number="slot"):
    return f"({words}[{number} / 64] >> ({number} % 64)) & 1"


def paged(array):
    return f"{array}.table_.data_[slot / {array}.page_slots][slot % {array}.page_slots]"


def described(array):
    return (f"(void*)({array}.table_.data_[slot >> {array}.shift_] + "
            f"(slot & ((1ull << {array}.shift_) - 1)) * {array}.type_->size)")


def sizes(directory):
    """The size of a container by each of the two kinds of free lists: one of them has these members."""
    lowest = f"({directory}.free_.more_ + ({directory}.free_.lowest_ != 0xFFFFFFFFu))"
    for free in (lowest, f"{directory}.free_.count_"):
        size = f"{directory}.n_.cursor - {directory}.n_.blocked - {free}"
        yield shown(f"{{{{ size={{{size},d}} capacity={{{directory}.n_.capacity,d}} holes={{{free},d}} }}}}", Optional="true")


def live(directory, value, name=None):
    """Elements of a container by slot."""
    handle = f"[{{slot,d}}v{{(unsigned int){directory}.versions_.data_[slot],d}}]"
    return walk("slot", f"{directory}.n_.cursor", bit(f"{directory}.live_.data_"), name or handle, value)


def rows(name):
    slot = "core_.store.slots_.data_[row]"
    handle = f"[{{{slot},d}}v{{(unsigned int)core_.directory.versions_.data_[{slot}],d}}]{name}"
    return walk("row", "core_.store.count_", "true", handle, f"core_.store.columns_{FIRST}.data_[row]")


PAGE_SLOTS = "(sizeof(pages_.near_.data_[0]->versions) / sizeof(pages_.near_.data_[0]->versions[0]))"
PAGE = f"pages_.near_.data_[slot / {PAGE_SLOTS}]"
CORE = [item("[allocator]", "core_.allocator"), item("[static observers]", "core_.hub.static_")]
SLOT_MAP = [*sizes("core_.directory"),
            live("core_.directory", paged("core_.store.values_")),
            live("core_.directory", "core_.store.values_.data_[slot]"), *CORE]
VALUES = f"core_.hub.static_{FIRST}.values_"

# (class names with their template arguments, elements)
TYPES = [
    ("Handle<*>", [shown("null", Condition="bits_ == 0"),
                   shown("{bits_ & max_index,d}v{(bits_ / (max_index + 1ull)) & max_version,d}"
                         "#{bits_ / (max_index + 1ull) / (max_version + 1ull),d}",
                         Condition="bits_ / (max_index + 1ull) / (max_version + 1ull) != 0", Optional="true"),
                   shown("{bits_ & max_index,d}v{(bits_ / (max_index + 1ull)) & max_version,d}", Optional="true")]),
    ("PublicId", [shown("{(unsigned int)(high >> 32),xb}-{(unsigned short)(high >> 16),xb}-{(unsigned short)high,xb}-"
                        "{(unsigned short)(low >> 48),xb}-{(unsigned short)(low >> 32),xb}{(unsigned int)low,xb}")]),
    ("Versioned<*>", [shown("{value_} ({changes_,d} changes)"), item("value", "value_"), item("changes", "changes_")]),

    ("SlotMap<*> SlotMapCore<*>", SLOT_MAP),
    ("DenseSlotMap<*>", [*sizes("core_.directory"), rows(""), *CORE]),
    ("BasicSoaSlotMap<*>", [*sizes("core_.directory"), rows("<0>"), item("[columns]", "core_.store.columns_"), *CORE]),
    ("SecondaryMap<*,*>", [shown("{{ size={size_,d} }}"),
                             walk("slot", f"pages_.near_.size_ * {PAGE_SLOTS}", f"{PAGE} != 0 && ((({PAGE}->live) >> (slot % {PAGE_SLOTS})) & 1)",
                                  f"[{{slot,d}}v{{(unsigned int){PAGE}->versions[slot % {PAGE_SLOTS}],d}}]",
                                  f"(($T2*){PAGE}->memory)[slot % {PAGE_SLOTS}]"),
                             item("[far pages]", "pages_.far_")]),
    ("SparseSecondaryMap<*>", [shown("{{ size={size_,d} capacity={values_.capacity_,d} }}"),
                               walk("row", "size_", "true", "[{handles_.data_[row]}]", "values_.data_[row]")]),
    ("IdentityMap<*>", [shown("{{ size={nodes_.size_,d} }}"), expanded("nodes_")]),

    ("KeySetCore<*> SetStorage<*>", [*sizes("core_.directory"), live("core_.directory", paged("core_.store.keys.keys_")),
                                               item("[pending]", "core_.pending.queue_.count_", Optional="true"), *CORE]),
    ("MapStorage<*>", [*sizes("core_.directory"), live("core_.directory", paged(VALUES), f"[{{{paged('core_.store.keys.keys_')}}}]"),
                       item("[pending]", "core_.pending.queue_.count_", Optional="true"), *CORE]),
    ("BasicAnySetStorage<*>", [*sizes("core_.directory"), live("core_.directory", described("core_.store.keys.keys_")),
                               item("[type]", "core_.store.keys.keys_.type_")]),
    ("BasicAnyMapStorage<*>", [*sizes("core_.directory"), live("core_.directory", described(VALUES), f"[{{{described('core_.store.keys.keys_')}}}]"),
                               item("[key type]", "core_.store.keys.keys_.type_"), item("[value type]", f"{VALUES}.type_")]),
    ("HashIndex<*> PortableHashIndex<*> GroupIndex<*>",
     [shown("{{ size={size_,d} }}"), walk("at", "storage_.size_ * 12", "storage_.data_[at / 12].fingerprints[at % 12] != 0", "[{at,d}]",
                                          "storage_.data_[at / 12].slots[at % 12]")]),
    ("BoostIndex<*> RobinIndex<*> AnkerlIndex<*>", [item("table", "table_")]),
    ("SetView<*>", [shown("view of a set at {set_}"), item("[calls]", "calls_")]),
    ("MapView<*>", [shown("view of a map at {map_}"), item("[calls]", "calls_")]),

    ("TSSStorage<*> TSDStorage<*>", [shown("{state_.store_}, last written {state_.notification_.whole.last}"), expanded("state_.store_"),
                                     item("[without a value]", "state_.unset_"),
                                     item("[subscribers]", "state_.notification_.slots")]),
    ("TSSWriter<*> TSDWriter<*>", [shown("writer of {*series_}"), expanded("*series_")]),
    ("TSSView<*> TSDView<*>", [shown("view of a series at {series_}"), item("[calls]", "calls_")]),
    ("DeltaTracker<*>", [shown("{{ window={now_.window} slots={now_.slots,d} }}"),
                         walk("slot", "now_.slots", bit("now_.touched"), "[{slot,d}]", "(unsigned int)slot"), item("[words]", "now_")]),
    ("DeltaRange<*>", [shown("{part_} in window {window_}"), item("[words]", "words_"), item("[columns]", "columns_")]),
    ("ObserverArray<*>", [shown("no subscribers", Condition="registry_ == 0"), shown("{{ slots={registry_->covered,d} }}"),
                          item("by key", "registry_->by_key", Condition="registry_ != 0"),
                          item("by slot", "registry_->by_slot", Condition="registry_ != 0")]),

    ("Occupancy", [shown("{{ slots={slots_,d} }}"), walk("slot", "slots_", bit("words_"), "[{slot,d}]", "(unsigned int)slot")]),
    ("SlotRange", [shown("{occupancy_}"), expanded("occupancy_")]),
    ("ColumnView<*>", [shown("{{ slots={directory_.live.slots_,d} }}"),
                       walk("slot", "directory_.live.slots_", bit("directory_.live.words_"), "[{slot,d}]",
                            "values_.pages[slot >> values_.shift][slot & ((1ull << values_.shift) - 1)]")]),
    ("ValueArray<*> TimeArray<*>", [shown("{values_}"),
                                    walk("slot", "alive_.size_ * 64", bit("alive_.data_"), "[{slot,d}]", paged("values_"))]),
    ("DynamicColumn<*>", [shown("{column_}"), expanded("column_")]),
    ("PagedArray<*>", [shown("{{ capacity={pages_ * page_slots,d} }}", Optional="true"), item("[pages]", "table_.data_")]),
    ("ReservedArray<*>", [shown("{{ capacity={committed_ / sizeof(*data_),d} }}"), item("[data]", "data_")]),
    ("AlignedArray<*>", [shown("{{ capacity={capacity_,d} }}"), item("[data]", "data_")]),
    ("SlotDirectory<*>", [*(text.replace("this.", "") for text in sizes("this")), live("this", "(unsigned int)versions_.data_[slot]"
                                                                                       ).replace("this.", "")]),
    ("BasicObserverToken<*>", [shown("detached", Condition="cell_ == 0"), shown("attached"), item("observer", "observer_")]),
    ("SoaPointer<*>", [expanded("members_")]),
]


def made():
    """The text of the file."""
    text = [HEAD]
    for names, elements in TYPES:
        full = [f"{space}::{name}" for space in namespaces() for name in names.split()]
        text.append(f"  <Type Name={quoteattr(full[0])}>\n")
        text.extend(f"    <AlternativeType Name={quoteattr(name)} />\n" for name in full[1:])
        strings = [each for each in elements if each.startswith("<DisplayString")]
        items = [each for each in elements if each not in strings]
        text.extend(f"    {each}\n" for each in strings)
        if items:
            text.append("    <Expand>\n")
            text.extend("".join(f"      {line}\n" for line in each.split("\n")) for each in items)
            text.append("    </Expand>\n")
        text.append("  </Type>\n")
    return "".join(text) + "</AutoVisualizer>\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    if not arguments:
        FILE.write_text(made(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != made():
        sys.exit(f"{FILE.relative_to(ROOT)} is not what tools/debuggers/natvis.py writes: run it")


if __name__ == "__main__":
    main(sys.argv[1:])
