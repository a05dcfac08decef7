"""Draws a node x node matrix as inline SVG, as in the paper's Fig. 3: the stronger, the more.

One fill colour with an opacity per cell, so that the same drawing serves light, dark and print.
"""

from collections.abc import Sequence
from html import escape

from homenode.matrix import total
from homenode.report.words import number, percent

CELL = 10
PAD = 1


def opacity(value: float, full: float) -> float:
    """How strong a cell is drawn: the square root of its share of `full`: a little still shows."""
    return min(1.0, (value / full) ** 0.5) if full > 0 and value > 0 else 0.0


def draw(
    rows: Sequence[Sequence[float]],
    nodes: Sequence[int],
    label: str,
    noun: str,
    *,
    measured: bool = True,
) -> str:
    """An SVG whose cells carry their values as titles. `noun` is what is counted (reads, writes).

    Full strength is all that the busiest issuing node did. A matrix that is not measured shows
    shares alone.
    """
    side = CELL * len(nodes)
    full = max((sum(row) for row in rows), default=0)
    everything = total(rows)
    cells = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            share = value / everything if everything else 0.0
            amount = f"{number(value)} {noun}, " if measured else ""
            title = f"node {nodes[r]} → node {nodes[c]}: {amount}{percent(share)} of all"
            cells.append(
                f'<rect x="{c * CELL}" y="{r * CELL}" width="{CELL}" height="{CELL}" '
                f'fill-opacity="{opacity(value, full):.3g}"><title>{title}</title></rect>'
            )
    return (
        f'<svg class="matrix" viewBox="{-PAD} {-PAD} {side + 2 * PAD} {side + 2 * PAD}" role="img" '
        f'shape-rendering="crispEdges" aria-label="{escape(label)}" data-size="{len(nodes)}">'
        f'<rect class="frame" x="0" y="0" width="{side}" height="{side}"/>'
        f'<g class="cells">{"".join(cells)}</g></svg>'
    )
