"""A study of 40 runs on a Dask cluster of four workers, one of which is killed half-way."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import study_of_40 as forty

pytest.importorskip("distributed")
pytestmark = pytest.mark.long
WORKERS = 4


def dask(part: str, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{part}", "--no-dashboard", *more]
    return subprocess.Popen(
        command, env=forty.ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The scheduler's address, and the workers."""
    file = tmp_path / "scheduler.json"
    parts = [dask("scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={file}")]
    try:
        while not file.exists() or not file.read_text().endswith("}"):
            assert parts[0].poll() is None
            time.sleep(0.05)
        options = ["--no-nanny", "--nthreads=1", f"--scheduler-file={file}"]
        parts += [dask("worker", *options, f"--local-directory={tmp_path}") for _ in range(WORKERS)]
        yield json.loads(file.read_text())["address"].removeprefix("tcp:"), parts[1:]
    finally:
        for part in parts:
            part.kill()
            part.wait()


def test_no_record_is_lost_or_doubled_when_a_worker_is_killed(
    tmp_path: Path, cluster: tuple[str, list[subprocess.Popen[bytes]]]
) -> None:
    address, workers = cluster
    file = forty.written(tmp_path)
    alone = forty.start(file, tmp_path / "alone")
    said = alone.communicate()
    assert alone.returncode == 0, said
    study = forty.start(file, tmp_path / "fleet", "--on", f"dask:{address}")
    while forty.kept(tmp_path / "fleet") < forty.RUNS // 2:
        assert study.poll() is None, study.communicate()
        time.sleep(0.02)
    workers[0].kill()
    said = study.communicate()
    assert study.returncode == 0, said
    forty.check_same_as_alone(tmp_path / "alone", tmp_path / "fleet")
