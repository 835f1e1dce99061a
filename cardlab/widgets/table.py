"""The table: any game, played in a notebook by people and bots."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from html import escape, unescape
from threading import RLock
from typing import Any

import ipywidgets

from cardlab import locale
from cardlab.bots import bot_rng
from cardlab.engine import Game
from cardlab.errors import CardlabError, IllegalActionError
from cardlab.widgets import html
from cardlab.widgets.board import Board, Pictured
from cardlab.widgets.controls import Controls
from cardlab.widgets.selection import Selection
from cardlab.widgets.session import Session, seated


class Table(Pictured, ipywidgets.VBox):  # type: ignore[misc]
    """A table to play a game at, with the mouse or the keyboard.

    It shows what one seat may see and nothing else. Where several people play at one screen, an
    empty screen lies between their turns.

    Parameters
    ----------
    game
        A game, or its name; by default GPT.
    seats
        For each seat ``"human"`` or the name of a bot, see :func:`cardlab.bots.list_bots`; by
        default a person against the strongest bot. With the name of a game for several numbers of
        players, as many play as there are seats.
    seed
        Seed of the game; ``None`` for a fresh one.
    lang
        Language of every text.
    four_colour
        Whether each suit has a colour of its own.

    Raises :class:`~cardlab.errors.CardlabError` for a game, seat, seed or language that does not
    exist.

    >>> table = Table(seed=1)
    >>> table.click(":random")
    >>> table.click(":submit")
    >>> table
    <Table of gpt, turn 1, play: human, careful>
    """

    def __init__(
        self,
        game: Game | str | None = None,
        seats: Sequence[str] | None = None,
        seed: int | None = None,
        lang: str = "en",
        four_colour: bool = False,
    ) -> None:
        locale.text("core.list", lang)
        loaded = game if isinstance(game, Game) else seated(game or "gpt", seats)
        self.session = Session(loaded, seats, seed)
        self.lang, self.four_colour = lang, four_colour
        self._viewer, self._note, self._knows = 0, "", False
        # JupyterLab has a second thread of the kernel hear what is clicked; ipykernel 7.4 answers
        # some widgets there and others on the first, a button and the board at the same time.
        self._one_at_a_time = RLock()
        self.board = Board(self._on_action)
        self.controls = self._make_controls()
        super().__init__(self._parts())
        self._begin(self.session)
        self._show()

    @property
    def status(self) -> str:
        """The line above the table, without its markup."""
        return unescape(re.sub(r"<[^>]*>", "", self.board.status))

    def click(self, action: str) -> None:
        """Do what a click does.

        ``action`` is one of the game in its notation, or one of the table: ``":new"``, ``":undo"``,
        ``":save NAME"``, ``":resume NAME"``, ``":reveal"``, ``":know"`` (show what can be known, or
        no more), while a deck is built those of :meth:`DeckBuilder.click` and ``":submit"``, and
        ``":pick PLACE"`` while cards of the hand are chosen.

        What cannot be done changes nothing and is explained in the status line.
        """
        self._try(lambda: self._click(action))

    # What a click means.

    def _on_action(self, action: str, serial: int) -> None:
        # A click on a position that is gone, such as the second of two quick ones, means nothing.
        with self._one_at_a_time:
            if serial == self.board.serial:
                self.click(action)

    def _try(self, do: Callable[[], None]) -> None:
        refused = None
        with self._one_at_a_time, self.board.hold_sync():
            self._note = ""
            try:
                do()
            except CardlabError as error:
                refused = error
            except Exception as error:
                # A notebook swallows what a click raises, so the page has to tell of it, too.
                self._show(CardlabError("widgets.error.fault", error=repr(error)))
                raise
            self._show(refused)

    def _click(self, action: str) -> None:
        verb, _, value = action.partition(" ")
        if verb in _VERBS:
            _VERBS[verb](self, value)
        elif self._covered:
            # Nobody decides, and nobody is told why something is refused, before the cards show.
            raise IllegalActionError("widgets.error.covered", player=self._name)
        elif self._composer is None:
            self.session.act(action, player=self._viewer)
            self._next_position()
        elif isinstance(self._composer, Selection):
            if self._composer.takes(action):
                self._composer.click(action)
            else:
                self.session.act(action, player=self._viewer)
                self._next_position()
        elif verb == ":submit":
            self.session.act(*self._composer.actions(), player=self._viewer)
            self._next_position()
        else:
            self._composer.click(action, self._rng)

    def _reveal(self, _value: str = "") -> None:
        self._covered = False

    def _know(self, _value: str = "") -> None:
        if not getattr(html.layout_of(self.session.game.name), "KNOWS", False):
            raise IllegalActionError("widgets.error.knows")
        self._knows = not self._knows and not self._covered

    def _new(self, _value: str = "") -> None:
        old = self.session.game
        game = type(old).with_options(**{**old.options(), **self.controls.options})
        self._begin(Session(game, self.controls.seats, self.controls.seed))
        self.controls.forget_seed()

    def _undo(self, _value: str = "") -> None:
        undone = self.session.undo()
        self._next_position(undone.player)
        if undone.together:
            self._note = locale.text("widgets.undone_together", self.lang)
        # What was decided as a whole is to be changed, not to be done once more from nothing.
        if isinstance(self._composer, Selection):
            for action in undone.actions:
                self._composer.choose(action.arg if isinstance(action.arg, tuple) else ())
        elif self._composer is not None:
            with suppress(CardlabError):
                for action in undone.actions:
                    self._composer.click(str(action), self._rng)

    def _save(self, name: str = "") -> None:
        path = name or self.controls.file.value
        self.session.save(path)
        self._note = locale.text("widgets.saved", self.lang, path=path)

    def _resume(self, name: str = "") -> None:
        path = name or self.controls.file.value
        session = Session.load(path)
        self._begin(session)
        warning = session.record.warning
        self._note = (
            locale.text("widgets.resumed", self.lang, path=path)
            if warning is None
            else warning.text(self.lang)
        )

    # From one position to the next.

    def _begin(self, session: Session) -> None:
        self.session = session
        if not self.controls.fit(session.game):
            self.controls = self._make_controls()
            self.children = self._parts()
        self.controls.show(session.game, session.seats)
        self._next_position(*session.deciders[:1] or (0,))

    def _next_position(self, seat: int | None = None) -> None:
        """Look from the seat that decides now; ``seat`` is to look, whoever looked before."""
        session = self.session
        if seat is None:
            owed = session.deciders
            seat = self._viewer if self._viewer in owed or not owed else owed[0]
            self._covered = seat != self._viewer
        else:
            self._covered = True
        if self._solo:
            seat = session.humans[0] if session.humans else 0
            self._covered = False
        # What one has asked to see, the next need not want.
        self._knows = self._knows and not self._covered and seat == self._viewer
        self._viewer = seat
        self._rng = bot_rng(session.record.seed, len(session.seats) + seat, self._moves)
        make = getattr(html.layout_of(session.game.name), "composer", None)
        owes = seat in session.deciders
        self._composer: html.Composer | Selection | None = (
            make(session.view(seat)) if make and owes else None
        )
        self.board.serial += 1

    @property
    def _solo(self) -> bool:
        return len(self.session.humans) < 2

    @property
    def _name(self) -> str:
        return self.session.names(self.lang)[self._viewer]

    @property
    def _moves(self) -> int:
        return len(self.session.record.actions)

    # What is seen.

    def _view(self) -> html.View:
        session, seat = self.session, self._viewer
        return html.View(
            observation=session.view(seat),
            names=session.names(self.lang),
            legal=session.legal_actions(seat),
            lang=self.lang,
            four_colour=self.four_colour,
            solo=self._solo,
            knows=self._knows,
        )

    def _show(self, refused: CardlabError | None = None) -> None:
        view = self._view()
        screen = html.screen(view, self._composer, covered=self._covered)
        parts = [screen.status]
        if view.observation.result is not None:
            # Before the end the seed would tell every hidden card.
            seed = locale.text("widgets.seed", self.lang, seed_number=self.session.record.seed)
            parts.append(f'<span class="cl-seed">{escape(seed)}</span>')
        if self._note:
            parts.append(f'<span class="cl-note">{escape(self._note)}</span>')
        if refused is not None:
            parts.append(html.refusal(refused, self.lang))
        self.board.status = " ".join(parts)
        self.board.html = screen.table
        self._screen = screen

    def picture(self) -> str:
        """A still picture of the table as HTML."""
        screen = self._screen
        return html.picture(
            self.board.status,
            screen.table,
            screen.words,
            self.lang,
            screen.height,
            self.session.game.name,
        )

    def __repr__(self) -> str:
        state = self.session.record.state
        seats = ", ".join(self.session.seats)
        return f"<Table of {state.game.name}, turn {state.turn}, {state.phase}: {seats}>"

    # The controls.

    def _parts(self) -> tuple[Any, ...]:
        return (self.controls.toolbar, self.controls.settings, self.board)

    def _make_controls(self) -> Controls:
        session = self.session
        controls = Controls(session.game, session.seats, self.lang, self.four_colour)
        for button, do in (
            (controls.new, self._new),
            (controls.undo, self._undo),
            (controls.save, self._save),
            (controls.resume, self._resume),
        ):
            button.on_click(lambda _, do=do: self._try(do))
        controls.language.observe(self._on_look, "value")
        controls.four_colour.observe(self._on_look, "value")
        return controls

    def _on_look(self, _change: object) -> None:
        with self._one_at_a_time:
            self.lang = self.controls.language.value
            self.four_colour = self.controls.four_colour.value
            self.controls.translate(self.lang)
            self._show()


_VERBS: dict[str, Callable[[Table, str], None]] = {
    ":reveal": Table._reveal,
    ":know": Table._know,
    ":new": Table._new,
    ":undo": Table._undo,
    ":save": Table._save,
    ":resume": Table._resume,
}
