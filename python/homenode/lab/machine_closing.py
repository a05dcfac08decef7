"""Whether a machine closes: whether its cores can ask for the bandwidths that it declares. Pure.

A core has so many lines in flight; each takes the latency of its pair of nodes. What cores cannot
ask for, no measurement in the lab can find.
"""

import math

from homenode.lab.machine import MIB, Machine
from homenode.lab.machine_links import steps
from homenode.lab.machine_model import Model, Pair

LINE = 64
# With queues a line takes longer than the idle latency: at 1.16 a read stayed 8 % below.
MARGIN = 1.25


def cores_of(machine: Machine, node: int) -> int:
    """How many cores a node has; threads of one core share what it has in flight."""
    cpus = set(next(item.cpus for item in machine.nodes if item.id == node))
    return len({cpu.core for cpu in machine.cpus if cpu.id in cpus})


def reachable_mib(machine: Machine, model: Model, pair: Pair) -> float:
    """MiB/s that all cores of a pair's first node can ask for of the second's memory."""
    lines = cores_of(machine, pair[0]) * model.figures["PrefetchedLines"]
    return lines * LINE / model.latency_ns[pair] * 1e9 / MIB


def lines_to_close(machine: Machine, model: Model) -> int:
    """The fewest PrefetchedLines with which every pair can be asked for."""
    return max(
        math.ceil(
            MARGIN * mib * MIB * model.latency_ns[pair] / (1e9 * LINE * cores_of(machine, pair[0]))
        )
        for pair, mib in model.read_mib.items()
    )


def find_gaps(machine: Machine, model: Model) -> list[str]:
    """What keeps the machine from closing, a phrase for each pair of nodes."""
    gaps = []
    for pair, mib in model.read_mib.items():
        a, b = pair
        reachable = reachable_mib(machine, model, pair)
        if reachable < MARGIN * mib:
            gaps.append(
                f"the cores of node {a} can request {reachable:.0f} MiB/s from node {b}, but "
                f"{mib:.0f} are declared"
            )
        for low, high in steps(model.routes.get(pair, ())):
            limit = model.links[low, high]
            most = max(mib, model.write_mib[pair])
            if most > limit:
                gaps.append(
                    f"node {a} needs {most:.0f} MiB/s from node {b} over the link {low}-{high}, "
                    f"which has only {limit}"
                )
    return gaps
