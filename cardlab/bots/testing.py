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
from typing import NamedTuple

from cardlab.bots import Bot, RandomBot, bot_rng, play
from cardlab.engine import Action, Game, Observation, State


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


class BotSuite:
    """Tests of one bot; a class to inherit.

    Attributes
    ----------
    seeds
        Seeds of the games that each test plays, in each of the games.
    """

    seeds: Iterable[int] = range(2)

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
        for game in self.make_games():
            bot = self.make_bot(game)
            decided = 0
            for at in self.decisions(game):
                chosen = bot.choose(at.seen, at.legal, at.rng())
                assert chosen in at.legal, f"{at}: chose {chosen}"
                decided += 1
            assert decided, f"nothing is ever decided in {game!r}"

    def test_chooses_what_is_left(self) -> None:
        """Offered a part of the legal actions, it chooses one of them."""
        for game in self.make_games():
            bot = self.make_bot(game)
            for at in self.decisions(game):
                few = random.Random(at.number).sample(at.legal, (len(at.legal) + 1) // 2)
                assert bot.choose(at.seen, few, at.rng()) in few, f"{at}: not one of {few}"

    def test_same_chance_same_choice(self) -> None:
        """A choice follows from what is seen, what is offered, and the generator; from no past."""
        for game in self.make_games():
            bot = self.make_bot(game)
            for at in self.decisions(game):
                first = bot.choose(at.seen, at.legal, at.rng())
                assert first == bot.choose(at.seen, at.legal, at.rng()), f"{at}: chose otherwise"
                fresh = self.make_bot(game).choose(at.seen, at.legal, at.rng())
                assert first == fresh, f"{at}: a new bot chose otherwise"

    def test_hidden_cards_do_not_matter(self) -> None:
        """Its choice is the same when what the seat cannot see is dealt anew."""
        for game in self.make_games():
            bot = self.make_bot(game)
            for at in self.decisions(game):
                first = bot.choose(at.seen, at.legal, at.rng())
                other = game.resample(at.seen, random.Random(at.number))
                seen, legal = other.observation(at.seat), other.legal_actions(at.seat)
                assert seen == at.seen, f"{at}: the game leaks"
                assert bot.choose(seen, legal, at.rng()) == first, f"{at}: the bot peeked"

    def test_global_chance_is_left_alone(self) -> None:
        """It neither draws from the global generator nor depends on it."""
        kept = random.getstate()
        try:
            for game in self.make_games():
                bot = self.make_bot(game)
                for at in self.decisions(game):
                    random.seed(1)
                    before = random.getstate()
                    first = bot.choose(at.seen, at.legal, at.rng())
                    assert random.getstate() == before, f"{at}: drew from the global generator"
                    random.seed(2)
                    second = bot.choose(at.seen, at.legal, at.rng())
                    assert first == second, f"{at}: depends on the global generator"
        finally:
            random.setstate(kept)

    def test_nothing_is_changed(self) -> None:
        """What it is shown is the same afterwards."""
        for game in self.make_games():
            bot = self.make_bot(game)
            for at in self.decisions(game):
                seen, legal = at.seen.to_json(), list(at.legal)
                bot.choose(at.seen, at.legal, at.rng())
                assert at.seen.to_json() == seen, f"{at}: changed the observation"
                assert at.legal == legal, f"{at}: changed the list of actions"

    def test_can_be_sent_to_another_process(self) -> None:
        """A pickled bot plays the same game."""
        for game in self.make_games():
            bots = [self.make_bot(game) for _ in range(game.num_players)]
            sent: list[Bot] = pickle.loads(pickle.dumps(bots))
            for seed in self.seeds:
                assert play(game, bots, seed) == play(game, sent, seed), f"{game!r}, seed {seed}"
