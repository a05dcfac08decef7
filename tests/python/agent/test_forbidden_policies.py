"""Where a real seccomp filter forbids memory policies: one line for each command, and the work."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FILTER = Path(__file__).resolve().parents[1] / "support" / "forbid_policies.c"
# Each of its processes has the agent or the malloc in it, and starts more.
PROGRAM = "for i in 1 2 3; do sh -c 'true; echo work'; done; echo end"
INSIDE = [
    ["--malloc=interleave"],
    ["--malloc=bind:strict"],
    ["--malloc=preferred"],
    ["--heap=interleave"],
    ["--thread-memory=local"],
    ["--place", "size>1M: interleave"],
    ["--place", "size>1M: cyclic"],
]
OF_THE_PROCESS = [["--membind=0"], ["--interleave=all"], ["--localalloc"], ["--preferred=0"]]

pytestmark = [
    pytest.mark.skipif(not shutil.which("homenode"), reason="homenode is not on PATH"),
    pytest.mark.skipif(os.uname().machine != "x86_64", reason="the calls of x86-64"),
]


@pytest.fixture(scope="module")
def forbidding(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("filter") / "forbid_policies"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    subprocess.run(["cc", "-std=c11", "-O1", *warnings, FILTER, "-o", program], check=True)
    return str(program)


def run(forbidding: str, what: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [forbidding, what, "homenode", "run", *options, "sh", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("what", ["setting", "all"])
@pytest.mark.parametrize("options", INSIDE, ids=" ".join)
def test_one_line_for_the_command_whose_processes_lose_their_policies(
    forbidding: str, what: str, options: list[str]
) -> None:
    result = run(forbidding, what, *options)
    assert (result.returncode, result.stdout) == (0, "work\n" * 3 + "end\n"), result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("homenode run: the program's memory stays where it would be")
    assert "CAP_SYS_NICE" in lines[0]


@pytest.mark.parametrize("what", ["setting", "all"])
@pytest.mark.parametrize("options", OF_THE_PROCESS, ids=" ".join)
def test_a_policy_of_the_process_is_refused_in_one_line(
    forbidding: str, what: str, options: list[str]
) -> None:
    result = run(forbidding, what, *options)
    assert (result.returncode, result.stdout) == (125, "")
    assert len(result.stderr.splitlines()) == 1
    assert "CAP_SYS_NICE" in result.stderr


@pytest.mark.parametrize("what", ["setting", "all"])
def test_the_explanation_says_so(forbidding: str, what: str) -> None:
    result = run(forbidding, what, "--membind=0", "--explain")
    assert result.returncode == 0
    assert "refused here: " in result.stdout


def test_what_needs_no_policy_is_silent(forbidding: str) -> None:
    for options in (["--malloc=local"], ["--cpunodebind=0"], ["--physcpubind=all"]):
        result = run(forbidding, "all", *options)
        assert (result.returncode, result.stderr) == (0, ""), options
