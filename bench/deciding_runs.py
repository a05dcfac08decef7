"""The points of ./dev bench decides, and the runs at them: machines and programs drawn by Latin
hypercubes, each program under each placement. A line of a file for each run, so nothing runs twice.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from lab_runs import compiled, modelled_us
from scipy.stats import qmc

from homenode.appended_lines import AppendedLines, sound_lines
from homenode.lab import Lab, LabError
from homenode.lab.machine import MIB, Cache, CacheInstance, Cpu, Machine, PairValues
from homenode.node import Node

PLACEMENTS = ("central", "spread", "own")
# Nodes, and CPUs of each. The lab runs eight CPUs well on two.
SHAPES = ((2, 1), (2, 2), (2, 4), (4, 1), (4, 2), (8, 1))
LOCAL_NS = 100
PREFETCHED = 16
# What one CPU can stream from its own node: lines on their way over the time of one.
DRAW_MIB = PREFETCHED * 64 * 1e9 / LOCAL_NS / MIB
NODE_MEMORY = 128 * MIB


@dataclass(frozen=True)
class MachinePoint:
    """A machine. `supply`: a node's bandwidth over what its CPUs can stream; `interconnect`: what
    another node gets of that."""

    nodes: int
    cpus: int
    factor: float
    supply: float
    interconnect: float

    def machine(self) -> Machine:
        """As the lab builds it: caches that the array outgrows, and no L3."""
        numbers = range(self.nodes * self.cpus)
        nodes = tuple(
            Node(n, tuple(range(n * self.cpus, (n + 1) * self.cpus)), NODE_MEMORY)
            for n in range(self.nodes)
        )
        small, private = Cache(32 << 10, 8, 64), Cache(128 << 10, 8, 64)
        local_mib = self.supply * self.cpus * DRAW_MIB

        def pairs(local: float, remote: float) -> PairValues:
            ids = range(self.nodes)
            values = {(a, b): round(local if a == b else remote) for a in ids for b in ids}
            return PairValues("declared", values)

        far = round(10 * self.factor)
        return Machine(
            name="drawn",
            nodes=nodes,
            cpus=tuple(Cpu(i, i // self.cpus, i) for i in numbers),
            distances=tuple(
                tuple(10 if a == b else max(11, far) for b in range(self.nodes))
                for a in range(self.nodes)
            ),
            private_cache=private,
            info={
                "CoreFrequencyMHz": "2000",
                "PrefetchedLines": str(PREFETCHED),
                "OutstandingMisses": "10",
                "ReorderWindow": "192",
            },
            caches=tuple(
                CacheInstance(level, shape, (i,))
                for i in numbers
                for level, shape in ((1, small), (2, private))
            ),
            pair_values={
                "Latency": pairs(LOCAL_NS, LOCAL_NS * self.factor),
                "ReadBandwidth": pairs(local_mib, local_mib * self.interconnect),
                "WriteBandwidth": pairs(0.8 * local_mib, 0.8 * local_mib * self.interconnect),
            },
        )


@dataclass(frozen=True)
class ProgramPoint:
    """A program on the first so many CPUs. `shared`: percent of a thread's pages that all use;
    `hot`: all of these are in one thread's part; `work`: multiplications for each line."""

    threads: int
    shared: int
    hot: bool
    regular: bool
    work: int
    writes: bool

    def words(self) -> list[str]:
        """Its arguments after the placement."""
        return [
            str(int(value))
            for value in (
                *(self.threads, self.shared, self.hot),
                *(self.regular, self.work, self.writes),
            )
        ]


@dataclass(frozen=True)
class Point:
    """A program on a machine, and its modelled time in microseconds under each placement."""

    machine: MachinePoint
    program: ProgramPoint
    times_us: tuple[float, ...]


def machine_points(count: int, seed: int) -> list[MachinePoint]:
    """A Latin hypercube: NUMA factors of 1.1 to 5, supplies of 0.2 to 4, a fifth to all of it for
    other nodes."""
    drawn = qmc.LatinHypercube(4, rng=np.random.default_rng(seed)).random(count)
    return [
        MachinePoint(
            *SHAPES[int(shape * len(SHAPES))],
            factor=round(1.1 * (5 / 1.1) ** factor, 2),
            supply=round(0.2 * 20**supply, 3),
            interconnect=round(0.2 + 0.8 * link, 3),
        )
        for shape, factor, supply, link in drawn.tolist()
    ]


def program_points(machine: MachinePoint, count: int, seed: int) -> list[ProgramPoint]:
    """A Latin hypercube for one machine: half of the programs have threads on every CPU, the others
    on one node or on half of them."""
    drawn = qmc.LatinHypercube(6, rng=np.random.default_rng(seed)).random(count)
    every = machine.nodes * machine.cpus
    teams = (every, every, max(2, every // 2), max(2, machine.cpus))
    return [
        ProgramPoint(
            threads=teams[int(team * len(teams))],
            shared=round(100 * shared),
            hot=hot < 0.5,
            regular=regular < 0.5,
            work=round(200 * work**2),
            writes=write < 0.3,
        )
        for team, shared, hot, regular, work, write in drawn.tolist()
    ]


def _key(machine: MachinePoint, program: ProgramPoint, placement: str) -> str:
    return json.dumps([asdict(machine), asdict(program), placement], sort_keys=True)


def _kept(data: bytes) -> tuple[list[tuple[str, float]], int]:
    return sound_lines(data, lambda line: (str(line["key"]), float(line["us"])))


def _run(
    machine: MachinePoint,
    cases: Sequence[tuple[ProgramPoint, str]],
    command: str,
    known: dict[str, float],
    store: AppendedLines,
) -> None:
    """Boots the machine and runs the cases on it, until one cannot be run."""
    with Lab(machine.machine(), warm=False) as lab:
        for program, placement in cases:
            try:
                us = modelled_us(lab, [command, placement, *program.words()])
            except LabError as error:
                print(f"{program}, {placement}: {error}", flush=True)
                return
            key = _key(machine, program, placement)
            known[key] = us
            store.append(json.dumps({"key": key, "us": us}))


def runs(file: Path, machines: int, programs: int, seed: int) -> Iterator[Point]:
    """Every point of a design, run where the file has not got it yet. Says how far it is."""
    with compiled("deciding.c") as command, closing(AppendedLines(file)) as store:
        known = dict(store.open(_kept))
        for number, machine in enumerate(machine_points(machines, seed)):
            print(f"machine {number + 1} of {machines}: {machine}", flush=True)
            points = program_points(machine, programs, 1000 * seed + number)
            cases = [(point, placement) for point in points for placement in PLACEMENTS]
            left = [case for case in cases if _key(machine, *case) not in known]
            if left:
                _run(machine, left, command, known, store)
            for point in points:
                keys = [_key(machine, point, each) for each in PLACEMENTS]
                if all(key in known for key in keys):
                    yield Point(machine, point, tuple(known[key] for key in keys))
