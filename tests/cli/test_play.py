"""A game in the terminal, played by a script at the keyboard."""

import io
import os
import pty
import random
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text

import cardlab
from cardlab import locale
from cardlab.bots import bot_rng, load_bot
from cardlab.cards import PACK, Card
from cardlab.cli import main
from cardlab.cli.output import fold
from cardlab.cli.table import Table
from cardlab.engine import Action
from cardlab.games.gpt_deck import UNIVERSE, Deck
from cardlab.record import Record

ROOT = Path(cardlab.__file__).parents[1]
DECK = "22b2bb0000222"
PROMPT = {lang: locale.text("cli.play.prompt", lang) for lang in locale.LANGUAGES}


@pytest.fixture
def play(monkeypatch, capsys):
    """Play with these lines at the keyboard; gives exit code, standard output and error."""

    def play(lines, *arguments, game="gpt"):
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.delenv("LC_ALL", raising=False)
        monkeypatch.setenv("LANG", "C.UTF-8")
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["play", game, *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return play


def to_the_end(first=("fill",)):
    """Lines that end any game: whatever can be chosen has a number from 1 to 5."""
    return [*first, *list("12345") * 40]


def screens(out, lang="en"):
    """What is shown between two answers."""
    return out.split(PROMPT[lang])


# ------------------------------------------------------------------------------- from start to end


@pytest.mark.parametrize("lang", locale.LANGUAGES)
@pytest.mark.parametrize("options", [(), ("shield_mode=chosen", "counter_choice=owner")])
def test_a_game_to_its_end(play, tmp_path, lang, options):
    path = tmp_path / "game.jsonl"
    rules = [word for option in options for word in ("--rule", option)]
    arguments = ["--seed", 5, "--lang", lang, "--record", path, *rules]
    first = ["fill", "1 2 3 4 5"] if options else ["fill"]
    code, out, err = play(to_the_end(first), *arguments)
    assert (code, err) == (0, "")
    record = Record.load(path)
    assert record.state.is_terminal()
    assert record.seats == ("human", "careful")
    ending = record.state.log[-1]
    names = (
        locale.text("core.seat", lang, seat=0),
        locale.text("cli.play.computer", lang, number="").strip(),
    )
    assert ending.text(lang, names) in out
    for rule in ("[G4]", "[G10]", "[G13]", "[G14]"):
        assert rule in out
    if lang == "ja":
        assert "場" in out
        assert "Player" not in out


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_lines_fit_into_eighty_columns(play, lang):
    lines = ["?", "1 2", "u", "log", *to_the_end()]
    _, out, _ = play(lines, "--seed", 5, "--lang", lang)
    for line in out.replace(PROMPT[lang], "\n").splitlines():
        assert cell_len(line) <= 80, line


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_a_line_ends_within_no_number_and_no_card(play, lang):
    _, out, _ = play(["99", "fill", "log", "q"], "--seed", 5, "--lang", lang)
    after_prompts = out.replace(PROMPT[lang], "\n")
    assert len([line for line in after_prompts.splitlines() if cell_len(line) > 70]) > 2
    for line, following in pairwise(after_prompts.splitlines()):
        assert not re.match("[♥♠、。]", following)
        assert not (re.search(r"[0-9]$", line) and re.match(r"[0-9]", following))


def test_words_that_are_longer_than_a_line_are_cut():
    text = "数字の10♥は" + "x" * 25 + "「大きい」"
    for width in range(4, 40):
        lines = fold(Text(text), width).plain.split("\n")
        assert "".join(lines) == text
        assert all(cell_len(line) <= width for line in lines)
        assert any("10♥" in line for line in lines)


@pytest.mark.parametrize("lines", [to_the_end(), ["fill", "q"], ["fill"]])
def test_the_seed_is_told_when_it_is_of_no_use_any_more(play, lines):
    """At the end, or when somebody quits; whoever knew it before could look at the cards."""
    _, out, _ = play(lines, "--seed", 51937)
    assert out.count("51937") == 1
    assert out.splitlines()[-1] == "The seed of this game is 51937."


def test_the_seed_is_not_told_while_the_game_can_be_resumed(play, tmp_path):
    path = tmp_path / "game.jsonl"
    for number, lines in enumerate((["fill", "q"], ["fill"], ["fill", f"save {path}", "q"])):
        record = ["--record", tmp_path / f"{number}.jsonl"] if number < 2 else []
        _, out, _ = play(lines, "--seed", 51937, *record)
        assert "--resume" in out
        assert "51937" not in out
    _, out, _ = play(to_the_end(()), "--resume", path)
    assert out.splitlines()[-1] == "The seed of this game is 51937."


def test_the_same_answers_give_the_same_game(play):
    assert play(to_the_end(), "--seed", 5) == play(to_the_end(), "--seed", 5)
    assert play(to_the_end(), "--seed", 5) != play(to_the_end(), "--seed", 6)


def test_chat_can_be_played_too(play):
    code, out, err = play(list("1234567") * 200, "--seed", 5, "--lang", "ja", game="chat")
    assert (code, err) == (0, "")
    assert "[C20]" in out


@pytest.mark.parametrize(
    ("game", "arguments", "seats"),
    [
        ("alicematic", ["--rule", "n_players=3"], ("human", "careful", "careful")),
        ("chaos", ["--rule", "n_players=3"], ("human", "careful", "careful")),
        ("highlow", ["--rule", "n_players=3"], ("human", "optimal", "optimal")),
        ("collect", ["--rule", "preset=d4_three"], ("human", "careful", "careful")),
        ("chaos", ["--seats", "human,human,human"], ("human",) * 3),
        ("collect", ["--seats", "human,random"], ("human", "random")),
        ("alicematic", ["--seats", "random," * 4 + "human"], (*["random"] * 4, "human")),
    ],
)
def test_as_many_play_as_the_rules_or_the_seats_say(play, tmp_path, game, arguments, seats):
    path = tmp_path / "game.jsonl"
    code, _, err = play(["", "q"], *arguments, "--record", path, game=game)
    assert (code, err) == (0, "")
    record = Record.load(path)
    assert record.seats == seats
    assert record.game.num_players == len(seats)


def test_the_rules_and_the_seats_must_agree(play):
    code, _, err = play([], "--rule", "n_players=3", "--seats", "human,careful", game="chaos")
    assert code == 1
    assert "3 seats" in err
    code, _, err = play([], "--seats", "human,careful", game="alicematic")
    assert code == 1
    assert "from 3 to 5" in err


def test_bots_among_themselves(play):
    code, out, err = play([], "--seats", "careful,highest", "--seed", 2)
    assert (code, err) == (0, "")
    assert re.search(r"Computer [12] won|a draw", out)


def test_the_terminal_plays_as_bots_do_elsewhere(play, tmp_path):
    """The bot's choices follow from the record alone."""
    path = tmp_path / "game.jsonl"
    play(to_the_end(), "--seed", 5, "--record", path)
    record = Record.load(path)
    bot = load_bot("careful", record.game)
    for number, (player, action) in enumerate(record.actions):
        if player == 1:
            state = record.replay(number)
            rng = bot_rng(record.seed, 1, number)
            assert bot.choose(state.observation(1), state.legal_actions(1), rng) == action


# ----------------------------------------------------------------------------------------- answers


@pytest.mark.parametrize(
    ("answer", "picked"),
    [
        ("1", "Ah"),
        ("26", "Ks"),
        ("２６", "Ks"),
        ("　２６　", "Ks"),
        ("Ｋｓ", "Ks"),
        ("pick Ks", "Ks"),
        ("PICK k♠", "Ks"),
        ("Ks", "Ks"),
        ("10h", "Th"),
        ("  th  ", "Th"),
    ],
)
def test_ways_to_name_a_move(play, tmp_path, answer, picked):
    path = tmp_path / "game.jsonl"
    play([answer], "--seed", 5, "--record", path)
    assert [str(action) for seat, action in Record.load(path).actions if seat == 0] == [
        f"pick {picked}"
    ]


@pytest.mark.parametrize("answer", ["26 25 24", "Ks, Kh, Qs", "ks 25 qs"])
def test_several_moves_at_once(play, tmp_path, answer):
    """The numbers are those on the screen, whatever the first move changes."""
    path = tmp_path / "game.jsonl"
    play([answer], "--seed", 5, "--record", path)
    picked = [str(action) for seat, action in Record.load(path).actions if seat == 0]
    assert picked == ["pick Ks", "pick Kh", "pick Qs"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("27", "There is no move 27; there are: 1, 2"),
        ("0", "There is no move 0"),
        ("Kd", "K♦ is not of your suits ♥ and ♠ [G3]"),
        ("strike 1", "pick a card for your deck first. [G4]"),
        ("nonsense", '"nonsense" is no move and no command'),
        ("Ks nonsense", '"nonsense" is no move and no command'),
        ("2222222222222", "26 cards instead of 15"),
        ("save", "Say in which file"),
        ("undo", "Nobody has decided anything yet"),
        ("save /nowhere/at/all.jsonl", "/nowhere/at/all.jsonl cannot be written"),
    ],
)
def test_refusals_say_why_and_change_nothing(play, answer, reason):
    code, out, err = play([answer, "", "q"], "--seed", 5)
    assert (code, err) == (0, "")
    first, refusal, *_ = screens(out)
    assert reason in " ".join(refusal.split())
    before = first[first.index("Turn 1") :]
    assert before in screens(out)[2]


