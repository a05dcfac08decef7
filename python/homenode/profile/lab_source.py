"""The source `lab`: a program in a virtual NUMA machine, of whose accesses none is missed."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from homenode.lab.lab import Lab
from homenode.lab.result import Result
from homenode.lab.samples import check_samples, write_samples
from homenode.lab.signals import passed_on
from homenode.profile import lab_allocations

LINE = 64


def record(
    machine: str,
    command: Sequence[str],
    output: Path | str,
    *,
    unit_bytes: int = LINE,
    roi: Literal["all", "markers"] = "all",
    timeout_s: float | None = None,
    stdin: int | None = None,
    node_memory_mib: int | None = None,
    allocations: bool = True,
) -> Result:
    """Runs a program in the lab's machine of that name or file, and writes its sample file.

    `allocations`: an agent in the program records which call stack has which memory.

    The program's output goes to this process's own; `result.status` is the exit code that a shell
    would report. By `roi` "all", everything from its start to its end is counted, its children
    included; by "markers", what it says itself. Raises LabError.
    """
    path = check_samples(str(output))
    lab = Lab(machine, timing=False, node_memory_mib=node_memory_mib, sample_unit=unit_bytes)
    with passed_on(lab), lab:
        traced = lab_allocations.environment(lab) if allocations else None
        result = lab.run(
            command,
            env=traced,
            timeout_s=timeout_s,
            roi=roi,
            stdout=sys.stdout.buffer,
            stderr=sys.stderr.buffer,
            stdin=stdin,
        )
        allocated = b"" if traced is None else lab_allocations.written(lab)
        lab.stop()
        write_samples(path, lab, result, command, roi, allocated)
    return result
