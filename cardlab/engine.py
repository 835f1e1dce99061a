"""The one shape that every game has: Game, State, Action, Event, Observation.

The names are OpenSpiel's. A :class:`Game` knows its rules and makes a :class:`State`; a state
offers actions to the seats that owe a decision, applies the one that is chosen and tells in
:class:`Event` objects what happened. A seat, be it a person, a bot or an adapter, sees a state only
through its :class:`Observation`.
"""

from __future__ import annotations

import json
import random
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, NoReturn, Self, TypeVar

from cardlab import cards, chance, locale
from cardlab.cards import UNKNOWN, Card
from cardlab.errors import (
    CardlabError,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
)

T = TypeVar("T")

END = "end"
"""The phase of every game that is over."""


# ---------------------------------------------------------------------------------------- options


def choice(*allowed: str) -> Any:
    """An option of a :class:`Rules` class: one of ``allowed``, the first by default."""
    return field(default=allowed[0], metadata={"choices": allowed})


def number(default: int | None, low: int, high: int) -> Any:
    """An option of a :class:`Rules` class: an integer from ``low`` to ``high``.

    An option whose default is ``None`` (no such number) may be set to ``None``, too.
    """
    return field(default=default, metadata={"range": (low, high)})


def numbers(default: tuple[int, ...], low: int, high: int, length: tuple[int, int]) -> Any:
    """An option of a :class:`Rules` class: a tuple of integers from ``low`` to ``high``.

    ``length`` says how few and how many they may be. A list is read as a tuple, as JSON has none.
    """
    return field(default=default, metadata={"range": (low, high), "length": length})


def flag(default: bool) -> Any:
    """An option of a :class:`Rules` class: yes or no."""
    return field(default=default, metadata={"choices": (False, True)})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The options of one game: a frozen dataclass whose fields are checked when it is made.

    Fields come from :func:`choice`, :func:`number`, :func:`numbers` and :func:`flag`, so that
    whoever shows the options to a person finds the allowed values in
    ``dataclasses.fields(rules)``.
    """

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if "length" in option.metadata:
                self._check_numbers(option.name, value, option.metadata)
            elif "range" in option.metadata:
                low, high = option.metadata["range"]
                optional = option.default is None
                if optional and value is None:
                    continue
                if type(value) is not int or not low <= value <= high:
                    raise RulesError(
                        "core.error.option_optional" if optional else "core.error.option_range",
                        option=option.name,
                        value=repr(value),
                        low=low,
                        high=high,
                    )
            elif (type(value), value) not in [(type(c), c) for c in option.metadata["choices"]]:
                raise RulesError(
                    "core.error.option_choice",
                    option=option.name,
                    value=repr(value),
                    allowed=[repr(c) for c in option.metadata["choices"]],
                )

    def _check_numbers(self, name: str, value: Any, metadata: Mapping[str, Any]) -> None:
        (low, high), (fewest, most) = metadata["range"], metadata["length"]
        if isinstance(value, list):
            value = tuple(value)
            object.__setattr__(self, name, value)
        if not (
            isinstance(value, tuple)
            and fewest <= len(value) <= most
            and all(type(each) is int and low <= each <= high for each in value)
        ):
            raise RulesError(
                "core.error.option_numbers",
                option=name,
                value=repr(value),
                fewest=fewest,
                most=most,
                low=low,
                high=high,
            )

    def to_dict(self) -> dict[str, Any]:
        """The options as plain JSON."""
        return {option.name: _plain(getattr(self, option.name)) for option in fields(self)}


# ---------------------------------------------------------------------------------------- actions


Argument = Card | int | str | tuple[Card, ...] | None


@dataclass(frozen=True, slots=True)
class Action:
    """What a seat decides: a kind and what it is about.

    ``str(action)`` is its notation, which :meth:`Game.parse_action` reads back.

    >>> str(Action("play", Card.parse("K♠"))), str(Action("strike", 2))
    ('play Ks', 'strike 2')
    """

    kind: str
    arg: Argument = None

    def __str__(self) -> str:
        return " ".join([self.kind, *_words(self.arg)])


def _words(arg: Argument) -> list[str]:
    if arg is None:
        return []
    if isinstance(arg, tuple):
        return [card.ascii for card in arg]
    return [arg.ascii if isinstance(arg, Card) else str(arg)]


# ----------------------------------------------------------------------------------------- events


class _ReadOnly(dict[str, Any]):
    """The data of an event as it is shown: nobody who looks can change it for others."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("the data of an event cannot be changed")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return _ReadOnly, (dict(self),)


