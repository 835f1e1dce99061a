"""The suite that any game has to pass: ours, and one that a reader writes.

Inherit from :class:`GameSuite`, say which game, and let pytest (or whatever else calls the methods
that begin with ``test_``) run it::

    from cardlab.testing import GameSuite

    class TestMyGame(GameSuite):
        rule_numbers = {"M1", "M2", "M3"}

        def make_game(self):
            return MyGame(MyRules())

Each test plays random games, one for each of ``seeds``, and looks at every position in them. One
suite tests one set of options; inherit once more for others.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from cardlab.bots import Bot, list_bots, load_bot
from cardlab.cards import UNKNOWN
from cardlab.engine import END, Action, Event, Game, Observation, State
from cardlab.errors import CardlabError, IllegalActionError, NotationError, RulesError
from cardlab.games import list_games
from cardlab.locale import LANGUAGES


class Step(NamedTuple):
    """A position of a random game, and what was decided there."""

    seed: int
    number: int
    state: State
    player: int | None
    action: Action | None
    events: tuple[Event, ...]

    def __str__(self) -> str:
        return f"seed {self.seed}, decision {self.number}, {self.state!r}"


class GameSuite:
    """Tests of one game under one set of options; a class to inherit.

    Attributes
    ----------
    seeds
        Seeds of the games that each test plays.
    max_decisions
        A game that has not ended after so many decisions fails.
    probes
        How many of the game's actions are tried in each position, drawn at random; ``None`` for
        all, which is best where the game has at most a few hundred.
    rule_numbers
        The numbers of the rules; with none given, an event may cite any.
    has_secrets
        Whether a seat is ever left in the dark about anything but chance to come.
    """

    seeds: Iterable[int] = range(3)
    max_decisions: int = 1000
    probes: int | None = None
    rule_numbers: Collection[str] = ()
    has_secrets: bool = True

    # What a game's own suite fills in.

    def make_game(self) -> Game:
        """The game to be tested."""
        raise NotImplementedError("a suite has to say which game it tests: define make_game()")

    def redeal(self, state: State, player: int, rng: random.Random) -> State:
        """The same position with everything dealt anew that ``player`` cannot know.

        By default the game's own :meth:`Game.resample`. Better is one that is written without
        looking at the game's code: only such a one finds a secret that the game thinks public. What
        was said of hidden cards earlier, in the log or in a public field, has to change with them.
        """
        game: Game = state.game
        return game.resample(state.observation(player), rng)

    def bots(self, game: Game) -> Iterable[Bot]:
        """Bots whose choices must not depend on what they cannot know; by default all there are."""
        if game.name not in list_games():
            return ()
        return [load_bot(name, game) for name in list_bots(game.name)]

    def cards(self, state: State) -> Iterable[str]:
        """The cards of a position, wherever they lie; by default those in zones and out."""
        position = state.to_dict()
        for zones in (*position["players"], position["table"]):
            for content in zones.values():
                yield from (card for card in content if card is not None)
        yield from position["out"]

    # Random games.

    def steps(self) -> Iterator[Step]:
        """Every position of the random games; the last of each game has no action.

        The states are copies: a test may do with them what it likes.
        """
        for seed in self.seeds:
            yield from self.play(self.make_game().new_initial_state(seed), seed)

    def play(self, state: State, seed: int) -> Iterator[Step]:
        """Play on at random, which changes ``state``."""
        rng = random.Random(seed)
        for number in range(self.max_decisions):
            if not state.to_move:
                yield Step(seed, number, state.clone(), None, None, ())
                return
            player = rng.choice(state.to_move)
            legal = state.legal_actions(player)
            assert legal, f"seat {player} owes a decision and has no legal action: {state!r}"
            action = rng.choice(legal)
            before = state.clone()
            events = state.apply(action, player)
            yield Step(seed, number, before, player, action, events)
        raise AssertionError(f"seed {seed}: not over after {self.max_decisions} decisions")

    # The tests.

    def test_there_is_a_game_to_test(self) -> None:
        """A suite that has nothing to test fails."""
        game = self.make_game()
        assert isinstance(game, Game), f"make_game() gave {game!r}, which is no Game"
        decisions = sum(step.action is not None for step in self.steps())
        assert decisions, "no decision was ever taken: there is nothing to test"

    def test_actions_have_codes_notation_and_words(self) -> None:
        """The list of all actions, their codes and their texts are one to one."""
        game = self.make_game()
        assert game.actions, "the game has no actions"
        assert len({*game.actions}) == len(game.actions), "an action is listed twice"
        assert game.actions == self.make_game().actions, (
            "the list of actions is not always the same"
        )
        notations = [str(action) for action in game.actions]
        assert len({*notations}) == len(notations), "two actions have the same notation"
        for code, (action, notation) in enumerate(zip(game.actions, notations, strict=True)):
            assert game.action_code(action) == code, f"{notation} has not the code {code}"
            assert game.parse_action(notation) == action, f"{notation} is not read back"
            assert notation.isascii(), f"{notation} is not ASCII"
            for lang in LANGUAGES:
                assert game.describe(action, lang), f"{notation} has no words in {lang}"
        for text in ("", "nonsense", f"{notations[0]} nonsense"):
            assert text not in notations
            _refuses(NotationError, repr(text), game.parse_action, text)

    def test_legal_actions_and_apply_agree(self) -> None:
        """What is offered is accepted; all else is refused in words, and changes nothing."""
        rng = random.Random(0)
        refusals: dict[tuple[Any, ...], CardlabError] = {}
        for step in self.steps():
            actions = step.state.game.actions
            if self.probes is not None:
                actions = rng.sample(actions, min(self.probes, len(actions)))
            whole = text_of(step.state)
            for player in _seats(step.state):
                self._check_offers(step, player)
                for refusal in self._refusals(step, player, actions):
                    kinds = [type(value) for value in refusal.params.values()]
                    refusals[refusal.key, refusal.rule, *kinds] = refusal
            assert text_of(step.state) == whole, f"{step}: refusals changed the state"
        for refusal in refusals.values():
            self._check_rule(refusal.rule, f"the refusal {refusal.key}")
            for lang in LANGUAGES:
                assert refusal.text(lang), f"the refusal {refusal.key} has no words in {lang}"

    def _check_offers(self, step: Step, player: int) -> None:
        legal = step.state.legal_actions(player)
        where = f"{step}: an action that seat {player} is offered"
        assert len({*legal}) == len(legal), f"{where} is offered twice: {[*map(str, legal)]}"
        for action in legal:
            assert action in step.state.game.actions, f"{where} is not listed by the game: {action}"
            try:
                events = step.state.clone().apply(action, player)
            except CardlabError as error:
                raise AssertionError(f"{where} is refused: {action}: {error}") from error
            assert isinstance(events, tuple), f"{where} gives no tuple of events: {action}"
            assert events, f"{where} does nothing: {action}"

    def _refusals(
        self, step: Step, player: int, actions: Sequence[Action]
    ) -> Iterator[CardlabError]:
        state, before = step.state, step.state.clone()
        where = f"{step}: an action that seat {player} is not offered"
        legal = {*state.legal_actions(player)}
        for action in actions:
            if action not in legal:
                yield _refuses(IllegalActionError, where, state.apply, action, player)
                assert state == before, f"{where} is refused, but changes the state: {action}"

    def test_decisions_are_owed_until_the_end(self) -> None:
        """``to_move``, ``current_player``, ``legal_actions`` and ``is_terminal`` agree."""
        for step in self.steps():
            state = step.state
            owing = state.to_move
            assert isinstance(owing, tuple), f"{step}: to_move is no tuple"
            assert list(owing) == sorted({*owing} & {*_seats(state)}), f"{step}: odd seats to move"
            assert state.is_terminal() == (not owing), f"{step}: is it over or not?"
            assert state.is_terminal() == (state.phase == END), f"{step}: odd phase"
            assert state.phase in (*state.game.phases, END), f"{step}: unknown phase"
            assert state.current_player == (owing[0] if owing else None), (
                f"{step}: odd current seat"
            )
            assert state.legal_actions() == (state.legal_actions(owing[0]) if owing else [])
            for player in _seats(state):
                offers = bool(state.legal_actions(player))
                assert offers == (player in owing), f"{step}: odd offers to seat {player}"
            action = state.game.actions[0]
            for odd in (-1, len(state.players), True, 0.0, "0"):
                where = f"{step}: the seat {odd!r} does not exist"
                for use in (state.legal_actions, state.observation):
                    _refuses(RulesError, where, use, odd)
                _refuses(CardlabError, where, state.apply, action, odd)

    def test_cards_are_conserved(self) -> None:
        """The same cards are there in every position."""
        first: Counter[str] = Counter()
        for step in self.steps():
            now = Counter(self.cards(step.state))
            if not step.number:
                first = now
                assert first, f"{step}: there are no cards"
            lost, gained = first - now, now - first
            assert not lost + gained, f"{step}: lost {[*lost]}, gained {[*gained]}"

    def test_same_seed_same_game(self) -> None:
        """A seed and the decisions give the same game, to the last event."""
        state: Any = None
        for step in self.steps():
            if not step.number:
                state = self.make_game().new_initial_state(step.seed)
            assert text_of(state) == text_of(step.state), f"{step}: the same seed gave another game"
            assert state == step.state, f"{step}: equal positions are not equal"
            assert hash(state) == hash(step.state), f"{step}: equal positions have different hashes"
            if step.action is not None:
                events = state.apply(str(step.action), step.player)
                assert events == step.events, f"{step}: the same decision had other events"
                assert state.log[-len(events) :] == events, f"{step}: the log lacks events"
        fresh = {self.make_game().new_initial_state().seed for _ in range(4)}
        assert len(fresh) == 4, "games without a given seed begin alike"

    def test_chance_is_its_own(self) -> None:
        """Python's global random numbers are not used."""
        before = random.getstate()
        for step in self.steps():
            if step.player is not None:
                step.state.game.resample(step.state.observation(step.player), random.Random(1))
        assert random.getstate() == before, "the global random module was used"

    def test_past_states_never_change(self) -> None:
        """What was once handed out stays as it was while the game goes on."""
        kept: list[tuple[str, State | Observation | Event, Text]] = []
        for seed in self.seeds:
            live = self.make_game().new_initial_state(seed)
            for step in self.play(live, seed):
                kept.append((f"{step}: a copy", step.state, text_of(step.state)))
                seen = [step.state.observation(player) for player in _seats(step.state)]
                kept += [(f"{step}: an observation", each, text_of(each)) for each in seen]
                kept += [(f"{step}: an event", each, text_of(each)) for each in step.events]
        for what, thing, text in kept:
            assert text_of(thing) == text, f"{what} changed later"

    def test_clones_are_independent(self) -> None:
        """Moving a clone moves nothing else, and it meets the same chance."""
        for step in self.steps():
            state, before = step.state, text_of(step.state)
            twin = state.clone()
            assert twin is not state, f"{step}: a clone is the state itself"
            assert twin == state, f"{step}: a clone is not equal"
            assert text_of(twin) == before, f"{step}: a clone differs"
            future = [*self.play(twin, step.number)]
            assert text_of(state) == before, f"{step}: moving a clone changed the original"
            second = state.clone()
            for later in future:
                if later.action is not None:
                    second.apply(later.action, later.player)
            assert text_of(second) == text_of(twin), f"{step}: two clones met different chances"

    def test_positions_round_trip(self) -> None:
        """A position goes through JSON and comes back with the same future."""
        games: dict[int, list[Step]] = {}
        for step in self.steps():
            games.setdefault(step.seed, []).append(step)
        for steps in games.values():
            for number, step in enumerate(steps):
                twin = _through_json(step.state)
                assert twin == step.state, f"{step}: not equal after the round trip"
                assert hash(twin) == hash(step.state), f"{step}: another hash after the round trip"
                assert text_of(twin) == text_of(step.state), f"{step}: another position or log"
                for player in _seats(twin):
                    same = _view(twin, player) == _view(step.state, player)
                    assert same, f"{step}: seat {player} sees something else"
                    same = twin.legal_actions(player) == step.state.legal_actions(player)
                    assert same, f"{step}: seat {player} may do something else"
                for later in steps[number:-1]:
                    assert later.action is not None
                    twin.apply(later.action, later.player)
                assert text_of(twin) == text_of(steps[-1].state), f"{step}: another future"

    def test_returns_are_zero_sum(self) -> None:
        """Nothing before the end, then a result for each seat that sums to nothing."""
        for step in self.steps():
            state, returns = step.state, step.state.returns()
            assert len(returns) == len(state.players) == state.game.num_players
            assert len(state.scores()) == len(returns), f"{step}: a score for each seat"
            assert all(type(value) is float and -1 <= value <= 1 for value in returns), f"{step}"
            assert abs(sum(returns)) < 1e-9, f"{step}: the returns {returns} sum to something"
            if not state.is_terminal():
                assert not any(returns), f"{step}: returns before the end"
            for player in _seats(state):
                result = state.observation(player).result
                seen = tuple(returns) if state.is_terminal() else None
                assert result == seen, f"{step}: seat {player} sees the result {result}"

    def test_events_cite_rules_and_have_words(self) -> None:
        """Every event names a rule, and reads in every language, for those in the know or not."""
        ends = [step.state for step in self.steps() if step.action is None]
        for state in ends:
            assert state.log, "nothing was ever told"
            for event in state.log:
                where = f"event {event.kind}"
                self._check_rule(event.rule, where)
                assert event.rule, f"{where} cites no rule"
                assert event.player in (None, *_seats(state)), f"{where} has an odd seat"
                assert event.seen_by in (None, *_seats(state)), f"{where} has an odd viewer"
                plain = event.to_dict()
                assert json.loads(json.dumps(plain)) == plain, f"{where} is not plain JSON"
                for seen in (event, *map(event.seen_from, _seats(state))):
                    for lang in LANGUAGES:
                        assert seen.text(lang), f"{where} has no words in {lang}"

    def _check_rule(self, rule: str | None, where: str) -> None:
        known = not self.rule_numbers or rule is None or rule in self.rule_numbers
        assert known, f"{where} cites {rule}, which is no rule of the game"

    def test_observations_are_plain(self) -> None:
        """An observation is JSON, and says nothing that differs from the position."""
        for step in self.steps():
            state, whole = step.state, step.state.to_dict()
            for player in _seats(state):
                seen = state.observation(player)
                plain = seen.to_dict()
                assert json.loads(seen.to_json()) == plain, f"{step}: not plain JSON"
                assert seen == state.observation(player), f"{step}: a second look differs"
                assert seen.player == player
                assert seen.pending == state.pending[player], f"{step}: odd pending choice"
                for key in plain.keys() & whole.keys() - {"players", "table", "pending", "log"}:
                    assert plain[key] == whole[key], f"{step}: {key} differs from the position"
                for shown, real in zip(_zones(plain), _zones(whole), strict=True):
                    for card, other in zip(shown, real, strict=True):
                        same = card == other or (card == UNKNOWN.ascii and other is not None)
                        assert same, f"{step}: seat {player} sees {card} for {other}"

    def test_choices_of_a_common_step_stay_secret(self) -> None:
        """While others still owe their choice, nobody can tell what a seat has chosen."""
        for step in self.steps():
            if len(step.state.to_move) < 2:
                continue
            for player in step.state.to_move:
                views: dict[int, set[Text]] = {other: set() for other in _seats(step.state)}
                for action in step.state.legal_actions(player):
                    twin = step.state.clone()
                    twin.apply(action, player)
                    where = f"{step}: after the choice of seat {player}"
                    rest = tuple(seat for seat in step.state.to_move if seat != player)
                    assert twin.to_move == rest, f"{where} it is the turn of {twin.to_move}"
                    for other, seen in views.items():
                        if other != player:
                            seen.add(_view(twin, other))
                            assert len(seen) == 1, f"{where} seat {other} can tell {action}"

    def test_resample_fits_the_observation(self) -> None:
        """A resampled state looks the same to the seat, is a legal position, and can be played."""
        rng = random.Random(0)
        for step in self.steps():
            state, game = step.state, step.state.game
            # How chance is used is no matter of who looks: it is enough to draw again for one seat.
            drawn_again = rng.choice(_seats(state))
            for player in _seats(state):
                seen = state.observation(player)
                text = text_of(seen)
                sample = game.resample(seen, random.Random(step.number))
                assert text_of(seen) == text, f"{step}: resample changed the observation"
                where = f"{step}: resampled for seat {player}"
                now = sample.observation(player)
                assert text_of(now) == text, f"{where}, it looks different"
                assert sample.to_move == state.to_move, f"{where}, others are to move"
                same = sample.legal_actions(player) == state.legal_actions(player)
                assert same, f"{where}, other actions are legal"
                assert _reads_alike(seen, now), f"{where}, it reads something else"
                try:
                    twin = _through_json(sample)
                except CardlabError as error:
                    raise AssertionError(f"{where}, no legal position: {error}") from error
                assert twin == sample, f"{where}, no round trip"
                assert sample.seed != state.seed, f"{where}, the seed is that of the state"
                if player == drawn_again:
                    again = game.resample(seen, random.Random(step.number))
                    assert text_of(again) == text_of(sample), (
                        f"{where} twice, the same draw differs"
                    )
                    other = game.resample(seen, random.Random(step.number + 1))
                    assert other.seed != sample.seed, f"{where}, the seed is always the same"
                for _ in self.play(sample, step.number):
                    pass

    def test_resample_draws_everything_anew(self) -> None:
        """Every kind of hidden card and choice differs from one resampled state to the next."""
        drawn: set[str] = set()
        varied: set[str] = set()
        for step in self.steps():
            for player in _seats(step.state):
                seen = step.state.observation(player)
                hidden = {}
                for name, zone in _hidden(step.state, seen):
                    whose = "own" if name == str(player) else "other" if name else "common"
                    hidden[name, zone] = f"{whose} {zone}"
                drawn.update(hidden.values())
                if varied.issuperset(hidden.values()):
                    # One time is enough.
                    continue
                samples = [
                    step.state.game.resample(seen, random.Random(f"{step.number}, {draw}"))
                    for draw in range(4)
                ]
                for (name, zone), kind in hidden.items():
                    if len({_content(sample, name, zone) for sample in samples}) > 1:
                        varied.add(kind)
        assert bool(drawn) == self.has_secrets, f"hidden are: {sorted(drawn)}"
        assert drawn == varied, f"never drawn anew: {sorted(drawn - varied)}"

    def test_nothing_leaks(self) -> None:
        """Dealt anew, what a seat cannot see changes nothing of what it sees, reads or chooses."""
        changed = False
        bots = [*self.bots(self.make_game())]
        for step in self.steps():
            state = step.state
            for player in _seats(state):
                rng = random.Random(f"{step.seed}, {step.number}, {player}")
                other = self.redeal(state.clone(), player, rng)
                where = f"{step}: dealt anew for seat {player}"
                changed = changed or _deal(other) != _deal(state)
                seen, now = state.observation(player), other.observation(player)
                if text_of(now) != text_of(seen):
                    difference = _difference(seen.to_dict(), now.to_dict())
                    raise AssertionError(f"{where}, it sees {difference or 'a difference'}")
                assert _reads_alike(seen, now), f"{where}, it reads something else"
                legal = state.legal_actions(player)
                assert other.legal_actions(player) == legal, f"{where}, it may do something else"
                if legal:
                    for bot in bots:
                        first = bot.choose(seen, legal, random.Random(step.number))
                        second = bot.choose(now, legal, random.Random(step.number))
                        assert first in legal, f"{step}: {bot.name} chose {first}"
                        assert first == second, f"{where}, {bot.name} chooses something else"
        assert changed == self.has_secrets, "redeal never dealt anything anew, or what is open"


