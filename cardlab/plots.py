"""Plotly figures of decks and games, in one style and every language of cardlab.

Each function takes a table and gives a :class:`plotly.graph_objects.Figure`; the table is the
DataFrame of the function that is named with it, or anything whose columns are reached by their
names, such as a dictionary of lists, so that figures also work where there is no pandas. What is
left out is counted for the default game.

>>> from cardlab import plots
>>> plots.effect_of_cap(lang="ja").layout.title.text
'上限の効果'
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import plotly.graph_objects as go
import plotly.io as pio

from cardlab import locale
from cardlab.cards import RANKS
from cardlab.engine import Event, seat_name
from cardlab.errors import RulesError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TEMPLATE",
    "best_by_sum",
    "card_shares",
    "card_worth",
    "composition",
    "copies_by_rule",
    "decks_by_high_cards",
    "decks_by_sum",
    "effect_of_cap",
    "outcome_shares",
    "sets_by_number",
    "shield_race",
    "shields_by_turn",
    "worth_of_cap",
]


_RANK_NAMES = ["10" if name == "T" else name for name in RANKS]


class Table(Protocol):
    """Columns by their names: a DataFrame, a dictionary of lists."""

    def __getitem__(self, name: str, /) -> Any: ...


# ------------------------------------------------------------------------------------------- style

# Colours of Okabe and Ito, which people with any kind of colour vision tell apart.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#8C8C8C"
PALE = "#C9D6DF"
INK = "#22303C"
SEATS = (BLUE, VERMILION, "#009E73", "#E69F00", "#CC79A7", "#56B4E9")
"""The colours of seats, the first one first."""

BLUES = ("#C6DBEF", "#5BA3D0", "#08468B")
"""Light to dark, for amounts."""

_AXIS = {
    "automargin": True,
    "gridcolor": "#E6EAED",
    "linecolor": "#AAB4BC",
    "showline": True,
    "ticks": "outside",
    "tickcolor": "#AAB4BC",
    "title": {"standoff": 10, "font": {"size": 13}},
    "zeroline": False,
}

TEMPLATE = "cardlab"
"""Name of the style, for figures of one's own: ``update_layout(template=plots.TEMPLATE)``."""

pio.templates[TEMPLATE] = go.layout.Template(
    layout={
        "colorway": list(SEATS),
        "font": {
            "family": "system-ui, 'Segoe UI', 'Hiragino Sans', 'Yu Gothic UI', 'Noto Sans CJK JP', "
            "'Noto Sans', sans-serif",
            "size": 13,
            "color": INK,
        },
        "title": {
            "font": {"size": 18},
            "subtitle": {"font": {"size": 12, "color": "#5A6872"}},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 12, "l": 10},
        },
        "autosize": True,
        "height": 420,
        "margin": {"l": 10, "r": 16, "t": 80, "b": 10},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "xaxis": {**_AXIS, "showgrid": False},
        "yaxis": _AXIS,
        "bargap": 0.12,
        "hoverlabel": {"font": {"size": 13}, "align": "left"},
        # Below the plot, where it finds room for one line more when the page is narrow.
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "title": {"font": {"size": 13}},
        },
        "separators": ".,",
    }
)


def _figure(traces: Iterable[Any], key: str, lang: str, **params: Any) -> go.Figure:
    """A figure with the title, subtitle and axis titles that the catalogue has for ``key``."""

    def text(part: str) -> str | None:
        name = f"plots.{key}.{part}"
        return locale.text(name, lang, **params) if locale.has(name, lang) else None

    figure = go.Figure(list(traces))
    figure.update_layout(
        template=TEMPLATE,
        title={"text": text("title"), "subtitle": {"text": text("subtitle")}},
        xaxis={"title": {"text": text("x")}},
        yaxis={"title": {"text": text("y")}},
    )
    return figure


def _percent(share: float) -> str:
    """A share as people read it; small ones keep two digits that count.

    >>> _percent(0.32263), _percent(0.00555), _percent(0.0), _percent(1.0)
    ('32.3%', '0.56%', '0%', '100%')
    """
    percent = 100 * share
    digits = 0 if percent in (0, 100) else 1 if percent >= 1 else 2
    return f"{percent:.{digits}f}%"


