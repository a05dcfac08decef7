"""What `cmake --install` puts into a folder works there, and after the folder has moved."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from homenode.verbs import PYTHON

COMMAND = shutil.which("homenode")
BUILD = Path(COMMAND).parents[1] if COMMAND else None
pytestmark = pytest.mark.skipif(
    BUILD is None or not (BUILD / "cmake_install.cmake").is_file() or not shutil.which("cmake"),
    reason="needs cmake, and a build of homenode on PATH",
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder's bin, once the folder has moved."""
    folder = tmp_path_factory.mktemp("installed")
    first, moved = folder / "first", folder / "moved"
    subprocess.run(
        ["cmake", "--install", str(BUILD), "--prefix", str(first)], check=True, capture_output=True
    )
    first.rename(moved)
    return moved / "bin"


def homenode(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run with nothing of the build or source tree in the environment but this Python."""
    python = Path(sys.executable).parent
    environment = {"PATH": f"{folder}:{python}:/usr/bin:/bin:/usr/sbin", "HOME": os.environ["HOME"]}
    return subprocess.run(
        ["homenode", *words], env=environment, cwd="/", capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("verb", PYTHON)
def test_a_python_verb_has_its_help(installed: Path, verb: str):
    done = homenode(installed, verb, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"homenode {verb}" in done.stdout


def test_the_machines_are_there(installed: Path):
    done = homenode(installed, "lab", "list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "quad-4x2" in done.stdout


@pytest.mark.lab
def test_the_lab_counts_with_the_installed_plugin(installed: Path):
    done = homenode(installed, "lab", "run", "--machine", "tiny-2x2", "--stats", "--", "true")
    assert done.returncode == 0, done.stderr


def test_a_verb_whose_script_is_gone_is_said(installed: Path):
    script = installed / "homenode-report"
    script.rename(installed / "elsewhere")
    try:
        done = homenode(installed, "report", "--help")
    finally:
        (installed / "elsewhere").rename(script)
    assert done.returncode == 3
    assert done.stderr == (
        "homenode report: homenode-report is neither beside homenode nor on PATH; "
        "install homenode whole, with its Python part\n"
    )
