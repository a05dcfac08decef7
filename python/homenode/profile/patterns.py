"""Names the way in which threads share an object, by MAP-numa's classes (Luo et al., NPC 2012).

All that can be seen of an array is its memory. Two patterns that use memory alike are one here:
bands of whole rows are parts like those of a divided line, and each thread's rows of every plane
are bands like those of columns. Pure.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from homenode.profile.correlation import Correlation, Floats, Uses, correlate, histograms
from homenode.profile.folding import Folding, Supposition, simplest

FEWEST_ACCESSES = 100
FEWEST_OF_A_THREAD = 8
# Of an object's accesses, by one thread: it is that thread's.
PRIVATE = 0.95
# Below it threads have nothing to do with who uses a unit.
SHARED = 0.12
# Of pairs within one unit: parts do not overlap.
EXCLUSIVE = 0.93
# Below it several threads use most units.
MIXED = 0.6
# What a thread uses of its neighbours' parts. Stretches that are longer than three parts and a bit
# have more than those.
LEAST_OVERLAP, MOST_OVERLAP, LONGEST_STRETCH = 0.01, 1.2, 3.5
# Over r(0): r has fallen, and has risen again; over its first peak: it is as high there.
FALLEN, RISEN, LEVEL = 0.3, 0.4, 0.75
# Of the units in use, by a thread that goes over the whole object; by others at most.
SWEPT, NOT_SWEPT = 0.98, 0.75
# Of all other uses, what such a thread may have done to single units besides.
STRAY = 0.1
# From it on parts that come again are sure not to be several patterns in one.
CLEAN = 0.75
# How well first touches tell the thread where a name is sure.
CERTAIN = 0.85


class Sharing(StrEnum):
    """Who uses which part of an object."""

    UNKNOWN = "unknown"
    PRIVATE = "private"
    SHARED = "shared"
    DIVIDED = "divided"
    PARTIAL = "partially shared"
    INTERLEAVED = "interleaved"
    BANDS = "bands"
    MESH = "mesh"
    PENCILS = "pencils"
    BLOCKS = "blocks"
    IRREGULAR = "irregular"


@dataclass(frozen=True)
class Level:
    """Parts of `part` bytes that come again after `period` bytes."""

    part: int
    period: int


@dataclass(frozen=True)
class Pattern:
    """The pattern of an object, and what it was told by.

    `exclusivity` is 1 where each unit of `unit` bytes has one user and 0 where all threads use all
    alike. `levels` are the strides, innermost first. `overlap` is what a thread uses of each of its
    neighbours' parts, over its own. Not `sure`: a pattern within the units would look the same.
    `why` says what is missing where the pattern is unknown. `swept_by` is the one thread that went
    over the whole object besides, as often everywhere: as a rule it filled it. The pattern is that
    of all other uses.
    """

    sharing: Sharing
    exclusivity: float
    unit: int
    accesses: int
    sure: bool = False
    levels: tuple[Level, ...] = ()
    overlap: float = 0.0
    why: str = ""
    swept_by: int | None = None


@dataclass(frozen=True)
class _Course:
    """How r goes on along one axis: whether it falls, how long a part is, and after how many steps
    parts come again; 0: they do not."""

    falls: bool
    part: float = 0.0
    period: float = 0.0


def _part(correlation: Correlation, half: int) -> float:
    """The length of parts: of pairs d apart, d / length are across a boundary."""
    s = correlation.probability()
    return float(half / max(1 - s[half] / s[0], 1e-9))


def _period(values: Floats, first: int, half: int) -> float:
    """When parts come again, given that they do soon after `first`: the first peak, and what its
    multiples say about it where there are such."""
    period = float(first + np.nanargmax(values[first : first + max(1, 2 * half)]))
    height, multiple = values[int(period)], 2
    while (centre := round(period * multiple)) + half < len(values):
        begin = centre - half
        around = values[begin : centre + half + 1]
        if np.isnan(around).all():
            break
        peak = begin + int(np.nanargmax(around))
        if values[peak] < LEVEL * height:
            break
        period = peak / multiple
        multiple *= 2
    return period


def _course(fine: Correlation) -> _Course:
    """What one axis shows, from its first two thirds: few pairs are farther apart."""
    end = max(2, 2 * len(fine.pairs) // 3)
    fine = replace(fine, same=fine.same[:end], pairs=fine.pairs[:end])
    start = fine.r()[0]
    below = np.flatnonzero(fine.r() < 0.5 * start)
    if len(below) == 0:
        # What is cut in two falls to nothing only at its very end.
        return _Course(falls=bool(np.nan_to_num(fine.smoothed(end // 8).r()[-1]) < LEVEL * start))
    # Noise crosses the line too soon, which four times the reach would not.
    half = int(below[0])
    coarse = fine.smoothed(half // 4)
    values = coarse.r() / start
    below = np.flatnonzero(values < 0.5)
    half = int(below[0]) if len(below) else half
    low = np.flatnonzero(values < FALLEN)
    if len(low) == 0:
        return _Course(falls=True)
    back = np.flatnonzero(values[low[0] :] > RISEN)
    part = _part(fine if half < 4 else coarse, half)
    if len(back) == 0:
        return _Course(falls=True, part=part)
    first = int(low[0] + back[0])
    return _Course(falls=True, part=part, period=_period(values, first, half))


def _levels(correlation: Correlation, unit: int) -> tuple[tuple[Level, ...], bool]:
    """The strides, innermost first, and whether the outermost axis is cut too."""
    levels: list[Level] = []
    step = float(unit)
    while len(correlation.pairs) >= 3:
        course = _course(correlation)
        if course.period == 0:
            return tuple(levels), course.falls
        parts = max(2, round(course.period / course.part))
        period = course.period * step
        levels.append(Level(round(period / parts), round(period)))
        reach = int(course.part / 4)
        correlation = correlation.smoothed(reach).every(course.period)
        step = period
    return tuple(levels), False


def _stretches(uses: Uses) -> Floats:
    """How long the stretch is that each thread uses, but for a few strays, over an equal part. What
    follows an object's end is its beginning, as in a periodic grid."""
    threads = len(uses.by_thread)
    lengths = [_stretch(uses.places[uses.ranks == rank], uses.size) for rank in range(threads)]
    return np.array(lengths) * threads / uses.size


