"""What the kernel's word `perf_mem_data_src` says of an access: its operation and level. Pure.

The word's fields are described in <linux/perf_event.h>. Kernels before 4.14 fill
only the bits of `mem_lvl`; later ones say the same by a number, a bit for "remote" and, since 5.12,
hops, and those are believed first.
"""

from dataclasses import dataclass
from functools import lru_cache

from homenode.profile.record import Level, Operation

# (first bit, bits) of each field that is read here.
OPERATION, LEVEL_BITS = (0, 5), (5, 14)
LEVEL_NUMBER, REMOTE, HOPS = (33, 4), (37, 1), (43, 3)

LOAD, STORE, PREFETCH = 0x02, 0x04, 0x08

HIT, MISS = 0x02, 0x04
# The bits of a level, the farthest first: a word may name a cache and what was behind it.
OLD_LEVELS = (
    (0x300, Level.REMOTE_MEMORY),
    (0xC00, Level.REMOTE_CACHE),
    (0x080, Level.LOCAL_MEMORY),
    (0x040, Level.L3),
    (0x020, Level.L2),
    (0x008, Level.L1),
)

L1, L2, L3, L4 = 1, 2, 3, 4
MEMORY_SIDE_CACHE, CXL, ANY_CACHE, RAM, PERSISTENT, NOT_AVAILABLE = 6, 9, 0xB, 0xD, 0xE, 0xF
NEAR = {
    L1: Level.L1,
    L2: Level.L2,
    L3: Level.L3,
    L4: Level.L3,
    ANY_CACHE: Level.L3,
    MEMORY_SIDE_CACHE: Level.LOCAL_MEMORY,
    RAM: Level.LOCAL_MEMORY,
    PERSISTENT: Level.LOCAL_MEMORY,
    # Memory behind CXL is a node without CPUs, so it is local to none.
    CXL: Level.REMOTE_MEMORY,
}
FAR = {
    Level.L1: Level.REMOTE_CACHE,
    Level.L2: Level.REMOTE_CACHE,
    Level.L3: Level.REMOTE_CACHE,
    Level.LOCAL_MEMORY: Level.REMOTE_MEMORY,
    Level.REMOTE_MEMORY: Level.REMOTE_MEMORY,
}


@dataclass(frozen=True)
class DataSource:
    """What is known of one access."""

    operation: Operation
    level: Level


def _field(word: int, place: tuple[int, int]) -> int:
    return (word >> place[0]) & ((1 << place[1]) - 1)


def _operation(bits: int) -> Operation:
    """A read-modify-write sets both bits, and is a write."""
    if bits & STORE:
        return Operation.WRITE
    return Operation.READ if bits & (LOAD | PREFETCH) else Operation.UNKNOWN


def _level(word: int) -> Level:
    number = _field(word, LEVEL_NUMBER)
    if number not in (0, NOT_AVAILABLE):
        near = NEAR.get(number, Level.UNKNOWN)
        # One hop of kind 1 goes to another core of the same node.
        far = _field(word, HOPS) > 1 or (_field(word, REMOTE) and _field(word, HOPS) != 1)
        return FAR.get(near, Level.UNKNOWN) if far else near
    bits = _field(word, LEVEL_BITS)
    if bits & MISS and not bits & HIT:
        return Level.UNKNOWN
    return next((level for mask, level in OLD_LEVELS if bits & mask), Level.UNKNOWN)


@lru_cache(maxsize=4096)
def decode(word: int) -> DataSource:
    """The operation and the level of a word; a fill buffer, I/O and uncached memory are unknown."""
    return DataSource(_operation(_field(word, OPERATION)), _level(word))
