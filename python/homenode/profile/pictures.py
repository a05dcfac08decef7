"""Drawings of a profile as inline SVG: strips, matrices, the timeline, the machine under its load.

Colours are classes (`n0` … `n7` stand for nodes), so that one drawing serves light, dark and print.
Each drawing carries its values as titles. Pure.
"""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np

from homenode.draw.axes import ticks
from homenode.draw.heat import root_share
from homenode.draw.svg import element
from homenode.profile import words
from homenode.profile.correlation import Floats
from homenode.profile.values import ObjectUse, Profile, Strip, Timeline

NODE_COLOURS = 8
STRIP_WIDTH, STRIP_PARTS, HOME, GAP = 240, 120, 4, 2
STRIP_LEVELS = 4
LABELS, CELL, MOST_LABELS = 150, 16, 40


def node_class(at: int) -> str:
    """The colour of a node by its index."""
    return f"n{at % NODE_COLOURS}"


def _svg(kind: str, label: str, width: float, height: float, *content: str) -> str:
    return element(
        "svg",
        *content,
        class_=kind,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_label=label,
    )


def _coarser(rows: Floats, most: int) -> Floats:
    """At most `most` columns: neighbours are added up."""
    count = rows.shape[1]
    if count <= most:
        return rows
    of = np.arange(count) * most // count
    return np.array([np.bincount(of, weights=row, minlength=most) for row in rows])


