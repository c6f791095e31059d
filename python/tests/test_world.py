# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""World: entities with components of any schema, against a dict of dicts."""

import copy
import dataclasses
import gc
import inspect
import pathlib
import pickle
import subprocess
import sys
import typing
import weakref

import numpy as np
import pytest
import slotwise
from hypothesis import given, settings
from hypothesis import strategies as st


class Game:
    """A world with components of several kinds."""

    def __init__(self):
        world = self.world = slotwise.World()
        self.position = world.component("position", {"x": "f4", "y": "f4"}, tracked=True)
        self.velocity = world.component("velocity", {"x": "f4", "y": "f4"})
        self.health = world.component("health", int, tracked=True)
        self.name = world.component("name", str)
        self.enemy = world.tag("enemy")
        self.likes = world.relation("likes")


@pytest.fixture
def game():
    return Game()


# ---- one entity ----


def test_an_entity_has_what_it_was_given(game):
    w = game.world
    ship = w.spawn({game.position: (1, 2), game.velocity: {"x": 3, "y": 4}, game.enemy: None}, game.health)
    assert isinstance(ship, int) and ship in w and w.alive(ship) and len(w) == 1
    assert w[ship, game.position] == (1, 2) and w[ship, game.velocity].y == 4 and w[ship, game.health] == 0
    assert w.has(ship, game.enemy) and not w.has(ship, game.name)
    assert w.get(ship, game.name) is None and w.get(ship, game.name, "nobody") == "nobody"
    assert {term.name for term in w.terms_of(ship)} == {"position", "velocity", "health", "enemy"}


def test_add_keeps_and_set_replaces(game):
    w = game.world
    one = w.spawn({game.health: 1})
    w.add(one, {game.health: 2, game.name: "one"}, game.enemy)
    assert w[one, game.health] == 1 and w[one, game.name] == "one" and w.has(one, game.enemy)
    w.set(one, {game.health: 3, game.position: (1, 2)})
    assert w[one, game.health] == 3 and w[one, game.position] == (1, 2)
    w.set(one, {game.position: {"y": 5}})
    assert w[one, game.position] == (1, 5)
    w[one, game.health] = 7
    assert w[one, game.health] == 7
    w.remove(one, game.position, game.enemy, game.velocity)
    assert not w.has(one, game.position) and not w.has(one, game.enemy) and w[one, game.name] == "one"
    with pytest.raises(ValueError, match="position: the entity has none yet, and the field 'y' is missing"):
        w.set(one, {game.position: {"x": 5}})
    assert not w.has(one, game.position)


def test_a_stale_entity_never_resolves(game):
    w = game.world
    old = w.spawn({game.health: 1})
    assert w.despawn(old) and not w.despawn(old)
    new = w.spawn({game.health: 2})
    assert old != new and old not in w and not w.alive(old)
    assert w.get(old, game.health) is None and not w.has(old, game.health)
    for change in (
        lambda: w.add(old, game.enemy),
        lambda: w.set(old, {game.health: 3}),
        lambda: w.remove(old, game.health),
        lambda: w.relate(old, game.likes, new),
        lambda: w.relate(new, game.likes, old),
        lambda: w[old, game.health],
        lambda: w.terms_of(old),
        lambda: w.clone(old),
        lambda: w.add_many([new, old], game.enemy),
        lambda: w.set_many([new, old], {game.health: 5}),
        lambda: w.remove_many([new, old], game.health),
        lambda: w.get_many([new, old], game.health),
        lambda: w.relate_many([new, old], game.likes, new),
    ):
        with pytest.raises(KeyError, match=str(old)):
            change()
    assert w[new, game.health] == 2 and not w.has(new, game.enemy)
    for nobody in (0, 2**64 - 1, 12345):
        assert nobody not in w and w.get(nobody, game.health) is None and not w.despawn(nobody)
    assert "x" not in w and 1.5 not in w and None not in w


def test_a_world_says_what_does_not_fit(game):
    w = game.world
    for error, text, call in (
        (TypeError, "position", lambda: w.spawn({game.position: 1})),
        (ValueError, "position", lambda: w.spawn({game.position: {"x": 1}})),
        (ValueError, "position", lambda: w.spawn({game.position: {"x": 1, "y": 2, "z": 3}})),
        (TypeError, "health", lambda: w.spawn({game.health: "x"})),
        (OverflowError, "health", lambda: w.spawn({game.health: 2**70})),
        (TypeError, "enemy: a tag has no value", lambda: w.spawn({game.enemy: 5})),
        (TypeError, "components: a component", lambda: w.spawn({"position": (1, 2)})),
        (TypeError, "components", lambda: w.spawn(5)),
        (ValueError, "'health' is there twice", lambda: w.spawn(game.health, {game.health: 1})),
        (ValueError, "likes.*name a target", lambda: w.spawn(game.likes)),
        (TypeError, "entity", lambda: w.add("x", game.enemy)),
        (OverflowError, "entity", lambda: w.add(-1, game.enemy)),
        (TypeError, "entity", lambda: w.get(None, game.health)),
        (TypeError, "component", lambda: w.get(1, None)),
        (TypeError, "component: a component", lambda: w.get(1, game.enemy)),
        (TypeError, "relation", lambda: w.relate(1, game.enemy, 1)),
        (ValueError, "name: 'health' is in this world already", lambda: w.component("health", float)),
        (ValueError, "name: 'health' is in this world already", lambda: w.tag("health")),
        (ValueError, "name", lambda: w.component("a.b", float)),
        (ValueError, "name", lambda: w.tag("")),
        (TypeError, "schema", lambda: w.component("other", object())),
        (ValueError, "on_target_despawn", lambda: w.relation("other", on_target_despawn="x")),
        (TypeError, "tracked", lambda: w.component("other", float, tracked=1)),
        (TypeError, "count", lambda: w.spawn_many("x")),
        (ValueError, "count", lambda: w.spawn_many(-1)),
        (ValueError, "health: 2 rows were given for 3 entities", lambda: w.spawn_many(3, {game.health: [1, 2]})),
        (ValueError, "position: 'z' is no field; a record has x, y", lambda: w.spawn_many(3, {game.position: {"x": 1, "z": 2}})),
        (ValueError, "position: the field 'y' is missing", lambda: w.spawn_many(3, {game.position: {"x": 1}})),
        (TypeError, "entities", lambda: w.despawn_many(["a"])),
        (TypeError, "entities", lambda: w.despawn_many(5)),
        (TypeError, "entities", lambda: w.despawn_many([1.5])),
        (OverflowError, "entities", lambda: w.despawn_many([-1])),
        (ValueError, "missing", lambda: w.get_many([], game.health, missing="x")),
        (TypeError, "terms", lambda: w.query("position")),
        (ValueError, "changed_since", lambda: w.query(game.enemy, changed_since=0)),
        (TypeError, "optional", lambda: w.query(optional=[game.enemy])),
        (KeyError, "entity 0: no entity has this number", lambda: game.likes(0)),
        (KeyError, "entity 99: no entity", lambda: game.likes(99)),
        (KeyError, "entity 99: no entity", lambda: w.commands().relate(1, game.likes, 99)),
        (TypeError, "world", lambda: slotwise.Commands(5)),
    ):
        with pytest.raises(error, match=text) as caught:
            call()
        for word in ("nanobind", "::", "ArchetypeStore"):
            assert word not in str(caught.value)
    assert len(w) == 0 and list(w.components) == ["position", "velocity", "health", "name", "enemy", "likes"]


