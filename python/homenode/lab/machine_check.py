"""Whether a machine makes sense, and whether the lab can build it. Pure.

The C++ reader holds what it reads to the same limits for matrices; the rest only the lab reads.
"""

import math
from collections.abc import Callable
from difflib import get_close_matches

from homenode.lab.limits import LIMITS
from homenode.lab.machine import Cache, Machine
from homenode.lab.machine_links import parse_links, parse_routes, shortest, steps
from homenode.lab.machine_model import FIGURES
from homenode.lab.machine_xml import whole_number

QEMU_MAX_NODES = 128
SLIT_LOCAL = 10
SLIT_MAX = 254
MAX_MEMORY_BYTES = 1 << 60
MAX_LATENCY_NS = 100_000
MAX_BANDWIDTH_MIB = 10 << 20
MAX_ASYMMETRY = 2


def find_problem(machine: Machine) -> str:
    """The first thing that is wrong, as a phrase; empty when nothing is. May raise ValueError."""
    checks: tuple[Callable[[Machine], str], ...] = (
        _nodes,
        _distances,
        _caches,
        _names,
        _figures,
        _pair_values,
        _links,
    )
    return next(filter(None, (check(machine) for check in checks)), "")


def _nodes(machine: Machine) -> str:
    if not machine.cpus or not machine.nodes:
        return "it has no CPU or no NUMA node"
    if not LIMITS["cpus"].holds(len(machine.cpus)):
        return f"its {len(machine.cpus)} are {LIMITS['cpus'].complaint}"
    ids = machine.node_ids
    if len(set(ids)) != len(ids) or len({cpu.id for cpu in machine.cpus}) != len(machine.cpus):
        return "two nodes or two CPUs have the same os_index"
    if len(ids) > QEMU_MAX_NODES:
        return f"its {len(ids)} nodes are more than QEMU's {QEMU_MAX_NODES}"
    if not machine.cpu_nodes:
        return (
            "no node has CPUs, as in a capture where a cpuset allows memory of other nodes alone; "
            "capture it with 'lstopo --disallowed'"
        )
    if not machine.memory_nodes:
        return "no node has memory"
    for node in machine.nodes:
        if node.memory_bytes > MAX_MEMORY_BYTES:
            return f"its node {node.id} has {node.memory_bytes} bytes of memory"
    return ""


def _distances(machine: Machine) -> str:
    ids = machine.node_ids
    for row, values in enumerate(machine.distances):
        for column, value in enumerate(values):
            if (value != SLIT_LOCAL) if row == column else not SLIT_LOCAL < value <= SLIT_MAX:
                return (
                    f"its distance from node {ids[row]} to node {ids[column]} is {value}: Linux "
                    "takes 10 for a node itself and 11 to 254 for others"
                )
    return ""


def _caches(machine: Machine) -> str:
    for cache in (*machine.caches, *machine.instruction_caches):
        shape = cache.shape
        if shape.line & (shape.line - 1):
            return f"the line of an L{cache.level} cache is {shape.line} bytes"
        for name, value in (
            ("line_bytes", shape.line),
            ("cache_bytes", shape.size),
            ("cache_ways", shape.ways or 1),  # 0: the file does not say.
        ):
            if not LIMITS[name].holds(value):
                return f"the {value} of an L{cache.level} cache are {LIMITS[name].complaint}"
        if max(shape.ways, 1) * shape.line > shape.size:
            return f"an L{cache.level} cache has {shape.size} bytes in {shape.ways} ways"
    return _counted_cache(machine.private_cache)


def _counted_cache(cache: Cache | None) -> str:
    limit = LIMITS["counted_cache_bytes"]
    if cache is None or limit.holds(cache.size):
        return ""
    return f"the {cache.size} of its first L2 cache are {limit.complaint}"


INFOS = (
    *("Name", "Description", "Source", "LabNodeMemoryMiB", "Links", "Routes"),
    *FIGURES,
)


def _names(machine: Machine) -> str:
    """A figure under a misspelt name would be assumed instead. Source.<what> may be anything."""
    for name in machine.info:
        if name in INFOS or name.startswith("Source."):
            continue
        near = get_close_matches(name, INFOS, 1)
        meant = f" (did you mean homenode:{near[0]}?)" if near else ""
        return f"homenode:{name} is no info{meant}: known: {', '.join(INFOS)}, Source.<what>"
    return ""


def _figures(machine: Machine) -> str:
    memory = machine.info.get("LabNodeMemoryMiB")
    if memory is not None:
        whole_number(memory, "homenode:LabNodeMemoryMiB", 1 << 40)
    for name, figure in FIGURES.items():
        text = machine.info.get(name)
        if text is None:
            continue
        try:
            value = float(whole_number(text, "") if figure.whole else float(text))
        except ValueError:
            value = math.nan
        if "_" in text or not figure.least <= value <= figure.most:
            return (
                f"homenode:{name} is '{text[:40]}', which is not a "
                f"{'whole ' if figure.whole else ''}number of {figure.unit} from "
                f"{figure.least:g} to {figure.most:g}"
            )
    return ""


def _pair_values(machine: Machine) -> str:
    for name, table in machine.pair_values.items():
        latency = name.endswith("Latency")
        limit, unit = (MAX_LATENCY_NS, "ns") if latency else (MAX_BANDWIDTH_MIB, "MiB/s")
        for a, b in machine.pairs:
            value = table.values.get((a, b))
            where = f"its {name} from node {a} to node {b}"
            if value is None:
                return f"{where} is missing, but other pairs have one"
            if not 0 < value <= limit:
                return f"{where} is {value} {unit}, which is not between 1 and {limit}"
        if latency and table.provenance == "declared":
            problem = _order(machine, name)
            if problem:
                return problem
    return ""


def _order(machine: Machine, name: str) -> str:
    """What no link and no memory controller explains; a measurement may be odd."""
    values = machine.pair_values[name].values
    both = [node for node in machine.cpu_nodes if node in machine.memory_nodes]
    for a in machine.cpu_nodes:
        for b in both:
            there, back = values[a, b], values.get((b, a))
            where = f"its {name} from node {a} to node {b} is {there} ns"
            if back is not None and there > MAX_ASYMMETRY * back:
                return f"{where}, but {back} ns the other way"
            if (a, a) in values and values[a, a] > there:
                return f"{where}, less than the {values[a, a]} ns to its own memory"
    return ""


def _links(machine: Machine) -> str:
    if "Links" not in machine.info:
        return "it has homenode:Routes without homenode:Links" if "Routes" in machine.info else ""
    links = parse_links(machine.info["Links"])
    routes = parse_routes(machine.info.get("Routes", ""))
    for (a, b), mib in links.items():
        if a not in machine.node_ids or b not in machine.node_ids:
            return f"homenode:Links has the link {a}-{b}, but that node does not exist"
        if not 0 < mib <= MAX_BANDWIDTH_MIB:
            return f"the link {a}-{b} has {mib} MiB/s, not between 1 and {MAX_BANDWIDTH_MIB}"
    for (a, b), way in routes.items():
        missing = next((step for step in steps(way) if step not in links), None)
        if missing:
            return f"homenode:Routes: the route {a}>{b} needs the link {missing[0]}-{missing[1]}"
    for a, b in machine.pairs:
        if a != b and (a, b) not in routes and not shortest(links, a, b):
            return f"no links lead from node {a} to node {b}"
    return ""
