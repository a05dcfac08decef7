"""Node x node matrices with provenance: rows issue the accesses, columns hold the memory. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Rows = tuple[tuple[int, ...], ...]


def total(rows: Sequence[Sequence[float]]) -> float:
    """The sum of all cells."""
    return sum(sum(row) for row in rows)


def added(first: Rows, second: Rows) -> Rows:
    """The sum of two matrices, cell by cell."""
    return tuple(
        tuple(a + b for a, b in zip(row, other, strict=True))
        for row, other in zip(first, second, strict=True)
    )


def columns(rows: Sequence[Sequence[float]]) -> list[float]:
    """The sum of each column."""
    return [sum(column) for column in zip(*rows, strict=True)]


def local_share(rows: Sequence[Sequence[float]]) -> float:
    """Share of accesses that stay on their node: trace over total; 0 for an empty matrix."""
    everything = total(rows)
    return sum(row[i] for i, row in enumerate(rows)) / everything if everything else 0.0


def hottest_share(rows: Sequence[Sequence[float]]) -> float:
    """Largest column over total: 1 = all go to one node, 1/N = flat; 0 for an empty matrix."""
    everything = total(rows)
    return max(columns(rows)) / everything if everything else 0.0


@dataclass(frozen=True)
class AccessMatrix:
    """Reads and writes apart. `nodes` names the rows and columns, in order."""

    provenance: str
    nodes: tuple[int, ...]
    reads: Rows
    writes: Rows

    def of(self, op: str) -> Rows:
        """The matrix that speaks for an operation: reads, writes, or both together."""
        if op == "read":
            return self.reads
        if op == "write":
            return self.writes
        return added(self.reads, self.writes)

    def to_json(self) -> dict[str, Any]:
        """The matrix as it stands in a record."""
        return {
            "provenance": self.provenance,
            "nodes": list(self.nodes),
            "reads": [list(row) for row in self.reads],
            "writes": [list(row) for row in self.writes],
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> "AccessMatrix":
        """Reads a matrix; raises ValueError when it is not square with one row per node."""
        nodes = tuple(int(node) for node in value["nodes"])
        return AccessMatrix(
            str(value["provenance"]),
            nodes,
            _square(value["reads"], len(nodes)),
            _square(value["writes"], len(nodes)),
        )


def _square(value: Any, size: int) -> Rows:
    rows = tuple(tuple(int(cell) for cell in row) for row in value)
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ValueError(f"a matrix over {size} nodes must have {size} rows and columns")
    return rows
