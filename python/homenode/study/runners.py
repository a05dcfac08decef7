"""Chooses who runs a machine's cases: this host, or the lab."""

from homenode.study.host_runner import HostRunner
from homenode.study.lab_runner import LabRunner
from homenode.study.machine import HOST
from homenode.study.runner import Runner


def runner_for_machine(name: str) -> Runner:
    """The runner of a machine's name or file; 'host' is this machine. Raises StudyError."""
    return HostRunner() if name == HOST else LabRunner(name)