def test_a_plan_that_turns_out_illegal_stops_there(play, tmp_path):
    path = tmp_path / "game.jsonl"
    _, out, _ = play(["Ks Ks Kh", "q"], "--seed", 5, "--record", path)
    assert "K♠ is in your deck already" in out
    assert [str(a) for seat, a in Record.load(path).actions if seat == 0] == ["pick Ks"]


def test_plans_end_when_something_happens(play, tmp_path):
    """Three cards are named, but after the first clash the rest is asked again."""
    path = tmp_path / "game.jsonl"
    play(["fill", "1 2 3", "q"], "--seed", 5, "--record", path)
    state = Record.load(path).state
    assert state.turn == 1 or len(state.players[0].hand) == 3
    assert (
        sum(action.kind == "play" for seat, action in Record.load(path).actions if seat == 0) == 1
    )


def test_a_deck_by_its_code(play, tmp_path):
    path = tmp_path / "game.jsonl"
    assert play(["Ks", DECK.upper(), "q"], "--seed", 5, "--record", path)[0] == 0
    state = Record.load(path).state
    assert state.phase != "deck"
    aside = state.players[0].set_aside
    assert Deck.of(card for card in UNIVERSE[0] if card not in aside).code == DECK


def test_a_deck_must_hold_what_is_picked(play):
    _, out, _ = play(["9s", DECK, "q"], "--seed", 5)
    assert "lacks cards that you have picked: 9♠" in out


