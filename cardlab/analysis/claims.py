"""Claims, the facts that decide them, and the verdicts in one table.

>>> claims = Claims()
>>> claims.verdict("K8", "holds", 16 + 17 + 18 + 19 + 20 == 90)
'K8: holds'
>>> claims.verdict("K0", "fails", 1 + 1 == 2, 1 + 1 == 3)
Traceback (most recent call last):
AssertionError: K0: fact 2 of 2 is not so
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cardlab import locale
from cardlab.errors import RulesError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["VERDICTS", "Claims"]

VERDICTS = ("holds", "fails", "depends")
"""What can become of a claim."""


class Claims:
    """The claims that have been decided so far.

    Parameters
    ----------
    lang
        Language of the verdicts.
    """

    def __init__(self, lang: str = "en") -> None:
        locale.text("core.list", lang)
        self.lang = lang
        self._verdicts: dict[str, str] = {}

    def verdict(self, claim: str, verdict: str, *facts: object) -> str:
        """Decide a claim; every fact that the verdict rests on has to be true.

        Returns the verdict in words. Raises :class:`AssertionError` for a fact that is not so, or
        when none is given, and :class:`RulesError` for a verdict that does not exist.
        """
        if verdict not in VERDICTS:
            raise RulesError(
                "analysis.error.verdict", claim=claim, value=str(verdict), allowed=VERDICTS
            )
        if not facts:
            raise AssertionError(f"{claim}: no fact is given")
        for number, fact in enumerate(facts, start=1):
            if not fact:
                raise AssertionError(f"{claim}: fact {number} of {len(facts)} is not so")
        self._verdicts[claim] = verdict
        return f"{claim}: {self._word(verdict)}"

    def table(self) -> pd.DataFrame:
        """The claims in the order of their numbers, with their verdicts."""
        import pandas as pd

        rows = [(claim, self._word(self._verdicts[claim])) for claim in sorted(self, key=_number)]
        return pd.DataFrame(rows, columns=[self._word("claim"), self._word("verdict")])

    def _word(self, word: str) -> str:
        return locale.text(f"analysis.verdict.{word}", self.lang)

    def __iter__(self) -> Iterator[str]:
        return iter(self._verdicts)


def _number(claim: str) -> tuple[int, str]:
    digits = "".join(filter(str.isdigit, claim))
    return int(digits or 0), claim
