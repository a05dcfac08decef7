"""How often `homenode profile` names the pattern of an array of `bench map` right.

    ./dev bench profile-names --draw 40 --seed 1      40 runs under protection keys
    ./dev bench profile-names --host --draw 40        here, which needs protection keys
    ./dev bench profile-names --source soft-dirty --only divided --rows rows.jsonl

A run is a pattern, an operation, a method and a number of threads, as a person has it profiled:
the whole program, its array filled by the main thread first. A name is right if it is that of the
pattern's cut (tests/python/support/map_cuts.py), wrong otherwise; a profile that says "probably",
or that samples are too few, is not sure of it. Every name from exact counts is a test
(tests/python/profile/test_lab_exact.py).

Sampling goes on all the time, as in ./dev bench profile. With --budget the source keeps to a share
of the program's processor time, as a user has it.

No name depends on nodes of memory. With --host programs run on this machine, on its own CPUs, where
a window of protection keys takes milliseconds instead of half a second: each with ever more passes,
until there are --samples of its array or --seconds have passed.
"""

import argparse
import json
import random
import shlex
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import astuple
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from exact_map import MapRun, every_run
from profile_sources import GUESTS_OWN, LONGEST_S, PKEYS, SOURCES, WITHOUT_BOUNDS, refusals
from tables import head, row

from homenode.lab import Lab
from homenode.profile.analysis import analyse
from homenode.profile.recording import read_recording

# CPUs for so many threads.
MACHINES = {3: "quad-4x2", 8: "quad-4x2", 16: "xeon-ring-4x4"}
COLUMNS = ["run", "samples", "named", "sure", "expected"]
# Arrays of 4 MiB, of elements that fill a line.
ON_A_LINE, SHAPES = (65536,), {"2": (256, 256), "3": (40, 40, 40)}
# Over the passes before; what adds less is not worth another run.
MOST_GROWTH, LEAST_GROWTH = 8.0, 1.5
Row = dict[str, Any]


class SampledRun(MapRun):
    """A run that is larger than the caches that the tests' exact counts are of."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The elements along each axis."""
        return SHAPES.get(self.pattern[0], ON_A_LINE)


def words_of(run: SampledRun, options: argparse.Namespace, file: str, passes: int) -> list[str]:
    """The command line, which writes its samples to a file."""
    words = ["homenode", "sample", "--with", options.source, "--output", file]
    words += ["--overhead", options.budget or WITHOUT_BOUNDS, "--"]
    if options.source == "pkeys" and options.budget is None:
        words += ["env", PKEYS]
    return [*words, *run.words, "--passes", str(passes), "--pages", "small"]


def named(run: SampledRun, options: argparse.Namespace, file: Path) -> Row:
    """What a profile calls the array that the samples of a file are of."""
    found: Row = {"run": str(run), "source": options.source, "expected": str(run.wanted)}
    objects = analyse(read_recording(file)).objects
    if not objects:
        return found | {"error": "no object was used"}
    array = max(objects, key=lambda use: use.share)
    return found | {
        "samples": array.samples,
        "named": str(array.pattern.sharing),
        "sure": array.pattern.sure,
        "why": array.pattern.why,
    }


def failed(run: SampledRun, options: argparse.Namespace, status: int, error: bytes) -> Row:
    """The row of a run that did not end well."""
    found: Row = {"run": str(run), "source": options.source, "expected": str(run.wanted)}
    return found | {"error": f"status {status}: {error.decode(errors='replace')[-200:]}"}


