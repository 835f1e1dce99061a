"""The stored notebooks are whole, and the check that says so would notice if they were not."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import notebooks

PATHS = notebooks.paths()


def name(path: Path) -> str:
    return path.relative_to(notebooks.ROOT).as_posix()


@pytest.mark.parametrize("path", PATHS, ids=name)
def test_notebook_is_whole(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebooks.faults(notebook, language=path.parent.name) == []


@pytest.mark.parametrize("path", [path for path in PATHS if path.parent.name == "ja"], ids=name)
def test_languages_have_the_same_code(path: Path) -> None:
    other = path.parent.parent / "en" / path.name
    first, second = (nbformat.read(each, as_version=4) for each in (path, other))
    assert notebooks.pair_faults(first, second) == []


def test_every_notebook_exists_in_every_language() -> None:
    names = {
        language: {path.name for path in PATHS if path.parent.name == language}
        for language in notebooks.LANGUAGES
    }
    assert names["ja"] == names["en"]
    assert {path.parent.name for path in PATHS} <= set(notebooks.LANGUAGES)


def good(language: str = "en") -> NotebookNode:
    return new_notebook(
        metadata=notebooks.METADATA,
        cells=[
            new_markdown_cell("# Adding"),
            new_code_cell(f'LANG = "{language}"', execution_count=1),
            new_markdown_cell("What is one and one?"),
            new_code_cell(
                "1 + 1",
                execution_count=2,
                outputs=[new_output("execute_result", {"text/plain": "2"}, execution_count=2)],
            ),
        ],
    )


def test_good_notebook_has_no_faults() -> None:
    assert notebooks.faults(good(), "en") == []
    assert notebooks.pair_faults(good("ja"), good("en")) == []


def strip_counts(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = []


def skip_a_count(notebook: NotebookNode) -> None:
    notebook.cells[3].execution_count = 3


def stale_output(notebook: NotebookNode) -> None:
    notebook.cells[3].outputs[0].execution_count = 7


def other_kernel(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec = {"name": "python311", "display_name": "mine"}


def no_language_info(notebook: NotebookNode) -> None:
    del notebook.metadata["language_info"]


def widget_state(notebook: NotebookNode) -> None:
    notebook.metadata["widgets"] = {}


def widget_view(notebook: NotebookNode) -> None:
    notebook.cells[3].outputs[0].data[notebooks.WIDGET_VIEW] = {"model_id": "x"}


def ignored_output(notebook: NotebookNode) -> None:
    notebook.cells[3].metadata.tags = ["nbval-ignore-output"]


def skipped_cell(notebook: NotebookNode) -> None:
    notebook.cells[3].metadata.tags = ["nbval-skip"]


def ignoring_comment(notebook: NotebookNode) -> None:
    notebook.cells[3].source = "# NBVAL_IGNORE_OUTPUT\n1 + 1"


def too_many_cells(notebook: NotebookNode) -> None:
    notebook.cells += [new_markdown_cell("More.") for _ in range(notebooks.MAX_CELLS)]


def too_many_lines(notebook: NotebookNode) -> None:
    notebook.cells[3].source = "1\n" * 11


def no_words(notebook: NotebookNode) -> None:
    notebook.cells[2].source = " "


def no_language(notebook: NotebookNode) -> None:
    notebook.cells[1].source = "pass"


def wrong_language(notebook: NotebookNode) -> None:
    notebook.cells[1].source = 'LANG = "ja"'


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (strip_counts, "cell 2: execution count None where 1 belongs"),
        (skip_a_count, "cell 4: execution count 3 where 2 belongs"),
        (stale_output, "cell 4: its output is of another run"),
        (other_kernel, "metadata.kernelspec is not"),
        (no_language_info, "metadata.language_info is not"),
        (widget_state, "metadata.widgets does not belong"),
        (widget_view, "cell 4: a stored widget view"),
        (ignored_output, "cell 4: tagged nbval-ignore-output without a reason"),
        (skipped_cell, "cell 4: hidden from nbval"),
        (ignoring_comment, "cell 4: hidden from nbval"),
        (too_many_cells, "44 cells, more than 40"),
        (too_many_lines, "cell 4: 11 lines, more than 10"),
        (no_words, "cell 4: no words before the code"),
        (no_language, '0 lines LANG = "..."'),
        (wrong_language, 'LANG = "ja" in the folder of en'),
    ],
)
def test_damage_is_noticed(damage: Callable[[NotebookNode], None], sentence: str) -> None:
    notebook = good()
    damage(notebook)
    assert any(fault.startswith(sentence) for fault in notebooks.faults(notebook, "en"))


def test_ignored_output_may_have_a_reason() -> None:
    notebook = good()
    notebook.cells[3].metadata.update(
        tags=["nbval-ignore-output"], cardlab={"reason": "prints how long it took"}
    )
    assert notebooks.faults(notebook, "en") == []


def test_different_code_is_noticed() -> None:
    other = good("ja")
    other.cells[3].source = "1 + 2"
    assert notebooks.pair_faults(good(), other) == ["cell 4: the code differs"]


def test_missing_cell_is_noticed() -> None:
    other = good("ja")
    del other.cells[2]
    assert notebooks.pair_faults(good(), other) == ["the two have different sequences of cells"]


def test_remaking_outputs_repairs_a_stripped_notebook(tmp_path: Path) -> None:
    notebook = good()
    strip_counts(notebook)
    notebook.metadata = {"widgets": {}}
    path = tmp_path / "stripped.ipynb"
    nbformat.write(notebook, path)

    notebooks.execute(path)

    remade = nbformat.read(path, as_version=4)
    assert notebooks.faults(remade, "en") == []
    assert remade.cells[3].outputs[0].data["text/plain"] == "2"