_NO_DATA: Mapping[str, Any] = _ReadOnly()


class Event(NamedTuple):
    """One thing that happened, with the number of the rule that made it happen.

    Attributes
    ----------
    kind
        Key of its sentence in the catalogues, such as ``"gpt.clash"``.
    rule
        Rule number, such as ``"G10"``.
    player
        The seat that did it, if a seat did.
    data
        What the sentence speaks of: cards, slots, numbers. Not to be changed.
    seen_by
        The only seat that may see ``data``; ``None`` when everybody may.
    """

    kind: str
    rule: str
    player: int | None = None
    data: Mapping[str, Any] = _NO_DATA
    seen_by: int | None = None

    def seen_from(self, player: int) -> Event:
        """The event as ``player`` may see it: a secret keeps its kind and loses its data.

        What is left of the data cannot be changed.
        """
        kind, rule, doer, data, seen_by = self
        is_seen = seen_by is None or seen_by == player
        return _new_event((kind, rule, doer, _ReadOnly(data) if is_seen else _NO_DATA, seen_by))

    def text(self, lang: str = "en", names: Sequence[str] | None = None) -> str:
        """The event in words; ``names`` are the seats' names.

        An event whose ``choice`` is a word (``"none"``) has a sentence of its own for that word.
        """
        params = dict(self.data)
        for key, seat in (("player", self.player), ("target", self.data.get("target"))):
            if seat is not None:
                params[key] = seat_name(seat, lang, names)
        key = self.kind
        if self.seen_by is not None and not self.data:
            key += ".hidden"
        elif isinstance(self.data.get("choice"), str):
            key += f".{self.data['choice']}"
        return locale.text(key, lang, **params)

    def to_dict(self) -> dict[str, Any]:
        """The event as plain JSON."""
        kind, rule, player, data, seen_by = self
        return {
            "kind": kind,
            "rule": rule,
            "player": player,
            "data": {key: _plain(value) for key, value in data.items()},
            "seen_by": seen_by,
        }


_new_event: Callable[[tuple[str, str, int | None, Mapping[str, Any], int | None]], Event]
_new_event = partial(tuple.__new__, Event)
"""An event from all its fields, at half the cost of ``Event``: for what happens at every choice."""


def seat_name(seat: int, lang: str, names: Sequence[str] | None = None) -> str:
    """The name of a seat: from ``names``, or "Player 1" in the language ``lang``."""
    return names[seat] if names is not None else locale.text("core.seat", lang, seat=seat)


def _plain(value: Any) -> Any:
    # Most values are numbers and words.
    if value.__class__ in _PLAIN_ALREADY:
        return value
    if isinstance(value, Card):
        return value.ascii
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


_PLAIN_ALREADY = frozenset({int, str, bool, float, type(None)})


def shared_win(winners: Iterable[int], seats: int) -> tuple[float, ...]:
    """The results when ``winners`` share the win in a game of so many seats.

    They sum to zero, a sole winner has +1, and a win shared by all is worth nothing.

    >>> shared_win([0], 3), shared_win([0, 2], 3)
    ((1.0, -0.5, -0.5), (0.25, -0.5, 0.25))
    """
    winning = {*winners}
    won, lost = seats / len(winning) - 1, -1.0
    return tuple([(won if seat in winning else lost) / (seats - 1) for seat in range(seats)])


# ------------------------------------------------------------------------------------ observation


Zones = Mapping[str, tuple[Card | None, ...]]


def _plain_zones(zones: Mapping[str, Iterable[Card | None]]) -> dict[str, list[str | None]]:
    return {zone: cards.ascii(content) for zone, content in zones.items()}


