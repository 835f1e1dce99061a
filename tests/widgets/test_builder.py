"""The deck builder and the draft behind it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardlab
from cardlab.cards import Card
from cardlab.errors import DeckError, IllegalActionError, NotationError, RulesError
from cardlab.games.gpt_deck import UNIVERSE, Deck, check_deck, choices, count_by_sum, count_decks
from cardlab.widgets import DeckBuilder
from cardlab.widgets.draft import Draft

GE1 = "Ks Kh Qs Qh 9s 8s 7s 6s 5s 4s 4h 3s 2s As Ah"


def draft_of(cards: str, **options: int) -> Draft:
    draft = Draft(**options)
    for card in cards.split():
        draft.toggle(Card.parse(card))
    return draft


# ---------------------------------------------------------------------------------------- the draft


@pytest.mark.rule("G4")
def test_a_legal_deck_by_clicks():
    draft = draft_of(GE1)
    assert draft.is_complete
    assert draft.deck == check_deck(GE1)
    assert [str(action) for action in draft.actions()] == [f"pick {card}" for card in GE1.split()]


@pytest.mark.rule("G4")
def test_a_card_that_no_legal_deck_can_hold_any_more_is_refused():
    draft = draft_of("Ks Kh Qs Qh Js")
    # 62 and ten more cards: 1 1 2 2 3 3 4 4 5 5 make 92, so a ten would make 97 and a jack 98.
    assert draft.refusal(Card.parse("Jh")) is None
    draft.toggle(Card.parse("9s"))
    refusal = draft.refusal(Card.parse("Jh"))
    assert isinstance(refusal, IllegalActionError)
    assert refusal.rule == "G4"
    with pytest.raises(IllegalActionError, match="no deck under the cap of 100"):
        draft.toggle(Card.parse("Jh"))
    assert draft.deck.size == 6


@given(seed=st.integers(0, 10**6), seat=st.integers(0, 1))
def test_a_card_can_be_added_exactly_when_a_legal_deck_holds_it(seed: int, seat: int):
    rng = random.Random(seed)
    size, cap = rng.choice([(15, 100), (15, 64), (10, 70), (26, 182), (1, 1)])
    draft = Draft(size, cap, seat)
    for _ in range(rng.randrange(size + 1)):
        draft.toggle(
            rng.choice([c for c in UNIVERSE[seat] if c not in draft.cards and not draft.refusal(c)])
        )
    assert draft.completions == count_decks(size, cap, allowed=choices(required=draft.deck)) > 0
    for card in UNIVERSE[seat]:
        more = Deck.of({*draft.cards, card})
        possible = count_decks(size, cap, allowed=choices(required=more)) > 0
        assert (draft.refusal(card) is None) == possible


def test_a_chosen_card_is_put_back_by_another_click():
    draft = draft_of("Ks Ks 9h")
    assert draft.cards == [Card.parse("9h")]


@pytest.mark.rule("G3")
def test_cards_of_the_other_seat_are_refused():
    for card in ("Kd", "Ac"):
        with pytest.raises(IllegalActionError, match="not of your suits ♥ and ♠"):
            Draft().toggle(Card.parse(card))
    Draft(seat=1).toggle(Card.parse("Kd"))


def test_a_full_deck_takes_no_more():
    draft = draft_of(GE1)
    with pytest.raises(IllegalActionError, match="the deck has its 15 cards"):
        draft.toggle(Card.parse("2h"))


def test_filling_up_reaches_the_best_sum():
    for chosen in ("", "Ks", "As 2s 3s", "Ks Kh Qs Qh Js Jh Ts"):
        draft = draft_of(chosen, cap=110)
        best = max(s for s in count_by_sum(15, choices(required=draft.deck)) if s <= 110)
        draft.fill()
        assert draft.is_complete
        assert draft.deck.sum == best
        assert set(chosen.split()) <= {card.ascii for card in draft.cards}


def test_filling_up_at_random_depends_on_the_generator_alone():
    decks = []
    for seed in (1, 1, 2):
        draft = draft_of("Ks 2h")
        draft.fill_at_random(random.Random(seed))
        decks.append(draft.deck)
        check_deck(draft.deck)
    assert decks[0] == decks[1] != decks[2]


def test_cards_that_are_picked_already_stay():
    picked = [Card.parse("Ks"), Card.parse("2h")]
    draft = Draft(picked=picked)
    with pytest.raises(IllegalActionError, match="in your deck already"):
        draft.toggle(picked[0])
    draft.fill()
    draft.clear()
    assert draft.cards == picked
    with pytest.raises(IllegalActionError, match="has to hold K♠"):
        draft.load(Deck.of("Kh").code)
    draft.load(check_deck(GE1.replace("3s", "2h").replace("2s", "2s")).code)
    assert len(draft.actions()) == 13
    assert not {"pick Ks", "pick 2h"} & {str(action) for action in draft.actions()}


def test_an_incomplete_deck_is_not_handed_in():
    with pytest.raises(IllegalActionError, match="14 more cards are needed"):
        draft_of("Ks").actions()


@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        ("", NotationError, "not a deck code"),
        ("2222", NotationError, "not a deck code"),
        ("<script>00000", NotationError, "not a deck code"),
        ("2222222222222", DeckError, "26 cards instead of 15"),
        ("0000002222222", DeckError, "15 cards may sum to 100 at the most"),
    ],
)
def test_codes_that_cannot_be_loaded_change_nothing(code, error, text):
    draft = draft_of("Ks 2h")
    before = draft.deck
    with pytest.raises(error, match=text):
        draft.load(code)
    assert draft.deck == before


@given(st.integers(0, 10**6))
def test_codes_round_trip(seed: int):
    rng = random.Random(seed)
    draft = Draft()
    draft.fill_at_random(rng)
    for card in rng.sample(draft.cards, rng.randrange(15)):
        draft.toggle(card)
    other = draft_of("Ah 2h")
    other.load(draft.deck.code)
    assert other.deck == draft.deck


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"size": 0}, "from 1 to 26"),
        ({"size": 27}, "from 1 to 26"),
        ({"size": "15"}, "from 1 to 26"),
        ({"cap": 63}, "sum to at least 64"),
        ({"seat": 2}, "from 0 to 1"),
    ],
)
def test_sizes_and_caps_that_cannot_be(options, text):
    with pytest.raises(RulesError, match=text):
        DeckBuilder(**options)


# --------------------------------------------------------------------------------------- the widget


def test_the_builder_by_clicks():
    builder = DeckBuilder()
    assert builder.deck is None
    for card in GE1.split():
        builder.click(card)
    assert builder.deck == check_deck(GE1)
    assert builder.code == builder.deck.code
    assert "The deck is complete: 15 cards, sum 100." in builder.status
    game = cardlab.load_game("gpt", decks=(builder.deck, builder.deck))
    assert game.new_initial_state(1).phase == "play"


def test_the_number_of_completions_is_live():
    builder = DeckBuilder()
    assert "2,492,494" in builder.html
    builder.click("pick Ks")
    assert f"{count_decks(allowed=choices(required=Deck.of('Ks'))):,}" in builder.html
    builder.click(":clear")
    assert "2,492,494" in builder.html


def test_refusals_show_in_the_status_line():
    builder = DeckBuilder(lang="ja")
    builder.click(":load nonsense")
    assert "デッキコードではありません" in builder.status
    builder.click("Ks")
    assert "デッキコード" not in builder.status
    for action in ("", "nonsense", "strike 1", ":submit", ":load", "pick pick Ks", "pick Jo"):
        before = builder.code
        builder.click(action)
        assert 'class="cl-refusal"' in builder.status
        assert builder.code == before


def test_a_message_from_the_page_may_be_anything():
    builder = DeckBuilder()
    for message in (
        None,
        [],
        {},
        {"action": 1, "serial": 0},
        {"action": "Ks"},
        "Ks",
        {"action": None},
    ):
        builder._handle_custom_msg(message, [])
    assert builder.code == "0" * 13
    builder._handle_custom_msg({"action": "pick Ks", "serial": 0}, [])
    assert builder.code == "000000000000b"


def test_what_a_notebook_stores_of_it():
    builder = DeckBuilder(seed=1)
    builder.click(":random")
    data, _ = builder._repr_mimebundle_()
    assert (
        data["text/plain"]
        == repr(builder)
        == f"<DeckBuilder {builder.code}, sum {builder.deck.sum}>"
    )
    assert data["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    other = DeckBuilder(seed=1)
    other.click(":random")
    assert other._repr_mimebundle_()[0]["text/html"] == data["text/html"]
