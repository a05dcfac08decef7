"""Matrices as grids of tinted cells: how deep each cell is, where it stands and what it says."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from homenode.draw.svg import Drawing, clean, element

Value = float | None  # None where nothing is known.
Rows = Sequence[Sequence[Value]]


@dataclass(frozen=True)
class Grid:
    """Cells beside and below each other from (left, top) on."""

    left: int
    top: int
    width: int
    height: int

    def place(self, row: int, column: int) -> tuple[int, int]:
        """The upper left corner of a cell."""
        return self.left + column * self.width, self.top + row * self.height

    def rect(self, row: int, column: int, *content: str, **attributes: object) -> str:
        """The rectangle of a cell."""
        x, y = self.place(row, column)
        return element(
            "rect", *content, x=x, y=y, width=self.width, height=self.height, **attributes
        )


def root_share(value: float, full: float) -> float:
    """The square root of a value's share of `full`, at most 1: a little still shows."""
    return min(1.0, math.sqrt(value / full)) if full > 0 and value > 0 else 0.0


def depths(rows: Rows, *, more_is_better: bool = False) -> list[list[Value]]:
    """Each value between the cheapest (0) and the dearest (1); 0 where all are the same."""
    known = [value for row in rows for value in row if value is not None]
    least, most = min(known, default=0.0), max(known, default=0.0)

    def depth(value: Value) -> Value:
        if value is None:
            return None
        share = (value - least) / (most - least) if most > least else 0.0
        return 1.0 - share if more_is_better and most > least else share

    return [[depth(value) for value in row] for row in rows]


def opacity(depth: Value) -> str:
    """How strong the tint of a depth is: the cheapest is still seen, the dearest readable."""
    return f"{0.0 if depth is None else 0.06 + 0.84 * depth:.2f}"


@dataclass(frozen=True)
class Table:
    """A matrix to be drawn between nodes: rows ask, columns hold the memory."""

    rows: Rows
    sources: Sequence[int]
    targets: Sequence[int]
    words: Callable[[int, int], str]  # What stands in the cell of a row and a column.
    note: Callable[[int, int], str] = lambda row, column: ""  # More, for its title alone.
    more_is_better: bool = False
    between: str = "node"  # What the rows and columns are.


def draw(drawing: Drawing, table: Table, grid: Grid) -> None:
    """Adds the cells, each with its title, and the ids of the nodes as far as there is room."""
    size = 9 if grid.width < 20 else 11
    middle = grid.height // 2 + 4
    for column in range(0, len(table.targets), 1 if grid.width >= 14 else 4):
        x = grid.place(0, column)[0] + grid.width // 2
        name = str(table.targets[column])
        drawing.text(x, grid.top - 5, name, "soft", size=size, anchor="middle")
    for row in range(0, len(table.sources), 1 if grid.height >= 14 else 4):
        y = grid.place(row, 0)[1] + middle
        name = str(table.sources[row])
        drawing.text(grid.left - 6, y, name, "soft", size=size, anchor="end")
    look = drawing.look("tint parted" if grid.width >= 14 else "tint")
    drawing.parts.append(element("g", "\n", *_cells(table, grid), **look))
    words = list(_words(table, grid))
    if words:
        # The pointer meets the cell below, which has a title.
        size = 13 if grid.width >= 32 and grid.height >= 32 else 11
        drawing.add(
            "g", "", "\n", *words, pointer_events="none", font_size=size, text_anchor="middle"
        )


def _cells(table: Table, grid: Grid) -> Iterator[str]:
    for r, line in enumerate(depths(table.rows, more_is_better=table.more_is_better)):
        for c, depth in enumerate(line):
            between = table.between
            title = f"{between} {table.sources[r]} to {between} {table.targets[c]}: "
            title += table.words(r, c)
            title = element("title", clean(title + table.note(r, c)))
            yield grid.rect(r, c, title, fill_opacity=opacity(depth)) + "\n"


def _words(table: Table, grid: Grid) -> Iterator[str]:
    """What the cells say that have room for it."""
    for r in range(len(table.rows)):
        for c in range(len(table.targets)):
            words = table.words(r, c)
            if grid.width >= max(24, 8 * len(words)):
                x, y = grid.place(r, c)
                x, y = x + grid.width // 2, y + grid.height // 2 + 4
                yield element("text", clean(words), x=x, y=y) + "\n"
