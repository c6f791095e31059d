# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""An outbreak among people who move about: a simulation with slotwise.World and NumPy.

    usage: outbreak.py [--people 20000] [--days 120] [--seed 1]

People are entities. Each has a position and a home, an infected one has an illness, and one who has recovered a tag; so
each state is a table of its own, and a day is some arithmetic on whole columns. Who falls ill, recovers or dies is
recorded in commands while the tables are walked, and applied at the end of the day. """

import argparse
import sys

if __name__ == "__main__" and "--help" in sys.argv[1:]:
    print(__doc__)
    sys.exit()
import numpy as np
import slotwise


class Outbreak:
    def __init__(self, people: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        world = self.world = slotwise.World()
        self.position = world.component("position", {"x": "f4", "y": "f4"})
        self.home = world.component("home", {"x": "f4", "y": "f4"}, tracked=False)
        self.illness = world.component("illness", {"days": "i2", "severe": bool})
        self.recovered = world.tag("recovered")
        self.infected_by = world.relation("infected by", sparse=True)

        size = np.sqrt(people)  # one person a unit of area
        x, y = self.random.uniform(0, size, (2, people)).astype("f4")
        home = {"x": x, "y": y}
        everybody = world.spawn_many(people, {self.position: home, self.home: home})
        world.add_many(everybody[:10], {self.illness: {"days": 14, "severe": False}})

    def move(self) -> None:
        """Everybody goes somewhere, and is drawn home."""
        for chunk in self.world.query(self.position, self.home.const):
            position, home = chunk[self.position], chunk[self.home]
            position.x += self.random.normal(0, 0.8, len(chunk)).astype("f4") + 0.2 * (home.x - position.x)
            position.y += self.random.normal(0, 0.8, len(chunk)).astype("f4") + 0.2 * (home.y - position.y)

    def infect(self, commands: slotwise.Commands) -> None:
        """Who is in the same square as an infected person may fall ill."""
        ill = self.world.query(self.position, self.illness).to_numpy()
        if len(ill["entity"]) == 0:
            return
        infected = self.squares(ill["position.x"], ill["position.y"])
        source_of_square = dict(zip(infected.tolist(), ill["entity"].tolist()))
        infectious = np.fromiter(source_of_square, np.int64)
        for chunk in self.world.query(self.position.const, exclude=[self.illness, self.recovered]):
            squares = self.squares(chunk[self.position].x, chunk[self.position].y)
            caught = np.isin(squares, infectious) & (self.random.random(len(chunk)) < 0.25)
            new = chunk.entities[caught]
            days = self.random.integers(8, 20, len(new))
            commands.add_many(new, {self.illness: {"days": days, "severe": self.random.random(len(new)) < 0.1}})
            for entity, square in zip(new.tolist(), squares[caught].tolist()):
                commands.relate(entity, self.infected_by, source_of_square[square])

    def recover(self, commands: slotwise.Commands) -> None:
        """An illness ends."""
        for chunk in self.world.query(self.illness):
            illness = chunk[self.illness]
            illness.days -= 1
            over = illness.days == 0
            dies = over & illness.severe & (self.random.random(len(chunk)) < 0.2)
            commands.despawn_many(chunk.entities[dies])
            well = chunk.entities[over & ~dies]
            commands.remove_many(well, self.illness)
            commands.add_many(well, self.recovered)

    @staticmethod
    def squares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.floor(x).astype(np.int64) * 1_000_003 + np.floor(y).astype(np.int64)

    def day(self) -> None:
        self.move()
        with self.world.deferred() as commands:
            self.infect(commands)
            self.recover(commands)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    outbreak = Outbreak(options.people, options.seed)
    world = outbreak.world
    ill, well = world.query(outbreak.illness), world.query(outbreak.recovered)
    print(f"{'day':>5} {'ill':>8} {'recovered':>10} {'dead':>6}")
    for day in range(options.days):
        outbreak.day()
        if day % 10 == 9 or ill.count() == 0:
            print(f"{day + 1:>5} {ill.count():>8} {well.count():>10} {options.people - len(world):>6}")
        if ill.count() == 0:
            break

    everybody = world.entities()
    infections = [len(world.sources(outbreak.infected_by, each)) for each in everybody.tolist()]
    most = int(everybody[int(np.argmax(infections))])
    chain = world.descendants(most, outbreak.infected_by)
    print(f"Person {most} infected {max(infections)} others, from whom {len(chain)} infections come.")

    healthy = world.query(outbreak.position, exclude=[outbreak.illness, outbreak.recovered])
    assert healthy.count() + ill.count() + well.count() == len(world) <= options.people
    assert not set(ill.entities().tolist()) & set(well.entities().tolist())
    assert all(world.target(each, outbreak.infected_by) is None for each in healthy.entities().tolist())
    assert not world.pinned


if __name__ == "__main__":
    main()
