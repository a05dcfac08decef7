"""How near the matrices of samples come to what the lab counted of the same runs.

    ./dev bench profile                        all sources on quad-4x2
    ./dev bench profile --source soft-dirty --machine opteron-8x2 --only cg divided

For each program and source: the mean L1 distance between the rows of the two thread x node
matrices, as shares (0: equal, 2: nothing in common), with each sample counted as one, and weighed
by its exposure.
"""

import argparse
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tables import head, row

from homenode.lab import Lab
from homenode.lab.counts import thread_matrix
from homenode.profile.exposure import weights
from homenode.profile.record import UNKNOWN_ID, Flag
from homenode.profile.recording import Recording, read_recording
from homenode.study.description import describe

SOURCES = ("pkeys", "hint-faults", "soft-dirty")
METHODS = ("default", "api")
# Of a thread with fewer samples there is nothing to say.
FEWEST = 30
GUESTS_OWN = "/dev/shm/samples"
Floats = NDArray[np.float64]


class Program(NamedTuple):
    """What runs: its name in the table, and its words after `homenode bench`."""

    name: str
    words: tuple[str, ...]


def programs(threads: int, operation: str) -> list[Program]:
    """All programs, by the operation that a source can see."""
    size = ("--size", "8M", "--pages", "small", "--passes", "300")
    on = ("--op", operation, "--threads", str(threads), *size)
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


def observed(recording: Recording, nodes: Sequence[int], *, weighed: bool) -> Floats:
    """First touches since arming: [thread in order of creation][node]."""
    samples = recording.samples
    kept = (samples["flags"] & Flag.FIRST_TOUCH) != 0
    kept &= samples["memory_node"] != UNKNOWN_ID
    amounts = weights(recording)[kept] if weighed else np.ones(int(kept.sum()))
    samples = samples[kept]
    threads = np.unique(
        [entry["tid"] for document in recording.of("threads") for entry in document["threads"]]
    )
    matrix = np.zeros((len(threads), len(nodes)))
    at = np.searchsorted(threads, samples["tid"])
    np.add.at(matrix, (at, np.searchsorted(nodes, samples["memory_node"])), amounts)
    return matrix


def distance(matrix: Floats, exact: Floats) -> float:
    """The mean L1 distance of the rows, as shares, of threads with samples; NaN without any."""
    matrix = matrix[: len(exact)]
    seen = (matrix.sum(axis=1) > 0) & (exact.sum(axis=1) > 0)
    if not seen.any():
        return float("nan")
    shares = [one[seen] / one[seen].sum(axis=1, keepdims=True) for one in (matrix, exact)]
    return float(np.abs(shares[0] - shares[1]).sum(axis=1).mean())


def compare(lab: Lab, source: str, program: Program, file: Path) -> list[str]:
    """A row of the table."""
    # The folder of results is a 9p share, where two processes that append to a file lose data.
    words = ("homenode", "sample", "--with", source, "--overhead", "50%", "--output", GUESTS_OWN)
    line = shlex.join([*words, "--", "homenode", "bench", *program.words])
    script = f"{line}; status=$?; cp {GUESTS_OWN} {file}; exit $status"
    result = lab.run(["sh", "-c", script], timeout_s=900)
    if result.status != 0:
        return [program.name, source, result.stderr.decode().strip()[-80:], "", "", ""]
    counted = thread_matrix(list(result.rois), lab.machine)
    exact = np.array([counted[rank] for rank in sorted(counted)], float)
    recording = read_recording(file)
    nodes = lab.machine.node_ids
    plain = observed(recording, nodes, weighed=False)
    weighed = observed(recording, nodes, weighed=True)
    return [
        program.name,
        source,
        str(int(plain.sum())),
        str(int((plain.sum(axis=1) >= FEWEST).sum())),
        f"{distance(plain, exact):.3f}",
        f"{distance(weighed, exact):.3f}",
    ]


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="./dev bench profile", description=__doc__)
    made.add_argument("--machine", default="quad-4x2", help="a machine of the lab")
    made.add_argument("--source", action="append", choices=SOURCES, help="may be repeated")
    made.add_argument("--threads", type=int, default=8)
    made.add_argument("--only", nargs="+", default=[""], help="programs whose name has this")
    return made


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    options = parser().parse_args(arguments)
    columns = ["program", "source", "samples", "threads with 30", "L1, plain", "L1, by exposure"]
    print(head(columns), flush=True)
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder, Lab(options.machine, folder, timing=False) as lab:
        for source in options.source or SOURCES:
            operation = "write" if source == "soft-dirty" else "readwrite"
            for program in programs(options.threads, operation):
                if not any(word in program.name for word in options.only):
                    continue
                cells = compare(lab, source, program, Path(folder) / "samples")
                print(row(cells), flush=True)
                if cells[-1]:
                    found.setdefault(source, []).append(float(cells[-1]))
    for source, distances in found.items():
        print(f"\n{source}: mean {np.nanmean(distances):.3f}, worst {np.nanmax(distances):.3f}")


def profile() -> None:
    """All sources."""
    main([])
