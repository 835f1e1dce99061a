"""Long runs: the same whoever plays them, and however roughly they are interrupted."""

import errno
import json
import os
import signal
import time
from contextlib import contextmanager
from functools import partial

import pandas as pd
import pytest

from cardlab import RulesError, load_game
from cardlab.analysis import shards
from cardlab.analysis.shards import CheckpointError, RunError, run
from cardlab.analysis.simulate import many, simulate
from tests.analysis import mortal
from tests.analysis.mortal import DECKS, numbers

GAME = load_game("gpt", decks=DECKS)
GAMES = simulate(GAME, ["random", "random"], 60, seed=3)
MANY = many(GAME, ["highest", "random"], 5000, seed=3)
NUMBERS = numbers(0, 100)


def shard_files(folder):
    return sorted(path.name for path in folder.glob("games-*"))


# -------------------------------------------------------------------------- the same everywhere


def test_the_size_of_shards_does_not_matter():
    for size in (1, 7, 60, 1000):
        again = simulate(GAME, ["random", "random"], 60, seed=3, shard=size)
        pd.testing.assert_frame_equal(again, GAMES)
    for size in (617, 5000):
        again = many(GAME, ["highest", "random"], 5000, seed=3, shard=size)
        pd.testing.assert_frame_equal(again, MANY)


def test_no_games_have_columns_too():
    nothing = many(GAME, ["highest", "random"], 0)
    assert nothing.dtypes.equals(MANY.dtypes)


def test_processes_give_the_same_table(tmp_path):
    again = many(
        GAME, ["highest", "random"], 5000, seed=3, jobs=2, shard=700, checkpoint=tmp_path / "a"
    )
    pd.testing.assert_frame_equal(again, MANY)
    again = simulate(GAME, ["random", "random"], 60, seed=3, jobs=2, shard=17)
    pd.testing.assert_frame_equal(again, GAMES)
    again = simulate(GAME, ["highest", "random"], 120, seed=5, jobs=2)
    pd.testing.assert_frame_equal(again, simulate(GAME, ["highest", "random"], 120, seed=5))


@contextmanager
def cluster(folder, workers=2):
    """A Dask scheduler and workers, each a process of its own."""
    address = folder / "scheduler.json"
    scheduler = ["--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--no-show"]
    worker = ["--nthreads", 1, "--no-nanny", "--no-dashboard", "--local-directory", folder]
    where = ["--scheduler-file", address]
    processes = [mortal.start(mortal.dask, "scheduler", [*where, *scheduler])]
    try:
        # The file is there a moment before its text.
        wait_for(lambda: address.exists() and address.stat().st_size)
        for _ in range(workers):
            processes.append(mortal.start(mortal.dask, "worker", [*where, *worker]))
        yield json.loads(address.read_text())["address"], processes[1:]
    finally:
        for process in processes[::-1]:
            process.kill()
            process.join()


def wait_for(what, seconds=60):
    stop = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < stop, "waited in vain"
        time.sleep(0.01)


@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_table_even_if_a_worker_is_killed(tmp_path):
    with cluster(tmp_path) as (address, workers):
        again = many(GAME, ["highest", "random"], 5000, seed=3, scheduler=address, shard=900)
        pd.testing.assert_frame_equal(again, MANY)

        def kill_one(games):
            if games and workers[0].is_alive():
                workers[0].kill()

        again = simulate(
            GAME, ["random", "random"], 60, 3, scheduler=address, shard=4, progress=kill_one
        )
        pd.testing.assert_frame_equal(again, GAMES)
        workers[0].join()
        assert workers[0].exitcode == -signal.SIGKILL