def test_what_is_still_possible_is_told(play):
    _, out, _ = play(["Ks Kh", "q"], "--seed", 5)
    assert "2 of 15 cards, sum 26 of 100. 312,358 legal decks are still possible." in " ".join(
        out.split()
    )


@pytest.mark.parametrize("lang", locale.LANGUAGES)
@pytest.mark.parametrize("game", ["gpt", "chat", "alicematic", "chaos", "highlow"])
def test_what_help_gives_as_examples_is_understood(game, lang):
    record = Record.new(cardlab.load_game(game), 1, None)
    table = Table(record, lang)
    rng = random.Random(1)
    for _ in range(60):
        legal = record.state.legal_actions()
        examples = table._examples(legal)
        assert examples
        for example in examples:
            assert table._move(example, legal) in legal
        record.append(rng.choice(legal))
        if record.state.is_terminal():
            break


def test_help_shows_moves_of_the_game(play):
    _, out, _ = play(["?", "q"], "--seed", 1, game="alicematic")
    assert "write it out, such as: hold, release 3." in out
    assert "Ks" not in out
    _, out, _ = play(["?", "q"], "--seed", 1)
    assert "write it out, such as: Ks, K♠, pick Ks." in out
    assert "Several moves at once: 1 2 3." in out


@pytest.mark.parametrize(
    ("lang", "refusal"),
    [
        ("en", '"release 9" is not an action of this game; of this kind there are: release 0,'),
        ("ja", "「release 9」はこのゲームの行動として読めません。この語で始まる行動は：release 0"),
    ],
)
def test_a_move_about_nobody_is_refused_with_those_that_there_are(play, lang, refusal):
    _, out, _ = play(["release 9", "q"], "--seed", 1, "--lang", lang, game="alicematic")
    assert refusal.replace(" ", "") in "".join(out.split())


