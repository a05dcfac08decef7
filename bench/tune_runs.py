"""Runs the cases of ./dev bench tune in the lab: once as they are, recorded, then under every
candidate. Every run is a line of a file as soon as it has ended, so nothing runs twice."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from homenode import capi
from homenode.lab import Lab
from homenode.lab.catalogue import find_file
from homenode.lab.counts import Roi, roi_from_json
from homenode.lab.result import Result
from homenode.lab.stats import PS_PER_S
from homenode.tune.candidate import Candidate
from homenode.tune.candidates import AS_IT_IS, NOT_MODELLED, candidates, hot_objects
from homenode.tune.looking import keep_recording, run_recorded, seen_at
from homenode.tune.program import Seen

COMMAND = "homenode-native"
RUN = ("homenode", "run")
# A first run, which shows what threads there are, and one with these bound, as it is otherwise: an
# agent in it records what is allocated, which takes time.
PROBE, RECORDED = "probe", "recorded"
# All is told relative to the program as it is, whose time is the median of so many runs.
AS_IT_IS_AGAIN = tuple(f"{AS_IT_IS.name} ({number})" for number in (2, 3))
# Caches and memory a sixteenth: small problems miss the caches as large ones do. Of 32 CPUs with
# 272 MiB of caches less is left, so that a run takes seconds.
SCALE = 16
SCALES = {"epyc-nps4-8x4": 64}
TIMEOUT_S = 300.0
MANY_NODES = 4
# What is kept of a candidate.
PLACEMENT = ("name", "options", "threads", "memory")


@dataclass(frozen=True)
class Case:
    """A program whose region of interest is timed. `threads` of the machine's CPUs."""

    name: str
    arguments: tuple[str, ...]

    def command(self, threads: int) -> list[str]:
        """Of as many threads."""
        return [COMMAND, "bench", *self.arguments, "--threads", str(threads), "--json"]


@dataclass(frozen=True)
class Run:
    """A candidate as it ran."""

    candidate: Candidate
    time_s: float
    regions: tuple[Roi, ...]

    @property
    def lines(self) -> int:
        """Those that memory answered."""
        times = (vcpu.time for roi in self.regions for vcpu in roi.vcpus)
        return sum(sum(time.memory_reads) for time in times if time is not None)


@dataclass(frozen=True)
class Measured:
    """All runs of a case, that of the program as it is first, and what was seen of that."""

    machine: str
    case: str
    seen: Seen
    runs: tuple[Run, ...]

    @property
    def relative(self) -> dict[str, float]:
        """Times by name, relative to that of the program as it is."""
        return {run.candidate.name: run.time_s / self.runs[0].time_s for run in self.runs}


class Store:
    """A folder with a recording for each case and a line for each run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def recording(self, machine: str, case: str, run: str) -> Path:
        """The sample file of a run."""
        return self.folder / f"{machine}-{case}-{run.replace(' ', '-')}.samples"

    def lines(self, machine: str, case: str) -> dict[str, dict[str, Any]]:
        """What ran and has a time, by the name of the candidate; the others run again."""
        path = self._runs(machine, case)
        if not path.exists():
            return {}
        found = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
        return {one["name"]: one for one in found if one["time_s"] is not None}

    def add(self, machine: str, case: str, line: dict[str, Any]) -> None:
        """Keeps a run."""
        with self._runs(machine, case).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _runs(self, machine: str, case: str) -> Path:
        return self.folder / f"{machine}-{case}.jsonl"


def scale_of(machine: str) -> int:
    """What a machine's caches and memory are divided by."""
    return SCALES.get(machine, SCALE)


def threads_of(lab: Lab) -> int:
    """One for each CPU."""
    return len(lab.machine.node_of_vcpu)


@contextmanager
def booted(machine: str) -> Iterator[Lab]:
    """The machine, which has no huge pages, as it is scaled."""
    with Lab(machine, timing=True, scale=scale_of(machine), sample_unit=4096) as lab:
        yield lab


def run_case(lab: Lab, case: Case, store: Store) -> Iterator[str]:
    """Runs what is left of a case; yields a line about each run. Threads that the kernel may move
    make two equal runs differ, so the program "as it is" has bound ones."""
    name = lab.machine.name
    command = case.command(threads_of(lab))
    done = store.lines(name, case.name)
    if PROBE not in done:
        yield _record(lab, case, store, Candidate(PROBE, ()), command)
        done = store.lines(name, case.name)
    if PROBE not in done:
        return
    skipped = _seen(store, name, case.name, lab.machine.node_of_vcpu, PROBE).skipped
    bound = _bound(lab, skipped)
    if RECORDED not in done:
        as_bound = [*RUN, *bound, "--", *command]
        yield _record(lab, case, store, Candidate(RECORDED, ()), as_bound)
        if RECORDED not in store.lines(name, case.name):
            return
    again = [replace(AS_IT_IS, name=name) for name in AS_IT_IS_AGAIN]
    for one in [*planned(lab, case, store), *again]:
        if one.name in done:
            continue
        options = one.options if one.threads else (*bound, *one.options)
        line = _line(one, lab.run([*RUN, *options, "--", *command], timeout_s=TIMEOUT_S))
        store.add(name, case.name, line)
        yield f"{name} {case.name}: {one.name}: {line['time_s'] or line['error']}"


