"""Modelled time in what the plugin wrote (schema homenode.counts/2), and its sums. Pure.

All of it is the plugin's account of the machine file's figures; none of it was measured on a clock.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.lab.spent import Spent, spent

LEVELS = ("l1", "l2", "l3")


@dataclass(frozen=True)
class Hits:
    """How often one level of cache had a line. A level that the machine lacks has neither."""

    hits: int = 0
    misses: int = 0

    @property
    def rate(self) -> float | None:
        """Hits over look-ups; None if there were no look-ups."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else None


@dataclass(frozen=True)
class VcpuTime:
    """One virtual CPU: its clock at the end, and what it spent its time on, in picoseconds.

    `memory_reads` and `memory_writes` count lines per memory node, in the order of the region. Of
    those that memory sent and no prefetcher asked for, `latency_ps` is the sum of the latencies,
    and `in_flight_ps` the time in which at least one was under way: 0 in records of before.
    """

    ps: int
    busy_ps: int
    stall_ps: int
    instructions: int
    levels: Mapping[str, Hits]
    cache_to_cache: int
    memory_reads: tuple[int, ...]
    memory_writes: tuple[int, ...]
    latency_ps: int = 0
    in_flight_ps: int = 0


@dataclass(frozen=True)
class ThreadTime:
    """One thread: how long it ran, and when it ran first and last in the region.

    `spent` is None in records of before it was counted.
    """

    busy_ps: int
    first_ps: int
    last_ps: int
    instructions: int
    spent: Spent | None = None


@dataclass(frozen=True)
class Controller:
    """The memory controller of a node. It was in use for `busy_ps`."""

    node: int
    read_lines: int
    write_lines: int
    busy_ps: int


@dataclass(frozen=True)
class Link:
    """A way from node to node: a pair's own, or one that several pairs share."""

    source: int
    target: int
    lines: int
    busy_ps: int
    shared: bool


@dataclass(frozen=True)
class RoiTime:
    """A region of interest as a whole. `late_waits`: how often virtual CPUs could not be kept
    within `epoch_ns` of each other; many of them make the time less certain."""

    ps: int
    epoch_ns: int
    late_waits: int
    controllers: tuple[Controller, ...]
    links: tuple[Link, ...]


def vcpu_time(raw: Mapping[str, Any] | None) -> VcpuTime | None:
    """Reads a virtual CPU's "time"."""
    if raw is None:
        return None
    return VcpuTime(
        int(raw["ps"]),
        int(raw["busy_ps"]),
        int(raw["stall_ps"]),
        int(raw["instructions"]),
        {name: Hits(int(raw[name]["hits"]), int(raw[name]["misses"])) for name in LEVELS},
        int(raw["cache_to_cache"]),
        tuple(raw["memory_reads"]),
        tuple(raw["memory_writes"]),
        int(raw.get("latency_ps", 0)),
        int(raw.get("in_flight_ps", 0)),
    )


def thread_time(raw: Mapping[str, Any] | None) -> ThreadTime | None:
    """Reads a thread's "time"."""
    if raw is None:
        return None
    return ThreadTime(
        int(raw["busy_ps"]),
        int(raw["first_ps"]),
        int(raw["last_ps"]),
        int(raw["instructions"]),
        spent(raw) if "computed_ps" in raw else None,
    )


def roi_time(raw: Mapping[str, Any] | None) -> RoiTime | None:
    """Reads a region's "time". Raises ValueError for one that is not modelled."""
    if raw is None:
        return None
    if raw["modelled"] is not True:
        raise ValueError("the time is not marked as modelled")
    return RoiTime(
        int(raw["ps"]),
        int(raw["epoch_ns"]),
        int(raw["late_waits"]),
        tuple(
            Controller(
                int(one["node"]),
                int(one["read_lines"]),
                int(one["write_lines"]),
                int(one["busy_ps"]),
            )
            for one in raw["controllers"]
        ),
        tuple(
            Link(
                int(one["from"]),
                int(one["to"]),
                int(one["lines"]),
                int(one["busy_ps"]),
                bool(one["shared"]),
            )
            for one in raw["links"]
        ),
    )


def added_hits(hits: Iterable[Hits]) -> Hits:
    """The sum."""
    known = list(hits)
    return Hits(sum(one.hits for one in known), sum(one.misses for one in known))


def added_controllers(times: Sequence[RoiTime]) -> list[Controller]:
    """One for each node, in order of the nodes."""
    every = [one for time in times for one in time.controllers]
    return [
        Controller(
            node,
            sum(one.read_lines for one in every if one.node == node),
            sum(one.write_lines for one in every if one.node == node),
            sum(one.busy_ps for one in every if one.node == node),
        )
        for node in sorted({one.node for one in every})
    ]


def added_links(times: Sequence[RoiTime]) -> list[Link]:
    """One for each way, the busiest first."""
    total: dict[tuple[int, int, bool], tuple[int, int]] = {}
    for one in (link for time in times for link in time.links):
        way = (one.source, one.target, one.shared)
        lines, busy_ps = total.get(way, (0, 0))
        total[way] = (lines + one.lines, busy_ps + one.busy_ps)
    links = [
        Link(source, target, lines, busy_ps, shared)
        for (source, target, shared), (lines, busy_ps) in total.items()
    ]
    return sorted(links, key=lambda one: (-one.busy_ps, one.source, one.target, one.shared))
