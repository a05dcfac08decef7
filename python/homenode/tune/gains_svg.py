"""The gains of all placements as bars of their intervals, with what was predicted. Pure."""

import math
from collections.abc import Callable, Sequence

from homenode.draw.axes import tick_unit
from homenode.draw.svg import clean, element
from homenode.tune import words
from homenode.tune.race import Standing
from homenode.tune.statistics import gain

At = Callable[[float], float]

WIDTH, NAMES, ROW, FOOT = 760.0, 200.0, 30.0, 28.0
WIDEST = 1.0  # No axis goes further than +100 % or -100 %, whatever an interval says.


def draw(standings: Sequence[Standing], margin: float) -> str:
    """The drawing; it is coloured by the page's style."""
    shown = [one for one in standings if one.logs or one.candidate.predicted is not None]
    low, high = _extent(shown, margin)
    height = ROW * len(shown) + FOOT

    def at(share: float) -> float:
        held = min(max(share, low), high)
        return NAMES + (WIDTH - NAMES - 40) * (held - low) / (high - low)

    band = element(
        "rect",
        x=at(-margin),
        y=0.0,
        width=at(margin) - at(-margin),
        height=height - FOOT,
        **{"class": "margin"},
    )
    parts = [band, *_axis(low, high, at, height)]
    parts += [_row(one, ROW * (number + 0.5), at) for number, one in enumerate(shown)]
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
        role="img",
        **{"class": "gains", "aria-label": "gains of all placements"},
    )


def _shares(one: Standing) -> list[float]:
    found = [] if one.candidate.predicted is None else [1 / one.candidate.predicted - 1]
    if one.logs:
        interval = one.interval
        found += [gain(end) for end in (interval.low, interval.estimate, interval.high)]
    return found


def _extent(shown: Sequence[Standing], margin: float) -> tuple[float, float]:
    shares = [share for one in shown for share in _shares(one)]
    ends = [min(max(share, -WIDEST), WIDEST) for share in shares]
    return min([-2 * margin, *ends]), max([2 * margin, *ends])


def _axis(low: float, high: float, at: At, height: float) -> list[str]:
    unit = tick_unit(high - low)
    parts = []
    for number in range(math.ceil(low / unit), math.floor(high / unit) + 1):
        place = at(number * unit)
        name = "zero" if number == 0 else "grid"
        ends = {"x1": place, "x2": place, "y1": 0.0, "y2": height - FOOT}
        parts.append(element("line", **ends, **{"class": name}))
        label = words.percent(number * unit) if number else "0"
        where = {"x": place, "y": height - 8, "text-anchor": "middle", "class": "tick"}
        parts.append(element("text", label, **where))
    return parts


def _row(one: Standing, middle: float, at: At) -> str:
    parts = [element("text", clean(one.candidate.name), x=0.0, y=middle + 4)]
    if one.logs:
        interval = one.interval
        ends = {"x1": at(gain(interval.low)), "x2": at(gain(interval.high))}
        parts.append(element("line", **ends, y1=middle, y2=middle, **{"class": "bar"}))
        dot = {"cx": at(gain(interval.estimate)), "cy": middle, "r": 4.5, "class": "dot"}
        parts.append(element("circle", **dot))
    if one.candidate.predicted is not None:
        ring = {"cx": at(1 / one.candidate.predicted - 1), "cy": middle, "r": 7.0, "class": "ring"}
        parts.append(element("circle", **ring))
    parts.append(element("title", clean(f"{one.candidate.name}: {words.outcome(one)}")))
    kind = "better" if one.interval.better else "worse" if one.interval.worse else "open"
    return element("g", *parts, **{"class": kind})
