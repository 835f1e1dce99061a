"""Long runs in pieces: on one core, on several or on a cluster, interrupted and taken up again.

A run is a number of games, each of which depends on its number alone. It is cut into shards of
consecutive games; whoever plays a shard, it is the same, so the whole is the same as well.

With a checkpoint, a folder, every shard is written there as soon as it is played:

* ``run.json`` says which run it is;
* ``games-<first>-<stop>-<digest>.parquet`` holds the games ``first`` to ``stop - 1``. The file is
  written under another name and renamed when all of it is on the disk, so that a run that is
  killed leaves whole shards only; the digest of its bytes tells of later damage.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from cardlab.errors import CardlabError

__all__ = ["CheckpointError", "RunError", "Shard", "run"]

Task = Callable[[int, int], pd.DataFrame]
"""Plays the games from a first number up to, but without, a last; can be sent to processes."""

PATIENCE = 10
"""Seconds to wait for a scheduler to answer."""

TRIES = 3
"""How often in a row workers may be killed without any shard being finished."""


class Shard(NamedTuple):
    """The games ``first`` to ``stop - 1``."""

    first: int
    stop: int


class RunError(CardlabError):
    """A run cannot go on: its workers die, or no cluster answers."""


class CheckpointError(CardlabError):
    """A folder with a checkpoint cannot be used."""


def run(
    task: Task,
    n: int,
    size: int,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    checkpoint: str | Path | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Callable[[int], object] | None = None,
) -> pd.DataFrame:
    """The games 0 to ``n - 1``.

    Parameters
    ----------
    task
        What plays a shard.
    n, size
        How many games, and how many of them make a shard.
    jobs
        Number of processes; -1 for as many as there are cores.
    scheduler
        Address of the scheduler of a Dask cluster, whose workers then take the place of processes.
    checkpoint
        The folder that keeps the shards. It is made if need be. Shards that it has are not played
        again; with more games than before, a run goes on from there.
    about
        Plain JSON that tells this run from others.
    progress
        Called with the number of games that are there: first at the start, then after each shard.

    Returns the table of all games, in order.

    Raises :class:`CheckpointError` for a folder of another run or with damaged files,
    :class:`RunError` when workers are killed again and again or no cluster answers, and
    :class:`OSError` when a shard cannot be written. The shards that are finished stay.
    """
    shards = [Shard(first, min(first + size, n)) for first in range(0, n, size)]
    store = None if checkpoint is None else _Store(Path(checkpoint), about or {})
    done = {} if store is None else store.load(shards)
    games = sum(shard.stop - shard.first for shard in done)
    _tell(progress, games)
    todo = [shard for shard in shards if shard not in done]
    for shard, frame in _played(task, todo, jobs, scheduler):
        if store is not None:
            store.save(shard, frame)
        done[shard] = frame
        games += len(frame)
        _tell(progress, games)
    if not shards:
        return task(0, 0)
    return pd.concat([done[shard] for shard in shards], ignore_index=True)


def _tell(progress: Callable[[int], object] | None, games: int) -> None:
    if progress is not None:
        progress(games)


# ----------------------------------------------------------------------------------------- workers


def _play(task: Task, shard: Shard) -> tuple[Shard, pd.DataFrame]:
    return shard, task(*shard)


def _played(
    task: Task, todo: Sequence[Shard], jobs: int, scheduler: str | None
) -> Iterator[tuple[Shard, pd.DataFrame]]:
    """The shards as they are finished. Those that a killed worker had in hand are played again."""
    if not todo:
        return
    if jobs == 1 and scheduler is None:
        yield from (_play(task, shard) for shard in todo)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left = dict.fromkeys(todo)
    tries = 0
    with _cluster(scheduler) as killed:
        while left:
            calls = [delayed(_play)(task, shard) for shard in left]
            try:
                for shard, frame in Parallel(jobs, return_as="generator_unordered")(calls):
                    del left[shard]
                    tries = 0
                    yield shard, frame
            except (TerminatedWorkerError, killed) as error:
                tries += 1
                if tries == TRIES:
                    raise RunError("analysis.error.workers", n=TRIES) from error


@contextmanager
def _cluster(scheduler: str | None) -> Iterator[type[Exception]]:
    """Let joblib work on a cluster; yields the error that tells of its killed workers."""
    if scheduler is None:
        yield RunError
        return
    import distributed
    from joblib import parallel_config

    connect: Any = distributed.Client
    try:
        client = connect(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunError("analysis.error.scheduler", value=scheduler) from error
    with client, parallel_config("dask", client=client):
        yield distributed.KilledWorker


# --------------------------------------------------------------------------------------- the folder


class _Store:
    """The folder of a checkpoint."""

    FORMAT = 1

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        manifest = folder / "run.json"
        wanted = {"format": self.FORMAT, **about}
        if manifest.exists():
            self._compare(manifest, wanted)
        else:
            if any(folder.iterdir()):
                raise CheckpointError("analysis.error.checkpoint_folder", path=str(folder))
            _write(manifest, json.dumps(wanted, ensure_ascii=False, indent=1).encode())

    @staticmethod
    def _compare(manifest: Path, wanted: Mapping[str, Any]) -> None:
        try:
            found = json.loads(manifest.read_bytes())
            keys = sorted({*found, *wanted})
        except (ValueError, TypeError):
            raise CheckpointError("analysis.error.checkpoint", path=str(manifest)) from None
        # What is written and read again compares as JSON.
        plain = json.loads(json.dumps(wanted))
        for key in keys:
            if found.get(key) != plain.get(key):
                raise CheckpointError(
                    "analysis.error.checkpoint_other",
                    path=str(manifest.parent),
                    name=key,
                    found=json.dumps(found.get(key), ensure_ascii=False),
                    wanted=json.dumps(plain.get(key), ensure_ascii=False),
                )

    def load(self, wanted: Iterable[Shard]) -> dict[Shard, pd.DataFrame]:
        """The shards that are there, of those that are wanted."""
        names = re.compile(r"games-(\d+)-(\d+)-([0-9a-f]{16})\.parquet")
        found = {}
        for path in sorted(self.folder.iterdir()):
            if match := names.fullmatch(path.name):
                found[Shard(int(match[1]), int(match[2]))] = path, match[3]
        return {shard: _read(*found[shard]) for shard in wanted if shard in found}

    def save(self, shard: Shard, frame: pd.DataFrame) -> None:
        """Keep a shard."""
        content = BytesIO()
        frame.to_parquet(content, index=False)
        data = content.getvalue()
        name = f"games-{shard.first}-{shard.stop}-{_digest(data)}.parquet"
        _write(self.folder / name, data)


def _read(path: Path, digest: str) -> pd.DataFrame:
    data = path.read_bytes()
    if _digest(data) != digest:
        raise CheckpointError("analysis.error.shard", path=str(path))
    return pd.read_parquet(BytesIO(data))


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file that is either whole or not there, whatever happens meanwhile.

    What a killed run leaves half written has a name that the next try uses again.
    """
    scratch = path.with_name(f".{path.name.rpartition('-')[0] or path.name}.tmp")
    try:
        with scratch.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(path)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
