"""The documents tell the truth: their code runs, their links lead somewhere, their names exist.

The code blocks of a page run in one namespace, from top to bottom, in an empty directory: those
with ``>>>`` as doctests, the others as they stand. Doctests of the package itself are collected by
pytest (``--doctest-modules``).
"""

import doctest
import json
import re
import sys
import tomllib
import types
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from cardlab import list_games, load_game
from cardlab.analysis.metagame import Certificate
from cardlab.cli import main

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
LINKED = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"python", "sh", "powershell", "json", "text", "markdown", "po"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = ("cardlab/", "tests/", "docs/", "data/", "tools/", "notebooks/", "benchmarks/", ".ci/")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


each_page = pytest.mark.parametrize("path", PAGES, ids=name)
each_linked_page = pytest.mark.parametrize("path", LINKED, ids=name)


def blocks(path: Path) -> Iterator[tuple[str, str, int]]:
    """Language, content and number of the first line of every fenced block."""
    text = path.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text(encoding="utf-8"))


@each_page
def test_code_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Dataclasses and pickles look their module up.
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    for language, code, line in blocks(path):
        if language != "python":
            continue
        if code.lstrip().startswith(">>>"):
            run_doctest(code, module.__dict__, path, line)
        else:
            program = compile("\n" * line + code, path, "exec", dont_inherit=True)
            exec(program, module.__dict__)


def run_doctest(code: str, namespace: dict[str, object], path: Path, line: int) -> None:
    test = doctest.DocTestParser().get_doctest(code, {}, name(path), str(path), line)
    test.globs = namespace
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


@each_page
def test_no_code_hides_from_the_tests(path: Path) -> None:
    assert "```" not in prose(path)
    for language, code, line in blocks(path):
        assert language in LANGUAGES, f"line {line}"
        assert language == "python" or ">>>" not in code, f"line {line}"


@each_page
def test_json_is_json_and_positions_are_positions(path: Path) -> None:
    for language, code, _ in blocks(path):
        if language == "json":
            value = json.loads(code)
            if "players" in value:
                game = load_game(value["game"], **value.get("rules", {}))
                assert value.items() <= game.state_from_dict(value).to_dict().items()


@each_linked_page
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(prose(path)):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.is_relative_to(ROOT), target
        assert found.exists(), target
        if anchor:
            assert anchor in anchors(found), target


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {
        "".join(
            "-" if char == " " else char
            for char in heading.lower()
            if char in " -_" or unicodedata.category(char)[0] in "LNM"
        )
        for heading in headings
    }


@each_linked_page
def test_files_and_targets_that_are_named_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for span in CODE.findall(prose(path)):
        if span.startswith(FOLDERS) and not re.search(r"[<{ ]", span):
            assert list(ROOT.glob(span.rstrip("/"))), span
        if match := re.fullmatch(r"make ([a-z-]+).*", span):
            assert re.search(rf"\b{match[1]}\b", makefile), span


@each_linked_page
def test_commands_that_are_named_exist(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for language, code, _ in blocks(path):
        for line in code.splitlines() if language == "sh" else ():
            program, *words = line.split()
            if Path(program).name == "cardlab":
                assert main([*words, "--help"]) == 0, capsys.readouterr().err


def test_published_mixture_is_that_of_the_certificate() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    certificate = Certificate.load(ROOT / "data" / "gpt_optimal.json")
    for strategy, weight in certificate.mixture.items():
        cards = " ".join(map(str, strategy.deck.cards()))
        line = f"{float(weight):6.2%}  {strategy.deck.code}  {cards}\n"
        assert text.count(line) == 2, line


def test_index_names_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    assert set(LINK.findall(prose(index))) >= {path.name for path in DOCS if path != index}


def test_architecture_names_every_room() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = [path for path in (ROOT / "cardlab").iterdir() if path.name[0] not in "_."]
    for room in rooms:
        if room.is_dir():
            assert f"`cardlab/{room.name}/`" in text
        elif room.suffix == ".py":
            assert f"`cardlab/{room.name}`" in text


def test_every_folder_of_tests_is_explained() -> None:
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert f"| `{name(path.parent)}/` |" in text


def test_notation_has_every_game() -> None:
    text = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (\w+)", text, re.MULTILINE)
    assert {game.lower() for game in titles} >= set(list_games())


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    wanted += [each for extra in extras.values() for each in extra]
    names = {Requirement(each).name for each in wanted} - {"cardlab"}
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)) == sorted(names)
