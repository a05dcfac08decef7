"""The time of one run and what explains it, small enough for a record to keep. Pure.

Two kinds of time exist and are never mixed: what the lab's plugin modelled, and what the host that
ran the program measured on its own clock.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.lab.counts import Roi, roi_from_json
from homenode.lab.stats import PS_PER_S
from homenode.lab.times import added_controllers
from homenode.study.machine import Machine

MODELLED = "modelled"
MEASURED = "measured"


@dataclass(frozen=True)
class RunTime:
    """How long the measured part took. `provenance` is MODELLED or MEASURED.

    What only the lab knows is None elsewhere: the share of the memory's lines that were read by
    CPUs of its own node, and the memory controller that was in use for the largest share of the
    time. `late_waits`: how often virtual CPUs could not be kept in step. `from_caches`: the share
    of the lines that came from another CPU's cache instead of memory.
    """

    provenance: str
    seconds: float
    local_read_share: float | None = None
    busiest_controller: tuple[int, float] | None = None
    late_waits: int = 0
    from_caches: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The time as it stands in a record; picoseconds where it is modelled."""
        if self.provenance == MEASURED:
            return {"measured_s": self.seconds}
        busiest = self.busiest_controller
        return {
            "modelled_ps": round(self.seconds * PS_PER_S),
            "local_read_share": self.local_read_share,
            "busiest_controller": busiest and {"node": busiest[0], "utilisation": busiest[1]},
            "late_waits": self.late_waits,
            "from_caches": self.from_caches,
        }

    @staticmethod
    def from_json(value: Mapping[str, Any] | None) -> "RunTime | None":
        """The time of a record, None where it has none; KeyError, TypeError or ValueError."""
        if value is None:
            return None
        if "measured_s" in value:
            return RunTime(MEASURED, _positive(float(value["measured_s"])))
        busiest, share = value["busiest_controller"], value["local_read_share"]
        return RunTime(
            MODELLED,
            _positive(int(value["modelled_ps"]) / PS_PER_S),
            None if share is None else float(share),
            busiest and (int(busiest["node"]), float(busiest["utilisation"])),
            int(value["late_waits"]),
            None if value.get("from_caches") is None else float(value["from_caches"]),
        )


def _positive(seconds: float) -> float:
    if not seconds > 0:
        raise ValueError(f"a run cannot take {seconds} s")
    return seconds


def modelled_time(counts: Sequence[Mapping[str, Any]], machine: Machine) -> RunTime | None:
    """The sum over the regions of interest; None when time was not modelled in each of them.

    Raises ValueError, KeyError or TypeError when the counts are not what the plugin writes.
    """
    regions = [roi_from_json(dict(region)) for region in counts]
    timed = [region.time for region in regions if region.time is not None]
    ps = sum(time.ps for time in timed)
    if not ps or len(timed) != len(regions):
        return None
    busiest = max(added_controllers(timed), key=lambda one: one.busy_ps, default=None)
    return RunTime(
        MODELLED,
        ps / PS_PER_S,
        _local_read_share(regions, machine.node_of_cpu()),
        (busiest.node, busiest.busy_ps / ps) if busiest is not None else None,
        sum(time.late_waits for time in timed),
        _from_caches(regions),
    )


def _from_caches(regions: Sequence[Roi]) -> float | None:
    times = [v.time for region in regions for v in region.vcpus if v.time is not None]
    cached = sum(time.cache_to_cache for time in times)
    everything = cached + sum(sum(time.memory_reads) for time in times)
    return cached / everything if everything else None


def _local_read_share(regions: Sequence[Roi], node_of_cpu: Mapping[int, int]) -> float | None:
    local = everything = 0
    for region in regions:
        for vcpu in region.vcpus:
            if vcpu.time is None:
                continue
            for node, lines in zip(region.nodes, vcpu.time.memory_reads, strict=True):
                everything += lines
                local += lines if node == node_of_cpu[vcpu.id] else 0
    return local / everything if everything else None


def measured_time(bench: Mapping[str, Any]) -> RunTime | None:
    """What the program said of the host's clock; None when it said nothing or nothing passed."""
    seconds = (bench.get("seconds") or {}).get("wall", 0)
    return RunTime(MEASURED, float(seconds)) if seconds > 0 else None