def test_terms_of_another_world_stand_for_what_has_their_name(game):
    other = game.world.copy()
    one = other.spawn({game.health: 5}, game.enemy)
    assert other[one, game.health] == 5 and other.query(game.health, game.enemy).first() == one
    with pytest.raises(ValueError, match="'health' is of another world"):
        slotwise.World().spawn({game.health: 5})
    strange = slotwise.World()
    strange.component("health", float)
    with pytest.raises(ValueError, match="'health' is of another world"):
        strange.spawn({game.health: 5})


# ---- schemas ----


@dataclasses.dataclass
class Place:
    x: float
    y: float


@dataclasses.dataclass
class Item:
    name: str
    place: Place
    price: typing.Optional[float]
    raw: bytes
    open: bool


def test_records_of_any_schema_come_back(game):
    w = slotwise.World()
    item = w.component("item", Item)
    colour = w.component("colour", ("f4", 3))
    seen = w.component("seen", "datetime64[ns]")
    first = Item("a" * 50, Place(1, 2), None, b"\xff\x00", True)
    one = w.spawn({item: first, colour: [1, 2, 3], seen: np.datetime64(5, "ns")})
    assert w[one, item] == first and list(w[one, colour]) == [1, 2, 3] and w[one, seen] == np.datetime64(5, "ns")
    w.set(one, {item: Item("b", Place(3, 4), 5.5, b"", False)})
    assert w[one, item] == Item("b", Place(3, 4), 5.5, b"", False)
    others = w.spawn_many(
        3,
        {
            item: {
                "name": ["x", "y" * 20, "z"],
                "place": {"x": np.arange(3.0), "y": 7},
                "price": [1.0, None, 3.0],
                "raw": b"?",
                "open": np.array([True, False, True]),
            },
            colour: np.arange(9, dtype="f4").reshape(3, 3),
            seen: np.array([1, 2, 3], "datetime64[ns]"),
        },
    )
    assert w[int(others[1]), item] == Item("y" * 20, Place(1, 7), None, b"?", False)
    assert list(w[int(others[2]), colour]) == [6, 7, 8]
    columns = w.get_many(others, item)
    assert list(columns["name"]) == ["x", "y" * 20, "z"] and list(columns["place.x"]) == [0, 1, 2]
    assert columns["price"].tolist() == [1.0, None, 3.0] and columns["open"].dtype == bool
    assert w.get_many(others, colour).shape == (3, 3) and w.get_many(others, seen).dtype == "datetime64[ns]"

    for chunk in w.query(item, colour, seen):
        assert chunk[item].place.x.tolist() == [3, 0, 1, 2] and chunk[item]["place.y"].tolist() == [4, 7, 7, 7]
        assert chunk[item].name.tolist() == ["b", "x", "y" * 20, "z"] and not chunk[item].name.flags.writeable
        assert chunk[item].raw.tolist() == [b"", b"?", b"?", b"?"]
        assert chunk[item].price.tolist() == [5.5, 1.0, None, 3.0]
        chunk[item].price += 1
        chunk[item].name = "same"
        chunk[item].place = {"x": 9}
        chunk[item].open = ~chunk[item].open
        chunk[colour] *= 2
        chunk[seen] += np.timedelta64(1, "ns")
        assert sorted(dir(chunk[item])) == ["name", "open", "place", "price", "raw"]
    assert w.get_many(others, item)["price"].tolist() == [2.0, None, 4.0]
    assert w[int(others[0]), item] == Item("same", Place(9, 7), 2.0, b"?", False)
    assert list(w[int(others[2]), colour]) == [12, 14, 16] and w[int(others[0]), seen] == np.datetime64(2, "ns")
    for chunk in w.query(item):
        chunk[item].price = np.ma.masked_array([1.0, 2, 3, 4], [False, False, False, True])
        chunk[item].name = ["p", "q", "r", "s"]
    assert [w[int(each), item].price for each in others] == [2, 3, None] and w[int(others[2]), item].name == "s"
    assert pickle.loads(pickle.dumps(w))[one, item] == w[one, item]


