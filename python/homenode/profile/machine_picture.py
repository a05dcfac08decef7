"""Draws the machine under a program's load: what each node's memory answers, what goes between."""

from html import escape

from homenode.draw.svg import element
from homenode.profile import words
from homenode.profile.pictures import node_class
from homenode.profile.values import Load, Profile
from homenode.report.machine_svg import places

WIDTH, HEIGHT = 92, 58  # As the report's.
WIDEST = 14.0
FULL = 3.0  # A bar is full at three times an even load.


def draw(profile: Profile) -> str:
    """An SVG of the nodes on a ring; a line's width is what goes between its two ends."""
    count = len(profile.nodes)
    if count == 0:
        return ""
    width, height, centres = places(count)
    lines = []
    for pair, loads in _pairs(profile).items():
        (x1, y1), (x2, y2) = (centres[profile.nodes.index(node)] for node in pair)
        share = sum(load.share for load in loads)
        title = "; ".join(
            f"node {load.source} uses node {load.target}'s memory: {words.percent(load.share)} of "
            f"all uses" + (f", {load.relative:.2f} of an even load" if load.known else "")
            for load in loads
        )
        lines.append(
            element("line", element("title", escape(title)), x1=x1, y1=y1, x2=x2, y2=y2,
                    style=f"stroke-width:{max(1.0, WIDEST * share**0.5):.1f}")
        )  # fmt: skip
    boxes = [_box(profile, at, *centre) for at, centre in enumerate(centres)]
    name = str((profile.machine or {}).get("name") or "the machine")
    return element(
        "svg",
        element("g", *lines, class_="links"),
        *boxes,
        class_="machine load",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        role="img",
        aria_label=f"{name}: load of each node's memory and of the ways between nodes",
    )


def _pairs(profile: Profile) -> dict[tuple[int, int], list[Load]]:
    """The ways by their two ends, in both directions."""
    found: dict[tuple[int, int], list[Load]] = {}
    for load in profile.ways:
        if load.source is not None:
            pair = min(load.source, load.target), max(load.source, load.target)
            found.setdefault(pair, []).append(load)
    return found


def _box(profile: Profile, at: int, x: float, y: float) -> str:
    node = profile.nodes[at]
    left, top = x - WIDTH / 2, y - HEIGHT / 2
    load = next((found for found in profile.controllers if found.target == node), None)
    share, relative = (load.share, load.relative) if load else (0.0, 0.0)
    bar = (WIDTH - 16) * min(1.0, relative / FULL)
    even = left + 8 + (WIDTH - 16) / FULL
    threads = sum(thread.node == node for thread in profile.threads)
    title = (
        f"node {node}: its memory answers {words.percent(share)} of all uses, {relative:.2f} times "
        "its part of an even load"
    )
    return element(
        "g",
        element("title", title),
        element("rect", x=left, y=top, width=WIDTH, height=HEIGHT, rx=8),
        element("rect", class_=f"swatch {node_class(at)}", x=left + WIDTH - 20, y=top + 8, width=12,
                height=12, rx=3),
        element("text", f"node {node}", class_="name", x=left + 8, y=top + 18),
        element("rect", class_="track", x=left + 8, y=top + 25, width=WIDTH - 16, height=9),
        element("rect", class_="bar hot" if relative > 1.5 else "bar", x=left + 8, y=top + 25,
                width=bar, height=9),
        element("line", class_="even", x1=even, x2=even, y1=top + 23, y2=top + 36),
        element("text", f"{words.percent(share)} · {threads} thr.", class_="what", x=left + 8,
                y=top + 48),
        class_="node",
    )  # fmt: skip
