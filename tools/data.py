"""Remake the files in ``data/`` and the dictionary that describes them, ``datapackage.json``.

``python -m tools.data`` writes into ``data``, ``python -m tools.data DIRECTORY`` elsewhere. The
same code gives the same bytes everywhere. ``datapackage.json`` is a tabular Data Package, version 1
(Frictionless); Japanese titles and descriptions stand beside the English ones. ``rules.csv`` is
kept by hand: it is described, not made, so no command stands with it. Tables that the games read
lie in ``cardlab/games/tables``; those here are copies. What takes too long to be made every time
has a command of its own, such as ``python -m tools.optimal``, and is described as it lies in
``data``.
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
CHAOS = "python -m tools.chaos"
OPTIMAL = "python -m tools.optimal"
SMALL_GAME = "python -m tools.small_game"
TRAIN = "python -m tools.train_gpt"

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

    Nothing fills a file that is kept by hand, which has no command, or that another command makes.
    """

    name: str
    title: Words
    description: Words
    fields: tuple[Field, ...]
    key: tuple[str, ...]
    rows: Callable[[], Rows] | None = None
    command: str | None = COMMAND
    format: str = "csv"

    @property
    def path(self) -> str:
        """The name of the file."""
        return f"{self.name}.{self.format}"


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


VARIANT = (
    Field(
        "cap",
        "integer",
        Words("The highest sum that is allowed", "合計の上限"),
        {"minimum": 80, "maximum": 120},
    ),
    Field(
        "n_shields",
        "integer",
        Words("Shields of each player", "各プレイヤーのシールドの枚数"),
        {"minimum": 1, "maximum": 10},
    ),
    Field(
        "shields",
        "string",
        Words(
            "Whether shields are dealt at random or chosen by their owner (G6)",
            "シールドは配られる（random）か、自分で選ぶ（chosen）か（G6）",
        ),
        {"enum": ["random", "chosen"]},
    ),
    Field(
        "double_knockout",
        "string",
        Words(
            "Who wins when both lose the last shield in one turn (G17)",
            "同じターンに両者のシールドがなくなったときの勝敗（G17）",
        ),
        {"enum": ["attacker_wins", "draw", "counter_player_wins"]},
    ),
    Field(
        "counter_compare",
        "string",
        Words("When a struck shield counters (G14)", "攻撃されたシールドが反撃する条件（G14）"),
        {"enum": ["strict_number", "ge", "number_then_colour"]},
    ),
)
"""The rules of a variant; the default ones are 100, 5, random, attacker_wins, strict_number."""

CODE = "[0rb2]{13}"
DECK = Words(
    "Code of the deck: for each number from ace to king 0 none, r the red, b the black, 2 both",
    "デッキコード。AからKまでの数字ごとに、0はなし、rは赤、bは黒、2は両方",
)


def number(name: str, en: str, ja: str, low: float = -1, high: float = 1) -> Field:
    """A column of numbers."""
    return Field(name, "number", Words(en, ja), {"minimum": low, "maximum": high})


def certificate(name: str, en: str, ja: str) -> Resource:
    """The certificate of an optimal mixture."""
    return Resource(
        name,
        Words(f"Certificate: optimal GPT decks, {en}", f"証明書：GPTの最適なデッキ（{ja}）"),
        Words(
            "A mixture of decks against which no legal deck wins anything when all cards are "
            "played at random: decks, chances and payoffs as fractions. To check it: cardlab "
            "verify FILE, or python tests/analysis/recheck.py FILE, which shares no code with it.",
            "すべてのカードをランダムに出すとき、どのデッキでも得をしないデッキの混ぜ方です。"
            "デッキ、確率、利得を分数で収めています。確かめるには cardlab verify ファイル名、"
            "またはcardlabのコードを使わない python tests/analysis/recheck.py ファイル名。",
        ),
        (),
        (),
        command=OPTIMAL,
        format="json",
    )


