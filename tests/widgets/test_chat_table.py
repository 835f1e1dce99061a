"""The table of CHAT: what it offers, what it tells, and what it never tells."""

import random
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardlab
from cardlab import locale
from cardlab.cards import JOKER, UNKNOWN, Card
from cardlab.engine import Action, State
from cardlab.games.chat import CHATState, resolve
from cardlab.widgets import Table, html
from cardlab.widgets.controls import _numbers, _written
from cardlab.widgets.layouts import chat
from cardlab.widgets.session import Session
from tests.widgets.test_table import everything, redealt

LANGUAGES = ("ja", "en")
PHASES = {*cardlab.load_game("chat").phases, "end"}


def view(state: State, seat: int, lang: str = "en", **look: bool) -> html.View:
    return html.View(
        observation=state.observation(seat),
        names=("Ann <b>", "Ben"),
        legal=tuple(state.legal_actions(seat)),
        lang=lang,
        **look,
    )


def states(seed: int, **options: object) -> Iterator[CHATState]:
    """Every position of a random game that announces whatever it can; one object that moves on."""
    rng = random.Random(seed)
    state = cardlab.load_game("chat", **options).new_initial_state(seed)
    while True:
        yield state
        if state.is_terminal():
            return
        seat = rng.choice(state.to_move)
        legal = state.legal_actions(seat)
        bold = [action for action in legal if action.arg in ("more", "block", JOKER)]
        state.apply(rng.choice(bold or legal), seat)


def first(wanted: Callable[[CHATState], bool], **options: object) -> CHATState:
    """The first such position in many random games."""
    return next(s for seed in range(2000) for s in states(seed, **options) if wanted(s))


@lru_cache(maxsize=1)
def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


def buttons(markup: str) -> dict[str, ET.Element]:
    """The last button for each action; one that shows more comes after the card itself."""
    return {node.attrib["data-action"]: node for node in parsed(markup).iter("button")}


def usable(markup: str) -> set[str]:
    return allowed(buttons(markup))


def allowed(drawn: dict[str, ET.Element]) -> set[str]:
    return {name for name, node in drawn.items() if "aria-disabled" not in node.attrib}


def text(node: ET.Element) -> str:
    return " ".join("".join(node.itertext()).split())


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "joker_block_result": st.sampled_from(["blocker_succeeds", "nothing", "battle"]),
        "spade_target": st.sampled_from(["leftover", "any"]),
        "spade_optional": st.booleans(),
        "block_may_use_base": st.booleans(),
        "only_joker_hand": st.sampled_from(["no_base", "joker_base_zero", "lose"]),
        "hand_limit": st.sampled_from([None, 3, 6]),
        "destroyed_to": st.sampled_from(["out", "hand"]),
        "win_check": st.sampled_from(["immediate", "step11"]),
        "declare_order": st.sampled_from(["simultaneous", "attacker_first"]),
    },
)
SEEDS = st.integers(0, 10**6)


# ------------------------------------------------------------------------------ what can be clicked


SHARE = {"call": 0.25, "respond": 1, "block": 1, "cancel": 1, "further": 0.5, "end": 0.25}
"""How many of the positions in a phase that is rare are looked at."""


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, options=OPTIONS, lang=st.sampled_from(LANGUAGES))
def test_what_can_be_clicked_is_what_is_legal_in_a_whole_game(seed, options, lang):
    rng = random.Random(seed)
    for state in states(seed, **options):
        # A game has some 100 positions; a part of them, other ones each time, is enough.
        if rng.random() >= SHARE.get(state.phase, 0.05):
            continue
        for seat in (0, 1):
            screen = html.screen(view(state, seat, lang))
            parsed(screen.status)
            drawn = buttons(screen.table)
            assert allowed(drawn) == {str(each) for each in state.legal_actions(seat)}
            for name in drawn:
                state.game.parse_action(name)
            assert "Ann <b>" not in screen.table + screen.status + screen.words
            assert "Ann &lt;b&gt;" in screen.table


SEATS = ("human", "random")


def pick(legal: Sequence[Action], rng: random.Random) -> Action:
    """A choice that leads to every phase: announce what can be announced, hold many cards."""
    kept = [each for each in legal if each.arg in ("more", "block", 3)]
    return rng.choice(kept or legal)


@cache
def way_to(phase: str) -> tuple[int, tuple[str, ...]]:
    """The seed of a game against a random player, and the clicks that lead to the phase."""
    for seed in range(400):
        session, rng, clicks = Session(cardlab.load_game("chat"), SEATS, seed), random.Random(0), []
        while session.deciders and session.view(0).phase != phase:
            clicks.append(str(pick(session.legal_actions(0), rng)))
            session.act(clicks[-1])
        if session.view(0).phase == phase:
            return seed, tuple(clicks)
    raise AssertionError(phase)


