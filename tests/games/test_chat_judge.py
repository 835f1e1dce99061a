"""The judge of CHAT: worked examples, and all pairs of suits against a second judge."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any, NamedTuple

import pytest

from cardlab import cards
from cardlab.errors import IllegalActionError, NotationError, RulesError
from cardlab.games.chat import Resolution, cancel_options, resolve
from cardlab.locale import LANGUAGES

# ---------------------------------------------------------------------------------- the examples

# Number, attack, defence, what the spade cancels, attack and defence in numbers, what is lined up.
EXAMPLES = [
    ("CE1", "C17", "10h", "9s", None, 10, 9, "", ""),
    ("CE2", "C17", "9h", "9s", None, 9, 9, "", ""),
    ("CE3", "C17", "4c", "9d", None, 4, 9, "", ""),
    ("CE4", "C16f", "6c 5d", "10h", None, 11, 10, "5d", ""),
    ("CE5", "C16f", "6c 5s", "10h", None, 11, 10, "5s", ""),
    ("CE6", "C16a", "6c 5d", "7h 9d", None, 11, 16, "5d", "9d"),
    ("CE8", "C16d", "3s 2h", "3d Kc", None, 5, 3, "2h", ""),
    ("CE9", "C16d", "3s Kd", "3h 2c", None, 3, 5, "", "2c"),
    ("CE10", "C16d", "8s Ad", "8c Qh", None, 9, 8, "Ad", ""),
    ("CE11", "C16b", "8s As", "8c Qh", None, 8, 8, "", ""),
    ("CE13", "C16e", "5s 4h 4c", "7s 9d", None, 9, 7, "4c", ""),
    ("CE14", "C16e", "5s 4h 4d", "7s 9c", None, 9, 7, "4h", ""),
    ("CE16", "C16e", "9c 10h", "5s 3c 3d", None, 9, 8, "", "3d"),
    ("CE17", "C16a", "5d 6h 6c", "4s 9h 9d", None, 17, 13, "6h 6c", "9h"),
    ("CE19", "C16b", "5d 6s 6h", "4s 9c 9d", "9d", 11, 4, "6h", ""),
    ("CE20", "C16b", "5d 6s 6h", "4s 9c 9d", "9c", 5, 13, "", "9d"),
    ("CE21", "C16b", "5d 6s 6d", "4s 9h 9c", "9c", 11, 4, "6d", ""),
    ("CE23", "C16a", "5d 6s 6h", "4c 9s 9d", None, 11, 22, "6s", "9s 9d"),
    ("CE25", "C16b", "5d 6s 6c", "4h 9c", None, 17, 13, "6s 6c", "9c"),
    ("CE26", "C16b", "5d 6s 6c", "4h 9c", None, 11, 4, "6c", ""),
    ("CE27", "C16b", "2d 7h 7c 7d", "10s 9s", "7h", 16, 10, "7c 7d", ""),
    ("CE29", "C16b", "2d 7s 7h 7c", "10s 9d", None, 16, 10, "7h 7c", ""),
    ("CE31", "C16a", "Ad 8s 8h 8c 8d", "Qh Kd", None, 33, 25, "8s 8h 8c 8d", "Kd"),
    ("CE32", "C16a", "Ad 8s 8h 8c 8d", "Qd 3s 3h", None, 33, 18, "8s 8h 8c 8d", "3s 3h"),
    ("CE34", "C16a", "2d 7h 7c 7s", "3c 6h 6c 6s", None, 23, 21, "7h 7c 7s", "6h 6c 6s"),
    ("CE35", "C16b", "5d 6h 6c", "9d 4s", "6h", 11, 9, "6c", ""),
    ("CE37", "C16f", "7d", "3h 5s 5c", None, 7, 13, "", "5s 5c"),
    ("CE38", "C16g", "Ah As", "2d", None, 2, 2, "As", ""),
    ("CE39", "C16g", "Kh Js", "Qd 10s", None, 24, 22, "Js", "10s"),
]


@pytest.mark.parametrize(
    "example",
    [pytest.param(each, id=each[0], marks=pytest.mark.rule(each[1])) for each in EXAMPLES],
)
def test_example(example: tuple[Any, ...]) -> None:
    number, _, attack, defence, cancel, *points, attack_line, defence_line = example
    attack_base, *attack_extra = attack.split()
    defence_base, *defence_extra = defence.split()
    target = "any" if number == "CE26" else "leftover"
    verdict = resolve(attack_base, attack_extra, defence_base, defence_extra, cancel, target)
    assert [verdict.attack, verdict.defence] == points
    assert verdict.success == (points[0] > points[1])
    assert verdict.attack_line == cards.parse(attack_line)
    assert verdict.defence_line == cards.parse(defence_line)
    used = {*cards.parse(attack_extra), *cards.parse(defence_extra)}
    assert {*verdict.removed} == used - {*verdict.attack_line, *verdict.defence_line}
    # The same battle with the sides changed gives the same lines and totals.
    mirrored = resolve(defence_base, defence_extra, attack_base, attack_extra, cancel, target)
    assert [mirrored.defence, mirrored.attack] == points
    assert (mirrored.defence_line, mirrored.attack_line) == (
        verdict.attack_line,
        verdict.defence_line,
    )


# ------------------------------------------------------------------------------- a second judge
#
# It knows suits only as letters, and who beats whom only from two tables.

WINNER = {"hc": "h", "ch": "h", "cd": "c", "dc": "c", "dh": "d", "hd": "d"}
BEATEN_BY = {"h": "d", "c": "h", "d": "c"}


class Case(NamedTuple):
    """Two sets of suits, what the spade takes (``""`` for nothing), and what counts in the end."""

    attack: str
    defence: str
    taken: str
    attack_counts: str
    defence_counts: str
    contest: str


def takable(attack: str, defence: str, target: str) -> tuple[str, str]:
    """Whose spade is left over (``"attack"``, ``"defence"``, ``""``) and what it may take."""
    if ("s" in attack) == ("s" in defence):
        return "", ""
    side = "attack" if "s" in attack else "defence"
    own, other = (attack, defence) if side == "attack" else (defence, attack)
    return side, "".join(suit for suit in other if target == "any" or suit not in own)


def decide(attack: str, defence: str, target: str, optional: bool) -> Iterator[Case]:
    """Every way in which the two sets can meet."""
    side, choices = takable(attack, defence, target)
    takes = [*choices, ""] if optional or not choices else [*choices]
    for taken in takes:
        counts = {"attack": {*attack} & {*defence}, "defence": {*attack} & {*defence}}
        rests = {"attack": {*attack} - {*defence}, "defence": {*defence} - {*attack}}
        if side:
            other = "defence" if side == "attack" else "attack"
            rests[side].discard("s")
            if taken:
                rests[other].discard(taken)
                counts[other].discard(taken)
            else:
                counts[side].add("s")
        sizes = f"{len(rests['attack'])}{len(rests['defence'])}"
        if "0" in sizes:
            counts["attack"] |= rests["attack"]
            counts["defence"] |= rests["defence"]
        elif sizes == "11":
            winner = WINNER["".join([*rests["attack"], *rests["defence"]])]
            for name, rest in rests.items():
                counts[name] |= rest & {winner}
        else:
            pair, single = ("attack", "defence") if sizes == "21" else ("defence", "attack")
            assert len(rests[pair]) == 2
            (alone,) = rests[single]
            counts[pair].add(BEATEN_BY[alone])
            assert BEATEN_BY[alone] in rests[pair]
        yield Case(
            attack,
            defence,
            taken,
            "".join(sorted(counts["attack"])),
            "".join(sorted(counts["defence"])),
            "" if "0" in sizes else sizes,
        )


SETS = ["".join(suits) for n in range(5) for suits in combinations("shdc", n)]


def cases(target: str, optional: bool = False) -> list[Case]:
    return [case for a, d in product(SETS, SETS) for case in decide(a, d, target, optional)]


def verdict_on(case: Case, target: str, optional: bool) -> Resolution:
    cancel = None
    if case.taken:
        rank = "9" if "s" in case.attack and "s" not in case.defence else "6"
        cancel = rank + case.taken
    elif optional:
        cancel = "none"
    return resolve(
        "5d",
        [f"6{suit}" for suit in case.attack],
        "4s",
        [f"9{suit}" for suit in case.defence],
        cancel,
        target,
        spade_optional=optional,
    )


@pytest.mark.rule("C16")
@pytest.mark.parametrize("target", ["leftover", "any"])
@pytest.mark.parametrize("optional", [False, True])
def test_all_pairs_of_suits(target: str, optional: bool) -> None:
    for case in cases(target, optional):
        verdict = verdict_on(case, target, optional)
        attack_line = "".join(sorted(card.ascii[1] for card in verdict.attack_line))
        defence_line = "".join(sorted(card.ascii[1] for card in verdict.defence_line))
        assert (attack_line, defence_line) == (case.attack_counts, case.defence_counts), case
        assert verdict.attack == 5 + 6 * len(attack_line)
        assert verdict.defence == 4 + 9 * len(defence_line)
        every = cards.parse([f"6{s}" for s in case.attack] + [f"9{s}" for s in case.defence])
        kept = (*verdict.attack_line, *verdict.defence_line)
        assert Counter((*kept, *verdict.removed)) == Counter(every)
        assert kept == tuple(card for card in every if card in kept)


@pytest.mark.rule("C16c")
def test_how_often_each_step_decides() -> None:
    default = cases("leftover")
    assert len(SETS) ** 2 == 256
    assert len(default) == 278
    pairs = Counter((case.attack, case.defence) for case in default)
    assert sum(n > 1 for n in pairs.values()) == 20
    assert Counter(case.contest for case in default if case.contest == "11") == {"11": 36}
    assert sum(case.contest in ("12", "21") for case in default) == 12


@pytest.mark.rule("C16b")
@pytest.mark.parametrize("target", ["leftover", "any"])
def test_cancel_options_are_those_of_the_second_judge(target: str) -> None:
    choices = 0
    for attack, defence in product(SETS, SETS):
        side, suits = takable(attack, defence, target)
        options = cancel_options(
            [f"6{suit}" for suit in attack], [f"9{suit}" for suit in defence], target
        )
        rank = "9" if side == "attack" else "6"
        assert [card.ascii for card in options] == [f"{rank}{suit}" for suit in suits]
        choices += len(options) > 1
    assert choices == {"leftover": 20, "any": 64}[target]


# --------------------------------------------------------------------------------- explanations

SETTLES = {"C16a", "C16b", "C16d", "C16e", "C16f"}


def mentioned(verdict: Resolution) -> Iterable[cards.Card]:
    """The cards that the events settle."""
    for event in verdict.events:
        if event.rule in SETTLES:
            for value in event.data.values():
                yield from value if isinstance(value, tuple) else [value]


@pytest.mark.rule("C16")
@pytest.mark.parametrize("target", ["leftover", "any"])
@pytest.mark.parametrize("optional", [False, True])
def test_the_events_settle_every_card_in_the_order_of_the_rules(
    target: str, optional: bool
) -> None:
    for case in cases(target, optional):
        verdict = verdict_on(case, target, optional)
        rules = [event.rule for event in verdict.events]
        assert rules == sorted(rules)
        assert rules[-2:] == ["C16g", "C17"]
        assert ("C16c" in rules) == bool(case.contest)
        assert ("C16d" in rules) == (case.contest == "11")
        assert ("C16e" in rules) == (case.contest in ("12", "21"))
        assert ("C16a" in rules) == bool({*case.attack} & {*case.defence})
        assert rules.count("C16b") == bool(case.taken) or optional
        settled = Counter(mentioned(verdict))
        every = cards.parse([f"6{s}" for s in case.attack] + [f"9{s}" for s in case.defence])
        # A card that was lined up and then cancelled is spoken of twice.
        twice = target == "any" and case.taken in {*case.attack} & {*case.defence} and case.taken
        assert sum(settled.values()) == len(every) + bool(twice)
        assert {*settled} == {*every}
        assert verdict.events[-2].data == {"attack": verdict.attack, "defence": verdict.defence}
        for event in verdict.events:
            for lang in LANGUAGES:
                assert event.text(lang, ["A", "D"])


@pytest.mark.rule("C16b")
def test_the_events_name_the_right_seats() -> None:
    verdict = resolve("5d", "6s 6h", "4s", "9c 9d", "9d", attacker=1)
    assert [(event.rule, event.player) for event in verdict.events] == [
        ("C16b", 1),
        ("C16c", None),
        ("C16d", 1),
        ("C16g", None),
        ("C17", 1),
    ]
    assert [event.text("en", ["Ai", "Ken"]) for event in verdict.events] == [
        "6♠ of Ken cancels 9♦; both leave the game.",
        "6♥ beats 9♣: hearts beat clubs, clubs beat diamonds, diamonds beat hearts.",
        "One against one: 6♥ of Ken is lined up, 9♣ leaves the game.",
        "Attack 11, defence 4.",
        "11 is more than 4: the attack of Ken succeeds.",
    ]
    assert [event.text("ja", ["アイ", "ケン"]) for event in verdict.events] == [
        "ケンの6♠が9♦を打ち消しました。2枚とも除外します。",
        "6♥が9♣に勝ちます（♥は♣に、♣は♦に、♦は♥に勝つ三すくみ）。",
        "1枚対1枚：ケンの6♥を場札の横に並べ、9♣は除外します。",
        "攻撃力11、防御力4。",
        "11対4で、ケンの攻撃が成功しました。",
    ]
    defended = resolve("5d", "6s 6h", "4s", "9c 9d", "9c", attacker=1)
    assert [(event.rule, event.player) for event in defended.events] == [
        ("C16b", 1),
        ("C16c", None),
        ("C16d", 0),
        ("C16g", None),
        ("C17", 0),
    ]


# ------------------------------------------------------------------------------------- readings


@pytest.mark.rule("C16b")
def test_a_declined_spade_is_lined_up_and_takes_no_part() -> None:
    verdict = resolve("5d", "6s 6h", "4s", "9c 9d", "none", spade_optional=True)
    # 6♥ alone against 9♣ and 9♦: ♦ beats ♥.
    assert (verdict.attack, verdict.defence) == (11, 13)
    assert verdict.attack_line == cards.parse("6s")
    assert verdict.defence_line == cards.parse("9d")
    assert "C16e" in [event.rule for event in verdict.events]


@pytest.mark.rule("C16b")
def test_where_there_is_one_choice_it_need_not_be_named() -> None:
    named = resolve("8s", "As", "8c", "Qh", cancel="Qh")
    assert named == resolve("8s", "As", "8c", "Qh")
    with pytest.raises(IllegalActionError, match="has a choice"):
        resolve("8s", "As", "8c", "Qh", spade_optional=True)
    assert resolve("8s", "As", "8c", "Qh", "none", spade_optional=True).defence == 20
    # Nothing to decline is nothing to refuse.
    assert resolve("8s", "Ah", "8c", "Qh", "none") == resolve("8s", "Ah", "8c", "Qh")


def test_cards_and_text_are_taken_alike() -> None:
    by_text = resolve("5♦", "6♠, 6♥", "4s", ["9c", "9♦"], cancel="9d")
    by_card = resolve(
        cards.card("5d"),
        cards.parse("6s 6h"),
        cards.card("4s"),
        list(cards.parse("9c 9d")),
        cancel=cards.card("9d"),
    )
    assert by_text == by_card
    assert cancel_options(cards.parse("6s 6h"), "9c 9d") == cancel_options("6s 6h", ["9c", "9d"])


@pytest.mark.rule("C7")
def test_no_base_counts_nothing() -> None:
    verdict = resolve(None, "", "As", "")
    assert (verdict.attack, verdict.defence, verdict.success) == (0, 1, False)
    assert resolve(None, "2h", None, "").attack == 2


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("arguments", "rule", "words"),
    [
        (("5d", "6s 7s", "4s", ""), "C10", "6♠, 7♠"),
        (("5d", "", "4s", "9c 8d"), "C10", "9♣, 8♦"),
        (("5d", "6s 6s", "4s", ""), "C1", "6♠"),
        (("5d", "6s", "6s", ""), "C1", "6♠"),
        (("5d", "", "5d", ""), "C1", "5♦"),
        (("5d", "6s", "4s", "6s"), "C1", "6♠"),
        (("5d", "Jo", "4s", ""), "C15", "Jo"),
        (("Jo", "", "4s", ""), "C15", "Jo"),
        (("5d", "6s 6h", "4s", "9c 9d"), "C16b", "9♣, 9♦"),
        (("5d", "6s 6h", "4s", "9c 9d", "6h"), "C16b", "9♣, 9♦"),
        (("5d", "6s 6h", "4s", "9c 9d", "none"), "C16b", "9♣, 9♦"),
        (("5d", "6h", "4s", "9c 9d", "9c"), "C16b", "9♣"),
        (("5d", "6s 6c", "4h", "9c", "9c"), "C16b", "9♣"),
    ],
)
def test_bad_input(arguments: tuple[str, ...], rule: str, words: str) -> None:
    with pytest.raises(IllegalActionError) as refusal:
        resolve(*arguments)  # type: ignore[arg-type]
    assert refusal.value.rule == rule
    for lang in LANGUAGES:
        text = refusal.value.text(lang)
        assert all(card in text for card in words.split(", "))
        assert "{" not in text


def test_bad_options_and_text() -> None:
    with pytest.raises(RulesError, match="'leftover', 'any'"):
        resolve("5d", "", "4s", "", None, "all")
    with pytest.raises(RulesError, match="'leftover', 'any'"):
        cancel_options("6s", "9c", "all")
    with pytest.raises(RulesError):
        resolve("5d", "", "4s", "", attacker=2)
    for wrong in (
        ("5x", "", "4s", ""),
        ("5d", "6z", "4s", ""),
        ("5d", "6s 6h", "4s", "9c 9d", "9x"),
    ):
        with pytest.raises(NotationError):
            resolve(*wrong)
    with pytest.raises(IllegalActionError):
        cancel_options("6s 6h", "9c 6s")
