"""Makes what a perfect lab would print and count, from each pattern's and method's own logic.

Test data only: nothing in the product computes an outcome that it should have measured.
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from homenode.node import Node
from homenode.report.perfect import perfect_matrix
from homenode.report.words import Words
from homenode.study.description import describe
from homenode.study.machine import Machine
from homenode.study.runner import Outcome, RunnerLostError

LINES_PER_THREAD = 100_000
MakeRecords = Callable[..., Path]  # The type of the report tests' fixture.
QUAD = Machine(
    "quad-4x2",
    "d1",
    "lab",
    tuple(Node(n, (2 * n, 2 * n + 1), 256 << 20) for n in range(4)),
    tuple(tuple(10 if a == b else 20 for b in range(4)) for a in range(4)),
)
HP = Machine(
    "hp-8x4",
    "d2",
    "lab",
    tuple(Node(n, tuple(range(4 * n, 4 * n + 4)), 256 << 20) for n in range(8)),
    tuple(
        tuple(10 if a == b else (16 if (a ^ b) in (1, 2, 4) else 22) for b in range(8))
        for a in range(8)
    ),
)


def map_words() -> Words:
    """The names of map's patterns and methods."""
    return Words.of(describe("map"))


def options_of(command: Sequence[str]) -> dict[str, str]:
    words = [w for w in command if w != "--json"]
    return {w.removeprefix("--"): words[i + 1] for i, w in enumerate(words) if w.startswith("--")}


def placed(pattern: str, method: str) -> str:
    """Where a method puts the memory: on one node, spread, or each part at its owner's."""
    if method == "default":
        return "one"
    if (
        method == "command-line"
        or pattern == "shared"
        or (pattern, method) == ("interleaved", "api")
    ):
        return "spread"
    return "home"


def shares(machine: Machine, threads: int, pattern: str, method: str, overlap: int) -> Any:
    cpus = [cpu for node in machine.nodes for cpu in node.cpus]
    of_cpu = machine.node_of_cpu()
    thread_nodes = [of_cpu[cpus[t % len(cpus)]] for t in range(threads)]
    nodes = machine.node_ids
    where = placed(pattern, method)
    logic = pattern if where == "home" else "shared"
    memory = [thread_nodes[0]] if where == "one" else list(nodes)
    return perfect_matrix(logic, thread_nodes, nodes, memory, overlap), thread_nodes


def outcome(
    machine: Machine, command: Sequence[str], *, noise: int = 0, timed: bool = True
) -> Outcome:
    """The bench JSON and one counts line of a case; `noise` is added to each cell's loads."""
    options = options_of(command)
    threads = int(options.get("threads", 8))
    cells, thread_nodes = shares(
        machine, threads, options["pattern"], options["method"], int(options.get("overlap", 0))
    )
    everything = LINES_PER_THREAD * threads
    count = [[round(cell * everything) for cell in row] for row in cells]
    zero = [[0] * len(count) for _ in count]
    op = options["op"]
    reads = count if op != "write" else zero
    writes = count if op == "write" else zero
    bench = {
        "schema": "homenode.bench.map/2",
        "options": options,
        "threads": [{"rank": t, "cpu": t, "node": node} for t, node in enumerate(thread_nodes)],
        "matrices": {
            "provenance": "computed",
            "nodes": list(machine.node_ids),
            "reads": reads,
            "writes": writes,
        },
    }
    counts = counts_line(machine, [[c + noise for c in row] for row in reads], writes)
    if timed:
        add_time(counts, machine, count)
    return Outcome(0, json.dumps(bench), "", [counts])