def at(phase: str) -> Table:
    """A table that has come to the phase by clicks on what it offered."""
    seed, clicks = way_to(phase)
    table = Table("chat", SEATS, seed)
    for name in clicks:
        assert name in usable(table.board.html)
        table.click(name)
    return table


@pytest.mark.parametrize("phase", sorted(PHASES))
def test_every_phase_is_reached_by_clicks(phase: str):
    table = at(phase)
    assert table.session.view(0).phase == phase
    offered = usable(table.board.html)
    for name in sorted(offered):
        before = table.session.record.actions
        table.click(name)
        assert table.session.record.actions[len(before)][1].kind == name.split()[0]
        table.click(":undo")
        # Of what is chosen together, the other's choice is another one now.
        assert [each for each in table.session.record.actions if each[0] == 0] == [
            each for each in before if each[0] == 0
        ]
        assert usable(table.board.html) == offered


def test_the_click_that_was_offered_is_the_one_that_is_recorded():
    table = Table("chat", seed=4)
    rng = random.Random(4)
    while table.session.deciders:
        name = rng.choice(sorted(usable(table.board.html)))
        before = len(table.session.record.actions)
        table.click(name)
        mine = [each for seat, each in table.session.record.actions[before:] if seat == 0]
        assert str(mine[0]) == name


@pytest.mark.parametrize(
    ("phase", "word", "reason"),
    [("declare", "more", "no further card with the number"), ("respond", "block", "three cards")],
)
@pytest.mark.rule("C10")
@pytest.mark.rule("C11")
def test_what_cannot_be_announced_is_shown_and_says_why(phase: str, word: str, reason: str):
    for seed in range(200):
        table = Table("chat", seats=("human", "human"), seed=seed)
        rng = random.Random(seed)
        while table.session.deciders:
            if ":reveal" in table.board.html:
                table.click(":reveal")
            legal = table.session.legal_actions(table._viewer)
            if table.session.view(0).phase == phase and len(legal) == 1:
                node = buttons(table.board.html)[f"declare {word}"]
                assert node.attrib["aria-disabled"] == "true"
                before = table.session.record.actions
                table.click(f"declare {word}")
                assert reason in table.status
                assert table.session.record.actions == before
                return
            jokers = [each for each in legal if each.arg is JOKER]
            table.click(str(rng.choice(jokers or legal)))
    pytest.fail("no such position")


def test_a_single_choice_is_a_button_and_is_never_made_for_a_person():
    forced = 0
    for seed in range(4):
        table = Table("chat", seed=seed)
        rng = random.Random(seed)
        while table.session.deciders:
            legal = table.session.legal_actions(0)
            assert (locale.text("widgets.chat.only") in table.board.html) == (len(legal) == 1)
            if len(legal) == 1:
                forced += 1
                words = parsed(table.board.html).iter("button")
                primary = [node for node in words if "cl-primary" in node.attrib["class"]]
                assert [node.attrib["data-action"] for node in primary] == [str(legal[0])]
            table.click(str(rng.choice(legal)))
    assert forced > 10


@pytest.mark.rule("C12")
@pytest.mark.rule("C15")
def test_sets_of_cards_are_one_click_each():
    for phase in ("block", "further"):
        state = first(lambda s, phase=phase: s.phase == phase)
        seat = state.to_move[0]
        found = buttons(html.screen(view(state, seat)).table)
        for action in state.legal_actions(seat):
            faces = [node.get("aria-label") for node in found[str(action)]]
            assert faces == [html.spoken(card, "en") for card in action.arg]


# ------------------------------------------------------------------------------- what is told


@pytest.mark.rule("C16b")
def test_each_choice_of_the_spade_shows_what_comes_of_it():
    for options in ({}, {"spade_target": "any", "spade_optional": True}):
        state = first(lambda s: s.phase == "cancel", **options)
        seat = state.to_move[0]
        found = buttons(html.screen(view(state, seat)).table)
        attacker = state.attacker
        for action in state.legal_actions(seat):
            sides = [state.players[attacker], state.players[1 - attacker]]
            verdict = resolve(
                sides[0].base[0],
                sides[0].extra,
                sides[1].base[0],
                sides[1].extra,
                action.arg,
                state.game.rules.spade_target,
                spade_optional=state.game.rules.spade_optional,
            )
            told = [
                int(text(node))
                for node in found[str(action)].iter("b")
                if node.get("class") in ("cl-attack", "cl-defence")
            ]
            assert told == [verdict.attack, verdict.defence]
            after = state.clone()
            after.apply(action, seat)
            totals = next(e for e in reversed(after.log) if e.kind == "chat.totals")
            assert told == [totals.data["attack"], totals.data["defence"]]