OPTIMAL_FILES = (
    certificate("gpt_optimal", "default rules", "標準ルール"),
    certificate(
        "gpt_optimal_draw", "a double knock-out is a draw", "両者同時にシールドを失えば引き分け"
    ),
    certificate(
        "gpt_optimal_counter",
        "the countering player wins a double knock-out",
        "両者同時にシールドを失えば反撃した側の勝ち",
    ),
    certificate("gpt_optimal_chosen", "shields are chosen", "シールドを自分で選ぶ"),
    Resource(
        "gpt_deck_values",
        Words("The value of every legal GPT deck", "GPTの全デッキの値"),
        Words(
            "What each of the 2,492,494 legal decks wins on average (wins minus losses) against "
            "the optimal mixture of gpt_optimal.json, all cards played at random; 0 is the highest "
            "that there is. Exact values rounded to float32, which changes them by less than "
            "0.00000003. There is no CSV file, because it would have 60 MB; "
            "cardlab.analysis.exact.values gives all digits in seconds.",
            "使えるデッキ2,492,494通りのそれぞれが、gpt_optimal.json の最適な混合戦略を相手に"
            "ランダムに戦ったときの平均の得失（勝率引く敗率）です。最高は0。"
            "正確な値をfloat32に丸めたもので、差は0.00000003未満です。CSVでは60 MBになるため、"
            "Parquetだけで公開します。全桁は cardlab.analysis.exact.values が数秒で計算します。",
        ),
        (
            Field(
                "mask",
                "integer",
                Words(
                    "The deck: bit 2 (rank - 1), one more for black, for each card; ascending",
                    "デッキ。カードごとにビット 2 (rank - 1)、黒は1を足す。昇順",
                ),
                {"minimum": 0, "maximum": (1 << 26) - 1},
            ),
            number("value", "Wins minus losses, on average", "平均の得失（勝率引く敗率）"),
        ),
        ("mask",),
        command=OPTIMAL,
        format="parquet",
    ),
    Resource(
        "gpt_best_decks",
        Words("The thousand best GPT decks", "GPTの上位1000デッキ"),
        Words(
            "The legal decks that do best against the optimal mixture of gpt_optimal.json, with "
            "all their chances, rounded to nine decimals.",
            "gpt_optimal.json の最適な混合戦略に対していちばんよく戦うデッキと、"
            "勝敗の確率（小数第9位まで）です。",
        ),
        (
            Field("code", "string", DECK, {"pattern": CODE}),
            Field(
                "sum",
                "integer",
                Words("Sum of the numbers of the fifteen cards", "15枚の数字の合計"),
                {"minimum": 64, "maximum": 100},
            ),
            number("value", "Wins minus losses", "勝率引く敗率"),
            number("win", "Chance of a win", "勝つ確率", 0),
            number("loss", "Chance of a loss", "負ける確率", 0),
            number("draw", "Chance of a draw", "引き分けの確率", 0),
            number(
                "knockout_own",
                "Chance that both lose the last shield on this deck's attack (part of win)",
                "このデッキの攻撃で両者のシールドがなくなる確率（勝ちに含む）",
                0,
            ),
            number(
                "knockout_other",
                "Chance that both lose the last shield on the other's attack (part of loss)",
                "相手の攻撃で両者のシールドがなくなる確率（負けに含む）",
                0,
            ),
            number("turns", "Expected number of turns", "ターン数の期待値", 1, 10),
        ),
        ("code",),
        command=OPTIMAL,
    ),
    Resource(
        "gpt_card_values",
        Words("The value of every single card of GPT", "GPTのカード1枚ずつの値打ち"),
        Words(
            "Four measures of what a card is worth in a deck, from the values of all legal decks "
            "against the optimal mixture; docs/exact.md defines them. Rounded to nine decimals.",
            "最適な混合戦略に対する全デッキの値から求めた、カード1枚の値打ちを表す4つの数です。"
            "定義は docs/exact.md にあります。小数第9位まで。",
        ),
        (
            Field(
                "rank",
                "integer",
                Words("Its number: ace 1 to king 13", "数字。エースが1、キングが13"),
                {"minimum": 1, "maximum": 13},
            ),
            Field(
                "colour",
                "string",
                Words("The colour of its suit", "スートの色"),
                {"enum": ["red", "black"]},
            ),
            number(
                "share", "Chance that the optimal mixture holds it", "最適な混合戦略が持つ確率", 0
            ),
            number("best_with", "Value of the best deck with it", "これを含む最善のデッキの値"),
            number(
                "best_without",
                "Value of the best deck without it",
                "これを含まない最善のデッキの値",
            ),
            number("margin", "best_with less best_without", "best_with 引く best_without"),
            number("mean_with", "Mean value of the decks with it", "これを含むデッキの値の平均"),
            number(
                "mean_without",
                "Mean value of the decks without it",
                "これを含まないデッキの値の平均",
            ),
            number(
                "additive",
                "Its share when values are written as sums over cards (least squares)",
                "デッキの値をカードごとの数の和で近似したときの数（最小二乗法）",
            ),
        ),
        ("rank", "colour"),
        command=OPTIMAL,
    ),
    Resource(
        "gpt_equilibria",
        Words(
            "Optimal mixtures of GPT decks under changed rules", "ルールを変えたときの最適なデッキ"
        ),
        Words(
            "One row for each strategy of the optimal mixture: caps from 80 to 120, one to ten "
            "shields, all readings, dealt and chosen shields. Weights are fractions.",
            "最適な混合戦略に含まれる戦略を1行ずつ並べたものです。上限80から120、"
            "シールド1枚から10枚、すべての読み方、配られるシールドと選ぶシールド。重みは分数です。",
        ),
        (
            *VARIANT,
            Field("deck", "string", DECK, {"pattern": CODE}),
            Field(
                "shield_cards",
                "string",
                Words(
                    "Code of the shields where they are chosen, else empty",
                    "シールドを選ぶときはそのコード。ほかは空欄",
                ),
                {"pattern": CODE, "required": False},
            ),
            Field(
                "sum",
                "integer",
                Words("Sum of the numbers of the fifteen cards", "15枚の数字の合計"),
                {"minimum": 64, "maximum": 120},
            ),
            number("share", "Its chance, rounded", "確率（丸めた値）", 0),
            Field(
                "weight",
                "string",
                Words("Its chance as a fraction", "確率（分数）"),
                {"pattern": "[0-9]+(/[0-9]+)?"},
            ),
        ),
        (*(field.name for field in VARIANT), "deck", "shield_cards"),
        command=OPTIMAL,
    ),
    Resource(
        "gpt_what_if",
        Words(
            "What changed rules do to the best GPT decks",
            "ルールを変えるとGPTの最適なデッキはどうなるか",
        ),
        Words(
            "One row for each variant of gpt_equilibria.csv.",
            "gpt_equilibria.csv のルールの組み合わせごとに1行です。",
        ),
        (
            *VARIANT,
            Field(
                "strategies",
                "integer",
                Words("Number of legal strategies", "使える戦略の数"),
                {"minimum": 1},
            ),
            Field(
                "support",
                "integer",
                Words("Number of strategies that the mixture plays", "混合戦略に含まれる戦略の数"),
                {"minimum": 1},
            ),
            Field(
                "maximum",
                "string",
                Words(
                    "The most that any legal strategy wins against it, as a fraction",
                    "それに対してどれかの戦略が得る最大の利得（分数）",
                ),
                {"pattern": "[0-9]+(/[0-9]+)?"},
            ),
            Field(
                "against_default",
                "number",
                Words(
                    "The most that any legal deck of this variant wins, under its rules, against "
                    "the optimal mixture of the default rules; empty where shields are chosen",
                    "このルールで使えるどれかのデッキが、標準ルールの最適な混合戦略に対して得る"
                    "最大の利得。シールドを選ぶときは空欄",
                ),
                {"minimum": -1, "maximum": 1, "required": False},
            ),
        ),
        tuple(field.name for field in VARIANT),
        command=OPTIMAL,
    ),
)

