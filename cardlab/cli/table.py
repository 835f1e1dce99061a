"""A game in the terminal, between people and bots.

Bots decide before people do. After a resumption the same moves lead to the same game; after an undo
they do so, too, unless choices had been shown together, see :mod:`cardlab.bots.seated`.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from rich.columns import Columns
from rich.table import Table as Grid
from rich.text import Text

from cardlab import locale
from cardlab.bots import Bot, list_bots, load_bot
from cardlab.bots.seated import SeatedBots
from cardlab.cards import ORDER, UNKNOWN, Card
from cardlab.cli import deck_help
from cardlab.cli.output import card_text, clear, console, fold, names_text, words
from cardlab.engine import Action, Event, Game, Observation, State, Zones
from cardlab.errors import CardlabError, IllegalActionError, NotationError, RecordError
from cardlab.record import Record

__all__ = ["HUMAN", "Table", "resume"]

HUMAN = "human"
"""The name of a seat at which a person sits."""

_SHORT = {"?": "help", "h": "help", "l": "log", "u": "undo", "s": "save", "q": "quit"}
_QUIET = ("set_aside",)
"""Zones that are not shown: what may be chosen from them is in the list of moves."""


def resume(path: Path, game: str) -> Record:
    """The record in a file, which goes on in that file.

    Raises :class:`RecordError` when it is damaged, or the record of another game.
    """
    record = Record.load(path)
    if record.game.name != game:
        raise RecordError("cli.error.other_game", path=str(path), game=record.game.name)
    record.attach(path)
    return record


class Table:
    """One game, and the dialogue with the people who play it.

    Parameters
    ----------
    record
        The game so far. A seat with the name of a bot is played by that bot.
    lang
        The language of everything that is said.
    """

    def __init__(self, record: Record, lang: str) -> None:
        self._record = record
        self._lang = lang
        self._say = words(lang)
        self._screen = console()
        known = list_bots(record.game.name)
        self._bots: dict[int, Bot] = {
            seat: load_bot(name, record.game)
            for seat, name in enumerate(record.seats)
            if name in known
        }
        self._seats = range(len(record.seats))
        self._people = [seat for seat in self._seats if seat not in self._bots]
        self._names = [self._name(seat) for seat in self._seats]
        self._seated = SeatedBots(record, self._bots)
        self._planned: dict[int, list[Action]] = {}
        self._told = dict.fromkeys(self._seats, 0)
        self._cards = _names_of_cards(record.game, lang)
        self._viewer: int | None = None
        self._drawn = False

    def _name(self, seat: int) -> str:
        name = self._record.seats[seat]
        if seat in self._bots:
            number = str(seat + 1) if len(self._bots) > 1 else ""
            return self._say("play.computer", number=number).rstrip()
        return locale.text("core.seat", self._lang, seat=seat) if name == HUMAN else name

    def run(self) -> None:
        """Play until the game is over or somebody quits."""
        if self._record.warning is not None:
            self._print(self._record.warning.text(self._lang))
        while not (state := self._record.state).is_terminal():
            if not self._move_on(state) and not self._ask(state):
                break
        else:
            self._tell(state, self._people[0] if len(self._people) == 1 else None)
        self._say_where_it_is()
        # Not before: who knows the seed can deal the same cards again and look at them.
        if self._record.path is None or state.is_terminal():
            print(self._say("play.seed", seed=self._record.seed))

    # What needs nobody's answer.

    def _move_on(self, state: State) -> bool:
        """Let a bot decide, or do what somebody has planned, if there is either."""
        choice = self._seated.choice()
        if choice is not None:
            self._do(*choice)
            return True
        for seat in state.to_move:
            if self._planned.get(seat):
                try:
                    self._do(self._planned[seat].pop(0), seat)
                except CardlabError as error:
                    self._planned.pop(seat)
                    self._print(error.text(self._lang))
                return True
        return False

    def _do(self, action: Action, seat: int) -> None:
        events = self._record.append(action, seat)
        self._drawn = False
        if any(event.seen_by is None for event in events):
            # Whoever has planned ahead may think otherwise now.
            self._planned.clear()

    # Asking.

    def _ask(self, state: State) -> bool:
        """Ask a person for a move or a command; whether the game goes on."""
        seat = state.to_move[0]
        try:
            if not self._drawn:
                self._hand_over(seat)
                self._tell(state, seat)
                self._draw(self._record.observation(seat))
                self._offer(state.legal_actions(seat))
                self._drawn = True
            line = input(self._say("play.prompt")).strip()
        except EOFError:
            print()
            return False
        word, rest = [*line.split(maxsplit=1), "", ""][:2]
        command = unicodedata.normalize("NFKC", word).lower()
        command = _SHORT.get(command, command)
        try:
            if command == "quit":
                return False
            if command in ("help", "log", "undo", "save"):
                getattr(self, f"_{command}")(seat, rest)
            elif line:
                # A Japanese keyboard writes full-width letters and digits.
                self._planned[seat] = self._read(unicodedata.normalize("NFKC", line), state, seat)
            else:
                self._drawn = False
        except CardlabError as error:
            self._print(error.text(self._lang))
        return True

    def _hand_over(self, seat: int) -> None:
        """When another person is to see the cards, wait until that person sits there."""
        if len(self._people) > 1 and self._viewer != seat:
            if self._viewer is not None:
                clear(self._screen)
            input(self._say("play.hand_over", player=self._names[seat]))
        self._viewer = seat

    def _read(self, line: str, state: State, seat: int) -> list[Action]:
        """The moves that a line asks for: numbers, notation, cards, or a deck."""
        legal = state.legal_actions(seat)
        deck = deck_help.picks(line, self._record.observation(seat))
        if deck is not None:
            return deck
        move = self._move(line, legal)
        if move is not None:
            return [move]
        moves = []
        for word in re.split("[,、\\s]+", line.strip(",、")):
            move = self._move(word, legal)
            if move is None:
                raise self._no_move(line, word)
            moves.append(move)
        return moves

    def _no_move(self, line: str, word: str) -> CardlabError:
        """What is wrong with a word of a line that is no move, or with what follows it."""
        if word.casefold() in {action.kind for action in self._record.game.actions}:
            try:
                self._record.game.parse_action(line)
            except NotationError as error:
                return error
        return NotationError("cli.error.move", value=word)

    def _move(self, text: str, legal: Sequence[Action]) -> Action | None:
        if text.isdecimal():
            numbered = dict(zip(self._labels(legal), legal, strict=True))
            if int(text) not in numbered:
                raise NotationError("cli.error.number", value=text, allowed=list(numbered))
            return numbered[int(text)]
        text = " ".join(self._cards.get(word.casefold(), word) for word in text.split())
        for kind in ("", *dict.fromkeys(action.kind for action in legal)):
            try:
                return self._record.game.parse_action(f"{kind} {text}")
            except NotationError:
                continue
        return None

    # Commands.

    def _help(self, seat: int, rest: str) -> None:
        legal = self._record.state.legal_actions(seat)
        self._print(self._say("play.help", examples=self._examples(legal)))
        if len(legal) > 2 and self._are_cards(legal):
            numbers = " ".join(map(str, self._labels(legal)[:3]))
            self._print(self._say("play.help_several", examples=numbers))
        extra = deck_help.about(self._record.observation(seat), self._lang)
        if extra:
            self._print(extra)

    def _examples(self, legal: Sequence[Action]) -> tuple[str, ...]:
        """Ways to write moves that can be made now, each of which is understood."""
        first, last = legal[0], legal[-1]
        ways = [str(last)]
        if isinstance(last.arg, Card):
            ways = [last.arg.ascii, last.arg.text(self._lang), *ways]
        elif len(legal) > 1:
            ways = [str(first), *ways]
        # A card whose name is a number needs the word before it.
        understood = [way for way in ways if way == str(last) or not way.isdecimal()]
        return tuple(way for way in dict.fromkeys(understood) if self._move(way, legal) in legal)

    def _are_cards(self, legal: Sequence[Action]) -> bool:
        """Whether the moves differ only in the card that they are about."""
        alike = len({action.kind for action in legal}) == 1
        return alike and all(isinstance(action.arg, Card) for action in legal)

    def _log(self, seat: int, rest: str) -> None:
        for event in self._record.observation(seat).log:
            self._print_event(event)

    def _undo(self, seat: int, rest: str) -> None:
        """Back to where a person last decided."""
        actions = self._record.actions
        mine = [number for number, (player, _) in enumerate(actions) if player in self._people]
        if not mine:
            raise IllegalActionError("cli.error.nothing_to_undo")
        if self._seated.take_back(mine[-1]):
            self._print(self._say("play.chosen_anew"))
        self._planned.clear()
        log = len(self._record.state.log)
        self._told = {player: min(told, log) for player, told in self._told.items()}
        self._drawn = False

    def _save(self, seat: int, rest: str) -> None:
        if rest:
            self._record.attach(rest)
        elif self._record.path is None:
            raise NotationError("cli.error.save")
        self._say_where_it_is()

    # Telling and drawing.

    def _tell(self, state: State, seat: int | None) -> None:
        """What has happened since this seat was last told; ``None`` stands for an onlooker.

        Choices that are made together are told when they are shown, not when each one is made.
        """
        log = state.log if seat is None else self._record.observation(seat).log
        commits = {commit.kind for commit in state.TOGETHER.values()}
        told = max(self._told.values()) if seat is None else self._told[seat]
        for event in log[told:]:
            if event.kind not in commits:
                self._print_event(event)
        if seat is not None:
            self._told[seat] = len(log)

    def _print(self, text: str | Text) -> None:
        self._screen.print(fold(Text.assemble(text), self._screen.width))

    def _print_event(self, event: Event) -> None:
        line = Text(event.text(self._lang, self._names))
        self._print(line.append(f" [{event.rule}]", style="dim"))

    def _draw(self, seen: Observation) -> None:
        """The table as a seat sees it, itself at the bottom."""
        game = self._record.game.name
        phase = locale.text(f"{game}.phase.{seen.phase}", self._lang)
        print()
        self._screen.rule(self._say("play.turn", turn=seen.turn, phase=phase), align="left")
        for seat in sorted(self._seats, key=lambda seat: (seat == seen.player, seat)):
            self._screen.print(Text(self._title(seat, seen.player), style="bold"))
            self._draw_zones(seen.players[seat])
        self._draw_zones(seen.table)
        self._draw_facts(seen)
        if seen.out:
            used = Text(f"  {self._zone_name('out')} ")
            out = names_text(sorted(seen.out, key=ORDER), self._lang)
            self._screen.print(used.append_text(out))
        note = deck_help.note(seen, self._lang)
        if note:
            self._print(note)

    def _draw_facts(self, seen: Observation) -> None:
        """What everybody knows besides the cards, if it is worth a word."""
        for name, value in seen.public.items():
            key = f"{self._record.game.name}.public.{name}"
            worth_it = any(value) if isinstance(value, tuple) else value
            if worth_it and locale.has(key, self._lang):
                self._print(f"  {locale.text(key, self._lang, value=value)}")

    def _title(self, seat: int, viewer: int) -> str:
        if seat != viewer and seat not in self._bots:
            return self._names[seat]
        who = self._say("play.you") if seat == viewer else self._record.seats[seat]
        return self._say("play.seat", player=self._names[seat], who=who)

    def _draw_zones(self, zones: Zones) -> None:
        grid = Grid.grid(padding=(0, 1))
        for zone, content in zones.items():
            if content and zone not in _QUIET:
                grid.add_row(f"  {self._zone_name(zone)}", _zone_text(zone, content, self._lang))
        if grid.row_count:
            self._screen.print(grid)

    def _zone_name(self, zone: str) -> str:
        return locale.text(f"{self._record.game.name}.zone.{zone}", self._lang)

    def _offer(self, legal: Sequence[Action]) -> None:
        """The legal moves with their numbers: cards as cards, others in words and in notation."""
        alike = len({action.kind for action in legal}) == 1
        moves = [
            Text(f"{label:>2} ").append_text(
                card_text(action.arg, self._lang)
                if alike and isinstance(action.arg, Card)
                else self._in_words(action)
            )
            for label, action in zip(self._labels(legal), legal, strict=True)
        ]
        self._screen.print(Columns(moves, padding=(0, 1)))

    def _labels(self, legal: Sequence[Action]) -> list[int]:
        """The numbers of moves: those of slots, seats or amounts where all differ, else 1, 2 ..."""
        numbers = [action.arg for action in legal if isinstance(action.arg, int)]
        if not len(numbers) == len(legal) == len({*numbers}):
            return list(range(1, len(legal) + 1))
        key = f"{self._record.game.name}.action.{legal[0].kind}"
        counts_from_0 = "{slot}" in locale.text(key, self._lang)
        return [number + counts_from_0 for number in numbers]

    def _in_words(self, action: Action) -> Text:
        told = Text(self._record.game.describe(action, self._lang, self._names))
        return told.append(f" ({action})", style="dim")

    def _say_where_it_is(self) -> None:
        """Where the game is kept, and how to go on with it."""
        path, over = self._record.path, self._record.state.is_terminal()
        if path is not None:
            print(self._say("play.saved", path=str(path)))
        if path is None and not over:
            print(self._say("play.unsaved"))
        elif not over:
            command = shlex.join(["cardlab", "play", self._record.game.name, "--resume", str(path)])
            print(self._say("play.resume", command=command))


def _names_of_cards(game: Game, lang: str) -> dict[str, str]:
    """The notation of each card of a game by its name in a language, where they differ."""
    args = [action.arg for action in game.actions]
    cards = [card for card in args if isinstance(card, Card)]
    names = {
        unicodedata.normalize("NFKC", card.text(lang)).casefold(): card.ascii for card in cards
    }
    return {name: notation for name, notation in names.items() if name != notation.casefold()}


def _zone_text(zone: str, content: Sequence[Card | None], lang: str) -> Text:
    """The cards of a zone; a pile of backs is one back and their number, slots are numbered."""
    if zone == "shields" or None in content:
        slots = enumerate(content, start=1)
        return Text(" ").join(Text(f"{slot}") + card_text(card, lang) for slot, card in slots)
    if all(card is UNKNOWN for card in content):
        return Text.assemble(card_text(UNKNOWN), f" x {len(content)}")
    return Text(" ").join(card_text(card, lang) for card in content)
