"""Reads the parts of a machine out of hwloc's XML. Pure.

Raises KeyError and ValueError for what is missing or no number; machine.parse_machine says them.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping

from homenode.lab.machine import DEFAULT_LINE, Cache, CacheInstance, Cpu, Machine, PairValues
from homenode.node import Node

INFO_PREFIX = "homenode:"
PROVENANCE = "Provenance."
ATTRIBUTES = (
    "Latency",
    "ReadLatency",
    "WriteLatency",
    "Bandwidth",
    "ReadBandwidth",
    "WriteBandwidth",
)
# Kinds are bit sets in hwloc: bit 2 says that the values are latencies.
DISTANCE_KIND_LATENCY = 1 << 2
CACHE_LEVELS = {"L1Cache": 1, "L2Cache": 2, "L3Cache": 3}
INSTRUCTION_CACHE_LEVELS = {"L1iCache": 1, "L2iCache": 2, "L3iCache": 3}
MAX_NUMBER = 1 << 64
MAX_ID = 1 << 16


def read_machine(root: ET.Element, machine: ET.Element, name: str) -> Machine:
    """The machine of a <topology> and its <object type="Machine">."""
    cpus = tuple(sorted(_cpus(machine), key=lambda cpu: cpu.id))
    known = {cpu.id for cpu in cpus}
    nodes = _nodes(machine, known)
    info = {
        item.attrib["name"].removeprefix(INFO_PREFIX): item.attrib["value"]
        for item in machine.findall("info")
        if item.attrib["name"].startswith(INFO_PREFIX)
    }
    caches = tuple(_caches(machine, known, CACHE_LEVELS))
    return Machine(
        info.get("Name", name),
        nodes,
        cpus,
        _distances(root, tuple(node.id for node in nodes)),
        next((cache.shape for cache in caches if cache.level == 2), None),
        {key: value for key, value in info.items() if not key.startswith(PROVENANCE)},
        caches,
        _pair_values(root, machine, nodes, info),
        instruction_caches=tuple(_caches(machine, known, INSTRUCTION_CACHE_LEVELS)),
    )


def parse_bitmap(text: str) -> tuple[int, ...]:
    """The numbers set in hwloc's bitmap notation: 32-bit words, the highest first, by commas."""
    bits = 0
    words = text.split(",")
    if len(words) > MAX_ID // 32:
        raise ValueError(f"a set of CPUs or nodes has {len(words)} words")
    for word in words:
        try:
            value = int(word, 16) if word else 0
        except ValueError:
            value = -1
        if not 0 <= value < 1 << 32:
            raise ValueError(f"'{text[:40]}' is not a set of CPUs or nodes")
        bits = bits << 32 | value
    return tuple(i for i in range(bits.bit_length()) if bits >> i & 1)


def whole_number(text: str, what: str, limit: int = MAX_NUMBER) -> int:
    """A number of decimal digits below `limit`; ValueError names what it is and what it says."""
    if not text.isascii() or not text.isdigit() or len(text) > 20 or int(text) >= limit:
        raise ValueError(f"{what} is '{text[:40]}', which is not a whole number below {limit}")
    return int(text)


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
            number = whole_number(element.attrib["os_index"], "the os_index of a PU", MAX_ID)
            yield Cpu(number, max(package, 0), max(core, 0))


def _nodes(machine: ET.Element, known: set[int]) -> tuple[Node, ...]:
    """hwloc gives a CPU-less node the CPUs of where it is attached; each CPU goes to one node.

    Ordinary memory comes before HBM, CXL and other special kinds, the narrower node before the
    wider, the lower id before the higher: the rule of the C++ reader.
    """
    found = []
    for element in machine.iter("object"):
        if element.get("type") != "NUMANode":
            continue
        number = whole_number(element.attrib["os_index"], "the os_index of a NUMANode", MAX_ID)
        memory = whole_number(element.get("local_memory", "0"), f"the memory of node {number}")
        cpus = parse_bitmap(element.attrib["cpuset"])
        special = element.get("subtype") is not None or any(
            info.get("name") == "DAXDevice" for info in element.findall("info")
        )
        found.append((special, len(cpus), number, set(cpus) & known, memory))
    taken: set[int] = set()
    nodes = []
    for _, _, number, cpus_there, memory in sorted(found, key=lambda item: item[:3]):
        nodes.append(Node(number, tuple(sorted(cpus_there - taken)), memory))
        taken |= cpus_there
    return tuple(sorted(nodes, key=lambda node: node.id))