def test_an_amount_is_its_own_number():
    """That of a slot or a seat is the one that people call it by."""
    record = Record.new(cardlab.load_game("chat"), 1)
    table = Table(record, "en")
    assert table._labels([Action("refill", n) for n in (1, 2, 3)]) == [1, 2, 3]
    assert table._labels([Action("strike", slot) for slot in (0, 2)]) == [1, 3]
    assert table._labels([Action("extra", card) for card in PACK[:3]]) == [1, 2, 3]


def test_help_log_and_an_empty_line(play):
    _, out, _ = play(["fill", "?", "h", "log", "", "q"], "--seed", 5)
    _, _, help_text, again, log, redrawn, *_ = screens(out)
    assert "undo (u)" in help_text
    assert help_text == again
    for rule in ("[G1]", "[G2]", "[G3]", "[G4]", "[G5]", "[G6]", "[G7]", "[G8]"):
        assert rule in log
    assert redrawn.strip().startswith("Turn 1: Play a card")


def test_a_move_about_a_seat_is_shown_with_its_name_and_its_notation(play, tmp_path):
    path = tmp_path / "game.jsonl"
    arguments = ("--seed", 1, "--record", path)
    _, out, _ = play(["release 2", "q"], *arguments, game="alicematic")
    assert "3 Release to Computer 3 (release 2)" in out
    assert "Player 1 released Gluttony to Computer 3." in out
    path.unlink()
    _, out, _ = play(["3", "q"], *arguments, "--lang", "ja", game="alicematic")
    assert "3 コンピュータ3にリリースする (release 2)" in out
    assert (0, Action("release", 2)) in Record.load(path).actions


def test_what_everybody_knows_besides_the_cards_is_told(play):
    """In Chaos: actions, searches that failed, and the points of earlier rounds."""
    rules = ("--rule", "target_points=30", "--rule", "max_turns=2")
    _, out, _ = play(["1", "1", "2", *"23"] * 5, "--seed", 9, *rules, game="chaos")
    assert "Actions used in this turn: 1 of 3" in out
    assert "Searched in vain in this turn: 3" in out
    assert re.search(r"Points of the rounds so far, by seat: \d+, \d+, \d+, \d+", out)


@pytest.mark.parametrize("game", ["alicematic", "chaos", "highlow"])
def test_all_that_a_seat_learns_is_told(play, tmp_path, game):
    """Without asking for the log, but for choices that are made together."""
    path = tmp_path / "game.jsonl"
    _, out, _ = play(["1"] * 3, "--seed", 1, "--record", path, game=game)
    record = Record.load(path)
    table = Table(record, "en")
    commits = {commit.kind for commit in record.state.TOGETHER.values()}
    lines = [line for line in out.splitlines() if line.endswith("]")]
    told = [
        f"{event.text('en', table._names)} [{event.rule}]"
        for event in record.state.observation(0).log
        if event.kind not in commits
    ]
    assert len(told) > 10
    assert " ".join(lines).replace(PROMPT["en"], "").split() == " ".join(told).split()


@pytest.mark.parametrize(
    ("game", "seed", "lang", "name", "action"),
    [
        ("chaos", 1, "ja", "カオス", "play chaos"),
        ("chaos", 1, "en", "chaos", "play chaos"),
        ("chaos", 1, "en", "Chaos", "play chaos"),
        ("chaos", 1, "ja", "play カオス", "play chaos"),
    ],
)
def test_cards_have_their_names(play, tmp_path, game, seed, lang, name, action):
    path = tmp_path / "game.jsonl"
    arguments = ("--seed", seed, "--lang", lang, "--record", path)
    _, out, _ = play([name, "q"], *arguments, game=game)
    assert action in [str(each) for seat, each in Record.load(path).actions if seat == 0]
    shown = screens(out, lang)[0]
    assert ("秩序" if lang == "ja" else "Order") in shown
    assert not re.search("chaos|order", shown.replace("in order", ""))


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_every_card_can_be_called_by_its_name(lang):
    """As far as its name differs from its notation, and in any letters."""
    for game in ("alicematic", "chaos"):
        record = Record.new(cardlab.load_game(game), 1)
        table = Table(record, lang)
        for action in record.game.actions:
            if isinstance(action.arg, Card):
                line = f"{action.kind} {action.arg.text(lang).upper()}"
                assert table._move(line, [action]) == action


