"""Runs `bench map` in the lab with counts of every line, and tells the pattern of its array."""

import itertools
import json
from dataclasses import dataclass

import numpy as np
from lab_driver import ROOT
from map_cuts import CUTS, expected

from homenode.lab import Lab
from homenode.profile import Pattern, Sharing, Uses, classify
from homenode.profile.lab_recording import LabRecording, recording_of

LINE, PAGE = 64, 4096
COMMAND = str(ROOT / "build" / "release" / "bin" / "homenode")
LINES = (
    *("shared", "divided", "interleaved", "partial"),
    *("2d-shared-rows", "2d-shared-columns", "2d-shared-random"),
    *("3d-shared-x", "3d-shared-y", "3d-shared-z"),
)
PATTERNS = (*LINES, *CUTS)
OPERATIONS = ("read", "write", "readwrite")
METHODS = ("default", "command-line", "api", "rewrite")
THREADS = (3, 8, 16)
SHAPES = {"2": (128, 128), "3": (24, 24, 24)}
ON_A_LINE = (16384,)


@dataclass(frozen=True)
class MapRun:
    """One run of `bench map`."""

    pattern: str
    operation: str
    method: str
    threads: int

    @property
    def shape(self) -> tuple[int, ...]:
        return SHAPES.get(self.pattern[0], ON_A_LINE)

    @property
    def words(self) -> list[str]:
        return [
            *(COMMAND, "bench", "map", "--json", "--pattern", self.pattern),
            *("--op", self.operation, "--method", self.method, "--threads", str(self.threads)),
            *("--shape", "x".join(map(str, self.shape))),
        ]

    @property
    def wanted(self) -> Sharing:
        return expected(self.pattern, self.method, self.shape, self.threads)

    def __str__(self) -> str:
        return f"{self.pattern} {self.operation} {self.method} {self.threads}"


def every_run(threads: tuple[int, ...] = THREADS) -> list[MapRun]:
    return [MapRun(*one) for one in itertools.product(PATTERNS, OPERATIONS, METHODS, threads)]


def recorded(lab: Lab, command: list[str], roi: str = "markers") -> tuple[LabRecording, bytes]:
    """What the lab counted of a program that must end well, and what that printed."""
    result = lab.run(command, roi=roi, timeout_s=500)  # type: ignore[arg-type]
    assert result.exit_code == 0, result.stderr
    return recording_of(lab, result, command, roi), result.stdout


def array_of(samples: np.ndarray, size: int) -> int:
    """Where an array of that size begins: the page from which on there are the most accesses."""
    pages, inverse = np.unique(samples["address"] // PAGE, return_inverse=True)
    per_page = np.bincount(inverse, weights=samples["weight"])
    sums = np.concatenate([[0], np.cumsum(per_page)])
    ends = np.searchsorted(pages, pages + np.uint64(-(-size // PAGE)))
    return int(pages[np.argmax(sums[ends] - sums[:-1])]) * PAGE


def uses_of(samples: np.ndarray, begin: int, size: int) -> Uses:
    """The uses of a range of addresses."""
    inside = samples[(samples["address"] >= begin) & (samples["address"] < begin + size)]
    return Uses(
        size,
        (inside["address"] - np.uint64(begin)).astype(np.int64),
        inside["tid"].astype(np.int64),
        inside["weight"].astype(np.int64),
        exact=True,
        line=LINE,
    )


def pattern_in(lab: Lab, run: MapRun, roi: str = "markers") -> Pattern:
    recording, printed = recorded(lab, run.words, roi)
    memory = json.loads(printed)["memory"]
    size = memory["pages"] * memory["page_bytes"]
    return classify(uses_of(recording.samples, array_of(recording.samples, size), size))
