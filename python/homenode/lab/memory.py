"""How the lab's memory is laid out: how much each node has, where it lies, whether it fits."""

from dataclasses import dataclass
from pathlib import Path

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
    """Bytes of lab memory per node id; 0 for a node that has none in the file. Raises LabError.

    A scaled machine has its own; else all nodes have the same, the file's or the caller's.
    """
    if machine.scale is not None and node_memory_mib is None:
        return {node.id: node.memory_bytes // MIB * MIB for node in machine.nodes}
    mib = machine.lab_node_memory_mib if node_memory_mib is None else node_memory_mib
    if mib < SMALLEST_NODE_MIB:
        raise LabError(
            f"a node cannot have {mib} MiB in the lab: Linux needs {SMALLEST_NODE_MIB} MiB or more",
            USAGE,
        )
    return {node.id: mib * MIB if node.memory_bytes else 0 for node in machine.nodes}


def host_memory_bytes(
    meminfo: Path = Path("/proc/meminfo"), *, available: bool = False
) -> int | None:
    """How much memory the host has, or has available; None if it does not say."""
    try:
        words = meminfo.read_text(encoding="ascii").split()
        name = "MemAvailable:" if available else "MemTotal:"
        return int(words[words.index(name) + 1]) << 10
    except (OSError, ValueError, IndexError):
        return None


def check_fits(machine: Machine, sizes: dict[int, int], host_bytes: int | None) -> None:
    """Raises LabError when the machine would have more memory than the host."""
    total = sum(sizes.values())
    if host_bytes is None or total <= host_bytes:
        return
    largest = max(machine.nodes, key=lambda node: sizes[node.id])
    nodes = sum(1 for size in sizes.values() if size)
    if machine.scale is None:
        fitting = host_bytes // nodes // MIB
        advice = f"give each of its {nodes} nodes at most {fitting} MiB with --node-memory"
    else:
        advice = f"raise --scale, as in --scale {machine.scale * -(-total // host_bytes)}"
    raise LabError(
        f"the machine {machine.name} would have {total // MIB} MiB of memory "
        f"({sizes[largest.id] // MIB} MiB on node {largest.id}), and this host has "
        f"{host_bytes // MIB} MiB; {advice}",
        USAGE,
    )


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