def test_columns_come_from_frames_and_arrays(game):
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    w = game.world
    data = {"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0]}
    structured = np.zeros(3, [("x", "f4"), ("y", "f8")])
    structured["x"], structured["y"] = data["x"], data["y"]
    chunked = pyarrow.concat_tables([pyarrow.table(data).slice(0, 1), pyarrow.table(data).slice(1)])
    both = (np.array(data["x"]), data["y"])
    mixed = {"x": pyarrow.array(data["x"]), "y": polars.Series(data["y"])}
    frames = (polars.DataFrame(data), pandas.DataFrame(data))
    for source in (data, pyarrow.table(data), chunked, *frames, structured, both, mixed):
        made = w.spawn_many(3, {game.position: source, game.name: pyarrow.array(["a", "b", "c"])})
        assert [w[e, game.position] for e in made.tolist()] == [(1, 4), (2, 5), (3, 6)]
        assert [w[e, game.name] for e in made.tolist()] == ["a", "b", "c"]
    assert w.spawn_many(2, {game.position: 5}).shape == (2,)
    assert w.spawn_many(0, {game.position: {"x": [], "y": []}}).shape == (0,)
    with pytest.raises((ValueError, TypeError, OverflowError), match="health"):
        w.spawn_many(2, {game.health: [1.5, 2.5]})
    assert len(w) == 26


# ---- many ----


def test_many_entities_change_at_once(game):
    w = game.world
    all_ = w.spawn_many(100, {game.health: np.arange(100)})
    assert all_.dtype == np.uint64 and len(set(all_.tolist())) == 100
    some = all_[::2]
    w.add_many(some, {game.position: {"x": np.arange(50), "y": 1}}, game.enemy)
    assert w.query(game.position, game.enemy).count() == 50
    assert w.get_many(some, game.position)["x"].tolist() == list(range(50))
    w.set_many(all_, {game.health: np.arange(100)[::-1], game.position: (7, 8)})
    assert w.get_many(all_, game.health).tolist() == list(range(100))[::-1] and w[int(all_[1]), game.position] == (7, 8)
    w.set_many(some, {game.position: {"x": 1}})
    assert w[int(some[3]), game.position] == (1, 8)
    w.set_many([int(all_[0]), int(all_[0])], {game.health: [5, 6]})
    assert w[int(all_[0]), game.health] == 6
    w.add_many(all_, {game.health: 0})
    assert w[int(all_[0]), game.health] == 6
    w.remove_many(all_[:10], game.health, game.enemy)
    assert w.has_many(all_, game.health).tolist() == [False] * 10 + [True] * 90
    masked = w.get_many(all_[:12], game.health, missing="null")
    assert masked.mask.tolist() == [True] * 10 + [False] * 2
    assert w.despawn_many(np.concatenate([all_[:5], all_[:5]])) == 5
    assert w.contains_many(all_).tolist() == [False] * 5 + [True] * 95
    assert set(w.entities().tolist()) == set(all_[5:].tolist())
    assert w.query(game.position).despawn_all() == 95 and len(w) == 0


def test_one_that_is_wrong_changes_nothing(game):
    w = game.world
    all_ = w.spawn_many(3, {game.health: 1})
    dead = w.spawn()
    w.despawn(dead)
    before = w.snapshot()
    for call in (
        lambda: w.spawn_many(3, {game.health: [1, 2, 3], game.position: {"x": [1, 2], "y": 0}}),
        lambda: w.spawn_many(3, {game.health: [1, 2, "x"]}),
        lambda: w.set_many(all_, {game.health: 2, game.position: {"x": [1, 2, 3]}}),
        lambda: w.add_many([*all_.tolist(), 77], {game.position: 2}),
        lambda: w.spawn({game.health: 1}, game.likes(dead)),
        lambda: w.spawn_many(2, {game.health: 1}, game.likes(dead)),
        lambda: w.add(int(all_[0]), {game.position: (1, 2)}, game.likes(dead)),
        lambda: w.add_many(all_, game.position, game.likes(dead)),
    ):
        with pytest.raises((ValueError, TypeError, KeyError)):
            call()
        assert w.snapshot() == before


# ---- queries ----


def test_chunks_are_the_tables_without_a_copy(game):
    w, position, velocity = game.world, game.position, game.velocity
    all_ = w.spawn_many(1000, {position: {"x": np.arange(1000), "y": 0}, velocity: (1, 2)})
    for chunk in w.query(position, velocity.const):
        assert len(chunk) == 1000 and chunk.entities.tolist() == all_.tolist()
        x = chunk[position].x
        assert x.dtype == np.float32 and x.flags.writeable and x.flags.c_contiguous and not x.flags.owndata
        assert not chunk[velocity.const].x.flags.writeable and not chunk[velocity].x.flags.writeable
        assert not chunk.entities.flags.writeable
        chunk[position].x += chunk[velocity.const].x * 0.5
        chunk[position].y = 3
        x[0] = 77
        w.set(int(all_[1]), {position: {"x": 88}})
        assert x[1] == 88
        with pytest.raises(ValueError):
            chunk[velocity].x += 1
        with pytest.raises(ValueError, match="const"):
            chunk[velocity].x = 1
        del x
    assert w[int(all_[0]), position] == (77, 3) and w[int(all_[1]), position] == (88, 3)
    assert w[int(all_[9]), position] == (9.5, 3)


@pytest.mark.parametrize(
    "kind, value", [("f8?", 4.5), ("i4?", 7), ("bool?", True), ("datetime64[ms]?", np.datetime64(5, "ms"))]
)
def test_what_is_written_into_an_array_with_nulls_arrives(kind, value):
    """Every way in which NumPy writes into a MaskedArray, against one of its own."""
    w = slotwise.World()
    n = w.component("n", kind)
    all_ = w.spawn_many(8, {n: None})
    own = np.ma.MaskedArray(np.zeros(8, kind[:-1]), mask=True)

    def change(array):
        array[0] = value
        array[2:6] = value
        array[3] = np.ma.masked
        array[4:][1:3] = np.ma.masked
        array[7:].mask = False
        array[array.mask] = value
        array[[1, 2]] = np.ma.masked

    change(own)
    for chunk in w.query(n):
        array = chunk[n]
        assert np.ma.getmaskarray(array).all() and np.shares_memory(array.mask, chunk[n].mask)
        change(array)
        assert chunk[n].tolist() == own.tolist()
        del array
    assert w.get_many(all_, n).tolist() == own.tolist() and [w[e, n] for e in all_.tolist()] == own.tolist()
    assert w.query(n).to_numpy()["n"].tolist() == own.tolist() == w.query(n).to_arrow()["n"].to_pylist()
    restored = slotwise.World()
    restored.restore(w.snapshot())
    assert restored.query(restored.components["n"]).to_numpy()["n"].tolist() == own.tolist()
    for chunk in w.query(n.const):
        with pytest.raises(ValueError, match="read-only"):
            chunk[n][0] = value
        with pytest.raises(ValueError, match="read-only"):
            chunk[n][0] = np.ma.masked
    for chunk in w.query(n):
        mask = chunk[n].mask  # alone it keeps the table, too
    with pytest.raises(BufferError, match="'n'"):
        w.spawn()
    del mask
    w.spawn()


def test_lists_and_texts_with_nulls_are_written_or_refuse():
    w = slotwise.World()
    c = w.component("c", {"pair": "f4[2]?", "text": "str?", "plain": "i2"})
    one, other = w.spawn_many(2, {c: {"pair": None, "text": None, "plain": 1}}).tolist()
    for chunk in w.query(c):
        chunk[c].pair[1, 0] = 5
        assert chunk[c].pair.tolist() == [[None, None], [5, 0]]
        for what in ("a", np.ma.masked, None):
            with pytest.raises(ValueError, match="read-only"):
                chunk[c].text[0] = what
        chunk[c].text = ["a", None]
        chunk[c].pair = chunk[c].pair * 2
    assert w[one, c].text == "a" and w[other, c].text is None
    assert w[one, c].pair is None and list(w[other, c].pair) == [10, 0]


def test_a_flag_that_is_no_0_or_1_is_true_after_a_snapshot(game):
    w = game.world
    flag, maybe = w.component("flag", bool), w.component("maybe", "i4?")
    one = w.spawn({flag: False, maybe: 5})
    for chunk in w.query(flag, maybe):
        chunk[flag].view("u1")[0] = 7
        chunk[maybe].mask.view("u1")[0] = 7
    for other in (w.copy(), pickle.loads(pickle.dumps(w))):
        assert other[one, flag] is True and other[one, maybe] is None
    w.restore(w.snapshot())
    assert w[one, flag] is True and w[one, maybe] is None


def test_queries_include_exclude_and_offer(game):
    w = game.world
    a = w.spawn({game.position: (1, 1), game.health: 5})
    b = w.spawn({game.position: (2, 2)}, game.enemy)
    c = w.spawn({game.position: (3, 3), game.health: 7}, game.enemy)
    d = w.spawn({game.velocity: (3, 3)})

    def found(*terms, **more):
        query = w.query(*terms, **more)
        entities = query.entities().tolist()
        assert query.count() == len(entities) and query.first() == (entities[0] if entities else None)
        assert all((each in query) == (each in entities) for each in (a, b, c, d))
        assert sum(len(chunk) for chunk in query) == len(entities)
        return set(entities)

    assert found() == {a, b, c, d}
    assert found(game.position) == {a, b, c}
    assert found(game.position, exclude=game.enemy) == {a}
    assert found(game.position, game.enemy, exclude=[game.health]) == {b}
    assert found(either=[game.velocity, game.health]) == {a, c, d}
    assert found(game.name) == set()
    healths = {}
    for chunk in w.query(game.position, optional=[game.health.const]):
        values = chunk[game.health]
        for i, entity in enumerate(chunk.entities.tolist()):
            healths[entity] = None if values is None else values[i]
        assert (game.enemy in chunk) == (entity in (b, c))
        del values
    assert healths == {a: 5, b: None, c: 7}


def test_a_chunk_says_what_it_does_not_have(game):
    w = game.world
    w.spawn({game.position: (1, 1), game.health: 5}, game.enemy)
    for chunk in w.query(game.position, game.enemy, optional=game.name):
        for error, text, call in (
            (KeyError, "'health' is not asked for", lambda: chunk[game.health]),
            (TypeError, "enemy: a tag", lambda: chunk[game.enemy]),
            (TypeError, "component", lambda: chunk["position"]),
            (AttributeError, "no field 'z'; it has x, y", lambda: chunk[game.position].z),
            (AttributeError, "no field 'z'", lambda: setattr(chunk[game.position], "z", 1)),
            (KeyError, "'name' is missing in this chunk", lambda: chunk.__setitem__(game.name, "x")),
            (ValueError, "position: 3 rows were given for 1", lambda: setattr(chunk[game.position], "x", [1, 2, 3])),
            (TypeError, "position", lambda: setattr(chunk[game.position], "x", "text")),
        ):
            with pytest.raises(error, match=text):
                call()
        assert not hasattr(chunk[game.position], "z") and "x" not in chunk
        chunk[game.position] = {"x": 5, "y": [6]}
        kept = chunk
    assert w.query(game.position).to_numpy()["position.y"].tolist() == [6]
    for use in (lambda: len(kept), lambda: kept.entities, lambda: kept[game.position], lambda: game.enemy in kept):
        with pytest.raises(RuntimeError, match="a step of the loop that is over"):
            use()


def test_what_changed_since_a_tick_is_found(game):
    w = game.world
    all_ = w.spawn_many(100, {game.position: (0, 0), game.health: 1})
    seen = w.advance()
    assert w.tick == seen + 1
    query = w.query(game.position, changed_since=seen)
    assert query.count() == 0
    w.set(int(all_[3]), {game.position: {"y": 1}})
    w.set_many(all_[50:52], {game.health: 5})
    assert query.entities().tolist() == [all_[3]]
    assert w.query(game.position, game.health, changed_since=seen).entities().tolist() == all_[[3, 50, 51]].tolist()
    assert w.query(game.position, changed=game.health, changed_since=seen).entities().tolist() == all_[50:52].tolist()
    query = w.query(game.position.const, game.health.const, changed_since=seen)
    chunks = [(len(chunk), chunk[game.health].tolist()) for chunk in query]
    assert chunks == [(1, [1]), (2, [5, 5])]

    seen = w.advance()
    for chunk in w.query(game.position.const, game.health):
        chunk[game.position].x, chunk.entities
    assert w.query(game.position, game.health, changed_since=seen).count() == 0
    for chunk in w.query(game.position):
        chunk[game.position].y
    assert w.query(game.position, changed_since=seen).count() == 100
    assert w.query(game.health, changed_since=seen).count() == 0
    still = w.component("still", float)
    with pytest.raises(ValueError, match="'still' is not tracked"):
        w.query(game.position, changed=still, changed_since=seen)


def test_only_rows_of_a_chunk_count_as_changed(game):
    """Each way to name what changed, and each way to write: neighbours in the table stay as they are."""
    w, position, health = game.world, game.position, game.health
    all_ = w.spawn_many(6, {position: (0, 0), health: 1})
    for terms, changed in (
        ((health, position.const), None),
        ((health, position), (health, position)),
        ((health,), health),
        ((health,), None),
        ((health, position), health),
    ):
        for write in (
            lambda chunk: chunk[health],
            lambda chunk: chunk.__setitem__(health, 7),
            lambda chunk: chunk.__setitem__(health, [7] * len(chunk)),
        ):
            seen = w.advance()
            w.set_many(all_[[1, 4, 5]], {health: 5})
            walked = w.advance()
            for chunk in w.query(*terms, changed=changed, changed_since=seen):
                write(chunk)
            found = w.query(health.const, changed_since=walked)
            assert found.entities().tolist() == all_[[1, 4, 5]].tolist()
            assert w.query(position.const, changed_since=walked).count() == 0


def test_a_change_in_a_loop_has_the_tick_of_its_time(game):
    w, health = game.world, game.health
    w.spawn_many(3, {health: 1})
    for chunk in w.query(health):
        chunk[health] = 2
        seen = w.advance()
        chunk[health] = 3
    assert w.query(health, changed_since=seen).count() == 3


def test_a_query_is_a_frame(game):
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    w = game.world
    a = w.spawn({game.position: (1, 2), game.name: "a"})
    b = w.spawn({game.position: (3, 4), game.name: "b", game.health: 5})
    query = w.query(game.position, game.name, optional=game.health)
    columns = query.to_numpy()
    assert list(columns) == ["entity", "position.x", "position.y", "name", "health"]
    assert columns["entity"].tolist() == [a, b] and columns["health"].tolist() == [None, 5]
    assert columns["name"].tolist() == ["a", "b"]
    table = query.to_arrow()
    assert table.to_pylist() == [
        {"entity": a, "position": {"x": 1, "y": 2}, "name": "a", "health": None},
        {"entity": b, "position": {"x": 3, "y": 4}, "name": "b", "health": 5},
    ]
    assert polars.DataFrame(query).height == 2 and query.to_polars()["name"].to_list() == ["a", "b"]
    assert query.to_pandas()["position.y"].tolist() == [2, 4]
    assert pyarrow.table(w.query(game.velocity)).num_rows == 0
    w.despawn(a)
    assert table.num_rows == 2 and columns["position.x"].tolist() == [1, 3]


# ---- pins ----


def test_an_array_that_outlives_its_loop_refuses_changes_of_structure(game):
    w = game.world
    one = w.spawn({game.position: (1, 2)})
    for chunk in w.query(game.position):
        x = chunk[game.position].x
    structural = (
        lambda: w.spawn(),
        lambda: w.spawn_many(5, {game.position: 0}),
        lambda: w.despawn(one),
        lambda: w.despawn_many([one]),
        lambda: w.add(one, game.enemy),
        lambda: w.set(one, {game.health: 3}),
        lambda: w.set_many([one], {game.health: 3}),
        lambda: w.remove(one, game.position),
        lambda: w.remove_many([one], game.position),
        lambda: w.clear(),
        lambda: w.reserve(1000),
        lambda: w.clone(one),
        lambda: w.relate(one, game.likes, one),
        lambda: w.relate_many([one], game.likes, one),
        lambda: w.unrelate(one, game.likes),
        lambda: w.restore(w.snapshot()),
        lambda: w.query(game.position).despawn_all(),
    )
    for call in structural:
        with pytest.raises(BufferError, match=r"are alive \(of 'position'\).*copy\(\).*world.commands\(\)"):
            call()
    assert w.pinned
    w.set(one, {game.position: (5, 6)})  # values move nothing
    w.remove(one, game.health)
    assert x.tolist() == [5]
    view = x[:]
    del x
    with pytest.raises(BufferError):
        w.spawn()
    del view
    assert not w.pinned
    w.spawn_many(1000, {game.position: 0})
    for chunk in w.query(game.position):
        entities = chunk.entities
    with pytest.raises(BufferError, match="entities"):
        w.spawn()
    del entities

    for chunk in w.query(game.position):
        for call in structural:
            with pytest.raises(RuntimeError, match=r"while a query is iterated.*world.commands\(\)"):
                call()
    w.spawn()
    for chunk in w.query(game.position):
        break
    w.spawn()
    with pytest.raises(ZeroDivisionError):
        for chunk in w.query(game.position):
            1 / 0
    w.spawn()
    walk = iter(w.query(game.position))
    with pytest.raises(RuntimeError):
        w.spawn()
    del walk
    w.spawn()


def test_arrays_keep_the_world(game):
    x = None
    w = game.world
    w.spawn_many(10, {game.position: {"x": np.arange(10), "y": 0}})
    for chunk in w.query(game.position):
        x = chunk[game.position].x
    game.world = None
    reference = weakref.ref(w)
    del w
    gc.collect()
    assert reference() is None and x.tolist() == list(range(10))


def test_arrays_of_a_chunk_may_be_what_is_written(game):
    w, position, health = game.world, game.position, game.health
    all_ = w.spawn_many(10, {position: {"x": np.arange(10), "y": np.arange(10) * 10}, health: np.arange(10)})
    for chunk in w.query(position, health):
        x = chunk[position].x
        w.set_many(chunk.entities[::-1], {position: {"x": x}})
        assert x.tolist() == list(range(10))[::-1]
        chunk[position].x = x[::-1]
        assert x.tolist() == list(range(10))
        chunk[position].y = x
        assert chunk[position].y.tolist() == list(range(10))
        chunk[health] = chunk[health][::-1]
        assert chunk[health].tolist() == list(range(10))[::-1]
        for wrong in (x[:5], x[:1]):
            with pytest.raises(ValueError, match="rows were given for 10"):
                chunk[position].x = wrong
        chunk[position].x = x
        chunk[position] = chunk[position]
        del x, wrong
    assert w.get_many(all_, position)["x"].tolist() == list(range(10))


# ---- commands ----


def test_commands_are_recorded_in_a_loop_and_applied_after_it(game):
    w = game.world
    all_ = w.spawn_many(10, {game.health: np.arange(10), game.position: 0})
    commands = w.commands()
    for chunk in w.query(game.health.const):
        commands.despawn_many(chunk.entities[chunk[game.health.const] < 3])
        commands.remove(int(all_[5]), game.position)
        commands.add(int(all_[6]), {game.name: "six"}, game.enemy)
        commands.set(int(all_[7]), {game.health: 77})
        made = commands.spawn({game.position: (1, 2)}, game.likes(int(all_[9])))
        commands.relate(int(all_[8]), game.likes, made)
        many = commands.spawn_many(3, {game.health: [100, 101, 102]})
        commands.set_many(many, {game.name: ["a", "b", "c"]})
        commands.add_many(all_[8:], {game.velocity: (1, 1)})
        commands.remove_many(all_[8:], game.position)
        with pytest.raises(RuntimeError):
            commands.apply()
    assert made not in w and len(w) == 10 and len(commands) > 0
    assert commands.apply() == 0 and len(commands) == 0
    assert len(w) == 11 and made in w and w.targets(made, game.likes).tolist() == [all_[9]]
    assert w.target(int(all_[8]), game.likes) == made
    assert w.contains_many(all_).tolist() == [False] * 3 + [True] * 7
    assert not w.has(int(all_[5]), game.position) and w[int(all_[6]), game.name] == "six"
    assert w[int(all_[7]), game.health] == 77
    assert w.get_many(many, game.name).tolist() == ["a", "b", "c"]
    assert w.get_many(many, game.health).tolist() == [100, 101, 102]
    assert w.has(int(all_[9]), game.velocity) and not w.has(int(all_[9]), game.position)
    commands.despawn(int(all_[9]))
    w.despawn(int(all_[8]))
    commands.set(int(all_[8]), {game.health: 1})
    assert commands.apply() == 1 and int(all_[9]) not in w


def test_deferred_commands_are_applied_at_the_end_or_dropped(game):
    w = game.world
    with w.deferred() as commands:
        for chunk in w.query():
            pass
        one = commands.spawn({game.health: 1})
        assert one not in w
    assert w[one, game.health] == 1
    with pytest.raises(ZeroDivisionError):
        with w.deferred() as commands:
            commands.despawn(one)
            two = commands.spawn()
            1 / 0
    assert one in w and two not in w and len(w) == 1
    commands = w.commands()
    commands.spawn({game.name: "x" * 100})
    with pytest.raises(RuntimeError, match="commands of this world wait"):
        w.restore(w.snapshot())
    commands.clear()
    w.restore(w.snapshot())
    commands.spawn({game.name: "x" * 100})
    del w, commands  # values are freed without being applied
    with pytest.raises(ValueError, match="position"):
        game.world.commands().set(one, {game.position: {"x": 1}})
    with pytest.raises(ValueError, match="position"):
        game.world.commands().set_many([one], {game.position: {"x": 1}})


# ---- relations ----


@pytest.mark.parametrize("options", [{}, {"sparse": True}, {"acyclic": True}, {"sparse": True, "acyclic": True}])
def test_relations_are_found_from_both_sides(options):
    w = slotwise.World()
    number = w.component("number", int)
    child_of = w.relation("child of", exclusive=True, on_target_despawn="despawn", **options)
    root = w.spawn({number: 0})
    children = w.spawn_many(3, {number: 1}, child_of(root))
    grandchild = w.spawn({number: 2}, child_of(int(children[1])))
    assert set(w.sources(child_of, root).tolist()) == set(children.tolist())
    assert w.target(grandchild, child_of) == children[1]
    assert w.ancestors(grandchild, child_of).tolist() == [children[1], root]
    assert set(w.descendants(root, child_of).tolist()) == {*children.tolist(), grandchild}
    assert set(w.query(child_of(root)).entities().tolist()) == set(children.tolist())
    assert w.query(number, child_of).count() == 4 and w.query(number, exclude=child_of).entities().tolist() == [root]
    order = [value for chunk in w.query(number.const, parents_first=child_of) for value in chunk[number].tolist()]
    assert order == [0, 1, 1, 1, 2]
    if options.get("acyclic"):
        with pytest.raises(ValueError, match="related to itself"):
            w.relate(root, child_of, grandchild)
        with pytest.raises(ValueError, match="related to itself"):
            w.add(root, child_of(grandchild))
    w.relate(grandchild, child_of, int(children[2]))
    assert w.targets(grandchild, child_of).tolist() == [children[2]]
    w.add(grandchild, child_of(root))
    assert w.target(grandchild, child_of) == root and w.has(grandchild, child_of) and w.has(grandchild, child_of(root))
    pairs = [term for term in w.terms_of(grandchild) if isinstance(term, slotwise._core.Pair)]
    assert len(pairs) == 1 and pairs[0].target == root and pairs[0].relation == child_of
    w.unrelate(grandchild, child_of)
    assert w.target(grandchild, child_of) is None
    w.relate_many(children, child_of, grandchild)
    w.relate_many(children[:1], child_of, [root])
    assert set(w.sources(child_of, grandchild).tolist()) == set(children[1:].tolist())
    copied = w.copy()
    assert set(copied.sources(child_of, grandchild).tolist()) == set(children[1:].tolist())
    w.despawn(root)
    assert set(w.entities().tolist()) == {grandchild, *children[1:].tolist()}


def test_a_relation_may_refuse_that_its_target_ends():
    w = slotwise.World()
    holds = w.relation("holds", on_target_despawn="refuse")
    a = w.spawn()
    b = w.spawn(holds(a))
    with pytest.raises(ValueError, match=rf"{b} has holds\({a}\), and the relation refuses"):
        w.despawn(a)
    assert a in w and w.despawn_many([b, a]) == 2


@pytest.mark.parametrize("options", [{}, {"sparse": True}, {"exclusive": True}])
def test_a_refused_despawn_of_many_ends_none_and_guards_may_go_along(options):
    w = slotwise.World()
    holds = w.relation("holds", on_target_despawn="refuse", **options)
    of = w.relation("of", on_target_despawn="despawn")
    hit = w.tag("hit")
    a, b, c = w.spawn(hit), w.spawn(hit), w.spawn(hit)
    guard, part = w.spawn(holds(b)), w.spawn(of(guard_of := w.spawn()))
    w.relate(part, holds, c)
    for refused in ([a, b], [b, a], [a, c, part, b], [a, b, guard_of]):
        before = w.snapshot()
        with pytest.raises(ValueError, match=r"^\d+ has holds\(\d+\), and the relation refuses"):
            w.despawn_many(refused)
        assert w.snapshot() == before
    with pytest.raises(ValueError, match="refuses"):
        w.query(hit).despawn_all()
    assert w.snapshot() == before
    copied = w.copy()
    for world, together in ((w, [a, b, c, guard_of, guard]), (copied, [guard, guard_of, c, b, a])):
        assert world.despawn_many(together) == 6 and len(world) == 0 and world._check()
    x, y = w.spawn(), w.spawn()
    w.relate_many([x, y], holds, [y, x])
    with pytest.raises(ValueError, match="refuses"):
        w.despawn_many([x])
    assert w.despawn_many([x, y]) == 2


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_pairs_of_an_acyclic_relation_are_related_all_or_none(data):
    """relate_many() and add_many() against relate() one after the other."""
    options = {"exclusive": data.draw(st.booleans()), "sparse": data.draw(st.booleans())}
    w = slotwise.World()
    under = w.relation("under", acyclic=True, **options)
    all_ = w.spawn_many(6).tolist()
    for _ in range(4):
        some = data.draw(st.lists(st.tuples(st.sampled_from(all_), st.sampled_from(all_)), max_size=5))
        to = data.draw(st.sampled_from(all_))
        entities = [source for source, _ in some]
        for targets, call in (
            ([target for _, target in some], lambda world, own, targets: world.relate_many(entities, own, targets)),
            ([to] * len(some), lambda world, own, targets: world.add_many(entities, own(to))),
        ):
            one_by_one, refused = w.copy(), None
            try:
                for source, target in zip(entities, targets):
                    one_by_one.relate(source, one_by_one.components["under"], target)
            except ValueError as error:
                refused = str(error)
            before = w.snapshot()
            try:
                call(w, under, targets)
            except ValueError as error:
                assert str(error) == refused and w.snapshot() == before
            else:
                assert refused is None
                for entity in all_:
                    other = one_by_one.targets(entity, one_by_one.components["under"])
                    assert sorted(w.targets(entity, under).tolist()) == sorted(other.tolist())


@pytest.mark.parametrize("number", [0, 777, "dead", "foreign"])
def test_an_entity_that_does_not_live_is_named_in_one_way(game, number):
    w, likes = game.world, game.likes
    one = w.spawn()
    if number == "dead":
        number = w.spawn()
        w.despawn(number)
    elif number == "foreign":
        number = slotwise.World().spawn_many(50).tolist()[49]
    calls = [
        lambda: w.relate(one, likes, number),
        lambda: w.relate(number, likes, one),
        lambda: w.spawn(likes(number)),
        lambda: w.spawn_many(2, likes(number)),
        lambda: w.add(one, likes(number)),
        lambda: w.add(number, game.health),
        lambda: w.add_many([one], likes(number)),
        lambda: w.set(number, {game.health: 1}),
        lambda: w.remove(number, game.health),
        lambda: w.unrelate(number, likes, one),
        lambda: w.clone(number),
        lambda: w.terms_of(number),
        lambda: w[number, game.health],
    ]
    if number in (0, 777):
        commands = w.commands()
        calls += [
            lambda: w.unrelate(one, likes, number),
            lambda: w.query(likes(number)),
            lambda: w.has(one, likes(number)),
            lambda: commands.relate(one, likes, number),
            lambda: commands.unrelate(one, likes, number),
            lambda: commands.add(one, likes(number)),
        ]
    before = w.snapshot()
    for call in calls:
        with pytest.raises(KeyError) as error:
            call()
        assert error.value.args[0].startswith(f"entity {number}: ") and w.snapshot() == before


def test_commands_that_are_refused_leave_those_about_others():
    w = slotwise.World()
    holds, hit = w.relation("holds", on_target_despawn="refuse"), w.tag("hit")
    first, target, last = w.spawn_many(3).tolist()
    w.spawn(holds(target))
    commands = w.commands()
    commands.add(first, hit)
    commands.despawn(target)
    commands.add(last, hit)
    with pytest.raises(ValueError, match="refuses"):
        commands.apply()
    assert target in w and w.has(first, hit) and not w.has(last, hit)
    assert commands.apply() == 0 and target in w and w.has(last, hit)


def test_a_cycle_is_refused_in_words_of_python():
    w = slotwise.World()
    under = w.relation("under", acyclic=True)
    a, b = w.spawn_many(2).tolist()
    w.relate(a, under, b)
    words = rf"^with under\({a}\) the entity \({b}\) would be related to itself over others, and the relation is acyclic"
    for call in (
        lambda: w.relate(b, under, a),
        lambda: w.relate_many([b], under, a),
        lambda: w.add(b, under(a)),
        lambda: w.add_many([b], under(a)),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    commands = w.commands()
    commands.relate(b, under, a)
    with pytest.raises(ValueError, match=words):
        commands.apply()


def test_an_unknown_field_is_named_with_its_component(game):
    w, position = game.world, game.position
    inner = w.component("inner", {"at": {"x": float, "y": float}})
    one = w.spawn({position: (0, 0), inner: {"at": (1, 2)}})
    for value in ({"z": 1}, {"x": 1, "z": 1}, {"x": 1, "y": 2, "z": 1}):
        for call in (
            lambda: w.spawn({position: value}),
            lambda: w.add(w.spawn(), {position: value}),
            lambda: w.set(one, {position: value}),
            lambda: w.__setitem__((one, position), value),
            lambda: w.commands().spawn({position: value}),
            lambda: w.spawn_many(2, {position: value}),
            lambda: w.set_many([one], {position: value}),
        ):
            with pytest.raises(ValueError, match="^position: 'z' is no field; a record has x, y"):
                call()
    wrong = {inner: {"at": {"z": 1}}}
    for call in (lambda: w.spawn(wrong), lambda: w.set(one, wrong), lambda: w.spawn_many(2, wrong)):
        with pytest.raises(ValueError, match="^inner: field 'at': 'z' is no field"):
            call()
    with pytest.raises((TypeError, ValueError), match="^position: field 'x'"):
        w.set(one, {position: {"x": "text"}})


def test_columns_may_be_a_list_of_records(game):
    w, position = game.world, game.position
    record = w[w.spawn({position: (5, 6)}), position]
    mixed = w.spawn_many(3, {position: [(1, 2), {"x": 3, "y": 4}, record], game.health: [1, 2, 3]})
    assert w.get_many(mixed, position)["y"].tolist() == [2, 4, 6]
    w.set_many(mixed[:2], {position: [(7, 8), (9, 10)]})
    assert w.get_many(mixed, position)["x"].tolist() == [7, 9, 5]
    with pytest.raises(ValueError, match="position: 1 rows were given for 2 entities"):
        w.spawn_many(2, {position: [(1, 2)]})
    for wrong in ([(1, 2), (3,)], [(1, 2), {"x": 1, "z": 2}], [(1, 2), ("a", 2)], [1, 2]):
        with pytest.raises((TypeError, ValueError), match="^position: "):
            w.spawn_many(2, {position: wrong})


def test_a_component_by_itself_is_set_to_its_default(game):
    w = game.world
    one = w.spawn({game.health: 5})
    w.set(one, game.health)
    assert w[one, game.health] == 0


def test_what_is_optional_does_not_count_as_changed(game):
    w = game.world
    w.spawn({game.position: (0, 0), game.health: 1})
    seen = w.advance()
    for chunk in w.query(game.health):
        chunk[game.health] = 2
    assert w.query(game.position, optional=game.health, changed_since=seen).count() == 0
    assert w.query(game.position, optional=game.health, changed=game.health, changed_since=seen).count() == 1
    with pytest.raises(ValueError, match="names no component that is tracked"):
        w.query(either=[game.health], changed_since=seen)


def test_restore_is_refused_while_commands_wait(game):
    w = game.world
    data = w.snapshot()
    commands = w.commands()
    commands.spawn()
    with pytest.raises(RuntimeError, match="commands of this world wait"):
        w.restore(data)
    assert commands.apply() == 0 and len(w) == 1
    w.restore(data)
    assert len(w) == 0


# ---- the whole ----


def test_snapshots_copies_and_pickles_are_the_same_world(game):
    w = game.world
    all_ = w.spawn_many(20, {game.position: {"x": np.arange(20), "y": 1}, game.name: "x" * 20}, game.enemy)
    w.relate(int(all_[0]), game.likes, int(all_[1]))
    w.despawn_many(all_[5:9])
    w.advance()
    fresh = slotwise.World()
    fresh.restore(w.snapshot())
    for other in (w.copy(), copy.copy(w), copy.deepcopy(w), pickle.loads(pickle.dumps(w)), fresh):
        assert other.snapshot() == w.snapshot() and other.tick == w.tick and other._check()
        position = other.component("position", {"x": "f4", "y": "f4"}, tracked=True)
        assert other[int(all_[3]), position] == (3, 1) and int(all_[5]) not in other
        assert other.targets(int(all_[0]), other.relation("likes")).tolist() == [all_[1]]
        changed = w.copy()
        assert other.spawn() == changed.spawn()  # the next numbers are the same
        other.set(int(all_[3]), {position: (7, 7)})
        assert w[int(all_[3]), game.position] == (3, 1)
    strange = slotwise.World()
    strange.component("health", float)
    with pytest.raises(ValueError, match="'health' is in this world already"):
        strange.restore(w.snapshot())
    assert list(strange.components) == ["health"]


class Sized(slotwise.World):
    """A class that derives from World, with an __init__ of its own."""

    def __init__(self, n):
        super().__init__()
        self.n = n
        self.notes = []
        self.position = self.component("position", {"x": "f4", "y": "f4"})
        self.near = self.relation("near")
        self.one = self.spawn({self.position: (1, 2)})
        self.terms = {"pair": self.near(self.one), "const": self.position.const}


@pytest.mark.parametrize(
    "make", [lambda w: w.copy(), copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))]
)
def test_a_class_that_derives_from_world_keeps_its_attributes(make):
    w = Sized(3)
    other = make(w)
    assert type(other) is Sized and other.n == 3 and other.notes == [] and other.snapshot() == w.snapshot()
    other[other.one, other.position] = (5, 6)
    assert w[w.one, w.position] == (1, 2) and other[other.one, other.components["position"]] == (5, 6)
    if make(w).notes is not w.notes:  # deep: terms are those of the other world
        assert other.position == other.components["position"] and other.position != w.position
        assert other.terms["pair"] == other.near(other.one) and other.terms["const"].is_const
    assert isinstance(pickle.loads(pickle.dumps(w.position)), type(w.position))
    orphan = Sized(1).position
    gc.collect()
    with pytest.raises(TypeError, match="the world of 'position' is gone"):
        pickle.dumps(orphan)


