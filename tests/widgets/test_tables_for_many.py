"""The tables of games for three and more: what they offer, tell, and never tell."""

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache

import pytest

import cardlab
from cardlab import locale
from cardlab.cards import UNKNOWN, Card
from cardlab.engine import Action, Game, State
from cardlab.errors import IllegalActionError, NotationError
from cardlab.games.chaos import knowledge
from cardlab.widgets import Table, around, html
from cardlab.widgets.layouts import alicematic
from cardlab.widgets.selection import Selection
from tests.games.test_chaos_examples import do, start
from tests.widgets.test_table import everything, redealt, widgets

GAMES = [
    ("alicematic", {"n_players": 3, "counts": (14, 14, 14)}),
    ("alicematic", {"n_players": 4, "release_target": "left", "envy_refusable": True}),
    ("alicematic", {"n_players": 5, "over_limit_blocks_receive": True, "hand_limit": 3}),
    ("collect", {"preset": "d0"}),
    ("collect", {"preset": "d2b_return", "rounds": 4}),
    ("collect", {"preset": "d4_three"}),
    ("collect", {"preset": "d7a"}),
    ("chaos", {"n_players": 3, "max_turns": 12}),
    (
        "chaos",
        {
            "n_players": 4,
            "drain_mode": "until_empty",
            "min_actions": 1,
            "order_search_free": False,
            "exchange_pick": "blind_draw",
            "rotation_min": 1,
            "triple_order": "simultaneous",
            "lay_timing": "turn_start",
            "order_end": "optional",
            "target_points": 1,
            "max_turns": 6,
        },
    ),
    ("chaos", {"n_players": 5, "max_turns": 8}),
    ("highlow", {"n_players": 3, "decks": "separate"}),
    ("highlow", {"preset": "d1b", "n_players": 4, "pass_penalty": 2}),
]
IDS = [f"{name}-{next(iter(options.values()))}" for name, options in GAMES]
BURIED = 3
NAMES = ("Ann <b>", "Ben", "Cleo", "Dan", "Eve", "Fay")

every_game = pytest.mark.parametrize(("name", "options"), GAMES, ids=IDS)


def view(state: State, seat: int, lang: str = "en", **look: object) -> html.View:
    return html.View(
        observation=state.observation(seat),
        names=NAMES[: len(state.players)],
        legal=tuple(state.legal_actions(seat)),
        lang=lang,
        **look,
    )


def bold(legal: list[Action], rng: random.Random) -> Action:
    """A choice that leads to many phases: whatever lays cards or plays special ones."""
    kinds = ("army", "medallion", "begin", "bury", "to", "lay", "search")
    kept = [each for each in legal if each.kind in kinds]
    return rng.choice(kept if kept and rng.random() < 0.7 else legal)


def states(game: Game, seed: int) -> Iterator[State]:
    """Every position of a game; it is one object that moves on."""
    rng = random.Random(seed)
    state = game.new_initial_state(seed)
    while True:
        yield state
        if state.is_terminal():
            return
        seat = rng.choice(state.to_move)
        state.apply(bold(state.legal_actions(seat), rng), seat)


def first(wanted: Callable[[State], bool], name: str = "alicematic", **options: object) -> State:
    """The first such position in many games."""
    game = cardlab.load_game(name, **options)
    return next(s for seed in range(3000) for s in states(game, seed) if wanted(s))


@lru_cache(maxsize=1)
def parsed(markup: str) -> ET.Element:
    return ET.fromstring(f"<div>{markup}</div>")


def buttons(markup: str) -> dict[str, ET.Element]:
    nodes = [node for node in parsed(markup).iter("button") if "data-action" in node.attrib]
    return {node.attrib["data-action"]: node for node in nodes}


def usable(markup: str) -> set[str]:
    return {name for name, node in buttons(markup).items() if "aria-disabled" not in node.attrib}


def text(node: ET.Element) -> str:
    return " ".join("".join(node.itertext()).split())


# ------------------------------------------------------------------------------ what can be clicked