@pytest.mark.filterwarnings("default")
def test_a_cluster_that_is_not_there(monkeypatch):
    monkeypatch.setattr(shards, "PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        with pytest.raises(RunError, match="No Dask scheduler answers at"):
            many(GAME, ["random", "random"], 10, scheduler=address)


# ------------------------------------------------------------------------------ killed workers


def test_what_a_killed_worker_had_in_hand_is_played_again(tmp_path):
    task = partial(numbers, folder=tmp_path, deaths=2)
    found = run(task, 100, 10, jobs=2, checkpoint=tmp_path / "kept")
    pd.testing.assert_frame_equal(found, NUMBERS)
    assert len(list(tmp_path.glob("death-*"))) == 2


def test_workers_that_die_again_and_again_end_the_run(tmp_path):
    task = partial(numbers, folder=tmp_path, deaths=1000)
    with pytest.raises(RunError, match="3 times in a row"):
        run(task, 20, 10, jobs=2)


# --------------------------------------------------------------------------- the whole run killed


@pytest.mark.parametrize(("jobs", "kills"), [(1, (1, 6, 11)), (2, (4,))])
def test_a_killed_run_goes_on_where_it_was(tmp_path, jobs, kills):
    folder = tmp_path / "kept"
    kept = {}
    for number in kills:
        process = mortal.start(mortal.play, folder, jobs)
        wait_for(lambda number=number: len(shard_files(folder)) >= number)
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
        assert process.exitcode == -signal.SIGKILL
        times = {name: (folder / name).stat().st_mtime_ns for name in shard_files(folder)}
        # What was finished before was not played again.
        assert {name: times[name] for name in kept} == kept
        assert number <= len(times) < 20
        kept = times
    process = mortal.start(mortal.play, folder, jobs)
    process.join()
    assert process.exitcode == 0
    pd.testing.assert_frame_equal(pd.read_parquet(f"{folder}.parquet"), GAMES)
    times = {name: (folder / name).stat().st_mtime_ns for name in shard_files(folder)}
    assert len(times) == 20
    assert {name: times[name] for name in kept} == kept


def test_a_run_goes_on_with_more_games(tmp_path):
    task = partial(numbers)
    assert len(run(task, 35, 10, checkpoint=tmp_path)) == 35
    told = []
    pd.testing.assert_frame_equal(
        run(task, 100, 10, checkpoint=tmp_path, progress=told.append), NUMBERS
    )
    assert told == [30, *range(40, 101, 10)]
    again = run(None, 100, 10, checkpoint=tmp_path, progress=told.append)
    pd.testing.assert_frame_equal(again, NUMBERS)
    assert told[-1] == 100


def test_a_table_survives_its_checkpoint(tmp_path):
    for _ in range(2):
        again = many(
            GAME, ["highest", "random"], 5000, seed=3, shard=2500, checkpoint=tmp_path / "many"
        )
        pd.testing.assert_frame_equal(again, MANY)
        again = simulate(GAME, ["random", "random"], 60, 3, checkpoint=tmp_path / "engine")
        pd.testing.assert_frame_equal(again, GAMES)


# ------------------------------------------------------------------------------------- damage


@pytest.fixture
def kept(tmp_path):
    run(numbers, 40, 10, checkpoint=tmp_path, about={"seed": 1})
    return tmp_path


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-20], lambda data: b"", lambda data: data[:90] + b"?" + data[91:]]
)
def test_a_damaged_shard_is_named(kept, damage):
    path = kept / shard_files(kept)[1]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CheckpointError, match="is damaged; delete it") as caught:
        run(numbers, 40, 10, checkpoint=kept, about={"seed": 1})
    assert str(path) in caught.value.text("ja")
    path.unlink()
    found = run(numbers, 40, 10, checkpoint=kept, about={"seed": 1})
    assert found["game"].tolist() == list(range(40))


def test_what_a_killed_writer_left_is_written_over(kept):
    name = shard_files(kept)[1]
    (kept / name).unlink()
    (kept / ".games-10-20.tmp").write_bytes(b"half a")
    run(numbers, 40, 10, checkpoint=kept, about={"seed": 1})
    assert name in shard_files(kept)
    assert sorted(kept.glob(".*")) == []


def test_the_checkpoint_of_another_run_is_refused(kept):
    with pytest.raises(CheckpointError, match="another run: its seed is 1, not 2"):
        run(numbers, 40, 10, checkpoint=kept, about={"seed": 2})
    with pytest.raises(CheckpointError, match="another run: its size is null, not"):
        run(numbers, 40, 10, checkpoint=kept, about={"seed": 1, "size": (1, 2)})
    for text in ("{", "[1]", "\xff"):
        (kept / "run.json").write_text(text, encoding="latin-1")
        with pytest.raises(CheckpointError, match="is damaged; delete its folder"):
            run(numbers, 40, 10, checkpoint=kept, about={"seed": 1})
    (kept / "run.json").unlink()
    with pytest.raises(CheckpointError, match="holds files, but no checkpoint"):
        run(numbers, 40, 10, checkpoint=kept, about={"seed": 1})


def test_runs_differ_in_whatever_makes_games_differ(tmp_path):
    many(GAME, ["highest", "random"], 10, seed=3, checkpoint=tmp_path)
    for game, policies, seed in (
        (GAME, ["highest", "highest"], 3),
        (GAME, ["highest", "random"], 4),
        (load_game("gpt", decks=DECKS, double_knockout="draw"), ["highest", "random"], 3),
        (load_game("gpt", decks=DECKS[::-1]), ["highest", "random"], 3),
    ):
        with pytest.raises(CheckpointError, match="another run"):
            many(game, policies, 10, seed, checkpoint=tmp_path)
    with pytest.raises(CheckpointError, match="another run"):
        simulate(GAME, ["highest", "random"], 10, seed=3, checkpoint=tmp_path)


def test_a_full_disk_is_told_and_loses_nothing(kept, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = shard_files(kept)
    with monkeypatch.context() as patch:
        patch.setattr(shards.os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as caught:
            run(numbers, 60, 10, checkpoint=kept, about={"seed": 1})
    assert "games-40-50-" in caught.value.filename
    assert shard_files(kept) == before
    assert sorted(kept.glob(".*")) == []
    assert len(run(numbers, 60, 10, checkpoint=kept, about={"seed": 1})) == 60


def test_nothing_is_written_before_all_is_checked(tmp_path):
    folder = tmp_path / "kept"
    with pytest.raises(RulesError):
        many(GAME, ["random", "careful"], 10, checkpoint=folder)
    with pytest.raises(RulesError, match="shard cannot be -1"):
        many(GAME, ["random", "random"], 10, shard=-1, checkpoint=folder)
    assert not folder.exists()
