"""How local a use is, how sure that is, and what other placements would make of it. Pure."""

import numpy as np

from homenode.profile.correlation import Floats
from homenode.profile.facts import Facts, Integers
from homenode.profile.values import Locality, Predicted

# Fewer samples say nothing about a share, whatever they are.
FEWEST = 30
WIDEST_MARGIN = 0.2
Z = 1.96  # 95 of 100 cases.


def margin(share: float, weight: Floats) -> float | None:
    """Half the width of Wilson's interval; samples of unequal weight count as fewer."""
    squares = float((weight**2).sum())
    count = float(weight.sum()) ** 2 / squares if squares else 0.0
    if count < FEWEST:
        return None
    inner = share * (1 - share) / count + Z**2 / (4 * count**2)
    half = float(Z * np.sqrt(inner) / (1 + Z**2 / count))
    return None if half > WIDEST_MARGIN else half


def locality(facts: Facts, chosen: Integers) -> Locality:
    """That of some samples, by their indices."""
    weight = facts.weight[chosen]
    placed, is_local = facts.placed[chosen], facts.local[chosen]
    local = float(weight[is_local].sum())
    remote = float(weight[placed].sum()) - local
    everything = local + remote
    if facts.exact:
        found: float | None = 0.0
    else:
        found = margin(local / everything, weight[placed]) if everything > 0 else None
    return Locality(local, max(0.0, remote), int(placed.sum()), found)


def predicted(from_node: Floats, memory_nodes: Integers) -> Predicted:
    """From the use [node of the CPU, part] of equal parts; `memory_nodes`: the indices of nodes
    that have memory."""
    everything = float(from_node.sum())
    if everything <= 0 or len(memory_nodes) == 0:
        return Predicted()
    parts = from_node.shape[1]
    turn = memory_nodes[np.arange(parts) * len(memory_nodes) // parts]
    with_memory = from_node[memory_nodes]
    return Predicted(
        parts_in_turn=float(from_node[turn, np.arange(parts)].sum()) / everything,
        spread=float(with_memory.sum()) / everything / len(memory_nodes),
        best=float(with_memory.max(axis=0).sum()) / everything,
    )
