"""Options that several commands share, and the reading of a game's rules from text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any

import typer

from cardlab import locale
from cardlab.cli import UsageError
from cardlab.engine import Game
from cardlab.errors import RulesError
from cardlab.games import PLAYERS, load_game


def _chosen_language(context: typer.Context, value: str) -> str:
    if value and value not in locale.LANGUAGES:
        raise RulesError("core.error.language", value=value, allowed=locale.LANGUAGES)
    return value or str(context.obj)


Lang = Annotated[
    str,
    typer.Option(
        "--lang",
        metavar="|".join(locale.LANGUAGES),
        callback=_chosen_language,
        show_default=False,
        help="cli.option.lang",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="cli.option.json")]
GameName = Annotated[str, typer.Argument(help="cli.option.game")]
RuleTexts = Annotated[
    list[str] | None, typer.Option("--rule", metavar="NAME=VALUE", help="cli.option.rule")
]
DeckCodes = Annotated[
    str | None, typer.Option("--decks", metavar="CODE,CODE", help="cli.option.decks")
]


def names_from(text: str | None) -> list[str] | None:
    """Who sits where, from names with commas between."""
    return None if text is None else [name.strip() for name in text.split(",")]


def game_from(
    name: str,
    rules: Sequence[str] | None,
    decks: str | None = None,
    seats: Sequence[str] | None = None,
) -> Game:
    """The game ``name`` under rules that are written ``option=value``.

    Where the rules do not say how many play, those who sit at the ``seats`` do.

    >>> game_from("gpt", ["shield_mode=chosen", "deck_size=14"])
    load_game('gpt', deck_size=14, shield_mode='chosen')
    >>> game_from("chaos", None, seats=["human", "careful", "careful"])
    load_game('chaos', n_players=3)

    Raises :class:`UsageError` for text of another form, and what :func:`load_game` raises.
    """
    known = {option.name: option for option in fields(load_game(name).rules)}
    options: dict[str, Any] = {}
    for text in rules or ():
        option, equals, value = text.partition("=")
        if not equals:
            raise UsageError("cli.error.rule", value=text)
        options[option.strip()] = _value(known.get(option.strip()), value.strip())
    if seats is not None and PLAYERS in known:
        options.setdefault(PLAYERS, len(seats))
    if decks is not None:
        options["decks"] = [code.strip() for code in decks.split(",")]
    return load_game(name, **options)


def _value(option: Any, text: str) -> Any:
    """The value of an option; text that is none stays text, which the game then refuses."""
    if option is None or isinstance(option.metadata.get("choices", (0,))[0], str):
        return text
    try:
        if "length" in option.metadata:
            return [int(part) for part in text.split(",")]
        return _WORDS[text.lower()] if text.lower() in _WORDS else int(text)
    except ValueError:
        return text


_WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}
