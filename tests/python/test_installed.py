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


def test_each_file_has_its_folder(installed: Path):
    prefix = installed.parent
    assert not (installed / "homenode-native").exists()
    for name in (
        "bin/homenode",
        "bin/homenode-lab",
        "libexec/homenode/homenode-native",
        "libexec/homenode/homenode-lab-init",
        "lib/homenode/libhomenode-agent.so",
        "lib/homenode/libhomenode-malloc.so",
        "lib/homenode/homenode-lab-plugin.so",
        "share/homenode/machines/quad-4x2.xml",
        "share/doc/homenode/LICENSE",
        "share/doc/homenode/docs/glossary.md",
        "share/man/man1/homenode.1",
        "share/man/man3/hn_region_place.3",
        "share/man/man5/homenode-study.5",
        "share/man/man7/homenode.7",
        "share/bash-completion/completions/homenode",
        "share/zsh/site-functions/_homenode",
        "share/fish/vendor_completions.d/homenode.fish",
    ):
        assert (prefix / name).is_file(), name


def test_each_library_to_link_has_its_major_version_in_its_soname(installed: Path):
    links = [path for path in installed.parent.glob("lib*/**/lib*.so") if path.is_symlink()]
    linked = [path for path in links if path.parent.name != "homenode"]
    assert {path.name for path in linked} == {
        "libhomenode.so",
        "libhomenode-malloc.so",
        "libhomenode-malloc-hardened.so",
    }
    for path in linked:
        said = subprocess.run(
            ["readelf", "-d", str(path)], capture_output=True, text=True, check=True
        ).stdout
        assert f"soname: [{path.name}.0]" in said
        assert path.with_name(f"{path.name}.0").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("topology",),
        ("run", "--threads=0"),
        ("run", "--malloc=local"),
        ("run", "--place=size>1M: local"),
    ],
)
def test_the_command_finds_what_is_in_libexec_and_lib(installed: Path, words: tuple[str, ...]):
    program = ("--", "echo", "done") if words[0] == "run" else ()
    done = homenode(installed, *words, *program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "done\n" or words[0] != "run"


def test_what_is_in_libexec_finds_the_command_and_the_agent(installed: Path):
    native = installed.parent / "libexec/homenode/homenode-native"
    for words in (("run", "--threads=0", "--", "echo", "done"), ("lab", "list")):
        done = subprocess.run(
            [native, *words],
            env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": "/"},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, ""), words


def test_python_finds_the_library_without_a_variable(installed: Path):
    package = installed.parent / "share/homenode/python"
    found = subprocess.run(
        [
            sys.executable,
            "-B",
            "-c",
            "from homenode import capi; print(capi.places.find_built(capi.LIBRARY))",
        ],
        env={"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert found.startswith(str(installed.parent / "lib"))


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