@dataclass(frozen=True, slots=True)
class Observation:
    """All that one seat may see of a state, and nothing else.

    Attributes
    ----------
    game, rules
        Name and options of the game.
    player
        The seat that looks.
    phase, turn, to_move
        As in the state.
    players
        For each seat its zones by name. A card whose face cannot be seen is ``UNKNOWN``, an empty
        place (a shield that is gone) is ``None``.
    table
        The zones that belong to no seat, such as a common stock.
    out
        Cards that have left the game, in the order in which they left.
    public
        What else everybody knows: the state's fields named in ``State.PUBLIC``.
    pending
        The seat's own choice in a simultaneous step that is not yet complete.
    result
        The returns of every seat when the game is over, else ``None``.
    log
        The events as the seat saw them.
    """

    game: str
    rules: Rules
    player: int
    phase: str
    turn: int
    to_move: tuple[int, ...]
    players: tuple[Zones, ...]
    table: Zones
    out: tuple[Card, ...]
    public: Mapping[str, Any]
    pending: Action | None
    result: tuple[float, ...] | None
    log: tuple[Event, ...]

    @property
    def hand(self) -> tuple[Card, ...]:
        """The seat's own hand."""
        return tuple(card for card in self.players[self.player]["hand"] if card is not None)

    def to_dict(self) -> dict[str, Any]:
        """The observation as plain JSON: a position with ``"?"`` for hidden cards."""
        return {
            "game": self.game,
            "rules": self.rules.to_dict(),
            "player": self.player,
            "phase": self.phase,
            "turn": self.turn,
            "to_move": list(self.to_move),
            "players": [_plain_zones(zones) for zones in self.players],
            "table": _plain_zones(self.table),
            "out": cards.ascii(self.out),
            **{name: _plain(value) for name, value in self.public.items()},
            "pending": self.pending and str(self.pending),
            "result": self.result and list(self.result),
            "log": [event.to_dict() for event in self.log],
        }

    def to_json(self) -> str:
        """The observation as one line of JSON, the same for equal observations to the byte."""
        return json.dumps(self.to_dict(), sort_keys=True)


# ------------------------------------------------------------------------------------------ state


class Seat:
    """The zones of a seat (or of the table): a list of cards for each name in ``__slots__``.

    The top of a pile is its last card; ``None`` stands for an empty place.
    """

    __slots__: tuple[str, ...] = ()

    _contents: Any = property(lambda _: ())
    """The zones without their names, to be compared with those of another seat."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__slots__:
            cls._contents = property(attrgetter(*cls.__slots__))

    def __init__(self) -> None:
        for zone in self.__slots__:
            setattr(self, zone, [])

    def zones(self) -> dict[str, list[Card | None]]:
        """The zones by name; the lists are the seat's own."""
        return {zone: getattr(self, zone) for zone in self.__slots__}

    def copy(self) -> Self:
        """A seat with the same cards in lists of its own."""
        twin = object.__new__(type(self))
        for zone in self.__slots__:
            setattr(twin, zone, getattr(self, zone).copy())
        return twin


class Commit(NamedTuple):
    """How a secret choice of a simultaneous step enters the log.

    ``stays_secret`` says that it is not shown when the step is complete either.
    """

    kind: str
    rule: str
    name: str
    stays_secret: bool = False


