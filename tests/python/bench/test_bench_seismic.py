"""homenode bench seismic that is killed half-way: nothing of it is left."""

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

TICKS = os.sysconf("SC_CLK_TCK")
WELL_UNDER_WAY_S = 0.5  # Of CPU time: what comes before the steps of this grid takes far less.


def cpu_seconds(pid: int) -> float:
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_leaves_no_file_and_no_process(
    ending: signal.Signals, tmp_path: Path
) -> None:
    command = shutil.which("homenode")
    assert command, "homenode is not on PATH; run the tests through ./dev test"
    words = [command, "bench", "seismic", "--size", "40", "--steps", "900000", "--threads", "2"]
    words += ["--output", "out.json", "--snapshot", "waves.svg", "--seismogram", "felt.csv"]
    with subprocess.Popen(words, cwd=tmp_path, start_new_session=True) as run:
        over = os.pidfd_open(run.pid)
        try:
            while cpu_seconds(run.pid) < WELL_UNDER_WAY_S:
                assert not select.select([over], [], [], 0.05)[0], "it ended by itself"
        finally:
            os.close(over)
            os.killpg(run.pid, ending)
        assert run.wait() == -ending
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)
    assert not list(tmp_path.iterdir())