class Guests:
    """Runs in the lab, on a machine that has CPUs for all threads."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options, self.folder = options, folder
        self.stack = ExitStack()
        self.labs: dict[str, Lab] = {}

    def row(self, run: SampledRun, file: Path) -> Row:
        """Profiles a run."""
        name = MACHINES[run.threads]
        if name not in self.labs:
            self.labs[name] = self.stack.enter_context(Lab(name, self.folder, timing=False))
        line = shlex.join(words_of(run, self.options, GUESTS_OWN, self.options.passes))
        script = f"rm -f {GUESTS_OWN}; {line}; status=$?; cp {GUESTS_OWN} {file}; exit $status"
        result = self.labs[name].run(["sh", "-c", script], timeout_s=LONGEST_S)
        if result.status != 0:
            return failed(run, self.options, result.status, result.stderr)
        return named(run, self.options, file)

    def close(self) -> None:
        """Ends the labs."""
        self.stack.close()


class Host:
    """Runs here, each anew with more passes until there are enough samples or time is up."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        if refusal := refusals().get(options.source, "this build does not have it"):
            raise SystemExit(f"--host: no {options.source} here: {refusal}")

    def row(self, run: SampledRun, file: Path) -> Row:
        """Profiles a run."""
        end = time.monotonic() + self.options.seconds
        passes = self.options.passes
        while True:
            began = time.monotonic()
            words = words_of(run, self.options, str(file), passes)
            result = subprocess.run(words, stdout=DEVNULL, stderr=PIPE, check=False)
            if result.returncode != 0:
                return failed(run, self.options, result.returncode, result.stderr)
            found = named(run, self.options, file)
            now = time.monotonic()
            left, enough = end - now, self.options.samples
            more = min(MOST_GROWTH, 1.1 * enough / max(1, found.get("samples", 0)))
            fitting = left / max(0.01, now - began)
            if more <= 1.1 or fitting < LEAST_GROWTH:
                return found | {"passes": passes}
            passes = int(passes * min(more, fitting))

    def close(self) -> None:
        """Nothing is left."""


def cells_of(found: Row) -> list[str]:
    """A row of the table."""
    if "error" in found:
        return [found["run"], "", " ".join(found["error"].split()), "", found["expected"]]
    sure = "yes" if found["sure"] else found["why"] or "probably"
    return [found["run"], str(found["samples"]), found["named"], sure, found["expected"]]


def summary(rows: Sequence[Row]) -> str:
    """How many are right, and which are wrong."""
    good = [one for one in rows if "error" not in one]
    right = [one for one in good if one["named"] == one["expected"]]
    sure = [one for one in good if one["sure"]]
    untrue = [one["run"] for one in sure if one not in right]
    return (
        f"{len(right)} of {len(rows)} right, {len(rows) - len(good)} without a profile; "
        f"sure of {len(sure)}, of which wrong: {', '.join(untrue) or 'none'}"
    )


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="./dev bench profile-names",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--source", choices=SOURCES, default="pkeys")
    made.add_argument("--budget", metavar="SHARE", help="as --overhead of homenode sample has it")
    made.add_argument("--passes", type=int, default=1500, help="over the array; --host begins so")
    made.add_argument("--host", action="store_true", help="on this machine, not in the lab")
    made.add_argument("--samples", type=int, default=1000, help="enough of an array, with --host")
    made.add_argument("--seconds", type=float, default=30, help="for one name, with --host")
    made.add_argument("--keep", type=Path, help="keep the samples of each run in this folder")
    made.add_argument("--only", nargs="+", default=[""], help="runs whose name has this")
    made.add_argument("--draw", type=int, help="so many of them, drawn at random")
    made.add_argument("--seed", type=int, default=1, help="of the draw")
    made.add_argument("--rows", type=Path, help="keep rows here; those that it has are not run")
    return made


def wanted(options: argparse.Namespace) -> list[SampledRun]:
    """What runs, by the number of threads, so that few machines are booted."""
    every = [SampledRun(*astuple(run)) for run in every_run()]
    some = [run for run in every if any(word in str(run) for word in options.only)]
    if options.draw is not None:
        some = random.Random(options.seed).sample(some, min(options.draw, len(some)))
    return sorted(some, key=lambda run: MACHINES[run.threads])


def kept(path: Path | None) -> dict[tuple[str, str], Row]:
    """The rows of an earlier run, by source and run."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(one["source"], one["run"]): one for one in rows}


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    options = parser().parse_args(arguments)
    earlier = kept(options.rows)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        with closing(Host(options) if options.host else Guests(options, Path(scratch))) as runner:
            print(head(COLUMNS), flush=True)
            for run in wanted(options):
                found = earlier.get((options.source, str(run)))
                if found is None:
                    found = runner.row(run, folder / f"{str(run).replace(' ', '-')}.hns")
                    if options.rows is not None:
                        with options.rows.open("a") as file:
                            file.write(json.dumps(found) + "\n")
                rows.append(found)
                print(row(cells_of(found)), flush=True)
    print("\n" + summary(rows))


def profile_names() -> None:
    """A few of them."""
    main(["--draw", "12"])
