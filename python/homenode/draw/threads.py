"""Draws what each thread did when: threads as rows, modelled time to the right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from homenode.draw.axes import ticks
from homenode.draw.svg import Drawing, clean, element
from homenode.draw.words import count
from homenode.timeline import SLEEPING, Interval, Timeline

PAGE_WIDTH = 1000
LEFT, WIDTH = 110, 860
LANE, BAR = 22, 16
MOST_ARROWS = 40
MOST_PANELS = 8
UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "µs"), (10**3, "ns"))
# From the bottom of a bar to its top.
PARTS = (
    ("computing", "computing"),
    ("stalled", "waiting for memory"),
    ("spinning", "spinning"),
    ("kernel", "in the kernel"),
    ("ready", "waiting for a CPU"),
    ("sleeping", "sleeping"),
)
PLACE = {name: place for place, (name, _) in enumerate(PARTS)}
Heights = tuple[int, ...]  # Of each part in one column of points.


@dataclass(frozen=True)
class Panel:
    """One region of interest, and what its threads are called."""

    title: str
    timeline: Timeline
    names: Mapping[int, str]


def draw(title: str, panels: Sequence[Panel]) -> str:
    """An SVG of the regions, one below the other: the first ones, where there are many."""
    drawing = Drawing("hn-threads", 12)
    drawing.text(20, 30, title, size=17, bold=True)
    note = "modelled time, not measured; where a point holds several activities, heights are shares"
    drawing.text(20, 50, note, "soft")
    _legend(drawing, 70)
    y = 112
    for panel in panels[:MOST_PANELS]:
        y = _panel(drawing, panel, y)
    if not panels:
        drawing.text(20, y, "no region of interest was timed", "soft")
        y += 20
    if len(panels) > MOST_PANELS:
        more = f"and {count(len(panels) - MOST_PANELS, 'more region')}, which a .json file holds"
        drawing.text(20, y, more, "soft")
        y += 20
    return drawing.finish(PAGE_WIDTH, y + 10, title)


def _legend(drawing: Drawing, y: int) -> None:
    x = 20
    for name, words in PARTS:
        drawing.add("rect", name, x=x, y=y, width=12, height=12)
        drawing.text(x + 18, y + 10, words)
        x += 36 + round(6.7 * len(words))


def _panel(drawing: Drawing, panel: Panel, y: int) -> int:
    """Draws one region from `y` on; returns where the next one begins."""
    timeline = panel.timeline
    wakes = [
        one for one in timeline.intervals if one.activity == SLEEPING and one.waker is not None
    ]
    size, unit = _unit(timeline.ps)
    lines = [f"{panel.title}, {timeline.ps / size:.4g} {unit}"]
    if len(wakes) > MOST_ARROWS:
        lines.append(f"{len(wakes)} wake-ups, too many for arrows")
    elif wakes:
        lines.append("arrows: who woke whom")
    if timeline.dropped:
        lines.append(f"{count(timeline.dropped, 'interval')} found no room and are missing")
    drawing.text(20, y, "; ".join(lines), bold=True)
    threads = sorted({one.thread for one in timeline.intervals})
    top = y + 14
    bottom = top + LANE * len(threads)
    _axis(drawing, timeline.ps, top, bottom)
    of: dict[int, list[Interval]] = {thread: [] for thread in threads}
    for one in timeline.intervals:
        of[one.thread].append(one)
    middle = {}
    for row, thread in enumerate(threads):
        bar = top + LANE * row + (LANE - BAR) // 2
        middle[thread] = bar + BAR / 2
        name = panel.names.get(thread, f"thread {thread}")
        _lane(drawing, name, of[thread], timeline.ps, bar)
    if len(wakes) <= MOST_ARROWS:
        for one in wakes:
            _arrow(drawing, one, timeline.ps, middle)
    return bottom + 50


def _axis(drawing: Drawing, ps: int, top: int, bottom: int) -> None:
    """Lines and numbers of the time below all rows."""
    if ps <= 0:
        return
    size, unit = _unit(ps)
    for time in ticks(0, ps / size):
        x = LEFT + time * size / ps * WIDTH
        drawing.add("line", "ruled", x1=x, x2=x, y1=top, y2=bottom)
        drawing.text(x, bottom + 16, f"{time:.6g} {unit}", "soft", anchor="middle", size=11)


def _unit(ps: int) -> tuple[int, str]:
    return next(((size, unit) for size, unit in UNITS if ps >= size), (1, "ps"))


def _lane(drawing: Drawing, name: str, intervals: Sequence[Interval], ps: int, top: int) -> None:
    """One thread: its name, and a bar that is cut into points from left to right."""
    label = element("title", clean(_tip(name, intervals, ps)))
    drawing.add("text", "", clean(name) + label, x=LEFT - 10, y=top + 12, text_anchor="end")
    ways: dict[int, list[str]] = {}
    for left, width, heights in _runs(_columns(intervals, ps)):
        y = top + BAR
        for part, height in enumerate(heights):
            if height:
                y -= height
                way = f"M{LEFT + left} {y}h{width}v{height}h-{width}z"
                ways.setdefault(part, []).append(way)
    for part, steps in sorted(ways.items()):
        drawing.add("path", PARTS[part][0], d="".join(steps))


def _parts(one: Interval) -> Iterator[tuple[int, float]]:
    """The parts of an interval and their shares of it."""
    if one.activity != "user":
        yield PLACE[one.activity], 1.0
        return
    stalled = one.stall_ps / (one.to_ps - one.from_ps)
    yield PLACE["computing"], 1.0 - stalled
    yield PLACE["stalled"], stalled


def _columns(intervals: Sequence[Interval], ps: int) -> list[list[float]]:
    """How much of each point's time, from left to right, was which part."""
    columns = [[0.0] * len(PARTS) for _ in range(WIDTH)]
    for one in intervals:
        start, end = (max(0.0, min(at / ps, 1.0)) * WIDTH for at in (one.from_ps, one.to_ps))
        shares = list(_parts(one))
        for column in range(int(start), min(int(end) + 1, WIDTH)):
            width = min(end, column + 1) - max(start, column)
            for part, share in shares:
                columns[column][part] += width * share
    return columns


