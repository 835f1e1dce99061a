"""A record is saved, loaded, replayed, taken back and continued without losing anything."""

import json
import os
import random
import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cardlab
from cardlab import (
    IllegalActionError,
    NotationError,
    RecordError,
    RulesError,
    list_games,
    load_game,
)
from cardlab.record import Record


def play_on(record: Record, actions: int = 1000, seed: int = 0) -> Record:
    """Append random actions, seats in random order, until the game is over."""
    rng = random.Random(seed)
    for _ in range(actions):
        state = record.state
        if state.is_terminal():
            break
        player = rng.choice(state.to_move)
        record.append(rng.choice(state.legal_actions(player)), player)
    return record


def whole_game(**options: object) -> Record:
    return play_on(Record.new(load_game("gpt", **options), seed=5))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


def same(a: Record, b: Record) -> None:
    assert a.header == b.header
    assert a.actions == b.actions
    assert a.state == b.state
    assert a.state.to_dict() == b.state.to_dict()


# ------------------------------------------------------------------------------------ the format


def test_file_is_a_header_and_a_line_an_action(path: Path) -> None:
    record = Record.new(load_game("gpt", deck_sum_max=90), seed=7, seats=("太郎", "careful"))
    record.append("pick 10♥", 0)
    record.append("pick Kc", 1)
    record.save(path)
    header, *actions = lines(path)
    assert list(header) == ["cardlab", "format", "game", "rules", "setup", "seed", "seats"]
    assert header["cardlab"] == cardlab.__version__
    assert header["format"] == 1
    assert header["game"] == "gpt"
    assert header["rules"] == load_game("gpt", deck_sum_max=90).rules.to_dict()
    assert header["setup"] is None
    assert header["seed"] == 7
    assert header["seats"] == ["太郎", "careful"]
    assert actions == [
        {"player": 0, "action": "pick Th"},
        {"player": 1, "action": "pick Kc"},
    ]
    assert path.read_bytes().endswith(b"}\n")


def test_decks_that_were_handed_in_are_in_the_setup(path: Path) -> None:
    decks = ["2b2bbbbb0b022", "2222222r00000"]
    game = load_game("gpt", decks=decks, shield_mode="chosen")
    assert game.options() == game.rules.to_dict() | {"decks": decks}
    assert load_game("gpt", **game.options()).options() == game.options()
    record = play_on(Record.new(game, seed=1))
    record.save(path)
    assert lines(path)[0]["setup"] == {"decks": decks}
    same(Record.load(path), record)


def test_a_seed_is_drawn_and_written_when_none_is_given(path: Path) -> None:
    first, second = (Record.new(load_game("gpt")) for _ in range(2))
    assert first.seed != second.seed
    play_on(first).save(path)
    same(Record.load(path), first)


def test_default_seats() -> None:
    assert Record.new(load_game("gpt")).seats == ("human", "careful")


@pytest.mark.parametrize("seats", [("a",), ("a", "b", "c"), "ab", (1, 2), ("a\n", "b"), 5])
def test_a_record_needs_one_readable_name_a_seat(seats: object) -> None:
    with pytest.raises(RecordError, match="needs the names of 2 seats") as caught:
        Record.new(load_game("gpt"), seats=seats)
    assert "2 席分の名前が必要です" in caught.value.text("ja")


def test_a_seed_is_a_whole_number() -> None:
    for seed in (True, 1.0, "1"):
        with pytest.raises(RulesError, match="A seed is a whole number"):
            Record.new(load_game("gpt"), seed=seed)


# ------------------------------------------------------------------------- playing, replay, undo


def test_append_tells_what_happened_and_checks_first() -> None:
    record = Record.new(load_game("gpt"), seed=1)
    (event,) = record.append("pick Ks")
    assert (event.kind, event.player) == ("gpt.pick", 0)
    before = record.state
    for action, player, error in (
        ("pick Ks", 0, IllegalActionError),
        ("pick Ks", 1, IllegalActionError),
        ("play Ks", 1, IllegalActionError),
        ("pick 1z", 1, NotationError),
        (None, 1, NotationError),
        ("pick Kc", 2, RulesError),
        ("pick Kc", True, RulesError),
    ):
        with pytest.raises(error):
            record.append(action, player)
    assert record.state == before
    assert len(record.actions) == 1
    assert record.append(cardlab.Action("pick", cardlab.Card.parse("Kc")), 1)[0].player == 1


def test_nothing_can_be_appended_after_the_end() -> None:
    record = whole_game()
    with pytest.raises(IllegalActionError, match="The game is over"):
        record.append("play Ks")


