"""The table: what a click does, what the page is told, and what it is never told."""

import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import ipywidgets
import pytest

import cardlab
from cardlab import locale
from cardlab.errors import CardlabError, RecordError, RulesError, UnknownGameError
from cardlab.games.gpt import GPTState
from cardlab.widgets import Table


def in_play(seed: int = 3, **options: object) -> Table:
    """A table at the first decision after the decks are built."""
    table = Table(seed=seed, **options)
    table.click(":random")
    table.click(":submit")
    return table


def move(table: Table, rng: random.Random) -> None:
    """A click on some legal thing."""
    before = table.session.record.actions
    table.click(str(rng.choice(table.session.legal_actions(table._viewer))))
    assert table.session.record.actions != before


def until(table: Table, phase: str, seed: int = 0) -> None:
    rng = random.Random(seed)
    while table.session.view(0).phase != phase:
        move(table, rng)


def widgets(widget: ipywidgets.Widget) -> Iterator[ipywidgets.Widget]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from widgets(child)


def everything(table: Table) -> list[object]:
    """The whole state of every widget, and what a notebook stores of it."""
    data, _ = table._repr_mimebundle_()
    return [
        *(widget.get_state() for widget in widgets(table)),
        data["text/plain"],
        data["text/html"],
    ]


# --------------------------------------------------------------------------------------- playing


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_a_game_from_deck_to_end(lang: str):
    table = Table(seed=3, lang=lang)
    assert "cl-builder" in table.board.html
    table.click(":fill")
    table.click(":submit")
    assert "cl-builder" not in table.board.html
    rng = random.Random(3)
    while table.session.deciders:
        move(table, rng)
    assert table.session.view(0).phase == "end"
    result, seed = locale.text("widgets.result.loss", lang), {"en": "Seed 3", "ja": "シード 3"}
    assert table.status == f"{result} {seed[lang]}"


def test_a_refused_move_tells_its_reason_and_changes_nothing():
    table = in_play()
    actions = table.session.record.actions
    for wrong, reason in (
        ("strike 0", "both play a card"),
        ("play Kc", "not in your hand"),
        ("nonsense", "not an action"),
        ("", "not an action"),
        (":submit", "not an action"),
    ):
        table.click(wrong)
        assert reason in table.status
        assert table.session.record.actions == actions
    assert 'class="cl-rule">G9' in in_refusal(table, "strike 0")
    move(table, random.Random(1))
    assert "cl-refusal" not in table.board.status


def in_refusal(table: Table, action: str) -> str:
    table.click(action)
    return table.board.status.partition("cl-refusal")[2]


def test_a_deck_is_handed_in_only_when_it_is_complete():
    table = Table(seed=1)
    table.click("pick Ks")
    table.click(":submit")
    assert "14 more cards are needed" in table.status
    assert len(table.session.record.actions) == 1


def test_undo_leads_back_to_the_deck_as_it_was_handed_in():
    table = in_play()
    deck = {action.arg for player, action in table.session.record.actions if player == 0}
    table.click(":undo")
    assert "The deck is complete" in table.status
    assert set(table._composer.cards) == deck
    table.click(":undo")
    assert "nothing to take back" in table.status
    table.click(":submit")
    assert table.session.view(0).phase == "play"


def test_undo_and_the_same_move_draw_the_same_table():
    table = in_play()
    rng = random.Random(2)
    anew = "The choices had been shown"
    for _ in range(8):
        before, together = everything(table)[-1], table.session.view(0).phase == "play"
        action = str(rng.choice(table.session.legal_actions(0)))
        table.click(action)
        drawn = table.board.html
        table.click(":undo")
        assert (anew in table.status) == together
        # Nothing else is left of it, neither the card of the other nor what came of it.
        table._note = ""
        table._show()
        assert everything(table)[-1] == before
        table.click(action)
        # Where cards are shown together, the other chooses anew.
        assert together or table.board.html == drawn


def test_the_buttons_do_the_same_as_the_words():
    table = in_play()
    drawn = table.board.html
    move(table, random.Random(2))
    table.controls.undo.click()
    assert table.board.html == drawn
    table.controls.new.click()
    assert "cl-builder" in table.board.html


def test_clicks_on_a_position_that_is_gone_mean_nothing():
    table = in_play()
    old, actions = table.board.serial, table.session.legal_actions(0)
    click = {"action": str(actions[0]), "serial": old}
    table.board._handle_custom_msg(click, [])
    after = table.session.record.actions
    status = table.board.status
    for again in (
        click,
        {"action": str(actions[1]), "serial": old},
        {"action": ":undo", "serial": old},
    ):
        table.board._handle_custom_msg(again, [])
    assert table.session.record.actions == after
    assert table.board.status == status


def test_the_same_click_twice_plays_one_card():
    table = in_play()
    hand = table.session.view(0).hand
    for _ in range(2):
        table.board._handle_custom_msg({"action": f"play {hand[0].ascii}", "serial": 2}, [])
    assert len([a for p, a in table.session.record.actions if p == 0 and a.kind == "play"]) == 1


