# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""World: entities with components of any schema, and queries over them."""

from __future__ import annotations

import json
import numbers
import typing
from collections.abc import Iterable, Mapping

from . import _attributes, _core, _frames
from ._table import Table

if typing.TYPE_CHECKING:
    import types

    import numpy
    import numpy.typing

    Entities = numpy.typing.NDArray[numpy.uint64]
    #: What an entity gets: a dict of components and values, or a component, tag or pair by itself.
    Given = typing.Union[Mapping[typing.Any, typing.Any], "_core.Term"]

_W = typing.TypeVar("_W", bound="World")

_MAGIC = b"slotwise.World 1\n"


class Commands(_core.CommandBuffer):
    """Changes of a World that are recorded, also while a query is iterated, and carried out by apply().

    Entities that spawn() returns can be named at once, and live after apply(). What happens to one entity is one move
    of its row where one will do. Commands about an entity that has died meanwhile are dropped.

        commands = world.commands()
        for chunk in world.query(health.const):
            commands.despawn_many(chunk.entities[chunk[health.const] <= 0])
        commands.apply()
    """

    def __init__(self, world: World) -> None:
        """Commands for this world."""
        if not _is(world, World):
            raise TypeError(f"world: a World is needed, not {type(world).__name__}")
        super().__init__(world)

    def spawn(self, *components: Given) -> int:
        """A new entity, see World.spawn(). It lives after apply()."""
        return self._spawn(components)

    def spawn_many(self, count: int, *components: Given) -> Entities:
        """New entities, see World.spawn_many()."""
        return self._spawn_many(count, _prepared(components))

    def add(self, entity: int, *components: Given) -> None:
        """Adds components, see World.add()."""
        self._give(entity, components, False)

    def set(self, entity: int, *components: Given) -> None:
        """Gives values, see World.set(); each of them whole."""
        self._give(entity, components, True)

    def remove(self, entity: int, *components: _core.Term) -> None:
        """Removes components, tags and pairs."""
        self._remove(entity, components)

    def add_many(self, entities: typing.Any, *components: Given) -> None:
        """add() of each entity, with values as columns."""
        self._give_many(entities, _prepared(components), False)

    def set_many(self, entities: typing.Any, *components: Given) -> None:
        """set() of each entity, with values as columns."""
        self._give_many(entities, _prepared(components), True)

    def remove_many(self, entities: typing.Any, *components: _core.Term) -> None:
        """remove() of each entity."""
        self._remove_many(entities, components)

    def __enter__(self) -> Commands:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: types.TracebackType | None, /
    ) -> None:
        """Applies them; drops them if an exception leaves the block."""
        if kind is None:
            self.apply()
        else:
            self.clear()