def _caches(
    machine: ET.Element, known: set[int], levels: Mapping[str, int]
) -> Iterator[CacheInstance]:
    for element in machine.iter("object"):
        level = levels.get(element.get("type", ""))
        if level is None:
            continue
        what = f"of an L{level} cache"
        ways = element.get("cache_associativity", "0")
        shape = Cache(
            whole_number(element.attrib["cache_size"], f"the size {what}"),
            # hwloc says -1 for a fully associative one.
            0 if ways == "-1" else whole_number(ways, f"the associativity {what}"),
            whole_number(element.get("cache_linesize", "0"), f"the line {what}") or DEFAULT_LINE,
        )
        cpus = tuple(cpu for cpu in parse_bitmap(element.attrib["cpuset"]) if cpu in known)
        if shape.size and cpus:
            yield CacheInstance(level, shape, cpus)


def _numbers(table: ET.Element, tag: str) -> list[int]:
    what = f"a number of <{tag}>"
    words = [word for part in table.findall(tag) for word in (part.text or "").split()]
    return [whole_number(word, what) for word in words]


def _distances(root: ET.Element, nodes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    for table in root.findall("distances2"):
        if table.get("type") != "NUMANode" or table.get("name", "NUMALatency") != "NUMALatency":
            continue
        if not whole_number(table.get("kind", "0"), "a kind") & DISTANCE_KIND_LATENCY:
            continue
        if table.get("indexing", "os") != "os":
            continue
        ids, values = _numbers(table, "indexes"), _numbers(table, "u64values")
        if len(values) != len(ids) ** 2:
            raise ValueError(f"it has {len(values)} distances for {len(ids)} nodes")
        row_of = {node: row for row, node in enumerate(ids)}
        if not set(nodes) <= set(row_of):
            raise ValueError("its distances do not cover every node")
        return tuple(tuple(values[row_of[a] * len(ids) + row_of[b]] for b in nodes) for a in nodes)
    return ()


def _pair_values(
    root: ET.Element, machine: ET.Element, nodes: tuple[Node, ...], info: dict[str, str]
) -> dict[str, PairValues]:
    objects = {item.get("gp_index", ""): item for item in machine.iter("object")}
    memory = {node.id for node in nodes if node.memory_bytes}
    result = {}
    for attribute in root.findall("memattr"):
        name = attribute.get("name", "")
        if name not in ATTRIBUTES:
            continue
        seen = _seen(attribute, name, objects)
        values = {
            (node.id, to): value
            for node in nodes
            for to in sorted(memory & set(seen))
            if (value := _narrowest(set(node.cpus), seen[to])) is not None
        }
        if values:
            provenance = info.get(PROVENANCE + name, "")
            known = provenance if provenance in ("firmware", "measured") else "declared"
            result[name] = PairValues(known, values)
    return result


Seen = list[tuple[set[int], int]]
"""Values of one target, each with the CPUs that it holds for."""


def _seen(attribute: ET.Element, name: str, objects: dict[str, ET.Element]) -> dict[int, Seen]:
    seen: dict[int, Seen] = {}
    for item in attribute.findall("memattr_value"):
        target = objects.get(item.get("target_obj_gp_index", ""))
        to = "an unknown object" if target is None else f"node {target.get('os_index')}"
        value = whole_number(item.get("value", ""), f"its {name} of {to}", 1 << 63)
        if target is None or target.get("type") != "NUMANode":
            continue
        initiator = objects.get(item.get("initiator_obj_gp_index", ""))
        cpus = item.get("initiator_cpuset", "")
        if not cpus and initiator is not None:
            cpus = initiator.get("cpuset", "")
        where = seen.setdefault(int(target.attrib["os_index"]), [])
        where.append((set(parse_bitmap(cpus)), value))
    return seen


def _narrowest(cpus: set[int], seen: Seen) -> int | None:
    """Where several sets hold a node's CPUs, the narrowest speaks for it."""
    holding = [(len(there), value) for there, value in seen if cpus and there >= cpus]
    return min(holding, key=lambda item: item[0])[1] if holding else None
