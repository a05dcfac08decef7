"""Draws a figure over the number of threads: a line for each placement. Pure."""

from collections.abc import Sequence
from html import escape

from homenode.report.figures import Bar
from homenode.report.words import shortened, width_of

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT, TOP, BOTTOM = 44.0, 262.0, 10.0, 160.0
LABEL_STEP = 12.0  # Two labels at the end of their lines are this far apart, or farther.
COLOURS = 6  # Classes s0 to s5 of the style; a seventh line has the first one's colour, dashed.


def can_draw(bars: Sequence[Bar]) -> bool:
    """Whether there are several numbers of threads, all of them known."""
    return len({bar.threads for bar in bars}) > 1 and all(bar.threads.isdecimal() for bar in bars)


def draw(bars: Sequence[Bar], title: str, unit: str) -> str:
    """The chart as SVG. pre: can_draw(bars)."""
    counts = sorted({int(bar.threads) for bar in bars})
    top = max(bar.high for bar in bars) or 1.0
    step = (RIGHT - LEFT) / (len(counts) - 1)

    def x(bar: Bar) -> float:
        return LEFT + step * counts.index(int(bar.threads))

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value / top

    parts = [_axes(counts, step, top, unit)]
    ends = []
    for index, name in enumerate(dict.fromkeys(bar.placement for bar in bars)):
        own = sorted((b for b in bars if b.placement == name), key=lambda b: int(b.threads))
        style = f"s{index % COLOURS}" + (" dashed" if index >= COLOURS else "")
        points = " ".join(f"{x(bar):.1f},{y(bar.value):.1f}" for bar in own)
        marks = "".join(_mark(bar, x(bar), y(bar.low), y(bar.value), y(bar.high)) for bar in own)
        parts.append(f'<g class="{style}"><polyline points="{points}"/>{marks}</g>')
        ends.append((y(own[-1].value), shortened(name), style))
    parts += _labels(ends)
    width = max(WIDTH, RIGHT + 12 + width_of(name for _, name, _ in ends))
    return (
        f'<svg class="lines" viewBox="0 0 {width:.0f} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}; the table has the values">{"".join(parts)}</svg>'
    )


def _mark(bar: Bar, x: float, low: float, middle: float, high: float) -> str:
    text = f"{bar.placement}, {bar.threads} threads: {bar.value:.4g}"
    spread = ""
    if len(bar.values) > 1:
        text += f" ({bar.low:.4g} to {bar.high:.4g})"
        ends = f"M{x - 3:.1f} {low:.1f}h6M{x - 3:.1f} {high:.1f}h6"
        spread = f'<path class="spread" d="M{x:.1f} {low:.1f}V{high:.1f}{ends}"/>'
    return (
        f"<g><title>{escape(text)}</title>{spread}"
        f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="2.6"/></g>'
    )


def _axes(counts: Sequence[int], step: float, top: float, unit: str) -> str:
    ticks = "".join(
        f'<text x="{LEFT + step * i:.1f}" y="{BOTTOM + 14}" text-anchor="middle">{count}</text>'
        for i, count in enumerate(counts)
    )
    return (
        f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>{ticks}'
        f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 27}" text-anchor="middle">threads</text>'
        f'<text x="{LEFT - 4}" y="{TOP + 4}" text-anchor="end">{top:.3g}</text>'
        f'<text x="{LEFT - 4}" y="{TOP + 15}" text-anchor="end">{escape(unit)}</text>'
        f'<text x="{LEFT - 4}" y="{BOTTOM}" text-anchor="end">0</text>'
    )


def _labels(ends: Sequence[tuple[float, str, str]]) -> list[str]:
    """Each line's name at its end, pushed down where two would overlap."""
    made = []
    free = TOP
    for at, name, style in sorted(ends):
        at = max(at, free)
        free = at + LABEL_STEP
        made.append(f'<text class="{style}" x="{RIGHT + 6}" y="{at + 3:.1f}">{escape(name)}</text>')
    return made
