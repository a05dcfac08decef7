"""A program's samples as columns: how much use, by which thread, from and to which node.

Everything that a profile says is a sum over these columns. Pure.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from homenode.profile.correlation import Floats
from homenode.profile.exposure import weights
from homenode.profile.objects import Attribution
from homenode.profile.record import UNKNOWN_ID, Flag, Operation, Source
from homenode.profile.recording import Recording, Samples
from homenode.profile.stays import with_users

Integers = NDArray[np.int64]
NOWHERE = -1  # Instead of the index of a node that is not known.
MOST_IDS = UNKNOWN_ID


@dataclass(frozen=True)
class Facts:
    """Arrays with an entry for each sample that the program made in user code.

    `thread`, `cpu_node` and `memory_node` are indices of `threads` (pid, tid) and `nodes`. `thread`
    is whose use a sample stands for, `touched_by` who made it: of hint faults not always the same.
    `object_of` and `offset_of` are those of the attribution. `kernel_share`: how much of all use
    the kernel made for the program, which is left out. `exact`: every access was counted.
    """

    samples: Samples
    weight: Floats
    thread: Integers
    touched_by: Integers
    cpu_node: Integers
    memory_node: Integers
    object_of: Integers
    offset_of: Integers
    threads: tuple[tuple[int, int], ...]
    nodes: tuple[int, ...]
    kernel_share: float
    exact: bool

    @property
    def operation(self) -> NDArray[np.uint8]:
        """What each access was."""
        return np.asarray(self.samples["operation"])

    @property
    def placed(self) -> NDArray[np.bool_]:
        """Where both nodes are known."""
        return np.asarray((self.cpu_node != NOWHERE) & (self.memory_node != NOWHERE))

    @property
    def local(self) -> NDArray[np.bool_]:
        """Where a CPU used its own node's memory."""
        return np.asarray(self.placed & (self.cpu_node == self.memory_node))

    def table(self, rows: Integers, count: int, chosen: Any = slice(None)) -> Floats:
        """The use [operation, row, node of the memory]; the last column is of unknown nodes.

        Entries of `rows` below 0 are left out, as is what is not `chosen`.
        """
        width = len(self.nodes) + 1
        kinds = self.operation[chosen].astype(np.int64)
        kinds[kinds > Operation.WRITE] = Operation.UNKNOWN
        row, weight = rows[chosen], self.weight[chosen]
        column = np.where(self.memory_node < 0, width - 1, self.memory_node)[chosen]
        known = row >= 0
        cells = ((kinds * count + row) * width + column)[known]
        summed = np.bincount(cells, weights=weight[known], minlength=3 * count * width)
        return summed.astype(np.float64).reshape(3, count, width)


def _node_of_cpus(machine: Any) -> dict[int, int]:
    """The node of each CPU of a homenode.machine document; none where there is no machine."""
    if not isinstance(machine, dict):
        return {}
    return {int(cpu): int(node["id"]) for node in machine["nodes"] for cpu in node["cpus"]}


def _cpu_nodes(samples: Samples, machine: Any) -> Integers:
    """The node of the CPU: what the sample says, else what the machine says of the CPU."""
    nodes = samples["cpu_node"].astype(np.int64)
    known = _node_of_cpus(machine)
    if not known:
        return nodes
    of = np.full(MOST_IDS + 1, UNKNOWN_ID, np.int64)
    for cpu, node in known.items():
        if 0 <= cpu < MOST_IDS and 0 <= node < MOST_IDS:
            of[cpu] = node
    return np.where(nodes == UNKNOWN_ID, of[samples["cpu"]], nodes)


def _memory_nodes(samples: Samples, recording: Recording) -> Integers:
    """The node of the memory: what the sample says, else the last list of pages that has it."""
    nodes = samples["memory_node"].astype(np.int64)
    for document in reversed(recording.of("pages")):
        missing = np.flatnonzero((nodes == UNKNOWN_ID) & (samples["pid"] == int(document["pid"])))
        ranges = [entry for entry in document["pages"] if len(entry) >= 3]
        if len(missing) == 0 or not ranges:
            continue
        begins, ends = (np.array([int(r[i]) for r in ranges], np.uint64) for i in (0, 1))
        homes = np.array([int(r[2]) for r in ranges], np.int64)
        order = np.argsort(begins, kind="stable")
        begins, ends, homes = begins[order], ends[order], homes[order]
        address = samples["address"][missing]
        at = np.searchsorted(begins, address, side="right") - 1
        inside = (at >= 0) & (address < ends[at]) & (homes[at] >= 0)
        nodes[missing[inside]] = homes[at[inside]]
    return nodes


def _indices(ids: Integers, nodes: tuple[int, ...]) -> Integers:
    """The index of each node id, or NOWHERE."""
    order = np.array(nodes, np.int64)
    if len(order) == 0:
        return np.full(len(ids), NOWHERE, np.int64)
    at = np.minimum(np.searchsorted(order, ids), len(order) - 1)
    return np.where(order[at] == ids, at, NOWHERE).astype(np.int64)


def _nodes(recording: Recording, *columns: Integers) -> tuple[int, ...]:
    """All nodes that the machine has or a sample names, and those of matrices."""
    machine = recording.begin.get("machine")
    found = {int(node["id"]) for node in machine["nodes"]} if isinstance(machine, dict) else set()
    for column in columns:
        found |= {int(node) for node in np.unique(column)}
    for document in recording.of("matrix"):
        found |= {int(node) for node in document["nodes"]}
    return tuple(sorted(node for node in found if 0 <= node < UNKNOWN_ID))


def _threads(samples: Samples) -> NDArray[np.uint64]:
    """The thread of each sample, as one number with its process."""
    return np.asarray(samples["pid"].astype(np.uint64) << np.uint64(32) | samples["tid"])


def facts(recording: Recording, attribution: Attribution) -> Facts:
    """The columns of a recording. pre: the attribution is the recording's."""
    kernel = (recording.samples["flags"] & Flag.KERNEL) != 0
    weight = np.nan_to_num(np.maximum(weights(recording), 0.0))
    everything = float(weight.sum())
    samples = recording.samples[~kernel]
    users = with_users(recording).samples[~kernel]
    cpu_nodes = _cpu_nodes(users, recording.begin.get("machine"))
    memory_nodes = _memory_nodes(samples, recording)
    nodes = _nodes(recording, cpu_nodes, memory_nodes)
    found, touched_by = np.unique(_threads(samples), return_inverse=True)
    return Facts(
        samples=samples,
        weight=weight[~kernel],
        thread=np.searchsorted(found, _threads(users)).astype(np.int64),
        touched_by=touched_by.astype(np.int64),
        cpu_node=_indices(cpu_nodes, nodes),
        memory_node=_indices(memory_nodes, nodes),
        object_of=attribution.object_of[~kernel],
        offset_of=attribution.offset_of[~kernel],
        threads=tuple((int(key) >> 32, int(key) & 0xFFFFFFFF) for key in found),
        nodes=nodes,
        kernel_share=float(weight[kernel].sum()) / everything if everything else 0.0,
        exact=len(samples) > 0 and bool((samples["source"] == Source.LAB).all()),
    )
