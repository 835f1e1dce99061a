"""The drawings: well-formed, in words, with the right things to click, and without a secret."""

import base64
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardlab
from cardlab.cards import PACK, UNKNOWN, Card
from cardlab.engine import Action, State
from cardlab.games.gpt import GPTState
from cardlab.widgets import html
from cardlab.widgets.layouts import gpt, plain

LANGUAGES = ("ja", "en")


def view(state: State, seat: int, lang: str = "en", **look: bool) -> html.View:
    return html.View(
        observation=state.observation(seat),
        names=("Ann <b>", "Ben"),
        legal=tuple(state.legal_actions(seat)),
        lang=lang,
        **look,
    )


def states(seed: int, **options: object) -> Iterator[State]:
    """Every position of a random game; it is one object that moves on."""
    rng = random.Random(seed)
    game = cardlab.load_game("gpt", **options)
    state = game.new_initial_state(seed)
    while True:
        yield state
        if state.is_terminal():
            return
        seat = rng.choice(state.to_move)
        state.apply(rng.choice(state.legal_actions(seat)), seat)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "shield_mode": st.sampled_from(["random", "chosen"]),
        "counter_choice": st.sampled_from(["counter_player", "owner", "random"]),
        "n_shields": st.integers(1, 8),
        "hand_size": st.integers(1, 7),
    },
)
SEEDS = st.integers(0, 10**6)


def some_state(seed: int, options: dict[str, object]) -> State:
    """A position somewhere in a random game."""
    at = random.Random(seed).randrange(60)
    *_, state = islice(states(seed, **options), at + 1)
    return state


def first(phase: str, seed: int = 3, turn: int = 1) -> State:
    """The first position of this phase in a random game."""
    return next(s for s in states(seed) if s.phase == phase and s.turn >= turn)


@lru_cache(maxsize=1)
def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


def buttons(markup: str) -> list[ET.Element]:
    return [node for node in parsed(markup).iter("button") if "data-action" in node.attrib]


# ------------------------------------------------------------------------------------- the markup


@given(seed=SEEDS, options=OPTIONS, seat=st.integers(0, 1), lang=st.sampled_from(LANGUAGES))
def test_what_can_be_clicked_is_what_is_legal(seed, options, seat, lang):
    state = some_state(seed, options)
    screen = html.screen(view(state, seat, lang))
    usable = {
        node.attrib["data-action"]
        for node in buttons(screen.table)
        if "aria-disabled" not in node.attrib
    }
    # Decks are built in another view.
    legal = state.legal_actions(seat) if state.phase != "deck" else []
    assert usable == {str(action) for action in legal}
    for node in buttons(screen.table):
        state.game.parse_action(node.attrib["data-action"])
        assert node.attrib["aria-label"]


@given(seed=SEEDS, options=OPTIONS, seat=st.integers(0, 1), lang=st.sampled_from(LANGUAGES))
def test_the_plain_layout_offers_the_same(seed, options, seat, lang):
    state = some_state(seed, options)
    drawn = plain.table(view(state, seat, lang))
    usable = {node.attrib["data-action"] for node in buttons(drawn)}
    assert usable == {str(action) for action in state.legal_actions(seat)}


@given(seed=SEEDS, options=OPTIONS, seat=st.integers(0, 1))
def test_names_cannot_break_the_page(seed, options, seat):
    screen = html.screen(view(some_state(seed, options), seat))
    parsed(screen.status), parsed(screen.table), parsed(screen.words)
    assert "<b>" not in screen.status + screen.words
    assert "Ann <b>" not in screen.table
    assert "Ann &lt;b&gt;" in screen.table


def test_layouts_are_found_by_the_name_of_the_game():
    assert html.layout_of("gpt") is gpt
    assert html.layout_of("a game of somebody else") is plain


def test_a_clicked_card_that_cannot_be_played_is_still_a_button():
    state = first("strike")
    winner = state.to_move[0]
    found = {
        node.attrib["data-action"]: node for node in buttons(html.screen(view(state, winner)).table)
    }
    for card in state.players[winner].hand:
        assert found[f"play {card.ascii}"].attrib["aria-disabled"] == "true"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("card", PACK)
def test_every_card_has_a_face_and_words(card: Card, lang: str):
    drawn = html.card(card, lang)
    node = parsed(drawn)[0]
    assert node.attrib["aria-label"] == html.spoken(card, lang)
    texts = [text.text for text in node.iter("text")]
    assert texts[:2] == [str(card)[:-1]] * 2
    pips = [use.attrib["href"] for use in node.iter("use")].count(f"#cl-{card.suit.letter}")
    assert pips == 2 + (card.rank if card.rank <= 10 else 1)


def test_cards_in_words():
    assert html.spoken(Card.parse("Qs"), "en") == "queen of spades"
    assert html.spoken(Card.parse("Th"), "ja") == "ハートの10"
    assert html.spoken(UNKNOWN, "ja") == "裏向きのカード"
    assert len({html.spoken(card, lang) for card in PACK for lang in LANGUAGES}) == 104


def test_every_symbol_that_is_used_is_drawn():
    drawn = {node.attrib["id"] for node in parsed(html.symbols()).iter("symbol")}
    used = {
        href
        for card in PACK
        for href in re.findall(r'href="#([^"]+)"', html.card(card, "en") + html.mini(card, "en"))
    }
    assert used == drawn


def test_cards_and_rules_in_a_sentence():
    assert html.sentence("10♥ beats < 9♠. [G10]") == (
        '<b class="cl-t cl-h">10♥</b> beats &lt; <b class="cl-t cl-s">9♠</b>.'
        ' <span class="cl-rule">G10</span>'
    )