def test_the_state_is_a_copy() -> None:
    record = Record.new(load_game("gpt"), seed=1)
    before = record.state
    record.state.apply("pick Ks")
    assert record.state == before
    before.apply("pick Ks")
    record.append("pick Ks")
    assert record.state == before


def test_replay_goes_to_every_point() -> None:
    record = Record.new(load_game("gpt"), seed=3)
    seen = [record.state]
    rng = random.Random(1)
    while not record.state.is_terminal():
        record.append(rng.choice(record.state.legal_actions()))
        seen.append(record.state)
    for upto, state in enumerate(seen):
        assert record.replay(upto).to_dict() == state.to_dict()
    assert record.replay() == record.state
    for upto in (-1, len(seen), True, 1.0, "1"):
        with pytest.raises(RecordError, match=f"from 0 to {len(seen) - 1}"):
            record.replay(upto)


def test_undo_is_a_replay_and_the_chance_stays_the_same() -> None:
    record = whole_game()
    actions, end = record.actions, record.state.to_dict()
    record.undo(4)
    assert record.actions == actions[:-4]
    assert record.state.to_dict() == record.replay().to_dict()
    record.undo(0)
    for player, action in actions[-4:]:
        record.append(action, player)
    assert record.state.to_dict() == end
    for n in (-1, len(actions) + 1, True, None):
        with pytest.raises(RecordError, match=f"from 0 to {len(actions)}"):
            record.undo(n)
    assert record.state.to_dict() == end
    record.undo(len(actions))
    assert record.actions == ()


