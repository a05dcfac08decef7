"""A machine as the timing file that the lab's plugin reads (homenode.timing 1). Pure.

One keyword per line, then whole numbers; latencies are in picoseconds, bandwidths in MiB/s. Virtual
CPUs are numbered as in Machine.node_of_vcpu.
"""

from collections.abc import Iterator

from homenode.lab.machine import DEFAULT_LINE, Cache, CacheInstance, Machine
from homenode.lab.machine_model import Model, resolve

SCHEMA = "homenode.timing 1"
EPOCH_NS = 1000
ASSUMED_L1 = Cache(32 << 10, 8, DEFAULT_LINE)
ASSUMED_WAYS = {1: 8, 2: 8, 3: 16}
PS_PER_NS = 1000


def timing_text(machine: Machine) -> str:
    """The whole file. The machine is one that parse_machine accepts, or a scaled one."""
    model = resolve(machine)
    lines = [
        SCHEMA,
        *_core(model),
        *_caches(machine, model),
        *_nodes(machine),
        *_memory(machine, model),
        *_links(model),
        f"epoch_ns {EPOCH_NS}",
    ]
    return "\n".join(lines) + "\n"


def _whole(value: float) -> int:
    return max(1, round(value))


def _core(model: Model) -> Iterator[str]:
    figures = model.figures
    yield f"frequency_mhz {_whole(figures['CoreFrequencyMHz'])}"
    yield f"cpi_milli {_whole(figures['BaseCPI'] * 1000)}"
    yield f"window {_whole(figures['ReorderWindow'])}"
    yield f"misses {_whole(figures['OutstandingMisses'])}"
    yield f"prefetches {_whole(figures['PrefetchedLines'])}"
    yield f"line {DEFAULT_LINE}"


def _shape(cache: Cache, level: int, shared_by: int = 1) -> str:
    """Bytes and ways of a CPU's part: sets shrink, ways stay, at least one set is left."""
    ways = min(cache.ways or ASSUMED_WAYS[level], max(1, cache.size // DEFAULT_LINE))
    sets = max(1, cache.size // shared_by // (ways * DEFAULT_LINE))
    return f"{sets * ways * DEFAULT_LINE} {ways}"


def _first(machine: Machine, level: int) -> CacheInstance | None:
    return next((cache for cache in machine.caches if cache.level == level), None)


def _caches(machine: Machine, model: Model) -> Iterator[str]:
    figures = model.figures
    l1, l2, l3 = (_first(machine, level) for level in (1, 2, 3))
    yield f"l1 {_shape(l1.shape, 1, len(l1.cpus)) if l1 else _shape(ASSUMED_L1, 1)}"
    if l2:
        latency = _whole(figures["L2LatencyNs"] * PS_PER_NS)
        yield f"l2 {_shape(l2.shape, 2, len(l2.cpus))} {latency}"
    if l3:
        yield f"l3 {_shape(l3.shape, 3)} {_whole(figures['L3LatencyNs'] * PS_PER_NS)}"
    vcpu_of = {cpu.id: number for number, cpu in enumerate(machine.cpus)}
    groups = (cache.cpus for cache in machine.caches if cache.level == 3)
    for vcpus in sorted(sorted(vcpu_of[cpu] for cpu in cpus if cpu in vcpu_of) for cpus in groups):
        if vcpus:
            yield f"l3_group {' '.join(map(str, vcpus))}"
    yield f"cache_to_cache {_whole(figures['CacheToCacheNs'] * PS_PER_NS)}"
    yield f"pause {_whole(figures['PauseNs'] * PS_PER_NS)}"
    yield f"wake_up {_whole(figures['WakeUpNs'] * PS_PER_NS)}"


def _nodes(machine: Machine) -> Iterator[str]:
    yield f"nodes {' '.join(map(str, machine.node_ids))}"
    yield f"vcpu_nodes {' '.join(map(str, machine.node_of_vcpu))}"


def _memory(machine: Machine, model: Model) -> Iterator[str]:
    for a, b in machine.pairs:
        yield f"latency {a} {b} {_whole(model.latency_ns[a, b] * PS_PER_NS)}"
    for node in machine.memory_nodes:
        read, write = model.controller_mib(node)
        yield f"controller {node} {_whole(read)} {_whole(write)}"
    for a, b in machine.pairs:
        if a != b:
            read, write = model.read_mib[a, b], model.write_mib[a, b]
            yield f"pair {a} {b} {_whole(read)} {_whole(write)}"


def _links(model: Model) -> Iterator[str]:
    for (a, b), mib in sorted(model.links.items()):
        yield f"link {a} {b} {mib}"
        yield f"link {b} {a} {mib}"
    for (a, b), way in sorted(model.routes.items()):
        yield f"route {a} {b} {' '.join(map(str, way))}"
