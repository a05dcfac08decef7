"""homenode.lab.run: one call that boots a machine, runs a program in it and gives numpy's arrays.

run = homenode.lab.run(["./solver", "1000"], machine="quad-4x2")
run.matrix, run.seconds
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from homenode.lab.counts import CountMatrix, Roi, access_matrix, thread_matrix
from homenode.lab.errors import LabError
from homenode.lab.lab import Lab
from homenode.lab.machine import Machine
from homenode.lab.own_region import RoiChoice
from homenode.lab.render import MARKS, run_json, stats_of
from homenode.lab.result import Result
from homenode.lab.stats import PS_PER_S, TimeStats

if TYPE_CHECKING:  # Most of the lab does without numpy.
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """A program's end, what was counted of it and the time that it took by the lab's model.

    Matrices hold misses of the modelled private cache: rows are the nodes whose CPUs accessed,
    columns the nodes of the memory, both in the order of `nodes`. Regions of interest are added
    up. Whatever needs a region raises LabError where the program had none.
    """

    command: tuple[str, ...]
    machine: Machine
    result: Result
    versions: Mapping[str, str]
    boot_s: float

    @property
    def status(self) -> int:
        """The exit code as a shell has it: 128+N if signal N killed the program, 124 timed out."""
        return self.result.status

    @property
    def stdout(self) -> bytes:
        """What the program wrote to its standard output."""
        return self.result.stdout

    @property
    def stderr(self) -> bytes:
        """What the program wrote to its standard error."""
        return self.result.stderr

    @property
    def nodes(self) -> tuple[int, ...]:
        """The numbers of the machine's nodes."""
        return self.machine.node_ids

    @property
    def matrix(self) -> "NDArray[np.int64]":
        """Misses of user code, loads and stores together."""
        return self.loads + self.stores

    @property
    def loads(self) -> "NDArray[np.int64]":
        """Loads of user code that missed."""
        return _array(self._counted("user").loads)

    @property
    def stores(self) -> "NDArray[np.int64]":
        """Stores of user code that missed."""
        return _array(self._counted("user").stores)

    @property
    def kernel(self) -> "NDArray[np.int64]":
        """Misses of the kernel's code, loads and stores together."""
        return _array(self._counted("kernel").cells)

    @property
    def local_share(self) -> float | None:
        """The share of user code's misses that stayed on their node; None without a miss."""
        return self._counted("user").local_share

    @property
    def threads(self) -> "dict[int, NDArray[np.int64]]":
        """Misses of user code by node of the memory, of each thread that has said its rank."""
        rows = thread_matrix(self._regions(), self.machine)
        return {rank: _array(row) for rank, row in rows.items()}

    @property
    def seconds(self) -> float | None:
        """The modelled time of all regions together; None where time was not modelled."""
        stats = self.stats
        return None if stats is None else stats.ps / PS_PER_S

    @property
    def region_seconds(self) -> "NDArray[np.float64]":
        """The modelled time of each region, in order; NaN where time was not modelled."""
        import numpy as np

        times = [roi.time and roi.time.ps / PS_PER_S for roi in self._regions()]
        return np.array(times, np.float64)

    @property
    def stats(self) -> TimeStats | None:
        """All modelled times: of threads, controllers and links; None where none was modelled."""
        return stats_of(self._regions(), self.machine)

    def json(self) -> dict[str, Any]:
        """What `homenode lab run --json` writes (schema homenode.lab.run/1)."""
        return run_json(
            self.command,
            self.result,
            self.result.rois,
            self.machine,
            dict(self.versions),
            self.boot_s,
        )

    def _regions(self) -> tuple[Roi, ...]:
        if not self.result.rois:
            raise LabError(
                f"nothing was counted: {self.command[0]} has no region of interest; mark one "
                f"with {MARKS}, or count everything with roi='all'"
            )
        return self.result.rois

    def _counted(self, privilege: str) -> CountMatrix:
        return access_matrix(self._regions(), self.machine, privilege)


def run(
    command: Sequence[str],
    *,
    machine: Machine | str,
    roi: RoiChoice = "markers",
    timeout_s: float | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | str | None = None,
    outputs: Sequence[str] = (),
    **options: Any,
) -> Run:
    """Runs a program of this host in a virtual machine, which is gone when the call returns.

    `machine` is a name of `homenode lab list` or an hwloc XML file; `roi` "all" counts everything
    from the program's start to its end, "auto" does so unless the program begins a region. The
    others are Lab.run()'s, and `options` those of Lab: scale=8, timing=False, results="folder",
    node_memory_mib=512, numa_balancing=True. Where several programs run in one machine,
    `with Lab(...) as lab:` boots it once, and run_in() gives the same object. A program that fails
    is no error: see `status`. Raises LabError.
    """
    with Lab(machine, **options) as lab:
        return run_in(lab, command, roi=roi, timeout_s=timeout_s, env=env, cwd=cwd, outputs=outputs)


def run_in(lab: Lab, command: Sequence[str], **options: Any) -> Run:
    """Runs a program in a machine that is booted, with the options of Lab.run()."""
    result = lab.run(command, **options)
    return Run(tuple(command), lab.machine, result, lab.versions, lab.boot_s)


def _array(rows: Sequence[Any]) -> "NDArray[np.int64]":
    import numpy as np

    return np.array(rows, np.int64)
