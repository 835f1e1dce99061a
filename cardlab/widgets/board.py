"""The one widget of our own: it shows HTML and reports what was clicked in it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from typing import Any

import anywidget
import traitlets

from cardlab.widgets.html import style

Handler = Callable[[str, int], None]


class Board(anywidget.AnyWidget):
    """A piece of the page that is drawn by the kernel.

    Traits
    ------
    html, status
        The table and the line above it, as HTML.
    serial
        Number of the position that is shown. A click sends it back, so that one on a position that
        is gone by now can be told from others.
    """

    _esm = resources.files(__package__).joinpath("board.js").read_text(encoding="utf-8")
    _css = style()

    html = traitlets.Unicode().tag(sync=True)
    status = traitlets.Unicode().tag(sync=True)
    serial = traitlets.Int(0).tag(sync=True)

    def __init__(self, handler: Handler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._handler = handler
        self.on_msg(self._receive)

    def _receive(self, _widget: object, content: Any, _buffers: object) -> None:
        # It comes from a web page, so it may be anything.
        if isinstance(content, dict):
            action, serial = content.get("action"), content.get("serial")
            if isinstance(action, str) and type(serial) is int:
                self._handler(action, serial)

    def __repr__(self) -> str:
        return "<Board>"


class Pictured:
    """A widget that leaves a still picture of itself for readers without a kernel."""

    def picture(self) -> str:
        """The picture as HTML."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**data, "text/plain": repr(self), "text/html": self.picture()}, metadata
