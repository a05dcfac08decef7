"""The command homenode-lab as a process that tests may signal, kill and wait for."""

import os
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ENOUGH_S = 180


class Driver:
    """A running homenode-lab, whose program has said that it is ready."""

    def __init__(self, process: subprocess.Popen[bytes]):
        self.process = process

    def qemu(self) -> int:
        """The process id of its QEMU."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [int(pid) for file in children for pid in file.read_text().split()]
        named = [pid for pid in pids if "qemu" in Path(f"/proc/{pid}/comm").read_text()]
        assert len(named) == 1
        return named[0]

    def end(self) -> tuple[int, str, str]:
        """Exit code, the rest of stdout, and stderr."""
        out, err = self.process.communicate(timeout=ENOUGH_S)
        return self.process.returncode, out.decode(), err.decode()


Start = Callable[..., Driver]


def wait_until_gone(pid: int) -> None:
    """Waits for the end of a process that need not be our child."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], ENOUGH_S)[0], f"process {pid} still runs"
    finally:
        os.close(descriptor)
