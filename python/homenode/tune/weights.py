"""Weights for interleaving pages over nodes that use all their bandwidth. Pure.

Threads on all nodes stream as fast as they can from all memories, the same share of their bytes
from each. The highest rate at which no controller, path or shared link carries more than it can is
a linear program; its shares become small whole weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from homenode.lab.machine_links import parse_links, parse_routes, shortest
from homenode.model import Floats

MOST_WEIGHT = 32
CLOSE_ENOUGH = 1.002
# Of the highest rate: room for rounding.
SAME_RATE = 0.9999


@dataclass(frozen=True)
class Capacities:
    """What carries the bytes: each row of `busy` is a controller, path or link, and says for which
    part of a second it is used where the memories of the columns give 1 MiB each."""

    memories: tuple[int, ...]
    busy: Floats

    def rate(self, shares: Floats) -> float:
        """MiB/s of all users together with these shares of the bytes on the memories."""
        return float(1 / (self.busy @ (shares / shares.sum())).max())

    def best_shares(self) -> Floats:
        """Those with the highest rate; of several the most even, whose largest is smallest."""
        from scipy.optimize import linprog  # Half a second, which --help need not take.

        count, ones = len(self.memories), np.ones(len(self.busy))
        fastest = linprog(-np.ones(count), A_ub=self.busy, b_ub=ones)
        # One more unknown: the largest of the others.
        largest = np.zeros(count + 1)
        largest[-1] = 1
        below = np.hstack([np.eye(count), -np.ones((count, 1))])
        within = np.hstack([self.busy, np.zeros((len(self.busy), 1))])
        even = linprog(
            largest,
            A_ub=np.vstack([within, below]),
            b_ub=np.concatenate([ones, np.zeros(count)]),
            A_eq=1 - largest[None, :],
            b_eq=[-fastest.fun * SAME_RATE],
        )
        shares = even.x[:count]
        return np.asarray(shares / shares.sum(), np.float64)


def capacities_of(
    machine: Mapping[str, Any], threads_by_node: Mapping[int, int] | None = None
) -> Capacities:
    """For threads on these nodes that read, each as much; as many on each node with CPUs unless
    given. Raises ValueError where the machine says no bandwidths."""
    found = {one["kind"]: one for one in machine.get("pair_values") or []}
    known = found.get("read_bandwidth") or found.get("bandwidth")
    if known is None:
        raise ValueError("the machine has no bandwidths; measure them with 'homenode measure'")
    path = np.array(known["values"], np.float64)
    if not np.isfinite(path).all() or not (path > 0).all():
        raise ValueError("some bandwidths of the machine are not known; measure all of them")
    sources, memories = [int(one) for one in known["from"]], [int(one) for one in known["to"]]
    users = [1 if threads_by_node is None else threads_by_node.get(one, 0) for one in sources]
    part = np.array(users, np.float64) / sum(users)
    rows = [*np.diag(1 / path.max(axis=0))]
    for at in range(len(sources)):
        rows += list(np.diag(part[at] / path[at]))
    rows += _links(machine, sources, memories, part)
    return Capacities(tuple(memories), np.array([row for row in rows if row.any()]))


def _links(
    machine: Mapping[str, Any], sources: list[int], memories: list[int], part: Floats
) -> list[Floats]:
    """Of each direction of each shared link. What is read comes back the way of the request."""
    info = machine.get("info") or {}
    if not info.get("Links"):
        return []
    links = parse_links(info["Links"])
    routes = parse_routes(info.get("Routes") or "")
    busy: dict[tuple[int, int], Floats] = {}
    for at, source in enumerate(sources):
        for column, memory in enumerate(memories):
            way = routes.get((source, memory)) or shortest(links, source, memory)
            for near, far in pairwise(way):
                row = busy.setdefault((far, near), np.zeros(len(memories)))
                row[column] += part[at] / links[min(near, far), max(near, far)]
    return list(busy.values())


def whole_weights(shares: Floats, most: int = MOST_WEIGHT) -> list[int]:
    """Whole numbers in about the proportion of the shares: the smallest at which no memory gets
    more than 0.2 % too much, else the best whose largest is `most`."""
    best: tuple[float, list[int]] | None = None
    for largest in range(1, most + 1):
        weights = np.round(shares / shares.max() * largest)
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = float(np.nanmax(weights / weights.sum() / shares))
        if best is None or excess < best[0] - 1e-12:
            best = excess, [int(one) for one in weights]
        if excess <= CLOSE_ENOUGH:
            break
    assert best is not None
    return best[1]


def interleave_weights(
    machine: Mapping[str, Any], threads_by_node: Mapping[int, int] | None = None
) -> dict[int, int]:
    """Weights of the nodes with memory. Raises ValueError as capacities_of()."""
    capacities = capacities_of(machine, threads_by_node)
    weights = whole_weights(capacities.best_shares())
    return dict(zip(capacities.memories, weights, strict=True))


def weighted(weights: Mapping[int, int]) -> str:
    """The memory rule. Nodes of weight 0 have no part in it."""
    used = {node: weight for node, weight in weights.items() if weight}
    return f"weighted:{','.join(map(str, used.values()))}@{','.join(map(str, used))}"
