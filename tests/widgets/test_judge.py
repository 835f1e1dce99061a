"""The judge: what can be laid, the verdict and its steps, and the line that stands for it."""

import random
import re
import time
import xml.etree.ElementTree as ET
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab import locale
from cardlab.cards import PACK, Card
from cardlab.errors import CardlabError, IllegalActionError, NotationError, RulesError
from cardlab.games.chat import cancel_options, resolve
from cardlab.widgets import Judge, bench, html
from cardlab.widgets.battle import OPTIONS, PLACES, Battle, Place
from cardlab.widgets.verdict import fates

LANGUAGES = ("ja", "en")
SEEDS = st.integers(0, 10**6)
CE19 = "5d + 6s 6h / 4s + 9c 9d"


def some_battle(seed: int) -> Battle:
    """Cards laid at random by clicks, under random options, with a choice that may be made."""
    rng = random.Random(seed)
    battle = Battle(spade_target=rng.choice(["leftover", "any"]), spade_optional=rng.random() < 0.4)
    for place in PLACES:
        for _ in range(rng.randrange(1, 5) if place.kind == "extra" else rng.random() < 0.9):
            battle.click(f":place {place}")
            usable = [card for card in PACK if not battle.refusal(card) and card not in battle.here]
            if usable:
                battle.click(rng.choice(usable).ascii)
    if battle.choices and rng.random() < 0.7:
        battle.choose(rng.choice(battle.choices))
    return battle


def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


def text(node: ET.Element) -> str:
    return " ".join("".join(node.itertext()).split())


def of_class(markup: str, name: str) -> list[ET.Element]:
    return [node for node in parsed(markup).iter() if name in node.get("class", "").split()]


def refused(judge: Judge, click: str) -> str:
    """The sentence with which a click is refused; nothing changes by it."""
    before = judge.line, judge.html
    judge.click(click)
    assert (judge.line, judge.html) == before
    return unescape(re.sub(r"<[^>]*>", "", judge.status.partition('cl-refusal">')[2]))


# ------------------------------------------------------------------------------------ the verdict


@settings(deadline=None)
@given(seed=SEEDS, lang=st.sampled_from(LANGUAGES))
def test_it_agrees_with_the_rules_of_the_game(seed: int, lang: str):
    battle = some_battle(seed)
    target, optional = battle.rules.spade_target, battle.rules.spade_optional
    options = cancel_options(*battle.extras, spade_target=target)
    assert battle.choices == ((*options, "none") if options and optional else options)
    laid = battle.bases[0], battle.extras[0], battle.bases[1], battle.extras[1]
    for choice, outcome in battle.outcomes:
        assert outcome == resolve(*laid, choice, target, spade_optional=optional)
    page = bench.table(battle, lang)
    totals = [text(node) for node in of_class(page, "cl-total")]
    try:
        verdict = resolve(*laid, battle.cancel, target, spade_optional=optional)
    except IllegalActionError:
        assert battle.verdict is None
        assert totals == ["?", "?"]
        return
    assert battle.verdict == verdict
    assert totals == [str(verdict.attack), str(verdict.defence)]
    # What is drawn as lined up is what counts, in the order base, lined up, gone.
    for lane, line, extras in zip(
        of_class(page, "cl-lane"),
        (verdict.attack_line, verdict.defence_line),
        battle.extras,
        strict=True,
    ):
        looks = [node.get("class", "") for node in lane.iter("figure")][1:][: len(extras)]
        assert [("cl-is-line" in look) for look in looks] == [True] * len(line) + [False] * (
            len(extras) - len(line)
        )
    told = {card for card, fate in fates(verdict.events).items() if fate.word != "line"}
    assert told == set(verdict.removed)
    assert set(fates(verdict.events)) == {*battle.extras[0], *battle.extras[1]}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_examples_of_the_rulebook(lang: str):
    # Number, attack, defence, what the spade cancels, both totals.
    row = r"^\| \d+ \| ([^|]+) \| ([^|]+) \| ([^|]+) \| (\d+) \| (\d+) \|"
    rows = re.findall(row, locale.page("chat", lang), re.MULTILINE)
    assert len(rows) == 14
    for attack, defence, cancelled, *totals in rows:
        battle = Battle(f"{attack} / {defence}")
        if cancelled != "–" and len(battle.choices) > 1:
            battle.choose(cancelled)
        assert [str(battle.verdict.attack), str(battle.verdict.defence)] == totals


