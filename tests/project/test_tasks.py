"""What a reader leaves in a clone, games and notebooks, stands in the way of no check."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools import tasks
from tools.notebooks import METADATA

ROOT = Path(__file__).parents[2]

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no Git here")


def write(path: Path, *cells: str) -> None:
    notebook = new_notebook(metadata=METADATA, cells=[new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, path)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one good notebook, and two of a reader's own that no check would pass."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "notebooks").mkdir()
    write(tmp_path / "notebooks" / "ours.ipynb", "1 + 1")
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    for name in ("mine.ipynb", "自分の [1].ipynb"):
        write(tmp_path / "notebooks" / name, "import   os", "1 /0")
    monkeypatch.setattr(tasks, "ROOT", tmp_path)
    return tmp_path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )


@needs_git
@pytest.mark.parametrize("task", ["lint", "format", "notebooks"])
def test_a_readers_notebooks_are_left_alone(clone: Path, task: str) -> None:
    own = tasks.readers_notebooks()
    assert sorted(own) == ["notebooks/mine.ipynb", "notebooks/自分の [1].ipynb"]
    before = [(clone / path).read_bytes() for path in own]
    for command in tasks.TASKS[task]:
        if "--nbval" in command:
            command = [*command[:6], "--nbval", "--collect-only", "-q", "notebooks"]
            listed = run(tasks.sparing(command, own), clone).stdout
            assert "ours.ipynb" in listed
            assert "mine" not in listed
            assert "自分の" not in listed
        else:
            assert run(tasks.sparing(command, own), clone).returncode == 0
            if "--fix" not in command and task == "lint":
                assert run(command, clone).returncode == 1
    assert [(clone / path).read_bytes() for path in own] == before


def test_without_git_every_notebook_is_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "ROOT", tmp_path)
    write(tmp_path / "mine.ipynb", "1 / 0")
    assert tasks.readers_notebooks() == []
    assert tasks.sparing(["-m", "mypy"], ["mine.ipynb"]) == ["-m", "mypy"]


@needs_git
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no clone")
def test_saved_games_are_no_news_to_git() -> None:
    for path in ("notebooks/ja/gpt.game.jsonl", "notebooks/en/chat.game.jsonl"):
        subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT, check=True)
