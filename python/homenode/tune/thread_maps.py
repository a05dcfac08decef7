"""Where a program's threads may run: CPU lists in the order of the threads' creation. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import numpy as np

from homenode.model import Floats, Program

Document = Mapping[str, Any]
EXCHANGES = 20  # Rounds after which threads have changed places often enough.


@dataclass(frozen=True)
class ThreadMap:
    """One CPU for each thread, as `run --threads` and the model take them."""

    name: str
    cpus: tuple[int, ...]
    why: str

    @property
    def text(self) -> str:
        """The list."""
        return ",".join(map(str, self.cpus))


def cpus_by_node(machine: Document) -> dict[int, list[int]]:
    """The CPUs of each node that has some and may be used."""
    allowed = machine.get("allowed") or {}
    usable = set(allowed.get("cpus") or chain(*(node["cpus"] for node in machine["nodes"])))
    found = {
        int(node["id"]): [int(cpu) for cpu in node["cpus"] if cpu in usable]
        for node in machine["nodes"]
    }
    return {node: cpus for node, cpus in found.items() if cpus}


def thread_maps(machine: Document, threads: int, program: Program | None = None) -> list[ThreadMap]:
    """All that differ. Each CPU gets a second thread only when all have one."""
    groups = cpus_by_node(machine)
    compact = list(chain(*groups.values()))
    turns = zip_longest(*groups.values())
    scatter = [cpu for cpu in chain(*turns) if cpu is not None]
    found = [
        ThreadMap("compact", _fitted(compact, threads), "neighbouring threads share a node"),
        ThreadMap("scatter", _fitted(scatter, threads), "threads on all nodes in turn"),
    ]
    near = _nearest(machine, groups, threads)
    if near is not None:
        found.append(near)
    if program is not None and len(groups) > 1 and threads > len(groups):
        cpus = by_sharing(groups, program)
        found.append(ThreadMap("by sharing", cpus, "threads that share pages share a node"))
    seen: dict[tuple[int, ...], ThreadMap] = {}
    for one in found:
        seen.setdefault(_nodes(one.cpus, groups), one)
    return list(seen.values())


def _fitted(cpus: Sequence[int], threads: int) -> tuple[int, ...]:
    return tuple(cpus[at % len(cpus)] for at in range(threads))


def _nodes(cpus: Sequence[int], groups: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """To the model CPUs of one node are alike."""
    node_of = {cpu: node for node, of in groups.items() for cpu in of}
    return tuple(node_of[cpu] for cpu in cpus)


def _nearest(
    machine: Document, groups: Mapping[int, Sequence[int]], threads: int
) -> ThreadMap | None:
    """On as few nodes as hold them, those nearest to each other; None where all are needed."""
    distances = machine.get("distances")
    if distances is None or threads >= sum(map(len, groups.values())):
        return None
    place = {node: at for at, node in enumerate(distances["nodes"])}
    values = np.array(distances["values"])
    best: tuple[float, list[int]] | None = None
    for first in groups:
        order = sorted(groups, key=lambda node: (values[place[first], place[node]], node))
        taken: list[int] = []
        while sum(len(groups[node]) for node in taken) < threads:
            taken.append(order[len(taken)])
        rows = [place[node] for node in taken]
        far = float(values[np.ix_(rows, rows)].mean())
        if best is None or far < best[0]:
            best = far, taken
    assert best is not None
    cpus = list(chain(*(groups[node] for node in best[1])))
    return ThreadMap("near", _fitted(cpus, threads), "few nodes, near each other")


def sharing(program: Program) -> Floats:
    """[thread, thread]: lines of pages that both use, the lesser user's of each page."""
    threads = len(program.nodes)
    shared = np.zeros((threads, threads))
    for used in program.objects:
        lines = used.reads + used.writes
        for one in range(threads):
            shared[one] += np.minimum(lines[one], lines).sum(axis=1)
    np.fill_diagonal(shared, 0)
    return shared


def by_sharing(groups: Mapping[int, Sequence[int]], program: Program) -> tuple[int, ...]:
    """Threads that use the same pages on CPUs of one node: the assignment of threads to CPUs that
    keeps most of what is shared within nodes. From the threads as they are, threads are assigned
    to places by what they share with those there, until nothing improves (a quadratic assignment,
    solved by linear ones)."""
    from scipy.optimize import linear_sum_assignment  # Half a second, which --help need not take.

    shared = sharing(program)
    threads = len(shared)
    slots = [(node, cpu) for node, cpus in groups.items() for cpu in cpus]
    slots = [slots[at % len(slots)] for at in range(max(threads, len(slots)))]
    at_node = np.array([node for node, _ in slots])
    place = np.arange(threads)
    best, most = place, -1.0
    for _ in range(EXCHANGES):
        near = at_node[place][:, None] == at_node[None, :]
        gain = shared @ near
        rows, columns = linear_sum_assignment(-gain)
        place = columns[np.argsort(rows)]
        here = at_node[place]
        kept = float(shared[here[:, None] == here[None, :]].sum())
        if kept <= most:
            break
        best, most = place, kept
    best = _exchanged(best, at_node, shared)
    return tuple(slots[at][1] for at in best)


def _exchanged(place: Any, at_node: Any, shared: Floats) -> Any:
    """Pairs of threads change places as long as that keeps more within nodes."""
    place = place.copy()
    threads = len(place)
    for _ in range(EXCHANGES):
        changed = False
        for one in range(threads):
            for other in range(one + 1, threads):
                nodes = at_node[place]
                if nodes[one] == nodes[other]:
                    continue
                with_one, with_other = nodes == nodes[one], nodes == nodes[other]
                before = shared[one] @ with_one + shared[other] @ with_other
                after = shared[one] @ with_other + shared[other] @ with_one
                if after - 2 * shared[one, other] > before * (1 + 1e-9):
                    place[one], place[other] = place[other], place[one]
                    changed = True
        if not changed:
            break
    return place
