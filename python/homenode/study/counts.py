"""From the lab plugin's exact counts (schema homenode.counts/1) to node x node matrices. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from homenode.study.machine import Machine
from homenode.study.matrix import AccessMatrix

SCHEMA = "homenode.counts/1"


def node_matrix(
    counts: Sequence[Mapping[str, Any]], machine: Machine, privilege: str = "user"
) -> AccessMatrix:
    """Adds up the regions of interest; a row is the node of the virtual CPU that accessed.

    `privilege` is user or kernel. Raises ValueError when the counts and the machine do not match.
    """
    nodes = machine.node_ids
    row_of = {node: row for row, node in enumerate(nodes)}
    node_of_cpu = machine.node_of_cpu()
    reads = [[0] * len(nodes) for _ in nodes]
    writes = [[0] * len(nodes) for _ in nodes]
    for region in counts:
        if region.get("schema") != SCHEMA:
            raise ValueError(f"the counts have schema {region.get('schema')!r}, not {SCHEMA}")
        columns = [row_of.get(int(node)) for node in region["nodes"]]
        for vcpu in region["vcpus"]:
            cpu = int(vcpu["vcpu"])
            if cpu not in node_of_cpu:
                raise ValueError(f"virtual CPU {cpu} is in no node of {machine.name}")
            row = row_of[node_of_cpu[cpu]]
            _add(reads[row], vcpu[privilege]["loads"], columns)
            _add(writes[row], vcpu[privilege]["stores"], columns)
    return AccessMatrix(
        "exact", nodes, tuple(tuple(r) for r in reads), tuple(tuple(w) for w in writes)
    )


def _add(row: list[int], values: Sequence[int], columns: Sequence[int | None]) -> None:
    for value, column in zip(values, columns, strict=True):
        if column is not None:
            row[column] += int(value)
        elif value:
            raise ValueError("accesses were counted on a node that the machine does not have")
