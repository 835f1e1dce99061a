"""The rulebook pages: complete, of one structure in both languages, and right in their examples.

``data/rules.csv`` lists the rules of every game; the pages are ``cardlab/locale/<lang>/<game>.md``.
"""

import csv
import re
from dataclasses import fields
from pathlib import Path

import pytest

from cardlab import cards, list_games, load_game, locale
from cardlab.errors import DeckError
from cardlab.games.chat import resolve
from cardlab.games.gpt import check_deck, clash, counters

ROOT = Path(__file__).parents[2]
SECTIONS = {
    "ja": [
        "用意するもの",
        "準備",
        "ターンの流れ",
        "ゲームの終わり",
        "作者のことば",
        "オプションと読み方",
        "見てよいもの",
        "例",
        "用語",
    ],
    "en": [
        "What you need",
        "Set-up",
        "Course of a turn",
        "End of the game",
        "Remarks",
        "Options and readings",
        "What you may see",
        "Worked examples",
        "Glossary",
    ],
}
DEFAULT = {"ja": "（標準）：", "en": " (default): "}
ENTRY = re.compile(r"^\*\*([A-Z]\d+[a-z]?) ([^*]+)\*\* (.+)$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
CARD = re.compile(r"(?:[2-9AJQK]|10)[♠♥♦♣]")
REFERENCE = re.compile(r"(?<![A-Za-z0-9])[A-Z](?:-Q)?\d+[a-z]?(?![A-Za-z0-9♠♥♦♣])")

with (ROOT / "data" / "rules.csv").open(encoding="utf-8", newline="") as file:
    RULES = list(csv.DictReader(file))
GAMES = sorted({row["game"] for row in RULES})

each_game = pytest.mark.parametrize("game", GAMES)
each_language = pytest.mark.parametrize("lang", locale.LANGUAGES)
each_playable = pytest.mark.parametrize("game", list_games())


def page(game: str, lang: str) -> str:
    return locale.page(game, lang)


def section(text: str, lang: str, number: int) -> str:
    """The text under the ``number``-th of the fixed headings."""
    start = text.index(f"\n## {SECTIONS[lang][number]}\n")
    end = text.find("\n## ", start + 1)
    return text[start : end if end > 0 else None]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row, heads and rulers left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {i - 1 for i, line in enumerate(lines) if set(line) <= set("|-")}
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for i, line in enumerate(lines)
        if i not in heads and i - 1 not in heads
    ]


def options(text: str) -> dict[str, str]:
    """The text under the heading of every option, by the option's name."""
    text = re.split(r"^### [^`]", text, maxsplit=1, flags=re.MULTILINE)[0]
    _, *parts = re.split(r"^### (?=`)", text, flags=re.MULTILINE)
    return {CODE.findall(part)[0]: part.partition(" ")[2] for part in parts}


# ------------------------------------------------------------------------------------------- rules


def test_every_playable_game_has_rules() -> None:
    assert set(list_games()) <= set(GAMES)


def test_the_list_of_rules_is_whole() -> None:
    assert len({row["rule"] for row in RULES}) == len(RULES)
    for row in RULES:
        assert all(row.values()), row
        assert row["kind"] in ("rule", "remark")
    for game in GAMES:
        numbers = [int(re.sub(r"\D", "", row["rule"])) for row in RULES if row["game"] == game]
        assert numbers == sorted(numbers)
        assert set(numbers) == set(range(1, max(numbers) + 1))


