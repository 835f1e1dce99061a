"""Figures show the numbers of their tables, in every language, and need no more than they must."""

import json
import math
import random
import re
import subprocess
import sys

import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
import pytest

import cardlab
from cardlab import locale, plots
from cardlab.analysis import decks, simulate, worth
from cardlab.analysis.draws import Deck
from cardlab.errors import RulesError
from cardlab.games import gpt_deck


def play(seed):
    """A game between random players, and the shields that the state itself told after each turn."""
    state = cardlab.load_game("gpt").new_initial_state(seed=seed)
    rng = random.Random(seed)
    told = {}
    while not state.is_terminal():
        player = state.to_move[0]
        turn = state.turn
        state.apply(rng.choice(state.legal_actions(player)), player)
        if state.phase in ("play", "end") and len(state.players[0].shields) == 5:
            told[turn if state.is_terminal() else state.turn - 1] = state.scores()
    return state, told


STATE, _ = play(1)
GAMES = pd.DataFrame(
    {
        "winner": pd.array([0] * 50 + [1] * 30 + [None] * 20, dtype="Int64"),
        "deck": ["low", "high"] * 50,
    }
)
FEW = decks.enumerate(3, 36)
VALUES = FEW.sums / 40 - 1
CARDS = worth.cards(FEW, VALUES, {FEW[-1]: 1})
CAPS = {"cap": [99, 100, 101], "against_default": [-0.03, 0.0, 0.02]}
MIXTURES = {
    "cap": [99] * 13 + [100] * 13,
    "n_shields": [4] * 13 + [5] * 13,
    "rank": [*range(1, 14)] * 2,
    "copies": [rank / 13 for rank in range(26)],
}
FIGURES = {
    "sum": lambda lang: plots.decks_by_sum(lang=lang),
    "cap": lambda lang: plots.effect_of_cap(lang=lang),
    "high": lambda lang: plots.decks_by_high_cards(lang=lang),
    "composition": lambda lang: plots.composition(lang=lang),
    "bysum": lambda lang: plots.best_by_sum(worth.by_sum(FEW, VALUES), lang),
    "worth": lambda lang: plots.card_worth(CARDS, lang),
    "shares": lambda lang: plots.card_shares(worth.holding(FEW), lang),
    "copies_cap": lambda lang: plots.copies_by_rule(MIXTURES, "cap", lang),
    "copies_shields": lambda lang: plots.copies_by_rule(MIXTURES, "n_shields", lang),
    "worthcap": lambda lang: plots.worth_of_cap(CAPS, lang),
    "race": lambda lang: plots.shield_race(STATE.log, lang),
    "outcomes": lambda lang: plots.outcome_shares(GAMES, lang),
    "sets": lambda lang: plots.sets_by_number(Deck((8, 8, 6, 4)).table(10), lang),
    "groups": lambda lang: plots.outcome_shares(GAMES, lang, by="deck"),
}


def words(figure):
    """Everything in a figure that a person can read."""
    layout = figure.layout
    yield from (layout.title.text, layout.title.subtitle.text)
    for axis in (layout.xaxis, layout.yaxis):
        yield from (axis.title.text, *(axis.ticktext or ()))
    yield from (note.text for note in layout.annotations)
    yield layout.legend.title.text
    for trace in figure.data:
        yield trace.name
        for text in trace.hovertext if trace.hovertext is not None else ():
            yield from [text] if isinstance(text, str) else text


# ------------------------------------------------------------------------------------- every figure


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_every_figure_has_one_style_and_its_words(name, lang):
    figure = FIGURES[name](lang)
    assert isinstance(figure, go.Figure)
    assert figure.layout.template == pio.templates["cardlab"]
    assert figure.layout.width is None
    assert figure.layout.title.text
    assert figure.layout.title.subtitle.text
    assert figure.layout.xaxis.title.text
    for trace in figure.data:
        assert trace.hoverinfo in ("text", "skip")
    assert not [text for text in words(figure) if text and ("{" in text or "plots." in text)]


@pytest.mark.parametrize("name", FIGURES)
def test_languages_differ_in_words_alone(name):
    english, japanese = FIGURES[name]("en"), FIGURES[name]("ja")
    for first, second in zip(english.data, japanese.data, strict=True):
        first, second = json.loads(first.to_json()), json.loads(second.to_json())
        for trace in (first, second):
            trace.pop("name", None)
            trace.pop("hovertext", None)
        assert first == second
    for text in filter(None, words(japanese)):
        # What is left of Latin letters is a group's own name, a rank, or markup.
        rest = re.sub(r"</?b>|<br>|\b(low|high)\b|[AJQK](?=が|$)", "", text)
        assert not re.search("[A-Za-z]", rest), text
    assert any(re.search("[ぁ-ん一-龠]", text) for text in filter(None, words(japanese)))
    assert not any(re.search("[ぁ-ん一-龠]", text) for text in filter(None, words(english)))


