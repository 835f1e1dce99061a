"""The command line: what it prints, where, and with which exit code."""

import contextlib
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
import typer
from rich.cells import cell_len
from rich.console import Console

import cardlab
from cardlab import locale
from cardlab.analysis import decks, metagame
from cardlab.analysis.metagame import Certificate
from cardlab.analysis.simulate import many, outcome_shares, simulate
from cardlab.cli import language, main
from cardlab.cli.app import app
from cardlab.cli.output import Page
from cardlab.games.gpt_deck import Deck

ROOT = Path(cardlab.__file__).parents[1]
COMMAND = [sys.executable, "-m", "cardlab"]


@pytest.fixture(autouse=True)
def _english(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def run(capsys):
    """Run a command in this process; gives its exit code, standard output and standard error."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def process(*arguments, **options):
    """Run a command in a process of its own."""
    environment = os.environ | {"PYTHONUTF8": "1"} | options.pop("env", {})
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


# ------------------------------------------------------------------------------- games and rules


def test_games_are_listed(run):
    code, out, err = run("games")
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == cardlab.list_games()


def test_a_game_shows_its_bots_and_options(run):
    code, out, _ = run("games", "gpt")
    assert code == 0
    for word in ("careful", "shield_mode", "random | chosen", "15 (1-26)", "Cards in a deck"):
        assert word in out
    _, out, _ = run("games", "gpt", "--lang", "ja")
    assert "シールドの決め方" in out


def test_games_for_machines(run):
    _, out, _ = run("games", "--json")
    found = {game["name"]: game for game in json.loads(out)}
    assert [*found] == cardlab.list_games()
    _, out, _ = run("games", "gpt", "--json")
    gpt = json.loads(out)
    assert gpt == found["gpt"]
    assert gpt["players"] == 2
    options = {option["name"]: option for option in gpt["options"]}
    assert options["deck_size"]["range"] == [1, 26]
    assert options["shield_mode"]["choices"] == ["random", "chosen"]
    assert options["shield_mode"]["default"] == "random"


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_rules_are_the_page(run, lang):
    assert run("rules", "gpt", "--lang", lang) == (0, locale.page("gpt", lang), "")
    _, out, _ = run("rules", "gpt", "--lang", lang, "--json")
    assert json.loads(out) == {"game": "gpt", "lang": lang, "text": locale.page("gpt", lang)}


# ----------------------------------------------------------------------------------------- decks


def test_counts(run):
    assert run("decks") == (0, "2,492,494 decks\n", "")
    assert run("decks", "count", "--sum", 100)[1] == "277,570 decks\n"
    assert run("decks", "--lang", "ja")[1] == "2,492,494 デッキ\n"
    assert run("decks", "count", "--cap", 64)[1] == "2 decks\n"
    assert run("decks", "count", "--size", 1, "--cap", 1, "--without", "As")[1] == "1 deck\n"
    assert json.loads(run("decks", "--json")[1]) == {"count": 2492494}


def test_count_under_conditions(run):
    _, out, _ = run(
        *("decks", "count", "--json", "--cap", 95, "--with", "Ks K♥", "--without", "As"),
        *("--at-least", "Q=1", "--at-least", "12=1", "--at-most", "t=1"),
    )
    expected = decks.count(
        cap=95, required="Ks Kh", excluded="As", minimum={12: 1}, maximum={10: 1}
    )
    assert json.loads(out) == {"count": expected}
    _, out, _ = run("decks", "count", "--json", "--with", "2b2bbbbb0b022")
    assert json.loads(out) == {"count": 1}


def test_histogram(run):
    _, out, _ = run("decks", "histogram", "--json", "--cap", 99, "--at-least", "K=2")
    rows = json.loads(out)
    expected = decks.histogram(minimum={13: 2}).query("sum <= 99")
    assert rows == expected.to_dict("records")
    _, out, _ = run("decks", "histogram")
    assert len(out.splitlines()) == 1 + 100 - 64 + 1
    assert re.search(r"100 +277,570 +2,492,494 +█+", out)


def test_list(run):
    _, out, _ = run("decks", "list", "--limit", 2, "--with", "Jh")
    assert out.splitlines() == [
        f"{decks.count(required='Jh'):,} decks",
        "2222000b00222  100  K♥ K♠ Q♥ Q♠ J♥ J♠ 8♠ 4♥ 4♠ 3♥ 3♠ 2♥ 2♠ A♥ A♠",
        "2222000r00222  100  K♥ K♠ Q♥ Q♠ J♥ J♠ 8♥ 4♥ 4♠ 3♥ 3♠ 2♥ 2♠ A♥ A♠",
    ]
    _, out, _ = run("decks", "list", "--limit", 3, "--json")
    listed = json.loads(out)
    assert listed["count"] == 2492494
    assert [deck["code"] for deck in listed["decks"]] == [
        decks.nth_deck(place).code for place in range(3)
    ]
    assert {*listed["decks"][0]["cards"][-2:]} == {"Kh", "Ks"}
    assert run("decks", "list", "--limit", 0)[1] == "2,492,494 decks\n"
    assert run("decks", "list", "--at-least", "K=2", "--sum", 64)[1] == "0 decks\n"


def test_best(run):
    _, out, _ = run("decks", "best", "--with", "7s 7h 6s 6h", "--json")
    (best,) = json.loads(out)["decks"]
    assert best["code"] == decks.best_completion(decks.Deck.of("7s 7h 6s 6h")).code
    assert run("decks", "best", "--cap", 63)[1] == "0 decks\n"


def test_complete(run):
    _, out, _ = run("decks", "complete", "Ks", "Kh Qs", "--json")
    found = json.loads(out)
    assert (found["chosen"], found["sum"]) == ("00000000000b2", 38)
    assert found["count"] == decks.count_completions("Ks Kh Qs")
    assert found["best"]["code"] == decks.best_completion(decks.Deck.of("Ks Kh Qs")).code
    assert found["next"]["Jh"] == decks.count_completions("Ks Kh Qs Jh")
    assert "Ks" not in found["next"]
    _, out, _ = run("decks", "complete", "Ks", "Kh Qs")
    assert "3 of 15 cards, sum 38 of 100" in out
    assert f"{found['next']['Jh']:,}" in out
    code, out, _ = run("decks", "complete", "Ks Kh Qs Qh Js Jh Ts")
    assert code == 0
    assert "0 decks" in out
    _, out, _ = run("decks", "complete", "Ks Kh Qs Qh Js Jh Ts", "--json")
    assert json.loads(out)["best"] is None


@pytest.mark.parametrize("ending", ["parquet", "csv", "CSV"])
def test_write(run, tmp_path, ending):
    path = tmp_path / f"decks.{ending}"
    path.write_text("something else")
    code, out, err = run("decks", "write", path, "--with", "Ks Kh Qs Qh Js Jh")
    assert (code, err) == (0, "")
    assert out == f"42 decks written to {path}.\n"
    read = pd.read_parquet if ending == "parquet" else pd.read_csv
    expected = decks.completions("Ks Kh Qs Qh Js Jh").to_frame()
    pd.testing.assert_frame_equal(read(path), expected, check_dtype=ending == "parquet")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    _, out, _ = run("decks", "write", path, "--sum", 64, "--json")
    assert json.loads(out) == {"path": str(path), "count": 2, "columns": list(expected)}


def test_what_cannot_be_written_leaves_everything_as_it_was(run, tmp_path):
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    for path in (folder, tmp_path / "nowhere" / "decks.csv"):
        code, out, err = run("decks", "write", path, "--sum", 64)
        assert (code, out) == (1, "")
        assert str(path) in err
        assert ".tmp" not in err
    assert [file.name for file in tmp_path.iterdir()] == ["folder.csv"]


# -------------------------------------------------------------------------------------- simulate


def test_simulate_prints_the_shares(run):
    code, out, err = run("simulate", "gpt", "--games", 30, "--bots", "highest,random", "--seed", 4)
    assert (code, err) == (0, "")
    frame = simulate(cardlab.load_game("gpt"), ["highest", "random"], 30, seed=4)
    first = next(outcome_shares(frame).itertuples())
    assert out.startswith("30 games of gpt, seed 4\n")
    assert re.search(rf"Player 1 \(highest\) won +{first.count} +{first.share:.1%}", out)
    assert f"{first.low:.1%} - {first.high:.1%}" in out
    _, out, _ = run("simulate", "gpt", "-n", 5, "--bots", "highest,random", "--lang", "ja")
    assert "プレイヤー1（highest）の勝ち" in out


def test_simulate_for_machines(run, tmp_path):
    path = tmp_path / "games.parquet"
    code, out, err = run(
        *("simulate", "gpt", "-n", 20, "--bots", "highest, random", "--seed", -3, "--json"),
        *("--rule", "shield_mode=chosen", "--rule", "n_shields = 4", "--out", path),
        *("--decks", "2222000b00222,22b2bb0000222"),
    )
    assert (code, err) == (0, "")
    result = json.loads(out)
    game = cardlab.load_game(
        "gpt", shield_mode="chosen", n_shields=4, decks=("2222000b00222", "22b2bb0000222")
    )
    frame = simulate(game, ["highest", "random"], 20, seed=-3)
    assert result["options"] == game.options()
    assert [row["count"] for row in result["outcomes"]] == outcome_shares(frame)["count"].tolist()
    assert [row["winner"] for row in result["outcomes"]] == [0, None, 1]
    assert result["turns"]["mean"] == frame["turns"].mean()
    assert sum(result["endings"].values()) == 20
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)


def test_simulate_tells_how_many_rounds_a_match_has(run):
    arguments = ("simulate", "chaos", "-n", 3, "--bots", "random,random,random")
    arguments += ("--rule", "n_players=3", "--rule", "target_points=3")
    _, out, _ = run(*arguments)
    _, told, _ = run(*arguments, "--json")
    for name in ("turns", "rounds"):
        length = json.loads(told)[name]
        line = f"{name.title()}: {length['mean']:.1f} on average, {length['min']} to"
        assert f"{line} {length['max']}." in out.splitlines()
    _, out, _ = run("simulate", "gpt", "-n", 1)
    assert "Rounds" not in out


def test_simulate_seats_the_strongest_against_chance(run):
    _, out, _ = run("simulate", "gpt", "-n", 1, "--json")
    assert json.loads(out)["bots"] == ["careful", "random"]


def test_simulate_plays_with_as_many_as_there_are_bots(run):
    code, out, err = run("simulate", "chaos", "--bots", "random,random,random", "-n", 1, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["options"]["n_players"] == 3
    code, out, _ = run("simulate", "highlow", "--rule", "n_players=3", "-n", 1, "--json")
    assert json.loads(out)["bots"] == ["optimal", "random", "random"]


@pytest.mark.parametrize("width", [50, 80, 120])
@pytest.mark.parametrize(
    "arguments",
    [("simulate", "alicematic", "-n", 1), ("games", "chaos"), ("games", "alicematic")],
)
def test_no_line_is_cut(run, monkeypatch, width, arguments):
    """Whatever is too long for its column goes on below."""
    monkeypatch.setenv("COLUMNS", str(width))
    for lang in locale.LANGUAGES:
        _, out, _ = run(*arguments, "--lang", lang)
        assert "…" not in out
        if width < 80:
            continue
        assert all(cell_len(line) <= width for line in out.splitlines())
        if arguments[0] == "simulate":
            assert locale.text("cli.simulate.won", lang, seat=0, bot="careful") in out
        elif arguments[1] == "chaos":
            about = locale.text("chaos.option.setup_abandon", lang)
            assert "".join(about.split()) in "".join(out.split())


def test_simulate_hands_everything_on(run, monkeypatch):
    given = {}

    def record(game, bots, n, seed, jobs, progress, **scale):
        given.update(bots=bots, n=n, seed=seed, jobs=jobs, **scale)
        return simulate(game, bots, 2)

    monkeypatch.setattr("cardlab.analysis.simulate.simulate", record)
    arguments = ("simulate", "gpt", "-n", 9, "--bots", "random,highest", "--seed", 8)
    arguments += ("--scheduler", "tcp://host:1", "--checkpoint", "folder", "--shard", 5)
    for workers in ("-j", "--jobs", "--workers"):
        assert run(*arguments, workers, -1)[0] == 0
        scale = {"scheduler": "tcp://host:1", "checkpoint": Path("folder"), "shard": 5}
        players = {"bots": ["random", "highest"], "n": 9, "seed": 8, "jobs": -1}
        assert given == players | scale


def test_simulate_with_the_compiled_rules(run, tmp_path):
    decks = "2222000b00222,22b2bb0000222"
    arguments = ("simulate", "gpt", "-n", 500, "--compiled", "--decks", decks, "--json")
    code, out, err = run(*arguments, "--bots", "threshold:9,random", "--checkpoint", tmp_path)
    assert (code, err) == (0, "")
    game = cardlab.load_game("gpt", decks=decks.split(","))
    games = many(game, ["threshold:9", "random"], 500)
    result = json.loads(out)
    assert [row["count"] for row in result["outcomes"]] == outcome_shares(games)["count"].tolist()
    assert sum(result["endings"].values()) == 500
    assert len(list(tmp_path.glob("games-0-500-*.parquet"))) == 1
    code, _, err = run(*arguments, "--checkpoint", tmp_path)
    assert code == 1
    assert "another run: its players is" in err
    assert json.loads(run(*arguments)[1])["bots"] == ["highest", "random"]
    code, _, err = run("simulate", "gpt", "-n", 5, "--compiled")
    assert (code, "need both decks" in err) == (1, True)


# ------------------------------------------------------------------------------ solve and verify

SMALL = ("solve", "gpt", "--cards", 3, "--cap", 12, "--n-shields", 1)


@pytest.mark.parametrize("shields", ["random", "chosen"])
def test_what_solve_finds_verify_confirms(run, tmp_path, shields):
    path = tmp_path / "certificate.json"
    code, out, err = run(*SMALL, "--shields", shields, "--double-knockout", "draw", "--out", path)
    assert (code, err) == (0, "")
    found = metagame.solve(3, 12, 1, shields=shields, double_knockout="draw").certificate
    assert Certificate.load(path) == found
    assert "double_knockout=draw" in out
    first = found.support[0]
    assert f"{float(found.weights[0]):.2%}  {first.deck.code}  " in out
    assert ("shields:" in out) is (shields == "chosen")
    assert out.splitlines()[-2].endswith("it is optimal.")
    assert out.splitlines()[-1].endswith(f"cardlab verify {path}")
    assert [file.name for file in tmp_path.iterdir()] == [path.name]

    code, out, err = run("verify", path)
    assert (code, err) == (0, "")
    assert f"None of all {found.strategies:,} legal strategies" in out
    _, japanese, _ = run("verify", path, "--lang", "ja")
    assert "最適です" in japanese
    verified = found.verify()
    bound = float(re.search(r"Rounding is below ([0-9e-]+);", out)[1])
    assert verified.error <= bound < 2 * verified.error
    assert ("No other mixture" in out) is ("ほかに最適な" in japanese) is verified.unique
    _, out, _ = run("verify", path, "--json")
    assert json.loads(out) == {
        "path": str(path),
        "correct": True,
        "strategies": verified.strategies,
        "support": len(found.support),
        "maximum": "0",
        "runner_up": verified.runner_up,
        "unique": verified.unique,
        "error": verified.error,
    }


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (
            (4, 16, 2),
            r"outside it loses to it, the best one by 0\.0006\d\d on average, and with no",
        ),
        ((4, 6, 1), "optimal: with no other chances"),  # there is one deck only
    ],
)
def test_why_no_other_mixture_is_optimal_is_said(run, tmp_path, rules, why):
    path = tmp_path / "certificate.json"
    metagame.solve(*rules, double_knockout="draw").certificate.save(path)
    _, out, _ = run("verify", path)
    assert re.search(why, out)


def test_solve_for_machines_prints_the_certificate(run, tmp_path):
    code, out, err = run(*SMALL, "--counter-compare", "ge", "--json")
    assert (code, err) == (0, "")
    found = metagame.solve(3, 12, 1, counter_compare="ge")
    assert json.loads(out) == found.certificate.to_dict()
    path = tmp_path / "printed.json"
    path.write_text(out, encoding="utf-8")
    assert run("verify", path)[0] == 0


def test_a_mixture_that_is_not_optimal_may_have_a_certificate(run, tmp_path):
    path = tmp_path / "certificate.json"
    rules = metagame.solve(3, 12, 1).certificate.rules
    lone = metagame.Strategy(Deck.of("As 2s 3s"))
    maximum = metagame.highest_reply(rules, {lone: Fraction(1)}).maximum
    number = decks.count(3, 12)
    Certificate(rules, number, (lone,), (Fraction(1),), ((Fraction(0),),), maximum).save(path)
    code, out, _ = run("verify", path)
    assert code == 0
    assert f"wins exactly {maximum} against" in out
    assert "optimal" not in out


def damaged(text, change):
    """A certificate's text after a change of its entries."""
    data = json.loads(text)
    change(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-40], "its JSON breaks off"),
        (lambda text: text.encode("utf-16").decode("latin-1"), "its JSON breaks off"),
        (lambda text: "[" * 100_000, "no certificate"),
        (lambda text: "[]", "no certificate"),
        (lambda text: damaged(text, lambda data: data.update(version=9)), "of version 9"),
        (lambda text: damaged(text, lambda data: data.pop("maximum")), 'entry "maximum"'),
        (lambda text: damaged(text, lambda data: data.update(support=[])), "does not give one"),
        (lambda text: damaged(text, lambda data: data.update(payoffs=[["1/0"]])), "payoffs[0]"),
        (
            lambda text: damaged(text, lambda data: data["rules"].update(shield_mode="dealt")),
            "it can be: 'random', 'chosen'",
        ),
        (
            lambda text: damaged(
                text, lambda data: data["support"][0].update(weight="1/2", share=0.5)
            ),
            "sum to 1",
        ),
        (
            lambda text: damaged(text, lambda data: data.update(maximum="1/1000")),
            "wins more than 0.001",
        ),
        (
            lambda text: damaged(text, lambda data: data["rules"].update(deck_sum_max=13)),
            "legal strategies",
        ),
    ],
)
def test_a_false_or_damaged_certificate_is_refused_in_a_line(run, tmp_path, damage, message):
    path = tmp_path / "certificate.json"
    metagame.solve(3, 12, 1).certificate.save(path)
    path.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    code, out, err = run("verify", path)
    assert (code, out) == (1, "")
    assert message in err
    assert err.startswith("cardlab: ")
    assert err.count("\n") == 1
    japanese = run("verify", path, "--lang", "ja")
    assert japanese[0] == 1
    assert re.search("[ぁ-ん]", japanese[2])