class Query(_core.Query):
    """The entities of a World that have certain components: World.query() makes it, and it may be kept.

    Iterated, it gives a Chunk for each table:

        for chunk in world.query(position, velocity.const):
            chunk[position].x += chunk[velocity.const].x * dt
    """

    to_arrow = _frames.to_arrow
    to_polars = _frames.to_polars
    to_pandas = _frames.to_pandas

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The entities that match and their values, copied, as an Arrow stream: a column "entity", and a struct for
        each component, or one column where it has one leaf."""
        return self._frame().__arrow_c_stream__(requested_schema)


class World(_core.World):
    """Entities, and components of any schema that they get and lose. Entities with the same components share a table,
    in which each field of a component is an array.

        world = slotwise.World()
        position = world.component("position", {"x": "f4", "y": "f4"})
        velocity = world.component("velocity", {"x": "f4", "y": "f4"})
        enemy = world.tag("enemy")
        ship = world.spawn({position: (1, 2), velocity: {"x": 1, "y": 0}}, enemy)
        world.spawn_many(1000, {position: {"x": xs, "y": ys}, velocity: 0})
        for chunk in world.query(position, velocity.const):
            chunk[position].x += chunk[velocity.const].x * dt

    An entity is an int of 64 bits, and arrays of entities are uint64. The number of an entity that was despawned stays
    stale for ever. Arrays of chunks are the memory of the tables: while one is alive, or a query is iterated, entities
    and what they have can not change, which raises BufferError or RuntimeError; commands() records such changes for
    later. Values may be set at any time.
    """

    def relation(
        self,
        name: str,
        *,
        exclusive: bool = False,
        sparse: bool = False,
        acyclic: bool = False,
        on_target_despawn: str = "remove",
    ) -> _core.Relation:
        """The relation of this name between entities; it is made if there is none.

        exclusive: an entity has one target at most. sparse: its pairs are in no table, for relations that change often
        or have many targets. acyclic: a pair is refused by which an entity would be related to itself.
        on_target_despawn: what happens to those whose target ends: 'remove' takes the pair away, 'despawn' ends them,
        too, 'refuse' raises ValueError. Raises ValueError when the world has something else of this name."""
        return self._relation(name, exclusive, sparse, acyclic, on_target_despawn)

    @property
    def components(self) -> dict[str, _core.Term]:
        """Components, tags and relations by name."""
        return {part.name: part for part in self._parts()}

    # entities

    def spawn(self, *components: Given) -> int:
        """A new entity with these components: dicts of components and values, and components (with default values),
        tags and pairs by themselves. A value of a record is a dict, a tuple, or an object with its attributes. Raises
        TypeError and ValueError that name what does not fit, BufferError and RuntimeError where entities can not
        change."""
        return self._spawn(components)

    def spawn_many(self, count: int, *components: Given) -> Entities:
        """`count` new entities, whose values are columns: a uint64 array of `count` entities.

        The value of a component is a dict of fields, each an array of `count` values or one value for all; a tuple of
        them by position; a structured array or a frame with columns by name; a list of records, each as spawn() takes
        it; or one number for all fields. Arrays are
        those of NumPy, Arrow, Polars or pandas, and lists. Raises ValueError when one has another length, and as
        spawn(); nothing has changed then."""
        return self._spawn_many(count, _prepared(components))

    # components

    def add(self, entity: int, *components: Given) -> None:
        """Adds components, tags and pairs, as spawn() takes them. What the entity has keeps its value. Raises KeyError
        when it does not live."""
        self._give(entity, components, False)

    def set(self, entity: int, *components: Given) -> None:
        """Gives the entity these values, and adds what it has not. A dict of a component that it has may name some
        fields only. A component by itself gets its default value, also where the entity has it. Raises KeyError when
        it does not live."""
        self._give(entity, components, True)

    def remove(self, entity: int, *components: _core.Term) -> None:
        """Removes components, tags and pairs; what the entity has not is ignored. Raises KeyError when it does not
        live."""
        self._remove(entity, components)

    def add_many(self, entities: typing.Any, *components: Given) -> None:
        """add() of each entity, with values as columns, see spawn_many(). Raises KeyError that names the first one
        which does not live; nothing has changed then."""
        self._give_many(entities, _prepared(components), False)

    def set_many(self, entities: typing.Any, *components: Given) -> None:
        """set() of each entity, with values as columns, see spawn_many(). Of an entity that is there twice the last
        values count. Raises as add_many()."""
        prepared = _prepared(components)
        if self.pinned:  # the columns may be arrays of a chunk, which are written here
            prepared = [(term, _copied(source), constants) for term, source, constants in prepared]
        self._give_many(entities, prepared, True)

    def remove_many(self, entities: typing.Any, *components: _core.Term) -> None:
        """remove() of each entity. Raises as add_many()."""
        self._remove_many(entities, components)

    def get(self, entity: int, component: _core.Component, default: typing.Any = None) -> typing.Any:
        """The entity's value of a component, a copy: a record, or one object of a component of one leaf; `default` when
        it does not live or has none."""
        return self._get(entity, component, default, False)

    def __getitem__(self, key: tuple[int, _core.Component]) -> typing.Any:
        """world[entity, component]: as get(). Raises KeyError that says whether the entity or the component is
        missing."""
        entity, component = _entity_and_component(key)
        return self._get(entity, component, None, True)

    def __setitem__(self, key: tuple[int, _core.Component], value: typing.Any) -> None:
        """world[entity, component] = value: as set()."""
        entity, component = _entity_and_component(key)
        self._give(entity, ({component: value},), True)

    def get_many(self, entities: typing.Any, component: _core.Component, *, missing: str = "raise") -> typing.Any:
        """The values of a component of many entities, copied: a dict of arrays by field, or one array of a component of
        one leaf. missing: 'raise' raises KeyError that names the first entity which has none; 'null' masks it, so that
        the arrays are numpy.ma.MaskedArray."""
        if missing not in ("raise", "null"):
            raise ValueError(f"missing: 'raise' or 'null' is needed, not {missing!r}")
        return self._get_many(entities, component, missing == "null")

    # queries and commands

    def query(
        self,
        *terms: _core.Term,
        exclude: _core.Term | Iterable[_core.Term] | None = None,
        optional: _core.Component | Iterable[_core.Component] | None = None,
        either: Iterable[_core.Term] | None = None,
        changed_since: int | None = None,
        changed: _core.Component | Iterable[_core.Component] | None = None,
        parents_first: _core.Relation | None = None,
    ) -> Query:
        """The entities that have all these components, tags and pairs; likes(bob) is a pair, and likes any pair of the
        relation.

        exclude: what they have not. optional: components of which a chunk has None where they are missing. either: of
        which they have at least one. changed_since: only entities of which one of the components `changed` (all
        tracked ones among `terms`, if it is None: not those that are optional, or in `either`) was added or changed
        after this tick, see tick and advance(). parents_first: the order is that parents in this relation come before
        their children."""
        return Query(self, terms, exclude, optional, either, changed_since, changed, parents_first)

    def commands(self) -> Commands:
        """Changes to be recorded now and applied later."""
        return Commands(self)

    def deferred(self) -> Commands:
        """The same for `with world.deferred() as commands:`: they are applied at the end of the block, and dropped if
        an exception leaves it."""
        return Commands(self)

    # the whole

    def snapshot(self) -> bytes:
        """The exact state as bytes: entities and the numbers that come next, components with names and schemas, tags,
        pairs, ticks."""
        parts: list[list[typing.Any]] = []
        for part in self._parts():
            if isinstance(part, _core.Component):
                schema = part.schema
                parts.append(["component", part.name, schema.record is not None, schema.fields, part.tracked])
            elif isinstance(part, _core.Relation):
                parts.append(["relation", part.name, *part._options])
            else:
                parts.append(["tag", part.name])
        head = json.dumps(parts).encode()
        return _MAGIC + len(head).to_bytes(8, "little") + head + self._bytes()

    def restore(self, data: bytes | bytearray | memoryview) -> None:
        """Replaces entities and what they have by those of a snapshot(). Components of it that this world has not are
        made; others of this world stay, without entities. Raises ValueError when the bytes are no snapshot, or a
        component has another schema here, RuntimeError while commands wait, BufferError and RuntimeError where entities
        can not change; nothing has changed then."""
        parts, body = _parts_of(data)
        known = self.components
        for name, make in parts.items():
            if name in known:
                make(self)
        if any(name not in known for name in parts):
            trial = World()
            for make in parts.values():
                make(trial)
            trial._restore(body)
        for make in parts.values():
            make(self)
        self._restore(body)

    __array__ = _frames.no_array

    def _plain_copy(self: _W) -> _W:
        other = _empty(type(self), _described(self))
        other._take_copy(self)
        return other

    def copy(self: _W) -> _W:
        """A copy with the same entities, and the attributes of a class that derives from World. Components of this world
        name those of the copy, too."""
        return _attributes.copied(self)  # type: ignore[no-any-return]

    def __copy__(self: _W) -> _W:
        return self.copy()

    def __deepcopy__(self: _W, memo: dict[int, typing.Any]) -> _W:
        return _attributes.deep(self, memo)  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Pickles by snapshot, with the classes of records and the attributes of a class that derives from World."""
        return _restored, (type(self), _described(self), self._bytes()), _attributes.state_of(self)

    def __repr__(self) -> str:
        count = len(self)
        names = ", ".join(self.components) or "no components"
        return f"<{type(self).__module__}.{type(self).__name__}: {count} {'entity' if count == 1 else 'entities'}, {names}>"


