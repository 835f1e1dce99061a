"""What the terminal offers to a person who builds a deck of GPT card by card."""

from __future__ import annotations

from cardlab import locale
from cardlab.engine import Action, Observation
from cardlab.errors import DeckError, NotationError
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import Deck, best_completion, check_deck, choices, count_decks


def picks(line: str, seen: Observation) -> list[Action] | None:
    """The picks that a whole deck asks for: its code, or ``fill`` for the best sum.

    ``None`` when no deck is being built or the line is something else. Raises
    :class:`~cardlab.errors.DeckError` for a deck that is not legal or lacks a card that is picked.
    """
    if not isinstance(seen.rules, GPTRules) or seen.phase != "deck":
        return None
    rules, picked = seen.rules, _picked(seen)
    if line.lower() == "fill":
        deck = best_completion(picked, rules.deck_size, rules.deck_sum_max)
        assert deck is not None  # the game lets nobody pick what no deck can hold
    else:
        try:
            deck = Deck.parse(line)
        except NotationError:
            return None
        check_deck(deck, rules.deck_size, rules.deck_sum_max, seen.player)
    lacking = Deck(picked.mask & ~deck.mask)
    if len(lacking):
        raise DeckError("cli.error.lacks", cards=lacking.cards(seen.player))
    return [Action("pick", card) for card in deck.cards(seen.player)[::-1] if card not in picked]


def note(seen: Observation, lang: str) -> str:
    """The sum so far, what is left of the cap, and how many decks are still possible."""
    if not isinstance(seen.rules, GPTRules) or seen.phase != "deck":
        return ""
    rules, picked = seen.rules, _picked(seen)
    size, cap = rules.deck_size, rules.deck_sum_max
    possible = count_decks(size, cap, None, choices(required=picked))
    chosen = {"number": len(picked), "size": size, "total": picked.sum, "cap": cap}
    sentences = (
        locale.text("cli.decks.chosen", lang, **chosen),
        locale.text("cli.decks.possible", lang, n=possible, number=f"{possible:,}"),
    )
    return " ".join(sentences)


def about(seen: Observation, lang: str) -> str:
    """What may be typed to name a whole deck."""
    building = isinstance(seen.rules, GPTRules) and seen.phase == "deck"
    return locale.text("cli.play.help_deck", lang) if building else ""


def _picked(seen: Observation) -> Deck:
    return Deck.of(card for card in seen.players[seen.player]["deck"] if card is not None)
