"""How near the matrices of samples come to what the lab counted of the same runs.

    ./dev bench profile                        all programs and sources on quad-4x2
    ./dev bench profile --source soft-dirty --machine opteron-8x2 --only cg divided
    ./dev bench profile --draw 8 --seed 1 --rows rows.jsonl   8 programs; goes on where it ended

For each program and source: the mean L1 distance between the rows of the two thread x node
matrices, as shares (0: equal, 2: nothing in common), with each sample counted as one, and weighed
by its exposure. A source that sees writes alone is compared with the counted writes. Only threads
with 30 samples or more have a row. The lab counts what lies between a program's markers. Samples
are of the whole program, so programs run many passes, and what the first thread did before a second
one had a sample (it fills the arrays) is left out.

The budget of a source is not what is measured here: virtual CPUs have this machine's processors in
turn, which their clocks count as used, so a budget would leave few samples. Sampling goes on all
the time, and windows of protection keys stay open until each virtual CPU has had its turn.
"""

import argparse
import json
import random
import shlex
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tables import head, row

from homenode.lab import Lab
from homenode.lab.counts import Roi
from homenode.lab.result import Result
from homenode.profile.exposure import weights
from homenode.profile.record import UNKNOWN_ID, Flag
from homenode.profile.recording import Recording, read_recording
from homenode.profile.stays import with_users
from homenode.study.description import describe

SOURCES = ("pkeys", "hint-faults", "soft-dirty")
# What a source may be away from the counts.
GOALS = {"pkeys": 0.05, "hint-faults": 0.10, "soft-dirty": 0.08}
METHODS = ("default", "api")
# Of a thread with fewer samples there is nothing to say.
FEWEST = 30
# The most that `homenode sample` takes.
WITHOUT_BOUNDS = "100%"
# The sampler within the program takes the last value of its variable.
PKEYS = "HOMENODE_SAMPLE_PKEYS=budget_ppm=1000000000 pause_us=0 window_us=50000 pages=64"
GUESTS_OWN = "/dev/shm/samples"
LONGEST_S = 900
COLUMNS = ["program", "source", "samples", "threads", "L1, plain", "L1, by exposure", "seconds"]
Floats = NDArray[np.float64]
Row = dict[str, Any]


def refusals() -> dict[str, str | None]:
    """Of each source why it does not work on this machine; None where it does."""
    words = ["homenode", "sample", "--list", "--json"]
    said = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    return {one["name"]: one["refusal"] for one in json.loads(said.stdout)["sources"]}


class Program(NamedTuple):
    """What runs: its name in the table, and its words after `homenode bench`."""

    name: str
    words: tuple[str, ...]


def programs(threads: int, operation: str, passes: int, size: str) -> list[Program]:
    """All programs, by the operation that a source can see."""
    much = ("--size", size, "--pages", "small", "--passes", str(passes))
    on = ("--op", operation, "--threads", str(threads), *much)
    maps = [
        Program(f"map {name} {method}", ("map", "--pattern", name, "--method", method, *on))
        for name in (choice.name for choice in describe("map").choices("pattern"))
        for method in METHODS
        if name != "multi-patterns"
    ]
    npb = [
        Program(f"npb {name}", ("npb", name, "--class", "W", "--threads", str(threads)))
        for name in ("cg", "mg", "sp")
    ]
    return [*maps, Program("kneighbor", ("kneighbor", "--threads", str(threads))), *npb]


def counted(rois: Sequence[Roi], nodes: Sequence[int], *, writes: bool) -> Floats:
    """What the lab counted: [thread in order of ranks][node]; only stores if `writes`."""
    sums: dict[int, Floats] = {}
    for roi in rois:
        for thread in roi.threads:
            if thread.rank is None:
                continue
            cells = np.array(thread.user.stores, float)
            if not writes:
                cells += np.array(thread.user.loads, float)
            line = sums.setdefault(thread.rank, np.zeros(len(nodes)))
            line[np.searchsorted(nodes, roi.nodes)] += cells
    return np.array([sums[rank] for rank in sorted(sums)])


def observed(recording: Recording, nodes: Sequence[int], *, weighed: bool) -> Floats:
    """First touches since arming by the process that has most: [thread by creation][node]."""
    recording = with_users(recording) if weighed else recording
    samples = recording.samples
    touched = Flag.FIRST_TOUCH | Flag.CLOSING if weighed else Flag.FIRST_TOUCH
    kept = (samples["flags"] & touched) != 0
    kept &= samples["memory_node"] != UNKNOWN_ID
    if not kept.any():
        return np.zeros((0, len(nodes)))
    found, many = np.unique(samples["pid"][kept], return_counts=True)
    pid = int(found[many.argmax()])
    kept &= samples["pid"] == pid
    first, time = samples["tid"][kept].min(), samples["time_ns"]
    others = kept & (samples["tid"] != first)
    if others.any():
        began = time[others].min()
        kept &= time >= began
        recording = replace(recording, begin=recording.begin | {"time_ns": int(began)})
    amounts = weights(recording)[kept] if weighed else np.ones(int(kept.sum()))
    samples = samples[kept]
    named = [
        entry["tid"]
        for document in recording.of("threads")
        for entry in document["threads"]
        if document["pid"] == pid and entry["name"] != "homenode"  # The sampler's own.
    ]
    threads = np.unique([*named, *samples["tid"]])
    matrix = np.zeros((len(threads), len(nodes)))
    at = np.searchsorted(threads, samples["tid"])
    np.add.at(matrix, (at, np.searchsorted(nodes, samples["memory_node"])), amounts)
    return matrix