def _is(value: typing.Any, kinds: typing.Any) -> bool:
    """isinstance() of what may be anything, and stays that for type checkers."""
    return isinstance(value, kinds)


def _entity_and_component(key: typing.Any) -> tuple[int, _core.Component]:
    if not _is(key, tuple) or len(key) != 2:
        raise TypeError("key: world[entity, component] is needed")
    entity, component = key
    return entity, component


def _described(world: World) -> list[tuple[typing.Any, ...]]:
    parts: list[tuple[typing.Any, ...]] = []
    for part in world._parts():
        if isinstance(part, _core.Component):
            parts.append(("component", part.name, part.schema, part.tracked))
        elif isinstance(part, _core.Relation):
            parts.append(("relation", part.name, *part._options))
        else:
            parts.append(("tag", part.name))
    return parts


def _make_parts(world: World, parts: list[tuple[typing.Any, ...]]) -> None:
    for role, name, *options in parts:
        if role == "component":
            world.component(name, options[0], tracked=options[1])
        elif role == "relation":
            world._relation(name, *options)
        else:
            world.tag(name)


def _empty(cls: type[_W], parts: list[tuple[typing.Any, ...]]) -> _W:
    world: _W = _attributes.made(cls)
    _make_parts(world, parts)
    return world


def _restored(cls: type[_W], parts: list[tuple[typing.Any, ...]], body: bytes) -> _W:
    world = _empty(cls, parts)
    world._restore(body)
    return world


