"""Bots for GPT: one that always takes the highest card, and one that counts cards.

A place in the order of strength, 0 (red ace) to 25 (black king), stands for a card here: the higher
place wins a clash (G10, G11), and two cards of one place draw (G12).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import mul
from typing import NamedTuple

from cardlab.cards import UNKNOWN, Card
from cardlab.engine import Action, Observation
from cardlab.games.gpt import GPTRules, counters
from cardlab.games.gpt_deck import RANK_OF_BIT, UNIVERSE, Deck, nth_deck

__all__ = ["Careful", "Highest"]

_PLACES = range(26)
_PLACE = {card: place for universe in UNIVERSE for place, card in enumerate(universe)}


class Highest:
    """Always takes the highest card, black before red, and of the shields the first.

    That holds for its deck (as high as the cap allows at every pick) and for chosen shields, too.
    """

    name = "highest"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """The action with the highest card or the first shield."""
        return max(legal_actions, key=_height)


def _height(action: Action) -> int:
    # A slot counts from 0 up.
    return _PLACE[action.arg] if isinstance(action.arg, Card) else -int(str(action.arg))


class Careful:
    """Plays by rules of thumb about what its observation shows.

    *The deck* (G4)
        1. A card is worth the clashes that it wins, less the wins that a shield avenges, less what
           it loses; as a shield it is worth the attacks that it avenges. That grows faster than its
           number, so a king and an ace are better than two sevens.
        2. What a card wins depends on the decks that it meets. It expects an unknown deck and the
           one that takes the strongest cards first, finds the best answer, then the best answer to
           all these, and so on; it takes any of the answers, so that nobody can prepare for all.
    *The shields* (G6), where they are chosen
        3. The lowest cards become shields. The best shield avenges one attack; the same card in the
           hand wins a clash, and without it a low card loses one. Putting the highest down instead
           loses 99 games of 100 against this.
        4. They go down in random order, so that a slot tells nothing.
    *A card from the hand* (G9)
        5. The other seat has those of its 26 cards that it has not shown; the more it has spent of
           the cap, the lower they are (G4).
        6. Most people play high cards first: what they keep is not above what they last played.
        7. A win with a low card is half a win, since many a shield counters it (G14).
        8. The rest of the game is a race: every turn goes like an average one with the cards that
           are left after this choice. So strong cards are kept where they gain more later, the last
           shield is worth the game, and shields are counted when the cards run out (G15 to G18).
        9. The card with the best chance to win this race is played.
    *A shield to name* (G13, G14)
        10. Backs look alike, so any of them; of its own shields, if it knows them, the lowest.
    """

    name = "careful"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """The action that the rules of thumb prefer."""
        if len(legal_actions) == 1:
            return legal_actions[0]
        if observation.phase == "play":
            chances = _chances_to_win(observation)
            return max(legal_actions, key=lambda action: chances[_place(action)])
        if observation.phase == "deck":
            wanted = _wanted_picks(observation, rng)
        elif observation.phase == "shields":
            wanted = _wanted_shields(observation)
        else:
            return _name_shield(observation, legal_actions, rng)
        return rng.choice(
            [action for action in legal_actions if _place(action) in wanted] or legal_actions
        )


def _place(action: Action) -> int:
    assert isinstance(action.arg, Card)
    return _PLACE[action.arg]


# -------------------------------------------------------------------------------------------- decks

Weights = Sequence[float]
"""For each place how common that card is; the weights sum to 1."""

_UNIFORM = (1 / 26,) * 26
_STRUCK = 0.8
"""The share of shields that are attacked before a game is over."""


def _wanted_picks(observation: Observation, rng: random.Random) -> list[int]:
    """The places that a deck which holds all picks so far would still take."""
    rules = _rules(observation)
    picked = Deck.of(_known(observation.players[observation.player]["deck"])).mask
    decks = [mask for mask in _good_decks(rules) if mask & picked == picked]
    deck = rng.choice(decks) if decks else _completion(rules, picked)
    return _places(deck & ~picked)


@lru_cache(maxsize=64)
def _good_decks(rules: GPTRules) -> tuple[int, ...]:
    """Masks of decks, each the best one against the average of its predecessors.

    The first predecessors are an unknown deck and the one that takes the strongest cards first,
    which count three times each.
    """
    strongest = nth_deck(0, rules.deck_size, rules.deck_sum_max).mask
    met = [(_UNIFORM, _UNIFORM), _in_play(strongest, rules)] * 3
    decks = []
    for _ in range(8):
        decks.append(_best_deck(rules, 0, met))
        met.append(_in_play(decks[-1], rules))
    return tuple(decks)


@lru_cache(maxsize=256)
def _completion(rules: GPTRules, picked: int) -> int:
    return _best_deck(rules, picked, [_in_play(mask, rules) for mask in _good_decks(rules)])


def _best_deck(rules: GPTRules, picked: int, met: Sequence[tuple[Weights, Weights]]) -> int:
    """The mask of the most valuable legal deck that holds what is picked.

    ``met`` are the other seat's decks: how common the cards are in its hand and as its shields.
    """
    hand, shields = (
        [sum(column) / len(met) for column in zip(*weights, strict=True)]
        for weights in zip(*met, strict=True)
    )
    in_hand, as_shield = _values(hand, shields, rules.counter_compare)
    share = rules.n_shields / rules.deck_size
    lightest = list(accumulate(RANK_OF_BIT, initial=0))

    def can_be_filled(size: int, total: int, place: int) -> bool:
        end = place + rules.deck_size - size
        return place <= end <= 26 and total + lightest[end] - lightest[place] <= rules.deck_sum_max

    best: dict[tuple[int, int], tuple[float, int]] = {(0, 0): (0.0, 0)}
    for place in _PLACES:
        extended = {}
        if not picked >> place & 1:
            extended = {key: best[key] for key in best if can_be_filled(*key, place + 1)}
        for (size, total), (worth, mask) in best.items():
            key = (size + 1, total + RANK_OF_BIT[place])
            if not can_be_filled(*key, place + 1):
                continue
            if rules.shield_mode == "chosen":
                worth += (as_shield if size < rules.n_shields else in_hand)[place]
            else:
                worth += share * as_shield[place] + (1 - share) * in_hand[place]
            extended[key] = max(extended.get(key, (worth, 0)), (worth, mask | 1 << place))
        best = extended
    return max(found for (size, _), found in best.items() if size == rules.deck_size)[1]


def _in_play(mask: int, rules: GPTRules) -> tuple[Weights, Weights]:
    """How common each card of a deck is in the hand and as a shield."""
    places = _places(mask)
    if rules.shield_mode == "chosen":
        return _even(places[rules.n_shields :]), _even(places[: rules.n_shields])
    return _even(places), _even(places)


def _values(hand: Weights, shields: Weights, compare: str) -> tuple[Weights, Weights]:
    """What each card is worth in the hand and as a shield, in shields, against such an opponent."""
    below = list(accumulate(hand, initial=0.0))
    avenged = _avenged(shields, compare)
    lost = [weight * (1 - back) for weight, back in zip(hand, avenged, strict=True)]
    in_hand = [below[place] * (1 - avenged[place]) - sum(lost[place + 1 :]) for place in _PLACES]
    attacks = list(map(mul, hand, below))
    total = sum(attacks) or 1.0  # nothing beats anything where all have the same card
    attacked_by = list(zip(attacks, _weakest_avengers(compare), strict=True))
    as_shield = [
        _STRUCK * sum(attack for attack, first in attacked_by if shield >= first) / total
        for shield in _PLACES
    ]
    return in_hand, as_shield


def _avenged(shields: Weights, compare: str) -> list[float]:
    """For each attacking card the chance that such a shield counters it."""
    from_here_up = [1 - below for below in accumulate(shields, initial=0.0)]
    return [from_here_up[first] for first in _weakest_avengers(compare)]


@lru_cache(maxsize=3)
def _weakest_avengers(compare: str) -> tuple[int, ...]:
    """For each attacking card the lowest shield that counters it, 26 if none does."""
    pack = UNIVERSE[0]
    return tuple(
        sum(not counters(shield, attacker, compare) for shield in pack) for attacker in pack
    )


def _places(mask: int) -> list[int]:
    return [place for place in _PLACES if mask >> place & 1]


def _even(places: Sequence[int]) -> Weights:
    return [(place in places) / len(places) for place in _PLACES]


# ------------------------------------------------------------------------------------------ shields


def _wanted_shields(observation: Observation) -> list[int]:
    """The places of the lowest cards, as many as shields are still to be put down."""
    mine = observation.players[observation.player]
    rest = sorted(_PLACE[card] for card in _known(mine["deck"]))
    return rest[: _rules(observation).n_shields - len(mine["shields"])]


def _name_shield(
    observation: Observation, legal_actions: Sequence[Action], rng: random.Random
) -> Action:
    own = observation.phase == "counter" and _rules(observation).counter_choice == "owner"
    seat = observation.player if own else 1 - observation.player
    shields = observation.players[seat]["shields"]

    def strength(action: Action) -> int:
        assert isinstance(action.arg, int)
        shield = shields[action.arg]
        return -1 if shield is None else _PLACE.get(shield, -1)

    weakest = min(map(strength, legal_actions))
    return rng.choice([action for action in legal_actions if strength(action) == weakest])


# ------------------------------------------------------------------------------ cards from the hand

_HABIT = 0.9
"""How sure it is that the other seat plays high cards first."""

_KNOCKOUT = {"attacker_wins": 1.0, "draw": 0.5, "counter_player_wins": 0.0}
"""What a double knock-out is worth to the seat whose attack began it (G17)."""


class Outcome(NamedTuple):
    """Chances of what a turn brings; with what is left to 1 it brings a draw."""

    win: float
    win_avenged: float
    loss: float
    loss_avenged: float


def _chances_to_win(observation: Observation) -> dict[int, float]:
    """For the place of each card in the hand, how probably playing it wins the game."""
    rules = _rules(observation)
    me = observation.player
    mine, theirs = observation.players[me], observation.players[1 - me]
    hand = [_PLACE[card] for card in observation.hand]
    stock = len(mine["stock"])
    unseen = _unseen_own(observation)
    held = _held(observation)
    own_shields = [_PLACE[card] for card in _known(mine["shields"])] or unseen
    avenged = _avenged(held, rules.counter_compare)
    avenges = _avenged(_even(own_shields), rules.counter_compare)
    now = _outcomes(hand, _next_card(observation, held), avenged, avenges)
    later = _outcomes({*hand, *unseen}, held, avenged, avenges)
    left, right = (len(zones["shields"]) - zones["shields"].count(None) for zones in (mine, theirs))
    knockout = _KNOCKOUT[rules.double_knockout]
    turns = len(hand) + stock - 1
    parts = [*zip(*(later[other] for other in (*hand, *unseen)), strict=True)]
    yet_to_come = [stock / (len(unseen) or 1)] * len(unseen)

    def chance(place: int) -> float:
        weights = [*(float(other != place) for other in hand), *yet_to_come]
        average = Outcome(*(sum(map(mul, part, weights)) / (turns or 1) for part in parts))
        table = _race(average, left, right, turns, knockout)
        return _after(now[place], table, left, right, knockout)

    return {place: chance(place) for place in hand}


def _unseen_own(observation: Observation) -> list[int]:
    """The places of the seat's own cards whose whereabouts it does not know."""
    mine = observation.players[observation.player].values()
    seen = {card for zone in mine for card in zone} | set(observation.out)
    return [_PLACE[card] for card in UNIVERSE[observation.player] if card not in seen]