@pytest.mark.rule("C16d")
def test_cards_show_what_became_of_them_until_the_turn_is_over():
    state = first(
        lambda s: s.phase == "refill" and any(e.kind == "chat.one_one" for e in s.log[-6:])
    )
    event = next(e for e in reversed(state.log) if e.kind == "chat.one_one")
    assert not state.players[0].base
    drawn = parsed(html.screen(view(state, 0)).table)
    fates = {
        node[0].get("aria-label"): node.get("class", "").split()[-1]
        for node in drawn.iter("figure")
        if "cl-laid" in node.get("class", "")
    }
    assert fates[html.spoken(event.data["card"], "en")] == "cl-is-line"
    assert fates[html.spoken(event.data["cards"][0], "en")] == "cl-is-beaten"
    totals = next(e for e in reversed(state.log) if e.kind == "chat.totals")
    shown = {text(n) for n in drawn.iter("b") if n.get("class") == "cl-total"}
    assert shown == {str(totals.data["attack"]), str(totals.data["defence"])}


@pytest.mark.rule("C12")
def test_a_blocked_joker_and_its_block_are_shown():
    state = first(lambda s: s.phase == "strike" and "block" in s.declared)
    drawn = html.screen(view(state, 0)).table
    assert drawn.count("cl-is-blocked") == 1
    assert drawn.count("cl-is-block ") + drawn.count('cl-is-block"') == 3


@pytest.mark.rule("C19")
@pytest.mark.parametrize(
    ("stock", "told"),
    [
        (
            16,
            {1: ("15 left", "15 more refills"), 2: ("14 left", "7 more"), 3: ("13 left", "5 more")},
        ),
        (3, {1: ("2 left", "2 more"), 2: ("1 left", "1 more refill like"), 3: ("0 left", "empty")}),
        (2, {1: ("1 left", "1 more"), 2: ("0 left", "empty"), 3: ("–", "–")}),
    ],
)
def test_a_refill_shows_what_it_costs(stock: int, told: dict[int, tuple[str, str]]):
    state = first(lambda s: s.phase == "refill" and len(s.players[0].stock) == stock)
    found = buttons(html.screen(view(state, 0)).table)
    for n, words in told.items():
        assert all(word in text(found[f"refill {n}"]) for word in words)
        assert ("aria-disabled" in found[f"refill {n}"].attrib) == (n > stock)