# ----------------------------------------------------------------------------------------- helpers


def _refuses(error: type[CardlabError], where: str, use: Any, *arguments: Any) -> CardlabError:
    try:
        use(*arguments)
    except error as refusal:
        return refusal
    raise AssertionError(f"{where}, but it was accepted: {', '.join(map(str, arguments))}")


def _seats(state: State) -> range:
    return range(len(state.players))


Text = tuple[str, ...]
"""Something as JSON, to be compared to the byte: all but its log, then each event of its log."""


def text_of(thing: State | Observation | Event) -> Text:
    """A thing as JSON; for many positions of a long game it costs much less than ``to_json``."""
    if isinstance(thing, Event):
        return (_event_text(thing),)
    return json.dumps(_but_its_log(thing).to_dict(), sort_keys=True), *map(_event_text, thing.log)


def _but_its_log(thing: State | Observation) -> State | Observation:
    if isinstance(thing, Observation):
        return replace(thing, log=())
    twin = thing.clone()
    twin._log = []
    return twin


def _event_text(event: Event) -> str:
    kind, rule, player, data, seen_by = event
    try:
        return _event_json(kind, rule, player, seen_by, tuple(data), *data.values())
    except TypeError:
        # What has no hash cannot be looked up.
        return json.dumps(event.to_dict(), sort_keys=True)


