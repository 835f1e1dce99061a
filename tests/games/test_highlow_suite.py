"""High-Low passes the suite for all games; hidden cards are dealt anew by the rulebook alone."""

from typing import ClassVar

from cardlab import load_game
from cardlab.testing import GameSuite


def deal_anew(state, me, rng):
    """Cards that ``me`` cannot know change places, and what the log says of them is changed.

    Who has shown a hand is read from the log: the game is not asked what it shows.
    """
    shown = {e.player for e in state.log if e.kind in ("highlow.hold", "highlow.full")}
    shared = state.game.rules.decks == "shared"
    hidden = [player for player in range(len(state.players)) if player not in (me, *shown)]
    groups = [[(state.players[player].hand, state.players[player].pile)] for player in hidden]
    piles = [seat.pile for seat in state.players]
    if shared:
        groups = [[(state.players[player].hand, []) for player in hidden]]
        piles = [state.table.pile]
    places = [[each for pair in group for each in pair] for group in groups]
    if shared:
        places[0] += piles
    else:
        places += [[state.players[player].pile] for player in {me, *shown}]
    for zones in places:
        cards = [card for zone in zones for card in zone]
        rng.shuffle(cards)
        for zone in zones:
            zone[:] = [cards.pop() for _ in zone]
    state._log = [
        event if event.player not in hidden else event._replace(data=spoiled(state, event))
        for event in state.log
    ]
    return state


def spoiled(state, event):
    """Other data of the same shape for a secret event."""
    if event.kind not in ("highlow.first", "highlow.draw"):
        return event.data
    deck = state.game.deck
    data = {**event.data, "card": deck[(deck.index(event.data["card"]) + 1) % len(deck)]}
    return data | {"choice": "equal", "points": 0} if "choice" in data else data


class Suite(GameSuite):
    rule_numbers: ClassVar = {f"H{number}" for number in range(1, 13)}
    options: ClassVar = {}
    seeds = range(4)

    def make_game(self):
        return load_game("highlow", **self.options)

    def redeal(self, state, player, rng):
        return deal_anew(state, player, rng)


class TestD1(Suite):
    pass


class TestD1b(Suite):
    options: ClassVar = {"preset": "d1b", "n_players": 6}


class TestD1bZero(Suite):
    options: ClassVar = {"preset": "d1b_zero", "suits": 2, "copies": 2, "n_players": 3}


class TestD1c(Suite):
    options: ClassVar = {"preset": "d1c", "n_players": 4}


class TestSeparateDecks(Suite):
    options: ClassVar = {"decks": "separate", "n_players": 3, "copies": 2, "equal": "minus"}


class TestOneByOne(Suite):
    options: ClassVar = {"order": "one_by_one", "equal": "plus", "max_cards": 3, "highest": 7}
