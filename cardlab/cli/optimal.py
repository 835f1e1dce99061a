"""``cardlab solve`` and ``cardlab verify``: optimal mixtures of GPT decks, with certificates."""

from __future__ import annotations

import json
from contextlib import nullcontext
from decimal import ROUND_CEILING, Context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from cardlab.cli.options import AsJson, GameName, Lang
from cardlab.cli.output import (
    console,
    names_text,
    print_json,
    progress,
    replacing,
    status,
    words,
)
from cardlab.errors import UnknownGameError
from cardlab.games import load_game
from cardlab.games.gpt_deck import CAP, SIZE

if TYPE_CHECKING:
    from cardlab.analysis.metagame import Certificate

Cap = Annotated[int, typer.Option("--cap", help="cli.option.cap")]
Cards = Annotated[int, typer.Option("--cards", help="cli.option.size")]
Number = Annotated[int, typer.Option("--n-shields", help="gpt.option.n_shields")]
Mode = Annotated[
    str, typer.Option("--shields", metavar="random|chosen", help="gpt.option.shield_mode")
]
Knockout = Annotated[
    str,
    typer.Option(
        "--double-knockout",
        metavar="READING",
        help="gpt.option.double_knockout",
    ),
]
Compare = Annotated[
    str,
    typer.Option(
        "--counter-compare",
        metavar="READING",
        help="gpt.option.counter_compare",
    ),
]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="cli.option.certificate")]
File = Annotated[Path, typer.Argument(help="cli.option.verify")]


def solve(
    game: GameName,
    cap: Cap = CAP,
    cards: Cards = SIZE,
    n_shields: Number = 5,
    shields: Mode = "random",
    double_knockout: Knockout = "attacker_wins",
    counter_compare: Compare = "strict_number",
    out: Out = None,
    as_json: AsJson = False,
    lang: Lang = "",
) -> None:
    """Find an optimal mixture of decks."""
    if load_game(game).name != "gpt":
        raise UnknownGameError("cli.error.no_decks", game=game)
    from cardlab.analysis import metagame

    text = words(lang)
    # Whether the file can be written is known before the search.
    with replacing(out) if out else nullcontext() as file, status(text("solve.begin")) as tell:
        found = metagame.solve(
            cards,
            cap,
            n_shields,
            shields=shields,
            double_knockout=double_knockout,
            counter_compare=counter_compare,
            progress=lambda row: tell(
                text("solve.round", number=row["strategies"], gain=f"{row['gain']:.2g}")
            ),
        )
        certificate = found.certificate
        if file is not None:
            file.write(json.dumps(certificate.to_dict(), indent=1).encode() + b"\n")
    if as_json:
        print_json(certificate.to_dict())
        return
    _print_mixture(certificate, lang)
    key = "solve.optimal" if certificate.maximum == 0 else "solve.nearly"
    print(text(key, gain=f"{float(certificate.maximum):.2g}"))
    if out is not None:
        print(text("solve.written", path=str(out)))


def verify(file: File, as_json: AsJson = False, lang: Lang = "") -> None:
    """Recompute all that a certificate says, without a solver."""
    from cardlab.analysis.metagame import Certificate

    certificate = Certificate.load(file)
    text = words(lang)
    with progress(text("verify.progress"), 100) as advance:
        found = certificate.verify(lambda share: advance(round(100 * share)))
    if as_json:
        print_json(
            {
                "path": str(file),
                "correct": True,
                "strategies": found.strategies,
                "support": len(certificate.support),
                "maximum": str(found.maximum),
                "runner_up": found.runner_up,
                "unique": found.unique,
                "error": found.error,
            }
        )
        return
    _print_mixture(certificate, lang)
    print(text("verify.correct", path=str(file)))
    key = "verify.optimal" if found.maximum == 0 else "verify.maximum"
    gain, error = str(found.maximum), _rounded_up(found.error)
    print(text(key, number=f"{found.strategies:,}", gain=gain, error=error))
    if found.unique:
        all_played = found.strategies == len(certificate.support)
        key = "verify.unique_all" if all_played else "verify.unique"
        print(text(key, loss=f"{-found.runner_up:.6f}"))


def _rounded_up(bound: float) -> str:
    """A bound with one digit, rounded up so that it stays one."""
    digit = Context(prec=1, rounding=ROUND_CEILING).create_decimal_from_float(bound)
    return f"{float(digit):.0e}"


def _print_mixture(certificate: Certificate, lang: str) -> None:
    """The rules, then the strategies with their chances, the most frequent first."""
    rules: Any = certificate.to_dict()["rules"]
    text = words(lang)
    settings = ", ".join(f"{name}={value}" for name, value in rules.items())
    print(text("solve.rules", rules=settings))
    screen = console()
    for strategy, weight in certificate.mixture.items():
        line = Text(f"{float(weight):7.2%}  {strategy.deck.code}  ")
        line.append_text(names_text(strategy.deck.cards()))
        if strategy.shields is not None:
            line.append("  " + text("solve.shields") + " ")
            line.append_text(names_text(strategy.shields.cards()))
        screen.print(line, soft_wrap=True)
