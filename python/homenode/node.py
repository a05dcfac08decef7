"""A NUMA node as records and the lab's JSON show it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Node:
    """CPUs by number, and bytes of memory; either may be absent."""

    id: int
    cpus: tuple[int, ...]
    memory_bytes: int

    def to_json(self) -> dict[str, Any]:
        """The node as it stands in a record."""
        return {"id": self.id, "cpus": list(self.cpus), "memory_bytes": self.memory_bytes}
