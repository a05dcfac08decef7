"""bench/npb.py and npb_verify.py: what is made of reports, and a peer that prints as NPB does."""

import shutil
from pathlib import Path
from typing import Any

import npb
import npb_verify
import pytest
from npb_verify import Case, Outcome

# How the binaries of NPB 3.4 end, with room for what differs.
NPB_ENDS = """\


 {name} Benchmark Completed
 Class           =                        S
 Size            =                    65536
 Iterations      =                       10
 Time in seconds =                     0.01
 Total threads   =                        $OMP_NUM_THREADS
 Avail threads   =                        $OMP_NUM_THREADS
 Mop/s total     =                   {rate}
 Mop/s/thread    =                   109.50
 Operation type  =              keys ranked
 Verification    =             {verdict}
 Version         =                    3.4.2
"""

PAGES = {"pages_on_node": {"0": 7}, "pages_on_no_node": {}, "astray_pages": 0, "not_audited": None}


def report(**changes: Any) -> dict[str, Any]:
    run = {
        "seconds": 0.5,
        "cpu_s": 1.0,
        "checks": [{"name": "zeta", "passed": True}],
        "pages": {"a": PAGES},
    }
    return {"runs": [run | changes]}


def test_a_run_without_faults_is_its_times() -> None:
    assert npb_verify.outcome_of(report()) == Outcome(0.5, 1.0, ())


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"checks": [{"name": "zeta", "passed": False}]}, "zeta is wrong"),
        ({"checks": []}, "nothing was checked"),
        (
            {"pages": {"a": PAGES | {"astray_pages": 3}}},
            "3 pages of a not where they were placed",
        ),
        ({"pages": {"a": PAGES | {"not_audited": "EPERM"}}}, "a not audited: EPERM"),
    ],
)
def test_what_is_wrong_is_named(changes: dict[str, Any], fault: str) -> None:
    assert npb_verify.outcome_of(report(**changes)).faults == (fault,)


def test_every_kernel_runs_with_all_teams_under_all_strategies() -> None:
    cases = npb_verify.cases_of("SW", npb_verify.KERNELS, npb_verify.THREADS)
    assert len(set(cases)) == len(cases) == 2 * 8 * 4 * 4


def test_one_run_that_says_nothing_fails_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter([('{"runs": [' + _run_text() + "]}", ""), ("", "killed\n")])
    cases = [Case("cg", "S", 1, "first-touch"), Case("cg", "S", 2, "first-touch")]
    assert npb_verify.verify(cases, lambda _words: next(answers)) == 1
    said = capsys.readouterr().out
    assert "killed" in said
    assert "cg class S: 1 of 2 runs verified" in said


def _run_text() -> str:
    return '{"seconds": 1, "cpu_s": 1, "pages": {}, "checks": [{"name": "x", "passed": true}]}'


def test_runs_of_this_machine_are_verified(capsys: pytest.CaptureFixture[str]) -> None:
    cases = npb_verify.cases_of("S", ["is"], [3])
    assert npb_verify.verify(cases, npb_verify.here) == 0
    assert "is class S: 4 of 4 runs verified" in capsys.readouterr().out


def peer(folder: Path, name: str, rate: str, verdict: str = "SUCCESSFUL") -> None:
    """A binary that prints what NPB's do, in a folder whose name has a blank."""
    file = folder / name
    text = NPB_ENDS.format(name=name.split(".")[0].upper(), rate=rate, verdict=verdict)
    file.write_text(f"#!/bin/sh\ncat <<END\n{text}END\n")
    file.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert shutil.which("homenode"), "homenode is not on PATH; run the tests through ./dev test"
    folder = tmp_path / "their binaries"
    folder.mkdir()
    return folder


def run_bench(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines of `./dev bench npb`."""
    peers = ["--peers", str(folder), "--class", "S", "--runs", "2", "--threads", "2"]
    assert npb.main([*peers, *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_rates_stand_beside_those_of_a_folder_of_npbs_binaries(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer(folder, "is.S.x", "0.01")
    peer(folder, "mg.S", "1000000000.00")
    lines = run_bench(folder, capsys, "--kernel", "is", "--kernel", "mg", "--kernel", "cg")
    assert "best peer 0.0: " in lines[0] and lines[0].endswith(" times as fast")
    assert "best peer 1000000000.0: 0.00 times as fast" in lines[1]
    assert "peer" not in lines[2]  # The folder has no binary of cg.
    assert lines[3].startswith("npb, 2 threads, geometric mean of 2 kernels: ")


def test_a_peer_that_was_not_right_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer(folder, "is.S.x", "5.00", "UNSUCCESSFUL")
    (line, _mean) = run_bench(folder, capsys, "--kernel", "is")
    assert line.endswith("(2 of the peers' 2 runs do not report that they were verified)")


def test_a_peer_without_a_rate_is_told_and_not_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peer(folder, "is.S.x", "************")
    (line,) = run_bench(folder, capsys, "--kernel", "is")
    assert line.endswith("; a peer of is prints no rate")
