"""Remake the files in ``data/`` and the dictionary that describes them, ``datapackage.json``.

``python -m tools.data`` writes into ``data``, ``python -m tools.data DIRECTORY`` elsewhere. The
same code gives the same bytes everywhere. ``datapackage.json`` is a tabular Data Package, version 1
(Frictionless); Japanese titles and descriptions stand beside the English ones. ``rules.csv`` is
kept by hand: it is described, not made, so no command, size or hash stands with it. Tables that the
games read lie in ``cardlab/games/tables``; those here are copies.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from cardlab.cards import PACK
from cardlab.games import collect_cards
from cardlab.games.gpt_deck import SUITS, bit_of, count_by_sum

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python -m tools.data"

Rows = Iterator[Sequence[object]]


class Words(NamedTuple):
    """A text in both languages."""

    en: str
    ja: str


class Field(NamedTuple):
    """A column: its name, type, description, and what its values may be."""

    name: str
    type: str
    description: Words
    constraints: dict[str, Any]


class Resource(NamedTuple):
    """A file: its name, what it is, its columns, the columns of its key, and what fills it.

    Nothing fills a file that is kept by hand.
    """

    name: str
    title: Words
    description: Words
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    rows: Callable[[], Rows] | None


def cards_gpt() -> Rows:
    """Every card of GPT with the seat that may own it."""
    for card in PACK:
        (seat,) = (seat for seat, suits in enumerate(SUITS) if card.suit in suits)
        colour = "black" if card.is_black else "red"
        suit = card.suit.name.lower() if card.suit else ""
        yield card.ascii, card.rank, suit, colour, seat, bit_of(card)


def gpt_deck_sums() -> Rows:
    """Decks of fifteen cards by the sum of their numbers."""
    by_sum = count_by_sum()
    yield from zip(by_sum, by_sum.values(), accumulate(by_sum.values()), strict=True)


def of_game(name: str) -> Callable[[], Rows]:
    """A table that a game reads."""
    return lambda: (tuple(row.values()) for row in collect_cards.table(name))


RESOURCES = (
    Resource(
        "cards_gpt",
        Words("The 52 cards of GPT", "GPTのカード52枚"),
        Words(
            "Every card with its number, suit, colour, the seat that owns its suit (the other way "
            "round makes no difference) and its bit in a deck's mask.",
            "すべてのカードの数字、スート、色、そのスートを持つ席（逆でも違いはありません）、"
            "デッキのマスクでのビット位置です。",
        ),
        (
            Field(
                "card",
                "string",
                Words("The card in ASCII notation", "ASCII表記のカード"),
                {"pattern": "[A2-9TJQK][shdc]"},
            ),
            Field(
                "rank",
                "integer",
                Words("Its number: ace 1 to king 13", "数字。エースが1、キングが13"),
                {"minimum": 1, "maximum": 13},
            ),
            Field(
                "suit",
                "string",
                Words("Its suit", "スート"),
                {"enum": ["spades", "hearts", "diamonds", "clubs"]},
            ),
            Field(
                "colour",
                "string",
                Words("The colour of its suit", "スートの色"),
                {"enum": ["red", "black"]},
            ),
            Field(
                "seat",
                "integer",
                Words("The seat that owns its suit", "そのスートを持つ席"),
                {"minimum": 0, "maximum": 1},
            ),
            Field(
                "bit",
                "integer",
                Words(
                    "Place of its bit in a deck's mask: 2 (rank - 1), one more for black",
                    "デッキのマスクでのビット位置。2 (rank - 1)、黒は1を足す",
                ),
                {"minimum": 0, "maximum": 25},
            ),
        ),
        ("card",),
        cards_gpt,
    ),
    Resource(
        "gpt_deck_sums",
        Words("GPT decks by sum", "GPTの合計別デッキ数"),
        Words(
            "How many of the 7,726,160 decks of fifteen different cards have each sum; legal are "
            "those up to 100. Exact, by dynamic programming.",
            "異なる15枚からなるデッキ7,726,160通りを数字の合計別に数えたものです。"
            "合計100以内なら使えます。動的計画法による正確な数です。",
        ),
        (
            Field(
                "sum",
                "integer",
                Words("Sum of the numbers of the fifteen cards", "15枚の数字の合計"),
                {"minimum": 64, "maximum": 146},
            ),
            Field(
                "decks",
                "integer",
                Words("Number of decks with this sum", "この合計のデッキ数"),
                {"minimum": 1},
            ),
            Field(
                "cumulative",
                "integer",
                Words(
                    "Number of decks with at most this sum: legal if it were the cap",
                    "この合計以下のデッキ数。これを上限としたときに使えるデッキの数",
                ),
                {"minimum": 1, "maximum": 7_726_160},
            ),
        ),
        ("sum",),
        gpt_deck_sums,
    ),
    Resource(
        "cards_alicematic",
        Words("The 60 cards of Alicematic", "Alicematicのカード60枚"),
        Words(
            "Every kind of card with its number and how many copies there are: 53 Alice cards and "
            "seven medallions. The game reads this table.",
            "カードの種類ごとの数字と枚数です。アリスカード53枚とメダリオン7枚があります。"
            "ゲームはこの表を読み込みます。",
        ),
        (
            Field(
                "card",
                "string",
                Words("The card in notation", "カードの表記"),
                {"pattern": "[1-9]|[a-z]+"},
            ),
            Field(
                "number",
                "integer",
                Words("The number on it", "カードの数字"),
                {"minimum": 1, "maximum": 9},
            ),
            Field(
                "copies",
                "integer",
                Words("How many of it there are", "枚数"),
                {"minimum": 1, "maximum": 8},
            ),
            Field(
                "rule",
                "string",
                Words("The rule that says so or tells its effect", "枚数や効果を定めるルール"),
                {"pattern": "A[0-9]+"},
            ),
        ),
        ("card",),
        of_game("cards_alicematic"),
    ),
    Resource(
        "presets_collect",
        Words("The drafts of Alicematic as options", "Alicematicの草案のオプション"),
        Words(
            "For each draft the options of the game collect that differ from the defaults. The "
            "game reads this table.",
            "草案ごとに、ゲーム collect の標準とは異なるオプションを並べたものです。"
            "ゲームはこの表を読み込みます。",
        ),
        (
            Field(
                "preset",
                "string",
                Words("Name of the draft", "草案の名前"),
                {"pattern": "d[0-9][a-z]*(_[a-z]+)?"},
            ),
            Field("option", "string", Words("The option", "オプション"), {"pattern": "[a-z_]+"}),
            Field("value", "string", Words("Its value as JSON", "その値（JSON）"), {}),
        ),
        ("preset", "option"),
        of_game("presets_collect"),
    ),
    Resource(
        "rules",
        Words("The rules of every game", "各ゲームのルール一覧"),
        Words(
            "Number and title of each rule, as events, errors, tests and rulebook pages cite it.",
            "各ルールの番号と題です。出来事、エラー、テスト、ルールブックはこの番号で引用します。",
        ),
        (
            Field(
                "game", "string", Words("Name of the game", "ゲームの名前"), {"pattern": "[a-z]+"}
            ),
            Field(
                "rule",
                "string",
                Words("Number of the rule", "ルールの番号"),
                {"pattern": "[A-Z][0-9]+[a-z]*", "unique": True},
            ),
            Field(
                "kind",
                "string",
                Words(
                    "A rule of play, or a remark of the game's author",
                    "遊び方のルール（rule）か、作者のコメント（remark）か",
                ),
                {"enum": ["rule", "remark"]},
            ),
            Field("title_en", "string", Words("English title", "英語の題"), {}),
            Field("title_ja", "string", Words("Japanese title", "日本語の題"), {}),
        ),
        ("rule",),
        None,
    ),
)


def table(resource: Resource, rows: Rows) -> bytes:
    """The CSV file of a resource."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in resource.fields)
    writer.writerows(rows)
    return text.getvalue().encode()


