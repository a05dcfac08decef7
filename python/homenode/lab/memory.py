"""How the lab's memory is laid out: how much each node has, and where it lies. Pure."""

from dataclasses import dataclass

from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.lab.machine import MIB, Machine

GIB = 1 << 30
# QEMU's q35 puts all memory below the PCI hole if it fits, else only the first 2 GiB of it.
LOW_IF_IT_FITS = 0xB0000000
LOW_IF_NOT = 2 * GIB
HIGH_BASE = 4 * GIB
SMALLEST_NODE_MIB = 64


@dataclass(frozen=True)
class Range:
    """Guest-physical addresses that lie on one node."""

    node: int
    base: int
    size: int

    def __str__(self) -> str:
        return f"{self.node}:{self.base:#x}:{self.size:#x}"


def node_sizes(machine: Machine, node_memory_mib: int | None = None) -> dict[int, int]:
    """Bytes of lab memory per node id; 0 for a node that has none in the file. Raises LabError."""
    mib = machine.lab_node_memory_mib if node_memory_mib is None else node_memory_mib
    if mib < SMALLEST_NODE_MIB:
        raise LabError(
            f"a node cannot have {mib} MiB in the lab: Linux needs {SMALLEST_NODE_MIB} MiB or more",
            USAGE,
        )
    return {node.id: mib * MIB if node.memory_bytes else 0 for node in machine.nodes}


def ranges(sizes: dict[int, int]) -> list[Range]:
    """Where each node's memory lies in the guest's physical addresses."""
    total = sum(sizes.values())
    low = LOW_IF_NOT if total >= LOW_IF_IT_FITS else total
    result = []
    offset = 0
    for node, size in sorted(sizes.items()):
        end = offset + size
        if offset < low:
            result.append(Range(node, offset, min(end, low) - offset))
        if end > low:
            first = max(offset, low)
            result.append(Range(node, HIGH_BASE + first - low, end - first))
        offset = end
    return [item for item in result if item.size > 0]