@pytest.mark.parametrize("name", FIGURES)
def test_titles_fit_a_narrow_page(name):
    # 390 pixels: about 34 letters of a title, 58 of a subtitle; a Japanese one is two wide.
    for lang in locale.LANGUAGES:
        title = FIGURES[name](lang).layout.title
        wide = 2 if lang == "ja" else 1
        assert len(title.text) * wide <= 34
        assert sum(wide if ord(letter) > 255 else 1 for letter in title.subtitle.text) <= 58


def test_unknown_languages_are_refused():
    with pytest.raises(RulesError, match="fr"):
        plots.decks_by_sum(lang="fr")


# -------------------------------------------------------------------------------------------- decks


def test_decks_by_sum_shows_the_histogram():
    table = decks.histogram()
    (bars,) = plots.decks_by_sum(table).data
    assert list(bars.x) == table["sum"].tolist()
    assert list(bars.y) == table["decks"].tolist()
    legal = [n for n, colour in zip(bars.y, bars.marker.color, strict=True) if colour == plots.BLUE]
    assert sum(legal) == decks.count() == 2_492_494
    assert bars.hovertext[36] == "<b>Sum 100</b><br>277,570 decks<br>2,492,494 up to this sum"


@pytest.mark.parametrize(("cap", "legal"), [(100, "2,492,494"), (63, "0"), (182, "7,726,160")])
def test_the_cap_is_marked(cap, legal):
    for make, x in ((plots.decks_by_sum, cap + 0.5), (plots.effect_of_cap, cap)):
        figure = make(cap=cap)
        assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == x
        assert figure.layout.annotations[0].text == f"cap {cap}"
        assert f" {legal} " in figure.layout.title.subtitle.text


def test_effect_of_cap_shows_the_count_under_each_cap():
    line, point = plots.effect_of_cap(cap=90).data
    assert list(line.x) == list(range(64, 147))
    assert list(line.y) == [decks.count(cap=cap) for cap in range(64, 147)]
    assert (point.x[0], point.y[0]) == (90, decks.count(cap=90))


def test_figures_of_other_decks_than_the_default():
    table = decks.histogram(5, required="Ks", maximum={1: 0})
    figure = plots.decks_by_sum(table, cap=40)
    assert sum(figure.data[0].y) == decks.count(5, 182, required="Ks", maximum={1: 0})
    nothing = decks.histogram(26, excluded="Ks")
    assert (
        plots.decks_by_sum(nothing).layout.title.subtitle.text == "Cap 100: 0 of 0 decks are legal"
    )
    assert "0%" in plots.effect_of_cap(nothing).layout.title.subtitle.text


def test_high_cards_show_their_shares():
    table = decks.kings_and_queens().set_index(["kings", "queens"])
    traces = plots.decks_by_high_cards().data
    assert len(traces) == 3
    for queens, bars in zip(range(3), traces, strict=True):
        assert list(bars.x) == [0, 1, 2]
        assert list(bars.y) == pytest.approx([100 * table["share"][k, queens] for k in range(3)])
    assert sum(sum(bars.y) for bars in traces) == pytest.approx(100)
    assert "13,838 decks" in traces[2].hovertext[2]


def test_composition_shows_its_shares():
    table = decks.composition().set_index(["copies", "rank"])["share"]
    (heat,) = plots.composition().data
    assert list(heat.x) == ["A", *map(str, range(2, 11)), "J", "Q", "K"]
    for copies in range(3):
        wanted = [100 * table[copies, rank] for rank in range(1, 14)]
        assert list(heat.z[copies]) == pytest.approx(wanted)
    assert heat.hovertext[2][12].startswith("<b>K: 2 cards</b>")
    assert heat.hovertext[1][9].startswith("<b>10: 1 card</b>")


def test_tables_may_be_plain_lists():
    by_sum = gpt_deck.count_by_sum()
    up_to = [sum(list(by_sum.values())[: place + 1]) for place in range(len(by_sum))]
    plain = {"sum": list(by_sum), "decks": list(by_sum.values()), "cumulative": up_to}
    assert plots.decks_by_sum(plain) == plots.decks_by_sum()
    assert plots.effect_of_cap(plain) == plots.effect_of_cap()


