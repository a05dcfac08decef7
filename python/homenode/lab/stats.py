"""Modelled time for people and as JSON: what `lab run --stats` and `--json` say of it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode import matrix
from homenode.lab.counts import Roi
from homenode.lab.machine import MIB
from homenode.lab.text import table
from homenode.lab.thread_stats import ThreadStats, thread_stats, threads_json, threads_text
from homenode.lab.times import (
    LEVELS,
    Controller,
    Hits,
    Link,
    added_controllers,
    added_hits,
    added_links,
)

LINE_BYTES = 64
PS_PER_S = 10**12
PS_PER_MS = 10**9
PS_TIMES_MHZ_PER_CYCLE = 10**6
MOST_WAYS = 8


@dataclass(frozen=True)
class TimeStats:
    """Sums over some regions of interest. `traffic`: lines, [node of the CPU][of the memory]."""

    regions: int
    ps: int
    busy_ps: int
    instructions: int
    frequency_mhz: float
    levels: Mapping[str, Hits]
    cache_to_cache: int
    traffic: matrix.Rows
    late_waits: int
    controllers: Sequence[Controller]
    links: Sequence[Link]
    threads: Sequence[ThreadStats] = ()

    @property
    def ipc(self) -> float | None:
        """Instructions for each cycle in which a virtual CPU was busy; None if none was."""
        cycles = self.busy_ps * self.frequency_mhz / PS_TIMES_MHZ_PER_CYCLE
        return self.instructions / cycles if cycles else None

    @property
    def local_share(self) -> float | None:
        """The share of the memory's lines that stayed on their node; None without traffic."""
        return matrix.local_share(self.traffic) if matrix.total(self.traffic) else None

    def share_of_time(self, busy_ps: int) -> float:
        """How much of the regions' time something was in use."""
        return busy_ps / self.ps if self.ps else 0.0


def time_stats(
    rois: Sequence[Roi], node_of_vcpu: Sequence[int], frequency_mhz: float
) -> TimeStats | None:
    """Adds up the regions of interest that have modelled time; None if none has."""
    timed = [roi.time for roi in rois if roi.time is not None]
    if not timed:
        return None
    times = [vcpu.time for roi in rois for vcpu in roi.vcpus if vcpu.time is not None]
    return TimeStats(
        regions=len(timed),
        ps=sum(time.ps for time in timed),
        busy_ps=sum(time.busy_ps for time in times),
        instructions=sum(time.instructions for time in times),
        frequency_mhz=frequency_mhz,
        levels={name: added_hits(time.levels[name] for time in times) for name in LEVELS},
        cache_to_cache=sum(time.cache_to_cache for time in times),
        traffic=_traffic(rois, node_of_vcpu),
        late_waits=sum(time.late_waits for time in timed),
        controllers=added_controllers(timed),
        links=added_links(timed),
        threads=thread_stats(rois),
    )


def _traffic(rois: Sequence[Roi], node_of_vcpu: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Lines by the node that asked and the node whose memory it was, all nodes in order."""
    ids = sorted({*node_of_vcpu, *(node for roi in rois for node in roi.nodes)})
    traffic = [[0] * len(ids) for _ in ids]
    for roi, vcpu in ((one, vcpu) for one in rois for vcpu in one.vcpus):
        if vcpu.time is None:
            continue
        row = traffic[ids.index(node_of_vcpu[vcpu.id])]
        pairs = zip(vcpu.time.memory_reads, vcpu.time.memory_writes, strict=True)
        for node, (reads, writes) in zip(roi.nodes, pairs, strict=True):
            row[ids.index(node)] += reads + writes
    return tuple(map(tuple, traffic))


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.1%}"


def time_text(stats: TimeStats) -> str:
    """A compact account for people."""
    ipc = "no instructions" if stats.ipc is None else f"IPC {stats.ipc:.2f} of the busy CPUs"
    hits = ", ".join(f"{name.upper()} {_percent(stats.levels[name].rate)}" for name in LEVELS)
    regions = "1 region" if stats.regions == 1 else f"{stats.regions} regions"
    lines = [
        f"homenode lab: modelled time, not measured: {stats.ps / PS_PER_MS:.6g} ms in {regions} "
        "of interest",
        f"{stats.instructions} instructions, {ipc}",
        f"cache hits: {hits}; {stats.cache_to_cache} lines from another CPU's cache",
        f"lines from and to memory: {matrix.total(stats.traffic):.0f}, "
        + ("none" if stats.local_share is None else f"{stats.local_share:.1%} local"),
    ]
    if stats.late_waits:
        lines.append(f"{stats.late_waits} late waits: the CPUs' clocks drifted apart at times")
    rows: list[list[object]] = [["controller", "read MiB", "written MiB", "in use"]]
    rows += [
        [one.node, _mib(one.read_lines), _mib(one.write_lines), _share(stats, one.busy_ps)]
        for one in stats.controllers
    ]
    lines.append(table(rows))
    if stats.links:
        ways: list[list[object]] = [["route", "MiB", "in use"]]
        ways += [
            [_way(one), _mib(one.lines), _share(stats, one.busy_ps)]
            for one in stats.links[:MOST_WAYS]
        ]
        lines.append(table(ways))
    if len(stats.links) > MOST_WAYS:
        lines.append(f"and {len(stats.links) - MOST_WAYS} routes that were used less")
    if stats.threads:
        lines.append(threads_text(stats.threads, stats.ps))
    return "\n".join(lines)


def _way(link: Link) -> str:
    return f"{'link ' if link.shared else ''}{link.source}>{link.target}"


def _mib(lines: int) -> str:
    return f"{lines * LINE_BYTES / MIB:.2f}"


def _share(stats: TimeStats, busy_ps: int) -> str:
    return f"{stats.share_of_time(busy_ps):.1%}"


def time_json(stats: TimeStats | None) -> dict[str, Any] | None:
    """The same as JSON; None without modelled time."""
    if stats is None:
        return None
    return {
        "modelled": True,
        "seconds": stats.ps / PS_PER_S,
        "busy_s": stats.busy_ps / PS_PER_S,
        "instructions": stats.instructions,
        "ipc": stats.ipc,
        "hit_rates": {name: stats.levels[name].rate for name in LEVELS},
        "cache_to_cache": stats.cache_to_cache,
        "lines": [list(row) for row in stats.traffic],
        "local_share": stats.local_share,
        "late_waits": stats.late_waits,
        "controllers": [
            {
                "node": one.node,
                "read_lines": one.read_lines,
                "write_lines": one.write_lines,
                "utilisation": stats.share_of_time(one.busy_ps),
            }
            for one in stats.controllers
        ],
        "links": [
            {
                "from": one.source,
                "to": one.target,
                "lines": one.lines,
                "shared": one.shared,
                "utilisation": stats.share_of_time(one.busy_ps),
            }
            for one in stats.links
        ],
        "threads": threads_json(stats.threads),
    }
