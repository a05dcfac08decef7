"""What `homenode sample` costs the program that it watches.

    ./dev bench profile-cost      NPB CG class A, and Redis under redis-benchmark
    ./dev bench profile-cost --runs 9 --source pkeys --only redis --overhead 2%

A run without sampling, one more, and one under each source follow each other, so many times: the
second run without ("again") shows how far equal runs differ. CPU time is that of the program and of
the sampler together. Redis answers 50 clients over a socket of this machine;
the 99th percentile of the time to an answer is what redis-benchmark says.
"""

import argparse
import csv
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple

from profile_sources import refusals
from side_by_side import seconds
from tables import head, row

from homenode.profile.recording import read_recording

SOURCES = ("soft-dirty", "pkeys")
AGAIN = "again"
REQUESTS = 400_000
COLUMNS = ["program", "source", "CPU time", "of the plain run", "p99 of the plain run", "samples"]


class Cost(NamedTuple):
    """Of one run: seconds of CPU time, and milliseconds where the program answers clients."""

    cpu_s: float
    p99_ms: float | None


def cg(before: list[str]) -> Cost:
    """NPB CG, three times, with as many threads as there are CPUs."""
    threads = str(len(os.sched_getaffinity(0)))
    bench = ["bench", "npb", "cg", "--class", "A", "--threads", threads, "--runs", "3"]
    words = [*before, path_of("homenode-native"), *bench]
    return Cost(seconds(words, silent=True).cpu, None)


def path_of(name: str) -> str:
    """A program on PATH."""
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"profile-cost: '{name}' is not on PATH")
    return found


@contextmanager
def serving(before: list[str], socket: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Redis that answers at the socket; it is told to end, and left to be waited for."""
    own = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no"]
    server = subprocess.Popen([*before, path_of("redis-server"), *own], stdout=DEVNULL)
    try:
        while subprocess.run(client(socket, "ping"), capture_output=True, check=False).returncode:
            if server.poll() is not None:
                raise SystemExit(f"profile-cost: redis-server ended with {server.returncode}")
            time.sleep(0.05)
        yield server
    finally:
        subprocess.run(client(socket, "shutdown", "nosave"), capture_output=True, check=False)


def client(socket: Path, *words: str) -> list[str]:
    """A command to that server."""
    return [path_of("redis-cli"), "-s", str(socket), *words]


def redis(before: list[str]) -> Cost:
    """Redis, which stores and reads."""
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "socket"
        ask = [path_of("redis-benchmark"), "-s", str(socket), "-c", "50", "-n", str(REQUESTS)]
        ask += ["-r", "100000", "-d", "100", "-t", "set,get", "--csv"]
        with serving(before, socket) as server:
            said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
        _, status, used = os.wait4(server.pid, 0)
        server.returncode = os.waitstatus_to_exitcode(status)
        if server.returncode != 0:
            raise SystemExit(f"profile-cost: redis-server ended with {server.returncode}")
    slowest = max(float(line["p99_latency_ms"]) for line in csv.DictReader(said.splitlines()))
    return Cost(used.ru_utime + used.ru_stime, slowest)


PROGRAMS: dict[str, Callable[[list[str]], Cost]] = {"cg": cg, "redis": redis}


def usable(sources: Sequence[str]) -> list[str]:
    """Those that work here; says of the others why they do not."""
    refused = refusals()
    for source in sources:
        if refused[source]:
            print(f"profile-cost: {source} is left out: {refused[source]}", file=sys.stderr)
    found = [source for source in sources if not refused[source]]
    if not found:
        raise SystemExit("profile-cost: no source works here")
    return found


def samples_of(file: Path) -> int:
    """How many samples a file has."""
    return len(read_recording(file).samples)


def ratio(ours: Sequence[float], plain: Sequence[float]) -> str:
    """The median over pairs, and the smallest and largest."""
    each = [mine / other for mine, other in zip(ours, plain, strict=True)]
    return f"{statistics.median(each):.3f} ({min(each):.3f} to {max(each):.3f})"


def compared(name: str, options: argparse.Namespace, sources: Sequence[str]) -> None:
    """Prints the rows of a program."""
    program = PROGRAMS[name]
    costs: dict[str, list[Cost]] = {source: [] for source in ("", AGAIN, *sources)}
    many: dict[str, list[int]] = {source: [] for source in sources}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "samples"
        for _ in range(options.runs):
            costs[""].append(program([]))
            costs[AGAIN].append(program([]))
            for source in sources:
                words = [path_of("homenode"), "sample", "--with", source]
                words += ["--overhead", options.overhead, "--output", str(file), "--"]
                costs[source].append(program(words))
                many[source].append(samples_of(file))
                file.unlink()
    for source in (AGAIN, *sources):
        pairs = list(zip(costs[source], costs[""], strict=True))
        cpu = statistics.median(mine.cpu_s for mine, _ in pairs)
        late = [
            (mine.p99_ms, other.p99_ms) for mine, other in pairs if mine.p99_ms and other.p99_ms
        ]
        cells = [name, source, f"{cpu:.2f} s"]
        cells.append(ratio([mine.cpu_s for mine, _ in pairs], [other.cpu_s for _, other in pairs]))
        cells.append(ratio(*zip(*late, strict=True)) if late else "")
        samples = f"{statistics.median(many[source]):.0f}" if source in many else ""
        print(row([*cells, samples]), flush=True)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="./dev bench profile-cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--runs", type=int, default=5, help="of each program under each source")
    made.add_argument("--source", action="append", choices=SOURCES, help="may be repeated")
    made.add_argument("--only", choices=PROGRAMS, help="this program")
    made.add_argument("--overhead", default="1%", help="as homenode sample has it")
    return made


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    options = parser().parse_args(arguments)
    sources = usable(options.source or SOURCES)
    print(head(COLUMNS), flush=True)
    for name in [options.only] if options.only else PROGRAMS:
        compared(name, options, sources)


def profile_cost() -> None:
    """All of them."""
    main([])
