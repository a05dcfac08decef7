"""What the lab's clock goes by: every figure of a machine, declared or assumed. Pure.

A machine file may leave out nearly everything; this says what then holds, and `assumed` names it.
"""

from dataclasses import dataclass

from homenode.lab.limits import LIMITS
from homenode.lab.machine import Machine
from homenode.lab.machine_links import Links, Routes, parse_links, parse_routes, shortest

IN_FLIGHT = LIMITS["lines_in_flight"]
LATENCY_NS_PER_DISTANCE = 10
LOCAL_DISTANCE = 10
LOCAL_BANDWIDTH_MIB = 10000

Pair = tuple[int, int]


@dataclass(frozen=True)
class Figure:
    """A number that an info may give: its default, and the limits that make sense."""

    default: float
    least: float
    most: float
    whole: bool
    unit: str


FIGURES = {
    "CoreFrequencyMHz": Figure(2000, 1, 100_000, True, "MHz"),
    "BaseCPI": Figure(0.5, 0.01, 100, False, "cycles per instruction"),
    "L2LatencyNs": Figure(5, 0.1, 10_000, False, "ns"),
    "L3LatencyNs": Figure(20, 0.1, 10_000, False, "ns"),
    "CacheToCacheNs": Figure(60, 0.1, 100_000, False, "ns"),
    "PauseNs": Figure(25, 0.1, 10_000, False, "ns"),
    "WakeUpNs": Figure(1500, 0.1, 1_000_000, False, "ns"),
    "OutstandingMisses": Figure(10, IN_FLIGHT.least, IN_FLIGHT.most, True, "lines"),
    "PrefetchedLines": Figure(24, IN_FLIGHT.least, IN_FLIGHT.most, True, "lines"),
    "ReorderWindow": Figure(192, 1, 1_000_000, True, "instructions"),
}


@dataclass(frozen=True)
class Model:
    """All figures of a machine. Matrices are by (node with CPUs, node with memory)."""

    figures: dict[str, float]
    latency_ns: dict[Pair, float]
    read_mib: dict[Pair, float]
    write_mib: dict[Pair, float]
    links: Links
    routes: Routes
    assumed: tuple[str, ...]

    def controller_mib(self, node: int) -> tuple[float, float]:
        """What a node's memory can give and take: the most that any node gets of it."""
        return (
            max(value for (_, to), value in self.read_mib.items() if to == node),
            max(value for (_, to), value in self.write_mib.items() if to == node),
        )

    def numa_factors(self) -> dict[Pair, float]:
        """Remote over local latency, for pairs of nodes of which the first has memory."""
        return {
            (a, b): value / self.latency_ns[a, a]
            for (a, b), value in self.latency_ns.items()
            if a != b and (a, a) in self.latency_ns
        }


def resolve(machine: Machine) -> Model:
    """Every figure. The machine is one that machine_check finds nothing wrong with."""
    assumed: list[str] = []
    figures = {}
    for name, figure in FIGURES.items():
        text = machine.info.get(name)
        figures[name] = figure.default if text is None else float(text)
        if text is None and not _needless(machine, name):
            assumed.append(f"{name} {figure.default:g} {figure.unit}")
    latency = _latency(machine, assumed)
    read, write = _bandwidth(machine, assumed)
    links = parse_links(machine.info["Links"]) if "Links" in machine.info else {}
    routes = {}
    if links:
        declared = parse_routes(machine.info.get("Routes", ""))
        routes = {
            pair: declared.get(pair) or shortest(links, *pair)
            for pair in machine.pairs
            if pair[0] != pair[1]
        }
    return Model(figures, latency, read, write, links, routes, tuple(assumed))


def assumed_latency_ns(machine: Machine, pair: Pair) -> float:
    """What is taken for a latency that nobody declares."""
    return LATENCY_NS_PER_DISTANCE * machine.distance(*pair)


def assumed_bandwidth_mib(machine: Machine, pair: Pair) -> float:
    """What is taken for a bandwidth that nobody declares."""
    return LOCAL_BANDWIDTH_MIB * LOCAL_DISTANCE / machine.distance(*pair)


def _needless(machine: Machine, name: str) -> bool:
    level = {"L2LatencyNs": 2, "L3LatencyNs": 3}.get(name)
    return level is not None and all(cache.level != level for cache in machine.caches)


def _declared(machine: Machine, *names: str) -> dict[Pair, float] | None:
    for name in names:
        if name in machine.pair_values:
            return dict(machine.pair_values[name].values)
    return None


def _latency(machine: Machine, assumed: list[str]) -> dict[Pair, float]:
    declared = _declared(machine, "ReadLatency", "Latency", "WriteLatency")
    if declared is not None:
        return declared
    assumed.append("latency 100 ns × distance / 10")
    return {pair: assumed_latency_ns(machine, pair) for pair in machine.pairs}


def _bandwidth(machine: Machine, assumed: list[str]) -> tuple[dict[Pair, float], dict[Pair, float]]:
    read = _declared(machine, "ReadBandwidth", "Bandwidth")
    write = _declared(machine, "WriteBandwidth", "Bandwidth")
    if read is None and write is None:
        assumed.append("bandwidth 10000 MiB/s × 10 / distance")
        read = {pair: assumed_bandwidth_mib(machine, pair) for pair in machine.pairs}
    elif read is None:
        assumed.append("reads as fast as writes")
    elif write is None:
        assumed.append("writes as fast as reads")
    either = read or write or {}
    return read or either, write or either
