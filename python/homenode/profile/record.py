"""One sample, as a numpy record: the layout of src/base/sample.h."""

from enum import IntEnum, IntFlag

import numpy as np
from numpy.typing import NDArray

RECORD = np.dtype(
    [
        ("time_ns", "<u8"),
        ("address", "<u8"),
        ("physical", "<u8"),
        ("instruction", "<u8"),
        ("weight", "<u4"),
        ("latency_ns", "<u4"),
        ("pid", "<u4"),
        ("tid", "<u4"),
        ("cpu", "<u2"),
        ("cpu_node", "<u2"),
        ("memory_node", "<u2"),
        ("round", "<u2"),
        ("operation", "u1"),
        ("level", "u1"),
        ("source", "u1"),
        ("page_shift", "u1"),
        ("flags", "<u4"),
    ]
)
UNKNOWN_ID = 0xFFFF
# Of samples that count uses: how much the thread had used before it first used the unit.
USED_BEFORE = "instruction"


class Operation(IntEnum):
    """What the access was."""

    UNKNOWN = 0
    READ = 1
    WRITE = 2


class Level(IntEnum):
    """Where the data came from."""

    UNKNOWN = 0
    L1 = 1
    L2 = 2
    L3 = 3
    LOCAL_MEMORY = 4
    REMOTE_MEMORY = 5
    REMOTE_CACHE = 6


class Source(IntEnum):
    """What made the sample."""

    LAB = 1
    PMU = 2
    HINT_FAULTS = 3
    SOFT_DIRTY = 4
    PKEYS = 5
    SCHED = 7
    IMPORT = 8
    PAGES = 9


class Flag(IntFlag):
    """What else is known of a sample."""

    FIRST_TOUCH = 1
    MASKED = 2
    KERNEL = 4
    LOST_BEFORE = 8
    COUNTS_USES = 16
    ALONE = 32
    PREFETCHED = 64
    CLOSING = 128
    FROM_CACHE = 256


def instructions(samples: NDArray[np.void]) -> NDArray[np.uint64]:
    """Where the instruction of each sample lies; 0 where that is not known."""
    counts = (samples["flags"] & Flag.COUNTS_USES) != 0
    return np.where(counts, np.uint64(0), samples["instruction"])