def _stretch(places: NDArray[np.int64], size: int) -> float:
    """The shortest arc of the ring that has 99 % of the places, for all of them."""
    places = np.sort(places)
    ring = np.concatenate([places, places + size])
    steps = max(1, int(0.99 * len(places)) - 1)
    shortest = (ring[steps : steps + len(places)] - places).min()
    return float(shortest) * len(places) / (steps + 1)


def _overlap(stretches: Floats) -> float:
    """What a thread uses of each neighbour's part, over its own; the first and the last thread
    have one neighbour."""
    threads = len(stretches)
    return float(max(0.0, (stretches.sum() - threads) / max(1, 2 * threads - 2)))


def _of_levels(levels: tuple[Level, ...], cut: bool, line: int) -> Sharing:
    if len(levels) == 1 and levels[0].part <= line and not cut:
        return Sharing.INTERLEAVED
    if len(levels) == 1:
        return Sharing.MESH if cut else Sharing.BANDS
    return Sharing.BLOCKS if cut else Sharing.PENCILS


def _active(uses: Uses) -> Uses:
    """Without threads that hardly use the object: one that prepared it, or looked at it once."""
    least = max(FEWEST_OF_A_THREAD, 0.05 * uses.by_thread.mean())
    enough = uses.by_thread >= least
    if enough.all():
        return uses
    kept = enough[uses.ranks]
    return replace(
        uses, places=uses.places[kept], threads=uses.threads[kept], counts=uses.counts[kept]
    )


@dataclass(frozen=True)
class _Swept:
    """Uses of an object that the thread `by` went over alone: `others` are without that, `apart`
    also without what else it did to units that others use."""

    by: int
    others: Uses
    apart: Uses


