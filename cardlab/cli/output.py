"""Printing for people and for machines, progress bars, and writing tables to files."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from cardlab import locale
from cardlab.cards import UNKNOWN, Card
from cardlab.errors import RulesError

if TYPE_CHECKING:
    import pandas as pd


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command, which tells this from an error."""
        raise BrokenPipeError


def console() -> Console:
    """What prints on standard output, in colour where that is a terminal."""
    return _Console(highlight=False, emoji=False, markup=False)


def print_json(document: Any) -> None:
    """Print one JSON document, and nothing else belongs on standard output."""
    print(json.dumps(document, ensure_ascii=False))


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on standard error while something long goes on, if that is a terminal.

    Yields what to call with the number of steps that are done. The first call tells where it all
    begins: the time that is left is estimated from what comes after.
    """
    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=screen, transient=True) as bar:
        task = bar.add_task(label, total=total, start=False)

        def advance(done: int) -> None:
            if bar.tasks[task].started:
                bar.update(task, completed=done)
            else:
                bar.reset(task, completed=done)

        yield advance


@contextmanager
def status(label: str) -> Iterator[Callable[[str], None]]:
    """A line on standard error while something of unknown length goes on, if that is a terminal.

    Yields what to call with the next line.
    """
    screen = Console(stderr=True)
    if not screen.is_terminal:
        yield lambda _: None
        return
    with screen.status(label) as line:
        yield line.update


class _FoldedTable(TableElement):
    """A table that breaks long cells; rich would cut off text without blanks, such as Japanese."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for part in super().__rich_console__(console, options):
            for column in part.columns if isinstance(part, Table) else ():
                column.overflow = "fold"
            yield part


class Page(Markdown):
    """A Markdown page."""

    elements: ClassVar = {**Markdown.elements, "table_open": _FoldedTable}


# What stays on one line: a word, a number or a card, or one Japanese letter, with what may not open
# the next line or close this one.
_PIECE = re.compile(
    r"[（「]*(?:[぀-ヿ㐀-鿿]|[^\s぀-ヿ㐀-鿿（「、。：）」]+)?[、。：）」ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]*\s*"
)


def fold(text: Text, width: int) -> Text:
    """The text with a new line wherever ``width`` cells are full, between two words.

    rich breaks at blanks only, of which Japanese has none: it would cut ``10♥`` in two.
    """
    lines: list[Text] = []
    for line in text.split(allow_blank=True):
        lines += line.divide(_breaks(line.plain, width))
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def last_folded(screen: Console, rows: Sequence[Sequence[str]], gap: int = 2) -> Table:
    """Rows of cells side by side, the last ones folded to what the screen leaves for them."""
    taken = sum(max(map(cell_len, cells)) + gap for cells in [*zip(*rows, strict=True)][:-1])
    grid = Table.grid(padding=(0, gap))
    for *cells, last in rows:
        # A screen that leaves nothing is too narrow for any table.
        grid.add_row(*map(Text, cells), fold(Text(last), max(screen.width - taken, 10)))
    for column in grid.columns:
        column.overflow = "fold"
    return grid


def _breaks(text: str, width: int) -> list[int]:
    """Where the lines after the first begin."""
    pieces: list[str] = []
    for piece in _PIECE.findall(text):
        pieces += [piece] if cell_len(piece.rstrip()) <= width else piece
    breaks, place, filled = [], 0, 0
    for piece in pieces:
        if filled and filled + cell_len(piece.rstrip()) > width:
            breaks.append(place)
            filled = 0
        filled += cell_len(piece)
        place += len(piece)
    return breaks


def clear(screen: Console) -> None:
    """Clear a terminal, together with all that was on it before and can be scrolled back to."""
    screen.clear()
    if screen.is_terminal and not (screen.is_dumb_terminal or screen.legacy_windows):
        print("\x1b[3J", end="", flush=True)


def card_text(card: Card | None, lang: str = "en") -> Text:
    """A card in colour: red and black on white, a back in blue, a dot for an empty place."""
    if card is None:
        return Text(" · ", style="dim")
    if card is UNKNOWN:
        return Text(" ▒ ", style="white on blue")
    red = card.suit is not None and not card.is_black
    return Text(f" {card.text(lang)} ", style=f"bold {'red' if red else 'black'} on white")


def names_text(cards: Iterable[Card], lang: str = "en") -> Text:
    """The names of cards in a row, the red ones in red."""
    return Text(" ").join(
        Text(card.text(lang), style="" if card.is_black or card.suit is None else "red")
        for card in cards
    )


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table to a Parquet or CSV file, as the name's ending says.

    What the file held before is replaced when all is written, and not before.

    Raises :class:`RulesError` for another ending, :class:`OSError` for a file that cannot be
    written.
    """
    check_ending(path)
    with replacing(path) as file:
        if path.suffix.lower() == ".parquet":
            frame.to_parquet(file, index=False)
        else:
            _write_csv(frame, file)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of ``path`` when all is written, and not before.

    Raises :class:`OSError`, about ``path``, for a file that cannot be written, and does so at once.
    """
    scratch = path.with_name(f".cardlab-{secrets.token_hex(8)}.tmp")
    try:
        if path.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        with scratch.open("xb") as file:
            yield file
        scratch.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None
    finally:
        scratch.unlink(missing_ok=True)


def check_ending(path: Path) -> None:
    """Raise :class:`RulesError` for a file that :func:`write_table` would not write."""
    if path.suffix.lower() not in (".parquet", ".csv"):
        raise RulesError("cli.error.ending", path=str(path))


def _write_csv(frame: pd.DataFrame, file: Any) -> None:
    # pyarrow takes a tenth of the time that pandas does, which is seconds for all decks.
    import pyarrow as pa
    from pyarrow import csv

    table = pa.Table.from_pandas(frame, preserve_index=False)
    csv.write_csv(table, file, csv.WriteOptions(quoting_style="needed"))


def bar(share: float, width: int = 30) -> str:
    """A bar of blocks for a share from 0 to 1.

    >>> bar(0.5, 10)
    '█████'
    """
    return "█" * round(share * width)


def words(lang: str) -> Callable[..., str]:
    """The sentences of the catalogue ``cli`` in a language, by the rest of their keys."""
    return lambda key, **params: locale.text(f"cli.{key}", lang, **params)