def _term(world: World, name: str, target: int | None, const: bool) -> _core.Term:
    """What a pickle says of a component, tag, relation or pair."""
    term = world.components[name]
    if isinstance(term, _core.Relation) and target is not None:
        return term(target)
    return term.const if isinstance(term, _core.Component) and const else term


def _parts_of(data: typing.Any) -> tuple[dict[str, typing.Callable[[World], typing.Any]], memoryview]:
    """What a snapshot has, each as a function that makes it in a world or raises ValueError; and the bytes of the
    store."""

    def refused(why: str) -> ValueError:
        return ValueError(f"data: this is no snapshot of a World: {why}")

    try:
        view = memoryview(data).cast("B")
    except TypeError:
        what = type(data).__name__
        raise TypeError(f"data: bytes, or an object with their buffer protocol, are needed, not {what}") from None
    begin = len(_MAGIC) + 8
    if bytes(view[: len(_MAGIC)]) != _MAGIC or len(view) < begin:
        raise refused("it begins otherwise")
    size = int.from_bytes(view[len(_MAGIC) : begin], "little")
    if size > len(view) - begin:
        raise refused("the bytes end too early")
    try:
        listed: typing.Any = json.loads(bytes(view[begin : begin + size]))
    except (ValueError, RecursionError):
        raise refused("its list of components is damaged") from None
    parts: dict[str, typing.Callable[[World], typing.Any]] = {}
    blank = World()
    for each in listed if _is(listed, list) else [None]:
        try:
            name, make = _part_of(each)
            make(blank)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError):
            raise refused("its list of components is damaged") from None
        if name in parts:
            raise refused(f"'{name}' is there twice")
        parts[name] = make
    return parts, view[begin + size :]


def _part_of(described: typing.Any) -> tuple[str, typing.Callable[[World], typing.Any]]:
    role, name, *options = described
    if not isinstance(name, str):
        raise TypeError
    if role == "tag":
        () = options
        return name, lambda world: world.tag(name)
    if role == "relation":
        exclusive, sparse, acyclic, policy = options
        return name, lambda world: world._relation(name, exclusive, sparse, acyclic, policy)
    if role != "component":
        raise ValueError
    record, fields, tracked = options
    tree: dict[str, typing.Any] = {}
    for path, spelled in fields.items():
        *structs, last = path.split(".")
        inner = tree
        for each in structs:
            inner = inner.setdefault(each, {})
        if last in inner or not isinstance(spelled, str):
            raise ValueError
        inner[last] = spelled
    schema = _core.Schema(tree if record else tree["value"])
    if list(schema.fields.items()) != list(fields.items()) or not isinstance(tracked, bool):
        raise ValueError
    return name, lambda world: world.component(name, schema, tracked=tracked)