@pytest.mark.parametrize(
    ("top", "ticks"),
    [
        (314_000, ["0", "100k", "200k", "300k", "400k"]),
        (7_726_160, ["0", "2M", "4M", "6M", "8M"]),
        (1, ["0", "1"]),
        (9, ["0", "2", "4", "6", "8", "10"]),
        (2_400, ["0", "1k", "2k", "3k"]),
    ],
)
def test_ticks_are_few_and_round(top, ticks):
    axis = plots._amount_axis(top, "en")
    assert axis["ticktext"] == ticks[: len(axis["ticktext"])] == ticks
    assert axis["tickvals"][-1] >= top


# -------------------------------------------------------------------------------------------- games


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.rule("G13")
@pytest.mark.rule("G14")
@pytest.mark.rule("G18")
def test_shields_by_turn_are_those_of_the_state(seed):
    state, told = play(seed)
    table = plots.shields_by_turn(state.log)
    assert dict(table.dtypes.astype(str)) == dict.fromkeys(("turn", "seat", "shields"), "int64")
    found = {turn: rows["shields"].tolist() for turn, rows in table.groupby("turn")}
    assert found == told
    assert found[0] == [5, 5]
    # A seat's own log tells it as well.
    for seat in range(2):
        assert plots.shields_by_turn(state.observation(seat).log).equals(table)


def test_shield_race_shows_the_table_of_its_log():
    table = plots.shields_by_turn(STATE.log)
    figure = plots.shield_race(STATE.log, names=("Ann", "Ben"))
    assert figure == plots.shield_race(table, names=("Ann", "Ben"))
    for seat, line in zip(range(2), figure.data, strict=True):
        mine = table[table["seat"] == seat]
        assert list(line.x) == mine["turn"].tolist()
        assert list(line.y) == mine["shields"].tolist()
    assert [line.name for line in figure.data] == ["Ann", "Ben"]
    assert figure.data[0].hovertext[0] == "<b>Turn 0</b><br>Ann: 5 shields left"


@pytest.mark.parametrize("odd", [None, 5, STATE, [1, 2], "log", {"turn": [1]}, pd.DataFrame()])
def test_a_race_needs_a_game(odd):
    with pytest.raises(RulesError) as caught:
        plots.shield_race(odd)
    assert "from the log of a state" in caught.value.text()
    assert "log" in caught.value.text("ja")
    if not isinstance(odd, pd.DataFrame | dict):
        with pytest.raises(RulesError):
            plots.shields_by_turn(odd)


def test_a_game_without_shields_yet_has_an_empty_race():
    log = cardlab.load_game("gpt").new_initial_state(seed=1).log
    assert plots.shields_by_turn(log).empty
    assert [len(line.x) for line in plots.shield_race(log).data] == [0, 0]


def wilson(count, games, z=1.959963984540054):
    """Wilson's interval from his formula."""
    share = count / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = math.sqrt(share * (1 - share) / games + (z / (2 * games)) ** 2)
    return middle - spread * z / (1 + z * z / games), middle + spread * z / (1 + z * z / games)


def test_outcomes_are_counted_with_wilsons_interval():
    table = simulate.outcome_shares(GAMES)
    assert list(table.columns) == ["winner", "games", "count", "share", "low", "high"]
    assert table["winner"].tolist() == [0, pd.NA, 1]
    assert table["count"].tolist() == [50, 20, 30]
    assert table["share"].tolist() == [0.5, 0.2, 0.3]
    for row in table.itertuples():
        assert (row.low, row.high) == pytest.approx(wilson(row.count, 100))
    # 50 of 100, as tables of Wilson's interval have it.
    assert (table["low"][0], table["high"][0]) == pytest.approx((0.4038, 0.5962), abs=5e-5)
    narrow = simulate.outcome_shares(GAMES, confidence=0.5)
    assert (narrow["high"] - narrow["low"] < table["high"] - table["low"]).all()


def test_outcomes_by_group_are_those_of_each_part():
    table = simulate.outcome_shares(GAMES, by="deck")
    assert table["deck"].tolist() == ["low"] * 3 + ["high"] * 3
    for deck, part in GAMES.groupby("deck"):
        alone = table[table["deck"] == deck].drop(columns="deck").reset_index(drop=True)
        assert alone.equals(simulate.outcome_shares(part))


def test_no_games_are_refused():
    for function in (simulate.outcome_shares, plots.outcome_shares):
        with pytest.raises(RulesError, match="no games"):
            function(GAMES[:0])