@pytest.mark.rule("C16b")
def test_the_other_choice_stands_beside_the_one_that_is_made():
    judge = Judge(line=CE19)
    assert judge.verdict is None
    assert "Choose what the ♠ cancels" in judge.status
    assert not of_class(judge.html, "cl-step")
    for choice in ("9d", "9c"):
        judge.click(f":cancel {choice}")
        outcomes = of_class(judge.html, "cl-outcome")
        told = [[text(part) for part in node.iter("b")] for node in outcomes]
        assert told == [["9♣", "5", "13"], ["9♦", "11", "4"]]
        pressed = [
            node.get("data-action") for node in outcomes if node.get("aria-pressed") == "true"
        ]
        assert pressed == [f":cancel {choice}"]
    assert (judge.verdict.attack, judge.verdict.defence) == (5, 13)


@pytest.mark.rule("C16a")
def test_before_the_choice_only_what_does_not_depend_on_it_is_told():
    battle = Battle("5d + 6s 6h 6c / 4s + 9c 9d", spade_optional=True)
    assert battle.verdict is None
    assert [event.rule for event in battle.steps] == ["C16a"]


def test_each_step_can_be_looked_at():
    judge = Judge(line="5d + 6h 6c / 4s + 9h 9d")
    rules = [event.rule for event in judge.battle.steps]
    assert rules == ["C16a", "C16c", "C16d", "C16g", "C17"]
    seen = []
    for number in range(len(rules)):
        judge.click(f":step {number}")
        totals = [text(node) for node in of_class(judge.html, "cl-total")]
        marks = [len(of_class(judge.html, f"cl-is-{word}")) for word in ("line", "beaten")]
        pressed = [n.get("aria-pressed") for n in of_class(judge.html, "cl-step")].index("true")
        assert pressed == number
        seen.append((*totals, *marks, len(of_class(judge.html, "cl-moved"))))
    assert seen == [
        ("11", "13", 2, 0, 2),
        ("11", "13", 2, 1, 1),
        ("17", "13", 3, 1, 2),
        ("17", "13", 3, 1, 0),
        ("17", "13", 3, 1, 0),
    ]
    judge.click("6s")
    assert judge.battle.shown is None


# -------------------------------------------------------------------------------- laying the cards


@settings(deadline=None)
@given(seed=SEEDS)
def test_a_card_can_be_laid_exactly_where_it_could_lie_in_a_game(seed: int):
    battle = some_battle(seed)
    for place in PLACES:
        battle.place = place
        for card in PACK:
            if card in battle.here:
                assert battle.refusal(card) is None
                continue
            bases, extras = list(battle.bases), [list(extra) for extra in battle.extras]
            if place.kind == "base":
                bases[place.side] = card
            else:
                extras[place.side].append(card)
            try:
                # Whether they can lie so does not depend on what a spade cancels.
                cancel_options(extras[0], extras[1])
                laid = [base for base in bases if base] + extras[0] + extras[1]
                possible = len(set(laid)) == len(laid)
            except IllegalActionError:
                possible = False
            assert (battle.refusal(card) is None) == possible


@pytest.mark.rule("C10")
def test_impossible_cards_are_grey_and_tell_why():
    judge = Judge()
    for click in ("5d", "4s", "7c", "7h"):
        judge.click(click)
    assert judge.battle.place == Place(0, "extra")
    grey = {n.get("data-action") for n in of_class(judge.html, "cl-pick") if n.get("aria-disabled")}
    assert grey == {card.ascii for card in PACK if card.rank != 7}
    assert refused(judge, "8c").startswith("8♣ does not go with 7♣, 7♥: the additional cards")
    assert refused(judge, "5d").startswith("5♦ lies there already")
    assert "no place here" in refused(judge, "Jo")
    judge.click(":place attack base")
    grey = {n.get("data-action") for n in of_class(judge.html, "cl-pick") if n.get("aria-disabled")}
    assert grey == {"4s", "7c", "7h"}


def test_a_card_is_taken_back_by_another_click():
    battle = Battle("5d + 7c 7h / 4s")
    battle.click(":place attack extra")
    battle.click("7c")
    battle.click(":place attack base")
    battle.click("5d")
    assert battle.line == "- + 7h / 4s"
    assert battle.place == Place(0, "base")


def test_another_base_takes_the_place_of_the_one_that_lies_there():
    battle = Battle("5d / 4s")
    battle.click(":place attack base")
    battle.click("Kd")
    assert battle.line == "Kd / 4s"


def test_the_next_card_goes_where_one_is_missing():
    battle = Battle()
    places = []
    for card in ("5d", "4s", "7c"):
        places.append(str(battle.place))
        battle.click(card)
    assert [*places, str(battle.place)] == [
        "attack base",
        "defence base",
        "attack extra",
        "attack extra",
    ]


