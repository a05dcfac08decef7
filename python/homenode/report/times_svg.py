"""Draws execution times as inline SVG: a bar for each method, in groups by pattern.

Bars lie, so that each has its name and its values beside it, on a phone too. A bar's colour is what
the method did to the matrix; the mark beside its name says the same without colour.
"""

from collections.abc import Mapping, Sequence
from html import escape

from homenode.report.rule import Verdict
from homenode.report.times import MethodTime, TimeRow, TimeView
from homenode.report.words import NARROW_SPACE, duration, percent, ratio

WIDTH = 360
BAR_LEFT, BAR_FULL = 92.0, 128.0
LOCAL_RIGHT, BUSY_RIGHT = 304, 358
LINE, BAR, HEAD, GAP, TOP = 15, 10, 16, 7, 16


def draw(view: TimeView, op: str, marks: Mapping[Verdict, str]) -> str:
    """An SVG of the rows of one operation that have a default to be compared with."""
    rows = [row for row in view.panels[op] if _bars(row)]
    longest = max((t.relative or 0.0 for row in rows for t in row.times.values()), default=1.0)
    lab_knows = any(t.local_read_share is not None for row in rows for t in row.times.values())
    parts = [_heads(lab_knows)]
    y = float(TOP)
    for row in rows:
        parts.append(f'<text class="name" x="0" y="{y + 11:.1f}">{escape(row.row.label)}</text>')
        y += HEAD
        for time in _bars(row):
            parts.append(_bar(time, row, y, BAR_FULL / longest, view, marks))
            y += LINE
        y += GAP
    unit = BAR_LEFT + BAR_FULL / longest
    rule = f'<line class="unit" x1="{unit:.1f}" x2="{unit:.1f}" y1="{TOP}" y2="{y - GAP:.1f}"/>'
    label = f"Time of each method, {op}, default = 1, {view.label}; the table below has the values"
    return (
        f'<svg class="times" viewBox="0 0 {WIDTH} {y:.1f}" role="img" '
        f'aria-label="{escape(label)}">{rule}{"".join(parts)}</svg>'
    )


def _bars(row: TimeRow) -> Sequence[MethodTime]:
    return [time for time in row.times.values() if time.relative is not None]


def _heads(lab_knows: bool) -> str:
    heads = [(BAR_LEFT, "start", "time, default = 1")]
    if lab_knows:
        heads += [(LOCAL_RIGHT, "end", "local reads"), (BUSY_RIGHT, "end", "busiest")]
    return "".join(
        f'<text class="head" x="{x}" y="10" text-anchor="{anchor}">{text}</text>'
        for x, anchor, text in heads
    )


def _bar(
    time: MethodTime,
    row: TimeRow,
    y: float,
    unit: float,
    view: TimeView,
    marks: Mapping[Verdict, str],
) -> str:
    verdict = time.case.judgement.verdict
    relative = time.relative or 0.0
    scale = relative * unit / time.seconds
    low, high = (BAR_LEFT + scale * seconds for seconds in (time.low, time.high))
    middle, base = y + LINE / 2, y + LINE / 2 + 3.5
    whisker = (
        f'<path class="spread" d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 2.5:.1f}v5'
        f'M{high:.1f} {middle - 2.5:.1f}v5"/>'
        if time.spread is not None
        else ""
    )
    texts = [
        (BAR_LEFT - 4, "end", f"{time.case.method_name} {marks[verdict]}"),
        (max(high, BAR_LEFT + relative * unit) + 4, "start", ratio(relative)),
    ]
    if time.local_read_share is not None:
        texts.append((LOCAL_RIGHT, "end", _whole(time.local_read_share)))
    if time.busiest_controller is not None:
        texts.append((BUSY_RIGHT, "end", _whole(time.busiest_controller[1])))
    words = "".join(
        f'<text x="{x:.1f}" y="{base:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
        for x, anchor, text in texts
    )
    looks = f"bar {verdict.name.lower()}" + (" slower" if time.is_slower else "")
    return (
        f'<g class="{looks}"><title>{escape(says(time, row, view))}</title>'
        f'<rect class="row" x="0" y="{y:.1f}" width="{WIDTH}" height="{LINE}"/>'
        f'<rect class="length" x="{BAR_LEFT:.1f}" y="{middle - BAR / 2:.1f}" '
        f'width="{max(1.0, relative * unit):.1f}" height="{BAR}"/>{whisker}{words}</g>'
    )


def _whole(share: float) -> str:
    return f"{100 * share:.0f}{NARROW_SPACE}%"


def says(time: MethodTime, row: TimeRow, view: TimeView) -> str:
    """One time in words, with what explains it."""
    name = f"{row.row.label}, {row.row.op}, {time.case.method_name}"
    parts = [f"{name}: {duration(time.seconds)}"]
    parts[0] += f" {view.label}"
    if time.spread is not None:
        parts[0] += f" ({duration(time.low)} to {duration(time.high)} in {len(time.runs)} runs)"
    if time.relative is not None and time.case.method != "default":
        parts.append(f"{ratio(time.relative)} of the default's time")
    if time.local_read_share is not None:
        parts.append(f"{percent(time.local_read_share)} of the lines read from memory were local")
    if time.busiest_controller is not None:
        node, share = time.busiest_controller
        parts.append(f"busiest memory controller: node {node}, in use {percent(share)} of the time")
    if time.from_caches:
        parts.append(f"{percent(time.from_caches)} of all lines came from other CPUs' caches")
    return "; ".join(parts)