def counts_line(
    machine: Machine, reads: Sequence[Sequence[int]], writes: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """A plugin line in which each node's accesses are split over its CPUs."""
    vcpus = []
    for row, node in enumerate(machine.nodes):
        for index, cpu in enumerate(node.cpus):
            loads, stores = (
                [c // len(node.cpus) + (1 if index < c % len(node.cpus) else 0) for c in m[row]]
                for m in (reads, writes)
            )
            kernel = {"loads": [7] * len(loads), "stores": [0] * len(loads)}
            vcpus.append(
                {"vcpu": cpu, "user": {"loads": loads, "stores": stores}, "kernel": kernel}
            )
    return {
        "schema": "homenode.counts/1",
        "roi": 1,
        "ended_by": "marker",
        "process": "cr3",
        "registers": True,
        "line_bytes": 64,
        "cache": {"bytes": 524288, "ways": 16},
        "nodes": list(machine.node_ids),
        "vcpus": sorted(vcpus, key=lambda v: v["vcpu"]),
        "threads": [],
        "outside": 0,
    }


def add_time(line: dict[str, Any], machine: Machine, cells: Sequence[Sequence[int]]) -> None:
    """Makes it a line of version 2: 1 ns for each line of the busiest controller, 0.1 ns for each
    line that travels to the node that asks for most. Every line is read from memory."""
    nodes = range(len(machine.nodes))
    served = [sum(row[c] for row in cells) for c in nodes]
    ps = 1000 * max(served) + 100 * max(sum(row) - row[r] for r, row in enumerate(cells))
    row_of = {node.id: row for row, node in enumerate(machine.nodes)}
    of_cpu = machine.node_of_cpu()
    hits = {"hits": 0, "misses": 0}
    for vcpu in line["vcpus"]:
        node = machine.nodes[row_of[of_cpu[vcpu["vcpu"]]]]
        first = vcpu["vcpu"] == node.cpus[0]
        reads = cells[row_of[node.id]] if first else [0 for _ in nodes]
        vcpu["time"] = {
            "ps": ps,
            "busy_ps": ps,
            "stall_ps": 0,
            "instructions": 1,
            "l1": hits,
            "l2": hits,
            "l3": hits,
            "cache_to_cache": 0,
            "memory_reads": list(reads),
            "memory_writes": [0 for _ in nodes],
        }
    line["schema"] = "homenode.counts/2"
    line["time"] = {
        "modelled": True,
        "ps": ps,
        "epoch_ns": 5000,
        "late_waits": 0,
        "controllers": [
            {"node": n, "read_lines": s, "write_lines": 0, "busy_ps": 1000 * s}
            for n, s in zip(machine.node_ids, served, strict=True)
        ],
        "links": [],
    }


class FakeRunner:
    """A machine that answers at once; `answers` overrides outcomes by a part of the command."""

    def __init__(
        self,
        machine: Machine,
        answers: Mapping[str, Any] | None = None,
        start_losses: int = 0,
        *,
        timed: bool = True,
        at_once: int = 1,
    ) -> None:
        self._timed = timed
        self.at_once = at_once
        self._machine = machine
        self._answers = dict(answers or {})
        self.ran: list[list[str]] = []
        self.starts = 0
        self._start_losses = start_losses
        self.is_open = False
        self.homenode_version = "0.1.0"
        self.interrupted = threading.Event()

    @property
    def machine(self) -> Machine:
        return self._machine

    def versions(self) -> Mapping[str, str]:
        return {"homenode": self.homenode_version, "kernel": "6.12.1", "qemu": "10.0.0"}

    @property
    def program(self) -> str:
        return "homenode"

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        assert self.is_open
        self.ran.append(list(command))
        for part, answer in self._answers.items():
            if part in " ".join(command):
                if isinstance(answer, BaseException):
                    raise answer
                if isinstance(answer, Outcome):
                    return answer
                answer()
        return outcome(self._machine, command, timed=self._timed)

    def interrupt(self) -> None:
        self.interrupted.set()

    def __enter__(self) -> Self:
        self.starts += 1
        if self._start_losses:
            self._start_losses -= 1
            raise RunnerLostError("the guest panicked")
        self.is_open = True
        return self

    def __exit__(self, *error: object) -> None:
        self.is_open = False