def test_a_click_waits_until_the_one_before_is_done():
    table = in_play()
    begun, go_on = Event(), Event()

    def slow() -> None:
        begun.set()
        assert go_on.wait(60)

    before = table.session.record.actions
    action = str(table.session.legal_actions(0)[0])
    clicks = [
        Thread(target=table._try, args=(slow,)),
        Thread(target=table._on_action, args=(action, table.board.serial)),
    ]
    clicks[0].start()
    assert begun.wait(60)
    clicks[1].start()
    clicks[1].join(0.2)
    assert table.session.record.actions == before
    go_on.set()
    for click in clicks:
        click.join()
    assert table.session.record.actions != before


# ------------------------------------------------------------------------------------ save, resume


def test_save_and_resume(tmp_path: Path):
    table = in_play()
    until(table, "strike")
    table.controls.file.value = str(tmp_path / "game.jsonl")
    table.controls.save.click()
    assert "Saved as" in table.status
    drawn = table.board.html
    other = Table(seed=99, seats=("human", "random"))
    other.click(f":resume {tmp_path / 'game.jsonl'}")
    assert "Resumed from" in other.status
    assert other.board.html == drawn
    assert other.controls.seats == ["human", "careful"]
    until(other, "end")


def test_a_file_that_is_cut_short_is_resumed_with_a_warning(tmp_path: Path):
    table = in_play()
    path = tmp_path / "game.jsonl"
    table.click(f":save {path}")
    path.write_bytes(path.read_bytes()[:-9])
    table.click(f":resume {path}")
    assert "cut short" in table.status


def test_files_that_cannot_be_used_are_refused(tmp_path: Path):
    table = in_play()
    before = table.board.html
    (tmp_path / "text").write_text("not a game\n")
    for action in (
        f":resume {tmp_path / 'text'}",
        f":resume {tmp_path / 'none'}",
        f":save {tmp_path}",
    ):
        table.click(action)
        assert "cl-refusal" in table.board.status
        assert table.board.html == before
    table.click(f":save {tmp_path / 'text'}")
    assert (tmp_path / "text").read_text() == "not a game\n"


# ------------------------------------------------------------------------------------- the controls


def test_every_option_of_the_rules_has_a_control_in_words():
    table = Table(seed=1, lang="ja")
    options = table.session.game.rules.to_dict()
    assert table.controls.options == options
    descriptions = {
        widget.description
        for widget in widgets(table.controls.settings)
        if hasattr(widget, "description")
    }
    for name in options:
        assert locale.text(f"gpt.option.{name}", "ja") in descriptions


def test_options_take_effect_with_the_next_game():
    table = Table(seed=1)
    controls = table.controls
    controls._options["n_shields"].value = 3
    controls._options["shield_mode"].value = "chosen"
    controls._seats[1].value = "random"
    controls._seed.value = "7"
    assert table.session.game.rules.n_shields == 5
    controls.new.click()
    session = table.session
    assert (session.game.rules.n_shields, session.game.rules.shield_mode) == (3, "chosen")
    assert (session.seats, session.record.seed) == (("human", "random"), 7)
    table.click(":fill")
    table.click(":submit")
    until(table, "end")


def test_options_that_cannot_be_are_refused():
    table = Table(seed=1)
    before = table.session
    table.controls._options["deck_size"].value = 5
    table.controls.new.click()
    assert "too small" in table.status
    table.controls._options["deck_size"].value = 15
    table.controls._seed.value = "seven"
    table.controls.new.click()
    assert "A seed is a whole number" in table.status
    assert table.session is before


def test_decks_that_were_handed_in_stay_for_the_next_game():
    deck = "2b2bbbbb0b022"
    table = Table(cardlab.load_game("gpt", decks=(deck, deck)), seed=1)
    assert table.session.view(0).phase == "play"
    table.click(":new")
    assert table.session.view(0).phase == "play"


@pytest.mark.parametrize("seed", [None, 3])
def test_each_new_game_is_another(seed: int | None):
    table = Table(seed=seed)
    seeds = [table.session.record.seed]
    for _ in range(2):
        table.click(":new")
        seeds.append(table.session.record.seed)
    assert len({*seeds}) == 3


def test_a_seed_that_was_typed_is_for_one_game():
    table = Table(seed=3)
    table.controls._seed.value = "7"
    table.controls.new.click()
    assert table.session.record.seed == 7
    assert table.controls._seed.value == ""
    table.controls.new.click()
    assert table.session.record.seed != 7


def test_the_seed_is_told_after_the_end_and_not_before():
    table = in_play(seed=31415)
    while table.session.deciders:
        assert "31415" not in str(everything(table))
        move(table, random.Random(2))
    assert "Seed 31415" in table.status
    table.click(":undo")
    assert "31415" not in str(everything(table))


def test_the_language_changes_at_once():
    table = in_play()
    table.controls.language.value = "ja"
    assert table.status == "ターン 1 カードを出す"
    assert 'lang="ja"' in table.board.html
    assert table.controls.new.description == "新しいゲーム"
    assert table.controls._options["shield_mode"].label == "デッキの上から"
    assert table.controls.options["shield_mode"] == "random"


