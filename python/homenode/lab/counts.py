"""What the plugin counted (schema homenode.counts) as values and node x node matrices. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from homenode import matrix
from homenode.lab.errors import LabError
from homenode.lab.machine import Machine
from homenode.lab.times import (
    RoiTime,
    ThreadTime,
    VcpuTime,
    roi_time,
    thread_time,
    vcpu_time,
)

# Version 2 adds modelled time. Records of version 1 stay readable.
SCHEMAS = ("homenode.counts/1", "homenode.counts/2")


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
    time: VcpuTime | None = None


@dataclass(frozen=True)
class Thread:
    """What one thread did in user code. `rank` is None for a thread that has not said it.

    `id` numbers the threads of a region; None in records of before they had one.
    """

    rank: int | None
    vcpus: tuple[int, ...]
    user: Accesses
    time: ThreadTime | None = None
    id: int | None = None
    fs_base: str = ""


@dataclass(frozen=True)
class Roi:
    """One region of interest. `raw` is the plugin's line as it was written.

    `time` is None where time was not modelled.
    """

    number: int
    ended_by: str
    registers: bool
    nodes: tuple[int, ...]
    vcpus: tuple[Vcpu, ...]
    threads: tuple[Thread, ...]
    raw: dict[str, Any]
    time: RoiTime | None = None

    @property
    def provisional(self) -> bool:
        """The program's whole run, because it began no region of its own."""
        return bool(self.raw.get("provisional"))

    @property
    def ended_ps(self) -> int | None:
        """The modelled time when its last thread ended; None where time was not modelled. Where
        the host is busy, the clock of the thread that closes it may be behind those of others."""
        if self.time is None:
            return None
        lasts = (thread.time.last_ps for thread in self.threads if thread.time is not None)
        return max((self.time.ps, *lasts))


@dataclass(frozen=True)
class CountMatrix:
    """Misses: rows are the nodes whose CPUs accessed, columns the nodes of the memory."""

    nodes: tuple[int, ...]
    loads: matrix.Rows
    stores: matrix.Rows
    references: int

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Loads and stores together."""
        return matrix.added(self.loads, self.stores)

    @property
    def misses(self) -> int:
        """All misses."""
        return int(matrix.total(self.cells))

    @property
    def local_share(self) -> float | None:
        """The share of the misses that stayed on their node; None if there were no misses."""
        return matrix.local_share(self.cells) if self.misses else None


def roi_from_json(raw: dict[str, Any]) -> Roi:
    """Raises ValueError, KeyError or TypeError when `raw` is not what the plugin writes."""
    if raw["schema"] not in SCHEMAS:
        raise ValueError(f"the counts have schema {raw['schema']!r}, not {SCHEMAS[-1]}")
    return Roi(
        int(raw["roi"]),
        str(raw["ended_by"]),
        bool(raw["registers"]),
        tuple(raw["nodes"]),
        tuple(map(_vcpu, raw["vcpus"])),
        tuple(map(_thread, raw["threads"])),
        raw,
        roi_time(raw.get("time")),
    )


def _vcpu(raw: dict[str, Any]) -> Vcpu:
    user, kernel = _accesses(raw["user"]), _accesses(raw["kernel"])
    return Vcpu(int(raw["vcpu"]), user, kernel, vcpu_time(raw.get("time")))


def _thread(raw: dict[str, Any]) -> Thread:
    vcpus, user = tuple(raw["vcpus"]), _accesses(raw["user"])
    time = thread_time(raw.get("time"))
    return Thread(raw["rank"], vcpus, user, time, raw.get("id"), str(raw.get("fs_base", "")))


def parse_roi(line: str) -> Roi:
    """Reads one line of the plugin. Raises LabError when it is not one."""
    try:
        return roi_from_json(json.loads(line))
    except (ValueError, KeyError, TypeError) as error:
        raise LabError(
            f"the plugin's counts cannot be read ({error}); it may be of another version: "
            "rebuild it with './dev build'"
        ) from error


def parse_rois(text: str) -> list[Roi]:
    """Reads whole lines; a last line without its end is still being written and left out."""
    return [parse_roi(line) for line in text.split("\n")[:-1] if line]


def _accesses(raw: dict[str, Any]) -> Accesses:
    references = raw.get("references", {})
    return Accesses(tuple(raw["loads"]), tuple(raw["stores"]), sum(references.values()))


def access_matrix(rois: Sequence[Roi], machine: Machine, privilege: str = "user") -> CountMatrix:
    """Adds up regions of interest. `privilege` is "user" or "kernel"."""
    return add_up(rois, machine.node_ids, dict(enumerate(machine.node_of_vcpu)), privilege)


def add_up(
    rois: Sequence[Roi], nodes: tuple[int, ...], node_of_vcpu: Mapping[int, int], privilege: str
) -> CountMatrix:
    """As access_matrix, for a machine given by its nodes and the node of each virtual CPU.

    Raises ValueError when the counts are another machine's.
    """
    row_of = {node: row for row, node in enumerate(nodes)}
    loads = [[0] * len(nodes) for _ in nodes]
    stores = [[0] * len(nodes) for _ in nodes]
    references = 0
    for roi in rois:
        columns = [row_of.get(node) for node in roi.nodes]
        for vcpu in roi.vcpus:
            if vcpu.id not in node_of_vcpu:
                raise ValueError(f"virtual CPU {vcpu.id} is not in any node of the machine")
            row = row_of[node_of_vcpu[vcpu.id]]
            accesses = vcpu.user if privilege == "user" else vcpu.kernel
            references += accesses.references
            _add(loads[row], accesses.loads, columns)
            _add(stores[row], accesses.stores, columns)
    return CountMatrix(nodes, tuple(map(tuple, loads)), tuple(map(tuple, stores)), references)


def _add(row: list[int], values: Sequence[int], columns: Sequence[int | None]) -> None:
    for value, column in zip(values, columns, strict=True):
        if column is not None:
            row[column] += value
        elif value:
            raise ValueError("accesses were counted on a node that the machine does not have")


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