@lru_cache(maxsize=1 << 16, typed=True)
def _event_json(
    kind: str, rule: str, player: int | None, seen_by: int | None, names: Text, *values: Any
) -> str:
    """An event as JSON; kept, as the log of a position is most of that of the next."""
    event = Event(kind, rule, player, dict(zip(names, values, strict=True)), seen_by)
    return json.dumps(event.to_dict(), sort_keys=True)


def _view(state: State, player: int) -> Text:
    return text_of(state.observation(player))


def _reads_alike(first: Observation, second: Observation) -> bool:
    """Whether two logs read the same in every language.

    Only events that differ are put into words: equal ones have the same.
    """
    if len(first.log) != len(second.log):
        return False
    pairs = [pair for pair in zip(first.log, second.log, strict=True) if pair[0] != pair[1]]
    return all(one.text(lang) == other.text(lang) for one, other in pairs for lang in LANGUAGES)


def _through_json(state: State) -> State:
    game: Game = state.game
    return game.state_from_dict(json.loads(json.dumps(state.to_dict())))


def _zones(position: dict[str, Any]) -> Iterator[list[str | None]]:
    for zones in (*position["players"], position["table"]):
        yield from zones.values()


def _deal(state: State) -> list[Any]:
    position = state.to_dict()
    return [position["players"], position["table"], position["pending"]]


def _hidden(state: State, seen: Observation) -> Iterator[tuple[str, str]]:
    """Whose (``""`` for the table) and which zones hold cards of unknown face, or a choice."""
    owners = [(str(owner), zones) for owner, zones in enumerate(seen.players)]
    for owner, zones in [*owners, ("", seen.table)]:
        for zone, content in zones.items():
            if any(card is UNKNOWN for card in content):
                yield owner, zone
    for owner_, choice in enumerate(state.pending):
        if choice is not None and owner_ != seen.player:
            yield str(owner_), "pending"


def _content(state: State, owner: str, zone: str) -> str:
    if zone == "pending":
        return str(state.pending[int(owner)])
    seat = state.players[int(owner)] if owner else state.table
    return str(seat.zones()[zone])


def _difference(a: Any, b: Any, path: str = "") -> str | None:
    """Where two plain values differ first, and how."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        pairs = [(f"{path}.{key}", a[key], b[key]) for key in a]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [(f"{path}[{place}]", *pair) for place, pair in enumerate(zip(a, b, strict=True))]
    else:
        return None if a == b else f"{path.lstrip('.')}: {a} or {b}"
    found = (_difference(left, right, place) for place, left, right in pairs)
    return next((each for each in found if each), None)
