"""``cardlab decks``: count, list and write the legal decks of GPT."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from cardlab.cards import RANKS
from cardlab.cli import UsageError
from cardlab.cli.options import AsJson, Lang
from cardlab.cli.output import (
    bar,
    card_text,
    check_ending,
    console,
    names_text,
    print_json,
    words,
    write_table,
)
from cardlab.errors import NotationError
from cardlab.games.gpt_deck import CAP, SIZE, UNIVERSE, Deck

if TYPE_CHECKING:
    from cardlab.analysis.decks import Decks

app = typer.Typer(help="cli.help.decks", invoke_without_command=True)

Size = Annotated[int, typer.Option("--size", help="cli.option.size")]
Cap = Annotated[int, typer.Option("--cap", help="cli.option.cap")]
Sum = Annotated[int | None, typer.Option("--sum", help="cli.option.sum")]
With = Annotated[str, typer.Option("--with", metavar="CARDS", help="cli.option.with")]
Without = Annotated[str, typer.Option("--without", metavar="CARDS", help="cli.option.without")]
AtLeast = Annotated[
    list[str] | None, typer.Option("--at-least", metavar="RANK=N", help="cli.option.at_least")
]
AtMost = Annotated[
    list[str] | None, typer.Option("--at-most", metavar="RANK=N", help="cli.option.at_most")
]
Limit = Annotated[int, typer.Option("--limit", min=0, help="cli.option.limit")]
Chosen = Annotated[list[str] | None, typer.Argument(metavar="CARDS", help="cli.option.chosen")]
File = Annotated[Path, typer.Argument(help="cli.option.file")]


@app.callback()
def decks(context: typer.Context, as_json: AsJson = False, lang: Lang = "") -> None:
    """Without a command, the number of legal decks."""
    if context.invoked_subcommand is None:
        count(as_json=as_json, lang=lang)


@app.command(help="cli.help.decks.count")
def count(
    size: Size = SIZE,
    cap: Cap = CAP,
    exact_sum: Sum = None,
    required: With = "",
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """How many decks there are under the conditions."""
    from cardlab.analysis import decks

    conditions = _conditions(required, excluded, at_least, at_most)
    number = decks.count(size, cap, exact_sum=exact_sum, **conditions)
    if as_json:
        print_json({"count": number})
    else:
        print(_count_text(number, lang))


@app.command(help="cli.help.decks.histogram")
def histogram(
    size: Size = SIZE,
    cap: Cap = CAP,
    required: With = "",
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """How many decks there are with each sum up to the cap."""
    from cardlab.analysis import decks

    conditions = _conditions(required, excluded, at_least, at_most)
    decks.count(size, cap, **conditions)  # refuses a cap that is no cap
    frame = decks.histogram(size, **conditions).query("sum <= @cap")
    if as_json:
        print_json(frame.to_dict("records"))
        return
    text = words(lang)
    table = Table(*map(text, ("decks.sum", "decks.decks", "decks.cumulative")), "", box=None)
    for column in table.columns[:3]:
        column.justify = "right"
    most = frame["decks"].max()
    for total, number, cumulative in frame.itertuples(index=False):
        table.add_row(str(total), f"{number:,}", f"{cumulative:,}", bar(number / most))
    console().print(table)


@app.command("list", help="cli.help.decks.list")
def list_decks(
    size: Size = SIZE,
    cap: Cap = CAP,
    exact_sum: Sum = None,
    required: With = "",
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    limit: Limit = 20,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """The decks under the conditions, those with the strongest king first."""
    from cardlab.analysis import decks

    conditions = _conditions(required, excluded, at_least, at_most)
    _show(decks.enumerate(size, cap, exact_sum=exact_sum, **conditions), limit, as_json, lang)


@app.command(help="cli.help.decks.best")
def best(
    size: Size = SIZE,
    cap: Cap = CAP,
    required: With = "",
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    limit: Limit = 1,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """The decks that use most of the cap, those with the strongest king first."""
    conditions = _conditions(required, excluded, at_least, at_most)
    _show(_highest(size, cap, conditions), limit, as_json, lang)


@app.command(help="cli.help.decks.complete")
def complete(
    chosen: Chosen = None,
    size: Size = SIZE,
    cap: Cap = CAP,
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """What can become of a deck that is partly chosen."""
    from cardlab.analysis import decks

    partial = _deck(" ".join(chosen or ()))
    conditions = _conditions("", excluded, at_least, at_most) | {"required": partial}
    number = decks.count(size, cap, **conditions)
    held = decks.membership(size, cap, **conditions)["decks"].tolist()
    further = {
        card: held for card, held in zip(UNIVERSE[0], held, strict=True) if card not in partial
    }
    found = _highest(size, cap, conditions)
    fullest = found[-1] if len(found) else None
    if as_json:
        print_json(
            {
                "chosen": partial.code,
                "sum": partial.sum,
                "count": number,
                "best": fullest and _described(fullest),
                "next": {card.ascii: held for card, held in further.items() if held},
            }
        )
        return
    text = words(lang)
    print(text("decks.chosen", number=len(partial), size=size, total=partial.sum, cap=cap))
    print(_count_text(number, lang))
    if fullest is None:
        return
    screen = console()
    print(text("decks.best"))
    screen.print(_line(fullest), soft_wrap=True)
    print(text("decks.next"))
    grid = Table.grid(padding=(0, 1))
    for rank in range(12, -1, -1):
        pair = [card for card in UNIVERSE[0][2 * rank : 2 * rank + 2] if further.get(card)]
        grid.add_row(*(part for card in pair for part in (card_text(card), f"{further[card]:,}")))
    screen.print(grid)


@app.command(help="cli.help.decks.write")
def write(
    file: File,
    size: Size = SIZE,
    cap: Cap = CAP,
    exact_sum: Sum = None,
    required: With = "",
    excluded: Without = "",
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """Write all decks under the conditions to a Parquet or CSV file."""
    check_ending(file)
    from cardlab.analysis import decks

    conditions = _conditions(required, excluded, at_least, at_most)
    found = decks.enumerate(size, cap, exact_sum=exact_sum, **conditions)
    frame = found.to_frame()
    write_table(frame, file)
    if as_json:
        print_json({"path": str(file), "count": len(found), "columns": list(frame)})
    else:
        print(words(lang)("decks.written", n=len(found), number=f"{len(found):,}", path=str(file)))


# ----------------------------------------------------------------------------------------- reading


def _conditions(
    required: str, excluded: str, at_least: Sequence[str] | None, at_most: Sequence[str] | None
) -> Any:
    return {
        "required": _deck(required),
        "excluded": _deck(excluded),
        "minimum": _limits("--at-least", at_least),
        "maximum": _limits("--at-most", at_most),
    }


def _deck(text: str) -> Deck:
    """Cards, or a deck by its code."""
    try:
        return Deck.parse(text)
    except NotationError:
        return Deck.of(text)


def _limits(option: str, texts: Sequence[str] | None) -> dict[int, int]:
    return dict(_limit(option, text) for text in texts or ())


def _limit(option: str, text: str) -> tuple[int, int]:
    name, _, number = text.partition("=")
    ranks = {letter: rank for rank, letter in enumerate(RANKS, start=1)}
    ranks |= {str(rank): rank for rank in range(1, 14)}
    try:
        return ranks[name.strip().upper()], int(number)
    except (KeyError, ValueError):
        raise UsageError("cli.error.limit", option=option, value=text) from None


def _highest(size: int, cap: int, conditions: Any) -> Decks:
    """The decks with the highest sum that occurs under the cap."""
    from cardlab.analysis import decks

    decks.count(size, cap)  # refuses a size or cap that is none
    sums = decks.histogram(size, **conditions).query("sum <= @cap")["sum"]
    highest = int(sums.max()) if len(sums) else 0
    return decks.enumerate(size, cap, exact_sum=highest, **conditions)


# ---------------------------------------------------------------------------------------- printing


def _show(found: Decks, limit: int, as_json: bool, lang: str) -> None:
    shown = (found[place] for place in range(len(found) - 1, max(-1, len(found) - 1 - limit), -1))
    if as_json:
        print_json({"count": len(found), "decks": [_described(deck) for deck in shown]})
        return
    print(_count_text(len(found), lang))
    screen = console()
    for deck in shown:
        screen.print(_line(deck), soft_wrap=True)


def _line(deck: Deck) -> Text:
    return Text(f"{deck.code}  {deck.sum:3}  ").append_text(names_text(deck.cards()[::-1]))


def _described(deck: Deck) -> dict[str, Any]:
    return {"code": deck.code, "sum": deck.sum, "cards": [card.ascii for card in deck.cards()]}


def _count_text(number: int, lang: str) -> str:
    return words(lang)("decks.count", n=number, number=f"{number:,}")
