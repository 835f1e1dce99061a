"""What the command ``cardlab`` can do.

Help texts are keys of the catalogue ``cli``; :func:`run` puts the sentences of the chosen language
in their place.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import Field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from cardlab import __version__, locale
from cardlab.bots import list_bots, load_bot, seat_bots
from cardlab.cli import UsageError, decks, optimal, table
from cardlab.cli.options import (
    AsJson,
    DeckCodes,
    GameName,
    Lang,
    RuleTexts,
    game_from,
    names_from,
)
from cardlab.cli.output import (
    Page,
    bar,
    check_ending,
    console,
    fold,
    last_folded,
    print_json,
    progress,
    words,
    write_table,
)
from cardlab.engine import Game
from cardlab.games import list_games, load_game
from cardlab.record import Record

app = typer.Typer(help="cli.help.cardlab", add_completion=False)
app.add_typer(decks.app, name="decks")


def run(arguments: Sequence[str], lang: str) -> None:
    """Carry out a command line, with help and errors in the language ``lang``.

    Raises :class:`~cardlab.cli.UsageError` for one that cannot be understood.
    """
    command = _command(lang)
    # The class of all errors in a command line is public only through its children.
    usage_error: Any = typer.BadParameter.__base__
    try:
        with command.make_context("cardlab", list(arguments), obj=lang) as context:
            command.invoke(context)
    except typer.Exit:
        return
    except usage_error as error:
        path = error.ctx.command_path if error.ctx else "cardlab"
        raise UsageError("cli.error.usage", problem=_problem(error, lang), command=path) from None


@cache
def _command(lang: str) -> Any:
    """The command with its help in a language."""
    command: Any = typer.main.get_command(app)
    _translate(command, lang)
    return command


def _translate(command: Any, lang: str) -> None:
    help_option = command.get_help_option(typer.Context(command))
    help_option.help = locale.text("cli.option.help", lang)
    for item in (command, *command.params):
        if (getattr(item, "help", None) or "").startswith(("cli.", "gpt.")):
            item.help = locale.text(item.help, lang)
    for below in getattr(command, "commands", {}).values():
        _translate(below, lang)


def _problem(error: Any, lang: str) -> str:
    """What is wrong with a command line, in our words where typer's are known."""
    text = words(lang)
    parameter = getattr(error, "param", None)
    name = max(parameter.opts, key=len) if parameter is not None else None
    match type(error).__name__:
        case "NoSuchOption":
            return _no_such_option(error, lang)
        case "BadOptionUsage" if "requires" in error.message:
            return text("error.no_value", name=error.option_name)
        case "BadOptionUsage":
            return text("error.takes_none", name=error.option_name)
        case "MissingParameter" if name:
            return text("error.missing", name=name.upper())
        case "BadParameter" if name and (fault := _number_fault(error, lang)):
            return text("error.value", name=name, problem=fault)
        case "BadParameter" if name:
            return text("error.value", name=name, problem=error.message)
        case "UsageError" if commands := getattr(error.cmd, "commands", None):
            name = error.message.partition("'")[2].partition("'")[0]
            return text("error.command", value=name, allowed=list(commands))
        case "UsageError" if "extra argument" in error.message:
            words_left = error.message.rpartition("(")[2].rstrip(")")
            return text("error.surplus", value=words_left, allowed=_options(error.ctx.command))
    return str(error.format_message())


def _no_such_option(error: Any, lang: str) -> str:
    """An option that does not exist, or only after one of the commands."""
    option, commands = error.option_name, getattr(error.ctx.command, "commands", {})
    owners = [name for name, command in commands.items() if option in _options(command)]
    if owners:
        example = f"{error.ctx.command_path} {owners[0]} {option} ..."
        return words(lang)("error.option_of", value=option, allowed=owners, example=example)
    return words(lang)("error.option", value=option)


def _options(command: Any) -> list[str]:
    return [max(each.opts, key=len) for each in command.params if each.opts[0].startswith("-")]


def _number_fault(error: Any, lang: str) -> str:
    """What is wrong with a number, where typer's own words would be those of its validator."""
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    if not faults:
        return ""
    fault = faults[0]
    if fault["type"] == "greater_than_equal":
        return words(lang)("error.too_low", value=fault["input"], least=fault["ctx"]["ge"])
    if fault["type"].startswith("int_"):
        return words(lang)("error.no_number", value=fault["input"])
    return ""


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"cardlab {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option("--version", callback=_print_version, is_eager=True, help="cli.option.version"),
]