def test_a_file_that_cannot_be_written_is_told_before_the_search(run, monkeypatch, tmp_path):
    monkeypatch.setattr(metagame, "solve", None)
    code, _, err = run("solve", "gpt", "--out", tmp_path / "nowhere" / "certificate.json")
    assert code == 1
    assert "certificate.json: there is no such file or folder" in err


def on_a_terminal(*arguments):
    """What a command shows on standard error where that is a terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=slave,
    ) as running:
        os.close(slave)
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that nothing will follow
            while part := os.read(master, 65536):
                shown += part
        assert running.wait(timeout=60) == 0
    os.close(master)
    return shown.decode()


def test_a_terminal_sees_how_far_solve_and_verify_are(tmp_path):
    path = tmp_path / "certificate.json"
    shown = on_a_terminal(*SMALL, "--out", path)
    assert "strategies; the best of all others wins" in shown
    assert "100/100" in on_a_terminal("verify", path)


# -------------------------------------------------------------------- what cannot be understood


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("nonsense", 2, "no command nonsense; there are: games"),
        ("decks nonsense", 2, "no command nonsense; there are: count"),
        ("--nonsense", 2, "no option --nonsense. (Help: cardlab --help)"),
        ("simulate gpt --nonsense", 2, "(Help: cardlab simulate --help)"),
        ("decks --cap 10", 2, "such as: cardlab decks count --cap ... (Help: cardlab decks"),
        ("--seed 3", 2, "--seed follows one of the commands simulate, play"),
        ("simulate", 2, "GAME is missing"),
        ("rules", 2, "GAME is missing"),
        (
            "simulate gpt -n many",
            2,
            '--games cannot be used like this: it is a whole number, not "m',
        ),
        ("simulate gpt -n 0", 2, "it is a whole number from 1 up, not 0. (Help"),
        (
            "decks count --cap abc",
            2,
            '--cap cannot be used like this: it is a whole number, not "abc"',
        ),
        ("decks list --limit -1", 2, "it is a whole number from 0 up, not -1"),
        ("decks count --cap", 2, "--cap needs a value."),
        ("simulate gpt --json=1", 2, "--json takes no value."),
        (
            "simulate gpt highest random",
            2,
            'what "highest random" means here; say it with an option',
        ),
        ("simulate gpt --rule shield_mode", 2, "--rule needs a name and a value"),
        ("decks count --at-least K", 2, "--at-least needs a rank and a number"),
        ("decks count --at-most Z=1", 2, "--at-most needs a rank and a number"),
        ("decks count 7", 2, "Help: cardlab decks count --help"),
        ("games poker", 1, 'no game "poker"; there are: alicematic, '),
        ("rules poker", 1, 'no game "poker"'),
        ("simulate poker", 1, 'no game "poker"'),
        ("play poker", 1, 'no game "poker"'),
        ("games --lang fr", 1, 'no language "fr"; there are: ja, en'),
        ("simulate gpt --bots careful", 1, "needs exactly 2 bots"),
        ("simulate gpt --bots careful,clever", 1, 'no bot "clever" for the game gpt'),
        ("simulate gpt --jobs 0", 1, "The number of processes is 1 or more"),
        ("simulate gpt --rule colour=red", 1, 'has no option "colour"'),
        ("simulate gpt --rule shield_mode=red", 1, "it can be: 'random', 'chosen'"),
        ("simulate gpt --rule deck_size=no", 1, "from 1 to 26"),
        ("simulate gpt --rule deck_size=", 1, "from 1 to 26"),
        ("simulate gpt --decks 2222000b00222", 1, "two decks"),
        ("simulate gpt --decks 2222000b00222,2222222222222", 1, "26 cards instead of 15"),
        ("simulate chat --decks a,b", 1, 'has no option "decks"'),
        ("simulate gpt -n 1 --out games.xlsx", 1, ".parquet or .csv"),
        ("decks count --size 27", 1, "from 0 to 26"),
        ("decks best --cap 500", 1, "from 0 to 182"),
        ("decks histogram --cap 500", 1, "from 0 to 182"),
        ("decks count --with Kx", 1, '"Kx" is not a card'),
        ("decks count --with Ks,Ks", 1, "occurs twice"),
        ("decks count --with Ks --without Ks", 1, "K♠"),
        ("decks count --at-least K=3", 1, "from 0 to 2"),
        ("decks write decks.txt", 1, ".parquet or .csv"),
        ("solve", 2, "GAME is missing"),
        ("solve poker", 1, 'no game "poker"'),
        ("solve chat", 1, "In chat nobody chooses a deck; solve can do: gpt"),
        ("solve gpt --cap much", 2, "--cap cannot be used like this"),
        ("solve gpt --cap 183", 1, "from 1 to 182"),
        ("solve gpt --cap 50", 1, "No deck fits under the cap of 50"),
        ("solve gpt --cards 0", 1, "from 1 to 26"),
        ("solve gpt --n-shields 15", 1, "too small"),
        ("solve gpt --shields dealt", 1, "it can be: 'random', 'chosen'"),
        ("solve gpt --double-knockout both", 1, "it can be: 'attacker_wins'"),
        ("solve gpt --cards 3 --cap 8 --n-shields 1 --out nowhere/x.json", 1, "no such file"),
        ("solve gpt --cards 3 --cap 8 --n-shields 1 --out tests", 1, "it is a folder"),
        ("verify", 2, "FILE is missing"),
        ("verify nowhere.json", 1, "nowhere.json: there is no such file"),
        ("verify tests", 1, "it is a folder"),
        ("verify README.md", 1, "its JSON breaks off"),
        ("verify data/datapackage.json", 1, "no certificate of an optimal mixture"),
    ],
)
@pytest.mark.parametrize("lang", [(), ("--lang", "ja")])
def test_errors_are_one_line(run, arguments, code, message, lang):
    found, out, err = run(*arguments.split(), *(() if "--lang" in arguments else lang))
    assert found == code
    assert out == ""
    assert err.startswith("cardlab: ")
    assert err.count("\n") == 1
    assert "Input should" not in err
    if not lang or "--lang" in arguments:
        assert message in err
    else:
        assert re.search("[ぁ-ん]", err)


def test_a_bug_is_no_error_of_the_reader(monkeypatch):
    """What we did not foresee shows where it happened."""
    monkeypatch.setattr("cardlab.cli.app.load_game", lambda name: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["rules", "gpt"])


@pytest.mark.parametrize(
    ("library", "arguments", "extra"),
    [
        ("typer", "games", "cli"),
        ("rich", "games", "cli"),
        ("pandas", "decks", "analysis"),
        ("scipy", "simulate gpt -n 1", "analysis"),
        ("joblib", "simulate gpt -n 1 --jobs 2", "analysis"),
        ("pyarrow", "decks write decks.csv --sum 64", "analysis"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(library, arguments, extra, tmp_path):
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        f"from cardlab.cli import main; sys.exit(main({arguments.split()!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        f'cardlab: This needs {library}; install it with: pip install "cardlab[{extra}]"\n'
    )


def test_rules_and_games_need_no_analysis():
    code = (
        "import sys; sys.modules['pandas'] = sys.modules['numpy'] = None\n"
        "from cardlab.cli import main; sys.exit(main(['rules', 'gpt']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0


# ---------------------------------------------------------------------------------------- streams


def test_a_reader_that_has_seen_enough_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m cardlab decks list --limit 20000 | head -1; echo ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        cwd=ROOT,
        env=os.environ | {"LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "2,492,494 decks\n0\n"
    assert done.stderr == ""


def heed_interrupts():
    """A shell lets what it runs in the background ignore them, and that is handed down."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_terminal_sees_progress_and_may_interrupt():
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, "simulate", "gpt", "-n", "1000000", "--bots", "random,random", "--json"],
        cwd=ROOT,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=slave,
        text=True,
        preexec_fn=heed_interrupts,
    ) as running:
        os.close(slave)
        shown = ""
        while not re.search(r"[1-9]\d*/1000000", shown):
            shown += os.read(master, 65536).decode()
        running.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # how Linux says that nothing will follow
            while part := os.read(master, 65536):
                shown += part.decode()
        out, _ = running.communicate(timeout=60)
    os.close(master)
    assert (running.returncode, out) == (130, "")
    assert shown.rstrip().endswith("cardlab: Interrupted.")
    assert "Traceback" not in shown


