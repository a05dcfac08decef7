"""How near the models of `homenode tune` come to the lab's clock: every candidate of every case
runs in the lab, and is predicted from one recording of the program as it is.

    ./dev bench tune --quick                   a few cases on quad-4x2
    ./dev bench tune --machine cxl-3x4 --only stream gups
    ./dev bench tune --mebibytes 1             arrays of one size on all machines
    ./dev bench tune --no-runs                 the tables of what has run
    ./dev bench tune --again DIR               how alike these runs and those of DIR are
    ./dev bench tune --equal 100               false claims of differences, in real runs
    ./dev bench tune --host                    whether answers on this host hold

Runs are kept (--results); a bench that was stopped goes on where it was.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from tables import head, row
from tune_again import Again, run_again, total_again
from tune_equal import equal
from tune_host import host
from tune_judgement import Judgement, judge, total
from tune_runs import Case, Store, booted, measured, run_case, scale_of

from homenode.arguments import at_least_one
from homenode.lab.catalogue import find_file, find_machine
from homenode.lab.machine import MIB, Machine
from homenode.study.description import describe

MACHINES = ("quad-4x2", "opteron-8x2", "epyc-nps4-8x4", "cxl-3x4")
RESULTS = Path("build/bench-tune")
MAP = ("--bind", "none", "--pages", "small")
# MiB that all threads of `map` read together, at least.
WALKED = 128
# What misses the caches is larger than all of them by this.
BEYOND_CACHES = 1.5
QUICK = ("divided", "interleaved", "2d-columns", "stream", "gups", "chase", "cg")


def _map(pattern: str, mebibytes: int, threads: int) -> Case:
    """Each thread walks as far, be that through all of the array or its part, and far enough that
    what it takes until all have begun is little of the time."""
    passes = max(1, WALKED // (threads * mebibytes)) * (1 if "shared" in pattern else threads)
    size = f"{mebibytes}M"
    return Case(
        pattern, ("map", "--pattern", pattern, *MAP, "--size", size, "--passes", str(passes))
    )


def beyond_caches(machine: Machine) -> int:
    """MiB of an array that misses the caches of the machine as it is scaled: a power of two."""
    innermost = min(one.level for one in machine.caches)
    outer = [one for one in machine.caches if one.level > innermost]
    wanted = BEYOND_CACHES * sum(one.shape.size for one in outer) / scale_of(machine.name)
    return 1 << max(0, math.ceil(math.log2(wanted / MIB)))


def cases(mebibytes: int, threads: int) -> list[Case]:
    """All programs, those that take a size with arrays of so many MiB."""
    found = [
        _map(name, mebibytes, threads)
        for name in (choice.name for choice in describe("map").choices("pattern"))
        if name != "multi-patterns"
    ]
    stream, chase = f"{3 * mebibytes}M", f"{2 * mebibytes}M"
    found += [
        Case("stream", ("stream", "--size", stream, "--passes", "3", "--kernel", "triad")),
        Case("gups", ("gups", "--size", f"{mebibytes}M", "--updates", "1")),
        Case("chase", ("chase", "--size", chase, "--passes", "2")),
    ]
    found += [Case(name, ("npb", name, "--class", "S")) for name in ("cg", "mg", "ft", "sp")]
    found.append(Case("seismic", ("seismic", "--size", "32", "--steps", "4")))
    # It would bind itself and place its messages, whatever it is asked from outside.
    open_to_all = ("--bind", "none", "--messages", "first-touch")
    found.append(Case("kneighbor", ("kneighbor", "--iterations", "20", *open_to_all)))
    return found


def _cases_on(machine: Machine, mebibytes: int | None) -> list[Case]:
    return cases(mebibytes or beyond_caches(machine), len(machine.node_of_vcpu))


def main(arguments: Sequence[str]) -> int:
    """The bench with its options."""
    parser = argparse.ArgumentParser(prog="./dev bench tune", description=__doc__)
    parser.add_argument("--machine", action="append", choices=MACHINES)
    parser.add_argument("--only", nargs="+", metavar="CASE", help="these cases")
    parser.add_argument(
        "--mebibytes",
        type=at_least_one,
        metavar="N",
        help="arrays of N MiB (default: more than the machine's caches hold)",
    )
    parser.add_argument("--quick", action="store_true", help="a few cases on quad-4x2")
    parser.add_argument("--no-runs", action="store_true", help="only judge what has run")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--model", action="append", help="default: the best, and each by itself")
    parser.add_argument(
        "--again", type=Path, metavar="DIR", help="compare with the runs of another --results"
    )
    parser.add_argument("--equal", type=int, metavar="N", help="N trials of two equal commands")
    parser.add_argument("--host", action="store_true", help="tune programs on this host")
    options = parser.parse_args(arguments)
    if options.equal is not None:
        return equal(options.equal)
    if options.host:
        return host(options.results / "host")
    wanted = options.only or (QUICK if options.quick else None)
    machines = options.machine or (["quad-4x2"] if options.quick else list(MACHINES))
    chosen = {
        name: [
            case
            for case in _cases_on(find_machine(name), options.mebibytes)
            if wanted is None or case.name in wanted
        ]
        for name in machines
    }
    size = f"{options.mebibytes}M" if options.mebibytes else ""
    store = Store(options.results / size)
    if options.again:
        print_again(chosen, store, Store(options.again / size))
        return 0
    if not options.no_runs:
        for machine, of_machine in chosen.items():
            _run(machine, of_machine, store)
    print_tables(chosen, store, options.model or ["queues", "both", "bandwidth", "latency"])
    return 0


def _run(machine: str, chosen: Sequence[Case], store: Store) -> None:
    with booted(machine) as lab:
        for case in chosen:
            for line in run_case(lab, case, store):
                print(line, flush=True)


def print_tables(chosen: Mapping[str, Sequence[Case]], store: Store, models: Sequence[str]) -> None:
    """A line for each case of each machine, then the sums of each model."""
    for model in models:
        found: list[Judgement] = []
        print(head(["machine", "case", *Judgement.COLUMNS]))
        for machine, of_machine in chosen.items():
            node_of_vcpu = find_machine(machine).node_of_vcpu
            for case in of_machine:
                runs = measured(store, machine, case.name, node_of_vcpu)
                if runs is None or len(runs.runs) < 3:
                    continue
                judged = judge(runs, str(find_file(machine)), model)
                found.append(judged)
                print(row([machine, case.name, *judged.cells()]), flush=True)
        print(f"\nmodel {model}: {total(found)}\n", flush=True)


def print_again(chosen: Mapping[str, Sequence[Case]], first: Store, again: Store) -> None:
    """A line for each case that ran in both folders, then the sums of each machine."""
    print(head(["machine", "case", *Again.COLUMNS]))
    sums = []
    for machine, of_machine in chosen.items():
        found: list[Again] = []
        node_of_vcpu = find_machine(machine).node_of_vcpu
        for case in of_machine:
            runs = [measured(store, machine, case.name, node_of_vcpu) for store in (first, again)]
            if runs[0] is None or runs[1] is None:
                continue
            found.append(run_again(runs[0], runs[1]))
            print(row([machine, case.name, *found[-1].cells()]), flush=True)
        sums.append(f"\n{machine}: {total_again(found)}")
    print("\n".join(sums))


def tune() -> None:
    """The quick set."""
    main(["--quick"])
