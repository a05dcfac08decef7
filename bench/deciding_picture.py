"""Draws what the placements gain over each other, point by point. Pure."""

import math
from collections.abc import Sequence
from html import escape

from deciding_runs import PLACEMENTS, Point

WIDTH, HEIGHT = 790, 330
PANEL, GAP = 320.0, 70.0
LEFT, TOP, BOTTOM = 55.0, 40.0, 270.0
# Ratios of two times, on a logarithmic axis.
LEAST, MOST = 0.5, 4.0
TICKS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)
COLOURS = ("#b3261e", "#1f6fb2", "#2e7d32")  # By placement.


def picture(points: Sequence[Point]) -> str:
    """Spread over own against how much all threads use in common: anywhere, and in one part."""
    panels = [
        _panel(LEFT, "pages used by all lie in every part", [p for p in points if not _hot(p)]),
        _panel(
            LEFT + PANEL + GAP,
            "pages used by all lie in one thread's part",
            [p for p in points if _hot(p)],
        ),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="11">'
        "<title>Time of pages spread over all nodes, over that of each part at its thread's "
        "node; modelled</title>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(panels)}{_legend()}</svg>\n'
    )


def _hot(point: Point) -> bool:
    return point.program.hot


def _y(ratio: float) -> float:
    share = math.log(min(MOST, max(LEAST, ratio)) / LEAST) / math.log(MOST / LEAST)
    return BOTTOM - (BOTTOM - TOP) * share


def _panel(left: float, title: str, points: Sequence[Point]) -> str:
    parts = [f'<text x="{left}" y="{TOP - 18}" font-weight="bold">{escape(title)}</text>']
    for tick in TICKS:
        colour = "#333" if tick == 1 else "#ddd"
        parts.append(
            f'<path d="M{left} {_y(tick):.1f}h{PANEL}" stroke="{colour}" fill="none"/>'
            f'<text x="{left - 6}" y="{_y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    for percent in range(0, 101, 25):
        x = left + PANEL * percent / 100
        parts.append(f'<text x="{x:.1f}" y="{BOTTOM + 16}" text-anchor="middle">{percent}</text>')
    parts.append(
        f'<text x="{left + PANEL / 2}" y="{BOTTOM + 32}" text-anchor="middle">'
        "percent of a thread's pages that all use</text>"
    )
    parts += [_mark(left, point) for point in points]
    return "".join(parts)


def _mark(left: float, point: Point) -> str:
    _, spread, own = point.times_us
    best = min(range(len(PLACEMENTS)), key=lambda i: point.times_us[i])
    x = left + PANEL * point.program.shared / 100
    words = f"{point.machine}; {point.program}; {PLACEMENTS[best]} is best"
    return (
        f'<circle cx="{x:.1f}" cy="{_y(spread / own):.1f}" r="3" fill="{COLOURS[best]}" '
        f'fill-opacity="0.6"><title>{escape(words)}</title></circle>'
    )


def _legend() -> str:
    parts = [f'<text x="{LEFT}" y="{HEIGHT - 8}">time of spread over own; best:</text>']
    for i, name in enumerate(PLACEMENTS):
        x = LEFT + 190 + 90 * i
        parts.append(
            f'<circle cx="{x}" cy="{HEIGHT - 12}" r="4" fill="{COLOURS[i]}"/>'
            f'<text x="{x + 9}" y="{HEIGHT - 8}">{name}</text>'
        )
    return "".join(parts)