def _held(observation: Observation) -> Weights:
    """How probable each card is as one that the other seat still has.

    Of its unseen cards the low ones are the more probable the less of the cap is left: the weights
    lean just so far that their mean is what each card may cost.
    """
    rules = _rules(observation)
    universe = UNIVERSE[1 - observation.player]
    out = set(observation.out)
    unseen = [card for card in universe if card not in out]
    shown = [card.rank for card in universe if card in out]
    affordable = (rules.deck_sum_max - sum(shown)) / (rules.deck_size - len(shown))
    mean = sum(card.rank for card in unseen) / len(unseen)
    spread = sum((card.rank - mean) ** 2 for card in unseen) / len(unseen)
    lean = (affordable - mean) / spread if spread else 0.0
    weights = [0.0] * 26
    for card in unseen:
        weights[_PLACE[card]] = max(0.05, 1 + lean * (card.rank - mean))
    total = sum(weights)
    return [weight / total for weight in weights]


def _next_card(observation: Observation, held: Weights) -> Weights:
    """How probable each card is as the other seat's next one."""
    size = len(observation.players[1 - observation.player]["hand"])
    drew = size == _rules(observation).hand_size
    last = _last_card(observation)
    up_to = list(accumulate(held))
    kept = up_to[25 if last is None else last] or 1.0

    def highest_up_to(share: float) -> float:
        """The chance that the highest card of the hand is within this share of the cards."""
        below = min(1.0, share / kept)
        return share * below ** (size - 1) if drew else below**size

    bounds = [0.0, *map(highest_up_to, up_to)]
    return [
        (1 - _HABIT) * held[place] + _HABIT * (bounds[place + 1] - bounds[place])
        for place in _PLACES
    ]