@every_game
@pytest.mark.parametrize("seed", range(2))
def test_what_can_be_clicked_is_what_is_legal(name: str, options: dict[str, object], seed: int):
    game, rng = cardlab.load_game(name, **options), random.Random(seed)
    times: Counter[str] = Counter()
    for state in states(game, seed):
        # Always what is rare, now and then what everybody does all the time.
        times[state.phase] += 1
        if rng.random() > 5 / times[state.phase]:
            continue
        for seat in (*state.to_move, rng.randrange(game.num_players)):
            drawn = html.screen(view(state, seat, rng.choice(locale.LANGUAGES)))
            legal = {str(each) for each in state.legal_actions(seat)}
            own = {each for each in usable(drawn.table) if not each.startswith(":")}
            if state.phase == "sloth":  # cards are picked one by one
                assert own == {"skip"} & legal
                continue
            assert own == legal
            for action in {*buttons(drawn.table)} - own:
                if not action.startswith(":"):
                    with pytest.raises(IllegalActionError) as refused:
                        state.apply(action, seat)
                    assert refused.value.rule


@every_game
def test_names_cannot_break_the_page(name: str, options: dict[str, object]):
    for state in states(cardlab.load_game(name, **options), 3):
        if random.Random(state.turn).random() < 0.2 or state.is_terminal():
            screen = html.screen(view(state, 0))
            parsed(screen.status), parsed(screen.table), parsed(screen.words)
            assert "Ann <b>" not in screen.table + screen.status + screen.words
            assert "Ann &lt;b&gt;" in screen.table


@every_game
@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_a_whole_game_by_clicks(name: str, options: dict[str, object], lang: str):
    game, rng = cardlab.load_game(name, **options), random.Random(1)
    table = Table(game, ("human",) + ("random",) * (game.num_players - 1), seed=1, lang=lang)
    while table.session.deciders:
        table.click(rng.choice(sorted(usable(table.board.html) - {":know"})))
        assert "cl-refusal" not in table.board.status
    assert "cl-points" in table.board.html


# --------------------------------------------------------------------------------- choosing several


FEW_NUMBERS = {"n_players": 3, "counts": (14, 14, 14), "hand_limit": 30}


def towards_sloth(legal: list[Action]) -> Action:
    """Hold everything, play armies of four, and nothing but Sloth with them."""
    by_words = {str(action): action for action in legal}
    wanted = ("hold", "army 4", "medallion sloth", "pass", "done")
    return next(by_words[words] for words in wanted if words in by_words)


def at_sloth() -> tuple[State, list[Action]]:
    """A position in which Sloth has been played with many cards in hand, and the way to it."""
    game = cardlab.load_game("alicematic", **FEW_NUMBERS)
    for seed in range(100):
        state, way = game.new_initial_state(seed), []
        while not state.is_terminal():
            if state.phase == "sloth":
                if len(state.players[state.to_move[0]].hand) > BURIED:
                    return state, way
                break
            way.append(towards_sloth(state.legal_actions()))
            state.apply(way[-1])
    raise AssertionError("no such position")


def test_three_cards_for_sloth_are_chosen_one_by_one():
    state, way = at_sloth()
    table = Table(state.game, ("human",) * 3, state.seed)
    for action in way:
        table.click(":reveal")
        table.click(str(action))
    table.click(":reveal")
    hand = table.session.view(table._viewer).hand
    assert usable(table.board.html) == {f":pick {n}" for n in range(len(hand))} | {"skip"}
    for place in (0, 1, 0, 0, 2, 3):
        table.click(f":pick {place}")
    # A card is put back, and one too many takes the place of the first.
    chosen = [int(each.split()[1]) for each in pressed(table.board.html)]
    assert chosen == [0, 2, 3]
    table.click(":pick 99")
    assert "cl-refusal" in table.board.status
    bury = next(name for name in usable(table.board.html) if name.startswith("bury"))
    buried = [hand[place] for place in chosen]
    assert [*table.session.game.parse_action(bury).arg] == buried
    table.click(bury)
    assert table.session.record.actions[-1][1] == Action("bury", tuple(buried))
    table.click(":undo")
    table.click(":reveal")
    assert [hand[int(each.split()[1])] for each in pressed(table.board.html)] == buried


