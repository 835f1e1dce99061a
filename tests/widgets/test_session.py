"""A session: people and bots take turns, and every step can be taken back."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

import cardlab
from cardlab.errors import IllegalActionError, NotationError, RecordError, RulesError
from cardlab.games.gpt_deck import Deck
from cardlab.record import Record
from cardlab.widgets.session import Session

DECK = Deck.parse("2b2bbbbb0b022")


@pytest.fixture
def session() -> Session:
    return Session(cardlab.load_game("gpt"), seed=3)


def hand_in(session: Session, seat: int = 0) -> None:
    session.act(*(f"pick {card.ascii}" for card in DECK.cards(seat)), player=seat)


def decide(session: Session, rng: random.Random) -> None:
    """Let each person who owes a decision make some legal one."""
    for seat in session.deciders[:1]:
        session.act(rng.choice(session.legal_actions(seat)), player=seat)


def play_on(session: Session, seed: int = 0) -> None:
    rng = random.Random(seed)
    while session.deciders:
        decide(session, rng)


def test_a_session_needs_no_widgets() -> None:
    code = (
        "import sys, cardlab\n"
        "from cardlab.widgets import html, session\n"
        "session.Session(cardlab.load_game('gpt'))\n"
        "heavy = ('anywidget', 'ipywidgets', 'numpy', 'pandas')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_person_against_the_strongest_bot_is_the_default(session: Session) -> None:
    assert session.seats == ("human", "careful")
    assert session.humans == session.deciders == (0,)


def test_bots_have_chosen_before_a_person_is_asked(session: Session) -> None:
    assert session.view(0).to_move == (0,)
    hand_in(session)
    assert session.view(0).to_move == (0,)
    assert session.view(0).phase == "play"


def test_a_whole_deck_is_one_decision_that_the_bots_picks_interleave(session: Session) -> None:
    hand_in(session)
    players = [player for player, _ in session.record.actions[:30]]
    assert players == [1, 0] * 15
    assert set(session.view(0).players[0]["set_aside"]).isdisjoint(DECK.cards(0))
    assert session.undo().player == 0
    assert session.view(0).phase == "deck"
    assert len(session.record.actions) == 1


def test_the_same_decisions_lead_to_the_same_game() -> None:
    games = []
    for _ in range(2):
        session = Session(cardlab.load_game("gpt"), seed=8)
        hand_in(session)
        play_on(session)
        games.append(session.record.actions)
    assert games[0] == games[1]


def test_undo_leads_back_and_the_same_move_to_the_same_game(session: Session) -> None:
    rng = random.Random(5)
    hand_in(session)
    together = set()
    while session.deciders:
        before, view = session.record.actions, session.view(0)
        action = rng.choice(session.legal_actions(0))
        session.act(action)
        after = session.record.actions
        undone = session.undo()
        assert undone == (0, (action,), view.phase == "play")
        # Whatever the bot has chosen instead, nothing of it can be seen.
        assert session.view(0) == view
        together.add(undone.together)
        if not undone.together:
            assert session.record.actions == before
        session.act(action)
        if not undone.together:
            assert session.record.actions == after
    assert together == {True, False}


def test_after_a_clash_is_taken_back_the_bot_draws_its_card_by_lot(session: Session) -> None:
    hand_in(session)
    hand, cards = session.record.state.players[1].hand, set()
    for _ in range(20):
        session.act(session.legal_actions(0)[0])
        while session.deciders and session.view(0).phase != "play":
            session.act(session.legal_actions(0)[0])
        while not session.undo().together:
            pass
        assert session.record.state.players[1].hand == hand
        cards.add(session.record.actions[-1][1].arg)
    # By itself it would choose the same card every time.
    assert cards == {*hand}


def test_what_was_shown_together_is_taken_back_by_all() -> None:
    deck = "2b2bbbbb0b022"
    session = Session(cardlab.load_game("gpt", decks=(deck, deck)), ("human", "human"), seed=1)
    first = session.legal_actions(0)[0]
    session.act(first, player=0)
    # Nothing has been shown yet: only this one is taken back.
    assert session.undo() == (0, (first,), False)
    session.act(first, player=0)
    session.act(session.legal_actions(1)[0], player=1)
    while session.view(0).phase != "play":
        session.act(session.legal_actions(session.deciders[0])[0])
    while not (undone := session.undo()).together:
        pass
    assert (undone.player, undone.actions) == (0, (first,))
    assert session.deciders == (0, 1)
    assert session.record.actions == ()


def test_a_resumed_game_knows_what_was_shown_together(session: Session, tmp_path: Path) -> None:
    hand_in(session)
    play_on(session)
    session.save(tmp_path / "game.jsonl")
    resumed = Session.load(tmp_path / "game.jsonl")
    for _ in session._decisions[1:]:
        undone = session.undo()
        assert resumed.undo() == undone
        assert resumed.view(0) == session.view(0)


def test_a_refusal_names_the_action_in_words(session: Session) -> None:
    hand_in(session)
    with pytest.raises(IllegalActionError) as refused:
        session.act("strike 0")
    assert "Destroy shield 1" in refused.value.text("en")
    assert "strike" not in refused.value.text("ja")
    assert refused.value.rule == "G9"


def test_everything_can_be_undone_and_then_nothing_more(session: Session) -> None:
    start = session.view(0)
    hand_in(session)
    play_on(session)
    assert session.view(0).result is not None
    while session.record.actions != session.record.actions[:1]:
        session.undo()
    assert session.view(0) == start
    with pytest.raises(IllegalActionError, match="nothing to take back"):
        session.undo()
    assert session.view(0) == start


def test_a_refused_decision_changes_nothing(session: Session) -> None:
    hand_in(session)
    actions = session.record.actions
    for wrong, error in (
        ("strike 0", IllegalActionError),
        ("play 2c", IllegalActionError),
        ("nonsense", NotationError),
    ):
        with pytest.raises(error):
            session.act(wrong)
        assert session.record.actions == actions
    with pytest.raises(IllegalActionError, match="not the turn of player 2"):
        session.act("play Kc", player=1)
    assert session.record.actions == actions


def test_a_decision_whose_later_part_is_refused_is_taken_back_as_a_whole(session: Session) -> None:
    actions = session.record.actions
    with pytest.raises(IllegalActionError):
        session.act("pick Ks", "pick Kh", "pick Ks")
    assert session.record.actions == actions
    hand_in(session)
    assert session.view(0).phase == "play"


def test_the_fault_of_a_bot_leaves_no_half_decision(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = session.record.actions

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(session._bots[1], "choose", fail, raising=False)
    with pytest.raises(ZeroDivisionError):
        session.act("pick Ks", "pick Kh")
    assert session.record.actions == before
    monkeypatch.undo()
    hand_in(session)
    assert session.view(0).phase == "play"


def test_nobody_acts_after_the_end(session: Session) -> None:
    hand_in(session)
    play_on(session)
    with pytest.raises(IllegalActionError, match="game is over"):
        session.act("strike 0")


def test_two_people_hand_in_their_decks_one_after_the_other() -> None:
    session = Session(cardlab.load_game("gpt"), ("human", "human"), seed=1)
    assert session.deciders == (0, 1)
    hand_in(session, 0)
    assert session.deciders == (1,)
    assert session.legal_actions(0) == ()
    hand_in(session, 1)
    assert session.deciders == (0, 1)
    assert session.view(0).phase == "play"
    # Taking the second deck back leaves the first one handed in.
    undone = session.undo()
    assert (undone.player, len(undone.actions), session.deciders) == (1, 15, (1,))
    hand_in(session, 1)
    assert session.view(0).phase == "play"


def test_bots_alone_play_to_the_end() -> None:
    session = Session(cardlab.load_game("gpt"), ("random", "careful"), seed=1)
    assert session.deciders == ()
    assert session.view(0).result is not None


def test_save_and_resume(session: Session, tmp_path: Path) -> None:
    hand_in(session)
    decide(session, random.Random(1))
    session.save(tmp_path / "game.jsonl")
    resumed = Session.load(tmp_path / "game.jsonl")
    assert resumed.view(0) == session.view(0)
    play_on(session)
    play_on(resumed)
    assert resumed.record.actions == session.record.actions
    resumed.undo()
    assert resumed.view(0).result is None
    resumed.save(tmp_path / "game.jsonl")


def test_a_resumed_game_moves_on_to_a_persons_decision(session: Session, tmp_path: Path) -> None:
    hand_in(session)
    whole = session.record.actions
    cut = Record.new(session.game, 3, session.seats)
    for player, action in whole[:-1]:
        cut.append(action, player)
    cut.save(tmp_path / "cut.jsonl")
    assert Session.load(tmp_path / "cut.jsonl").record.actions == whole


def test_saving_never_overwrites_what_is_no_game(session: Session, tmp_path: Path) -> None:
    notebook = tmp_path / "work.ipynb"
    notebook.write_text("{}\n")
    with pytest.raises(RecordError, match=r"work\.ipynb holds something other"):
        session.save(notebook)
    assert notebook.read_text() == "{}\n"


def test_what_is_no_game_is_not_resumed(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("no game\n")
    for name in ("bad", "missing"):
        with pytest.raises(RecordError):
            Session.load(tmp_path / name)


def test_names() -> None:
    game = cardlab.load_game("gpt")
    assert Session(game, seed=1).names("en") == ("Player 1", "Computer")
    assert Session(game, ("human", "human")).names("ja") == ("プレイヤー1", "プレイヤー2")
    assert Session(game, ("random", "random")).names("en") == ("Computer 1", "Computer 2")


def test_unknown_seats_are_refused() -> None:
    game = cardlab.load_game("gpt")
    with pytest.raises(RulesError, match="careful"):
        Session(game, ("human", "clever"))
    with pytest.raises(RecordError):
        Session(game, ("human",))
