"""Draws a node x node matrix as inline SVG, as in the paper's Fig. 3: the stronger, the more.

One fill colour with an opacity per cell, so that the same drawing serves light, dark and print.
"""

from collections.abc import Sequence

from homenode.draw.heat import Grid, root_share
from homenode.draw.svg import element
from homenode.matrix import total
from homenode.report.words import number, percent

CELL = 10
PAD = 1


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
    grid = Grid(0, 0, CELL, CELL)
    cells = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            share = value / everything if everything else 0.0
            amount = f"{number(value)} {noun}, " if measured else ""
            title = f"node {nodes[r]} → node {nodes[c]}: {amount}{percent(share)} of all"
            strength = f"{root_share(value, full):.3g}"
            cells.append(grid.rect(r, c, element("title", title), fill_opacity=strength))
    return element(
        "svg",
        element("rect", class_="frame", x=0, y=0, width=side, height=side),
        element("g", "", *cells, class_="cells"),
        class_="matrix",
        viewBox=f"{-PAD} {-PAD} {side + 2 * PAD} {side + 2 * PAD}",
        role="img",
        shape_rendering="crispEdges",
        aria_label=label,
        data_size=len(nodes),
    )
