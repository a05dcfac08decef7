"""What the plugin counted (schema homenode.counts/1) as values and node x node matrices. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from homenode.lab.errors import LabError
from homenode.lab.machine import Machine

SCHEMA = "homenode.counts/1"


@dataclass(frozen=True)
class Accesses:
    """Misses of the private cache per memory node (the plugin's order), and all references."""

    loads: tuple[int, ...]
    stores: tuple[int, ...]
    references: int = 0


@dataclass(frozen=True)
class Vcpu:
    """What one virtual CPU did, user's and kernel's code apart."""

    id: int
    user: Accesses
    kernel: Accesses


@dataclass(frozen=True)
class Thread:
    """What one thread did in user code. `rank` is None for a thread that has not said it."""

    rank: int | None
    vcpus: tuple[int, ...]
    user: Accesses


@dataclass(frozen=True)
class Roi:
    """One region of interest. `raw` is the plugin's line as it was written."""

    number: int
    ended_by: str
    registers: bool
    nodes: tuple[int, ...]
    vcpus: tuple[Vcpu, ...]
    threads: tuple[Thread, ...]
    raw: dict[str, Any]


@dataclass(frozen=True)
class AccessMatrix:
    """Misses: rows are the nodes whose CPUs accessed, columns the nodes of the memory."""

    nodes: tuple[int, ...]
    loads: tuple[tuple[int, ...], ...]
    stores: tuple[tuple[int, ...], ...]
    references: int

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Loads and stores together."""
        return tuple(
            tuple(a + b for a, b in zip(loads, stores, strict=True))
            for loads, stores in zip(self.loads, self.stores, strict=True)
        )

    @property
    def misses(self) -> int:
        """All misses."""
        return sum(map(sum, self.cells))

    @property
    def local_share(self) -> float | None:
        """The share of the misses that stayed on their node; None if there were no misses."""
        local = sum(row[i] for i, row in enumerate(self.cells))
        return local / self.misses if self.misses else None


def parse_roi(line: str) -> Roi:
    """Reads one line of the plugin. Raises LabError when it is not one."""
    try:
        raw = json.loads(line)
        if raw["schema"] != SCHEMA:
            raise ValueError(f"schema {raw['schema']!r}")
        return Roi(
            int(raw["roi"]),
            str(raw["ended_by"]),
            bool(raw["registers"]),
            tuple(raw["nodes"]),
            tuple(
                Vcpu(int(v["vcpu"]), _accesses(v["user"]), _accesses(v["kernel"]))
                for v in raw["vcpus"]
            ),
            tuple(
                Thread(t["rank"], tuple(t["vcpus"]), _accesses(t["user"])) for t in raw["threads"]
            ),
            raw,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise LabError(
            f"the plugin's counts cannot be read ({error}); is it of this version? './dev build'"
        ) from error


def parse_rois(text: str) -> list[Roi]:
    """Reads whole lines; a last line without its end is still being written and left out."""
    return [parse_roi(line) for line in text.split("\n")[:-1] if line]


def _accesses(raw: dict[str, Any]) -> Accesses:
    references = raw.get("references", {})
    return Accesses(tuple(raw["loads"]), tuple(raw["stores"]), sum(references.values()))


def access_matrix(rois: Sequence[Roi], machine: Machine, privilege: str = "user") -> AccessMatrix:
    """Adds up regions of interest. `privilege` is "user" or "kernel"."""
    ids = machine.node_ids
    row_of = {node: row for row, node in enumerate(ids)}
    loads = [[0] * len(ids) for _ in ids]
    stores = [[0] * len(ids) for _ in ids]
    references = 0
    for roi in rois:
        for vcpu in roi.vcpus:
            row = row_of[machine.node_of_vcpu[vcpu.id]]
            accesses = vcpu.user if privilege == "user" else vcpu.kernel
            references += accesses.references
            for column, node in enumerate(roi.nodes):
                loads[row][row_of[node]] += accesses.loads[column]
                stores[row][row_of[node]] += accesses.stores[column]
    return AccessMatrix(ids, tuple(map(tuple, loads)), tuple(map(tuple, stores)), references)


def thread_matrix(rois: Sequence[Roi], machine: Machine) -> dict[int, tuple[int, ...]]:
    """User misses (loads and stores) per rank and memory node, over the threads with a rank."""
    ids = machine.node_ids
    result: dict[int, list[int]] = {}
    for roi in rois:
        columns = [ids.index(node) for node in roi.nodes]
        for thread in roi.threads:
            if thread.rank is None:
                continue
            row = result.setdefault(thread.rank, [0] * len(ids))
            for column, load, store in zip(
                columns, thread.user.loads, thread.user.stores, strict=True
            ):
                row[column] += load + store
    return {rank: tuple(row) for rank, row in sorted(result.items())}
