"""Which strides tell the thread of a sample, however few samples there are. Pure.

An array of rows of P bytes has two coordinates in memory: the place within its row, x mod P, and
the row. A pattern is known by the coordinates that a thread depends on: by x alone, by the place in
a row, by both, by the places in a row and in a plane, … So each supposed set of coordinates is
judged by how often it tells the thread of a sample right: as that of the sample that is nearest in
these coordinates.

That asks nothing of where samples are. Sources that arm pages see the first use of a page, so their
places crowd at the beginnings of pages and of threads' parts. Whatever is counted by the distance
between two places shows these crowds as well.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from homenode.profile.correlation import Floats, Uses

# More samples than these say the same, and pairs of all are looked at.
MOST_SAMPLES = 1000
# Periods up to so many lines are all tried; of longer ones, those that pairs of samples propose.
TRIED = 1024
# So many are looked at together with others.
MOST_PERIODS = 6
# Standard deviations by which chance does not reach what so many periods are tried for, and those
# that a more complicated supposition must be better by.
NOT_BY_CHANCE, BETTER = 5.0, 2.0
# A period comes again at least so often.
ROUNDS = 3
# In a period: what is less apart is the same place.
SAME_PLACE = 1 / 128
NO_OVERLAP = 0.9
# Of all samples, those whose nearest is across a boundary of parts.
ERRORS = 0.1
MULTIPLES = (1, 2, 3)
# Of a period, that each thread has at most.
PIECES = 2
# Elements begin at multiples of it.
WORD = 8


@dataclass(frozen=True)
class Supposition:
    """Coordinates: places in periods (bytes, the inner first), and where in the whole object."""

    periods: tuple[float, ...]
    whole: bool


@dataclass(frozen=True)
class Told:
    """How often a supposition tells the thread right: 1 always, 0 as by chance.

    `by_others` is the same where what is at the very same place in a long period says nothing:
    where places are few, that knows each by heart.
    """

    supposition: Supposition
    share: float
    by_others: float
    complexity: int  #: Of coordinates; of many pieces in one, one more.


class Folding:
    """The samples of an object, judged under suppositions."""

    def __init__(self, uses: Uses, seed: int = 1) -> None:
        count = len(uses.places)
        chosen = np.arange(count)
        if count > MOST_SAMPLES:
            drawn = np.random.default_rng(seed).choice(count, MOST_SAMPLES, replace=False)
            chosen = np.sort(drawn)
        self.places, self.ranks = uses.places[chosen], uses.ranks[chosen]
        self.size, self.line = uses.size, uses.line
        self.threads = len(uses.by_thread)
        shares = np.bincount(self.ranks) / len(self.ranks)
        self.by_chance = float((shares**2).sum())

    @cached_property
    def deviation(self) -> float:
        """Of a share that chance makes."""
        variance = self.by_chance * (1 - self.by_chance) / len(self.places)
        return float(np.sqrt(2 * variance)) / max(1 - self.by_chance, 1e-9)

    def _over_chance(self, share: float) -> float:
        return (share - self.by_chance) / max(1 - self.by_chance, 1e-9)

    def in_order(self, period: float) -> float:
        """How often neighbours in the place within a period are one thread's."""
        ranks = self.ranks[np.argsort(self.places % period, kind="stable")]
        return self._over_chance(float((ranks == np.roll(ranks, 1)).mean()))

    def told(self, supposition: Supposition) -> Told:
        """How well it tells the thread."""
        apart = self._chance.copy()
        same = np.full(apart.shape, bool(supposition.periods))
        for period in supposition.periods:
            phase = ((self.places % period) / period).astype(np.float32)
            away = np.abs(phase[:, None] - phase[None, :])
            away = np.minimum(away, 1 - away)
            apart += away
            fine = period <= 4 * self.line * self.threads
            same &= away < (0 if fine else SAME_PLACE)
        if supposition.whole:
            where = (self.places / self.size).astype(np.float32)
            apart += np.abs(where[:, None] - where[None, :])
        right = self._right(apart)
        apart[same] += len(supposition.periods) + 1
        scattered = not supposition.periods and not self.is_in_pieces(self.size)
        complexity = len(supposition.periods) + supposition.whole + scattered
        return Told(supposition, right, self._right(apart), complexity)

    def _right(self, apart: NDArray[np.float32]) -> float:
        nearest = apart.argmin(axis=1)
        return self._over_chance(float((self.ranks == self.ranks[nearest]).mean()))

    def is_in_pieces(self, period: float) -> bool:
        """Whether each thread has few pieces of a period; else a few places in it are known by
        heart."""
        _, place = np.unique(self.places % period // self.line, return_inverse=True)
        table = np.zeros((int(place.max()) + 1, self.threads))
        np.add.at(table, (place, self.ranks), 1)
        owner = table.argmax(axis=1)
        # A single stray between two places of one thread is no piece.
        before, after = np.roll(owner, 1), np.roll(owner, -1)
        most = PIECES * self.threads
        if len(owner) > most:
            owner = np.where(before == after, before, owner)
        return int((owner != np.roll(owner, 1)).sum()) <= most

    @cached_property
    def _chance(self) -> NDArray[np.float32]:
        """Decides between samples that are as near as each other; nobody is its own neighbour."""
        count = len(self.places)
        drawn = np.random.default_rng(1).random((count, count), np.float32) * np.float32(1e-5)
        np.fill_diagonal(drawn, np.inf)
        return drawn

    @cached_property
    def periods(self) -> list[float]:
        """Those that tell most of the thread. One that is near a better one is only that, and so is
        a multiple of one that tells as much, and to which it adds nothing."""
        candidates = sorted({*self._short(), *self._by_distance()})
        scores = {
            period: max(self.in_order(period), self.told(Supposition((period,), True)).share)
            for period in candidates
        }
        noise = BETTER * self.deviation
        bases: list[float] = []
        for period in candidates:
            lower = [base for base in bases if _is_multiple(period, base)]
            least = max((scores[base] for base in lower), default=-1.0) + noise
            if scores[period] > least or any(
                self.told(Supposition((base, period), True)).share > least for base in lower[:1]
            ):
                bases.append(period)
        found: list[float] = []
        for period in sorted(bases, key=lambda one: -scores[one]):
            if all(abs(period - other) > max(period, other) / 4 for other in found):
                found.append(period)
        return found[:MOST_PERIODS]

    def _short(self) -> list[float]:
        """Of all short ones those that tell more than chance and more than others near them."""
        longest = min(TRIED, self.size // (ROUNDS * self.line))
        if longest < 2:
            return []
        periods = (self.line * np.arange(2, longest + 1)).astype(np.float64)
        told = np.array([self.in_order(float(period)) for period in periods])
        return _peaks(periods, told, NOT_BY_CHANCE * self.deviation)

    def _by_distance(self) -> list[float]:
        """Distances, and twice and three times these, at which two samples are more often one
        thread's than at half the distance."""
        grain = max(self.line, self.size // (1 << 16))
        pairs = self._pairs(grain)
        periods = np.arange(2, max(3, pairs.shape[1] // ROUNDS), dtype=np.float64)
        on, precise = (_at_multiples(pairs, periods, periods // part) for part in (32, 512))
        half = _within(pairs, np.ceil(periods / 3), np.floor(2 * periods / 3))
        more = on[0] / np.maximum(on[1], 1) - half[0] / np.maximum(half[1], 1)
        certainty = more * np.sqrt(np.minimum(on[1], half[1]))
        share = precise[0] / np.maximum(precise[1], 1)
        found = []
        for period in _peaks(periods, certainty, NOT_BY_CHANCE / 2):
            low, high = (max(0, int(period * (1 + step / 24)) - 2) for step in (-1, 1))
            best = low + int(share[low : high + 1].argmax())
            found.append(self._refined(float(periods[best]) * grain))
        return found

    def _pairs(self, grain: int) -> Floats:
        """By distance, summed up to each: pairs of samples that are one thread's, and all pairs."""
        first, second = np.triu_indices(len(self.places), 1)
        apart = np.abs(self.places[first] - self.places[second]) // grain
        same = apart[self.ranks[first] == self.ranks[second]]
        length = self.size // grain + 2
        counts = np.array([np.bincount(which, minlength=length) for which in (same, apart)])
        return np.pad(np.cumsum(counts, axis=1), ((0, 0), (1, 0))).astype(np.float64)

    def _refined(self, period: float) -> float:
        """Rows need not be whole lines."""
        steps = {step * unit for step in range(-16, 17) if step for unit in (WORD, self.line)}
        near = [period + step for step in sorted(steps) if period + step >= 2 * self.line]
        told = [self.in_order(one) for one in near]
        best = near[int(np.argmax(told))]
        better = max(told) > self.in_order(period) + BETTER * self.deviation
        return best if better and self.is_in_pieces(best) else period

    def judged(self) -> list[Told]:
        """All suppositions that are worth it, the simplest first."""
        supposed = [Supposition((), True)]
        periods = self.periods
        supposed += [Supposition((one,), False) for one in periods if self.is_in_pieces(one)]
        supposed += [Supposition((period,), True) for period in periods]
        for inner, outer in itertools.combinations(sorted(periods), 2):
            if outer >= 2 * inner:
                supposed += [Supposition((inner, outer), whole) for whole in (False, True)]
        return [self.told(one) for one in supposed]


def _within(pairs: Floats, low: Floats, high: Floats) -> Floats:
    """Pairs at distances from low to high, both in."""
    first, last = (np.clip(at, 0, pairs.shape[1] - 1).astype(np.int64) for at in (low, high + 1))
    return np.asarray(pairs[:, last] - pairs[:, first])


def _at_multiples(pairs: Floats, periods: Floats, beside: Floats) -> Floats:
    """Pairs at each period and its multiples, and so far beside them."""
    found = np.zeros((2, len(periods)))
    for multiple in MULTIPLES:
        found += _within(pairs, multiple * periods - beside, multiple * periods + beside)
    return found


def _is_multiple(period: float, base: float) -> bool:
    times = round(period / base)
    return times >= 2 and abs(period - times * base) <= max(WORD, base / 32)


def _peaks(periods: Floats, values: Floats, least: float) -> list[float]:
    """The highest values, none within a quarter of a higher one's period."""
    found: list[float] = []
    for at in np.argsort(-values, kind="stable"):
        if values[at] < least or len(found) == 2 * MOST_PERIODS:
            break
        period = float(periods[at])
        if all(abs(period - other) > max(period, other) / 4 for other in found):
            found.append(period)
    return found


def simplest(judged: list[Told], samples: int) -> Told:
    """The simplest that tells as much as the best, but for chance."""
    best = max(one.share for one in judged)
    noise = BETTER * float(np.sqrt(2 * ERRORS / samples))
    good = [one for one in judged if one.share >= best - noise]
    least = min(one.complexity for one in good)
    alike = [one for one in good if one.complexity == least]
    periodic = [one for one in alike if one.supposition.periods]
    # Neighbours that hardly ever differ are no parts that overlap.
    if periodic and best >= NO_OVERLAP:
        alike = periodic
    return max(alike, key=lambda one: one.by_others)
