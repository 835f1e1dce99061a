"""The tuner: sliders for the copies of each number in a deck, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets
import plotly.graph_objects as go

from cardlab import locale, plots
from cardlab.analysis.draws import Deck, balance
from cardlab.errors import CardlabError
from cardlab.widgets.board import Pictured

MOST = 20
"""The most copies of a number."""

DRAFT = (15, 15, 10, 10, 5, 5)
"""Copies of the numbers 1 to 6 in the draft ``d4``."""


class Tuner(Pictured, ipywidgets.VBox):  # type: ignore[misc]
    """Sliders for the copies of each number, and what they make of the chance to complete a set.

    Parameters
    ----------
    counts
        The copies of each number to begin with, from 1 up.
    drawn
        How many cards a player draws.
    least
        How many cards of one number make a set.
    others
        Cards that are no numbers.
    lang
        Language of every text.

    Raises :class:`~cardlab.errors.CardlabError` for values that cannot be.

    >>> tuner = Tuner()
    >>> tuner.balance()
    >>> tuner.counts
    (6, 10, 11, 11, 11, 11)
    """

    def __init__(
        self,
        counts: Sequence[int] = DRAFT,
        drawn: int = 10,
        least: int = 3,
        others: int = 0,
        lang: str = "en",
    ) -> None:
        deck = Deck(tuple(counts), others, least)
        deck.table(drawn)
        self.lang, self._first = lang, deck.counts
        self._copies = [
            self._slider(count, 0, max(MOST, count), "copies", number=number)
            for number, count in enumerate(deck.counts, start=1)
        ]
        self._drawn = self._slider(drawn, 1, 30, "drawn")
        self._least = self._slider(least, 2, 5, "least")
        self._others = self._slider(others, 0, max(MOST, others), "others")
        buttons = [self._button("balance", self.balance), self._button("reset", self.reset)]
        self.status = ipywidgets.HTML()
        self.figure = go.FigureWidget(plots.sets_by_number(deck.table(drawn), lang))
        general = [self._drawn, self._least, self._others, ipywidgets.HBox(buttons)]
        super().__init__(
            [
                ipywidgets.HBox([ipywidgets.VBox(self._copies), ipywidgets.VBox(general)]),
                self.status,
                self.figure,
            ]
        )
        for slider in self._sliders:
            slider.observe(self._on_change, "value")
        self._show()

    def _slider(self, value: int, low: int, high: int, name: str, **params: Any) -> Any:
        return ipywidgets.IntSlider(
            value,
            low,
            high,
            description=locale.text(f"widgets.tuner.{name}", self.lang, **params),
            style={"description_width": "9em"},
        )

    def _button(self, name: str, do: Any) -> Any:
        button = ipywidgets.Button(description=locale.text(f"widgets.tuner.{name}", self.lang))
        button.on_click(lambda _: do())
        return button

    @property
    def _sliders(self) -> list[Any]:
        return [*self._copies, self._drawn, self._least, self._others]

    # What is set.

    @property
    def counts(self) -> tuple[int, ...]:
        """The copies of each number, from 1 up."""
        return tuple(slider.value for slider in self._copies)

    @counts.setter
    def counts(self, counts: Sequence[int]) -> None:
        deck = Deck(tuple(counts))
        if len(deck.counts) != len(self._copies):
            deck.chance_of_set(len(self._copies), 0)
        with self.hold_trait_notifications():
            for slider, count in zip(self._copies, deck.counts, strict=True):
                slider.max = max(slider.max, count)
                slider.value = count

    @property
    def deck(self) -> Deck:
        """The deck as it is set."""
        return Deck(self.counts, self._others.value, self._least.value)

    @property
    def drawn(self) -> int:
        """How many cards are drawn."""
        return int(self._drawn.value)

    def balance(self) -> None:
        """Share out the same number of cards so that all numbers bring as nearly the same."""
        deck = self.deck
        try:
            found = balance(
                len(deck.counts),
                deck.cards,
                self.drawn,
                deck.least,
                fewest=min(deck.least, sum(deck.counts) // len(deck.counts)),
                most=max(MOST, *deck.counts),
                others=deck.others,
            )
        except CardlabError as error:
            self._refuse(error)
        else:
            self.counts = found.counts

    def reset(self) -> None:
        """Back to the copies of the beginning."""
        self.counts = self._first

    # What is shown.

    def _on_change(self, _change: object) -> None:
        self._show()

    def _show(self) -> None:
        try:
            table = self.deck.table(self.drawn)
        except CardlabError as error:
            self._refuse(error)
            return
        self.status.value = escape(self.summary)
        made = plots.sets_by_number(table, self.lang)
        with self.figure.batch_update():
            for trace, new in zip(self.figure.data, made.data, strict=True):
                trace.y, trace.hovertext = new.y, new.hovertext
            self.figure.layout.yaxis2.range = made.layout.yaxis2.range

    def _refuse(self, error: CardlabError) -> None:
        self.status.value = f"<b>{escape(error.text(self.lang))}</b>"

    @property
    def summary(self) -> str:
        """The deck in one line."""
        deck = self.deck
        worth = deck.table(self.drawn)["worth"]
        gap = f"{worth.max() - worth.min():.2f}"
        if max(deck.counts) < deck.least:
            return locale.text("widgets.tuner.no_set", self.lang, cards=deck.cards, gap=gap)
        return locale.text(
            "widgets.tuner.summary",
            self.lang,
            cards=deck.cards,
            drawn=self.drawn,
            chance=f"{float(deck.chance_of_any_set(self.drawn)):.1%}",
            draws=f"{float(deck.draws_to_first_set()):.1f}",
            gap=gap,
        )

    def picture(self) -> str:
        """A still picture as HTML: the summary and a table."""
        heads = [
            locale.text(f"widgets.tuner.{name}", self.lang)
            for name in ("number", "table_copies", "set", "worth")
        ]
        rows = [
            (str(row.number), str(row.copies), f"{row.set:.1%}", f"{row.worth:+.2f}")
            for row in self.deck.table(self.drawn).itertuples()
        ]
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        head = "".join(f"<th>{escape(name)}</th>" for name in heads)
        return f"<p>{escape(self.summary)}</p><table><tr>{head}</tr>{body}</table>"

    def __repr__(self) -> str:
        return f"<Tuner {' '.join(map(str, self.counts))}, {self.drawn} drawn>"
