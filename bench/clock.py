"""Whether the lab's clock can be believed: closure with what the machine files declare, scaling,
symmetry, independence of the host, and what the clock costs."""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lab_runs import compiled, modelled_us, spread_percent
from ours import homenode
from waits import waits

from homenode.lab import Lab, catalogue
from homenode.lab.machine_model import Pair, resolve

# What large caches need to be left behind, and fast memory for runs so long that the threads'
# beginnings and ends do not matter.
NODE_MEMORY_MIB = {"xeon-max-8x8": 512, "xeon-4x24": 1280}
# So many that the ends of the threads do not matter.
STEPS = "16000000"
Times = list[float]


def map_command(
    *, cpus: int, memory: int, size: str = "16M", order: str = "sequential"
) -> list[str]:
    """Two threads on one node that read an array on another."""
    return [
        homenode(), "run", f"--cpunodebind={cpus}", f"--membind={memory}", "--",
        homenode(), "bench", "map", "--pattern", "divided", "--op", "read", "--threads", "2",
        "--size", "16M", "--method", "default", "--json",
    ]  # fmt: skip


def matrix(value: dict[str, Any]) -> dict[Pair, float]:
    """A matrix of `measure --json` by pairs of nodes."""
    return {
        (a, b): cell
        for a, row in zip(value["from"], value["values"], strict=True)
        for b, cell in zip(value["to"], row, strict=True)
    }


def worst(measured: dict[Pair, float], declared: dict[Pair, float]) -> str:
    """The pair that is furthest from what is declared, and how many there are."""
    off = {pair: measured[pair] / declared[pair] - 1 for pair in declared}
    pair = max(off, key=lambda p: abs(off[p]))
    return f"{100 * off[pair]:+.1f} % ({pair[0]} to {pair[1]}, {len(off)} pairs)"


def closure(names: list[str] | None = None) -> None:
    """`measure` in the lab against what each machine declares, then threads that wait; modelled."""
    for name in names or catalogue.names():
        started = time.monotonic()
        with Lab(name, node_memory_mib=NODE_MEMORY_MIB.get(name)) as lab:
            command = [homenode(), "measure", "--quick", "--only", "latency,bandwidth"]
            result = lab.run([*command, "--kernel", "read,write-nt", "--json", "--no-progress"])
            assert result.status == 0, result.stderr.decode()
            model = resolve(lab.machine)
        found = {
            name: matrix(value)
            for name, value in json.loads(result.stdout)["matrices"].items()
            if value is not None
        }
        print(
            f"closure, {name}: latency {worst(found['read_latency_ns'], model.latency_ns)}, "
            f"read {worst(found['read_mib_per_s'], model.read_mib)}, "
            f"write-nt {worst(found['write_nt_mib_per_s'], model.write_mib)}; "
            f"{time.monotonic() - started:.0f} s of host time",
            flush=True,
        )
    if names is None:
        waits()


def scaling() -> None:
    """A loop that only computes, on one CPU and on all of them at once; modelled."""
    for name in catalogue.names():
        with compiled("compute.c") as program, Lab(name) as lab:
            cpus = len(lab.machine.cpus)
            one = modelled_us(lab, [program, "1", STEPS])
            all_ = modelled_us(lab, [program, str(cpus), STEPS])
        print(f"compute-only loop, {name}: {cpus} CPUs / 1 CPU take {all_ / one:.4f} of the time")


def symmetry() -> None:
    """Placements of quad-4x2 that differ only by the nodes' names; modelled."""
    with Lab("quad-4x2") as lab:
        for what, pairs in {
            "local": [(0, 0), (1, 1), (2, 2), (3, 3)],
            "one hop": [(0, 1), (1, 3), (2, 0), (3, 2)],
            "two hops": [(0, 3), (1, 2), (2, 1), (3, 0)],
        }.items():
            us = [modelled_us(lab, map_command(cpus=a, memory=b)) for a, b in pairs]
            print(f"relabelled nodes, quad-4x2, {what}: slowest / fastest {max(us) / min(us):.4f}")


# Programs whose threads compute, spin, sleep and send messages. Each region lasts a millisecond or
# more: in a shorter one the threads' start and end matter. All have their memory on node 0, but for
# what the API places, and their threads on CPUs that are named: left to itself, the guest's kernel
# decides both anew in each run, by its own clock, and programs with other placements take other
# times.
PLACED = ["run", "--membind=0"]
MAP = "bench map --op readwrite"
INDEPENDENT = {
    "map shared default": f"{MAP} --size 32M --pattern shared --method default",
    "map divided default": f"{MAP} --size 128M --pattern divided --method default",
    "map divided api": f"{MAP} --size 128M --pattern divided --method api",
    "npb cg S": "bench npb cg --class S --strategy first-touch",
    "npb mg S": "bench npb mg --class S --runs 5 --strategy first-touch",
    "kneighbor": "bench kneighbor --iterations 2 --steps 400",
}
# Threads of Python, which has one lock that all want, and hand each other things over a queue. A
# thread that waits for the lock asks for it after the switch interval of the guest's clock.
PYTHON = """
import queue, sys, threading
import homenode
sys.setswitchinterval(100)
def compute(work, done):
    while (n := work.get()) is not None:
        done.put(sum(i * i for i in range(n)))
def work_on(pieces):
    work, done = queue.Queue(4), queue.Queue()
    team = [threading.Thread(target=compute, args=(work, done)) for _ in range(4)]
    for thread in team: thread.start()
    for n in range(pieces): work.put(2000 + n)
    for thread in team: work.put(None)
    for thread in team: thread.join()
work_on(4)
with homenode.roi():
    work_on(60)
"""


@contextmanager
def busy_host(loops: int) -> Iterator[None]:
    """So many processes that only burn time on the host."""
    burn = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(burn) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def times_here_and_there(lab: Lab, command: list[str], runs: int) -> tuple[Times, Times]:
    """The modelled times of a command on an idle host, and with two busy loops beside it."""
    idle = [modelled_us(lab, command) for _ in range(runs)]
    with busy_host(2):
        return idle, [modelled_us(lab, command) for _ in range(runs)]


def independent_commands(cpus: int) -> Iterator[tuple[str, list[str]]]:
    """What is run: a name, and a command."""
    for what, words in INDEPENDENT.items():
        placed = [] if "method api" in words else [homenode(), *PLACED, "--"]
        threads = ["--threads", str(cpus)] if what.startswith(("npb", "kneighbor")) else []
        command = [*placed, homenode(), *words.split(), *threads, "--json"]
        if not what.startswith("npb"):
            yield what, command
            continue
        for policy in ("active", "passive"):
            yield f"{what} {policy}", ["env", f"OMP_WAIT_POLICY={policy}", *command]
    python = [sys.executable, "-c", PYTHON]
    yield "Python threads", [homenode(), *PLACED, "--threads", "0,2,4,6,1", "--", *python]


def independence(runs: int = 3) -> None:
    """The same runs on an idle host and with two busy loops beside it; modelled."""
    for name in ("quad-4x2", "hp-8x4"):
        with Lab(name) as lab:
            for what, command in independent_commands(len(lab.machine.cpus)):
                idle, busy = times_here_and_there(lab, command, runs)
                print(
                    f"independence, {name}, {what}: {statistics.median(idle) / 1e3:.3f} ms, runs "
                    f"spread {spread_percent(idle):.2f} % on an idle host and "
                    f"{spread_percent(busy):.2f} % on a busy one, busy / idle "
                    f"{statistics.median(busy) / statistics.median(idle):.4f}",
                    flush=True,
                )
