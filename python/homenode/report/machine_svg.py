"""Draws the machine of the records: nodes on a ring, their CPUs, and which pairs are nearest."""

import math
from html import escape

from homenode.node import Node
from homenode.sizes import size_text
from homenode.study.machine import Machine

BOX_WIDTH, BOX_HEIGHT = 92, 58
ROOM = 1.4  # How far apart neighbours are, in boxes.
MAX_CPUS_DRAWN = 16


def nearest_distance(machine: Machine) -> int | None:
    """The smallest distance between two different nodes; None without a table."""
    remote = [
        d for a, row in enumerate(machine.distances) for b, d in enumerate(row) if a != b and d > 0
    ]
    return min(remote, default=None)


def draw(machine: Machine) -> str:
    """An SVG of the nodes; lines join the pairs at the smallest remote distance."""
    count = len(machine.nodes)
    width, height, centres = places(count)
    lines = []
    nearest = nearest_distance(machine)
    for a, row in enumerate(machine.distances):
        for b in range(a + 1, len(row)):
            if row[b] == nearest:
                (x1, y1), (x2, y2) = centres[a], centres[b]
                lines.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')
    boxes = [_box(node, *centre) for node, centre in zip(machine.nodes, centres, strict=True)]
    label = f"{machine.name}: {count} nodes, {sum(len(n.cpus) for n in machine.nodes)} CPUs"
    return (
        f'<svg class="machine" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(label)}"><g class="links">{"".join(lines)}</g>{"".join(boxes)}</svg>'
    )


def places(count: int) -> tuple[float, float, list[tuple[float, float]]]:
    """The drawing's width and height, and each node's centre on an ellipse where none overlap."""
    step = math.sin(2 * math.pi / count) if count > 4 else 1.0
    radius_x = max(160.0, ROOM * BOX_WIDTH / step) if count > 1 else BOX_WIDTH / 2
    radius_y = 0.0 if count == 1 else max(0.62 * radius_x, ROOM * BOX_HEIGHT / step)
    width, height = 2 * radius_x + BOX_WIDTH + 8, 2 * radius_y + BOX_HEIGHT + 8
    turn = math.pi / 2 + (math.pi / 4 if count == 4 else 0.0)
    angles = [2 * math.pi * index / count - turn for index in range(count)]
    if count == 1:
        return width, height, [(width / 2, height / 2)]
    return (
        width,
        height,
        [(width / 2 + radius_x * math.cos(a), height / 2 + radius_y * math.sin(a)) for a in angles],
    )


def _box(node: Node, x: float, y: float) -> str:
    left, top = x - BOX_WIDTH / 2, y - BOX_HEIGHT / 2
    shown = node.cpus[:MAX_CPUS_DRAWN]
    step = min(14.0, (BOX_WIDTH - 16) / max(1, len(shown)))
    cpus = "".join(
        f'<rect class="cpu" x="{left + 8 + i * step:.1f}" y="{top + 24:.1f}" '
        f'width="{step - 3:.1f}" height="10" rx="2"><title>CPU {cpu}</title></rect>'
        for i, cpu in enumerate(shown)
    )
    memory = size_text(node.memory_bytes) if node.memory_bytes else "no memory"
    what = f"{len(node.cpus)} CPUs" if node.cpus else "no CPUs"
    return (
        f'<g class="node"><rect x="{left:.1f}" y="{top:.1f}" width="{BOX_WIDTH}" '
        f'height="{BOX_HEIGHT}" rx="8"/>'
        f'<text class="name" x="{left + 8:.1f}" y="{top + 17:.1f}">node {node.id}</text>{cpus}'
        f'<text class="what" x="{left + 8:.1f}" y="{top + 49:.1f}">{what} · {memory}</text></g>'
    )