# ------------------------------------------------------------------------------------------- undo


def test_undo_takes_back_what_a_person_decided(play, tmp_path):
    path = tmp_path / "game.jsonl"
    _, out, _ = play(["fill", "1", "u", "q"], "--seed", 5, "--record", path)
    shown = screens(out)
    assert (
        shown[1][shown[1].index("\nTurn 1: Play") :] == shown[3][shown[3].index("\nTurn 1: Play") :]
    )
    assert "everybody chooses anew" in shown[3]
    assert Record.load(path).state.phase == "play"


def test_a_card_that_was_shown_cannot_be_foreseen_after_undo(play, tmp_path):
    """By itself the computer would lay the same card again."""
    path, cards = tmp_path / "game.jsonl", set()
    for undos in range(1, 9):
        path.unlink(missing_ok=True)
        play(["fill", *["1", "u"] * undos, "q"], "--seed", 5, "--record", path)
        player, action = Record.load(path).actions[-1]
        assert (player, action.kind) == (1, "play")
        cards.add(action)
        if len(cards) > 1:
            return
    pytest.fail("always the same card")


def test_undo_to_the_very_beginning(play):
    _, out, _ = play(["1", "2", "u", "u", "u", "q"], "--seed", 5)
    shown = screens(out)
    assert "Nobody has decided anything yet" in shown[5]
    assert shown[4].strip() in shown[0]


# -------------------------------------------------------------------------------- save and resume


def test_save_quit_resume(play, tmp_path):
    """Interrupted anywhere, the game goes on as it would have."""
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    lines = to_the_end()
    play(lines, "--seed", 5, "--record", whole)
    code, out, _ = play([*lines[:3], f"save {part}", "quit"], "--seed", 5)
    assert code == 0
    assert f"cardlab play gpt --resume {part}" in out.replace("\n", "")
    code, out, err = play(lines[3:], "--resume", part, "--lang", "ja")
    assert (code, err) == (0, "")
    assert whole.read_bytes() == part.read_bytes()


def test_a_file_is_called_as_it_was_typed(play, tmp_path):
    path = tmp_path / "ｇａｍｅ １.jsonl"
    play([f"ｓａｖｅ　{path}", "q"])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_unsaved_game_is_told(play):
    assert "not saved" in play(["q"])[1]
    assert "not saved" not in play(to_the_end())[1]


def test_the_end_of_input_quits(play, tmp_path):
    path = tmp_path / "game.jsonl"
    code, out, err = play(["fill"], "--record", path)
    assert (code, err) == (0, "")
    assert f"kept in {path}" in out
    assert Record.load(path).state.phase == "play"


def test_a_line_cut_short_is_told_and_the_game_goes_on(play, tmp_path):
    path = tmp_path / "game.jsonl"
    play(["fill"], "--record", path, "--seed", 5)
    path.write_bytes(path.read_bytes()[:-5])
    code, out, err = play(to_the_end(()), "--resume", path)
    assert (code, err) == (0, "")
    assert "cut short" in out
    assert Record.load(path).state.is_terminal()