def test_a_terminal_without_suits_still_shows_something():
    done = process("decks", "best", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "2222000b00222  100  K? K?" in done.stdout


def test_module_and_version():
    done = process("--version")
    assert (done.returncode, done.stdout) == (0, f"cardlab {cardlab.__version__}\n")


# -------------------------------------------------------------------------------------- languages


@pytest.mark.parametrize(
    ("variables", "arguments", "lang"),
    [
        ({}, [], "en"),
        ({"LANG": "ja_JP.UTF-8"}, [], "ja"),
        ({"LANG": "ja"}, [], "ja"),
        ({"LANG": "de_DE.UTF-8"}, [], "en"),
        ({"LANG": "ja_JP.UTF-8", "LC_ALL": "C.UTF-8"}, [], "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "ja_JP"}, [], "ja"),
        ({"LANG": "ja_JP.UTF-8"}, ["games", "--lang", "en"], "en"),
        ({}, ["games", "--lang=ja"], "ja"),
        ({}, ["--lang", "ja", "games"], "ja"),
        ({}, ["games", "--lang"], "en"),
        ({"LANG": "ja_JP.UTF-8"}, ["--lang", "fr"], "ja"),
    ],
)
def test_language(monkeypatch, variables, arguments, lang):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert language(arguments) == lang


def test_language_of_the_environment_is_used(run, monkeypatch):
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert run("decks")[1] == "2,492,494 デッキ\n"
    assert run("decks", "--lang", "en")[1] == "2,492,494 decks\n"


def test_language_may_be_said_before_the_command(run):
    assert run("--lang", "ja", "decks")[1] == "2,492,494 デッキ\n"


def commands(command, path=()):
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


COMMANDS = [*commands(typer.main.get_command(app))]


def test_there_are_the_commands():
    assert {path[0] for path in COMMANDS if path} == {
        *("games", "rules", "decks", "simulate", "play", "solve", "verify")
    }
    assert {path[1] for path in COMMANDS if len(path) == 2} == {
        *("count", "histogram", "list", "best", "complete", "write")
    }


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_in_both_languages(run, path):
    for lang, pattern in (("en", "[a-z]{4}"), ("ja", "[ぁ-ん]")):
        code, out, err = run(*path, "--help", "--lang", lang)
        assert (code, err) == (0, "")
        assert "cli." not in out
        assert locale.text("cli.option.help", lang) in out
        assert re.search(pattern, out)
        if lang == "en":
            assert not re.search("[ぁ-ん]", out)


def test_nothing_at_all_is_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "simulate" in out


KEYS = re.compile(r'msgid "((?:cli|bots)\.[^"]+)"')


@pytest.mark.parametrize("domain", ["cli", "bots"])
def test_every_sentence_is_used(domain):
    """No key is left over, and none is missing."""
    catalogue = ROOT / "cardlab" / "locale" / "en" / "LC_MESSAGES" / f"{domain}.po"
    keys = set(KEYS.findall(catalogue.read_text(encoding="utf-8")))
    folders = {"cli": ("cli",), "bots": ("bots", "analysis", "cli")}[domain]
    source = "".join(
        path.read_text(encoding="utf-8")
        for folder in folders
        for path in (ROOT / "cardlab" / folder).glob("*.py")
    )
    unused = {
        key
        for key in keys
        if f'"{key}"' not in source
        and f'"{key.partition(".")[2]}"' not in source
        and not key.startswith(("bots.about.", "bots.name."))
    }
    assert unused == set()


@pytest.mark.parametrize("lang", locale.LANGUAGES)
@pytest.mark.parametrize("name", cardlab.list_games())
def test_a_page_on_a_terminal_loses_no_text(name, lang):
    """Long cells of a table are folded, not cut off."""
    shown = io.StringIO()
    Console(file=shown, width=80, force_terminal=True, color_system=None).print(
        Page(locale.page(name, lang))
    )
    lines = shown.getvalue().splitlines()
    assert len(lines) > 50
    assert max(map(cell_len, lines)) <= 80
    page = locale.page(name, lang)
    assert sum(line.count("…") for line in lines) == page.count("…")
