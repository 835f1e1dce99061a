"""The suite that any bot must pass: ours, and one that a reader writes.

Inherit from :class:`BotSuite`, say which bot and which games, and let pytest run it::

    from cardlab import load_game
    from cardlab.bots.testing import BotSuite

    class TestMyBot(BotSuite):
        def make_bot(self, game):
            return MyBot()

        def make_games(self):
            return [load_game("gpt"), load_game("gpt", shield_mode="chosen")]
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from cardlab.bots import Bot, RandomBot, bot_rng, play
from cardlab.engine import Action, Game, Observation, State
from cardlab.testing import Text, text_of


class Decision(NamedTuple):
    """A moment at which a seat owes a decision."""

    state: State
    seat: int
    seen: Observation
    legal: list[Action]
    number: int

    def rng(self) -> random.Random:
        """A generator for the bot, always the same one."""
        return bot_rng(self.number, self.seat)

    def __str__(self) -> str:
        return f"{self.state.game!r}, decision {self.number}, seat {self.seat}, {self.state!r}"


class Choice(NamedTuple):
    """What a bot chose when it was first asked, with the global generator seeded with 1."""

    at: Decision
    bot: Bot
    chosen: Action
    was_seen: Text
    was_legal: list[Action]
    drew: bool
    """Whether the global generator has moved."""


class BotSuite:
    """Tests of one bot; a class to inherit.

    The games are played once, and the tests of a class ask the same bot about the same decisions.

    Attributes
    ----------
    seeds
        Seeds of the games that are played, in each of the games.
    """

    seeds: Iterable[int] = range(2)

    _choices: ClassVar[list[Choice] | None] = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._choices = None

    # What a bot's own suite fills in.

    def make_bot(self, game: Game) -> Bot:
        """The bot that plays ``game``."""
        raise NotImplementedError("a suite has to say which bot it tests: define make_bot()")

    def make_games(self) -> Iterable[Game]:
        """The games, under all options that matter, which the bot has to play."""
        raise NotImplementedError("a suite has to say which games its bot plays: make_games()")

    # Positions.

    def decisions(self, game: Game) -> Iterator[Decision]:
        """Every decision of games that the bot plays against chance, and in which all is chance."""
        number = 0
        for seed in self.seeds:
            for bots in self._tables(game):
                state = game.new_initial_state(seed)
                rng = random.Random(seed)
                while state.to_move:
                    seat = rng.choice(state.to_move)
                    seen, legal = state.observation(seat), state.legal_actions(seat)
                    yield Decision(state.clone(), seat, seen, legal, number)
                    state.apply(bots[seat].choose(seen, legal, rng), seat)
                    number += 1

    def choices(self) -> list[Choice]:
        """What the bot chooses at every decision of all its games."""
        found = type(self)._choices
        if found is None:
            kept = random.getstate()
            try:
                found = type(self)._choices = [*self._choose()]
            finally:
                random.setstate(kept)
        return found

    def _choose(self) -> Iterator[Choice]:
        for game in self.make_games():
            bot, number = self.make_bot(game), 0
            for at in self.decisions(game):
                number += 1
                seen, legal = text_of(at.seen), list(at.legal)
                random.seed(1)
                before = random.getstate()
                chosen = bot.choose(at.seen, at.legal, at.rng())
                yield Choice(at, bot, chosen, seen, legal, random.getstate() != before)
            assert number, f"nothing is ever decided in {game!r}"

    def _tables(self, game: Game) -> Iterator[list[Bot]]:
        chance: list[Bot] = [RandomBot() for _ in range(game.num_players)]
        yield chance
        for seat in range(game.num_players):
            yield [*chance[:seat], self.make_bot(game), *chance[seat + 1 :]]

    # The tests.

    def test_has_a_name(self) -> None:
        """Its name is a word that can be printed."""
        for game in self.make_games():
            name = self.make_bot(game).name
            assert isinstance(name, str), f"the name {name!r} is not text"
            assert name.split() == [name], f"the name {name!r} is not one word"
            assert name.isprintable(), f"the name {name!r} cannot be printed"

    def test_chooses_legal_actions(self) -> None:
        """What it chooses is among what is offered, in every phase and for every seat."""
        for at, _, chosen, _, legal, _ in self.choices():
            assert chosen in legal, f"{at}: chose {chosen}"

    def test_chooses_what_is_left(self) -> None:
        """Offered a part of the legal actions, it chooses one of them."""
        for at, bot, *_ in self.choices():
            few = random.Random(at.number).sample(at.legal, (len(at.legal) + 1) // 2)
            assert bot.choose(at.seen, few, at.rng()) in few, f"{at}: not one of {few}"

    def test_same_chance_same_choice(self) -> None:
        """A choice follows from what is seen, what is offered, and the generator; from no past."""
        for at, bot, first, *_ in self.choices():
            assert first == bot.choose(at.seen, at.legal, at.rng()), f"{at}: chose otherwise"
            fresh = self.make_bot(at.state.game).choose(at.seen, at.legal, at.rng())
            assert first == fresh, f"{at}: a new bot chose otherwise"

    def test_hidden_cards_do_not_matter(self) -> None:
        """Its choice is the same when what the seat cannot see is dealt anew."""
        for at, bot, first, *_ in self.choices():
            other = at.state.game.resample(at.seen, random.Random(at.number))
            seen, legal = other.observation(at.seat), other.legal_actions(at.seat)
            assert seen == at.seen, f"{at}: the game leaks"
            assert bot.choose(seen, legal, at.rng()) == first, f"{at}: the bot peeked"

    def test_global_chance_is_left_alone(self) -> None:
        """It neither draws from the global generator nor depends on it."""
        choices = self.choices()
        kept = random.getstate()
        try:
            for at, bot, first, _, _, drew in choices:
                assert not drew, f"{at}: drew from the global generator"
                random.seed(2)
                second = bot.choose(at.seen, at.legal, at.rng())
                assert first == second, f"{at}: depends on the global generator"
        finally:
            random.setstate(kept)

    def test_nothing_is_changed(self) -> None:
        """What it is shown is the same afterwards."""
        for at, _, _, seen, legal, _ in self.choices():
            assert text_of(at.seen) == seen, f"{at}: changed the observation"
            assert at.legal == legal, f"{at}: changed the list of actions"

    def test_can_be_sent_to_another_process(self) -> None:
        """A pickled bot plays the same game."""
        for game in self.make_games():
            bots = [self.make_bot(game) for _ in range(game.num_players)]
            sent: list[Bot] = pickle.loads(pickle.dumps(bots))
            for seed in self.seeds:
                assert play(game, bots, seed) == play(game, sent, seed), f"{game!r}, seed {seed}"
