"""The lab's driver: boots a virtual NUMA machine of the catalogue and runs programs in it.

run = homenode.lab.run(["./solver"], machine="quad-4x2")  # run.matrix, run.seconds
with Lab("quad-4x2") as lab:  # several programs in one boot
    result = lab.run(["numactl", "--hardware"], timeout_s=60)
"""

from homenode.lab.catalogue import find_machine
from homenode.lab.counts import CountMatrix, Roi, access_matrix
from homenode.lab.errors import LabError
from homenode.lab.lab import Lab
from homenode.lab.machine import Machine
from homenode.lab.machine_file import parse_machine
from homenode.lab.one_run import Run, run, run_in
from homenode.lab.qemu import LabOptions
from homenode.lab.result import Result

__all__ = [
    "CountMatrix",
    "Lab",
    "LabError",
    "LabOptions",
    "Machine",
    "Result",
    "Roi",
    "Run",
    "access_matrix",
    "find_machine",
    "parse_machine",
    "run",
    "run_in",
]
