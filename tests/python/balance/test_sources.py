"""`homenode balance --with`: which sources of samples it takes, and what it says of others."""

import os
import subprocess
from pathlib import Path

import pytest

USAGE = 2


def balance(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["homenode", "balance", "--state", str(folder / "state"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("xyzzy", "there is no source of samples 'xyzzy'"),
        ("sched", "samples of sched do not say which thread uses which memory"),
        ("pages", "samples of pages do not say which thread uses which memory"),
    ],
)
def test_a_source_that_cannot_serve_is_bad_usage(tmp_path: Path, source: str, said: str) -> None:
    done = balance(tmp_path, "--with", source, "--pid", str(os.getpid()), "--once")
    assert done.returncode == USAGE
    assert said in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_process_that_runs_cannot_be_sampled_from_within(tmp_path: Path) -> None:
    done = balance(tmp_path, "--with", "pkeys", "--pid", str(os.getpid()), "--once")
    assert done.returncode != 0
    assert "name a program to start instead" in done.stderr


def test_a_program_does_not_run_where_its_source_does_not_work(tmp_path: Path) -> None:
    """Where the processor has protection keys, it runs."""
    started = tmp_path / "started"
    done = balance(tmp_path, "--with", "pkeys", "--", "touch", str(started))
    has_keys = " ospke" in Path("/proc/cpuinfo").read_text()
    assert started.exists() == has_keys == (done.returncode == 0), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == (["started"] if has_keys else [])