def distances(matrix: Floats, exact: Floats, seen: NDArray[np.bool_]) -> Floats:
    """The L1 distance of each row that is seen, as shares."""
    shares = [one[seen] / one[seen].sum(axis=1, keepdims=True) for one in (matrix, exact)]
    return np.asarray(np.abs(shares[0] - shares[1]).sum(axis=1))


def line_of(source: str, program: Program) -> str:
    """The guest's command line."""
    words = ["homenode", "sample", "--no-allocations", "--with", source]
    words += ["--overhead", WITHOUT_BOUNDS, "--output", GUESTS_OWN, "--"]
    if source == "pkeys":
        words += ["env", PKEYS]
    return shlex.join([*words, "homenode-native", "bench", *program.words])


def measured(lab: Lab, source: str, program: Program, file: Path) -> Row:
    """Runs a program under a source; its row, whose "error" says why there is none."""
    # The folder of results is a 9p share, where two processes that append to a file lose data.
    line = line_of(source, program)
    script = f"rm -f {GUESTS_OWN}; {line}; status=$?; cp {GUESTS_OWN} {file}; exit $status"
    began = time.monotonic()
    result = lab.run(["sh", "-c", script], timeout_s=LONGEST_S)
    found: Row = {"program": program.name, "source": source, "machine": lab.machine.name}
    found["seconds"] = round(time.monotonic() - began, 1)
    if result.status != 0:
        return found | {"error": f"status {result.status}: {result.stderr.decode()[-200:]}"}
    return found | compared(lab, result, source, read_recording(file))


def compared(lab: Lab, result: Result, source: str, recording: Recording) -> Row:
    """The samples of a run beside what was counted of it."""
    nodes = lab.machine.node_ids
    exact = counted(result.rois, nodes, writes=source == "soft-dirty")
    if len(exact) == 0:
        return {"error": "the lab counted no thread: the program has no markers"}
    plain = observed(recording, nodes, weighed=False)
    if len(plain) < len(exact):
        return {"error": f"samples of {len(plain)} threads, and {len(exact)} were counted"}
    plain, weighed = plain[: len(exact)], observed(recording, nodes, weighed=True)[: len(exact)]
    seen = (plain.sum(axis=1) >= FEWEST) & (exact.sum(axis=1) > 0)
    if not seen.any():
        return {"error": f"{int(plain.sum())} samples, no thread has {FEWEST}"}
    return {
        "samples": int(plain.sum()),
        "threads": int(seen.sum()),
        "of": len(exact),
        "plain": float(distances(plain, exact, seen).mean()),
        "weighed": float(distances(weighed, exact, seen).mean()),
    }


def cells_of(found: Row) -> list[str]:
    """A row of the table."""
    first = [found["program"], found["source"]]
    if "error" in found:
        return [*first, " ".join(found["error"].split()), "", "", "", f"{found['seconds']:.0f}"]
    threads = f"{found['threads']} of {found['of']}"
    near = [f"{found[key]:.3f}" for key in ("plain", "weighed")]
    return [*first, str(found["samples"]), threads, *near, f"{found['seconds']:.0f}"]


def summaries(rows: Sequence[Row]) -> list[str]:
    """For each source how near it comes."""
    lines = []
    for source in SOURCES:
        mine = [one for one in rows if one["source"] == source and "error" not in one]
        if not mine:
            continue
        near = np.array([[one["plain"], one["weighed"]] for one in mine])
        within = int((near[:, 1] <= GOALS[source]).sum())
        lines.append(
            f"{source}: mean {near[:, 1].mean():.3f} by exposure, {near[:, 0].mean():.3f} plain, "
            f"worst {near[:, 1].max():.3f}; {within} of {len(mine)} within {GOALS[source]:.2f}"
        )
    return lines


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="./dev bench profile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--machine", default="quad-4x2", help="a machine of the lab")
    made.add_argument("--source", action="append", choices=SOURCES, help="may be repeated")
    made.add_argument("--threads", type=int, default=8)
    made.add_argument("--passes", type=int, default=1500, help="of bench map")
    made.add_argument("--size", default="4M", help="of bench map's array")
    made.add_argument("--only", nargs="+", default=[""], help="programs whose name has this")
    made.add_argument("--draw", type=int, help="so many of them, drawn at random")
    made.add_argument("--seed", type=int, default=1, help="of the draw")
    made.add_argument("--rows", type=Path, help="keep rows here; those that it has are not run")
    return made


def wanted(options: argparse.Namespace) -> list[tuple[str, Program]]:
    """What runs under which source."""
    found = []
    for source in options.source or SOURCES:
        operation = "write" if source == "soft-dirty" else "readwrite"
        some = [
            program
            for program in programs(options.threads, operation, options.passes, options.size)
            if any(word in program.name for word in options.only)
        ]
        if options.draw is not None:
            some = random.Random(options.seed).sample(some, min(options.draw, len(some)))
        found += [(source, program) for program in some]
    return found


def kept(path: Path | None) -> dict[tuple[str, str, str], Row]:
    """The rows of an earlier run, by machine, source and program."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(one["machine"], one["source"], one["program"]): one for one in rows}


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    options = parser().parse_args(arguments)
    earlier = kept(options.rows)
    print(head(COLUMNS), flush=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder, Lab(options.machine, folder, timing=False) as lab:
        for source, program in wanted(options):
            found = earlier.get((lab.machine.name, source, program.name))
            if found is None:
                found = measured(lab, source, program, Path(folder) / "samples")
                if options.rows is not None:
                    with options.rows.open("a") as file:
                        file.write(json.dumps(found) + "\n")
            rows.append(found)
            print(row(cells_of(found)), flush=True)
    print("\n" + "\n".join(summaries(rows)))


def profile() -> None:
    """All sources."""
    main([])
