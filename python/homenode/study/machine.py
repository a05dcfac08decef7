"""What a record keeps of the machine that it ran on: nodes, CPUs, memory, distances. Pure."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode.node import Node

LAB = "lab"
HOST = "host"
NODE = "node"


@dataclass(frozen=True)
class Machine:
    """A machine by name. `distances` is the firmware's SLIT table, empty when it has none."""

    name: str
    digest: str
    kind: str  # LAB or HOST
    nodes: tuple[Node, ...]
    distances: tuple[tuple[int, ...], ...]

    @property
    def node_ids(self) -> tuple[int, ...]:
        """The ids of all nodes, in order."""
        return tuple(node.id for node in self.nodes)

    def node_of_cpu(self) -> dict[int, int]:
        """Which node each CPU belongs to."""
        return {cpu: node.id for node in self.nodes for cpu in node.cpus}

    def to_json(self) -> dict[str, Any]:
        """The machine as it stands in a record."""
        return {
            "name": self.name,
            "digest": self.digest,
            "kind": self.kind,
            "nodes": [node.to_json() for node in self.nodes],
            "distances": [list(row) for row in self.distances],
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "Machine":
        """The machine of a record; raises KeyError, TypeError or ValueError when it is not one."""
        return Machine(
            name=str(value["name"]),
            digest=str(value["digest"]),
            kind=str(value["kind"]),
            nodes=tuple(
                Node(int(n["id"]), tuple(int(c) for c in n["cpus"]), int(n["memory_bytes"]))
                for n in value["nodes"]
            ),
            distances=tuple(tuple(int(cell) for cell in row) for row in value["distances"]),
        )


def hardware_digest(model: str, nodes: Sequence[Node], distances: Sequence[Sequence[int]]) -> str:
    """The same for the like computers of a cluster: the CPUs' model, nodes and distances.

    Memory counts rounded up to a power of two, because kernels keep different amounts of it.
    """
    rounded = [[n.id, list(n.cpus), (n.memory_bytes - 1).bit_length()] for n in nodes]
    text = json.dumps([model, rounded, [list(row) for row in distances]])
    return hashlib.sha256(text.encode()).hexdigest()