def _runs(levels: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Neighbours of the same level as one: where they begin, how many there are, their level."""
    start = 0
    for at in range(1, len(levels) + 1):
        if at == len(levels) or levels[at] != levels[start]:
            yield start, at - start, levels[start]
            start = at


def _lane(row: Floats, full: float, y: float, height: float, width: float) -> str:
    """One thread's use of the parts: a path for each strength."""
    depth = [int(np.ceil(root_share(float(value), full) * STRIP_LEVELS)) for value in row]
    ways: dict[int, list[str]] = {}
    for start, count, level in _runs(depth):
        if level:
            way = f"M{start * width:.4g} {y:.4g}h{count * width:.4g}v{height:.4g}"
            ways.setdefault(level, []).append(f"{way}h{-count * width:.4g}z")
    return "".join(
        element("path", d="".join(steps), fill_opacity=f"{level / STRIP_LEVELS:.3g}")
        for level, steps in sorted(ways.items())
    )


def _range(row: Floats) -> str:
    """Where most of a thread's use is: "12 to 25 %"."""
    along = np.cumsum(row) / row.sum()
    first = int(np.searchsorted(along, 0.01)) / len(row)
    last = (int(np.searchsorted(along, 0.99)) + 1) / len(row)
    return f"{100 * first:.0f} to {100 * min(1.0, last):.0f} %"


def strip(profile: Profile, use: ObjectUse) -> str:
    """Rows: threads in the colour of their node. Below: the node of the memory."""
    found = use.strip
    if found is None or found.users.sum() <= 0:
        return ""
    rows = _coarser(found.users, STRIP_PARTS)
    parts, full = rows.shape[1], float(rows.max())
    width = STRIP_WIDTH / parts
    height = max(1.0, min(4.0, 48 / len(rows)))
    lanes: list[str] = []
    for rank, row in zip(found.threads, rows, strict=True):
        thread = profile.threads[rank]
        at = profile.nodes.index(thread.node) if thread.node in profile.nodes else None
        colour = "unknown" if at is None else node_class(at)
        where = "an unknown node" if thread.node is None else f"node {thread.node}"
        title = f"{words.thread(thread)} on {where}: uses {_range(row)} of {use.object.name}"
        lane = _lane(row, full, len(lanes) * height, height, width)
        lanes.append(element("g", element("title", escape(title)), lane, class_=colour))
    top = len(rows) * height + GAP
    label = f"who uses which part of {use.object.name}: {words.pattern(use)}"
    home = _homes(profile, found, top)
    return _svg("strip", label, STRIP_WIDTH, top + HOME, *lanes, home)


def _homes(profile: Profile, found: Strip, y: float) -> str:
    """The node of each part's memory."""
    width = STRIP_WIDTH / len(found.home)
    parts = []
    for start, count, node in _runs(found.home):
        if node < 0:
            continue
        title = element("title", f"this part's memory: node {profile.nodes[node]}")
        parts.append(
            element("rect", title, class_=node_class(node), x=f"{start * width:.4g}",
                    y=f"{y:.4g}", width=f"{count * width:.4g}", height=HOME)
        )  # fmt: skip
    return "".join(parts)


def thread_matrix(profile: Profile, rows: Floats, noun: str) -> str:
    """Threads x nodes: the stronger, the more; full strength is the busiest thread's whole use."""
    count, nodes = rows.shape
    everything, full = float(rows.sum()), float(rows.sum(axis=1).max(initial=0.0))
    height = CELL if count <= MOST_LABELS else max(3.0, CELL * MOST_LABELS / count)
    width = 30
    cells, names = [], []
    for r, thread in enumerate(profile.threads):
        y = 16 + r * height
        at = "" if thread.node is None else f" · node {thread.node}"
        if count <= MOST_LABELS:
            names.append(
                element("text", escape(words.thread(thread)[:18] + at), x=LABELS - 6, y=y + 12,
                        text_anchor="end")
            )  # fmt: skip
        for c in range(nodes):
            share = float(rows[r, c]) / everything if everything else 0.0
            title = (
                f"{words.thread(thread)}{at} → node {profile.nodes[c]}: "
                f"{words.percent(share)} of all {noun}"
            )
            own = "own" if profile.nodes[c] == thread.node else None
            cells.append(
                element("rect", element("title", escape(title)), class_=own, x=LABELS + c * width,
                        y=y, width=width, height=height,
                        fill_opacity=f"{root_share(float(rows[r, c]), full):.3g}")
            )  # fmt: skip
    heads = [
        element("text", str(node), x=LABELS + c * width + width / 2, y=11, text_anchor="middle")
        for c, node in enumerate(profile.nodes)
    ]
    label = f"which thread uses the memory of which node, {noun}"
    body = element("g", *cells, class_="cells")
    return _svg("matrix threads", label, LABELS + nodes * width + 1, 17 + count * height,
                *heads, *names, body)  # fmt: skip


CHART_WIDTH, CHART_LEFT, CHART_HEIGHT, LANE = 900, 150, 120, 16


def _stack(found: Timeline) -> Iterator[str]:
    """Local, remote and unknown use of each step, one on the other."""
    parts = (("unknown", found.unknown), ("far", found.remote), ("near", found.local))
    full = float((found.local + found.remote + found.unknown).max()) or 1.0
    count = len(found.local)
    width = (CHART_WIDTH - CHART_LEFT) / count
    base = np.zeros(count)
    for name, values in parts[::-1]:
        way = []
        for at, value in enumerate(values):
            if value > 0:
                height = CHART_HEIGHT * float(value) / full
                y = CHART_HEIGHT - CHART_HEIGHT * float(base[at]) / full - height
                x = CHART_LEFT + at * width
                way.append(f"M{x:.1f} {y:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z")
        base = base + values
        if way:
            yield element("path", class_=name, d="".join(way))


def _time_axis(found: Timeline, bottom: float) -> Iterator[str]:
    seconds = found.step_s * len(found.local)
    for time in ticks(0, seconds):
        x = CHART_LEFT + (CHART_WIDTH - CHART_LEFT) * time / seconds
        yield element("line", class_="rule", x1=x, x2=x, y1=0, y2=bottom)
        anchor = "end" if x > CHART_WIDTH - 20 else "middle"
        yield element("text", f"{time:.4g} s", x=x, y=bottom + 14, text_anchor=anchor)


def timeline(profile: Profile) -> str:
    """Use over time, with a lane for each of the objects that were used most, and the phases."""
    found = profile.timeline
    if found is None:
        return ""
    count = len(found.local)
    width = (CHART_WIDTH - CHART_LEFT) / count
    bottom = CHART_HEIGHT + 8 + LANE * len(found.objects)
    parts = list(_time_axis(found, bottom))
    parts += _stack(found)
    full = float(found.by_object.max(initial=0.0))
    for lane, (index, row) in enumerate(zip(found.objects, found.by_object, strict=True)):
        y = CHART_HEIGHT + 8 + lane * LANE
        name = profile.objects[index].object.name
        title = element("title", escape(name))
        label = element("text", title, escape(_short(name, 22)), x=CHART_LEFT - 6, y=y + 11,
                        text_anchor="end")  # fmt: skip
        cells = _lane(row, full, 0, LANE - 3, width)
        move = f"translate({CHART_LEFT} {y})"
        parts += [label, element("g", title, cells, class_="use", transform=move)]
    for number, phase in enumerate(found.phases, start=1):
        x = CHART_LEFT + (CHART_WIDTH - CHART_LEFT) * phase.begin_s / (found.step_s * count)
        if number > 1:
            parts.append(element("line", class_="phase", x1=x, x2=x, y1=0, y2=bottom))
        if len(found.phases) > 1:
            parts.append(element("text", str(number), class_="number", x=x + 4, y=12))
    label = element("text", "all use", x=CHART_LEFT - 6, y=CHART_HEIGHT, text_anchor="end")
    said = "use over time, local and remote, and of each object"
    return _svg("timeline", said, CHART_WIDTH, bottom + 20, *parts, label)


def _short(text: str, most: int) -> str:
    """Its end, which says more of a path than its beginning."""
    return text if len(text) <= most else "…" + text[-(most - 1) :]
