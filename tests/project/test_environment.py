"""environment.yml (conda, Binder) and constraints.txt (pip, uv) agree with pyproject.toml."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import yaml
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def requirements(extra: str) -> Iterator[Requirement]:
    """Everything that an extra asks for, also through other extras."""
    for requirement in map(Requirement, EXTRAS[extra]):
        if requirement.name == PROJECT["name"]:
            for inner in sorted(requirement.extras):
                yield from requirements(inner)
        else:
            yield requirement


def conda_dependencies() -> tuple[dict[str, SpecifierSet], list[str]]:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    ranges: dict[str, SpecifierSet] = {}
    pip: list[str] = []
    for item in environment["dependencies"]:
        if isinstance(item, dict):
            pip += item["pip"]
        elif item != "pip":
            requirement = Requirement(item)
            ranges[canonicalize_name(requirement.name)] = requirement.specifier
    return ranges, pip


def pins() -> list[Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines]


def test_conda_has_the_ranges_of_pyproject() -> None:
    wanted = {canonicalize_name(each.name): each.specifier for each in requirements("lab")}
    wanted["python"] = SpecifierSet(PROJECT["requires-python"])
    ranges, pip = conda_dependencies()
    assert ranges == wanted
    assert pip == ["--editable ."]


def test_an_extra_asks_for_one_range_of_a_package() -> None:
    ranges: dict[str, SpecifierSet] = {}
    for extra in EXTRAS:
        for each in requirements(extra):
            assert ranges.setdefault(canonicalize_name(each.name), each.specifier) == each.specifier


def test_pins_are_exact_and_name_no_place() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*( ; .+)?", line), line


def applies(marker: Marker | None, python: str, platform: str) -> bool:
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": platform,
        "platform_machine": "arm64" if platform == "darwin" else "x86_64",
    }
    return marker is None or marker.evaluate(environment)


def test_every_python_and_system_has_one_pin_within_the_range() -> None:
    for python in PYTHONS:
        for platform in ("linux", "darwin", "win32"):
            pinned: dict[str, str] = {}
            for pin in pins():
                if applies(pin.marker, python, platform):
                    assert pin.name not in pinned
                    (exact,) = pin.specifier
                    pinned[pin.name] = exact.version
            for extra in EXTRAS:
                for each in requirements(extra):
                    if applies(each.marker, python, platform):
                        version = pinned[canonicalize_name(each.name)]
                        assert each.specifier.contains(version), (python, platform, each.name)


def test_supported_pythons_are_the_ones_named() -> None:
    named = {
        entry.rpartition(" ")[2]
        for entry in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", entry)
    }
    supported = SpecifierSet(PROJECT["requires-python"])
    assert named == set(PYTHONS)
    assert {f"3.{minor}" for minor in range(30) if f"3.{minor}.0" in supported} == set(PYTHONS)
