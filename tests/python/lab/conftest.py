"""One booted guest for all tests that can share it; where no lab can start, they are skipped."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from compiling import compiled
from lab_driver import ROOT, Driver, Start
from lab_start import lab_or_skip

from homenode.lab import Lab


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
    return compiled(source, tmp_path_factory.mktemp("program"), "-O1")


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """Where the drivers of this test keep their sessions."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    return folder


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