def test_a_refill_of_nothing_is_offered_where_the_hand_is_full():
    state = first(lambda s: s.phase == "refill" and len(s.players[0].hand) > 3, hand_limit=3)
    assert usable(html.screen(view(state, 0)).table) == {"refill 0"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_parts_and_steps_are_told_in_words(lang: str):
    for state in states(5):
        if state.phase in ("call", "end"):
            continue
        for seat in (0, 1):
            screen = html.screen(view(state, seat, lang))
            side = "attack" if seat == state.attacker else "defence"
            assert locale.text(f"widgets.chat.{side}", lang) in screen.status
            marked = [n for n in parsed(screen.table).iter("li") if n.get("aria-current")]
            assert len(marked) == 1
            assert marked[0].get("aria-current") == "step"
            assert text(marked[0]).endswith(locale.text(f"widgets.chat.step.{state.phase}", lang))


def test_a_secret_choice_is_told_to_its_owner_only():
    state = first(lambda s: s.phase == "extra" and s.turn == 2)
    card = state.players[0].hand[0]
    state.apply(Action("extra", card), 0)
    words = f"Additional card {html.spoken(card, 'en')}"
    assert notes(state, 0) == [words]
    assert notes(state, 1) == [locale.text("widgets.chat.decided")]
    state.apply("extra none", 1)
    assert notes(state, 0) == notes(state, 1) == []


def notes(state: State, seat: int) -> list[str]:
    """What is noted of secret choices."""
    drawn = parsed(html.screen(view(state, seat)).table)
    return [text(node) for node in drawn.iter("span") if node.get("class") == "cl-pending"]


def test_a_secret_base_card_is_seen_by_its_owner_only():
    state = first(lambda s: s.phase == "base" and s.turn == 2 and len(s.to_move) == 2)
    card = state.players[0].hand[0]
    state.apply(Action("base", card), 0)
    for seat, face in ((0, html.spoken(card, "en")), (1, html.spoken(UNKNOWN, "en"))):
        drawn = parsed(html.screen(view(state, seat)).table)
        lanes = [node for node in drawn.iter("section") if "cl-lane" in node.get("class", "")]
        faces = {lane.get("aria-label"): lane.find(".//figure")[0] for lane in lanes}
        (mine,) = [node for label, node in faces.items() if "Ann" in label]
        assert mine.get("aria-label") == face
        (other,) = [node for label, node in faces.items() if "Ben" in label]
        assert other.get("aria-label") == locale.text("widgets.empty")


@pytest.mark.rule("C16b")
def test_what_the_spade_may_cancel_can_be_clicked_where_it_lies():
    state = first(lambda s: s.phase == "cancel")
    seat = state.to_move[0]
    drawn = parsed(html.screen(view(state, seat)).table)
    cards = [n.get("data-action") for n in drawn.iterfind(".//figure/button")]
    assert sorted(cards) == sorted(str(each) for each in state.legal_actions(seat))
    assert not parsed(html.screen(view(state, 1 - seat)).table).findall(".//figure/button")


def test_the_log_tells_a_choice_once():
    *_, state = states(3)
    drawn = parsed(html.log(view(state, 0), chat._NOT_TOLD))
    told = [text(node) for node in drawn.iter("li")]
    assert not [line for line in told if " chose " in line]
    shown = [e for e in state.observation(0).log if e.kind not in chat._NOT_TOLD]
    assert [line.split()[0] for line in told] == [e.rule for e in reversed(shown)]


def test_a_position_without_a_log_is_drawn():
    for at, state in enumerate(states(8)):
        if at % 5:
            continue
        bare = state.game.state_from_dict({**state.to_dict(), "log": []})
        for seat in (0, 1):
            drawn = html.screen(view(bare, seat)).table
            assert usable(drawn) == {str(each) for each in bare.legal_actions(seat)}
            for card in state.players[seat].base + state.players[seat].extra:
                assert html.spoken(card, "en") in drawn


@pytest.mark.rule("C7")
@pytest.mark.parametrize("reading", ["no_base", "joker_base_zero"])
def test_a_hand_that_is_only_the_joker(reading: str):
    state = first(
        lambda s: s.phase == "base" and any(s.players[p].hand == [JOKER] for p in s.to_move),
        only_joker_hand=reading,
        refill_max=1,
    )
    seat = next(seat for seat in state.to_move if state.players[seat].hand == [JOKER])
    (action,) = state.legal_actions(seat)
    drawn = html.screen(view(state, seat)).table
    assert usable(drawn) == {str(action)}
    words = html.capital(view(state, seat).label(action))
    assert words in [text(node) for node in parsed(drawn).iter("button")]


def test_every_drawing_that_is_referred_to_is_there():
    for state in states(6):
        drawn = parsed(html.screen(view(state, 0)).table)
        there = {node.get("id") for node in drawn.iter("symbol")}
        assert {n.get("href", "").removeprefix("#") for n in drawn.iter("use")} <= there
    joker = parsed(html.card(JOKER, "ja"))[0]
    assert joker.get("aria-label") == "ジョーカー"


# ------------------------------------------------------------------------------------ no secret


@settings(deadline=None)
@given(seed=SEEDS, options=OPTIONS, seat=st.integers(0, 1))
def test_hidden_cards_dealt_anew_leave_every_byte_the_same(seed, options, seat):
    *_, state = islice(states(seed, **options), random.Random(seed).randrange(1, 120))
    other = state.game.resample(state.observation(seat), random.Random(seed))
    assert drawings(other, seat) == drawings(state, seat)


def drawings(state: State, seat: int) -> str:
    """All that a page or a stored notebook shows of the game."""
    screen = html.screen(view(state, seat))
    covered = html.screen(view(state, seat), covered=True)
    picture = html.picture(
        screen.status, screen.table, screen.words, "en", screen.height, state.game.name
    )
    return "\n".join((*map(str, (screen, covered)), picture))


@pytest.mark.parametrize("phase", sorted(PHASES))
def test_the_whole_widget_stays_the_same(phase: str):
    table = at(phase)
    before = everything(table)
    for seed in range(3):
        redealt(table, seed)
        table._show()
        assert everything(table) == before


# Of a stock no more than its size is drawn, so that even a leak of the engine would not show.
@pytest.mark.parametrize("zone", ["hand", "shields"])
def test_the_tests_above_find_a_leak(zone: str, monkeypatch: pytest.MonkeyPatch):
    state = first(lambda s: s.phase == "base" and s.turn == 2)
    other = state.game.resample(state.observation(0), random.Random(1))
    assert drawings(other, 0) == drawings(state, 0)
    sees = CHATState._sees
    monkeypatch.setattr(
        CHATState, "_sees", lambda self, *place: zone in place or sees(self, *place)
    )
    assert drawings(other, 0) != drawings(state, 0)


def test_the_other_hand_is_backs_all_alike_but_for_what_everybody_knows():
    state = first(lambda s: s.phase == "base" and s.known, destroyed_to="hand")
    seat = next(seat for seat in (0, 1) if set(state.known) & set(state.players[seat].hand))
    drawn = parsed(html.screen(view(state, 1 - seat)).table)
    theirs = next(node for node in drawn.iter("section") if "cl-theirs" in node.get("class", ""))
    hand = next(node for node in theirs.iter("div") if "cl-hand" in node.get("class", ""))
    known = [card for card in state.players[seat].hand if card in state.known]
    labels = [node.get("aria-label") for node in hand]
    assert sorted(labels[: len(known)]) == sorted(html.spoken(card, "en") for card in known)
    assert {ET.tostring(node) for node in hand[len(known) :]} <= {
        b'<span class="cl-card cl-back" role="img" aria-label="a face-down card" />'
    }
    assert len(hand) == len(state.players[seat].hand)


def test_two_people_at_one_screen():
    table = Table("chat", seats=("human", "human"), seed=2)
    rng = random.Random(2)
    looked = None
    while table.session.deciders:
        if table._viewer != looked:
            assert table.board.html.count("<button") == 1
            assert "cl-face" not in table.board.html
            table.click(":reveal")
            looked = table._viewer
        table.click(rng.choice(sorted(usable(table.board.html))))
    assert "cl-result" in table.board.html


# ---------------------------------------------------------------------------------- the controls


def test_an_option_without_a_number_can_be_set():
    table = Table("chat", seed=1)
    control = table.controls._options["hand_limit"]
    assert control.value == ""
    assert control.placeholder == "empty: none"
    control.value = " 7 "
    table.click(":new")
    assert table.session.game.rules.hand_limit == 7
    assert control.value == "7"
    control.value = ""
    table.click(":new")
    assert table.session.game.rules.hand_limit is None
    for wrong in ("seven", "0", "3 4"):
        control.value = wrong
        table.click(":new")
        assert "hand_limit" in table.status
        assert table.session.game.rules.hand_limit is None
    table.controls.language.value = "ja"
    assert control.placeholder == "空欄：なし"
    assert control.description == locale.text("chat.option.hand_limit", "ja")


def test_every_option_has_a_control():
    table = Table("chat", seed=1)
    assert table.controls.options == table.session.game.rules.to_dict()


@pytest.mark.parametrize("value", [None, 0, 7, (8, 6, 6), (5,)])
def test_numbers_are_read_as_they_are_written(value):
    assert _numbers(_written(value), isinstance(value, tuple)) == value


# --------------------------------------------------------------------------- the rest of the table


def test_taking_back_and_the_same_click_draw_the_same_table():
    table = Table("chat", seed=3)
    rng = random.Random(2)
    for _ in range(12):
        name = rng.choice(sorted(usable(table.board.html)))
        before = table.board.html
        together = table.session.view(0).phase in CHATState.TOGETHER
        table.click(name)
        drawn = table.board.html
        table.click(":undo")
        assert table.board.html == before
        table.click(name)
        # Where both show their choice together, the other chooses anew.
        assert together or table.board.html == drawn


def test_the_end_shows_the_result_and_the_last_battle():
    *_, state = states(11)
    drawn = html.screen(view(state, 0))
    assert html.result(view(state, 0)) in drawn.table
    assert not usable(drawn.table)
    assert "cl-lane" in drawn.table


def test_pictures_of_gpt_hold_nothing_of_chat():
    assert "cl-lane" not in html.style("gpt")
    assert "cl-lane" in html.style("chat")
    assert "cl-lane" in html.style()
    assert "cl-joker" not in html.symbols("gpt")


def test_labels_of_actions_begin_with_a_capital_letter():
    game = cardlab.load_game("chat", spade_optional=True, hand_limit=9)
    state = game.new_initial_state(1)
    for lang in LANGUAGES:
        labels = [view(state, 0, lang).label(action) for action in game.actions]
        assert len(set(labels)) == len(labels)
        assert all(label[0] == label[0].upper() for label in labels)
    assert view(state, 0).label(Action("base", Card.parse("Ks"))) == "Base card king of spades"
