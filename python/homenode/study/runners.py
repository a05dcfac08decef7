"""Chooses who runs a machine's cases: this host, or the lab."""

from homenode.errors import USAGE
from homenode.study.errors import StudyError
from homenode.study.host_runner import HostRunner
from homenode.study.lab_runner import LabRunner
from homenode.study.machine import HOST, NODE
from homenode.study.runner import Roi, Runner


def runner_for_machine(
    name: str,
    time: bool | None = None,
    scale: int = 1,
    roi: Roi = "markers",
    huge_pages: bool | None = None,
    node_memory_mib: int | None = None,
) -> Runner:
    """The runner of a machine's name or file; 'host' is this machine, and 'node' too, named by its
    hardware. Raises StudyError.

    `time`: whether the lab models time; None where QEMU can. This machine's time is what it is.
    `scale` divides the caches and memory of the lab's machines; `roi` is what the lab counts;
    `huge_pages` is whether its guests have transparent ones, and `node_memory_mib` what each node
    has, None as Lab has it.
    """
    if name not in (HOST, NODE):
        return LabRunner(name, time, scale, roi, huge_pages, node_memory_mib)
    if scale != 1:
        raise StudyError(
            f"only machines in the lab can be scaled; leave out --machine {name} or the scale",
            USAGE,
        )
    return HostRunner(by_hardware=name == NODE)
