"""A played game as a file: save, load, replay, resume.

A record is JSON Lines in UTF-8. The first line is the header, from which the same game starts
again; each further line is one action, in the notation of :meth:`Game.parse_action`::

    {"cardlab": "0.1.0", "format": 1, "game": "gpt", "rules": {...}, "setup": null, "seed": 7,
     "seats": ["human", "careful"]}
    {"player": 0, "action": "pick Ks"}

(the header is one line, too). ``setup`` holds the options that are no rules, such as decks that
were handed in. Nothing else is needed: loading plays the actions again, and so does undoing.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import SEEK_END, FileIO
from pathlib import Path
from typing import Any, Self

from cardlab import __version__
from cardlab.engine import Action, Event, Game, Observation, State
from cardlab.errors import CardlabError, RecordError, RulesError
from cardlab.games import load_game

FORMAT = 1
"""The newest format that this version reads, and the one that it writes."""

_HEADER = ("cardlab", "format", "game", "rules", "setup", "seed", "seats")
_ACTION = ("player", "action")


class Record:
    """A game with the actions that were taken in it, kept in a file if one is attached.

    Make one with :meth:`new` or :meth:`load`.

    >>> from cardlab import load_game
    >>> record = Record.new(load_game("gpt"), seed=1, seats=("Alice", "careful"))
    >>> event, = record.append("pick Ks", player=0)
    >>> event.text(names=record.seats)
    'Alice picked K♠ for the deck.'
    >>> record.undo()
    >>> record.actions
    ()

    Attributes
    ----------
    game, seed
        What :meth:`Game.new_initial_state` starts from.
    seats
        Who sits where: the name of a person or of a bot for each seat.
    version
        The version of cardlab that began the record.
    path
        The attached file, or ``None``.
    warning
        What was odd about the file that was loaded, or ``None``: a last line that is cut short.
    """

    def __init__(self, game: Game, seed: int, seats: Sequence[str], version: str) -> None:
        names: tuple[Any, ...] = tuple(seats) if isinstance(seats, list | tuple) else ()
        readable = [isinstance(name, str) and name.isprintable() for name in names]
        if len(names) != game.num_players or not all(readable):
            raise RecordError("record.error.seats", n=game.num_players, value=repr(seats))
        self.game = game
        self.seed = seed
        self.seats = names
        self.version = version
        self.path: Path | None = None
        self.warning: CardlabError | None = None
        self._state = game.new_initial_state(seed)
        self._actions: list[tuple[int, Action]] = []
        self._size = 0  # of the attached file, as this record left it

    @classmethod
    def new(cls, game: Game, seed: int | None = None, seats: Sequence[str] | None = None) -> Self:
        """A record of a game that begins now.

        Parameters
        ----------
        game
            The game under its options.
        seed
            Seed of all chance in it; ``None`` for a fresh one.
        seats
            A name for each seat; by default ``"human"`` and then ``"careful"``.

        Raises :class:`RulesError` for a seed that is no integer, :class:`RecordError` for a wrong
        number of names.
        """
        if seed is None:
            seed = game.new_initial_state().seed
        if seats is None:
            seats = ("human", *["careful"] * (game.num_players - 1))
        return cls(game, seed, seats, __version__)

    @property
    def state(self) -> State:
        """A copy of the position that the actions have led to."""
        return self._state.clone()

    def observation(self, player: int) -> Observation:
        """What a seat sees of that position.

        The same as ``state.observation(player)``, but only what is new in the log is gone through.

        Raises what :meth:`State.observation` raises.
        """
        return self._state.observation(player)

    @property
    def actions(self) -> tuple[tuple[int, Action], ...]:
        """The actions so far: pairs of the seat and what it did."""
        return tuple(self._actions)

    @property
    def header(self) -> dict[str, Any]:
        """The first line of the file, as plain JSON."""
        rules = self.game.rules.to_dict()
        setup = {name: value for name, value in self.game.options().items() if name not in rules}
        return {
            "cardlab": self.version,
            "format": FORMAT,
            "game": self.game.name,
            "rules": rules,
            "setup": setup or None,
            "seed": self.seed,
            "seats": list(self.seats),
        }

    def __repr__(self) -> str:
        place = f" in {self.path}" if self.path else ""
        return f"<record of {self.game!r}, seed {self.seed}, {len(self._actions)} actions{place}>"

    # Playing.

    def append(self, action: Action | str, player: int | None = None) -> tuple[Event, ...]:
        """Let ``player`` (by default the current one) do ``action``; return what happened.

        With an attached file, the action is safe on the disk before this returns.

        Raises what :meth:`State.apply` raises, and :class:`RecordError` when the file cannot be
        written; record and file are then as they were.
        """
        state = self._state.clone()
        seat = state.current_player if player is None else player
        events = state.apply(action, seat)
        assert seat is not None  # apply refuses when nobody is to move
        chosen = action if isinstance(action, Action) else self.game.parse_action(action)
        if self.path is not None:
            line = _action_line(seat, chosen)
            with self._attached() as file:
                _write_at_end(file, line, self._size)
            self._size += len(line)
        self._actions.append((seat, chosen))
        self._state = state
        return events

    def undo(self, n: int = 1) -> None:
        """Take the last ``n`` actions back, by replaying the others; an attached file shrinks.

        Raises :class:`RecordError` when there are fewer, or when the file cannot be changed.
        """
        total = len(self._actions)
        if type(n) is not int or not 0 <= n <= total:
            raise RecordError("record.error.undo", value=repr(n), most=total)
        kept = total - n
        state = self.replay(kept)
        if self.path is not None:
            size = len(self._text(kept))
            with self._attached() as file:
                file.truncate(size)
                os.fsync(file.fileno())
            self._size = size
        del self._actions[kept:]
        self._state = state

    def replay(self, upto: int | None = None) -> State:
        """The position after the first ``upto`` actions (by default all), played again.

        Raises :class:`RecordError` when there are fewer.
        """
        total = len(self._actions)
        if upto is None:
            upto = total
        if type(upto) is not int or not 0 <= upto <= total:
            raise RecordError("record.error.upto", value=repr(upto), most=total)
        state = self.game.new_initial_state(self.seed)
        for player, action in self._actions[:upto]:
            state.apply(action, player)
        return state

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the record to a file, in the place of what it may have held.

        A crash on the way leaves either the old file or the new one.

        Raises :class:`RecordError` when it cannot be written.
        """
        target = _target(path)
        text = self._text()
        _replace(target, text)
        if target == self.path:
            self._size = len(text)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The record in a file, verified by playing it again.

        A last line that is cut short, as a crash leaves it, is left out; ``warning`` says so.

        Raises :class:`RecordError`, which says what is wrong and in which line.
        """
        target = _target(path)
        return cls._parse(_read(target), target)

    def attach(self, path: str | os.PathLike[str]) -> None:
        """Keep the record in a file from now on: each action is added to it, each undo cuts it.

        The file may be a new one, or one that holds the beginning of this record (such as the one
        that it was loaded from): whatever is missing there is written at once, and a last line
        that is cut short is removed.

        Raises :class:`RecordError` when the file holds something else, which :meth:`save` would
        replace, or when it cannot be written.
        """
        target = _target(path)
        text = self._text()
        held = _read(target) if target.exists() else b""
        if held != text:
            if held and not text.startswith(self._parse(held, target)._text()):
                raise RecordError("record.error.other", path=str(target))
            _replace(target, text)
        self.path = target
        self._size = len(text)

    def _text(self, upto: int | None = None) -> bytes:
        actions = [_action_line(player, action) for player, action in self._actions[:upto]]
        return b"".join([_line(self.header), *actions])

    @contextmanager
    def _attached(self) -> Iterator[FileIO]:
        """The attached file, if it is as this record left it."""
        assert self.path is not None
        # Without a buffer, so that what is written is one write.
        with (
            _telling("record.error.write", self.path),
            self.path.open("r+b", buffering=0) as file,
        ):
            if file.seek(0, SEEK_END) != self._size:
                raise RecordError("record.error.changed", path=str(self.path))
            yield file

    @classmethod
    def _parse(cls, data: bytes, path: Path) -> Self:
        *lines, rest = data.split(b"\n")
        cut_short = bool(lines) and bool(rest.strip()) and not _is_object(rest)
        if rest.strip() and not cut_short:
            lines.append(rest)
        if not lines:
            raise RecordError("record.error.empty", path=str(path), allowed=_HEADER)
        with _in_line(1, path):
            record = cls._from_header(_object(lines[0], _HEADER))
        for number, line in enumerate(lines[1:], start=2):
            with _in_line(number, path):
                record._add(_object(line, _ACTION))
        if cut_short:
            record.warning = RecordError(
                "record.warning.cut_short", path=str(path), line=len(lines) + 1, n=len(lines) - 1
            )
        return record

    @classmethod
    def _from_header(cls, header: Mapping[str, Any]) -> Self:
        written = header.get("format", FORMAT)
        if type(written) is not int or not 1 <= written <= FORMAT:
            raise RecordError(
                "record.error.format",
                value=repr(written),
                version=str(header.get("cardlab")),
                own=__version__,
                known=FORMAT,
            )
        _check_entries(header, _HEADER)
        rules, setup = header["rules"], header["setup"]
        if setup is None:
            setup = {}
        for entry, value in (("rules", rules), ("setup", setup)):
            if not isinstance(value, dict):
                raise RecordError("record.error.options", entry=entry, value=repr(value))
        if header["seed"] is None:
            raise RulesError("core.error.seed", value="null")
        game = load_game(header["game"], **rules | setup)
        return cls(game, header["seed"], header["seats"], str(header["cardlab"]))

    def _add(self, entry: Mapping[str, Any]) -> None:
        _check_entries(entry, _ACTION)
        player = entry["player"]
        if player is None:
            raise RulesError("core.error.seat", value="null", n=self.game.num_players)
        action = self.game.parse_action(entry["action"])
        self._state.apply(action, player)
        self._actions.append((player, action))


# ------------------------------------------------------------------------------------------- lines


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _action_line(player: int, action: Action) -> bytes:
    return _line({"player": player, "action": str(action)})


def _object(line: bytes, entries: Sequence[str]) -> dict[str, Any]:
    try:
        entry = json.loads(line.decode())
    except UnicodeDecodeError:
        raise RecordError("record.error.encoding") from None
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict):
        raise RecordError("record.error.object", allowed=entries)
    return entry


def _is_object(line: bytes) -> bool:
    # No beginning of a JSON object is one itself, so this tells a whole line from one cut short.
    try:
        return bool(_object(line, ()))
    except RecordError:
        return False


def _check_entries(entry: Mapping[str, Any], allowed: Sequence[str]) -> None:
    if set(entry) != set(allowed):
        raise RecordError("record.error.entries", found=list(entry), allowed=allowed)


@contextmanager
def _in_line(number: int, path: Path) -> Iterator[None]:
    try:
        yield
    except CardlabError as error:
        raise RecordError("record.error.line", path=str(path), line=number, error=error) from None


# ------------------------------------------------------------------------------------------- files


def _target(path: str | os.PathLike[str]) -> Path:
    # A link stays a link: it is what it leads to that is written.
    return Path(os.path.realpath(path))


def _read(path: Path) -> bytes:
    with _telling("record.error.read", path):
        _check_ordinary(path)
        return path.read_bytes()


def _replace(path: Path, data: bytes) -> None:
    """Put ``data`` in the place of a file: a crash leaves either the old one or the new one."""
    scratch = path.with_name(f".cardlab-{secrets.token_hex(8)}.tmp")
    with _telling("record.error.write", path):
        _check_ordinary(path)
        try:
            with scratch.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if path.exists():
                shutil.copymode(path, scratch)
            scratch.replace(path)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
    # The new name is safe when its folder is. Windows cannot open a folder, and need not.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write_at_end(file: FileIO, line: bytes, size: int) -> None:
    """Add a line, all of it or nothing."""
    try:
        if file.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file.fileno())
    except BaseException:
        file.truncate(size)
        raise


def _check_ordinary(path: Path) -> None:
    # To replace a device by a file, or to wait for what one sends, would be a disaster.
    if path.exists() and not path.is_file():
        raise OSError(errno.EISDIR if path.is_dir() else errno.ENOTSUP, "")


@contextmanager
def _telling(key: str, path: Path) -> Iterator[None]:
    """Turn the system's refusals into one of ours."""
    try:
        yield
    except OSError as error:
        known = _REASONS.get(error.errno or 0)
        reason = RecordError(f"record.reason.{known}") if known else str(error.strerror or error)
        raise RecordError(key, path=str(path), reason=reason) from error


_REASONS = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.EISDIR: "folder",
    errno.ENOTSUP: "not_a_file",
    errno.EACCES: "forbidden",
    errno.EPERM: "forbidden",
    errno.EROFS: "forbidden",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
}