def _amount_axis(top: int, lang: str) -> dict[str, Any]:
    """An axis for numbers up to ``top``, ticks in the large units of a language."""
    power: int = 10 ** int(math.log10(max(top / 2, 1)))
    step = next(power * k for k in (1, 2, 5, 10) if top <= 5 * power * k)
    ticks = range(0, top + step, step)
    return {
        "tickvals": list(ticks),
        "ticktext": [_amount(tick, lang) for tick in ticks],
        "range": [0, 1.12 * top],
    }


def _amount(number: int, lang: str) -> str:
    """A round number with its large unit.

    >>> _amount(2_000_000, "en"), _amount(2_000_000, "ja"), _amount(500, "ja")
    ('2M', '200万', '500')
    """
    units = {"ja": ((10**8, "億"), (10**4, "万"))}.get(lang, ((10**6, "M"), (10**3, "k")))
    for unit, name in units:
        if number >= unit:
            return f"{number / unit:g}{name}"
    return f"{number:g}"


# ------------------------------------------------------------------------------------------- decks


def decks_by_sum(table: Table | None = None, cap: int = 100, lang: str = "en") -> go.Figure:
    """Number of decks for each sum, with the cap marked.

    ``table`` is one of :func:`cardlab.analysis.decks.histogram`.
    """
    if table is None:
        from cardlab.analysis import decks

        table = decks.histogram()
    sums, numbers, up_to = (list(table[name]) for name in ("sum", "decks", "cumulative"))
    legal = _at(cap, sums, up_to)
    figure = _figure(
        [
            go.Bar(
                x=sums,
                y=numbers,
                marker={"color": [BLUE if total <= cap else PALE for total in sums]},
                hoverinfo="text",
                hovertext=[
                    locale.text("plots.sum.hover", lang, sum=total, decks=f"{n:,}", up_to=f"{m:,}")
                    for total, n, m in zip(sums, numbers, up_to, strict=True)
                ],
            )
        ],
        "sum",
        lang,
        cap=cap,
        legal=f"{legal:,}",
        all=f"{max(up_to, default=0):,}",
    )
    figure.update_layout(yaxis=_amount_axis(max(numbers, default=1), lang), bargap=0.05)
    return _mark_cap(figure, cap, lang, cap + 0.5)


def effect_of_cap(table: Table | None = None, cap: int = 100, lang: str = "en") -> go.Figure:
    """How many decks would be legal under each cap, with the game's own marked.

    ``table`` is one of :func:`cardlab.analysis.decks.histogram`.
    """
    if table is None:
        from cardlab.analysis import decks

        table = decks.histogram()
    caps, legal = list(table["sum"]), list(table["cumulative"])
    every = max(legal, default=0)
    here = _at(cap, caps, legal)
    shares = [number / every for number in legal]
    figure = _figure(
        [
            go.Scatter(
                x=caps,
                y=legal,
                mode="lines",
                line={"shape": "hv", "width": 3, "color": BLUE},
                hoverinfo="text",
                hovertext=[
                    locale.text(
                        "plots.cap.hover", lang, cap=x, decks=f"{y:,}", share=_percent(share)
                    )
                    for x, y, share in zip(caps, legal, shares, strict=True)
                ],
                showlegend=False,
            ),
            go.Scatter(
                x=[cap],
                y=[here],
                mode="markers",
                marker={"size": 11, "color": VERMILION},
                hoverinfo="skip",
                showlegend=False,
            ),
        ],
        "cap",
        lang,
        cap=cap,
        legal=f"{here:,}",
        share=_percent(here / every if every else 0),
    )
    figure.update_layout(yaxis=_amount_axis(every or 1, lang))
    return _mark_cap(figure, cap, lang, cap)


def _at(cap: int, sums: Sequence[int], up_to: Sequence[int]) -> int:
    """The number of decks up to the cap, which need not be a sum that occurs."""
    return max((n for total, n in zip(sums, up_to, strict=True) if total <= cap), default=0)