def test_damaged_snapshots_are_refused_and_change_nothing(game):
    w = game.world
    flag = w.component("flag", bool)
    w.spawn_many(5, {game.position: 1, game.name: "ÄÖ" * 10, flag: True}, game.enemy)
    data = w.snapshot()
    target = slotwise.World()
    random = np.random.default_rng(1)
    tried = 0
    for i in range(600):
        damaged = bytearray(data)
        if i % 3 == 0:
            damaged = damaged[: random.integers(len(data))]
        else:
            damaged[random.integers(len(data))] ^= 1 << random.integers(8)
        try:
            target.restore(damaged)
        except ValueError as error:
            assert str(error).startswith(("data: ", "name: "))
            assert not target.components and len(target) == 0
            tried += 1
        else:
            target = slotwise.World()  # a value or a name was changed to another one
    assert tried > 250
    source = slotwise.World()
    source.spawn({source.component("raw", bytes): b"\xff\xff"})
    lies = source.snapshot().replace(b'"bytes"', b'"str"  ')  # the list of components has no checksum
    with pytest.raises(ValueError, match="data: "):
        target.restore(lies)
    assert not target.components
    for nothing in (b"", b"slotwise.World 1\n", 5, "text"):
        with pytest.raises((ValueError, TypeError), match="data"):
            target.restore(nothing)