@app.callback(invoke_without_command=True)
def _cardlab(  # the values of both options are used by their callbacks
    context: typer.Context,
    version: Version = False,  # noqa: ARG001
    lang: Lang = "",  # noqa: ARG001
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")


# ------------------------------------------------------------------------------------------- games


@app.command("games", help="cli.help.games")
def _games(
    game: Annotated[str | None, typer.Argument(help="cli.option.game")] = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    found = [load_game(name) for name in (list_games() if game is None else [game])]
    if as_json:
        described = [_description(each, lang) for each in found]
        print_json(described if game is None else described[0])
        return
    for each in found:
        title = locale.text(f"{each.name}.title", lang)
        print(words(lang)("games.game", name=each.name, title=title, n=each.num_players))
        if game is not None:
            _print_details(each, lang)


def _description(game: Game, lang: str) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": locale.text(f"{game.name}.title", lang),
        "players": game.num_players,
        "bots": list_bots(game.name),
        "options": [
            {
                "name": option.name,
                "default": option.default,
                **{key: list(values) for key, values in option.metadata.items()},
                "text": _about(f"{game.name}.option.{option.name}", lang),
            }
            for option in fields(game.rules)
        ],
    }


def _print_details(game: Game, lang: str) -> None:
    bots = [("  " + name, _about(f"bots.about.{name}", lang)) for name in list_bots(game.name)]
    options = [
        ("  " + option.name, _allowed(option), _about(f"{game.name}.option.{option.name}", lang))
        for option in fields(game.rules)
    ]
    screen = console()
    print(words(lang)("games.bots"))
    screen.print(last_folded(screen, bots))
    print(words(lang)("games.options"))
    screen.print(last_folded(screen, options))


def _about(key: str, lang: str) -> str:
    return locale.text(key, lang) if locale.has(key, lang) else ""


def _allowed(option: Field[Any]) -> str:
    """The values that an option may take, the default one first."""
    default = str(option.default).lower()
    if "choices" in option.metadata:
        others = [str(value).lower() for value in option.metadata["choices"]]
        return " | ".join([default, *(value for value in others if value != default)])
    low, high = option.metadata["range"]
    return f"{default} ({low}-{high})"


@app.command("rules", help="cli.help.rules")
def _rules(game: GameName, as_json: AsJson = False, lang: Lang = "") -> None:
    name = load_game(game).name
    page = locale.page(name, lang)
    if as_json:
        print_json({"game": name, "lang": lang, "text": page})
    elif sys.stdout.isatty():
        console().print(Page(page))
    else:
        print(page, end="")


# ---------------------------------------------------------------------------------------- simulate


@app.command("simulate", help="cli.help.simulate")
def _simulate(
    game: GameName,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="cli.option.games")] = 1000,
    bots: Annotated[
        str | None, typer.Option("--bots", metavar="BOT,BOT", help="cli.option.bots")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="cli.option.seed")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="cli.option.jobs")] = 1,
    workers: Annotated[
        int | None, typer.Option("--workers", hidden=True, help="cli.option.jobs")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="cli.option.scheduler")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option("--checkpoint", metavar="FOLDER", help="cli.option.checkpoint"),
    ] = None,
    shard: Annotated[
        int | None, typer.Option("--shard", min=1, metavar="GAMES", help="cli.option.shard")
    ] = None,
    compiled: Annotated[bool, typer.Option("--compiled", help="cli.option.compiled")] = False,
    rule: RuleTexts = None,
    decks: DeckCodes = None,
    out: Annotated[Path | None, typer.Option("--out", help="cli.option.out")] = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    given = names_from(bots)
    played = game_from(game, rule, decks, given)
    known = ["random", "highest"] if compiled else list_bots(game)
    seated = given or [known[-1], *known[:1] * (played.num_players - 1)]
    if not compiled:
        seat_bots(played, seated)
    if out is not None:
        check_ending(out)

    from cardlab.analysis.simulate import many, outcome_shares, simulate

    scale: dict[str, Any] = {"scheduler": scheduler, "checkpoint": checkpoint, "shard": shard}
    play: Any = many if compiled else simulate
    jobs = jobs if workers is None else workers
    with progress(words(lang)("simulate.progress"), games) as advance:
        frame = play(played, seated, games, seed, jobs, advance, **scale)

    if out is not None:
        write_table(frame, out)
    shares = outcome_shares(frame).to_json(orient="records", double_precision=15)
    outcomes = json.loads(shares)
    lengths = {name: _length(frame[name]) for name in ("turns", "rounds") if name in frame}
    if as_json:
        print_json(
            {
                "game": played.name,
                "options": played.options(),
                "bots": seated,
                "games": len(frame),
                "seed": seed,
                "outcomes": outcomes,
                **lengths,
                "endings": frame["ending"].value_counts().sort_index().to_dict(),
            }
        )
        return
    text, number = words(lang), f"{games:,}"
    print(text("simulate.title", game=_titled(played), n=games, number=number, seed=seed))
    _print_outcomes(outcomes, seated, lang)
    for key, length in zip(("simulate.turns", "simulate.rounds"), lengths.values(), strict=False):
        mean = f"{length['mean']:.1f}"
        print(text(key, mean=mean, least=length["min"], most=length["max"]))


