# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""What a debugger shows of each class of slotwise; slotwise_gdb.py and slotwise_lldb.py give it their values and show what it says.

A *node* is a value of the program: GdbNode or LldbNode. Shapes ask it for

  name            of its type, without typedef, reference, const; layout() of a Handle
  node[member]    a member, also a private or inherited one; has(member)
  integer()       of a number, an enumerator or a pointer
  at(i)           of a pointer: what lies i elements on; of an array: element i
  pointee_size()  of a pointer: sizeof of what it points to
  address()       where the value lies
  parts()         base classes and members in order, as (name, node)
  argument(i)     template argument i, a type; value_at(address, type)
  read(address, size)  bytes; number(n) a node of that number; text() a short form for people
  symbol(address) the linker's name of what lies there, or ""; linker_type(name) the type that the linker calls so, or None
  pointee(), size_of(type), size(), bytes_at(address, size)

Nothing here trusts what it reads: the object may be damaged or not built yet. Counts are checked against each other and against
the memory that is there, walks are lazy and end with the capacity.
"""
import re

NO_SLOT = 0xFFFFFFFF
WORD = 64
# What stands before our names: a copy of the library may have another namespace, but its inline namespace keeps its form. LLDB reads it too.
SPACE = r"(const |volatile )*(([A-Za-z_0-9]+::)+v[0-9]+_[0-9]+_[0-9]+_c[0-9]+_e[0-9]+::|slotwise::)"
OURS = re.compile(SPACE + r"(\w+)")
_PAIRS = {"<": ">", "(": ")", "{": "}", "[": "]"}


class Damaged(Exception):
    """The bytes cannot be an object of this class."""


class Item:
    """A child: its name, its value and, in a map, its key."""

    def __init__(self, name, value, key=None):
        self.name, self.value, self.key = name, value, key


def closing(text, start):
    """The position of the bracket that closes the one at `start`, or -1."""
    depth = []
    for at in range(start, len(text)):
        if text[at] in _PAIRS:
            depth.append(_PAIRS[text[at]])
        elif depth and text[at] == depth[-1]:
            depth.pop()
            if not depth:
                return at
    return -1


def arguments(text):
    """What stands between the commas of the outermost level."""
    found, depth = [""], 0
    for char in text:
        depth += (char in "<({[") - (char in ">)}]")
        if char == "," and depth == 0:
            found.append("")
        else:
            found[-1] += char
    return [each.strip() for each in found]


def class_of(name):
    """(class, template arguments as text) of a type of slotwise itself; (None, []) of any other, nested ones included."""
    found = OURS.match(name or "")
    if not found:
        return None, []
    rest = name[found.end():]
    if rest == "":
        return found[4], []
    if rest[0] == "<" and closing(rest, 0) == len(rest) - 1:
        return found[4], arguments(rest[1:-1])
    return None, []


def title_of(name):
    """A type as people know it: its namespace and class, without the inline namespace and arguments."""
    found = OURS.match(name)
    return re.sub(r"v[0-9]\w*::$", "", found[2]) + found[4] if found else name


def count_of(number, noun):
    return f"{number} {noun}" + ("" if number == 1 else "s")


def layout_of(name):
    """(index bits, version bits, user bits, dense versions, null is ones) as a Handle's name says it; None when it does not."""
    found = re.search(r"HandleLayout\{([^{}]*)\}>$", name.replace(" ", ""))
    if not found:
        return None
    words = {"true": 1, "false": 0}
    bits = [words[part] if part in words else int(re.match(r"\d+", part)[0]) for part in found[1].split(",")] if found[1] else []
    return tuple(bits + [0] * (5 - len(bits)))


def handle_parts(node):
    """(index, version, user bits) of a Handle."""
    bits, layout = node["bits_"].integer(), node.layout()
    if layout is None:
        raise Damaged("its HandleLayout is unknown")
    index, version, user, dense, _ = layout
    field = bits >> index & ((1 << version) - 1)
    return bits & ((1 << index) - 1), 2 * field - 1 if dense and field else field, bits >> (index + version) & ((1 << user) - 1)


def handle_text(node):
    slot, version, user = handle_parts(node)
    layout = node.layout()
    if node["bits_"].integer() == ((1 << sum(layout[:3])) - 1 if layout[4] else 0):
        return "null"
    return f"{slot}v{version}" + (f"#{user}" if user else "")


def tuple_elements(node):
    """The elements of a std::tuple, whichever library it is of."""
    for name, part in node.parts():
        kind = re.match(r"std::(?:\w+::)*(\w+)", part.name)
        kind = kind[1] if kind else ""
        if name in ("_M_head_impl", "__value_"):
            yield part
        elif kind in ("_Head_base", "__tuple_leaf", "__tuple_impl"):
            yield from tuple_elements(part)
    for _, part in node.parts():
        if re.match(r"std::(?:\w+::)*_Tuple_impl<", part.name):
            yield from tuple_elements(part)


def standard_map(node, most):
    """(key, value) of a std::map of libstdc++ from std::uint32_t to a pointer."""
    if not node.has("_M_t"):
        raise Damaged("a std::map of a library that is not known here")
    tree = node["_M_t"]["_M_impl"]
    header, count, word = tree["_M_header"], tree["_M_node_count"].integer(), tree["_M_node_count"].size()
    if count > most:
        raise Damaged("there are more pages than it counts")
    left = [64 * count]  # steps: a tree that has a ring ends nevertheless

    def link(of, which):  # a node is {color, parent, left, right}, then the value
        left[0] -= 1
        if left[0] < 0:
            raise Damaged("its tree has no end")
        return int.from_bytes(node.read(of + which * word, word), "little")

    at = header["_M_left"].integer()
    for _ in range(count):
        value = at + 4 * word
        yield int.from_bytes(node.read(value, 4), "little"), int.from_bytes(node.read(value + word, word), "little")
        below = link(at, 3)
        if below:
            while below:
                at, below = below, link(below, 2)
        else:
            above = link(at, 1)
            while above != header.address() and link(above, 3) == at:
                at, above = above, link(above, 1)
            at = above