@pytest.mark.rule("C7")
def test_a_side_without_a_base_counts_nothing_for_it():
    battle = Battle("Kd / -")
    assert (battle.verdict.attack, battle.verdict.defence) == (13, 0)


def test_a_choice_lasts_as_long_as_it_can_be_made():
    battle = Battle(f"{CE19} x 9d")
    battle.click(":place defence base")
    battle.click("Kc")
    assert battle.cancel is Card.parse("9d")
    battle.click(":place defence extra")
    battle.click("9d")
    assert battle.cancel is None
    assert battle.verdict is not None


def test_swapping_mirrors_the_verdict():
    judge = Judge(line=f"{CE19} x 9d")
    judge.click(":swap")
    assert judge.line == "4s + 9c 9d / 5d + 6s 6h x 9d"
    assert (judge.verdict.attack, judge.verdict.defence) == (4, 11)
    judge.click(":clear")
    assert judge.line == "- / -"
    assert judge.battle.cards == ()


# ----------------------------------------------------------------------------------- the options


@pytest.mark.rule("C16b")
def test_options_change_the_verdict():
    judge = Judge(line="5d + 6s 6c / 4h + 9c")
    assert (judge.verdict.attack, judge.verdict.defence) == (17, 13)
    judge.click(":rule spade_target=any")
    assert (judge.verdict.attack, judge.verdict.defence) == (11, 4)
    judge.click(":rule spade_optional=True")
    assert judge.verdict is None
    judge.click(":cancel none")
    assert (judge.verdict.attack, judge.verdict.defence) == (17, 13)
    assert judge.line == "5d + 6s 6c / 4h + 9c x none spade_target=any spade_optional=True"
    judge.click(":rule spade_optional=False")
    assert judge.line == "5d + 6s 6c / 4h + 9c spade_target=any"
    pressed = {
        node.get("data-action")
        for node in parsed(judge.html).iter("button")
        if (node.get("data-action") or "").startswith(":rule")
        and node.get("aria-pressed") == "true"
    }
    assert pressed == {":rule spade_target=any", ":rule spade_optional=False"}


def test_options_of_the_constructor_hold_for_its_line():
    judge = Judge(line="5d + 6s 6c / 4h + 9c", spade_target="any")
    assert judge.verdict.attack == 11
    assert Judge(line="5d / 4s spade_target=any", spade_target="leftover").line.endswith("any")
    for wrong in ({"spade_target": "all"}, {"spade_optional": 1}, {"lang": "fr"}):
        with pytest.raises(RulesError):
            Judge(**wrong)


# ------------------------------------------------------------------------------------- the line


@settings(deadline=None)
@given(seed=SEEDS)
def test_a_line_brings_the_same_battle_back(seed: int):
    battle = some_battle(seed)
    again = Battle(battle.line)
    assert again.line == battle.line
    assert again.verdict == battle.verdict
    assert (again.bases, again.extras, again.rules) == (battle.bases, battle.extras, battle.rules)
    other = Battle("Ks / Qs", spade_target="any", spade_optional=True)
    other.click(f":load {battle.line}")
    assert other.line == battle.line


def test_a_line_may_be_written_like_the_rulebook():
    assert Battle("9♣+10♥/5♠+3♣ 3♦").line == "9c + Th / 5s + 3c 3d"
    assert Battle(" ks ,/ - ").line == "Ks / -"


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ("5d", NotationError, "is not a line of cards"),
        ("", NotationError, "is not a line of cards"),
        ("5d / 4s / 3s", NotationError, "is not a line of cards"),
        ("5d 6d / 4s", NotationError, "is not a line of cards"),
        ("5d / zz", NotationError, "zz"),
        ("5d / 4s + 6s + 6h", NotationError, '"+" is not a card'),
        ("5d / 5d", IllegalActionError, "5♦ lies there already"),
        ("5d + 9c 9c / 4s", IllegalActionError, "9♣ lies there already"),
        ("5d + 9c / 4s + 9c", IllegalActionError, "9♣ lies there already"),
        ("5d + 9c 8c / 4s", IllegalActionError, "one number"),
        ("Jo / 4s", IllegalActionError, "no place here"),
        (f"{CE19} x 6h", IllegalActionError, "it can cancel: 9♣, 9♦"),
        (f"{CE19} x none", IllegalActionError, "it can cancel: 9♣, 9♦"),
        ("5d / 4s x 4s", IllegalActionError, "no spade is left over"),
        ("5d / 4s refill_max=2", RulesError, "refill_max"),
        ("5d / 4s spade_target=all", RulesError, "'leftover', 'any'"),
    ],
)
def test_a_line_that_cannot_be_is_refused_and_changes_nothing(line, error, words):
    battle = Battle(CE19)
    with pytest.raises(error, match=re.escape(words)):
        battle.load(line)
    assert battle.line == CE19
    judge = Judge(line=CE19)
    assert words in refused(judge, f":load {line}")