def test_four_colours_change_at_once():
    table = in_play()
    assert "cl-four" not in table.board.html
    table.controls.four_colour.value = True
    assert "cl-four" in table.board.html


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"game": "bridge"}, UnknownGameError),
        ({"seats": ("human", "clever")}, RulesError),
        ({"seats": ("human",)}, RecordError),
        ({"seed": "one"}, RulesError),
        ({"lang": "fr"}, RulesError),
    ],
)
def test_what_does_not_exist_is_refused(arguments, error):
    with pytest.raises(error):
        Table(**arguments)


# --------------------------------------------------------------------------------- two people


def test_two_people_at_one_screen_see_nothing_of_each_other():
    table = Table(seats=("human", "human"), seed=2)
    shown = []
    rng = random.Random(1)
    while table.session.deciders:
        covered = 'data-action=":reveal"' in table.board.html
        viewer = table._viewer
        if not shown or shown[-1] != viewer:
            assert covered, "the screen must be covered before another seat looks"
            assert table.board.html.count("<button") == 1
            assert "cl-face" not in table.board.html
            table.click(":reveal")
        shown.append(viewer)
        assert viewer in table.session.deciders
        if table._composer is not None:
            table.click(":random")
            table.click(":submit")
        else:
            move(table, rng)
    assert set(shown) == {0, 1}
    assert "wins!" in table.status


def test_nobody_decides_while_the_screen_is_handed_over():
    deck = "2b2bbbbb0b022"
    table = Table(cardlab.load_game("gpt", decks=(deck, deck)), ("human", "human"), seed=2)
    for action in (str(table.session.legal_actions(0)[0]), "play Kd", "play 2c", "nonsense"):
        table.click(action)
        assert table.session.record.actions == ()
        # A refusal would tell what is in the hand.
        assert table.status.endswith("First Player 1 has to take the screen over.")


def test_taking_back_covers_the_screen():
    table = Table(seats=("human", "human"), seed=2)
    for action in (":reveal", ":random", ":submit"):
        table.click(action)
    assert table._viewer == 1
    table.click(":undo")
    assert table._viewer == 0
    assert ":reveal" in table.board.html
    table.click(":reveal")
    assert "The deck is complete" in table.status


# ----------------------------------------------------------------------------------------- no leak


def redealt(table: Table, seed: int) -> None:
    """Deal everything anew that the seat cannot see."""
    record = table.session.record
    view = table.session.view(table._viewer)
    record._state = table.session.game.resample(view, random.Random(seed))
    if view.result is None:  # after the end everybody may know the seed
        record.seed = seed


@pytest.mark.parametrize("phase", ["deck", "play", "strike", "end"])
def test_hidden_cards_dealt_anew_leave_the_whole_widget_the_same(phase: str):
    table = Table(seed=3) if phase == "deck" else in_play()
    until(table, phase)
    before = everything(table)
    for seed in range(5):
        redealt(table, seed)
        table._show()
        assert everything(table) == before


def test_the_test_above_finds_a_leak(monkeypatch: pytest.MonkeyPatch):
    table = in_play()
    before = everything(table)
    redealt(table, 1)
    sees = GPTState._sees
    monkeypatch.setattr(
        GPTState, "_sees", lambda self, *place: "hand" in place or sees(self, *place)
    )
    table._show()
    assert everything(table) != before


def test_a_seed_from_chance_is_not_in_the_page():
    table = in_play(seed=None)
    seed = str(table.session.record.seed)
    assert seed not in str(everything(table))


# ------------------------------------------------------------------------------- what is stored


def test_what_a_notebook_stores_of_it():
    table, other = in_play(), in_play()
    data, _ = table._repr_mimebundle_()
    assert data["text/plain"] == repr(table) == "<Table of gpt, turn 1, play: human, careful>"
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "Run this cell to play." in data["text/html"]
    assert other._repr_mimebundle_()[0]["text/html"] == data["text/html"]


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]):
    table = in_play()
    for action in ("nonsense", ":undo", ":undo", ":undo", ":new", ":resume nowhere", ":fill"):
        table.click(action)
    assert capsys.readouterr() == ("", "")


def test_errors_of_ours_never_leave_a_click(monkeypatch: pytest.MonkeyPatch):
    table = in_play()

    def fail(*_: object, **__: object) -> None:
        raise CardlabError("core.error.game_over")

    monkeypatch.setattr(table.session, "act", fail)
    table.click("play Ks")
    assert "game is over" in table.status


def test_a_fault_is_told_in_the_page_and_to_whoever_reads_the_log(
    monkeypatch: pytest.MonkeyPatch,
):
    table = in_play()

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no such luck")

    monkeypatch.setattr(table.session, "act", fail)
    with pytest.raises(ZeroDivisionError):
        table.click("play Ks")
    assert "a fault of cardlab" in table.status
    assert "no such luck" in table.status
