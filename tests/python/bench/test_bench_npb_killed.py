"""`homenode bench npb` stopped half-way: no process and no file of it stays."""

import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

KERNELS = ("ep", "cg", "mg", "ft", "is", "bt", "sp", "lu")
ENOUGH_S = 180


class Started:
    """A command with more runs than anybody waits for, whose peer tells that one has ended."""

    def __init__(self, folder: Path, kernel: str, peer: str):
        told = folder.parent / "told"
        os.mkfifo(told)
        words = ["homenode", "bench", "npb", kernel, "--threads", "2", "--runs", "1000000"]
        words += ["--output", "report.json", "--peer", f"echo ran > '{told}'; {peer}"]
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env=os.environ | {"TMPDIR": str(folder), "OMP_WAIT_POLICY": "passive"},
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._told = os.open(told, os.O_RDONLY | os.O_NONBLOCK)

    def wait_for_a_run(self) -> None:
        assert select.select([self._told], [], [], ENOUGH_S)[0], "no run ended"

    def wait_until_all_are_gone(self) -> None:
        """The error stream ends with the last process that holds it, peers included."""
        try:
            self.process.communicate(timeout=ENOUGH_S)
        finally:
            os.close(self._told)  # Not before: a peer that has yet to tell would wait for a reader.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "own"
    inner.mkdir()
    return inner


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_that_is_killed_leaves_nothing(folder: Path, kernel: str) -> None:
    started = Started(folder, kernel, "true")
    started.wait_for_a_run()
    started.process.kill()
    started.wait_until_all_are_gone()
    assert list(folder.iterdir()) == []


def test_an_interrupt_at_the_terminal_ends_the_peer_too(folder: Path) -> None:
    started = Started(folder, "is", "exec sleep 1000")
    started.wait_for_a_run()
    os.killpg(started.process.pid, signal.SIGINT)
    started.wait_until_all_are_gone()
    assert started.process.returncode == -signal.SIGINT
    assert list(folder.iterdir()) == []