# --------------------------------------------------------------------------------- save and load


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(),
    actions=st.integers(0, 80),
    shield_mode=st.sampled_from(["random", "chosen"]),
    cap=st.integers(64, 182),
    seats=st.tuples(*[st.text(st.characters(exclude_categories=("C", "Z")))] * 2),
)
def test_what_is_saved_is_loaded(
    tmp_path: Path, seed: int, actions: int, shield_mode: str, cap: int, seats: tuple[str, str]
) -> None:
    game = load_game("gpt", shield_mode=shield_mode, deck_sum_max=cap)
    record = play_on(Record.new(game, seed, seats), actions)
    path = tmp_path / "game.jsonl"
    record.save(path)
    loaded = Record.load(path)
    same(loaded, record)
    assert loaded.warning is None
    assert loaded.path is None
    loaded.save(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", list_games())
def test_every_game_has_records(name: str, path: Path) -> None:
    game = load_game(name)
    assert load_game(name, **json.loads(json.dumps(game.options()))) == game
    record = play_on(Record.new(game, seed=1))
    assert record.state.is_terminal()
    assert len(record.seats) == game.num_players
    record.save(path)
    same(Record.load(path), record)


def test_line_ends_blanks_and_a_missing_last_newline_do_no_harm(path: Path) -> None:
    record = whole_game()
    record.save(path)
    text = path.read_bytes()
    for other in (
        text.replace(b"\n", b"\r\n"),
        text[:-1],
        text.replace(b'{"player"', b' { "player"'),
        text + b"  ",
    ):
        assert other != text
        path.write_bytes(other)
        loaded = Record.load(path)
        same(loaded, record)
        assert loaded.warning is None
        loaded.attach(path)
        assert path.read_bytes() == text


def test_save_replaces_and_leaves_nothing_beside_it(path: Path) -> None:
    path.write_text("something else")
    path.chmod(0o640)
    record = whole_game()
    record.save(path)
    same(Record.load(path), record)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be replaced there")
def test_save_never_touches_the_old_file(path: Path) -> None:
    """Whoever reads it at that moment reads the old one to its end."""
    record = whole_game()
    record.save(path)
    text = path.read_bytes()
    with path.open("rb") as file:
        play_on(Record.new(record.game, seed=8)).save(path)
        assert file.read() == text
    assert path.read_bytes() != text


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_save_writes_through_a_link(path: Path) -> None:
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    record = whole_game()
    record.save(link)
    assert link.is_symlink()
    same(Record.load(path), record)


# ----------------------------------------------------------------------------------- a kept file


def test_each_action_is_in_the_file_before_append_returns(path: Path) -> None:
    record = Record.new(load_game("gpt"), seed=2)
    record.attach(path)
    same(Record.load(path), record)
    rng = random.Random(4)
    while not record.state.is_terminal():
        player = rng.choice(record.state.to_move)
        record.append(rng.choice(record.state.legal_actions(player)), player)
        same(Record.load(path), record)


def test_undo_shortens_the_file(path: Path) -> None:
    record = whole_game()
    record.attach(path)
    record.undo(7)
    same(Record.load(path), record)
    play_on(record, seed=9)
    same(Record.load(path), record)
    record.undo(len(record.actions))
    same(Record.load(path), record)


def test_a_game_is_resumed(path: Path) -> None:
    first = play_on(Record.new(load_game("gpt"), seed=2), 20)
    first.save(path)
    second = Record.load(path)
    second.attach(path)
    play_on(second)
    assert second.actions[:20] == first.actions
    assert second.state.is_terminal()
    same(Record.load(path), second)


def test_attach_writes_what_the_file_lacks(path: Path) -> None:
    record = play_on(Record.new(load_game("gpt"), seed=2), 10)
    record.save(path)
    play_on(record, 10, seed=1)
    record.attach(path)
    same(Record.load(path), record)


@pytest.mark.skipif(os.name == "nt", reason="folders have no such rights there")
def test_attach_leaves_a_file_alone_that_is_right_already(path: Path) -> None:
    record = whole_game()
    record.save(path)
    before = path.stat()
    record.attach(path)
    assert path.stat().st_ino == before.st_ino


def test_attach_takes_an_empty_file(path: Path) -> None:
    path.touch()
    record = whole_game()
    record.attach(path)
    same(Record.load(path), record)


def test_attach_destroys_no_other_game(path: Path) -> None:
    record = whole_game()
    shorter = Record.new(record.game, record.seed)
    for player, action in record.actions[:-1]:
        shorter.append(action, player)
    otherwise = Record.new(record.game, record.seed)
    otherwise.append("pick 2h", 0)
    other_seed = Record.new(record.game, seed=6)
    other_game = Record.new(load_game("gpt", deck_sum_max=99), seed=5)
    other_seats = Record.new(record.game, record.seed, ("human", "random"))
    record.save(path)
    text = path.read_bytes()
    for other in (shorter, otherwise, other_seed, other_game, other_seats):
        with pytest.raises(RecordError) as caught:
            other.attach(path)
        assert caught.value.text() == (
            f"{path} holds another game, or more of this one than is to be written; "
            "choose another file, or replace it with save."
        )
        assert caught.value.text("ja") == (
            f"{path} には別のゲームか、このゲームのもっと先までの記録があります。"
            "別のファイルを選ぶか、save で置き換えてください。"
        )
        assert other.path is None
        assert path.read_bytes() == text
    path.write_text("a letter to my aunt\n")
    with pytest.raises(RecordError, match="Line 1"):
        record.attach(path)
    assert path.read_text() == "a letter to my aunt\n"


def test_a_file_that_somebody_else_changed_is_left_alone(path: Path) -> None:
    record = play_on(Record.new(load_game("gpt"), seed=2), 10)
    record.attach(path)
    other = Record.load(path)
    other.attach(path)
    other.append(other.state.legal_actions()[0])
    text, state = path.read_bytes(), record.state
    for change in (lambda: record.append(record.state.legal_actions()[0]), record.undo):
        with pytest.raises(RecordError) as caught:
            change()
        assert caught.value.text() == (
            f"{path} was changed by another program, so it was left alone and nothing was done; "
            "attach the record to another file, or load this one again."
        )
        assert "ほかのプログラムに変更された" in caught.value.text("ja")
    assert path.read_bytes() == text
    assert record.state == state
    assert len(record.actions) == 10
    elsewhere = path.with_name("mine.jsonl")
    record.attach(elsewhere)
    play_on(record)
    same(Record.load(elsewhere), record)


def test_a_file_that_was_removed_is_missed(path: Path) -> None:
    record = play_on(Record.new(load_game("gpt"), seed=2), 10)
    record.attach(path)
    path.unlink()
    with pytest.raises(RecordError, match="there is no such file or folder"):
        record.append(record.state.legal_actions()[0])
    assert len(record.actions) == 10
    record.attach(path)
    play_on(record)
    same(Record.load(path), record)


def test_saving_over_the_attached_file_keeps_it_attached(path: Path) -> None:
    record = play_on(Record.new(load_game("gpt"), seed=2), 10)
    record.attach(path)
    path.write_text("spoilt")
    record.save(path)
    play_on(record)
    same(Record.load(path), record)


def test_a_moved_folder_of_records_still_loads(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    record = whole_game()
    record.save(tmp_path / "a" / "game.jsonl")
    shutil.move(tmp_path / "a", tmp_path / "b")
    same(Record.load(tmp_path / "b" / "game.jsonl"), record)
