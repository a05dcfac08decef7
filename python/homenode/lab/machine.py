"""What the lab needs to know of a machine file (hwloc version 2 XML). Pure: text in, value out."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field

from homenode.errors import USAGE
from homenode.lab.errors import LabError
from homenode.node import Node

MIB = 1 << 20
DEFAULT_NODE_MEMORY_MIB = 256
# Kinds are bit sets in hwloc: bit 2 says that the values are latencies.
DISTANCE_KIND_LATENCY = 1 << 2
QEMU_MAX_NODES = 128
SLIT_LOCAL = 10
SLIT_MAX = 254


@dataclass(frozen=True)
class Cache:
    """One cache: size and line in bytes, associativity in ways (0: the file does not say)."""

    size: int
    ways: int
    line: int


@dataclass(frozen=True)
class Cpu:
    """A logical processor by its P# number, with the logical numbers of its package and core."""

    id: int
    package: int
    core: int


@dataclass(frozen=True)
class Machine:
    """A machine as the lab builds it. `distances` follows the order of `nodes`; () if unknown."""

    name: str
    nodes: tuple[Node, ...]
    cpus: tuple[Cpu, ...]
    distances: tuple[tuple[int, ...], ...] = ()
    private_cache: Cache | None = None
    info: dict[str, str] = field(default_factory=dict)

    @property
    def node_ids(self) -> tuple[int, ...]:
        """The ids of all nodes, in increasing order."""
        return tuple(node.id for node in self.nodes)

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


def parse_machine(text: str, name: str) -> Machine:
    """Reads a machine file. Raises LabError, with one line, when the lab cannot use it."""
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise _bad(name, f"it is not well-formed XML ({error})") from error
    machine = root.find("object")
    if root.tag != "topology" or machine is None or machine.get("type") != "Machine":
        raise _bad(name, "it is not an hwloc topology (no Machine object)")
    if root.get("version", "1").split(".")[0] != "2":
        raise _bad(name, "it is not in hwloc's version 2 format")
    try:
        result = _read(root, machine, name)
    except (KeyError, ValueError) as error:
        raise _bad(name, f"an attribute is missing or not a number ({error})") from error
    _check(result)
    return result


def parse_bitmap(text: str) -> tuple[int, ...]:
    """The numbers set in hwloc's bitmap notation: 32-bit words, the highest first, by commas."""
    bits = 0
    for word in text.split(","):
        bits = bits << 32 | (int(word, 16) if word else 0)
    return tuple(i for i in range(bits.bit_length()) if bits >> i & 1)


def _bad(name: str, why: str) -> LabError:
    return LabError(
        f"cannot use the machine file {name}: {why}; write one with 'lstopo --of xml FILE'",
        USAGE,
    )


def _read(root: ET.Element, machine: ET.Element, name: str) -> Machine:
    cpus = tuple(sorted(_cpus(machine), key=lambda cpu: cpu.id))
    known = {cpu.id for cpu in cpus}
    nodes = tuple(sorted(_nodes(machine, known), key=lambda node: node.id))
    info = {
        item.attrib["name"].removeprefix("homenode:"): item.attrib["value"]
        for item in machine.findall("info")
        if item.attrib["name"].startswith("homenode:")
    }
    distances = _distances(root, tuple(node.id for node in nodes))
    return Machine(info.get("Name", name), nodes, cpus, distances, _private_cache(machine), info)


def _cpus(machine: ET.Element) -> Iterator[Cpu]:
    package = core = -1
    # Document order is hwloc's logical order: a PU belongs to the package and core seen last.
    for element in machine.iter("object"):
        kind = element.get("type")
        if kind == "Package":
            package += 1
        elif kind == "Core":
            core += 1
        elif kind == "PU":
            yield Cpu(int(element.attrib["os_index"]), max(package, 0), max(core, 0))


def _nodes(machine: ET.Element, known: set[int]) -> Iterator[Node]:
    for element in machine.iter("object"):
        if element.get("type") == "NUMANode":
            cpus = parse_bitmap(element.attrib["cpuset"])
            memory = int(element.get("local_memory", "0"))
            yield Node(
                int(element.attrib["os_index"]), tuple(c for c in cpus if c in known), memory
            )


def _private_cache(machine: ET.Element) -> Cache | None:
    for element in machine.iter("object"):
        if element.get("type") == "L2Cache":
            return Cache(
                int(element.attrib["cache_size"]),
                max(int(element.get("cache_associativity", "0")), 0),
                int(element.get("cache_linesize", "64")) or 64,
            )
    return None


def _numbers(table: ET.Element, tag: str) -> list[int]:
    return [int(word) for part in table.findall(tag) for word in (part.text or "").split()]


def _distances(root: ET.Element, nodes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    for table in root.findall("distances2"):
        if table.get("type") != "NUMANode":
            continue
        if not int(table.get("kind", "0")) & DISTANCE_KIND_LATENCY:
            continue
        if table.get("indexing", "os") != "os":
            continue
        ids, values = _numbers(table, "indexes"), _numbers(table, "u64values")
        if len(values) != len(ids) ** 2:
            raise ValueError(f"{len(values)} distances for {len(ids)} nodes")
        row_of = {node: row for row, node in enumerate(ids)}
        if not set(nodes) <= set(row_of):
            raise ValueError("distances do not cover every node")
        return tuple(tuple(values[row_of[a] * len(ids) + row_of[b]] for b in nodes) for a in nodes)
    return ()


def _check(machine: Machine) -> None:
    if not machine.cpus or not machine.nodes:
        raise _bad(machine.name, "it has no CPU or no NUMA node")
    ids = machine.node_ids
    if len(set(ids)) != len(ids) or len({cpu.id for cpu in machine.cpus}) != len(machine.cpus):
        raise _bad(machine.name, "two nodes or two CPUs have the same os_index")
    if ids[-1] >= QEMU_MAX_NODES:
        raise _bad(machine.name, f"node {ids[-1]} is beyond QEMU's {QEMU_MAX_NODES} nodes")
    placed = [cpu for node in machine.nodes for cpu in node.cpus]
    if sorted(placed) != [cpu.id for cpu in machine.cpus]:
        raise _bad(machine.name, "not every CPU is in exactly one node")
    if not any(node.memory_bytes for node in machine.nodes):
        raise _bad(machine.name, "no node has memory")
    if not machine.info.get("LabNodeMemoryMiB", "1").isdecimal():
        raise _bad(machine.name, "homenode:LabNodeMemoryMiB is not a number")
    for row, values in enumerate(machine.distances):
        for column, value in enumerate(values):
            if (value != SLIT_LOCAL) if row == column else not SLIT_LOCAL < value <= SLIT_MAX:
                raise _bad(
                    machine.name,
                    f"distance {value} from node {ids[row]} to {ids[column]}: Linux takes 10 for "
                    "a node itself and 11 to 254 for others",
                )
