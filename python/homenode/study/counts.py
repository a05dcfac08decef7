"""From the lab plugin's exact counts, as a record keeps them, to node x node matrices. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from homenode.lab.counts import add_up, roi_from_json
from homenode.matrix import AccessMatrix
from homenode.study.machine import Machine


def node_matrix(
    counts: Sequence[Mapping[str, Any]], machine: Machine, privilege: str = "user"
) -> AccessMatrix:
    """Adds up the regions of interest; a row is the node of the virtual CPU that accessed.

    `privilege` is user or kernel. Raises ValueError when the counts and the machine do not match.
    """
    regions = [roi_from_json(dict(region)) for region in counts]
    sums = add_up(regions, machine.node_ids, machine.node_of_cpu(), privilege)
    return AccessMatrix("exact", sums.nodes, sums.loads, sums.stores)
