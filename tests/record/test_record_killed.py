"""A writer that is killed at any moment leaves a record that loads and lacks nothing."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from cardlab.record import Record

ROOT = Path(__file__).parents[2]

# Plays, takes back and saves without end; before each step it tells from how many actions to how
# many it will go.
WRITER = """
import random, sys
from cardlab import load_game
from cardlab.record import Record

path, seed = sys.argv[1], int(sys.argv[2])
rng = random.Random(seed)
record = Record.new(load_game("gpt"), seed)
record.attach(path)
while True:
    state, now = record.state, len(record.actions)
    if state.is_terminal():
        back = rng.randrange(1, 30)
        print(now, now - back, flush=True)
        record.undo(back)
    elif rng.random() < 0.1:
        print(now, now, flush=True)
        record.save(path)
    else:
        print(now, now + 1, flush=True)
        record.append(rng.choice(state.legal_actions()))
"""


def test_a_killed_writer_leaves_a_record_that_loads(tmp_path: Path) -> None:
    rng = random.Random(1)
    lengths = set()
    for seed in range(12):
        path = tmp_path / f"{seed}.jsonl"
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, str(seed)],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "0 1\n"
        time.sleep(rng.uniform(0, 0.1))
        writer.kill()
        steps = ["0 1", *writer.stdout.read().split("\n")[:-1]]
        writer.stdout.close()
        assert writer.wait() != 0
        record = Record.load(path)
        assert len(record.actions) in map(int, steps[-1].split())
        record.attach(path)
        while not record.state.is_terminal():
            record.append(rng.choice(record.state.legal_actions()))
        assert Record.load(path).actions == record.actions
        lengths.add(len(steps))
    assert len(lengths) > 3  # They were killed at different moments.
