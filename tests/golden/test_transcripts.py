"""Whole games are still told in the same words, seen in the same way, and come out the same."""

import json
import re
from functools import cache

import pytest

from cardlab import list_games, load_game
from cardlab.locale import LANGUAGES
from tools.transcripts import (
    DIGESTS,
    GOLDEN,
    TRANSCRIPTS,
    decide,
    differences,
    digest,
    main,
    transcript,
)

REMAKE = "if this is meant: python -m tools.transcripts, read the change, commit it"

told = cache(transcript)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_game_is_told_as_before(name: str) -> None:
    changed = differences(f"{name}.txt", told(name))
    assert not changed, "\n".join([REMAKE, *changed[:60]])


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_same_seed_gives_the_same_games_on_every_machine(name: str) -> None:
    kept = dict(line.split()[::-1] for line in (GOLDEN / DIGESTS).read_text("utf-8").splitlines())
    game, _, options = TRANSCRIPTS[name]
    assert digest(game, options) == kept[name], REMAKE


def test_every_game_has_a_transcript() -> None:
    told = {game for game, _, _ in TRANSCRIPTS.values()}
    assert told == {*list_games()}, "add a line to TRANSCRIPTS in tools/transcripts.py"
    modes = [options for game, _, options in TRANSCRIPTS.values() if game == "gpt"]
    assert any(options.get("shield_mode") == "chosen" for options in modes)
    assert any("decks" in options for options in modes)


def test_no_file_is_left_over() -> None:
    names = {path.name for path in GOLDEN.glob("*.txt")}
    assert names == {DIGESTS, *(f"{name}.txt" for name in TRANSCRIPTS)}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_transcript_tells_everything(name: str) -> None:
    """Every decision, every event in every language, and the sight of every seat before each."""
    text = told(name)
    game_name, seed, options = TRANSCRIPTS[name]
    game = load_game(game_name, **options)
    state, number = game.new_initial_state(seed), 0
    while state.to_move:
        player, action = decide(state, number)
        assert f"-- seat {player}: {action}\n" in text
        state.apply(action, player)
        number += 1
    lines = {*map(str.strip, text.splitlines())}
    for event in state.log:
        for lang in LANGUAGES:
            assert event.text(lang) in lines
    assert len(re.findall(r"^== \d+:", text, re.MULTILINE)) == number + 1
    sights = re.findall(r"^   seat (\d+) sees \([0-9a-f]{8}\)$", text, re.MULTILINE)
    assert sights == [str(seat) for seat in range(game.num_players)] * (number + 1)


def test_a_change_is_seen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    """In the words, in the sight of a seat, and in the chance."""
    from cardlab.engine import Event, Observation

    name, kept = "gpt_decks", told("gpt_decks")
    game, _, options = TRANSCRIPTS[name]
    fingerprint = digest(game, options)
    with monkeypatch.context() as patched:
        patched.setattr(Event, "text", lambda self, lang="en", names=None: "something happens")
        assert differences(f"{name}.txt", transcript(name))
    with monkeypatch.context() as patched:
        own = Observation.to_json
        patched.setattr(Observation, "to_json", lambda self: json.dumps([own(self), "and more"]))
        assert differences(f"{name}.txt", transcript(name))
    with monkeypatch.context() as patched:
        patched.setattr("cardlab.chance.draw", lambda seed, counter: seed + 7 * counter**2)
        assert transcript(name) != kept
        assert digest(game, options) != fingerprint
    monkeypatch.setattr("tools.transcripts.transcript", told)
    assert main(["--check"]) == 0
    assert main(["--chekc"]) == 2
    assert "the same" in capsys.readouterr().out