class State(ABC):
    """A position of a game, changed only by :meth:`apply`.

    A game's own state class says which zones a seat has and who sees them, offers the legal actions
    and carries them out; everything else is here.
    """

    TOGETHER: ClassVar[Mapping[str, Commit]] = {}
    """The phases in which seats choose together, and how a choice enters the log."""

    PUBLIC: ClassVar[Mapping[str, Any]] = {}
    """A game's own public fields and their first values, none of which can be changed in place."""

    __slots__ = (
        "_log",
        "_told",
        "game",
        "out",
        "pending",
        "phase",
        "players",
        "result",
        "seed",
        "shuffles",
        "table",
        "to_move",
        "turn",
    )

    game: Any
    players: list[Any]

    _values: Any
    """All that makes a position but its game, its cards and its choices."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = ("phase", "turn", "to_move", "result", "seed", "shuffles")
        cls._values = property(attrgetter(*own, *cls.PUBLIC))

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.shuffles = 0
        self.phase = ""
        self.turn = 0
        self.to_move: tuple[int, ...] = ()
        self.players = [game.seat_class() for _ in range(game.num_players)]
        self.table: Any = game.table_class()
        self.out: list[Card] = []
        self.pending: list[Action | None] = [None] * game.num_players
        self.result: tuple[float, ...] | None = None
        self._log: list[Event] = []
        # What each seat has seen of the log, which only grows: nothing is looked at twice.
        self._told: list[tuple[Event, ...]] = [()] * game.num_players
        for name, value in self.PUBLIC.items():
            setattr(self, name, value)

    # What a game fills in.

    @abstractmethod
    def _set_up(self, events: list[Event]) -> None:
        """Bring a fresh state to its first decision."""

    @abstractmethod
    def _legal(self, player: int) -> list[Action]:
        """The legal actions of a seat that owes a decision."""

    @abstractmethod
    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        """Why the action is not allowed, or ``None``; agrees with :meth:`_legal`."""

    @abstractmethod
    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        """Carry out the choices of a simultaneous step, ``None`` for a seat that had none."""

    @abstractmethod
    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        """Carry out a legal action of a phase in which one seat decides alone."""

    @abstractmethod
    def _owed(self) -> tuple[int, ...]:
        """The seats that owe a decision, from the phase, the zones and ``pending`` alone."""

    @abstractmethod
    def _check(self) -> None:
        """Raise :class:`PositionError` unless the position is one that the game can have."""

    @abstractmethod
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        """Whether ``viewer`` sees the faces of a zone of ``owner``, or of the table (``None``)."""

    @abstractmethod
    def scores(self) -> list[int]:
        """The game's own points of each seat."""

    # What every game has.

    @property
    def current_player(self) -> int | None:
        """The first seat that owes a decision; ``None`` at the end."""
        return self.to_move[0] if self.to_move else None

    @property
    def log(self) -> tuple[Event, ...]:
        """All events so far, secrets included."""
        return tuple(self._log)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.result is not None

    def returns(self) -> list[float]:
        """The result of each seat, zero in sum: +1 for a win, -1 for a loss; 0 while undecided."""
        return [0.0] * len(self.players) if self.result is None else list(self.result)

    def turns_played(self) -> int:
        """The number of turns of the whole game; not ``turn`` if each round counts its own."""
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[Action]:
        """The actions that ``player`` (by default the current one) may choose from now.

        Empty for a seat that owes no decision. Raises :class:`RulesError` for one that does not
        exist.
        """
        if player is None:
            if not self.to_move:
                return []
            player = self.to_move[0]
        if player.__class__ is int and player in self.to_move:
            return self._legal(player)
        self._check_seat(player)
        return []

    def apply(self, action: Action | str, player: int | None = None) -> tuple[Event, ...]:
        """Let ``player`` (by default the current one) do ``action``; return what happened.

        In a simultaneous step the choice stays hidden until the last seat has chosen. ``action``
        may be given in notation.

        Raises :class:`IllegalActionError`, which says why and cites the rule,
        :class:`NotationError` for text that is no action, and :class:`RulesError` for a seat that
        does not exist; the state is then unchanged.
        """
        to_move = self.to_move
        if player is None and to_move:
            player = to_move[0]
        if player.__class__ is not int or player not in to_move:
            self._not_to_move(player)
        chosen: Action = action if isinstance(action, Action) else self.game.parse_action(action)
        refusal = self._refusal(chosen, player)
        if refusal is not None:
            raise refusal
        events: list[Event] = []
        commit = self.TOGETHER.get(self.phase)
        if commit is None:
            self._step(chosen, player, events)
        else:
            self.pending[player] = chosen
            kind, rule, name, _ = commit
            events.append(_new_event((kind, rule, player, {name: chosen.arg}, player)))
            undecided = list(to_move)
            undecided.remove(player)
            self.to_move = tuple(undecided)
            if not undecided:
                choices, self.pending = self.pending, [None] * len(self.pending)
                self._resolve(choices, events)
        self._log += events
        return tuple(events)

    def _not_to_move(self, player: int | None) -> NoReturn:
        if player is not None:
            self._check_seat(player)
        if player is None or not self.to_move:
            raise IllegalActionError("core.error.game_over")
        raise IllegalActionError(
            "core.error.not_to_move",
            player=player + 1,
            allowed=[seat + 1 for seat in self.to_move],
        )

    def _check_seat(self, player: int) -> None:
        # True and 1.0 equal 1, but they are no seats.
        if player.__class__ is not int or not 0 <= player < len(self.players):
            raise RulesError("core.error.seat", value=repr(player), n=len(self.players))

    def _recall(self, observation: Observation) -> None:
        """Take over what an observation says of all seats alike; zones and choices are to be dealt.

        For :meth:`Game.resample`.
        """
        self.phase, self.turn = observation.phase, observation.turn
        self.to_move, self.result = observation.to_move, observation.result
        self.out = list(observation.out)
        self._log = list(observation.log)
        for name, value in observation.public.items():
            setattr(self, name, value)

    def observation(self, player: int) -> Observation:
        """What ``player`` may see: the only gate between a state and a seat.

        Raises :class:`RulesError` for a seat that does not exist.
        """
        self._check_seat(player)
        return Observation(
            game=self.game.name,
            rules=self.game.rules,
            player=player,
            phase=self.phase,
            turn=self.turn,
            to_move=self.to_move,
            players=tuple(
                [self._seen(player, owner, seat) for owner, seat in enumerate(self.players)]
            ),
            table=self._seen(player, None, self.table),
            out=tuple(self.out),
            public={name: getattr(self, name) for name in self.PUBLIC},
            pending=self.pending[player],
            result=self.result,
            log=self._seen_log(player),
        )

    def _seen_log(self, player: int) -> tuple[Event, ...]:
        told = self._told[player]
        if len(told) < len(self._log):
            told += tuple([event.seen_from(player) for event in self._log[len(told) :]])
            self._told[player] = told
        return told

    def _seen(self, viewer: int, owner: int | None, seat: Seat) -> Zones:
        return {
            zone: tuple(content)
            if self._sees(viewer, owner, zone)
            else tuple([card and UNKNOWN for card in content])
            for zone, content in seat.zones().items()
        }

    def clone(self) -> Self:
        """An independent copy; neither moves the other's chance."""
        twin = object.__new__(type(self))
        twin.game = self.game
        twin.seed = self.seed
        twin.shuffles = self.shuffles
        twin.phase = self.phase
        twin.turn = self.turn
        twin.to_move = self.to_move
        twin.players = [seat.copy() for seat in self.players]
        twin.table = self.table.copy()
        twin.out = self.out.copy()
        twin.pending = self.pending.copy()
        twin.result = self.result
        twin._log = self._log.copy()
        twin._told = self._told.copy()
        for name in self.PUBLIC:
            setattr(twin, name, getattr(self, name))
        return twin

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: object) -> Self:
        return self.clone()

    def to_dict(self) -> dict[str, Any]:
        """The whole position, secrets, seed and log included, as plain JSON."""
        return {
            "game": self.game.name,
            "rules": self.game.rules.to_dict(),
            "phase": self.phase,
            "turn": self.turn,
            "to_move": list(self.to_move),
            "players": [_plain_zones(seat.zones()) for seat in self.players],
            "table": _plain_zones(self.table.zones()),
            "out": cards.ascii(self.out),
            **{name: _plain(getattr(self, name)) for name in self.PUBLIC},
            "pending": [action and str(action) for action in self.pending],
            "result": self.result and list(self.result),
            "seed": self.seed,
            "shuffles": self.shuffles,
            "log": [event.to_dict() for event in self._log],
        }

    def __eq__(self, other: object) -> bool:
        """Whether both are the same position with the same chances, however it came about."""
        if not isinstance(other, State):
            return False
        mine, others = self.game, other.game
        return (
            (mine is others or (mine.name, mine.rules) == (others.name, others.rules))
            and self._values == other._values
            and self.out == other.out
            and self.pending == other.pending
            and self.table._contents == other.table._contents
            and [seat._contents for seat in self.players]
            == [seat._contents for seat in other.players]
        )

    def __hash__(self) -> int:
        zones = [zone for seat in (*self.players, self.table) for zone in seat.zones().values()]
        cards_and_choices = tuple(map(tuple, [*zones, self.out, self.pending]))
        return hash((self._values, self.game.name, self.game.rules, cards_and_choices))

    def __repr__(self) -> str:
        return f"<{self.game.name} turn {self.turn}, {self.phase}, to move {self.to_move}>"

    def _shuffle(self, pile: list[Any]) -> None:
        chance.shuffle(pile, self.seed, self.shuffles)
        self.shuffles += 1

    def _finish(self, result: Iterable[float]) -> None:
        self.result = tuple(result)
        self.phase = END
        self.to_move = ()


