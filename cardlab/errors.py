"""Everything that cardlab refuses, it refuses with one of these errors.

An error holds the key of a sentence in the message catalogues and the values that fill it, so the
same refusal reads in every language: ``str(error)`` is the English sentence, ``error.text("ja")``
the Japanese one.
"""

from __future__ import annotations

from typing import Any

from cardlab import locale


class CardlabError(Exception):
    """Base of all errors that are meant for the person who uses cardlab.

    Parameters
    ----------
    key
        Key of the sentence in the catalogues, such as ``"core.error.unknown_game"``.
    rule
        Number of the rule that forbids it, such as ``"G9"``; ``None`` where no rule is at stake.
    params
        Values for the placeholders of the sentence.
    """

    def __init__(self, key: str, rule: str | None = None, **params: Any) -> None:
        super().__init__(key)
        self.key = key
        self.rule = rule
        self.params = params

    def text(self, lang: str = "en") -> str:
        """The sentence in the language ``lang``; the rule's number follows if it has one."""
        sentence = locale.text(self.key, lang, **self.params)
        return f"{sentence} [{self.rule}]" if self.rule else sentence

    def __str__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own pickling would call the class with ``args`` only and lose the values.
        return _rebuild, (type(self), self.key, self.rule, self.params)


def _rebuild(
    cls: type[CardlabError], key: str, rule: str | None, params: dict[str, Any]
) -> CardlabError:
    return cls(key, rule, **params)


class UnknownGameError(CardlabError, ValueError):
    """No game of that name exists."""


class RulesError(CardlabError, ValueError):
    """An option does not exist, or its value is not allowed."""


class NotationError(CardlabError, ValueError):
    """A card, an action or a deck code cannot be read."""


class DeckError(CardlabError, ValueError):
    """A deck breaks the rules; ``faults`` holds one :class:`CardlabError` for each fault."""

    @property
    def faults(self) -> tuple[CardlabError, ...]:
        """What is wrong, one error for each fault."""
        return tuple(self.params["faults"])


class IllegalActionError(CardlabError, ValueError):
    """The action is not allowed now; the state has not changed."""


class PositionError(CardlabError, ValueError):
    """A position (the dictionary form of a state) is not one that the game can have."""


class RecordError(CardlabError, ValueError):
    """A record file cannot be read, replayed or written."""
