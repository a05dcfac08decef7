"""Makes counts of samples, so that what was sampled is read as what was counted. Pure.

A sample of a first touch stands for as many uses as homenode.profile.exposure says. The first use
of new memory stands for itself and says who came first: it becomes a write with the flag ALONE,
as the lab has uses before any other thread's.

What fits into a core's own cache is used often and seldom fetched from memory, which samples of
pages cannot tell: it is left out.
"""

from dataclasses import replace

import numpy as np

from homenode.profile.attribution import attribute
from homenode.profile.exposure import weights
from homenode.profile.objects import NO_OBJECT
from homenode.profile.record import USED_BEFORE, Flag, Operation
from homenode.profile.recording import Recording, Samples, is_closing
from homenode.tune.errors import TuneError

# They say how much memory a node has, or how long a thread ran, and not who uses what.
COARSE = ("sched", "pages")
# So few samples say nothing of a placement.
FEWEST = 50
# Of few samples of a thread, how much it does is drawn towards what the others do, as strongly as
# so many samples would.
PRIOR = 30
MOST = np.iinfo(np.uint32).max


def estimated(recording: Recording) -> Recording:
    """The recording with a count of uses in each sample. Raises TuneError where its source, or the
    number of its samples, cannot tell who uses what."""
    if recording.source in COARSE:
        raise TuneError(
            f"the source '{recording.source}' does not see which thread uses which page; "
            "'homenode sample --list' says what would, and what it needs"
        )
    kept = ~is_closing(recording.samples)
    counted = (recording.samples["flags"] & Flag.COUNTS_USES) != 0
    touched = (recording.samples["flags"] & Flag.FIRST_TOUCH) != 0
    if int((kept & (touched | counted)).sum()) < FEWEST:
        raise TuneError(
            f"the source '{recording.source}' took {int((kept & touched).sum())} samples, fewer "
            f"than {FEWEST}: a longer run tells more"
        )
    samples = recording.samples.copy()
    samples["weight"] = np.clip(np.rint(weights(recording)), 1, MOST)
    samples["flags"] |= np.uint32(Flag.COUNTS_USES)
    samples[USED_BEFORE] = 0  # It was the instruction.
    new = ~touched & ~counted
    samples["flags"][new] |= np.uint32(Flag.ALONE)
    samples["operation"][new] = Operation.WRITE
    return replace(recording, samples=samples[kept])


def from_memory(recording: Recording, cache_bytes: int) -> Recording:
    """The uses of objects that are larger than a core's own cache, of which each thread has about
    as many as its samples tell. Raises TuneError where there are none."""
    found = attribute(recording)
    large = np.array([one.bytes > cache_bytes for one in found.objects] + [False])
    kept = large[np.where(found.object_of == NO_OBJECT, len(found.objects), found.object_of)]
    samples = recording.samples[kept]
    if len(samples) == 0:
        raise TuneError(
            f"all that the samples show fits into a core's own cache ({cache_bytes >> 10} KiB), "
            "where it lies in memory hardly matters"
        )
    return replace(recording, samples=_evened(samples))


def _evened(samples: Samples) -> Samples:
    """Threads do more or less than the median one as far as their samples tell."""
    used = (samples["flags"] & Flag.ALONE) == 0
    _, thread = np.unique(samples["tid"], return_inverse=True)
    counts = np.bincount(thread, used)
    totals = np.bincount(thread, samples["weight"] * used)
    busy = counts > 0
    middle = np.median(totals[busy]) if busy.any() else 0.0
    drawn = (counts * totals + PRIOR * middle) / (counts + PRIOR)
    factor = np.divide(drawn, totals, out=np.ones_like(drawn), where=totals > 0)
    evened = samples.copy()
    scaled = samples["weight"] * np.where(used, factor[thread], 1.0)
    evened["weight"] = np.clip(np.rint(scaled), 1, MOST)
    return evened