@pytest.mark.rule("G13")
def test_the_place_of_a_fallen_shield_is_empty_and_says_what_it_was():
    state = first("strike")
    winner = state.to_move[0]
    struck = state.apply("strike 2", winner)[0]
    drawn = html.screen(view(state, winner)).table
    words = html.spoken(struck.data["card"], "en")
    assert f'cl-empty" role="img" aria-label="empty place of {words}"' in drawn
    assert 'data-action="strike 2"' not in drawn


def test_the_log_has_the_latest_first_with_rule_numbers():
    state = first("strike")
    drawn = html.log(view(state, 0))
    rules = [node.text for node in parsed(drawn).iter("span") if node.get("class") == "cl-rule"]
    assert rules == [event.rule for event in reversed(state.observation(0).log)]


@pytest.mark.parametrize(
    ("result", "seat", "solo", "text"),
    [
        ((1.0, -1.0), 0, True, "You win!"),
        ((1.0, -1.0), 1, True, "You lose."),
        ((0.0, 0.0), 0, True, "A draw."),
        ((-1.0, 1.0), 0, False, "Ben wins!"),
    ],
)
def test_the_end_in_words(result, seat, solo, text):
    state = cardlab.load_game("gpt").new_initial_state(1)
    state._finish(result)
    seen = view(state, seat, solo=solo)
    assert html.result(seen) == text
    assert text in html.screen(seen).status


# ------------------------------------------------------------------------------------ no secret


def hidden(state: State, seat: int) -> set[Card]:
    """The cards that a seat has no way to know the place of."""
    seen = state.observation(seat)
    shown = {card for zones in seen.players for zone in zones.values() for card in zone}
    everything = {
        card for other in state.players for zone in other.zones().values() for card in zone
    }
    return everything - shown - set(seen.out) - {None, UNKNOWN}


def drawings(state: State, seat: int) -> str:
    """All that a page or a stored notebook shows of the game."""
    screen = html.screen(view(state, seat))
    covered = html.screen(view(state, seat), covered=True)
    picture = html.picture(screen.status, screen.table, screen.words, "en", screen.height)
    return "\n".join((*map(str, (screen, covered)), picture, plain.table(view(state, seat))))


@given(seed=SEEDS, options=OPTIONS, seat=st.integers(0, 1))
def test_hidden_cards_dealt_anew_leave_every_byte_the_same(seed, options, seat):
    state = some_state(seed, options)
    other = state.game.resample(state.observation(seat), random.Random(seed))
    assert drawings(other, seat) == drawings(state, seat)


def test_the_test_above_finds_a_leak(monkeypatch):
    state = first("play", turn=2)
    other = state.game.resample(state.observation(0), random.Random(1))
    assert drawings(other, 0) == drawings(state, 0)
    sees = GPTState._sees
    monkeypatch.setattr(
        GPTState, "_sees", lambda self, *place: "hand" in place or sees(self, *place)
    )
    assert drawings(other, 0) != drawings(state, 0)


@given(seed=SEEDS, options=OPTIONS)
def test_a_hidden_card_is_nowhere_in_the_page(seed, options):
    state = some_state(seed, options)
    secret = {card for card in hidden(state, 0) if card.suit.letter in "dc"}
    # Those of the other's deck that can still be anything are named nowhere, in no notation.
    page = drawings(state, 0)
    for card in secret:
        assert str(card) not in page
        assert f" {card.ascii}" not in page
        assert html.spoken(card, "en") not in page


def test_backs_are_all_alike():
    state = first("play", turn=2)
    drawn = parsed(html.screen(view(state, 0)).table)
    theirs = next(node for node in drawn.iter() if "cl-theirs" in node.get("class", ""))
    hand = next(node for node in theirs.iter() if "cl-hand" in node.get("class", ""))
    assert len(hand) == 3
    assert {ET.tostring(back) for back in hand} == {
        b'<span class="cl-card cl-back" role="img" aria-label="a face-down card" />'
    }


def test_the_screen_between_two_people_shows_nothing_of_the_game():
    screens = {
        (screen.status, screen.table, screen.words)
        for seed in (1, 2)
        for state in states(seed)
        if 0 in state.to_move
        for screen in [html.screen(view(state, 0), covered=True)]
    }
    assert len(screens) == 1


# -------------------------------------------------------------------------------------- picture


def test_the_picture_is_an_image_of_the_whole_table():
    state = first("play", turn=2)
    screen = html.screen(view(state, 0))
    markup = html.picture(screen.status, screen.table, screen.words, "en", screen.height)
    image = parsed(markup)[0]
    kind, _, data = image.attrib["src"].partition(",")
    assert kind == "data:image/svg+xml;base64"
    drawing = ET.fromstring(base64.b64decode(data).decode())
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    namespaces = {node.tag[1:].partition("}")[0] for node in drawing.iter()}
    assert namespaces == {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
    for node in drawing.iter("{http://www.w3.org/2000/svg}use"):
        assert node.attrib["href"].startswith("#cl-")
    for card in state.players[0].hand:
        assert html.spoken(card, "en") in image.attrib["alt"]


def test_nothing_is_loaded_from_elsewhere():
    state = first("play", turn=2)
    sheet = re.sub(r"/\*.*?\*/", "", html.style(), flags=re.S)
    assert not re.search(r"url\(|@import|https?:", sheet)
    assert not re.search(r"https?:", html.screen(view(state, 0)).table)


def test_actions_are_labelled_in_words():
    state = first("play", turn=2)
    label = view(state, 0).label
    assert label(Action("play", Card.parse("Ks"))) == "Play king of spades"
    assert label(Action("strike", 1)) == "Destroy shield 2"
