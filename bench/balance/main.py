"""The balancer beside what else moves pages and threads, program by program, in the lab.

    ./dev bench balance --quick                     a few programs, once
    ./dev bench balance --runs 5                    all of them, five times
    ./dev bench balance --only "stress 2" --beside nothing balance kernel
    ./dev bench balance --no-runs                   the table of what has run

Beside a program: nothing; homenode balance, by the samples that the guest can take; balance-lab,
the same by the lab's, which are of all misses, as those of a processor; the kernel's balancing;
numad, aged 300 s by a time namespace (it looks at no program below 300 MB, so --block is 40 MiB or
more for it); interleaved memory; and the best placement that does not change, where it can be run.

A program fills its memory, then what is beside it works for --settle seconds of the guest's clock
at least, until nothing has changed for 10, and for --most at most. Then it is stopped, and the lab
counts --window seconds, three times as long for NPB and seismic: the local share of all misses, and
the time that threads spend on one, all exact or modelled by the lab's clock. So that time is what
is reached in the end; what it cost to get there is in the moves, or as time with --way: all is
counted from the start on then, which makes a run about four times as long. Runs are kept
(--results), and a bench that was stopped goes on where it was.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from balance.cases import BESIDE, QUICK, Case, cases
from balance.runs import Bench, Store, Times, booted
from balance.table import Runs, judgement, table, ways
from homenode.lab.catalogue import find_machine

RESULTS = Path("build/bench-balance")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="./dev bench balance",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--machine", default="quad-4x2", help="of the lab's catalogue")
    made.add_argument("--quick", action="store_true", help="a few programs, once")
    made.add_argument("--only", nargs="+", metavar="PROGRAM", help="those whose names begin so")
    made.add_argument("--beside", nargs="+", choices=BESIDE, default=list(BESIDE))
    made.add_argument("--runs", type=int, default=5, help="of each program beside each (5)")
    made.add_argument("--block", type=int, default=8, metavar="MIB", help="of a stress thread (8)")
    made.add_argument("--settle", type=float, default=20, metavar="SECONDS", help="(20)")
    made.add_argument("--most", type=float, default=180, metavar="SECONDS", help="(180)")
    made.add_argument("--window", type=float, default=3, metavar="SECONDS", help="(3)")
    made.add_argument("--way", action="store_true", help="what it costs to get there, too")
    made.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    made.add_argument("--no-runs", action="store_true", help="only judge what has run")
    return made


def chosen(options: argparse.Namespace) -> list[Case]:
    """The programs of the machine that the options name."""
    machine = find_machine(options.machine)
    every = cases(machine, options.block)
    wanted = options.only or (QUICK if options.quick else [""])
    return [case for case in every if any(case.name.startswith(word) for word in wanted)]


def run_all(bench: Bench, some: Sequence[Case], options: argparse.Namespace, store: Store) -> None:
    """What is left to run: a round of everything before the next."""
    for run in range(1, (1 if options.quick else options.runs) + 1):
        for case in some:
            for beside in options.beside:
                if beside == "placed" and not case.placed:
                    continue
                if store.count(case, beside) >= run:
                    continue
                record = bench.run(case, beside)
                store.add(record)
                print(f"{run}: {case.name}, {beside}: {_line(record)}", flush=True)


def _line(record: dict[str, object]) -> str:
    if "error" in record:
        return f"failed: {record['error']}"
    return (
        f"{record['page_moves']} moves, {record['affinity_changes']} changes, "
        f"local share {record['local_share']:.3f}"
    )


def main(arguments: Sequence[str]) -> int:
    """The bench with its options."""
    options = parser().parse_args(arguments)
    some = chosen(options)
    kind = f"{options.machine}-{options.block}{'-way' if options.way else ''}"
    store = Store(options.results / f"{kind}.jsonl")
    times = Times(options.settle, options.most, options.window, way=options.way)
    if not options.no_runs:
        with booted(options.machine, times, counts="balance-lab" in options.beside) as bench:
            run_all(bench, some, options, store)
    found = [runs for case in some if (runs := Runs(case, store.records())).by]
    print(f"\n{table(found)}\n\n{judgement(found)}", flush=True)
    if options.way:
        print(f"\n{ways(found)}", flush=True)
    return 0


def balance() -> None:
    """The quick set."""
    main(["--quick"])