def pressed(markup: str) -> list[str]:
    found = buttons(markup)
    return [name for name in found if found[name].get("aria-pressed") == "true"]


def test_a_selection_refuses_what_the_hand_does_not_have():
    selection = Selection([Card.parse("Ks")], 1)
    for wrong in (":pick 1", ":pick -1", ":pick", ":pick x"):
        assert selection.takes(wrong)
        with pytest.raises(NotationError):
            selection.click(wrong)
    assert not selection.takes("pick 0")


# ------------------------------------------------------------------------------- what is told


def test_armies_are_drawn_with_their_cards():
    """With Lust, Greed, Sloth and Wrath in one play the cards do not lie in the order of armies."""
    seen = set()
    for seed in range(40):
        game = cardlab.load_game("alicematic", **FEW_NUMBERS)
        *_, state = states(game, seed)
        for seat, own in enumerate(state.armies):
            found = alicematic._armies(view(state, seat), seat)
            assert [(army.key, army.size) for army in found] == [*own]
            cards = [card for army in found for card in army.cards]
            zones = state.players[seat]
            assert sorted(map(str, cards)) == sorted(map(str, zones.laid + zones.buried))
            for army in found:
                seen.add(len({*army.cards}) > 1)
    assert seen == {True, False}


@pytest.mark.rule("A22")
def test_what_lies_face_down_is_a_back_to_others():
    state, _ = at_sloth()
    owner = state.to_move[0]
    state.apply(state.legal_actions()[0])
    for seat in range(3):
        army = alicematic._armies(view(state, seat), owner)
        backs = [card for each in army for card in each.cards if card is UNKNOWN]
        assert len(backs) == (0 if seat == owner else BURIED)


@pytest.mark.rule("A28")
def test_an_open_hand_is_open_to_all():
    state = first(lambda s: any(s.exposed), n_players=4)
    owner = state.exposed.index(True)
    drawn = html.screen(view(state, (owner + 1) % 4)).table
    place = next(
        node for node in parsed(drawn).iter("section") if node.get("aria-label") == NAMES[owner]
    )
    held = next(node for node in place.iter() if "cl-open" in node.get("class", ""))
    faces = [node.get("aria-label") for node in held.iter("span") if node.get("role") == "img"]
    assert faces == [html.spoken(card, "en") for card in state.players[owner].hand]


@pytest.mark.rule("A15")
def test_a_medallion_that_needs_a_larger_army_says_so():
    state = first(
        lambda s: (
            s.phase == "medallion"
            and any(
                card.is_medallion and card.rank > s.strength
                for card in s.players[s.to_move[0]].hand
            )
        )
    )
    seat = state.to_move[0]
    card = next(c for c in state.players[seat].hand if c.is_medallion and c.rank > state.strength)
    node = buttons(html.screen(view(state, seat)).table)[f"medallion {card.ascii}"]
    assert node.get("aria-disabled") == "true"


@pytest.mark.rule("A12")
def test_where_no_army_is_possible_a_button_tells_why():
    table = Table("alicematic", ("human", "random", "random"), seed=2)
    while table.session.view(0).phase != "army" or len(table.session.legal_actions(0)) > 1:
        table.click(str(table.session.legal_actions(0)[0]))
    assert buttons(table.board.html)["army 3"].get("aria-disabled") == "true"
    table.click("army 3")
    assert re.search(r"at least 3 cards; you have \d|no number of an army", table.status)
    assert "A12" in table.status


def test_the_points_at_the_end_are_those_of_the_game():
    *_, state = states(cardlab.load_game("alicematic"), 4)
    rows = [
        [text(cell) for cell in row] for row in parsed(html.screen(view(state, 1)).table).iter("tr")
    ]
    assert rows == [
        [NAMES[seat], str(points).replace("-", "−")]
        for points, seat in sorted(
            ((points, seat) for seat, points in enumerate(state.scores())), key=lambda p: -p[0]
        )
    ]


