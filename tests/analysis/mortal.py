"""What the tests of long runs let other processes do, and kill; it loads little.

:func:`start` makes processes that are children of one that has loaded all they need.
"""

import multiprocessing
import os
import signal
from importlib import import_module

import pandas as pd
from joblib.externals.loky import get_reusable_executor

from cardlab import load_game
from cardlab.analysis.simulate import simulate

DECKS = "2222000b00222", "22b2bb0000222"


def numbers(first, stop, folder=None, deaths=0):
    """A task whose games are their numbers; its first ``deaths`` calls kill their own process."""
    if folder is not None:
        for death in range(deaths):
            try:
                (folder / f"death-{death}").touch(exist_ok=False)
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
    return pd.DataFrame({"game": pd.Series(range(first, stop), dtype="int64")})


def play(folder, jobs):
    """Play sixty games in shards of three."""
    games = simulate(
        load_game("gpt", decks=DECKS),
        ["random", "random"],
        60,
        seed=3,
        jobs=jobs,
        checkpoint=folder,
        shard=3,
    )
    games.to_parquet(f"{folder}.parquet")
    if jobs > 1:
        # A child waits for its own children, and idle ones stay for minutes.
        get_reusable_executor().shutdown()


def dask(command, arguments):
    """Be a scheduler or a worker of Dask."""
    from dask import config

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    config.set({"distributed.scheduler.allowed-failures": 10})
    import_module(f"distributed.cli.dask_{command}").main(list(map(str, arguments)))


def start(call, *arguments):
    """A process that leads a group of its own and calls one of the functions above."""
    children = multiprocessing.get_context("forkserver")
    children.set_forkserver_preload(
        [
            __name__,
            "cardlab.analysis.batch",
            "distributed.cli.dask_scheduler",
            "distributed.cli.dask_worker",
        ]
    )
    process = children.Process(target=_leading, args=(call, *arguments))
    process.start()
    return process


def _leading(call, *arguments):
    os.setsid()
    call(*arguments)