def _heights(column: Sequence[float]) -> Heights:
    """Whole points, whose sum is that of all parts, rounded."""
    heights = []
    below, done = 0.0, 0
    for amount in column:
        below += amount
        upto = min(round(below * BAR), BAR)
        heights.append(upto - done)
        done = upto
    return tuple(heights)


def _runs(columns: Sequence[Sequence[float]]) -> Iterator[tuple[int, int, Heights]]:
    """Neighbours that look alike as one: where they begin, how many there are, their heights."""
    start, seen = 0, _heights(columns[0])
    for place, column in enumerate(columns[1:], start=1):
        heights = _heights(column)
        if heights != seen:
            yield start, place - start, seen
            start, seen = place, heights
    yield start, len(columns) - start, seen


def _tip(name: str, intervals: Sequence[Interval], ps: int) -> str:
    amounts = [0.0] * len(PARTS)
    for one in intervals:
        for part, share in _parts(one):
            amounts[part] += share * (one.to_ps - one.from_ps)
    shares = (
        f"{words} {amount / ps:.1%}" for (_, words), amount in zip(PARTS, amounts, strict=True)
    )
    return f"{name}: {', '.join(shares)}"


def _arrow(drawing: Drawing, one: Interval, ps: int, middle: Mapping[int, float]) -> None:
    """From the row of the thread that woke another one to that one's."""
    if one.waker is None or one.waker not in middle:
        return
    x = LEFT + min(one.woken_ps / ps, 1.0) * WIDTH
    to = LEFT + min(one.to_ps / ps, 1.0) * WIDTH
    y, end = middle[one.waker], middle[one.thread]
    drawing.add("line", "inked", x1=x, x2=to, y1=y, y2=end, stroke_width="0.8")
    back = 4 if end > y else -4
    head = f"M{to:.1f} {end:.1f}l-2.5 {-back}h5z"
    drawing.add("path", "inked", d=head, stroke_width="0.8")