# ------------------------------------------------------------------------------------------- game


class Game(ABC):
    """The rules of one game under one set of options.

    Attributes
    ----------
    name
        As :func:`cardlab.load_game` knows it.
    rules
        The options, a frozen dataclass.
    num_players
        Number of seats.
    actions
        Every action there is; an action's place is its integer code.
    max_turns
        More turns than this no game has; ``None`` where that is not known.
    """

    name: ClassVar[str]
    rules_class: ClassVar[type[Rules]]
    state_class: ClassVar[type[State]]
    seat_class: ClassVar[type[Seat]]
    table_class: ClassVar[type[Seat]] = Seat
    phases: ClassVar[tuple[str, ...]]

    rules: Any
    num_players: int
    actions: tuple[Action, ...]
    max_turns: int | None = None

    _last: tuple[Observation, Any] | None = None

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.actions = tuple(self._actions())
        self._codes = {action: code for code, action in enumerate(self.actions)}

    @classmethod
    def with_options(cls, /, **options: Any) -> Self:
        """The game with the given options; see :func:`cardlab.load_game`."""
        return cls(cls._rules_from(options))

    @classmethod
    def _rules_from(cls, options: Mapping[str, Any], extra: Sequence[str] = ()) -> Any:
        known = [option.name for option in fields(cls.rules_class)]
        for name in options:
            if name not in known:
                raise RulesError(
                    "core.error.option", game=cls.name, option=name, allowed=[*known, *extra]
                )
        return cls.rules_class(**options)

    def setup(self) -> dict[str, Any]:
        """What was handed in besides the rules, such as decks, by the names of the options."""
        return {}

    def options(self) -> dict[str, Any]:
        """What :func:`cardlab.load_game` needs to make this game again, as plain JSON."""
        options: dict[str, Any] = self.rules.to_dict()
        return options | {name: _plain(value) for name, value in self.setup().items()}

    @abstractmethod
    def _actions(self) -> Iterable[Action]:
        """Every action that can occur under these rules, always in the same order."""

    @abstractmethod
    def resample(self, observation: Observation, rng: random.Random) -> State:
        """A full state, drawn uniformly from those that the observation allows."""

    def _about(self, observation: Observation, work_out: Callable[[Observation], T]) -> T:
        """What can be worked out from an observation; of the last one it is kept.

        For :meth:`resample`: a search draws many states from one observation.
        """
        last = self._last
        if last is None or last[0] is not observation:
            # Another thread may put its own observation there, now or a moment later.
            last = self._last = observation, work_out(observation)
        found: T = last[1]
        return found

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the game itself, and nothing of what a seat has seen of one."""
        return {**self.__dict__, "_last": None}

    def new_initial_state(self, seed: int | None = None) -> State:
        """A state at its first decision. The same seed gives the same game, everywhere.

        Raises :class:`RulesError` for a seed that is no integer.
        """
        if seed is None:
            seed = chance.new_seed()
        elif type(seed) is not int:
            raise RulesError("core.error.seed", value=repr(seed))
        state = self.state_class(self, seed)
        state._set_up(state._log)
        return state

    def parse_card(self, text: Card | str) -> Card:
        """A card of this game from its text (or itself).

        Raises :class:`NotationError` for anything else.
        """
        return cards.card(text)

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], Action]:
        """The actions by the words of their notations; many a game is played without any."""
        return {self._words(str(action)): action for action in self.actions}

    def parse_action(self, text: str) -> Action:
        """The action with the notation ``text``; cards may be written as in :meth:`Card.parse`.

        Raises :class:`NotationError` for text that is no action of this game.
        """
        try:
            return self._by_words[self._words(text)]
        except (KeyError, AttributeError, TypeError, ValueError):
            raise self._no_action(str(text)) from None

    def _no_action(self, text: str) -> NotationError:
        """What is wrong with a notation that is none, and what may be written in its place."""
        kind = text.lower().split()[:1]
        alike = [str(action) for action in self.actions if [action.kind] == kind]
        if not alike:
            kinds = sorted({action.kind for action in self.actions})
            return NotationError("core.error.action", value=text, allowed=kinds)
        if len(alike) > 8:
            alike[3:-1] = ["…"]
        return NotationError("core.error.action_of_kind", value=text, allowed=alike)

    def action_code(self, action: Action) -> int:
        """The integer code of an action: its place in ``actions``."""
        return self._codes[action]

    def describe(self, action: Action, lang: str = "en", names: Sequence[str] | None = None) -> str:
        """The action in words; ``names`` are the seats' names.

        One that is about a word has a sentence of its own for it. So has one that is about a seat,
        for its name.
        """
        arg = action.arg
        key = f"{self.name}.action.{action.kind}"
        params: dict[str, Any] = {}
        if names is not None and isinstance(arg, int) and locale.has(f"{key}.seat", lang):
            return locale.text(f"{key}.seat", lang, player=names[arg])
        if isinstance(arg, str):
            key += f".{arg}"
        elif isinstance(arg, Card):
            params = {"card": arg}
        elif isinstance(arg, tuple):
            params = {"cards": arg}
        elif isinstance(arg, int):
            params = {"slot": arg, "n": arg}
        return locale.text(key, lang, **params)

    def state_from_dict(self, position: Mapping[str, Any]) -> State:
        """The state of a position (the inverse of :meth:`State.to_dict`).

        Everything but ``players`` may be left out: the rules are then this game's, the phase and
        turn the first ones of ordinary play, the seed a fresh one and the log empty.

        Raises :class:`PositionError` when the position is not one that the game can have; it names
        what is wrong.
        """
        if not isinstance(position, Mapping):
            raise PositionError("core.position.mapping")
        for key, own in (("game", self.name), ("rules", self.rules.to_dict())):
            if key in position and position[key] != own:
                raise PositionError("core.position.other_game", entry=key, value=str(position[key]))
        state = self.state_class(self, chance.new_seed())
        if "players" not in position:
            raise PositionError("core.position.lacks", entry="players")
        known = state.to_dict()
        for key in position:
            if key not in known:
                raise PositionError("core.position.entry", value=str(key), allowed=list(known))
        try:
            self._fill(state, position)
        except CardlabError as error:
            raise PositionError("core.position.unreadable", error=error) from None
        state._check()
        owed = state._owed()
        if position.get("to_move", owed) not in (owed, list(owed)):
            raise PositionError(
                "core.position.to_move", value=str(position["to_move"]), allowed=str(list(owed))
            )
        state.to_move = owed
        return state

    def _fill(self, state: State, position: Mapping[str, Any]) -> None:
        """Write the position's values into a blank state without judging them."""
        for seat, given in zip(state.players, self._by_seat(position, "players"), strict=True):
            self._fill_zones(seat, given, "players")
        self._fill_zones(state.table, position.get("table", {}), "table")
        state.out = [self._card(item) for item in _list(position.get("out", []), "out")]
        state.phase = position.get("phase", self.phases[0])
        if state.phase not in (*self.phases, END):
            raise PositionError(
                "core.position.phase", value=str(state.phase), allowed=[*self.phases, END]
            )
        state.turn = _integer(position.get("turn", 1), least=1)
        if self.max_turns is not None and state.turn > self.max_turns:
            raise PositionError("core.position.turn", value=state.turn, most=self.max_turns)
        if position.get("pending") is not None:
            state.pending = [
                None if text is None else self.parse_action(text)
                for text in self._by_seat(position, "pending")
            ]
        for name in state.PUBLIC:
            if name in position:
                setattr(state, name, self._unplain(position[name]))
        if position.get("result") is not None:
            state.result = tuple(map(_number, self._by_seat(position, "result")))
        state.seed = _integer(position.get("seed", state.seed))
        state.shuffles = _integer(position.get("shuffles", 0), least=0)
        state._log = [self._event(entry) for entry in _list(position.get("log", []), "log")]

    def _by_seat(self, position: Mapping[str, Any], entry: str) -> Sequence[Any]:
        """An entry that has one item for each seat."""
        items = _list(position[entry], entry)
        if len(items) != self.num_players:
            raise PositionError("core.position.seats", n=self.num_players)
        return items

    def _event(self, entry: Mapping[str, Any]) -> Event:
        """An event from its JSON form."""
        try:
            rule, player, seen_by = entry["rule"], entry["player"], entry["seen_by"]
            if not (
                isinstance(rule, str)
                and self._is_seat_or_none(player)
                and self._is_seat_or_none(seen_by)
            ):
                raise ValueError
            data = {
                key: value if value.__class__ is int else self._unplain(value)
                for key, value in entry["data"].items()
            }
            event = _new_event((entry["kind"], rule, player, data, seen_by))
            _check_words(event)
        except (LookupError, OSError, TypeError, ValueError, AttributeError):
            raise PositionError("core.position.event", value=str(entry)) from None
        return event

    def _is_seat_or_none(self, value: Any) -> bool:
        return value is None or (type(value) is int and 0 <= value < self.num_players)

    def _fill_zones(self, seat: Seat, given: Any, entry: str) -> None:
        zones = seat.zones()
        if not isinstance(given, Mapping):
            raise PositionError("core.position.zones", entry=entry, value=reprlib.repr(given))
        for zone, content in given.items():
            if zone not in zones:
                raise PositionError("core.position.zone", value=str(zone), allowed=list(zones))
            cards_ = [None if item is None else self._card(item) for item in _list(content, zone)]
            setattr(seat, zone, cards_)

    def _card(self, item: Any) -> Card:
        check_card_text(item)
        return self.parse_card(item)

    def _unplain(self, value: Any) -> Any:
        """The value of an event from its JSON form: text that names a card is that card."""
        if isinstance(value, list):
            return tuple([self._unplain(item) for item in value])
        if not isinstance(value, str):
            return value
        try:
            return self.parse_card(value)
        except NotationError:
            return value

    def _words(self, text: str) -> tuple[str, ...]:
        """The words of a notation in one spelling, those after the first in one order."""
        kind, *words = text.lower().split()
        return (kind, *sorted(map(self._spelling, words)))

    def _spelling(self, word: str) -> str:
        try:
            return self.parse_card(word).ascii
        except NotationError:
            return word

    def _key(self) -> tuple[Any, ...]:
        return (self.name, self.rules, *self.setup().items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        changed = {
            option.name: getattr(self.rules, option.name)
            for option in fields(self.rules)
            if option.default is MISSING or getattr(self.rules, option.name) != option.default
        }
        options = "".join(f", {name}={value!r}" for name, value in (changed | self.setup()).items())
        return f"load_game({self.name!r}{options})"


_SPOKEN: set[tuple[Any, ...]] = set()
"""What events looked like that were found to have a sentence: a long log repeats itself."""


def _check_words(event: Event) -> None:
    """Raise what :meth:`Event.text` raises where there is no sentence, or a value is missing.

    Those who may not see the event need one, too.
    """
    kind, _, player, data, seen_by = event
    shape = (kind, player is None, seen_by is None, data.get("choice"), *data, type(data.get("n")))
    if shape not in _SPOKEN:
        event.text()
        if seen_by is not None:
            event._replace(data={}).text()
        _SPOKEN.add(shape)


def _integer(value: Any, least: int | None = None) -> int:
    if type(value) is not int:
        raise PositionError("core.position.integer", value=reprlib.repr(value))
    if least is not None and value < least:
        raise PositionError("core.position.least", value=value, least=least)
    return value


def check_card_text(item: Any) -> None:
    """Raise :class:`PositionError` for what cannot be a card because it is not even text."""
    if not isinstance(item, str | Card):
        raise PositionError("core.position.card", value=reprlib.repr(item))


def _number(value: Any) -> float:
    if type(value) not in (int, float):
        raise PositionError("core.position.number", value=reprlib.repr(value))
    return float(value)


def _list(value: Any, entry: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise PositionError("core.position.list", entry=entry, value=reprlib.repr(value))
    return value
