"""What a wheel and a source distribution hold, and what an import of cardlab costs."""

import gettext
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import cardlab

ROOT = Path(__file__).parents[2]
HEAVY = ("IPython", "anywidget", "ipywidgets", "numba", "numpy", "pandas", "plotly", "typer")


def build(target: str, directory: Path) -> Path:
    # In a process of its own, and with the hatchling that is installed: no network is needed.
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(directory)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = directory.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    with zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel"))) as archive:
        yield archive


def test_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {name.split("/")[0] for name in names} == {
        "cardlab",
        f"cardlab-{cardlab.__version__}.dist-info",
    }
    package = [name for name in names if name.startswith("cardlab/")]
    # Assets of widgets may be scripts, style sheets and pictures; rules may read tables.
    suffixes = {".py", ".mo", ".md", ".js", ".css", ".svg", ".json", ".csv", ".typed"}
    assert {Path(name).suffix or Path(name).name for name in package} <= suffixes
    tables = {name for name in package if name.endswith(".csv")}
    assert tables == {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "cardlab" / "games").rglob("*.csv")
    }
    assert "cardlab/py.typed" in package


def test_wheel_holds_every_catalogue_compiled(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    sources = {
        path.relative_to(ROOT).with_suffix(".mo").as_posix()
        for path in (ROOT / "cardlab" / "locale").rglob("*.po")
    }
    compiled = {name for name in wheel.namelist() if name.endswith(".mo")}
    assert compiled == sources
    for name in compiled:
        with wheel.open(name) as file:
            gettext.GNUTranslations(file)


def test_source_distribution_builds_what_the_repository_builds(tmp_path: Path) -> None:
    sdist = build("sdist", tmp_path)
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "hatch_build.py",
        "constraints.txt",
        "LICENSE",
        "README.md",
        "cardlab/__init__.py",
    } <= names
    assert not [name for name in names if name.endswith((".mo", ".pyc")) or ".venv" in name]


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, cardlab; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