def _last_card(observation: Observation) -> int | None:
    """The place of the card that the other seat played last, if it has played one."""
    for event in reversed(observation.log):
        if event.rule in ("G10", "G11", "G12"):
            return _PLACE[event.data["cards"][1 - observation.player]]
    return None


def _outcomes(
    places: Iterable[int], theirs: Weights, avenged: Weights, avenges: Weights
) -> dict[int, Outcome]:
    """What playing each of these cards brings against a card with the probabilities ``theirs``."""
    below = list(accumulate(theirs, initial=0.0))
    back = list(accumulate(map(mul, theirs, avenges), initial=0.0))
    return {
        place: Outcome(
            win=below[place] * (1 - avenged[place]),
            win_avenged=below[place] * avenged[place],
            loss=1 - below[place + 1] - (back[26] - back[place + 1]),
            loss_avenged=back[26] - back[place + 1],
        )
        for place in places
    }


Table = list[list[float]]
"""Chance to win the game by the number of one's own shields, then of the other seat's."""


def _race(average: Outcome, mine: int, theirs: int, turns: int, knockout: float) -> Table:
    """Chances when every one of the remaining turns is an average one."""
    win, win_avenged, loss, loss_avenged = average
    trade = win_avenged + loss_avenged
    tie = 1 - win - trade - loss
    both_fall = _share(win_avenged, loss_avenged, knockout)
    table = [[0.5 if a == b else float(a > b) for b in range(theirs + 1)] for a in range(mine + 1)]
    table[0] = [both_fall] + [0.0] * theirs
    # From the most shields down, so that the places below still hold what one turn less brings.
    levels, places = [*pairwise(table)][::-1], range(theirs, 0, -1)
    for _ in range(turns):
        for below, level in levels:
            for b in places:
                level[b] = (
                    trade * below[b - 1] + loss * below[b] + win * level[b - 1] + tie * level[b]
                )
    return table


def _after(outcome: Outcome, table: Table, mine: int, theirs: int, knockout: float) -> float:
    """The chance to win after a turn that begins with these shields, the race being the rest."""
    win, win_avenged, loss, loss_avenged = outcome
    trade = win_avenged + loss_avenged
    both_fall = _share(win_avenged, loss_avenged, knockout)
    return (
        win * table[mine][theirs - 1]
        + trade * (both_fall if mine == theirs == 1 else table[mine - 1][theirs - 1])
        + loss * table[mine - 1][theirs]
        + (1 - win - trade - loss) * table[mine][theirs]
    )


def _share(win_avenged: float, loss_avenged: float, knockout: float) -> float:
    """What a double knock-out is worth, whoever's attack began it (G17)."""
    trade = win_avenged + loss_avenged
    return (win_avenged * knockout + loss_avenged * (1 - knockout)) / trade if trade else 0.5


# ------------------------------------------------------------------------------------- observations


def _rules(observation: Observation) -> GPTRules:
    assert isinstance(observation.rules, GPTRules)
    return observation.rules


def _known(zone: Sequence[Card | None]) -> list[Card]:
    """The cards of a zone whose faces can be seen."""
    return [card for card in zone if card is not None and card is not UNKNOWN]
