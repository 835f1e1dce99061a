"""Remake the stored outputs of the notebooks, and say what is wrong with a notebook.

``make run-notebooks`` executes all of them in place, ``python -m tools.notebooks PATH ...`` some.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from tools.tasks import readers_notebooks

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("ja", "en")

# No version of Python in it: which one ran the notebook last is no part of its content.
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

MAX_CELLS = 40
MAX_LINES = 10

LANGUAGE_LINE = re.compile(r'^LANG = "(\w+)"$', re.MULTILINE)
IGNORE_OUTPUT = "nbval-ignore-output"
# raises-exception is fine: nbval then compares the exception.
BANNED_TAGS = {"nbval-skip", "skip-execution"}
BANNED_COMMENT = re.compile(r"^\s*#\s*(NBVAL|PYTEST_VALIDATE)_\w+", re.MULTILINE)


def paths() -> list[Path]:
    """All notebooks of the project; those that Git does not know are a reader's own."""
    own = {ROOT / path for path in readers_notebooks()}
    return sorted(
        path
        for path in (ROOT / "notebooks").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts and path not in own
    )


def execute(path: Path) -> None:
    """Run a notebook from its first cell to its last and store the outputs in it."""
    notebook = nbformat.read(path, as_version=4)
    # The kernel starts in the notebook's folder, as it does in JupyterLab and under nbval.
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    normalise(notebook)
    nbformat.write(notebook, path)


def normalise(notebook: NotebookNode) -> None:
    """Drop what differs from one run to the next without any difference in content."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        for key in ("execution", "collapsed", "scrolled"):
            cell.metadata.pop(key, None)
        for output in cell.get("outputs", []):
            # It points at a kernel that is gone, and JupyterLab would show an error in its place
            # instead of the static view beside it.
            output.get("data", {}).pop(WIDGET_VIEW, None)


def faults(notebook: NotebookNode, language: str | None = None) -> list[str]:
    """What is wrong with one notebook, in sentences; a good one has none.

    nbval runs a cell that has no execution count but compares nothing, so the counts are what
    makes its verdict mean something.
    """
    return [
        *_metadata_faults(notebook),
        *_size_faults(notebook),
        *_count_faults(notebook),
        *_output_faults(notebook),
        *_language_faults(notebook, language),
    ]


def pair_faults(first: NotebookNode, second: NotebookNode) -> list[str]:
    """Where two languages of one notebook differ in more than their words."""
    kinds = [[cell.cell_type for cell in notebook.cells] for notebook in (first, second)]
    if kinds[0] != kinds[1]:
        return ["the two have different sequences of cells"]
    return [
        f"cell {number}: the code differs"
        for number, (one, other) in enumerate(zip(first.cells, second.cells, strict=True), 1)
        if one.cell_type == "code"
        and LANGUAGE_LINE.sub("", one.source) != LANGUAGE_LINE.sub("", other.source)
    ]


def _code(notebook: NotebookNode) -> Iterator[tuple[int, NotebookNode]]:
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code":
            yield number, cell


def _metadata_faults(notebook: NotebookNode) -> Iterator[str]:
    for key, wanted in METADATA.items():
        if notebook.metadata.get(key) != wanted:
            yield f"metadata.{key} is not {wanted}"
    for key in sorted(set(notebook.metadata) - set(METADATA)):
        yield f"metadata.{key} does not belong in a stored notebook"


def _size_faults(notebook: NotebookNode) -> Iterator[str]:
    if len(notebook.cells) > MAX_CELLS:
        yield f"{len(notebook.cells)} cells, more than {MAX_CELLS}"
    for number, cell in _code(notebook):
        lines = len(cell.source.splitlines())
        if lines > MAX_LINES:
            yield f"cell {number}: {lines} lines, more than {MAX_LINES}"
        before = notebook.cells[number - 2] if number > 1 else None
        if before is None or before.cell_type != "markdown" or not before.source.strip():
            yield f"cell {number}: no words before the code"


def _count_faults(notebook: NotebookNode) -> Iterator[str]:
    for count, (number, cell) in enumerate(_code(notebook), 1):
        if cell.execution_count != count:
            yield f"cell {number}: execution count {cell.execution_count} where {count} belongs"
        for output in cell.outputs:
            if output.get("execution_count", count) != count:
                yield f"cell {number}: its output is of another run"


def _output_faults(notebook: NotebookNode) -> Iterator[str]:
    for number, cell in _code(notebook):
        tags = set(cell.metadata.get("tags", []))
        reason = cell.metadata.get("cardlab", {}).get("reason", "")
        if IGNORE_OUTPUT in tags and not reason.strip():
            yield f"cell {number}: tagged {IGNORE_OUTPUT} without a reason in metadata.cardlab"
        if BANNED_TAGS & tags or BANNED_COMMENT.search(cell.source):
            yield f"cell {number}: hidden from nbval"
        if any(WIDGET_VIEW in output.get("data", {}) for output in cell.outputs):
            yield f"cell {number}: a stored widget view, which points at a kernel that is gone"


def _language_faults(notebook: NotebookNode, language: str | None) -> Iterator[str]:
    found = [line for _, cell in _code(notebook) for line in LANGUAGE_LINE.findall(cell.source)]
    if len(found) != 1:
        yield f'{len(found)} lines LANG = "...", not one'
    elif language is not None and found != [language]:
        yield f'LANG = "{found[0]}" in the folder of {language}'


def main(arguments: list[str]) -> int:
    """Execute the notebooks that are named, or all."""
    for path in [Path(name).resolve() for name in arguments] or paths():
        start = time.perf_counter()
        execute(path)
        print(f"{path.relative_to(ROOT)}: {time.perf_counter() - start:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
