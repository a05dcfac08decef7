"""How much use each hint fault stands for. Pure.

The kernel's balancing looks at a page once a second at first and ever more seldom later, and moves
pages meanwhile: most faults of a page are from before it was moved, most of its uses from after.
Its time between two faults belongs to the second of them, which tells the node where it was; the
time after its last fault belongs to that fault, or to a sample with the flag CLOSING where that
fault moved the page. The faults of a page stand for as many uses as there are faults, each for a
part as large as its time.

A page moves to the node of a thread that used it, and the thread that comes first once is likely to
come first again: to give each fault's time to its own thread would make every shared page local.
Whose time it is follows from whether pages have users of their own. Of neighbouring faults of one
page in the same 2 MiB, AGREE have one thread, and CHANCE would have if all pages there had the same
users; (AGREE - CHANCE) / (1 - CHANCE) is the intraclass correlation R. Taking a page's users for
drawn around those of its 2 MiB (Dirichlet-multinomial, with a concentration A of (1 - R) / R), the
user of a page with N faults is that of one of them with the probability N / (N + A), else that of
any fault there. Of few such pairs, R is 1: each page has users of its own.
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
GOLDEN = (5**0.5 - 1) / 2
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


def _by_block(samples: Samples, pages: Ints) -> Iterator[tuple[Ints, Ints]]:
    """For each block of 2 MiB: its faults by page and time, and its closing samples."""
    blocks = _places(samples, np.full(len(samples), BLOCK_SHIFT, np.uint64))
    order = np.lexsort((samples["time_ns"], pages, blocks))
    ends = np.flatnonzero(np.diff(blocks[order])) + 1
    closing, stays = is_closing(samples), hint_faults(samples)
    for part in np.split(order, ends):
        yield part[stays[part] & ~closing[part]], part[closing[part]]


def _of_the_page(
    faults: Ints, stays: Ints, pages: Ints, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """For each stay a fault of the same page, by chance, and how many faults the page has."""
    first = np.searchsorted(pages[faults], pages[stays], "left")
    many = np.searchsorted(pages[faults], pages[stays], "right") - first
    chosen = first + (random.random(len(stays)) * many).astype(np.int64)
    return faults[np.minimum(chosen, len(faults) - 1)], many.astype(np.int64)


def _of_all(faults: Ints, stays: Ints, samples: Samples) -> Ints:
    """For each stay any of the faults, so that each thread gets its share of the stays on each
    node: steps of the golden ratio through the faults in order of threads leave less to chance than
    drawing would."""
    by_thread = faults[np.argsort(samples["tid"][faults], kind="stable")]
    by_node = np.lexsort((samples["time_ns"][stays], samples["memory_node"][stays]))
    steps = np.mod(0.5 + GOLDEN * np.arange(len(stays)), 1.0)
    found = np.empty_like(stays)
    found[by_node] = by_thread[(steps * len(faults)).astype(np.int64)]
    return found


def with_users(recording: Recording) -> Recording:
    """The recording, where each sample that has a stay has the thread and CPU of a fault that may
    stand for it: who used the page in that time, not who was first after it."""
    samples = recording.samples
    if not hint_faults(samples).any():
        return recording
    users, pages = samples.copy(), _pages(samples)
    random = np.random.default_rng(1)
    for faults, closing in _by_block(samples, pages):
        if not len(faults):
            continue
        own = _own_users(pages[faults], samples["tid"][faults])
        stays = np.concatenate([faults, closing])
        donors, many = _of_the_page(faults, stays, pages, random)
        # N / (N + A), times R.
        share = own * many / np.maximum(own * many + 1.0 - own, np.finfo(float).tiny)
        others = random.random(len(stays)) >= share
        donors[others] = _of_all(faults, stays, samples)[others]
        for column in ("tid", "cpu", "cpu_node"):
            users[column][stays] = samples[column][donors]
    return replace(recording, samples=users)


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
    before = np.maximum(begin, np.where(new, begin, np.roll(time, 1)))
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
