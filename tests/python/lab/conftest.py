"""One booted guest for all tests that can share it; where no lab can start, they are skipped."""

import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab_start import lab_or_skip

from homenode.lab import Lab

ROOT = Path(__file__).resolve().parents[3]
ENOUGH_S = 180


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="session")
def quad(results: Path) -> Iterator[Lab]:
    """One quad-4x2 with the plugin, for every test that leaves it as it was."""
    with lab_or_skip("quad-4x2", results) as lab:
        yield lab


@pytest.fixture(scope="session")
def reader_and_writer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of reader_and_writer.c, compiled."""
    source = Path(__file__).with_name("reader_and_writer.c")
    program = tmp_path_factory.mktemp("program") / "reader_and_writer"
    words = ["cc", "-O1", "-pthread", f"-I{ROOT}/src", "-o", str(program), str(source)]
    subprocess.run(words, check=True)
    return str(program)


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


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Where the drivers of this test keep their sessions."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    return folder


Start = Callable[..., Driver]


@pytest.fixture
def start(sessions: Path) -> Iterator[Start]:
    """Starts homenode-lab run --machine tiny-2x2 with a shell script, up to its line "ready"."""
    drivers: list[Driver] = []

    def starter(script: str, *options: str, ready: bool = True, runtime: Path = sessions) -> Driver:
        lab_or_skip("tiny-2x2", plugin=False)
        words = ["-m", "homenode.lab", "run", "--machine", "tiny-2x2", "--no-plugin", *options]
        process = subprocess.Popen(
            [sys.executable, *words, "--", "sh", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT / "python"), "XDG_RUNTIME_DIR": str(runtime)},
        )
        driver = Driver(process)
        drivers.append(driver)
        if ready:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        return driver

    yield starter
    for driver in drivers:
        if driver.process.poll() is None:
            driver.process.kill()
        driver.process.communicate()


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
