"""How much use each sample stands for. Pure.

A source that arms pages sees the first use of each in a round and none of the others: a page that
is used all the time and one that is used once look alike. What tells them apart is how long it took
to the first use. The threads that use a page compete for being first, so of one page

    rate of a thread = its first uses / exposure of the page,

where the exposure is the sum, over all rounds, of the time from arming to the first use, or to the
end of the round where there was none (competing risks with censoring; maximum likelihood where uses
come at random times). A sample then stands for rate / first uses * all the time that the page was
armed, which is the same for each sample of a page: armed time / exposure.

Of few first uses that is a wild guess: one use by chance right after arming would outweigh all
else. So each page's rate is drawn towards the mean of its process, as strongly as PRIOR first uses
would.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from homenode.profile.record import Flag
from homenode.profile.recording import Document, Recording, Samples, page_shifts
from homenode.profile.stays import hint_faults, stay_weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 1 << 16  # A sample's round is kept modulo this.
PRIOR = 1.0
# Exposure is at least this: the clock of the arming is not that of the use.
LEAST_NS = 1000.0
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Round:
    """When the pages of a process were armed: all of them, or those of some ranges."""

    number: int
    armed_ns: int
    ended_ns: int
    ranges: tuple[tuple[int, int], ...] | None = None

    @property
    def length(self) -> float:
        """How long they stayed armed if nobody used them."""
        return float(max(0, self.ended_ns - self.armed_ns))


def _rounds(documents: list[Document]) -> dict[int, list[Round]]:
    found: dict[int, list[Round]] = {}
    for document in documents:
        ranges = document.get("ranges")
        parts = None if ranges is None else tuple((int(low), int(high)) for low, high in ranges)
        armed, ended = int(document["armed_ns"]), int(document["ended_ns"])
        one = Round(int(document["round"]) % ROUNDS, armed, ended, parts)
        found.setdefault(int(document["pid"]), []).append(one)
    for rounds in found.values():
        rounds.sort(key=lambda one: one.armed_ns)
    return found


def _round_of(samples: Samples, rounds: list[Round]) -> Ints:
    """Which of the rounds each sample belongs to, by its time and number; -1: to none."""
    armed = np.array([one.armed_ns for one in rounds], np.int64)
    numbers = np.array([one.number for one in rounds], np.int64)
    index = np.searchsorted(armed, samples["time_ns"].astype(np.int64), side="right") - 1
    # A use while the kernel still walks through the page tables comes before the arming's end.
    for candidate in (index, index + 1):
        inside = (candidate >= 0) & (candidate < len(rounds))
        fits = inside & (numbers[np.clip(candidate, 0, len(rounds) - 1)] == samples["round"])
        index = np.where(fits, candidate, index)
    known = (index >= 0) & (numbers[np.clip(index, 0, None)] == samples["round"])
    return np.where(known, index, -1)


def _armed_time(starts: Ints, ends: Ints, births: Ints, rounds: list[Round]) -> Floats:
    """How long each unit was armed in all, if nobody had used it; where a range has a part of it,
    by that part. `starts` are in order; a small unit may lie in a larger one."""
    whole = [one for one in rounds if one.ranges is None]
    ended = np.array([one.ended_ns for one in whole], np.int64)
    summed = np.cumsum([0.0] + [one.length for one in whole])
    time: Floats = summed[-1] - summed[np.searchsorted(ended, births, side="right")]
    sizes = ends - starts
    largest = sizes.max(initial=0)
    for one in rounds:
        for low, high in one.ranges or ():
            part = slice(*np.searchsorted(starts, (low - largest, high)))
            inside = np.minimum(ends[part], high) - np.maximum(starts[part], low)
            armed = (inside > 0) & (births[part] < one.ended_ns)
            time[part] += np.where(armed, one.length * inside / sizes[part], 0.0)
    return time


def _births(begins: Ints, ends: Ints, born: Samples) -> Ints:
    """When each page was used for the first time of all, where that was seen."""
    births = np.full(len(begins), NEVER)
    addresses = born["address"].astype(np.int64)
    at = np.searchsorted(begins, addresses, side="right") - 1
    inside = (at >= 0) & (addresses < ends[at])
    np.minimum.at(births, at[inside], born["time_ns"].astype(np.int64)[inside])
    return births


def _of_process(samples: Samples, born: Samples, rounds: list[Round]) -> Floats:
    """The weights of a process's first touches; `born`: the first uses of new pages."""
    shift = page_shifts(samples)
    starts = (samples["address"] >> shift) << shift
    units, one, unit_of = np.unique(starts.astype(np.int64), return_index=True, return_inverse=True)
    first = np.full(len(units), NEVER)
    np.minimum.at(first, unit_of, samples["time_ns"].astype(np.int64))
    ends = units + (1 << shift[one].astype(np.int64))
    births = _births(units, ends, born)
    births[births > first] = 0  # A page that was used in a round before has been replaced.

    index = _round_of(samples, rounds)
    lengths = np.array([one.length for one in rounds])
    length = np.where(index >= 0, lengths[index], 0.0)
    waited = np.minimum(samples["weight"].astype(np.float64), length)
    once = np.unique(unit_of * len(rounds) + index, return_index=True)[1]  # Samples are by time.
    armed = _armed_time(units, ends, births, rounds)
    saved = np.bincount(unit_of[once], (length - waited)[once], len(units))
    exposure = np.maximum(armed - saved, LEAST_NS)
    uses = np.bincount(unit_of, minlength=len(units)).astype(np.float64)
    mean = uses.sum() / exposure.sum()
    rate = (uses + PRIOR) / (exposure + PRIOR / mean)
    return np.where(index >= 0, np.maximum(rate * armed / uses, 1.0)[unit_of], 1.0)


def weights(recording: Recording) -> Floats:
    """Of each sample: the accesses that it counts, or stands for; else 1."""
    samples = recording.samples
    counts = (samples["flags"] & Flag.COUNTS_USES) != 0
    found = np.where(counts, samples["weight"], 1).astype(np.float64)
    touches = ~counts & ((samples["flags"] & Flag.FIRST_TOUCH) != 0) & (samples["weight"] > 0)
    new = ~counts & ((samples["flags"] & Flag.FIRST_TOUCH) == 0)
    for pid, rounds in _rounds(recording.of("round")).items():
        own = touches & (samples["pid"] == pid)
        if own.any():
            born = samples[new & (samples["pid"] == pid)]
            found[own] = _of_process(samples[own], born, rounds)
    stays = hint_faults(samples)
    if stays.any():
        found[stays] = stay_weights(recording)[stays]
    return found