LEARNED_FILES = (
    Resource(
        "gpt_small_game",
        Words("A small GPT, solved exactly", "小さなGPTの厳密な答え"),
        Words(
            "Every legal deck of the game with four ranks, decks of five cards that sum to 12 at "
            "the most, two shields and a hand of two: how often it is chosen and what it wins, "
            "when cards are played optimally and when they are played at random; docs/learned.md "
            "says how. Accurate to 0.0001.",
            "数字は1から4、デッキは5枚で合計12以下、シールド2枚、手札2枚のGPTの全デッキです。"
            "カードも最適に出す場合と、ランダムに出す場合の、選ぶ確率と値を収めています。"
            "求め方は docs/learned.md にあります。誤差は0.0001まで。",
        ),
        (
            Field("deck", "string", DECK, {"pattern": CODE}),
            Field("cards", "string", Words("Its cards", "デッキのカード"), {}),
            Field(
                "sum",
                "integer",
                Words("Sum of the numbers of its cards", "カードの数字の合計"),
                {"minimum": 9, "maximum": 12},
            ),
            number("chance", "Chance in optimal play", "最適なプレイで選ぶ確率", 0),
            number("value", "Wins minus losses in optimal play", "最適なプレイでの勝率引く敗率"),
            number(
                "chance_random",
                "Chance when cards are played at random",
                "カードをランダムに出す場合に選ぶ確率",
                0,
            ),
            number(
                "value_random",
                "Wins minus losses when cards are played at random",
                "カードをランダムに出す場合の勝率引く敗率",
            ),
        ),
        ("deck",),
        command=SMALL_GAME,
    ),
    Resource(
        "gpt_learned",
        Words("The table of the bot that learned GPT", "GPTを学習したボットの表"),
        Words(
            "What the bot learned plays: its recipe, the situations it tells apart, the decks it "
            "chooses from, the chance of each class of card as bytes, and their SHA-256; "
            "docs/learned.md explains it. A copy of what the bot reads.",
            "ボット learned のプレイを決める表です。学習の手順、区別する状況、使うデッキ、"
            "カードの強さごとの確率（バイト列）とそのSHA-256を収めています。"
            "docs/learned.md に説明があります。ボットが読み込むファイルの写しです。",
        ),
        (),
        (),
        command=TRAIN,
        format="json",
    ),
    Resource(
        "gpt_learned_decks",
        Words("GPT decks when both play what was learned", "学習したプレイどうしでのGPTのデッキ"),
        Words(
            "The decks that were tried last against the mixture found, when both seats play by "
            "gpt_learned.json: chance in the mixture, what the deck wins against it, and an "
            "interval that holds for all of them together with 95 % confidence.",
            "両者が gpt_learned.json に従ってプレイするとき、見つかった混合戦略に対して最後に"
            "試したデッキです。混合戦略での確率、平均の得失と、"
            "全デッキに同時に成り立つ95 %信頼区間です。",
        ),
        (
            Field("deck", "string", DECK, {"pattern": CODE}),
            number("chance", "Chance in the mixture", "混合戦略での確率", 0),
            number("gain", "Wins minus losses, on average", "平均の得失（勝率引く敗率）"),
            number("low", "Lower end of the interval", "区間の下端"),
            number("high", "Upper end of the interval", "区間の上端"),
        ),
        ("deck",),
        command=TRAIN,
    ),
)


