"""NPB checked systematically: every kernel with several numbers of threads under every strategy,
here or on a machine of the lab. Each run has to give the official values, with its pages where the
strategy puts them."""

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

from ours import homenode

from homenode.lab import Lab

KERNELS = ("ep", "cg", "mg", "ft", "is", "bt", "sp", "lu")
STRATEGIES = ("first-touch", "parallel-init", "round-robin", "memory-bind")
THREADS = (1, 2, 3, 8)

Runner = Callable[[list[str]], tuple[str, str]]
"""Runs a command line and gives what it wrote to stdout and stderr."""


@dataclass(frozen=True)
class Case:
    """What is run."""

    kernel: str
    size: str
    threads: int
    strategy: str

    def command(self) -> list[str]:
        """Threads that wait give their CPU to those that work: there may be more than CPUs."""
        words = ["env", "OMP_WAIT_POLICY=passive", homenode(), "bench", "npb", self.kernel]
        words += ["--class", self.size, "--threads", str(self.threads)]
        return [*words, "--strategy", self.strategy, "--json"]


@dataclass(frozen=True)
class Outcome:
    """How a run went: its times, and all that is wrong with it."""

    seconds: float
    cpu_seconds: float
    faults: tuple[str, ...]


def outcome_of(report: dict[str, Any]) -> Outcome:
    """What a report of `homenode bench npb` with one run says."""
    run = report["runs"][0]
    faults = [f"{check['name']} is wrong" for check in run["checks"] if not check["passed"]]
    if not run["checks"]:
        faults.append("nothing was checked")
    for name, pages in run["pages"].items():
        if pages["not_audited"] is not None:
            faults.append(f"{name} not audited: {pages['not_audited']}")
        elif pages["astray_pages"]:
            faults.append(f"{pages['astray_pages']} pages of {name} not where they were placed")
    return Outcome(run["seconds"], run["cpu_s"], tuple(faults))


def outcomes(cases: Iterable[Case], run: Runner) -> Iterator[tuple[Case, Outcome]]:
    """One after the other, as they come. A run that ends without a report is a fault."""
    for case in cases:
        stdout, stderr = run(case.command())
        if stdout.startswith("{"):
            yield case, outcome_of(json.loads(stdout))
        else:
            yield case, Outcome(0.0, 0.0, (stderr.strip() or "it said nothing",))


def cases_of(sizes: Iterable[str], kernels: Iterable[str], threads: Iterable[int]) -> list[Case]:
    """All of them, one kernel after the other."""
    return [Case(*each) for each in product(kernels, sizes, threads, STRATEGIES)]


def here(words: list[str]) -> tuple[str, str]:
    """A Runner on this machine."""
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    return result.stdout, result.stderr


@contextmanager
def runner_on(machine: str | None) -> Iterator[Runner]:
    """This machine, or one of the lab, booted once and without counting."""
    if machine is None:
        yield here
        return
    with Lab(machine, plugin=False) as lab:

        def there(words: list[str]) -> tuple[str, str]:
            result = lab.run(words, timeout_s=600)
            return result.stdout.decode(), result.stderr.decode()

        yield there


def spread(seconds: list[float]) -> str:
    """The smallest and the largest."""
    return f"{min(seconds):.2f} to {max(seconds):.2f} CPU s"


def verify(cases: list[Case], run: Runner) -> int:
    """A line for each run as it ends, then one for each kernel and class; 1 if a run is wrong."""
    print("kernel class threads strategy         seconds    CPU s  result")
    of_kernel: dict[tuple[str, str], list[Outcome]] = {}
    for case, outcome in outcomes(cases, run):
        of_kernel.setdefault((case.kernel, case.size), []).append(outcome)
        print(
            f"{case.kernel:<6} {case.size:<5} {case.threads:>7} {case.strategy:<14} "
            f"{outcome.seconds:>9.3f} {outcome.cpu_seconds:>8.3f}  "
            + ("; ".join(outcome.faults) or "verified, pages as placed"),
            flush=True,
        )
    print()
    wrong = 0
    for (kernel, size), runs in of_kernel.items():
        good = [run.cpu_seconds for run in runs if not run.faults]
        wrong += len(runs) - len(good)
        times = f", {spread(good)}" if good else ""
        print(f"{kernel} class {size}: {len(good)} of {len(runs)} runs verified{times}")
    return 1 if wrong else 0
