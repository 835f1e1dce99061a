"""The bot that plays by a learned table."""

import hashlib
import json
import random
from collections import Counter
from importlib import resources

import pytest

from cardlab import load_game
from cardlab.bots import bot_rng, load_bot, play
from cardlab.bots.gpt_table import CARDS, LearnedTable, considered, learned, situation
from cardlab.bots.testing import BotSuite
from cardlab.games.gpt_deck import CAP, SIZE, Deck, bit_of

GAME = load_game("gpt")
DECKS = "2222000b00222", "22b2bb0000222"


class TestLearned(BotSuite):
    seeds = range(1)

    def make_bot(self, game):
        return load_bot("learned", game)

    def make_games(self):
        return [
            GAME,
            load_game("gpt", decks=DECKS, shield_mode="chosen", counter_choice="owner"),
            load_game("gpt", deck_size=26, deck_sum_max=182, n_shields=7, hand_size=5),
            load_game("gpt", deck_size=2, n_shields=1, hand_size=1),
        ]


def test_the_table_is_whole():
    table = learned()
    assert len(table.weights) == CARDS * table.abstraction.size
    file = resources.files("cardlab.bots").joinpath("gpt_learned.json")
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["sha256"] == hashlib.sha256(table.weights).hexdigest()
    assert table.to_json() == text
    assert table.recipe["command"] == "python -m tools.train_gpt"
    assert sum(table.decks.values()) == pytest.approx(1, abs=1e-3)
    for code in table.decks:
        deck = Deck.parse(code)
        assert (deck.size, deck.sum <= CAP) == (SIZE, True)


def test_cards_are_drawn_with_the_chances_of_the_table():
    bot = load_bot("learned", GAME)
    mixed = 0
    for seed in range(12):
        state = load_game("gpt", decks=DECKS).new_initial_state(seed)
        seen, legal = state.observation(0), state.legal_actions(0)
        row = CARDS * situation(seen, learned().abstraction)
        weights = learned().weights[row : row + CARDS]
        hand = sorted(seen.hand, key=bit_of)
        rng = random.Random(seed)
        drawn = Counter(bot.choose(seen, legal, rng).arg for _ in range(600))
        for slot, weight in zip(considered(len(hand)), weights, strict=True):
            chance = weight / sum(weights) if sum(weights) else 1 / len(hand)
            spread = (600 * chance * (1 - chance)) ** 0.5
            assert abs(drawn[hand[slot]] - 600 * chance) <= 4.5 * spread
        mixed += len(drawn) > 1
    assert mixed


def test_an_unseen_situation_is_chance(monkeypatch):
    empty = LearnedTable(learned().abstraction, bytes(len(learned().weights)), {}, {})
    monkeypatch.setattr("cardlab.bots.gpt_table.learned", lambda: empty)
    state = load_game("gpt", decks=DECKS).new_initial_state(1)
    bot, rng = load_bot("learned", GAME), random.Random(1)
    chosen = {bot.choose(state.observation(0), state.legal_actions(0), rng).arg for _ in range(100)}
    assert chosen == set(state.players[0].hand)


def test_its_decks_are_those_of_the_table():
    bot = load_bot("learned", GAME)
    built = set()
    for seed in range(12):
        state, rng = GAME.new_initial_state(seed), bot_rng(seed, 0)
        while state.phase == "deck":
            seat = state.to_move[0]
            state.apply(bot.choose(state.observation(seat), state.legal_actions(seat), rng), seat)
        for each in state.players:
            cards = [*each.hand, *each.stock, *each.shields]
            built.add(Deck.of(cards).code)
    assert built <= set(learned().decks)
    assert len(built) > 1 or len(learned().decks) == 1


def test_it_is_stronger_than_chance():
    assert sum(play(GAME, ["learned", "random"], seed).returns()[0] for seed in range(30)) > 8