def _length(numbers: Any) -> dict[str, Any]:
    """How long games were."""
    return {"mean": float(numbers.mean()), "min": int(numbers.min()), "max": int(numbers.max())}


def _titled(game: Game) -> str:
    """The name of a game, and those of its options that are not the default ones."""
    usual = load_game(game.name).options()
    changed = [f"{key}={value}" for key, value in game.options().items() if value != usual.get(key)]
    return f"{game.name} ({', '.join(changed)})" if changed else game.name


def _print_outcomes(outcomes: list[dict[str, Any]], bots: Sequence[str], lang: str) -> None:
    text = words(lang)
    names = ("simulate.games", "simulate.share", "simulate.interval")
    rows = [["", *map(text, names)]]
    for row in outcomes:
        winner = row["winner"]
        label = text("simulate.draw")
        if winner is not None:
            label = text("simulate.won", seat=winner, bot=bots[winner])
        interval = f"{row['low']:.1%} - {row['high']:.1%}"
        rows.append([label, f"{row['count']:,}", f"{row['share']:.1%}", interval])
    grid = Table(box=None, show_header=False)
    for place in range(len(rows[0])):
        grid.add_column(justify="right" if place else "left", overflow="fold")
    grid.add_column(overflow="fold")
    screen = console()
    widths = [max(map(cell_len, cells)) + 2 for cells in zip(*rows, strict=True)]
    # Who has won is told in full before the bars are drawn at length.
    label_width = max(screen.width - sum(widths[1:]) - 2, 10)
    longest = min(max(screen.width - sum(widths) - 2, 0), 20)
    bars = ["", *(bar(row["share"], longest) for row in outcomes)]
    for (label, *cells), length in zip(rows, bars, strict=True):
        grid.add_row(fold(Text(label), label_width), *cells, length)
    screen.print(grid)


# -------------------------------------------------------------------------------------------- play


@app.command("play", help="cli.help.play")
def _play(
    game: GameName,
    seats: Annotated[
        str | None, typer.Option("--seats", metavar="SEAT,SEAT", help="cli.option.seats")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="cli.option.seed_play")] = None,
    rule: RuleTexts = None,
    decks: DeckCodes = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE", help="cli.option.record")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="cli.option.resume")
    ] = None,
    lang: Lang = "",
) -> None:
    if resume is None:
        given = names_from(seats)
        new = game_from(game, rule, decks, given)
        played = Record.new(new, seed, _seats(new, given))
        if record is not None:
            played.attach(record)
    elif any(option is not None for option in (seats, seed, rule, decks, record)):
        raise UsageError("cli.error.resume")
    else:
        played = table.resume(resume, load_game(game).name)
    table.Table(played, lang).run()


def _seats(game: Game, given: Sequence[str] | None) -> Sequence[str]:
    """Who sits where: by default a person against the strongest bots."""
    if given is None:
        return [table.HUMAN, *list_bots(game.name)[-1:] * (game.num_players - 1)]
    for name in given:
        if name != table.HUMAN:
            load_bot(name, game)
    return given


# ------------------------------------------------------------------------------- optimal mixtures

app.command("solve", help="cli.help.solve")(optimal.solve)
app.command("verify", help="cli.help.verify")(optimal.verify)
