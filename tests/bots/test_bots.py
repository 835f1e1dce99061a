"""The interface of bots, and what every bot has to do."""

import random

import pytest

import cardlab
from cardlab import Action, IllegalActionError, RulesError, UnknownGameError, load_game
from cardlab.bots import RandomBot, bot_rng, list_bots, load_bot, play, seat_bots
from cardlab.bots.testing import BotSuite
from cardlab.games import list_games

GPT_OPTIONS = [
    {},
    {"shield_mode": "chosen"},
    {"shield_mode": "chosen", "counter_choice": "owner", "double_knockout": "draw"},
    {"counter_choice": "random", "counter_compare": "ge"},
    {
        "counter_choice": "owner",
        "counter_compare": "number_then_colour",
        "double_knockout": "counter_player_wins",
    },
    {"deck_size": 2, "deck_sum_max": 2, "n_shields": 1, "hand_size": 1},
    {"deck_size": 2, "deck_sum_max": 26, "n_shields": 1, "hand_size": 1, "shield_mode": "chosen"},
    {"deck_size": 26, "deck_sum_max": 182, "n_shields": 1, "hand_size": 25},
    {"deck_size": 20, "deck_sum_max": 130, "n_shields": 12, "hand_size": 2},
]


class GPTBotSuite(BotSuite):
    seeds = (5,)

    def make_games(self):
        yield from (load_game("gpt", **options) for options in GPT_OPTIONS)
        yield load_game("gpt", decks=("2222000b00222", "2b2bbbbb0b022"))


SHORT: dict[str, dict[str, int]] = {"chaos": {"max_turns": 3}}
"""Options that keep long games short."""


class TestRandom(BotSuite):
    seeds = (3,)

    def make_bot(self, game):
        return load_bot("random", game)

    def make_games(self):
        return [load_game(name, **SHORT.get(name, {})) for name in list_games()]


class TestHighest(GPTBotSuite):
    def make_bot(self, game):
        return load_bot("highest", game)


class TestCareful(GPTBotSuite):
    def make_bot(self, game):
        return load_bot("careful", game)


# -------------------------------------------------------------- the suite finds what it looks for


class Faulty:
    """A bot with a fault."""

    name = "faulty"

    def __init__(self):
        self.calls = 0

    def choose(self, observation, legal_actions, rng):
        self.calls += 1
        return self.wrong(observation, legal_actions, rng)


class Illegal(Faulty):
    def wrong(self, observation, legal_actions, rng):
        return Action("strike", 99)


class Forgetful(Faulty):
    def wrong(self, observation, legal_actions, rng):
        return legal_actions[self.calls % len(legal_actions)]


class Global(Faulty):
    def wrong(self, observation, legal_actions, rng):
        return random.choice(legal_actions)


class Stubborn(Faulty):
    def wrong(self, observation, legal_actions, rng):
        if observation.phase == "play":
            return Action("play", observation.hand[0])
        return legal_actions[0]


class Tidy(Faulty):
    def wrong(self, observation, legal_actions, rng):
        legal_actions.sort(key=str)
        return legal_actions[0]


class Nameless(Faulty):
    name = "\n"
    wrong = RandomBot.choose


class Bound(Faulty):
    def __init__(self):
        super().__init__()
        self.wrong = lambda observation, legal_actions, rng: legal_actions[0]


PEEKED = {}


class Peeking(Faulty):
    """Finds the state behind the observation by a way that no observation has."""

    def wrong(self, observation, legal_actions, rng):
        state = PEEKED.get(id(observation))
        if state is None:
            return legal_actions[0]
        return legal_actions[sum(card.rank for card in state.players[0].stock) % len(legal_actions)]


@pytest.mark.parametrize(
    ("bot", "test"),
    [
        (Illegal, "test_chooses_legal_actions"),
        (Forgetful, "test_same_chance_same_choice"),
        (Global, "test_global_chance_is_left_alone"),
        (Stubborn, "test_chooses_what_is_left"),
        (Tidy, "test_nothing_is_changed"),
        (Nameless, "test_has_a_name"),
    ],
)
def test_suite_finds_a_faulty_bot(bot, test):
    faulty = bot()

    class Suite(BotSuite):
        def make_bot(self, game):
            return faulty

        def make_games(self):
            return [load_game("gpt")]

        def _tables(self, game):
            # A bot that breaks the game is looked at in games between others.
            yield [RandomBot(), RandomBot()]

    with pytest.raises(AssertionError):
        getattr(Suite(), test)()


