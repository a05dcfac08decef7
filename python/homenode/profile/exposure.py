"""How much use each sample stands for. Pure."""

import numpy as np
from numpy.typing import NDArray

from homenode.profile.record import Flag
from homenode.profile.recording import Recording


def weights(recording: Recording) -> NDArray[np.float64]:
    """Of each sample: the accesses that it counts, or 1."""
    samples = recording.samples
    counts = (samples["flags"] & Flag.COUNTS_USES) != 0
    return np.where(counts, samples["weight"], 1).astype(np.float64)
