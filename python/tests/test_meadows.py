# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""examples/frames: the world and its frames; with DuckDB and matplotlib, its queries and its picture."""

import pathlib
import sys

import pytest
import slotwise

pytest.importorskip("pyarrow")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/frames"))
frames = pytest.importorskip("frames")
import world  # noqa: E402

TICKS = 12


@pytest.fixture(scope="module")
def run():
    return frames.Run(TICKS, seed=3)


def test_the_check_of_the_example_holds(run):
    assert list(run.check()) == []


def test_there_are_births_and_deaths_in_the_deltas(run):
    assert sum(len(delta.added) for delta in run.deltas[1:]) > 20 and sum(len(delta.removed) for delta in run.deltas) > 20
    assert [delta.until for delta in run.deltas] == list(range(TICKS + 1))


def test_a_frame_joins_by_handle(run):
    for frame in run.frames:
        entities = set(frame.bodies["handle"].to_pylist())
        assert entities == set(frame.energy["key"].to_pylist())
    assert len(entities) > 1000


def test_a_handle_is_one_entity_for_all_times(run):
    kinds = {}
    for row in run.over_time("bodies").select(["handle", "kind"]).to_pylist():
        assert kinds.setdefault(row["handle"], row["kind"]) == row["kind"]
    dead = [key for delta in run.deltas for key in delta.removed]
    assert len(set(dead)) == len(dead) and not any(key in run.world.bodies for key in dead)


def test_the_same_seed_is_the_same_world(run):
    again = frames.Run(TICKS, seed=3)
    assert again.frames[-1].bodies.equals(run.frames[-1].bodies) and again.deltas == run.deltas
    assert frames.Run(TICKS, seed=4).deltas != run.deltas


def test_columns_are_read_while_a_frame_is_alive_and_the_world_is_written():
    here = world.World(seed=1)
    before, energy = here.frame(), here.energy.column("value")
    shown = energy.tolist()
    here.step()
    assert energy.tolist() == shown and before.energy["value"].to_pylist() == shown
    assert here.energy.window == 1 and isinstance(here.energy.capture(), slotwise.Delta)


def test_the_ticks_that_are_done_are_told():
    told = []
    frames.Run(3, 1, told.append)
    assert told == [1, 1, 1]


def test_duckdb_answers_and_a_picture_is_drawn(tmp_path, capsys):
    pytest.importorskip("duckdb")
    pytest.importorskip("matplotlib")
    picture = tmp_path / "frames.png"
    assert frames.main(["--ticks", str(TICKS), "--out", str(picture)]) == 0
    assert "check: passed" in capsys.readouterr().out
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 50_000


def test_a_balance_that_is_off_is_found():
    pytest.importorskip("duckdb")
    run = frames.Run(TICKS, seed=3)
    del run.deltas[5]
    assert frames.ask(run, [TICKS], 4)["off"] != [0]
    assert list(run.check()) != []
