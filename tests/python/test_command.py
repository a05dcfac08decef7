"""homenode.command: how a Python verb ends when a standard stream, or an interrupt, fails it."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from homenode.command import NEEDED

ROOT = Path(__file__).resolve().parents[2]
# A way to print that needs neither a guest nor records, for each verb.
PRINTING = (("lab", "list"), ("lab", "show", "quad-4x2", "--json"), ("report", "--help"))
FULL = Path("/dev/full")


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "homenode.command", *words]


def run(
    *words: str, stdout: int = subprocess.PIPE, before: Callable[[], object] | None = None
) -> tuple[int, str]:
    """Exit code and what was said on standard error."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    environment.pop("PYTHONUNBUFFERED", None)
    done = subprocess.run(
        command(*words),
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        preexec_fn=before,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", PRINTING)
def test_a_full_disk_under_the_output_is_one_line(words: tuple[str, ...]):
    file = os.open(FULL, os.O_WRONLY)
    try:
        code, said = run(*words, stdout=file)
    finally:
        os.close(file)
    assert code == 1
    assert said == (
        f"homenode {words[0]}: cannot write the output: No space left on device; free some "
        "space, or send it elsewhere\n"
    )


@pytest.mark.parametrize("words", PRINTING)
def test_a_reader_that_has_gone_ends_a_verb_quietly(words: tuple[str, ...]):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert run(*words, stdout=writing) == (128 + signal.SIGPIPE, "")
    finally:
        os.close(writing)


def test_a_closed_output_is_said():
    code, said = run("lab", "list", before=lambda: os.close(1))
    assert code == 1
    assert said.startswith("homenode lab: cannot write the output: ") and said.count("\n") == 1


def test_a_failure_before_a_closed_output_is_said_once():
    code, said = run("lab", "show", "nowhere", before=lambda: os.close(1))
    assert code == 2
    assert said.startswith("homenode lab: no machine is called 'nowhere'")
    assert said.count("\n") == 1


def test_with_standard_error_closed_the_exit_code_stays():
    assert run("lab", "show", "nowhere", before=lambda: os.close(2)) == (2, "")
    assert run("report", "/nonexistent", before=lambda: os.close(2))[0] == 1


def test_a_module_that_is_not_there_is_one_line_and_not_supported(tmp_path: Path):
    (tmp_path / "jinja2.py").write_text("raise ModuleNotFoundError('x', name='jinja2')\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'python'}"}
    done = subprocess.run(
        command("report", "--help"), capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 3
    assert done.stderr == (
        "homenode report: the Python module jinja2 is missing; run './dev setup'\n"
    )


NOBODY = 65534


def run_as_nobody(*words: str, modules: Path) -> tuple[int, str]:
    """A verb whose modules are in one folder alone, run by a user without rights of their own, who
    may not be able to enter the folder of this Python."""
    if os.getuid() != 0:
        pytest.skip("needs root, to become another user")
    environment = {"PYTHONPATH": f"{ROOT / 'python'}:{modules}"}
    options = ("-B", "-S", "-P", "-m", "homenode.command")
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [python, *options, *words],
                capture_output=True,
                text=True,
                env=environment,
                cwd="/",
                user=NOBODY,
                group=NOBODY,
            )
        except OSError:
            continue
        if "No module named homenode" not in done.stderr:
            return done.returncode, done.stderr
    pytest.skip("others may not read this checkout, or any Python")


@pytest.mark.parametrize("closed", ["", "site", "site/numpy"])
def test_modules_that_may_not_be_read_are_not_said_to_be_missing(closed: str) -> None:
    # pytest's own folder is closed to others.
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        top.chmod(0o755)
        (top / "site" / "numpy").mkdir(parents=True)
        hidden = top / closed
        hidden.chmod(0o000)
        code, said = run_as_nobody("tune", "--help", modules=top / "site")
    assert said == (
        f"homenode tune: the Python module numpy is not found: this user may not read '{hidden}' "
        "(permission denied); run it as a user who may, or install homenode where this one may\n"
    )
    assert code == 1


def test_the_modules_that_are_needed_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert list(NEEDED) == [re.split(r"[<>=]", one)[0] for one in project["dependencies"]]


def test_an_interrupt_while_a_verb_is_imported_leaves_no_traceback(tmp_path: Path):
    (tmp_path / "jinja2.py").write_text("import os\nos.kill(os.getpid(), 2)\n")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'python'}"}
    done = subprocess.run(
        command("report", "--help"), capture_output=True, text=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")