def test_suite_finds_a_bot_that_peeks():
    class Suite(BotSuite):
        seeds = range(1)

        def make_bot(self, game):
            return Peeking()

        def make_games(self):
            return [load_game("gpt", decks=("2222000b00222", "2222000b00222"))]

        def _tables(self, game):
            yield [RandomBot(), RandomBot()]

        def decisions(self, game):
            for at in super().decisions(game):
                PEEKED[id(at.seen)] = at.state
                yield at
                del PEEKED[id(at.seen)]

    with pytest.raises(AssertionError, match="peeked"):
        Suite().test_hidden_cards_do_not_matter()


def test_suite_finds_a_bot_that_cannot_travel():
    class Suite(BotSuite):
        def make_bot(self, game):
            return Bound()

        def make_games(self):
            return [load_game("gpt")]

    with pytest.raises(Exception, match="pickle"):
        Suite().test_can_be_sent_to_another_process()


# ------------------------------------------------------------------------------- the interface


def test_every_game_has_bots_and_random_is_the_first():
    for name in list_games():
        bots = list_bots(name)
        assert bots[0] == "random"
        for bot in bots:
            assert load_bot(bot, load_game(name)).name == bot


def test_gpt_has_its_bots():
    assert list_bots("gpt") == ["random", "highest", "learned", "careful"]


def test_unknown_names_are_refused_with_what_there_is():
    with pytest.raises(UnknownGameError, match="gpt"):
        list_bots("poker")
    with pytest.raises(RulesError, match=r'no bot "clever".*random, highest, learned, careful'):
        load_bot("clever", load_game("gpt"))


@pytest.mark.parametrize("bots", ["careful", ["careful"], ["careful"] * 3, None, 7, {1: 2, 3: 4}])
def test_a_wrong_number_of_bots_is_refused(bots):
    with pytest.raises(RulesError, match="exactly 2 bots"):
        seat_bots(load_game("gpt"), bots)


@pytest.mark.parametrize("bot", [None, 3, RandomBot, object()])
def test_what_is_no_bot_is_refused(bot):
    with pytest.raises(RulesError, match="no bot"):
        seat_bots(load_game("gpt"), ["random", bot])


def test_a_bots_chance_depends_on_seed_seat_and_move_alone():
    draws = {
        (seed, seat, move): bot_rng(seed, seat, move).random()
        for seed in (0, 1, -1, 11)
        for seat in (0, 1)
        for move in (0, 1, 11)
    }
    assert len({*draws.values()}) == len(draws)
    assert bot_rng(5, 1).random() == bot_rng(5, 1, 0).random()


def test_the_same_seed_plays_the_same_game():
    game = load_game("gpt")
    first, second = (play(game, ["careful", "random"], 9) for _ in range(2))
    assert first == second
    assert first.log == second.log
    assert first.is_terminal()
    assert play(game, ["careful", "random"], 10) != first


def test_play_goes_on_from_a_position_and_leaves_it_alone():
    game = load_game("gpt", decks=("2222000b00222", "2b2bbbbb0b022"))
    start = game.new_initial_state(1)
    before = start.to_dict()
    end = play(game, ["highest", "highest"], 2, start)
    assert start.to_dict() == before
    assert end.log[: len(start.log)] == start.log
    assert end.is_terminal()


def test_an_illegal_choice_is_an_error_that_says_why():
    with pytest.raises(IllegalActionError, match="pick a card"):
        play(load_game("gpt"), [Illegal(), "random"], 1)


def test_bots_take_part_in_the_games_own_chance_no_more_than_people():
    """A bot's generator is another one than the game's: the deal is the same for all bots."""
    game = load_game("gpt", decks=("2222000b00222", "2b2bbbbb0b022"))
    deals = {
        tuple(event.data["cards"] for event in play(game, bots, 4).log if event.kind == "gpt.deal")
        for bots in (["random", "random"], ["careful", "highest"])
    }
    assert len(deals) == 1


def test_bots_need_nothing_but_python(tmp_path):
    """They run where no other library is, such as in a browser."""
    import subprocess
    import sys

    code = (
        "import sys, cardlab.bots.gpt, cardlab.bots as b;"
        "b.play(b.load_game('gpt'), ['careful', 'highest'], 1);"
        "print([m for m in ('numpy', 'pandas', 'typer') if m in sys.modules])"
    )
    root = str(next(iter(cardlab.__path__)) + "/..")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout.strip() == "[]"