def _prepared(components: tuple[typing.Any, ...]) -> list[tuple[typing.Any, typing.Any, typing.Any]]:
    """(term, source of columns or None, values that are one for all by path or None) of each."""
    prepared: list[tuple[typing.Any, typing.Any, typing.Any]] = []
    for each in components:
        if _is(each, _core.Term):
            prepared.append((each, None, None))
            continue
        if not _is(each, Mapping):
            raise TypeError(
                "components: a dict of components and values, or a component, tag or pair, is needed, not "
                + type(each).__name__
            )
        for term, value in each.items():
            if _is(term, _core.Component):
                prepared.append((term, *_split(term, value)))
            elif value is None or value is True:
                prepared.append((term, None, None))
            else:
                name = getattr(term, "name", "components")
                raise TypeError(f"{name}: what is no component has no value; give None or True")
    return prepared


def _split(component: _core.Component, value: typing.Any) -> tuple[typing.Any, dict[str, typing.Any]]:
    lengths = component._lengths
    names = list(dict.fromkeys(path.partition(".")[0] for path in lengths))
    constants: dict[str, typing.Any] = {}
    if component.schema.record is None:
        if _is(value, Mapping) and list(value) == ["value"]:
            value = value["value"]
        if _is_one(value, lengths["value"]):
            return None, {"value": value}
        return value, constants
    if _is(value, (numbers.Number, str, bytes)) or getattr(value, "ndim", None) == 0:
        return None, dict.fromkeys(lengths, value)
    columns: dict[str, typing.Any] = {}

    def take(prefix: str, inner: list[str], value: typing.Any) -> None:
        members: dict[str, typing.Any]
        if _is(value, Mapping):
            for name in value:
                if name not in inner:
                    where = f"field {prefix[:-1]!r}: " if prefix else ""
                    raise ValueError(
                        f"{component.name}: {where}{name!r} is no field; a record has {', '.join(inner)}"
                    )
            members = dict(value)
        elif _is(value, tuple):
            if len(value) != len(inner):
                raise ValueError(
                    f"{component.name}: {len(inner)} columns are needed, {', '.join(inner)}, not {len(value)}"
                )
            members = dict(zip(inner, value))
        else:
            members = {name: getattr(value, name) for name in inner}
        for name, member in members.items():
            path = prefix + name
            if path in lengths:
                (constants if _is_one(member, lengths[path]) else columns)[path] = member
                continue
            below = [each[len(path) + 1 :] for each in lengths if each.startswith(path + ".")]
            if _is(member, (numbers.Number, str, bytes)):
                constants.update((f"{path}.{each}", member) for each in below)
            elif _has_members(member, below):
                take(path + ".", list(dict.fromkeys(each.partition(".")[0] for each in below)), member)
            else:
                columns[path] = member

    if _is(value, list):
        return _rows(component, value), constants
    if not _has_members(value, names):
        return value, constants
    take("", names, value)
    return columns or None, constants


def _rows(component: _core.Component, values: list[typing.Any]) -> Table[typing.Any]:
    """A list of records, each as spawn() takes it, as columns."""
    rows: Table[typing.Any] = Table(component.schema)
    try:
        rows.extend(values)
    except (TypeError, ValueError, OverflowError) as error:
        if type(error) not in (TypeError, ValueError, OverflowError):
            raise
        raise type(error)(f"{component.name}: {error}") from None
    return rows


def _copied(source: typing.Any) -> typing.Any:
    import numpy

    if _is(source, dict):
        return {name: _copied(each) for name, each in source.items()}
    return source.copy() if _is(source, numpy.ndarray) else source


def _has_members(value: typing.Any, names: list[str]) -> bool:
    if _is(value, (Mapping, tuple)):
        return True
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__") or hasattr(value, "__array__"):
        return False
    return not _is(value, list) and all(hasattr(value, name.partition(".")[0]) for name in names)


def _is_one(value: typing.Any, length: int) -> bool:
    """Whether it is one value for all rows, and no column."""
    if value is None or _is(value, (str, bytes, numbers.Number)) or not hasattr(value, "__iter__"):
        return True
    ndim = getattr(value, "ndim", None)
    if ndim is None and length:
        import numpy

        ndim = numpy.ndim(value) if _is(value, (list, tuple)) else None
    if ndim is None:
        return False
    return bool(ndim < (2 if length else 1))