def test_the_world_has_the_manners_of_python(game):
    w = game.world
    assert bool(w) and len(w) == 0 and "position" in repr(w) and weakref.ref(w)() is w
    assert list(w.components) == ["position", "velocity", "health", "name", "enemy", "likes"]
    assert w.component("position", {"x": "f4", "y": "f4"}, tracked=True) == game.position
    assert hash(w.components["position"]) == hash(game.position) and game.position != game.velocity
    assert game.position.fields == ("x", "y") and game.position.const.is_const and game.position.const == game.position
    assert game.position.schema == slotwise.Schema({"x": "f4", "y": "f4"})
    for name in "spawn spawn_many despawn add set remove get get_many query relate component tag restore".split():
        assert inspect.getdoc(getattr(slotwise.World, name)), name
    terms = (game.position, game.position.const, game.enemy, game.likes, game.likes(w.spawn()))
    for shown in (*terms, w.query(game.position), w.commands()):
        assert repr(shown).startswith("<slotwise.")
    w.spawn_many(1000, {game.position: 0})
    assert w.memory_usage() > 1000 * 24
    w.clear()
    assert len(w) == 0


# ---- user code ----


def test_code_that_re_enters_finds_a_whole_world(game):
    w = game.world
    one = w.spawn({game.health: 1, game.position: (0, 0)})

    class Evil:
        def __init__(self, then):
            self.then = then

        def __index__(self):
            self.then()
            return 5

    class Sequence(list):
        then = None

        def __iter__(self):
            self.then()
            return super().__iter__()

    made = w.spawn({game.health: Evil(lambda: w.spawn({game.health: 2}))})
    assert w[made, game.health] == 5 and len(w) == 3
    with pytest.raises(KeyError):
        w.set(one, {game.health: Evil(lambda: w.despawn(one))})
    one = w.spawn({game.health: 1, game.position: (0, 0)})
    values = Sequence([1, 2])
    values.then = lambda: w.clear()
    assert len(w.spawn_many(2, {game.health: values})) == 2
    w.clear()
    one = w.spawn({game.health: 1, game.position: (0, 0)})
    walk = iter(w.query(game.health, game.position))
    chunk = next(walk)

    def leave():
        nonlocal walk
        walk = None
        w.despawn(one)
        w.spawn_many(5000, {game.health: 3, game.position: 0})

    with pytest.raises(RuntimeError, match="over"):
        chunk[game.health] = Evil(leave)
    assert set(w.query(game.health).to_numpy()["health"].tolist()) == {3}
    walk = iter(w.query(game.health, game.position))
    chunk = next(walk)
    values = Sequence([1] * 5000)
    values.then = lambda: w.spawn()
    with pytest.raises(RuntimeError, match="iterated"):
        chunk[game.health] = values
    with pytest.raises(KeyboardInterrupt):

        def interrupt():
            raise KeyboardInterrupt

        w.set(int(chunk.entities[0]), {game.health: Evil(interrupt)})


