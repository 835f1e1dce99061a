"""Golden transcripts: whole games in words, kept in ``tests/golden`` and compared by the tests.

``python -m tools.transcripts`` makes the files again, to be read and committed when the change is
meant; ``python -m tools.transcripts --check`` only says what differs. Neither needs more than
Python itself, so any version of it can show that the same seed gives the same game there.

A new game adds a line to ``TRANSCRIPTS``.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cardlab import chance, load_game
from cardlab.engine import Action, Event, Observation, State
from cardlab.locale import LANGUAGES

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"

# Name: game, seed, options. The seeds are those of short games in which much happens.
TRANSCRIPTS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "gpt": ("gpt", 35, {}),
    "gpt_chosen": ("gpt", 16, {"shield_mode": "chosen", "counter_choice": "owner"}),
    "gpt_decks": ("gpt", 59, {"decks": ["2b2bbbbb0b022", "2222222r00000"]}),
    "chat": ("chat", 30, {}),
    "alicematic": ("alicematic", 892, {}),
    "alicematic_3": ("alicematic", 1595, {"n_players": 3}),
    "alicematic_5": ("alicematic", 54, {"n_players": 5}),
    "collect": ("collect", 352, {}),
    "collect_suits": ("collect", 444, {"preset": "d4_end"}),
    "highlow": ("highlow", 9, {"n_players": 3}),
    "highlow_safety": ("highlow", 1329, {"preset": "d1b", "pass_penalty": 1, "n_players": 3}),
    "chaos": ("chaos", 139, {}),
    "chaos_3": ("chaos", 154, {"n_players": 3}),
    "chaos_5": ("chaos", 59, {"n_players": 5}),
    "chaos_readings": (
        "chaos",
        45,
        {
            "n_players": 3,
            "drain_mode": "until_empty",
            "min_actions": 1,
            "order_search_free": False,
            "exchange_pick": "blind_draw",
            "rotation_min": 1,
            "triple_order": "simultaneous",
            "lay_timing": "turn_start",
            "order_end": "optional",
            "order_bonus": "add",
        },
    ),
}

DIGESTS = "digests.txt"
GAMES_IN_A_DIGEST = 20


def decide(state: State, number: int) -> tuple[int, Action]:
    """A seat and a legal action of it: always the same ones, whatever Python plays."""
    # The game's own chance uses the counters from 0 up.
    drawn = chance.draw(state.seed, -1 - number)
    drawn, seat = divmod(drawn, len(state.to_move))
    player = state.to_move[seat]
    legal = state.legal_actions(player)
    return player, legal[drawn % len(legal)]


def transcript(name: str) -> str:
    """One game in words: what each seat sees, what is decided and what happens."""
    return "\n".join(_lines(name)) + "\n"


def _lines(name: str) -> Iterator[str]:
    game_name, seed, options = TRANSCRIPTS[name]
    game = load_game(game_name, **options)
    state = game.new_initial_state(seed)
    yield f"{game!r}, seed {seed}"
    yield from (f"{option}: {value}" for option, value in options.items())
    yield ""
    yield from _happenings(state, state.log)
    number = 0
    while True:
        to_move = " ".join(map(str, state.to_move)) or "nobody"
        yield ""
        yield f"== {number}: turn {state.turn}, phase {state.phase}, to move {to_move}"
        for player in range(game.num_players):
            yield from _sight(state.observation(player))
        if not state.to_move:
            break
        player, action = decide(state, number)
        yield f"-- seat {player}: {action}"
        yield from (f"   {game.describe(action, lang)}" for lang in LANGUAGES)
        yield from _happenings(state, state.apply(action, player))
        number += 1
    yield f"-- returns {state.returns()}, scores {state.scores()}"


def _happenings(state: State, events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        yield f"   {event.rule} {event.kind}"
        yield from (f"      {event.text(lang)}" for lang in LANGUAGES)
        # What the others are told, who must not know.
        hidden = [event.seen_from(player) for player in range(len(state.players))]
        redacted = next((each for each in hidden if each != event), None)
        if redacted is not None:
            yield from (f"      ({redacted.text(lang)})" for lang in LANGUAGES)


def _sight(seen: Observation) -> Iterator[str]:
    """What one seat sees; the digest stands for the whole observation, log included."""
    digest = hashlib.blake2b(seen.to_json().encode(), digest_size=4).hexdigest()
    plain = seen.to_dict()
    yield f"   seat {seen.player} sees ({digest})"
    for owner, zones in enumerate(plain["players"]):
        yield f"     {owner}: {_zones(zones)}"
    if plain["table"]:
        yield f"     table: {_zones(plain['table'])}"
    public = {name: plain[name] for name in seen.public}
    for entry, value in {"out": _cards(plain["out"]), "choice": plain["pending"], **public}.items():
        if value not in (None, "", [], False):
            yield f"     {entry}: {value}"


def _zones(zones: Mapping[str, list[str | None]]) -> str:
    return "; ".join(f"{zone} {_cards(content)}" for zone, content in zones.items() if content)


def _cards(cards: list[str | None]) -> str:
    if cards.count("?") == len(cards) > 3:
        return f"? x {len(cards)}"
    return " ".join(card or "." for card in cards)


def digest(game_name: str, options: dict[str, Any]) -> str:
    """A fingerprint of some whole games, to the last event."""
    game = load_game(game_name, **options)
    whole = hashlib.blake2b(digest_size=16)
    for seed in range(GAMES_IN_A_DIGEST):
        state, number = game.new_initial_state(seed), 0
        while state.to_move:
            player, action = decide(state, number)
            state.apply(action, player)
            number += 1
        whole.update(json.dumps(state.to_dict(), sort_keys=True).encode())
    return whole.hexdigest()


def files() -> dict[str, str]:
    """The name and content of every golden file."""
    made = {f"{name}.txt": transcript(name) for name in TRANSCRIPTS}
    made[DIGESTS] = "".join(
        f"{digest(game, options)}  {name}\n" for name, (game, _, options) in TRANSCRIPTS.items()
    )
    return made


def differences(name: str, made: str) -> list[str]:
    """The differences between the file that is kept and what is made now."""
    path = GOLDEN / name
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    return [
        *difflib.unified_diff(kept.splitlines(), made.splitlines(), "kept", "made", lineterm="")
    ]


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` say what differs."""
    if arguments not in ([], ["--check"]):
        print("Usage: python -m tools.transcripts [--check]", file=sys.stderr)
        return 2
    failed = False
    for name, made in files().items():
        changed = differences(name, made)
        print(f"{name}: {'changed' if changed else 'the same'}")
        if arguments:
            failed = failed or bool(changed)
            print("".join(f"{line}\n" for line in changed[:40]), end="")
        elif changed:
            GOLDEN.mkdir(exist_ok=True)
            (GOLDEN / name).write_text(made, encoding="utf-8", newline="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
