"""Runs of ./dev bench balance: one program beside one balancer, in a lab that is booted once. Every
run is a line of a file as soon as it has ended, so nothing runs twice."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab_runs import compiled
from ours import homenode

from balance.cases import BALANCERS, NODE_MEMORY_MIB, SCALE, Case, Unit
from homenode.lab import Lab
from homenode.lab.counts import Roi, access_matrix
from homenode.lab.machine import Machine
from homenode.lab.result import Result
from homenode.matrix import hottest_share

GUEST = Path(__file__).parent / "guest.py"
# What goes on working beside a program; all else is as it is from the start.
DAEMONS = (*BALANCERS, "kernel", "numad")
SETTLED_S = 2.0
PAGE_BYTES = 4096
PS_PER_NS = 1000
Record = dict[str, Any]


@dataclass(frozen=True)
class Times:
    """How long a balancer works at least and at most, how long nothing is to change before the
    program is counted, and for how long: in the guest, whose clock is the host's. Whether what
    happens until then is counted, too, which slows it down about four times."""

    settle_s: float
    most_s: float
    window_s: float
    quiet_s: float = 10
    way: bool = False


class Store:
    """A file with a line for each run; those that failed run again. What a balancer decided in
    each, which is much longer, is in a file beside it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._decisions = path.with_name(f"{path.stem}-decisions{path.suffix}")
        path.parent.mkdir(parents=True, exist_ok=True)

    def records(self) -> list[Record]:
        """All runs that ended well."""
        if not self._path.exists():
            return []
        lines = [json.loads(one) for one in self._path.read_text().splitlines() if one[-1:] == "}"]
        return [one for one in lines if "error" not in one]

    def count(self, case: Case, beside: str) -> int:
        """How often this has run."""
        return sum(one["case"] == case.name and one["beside"] == beside for one in self.records())

    def add(self, record: Record) -> None:
        """Keeps a run."""
        run = {key: value for key, value in record.items() if key != "decisions"}
        if record.get("decisions"):
            _append(self._decisions, record)
        _append(self._path, run)


def _append(path: Path, line: Record) -> None:
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


class Bench:
    """A booted machine, and what its guest is to do."""

    def __init__(self, lab: Lab, own: Mapping[str, str], times: Times) -> None:
        """`own` are compiled programs of this folder's, `window` among them."""
        self.lab = lab
        self._own = own
        self._times = times
        self._homenode = homenode()

    def run(self, case: Case, beside: str) -> Record:
        """A run as it is kept."""
        spec = {
            "program": self._program(case, beside),
            "programs": case.programs,
            "beside": beside,
            "homenode": self._homenode,
            "window": self._own["window"],
            "settle_s": self._times.settle_s if beside in DAEMONS else SETTLED_S,
            "most_s": self._times.most_s if beside in DAEMONS else SETTLED_S,
            "quiet_s": self._times.quiet_s,
            "window_s": self._times.window_s * case.windows,
            "way": self._times.way,
        }
        script = f'rm -f /tmp/homenode-balance.*; exec {sys.executable} {GUEST} "$0"'
        result = self.lab.run(["sh", "-c", script, json.dumps(spec)], timeout_s=900)
        return {"case": case.name, "beside": beside, **_record(result, self.lab.machine)}

    def _program(self, case: Case, beside: str) -> list[str]:
        settings = [f"{name}={value}" for name, value in case.env.items()]
        words = case.placed if beside == "placed" else case.words
        run = [self._homenode, "run", "--interleave=all", "--"] if beside == "interleave" else []
        program = [self._own[case.own]] if case.own else ["homenode-native", "bench"]
        return ["env", *settings, *run, *program, *words]


@contextmanager
def booted(machine: str, times: Times, *, counts: bool) -> Iterator[Bench]:
    """The machine, without huge pages but those that a program asks for. `counts`: it counts by
    page, for the balancer to see."""
    unit = PAGE_BYTES if counts else None
    with (
        compiled("window.c") as window,
        compiled("walkers.c") as walkers,
        Lab(
            machine,
            timing=True,
            scale=SCALE,
            node_memory_mib=NODE_MEMORY_MIB,
            sample_unit=unit,
        ) as lab,
    ):
        lab.run(["sh", "-c", "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"])
        yield Bench(lab, {"window": window, "walkers": walkers}, times)


def counted_regions(regions: Sequence[Roi]) -> list[Roi]:
    """What `window` had counted, the end last: not what ended because its program was to go on
    uncounted."""
    return [one for one in regions if one.ended_by == "marker" and one.time is not None]


def busy_ns(regions: Sequence[Roi]) -> float:
    """The modelled time that all threads ran, in their code and the kernel's."""
    threads = (thread for region in regions for thread in region.threads)
    return sum(one.time.busy_ps for one in threads if one.time is not None) / PS_PER_NS


def elapsed_ns(region: Roi) -> float:
    """The modelled time that passed."""
    return region.time.ps / PS_PER_NS if region.time is not None else 0.0


def instructions(region: Roi) -> int:
    """Of all threads."""
    return sum(thread.time.instructions for thread in region.threads if thread.time is not None)


def figures(regions: Sequence[Roi], machine: Machine) -> Record:
    """The local share of all misses at the end and that of the node which serves most, their
    modelled time and that of an instruction; the misses and the time on the way there, as far as it
    was counted."""
    matrix = access_matrix([regions[-1]], machine)
    way = access_matrix(regions[:-1], machine) if regions[1:] else None
    return {
        "local_share": matrix.local_share,
        "hottest_share": hottest_share(matrix.cells),
        "misses": matrix.misses,
        Unit.MISS.value: busy_ns(regions[-1:]) / max(matrix.misses, 1),
        Unit.INSTRUCTION.value: elapsed_ns(regions[-1]) / max(instructions(regions[-1]), 1),
        "way_misses": way.misses if way else 0,
        "way_busy_ns": busy_ns(regions[:-1]),
    }


def _record(result: Result, machine: Machine) -> Record:
    if result.status != 0:
        said = result.stderr.decode(errors="replace").strip().splitlines()
        return {"error": f"status {result.status}: {said[-1] if said else ''}"}
    found: Record = json.loads(result.stdout)
    if "error" in found:
        return found
    regions = counted_regions(result.rois)
    if not regions:
        return {"error": "the lab counted nothing"}
    return {**found, **figures(regions, machine)}
