"""Writes a machine's sysfs as `grep -r . DIRECTORY` prints it, one `path:line` per line.

Usage: make_sysfs.py NAME > NAME.sysfs   (without NAME: lists them). README.md says how the files in
this folder were made from it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """What the machine is; node ids may be sparse, a node may lack CPUs or memory."""

    node_cpus: dict[int, list[int]]
    memory_gib: dict[int, int]
    package_of_node: dict[int, int]
    distance: Callable[[int, int], int]
    threads_per_core: int = 1
    l3_mib: int = 16
    offline: frozenset[int] = field(default_factory=frozenset)
    offline_nodes: frozenset[int] = field(default_factory=frozenset)

    def online_nodes(self) -> list[int]:
        return [node for node in self.node_cpus if node not in self.offline_nodes]


def spread(nodes: list[int], cpus_per_node: int) -> dict[int, list[int]]:
    """CPUs in order, so many to a node."""
    return {
        node: list(range(i * cpus_per_node, (i + 1) * cpus_per_node))
        for i, node in enumerate(nodes)
    }


def ring(size: int) -> Callable[[int, int], int]:
    """10 on the diagonal, 6 more for every hop along a ring of so many nodes."""
    return lambda a, b: 10 + 6 * min((a - b) % size, (b - a) % size)


def near_far(near: int, far: int, group: int) -> Callable[[int, int], int]:
    """10 local, `near` within a group of consecutive nodes, else `far`."""
    return lambda a, b: 10 if a == b else near if a // group == b // group else far


SHAPES: dict[str, Shape] = {
    "duo-2x4": Shape(
        spread([0, 1], 4), {0: 16, 1: 16}, {0: 0, 1: 1}, near_far(21, 21, 1), threads_per_core=2
    ),
    "quad-4x2": Shape(
        spread([0, 1, 2, 3], 2), dict.fromkeys(range(4), 8), {n: n for n in range(4)}, ring(4)
    ),
    "eight-8x4": Shape(
        spread(list(range(8)), 4),
        dict.fromkeys(range(8), 32),
        {n: n // 2 for n in range(8)},
        near_far(16, 22, 2),
    ),
    "cxl-3": Shape(
        {**spread([0, 1], 4), 2: []},
        {0: 64, 1: 64, 2: 256},
        {0: 0, 1: 1},
        lambda a, b: 10 if a == b else 14 if a + b == 2 else 24 if 2 in (a, b) else 21,
    ),
    "memoryless-4x2": Shape(
        spread([0, 1, 2, 3], 2), {0: 8, 1: 0, 2: 8, 3: 0}, {n: n // 2 for n in range(4)}, ring(4)
    ),
    "sparse-power": Shape(
        {**spread([0, 8], 4), 252: [], 253: [], 254: [], 255: []},
        {0: 128, 8: 128, 252: 16, 253: 16, 254: 16, 255: 16},
        {0: 0, 8: 8},
        lambda a, b: 10 if a == b else 40 if max(a, b) < 9 else 80,
        threads_per_core=4,
    ),
    "many-72x1": Shape(
        spread(list(range(72)), 1),
        dict.fromkeys(range(72), 4),
        {n: n // 4 for n in range(72)},
        near_far(20, 40, 4),
    ),
    "offline-2x4": Shape(
        spread([0, 1], 4),
        {0: 16, 1: 16},
        {0: 0, 1: 1},
        near_far(21, 21, 1),
        offline=frozenset({2, 5, 7}),
    ),
    "offline-first": Shape(
        spread([0, 1, 2], 2),
        dict.fromkeys(range(3), 8),
        {n: n for n in range(3)},
        ring(3),
        offline=frozenset({0, 1, 4}),
        offline_nodes=frozenset({0}),
    ),
}


def id_list(ids: list[int]) -> str:
    return ",".join(str(i) for i in ids)


def mask(ids: list[int]) -> str:
    """The kernel's hexadecimal CPU mask: comma-separated words of 32 bits."""
    value = sum(1 << i for i in ids)
    words = max(1, (max(ids, default=0) // 32) + 1)
    return ",".join(f"{value >> 32 * w & 0xFFFFFFFF:08x}" for w in reversed(range(words)))


def cache_lines(
    place: str, index: int, level: int, kind: str, size_kib: int, ways: int, cpus: list[int]
) -> Iterator[str]:
    base = f"{place}/cache/index{index}"
    yield f"{base}/level:{level}"
    yield f"{base}/type:{kind}"
    yield f"{base}/size:{size_kib}K"
    yield f"{base}/coherency_line_size:64"
    yield f"{base}/ways_of_associativity:{ways}"
    yield f"{base}/physical_line_partition:1"
    yield f"{base}/number_of_sets:{size_kib * 1024 // 64 // ways}"
    yield f"{base}/shared_cpu_map:{mask(cpus)}"


def cpu_lines(shape: Shape, cpu: int, node: int) -> Iterator[str]:
    place = f"/sys/devices/system/cpu/cpu{cpu}"
    yield f"{place}/online:{int(cpu not in shape.offline)}"
    if cpu in shape.offline:
        return
    package = shape.package_of_node[node]
    online = [c for c in shape.node_cpus[node] if c not in shape.offline]
    in_package = [
        c
        for n, cpus in shape.node_cpus.items()
        for c in cpus
        if shape.package_of_node.get(n) == package and c not in shape.offline
    ]
    threads = shape.threads_per_core
    core = [c for c in online if c // threads == cpu // threads]
    yield f"{place}/topology/physical_package_id:{package}"
    yield f"{place}/topology/core_id:{cpu // threads}"
    yield f"{place}/topology/core_cpus:{mask(core)}"
    yield f"{place}/topology/thread_siblings:{mask(core)}"
    yield f"{place}/topology/package_cpus:{mask(in_package)}"
    yield f"{place}/topology/core_siblings:{mask(in_package)}"
    yield from cache_lines(place, 0, 1, "Data", 32, 8, core)
    yield from cache_lines(place, 1, 2, "Unified", 512, 16, core)
    yield from cache_lines(place, 2, 3, "Unified", shape.l3_mib * 1024, 16, online)


def node_lines(shape: Shape, node: int) -> Iterator[str]:
    place = f"/sys/devices/system/node/node{node}"
    online = [c for c in shape.node_cpus[node] if c not in shape.offline]
    kib = shape.memory_gib[node] << 20
    yield f"{place}/cpumap:{mask(online)}"
    yield f"{place}/meminfo:Node {node} MemTotal:       {kib} kB"
    yield f"{place}/meminfo:Node {node} MemFree:        {kib} kB"
    distances = " ".join(str(shape.distance(node, other)) for other in shape.online_nodes())
    yield f"{place}/distance:{distances}"


def sysfs_lines(shape: Shape) -> Iterator[str]:
    nodes = list(shape.node_cpus)
    cpus = [c for ids in shape.node_cpus.values() for c in ids]
    online = [c for c in cpus if c not in shape.offline]
    memory_gib = sum(shape.memory_gib[node] for node in shape.online_nodes())
    yield f"/proc/meminfo:MemTotal:       {memory_gib << 20} kB"
    yield f"/sys/devices/system/cpu/online:{id_list(online)}"
    yield f"/sys/devices/system/cpu/possible:{id_list(cpus)}"
    yield f"/sys/devices/system/cpu/present:{id_list(cpus)}"
    yield f"/sys/devices/system/node/online:{id_list(shape.online_nodes())}"
    yield f"/sys/devices/system/node/possible:{id_list(nodes)}"
    for node in nodes:
        if node not in shape.offline_nodes:
            yield from node_lines(shape, node)
        for cpu in shape.node_cpus[node]:
            yield from cpu_lines(shape, cpu, node)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in SHAPES:
        print("usage: make_sysfs.py", "|".join(SHAPES), file=sys.stderr)
        return 2
    for line in sysfs_lines(SHAPES[sys.argv[1]]):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
