"""What the lab's command prints: machines as text, matrices as text, and both as JSON. Pure."""

from collections.abc import Sequence
from typing import Any

from homenode.lab.counts import CountMatrix, Roi, access_matrix, thread_matrix
from homenode.lab.machine import Machine
from homenode.lab.machine_model import resolve
from homenode.lab.result import Result
from homenode.lab.stats import TimeStats, time_json, time_stats, time_text
from homenode.lab.text import table

SCHEMA = "homenode.lab.run/1"
KIB = 1 << 10
MARKS = "homenode/roi.h (in Python homenode.roi())"
LEAVE_OUT = (
    "counted from the program's start to its end; to leave the initialisation out, mark what is of "
    f"interest with {MARKS}"
)


def machine_summary(machine: Machine) -> dict[str, Any]:
    """The machine as it stands in the JSON of `lab run`, `lab list` and `lab show`."""
    cache = machine.private_cache
    return {
        "name": machine.name,
        "description": machine.description,
        "source": machine.info.get("Source", ""),
        "nodes": [node.to_json() for node in machine.nodes],
        "distances": _distances_json(machine),
        "private_cache": cache
        and {"bytes": cache.size, "ways": cache.ways, "line_bytes": cache.line},
        "lab_node_memory_mib": machine.lab_node_memory_mib,
    }


def _distances_json(machine: Machine) -> dict[str, Any] | None:
    rows = [list(row) for row in machine.distances]
    return (
        {"provenance": "declared", "nodes": list(machine.node_ids), "values": rows}
        if rows
        else None
    )


def stats_of(rois: Sequence[Roi], machine: Machine) -> TimeStats | None:
    """The modelled time of regions of interest on a machine; None if it was not modelled."""
    return time_stats(rois, machine.node_of_vcpu, resolve(machine).figures["CoreFrequencyMHz"])


def stats_text(rois: Sequence[Roi], machine: Machine, *, everything: bool) -> str:
    """Modelled time and the user code's matrix for people; says so when nothing was counted.

    `everything`: counted from the program's start to its end (--roi all).
    """
    if not rois:
        return (
            "homenode lab: nothing was counted: the program has no region of interest; mark one "
            f"with {MARKS}, or count everything with --roi all"
        )
    whole = everything or any(roi.provisional for roi in rois)
    matrix = access_matrix(rois, machine)
    rows = [["node", *matrix.nodes]]
    rows += [[n, *row] for n, row in zip(matrix.nodes, matrix.cells, strict=True)]
    share = matrix.local_share
    local = "no misses" if share is None else f"{share:.1%} local"
    counted = (
        ""
        if rois[0].registers
        else ("; every process counted: this QEMU cannot tell processes apart")
    )
    stats = stats_of(rois, machine)
    time = "" if stats is None else time_text(stats) + "\n"
    return (
        f"{time}homenode lab: misses of the modelled private cache by user code "
        f"(row: node of the CPU, column: node of the memory{counted})\n{table(rows)}\n"
        f"{matrix.references} references, {matrix.misses} misses, {local}"
        + (f"\n{LEAVE_OUT}" if whole else "")
        + (" and run it without --roi all" if everything else "")
    )


def _matrix_json(matrix: CountMatrix) -> dict[str, Any]:
    return {
        "loads": [list(row) for row in matrix.loads],
        "stores": [list(row) for row in matrix.stores],
        "references": matrix.references,
        "misses": matrix.misses,
        "local_share": matrix.local_share,
    }


def run_json(
    command: Sequence[str],
    result: Result,
    rois: Sequence[Roi],
    machine: Machine,
    versions: dict[str, str],
    boot_s: float,
) -> dict[str, Any]:
    """One run as JSON: what `lab run --json FILE` writes."""
    return {
        "schema": SCHEMA,
        "machine": machine_summary(machine),
        "versions": versions,
        "command": list(command),
        "exit_code": result.exit_code,
        "signal": result.signal,
        "not_started": result.failure and {"errno": result.failure[0], "text": result.failure[1]},
        "timed_out": result.timed_out,
        "guest_ms": result.guest_ms,
        "boot_s": round(boot_s, 3),
        "provenance": "modelled",
        "nodes": list(machine.node_ids),
        "matrices": {
            privilege: _matrix_json(access_matrix(rois, machine, privilege))
            for privilege in ("user", "kernel")
        },
        "time": time_json(stats_of(rois, machine)),
        "threads": {str(rank): row for rank, row in thread_matrix(rois, machine).items()},
        "rois": [roi.raw for roi in rois],
    }
