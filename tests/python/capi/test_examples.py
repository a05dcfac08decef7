"""The example programs on this machine; with several nodes they run in the lab."""

import os
import subprocess
from pathlib import Path

import example_programs as examples
import pytest

from homenode import threads


def run(command: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    return subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("program", examples.PROGRAMS)
def test_the_example_places_its_matrix(program: str, tmp_path: Path) -> None:
    if compiler := examples.missing(program):
        pytest.skip(f"needs {compiler}")
    command = examples.command(program, tmp_path)
    cpus = ",".join(map(str, threads.cpus()))
    done = run(command, examples.default_rule(program), cpus)
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(examples.pages_on_node(done.stdout).values()) * os.sysconf("SC_PAGE_SIZE") == 8 << 20

    refused = run(command, "nonsense")
    assert refused.returncode == 1
    assert "there is no memory rule 'nonsense'" in refused.stderr


@pytest.mark.parametrize("program", examples.OWN_PROGRAMS)
def test_a_region_of_interest_does_nothing_outside_the_lab(program: str, tmp_path: Path) -> None:
    if compiler := examples.missing(program):
        pytest.skip(f"needs {compiler}")
    done = run(examples.command(program, tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sum {examples.ELEMENTS // 2}\n", "")