def test_all_who_have_the_most_points_stand_out():
    state = start("1", "2 3", "4 5", sets=("", "6", "7"), phase="discard")
    do(state, "discard 1")
    rows = [*parsed(html.screen(view(state, 0)).table).iter("tr")]
    assert [row.get("class") for row in rows] == ["cl-best", "cl-best", None]
    told = [text(each) for each in parsed(html.screen(view(state, 0)).table).iter("p")]
    assert told == ["You lose.", f"{NAMES[0]} has no cards left."]


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "Round 1, up to 13 points"), ("ja", "第1ラウンド（13点まで）")]
)
def test_a_match_says_its_round_and_its_aim(lang, words):
    match = cardlab.load_game("chaos", target_points=13).new_initial_state(1)
    assert words in html.screen(view(match, 0, lang)).table
    single = cardlab.load_game("chaos").new_initial_state(1)
    assert words[:5] not in html.screen(view(single, 0, lang)).table


def test_seats_that_share_a_win_are_all_named():
    state = cardlab.load_game("alicematic").new_initial_state(1)
    state._finish((1 / 3, -1.0, 1 / 3, 1 / 3))
    assert html.result(view(state, 0)) == "You share the win."
    assert html.result(view(state, 1)) == "You lose."
    assert html.result(view(state, 1, solo=False)) == "Ann &lt;b&gt;, Cleo, Dan share the win."


def test_a_seat_is_called_by_its_name_everywhere():
    table = Table("chaos", ("human", "random", "human", "random"), seed=1)
    assert table.session.names("en") == ("Player 1", "Computer 2", "Player 3", "Computer 4")
    for name, phase, words in (
        ("alicematic", "choose", "Release to"),
        ("chaos", "ask", "Ask"),
        ("chaos", "action", "Exchange with"),
    ):
        state = first(lambda s, phase=phase: s.phase == phase, name)
        drawn = buttons(html.screen(view(state, state.to_move[0])).table)
        named = [text(node) for node in drawn.values() if text(node).startswith(words)]
        others = [NAMES[seat] for seat in range(4) if seat != state.to_move[0]]
        assert sorted(named) == [f"{words} {name}" for name in others]


# ------------------------------------------------------------------------------------------- Chaos


@pytest.mark.rule("X23")
def test_a_search_that_is_forbidden_says_why():
    table, rng = Table("chaos", ("human", "random", "random"), seed=3), random.Random(3)
    for _ in range(300):
        if not table.session.deciders:
            table.click(":new")
        dead = {*buttons(table.board.html)} - usable(table.board.html)
        searches = sorted(name for name in dead if name.startswith("search"))
        if table.session.view(0).phase == "action" and searches:
            before = table.session.record.actions
            table.click(searches[0])
            assert "X23" in table.status
            assert table.session.record.actions == before
            return
        table.click(str(rng.choice(table.session.legal_actions(0))))
    pytest.fail("no such position")


@pytest.mark.rule("X10")
def test_the_cards_of_a_battle_are_backs_until_all_have_chosen():
    game = cardlab.load_game("chaos", n_players=3)
    state = first(lambda s: s.phase == "play", "chaos", n_players=3)
    mine = state.legal_actions(0)[0]
    state.apply(mine, 0)
    for seat, shown in ((0, html.spoken(mine.arg, "en")), (1, html.spoken(UNKNOWN, "en"))):
        assert battle(state, seat)[NAMES[0]] == shown
        assert battle(state, seat)[NAMES[2]] == locale.text("widgets.empty", "en")
    played = [mine.arg, *(state.legal_actions(seat)[0].arg for seat in (1, 2))]
    for seat in (1, 2):
        state.apply(game.by_phase["play"][played[seat].index], seat)
    if not state.is_terminal():
        assert [*battle(state, 1).values()] == [html.spoken(card, "en") for card in played]


def battle(state: State, seat: int) -> dict[str, str]:
    """The cards in the middle, by the names of those who have played them."""
    figures = parsed(html.screen(view(state, seat)).table).iter("figure")
    return {text(each[1]): each[0].get("aria-label") for each in figures if len(each) == 2}


