"""`./dev bench heap`: parse, find, check, run in turn, say what came out."""

import argparse
import fnmatch
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from heap import peers, real, report
from heap.allocators import BASE, OURS, Allocator, find
from heap.launch import FailedError
from heap.place import check_owner, fresh
from heap.store import MismatchError, Run, Store, header, read
from heap.suite import Benchmark, benchmarks

ROOT = Path(__file__).resolve().parents[2]
DONE, FAILED, USAGE, UNSUPPORTED = 0, 1, 2, 3
TRACED_PERCENT = 1  # A traced run shows who owns malloc, not how fast it is.


def numbers(text: str) -> list[int]:
    """A list such as 1,2,16."""
    found = [int(word) for word in text.split(",")]
    if not all(1 <= number <= 512 for number in found):
        raise ValueError(text)
    return found


def words(text: str) -> list[str]:
    """A list of names."""
    return [word for word in text.split(",") if word]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    it = argparse.ArgumentParser(prog="./dev bench heap", description=__doc__, allow_abbrev=False)
    it.add_argument("--only", type=words, default=[], help="benchmarks, as names or patterns")
    it.add_argument("--allocators", type=words, default=[], help=f"these; {BASE} is always there")
    it.add_argument("--threads", type=numbers, default=[1, 2], help="numbers of threads (1,2)")
    it.add_argument("--rounds", type=int, default=5, help="how often each is run (5)")
    it.add_argument("--percent", type=int, default=100, help="of the usual work (100)")
    it.add_argument("--quick", action="store_true", help="three rounds of a quarter of the work")
    it.add_argument("--seed", type=int, default=1, help="of the order of the allocators (1)")
    it.add_argument("--build", type=Path, default=ROOT / "build/release", help="a build directory")
    it.add_argument("--peers", type=Path, help="compare with the libraries in this folder")
    it.add_argument("--build-peers", type=Path, help="only build them, into this folder")
    it.add_argument("--raw", type=Path, help="where the runs go; an existing file is gone on with")
    it.add_argument("--report", type=Path, help="only tabulate such a file")
    it.add_argument("--json", action="store_true", help="the result as JSON")
    it.add_argument("--list", action="store_true", help="the benchmarks there are")
    return it


def note(text: str) -> None:
    """Something to know, beside the result."""
    print(f"bench heap: {text}", file=sys.stderr, flush=True)


def chosen(options: argparse.Namespace) -> list[Benchmark]:
    """The benchmarks that were asked for."""
    every = benchmarks(options.threads)
    if not options.only:
        return every
    for pattern in options.only:
        if not any(fnmatch.fnmatch(one.name, pattern) for one in every):
            raise ValueError(f"no benchmark is called '{pattern}'; see --list")
    return [one for one in every if any(fnmatch.fnmatch(one.name, p) for p in options.only)]


def present(options: argparse.Namespace) -> tuple[list[Allocator], list[str]]:
    """The allocators that were asked for, and the packages to install for the others."""
    here, missing = find(options.build / "lib/libhomenode-malloc.so", options.peers)
    if options.allocators:
        wanted = {BASE, *options.allocators}
        unknown = wanted - {one.name for one in here}
        if unknown:
            raise ValueError(f"no allocator '{', '.join(sorted(unknown))}' here")
        return [one for one in here if one.name in wanted], []
    if OURS not in {one.name for one in here}:
        note(f"left out {OURS}: {options.build}/lib has no libhomenode-malloc.so")
    return here, missing


def checked(
    programs: Path, wanted: Sequence[Benchmark], allocators: Sequence[Allocator], store: Store
) -> None:
    """One short traced run of each pair: whose malloc does it call, and does it work at all?"""
    for benchmark in wanted:
        for allocator in allocators:
            if any(
                run.benchmark == benchmark.name and run.allocator == allocator.name
                for run in store.runs
            ):
                continue
            try:
                with fresh(programs, allocator, TRACED_PERCENT, trace=True) as place:
                    benchmark.run(place)
                    check_owner(place)
            except FailedError as error:
                note(f"{benchmark.name}, {allocator.name}: {error}")
                group, name = benchmark.group, allocator.name
                store.add(Run(benchmark.name, group, name, 0, failed=str(error)))


def measure(
    options: argparse.Namespace,
    wanted: Sequence[Benchmark],
    allocators: Sequence[Allocator],
    store: Store,
) -> None:
    """Round after round, each benchmark under all allocators, in an order drawn anew."""
    programs = options.build / "heap_bench"
    for round_ in range(options.rounds):
        started = time.monotonic()
        for benchmark in wanted:
            order = list(allocators)
            random.Random(f"{options.seed} {round_} {benchmark.name}").shuffle(order)
            for allocator in order:
                if store.done(benchmark.name, allocator.name, round_):
                    continue
                about = (benchmark.name, benchmark.group, allocator.name, round_)
                load = os.getloadavg()[0]
                try:
                    with fresh(programs, allocator, options.percent) as place:
                        usage = benchmark.run(place)
                    store.add(Run(*about, **asdict(usage), load_1min=load))
                except FailedError as error:
                    note(f"{benchmark.name}, {allocator.name}: {error}")
                    store.add(Run(*about, load_1min=load, failed=str(error)))
        note(f"round {round_ + 1} of {options.rounds}: {time.monotonic() - started:.0f} s")


def show(runs: Sequence[Run], as_json: bool) -> None:
    """The result; the allocators in the order of the table of peers, ours last."""
    order = list(dict.fromkeys(run.allocator for run in runs))
    order.sort(key=lambda name: (name == OURS, name != BASE, name))
    result = report.value(runs, order, OURS)
    print(json.dumps(result, indent=1) if as_json else report.text(result, OURS))


def compare(options: argparse.Namespace) -> int:
    """Finds what is needed, measures, shows."""
    wanted = chosen(options)
    allocators, missing = present(options)
    for path, package in (real.NEEDS[one.name] for one in wanted if one.name in real.NEEDS):
        if not Path(path).exists():
            missing.append(package)
    if missing:
        note(f"needs packages that are not here: apt install {' '.join(missing)}")
        return UNSUPPORTED
    if not (options.build / "heap_bench/launch").exists():
        note(f"{options.build}/heap_bench has no programs: ./dev build, or ninja heap_bench")
        return UNSUPPORTED
    raw = options.raw or ROOT / time.strftime("results/bench-heap/%Y%m%d-%H%M%S.jsonl")
    store = Store(raw, header(allocators, options.percent, options.seed))
    note(f"{len(wanted)} benchmarks, {len(allocators)} allocators; runs go to {raw}")
    try:
        checked(options.build / "heap_bench", wanted, allocators, store)
        measure(options, wanted, allocators, store)
        code = DONE
    except KeyboardInterrupt:
        note(f"interrupted; go on with --raw {raw}")
        code = FAILED
    finally:
        store.close()
    show(store.runs, options.json)
    return code


def main(arguments: Sequence[str]) -> int:
    """The benchmark, as one command line asks for it."""
    options = parser().parse_args(arguments)
    if options.quick:
        options.rounds, options.percent = 3, 25
    try:
        if options.list:
            print("\n".join(one.name for one in benchmarks(options.threads)))
        elif options.build_peers:
            peers.build(options.build_peers)
        elif options.report:
            show(read(options.report)[1], options.json)
        else:
            return compare(options)
    except (ValueError, MismatchError, OSError) as error:
        note(str(error))
        return USAGE
    return DONE


def heap() -> None:
    """As one of all benchmarks: with no option; what is missing has been said."""
    if main([]) != DONE:
        print("heap: left out")
