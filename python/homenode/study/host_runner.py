"""Runs cases on this very machine, where nothing counts: the program's own matrices are used."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from homenode import id_list
from homenode.errors import NOT_SUPPORTED
from homenode.node import Node
from homenode.study.command import find_command, version_of
from homenode.study.errors import StudyError
from homenode.study.machine import HOST, NODE, Machine, hardware_digest
from homenode.study.runner import Outcome

NODES = Path("/sys/devices/system/node")
CPUS = Path("/proc/cpuinfo")


def read_machine(root: Path = NODES, name: str = HOST) -> Machine:
    """The nodes that the kernel shows in sysfs. Raises StudyError when there are fewer than two."""
    try:
        ids = sorted(int(path.name.removeprefix("node")) for path in root.glob("node[0-9]*"))
        nodes = tuple(_node(root / f"node{i}", i) for i in ids)
        distances = tuple(
            tuple(int(word) for word in (root / f"node{i}" / "distance").read_text().split())
            for i in ids
        )
    except (OSError, ValueError) as error:
        raise StudyError(f"cannot read this machine's nodes from {root}: {error}") from error
    if len(nodes) < 2:
        raise StudyError(
            "this machine has only one NUMA node, so there is nothing to compare; leave out "
            "--machine host to run the study on a virtual machine with several",
            NOT_SUPPORTED,
        )
    square = all(len(row) == len(nodes) for row in distances)
    return Machine(name, "", HOST, nodes, distances if square else ())


def _node(folder: Path, node_id: int) -> Node:
    total_kib = 0
    for line in (folder / "meminfo").read_text().splitlines():
        words = line.split()
        if len(words) >= 4 and words[2] == "MemTotal:":
            total_kib = int(words[3])
    return Node(node_id, tuple(id_list.parse((folder / "cpulist").read_text())), total_kib << 10)


def named_by_hardware(machine: Machine, model: str) -> Machine:
    """The machine without its host name: like computers of a cluster are one machine."""
    digest = hardware_digest(model, machine.nodes, machine.distances)
    return replace(machine, name=f"{NODE}-{digest[:8]}", digest=digest)


def _cpu_model() -> str:
    lines = CPUS.read_text().splitlines()
    return next((line for line in lines if line.startswith("model name")), platform.machine())


class HostRunner:
    """This machine. Its matrices are computed from each program's pattern and an audit of pages."""

    def __init__(self, *, by_hardware: bool = False) -> None:
        """Reads the machine. Raises StudyError (not supported) on a machine with one node."""
        self._machine = read_machine(name=f"{HOST}-{platform.node() or 'unnamed'}")
        if by_hardware:
            self._machine = named_by_hardware(self._machine, _cpu_model())
        self._command = find_command()
        self.homenode_version = version_of(self._command)

    @property
    def machine(self) -> Machine:
        """This machine."""
        return self._machine

    @property
    def at_once(self) -> int:
        """One: there is one such computer."""
        return 1

    def interrupt(self) -> None:
        """Nothing: it never runs beside others."""

    def versions(self) -> Mapping[str, str]:
        """Versions of homenode and of the running kernel."""
        return {"homenode": self.homenode_version, "kernel": platform.release()}

    @property
    def program(self) -> str:
        """The command itself."""
        return str(self._command)

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        """Runs one command here; a command that takes too long is killed."""
        try:
            done = subprocess.run(command, capture_output=True, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        except OSError as error:
            return Outcome(127, "", f"cannot start {command[0]}: {error.strerror}", None)
        return Outcome(
            done.returncode,
            done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace"),
            None,
            real_clock="HOMENODE_LAB" not in os.environ,  # A guest's clock is an emulator's.
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        return None
