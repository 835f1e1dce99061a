"""Sentences for people, in every language that cardlab speaks.

A key such as ``gpt.clash`` names a sentence; the part before the first dot is the gettext domain,
one small catalogue for each room (``core``, ``gpt``, ``widgets`` ...). The catalogues are the files
``<lang>/LC_MESSAGES/<domain>.po``; ``make locale`` compiles them.
"""

from __future__ import annotations

import gettext
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

LANGUAGES: tuple[str, ...] = ("ja", "en")

_DIRECTORY = Path(__file__).parent

_ADDED: dict[tuple[str, str], gettext.NullTranslations] = {}


@cache
def _catalogue(domain: str, lang: str) -> gettext.NullTranslations:
    if lang not in LANGUAGES:
        from cardlab.errors import RulesError

        raise RulesError("core.error.language", value=lang, allowed=LANGUAGES)
    added = _ADDED.get((domain, lang))
    return added or gettext.translation(domain, _DIRECTORY, [lang])


class _Sentences(gettext.NullTranslations):
    """A catalogue that was handed in."""

    def __init__(self, sentences: Mapping[str, str]) -> None:
        super().__init__()
        self._sentences = dict(sentences)

    def gettext(self, message: str) -> str:
        return self._sentences.get(message, message)


def add(domain: str, lang: str, sentences: Mapping[str, str]) -> None:
    """Bring the sentences of a game that is not part of cardlab, by their keys.

    >>> add("duel", "en", {"duel.win": "{player} wins the duel."})
    >>> text("duel.win", player="Alice")
    'Alice wins the duel.'
    """
    _ADDED[domain, lang] = _Sentences(sentences)
    _catalogue.cache_clear()


def text(key: str, lang: str = "en", **params: Any) -> str:
    """The sentence ``key`` in the language ``lang``, its placeholders filled from ``params``.

    Cards, tuples of cards and nested messages print as people expect them; a value ``n`` chooses
    between singular and plural, and for 0 the sentence ``<key>.zero`` where there is one. ``slot``
    and ``seat`` count from 1 for people.

    Raises :class:`KeyError` for a key that the catalogue lacks, and ``RulesError`` for a language
    that does not exist.

    >>> text("core.card.spades", "ja")
    'スペード'
    """
    if params.get("n") == 0 and has(f"{key}.zero", lang):
        key = f"{key}.zero"
    catalogue = _catalogue(key.partition(".")[0], lang)
    sentence = catalogue.ngettext(key, key, params["n"]) if "n" in params else key
    if sentence == key:
        sentence = catalogue.gettext(key)
    if sentence == key:
        raise KeyError(key)
    if not params:
        return sentence
    return sentence.format_map({name: show(name, value, lang) for name, value in params.items()})


def has(key: str, lang: str = "en") -> bool:
    """Whether the catalogue of ``lang`` has the sentence ``key``."""
    return _catalogue(key.partition(".")[0], lang).gettext(key) != key


def show(name: str, value: Any, lang: str) -> str:
    """One value of a sentence as people read it."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int) and name in ("slot", "seat"):
        return str(value + 1)
    if hasattr(value, "text"):
        return str(value.text(lang))
    if isinstance(value, str | Mapping):
        return str(value)
    if isinstance(value, Iterable):
        items = [show("", item, lang) for item in value]
        return text("core.list", lang).join(items) if items else text("core.none", lang)
    return str(value)


def page(name: str, lang: str) -> str:
    """The Markdown page ``name`` (a game's rulebook) in the language ``lang``."""
    if lang not in LANGUAGES:
        _catalogue("core", lang)
    return (resources.files(__name__) / lang / f"{name}.md").read_text(encoding="utf-8")
