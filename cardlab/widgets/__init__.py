"""What a reader touches or sees in a notebook: the table, the deck builder, the judge, the tuner,
decks.

>>> from cardlab.widgets import DeckBuilder, Judge, Table, Tuner
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardlab.widgets.builder import DeckBuilder
    from cardlab.widgets.gallery import Gallery
    from cardlab.widgets.judge import Judge
    from cardlab.widgets.table import Table
    from cardlab.widgets.tuner import Tuner

__all__ = ["DeckBuilder", "Gallery", "Judge", "Table", "Tuner"]

_MODULES = {
    "DeckBuilder": "cardlab.widgets.builder",
    "Gallery": "cardlab.widgets.gallery",
    "Judge": "cardlab.widgets.judge",
    "Table": "cardlab.widgets.table",
    "Tuner": "cardlab.widgets.tuner",
}


def __getattr__(name: str) -> Any:
    # Sessions and drawings work without ipywidgets, which is loaded only for the widgets.
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
