"""Seats around a table, and the way that hands take from one to another, as a drawing."""

from __future__ import annotations

from math import cos, hypot, pi, sin

from cardlab.widgets.html import View

_WIDTH, _HEIGHT, _RADIUS = 240, 150, 48
_GAP = 15
"""How far from a seat an arrow begins and ends."""


def figure(view: View, steps: int, caption: str) -> str:
    """Hands that have moved so many seats to the left."""
    return (
        f'<figure class="cl-ring">{drawing(view, steps)}<figcaption>{caption}</figcaption></figure>'
    )


def drawing(view: View, steps: int) -> str:
    """The seats, one's own below, its left neighbour clockwise; an arrow for each hand.

    The arrows that end or begin at the own seat are marked.
    """
    seats = len(view.names)
    places = [_place(seat, view) for seat in range(seats)]
    arrows = ""
    if steps:
        arrows = "".join(
            _arrow(places[seat], places[(seat + steps) % seats], _look(view, seat, steps))
            for seat in range(seats)
        )
    dots = "".join(_dot(view, seat, *place) for seat, place in enumerate(places))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" class="cl-ring-drawing" aria-hidden="true">'
        f"{arrows}{dots}</svg>"
    )


def _dot(view: View, seat: int, x: float, y: float) -> str:
    """A seat with its name, which stands outside the ring."""
    mark = ' class="cl-me-dot"' if seat == view.me else ""
    line = y + (20 if y > _HEIGHT / 2 + 20 else -12)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7"{mark}/>'
        f'<text x="{x:.1f}" y="{line:.1f}">{view.name(seat)}</text>'
    )


def _look(view: View, seat: int, steps: int) -> str:
    if seat == view.me:
        return "cl-out"
    return "cl-in" if (seat + steps) % len(view.names) == view.me else ""


def _place(seat: int, view: View) -> tuple[float, float]:
    # A table is wider than it is deep.
    angle = pi / 2 + 2 * pi * ((seat - view.me) % len(view.names)) / len(view.names)
    return _WIDTH / 2 + 1.5 * _RADIUS * cos(angle), _HEIGHT / 2 + _RADIUS * sin(angle)


def _arrow(start: tuple[float, float], end: tuple[float, float], look: str) -> str:
    """A curved arrow; two between the same seats lie side by side."""
    (x0, y0), (x1, y1) = start, end
    length = hypot(x1 - x0, y1 - y0)
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    bend = 9
    x0, y0, x1, y1 = x0 + _GAP * ux, y0 + _GAP * uy, x1 - _GAP * ux, y1 - _GAP * uy
    middle_x, middle_y = (x0 + x1) / 2 + bend * uy, (y0 + y1) / 2 - bend * ux
    # The head points the way that the curve has in its end.
    hx, hy = x1 - middle_x, y1 - middle_y
    size = hypot(hx, hy)
    hx, hy = hx / size, hy / size
    left = f"{x1 - 8 * hx - 4.5 * hy:.1f} {y1 - 8 * hy + 4.5 * hx:.1f}"
    right = f"{x1 - 8 * hx + 4.5 * hy:.1f} {y1 - 8 * hy - 4.5 * hx:.1f}"
    return (
        f'<g class="{f"cl-way {look}".strip()}"><path d="M{x0:.1f} {y0:.1f}Q{middle_x:.1f}'
        f' {middle_y:.1f} {x1 - 5 * hx:.1f} {y1 - 5 * hy:.1f}"/>'
        f'<path class="cl-head" d="M{x1:.1f} {y1:.1f}L{left}L{right}Z"/></g>'
    )