@pytest.mark.rule("X12")
@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_rotation_shows_whose_hand_comes(players: int):
    state = first(lambda s: s.phase == "rotate", "chaos", n_players=players)
    seat = state.to_move[0]
    drawn = buttons(html.screen(view(state, seat)).table)
    hands = [[*each.hand] for each in state.players]
    for steps in range(1, players):
        after = state.clone()
        after.apply(f"rotate {steps}", seat)
        giver = (seat - steps) % players
        node = drawn[f"rotate {steps}"]
        assert f"the hand of {NAMES[giver]}: {len(hands[giver])} card" in text(node)
        ways = [g for g in node.iter("g") if "cl-way" in g.get("class", "")]
        assert len(ways) == players
        assert [g.get("class").split()[1:] for g in ways].count(["cl-out"]) == 1
        if not after.is_terminal() and after.phase != "drop":
            assert "cl-ring" in html.screen(view(after, (seat + 1) % players)).table
        told = next(e for e in after.observation(seat).log if e.kind == "chaos.handed" and e.data)
        assert told.data["target"] == giver


@pytest.mark.rule("X25")
def test_a_void_set_is_dark_and_called_so():
    state = first(lambda s: bool(s.voided), "chaos", n_players=3)
    drawn = html.screen(view(state, 0)).table
    assert drawn.count("cl-void") == 3 * len(state.voided)
    assert drawn.count(">void<") == len(state.voided)


def test_what_can_be_known_is_shown_on_request_and_to_nobody_else():
    table, rng = Table("chaos", ("human", "human", "random"), seed=3), random.Random(3)
    asked = 0
    while table.session.deciders and asked < 6:
        if ":reveal" in table.board.html:
            assert "cl-known" not in table.board.html
            table.click(":know")
            table.click(":reveal")
            assert "cl-known" not in table.board.html
        before = table.board.html
        if rng.random() < 0.5:
            asked += 1
            table.click(":know")
            known = knowledge(table.session.view(table._viewer))
            panel = next(
                node
                for node in parsed(table.board.html).iter("section")
                if "cl-known" in node.get("class", "")
            )
            seats = zip(panel[1], around.clockwise(table._view()), strict=True)
            for node, seat in seats:
                sure, absent = (
                    [each.get("aria-label") for each in fact.iter("span") if each.get("role")]
                    for fact in node[1:]
                )
                assert sure == [html.spoken(card, "en") for card in known.sure[seat]]
                assert absent == [html.spoken(card, "en") for card in known.absent[seat]]
            table.click(":know")
            assert table.board.html == before
        table.click(str(bold(list(table.session.legal_actions(table._viewer)), rng)))
    gpt = Table("gpt", seed=1)
    gpt.click(":know")
    assert "does not show what can be known" in gpt.status


def test_what_can_be_known_tells_nothing_more():
    game = cardlab.load_game("chaos", n_players=3)
    for state in states(game, 8):
        rng = random.Random(len(state.log))
        if rng.random() < 0.1 and not state.is_terminal():
            other = game.resample(state.observation(1), rng)
            assert drawings(other, 1, knows=True) == drawings(state, 1, knows=True)


# ----------------------------------------------------------------------------------------- no leak


def drawings(state: State, seat: int, **look: object) -> str:
    seen = view(state, seat, **look)
    screen = html.screen(seen)
    picture = html.picture(screen.status, screen.table, screen.words, "en", screen.height)
    return "\n".join((*map(str, (screen, html.screen(seen, covered=True))), picture))


@every_game
def test_hidden_cards_dealt_anew_leave_every_byte_the_same(name: str, options: dict[str, object]):
    game = cardlab.load_game(name, **options)
    for state in states(game, 5):
        rng = random.Random(len(state.log))
        if rng.random() < 0.08 or state.is_terminal():
            seat = rng.randrange(game.num_players)
            other = game.resample(state.observation(seat), rng)
            assert drawings(other, seat) == drawings(state, seat)


@every_game
def test_the_screen_between_two_people_shows_nothing(name: str, options: dict[str, object]):
    game = cardlab.load_game(name, **options)
    screens = {
        html.screen(view(state, 0), covered=True)
        for seed in (1, 2)
        for state in states(game, seed)
        if not state.is_terminal()
    }
    assert len(screens) == 1