def _without_sweep(uses: Uses) -> _Swept | None:
    """None where no thread alone went over the whole object."""
    unit = uses.unit_bytes()
    table = histograms(uses, unit)
    used = table.sum(axis=0) > 0
    coverage = (table[:, used] > 0).mean(axis=1)
    order = np.argsort(coverage)
    if len(order) < 2 or coverage[order[-1]] < SWEPT or coverage[order[-2]] > NOT_SWEPT:
        return None
    sweeper = order[-1]
    often = np.quantile(table[sweeper, used], 1 - SWEPT, method="higher")
    rest = np.delete(table, sweeper, axis=0)
    own = used & (rest.sum(axis=0) == 0)
    hidden = own & _within_parts(rest)
    if hidden.sum() < STRAY * own.sum():
        own &= ~hidden
        table[sweeper, hidden] = 0
    table[sweeper] = np.maximum(table[sweeper] - often, own)
    others = _from_table(uses, table, unit)
    table[sweeper, ~own] = 0
    return _Swept(int(uses.different[sweeper]), others, _from_table(uses, table, unit))


def _within_parts(table: Floats) -> NDArray[np.bool_]:
    """Whether the nearest uses on both sides of a unit are by the same thread: a line that the
    cache had when it was used there belongs to that thread's part."""
    units = np.flatnonzero(table.any(axis=0))
    users = table[:, units].argmax(axis=0)
    after = np.searchsorted(units, np.arange(table.shape[1]))
    inside = (after > 0) & (after < len(units))
    within = np.zeros(table.shape[1], bool)
    within[inside] = users[after[inside] - 1] == users[after[inside]]
    return within


def _from_table(uses: Uses, table: Floats, unit: int) -> Uses:
    ranks, units = np.nonzero(table)
    counts = table[ranks, units].astype(np.int64)
    threads = uses.different[ranks]
    return replace(uses, places=units * unit, threads=threads, counts=counts)


def _is_swept(stretches: Floats) -> bool:
    """Whether one thread's samples are everywhere, and no other's."""
    ordered = np.sort(stretches)
    return bool(ordered[-1] > 0.9 * len(ordered) and ordered[-2] < NOT_SWEPT * len(ordered))


def _noise(correlation: Correlation) -> float:
    """Two standard deviations of r(0)."""
    pairs = max(correlation.pairs[0], 1.0)
    by_chance = correlation.by_chance
    return float(2 * np.sqrt(by_chance / (pairs * max(1 - by_chance, 1e-9))))


def _without_strides(uses: Uses, exclusivity: float) -> tuple[Sharing, float]:
    """A pattern in which no part comes again, and its overlap."""
    stretches = _stretches(uses)
    overlap = _overlap(stretches)
    if stretches.max() > LONGEST_STRETCH or overlap > MOST_OVERLAP:
        return Sharing.IRREGULAR, 0.0
    # Where units are large, several threads share those at the boundaries of parts.
    if overlap < LEAST_OVERLAP and exclusivity >= MIXED:
        return Sharing.DIVIDED, 0.0
    return Sharing.PARTIAL, overlap


def classify(uses: Uses) -> Pattern:
    """The pattern that the accesses show; unknown, with the reason, where they are too few."""
    accesses = int(uses.counts.sum())
    if accesses < FEWEST_ACCESSES:
        why = f"{accesses} accesses are too few: {FEWEST_ACCESSES} are needed"
        return Pattern(Sharing.UNKNOWN, 0.0, uses.line, accesses, why=why)
    uses = _active(uses)
    if len(uses.counts) == 0:
        why = f"no thread has {FEWEST_OF_A_THREAD} accesses, which are needed"
        return Pattern(Sharing.UNKNOWN, 0.0, uses.line, accesses, why=why)
    if uses.by_thread.max() >= PRIVATE * accesses:
        return Pattern(Sharing.PRIVATE, 1.0, uses.unit_bytes(), accesses, sure=True)
    swept = _without_sweep(uses) if uses.exact else None
    if swept is None:
        return replace(_of_many(uses), accesses=accesses)
    found = _of_many(swept.others)
    strays = swept.others.counts.sum() - swept.apart.counts.sum()
    # The sweeper may be one of those that use a part of their neighbours' parts.
    if found.sharing != Sharing.PARTIAL and strays < STRAY * swept.others.counts.sum():
        found = _of_many(swept.apart)
    return replace(found, accesses=accesses, swept_by=swept.by)


