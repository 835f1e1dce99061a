"""What is in ``data/`` is what its command makes, and what its dictionary says."""

import csv
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest

from cardlab import load_game
from cardlab.analysis import decks
from cardlab.cards import PACK, Card
from cardlab.games import collect, highlow
from cardlab.games.gpt_deck import UNIVERSE

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data"
PACKAGE = json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))
RESOURCES = {resource["name"]: resource for resource in PACKAGE["resources"]}
BY_HAND = {"rules"}
QUICK = "python -m tools.data"
"""The command that is run here; what others make takes too long, and has tests of its own."""
every_resource = pytest.mark.parametrize("resource", RESOURCES.values(), ids=list(RESOURCES))
TABLES = [each for each in RESOURCES.values() if each["format"] == "csv"]
every_table = pytest.mark.parametrize("resource", TABLES, ids=[each["name"] for each in TABLES])


def rows(name):
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_file_that_is_made_can_be_remade_to_the_byte(tmp_path):
    made = [each for each in PACKAGE["resources"] if each.get("command") == QUICK]
    _, *arguments = QUICK.split()
    subprocess.run([sys.executable, *arguments, str(tmp_path)], cwd=ROOT, check=True)
    remade = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert remade.keys() == {"datapackage.json", *(resource["path"] for resource in made)}
    changed = [name for name, content in remade.items() if content != (DATA / name).read_bytes()]
    assert changed == [], f"run {QUICK}"


def test_the_dictionary_knows_every_file():
    listed = {resource["path"] for resource in PACKAGE["resources"]}
    assert {path.name for path in DATA.iterdir() if path.name[0] != "."} == {
        *listed,
        "datapackage.json",
    }


def test_the_package_is_a_data_package():
    assert PACKAGE["profile"] == "tabular-data-package"
    for named in (PACKAGE, *PACKAGE["resources"]):
        assert re.fullmatch(r"[a-z0-9._-]+", named["name"])
    assert PACKAGE["licenses"][0]["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")


@every_resource
def test_size_and_hash_are_those_of_the_file(resource):
    content = (DATA / resource["path"]).read_bytes()
    assert resource["format"] == "parquet" or b"\r" not in content
    assert ("command" not in resource) == (resource["name"] in BY_HAND)
    if "command" in resource:
        module = resource["command"].removeprefix("python -m ").replace(".", "/")
        assert (ROOT / f"{module}.py").is_file()
    assert resource["bytes"] == len(content)
    assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"


@every_resource
def test_everything_is_described_in_both_languages(resource):
    for key in ("title", "description"):
        assert resource[key].isascii()
        assert not resource[f"{key}_ja"].isascii()
    for field in resource.get("schema", {"fields": ()})["fields"]:
        assert field["description"].isascii()
        assert not field["description_ja"].isascii()


@every_table
def test_columns_are_those_of_the_schema(resource):
    with (DATA / resource["path"]).open(encoding="utf-8", newline="") as file:
        header = next(csv.reader(file))
    fields = resource["schema"]["fields"]
    assert header == [field["name"] for field in fields]
    key = resource["schema"]["primaryKey"]
    keys = [tuple(row[name] for name in key) for row in rows(resource["name"])]
    assert len(set(keys)) == len(keys) > 0
    for field in fields:
        for row in rows(resource["name"]):
            assert fault(row[field["name"]], field) is None


def fault(text, field):
    """What is wrong with a value of a column, if anything is."""
    rules = field["constraints"]
    if not text:
        return "missing" if rules["required"] else None
    value = text
    if field["type"] == "integer":
        if not re.fullmatch(r"-?\d+", text):
            return "no integer"
        value = int(text)
    if field["type"] == "number":
        if not re.fullmatch(r"-?\d+(\.\d+)?", text):
            return "no number"
        value = float(text)
    if "enum" in rules and value not in rules["enum"]:
        return "not in the list"
    if "pattern" in rules and not re.fullmatch(rules["pattern"], text):
        return "not in the pattern"
    if value < rules.get("minimum", value) or value > rules.get("maximum", value):
        return "out of range"
    return None


