"""What each thread of a program in the lab did when, in modelled time: values. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

SLEEPING = "sleeping"


class Interval(NamedTuple):
    """What a thread did from one moment to another, in picoseconds of its region.

    Of user code, it waited for memory for `stall_ps`. Where it slept, `waker` woke it at
    `woken_ps`; None: no thread did, or not before the region ended.
    """

    thread: int
    activity: str
    from_ps: int
    to_ps: int
    stall_ps: int = 0
    woken_ps: int = 0
    waker: int | None = None


@dataclass(frozen=True)
class Timeline:
    """One region of interest, by the number of its counts. `dropped`: there was no room for so many
    intervals."""

    region: int
    ps: int
    dropped: int
    intervals: Sequence[Interval]