@each_game
@each_language
def test_page_has_the_fixed_headings(game: str, lang: str) -> None:
    text = page(game, lang)
    assert text.startswith("# ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS[lang]


@each_game
@each_language
def test_every_rule_has_one_entry_with_its_title(game: str, lang: str) -> None:
    entries = [(number, title) for number, title, _ in ENTRY.findall(page(game, lang))]
    assert entries == [(row["rule"], row[f"title_{lang}"]) for row in RULES if row["game"] == game]


@each_game
def test_languages_have_one_structure(game: str) -> None:
    skeletons = [list(map(skeleton, page(game, lang).splitlines())) for lang in locale.LANGUAGES]
    for number, lines in enumerate(zip(*skeletons, strict=True), start=1):
        assert lines[0] == lines[1], f"line {number} of {game}.md"


def skeleton(line: str) -> tuple[object, ...]:
    """What a line must have in common in all languages: its kind, code, cards and references."""
    if line.startswith("|"):
        kind = f"table {line.count('|')}"
    else:
        kind = (re.match(r"#+|[*] |\*\*\w+", line) or [line and "text"])[0]
    found = (sorted(pattern.findall(line)) for pattern in (CODE, CARD, REFERENCE))
    return kind, *found


# ----------------------------------------------------------------------------------------- options


@each_playable
@each_language
def test_every_option_and_every_value_is_explained(game: str, lang: str) -> None:
    explained = options(section(page(game, lang), lang, 5))
    known = {option.name: option for option in fields(load_game(game).rules)}
    assert set(explained) == set(known)
    for name, text in explained.items():
        option = known[name]
        label, *lines = text.splitlines()
        assert label == locale.text(f"{game}.option.{name}", lang)
        bullets = [line.removeprefix("* ") for line in lines if line.startswith("* ")]
        if "range" in option.metadata:
            numbers = [*option.metadata["range"], option.default]
            assert CODE.findall(bullets[0]) == list(map(str, numbers)), name
        else:
            values = [str(value) for value in option.metadata["choices"]]
            assert [CODE.findall(bullet)[0] for bullet in bullets] == values, name
            marked = [b for b in bullets if b.startswith(f"`{option.default}`{DEFAULT[lang]}")]
            assert len(marked) == 1, name
        assert [line for line in lines if line and not line.startswith("* ")], f"{name}: no reason"


@each_game
@each_language
def test_every_gap_is_read_once(game: str, lang: str) -> None:
    text = section(page(game, lang), lang, 5)
    (letter,) = {row["rule"][0] for row in RULES if row["game"] == game}
    gaps = [int(n) for n in re.findall(rf"{letter}-Q(\d+)", text)]
    assert sorted(gaps) == list(range(1, len(gaps) + 1))


# ---------------------------------------------------------------------------------------- examples


@each_language
@pytest.mark.rule("G4")
def test_example_decks_of_gpt(lang: str) -> None:
    decks = [row for row in examples("gpt", lang) if row[2].isdigit()]
    assert len(decks) == 5
    for _, deck, size, total, verdict in decks:
        ranks = [card.rank for card in cards.parse(deck)]
        assert (len(ranks), sum(ranks)) == (int(size), int(total))
        broken = faults(deck)
        assert verdict.startswith({"ja": "使える", "en": "Yes"}[lang]) == (not broken)
        assert all(rule in verdict for rule in broken)


def faults(deck: str) -> list[str]:
    """The rules that a deck of the first seat breaks."""
    try:
        check_deck(deck, seat=0)
    except DeckError as error:
        return [str(fault.rule) for fault in error.faults]
    return []


@each_language
@pytest.mark.rule("G14")
def test_example_turns_of_gpt(lang: str) -> None:
    turns = [row for row in examples("gpt", lang) if len(row) == 7]
    assert len(turns) == 8
    for _, first, second, winner, shield, counter, _ in turns:
        won = clash(first, second)
        assert winner == ("–" if won is None else str(won + 1))
        if won is None:
            assert (shield, counter) == ("–", "–")
        else:
            strikes_back = counters(shield, (first, second)[won])
            assert counter == {"ja": ("なし", "成功"), "en": ("no", "yes")}[lang][strikes_back]


@each_language
@pytest.mark.rule("C16")
def test_example_battles_of_chat(lang: str) -> None:
    battles = [row for row in examples("chat", lang) if len(row) == 7]
    assert len(battles) == 14
    for _, attacker, defender, cancel, attack, defence, _ in battles:
        (base_a, *extra_a), (base_d, *extra_d) = map(split, (attacker, defender))
        target = None if cancel == "–" else cards.card(cancel)
        verdict = resolve(base_a, extra_a, base_d, extra_d, cancel=target)
        assert (verdict.attack, verdict.defence) == (int(attack), int(defence))


def examples(game: str, lang: str) -> list[list[str]]:
    return rows(section(page(game, lang), lang, 7))


def split(side: str) -> list[cards.Card]:
    return list(cards.parse(side.replace("+", " ")))


@each_game
@each_language
def test_examples_count_from_one(game: str, lang: str) -> None:
    numbers = [int(row[0]) for row in examples(game, lang)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 12


@each_game
@each_language
def test_references_lead_to_rules(game: str, lang: str) -> None:
    known = {row["rule"] for row in RULES}
    cited = {ref for ref in REFERENCE.findall(page(game, lang)) if "Q" not in ref}
    assert cited <= known
