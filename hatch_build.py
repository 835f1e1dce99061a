"""Compile the message catalogues: a build hook for hatchling, and what ``make locale`` runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def compile_catalogues(root: Path) -> list[Path]:
    """Compile every catalogue under ``root`` to the ``.mo`` file beside it, which is returned."""
    compiled = []
    for source in sorted((root / "cardlab" / "locale").glob("*/LC_MESSAGES/*.po")):
        with source.open("rb") as file:
            catalogue = read_po(file, locale=source.parts[-3], abort_invalid=True)
        target = source.with_suffix(".mo")
        with target.open("wb") as file:
            write_mo(file, catalogue)
        compiled.append(target)
    return compiled


class CatalogueHook(BuildHookInterface):
    """Put compiled catalogues into wheels and into editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before hatchling collects the files."""
        compile_catalogues(Path(self.root))


if __name__ == "__main__":
    for path in compile_catalogues(Path(__file__).parent):
        print(path.relative_to(Path(__file__).parent))