def test_a_query_survives_restore(game):
    w = game.world
    query = w.query(game.health, exclude=game.enemy)
    one = w.spawn({game.health: 1})
    saved = w.snapshot()
    w.spawn({game.health: 2})
    assert query.count() == 2
    w.restore(saved)
    assert query.entities().tolist() == [one] and [chunk[game.health].tolist() for chunk in query] == [[1]]
    w.clear()
    assert query.count() == 0 and list(query) == []


def test_the_example_runs():
    program = pathlib.Path(__file__).resolve().parents[2] / "examples/outbreak/outbreak.py"
    done = subprocess.run([sys.executable, program, "--people", "2000", "--days", "30"], capture_output=True, text=True)
    assert done.returncode == 0 and "infected" in done.stdout, done.stderr


# ---- against a dict of dicts ----

LEAVES = {
    "f4": (st.floats(width=32, allow_nan=False), "f4"),
    "i8": (st.integers(-(2**63), 2**63 - 1), int),
    "u2": (st.integers(0, 2**16 - 1), "u2"),
    "bool": (st.booleans(), bool),
    "str": (st.text(max_size=20), str),
    "bytes": (st.binary(max_size=20), bytes),
    "float?": (st.none() | st.floats(allow_nan=False), typing.Optional[float]),
    "str?": (st.none() | st.text(max_size=20), typing.Optional[str]),
}