def described(resource: Resource, content: bytes | None) -> dict[str, Any]:
    """A resource as ``datapackage.json`` has it; ``content`` is that of a file which is made."""
    made = content is not None and {
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "command": COMMAND,
    }
    return {
        "name": resource.name,
        "path": f"{resource.name}.csv",
        "profile": "tabular-data-resource",
        **_words("title", resource.title),
        **_words("description", resource.description),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"lineTerminator": "\n"},
        **(made or {}),
        "schema": {
            "fields": [
                {
                    "name": field.name,
                    "type": field.type,
                    **_words("description", field.description),
                    "constraints": {"required": True, **field.constraints},
                }
                for field in resource.fields
            ],
            "primaryKey": list(resource.key),
            "missingValues": [""],
        },
    }


def _words(key: str, words: Words) -> dict[str, str]:
    return {key: words.en, f"{key}_ja": words.ja}


def package() -> dict[str, bytes]:
    """Every file that is made, by its name, ``datapackage.json`` last."""
    made = {each.name: table(each, each.rows()) for each in RESOURCES if each.rows}
    dictionary = {
        "profile": "tabular-data-package",
        "name": "cardlab-data",
        **_words("title", Words("Lists and counts of cardlab", "cardlabの一覧と数")),
        "licenses": [{"name": "MIT", "title": "MIT License"}],
        "resources": [described(each, made.get(each.name)) for each in RESOURCES],
    }
    text = json.dumps(dictionary, ensure_ascii=False, indent=2) + "\n"
    files = {f"{name}.csv": content for name, content in made.items()}
    return {**files, "datapackage.json": text.encode()}


def main(arguments: list[str]) -> int:
    """Write every file that is made into the directory that is named, or into ``data``."""
    directory = Path(arguments[0]) if arguments else ROOT / "data"
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in package().items():
        (directory / name).write_bytes(content)
        print(f"{name}: {len(content)} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
