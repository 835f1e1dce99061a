"""Alicematic and the drafts pass the suite for all games.

What a seat cannot know is dealt anew here by the rulebook alone, without asking the game what it
shows. The whole log, secrets included, says where each single card really went; those that the seat
has seen stay where they are, all others change places, and what the log says of them is changed.
"""

import random
from collections import Counter
from typing import ClassVar

from cardlab import load_game
from cardlab.cards import ORDER
from cardlab.engine import END
from cardlab.testing import GameSuite, Step


class Witness:
    """What a seat has seen of a game, and the log with everything changed that it has not."""

    def __init__(self, state, me):
        self.me = me
        self.secret_discards = not state.game.plan.discard_open
        self.seen = Counter()
        """For each zone, seat and card: how many copies that lie there it has once seen."""
        self.open = set()
        """The seats whose hands lie open."""
        self.fresh = None
        """The card of this turn, if it has seen it."""
        self.gift = None
        self.log = []
        for event in state.log:
            known = self.follow(event.kind.partition(".")[2], event.player, event.data)
            self.log.append(event if known else event._replace(data=spoiled(state, event.data)))

    def leave(self, seat, *cards):
        """Cards have left a hand; of equal ones those that were seen go first."""
        was_seen = []
        for card in cards:
            was_seen.append(self.seen["hand", seat, card] > 0)
            self.seen["hand", seat, card] -= was_seen[-1]
        return was_seen

    def follow(self, what, seat, data):
        """Go on by one event; tell whether the seat may know what it says."""
        me, mine, card = self.me, seat == self.me, data.get("card")
        if what in ("deal", "kept"):
            return mine
        if what == "draw":
            self.fresh = card if mine else None
            return mine
        if what == "release":
            self.fresh = card if me in (seat, data["target"]) else None
            return self.fresh is not None
        if what == "offer":
            return self.fresh is not None
        if what == "trash" and self.secret_discards:
            self.seen["discards", None, card] += self.fresh is not None
            return self.fresh is not None
        if what in ("give", "given", "taken"):
            return self.follow_gift(what, seat, data)
        if what == "bury":
            public = mine or seat in self.open
            for each, was_seen in zip(data["cards"], self.leave(seat, *data["cards"]), strict=True):
                self.seen["buried", seat, each] += public or was_seen
            return public
        if what in ("hold", "accept"):
            self.seen["hand", seat, self.fresh] += self.fresh is not None
        elif what == "army":
            # The card of this turn is one of those that are played.
            self.leave(seat, *[card] * (data["n"] - (self.fresh is None)))
        elif what == "begin":
            self.leave(seat, *[card] * (self.fresh is not None))
        elif what in ("add", "medallion", "discard", "lust"):
            self.leave(seat, card)
        elif what == "greed":
            self.leave(seat, card, card)
        elif what == "refused":
            self.leave(self.gift[1], card)
        elif what == "shown":
            self.seen["hand", seat, card] += self.fresh is None
        elif what in ("exposed", "score"):
            for each in {*data["cards"]}:
                self.seen["hand", seat, each] = data["cards"].count(each)
            self.open.add(seat)
        elif what == "covered":
            self.open.remove(seat)
        return True

    def follow_gift(self, what, seat, data):
        if what == "give":
            known = self.me in (seat, data["target"]) or {seat, data["target"]} & self.open
            self.gift = data["card"], seat, bool(known)
        elif what == "taken":
            card, giver, known = self.gift
            (was_seen,) = self.leave(giver, card)
            self.seen["hand", seat, card] += known or was_seen
            return True
        return self.gift[2]

    def sees(self, state, owner, zone):
        if zone in ("laid", "medallions") or (owner is not None and owner == self.me):
            return True
        return zone == "hand" and (owner in self.open or state.phase == END)


def spoiled(state, data):
    """The data of an event with other cards and numbers in it."""
    kinds = state.game.kinds

    def other(value):
        if value in kinds:
            return kinds[(kinds.index(value) + 1) % len(kinds)]
        return tuple(map(other, value)) if isinstance(value, tuple) else value + 1

    return {name: value if name == "target" else other(value) for name, value in data.items()}


def deal_anew(state, me, rng):
    """The cards that ``me`` has never seen change places; all others stay."""
    witness = Witness(state, me)
    places, cards = [], []
    for owner, seat in [*enumerate(state.players), (None, state.table)]:
        # Of a hand from which a set is being picked, only some cards can be anything.
        picking = state.phase == "set" and owner in state.to_move
        for zone, content in seat.zones().items():
            if picking or witness.sees(state, owner, zone):
                continue
            if zone == "fresh":
                giving = state.phase in ("receive", "army") and witness.fresh is not None
                gift = state.phase == "envy_receive" and witness.gift[2]
                hidden = [] if giving or gift else enumerate(content)
            else:
                count = Counter()
                count.update({card: witness.seen[zone, owner, card] for card in {*content}})
                hidden = []
                for place, card in enumerate(content):
                    count[card] -= 1
                    if count[card] < 0:
                        hidden.append((place, card))
            for place, card in hidden:
                places.append((content, place))
                cards.append(card)
    rng.shuffle(cards)
    for (content, place), card in zip(places, cards, strict=True):
        content[place] = card
    for seat in (*state.players, state.table):
        for zone, content in seat.zones().items():
            if zone in ("hand", "buried", "removed", "discards"):
                content.sort(key=ORDER)
    state._log = witness.log
    return state