def _of_many(uses: Uses) -> Pattern:
    """The pattern of several threads' accesses."""
    if uses.first_touches:
        return _told(uses)
    unit, accesses = uses.unit_bytes(), int(uses.counts.sum())
    correlation = correlate(histograms(uses, unit), uses.exact)
    exclusivity = float(np.clip(correlation.r()[0], 0.0, 1.0))
    tells_lines = uses.tells_lines and (uses.exact or unit == uses.line)
    if exclusivity < SHARED + (0 if uses.exact else _noise(correlation)):
        sure = tells_lines and exclusivity < SHARED
        return Pattern(Sharing.SHARED, exclusivity, unit, accesses, sure)
    sure = tells_lines or exclusivity >= EXCLUSIVE
    levels, cut = _levels(correlation, unit)
    if not levels:
        sharing, overlap = _without_strides(uses, exclusivity)
        sure = sure and (uses.exact or not _is_swept(_stretches(uses)))
        return Pattern(sharing, exclusivity, unit, accesses, sure, overlap=overlap)
    if exclusivity < MIXED and not sure:
        why = f"threads alternate within {unit} bytes, which more accesses would tell apart"
        return Pattern(Sharing.UNKNOWN, exclusivity, unit, accesses, why=why)
    sharing = _of_levels(levels, cut, uses.line)
    return Pattern(sharing, exclusivity, unit, accesses, sure and exclusivity >= CLEAN, levels)


def _told(uses: Uses) -> Pattern:
    """The pattern of several threads' first touches, whose places crowd: which coordinates tell the
    thread. Only what no period is in can be sure."""
    unit, accesses = uses.unit_bytes(), int(uses.counts.sum())
    folding = Folding(uses)
    stretches = _stretches(uses)
    if _overlap(stretches) < LEAST_OVERLAP and stretches.max() <= LONGEST_STRETCH:
        told = folding.told(Supposition((), True)).share
        return Pattern(Sharing.DIVIDED, told, unit, accesses, sure=told >= EXCLUSIVE)
    found = simplest(folding.judged(), len(folding.places))
    exclusivity = float(np.clip(found.share, 0.0, 1.0))
    if exclusivity < SHARED + 3 * folding.deviation:
        return Pattern(Sharing.SHARED, exclusivity, unit, accesses)
    what = found.supposition
    if not what.periods:
        sharing, overlap = _without_strides(uses, exclusivity)
        sure = exclusivity >= CERTAIN and sharing != Sharing.PARTIAL and not _is_swept(stretches)
        return Pattern(sharing, exclusivity, unit, accesses, sure, overlap=overlap)
    levels = _levels_told(folding, what)
    return Pattern(
        _of_levels(levels, what.whole, uses.line), exclusivity, unit, accesses, levels=levels
    )


def _levels_told(folding: Folding, what: Supposition) -> tuple[Level, ...]:
    """The parts of each period: of the threads, as many share a place in it as are left when it is
    cut into parts. Where nothing else is cut, the outermost has the rest of them."""
    levels, before = [], 1
    for period in what.periods:
        same = folding.in_order(period) * (1 - folding.by_chance) + folding.by_chance
        parts = max(2, round(folding.threads * same / before))
        if period == what.periods[-1] and not what.whole:
            parts = max(2, folding.threads // before)
        before *= parts
        levels.append(Level(round(period / parts), round(period)))
    return tuple(levels)