@pytest.mark.parametrize(
    ("text", "constraints", "kind"),
    [("", {}, "string"), ("x", {}, "integer"), ("1e", {}, "number"),
     ("0.5", {"maximum": 0}, "number"), ("3", {"maximum": 2}, "integer"),
     ("0", {"minimum": 1}, "integer"), ("grey", {"enum": ["red"]}, "string"),
     ("Zs", {"pattern": "[AK]s"}, "string")],
)  # fmt: skip
def test_a_wrong_value_is_found(text, constraints, kind):
    assert fault(text, {"type": kind, "constraints": {"required": True, **constraints}})


@pytest.mark.rule("G3")
def test_cards_are_the_pack():
    found = rows("cards_gpt")
    assert [row["card"] for row in found] == [card.ascii for card in PACK]
    for row in found:
        card = Card.parse(row["card"])
        assert (int(row["rank"]), row["suit"]) == (card.rank, card.suit.name.lower())
        assert (row["colour"] == "black") is card.is_black
        assert UNIVERSE[int(row["seat"])][int(row["bit"])] is card


@pytest.mark.rule("G4")
def test_sums_are_those_of_all_decks():
    found = rows("gpt_deck_sums")
    table = decks.histogram()
    for name in ("sum", "decks", "cumulative"):
        assert [int(row[name]) for row in found] == table[name].tolist()
    by_sum = {int(row["sum"]): row for row in found}
    assert int(by_sum[100]["cumulative"]) == 2_492_494
    assert int(by_sum[146]["cumulative"]) == 7_726_160


@pytest.mark.parametrize("name", ["cards_alicematic", "presets_collect", "presets_highlow"])
def test_what_games_read_is_what_is_listed(name):
    source = ROOT / "cardlab" / "games" / "tables" / f"{name}.csv"
    assert (DATA / f"{name}.csv").read_bytes() == source.read_bytes()


def test_the_learned_table_is_that_of_the_bot():
    source = ROOT / "cardlab" / "bots" / "gpt_learned.json"
    assert (DATA / "gpt_learned.json").read_bytes() == source.read_bytes()
    good = json.loads(source.read_text(encoding="utf-8"))["decks"]
    found = {row["deck"]: float(row["chance"]) for row in rows("gpt_learned_decks")}
    assert {deck: chance for deck, chance in found.items() if chance} == good


def test_the_small_game_has_all_its_decks_and_no_winning_one():
    found = rows("gpt_small_game")
    legal = decks.enumerate(size=5, cap=12, maximum=dict.fromkeys(range(5, 14), 0))
    assert {row["deck"] for row in found} == set(legal.to_frame()["code"])
    for kind in ("", "_random"):
        assert sum(float(row[f"chance{kind}"]) for row in found) == pytest.approx(1, abs=1e-3)
        assert max(float(row[f"value{kind}"]) for row in found) <= 2e-4


@pytest.mark.rule("A2")
@pytest.mark.rule("A3")
def test_cards_are_the_deck_of_alicematic():
    found = rows("cards_alicematic")
    deck = Counter(load_game("alicematic").deck)
    assert {row["card"]: int(row["copies"]) for row in found} == {
        card.ascii: copies for card, copies in deck.items()
    }
    assert [int(row["number"]) for row in found] == [card.rank for card in deck]
    assert sum(int(row["copies"]) for row in found) == 60


@pytest.mark.parametrize(
    ("game", "presets"), [("collect", collect.PRESETS), ("highlow", highlow.PRESETS)]
)
def test_presets_are_those_of_the_game(game, presets):
    found = rows(f"presets_{game}")
    for preset, group in groupby(found, key=itemgetter("preset")):
        listed = {row["option"]: json.loads(row["value"]) for row in group}
        assert load_game(game, preset=preset) == load_game(game, **listed)
    assert list(dict.fromkeys(row["preset"] for row in found)) == list(presets)
