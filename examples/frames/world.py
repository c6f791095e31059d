# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Meadows: plants grow, grazers eat them, hunters eat grazers.

An entity is a handle of `bodies`, a SlotMap of records: it never names another one, however many are born after it is gone. Its energy is in a
series by handle, so that each tick ends in a delta that says exactly who was born, who has died and whose energy has changed. (All entities have
the same components here. Where they differ, slotwise.World keeps those with the same components in a table of their own.)
"""

import typing

import numpy as np
import pyarrow as pa
import slotwise

PLANT, GRAZER, HUNTER = range(3)
KINDS = ("plants", "grazers", "hunters")
SIZE = 96.0  # the world is a torus of SIZE x SIZE
CELL = 1.5  # who is in one cell can eat each other
FIELD = 3.0  # who moves looks at densities in squares of this size
FULL = {GRAZER: 2.0, HUNTER: 9.0}  # the energy at which one becomes two
SPEED = {GRAZER: 0.55, HUNTER: 0.8}
COST = {GRAZER: 0.045, HUNTER: 0.08}  # a tick
MEAL = {PLANT: 0.5, GRAZER: 1.5}
BODY = {"x": float, "y": float, "dx": float, "dy": float, "kind": "i1"}  # position, velocity


class Frame(typing.NamedTuple):
    """The world between two ticks, as tables of Arrow. They share its memory where they can, and the world goes on beside them."""

    tick: int
    bodies: pa.Table  # handle, x, y, dx, dy, kind
    energy: pa.Table  # key, value


class World:
    def __init__(self, seed=1, plants=2600, grazers=420, hunters=36):
        self.random = np.random.default_rng(seed)
        self.tick = 0
        # 'detach': a write while a frame is alive goes into a copy, and the frame keeps what it shows.
        self.bodies = slotwise.SlotMap(value=BODY, on_write="detach")
        self.energy = slotwise.Series(key="u8", value=float, on_write="detach")
        for kind, count in ((PLANT, plants), (GRAZER, grazers), (HUNTER, hunters)):
            self.spawn(kind, self.random.uniform(0, SIZE, (count, 2)), np.full(count, FULL.get(kind, 2.0) / 2))

    def spawn(self, kind, places, energy):
        angle = self.random.uniform(0, 2 * np.pi, len(places))
        speed = SPEED.get(kind, 0.0)
        entities = self.bodies.insert_many(columns(places % SIZE, speed * np.column_stack([np.cos(angle), np.sin(angle)]))
                                           | {"kind": np.full(len(places), kind)})
        self.energy.update(entities, {"value": energy}, time=self.tick)

    def remove(self, entities):
        self.bodies.erase_many(entities)
        self.energy.erase_many(entities, time=self.tick)

    def frame(self):
        return Frame(self.tick, self.bodies.to_arrow(), self.energy.to_arrow())

    def step(self):
        """A tick. Returns its delta: whose energy has changed, from None to a number for the born, and back for the dead."""
        self.tick += 1
        entities = self.bodies.column("handle")
        body = self.bodies.to_numpy()
        place, motion = np.column_stack([body["x"], body["y"]]), np.column_stack([body["dx"], body["dy"]])
        kind, energy = body["kind"], self.energy.get_many(entities).copy()

        food = {HUNTER: density(place[kind == GRAZER]), GRAZER: density(place[kind == PLANT])}
        fear = density(place[kind == HUNTER])
        for who in (GRAZER, HUNTER):
            rows = np.flatnonzero(kind == who)
            wish = slope(food[who], place[rows]) - (3.0 * slope(fear, place[rows]) if who == GRAZER else 0.0)
            wish = motion[rows] + 0.12 * unit(wish) + self.random.normal(0, 0.06, (len(rows), 2))
            motion[rows] = SPEED[who] * unit(wish)
            energy[rows] -= COST[who]
        place = (place + motion) % SIZE

        eaten = [meals(place, kind, energy, who, prey) for who, prey in ((GRAZER, PLANT), (HUNTER, GRAZER))]
        gone = np.unique(np.concatenate([*eaten, np.flatnonzero(energy <= 0)]))
        parents = np.array([row for row in np.flatnonzero(kind != PLANT) if energy[row] > FULL[kind[row]]], dtype=np.int64)
        parents = np.setdiff1d(parents, gone)
        energy[parents] /= 2

        self.bodies.update_many(entities, columns(place, motion))
        self.energy.update(entities, {"value": energy}, time=self.tick)
        self.remove(entities[gone])
        for who in (GRAZER, HUNTER):
            rows = parents[kind[parents] == who]
            self.spawn(who, place[rows], energy[rows])
        plants = place[np.flatnonzero(kind == PLANT)]
        room = max(0.0, 1 - len(plants) / 5200)
        seeds = plants[self.random.random(len(plants)) < 0.05 * room]
        seeds = np.concatenate([seeds + self.random.normal(0, 2.2, seeds.shape), self.random.uniform(0, SIZE, (3, 2))])
        self.spawn(PLANT, seeds, np.full(len(seeds), 1.0))
        return self.energy.capture()


def columns(place, motion):
    return {"x": place[:, 0], "y": place[:, 1], "dx": motion[:, 0], "dy": motion[:, 1]}


def unit(vectors):
    return vectors / np.maximum(np.hypot(vectors[:, 0], vectors[:, 1]), 1e-9)[:, None]


def density(places):
    cells = int(SIZE / FIELD)
    at = (places / FIELD).astype(np.int64) % cells
    grid = np.zeros((cells, cells))
    np.add.at(grid, (at[:, 0], at[:, 1]), 1.0)
    for _ in range(3):  # what is near counts too
        grid = sum(np.roll(grid, shift, axis) for axis in (0, 1) for shift in (-1, 0, 1)) / 6
    return grid


def slope(grid, places):
    at = (places / FIELD).astype(np.int64) % len(grid)
    return np.column_stack([(np.roll(grid, -1, axis) - np.roll(grid, 1, axis))[at[:, 0], at[:, 1]] for axis in (0, 1)])


def meals(place, kind, energy, who, prey):
    """In each cell the first of `who` eats the first of `prey`. Returns the rows that are eaten."""
    cell = (place[:, 0] // CELL).astype(np.int64) * 1000 + (place[:, 1] // CELL).astype(np.int64)
    cells_of, firsts = {}, {}
    for each in (who, prey):
        rows = np.flatnonzero(kind == each)
        cells_of[each], first = np.unique(cell[rows], return_index=True)
        firsts[each] = rows[first]
    _, eater, eaten = np.intersect1d(cells_of[who], cells_of[prey], return_indices=True)
    energy[firsts[who][eater]] += MEAL[prey]
    return firsts[prey][eaten]