@st.composite
def schemas(draw):
    """A schema and a strategy of its values, as objects that compare."""
    kinds = draw(st.lists(st.sampled_from(sorted(LEAVES)), min_size=1, max_size=4))
    if len(kinds) == 1:
        return LEAVES[kinds[0]][1], LEAVES[kinds[0]][0]
    return (
        {f"f{i}": LEAVES[kind][1] for i, kind in enumerate(kinds)},
        st.tuples(*(LEAVES[kind][0] for kind in kinds)),
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_history_is_that_of_a_dict_of_dicts(data):
    w = slotwise.World()
    described = data.draw(st.lists(schemas(), min_size=1, max_size=4))
    components = [w.component(f"c{i}", schema) for i, (schema, _) in enumerate(described)]
    values = [strategy for _, strategy in described]
    tag, likes = w.tag("tag"), w.relation("likes", sparse=data.draw(st.booleans()))
    model, dead = {}, []

    def draw_value(i):
        return data.draw(values[i])

    def some(of, **options):
        return data.draw(st.lists(st.sampled_from(sorted(of)), unique=True, **options)) if of else []

    def items(chosen, count=None):
        """What to give, and what each entity then has."""
        given, rows = {}, [{} for _ in range(count or 1)]
        for i in chosen:
            if count is None:
                rows[0][i] = given[components[i]] = draw_value(i)
                continue
            if data.draw(st.booleans()):
                column = [draw_value(i) for _ in range(count)]
                columns = column
                if isinstance(described[i][0], dict):
                    columns = {name: [row[k] for row in column] for k, name in enumerate(described[i][0])}
            else:
                column = [draw_value(i)] * count
                columns = column[0] if count else draw_value(i)
            given[components[i]] = columns
            for row, value in zip(rows, column):
                row[i] = value
        return given, rows

    def check():
        assert len(w) == len(model) and set(w.entities().tolist()) == set(model)
        for entity, has in model.items():
            for i, component in enumerate(components):
                assert w.has(entity, component) == (i in has)
                if i in has:
                    assert w[entity, component] == has[i]
            assert w.has(entity, tag) == ("tag" in has)
            assert set(w.targets(entity, likes).tolist()) == has["likes"]
        assert not any(entity in w for entity in dead)
        assert w._check()

    for _ in range(data.draw(st.integers(1, 12))):
        steps = "spawn spawn_many despawn add set remove relate unrelate set_many add_many restore commands".split()
        step = data.draw(st.sampled_from(steps))
        chosen = some(range(len(components)))
        if step == "spawn":
            given, rows = items(chosen)
            model[w.spawn(given, tag)] = {**rows[0], "tag": None, "likes": set()}
        elif step == "spawn_many":
            count = data.draw(st.integers(0, 5))
            given, rows = items(chosen, count)
            made = w.spawn_many(count, given)
            for entity, row in zip(made.tolist(), rows):
                model[entity] = {**row, "likes": set()}
        elif step == "restore":
            w.restore(w.snapshot())
        elif not model:
            continue
        elif step == "despawn":
            gone = some(model, max_size=3)
            assert w.despawn_many(gone) == len(gone)
            for entity in gone:
                del model[entity]
                dead.append(entity)
            for has in model.values():
                has["likes"] -= set(gone)
        elif step in ("add", "set"):
            entity = some(model, min_size=1)[0]
            given, rows = items(chosen)
            (w.add if step == "add" else w.set)(entity, given)
            model[entity].update({i: v for i, v in rows[0].items() if step == "set" or i not in model[entity]})
        elif step in ("add_many", "set_many"):
            entities = some(model)
            given, rows = items(chosen, len(entities))
            getattr(w, step)(np.array(entities, np.uint64), given)
            for entity, row in zip(entities, rows):
                model[entity].update({i: v for i, v in row.items() if step == "set_many" or i not in model[entity]})
        elif step == "remove":
            entity = some(model, min_size=1)[0]
            w.remove(entity, *(components[i] for i in chosen), tag)
            for i in [*chosen, "tag"]:
                model[entity].pop(i, None)
        elif step == "relate":
            entity, target = some(model, min_size=1)[0], some(model, min_size=1)[0]
            w.relate(entity, likes, target)
            model[entity]["likes"].add(target)
        elif step == "unrelate":
            entity = some(model, min_size=1)[0]
            w.unrelate(entity, likes)
            model[entity]["likes"].clear()
        elif step == "commands":
            gone, kept = some(model, max_size=2), some(model, max_size=3)
            given, rows = items(chosen)
            with w.deferred() as commands:
                for chunk in w.query():
                    for entity in kept:
                        commands.set(entity, given)
                    commands.despawn_many(gone)
                    made = commands.spawn(given)
                    break
            for entity in kept:
                model[entity].update(rows[0])
            model[made] = {**rows[0], "likes": set()}
            for entity in gone:
                del model[entity]
                dead.append(entity)
            for has in model.values():
                has["likes"] -= set(gone)
        check()

    wanted, unwanted = some(range(len(components)), max_size=2), some(range(len(components)), max_size=1)
    query = w.query(*(components[i] for i in wanted), exclude=[components[i] for i in unwanted])
    expected = {e for e, has in model.items() if all(i in has for i in wanted) and not any(i in has for i in unwanted)}
    assert set(query.entities().tolist()) == expected and query.count() == len(expected)
    seen = set()
    for chunk in query:
        entities = chunk.entities.tolist()
        seen.update(entities)
        for i in wanted:
            for path in components[i].fields:
                whole = chunk[components[i]]
                column = (whole if len(components[i].fields) == 1 and path == "value" else whole[path]).tolist()
                k = components[i].fields.index(path)
                assert column == [model[e][i][k] if isinstance(model[e][i], tuple) else model[e][i] for e in entities]
                del whole
    assert seen == expected
    for other in (w.copy(), pickle.loads(pickle.dumps(w))):
        assert other.snapshot() == w.snapshot()