def test_outcome_shares_show_the_table():
    table = simulate.outcome_shares(GAMES)
    bars = plots.outcome_shares(GAMES, names=("careful", "careful")).data
    # Equal names must not pile up on each other.
    assert [list(bar.y) for bar in bars] == [[0], [1], [2]]
    for bar, row in zip(bars, table.itertuples(), strict=True):
        assert bar.x[0] == pytest.approx(100 * row.share)
        assert bar.x[0] + bar.error_x.array[0] == pytest.approx(100 * row.high)
        assert bar.x[0] - bar.error_x.arrayminus[0] == pytest.approx(100 * row.low)
    grouped = plots.outcome_shares(GAMES, by="deck")
    assert list(grouped.layout.yaxis.ticktext) == ["low", "high"]
    by_deck = simulate.outcome_shares(GAMES, by="deck")
    for place, bar in zip(range(3), grouped.data, strict=True):
        assert list(bar.x) == pytest.approx((100 * by_deck["share"][place::3]).tolist())


def test_outcome_shares_of_four_seats():
    games = simulate.simulate(cardlab.load_game("alicematic"), ["random"] * 4, 40, seed=1)
    for by, frame in ((None, games), ("half", games.assign(half=["a", "b"] * 20))):
        table = simulate.outcome_shares(frame, by=by)
        bars = plots.outcome_shares(frame, names=["A", "B", "C", "D"], by=by).data
        assert [bar.name for bar in bars] == ["A", "Draw", "B", "C", "D"]
        assert len({bar.marker.color for bar in bars}) == 5
        for place, bar in enumerate(bars):
            assert list(bar.x) == pytest.approx((100 * table["share"][place::5]).tolist())


# ----------------------------------------------------------------------------------- what is loaded


WITHOUT = """
import sys
for name in ("numpy", "pandas", "pyarrow", "scipy"):
    sys.modules[name] = None
import cardlab
from cardlab import plots
from cardlab.games.gpt_deck import count_by_sum
game = cardlab.load_game("gpt", decks=["2b2bbbbb0b022"] * 2)
log = game.new_initial_state(seed=1).log
sums = count_by_sum()
table = {"sum": list(sums), "decks": list(sums.values()), "cumulative": list(sums.values())}
print(plots.shield_race(log).to_json())
print(plots.decks_by_sum(table, lang="ja").to_json())
"""


def test_figures_of_plain_data_need_neither_numpy_nor_pandas():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    race, by_sum = map(json.loads, done.stdout.splitlines())
    assert race["data"][0]["y"] == [5]
    assert len(by_sum["data"][0]["x"]) == 83


# ----------------------------------------------------------------------------------- optimal decks


def test_best_by_sum_shows_its_table():
    table = worth.by_sum(FEW, VALUES)
    best, mean = plots.best_by_sum(table).data
    assert list(best.x) == list(mean.x) == table["sum"].tolist()
    assert (list(best.y), list(mean.y)) == (table["best"].tolist(), table["mean"].tolist())
    assert best.hovertext[0] == "<b>Sum 4</b><br>the best deck: -0.900"


def test_card_worth_shows_the_cards_beside_the_line_through_them():
    price, black, red = plots.card_worth(CARDS).data
    # Values that are a 40th of the sum: every card lies on the line.
    for trace in (black, red):
        assert len(trace.x) == 13
        for x, y in zip(trace.x, trace.y, strict=True):
            assert y == pytest.approx(x / 40 - 1 / 3)
    assert list(price.y) == pytest.approx([1 / 40 - 1 / 3, 13 / 40 - 1 / 3])
    assert black.hovertext[12] == "<b>black K</b><br>adds -0.008<br>0.000 above its price"


def test_card_shares_show_their_table():
    table = worth.holding(FEW)
    (heat,) = plots.card_shares(table).data
    for colour, row in zip(("red", "black"), heat.z, strict=True):
        wanted = 100 * table["share"][table["colour"] == colour]
        assert list(row) == pytest.approx(wanted.tolist())
    assert heat.hovertext[1][9].startswith("<b>black 10</b>")
    lone = {"rank": [13], "colour": ["black"], "share": [0.5]}
    assert sum(map(sum, plots.card_shares(lone).data[0].z)) == 50


def test_copies_by_rule_show_their_table():
    (heat,) = plots.copies_by_rule(MIXTURES, "cap").data
    assert list(heat.x) == [99, 100]
    assert [row[0] for row in heat.z] == [rank / 13 for rank in range(13)]
    assert heat.hovertext[12][1] == "<b>Cap 100, number K</b><br>1.92 cards on average"


def test_worth_of_cap_shows_its_table():
    (line,) = plots.worth_of_cap(CAPS).data
    assert (list(line.x), list(line.y)) == (CAPS["cap"], CAPS["against_default"])
    assert line.hovertext[2] == "<b>Cap 101</b><br>your best deck: +0.020"
