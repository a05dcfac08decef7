"""Runs cases in the lab: one boot for all of them, every access counted by the plugin."""

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from signal import SIGKILL
from typing import Self

from homenode import lab
from homenode.lab.catalogue import find_file
from homenode.lab.errors import LabLostError
from homenode.lab.memory import host_memory_bytes, node_sizes
from homenode.lab.numbering import numbered
from homenode.lab.scale import scaled
from homenode.node import Node
from homenode.study.command import find_command, version_of
from homenode.study.errors import StudyError
from homenode.study.machine import LAB, Machine
from homenode.study.runner import Outcome, Roi, RunnerLostError


def machine_from(
    described: lab.Machine, digest: str, node_memory_mib: int | None = None
) -> Machine:
    """The machine as the guest sees it: its CPUs are numbered densely, its memory is the lab's."""
    sizes = node_sizes(described, node_memory_mib)
    of_vcpu = described.node_of_vcpu
    return Machine(
        described.name,
        digest,
        LAB,
        tuple(
            Node(n.id, tuple(i for i, at in enumerate(of_vcpu) if at == n.id), sizes[n.id])
            for n in described.nodes
        ),
        described.distances,
    )


@contextmanager
def _labs_errors_as_ours() -> Iterator[None]:
    try:
        yield
    except LabLostError as error:
        raise RunnerLostError(error.why) from error
    except lab.LabError as error:
        raise StudyError(str(error), error.exit_code) from error


class LabRunner:
    """A machine of the catalogue, or of an hwloc XML file; entering boots it."""

    def __init__(
        self,
        name: str,
        time: bool | None = None,
        scale: int = 1,
        roi: Roi = "markers",
        huge_pages: bool | None = None,
        node_memory_mib: int | None = None,
    ) -> None:
        """Reads the machine file. `time` None models time where QEMU can; `roi` is what counts, as
        Lab.run has it. Raises StudyError.

        `scale` above 1 divides caches and memory, which makes another machine: its name and its
        digest say so. Where `huge_pages` or the memory of a node are others than by default, the
        digest says so, too.
        """
        self._time = time
        self._scale = scale
        self._huge_pages = huge_pages
        self._node_memory_mib = node_memory_mib
        self._roi = roi
        with _labs_errors_as_ours():
            self._described = lab.find_machine(name)
            as_guest = numbered(self._described).machine
            text = find_file(name).read_bytes()
            if scale != 1:
                as_guest = scaled(replace(as_guest, name=f"{as_guest.name} 1:{scale}"), scale)
                text += f"scaled by {scale}".encode()
            if huge_pages is not None:
                text += f"huge pages {huge_pages}".encode()
            if node_memory_mib is not None:
                text += f"{node_memory_mib} MiB a node".encode()
            digest = hashlib.sha256(text).hexdigest()[:12]
            self._machine = machine_from(as_guest, digest, node_memory_mib)
        self._command: Path = find_command()
        self._lab: lab.Lab | None = None
        self._interrupted = False
        self.homenode_version = version_of(self._command)

    @property
    def machine(self) -> Machine:
        """The machine of the file, with the guest's numbers of nodes and CPUs."""
        return self._machine

    @property
    def at_once(self) -> int:
        """A guest keeps little more than one CPU busy, and may touch all of its memory."""
        cpus = len(os.sched_getaffinity(0))
        available = host_memory_bytes(available=True)
        if available is None:
            return 1
        guest_bytes = sum(node.memory_bytes for node in self._machine.nodes)
        return max(1, min(cpus, available // guest_bytes))

    def versions(self) -> Mapping[str, str]:
        """Versions of homenode, QEMU and the guest's kernel. pre: entered."""
        assert self._lab is not None
        return {"homenode": self.homenode_version, **self._lab.versions}

    @property
    def program(self) -> str:
        """The guest sees the host's files under their own paths."""
        return str(self._command)

    def run(self, command: Sequence[str], timeout_s: float) -> Outcome:
        """Runs one command in the guest. pre: entered."""
        assert self._lab is not None
        with _labs_errors_as_ours():
            result = self._lab.run(command, timeout_s=timeout_s, roi=self._roi)
        if result.timed_out:
            raise TimeoutError
        said = result.stderr.decode(errors="replace")
        if result.failure is not None:
            said += f"could not start: {' '.join(result.failure)}"
        return Outcome(
            result.status,
            result.stdout.decode(errors="replace"),
            said,
            [roi.raw for roi in result.rois],
        )

    def interrupt(self) -> None:
        """Kills the running program; a guest that boots, or does not answer, is given up."""
        self._interrupted = True
        if (running := self._lab) is not None:
            running.interrupt(SIGKILL)

    def __enter__(self) -> Self:
        with _labs_errors_as_ours():
            self._lab = lab.Lab(
                self._described,
                timing=self._time,
                scale=self._scale,
                huge_pages=self._huge_pages,
                node_memory_mib=self._node_memory_mib,
            )
            if self._interrupted:
                self._lab.interrupt(SIGKILL)
            try:
                self._lab.__enter__()
            except BaseException:
                self._lab = None
                raise
        return self

    def __exit__(self, *error: object) -> None:
        if self._lab is not None:
            self._lab.__exit__(*error)
            self._lab = None