def points(seat: int) -> Field:
    """The points of a seat of Chaos; only the first three seats are always there."""
    need = {} if seat < 3 else {"required": False}
    more = "" if seat < 3 else ", empty if there is no such seat"
    more_ja = "" if seat < 3 else "（いなければ空欄）"
    return Field(
        f"points_{seat}",
        "integer",
        Words(f"Points of seat {seat}{more}", f"席{seat}の得点{more_ja}"),
        {"minimum": 0, **need},
    )


CHAOS_FILES = (
    Resource(
        "chaos_rotation",
        Words("What rotations of Chaos were worth", "Chaosの回転の値打ち"),
        Words(
            "Every rotation (X12) in 1,200 games of four careful bots. From each the game is "
            "played on twice by careful bots: with the hands moved as the bot has said, and with "
            "the hands left alone. What comes of it for the seat that rotates; "
            "cardlab.analysis.chaos.follow finds the positions, and compare the values.",
            "慎重なボット4人の1,200試合に出てきたすべての回転（X12）です。それぞれの場面から、"
            "ボットの言ったとおりに手札を回した場合と回さない場合の2回、続きを対戦させ、"
            "回した席の結果を比べます。場面は cardlab.analysis.chaos.follow、"
            "値は compare で求められます。",
        ),
        (
            Field("seed", "integer", Words("Seed of the game", "試合のシード"), {"minimum": 0}),
            Field(
                "number",
                "integer",
                Words("Which rotation of the game, from 0", "試合の何番目の回転か（0から）"),
                {"minimum": 0},
            ),
            Field(
                "steps",
                "integer",
                Words("How many seats the hands move", "手札を何人分回すか"),
                {"minimum": 0, "maximum": 3},
            ),
            Field(
                "points_moved",
                "integer",
                Words("Points at the end, hands moved", "回した場合の得点"),
                {"minimum": 0},
            ),
            Field(
                "points_kept",
                "integer",
                Words("Points at the end, hands left alone", "回さない場合の得点"),
                {"minimum": 0},
            ),
            number("won_moved", "Share of the win, hands moved", "回した場合の勝ちの取り分", 0),
            number(
                "won_kept", "Share of the win, hands left alone", "回さない場合の勝ちの取り分", 0
            ),
        ),
        ("seed", "number"),
        command=CHAOS,
    ),
    Resource(
        "chaos_ends",
        Words("How games of Chaos end", "Chaosの終わり方"),
        Words(
            "Games of Chaos that the same bot plays on all seats: 800 for each bot and number of "
            "players, and 800 of four careful bots for each reading that is not the default. The "
            "same game has the same deal under every reading. cardlab.analysis.chaos.ends plays "
            "them again.",
            "全席に同じボットが座るChaosの試合です。ボットと人数の組ごとに800試合、さらに慎重な"
            "ボット4人では、標準でない読み方ごとに800試合あります。同じ番号の試合は、どの読み方でも"
            "同じ配り方で始まります。cardlab.analysis.chaos.ends で再現できます。",
        ),
        (
            Field(
                "bot",
                "string",
                Words("The bot on all seats", "全席のボット"),
                {"enum": ["random", "careful"]},
            ),
            Field(
                "players",
                "integer",
                Words("Number of seats", "人数"),
                {"minimum": 3, "maximum": 5},
            ),
            Field(
                "option",
                "string",
                Words(
                    "The option that is changed, or standard", "変えたオプション。なければ standard"
                ),
                {"pattern": "[a-z_]+"},
            ),
            Field("game", "integer", Words("Number of the game", "試合の番号"), {"minimum": 0}),
            Field("turns", "integer", Words("Number of turns", "手番の数"), {"minimum": 0}),
            Field(
                "ending",
                "string",
                Words(
                    "How it ended (X15 to X17); max_turns for careful bots stopped after 40 turns",
                    "終わり方（X15〜X17）。慎重なボットの試合を40手番で打ち切ったときは max_turns",
                ),
                {
                    "enum": [
                        *("declared", "revealed", "abandoned", "empty", "all_laid"),
                        "max_turns",
                    ]
                },
            ),
            *(points(seat) for seat in range(5)),
        ),
        ("bot", "players", "option", "game"),
        command=CHAOS,
    ),
)

