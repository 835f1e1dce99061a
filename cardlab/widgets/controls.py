"""The buttons and fields around a table, made from the seats and the options of its game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import Field, fields
from typing import Any

import ipywidgets

from cardlab import locale
from cardlab.bots import list_bots
from cardlab.engine import Game
from cardlab.errors import RulesError
from cardlab.games import PLAYERS
from cardlab.widgets.session import HUMAN

LANGUAGE_NAMES = {"ja": "日本語", "en": "English"}


class Controls:
    """What a reader sets besides the game itself.

    Attributes
    ----------
    toolbar, settings
        The widgets to show: a row of buttons, and a part that folds away.
    new, undo, save, resume
        The buttons.
    language, four_colour
        Fields that take effect at once; all others wait for the next game.
    """

    def __init__(self, game: Game, seats: Sequence[str], lang: str, four_colour: bool) -> None:
        self._game_name = game.name
        self._say: list[Callable[[str], None]] = []
        self.new, self.undo, self.save, self.resume = (
            self._named(ipywidgets.Button(), f"widgets.control.{name}")
            for name in ("new", "undo", "save", "resume")
        )
        self.language = ipywidgets.Dropdown(
            options=[(LANGUAGE_NAMES[code], code) for code in locale.LANGUAGES], value=lang
        )
        self._named(self.language, "widgets.control.language")
        self.four_colour = self._named(
            ipywidgets.Checkbox(value=four_colour, indent=False), "widgets.control.four_colour"
        )
        self.file = self._named(
            ipywidgets.Text(f"{game.name}.game.jsonl", continuous_update=False),
            "widgets.control.file",
        )
        self._seed = self._named(ipywidgets.Text(continuous_update=False), "widgets.control.seed")
        options = fields(game.rules)
        self._seats = [self._seat(number, seats) for number in range(_most_seats(game))]
        self._tuples = {option.name for option in options if "length" in option.metadata}
        self._options = {option.name: self._option(option, game) for option in options}

        self._fold = self._named(ipywidgets.ToggleButton(), "widgets.control.settings")
        self._fold.observe(self._on_fold, "value")
        self._note = ipywidgets.HTML()
        self.toolbar = _box("cl-toolbar", [self.new, self.undo, self._fold])
        now = _box("cl-fields", [self.language, self.four_colour])
        files = _box("cl-fields", [self.file, self.save, self.resume])
        # How many play comes before who they are.
        first = [self._options[PLAYERS]] if PLAYERS in self._options else []
        others = [each for name, each in self._options.items() if name != PLAYERS]
        later = _box("cl-fields", [*first, *self._seats, self._seed, *others])
        for control in first:
            control.observe(self._on_players, "value")
        self.settings = _box("cl-settings", [now, files, self._note, later])
        self.settings.layout.display = "none"
        self._on_players()
        self.translate(lang)

    # What is set.

    @property
    def seats(self) -> list[str]:
        """Who is to sit where."""
        return [control.value for control in self._seats[: self._players]]

    @property
    def _players(self) -> int:
        if PLAYERS not in self._options:
            return len(self._seats)
        players: int = self._options[PLAYERS].value
        return players

    @property
    def seed(self) -> int | None:
        """The seed of the next game; ``None`` for a fresh one.

        Raises :class:`RulesError` for what is no whole number.
        """
        return _whole_number(self._seed.value, "core.error.seed")

    def forget_seed(self) -> None:
        """A seed is for one game; the next one has a fresh one unless another is typed."""
        self._seed.value = ""

    @property
    def options(self) -> dict[str, Any]:
        """The options of the next game."""
        return {
            name: _numbers(control.value, name in self._tuples)
            if _is_text(control)
            else control.value
            for name, control in self._options.items()
        }

    def fit(self, game: Game) -> bool:
        """Whether these are the seats and options of such a game."""
        names = [option.name for option in fields(game.rules)]
        same_game = game.name == self._game_name and names == list(self._options)
        return same_game and len(self._seats) == _most_seats(game)

    def show(self, game: Game, seats: Sequence[str]) -> None:
        """Set them to what a game was started with."""
        for control, seat in zip(self._seats, seats, strict=False):
            control.value = seat
        for name, control in self._options.items():
            value = getattr(game.rules, name)
            control.value = _written(value) if _is_text(control) else value

    def translate(self, lang: str) -> None:
        """Write every label in another language."""
        for say in self._say:
            say(lang)
        self._note.value = locale.text("widgets.control.next_game", lang)

    def _on_fold(self, change: Any) -> None:
        self.settings.layout.display = "" if change["new"] else "none"

    def _on_players(self, _change: Any = None) -> None:
        for number, seat in enumerate(self._seats):
            seat.layout.display = "" if number < self._players else "none"

    # Making the widgets.

    def _named(self, widget: Any, key: str, **params: Any) -> Any:
        def say(lang: str) -> None:
            widget.description = locale.text(key, lang, **params)

        self._say.append(say)
        return widget

    def _choice(self, values: Iterable[str], value: str, key: str) -> ipywidgets.Dropdown:
        """A menu whose entries have the sentence ``<key>.<value>``, where there is one."""
        values = list(values)
        menu = ipywidgets.Dropdown(options=values, value=value)

        def say(lang: str) -> None:
            chosen = menu.value
            menu.options = [(_sentence(f"{key}.{value}", value, lang), value) for value in values]
            menu.value = chosen

        self._say.append(say)
        return menu

    def _seat(self, number: int, seats: Sequence[str]) -> ipywidgets.Dropdown:
        bots = list_bots(self._game_name)
        name = seats[number] if number < len(seats) else bots[-1]
        menu = self._choice([HUMAN, *bots], name, "widgets.seat")
        return self._named(menu, "core.seat", seat=number)

    def _text(self, value: str) -> ipywidgets.Text:
        """A field for numbers, of which there may be none."""
        field = ipywidgets.Text(value, continuous_update=False)

        def say(lang: str) -> None:
            field.placeholder = locale.text("widgets.control.no_number", lang)

        self._say.append(say)
        return field

    def _option(self, option: Field[Any], game: Game) -> Any:
        key = f"{game.name}.option.{option.name}"
        value = getattr(game.rules, option.name)
        if option.name == PLAYERS:
            low, high = option.metadata["range"]
            control = ipywidgets.Dropdown(options=range(low, high + 1), value=value)
        elif option.default is None or option.name in self._tuples:
            control = self._text(_written(value))
        elif "range" in option.metadata:
            low, high = option.metadata["range"]
            control = ipywidgets.BoundedIntText(value, min=low, max=high)
        elif option.metadata["choices"] == (False, True):
            control = ipywidgets.Checkbox(value, indent=False)
        else:
            control = self._choice(option.metadata["choices"], value, key)
        return self._named(control, key)


def _most_seats(game: Game) -> int:
    """How many can play the game, under other options too."""
    ranges = {
        option.name: option.metadata["range"]
        for option in fields(game.rules)
        if "range" in option.metadata
    }
    most: int = ranges[PLAYERS][1] if PLAYERS in ranges else game.num_players
    return most


def _box(look: str, parts: Sequence[Any]) -> ipywidgets.Box:
    box = ipywidgets.Box(parts)
    box.add_class(look)
    return box


def _sentence(key: str, default: str, lang: str) -> str:
    return locale.text(key, lang) if locale.has(key, lang) else default


def _is_text(control: Any) -> bool:
    return isinstance(control, ipywidgets.Text)


def _written(value: int | Sequence[int] | None) -> str:
    """One number, several or none as a person writes them."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int) else " ".join(map(str, value))


def _numbers(text: str, several: bool) -> Any:
    """The reverse of :func:`_written`; what is no number stays text, which the rules refuse."""
    try:
        found = tuple(int(word) for word in text.replace(",", " ").split())
    except ValueError:
        return text
    return found if several else found[0] if len(found) == 1 else text if found else None


def _whole_number(text: str, key: str) -> int | None:
    try:
        return int(text) if text.strip() else None
    except ValueError:
        raise RulesError(key, value=repr(text)) from None