EAGER = {"hold": 2, "begin": 20, "medallion": 20, "to": 20, "greed": 20, "release": 0.5}


def eagerness(action):
    """How much more often an action is chosen than others: large armies call for medallions."""
    return (action.arg - 2) ** 3 if action.kind == "army" else EAGER.get(action.kind, 1)


class Suite(GameSuite):
    """Random games in which sets and medallions are played more often than by chance."""

    seeds = range(1)
    probes = 40

    def redeal(self, state, player, rng):
        return deal_anew(state, player, rng)

    def play(self, state, seed):
        rng = random.Random(seed)
        number = 0
        while state.to_move:
            (player,) = state.to_move
            legal = state.legal_actions(player)
            (action,) = rng.choices(legal, [*map(eagerness, legal)])
            before = state.clone()
            yield Step(seed, number, before, player, action, state.apply(action, player))
            number += 1
        yield Step(seed, number, state.clone(), None, None, ())


class AlicematicSuite(Suite):
    rule_numbers: ClassVar = {f"A{number}" for number in range(1, 30)}
    options: ClassVar = {}

    def make_game(self):
        return load_game("alicematic", **self.options)


class TestThreePlayers(AlicematicSuite):
    options: ClassVar = {"n_players": 3}


class LateSuite(AlicematicSuite):
    """Only the last turns are looked at, when there is most to remember."""

    from_turn = 1
    # A game from its first deal is not what is looked at here.
    test_same_seed_same_game = None

    def steps(self):
        for seed in self.seeds:
            state, rng = self.make_game().new_initial_state(seed), random.Random(f"late {seed}")
            while state.turn < self.from_turn:
                legal = state.legal_actions()
                state.apply(*rng.choices(legal, [*map(eagerness, legal)]))
            yield from self.play(state, seed)


class TestFourPlayers(LateSuite):
    from_turn = 33


class TestFivePlayers(LateSuite):
    options: ClassVar = {"n_players": 5}
    from_turn = 46


class TestManyArmies(LateSuite):
    """Three numbers only, so that armies and medallions come in almost every turn."""

    from_turn = 20
    options: ClassVar = {"n_players": 3, "counts": (18, 18, 17), "hand_limit": 8}


class TestMedallions(AlicematicSuite):
    """Late positions in which three players in turn can play large armies and every medallion."""

    options: ClassVar = {"n_players": 3}
    seeds = range(4)
    hands = ("1 1 1 sloth envy 9 7", "2 2 2 2 wrath pride 6", "3 3 3 greed lust 5 5")
    # A game from its first deal is not what is played here.
    test_same_seed_same_game = None

    def steps(self):
        for seed in self.seeds:
            seats = [{"hand": hand.split()} for hand in self.hands]
            seats[0]["fresh"] = ["1"]
            named = Counter(card for seat in seats for zone in seat.values() for card in zone)
            pile = ["1", "4", "3", "2"]
            rest = Counter(card.ascii for card in self.make_game().deck) - named - Counter(pile)
            removed = [*rest.elements()]
            position = {"turn": 25, "players": seats, "seed": seed}
            position["table"] = {"pile": [removed.pop(), *pile], "removed": removed[:20]}
            position["out"] = removed[20:]
            yield from self.play(self.make_game().state_from_dict(position), seed)


class TestOtherReadings(LateSuite):
    from_turn = 20
    seeds = (1,)
    options: ClassVar = {
        "n_players": 3,
        "counts": (18, 18, 17),
        "hand_limit": 4,
        "played_medallion": "number",
        "requirement_counts_lust": True,
        "over_limit_blocks_receive": True,
        "release_target": "left",
        "start_rotates": True,
        "envy_refusable": True,
        "removed": 10,
    }


class CollectSuite(Suite):
    rule_numbers: ClassVar = {f"S{number}" for number in range(1, 17)}
    options: ClassVar = {}

    def make_game(self):
        # Short games: what differs from draft to draft differs in every turn.
        return load_game("collect", **{"n_players": 3, "rounds": 4} | self.options)


class TestD0(CollectSuite):
    options: ClassVar = {"preset": "d0", "n_players": 2, "rounds": 5}


class TestD2b(CollectSuite):
    options: ClassVar = {"preset": "d2b"}


class TestD2bReturn(CollectSuite):
    options: ClassVar = {"preset": "d2b_return"}


class TestD3(CollectSuite):
    options: ClassVar = {
        "preset": "d3",
        "counts": (6, 6, 4),
        "rounds": 0,
        "discard_open": False,
        "hand_limit": 5,
    }


class TestD4(CollectSuite):
    options: ClassVar = {"preset": "d4_end", "rounds": 0, "end_card": 40}


class TestD4ThreePlayers(CollectSuite):
    options: ClassVar = {
        "preset": "d4_three",
        "counts": (2, 1, 1),
        "may_refuse": "return",
        "items": True,
    }


class TestD5(CollectSuite):
    options: ClassVar = {"preset": "d5", "may_refuse": "no", "over_limit_blocks_receive": True}


class TestD7(CollectSuite):
    options: ClassVar = {"preset": "d7c", "release_target": "left", "counts": (18, 18, 17)}
