"""Scales with round numbers: how values become points, and where their ticks are."""

import math
from collections.abc import Iterator
from dataclasses import dataclass


def tick_unit(extent: float) -> float:
    """1, 2 or 5 times a power of ten, of which some 4 to 10 are in a range. pre: extent > 0."""
    power = 10.0 ** math.floor(math.log10(extent))
    many = extent / power  # 1 to 10
    return power / 5 if many < 2 else power / 2 if many < 4 else power


def round_up(value: float) -> float:
    """Up to a number whose half is short, too; 0 for what is not above 0."""
    if not value > 0.0:
        return 0.0
    unit = 0.2 * 10.0 ** math.floor(math.log10(value))
    return math.ceil(value / unit) * unit


def ticks(one: float, other: float) -> Iterator[float]:
    """The round numbers between two different values, in rising order."""
    unit = tick_unit(abs(other - one))
    end = max(one, other) * (1 + 1e-12)
    n = math.ceil(min(one, other) / unit)
    while n * unit <= end:
        yield n * unit
        n += 1


@dataclass(frozen=True)
class Ruler:
    """How the cells of one axis of a plane become points and km."""

    cells: int
    points: float  # Per cell.
    start: float  # The point of the first cell's edge,
    upward: bool  # from where cells go up.
    zero: float  # The cell that is 0 km,
    km: float  # and the km from cell to cell, below 0 for depths.
    offset: float = 0.0  # Where in its cell a value lies: a staggered one half a cell on.

    @property
    def end(self) -> float:
        """The point of the last cell's far edge."""
        length = self.cells * self.points
        return self.start - length if self.upward else self.start + length

    def at(self, cell: float) -> float:
        """The point of a place in cells; that of a value is in the middle of its square."""
        along = (cell - self.offset + 0.5) * self.points
        return self.start - along if self.upward else self.start + along

    def ticks(self) -> Iterator[tuple[float, float]]:
        """Points and km of round numbers along the ruler."""
        one = (self.offset - 0.5 - self.zero) * self.km
        other = (self.offset + self.cells - 0.5 - self.zero) * self.km
        for km in ticks(one, other):
            yield self.at(self.zero + km / self.km), km
