"""How much use each hint fault stands for. Pure.

The kernel's balancing looks at a page once a second at first and ever more seldom later, and moves
pages meanwhile: most faults of a page are from before it was moved, most of its uses from after.
Its time between two faults belongs to the second of them, which tells the node where it was; the
time after its last fault belongs to that fault, or to a sample with the flag CLOSING where that
fault moved the page. The faults of a page stand for as many uses as there are faults, each for a
part as large as its time.

A page moves to the node of a thread that used it, so to give that thread the time afterwards would
make every shared page local. Whose time it is follows from whether pages have users of their own:
of neighbouring faults of one page in the same 2 MiB, AGREE have one thread, and CHANCE would have
if all pages there had the same users. With the probability (AGREE - CHANCE) / (1 - CHANCE) the last
user stays, else another fault there, drawn by chance, says who it is. Of few such pairs, the last
user stays.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from homenode.profile.record import Flag, Source
from homenode.profile.recording import Recording, Samples, is_closing, number_in, page_shifts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
BLOCK_SHIFT = 21
PRIOR = 8.0  # So many pairs of faults tell as much as none.
PID_SHIFT = 40  # Above the numbers of pages.
NEVER = float(np.iinfo(np.int64).max)


def hint_faults(samples: Samples) -> Bools:
    """Which samples have a stay: no first use of new memory has."""
    stay = (samples["flags"] & (Flag.FIRST_TOUCH | Flag.CLOSING)) != 0
    return np.asarray((samples["source"] == Source.HINT_FAULTS) & stay)


def _places(samples: Samples, shift: NDArray[np.uint64]) -> Ints:
    """The page, or block, of each sample, with its process."""
    inside = (samples["address"] >> shift).astype(np.int64)
    return np.asarray(inside | samples["pid"].astype(np.int64) << PID_SHIFT)


def _pages(samples: Samples) -> Ints:
    return _places(samples, page_shifts(samples))


def _own_users(pages: Ints, threads: NDArray[np.uint32]) -> float:
    """How far pages have users of their own: 1, or 0 where all have the same. In order of pages."""
    agree = (threads[1:] == threads[:-1])[pages[1:] == pages[:-1]]
    share = np.unique(threads, return_counts=True)[1] / len(threads)
    chance = float((share**2).sum())
    if chance == 1.0:
        return 1.0
    found = max(0.0, (float(agree.mean()) - chance) / (1.0 - chance)) if len(agree) else 1.0
    return (len(agree) * found + PRIOR) / (len(agree) + PRIOR)


def _by_block(samples: Samples) -> Iterator[tuple[Ints, Ints]]:
    """For each block of 2 MiB: its faults by page and time, and its closing samples."""
    blocks = _places(samples, np.full(len(samples), BLOCK_SHIFT, np.uint64))
    order = np.lexsort((samples["time_ns"], _pages(samples), blocks))
    ends = np.flatnonzero(np.diff(blocks[order])) + 1
    closing, stays = is_closing(samples), hint_faults(samples)
    for part in np.split(order, ends):
        yield part[stays[part] & ~closing[part]], part[closing[part]]


def with_users(recording: Recording) -> Recording:
    """The recording, where each closing sample has a thread that may have used its page."""
    samples = recording.samples
    if not is_closing(samples).any():
        return recording
    samples, pages = samples.copy(), _pages(samples)
    random = np.random.default_rng(1)
    for faults, closing in _by_block(samples):
        if not len(faults) or not len(closing):
            continue
        threads = samples["tid"][faults]
        others = random.random(len(closing)) >= _own_users(pages[faults], threads)
        samples["tid"][closing[others]] = random.choice(threads, int(others.sum()))
    return replace(recording, samples=samples)


def stay_weights(recording: Recording) -> Floats:
    """Of each sample of the source `hint-faults`; 1 for those that have no stay."""
    samples = recording.samples
    pages, times = _pages(samples), samples["time_ns"].astype(float)
    begin, end = number_in(recording.begin, "time_ns"), number_in(recording.end or {}, "time_ns")
    if begin is None:
        begin = float(times.min(initial=NEVER))
    if end is None:
        end = float(times.max(initial=0.0))

    order = np.lexsort((times, pages))
    new = np.ones(len(order), np.bool_)
    new[1:] = pages[order][1:] != pages[order][:-1]
    time, stays, closing = times[order], hint_faults(samples)[order], is_closing(samples)[order]
    before = np.where(new, begin, np.roll(time, 1))
    length = np.where(stays, np.maximum(time - before, 0.0), 0.0)
    last = np.roll(new, -1) & stays & ~closing
    length += np.where(last, np.maximum(end - time, 0.0), 0.0)

    page_of = np.cumsum(new) - 1
    whole = np.bincount(page_of, length)[page_of]
    faults = np.bincount(page_of, stays & ~closing)[page_of]
    found = np.ones(len(samples))
    known = stays & (whole > 0)
    found[order[known]] = length[known] * faults[known] / whole[known]
    return found