@pytest.mark.parametrize(("name", "options"), [*GAMES, ("chat", {})], ids=[*IDS, "chat"])
def test_people_at_one_screen_see_nothing_of_each_other(name: str, options: dict[str, object]):
    game, rng = cardlab.load_game(name, **options), random.Random(2)
    table = Table(game, ("human",) * game.num_players, seed=2)
    pages: dict[int, set[str]] = {}
    shown: set[int] = set()
    while table.session.deciders:
        viewer = table._viewer
        assert viewer in table.session.deciders
        if ":reveal" in table.board.html:
            # Nothing of the game is anywhere in the widget, whatever the cards are.
            page = str([widget.get_state() for widget in widgets(table)])
            pages.setdefault(viewer, set()).add(re.sub(r"'serial': \d+|[0-9a-f]{32}", "", page))
            for part in ("cl-card", "cl-log", "cl-count", "cl-mini"):
                assert part not in table.board.html + table.board.status
            assert usable(table.board.html) == {":reveal"}
            table.click(rng.choice([str(each) for each in table.session.legal_actions(viewer)]))
            assert "First" in table.status, "nobody decides before the cards show"
            table.click(":reveal")
        shown.add(viewer)
        before = table.session.record.actions
        table.click(str(bold(list(table.session.legal_actions(viewer)), rng)))
        assert table.session.record.actions != before
    assert shown == {*range(game.num_players)}
    assert all(len(each) == 1 for each in pages.values())


def test_three_people_and_hidden_cards_dealt_anew():
    table, rng = Table("alicematic", ("human",) * 3, seed=4), random.Random(4)
    for _ in range(12):
        before = everything(table)
        redealt(table, rng.randrange(1000))
        table._show()
        assert everything(table) == before
        table.click(":reveal")
        before = everything(table)
        redealt(table, rng.randrange(1000))
        table._show()
        assert everything(table) == before
        table.click(str(bold(list(table.session.legal_actions(table._viewer)), rng)))


# ------------------------------------------------------------------------------------- the controls


def test_as_many_play_as_there_are_seats():
    assert Table("alicematic", ("human",) * 5, seed=1).session.game.num_players == 5
    assert Table("alicematic", seed=1).session.game.num_players == 4
    with pytest.raises(cardlab.errors.RulesError, match="n_players"):
        Table("alicematic", ("human",) * 6)


def test_the_number_of_players_is_chosen_in_the_settings():
    table = Table("alicematic", ("human", "random", "random"), seed=1)
    controls = table.controls
    players = controls._options["n_players"]
    assert [*players.options] == [3, 4, 5]

    def shown() -> int:
        return sum(seat.layout.display != "none" for seat in controls._seats)

    assert shown() == 3
    players.value = 5
    assert shown() == 5
    controls._seats[4].value = "human"
    controls.new.click()
    assert table.session.seats == ("human", "random", "random", controls._seats[3].value, "human")
    assert table.controls is controls
    players.value = 4
    controls.new.click()
    assert table.session.game.num_players == len(table.session.seats) == 4


# ---------------------------------------------------------------------------------------- the cards


@pytest.mark.parametrize("lang", locale.LANGUAGES)
@pytest.mark.parametrize("name", sorted({name for name, _ in GAMES}))
def test_every_card_has_a_face_and_words(name: str, lang: str):
    game = cardlab.load_game(name, **({"items": True} if name == "collect" else {}))
    drawn = {
        node.attrib["id"] for node in parsed(html.symbols(*html.sheets_of(name))).iter("symbol")
    }
    words = set()
    for card in {*game.deck}:
        face = parsed(html.card(card, lang))[0]
        words.add(face.attrib["aria-label"])
        shown = [node.text for node in face.iter("text")]
        assert shown[0] == shown[1] == (card.ascii if card.ascii.isdigit() else str(card.rank))
        assert face.attrib["aria-label"] in shown
        used = {use.attrib["href"][1:] for use in face.iter("use")}
        assert set() < used <= drawn
        assert text(parsed(html.mini(card, lang))) == face.attrib["aria-label"]
    assert len(words) == len({*game.deck})
