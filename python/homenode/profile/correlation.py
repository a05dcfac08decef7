"""How likely it is that two accesses are by the same thread, by the distance between them. Pure.

Of all pairs of accesses that are `d` units apart in memory, S(d) is the share of those that one
thread made. It needs no unit to be seen twice and no thread to be seen everywhere, so it is the
same, but for noise, for every access and for a small sample of them. What follows reads

    r(d) = (S(d) - S) / (1 - S),    S = the sum of the squares of the threads' shares,

which is 1 where such a pair always is one thread's, and 0 where threads have nothing to do with it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# So many pairs at each distance, on average, keep the noise of r(d) near 7 %.
PAIRS_WANTED = 50
MOST_CELLS = 1 << 24
# Threads whose numbers lie this close, or as close as there are accesses, get ranks from a table.
CLOSE = 1 << 16


def _numbered(threads: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different threads in order, and the index of each access's thread among them.

    As `numpy.unique` has both, but without sorting all accesses where the numbers lie close.
    """
    span = int(threads.max()) - int(threads.min()) if len(threads) else 0
    if len(threads) == 0 or span > max(CLOSE, len(threads)):
        different, ranks = np.unique(threads, return_inverse=True)
        return different, ranks.astype(np.int64)
    first = threads.min()
    offsets = threads - first
    seen = np.zeros(span + 1, bool)
    seen[offsets] = True
    return np.flatnonzero(seen) + first, (np.cumsum(seen) - 1)[offsets]


@dataclass(frozen=True)
class Uses:
    """Accesses to one object, or a sample of them: one entry of each array for each.

    `places` are byte offsets from the object's start, below `size`; `threads` any numbers; `counts`
    how often, where an entry stands for several. `exact`: nothing is missing. `counted_by`: the
    size of the units that exact uses were counted by; 0: the places tell it. `first_touches`: each
    is the first one of a page since it was armed, so that places crowd where threads begin.
    """

    size: int
    places: NDArray[np.int64]
    threads: NDArray[np.int64]
    counts: NDArray[np.int64]
    exact: bool
    line: int = 64
    counted_by: int = 0
    first_touches: bool = False

    @cached_property
    def _threads(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _numbered(self.threads)

    @property
    def different(self) -> NDArray[np.int64]:
        """The threads, each once, in order."""
        return self._threads[0]

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The threads, numbered from 0."""
        return self._threads[1]

    @cached_property
    def by_thread(self) -> NDArray[np.float64]:
        """The accesses of each thread."""
        return np.bincount(self.ranks, weights=self.counts).astype(np.float64)

    @cached_property
    def grain(self) -> int:
        """The size of the units that they were counted by, if that is more than a line: all exact
        places are multiples of it."""
        if self.counted_by:
            return max(self.line, self.counted_by)
        common = int(np.bitwise_or.reduce(self.places)) if self.exact and len(self.places) else 0
        return max(self.line, common & -common)

    @property
    def tells_lines(self) -> bool:
        """Whether what different threads use of a unit can be told apart."""
        return self.grain == self.line

    def unit_bytes(self) -> int:
        """The size of the units that accesses are told apart by: a line, or as many as there must
        be for enough pairs at each distance, or as they were counted by."""
        units = self.size / self.grain
        threads = len(self.by_thread)
        pairs = float(len(self.places)) ** 2 / units
        coarser = max(1.0, 2 * units * threads / MOST_CELLS)
        if not self.exact:
            coarser = max(coarser, PAIRS_WANTED / max(pairs, 1e-9))
        return self.grain << int(np.ceil(np.log2(coarser)))


def histograms(uses: Uses, unit: int) -> Floats:
    """The accesses of each thread to each unit: [thread, unit]."""
    units = -(-uses.size // unit)
    cells = uses.ranks * units + uses.places // unit
    counted = np.bincount(cells, weights=uses.counts, minlength=len(uses.by_thread) * units)
    return counted.astype(np.float64).reshape(-1, units)


def autocorrelation(rows: Floats) -> Floats:
    """The sum over rows of row[u] * row[u + d], for each d."""
    units = rows.shape[1]
    spectra = np.fft.rfft(rows, n=2 * units, axis=1)
    power = (spectra.real**2 + spectra.imag**2).sum(axis=0)
    return np.fft.irfft(power, n=2 * units)[:units]


@dataclass(frozen=True)
class Correlation:
    """By distance: how many pairs of accesses there are, and how many of them are one thread's."""

    same: Floats
    pairs: Floats
    by_chance: float  #: S of accesses that have nothing to do with each other.
    exact: bool  #: There is no noise.

    def probability(self) -> Floats:
        """S(d); not a number where there are no pairs."""
        found = np.full(len(self.pairs), np.nan)
        seen = self.pairs > 0.5
        found[seen] = self.same[seen] / self.pairs[seen]
        return found

    def r(self) -> Floats:
        """r(d): 1 where such a pair always is one thread's, 0 where it is so by chance."""
        return np.asarray((self.probability() - self.by_chance) / max(1 - self.by_chance, 1e-9))

    def smoothed(self, reach: int) -> "Correlation":
        """With the pairs of distances up to `reach` away counted in, against noise."""
        if reach < 1 or self.exact:
            return self
        return Correlation(
            _box(self.same, reach), _box(self.pairs, reach), self.by_chance, self.exact
        )

    def every(self, step: float) -> "Correlation":
        """Of the multiples of a distance."""
        at = np.rint(np.arange(0, len(self.pairs) - 0.5, step)).astype(int)
        at = at[at < len(self.pairs)]
        return Correlation(self.same[at], self.pairs[at], self.by_chance, self.exact)


def _box(values: Floats, reach: int) -> Floats:
    """The sum of each value and those up to `reach` away."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    at = np.arange(len(values))
    return np.asarray(
        sums[np.minimum(at + reach + 1, len(values))] - sums[np.maximum(at - reach, 0)]
    )


def correlate(table: Floats, exact: bool) -> Correlation:
    """Of the accesses [thread, unit]."""
    shares = table.sum(axis=1) / table.sum()
    same = autocorrelation(table)
    pairs = autocorrelation(table.sum(axis=0, keepdims=True))
    if not exact:
        # An access is not its own neighbour.
        same[0] -= table.sum()
        pairs[0] -= table.sum()
    return Correlation(same, pairs, float((shares**2).sum()), exact)
