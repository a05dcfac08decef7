"""Chooses who runs a machine's cases: this host, or the lab."""

from homenode.study.host_runner import HostRunner
from homenode.study.lab_runner import LabRunner
from homenode.study.machine import HOST
from homenode.study.runner import Runner


def runner_for_machine(name: str, time: bool | None = None) -> Runner:
    """The runner of a machine's name or file; 'host' is this machine. Raises StudyError.

    `time`: whether the lab models time; None where QEMU can. This machine's time is what it is.
    """
    return HostRunner() if name == HOST else LabRunner(name, time)