# ---------------------------------------------------------------------------------- the widget


@pytest.mark.parametrize(
    "click",
    [
        *("", "zz", ":", ":step", ":step 9", ":step -1", ":step x", ":place", ":place attack"),
        *(":place x y", ":cancel", ":cancel Ks", ":rule", ":rule a=b", ":load", "play Ks"),
    ],
)
def test_nonsense_changes_nothing(click: str):
    judge = Judge(line=f"{CE19} x 9d")
    before = judge.line, judge.html
    judge.click(click)
    assert (judge.line, judge.html) == before


def test_messages_of_a_page_may_be_anything():
    judge = Judge(line=CE19)
    before = judge.line
    for message in (None, 3, [], {}, {"action": 3, "serial": 0}, {"action": "zz", "serial": 0}):
        judge._handle_custom_msg(message, [])
    assert judge.line == before
    judge._handle_custom_msg({"action": ":cancel 9d", "serial": 0}, [])
    assert judge.line == f"{before} x 9d"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_click_that_is_offered_can_be_done(lang: str):
    for line in ("", CE19, "Ad + 8s 8h 8c 8d / Qd + 3s 3h"):
        battle = Battle(line)
        offered = [
            (node.attrib["data-action"], "aria-disabled" in node.attrib)
            for node in parsed(bench.table(battle, lang)).iter("button")
            if "data-action" in node.attrib
        ]
        assert len(offered) > 60
        for click, grey in offered:
            other = Battle(line)
            if grey:
                with pytest.raises(IllegalActionError):
                    other.click(click)
            else:
                other.click(click)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_steps_are_told_in_words_with_their_rules(lang: str):
    judge = Judge(lang=lang, line=f"{CE19} x 9d")
    steps = of_class(judge.html, "cl-step")
    rules = [text(next(node.iter("span"))) for node in steps]
    assert rules == ["C16b", "C16c", "C16d", "C16g", "C17"]
    names = [locale.text(f"widgets.judge.{name}", lang) for name in ("attacker", "defender")]
    first = judge.verdict.events[0].text(lang, names)
    assert html.capital(first) in text(steps[0])
    assert text(steps[-1])[len("C17") :].strip() == locale.text(
        "widgets.judge.chat.attack_succeeds", lang, attack=11, defence=4
    )


def test_hints_stand_where_no_cards_lie():
    judge = Judge()
    assert "cl-story" in judge.html
    assert "Lay the cards" in judge.html
    judge.click("Ks")
    assert "cl-story" not in judge.html


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_still_picture_for_readers_without_a_kernel(lang: str):
    judge = Judge(lang=lang, line=f"{CE19} x 9d")
    data, _ = judge._repr_mimebundle_()
    assert data["text/plain"] == "<Judge 5d + 6s 6h / 4s + 9c 9d x 9d>"
    assert data["text/html"] == Judge(lang=lang, line=judge.line).picture()
    image = parsed(data["text/html"])[0]
    assert image.attrib["src"].startswith("data:image/svg+xml;base64,")
    for card in judge.battle.cards:
        assert html.spoken(card, lang) in image.attrib["alt"]
    assert (
        locale.text("widgets.judge.chat.attack_succeeds", lang, attack=11, defence=4)
        in (image.attrib["alt"])
    )


def test_a_click_is_answered_at_once():
    judge = Judge(line=CE19)
    times = []
    for click in (":cancel 9d", ":swap", ":step 1", ":place attack extra", "9h") * 4:
        start = time.perf_counter()
        judge.click(click)
        times.append(time.perf_counter() - start)
    assert sorted(times)[len(times) // 2] < 0.05


def test_four_colours():
    assert "cl-four" in Judge(four_colour=True).html
    assert "cl-four" not in Judge().html


def test_options_are_those_of_the_game():
    assert {name: values[0] for name, values in OPTIONS.items()} == {
        name: getattr(Battle().rules, name) for name in OPTIONS
    }
    with pytest.raises(CardlabError):
        Battle().play_by(refill_max=3)
