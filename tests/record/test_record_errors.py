"""What is wrong with a record, or with the place for one, is said in one sentence."""

import errno
import io
import json
import os
import random
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cardlab import CardlabError, RecordError, load_game
from cardlab.record import Record

DECKS = ["2b2bbbbb0b022", "2222222r00000"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


def play_on(record: Record, actions: int = 1000) -> Record:
    rng = random.Random(1)
    while actions and not record.state.is_terminal():
        record.append(rng.choice(record.state.legal_actions()))
        actions -= 1
    return record


@pytest.fixture
def record() -> Record:
    """A game of which a few turns have been played."""
    return play_on(Record.new(load_game("gpt", decks=DECKS), seed=1), 12)


@pytest.fixture
def saved(record: Record, path: Path) -> list[bytes]:
    """The lines of the record, which is saved in ``path``."""
    record.save(path)
    return path.read_bytes().splitlines(keepends=True)


def refusal(path: Path) -> RecordError:
    with pytest.raises(RecordError) as caught:
        Record.load(path)
    for lang in ("en", "ja"):
        text = caught.value.text(lang)
        assert str(path) in text
        assert "{" not in text.replace(repr({}), "").replace("{'", "")
        assert "\n" not in text
    return caught.value


def refused_line(path: Path, number: int, lines: list[bytes], line: bytes) -> CardlabError:
    """The error for ``line`` in the place of line ``number``, checked and without its number."""
    spoilt = [*lines[: number - 1], line + b"\n", *lines[number:]]
    path.write_bytes(b"".join(spoilt))
    error = refusal(path)
    assert error.params["line"] == number
    assert error.text().startswith(f"Line {number} of {path} is wrong: ")
    assert error.text("ja").startswith(f"{path} の {number} 行目に誤りがあります：")
    assert path.read_bytes() == b"".join(spoilt)
    inner = error.params["error"]
    assert isinstance(inner, CardlabError)
    return inner


# --------------------------------------------------------------------------------- damaged records


def test_empty_file(path: Path) -> None:
    path.touch()
    error = refusal(path)
    assert error.text() == (
        f"{path} is empty; a record begins with a line that has the entries "
        "cardlab, format, game, rules, setup, seed, seats."
    )
    assert error.text("ja") == (
        f"{path} は空です。記録の最初の行には次の項目が必要です："
        "cardlab、format、game、rules、setup、seed、seats"
    )


@pytest.mark.parametrize(
    ("line", "english", "japanese"),
    [
        (
            b"hello",
            "It is not a JSON object with the entries player, action.",
            "次の項目を持つ JSON オブジェクトではありません：player、action",
        ),
        (
            b'["player", 0]',
            "It is not a JSON object with the entries player, action.",
            "次の項目を持つ JSON オブジェクトではありません：player、action",
        ),
        (
            b"",
            "It is not a JSON object with the entries player, action.",
            "次の項目を持つ JSON オブジェクトではありません：player、action",
        ),
        (
            b"[" * 100_000,
            "It is not a JSON object with the entries player, action.",
            "次の項目を持つ JSON オブジェクトではありません：player、action",
        ),
        (
            '{"player": 0, "action": "カード"}'.encode("shift-jis"),
            "It is not UTF-8 text, as a record has to be.",
            "UTF-8 のテキストではありません。記録は UTF-8 で書かれます。",
        ),
        (
            b'{"player": 0}',
            "It has the entries player; it has to have exactly player, action.",
            "項目は player ですが、必要なのはちょうど次の項目です：player、action",
        ),
        (
            b'{"player": 0, "action": "play 4c", "time": 3}',
            "It has the entries player, action, time; it has to have exactly player, action.",
            "項目は player、action、time ですが、必要なのはちょうど次の項目です：player、action",
        ),
        (
            b'{"player": 2, "action": "play 4c"}',
            "There is no seat 2; with 2 players the seats count from 0 up.",
            "席 2 はありません。2 人なら席は 0 から数えます。",
        ),
        (
            b'{"player": null, "action": "play 4c"}',
            "There is no seat null; with 2 players the seats count from 0 up.",
            "席 null はありません。2 人なら席は 0 から数えます。",
        ),
        (
            b'{"player": true, "action": "play 4c"}',
            "There is no seat True; with 2 players the seats count from 0 up.",
            "席 True はありません。2 人なら席は 0 から数えます。",
        ),
        (
            b'{"player": "0", "action": "play 4c"}',
            "There is no seat '0'; with 2 players the seats count from 0 up.",
            "席 '0' はありません。2 人なら席は 0 から数えます。",
        ),
        (
            b'{"player": 0, "action": 5}',
            (
                '"5" is not an action of this game; '
                "actions begin with: counter, pick, play, shield, strike."
            ),
            (
                "「5」はこのゲームの行動として読めません。"
                "行動の最初の語は：counter、pick、play、shield、strike"
            ),
        ),
        (
            b'{"player": 0, "action": "block 5"}',
            (
                '"block 5" is not an action of this game; '
                "actions begin with: counter, pick, play, shield, strike."
            ),
            (
                "「block 5」はこのゲームの行動として読めません。"
                "行動の最初の語は：counter、pick、play、shield、strike"
            ),
        ),
    ],
)
def test_a_wrong_line(
    path: Path, saved: list[bytes], line: bytes, english: str, japanese: str
) -> None:
    inner = refused_line(path, 4, saved, line)
    assert inner.text() == english
    assert inner.text("ja") == japanese


def test_an_illegal_action_in_the_middle(path: Path, saved: list[bytes], record: Record) -> None:
    first, second = record.actions[:2]
    assert (first[0], second[0]) == (0, 1)
    hand = record.replay(0).observation(0).hand
    inner = refused_line(path, 2, saved, b'{"player": 0, "action": "play Kc"}')
    held = ", ".join(map(str, hand))
    assert inner.text() == f"K♣ is not in your hand; you hold: {held}. [G9]"
    assert inner.text("ja") == f"K♣ は手札にありません。手札：{held.replace(', ', '、')} [G9]"


def test_the_wrong_seat_and_the_wrong_phase(path: Path, saved: list[bytes]) -> None:
    inner = refused_line(path, 3, saved, saved[1].strip())
    assert inner.text() == "It is not the turn of player 1; to move: 2."
    inner = refused_line(path, 2, saved, b'{"player": 0, "action": "strike 1"}')
    assert inner.text() == '"strike 1" is not possible now: both play a card from the hand. [G9]'


def test_lines_after_the_end(path: Path) -> None:
    record = play_on(Record.new(load_game("gpt"), seed=3))
    record.save(path)
    lines = path.read_bytes().splitlines(keepends=True)
    inner = refused_line(path, len(lines) + 1, lines, lines[-1].strip())
    assert inner.text() == "The game is over; nobody may act any more."


def with_header(saved: list[bytes], **changes: object) -> bytes:
    return json.dumps(json.loads(saved[0]) | changes).encode()


@pytest.mark.parametrize(
    ("changes", "english", "japanese"),
    [
        (
            {"format": 2, "cardlab": "9.1", "new": 1},
            (
                "It is of format 2, written by cardlab 9.1; "
                "this is cardlab {own}, which reads formats up to 1."
            ),
            (
                "形式 2 で書かれています（cardlab 9.1）。"
                "この cardlab {own} が読める形式は 1 までです。"
            ),
        ),
        (
            {"format": "1"},
            (
                "It is of format '1', written by cardlab {own}; "
                "this is cardlab {own}, which reads formats up to 1."
            ),
            (
                "形式 '1' で書かれています（cardlab {own}）。"
                "この cardlab {own} が読める形式は 1 までです。"
            ),
        ),
        (
            {"format": True},
            (
                "It is of format True, written by cardlab {own}; "
                "this is cardlab {own}, which reads formats up to 1."
            ),
            (
                "形式 True で書かれています（cardlab {own}）。"
                "この cardlab {own} が読める形式は 1 までです。"
            ),
        ),
        (
            {"rules": []},
            "The entry rules has to be an object with options, not [].",
            "項目 rules はオプションを並べたオブジェクトでなければなりません。[] は使えません。",
        ),
        (
            {"setup": ""},
            "The entry setup has to be an object with options, not ''.",
            "項目 setup はオプションを並べたオブジェクトでなければなりません。'' は使えません。",
        ),
        (
            {"setup": {"decks": ["2b2bbbbb0b022"]}},
            "decks needs two decks, one for each seat: deck codes, lists of cards or Deck objects.",
            (
                "decks には各席のデッキを一つずつ、二つ渡してください"
                "（デッキコード、カードのリスト、Deck のどれでも）。"
            ),
        ),
        (
            {"setup": {"decks": ["2b2bbbbb0b022", "2b2bbbbb0b02"]}},
            (
                '"2b2bbbbb0b02" is not a deck code; '
                "it has 13 characters from ace to king, each 0, r, b or 2."
            ),
            (
                "「2b2bbbbb0b02」はデッキコードではありません。"
                "A から K までの 13 文字で、それぞれ 0、r、b、2 のどれかです。"
            ),
        ),
        (
            {"setup": {"decks": ["2b2bbbbb0b022", "2b2bbbb00b022"]}},
            "This deck is not legal: it has 14 cards instead of 15 [G4]",
            "このデッキは使えません：15枚のところ14枚あります [G4]",
        ),
        (
            {"setup": {"name": 1}},
            (
                'The game gpt has no option "name"; it has: deck_size, deck_sum_max, n_shields, '
                "hand_size, shield_mode, counter_compare, counter_choice, double_knockout, decks."
            ),
            (
                "ゲーム gpt にオプション「name」はありません。あるのは：deck_size、deck_sum_max、"
                "n_shields、hand_size、shield_mode、counter_compare、counter_choice、"
                "double_knockout、decks"
            ),
        ),
        (
            {"rules": {"shield_mode": "open"}},
            "The option shield_mode cannot be 'open'; it can be: 'random', 'chosen'.",
            "オプション shield_mode に 'open' は使えません。使えるのは：'random'、'chosen'",
        ),
        ({"seed": None}, "A seed is a whole number or nothing, not null.", None),
        ({"seed": "1"}, "A seed is a whole number or nothing, not '1'.", None),
        ({"seed": 1.0}, "A seed is a whole number or nothing, not 1.0.", None),
        ({"seats": None}, "A record of this game needs the names of 2 seats, not None.", None),
        ({"seats": ["a"]}, "A record of this game needs the names of 2 seats, not ['a'].", None),
        ({"seats": [1, 2]}, "A record of this game needs the names of 2 seats, not [1, 2].", None),
    ],
)
def test_a_wrong_header(
    path: Path,
    saved: list[bytes],
    changes: dict[str, object],
    english: str,
    japanese: str | None,
) -> None:
    own = json.loads(saved[0])["cardlab"]
    inner = refused_line(path, 1, saved, with_header(saved, **changes))
    assert inner.text() == english.replace("{own}", own)
    if japanese is not None:
        assert inner.text("ja") == japanese.replace("{own}", own)


@pytest.mark.parametrize("name", ["poker", 5, None, [], {}])
def test_a_game_that_does_not_exist(path: Path, saved: list[bytes], name: object) -> None:
    inner = refused_line(path, 1, saved, with_header(saved, game=name))
    assert inner.text().startswith("There is no game ")
    assert "gpt" in inner.text()


def test_a_header_that_lacks_an_entry(path: Path, saved: list[bytes]) -> None:
    for entry in json.loads(saved[0]):
        header = json.loads(saved[0])
        del header[entry]
        inner = refused_line(path, 1, saved, json.dumps(header).encode())
        assert inner.text().startswith(f"It has the entries {', '.join(header)}; it has to have")


def test_no_header_at_all(path: Path, saved: list[bytes]) -> None:
    path.write_bytes(b"".join(saved[1:]))
    assert refusal(path).params["line"] == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_wrong_encoding(path: Path, saved: list[bytes], encoding: str) -> None:
    path.write_bytes(b"".join(saved).decode().encode(encoding))
    assert refusal(path).params["line"] == 1


def test_another_games_actions(path: Path, saved: list[bytes], record: Record) -> None:
    other = Record.new(load_game("gpt", shield_mode="chosen", decks=DECKS), seed=1)
    play_on(other, 6).save(path)
    lines = path.read_bytes().splitlines(keepends=True)
    inner = refused_line(path, 2, [saved[0], *lines[1:]], lines[1].strip())
    assert inner.text().startswith('"shield ')
    assert inner.text().endswith('" is not possible now: both play a card from the hand. [G9]')


# -------------------------------------------------------------------------------------- truncation


def test_every_beginning_of_a_file_loads_or_says_why(path: Path, record: Record) -> None:
    """A file cut at any byte: within the header an error, later a warning and the whole lines."""
    record.undo(7)
    record.save(path)
    text = path.read_bytes()
    header = text.index(b"\n")
    for cut in range(len(text)):
        path.write_bytes(text[:cut])
        if cut < header:
            refusal(path)
            continue
        loaded = Record.load(path)
        whole = text[:cut].count(b"\n") - 1
        if text[cut : cut + 1] == b"\n":
            # Only the newline is missing: the line is whole.
            whole += 1
        assert loaded.actions == record.actions[:whole]
        assert (loaded.warning is None) == (text[:cut].endswith(b"\n") or text[cut] == 0x0A)
        loaded.attach(path)
        assert path.read_bytes() == b"".join(text.splitlines(keepends=True)[: whole + 1])


@pytest.mark.parametrize("tail", [b'{"player": 0, "act', b"\0" * 500, b"\xff\xfe", b"{}", b"7"])
def test_a_last_line_that_is_cut_short(
    path: Path, saved: list[bytes], record: Record, tail: bytes
) -> None:
    path.write_bytes(b"".join(saved) + tail)
    loaded = Record.load(path)
    assert loaded.actions == record.actions
    assert isinstance(loaded.warning, RecordError)
    assert loaded.warning.text() == (
        f"Line 14 of {path}, the last one, is cut short and was left out; "
        "the 12 actions before it are complete."
    )
    assert loaded.warning.text("ja") == (
        f"{path} の最後の行（14 行目）は途中で切れているので除きました。"
        "それまでの 12 手は使えます。"
    )
    assert path.read_bytes().endswith(tail)
    loaded.attach(path)
    play_on(loaded)
    assert Record.load(path).actions == loaded.actions
    assert Record.load(path).warning is None


def test_a_whole_last_line_that_is_wrong_is_not_cut_short(path: Path, saved: list[bytes]) -> None:
    path.write_bytes(b"".join(saved) + b'{"player": 0, "action": "strike 9"}')
    assert refusal(path).params["line"] == 14


# --------------------------------------------------------------------------- places without a file


def refused_places(record: Record, path: Path) -> Iterator[RecordError]:
    for use in (record.save, record.attach):
        with pytest.raises(RecordError) as caught:
            use(path)
        assert record.path is None
        yield caught.value


def test_a_folder_instead_of_a_file(tmp_path: Path, record: Record) -> None:
    error = refusal(tmp_path)
    assert error.text() == f"{tmp_path} cannot be read: it is a folder, not a file."
    assert error.text("ja") == f"{tmp_path} を読めません：ファイルではなくフォルダーです。"
    save, attach = refused_places(record, tmp_path)
    assert save.text() == (
        f"{tmp_path} cannot be written, and nothing was changed: it is a folder, not a file."
    )
    assert attach.text() == error.text()
    assert list(tmp_path.iterdir()) == []


def test_no_such_file_or_folder(path: Path, record: Record) -> None:
    error = refusal(path)
    assert error.text() == f"{path} cannot be read: there is no such file or folder."
    assert error.text("ja") == f"{path} を読めません：そのファイルまたはフォルダーがありません。"
    below = path / "deeper" / "game.jsonl"
    for error in refused_places(record, below):
        assert error.text() == (
            f"{below} cannot be written, and nothing was changed: there is no such file or folder."
        )
        assert error.text("ja") == (
            f"{below} に書き込めません。何も変わっていません："
            "そのファイルまたはフォルダーがありません。"
        )
    path.write_text("a file, not a folder")
    for error in refused_places(record, path / "game.jsonl"):
        assert "there is no such file or folder" in error.text()


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are only ordinary files here")
def test_what_is_no_ordinary_file_is_neither_read_nor_replaced(
    tmp_path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a device: /dev/null as an ordinary file would be a nuisance."""
    monkeypatch.chdir(tmp_path)  # A socket's name must be short.
    with socket.socket(socket.AF_UNIX) as device:
        device.bind("device")
        path = tmp_path / "device"
        assert refusal(path).text() == f"{path} cannot be read: it is a device, not a file."
        for error in refused_places(record, path):
            assert error.text("ja").endswith("ファイルではなくデバイスです。")
        assert path.is_socket()


@contextmanager
def without_superpowers() -> Iterator[None]:
    """The superuser may write anywhere, so somebody else does it."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.name == "nt", reason="folders have no such rights there")
def test_a_read_only_folder(record: Record) -> None:
    # Not pytest's own folder, which only its owner may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, other = folder / "game.jsonl", folder / "other.jsonl"
        record.save(path)
        path.chmod(0o444)
        folder.chmod(0o555)
        with without_superpowers():
            loaded = Record.load(path)
            refused = [*refused_places(loaded, other)]
            loaded.attach(path)  # It holds this very record, so there is nothing to write yet,
            with pytest.raises(RecordError) as caught:
                loaded.append(loaded.state.legal_actions()[0])
        for error, file in ((refused[0], other), (refused[1], other), (caught.value, path)):
            assert error.text() == (
                f"{file} cannot be written, and nothing was changed: "
                "permission is missing, or the place is read-only."
            )
            assert error.text("ja") == (
                f"{file} に書き込めません。何も変わっていません："
                "権限がないか、書き込み禁止の場所です。"
            )
        assert loaded.actions == record.actions
        folder.chmod(0o755)
        assert Record.load(path).actions == record.actions
        assert list(folder.iterdir()) == [path]


# ------------------------------------------------------------------------------------- a full disk


def assert_full(error: RecordError) -> None:
    assert error.text().endswith(
        "cannot be written, and nothing was changed: there is no space left."
    )
    assert error.text("ja").endswith("何も変わっていません：空き容量がありません。")


def fills_up(record: Record, path: Path) -> None:
    """Append to a disk with little room until it is full: nothing is lost, and it can go on."""
    rng = random.Random(1)
    error = None
    while error is None:
        before, text = record.state, path.read_bytes()
        try:
            record.append(rng.choice(record.state.legal_actions()))
        except RecordError as full:
            error = full
    assert_full(error)
    assert record.state == before
    assert path.read_bytes() == text
    assert Record.load(path).state == before
    # An undo needs no room.
    record.undo(3)
    assert Record.load(path).actions == record.actions
    # A save that does not fit leaves the old file.
    with pytest.raises(RecordError) as caught:
        play_on(Record.load(path)).save(path)
    assert_full(caught.value)
    assert Record.load(path).actions == record.actions
    record.append(record.state.legal_actions()[0])
    assert Record.load(path).actions == record.actions


def test_a_file_that_may_not_grow(path: Path) -> None:
    """The system's limit on the size of a file cuts a write off in the middle."""
    resource = pytest.importorskip("resource", reason="there are no such limits here")
    record = Record.new(load_game("gpt", decks=DECKS), seed=1)
    record.attach(path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 300, hard))
    try:
        fills_up(record, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(path.parent.iterdir()) == [path]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    try:
        command = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(disk)]
        mounted = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no command mount here")
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_is_full(small_disk: Path) -> None:
    path = small_disk / "game.jsonl"
    # Such a long name that the few bytes left in the file's last block do not suffice.
    record = Record.new(load_game("gpt"), seed=1, seats=("a" * 3000, "b"))
    record.attach(path)
    with (small_disk / "ballast").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    fills_up(record, path)
    assert sorted(file.name for file in small_disk.iterdir()) == ["ballast", "game.jsonl"]


class FullFile(io.FileIO):
    """A file on a disk with room for a given number of bytes."""

    room = 0

    def write(self, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(data[: self.room])
        type(self).room -= written
        return written


def test_a_write_that_is_cut_off_is_taken_back(
    path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.attach(path)
    text, state = path.read_bytes(), record.state
    action = record.state.legal_actions()[0]
    real = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *_, **__: FullFile(str(self), "r+"))
    for room in range(20):
        FullFile.room = room
        with pytest.raises(RecordError) as caught:
            record.append(action)
        assert_full(caught.value)
        assert record.state == state
        assert path.read_bytes() == text
    monkeypatch.setattr(Path, "open", real)
    record.append(action)
    assert Record.load(path).actions == record.actions


def test_what_is_written_is_on_the_disk(
    path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system is asked to write a file out before its name changes, and then its folder."""
    synced: list[tuple[str, bytes]] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        place = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((place.name, place.read_bytes() if place.is_file() else b""))
        real(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("there is no /proc here")
    monkeypatch.setattr(os, "fsync", fsync)
    record.save(path)
    (scratch, text), (folder, _) = synced
    assert scratch.endswith(".tmp")
    assert text == path.read_bytes()
    assert folder == path.parent.name
    record.attach(path)
    for change in (lambda: record.append(record.state.legal_actions()[0]), record.undo):
        synced.clear()
        change()
        assert synced == [(path.name, path.read_bytes())]


@pytest.mark.parametrize("code", [errno.EIO, errno.EINTR])
def test_a_disk_that_fails_says_what_the_system_says(
    path: Path, record: Record, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    record.attach(path)
    text, state = path.read_bytes(), record.state

    def fail(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    for use in (lambda: record.append(state.legal_actions()[0]), lambda: record.save(path)):
        with pytest.raises(RecordError, match=os.strerror(code)):
            use()
        assert path.read_bytes() == text
        assert record.state == state
        assert list(path.parent.iterdir()) == [path]


def test_an_interruption_while_writing_loses_nothing(
    path: Path, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.attach(path)
    text, state = path.read_bytes(), record.state

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupt)
        for use in (lambda: record.append(state.legal_actions()[0]), lambda: record.save(path)):
            with pytest.raises(KeyboardInterrupt):
                use()
            assert path.read_bytes() == text
            assert record.state == state
    play_on(record)
    assert Record.load(path).actions == record.actions
