"""Verdicts rest on facts, and stand in one table."""

import pytest

from cardlab.analysis.claims import Claims
from cardlab.errors import RulesError


def test_verdicts_in_the_order_of_their_numbers():
    claims = Claims("ja")
    assert claims.verdict("K10", "holds", True) == "K10: 正しい"
    assert claims.verdict("K2", "depends", 1, "yes") == "K2: 場合による"
    assert claims.table().to_numpy().tolist() == [["K2", "場合による"], ["K10", "正しい"]]
    assert [*claims] == ["K10", "K2"]


def test_a_verdict_needs_facts_that_are_so():
    claims = Claims()
    with pytest.raises(AssertionError, match="no fact"):
        claims.verdict("K1", "holds")
    with pytest.raises(AssertionError, match="fact 2 of 3"):
        claims.verdict("K1", "fails", True, False, True)
    with pytest.raises(RulesError, match="holds, fails, depends"):
        claims.verdict("K1", "maybe", True)
    with pytest.raises(RulesError):
        Claims("fr")
    assert claims.table().empty