def _bound(lab: Lab, skipped: Sequence[int]) -> tuple[str, ...]:
    """Each thread on the CPU of its number."""
    cpus = ",".join(str(cpu) for cpu in range(threads_of(lab)))
    skip = ("--skip-threads", ",".join(map(str, skipped))) if skipped else ()
    return ("--threads", cpus, *skip)


def _record(lab: Lab, case: Case, store: Store, one: Candidate, command: Sequence[str]) -> str:
    """Runs it and keeps what each thread used."""
    name = lab.machine.name
    result, allocated = run_recorded(lab, command, "markers", TIMEOUT_S)
    line = _line(one, result)
    path = store.recording(name, case.name, one.name)
    keep_recording(lab, result, allocated, command, "markers", path)
    store.add(name, case.name, line)
    return f"{name} {case.name}: {one.name}: {line['time_s'] or line['error']}"


def planned(lab: Lab, case: Case, store: Store) -> list[Candidate]:
    """The candidates of a case that has run as it is, which a model can judge."""
    seen = _seen(store, lab.machine.name, case.name, lab.machine.node_of_vcpu, RECORDED)
    hot = hot_objects(seen)
    found = candidates(
        capi.machine(find_file(lab.source)),
        len(seen.threads),
        hot,
        program=seen.program,
        skip=seen.skipped,
    )
    left_out = _far_nodes(lab) | {"interleave"}  # Of all hot objects: that is interleave all.
    several = len({one.chosen_by for one in hot}) > 1
    one_by_one = [f"place {one.name}: " for one in hot] if several else []
    compact = "threads compact"  # That is how it is.
    return [
        one
        for one in found
        if not one.name.startswith(compact)
        and not any(option in NOT_MODELLED for option in one.options)
        and one.name.rpartition(", ")[2].rpartition(": ")[2] not in left_out
        and not any(name in one.name for name in one_by_one)
    ]


def _far_nodes(lab: Lab) -> set[str]:
    """All memory on one node: of many, the first and the last stand for the others."""
    nodes = lab.machine.memory_nodes
    return {f"preferred {node}" for node in nodes[1:-1]} if len(nodes) > MANY_NODES else set()


def _time_s(regions: Sequence[Roi]) -> float | None:
    """Of all regions; None where one has none."""
    times = [roi.ended_ps for roi in regions]
    known = [time for time in times if time is not None]
    return sum(known) / PS_PER_S if sum(known) and len(known) == len(times) else None


def _line(one: Candidate, result: Result) -> dict[str, Any]:
    time_s = _time_s(result.rois)
    failed = result.status != 0 or time_s is None
    said = result.stderr.decode(errors="replace").strip().splitlines()
    return {
        **{key: getattr(one, key) for key in PLACEMENT},
        "time_s": None if failed else time_s,
        "error": f"{result.status}: {said[-1] if said else ''}" if failed else None,
        "regions": [] if failed else [roi.raw for roi in result.rois],
    }


def _seen(store: Store, machine: str, case: str, node_of_vcpu: Sequence[int], run: str) -> Seen:
    base = store.lines(machine, case)[run]
    regions = [roi_from_json(raw) for raw in base["regions"]]
    return seen_at(store.recording(machine, case, run), regions, node_of_vcpu)


def _run(line: dict[str, Any]) -> Run:
    regions = tuple(roi_from_json(raw) for raw in line["regions"])
    candidate = Candidate.from_json({key: line[key] for key in PLACEMENT})
    return Run(candidate, line["time_s"], regions)


def measured(store: Store, machine: str, case: str, node_of_vcpu: Sequence[int]) -> Measured | None:
    """What has run of a case; None where the program as it is has not."""
    lines = store.lines(machine, case)
    if not {RECORDED, AS_IT_IS.name} <= set(lines):
        return None
    base = [lines[name] for name in (AS_IT_IS.name, *AS_IT_IS_AGAIN) if name in lines]
    median = sorted(base, key=lambda one: float(one["time_s"]))[len(base) // 2]
    left_out = {PROBE, RECORDED, AS_IT_IS.name, *AS_IT_IS_AGAIN}
    others = [one for one in lines.values() if one["name"] not in left_out]
    runs = [_run({**median, "name": AS_IT_IS.name}), *map(_run, others)]
    seen = _seen(store, machine, case, node_of_vcpu, RECORDED)
    return Measured(machine, case, seen, tuple(runs))
