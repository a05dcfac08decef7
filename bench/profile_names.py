"""How often `homenode profile` names the pattern of an array of `bench map` right.

    ./dev bench profile-names --draw 40 --seed 1      40 runs under protection keys
    ./dev bench profile-names --source soft-dirty --only divided --rows rows.jsonl

A run is a pattern, an operation, a method and a number of threads, as a person has it profiled:
the whole program, its array filled by the main thread first. A name is right if it is that of the
pattern's cut (tests/python/support/map_cuts.py), wrong otherwise; a profile that says "probably",
or that samples are too few, is not sure of it. Every name from exact counts is a test
(tests/python/profile/test_lab_exact.py).

Sampling goes on all the time, as in ./dev bench profile. With --budget the source keeps to a share
of the program's processor time, as a user has it.
"""

import argparse
import json
import random
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path
from typing import Any

from exact_map import MapRun, every_run
from profile_sources import GUESTS_OWN, LONGEST_S, PKEYS, SOURCES, WITHOUT_BOUNDS
from tables import head, row

from homenode.lab import Lab
from homenode.profile.analysis import analyse
from homenode.profile.recording import read_recording

# CPUs for so many threads.
MACHINES = {3: "quad-4x2", 8: "quad-4x2", 16: "xeon-ring-4x4"}
COLUMNS = ["run", "samples", "named", "sure", "expected"]
# Arrays of 4 MiB, of elements that fill a line.
ON_A_LINE, SHAPES = (65536,), {"2": (256, 256), "3": (40, 40, 40)}
Row = dict[str, Any]


class SampledRun(MapRun):
    """A run that is larger than the caches that the tests' exact counts are of."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The elements along each axis."""
        return SHAPES.get(self.pattern[0], ON_A_LINE)


def line_of(run: SampledRun, options: argparse.Namespace) -> str:
    """The guest's command line."""
    words = ["homenode", "sample", "--with", options.source, "--output", GUESTS_OWN]
    words += ["--overhead", options.budget or WITHOUT_BOUNDS, "--"]
    if options.source == "pkeys" and options.budget is None:
        words += ["env", PKEYS]
    passes = ["--passes", str(options.passes), "--pages", "small"]
    return shlex.join([*words, *run.words, *passes])


def named(lab: Lab, run: SampledRun, options: argparse.Namespace, file: Path) -> Row:
    """Profiles a run; its row, whose "error" says why there is none."""
    line = line_of(run, options)
    script = f"rm -f {GUESTS_OWN}; {line}; status=$?; cp {GUESTS_OWN} {file}; exit $status"
    result = lab.run(["sh", "-c", script], timeout_s=LONGEST_S)
    found: Row = {"run": str(run), "source": options.source, "expected": str(run.wanted)}
    if result.status != 0:
        return found | {"error": f"status {result.status}: {result.stderr.decode()[-200:]}"}
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
    made.add_argument("--passes", type=int, default=1500, help="over the array")
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
    print(head(COLUMNS), flush=True)
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        labs: dict[str, Lab] = {}
        for run in wanted(options):
            found = earlier.get((options.source, str(run)))
            if found is None:
                name = MACHINES[run.threads]
                if name not in labs:
                    labs[name] = stack.enter_context(Lab(name, folder, timing=False))
                found = named(labs[name], run, options, folder / "samples")
                if options.rows is not None:
                    with options.rows.open("a") as file:
                        file.write(json.dumps(found) + "\n")
            rows.append(found)
            print(row(cells_of(found)), flush=True)
    print("\n" + summary(rows))


def profile_names() -> None:
    """A few of them."""
    main(["--draw", "12"])