PRESET_FIELDS = (
    Field(
        "preset",
        "string",
        Words("Name of the draft", "草案の名前"),
        {"pattern": "d[0-9][a-z]*(_[a-z]+)?"},
    ),
    Field("option", "string", Words("The option", "オプション"), {"pattern": "[a-z_]+"}),
    Field("value", "string", Words("Its value as JSON", "その値（JSON）"), {}),
)

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
        PRESET_FIELDS,
        ("preset", "option"),
        of_game("presets_collect"),
    ),
    Resource(
        "presets_highlow",
        Words("The drafts of High-Low as options", "ハイ＆ローの草案のオプション"),
        Words(
            "For each draft the options of the game highlow that make it what it is. The game "
            "reads this table.",
            "草案ごとに、ゲーム highlow をその草案にするオプションを並べたものです。"
            "ゲームはこの表を読み込みます。",
        ),
        PRESET_FIELDS,
        ("preset", "option"),
        of_game("presets_highlow"),
    ),
    *OPTIMAL_FILES,
    *LEARNED_FILES,
    *CHAOS_FILES,
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
        command=None,
    ),
)


def table(resource: Resource, rows: Rows) -> bytes:
    """The CSV file of a resource."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in resource.fields)
    writer.writerows(rows)
    return text.getvalue().encode()


FORMATS: dict[str, dict[str, Any]] = {
    "csv": {
        "profile": "tabular-data-resource",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"lineTerminator": "\n"},
    },
    "json": {"profile": "data-resource", "mediatype": "application/json", "encoding": "utf-8"},
    "parquet": {"profile": "data-resource", "mediatype": "application/vnd.apache.parquet"},
}


def described(resource: Resource, content: bytes) -> dict[str, Any]:
    """A resource as ``datapackage.json`` has it; ``content`` is that of its file."""
    schema = resource.fields and {
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
    kind = FORMATS[resource.format]
    return {
        "name": resource.name,
        "path": resource.path,
        "profile": kind["profile"],
        **_words("title", resource.title),
        **_words("description", resource.description),
        "format": resource.format,
        **{key: value for key, value in kind.items() if key != "profile"},
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        **({"command": resource.command} if resource.command else {}),
        **(schema or {}),
    }


def _words(key: str, words: Words) -> dict[str, str]:
    return {key: words.en, f"{key}_ja": words.ja}


def package() -> dict[str, bytes]:
    """Every file that is made, by its name, ``datapackage.json`` last."""
    made = {each.path: table(each, each.rows()) for each in RESOURCES if each.rows}
    lies = {
        each.path: (ROOT / "data" / each.path).read_bytes()
        for each in RESOURCES
        if each.path not in made
    }
    dictionary = {
        "profile": "tabular-data-package",
        "name": "cardlab-data",
        **_words("title", Words("Lists and counts of cardlab", "cardlabの一覧と数")),
        "licenses": [{"name": "MIT", "title": "MIT License"}],
        "resources": [described(each, (made | lies)[each.path]) for each in RESOURCES],
    }
    text = json.dumps(dictionary, ensure_ascii=False, indent=2) + "\n"
    return {**made, "datapackage.json": text.encode()}


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