def test_people_may_have_names(play, tmp_path):
    """A record made elsewhere names its seats; who is no bot is a person."""
    path = tmp_path / "game.jsonl"
    Record.new(cardlab.load_game("gpt"), 5, ("Aoi", "careful")).save(path)
    _, out, _ = play(["q"], "--resume", path)
    assert "Aoi (you)" in out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--resume", "nowhere.jsonl"], 1, "nowhere.jsonl cannot be read"),
        (["--resume", "x", "--seed", "1"], 2, "--resume takes everything from the file"),
        (["--resume", "x", "--record", "y"], 2, "--resume takes everything from the file"),
        (["--record", "/nowhere/x.jsonl"], 1, "cannot be written"),
        (["--seats", "human"], 1, "2 seat"),
        (["--seats", "human,clever"], 1, 'no bot "clever"'),
        (["--seed", "x"], 2, "--seed"),
        (["--rule", "shield_mode=x"], 1, "it can be: 'random', 'chosen'"),
    ],
)
def test_wrong_arguments(play, arguments, code, message):
    found, out, err = play([], *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1


def test_the_record_of_another_game(play, tmp_path):
    path = tmp_path / "game.jsonl"
    play(["q"], "--record", path)
    code, _, err = play([], "--resume", path, game="chat")
    assert code == 1
    assert f"cardlab play gpt --resume {path}" in err


def test_a_file_with_something_else_is_left_alone(play, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear Aoi,\n")
    assert play([], "--record", path)[0] == 1
    _, out, _ = play([f"save {path}", "q"])
    assert f"Line1of{path}iswrong" in "".join(out.split())  # whatever the width of a line
    assert path.read_text() == "Dear Aoi,\n"


def test_interrupted(tmp_path):
    """Ctrl-C ends the game with 130; what was decided is in the file."""
    path = tmp_path / "game.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "cardlab", "play", "gpt", "--record", str(path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell lets what it runs in the background ignore interrupts, and that is handed down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        running.stdin.write("fill\n")
        running.stdin.flush()
        deadline = time.monotonic() + 60
        while not (path.exists() and path.read_text().count("\n") > 31):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err == "cardlab: Interrupted.\n"
    assert Record.load(path).state.phase == "play"


# ----------------------------------------------------------------------------------------- secrets


def test_the_others_cards_are_not_shown(play):
    """Until the first cards are turned up, nothing of the computer's cards is on the screen."""
    _, out, _ = play(["fill", "log", "", "q"], "--seed", 5)
    suits = out.replace("Computer takes ♦ and ♣", "")
    assert not re.search("[♦♣]", suits)
    assert re.search("[♥♠]", suits)


def test_two_people_at_one_keyboard_see_only_their_own_cards(play):
    code, out, _ = play(
        ["", "Ks Kh", "", "fill", "", "fill", "", "1", "", "1", "q"], "--seats", "human,human"
    )
    assert code == 0
    parts = re.split(r"(Player [12]), it is your turn[^.]*\. Press Enter[^.]*\. ", out)[1:]
    turns = list(zip(parts[::2], parts[1::2], strict=True))
    assert [player for player, _ in turns][:4] == ["Player 1", "Player 2", "Player 1", "Player 2"]
    for player, shown in turns[:4]:
        own, other = ("[♥♠]", "[♦♣]") if player == "Player 1" else ("[♦♣]", "[♥♠]")
        shown = re.sub(r"Player \d takes . and .\.", "", shown).split(PROMPT["en"])[0]
        assert re.search(own, shown)
        assert not re.search(other, shown), shown


def test_two_people_finish_a_game(play):
    lines = ["", "fill", "", "fill"]
    for _ in range(60):
        lines += ["", "1", "2", "3", "4", "5"]
    code, out, err = play(lines, "--seats", "human,human", "--seed", 8)
    assert (code, err) == (0, "")
    assert re.search(r"Player [12] won|a draw", out)


def test_the_other_person_cannot_scroll_back_to_a_hand():
    """What is cleared is the screen and what was on it before, in this order."""
    script = "from cardlab.cli.output import clear, console;clear(console());print('next')"
    parent, child = pty.openpty()
    with os.fdopen(parent, "rb") as terminal:
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=os.environ | {"TERM": "xterm"},
            stdout=child,
            check=True,
        )
        os.close(child)
        shown = os.read(terminal.fileno(), 1000)
    assert shown.index(b"\x1b[2J") < shown.index(b"\x1b[3J") < shown.index(b"next")


def test_a_hand_over_clears_the_terminal(play, monkeypatch):
    cleared = []
    monkeypatch.setattr("cardlab.cli.table.clear", cleared.append)
    play(["", "fill", "", "q"], "--seats", "human,human")
    assert len(cleared) == 1
