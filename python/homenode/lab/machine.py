"""A machine as the lab builds it. Values; machine_file reads them from a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from homenode.node import Node

MIB = 1 << 20
DEFAULT_NODE_MEMORY_MIB = 256
DEFAULT_LINE = 64


@dataclass(frozen=True)
class Cache:
    """One cache: size and line in bytes, associativity in ways (0: the file does not say)."""

    size: int
    ways: int
    line: int


@dataclass(frozen=True)
class CacheInstance:
    """A cache of the file, with the CPUs that share it."""

    level: int
    shape: Cache
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Cpu:
    """A logical processor by its P# number, with the logical numbers of its package and core."""

    id: int
    package: int
    core: int


@dataclass(frozen=True)
class PairValues:
    """A figure for pairs (node with CPUs, node with memory): ns, or MiB/s. Pairs may be missing."""

    provenance: str
    values: Mapping[tuple[int, int], int]


@dataclass(frozen=True)
class Machine:
    """A machine as the lab builds it. `distances` follows the order of `nodes`; () if unknown.

    `caches` hold data. `private_cache` is the first L2, which counts without timing are made with.
    `pair_values` has hwloc's names: Latency, ReadBandwidth, … `scale` is what caches and memory
    were divided by; None when nobody asked, and then the lab's nodes are as small as
    `lab_node_memory_mib`.
    """

    name: str
    nodes: tuple[Node, ...]
    cpus: tuple[Cpu, ...]
    distances: tuple[tuple[int, ...], ...] = ()
    private_cache: Cache | None = None
    info: dict[str, str] = field(default_factory=dict)
    caches: tuple[CacheInstance, ...] = ()
    pair_values: Mapping[str, PairValues] = field(default_factory=dict)
    scale: int | None = None
    instruction_caches: tuple[CacheInstance, ...] = ()

    @property
    def node_ids(self) -> tuple[int, ...]:
        """The ids of all nodes, in increasing order."""
        return tuple(node.id for node in self.nodes)

    @property
    def cpu_nodes(self) -> tuple[int, ...]:
        """The ids of the nodes that have CPUs."""
        return tuple(node.id for node in self.nodes if node.cpus)

    @property
    def memory_nodes(self) -> tuple[int, ...]:
        """The ids of the nodes that have memory."""
        return tuple(node.id for node in self.nodes if node.memory_bytes)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every (node with CPUs, node with memory)."""
        return tuple((a, b) for a in self.cpu_nodes for b in self.memory_nodes)

    @property
    def node_of_vcpu(self) -> tuple[int, ...]:
        """The node of each of QEMU's CPUs, which are numbered densely in the order of P#."""
        node_of = {cpu: node.id for node in self.nodes for cpu in node.cpus}
        return tuple(node_of[cpu.id] for cpu in self.cpus)

    @property
    def lab_node_memory_mib(self) -> int:
        """How much memory a node has in the lab, unless the person says otherwise."""
        return int(self.info.get("LabNodeMemoryMiB", DEFAULT_NODE_MEMORY_MIB))

    @property
    def description(self) -> str:
        """One line for people; empty if the file has none."""
        return self.info.get("Description", "")

    def distance(self, source: int, target: int) -> int:
        """The declared distance of two nodes, or what Linux takes for one that nobody declares."""
        if not self.distances:
            return 10 if source == target else 20
        ids = self.node_ids
        return self.distances[ids.index(source)][ids.index(target)]
