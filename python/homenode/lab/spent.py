"""What a thread spent its modelled time on, in picoseconds, as the plugin wrote it. Pure."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

Number = Callable[[int | None], int | None]  # Another number for a thread, None for an unknown one.


@dataclass(frozen=True)
class Waiting:
    """What a thread slept in: a system call, None where it was in none.

    Of a futex, the operation, and its address where it was told from others.
    """

    system_call: int | None
    operation: int | None = None
    address: str | None = None


@dataclass(frozen=True)
class Sleep:
    """The times that a thread slept in one of these.

    `most_at_once`: one system call had woken so many, up to this thread. `woken_by` counts by the
    number of the thread; what no thread woke a timer or a device did.
    """

    times: int
    slept_ps: int
    most_at_once: int
    woken_by_none: int
    woken_by: Mapping[int | None, int]

    def __add__(self, other: "Sleep") -> "Sleep":
        return Sleep(
            self.times + other.times,
            self.slept_ps + other.slept_ps,
            max(self.most_at_once, other.most_at_once),
            self.woken_by_none + other.woken_by_none,
            Counter(self.woken_by) + Counter(other.woken_by),
        )


@dataclass(frozen=True)
class Spent:
    """What a thread's time went to; the parts add up to the time that it was there.

    `memory_ps` is by memory node, in the order of the region, and user code's alone, as that of the
    caches is. `ready_ps`: it could run, but waited for a CPU.
    """

    computed_ps: int
    memory_ps: tuple[int, ...]
    other_cache_ps: int
    l3_ps: int
    own_cache_ps: int
    kernel_ps: int
    spun_ps: int
    slept_ps: int
    ready_ps: int
    sleeps: Mapping[Waiting, Sleep]

    @property
    def stalled_ps(self) -> int:
        """What user code waited for memory and caches."""
        return sum(self.memory_ps) + self.other_cache_ps + self.l3_ps + self.own_cache_ps

    @property
    def there_ps(self) -> int:
        """All parts together."""
        running = self.computed_ps + self.stalled_ps + self.kernel_ps + self.spun_ps
        return running + self.slept_ps + self.ready_ps

    def __add__(self, other: "Spent") -> "Spent":
        sleeps = dict(self.sleeps)
        for waiting, sleep in other.sleeps.items():
            sleeps[waiting] = sleeps[waiting] + sleep if waiting in sleeps else sleep
        return Spent(
            self.computed_ps + other.computed_ps,
            tuple(a + b for a, b in zip(self.memory_ps, other.memory_ps, strict=True)),
            self.other_cache_ps + other.other_cache_ps,
            self.l3_ps + other.l3_ps,
            self.own_cache_ps + other.own_cache_ps,
            self.kernel_ps + other.kernel_ps,
            self.spun_ps + other.spun_ps,
            self.slept_ps + other.slept_ps,
            self.ready_ps + other.ready_ps,
            sleeps,
        )

    def numbered(self, number: Number) -> "Spent":
        """The same with other numbers for those who woke it."""
        sleeps = {}
        for waiting, sleep in self.sleeps.items():
            woken_by: Counter[int | None] = Counter()
            for thread, times in sleep.woken_by.items():
                woken_by[number(thread)] += times
            sleeps[waiting] = replace(sleep, woken_by=woken_by)
        return replace(self, sleeps=sleeps)


def spent(raw: Mapping[str, Any]) -> Spent:
    """Reads it from a thread's "time"."""
    return Spent(
        int(raw["computed_ps"]),
        tuple(map(int, raw["memory_ps"])),
        int(raw["other_cache_ps"]),
        int(raw["l3_ps"]),
        int(raw["own_cache_ps"]),
        int(raw["kernel_ps"]),
        int(raw["spun_ps"]),
        int(raw["slept_ps"]),
        int(raw["ready_ps"]),
        {_waiting(one): _sleep(one) for one in raw["sleeps"]},
    )


def _waiting(raw: Mapping[str, Any]) -> Waiting:
    futex = raw["futex"]
    if futex is None:
        return Waiting(raw["system_call"])
    return Waiting(raw["system_call"], int(futex["operation"]), futex["address"])


def _sleep(raw: Mapping[str, Any]) -> Sleep:
    return Sleep(
        int(raw["times"]),
        int(raw["slept_ps"]),
        int(raw["most_at_once"]),
        int(raw["woken_by_none"]),
        {one["thread"]: int(one["times"]) for one in raw["woken_by"]},
    )