def _mark_cap(figure: go.Figure, cap: int, lang: str, x: float) -> go.Figure:
    figure.add_vline(x=x, line={"color": VERMILION, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=x,
        y=1,
        yref="paper",
        text=locale.text("plots.cap.mark", lang, cap=cap),
        font={"color": VERMILION},
        showarrow=False,
        xanchor="left",
        yanchor="top",
        xshift=5,
    )
    return figure


def decks_by_high_cards(table: Table | None = None, lang: str = "en") -> go.Figure:
    """Shares of the legal decks by their numbers of kings and of queens.

    ``table`` is one of :func:`cardlab.analysis.decks.kings_and_queens`.
    """
    if table is None:
        from cardlab.analysis import decks

        table = decks.kings_and_queens()
    columns = (list(table[name]) for name in ("kings", "queens", "decks", "share"))
    rows = list(zip(*columns, strict=True))
    figure = _figure(
        (
            go.Bar(
                name=locale.text("plots.high.copies", lang, n=count),
                x=[kings for kings, queens, _, _ in rows if queens == count],
                y=[100 * share for _, queens, _, share in rows if queens == count],
                marker={"color": BLUES[count]},
                hoverinfo="text",
                hovertext=[
                    locale.text(
                        "plots.high.hover",
                        lang,
                        kings=kings,
                        queens=queens,
                        decks=f"{decks:,}",
                        share=_percent(share),
                    )
                    for kings, queens, decks, share in rows
                    if queens == count
                ],
            )
            for count in range(3)
        ),
        "high",
        lang,
    )
    figure.update_layout(
        barmode="stack",
        bargap=0.35,
        xaxis={"tickvals": [0, 1, 2]},
        yaxis={"ticksuffix": "%"},
        legend={
            "title": {"text": locale.text("plots.high.queens", lang)},
            "traceorder": "normal",
        },
    )
    return figure


def composition(table: Table | None = None, lang: str = "en") -> go.Figure:
    """Heat map: in how many of the legal decks there are no, one or two cards of a number.

    ``table`` is one of :func:`cardlab.analysis.decks.composition`.
    """
    if table is None:
        from cardlab.analysis import decks

        table = decks.composition()
    cells = {
        (copies, rank): (decks, share)
        for rank, copies, decks, share in zip(
            *(table[name] for name in ("rank", "copies", "decks", "share")), strict=True
        )
    }
    names = _RANK_NAMES
    grid = [[cells[copies, rank] for rank in range(1, 14)] for copies in range(3)]
    figure = _figure(
        [
            go.Heatmap(
                x=names,
                y=[0, 1, 2],
                z=[[100 * share for _, share in row] for row in grid],
                zmin=0,
                xgap=2,
                ygap=2,
                colorscale=[[0, "#F4F7FA"], [0.5, BLUES[1]], [1, BLUES[2]]],
                texttemplate="%{z:.0f}",
                showscale=False,
                hoverinfo="text",
                hovertext=[
                    [
                        locale.text(
                            "plots.composition.hover",
                            lang,
                            rank=name,
                            n=copies,
                            decks=f"{decks:,}",
                            share=_percent(share),
                        )
                        for name, (decks, share) in zip(names, row, strict=True)
                    ]
                    for copies, row in zip(range(3), grid, strict=True)
                ],
            )
        ],
        "composition",
        lang,
    )
    figure.update_layout(
        xaxis={"type": "category", "showline": False, "ticks": "", "tickangle": 0},
        yaxis={"tickvals": [0, 1, 2], "showgrid": False, "showline": False, "ticks": ""},
    )
    return figure


# ----------------------------------------------------------------------------------- optimal decks


def best_by_sum(table: Table, lang: str = "en") -> go.Figure:
    """What the best deck and the mean deck of each sum win against the optimal mixture.

    ``table`` is one of :func:`cardlab.analysis.worth.by_sum`.
    """
    sums, best, mean = (list(table[name]) for name in ("sum", "best", "mean"))
    lines = (("best", best, BLUE, "solid"), ("mean", mean, GREY, "dash"))
    figure = _figure(
        (
            go.Scatter(
                name=locale.text(f"plots.bysum.{name}", lang),
                x=sums,
                y=values,
                mode="lines",
                line={"color": colour, "dash": dash, "width": 3},
                hoverinfo="text",
                hovertext=[
                    locale.text(f"plots.bysum.hover_{name}", lang, sum=total, value=_signed(value))
                    for total, value in zip(sums, values, strict=True)
                ],
            )
            for name, values, colour, dash in lines
        ),
        "bysum",
        lang,
    )
    figure.update_layout(yaxis={"tickformat": "+.1f"})
    return figure


def card_worth(table: Table, lang: str = "en") -> go.Figure:
    """What each card adds to the value of a deck, and what its number costs of the cap.

    The straight line is nearest to all cards. A card above it is worth more than its number costs.
    ``table`` is one of :func:`cardlab.analysis.worth.cards`.
    """
    columns = (list(table[name]) for name in ("rank", "colour", "additive"))
    rows = list(zip(*columns, strict=True))
    slope, start = _line([row[0] for row in rows], [row[2] for row in rows])
    looks = (("black", INK, "circle"), ("red", VERMILION, "diamond"))
    traces: list[Any] = [
        go.Scatter(
            name=locale.text("plots.worth.price", lang),
            x=[1, 13],
            y=[start + slope, start + 13 * slope],
            mode="lines",
            line={"color": GREY, "dash": "dash", "width": 2},
            hoverinfo="skip",
        )
    ]
    for colour, paint, symbol in looks:
        mine = [(rank, worth) for rank, shade, worth in rows if shade == colour]
        traces.append(
            go.Scatter(
                name=locale.text(f"plots.worth.{colour}", lang),
                x=[rank for rank, _ in mine],
                y=[worth for _, worth in mine],
                mode="markers",
                marker={"color": paint, "symbol": symbol, "size": 11},
                hoverinfo="text",
                hovertext=[
                    locale.text(
                        f"plots.worth.hover_{colour}",
                        lang,
                        rank=_RANK_NAMES[rank - 1],
                        worth=_signed(worth),
                        over=_signed(worth - start - slope * rank),
                    )
                    for rank, worth in mine
                ],
            )
        )
    figure = _figure(traces, "worth", lang)
    figure.update_layout(
        xaxis={"tickvals": list(range(1, 14)), "ticktext": _RANK_NAMES},
        yaxis={"tickformat": "+.1f"},
    )
    return figure


def _line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Slope and start of the straight line nearest to some points (least squares)."""
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    both = sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True))
    slope = both / sum((x - middle_x) ** 2 for x in xs)
    return slope, middle_y - slope * middle_x


def _signed(value: float) -> str:
    """A value as people read it, with its sign.

    >>> _signed(0.0217), _signed(-0.3), _signed(-1e-17)
    ('+0.022', '-0.300', '0.000')
    """
    return f"{value:+.3f}" if abs(value) >= 0.0005 else "0.000"


def card_shares(table: Table, lang: str = "en") -> go.Figure:
    """Heat map: in what share of some decks there is each card.

    ``table`` has the columns ``rank``, ``colour`` and ``share``, as those of
    :func:`cardlab.analysis.decks.membership`, :func:`cardlab.analysis.worth.cards` and
    :func:`cardlab.analysis.worth.holding`.
    """
    columns = (list(table[name]) for name in ("rank", "colour", "share"))
    shares = {(colour, rank): share for rank, colour, share in zip(*columns, strict=True)}
    grid = [[100 * shares.get((colour, r), 0) for r in range(1, 14)] for colour in ("red", "black")]
    figure = _figure(
        [
            _heat(
                _RANK_NAMES,
                [0, 1],
                grid,
                100,
                [
                    [
                        locale.text(
                            f"plots.shares.hover_{colour}",
                            lang,
                            rank=name,
                            share=_percent(cell / 100),
                        )
                        for name, cell in zip(_RANK_NAMES, row, strict=True)
                    ]
                    for colour, row in zip(("red", "black"), grid, strict=True)
                ],
                "%{z:.0f}",
            )
        ],
        "shares",
        lang,
    )
    colours = [locale.text(f"plots.worth.{colour}", lang) for colour in ("red", "black")]
    figure.update_layout(
        height=280,
        xaxis={"type": "category", "showline": False, "ticks": "", "tickangle": 0},
        yaxis={
            "tickvals": [0, 1],
            "ticktext": colours,
            "showgrid": False,
            "showline": False,
            "ticks": "",
        },
    )
    return figure


def copies_by_rule(table: Table, by: str, lang: str = "en") -> go.Figure:
    """Heat map: how many cards of each number the optimal mixture holds, rule by rule.

    Parameters
    ----------
    table
        One of :func:`cardlab.analysis.worth.copies`.
    by
        The column that changes: ``"cap"`` or ``"n_shields"``.
    """
    columns = (list(table[name]) for name in (by, "rank", "copies"))
    cells = {(x, rank): copies for x, rank, copies in zip(*columns, strict=True)}
    xs = sorted({x for x, _ in cells})
    grid = [[cells[x, rank] for x in xs] for rank in range(1, 14)]
    figure = _figure(
        [
            _heat(
                xs,
                list(range(1, 14)),
                grid,
                2,
                [
                    [
                        locale.text(
                            f"plots.copies_{by}.hover", lang, x=x, rank=name, copies=f"{cell:.2f}"
                        )
                        for x, cell in zip(xs, row, strict=True)
                    ]
                    for name, row in zip(_RANK_NAMES, grid, strict=True)
                ],
            )
        ],
        f"copies_{by}",
        lang,
    )
    figure.update_layout(
        height=480,
        xaxis={"dtick": 5 if len(xs) > 20 else 1, "showline": False},
        yaxis={
            "tickvals": list(range(1, 14)),
            "ticktext": _RANK_NAMES,
            "showgrid": False,
            "showline": False,
            "ticks": "",
        },
    )
    return figure


def worth_of_cap(table: Table, lang: str = "en") -> go.Figure:
    """What the best deck under each cap wins against the optimal mixture of the default rules.

    ``table`` has the columns ``cap`` and ``against_default``, as those of ``gpt_what_if.csv``.
    """
    caps, gains = list(table["cap"]), list(table["against_default"])
    figure = _figure(
        [
            go.Scatter(
                x=caps,
                y=gains,
                mode="lines+markers",
                line={"color": BLUE, "width": 3},
                marker={"size": 6},
                hoverinfo="text",
                hovertext=[
                    locale.text("plots.worthcap.hover", lang, cap=cap, value=_signed(gain))
                    for cap, gain in zip(caps, gains, strict=True)
                ],
            )
        ],
        "worthcap",
        lang,
    )
    figure.add_hline(y=0, line={"color": GREY, "width": 1})
    figure.update_layout(yaxis={"tickformat": "+.1f"})
    return figure


def _heat(
    x: Sequence[Any],
    y: Sequence[Any],
    grid: Sequence[Sequence[float]],
    top: float,
    words: Sequence[Sequence[str]],
    text: str | None = None,
) -> go.Heatmap:
    """A heat map from nothing to ``top``, the same colours in all of them."""
    return go.Heatmap(
        x=x,
        y=y,
        z=grid,
        zmin=0,
        zmax=top,
        xgap=2,
        ygap=2,
        colorscale=[[0, "#F4F7FA"], [0.5, BLUES[1]], [1, BLUES[2]]],
        texttemplate=text,
        showscale=False,
        hoverinfo="text",
        hovertext=words,
    )


# -------------------------------------------------------------------------------------------- sets


def sets_by_number(table: Table, lang: str = "en") -> go.Figure:
    """The chance of a set of each number (bars), and what the number brings (points, right axis).

    ``table`` is one of :meth:`cardlab.analysis.draws.Deck.table`.
    """
    columns = ("number", "copies", "mean", "set", "worth")
    numbers, copies, means, sets, worths = (list(table[name]) for name in columns)
    hover = [
        locale.text(
            "plots.sets.hover",
            lang,
            number=number,
            n=n,
            mean=f"{mean:.2f}",
            chance=_percent(chance),
            worth=f"{worth:+.2f}",
        )
        for number, n, mean, chance, worth in zip(numbers, copies, means, sets, worths, strict=True)
    ]
    figure = _figure(
        [
            go.Bar(
                x=numbers,
                y=[100 * chance for chance in sets],
                name=locale.text("plots.sets.chance", lang),
                marker={"color": BLUE},
                hoverinfo="text",
                hovertext=hover,
            ),
            go.Scatter(
                x=numbers,
                y=worths,
                name=locale.text("plots.sets.worth", lang),
                mode="markers",
                marker={"color": VERMILION, "size": 11, "symbol": "diamond"},
                yaxis="y2",
                hoverinfo="skip",
            ),
        ],
        "sets",
        lang,
    )
    reach = 1.15 * max([abs(worth) for worth in worths] or [1]) or 1
    figure.update_layout(
        xaxis={"dtick": 1},
        yaxis={"range": [-100, 100], "tickvals": [0, 25, 50, 75, 100], "ticksuffix": "%"},
        yaxis2={
            "title": {"text": locale.text("plots.sets.y2", lang)},
            "range": [-reach, reach],
            "overlaying": "y",
            "side": "right",
            "showgrid": False,
        },
    )
    return figure


# ------------------------------------------------------------------------------------------- games


def shields_by_turn(log: Iterable[Event]) -> pd.DataFrame:
    """The shields of each seat at the start (turn 0) and after each turn of a game.

    ``log`` is that of a state or of an observation. Columns ``turn``, ``seat``, ``shields`` (all
    int64), one row for each turn and seat; none before the shields are down.

    Raises :class:`RulesError` for what is no log.
    """
    import pandas as pd

    return pd.DataFrame(_shields(_log(log)), dtype="int64")


def _log(game: Any) -> list[Event]:
    """The events of a log, if it is one."""
    events = list(game) if isinstance(game, Iterable) else [game]
    if not all(isinstance(event, Event) for event in events):
        raise RulesError("plots.error.race", value=reprlib.repr(game))
    return events


_TURN = {"gpt.clash", "gpt.clash_colour", "gpt.tie"}
_LOSS = {"gpt.strike", "gpt.remove"}


def _shields(log: Iterable[Event]) -> dict[str, list[int]]:
    """:func:`shields_by_turn` without pandas."""
    turns: list[list[int]] = []
    for event in log:
        if event.kind == "gpt.shields_down":
            turns = [[event.data["n"]] * 2]
        elif event.kind in _TURN and turns:
            turns.append(turns[-1].copy())
        elif event.kind in _LOSS and turns:
            turns[-1][event.data["target"]] -= 1
    rows = [
        (turn, seat, shields)
        for turn, left in zip(range(len(turns)), turns, strict=True)
        for seat, shields in zip(range(2), left, strict=True)
    ]
    return {
        name: [row[place] for row in rows]
        for place, name in zip(range(3), ("turn", "seat", "shields"), strict=True)
    }


def shield_race(
    game: Iterable[Event] | Table, lang: str = "en", names: Sequence[str] | None = None
) -> go.Figure:
    """The shields that each seat has left after each turn of one game.

    Parameters
    ----------
    game
        The log of a state or of an observation, or the table that :func:`shields_by_turn` makes
        from it.
    names
        What the seats are called.

    Raises :class:`RulesError` for what is neither.
    """
    given: Any = game
    is_table = isinstance(game, Mapping) or hasattr(game, "columns")
    table = given if is_table else _shields(_log(given))
    if not {"turn", "seat", "shields"} <= {*table}:
        raise RulesError("plots.error.race", value=reprlib.repr(game))
    rows = list(zip(*(table[name] for name in ("turn", "seat", "shields")), strict=True))
    # Where both have equally many, the first line shows between the dashes of the second.
    styles = (
        {"color": BLUE, "dash": "solid", "symbol": "circle", "width": 4},
        {"color": VERMILION, "dash": "dash", "symbol": "diamond", "width": 2.5},
    )
    figure = _figure(
        (
            go.Scatter(
                name=seat_name(seat, lang, names),
                x=[turn for turn, owner, _ in rows if owner == seat],
                y=[shields for _, owner, shields in rows if owner == seat],
                mode="lines+markers",
                line={
                    "shape": "hv",
                    "color": style["color"],
                    "dash": style["dash"],
                    "width": style["width"],
                },
                marker={"symbol": style["symbol"], "size": 9, "color": style["color"]},
                hoverinfo="text",
                hovertext=[
                    locale.text(
                        "plots.race.hover",
                        lang,
                        turn=turn,
                        player=seat_name(seat, lang, names),
                        n=shields,
                    )
                    for turn, owner, shields in rows
                    if owner == seat
                ],
            )
            for seat, style in zip(range(2), styles, strict=True)
        ),
        "race",
        lang,
    )
    most = max((shields for _, _, shields in rows), default=1)
    figure.update_layout(
        xaxis={"dtick": 1, "rangemode": "tozero"},
        yaxis={"dtick": 1 if most <= 8 else 5, "range": [-0.2, most + 0.4]},
        hovermode="closest",
    )
    return figure


def outcome_shares(
    games: pd.DataFrame,
    lang: str = "en",
    names: Sequence[str] | None = None,
    by: str | None = None,
) -> go.Figure:
    """Shares of wins and draws among simulated games, with 95 % confidence intervals.

    ``games`` and ``by`` are as in :func:`cardlab.analysis.simulate.outcome_shares`, for any number
    of seats; ``names`` are the seats' names.
    """
    import pandas as pd

    from cardlab.analysis import simulate

    table = simulate.outcome_shares(games, by)
    rows: list[Any] = list(table.itertuples(index=False))
    winners = [None if seat is pd.NA else int(seat) for seat in table["winner"].drop_duplicates()]
    labels = [
        locale.text("plots.outcomes.draw", lang) if seat is None else seat_name(seat, lang, names)
        for seat in winners
    ]
    # One bar each, called by its outcome and share; or as many bars for each group.
    ticks = [str(row[0]) for row in rows[:: len(winners)]]
    if by is None:
        shares = [_percent(row.share) for row in rows]
        ticks = [f"{label}<br>{share}" for label, share in zip(labels, shares, strict=True)]
    traces = []
    for place, (seat, label) in enumerate(zip(winners, labels, strict=True)):
        colour = GREY if seat is None else SEATS[seat % len(SEATS)]
        mine = rows[place :: len(winners)]
        traces.append(
            go.Bar(
                name=label,
                orientation="h",
                x=[100 * row.share for row in mine],
                y=list(range(len(mine))) if by else [place],
                marker={"color": colour},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [100 * (row.high - row.share) for row in mine],
                    "arrayminus": [100 * (row.share - row.low) for row in mine],
                    "color": INK,
                    "thickness": 2,
                },
                hoverinfo="text",
                hovertext=[
                    locale.text(
                        "plots.outcomes.hover",
                        lang,
                        outcome=f"{row[0]} · {label}" if by else label,
                        count=f"{row.count:,}",
                        games=f"{row.games:,}",
                        share=_percent(row.share),
                        low=_percent(row.low),
                        high=_percent(row.high),
                    )
                    for row in mine
                ],
                showlegend=by is not None,
            )
        )
    figure = _figure(traces, "outcomes", lang, games=f"{len(games):,}")
    figure.update_layout(
        barmode="group" if by else "stack",
        bargap=0.3,
        height=120 + 60 * len(ticks) if by is None else 170 + 30 * len(rows),
        xaxis={"ticksuffix": "%", "rangemode": "tozero", "showgrid": True},
        yaxis={
            "tickvals": list(range(len(ticks))),
            "ticktext": ticks,
            "autorange": "reversed",
            "showgrid": False,
            "ticks": "",
        },
    )
    return figure