def numbers(node, address, first, count, size):
    """`count` numbers of `size` bytes from number `first` on, read in blocks."""
    while count > 0:
        block = min(count, 4096)
        data = node.read(address + first * size, block * size)
        for i in range(block):
            yield int.from_bytes(data[i * size:i * size + size], "little")
        first, count = first + block, count - block


def bits_of(words, slots):
    """The numbers below `slots` of the bits that are set in the words."""
    for number, word in enumerate(words):
        while word:
            slot = number * WORD + (word & -word).bit_length() - 1
            if slot >= slots:
                return
            yield slot
            word &= word - 1


def live_slots(node, address, slots):
    return bits_of(numbers(node, address, 0, (slots + WORD - 1) // WORD, 8), slots)


class Flat:
    """A FlatArray of numbers or pointers."""

    def __init__(self, node):
        self.node, self.data, self.size = node, node["data_"], node["size_"].integer()
        self.width = self.data.pointee_size()

    def covers(self, count):
        """Whether there can be that many, and the memory of the last one is there."""
        if count == 0:
            return True
        if not 0 < count <= self.size or count > NO_SLOT:
            return False
        self.node.read(self.data.integer() + (count - 1) * self.width, 1)
        return True

    def __getitem__(self, i):
        return next(numbers(self.node, self.data.integer(), i, 1, self.width))


class Directory:
    """A SlotDirectory."""

    def __init__(self, node):
        self.node, counters = node, node["n_"]
        self.cursor, self.capacity, self.blocked, self.retired, self.reserved = (
            counters[each].integer() for each in ("cursor", "capacity", "blocked", "retired", "reserved"))
        free = node["free_"]
        if free.has("lowest_"):
            self.free = free["more_"].integer() + sum(free[apart].integer() != NO_SLOT for apart in ("lowest_", "second_"))
        else:
            self.free = free["count_"].integer()
        self.versions, self.live = Flat(node["versions_"]), Flat(node["live_"])
        self.size = self.cursor - self.free - self.blocked
        words = (self.cursor + WORD - 1) // WORD
        if not (0 <= self.size <= self.cursor <= self.capacity <= self.versions.size and self.retired + self.reserved <= self.blocked
                and self.live.covers(words) and self.versions.covers(self.cursor)):
            raise Damaged("its counts contradict each other")

    def slots(self):
        return live_slots(self.node, self.live.data.integer(), self.cursor)

    def handle(self, slot):
        return f"[{slot}v{self.versions[slot]}]"

    def told(self):
        """Capacity and the slots that are not live, for the summary."""
        rest = self.blocked - self.retired - self.reserved
        parts = [f"capacity {self.capacity}", count_of(self.free, "hole")]
        for number, name in ((self.reserved, "reserved"), (self.retired, "retired"), (rest, "pending")):
            if number:
                parts.append(f"{number} {name}")
        return ", ".join(parts)

    def _bit(self, name, slot):
        words = Flat(self.node[name])
        return slot // WORD < words.size and words[slot // WORD] >> slot % WORD & 1 == 1

    def status(self, slot, version):
        """What SlotDirectory::explain says."""
        if slot >= self.capacity:
            return "out_of_range"
        now = self.versions[slot]
        if now == version and version & 1:
            return "live"
        if self._bit("reserved_", slot):
            return "reserved" if now + 1 == version else "stale"
        if slot >= self.cursor or now & 1 or not self._bit("blocked_", slot):
            return "stale"
        if now == 0 and re.search(r"(retire|0)$", class_of(self.node.name)[1][1]):
            return "retired"
        return "pending" if now == version + 1 or now == 0 else "stale"


#=== columns: a node for a slot ===#

def page_slots(node):
    """Slots in a page of a PagedArray, as its template argument says or, when that is 0, as default_page_slots does."""
    given = int(re.sub(r"\(.*?\)", "", class_of(node.name)[1][2]).rstrip("ulUL") or 0)
    if given:
        return given
    size = node["table_"]["data_"].at(0).pointee_size()
    return WORD if size < 256 else 1 << (4096 // size).bit_length() - 1 if size < 4096 else 1


def column(node):
    """The way from a slot to its value, of whatever holds values by slot."""
    if node.has("committed_"):  # ReservedArray
        return node["data_"].at
    if node.has("shift"):  # PageView
        pages, shift = node["pages"], node["shift"].integer()
        return lambda slot: pages.at(slot >> shift).at(slot & (1 << shift) - 1)
    if node.has("type_"):  # AnyArray
        return described_column(node)
    table, known, grain = node["table_"]["data_"], node["known_"], page_slots(node)
    pages, entries = known["pages"].integer(), known["entries"].integer()

    def value(slot):
        if not slot // grain < pages <= entries:
            raise Damaged("a live slot lies outside the pages")
        return table.at(slot // grain).at(slot % grain)
    return value


def described(node, descriptor):
    """(the way from an address to a type-erased value, its size): a value of the type itself where TypeDescriptor::of made the
    description, else bytes."""
    if descriptor.integer() == 0:
        raise Damaged("it has no TypeDescriptor")
    size = descriptor.at(0)["size"].integer()
    made = re.search(r"\bdescribe<", node.symbol(descriptor.at(0)["copy"].integer()))
    kind = None
    if made:
        text = made.string[made.end() - 1:]
        kind = node.linker_type(arguments(text[1:closing(text, 0)])[0])
    return lambda address: node.value_at(address, kind) if kind is not None else node.bytes_at(address, size), size


def described_column(node):
    table, pages, shift = Flat(node["table_"]), node["pages_"].integer(), node["shift_"].integer()
    value_at, size = described(node, node["type_"])

    def value(slot):
        if not slot >> shift < pages <= table.size or shift > 31:
            raise Damaged("a live slot lies outside the pages")
        return value_at(table[slot >> shift] + (slot & (1 << shift) - 1) * size)
    return value


#=== shapes ===#

class Shape:
    """What is shown of a node: summary(), items(); hint says how: None, "array" (values matter) or "map" (items have keys)."""
    hint = None

    def __init__(self, node, name):
        self.node, self.name = node, name

    def title(self, size, rest):
        return f"{self.name} with {count_of(size, 'element')}, {rest}"

    def summary(self):
        return self.name

    def items(self):
        return iter(())


class HandleShape(Shape):
    def summary(self):
        return handle_text(self.node)


class PublicIdShape(Shape):
    def summary(self):
        text = f"{self.node['high'].integer():016x}{self.node['low'].integer():016x}"
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class Members(Shape):
    """Members under their public names."""
    members = {}

    def items(self):
        for public, private in self.members.items():
            yield Item(public, self.node[private])


class VersionedShape(Members):
    members = {"value": "value_"}

    def summary(self):
        return f"{self.name}, {count_of(self.node['changes_'].integer(), 'change')}"


class TableIndexShape(Members):
    members = {"table": "table_"}


class DynamicColumnShape(Members):
    members = {"column": "column_"}


class WriterShape(Shape):
    def items(self):
        yield Item("series", self.node["series_"].at(0))


class SlotMapShape(Shape):
    """SlotMap, DenseSlotMap, SoaSlotMap: what the store is decides."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.directory, self.store = Directory(node["core_"]["directory"]), node["core_"]["store"]

    def summary(self):
        return self.title(self.directory.size, self.directory.told())

    def items(self):
        if self.store.has("columns_"):
            yield from self.rows()
            return
        value = column(self.store["values_"])
        for slot in self.directory.slots():
            yield Item(self.directory.handle(slot), value(slot))

    def rows(self):
        rows, slots = self.store["columns_"], Flat(self.store["slots_"])
        count = rows["count_"].integer()
        if count != self.directory.size or not slots.covers(count):
            raise Damaged("rows and slots do not agree")
        yield from packed_rows(rows, lambda row: self.directory.handle(slots[row]))


def packed_rows(rows, name):
    """The members of the rows of PackedColumns; tags have no column."""
    columns = [(number, each["data_"]) for number, each in enumerate(tuple_elements(rows["columns_"])) if each.has("data_")]
    for row in range(rows["count_"].integer()):
        for number, data in columns:
            yield Item(name(row) if len(columns) == 1 else f"{name(row)}<{number}>", data.at(row))


def numbered(row):
    return f"[{row}]"


class RowsShape(Shape):
    """Rows that have a size, capacity and items of their own."""

    def __init__(self, node, name, size, capacity):
        super().__init__(node, name)
        self.size, self.capacity = size, capacity
        if size > capacity:
            raise Damaged("its counts contradict each other")

    def summary(self):
        return f"{self.name} with {count_of(self.size, 'row')}, capacity {self.capacity}"


class SoaVectorShape(RowsShape):
    """SoaVector, SoaStruct."""

    def __init__(self, node, name):
        first = next(tuple_elements(node["rows_"]["columns_"]))
        super().__init__(node, name, node["rows_"]["count_"].integer(), first["capacity_"].integer())
        if self.size >> 40:
            raise Damaged("there is no memory for so many rows")
        if self.size and first.has("data_"):  # the memory of the last row is there
            node.read(first["data_"].integer() + (self.size - 1) * first["data_"].pointee_size(), 1)

    def items(self):
        return packed_rows(self.node["rows_"], numbered)


class AnyRowsShape(RowsShape):
    def __init__(self, node, name):
        self.places, capacity = Flat(node["columns_"]["places_"]), node["columns_"]["capacity_"].integer()
        super().__init__(node, name, node["size_"].integer(), capacity)
        if not self.places.covers(self.places.size):
            raise Damaged("its columns are not there")

    def summary(self):
        room = self.capacity if self.capacity >> 32 != NO_SLOT else "without limit"
        return f"{self.name} with {count_of(self.size, 'row')} of {count_of(self.places.size, 'column')}, capacity {room}"

    def items(self):
        columns = []
        for number in range(self.places.size):
            place = self.places.data.at(number)
            if place["data"].integer():
                columns.append((number, place["data"].integer(), *described(self.node, place["type"])))
        for row in range(self.size):
            for number, data, value_at, size in columns:
                yield Item(f"[{row}]<{number}>", value_at(data + row * size))


class TableShape(AnyRowsShape):
    """Table: rows of components, the entity last."""

    def __init__(self, node, name):
        super().__init__(node["rows_"], name)


class StoreShape(Shape):
    """ArchetypeStore: its entities, each with the number of its table. There are none after a move."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.core = node["core_"].at(0) if node["core_"].integer() else None
        self.entities = EntityIndexShape(self.core["entities"], "EntityIndex") if self.core else None

    def summary(self):
        return f"{self.name}, " + (f"entities: {self.entities.alive}" if self.core else "moved from")

    def items(self):
        for item in self.entities.items() if self.core else ():
            yield Item(item.name, item.value["table_"])


class EventQueueShape(Shape):
    """Events by their number, the oldest first."""
    hint = "array"

    def __init__(self, node, name):
        super().__init__(node, name)
        self.buffers = [node["older_"], node["newer_"]]
        self.counts = [each["count"].integer() for each in self.buffers]
        if max(self.counts) > max(ArrayShape(each["events"], name).capacity() for each in self.buffers):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return f"{self.name} with {count_of(sum(self.counts), 'event')}, {self.counts[1]} new"

    def items(self):
        number = self.node["first_"].integer()
        for buffer, count in zip(self.buffers, self.counts):
            if count:
                value = column(buffer["events"])
                for i in range(count):
                    yield Item(f"[{number + i}]", value(i))
            number += count


def string_view(node):
    """The text of a std::string_view, whichever library it is of; at most 80 characters of it."""
    length, data = ("_M_len", "_M_str") if node.has("_M_len") else ("__size_", "__data_")
    return node.read(node[data].integer(), min(node[length].integer(), 80)).decode(errors="replace")


class DataflowShape(Shape):
    """DataflowGraph: a node with the name of its kind, its flags and its last run, then its inputs and outputs with their change
    counters. An input shows what it reads, and where that is from."""
    flags = ("manual", "always", "stateful", "errored")

    def __init__(self, node, name):
        super().__init__(node, name)
        core = node["core_"]
        self.records, self.pins, self.order, self.dirty = core["records"]["core_"], core["pins"], core["order"], core["dirty"]
        self.directory, self.links = Directory(self.records["directory"]), core["links"].integer()
        self.count, self.room = self.pins["used_"].integer(), self.pins["links"]["size_"].integer()
        if not self.links <= self.count <= self.room <= NO_SLOT or any(
                self.pins[each]["size_"].integer() != self.room for each in ("reads", "counters")):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return (f"{self.name} with {count_of(self.directory.size, 'node')}, {count_of(self.count, 'pin')}, "
                f"{count_of(self.links, 'link')}")

    def number(self, array, i, width):
        if i >= array["size_"].integer():
            raise Damaged("a pin or a node lies outside of its array")
        return next(numbers(self.node, array["data_"].integer(), i, 1, width))

    def link(self, pin, field):
        """A member of a PinLink: 0 the source, 3 the slot of its node."""
        if pin >= self.room:
            raise Damaged("a link leads to no pin")
        return next(numbers(self.node, self.pins["links"]["data_"].integer(), 4 * pin + field, 1, 4))

    def told(self, slot, record):
        """What is known of a node, in words."""
        flags, info, ran = record["flags"].integer(), record["info"]["tagged_"], record["ran"].integer()
        address = info.integer() & ~1  # the lowest bit: it is counted
        words = [string_view(self.node.value_at(address, info.pointee())["name"])] if address else []
        words += [word for bit, word in enumerate(self.flags) if flags >> bit & 1]
        words += [f"user_flag({bit})" for bit in range(24) if flags >> 8 + bit & 1]
        place = self.number(self.order["positions_"], slot, 4)
        words += ["dirty"] if self.number(self.dirty["words_"], place // WORD, 8) >> place % WORD & 1 else []
        return ", ".join([*words, f"run {ran}" if ran else "never run"])

    def items(self):
        record_at = column(self.records["store"]["values_"])
        kind, pointer = self.node.argument(1), self.pins["reads"]["data_"].size()
        for slot in self.directory.slots():
            record, handle = record_at(slot), self.directory.handle(slot)
            first, inputs, outputs = (record[each].integer() for each in ("first", "inputs", "outputs"))
            yield Item(f"{handle} {self.told(slot, record)}", record["node"])
            for pin in range(first, first + inputs + outputs):
                source = self.link(pin, 0)
                name = f".in[{pin - first}]" if pin < first + inputs else f".out[{pin - first - inputs}]"
                name += f" #{self.number(self.pins['counters'], source, 8)}"
                if source != pin:
                    owner = self.link(source, 3)
                    if owner >= self.directory.capacity:
                        raise Damaged("a link leads to no node")
                    sender = record_at(owner)
                    name += f" from {self.directory.handle(owner)}.out[{source - sender['first'].integer() - sender['inputs'].integer()}]"
                yield Item(handle + name, self.node.value_at(self.number(self.pins["reads"], pin, pointer), kind))


class ComponentIdShape(Shape):
    """A component's number, or a relation and a target; names are in the registry."""

    def summary(self):
        bits = self.node["bits_"].integer()
        if not bits >> 63:
            return f"#{bits & NO_SLOT}" if bits else "null"
        relation, target = bits >> 48 & 0x7FFF, bits & (1 << 48) - 1
        index, version = target & NO_SLOT, target >> 32
        to = "*" if target == (1 << 48) - 1 else f"{index}v{version}" if version else f"#{index}"
        return f"{'*' if relation == 0x7FFF else f'#{relation}'}({to})"


class AnySpanShape(Shape):
    def __init__(self, node, name):
        super().__init__(node, name)
        self.size = node["count_"].integer()

    def summary(self):
        return f"{self.name} of {count_of(self.size, 'value')}"

    def items(self):
        value_at, size = described(self.node, self.node["type_"])
        if self.node["data_"].integer():
            for i in range(self.size):
                yield Item(numbered(i), value_at(self.node["data_"].integer() + i * size))


class DescribedValueShape(Shape):
    """One type-erased value, or none."""

    def summary(self):
        return self.name + ("" if self.node["type_"].integer() else " without a value")

    def items(self):
        if self.node["type_"].integer():
            value_at, _ = described(self.node, self.node["type_"])
            yield Item("[value]", value_at(self.node["data_"].integer()))


class BitsShape(RowsShape):
    """A BitColumn: the rows whose bit is set."""
    hint = "array"

    def __init__(self, node, name):
        words = Flat(node["words_"])
        super().__init__(node, name, node["size_"].integer(), words.size * WORD)
        self.rows = lambda: live_slots(node, words.data.integer(), self.size)

    def items(self):
        for place, row in enumerate(self.rows()):
            yield Item(numbered(place), self.node.number(row))


class TicksShape(RowsShape):
    """A TickColumn: when each row was last changed."""

    def __init__(self, node, name):
        self.ticks = Flat(node["changed_"]["rows_"])
        super().__init__(node, name, node["size_"].integer(), self.ticks.size)

    def items(self):
        for row in range(self.size):
            yield Item(numbered(row), self.ticks.data.at(row))


#=== sparse ===#

def id_text(node):
    return handle_text(node) if class_of(node.name)[0] == "Handle" else node.text()


def sparse_pages(node, pages):
    """(number, address) of each page of SparsePages: near ones in an array, far ones in a std::map."""
    near, count = Flat(pages["near_"]), pages["count_"].integer()
    if count > NO_SLOT or not near.covers(near.size):
        raise Damaged("its counts contradict each other")
    for number, address in enumerate(numbers(node, near.data.integer(), 0, near.size, near.width)):
        if address:
            yield number, address
    yield from standard_map(pages["far_"], count)


class SparseSetShape(RowsShape):
    """SparseSet, SparseMap: ids row by row, and what belongs to them."""

    def __init__(self, node, name):
        self.ids, self.values = Flat(node["ids_"]), node["values_"]
        super().__init__(node, name, node["size_"].integer(), self.ids.size)
        self.hint = None if self.values.has("pages_") else "array"
        if not self.ids.covers(self.size):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, f"capacity {self.capacity}")

    def items(self):
        value = column(self.values["pages_"]) if self.values.has("pages_") else None
        for row in range(self.size):
            each = self.ids.data.at(row)
            yield Item(numbered(row), each) if value is None else Item(f"[{id_text(each)}]", value(row))


class SparseGroupShape(Shape):
    hint = "array"

    def __init__(self, node, name):
        super().__init__(node, name)
        self.size = node["size_"].integer()
        self.first = next(tuple_elements(node["members_"]))["set"]

    def summary(self):
        return f"{self.name} of {count_of(self.size, 'shared id')}"

    def items(self):
        for row in range(self.size):
            yield Item(numbered(row), self.first.at(0)["ids_"]["data_"].at(row))


class SwitchMapShape(Shape):
    """The value of each id, value by value."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.size, buckets = node["size_"].integer(), node["buckets_"]
        self.count, self.list, self.data = buckets["count_"].integer(), Flat(buckets["list_"]), buckets["buckets_"]["data_"]
        if self.count > self.size or not self.list.covers(self.count):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, count_of(self.count, "value"))

    def items(self):
        for place in range(self.count):
            bucket = self.data.at(self.list[place])
            for row in range(bucket["count"].integer()):
                yield Item(f"[{id_text(bucket['ids']['data_'].at(row))}]", bucket["value"])


class EntityIndexShape(Shape):
    """The locations of living ids, but for those of ranges."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.directory = node["directory_"]
        main = self.directory["main_"]
        self.ids, self.alive, self.retired = Flat(main["ids"]), main["alive"].integer(), main["retired"].integer()
        self.dead = main["count"].integer() - self.alive
        if self.dead < 0 or not self.ids.covers(self.alive + self.dead):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.alive, f"{self.dead} dead, {self.retired} retired")

    def items(self):
        pages = self.directory["pages_"]
        found, page_type = dict(sparse_pages(self.node, pages)), pages["near_"]["data_"].at(0).pointee()
        for row in range(self.alive):
            each = self.ids.data.at(row)
            index = handle_parts(each)[0]
            places = self.node.value_at(next(iter(found.values())), page_type)["places"]
            slots = places.size() // places.at(0).size()
            locations = self.node.value_at(found[index // slots], page_type)["locations"]
            yield Item(f"[{id_text(each)}]", locations.at(index % slots))


class PagesShape(Shape):
    """SecondaryMap: pages of up to 64 entries, near ones in an array, far ones in a std::map."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.size, pages = self.node["size_"].integer(), self.node["pages_"]
        self.slots = 1 << max(0, min(6, (1024 // self.node.size_of(self.node.argument(1))).bit_length() - 1))  # page_slots
        self.near, self.count = Flat(pages["near_"]), pages["count_"].integer()
        if not (self.size <= self.count * self.slots and max(self.count, self.near.size) <= NO_SLOT // self.slots + 1 and
                self.near.covers(self.near.size)):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, f"{count_of(self.count, 'page')} of {self.slots}")

    def items(self):
        kind, page_type = self.node.argument(1), self.near.data.at(0).pointee()
        left = self.size
        for number, address in sparse_pages(self.node, self.node["pages_"]):
            page = self.node.value_at(address, page_type)
            memory, versions, size = page["memory"].address(), page["versions"], self.node.size_of(kind)
            width = versions.size() // self.slots
            for i in bits_of([page["live"].integer()], self.slots):
                if left == 0:
                    raise Damaged("there are more entries than it counts")
                left -= 1
                version = next(numbers(self.node, versions.address(), i, 1, width))
                value = self.node.value_at(memory + i * size, kind)
                yield Item(f"[{number * self.slots + i}v{version}]", value)


class NumbersShape(PagesShape):
    """IndexMap: a SecondaryMap whose slots are the ids; all have one version."""

    def __init__(self, node, name):
        super().__init__(node["entries_"], name)

    def items(self):
        for item in super().items():
            yield Item(item.name.replace("v1]", "]"), item.value)


class IdentityShape(Shape):
    """Ids by handle, in the order of the nodes. A node of an even version is free."""

    def __init__(self, node, name):
        super().__init__(node, name)
        nodes = node["nodes_"]
        self.size, self.end = node["by_handle_"]["size_"].integer(), nodes["end_"].integer()
        if not self.size <= nodes["used_"].integer() <= self.end <= ArrayShape(nodes["array_"], name).capacity():
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, count_of(self.end, "node"))

    def items(self):
        node = column(self.node["nodes_"]["array_"])
        for number in range(self.end):
            if handle_parts(node(number)["handle"])[1] & 1:
                yield Item(f"[{handle_text(node(number)['handle'])}]", node(number)["id"])


class SparseShape(Shape):
    def __init__(self, node, name):
        super().__init__(node, name)
        self.size, self.capacity = node["size_"].integer(), node["values_"]["capacity_"].integer()
        self.handles = Flat(node["handles_"])
        if not (self.size <= self.capacity and self.handles.covers(self.size)):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, f"capacity {self.capacity}")

    def items(self):
        for row in range(self.size):
            yield Item(f"[{handle_text(self.handles.data.at(row))}]", self.node["values_"]["data_"].at(row))


class SetShape(Shape):
    """SetStorage, AnySetStorage: keys by handle."""
    hint = "array"

    def __init__(self, node, name):
        super().__init__(node, name)
        self.directory = Directory(node["core_"]["directory"])

    def summary(self):
        return self.title(self.directory.size, self.directory.told())

    def items(self):
        key = column(self.node["core_"]["store"]["keys"]["keys_"])
        for slot in self.directory.slots():
            yield Item(self.directory.handle(slot), key(slot))


class MapShape(SetShape):
    """MapStorage, AnyMapStorage: a set of keys whose first column is the values."""
    hint = "map"

    def items(self):
        value = column(next(tuple_elements(self.node["core_"]["hub"]["static_"]))["values_"])
        for item in super().items():
            yield Item(item.name, value(int(item.name[1:item.name.index("v")])), item.value)


def time_text(node):
    """A time; the lowest number is "never"."""
    text = node.text()
    lowest = str(-(1 << 8 * node.size() - 1))
    return "never" if text == lowest else text


class SeriesMixin:
    """TSSStorage, TSDStorage: what is inside, and the open window."""

    def __init__(self, node, name):
        self.series = node["state_"]
        super().__init__(self.series["store_"], name)

    def summary(self):
        tracker = next(each for each in tuple_elements(self.node["core_"]["hub"]["static_"]) if class_of(each.name)[0] == "DeltaTracker")
        text = f"{super().summary()}, window {time_text(tracker['now_']['window'])}"
        unset = self.series["unset_"].integer()
        return text + (f", {unset} without a value" if unset else "")


class TSSShape(SeriesMixin, SetShape):
    pass


class TSDShape(SeriesMixin, MapShape):
    pass


class ViewShape(Shape):
    """A view of a container whose type it has forgotten: the name of the table of calls knows it."""

    def __init__(self, node, name):
        super().__init__(node, name)
        (_, calls), (_, container) = sorted(((n, p) for n, p in node.parts()), key=lambda part: part[0] != "calls_")
        symbol = node.symbol(calls.integer())
        made = re.search(r"\b\w*calls(?:_of)?<", symbol)
        self.seen, self.text = None, "?"
        if made:
            kind = arguments(symbol[made.end():closing(symbol, made.end() - 1)])[0]
            self.text = title_of(kind)
            found = node.linker_type(kind)
            if found is not None and container.integer():
                self.seen = shape_of(node.value_at(container.integer(), found))
        self.hint = self.seen.hint if self.seen else None

    def summary(self):
        return f"{self.name} of {self.seen.summary() if self.seen else self.text}"

    def items(self):
        return self.seen.items() if self.seen else iter(())


class OccupancyShape(Shape):
    hint = "array"

    def __init__(self, node, name):
        super().__init__(node, name)
        bits = node["occupancy_"] if node.has("occupancy_") else node
        self.words, self.slots = bits["words_"].integer(), bits["slots_"].integer()
        if self.slots > NO_SLOT:
            raise Damaged("more slots than there can be")

    def summary(self):
        return f"{self.name} over {count_of(self.slots, 'slot')}"

    def items(self):
        for place, slot in enumerate(live_slots(self.node, self.words, self.slots)):
            yield Item(f"[{place}]", self.node.number(slot))


class ColumnViewShape(Shape):
    def __init__(self, node, name):
        super().__init__(node, name)
        directory = node["directory_"]
        self.live = OccupancyShape(directory["live"], name)
        self.versions, self.width = directory["versions"].integer(), directory["version_bytes"].integer()

    def summary(self):
        return self.live.summary()

    def items(self):
        value = column(self.node["values_"])
        for slot in live_slots(self.node, self.live.words, self.live.slots):
            version = next(numbers(self.node, self.versions, slot, 1, self.width))
            yield Item(f"[{slot}v{version}]", value(slot))


class AnyColumnViewShape(Shape):
    """A view of a type-erased column. Where its values lie only the function behind it knows."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.live = OccupancyShape(node["directory_"]["live"], name)

    def summary(self):
        return self.live.summary()

    def items(self):
        return self.live.items()


class ArrayShape(Shape):
    """Raw memory: how much, but not which of it is alive."""

    def capacity(self):
        if self.node.has("committed_"):
            return self.node["committed_"].integer() // self.node["data_"].pointee_size()
        if self.node.has("capacity_"):
            return self.node["capacity_"].integer()
        return self.node["known_"]["pages"].integer() * page_slots(self.node)

    def summary(self):
        return f"{self.name}, capacity {self.capacity()}"


class ValueArrayShape(Shape):
    """A column. Which slots have values it knows only where their destruction matters."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.alive = Flat(node["alive_"])
        self.capacity = ArrayShape(node["values_"], name).capacity()
        if not self.alive.covers(self.alive.size) or self.capacity > NO_SLOT + 1:
            raise Damaged("its counts contradict each other")

    def summary(self):
        return f"{self.name}, capacity {self.capacity}"

    def items(self):
        value = column(self.node["values_"])
        for slot in live_slots(self.node, self.alive.data.integer(), self.alive.size * WORD):
            yield Item(f"[{slot}]", value(slot))


class DirectoryShape(Shape):
    """Live slots and their versions: a directory, or what has nothing else."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.directory = Directory(node["core_"]["directory"] if node.has("core_") else node)

    def summary(self):
        return self.title(self.directory.size, self.directory.told())

    def items(self):
        for slot in self.directory.slots():
            yield Item(self.directory.handle(slot), self.directory.versions.data.at(slot))


class IndexShape(Shape):
    """A hash index: the slots in it, in the order of the table."""
    hint = "array"
    places, group = 12, 64

    def __init__(self, node, name):
        super().__init__(node, name)
        self.size, self.groups = node["size_"].integer(), Flat(node["storage_"])
        if self.size > self.groups.size * self.places or not self.groups.covers(self.groups.size):
            raise Damaged("its counts contradict each other")

    def summary(self):
        return self.title(self.size, count_of(self.groups.size, "group"))

    def items(self):
        place = 0
        for number in range(self.groups.size):
            group = self.node.read(self.groups.data.integer() + number * self.group, self.group)
            for i in range(self.places):
                if group[i]:
                    slot = int.from_bytes(group[16 + 4 * i:20 + 4 * i], "little")
                    yield Item(f"[{place}]", self.node.number(slot))
                    place += 1


class Delta:
    """DeltaWords: what one window has touched."""
    parts = ("touched", "added", "removed", "modified", "dropped", "reset")

    def __init__(self, node):
        self.node, self.slots, self.plain = node, node["slot_count"].integer(), node["values_only"].integer() != 0
        self.window = time_text(node["window"])
        if self.slots > NO_SLOT + 1 or self.slots % WORD:
            raise Damaged("more slots than there can be")

    def words(self, part):
        """The words of DeltaWords::select(w, part)."""
        count = self.slots // WORD
        arrays = [numbers(self.node, self.node[name].integer(), 0, count, 8) for name in ("touched", "live")]
        truth = numbers(self.node, self.node["opening"].integer(), 0, 4 * count, 8)
        for touched, live in zip(*arrays):
            was_vacant, was_invalid, ended, renewed = (next(truth) for _ in range(4))
            if self.plain:
                yield touched if part in ("touched", "modified") else 0
                continue
            yield touched & {"touched": -1, "added": live & (was_vacant | ended), "removed": ~was_vacant & (~live | ended), "modified": live,
                             "dropped": ~was_invalid & (~live | ended), "reset": live & ~was_vacant & renewed}[part]

    def selected(self, part):
        return bits_of(self.words(part), self.slots)


class TrackerShape(Shape):
    hint = "array"

    def __init__(self, node, name):
        super().__init__(node, name)
        self.delta = Delta(node["now_"])
        if Flat(node["touched_"]).size * WORD != self.delta.slots:
            raise Damaged("its counts contradict each other")

    def summary(self):
        counts = ", ".join(f"{sum(1 for _ in self.delta.selected(part))} {part}" for part in ("touched", "added", "removed"))
        return f"{self.name}, window {self.delta.window}: {counts}"

    def items(self):
        for place, slot in enumerate(self.delta.selected("touched")):
            yield Item(f"[{place}]", self.node.number(slot))


class DeltaRangeShape(Shape):
    def __init__(self, node, name):
        super().__init__(node, name)
        part = node["part_"].integer()
        if part >= len(Delta.parts):
            raise Damaged("there is no such part of a delta")
        self.part, self.window = Delta.parts[part], time_text(node["window_"])
        words = node["words_"]
        self.delta = Delta(words.at(0)) if words.integer() else None
        self.columns = list(tuple_elements(node["columns_"]))
        self.hint = "map" if len(self.columns) == 2 else None

    def summary(self):
        return f"{self.name} of what window {self.window} has {self.part}"

    def items(self):
        if self.delta is None or self.delta.window != self.window or self.window == "never":
            return
        values, stamps = [column(each) for each in self.columns], self.node["stamps_"]
        stamp = column(stamps) if stamps["pages"].integer() else None
        for slot in self.delta.selected(self.part):
            if stamp is None or stamp(slot).text() == self.node["stamp_"].text():
                found = [value(slot) for value in values] or [self.node.number(slot)]
                yield Item(f"[{slot}]", found[-1], found[0] if len(found) == 2 else None)


class AnyDeltaRangeShape(DeltaRangeShape):
    """The slots of the changes. Where keys and values lie only the functions behind it know."""

    def __init__(self, node, name):
        super().__init__(node["slots_"], name)


class ObserversShape(Shape):
    def summary(self):
        return self.name + ("" if self.node["registry_"].integer() else " without subscribers")

    def items(self):
        if self.node["registry_"].integer():
            for name in ("by_key", "by_slot"):
                yield Item(name, self.node["registry_"].at(0)[name])


class TokenShape(Shape):
    def summary(self):
        return f"{self.name}, " + ("attached" if self.node["cell_"].integer() else "detached")

    def items(self):
        if self.node["cell_"].integer():
            yield Item("observer", self.node["observer_"])


class RowShape(Shape):
    """SoaRow, RowRef, StructRef: a tuple."""

    def items(self):
        base = self.node.parts()[0][1]
        while class_of(base.name)[0]:
            base = base.parts()[0][1]
        for number, element in enumerate(tuple_elements(base)):
            yield Item(f"<{number}>", element)


class RowPointerShape(Shape):
    """SoaPointer: a tuple of pointers."""

    def __init__(self, node, name):
        super().__init__(node, name)
        self.members = list(tuple_elements(node["members_"]))

    def summary(self):
        return self.name + ("" if self.members[0].integer() else " null")

    def items(self):
        for number, member in enumerate(self.members if self.members[0].integer() else ()):
            yield Item(f"<{number}>", member.at(0))


SHAPES = {
    "Handle": HandleShape, "PublicId": PublicIdShape, "Versioned": VersionedShape,
    "SlotMap": SlotMapShape, "DenseSlotMap": SlotMapShape, "BasicSoaSlotMap": SlotMapShape, "SlotMapInterface": SlotMapShape, "BasicAnySlotMap": SlotMapShape,
    "SecondaryMap": PagesShape, "IndexMap": NumbersShape, "SparseSecondaryMap": SparseShape, "IdentityMap": IdentityShape,
    "SetStorage": SetShape, "KeyedInterface": SetShape, "BasicAnySetStorage": SetShape,
    "MapStorage": MapShape, "BasicAnyMapStorage": MapShape,
    "HashIndex": IndexShape, "PortableHashIndex": IndexShape, "GroupIndex": IndexShape,
    "BoostIndex": TableIndexShape, "RobinIndex": TableIndexShape, "AnkerlIndex": TableIndexShape,
    "SetView": ViewShape, "MapView": ViewShape, "TSSView": ViewShape, "TSDView": ViewShape,
    "TSSStorage": TSSShape, "TSDStorage": TSDShape, "TSSWriter": WriterShape, "TSDWriter": WriterShape,
    "DeltaTracker": TrackerShape, "DeltaRange": DeltaRangeShape, "ObserverArray": ObserversShape,
    "Occupancy": OccupancyShape, "SlotRange": OccupancyShape, "ColumnView": ColumnViewShape,
    "ValueArray": ValueArrayShape, "TimeArray": ValueArrayShape, "DynamicColumn": DynamicColumnShape,
    "PagedArray": ArrayShape, "ReservedArray": ArrayShape, "AlignedArray": ArrayShape,
    "SlotDirectory": DirectoryShape, "HandlePool": DirectoryShape, "BasicObserverToken": TokenShape, "SoaRow": RowShape, "SoaPointer": RowPointerShape,
    "BasicSoaVector": SoaVectorShape, "BasicSoaStruct": SoaVectorShape, "RowRef": RowShape, "StructRef": RowShape,
    "DescribedValue": DescribedValueShape, "BasicAnyColumnView": AnyColumnViewShape, "BasicAnyTSSStorage": TSSShape, "BasicAnyTSDStorage": TSDShape,
    "AnyTSSWriter": WriterShape, "AnyTSDWriter": WriterShape, "AnyDeltaRange": AnyDeltaRangeShape,
    "BasicAnyRows": AnyRowsShape, "BasicAnySpan": AnySpanShape, "BasicBitColumn": BitsShape, "BasicTickColumn": TicksShape,
    "SparseSet": SparseSetShape, "SparseMap": SparseSetShape, "SparseGroup": SparseGroupShape,
    "ComponentId": ComponentIdShape, "Table": TableShape, "ArchetypeStore": StoreShape, "EventQueue": EventQueueShape,
    "DataflowGraph": DataflowShape,
    "SwitchMap": SwitchMapShape, "EntityIndex": EntityIndexShape,
}


class Broken(Shape):
    """What is shown of an object that is no sound one; the debugger can still show its raw members."""

    def __init__(self, node, name, reason):
        super().__init__(node, name)
        self.reason = reason

    def summary(self):
        return f"{self.name} (damaged: {self.reason})"


def reason_of(error):
    return str(error).split("\n", 1)[0] or type(error).__name__


def knows(name):
    return class_of(name)[0] in SHAPES


def shape_of(node):
    """The shape of a node whose class is known here. Whatever it meets, it answers."""
    name = title_of(node.name)
    try:
        shape = SHAPES[class_of(node.name)[0]](node, name)
        shape.text = shape.summary()
        return shape
    except Exception as error:  # a debugger has its own errors for memory that is not there
        broken = Broken(node, name, reason_of(error))
        broken.text = broken.summary()
        return broken


def status(container, handle):
    """What a handle is worth in a container: a word of HandleStatus."""
    slot, version, _ = handle_parts(handle)
    if handle_text(handle) == "null":
        return "null"
    if class_of(container.name)[0] in ("TSSStorage", "TSDStorage", "BasicAnyTSSStorage", "BasicAnyTSDStorage"):
        container = container["state_"]["store_"]
    return Directory(container["core_"]["directory"]).status(slot, version)


def marked(container, handle):
    """A handle as text, and how it stands in the container unless it is live: "1v1 (stale)"."""
    word = status(container, handle)
    return handle_text(handle) + ("" if word in ("live", "null") else f" ({word})")
