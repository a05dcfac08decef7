"""What memory controllers and the ways between nodes carry, beside what they could. Pure."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from homenode.profile.correlation import Floats
from homenode.profile.values import Load

BANDWIDTHS = ("bandwidth", "read_bandwidth", "write_bandwidth")


def _bandwidth(machine: Any, nodes: Sequence[int]) -> Floats | None:
    """MiB/s [node that asks, node that answers] of a homenode.machine document, 0 where it is not
    known; None where there are no figures at all."""
    if not isinstance(machine, dict):
        return None
    found = {entry["kind"]: entry for entry in machine.get("pair_values") or []}
    entry = next((found[kind] for kind in BANDWIDTHS if kind in found), None)
    if entry is None:
        return None
    place = {node: at for at, node in enumerate(nodes)}
    rows = np.zeros((len(nodes), len(nodes)))
    for source, values in zip(entry["from"], entry["values"], strict=True):
        for target, value in zip(entry["to"], values, strict=True):
            if source in place and target in place and value is not None:
                rows[place[source], place[target]] = max(0.0, float(value))
    return rows


def _relative(shares: Floats, capacity: Floats) -> Floats:
    """Each share over its part of the capacity; 0 where there is no capacity."""
    part = capacity / max(float(capacity.sum()), 1e-9)
    return np.divide(shares, part, out=np.zeros_like(shares), where=part > 0)


def controllers(
    by_node: Floats, nodes: Sequence[int], memory: Sequence[int], machine: Any
) -> tuple[Load, ...]:
    """The load of each node's memory; `memory` are the indices of nodes that have some."""
    answered = by_node.sum(axis=0)
    everything = float(answered.sum())
    if everything <= 0:
        return ()
    bandwidth = _bandwidth(machine, nodes)
    capacity = np.zeros(len(nodes))
    capacity[list(memory)] = 1.0
    known = bandwidth is not None and bool((bandwidth.max(axis=0)[list(memory)] > 0).all())
    if bandwidth is not None and known:
        capacity *= bandwidth.max(axis=0)
    shares = answered / everything
    relative = _relative(shares, capacity)
    return tuple(
        Load(None, node, float(shares[at]), float(relative[at]), known)
        for at, node in enumerate(nodes)
        if at in memory or shares[at] > 0
    )


def ways(by_node: Floats, nodes: Sequence[int], machine: Any) -> tuple[Load, ...]:
    """The load of the way between each two nodes, in one direction: all that is remote is 1."""
    remote = by_node * (1 - np.eye(len(nodes)))
    everything = float(by_node.sum())
    if everything <= 0 or len(nodes) < 2:
        return ()
    bandwidth = _bandwidth(machine, nodes)
    capacity = 1 - np.eye(len(nodes))
    known = bandwidth is not None and bool((bandwidth[capacity > 0] > 0).all())
    if bandwidth is not None and known:
        capacity *= bandwidth
    shares = remote / everything
    relative = _relative(shares, capacity)
    return tuple(
        Load(source, target, float(shares[a, b]), float(relative[a, b]), known)
        for a, source in enumerate(nodes)
        for b, target in enumerate(nodes)
        if a != b and shares[a, b] > 0
    )
